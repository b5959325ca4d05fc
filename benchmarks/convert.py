"""`rankworth convert` from every format to every other: seconds, rows per second, peak memory of the process."""

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import generate
import measuring
import tools

FORMATS: Final = ("trec", "csv", "tsv", "jsonl", "json", "parquet", "arrow")
_SCATTERED: Final = "scattered"
"""the lines of `trec` in random order, so that no query's rows stand together"""


def main() -> None:
    """Measure all pairs of formats, or those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="7 million rows (shallow), not half a million (deep)")
    parser.add_argument("--from", dest="sources", nargs="+", choices=(*FORMATS, _SCATTERED), default=FORMATS)
    parser.add_argument("--to", dest="targets", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    shape = "shallow" if options.large else "deep"
    size = generate.SHAPES[shape].queries * generate.SHAPES[shape].depth
    print(measuring.machine())
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        rows = [
            [f"{source} to {target}", *_measured(place, Path(folder) / f"out.{target}", size, options.rounds)]
            for source, place in _files(options.sources, generate.Collection(options.data, shape), Path(folder))
            for target in options.targets
        ]
    header = [f"{shape}: {size:,} rows", "fastest s", "median s", "CPU s", "rows/s, fastest", "peak MB", "written MB"]
    print(measuring.grid(header, rows))
    print(measuring.load())


def _files(sources: list[str], collection: generate.Collection, folder: Path) -> Iterator[tuple[str, Path]]:
    """The run in each format; there is one of them at a time."""
    for source in sources:
        if source == _SCATTERED:
            other = generate.Collection(collection.data, collection.shape, order=_SCATTERED).ensure()
            yield f"trec, {_SCATTERED}", other.run
            continue
        place = folder / f"in.{source}"
        measuring.command(_convert(collection.ensure().run, place))
        yield source, place
        place.unlink()


def _measured(source: Path, target: Path, size: int, rounds: int) -> list[str]:
    """Cells of a table."""
    samples = [measuring.command(_convert(source, target)) for _ in range(rounds)]
    written = target.stat().st_size / 1e6
    target.unlink()
    seconds = [one.seconds for one in samples]
    peak = max(one.megabytes or 0.0 for one in samples)
    cpu = statistics.median(one.cpu for one in samples)
    times = [f"{min(seconds):.1f}", f"{statistics.median(seconds):.1f}", f"{cpu:.1f}"]
    return [*times, f"{size / min(seconds):,.0f}", f"{peak:,.0f}", f"{written:,.0f}"]


def _convert(source: Path, target: Path) -> list[str]:
    return tools.rankworth("convert", "--run", str(source), str(target), "--quiet")


if __name__ == "__main__":
    main()

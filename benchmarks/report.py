"""A report of two runs against `compare` of the same files, without the table of profiles."""

import argparse
import sys
from pathlib import Path
from typing import Final

import generate
import measuring
import numpy as np
import polars as pl

_SHAPES: Final = {"225 queries x 100": (225, 100), "6,980 queries x 50": (6_980, 50)}
_SHARE: Final = 0.02
"""how many of the retrieved documents are relevant"""


def write(folder: Path, queries: int, depth: int) -> None:
    """Write two random runs, and judgements of documents of the second."""
    generator = np.random.default_rng(1)
    size = queries * depth
    run = pl.DataFrame()
    for name in ("a", "b"):
        documents = np.tile(np.arange(depth) * 8, queries) + generator.integers(0, 8, size)
        rows = {"query": np.repeat(np.arange(queries), depth), "q0": "Q0", "document": documents, "rank": 1}
        run = pl.DataFrame({**rows, "score": generator.random(size), "tag": name})
        run.write_csv(folder / f"{name}.run", separator=" ", include_header=False)
    relevant = run.filter(pl.Series(generator.random(size) < _SHARE))
    rows = relevant.select("query", pl.lit(0).alias("q0"), "document", pl.lit(1).alias("grade"))
    rows.write_csv(folder / "qrels.txt", separator=" ", include_header=False)


def main() -> None:
    """Print a table for each shape of collection, with the size of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA / "report")
    options = parser.parse_args()
    print(measuring.machine())
    for title, shape in _SHAPES.items():
        options.data.mkdir(parents=True, exist_ok=True)
        write(options.data, *shape)
        files = [str(options.data / name) for name in ("qrels.txt", "a.run", "b.run")]
        page = options.data / "report.html"
        commands = {
            "compare": [sys.executable, "-m", "rankworth", "compare", *files],
            "report": [sys.executable, "-m", "rankworth", "report", *files, "--no-profiles", "-o", str(page)],
        }
        print(measuring.table(title, measuring.commands(commands, options.rounds)))
        print(f"the page has {page.stat().st_size / 1e3:,.0f} kB")
    print(measuring.load())


if __name__ == "__main__":
    main()

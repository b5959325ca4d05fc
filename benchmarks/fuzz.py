"""Fuzzes every reader: made-up and damaged files, each of which gives a clear error or the right rows and values.

A file that was written as its format allows has to give what was written; a damaged one an error, or what a naive and
strict reader finds in it (`tests/fuzzing`). Processes of their own do the reading, so that one that dies or hangs is a
finding like others. Every input has a number, from which it can be made again: `--reader csv --only 1234`.
"""

import argparse
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import measuring

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from fuzzing import processes
from fuzzing.processes import Result

READERS: Final = (
    *("trec", "csv", "tsv", "msmarco", "jsonl", "json", "rank_eval", "parquet", "arrow", "stream", "pairs", "queries"),
)
TEXTS: Final = tuple(reader for reader in READERS if reader not in ("parquet", "arrow", "stream"))
"""those that are written in Python, where coverage tells something, and that no damage ends"""
FOLDER: Final = Path(__file__).resolve().parent / "data" / "fuzz"
_PORTION: Final = 2500
"""inputs for one process"""
_SHOWN: Final = 300
_CORPUS: Final = 40
"""files of each reader that atheris begins with"""
_CODE: Final = 4
"""bytes that say how to read the others"""

Results = Mapping[str, Sequence[Result]]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="for all readers together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", choices=READERS, action="append", help="all where not said; can be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default: %(default)s)")
    parser.add_argument("--keep", type=Path, default=FOLDER, help="where inputs with findings are kept")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one input of --reader here, and say all of it")
    parser.add_argument("--atheris", type=int, metavar="RUNS", help="mutate text by coverage instead, with atheris")
    options = parser.parse_args()
    readers = options.reader or list(READERS)
    if options.only is not None:
        _only(readers[0], options.seed, options.only)
    elif options.atheris:
        _by_coverage(options.atheris, options.seed, options.reader or TEXTS, options.keep)
    else:
        sys.exit(_all(readers, options))


def _all(readers: Sequence[str], options: argparse.Namespace) -> int:
    """Run all inputs, and print what came of them; 1 where there are findings."""
    begin = time.perf_counter()
    each = -(-options.inputs // len(readers))
    starts = [(reader, start) for reader in readers for start in range(0, each, _PORTION)]
    results: dict[str, list[Result]] = {reader: [] for reader in readers}
    with ThreadPoolExecutor(options.jobs) as pool:

        def run(portion: tuple[str, int]) -> list[Result]:
            reader, start = portion
            return list(processes.watched(reader, options.seed, start, min(start + _PORTION, each)))

        for (reader, _), some in zip(starts, pool.map(run, starts), strict=True):
            results[reader] += some
    _print_counts(results)
    for reader, some in results.items():
        _print_findings(reader, [one for one in some if one.wrong], options)
    seconds = time.perf_counter() - begin
    wrong = sum(bool(one.wrong) for some in results.values() for one in some)
    print(f"{sum(map(len, results.values())):,} inputs, {wrong:,} findings; seed {options.seed}, {seconds:,.0f} s")
    return bool(wrong)


def _print_counts(results: Results) -> None:
    """Tables: how many of which kind were read and refused, and as what."""
    rows = []
    refused: dict[str, Counter[str]] = defaultdict(Counter)
    for reader, some in results.items():
        counts = Counter((one.damaged, one.outcome == "read") for one in some)
        written, damaged = (counts[kind, True] + counts[kind, False] for kind in (False, True))
        numbers = (written, counts[False, True], damaged, counts[True, True], counts[True, False])
        rows.append([reader, *(f"{n:,}" for n in (*numbers, sum(bool(one.wrong) for one in some)))])
        for one in some:
            if one.outcome != "read":
                refused[one.outcome][reader] += 1
    print(measuring.grid(["reader", "written", "read", "damaged", "read", "refused", "findings"], rows))
    by_slug = [
        [slug, f"{sum(by.values()):,}", *(f"{by[reader]:,}" for reader in results)]
        for slug, by in sorted(refused.items())
    ]
    print(measuring.grid(["refused as", "all", *results], by_slug))


def _print_findings(reader: str, wrong: Sequence[Result], options: argparse.Namespace) -> None:
    """The shortest input of each kind, which is kept, and how to run it again."""
    from fuzzing import trials  # noqa: PLC0415 - with the readers; not needed by those who watch

    alike: dict[str, list[Result]] = defaultdict(list)
    for one in wrong:
        alike[_kind(one.wrong)].append(one)
    for found in sorted(alike.values(), key=len, reverse=True):
        least = min(found, key=lambda one: one.size)
        kept = trials.kept(trials.numbered(options.seed, reader, least.number), options.keep, str(least.number))
        print(f"{len(found):,} x {reader}: {least.wrong[:_SHOWN]}")
        print(f"  {kept} ({least.said})")
        print(f"  python benchmarks/fuzz.py --seed {options.seed} --reader {reader} --only {least.number}")


def _kind(wrong: str) -> str:
    """What findings of one kind have in common."""
    return re.sub(r"\d+", "#", wrong)[:60] if wrong.startswith("read, ") else wrong.partition(":")[0]


def _only(reader: str, seed: int, number: int) -> None:
    """Run one input and say everything."""
    from fuzzing import trials  # noqa: PLC0415 - as above

    trial = trials.numbered(seed, reader, number)
    print(trial.said(), trial.written.content, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        print(trials.judged(trial, Path(folder) / "input"))


def _by_coverage(runs: int, seed: int, readers: Sequence[str], folder: Path) -> None:
    """Let atheris mutate inputs so that more and more of the readers' code is run."""
    try:
        import atheris  # noqa: PLC0415 - optional
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris (there are wheels for some versions of Python only)")
    with atheris.instrument_imports(include=["rankworth.io"]):
        from fuzzing import trials  # noqa: PLC0415 - what it imports is to be instrumented

    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for place, reader in enumerate(readers):
        for number in range(_CORPUS):
            trial = trials.numbered(seed, reader, number)
            if trial.columnar and reader in TEXTS:
                continue
            code = bytes([place, trial.written.value == "grade", not trial.format, trial.size % 256])
            (corpus / f"{reader}-{number}").write_bytes(code + trial.written.content)
    seen: Counter[str] = Counter()
    path = Path(tempfile.mkdtemp(dir=processes.memory())) / "input"

    def one(data: bytes) -> None:
        if len(data) <= _CODE:
            return
        trial = trials.coded(data, readers)
        if trial.columnar and trial.reader in TEXTS:
            return
        verdict = trials.judged(trial, path)
        kind = f"{trial.reader}: {_kind(verdict.wrong)}"
        seen[kind] += bool(verdict.wrong)
        if seen[kind] == 1 and verdict.wrong:
            kept = trials.kept(trial, folder, f"atheris-{len(seen)}")
            print(f"{trial.reader}: {verdict.wrong[:_SHOWN]}\n  {kept} ({trial.said()})", flush=True)

    atheris.Setup(
        [sys.argv[0], f"-runs={runs}", f"-seed={seed}", "-max_len=2000", f"-artifact_prefix={folder}/", str(corpus)],
        one,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()

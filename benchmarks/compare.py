"""Comparisons of many runs: from TREC files to differences, intervals, tests and corrections.

100 queries with 1,000 judgements each, and runs of 1,000 documents a query, half of which are judged. What an
evaluation of the same runs takes is in the table, too: the rest is statistics. A results file holds the values of all
queries, so that nothing is measured again.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import generate
import measuring

MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100")
_QUERIES: Final = 100
_DEPTH: Final = 1_000
_SEED: Final = 20261120
_START: Final = "import sys, rankworth as rw; "
_EVALUATE: Final = f"rw.evaluate_runs(sys.argv[1], sys.argv[3:], {MEASURES}).save(sys.argv[2])"
_COMPARE: Final = (
    "print(rw.compare(sys.argv[1] or None, sys.argv[3:], {}, all_pairs={}, resamples={}).to_dict().keys())"
)


def main() -> None:
    """Print a table of seconds and megabytes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=generate.DATA, help="folder of the files (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--resamples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only-generate", action="store_true", help="make the files and stop")
    options = parser.parse_args()
    folder = options.data / "compare"
    qrels, runs = folder / "qrels.txt", [folder / f"run-{number:02}.txt" for number in range(options.runs)]
    if options.only_generate:
        _generate(qrels, runs)
        return
    if not all(path.exists() for path in (qrels, *runs)):
        words = ["--data", str(options.data), "--runs", str(options.runs), "--only-generate"]
        subprocess.run([sys.executable, __file__, *words], check=True)
    print(measuring.machine())
    size = sum(path.stat().st_size for path in runs) / 1e6
    print(f"{len(runs)} runs, {size:,.0f} MB; {' '.join(MEASURES)}; {options.resamples:,} resamples\n")
    with tempfile.TemporaryDirectory() as scratch:
        kept = str(Path(scratch) / "kept.json")
        files = [str(qrels), kept, *map(str, runs)]
        entries = {"evaluate_runs": [_EVALUATE, *files]}
        for name, all_pairs in (("with a baseline", False), ("all pairs", True)):
            script = _COMPARE.format(MEASURES, all_pairs, options.resamples)
            entries[f"compare {name}"] = [script, *files]
            entries[f"compare {name}, of a results file"] = [script, "", "", kept]
        commands = {
            name: [sys.executable, "-W", "ignore", "-c", _START + script, *words]
            for name, (script, *words) in entries.items()
        }
        measuring.command(commands["evaluate_runs"])
        print(measuring.table(f"{len(runs)} runs", measuring.commands(commands, options.rounds)))
    print(measuring.load())


def _generate(qrels: Path, runs: list[Path]) -> None:
    """Write the judgements and the runs: each system sees the same documents, with noise of its own."""
    import numpy as np  # noqa: PLC0415 - not needed where the files are there
    import polars as pl  # noqa: PLC0415 - as above

    qrels.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(_SEED)
    pool = 3 * _DEPTH // 2
    queries = np.repeat(np.arange(_QUERIES) + 1_000_000, _DEPTH)
    grades = rng.choice(4, (_QUERIES, _DEPTH), p=(0.7, 0.15, 0.1, 0.05))
    judged = pl.DataFrame({"query": queries, "0": 0, "document": np.tile(np.arange(_DEPTH), _QUERIES)})
    judged = judged.with_columns(document=pl.col("query") * 10_000 + pl.col("document"), grade=grades.ravel())
    judged.write_csv(qrels, include_header=False, separator=" ")
    worth = np.concatenate((grades, np.zeros((_QUERIES, pool - _DEPTH))), axis=1)
    for number, path in enumerate(runs):
        scores = worth * (1 + number / 100) + 2 * rng.normal(size=worth.shape)
        best = np.argsort(-scores, axis=1)[:, :_DEPTH]
        columns = {
            "query": queries,
            "Q0": "Q0",
            "document": queries * 10_000 + best.ravel(),
            "rank": np.tile(np.arange(1, _DEPTH + 1), _QUERIES),
            "score": np.take_along_axis(scores, best, axis=1).ravel(),
            "tag": f"run-{number:02}",
        }
        pl.DataFrame(columns).write_csv(path, include_header=False, separator=" ", float_precision=6)


if __name__ == "__main__":
    main()

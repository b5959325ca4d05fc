"""Fusing two files, against reading them and against ranx: `--lines` in each, ties as rounded scores have them.

Two shapes: many queries with few documents (`shallow`), and few queries with many (`deep`). Each program is a process
of its own; ratios are taken within a round. ranx reads and fuses in one process, once its kernels are compiled.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

import measuring
import numpy as np
import polars as pl

_DEPTHS: Final = {"shallow": 10, "deep": 1000}
_READ: Final = """
import sys
from rankworth import Run
for path in sys.argv[1:3]:
    for frame in Run(path).batches():
        frame.height
"""
_RANX: Final = """
import sys
from ranx import Run, fuse
runs = [Run.from_file(path, kind="trec") for path in sys.argv[1:3]]
fuse(runs, norm=None, method="rrf", params={"k": 60}).save(sys.argv[3], kind="trec")
"""


def main() -> None:
    """Print a table for each shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", nargs="+", default=list(_DEPTHS))
    parser.add_argument("--without-ranx", action="store_true")
    options = parser.parse_args()
    print(measuring.machine())
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes:
            files = [_run(Path(folder, f"{shape}-{number}.run"), number, options.lines, shape) for number in (0, 1)]
            target = str(Path(folder, "fused.run"))
            python, command = sys.executable, str(Path(sys.executable).with_name("rankworth"))
            commands = {
                "reading": [python, "-c", _READ, *files],
                "rrf": [command, "fuse", *files, "-o", target, "--quiet"],
                "sum, min-max": [command, "fuse", *files, "-o", target, "--quiet", "--method", "sum"],
            }
            if not options.without_ranx:
                commands["ranx, rrf"] = [python, "-c", _RANX, *files, target]
            samples = measuring.commands(commands, options.rounds)
            print(measuring.table(f"{shape}: 2 x {options.lines:,} lines", samples, "reading"))
    print(measuring.load())


def _run(path: Path, seed: int, lines: int, shape: str) -> str:
    """Write a run whose scores have three decimals, so that some are equal."""
    depth = _DEPTHS[shape]
    random = np.random.default_rng(seed)
    queries = lines // depth
    scores = -np.sort(-np.round(random.gamma(2.0, 5.0, (queries, depth)), 3), axis=1)
    documents = random.integers(0, 20 * depth, queries)[:, None] + random.permutation(2 * depth)[:depth]
    frame = pl.DataFrame(
        {
            "query": pl.Series(np.repeat(np.arange(queries), depth)).cast(pl.String),
            "q0": ["Q0"] * (queries * depth),
            "document": pl.select("D" + pl.lit(pl.Series(documents.ravel())).cast(pl.String)).to_series(),
            "rank": np.tile(np.arange(1, depth + 1), queries),
            "score": scores.ravel(),
            "tag": ["run"] * (queries * depth),
        }
    )
    frame.write_csv(path, separator=" ", include_header=False)
    return str(path)


if __name__ == "__main__":
    main()

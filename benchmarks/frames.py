"""From frames in one process: what ties and rows in random order cost `rankworth.evaluate`, against a plain frame."""

import argparse
import warnings
from functools import partial
from pathlib import Path
from typing import Final

import generate
import measuring
import polars as pl
from file_peers import FIVE

import rankworth

_COLUMNS: Final = ("query", "Q0", "document", "rank", "score", "tag")


def main() -> None:
    """Measure one collection or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=("shallow", "deep"), action="append", help="both where not said")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    warnings.simplefilter("ignore")
    for shape in options.collection or ("shallow", "deep"):
        variants = {order: generate.Collection(options.data, shape, order=order).ensure() for order in generate.ORDERS}
        qrels = rankworth.Qrels(variants["plain"].qrels)
        calls = {
            order: partial(rankworth.evaluate, qrels, _frame(variant.run), FIVE) for order, variant in variants.items()
        }
        print(measuring.table(f"{shape}: frames, five measures", measuring.calls(calls, options.rounds)))
    print(measuring.load())


def _frame(path: Path) -> pl.DataFrame:
    schema = {name: pl.Float64 if name == "score" else pl.String for name in _COLUMNS}
    frame = pl.read_csv(path, separator=" ", has_header=False, schema=schema)
    return frame.select("query", "document", "score")


if __name__ == "__main__":
    main()

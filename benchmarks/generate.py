"""Makes seeded collections: judgements and a run as TREC files, each made once.

No caller keeps the arrays: a child process inherits the peak memory of the process that started it, so whatever
measures memory must stay small itself. `ensure` therefore generates in a process of its own.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    Block = dict[str, NDArray[np.int64]]

DATA: Final = Path(__file__).resolve().parent / "data"
LEVELS: Final = {"rounded": 27_600, "coarse": 376}
"""how many different scores there are where scores are rounded: with four decimals, as most systems write them, 3.5 %
of 1,000 documents are tied; `coarse` is like runs of large language models at TREC, in which 93 % are"""
TIES: Final = ("plain", *LEVELS)
"""scores that differ, and scores as real runs have them"""
ORDERS: Final = (*TIES, "scattered", "unsorted", "tied")
_SEED: Final = 20261101
_DOCUMENTS: Final = 8_841_823  # passages of MS MARCO; a prime, so that every stride visits all of them
_ROWS: Final = 1_000_000
_GRADES: Final = (0.5, 0.25, 0.15, 0.1)
_STEP: Final = 500
_UNIT: Final = 10_000  # scores have four decimals


@dataclass(frozen=True)
class Shape:
    """How many queries, how many documents the run has for each, how many of them are judged, up to which grade."""

    queries: int
    depth: int
    judged: int
    best: int


SHAPES: Final = {
    "shallow": Shape(6980, 1000, 1, 1),
    "deep": Shape(500, 1000, 100, 3),
    "listed": Shape(225, 50, 30, 3),
    "users": Shape(200_000, 10, 2, 1),
    "small-shallow": Shape(50, 100, 1, 1),
    "small-deep": Shape(50, 100, 95, 3),
}


@dataclass(frozen=True)
class Collection:
    """Where a collection lies, or would lie."""

    data: Path
    shape: str
    times: int = 1
    order: str = "plain"

    @property
    def stem(self) -> str:
        """Its name, without the order of the lines: the judgements are the same for all orders."""
        return self.shape if self.times == 1 else f"{self.shape}-x{self.times}"

    @property
    def qrels(self) -> Path:
        """The judgements."""
        return self.data / f"{self.stem}.qrels"

    @property
    def run(self) -> Path:
        """The run."""
        return self.data / (f"{self.stem}.run" if self.order == "plain" else f"{self.stem}-{self.order}.run")

    def ensure(self) -> "Collection":
        """Generate what is not there yet."""
        if not (self.qrels.exists() and self.run.exists()):
            print(f"generating {self.run.name} ...", file=sys.stderr, flush=True)
            options = ["--data", self.data, "--times", self.times, "--order", self.order]
            subprocess.run([sys.executable, __file__, self.shape, *map(str, options)], check=True)
        return self


def main() -> None:
    """Generate one collection."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder to write to (default: %(default)s)")
    parser.add_argument("--times", type=int, default=1, help="so many times the queries")
    parser.add_argument(
        "--order", choices=ORDERS, default="plain", help="the order of the lines, or how scores are tied"
    )
    options = parser.parse_args()
    collection = Collection(options.data, options.shape, options.times, options.order)
    collection.data.mkdir(parents=True, exist_ok=True)
    shape = SHAPES[options.shape]
    if not collection.qrels.exists():
        _write(collection.qrels, (judged for _, judged in _blocks(shape, options.times, "plain")), "0", "grade")
    if not collection.run.exists():
        rows = (rows for rows, _ in _blocks(shape, options.times, options.order))
        _write(collection.run, _scattered(rows) if options.order == "scattered" else rows, "Q0", "rank")
    print(f"{collection.run}: {collection.run.stat().st_size / 1e6:,.0f} MB")


def _blocks(shape: Shape, times: int, order: str) -> "Iterator[tuple[Block, Block]]":
    """Rows of the run and of the judgements, for some queries at a time."""
    size = max(_ROWS // shape.depth, 1)
    for first in range(0, shape.queries * times, size):
        yield _block(shape, first, min(size, shape.queries * times - first), order)


def _block(shape: Shape, first: int, queries: int, order: str) -> "tuple[Block, Block]":
    """Rows of some queries.

    The documents of a query are a walk through the collection with a random start and stride; those within the run's
    depth are retrieved, those up to half as far again are not. Better ranks are judged more often, as pools do.
    """
    import numpy as np  # noqa: PLC0415 - not needed where the files are there

    rng = np.random.default_rng([_SEED, first])
    reach = shape.depth + shape.depth // 2
    place = np.arange(reach)
    start, stride = rng.integers(1, _DOCUMENTS, (2, queries, 1))
    document = (start + place * stride) % _DOCUMENTS
    query = np.repeat(np.arange(first, first + queries) + 1_000_000, shape.depth).reshape(queries, shape.depth)

    chance = rng.gumbel(size=(queries, reach)) - np.log(place + 10)
    judged = np.sort(np.argpartition(-chance, shape.judged - 1, axis=1)[:, : shape.judged], axis=1)
    grade = rng.choice(len(_GRADES), judged.shape, p=_GRADES) if shape.best > 1 else np.ones_like(judged)
    judgements = {
        "query": np.repeat(query[:, 0], shape.judged),
        "document": np.take_along_axis(document, judged, axis=1).ravel(),
        "grade": grade.ravel(),
    }

    falls = rng.integers(1, _STEP, (queries, shape.depth))
    score = np.cumsum(falls, axis=1)[:, ::-1] + rng.integers(10 * _UNIT, 20 * _UNIT, (queries, 1))
    rows = {"query": query, "document": document[:, : shape.depth], "score": score}
    rows["rank"] = np.broadcast_to(place[: shape.depth] + 1, score.shape)
    if order in LEVELS:
        rows["score"] = -np.sort(-rng.integers(10 * _UNIT, 10 * _UNIT + LEVELS[order], score.shape), axis=1)
    if order == "tied":
        rows["score"] = np.broadcast_to(score[:, :1], score.shape)
    if order == "unsorted":
        shuffled = np.argsort(rng.random(score.shape), axis=1)
        rows = {name: np.take_along_axis(column, shuffled, axis=1) for name, column in rows.items()}
    return {name: column.ravel() for name, column in rows.items()}, judgements


def _scattered(blocks: "Iterator[Block]") -> "Iterator[Block]":
    """All rows in one random order."""
    import numpy as np  # noqa: PLC0415 - not needed where the files are there

    parts = list(blocks)
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.random.default_rng(_SEED).permutation(rows["query"].size)
    for start in range(0, order.size, _ROWS):
        taken = order[start : start + _ROWS]
        yield {name: column[taken] for name, column in rows.items()}


def _write(path: Path, blocks: "Iterator[Block]", filler: str, last: str) -> None:
    """Write `query FILLER document grade` or `query FILLER document rank score tag`, whole or not at all."""
    import polars as pl  # noqa: PLC0415 - not needed where the files are there

    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        for block in blocks:
            frame = pl.DataFrame(block).with_columns(filler=pl.lit(filler), tag=pl.lit("bm25"))
            columns = ["query", "filler", "document", last]
            if "score" in block:
                frame = frame.with_columns(pl.col("score") / _UNIT)
                columns += ["score", "tag"]
            frame.select(columns).write_csv(file, include_header=False, separator=" ", float_precision=4)
    partial.rename(path)


if __name__ == "__main__":
    main()

"""Overlap of two runs, query by query: all at once, against the `rbo` package, which takes one pair a call.

`rbo` is called for a few queries; its time for all of them is that times their number. Our time is that from two runs
in memory, with pairing, and that of each number alone, once rankings are paired. Below stand coefficients over systems.
"""

import argparse
import resource
import warnings
from collections.abc import Callable
from typing import Final

import measuring
import numpy as np
import polars as pl

from rankworth.correlation import matching
from rankworth.model import Run
from rankworth.stats.overlap import OVERLAPS
from rankworth.stats.rank_correlation import COEFFICIENTS

_PAIRS: Final = 10  # that the package is called for


def main() -> None:
    """Print a table of seconds, and of what the package would need."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(measuring.machine())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    entries: dict[str, Callable[[], object]] = {}
    for name, tied, shuffled in (
        ("in order", False, False),
        ("rows of each query shuffled", False, True),
        ("with ties", True, False),
    ):
        runs = [_run(options.queries, options.documents, side, tied=tied, shuffled=shuffled) for side in (0, 1)]
        pairing = matching.of_rows(*map(matching.RankedRows.of_run, runs))
        entries[f"pairing, {name}"] = lambda runs=runs: matching.of_rows(*map(matching.RankedRows.of_run, runs))
        entries[f"pairing and rbo, {name}"] = lambda runs=runs: OVERLAPS["rbo"].values(
            matching.of_rows(*map(matching.RankedRows.of_run, runs))
        )
        for measure in OVERLAPS if name != "rows of each query shuffled" else ():
            entries[f"{measure}, {name}"] = lambda measure=measure, pairing=pairing: OVERLAPS[measure].values(pairing)
    scores = np.random.default_rng(0).normal(size=(2, 1000))
    for name in ("tau-b", "tau-ap-b", "spearman"):
        entries[f"{name}, 1,000 systems"] = lambda name=name: COEFFICIENTS[name].value(*scores)
    made = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    samples = measuring.calls(entries, options.rounds)
    print(measuring.table(f"{options.queries:,} queries x {options.documents:,} documents", samples))
    ours = float(np.median([one.seconds for one in samples["pairing and rbo, in order"]]))
    _package(options.queries, options.documents, ours)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory: {after * 1024 / 1e6:,.0f} MB; {made * 1024 / 1e6:,.0f} MB with six runs made and paired, ")
    print(f"{before * 1024 / 1e6:,.0f} MB before\n{measuring.load()}")


def _package(queries: int, documents: int, ours: float) -> None:
    """Time the package for some pairs, if it is installed, and compare values."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from rbo import RankingSimilarity  # noqa: PLC0415 - not everybody has it
    except ImportError:
        print("rbo is not installed: pip install rbo")
        return
    runs = [_run(_PAIRS, documents, side, tied=False, shuffled=False) for side in (0, 1)]
    lists = [
        runs[side].to_frame().group_by("query", maintain_order=True).agg("document")["document"] for side in (0, 1)
    ]
    pairs = [(x.to_list(), y.to_list()) for x, y in zip(*lists, strict=True)]

    def one_by_one() -> list[float]:
        return [RankingSimilarity(x, y).rbo_ext(p=0.9) for x, y in pairs]

    apart = np.abs(
        np.array(one_by_one()) - OVERLAPS["rbo"].values(matching.of_rows(*map(matching.RankedRows.of_run, runs)))
    ).max()
    each = measuring.call(one_by_one).seconds / _PAIRS
    rows = [["rbo_ext of rbo", f"{each * queries:,.0f}", f"{each * queries / ours:,.0f}", f"{apart:.1e}"]]
    print(measuring.grid(["extrapolated to all", "s", "times ours", "values differ by"], rows))


def _run(queries: int, documents: int, side: int, *, tied: bool, shuffled: bool) -> Run:
    """A run which has about half of its documents in common with that of the other side, in a similar order."""
    pool = np.random.default_rng(0).integers(0, 8_000_000, size=(queries, 1)) + 3 * np.arange(2 * documents)
    generator = np.random.default_rng([1, side])
    place = np.arange(2 * documents) + generator.normal(0, documents / 3, size=pool.shape)
    ids = np.take_along_axis(pool, np.argsort(place, axis=1)[:, :documents], axis=1)
    scores = np.sort(generator.gamma(3, 4, size=ids.shape), axis=1)[:, ::-1]
    if tied:
        scores = np.round(scores, 1)
    if shuffled:
        order = generator.permuted(np.tile(np.arange(documents), (queries, 1)), axis=1)
        ids, scores = (np.take_along_axis(one, order, axis=1) for one in (ids, scores))
    query = pl.Series(np.repeat(np.arange(queries), documents)).cast(pl.String)
    frame = {"query": query, "document": pl.Series(ids.ravel()).cast(pl.String), "score": scores.ravel().copy()}
    return Run(pl.DataFrame(frame), f"{side}")


if __name__ == "__main__":
    main()

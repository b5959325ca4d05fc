"""Intervals that invert tests: how often they hold the difference, and whether one contradicts its test.

Experiments are made up at a fixed seed: differences of two systems whose values are beta numbers (skewed, between 0 and
1), on a grid of fifths, or equal for most queries, with a true mean difference of 0, with and without
weights. For each test and number of queries there is the share of intervals that hold the true difference, and the
number of intervals that leave 0 out where p is above the level, or hold it where it is not.
"""

import argparse
from typing import Final

import measuring
import numpy as np

from rankworth import stats

_KINDS: Final = ("skewed", "on a grid", "mostly equal")


def main() -> None:
    """Print a table of coverage and contradictions, and of seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=2_000)
    parser.add_argument("--resamples", type=int, default=4_999)
    parser.add_argument("--queries", type=int, nargs="+", default=[6, 12, 30, 100])
    parser.add_argument("--level", type=float, default=0.95)
    options = parser.parse_args()
    print(measuring.machine())
    rows = []
    for name, method in stats.TESTS.items():
        for weighted in (False, True) if method.weighted else (False,):
            for kind in _KINDS:
                shares, contradictions, tried = [], 0, 0
                for queries in options.queries:
                    differences, true = experiments(kind, queries, options.experiments)
                    weights = np.exp(np.random.default_rng(queries).normal(size=queries)) if weighted else None
                    alpha = 1 - options.level
                    [low], [high] = method.intervals(differences, weights, alpha=alpha, resamples=options.resamples)
                    p = method(differences, weights, resamples=options.resamples).p
                    shares.append(f"{((low <= true) & (true <= high)).mean():.3f}")
                    outside = (low > 0) | (high < 0) | ((p <= alpha) & ((low == 0) | (high == 0)))
                    contradictions += int(np.count_nonzero(outside != (p <= alpha)))
                    tried += len(p)
                rows.append([name, "yes" if weighted else "", kind, *shares, f"{contradictions} of {tried:,}"])
    heads = ["test", "weights", "differences", *(f"{queries} queries" for queries in options.queries), "contradictions"]
    print(measuring.grid(heads, rows))
    print(measuring.load())


def experiments(kind: str, queries: int, number: int) -> tuple[np.ndarray, float]:
    """Make differences `[queries, number]` up, and say what they are in the mean of all that could be."""
    generator = np.random.default_rng((_KINDS.index(kind), queries))
    first, second = generator.beta(0.8, 1.2, size=(2, queries, number))
    if kind == "on a grid":
        first, second = (generator.binomial(5, 0.4, size=(queries, number)) / 5 for _ in range(2))
    differences = second - first
    if kind == "mostly equal":
        differences = np.where(generator.random(differences.shape) < 0.6, 0.0, differences)
    return differences, 0.0


if __name__ == "__main__":
    main()

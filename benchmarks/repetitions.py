"""Intervals over queries and runs, and what is said of identical runs, on values that are drawn.

    python benchmarks/repetitions.py [--repeat 1000]

Values lie between 0 and 1, as those of measures do: the logistic function of a query's hardness, of what a system does
to it, of its run and of the rest. The expected difference is 0 by symmetry. The table has the share of intervals of
95 % that hold it, beside that of t intervals over queries alone, of means over the same runs; the share of differences
of identical systems that are called so; and how often a gate on a drop of 0.02, of one run beside another, is said to
fail by chance, by as many further runs, and how often it fails.
"""

import argparse
import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth import stats

SOURCES: Final = ((0.5, 0.0, 0.5), (0.5, 0.05, 0.5), (0.5, 0.3, 0.5), (0.1, 0.3, 0.3), (0.0, 0.1, 0.5))
"""deviations of what systems do to queries, of runs, and of the rest, in logits"""
DROP: Final = 0.02


def drawn(
    draw: np.random.Generator, sizes: tuple[int, int, int], deviations: tuple[float, float, float], *, identical: bool
) -> list[NDArray[np.float64]]:
    """Return `[R, Q]` each, the values of the runs of two systems; of one system where they are identical.

    Args:
        draw: the random numbers.
        sizes: how many queries there are, and runs of each system.
        deviations: as in `SOURCES`.
        identical: whether both systems do the same to queries.

    """
    (size, *counts), (within, of_runs, rest) = sizes, deviations
    hardness = draw.normal(0, 1.5, size)
    changes = draw.normal(0, within, (2, size))
    sides = []
    for side, count in enumerate(counts):
        logits = hardness + changes[0 if identical else side] + draw.normal(0, of_runs, (count, 1))
        sides.append(1 / (1 + np.exp(-logits - draw.normal(0, rest, (count, size)))))
    return sides


def main() -> None:
    """Print a row for each number of queries and runs, and each mixture of sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=1000)
    repeat = parser.parse_args().repeat
    names = (
        "queries",
        "runs",
        "within, run, rest",
        "covered",
        "over queries alone",
        "called identical",
        "said",
        "fails",
    )
    print(f"| {' | '.join(names)} |\n|{'--:|' * len(names)}")
    for size, count in ((25, 4), (25, 8), (100, 4), (100, 8), (100, 2)):
        for deviations in SOURCES:
            draw = np.random.default_rng(11)
            covered, alone, called, said, failed = [], [], [], [], []
            for _ in range(repeat):
                sides = drawn(draw, (size, count, count), deviations, identical=False)
                row = stats.run_difference(*sides)
                covered.append(abs(row.mean) <= row.half())
                each = (sides[1].mean(axis=0) - sides[0].mean(axis=0))[:, None]
                interval = stats.intervals(each, method="t")
                alone.append(interval.low[0] <= 0 <= interval.high[0])
                sides = drawn(draw, (size, count, count), deviations, identical=True)
                row = stats.run_difference(*sides)
                called.append(abs(row.mean) <= row.identical())
                noise, pair = drawn(draw, (size, count, 2), deviations, identical=True)
                row = stats.run_difference(pair[:1], pair[1:], further=[noise])
                said.append(row.exceeds(DROP))
                failed.append(row.mean < -DROP)
            shares = [f"{100 * np.mean(each):.1f} %" for each in (covered, alone, called, said, failed)]
            sources = ", ".join(f"{deviation:g}" for deviation in deviations)
            print(f"| {size} | {count} | {sources} | {' | '.join(shares)} |")
    print(f"\na share of 95 % of {repeat:,} has a standard error of {100 * math.sqrt(0.95 * 0.05 / repeat):.1f} %")


if __name__ == "__main__":
    main()

"""Tests of differences: random flips of signs and shuffles for all pairs at a time, against scipy for each pair.

The values are of 225 queries, 20 systems and 5 measures unless said otherwise. `scipy.stats.permutation_test` is
called, vectorized, for a few pairs and fewer resamples; its time for all of them is that times their number. (This file
is not called statistics.py, which would stand before Python's own for every script here.)
"""

import argparse
import os
import resource
from collections.abc import Callable
from typing import Final

import measuring
import numpy as np
import scipy.stats

from rankworth import stats

_PAIRS: Final = 3  # that scipy is called for
_FEWER: Final = 50  # its resamples are so many times fewer


def main() -> None:
    """Print a table of seconds, and of what scipy would need."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=225)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--measures", type=int, default=5)
    parser.add_argument("--resamples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(measuring.machine())
    print(f"OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS', 'not set')}\n")
    generator = np.random.default_rng(0)
    values = generator.beta(0.5, 1.5, size=(options.queries, options.systems, options.measures))
    against = (values[:, 1:] - values[:, :1]).reshape(options.queries, -1)
    first, second = np.triu_indices(options.systems, 1)
    pairs = (values[:, first] - values[:, second]).reshape(options.queries, -1)
    weights = generator.random(options.queries)
    flips = {"resamples": options.resamples}
    ours: dict[str, Callable[[], object]] = {
        f"randomization, {against.shape[1]} differences": lambda: stats.randomization(against, **flips),
        f"randomization, {pairs.shape[1]} differences": lambda: stats.randomization(pairs, **flips),
        "the same with weights": lambda: stats.randomization(pairs, weights, **flips),
        "randomized Tukey HSD": lambda: stats.randomized_tukey(values, **flips),
        "Tukey HSD": lambda: [stats.tukey_hsd(values[:, :, place]) for place in range(options.measures)],
        f"bootstrap test, {pairs.shape[1]} differences": lambda: stats.bootstrap_test(pairs),
        f"BCa intervals, {pairs.shape[1]} differences": lambda: stats.intervals(pairs),
    }
    few = max(1, options.resamples // _FEWER)

    def scipy_pairs() -> None:
        for column in range(_PAIRS):
            scipy.stats.permutation_test(
                (pairs[:, column],), _mean, permutation_type="samples", vectorized=True, n_resamples=few, rng=generator
            )

    name = f"scipy, {_PAIRS} differences, {few:,} resamples"
    samples = measuring.calls({name: scipy_pairs, **ours}, options.rounds)
    print(measuring.table(f"{options.resamples:,} resamples", samples, name))
    scipy_seconds = np.median([one.seconds for one in samples[name]]) / _PAIRS * options.resamples / few
    rows = []
    for one, columns in zip(list(ours)[:2], (against.shape[1], pairs.shape[1]), strict=True):
        seconds = float(np.median([sample.seconds for sample in samples[one]]))
        whole = float(scipy_seconds * columns)
        rows.append([one, f"{seconds:.2f}", f"{whole:,.0f}", f"{whole / seconds:,.0f}"])
    print(measuring.grid(["extrapolated to all", "s", "scipy s", "ratio"], rows))
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6:,.0f} MB")
    print(measuring.load())


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    return values.mean(axis=axis)


if __name__ == "__main__":
    main()

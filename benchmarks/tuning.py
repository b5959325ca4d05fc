"""How often settings of a fusion are called proven where there is nothing to find: `--trials` random pairs of runs.

The first run knows something of what is relevant; the second knows nothing (`noise`), or as much as the first, with
other noise (`twin`): its fusion truly helps, so that its share is a power, and no error.
`rankworth.tune` chooses among all its settings; counted is how often it would write them.
"""

import argparse
import math
from collections.abc import Iterator
from typing import Any, Final

import measuring
import numpy as np

import rankworth as rw

_DOCUMENTS: Final = 30
_RELEVANT: Final = 4


def main() -> None:
    """Print a table of how often settings were called proven."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--queries", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--kinds", nargs="+", default=["noise", "twin"])
    parser.add_argument("--method", default="", help="the only method that is tried, as in 'rrf(k=60)'")
    options = parser.parse_args()
    print(measuring.machine())
    rows = []
    for queries in options.queries:
        for kind in options.kinds:
            written = []
            kept = []
            for seed in range(options.trials):
                tuned = rw.tune(
                    *planted(seed, queries, kind), "nDCG@10", method=options.method, resamples=options.resamples
                )
                written.append(tuned.proven)
                kept.append((tuned.halves.in_sample, tuned.halves.held_out))
            share = float(np.mean(written))
            error = 1.96 * math.sqrt(share * (1 - share) / options.trials)
            gains = np.mean(kept, axis=0)
            rows.append(
                [kind, f"{queries}", f"{sum(written)} of {options.trials}", f"{share:.1%} ± {error:.1%}"]
                + [f"{gain:+.4f}" for gain in gains]
            )
            print(rows[-1], flush=True)
    print(measuring.grid(["second run", "queries", "proven", "share", "gain in sample", "held out"], rows))


def planted(seed: int, queries: int, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgements, and two runs of which the first knows something."""
    random = np.random.default_rng((seed, queries))
    names = [f"d{number}" for number in range(_DOCUMENTS)]
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"first": {}, "second": {}}
    for number in range(queries):
        relevant = set(random.choice(names, _RELEVANT, replace=False).tolist())
        qrels[f"q{number}"] = dict.fromkeys(relevant, 1)
        for run, knows in zip(runs.values(), _known(kind), strict=True):
            run[f"q{number}"] = {name: random.normal() + knows * (name in relevant) for name in names}
    return qrels, runs


def _known(kind: str) -> Iterator[float]:
    yield 1.0
    yield 0.0 if kind == "noise" else 1.0


if __name__ == "__main__":
    main()

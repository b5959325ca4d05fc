"""How long bounds take beside plain values; or, with `--enumerate`, in how many small cases they are enumerated ones.

225 queries, 1,000 documents each, 60 judged for a query, dicts; times of the processor, the least of three calls.

    python benchmarks/bounds.py
    python benchmarks/bounds.py --enumerate 100000 [SEED]
"""

import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import rankworth as rw

MEASURES = (
    "P@10",
    "RR",
    "DCG@10",
    "RBP",
    "Success@10",
    "nDCG@10",
    "nDCG",
    "R@100",
    "AP",
    "AP@100",
    "ERR@10",
    "Rprec",
    "Bpref",
)


def least(call: Callable[[], object]) -> float:
    """The least time of the processor of three calls."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def ratios() -> None:
    """Print how many times as long values take with their bounds."""
    draw = random.Random(0)  # noqa: S311 - no secret
    queries = [f"q{number}" for number in range(225)]
    documents = [f"d{number}" for number in range(2000)]
    scores = {query: draw.sample(documents, 1000) for query in queries}
    run = rw.Run(
        {
            query: {document: -float(rank // 3) for rank, document in enumerate(ranked)}
            for query, ranked in scores.items()
        }
    )
    judged = {
        query: {document: draw.choice([0, 0, 1, 2]) for document in [*ranked[:40:2], *draw.sample(documents, 40)]}
        for query, ranked in scores.items()
    }
    qrels = rw.Qrels(judged)
    print(f"{'':12}{'plain':>10}{'ties':>10}{'unjudged':>10}")
    for measure in MEASURES:
        plain = least(lambda: rw.evaluate(qrels, run, [measure]))  # noqa: B023 - called at once
        ties, unjudged = (least(lambda: rw.evaluate(qrels, run, [measure], bounds=by)) for by in ("ties", "unjudged"))  # noqa: B023 - as above
        print(f"{measure:12}{1000 * plain:8.0f}ms{ties / plain:9.1f}x{unjudged / plain:9.1f}x", flush=True)


def enumerated(number: int, seed: int) -> None:
    """Print how many bounds are those of an enumeration, for about so many cases."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from enumeration import faults, faults_of_differences  # noqa: PLC0415 - only here
    from test_bounds import VARIANTS  # noqa: PLC0415 - as above

    cases = wrong = 0
    while cases < number:
        for found, compared, _ in (
            faults("ties", VARIANTS, 10, seed),
            faults("unjudged", VARIANTS, 10, seed),
            faults_of_differences(VARIANTS, 4, seed),
        ):
            cases, wrong, seed = cases + compared, wrong + len(found), seed + 1
            print("\n".join(found), end="\n" if found else "")
    print(f"{cases:,} bounds of {len(VARIANTS)} measures compared, {wrong:,} wrong")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--enumerate" in sys.argv:
        enumerated(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 100)
    else:
        ratios()

"""What one more measure costs: its share of a whole evaluation of files, for every measure of the catalogue.

The collection is judged once. Each measure is then computed on blocks on which the five usual ones were computed just
before, as in an evaluation that asks for one measure more. What is shared out is the time of the whole evaluation in a
process that has imported everything, so that the shares are rather too large than too small.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import generate
import measuring
import numpy as np
from file_peers import FIVE

import rankworth
from rankworth.judging import Include, judge_all
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.ranking import Ordering
from rankworth.measures import CATALOGUE, Measure
from rankworth.settings import STANDARD_JUDGING

_CUTOFF: Final = 10


def main() -> None:
    """Measure the catalogue on one collection or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=("shallow", "deep"), action="append", help="both where not said")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    warnings.simplefilter("ignore")
    compact = [one for one in CATALOGUE.values() if one.definition.positions != "all"]
    left_out = sorted(set(CATALOGUE) - {one.name for one in compact})
    for shape in options.collection or ("shallow", "deep"):
        collection = generate.Collection(options.data, shape).ensure()
        evaluate = partial(rankworth.evaluate, collection.qrels, collection.run, FIVE)
        whole = statistics.median(one.seconds for one in measuring.calls({"": evaluate}, options.rounds)[""])
        conventions = [(rankworth.Qrels(collection.qrels), Ordering.of(STANDARD_JUDGING))]
        [judged] = judge_all(conventions, rankworth.Run(collection.run), Include())
        hits = judged.hits
        rows = []
        for one in compact:
            costs = [_cost(one, hits, options.rounds)]
            if not one.definition.at:
                costs.append(_cost(one @ _CUTOFF, hits, options.rounds))
            rows.append([one.name, *(text for cost in costs for text in (f"{1e3 * cost:.2f}", f"{cost / whole:.2%}"))])
            rows[-1] += ["", ""] if one.definition.at else []
        title = f"{shape}: one more measure, of {whole:.2f} s"
        print(measuring.grid([title, "ms", "share", f"@{_CUTOFF} ms", f"@{_CUTOFF} share"], rows))
    if left_out:
        print(f"not compact, and so not here: {' '.join(left_out)}")
    print(measuring.load())


def _cost(measure: Measure, hits: JudgedRows, rounds: int) -> float:
    """Seconds for all queries; the median of some rounds."""
    usual = [rankworth.parse(name) for name in FIVE]
    return statistics.median(_once(measure, usual, hits) for _ in range(rounds))


def _once(measure: Measure, usual: Sequence[Measure], hits: JudgedRows) -> float:
    seconds = 0.0
    for _, block in hits.blocks(np.flatnonzero(hits.n_retrieved > 0)):
        for one in usual:
            one.values(block)
        begin = time.perf_counter()
        measure.values(block)
        seconds += time.perf_counter() - begin
    return seconds


if __name__ == "__main__":
    main()

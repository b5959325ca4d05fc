"""How many judgements it takes until the sign of a difference is certain: by effect, by rank, and by move-to-front.

Judgements of the demonstration are cut to 30 %, runs to their first 10 documents. Unjudged documents are then judged,
25 at a time, as the judgements have them (0 where they have nothing), until `compare(bounds="unjudged")` says that the
sign of the difference by nDCG@10 holds. Move-to-front (Cormack, Palmer, Clarke 1998): each query takes the next
document of a run until one is not relevant, and then goes on with the run that was left longest ago.

    python benchmarks/judge_next.py [PAIRS]
"""

import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, zip_longest

import rankworth as rw

MEASURE, DEPTH, SHARE, BATCH = "nDCG@10", 10, 0.3, 25
Grades = dict[str, dict[str, float]]
Runs = Mapping[str, Mapping[str, list[str]]]
Pair = tuple[str, str]


def by_effect(judged: Grades, runs: Runs, _: Grades) -> Iterator[Pair]:
    """The documents that can change the difference most, with the judgements that there are."""
    for one in rw.judge_next(judged, runs, MEASURE, n=BATCH).documents:
        yield one.query, one.document


def by_rank(judged: Grades, runs: Runs, _: Grades) -> Iterator[Pair]:
    """The first documents of all queries, then the second ones."""
    for rank in range(DEPTH):
        for query in judged:
            for run in runs.values():
                yield from ((query, document) for document in run.get(query, [])[rank : rank + 1])


def move_to_front(judged: Grades, runs: Runs, _: Grades) -> Iterator[Pair]:
    """Each query in turn takes a document of the run at its front; a run whose document is not relevant goes back."""
    yield from (pair for row in zip_longest(*(_front(judged, runs, query) for query in judged)) for pair in row if pair)


def _front(judged: Grades, runs: Runs, query: str) -> Iterator[Pair]:
    fronts = [list(run.get(query, [])) for run in runs.values()]
    while any(fronts):
        front = next(front for front in fronts if front)
        document = front.pop(0)
        if document not in judged[query]:
            yield query, document
        if judged[query].get(document, 0) <= 0:
            fronts.remove(front)
            fronts.append(front)


def needed(choose: Callable[[Grades, Runs, Grades], Iterator[Pair]], truth: Grades, cut: Grades, runs: Runs) -> int:
    """How many documents are judged until the sign is certain."""
    judged = {query: dict(grades) for query, grades in cut.items()}
    for count in range(0, 100_000, BATCH):
        [bound] = rw.compare(judged, runs, [MEASURE], bounds="unjudged", resamples=10).bounds
        if bound.holds:
            return count
        batch: list[Pair] = []
        for query, document in choose(judged, runs, truth):
            if document not in judged[query] and len(batch) < BATCH:
                batch.append((query, document))
                judged[query][document] = truth[query].get(document, 0.0)  # move-to-front goes by it
            if len(batch) == BATCH:
                break
        if not batch:
            return count
    raise AssertionError


def main() -> None:
    """Print how many judgements each way takes, for some pairs of runs."""
    warnings.simplefilter("ignore")
    demo, draw = rw.demo(), random.Random(0)  # noqa: S311 - no secret
    truth: Grades = {str(query): dict(grades) for query, grades in demo.qrels.to_dict().items()}
    cut = {
        query: {document: grade for document, grade in grades.items() if draw.random() < SHARE} or {"nothing": 0.0}
        for query, grades in truth.items()
    }
    top = {name: ranked(run) for name, run in demo.runs.items()}
    totals = dict.fromkeys(("effect", "rank", "move-to-front"), 0)
    print(f"{'':36}{'effect':>8}{'rank':>8}{'move-to-front':>15}")
    for first, second in list(combinations(top, 2))[: int(sys.argv[1]) if len(sys.argv) > 1 else None]:
        runs = {first: top[first], second: top[second]}
        counts = [needed(choose, truth, cut, runs) for choose in (by_effect, by_rank, move_to_front)]
        totals = {name: total + count for (name, total), count in zip(totals.items(), counts, strict=True)}
        print(
            f"{second} - {first}".ljust(36)
            + "".join(f"{count:>{width}}" for count, width in zip(counts, (8, 8, 15), strict=True)),
            flush=True,
        )
    print(
        "all".ljust(36) + "".join(f"{count:>{width}}" for count, width in zip(totals.values(), (8, 8, 15), strict=True))
    )


def ranked(run: object) -> dict[str, list[str]]:
    """The first documents of each query of a run."""
    frame = rw.Run(run).to_frame().sort("query", "score", "document", descending=[False, True, True])
    return {
        str(query): rows["document"].to_list()[:DEPTH]
        for (query,), rows in frame.group_by("query", maintain_order=True)
    }


if __name__ == "__main__":
    main()

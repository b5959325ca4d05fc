"""Random collections that have in them what tools are known to treat differently; the same seed, the same rows."""

from dataclasses import dataclass
from random import Random
from typing import Any, Final

Collection = dict[str, Any]
Judgement = tuple[str, str, float]
Ranked = tuple[str, str, int, float]

NUMBERED: Final = ("1", "2", "3", "10", "11", "001", "0010", "25")
NAMED: Final = (*NUMBERED, "q1", "Q1", "q-1", "ü", "字", "𝒳", "question_1")
DOCUMENTS: Final = (
    *("d1", "d10", "d2", "d9", "D9", "D1", "é1", "e1", "ü", "字", "字2", "𝒳", "ﬁ", "~", "0", "00", "007", "07", "7"),
    *("1", "2", "10", "a-rather-long-document-id", "doc:12", "doc.12", "x_1", "x_2", "x_10", "X_1", "70"),
)
SCALES: Final = {
    "binary": (0, 1),
    "graded": (0, 0, 1, 2, 3),
    "high": (0, 1, 2, 4),
    "relevant": (1, 2),
    "poor": (0, 0, 0, 0, 0, 1),
    "negative": (-2, -1, 0, 1, 2, 3),
    "fractional": (0, 0.25, 0.5, 1, 1.5, 2.75),
}
LONGEST_TIED: Final = 15


@dataclass(frozen=True)
class Traits:
    """What a tool can be handed; whatever is not allowed here is not generated for it."""

    scales: tuple[str, ...] = tuple(SCALES)
    queries: tuple[str, ...] = NAMED
    empty: bool = False
    """queries of the run without any document"""
    duplicates: bool = False
    """documents that a query ranks twice, and judgements that appear twice"""
    long_ties: bool = True
    """equal scores in lists of more than 15 documents"""
    others: bool = True
    """judged queries that the run lacks, and queries of the run that nobody judged"""


def collection(seed: object, traits: Traits) -> Collection:
    """One collection; half of them have other queries in the run than in the judgements."""
    random = Random(f"rankworth {seed}")  # noqa: S311 - not for secrets
    queries = random.sample(traits.queries, random.randint(1, 5))
    judged, ranked = set(queries), set(queries)
    if traits.others and random.random() < 0.5:
        # One query is on both sides: rankworth refuses judgements and a run that do not meet.
        judged = {query for query in queries[1:] if random.random() < 0.75} | {queries[0]}
        ranked = {query for query in queries[1:] if random.random() < 0.75} | {queries[0]}
    scale, style = SCALES[random.choice(traits.scales)], random.choice(tuple(STYLES))
    documents = random.sample(DOCUMENTS, random.randint(6, len(DOCUMENTS)))
    qrels: list[Judgement] = []
    lists: list[list[Ranked]] = []
    for query in queries:
        if query in judged:
            found = random.sample(documents, random.randint(1, len(documents)))
            qrels += [(query, document, random.choice(scale)) for document in found]
        if query in ranked:
            lists.append(ranking(random, query, documents, style, traits))
    empty = [query for query in queries if query not in ranked and random.random() < 0.5] if traits.empty else []
    if traits.duplicates and random.random() < 0.3:
        qrels += random.sample(qrels, 1)
    return {"qrels": shuffled(random, qrels), "run": interleaved(random, lists), "empty_queries": empty}


def ranking(random: Random, query: str, documents: list[str], style: str, traits: Traits) -> list[Ranked]:
    """The rows of a query: short or long, in the order of scores or in none, with ranks that fit the order or not."""
    length = random.choice((1, 2, 3, random.randint(1, len(documents)), len(documents)))
    if not traits.long_ties and style != "apart":
        length = min(length, LONGEST_TIED)
    listed = random.sample(documents, length)
    scores = STYLES[style](random, length)
    if traits.duplicates and random.random() < 0.3:
        listed[-1] = listed[0]
    if random.random() < 0.7:
        scores.sort(reverse=True)
    return [
        (query, document, rank, score)
        for document, rank, score in zip(listed, ranks(random, length), scores, strict=True)
    ]


def ranks(random: Random, length: int) -> list[int]:
    """Ranks in the order of the rows, or in another one, or with gaps."""
    kind = random.random()
    if kind < 0.6:
        return list(range(1, length + 1))
    if kind < 0.8:
        return random.sample(range(1, length + 1), length)
    return sorted(random.sample(range(1, 2 * length + 1), length))


STYLES: Final = {
    "apart": lambda random, length: [round(10 - 0.37 * place, 6) for place in random.sample(range(length), length)],
    "tied": lambda random, length: [random.choice((0.5, 1.0, 2.0, 3.25)) for _ in range(length)],
    "equal": lambda _, length: [1.0] * length,
    "negative": lambda random, length: [-random.choice((0.1, 0.2, 1.5, 7.0, 12.5)) for _ in range(length)],
    "around zero": lambda random, length: [random.choice((-1.0, -0.25, 0.0, 0.25, 1.0)) for _ in range(length)],
    "close": lambda random, length: [1 + 1e-9 * random.randint(0, 40) for _ in range(length)],
}
"""scores; those that are close are apart as float64 and equal as float32"""


def shuffled(random: Random, rows: list[Judgement]) -> list[Judgement]:
    """The rows as they are, or in any order."""
    return rows if random.random() < 0.5 else random.sample(rows, len(rows))


def interleaved(random: Random, lists: list[list[Ranked]]) -> list[Ranked]:
    """The rows of all queries, one query after the other, or with their rows between each other."""
    if random.random() < 0.6:
        return [row for rows in lists for row in rows]
    waiting = [list(rows) for rows in lists]
    mixed: list[Ranked] = []
    while any(waiting):
        mixed.append(random.choice([rows for rows in waiting if rows]).pop(0))
    return mixed

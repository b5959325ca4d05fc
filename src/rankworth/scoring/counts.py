"""How many queries stand behind a mean, and what deserves a second look."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Self

from rankworth.io.validate import IdKinds
from rankworth.scoring.averaging import Standing
from rankworth.scoring.columns import Mask

LONG_LIST: Final = 300
"""from how many items on one list of labels is unlikely to be a single query"""


class Notice(NamedTuple):
    """Something that deserves a second look; the same slug and text as the warning."""

    slug: str
    text: str


class Counts(NamedTuple):
    """How many queries stand behind a mean, and how many do not."""

    judged: int
    """queries with judgements, after `queries=` has named the set"""
    scored: int
    """queries that the mean is taken over"""
    unanswered: int
    """judged queries for which the run has no document"""
    no_relevant: int
    """judged queries without a single grade above 0"""
    ignored: int
    """queries of the run that nobody judged"""
    duplicates_removed: int = 0
    """documents of the run, ranked again by a judged query, that `duplicates=` left out"""
    duplicate_judgements_removed: int = 0
    """judgements that `duplicate_judgements=` left out"""
    excluded: int = 0
    """documents of the run, ranked by a judged query, that `exclude=` took out"""
    excluded_judgements: int = 0
    """judgements that `exclude=` took out"""

    unanswered_queries: tuple[Any, ...] = ()
    """the ids of the unanswered ones, as the judgements had them; where Spark took the values, nobody collects these"""
    no_relevant_queries: tuple[Any, ...] = ()
    """the ids of those without a grade above 0"""
    ignored_queries: tuple[Any, ...] = ()
    """the ids of those that nobody judged"""

    @classmethod
    def of(cls, standing: Standing, scored: Mask, kinds: IdKinds, ignored: Iterable[str] = (), **left_out: int) -> Self:
        """Count and name what is known of queries.

        Args:
            standing: what is known of each query.
            scored: `[Q]`, the queries that the mean is taken over.
            kinds: whether ids came as integers.
            ignored: the queries of the run that nobody judged.
            **left_out: how many documents and judgements were left out.

        """
        named = {
            "unanswered": standing.of(standing.judged & ~standing.answered),
            "no_relevant": standing.of(standing.judged & ~standing.relevant),
            "ignored": list(ignored),
        }
        counts: dict[str, Any] = {**left_out} | {name: len(queries) for name, queries in named.items()}
        counts |= {f"{name}_queries": tuple(kinds.back("query", sorted(queries))) for name, queries in named.items()}
        return cls(int(standing.judged.sum()), int(scored.sum()), **counts)

    @property
    def numbers(self) -> dict[str, int]:
        """The counts by name."""
        return {name: count for name, count in self._asdict().items() if isinstance(count, int)}

    @property
    def queries(self) -> dict[str, tuple[str, ...]]:
        """The ids of queries that need a look, by name, as text."""
        return {name: tuple(map(str, ids)) for name, ids in self._asdict().items() if isinstance(ids, tuple)}

    def __repr__(self) -> str:
        """Show the counts by name; counts of left out queries only above 0."""
        always = len(self._fields) - len(self._field_defaults)
        shown = [(name, count) for index, (name, count) in enumerate(self.numbers.items()) if count or index < always]
        return f"Counts({', '.join(f'{name}={count}' for name, count in shown)})"


class TieEffect(NamedTuple):
    """How far the mean of a measure depends on the order of documents with equal scores."""

    measure: str
    """its label"""
    queries: int
    """how many queries have a value that depends on it"""
    mean: float
    low: float
    """with relevant documents behind those that they are tied with"""
    high: float
    """with relevant documents before them"""

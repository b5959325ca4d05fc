"""How many queries, documents and judgements stand behind the values, in numbers and in words."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Self

import numpy as np

from rankworth.averaging import Mask
from rankworth.columns import Standing
from rankworth.errors import counted, quoted
from rankworth.io.scalars import IdKinds
from rankworth.profiles import Profile


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
        """What is known of queries, counted and named.

        Args:
            standing: what is known of each query.
            scored: `[Q]`, the queries that the mean is taken over.
            kinds: whether ids came as integers.
            ignored: the queries of the run that nobody judged.
            **left_out: how many documents and judgements were left out.

        """
        unanswered = sorted(standing.of(standing.judged & ~standing.answered))
        no_relevant = sorted(standing.of(standing.judged & ~standing.relevant))
        others = sorted(ignored)
        return cls(
            judged=int(np.count_nonzero(standing.judged)),
            scored=int(np.count_nonzero(scored)),
            unanswered=len(unanswered),
            no_relevant=len(no_relevant),
            ignored=len(others),
            unanswered_queries=tuple(kinds.back("query", unanswered)),
            no_relevant_queries=tuple(kinds.back("query", no_relevant)),
            ignored_queries=tuple(kinds.back("query", others)),
            **left_out,
        )

    @property
    def numbers(self) -> dict[str, int]:
        """The counts by name."""
        return {name: count for name, count in self._asdict().items() if isinstance(count, int)}

    @property
    def queries(self) -> dict[str, tuple[str, ...]]:
        """The ids of queries that need a look, by name, as text."""
        return {name: tuple(map(str, ids)) for name, ids in self._asdict().items() if isinstance(ids, tuple)}

    def __repr__(self) -> str:
        """The counts by name; of what was left out only where there is something."""
        always = len(self._fields) - len(self._field_defaults)
        said = [(name, count) for place, (name, count) in enumerate(self.numbers.items()) if count or place < always]
        return f"Counts({', '.join(f'{name}={count}' for name, count in said)})"


_FATES: Final = {
    "zero": "counted as empty rankings",
    "nought": "counted as 0",
    "absent": "counted as 0 in the means",
    "nan": "without a number",
    "skip": "left out",
    "error": "left out",
}


def in_words(counts: Counts, profile: Profile) -> str:
    """A sentence on what was scored and what became of the rest."""
    parts = [f"{counts.scored:,} of {counts.judged:,} judged queries scored"]
    if counts.unanswered:
        fate = _FATES[profile.averaging.missing]
        parts.append(f"{counts.unanswered:,} without results{_named(counts.unanswered_queries)}, {fate}")
    if counts.no_relevant:
        parts.append(f"{counts.no_relevant:,} without a relevant document{_named(counts.no_relevant_queries)}")
    if counts.ignored:
        fate = "counted as rankings of unjudged documents" if profile.averaging.extra == "zero" else "ignored"
        parts.append(f"{counted(counts.ignored)} of the run not judged{_named(counts.ignored_queries)}, {fate}")
    parts += _left_out(counts, profile)
    if profile.averaging.weights is not None:
        parts.append(f"means weighted by {profile.averaging.weights.called}")
    if profile.averaging.macro is not None:
        parts.append(f"macro means by {profile.averaging.macro.called}")
    return "; ".join(parts)


def _named(queries: tuple[Any, ...]) -> str:
    """The first few of some queries."""
    return f" ({quoted(list(map(str, queries)))})" if queries else ""


def _left_out(counts: Counts, profile: Profile) -> list[str]:
    """What settings of the judging took out of run and judgements."""
    judging = profile.judging
    parts = [
        (counts.excluded, counts.excluded_judgements, f"excluded ({judging.exclude})"),
        (counts.duplicates_removed, 0, f"left out as duplicates (duplicates:{judging.duplicates})"),
        (
            0,
            counts.duplicate_judgements_removed,
            f"left out as duplicates (duplicate_judgements:{judging.duplicate_judgements})",
        ),
    ]
    told = []
    for documents, judgements, fate in parts:
        nouns = ((documents, "retrieved document"), (judgements, "judgement"))
        which = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in nouns if count]
        if which:
            told.append(f"{' and '.join(which)} {fate}")
    return told

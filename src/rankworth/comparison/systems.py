"""The values of one system: from an evaluation, from a results file, or from several runs of the system."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import UsageError, quoted
from rankworth.evaluation.aggregation import Column
from rankworth.evaluation.results_file import Result
from rankworth.evaluation.values import Values, behind
from rankworth.io.validate import IdKinds
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Digest, Qrels
from rankworth.profiles import Signature
from rankworth.tables.columns import Kind

Floats = NDArray[np.float64]
Better = Literal["higher", "lower"]
_COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, which are kept beside others and compared where they are asked for"""
_MEANS: Final = ("weights", "macro", "round_means", "no_queries", "logarithms")
"""settings of averaging that a comparison does not take over"""


@dataclass(frozen=True)
class Scores:
    """One measure of one system.

    Attributes:
        label: what tables call the measure.
        signature: how the values came about.
        values: `[Q]`, NaN where there is none.
        kind: what the values are.
        better: which end of the scale is better.
        paired: whether a difference of two means is the mean of differences: not of counts and geometric means.
        known: whether the measure is one that is known here; of others nobody knows which end is better.
        usual: whether it is compared unasked: it is paired, and not about the judgements.

    """

    label: str
    signature: str
    values: Floats
    kind: Kind
    better: Better
    paired: bool = True
    known: bool = True
    usual: bool = True

    @property
    def measure(self) -> str:
        """The canonical name of the measure."""
        return Signature.parse(self.signature).measure


@dataclass(frozen=True)
class System:
    """What is known of one system.

    Attributes:
        name: what tables call it.
        queries: the ids of its queries, in the order of their bytes.
        scores: by measure.
        judged: the queries that were to be answered; None where nobody knows.
        answered: how many of them it answers.
        origin: the file that its values come from; empty where they were measured just now.
        joined: how several runs of the system became one: `folds` or `seeds`, and how many there were.
        answering: the queries that the run answers; None where nobody knows.
        notices: what an evaluation said of it, slug and text.
        kinds: whether ids of queries came as integers.

    """

    name: str
    queries: tuple[str, ...]
    scores: Mapping[str, Scores]
    judged: frozenset[str] | None = None
    answered: int | None = None
    origin: str = ""
    joined: tuple[str, int] | None = None
    answering: frozenset[str] | None = None
    notices: tuple[tuple[str, str], ...] = ()
    kinds: IdKinds = field(default_factory=IdKinds, compare=False, repr=False)

    def only(self, queries: Sequence[str]) -> "System":
        """The system with some of its queries, in their order."""
        at = {query: place for place, query in enumerate(self.queries)}
        rows = np.array([at[query] for query in queries], dtype=np.int64)
        scores = {label: replace(one, values=one.values[rows]) for label, one in self.scores.items()}
        return replace(self, queries=tuple(queries), scores=scores)


def paired(systems: Sequence[System]) -> list[str]:
    """The measures that all systems have and whose differences add up, in the order of the first system."""
    first, *others = systems
    return [name for name, one in first.scores.items() if one.paired and all(name in each.scores for each in others)]


def shared(systems: Sequence[System]) -> list[str]:
    """The measures that are compared where nobody says which: the usual ones that all systems have, in order."""
    if not systems:
        return []
    common = paired(systems)
    return [name for name in common if systems[0].scores[name].usual] or common


def kept_measures(results: Sequence[Result]) -> list[str]:
    """The measures of results files that are compared where nobody says which."""
    return shared([of_result(one.run, one) for one in results])


def of_values(name: str, values: Values) -> System:
    """A system out of an evaluation."""
    per_query, there, scores, counted = values.per_query, values.per_query.there, {}, {}
    columns = behind(values).columns
    for place, (label, quantity) in enumerate(zip(per_query.measures, values.measures, strict=True)):
        known = per_query.array[:, place]
        if there is not None:
            known = np.where(there[:, place], known, np.nan)
        if place < len(columns):
            column = columns[place]
            counted[label] = _counted(column)
            known = np.nan_to_num(known) if column.settings.nan == "zero" else known
            if column.settings.divisor == "run" and column.way == "mean":
                known = np.where([query in counted[label] for query in per_query.ids], known, np.nan)
        scores[label] = _scores(label, quantity, values.signatures[label], known, per_query.kinds[label])
    standing = columns[0].standing if columns else None
    found = System(
        name,
        tuple(per_query.ids),
        scores,
        judged=_queries(values.judgements),
        answered=values.counts.judged - values.counts.unanswered,
        answering=None if standing is None else frozenset(standing.of(standing.answered)),
        notices=tuple((notice.slug, notice.text) for notice in values.notices),
        kinds=per_query.id_kinds,
    )
    return _with_zeros(found, counted)


def of_result(name: str, result: Result) -> System:
    """A system out of a results file."""
    scores, counted = {}, {}
    judged = _queries(result.judgements)
    for one in result.columns:
        known = one.values if one.there is None else np.where(one.there, one.values, np.nan)
        settings = Signature.parse(one.signature).settings
        if settings.get("nan") == "zero":
            known = np.nan_to_num(known)
        if judged and (settings.get("missing") == "absent" or settings.get("divisor") == "judged"):
            counted[one.label] = judged
        scores[one.label] = _scores(one.label, one.quantity, one.signature, known, one.kind)
    counts = result.counts
    answered = counts["judged"] - counts["unanswered"] if {"judged", "unanswered"} <= {*counts} else None
    notices = (*result.notices, *([("older-results", result.doubt)] if result.doubt else []))
    found = System(name, result.queries, scores, judged, answered, result.origin, notices=notices)
    return _with_zeros(found, counted)


def _counted(column: Column) -> frozenset[str]:
    """The queries that count 0 in a mean where they have no value."""
    rows, standing = column.rows, column.standing
    divided = () if rows.divided is None or column.way != "mean" else (*standing.of(rows.divided), *rows.others)
    return frozenset((*standing.of(rows.missing), *divided))


def _with_zeros(system: System, counted: Mapping[str, Iterable[str]]) -> System:
    """The system with 0 where a query has no value and counts in the mean."""
    every = set(system.queries).union(*counted.values())
    if all(not queries for queries in counted.values()):
        return system
    order = sorted(every)
    rows = np.searchsorted(np.array(order, dtype=object), np.array(system.queries, dtype=object))
    scores = {}
    for label, one in system.scores.items():
        values = np.full(len(order), np.nan)
        values[rows] = one.values
        zero = np.array([query in counted.get(label, ()) for query in order], dtype=bool)
        scores[label] = replace(one, values=np.where(zero & np.isnan(values), 0.0, values))
    return replace(system, queries=tuple(order), scores=scores)


def _scores(label: str, quantity: object, signature: str, values: Floats, kind: Kind) -> Scores:
    """One measure of a system; what is counted, and geometric means, are kept apart."""
    better: Better = quantity.definition.better if isinstance(quantity, Measure) else "higher"
    paired = is_paired(quantity)
    usual = paired and not (isinstance(quantity, Measure) and quantity.definition.name in _COVERAGE)
    return Scores(label, signature, values, kind, better, paired, known=quantity is not None, usual=usual)


def is_paired(quantity: object) -> bool:
    """Whether a difference of means is the mean of differences: not of counts, texts and geometric means."""
    return not isinstance(quantity, Fact | TextFact) and getattr(quantity, "averaging", "mean") == "mean"


def _queries(judgements: Qrels | Digest | None) -> frozenset[str] | None:
    return None if judgements is None else frozenset(judgements.queries)


def joined(several: Sequence[System], measures: Sequence[str]) -> System:
    """Several runs of one system as one: folds joined, seeds averaged for each query first.

    Args:
        several: the runs.
        measures: what they are compared by; all that they share where nobody said.

    Raises:
        UsageError: `not-comparable` where their queries are neither the same nor altogether different, or where they
            were not measured alike.

    """
    first, *others = several
    if not others:
        return first
    shared = [label for label in measures or first.scores if all(label in one.scores for one in several)]
    refuse_differences(several, [label for label in shared if first.scores[label].paired])
    answering = [set(one.queries) if one.answering is None else {*one.answering} & {*one.queries} for one in several]
    every = set().union(*answering)
    if sum(map(len, answering)) == len(every) > max(map(len, answering)):
        return _folds(several, answering, shared)
    odd = next((one for one in others if one.queries != first.queries), None)
    if odd is not None:
        counts = f"{len(first.queries):,} and {len(odd.queries):,}"
        text = f"{first.name}: its runs share some queries, not all ({counts}): they are neither folds nor repetitions"
        raise UsageError(
            "not-comparable", text, remedy="give runs for the same queries, or for altogether different ones"
        )
    answered = [one.answered for one in several if one.answering is None and one.answered is not None]
    if len(answered) == len(several) and max(answered) < len(first.queries) and sum(answered) <= len(first.queries):
        text = f"{first.name}: its stored values do not tell which queries are those of which fold"
        remedy = (
            "give the runs, or values of the answered queries alone: evaluate with --answered-only (missing='skip')"
        )
        raise UsageError("not-comparable", text, remedy=remedy)
    scores = {
        label: replace(
            first.scores[label], values=np.mean([one.scores[label].values for one in several], axis=0, dtype=float)
        )
        for label in shared
    }
    return replace(_both(several), scores=scores, joined=("seeds", len(several)))


def _folds(several: Sequence[System], answering: Sequence[AbstractSet[str]], measures: Sequence[str]) -> System:
    """Folds as one system: each query has the value of the run that answers it; others are worth what nothing is."""
    at = [{query: row for row, query in enumerate(one.queries)} for one in several]
    owners = {query: place for place, queries in reversed([*enumerate(at)]) for query in queries}
    owners |= {query: place for place, queries in enumerate(answering) for query in queries}
    every = sorted(owners)
    scores = {}
    for label in measures:
        values = [several[owners[query]].scores[label].values[at[owners[query]][query]] for query in every]
        scores[label] = replace(several[0].scores[label], values=np.array(values))
    answered = sum(map(len, answering))
    whole = _both(several)
    return replace(whole, queries=tuple(every), scores=scores, answered=answered, joined=("folds", len(several)))


def _both(several: Sequence[System]) -> System:
    """What is said of several runs together."""
    first = several[0]
    judged = [one.judged for one in several]
    return replace(
        first,
        judged=None if None in judged else frozenset().union(*(one for one in judged if one is not None)),
        answered=None if any(one.answered is None for one in several) else min(one.answered or 0 for one in several),
        answering=None,
        notices=tuple(dict.fromkeys(notice for one in several for notice in one.notices)),
    )


def refuse_differences(systems: Sequence[System], measures: Sequence[str]) -> None:
    """Refuse values that were not made alike, but for their queries.

    Raises:
        UsageError: `not-comparable`, `not-measured`.

    """
    for system in systems:
        if absent := [name for name in measures if name not in system.scores]:
            have = quoted(system.scores)
            raise UsageError("not-measured", f"{system.name} was not measured by {quoted(absent)}; there are {have}")
    base, *others = systems
    problems = [
        f"{name} of {base.name} and {system.name}: {told}"
        for system in others
        for name in measures
        for told in not_alike(base.scores[name].signature, system.scores[name].signature)
    ]
    if problems:
        raise UsageError(
            "not-comparable",
            *dict.fromkeys(problems),
            remedy="measure all of them with one profile and the same settings",
        )


def not_alike(one: str, other: str) -> list[str]:
    """What differs in how two values of one query came about, by their signatures."""
    return values_signature(one).differences(values_signature(other))


@lru_cache
def values_signature(line: str) -> Signature:
    """What a signature says of the values of single queries: not which they are, and not how they are averaged."""
    told = Signature.parse(line)
    settings = {name: value for name, value in told.settings.items() if name not in _MEANS}
    return replace(told, settings=settings, queries="0-")

"""Values of one run, from an evaluation or from a results file, as a comparison looks at them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from rankworth.columns import Column
from rankworth.comparison.boards import Better, Floats, Scores, System
from rankworth.errors import MeasureError
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Digest, Qrels
from rankworth.names import parse
from rankworth.profiles import Signature
from rankworth.results import Result
from rankworth.sheet import Kind
from rankworth.values import Values, behind

_COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, which are kept beside others and compared where they are asked for"""


def shared(systems: Sequence[System]) -> list[str]:
    """The measures that are compared where nobody says which: the usual ones that all systems have, in order."""
    if not systems:
        return []
    first, *others = systems
    common = [name for name, one in first.scores.items() if one.paired and all(name in each.scores for each in others)]
    return [name for name in common if first.scores[name].usual] or common


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
        scores[one.label] = _scores(one.label, _parsed(one.measure), one.signature, known, one.kind)
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
    """The same with 0 where a query has no value and counts in the mean."""
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


def _parsed(measure: str) -> object:
    """A measure by its name; None where it was defined by a plugin that is not loaded."""
    try:
        return parse(measure)
    except MeasureError:
        return None


def _queries(judgements: Qrels | Digest | None) -> frozenset[str] | None:
    return None if judgements is None else frozenset(judgements.queries)

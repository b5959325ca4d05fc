"""What evaluations say: profiles side by side, trec_eval's lines, and records for programs and the files they keep."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rankworth import names
from rankworth.errors import RankworthError
from rankworth.evaluation import results_file
from rankworth.evaluation.intervals import Interval
from rankworth.evaluation.summary import DEFECT, SEED, Intervals
from rankworth.evaluation.values import RunValues, Values, behind
from rankworth.measures import FACTS, Fact, TextFact
from rankworth.measures.facts import RUNID
from rankworth.stats import RESAMPLES
from rankworth.tables.columns import Column, Sheet

BESIDE: Final = "rankworth.profiles/1"
"""the schema of `record_beside`"""

Beside = Mapping[str, Mapping[str, Values | RankworthError]]
"""`{run: {profile: values}}`."""


def beside(found: Beside, measures: Sequence[str]) -> Sheet:
    """One row per run and profile, one column per measure as it was asked for; what refuses is said below.

    Args:
        found: the values by run and profile.
        measures: the measures, as they were asked for.

    Raises:
        RankworthError: where every profile refuses.

    """
    rows = [(run, name, values) for run, some in found.items() for name, values in some.items()]
    if all(isinstance(values, RankworthError) for _, _, values in rows):
        raise RankworthError.together([values for _, _, values in rows if isinstance(values, RankworthError)])
    columns = [Column("run", "text", [run for run, _, _ in rows])] if len(found) > 1 else []
    columns.append(Column("profile", "text", [name for _, name, _ in rows]))
    for measure in measures:
        numbers = [_one(values, measure) for _, _, values in rows]
        columns.append(Column(str(measure), "value", numbers))
    refusals: dict[str, list[str]] = {}
    for _, name, values in rows:
        if isinstance(values, RankworthError):
            refusals.setdefault(values.problems[0], []).append(name)
    notes = [f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in refusals.items()]
    return Sheet(tuple(columns), (*notes, "counts and signatures of each: -f json"), defects=tuple(defects(found)))


def record_beside(found: Beside, measures: Sequence[str]) -> dict[str, Any]:
    """The same as nested data, in full precision.

    Args:
        found: the values by run and profile.
        measures: the measures, as they were asked for.

    """
    runs = []
    for run, some in found.items():
        profiles: list[dict[str, Any]] = []
        for name, values in some.items():
            if isinstance(values, RankworthError):
                profiles.append({"profile": name, "refused": list(values.problems)})
            else:
                means = {str(measure): _finite(_one(values, measure)) for measure in measures}
                warnings = [notice._asdict() for notice in values.notices]
                told = {
                    "signatures": values.signatures,
                    "queries": values.counts.numbers | values.counts.queries,
                    "warnings": warnings,
                }
                profiles.append({"profile": name, "mean": means} | told)
        runs.append({"name": run, "profiles": profiles})
    return {"schema": BESIDE, "measures": list(map(str, measures)), "runs": runs}


def defects(found: Beside) -> list[str]:
    """What is wrong with the numbers of some profiles."""
    return _noticed(found, lambda slug: slug == DEFECT)


def warnings(found: Beside) -> list[str]:
    """What else deserves a second look, once for all profiles of which it is said; defects stand in sheets."""
    return _noticed(found, lambda slug: slug != DEFECT)


def _noticed(found: Beside, of: Callable[[str], bool]) -> list[str]:
    """Notices of some slugs, each with the profiles that it is about."""
    texts: dict[str, list[str]] = {}
    for some in found.values():
        for name, values in some.items():
            for notice in () if isinstance(values, RankworthError) else values.notices:
                if of(notice.slug):
                    texts.setdefault(f"{notice.text}   [{notice.slug}]", []).append(name)
    return [f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in texts.items()]


def _one(values: Values | RankworthError, measure: str) -> float:
    """The number of a measure; NaN where a profile refuses."""
    return math.nan if isinstance(values, RankworthError) else values[measure]


def trec_lines(
    table: RunValues,
    *,
    rel: float | None = None,
    written: Mapping[names.Quantity, str] | None = None,
    complete: bool = False,
    with_queries: bool = False,
) -> Sheet:
    """What trec_eval prints: a row for each measure of each query and of all together, under trec_eval's names.

    Args:
        table: the values of the runs, one after the other.
        rel: the level of relevance that the measures were given; trec_eval does not print it.
        written: names that are printed as they were typed.
        complete: whether trec_eval would be called with `-c`; it then prints another sum as `num_rel`.
        with_queries: whether the values of each query come first.

    """
    rows: list[tuple[str, str, str]] = []
    for values in table.values():
        order = _trec_order(values, rel, written or {})
        facts = (one for one in values.asked if isinstance(one, TextFact) and one != RUNID)
        texts_of: dict[names.Quantity, list[str]] = dict(zip(facts, values.per_query.texts.values(), strict=True))
        if with_queries:
            per_query = values.per_query
            columns = dict(zip(values.measures, per_query.array.T.tolist(), strict=True))
            of_each = {one: columns[one] for one in order if one in columns}
            of_each |= texts_of
            shown = [(label, one, of_each[one]) for one, label in order.items() if _of_one_query(one)]
            rows += [
                (label, query, _trec_value(one, column[place]))
                for place, query in enumerate(per_query.ids)
                for label, one, column in shown
            ]
        rows += [
            (label, "all", _trec_summary(values, one, complete=complete))
            for one, label in order.items()
            if one not in texts_of
        ]
    labels, queries, texts = zip(*rows, strict=True) if rows else ((), (), ())
    return Sheet((Column("measure", "text", labels), Column("query", "text", queries), Column("value", "text", texts)))


def _trec_order(values: Values, rel: float | None, written: Mapping[names.Quantity, str]) -> dict[names.Quantity, str]:
    """Measures with trec_eval's names in trec_eval's order; what it does not have comes last, under our names."""
    known = {one: names.trec_name(one, rel) for one in values.asked}
    beyond = len(values.asked) + len(known)
    labels = {one.quantity: "".join(one.label.split()) for one in behind(values).plan}
    order = {one: (known[one] or (10**6, ""))[0] for one in values.asked}
    ranked = sorted(values.asked, key=lambda one: (order[one], _cutoff_of(one) if known[one] else 0.0))
    return {one: written.get(one) or (known[one] or (beyond, labels.get(one, str(one))))[1] for one in ranked}


def _cutoff_of(one: names.Quantity) -> float:
    """What trec_eval sorts the measures of one name by."""
    return float(one.parameters[one.definition.at] if one.definition.at else one.cutoff or 0)


def _of_one_query(one: names.Quantity) -> bool:
    """Whether trec_eval prints it for every query."""
    return one.averaging != "gmean" and one not in (RUNID, FACTS["NumQ"])


def _trec_value(one: names.Quantity, value: Any) -> str:  # noqa: ANN401 - number or text
    if isinstance(one, TextFact):
        return f"'{value}'"
    return f"{value:.0f}" if isinstance(one, Fact) else f"{value:6.4f}"


def _trec_summary(values: Values, one: names.Quantity, *, complete: bool) -> str:
    if one == RUNID:
        return values.tag.partition(" ")[0]
    if one.name == "NumRel" and complete:
        return f"{behind(values).graded}"  # trec_eval counts grades above 0 here, whatever the level of relevance
    return _trec_value(one, values[one])


def record(table: RunValues, bounds: Intervals | None = None, *, with_queries: bool = False) -> dict[str, Any]:
    """The same as nested data, in full precision, with None for what is undefined.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        with_queries: whether the value of each query is in it, and what the judgements were.

    """
    kept = table.kept(digest=with_queries)
    if not bounds:
        return results_file.record(kept, with_queries=with_queries)
    first, level = next(iter(table.values())), next(iter(next(iter(bounds.values())).values())).level
    told = results_file.record(
        kept,
        with_queries=with_queries,
        interval={"method": first.method, "resamples": RESAMPLES, "seed": SEED},
        bounds=[_told(bounds[name]) for name in table],
    )
    for run, values in zip(told["runs"], table.values(), strict=True):
        for name, part in values.slices.items():
            run["groups"][name]["interval"] = _told(part.interval(level=level, seed=SEED))
    return told


def _told(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by measure."""
    return {measure: _ends(interval) for measure, interval in intervals.items()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _ends(interval: Interval) -> dict[str, float | None]:
    return {"low": _finite(interval.low), "high": _finite(interval.high), "level": interval.level}

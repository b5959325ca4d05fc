"""What evaluations say: profiles side by side, trec_eval's lines, and records for programs and the files they keep."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rankworth import names
from rankworth.errors import RankworthError
from rankworth.measures import FACTS, Fact, TextFact
from rankworth.measures.facts import RUNID
from rankworth.sheet import Column, Sheet
from rankworth.statistics import RESAMPLES
from rankworth.values import DEFECT, SEED, Interval, Intervals, RunValues, Values

SCHEMA: Final = 1


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
                told = {"signatures": values.signatures, "queries": values.counts._asdict(), "warnings": warnings}
                profiles.append({"profile": name, "mean": means} | told)
        runs.append({"name": run, "profiles": profiles})
    return {"schema": SCHEMA, "measures": list(map(str, measures)), "runs": runs}


def defects(found: Beside) -> list[str]:
    """What is wrong with the numbers of some profiles."""
    texts: dict[str, list[str]] = {}
    for some in found.values():
        for name, values in some.items():
            for notice in () if isinstance(values, RankworthError) else values.notices:
                if notice.slug == DEFECT:
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
        if with_queries:
            per_query = values.per_query
            columns = dict(zip(values.measures, per_query.array.T.tolist(), strict=True))
            of_each = {one: columns[one] for one in order if one in columns}
            of_each |= {one: per_query.texts[str(one)] for one in order if str(one) in per_query.texts}
            shown = [(label, one, of_each[one]) for one, label in order.items() if _of_one_query(one)]
            rows += [
                (label, query, _trec_value(one, column[place]))
                for place, query in enumerate(per_query.queries)
                for label, one, column in shown
            ]
        rows += [
            (label, "all", _trec_summary(values, one, complete=complete))
            for one, label in order.items()
            if str(one) not in values.per_query.texts
        ]
    labels, queries, texts = zip(*rows, strict=True) if rows else ((), (), ())
    return Sheet((Column("measure", "text", labels), Column("query", "text", queries), Column("value", "text", texts)))


def _trec_order(values: Values, rel: float | None, written: Mapping[names.Quantity, str]) -> dict[names.Quantity, str]:
    """Measures with trec_eval's names in trec_eval's order; what it does not have comes last, under our names."""
    known = {one: names.trec_name(one, rel) for one in values.asked}
    beyond = len(values.asked) + len(known)
    labels = {one.quantity: "".join(one.label.split()) for one in values.plan}
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
        return f"{values.graded}"  # trec_eval counts grades above 0 here, whatever the level of relevance
    return _trec_value(one, values[one])


def record(table: RunValues, bounds: Intervals | None = None, *, with_queries: bool = False) -> dict[str, Any]:
    """The same as nested data, in full precision, with None for what is undefined.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        with_queries: whether the value of each query is in it.

    """
    first = next(iter(table.values()))
    described: dict[str, Any] = {
        "schema": SCHEMA,
        "signature": table.signature,
        "profile": first.profile.name,
        "measures": list(first.per_query.measures),
    }
    if bounds:
        described["interval"] = {"method": "BCa bootstrap over queries", "resamples": RESAMPLES, "seed": SEED}
    described["runs"] = []
    for name, values in table.items():
        run: dict[str, Any] = {"name": name, "queries": values.counts._asdict()}
        if RUNID in values.asked:
            run[RUNID.name] = values.tag
        if values.signature != table.signature:
            run["signature"] = values.signature
        run["signatures"] = values.signatures
        run["mean"] = {measure: _finite(value) for measure, value in values.mean().items()}
        if bounds:
            run["interval"] = {measure: _ends(interval) for measure, interval in bounds[name].items()}
        run["warnings"] = [notice._asdict() for notice in values.notices]
        if with_queries:
            texts = values.per_query.texts
            run["per_query"] = {
                query: {measure: _finite(value) for measure, value in row.items()}
                | {name: column[place] for name, column in texts.items()}
                for place, (query, row) in enumerate(values.per_query.to_dict().items())
            }
        described["runs"].append(run)
    return described


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _ends(interval: Interval) -> dict[str, float | None]:
    return {"low": _finite(interval.low), "high": _finite(interval.high), "level": interval.level}

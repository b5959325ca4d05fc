"""What evaluations say: profiles side by side, trec_eval's lines, and records for programs and the files they keep."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from rankworth.tables.columns import Column, Sheet, defined

BESIDE: Final = "rankworth.profiles/1"
"""the schema of `record_beside`"""

_BEYOND: Final = 10**6
"""the place of measures that trec_eval does not have"""

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
    refused = [(name, values) for _, name, values in rows if isinstance(values, RankworthError)]
    if len(refused) == len(rows):
        raise RankworthError.together([error for _, error in refused])
    columns = [Column("run", "text", [run for run, _, _ in rows])] if len(found) > 1 else []
    columns.append(Column("profile", "text", [name for _, name, _ in rows]))
    for measure in measures:
        numbers = [math.nan if isinstance(values, RankworthError) else values[measure] for _, _, values in rows]
        columns.append(Column(str(measure), "value", numbers))
    notes = _with_profiles((error.problems[0], name) for name, error in refused)
    return Sheet(tuple(columns), (*notes, "counts and signatures of each: -f json"), defects=tuple(defects(found)))


def record_beside(found: Beside, measures: Sequence[str]) -> dict[str, Any]:
    """Values of profiles side by side as nested data, in full precision.

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
                continue
            profiles.append(
                {
                    "profile": name,
                    "mean": dict(zip(map(str, measures), defined([values[one] for one in measures]), strict=True)),
                    "signatures": values.signatures,
                    "queries": values.counts.numbers | values.counts.queries,
                    "warnings": [notice._asdict() for notice in values.notices],
                }
            )
        runs.append({"name": run, "profiles": profiles})
    return {"schema": BESIDE, "measures": list(map(str, measures)), "runs": runs}


def defects(found: Beside) -> list[str]:
    """What is wrong with the numbers of some profiles."""
    return _with_profiles((text, name) for slug, text, name in _notices(found) if slug == DEFECT)


def warnings(found: Beside) -> list[str]:
    """Other warnings, once for all profiles that they are about; defects stand in sheets."""
    return _with_profiles((text, name) for slug, text, name in _notices(found) if slug != DEFECT)


def _notices(found: Beside) -> Iterator[tuple[str, str, str]]:
    """Slug and text of each notice, and the profile that it is about."""
    for some in found.values():
        for name, values in some.items():
            for notice in () if isinstance(values, RankworthError) else values.notices:
                yield notice.slug, f"{notice.text}   [{notice.slug}]", name


def _with_profiles(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Each text once, with the names of its profiles."""
    profiles: dict[str, dict[str, None]] = {}
    for text, name in pairs:
        profiles.setdefault(text, {})[name] = None
    return [f"{', '.join(names)}: {text}" for text, names in profiles.items()]


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
            columns = dict(zip(values.measures, values.per_query.array.T.tolist(), strict=True)) | texts_of
            shown = [(label, one, columns[one]) for one, label in order.items() if _is_per_query(one)]
            rows += [
                (label, query, _trec_value(one, column[number]))
                for number, query in enumerate(values.per_query.ids)
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
    labels = {one.quantity: "".join(one.label.split()) for one in behind(values).plan}
    trec = {one: names.trec_name(one, rel) or (_BEYOND, labels.get(one, str(one))) for one in values.asked}

    def order_in_trec(one: names.Quantity) -> tuple[int, float]:
        at = one.parameters[one.definition.at] if one.definition.at else one.cutoff or 0
        return trec[one][0], 0.0 if trec[one][0] == _BEYOND else float(at)

    return {one: written.get(one) or trec[one][1] for one in sorted(values.asked, key=order_in_trec)}


def _is_per_query(one: names.Quantity) -> bool:
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
    """Values of runs as nested data, in full precision, with None for what is undefined.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        with_queries: whether the value of each query is in it, and what the judgements were.

    """
    kept = table.kept(digest=with_queries)
    if not bounds:
        return results_file.record(kept, with_queries=with_queries)
    first, level = next(iter(table.values())), next(iter(next(iter(bounds.values())).values())).level
    nested = results_file.record(
        kept,
        with_queries=with_queries,
        interval={"method": first.method, "resamples": RESAMPLES, "seed": SEED},
        bounds=[_ends(bounds[name]) for name in table],
    )
    for run, values in zip(nested["runs"], table.values(), strict=True):
        for name, part in values.slices.items():
            run["groups"][name]["interval"] = _ends(part.interval(level=level, seed=SEED))
    return nested


def _ends(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals by measure, None where there is no end."""
    names = ("low", "high", "level")
    return {
        measure: dict(zip(names, defined([getattr(one, name) for name in names]), strict=True))
        for measure, one in intervals.items()
    }

"""Tables of values, with the sentences below them: means, queries, profiles side by side, trec_eval's lines."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rankworth import names
from rankworth.errors import RankworthError, counted, quoted
from rankworth.groups import NONE
from rankworth.measures import FACTS, Fact, Measure, TextFact
from rankworth.measures.facts import RUNID
from rankworth.measures.parameters import relevant_grades
from rankworth.profiles import Profile
from rankworth.scoring.averaging import FATES
from rankworth.stats import RESAMPLES
from rankworth.stats.samples import FEW_QUERIES
from rankworth.tables.columns import Best, Column, Kind, Sheet, defined

if TYPE_CHECKING:
    from rankworth.results.values import RunValues, Values
    from rankworth.scoring.counts import Counts
    from rankworth.scoring.evaluator import Evaluation
    from rankworth.scoring.plans import Plan
    from rankworth.whatif.bounds import Bound

    Beside = Mapping[str, Mapping[str, Values | RankworthError]]
    """`{run: {profile: values}}`."""

LEVEL: Final = 0.95
"""the confidence level of intervals where nothing else is said"""
SEED: Final = 0
DEFECT: Final = "known-defect"
"""the slug of what is wrong with a tool's number, which every output of the number says"""
ALL: Final = "(all)"
"""what stands in place of a group beside the values of all queries"""
BESIDE: Final = "rankworth.profiles/1"
"""the schema of `record_beside`"""
_OF_JUDGEMENTS: Final = frozenset({"Judged", "Unjudged", "Hole"})
"""measures of how much of a ranking is judged, which no system wins by"""
LEAK: Final = "Leak"
"""the measure that is a share of queries, whose interval is exact"""
_BEYOND: Final = 10**6
"""the place of measures that trec_eval does not have"""
_SIGNS: Final[Mapping[str, str]] = {"@": "_at_", "(": "_", ")": "", "=": "_", ", ": "_"}
_PARTS: Final = re.compile(r", |[^A-Za-z0-9_.-]")


def counts_note(counts: "Counts", profile: Profile) -> str:
    """Say how many queries were scored, and the reasons of the others."""
    judging, averaging, data = profile.judging, profile.averaging, profile.data
    parts = [f"{counts.scored:,} of {counts.judged:,} judged queries scored"]
    if counts.unanswered:
        outcome = FATES[averaging.missing]
        parts.append(f"{counts.unanswered:,} without results{_named(counts.unanswered_queries)}, {outcome}")
    if counts.no_relevant:
        parts.append(f"{counts.no_relevant:,} without a relevant document{_named(counts.no_relevant_queries)}")
    if counts.ignored:
        outcome = "counted as rankings of unjudged documents" if averaging.extra == "zero" else "ignored"
        parts.append(f"{counted(counts.ignored)} of the run not judged{_named(counts.ignored_queries)}, {outcome}")
    repeated = "left out as duplicates"
    for documents, judgements, outcome in (
        (counts.excluded, counts.excluded_judgements, f"excluded ({data.exclude})"),
        (counts.duplicates_removed, 0, f"{repeated} (duplicates:{judging.duplicates})"),
        (0, counts.duplicate_judgements_removed, f"{repeated} (duplicate_judgements:{judging.duplicate_judgements})"),
    ):
        nouns = ((documents, "retrieved document"), (judgements, "judgement"))
        if which := [counted(count, noun, f"{noun}s") for count, noun in nouns if count]:
            parts.append(f"{' and '.join(which)} {outcome}")
    if data.weights is not None:
        parts.append(f"means weighted by {data.weights.called}")
    if data.macro is not None:
        parts.append(f"macro means by {data.macro.called}")
    return "; ".join(parts)


def _named(queries: tuple[Any, ...]) -> str:
    """Name the first few of the queries in brackets; empty without queries."""
    return f" ({quoted(list(map(str, queries)))})" if queries else ""


def in_columns(parts: Mapping[str, Any], kinds: Mapping[str, Kind]) -> tuple[Column, ...]:
    """Turn columns by name into those of a sheet, texts first.

    Args:
        parts: the columns: lists of texts, and arrays of numbers.
        kinds: what the columns of numbers are.

    """
    texts = [Column(name, "text", part) for name, part in parts.items() if name not in kinds]
    return (*texts, *(Column(name, kind, whole(parts[name].tolist(), kind)) for name, kind in kinds.items()))


def whole(values: list[float], kind: Kind) -> list[float]:
    """Return numbers of a kind; counts as whole numbers."""
    return [int(value) if value.is_integer() else value for value in values] if kind == "count" else values


def rows(table: "RunValues") -> "list[tuple[str, str, Values]]":
    """List each run and each of its groups, with the values."""
    rows = []
    for run, values in table.items():
        rows += [(run, ALL, values), *((run, group, part) for group, part in values.slices.items())]
    return rows


def columns_of_means(table: "RunValues") -> dict[str, list[Any]]:
    """Return a row for each run and group: `run`, where groups are shown `group` and `queries`, and each measure."""
    runs = rows(table)
    means = [values.mean() for _, _, values in runs]
    columns: dict[str, list[Any]] = {"run": [run for run, _, _ in runs]}
    if any(values.by is not None for _, _, values in runs):
        columns["group"] = [group for _, group, _ in runs]
        columns["queries"] = [values.counts.scored for _, _, values in runs]
    return columns | {name: [mean[name] for mean in means] for name in (means[0] if means else {})}


def means(table: "RunValues", level: float | None = None, *, texts_by: str = "--per-query") -> Sheet:
    """Make a table with a row per run and a column per measure, with intervals where they are wanted.

    Args:
        table: the values of the runs.
        level: the confidence level of intervals; None for none.
        texts_by: what a reader asks for to see texts, which have no mean.

    """
    first, every = next(iter(table.values())), rows(table)
    level = level if first.measures else None
    averages = [values.mean() for _, _, values in every]
    within = [] if level is None else [values.interval(level=level, seed=SEED) for _, _, values in every]
    columns = [Column("run", "text", [run for run, _, _ in every], under=_under(first))]
    if first.by is not None:
        columns.append(Column("group", "text", [group for _, group, _ in every]))
    if RUNID in first.asked:
        columns.append(Column(RUNID.name, "text", [values.tag for _, _, values in every]))
    if first.by is not None:
        columns.append(Column("queries", "count", [values.counts.scored for _, _, values in every]))
    for (name, kind), quantity in zip(first.per_query.kinds.items(), first.measures, strict=True):
        best = "" if kind == "count" or first.by is not None else best_end(quantity)
        ends = [(interval[name].low, interval[name].high) for interval in within]
        column = Column(name, kind, whole([mean[name] for mean in averages], kind), best, ends)
        bounds = [values.bounds[name] for _, _, values in every if values.bounds is not None]
        columns += _bounded(column, bounds) if bounds else [column]
    notes = [*_count_notes(table), *_leaks(table), *_relevance(first)]
    if first.by is not None:
        none = any(group == NONE for _, group, _ in every)
        notes.append(f"groups: {first.by.name}" + (f"; {NONE}: queries without one" if none else ""))
    notes += _sums(first)
    notes += _bounds_notes(table) if first.bounds is not None else []
    if level is not None:
        notes.append(f"{100 * level:g} % intervals of the means: {first.method}, {RESAMPLES:,} resamples, seed {SEED}")
        if first.counts.scored < FEW_QUERIES:
            notes.append(f"{counted(first.counts.scored)}: intervals of so few are too narrow, if anything")
    if first.per_query.texts:
        notes.append(f"{quoted(first.per_query.texts)}: a text for each query, which {texts_by} shows")
    comment = table.signature if level is None else f"{table.signature}|seed:{SEED}"
    return Sheet(tuple(columns), tuple(notes), comment, tuple(_defects(table)), has_infinite=True)


def best_end(quantity: object) -> Best:
    """Return the better end of a column of means; none for shares of judged documents."""
    if not isinstance(quantity, Measure):
        return "highest"
    if quantity.definition.name in _OF_JUDGEMENTS:
        return ""
    return "lowest" if quantity.definition.better == "lower" else "highest"


def per_query(table: "RunValues") -> Sheet:
    """Make a table with a row per run and query and a column per measure, with bounds where they are known."""
    ids = [query for values in table.values() for query in values.per_query.ids]
    first = next(iter(table.values()))
    columns = in_columns(table.per_query_columns() | {"query": ids}, first.per_query.kinds)
    with_bounds: list[Column] = []
    unbounded: Any = (math.nan,) * 3
    for column in columns:
        rows = []
        for values in table.values():
            if values.bounds is not None and column.name in values.bounds:
                by_query = values.bounds.per_query(column.name)
                rows += [by_query.get(query, unbounded) for query in values.per_query.queries]
        with_bounds += _bounded(replace(column, under=_under(first) if column.name == "query" else ""), rows)
    notes = (*_count_notes(table), *_bounds_notes(table))
    return Sheet(tuple(with_bounds), notes, table.signature, tuple(_defects(table)), has_infinite=True)


def _bounded(column: Column, bounds: "Sequence[Bound]") -> list[Column]:
    """Return columns with the bounds of values and with their expectations, as far as these are known."""
    low, expected, high = zip(*bounds, strict=True) if bounds else ((), (), ())
    if any(map(math.isfinite, low)):
        column = replace(column, bounds=list(zip(low, high, strict=True)))
    is_expected = any(map(math.isfinite, expected))
    return [column, *([Column(f"{column.name}.expected", column.kind, expected)] if is_expected else [])]


def _under(values: "Values") -> str:
    """Name the line with bounds in tables; empty where there are none."""
    return "" if values.bounds is None else f"{values.bounds.by}:"


def _bounds_notes(table: "RunValues") -> list[str]:
    """Say the assumptions of bounds and the measures without bounds, once for all runs."""
    all_bounds = [values.bounds for values in table.values() if values.bounds is not None]
    return list(dict.fromkeys(note for bounds in all_bounds for note in (bounds.assumption, *bounds.notes)))


def _count_notes(table: "RunValues") -> list[str]:
    """Say what was scored in a sentence for all runs, or in one for each group of runs with the same counts."""
    groups: dict[str, list[str]] = {}
    for name, values in table.items():
        groups.setdefault(counts_note(values.counts, values.profile), []).append(name)
    return list(groups) if len(groups) == 1 else [f"{', '.join(runs)}: {text}" for text, runs in groups.items()]


def _leaks(table: "RunValues") -> list[str]:
    """Say for how many queries something leaks, with an exact interval: a mean of 0 is no proof."""
    from rankworth.stats.proportions import described_share  # noqa: PLC0415 - SciPy

    notes = []
    for run, values in table.items():
        for label, measure in zip(values, values.measures, strict=True):
            if measure.name == LEAK and len(values.per_query):
                column = values.per_query.array[:, values.per_query.measures.index(label)]
                notes.append(f"{label} of {run or 'the run'}: {described_share(int((column > 0).sum()), column.size)}")
    return notes


def _relevance(values: "Values") -> list[str]:
    """Say the lowest relevant grade, if the names of measures do not."""
    raised: dict[float, list[str]] = {}
    for label, measure in zip(values, map(str, values.measures), strict=True):
        if (rel := names.raised(label, measure)) not in (None, values.profile.rel):
            raised.setdefault(rel, []).append(label)
    return [f"{quoted(labels)}: documents of {relevant_grades(rel)} are relevant" for rel, labels in raised.items()]


def _sums(values: "Values") -> list[str]:
    """Say which measures weights and groups do not change."""
    data = values.profile.data
    sums = [name for name, measure in zip(values, values.measures, strict=True) if measure.averaging == "sum"]
    if not sums or (data.weights is None and data.macro is None):
        return []
    return [f"{quoted(sums, 8)}: {'a sum' if len(sums) == 1 else 'sums'}, without weights and groups"]


def warnings(table: "RunValues") -> list[str]:
    """List warnings and their slugs, once if several runs share them; defects stand in sheets."""
    runs: dict[tuple[str, str], list[str]] = {}
    for name, values in table.items():
        for notice in (notice for notice in values.notices if notice.slug != DEFECT):
            text = notice.text.removeprefix(name) if notice.text.startswith(f"{name} ") else notice.text
            runs.setdefault((notice.slug, text), []).append(name)
    texts = []
    for (slug, text), (first, *other_runs) in runs.items():
        about_run = text.startswith(" ")
        same = f" (the same for {', '.join(other_runs)})" if about_run and other_runs else ""
        texts.append(f"{first if about_run else ''}{text}{same}   [{slug}]")
    return texts


def _defects(table: "RunValues") -> list[str]:
    """Say what is wrong with the numbers, once for all runs."""
    defects = (notice for values in table.values() for notice in values.notices if notice.slug == DEFECT)
    return list(dict.fromkeys(f"{notice.text}   [{notice.slug}]" for notice in defects))


def beside(values: "Beside", measures: Sequence[str]) -> Sheet:
    """Make a table with a row per run and profile and a column per measure as asked for; what refuses is said below.

    Args:
        values: by run and profile.
        measures: the measures, as they were asked for.

    Raises:
        RankworthError: where every profile refuses.

    """
    every = [(run, name, result) for run, profiles in values.items() for name, result in profiles.items()]
    refused = [(name, result) for _, name, result in every if isinstance(result, RankworthError)]
    if len(refused) == len(every):
        raise RankworthError.together([error for _, error in refused])
    columns = [Column("run", "text", [run for run, _, _ in every])] if len(values) > 1 else []
    columns.append(Column("profile", "text", [name for _, name, _ in every]))
    for measure in measures:
        numbers = [math.nan if isinstance(result, RankworthError) else result[measure] for _, _, result in every]
        columns.append(Column(str(measure), "value", numbers))
    notes = _with_profiles((error.problems[0], name) for name, error in refused)
    defects = _with_profiles((text, name) for slug, text, name in _notices(values) if slug == DEFECT)
    return Sheet(
        tuple(columns), (*notes, "counts and signatures of each: -f json"), defects=tuple(defects), has_infinite=True
    )


def record_beside(values: "Beside", measures: Sequence[str]) -> dict[str, Any]:
    """Return values of profiles side by side as nested data, in full precision.

    Args:
        values: by run and profile.
        measures: the measures, as they were asked for.

    """

    def of_profile(name: str, result: "Values | RankworthError") -> dict[str, Any]:
        if isinstance(result, RankworthError):
            return {"profile": name, "refused": list(result.problems)}
        return {
            "profile": name,
            "mean": dict(zip(map(str, measures), defined([result[measure] for measure in measures]), strict=True)),
            "signatures": result.signatures,
            "queries": result.counts.numbers | result.counts.queries,
            "warnings": [notice._asdict() for notice in result.notices],
        }

    runs = [
        {"name": run, "profiles": [of_profile(name, result) for name, result in profiles.items()]}
        for run, profiles in values.items()
    ]
    return {"schema": BESIDE, "measures": list(map(str, measures)), "runs": runs}


def warnings_beside(values: "Beside") -> list[str]:
    """List warnings once for all profiles concerned; defects stand in sheets."""
    return _with_profiles((text, name) for slug, text, name in _notices(values) if slug != DEFECT)


def _notices(values: "Beside") -> Iterator[tuple[str, str, str]]:
    """Yield slug and text of each notice, and the profile that it is about."""
    for profiles in values.values():
        for name, result in profiles.items():
            for notice in () if isinstance(result, RankworthError) else result.notices:
                yield notice.slug, f"{notice.text}   [{notice.slug}]", name


def _with_profiles(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return each text once, with the names of its profiles."""
    profiles: dict[str, dict[str, None]] = {}
    for text, name in pairs:
        profiles.setdefault(text, {})[name] = None
    return [f"{', '.join(names)}: {text}" for text, names in profiles.items()]


def trec_lines(
    table: "RunValues",
    *,
    rel: float | None = None,
    written: Mapping[names.Quantity, str] | None = None,
    complete: bool = False,
    with_queries: bool = False,
) -> Sheet:
    """Print what trec_eval prints: a row for each measure of each query and of all together, under trec_eval's names.

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
        facts = (quantity for quantity in values.asked if isinstance(quantity, TextFact) and quantity != RUNID)
        texts_of: dict[names.Quantity, list[str]] = dict(zip(facts, values.per_query.texts.values(), strict=True))
        if with_queries:
            columns = dict(zip(values.measures, values.per_query.array.T.tolist(), strict=True)) | texts_of
            shown = [(label, measure, columns[measure]) for measure, label in order.items() if _is_per_query(measure)]
            rows += [
                (label, query, _trec_value(quantity, column[number]))
                for number, query in enumerate(values.per_query.ids)
                for label, quantity, column in shown
            ]
        rows += [
            (label, "all", _trec_summary(values, quantity, complete=complete))
            for quantity, label in order.items()
            if quantity not in texts_of
        ]
    labels, queries, texts = zip(*rows, strict=True) if rows else ((), (), ())
    return Sheet((Column("measure", "text", labels), Column("query", "text", queries), Column("value", "text", texts)))


def _trec_order(
    values: "Values", rel: float | None, written: Mapping[names.Quantity, str]
) -> dict[names.Quantity, str]:
    """Order measures as trec_eval does, under its names; those that it does not have come last, under our names."""
    plan = values._details.plan  # noqa: SLF001 - no promise to users
    labels = {measure.quantity: "".join(measure.label.split()) for measure in plan}
    trec = {
        measure: names.trec_name(measure, rel) or (_BEYOND, labels.get(measure, str(measure)))
        for measure in values.asked
    }

    def order_in_trec(quantity: names.Quantity) -> tuple[int, float]:
        at = quantity.parameters[quantity.definition.at] if quantity.definition.at else quantity.cutoff or 0
        return trec[quantity][0], 0.0 if trec[quantity][0] == _BEYOND else float(at)

    return {measure: written.get(measure) or trec[measure][1] for measure in sorted(values.asked, key=order_in_trec)}


def _is_per_query(quantity: names.Quantity) -> bool:
    """Return whether trec_eval prints the quantity for every query."""
    return quantity.averaging != "gmean" and quantity not in (RUNID, FACTS["NumQ"])


def _trec_value(quantity: names.Quantity, value: Any) -> str:  # noqa: ANN401 - number or text
    if isinstance(quantity, TextFact):
        return f"'{value}'"
    return f"{value:.0f}" if isinstance(quantity, Fact) else f"{value:6.4f}"


def _trec_summary(values: "Values", quantity: names.Quantity, *, complete: bool) -> str:
    if quantity == RUNID:
        return values.tag.partition(" ")[0]
    if quantity.name == "NumRel" and complete:
        # trec_eval counts grades above 0 here, whatever the level of relevance
        return f"{values._details.graded}"  # noqa: SLF001 - no promise to users
    return _trec_value(quantity, values[quantity])


def log_name(measure: str) -> str:
    """Rewrite a measure's name for loggers: letters, digits, `_`, `-` and `.`; other signs as `_x` and their number.

    No two measures of the catalogue have one name.

    >>> log_name("nDCG@10"), log_name("P(rel=2)@5"), log_name("RBP(p=0.8)"), log_name("gmean(AP)")
    ('nDCG_at_10', 'P_rel_2_at_5', 'RBP_p_0.8', 'gmean_AP')
    """
    return _PARTS.sub(lambda part: _SIGNS.get(part[0], f"_x{ord(part[0][0]):X}_"), measure)


def log_dict(means: Mapping[str, float], queries: int, prefix: str = "") -> dict[str, float]:
    """Return means as a flat dict of plain floats; leave out undefined ones, which loggers refuse or hide.

    Args:
        means: by measure.
        queries: how many queries stand behind them.
        prefix: what all names begin with.

    >>> log_dict({"nDCG@10": 0.25, "AP": float("nan")}, 3, "eval/")
    {'eval/nDCG_at_10': 0.25, 'eval/queries': 3.0}
    """
    defined = {f"{prefix}{log_name(measure)}": float(mean) for measure, mean in means.items() if math.isfinite(mean)}
    return defined | {f"{prefix}queries": float(queries)}


def text_facts(evaluation: "Evaluation", plan: "Plan", queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the texts of queries by label, without the tag of the whole run."""
    texts: dict[str, list[str]] = {}
    for measure in plan.measures:
        if isinstance(measure.quantity, TextFact) and measure.quantity != RUNID:
            run = evaluation.measured_run(measure)
            by_query = dict(zip(run.standing.queries, run.values[measure.quantity].tolist(), strict=True))
            texts[measure.label] = [by_query.get(query, "") for query in queries]
    return texts

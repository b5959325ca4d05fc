"""The tables of means and of values per query, with the sentences below them: counts, groups, intervals, warnings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from rankworth import names
from rankworth.errors import counted, quoted
from rankworth.evaluation.aggregation import Mask, Standing
from rankworth.evaluation.intervals import Interval
from rankworth.evaluation.per_query import in_columns, whole_counts
from rankworth.groups import NONE
from rankworth.io.validate import IdKinds
from rankworth.measures import Fact, Measure
from rankworth.measures.facts import RUNID
from rankworth.profiles import Profile
from rankworth.stats import RESAMPLES
from rankworth.tables import columns as tables

if TYPE_CHECKING:
    from rankworth.evaluation.values import RunValues, Values

SEED: Final = 0
DEFECT: Final = "known-defect"
"""the slug of what is wrong with a tool's number, which every output of the number says"""
ALL: Final = "(all)"
"""what stands in place of a group beside the values of all queries"""


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
        shown = [(name, count) for place, (name, count) in enumerate(self.numbers.items()) if count or place < always]
        return f"Counts({', '.join(f'{name}={count}' for name, count in shown)})"


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
    sentences = []
    for documents, judgements, fate in parts:
        nouns = ((documents, "retrieved document"), (judgements, "judgement"))
        which = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in nouns if count]
        if which:
            sentences.append(f"{' and '.join(which)} {fate}")
    return sentences


Intervals = Mapping[str, Mapping[str, Interval]]
"""`{run: {measure: Interval}}`."""


def intervals(table: "RunValues", level: float) -> Intervals:
    """Confidence intervals of all means; nothing where texts were asked for alone."""
    if not next(iter(table.values())).measures:
        return {}
    return {name: values.interval(level=level, seed=SEED) for name, values in table.items()}


def means(table: "RunValues", bounds: Intervals | None = None, *, texts_by: str = "--per-query") -> tables.Sheet:
    """One row per run, one column per measure, with intervals where there are any.

    Args:
        table: the values of the runs.
        bounds: intervals of the means, if they are wanted.
        texts_by: what a reader asks for to see texts, which have no mean.

    """
    first = next(iter(table.values()))
    every = rows(table)
    averages = [values.mean() for _, _, values in every]
    columns = [tables.Column("run", "text", [run for run, _, _ in every])]
    if first.by is not None:
        columns.append(tables.Column("group", "text", [group for _, group, _ in every]))
    if RUNID in first.asked:
        columns.append(tables.Column(RUNID.name, "text", [values.tag for _, _, values in every]))
    if first.by is not None:
        columns.append(tables.Column("queries", "count", [values.counts.scored for _, _, values in every]))
    within = [values.interval(level=_level(bounds), seed=SEED) for _, _, values in every] if bounds else []
    for (name, kind), quantity in zip(first.per_query.kinds.items(), first.measures, strict=True):
        ends = [(one[name].low, one[name].high) for one in within]
        best: tables.Best = "lowest" if _less_is_better(quantity) else "highest"
        best = "" if kind == "count" or first.by is not None else best
        columns.append(tables.Column(name, kind, whole_counts([mean[name] for mean in averages], kind), best, ends))
    notes = [*_count_notes(table), *_relevance(first), *_grouped(every), *_sums(first)]
    notes += [_method(bounds, first)] if bounds else []
    if first.per_query.texts:
        notes.append(f"{quoted(first.per_query.texts)}: a text for each query, which {texts_by} shows")
    comment = f"{table.signature}|seed:{SEED}" if bounds else table.signature
    return tables.Sheet(tuple(columns), tuple(notes), comment, tuple(_defects(table)))


def _less_is_better(quantity: Measure | Fact) -> bool:
    return isinstance(quantity, Measure) and quantity.definition.better == "lower"


def per_query(table: "RunValues") -> tables.Sheet:
    """One row per run and query, one column per measure."""
    ids = [query for values in table.values() for query in values.per_query.ids]
    columns = in_columns(table.per_query_columns() | {"query": ids}, next(iter(table.values())).per_query.kinds)
    return tables.Sheet(columns, tuple(_count_notes(table)), table.signature, tuple(_defects(table)))


def warnings(table: "RunValues") -> list[str]:
    """What deserves a second look, with its slug, once where it holds for several runs; defects stand in sheets."""
    runs: dict[tuple[str, str], list[str]] = {}
    for name, values in table.items():
        for notice in (notice for notice in values.notices if notice.slug != DEFECT):
            runs.setdefault((notice.slug, notice.text.removeprefix(name)), []).append(name)
    texts = []
    for (slug, text), (first, *others) in runs.items():
        about_run = text.startswith(" ")
        same = f" (the same for {', '.join(others)})" if about_run and others else ""
        texts.append(f"{first if about_run else ''}{text}{same}   [{slug}]")
    return texts


def _defects(table: "RunValues") -> list[str]:
    """What is wrong with the numbers, once for all runs."""
    defects = (notice for values in table.values() for notice in values.notices if notice.slug == DEFECT)
    return list(dict.fromkeys(f"{notice.text}   [{notice.slug}]" for notice in defects))


def _count_notes(table: "RunValues") -> list[str]:
    """A sentence for all runs, or one for each group of runs with the same counts."""
    groups: dict[str, list[str]] = {}
    for name, values in table.items():
        groups.setdefault(in_words(values.counts, values.profile), []).append(name)
    if len(groups) == 1:
        return list(groups)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in groups.items()]


def _relevance(values: "Values") -> list[str]:
    """From which grade on documents are relevant, where the names of measures do not say it."""
    raised: dict[float, list[str]] = {}
    for label, measure in zip(values.per_query.measures, map(str, values.measures), strict=True):
        rel = names.raised(label, measure)
        if rel is not None and rel != values.profile.rel:
            raised.setdefault(rel, []).append(label)
    return [f"{quoted(labels)}: documents of grade {rel:g} or higher are relevant" for rel, labels in raised.items()]


def rows(table: "RunValues") -> "list[tuple[str, str, Values]]":
    """Each run and each of its groups, with the values."""
    rows = []
    for run, values in table.items():
        rows += [(run, ALL, values), *((run, group, part) for group, part in values.slices.items())]
    return rows


def _grouped(rows: "Sequence[tuple[str, str, Values]]") -> list[str]:
    """What groups are shown."""
    names = [values.by.name for _, _, values in rows if values.by is not None]
    none = any(group == NONE for _, group, _ in rows)
    return [f"groups: {names[0]}" + (f"; {NONE}: queries without one" if none else "")] if names else []


def _sums(values: "Values") -> list[str]:
    """What weights and groups do not change."""
    settings = values.profile.averaging
    pairs = zip(values.per_query.measures, values.measures, strict=True)
    sums = [name for name, one in pairs if one.averaging == "sum"]
    if not sums or (settings.weights is None and settings.macro is None):
        return []
    return [f"{quoted(sums, 8)}: {'a sum' if len(sums) == 1 else 'sums'}, without weights and groups"]


def _level(bounds: Intervals) -> float:
    return next(iter(next(iter(bounds.values())).values())).level


def _method(bounds: Intervals, values: "Values") -> str:
    return f"{100 * _level(bounds):g} % intervals of the means: {values.method}, {RESAMPLES:,} resamples, seed {SEED}"

"""Compare systems, on several collections too."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth import stats
from rankworth.comparison.bounds import bounds_of
from rankworth.comparison.decisions import differences, least_p
from rankworth.comparison.differences import (
    LEVEL,
    PAIRWISE,
    TEST_INTERVALS,
    Difference,
    Plan,
    detectable_text,
)
from rankworth.comparison.identical_runs import effect_needs
from rankworth.comparison.result import BETTER, MARKS, WORSE, Comparison, threshold, word_on
from rankworth.comparison.score_table import ScoreTable, side_by_side
from rankworth.comparison.scores import SystemScores, not_alike, shared
from rankworth.comparison.sources import systems_of
from rankworth.comparison.systems import SystemReader
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.evaluation import shares
from rankworth.groups import Slices
from rankworth.io import query_texts
from rankworth.io.validate import is_number
from rankworth.measures import Measure
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile
from rankworth.results.values import Values
from rankworth.scoring.diagnostics import separate_runs, uneven_depths, uneven_judgements
from rankworth.stats.samples import FEW_QUERIES
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown
from rankworth.whatif.bounds import Varied

if TYPE_CHECKING:
    from rankworth.io.source import Progress

MANY: Final = 100_000
FEW: Final = 10_000
"""random sign flips by default: many, and few beyond so many queries"""
_QUERIES: Final = 1_000
_LISTED: Final = 8
"""systems that a warning names"""
TAKEN_OVER: Final = (
    *("known-defect", "nothing-relevant", "all-relevant", "no-common-documents", "older-results"),
    *("nothing-excluded", "already-excluded", "partial-match"),
)
"""warnings of an evaluation, or of its file, that are true of a comparison, too"""


def compare(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    test: str = "randomization",
    correction: str | None = None,
    level: float = LEVEL,
    interval: str = TEST_INTERVALS,
    resamples: int | None = None,
    seed: int = 0,
    margin: float | Mapping[str, float] | None = None,
    effect: float | None = None,
    bounds: Varied | None = None,
    noise: Sequence[object] | None = None,
    table: object = None,
    by: object = None,
    weights: object = None,
    macro: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = STANDARD,
    accept_new_qrels: bool = False,
    progress: "Progress | None" = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`, two of which are named above
) -> Comparison:
    """Compare systems: whether they differ, by how much, and how sure that is.

    All values are compared query by query. A p value is that of a paired test, corrected for all comparisons that the
    result shows. The interval of a difference holds what this test does not reject, corrected as p is, and decides:
    a system is called better or worse where it leaves 0 out. Systems are equivalent where the interval at
    `2 level - 1`, not corrected, lies within `margin`; equal where no query differs by more than rounding. `too few`
    queries differ where even 2 / 2^n, the smallest p that n differences can have, is too large after correction; all
    else is unclear.

    Where systems have several runs of the same queries, `repeated` says whether a difference is within what identical
    runs do. With four runs or more (at a level of 0.95), intervals hold also what t over queries and runs does not
    reject, with both regarded as samples, and t over runs alone; no p is smaller than that of these tests.

    Args:
        qrels: judgements, as for `evaluate`; needless where all values were stored.
        runs: systems by name: runs as for `evaluate`, results files, `Values` and `Result`s in any mix; a list of such
            is several runs of one system: folds, whose queries differ, are joined, and seeds are averaged for each
            query. Or a list of files, or `RunValues`.
        measures: as for `evaluate`; where not said, nDCG@10, RR@10, AP and R@100, or those that all stored values have.
        baseline: the system that the others are compared with; the first one where not said.
        all_pairs: compare each with each instead.
        test: `randomization`, `t`, `wilcoxon`, `sign` or `bootstrap`; of several systems at once `tukey` or
            `randomized-tukey`, whose p values hold for all pairs of systems by one measure.
        correction: `holm`, `bonferroni`, `bh`, `by` or `none`; Holm's where not said, and none for Tukey's tests.
        level: of the intervals.
        interval: `test`, or `bca`, `percentile` or `t` for further intervals, which are estimates and do not decide.
        resamples: random sign flips and samples; 100,000, and 10,000 where there are more than 1,000 queries.
        seed: of the random numbers.
        margin: the difference that does not matter: one for all measures, or `{measure: margin}`.
        effect: the difference that one looks for; a warning says so where there are too few queries to find it.
        bounds: whether the sign of each mean difference holds, and how low and high it could be, over all orders of
            tied documents (`"ties"`) or all grades that unjudged documents could have (`"unjudged"`); for runs, not
            for results files.
        noise: runs of one unchanged system, such as the baseline: a system with a single run is taken to vary from run
            to run as these do, and as systems of `runs` do that have several.
        table: columns of the queries, as `rankworth.io.query_texts.queries` reads them.
        by: as for `evaluate`: the column by whose groups differences are told, too.
        weights: as for `evaluate`: what each query counts.
        macro: as for `evaluate`: the column whose groups count alike, however many queries they have.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        accept_new_qrels: compare with stored values although the judgements have changed since, over common queries.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`.

    Returns:
        A `Comparison`.

    Raises:
        InputError: as `evaluate`; `no-common-queries`; `changed-judgements`; `bad-results`.
        MeasureError: as `evaluate`; `measure-syntax` for what is counted, and for geometric means.
        UsageError: `not-comparable`, `not-measured`, `unknown-setting`, `conflicting-options`, `run-names`.

    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> old = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    >>> new = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> told = compare(qrels, {"old": old, "new": new}, ["RR"])
    >>> [one] = told.differences
    >>> one.difference, one.wins, one.p, one.word
    (0.5, 3, 0.25, 'too few')
    """
    table = None if table is None else query_texts.queries(table)
    is_grouped = any(column is not None for column in (by, weights, macro))
    slices = Slices.of(table if is_grouped else None, by=by, weights=weights, macro=macro)
    options = {"queries": queries, "rel": rel, "profile": profile, "progress": progress, **settings}
    options |= {"weights": slices.weights, "macro": slices.macro}
    reader = SystemReader(qrels, measures, accept_new_qrels=accept_new_qrels, **options)
    every = reader.read(systems_of(runs, noise))
    systems = [system for system in every if system.role == "compared"]
    further = next((system for system in every if system.role == "noise"), None)
    names = [system.name for system in systems]
    if len(systems) < 2:  # noqa: PLR2004 - a comparison takes two
        present = f"there is only {names[0]}" if names else "there is none"
        text = f"a comparison needs at least two systems; {present}"
        raise UsageError("conflicting-options", text, remedy=_systems_elsewhere(qrels, settings))
    if all_pairs and baseline is not None:
        raise UsageError("conflicting-options", "all pairs are compared, and a baseline is named; give one of the two")
    if baseline is not None and baseline not in names:
        raise UsageError("not-measured", f"the baseline is to be {baseline!r}, and the systems are {quoted(names)}")
    limits = [("margin", number) for number in (margin.values() if isinstance(margin, Mapping) else [margin])]
    for name, number in (("effect", effect), *limits):
        if number is not None and not (is_number(number) and 0 < number < math.inf):
            raise UsageError("unknown-setting", f"{name}={number!r}: it is a number above 0")
    systems.sort(key=lambda system: baseline is not None and system.name != baseline)
    if not (labels := reader.labels or shared([*systems, *([] if further is None else [further])])):
        have = "; ".join(f"{system.name}: {quoted(system.scores)}" for system in systems)
        raise UsageError("not-measured", f"the systems share no measure that can be compared: {have}")
    first_scores = systems[0].scores
    first_names: dict[str, str] = {}  # each measure under the first of its names, as p is corrected for each
    names_of = {
        label: first_names.setdefault(first_scores[label].signature if label in first_scores else label, label)
        for label in labels
    }
    scores = side_by_side(systems, list(first_names.values()), slices.by, further)
    if not isinstance(margin, Mapping):
        margin = {} if margin is None else dict.fromkeys(scores.measures, margin)
    if resamples is None:
        resamples = MANY if len(scores.queries) <= _QUERIES else FEW
    margins = {scores.label(name): float(number) for name, number in margin.items()}
    correction = correction or ("none" if test in PAIRWISE else "holm")
    plan = Plan(test, correction, level, interval, resamples, seed, margins)
    compared = [pair for pair in combinations(range(len(systems)), 2) if all_pairs or pair[0] == 0]
    rows, procedure = differences({"": scores}, compared, plan)
    aliases = [(label, name) for label, name in names_of.items() if label != name]
    repeated = [f"{label} is {name} by another name, and compared once" for label, name in aliases]
    needs = () if effect is None else effect_needs(scores, rows, effect, level)
    ends, sentences = ((), ()) if bounds is None else bounds_of(reader, scores, rows, bounds)
    return Comparison(
        scores,
        tuple(rows),
        plan,
        procedure,
        "" if all_pairs else scores.systems[0],
        (
            *_notes_on_systems(systems, scores),
            *repeated,
            *_notes(scores, rows),
            *_notes_on_shares(systems, scores, rows),
            *needs,
            *reader.notes,
            *sentences,
        ),
        tuple(_warnings(systems, scores, rows, plan, effect, reader.paths)),
        {column: tuple(differences(parts, compared, plan)[0]) for column, parts in scores.parts().items()},
        uneven=_uneven(systems, scores.measures, accepted=accept_new_qrels),
        texts={} if table is None else table.texts,
        bounds=ends,
    )


def _systems_elsewhere(qrels: object, settings: Mapping[str, object]) -> str:
    """Write how to name systems that stand among other arguments, or an empty text."""
    if "labels" in settings:
        return "rows are evaluated first: compare(runs={name: evaluate(labels=y, scores=s, group=g), ...})"
    parts = qrels.values() if isinstance(qrels, Mapping) and not isinstance(qrels, Values) else [qrels]
    return (
        "values are systems, not judgements: compare(runs={name: values, ...})"
        if any(isinstance(part, Values) for part in parts)
        else ""
    )


def _uneven(systems: Sequence[SystemScores], measures: Sequence[str], *, accepted: bool) -> dict[str, int]:
    """Say how many queries each system has values for; empty if all have them for the same queries.

    Args:
        systems: the systems.
        measures: what tables call the measures.
        accepted: whether judgements may have changed, so that queries that only some systems have judgements for are
            no fault of a system.

    """
    queries = set().union(*(system.queries for system in systems))
    if accepted:
        queries.intersection_update(*(system.judged or system.queries for system in systems))
    aligned = [system.only(sorted(queries)).scores for system in systems]
    has_value = [~np.isnan([scores[name].values for name in measures]) for scores in aligned]  # [M, Q] for each system
    if all((rows == has_value[0]).all() for rows in has_value):
        return {}
    return {
        system.name: int(np.count_nonzero(rows.all(axis=0))) for system, rows in zip(systems, has_value, strict=True)
    }


def _notes_on_systems(systems: Sequence[SystemScores], scores: ScoreTable) -> Iterator[str]:
    """Yield notes on queries left out, on joined runs, and on measures without a known better end."""
    size = len(scores.queries)
    if any(len(system.queries) != size for system in systems):
        counts = ", ".join(f"{system.name} {len(system.queries):,}" for system in systems)
        yield f"compared over the {counted(size)} that all have; there are {counts}"
    how = {"folds": "joined, as their queries differ", "seeds": "averaged for each query first"}
    for system in systems:
        if system.joined:
            kind, number = system.joined
            yield f"{system.name}: {number} {kind} {how[kind]}"
    for name in scores.measures:
        if any(system.scores[name].quantity is None for system in systems):
            yield f"{name} is no measure that is known here: higher values are taken for better ones"


def _notes(scores: ScoreTable, rows: Sequence[Difference]) -> Iterator[str]:
    """Yield notes on queries without a value, differences that are rounding, and differences without spread."""
    size = len(scores.queries)
    for name in scores.measures:
        least = min(row.queries for row in rows if row.measure == name)
        if least < size:
            yield f"{name}: {least:,} of {size:,} queries have a value by both systems of a pair"
    for row in rows:
        first, second = scores.pair(row.measure, row.first, row.second)
        text = f"{row.second} and {row.first} by {row.measure}:"
        if rounding := int(np.count_nonzero((first != second) & (stats.differences(first, second) == 0))):
            last = "last digits only, by rounding, and count as equal"
            yield f"{text} the values of {counted(rounding)} differ in their {last}"
        if row.queries > 1 and math.isinf(row.dz):
            fact = f"all {row.queries:,} queries differ by the same {row.difference:+.4f}"
            signs = f"{row.queries:,} equal signs, {float(least_p(row.queries)):.2g}"
            yield f"{text} {fact}; without spread d is infinite, and p is at least that of {signs}"


def _notes_on_shares(systems: Sequence[SystemScores], scores: ScoreTable, rows: Sequence[Difference]) -> Iterator[str]:
    """Yield how differences depend on the share of a gold span that a relevant piece holds.

    Of several pairs, those are told of which another system is better then.
    """
    means = {system.name: system.by_share for system in systems if len(system.queries) == len(scores.queries)}
    notes = 0
    for row in rows:
        measure = str(systems[0].scores[row.measure].quantity)
        first, second = (means.get(name, {}).get(measure) for name in (row.first, row.second))
        if first is None or second is None or notes == _LISTED:
            continue
        changes = [round(after - before, 4) + 0.0 for before, after in zip(first, second, strict=True)]
        changes_sides = min(changes) < 0 < max(changes)
        if changes_sides or (len({*changes}) > 1 and len({(row.first, row.second) for row in rows}) == 1):
            notes += 1
            listed = ", ".join(f"{change:+.4f}" for change in changes)
            end = "; which of them is better depends on it" if changes_sides else ""
            yield f"{row.second} - {row.first} by {row.measure}, {shares.TRIED} (--span-share): {listed}{end}"


def _warnings(
    systems: Sequence[SystemScores],
    scores: ScoreTable,
    rows: Sequence[Difference],
    plan: Plan,
    effect: float | None,
    paths: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield slug and text of each warning."""
    yield from uneven_judgements({system.name: system.unjudged for system in systems})
    lengths = {system.name: system.lengths for system in systems if system.lengths is not None}
    yield from uneven_depths(lengths, {name: systems[0].scores[name].quantity for name in scores.measures})
    answered = {run.name: run.answered for run in systems if run.answered is not None}
    if len(answered) == len(systems) and (separate := [*separate_runs(answered, paths)]):
        yield from separate
        return
    counts = {run.name: len({*run.queries} - run.answered) for run in systems if run.answered is not None}
    if len(set(counts.values())) > 1:
        listed = _listed([f"{name} for {counted(count)}" for name, count in counts.items() if count])
        text = f"no results: {listed}; by default they count as empty rankings"
        yield "many-unanswered", f"{text}, and --answered-only (missing='skip') leaves them out"
    tied = [(system.name, notice) for system in systems for notice in system.notices if notice[0] == "many-ties"]
    yield from dict.fromkeys(notice for _, notice in tied[:_LISTED])
    if more := dict.fromkeys(name for name, _ in tied[_LISTED:]):
        yield "many-ties", f"the tie-breaking rule decides on values of {_listed(list(more))}, too"
    yield from _few_queries(len(scores.queries), rows, plan, effect)
    yield from dict.fromkeys(notice for system in systems for notice in system.notices if notice[0] in TAKEN_OVER)


def _listed(parts: Sequence[str]) -> str:
    """Name the first few, and how many more there are."""
    more = len(parts) - _LISTED
    return ", ".join(parts) if more <= 0 else f"{', '.join(parts[:_LISTED])} and {more:,} more"


def _few_queries(size: int, rows: Sequence[Difference], plan: Plan, effect: float | None) -> Iterator[tuple[str, str]]:
    """Yield warnings of too few queries, for any test and for the effect that is looked for."""
    if size < FEW_QUERIES:
        smallest, why = float(least_p(size)), "a test has little power"
        method = stats.TESTS.get(plan.test)
        if method is not None and method.counts_signs and smallest > plan.alpha:
            why = f"p cannot be below {smallest:.4g}, however they differ"
        yield "few-queries", f"{counted(size)} {'is' if size == 1 else 'are'} few: {why}"
    if effect is not None and any(row.detectable > effect for row in rows):
        few = f"{counted(size)} {'is' if size == 1 else 'are'} too few for a difference of {effect:g}"
        yield "few-queries", f"{few}; {detectable_text(rows)}"


MACRO = "mean"
"""the column of the mean over collections"""


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """The means of systems on several collections, and their macro mean: each collection counts alike.

    Attributes:
        comparisons: by collection.
        systems: the systems that all collections have, the baseline first.
        measures: the measures that all have.

    """

    comparisons: Mapping[str, Comparison]
    systems: tuple[str, ...]
    measures: tuple[str, ...]

    def mean(self, system: str, measure: str) -> float:
        """Return the macro mean."""
        return math.fsum(result.means[system][measure] for result in self.comparisons.values()) / len(self.comparisons)

    def columns(self) -> dict[str, list[Any]]:
        """Return a row for each system, collection and measure: `system, collection, measure, mean, word`."""
        rows: list[tuple[Any, ...]] = []
        for system, measure in product(self.systems, self.measures):
            for collection, result in self.comparisons.items():
                word = word_on(result, measure, system)
                rows.append((system, collection, measure, result.means[system][measure], word))
            rows.append((system, MACRO, measure, self.mean(system, measure), ""))
        return by_name(("system", "collection", "measure", "mean", "word"), rows)

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return the columns as a frame.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)

    def sheets(self) -> list[Sheet]:
        """Return a row for each system, a column for each collection and measure, and each measure's macro mean."""
        columns = [Column("system", "text", list(self.systems))]
        first, *_ = self.comparisons.values()
        for measure in self.measures:
            kind, best = first.scores.kinds[measure], first.scores.best(measure)
            several = f" {measure}" if len(self.measures) > 1 else ""
            for collection, result in self.comparisons.items():
                means = [result.means[system][measure] for system in self.systems]
                marks = [MARKS.get(word_on(result, measure, system), "") for system in self.systems]
                columns.append(Column(f"{collection}{several}", kind, means, best, marks=marks, second=True))
            macro = [self.mean(system, measure) for system in self.systems]
            columns.append(Column(f"{MACRO}{several}", kind, macro, best, second=True))
        sizes = ", ".join(f"{name} {len(result.scores.queries):,}" for name, result in self.comparisons.items())
        marked = f"{BETTER} better, {WORSE} worse than {first.baseline}"
        legend = (f"{marked} ({threshold(first)}, in each collection for itself)",) if first.baseline else ()
        notes = (f"queries: {sizes}; in the mean each collection counts alike",)
        title = f"{self.measures[0]} on {len(self.comparisons)} collections" if len(self.measures) == 1 else ""
        comments = (line for result in self.comparisons.values() for line in result.signatures.values())
        return [Sheet(tuple(columns), notes, " ; ".join(comments), title=title, legend=legend)]


def table(comparisons: Mapping[str, Comparison], measures: Sequence[str] | None = None) -> Table:
    """Put comparisons of the same systems on several collections into one table.

    Args:
        comparisons: by collection.
        measures: the measures to show; those that all have where not said.

    Raises:
        UsageError: `not-comparable` where collections have other baselines, no system or measure in common, or were
            not measured and tested alike; `not-measured`; `conflicting-options` where there is no comparison.

    >>> from rankworth import compare
    >>> runs = {"old": {"q": ["b", "a"]}, "new": {"q": ["a", "b"]}}
    >>> one, two = (compare({"q": {document: 1}}, runs, ["RR"]) for document in "ab")
    >>> table({"A": one, "B": two}).mean("new", "RR")
    0.75
    """
    every = list(comparisons.values()) if isinstance(comparisons, Mapping) else [None]
    if not all(isinstance(result, Comparison) for result in every):
        raise InputError("input-type", "a table is made of comparisons by name: {'collection': compare(...)}")
    if not every:
        raise UsageError("conflicting-options", "there is no comparison")
    named = [[getattr(result, field) for result in every] for field in ("systems", "measures")]
    systems, common = (
        tuple(name for name in first if all(name in each for each in further)) for first, *further in named
    )
    if not (systems and common):
        raise UsageError("not-comparable", f"the collections share no {'measures' if systems else 'systems'}")
    shown = tuple(measures or common)
    if absent := [name for name in shown if name not in common]:
        raise UsageError("not-measured", f"{quoted(absent)} was not compared everywhere; {quoted(common)} was")
    (first, base), *further = comparisons.items()
    problems = []
    for collection, result in further:
        both = base.signatures, result.signatures
        differing = [f"{name}: {text}" for name in shown for text in not_alike(*(signed[name] for signed in both))]
        pairs = zip(_conditions(base).items(), _conditions(result).values(), strict=True)
        differing += [f"{field} is {value} and {other}" for (field, value), other in pairs if value != other]
        problems += [f"{first} and {collection}: {text}" for text in differing]
    if problems:
        raise UsageError("not-comparable", *problems, remedy="compare all collections in the same way")
    return Table(dict(comparisons), systems, shown)


def _conditions(result: Comparison) -> dict[str, object]:
    """Return what collections have to have in common to stand in one table."""
    plan = result.plan
    baseline = result.baseline or "none, as all pairs are compared"
    return {"the baseline": baseline, "test": plan.test, "correction": plan.correction, "level": plan.level}

"""What makes right values easy to misread: found after measuring, shown beside the values, and warned of."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Integers
from rankworth.errors import counted, quoted
from rankworth.evaluation import aggregation
from rankworth.evaluation.aggregation import Column
from rankworth.evaluation.values import Counts, Notice
from rankworth.judging import grades
from rankworth.judging.exclusion import SELF
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.overlap import alike_documents, alike_queries, no_common_documents
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import ResolvedMeasure
from rankworth.settings import STANDARD_AVERAGING, Averaging

if TYPE_CHECKING:
    from rankworth.evaluation.evaluator import Evaluator, MeasuredRun, Plan

_MANY_UNANSWERED: Final = 0.1
_LEAST: Final = 1e-300
_MOST: Final = 1e300
"""thresholds beyond which are no grades: they say that every grade above 0 is relevant, or every grade at all"""
_TOP: Final = 10
"""ranks of which most are judged, unless ids do not meet or few documents are judged"""
_SHOWN: Final = 3
"""how many measures a notice lists"""
_EXACT: Final = 2**53
"""from here on a floating-point number is not every integer"""
_MOVED: Final = 0.005
"""the share of a mean that the order of tied documents has to move for a notice"""
_MIRRORED: Final = {
    "id-descending": "id-ascending",
    "id-ascending": "id-descending",
    "given": "given-reversed",
    "given-reversed": "given",
}
"""the rule that orders tied documents the other way round"""
_COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, of which no ranking is better or worse"""


def diagnose(
    evaluator: "Evaluator",
    plan: "Plan",
    base: ResolvedMeasure,
    measured: Sequence[tuple[ResolvedMeasure, Column]],
    counts: Counts,
) -> Iterator[Notice]:
    """Find what deserves a second look.

    Args:
        evaluator: the run under all settings.
        plan: the measures.
        base: the measure that tells how many queries there are.
        measured: the measures that are numbers, with their values.
        counts: how many queries there are.

    """
    run, measures = evaluator.run, [one for one, _ in measured]
    whole, qrels, name = evaluator.measured_run(base), evaluator.qrels(base), run.name or "the run"
    if run.is_rowless:
        yield no_rows(name if len(qrels) else "", plan.profile.tool)
        return
    hits = whole.judgement.hits
    yield from _of_rules(measures, hits)
    runs = [evaluator.measured_run(one) for one in measures]
    for some in {id(one): one for one in runs}.values():
        pairs = [pair for pair, own in zip(measured, runs, strict=True) if own is some]
        yield from _ties(name, pairs, some, evaluator.qrels(pairs[0][0]))
    yield from _ids(qrels, run, hits, counts)
    exclude = base.judging.exclude
    if exclude is not None and str(exclude) != SELF and not counts.excluded and not counts.excluded_judgements:
        yield Notice(
            "nothing-excluded",
            f"exclude:{exclude} takes nothing out: none of its pairs is in the run or the judgements; are its ids "
            "those of the others?",
        )
    alike = [one for one, own in zip(measures, runs, strict=True) if own is whole]
    yield from _unanswered(name, alike, base.averaging, whole, counts)
    yield from _thresholds(alike, whole.settled)
    yield from _cutoffs(name, measures, whole)
    yield from _subtopics(qrels, plan.asked, hits)
    yield from blanks(qrels.blanks, qrels.blank)


def _of_rules(measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """What a profile has to say of its tool's numbers: that they are wrong, or that the tool leaves an order open."""
    ruled = [(one.label, one.rule) for one in measures if one.rule is not None]
    for label, rule in ruled:
        if rule.note:
            yield Notice("known-defect", f"{label}: {rule.note}")
        if rule.level and _is_level(hits):
            yield Notice("known-defect", f"{label}: {rule.level}")
    if ruled and ((hits.tie_last > hits.tie_first) & hits.known).any():
        for label, rule in ruled:
            if rule.unspecified:
                yield Notice("unspecified-order", f"{label}: {rule.unspecified}")


def _is_level(hits: JudgedRows) -> bool:
    """Whether relevant documents of one grade have equal scores, or some have scores of 0 and below."""
    relevant = hits.known & (hits.grade > 0)
    if hits.positive is not None and (relevant & ~hits.positive).any():
        return True
    rows = np.stack([hits.query[relevant], hits.tie_first[relevant], hits.grade[relevant]], axis=1)
    return len(np.unique(rows, axis=0)) < len(rows)


def _ties(
    name: str, asked: Sequence[tuple[ResolvedMeasure, Column]], run: "MeasuredRun", qrels: Qrels
) -> Iterator[Notice]:
    """Means that depend on the order of documents with equal scores.

    Args:
        name: what to call the run.
        asked: measures with equal settings, and their values.
        run: the run under these settings.
        qrels: the judgements.

    """
    settings, hits = asked[0][0].judging, run.judgement.hits
    spread = settings.duplicate_judgements in ("all", "spread")  # rows of one document share ranks
    if settings.ties not in _MIRRORED or spread or not ((hits.tie_last > hits.tie_first) & hits.known).any():
        return
    hits = hits.compact()
    columns: dict[Measure, tuple[str, Column]] = {
        one.quantity: (one.label, column)
        for one, column in asked
        if isinstance(one.quantity, Measure)
        and one.quantity.averaging != "sum"
        and one.quantity.name not in _COVERAGE
        and run.layouts[one.quantity] == "judged"
    }
    deepest = max((one.cutoff or hits.rank.size for one in columns), default=0)
    rows = np.flatnonzero((hits.tie_last > hits.tie_first) & (hits.tie_first <= deepest))
    if not rows.size:
        return
    yield from _rounded_scores(name, hits, rows)
    places = np.unique(hits.offsets.searchsorted(rows, side="right") - 1)
    ids, tied = [run.standing.queries[place] for place in places.tolist()], hits.of(places)
    judged = np.ones(len(ids), dtype=bool)

    def ordered(rank: Integers) -> "MeasuredRun":
        other = run.reranked(grades.settle(tied.ranked(rank), run.judging, ids), ids, judged, run.judging)
        other.measure(columns, qrels)
        return other

    best, worst = (ordered(_by_grade(tied, best=best)) for best in (True, False))
    moved: list[Measure] = []
    depends = np.zeros(places.size, dtype=bool)
    for one, (_, column) in columns.items():
        if one in best.failed or one in worst.failed:
            continue
        change = np.nan_to_num(np.abs(best.values[one] - worst.values[one])) * column.there[places]
        if change.sum() > _MOVED * abs(column.mean) * np.count_nonzero(column.there):
            moved.append(one)
            depends |= change > 0
    if not moved:
        return
    mirrored = ordered(tied.tie_first + tied.tie_last - tied.rank)
    rules = (f" with ties={settings.ties}", f" with ties={_MIRRORED[settings.ties]}")
    parts = []
    for one in moved[:_SHOWN]:
        label, column = columns[one]
        changed = (_mean(one, column, run, other, places) for other in (mirrored, worst, best))
        now, then, low, high = (f"{mean:.4f}" for mean in (column.mean, *changed))
        if now == then:
            parts.append(f"{label} is between {low} and {high}")
        else:
            parts.append(f"{label} is {now}{rules[0]} and {then}{rules[1]}")
            rules = ("", "")
    parts += [f"and {len(moved) - _SHOWN:,} more"] if moved[_SHOWN:] else []
    yield Notice(
        "many-ties",
        f"{name} has tied judged documents in {int(depends.sum()):,} of {counted(run.settled.n_retrieved.size)}, so "
        f"values depend on the tie-breaking rule: {'; '.join(parts)}",
    )


def _rounded_scores(name: str, hits: JudgedRows, rows: Integers) -> Iterator[Notice]:
    """Scores of tied documents that are too large to tell integers apart."""
    scores = np.zeros(0) if hits.score is None else np.abs(hits.score[rows])
    if vast := int(np.count_nonzero((scores >= _EXACT) & np.isfinite(scores))):
        yield Notice(
            "rounded-scores",
            f"{name} has {counted(vast, 'tied judged document', 'tied judged documents')} with scores of 2^53 "
            f"({_EXACT:,}) and more, where different integers may be one floating-point number; take smaller scores, "
            "or ranks with order=rank",
        )


def _by_grade(hits: JudgedRows, *, best: bool) -> Integers:
    """`[N]`: ranks with tied documents by grade; those that nobody judged stand between relevant and other ones."""
    order = np.lexsort((-hits.grade if best else hits.grade, hits.tie_first, hits.query))
    first, last, query = hits.tie_first[order], hits.tie_last[order], hits.query[order]
    starts = np.flatnonzero(np.append(True, (np.diff(first) != 0) | (np.diff(query) != 0))[: order.size])
    sizes = np.diff(starts, append=order.size)
    before = np.arange(order.size) - np.repeat(starts, sizes)
    after = np.repeat(sizes, sizes) - 1 - before
    front = (hits.grade[order] > 0) == best
    rank = np.empty_like(hits.rank)
    rank[order] = np.where(front, first + before, last - after)
    return rank


def _mean(one: Measure, column: Column, run: "MeasuredRun", other: "MeasuredRun", places: Integers) -> float:
    """The mean of a measure where some queries, given by their places, have another order."""
    values = run.values[one].copy()
    values[places] = other.values[one]
    return aggregation.column_of(one, values, column.rows, column.standing, column.settings).mean


def _ids(qrels: Qrels, run: Run, hits: JudgedRows, counts: Counts) -> Iterator[Notice]:
    """Ids that do not meet: what is worth nothing may have been called otherwise."""
    if counts.unanswered_queries and counts.ignored_queries:
        text = alike_queries(*(counts.queries[f"{which}_queries"] for which in ("unanswered", "ignored")))
        if text:
            yield Notice("similar-ids", text)
    if not hits.known.any() and np.diff(hits.pool_offsets)[hits.n_retrieved > 0].any():
        yield Notice("no-common-documents", no_common_documents(qrels, run))
    else:
        top = hits.known & (hits.rank <= _TOP)
        few = np.count_nonzero(top) < np.minimum(hits.n_retrieved, _TOP).sum() / 2
        if few and (text := alike_documents(qrels, run)):
            yield Notice("similar-ids", text)


def no_rows(run: str, tool: str) -> Notice:
    """Judgements or a run without a row, under the conventions of a tool that gives numbers even so.

    Args:
        run: what to call the run; empty where it is the judgements that have no row.
        tool: the tool.

    """
    what = f"{run} has" if run else "the judgements have"
    return Notice("empty-input", f"{what} not one row; the values are those that {tool} gives then")


def blanks(count: int, blank: str) -> Iterator[Notice]:
    """Judgements without a grade.

    Args:
        count: how many there are.
        blank: what they mean: `unjudged` or `zero`.

    """
    if count:
        which = "judgement has no grade and counts" if count == 1 else "judgements have no grade and count"
        text = f"{count:,} {which} as {'unjudged' if blank == 'unjudged' else 'grade 0'}"
        yield Notice("blank-grade", f"{text}; blank= (--blank) says what they mean: unjudged, zero or error")


def _subtopics(qrels: Qrels, measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """What the judgements say of subtopics and the measures do not use, or the other way round."""
    over = [one.label for one in measures if one.quantity.definition.subtopics]
    if over and (hits.subtopics is None or hits.subtopics.counts.max() < 2):  # noqa: PLR2004 - more than one
        yield Notice(
            "one-subtopic",
            "no query has judgements for more than one subtopic, so there is nothing to diversify for "
            f"{quoted(over)}; subtopics stand in the second column of a qrels file or in a column subtopic of a frame",
        )
    if qrels.merged and len(over) < len(measures):
        others = [one.label for one in measures if not one.quantity.definition.subtopics]
        yield Notice(
            "best-of-subtopics",
            "some documents are judged for several subtopics of a query; the best grade of each document counts for "
            f"{quoted(others)}",
        )


def _unanswered(
    name: str, measures: Sequence[ResolvedMeasure], settings: Averaging, run: "MeasuredRun", counts: Counts
) -> Iterator[Notice]:
    """Many judged queries without results move the mean; whether they should is for the user to say."""
    if counts.unanswered <= _MANY_UNANSWERED * counts.judged or settings.missing not in ("zero", "skip"):
        return
    one = next((one for one in measures if isinstance(one.quantity, Measure)), None)
    if one is None or replace(settings, missing="zero") != STANDARD_AVERAGING:
        return
    answered: NDArray[np.bool_] = run.settled.n_retrieved > 0
    values = run.values[one.quantity][: answered.size]
    column = np.where(np.isnan(values), 0.0, values)[:, None]
    with_them, without = (
        float(aggregation.summary(rows, [one.quantity.averaging])[0]) for rows in (column, column[answered])
    )
    queries = "name the queries that the run was made for with --only FILE (queries=[...])"
    if counts.scored < counts.judged:
        remedy = f"They are left out; {queries}"
    else:
        remedy = f'Leave them out with --answered-only (missing="skip"), or {queries}'
    yield Notice(
        "many-unanswered",
        f"{name} has no results for {counts.unanswered:,} of {counts.judged:,} judged queries; "
        f"{one.label} is {with_them:.4f} if they count as empty rankings, {without:.4f} without them. {remedy}",
    )


def _thresholds(measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """Thresholds of relevance that no grade reaches, or every grade."""
    low, high = (float(hits.pool.min()), float(hits.pool.max())) if hits.pool.size else (0.0, 0.0)
    rel: dict[str, float] = {}
    called: dict[str, str] = {}
    for one in measures:
        grade = one.quantity.parameters.get("rel")
        if grade is not None and not 0 < abs(grade) < _LEAST and abs(grade) < _MOST:
            rel[one.label], called[one.label] = grade, one.quantity.name
    if unreached := [label for label in rel if rel[label] > high]:
        yield Notice(
            "nothing-relevant",
            f"the best grade is {high:g}, but {quoted(unreached)} count documents as relevant from grade "
            f"{rel[unreached[0]]:g} on; set rel, as in {called[unreached[0]]}(rel={high:g})",
        )
    lenient = [label for label in rel if rel[label] <= low]
    if lenient and 0 < low < high:
        yield Notice(
            "all-relevant",
            f"the grades run from {low:g} to {high:g} and none is 0 or below, so every judged document is relevant to "
            f"{quoted(lenient)}; if {low:g} means bad, set rel, as in "
            f"{called[lenient[0]]}(rel={(low + high) / 2:g})",
        )


def _cutoffs(name: str, measures: Sequence[ResolvedMeasure], whole: "MeasuredRun") -> Iterator[Notice]:
    """Cutoffs that no query of the run reaches."""
    depth = int(whole.settled.n_retrieved.max())
    cutoffs = {one.label: one.quantity.cutoff for one in measures if isinstance(one.quantity, Measure)}
    labels = [label for label, cutoff in cutoffs.items() if cutoff is not None and cutoff > depth]
    if labels and (whole.judging.depth is None or depth < whole.judging.depth):
        yield Notice(
            "shallow-run", f"{name} is {depth:,} deep: {quoted(labels)} look{'s' if len(labels) == 1 else ''} deeper"
        )

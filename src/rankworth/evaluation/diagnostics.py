"""What makes right values easily misread: looked for after measuring, said beside the values."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import counted, quoted
from rankworth.evaluation import aggregation
from rankworth.evaluation.aggregation import Column
from rankworth.evaluation.judged_view import View, layout_of
from rankworth.evaluation.summary import Counts
from rankworth.evaluation.values import Notice
from rankworth.judging import grades
from rankworth.judging.exclusion import SELF
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.overlap import alike_documents, alike_queries, no_common_documents
from rankworth.judging.settings import Judging
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import Asked

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
"""the share of a mean by which the order of tied documents may change it, from which it is told"""
_MIRRORED: Final = {
    "id-descending": "id-ascending",
    "id-ascending": "id-descending",
    "given": "given-reversed",
    "given-reversed": "given",
}
"""the rule that orders tied documents the other way round"""
_COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, of which no ranking is better or worse"""


def notices_of(
    run: str,
    measures: Sequence[Asked],
    hits: JudgedRows,
    counts: Counts,
    table: Floats,
    *,
    plain: bool,
) -> Iterator[Notice]:
    """Everything that deserves a second look.

    Args:
        run: what to call the run.
        measures: what was measured.
        hits: the judged run.
        counts: how many queries stand behind the means.
        table: `[Q, M]`, the values of all queries.
        plain: whether queries without results are all that averaging has to decide.

    """
    if plain:
        yield from _unanswered(run, measures, counts, table, hits.n_retrieved > 0)
    yield from _thresholds(measures, hits)


def notices_of_rules(measures: Sequence[Asked], hits: JudgedRows) -> Iterator[Notice]:
    """What a profile has to say of its tool's numbers: that they are wrong, or that the tool leaves an order open.

    Args:
        measures: what was measured.
        hits: the judged run.

    """
    for one in measures:
        if one.rule is not None and one.rule.note:
            yield Notice("known-defect", f"{one.label}: {one.rule.note}")
        if one.rule is not None and one.rule.level and _is_level(hits):
            yield Notice("known-defect", f"{one.label}: {one.rule.level}")
    if ((hits.tie_last > hits.tie_first) & hits.known).any():
        for one in measures:
            if one.rule is not None and one.rule.unspecified:
                yield Notice("unspecified-order", f"{one.label}: {one.rule.unspecified}")


def _is_level(hits: JudgedRows) -> bool:
    """Whether relevant documents of one grade have equal scores, or some have scores of 0 and below."""
    wanted = hits.known & (hits.grade > 0)
    if hits.positive is not None and (wanted & ~hits.positive).any():
        return True
    rows = np.stack([hits.query[wanted], hits.tie_first[wanted], hits.grade[wanted]], axis=1)
    return len(np.unique(rows, axis=0)) < len(rows)


def notices_of_ties(
    run: str, asked: Sequence[tuple[Asked, Column]], view: View, judging: Judging, qrels: Qrels
) -> Iterator[Notice]:
    """Means that depend on the order of documents with equal scores.

    Args:
        run: what to call the run.
        asked: measures that see the run alike, with their values.
        view: the judged run as they see it.
        judging: the settings that change something here.
        qrels: the judgements.

    """
    rule, every = asked[0][0].judging.ties, view.judgement.hits.compact()
    columns_of: dict[Measure, Column] = {
        one.quantity: column
        for one, column in asked
        if isinstance(one.quantity, Measure)
        and one.quantity.averaging != "sum"
        and one.quantity.name not in _COVERAGE
        and layout_of(one.quantity, qrels) == "judged"
    }
    labels = {each.quantity: each.label for each, _ in asked}
    deepest = max((one.cutoff or every.rank.size for one in columns_of), default=0)
    rows = np.flatnonzero(every.known & (every.tie_last > every.tie_first) & (every.tie_first <= deepest))
    several = asked[0][0].judging.duplicate_judgements in ("all", "spread")  # rows of one document share ranks
    if rule not in _MIRRORED or not rows.size or several:
        return
    scores = np.zeros(0) if every.score is None else np.abs(every.score[rows])
    if vast := int(np.count_nonzero((scores >= _EXACT) & np.isfinite(scores))):
        yield Notice(
            "rounded-scores",
            f"{run} has {counted(vast, 'tied judged document', 'tied judged documents')} with scores of 2^53 "
            f"({_EXACT:,}) and more, where different integers may be one floating-point number; take smaller scores, "
            "or ranks with order=rank",
        )
    places = np.unique(every.offsets.searchsorted(rows, side="right") - 1)
    names = [view.queries[place] for place in places.tolist()]
    hits = every.of(places)

    def ordered(rank: Integers) -> View:
        settled = grades.settle(hits.ranked(rank), judging, names)
        other = View.judged(settled, names, view.judgement, condensed=view.condensed)
        other.measure(list(columns_of), qrels)
        return other

    best, worst = (ordered(_by_grade(hits, best=best)) for best in (True, False))
    moved: list[Measure] = []
    depends = np.zeros(places.size, dtype=bool)
    for one, column in columns_of.items():
        if one in best.failed or one in worst.failed:
            continue
        spread = np.nan_to_num(np.abs(best.values[one] - worst.values[one])) * column.there[places]
        if spread.sum() > _MOVED * abs(column.mean()) * np.count_nonzero(column.there):
            moved.append(one)
            depends |= spread > 0
    if not moved:
        return
    mirrored = ordered(hits.tie_first + hits.tie_last - hits.rank)
    rules = (f" with ties={rule}", f" with ties={_MIRRORED[rule]}")
    parts = []
    for one in moved[:_SHOWN]:
        means = [_mean(one, columns_of[one], view, other, places) for other in (mirrored, worst, best)]
        now, then, low, high = (f"{mean:.4f}" for mean in (columns_of[one].mean(), *means))
        if now == then:
            parts.append(f"{labels[one]} is between {low} and {high}")
        else:
            parts.append(f"{labels[one]} is {now}{rules[0]} and {then}{rules[1]}")
            rules = ("", "")
    parts += [f"and {len(moved) - _SHOWN:,} more"] if moved[_SHOWN:] else []
    yield Notice(
        "many-ties",
        f"{run} has tied judged documents in {int(depends.sum()):,} of {counted(view.settled.n_retrieved.size)}, so "
        f"values depend on the tie-breaking rule: {'; '.join(parts)}",
    )


def _by_grade(hits: JudgedRows, *, best: bool) -> Integers:
    """`[N]`: ranks with tied documents by grade; those that nobody judged stand between relevant and other ones."""
    grade = np.where(hits.known, hits.grade, np.finfo(np.float64).smallest_subnormal)
    order = np.lexsort((-grade if best else grade, hits.tie_first, hits.query))
    first, last, query = hits.tie_first[order], hits.tie_last[order], hits.query[order]
    starts = np.flatnonzero(np.append(True, (np.diff(first) != 0) | (np.diff(query) != 0))[: order.size])
    sizes = np.diff(starts, append=order.size)
    before = np.arange(order.size) - np.repeat(starts, sizes)
    after = np.repeat(sizes, sizes) - 1 - before
    front = (grade[order] > 0) == best
    rank = np.empty_like(hits.rank)
    rank[order] = np.where(front, first + before, last - after)
    return rank


def _mean(one: Measure, column: Column, view: View, other: View, places: Integers) -> float:
    """The mean of a measure where some queries, given by their places, have another order."""
    values = view.values[one].copy()
    values[places] = other.values[one]
    lenient = one.parameters.get("rel", 1) <= 0
    found = aggregation.column(values, column.rows, column.standing, column.settings, one.averaging, lenient=lenient)
    return found.mean()


def notices_of_ids(qrels: Qrels, run: Run, hits: JudgedRows, counts: Counts) -> Iterator[Notice]:
    """Ids that do not meet: what is worth nothing may have been called otherwise.

    Args:
        qrels: the judgements.
        run: the run.
        hits: the judged run, all of it.
        counts: the queries that do not meet.

    """
    if counts.unanswered_queries and counts.ignored_queries:
        text = alike_queries(*(counts.queries[f"{which}_queries"] for which in ("unanswered", "ignored")))
        if text:
            yield Notice("similar-ids", text)
    if not hits.known.any() and np.diff(hits.pool_offsets)[hits.n_retrieved > 0].any():
        yield Notice("no-common-documents", no_common_documents(qrels, run))
    elif run.engine != "blocks":
        top = hits.known & (hits.rank <= _TOP)
        if np.count_nonzero(top) < np.minimum(hits.n_retrieved, _TOP).sum() / 2 and (
            text := alike_documents(qrels, run)
        ):
            yield Notice("similar-ids", text)


def notices_of_exclusion(exclude: object, counts: Counts) -> Iterator[Notice]:
    """Pairs to leave out that are neither in the run nor in the judgements.

    Args:
        exclude: what was to be left out; None where nothing was.
        counts: how much was.

    """
    if exclude is not None and str(exclude) != SELF and not counts.excluded and not counts.excluded_judgements:
        yield Notice(
            "nothing-excluded",
            f"exclude:{exclude} takes nothing out: none of its pairs is in the run or the judgements; are its ids "
            "those of the others?",
        )


def notice_of_no_rows(run: str, tool: str) -> Notice:
    """Judgements or a run without a row, under the conventions of a tool that gives numbers even so.

    Args:
        run: what to call the run; empty where it is the judgements that have no row.
        tool: the tool.

    """
    what = f"{run} has" if run else "the judgements have"
    return Notice("empty-input", f"{what} not one row; the values are those that {tool} gives then")


def notices_of_blanks(count: int, blank: str) -> Iterator[Notice]:
    """Judgements without a grade.

    Args:
        count: how many there are.
        blank: what they mean: `unjudged` or `zero`.

    """
    if count:
        one = count == 1
        means = "unjudged" if blank == "unjudged" else "grade 0"
        text = f"{count:,} judgement{' has' if one else 's have'} no grade and count{'s' if one else ''} as {means}"
        yield Notice("blank-grade", f"{text}; blank= (--blank) says what they mean: unjudged, zero or error")


def notices_of_subtopics(qrels: Qrels, measures: Sequence[Asked], hits: JudgedRows) -> Iterator[Notice]:
    """What the judgements say of subtopics and the measures do not use, or the other way round."""
    over = [one.label for one in measures if one.quantity.definition.subtopics]
    if over and (hits.subtopics is None or hits.subtopics.counts.max() < 2):  # noqa: PLR2004 - more than one
        yield Notice(
            "one-subtopic",
            "no query has judgements for more than one subtopic, so there is nothing to diversify for "
            f"{quoted(over)}; subtopics stand in the second column of a qrels file or in a column subtopic of a frame",
        )
    others = [one.label for one in measures if not one.quantity.definition.subtopics]
    if others and qrels.merged:
        yield Notice(
            "best-of-subtopics",
            "some documents are judged for several subtopics of a query; the best grade of each document counts for "
            f"{quoted(others)}",
        )


def _unanswered(
    run: str, measures: Sequence[Asked], counts: Counts, table: Floats, answered: NDArray[np.bool_]
) -> Iterator[Notice]:
    """Many judged queries without results move the mean; whether they should is for the user to say."""
    place = next((place for place, one in enumerate(measures) if isinstance(one.quantity, Measure)), None)
    if counts.unanswered <= _MANY_UNANSWERED * counts.judged or place is None:
        return
    column = table[:, [place]]
    with_them, without = (
        float(aggregation.summary(rows, [measures[place].quantity.averaging])[0]) for rows in (column, column[answered])
    )
    name = "name the queries that the run was made for with --only FILE (queries=[...])"
    left_out = counts.scored < counts.judged
    remedy = (
        f"They are left out; {name}" if left_out else f'Leave them out with --answered-only (missing="skip"), or {name}'
    )
    yield Notice(
        "many-unanswered",
        f"{run} has no results for {counts.unanswered:,} of {counts.judged:,} judged queries; "
        f"{measures[place].label} is {with_them:.4f} if they count as empty rankings, "
        f"{without:.4f} without them. {remedy}",
    )


def _thresholds(measures: Sequence[Asked], hits: JudgedRows) -> Iterator[Notice]:
    """Thresholds of relevance that no grade reaches, or every grade."""
    low, high = (float(hits.pool.min()), float(hits.pool.max())) if hits.pool.size else (0.0, 0.0)
    graded = {one.label: one.quantity for one in measures if "rel" in one.quantity.parameters}
    asked = {label: quantity.parameters["rel"] for label, quantity in graded.items()}
    rel = {label: grade for label, grade in asked.items() if not 0 < abs(grade) < _LEAST and abs(grade) < _MOST}
    unreached = [label for label in rel if rel[label] > high]
    if unreached:
        yield Notice(
            "nothing-relevant",
            f"the best grade is {high:g}, but {quoted(unreached)} count documents as relevant from grade "
            f"{rel[unreached[0]]:g} on; set rel, as in {graded[unreached[0]].name}(rel={high:g})",
        )
    lenient = [label for label in rel if rel[label] <= low]
    if lenient and 0 < low < high:
        yield Notice(
            "all-relevant",
            f"the grades run from {low:g} to {high:g} and none is 0 or below, so every judged document is relevant to "
            f"{quoted(lenient)}; if {low:g} means bad, set rel, as in "
            f"{graded[lenient[0]].name}(rel={(low + high) / 2:g})",
        )


def notices_of_cutoffs(
    run: str, measures: Sequence[tuple[Asked, JudgedRows]], depth: int, limit: int | None
) -> Iterator[Notice]:
    """Cutoffs that no query of the run reaches, and what they come to.

    Args:
        run: what to call the run.
        measures: what was measured, each with the run as it sees it.
        depth: how many documents the longest list has.
        limit: how many documents of each query were looked at, if not all.

    """
    equal, other = list[str](), list[str]()
    if limit is not None and depth >= limit:
        return
    for one, hits in measures:
        label, measure = one.label, one.quantity
        if not isinstance(measure, Measure) or measure.cutoff is None or measure.cutoff <= depth:
            continue
        same = all(
            np.array_equal(measure.values(block), (measure @ depth).values(block), equal_nan=True)
            for _, block in hits.blocks(np.flatnonzero(hits.n_retrieved))
        )
        if same:
            shorter = re.sub(rf"(?<=[@_]){measure.cutoff}$", str(depth), label)
            equal.append(f"{label} = {shorter if shorter != label else measure @ depth}")
        else:
            other.append(label)
    if not equal and not other:
        return
    parts = equal[:_SHOWN] + ([f"the same for {len(equal) - _SHOWN} more"] if equal[_SHOWN:] else [])
    parts += [f"{quoted(other)} count{'s' if len(other) == 1 else ''} ranks that are empty"] if other else []
    yield Notice("shallow-run", f"{run} is {depth:,} deep: {', '.join(parts)}")

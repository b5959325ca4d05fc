"""Compare systems: which with which, by what, over which queries, and what makes the result easily misread."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth import stats
from rankworth.averaging import Averaging
from rankworth.comparison.board import Board, board
from rankworth.comparison.differences import (
    LEVEL,
    PAIRWISE,
    POWER,
    Difference,
    Plan,
    differences,
    least_p,
    of_groups,
    pairs,
)
from rankworth.comparison.measuring import UNJUDGED, Measuring, systems
from rankworth.comparison.result import Comparison
from rankworth.comparison.systems import System, shared
from rankworth.errors import UsageError, counted, quoted
from rankworth.evaluation import aggregation
from rankworth.groups import Slices
from rankworth.io.validate import is_number
from rankworth.measures import Measure
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile

if TYPE_CHECKING:
    from rankworth.io.source import Progress

MANY: Final = 100_000
FEW: Final = 10_000
"""random sign flips: many, and as many as many queries allow"""
_QUERIES: Final = 1_000
"""queries up to which there are many"""
_GAP: Final = 0.05
"""the difference of shares from which it is told"""
_FEW: Final = 10
"""fewer queries than that say little"""
_OF_SIGNS: Final = ("randomization", "wilcoxon", "sign")
"""tests whose p comes of the signs that differences may have"""
_LISTED: Final = 8
"""systems that a warning names"""
_TAKEN_OVER: Final = (
    "known-defect",
    "nothing-relevant",
    "all-relevant",
    "no-common-documents",
    "nothing-excluded",
    "older-results",
)
"""what an evaluation or its file says that is true of a comparison, too"""


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
    interval: str = "bca",
    resamples: int | None = None,
    seed: int = 0,
    margin: float | Mapping[str, float] | None = None,
    effect: float | None = None,
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
    """Whether systems differ, by how much, and how sure that is.

    All values are compared query by query. A p value is that of a paired test, corrected for all comparisons that the
    result shows; a system is called better or worse where it is below 1 - level, equivalent where the difference lies
    within `margin` by two one-sided tests, equal where no query differs by more than rounding, and unclear otherwise.

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
        interval: `bca`, `percentile` or `t`.
        resamples: random sign flips and samples; 100,000, and 10,000 where there are more than 1,000 queries.
        seed: of these.
        margin: the difference that does not matter: one for all measures, or `{measure: margin}`.
        effect: the difference that one looks for; a warning says so where there are too few queries to find it.
        table: columns of the queries, as `rankworth.io.metadata.queries` reads them.
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
    (0.5, 3, 0.25, 'unclear')
    """
    how = Measuring(
        qrels,
        measures,
        queries=queries,
        rel=rel,
        profile=profile,
        accept_new_qrels=accept_new_qrels,
        progress=progress,
        settings=settings,
    )
    found = systems(runs, how)
    if len(found) < 2:  # noqa: PLR2004 - a comparison takes two
        there = f"there is {found[0].name} only" if found else "there is none"
        raise UsageError("conflicting-options", f"a comparison takes two systems at least, and {there}")
    if all_pairs and baseline is not None:
        raise UsageError("conflicting-options", "all pairs are compared, and a baseline is named; give one of the two")
    if effect is not None and not (is_number(effect) and 0 < effect < math.inf):
        raise UsageError("unknown-setting", f"effect={effect}: the difference that is looked for is a number above 0")
    found = _first(found, baseline)
    slices = Slices.of(table, by=by, weights=weights, macro=macro)
    names, repeated = _once(_measures(found, how), found[0])
    side_by_side = _sliced(board(found, names, accepted=accept_new_qrels), slices)
    size = len(side_by_side.queries)
    margins = _margins(margin, side_by_side)
    plan = Plan(
        test,
        correction or ("none" if test in PAIRWISE else "holm"),
        level,
        interval,
        (MANY if size <= _QUERIES else FEW) if resamples is None else resamples,
        seed,
        margins,
    )
    compared = pairs(side_by_side.systems, all_pairs=all_pairs)
    rows, told = differences(side_by_side, compared, plan)
    return Comparison(
        side_by_side,
        tuple(rows),
        plan,
        told,
        "" if all_pairs else side_by_side.systems[0],
        (*side_by_side.notes, *repeated, *_incomplete(side_by_side, rows), *_alike(side_by_side, rows), *how.changed),
        tuple(_warnings(found, side_by_side, rows, plan, effect)),
        {column: tuple(of_groups(side_by_side, column, compared, plan)) for column in side_by_side.groups},
        uneven=side_by_side.uneven,
    )


def _incomplete(side_by_side: Board, rows: Sequence[Difference]) -> Iterator[str]:
    """Measures by which not all queries have a value."""
    for name in side_by_side.measures:
        least = min(one.queries for one in rows if one.measure == name)
        if least < len(side_by_side.queries):
            yield f"{name}: {least:,} of {len(side_by_side.queries):,} queries have a value by both systems of a pair"


def _alike(side_by_side: Board, rows: Sequence[Difference]) -> Iterator[str]:
    """Differences that are rounding, and differences without spread, which decide what p is."""
    for one in rows:
        sides = (side_by_side.systems.index(one.first), side_by_side.systems.index(one.second))
        first, second = side_by_side.values[list(sides), side_by_side.measures.index(one.measure)]
        rounding = int(np.count_nonzero((first != second) & (stats.differences(first, second) == 0)))
        if rounding:
            text = f"{one.second} and {one.first} by {one.measure}: the values of {counted(rounding)} differ in their"
            yield f"{text} last digits only, by rounding, and count as equal"
        if one.queries > 1 and math.isinf(one.dz):
            text = f"{one.second} and {one.first} by {one.measure}: all {one.queries:,} queries differ by the same"
            yield (
                f"{text} {one.difference:+.4f}; without spread d is infinite, and p is at least that of "
                f"{one.queries:,} equal signs, {float(least_p(one.queries)):.2g}"
            )


def _first(found: list[System], baseline: str | None) -> list[System]:
    """The systems with the baseline first.

    Raises:
        UsageError: `not-measured`.

    """
    if baseline is None:
        return found
    chosen = [one for one in found if one.name == baseline]
    if not chosen:
        names = quoted([one.name for one in found])
        raise UsageError("not-measured", f"the baseline is to be {baseline!r}, and the systems are {names}")
    return [*chosen, *(one for one in found if one.name != baseline)]


def _measures(found: Sequence[System], how: Measuring) -> list[str]:
    """The measures that are compared.

    Raises:
        UsageError: `not-measured` where results files have none in common.

    """
    if how.asked:
        return [one.label for one in how.asked]
    if common := shared(found):
        return common
    have = "; ".join(f"{one.name}: {quoted(one.scores)}" for one in found)
    raise UsageError("not-measured", f"the systems share no measure that can be compared: {have}")


def _once(measures: Sequence[str], first: System) -> tuple[list[str], list[str]]:
    """Each measure under the first of its names, as the correction counts comparisons; and what is said of the others.

    Args:
        measures: the names of the measures.
        first: the system by whose values measures are told apart.

    """
    names: dict[str, str] = {}
    repeated = []
    for name in measures:
        signature = first.scores[name].signature if name in first.scores else name
        if (kept := names.setdefault(signature, name)) != name:
            repeated.append(f"{name} is {kept} by another name, and compared once")
    return list(names.values()), repeated


def _sliced(side_by_side: Board, slices: Slices) -> Board:
    """The board with groups and weights of its queries.

    Raises:
        InputError: `missing-value`, `bad-weight`.

    """
    queries, settings = side_by_side.queries, Averaging(weights=slices.weights, macro=slices.macro)
    if slices.weights is not None or slices.macro is not None:
        aggregation.refuse(queries, queries, settings)
    told = {one.setting: one.told(queries) for one in (slices.weights, slices.macro) if one is not None}
    groups, order = {}, {}
    if slices.by is not None:
        groups = {slices.by.name: tuple(slices.by.shown(queries))}
        order = {slices.by.name: tuple(slices.by.parts(queries).names)}
    return replace(side_by_side, settings=settings, groups=groups, order=order).signed(told)


def _margins(margin: float | Mapping[str, float] | None, side_by_side: Board) -> dict[str, float]:
    """The margin of each measure that has one.

    Raises:
        UsageError: `not-measured`.

    """
    if margin is None:
        return {}
    for one in margin.values() if isinstance(margin, Mapping) else (margin,):
        if not is_number(one):
            raise UsageError("unknown-setting", f"margin={one!r}: a margin is a number above 0, or {{measure: number}}")
    if not isinstance(margin, Mapping):
        return dict.fromkeys(side_by_side.measures, float(margin))
    return {side_by_side.label(name): float(one) for name, one in margin.items()}


def _warnings(
    systems: Sequence[System], board: Board, differences: Sequence[Difference], plan: Plan, effect: float | None
) -> Iterator[tuple[str, str]]:
    """Slug and text of all that deserves a second look.

    Args:
        systems: the systems, the baseline first.
        board: their values.
        differences: what was found.
        plan: how it was judged.
        effect: the difference that is looked for, if somebody said it.

    """
    shared = set(board.queries)
    yield from _unjudged([system.only([query for query in system.queries if query in shared]) for system in systems])
    yield from _unanswered(systems)
    yield from _tied(systems)
    yield from _few(board, differences, plan, effect)
    yield from dict.fromkeys(notice for one in systems for notice in one.notices if notice[0] in _TAKEN_OVER)


def _unjudged(systems: Sequence[System]) -> Iterator[tuple[str, str]]:
    """Documents that nobody judged count as not relevant: the side that has more of them is at a disadvantage."""
    values = {one.name: one.scores[UNJUDGED].values for one in systems if UNJUDGED in one.scores}
    shares = {name: float(np.nanmean(each)) for name, each in values.items() if not np.isnan(each).all()}
    if len(shares) < 2:  # noqa: PLR2004 - two sides
        return
    most, least = max(shares, key=lambda name: shares[name]), min(shares, key=lambda name: shares[name])
    if shares[most] - shares[least] >= _GAP:
        more, less = (f"{100 * shares[name]:.1f} %" for name in (most, least))
        text = (
            f"{more} of the first 10 ranks of {most} hold documents that nobody judged, and {less} of those of {least}"
        )
        yield "one-sided-judgements", f"{text}: the comparison favours {least}"


def _unanswered(systems: Sequence[System]) -> Iterator[tuple[str, str]]:
    """A system that does not answer some queries."""
    counts = {one.name: len(one.queries) - one.answered for one in systems if one.answered is not None}
    if len(set(counts.values())) > 1:
        told = _listed([f"{name} {count:,}" for name, count in counts.items()])
        yield "many-unanswered", f"queries without results: {told}; they count as the profile says"


def _tied(systems: Sequence[System]) -> Iterator[tuple[str, str]]:
    """Documents with equal scores whose order decides on values: of the first few systems what `evaluate` says."""
    told = [(one.name, notice) for one in systems for notice in one.notices if notice[0] == "many-ties"]
    yield from dict.fromkeys(notice for _, notice in told[:_LISTED])
    if more := dict.fromkeys(name for name, _ in told[_LISTED:]):
        yield "many-ties", f"the tie-breaking rule decides on values of {_listed(list(more))}, too"


def _listed(parts: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(parts) - _LISTED
    return ", ".join(parts) if more <= 0 else f"{', '.join(parts[:_LISTED])} and {more:,} more"


def _few(
    board: Board, differences: Sequence[Difference], plan: Plan, effect: float | None
) -> Iterator[tuple[str, str]]:
    """Too few queries for what is looked for."""
    size = len(board.queries)
    if size < _FEW:
        smallest, why = float(least_p(size)), "no test finds much in so few"
        if plan.test in _OF_SIGNS and smallest >= 1 - plan.level:
            why = f"p cannot be below {smallest:.4g}, however they differ"
        elif size == 1 and plan.test != PAIRWISE[1]:
            why = "this test takes two at least, and there is no p"
        yield "few-queries", f"{counted(size)} {'is' if size == 1 else 'are'} few: {why}"
    if effect is None:
        return
    blind = [one for one in differences if not math.isnan(one.detectable) and one.detectable > effect]
    if blind:
        worst = max(blind, key=lambda one: one.detectable)
        least = f"{worst.detectable:.4f} is the least that a t test finds in {100 * POWER:.0f} of 100 cases"
        few = f"{counted(size)} {'is' if size == 1 else 'are'} too few for a difference of {effect:g}"
        yield "few-queries", f"{few}: of {worst.measure}, {least}"

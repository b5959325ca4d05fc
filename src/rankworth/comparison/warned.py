"""What makes a comparison easily misread: unjudged documents on one side, ties, unanswered queries, too few queries."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from rankworth.comparison.boards import Board, System
from rankworth.comparison.differences import PAIRWISE, POWER, Difference, Plan, least_p
from rankworth.errors import counted

UNJUDGED: Final = "Unjudged@10"
BESIDE: Final = (UNJUDGED,)
"""measures that are taken for warnings, whether they were asked for or not"""
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


def of(
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

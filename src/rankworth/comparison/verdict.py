"""The verdict of a comparison in plain sentences: who is better, how sure that is, and on which queries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from rankworth.comparison.differences import Difference, differences
from rankworth.comparison.result import Comparison
from rankworth.errors import counted
from rankworth.tables.look import p_value, signed
from rankworth.tables.wording import named, named_alone

_MANY: Final = 3
"""from how many systems on groups of them are told"""
_LOSSES: Final = 3
"""how many of the queries that lose most are named"""


def verdict(comparison: Comparison, texts: Mapping[str, str], level_groups: Sequence[Sequence[str]]) -> list[str]:
    """Return two plain sentences or a few: which system is better and how sure that is; and on which queries.

    Args:
        comparison: of two systems or more, by their first measure.
        texts: of queries, by id.
        level_groups: as `level_groups` gives them.

    """
    lead, means = comparison.measures[0], comparison.means
    rows = [row for row in comparison.differences if row.measure == lead]
    if len(comparison.systems) == 2:  # noqa: PLR2004 - two systems have one difference
        return _of_two(comparison, rows[0], texts)
    sign = 1.0 if comparison.scores.better[lead] == "higher" else -1.0
    best = max(means, key=lambda name: sign * np.nan_to_num(means[name][lead], nan=-sign * np.inf))
    against = comparison.baseline or comparison.systems[0]
    words = {named_alone(row.second): row.word for row in rows if row.first == against}
    groups = {word: [name for name, its in words.items() if its == word] for word in ("better", "worse")}
    lost = [] if best == against else _losses(comparison, lead, best, against)
    level = [named_alone(name) for name in (level_groups[0] if level_groups else ()) if name != best]
    mean, best, against = means[best][lead], named_alone(best), named_alone(against)
    parts = [f"{word} than {against}: {', '.join(names)}" for word, names in groups.items() if names]
    unclear = [name for name, its in words.items() if its not in groups]
    parts += [f"not clearly different from {against}: {', '.join(unclear)}"] if unclear else []
    first = f"{best} has the best mean {lead} of {len(means)} runs, {mean:.4f}"
    first += f"; not clearly different from it: {', '.join(level)}." if level else "."
    loses = f"; {best} loses most on{named(lost, texts)[1:]}" if lost else ""
    return [first, f"By {lead}, {'; '.join(parts)}{loses}."]


def _of_two(comparison: Comparison, pair: Difference, texts: Mapping[str, str]) -> list[str]:
    """Return the verdict on two systems: by the first measure alone, whose interval is not corrected either.

    Further measures do not change the sentence; where correction for them changes the word, another one says so.
    """
    rest = [each for each in comparison.differences if each is not pair]
    corrected, pair = pair, _alone(comparison, pair)
    words = {
        "better": "ranks better than {}, and hardly by chance ({})",
        "worse": "ranks worse than {}, and hardly by chance ({})",
        "equal": "ranks as well as {}",
        "equivalent": "is equivalent to {}: the difference is within the margin ({})",
    }
    wording = words.get(pair.word, "is not clearly different from {}: chance may be the reason ({})")
    further = [
        f"{'not clearly different' if word == 'unclear' else word} by "
        f"{', '.join(each.measure for each in rest if each.word == word)}"
        for word in dict.fromkeys(each.word for each in rest)
    ]
    interval = f"{comparison.plan.level:.0%} interval {signed(pair.low)} to {signed(pair.high)}"
    means = f"its mean {pair.measure} is {pair.second_mean:.4f} instead of {pair.first_mean:.4f}"
    size = f"{signed(pair.difference)}{'' if math.isnan(pair.low) else f', {interval}'}"
    p = f"{_p(pair.p)} for {pair.measure} alone" if rest else _p(pair.p)
    first = f"{named_alone(pair.second)} {wording.format(named_alone(pair.first), p)}; {means} ({size})"
    lost = _losses(comparison, pair.measure, pair.second, pair.first)
    second = f"It is better on {pair.wins:,} of {counted(pair.queries)}, worse on {pair.losses:,}"
    loses = f"; it loses most on{named(lost, texts)[1:]}" if lost else ""
    sentences = [f"{'; '.join([first, *further])}."]
    if not comparison.scores.is_whole(pair.measure):
        sentences.append(f"{second} and equal on {pair.ties:,}{loses}.")
    if pair.word != corrected.word:
        over = f"Corrected for the {len(comparison.differences)} measures compared ({comparison.plan.correction})"
        sentences.append(f"{over}, the difference by {pair.measure} is not clear ({_p(corrected.adjusted)}).")
    return sentences


def _losses(comparison: Comparison, measure: str, system: str, baseline: str) -> list[str]:
    """Return the queries on which a system loses most; none by a measure of all queries together."""
    if comparison.scores.is_whole(measure):
        return []
    return [row.query for row in comparison.queries(measure, system, baseline).worst(_LOSSES)]


def _alone(comparison: Comparison, pair: Difference) -> Difference:
    """Return a difference with the word that it has where p is not corrected for other measures."""
    if pair.word != "unclear" or not pair.p < 1 - comparison.plan.level:
        return pair
    plan = replace(comparison.plan, correction="none")
    rows, _ = differences({"": comparison.scores}, [(0, 1)], plan)
    return next(row for row in rows if row.measure == pair.measure)


def _p(value: float) -> str:
    """Return a p value as a sentence has it."""
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def level_groups(comparison: Comparison) -> list[list[str]]:
    """Group systems between which no difference by the first measure is clear, the best one first.

    Each pair is compared, with Tukey's test; systems stand in the order of their means, and each group is as large as
    it can be. There are none of two systems, and none where queries count differently.
    """
    if len(comparison.systems) < _MANY or comparison.scores.weights is not None:
        return []
    lead = comparison.measures[0]
    plan = replace(comparison.plan, test="tukey", correction="none", method="t", margins={})
    pairs, _ = differences({"": comparison.scores}, [*combinations(range(len(comparison.systems)), 2)], plan)
    clear = (pair for pair in pairs if pair.measure == lead and pair.word in ("better", "worse"))
    apart = {frozenset((pair.first, pair.second)) for pair in clear}
    sign = 1 if comparison.scores.better[lead] == "lower" else -1
    systems = sorted(comparison.systems, key=lambda name: sign * comparison.means[name][lead])
    groups: list[list[str]] = []
    for start in range(len(systems)):
        end = start + 1
        while end < len(systems) and all(
            frozenset((system, systems[end])) not in apart for system in systems[start:end]
        ):
            end += 1
        if not groups or systems[end - 1] not in groups[-1]:
            groups.append(systems[start:end])
    return groups

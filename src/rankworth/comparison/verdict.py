"""The verdict of a comparison in plain sentences: who is better, how sure that is, and on which queries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.comparison.differences import POWER, Difference, differences
from rankworth.comparison.result import Comparison
from rankworth.errors import counted
from rankworth.tables.look import p_value, signed
from rankworth.tables.wording import named, named_alone

State = Literal["better", "worse", "unclear", "equal", "equivalent", "leader", "level", "ahead", "single"]
TITLES: Final[Mapping[State, str]] = {
    "better": "Better",
    "worse": "Worse",
    "unclear": "Not decided",
    "equal": "No difference",
    "equivalent": "Equivalent",
    "leader": "Clear leader",
    "level": "No clear leader",
    "ahead": "Best mean",
    "single": "One run",
}
"""what pages and comments call the states"""
_MANY: Final = 3
"""from how many systems on there is a leader"""
_NAMED: Final = 3
"""how many of the systems that are level with the leader are named"""
_MILLION: Final = 1e6
"""beyond so many queries, their number is not given"""
_LOSSES: Final = 3
"""how many of the queries that lose most are named"""


@dataclass(frozen=True)
class Conclusion:
    """What a comparison, or the evaluation of a run, comes to, by the first measure.

    Attributes:
        state: the kind of conclusion; of three systems or more whether the best one is the clear leader, is level with
            others, or has the best mean, where no test says more.
        sentence: for those who read nothing else, without a full stop.
        line: on how many queries a system is better and worse, and how many queries it takes to show that.
        details: sentences with p values, intervals and queries.
        caveat: where p values that are corrected for several comparisons say otherwise, that they do.

    """

    state: State
    sentence: str
    line: str
    details: tuple[str, ...] = ()
    caveat: str = ""

    @property
    def title(self) -> str:
        """The state in a word or a few."""
        return TITLES[self.state]

    @property
    def sentences(self) -> list[str]:
        """All of it, in sentences."""
        return [*filter(None, [f"{self.sentence}.", self.line, *self.details, self.caveat])]


def verdict(
    comparison: Comparison, texts: Mapping[str, str], groups: Sequence[Sequence[str]] | None = None
) -> Conclusion:
    """Return which system is better by the first measure, how sure that is, and on which queries.

    Args:
        comparison: of two systems or more.
        texts: of queries, by id.
        groups: as `level_groups` gives them, which is called where they are not given.

    """
    if len(comparison.systems) < _MANY:
        return _of_two(comparison, texts)
    return _of_several(comparison, texts, level_groups(comparison) if groups is None else groups)


def _of_several(comparison: Comparison, texts: Mapping[str, str], groups: Sequence[Sequence[str]]) -> Conclusion:
    """Return the verdict on three systems or more: the best one, and those that are level with it."""
    lead, means, count = comparison.measures[0], comparison.means, len(comparison.systems)
    sign = 1.0 if comparison.scores.better[lead] == "higher" else -1.0
    ranked = sorted(means, key=lambda name: np.nan_to_num(sign * means[name][lead], nan=-np.inf), reverse=True)
    best, baseline = ranked[0], comparison.baseline or comparison.systems[0]
    tied = [name for name in (groups[0] if groups else ()) if name != best]
    leader, state = named_alone(best), _state_of_best(tied, groups)
    if state == "level":
        verb = "is" if len(tied) == 1 else "are"
        sentence = f"{leader} leads, but {_listed(tied)} {verb} level with it"
    elif state == "leader":
        sentence = f"{leader} leads: it ranks better than the {count - 1} other runs"
    else:
        sentence = f"{leader} has the best mean of {count} runs"
    against = baseline if best != baseline else ranked[1]
    line = [_counts(comparison, lead, against, best, f" than {named_alone(against)}")]
    if tied:
        closest = next(name for name in ranked if name in tied)
        line.append(_needed(comparison, lead, closest, best, f"To tell it from {named_alone(closest)}, {{}} apart,"))
    row_words = {
        named_alone(row.second): row.word
        for row in comparison.differences
        if row.measure == lead and row.first == baseline
    }
    clear = {word: [name for name, its in row_words.items() if its == word] for word in ("better", "worse")}
    lost = [] if best == baseline else _losses(comparison, lead, best, baseline)
    first = f"{leader} has the best mean {lead} of {count} runs, {means[best][lead]:.4f}"
    first += f"; not clearly different from it: {', '.join(map(named_alone, tied))}." if tied else "."
    baseline = named_alone(baseline)
    parts = [f"{word} than {baseline}: {', '.join(names)}" for word, names in clear.items() if names]
    unclear = [name for name, its in row_words.items() if its not in clear]
    parts += [f"not clearly different from {baseline}: {', '.join(unclear)}"] if unclear else []
    loses = f"; {leader} loses most on{named(lost, texts)[1:]}" if lost else ""
    return Conclusion(state, sentence, _joined(line), (first, f"By {lead}, {'; '.join(parts)}{loses}."))


def _state_of_best(tied: Sequence[str], groups: Sequence[Sequence[str]]) -> State:
    if tied:
        return "level"
    return "leader" if groups else "ahead"


def _of_two(comparison: Comparison, texts: Mapping[str, str]) -> Conclusion:
    """Return the verdict on two systems: by the first measure alone, whose interval is not corrected either.

    Further measures do not change the sentence; where correction for them changes the word, a detail says so.
    """
    corrected, *rest = sorted(comparison.differences, key=lambda row: row.measure != comparison.measures[0])
    pair, measure = _alone(comparison, corrected), corrected.measure
    first, second = named_alone(pair.first), named_alone(pair.second)
    gain = pair.difference if comparison.scores.better[measure] == "higher" else -pair.difference
    does = f"{counted(pair.queries)} {'does' if pair.queries == 1 else 'do'}"
    unclear = f"{second} may be {'better' if gain > 0 else 'worse'} than {first}, but {does} not show it"
    sentences: dict[str, str] = {
        "better": f"{second} ranks better than {first}",
        "worse": f"{second} ranks worse than {first}",
        "equal": f"{second} ranks as well as {first}, on every query",
        "equivalent": f"{second} is as good as {first}: the difference is within the margin",
        "unclear": unclear if gain else f"{does} not tell {second} from {first}",
    }
    line = [_counts(comparison, measure, pair.first, pair.second)]
    if pair.word in ("better", "worse", "unclear"):
        size = f"a {'gain' if gain > 0 else 'loss'} of {{}} by {measure}"
        line.append(_needed(comparison, measure, pair.first, pair.second, f"To show {size}"))
    p = f"{_p(pair.p)} for {measure} alone" if rest else _p(pair.p)
    reasons = {
        "equivalent": f"Within the margin ({p}): the",
        "equal": "The",
        "unclear": f"Chance may be the reason ({p}): the",
    }
    interval = f"{comparison.plan.level:.0%} interval {signed(pair.low)} to {signed(pair.high)}"
    size = f"{signed(pair.difference)}{'' if math.isnan(pair.low) else f', {interval}'}"
    means = f"mean {measure} of {second} is {pair.second_mean:.4f}, of {first} {pair.first_mean:.4f} ({size})"
    further = [
        f"{'not clearly different' if word == 'unclear' else word} by "
        f"{', '.join(each.measure for each in rest if each.word == word)}"
        for word in dict.fromkeys(each.word for each in rest)
    ]
    details = ["; ".join([f"{reasons.get(pair.word, f'Hardly by chance ({p}): the')} {means}", *further]) + "."]
    caveat = ""
    if pair.word != corrected.word:
        over = f"Corrected for the {len(comparison.differences)} measures compared ({comparison.plan.correction})"
        caveat = f"{over}, the difference by {measure} is not clear ({_p(corrected.adjusted)})."
    details += [
        f"The difference is {row.verdict} (±{row.identical:.4f})."
        if row.is_enough
        else f"At least {row.needed} runs of each system are needed to tell it from what identical runs do."
        for row in comparison.repeated
        if row.measure == measure
    ]
    if lost := _losses(comparison, measure, pair.second, pair.first):
        details.append(f"{second} loses most on{named(lost, texts)[1:]}.")
    return Conclusion(pair.word, sentences[pair.word], _joined(line), tuple(details), caveat)


def _counts(comparison: Comparison, measure: str, first: str, second: str, than: str = "") -> str:
    """Say on how many queries the second system is better and worse; nothing by a measure of all queries together."""
    if comparison.scores.is_whole(measure):
        return ""
    effects = stats.effects(*_query_differences(comparison, measure, first, second))
    wins, ties, losses = (int(count[0]) for count in (effects.wins, effects.ties, effects.losses))
    if not wins + losses:
        return f"Equal on all of {counted(ties)}."
    equal = f", equal on {ties:,}" if ties else ""
    return f"Better{than} on {wins:,} of {counted(wins + ties + losses)}, worse on {losses:,}{equal}."


def _needed(comparison: Comparison, measure: str, first: str, second: str, beginning: str) -> str:
    """Say how many queries it takes to show the mean difference; nothing where no number of them does.

    Args:
        comparison: has both systems.
        measure: that has a value for each query.
        first: a system.
        second: another one.
        beginning: of the sentence, with a field for the size of the difference.

    """
    if comparison.scores.is_whole(measure):
        return ""
    each, weights = _query_differences(comparison, measure, first, second)
    effect, alpha = abs(stats.means(each, weights)), 1 - comparison.plan.level
    number = float(stats.queries_needed(stats.deviations(each, weights), effect, POWER, alpha)[0])
    if comparison.regards_runs and (over_runs := comparison.scores.run_difference(measure, first, second)):
        runs = min(comparison.scores.runs_of(name) for name in (first, second))
        number = over_runs.design.queries_needed(float(effect[0]), runs, POWER, alpha)
    if not math.isfinite(number):
        return ""
    size = signed(float(effect[0])).lstrip("+")
    queries = "more than a million queries" if number > _MILLION else f"about {counted(int(number))}"
    return f"{beginning.format(size)} takes {queries} with power {POWER:.0%}."


def _query_differences(comparison: Comparison, measure: str, first: str, second: str) -> tuple[Floats, Floats | None]:
    """Return how much better the second system is on each query that both have a value for, [Q, 1], and weights [Q]."""
    systems = comparison.systems
    table = comparison.scores.of_pair(measure, (systems.index(first), systems.index(second)))
    values = [table.values[systems.index(name), 0] for name in (first, second)]
    return stats.differences(*values)[:, None] * table.signs[0], table.weights


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(filter(None, sentences))


def _listed(names: Sequence[str]) -> str:
    """Name the first systems of a list, and count the rest."""
    shown = [named_alone(name) for name in names[:_NAMED]]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED:,} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


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

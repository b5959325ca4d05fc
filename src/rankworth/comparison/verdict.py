"""The verdict of a comparison: one function says who is better, how sure that is, and by which interval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, Protocol

import numpy as np

from rankworth import stats
from rankworth.comparison.decisions import differences
from rankworth.comparison.differences import POWER, Difference, Plan
from rankworth.comparison.query_differences import QueryDifferences
from rankworth.comparison.score_table import ScoreTable
from rankworth.errors import counted
from rankworth.tables.look import p_value
from rankworth.tables.wording import figure, named, named_alone

if TYPE_CHECKING:
    from rankworth.comparison.identical_runs import RepeatedDifference

State = Literal["better", "worse", "same", "equal", "unclear", "too few", "noise", "leader", "no leader", "single"]
TITLES: Final[Mapping[State, str]] = {
    "better": "Better",
    "worse": "Worse",
    "same": "Same",
    "equal": "No difference",
    "unclear": "Not decided",
    "too few": "Too few queries",
    "noise": "Within noise",
    "leader": "Clear leader",
    "no leader": "No clear leader",
    "single": "One run",
}
"""what pages and comments call the states"""
_MANY: Final = 3
"""from how many systems on there is a leader"""
_NAMED: Final = 3
"""how many of the systems that lead are named"""
_MILLION: Final = 1e6
"""beyond so many queries, their number is not given"""
_LOSSES: Final = 3
"""how many of the queries that lose most are named"""


class Compared(Protocol):
    """The parts of a comparison that its verdict is made of."""

    @property
    def scores(self) -> ScoreTable:
        """The values of all systems, query by query."""

    @property
    def differences(self) -> tuple[Difference, ...]:
        """One for each pair of systems and measure."""

    @property
    def slices(self) -> Mapping[str, tuple[Difference, ...]]:
        """By column the differences of each group of queries."""

    @property
    def plan(self) -> Plan:
        """How differences were judged."""

    @property
    def baseline(self) -> str:
        """The system with which each other system is compared; empty if all pairs are compared."""

    @property
    def repeated(self) -> "tuple[RepeatedDifference, ...]":
        """Each of the differences beside what identical runs do."""

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of queries, by id."""


@dataclass(frozen=True)
class Conclusion:
    """What a comparison, or the evaluation of a run, comes to, by the first measure.

    Attributes:
        state: the kind of conclusion.
        sentence: for those who read nothing else, without a full stop.
        line: on how many queries a system is better and worse, between which numbers the difference lies, and, where
            nothing was decided, how many queries could decide.
        details: sentences with means, p values and queries.
        pair: the difference that it is about: of two systems, or of the best one and the next; None of a single run.
        leaders: of three systems or more, the best one and those that are not separated from it.
        of_groups: the difference whose groups of queries stand beside the verdict: of two systems, or of the baseline
            and the best one, or the next one where the baseline is the best.

    """

    state: State
    sentence: str
    line: str
    details: tuple[str, ...] = ()
    pair: Difference | None = None
    leaders: tuple[str, ...] = field(default=())
    of_groups: Difference | None = None

    @property
    def title(self) -> str:
        """The state in a word or a few."""
        return TITLES[self.state]

    @property
    def sentences(self) -> list[str]:
        """All of it, in sentences."""
        return [*filter(None, [f"{self.sentence}.", self.line, *self.details])]


def verdict(compared: Compared) -> Conclusion:
    """Return the better system by the first measure, with the certainty and the interval.

    State and sentence follow from the word of a difference, and this from the interval that the sentence has.
    """
    if len(compared.scores.systems) < _MANY:
        return _of_two(compared)
    return _of_several(compared)


def pairs(compared: Compared, measures: Sequence[str] | None = None) -> list[Difference]:
    """Return the differences of all pairs of systems, the second less the first in the order of the systems.

    Those that are among the differences of the comparison are these; all others are corrected over all pairs of systems
    by the same measure.

    Args:
        compared: a comparison.
        measures: the first measure where not said.

    """
    scores, rows = compared.scores, dict[tuple[str, str, str], Difference]()
    for measure in measures or scores.measures[:1]:
        single = scores.of_measures(np.array([name == measure for name in scores.measures]))
        every = list(combinations(range(len(scores.systems)), 2))
        decided = {frozenset((row.first, row.second)): row for row in compared.differences if row.measure == measure}
        if len(decided) < len(every):
            rows |= {
                (row.first, row.second, measure): row for row in differences({"": single}, every, compared.plan)[0]
            }
        for row in decided.values():
            is_in_order = scores.systems.index(row.first) < scores.systems.index(row.second)
            ordered = row if is_in_order else row.reversed()
            rows[ordered.first, ordered.second, measure] = ordered
    return list(rows.values())


def _of_two(compared: Compared) -> Conclusion:
    """Return the verdict on two systems."""
    lead, plan = compared.scores.measures[0], compared.plan
    row = next(row for row in compared.differences if row.measure == lead)
    first, second, queries = named_alone(row.first), named_alone(row.second), counted(row.queries)
    gain = row.difference if compared.scores.better[lead] == "higher" else -row.difference
    state = _state(compared, row)
    could = f"{second} may be {'better' if gain > 0 else 'worse'}" if gain else ""
    sentences: dict[State, str] = {
        "better": f"{second} ranks better than {first}",
        "worse": f"{second} ranks worse than {first}",
        "same": f"{second} is as good as {first}, within {row.margin:g}",
        "equal": f"{second} ranks as well as {first}, on every query",
        "unclear": f"{could}; {queries} cannot tell" if could else f"{queries} cannot tell {second} from {first}",
        "too few": f"{_too_few(row, plan)} cannot tell {second} from {first}",
        "noise": f"{second} and {first} differ by no more than identical runs do",
    }
    return Conclusion(
        state,
        sentences[state],
        " ".join(filter(None, [_counts(row), _certainty(compared, row, state), *_turned(compared, row)])),
        tuple(_details(compared, row, state)),
        row,
        of_groups=row,
    )


def _state(compared: Compared, row: Difference) -> State:
    """Return what a difference comes to."""
    repeated = [each for each in compared.repeated if each[:3] == row[:3]]
    if row.word in ("unclear", "too few") and any(each.is_within for each in repeated):
        return "noise"
    return "same" if row.word == "equivalent" else row.word


def _too_few(row: Difference, plan: Plan) -> str:
    """Say of what there is too little."""
    return counted(row.queries) if math.isfinite(row.needed) else counted(plan.resamples, "resample", "resamples")


def _counts(row: Difference) -> str:
    """Say on how many queries the second system is better and worse; nothing where no query has a value."""
    if not row.wins + row.ties + row.losses:
        return ""
    if not row.wins + row.losses:
        return f"Equal on all of {counted(row.ties)}."
    equal = f", equal on {row.ties:,}" if row.ties else ""
    return f"Better on {row.wins:,} of {counted(row.queries)}, worse on {row.losses:,}{equal}."


def _certainty(compared: Compared, row: Difference, state: State) -> str:
    """Return the interval of the difference and, if undecided, the number of queries that would decide."""
    plan = compared.plan
    between = f"between {_between(row, plan, ' and ')}"
    if state == "equal":
        return ""
    if state == "same":
        return f"The difference by {row.measure} is most likely {between}, within ±{row.margin:g}."
    if state == "too few":
        return _could(compared, row)
    lower = " (lower is better)" if compared.scores.better[row.measure] == "lower" else ""
    sentences = (
        [f"The difference by {row.measure} is most likely {between}{lower}."]
        if row.interval(plan.level).is_finite
        else []
    )
    if state == "noise":
        identical = next(each.identical for each in compared.repeated if each[:3] == row[:3])
        sentences.append(f"Identical runs differ by up to {figure(identical).lstrip('+')}.")
    elif state == "unclear" and (needed := _needed(compared, row)):
        sentences.append(f"A difference this small would need {needed} with power {POWER:.0%}.")
    return " ".join(sentences)


def _between(row: Difference, plan: Plan, joint: str) -> str:
    """Write the ends of the deciding interval; rounding never moves an end across 0 or the margin."""
    low, high, _ = row.interval(plan.level)
    return joint.join(figure(end, (0.0, -row.margin, row.margin)) for end in (low, high))


def _could(compared: Compared, row: Difference) -> str:
    """Say how many queries could show a difference, where there are too few."""
    family = f" with {row.comparisons:,} comparisons" if row.comparisons > 1 else ""
    at = f"{100 * compared.plan.alpha:.3g} %{family}"
    if math.isinf(row.needed):
        return f"{counted(compared.plan.resamples, 'resample', 'resamples')} give no p small enough for {at}."
    differing = row.wins + row.losses
    fewest = f"{int(row.needed):,}"
    method = stats.TESTS.get(compared.plan.test)
    if 0 < differing < row.queries and method is not None and method.counts_signs:
        only = f"Only {differing:,} of {counted(row.queries)} {'differs' if differing == 1 else 'differ'}"
        return f"{only}, which cannot show a difference at {at}; {fewest} that differ could."
    return f"{counted(row.queries)} cannot show a difference at {at}; {fewest} could."


def _needed(compared: Compared, row: Difference) -> str:
    """Say how many queries it takes to show the mean difference; nothing where no number of them does.

    They are those of a t test at the level of this comparison, corrected as its p is.
    """
    scores, plan, alpha = compared.scores, compared.plan, 1 - row.level
    if not row.difference:
        return ""
    table = scores.of_pair(row.measure, (scores.systems.index(row.first), scores.systems.index(row.second)))
    each = stats.differences(*table.pair(row.measure, row.first, row.second))[:, None]
    number = float(stats.queries_needed(stats.deviations(each, table.weights), abs(row.difference), POWER, alpha)[0])
    over_runs = scores.run_difference(row.measure, row.first, row.second)
    if over_runs is not None and over_runs.runs >= stats.runs_to_decide(plan.level):
        runs = min(scores.runs_of(name) for name in (row.first, row.second))
        number = over_runs.design.queries_needed(abs(row.difference), runs, POWER, alpha)
    if not math.isfinite(number):
        return ""
    if number > _MILLION:
        return "more than a million queries"
    return f"about {counted(max(int(number), row.queries + 1))}"


def _turned(compared: Compared, row: Difference, beginning: str = "By") -> Iterator[str]:
    """Name the groups of queries in which the difference has the other sign."""
    for column, rows in compared.slices.items():
        of_pair = [way for each in rows for way in (each, each.reversed()) if way[:3] == row[:3]]
        turned = [each for each in of_pair if each.difference * row.difference < 0]
        for phrase, is_decided in (("it is the other way round", True), ("the sign turns", False)):
            several = [each for each in turned if (each.word in ("better", "worse")) == is_decided]
            groups = [
                f"{named_alone(each.group)} ({figure(each.difference)}, {_WORDS.get(each.word, each.word)})"
                for each in several[:_NAMED]
            ]
            more = f" and {len(several) - _NAMED:,} more" if len(several) > _NAMED else ""
            if several:
                yield f"{beginning} {named_alone(column)} {phrase} in {', '.join(groups)}{more}."


def _details(compared: Compared, row: Difference, state: State) -> Iterator[str]:
    """Yield sentences with means, p, further measures and queries."""
    first, second, measure = named_alone(row.first), named_alone(row.second), row.measure
    corrected = f", corrected for {row.comparisons:,} comparisons" if row.comparisons > 1 else ""
    p = p_value(row.adjusted)
    p = f"p {p}{corrected}" if p.startswith("<") else f"p = {p}{corrected}"
    reasons: dict[State, str] = {
        "better": f"Unlikely to be chance ({p}): the",
        "worse": f"Unlikely to be chance ({p}): the",
        "unclear": f"Could be chance ({p}): the",
        "too few": f"Could be chance ({p}): the",
        "noise": f"Could be chance ({p}): the",
        "same": f"Within the margin ({p}): the",
    }
    means = f"mean {measure} of {second} is {row.second_mean:.4f}, of {first} {row.first_mean:.4f}"
    further = [each for each in compared.differences if each.measure != measure and each[1:3] == row[1:3]]
    words = [
        f"{_WORDS.get(word, word)} by {', '.join(each.measure for each in further if each.word == word)}"
        for word in dict.fromkeys(each.word for each in further)
    ]
    yield "; ".join([f"{reasons.get(state, 'The')} {means} ({figure(row.difference)})", *words]) + "."
    for each in compared.repeated:
        if each.measure != measure or each[1:3] != row[1:3]:
            continue
        if each.is_enough:
            yield f"The difference is {each.verdict} (±{each.identical:.4f})."
        else:
            yield f"At least {each.needed} runs of each system are needed to tell it from what identical runs do."
    yield from _losses(compared, row)


_WORDS: Final = {"unclear": "not decided", "too few": "too few queries", "equivalent": "the same within the margin"}
"""what sentences call the words of differences"""


def _losses(compared: Compared, row: Difference) -> Iterator[str]:
    """Name the queries on which the second system loses most."""
    scores, sign = compared.scores, 1.0 if compared.scores.better[row.measure] == "higher" else -1.0
    queries = QueryDifferences(scores.queries, *scores.pair(row.measure, row.first, row.second), sign)
    if lost := [each.query for each in queries.worst(_LOSSES)]:
        against = f" to {named_alone(row.first)}" if len(compared.scores.systems) > 2 else ""  # noqa: PLR2004 - of two
        yield f"{named_alone(row.second)} loses most{against} on{named(lost, compared.texts)[1:]}."


def _of_several(compared: Compared) -> Conclusion:
    """Return the verdict on three systems or more: the best one, those that are not separated from it, and the next."""
    scores, plan = compared.scores, compared.plan
    lead, means = scores.measures[0], scores.system_means
    sign = 1.0 if scores.better[lead] == "higher" else -1.0
    ranked = sorted(means, key=lambda name: np.nan_to_num(sign * means[name][lead], nan=-np.inf), reverse=True)
    every = [row for each in pairs(compared) for row in (each, each.reversed())]
    better = {(row.second, row.first) for row in every if row.word == "better"}
    best, following = ranked[:2]
    ahead = {row.first: row for row in every if row.second == best}
    leaders = (best, *(name for name in ranked[1:] if (best, name) not in better))
    rest = [name for name in ranked if name not in leaders]
    row = ahead[following]
    state, sentence = _standing(compared, best, [ahead[name] for name in leaders[1:]])
    line = []
    if len(leaders) > 1 and rest and all((leader, name) in better for leader in leaders for name in rest):
        leading = "Both" if len(leaders) == 2 else "All of them"  # noqa: PLR2004 - both are two
        line.append(f"{leading} rank better than {f'the other {len(rest)}' if rest[1:] else named_alone(rest[0])}.")
    interval = row.interval(plan.level)
    between = f" ({_between(row, plan, ' to ')})" if interval.is_finite else ""
    size = figure(abs(row.difference)).lstrip("+")
    line.append(f"By {lead}, {named_alone(best)} is {size} ahead of {named_alone(following)}, the next{between}.")
    if row.word == "too few":
        line.append(_could(compared, row))
    elif row.word == "unclear" and (needed := _needed(compared, row)):
        line.append(f"Telling them apart would need {needed} with power {POWER:.0%}.")
    against = [each for each in compared.differences if each.measure == lead and each.first == compared.baseline]
    shown = following if compared.baseline == best else best
    of_groups = next((each for each in against if each.second == shown), row)
    pair = f"{named_alone(of_groups.second)} beside {named_alone(of_groups.first)}"
    line += _turned(compared, of_groups, f"Of {pair}, by")
    details = [f"By {lead}, {_beside(compared.baseline, against)}."] if against else []
    details += _losses(compared, row)
    return Conclusion(state, sentence, " ".join(line), tuple(details), row, leaders, of_groups)


def _standing(compared: Compared, best: str, unseparated: Sequence[Difference]) -> tuple[State, str]:
    """Return state and sentence of three systems or more.

    Args:
        compared: a comparison.
        best: the system with the best mean.
        unseparated: the differences of it from each system than which it is not better.

    """
    size, queries = len(compared.scores.systems), counted(len(compared.scores.queries))
    alike = [row for row in unseparated if row.word in ("equivalent", "equal")]
    names = [row.first for row in unseparated if row not in alike]
    if not unseparated:
        return "leader", f"{named_alone(best)} leads: better than the other {size - 1}"
    if all(row.word == "too few" for row in unseparated) and len(unseparated) == size - 1:
        return "too few", f"{_too_few(unseparated[0], compared.plan)} cannot tell the {size} runs apart"
    if not alike and len(names) == size - 1:
        return "no leader", f"{queries} do not separate the {size} runs"
    if not alike:
        return "no leader", f"{_listed([best, *names])} lead; {queries} do not separate them"
    within = f"within {alike[0].margin:g}" if any(row.word == "equivalent" for row in alike) else "on every query"
    verb = "is" if len(alike) == 1 else "are"
    sentence = f"{named_alone(best)} leads; {_listed([row.first for row in alike])} {verb} as good, {within}"
    open_names = f"; {queries} do not separate it from {_listed(names)}" if names else ""
    return "no leader", f"{sentence}{open_names}"


def _beside(baseline: str, rows: Sequence[Difference]) -> str:
    """Say how systems compare with the baseline, those of one word together."""
    base = named_alone(baseline)
    phrases = {
        "better": f"better than {base}",
        "worse": f"worse than {base}",
        "equivalent": f"as good as {base}, within the margin",
        "equal": f"as good as {base} on every query",
    }
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(phrases.get(row.word, f"not separated from {base}"), []).append(named_alone(row.second))
    return "; ".join(f"{phrase}: {', '.join(names)}" for phrase, names in groups.items())


def _listed(names: Sequence[str]) -> str:
    """Name the first systems of a list, and count the rest."""
    shown = [named_alone(name) for name in names[:_NAMED]]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED:,} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))

"""Say how many queries and runs a comparison needs, and how small a difference it can find."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.comparison.result import Comparison
from rankworth.comparison.score_table import side_by_side, widest
from rankworth.comparison.scores import paired
from rankworth.comparison.sources import systems_of
from rankworth.comparison.systems import SystemReader
from rankworth.errors import InputError, UsageError
from rankworth.results.values import RunValues, Values
from rankworth.stats.samples import whole

Measured = Comparison | RunValues | Mapping[str, Values]
"""values of two systems or more"""


def power(
    values: Measured, effect: float, *, n: int | None = None, runs: int | None = None, alpha: float = 0.05
) -> dict[str, float]:
    """Compute the probability that a paired t test finds a difference, by measure.

    For a comparison of systems with several runs the test is that of t over queries and runs.

    Args:
        values: a comparison, or the values of two runs at least.
        effect: the mean difference.
        n: how many queries there are to be; as many as there are where not said.
        runs: how many runs each system is to have; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        InputError: `empty-input` for fewer than two runs.
        UsageError: `not-comparable`, `unknown-setting`; `conflicting-options` for `runs` where no system has several.

    """
    if designs := _designs(values, runs):
        return {name: each.design.power(effect, n or each.queries, each.runs, alpha) for name, each in designs.items()}
    return _planned(lambda spread, size, _: stats.power(spread, effect, size, alpha=alpha), values, n)


def minimal_detectable(
    values: Measured, *, power: float = 0.8, n: int | None = None, runs: int | None = None, alpha: float = 0.05
) -> dict[str, float]:
    """Compute the smallest difference that a paired t test finds with this probability, by measure.

    It is infinite where no two values of the measure differ by as much. For a comparison of systems with several runs
    the test is that of t over queries and runs.

    Args:
        values: a comparison, or the values of two runs at least.
        power: the probability.
        n: how many queries there are to be; as many as there are where not said.
        runs: how many runs each system is to have; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        InputError: `empty-input` for fewer than two runs.
        UsageError: `not-comparable`, `unknown-setting`; `conflicting-options` for `runs` where no system has several.

    """
    if designs := _designs(values, runs):
        numbers = (
            each.design.minimal_detectable(n or each.queries, each.runs, power, alpha) for each in designs.values()
        )
        pairs = zip(designs.items(), numbers, strict=True)
        return {name: math.inf if number > each.widest else number for (name, each), number in pairs}

    def smallest(spread: float, size: int, widest: float) -> Floats:
        least = stats.minimal_detectable(spread, size, power=power, alpha=alpha)
        return np.where(least > widest, np.inf, least)

    return _planned(smallest, values, n)


def queries_needed(
    values: Measured, effect: float, *, power: float = 0.8, runs: int | None = None, alpha: float = 0.05
) -> dict[str, float]:
    """Compute how many queries a paired t test needs to find a difference with this probability, by measure.

    For a comparison of systems with several runs the test is that of t over queries and runs; the number is infinite
    where runs differ so much that no number of queries will do.

    Args:
        values: a comparison, or the values of two runs at least.
        effect: the mean difference.
        power: the probability.
        runs: how many runs each system is to have; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        InputError: `empty-input` for fewer than two runs.
        UsageError: `not-comparable`, `unknown-setting`; `conflicting-options` for `runs` where no system has several.

    """
    if designs := _designs(values, runs):
        return {name: each.design.queries_needed(effect, each.runs, power, alpha) for name, each in designs.items()}
    return _planned(lambda spread, *_: stats.queries_needed(spread, effect, power=power, alpha=alpha), values)


def runs_needed(
    values: Comparison, effect: float, *, power: float = 0.8, n: int | None = None, alpha: float = 0.05
) -> dict[str, float]:
    """Compute how many runs of each system are needed to find a difference with this probability, by measure.

    The number is that for t over queries and runs, and no smaller than what identical runs are told from others with
    (4 at an alpha of 0.05); it is infinite where queries differ so much that no number of runs will do.

    Args:
        values: a comparison in which a system has several runs.
        effect: the mean difference.
        power: the probability.
        n: how many queries there are to be; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        UsageError: `conflicting-options` where no system has several runs, `unknown-setting`.

    >>> from rankworth import compare
    >>> qrels = {f"q{number}": {"a": 1} for number in range(20)}
    >>> def run(*shuffled):
    ...     return {query: ["b", "a"] if number % 7 in shuffled else ["a", "b"] for number, query in enumerate(qrels)}
    >>> told = compare(qrels, {"old": [run(0), run(1), run(0, 1)], "new": [run(2), run(1), run(2, 3)]}, ["RR"])
    >>> runs_needed(told, 0.3)
    {'RR': 4.0}
    """
    designs = _designs(values, None)
    if not designs:
        text = "no system has several runs, so that nothing is known of how runs vary"
        raise UsageError("conflicting-options", text, remedy='compare(qrels, {"old": [run, run, ...], "new": [...]})')
    numbers = {}
    for name, each in designs.items():
        numbers[name] = each.design.runs_needed(effect, n or each.queries, power, alpha)
    return numbers


class _Planned(NamedTuple):
    """What the variance of differences is made of, with what there is now."""

    design: stats.Design
    queries: int
    runs: int
    widest: float


def _designs(values: object, runs: int | None) -> dict[str, _Planned]:
    """Return by measure what the variance of differences is made of, over pairs of systems; empty without several runs.

    Raises:
        UsageError: `conflicting-options` for a number of runs where no system has several; `unknown-setting`.

    """
    rows = values.repeated if isinstance(values, Comparison) else ()
    if not isinstance(values, Comparison) or not rows:
        if runs is not None:
            text = f"runs={runs} says how many runs a system is to have, and no system has several now"
            raise UsageError(
                "conflicting-options", text, remedy="give several runs of a system: {name: [run, run, ...]}"
            )
        return {}
    if runs is not None:
        whole("runs", runs, 1)
    planned = {}
    for measure in values.measures:
        of_measure = [row for row in rows if row.measure == measure]
        parts = [values.scores.run_difference(measure, row.first, row.second) for row in of_measure]
        designs = [part.design for part in parts if part is not None]
        mean = stats.Design(*np.mean(designs, axis=0).tolist())
        queries = min(row.queries for row in values.differences if row.measure == measure)
        fewest = min(min(row.first_runs, row.second_runs) for row in of_measure)
        planned[measure] = _Planned(mean, queries, runs or fewest, widest(values.scores.canonical[measure]))
    return planned


def _planned(function: Callable[[float, int, float], Floats], values: object, n: int | None = None) -> dict[str, float]:
    """Apply a function of the spread of differences, the number of queries and the greatest possible difference.

    The spread is the root of the mean variance of the differences of two systems, over all pairs of these: twice the
    residual mean square of a two-way analysis of variance of systems and queries, where all queries count alike.

    Raises:
        InputError: `empty-input` for fewer than two runs.
        UsageError: `unknown-setting`, `not-comparable`.

    """
    if isinstance(values, Comparison):
        scores = values.scores
    elif isinstance(values, Values) or not isinstance(values, Mapping) or len(values) < 2:  # noqa: PLR2004 - two differ
        text = "the spread of differences takes the values of two runs at least"
        raise InputError("empty-input", text, remedy="evaluate_runs gives them, and so does compare")
    else:
        systems = SystemReader().read(systems_of(values))
        scores = side_by_side(systems, paired(systems))
    by_measure = {}
    for column, name in enumerate(scores.measures):
        values = scores.values[:, column]  # [S, Q]
        complete = ~np.isnan(values).any(axis=0)
        levelled = stats.levelled(values[:, complete].T)  # [q, S], of the queries that all systems have a value for
        first, second = np.triu_indices(len(scores.systems), 1)
        weights = None if scores.weights is None else scores.weights[complete]
        spreads = stats.deviations(levelled[:, second] - levelled[:, first], weights)  # [pairs]
        size = len(levelled) if n is None else n
        spread = math.sqrt(float((spreads**2).mean()))
        by_measure[name] = float(function(spread, size, widest(scores.canonical[name])))
    return by_measure

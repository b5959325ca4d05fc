"""How many queries a comparison needs, by what systems that were measured differ in from query to query."""

import math
from collections.abc import Callable, Mapping

from rankworth import stats
from rankworth.comparison.board import Board, board
from rankworth.comparison.measuring import Measuring, systems
from rankworth.comparison.result import Comparison
from rankworth.comparison.systems import Floats, paired
from rankworth.errors import InputError, UsageError
from rankworth.evaluation.values import RunValues, Values

Measured = Comparison | RunValues | Mapping[str, Values]
"""what tells how far differences spread"""


def deviations(values: Measured) -> dict[str, float]:
    """How far the differences of two systems spread from query to query, by measure.

    That is `sqrt(2 r)`, where r is the residual mean square of a two-way analysis of variance of systems and queries;
    of two systems the standard deviation of their differences.

    Args:
        values: a comparison, or the values of two runs at least.

    Raises:
        InputError: `empty-input` for fewer than two runs.
        UsageError: `not-comparable`.

    >>> from rankworth import evaluate_runs
    >>> qrels = {f"q{place}": {"a": 1} for place in range(4)}
    >>> old = {query: ["b", "a"] for query in qrels}
    >>> new = old | {"q1": ["a", "b"]}
    >>> round(deviations(evaluate_runs(qrels, {"old": old, "new": new}, ["RR"]))["RR"], 4)  # 0, 1/2, 0, 0
    0.25
    """
    return {name: one for name, (one, _) in _spread(values).items()}


def power(values: Measured, effect: float, *, n: int | None = None, alpha: float = 0.05) -> dict[str, float]:
    """The probability that a paired t test finds a difference, by measure.

    Args:
        values: as for `deviations`.
        effect: the mean difference.
        n: how many queries there are to be; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        InputError, UsageError: as `deviations`.

    """
    return _planned(lambda one, size: stats.power(one, effect, size, alpha=alpha), values, n)


def minimal_detectable(
    values: Measured,
    *,
    power: float = 0.8,
    n: int | None = None,
    alpha: float = 0.05,
) -> dict[str, float]:
    """The smallest difference that a paired t test finds with this probability, by measure.

    Args:
        values: as for `deviations`.
        power: the probability.
        n: how many queries there are to be; as many as there are where not said.
        alpha: the level of significance, two-sided.

    Raises:
        InputError, UsageError: as `deviations`.

    """
    return _planned(lambda one, size: stats.minimal_detectable(one, size, power=power, alpha=alpha), values, n)


def queries_needed(values: Measured, effect: float, *, power: float = 0.8, alpha: float = 0.05) -> dict[str, float]:
    """How many queries a paired t test needs to find a difference with this probability, by measure.

    Args:
        values: as for `deviations`.
        effect: the mean difference.
        power: the probability.
        alpha: the level of significance, two-sided.

    Raises:
        InputError, UsageError: as `deviations`.

    """
    return _planned(lambda one, _: stats.queries_needed(one, effect, power=power, alpha=alpha), values)


def _planned(function: Callable[[float, int], Floats], values: Measured, n: int | None = None) -> dict[str, float]:
    """What a function of deviation and number of queries comes to, by measure.

    Raises:
        UsageError: `unknown-setting`, and as `deviations`.

    """
    spread = _spread(values)
    try:
        return {name: float(function(one, size if n is None else n)) for name, (one, size) in spread.items()}
    except ValueError as error:
        raise UsageError("unknown-setting", str(error)) from None


def _spread(values: Measured) -> dict[str, tuple[float, int]]:
    """The deviation of differences, and over how many queries that all systems have a value for, by measure."""
    known = values.board if isinstance(values, Comparison) else _board(values)
    return {
        name: (math.sqrt(2 * stats.anova(table).residual.mean_square) if len(table) > 1 else math.nan, len(table))
        for name, table in known.complete.items()
    }


def _board(values: object) -> Board:
    """The values of several runs side by side."""
    if not isinstance(values, Mapping) or isinstance(values, Values) or len(values) < 2:  # noqa: PLR2004 - two differ
        text = "the spread of differences takes the values of two runs at least"
        raise InputError("empty-input", text, remedy="evaluate_runs gives them, and so does compare")
    found = systems(values, Measuring())
    return board(found, paired(found))

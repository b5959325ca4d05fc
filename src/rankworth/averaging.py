"""Over which queries a mean is taken, and what stands in for a value that is missing or undefined."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, UsageError, quoted
from rankworth.slices import Groups, Weights

Missing = Literal["zero", "nought", "nan", "skip", "absent", "error"]
Extra = Literal["ignore", "zero", "error"]
Empty = Literal["missing", "zero", "nan", "skip", "error"]
AllNegative = Literal["keep", "previous"]
NoRelevant = float | Literal["keep", "nan", "skip", "error"]
RelevantBy = Literal["grade", "sum"]
Neither = float | Literal["keep", "nan"]
Divisor = Literal["rows", "judged", "run"]
Halves = Literal["even", "up"]
Undefined = float | Literal["nan", "skip", "error"]
NoHit = Literal["keep", "nan", "skip"]
NotANumber = Literal["propagate", "zero", "skip"]
NoQueries = Literal["nan", "zero", "hits", "error"]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "missing": get_args(Missing),
        "extra": get_args(Extra),
        "empty": get_args(Empty),
        "relevant_by": get_args(RelevantBy),
        "no_hit": get_args(NoHit),
        "nan": get_args(NotANumber),
        "all_negative": get_args(AllNegative),
        "divisor": get_args(Divisor),
        "halves": get_args(Halves),
        "no_queries": get_args(NoQueries),
    }
)
"""The words that settings take."""
NUMBERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "undefined": ("nan", "skip", "error"),
        "no_relevant": ("keep", "nan", "skip", "error"),
        "neither": ("keep", "nan"),
    }
)
"""The words that settings take beside numbers."""


@dataclass(frozen=True)
class Averaging:
    """How values of queries become one number.

    Attributes:
        missing: a judged query for which the run has nothing counts as an empty ranking, which is mostly worth 0
            (`zero`, as `-c` in trec_eval 10), as the number 0 whatever it would be worth (`nought`), or as `nan`; it is
            left out (`skip`), has no value of its own but counts in the mean (`absent`, `-c` in trec_eval 9), or is
            refused (`error`).
        extra: a query of the run that nobody judged is not looked at (`ignore`), counts as a ranking without judged
            documents (`zero`), or is refused (`error`).
        empty: a query that the run has with an empty list is `missing`, counts as an empty ranking (`zero`), has `nan`
            for its value, is left out (`skip`), or is refused (`error`).
        no_relevant: a judged query without a relevant document is kept (`keep`), left out (`skip`), refused (`error`),
            or has this number for its value.
        relevant_by: a query has a relevant document if a `grade` is above 0, or if the `sum` of the grades is not 0.
        neither: a query without a relevant document and without results is as others are (`keep`), or has this number
            for its value.
        all_negative: the value of a query whose grades are all negative is its own (`keep`), or that of the query
            before it (`previous`), 0 for the first.
        undefined: what a value without a divisor becomes, such as the recall of a query without relevant documents: a
            number, `nan`; or the query is left out (`skip`), or refused (`error`).
        no_hit: a value of 0 for a query with relevant documents is kept (`keep`), becomes `nan`, or is left out
            (`skip`).
        nan: a value that is NaN makes the mean NaN (`propagate`), counts as 0 in it (`zero`), or is left out of it
            (`skip`).
        divisor: a mean is taken over the `rows`, or their sum is divided by the number of all `judged` queries, or of
            all queries that the `run` has.
        logarithms: whether queries show the logarithms of which a geometric mean is made.
        fewest: queries with fewer retrieved documents are refused.
        round_values: the decimals of each value; all where None.
        round_means: the decimals of the mean.
        halves: what lies in the middle is rounded as Python does (`even`), or `up`.
        no_queries: the mean over not one query is NaN (`nan`), 0 (`zero`), 0 where no judged document was retrieved for
            any query and NaN otherwise (`hits`), or refused (`error`).
        weights: how much each query counts: a mean is the sum of weight times value over the sum of the weights, of all
            queries that the mean is taken over; sums are not weighted.
        macro: groups that count alike: a mean is that of the means of the groups; sums are those of all queries.

    """

    missing: Missing = "zero"
    extra: Extra = "ignore"
    empty: Empty = "missing"
    no_relevant: NoRelevant = "keep"
    relevant_by: RelevantBy = "grade"
    neither: Neither = "keep"
    all_negative: AllNegative = "keep"
    undefined: Undefined = 0.0
    no_hit: NoHit = "keep"
    nan: NotANumber = "propagate"
    divisor: Divisor = "rows"
    logarithms: bool = False
    fewest: int = 0
    round_values: int | None = None
    round_means: int | None = None
    halves: Halves = "even"
    no_queries: NoQueries = "nan"
    weights: Weights | None = None
    macro: Groups | None = None

    def __post_init__(self) -> None:
        """Refuse what is no setting."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                said = " or ".join(map(repr, choices))
                what = "what a missing query becomes" if name == "missing" else name
                raise UsageError("unknown-setting", f"{name}={getattr(self, name)!r}: {what} is {said}")
        for name, words in NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, str) and value not in words:
                said = " or ".join(map(repr, words))
                raise UsageError("unknown-setting", f"{name}={value!r}: {name} is a number or {said}")
            if not isinstance(value, str):
                if isinstance(value, bool) or math.isinf(value):
                    raise UsageError("unknown-setting", f"{name}={value}: {name} is a finite number")
                object.__setattr__(self, name, "nan" if math.isnan(value) else float(value))
        _refuse_slices(self)
        if not isinstance(self.logarithms, bool):
            raise UsageError("unknown-setting", f"logarithms={self.logarithms!r}: logarithms is True or False")
        for name in ("fewest", "round_values", "round_means"):
            number = getattr(self, name)
            sound = isinstance(number, int | float) and not isinstance(number, bool) and number % 1 == 0 and number >= 0
            if number is not None and not sound:
                raise UsageError("unknown-setting", f"{name}={number!r}: {name} is a whole number from 0")


def _refuse_slices(settings: Averaging) -> None:
    """Refuse what are no weights and no groups."""
    for name, kind in (("weights", Weights), ("macro", Groups)):
        value = getattr(settings, name)
        if not isinstance(value, kind | None):
            raise UsageError("unknown-setting", f"{name}={value!r}: {name} is a {kind.__name__} or None")


STANDARD: Final = Averaging()

Way = Literal["mean", "gmean", "sum"]
"""How the values of all queries become one: mean, geometric mean, or sum."""

_FLOOR: Final = 0.00001
"""what a value counts at least in a geometric mean, in which one 0 would make all the others void"""


def summary(values: Floats, ways: Sequence[Way]) -> Floats:
    """`[M]`: one number for each column of `[Q, M]`, added from the first query to the last, as trec_eval does.

    Geometric mean: the exponential of the mean of ln(max(value, 0.00001)).

    >>> summary(np.array([[0.5, 4.0, 1.0], [1.0, 1.0, 1.0]]), ["mean", "gmean", "sum"]).tolist()
    [0.75, 2.0, 2.0]
    """
    means = mean(additive(values, ways))
    return np.array([_back(value, way, len(values)) for value, way in zip(means.tolist(), ways, strict=True)])


def additive(values: Floats, ways: Sequence[Way]) -> Floats:
    """The same values, as logarithms in the columns of geometric means: what a mean may be taken of."""
    if "gmean" not in ways:
        return values
    columns = [
        [math.log(max(value, _FLOOR)) for value in column] if way == "gmean" else column
        for column, way in zip(values.T.tolist(), ways, strict=True)
    ]
    return np.array(columns, dtype=np.float64).reshape(values.T.shape).T


def back(means: Floats, ways: Sequence[Way]) -> Floats:
    """Means of `additive` values, or bounds of them, on the scale of the values; a sum has none."""
    return np.array(
        [math.nan if way == "sum" else _back(value, way, 1) for value, way in zip(means.tolist(), ways, strict=True)]
    )


def _back(value: float, way: Way, queries: int) -> float:
    if way == "gmean":
        return math.exp(value)
    return value * queries if way == "sum" else value


def mean(values: Floats) -> Floats:
    """`[M]`: the means of the columns of `[Q, M]`, added from the first query to the last, as trec_eval does.

    >>> mean(np.array([[0.5, 1.0], [1.0, 0.0]])).tolist()
    [0.75, 0.5]
    """
    if not values.shape[0]:
        return np.full(values.shape[1], np.nan)
    means: Floats = np.cumsum(values, axis=0)[-1] / values.shape[0]
    return means


class Sample(NamedTuple):
    """Values that stand for queries where these are sampled."""

    values: Floats
    """`[N]`"""
    weights: Floats | None = None
    """`[N]`, where queries do not count alike"""
    groups: Integers | None = None
    """`[N]`: the place of the group of each, where groups count alike"""


def sliced(values: Floats, counted: Sequence[str], over: Sequence[str], settings: Averaging, way: Way) -> float:
    """The weighted mean of some values, or the mean of those of the groups.

    Args:
        values: `[N]`.
        counted: the queries of the values.
        over: the queries that the mean is taken over; the same list where they are the same.
        settings: weights and groups.
        way: mean or geometric mean.

    """
    values = additive(values[:, None], [way])[:, 0]
    weights = _weights(counted, settings)
    weights_over = weights if over is counted else _weights(over, settings)
    if settings.macro is None:
        number = weighted(values, weights, weights_over)
    else:
        every = counted if over is counted else [*counted, *over]
        names, places = settings.macro.parts(every, strict=True)
        own, of_all = places[: len(counted)], places[len(every) - len(over) :]
        means = [
            weighted(values[own == place], weights[own == place], weights_over[of_all == place])
            for place in range(len(names))
            if (of_all == place).any()
        ]
        number = float(mean(np.array(means)[:, None])[0])
    return float(back(np.array([number]), [way])[0])


def sample(values: Floats, counted: Sequence[str], over: Sequence[str], settings: Averaging) -> Sample:
    """The same values with their weights and groups, and with 0 for queries that the mean is taken over besides."""
    there = set(counted)
    queries = [*counted, *(query for query in over if query not in there)]
    values = np.append(values, np.zeros(len(queries) - values.size))
    weights = _weights(queries, settings)
    inside = set(over)
    divided = np.array([query in inside for query in queries], dtype=bool)
    if not divided.all() and weights[divided].any():
        parts = weights / weights.max()
        values = values * (parts.sum() / parts[divided].sum())
    groups = None if settings.macro is None else settings.macro.parts(queries, strict=True).places
    one = groups is None or bool((groups == groups[:1]).all())
    alike = bool((weights > 0).all() and (weights == weights[:1]).all())
    return Sample(values, None if alike else weights, None if one else groups)


def refuse(counted: Sequence[str], over: Sequence[str], settings: Averaging) -> None:
    """Refuse weights and groups that make no mean.

    Args:
        counted: the queries that have a value.
        over: the queries that the mean is taken over.
        settings: weights and groups.

    Raises:
        InputError: `missing-value`, where a query has no weight or group; `bad-weight`, where all weights are 0.

    """
    weights = _weights(over, settings)
    if over is not counted:
        _weights(counted, settings)
    names, places = ["all"], np.zeros(len(over), dtype=np.int64)
    if settings.macro is not None:
        names, places = settings.macro.parts(over, strict=True)
        if over is not counted:
            settings.macro.parts(counted, strict=True)
    for place, name in enumerate(names if settings.weights is not None and len(over) else ()):
        if not weights[places == place].any():
            of_group = f" of the group {quoted([name])}" if settings.macro is not None else ""
            text = f"all {np.count_nonzero(places == place):,} scored queries{of_group} have the weight 0"
            source = settings.weights.source if settings.weights is not None else ""
            raise InputError("bad-weight", f"{source}: {text}", remedy="where no query counts there is no mean")


def _weights(queries: Sequence[str], settings: Averaging) -> Floats:
    return np.ones(len(queries)) if settings.weights is None else settings.weights.array(queries)


def weighted(values: Floats, weights: Floats, over: Floats) -> float:
    """The sum of weight times value over the sum of other weights; where all are alike, the plain mean, bit for bit.

    A value of weight 0 does not count, not even where it is NaN.

    Args:
        values: `[N]`.
        weights: `[N]`, from 0.
        over: the weights of all queries that the sum is divided by.

    >>> weighted(np.array([0.5, 1.0]), np.array([3.0, 1.0]), np.array([3.0, 1.0]))
    0.625
    """
    values, weights, over = values[weights > 0], weights[weights > 0], over[over > 0]
    if not over.size:
        return math.nan
    every = np.append(weights, over)
    if every.min() == every.max():
        return float(np.cumsum(values)[-1]) / over.size if values.size else 0.0
    _, exponents = np.frexp(every.max())
    weights, over = np.ldexp(weights, -exponents), np.ldexp(over, -exponents)  # so that no sum is beyond all numbers
    return math.fsum((weights * values).tolist()) / math.fsum(over.tolist())

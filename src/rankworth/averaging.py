"""Over which queries a mean is taken, and what stands in for a value that is missing or undefined."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import UsageError
from rankworth.groups import Groups, Weights

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

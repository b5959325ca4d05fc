"""What an evaluation gives: a value for each query and measure, with the means, the counts and the signature.

One type, whether one measure was asked for or forty.
"""

from rankworth.names import kind_of
from rankworth.values.counts import Counts
from rankworth.values.groups import behind
from rankworth.values.queries import PerQuery
from rankworth.values.runs import (
    DEFECT,
    SEED,
    Behind,
    Interval,
    Intervals,
    Notice,
    RunValues,
    Values,
    intervals,
    means,
    per_query,
    warnings,
)

__all__ = [
    "DEFECT",
    "SEED",
    "Behind",
    "Counts",
    "Interval",
    "Intervals",
    "Notice",
    "PerQuery",
    "RunValues",
    "Values",
    "behind",
    "intervals",
    "kind_of",
    "means",
    "per_query",
    "warnings",
]

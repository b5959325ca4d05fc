"""Models of how far a reader goes down a ranking."""

from typing import Annotated

from rankworth.judged import Judged
from rankworth.measures.core import measure
from rankworth.measures.parameters import Positive, Probability, Within
from rankworth.measures.terms import Terms
from rankworth.measures.words import at_most, position, reach, relevant, worth


@measure("RBP", aliases=("rank_biased_precision",), linear=True, monotone=True)
def rank_biased_precision(
    judged: Judged, *, rel: float = 1, p: Probability = 0.8, max_grade: Positive | None = None
) -> Terms:
    """The rate of relevant documents met by a reader who goes on to the next one with probability p.

    RBP = (1 - p) sum over i of gain(i) p^(i - 1)

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        p: the reader's persistence; the larger, the deeper the ranks that count.
        max_grade: the best grade of the scale; gains are then grade / max_grade, and `rel` is not used.

    Range: 0 to 1, and 1 only for an endless ranking of the best documents. Always defined.
    Unjudged: gain nothing. Ties: linear.
    Source: Moffat, Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
    https://doi.org/10.1145/1416950.1416952

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "RBP(p=0.5)")  # (1 - 0.5) * (1 + 0.5^2)
    0.625
    """
    if max_grade is None:
        gain = relevant(judged, rel)
    else:
        at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
        gain = worth(judged, "linear") / max_grade
    return Terms(gain=gain, weight=position(judged, lambda rank: (1 - p) * p ** (rank - 1)))


@measure("ERR", aliases=("expected_reciprocal_rank",), monotone=True)
def expected_reciprocal_rank(judged: Judged, *, max_grade: Annotated[float, Within(0, 1000)] = 4) -> Terms:
    """One over the rank at which a reader is satisfied, expected over readers who stop more likely at better documents.

    ERR@k = sum over i <= k of 1/i * s(i) * product over j < i of (1 - s(j)), where s = (2^grade - 1) / 2^max_grade

    Args:
        judged: the rankings.
        max_grade: the best grade of the scale; 4 in TREC's gdeval and so in ir_measures, whatever the collection.

    Range: 0 to 1. Always defined.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Source: Chapelle, Metzler, Zhang, Grinspan (2009), Expected reciprocal rank for graded relevance,
    https://doi.org/10.1145/1645953.1646033

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "ERR(max_grade=1)")  # 1/2 + 1/3 * 1/2 * 1/2
    0.5833333333333333
    """
    at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
    stop = worth(judged, "exp2") / 2**max_grade
    return Terms(gain=stop, weight=reach(stop), discount=judged.rank)

"""The pooled mean of a measure over queries: the sum of numerators over that of denominators."""

from rankworth.errors import MeasureError
from rankworth.measures.core import Measure, Named, pooled


def micro(measure: Named) -> Measure:
    """The measure with the pooled mean over queries: the sum of all numerators over the sum of all denominators.

    micro(P@10) = (relevant documents at ranks 1 to 10 of all queries) / (10 per query); micro(R) = (relevant documents
    that were retrieved, of all queries) / (relevant documents of all queries)

    A query counts as much as its denominator: one with a hundred relevant documents a hundred times as much as one with
    a single one. A query whose denominator is 0 adds nothing. Queries have no values of their own; `P(micro=True)` is
    the same. Interval: by the jackknife over queries, as of a ratio estimator. Queries have no weights and no groups
    that count alike.

    Args:
        measure: a measure that is such a ratio: P, R, F, Rprec, FallOut, GroupR, NuggetR, SpanR, SpanP, SpanIoU.

    Raises:
        MeasureError: `measure-syntax` for any other.

    Source: Lewis (1991), Evaluating text categorization, https://doi.org/10.3115/112405.112471; for the interval Efron,
    Stein (1981), The jackknife estimate of variance, https://doi.org/10.1214/aos/1176345462

    >>> import rankworth
    >>> rankworth.micro(rankworth.R @ 20)
    micro(R@20)
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1, "c": 1}}
    >>> rankworth.evaluate(qrels, {"q1": ["a"], "q2": ["a", "x"]}, ["micro(R)", "R"]).mean()["micro(R)"]  # 2 / 4
    0.5
    """
    if not isinstance(measure, Measure):
        raise MeasureError("measure-syntax", f"micro({measure}): {measure} is counted and has no mean")
    return pooled(measure)

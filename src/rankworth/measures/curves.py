"""The curve of precision over recall, interpolated: at each recall the best precision from there on."""

from typing import Final, Literal

from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import (
    beside,
    cumulative,
    peak,
    portion,
    positive,
    relevant,
    round_half_up,
    round_up_tenth,
)
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Share, plain


@measure("IPrec", at="recall", ordered=True)
def interpolated_precision(
    judged: Judged,
    *,
    rel: float = 1,
    recall: Share = 0,
    rounding: Literal["nearest", "plus0.9"] = "nearest",
    empty: Literal["zero", "undefined"] = "zero",
) -> Terms:
    """The best precision at any rank that reaches a recall.

    IPrec@r = max of P@i over the ranks i with at least r R relevant documents, where R = number of relevant documents

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        recall: the recall r to be reached; what follows `@`.
        rounding: how r R becomes a number of documents: `nearest`, halves upwards (trec_eval 10); `plus0.9`, the whole
            part of r R + 0.9 (trec_eval up to 9.0.8, and so pytrec_eval and ir_measures).
        empty: what precision over no document is where no relevant document has to be found: `zero`, or `undefined`
            (0/0, trec_eval), and then it is 0 where nothing is relevant and something was retrieved.

    Range: 0 to 1. Undefined if nothing is relevant; 0 if the recall is never reached.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: trec_eval 9.0.8, pytrec_eval 0.5 and ir_measures 0.4.3 have rounding=plus0.9, trec_eval 10.0 has nearest.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([0, 1, 0, 1, 0], "IPrec@0.5", missing=[1, 1])  # 2/4: recall is 0.5 from rank 4 on
    0.5
    """
    retrieved, rank = _peak(judged, rel, recall, rounding)
    label, norm = (f"r={plain(recall)}",), _defined(judged, rel, (recall,), rounding, empty)
    return Terms(gain=retrieved, discount=rank, norm=norm, rank=rank, label=label)


_ELEVEN: Final = tuple(tenth / 10 for tenth in range(11))


@measure("AvgIPrec", ordered=True)
def average_interpolated_precision(
    judged: Judged,
    *,
    rel: float = 1,
    recalls: tuple[Share, ...] = _ELEVEN,
    rounding: Literal["nearest", "plus0.9"] = "nearest",
    empty: Literal["zero", "undefined"] = "zero",
) -> Terms:
    """The mean of the interpolated precision at eleven recalls: the area under the curve of precision and recall.

    AvgIPrec = (IPrec@0.0 + IPrec@0.1 + ... + IPrec@1.0) / 11

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        recalls: the recalls, if they are others than these eleven.
        rounding: as for IPrec.
        empty: as for IPrec.

    Range: 0 to 1. Undefined if nothing is relevant.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: trec_eval 9.0.8 and what is built on it have rounding=plus0.9, trec_eval 10.0 has nearest; one of our
    cases is 0.5636 with the first and 0.6545 with the second.
    Source: Manning, Raghavan, Schuetze (2008), Introduction to Information Retrieval, ch. 8,
    https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "AvgIPrec(recalls=[0.5, 1])")  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    falling = sorted(recalls, reverse=True)
    peaks = [_peak(judged, rel, recall, rounding) for recall in falling]
    rank = beside([at for _, at in peaks])
    return Terms(
        gain=beside([retrieved for retrieved, _ in peaks]),
        discount=rank,
        norm=len(recalls) * _defined(judged, rel, recalls, rounding, empty),
        rank=rank,
        label=tuple(f"r={plain(recall)}" for recall in falling),
    )


def _defined(judged: Judged, rel: float, recalls: tuple[float, ...], rounding: str, empty: str) -> Array:
    """1 where every precision has a divisor, else 0."""
    number = judged.n_relevant(rel)
    if empty == "zero":
        return positive(number)
    least = portion(min(recalls), number, round_half_up if rounding == "nearest" else round_up_tenth)
    return judged.xp.astype((judged.n_retrieved > 0) | (least > 0), number.dtype)


def _peak(judged: Judged, rel: float, recall: float, rounding: str) -> tuple[Array, Array]:
    """The number of relevant documents and the rank of the highest precision from a recall on."""
    rounded = round_half_up if rounding == "nearest" else round_up_tenth
    return peak(judged, cumulative(relevant(judged, rel)), portion(recall, judged.n_relevant(rel), rounded))

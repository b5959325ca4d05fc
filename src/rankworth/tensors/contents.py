"""What stands in arrays, for callers that may ask: scores that have an order, grades and counts that can be true."""

from rankworth.errors import InputError
from rankworth.judged import Array, namespace


def ordered(scores: Array) -> None:
    """Refuse NaN among scores.

    Raises:
        InputError: `bad-score`.

    """
    xp = namespace(scores)
    if bool(xp.any(xp.isnan(scores))):
        raise InputError("bad-score", "a score is NaN, which stands in no order", remedy="mask=~isnan(scores) drops it")


def finite(grades: Array) -> None:
    """Refuse infinities among grades; NaN is nobody's judgement.

    Raises:
        InputError: `bad-grade`.

    """
    xp = namespace(grades)
    if not xp.isdtype(grades.dtype, "real floating") or 0 in grades.shape:
        return
    ends = xp.isfinite(xp.min(grades)) & xp.isfinite(xp.max(grades))  # a tenth of the time; not finite beside NaN
    if not bool(ends) and bool(xp.any(xp.isinf(grades))):
        raise InputError("bad-grade", "a grade is infinite; grades are finite numbers, or NaN where nobody judged")


def countable(relevant: Array) -> None:
    """Refuse numbers of documents that are not whole.

    Raises:
        InputError: `input-type`.

    """
    xp = namespace(relevant)
    if not xp.isdtype(relevant.dtype, "real floating"):
        return
    odd = ~(xp.isfinite(relevant) & (xp.floor(relevant) == relevant))
    if bool(xp.any(odd)):
        text = f"relevant holds {float(relevant[odd][0]):g}, and counts documents"
        raise InputError("input-type", text, remedy="relevant is a whole number for each query")


def falling(scores: Array) -> bool:
    """Whether the scores of each query stand from the greatest to the least, as a search for the top k leaves them.

    The first query is asked first: that of a matrix of all documents seldom does, so that no other is looked at.
    """
    xp = namespace(scores)
    if scores.shape[1] < 2:  # noqa: PLR2004 - one document has no order
        return False
    for some in (scores[:1, :], scores):
        if bool(xp.any(some[:, 1:] > some[:, :-1])):
            return False
    return bool(xp.any(scores[:, 0] > scores[:, -1]))

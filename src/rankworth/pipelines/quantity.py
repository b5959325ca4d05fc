"""The one measure by which a pipeline is traced, or settings are chosen."""

from itertools import pairwise
from typing import Final

from rankworth.errors import MeasureError
from rankworth.measures import Measure
from rankworth.measures.core import require_queries
from rankworth.names import parse_all


def of_queries(measure: str | Measure) -> Measure:
    """Return a measure of queries, whose mean is looked at.

    Raises:
        MeasureError: `measure-syntax` where it stands for several, is counted, is a geometric mean or is measured on
            all queries together; `unknown-measure`.

    """
    quantity, *further = parse_all([measure])
    if further:
        raise MeasureError("measure-syntax", f"{measure!r} stands for {1 + len(further)} measures; name one of them")
    if not isinstance(quantity, Measure):
        raise MeasureError("measure-syntax", f"{quantity} is counted, and is no mean over queries")
    require_queries(quantity, str(quantity))
    if quantity.averaging != "mean":
        raise MeasureError("measure-syntax", f"{quantity} is no arithmetic mean over queries")
    return quantity


_NO_BEST_ORDER: Final = ("AUC", "Judged")
"""measures that documents without relevance raise, too"""


def with_best_order(measure: str | Measure) -> Measure:
    """Return a measure of queries of which the relevant documents, the best grade first, are the best order.

    Raises:
        MeasureError: as `of_queries`; `measure-syntax` for measures of which they are not: those of what should not be,
            of subtopics, of items, of costs, those that documents without relevance raise, and gains that fall with
            the grade.

    """
    quantity = of_queries(measure)
    definition = quantity.definition
    if (
        definition.better == "lower"
        or definition.subtopics
        or definition.needs
        or quantity.uses_costs
        or definition.elsewhere
        or quantity.name in _NO_BEST_ORDER
        or _falls(quantity.parameters.get("gain"))
    ):
        text = f"{quantity}: relevant documents alone, the best grade first, are not its best order"
        raise MeasureError("measure-syntax", text, remedy="trace by nDCG@10, RR@10, AP or R@100")
    return quantity


def _falls(gain: object) -> bool:
    """Return whether gains by grade are lower for a higher grade."""
    gains = [value for _, value in sorted(gain)] if isinstance(gain, tuple) else []
    return any(following < value for value, following in pairwise(gains))

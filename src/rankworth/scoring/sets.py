"""Runs of sets, which have no order: what may be measured of them."""

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Final

from rankworth.judging.judged_run import ranking
from rankworth.measures import TextFact
from rankworth.model import Run
from rankworth.names import Quantity
from rankworth.profiles import ResolvedMeasure

_GRADES: Final = (2.0, 1.0, 0.0, None, 1.0)
"""a ranking in which any two documents that are not alike may change places"""
_MISSING: Final = (1.0,)


def refuse_orders(run: Run, measures: Sequence[ResolvedMeasure]) -> None:
    """Refuse measures of the order of documents, which sets do not have.

    Raises:
        InputError: `input-type`.

    """
    for measure in measures:
        if measure.judging.depth is not None or not is_of_sets(measure.quantity):
            run.facts.refuse_sets(measure.label)


@cache
def is_of_sets(quantity: Quantity) -> bool:
    """Return whether a value is the same whatever the order of the documents.

    >>> from rankworth.names import parse
    >>> is_of_sets(parse("P")), is_of_sets(parse("P@10")), is_of_sets(parse("AP"))
    (True, False, False)
    """
    definition = quantity.definition
    is_cut = quantity.cutoff is not None or "ranks" in quantity.parameters
    if is_cut or definition.subtopics or definition.elsewhere or isinstance(quantity, TextFact):
        return False
    rankings = (ranking(order, missing=_MISSING) for order in permutations(_GRADES))
    return len({float(quantity.values(judged)[0]) for judged in rankings}) == 1

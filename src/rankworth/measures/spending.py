"""Measures of the cost of reading down to relevant documents: tokens, bytes or milliseconds."""

import math

from rankworth.judged import Array, Judged, constant
from rankworth.measures.budget import costs
from rankworth.measures.building_blocks import cumulative, positive, relevant, total
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Natural


@measure("CostToFirst", positions="all", costs=True, range=(0.0, math.inf), better="lower")
def cost_to_first(judged: Judged, *, rel: float = 1, absent: Natural = 100000) -> Terms:
    """What it costs to read down to the first relevant document, this one included.

    CostToFirst@k = c(1) + ... + c(i), where i = the smallest rank of a relevant document and c(j) = the cost of the
    document at rank j; where none is relevant up to k, absent, or the cost of the documents up to k if that is more

    Args:
        judged: the rankings, with the cost of each document.
        rel: the lowest grade that counts as relevant.
        absent: the cost that counts where no relevant document is retrieved.

    Range: 0 or more. Lower is better. Undefined if nothing is relevant.
    Unjudged: cost what they cost, and are not relevant. Ties: not linear, ranks are taken as they are.
    Source: Cooper (1968), Expected search length, a single measure of retrieval effectiveness based on the weak
    ordering action of retrieval systems, https://doi.org/10.1002/asi.5090190108, which counts documents.

    >>> import rankworth
    >>> run = rankworth.Run({"q1": ["x", "a", "b"]}).with_costs({"x": 120, "a": 80, "b": 200})
    >>> rankworth.evaluate({"q1": {"a": 1, "b": 1}}, run, ["CostToFirst"])["CostToFirst"]  # 120 + 80
    200.0
    """
    return _down_to(judged, rel, absent, "CostToFirst", constant(1.0, judged.n_retrieved) + 0 * judged.n_retrieved)


@measure("CostToAll", positions="all", costs=True, range=(0.0, math.inf), better="lower")
def cost_to_all(judged: Judged, *, rel: float = 1, absent: Natural = 100000) -> Terms:
    """What it costs to read down to the last of all relevant documents, this one included.

    CostToAll@k = c(1) + ... + c(i), where i = the smallest rank down to which all R relevant documents are retrieved
    and c(j) = the cost of the document at rank j; where there is none up to k, absent, or the cost of the documents up
    to k if that is more

    Args:
        judged: the rankings, with the cost of each document.
        rel: the lowest grade that counts as relevant.
        absent: the cost that counts where not all relevant documents are retrieved.

    Range: 0 or more. Lower is better. Undefined if nothing is relevant.
    Unjudged: cost what they cost, and are not relevant. Ties: not linear, ranks are taken as they are.
    Source: Cooper (1968), Expected search length, a single measure of retrieval effectiveness based on the weak
    ordering action of retrieval systems, https://doi.org/10.1002/asi.5090190108, which counts documents.

    >>> import rankworth
    >>> run = rankworth.Run({"q1": ["x", "a", "b"]}).with_costs({"x": 120, "a": 80, "b": 200})
    >>> rankworth.evaluate({"q1": {"a": 1, "b": 1}}, run, ["CostToAll"])["CostToAll"]  # 120 + 80 + 200
    400.0
    """
    return _down_to(judged, rel, absent, "CostToAll", _relevant_in_pool(judged, rel))


def _relevant_in_pool(judged: Judged, rel: float) -> Array:
    """`[Q]`: how many judged documents are relevant, retrieved or not."""
    xp = judged.xp
    return xp.sum(xp.astype(judged.in_pool & (judged.pool >= rel), judged.rank.dtype), axis=1)


def _down_to(judged: Judged, rel: float, absent: float, name: str, wanted: Array) -> Terms:
    """Add up costs down to the rank at which so many relevant documents, `[Q]`, are retrieved."""
    xp, cost = judged.xp, costs(judged, name)
    found = cumulative(relevant(judged, rel))
    before = found - relevant(judged, rel)  # [Q, H]: how many come before each document
    number = total(relevant(judged, rel))
    is_there = xp.astype((number >= wanted) & (wanted > 0), cost.dtype)
    read = cost * xp.astype(before < wanted[:, None], cost.dtype) * is_there[:, None]
    whole = xp.maximum(total(cost), constant(absent, number) + 0 * number)
    norm = positive(_relevant_in_pool(judged, rel))
    return Terms(gain=read, rest=whole * (1 - is_there) * norm, norm=norm)

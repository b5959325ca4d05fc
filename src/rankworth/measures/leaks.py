"""Measures of what must not appear: documents of another tenant, deleted ones, those that a user may not see."""

import math

from rankworth.judged import Array, Judged, constant
from rankworth.measures.building_blocks import first, total
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Ranks


@measure("Leak", unjudged=("uniform",), monotone=True, positions="all", needs=("forbidden",), better="lower")
def leak(judged: Judged) -> Terms:
    """Whether a document that must not appear for the query is among the first k.

    Leak@k = 1 if any of the first k documents is forbidden for the query, else 0: the mean is the share of queries with
    a leak

    Args:
        judged: the rankings.

    Range: 0 or 1. Lower is better. Always defined: nothing leaks for a query of which nothing is forbidden.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Source: Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the binomial,
    https://doi.org/10.1093/biomet/26.4.404, for the interval of the share of queries, which stands beside the mean.

    >>> import rankworth
    >>> run = {"q1": ["a", "b"], "q2": ["c"]}
    >>> values = rankworth.evaluate({"q1": {"a": 1}, "q2": {"c": 1}}, run, ["Leak@2"], forbidden={"q1": ["b"]})
    >>> values["Leak@2"]  # (1 + 0) / 2
    0.5
    """
    return Terms(gain=first(_forbidden(judged, "Leak")))


@measure("LeakRank", unjudged=("uniform",), monotone=True, positions="all", needs=("forbidden",), range=(0.0, math.inf))
def leak_rank(judged: Judged, *, absent: Ranks = 1000) -> Terms:
    """The rank of the first document that must not appear for the query: the greater, the better.

    LeakRank@k = the smallest i with Leak@i = 1, and k + 1 where there is none up to k; without a cutoff, k + 1 =
    absent, or the number of retrieved documents + 1 if that is more

    Args:
        judged: the rankings.
        absent: the rank that counts where nothing leaks, where there is no cutoff.

    Range: 1 to k + 1. Always defined.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Source: Cooper (1968), Expected search length, a single measure of retrieval effectiveness based on the weak
    ordering action of retrieval systems, https://doi.org/10.1002/asi.5090190108

    >>> import rankworth
    >>> rankworth.evaluate({"q1": {"a": 1}}, {"q1": ["a", "b"]}, ["LeakRank"], forbidden={"q1": ["b"]})["LeakRank"]
    2.0
    """
    leaks = first(_forbidden(judged, "LeakRank"))
    if judged.cutoff is None:
        beyond = judged.xp.maximum(
            judged.n_retrieved + 1, constant(absent, judged.n_retrieved) + 0 * judged.n_retrieved
        )
    else:
        beyond = judged.cutoff + 1 + 0 * judged.n_retrieved
    return Terms(gain=leaks, weight=judged.rank, rest=beyond * (1 - total(leaks)))


def _forbidden(judged: Judged, name: str) -> Array:
    """`[Q, H]`: 1 for documents that are forbidden for the query."""
    from rankworth.catalogue import require  # noqa: PLC0415 - lists of measures need no arrays

    catalogue = require(judged.catalogue, "forbidden", name)
    if judged.user is None or judged.item is None:
        return 0 * judged.rank
    found = catalogue.forbidden.find(catalogue.keys(judged.user[:, None], judged.item))[1]
    return judged.xp.astype(found & judged.retrieved, judged.rank.dtype)

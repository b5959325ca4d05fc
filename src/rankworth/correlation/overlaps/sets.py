"""Overlap of the first documents: at one depth, on average over depths, and as sets."""

import numpy as np

from rankworth.correlation.overlaps.counted import depths, reached
from rankworth.correlation.pairing import Pairing, Side, cutoff, totals
from rankworth.hits import Floats, Integers


def overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: the share of the first k documents that two rankings have in common.

    `2 X / (n + n')`, with the overlap X of the first k documents and the `n = min(k, length)` that each ranking has: so
    `X / k` where both have k documents. Where the cut goes through a group of tied documents, X is the mean over all
    their orders. It is the agreement at depth k under `ties="a"`, and Dice's coefficient of whole rankings.

    From 0 to 1; symmetric; 0 where one ranking is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: how many documents; all of them where None.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, section 2,
    https://doi.org/10.1145/1852102.1852106; ties: Corsi and Urbano (2024), The treatment of ties in rank-biased
    overlap, https://doi.org/10.1145/3626772.3657700

    >>> overlap(Pairing.of_lists("abc", "bad"), k=3).round(4)  # 2 of 3
    array([0.6667])
    """
    k = cutoff(k)
    first, second = pairing.first, pairing.second
    row = np.flatnonzero(first.match >= 0)
    both = _share(first, row, k) * _share(second, first.match[row].astype(np.int64), k)
    common = totals(both, first.query[row], len(pairing))
    sizes = first.lengths + second.lengths
    if k is not None:
        sizes = np.minimum(first.lengths, k) + np.minimum(second.lengths, k)
    return _ratio(2 * common, sizes.astype(np.float64))


def average_overlap(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: the mean of the overlaps at depths 1 to k.

    The mean of `agreements` under `ties="a"`. Where both rankings end above k, it goes down to the end of the longer
    one; where k is not said, to that of the shorter one (and to depth 1, if that is empty).

    From 0 to 1; 1 for equal rankings without ties; symmetric; 0 where one ranking is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: the last depth.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Wu and Crestani (2003), Methods for ranking information retrieval systems without relevance judgments,
    https://doi.org/10.1145/952532.952693; Webber, Moffat and Zobel (2010), section 2,
    https://doi.org/10.1145/1852102.1852106

    >>> average_overlap(Pairing.of_lists("abcdefg", "zcavwxy"), k=4).round(4)  # (0 + 0 + 2/3 + 2/4) / 4
    array([0.2917])
    """
    k = cutoff(k)
    last = np.maximum(pairing.short, 1) if k is None else np.clip(pairing.long, 1, k)
    found = np.empty(len(pairing))
    for queries, block in reached(pairing, int(last.max(initial=1))):
        reach = last[queries]
        counted = depths(block, "a", reach, padded=False)
        found[queries] = totals(counted.agreement(counted.overlap), counted.query, len(block)) / reach
    return found


def jaccard(pairing: Pairing, *, k: int | None = None) -> Floats:
    """`[Q]`: of the documents in any of two sets, the share in both: the first k and what is tied with the k-th.

    From 0 to 1; 1 for equal sets; symmetric; 0 where one is empty, NaN where both are.

    Args:
        pairing: the rankings.
        k: how many documents; all of them where None.

    Raises:
        UsageError: `bad-cutoff`.

    Source: Jaccard (1912), The distribution of the flora in the alpine zone,
    https://doi.org/10.1111/j.1469-8137.1912.tb05611.x

    >>> jaccard(Pairing.of_lists("abc", "bad"), k=3)  # 2 of 4
    array([0.5])
    """
    pairing = pairing.cut(k)
    common = pairing.common.astype(np.float64)
    return _ratio(common, pairing.first.lengths + pairing.second.lengths - common)


def _share(side: Side, rows: Integers, k: int | None) -> Floats:
    """How likely each document is among the first k."""
    if k is None:
        return np.ones(rows.size)
    top, bottom = side.top[rows].astype(np.float64), side.bottom[rows].astype(np.float64)
    share: Floats = np.clip((k - top + 1) / (bottom - top + 1), 0.0, 1.0)
    return share


def _ratio(part: Floats, whole: Floats) -> Floats:
    share: Floats = np.divide(part, whole, out=np.full(part.size, np.nan), where=whole > 0)
    return share

"""Measures of exposure: whether groups of items get the attention of users that a target says."""

import math
from typing import Any, Final, Literal

from rankworth.item_options import Attention
from rankworth.judged import Judged
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Probability
from rankworth.recommended import Recommended, RunCounts, WholeValue

_BESIDE: Final = {"p": ("attention", "rbp")}


def _arrays() -> Any:  # noqa: ANN401 - a module
    """Load the arithmetic of these measures, which brings NumPy, once they are computed."""
    from rankworth.measures import item_exposure  # noqa: PLC0415 - lists of measures need no arrays

    return item_exposure


def exposures(shown: Recommended, **options: Any) -> RunCounts:  # noqa: ANN401 - the keywords of the measure
    """Count how much attention each user gives to each group of items, and how much the target gives it."""
    return _arrays().exposures(shown, **options)


@measure(
    "AWRF",
    monotone=True,
    unjudged=("uniform",),
    positions="all",
    beside=_BESIDE,
    needs=("items",),
)
def attention_weighted_rank_fairness(
    judged: Judged,
    *,
    group: str = "",
    target: str = "items",
    attention: Attention = "log",
    p: Probability = 0.8,
    base: Literal["2", "e"] = "2",
) -> Terms:
    """How close the attention that groups of items get is to a target: 1 where it is the same.

    AWRF@k = 1 - JSD(E / sum E, target), where E_g = sum over ranks i of v(i) a(i, g), v = attention of a rank, a = how
    much of the item belongs to group g, JSD = Jensen-Shannon divergence

    Args:
        judged: the rankings.
        group: the column of the table of items that holds the groups; where not said, the only one that holds no
            vectors and is not different for all items, as titles are.
        target: the shares that groups should get: those of the table of `items`, `even`, or `F:0.5 M:0.5`.
        attention: of a rank: `log` is 1/log2(rank + 1), `dcg` 1/log2(rank) but 1 at ranks 1 and 2 (TREC), `rbp`
            p^(rank - 1), `even` 1.
        p: the patience of attention=rbp.
        base: of the logarithm in the divergence: 2, so that the range is 0 to 1, or e (TREC).

    Range: 0 to 1; from 1 - ln(2) = 0.307 with base=e. Undefined if no item of the list has a group. Items without a
    group are left out; an item of several groups belongs to each in equal parts.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Elsewhere: TREC Fair 2021 and 2022 have attention=dcg, base=e, and a target that is the mean of world shares and
    shares among relevant documents; their score is AWRF times nDCG. FairRankTune calls a ratio of means per group so.
    Source: Sapiezynski, Zeng, Robertson, Mislove, Wilson (2019), Quantifying the impact of user attention on fair group
    representation in ranked lists, https://doi.org/10.1145/3308560.3317595; Ekstrand, McDonald, Raj, Johnson (2022),
    Overview of the TREC 2021 fair ranking track, https://doi.org/10.48550/arXiv.2302.05558

    >>> import rankworth
    >>> items = {"a": {"group": "F"}, "b": {"group": "M"}}
    >>> measure = "AWRF(group=group, target=even, attention=even)@1"
    >>> round(rankworth.evaluate({"u1": {"a": 1}}, {"u1": ["a", "b"]}, [measure], items=items)[measure], 4)
    0.6887
    """
    how = {"group": group, "target": target, "attention": attention, "p": p, "base": base}
    return _arrays().attention_weighted_rank_fairness(judged, **how)


@measure(
    "EEL",
    positions="all",
    beside=_BESIDE | {"rel": ("target", "relevant")},
    needs=("items",),
    counts=exposures,
    range=(0, math.inf),
    better="lower",
)
def expected_exposure_loss(
    counts: RunCounts,
    *,
    group: str = "",
    target: str = "items",
    attention: Attention = "log",
    p: Probability = 0.8,
    rel: float = 1,
) -> WholeValue:
    """How far the mean attention that groups get over all users is from a target: squared, summed over the groups.

    EEL@k = sum over groups of (E_g - T_g)^2, where E_g = mean over users of the attention of group g, T_g = its share
    in the target times the attention of all groups. EEL = EED - 2 EER + sum of T_g^2

    Args:
        counts: the attention of users to groups, and what the target gives these.
        group: the column of the table of items that holds the groups; where not said, the only one that holds no
            vectors and is not different for all items, as titles are.
        target: the shares that groups should get: those of the table of `items`, `even`, those among the `relevant`
            items of each user, or `F:0.5 M:0.5`.
        attention: as for AWRF.
        p: the patience of attention=rbp.
        rel: the grade from which a document counts as relevant, for target=relevant.

    Range: from 0; lower is better. Undefined if no item that is shown has a group.
    Interval: by the jackknife over users.
    Elsewhere: TREC Fair 2022 takes several rankings of one query in place of many users, counts relevant documents
    only, and is a mean over queries.
    Source: Diaz, Mitra, Ekstrand, Biega, Carterette (2020), Evaluating stochastic rankings with expected exposure,
    https://doi.org/10.1145/3340531.3411962

    >>> import rankworth
    >>> items = {"a": {"group": "F"}, "b": {"group": "M"}}
    >>> qrels, shown = {"u1": {"a": 1}, "u2": {"b": 1}}, {"u1": ["a"], "u2": ["a"]}
    >>> rankworth.evaluate(qrels, shown, ["EEL@1"], items=items)["EEL@1"]  # (1 - 0.5)^2 + (0 - 0.5)^2
    0.5
    """
    return _arrays().expected_exposure("EEL", counts)


@measure(
    "EED", positions="all", beside=_BESIDE, needs=("items",), counts=exposures, range=(0, math.inf), better="lower"
)
def expected_exposure_disparity(
    counts: RunCounts, *, group: str = "", attention: Attention = "log", p: Probability = 0.8
) -> WholeValue:
    """How unevenly groups get attention over all users: the sum of the squares of their mean attention.

    EED@k = sum over groups of E_g^2, where E_g = mean over users of the attention of group g

    Args:
        counts: the attention of users to groups, and what the target gives these.
        group: as for EEL.
        attention: as for AWRF.
        p: the patience of attention=rbp.

    Range: from 0; lower is better. Undefined if no item that is shown has a group.
    Interval: by the jackknife over users.
    Elsewhere: see EEL.
    Source: Diaz, Mitra, Ekstrand, Biega, Carterette (2020), Evaluating stochastic rankings with expected exposure,
    https://doi.org/10.1145/3340531.3411962

    >>> import rankworth
    >>> items = {"a": {"group": "F"}, "b": {"group": "M"}}
    >>> qrels, shown = {"u1": {"a": 1}, "u2": {"b": 1}}, {"u1": ["a"], "u2": ["b"]}
    >>> rankworth.evaluate(qrels, shown, ["EED@1"], items=items)["EED@1"]  # 0.5^2 + 0.5^2
    0.5
    """
    return _arrays().expected_exposure("EED", counts)


@measure(
    "EER",
    positions="all",
    beside=_BESIDE | {"rel": ("target", "relevant")},
    needs=("items",),
    counts=exposures,
    range=(0, math.inf),
)
def expected_exposure_relevance(
    counts: RunCounts,
    *,
    group: str = "",
    target: str = "items",
    attention: Attention = "log",
    p: Probability = 0.8,
    rel: float = 1,
) -> WholeValue:
    """How much of the mean attention goes where the target wants it: the sum over groups of attention times target.

    EER@k = sum over groups of E_g T_g, with E and T as for EEL

    Args:
        counts: the attention of users to groups, and what the target gives these.
        group: as for EEL.
        target: as for EEL.
        attention: as for AWRF.
        p: the patience of attention=rbp.
        rel: as for EEL.

    Range: from 0. Undefined if no item that is shown has a group.
    Interval: by the jackknife over users.
    Elsewhere: see EEL.
    Source: Diaz, Mitra, Ekstrand, Biega, Carterette (2020), Evaluating stochastic rankings with expected exposure,
    https://doi.org/10.1145/3340531.3411962

    >>> import rankworth
    >>> items = {"a": {"group": "F"}, "b": {"group": "M"}}
    >>> qrels, shown = {"u1": {"a": 1}, "u2": {"b": 1}}, {"u1": ["a"], "u2": ["a"]}
    >>> rankworth.evaluate(qrels, shown, ["EER@1"], items=items)["EER@1"]  # 1 * 0.5 + 0 * 0.5
    0.5
    """
    return _arrays().expected_exposure("EER", counts)

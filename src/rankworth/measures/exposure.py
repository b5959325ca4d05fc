"""Measures of exposure: whether groups of items get the attention of users that a target says."""

import math
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from rankworth.arrays import Floats
from rankworth.catalogue import Catalogue, ItemColumn, require
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Probability
from rankworth.recommended import Attention, Recommended, WholeValue, attention_of

_BESIDE: Final = {"p": ("attention", "rbp")}
_KINDS: Final = ("category", "set")


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
        group: the column of the table of items that holds the groups; the only one where not said.
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
    catalogue, column = _groups(judged.catalogue, group, "AWRF")
    shares = target_shares(catalogue, column, target, "AWRF")
    item = np.full(judged.rank.shape, -1) if judged.item is None else judged.item
    counts = judged.retrieved & (item >= 0)
    weights = np.where(counts, attention_of(judged.rank, attention, p), 0.0)
    members = np.where(counts[:, :, None], column.shares[np.maximum(item, 0)], 0.0)  # [Q, H, G]
    exposure = np.cumsum(weights[:, :, None] * members, axis=1)  # [Q, H, G]: down to each rank
    whole = exposure.sum(axis=2)  # [Q, H]
    fairness = np.where(whole > 0, 1 - _divergence(exposure / np.where(whole > 0, whole, 1.0)[:, :, None], shares), 0.0)
    if base == "e":
        fairness = np.where(whole > 0, 1 - (1 - fairness) * math.log(2), 0.0)
    gain = np.diff(fairness, axis=1, prepend=0.0)
    has_group = (whole[:, -1:] > 0).any(axis=1)  # [Q]
    return Terms(gain=gain, norm=has_group.astype(np.float64))


def _expected_exposure(
    name: str,
    value: Callable[[Floats, Floats], Floats],
    shown: Recommended,
    *,
    group: str,
    target: str,
    attention: Attention,
    p: float,
    rel: float,
) -> WholeValue:
    """Return a number of the mean exposure of groups over all users, and of their target.

    Args:
        name: of the measure.
        value: from exposures `[..., G]` and targets of the same shape to numbers.
        shown: what users are shown.
        group: as for EEL.
        target: as for EEL.
        attention: as for EEL.
        p: as for EEL.
        rel: as for EEL.

    """
    catalogue, column = _groups(shown.catalogue, group, name)
    users, groups = shown.n_users, len(column.names)
    rows = shown.known()
    given = attention_of(rows.rank, attention, p)[:, None] * column.shares[rows.item]  # [N, G]
    exposure = np.zeros((users, groups))
    np.add.at(exposure, rows.user, given)
    if target == "relevant":
        relevant = (shown.grade >= rel) & (shown.judged_item >= 0)
        shares = np.zeros((users, groups))
        np.add.at(shares, shown.judged_user[relevant], column.shares[shown.judged_item[relevant]])
        whole = shares.sum(axis=1, keepdims=True)
        shares = shares / np.where(whole > 0, whole, 1.0)  # [U, G]
    else:
        shares = np.broadcast_to(target_shares(catalogue, column, target, name), (users, groups))
    wanted = shares * exposure.sum(axis=1, keepdims=True)
    if not exposure.any():
        return WholeValue(math.nan, np.full(users, math.nan))
    left = np.maximum(users - 1, 1)
    number = float(value(exposure.mean(axis=0), wanted.mean(axis=0)))
    without = value((exposure.sum(axis=0) - exposure) / left, (wanted.sum(axis=0) - wanted) / left)  # [U]
    return WholeValue(number, without)


@measure(
    "EEL",
    positions="all",
    beside=_BESIDE | {"rel": ("target", "relevant")},
    needs=("items",),
    of_run=True,
    range=(0, math.inf),
    better="lower",
)
def expected_exposure_loss(
    shown: Recommended,
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
        shown: what users are shown.
        group: the column of the table of items that holds the groups; the only one where not said.
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
    keywords: dict[str, Any] = {"group": group, "target": target, "attention": attention, "p": p, "rel": rel}
    return _expected_exposure("EEL", lambda got, due: ((got - due) ** 2).sum(axis=-1), shown, **keywords)


@measure("EED", positions="all", beside=_BESIDE, needs=("items",), of_run=True, range=(0, math.inf), better="lower")
def expected_exposure_disparity(
    shown: Recommended, *, group: str = "", attention: Attention = "log", p: Probability = 0.8
) -> WholeValue:
    """How unevenly groups get attention over all users: the sum of the squares of their mean attention.

    EED@k = sum over groups of E_g^2, where E_g = mean over users of the attention of group g

    Args:
        shown: what users are shown.
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
    keywords: dict[str, Any] = {"group": group, "target": "even", "attention": attention, "p": p, "rel": 1}
    return _expected_exposure("EED", lambda got, _: (got**2).sum(axis=-1), shown, **keywords)


@measure(
    "EER",
    positions="all",
    beside=_BESIDE | {"rel": ("target", "relevant")},
    needs=("items",),
    of_run=True,
    range=(0, math.inf),
)
def expected_exposure_relevance(
    shown: Recommended,
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
        shown: what users are shown.
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
    keywords: dict[str, Any] = {"group": group, "target": target, "attention": attention, "p": p, "rel": rel}
    return _expected_exposure("EER", lambda got, due: (got * due).sum(axis=-1), shown, **keywords)


def target_shares(catalogue: Catalogue, column: ItemColumn, target: str, name: str) -> Floats:
    """Return `[G]`, the share of each group in a target that is the same for all users.

    Args:
        catalogue: whose table of items has the groups.
        column: the groups.
        target: `items`, `even`, or shares by group, `F:0.5 M:0.5`.
        name: of the measure.

    Raises:
        MeasureError: `bad-parameter`.

    """
    if target == "items":
        shares = column.shares[catalogue.in_table].sum(axis=0)
    elif target == "even":
        shares = np.ones(len(column.names))
    else:
        try:
            given = {group: float(share) for group, _, share in (part.rpartition(":") for part in target.split())}
        except ValueError:
            given = {}
        shares = np.array([given.get(group, 0.0) for group in column.names])
        if not given or not set(given) <= set(column.names) or shares.min() < 0 or not np.isfinite(shares).all():
            example = " ".join(f"{group}:{1 / len(column.names):.2g}" for group in column.names[:3])
            text = f"{name}(target={target}): a target is items, even, or a share for each group"
            raise MeasureError("bad-parameter", text, remedy=f"write target='{example}'")
    whole = float(shares.sum())
    if not whole > 0:
        raise MeasureError("bad-parameter", f"{name}(target={target}): no group has a share")
    return np.asarray(shares / whole)


def _groups(catalogue: Catalogue | None, group: str, name: str) -> tuple[Catalogue, ItemColumn]:
    """Return the catalogue, and the column of groups.

    Raises:
        MeasureError: `missing-input`, `bad-parameter`.

    """
    found = require(catalogue, "items", name)
    called, column = found.column(group, name, "group")
    if column.kind not in _KINDS:
        raise MeasureError("bad-parameter", f"{name}(group={called}): the column holds vectors, and no groups")
    return found, column


def _divergence(shares: Floats, target: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of shares `[..., G]` from a target, to the base 2."""
    middle = (shares + target) / 2

    def relative(of: Floats) -> Floats:
        ratio = np.where(of > 0, of / np.where(middle > 0, middle, 1.0), 1.0)
        return np.asarray((of * np.log2(ratio)).sum(axis=-1))

    return np.asarray((relative(shares) + relative(np.broadcast_to(target, shares.shape))) / 2)

"""The arithmetic of measures of exposure, on arrays of NumPy."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from rankworth.arrays import Floats
from rankworth.catalogue import Catalogue, ItemColumn, require
from rankworth.errors import MeasureError
from rankworth.item_options import Attention
from rankworth.judged import Judged
from rankworth.measures.core import Terms
from rankworth.measures.item_runs import attention_of
from rankworth.recommended import Recommended, WholeValue


def attention_weighted_rank_fairness(
    judged: Judged,
    *,
    group: str,
    target: str,
    attention: Attention,
    p: float,
    base: Literal["2", "e"],
) -> Terms:
    """Return the terms of `AWRF`; arguments are those of the measure."""
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


def expected_exposure_loss(
    shown: Recommended,
    *,
    group: str,
    target: str,
    attention: Attention,
    p: float,
    rel: float,
) -> WholeValue:
    """Return the value of `EEL`; arguments are those of the measure."""
    keywords: dict[str, Any] = {"group": group, "target": target, "attention": attention, "p": p, "rel": rel}
    return _expected_exposure("EEL", lambda got, due: ((got - due) ** 2).sum(axis=-1), shown, **keywords)


def expected_exposure_disparity(shown: Recommended, *, group: str, attention: Attention, p: float) -> WholeValue:
    """Return the value of `EED`; arguments are those of the measure."""
    keywords: dict[str, Any] = {"group": group, "target": "even", "attention": attention, "p": p, "rel": 1}
    return _expected_exposure("EED", lambda got, _: (got**2).sum(axis=-1), shown, **keywords)


def expected_exposure_relevance(
    shown: Recommended,
    *,
    group: str,
    target: str,
    attention: Attention,
    p: float,
    rel: float,
) -> WholeValue:
    """Return the value of `EER`; arguments are those of the measure."""
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
            example = " ".join(f"{group}:{1 / len(column.names):.2g}" for group in column.names)
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
    if column.kind == "vector":
        raise MeasureError("bad-parameter", f"{name}(group={called}): the column holds vectors, and no groups")
    return found, column


def _divergence(shares: Floats, target: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of shares `[..., G]` from a target, to the base 2."""
    middle = (shares + target) / 2

    def relative(of: Floats) -> Floats:
        ratio = np.where(of > 0, of / np.where(middle > 0, middle, 1.0), 1.0)
        return np.asarray((of * np.log2(ratio)).sum(axis=-1))

    return np.asarray((relative(shares) + relative(np.broadcast_to(target, shares.shape))) / 2)

"""The arithmetic of measures of exposure, on arrays of NumPy."""

import math
from collections.abc import Callable, Mapping
from typing import Final, Literal

import numpy as np

from rankworth.arrays import Floats
from rankworth.catalogue import Catalogue, ItemColumn, require
from rankworth.errors import MeasureError
from rankworth.item_options import Attention
from rankworth.judged import Judged
from rankworth.measures.core import Terms
from rankworth.measures.item_runs import attention_of
from rankworth.recommended import Recommended, RunCounts, WholeValue


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


_EXPOSED: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "EEL": lambda exposure, due: ((exposure - due) ** 2).sum(axis=-1),
    "EED": lambda exposure, _: (exposure**2).sum(axis=-1),
    "EER": lambda exposure, due: (exposure * due).sum(axis=-1),
}
"""by measure, from the mean exposures of groups, `[..., G]`, and those that the target says, to its value"""


def exposures(
    shown: Recommended,
    *,
    name: str,
    group: str,
    attention: Attention,
    p: float,
    target: str = "",
    rel: float = 1,
) -> RunCounts:
    """Return a column for the attention of users to each group, and another for what the target gives it.

    Args:
        shown: what users are shown.
        name: of the measure.
        group: as for EEL.
        attention: as for EEL.
        p: as for EEL.
        target: as for EEL; empty where the measure has none.
        rel: as for EEL.

    """
    catalogue, column = _groups(shown.catalogue, group, name)
    users, groups = shown.n_users, len(column.names)
    rows = shown.known()
    exposure = np.zeros((users, groups))
    np.add.at(exposure, rows.user, attention_of(rows.rank, attention, p)[:, None] * column.shares[rows.item])
    tables = [exposure]
    if target == "relevant":
        shares = np.zeros((users, groups))
        relevant = (shown.grade >= rel) & (shown.judged_item >= 0)
        np.add.at(shares, shown.judged_user[relevant], column.shares[shown.judged_item[relevant]])
        whole = shares.sum(axis=1, keepdims=True)
        tables.append(shares / np.where(whole > 0, whole, 1.0) * exposure.sum(axis=1, keepdims=True))
    elif target:
        tables.append(target_shares(catalogue, column, target, name) * exposure.sum(axis=1, keepdims=True))
    table = np.hstack(tables)  # [U, C]
    user, place = np.nonzero(table)
    return RunCounts(user, place, table[user, place], users, table.shape[1])


def expected_exposure(name: str, counts: RunCounts) -> WholeValue:
    """Return the value of `EEL`, `EED` or `EER`, of which `EED` has no target."""
    users, groups = counts.n_users, counts.n_columns // (1 if name == "EED" else 2)
    if not counts.totals[:groups].any():
        return WholeValue(math.nan, np.full(users, math.nan))

    def value_of(means: Floats) -> Floats:
        return _EXPOSED[name](means[..., :groups], means[..., groups:])

    without = (counts.totals - counts.table) / max(users - 1, 1)  # [U, C]
    return WholeValue(float(value_of(counts.totals / users)), value_of(without))


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
            named = {group: float(share) for group, _, share in (part.rpartition(":") for part in target.split())}
        except ValueError:
            named = {}
        shares = np.array([named.get(group, 0.0) for group in column.names])
        if not named or not set(named) <= set(column.names) or shares.min() < 0 or not np.isfinite(shares).all():
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
    catalogue = require(catalogue, "items", name)
    called, column = catalogue.column(group, name, "group", lambda each: each.kind != "vector")
    if column.kind == "vector":
        raise MeasureError("bad-parameter", f"{name}(group={called}): the column holds vectors, and no groups")
    return catalogue, column


def _divergence(shares: Floats, target: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of shares `[..., G]` from a target, to the base 2."""
    middle = (shares + target) / 2

    def relative(of: Floats) -> Floats:
        ratio = np.where(of > 0, of / np.where(middle > 0, middle, 1.0), 1.0)
        return np.asarray((of * np.log2(ratio)).sum(axis=-1))

    return np.asarray((relative(shares) + relative(np.broadcast_to(target, shares.shape))) / 2)

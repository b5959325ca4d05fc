"""The arithmetic of measures of whole runs, on arrays of NumPy."""

import math
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import require
from rankworth.errors import MeasureError
from rankworth.item_options import Attention, Beyond, Of
from rankworth.recommended import Recommended, RunCounts, UnseenItems, WholeValue

_SMOOTHED: Final = 9
"""how many terms of an alternating series are added up"""
_LEAST: Final = 0.02
"""the least share of the variance of the jackknife that is left"""


def items_shown(
    shown: Recommended,
    *,
    name: str,
    of: Of,
    beyond: Beyond = "dropped",
    over: Literal["catalogue", "shown"] = "catalogue",
    attention: Attention = "even",
    p: float = 0.85,
    **_: object,
) -> RunCounts:
    """Return the items shown to users, a column for each; a repeated item of a list counts once.

    Args:
        shown: what users are shown.
        name: of the measure.
        of: which items are the catalogue.
        beyond: what becomes of items that are not in it.
        over: whether these count in any case.
        attention: how much a row counts.
        p: the patience of attention=rbp.

    Raises:
        MeasureError: `missing-input`.

    """
    mask = _catalogue(shown, of, name)
    size = int(np.count_nonzero(mask))
    column_of = np.append(np.where(mask, np.cumsum(mask) - 1, -1), -1)  # [I + 1]: -1 of all that is not in it
    column = column_of[np.where(shown.item >= 0, shown.item, -1)]  # [N]
    if beyond == "counted" or over == "shown":
        outside = column < 0
        column[outside] = size + np.unique(shown.item[outside], return_inverse=True)[1]
    counts = column >= 0
    width = max(size, int(column.max(initial=0)) + 1)
    pairs, first = np.unique(shown.user[counts] * width + column[counts], return_index=True)
    user, column = np.divmod(pairs, width)
    amount = attention_of(shown.rank[counts][first], attention, p)
    return RunCounts(user, column, amount, shown.n_users, size)


def coverage(counts: RunCounts) -> WholeValue:
    """Return the value of `Coverage`."""
    size, times = counts.n_columns, counts.totals
    if not size:
        return _undefined(counts)
    value = float(np.count_nonzero(times)) / size
    # [U]: items that only this user is shown
    single = np.bincount(counts.user[times[counts.column] == 1], minlength=counts.n_users)
    once, twice = (float(np.count_nonzero(times == number)) for number in (1, 2))
    unseen = max(size - value * size, once**2 / (2 * twice) if twice else once * (once - 1) / 2)
    new = unseen * (1 - math.exp(-once / unseen)) if unseen else 0.0
    without = value - single / size
    at_risk = float(
        (0.5 ** times[times > 0]).sum()
    )  # an item with x users is missed with a chance of e^-x, or a bit more
    items = UnseenItems(int(np.count_nonzero(times[:size] == 0)), at_risk, 1 / size)
    return WholeValue(value, without, _spread(without, (once - new) / size**2), items)


def gini(
    counts: RunCounts, *, over: Literal["catalogue", "shown"], norm: Literal["n", "n-1"], attention: Attention
) -> WholeValue:
    """Return the value of `Gini`; arguments are those of the measure."""
    times = counts.totals
    summed = times[: counts.n_columns] if over == "catalogue" else times[times > 0]
    if not summed.sum() or (norm == "n-1" and summed.size < 2):
        return _undefined(counts)
    user, before, users = counts.user, times[counts.column], counts.n_users
    ascending, whole = np.sort(summed), float(summed.sum())
    value = float(_gini(_moments(ascending), summed.size, whole, norm))
    alone = np.bincount(counts.column)[counts.column] == 1  # [N]: items that only this user is shown
    after = np.where(alone, 0.0, before - counts.amount)  # [N]: how often without the user
    left = whole - np.bincount(user, weights=before - after, minlength=users)  # [U]
    left[np.bincount(user, minlength=users) == user.size] = 0.0  # without the only user nothing is left
    changed, size = _moments_without(user, before, after, ascending, users), np.full(users, summed.size)
    if over == "shown":  # items that only this user is shown leave, which are 0 and as far from each other item as that
        gone = np.bincount(user[alone], minlength=users)
        changed, size = changed - gone * left, size - gone
    without = np.where(left > 0, _gini(changed, size, left, norm), math.nan)
    if over == "shown" or attention != "even":
        return WholeValue(value, without)
    divisor = (summed.size - (norm == "n-1")) * whole

    def distance(number: NDArray[Any]) -> Floats:
        return np.asarray(np.abs(number[:, None] - ascending).sum(axis=1) / divisor)

    return WholeValue(value, without, _spread(without, _excess(summed, distance)))


def entropy(counts: RunCounts, *, scale: Literal["share", "bits", "nats", "nats/shown"]) -> WholeValue:
    """Return the value of `Entropy`; the scale is that of the measure."""
    user, column, times = counts.user, counts.column, counts.totals
    whole = float(times.sum())
    most = math.log(counts.n_columns) if counts.n_columns > 1 else 0.0
    if not whole or (scale == "share" and not most):
        return _undefined(counts)

    def scaled(nats: NDArray[Any], distinct: NDArray[Any]) -> Floats:
        divisor = {"share": most, "bits": math.log(2), "nats": 1.0}.get(scale)
        return np.asarray(nats / (distinct if divisor is None else divisor))

    distinct = float(np.count_nonzero(times))
    weighted = _x_log_x(times)
    value = scaled(np.asarray(math.log(whole) - weighted.sum() / whole), np.asarray(distinct))
    lost = np.bincount(user, minlength=counts.n_users)
    less = np.bincount(user, weights=(_x_log_x(times - 1) - weighted)[column], minlength=counts.n_users)
    gone = np.bincount(user[times[column] == 1], minlength=counts.n_users)
    with np.errstate(divide="ignore", invalid="ignore"):
        nats = np.log(whole - lost) - (weighted.sum() + less) / (whole - lost)
        without = scaled(nats, distinct - gone)
    excess = _excess(times, lambda number: scaled(_x_log_x(number) / whole, np.asarray(distinct)))
    return WholeValue(float(value), without, _spread(without, excess))


def _catalogue(shown: Recommended, of: Of, name: str) -> NDArray[np.bool_]:
    """Return which items are the catalogue, `[I]`.

    Raises:
        MeasureError: `missing-input`.

    """
    has = frozenset() if shown.catalogue is None else shown.catalogue.sources
    if of == "known" and not has & {"items", "history"}:
        remedy = "give --items FILE (items=), or --history FILE (history=), whose items are the catalogue then"
        raise MeasureError("missing-input", f"{name} needs a catalogue", remedy=remedy)
    source = of if of != "known" else "items" if "items" in has else "history"
    catalogue = require(shown.catalogue, source, name)
    return catalogue.in_table if source == "items" else catalogue.in_history


def _undefined(counts: RunCounts) -> WholeValue:
    return WholeValue(math.nan, np.full(counts.n_users, math.nan))


def _moments(ascending: Floats) -> float:
    """Return the sum over j of (2 j - n - 1) x_j, equal to the sum of the distances of all pairs."""
    return float(((2 * np.arange(ascending.size) + 1 - ascending.size) * ascending).sum())


def _moments_without(user: Integers, before: Floats, after: Floats, ascending: Floats, users: int) -> Floats:
    """Return `[U]`, the distances of all pairs where the rows of each user have other numbers.

    Distances from the rows of a user to all items change by sums over sorted numbers; those between two of its rows are
    counted in both, so that they are taken out and put in.

    Args:
        user: `[N]`, of each row.
        before: `[N]`, the number of its item, which is among all numbers.
        after: `[N]`, its number without the user.
        ascending: `[I]`, all numbers.
        users: U.

    """
    sums = np.append(0.0, np.cumsum(ascending))

    def distances(number: Floats) -> Floats:
        """Sum the distances to all items."""
        lower = np.searchsorted(ascending, number)
        return np.asarray(number * (2 * lower - ascending.size) + sums[-1] - 2 * sums[lower])

    def between(owner: Integers, number: Floats) -> Floats:
        """Sum the distances between the rows of each user."""
        order = np.lexsort((number, owner))
        sizes = np.bincount(owner, minlength=users)
        place = np.arange(owner.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        factors = 2 * place + 1 - np.repeat(sizes, sizes)
        return np.asarray(np.bincount(owner[order], factors * number[order], users), dtype=np.float64)

    moved = np.bincount(user, weights=distances(after) - distances(before), minlength=users)
    both = between(np.append(user, user), np.append(before, after))
    return np.asarray(_moments(ascending) + moved + 2 * between(user, before) + 2 * between(user, after) - both)


def _gini(moments: Any, size: Any, whole: Any, norm: str) -> Floats:  # noqa: ANN401 - numbers, or arrays of them
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(moments, (size - (norm == "n-1")) * whole))


def _x_log_x(numbers: NDArray[Any]) -> Floats:
    return np.asarray(numbers * np.log(np.maximum(numbers, 1)), dtype=np.float64)


def _spread(without: Floats, excess: float) -> float:
    """Return the standard error over that of the jackknife, whose variance has a known excess.

    Args:
        without: `[U]`, the value without each user.
        excess: by how much the variance of the jackknife is too large.

    """
    users = without.size
    jackknife = float(((without - without.mean()) ** 2).sum() * (users - 1) / users) if users > 1 else 0.0
    return math.sqrt(min(max(1 - excess / jackknife, _LEAST), 1.0)) if jackknife > 0 else 1.0


def _excess(times: NDArray[Any], value_of: Callable[[NDArray[Any]], Floats]) -> float:
    """Return by how much the variance of the jackknife is too large for a sum over items.

    The variance is an alternating series, of which the jackknife is the first term. The term of order m is the sum over
    items of the number of sets of m users who are shown the item, times the square of the m-th difference of what the
    item adds. It matters for items that few users are shown; later terms are smoothed as by Efron and Thisted (1976),
    Estimating the number of unseen species, https://doi.org/10.1093/biomet/63.3.435

    Args:
        times: `[I]`, how often each item is shown.
        value_of: from numbers of times to what an item with it adds to the value.

    """
    counts = np.bincount(times.astype(np.int64), minlength=_SMOOTHED + 1)[: _SMOOTHED + 1]  # items by times, few
    differences = value_of(np.arange(_SMOOTHED + 1))
    chances, excess = _tails(_SMOOTHED), 0.0
    for order in range(1, _SMOOTHED + 1):
        differences = np.diff(differences)  # of times from `order` on
        sets = np.array([math.comb(number, order) for number in range(order, _SMOOTHED + 1)])
        if order > 1:
            term = float((counts[order:] * sets * differences**2).sum())
            excess += (-1) ** order * chances[order - 1] / chances[0] * term
    return excess


def _tails(number: int) -> list[float]:
    """Return the chance of 1, 2, ... successes or more among as many fair trials."""
    chances = [math.comb(number, successes) / 2**number for successes in range(number + 1)]
    return [sum(chances[least:]) for least in range(1, number + 1)]


def attention_of(rank: Any, attention: Attention, p: float) -> Floats:  # noqa: ANN401 - an array
    """Return how much attention ranks get, in any shape."""
    rank = np.asarray(rank, dtype=np.float64)
    if attention == "even":
        return np.ones_like(rank)
    if attention == "rbp":
        return np.asarray(p ** (rank - 1))
    return np.asarray(1 / np.log2(rank + 1 if attention == "log" else np.maximum(rank, 2)))

"""The arithmetic of measures of whole runs, on arrays of NumPy."""

import math
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue, require
from rankworth.errors import MeasureError
from rankworth.item_options import Attention, Beyond, Of
from rankworth.recommended import Recommended, WholeValue

_SMOOTHED: Final = 9
"""how many terms of an alternating series are added up"""
_LEAST: Final = 0.02
"""the least share of the variance of the jackknife that is left"""


def coverage(shown: Recommended, *, of: Of, beyond: Beyond) -> WholeValue:
    """Return the value of `Coverage`; arguments are those of the measure."""
    catalogue, mask = _catalogue(shown, of, "Coverage")
    size = int(mask.sum())
    if not size:
        return _undefined(shown)
    user, item, times, _ = _counts(shown, catalogue, mask, beyond)
    value = float(np.count_nonzero(times)) / size
    single = np.bincount(user[times[item] == 1], minlength=shown.n_users)  # [U]: items that only this user is shown
    once, twice = (float(np.count_nonzero(times == number)) for number in (1, 2))
    unseen = max(size - value * size, once**2 / (2 * twice) if twice else once * (once - 1) / 2)
    new = unseen * (1 - math.exp(-once / unseen)) if unseen else 0.0
    without = value - single / size
    return WholeValue(value, without, _spread(without, (once - new) / size**2))


def gini(
    shown: Recommended,
    *,
    of: Of,
    over: Literal["catalogue", "shown"],
    norm: Literal["n", "n-1"],
    attention: Attention,
    p: float,
) -> WholeValue:
    """Return the value of `Gini`; arguments are those of the measure."""
    catalogue, mask = _catalogue(shown, of, "Gini")
    user, item, times, rank = _counts(shown, catalogue, mask, "dropped" if over == "catalogue" else "counted")
    weight = attention_of(rank, attention, p)  # [N]
    if attention != "even":
        times = np.bincount(item, weights=weight, minlength=times.size)
    counts = times[mask] if over == "catalogue" else times[times > 0]
    if not counts.sum() or (norm == "n-1" and counts.size < 2):
        return _undefined(shown)
    ascending = np.sort(counts)
    moments, whole = np.asarray(_moments(ascending)), np.asarray(counts.sum(), dtype=np.float64)
    value = float(_gini(moments, np.asarray(counts.size), whole, norm))
    lost = np.bincount(user, weights=weight, minlength=shown.n_users)  # [U]: what the rows of a user count
    first = np.searchsorted(ascending, times[item])  # [N]: the items with fewer rows come before
    position = first + _ordinals(user, times[item])  # [N]: of several equal ones of a user, each its own
    size = np.full(shown.n_users, counts.size)
    moved = weight * (2 * position + 1 - counts.size)  # to first order, and exactly where all rows count 1
    changed: Floats = moments - np.bincount(user, weights=moved, minlength=shown.n_users)
    if over == "shown":  # items that only this user is shown leave: as many places in front become fewer
        gone = np.bincount(user[np.bincount(item)[item] == 1], minlength=shown.n_users)
        changed, size = changed - gone * (whole - lost), size - gone
    without = _gini(np.asarray(changed, dtype=np.float64), size, whole - lost, norm)
    if over == "shown" or attention != "even":
        return WholeValue(value, without)
    divisor = (counts.size - (norm == "n-1")) * whole

    def distance(number: NDArray[Any]) -> Floats:
        return np.asarray(np.abs(number[:, None] - ascending).sum(axis=1) / divisor)

    return WholeValue(value, without, _spread(without, _excess(counts, distance)))


def entropy(
    shown: Recommended,
    *,
    of: Of,
    beyond: Beyond,
    scale: Literal["share", "bits", "nats", "nats/shown"],
) -> WholeValue:
    """Return the value of `Entropy`; arguments are those of the measure."""
    catalogue, mask = _catalogue(shown, of, "Entropy")
    user, item, times, _ = _counts(shown, catalogue, mask, beyond)
    whole = float(times.sum())
    most = math.log(int(mask.sum())) if mask.sum() > 1 else 0.0
    if not whole or (scale == "share" and not most):
        return _undefined(shown)

    def scaled(nats: NDArray[Any], distinct: NDArray[Any]) -> Floats:
        divisor = {"share": most, "bits": math.log(2), "nats": 1.0}.get(scale)
        return np.asarray(nats / (distinct if divisor is None else divisor))

    distinct = float(np.count_nonzero(times))
    weighted = _x_log_x(times)
    value = scaled(np.asarray(math.log(whole) - weighted.sum() / whole), np.asarray(distinct))
    lost = np.bincount(user, minlength=shown.n_users)
    less = np.bincount(user, weights=(_x_log_x(times - 1) - weighted)[item], minlength=shown.n_users)
    gone = np.bincount(user[times[item] == 1], minlength=shown.n_users)
    with np.errstate(divide="ignore", invalid="ignore"):
        nats = np.log(whole - lost) - (weighted.sum() + less) / (whole - lost)
        without = scaled(nats, distinct - gone)
    excess = _excess(times, lambda number: scaled(_x_log_x(number) / whole, np.asarray(distinct)))
    return WholeValue(float(value), without, _spread(without, excess))


def _catalogue(shown: Recommended, of: Of, name: str) -> tuple[Catalogue, NDArray[np.bool_]]:
    """Return the catalogue, and which items count as its own.

    Raises:
        MeasureError: `missing-input`.

    """
    has = frozenset() if shown.catalogue is None else shown.catalogue.sources
    if of == "known" and not has & {"items", "history"}:
        remedy = "give --items FILE (items=), or --history FILE (history=), whose items are the catalogue then"
        raise MeasureError("missing-input", f"{name} needs a catalogue", remedy=remedy)
    source = of if of != "known" else "items" if "items" in has else "history"
    catalogue = require(shown.catalogue, source, name)
    return catalogue, catalogue.in_table if source == "items" else catalogue.in_history


def _counts(
    shown: Recommended, catalogue: Catalogue, mask: NDArray[np.bool_], beyond: Beyond = "dropped"
) -> tuple[Integers, Integers, Integers, Floats]:
    """Return users and items of the rows that count, `[N]`, how often each item is shown, `[J]`, and the ranks, `[N]`.

    An item that is twice in a list counts once. Items that are not in the catalogue have numbers from I on: J >= I.

    Args:
        shown: what users are shown.
        catalogue: the catalogue.
        mask: `[I]`, which items count.
        beyond: what becomes of all others.

    """
    size = len(catalogue.items)
    item, is_known = shown.item, shown.item >= 0
    counts = is_known if not size else is_known & mask[np.maximum(item, 0)]
    if beyond == "counted":
        counts = np.ones_like(is_known)
        item = item.copy()
        item[~is_known] = size + np.unique(item[~is_known], return_inverse=True)[1]
    width = max(size, int(item[counts].max(initial=0)) + 1)
    pairs, first = np.unique(shown.user[counts] * width + item[counts], return_index=True)
    user, item = np.divmod(pairs, width)
    return user, item, np.bincount(item, minlength=size), shown.rank[counts][first]


def _undefined(shown: Recommended) -> WholeValue:
    return WholeValue(math.nan, np.full(shown.n_users, math.nan))


def _moments(ascending: NDArray[Any]) -> float:
    """Return the sum over j of (2 j - n - 1) x_j."""
    return float(((2 * np.arange(ascending.size) + 1 - ascending.size) * ascending).sum())


def _gini(moments: Floats, size: Integers, whole: Floats, norm: str) -> Floats:
    divisor = size if norm == "n" else size - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(moments / (divisor * whole))


def _ordinals(user: Integers, kind: NDArray[Any]) -> Integers:
    """Return `[N]`, how many rows of the same user and kind come before each row."""
    number = np.unique(kind, return_inverse=True)[1]
    key = user * (int(number.max(initial=0)) + 1) + number
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    ordinal = np.empty_like(key)
    ordinal[order] = np.arange(key.size) - np.searchsorted(ordered, ordered)
    return ordinal


def _x_log_x(numbers: Integers) -> Floats:
    return np.asarray(numbers * np.log(np.maximum(numbers, 1)), dtype=np.float64)


def _spread(without: Floats, excess: float) -> float:
    """Return the standard error over that of the jackknife, of whose variance some is too much.

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

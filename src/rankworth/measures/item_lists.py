"""The arithmetic of measures of lists of items, on arrays of NumPy."""

import math
from typing import Any, Final, Literal

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.catalogue import Catalogue, require
from rankworth.item_options import Cold, Distance, Norm
from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import inside, relevant
from rankworth.measures.core import Terms, no_ties

_CELLS: Final = 1 << 21
"""how many distances are computed at a time"""


def self_information(
    judged: Judged,
    *,
    of: Literal["users", "interactions"],
    cold: Cold,
    scale: Literal["bits", "share"],
    norm: Norm,
) -> Terms:
    """Return the terms of `SelfInformation`; arguments are those of the measure."""
    catalogue = require(judged.catalogue, "history", "SelfInformation")
    counts = catalogue.item_users if of == "users" else catalogue.interactions
    whole = catalogue.n_users if of == "users" else int(catalogue.interactions.sum())
    most = math.log2(max(whole, 1))
    bits = most - np.log2(np.maximum(counts, 1))  # [I]
    if scale == "share":  # of a single user there is no share of log2(1) = 0
        bits, most = (bits / most if most else np.full(counts.size, np.nan)), 1.0
    numbers, known = _counted(judged, bits, catalogue.in_history, most if cold == "one-user" else 0.0)
    return _mean(judged, numbers, known, "SelfInformation", norm=norm, drops=cold == "dropped")


def average_popularity(
    judged: Judged,
    *,
    of: Literal["interactions", "users"],
    scale: Literal["count", "share", "max", "quantile"],
    cold: Literal["zero", "dropped"],
    norm: Norm,
) -> Terms:
    """Return the terms of `ARP`; arguments are those of the measure."""
    catalogue = require(judged.catalogue, "history", "ARP")
    counts = catalogue.interactions if of == "interactions" else catalogue.item_users
    divisor = {"share": counts.sum(), "max": counts.max(initial=1)}.get(scale, 1)
    popularity = catalogue.quantiles(counts) if scale == "quantile" else counts / max(1, divisor)
    numbers, known = _counted(judged, popularity, catalogue.in_history, 0.0)
    return _mean(judged, numbers, known, "ARP", norm=norm, drops=cold == "dropped")


def unseen(
    judged: Judged,
    *,
    norm: Norm,
    no_items: Literal["undefined", "1"],
    no_history: Literal["1", "undefined"],
) -> Terms:
    """Return the terms of `Unseen`; arguments are those of the measure."""
    catalogue = require(judged.catalogue, "history", "Unseen")
    user, item = _numbers(judged)
    had = catalogue.seen.find(catalogue.keys(user[:, None], item))[1]
    terms = _mean(judged, judged.retrieved & ~had, None, "Unseen", norm=norm)
    if no_items == "1":
        empty = judged.n_retrieved == 0
        terms = terms._replace(norm=np.where(empty, 1.0, terms.norm), rest=np.where(empty, 1.0, 0.0))
    return terms if no_history == "1" else _of_known_users(terms, catalogue, user)


def intra_list_distance(
    judged: Judged,
    *,
    of: str,
    distance: Distance,
    norm: Literal["pairs", "n"],
    single: Literal["undefined", "0", "1"],
    unknown: Literal["dropped", "removed", "0", "1"],
) -> Terms:
    """Return the terms of `ILD`; arguments are those of the measure."""
    catalogue = judged.catalogue
    if catalogue is None:
        catalogue = require(None, "history" if of == "history" else "items", "ILD")
    _, item = _numbers(judged)
    item = np.where(judged.retrieved, item, -1)
    added, present = _added_distances(catalogue, judged, item, of, distance, unknown)
    size = np.sum(present, axis=1).astype(np.float64)
    pairs = size * (size - 1) / 2
    divisor = pairs if norm == "pairs" else np.where(pairs > 0, size, 0.0)
    rest = np.zeros_like(size)
    if single != "undefined":
        alone = (size if unknown == "removed" else np.sum(judged.retrieved, axis=1)) == 1
        divisor, rest = np.where(alone, 1.0, divisor), np.where(alone, float(single), rest)
    return Terms(gain=added, norm=divisor, rest=rest)


def unexpectedness(
    judged: Judged,
    *,
    norm: Literal["n", "k", "k-common"],
    no_expected: Literal["1", "0", "undefined"],
) -> Terms:
    """Return the terms of `Unexpectedness`; arguments are those of the measure."""
    catalogue = require(judged.catalogue, "expected_run", "Unexpectedness")
    user, item = _numbers(judged)
    cutoff = np.asarray(np.inf if judged.cutoff is None else judged.cutoff)
    keys, cutoff = catalogue.keys(user[:, None], item), cutoff[:, None] if cutoff.ndim else cutoff
    expected = np.zeros(item.shape) if catalogue.expected is None else catalogue.expected.within(keys, cutoff)
    if norm == "k-common":
        terms = _mean(judged, -expected, None, "Unexpectedness", norm="k")
        terms = terms._replace(rest=np.where(judged.n_retrieved > 0, judged.depth, 0.0))
    else:
        terms = _mean(judged, 1 - expected, None, "Unexpectedness", norm=norm)
    if no_expected == "1":
        return terms
    absent = ~_of_users(user, catalogue.has_expected)
    if no_expected == "undefined":
        return terms._replace(norm=np.where(absent, 0.0, terms.norm))
    return terms._replace(gain=np.where(absent[:, None], 0.0, terms.gain), rest=np.where(absent, 0.0, terms.rest))


def serendipity(
    judged: Judged,
    *,
    by: Literal["popularity", "history"],
    rel: float,
    norm: Norm,
    no_history: Literal["1", "undefined"],
) -> Terms:
    """Return the terms of `Serendipity`; arguments are those of the measure."""
    catalogue = require(judged.catalogue, "history", "Serendipity")
    user, item = _numbers(judged)
    if by == "popularity":
        size = int((catalogue.in_table if "items" in catalogue.sources else catalogue.in_history).sum())
        popular, _ = _counted(judged, catalogue.popularity_rank, catalogue.in_history, size + 1.0)
        surprise = np.maximum(popular - judged.rank, 0.0) / max(1, size)
        return _mean(judged, relevant(judged, rel) * surprise, None, "Serendipity", norm=norm)
    owner = np.broadcast_to(user[:, None], item.shape)
    similar = catalogue.like_history(owner.ravel(), np.where(judged.retrieved, item, -1).ravel())
    surprise = 1 - similar.reshape(item.shape)
    terms = _mean(judged, relevant(judged, rel) * surprise, None, "Serendipity", norm=norm)
    return terms if no_history == "1" else _of_known_users(terms, catalogue, user)


def _numbers(judged: Judged) -> tuple[Integers, Integers]:
    """Return `[Q]` and `[Q, H]`, the numbers of users and of items; -1 for what the catalogue does not know."""
    user = np.full(judged.rank.shape[0], -1) if judged.user is None else judged.user
    item = np.full(judged.rank.shape, -1) if judged.item is None else judged.item
    return user, item


def _counted(judged: Judged, numbers: Floats, known: Array, otherwise: float) -> tuple[Array, Array]:
    """Return `[Q, H]` each: the number of each item, and whether the history has it.

    Args:
        judged: the rankings.
        numbers: `[I]`.
        known: `[I]`, whether the history has the item.
        otherwise: the number of items that it does not have.

    """
    _, item = _numbers(judged)
    index = np.maximum(item, 0)
    is_known = (item >= 0) & known[index] if known.size else np.zeros(item.shape, dtype=bool)
    of_items = np.where(is_known, numbers[index], otherwise) if numbers.size else np.full(item.shape, otherwise)
    return np.where(judged.retrieved, of_items, 0.0), judged.retrieved & is_known


def _mean(judged: Judged, gain: Array, known: Array | None, name: str, *, norm: Norm, drops: bool = False) -> Terms:
    """Divide by the number of items in the list, by the cutoff, or by the number of known items where others leave.

    Args:
        judged: the rankings.
        gain: `[Q, H]`.
        known: `[Q, H]`, which items the history has.
        name: of the measure.
        norm: what the sum is divided by.
        drops: whether unknown items leave the list.

    Raises:
        MeasureError: where ties are expected, and items leave the list.

    """
    gain = np.where(judged.retrieved, gain, 0.0)
    if drops and known is not None:
        if judged.ties != "broken":
            raise no_ties(f"{name}(cold=dropped)", judged.ties)
        return Terms(gain=np.where(known, gain, 0.0), norm=np.sum(known, axis=1).astype(np.float64))
    divisor = judged.depth if norm == "k" else judged.n_retrieved
    return Terms(gain=gain, weight=inside(judged), norm=divisor)


def _of_known_users(terms: Terms, catalogue: Catalogue, user: Integers) -> Terms:
    """Leave the values of users without a history undefined."""
    return terms._replace(norm=np.where(_of_users(user, catalogue.lengths > 0), terms.norm, 0.0))


def _of_users(user: Integers, holds: Array) -> Array:
    """Return `[Q]`, whether something holds of each user: of users `[U]`, and not of unknown ones."""
    return (user >= 0) & holds[np.maximum(user, 0)]


def _added_distances(
    catalogue: Catalogue, judged: Judged, item: Integers, of: str, distance: Distance, unknown: str
) -> tuple[Floats, Any]:
    """Return `[Q, H]`, the distance added by each item to the pairs above it, and the items that count."""
    added = np.zeros(item.shape)
    present = np.zeros(item.shape, dtype=bool)
    step = max(1, _CELLS // max(1, item.shape[1] ** 2))
    for start in range(0, item.shape[0], step):
        part = slice(start, start + step)
        apart = catalogue.distances(item[part], of, distance, "ILD")  # [q, H, H]
        inside_list = judged.retrieved[part]
        if unknown in ("dropped", "removed"):
            counts = ~np.isnan(np.einsum("qii->qi", apart)) & inside_list
        else:
            counts, apart = inside_list, np.where(np.isnan(apart), float(unknown), apart)
        both = counts[:, :, None] & counts[:, None, :]
        below = np.tril(np.ones(apart.shape[1:], dtype=bool), -1)  # [H, H]: the second stands above the first
        added[part] = np.where(both & below, apart, 0.0).sum(axis=2)
        present[part] = counts
    return added, present

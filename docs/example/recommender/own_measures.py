"""Three measures of recommendations: long tail, calibration, and different categories."""

import numpy as np

import rankworth as rw
from rankworth.catalogue import require


@rw.measure("LongTail", needs=("history",), positions="all")
def long_tail(judged: rw.Judged, *, head: float = 0.8) -> rw.Terms:
    """The share of a list outside of the head: the most popular items that together have 80 % of interactions."""
    counts = require(judged.catalogue, "history", "LongTail").interactions  # [I]: how often somebody had each item
    order = np.argsort(-counts, kind="stable")
    before = np.cumsum(counts[order]) - counts[order]  # interactions with more popular items
    in_tail = np.empty(counts.size, dtype=bool)
    in_tail[order] = before >= head * counts.sum()
    item, known = np.maximum(judged.item, 0), judged.item >= 0  # [Q, H]; negative: an item that the call has no data on
    return rw.Terms(gain=1.0 * (judged.retrieved & (~known | in_tail[item])), norm=judged.n_retrieved)


@rw.measure("Calibration", needs=("history", "items"), positions="all", better="lower", range=(0, float("inf")))
def calibration(judged: rw.Judged, *, of: str = "", alpha: float = 0.01) -> rw.Terms:
    """How far the categories of a list are from those of the user's history: KL divergence (Steck 2018), in nats."""
    catalogue = require(judged.catalogue, "history", "Calibration")
    shares = catalogue.column(of, "Calibration", "of")[1].shares  # [I, C]: an item of two categories has half of each
    owner, had = np.divmod(catalogue.seen.keys, len(catalogue.items))  # [P] each: users, and what they had
    past = np.zeros((len(catalogue.users) + 1, shares.shape[1]))  # [U + 1, C], the last row for unknown users
    np.add.at(past, owner, shares[had])
    user = judged.user  # [Q]
    wanted = past[user] / np.maximum(past[user].sum(axis=1, keepdims=True), 1e-12)  # [Q, C]
    counted = judged.retrieved & (judged.item >= 0)
    shown = np.cumsum(counted[:, :, None] * shares[np.maximum(judged.item, 0)], axis=1)  # [Q, H, C]: down to each rank
    shown = shown / np.maximum(shown.sum(axis=2, keepdims=True), 1e-12)
    p, q = wanted[:, None, :], (1 - alpha) * shown + alpha * wanted[:, None, :]
    divergence = (p * np.log(np.where(p > 0, p, 1) / np.where(p > 0, q, 1))).sum(axis=2)  # [Q, H]
    defined = (wanted.sum(axis=1) > 0) & counted.any(axis=1)
    return rw.Terms(gain=np.diff(divergence, axis=1, prepend=0.0), norm=defined.astype(float))


@rw.measure("Categories", needs=("items",), positions="all", range=(0, float("inf")))
def categories(judged: rw.Judged, *, of: str = "") -> rw.Terms:
    """The number of different categories in a list, over k: CategoricalDiversity of RePlay."""
    shares = require(judged.catalogue, "items", "Categories").column(of, "Categories", "of")[1].shares  # [I, C]
    has = (judged.retrieved & (judged.item >= 0))[:, :, None] & (shares[np.maximum(judged.item, 0)] > 0)  # [Q, H, C]
    seen = np.maximum.accumulate(has, axis=1).sum(axis=2)  # [Q, H]: different ones down to each rank
    return rw.Terms(gain=np.diff(seen, axis=1, prepend=0).astype(float), norm=judged.depth)

"""How ranx fuses: 17 methods, 8 norms, with its denominators of at least 1e-9."""

from collections.abc import Callable
from typing import Final

import numpy as np

from rankworth.fusion.joins import Array, Join
from rankworth.fusion.norms import Lists
from rankworth.fusion.steps import Fill
from rankworth.fusion.tool import (
    LISTS_OPEN,
    Parameters,
    Tool,
    ToolMethod,
    plain_sum,
    unchanged,
    weighted_sum,
)

_Part = Callable[[Lists], Array]
_LEAST: Final = 1e-9
_FAR: Final = 1e9
"""what a missing score counts in minima, and with a minus in maxima"""
_EMPTY: Final = "ValueError: max() arg is an empty sequence"


def _in_turn_over(values: Array) -> Array:
    """Return `[S, 1]`, the sums of rows added from the first column to the last."""
    total: Array = np.add.accumulate(values, axis=1)[:, -1:]
    return total


def _min_max(lists: Lists) -> Array:
    return np.asarray((lists.scores - lists.low) / np.maximum(lists.high - lists.low, _LEAST))


def _inverted(lists: Lists) -> Array:
    return np.asarray((lists.high - lists.scores) / np.maximum(lists.high - lists.low, _LEAST))


def _of_maximum(lists: Lists) -> Array:
    return np.asarray(lists.scores / np.maximum(lists.high, _LEAST))


def _of_sum(lists: Lists) -> Array:
    total = _in_turn_over(lists.scores) - lists.low * lists.scores.shape[1]
    return np.asarray((lists.scores - lists.low) / np.maximum(total, _LEAST))


def _zmuv(lists: Lists) -> Array:
    size = lists.scores.shape[1]
    mean = _in_turn_over(lists.scores) / size
    left = lists.scores - mean
    sigma = np.sqrt(_in_turn_over(left * left) / size)
    return np.asarray(left / np.maximum(sigma, _LEAST))


def _by_rank(lists: Lists) -> Array:
    return np.asarray(1 - (lists.ranks - 1) / lists.scores.shape[1])


def _borda(lists: Lists) -> Array:
    return np.asarray(1 - (lists.ranks - 1) / lists.candidates[:, None])


_NORMS: Final = {
    "min-max": _min_max,
    "none": lambda lists: lists.scores,
    "min-max-inverted": _inverted,
    "max": _of_maximum,
    "sum": _of_sum,
    "zmuv": _zmuv,
    "rank": _by_rank,
    "borda": _borda,
}
_KEEPING: Final = tuple(norm for norm in _NORMS if norm not in ("min-max-inverted", "borda"))
"""norms that keep the order of documents, on which ranks depend"""


def _normed(parameters: Parameters) -> _Part:
    norm: _Part = _NORMS[parameters["norm"]]
    return norm


def _fill(parameters: Parameters) -> Fill:
    """Return what stands for missing documents: by the norm `borda` every list has every candidate."""
    return "half-points" if parameters["norm"] == "borda" else "nothing"


def _number(parts: Array) -> Array:
    number: Array = (~np.isnan(parts)).sum(axis=1).astype(np.float64)
    return number


def _minimum(parts: Array, _: Array) -> Array:
    return np.asarray(np.where(np.isnan(parts), _FAR, parts).min(axis=1))


def _maximum(parts: Array, _: Array) -> Array:
    return np.asarray(np.where(np.isnan(parts), -_FAR, parts).max(axis=1))


def _median(parts: Array, _: Array) -> Array:
    return np.asarray(np.nanmedian(parts, axis=1))


def _anz(parts: Array, weights: Array) -> Array:
    return np.asarray(plain_sum(parts, weights) / _number(parts))


def _mnz(parts: Array, weights: Array) -> Array:
    return np.asarray(plain_sum(parts, weights) * _number(parts))


def _mixed(parts: Array, weights: Array) -> Array:
    return np.asarray(weighted_sum(parts, weights) * np.sqrt(_number(parts)))


def _wmnz(parts: Array, weights: Array) -> Array:
    present = np.where(np.isnan(parts), np.nan, weights)
    return np.asarray(plain_sum(parts, weights) * plain_sum(present, weights))


def _gmnz(parameters: Parameters) -> Join:
    return lambda parts, weights: np.asarray(plain_sum(parts, weights) * _number(parts) ** parameters["gamma"])


def _logarithm(parameters: Parameters) -> Join:
    sigma = parameters.get("sigma", 0.0)
    return lambda parts, weights: np.asarray(plain_sum(parts, weights) * np.log(_number(parts) + sigma))


def _always(join: Join) -> Callable[[Parameters], Join]:
    return lambda _: join


def _method(
    name: str,
    join: Callable[[Parameters], Join],
    part: Callable[[Parameters], _Part] = _normed,
    fill: Callable[[Parameters], Fill] = _fill,
    **further: object,
) -> ToolMethod:
    arguments = {
        "names": (name,),
        "order": "score",
        "repetition": "last",
        "takes_weights": False,
        "norms": tuple(_NORMS) if part is _normed else _KEEPING,
        "least_runs": 2,
        "same_queries": True,
        "open": LISTS_OPEN,
        "refuses_no_rows": _EMPTY,
        **further,
    }
    return ToolMethod(part=part, join=join, missing=fill, **arguments)  # type: ignore[arg-type]


def _weighted(name: str, join: Join) -> ToolMethod:
    return _method(name, _always(join), takes_weights=True, weights=unchanged, needed=("run_weights",))


def _ranked(
    name: str, part: Callable[[Parameters], _Part], join: Callable[[Parameters], Join], **further: object
) -> ToolMethod:
    return _method(name, join, part, lambda _: "nothing", **further)


def _inverse_square(_: Parameters) -> _Part:
    return lambda lists: np.asarray(1 / (lists.ranks**2))


def _points(_: Parameters) -> _Part:
    return lambda lists: np.asarray(lists.candidates[:, None] - (lists.ranks - 1))


def _of_points(name: str, join: Join, **further: object) -> ToolMethod:
    return _method(name, _always(join), _points, lambda _: "points", **further)


def _powers(base: float, size: int) -> Array:
    """Return `[n]`, the powers of a number from 0, by repeated squaring, as Numba has them."""
    powers = []
    for exponent in range(size):
        power, square, rest = 1.0, base, exponent
        while rest:
            power = power * square if rest & 1 else power
            rest >>= 1
            square *= square
        powers.append(power)
    return np.array(powers)


def _persistence(parameters: Parameters) -> _Part:
    phi = float(parameters["phi"])
    return lambda lists: np.broadcast_to((1 - phi) * _powers(phi, lists.scores.shape[1]), lists.scores.shape)


RANX: Final = Tool(
    "ranx",
    "ranx 0.3.21",
    "run",
    (
        _ranked(
            "rrf",
            lambda parameters: lambda lists: np.asarray(1 / (parameters["k"] + (lists.ranks - 1) + 1)),
            _always(plain_sum),
            parameters={"k": 60},
        ),
        _method("sum", _always(plain_sum)),
        _method("max", _always(_maximum)),
        _method("min", _always(_minimum)),
        _method("med", _always(_median)),
        _method("anz", _always(_anz)),
        _method("mnz", _always(_mnz)),
        _method("gmnz", _gmnz, needed=("gamma",)),
        _weighted("wsum", weighted_sum),
        _weighted("mixed", _mixed),
        _weighted("wmnz", _wmnz),
        _ranked("isr", _inverse_square, _always(_mnz)),
        _ranked("log_isr", _inverse_square, _logarithm),
        _ranked("logn_isr", _inverse_square, _logarithm, parameters={"sigma": 0.01}),
        _ranked(
            "rbc",
            _persistence,
            _always(plain_sum),
            needed=("phi",),
        ),
        _of_points("bordafuse", plain_sum),
        _of_points("w_bordafuse", weighted_sum, takes_weights=True, needed=("run_weights",)),
    ),
    remarks=(
        "Methods that learn from judgements, and those of Condorcet, are not among these.",
        "Its norm is min-max where none is named: --norm none (norm=None) is its norm=None.",
    ),
)

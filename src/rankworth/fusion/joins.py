"""How the parts of a document, one from each list that has it, become its fused score: pure functions of arrays.

Shapes: `C` candidates, `L` lists; `parts [C, L]` is NaN where a list does not have the document, `weights [L]`.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Join = Callable[[Array, Array], Array]
"""takes `parts` and `weights`, and returns `[C]`"""
_TWO: Final = 2


def is_present(parts: Array) -> NDArray[np.bool_]:
    """Return `[C, L]`, whether a list has a document."""
    return ~np.isnan(parts)


def number(parts: Array) -> Array:
    """Return `[C]`, how many lists have each document."""
    count: Array = is_present(parts).sum(axis=1).astype(parts.dtype)
    return count


def added(parts: Array) -> Array:
    """Add the parts of each document; what is missing adds nothing.

    Three parts and more are added from the least to the greatest, so that the order of the lists does not matter: in
    floating point a + b + c may differ from c + b + a, and would break ties.
    """
    filled = np.where(np.isnan(parts), parts.dtype.type(0), parts)
    return in_turn(filled if filled.shape[1] <= _TWO else np.sort(filled, axis=1))


def in_turn(parts: Array) -> Array:
    """Add the parts of each document from the first list to the last; what is missing adds nothing."""
    total = np.zeros(parts.shape[0], dtype=parts.dtype)
    for part in parts.T:
        total = total + np.where(np.isnan(part), part.dtype.type(0), part)
    return total


def _weighted(parts: Array, weights: Array) -> Array:
    return parts * weights


def weighted_sum(parts: Array, weights: Array) -> Array:
    """Return `sum(w * part)`."""
    return added(_weighted(parts, weights))


def mean_of_all(parts: Array, weights: Array) -> Array:
    """Return `sum(w * part) / sum(w)`, over all lists, whether they have the document or not."""
    return np.asarray(weighted_sum(parts, weights) / added(weights[None, :]))


def _over_present(function: Callable[..., Any]) -> Join:
    """Return a join that applies a function of NumPy to the weighted parts of the lists with the document."""

    def join(parts: Array, weights: Array) -> Array:
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # a document that no list has
            return np.asarray(function(_weighted(parts, weights), axis=1))

    return join


maximum: Final = _over_present(np.nanmax)
minimum: Final = _over_present(np.nanmin)
median: Final = _over_present(np.nanmedian)


def mean_of_present(parts: Array, weights: Array) -> Array:
    """Return `sum(w * part) / n` over the `n` lists that have the document (CombANZ)."""
    return np.asarray(weighted_sum(parts, weights) / number(parts))


def times_number(parts: Array, weights: Array) -> Array:
    """Return `n * sum(w * part)` (CombMNZ)."""
    return np.asarray(number(parts) * weighted_sum(parts, weights))


def times_root(parts: Array, weights: Array) -> Array:
    """Return `sqrt(n) * sum(w * part)` (Mixed)."""
    return np.asarray(np.sqrt(number(parts)) * weighted_sum(parts, weights))


def times_weights(parts: Array, weights: Array) -> Array:
    """Return `sum(part) * sum(w)` over the lists that have the document (weighted MNZ)."""
    present = np.where(is_present(parts), weights, 0)
    return np.asarray(added(parts) * added(present))


def geometric(parts: Array, weights: Array) -> Array:
    """Return `exp(sum(w ln part) / sum(w))` over parts above 0; 0 where there is none."""
    counts = parts > 0
    logarithms = np.log(np.where(counts, parts, 1))
    total = added(np.where(counts, weights, 0))
    return np.where(total > 0, np.exp(added(logarithms * weights) / np.where(total > 0, total, 1)), 0.0)


def harmonic(parts: Array, weights: Array) -> Array:
    """Return `sum(w) / sum(w / part)` over parts above 0; 0 where there is none."""
    counts = parts > 0
    inverse = added(np.where(counts, weights / np.where(counts, parts, 1), 0))
    total = added(np.where(counts, weights, 0))
    return np.where(inverse > 0, total / np.where(inverse > 0, inverse, 1), 0.0)


@dataclass(frozen=True)
class Joining:
    """A way to join parts.

    Attributes:
        join: of a parameter, which some need.
        formula: for help and documentation.
        parameter: the name of that parameter; empty where there is none.

    """

    join: Callable[[float], Join]
    formula: str
    parameter: str = ""


def _plain(join: Join) -> Callable[[float], Join]:
    return lambda _: join


def _to_the_power(gamma: float) -> Join:
    return lambda parts, weights: np.asarray(number(parts) ** gamma * weighted_sum(parts, weights))


def _times_logarithm(sigma: float) -> Join:
    return lambda parts, weights: np.asarray(np.log(number(parts) + sigma) * weighted_sum(parts, weights))


JOININGS: Final[Mapping[str, Joining]] = {
    "sum": Joining(_plain(weighted_sum), "sum(w part)"),
    "mean": Joining(_plain(mean_of_all), "sum(w part) / sum(w)"),
    "max": Joining(_plain(maximum), "max(w part)"),
    "min": Joining(_plain(minimum), "min(w part)"),
    "median": Joining(_plain(median), "median(w part)"),
    "anz": Joining(_plain(mean_of_present), "sum(w part) / n"),
    "mnz": Joining(_plain(times_number), "n sum(w part)"),
    "gmnz": Joining(_to_the_power, "n^gamma sum(w part)", "gamma"),
    "mixed": Joining(_plain(times_root), "sqrt(n) sum(w part)"),
    "wmnz": Joining(_plain(times_weights), "sum(part) sum(w) over the lists that have it"),
    "geometric": Joining(_plain(geometric), "exp(sum(w ln part) / sum(w)) over parts above 0"),
    "harmonic": Joining(_plain(harmonic), "sum(w) / sum(w / part) over parts above 0"),
    "log": Joining(_times_logarithm, "ln(n + sigma) sum(w part)", "sigma"),
}
"""The ways to join parts, by name; `n` is the number of lists that have the document."""

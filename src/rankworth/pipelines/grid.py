"""Settings of a fusion that are searched: constants, norms and weights on a grid."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.fusion.definition import Fusion

CONSTANTS: Final = (60.0, 1.0, 2.0, 5.0, 20.0)
"""constants of reciprocal rank fusion that are tried, the usual one first"""
METHODS: Final = ("rrf", "sum", "dbsf")
"""methods that are tried"""
MOST_RUNS: Final = 3
_PARTS: Final = {2: 10, 3: 6}
"""into how many equal parts the weight of all runs is divided, by their number"""


def weights_on_grid(runs: int) -> list[tuple[float, ...] | None]:
    """Return the weights that are tried: equal ones (None) first, then those in which every run has a part.

    Args:
        runs: two or three; tenths of two, sixths of three.

    Raises:
        UsageError: `conflicting-options`.

    >>> weights_on_grid(2)[:3], len(weights_on_grid(3))
    ([None, (0.1, 0.9), (0.2, 0.8)], 10)
    """
    if runs not in _PARTS:
        text = f"settings are searched for two or three runs, and there {'is' if runs == 1 else 'are'} {runs}"
        raise UsageError("conflicting-options", text, remedy="fuse the retrievers of a kind first, or leave runs out")
    parts = _PARTS[runs]
    shares = [each for each in product(range(1, parts), repeat=runs) if sum(each) == parts]
    unequal = [each for each in shares if len(set(each)) > 1]
    in_tenths = [tuple(share / parts for share in each) for each in unequal]
    return [None, *(in_tenths if parts == _PARTS[2] else [tuple(map(float, each)) for each in unequal])]


def settings_on_grid(runs: int, method: str = "", **axes: Any) -> list[Fusion]:  # noqa: ANN401 - values of axes
    """Return the fusions that are tried, those with equal weights first.

    Args:
        runs: how many there are.
        method: the only method to try, alone or with what is set; else `METHODS`, of which `sum` has the norm
            `min-max`.
        **axes: what all of them have, such as `depth`; the constant `k` or `run_weights`, which are searched else.

    Raises:
        UsageError, InputError: as for `Fusion`.

    >>> [str(fusion) for fusion in settings_on_grid(2, "rrf", k=20)][:2]
    ['rrf(k=20)', 'rrf(k=20,run_weights=0.1/0.9)']
    """
    fusions = list(_unweighted(method, axes))
    if any(fusion.run_weights is not None for fusion in fusions):
        return fusions
    return [replace(fusion, run_weights=weights) for weights in weights_on_grid(runs) for fusion in fusions]


def _unweighted(method: str, axes: dict[str, Any]) -> Iterator[Fusion]:
    """Yield every method with every constant; one that a constant or a norm says nothing of is left out."""
    if method:
        yield from _constants(Fusion.parse(method, **axes), has_constant="k=" in method or axes.get("k") is not None)
        return
    refused: list[UsageError] = []
    fusions: list[Fusion] = []
    for name in METHODS:
        try:
            fusions += _constants(Fusion.of(name, **axes), has_constant=axes.get("k") is not None)
        except UsageError as error:
            if error.slug != "conflicting-options":
                raise
            refused.append(error)
    if not fusions:
        raise refused[0]
    yield from fusions


def _constants(fusion: Fusion, *, has_constant: bool) -> list[Fusion]:
    if fusion.method != "rrf" or has_constant:
        return [fusion]
    return [replace(fusion, k=k) for k in CONSTANTS]

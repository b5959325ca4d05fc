"""How alike rankings are that need not hold the same documents: a registry, and the functions it names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from rankworth.correlation.overlaps.alignment import Alignment, rba
from rankworth.correlation.overlaps.counted import Ties, agreements
from rankworth.correlation.overlaps.rbo import RBO, rbo, weight_of_top
from rankworth.correlation.overlaps.sets import average_overlap, jaccard, overlap
from rankworth.correlation.pairing import Pairing
from rankworth.hits import Floats

__all__ = [
    "OVERLAPS",
    "RBO",
    "Alignment",
    "Overlap",
    "Ties",
    "agreements",
    "average_overlap",
    "jaccard",
    "overlap",
    "rba",
    "rbo",
    "weight_of_top",
]

Parameter = Literal["p", "k"]


@dataclass(frozen=True)
class Overlap:
    """One way to say how alike two rankings are."""

    name: str
    title: str
    function: Callable[..., Floats | RBO | Alignment]
    """takes a `Pairing`, and what `takes` says by keyword"""
    takes: tuple[Parameter, ...]
    ties: str
    """what becomes of tied documents"""
    sources: tuple[str, ...]
    """DOIs"""
    symmetric: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    bounded: bool = False
    """whether `function` gives bounds, too: what rankings beyond their ends could make of it"""

    def values(self, pairing: Pairing, *, p: float = 0.9, k: int | None = None) -> Floats:
        """`[Q]`: one number for each query, NaN where it is undefined; what is not taken has no effect.

        Raises:
            UsageError: `bad-parameter`, `bad-cutoff`.

        """
        given: dict[Parameter, Any] = {"p": p, "k": k}
        found = self.function(pairing, **{name: given[name] for name in self.takes})
        return found.value if isinstance(found, RBO | Alignment) else found


_WEBBER: Final = "10.1145/1852102.1852106"
_CORSI: Final = "10.1145/3626772.3657700"
_RANDOM: Final = "the mean over all orders of what is tied"

_VARIANTS: Final[tuple[tuple[str, str, Ties, str, tuple[str, ...]], ...]] = (
    ("rbo", "Rank-biased overlap", "w", "they share their first rank", (_WEBBER,)),
    ("rbo-w", "Rank-biased overlap, w", "w", "they share their first rank", (_WEBBER, _CORSI)),
    ("rbo-a", "Rank-biased overlap, a", "a", _RANDOM, (_WEBBER, _CORSI)),
    ("rbo-b", "Rank-biased overlap, b", "b", f"{_RANDOM}, corrected", (_WEBBER, _CORSI)),
)

OVERLAPS: Final[Mapping[str, Overlap]] = MappingProxyType(
    {
        one.name: one
        for one in (
            *(
                Overlap(
                    name=name,
                    title=title,
                    function=partial(rbo, ties=ties),
                    takes=("p", "k"),
                    ties=treated,
                    sources=sources,
                    bounded=True,
                )
                for name, title, ties, treated, sources in _VARIANTS
            ),
            Overlap("rba", "Rank-biased alignment", rba, ("p", "k"), "they share the mean weight of their ranks",
                    ("10.1145/3673791.3698405",), bounded=True),
            Overlap("overlap", "Overlap", overlap, ("k",), _RANDOM, (_WEBBER, _CORSI)),
            Overlap("average-overlap", "Average overlap", average_overlap, ("k",), _RANDOM,
                    ("10.1145/952532.952693", _WEBBER)),
            Overlap("jaccard", "Jaccard index", jaccard, ("k",), "those tied with the k-th document are in",
                    ("10.1111/j.1469-8137.1912.tb05611.x",)),
        )
    }
)  # fmt: skip
"""Each by name; `rbo` is `rbo-w`, which is how its authors treat ties."""

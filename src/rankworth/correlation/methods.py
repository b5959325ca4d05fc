"""All ways to say how alike two rankings are, by name: overlaps of lists, and coefficients of correlation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

import numpy as np

from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.correlation.items import Missing, vectors
from rankworth.correlation.overlaps import OVERLAPS, RBO, Alignment
from rankworth.correlation.pairing import Pairing, cutoff, persistence
from rankworth.errors import UsageError, quoted
from rankworth.hits import Floats

METHODS: Final = (*OVERLAPS, *COEFFICIENTS)
"""the names of all methods"""
_OTHERWISE: Final = {
    "kendall": "tau-b",
    "tau": "tau-b",
    "rho": "spearman",
    "ao": "average-overlap",
    "goodman-kruskal": "gamma",
}
"""other names"""
_LABELS: Final = {
    "average-overlap": "AO",
    "jaccard": "Jaccard",
    "rba": "RBA",
    "tau-ap": "tau-AP",
    "tau-ap-a": "tau-AP-a",
    "tau-ap-b": "tau-AP-b",
}
_TIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "aware": "ties are taken into account",
        "penalised": "ties keep it below 1",
        "ignored": "tied pairs do not count",
        "refused": "not defined with ties",
        "refused-in-reference": "not defined with ties in the reference",
    }
)


@dataclass(frozen=True)
class Found:
    """What a method says of each query, `[Q]` each; NaN where it says nothing."""

    values: Floats
    low: Floats
    """the least that rankings could make of it beyond their ends"""
    high: Floats
    """the most"""
    p: Floats
    """two-sided p values"""


@dataclass(frozen=True)
class Method:
    """A method with its parameters.

    Attributes:
        name: as in `METHODS`.
        persistence: of RBO and its like.
        k: how many documents of each ranking it looks at; all of them where None.

    """

    name: str
    persistence: float
    k: int | None

    @property
    def label(self) -> str:
        """What tables call it.

        >>> Method("rbo", 0.9, 10).label, Method("tau-ap-b", 0.9, None).label
        ('RBO(p=0.9)@10', 'tau-AP-b')
        """
        label = _LABELS.get(self.name) or self.name.replace("rbo", "RBO")
        weighted = not self.correlates and "p" in OVERLAPS[self.name].takes
        return f"{label}{f'(p={self.persistence:g})' if weighted else ''}{f'@{self.k}' if self.k else ''}"

    @property
    def title(self) -> str:
        """Its name in the literature."""
        return COEFFICIENTS[self.name].title if self.correlates else OVERLAPS[self.name].title

    @property
    def correlates(self) -> bool:
        """Whether it is a coefficient of correlation, which takes two rankings of the same documents."""
        return self.name in COEFFICIENTS

    @property
    def symmetric(self) -> bool:
        """Whether the two rankings may change places."""
        return (COEFFICIENTS[self.name] if self.correlates else OVERLAPS[self.name]).symmetric

    @property
    def ties(self) -> str:
        """What becomes of tied documents."""
        return _TIES[COEFFICIENTS[self.name].ties] if self.correlates else OVERLAPS[self.name].ties

    def of(self, pairing: Pairing, missing: Missing) -> Found:
        """What it says of each query.

        Raises:
            InputError: `not-conjoint`.
            UsageError: `tied-ranking`.

        """
        void = np.full(len(pairing), np.nan)
        if self.correlates:
            pairs = list(vectors(pairing.cut(self.k), missing, self.label))
            one = COEFFICIENTS[self.name]
            p = np.array([one.p(*pair) for pair in pairs]) if one.p is not None and len(pairs) == 1 else void
            return Found(np.array([one.function(*pair) for pair in pairs], dtype=np.float64), void, void, p)
        overlap = OVERLAPS[self.name]
        given = {"p": self.persistence, "k": self.k}
        found = overlap.function(pairing, **{name: given[name] for name in overlap.takes})
        if isinstance(found, RBO | Alignment):
            return Found(found.value, found.min, found.max, void)
        return Found(found, void, void, void)


def methods(names: str | Iterable[str], p: float, k: int | None) -> list[Method]:
    """Methods by their names.

    Raises:
        UsageError: `unknown-setting`, `bad-parameter`, `bad-cutoff`.

    """
    weight = persistence(p)
    cutoff(k)
    asked = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not asked:
        raise UsageError("unknown-setting", "no method is named", remedy=f"methods are {' '.join(METHODS)}")
    found = {}
    for name in asked:
        plain = str(name).lower().replace("_", "-")
        plain = _OTHERWISE.get(plain, plain)
        if plain not in METHODS:
            near = get_close_matches(plain, (*METHODS, *_OTHERWISE), 3, 0.5)
            remedy = f"did you mean {quoted(near)}?" if near else f"methods are {' '.join(METHODS)}"
            raise UsageError("unknown-setting", f"method={name!r}: there is no such method", remedy=remedy)
        found[plain] = Method(plain, weight, k)
    return list(found.values())

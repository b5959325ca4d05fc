"""All ways to say how alike two rankings are, by name: overlaps of lists, and coefficients of correlation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.stats.overlap import OVERLAPS, Bounded
from rankworth.stats.pairing import Pairing, Side, cutoff, persistence
from rankworth.stats.rank_correlation import COEFFICIENTS

Missing = Literal["refuse", "common", "last"]
"""What becomes of documents that one of two rankings does not have: an error; they are left out; they stand behind all
others, tied."""
METHODS: Final = (*OVERLAPS, *COEFFICIENTS)
"""the names of all methods"""
_ALIASES: Final = {
    "kendall": "tau-b",
    "tau": "tau-b",
    "rho": "spearman",
    "ao": "average-overlap",
    "goodman-kruskal": "gamma",
}
_DIFFERENT: Final = """\
--missing common (missing="common") looks at the documents that both have, --missing last (missing="last") puts the \
others behind, tied
RBO, overlap, AO, Jaccard and RBA are made for rankings that differ"""
_TIES: Final = {
    "aware": "ties are taken into account",
    "penalised": "ties keep it below 1",
    "ignored": "tied pairs do not count",
    "refused": "not defined with ties",
    "refused-in-reference": "not defined with ties in the reference",
}


@dataclass(frozen=True)
class Method:
    """A method with its parameters.

    Attributes:
        name: one of `METHODS`.
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
        depth = f"@{self.k}" if self.k else ""
        if self.correlates:
            return f"{self.name.replace('tau-ap', 'tau-AP')}{depth}"
        overlap = OVERLAPS[self.name]
        return f"{overlap.label}{f'(p={self.persistence:g})' if 'p' in overlap.takes else ''}{depth}"

    @property
    def correlates(self) -> bool:
        """Whether it is a coefficient of correlation, which takes two rankings of the same documents."""
        return self.name in COEFFICIENTS

    @property
    def symmetric(self) -> bool:
        """Whether the two rankings may change places."""
        return not self.correlates or COEFFICIENTS[self.name].symmetric

    @property
    def ties(self) -> str:
        """What becomes of tied documents."""
        return _TIES[COEFFICIENTS[self.name].ties] if self.correlates else OVERLAPS[self.name].ties

    def of(self, pairing: Pairing, missing: Missing, scores: Sequence[Mapping[str, float] | None] = ()) -> Floats:
        """Compute `[4, Q]`: the value of each query, its least, its most, and its p value; NaN where there is none.

        Least and most are what documents beyond the ends of the rankings could make of it; p is of a single query.

        Args:
            pairing: the rankings.
            missing: what becomes of documents of one ranking alone.
            scores: what two single rankings were ranked by, for Pearson's r.

        Raises:
            InputError: `not-conjoint`, `input-type`.
            UsageError: `tied-ranking`, `conflicting-options`.

        """
        table = np.full((4, len(pairing)), np.nan)
        if self.correlates:
            coefficient = COEFFICIENTS[self.name]
            pairs = [self._scores(pairing, missing, scores)] if self.name == "pearson" else self.ranks(pairing, missing)
            table[0] = [coefficient.value(*pair) for pair in pairs]
            if len(pairs) == 1:
                table[3] = coefficient.p(*pairs[0])
            return table
        result = OVERLAPS[self.name].of(pairing, p=self.persistence, k=self.k)
        if isinstance(result, Bounded):
            table[:3] = result.value, result.min, result.max
        else:
            table[0] = result
        return table

    def _scores(
        self, pairing: Pairing, missing: Missing, scores: Sequence[Mapping[str, float] | None]
    ) -> tuple[Floats, Floats]:
        """Return `[C]` each, the scores of the items that two single rankings have in common."""
        both = [side for side in scores if side is not None]
        if len(both) < 2:  # noqa: PLR2004 - two rankings
            text = "pearson is about scores, and these are rankings"
            raise InputError("input-type", text, remedy="spearman is about ranks")
        if self.k is not None or missing == "last":
            raise UsageError("conflicting-options", "pearson is about all scores: k and missing='last' are about ranks")
        if missing == "refuse":
            _refuse(pairing, self.label)
        common = [item for item in both[0] if item in both[1]]
        return np.array([both[0][item] for item in common]), np.array([both[1][item] for item in common])

    def ranks(self, pairing: Pairing, missing: Missing) -> list[tuple[Floats, Floats]]:
        """Return minus the rank of each query's documents in both rankings, so that higher is better.

        With `last`, documents of one ranking only stand behind all of the other one, tied: what Fagin, Kumar and
        Sivakumar (2003), Comparing top k lists, https://doi.org/10.1137/S0895480102412856, call a bucket order.

        Raises:
            InputError: `not-conjoint`.

        """
        pairing = pairing.cut(self.k)
        if missing == "refuse":
            _refuse(pairing, self.label)
        first, second, pairs = pairing.first, pairing.second, []
        for rows, rows_of_second in zip(_slices(first), _slices(second), strict=True):
            match, top = first.match[rows], first.top[rows]  # [n] each: the documents of a query in the first ranking
            both = match >= 0
            x, y = top[both], second.top[match[both]]  # [c] each: both ranks of the common documents
            if missing == "last":
                # ranks of documents of the second ranking only
                alone = second.top[rows_of_second][second.match[rows_of_second] < 0]
                # [u] each, of the u documents of either ranking: common, first only, second only
                x = np.concatenate((x, top[~both], np.full(alone.size, top.size + 1)))
                y = np.concatenate(
                    (y, np.full(int((~both).sum()), rows_of_second.stop - rows_of_second.start + 1), alone)
                )
            pairs.append((-x.astype(np.float64), -y.astype(np.float64)))
        return pairs


def methods(names: str | Iterable[str], p: float, k: int | None) -> list[Method]:
    """Look up methods by their names.

    Raises:
        UsageError: `unknown-setting`, `bad-parameter`, `bad-cutoff`.

    """
    weight = persistence(p)
    cutoff(k)
    named = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    plain = [str(name).lower().replace("_", "-") for name in named] or [""]
    canonical = list(dict.fromkeys(_ALIASES.get(name, name) for name in plain))
    for name in canonical:
        if name not in METHODS:
            near = get_close_matches(name, (*METHODS, *_ALIASES), 3, 0.5)
            remedy = f"did you mean {quoted(near)}?" if near else f"methods are {' '.join(METHODS)}"
            raise UsageError("unknown-setting", f"method={name!r}: there is no such method", remedy=remedy)
    return [Method(name, weight, k) for name in canonical]


def method_rules(methods: Sequence[Method], reference: str, ties: str = "") -> Iterator[str]:
    """Yield how the methods treat ties, and which ranking is the reference.

    Args:
        methods: the methods.
        reference: the ranking that is the reference for methods that have one.
        ties: where there are equal scores; empty where there are none.

    """
    if ties:
        treated: dict[str, list[str]] = {}
        for method in methods:
            treated.setdefault(method.ties, []).append(method.label)
        rules = "; ".join(f"{', '.join(labels)}: {how}" for how, labels in treated.items())
        yield f"{ties}: {rules}"
    if one_sided := [method.label for method in methods if not method.symmetric]:
        yield f"{', '.join(one_sided)}: {reference} is the reference"


def names_of(names: Sequence[str] | None, run_names: Sequence[str], fallback: tuple[str, str]) -> tuple[str, str]:
    """Name two rankings or judges: by the names that users chose, else by those of the runs, else by `fallback`.

    Raises:
        UsageError: `run-names`.

    """
    if names is None:
        first, second = (name or other for name, other in zip(run_names, fallback, strict=True))
        return (first, second) if first != second else fallback
    both = [] if isinstance(names, str) else list(names)
    if len(both) != 2 or both[0] == both[1] or not all(isinstance(name, str) and name for name in both):  # noqa: PLR2004 - two
        text = f"names={names!r}: two different names are needed"
        raise UsageError("run-names", text, remedy="as in names=['human', 'model'], on the command line NAME=FILE")
    return both[0], both[1]


def _slices(side: Side) -> list[slice]:
    """Return the rows of each query as a slice."""
    return [slice(*ends) for ends in pairwise(side.starts.tolist())]


def _refuse(pairing: Pairing, label: str) -> None:
    """Refuse rankings of different documents.

    Raises:
        InputError: `not-conjoint`.

    """
    common = pairing.common
    # the queries whose rankings have different documents
    apart = np.flatnonzero((pairing.first.lengths != common) | (pairing.second.lengths != common))
    if apart.size:
        row = int(apart[0])
        sizes = f"{pairing.first.lengths[row]:,} and {pairing.second.lengths[row]:,}, {common[row]:,} of them common"
        of = f"of {quoted([pairing.queries[row]])} " if pairing.queries[row] else ""
        more = f" (and {counted(int(apart.size) - 1)} more)" if apart.size > 1 else ""
        text = f"{label} is about two rankings of the same documents, and those {of}hold {sizes}{more}"
        raise InputError("not-conjoint", text, remedy=_DIFFERENT)

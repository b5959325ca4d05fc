"""Coefficients of correlation between two vectors of scores for the same items, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from numpy.typing import ArrayLike

from rankworth.correlation.coefficients.average_precision import tau_ap, tau_ap_a, tau_ap_b
from rankworth.correlation.coefficients.kendall import gamma, kendall_p, tau_a, tau_b, tau_c
from rankworth.correlation.coefficients.pearson import pearson, pearson_p
from rankworth.correlation.coefficients.spearman import spearman, spearman_p
from rankworth.correlation.coefficients.weighted import weighted_tau, weighted_tau_reference

Ties = Literal["aware", "penalised", "ignored", "refused", "refused-in-reference"]


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A coefficient of correlation and what is true of it."""

    name: str
    """its key in `COEFFICIENTS`"""
    title: str
    """what a table calls it"""
    function: Callable[[ArrayLike, ArrayLike], float]
    """of two vectors [n] of scores, where higher means earlier; the first is the reference where one is"""
    symmetric: bool
    """whether the two may change places"""
    lowest: float = -1.0
    """the least value it can have; the highest is 1"""
    ties: Ties
    """`aware`: identical rankings give 1 with ties as without; `penalised`: ties keep them below 1; `ignored`: tied
    pairs do not count; `refused`: not defined with ties; `refused-in-reference`: not defined with ties in the first"""
    source: str
    """the DOI of its definition"""
    p: Callable[[ArrayLike, ArrayLike], float] | None = None
    """the two-sided p value, where there is one in use"""


_ALL = (
    Coefficient(
        name="tau-a",
        title="Kendall's tau a",
        function=tau_a,
        symmetric=True,
        ties="penalised",
        source="10.1093/biomet/30.1-2.81",
        p=kendall_p,
    ),
    Coefficient(
        name="tau-b",
        title="Kendall's tau b",
        function=tau_b,
        symmetric=True,
        ties="aware",
        source="10.1093/biomet/33.3.239",
        p=kendall_p,
    ),
    Coefficient(
        name="tau-c",
        title="Stuart's tau c",
        function=tau_c,
        symmetric=True,
        ties="penalised",
        source="10.2307/2333101",
        p=kendall_p,
    ),
    Coefficient(
        name="gamma",
        title="Goodman and Kruskal's gamma",
        function=gamma,
        symmetric=True,
        ties="ignored",
        source="10.1080/01621459.1954.10501231",
        p=kendall_p,
    ),
    Coefficient(
        name="spearman",
        title="Spearman's rho",
        function=spearman,
        symmetric=True,
        ties="aware",
        source="10.2307/1412159",
        p=spearman_p,
    ),
    Coefficient(
        name="weighted-tau",
        title="weighted tau",
        function=weighted_tau,
        symmetric=True,
        ties="aware",
        source="10.1145/2736277.2741088",
    ),
    Coefficient(
        name="weighted-tau-reference",
        title="weighted tau by the reference",
        function=weighted_tau_reference,
        symmetric=False,
        ties="aware",
        source="10.1145/2736277.2741088",
    ),
    Coefficient(
        name="tau-ap",
        title="tau AP",
        function=tau_ap,
        symmetric=False,
        ties="refused",
        source="10.1145/1390334.1390435",
    ),
    Coefficient(
        name="tau-ap-a",
        title="tau AP a",
        function=tau_ap_a,
        symmetric=False,
        ties="refused-in-reference",
        source="10.1145/3121050.3121106",
    ),
    Coefficient(
        name="tau-ap-b",
        title="tau AP b",
        function=tau_ap_b,
        symmetric=True,
        ties="aware",
        source="10.1145/3121050.3121106",
    ),
    Coefficient(
        name="pearson",
        title="Pearson's r",
        function=pearson,
        symmetric=True,
        ties="aware",
        source="10.1098/rspl.1895.0041",
        p=pearson_p,
    ),
)
COEFFICIENTS: Final[Mapping[str, Coefficient]] = MappingProxyType({one.name: one for one in _ALL})
"""All of them, by name."""

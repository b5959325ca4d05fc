"""Corrections of p values where several tests are made at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.samples import Floats, check_word


@dataclass(frozen=True)
class Correction:
    """A way to correct p values."""

    name: str
    """what a table calls it"""
    how: str
    """what was done to p values, in words for a paper; empty where nothing is corrected"""
    bounded: str
    """the error rate that it keeps low"""
    reference: str
    """a key of `BIBTEX`; empty where nothing is corrected"""
    adjust: Callable[[Floats], Floats]
    """from p values in rising order to corrected ones, neither in order nor cut at 1"""

    @property
    def sentence(self) -> str:
        """What it keeps, in words for a paper; empty where nothing is corrected."""
        return f"p values were {self.how}, which bounds {self.bounded}." if self.how else ""


def adjusted(p: ArrayLike, method: str = "holm") -> Floats:
    """Correct p values, for all tests that were made together.

    With the m p values in rising order, `p(1) <= ... <= p(m)`:

        bonferroni  m p(i)
        holm        max over j <= i of (m - j + 1) p(j)
        bh          min over j >= i of m p(j) / j
        by          the same, times 1 + 1/2 + ... + 1/m

    none above 1. Bonferroni and Holm bound the probability of one false rejection or more, whatever depends on what;
    Benjamini and Hochberg bound the expected share of false ones among the rejections where tests are independent or
    positively dependent, Benjamini and Yekutieli whatever depends on what.

    Args:
        p: of any shape; NaN stays NaN and is not counted.
        method: a word of `CORRECTIONS`: none, bonferroni, holm, bh or by.

    Sources: Dunn (1961), https://doi.org/10.1080/01621459.1961.10482090; Holm (1979), A simple sequentially rejective
    multiple test procedure, Scandinavian Journal of Statistics 6; Benjamini and Hochberg (1995),
    https://doi.org/10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli (2001),
    https://doi.org/10.1214/aos/1013699998

    >>> adjusted([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    check_word("method", method, CORRECTIONS)
    p_values = np.asarray(p, dtype=np.float64)
    defined = ~np.isnan(p_values)
    values = p_values[defined]  # [m]: the p values that count
    if ((values < 0) | (values > 1)).any():
        raise ValueError("a p value lies between 0 and 1")
    order = np.argsort(values, kind="stable")
    corrected = np.empty_like(values)  # [m]
    corrected[order] = np.minimum(CORRECTIONS[method].adjust(values[order]), 1.0)
    result = np.full(p_values.shape, np.nan)
    result[defined] = corrected
    return result


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * np.arange(p.size, 0, -1))


def _bh(p: Floats) -> Floats:
    return np.asarray(np.minimum.accumulate((p * (p.size / np.arange(1, p.size + 1)))[::-1])[::-1])


def _by(p: Floats) -> Floats:
    return _bh(p) * float((1 / np.arange(1, p.size + 1)).sum())


_FAMILY: Final = "the family-wise error rate"
_FALSE: Final = "the false discovery rate"
_RELATED: Final = f"{_FALSE} of tests that are independent or positively dependent"
_ANY: Final = f"{_FALSE} whatever the dependence between tests"
_HOCHBERG, _YEKUTIELI = "Benjamini-Hochberg", "Benjamini-Yekutieli"
CORRECTIONS: Final[Mapping[str, Correction]] = {
    "none": Correction("none", "", "", "", lambda p: p),
    "bonferroni": Correction(
        "Bonferroni", "multiplied by their number (Bonferroni)", _FAMILY, "dunn1961", lambda p: p * p.size
    ),
    "holm": Correction("Holm", "corrected by Holm's method", _FAMILY, "holm1979", _holm),
    "bh": Correction(_HOCHBERG, f"corrected by the {_HOCHBERG} method", _RELATED, "benjamini1995", _bh),
    "by": Correction(_YEKUTIELI, f"corrected by the {_YEKUTIELI} method", _ANY, "benjamini2001", _by),
}
"""How p values are corrected, by word."""

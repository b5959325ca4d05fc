"""The tests of paired differences by word, all called alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from numpy.typing import ArrayLike

from rankworth.statistics.bootstrap import bootstrap_test
from rankworth.statistics.flips import FLIPS, randomization
from rankworth.statistics.outcomes import Tests
from rankworth.statistics.paired import sign_test, t_test, wilcoxon
from rankworth.statistics.samples import RESAMPLES, Alternative


@dataclass(frozen=True)
class Method:
    """A test and what it takes."""

    test: Callable[..., Tests]
    title: str
    """what a table calls it"""
    resamples: int = 0
    """how many samples it draws where not told; 0 for one that draws none"""
    weighted: bool = True
    """whether it has a form with weights"""

    def __call__(
        self,
        differences: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        alternative: Alternative = "two-sided",
        resamples: int | None = None,
        seed: int = 0,
    ) -> Tests:
        """Test differences [N, K]; a test that draws nothing has no use for the number of samples and the seed."""
        drawing: dict[str, Any] = {"resamples": resamples or self.resamples, "seed": seed} if self.resamples else {}
        return self.test(differences, weights, alternative=alternative, **drawing)


TESTS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "t": Method(t_test, "paired t test"),
        "wilcoxon": Method(wilcoxon, "Wilcoxon signed-rank test", weighted=False),
        "sign": Method(sign_test, "sign test", weighted=False),
        "randomization": Method(randomization, "randomization test", FLIPS),
        "bootstrap": Method(bootstrap_test, "bootstrap test", RESAMPLES),
    }
)
"""Tests of paired differences, by word."""

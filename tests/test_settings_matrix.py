"""Every setting alone, and random pairs of settings, before every analysis."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from settings_matrix import ANALYSES, OF_CALLS, SINGLE, Collection, Settings, cell, pairs

KNOWN: Final = {
    ("groups", "all_negative=previous"): "the query before may be one of another group",
    ("tensors", "order=given"): "the columns of a matrix are ordered by their scores",
    ("tensors", "round_values=2"): "values of matrices are not rounded",
    ("tensors", "round_means=3"): "values of matrices are not rounded",
}
"""cells that disagree, with the reason; what disagrees alone may disagree in a pair"""
ON_COMPARISONS: Final = ("part", "gates", "planning", "report")
"""analyses of comparisons, before which each setting stands alone already"""


def told(settings: Settings) -> str:
    """Settings as text."""
    return " ".join(f"{name}={value}" for name, value in settings.items())


def wrong(analysis: str, chosen: list[Settings], seed: int) -> Iterator[str]:
    """What is wrong with an analysis under some settings, but for what is known."""
    data = Collection(seed)
    for settings in chosen:
        outcome = cell(data, settings, analysis)
        if outcome.startswith(("crash", "wrong")) and not any(
            (analysis, each) in KNOWN for each in told(settings).split()
        ):
            yield f"{told(settings)}: {outcome}"


@pytest.mark.parametrize("analysis", [analysis for analysis in ANALYSES if analysis not in ON_COMPARISONS])
def test_an_analysis_follows_every_setting_or_refuses_it(analysis: str) -> None:
    assert list(wrong(analysis, SINGLE, seed=1)) == []


@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_follows_pairs_of_settings_or_refuses_them(analysis: str) -> None:
    assert list(wrong(analysis, pairs(30, seed=2), seed=2)) == []


@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_follows_weights_groups_whole_runs_and_repeated_runs_or_refuses_them(analysis: str) -> None:
    assert list(wrong(analysis, OF_CALLS + pairs(8, seed=3, of_calls=True), seed=3)) == []


@pytest.mark.parametrize(("analysis", "known"), KNOWN)
def test_what_is_known_to_disagree_still_does(analysis: str, known: str) -> None:
    name, _, value = known.partition("=")
    chosen: Any = next(settings for settings in SINGLE if told(settings) == f"{name}={value}")
    assert any(cell(Collection(seed), chosen, analysis).startswith("wrong") for seed in (1, 2, 3))

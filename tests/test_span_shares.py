"""Values by the share of a gold span from which on a piece is relevant, as evaluate and compare tell them."""

import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.errors import RankworthWarning
from rankworth.evaluation.shares import SHARES, TRIED

GOLD = {"q1": [("a", 90, 120)], "q2": [("a", 400, 460), ("b", 0, 40)]}
SMALL = {"q1": [("a", 0, 100), ("a", 100, 200)], "q2": [("b", 0, 100), ("a", 0, 100)]}
LARGE = {"q1": [("b", 0, 400), ("a", 0, 400)], "q2": [("b", 0, 400), ("a", 400, 800)]}
FEW = settings(max_examples=60, deadline=None)
SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 12)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)


def notice_of(values: rw.Values) -> str:
    """Return what is said of shares; nothing where it is not."""
    texts = [notice.text for notice in values.notices if notice.slug == "span-shares"]
    return texts[0] if texts else ""


def told(values: rw.Values, measure: str) -> list[float]:
    """Return the means of a measure that are told."""
    match = re.search(rf"(?:: |; ){re.escape(measure)} ([0-9., ]+)", notice_of(values))
    return [] if match is None else [float(number) for number in match[1].split(", ")]


def evaluated(gold: Any, run: Any, measures: list[str], **options: Any) -> rw.Values:
    """Evaluate, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.evaluate(gold, run, measures, **options)


def test_means_by_share_stand_beside_values() -> None:
    values = evaluated(GOLD, SMALL, ["SpanR@2", "RR@2", "AP"])
    # q1: the first piece holds 10 / 30 of the span, the second 20 / 30; q2: the first piece holds all of one span
    rr = [(1 + 1) / 2, (1 + 1) / 2, (1 / 2 + 1) / 2, (0 + 1) / 2, (0 + 1) / 2]
    assert told(values, "RR@2") == rr
    assert told(values, "SpanR@2") == []
    assert TRIED in notice_of(values)
    assert notice_of(values).startswith("the run: ")


@FEW
@given(st.lists(SPANS, min_size=1, max_size=3, unique=True), st.lists(SPANS, min_size=1, max_size=4, unique=True))
def test_each_mean_is_that_of_its_share(gold: list[Any], pieces: list[Any]) -> None:
    measures = ["RR@3", "nDCG", "AP", "Success@1"]
    values = evaluated({"q": gold}, {"q": pieces}, measures)
    for measure in measures:
        means = [
            round(evaluated({"q": gold}, {"q": pieces}, [measure], span_share=share)[measure], 4) for share in SHARES
        ]
        assert told(values, measure) in ([], means)
        assert bool(told(values, measure)) == (len({f"{mean:.4f}" for mean in means}) > 1)


def test_nothing_is_said_of_means_that_are_the_same() -> None:
    assert notice_of(evaluated(GOLD, LARGE, ["RR@2"])) == ""


@pytest.mark.parametrize("measures", [["SpanR@2", "SpanIoU"], ["NumRel"]])
def test_nothing_is_said_of_measures_that_see_no_pieces(measures: list[str]) -> None:
    assert notice_of(evaluated(GOLD, SMALL, measures)) == ""


def test_nothing_is_said_where_documents_are_judged() -> None:
    assert notice_of(evaluated({"q": {"a": 1}}, {"q": ["a"]}, ["RR"])) == ""


def test_a_note_is_no_warning_in_python() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RankworthWarning)
        assert notice_of(rw.evaluate(GOLD, SMALL, ["RR@1"]))


def compared(first: Any, second: Any, measures: list[str]) -> str:
    """Return the notes of a comparison."""
    return " ".join(rw.compare(GOLD, {"first": first, "second": second}, measures).notes)


def test_compare_tells_differences_by_share_and_whether_the_better_one_changes() -> None:
    # RR of small by share: 1, 1, 3/4, 1/2, 1/2; of large (1/2 + 1) / 2 by each
    notes = compared(SMALL, LARGE, ["RR@2"])
    assert "-0.2500, -0.2500, +0.0000, +0.2500, +0.2500; which of them is better depends on it" in notes


def test_compare_tells_differences_where_the_better_one_stays() -> None:
    notes = compared(SMALL, {"q1": [("a", 0, 400)], "q2": LARGE["q2"]}, ["RR@2"])
    assert "+0.0000, +0.0000, +0.2500, +0.5000, +0.5000" in notes
    assert "depends on it" not in notes


def test_compare_says_nothing_of_measures_of_characters() -> None:
    assert TRIED not in compared(SMALL, LARGE, ["SpanR@2"])


def test_vary_judges_a_ranking_by_each_share() -> None:
    varied = rw.vary(GOLD, SMALL, ["RR@2", "SpanR@2"], "share", query="q1")
    values = {name: [row["value"] for row in varied.rows if row["measure"] == name] for name in varied.measures}
    assert [row["share"] for row in varied.rows[: len(SHARES)]] == [*SHARES]
    assert values["RR@2"] == [1.0, 1.0, 1 / 2, 0.0, 0.0]  # the first piece holds 10 / 30, the second 20 / 30
    assert values["SpanR@2"] == [1.0] * len(SHARES)
    assert varied.baseline["RR@2"] == 1 / 2


@FEW
@given(st.lists(SPANS, min_size=1, max_size=3, unique=True), st.lists(SPANS, min_size=1, max_size=4, unique=True))
def test_vary_gives_the_value_of_each_share(gold: list[Any], pieces: list[Any]) -> None:
    varied = rw.vary({"q": gold}, {"q": pieces}, "AP", "share", query="q")
    values = [evaluated({"q": gold}, {"q": pieces}, ["AP"], span_share=share)["AP"] for share in SHARES]
    assert [row["value"] for row in varied.rows] == values


def test_vary_has_an_example_of_shares_that_is_drawn() -> None:
    varied = rw.vary(measures="RR", by="share")
    assert [row["value"] for row in varied.rows] == [1.0, 1.0, 1 / 2, 1 / 2, 0.0]  # 5 / 20, 15 / 20, 0 / 20
    ax = rw.plots.vary(varied)
    assert [*SHARES] in [list(line.get_xdata()) for line in ax.lines]


def test_shares_are_varied_where_gold_is_spans() -> None:
    with pytest.raises(rw.MeasureError, match="needs spans"):
        rw.vary({"q": {"a": 1}}, {"q": ["a"]}, "RR", "share", query="q")

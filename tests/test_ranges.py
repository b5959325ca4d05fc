"""Values beyond the range of their measure are refused, unless the tool whose profile is named gives them."""

from typing import Any

import polars as pl
import pytest

import rankworth as rw
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.measures import CATALOGUE, Terms

QRELS = {"q1": ["refunds"]}
RUN = {"q1": ["refunds", "refunds", "ship"]}


@pytest.mark.parametrize(
    ("measure", "settings", "text"),
    [
        ("R@3", {"duplicates": "all"}, "R@3 of q1 is 2, and R is between 0 and 1   [beyond-range]"),
        ("nDCG@3", {"duplicates": "all"}, "nDCG@3 of q1 is 1.631, and nDCG is between 0 and 1"),
        ("AP", {"duplicates": "all", "depth": 2}, "AP of q1 is 2, and"),
        ("gmean(AP)", {"duplicates": "all"}, "gmean(AP) of q1 is 2, and AP is"),
        ("yaap", {"duplicates": "all"}, "yaap of q1 is inf, and yaap is a finite number"),
        ("R@3", {"duplicates": "all", "profile": "trec_eval-10.0"}, "R@3 of q1 is 2"),
    ],
)
def test_a_value_of_documents_that_count_twice_is_refused(measure: str, settings: Any, text: str) -> None:
    with pytest.raises(MeasureError) as caught:
        rw.evaluate(QRELS, RUN, [measure, "P@2"], **settings)
    assert caught.value.slug == "beyond-range"
    assert text in str(caught.value)
    assert "duplicates='first'" in caught.value.remedy or "--duplicates first" in caught.value.remedy
    assert rw.evaluate(QRELS, RUN, [measure], **settings | {"duplicates": "first"})[measure] < 2


@pytest.mark.parametrize("setting", ["no_relevant", "undefined"])
def test_a_number_that_is_no_value_of_the_measure_is_refused(setting: str) -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": ["a"], "q2": ["a"]}
    settings: Any = {setting: 2}
    with pytest.raises(MeasureError, match=f"AP of q2 is 2.*\n.*{setting}=2 is no value of AP"):
        rw.evaluate(qrels, run, ["AP"], **settings)
    settings[setting] = 1
    assert rw.evaluate(qrels, run, ["AP"], **settings)["AP"] == 1


def test_judgements_that_count_twice_are_refused() -> None:
    qrels = pl.DataFrame({"query": ["q1", "q1"], "document": ["a", "a"], "grade": [1, 1]})
    with pytest.raises(MeasureError, match=r"P@1 of q1 is 2.*\n.*duplicate_judgements='all' counts a document"):
        rw.evaluate(qrels, {"q1": {"a": 1.0}}, ["P@1"], duplicate_judgements="all")
    assert rw.evaluate(qrels, {"q1": {"a": 1.0}}, ["P@1"], duplicate_judgements="max")["P@1"] == 1


def test_a_tool_that_gives_such_a_value_gives_it_under_its_profile() -> None:
    assert rw.evaluate(QRELS, RUN, ["ap"], profile="llama_index-0.14")["ap"] == 2
    assert rw.evaluate(QRELS, RUN, ["ap"], profile="llama_index-0.14", depth=10)["ap"] == 2
    assert rw.evaluate(QRELS, RUN, ["ap"], profile="llama_index-0.14", duplicates="once")["ap"] == 1


def test_documents_at_the_last_rank_of_their_tie_may_be_more_than_there_are() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}, {"q": dict.fromkeys("abcd", 1.0)}
    with pytest.raises(MeasureError, match=r"FallOut@3 of q is 3.*\n.*choose other ties, or not FallOut"):
        rw.evaluate(qrels, run, ["FallOut@3"], ties="last")


def test_a_measure_of_ones_own_says_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankworth.measures.core.CATALOGUE", dict(CATALOGUE))

    def total(judged: Judged) -> Terms:
        """The sum of the grades."""
        return Terms(gain=judged.grade)

    with pytest.raises(MeasureError, match=r"Total of q is 3, and Total is between 0 and 1.*\n.*range="):
        rw.evaluate({"q": {"a": 3}}, {"q": ["a"]}, [rw.measure("Total")(total)])
    assert rw.evaluate({"q": {"a": 3}}, {"q": ["a"]}, [rw.measure("Total", range=(0, 9))(total)])["Total"] == 3

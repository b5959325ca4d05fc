"""Judgements of grade -1, which TREC's samples give to documents that nobody judged, are named where they matter."""

import warnings
from typing import Any

import pytest

import rankworth as rw
from rankworth.measures import CATALOGUE
from rankworth.scoring.diagnostics import _OF_SAMPLES, _SIGNED

SAMPLED = {"q1": {"a": 1, "b": -1, "c": -1, "d": 0}}
RUN = {"q1": {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0}}


def notices(qrels: Any, measures: list[str], **settings: Any) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        values = rw.evaluate(qrels, RUN, measures, **settings)
    return [notice.text for notice in values.notices if notice.slug == "sampled-judgements"]


def test_measures_that_count_them_as_judged_are_named() -> None:
    [text] = notices(SAMPLED, ["nDCG@3", "AP", "Judged@3", "infAP"])
    assert text.startswith(
        "2 of 4 judgements have grade -1: in TREC's samples, documents of the pool that nobody judged"
    )
    assert "; nDCG@3 AP count them as not relevant, to Judged@3 they are judged." in text
    [text] = notices(SAMPLED, ["Judged@3"])
    assert "made for them; to Judged@3 they are judged." in text
    with pytest.warns(rw.RankworthWarning, match="sampled-judgements"):
        rw.evaluate(SAMPLED, RUN, ["AP"])
    with pytest.warns(rw.RankworthWarning, match=r"AP counts them as not relevant, they lower nDCG\(gain=signed\)"):
        rw.evaluate(SAMPLED, RUN, ["AP", "nDCG(gain=signed)"])


@pytest.mark.parametrize(
    ("qrels", "measures", "settings"),
    [
        (SAMPLED, ["infAP", "Bpref"], {}),
        (SAMPLED, ["AP"], {"negative": "dropped"}),
        (SAMPLED, ["AP"], {"negative": "zero"}),
        ({"q1": {"a": 1, "b": -2, "c": -3}}, ["AP"], {}),  # spam, which somebody saw
        ({"q1": {"a": 1, "b": 0}}, ["AP"], {}),
    ],
)
def test_nothing_is_said_where_nothing_is_miscounted(qrels: Any, measures: list[str], settings: Any) -> None:
    assert notices(qrels, measures, **settings) == []


@pytest.mark.parametrize("name", CATALOGUE)
def test_measures_that_tell_minus_one_from_zero_are_those_that_are_not_warned_of(name: str) -> None:
    lists = ([1, -1, 1, 0], [-1, 1, -1, 0], [2, -1, 0, 1])
    measure = CATALOGUE[name]
    try:
        rw.score([1], measure)
    except rw.MeasureError:  # it has no value without a cutoff
        measure @= 3
    plain = [[max(0, grade) for grade in grades] for grades in lists]
    differs = any(rw.score(given, measure) != rw.score(zero, measure) for given, zero in zip(lists, plain, strict=True))
    assert differs == (name in (*_OF_SAMPLES, *_SIGNED))


def test_check_names_them_once_with_runs_and_without() -> None:
    for runs in ({}, {"one": RUN, "other": RUN}):
        found = [each for each in rw.check(SAMPLED, runs, ["AP"]).findings if each.slug == "sampled-judgements"]
        assert [finding.severity for finding in found] == ["warning"]
        assert found[0].run == ""

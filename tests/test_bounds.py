"""Bounds over orders of ties and over grades of unjudged documents: enumeration, arithmetic, what is shown."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from enumeration import faults
from generators import cut, variants
from rankworth.cli import main
from rankworth.errors import UsageError
from rankworth.measures import CATALOGUE

VARIANTS = list(
    dict.fromkeys(
        cut(variant, k)
        for measure in CATALOGUE.values()
        for variant in variants(measure)
        for k in ((None,) if variant.cutoff else (None, 3))
    )
)


@pytest.mark.parametrize("by", ["ties", "unjudged"])
def test_bounds_are_those_of_an_enumeration(by: str) -> None:
    wrong, _, unknown = faults(by, VARIANTS, 10, seed=1)
    assert wrong == []
    assert unknown == 0


QRELS = {"q1": {"a": 1, "b": 0, "m": 3}, "q2": {"a": 2}}
RUN = {"q1": {"a": 2.0, "u": 1.0, "b": 1.0}, "q2": {"u": 2.0, "a": 1.0}}


def test_grades_of_unjudged_documents_by_hand() -> None:
    bounds = rw.evaluate(QRELS, RUN, ["P@2", "RR", "nDCG"], bounds="unjudged").bounds
    assert bounds is not None
    # of documents with one score that with the greater id comes first: u stands at rank 2 of q1
    assert bounds["P@2"] == (pytest.approx((1 / 2 + 1 / 2) / 2), pytest.approx(math.nan, nan_ok=True), 1.0)
    assert bounds["RR"].low == (1 + 1 / 2) / 2
    assert bounds.per_query("nDCG")["q2"].high == pytest.approx((3 + 2 / math.log2(3)) / (3 + 2 / math.log2(3)))
    assert bounds.assumption.endswith("only retrieved documents may be relevant, grades up to 3")


def test_orders_of_ties_by_hand() -> None:
    bounds = rw.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, ["RR", "ERR"], bounds="ties").bounds
    assert bounds is not None
    assert bounds["RR"] == (1 / 3, pytest.approx((1 + 1 / 2 + 1 / 3) / 3), 1.0)
    assert math.isnan(bounds["ERR"].expected)


def test_what_is_not_known_is_named() -> None:
    run = {"q": {str(place): 1.0 for place in range(12)}}
    qrels = {"q": {str(place): place % 4 for place in range(12)}}
    bounds = rw.evaluate(qrels, run, ["BPM(max_grade=4)", "P@3"], bounds="ties").bounds
    assert bounds is not None
    assert bounds.notes == ("BPM(max_grade=4) has no bounds: too many orders of ties to measure all, as for q",)
    assert math.isnan(bounds["BPM(max_grade=4)"].low)
    assert bounds["P@3"].high == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"bounds": "orders"}, "bounds='orders': bounds are taken over 'ties' or 'unjudged'"),
        ({"bounds": "unjudged", "no_relevant": "skip"}, "no_relevant='skip': whether a query counts"),
        ({"bounds": "unjudged", "undefined": "nan"}, "undefined='nan': whether a query counts"),
    ],
)
def test_what_is_refused(options: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        rw.evaluate(QRELS, RUN, ["P@2"], **options)


def test_the_command_shows_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 2.0 r\nq1 Q0 u 2 1.0 r\n")
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    assert main(["evaluate", *files, "-m", "P@2", "--bounds", "unjudged", "-f", "csv"]) == 0
    assert capsys.readouterr().out == "run,P@2,P@2.low,P@2.high\nrun,0.5,0.5,1.0\n"
    assert main(["evaluate", *files, "-m", "P@2", "--bounds", "unjudged", "-f", "json", "-q"]) == 0
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert run["bounds"]["mean"]["P@2"] == {"low": 0.5, "expected": None, "high": 1.0}
    assert run["bounds"]["per_query"] == {"q1": {"P@2": {"low": 0.5, "expected": None, "high": 1.0}}}
    assert main(["evaluate", *files, "--bounds", "ties", "--interval"]) == 2
    assert "give one of them" in capsys.readouterr().err

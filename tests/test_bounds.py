"""Bounds over orders of ties and over grades of unjudged documents: enumeration, arithmetic, what is shown."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from enumeration import faults, faults_of_differences
from generators import cut, variants
from rankworth.cli import main
from rankworth.errors import UsageError
from rankworth.measures import CATALOGUE, Measure
from thorough import SHARE, is_thorough

VARIANTS = list(
    dict.fromkeys(
        cut(variant, k)
        for measure in CATALOGUE.values()
        for variant in variants(measure)
        for k in ((None,) if variant.cutoff else (None, 3))
    )
)
LINEAR = [variant for variant in VARIANTS if variant.definition.linear]


@pytest.mark.parametrize(
    ("by", "measures", "number", "settings"),
    [
        ("ties", VARIANTS, 10, {}),
        ("unjudged", VARIANTS, 10, {}),
        ("unjudged", VARIANTS, 12, {"unjudged": "removed"}),
        ("unjudged", VARIANTS[::5], 6, {"rel": 0}),
        ("unjudged", [variant for variant in VARIANTS if variant.name == "AP"], 300, {}),
        ("unjudged", LINEAR[::3], 12, {"ties": "expected"}),
        ("unjudged", [each for each in LINEAR[1::3] if each.name != "FallOut"], 12, {"ties": "last"}),
    ],
    ids=[
        *("ties", "unjudged", "unjudged documents that are removed", "grade 0 is relevant", "average precision"),
        *("unjudged documents with expected ranks", "unjudged documents at the last rank of their tie"),
    ],
)
def test_bounds_are_those_of_an_enumeration(
    by: str, measures: list[Measure], number: int, settings: dict[str, Any]
) -> None:
    wrong, _, unknown = faults(by, measures, number, seed=1, **settings)
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


def test_documents_beyond_the_cutoff_count_one_by_one_where_ranks_are_shared() -> None:
    bounds = rw.evaluate(
        {"q": {"a": 1}}, {"q": {"a": 2.0, "u": 1.0, "v": 1.0}}, ["FallOut@2"], bounds="unjudged", ties="last"
    ).bounds
    assert bounds is not None
    assert (bounds["FallOut@2"].low, bounds["FallOut@2"].high) == (0, 1)  # u is relevant, and v is all that is not


def test_orders_of_documents_that_are_judged_for_another_query() -> None:
    qrels = {"q0": {"a": 1}, "q1": {"b": 1}}
    run = {"q0": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}, "q1": {"b": 1.0}}
    bounds = rw.evaluate(qrels, run, ["Hole@2"], bounds="ties").bounds
    assert bounds is not None
    assert bounds.per_query("Hole@2")["q0"] == (0, pytest.approx(2 / 3 / 2), 1 / 2)


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_orders_of_ties_decide_whether_a_query_has_a_hit() -> None:
    qrels, run = {"q": {"a": 3}}, {"q": {"a": 2.0, "b": 2.0, "c": 3.0}}
    bounds = rw.evaluate(qrels, run, ["nDCG@2"], profile="trectools-0.0.50", bounds="ties").bounds
    assert bounds is not None
    assert (bounds["nDCG@2"].low, bounds["nDCG@2"].high) == (0, pytest.approx(1 / math.log2(3)))
    with pytest.raises(UsageError, match=r"no_hit='skip': whether a query counts depends on the order of ties"):
        rw.evaluate(qrels, run, ["nDCG@2"], bounds="ties", quirks={"no_hit": "skip"})
    qrels, run = qrels | {"hit": {"a": 1}}, run | {"hit": {"a": 1.0}}  # without it no query would be compared
    with pytest.raises(UsageError, match="no_hit='skip'"):
        rw.compare(qrels, {"x": run, "y": run}, ["nDCG@2"], bounds="ties", quirks={"no_hit": "skip"})


def test_unjudged_documents_with_scores_that_do_not_count_are_refused() -> None:
    qrels, positive = {"q": {"a": 1}}, {"quirks": {"scored": "positive"}}
    bounds = rw.evaluate(qrels, {"q": {"a": 2.0, "u": 1.0}}, ["R@1"], bounds="unjudged", **positive).bounds
    assert bounds is not None
    assert (bounds["R@1"].low, bounds["R@1"].high) == (1 / 2, 1)
    with pytest.raises(UsageError, match=r"scored='positive': documents with scores of 0 and below"):
        rw.evaluate(qrels, {"q": {"a": 2.0, "u": -1.0}}, ["R@1"], bounds="unjudged", **positive)


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_what_is_not_known_is_no_number() -> None:
    zeros = {"no_hit": "nan", "nan": "zero"}
    bounds = rw.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["P@1"], bounds="ties", quirks=zeros).bounds
    assert bounds is not None
    assert (bounds["P@1"].low, bounds["P@1"].high, math.isnan(bounds["P@1"].expected)) == (0, 1, True)


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
        ({"bounds": "orders"}, "bounds='orders': it is one of ties, unjudged"),
        ({"bounds": "unjudged", "no_relevant": "skip"}, "no_relevant='skip': whether a query counts"),
        ({"bounds": "unjudged", "no_relevant": 0}, "no_relevant=0.0: whether a query counts"),
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
    for by, low, high in (("unjudged", "0.5000", "1.0000"), ("ties", "0.5000", "0.5000")):
        assert main(["evaluate", *files, "-m", "P@2", "--bounds", by, "-f", "table"]) == 0
        rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:4]]
        assert rows == [["run", "0.5000"], [f"{by}:", f"{low}…{high}"]]
    assert main(["evaluate", *files, "--bounds", "ties", "--interval"]) == 2
    assert "give one of them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("step", "seed", "settings"),
    [(1, 1, {}), (5, 1, {"unjudged": "removed"}), (5, 7, {"profile": "opensearch-3.4"})],
    ids=["as usual", "unjudged documents that are removed", "rounded values"],
)
def test_bounds_of_differences_are_those_of_an_enumeration(step: int, seed: int, settings: dict[str, Any]) -> None:
    step *= 1 if is_thorough() else SHARE
    wrong, compared, unknown = faults_of_differences(
        [each for each in VARIANTS if each.cutoff != 100 and each.averaging == "mean"][::step], 4, seed, **settings
    )
    assert (wrong, unknown) == ([], 0)
    assert compared


def test_a_document_has_one_grade_in_both_runs() -> None:
    qrels = {"q": {"a": 1}}
    runs = {"one": {"q": {"u": 2.0, "a": 1.0}}, "two": {"q": {"u": 2.0, "b": 1.0, "a": 0.0}}}
    [bound] = rw.compare(qrels, runs, ["P@2"], bounds="unjudged").bounds
    assert bound[:5] == ("P@2", "one", "two", -1 / 2, 0.0)  # u does not matter; b may be relevant, or not
    assert bound.holds is False
    [bound] = rw.compare(
        qrels, {"one": {"q": ["u", "b", "a"]}, "two": {"q": ["a", "u"]}}, ["P@1"], bounds="ties"
    ).bounds
    assert bound == ("P@1", "one", "two", 1.0, 1.0, True)


def test_a_document_of_one_run_is_in_the_ideal_ranking_of_this_run_alone() -> None:
    """The ideal ranking holds what a run retrieved; a and d are relevant where the difference is greatest."""
    qrels = {"q": {"b": 1}}
    runs = {"one": {"q": ["b", "c", "a"]}, "two": {"q": ["d", "b", "a", "c"]}}
    [bound] = rw.compare(qrels, runs, ["nDCG(ideal=retrieved)@3"], bounds="unjudged").bounds
    second, third = 1 / math.log2(3), 1 / math.log2(4)
    assert bound.high == pytest.approx(1 - (1 + third) / (1 + second), rel=1e-15)


def test_compare_says_whether_a_difference_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    for name, ranked in (("one", "ba"), ("two", "ac")):
        lines = [f"{query} Q0 {document} 1 {-rank} r" for query in ("q1", "q2") for rank, document in enumerate(ranked)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    files = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    assert main(["compare", *files, "-m", "P@1", "P@2", "--bounds", "unjudged", "-f", "csv"]) == 0
    rows = [line.split(",")[-3:] for line in capsys.readouterr().out.splitlines()]
    assert rows == [["bounds_low", "bounds_high", "holds"], ["0.0", "1.0", "False"], ["-0.5", "0.5", "False"]]
    assert main(["compare", *files, "-m", "P@2", "--bounds", "unjudged", "-f", "table"]) == 0
    assert "could turn (-0.5000 to +0.5000)" in " ".join(capsys.readouterr().out.split())
    results = str(tmp_path / "one.json")
    assert main(["evaluate", *files[:2], "-m", "P@1", "-q", "-o", results]) == 0
    capsys.readouterr()
    assert main(["compare", files[0], results, files[2], "--bounds", "ties"]) == 2
    assert "one has no bounds: it is not one run" in capsys.readouterr().err


def test_a_pooled_document_counts_between_relevant_and_others_in_inferred_precision() -> None:
    qrels, run = {"q": {"a": 0.5, "b": -1, "c": 3}}, {"q": {"a": 0.0, "b": 0.0, "u": 0.0, "c": 2.0}}
    bounds = rw.evaluate(qrels, run, ["infAP(rel=0.5)"], bounds="ties").bounds
    assert bounds is not None
    orders = ([3, -1, None, 0.5], [3, None, -1, 0.5], [3, 0.5, -1, None], [3, -1, 0.5, None], [3, None, 0.5, -1])
    values = [rw.score(order, "infAP(rel=0.5)") for order in orders]
    assert bounds["infAP(rel=0.5)"].low == pytest.approx(min(values), abs=1e-12)
    assert bounds["infAP(rel=0.5)"].high == pytest.approx(max(values), abs=1e-12)

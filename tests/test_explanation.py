"""Explanations: the figures of the notebooks, what is refused, and what every form of output shows."""

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest
from rich.cells import cell_len

import rankworth as rw
from rankworth import Difference, Explanation, evaluate, explain, explain_queries
from rankworth.errors import InputError, MeasureError, RankworthError, UsageError
from rankworth.measures import CATALOGUE

CASES: Final = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text(encoding="utf-8"))
QRELS: Final = {"q1": {"a": 2, "b": 0, "c": 1, "d": 1}, "q2": {"a": 1}, "q7": {"z": 1}}
RUN: Final = {"q1": {"b": 4.0, "a": 3.0, "x": 3.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q9": {"a": 1.0}}
OTHER: Final = {"q1": {"a": 4.0, "c": 3.0, "y": 2.0}, "q2": {"a": 2.0}, "q7": {"z": 1.0}}

# The notebooks


def of_lists(grades: list[int], scores: list[float]) -> dict[str, Any]:
    """Items with grades and scores as judgements and a run."""
    documents = [f"item {place}" for place in range(1, len(grades) + 1)]
    return {
        "qrels": {"q": dict(zip(documents, grades, strict=True))},
        "run": {"q": dict(zip(documents, scores, strict=True))},
    }


def value(measure: str, profile: str = "standard-1", **inputs: Any) -> float:
    """The mean of the values that explanations tell."""
    if "grades" in inputs:
        return explain(measure=measure, profile=profile, **inputs).value
    told = explain_queries(**inputs, measures=[measure], profile=profile)
    return math.fsum(one.value for one in told) / len(told)


def descending(count: int) -> list[float]:
    """Scores that leave the items as they are."""
    return [float(count - place) for place in range(count)]


def of_the_first(case: dict[str, Any], inputs: dict[str, Any]) -> Any:
    """What a case of the first notebook comes to, by explanation; a list where it has several figures."""
    measure = case["measure"]
    if case["case"] == "nDCG step table":
        told = explain(grades=inputs["grades_in_rank_order"], measure=f"nDCG(gain=exp2)@{inputs['k']}")
        return {
            "DCG@3 (exponential gain)": told.total,
            "IDCG@3 (exponential gain, ideal = the listed grades sorted)": told.norm,
            "nDCG@3": told.value,
            "contributions by rank": [term.contribution for term in told.terms],
        }[measure]
    if case["case"] == "position sensitivity":
        [ranks] = inputs.values()
        name = {"RR": "RR(rel=2)", "nDCG@5": "nDCG(gain=exp2)@5"}[measure]
        return [value(name, grades=[2 * (rank == place) for place in range(1, 6)]) for rank in ranks]
    if measure == "AP@k":
        return [value(f"AP@{k}", **of_lists(inputs["grades"], inputs["scores"])) for k in inputs["k"]]
    if case["case"] == "cutoff sensitivity":
        return [value(f"nDCG(gain=exp2)@{k}", grades=inputs["grades_in_rank_order"]) for k in inputs["k"]]
    return value(SCENARIOS[measure], **of_lists(inputs["grades"], inputs["scores"]))


def of_the_second(case: dict[str, Any], inputs: dict[str, Any]) -> float:
    """The same for the second one."""
    if case["measure"] == "MRR":
        return value("RR", qrels=inputs["relevant"], run=inputs["run"])
    return value("nDCG(gain=exp2)@5", qrels={"q": inputs["grades"]}, run={"q": inputs["ranking"]})


def of_the_third(case: dict[str, Any], inputs: dict[str, Any]) -> float:
    """The same for the third one."""
    kind, cutoff = re.match(r"(\w+)@(\d+)", case["measure"]).groups()  # type: ignore[union-attr]
    sides = ({str(place): side for place, side in enumerate(inputs[name], 1)} for name in ("relevant", "rankings"))
    return value(f"{TUTORIAL[kind]}@{cutoff}", "notebook-002", **dict(zip(("qrels", "run"), sides, strict=True)))


def of_the_fourth(case: dict[str, Any], inputs: dict[str, Any]) -> float:
    """The same for the fourth one."""
    if case["case"] == "four lists":
        lists = inputs["relevant_in_rank_order"]
        return math.fsum(value("MRR", "notebook-003", grades=one) for one in lists) / len(lists)
    if case["case"] == "two queries":
        pairs = zip(inputs["relevant"], inputs["scores"], strict=True)
        return math.fsum(value("MAP", "notebook-003", **of_lists(*pair)) for pair in pairs) / 2
    if case["case"] == "one list":
        return value(f"NDCG@{inputs['k']}", "notebook-003", grades=inputs["grades_in_rank_order"])
    scores = [0.0] * len(inputs["order"])
    for score, item in zip(descending(len(scores)), inputs["order"], strict=True):
        scores[item] = score
    return value("nDCG(gain=exp2)@5", **of_lists(inputs["grades"], scores))


SCENARIOS: Final = {
    "RR": "RR(rel=2)",
    "RR (relevant from grade 2)": "RR(rel=2)",
    "AP@3 (divided by all relevant)": "AP@3",
    "AP@3 (relevant from grade 1)": "AP@3",
    "nDCG@3 (exponential gain)": "nDCG(gain=exp2)@3",
}
TUTORIAL: Final = {"recall": "recall", "MRR": "MRR", "precision": "precision", "MAP": "AP(norm=found)", "nDCG": "nDCG"}
NOTEBOOKS: Final = {"000": of_the_first, "001": of_the_second, "002": of_the_third, "003": of_the_fourth}
RANKINGS: Final = [case for case in CASES if case["case"] != "rank correlation with ties"]


def test_all_but_the_correlations_of_the_notebooks_are_explained() -> None:
    assert len(RANKINGS) == len(CASES) - 3 == 54


@pytest.mark.parametrize("case", RANKINGS, ids=lambda case: f"{case['seed']}, {case['case']}, {case['measure']}")
def test_explanations_have_the_figures_of_the_notebooks(case: dict[str, Any]) -> None:
    assert NOTEBOOKS[case["seed"]](case, case["inputs"]) == pytest.approx(case["value"], rel=1e-15)


def test_a_graded_measure_names_what_the_other_usual_gain_would_give() -> None:
    linear = explain(grades=[2, 1, 0, 1, 2], measure="nDCG@3")
    assert linear.other_gain == "linear 0.6994; with gain=exp2, as in Burges et al. (2005), 0.6733"
    assert linear.other_gain in repr(linear)
    exponential = explain(grades=[2, 1, 0, 1, 2], measure="nDCG(gain=exp2)@3")
    assert exponential.other_gain == "exp2 0.6733; with gain=linear, as in trec_eval, 0.6994"
    assert explain(grades=[1, 0, 1], measure="nDCG@3").other_gain == ""  # grades of 0 and 1 gain alike
    assert explain(grades=[2, 1], measure="AP").other_gain == ""


def test_a_step_table_shows_what_the_first_notebook_shows() -> None:
    told = explain(grades=[2, 1, 0, 1, 2], measure="nDCG(gain=exp2)@3")
    rows = [(term.rank, term.grade, term.gain, term.contribution, term.running) for term in told.terms]
    discount = math.log2(3)
    assert rows == [(1, 2, 3, 3, 3), (2, 1, 1, 1 / discount, 3 + 1 / discount), (3, 0, 0, 0, 3 + 1 / discount)]
    assert [(term.grade, term.contribution) for term in told.ideal] == [(2, 3), (2, 3 / discount), (1, 1 / 2)]
    assert told.arithmetic == "3.6309 / 5.3928 = 0.6733"


# What it comes to, in words

LIST: Final[dict[str, Any]] = {"grades": [2, 0, None, 1, 2], "missing": [3, 1]}


@pytest.mark.parametrize(
    ("measure", "arithmetic", "sentence"),
    [
        ("P@4", "2 / 4 = 0.5000", "P@4 of list-1 is 0.5000: 2 ranks add 2, divided by 4"),
        ("FallOut@4", "(-2 + 4) / 2 = 1", "FallOut@4 of list-1 is 1: 2 ranks add -2, the rest adds 4, divided by 2"),
        ("utility", "3 - 2 = 1", "utility of list-1 is 1: 3 ranks add 3, the rest adds -2"),
        (
            "set_F",  # 2 P R / (P + R) = 2 3/5 3/5 / (3/5 + 3/5)
            "3, which the last step makes 0.6000",
            "set_F of list-1 is 0.6000: 3 ranks add 3, and the last step makes 0.6000 of it",
        ),
        (
            "AvgIPrec",  # eleven terms at two ranks: 1/1 for recalls up to 0.2, 3/5 up to 0.6
            "5.4000 / 11 = 0.4909",
            "AvgIPrec of list-1 is 0.4909: 2 ranks add 5.4000, divided by 11",
        ),
    ],
)
def test_the_steps_are_told_in_numbers_and_in_words(measure: str, arithmetic: str, sentence: str) -> None:
    told = explain(measure=measure, **LIST)
    assert (told.arithmetic, told.sentence) == (arithmetic, sentence)


def test_a_value_that_settings_change_is_told_with_the_one_that_comes_out() -> None:
    told = explain(grades=[0, 1, 1], measure="nDCG", round_values=2)  # (1/log2(3) + 1/2) / (1 + 1/log2(3)) = 0.6934...
    assert told.value == 0.69
    assert told.sentence.endswith("; that is 0.6934, and the settings make it 0.6900 (round_values=2)")
    assert told.sheets()[0].title.endswith("= 0.6934, which counts as 0.6900")
    gdeval = explain({"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}, "ndcg@20", query="1", profile="gdeval-1.2")
    [pair] = re.findall(r"that is ([\d.]+), and the settings make it ([\d.]+) \(", gdeval.sentence)
    assert 0 < abs(float(pair[0]) - float(pair[1])) < 1e-5
    nothing = explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "nDCG", query="q")
    assert nothing.sheets()[0].title == "q   nDCG = 0 / 0 = n/a, which counts as 0"
    assert nothing.sentence == "nDCG is not defined for q, since the divisor is 0; it counts as 0 (undefined=0)"


def test_a_setting_is_named_and_nobody_is_blamed_for_it() -> None:
    scores = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    notes = {
        ties: explain({"q": {"a": 1, "b": 2}}, scores, "nDCG", query="q", ties=ties).sheets()[0].notes
        for ties in ("id-descending", "expected", "last")
    }
    told = [next(note for note in notes[ties] if note.startswith("tied")) for ties in notes]
    assert told == [
        "tied documents are ordered by id, descending (ties=id-descending)",
        "tied documents count with the mean over their orders (ties=expected)",
        "tied documents all stand at the last of their ranks (ties=last)",
    ]
    assert notes["expected"][-1] == "ranks: ties=expected"
    unjudged = {"q": {"a": 2.0, "x": 1.0, "y": 1.0}}  # the order of x and y changes no value
    shown = explain({"q": {"a": 1}}, unjudged, "AP", query="q", ties="given")
    assert [term.document for term in shown.terms] == ["a", "x", "y"]
    assert "tied documents are in the order of the run (ties=given)" in shown.sheets()[0].notes


def test_the_ideal_ranking_stands_below_where_ranks_are_shared() -> None:
    told = explain({"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, "nDCG", query="q", ties="last")
    assert [term.rank for term in told.terms] == [2, 2, 3]
    steps, best = told.sheets()
    assert [column.name for column in steps.columns][-1] == "total"
    assert next(list(column.values) for column in best.columns if column.name == "adds") == [2.0, 1 / math.log2(3)]


@pytest.mark.parametrize("measure", ["FallOut@3", "Hole@3", "Unjudged@3"])
def test_of_a_measure_that_is_better_when_smaller_nothing_is_promised(measure: str) -> None:
    told = explain(measure=measure, **LIST)
    assert {one.document for one in told.missing} == {"4", "5", "6", "7"}
    assert all(one.place is None for one in told.missing)
    assert any(note.endswith(f"none of them would raise {measure}") for note in told.sheets()[0].notes)


def test_a_document_gives_a_value_to_a_query_that_is_left_out() -> None:
    told = explain({"q": {"a": 1}}, {"q": {"x": 1.0}}, "RR", query="q", quirks={"no_hit": "skip"})
    assert told.value is None
    [one] = told.missing
    assert (one.place, one.value, one.change) == (1, 1.0, None)
    assert one.sentence("RR") == "a (grade 1) was not retrieved; at rank 1 RR would be 1"


def test_where_unjudged_documents_are_removed_ranks_are_counted_without_them() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}, {"q": ["x", "y", "b", "z", "a", "d"]}
    told = explain(qrels, run, "nDCG@2", query="q", unjudged="removed")
    assert [(term.rank, term.document) for term in told.terms] == [(1, "b"), (2, "a")]
    assert {one.document: (one.rank, one.place) for one in told.missing} == {"c": (None, 1), "d": (3, 1)}
    best = 2 + 1 / math.log2(3)
    changed = {one.document: one.value for one in told.missing}
    assert changed == {"c": pytest.approx(2 / best, rel=1e-15), "d": pytest.approx(1 / best, rel=1e-15)}


def test_terms_that_are_not_those_of_documents_say_what_they_are() -> None:
    told = explain(measure="AvgIPrec(recalls=[0, 0.5, 1])", **LIST)
    assert [(term.label, term.rank, term.contribution) for term in told.terms] == [
        ("r=0.5", 5, 3 / 5),
        ("r=0", 1, 1.0),
    ]
    assert explain(measure="IPrec@0.9", **LIST).terms == ()  # three of five are found
    ideal = explain(measure="ideal_dcg@2", **LIST)
    assert [(term.rank, term.document, term.grade) for term in ideal.terms] == [(1, None, 3), (2, None, 2)]


def test_rankings_of_any_length_are_explained() -> None:
    documents = [f"d{place}" for place in range(1, 30_001)]
    qrels = {"q": {document: 1 + place % 2 for place, document in enumerate(documents[5::10])} | {"x": 2, "y": 1}}
    told = explain(qrels, {"q": documents}, "nDCG", query="q")
    assert [(one.document, one.place) for one in told.missing] == [("x", 1), ("y", 1)]
    assert told.missing[0].value == explain(qrels, {"q": ["x", *documents]}, "nDCG", query="q").value


# A list of grades


def test_grades_may_be_missing_unjudged_and_by_subtopic() -> None:
    told = explain(grades=[1, None, 0], missing=[2], measure="nDCG")
    assert [term.grade for term in told.terms] == [1, None, 0]
    assert [term.document for term in told.terms] == ["1", "2", "3"]
    assert [(one.document, one.grade, one.rank, one.place) for one in told.missing] == [("4", 2, None, 1)]
    assert told.query == "list-1"
    several = explain(grades=[[1, 0], None, [0, 1]], measure="StRecall")
    assert [term.grade for term in several.terms] == [(1, 0), None, (0, 1)]
    assert several.value == 1


@pytest.mark.parametrize("odd", ["x", "2", math.nan, math.inf, True, [1, "x"], [math.nan]])
@pytest.mark.parametrize("place", [1, 3])
def test_a_grade_that_is_no_number_is_named_with_its_place(odd: Any, place: int) -> None:
    grades: list[Any] = [1, 0, 2]
    grades[place - 1] = odd
    with pytest.raises(InputError, match=f"grade {place} of the list is ") as caught:
        explain(grades=grades)
    assert caught.value.slug == "bad-grade"


@pytest.mark.parametrize("grades", [[], iter(())])
def test_an_empty_list_of_grades_is_refused(grades: Any) -> None:
    with pytest.raises(InputError) as caught:
        explain(grades=grades)
    assert caught.value.slug == "empty-input"


@pytest.mark.parametrize("others", [{"qrels": QRELS}, {"run": RUN}, {"query": "q1"}, {"against": OTHER}])
def test_grades_stand_alone(others: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        explain(grades=[1], **others)
    assert caught.value.slug == "conflicting-options"


# What is refused


def refused(*arguments: Any, **settings: Any) -> RankworthError:
    """The error of a call."""
    with pytest.raises(RankworthError) as caught:
        explain(*arguments, **settings)
    return caught.value


def test_an_unknown_query_is_refused_with_the_nearest_ones() -> None:
    error = refused({f"q{number}": {"a": 1} for number in (1, 2, 77, 78)}, RUN, "AP", query="q7")
    assert error.slug == "unknown-query"
    assert "'q7'" in error.problems[0]
    assert "q77" in error.remedy
    assert "5 queries" in error.remedy  # four judged ones and q9
    assert refused(QRELS, RUN, "AP", query="nothing like it").slug == "unknown-query"
    assert len(str(refused(QRELS, RUN, "AP", query="x" * 10_000))) < 1000


def test_a_query_without_judgements_or_without_results_is_refused() -> None:
    error = refused(QRELS, RUN, "AP", query="q9")
    assert (error.slug, "q9" in error.problems[0]) == ("unjudged-queries", True)
    error = refused(QRELS, RUN, "AP", query="q7")
    assert (error.slug, "counts as 0" in error.problems[0]) == ("unanswered-query", True)
    assert "is left out" in refused(QRELS, RUN, "AP", query="q7", missing="skip").problems[0]


def test_no_query_and_no_grades_are_refused() -> None:
    assert refused().slug == refused(QRELS, RUN, "AP").slug == "conflicting-options"


@pytest.mark.parametrize("name", ["NumRel", "num_ret", "relstring", "NumQ"])
def test_what_is_counted_has_no_steps(name: str) -> None:
    error = refused(QRELS, RUN, name, query="q1")
    assert isinstance(error, MeasureError)
    assert error.slug == "measure-syntax"


def test_unknown_measures_and_settings_are_refused_as_by_evaluation() -> None:
    assert refused(QRELS, RUN, "nonsense", query="q1").slug == "unknown-measure"
    assert refused(QRELS, RUN, "AP", query="q1", ties="nonsense").slug == "unknown-setting"
    assert refused(QRELS, RUN, "AP", query="q1", profile="nonsense").slug == "unknown-setting"
    assert refused(QRELS, RUN, "ERR", query="q1", ties="expected").slug == "bad-definition"


@pytest.mark.parametrize(
    "selection", [{"worst": 1, "best": 1}, {"queries": ["q1"], "worst": 1}, {"queries": [], "best": 2}]
)
def test_queries_are_chosen_in_one_way(selection: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        explain_queries(QRELS, RUN, ["AP"], **selection)
    assert caught.value.slug == "conflicting-options"


@pytest.mark.parametrize("count", [0, -1, True, 1.5, "2"])
@pytest.mark.parametrize("name", ["worst", "best"])
def test_how_many_queries_are_chosen_is_a_whole_number(name: str, count: Any) -> None:
    with pytest.raises(UsageError) as caught:
        explain_queries(QRELS, RUN, ["AP"], **{name: count})
    assert caught.value.slug == "unknown-setting"


# Several queries


JUDGED: Final = {query: {"a": 1} for query in ("q1", "q2", "q3", "q4")}
RANKED: Final = {
    query: {one: -float(place) for place, one in enumerate(documents)}
    for query, documents in {"q1": "ba", "q2": "a", "q3": "cba", "q4": "bc", "q5": "a"}.items()
}
"""RR is 1/2, 1, 1/3 and 0"""


def test_the_worst_and_the_best_queries_come_first() -> None:
    told = explain_queries(JUDGED, RANKED, ["RR", "AP"], worst=2)
    assert [(one.query, one.measure) for one in told] == [("q4", "RR"), ("q4", "AP"), ("q3", "RR"), ("q3", "AP")]
    assert [one.query for one in explain_queries(JUDGED, RANKED, ["RR"], best=3)] == ["q2", "q1", "q3"]
    assert [one.query for one in explain_queries(JUDGED, RANKED, ["RR"], worst=99)] == ["q4", "q3", "q1", "q2"]
    assert [one.query for one in explain_queries(JUDGED, RANKED, ["RR"])] == ["q1", "q2", "q3", "q4"]


def test_with_a_second_run_the_greatest_losses_and_gains_come_first() -> None:
    better = {query: {"a": 1.0} for query in ("q1", "q3", "q4")} | {"q2": {"x": 2.0, "a": 1.0}}
    told = explain_queries(JUDGED, RANKED, ["RR"], against=better, worst=1)
    assert [(one.query, one.difference) for one in told] == [("q2", 1 / 2 - 1)]
    told = explain_queries(JUDGED, RANKED, ["RR"], against=better, best=2)
    assert [(one.query, one.difference) for one in told] == [("q4", 1.0), ("q3", 1 - 1 / 3)]


def test_queries_nobody_named_are_explained_although_the_run_lacks_them() -> None:
    told = explain_queries(JUDGED, {"q1": RANKED["q1"]}, ["RR"], worst=1)
    assert [(one.query, one.value, one.terms) for one in told] == [("q2", 0.0, ())]
    assert "q2" in repr(told)


def test_explanations_are_a_sequence() -> None:
    told = explain_queries(JUDGED, RANKED, ["RR", "AP"])
    assert len(told) == 8
    assert [one.query for one in told] == ["q1", "q1", "q2", "q2", "q3", "q3", "q4", "q4"]
    assert told[0] is next(iter(told))
    assert told[-1].query == "q4"
    assert [one.measure for one in told[:2]] == ["RR", "AP"]
    assert told.of("q3").measure == "RR"
    assert told.of("q3", "AP").value == 1 / 3
    with pytest.raises(UsageError) as caught:
        told.of("q3", "nDCG")
    assert caught.value.slug == "not-measured"
    with pytest.raises(IndexError):
        told[8]
    assert repr(told).startswith("\n\n".join(map(repr, told[:2])))


def test_what_is_no_document_is_shown_in_every_difference() -> None:
    documents = [f"d{place}" for place in range(1, 61)]
    qrels = {"q": dict.fromkeys(documents[::2], 1) | {"never": 1}}
    told = explain(
        qrels, {"q": documents}, "ndcg_rel", query="q", against={"q": documents[::-1]}, docs={"d1": "the first one"}
    )
    sheet = told.sheets()[0]
    columns = {column.name: list(column.values) for column in sheet.columns}
    assert "(rest)" in columns["document"]
    shared = [share for share in told.shares if share.first and share.first_rank]
    assert len(shared) == 30
    assert len(columns["document"]) == 20 + sum(1 for share in told.shares if not share.first_rank)
    left = math.fsum(share.difference for share in shared[20:])
    assert f"10 more documents have {left:+.4f} of it" in sheet.notes
    assert "the first one" in columns["text"]


def test_the_run_may_be_the_one_that_lacks_the_query_in_a_difference() -> None:
    told = explain(QRELS, RUN, "RR", query="q7", against=OTHER)
    assert (told.first.value, told.second.value, told.difference) == (0.0, 1.0, 1.0)
    [share] = told.shares
    assert (share.document, share.first_rank, share.second_rank, share.moved, share.difference) == (
        "z",
        None,
        1,
        None,
        1,
    )


# Programs


KEYS: Final = (
    *("schema", "signature", "run", "query", "text", "measure", "means", "formula", "profile", "value", "total"),
    *("norm", "rest", "link", "raw", "sentence", "other_gain", "settings", "terms", "ideal", "missing", "notes"),
)


TERM: Final = (
    *("rank", "grade", "gain", "weight", "factor", "discount", "contribution", "running"),
    *("document", "score", "first", "last", "label"),
)


@pytest.mark.parametrize("measure", CATALOGUE.values(), ids=str)
def test_an_explanation_is_json_in_full_precision(measure: Any) -> None:
    grades: list[Any] = [1, None, 0.1, 0]
    told = explain(
        grades=[[one, 1] if one is not None else one for one in grades] if measure.definition.subtopics else grades,
        measure=measure,
        missing=[[1, 0.3]] if measure.definition.subtopics else [0.3],
    )
    document = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert set(document) == set(KEYS)
    assert document["schema"] == "rankworth.explanation/1"
    assert document["signature"] == told.signature
    assert (document["value"], document["total"], document["norm"], document["rest"]) == (
        *(told.value, told.total, told.norm, told.rest),
    )
    assert document["link"] == (None if told.link is None else {"before": told.link[0], "after": told.link[1]})
    for key, terms in (("terms", told.terms), ("ideal", told.ideal)):
        assert len(document[key]) == len(terms)
        for row, term in zip(document[key], terms, strict=True):
            for name in ("rank", "gain", "weight", "contribution", "running"):
                number = getattr(term, name)
                assert row[name] == (number if math.isfinite(number) else None)
            assert row["grade"] == (list(term.grade) if isinstance(term.grade, tuple) else term.grade)
            assert key == "ideal" or row["document"] == term.document
            assert set(row) == set(TERM if key == "terms" else TERM[:-5])
    assert [row["document"] for row in document["missing"]] == [one.document for one in told.missing]


def test_every_key_of_json_is_on_the_page() -> None:
    page = (Path(__file__).parents[1] / "docs" / "explanations.md").read_text("utf-8")
    share = ("first_rank", "second_rank", "moved", "first", "second", "difference", "shares")
    for key in (*KEYS, *TERM, *share, "place", "change", "before", "after", "explanations"):
        assert f"`{key}`" in page, key
    for schema in ("explanation", "explanations", "difference"):
        assert f"`rankworth.{schema}/1`" in page


def test_a_difference_is_json() -> None:
    told = explain(QRELS, RUN, "nDCG@3", query="q1", against=OTHER)
    document = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert document["difference"] == told.second.value - told.first.value
    assert [row["document"] for row in document["shares"]] == [share.document for share in told.shares]
    assert document["first"] == json.loads(json.dumps(told.first.to_dict()))
    assert math.fsum(row["difference"] for row in document["shares"]) == pytest.approx(told.difference, abs=1e-14)


def test_what_is_not_defined_is_null() -> None:
    told = explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "R", query="q", undefined="nan")
    assert told.value is not None
    assert math.isnan(told.value)
    document = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert (document["value"], document["raw"], document["norm"]) == (None, None, 0)
    told = explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "R", query="q", undefined="skip")
    assert (told.value, json.loads(json.dumps(told.to_dict(), allow_nan=False))["value"]) == (None, None)
    assert "left out" in repr(told)
    half = explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "R", query="q", undefined=0.5)
    assert half.value == 0.5
    assert "counts as 0.5000 (undefined=0.5)" in half.sentence


def test_a_frame_has_a_row_for_each_rank() -> None:
    told = explain(QRELS, RUN, "DCG@3", query="q1")
    frame = told.to_frame()
    names = ("run", "query", "measure", "rank", "document", "grade", "gain", "weight", "contribution", "running")
    assert tuple(frame.columns) == names
    assert frame["document"].to_list() == ["b", "x", "a"]  # x and a are tied, and x is the greater id
    assert frame["grade"].to_list() == [0, None, 2]
    assert frame["running"].to_list() == [term.running for term in told.terms]
    assert told.to_frame("pyarrow").to_pydict() == frame.to_dict(as_series=False)
    with pytest.raises(UsageError):
        told.to_frame("nonsense")  # type: ignore[arg-type]


def test_a_frame_of_several_explanations_has_the_rows_of_all() -> None:
    told = explain_queries(QRELS, RUN, ["DCG@3", "AP"], queries=["q1", "q2"])
    frame = told.to_frame()
    assert frame.height == sum(len(one.terms) for one in told) == 3 + 4 + 2 + 2
    assert frame.equals(pl.concat([one.to_frame() for one in told]))
    assert frame["query"].unique(maintain_order=True).to_list() == ["q1", "q2"]


def test_a_frame_of_a_difference_has_a_row_for_each_share() -> None:
    told = explain(QRELS, RUN, "DCG", query="q1", against=OTHER)
    frame = told.to_frame()
    assert frame["document"].to_list() == [share.document for share in told.shares]
    assert frame["moved"].to_list() == [share.moved for share in told.shares]
    assert frame["difference"].to_list() == [share.difference for share in told.shares]
    assert dict(zip(frame["document"], frame["grade"], strict=True))["y"] is None


# Hostile texts


HOSTILE: Final = (
    "\x1b[31mred\x1b[0m",
    "line\nbreak",
    "tab\there\r",
    "\x00\x07\x9b",
    "<script>alert(1)</script>",
    "'\"><img src=x onerror=alert(1)>",
    "&amp;&lt;b&gt;",
    "a|b*c*_d_`e`[f](g)",
    r"\textbf{x} & 100% $y$ #1 ^~_{}",
    "أثر الكحول على النوم",
    "שלום-3",
    "\u202eabc\u2066",
    "两个文档",
    "x" * 10_000,
    "字" * 5_000,
    "(rest)",
    "(rounding)",
    "-0",
)
CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def hostile(text: str, against: object = None) -> Explanation | Difference:
    """An explanation in which all that people write is the text."""
    qrels = {text: {text: 2, "b": 1, f"{text}2": 1}}
    run = {text: {"a": 3.0, text: 2.0, "b": 1.0}}
    told: Explanation | Difference = explain(
        qrels, run, "AP@3", query=text, against=against, texts={text: text}, docs={text: text}
    )
    return told


def numbers_of(shown: str) -> list[list[str]]:
    """The numbers of each row of a table, once it is sure that all of them end where their headings do."""
    lines = shown.splitlines()
    rules = [place for place, line in enumerate(lines) if line and set(line) == {"─"}]
    found: list[list[list[str]]] = []
    for rule in rules:
        end = next((place for place, line in enumerate(lines[rule:], rule) if not line), len(lines))
        heading, width = lines[rule - 1], len(lines[rule])
        assert max(map(cell_len, lines[rule:end])) <= width <= 100
        words = re.split(r"document|text", heading)[-1].split()
        count = len([word for word in words if word != "rank"])  # "rank first" is one heading
        rows = [line for line in lines[rule + 1 : end] if cell_len(line) == width]  # others go on with a long text
        assert all(set(ends(row)[-count:]) <= set(ends(heading)) for row in rows)
        found.append([row.split()[-count:] for row in rows])
    return [[number for part in parts for number in part] for parts in zip(*found, strict=True)]


def ends(line: str) -> list[int]:
    """Where the words of a line end."""
    return [cell_len(line[: match.end()]) for match in re.finditer(r"\S+", line)]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_a_table_stays_aligned_and_inert_whatever_it_shows(text: str) -> None:
    shown = repr(hostile(text))
    assert not CONTROL.search(shown)
    assert numbers_of(shown) == [  # grade, gain, weight, discount, adds, total
        ["?", "0", "0", "1", "0.0000", "0.0000"],
        ["2", "1", "1", "2", "0.5000", "0.5000"],
        ["1", "1", "2", "3", "0.6667", "1.1667"],
    ]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_a_difference_stays_aligned_and_inert_whatever_it_shows(text: str) -> None:
    told = hostile(text, against={text: {text: 2.0, "b": 1.0, "a": 0.5}})
    documents = {share.document: share for share in told.shares}
    assert documents[text].difference == pytest.approx(1 / 3 - (1 / 2) / 3, rel=1e-15)
    assert (documents[text].moved, documents["b"].moved) == (1, 1)
    shown = repr(told)
    assert not CONTROL.search(shown)
    assert sorted(numbers_of(shown)) == [  # grade, both ranks, moved, both values, difference
        ["1", "3", "2", "+1", "0.2222", "0.3333", "+0.1111"],
        ["2", "2", "1", "+1", "0.1667", "0.3333", "+0.1667"],
    ]


class Tags(HTMLParser):
    """The tags and attributes of a text, and its letters."""

    def __init__(self, text: str) -> None:
        """Read it."""
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[str]]] = []
        self.letters = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        self.tags.append((tag, sorted(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        """Remember letters."""
        self.letters += data


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_a_notebook_shows_hostile_texts_letter_by_letter(text: str) -> None:
    shown = hostile(text)._repr_html_()
    assert not CONTROL.search(shown)
    found, plain = Tags(shown), Tags(hostile("plain")._repr_html_())
    assert found.tags == plain.tags
    if not CONTROL.search(text) and "\n" not in text:
        assert found.letters.count(text[:90]) >= 4  # title, text, document, missing


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_markdown_and_latex_hold_hostile_texts_within_their_cells(text: str) -> None:
    told = hostile(text)
    markdown, latex = told.to_markdown(), told.to_latex()
    assert not CONTROL.search(markdown + latex)
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    bars = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows]
    assert bars == [10] * 4  # nine columns, and a heading
    assert not re.search(r"(?<!\\)<(?!!--)", markdown)
    body = latex.partition("\\midrule")[2].partition("\\bottomrule")[0]
    cells = [len(re.findall(r"(?<!\\)&", row)) for row in body.split("\\\\\n") if row.strip()]
    assert cells == [8] * 3
    assert [line for line in latex.partition("\\begin{tabular}")[0].splitlines() if not line.startswith("%")] == []


def test_a_text_of_several_lines_is_shown_in_one_and_cut() -> None:
    text = "several\nlines  of words " * 20
    told = explain({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", query="q", docs={"a": text})
    assert "several lines of words several lines" in "".join(told._repr_markdown_().splitlines())
    assert "…" in repr(told)
    assert told.to_dict()["terms"][0]["text"] == text


def test_the_worst_queries_are_those_that_a_run_could_win() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}, "q4": {"a": 0, "b": -1}}
    run = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    told = explain_queries(qrels, run, ["RR"], worst=3)
    assert [one.query for one in told] == ["q3", "q1"]
    assert told.notes == ("left out: 2 queries without a relevant document (q2 q4)",)
    assert told.notes[0] in repr(told)
    assert told.notes[0] in told.sheets()[-1].notes
    assert explain_queries(qrels, run, ["RR"], best=1).notes == ()
    nothing = explain_queries({"q2": {"a": 0}}, run, ["RR"], worst=1)
    assert [one.query for one in nothing] == ["q2"]


def test_several_rankings_of_labels_are_explained_as_one_is() -> None:
    labels, scores = [[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0.9, 0.8, 0.1], [0.5, 0.4, 0.3], [0.3, 0.2, 0.1]]
    explained = explain_queries(labels=labels, scores=scores, measures=["RR", "AP"])
    assert [(each.query, each.measure) for each in explained] == [(q, name) for q in "012" for name in ("RR", "AP")]
    for row, each in zip((0, 0, 1, 1, 2, 2), explained, strict=True):
        alone = explain(labels=labels[row], scores=scores[row], measure=each.measure)
        assert [(term.document, term.score, term.contribution) for term in each.terms] == [
            (term.document, term.score, term.contribution) for term in alone.terms
        ]
        assert each.value == alone.value
    values = evaluate(labels=labels, scores=scores, measures=["RR"])
    assert sum(each.value for each in explained if each.measure == "RR") / 3 == pytest.approx(values["RR"], rel=1e-15)
    orders = explain_queries(labels=labels, orders=[[1, 0, 2]] * 3, measures=["RR"])
    assert [each.value for each in orders] == [1.0, 0.5, 1 / 3]


@pytest.mark.parametrize(
    "arguments",
    [
        {"labels": [[1]], "qrels": {"q": {"a": 1}}},
        {"labels": [[1]], "run": {"q": ["a"]}},
        {"labels": [[1]], "against": {"q": ["a"]}},
        {"scores": [[0.5]]},
    ],
    ids=str,
)
def test_labels_stand_alone(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="conflicting-options"):
        explain_queries(**arguments)


def test_a_loss_is_that_of_a_rank_that_the_document_can_have() -> None:
    """Without it the two documents that it came between have one score."""
    qrels, run = {"q": {"b": 1, "d": 2, "a": 0}}, {"q": {"a": 3.0, "b": 3.0, "c": 1.0, "d": 1.0}}
    text = str(rw.explain(qrels, run, "MeanRank", query="q", ties="expected"))
    moved = {"q": {"a": 3.0, "c": 1.0, "d": 1.0, "b": 0.5}}
    value = rw.evaluate(qrels, moved, ["MeanRank"], ties="expected")["MeanRank"]
    assert f"b (grade 1) is at rank 1; at rank 4 MeanRank would be {value:.4f}" in text


def test_an_exclusion_is_written_as_it_is_typed() -> None:
    text = str(
        rw.explain({"q": {"q": 1, "a": 1}}, {"q": {"q": 2, "a": 1}}, query="q", measure="nDCG", profile="beir-2.2")
    )
    assert " exclude=self," in " ".join(text.split())

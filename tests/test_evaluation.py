"""The road from inputs to values: counts, means, warnings, query sets, signatures, and what `Values` offers."""

import copy
import json
import math
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import scipy.stats

import rankworth as rw
from rankworth.errors import InputError, MeasureError, UsageError
from rankworth.judged import Judged
from rankworth.profiles import STANDARD, profile_of, signature
from rankworth.stats import intervals

QRELS: dict[str, dict[str, float]] = {
    "q1": {"a": 1, "b": 0, "c": 2},
    "q2": {"x": 1, "y": 0},
    "q3": {"m": 0, "n": 0},
    "q4": {"z": 1},
}
RUN: dict[str, dict[str, float]] = {
    "q1": {"a": 0.5, "b": 0.9, "u": 0.1},
    "q2": {"x": 3, "y": 2},
    "q3": {"m": 1},
    "q4": {"v": 2, "z": 1},
    "q9": {"z": 1},
}


@pytest.fixture
def values() -> rw.Values:
    return rw.evaluate(QRELS, RUN, ["nDCG@10", "RR", rw.AP(rel=2) @ 100])


def test_values_by_any_name(values: rw.Values) -> None:
    first = (1 / math.log2(3)) / (2 + 1 / math.log2(3))
    fourth = (1 / math.log2(3)) / 1
    assert values["nDCG@10"] == pytest.approx((first + 1 + 0 + fourth) / 4, rel=1e-15)
    assert values["ndcg_cut_10"] == values["ndcg@10"] == values[rw.nDCG @ 10] == values.mean()["nDCG@10"]
    assert values["RR"] == (1 / 2 + 1 + 0 + 1 / 2) / 4
    assert list(values.mean()) == ["nDCG@10", "RR", "AP(rel=2)@100"]
    assert "mrr" in values
    assert "P@5" not in values
    assert "nonsense" not in values
    with pytest.raises(
        UsageError, match=r"P@5 was not measured; there are nDCG@10 RR AP\(rel=2\)@100   \[not-measured\]"
    ):
        values["P@5"]


def test_counts_say_what_was_scored(values: rw.Values) -> None:
    assert values.counts._asdict() == {
        "judged": 4,
        "scored": 4,
        "unanswered": 0,
        "no_relevant": 1,
        "ignored": 1,
        "duplicates_removed": 0,
        "duplicate_judgements_removed": 0,
        "excluded": 0,
        "excluded_judgements": 0,
        "unanswered_queries": (),
        "no_relevant_queries": ("q3",),
        "ignored_queries": ("q9",),
    }
    assert repr(values.counts) == "Counts(judged=4, scored=4, unanswered=0, no_relevant=1, ignored=1)"


def test_values_per_query(values: rw.Values) -> None:
    assert values.per_query.queries == ["q1", "q2", "q3", "q4"]
    assert values.per_query.to_dict()["q4"]["RR"] == 0.5
    assert values.per_query.array.shape == (4, 3)
    with pytest.raises(ValueError, match="read-only"):
        values.per_query.array[0, 0] = 1
    for library in ("polars", "pandas", "pyarrow"):
        frame = values.per_query.to_frame(library)  # type: ignore[arg-type]
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns if library != "pyarrow" else frame.column_names) == [
            *("query", "nDCG@10", "RR", "AP(rel=2)@100")
        ]
        assert list(frame["RR"].to_pylist() if library == "pyarrow" else frame["RR"]) == [0.5, 1, 0, 0.5]
    with pytest.raises(UsageError, match=r"not from 'spark'   \[unknown-setting\]"):
        values.per_query.to_frame("spark")  # type: ignore[arg-type]


def test_the_same_type_for_one_measure_or_many() -> None:
    assert isinstance(rw.evaluate(QRELS, RUN, "RR"), rw.Values)
    assert isinstance(rw.evaluate(QRELS, RUN, ["RR"]), rw.Values)
    assert rw.evaluate(QRELS, RUN, ["RR", "RR ", rw.RR]).mean() == {"RR": 0.5}


ASKED = ["MRR", "RBP(p=0.8)", "HitRate@10", "ndcg_cut_10", "nDCG( gain=exp2 ) @ 3", rw.AP(rel=2) @ 100]
CANONICAL = ["RR", "RBP", "Success@10", "nDCG@10", "nDCG(gain=exp2)@3", "AP(rel=2)@100"]


def test_results_keep_the_names_that_were_asked_for(tmp_path: Path) -> None:
    values = rw.evaluate(QRELS, RUN, ASKED)
    kept = list(map(str, ASKED))
    ours = rw.evaluate(QRELS, RUN, CANONICAL)
    assert list(values.mean()) == kept
    assert list(values.mean().values()) == list(ours.mean().values())
    assert values.per_query.to_frame().columns == ["query", *kept]
    assert values.log_dict()["HitRate_at_10"] == values["HitRate@10"]
    assert [line.partition("|")[0] for line in values.signatures.values()] == CANONICAL
    assert [values[name] for name in kept] == [values[name] for name in CANONICAL] == list(ours.mean().values())
    values.save(tmp_path / "kept.json")
    again = rw.load(tmp_path / "kept.json")[""]
    assert list(again.mean()) == kept
    assert [again[name] for name in CANONICAL] == list(ours.mean().values())


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (["MRR", "RR", "MRR"], ["MRR", "RR"]),
        (["ndcg_cut.5,10", "ndcg_cut.15"], ["ndcg_cut_5", "ndcg_cut_10", "ndcg_cut.15"]),
        (["set_F.0.5", "iprec_at_recall.0.1,0.25"], ["set_F.0.5", "iprec_at_recall_0.10", "iprec_at_recall_0.25"]),
        (["map@100-l2", "NDCG@10"], ["map@100-l2", "NDCG@10"]),
    ],
)
@pytest.mark.parametrize("profile", ["standard-1", "pytrec_eval-terrier-0.5", "ranx-0.3-comparable", "ir_measures-0.4"])
def test_each_name_is_a_column_and_several_have_those_of_trec_eval(
    asked: list[str], kept: list[str], profile: str
) -> None:
    values = rw.evaluate(QRELS, RUN, asked, profile=profile)
    assert list(values.mean()) == kept
    assert all(values[name] == mean for name, mean in values.mean().items())


def test_the_grade_of_relevance_is_no_part_of_the_name_that_was_asked_for() -> None:
    values = rw.evaluate(QRELS, RUN, ["MAP", "RR(rel=1)", rw.RR, "official"], rel=2)
    assert list(values.mean())[:4] == ["MAP", "RR(rel=1)", "RR", "num_q"]
    told = rw.evaluate(QRELS, RUN, ["AP(rel=2)", "RR", "RR(rel=2)"])
    assert values["MAP"] == values["AP"] == values["map"] == values["AP(rel=2)"] == told["AP(rel=2)"]
    assert values["RR(rel=1)"] == told["RR"]
    assert values["recip_rank"] == values["RR"] == told["RR(rel=2)"]
    assert "AP" not in told
    assert "MAP RR num_rel ...: documents of grade 2 or higher are relevant" in values.sheets()[0].notes


def test_queries_stand_in_the_order_of_their_bytes() -> None:
    names = ["q10", "q2", "Q1", "é", "z", "𝒳", "￿", "q1"]
    values = rw.evaluate({name: {"d": 1} for name in names}, {name: {"d": 1} for name in names}, "RR")
    assert values.per_query.queries == sorted(names, key=lambda name: name.encode())


def test_the_mean_is_added_from_the_first_query_to_the_last() -> None:
    generator = np.random.default_rng(0)
    qrels = {f"q{place:04}": {"d": 1} for place in range(1000)}
    run = {
        query: {f"x{other}": 1.0 + other for other in range(int(generator.integers(0, 20)))} | {"d": 0.5}
        for query in qrels
    }
    values = rw.evaluate(qrels, run, "RR")
    total = 0.0
    for value in values.per_query.array[:, 0].tolist():
        total += value
    assert values["RR"] == total / 1000


def test_a_query_without_results_counts_zero_or_is_left_out() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {}}
    with pytest.warns(rw.RankworthWarning, match="many-unanswered"):
        zero = rw.evaluate(qrels, run, "RR")
    assert (zero["RR"], zero.counts.scored, zero.counts.unanswered) == (2 / 3, 3, 1)
    with pytest.warns(rw.RankworthWarning, match="many-unanswered"):
        skip = rw.evaluate(qrels, run, "RR", missing="skip")
    assert (skip["RR"], skip.counts.scored, skip.counts.judged) == (1, 2, 3)
    assert skip.per_query.queries == ["q1", "q2"]
    named = rw.evaluate(qrels, run, "RR", queries=["q2", "q1"])
    assert (named["RR"], named.counts.judged) == (1, 2)
    with pytest.raises(UsageError, match="missing='drop'"):
        rw.evaluate(qrels, run, "RR", missing="drop")  # type: ignore[arg-type]


def rounded(scores: dict[str, dict[str, float]], digits: int) -> dict[str, dict[str, float]]:
    """Scores as a system writes them that keeps few digits."""
    return {query: {document: round(score, digits) for document, score in row.items()} for query, row in scores.items()}


def test_ties_are_named_where_their_order_changes_means() -> None:
    generator = np.random.default_rng(8)
    documents = [f"d{place:02}" for place in range(40)]
    grades = generator.integers(0, 3, (25, 40)).astype(float).tolist()
    qrels = {f"q{place}": dict(zip(documents, row, strict=True)) for place, row in enumerate(grades)}
    exact = {query: dict(zip(documents, generator.random(40).tolist(), strict=True)) for query in qrels}
    coarse = rounded(exact, 1)
    assert rw.evaluate(qrels, exact, ["nDCG@10", "AP"]).notices == ()
    with pytest.warns(rw.RankworthWarning) as caught:
        values = rw.evaluate(qrels, coarse, ["nDCG@10", "AP", "NumRet"])
    assert [warning.message.slug for warning in caught] == ["many-ties"]  # type: ignore[union-attr]
    with pytest.warns(rw.RankworthWarning):
        other = rw.evaluate(qrels, coarse, ["nDCG@10", "AP"], ties="id-ascending")
    means = [f"{one[name]:.4f}" for name in ("nDCG@10", "AP") for one in (values, other)]
    assert values.notices[0].text == (
        "the run has tied judged documents in 25 of 25 queries, so values depend on the tie-breaking rule: "
        "nDCG@10 is {} with ties=id-descending and {} with ties=id-ascending; AP is {} and {}".format(*means)
    )
    settings: dict[str, Any]
    for settings in ({"ties": "expected"}, {"ties": "last"}, {"order": "given"}):
        assert rw.evaluate(qrels, coarse, ["nDCG@10", "AP"], **settings).notices == ()


@pytest.mark.parametrize(
    ("grades", "scores", "measures", "told"),
    [
        ({"b": 1}, {"a": 1, "b": 1, "c": 1}, ["RR"], ["RR is between 0.3333 and 1.0000"]),
        (
            {"a": 1},
            {"a": 1, "b": 1},
            ["RR"],
            ["RR is 0.5000 with ties=id-descending and 1.0000 with ties=id-ascending"],
        ),
        ({"a": 1, "b": 1}, {"a": 1, "b": 1}, ["RR", "nDCG"], []),  # either order is worth the same
        ({"a": 1}, {"x": 3, "y": 2, "a": 1, "b": 1}, ["P@2", "R@2"], []),  # beyond the cutoff
        ({"a": 1}, {"x": 3, "y": 2, "a": 1, "b": 1}, ["P@2", "P@3"], ["P@3 is 0.0000"]),
        ({"a": 1}, {"x": 3, "a": 2, "b": 2}, ["R@3", "P@3"], []),  # not at the cutoff
        ({"a": 1, "b": 0}, {"a": 1, "b": 1, "c": 1}, ["Judged@2", "NumRet"], []),  # nothing that may be good or bad
        ({"a": 1}, {"a": 1, "b": 1}, ["RR", "AP", "nDCG", "P@1"], ["RR is 0.5000", "AP is 0.5000", "and 1 more"]),
    ],
)
def test_ties_are_named_within_the_cutoffs_that_were_asked_for(
    grades: dict[str, float], scores: dict[str, float], measures: list[str], told: list[str]
) -> None:
    texts = [
        notice.text
        for values in rw.evaluate_profiles({"q": grades}, {"q": scores}, measures, profiles="standard-1").values()
        if isinstance(values, rw.Values)
        for notice in values.notices
        if notice.slug == "many-ties"
    ]
    assert bool(texts) == bool(told)
    assert all(part in texts[0] for part in told)


@pytest.mark.parametrize("form", ["dict", "frame", "run", "csv", "json"])
def test_integers_that_are_one_floating_point_number_are_named(form: str, tmp_path: Path) -> None:
    scores = {"a": 2**53, "b": 2**53 + 1, "c": 7, "d": 7}
    rows = [("q", document, score) for document, score in scores.items()]
    (tmp_path / "a.run").write_text("".join(f"q Q0 {document} 1 {score} t\n" for _, document, score in rows))
    (tmp_path / "a.csv").write_text("query,document,score\n" + "".join(f"q,{one},{score}\n" for _, one, score in rows))
    (tmp_path / "a.json").write_text(json.dumps({"q": scores}))
    run = {"dict": {"q": scores}, "frame": pl.DataFrame(rows, ["query", "document", "score"], orient="row")}.get(
        form, str(tmp_path / f"a.{form}")
    )
    with pytest.warns(rw.RankworthWarning):
        values = rw.evaluate({"q": {"a": 0, "b": 1, "c": 1, "d": 1}}, run, ["P@3"])
    [text] = [notice.text for notice in values.notices if notice.slug == "rounded-scores"]
    assert "has 2 tied judged documents with scores of 2^53 (9,007,199,254,740,992) and more" in text
    assert rw.evaluate({"q": {"a": 1}}, {"q": {"a": 2**53, "b": 2**54}}, ["P@1"]).notices == ()


def test_queries_that_need_a_look_are_named(tmp_path: Path) -> None:
    qrels = {f"q{place}": {"a": float(place % 3 > 0)} for place in range(9)}
    run = {f"q{place}": {"a": 1.0} for place in range(5, 14)}
    with pytest.warns(rw.RankworthWarning, match="many-unanswered"):
        values = rw.evaluate(qrels, run, ["RR"], by={query: "even" if query < "q4" else "odd" for query in qrels})
    assert values.counts.queries == {
        "unanswered_queries": ("q0", "q1", "q2", "q3", "q4"),
        "no_relevant_queries": ("q0", "q3", "q6"),
        "ignored_queries": ("q10", "q11", "q12", "q13", "q9"),
    }
    assert values.slices["odd"].counts.queries["unanswered_queries"] == ("q4",)
    [told] = [note for sheet in values.sheets() for note in sheet.notes if "judged queries scored" in note]
    assert "5 without results (q0 q1 q2 ...), counted" in told
    assert "3 without a relevant document (q0 q3 q6)" in told
    assert "5 queries of the run not judged (q10 q11 q12 ...), ignored" in told
    values.save(tmp_path / "kept.json")
    values.save(tmp_path / "kept.parquet")
    stored = json.loads((tmp_path / "kept.json").read_text())["runs"][0]["queries"]
    assert stored["ignored_queries"] == ["q10", "q11", "q12", "q13", "q9"]
    for name in ("kept.json", "kept.parquet"):
        [kept] = rw.load(tmp_path / name).values()
        assert kept.named == values.counts.queries
        assert kept.counts == values.counts.numbers


@pytest.mark.parametrize(
    ("judged", "returned", "what"),
    [
        ("00123", "123", "leading zeros: '00123' in the judgements, '123' in the run"),
        ("q007", "q7", "leading zeros"),
        ("Query", "query", "upper and lower case"),
        ("a b", "ab", "blanks or invisible characters"),
        ("x\u200b", "x", "blanks or invisible characters"),
        ("caf\u00e9", "cafe\u0301", "Unicode form (NFC, NFD): 'caf\\xe9' in the judgements"),
        (" Q007", "q7", "case, blanks, leading zeros and Unicode form"),
        ("7", '"7"', "quote marks: '7' in the judgements, '\"7\"' in the run"),
    ],
)
def test_ids_of_another_form_are_suspected(judged: str, returned: str, what: str) -> None:
    with pytest.raises(InputError, match="no-common-queries") as error:
        rw.evaluate({judged: {"a": 1}}, {returned: {"a": 1}}, ["RR"])
    assert what in str(error.value)
    others = {f"same{place}": {"a": 1.0} for place in range(20)}
    with pytest.warns(rw.RankworthWarning, match="similar-ids") as queries:
        rw.evaluate(others | {judged: {"a": 1}}, others | {returned: {"a": 1}}, ["RR"])
    with pytest.warns(rw.RankworthWarning, match="no-common-documents") as none:
        rw.evaluate({"q": {judged: 1}}, {"q": {returned: 1}}, ["RR"])
    with pytest.warns(rw.RankworthWarning, match="similar-ids") as some:
        rw.evaluate({"q": {judged: 1, "d": 1}}, {"q": {returned: 2, "d": 3, "x": 1, "y": 1, "z": 1}}, ["RR"])
    for caught in (queries, none, some):
        assert any(what in str(one.message) for one in caught)


@pytest.mark.parametrize(
    ("judged", "returned", "what"),
    [
        ("7{}", "7{}#0", "a suffix: '71' in the judgements, '71#0' in the run"),
        ("7{}.0", "7{}", "a suffix: '71.0' in the judgements, '71' in the run"),
        ("7{}", "D7{}", "a prefix: '71' in the judgements, 'D71' in the run"),
        ("wiki.7{}", "http://x/wiki.7{}", "a prefix: 'wiki.71' in the judgements, 'http://x/wiki.71' in the run"),
    ],
)
def test_a_prefix_or_a_suffix_of_all_or_of_some_documents_is_suspected(judged: str, returned: str, what: str) -> None:
    renamed = {judged.format(place): returned.format(place) for place in range(1, 5)}
    with pytest.warns(rw.RankworthWarning, match="no-common-documents") as every:
        rw.evaluate({"q": dict.fromkeys(renamed, 1)}, {"q": [*renamed.values()]}, ["RR"])
    others = [f"same {place}" for place in range(20)]
    with pytest.warns(rw.RankworthWarning, match="similar-ids") as some:
        rw.evaluate({"q": dict.fromkeys([*renamed, *others], 1)}, {"q": [*renamed.values(), "x", "y", *others]}, ["RR"])
    for caught in (every, some):
        assert any(what in str(one.message) for one in caught)


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param(["17", "18", "19", "10"], id="digits before digits"),
        pytest.param(["7-a", "8-b", "9-c", "0-d"], id="each another suffix"),
        pytest.param(["7-a", "8-a"], id="two"),
    ],
)
def test_ids_that_hold_other_ids_are_not_suspected(returned: list[str], recwarn: pytest.WarningsRecorder) -> None:
    rw.evaluate({"q": dict.fromkeys(["7", "8", "9", "0", "same"], 1)}, {"q": [*returned, "same"]}, ["RR"])
    assert not [each for each in recwarn if "similar-ids" in str(each.message)]


def test_a_document_that_meets_alone_is_told_in_the_singular() -> None:
    with pytest.warns(rw.RankworthWarning, match="first 3 documents of the run, 1 is judged for its query and 2 are"):
        rw.evaluate({"q": {"A1": 1, "d": 1}}, {"q": {"a1": 2, "d": 3, "x": 1}}, ["RR"])
    with pytest.warns(
        rw.RankworthWarning, match="first 5 documents of the run, 2 are judged for their query and 3 are"
    ):
        rw.evaluate({"q": {"A1": 1, "d": 1, "e": 0}}, {"q": {"a1": 2, "d": 3, "e": 1, "x": 1, "y": 1}}, ["RR"])


@pytest.mark.parametrize("profile", ["standard-1", "rectools-0.19", "scikit-learn-1.9"])
@pytest.mark.parametrize("kind", ["dicts", "frames", "lazy frames", "read", "files"])
def test_a_list_of_no_queries_is_refused(kind: str, profile: str, tmp_path: Path) -> None:
    rows = [("q1", "a", 1), ("q2", "b", 0)]
    qrels, run = (pl.DataFrame(rows, ("query", "document", value), orient="row") for value in ("grade", "score"))
    made: dict[str, tuple[Any, Any]] = {
        "dicts": ({"q1": {"a": 1}, "q2": {"b": 0}}, {"q1": {"a": 1.0}}),
        "frames": (qrels, run),
        "lazy frames": (qrels.lazy(), run.lazy()),
        "read": (rw.Qrels(qrels), rw.Run(run)),
        "files": (str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv")),
    }
    qrels.write_csv(tmp_path / "qrels.csv")
    run.write_csv(tmp_path / "run.csv")
    for nothing in ([], iter(())):
        with pytest.raises(InputError, match="the list of queries to keep is empty"):
            rw.evaluate(*made[kind], ["P@1"], queries=nothing, profile=profile)


@pytest.mark.parametrize(
    ("column", "judged", "returned", "told"),
    [
        ("topic", "'7'", "'007'", "the run has 007 in its column topic"),
        ('"search term"', "'Caf\u00e9'", "'cafe\u0301'", "in its column search term"),
        ("query", "'A1'", "'a1'", "the run has a1   \\["),
        ("qid", "1", "101", "the run has 101 in its column qid"),
    ],
)
def test_a_relation_that_meets_no_query_names_its_column(column: str, judged: str, returned: str, told: str) -> None:
    engine = duckdb.connect()
    qrels = engine.sql(f"select {judged} as query, 'd' as document, 1 as grade")
    run = engine.sql(f"select {returned} as {column}, 'd' as document, 1.0 as score")
    said = {} if column == "query" else {"run_columns": {"query": column.strip('"')}}
    for one in (qrels, {judged.strip("'"): {"d": 1}}):
        with pytest.raises(InputError, match="no-common-queries") as error:
            rw.evaluate(one, run, ["RR"], **said)  # type: ignore[arg-type]
        assert re.search(told, str(error.value))
        assert ("they differ in" in str(error.value)) == (column != "qid")


def test_ids_that_differ_in_more_than_their_form_are_not_suspected() -> None:
    qrels = {"en1": {"d1": 1.0}, "en2": {"d1": 1.0}, "x": {"d1": 1.0, "D1": 1.0}}
    run = {"ar1": {"d1": 1.0}, "en3": {"d1": 1.0}, "x": {"d1": 3.0, "d2": 2.0, "e1": 1.0, "D1": 0.0}}
    with pytest.warns(rw.RankworthWarning) as caught:
        rw.evaluate(qrels, run, ["RR"])
    assert [one.message.slug for one in caught] == ["many-unanswered"]  # type: ignore[union-attr]


def test_the_warning_about_unanswered_queries_gives_both_means_and_both_remedies() -> None:
    qrels = {f"q{place:02}": {"a": 1} for place in range(20)}
    run = {f"q{place:02}": {"a": 1} for place in range(17)}
    with pytest.warns(rw.RankworthWarning) as caught:
        rw.evaluate(qrels, run, ["RR", "AP"])
    assert [warning.message.slug for warning in caught] == ["many-unanswered"]  # type: ignore[union-attr]
    text = str(caught[0].message)
    assert "3 of 20 judged queries; RR is 0.8500 if they count as empty rankings, 1.0000 without them" in text
    for remedy in ('missing="skip"', "queries=[...]"):
        assert remedy in text
    assert caught[0].filename == __file__


def test_up_to_a_tenth_of_unanswered_queries_goes_without_warning() -> None:
    qrels = {f"q{place}": {"a": 1} for place in range(10)}
    rw.evaluate(qrels, {f"q{place}": {"a": 1} for place in range(9)}, "RR")


def test_a_threshold_that_no_grade_reaches_is_said() -> None:
    with pytest.warns(
        rw.RankworthWarning, match=r"relevant to RR AP: the best grade is 0.5, .* from 1 on; .*RR\(rel=0.5\)"
    ):
        rw.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1}}, ["RR", "AP", "nDCG"])
    with pytest.warns(rw.RankworthWarning, match=r"relevant to RR: the best grade is 0, .*; are these the judgements"):
        rw.evaluate({"q": {"a": 0}}, {"q": {"a": 1}}, ["RR"])


def test_ratings_without_a_zero_are_said() -> None:
    with pytest.warns(rw.RankworthWarning, match=r"from 1 to 5 and none is 0 or below.*relevant to P@1;.*P\(rel=3\)"):
        rw.evaluate({"q": {"a": 1, "b": 5}}, {"q": {"a": 1}}, ["P@1", "RR(rel=4)"])
    rw.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}, ["P@1"])
    rw.evaluate({"q": {"a": 1, "b": 5}}, {"q": {"a": 1}}, ["nDCG"])


def test_a_run_shallower_than_a_cutoff_is_said_without_a_warning() -> None:
    run = {"q": {f"d{place}": -place for place in range(10)}}
    shallow = "the run returns at most 10 documents for a query; for "
    values = rw.evaluate({"q": {"d1": 1}}, run, ["R@100", "R@10"])
    assert values.notices == (("shallow-run", f"{shallow}R@100, ranks from 11 on count as not relevant"),)
    assert f"{shallow}R@100, ranks from 11 on count as not relevant   [shallow-run]" in repr(values)
    values = rw.evaluate({"q": {"d1": 1}}, run, ["P@20", "RR@50"])
    assert values.notices[0].text == f"{shallow}P@20 RR@50, ranks from 11 on count as not relevant"
    assert rw.evaluate({"q": {"d1": 1}}, run, ["R@10", "AP"]).notices == ()


def test_several_runs_share_their_judgements() -> None:
    other = RUN | {"q1": {"a": 1.0}}
    table = rw.evaluate_runs(QRELS, {"one": RUN, "two": other}, ["RR", "AP"])
    assert list(table) == ["one", "two"]
    assert table["two"]["RR"] == (1 + 1 + 0 + 1 / 2) / 4
    assert table["one"].run == "one"
    frame = table.to_frame("polars")
    assert frame.rows() == [
        ("one", table["one"]["RR"], table["one"]["AP"]),
        ("two", table["two"]["RR"], table["two"]["AP"]),
    ]
    assert table.signature == table["one"].signature
    prepared = rw.Qrels(QRELS)
    assert rw.evaluate(prepared, RUN, "RR").mean() == {"RR": table["one"]["RR"]}


def test_a_dict_of_dicts_is_never_guessed_to_be_a_dict_of_runs() -> None:
    with pytest.raises(InputError, match=r"evaluate_runs\(qrels, \{name: run, ...\}\)") as caught:
        rw.evaluate(QRELS, {"one": RUN}, "RR")
    assert caught.value.slug == "nested-runs"
    with pytest.raises(InputError):
        rw.evaluate_runs(QRELS, RUN, "RR")
    with pytest.raises(InputError, match="input-type"):
        rw.evaluate_runs(QRELS, "run.txt", "RR")


def test_runs_from_files_are_named_by_them(tmp_path: Any) -> None:
    for name in ("bm25.run", "dense.run.gz", "plain"):
        (tmp_path / name).write_text("q1 Q0 a 1 1.0 tag\n")
    paths = [tmp_path / "bm25.run", str(tmp_path / "dense.run.gz"), tmp_path / "plain"]
    table = rw.evaluate_runs({"q1": {"a": 1}}, paths, "RR")
    assert list(table) == ["bm25", "dense", "plain"]
    with pytest.raises(UsageError, match="two runs are called 'bm25'"):
        rw.evaluate_runs({"q1": {"a": 1}}, [tmp_path / "bm25.run", tmp_path / "bm25.run"], "RR")


def test_the_signature_tells_what_differs(values: rw.Values) -> None:
    assert values.signature.startswith("profile:standard-1|queries:4-")
    assert values.signature.endswith(f"|rankworth:{rw.__version__}")
    skipping = STANDARD.derive(missing="skip")
    assert str(signature(skipping, ["q1"], "1")).startswith("profile:standard-1|missing:skip|queries:1-")
    assert signature(STANDARD, ["q1"], "1") != signature(STANDARD, ["q2"], "1")
    assert signature(STANDARD, ["a", "b"], "1") != signature(STANDARD, ["a\nb"], "1")
    assert STANDARD.derive() is STANDARD
    assert profile_of("standard") is profile_of("standard-1") is profile_of(STANDARD)
    with pytest.raises(UsageError, match="there is no profile 'rankx'"):
        rw.evaluate(QRELS, RUN, "RR", profile="rankx")


def test_values_say_what_they_are(values: rw.Values) -> None:
    assert repr(values).splitlines()[1] == "RR             0.5000"
    assert "4 of 4 judged queries scored; 1 without a relevant document (q3); 1 query of the run" in str(values)
    assert repr(values.per_query) == "PerQuery(4 queries, nDCG@10, RR, AP(rel=2)@100)"
    assert repr(rw.Qrels(QRELS)) == "Qrels(4 queries, 8 judgements)"


def test_nothing_is_ever_nan() -> None:
    with pytest.warns(rw.RankworthWarning) as caught:
        values = rw.evaluate({"q": {"a": 0}}, {"q": {"a": 1, "b": 2}}, list(rw.CATALOGUE.values()))
    assert {warning.message.slug for warning in caught} == {"nothing-relevant", "one-subtopic"}  # type: ignore[union-attr]
    assert not np.isnan(values.per_query.array).any()


def test_inputs_are_left_as_they_were() -> None:
    before = repr(QRELS), repr(RUN)
    with pytest.warns(rw.RankworthWarning, match="one-subtopic"):
        rw.evaluate(QRELS, RUN, list(rw.CATALOGUE.values()))
    assert (repr(QRELS), repr(RUN)) == before


def test_an_interval_is_that_of_scipy() -> None:
    generator = np.random.default_rng(3)
    values = generator.beta(0.5, 1.5, size=(60, 3))
    found = intervals(values, resamples=200_000)
    low, high = found.low, found.high
    for column in range(3):
        reference = scipy.stats.bootstrap(
            (values[:, column],), np.mean, method="BCa", n_resamples=200_000, rng=np.random.default_rng(9)
        ).confidence_interval
        width = reference.high - reference.low
        assert low[column] == pytest.approx(reference.low, abs=0.01 * width)  # two samples of 200,000
        assert high[column] == pytest.approx(reference.high, abs=0.01 * width)


def test_an_interval_is_bit_for_bit_that_of_scipy_for_the_same_samples() -> None:
    values = np.random.default_rng(3).beta(0.5, 1.5, size=(40, 1))
    found = intervals(values, resamples=2000, seed=7)
    low, high = found.low, found.high
    reference = scipy.stats.bootstrap(
        (values[:, 0],), np.mean, method="BCa", n_resamples=2000, rng=np.random.default_rng(7)
    ).confidence_interval
    assert low[0] == pytest.approx(reference.low, rel=1e-12)
    assert high[0] == pytest.approx(reference.high, rel=1e-12)


def test_an_interval_does_not_depend_on_the_size_of_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random((50, 2))
    whole = intervals(values)
    monkeypatch.setattr("rankworth.stats.resampling.CELLS", 1000)
    parts = intervals(values)
    assert np.array_equal(whole.low, parts.low)
    assert np.array_equal(whole.high, parts.high)


def test_intervals_of_the_edge() -> None:
    found = intervals(np.full((5, 1), 0.3))
    low, high = found.low, found.high
    assert (low[0], high[0]) == (0.3, 0.3)
    found = intervals(np.array([[0.3]]))
    low, high = found.low, found.high
    assert math.isnan(low[0])
    assert math.isnan(high[0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        intervals(np.ones((3, 1)), level=95)


def test_values_have_intervals(values: rw.Values) -> None:
    interval = values.interval()["RR"]
    assert interval.low <= values["RR"] <= interval.high
    assert interval.level == 0.95
    assert values.interval() == values.interval(seed=0)
    narrow = values.interval(level=0.5)["RR"]
    assert interval.low <= narrow.low <= narrow.high <= interval.high


def test_scores_of_one_ranking() -> None:
    assert rw.score([2, 1, 0, 1, 2], "nDCG(gain=exp2)@3") == 0.6732934624429354
    assert rw.score([0, 1, None, 1], "AP", missing=[2]) == (1 / 2 + 2 / 4) / 3
    assert rw.score([], "AP") == 0
    assert rw.score((grade for grade in (0, 1)), rw.RR) == 0.5
    for grades in ([math.nan], ["x"], [math.inf], [[[1]]]):
        with pytest.raises(InputError, match="bad-grade"):
            rw.score(grades, "AP")  # type: ignore[arg-type]


def test_each_measure_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values per query, means, groups, warnings and files all come from one evaluation, whatever is warned of."""
    times: Counter[str] = Counter()
    values_of = rw.Measure.values

    def counted(measure: rw.Measure, judged: Judged) -> object:
        times[str(measure)] += 1
        return values_of(measure, judged)

    monkeypatch.setattr(rw.Measure, "values", counted)
    measures = ["nDCG@10", "nDCG@3", "AP", "RR", "P@10", "P@100", "R@100", "Judged@10"]
    run = {query: {f"d{number}": 9.0 - number for number in range(4)} for query in ("q1", "q2", "q3")}
    qrels = {query: {"d1": 1, "d2": 2, "d7": 0} for query in run} | {"q4": {"d1": 1}}
    with pytest.warns(rw.RankworthWarning):
        values = rw.evaluate(rw.Qrels(qrels), run, measures, by={"q1": "a"})
    assert {notice.slug for notice in values.notices} == {"shallow-run", "many-unanswered"}
    assert values.slices["a"].interval()
    assert values.mean()
    assert {*times} == {*measures}
    assert set(times.values()) == {1}


def test_values_and_measures_travel_between_processes(values: rw.Values) -> None:
    for again in (pickle.loads(pickle.dumps(values)), copy.deepcopy(values)):
        assert again.mean() == values.mean()
        assert again["ndcg_cut_10"] == values["nDCG@10"]
        assert again.signature == values.signature
    assert pickle.loads(pickle.dumps(rw.AP(rel=2) @ 5)) == rw.AP(rel=2) @ 5
    table = rw.evaluate_runs(QRELS, {"one": RUN}, ["RR"])
    assert pickle.loads(pickle.dumps(table))["one"]["RR"] == table["one"]["RR"]


def test_a_warning_does_not_advise_what_was_done() -> None:
    with pytest.warns(rw.RankworthWarning, match="They are left out; name the queries") as caught:
        rw.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1}}, "RR", missing="skip")
    assert "--answered-only" not in str(caught[0].message)


def test_a_score_is_that_of_one_measure_and_a_number() -> None:
    assert rw.score([1, 0, 1], "NumRelRet") == 2
    with pytest.raises(MeasureError, match="stands for 30 measures; name one of them"):
        rw.score([1], "official")
    with pytest.raises(MeasureError, match="relstring is a text, not a number"):
        rw.score([1], "relstring")


def test_a_text_is_no_value_of_a_run() -> None:
    values = rw.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["RR", "relstring"])
    with pytest.raises(UsageError, match=r"relstring is a text, not a number; per_query\.texts"):
        values["relstring"]


def test_all_subtopics_at_a_billion_ranks_are_not_added_up() -> None:
    assert rw.score([[1, 0]], "alpha_DCG@1000") > 0
    with pytest.raises(MeasureError, match="a cutoff goes to 1,000,000 here"):
        rw.score([[1, 0]], "alpha_DCG@1000000000")


def test_the_best_of_a_measure_of_what_should_not_be_is_the_lowest() -> None:
    runs = {"good": {"q": ["a", "b"]}, "bad": {"q": ["x", "a"]}}
    shown = rw.evaluate_runs({"q": {"a": 1, "b": 0}}, runs, ["P@1", "MeanRank"]).to_markdown()
    assert "| good | **1.0000** | **1.0000** |" in shown
    assert "| bad | 0.0000 | 2.0000 |" in shown


def test_a_text_of_grades_ends_within_a_group_of_ties() -> None:
    qrels = {"q": {f"d{place}": place % 3 for place in range(12)}}
    tied = {"q": dict.fromkeys(qrels["q"], 1.0)}
    untied = {"q": {document: float(place) for place, document in enumerate(sorted(tied["q"]))}}
    expected = rw.evaluate(qrels, untied, ["relstring"]).per_query.texts["relstring"]
    assert [len(one) for one in expected] == [10]
    assert rw.evaluate(qrels, tied, ["relstring"], ties="expected").per_query.texts["relstring"] == expected


def test_values_are_a_mapping_from_measures_to_means() -> None:
    values = rw.evaluate(QRELS, RUN, ["MRR", "P@5", "relstring"])
    assert dict(values) == dict(values.items()) == values.mean() == {"MRR": values["RR"], "P@5": values["P@5"]}
    assert (list(values), len(values), list(values.keys())) == (["MRR", "P@5"], 2, ["MRR", "P@5"])
    assert (values.get("recip_rank"), values.get("AP"), values.get("nonsense", 1.0)) == (values["MRR"], None, 1.0)
    for name, text in (("P@50", "did you mean P@5?"), ("nDGC", "did you mean nDCG?"), (3, "3 is int")):
        with pytest.raises(KeyError, match=re.escape(text)) as caught:
            values[name]  # type: ignore[index]
        assert isinstance(caught.value, UsageError)
        assert str(caught.value).endswith("there are MRR P@5   [not-measured]")
    assert values.to_frame().rows() == [("", values["MRR"], values["P@5"])]
    with pytest.raises(KeyError, match="there is no run 'b'; there are a"):
        rw.evaluate_runs(QRELS, {"a": RUN}, ["RR"])["b"]


def test_equal_evaluations_are_equal() -> None:
    values, again = (rw.evaluate(QRELS, RUN, ["MRR", "relstring"], by={"q1": "en"}) for _ in range(2))
    assert values == again == pickle.loads(pickle.dumps(values)) == copy.deepcopy(values)
    assert values.per_query == again.per_query
    assert rw.evaluate_runs(QRELS, {"a": RUN}, ["RR"]) == rw.evaluate_runs(QRELS, {"a": RUN}, ["RR"])
    others: list[dict[str, Any]] = [{"measures": ["RR"]}, {"run": RUN | {"q1": {"c": 1}}}, {"missing": "skip"}]
    others += [{"qrels": QRELS | {"q4": {"z": 1, "y": 0}}}, {"by": {"q1": "ar"}}]
    for other in others:
        given = {"qrels": QRELS, "run": RUN, "measures": ["MRR", "relstring"], "by": {"q1": "en"}} | other
        assert values != rw.evaluate(**given), other
    with pytest.raises(TypeError, match="unhashable"):
        hash(values)


def test_python_says_what_the_command_line_says() -> None:
    run = {"q1": {"a": 1.0}}
    with pytest.warns(rw.RankworthWarning, match=r"Leave them out with missing=\"skip\""):
        values = rw.evaluate(QRELS, run, ["MRR@10"], by={"q1": "en", "q2": "ar"})
    shown = str(values)
    assert re.search(r"^\(all\) +4 +0\.2500$", shown, re.MULTILINE) or "(all)" in shown
    for text in (
        "4 of 4 judged queries scored; 3 without results",
        "[many-unanswered]",
        "for MRR@10, ranks from ",
        "en ",
    ):
        assert text in " ".join(shown.split())
    table = rw.evaluate_runs(QRELS, {"new": RUN}, ["MRR"])
    assert "4 of 4 judged queries scored" in str(table)
    assert "MRR" in str(table)
    with pytest.raises(InputError, match=r"duplicate_judgements=\"max\""):
        rw.evaluate([("q1", "a", 1), ("q1", "a", 2)], RUN, ["RR"])


@pytest.mark.parametrize("form", ["trec", "csv", "json", "jsonl", "parquet", "dict"])
def test_a_score_beyond_double_precision_is_infinite_in_every_format(form: str, tmp_path: Path) -> None:
    texts = {
        "trec": "q Q0 b 1 1e999 x\nq Q0 a 2 1 x\nq Q0 c 3 -1e999 x\n",
        "csv": "query,document,score\nq,b,1e999\nq,a,1\nq,c,-1e999\n",
        "json": '{"q": {"b": 1e999, "a": 1, "c": -1e999}}',
        "jsonl": "".join(
            f'{{"query": "q", "document": "{document}", "score": {score}}}\n'
            for document, score in (("b", "1e999"), ("a", "1"), ("c", "-1e999"))
        ),
    }
    run: Any = {"q": {"b": math.inf, "a": 1.0, "c": -math.inf}}
    if form == "parquet":
        rw.Run(run).to_frame().write_parquet(tmp_path / "run.parquet")
        run = tmp_path / "run.parquet"
    elif form != "dict":
        run = tmp_path / f"run.{form}"
        run.write_text(texts[form])
    assert rw.evaluate({"q": {"b": 1}}, run, ["RR"])["RR"] == 1
    assert rw.evaluate({"q": {"c": 1}}, run, ["RR"])["RR"] == 1 / 3


def test_rows_without_ranks_are_ranked_by_score_where_ranks_are_wanted() -> None:
    rows = [("q1", "a", 1.0), ("q1", "c", 1.0), ("q1", "b", 2.0)]
    for run in (rows, {"q1": {"a": 1.0, "c": 1.0, "b": 2.0}}):
        assert rw.evaluate({"q1": {"b": 1, "c": 1}}, run, ["AP"], order="rank")["AP"] == (1 / 1 + 2 / 3) / 2


class Counted(dict[str, float]):
    """A ranking that counts the ids that are looked at."""

    seen = 0

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            Counted.seen += 1
            yield key


@pytest.mark.parametrize("ties", ["id-descending", "id-ascending", "given", "given-reversed"])
def test_ids_of_a_dict_are_read_as_far_as_judged_documents_are_tied(monkeypatch: pytest.MonkeyPatch, ties: Any) -> None:
    scores = {f"d{place}": 1000.0 - place for place in range(1000)}
    scores["d4"] = scores["d3"]
    qrels = {query: {f"d{place}": int(place == 3) for place in (*range(10), 900)} for query in ("q1", "q2")}
    rank = {"id-descending": 5, "id-ascending": 4, "given": 4, "given-reversed": 5}[ties]
    monkeypatch.setattr(Counted, "seen", 0)
    assert rw.evaluate(qrels, {"q1": scores, "q2": Counted(scores)}, "RR", ties=ties)["RR"] == 1 / rank
    assert 0 < Counted.seen < 20

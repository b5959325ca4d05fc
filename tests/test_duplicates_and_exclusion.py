"""What is left out because the user says so: repeated documents and judgements, excluded pairs; and lists of files.

The law behind all of it: the values are those of inputs from which the same rows were removed beforehand.
"""

import gzip
import hashlib
import json
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import as_options
from judge import judge
from rankworth.errors import InputError, UsageError
from rankworth.io import frames, trec
from rankworth.io import source as files_of
from rankworth.judging import JudgedRun, polars
from rankworth.judging.exclusion import Exclusion
from rankworth.model import Qrels, Run
from rankworth.profiles import STANDARD
from rankworth.results import file
from rankworth.results.tables import means
from rankworth.scoring import inputs
from rankworth.settings import Judging

Row = tuple[str, str, float]
Policy = Literal["best", "first", "last"]
ENGINE = duckdb.connect()
POLICIES: tuple[Policy, ...] = ("best", "first", "last")
QUERIES = ("q1", "q10", "ü", "d2")
DOCUMENTS = ("d1", "d2", "d10", "é", "𝒳", "q1", "ü")
MEASURES = ["nDCG@2", "AP", "RR", "Bpref", "R@3", "Judged@3", "NumRet"]
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

rows = st.lists(
    st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCUMENTS), st.sampled_from((-1.0, 0.0, 0.5, 2.0))),
    min_size=1,
    max_size=30,
)
grades = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from((0.0, 1.0, 2.0)), min_size=1)
)
pairs = st.sets(st.tuples(st.sampled_from((*QUERIES, "unknown")), st.sampled_from((*DOCUMENTS, "unknown"))), min_size=1)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def frame(found: list[Row], value: str = "score") -> pl.DataFrame:
    return pl.DataFrame(found, schema={"query": pl.String, "document": pl.String, value: pl.Float64}, orient="row")


def together(found: list[Row]) -> list[Row]:
    """The same rows, those of each query together."""
    order = list(dict.fromkeys(query for query, _, _ in found))
    return sorted(found, key=lambda row: order.index(row[0]))


def once(found: list[Row], policy: str) -> list[Row]:
    """One row for each document, as the policy says, done by hand."""
    kept: dict[tuple[str, str], Row] = {}
    for row in found:
        other = kept.get(row[:2])
        if other is None or policy == "last" or (policy in ("best", "max") and row[2] > other[2]):
            kept[row[:2]] = row
    return [row for row in found if kept.pop(row[:2], None) is not None] if policy == "first" else list(kept.values())


def quietly(*arguments: Any, **named: Any) -> rw.Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(*arguments, **as_options(named))


def refused(*arguments: Any, **named: Any) -> rw.RankworthError:
    with pytest.raises(rw.RankworthError) as caught:
        rw.evaluate(*arguments, **as_options(named))
    return caught.value


def relation(rows: list[Row]) -> Run:
    return inputs.run(ENGINE.from_arrow(frame(rows).to_arrow()))


def same(one: JudgedRun, other: JudgedRun) -> bool:
    """Bit for bit."""
    assert one.unjudged == other.unjudged
    for name, array in one.hits.__dict__.items():
        theirs = getattr(other.hits, name)
        if name == "score" and (array is None or theirs is None):  # engines keep their scores
            continue
        assert (array is None) == (theirs is None), name
        if not isinstance(array, np.ndarray):
            assert array == theirs, name
        else:
            assert array.dtype == theirs.dtype, name
            assert array.tobytes() == theirs.tobytes(), name
    return True


@pytest.fixture(params=[2, 7, 1 << 18])
def batch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows, so that queries are spread over several, and of many."""
    monkeypatch.setattr(frames, "BATCH", request.param)


# Documents that a query ranks twice


@pytest.mark.usefixtures("batch")
@settings(some, suppress_health_check=[*some.suppress_health_check, HealthCheck.function_scoped_fixture])
@given(
    found=rows,
    qrels=grades,
    policy=st.sampled_from(POLICIES),
    layout=st.sampled_from(("compact", "full")),
    scattered=st.booleans(),
)
def test_a_run_is_judged_as_without_its_duplicates(
    found: list[Row], qrels: dict[str, dict[str, float]], policy: Policy, layout: Any, *, scattered: bool
) -> None:
    assume(set(qrels) & {query for query, _, _ in found})
    found = found if scattered else together(found)
    kept = once(found, policy)
    judgements = Qrels(qrels)
    judged = judge(judgements, Run(frame(found)), layout=layout, settings=Judging(duplicates=policy))
    assert same(judged, judge(judgements, Run(frame(kept)), layout=layout))
    assert judged.repeated == sum(row[0] in qrels for row in found) - sum(row[0] in qrels for row in kept)
    if policy == "best":
        assert same(judged, judge(judgements, relation(found), layout=layout, settings=Judging(duplicates="best")))


@pytest.mark.parametrize("policy", POLICIES)
def test_an_integer_and_a_text_of_one_dict_are_one_id_under_every_policy(policy: Policy) -> None:
    both = {"q": {1: 2.0, "1": 1.0}}
    assert refused({"q": {1: 1}}, both, duplicates=policy).slug == "duplicate-document"
    assert refused(both, {"q": {1: 1}}, duplicate_judgements="max").slug == "duplicate-judgement"


def test_each_policy_keeps_another_passage_of_a_document() -> None:
    """Ranks by the highest score: a b c; by the first row: b a c; by the last: c b a."""
    found = [("q", "a", 1.0), ("q", "b", 2.0), ("q", "c", 0.5), ("q", "a", 3.0), ("q", "c", 2.5), ("q", "a", 0.1)]
    qrels = {"q": {"a": 1}}
    ranks = {policy: 1 / rw.evaluate(qrels, frame(found), "RR", duplicates=policy)["RR"] for policy in POLICIES}
    assert ranks == {"best": 1, "first": 2, "last": 3}
    values = rw.evaluate(qrels, frame(found), ["RR", "NumRet"], duplicates="best", depth=2)
    assert values["NumRet"] == 2
    assert values.counts.duplicates_removed == 3
    assert values.signature.startswith("profile:standard-1|duplicates:best|depth:2|queries:1-")
    assert refused(qrels, frame(found), duplicates="error").slug == "duplicate-document"
    assert refused(qrels, frame(found)).slug == "duplicate-document"


def test_duplicates_of_a_score_are_one_document_and_ties_stay_ties() -> None:
    found = [("q", "a", 1.0), ("q", "b", 1.0), ("q", "a", 1.0), ("q", "c", 1.0)]
    for policy in POLICIES:
        assert rw.evaluate({"q": {"a": 1}}, frame(found), "RR", duplicates=policy)["RR"] == 1 / 3  # c b a


def test_what_becomes_of_duplicates_is_one_of_several() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1}}
    assert str(refused(qrels, run, duplicates="max")) == (
        "duplicates='max': duplicates is 'error' or 'best' or 'first' or 'last' or 'sum' or 'mean-top-3' or "
        "'all' or 'once' or 'joined'   [unknown-setting]"
    )
    assert str(refused(qrels, run, duplicate_judgements="best")) == (
        "duplicate_judgements='best': duplicate_judgements is 'error' or 'max' or 'first' or 'last' or 'all' or "
        "'wanted' or 'spread'   [unknown-setting]"
    )
    with pytest.raises(UsageError, match="unknown-setting"):
        Qrels(qrels, duplicate_judgements="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"nothing says the order of rows   \[unfollowed-setting\]"):
        rw.evaluate(qrels, ENGINE.from_arrow(frame([("q", "a", 1.0)]).to_arrow()), duplicates="first")


@pytest.mark.parametrize("chunk", [40, 100, 8 << 20])
@pytest.mark.parametrize("policy", POLICIES)
def test_duplicates_of_a_file_are_settled_across_chunks_and_files(
    policy: Policy, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec, "CHUNK", chunk)
    generator = np.random.default_rng(0)
    found = [
        (f"q{query}", f"d{document}", float(score))
        for query, document, score in generator.integers([0, 0, 0], [6, 9, 20], (300, 3))
    ]
    qrels = {f"q{query}": {f"d{document}": document % 3 for document in range(5)} for query in range(5)}
    for listed in (found, together(found)):
        write("a.run", listed[:130])
        write("b.run", listed[130:])
        expected = rw.evaluate(qrels, frame(once(listed, policy)), MEASURES)
        values = rw.evaluate(qrels, Run(["a.run", "b.run"]), MEASURES, duplicates=policy)
        assert values.per_query.array.tobytes() == expected.per_query.array.tobytes()
        of_judged = sum(query != "q5" for query, _, _ in found)
        assert values.counts.duplicates_removed == of_judged - 5 * 9
        assert values.counts._replace(duplicates_removed=0) == expected.counts


def write(path: str, found: list[Row]) -> None:
    Path(path).write_text("".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in found))


def test_a_bad_score_of_a_document_that_does_not_count_is_refused_all_the_same() -> None:
    twice = pl.DataFrame({"query": ["q", "q"], "document": ["1", "1"], "score": [1.0, float("nan")]})
    assert refused({"q": {"1": 1}}, twice, duplicates="first").slug == "bad-score"


def test_documents_of_one_key_are_told_apart_by_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here documents with one first letter have one key."""
    qrels = {"q": {"a1": 1, "b1": 1}}
    rows = [("q", "a2", 5.0), ("q", "a1", 4.0), ("q", "b1", 3.0), ("q", "a1", 2.0), ("q", "b2", 1.0), ("q", "a2", 0.0)]
    table = frame(rows)
    expected = {
        policy: rw.evaluate(qrels, table, ["RR", "AP", "NumRet"], duplicates=policy).mean() for policy in POLICIES
    }
    left = rw.evaluate(qrels, table, ["RR", "NumRet"], duplicates="best", exclude={"q": ["a1"]}).mean()

    def keys(documents: pl.Series, *_: object) -> Any:
        return documents.str.slice(0, 1).hash(0).to_numpy()

    monkeypatch.setattr(polars, "pair_keys", keys)
    assert refused(Qrels(qrels), table, "RR").slug == "duplicate-document"
    for policy, expected_means in expected.items():
        assert rw.evaluate(Qrels(qrels), table, list(expected_means), duplicates=policy).mean() == expected_means
    again = rw.evaluate(Qrels(qrels), table, list(left), duplicates="best", exclude={"q": ["a1"]}).mean()
    assert again == left


# Documents that are judged twice


Judgements = list[tuple[str, str, str, float]]


@some
@given(
    found=st.lists(
        st.tuples(
            st.sampled_from(QUERIES[:2]),
            st.sampled_from(("1", "2")),
            st.sampled_from(DOCUMENTS[:3]),
            st.sampled_from((0.0, 1.0, 2.0)),
        ),
        min_size=1,
        max_size=12,
    ),
    policy=st.sampled_from(("max", "first", "last")),
    told=st.booleans(),
)
def test_judgements_are_read_as_without_their_repetitions(found: Judgements, policy: Any, *, told: bool) -> None:
    keyed = [((query, subtopic if told else "", document), "", grade) for query, subtopic, document, grade in found]
    kept = [(*key, grade) for key, _, grade in once(keyed, policy)]  # type: ignore[arg-type]
    columns = ["query", "subtopic", "document", "grade"]
    all_rows, few = (
        pl.DataFrame(some_rows, schema=columns, orient="row").select(columns if told else pl.exclude("subtopic"))
        for some_rows in (found, kept)
    )
    settled, expected = Qrels(all_rows, duplicate_judgements=policy), Qrels(few)
    assert settled == expected
    assert settled.merged == expected.merged
    assert int(settled.repeated.sum()) == len(found) - len(kept)
    run = {query: {document: float(-place) for place, document in enumerate(DOCUMENTS)} for query in QUERIES[:2]}
    measures = ["nDCG@2", "AP", *(["alpha_nDCG@3", "ERR_IA", "P_IA@2"] if told else [])]
    values, others = quietly(settled, run, measures), quietly(expected, run, measures)
    assert values.per_query.array.tobytes() == others.per_query.array.tobytes()
    if told:
        lines = "".join(f"{query} {subtopic} {document} {grade}\n" for query, subtopic, document, grade in found)
        Path("all.qrels").write_text(lines)
        from_file = quietly("all.qrels", run, measures, duplicate_judgements=policy)
        assert from_file.per_query.array.tobytes() == values.per_query.array.tobytes()
        assert from_file.counts == values.counts


def test_the_policy_settles_repetitions_of_a_subtopic_and_the_best_grade_counts_for_several() -> None:
    Path("a.qrels").write_text("q 1 a 0\nq 1 a 2\nq 1 a 1\nq 2 a 1\nq 2 b 1\n")
    found = {policy: Qrels("a.qrels", duplicate_judgements=policy) for policy in ("max", "first", "last")}  # type: ignore[arg-type]
    assert {policy: one.to_dict()["q"] for policy, one in found.items()} == {
        "max": {"a": 2, "b": 1},
        "first": {"a": 1, "b": 1},
        "last": {"a": 1, "b": 1},
    }
    told = found["first"].by_subtopic()
    assert told is not None
    assert sorted(told.select("subtopic", "document", "grade").rows()) == [("1", "a", 0), ("2", "a", 1), ("2", "b", 1)]
    assert all(one.merged for one in found.values())
    assert [one.repeated.tolist() for one in found.values()] == [[2]] * 3


def test_judgements_of_several_assessors_have_one_grade() -> None:
    Path("a.qrels").write_text("q 0 a 1\nq 0 a 0\nq 0 b 0\np 0 a 1\np 0 a 2\n")
    run = {"q": {"a": 1.0}, "p": {"a": 1.0}}
    values = rw.evaluate("a.qrels", run, ["P@1", "DCG@1"], duplicate_judgements="last")
    assert values.per_query.to_dict() == {"p": {"P@1": 1, "DCG@1": 2}, "q": {"P@1": 0, "DCG@1": 0}}
    assert values.counts.duplicate_judgements_removed == 2
    assert "|duplicate_judgements:last|" in values.signature
    assert not Qrels("a.qrels", duplicate_judgements="last").merged
    named = quietly("a.qrels", run, ["P@1"], duplicate_judgements="last", queries=["q"])
    assert named.counts.duplicate_judgements_removed == 1


def test_judgements_that_were_settled_when_they_were_read_say_so_wherever_they_are_used() -> None:
    Path("a.qrels").write_text("q 0 a 1\nq 0 a 0\n")
    settled = Qrels("a.qrels", duplicate_judgements="max")
    values = rw.evaluate(settled, {"q": {"a": 1.0}}, "P@1")
    assert (values["P@1"], values.counts.duplicate_judgements_removed) == (1, 1)
    assert "|duplicate_judgements:max|" in values.signature
    again = rw.evaluate(settled, {"q": {"a": 1.0}}, "P@1", profile=STANDARD.derive(duplicate_judgements="max"))
    assert again.signature == values.signature
    error = refused(settled, {"q": {"a": 1.0}}, duplicate_judgements="first")
    assert str(error) == (
        "duplicate_judgements='first': these judgements were read with 'max'   [conflicting-options]\n"
        "  say it once, where they are read"
    )
    clean = rw.evaluate(Qrels({"q": {"a": 1}}), {"q": {"a": 1.0}}, "P@1", duplicate_judgements="first")
    assert "|duplicate_judgements:first|" in clean.signature


# Pairs that are excluded


def without(collection: dict[str, dict[str, float]], out: set[tuple[str, str]]) -> dict[str, dict[str, float]]:
    return {
        query: {document: value for document, value in part.items() if (query, document) not in out}
        for query, part in collection.items()
    }


@pytest.mark.usefixtures("batch")
@settings(some, suppress_health_check=[*some.suppress_health_check, HealthCheck.function_scoped_fixture])
@given(
    found=rows,
    qrels=grades,
    out=st.none() | pairs,
    layout=st.sampled_from(("compact", "full")),
    policy=st.sampled_from(POLICIES),
    data=st.data(),
)
def test_a_run_is_judged_as_without_the_excluded_pairs(
    found: list[Row],
    qrels: dict[str, dict[str, float]],
    out: set[tuple[str, str]] | None,
    layout: Any,
    policy: Policy,
    data: st.DataObject,
) -> None:
    """Through each door: dicts, frames in and out of order, relations."""
    gone = {(query, query) for query in QUERIES} if out is None else out
    rest = [row for row in found if row[:2] not in gone]
    judged_rest = without(qrels, gone)
    assume(any(judged_rest.values()))
    assume(set(qrels) & {query for query, _, _ in rest})
    exclude = Exclusion.of("self" if out is None else as_some(out, data.draw))
    chosen = Judging(duplicates=policy)
    expected = judge(Qrels(judged_rest), Run(frame(once(rest, policy))), layout=layout)
    for judgements in (Qrels(qrels), Qrels(qrels).to_frame()):
        kept = exclude.out_of(Qrels(judgements))
        assert kept.to_dict() == judged_rest
        for listed in (found, together(found)):
            judged = judge(kept, Run(frame(listed)), layout=layout, settings=chosen, exclude=exclude)
            assert same(judged, expected)
            assert judged.excluded == sum(row[0] in qrels and row[:2] in gone for row in found)
    dicts: dict[str, dict[str, float]] = {}
    for query, document, score in once(found, policy):
        dicts.setdefault(query, {})[document] = score
    kept = exclude.out_of(Qrels(qrels))
    assert same(judge(kept, Run(dicts), layout=layout, settings=chosen, exclude=exclude), expected)
    if policy == "best":
        related = judge(kept, relation(found), layout=layout, settings=chosen, exclude=exclude)
        assert same(related, expected)
        assert related.excluded == sum(row[0] in qrels and row[:2] in gone for row in found)


def as_some(out: set[tuple[str, str]], draw: Callable[..., Any]) -> Any:
    """The same pairs in one of the shapes that they may have."""
    listed = sorted(out)
    by_query: dict[str, list[str]] = {}
    for query, document in listed:
        by_query.setdefault(query, []).append(document)
    table = pl.DataFrame(listed, schema={"query": pl.String, "document": pl.String}, orient="row")
    graded = {query: dict.fromkeys(documents, 1.0) for query, documents in by_query.items()}
    shapes = [by_query, listed, out, table, table.to_pandas(), Qrels(table), Run(graded), Qrels(graded), iter(listed)]
    return draw(st.sampled_from(shapes))


def test_pairs_are_read_from_any_file_and_the_signature_says_which() -> None:
    listed = [("q1", "b"), ("q1", "a"), ("q9", "é"), ("q1", "b")]
    digest = hashlib.sha256("q1\ta\nq1\tb\nq9\té\n".encode()).hexdigest()[:8]
    files = {
        "two.txt": "# seen\nq1 b\nq1\ta\n\nq9 é\nq1 b\n",
        "qrels.txt": "".join(f"{query} 0 {document} 0\n" for query, document in dict.fromkeys(listed)),
        "same.qrels": "".join(f"{query} 0 {document} 1\n" for query, document in listed),
        "old.run": "".join(f"{query} Q0 {document} 1 1.5 t\n" for query, document in listed),
    }
    for name, text in files.items():
        Path(name).write_text(text)
    Path("packed.gz").write_bytes(gzip.compress(files["two.txt"].encode()))
    table = pl.DataFrame(listed, schema=["query", "document"], orient="row")
    table.write_csv("table.tsv", separator="\t")
    table.with_columns(score=pl.lit(0.5), rank=pl.lit(1)).write_csv("run.csv")
    table.rename({"query": "user_id", "document": "item_id"}).with_columns(rating=pl.lit(5)).write_csv("ratings.csv")
    table.write_ndjson("table.jsonl")
    table.write_parquet("table.parquet")
    Path("lists.json").write_text(json.dumps({"q1": ["a", "b"], "q9": ["é"]}))
    files |= dict.fromkeys(("table.tsv", "run.csv", "ratings.csv", "table.jsonl", "table.parquet", "lists.json"), "")
    qrels, run = {"q1": {"a": 1, "c": 1}, "q2": {"a": 1}}, {"q1": {"b": 3.0, "c": 2.0}, "q2": {"a": 1.0}}
    for exclude in (*files, "packed.gz", Path("two.txt"), ["two.txt", "old.run"], listed, Run("old.run")):
        values = rw.evaluate(qrels, run, ["RR", "R"], exclude=exclude)
        assert values.mean() == {"RR": 1, "R": 1}, exclude
        assert f"|exclude:3-{digest}|" in values.signature
        assert (values.counts.excluded, values.counts.excluded_judgements) == (1, 1)
    assert rw.evaluate(qrels, run, ["RR", "R"])["RR"] == (1 / 2 + 1) / 2


def test_tables_and_json_say_what_was_left_out() -> None:
    found = [
        ("q1", "a", 3.0),
        ("q1", "b", 2.0),
        ("q1", "b", 1.0),
        ("q1", "q1", 5.0),
        ("q2", "a", 1.0),
        ("q9", "q9", 1.0),
    ]
    judged = [("q1", "b", 1.0), ("q1", "q1", 1.0), ("q2", "q2", 1.0), ("q2", "a", 1.0), ("q2", "a", 0.0)]
    table = rw.evaluate_runs(
        frame(judged, "grade"),
        {"x": frame(found)},
        ["RR"],
        duplicates="best",
        duplicate_judgements="max",
        exclude="self",
    )
    values = table["x"]
    assert repr(values.counts) == (
        "Counts(judged=2, scored=2, unanswered=0, no_relevant=0, ignored=0, duplicates_removed=1, "
        "duplicate_judgements_removed=1, excluded=1, excluded_judgements=2)"
    )
    (note,) = means(table).notes
    assert note == (
        "2 of 2 judged queries scored; 1 retrieved document and 2 judgements excluded (self); "
        "1 retrieved document left out as duplicates (duplicates:best); "
        "1 judgement left out as duplicates (duplicate_judgements:max)"
    )
    told = json.loads(json.dumps(file.record(table, with_queries=False)["runs"][0]["queries"]))
    assert (told["excluded"], told["excluded_judgements"], told["duplicates_removed"]) == (1, 2, 1)
    assert values.signature.startswith(
        "profile:standard-1|duplicates:best|duplicate_judgements:max|exclude:self|queries:2-"
    )
    assert values["RR"] == (1 / 2 + 1) / 2


def test_queries_that_lose_their_judgements_stay_and_those_that_lose_their_documents_are_unanswered() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1}}
    run = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"b": 1.0}, "q3": {"b": 1.0}, "q9": {"x": 1.0}, "q8": {"x": 1.0}}
    out = {"q1": ["a"], "q2": ["b"], "q9": ["x"], "nobody": ["x"]}
    for given_run in (run, Run(run).to_frame()):
        values = quietly(qrels, given_run, ["RR", "NumRet"], exclude=out)
        assert values.per_query.to_dict() == {
            "q1": {"RR": 0, "NumRet": 1},
            "q2": {"RR": 0, "NumRet": 0},
            "q3": {"RR": 1, "NumRet": 1},
        }
        assert tuple(values.counts.numbers.values()) == (3, 3, 1, 1, 1, 0, 0, 2, 1)
        skipped = quietly(qrels, given_run, ["RR"], exclude=out, missing="skip")
        assert skipped.per_query.queries == ["q1", "q3"]
    assert run["q1"] == {"a": 1.0, "b": 0.5}
    assert out == {"q1": ["a"], "q2": ["b"], "q9": ["x"], "nobody": ["x"]}


def test_nothing_left_is_an_error() -> None:
    qrels = {"q1": {"a": 1, "b": 1}}
    for run in ({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, frame([("q1", "a", 1.0), ("q2", "a", 1.0)])):
        error = refused(qrels, run, exclude={"q1": ["a"]})
        one = hashlib.sha256(b"q1\ta\n").hexdigest()[:8]
        assert error.problems == (f"exclude:1-{one} leaves no document of the run for any judged query",)
        assert error.slug == "empty-input"
    two = hashlib.sha256(b"q1\ta\nq1\tb\n").hexdigest()[:8]
    assert refused(qrels, {"q1": {"c": 1.0}}, exclude={"q1": ["a", "b"]}).problems == (
        f"exclude:2-{two} leaves no judgement",
    )
    assert refused(qrels, {"q2": {"a": 1.0}}, exclude={"q1": ["a"]}).slug == "no-common-queries"


@pytest.mark.parametrize(
    ("exclude", "message"),
    [
        ({}, "exclude: there is no pair of query and document in it   [empty-input]"),
        ([], "exclude: there is no pair of query and document in it   [empty-input]"),
        ({"q": "d"}, "exclude: query 'q' holds 'd', and not a list of documents   [input-type]"),
        ({"q": 1}, "exclude: query 'q' holds 1, and not a list of documents   [input-type]"),
        ({"q": [1.5]}, "exclude: query 'q', item 0: the document 1.5 is float; ids are text or integers   [id-type]"),
        ([("q", 0, "d", 1)], "exclude: row 0 has 4 fields; a row is (query, document, grade)   [input-type]"),
        ([("q", "d"), "qd"], "exclude: row 1: the query is missing   [missing-value]"),
        (7, "exclude: 7 is int, which cannot be read   [input-type]"),
        ("none.txt", "none.txt: there is no such file   [missing-file]"),
        ("bad.csv", "bad.csv:1: there is no document column; the columns are query score   [frame-columns]"),
        ("bad.txt", "bad.txt:3: a line has 2 columns (query document), this one has 3   [qrels-columns]"),
        (pl.DataFrame({"query": ["q"]}), "exclude: there is no document column; "),
    ],
)
def test_what_are_no_pairs_is_refused(exclude: Any, message: str) -> None:
    Path("bad.txt").write_text("q d\n\nq d 1\n")
    Path("bad.csv").write_text("query,score\nq,1\n")
    assert str(refused({"q": {"d": 1}}, {"q": {"d": 1}}, exclude=exclude)).startswith(message)


def test_a_profile_of_values_names_the_pairs_and_does_not_hold_them() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}}
    values = rw.evaluate(qrels, run, "RR", exclude=[("q", "b")])
    assert values.profile.data.exclude == Exclusion.of({"q": ["b"]})
    assert pickle.loads(pickle.dumps(values)).signature == values.signature
    with pytest.raises(UsageError, match="tells which pairs were left out, not what they are"):
        rw.evaluate(qrels, run, "RR", profile=values.profile)
    again = rw.evaluate(qrels, run, "RR", profile=values.profile, exclude=[("q", "b")])
    assert again.signature == values.signature
    with_self = rw.evaluate(qrels, run, "RR", exclude="self").profile
    assert rw.evaluate({"q": {"a": 1, "q": 1}}, {"q": {"a": 1.0, "q": 2.0}}, "R", profile=with_self)["R"] == 1


def test_excluded_judgements_are_gone_for_subtopics_too() -> None:
    judged = [("q", "1", "a", 1), ("q", "2", "b", 1), ("q", "3", "c", 1), ("p", "1", "a", 1)]
    everything = pl.DataFrame(judged, schema=["query", "subtopic", "document", "grade"], orient="row")
    rest = everything.filter(pl.col("document") != "c")
    run = {"q": {"c": 9.0, "a": 3.0, "b": 2.0}, "p": {"a": 1.0}}
    expected = rw.evaluate(rest, {"q": {"a": 3.0, "b": 2.0}, "p": {"a": 1.0}}, ["alpha_nDCG@5", "STREC@2", "AP"])
    values = rw.evaluate(everything, run, ["alpha_nDCG@5", "STREC@2", "AP"], exclude={"q": ["c"]})
    assert values.per_query.array.tobytes() == expected.per_query.array.tobytes()


def test_queries_are_named_before_pairs_are_excluded() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}, "p": {"a": 1.0, "b": 1.0}}
    values = rw.evaluate(qrels, run, "R", queries=["p"], exclude={"q": ["a"], "p": ["b"]})
    assert tuple(values.counts.numbers.values()) == (1, 1, 0, 0, 0, 0, 0, 1, 0)


def test_exclusions_work_on_engines() -> None:
    found, judged = [("q", "a", 1.0), ("q", "a", 2.0), ("q", "b", 3.0)], [("q", "a", 1.0), ("q", "b", 1.0)]
    exclude = Exclusion.of({"q": ["b"]})
    qrels = Qrels(frame(judged, "grade"))
    chosen: Any = {"layout": "full", "settings": Judging(duplicates="best"), "exclude": exclude}
    judged_there = judge(exclude.out_of(qrels), relation(found), **chosen)
    assert same(judged_there, judge(exclude.out_of(qrels), Run(frame(found)), **chosen))
    assert (judged_there.excluded, judged_there.repeated) == (1, 1)


# Runs and judgements in several files


def test_files_of_a_list_are_one_run_and_one_set_of_judgements() -> None:
    write("a.run", [("q1", "a", 1.0), ("q2", "x", 5.0)])
    write("b.run", [("q2", "a", 1.0), ("q1", "x", 2.0)])
    Path("a.qrels").write_text("q1 0 a 1\n")
    Path("b.qrels").write_text("q2 0 a 1\nq1 0 y 0\n")
    values = rw.evaluate(["a.qrels", Path("b.qrels")], Run(["a.run", "b.run"], "both"), ["RR", "NumRet"])
    assert values.mean() == {"RR": 1 / 2, "NumRet": 4}
    assert values.run == "both"
    assert Qrels(["a.qrels", "b.qrels"]) == Qrels({"q1": {"a": 1, "y": 0}, "q2": {"a": 1}})
    assert Run(["a.run", "b.run"]).to_frame().height == 4
    assert repr(Run(["a.run", "b.run"])) == "Run(['a.run', 'b.run'], name='')"
    assert repr(Run(Run("a.run"))) == "Run('a.run', name='a')"


def test_several_paths_are_not_guessed_to_be_one_run() -> None:
    write("a.run", [("q1", "a", 1.0)])
    write("b.run", [("q1", "b", 1.0)])
    assert str(refused({"q1": {"a": 1}}, ["a.run", "b.run"])) == (
        "2 paths could be several runs, or one run in several files   [input-type]\n"
        "  several runs go to evaluate_runs; a run in several files is Run([path, ...], name)"
    )
    table = rw.evaluate_runs({"q1": {"a": 1}}, {"both": ["a.run", "b.run"], "a": "a.run"}, ["NumRet"])
    assert [values["NumRet"] for values in table.values()] == [2, 1]


def test_repeated_rows_are_named_with_their_file() -> None:
    write("a.run", [("q1", "a", 1.0), ("q2", "x", 5.0)])
    write("b.run", [("q1", "b", 1.0), ("q1", "a", 2.0), ("q1", "b", 2.0)])
    error = refused({"q1": {"a": 1}}, Run(["a.run", "b.run"]))
    assert error.problems == (
        "b.run: row 2: query q1 ranks document a again (first in a.run: row 1)",
        "b.run: row 3: query q1 ranks document b again (first in row 1)",
    )
    assert error.remedy == (
        "keep one row for each query and document\n"
        'or say which of them counts: --duplicates best (duplicates="best") is the highest score, and ranks close up\n'
        'or --duplicates once (duplicates="once") is the first, and the others keep their ranks, as in MAP@k on Kaggle'
    )
    for name in ("a.qrels", "b.qrels"):
        Path(name).write_text("q1 0 a 1\n")
    assert refused(["a.qrels", "b.qrels"], {"q1": {"a": 1}}).problems == (
        "b.qrels: row 1: query q1 judges document a again (first in a.qrels: row 1)",
    )


def test_a_repeated_prediction_leaves_its_rank_taken_or_not_as_the_message_says() -> None:
    qrels, run, measure = [["0", "1", "2", "3"]], [["0", "100", "101", "1", "0", "3"]], "AP(norm=min(k,R))@6"
    with pytest.raises(rw.InputError, match=r'"best".*ranks close up(?s:.*)"once".*keep their ranks'):
        rw.evaluate(qrels, run, [measure])
    values = {how: rw.evaluate(qrels, run, [measure], duplicates=how)[measure] for how in ("best", "once")}
    assert values == {"best": (1 + 2 / 4 + 3 / 5) / 4, "once": (1 + 2 / 4 + 3 / 6) / 4}


def test_subtopics_of_several_files_are_judgements_of_one_set() -> None:
    Path("a.qrels").write_text("q1 1 a 1\nq1 2 a 0\n")
    Path("b.qrels").write_text("q1 3 a 2\nq1 3 b 1\n")
    both = Qrels(["a.qrels", "b.qrels"])
    assert both.to_dict() == {"q1": {"a": 2, "b": 1}}
    assert both.merged
    told = both.by_subtopic()
    assert told is not None
    assert sorted(told.select("subtopic", "document", "grade").rows()) == [
        ("1", "a", 1),
        ("2", "a", 0),
        ("3", "a", 2),
        ("3", "b", 1),
    ]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_rows_of_tables_in_files_are_counted_from_one(suffix: str) -> None:
    found = frame([("q1", "a", 1.0), ("q1", "b", 2.0), ("q1", "a", 2.0)])
    if suffix == "csv":
        found.write_csv("a.csv")
    else:
        found.write_ndjson("a.jsonl")
    error = refused({"q1": {"a": 1}}, f"a.{suffix}")
    assert error.problems == (f"a.{suffix}: row 3: query q1 ranks document a again (first in row 1)",)
    assert quietly({"q1": {"a": 1}}, f"a.{suffix}", "RR", duplicates="first")["RR"] == 1 / 2


# Files that change


LINES = "q1 Q0 a 1 0.5 t\nq1 Q0 b 2 0.4 t\n"


def test_a_run_that_is_written_again_is_refused() -> None:
    Path("a.run").write_text(LINES)
    run = Run("a.run")
    assert rw.evaluate({"q1": {"a": 1}}, run, "RR")["RR"] == 1
    Path("a.run").write_text(LINES.replace("0.4", "0.40"))
    error = refused({"q1": {"a": 1}}, run)
    assert str(error) == (
        "a.run: it changed after it was first opened   [changed-file]\n"
        "  wait until nobody writes to it; then make the Run or the Qrels again, if there is one"
    )
    assert rw.evaluate({"q1": {"a": 1}}, "a.run", "RR")["RR"] == 1


def test_a_file_of_the_same_size_has_changed_when_its_time_says_so() -> None:
    Path("a.run").write_text(LINES)
    run = Run("a.run")
    rw.evaluate({"q1": {"a": 1}}, run, "RR")
    status = Path("a.run").stat()
    os.utime("a.run", ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert refused({"q1": {"a": 1}}, run).slug == "changed-file"


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_grows_while_it_is_read_is_refused(monkeypatch: pytest.MonkeyPatch, *, packed: bool) -> None:
    def write_some(count: int) -> None:
        content = "".join(f"q{query} Q0 a 1 1 t\n" for query in range(count)).encode()
        Path("a.run").write_bytes(gzip.compress(content) if packed else content)

    monkeypatch.setattr(trec, "CHUNK", 64)
    write_some(1000)
    found: Iterator[pl.DataFrame] = Run("a.run").batches()
    next(found)
    write_some(1001)
    with pytest.raises(InputError, match=r"a\.run: it changed after it was first opened"):
        list(found)


def test_a_file_that_no_stream_reads_is_looked_at_in_the_end() -> None:
    Path("a.run").write_text(LINES)
    source = files_of.Source("a.run")
    source.check()
    source.check()
    Path("a.run").write_text("")
    with pytest.raises(InputError, match="changed-file"):
        source.check()
    Path("a.run").unlink()
    source.check()


def test_judgements_are_read_once_with_their_subtopics() -> None:
    Path("a.qrels").write_text("q1 1 a 1\nq1 2 b 1\n")
    qrels = Qrels("a.qrels")
    Path("a.qrels").write_text("q1 1 a 1\nq1 2 b 1\nq1 3 c 1\n")
    run = {"q1": {"a": 1.0}}
    rows = [("q1", "1", "a", 1), ("q1", "2", "b", 1)]
    expected = rw.evaluate(
        Qrels(pl.DataFrame(rows, ["query", "subtopic", "document", "grade"], orient="row")),
        run,
        ["RR", "alpha_nDCG", "StRecall@1"],
    )
    assert rw.evaluate(qrels, run, ["RR", "alpha_nDCG", "StRecall@1"]).mean() == expected.mean()
    assert rw.evaluate("a.qrels", run, ["RR", "alpha_nDCG", "StRecall@1"]).mean() != expected.mean()


def test_what_cannot_be_compared_is_not() -> None:
    """Pipes have no size; they are read once and kept."""
    reading, writing = os.pipe()
    os.write(writing, LINES.encode())
    os.close(writing)
    run = Run(f"/dev/fd/{reading}")
    assert rw.evaluate({"q1": {"a": 1}}, run, "RR").mean() == rw.evaluate({"q1": {"a": 1}}, run, "RR").mean()
    os.close(reading)


@pytest.mark.parametrize(("empty", "value"), [("zero", 1 / 2), ("skip", 1 / 1)])
@pytest.mark.parametrize("documents", [["x", "x"], ["x", "z"]])
def test_an_empty_list_counts_whatever_another_list_repeats(documents: list[str], empty: str, value: float) -> None:
    qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": documents, "b": []}
    settings: Any = {"duplicates": "first", "missing": "skip", "quirks": {"empty": empty}}
    assert rw.evaluate(qrels, run, ["P@1"], **settings)["P@1"] == value

"""Settings: which rows count and where they stand, what is known of a query, and how values become one.

Settings of the judging are held to a naive reading of them, or to inputs that were changed beforehand; settings of the
averaging to sums that are written out.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import count, groupby, permutations, product
from pathlib import Path
from statistics import fmean
from typing import Any, Final, get_args

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import CHOICES, NUMBERS, Grades, Scores, as_options, collections
from judge import judge
from rankworth import settings as judging
from rankworth.errors import RefusedError
from rankworth.groups import Groups, Weights
from rankworth.io.duplicates import COUNTED, TOP
from rankworth.model import Qrels, Run
from rankworth.profiles import PROFILES, STANDARD
from rankworth.scoring import inputs
from rankworth.settings import Averaging, DuplicateJudgements, Duplicates, Judging

Row = tuple[str, str, int, float]
"""Query, document, rank and score."""
Pairs = dict[str, list[tuple[str, float]]]


@pytest.fixture(autouse=True, scope="module")
def _any_range() -> Iterator[None]:
    """Let values lie beyond the range of their measure, as of documents that count more than once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankworth.results.values.refuse_beyond_range", lambda *_: None)
        yield


MEASURES: Final = (
    *("nDCG@2", "AP", "RR", "P@2", "R@3", "Bpref", "Rprec", "RBP", "Judged@3", "ERR(max_grade=5)@3"),
    *("nDCG(ideal=retrieved)@3", "infAP", "gmean(AP)", "NumRel", "NumRelRet", "NumRet"),
)
ORDERINGS: Final = (*(("score", ties) for ties in get_args(judging.Ties)), ("rank", "given"), ("given", "given"))
few = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

rows_of_a_run = st.lists(
    st.tuples(
        st.sampled_from(("q1", "q10", "ü")),
        st.sampled_from(("d1", "d10", "é", "𝒳", "7")),
        st.integers(1, 7),
        st.sampled_from((-1.0, 0.0, 0.1, 0.1 + 1e-16, 0.1 + 1e-10, 2.0)),
    ),
    min_size=1,
    max_size=12,
)
ENGINE = duckdb.connect()
JUDGED: Final[Grades] = {"q1": {"d1": 1, "é": 2, "7": 0, "elsewhere": 1}, "q10": {"𝒳": 1, "d10": 1, "7": 3, "d1": 0}}


def values(qrels: object, run: object, measures: Any = MEASURES, **said: Any) -> rw.Values:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, **as_options(said))


def same(one: rw.Values, other: rw.Values, near: float = 0.0) -> bool:
    """The same queries with the same values, bit for bit unless it is said how near they are."""
    assert one.per_query.queries == other.per_query.queries
    pairs = ((one.per_query.array, other.per_query.array), (list(one.mean().values()), list(other.mean().values())))
    for ours, theirs in pairs:
        if near:
            assert np.allclose(ours, theirs, rtol=0, atol=near, equal_nan=True)
        else:
            assert np.array_equal(ours, theirs, equal_nan=True)
    return True


def refused(qrels: object, run: object, measures: Any = "RR", **said: Any) -> RefusedError:
    """The refusal."""
    with pytest.raises(RefusedError) as caught:
        values(qrels, run, measures, **said)
    assert caught.value.slug == "refused-input"
    return caught.value


def anything(qrels: object, run: object, **said: Any) -> rw.Values | RefusedError:
    """What comes out, or the refusal."""
    try:
        return values(qrels, run, **said)
    except RefusedError as error:
        return error


# Orderings: a naive reading of them


def counted(rows: list[Row], policy: str) -> list[Row]:
    """The rows of one query that stay."""
    if policy in COUNTED:
        return rows
    place: dict[str, int] = {}
    for number, row in enumerate(rows):
        other = place.get(row[1])
        if other is None or policy == "last" or (policy == "best" and row[3] > rows[other][3]):
            place[row[1]] = number
    kept = [rows[number] for number in sorted(place.values())]
    if policy not in TOP:
        return kept
    scores = {row[1]: sorted((other[3] for other in rows if other[1] == row[1]), reverse=True) for row in kept}
    made = {
        document: sum(each) if policy == "sum" else sum(each[:3]) / len(each[:3]) for document, each in scores.items()
    }
    return [(*row[:3], made[row[1]]) for row in kept]


def compared(row: Row, score_type: str) -> float:
    """The score as it is compared."""
    return float(np.float32(row[3])) if score_type == "float32" else row[3]


def orders(rows: list[Row], judged: dict[str, float], how: Judging) -> Iterator[list[tuple[str, int]]]:
    """The rankings of one query, each document with its rank; several where ties are expected."""
    if how.order == "rank":
        yield sorted(((row[1], row[2]) for row in rows), key=lambda one: one[1])
        return
    if how.order == "given":
        yield [(row[1], rank) for rank, row in enumerate(rows, 1)]
        return
    backwards = how.ties == "given-reversed"
    rows = sorted(rows[::-1] if backwards else rows, key=lambda row: -compared(row, how.score_type))
    groups = [list(group) for _, group in groupby(rows, key=lambda row: compared(row, how.score_type))]
    if how.ties == "expected":
        for chosen in product(*map(permutations, groups)):
            yield [(row[1], rank) for rank, row in enumerate((row for group in chosen for row in group), 1)]
        return
    ranked: list[tuple[str, int]] = []
    for group in groups:
        if how.ties not in ("given", "given-reversed"):
            group.sort(key=lambda row: row[1].encode(), reverse=how.ties != "id-ascending")
        if how.ties in judging.BY_GRADE:
            group.sort(key=lambda row: judged.get(row[1], 0.0), reverse=how.ties == "best")
        last = len(ranked) + len(group)
        ranked += [(row[1], last if how.ties == "last" else rank) for rank, row in enumerate(group, len(ranked) + 1)]
    yield ranked


def measured(ranked: list[tuple[str, int]], judged: dict[str, float], how: Judging) -> dict[str, float]:
    """A few measures, counted one document after the other."""
    found: list[tuple[int, float]] = []
    relevant = sum(grade > 0 for grade in judged.values())
    before: set[str] = set()
    for document, rank in ranked:
        grade = judged.get(document, 0.0)
        again = document in before
        before.add(document)
        if again and how.duplicates == "once":
            continue
        relevant += again and how.duplicates == "joined" and grade > 0
        if grade > 0:
            found.append((rank, grade))
    hits = [rank for rank, _ in found]
    return {
        "DCG@3": sum(grade / math.log2(rank + 1) for rank, grade in found if rank <= 3),
        "P@2": sum(rank <= 2 for rank in hits) / 2,
        "RR": 1 / min(hits) if hits else 0.0,
        "AP": sum(sum(other <= rank for other in hits) / rank for rank in hits) / relevant if relevant else 0.0,
        "NumRelRet": float(len(hits)),
        "NumRet": float(len(ranked)),
    }


def reference(rows: list[Row], judged: Grades, how: Judging) -> dict[str, dict[str, float]]:
    """The same for all judged queries, averaged over the orders of ties."""
    found = {}
    for query, grades in judged.items():
        mine = counted([row for row in rows if row[0] == query], how.duplicates)
        several = [measured(ranked, grades, how) for ranked in orders(mine, grades, how)]
        found[query] = {name: fmean(one[name] for one in several) for name in several[0]}
    return found


def frame(rows: list[Row], *, ranks: bool = False) -> pl.DataFrame:
    """Rows as a frame."""
    schema = {"query": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return made if ranks else made.drop("rank")


def together(rows: list[Row]) -> list[Row]:
    """The same rows, those of each query together, in the order in which queries come."""
    queries = list(dict.fromkeys(row[0] for row in rows))
    return sorted(rows, key=lambda row: queries.index(row[0]))


def as_dict(rows: list[Row]) -> Scores:
    """The same rows as a dict; for rows without repeated documents."""
    return {query: {row[1]: row[3] for row in rows if row[0] == query} for query in dict.fromkeys(r[0] for r in rows)}


def as_pairs(rows: list[Row]) -> Pairs:
    """The same rows as lists of pairs, in which documents may be repeated."""
    return {query: [(row[1], row[3]) for row in rows if row[0] == query] for query in dict.fromkeys(r[0] for r in rows)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[Row]], Path]:
    """Write rows into a file of its own, as TREC has them."""
    place, number = tmp_path_factory.mktemp("runs"), count()

    def write(rows: list[Row]) -> Path:
        path = place / f"{next(number)}.run"
        lines = [f"{query} Q0 {document} {rank} {score!r} tag\n" for query, document, rank, score in rows]
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return write


Write = Callable[[list[Row]], Path]


@pytest.mark.parametrize(
    ("order", "ties", "duplicates"),
    [
        (*ordering, duplicates)
        for ordering in ORDERINGS
        for duplicates in get_args(Duplicates)
        if duplicates not in TOP or ordering[0] == "score"  # else there are no scores to add
    ],
)
@few
@given(rows=rows_of_a_run, score_type=st.sampled_from(get_args(judging.ScoreType)), repeats=st.booleans())
def test_every_ordering_is_what_it_says_through_every_door(
    folder: Write, order: Any, ties: Any, duplicates: Any, rows: list[Row], score_type: Any, *, repeats: bool
) -> None:
    if duplicates == "error" or not repeats:
        rows = list({row[:2]: row for row in rows}.values())
    assume({row[0] for row in rows} & set(JUDGED))
    if order == "rank" and duplicates == "best":
        rows = [(query, document, rank, -float(rank)) for query, document, rank, _ in rows]
    said = {"order": order, "ties": ties, "duplicates": duplicates, "score_type": score_type}
    how = Judging(**said)
    expected = reference(rows, JUDGED, how)
    names = list(next(iter(expected.values())))
    distinct = all(len(group) == len({row[2] for row in group}) for group in by_query(rows))
    if order == "rank" and not distinct:
        names.remove("AP")  # what stands at one rank is counted one after the other
    if ties == "expected" and duplicates == "once":
        names = ["NumRelRet", "NumRet"]  # which of the tied copies counts is settled before their order is
    doors: list[object] = [frame(rows, ranks=order == "rank"), folder(rows), folder(together(rows))]
    doors.append(frame(together(rows), ranks=order == "rank"))
    if order != "rank":
        doors.append(as_pairs(rows))
        if len({row[:2] for row in rows}) == len(rows):
            doors.append(as_dict(rows))
    found = [values(JUDGED, door, names, **said) for door in doors]
    for other in found[1:]:
        assert same(found[0], other)
    for query, by_measure in found[0].per_query.to_dict().items():
        assert by_measure == pytest.approx({name: expected[query][name] for name in names}, abs=1e-12), query


def by_query(rows: list[Row]) -> list[list[Row]]:
    """The rows of each query."""
    return [[row for row in rows if row[0] == query] for query in dict.fromkeys(row[0] for row in rows)]


@some
@given(
    rows=rows_of_a_run,
    score_type=st.sampled_from(get_args(judging.ScoreType)),
    ties=st.sampled_from(("id-descending", "id-ascending", "expected", "last")),
    duplicates=st.sampled_from(("error", "best")),
    layout=st.sampled_from(("compact", "full")),
)
def test_relations_are_ordered_as_frames_are(
    rows: list[Row], score_type: Any, ties: Any, duplicates: Any, layout: Any
) -> None:
    if duplicates == "error":
        rows = list({row[:2]: row for row in rows}.values())
    assume({row[0] for row in rows} & set(JUDGED))
    how = Judging(ties=ties, score_type=score_type, duplicates=duplicates)
    qrels = Qrels(JUDGED)
    ours = judge(qrels, Run(frame(rows)), layout=layout, settings=how).hits
    theirs = judge(qrels, inputs.run(ENGINE.from_arrow(frame(rows).to_arrow())), layout=layout, settings=how).hits
    for name, array in vars(ours).items():
        known = getattr(theirs, name)
        assert np.array_equal(array, known) or (name == "score" and known is None), name  # engines keep their scores


@pytest.mark.parametrize(
    "said",
    [{"order": "rank"}, {"order": "given"}, {"ties": "given"}, {"ties": "given-reversed"}]
    + [{"duplicates": policy} for policy in ("first", "last")],
)
def test_relations_have_no_order_of_rows_and_say_so(said: Any) -> None:
    run = ENGINE.from_arrow(frame([("q1", "d1", 1, 1.0)]).select("query", "document", "score").to_arrow())
    with pytest.raises(rw.RankworthError, match=r"nothing says the order of (rows|queries)") as caught:
        rw.evaluate(JUDGED, run, "RR", **said)
    assert caught.value.slug == "unfollowed-setting"


@few
@given(rows=rows_of_a_run)
def test_repeated_documents_are_refused_through_every_door(folder: Write, rows: list[Row]) -> None:
    assume({row[0] for row in rows} & set(JUDGED))
    rows = list({row[:2]: row for row in rows}.values())
    rows.append(rows[0])
    for door in (frame(rows), frame(together(rows)), folder(rows), as_pairs(rows)):
        with pytest.raises(rw.RankworthError) as caught:
            values(JUDGED, door, "RR")
        assert caught.value.slug == "duplicate-document"
        assert f"query {rows[0][0]} ranks document {rows[0][1]} again" in str(caught.value)


def test_ranks_of_dicts_are_made_of_scores_and_ties_stand_as_they_came() -> None:
    run = {"q": {"a": 1.0, "b": 2.0, "c": 1.0}}  # b a c
    assert values({"q": {"c": 1}}, run, "RR", order="rank")["RR"] == 1 / 3
    assert values({"q": {"a": 1}}, run, "RR", order="rank")["RR"] == 1 / 2


def test_the_row_with_the_best_score_counts_whatever_decides_the_order(folder: Write) -> None:
    rows = [("q", "a", 1, 1.0), ("q", "b", 2, 2.0), ("q", "a", 3, 9.0)]
    for door in (folder(rows), frame(rows, ranks=True)):
        assert values({"q": {"a": 1}}, door, "RR", order="rank", duplicates="best")["RR"] == 1 / 3


@some
@given(rows=rows_of_a_run, depth=st.integers(1, 4), ties=st.sampled_from(("id-descending", "id-ascending", "given")))
def test_depth_is_a_run_that_was_cut(rows: list[Row], depth: int, ties: Any) -> None:
    rows = list({row[:2]: row for row in rows}.values())
    assume({row[0] for row in rows} & set(JUDGED))
    cut: dict[str, dict[str, float]] = {}
    for mine in by_query(rows):
        [ranked] = orders(mine, {}, Judging(ties=ties))
        cut[mine[0][0]] = {document: -float(rank) for document, rank in ranked[:depth]}
    assert same(values(JUDGED, frame(rows), depth=depth, ties=ties), values(JUDGED, cut))


# Grades and pools: the same numbers from inputs that were changed beforehand


def mapped(qrels: Grades, change: Callable[[float], float]) -> Grades:
    """Judgements with other grades."""
    return {query: {one: change(grade) for one, grade in part.items()} for query, part in qrels.items()}


def kept(qrels: Grades, keep: Callable[[str, str, float], bool], *, empty: bool = False) -> Grades:
    """Some of the judgements; queries without one are gone, unless they may be empty."""
    some_of = {
        query: {one: grade for one, grade in part.items() if keep(query, one, grade)} for query, part in qrels.items()
    }
    assume(any(some_of.values()))
    return some_of if empty else {query: part for query, part in some_of.items() if part}


@some
@given(collection=collections())
def test_truncated_grades_are_grades_without_their_fraction(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    whole = mapped(qrels, lambda grade: float(math.trunc(grade)))
    assert same(values(qrels, run, grades="truncated"), values(whole, run))


@some
@given(collection=collections())
def test_negative_grades_of_zero_are_grades_from_zero(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    assert same(values(qrels, run, negative="zero"), values(mapped(qrels, lambda grade: max(grade, 0.0)), run))


@some
@given(collection=collections())
def test_clipped_grades_are_the_highest_at_most(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    expected = values(mapped(qrels, lambda grade: min(grade, 1.0)), run)
    assert same(values(qrels, run, highest=1.0, above="clipped"), expected)


@some
@given(collection=collections())
def test_dropped_negative_grades_are_judgements_that_are_not_there(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    others = kept(qrels, lambda _query, _document, grade: grade >= 0)
    assume(set(others) & set(run))
    assert same(values(qrels, run, negative="dropped"), values(others, run))


@some
@given(collection=collections())
def test_relevant_judgements_are_those_above_zero(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    others = kept(qrels, lambda _query, _document, grade: grade > 0)
    assume(set(others) & set(run))
    assert same(values(qrels, run, judgements="relevant"), values(others, run))


@some
@given(collection=collections())
def test_a_query_whose_judgements_are_gone_is_one_that_nobody_judged(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    others = kept(qrels, lambda _query, _document, grade: grade > 0)
    assume(set(others) & set(run))
    ours, theirs = values(qrels, run, judgements="relevant", extra="zero"), values(others, run, extra="zero")
    assert same(ours, theirs, 1e-15)


@some
@given(collection=collections())
def test_a_pool_of_retrieved_documents_knows_no_other(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    others = kept(qrels, lambda query, document, _grade: document in run.get(query, ()), empty=True)
    assert same(values(qrels, run, pool="retrieved"), values(others, run))


def test_a_pool_of_retrieved_documents_leaves_judged_queries_judged() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    for said in ({}, {"judgements": "relevant"}, {"negative": "dropped"}):
        assert values(qrels, run, "RR", pool="retrieved", **said).per_query.to_dict() == {
            "q1": {"RR": 1.0},
            "q2": {"RR": 0.0},
        }


@some
@given(collection=collections())
def test_judged_documents_that_were_not_retrieved_stand_last_and_tied(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    longer = {
        query: run.get(query, {}) | {one: -99.0 for one in qrels.get(query, {}) if one not in run.get(query, {})}
        for query in {**run, **qrels}
    }
    measures = ("DCG", "nDCG@3", "AP", "RR", "P@2", "R@3", "RBP", "Success@2", "NumRel", "NumRelRet", "NumRet")
    for ties in ("expected", "last"):
        appended = values(qrels, run, measures, unretrieved="last", ties=ties)
        assert same(appended, values(qrels, longer, measures, ties=ties), 1e-12)


@pytest.mark.parametrize("duplicates", COUNTED)
def test_copies_of_a_document_do_not_stand_for_others_that_were_not_retrieved(duplicates: Any) -> None:
    run = {"q": [("a", 2.0), ("a", 1.0)]}
    found = values({"q": {"a": 1, "b": 1}}, run, ["NumRet"], duplicates=duplicates, ties="expected", unretrieved="last")
    assert found["NumRet"] == 3


def test_a_document_whose_score_does_not_count_was_retrieved_all_the_same() -> None:
    run = {"q": {"a": -1.0, "c": 1.0}}  # c, a, b
    found = values({"q": {"a": 1, "b": 1}}, run, ["NumRet"], scored="positive", ties="expected", unretrieved="last")
    assert found["NumRet"] == 3


@some
@given(collection=collections())
def test_scores_that_are_not_positive_make_documents_that_are_not_relevant(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    unknown = {
        query: {one if score > 0 else f"{one}, which nobody judged": score for one, score in part.items()}
        for query, part in run.items()
    }
    assert same(values(qrels, run, scored="positive"), values(qrels, unknown))
    pooled = kept(qrels, lambda query, document, _grade: document in run.get(query, ()), empty=True)
    assert same(values(qrels, run, scored="positive", pool="retrieved"), values(pooled, unknown))


def test_ranks_that_decide_do_not_hide_scores(folder: Write) -> None:
    rows = [("q", "b", 1, 3.0), ("q", "a", 2, 1.0), ("q", "c", 3, -1.0)]
    for door in (folder(rows), frame(rows, ranks=True)):
        found = values({"q": {"a": 1, "c": 1}}, door, ["RR", "NumRelRet"], order="rank", scored="positive")
        assert found.mean() == {"RR": 1 / 2, "NumRelRet": 1.0}


@some
@given(collection=collections())
def test_what_is_refused_is_there_and_changes_nothing_where_it_is_not(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    graded = [(query, one, grade) for query, part in qrels.items() for one, grade in part.items()]
    cases = (
        ({"grades": "whole"}, any(grade % 1 for _, _, grade in graded)),
        ({"negative": "error"}, any(grade < 0 for _, _, grade in graded)),
        ({"negative": "error-retrieved"}, any(grade < 0 and one in run.get(query, ()) for query, one, grade in graded)),
        ({"highest": 2.0}, any(grade > 2 for _, _, grade in graded)),
    )
    for said, bad in cases:
        found = anything(qrels, run, **said)
        assert isinstance(found, RefusedError) == bad, said
        if isinstance(found, rw.Values):
            assert same(found, values(qrels, run))
        else:
            assert [found.setting] == list(said)


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ({"grades": "whole"}, 0.5),
        ({"negative": "error"}, -1),
        ({"negative": "error-retrieved"}, -1),
        ({"highest": 3}, 4),
        ({"highest": 3, "above": "error"}, 4),
    ],
)
def test_grades_that_are_refused_are_named_with_their_query(said: Any, grade: float) -> None:
    error = refused({"fine": {"a": 1}, "wrong": {"b": grade}}, {"fine": {"a": 1.0}, "wrong": {"b": 1.0}}, **said)
    assert f"{grade:g}" in error.refused
    assert "wrong" in error.refused
    assert "fine" not in error.refused


# Judgements that appear twice


repeated_judgements = st.lists(
    st.tuples(st.sampled_from(("q1", "q2")), st.sampled_from(("a", "b", "c", "d")), st.sampled_from((0.0, 1.0, 2.0))),
    min_size=1,
    max_size=12,
)
rankings = st.fixed_dictionaries({"q1": st.permutations("abcde"), "q2": st.permutations("abcx")})


def judgements(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    """Rows of judgements as a frame."""
    return pl.DataFrame(rows, schema={"query": pl.String, "document": pl.String, "grade": pl.Float64}, orient="row")


def numbered(rows: list[tuple[str, str, float]]) -> list[tuple[str, str, float, int]]:
    """The rows of each document, counted from 0."""
    before = [[other[:2] for other in rows[:place]] for place in range(len(rows))]
    return [(*row, earlier.count(row[:2])) for row, earlier in zip(rows, before, strict=True)]


def several(rows: list[tuple[str, str, float]], ranked: dict[str, list[str]], *, spread: bool) -> list[Row]:
    """A run in which each judgement of a document is a document."""
    made = []
    for query, documents in ranked.items():
        rank = 0
        for document in documents:
            copies = [number for one, other, _, number in numbered(rows) if (one, other) == (query, document)]
            for number in copies or [0]:
                rank += spread or number == 0
                made.append((query, f"{document}{number}", rank, 0.0))
    return made


@some
@given(rows=repeated_judgements, ranked=rankings, policy=st.sampled_from(get_args(DuplicateJudgements)))
def test_judgements_that_are_there_twice_count_as_it_is_said(
    rows: list[tuple[str, str, float]], ranked: dict[str, list[str]], policy: str
) -> None:
    pairs = [row[:2] for row in rows]
    apart = judgements([(query, f"{one}{number}", grade) for query, one, grade, number in numbered(rows)])
    run: object = ranked
    if policy in ("all", "wanted", "spread"):
        measures = tuple(name for name in MEASURES if name not in ("Judged@3", "NumRet"))
        if policy == "wanted":
            first = {query: [f"{one}0" for one in documents] for query, documents in ranked.items()}
            expected = values(apart, first, measures)
        else:
            made = several(rows, ranked, spread=policy == "spread")
            expected = values(apart, frame(made, ranks=True), measures, order="rank")
    elif policy == "error":
        if len(set(pairs)) < len(pairs):
            with pytest.raises(rw.RankworthError) as caught:
                values(judgements(rows), ranked)
            assert caught.value.slug == "duplicate-judgement"
            return
        measures, expected = MEASURES, values(judgements(rows), ranked)
    else:
        chosen = {"max": max, "first": lambda found: found[0], "last": lambda found: found[-1]}[policy]
        once = [(*pair, chosen([row[2] for row in rows if row[:2] == pair])) for pair in dict.fromkeys(pairs)]
        measures, expected = MEASURES, values(judgements(once), ranked)
    assert same(values(judgements(rows), run, measures, duplicate_judgements=policy), expected)


@pytest.mark.parametrize(
    ("policy", "precision", "gain"),
    [
        ("max", 1 / 2, 2 / 2),  # a has the grade 2, at rank 1
        ("first", 1 / 2, 1 / 2),
        ("last", 0 / 2, 0 / 2),
        ("all", 2 / 2, (1 + 2 + 0) / 2),  # both grades above 0 at rank 1
        ("wanted", 1 / 2, 1 / 2),
        ("spread", 2 / 2, (1 + 2 * math.log(2) / math.log(3)) / 2),  # at ranks 1, 2 and 3
    ],
)
def test_what_a_document_that_is_judged_three_times_is_worth(policy: str, precision: float, gain: float) -> None:
    twice = judgements([("q", "a", 1.0), ("q", "a", 2.0), ("q", "a", 0.0)])
    found = values(twice, {"q": ["a", "b"]}, ["P@2", "DCG@2"], duplicate_judgements=policy)
    assert found["P@2"] == precision
    assert found["DCG@2"] == pytest.approx(2 * gain, abs=1e-12)


def test_documents_that_share_a_rank_are_all_within_the_cutoff() -> None:
    run = frame([("q", "a", 1, 0.0), ("q", "b", 1, 0.0), ("q", "c", 1, 0.0), ("q", "d", 3, 0.0)], ranks=True)
    found = values({"q": {"a": 0, "b": 1, "c": 1, "d": 1}}, run, ["P@2", "R@2", "DCG@1", "RR@1"], order="rank")
    assert found.mean() == {"P@2": 2 / 2, "R@2": 2 / 3, "DCG@1": 1.0 + 1.0, "RR@1": 1.0}


# Blocks and exclusions


@some
@given(rows=rows_of_a_run, ties=st.sampled_from(("id-descending", "given")))
def test_blocks_that_stand_apart_are_queries_of_their_own(folder: Write, rows: list[Row], ties: Any) -> None:
    assume({row[0] for row in rows} & set(JUDGED))
    renamed: list[Row] = []
    graded: Grades = dict(JUDGED)
    seen: dict[str, int] = {}
    for query, block in groupby(rows, key=lambda row: row[0]):
        number = seen[query] = seen.get(query, 0) + 1
        name = query if number == 1 else f"{query} ({number})"
        if query in JUDGED:
            graded[name] = JUDGED[query]
        renamed += [(name, *row[1:]) for row in block]
    said: dict[str, Any] = {"ties": ties, "duplicates": "all"}
    expected = values(graded, frame(renamed), **said)
    for door in (frame(rows), folder(rows)):
        assert same(values(JUDGED, door, blocks="separate", **said), expected)


def test_blocks_that_stand_apart_keep_ranks_copies_and_exclusions(folder: Write) -> None:
    ranked = folder([("q", "a", 2, 9.0), ("q", "b", 1, 1.0), ("p", "a", 1, 1.0), ("q", "c", 1, 1.0)])
    assert values({"q": {"b": 1}}, ranked, "RR", order="rank", blocks="separate").per_query.to_dict() == {
        "q": {"RR": 1.0},
        "q (2)": {"RR": 0.0},
    }


@pytest.mark.parametrize(
    "said", [{"exclude": "self"}, {"duplicate_judgements": "all"}, {"duplicate_judgements": "wanted"}]
)
def test_blocks_that_stand_apart_are_not_told_with_what_cannot_be_told_of_them(said: Any) -> None:
    apart = frame([("q", "a", 1, 1.0), ("p", "a", 1, 1.0), ("q", "q", 1, 1.0)])
    twice = judgements([("q", "a", 1.0), ("q", "a", 2.0), ("p", "a", 1.0)])
    said = {"duplicate_judgements": "max"} | said
    with pytest.raises(rw.RankworthError) as caught:
        values(twice, apart, "NumRel", blocks="separate", **said)
    assert caught.value.slug == "conflicting-options"


@some
@given(rows=rows_of_a_run)
def test_blocks_of_judged_queries_stand_apart_once_the_others_are_gone(rows: list[Row]) -> None:
    kept_rows = [row for row in rows if row[0] in JUDGED]
    assume(kept_rows)
    for number, row in enumerate(kept_rows):  # scores that fall, so that blocks may be joined
        kept_rows[number] = (*row[:3], -float(number))
    every = iter(kept_rows)
    whole = [next(every) if row[0] in JUDGED else row for row in rows]
    said: dict[str, Any] = {"duplicates": "all"}
    apart = values(JUDGED, frame(kept_rows), blocks="separate", **said)
    assert same(values(JUDGED, frame(whole), blocks="judged", **said), apart)


@pytest.mark.parametrize(("ties", "value"), [("id-descending", 1.0), ("id-ascending", 1 / 2), ("given", 1 / 2)])
@pytest.mark.parametrize("blocks", ["separate", "judged"])
def test_ties_within_a_block_are_broken_as_ever(blocks: Any, ties: Any, value: float) -> None:
    run = frame([("q", "a", 1, 1.0), ("q", "b", 2, 1.0), ("p", "a", 1, 1.0), ("q", "c", 3, 1.0)])
    found = values({"q": {"b": 1}, "p": {"a": 1}}, run, "RR", blocks=blocks, ties=ties)
    assert found.per_query.to_dict() == {"p": {"RR": 1.0}, "q": {"RR": value}, "q (2)": {"RR": 0.0}}
    positive = values({"q": {"b": 1}, "p": {"a": 1}}, run, "NumRelRet", blocks=blocks, ties=ties, scored="positive")
    assert positive["NumRelRet"] == 2


@some
@given(collection=collections(), shift=st.integers(0, 3))
def test_queries_are_paired_by_their_places_where_both_have_the_same(
    collection: tuple[Grades, Scores], shift: int
) -> None:
    qrels = {query: part for query, part in collection[0].items() if query in collection[1]}
    theirs = [*list(qrels)[shift % len(qrels) :], *list(qrels)[: shift % len(qrels)]]
    run = {query: collection[1][query] for query in theirs}
    called = dict(zip(qrels, run.values(), strict=True))
    for door in (run, Run(run).to_frame()):
        assert same(values(qrels, door, pairing="position"), values(qrels, called))
    more = run | {"a query of its own": {"d1": 1.0}}
    assert same(values(qrels, more, pairing="position"), values(qrels, run))


@some
@given(collection=collections(), out=st.sets(st.sampled_from(("d1", "é", "0", "~")), min_size=1))
def test_documents_taken_out_of_the_run_alone_are_missed(collection: tuple[Grades, Scores], out: set[str]) -> None:
    qrels, run = collection
    others = {query: {one: score for one, score in part.items() if one not in out} for query, part in run.items()}
    assume(any(others[query] for query in qrels if query in others))
    pairs = {query: sorted(out) for query in {**qrels, **run}}
    ours = values(qrels, run, exclude=pairs, exclude_from="run", empty="zero")
    assert same(ours, values(qrels, others, empty="zero"))


def test_documents_taken_out_of_both_are_not_missed() -> None:
    qrels, run = {"q": {"q": 1, "a": 1}}, {"q": {"q": 2.0, "a": 1.0}}
    assert values(qrels, run, "AP", exclude="self", exclude_from="both")["AP"] == 1 / 1
    assert values(qrels, run, "AP", exclude="self", exclude_from="run")["AP"] == 1 / 2


# Settings of the averaging: worked by hand

QRELS: Final[Grades] = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}, "q4": {"a": 0}}
RUN: Final[Scores] = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0}, "q4": {"a": 1.0, "b": 0.5}, "x": {"a": 1.0}}
"""q3 is missing, q4 has nothing relevant, nobody judged x"""
EMPTY: Final[Scores] = RUN | {"q3": {}}
"""q3 is there, with an empty list"""
SIGNED: Final[Grades] = {"q1": {"a": 1, "b": -1}, "q2": {"a": -1}, "q3": {"a": 1}, "q4": {"a": 0}}
"""the grades of q1 and q4 add up to 0, those of q2 are all negative"""
LN: Final = math.log
NAN: Final = math.nan
Worked = tuple[Grades, Scores, str, dict[str, Any], dict[str, float], float]
"""Judgements, run, measure, settings, the values of queries, and the mean."""

ZERO: Final = {"q1": 1 / 2, "q2": 1.0, "q3": 0.0, "q4": 0.0}
"""RR by the standard"""
TRAFFIC: Final = Weights.of({"q1": 3, "q2": 1, "q3": 5, "q4": 2, "x": 4})
LANGUAGE: Final = Groups.of({"q1": "ar", "q2": "en", "q3": "ar", "q4": "en", "x": "fr"})
RECALL: Final = {"q1": 1.0, "q2": 1 / 2, "q3": 0.0}
"""R by the standard, where it is defined"""


def without(row: dict[str, float], *queries: str) -> dict[str, float]:
    return {query: value for query, value in row.items() if query not in queries}


WORKED: Final[list[Worked]] = [
    (QRELS, RUN, "RR", {}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    # a judged query that the run does not have
    (QRELS, RUN, "RR", {"missing": "zero"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "NumRel", {"missing": "zero"}, {"q1": 1, "q2": 2, "q3": 1, "q4": 0}, 1 + 2 + 1 + 0),
    (QRELS, RUN, "RR", {"missing": "nought"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "NumRel", {"missing": "nought"}, {"q1": 1, "q2": 2, "q3": 0, "q4": 0}, 1 + 2 + 0 + 0),
    (QRELS, RUN, "R", {"missing": "nought", "undefined": 1.0}, RECALL | {"q4": 1.0}, (1 + 1 / 2 + 0 + 1) / 4),
    (QRELS, RUN, "RR", {"missing": "nan"}, ZERO | {"q3": NAN}, NAN),
    (QRELS, RUN, "RR", {"missing": "nan", "nan": "skip"}, ZERO | {"q3": NAN}, (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "RR", {"missing": "nan", "nan": "zero"}, ZERO | {"q3": NAN}, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"missing": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "NumRel", {"missing": "skip"}, {"q1": 1, "q2": 2, "q4": 0}, 1 + 2 + 0),
    (QRELS, RUN, "RR", {"missing": "absent"}, without(ZERO, "q3"), (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "NumRel", {"missing": "absent"}, {"q1": 1, "q2": 2, "q4": 0}, 1 + 2 + 0 + 1),
    (
        *(QRELS, RUN, "gmean(RR)", {"missing": "absent"}, without(ZERO, "q3")),
        math.exp((LN(1 / 2) + LN(1) + LN(0.00001) + LN(0.00001)) / 4),
    ),
    # an empty list
    (QRELS, EMPTY, "RR", {"empty": "missing"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, EMPTY, "RR", {"empty": "missing", "missing": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 3),
    (QRELS, EMPTY, "RR", {"empty": "missing", "missing": "absent"}, without(ZERO, "q3"), (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, EMPTY, "RR", {"empty": "missing", "missing": "nan"}, ZERO | {"q3": NAN}, NAN),
    (QRELS, EMPTY, "NumRel", {"empty": "missing", "missing": "nought"}, {"q1": 1, "q2": 2, "q3": 0, "q4": 0}, 3),
    (QRELS, EMPTY, "RR", {"empty": "zero", "missing": "skip"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, EMPTY, "RR", {"empty": "nan", "missing": "skip"}, ZERO | {"q3": NAN}, NAN),
    (QRELS, EMPTY, "RR", {"empty": "skip", "missing": "zero"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 3),
    # a query that nobody judged
    (QRELS, RUN, "RR", {"extra": "ignore"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"extra": "zero"}, ZERO | {"x": 0.0}, (1 / 2 + 1 + 0 + 0 + 0) / 5),
    (QRELS, RUN, "NumRet", {"extra": "zero"}, {"q1": 2, "q2": 1, "q3": 0, "q4": 2, "x": 1}, 2 + 1 + 0 + 2 + 1),
    (QRELS, RUN, "Judged@1", {"extra": "zero", "missing": "skip"}, {"q1": 1, "q2": 1, "q4": 1, "x": 0}, 3 / 4),
    (QRELS, RUN | {"y": {}}, "RR", {"extra": "zero"}, ZERO | {"x": 0.0, "y": 0.0}, (1 / 2 + 1) / 6),
    # nothing relevant
    (QRELS, RUN, "RR", {"no_relevant": "keep"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"no_relevant": "skip"}, without(ZERO, "q4"), (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "RR", {"no_relevant": "silence"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"no_relevant": "skip", "missing": "absent"}, {"q1": 1 / 2, "q2": 1.0}, (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "RR", {"no_relevant": 1}, ZERO | {"q4": 1.0}, (1 / 2 + 1 + 0 + 1) / 4),
    (QRELS, RUN, "RR", {"no_relevant": 1, "extra": "zero"}, ZERO | {"q4": 1.0, "x": 1.0}, (1 / 2 + 1 + 0 + 1 + 1) / 5),
    (QRELS, RUN, "RR", {"no_relevant": "nan"}, ZERO | {"q4": NAN}, NAN),
    (QRELS, RUN, "RR", {"no_relevant": NAN, "nan": "skip"}, ZERO | {"q4": NAN}, (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "NumRet", {"no_relevant": 7}, {"q1": 2, "q2": 1, "q3": 0, "q4": 2}, 2 + 1 + 0 + 2),
    (SIGNED, RUN, "RR", {"no_relevant": "skip"}, {"q1": 1 / 2, "q3": 0.0}, (1 / 2 + 0) / 2),
    (SIGNED, RUN, "RR", {"no_relevant": "skip", "relevant_by": "grade"}, {"q1": 1 / 2, "q3": 0.0}, (1 / 2 + 0) / 2),
    (SIGNED, RUN, "RR", {"no_relevant": "skip", "relevant_by": "sum"}, {"q2": 0.0, "q3": 0.0}, (0 + 0) / 2),
    # nothing relevant and nothing retrieved
    (QRELS, RUN, "RR", {"neither": 1}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, {"q1": RUN["q1"]}, "RR", {"neither": "keep"}, ZERO | {"q2": 0.0}, (1 / 2 + 0 + 0 + 0) / 4),
    (QRELS, {"q1": RUN["q1"]}, "RR", {"neither": 1}, ZERO | {"q2": 0.0, "q4": 1.0}, (1 / 2 + 0 + 0 + 1) / 4),
    (QRELS, {"q1": RUN["q1"]}, "RR", {"neither": "nan"}, ZERO | {"q2": 0.0, "q4": NAN}, NAN),
    # negative grades only
    (SIGNED, RUN, "RR", {"all_negative": "keep"}, ZERO | {"q2": 0.0}, (1 / 2 + 0 + 0 + 0) / 4),
    (SIGNED, RUN, "RR", {"all_negative": "previous"}, ZERO | {"q2": 1 / 2}, (1 / 2 + 1 / 2 + 0 + 0) / 4),
    (
        *({"q1": {"a": -1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "RR", {"all_negative": "previous"}),
        *({"q1": 0.0, "q2": 1.0}, (0 + 1) / 2),
    ),
    # no divisor
    (QRELS, RUN, "R", {}, RECALL | {"q4": 0.0}, (1 + 1 / 2 + 0 + 0) / 4),
    (QRELS, RUN, "R", {"undefined": 0.25}, RECALL | {"q4": 0.25}, (1 + 1 / 2 + 0 + 0.25) / 4),
    (QRELS, RUN, "R", {"undefined": "skip"}, RECALL, (1 + 1 / 2 + 0) / 3),
    (QRELS, RUN, "R", {"undefined": "nan"}, RECALL | {"q4": NAN}, NAN),
    (QRELS, RUN, "R", {"undefined": NAN, "nan": "propagate"}, RECALL | {"q4": NAN}, NAN),
    (QRELS, RUN, "R", {"undefined": "nan", "nan": "skip"}, RECALL | {"q4": NAN}, (1 + 1 / 2 + 0) / 3),
    (QRELS, RUN, "R", {"undefined": "nan", "nan": "zero"}, RECALL | {"q4": NAN}, (1 + 1 / 2 + 0 + 0) / 4),
    (QRELS, RUN, "R", {"undefined": 1, "extra": "zero"}, RECALL | {"q4": 1.0, "x": 1.0}, (1 + 1 / 2 + 0 + 1 + 1) / 5),
    # something relevant, nothing found
    (QRELS, RUN, "RR", {"no_hit": "keep"}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"no_hit": "nan"}, ZERO | {"q3": NAN}, NAN),
    (QRELS, RUN, "RR", {"no_hit": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "RR@1", {"no_hit": "skip"}, {"q2": 1.0, "q4": 0.0}, (1 + 0) / 2),
    (QRELS, RUN, "NumRelRet", {"no_hit": "skip"}, {"q1": 1, "q2": 1, "q3": 0, "q4": 0}, 1 + 1 + 0 + 0),
    # other divisors
    (QRELS, RUN, "RR", {"divisor": "rows", "missing": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 3),
    (QRELS, RUN, "RR", {"divisor": "judged", "missing": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 4),
    (QRELS, RUN | {"y": {}}, "RR", {"divisor": "run", "missing": "skip"}, without(ZERO, "q3"), (1 / 2 + 1 + 0) / 5),
    (QRELS, RUN, "RR", {"divisor": "judged", "extra": "zero"}, ZERO | {"x": 0.0}, (1 / 2 + 1 + 0 + 0 + 0) / 4),
    (QRELS, RUN, "NumRel", {"divisor": "run", "missing": "skip"}, {"q1": 1, "q2": 2, "q4": 0}, 1 + 2 + 0),
    # weights
    (QRELS, RUN, "RR", {"weights": TRAFFIC}, ZERO, (3 / 2 + 1 + 5 * 0 + 2 * 0) / (3 + 1 + 5 + 2)),
    (QRELS, RUN, "RR", {"weights": TRAFFIC, "missing": "skip"}, without(ZERO, "q3"), (3 / 2 + 1 + 2 * 0) / (3 + 1 + 2)),
    (
        *(QRELS, RUN, "RR", {"weights": TRAFFIC, "missing": "absent"}, without(ZERO, "q3")),
        (3 / 2 + 1 + 5 * 0 + 2 * 0) / (3 + 1 + 5 + 2),
    ),
    (QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": "skip"}, RECALL, (3 * 1 + 1 / 2 + 5 * 0) / (3 + 1 + 5)),
    (QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": "nan"}, RECALL | {"q4": NAN}, NAN),
    (
        *(QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": "nan", "nan": "skip"}, RECALL | {"q4": NAN}),
        (3 * 1 + 1 / 2 + 5 * 0) / (3 + 1 + 5),
    ),
    (
        *(QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": "nan", "nan": "zero"}, RECALL | {"q4": NAN}),
        (3 * 1 + 1 / 2 + 5 * 0 + 2 * 0) / (3 + 1 + 5 + 2),
    ),
    (
        *(QRELS, RUN, "RR", {"weights": TRAFFIC, "divisor": "judged", "missing": "skip"}, without(ZERO, "q3")),
        (3 / 2 + 1 + 2 * 0) / (3 + 1 + 5 + 2),
    ),
    (
        *(QRELS, RUN, "RR", {"weights": TRAFFIC, "divisor": "run", "missing": "skip"}, without(ZERO, "q3")),
        (3 / 2 + 1 + 2 * 0) / (3 + 1 + 2 + 4),
    ),
    (
        *(QRELS, RUN, "RR", {"weights": TRAFFIC, "divisor": "judged", "extra": "zero"}, ZERO | {"x": 0.0}),
        (3 / 2 + 1 + 5 * 0 + 2 * 0 + 4 * 0) / (3 + 1 + 5 + 2),
    ),
    (
        *(QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": 1, "no_relevant_counts": "unweighted"}),
        *(RECALL | {"q4": 1.0}, (3 * 1 + 1 / 2 + 5 * 0 + 1) / (3 + 1 + 5 + 2)),
    ),
    (
        *(QRELS, RUN, "R", {"weights": TRAFFIC, "undefined": 1, "no_relevant_counts": "weighted"}),
        *(RECALL | {"q4": 1.0}, (3 * 1 + 1 / 2 + 5 * 0 + 2 * 1) / (3 + 1 + 5 + 2)),
    ),
    (QRELS, RUN, "NumRel", {"weights": TRAFFIC}, {"q1": 1, "q2": 2, "q3": 1, "q4": 0}, 1 + 2 + 1 + 0),
    (
        *(QRELS, RUN, "gmean(RR)", {"weights": TRAFFIC, "missing": "skip"}, without(ZERO, "q3")),
        math.exp((3 * LN(1 / 2) + LN(1) + 2 * LN(0.00001)) / (3 + 1 + 2)),
    ),
    (QRELS, RUN, "RR", {"weights": TRAFFIC, "round_means": 2}, ZERO, 0.23),
    # groups that count alike
    (QRELS, RUN, "RR", {"macro": LANGUAGE}, ZERO, ((1 / 2 + 0) / 2 + (1 + 0) / 2) / 2),
    (QRELS, RUN, "RR", {"macro": LANGUAGE, "missing": "skip"}, without(ZERO, "q3"), (1 / 2 + (1 + 0) / 2) / 2),
    (
        *(QRELS, RUN, "RR", {"macro": LANGUAGE, "missing": "absent"}, without(ZERO, "q3")),
        ((1 / 2 + 0) / 2 + (1 + 0) / 2) / 2,
    ),
    (QRELS, RUN, "RR", {"macro": LANGUAGE, "weights": TRAFFIC}, ZERO, (3 / 2 / (3 + 5) + 1 / (1 + 2)) / 2),
    (
        *(QRELS, RUN, "RR", {"macro": LANGUAGE, "divisor": "judged", "missing": "skip"}, without(ZERO, "q3")),
        (1 / 2 / 2 + (1 + 0) / 2) / 2,
    ),
    (
        *(QRELS, RUN, "RR", {"macro": LANGUAGE, "divisor": "run", "missing": "skip"}, without(ZERO, "q3")),
        (1 / 2 / 1 + (1 + 0) / 2 + 0 / 1) / 3,
    ),
    (
        *(QRELS, RUN, "R", {"macro": LANGUAGE, "undefined": "skip"}, RECALL),
        ((1 + 0) / 2 + 1 / 2 / 1) / 2,
    ),
    (QRELS, RUN, "NumRel", {"macro": LANGUAGE}, {"q1": 1, "q2": 2, "q3": 1, "q4": 0}, 1 + 2 + 1 + 0),
    (
        *(QRELS, RUN, "gmean(RR)", {"macro": LANGUAGE, "missing": "skip"}, without(ZERO, "q3")),
        math.exp((LN(1 / 2) + (LN(1) + LN(0.00001)) / 2) / 2),
    ),
    # geometric means
    (
        *(QRELS, RUN, "gmean(RR)", {"logarithms": False, "missing": "skip"}, without(ZERO, "q3")),
        math.exp((LN(1 / 2) + LN(1) + LN(0.00001)) / 3),
    ),
    (
        *(QRELS, RUN, "gmean(RR)", {"logarithms": True, "missing": "skip"}),
        {"q1": LN(1 / 2), "q2": LN(1), "q4": LN(0.00001)},
        math.exp((LN(1 / 2) + LN(1) + LN(0.00001)) / 3),
    ),
    (QRELS, RUN, "RR", {"logarithms": True}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
    # decimals
    (QRELS, RUN, "DCG", {"round_values": 2, "missing": "skip"}, {"q1": 0.63, "q2": 1.0, "q4": 0.0}, (0.63 + 1) / 3),
    (QRELS, RUN, "RR", {"round_means": 2}, ZERO, 0.38),
    (QRELS, RUN, "RR", {"round_means": 2, "halves": "even"}, ZERO, 0.38),
    (QRELS, RUN, "P@8", {"round_values": 2, "halves": "even"}, {"q1": 0.12, "q2": 0.12, "q3": 0, "q4": 0}, 0.24 / 4),
    (QRELS, RUN, "P@8", {"round_values": 2, "halves": "up"}, {"q1": 0.13, "q2": 0.13, "q3": 0, "q4": 0}, 0.26 / 4),
    (QRELS, RUN, "P@8", {"round_means": 0}, {"q1": 1 / 8, "q2": 1 / 8, "q3": 0, "q4": 0}, 0.0),
    (QRELS, RUN, "RR", {"round_values": 0, "halves": "even"}, ZERO | {"q1": 0.0}, (0 + 1 + 0 + 0) / 4),
    (QRELS, RUN, "RR", {"round_values": 0, "halves": "up"}, ZERO | {"q1": 1.0}, (1 + 1 + 0 + 0) / 4),
    # no query
    ({"q4": {"a": 0}}, RUN, "RR", {"no_relevant": "skip", "no_queries": "nan"}, {}, NAN),
    ({"q4": {"a": 0}}, RUN, "RR", {"no_relevant": "skip", "no_queries": "zero"}, {}, 0.0),
    ({"q": {"a": 0}}, {"q": {"x": 1.0}}, "RR", {"no_relevant": "skip", "no_queries": "hits"}, {}, 0.0),
    ({"q": {"a": 0}}, {"q": {"a": 1.0}}, "RR", {"no_relevant": "skip", "no_queries": "hits"}, {}, NAN),
    ({"q": {"a": 0}}, {"q": {"x": 2.0, "a": 1.0}}, "RR@1", {"no_relevant": "skip", "no_queries": "hits"}, {}, 0.0),
    ({"q4": {"a": 0}}, RUN, "NumRel", {"no_relevant": "skip", "no_queries": "nan"}, {}, 0.0),
    # few documents
    (QRELS, RUN, "RR", {"fewest": 1}, ZERO, (1 / 2 + 1 + 0 + 0) / 4),
]

REFUSED: Final[list[tuple[Grades, Scores, str, dict[str, Any], str]]] = [
    (QRELS, RUN, "RR", {"missing": "error"}, "judged queries that the run does not have: q3"),
    (QRELS, RUN, "RR", {"extra": "error"}, "queries of the run that nobody judged: x"),
    (QRELS, {"q1": RUN["q1"], "y": {}}, "RR", {"extra": "error"}, "queries of the run that nobody judged: y"),
    (QRELS, EMPTY, "RR", {"empty": "error"}, "queries with an empty list of documents: q3"),
    (QRELS, EMPTY, "RR", {"missing": "error"}, "judged queries that the run does not have: q3"),
    (QRELS, RUN, "RR", {"no_relevant": "error"}, "queries without a relevant document: q4"),
    (SIGNED, RUN, "RR", {"no_relevant": "error", "relevant_by": "sum"}, "queries without a relevant document: q1 q4"),
    (QRELS, RUN, "R", {"undefined": "error"}, "queries for which it is not defined: q4"),
    (QRELS, RUN, "RR", {"fewest": 2}, "queries with fewer than 2 documents: q2"),
    (QRELS, RUN, "RR", {"fewest": 3, "extra": "zero"}, "queries with fewer than 3 documents: q1 q2 q4 ..."),
    (
        *({"q4": {"a": 0}}, RUN, "RR", {"no_relevant": "skip", "no_queries": "error"}),
        "no query is left to take a mean over",
    ),
]


def is_nan(number: float) -> bool:
    return number != number  # noqa: PLR0124 - what NaN is


@pytest.mark.parametrize(("qrels", "run", "measure", "said", "row", "mean"), WORKED, ids=str)
def test_values_are_averaged_as_worked_by_hand(
    qrels: Grades, run: Scores, measure: str, said: dict[str, Any], row: dict[str, float], mean: float
) -> None:
    found = values(qrels, run, measure, **said)
    assert found[measure] == pytest.approx(mean, abs=1e-12, nan_ok=True)
    by_query = {query: one[measure] for query, one in found.per_query.to_dict().items()}
    assert list(by_query) == sorted(row)
    assert by_query == pytest.approx(row, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("qrels", "run", "measure", "said", "what"), REFUSED, ids=str)
def test_what_is_an_error_is_refused_and_named(
    qrels: Grades, run: Scores, measure: str, said: dict[str, Any], what: str
) -> None:
    error = refused(qrels, run, measure, **said)
    assert error.setting in said
    assert error.refused == what
    assert error.says == ""
    said = {"grades": "grades=whole", "highest": "highest", "fewest": "fewest"}
    asked = said.get(error.setting, f"{error.setting}=error")
    assert str(error).startswith(f"{asked}: {what}   [refused-input]")
    assert error.setting.replace("_", "-") in error.remedy.replace("_", "-") or error.setting == "fewest"


def test_every_word_of_every_setting_of_the_averaging_is_worked_by_hand() -> None:
    said = {(name, word) for case in WORKED for name, word in case[3].items()}
    said |= {(name, word) for case in REFUSED for name, word in case[3].items()}
    words = {(one.name, word) for one in fields(Averaging) for word in CHOICES.get(one.name, ())}
    assert words - said == set()
    assert {one.name for one in fields(Averaging)} - {name for name, _ in said} == set()


@pytest.mark.parametrize(
    ("said", "run"),
    [
        ({"undefined": "skip", "no_relevant": "error"}, RUN),
        ({"missing": "skip", "empty": "error"}, EMPTY),
        ({"extra": "error"}, RUN),
    ],
)
def test_no_value_is_given_where_one_is_refused(said: Any, run: Scores) -> None:
    assert str(refused(QRELS, run, ["P@1", "R"], **said)).endswith("and the signature says so")


# Whoever sets it


def test_a_tool_that_refuses_says_so_in_its_words_and_a_user_in_ours() -> None:
    name = "ranx-0.3"
    by_tool = refused(QRELS, RUN, "mrr", profile=name)
    assert by_tool.says == f"mrr: {PROFILES[name].refuses['missing']}"
    assert str(by_tool).startswith(f"{by_tool.says} (here: judged queries that the run does not have: q3)")
    for said in ({"missing": "error"}, {"missing": "error", "extra": "ignore"}):
        by_user = refused(QRELS, RUN, "mrr", profile=name, **said)
        assert by_user.says == ""
        assert str(by_user).startswith("missing=error: judged queries that the run does not have: q3")


def test_a_refusal_travels_whole() -> None:
    error = refused(QRELS, RUN, "mrr", profile="ranx-0.3")
    kind, arguments = error.__reduce__()
    again = kind(*arguments)
    assert str(again) == str(error)
    assert (again.setting, again.refused, again.says) == (error.setting, error.refused, error.says)


# Nothing that is the default changes anything


@few
@given(collection=collections())
def test_a_setting_at_its_default_changes_nothing(collection: tuple[Grades, Scores]) -> None:
    standard = values(*collection)
    kinds = (STANDARD.judging, STANDARD.averaging)
    said = {one.name: getattr(kind, one.name) for kind in kinds for one in fields(kind)}
    for name, default in said.items():
        other = values(*collection, **{name: default})
        assert same(standard, other), name
        assert other.signature == standard.signature, name
    assert same(standard, values(*collection, **said))
    assert values(*collection, **said).signatures == standard.signatures


@pytest.mark.parametrize(
    "name", [one.name for kind in (Judging, Averaging) for one in fields(kind) if one.name != "exclude"]
)
def test_what_is_no_setting_is_refused(name: str) -> None:
    wrong: Any = -1 if name in ("depth", "fewest", "round_values", "round_means") else "nonsense"
    with pytest.raises(rw.RankworthError) as caught:
        values(QRELS, RUN, "RR", **{name: wrong})
    assert caught.value.slug == "unknown-setting"
    assert name in str(caught.value)


def test_numbers_that_are_no_values_are_refused() -> None:
    for name, wrong in product(NUMBERS, (math.inf, -math.inf)):
        with pytest.raises(rw.RankworthError) as caught:
            values(QRELS, RUN, "RR", **{name: wrong})
        assert caught.value.slug == "unknown-setting"


# Intervals of columns with holes


def interval(qrels: Grades, run: Scores, measure: str, **said: Any) -> tuple[float, float]:
    """The ends of the interval."""
    low, high, _ = values(qrels, run, measure, **said).interval()[measure]
    return low, high


MANY_QRELS: Final[Grades] = {
    f"q{number:02}": dict.fromkeys(("a", "b", "d")[: 1 + number % 3], float(number % 5 > 0)) for number in range(20)
}
MANY_RUN: Final[Scores] = {
    query: {"c": 3.0, "a": 4.0 - number % 3, "b": 1.0} for number, query in enumerate(MANY_QRELS) if number % 4
}
"""every fifth query has nothing relevant, every fourth no results"""


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ({"missing": "skip"}, lambda number: number % 4),
        ({"no_relevant": "skip"}, lambda number: number % 5),
        ({"missing": "skip", "no_relevant": "skip"}, lambda number: number % 4 and number % 5),
        ({"undefined": "nan", "nan": "skip"}, lambda number: number % 5),
        ({"undefined": "skip"}, lambda number: number % 5),
    ],
)
def test_the_interval_of_a_column_with_holes_is_that_of_the_queries_that_count(said: Any, left: Any) -> None:
    queries = [query for number, query in enumerate(MANY_QRELS) if left(number)]
    bare = values(MANY_QRELS, MANY_RUN, "R@2", queries=queries)
    low, high, _ = bare.interval()["R@2"]
    assert interval(MANY_QRELS, MANY_RUN, "R@2", **said) == (low, high)
    assert low < bare["R@2"] < high


@pytest.mark.parametrize("measure", ["RR", "gmean(RR)"])
def test_the_interval_of_a_mean_with_absent_queries_counts_them(measure: str) -> None:
    for one, other in (({"missing": "absent"}, {"missing": "zero"}), ({"undefined": "nan", "nan": "zero"}, {})):
        found, like = (values(MANY_QRELS, MANY_RUN, measure, **said) for said in (one, other))
        assert found[measure] == pytest.approx(like[measure], abs=1e-12)
        low, high, _ = found.interval()[measure]
        assert low < found[measure] < high
        width = like.interval()[measure].high - like.interval()[measure].low
        assert high - low == pytest.approx(width, rel=0.1)  # the same values, drawn in another order


@pytest.mark.parametrize("divisor", ["judged", "run"])
def test_the_interval_of_a_mean_with_another_divisor_is_one_of_that_mean(divisor: Any) -> None:
    run = {query: MANY_RUN[query] for query in list(MANY_RUN)[:9]} | {f"x{number}": {"a": 1.0} for number in range(12)}
    found, rows = (values(MANY_QRELS, run, "RR", missing="skip", divisor=one) for one in (divisor, "rows"))
    low, high, _ = found.interval()["RR"]
    assert low < found["RR"] < high
    assert found["RR"] < rows["RR"] * 9 / 20 + 1e-12


def test_intervals_stand_where_there_is_nothing_to_draw_from() -> None:
    low, high = interval({"q4": {"a": 0}}, RUN, "RR", no_relevant="skip")
    assert is_nan(low)
    assert is_nan(high)
    low, high = interval(QRELS, RUN, "NumRel", missing="skip")
    assert is_nan(low)
    assert is_nan(high)


@pytest.mark.parametrize(
    ("keywords", "remedy"),
    [
        ({"metrics": ["RR"]}, r"measures=\["),
        ({"measure": "RR"}, "measures="),
        ({"qrels_cols": {}}, "qrels_columns="),
        ({"k": 10}, "nDCG@10"),
        ({"missings": "skip"}, "missing="),
        ({"query_ids": ["q"]}, r"dict\(zip\(query_ids, lists\)\)"),
        ({"query_ids": "numbers"}, r"quirks=\{'query_ids': 'numbers'\}"),
    ],
)
def test_an_unknown_argument_proposes_what_works(keywords: dict[str, Any], remedy: str) -> None:
    with pytest.raises(rw.UsageError, match=remedy) as refused:
        rw.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR"], **keywords)
    assert refused.value.slug == "unknown-setting"

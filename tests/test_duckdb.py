"""Runs that stay in DuckDB: values are those of frames, bit for bit, and what is wrong is told as it is of frames."""

# ruff: noqa: S608 - all text is our own

import math
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import as_options
from rankworth.errors import InputError, RankworthError, RankworthWarning, UsageError
from rankworth.judging import duckdb as engine_of
from rankworth.judging.duckdb import Related
from rankworth.measures import CATALOGUE
from rankworth.profiles import PROFILES, profile_of

ENGINE = duckdb.connect()
EVERY = [*CATALOGUE.values()]
SOME = ["nDCG@3", "nDCG(gain=exp2)", "AP", "RR", "P@2", "Rprec", "Bpref", "infAP", "NumRet", "NumRel", "NumRelRet"]
MEASURES = [measure for measure in EVERY if measure.positions == "judged"]
WHOLE = [measure for measure in EVERY if measure.positions != "judged"]
LONG = "document-" + "x" * 40
TEXTS = ("a", "b", "B", "é", "\U0001f600", "\uffff", "10", "9", "010", LONG + "1", LONG + "2", "")
NUMBERS = (1, 2, 9, 10, 11, 100, -5, 2**60)
SCORES = (0.0, -0.0, 0.1, 0.1 + 1e-17, 0.1 + 2e-17, 1.0, 1.0 + 1e-12, -2.5, 1e39, 2e39, 1e-60, math.inf, -math.inf)
GRADES = (0, 1, 2, 3, -1, 0.5)
often = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def relation(frame: pl.DataFrame) -> Any:
    return ENGINE.from_arrow(frame.to_arrow())


def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=7)


def outcome(qrels: object, run: object, measures: list[Any], **settings: Any) -> Any:
    """Everything that is told, or the slug of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        try:
            values = rw.evaluate(qrels, run, measures, **as_options(settings))
        except RankworthError as error:
            return error.slug
    table = {
        query: {name: np.float64(value).tobytes() for name, value in row.items()}
        for query, row in values.per_query.to_dict().items()
    }
    means = {name: np.float64(value).tobytes() for name, value in values.mean().items()}
    slugs = [notice.slug for notice in values.notices if notice.slug != "rounded-scores"]  # which asks for scores
    return list(table), table, means, values.signature, values.counts, slugs


def is_refused(found: object, run: pl.DataFrame, chosen: dict[str, Any]) -> bool:
    """Whether a document is refused that a query has twice, though a depth may cut it off."""
    return found == "duplicate-document" and is_cut_first(run, chosen)


def is_cut_first(run: pl.DataFrame, chosen: dict[str, Any]) -> bool:
    """Whether frames are cut at the depth before documents that a query has twice are looked for, and engines not."""
    strict = chosen.get("duplicates", "error") == "error" and "depth" in chosen
    return strict and bool(run.select("query", "document").is_duplicated().any())


@st.composite
def frames(draw: st.DrawFn, *, twice: bool = False) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgements and a run: ids of either kind, ties, holes, queries on one side only."""
    ids = draw(st.sampled_from((TEXTS, NUMBERS)))
    queries = draw(st.sampled_from((("q1", "q2", "é", "10"), (1, 2, 10, -3))))
    pair = st.tuples(st.sampled_from(queries), st.sampled_from(ids))
    judged = draw(st.dictionaries(pair, st.sampled_from(GRADES), min_size=1, max_size=14))
    some = draw(st.lists(st.sampled_from(SCORES), min_size=1, max_size=4))
    rows = draw(
        st.lists(
            st.tuples(pair, st.sampled_from(some)),
            min_size=1,
            max_size=40,
            unique_by=None if twice else lambda row: row[0],
        )
    )
    qrels = pl.DataFrame(
        [(*key, grade) for key, grade in judged.items()], ["query", "document", "grade"], orient="row", strict=False
    )
    run = pl.DataFrame([(*key, score) for key, score in rows], ["query", "document", "score"], orient="row")
    return qrels, run


def in_blocks(run: pl.DataFrame) -> pl.DataFrame:
    """The same rows with those of each query together, in the order in which queries come first."""
    return run.with_row_index("row").sort(pl.col("row").min().over("query"), "row").drop("row")


@often
@given(collection=frames())
def test_values_are_those_of_frames(collection: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    qrels, run = collection
    for measures in (MEASURES, WHOLE):
        assert outcome(relation(qrels), relation(shuffled(run)), measures) == outcome(qrels, run, measures)


FORMS: Mapping[str, Callable[[pl.DataFrame], object]] = {
    "judgements": rw.Qrels,
    "dicts": lambda qrels: rw.Qrels(qrels).to_dict(),
    "rows": lambda qrels: [*qrels.iter_rows()],
}


@often
@given(collection=frames(), form=st.sampled_from(sorted(FORMS)))
def test_judgements_and_run_need_not_come_in_one_form(collection: tuple[pl.DataFrame, pl.DataFrame], form: str) -> None:
    qrels, run = collection
    judged = FORMS[form](qrels)
    assert outcome(judged, relation(shuffled(run)), SOME) == outcome(judged, run, SOME)
    assert outcome(relation(shuffled(qrels)), run, SOME) == outcome(qrels, run, SOME)


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(("id-descending", "id-ascending", "expected", "last", "given", "given-reversed")),
        "score_type": st.sampled_from(("float64", "float32")),
        "duplicates": st.sampled_from(("error", "best", "first", "last", "all", "once", "joined")),
        "order": st.sampled_from(("score", "given")),
        "unjudged": st.sampled_from(("kept", "removed")),
        "depth": st.integers(1, 5),
        "scored": st.sampled_from(("all", "positive")),
        "pool": st.sampled_from(("judged", "retrieved")),
        "negative": st.sampled_from(("pooled", "zero", "dropped", "error")),
        "extra": st.sampled_from(("ignore", "zero")),
        "missing": st.sampled_from(("zero", "skip")),
        "exclude_from": st.sampled_from(("both", "run")),
        "pairing": st.sampled_from(("id", "position")),
    },
)


@often
@given(
    collection=frames(twice=True),
    chosen=SETTINGS,
    out=st.sampled_from((None, "self", "some")),
    blocks=st.sampled_from((None, "separate", "judged")),
)
def test_settings_hold_where_a_position_tells_the_order(
    collection: tuple[pl.DataFrame, pl.DataFrame], chosen: dict[str, Any], out: str | None, blocks: str | None
) -> None:
    qrels, run = collection[0], in_blocks(collection[1])
    if out is not None:
        chosen = chosen | {"exclude": run[:5].select("query", "document") if out == "some" else out}
    if blocks is not None:
        chosen = chosen | {"blocks": blocks}
    placed = shuffled(run.with_row_index("position"))
    found = outcome(relation(qrels), relation(placed), SOME, **chosen)
    assert found == outcome(qrels, run, SOME, **chosen) or (blocks is None and is_refused(found, run, chosen))


UNORDERED = SETTINGS.filter(
    lambda chosen: (
        chosen.get("order") != "given"
        and not chosen.get("ties", "").startswith("given")
        and chosen.get("pairing") != "position"
        and chosen.get("duplicates") not in ("first", "last")
    )
)


@often
@given(collection=frames(twice=True), chosen=UNORDERED)
def test_other_settings_need_no_position(collection: tuple[pl.DataFrame, pl.DataFrame], chosen: dict[str, Any]) -> None:
    qrels, run = collection
    found = outcome(relation(qrels), relation(shuffled(run)), SOME, **chosen)
    assert found == outcome(qrels, run, SOME, **chosen) or is_refused(found, run, chosen)


@often
@given(collection=frames(), profile=st.sampled_from(sorted(PROFILES)), apart=st.booleans())
def test_profiles_hold(collection: tuple[pl.DataFrame, pl.DataFrame], profile: str, apart: bool) -> None:
    qrels, run = collection
    told = profile_of(profile).judging
    if told.order == "rank":
        return
    ordered = in_blocks(run)
    run = run if apart else ordered
    placed = relation(shuffled(run.with_row_index("position")))
    measures = ["nDCG@3", "AP", "RR"]
    found = outcome(relation(qrels), placed, measures, profile=profile)
    if (told.blocks != "joined" or told.pairing != "id") and not run.equals(ordered):
        assert found == "unfollowed-setting"
    else:
        assert found == outcome(qrels, run, measures, profile=profile)


@often
@given(
    collection=frames(),
    profiles=st.lists(st.sampled_from(sorted(PROFILES)), min_size=2, max_size=4, unique=True),
)
def test_profiles_side_by_side_are_those_alone(
    collection: tuple[pl.DataFrame, pl.DataFrame], profiles: list[str]
) -> None:
    qrels, run = collection[0], in_blocks(collection[1])
    placed = relation(shuffled(run.with_row_index("position")))
    measures = ["nDCG@3", "AP", "RR"]
    chosen = [one for one in profiles if profile_of(one).judging.order != "rank"]
    assume(chosen)
    told = [
        by_profile(judged, source, measures, chosen) for judged, source in ((relation(qrels), placed), (qrels, run))
    ]
    assert told[0] == told[1]


def by_profile(qrels: object, run: object, measures: list[str], profiles: list[str]) -> Any:
    """The values of each profile, or the slug with which it refuses; or that with which all do."""
    try:
        values = rw.evaluate_profiles(qrels, run, measures, profiles=profiles)
    except RankworthError as error:
        return error.slug
    return {
        name: one.slug if isinstance(one, RankworthError) else (repr(one.per_query.to_dict()), one.signature)
        for name, one in values.items()
    }


@often
@given(
    collection=frames(twice=True),
    chosen=SETTINGS,
    measures=st.sampled_from((["nDCG@3", "AP"], ["INST", "RR"])),
    which=st.sampled_from(("all", "worst", "two")),
)
def test_explanations_are_those_of_frames(
    collection: tuple[pl.DataFrame, pl.DataFrame], chosen: dict[str, Any], measures: list[str], which: str
) -> None:
    qrels, run = collection[0], in_blocks(collection[1])
    placed = relation(shuffled(run.with_row_index("position")))
    if which != "all":
        two = qrels["query"].unique(maintain_order=True).to_list()[:2]
        chosen = chosen | ({"worst": 1} if which == "worst" else {"queries": two})
    found = explained(relation(qrels), placed, measures, **chosen)
    assert found == explained(qrels, run, measures, **chosen) or is_cut_first(run, chosen)


def explained(qrels: object, run: object, measures: list[str], **asked: Any) -> Any:
    """Everything that explanations say, or the slug of the error."""
    try:
        return repr([one.to_dict() for one in rw.explain_queries(qrels, run, measures, **as_options(asked))])
    except RankworthError as error:
        return error.slug


BY_RANK = st.fixed_dictionaries({}, optional={"depth": st.just(10), "duplicates": st.just("best")})
RANKED = st.just({}) | BY_RANK.map(lambda chosen: {"order": "rank", **chosen})


@often
@given(collection=frames(), ranks=st.permutations(range(1, 41)), chosen=RANKED, scored=st.booleans())
def test_a_column_of_ranks_may_decide(
    collection: tuple[pl.DataFrame, pl.DataFrame], ranks: list[int], chosen: dict[str, Any], scored: bool
) -> None:
    qrels, run = collection
    run = run.with_columns(pl.Series("rank", ranks[: run.height], dtype=pl.Int64))
    run = run if scored else run.drop("score")
    expected = outcome(qrels, run, SOME, **chosen)
    assert outcome(relation(qrels), relation(shuffled(run)), SOME, **chosen) == expected


@st.composite
def lists(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Judgements, and runs with one row for each query, in every layout."""
    ids = draw(st.sampled_from((TEXTS, NUMBERS)))
    queries = draw(st.lists(st.sampled_from(("q1", "q2", "q3")), min_size=1, unique=True))
    judged = draw(
        st.dictionaries(
            st.tuples(st.sampled_from(("q1", "q2")), st.sampled_from(ids)), st.sampled_from(GRADES), min_size=1
        )
    )
    qrels = pl.DataFrame(
        [(*key, float(grade)) for key, grade in judged.items()], ["query", "document", "grade"], orient="row"
    )
    inner = pl.Int64 if ids is NUMBERS else pl.String
    found = [draw(st.lists(st.sampled_from(ids), max_size=6, unique=True)) for _ in queries]
    scores = [draw(st.lists(st.sampled_from(SCORES), min_size=len(one), max_size=len(one))) for one in found]
    records = [
        [{"id": document, "score": score} for document, score in zip(*one, strict=True)]
        for one in zip(found, scores, strict=True)
    ]
    documents = pl.Series("documents", found, dtype=pl.List(inner))
    beside = pl.Series("scores", scores, dtype=pl.List(pl.Float64))
    struct = pl.Struct({"id": inner, "score": pl.Float64})
    query = pl.Series("query", queries)
    runs = {
        "ids": pl.DataFrame([query, documents]),
        "beside": pl.DataFrame([query, documents, beside]),
        "records": pl.DataFrame([query, pl.Series("documents", records, dtype=pl.List(struct))]),
    }
    if min(map(len, found)) == max(map(len, found)) > 0:
        runs["arrays"] = runs["ids"].with_columns(pl.col("documents").list.to_array(len(found[0])))
    return qrels, runs


@often
@given(collection=lists(), chosen=SETTINGS, draw=st.data())
def test_lists_are_taken_as_they_are(
    collection: tuple[pl.DataFrame, dict[str, pl.DataFrame]], chosen: dict[str, Any], draw: st.DataObject
) -> None:
    qrels, runs = collection
    run = runs[draw.draw(st.sampled_from(sorted(runs)))]
    if chosen.get("pairing") == "position":
        assert outcome(relation(qrels), relation(run), SOME, **chosen) == "unfollowed-setting"
        return
    listed = qrels.group_by("query").agg(pl.col("document").alias("documents"), pl.col("grade").alias("grades"))
    for measures, judged in ((SOME, listed), (WHOLE, qrels)):
        expected = outcome(qrels, run, measures, **chosen)
        assert outcome(relation(judged), relation(shuffled(run)), measures, **chosen) == expected


@often
@given(
    collection=lists(),
    chosen=st.sampled_from(({}, {"order": "rank"}, {"order": "given"}, {"depth": 2})),
    place=st.data(),
)
def test_lists_of_ranks_beside_documents(collection: Any, chosen: dict[str, Any], place: st.DataObject) -> None:
    qrels, runs = collection
    ranks = [place.draw(st.permutations(range(1, len(one) + 1))) for one in runs["ids"]["documents"]]
    run = runs["ids"].with_columns(pl.Series("ranks", ranks, dtype=pl.List(pl.Int64)))
    assert outcome(relation(qrels), relation(shuffled(run)), SOME, **chosen) == outcome(qrels, run, SOME, **chosen)


@often
@given(collection=frames(twice=True), chosen=SETTINGS)
def test_a_query_may_have_its_documents_in_several_lists(
    collection: tuple[pl.DataFrame, pl.DataFrame], chosen: dict[str, Any]
) -> None:
    qrels, run = collection[0], collection[1].with_row_index("part").with_columns(pl.col("part") // 2)
    ordered = chosen.get("ties", "").startswith("given") or chosen.get("duplicates") in ("first", "last")
    if ordered or chosen.get("order") == "given" or chosen.get("pairing") == "position":
        return
    listed = run.group_by("query", "part").agg(pl.col("document").alias("documents"), pl.col("score").alias("scores"))
    by_score = {"order": "score", **chosen}
    expected = outcome(qrels, run.drop("part"), SOME, **by_score)
    found = outcome(relation(qrels), relation(listed.drop("part")), SOME, **by_score)
    assert found == expected or is_refused(found, run, chosen)


JUDGED = "select 'q1' as query, 'd1' as document, 1 as grade"
BAD: Mapping[str, tuple[str, str]] = {
    "no query column": ("frame-columns", "select 1 as a, 'd' as document, 1.0 as score"),
    "two score columns": ("frame-columns", "select 'q' as query, 'd' as document, 1.0 as score, 2.0 as prediction"),
    "no score": ("frame-columns", "select 'q' as query, 'd' as document"),
    "a plural without lists": ("frame-columns", "select 'q' as query, 'd' as documents, 1.0 as score"),
    "lists and one score": ("frame-columns", "select 'q' as query, ['d'] as documents, 1.0 as score"),
    "lists of different lengths": ("frame-columns", "select 'q' as query, ['d'] as documents, [1.0, 2.0] as scores"),
    "records without ids": ("frame-columns", "select 'q' as query, [{'key': 1}] as documents"),
    "ids that are fractions": ("id-type", "select 'q' as query, 1.5::double as document, 1.0 as score"),
    "queries that are dates": ("id-type", "select date '2020-01-01' as query, 'd' as document, 1.0 as score"),
    "lists of fractions": ("id-type", "select 'q' as query, [1.5::double] as documents"),
    "scores that are text": ("bad-score", "select 'q1' as query, 'd' as document, 'A' as score"),
    "a score that is NaN": ("bad-score", "select 'q1' as query, 'd' as document, 'nan'::double as score"),
    "no query": ("missing-value", "select null::varchar as query, 'd' as document, 1.0 as score"),
    "no document": ("missing-value", "select 'q1' as query, null::varchar as document, 1.0 as score"),
    "a hole for a score": ("missing-value", "select 'q1' as query, 'd' as document, null::double as score"),
    "no list": ("missing-value", "select 'q1' as query, null::varchar[] as documents"),
    "no id in a list": ("missing-value", "select 'q1' as query, ['a', null] as documents"),
    "no rows": ("empty-input", "select 'q1' as query, 'd' as document, 1.0 as score limit 0"),
    "empty lists": ("empty-input", "select 'q1' as query, []::varchar[] as documents"),
    "a list again": ("duplicate-document", "select 'q1' as query, unnest([['a'], ['b']]) as documents"),
    "twice in a list": ("duplicate-document", "select 'q1' as query, ['a', 'a'] as documents"),
    "twice": ("duplicate-document", "select 'q1' as query, 'd' as document, unnest([1.0, 2.0]) as score"),
    "other queries": ("no-common-queries", "select 'q9' as query, 'd' as document, 1.0 as score"),
}


@pytest.mark.parametrize(("slug", "query"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_told_as_of_frames(slug: str, query: str) -> None:
    run = ENGINE.sql(query)
    assert outcome(pl.DataFrame(ENGINE.sql(JUDGED)), pl.DataFrame(run), SOME) == slug
    assert outcome(ENGINE.sql(JUDGED), run, SOME) == slug


def test_rows_that_are_wrong_are_shown() -> None:
    run = ENGINE.sql(
        "select 'q' || i as query, 'd' as document, if(i > 1, 'nan'::double, 1) as score from range(9) t(i)"
    )
    with pytest.raises(InputError, match="row 2: the score is nan, not a number"):
        rw.evaluate(ENGINE.sql(JUDGED), run, "AP")
    twice = ENGINE.sql("select 'q1' as query, 'd' || (i % 5) as document, i as score from range(10) t(i)")
    with pytest.raises(InputError, match=r"row 5: query q1 ranks document d0 again \(first in row 0\)"):
        rw.evaluate(ENGINE.sql(JUDGED), twice, "AP")


@pytest.mark.parametrize(
    "chosen",
    [
        {"ties": "given"},
        {"ties": "given-reversed"},
        {"order": "given"},
        {"order": "rank"},
        {"duplicates": "first"},
        {"duplicates": "last"},
        {"blocks": "separate"},
        {"blocks": "judged"},
        {"pairing": "position"},
    ],
    ids=str,
)
def test_without_a_position_no_order_is_known(chosen: dict[str, Any]) -> None:
    run = ENGINE.sql("select 'q1' as query, 'd1' as document, 1.0 as score")
    with pytest.raises(UsageError, match=r"nothing says the order of (rows|queries)") as caught:
        rw.evaluate(ENGINE.sql(JUDGED), run, "AP", **as_options(chosen))
    assert caught.value.slug == "unfollowed-setting"


def test_ids_meet_as_text_and_stay_integers() -> None:
    run = ENGINE.sql("select 7::utinyint as query, unnest([1, 10, 9])::bigint as document, 1.0 as score")
    judged = ENGINE.sql(
        "select '7' as query, unnest(['10', '01', '9', 'x']) as document, unnest([0, 1, 2, 1]) as grade"
    )
    values = rw.evaluate(judged, run, ["RR", "NumRelRet", "NumRel"])
    assert values.mean() == {"RR": 1 / 1, "NumRelRet": 1.0, "NumRel": 3.0}  # in the order 9 10 1


def test_one_query_may_have_nearly_all_rows() -> None:
    run = ENGINE.sql(
        "select 'q1' as query, 'd' || i as document, -(i // 100) as score from range(300000) t(i) "
        "union all select 'q' || i, 'd1', 1 from range(2, 50) t(i)"
    )
    judged = ENGINE.sql(
        "select 'q' || (1 + i % 20) as query, 'd' || i * 1234 as document, i % 3 as grade from range(200) t(i)"
    )
    assert outcome(judged, run, SOME) == outcome(pl.DataFrame(judged), pl.DataFrame(run), SOME)


def test_nothing_is_left_behind_and_a_relation_may_be_used_again() -> None:
    engine = duckdb.connect()
    run = engine.sql("select 'q1' as query, unnest(['d1', 'd2']) as document, 1.0 as score")
    first = rw.evaluate(engine.sql(JUDGED), run, "RR")["RR"]
    assert rw.evaluate(engine.sql(JUDGED), run, "RR")["RR"] == first == 1 / 2
    with pytest.raises(InputError):
        rw.evaluate(engine.sql(JUDGED), engine.sql("select 'q1' as query, null::varchar as document, 1 as score"), "RR")
    assert engine.sql("select count(*) from duckdb_views() where not internal").fetchall() == [(0,)]
    assert engine.sql("select count(*) from duckdb_tables()").fetchall() == [(0,)]


def test_repeated_documents_are_found_in_several_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_of, "_ROWS", 50)
    monkeypatch.setattr(engine_of, "_SHARE", 1 << 60)
    run = ENGINE.sql("select i % 7 as query, i as document, i * 31 % 101 as score from range(400) t(i)")
    judged = {"3": {"3": 1, "10": 0}}
    assert len([*engine_of.in_parts("the run", run, "query")]) == 8
    assert rw.evaluate(judged, run, SOME).mean() == rw.evaluate(judged, pl.DataFrame(run), SOME).mean()
    for row in (0, 77, 399):
        twice = run.union(run.filter(f"document = {row}"))
        with pytest.raises(InputError, match=f"query {row % 7} ranks document {row} again"):
            rw.evaluate(judged, twice, SOME)


def test_what_needs_no_row_is_refused_before_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ENGINE.sql("select 'q1' as query, 'd1' as document, 1.0 as score")
    judged = {"q1": {"d1": 1}}
    monkeypatch.setattr(engine_of, "in_parts", None)
    for source, chosen, slug in (
        (run.project("query, document, date '2024-01-01' as score"), {}, "bad-score"),
        (run.project("query, score as document, score"), {}, "id-type"),
        (run, {"ties": "given"}, "unfollowed-setting"),
        (run, {"blocks": "separate"}, "unfollowed-setting"),
    ):
        assert outcome(judged, source, SOME, **chosen) == slug
    assert outcome({"q1": {"d1": math.inf}}, run, SOME) == "bad-grade"


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "run.parquet")
    ENGINE.sql("select 'q1' as query, 'd1' as document, 1.0 as score").write_parquet(path)
    run = ENGINE.read_parquet(path)
    Path(path).write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match=r"DuckDB gives up: .*run\.parquet") as caught:
        rw.evaluate({"q1": {"d1": 1}}, run, SOME)
    assert caught.value.slug == "unreadable-file"


def any_list(collection: tuple[pl.DataFrame, dict[str, pl.DataFrame]]) -> st.SearchStrategy[Any]:
    """Judgements and a run in one of the layouts of lists."""
    return st.sampled_from([(collection[0], collection[1][layout]) for layout in sorted(collection[1])])


@often
@given(collection=frames() | lists().flatmap(any_list))
def test_rows_that_do_not_fit_are_taken_in_parts(collection: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    qrels, run = collection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_of, "_ROWS", 4)
        patch.setattr(engine_of, "_SHARE", 1 << 60)
        assert outcome(qrels, relation(run), SOME) == outcome(qrels, run, SOME)


def test_relations_of_different_connections_meet() -> None:
    run = duckdb.connect().sql("select 'q1' as query, unnest(['d1', 'd2']) as document, unnest([2, 1]) as score")
    assert rw.evaluate(duckdb.connect().sql(JUDGED), run, ["RR"])["RR"] == 1 / 1


def test_what_is_asked_of_values_later_needs_no_engine() -> None:
    engine = duckdb.connect()
    rows = "select i % 20 as query, i as document, i * 7 % 11 as score from range(400) t(i)"
    judged = "select i % 20 as query, i * 3 as document, i % 3 as grade from range(100) t(i)"
    values = rw.evaluate(engine.sql(judged), engine.sql(rows), ["AP"])
    here = rw.evaluate(pl.DataFrame(engine.sql(judged)), pl.DataFrame(engine.sql(rows)), ["AP"])
    engine.close()
    assert values.interval()["AP"] == here.interval()["AP"]


def test_a_related_run_hands_out_its_rows() -> None:
    run = Related(ENGINE.sql("select 2 as query, unnest([1, 2]) as document, 1.5 as score"), "als")
    assert repr(run) == "Related(name='als')"
    assert run.queries() == ["2"]
    assert run.to_frame().sort("document").rows() == [("2", "1", 1.5), ("2", "2", 1.5)]


def test_a_run_larger_than_the_limit_is_judged(tmp_path: Path) -> None:
    path = str(tmp_path / "run.parquet")
    rows = "select i // 1000 as query, i * 7919 % 100003 as document, hash(i) % 1000 / 10 as score"
    ENGINE.sql(f"{rows} from range(2000000) t(i)").write_parquet(path)
    judged = "select i % 2000 as query, i * 7919 % 100003 as document, i % 3 as grade from range(40000) t(i)"
    limit = {"memory_limit": "30MB", "temp_directory": str(tmp_path / "spilled"), "threads": 2}
    engine = duckdb.connect(config=limit)
    values = rw.evaluate(engine.sql(judged), engine.read_parquet(path), ["nDCG@10", "AP", "NumRet"])
    assert values.mean() == rw.evaluate(pl.DataFrame(ENGINE.sql(judged)), path, ["nDCG@10", "AP", "NumRet"]).mean()
    assert values["NumRet"] == 2_000_000


def test_windows_that_find_no_room_are_told() -> None:
    engine = duckdb.connect(config={"memory_limit": "20MB", "threads": 2})
    engine.sql("set temp_directory = ''")
    run = engine.sql("select i // 1000 as query, i as document, hash(i) as score from range(3000000) t(i)")
    judged = engine.sql("select i % 3000 as query, i as document, 1 as grade from range(30000) t(i)")
    with pytest.raises(InputError, match="DuckDB gives up: Out of Memory") as caught:
        rw.evaluate(judged, run, ["nDCG@10"], duplicates="best")
    assert caught.value.slug == "unreadable-file"


@pytest.mark.parametrize("ties", ["id-descending", "id-ascending", "given", "expected"])
def test_the_order_that_a_connection_prefers_changes_nothing(ties: str) -> None:
    engine = duckdb.connect()
    engine.execute("SET default_order = 'DESC'")
    rows = engine.sql(
        "SELECT * FROM (VALUES (7, 1, .9, 1), (7, 2, .9, 2), (7, 4, .9, 4), (8, 3, .7, 3), (8, 2, .7, 2)) "
        "t(query, document, score, position)"
    )
    lists = rows.aggregate(
        "query, list(document ORDER BY position ASC) AS documents, list(score ORDER BY position ASC) AS scores", "query"
    )
    qrels = {"7": {"1": 2, "4": 0}, "8": {"2": 1, "3": 0}}
    ordered = rows.pl().sort("query", "position")
    expected = rw.evaluate(qrels, ordered, ["AP"], ties=ties).per_query.to_dict()
    assert rw.evaluate(qrels, rows, ["AP"], ties=ties).per_query.to_dict() == expected
    assert rw.evaluate(qrels, lists, ["AP"], ties=ties, order="score").per_query.to_dict() == expected


def both(run: Any, chosen: dict[str, Any], judged: object) -> tuple[Any, Any]:
    """What comes of a relation, and of a frame of the same rows."""
    return outcome(judged, run, SOME, **chosen), outcome(judged, pl.DataFrame(run.pl()), SOME, **chosen)


ANY: tuple[dict[str, Any], ...] = ({}, {"ties": "id-ascending"}, {"exclude": [("q", "A"), ("Q", "b")]})


@pytest.mark.parametrize("layout", ["rows", "enum", "ids", "records", "whole"])
@pytest.mark.parametrize(
    "kind", ["VARCHAR COLLATE nocase", "VARCHAR COLLATE noaccent", "VARCHAR COLLATE de", "default"]
)
def test_collations_change_nothing(kind: str, layout: str) -> None:
    engine = duckdb.connect()
    if kind == "default":
        engine.execute("SET default_collation = 'nocase'")
    column = "VARCHAR" if kind == "default" else kind
    engine.execute(f"CREATE TABLE texts(query {column}, document {column}, score DOUBLE)")
    engine.execute(
        "INSERT INTO texts VALUES ('q', 'a', 1), ('q', 'A', 1), ('q', 'B', 1), ('q', 'é', 1), ('q', 'e', 1), "
        "('q', 'q', 1), "
        "('Q', 'a', 2), ('Q', 'b', 1), ('z', 'a', 1)"
    )
    layouts = {
        "rows": "SELECT * FROM texts",
        "enum": "SELECT query, document::ENUM('B', 'a', 'A', 'e', 'é', 'b', 'q') AS document, score FROM texts",
        "ids": "SELECT query, list(document) AS documents FROM texts GROUP BY query COLLATE c, query",
        "records": "SELECT query, list({'id': document, 'score': score}) AS documents FROM texts "
        "GROUP BY query COLLATE c, query",
        "whole": "SELECT query, unicode(document) AS document, score FROM texts",
    }
    run = engine.sql(layouts[layout])
    judged = {"q": {"a": 1, "B": 0, "é": 2, "97": 1, "66": 0}, "Q": {"a": 1, "b": 1, "97": 1}, "Z": {"a": 1}}
    for chosen in ANY:
        found, expected = both(run, chosen, judged)
        assert found == expected, chosen
        assert not isinstance(found, str)


PLACED = "(VALUES (7, 1, .9, 2, 1), (7, 2, .9, 1, 2), (7, 4, .9, 3, 3), (8, 3, .7, 5, 4), (8, 2, .7, 4, 5))"
PLACES: Mapping[str, tuple[str, dict[str, str]]] = {
    "text": ("'top' AS position", {"ties": "bad-score", "order": "bad-score", "duplicates": "bad-score"}),
    "dates": ("DATE '2020-01-01' AS position", {"ties": "bad-score", "pairing": "bad-score"}),
    "a hole": ("nullif(b, 3) AS position", {"ties": "missing-value", "duplicates": "missing-value"}),
    "a NaN": ("CASE b WHEN 3 THEN 'nan'::DOUBLE ELSE b END AS position", {"ties": "bad-score", "pairing": "bad-score"}),
    "one place for all": ("1 AS position", {"ties": "unfollowed-setting", "order": "unfollowed-setting"}),
    "a place again": ("CASE b WHEN 2 THEN 1 ELSE b END AS position", {"duplicates": "unfollowed-setting"}),
}
ORDERED: Mapping[str, dict[str, Any]] = {
    "ties": {"ties": "given"},
    "order": {"order": "given"},
    "duplicates": {"duplicates": "first"},
    "pairing": {"pairing": "position"},
}


@pytest.mark.parametrize(("column", "refused"), PLACES.values(), ids=PLACES)
def test_a_position_matters_only_where_it_is_asked_for(column: str, refused: dict[str, str]) -> None:
    judged = {"7": {"1": 2, "4": 0}, "8": {"2": 1, "3": 0}}
    run = ENGINE.sql(f"SELECT user_id, item_id, score, {column} FROM {PLACED} t(user_id, item_id, score, a, b)")
    for chosen in ({}, {"duplicates": "best"}, {"ties": "id-ascending"}, {"score_type": "float32"}, {"extra": "zero"}):
        found, expected = both(run, chosen, judged)
        assert found == expected
        assert not isinstance(found, str)
    for name, slug in refused.items():
        assert outcome(judged, run, SOME, **ORDERED[name]) == slug


@pytest.mark.parametrize(
    "column",
    [
        *(
            "a AS rank",
            "'top' AS rank",
            "nullif(a, 3) AS rank",
            "NULL::INTEGER AS rank",
            "a + 0.5 AS rank",
            "a - 1 AS rank",
        ),
        *("'inf'::DOUBLE AS rank", "CASE a WHEN 3 THEN 'nan'::DOUBLE ELSE a END AS rank"),
        *("a AS position", "'top' AS position", "nullif(a, 3) AS position", "DATE '2020-01-01' AS rank"),
        *("a AS rank, b AS position", "'x' AS rank, b AS position", "a AS Rank", 'a AS "doc position"'),
    ],
)
@pytest.mark.parametrize("without", ["", "EXCLUDE (score)"])
def test_a_rank_is_taken_as_in_frames(column: str, without: str) -> None:
    judged = {"7": {"1": 2, "4": 0}, "8": {"2": 1, "3": 0}}
    run = ENGINE.sql(f"SELECT user_id, item_id, score, {column} FROM {PLACED} t(user_id, item_id, score, a, b)")
    if without:
        run = run.project(f"* {without}")
    for chosen in ({}, {"order": "rank"}, {"order": "rank", "duplicates": "best"}):
        found, expected = both(run, chosen, judged)
        assert found == expected, chosen


def test_ranks_that_documents_share_need_positions() -> None:
    judged = {"7": {"1": 2, "4": 0}, "8": {"2": 1, "3": 0}}
    run = ENGINE.sql(f"SELECT user_id, item_id, score, 1 AS rank, b FROM {PLACED} t(user_id, item_id, score, a, b)")
    for chosen in ({"order": "rank"}, {"order": "rank", "duplicates": "best"}):
        expected = outcome(judged, pl.DataFrame(run.pl()).sort("b"), SOME, **chosen)
        placed = run.project("user_id, item_id, score, rank AS ranking, b AS position").order("score, item_id")
        assert outcome(judged, Related(placed, columns={"rank": "ranking"}), SOME, **chosen) == expected
        with pytest.raises(InputError, match=r"query 7 has the rank 1 again.*\n.*position") as caught:
            rw.evaluate(judged, run, "AP", **as_options(chosen))
        assert caught.value.slug == "bad-score"


LISTED: tuple[str, ...] = (
    "[2, 1] AS item_ids, [.5, .7] AS scores",
    "array_value(2, 1) AS item_ids, [.5, .7] AS scores",
    "array_value(2, 1) AS item_ids, array_value(.5::FLOAT, .7::FLOAT) AS scores",
    "array_value(2, 1) AS item_ids",
    "[2, 1] AS item_ids, [.5, .7] AS scores, [2, 1] AS ranks",
    "[2, 1] AS item_ids, [.5, .7] AS scores, [1, 2] AS ranks",
    "[2, 1] AS item_ids, [.5, .7] AS scores, [1, NULL] AS ranks",
    "[4, 1] AS item_ids, [.5, .7] AS scores, [1, 1] AS ranks",
    "[2, 1] AS item_ids, [.5, .7] AS scores, [1] AS ranks",
    "[2, 1] AS item_ids, [.5, .7] AS scores, 3 AS rank",
    "[{'item_id': 2, 'score': .5}, {'item_id': 1, 'score': .7}] AS item_ids",
    "[{'item_id': 2, 'score': .5, 'rank': 2}, {'item_id': 1, 'score': .7, 'rank': 1}] AS item_ids",
    "array_value({'item_id': 2, 'score': .5}, {'item_id': 1, 'score': .7}) AS item_ids",
    "['00000000-0000-0000-0000-00000000000' || 2, '00000000-0000-0000-0000-00000000000' || 1]::UUID[] AS item_ids",
    "[{'id': '00000000-0000-0000-0000-00000000000' || 1}]::STRUCT(id UUID)[] AS item_ids",
    "['b', 'a']::ENUM('b', 'a')[] AS item_ids, [.5, .5] AS scores",
    "['b', 'a']::ENUM('b', 'a')[2] AS item_ids, [.5, .5] AS scores",
    "['b', 'a']::VARCHAR[2] AS item_ids, [.5, .5] AS scores",
    "['\"b\"', '1']::JSON[] AS item_ids, [.5, .5] AS scores",
    "unnest([[2, 5], [1]]) AS item_ids, unnest([[.9, .1], [.9]]) AS scores",
)


@pytest.mark.parametrize("columns", LISTED)
@pytest.mark.parametrize(
    "chosen", [{}, {"order": "rank"}, {"order": "rank", "duplicates": "best"}, {"extra": "zero"}], ids=str
)
def test_lists_of_all_kinds_are_taken_as_in_frames(columns: str, chosen: dict[str, Any]) -> None:
    run = ENGINE.sql(f"SELECT 7 AS user_id, {columns}")
    judged = {"7": {"1": 2, "4": 0, "a": 1, '"b"': 1, "00000000-0000-0000-0000-000000000001": 1, "x": 0}}
    found, expected = both(run, chosen, judged)
    assert found == expected


@pytest.mark.parametrize(
    "chosen", [{"ties": "given"}, {"ties": "given-reversed"}, {"order": "given"}, {"duplicates": "first"}], ids=str
)
def test_several_lists_of_a_query_have_no_order(chosen: dict[str, Any]) -> None:
    run = ENGINE.sql("SELECT 7 AS query, unnest([[2, 5], [1]]) AS documents, unnest([[.9, .1], [.9]]) AS scores")
    with pytest.raises(UsageError, match="7: a query has a list again") as caught:
        rw.evaluate({"7": {"1": 1}}, run, "AP", **as_options(chosen))
    assert caught.value.slug == "unfollowed-setting"


IDS: Mapping[str, str] = {
    "UUID": "('00000000-0000-0000-0000-00000000000' || i)::UUID",
    "JSON": "('\"x' || i || '\"')::JSON",
    "ENUM": "('x' || i)::ENUM('x2', 'x1', 'x0')",
    "UTINYINT": "i::UTINYINT",
    "HUGEINT": "i::HUGEINT",
    "UHUGEINT": "i::UHUGEINT",
    "DECIMAL": "i::DECIMAL(10, 0)",
    "DOUBLE": "i::DOUBLE",
    "BOOLEAN": "i > 0",
    "DATE": "DATE '2020-01-01'",
    "BLOB": "'ab'::BLOB",
    "BIT": "('0' || (i % 2))::BIT",
}


@pytest.mark.parametrize("what", ["query", "document"])
@pytest.mark.parametrize("kind", IDS)
def test_ids_of_all_types_are_taken_as_in_frames(kind: str, what: str) -> None:
    other = "document" if what == "query" else "query"
    run = ENGINE.sql(f"SELECT {IDS[kind]} AS {what}, 'd' || i AS {other}, 1.0 AS score FROM range(3) t(i)")
    some = {"00000000-0000-0000-0000-000000000001": 1, "x1": 2, '"x1"': 1, "1": 1, "x": 0}
    judged = {one: {"d1": grade} for one, grade in some.items()} if what == "query" else {"d1": some, "d2": some}
    found, expected = both(run, {}, judged)
    assert found == expected
    if isinstance(found, str):
        with pytest.raises(InputError, match=rf"the {what} column holds .*text or integers.*\n.*convert"):
            rw.evaluate(judged, run, "AP")


NAMES = ("run", "batch", "rows", "order", "rankworth_run")


@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
def test_tables_of_our_names_change_nothing(kind: str) -> None:
    engine = duckdb.connect()
    rows = "FROM (VALUES (7, 1, .9), (7, 2, .9), (8, 3, .7), (8, 2, .5)) t(user_id, item_id, score)"
    for name in NAMES:
        engine.execute(f'CREATE {kind} "{name}" AS {rows}')
    judged = {"7": {"1": 2, "4": 0}, "8": {"2": 1, "3": 0}}
    for chosen in ({}, {"exclude": {"7": ["1"]}}, {"duplicates": "best"}):
        expected = outcome(judged, pl.DataFrame(engine.sql(rows).pl()), SOME, **chosen)
        for name in NAMES:
            assert outcome(judged, engine.sql(f'SELECT * FROM "{name}"'), SOME, **chosen) == expected, name
            if kind == "TABLE":
                assert outcome(judged, engine.table(name), SOME, **chosen) == expected, name
    found = engine.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall()
    assert found == [(len(NAMES) if kind == "VIEW" else 0,)]


@pytest.mark.parametrize("setting", ["python_enable_replacements", "enable_external_access"])
def test_a_connection_need_not_take_frames(setting: str) -> None:
    engine = duckdb.connect()
    engine.execute(f"CREATE TABLE run AS SELECT 'q1' AS query, 'd1' AS document, 1.0 AS score; SET {setting} = false")
    assert rw.evaluate({"q1": {"d1": 1}}, engine.table("run"), "AP")["AP"] == 1


def test_a_closed_connection_is_told() -> None:
    engine = duckdb.connect()
    run, judged = engine.sql("SELECT 'q1' AS query, 'd1' AS document, 1.0 AS score"), engine.sql(JUDGED)
    engine.close()
    for pair in ((judged, {"q1": {"d1": 1.0}}), ({"q1": {"d1": 1}}, run)):
        with pytest.raises(InputError, match=r"closed.*\n.*must stay open") as caught:
            rw.evaluate(*pair, "AP")
        assert caught.value.slug == "input-type"


def test_what_fails_in_the_query_of_a_relation_is_not_blamed_on_files() -> None:
    run = ENGINE.sql(
        "SELECT 'q1' AS query, 'd' || i AS document, CAST('x' || i AS INTEGER) AS score FROM range(3) t(i)"
    )
    with pytest.raises(InputError, match=r"Conversion Error.*\n *the query behind the relation fails"):
        rw.evaluate({"q1": {"d1": 1}}, run, "AP")
    pa = pytest.importorskip("pyarrow")
    rows = pa.table({"query": ["q1"], "document": ["d1"], "score": [1.0]})
    with pytest.raises(InputError, match="a reader gives its rows once") as caught:
        rw.evaluate({"q1": {"d1": 1}}, ENGINE.from_arrow(rows.to_reader()), "AP")
    assert caught.value.slug in ("input-type", "changed-file")  # DuckDB 1.5 gives no rows the second time


SAID: Mapping[str, tuple[str, str]] = {
    "no list": ("7 AS query, NULL::VARCHAR[] AS documents", "row 0 has no document"),
    "no scores": ("7 AS query, ['a'] AS documents, NULL::DOUBLE[] AS scores", "row 0 has no score"),
    "no query": ("NULL::INTEGER AS query, ['a'] AS documents", "row 0: the query is missing"),
    "no rows": (
        "7 AS query, 'a' AS document, 1.0 AS score LIMIT 0",
        "no rows.*\n *is this the relation that was meant",
    ),
    "no score": ("7 AS query, 'a' AS document", r"say which it is: columns={'score': 'NAME'}"),
    "two scores": (
        "7 AS query, 'a' AS document, 1 AS score, 2 AS prediction",
        r"say which it is: columns={'score': 'score'}",
    ),
    "dates for scores": ("7 AS query, 'a' AS document, date '2024-01-01' AS score", "convert the column to numbers"),
}


@pytest.mark.parametrize(("columns", "said"), SAID.values(), ids=SAID)
def test_refusals_say_what_helps(columns: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rw.evaluate({"7": {"a": 1}}, ENGINE.sql(f"SELECT {columns}"), "AP")


@pytest.mark.parametrize("records", [False, True])
def test_a_list_of_one_query_is_its_ranking(records: bool) -> None:
    def listed(scores: Mapping[str, list[float | None]]) -> Any:
        columns: dict[str, Any] = {
            "query": list(scores),
            "documents": [["d1", "d9", "d2"]] * 2,
            "scores": list(scores.values()),
        }
        if records:
            hits = [
                [{"_id": document, "_score": score} for document, score in zip(*both, strict=True)]
                for both in zip(columns["documents"], columns["scores"], strict=True)
            ]
            columns = {"query": list(scores), "hits": hits}
        kinds = {"hits": pl.List(pl.Struct({"_id": pl.String, "_score": pl.Float64}))} if records else {}
        return relation(pl.DataFrame(columns, schema_overrides=kinds))

    judged = {"q1": {"d2": 1, "d1": 0}, "q2": {"d9": 1, "d2": 2, "d1": 0}}
    measures = ["RR", "nDCG@2", "AP", "Judged@2"]
    tied = {"q1": [0.5, 0.5, 0.5], "q2": [2.0, 1.0, 1.0]}
    expected = rw.evaluate(judged, {query: ["d1", "d9", "d2"] for query in tied}, measures).per_query.to_dict()
    found = rw.evaluate(judged, listed(tied), measures)
    assert found.per_query.to_dict() == expected
    assert "ranked_by:list" in found.signature
    assert (
        rw.evaluate(judged, listed({"q1": [None] * 3, "q2": [3.0, 2.0, 1.0]}), measures).per_query.to_dict() == expected
    )
    bad = listed({"q1": [0.5, 0.1, 0.9], "q2": [3.0, 2.0, 1.0]})
    with pytest.raises(InputError, match=r"in 1 query of 2 .* query q1 has d9 \(0\.1\) before d2 \(0\.9\)"):
        rw.evaluate(judged, bad, measures)
    assert rw.evaluate(judged, bad, measures, order="given").per_query.to_dict() == expected
    assert rw.evaluate(judged, bad, ["RR"], order="score")["RR"] == (1 + 1 / 2) / 2
    assert rw.evaluate({"q2": judged["q2"]}, bad, ["RR"])["RR"] == 1 / 2  # nobody judged the other

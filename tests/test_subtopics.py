"""Judgements by subtopic: every door tells the same, measures without subtopics do not see them, nobody else pays."""

import gzip
import io
import math
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings

import rankworth as rw
from generators import (
    SUBTOPICS,
    Grades,
    Scores,
    about,
    batches,
    block_of,
    by_subtopic,
    collections,
    subtopics_of,
    values_of,
    variants,
    whole,
)
from judge import judge
from rankworth.errors import InputError, RankworthWarning
from rankworth.io import trec
from rankworth.judging import judged_run
from rankworth.judging.judged_run import JudgedRows, Subtopics
from rankworth.measures import CATALOGUE, Measure
from rankworth.model import Qrels, Run

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
OVER = [measure for measure in CATALOGUE.values() if measure.definition.subtopics]
OTHERS = [measure for measure in CATALOGUE.values() if not measure.definition.subtopics]

ROWS = [
    ("q1", "1", "a", 1),
    ("q1", "2", "a", 2),
    ("q1", "1", "b", 0),
    ("q1", "10", "c", 1),
    ("q2", "1", "a", 1),
    ("q2", "3", "d", 0),
    ("q2", "3", "a", 0),
]
RUN = {"q1": {"c": 3.0, "x": 2.0, "a": 1.0}, "q2": {"d": 2.0, "a": 1.0}}
LINES = "".join(f"{' '.join(map(str, row))}\n" for row in ROWS)


def frame(rows: Any = ROWS) -> pl.DataFrame:
    """Judgements as rows."""
    return pl.DataFrame(rows, schema=["query", "subtopic", "document", "grade"], orient="row", strict=False)


def quietly(*arguments: Any, **settings: Any) -> Any:
    """The values, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.evaluate(*arguments, **settings)


def told(subtopics: Subtopics) -> dict[str, list[float]]:
    """All that is known, to compare."""
    return {name: np.asarray(array).tolist() for name, array in subtopics.__dict__.items()}


# Doors


@few
@given(collection=collections())
def test_a_frame_tells_what_a_plain_reading_tells(collection: tuple[Grades, Scores]) -> None:
    plain = Qrels(collection[0])
    rows = frame(by_subtopic(collection[0]))
    shuffled = rows.sample(fraction=1, shuffle=True, seed=len(rows))
    known = Qrels(rows)
    assert known == plain
    assert Qrels(shuffled) == plain
    expected = told(subtopics_of(known))
    assert told(judged_run.subtopics_of(known)) == expected  # type: ignore[arg-type]
    hits = judge(known, Run(collection[1]), subtopics=True).hits
    for layout in ("compact", "full"):
        for qrels in (known, Qrels(shuffled)):
            for run in (Run(collection[1]), Run(Run(collection[1]).to_frame())):
                other = judge(qrels, run, layout=layout, subtopics=True).hits  # type: ignore[arg-type]
                assert same(hits.block(every(hits)), other.compact().block(every(hits)))


def every(hits: JudgedRows) -> Any:
    """The places of all queries."""
    return np.arange(hits.n_retrieved.size)


def same(one: Any, other: Any) -> bool:
    """Whether two blocks hold the same arrays."""
    return all(np.array_equal(array, getattr(other, name)) for name, array in one.__dict__.items())


@pytest.mark.parametrize(
    "door", ["polars", "lazy", "pandas", "pyarrow", "iteration", "subtopic_id", "numbers", "file", "gzip", "stdin"]
)
def test_every_door_gives_the_same_values(door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doors: dict[str, Any] = {
        "polars": frame(),
        "lazy": frame().lazy(),
        "pandas": frame().to_pandas(),
        "pyarrow": frame().to_arrow(),
        "iteration": frame().rename({"subtopic": "iteration"}),
        "subtopic_id": frame().rename({"subtopic": "Subtopic_ID"}),
        "numbers": frame().with_columns(pl.col("subtopic").cast(pl.Int32)),
        "file": tmp_path / "a.qrels",
        "gzip": tmp_path / "a.qrels.gz",
        "stdin": "-",
    }
    (tmp_path / "a.qrels").write_text(LINES)
    (tmp_path / "a.qrels.gz").write_bytes(gzip.compress(LINES.encode()))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LINES.encode())))
    values = quietly(doors[door], RUN, ["AP_IA", "StRecall@1", "alpha_nDCG@2", "nDCG", "P@1"])
    # q1 knows subtopics 1, 2 and 10: a covers the first two, c the last; q2 has a relevant document for 1 only.
    q1 = {"AP_IA": (1 / 3 + 1 / 3 + 1 / 1) / 3, "StRecall@1": 1 / 3, "alpha_nDCG@2": 1 / (2 + 1 / math.log2(3))}
    q2 = {"AP_IA": 1 / 2, "StRecall@1": 0.0, "alpha_nDCG@2": 1 / math.log2(3)}
    q1 |= {"nDCG": (1 + 2 / math.log2(4)) / (2 + 1 / math.log2(3)), "P@1": 1.0}
    q2 |= {"nDCG": (1 / math.log2(3)) / 1, "P@1": 0.0}
    found = values.per_query.to_dict()
    assert found["q1"] == pytest.approx(q1)
    assert found["q2"] == pytest.approx(q2)


def test_a_document_has_the_best_of_its_grades() -> None:
    known = Qrels(frame())
    assert known.to_dict() == {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "d": 0}}
    assert known.merged
    assert not Qrels(frame(ROWS[1:4])).merged
    assert repr(known) == "Qrels(2 queries, 5 judgements)"


def test_judgements_are_kept_by_query_with_their_subtopics() -> None:
    kept = rw.Qrels(rw.Qrels(frame()), queries=["q2"])
    values = quietly(kept, RUN, ["AP_IA", "AP"])
    assert values.per_query.to_dict() == {"q2": {"AP_IA": 1 / 2, "AP": 1 / 2}}
    assert quietly(frame(), RUN, ["AP_IA"], queries=["q2"]).mean() == {"AP_IA": 1 / 2}
    table = rw.evaluate_runs(rw.Qrels(frame()), {"one": RUN, "two": RUN}, ["AP_IA"])
    assert table["one"].mean() == table["two"].mean() == quietly(frame(), RUN, ["AP_IA"]).mean()


def test_subtopics_are_numbered_as_numbers_are() -> None:
    numbered = told(judged_run.subtopics_of(Qrels(frame())))  # type: ignore[arg-type]
    assert numbered == {
        "counts": [3, 2],
        "offsets": [0, 2, 3, 4, 6, 7],
        "number": [0, 1, 0, 2, 0, 1, 1],
        "grade": [1, 2, 0, 1, 1, 0, 0],
        "by_id": [2, 1, 0, 4, 3],
    }
    assert sorted(SUBTOPICS, key=lambda text: (len(text), text)) == list(SUBTOPICS)


# Files are read once


def test_a_file_of_judgements_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, ...]] = []
    reads = trec.batches
    monkeypatch.setattr(
        trec, "batches", lambda *a, columns=(), **k: read.append(columns) or reads(*a, columns=columns, **k)
    )
    plain, topical = tmp_path / "plain.qrels", tmp_path / "topical.qrels"
    plain.write_text("q1 0 a 1\nq1 7 b 0\nq2 Q0 a 1\n")
    topical.write_text(LINES)
    for number, (path, measure) in enumerate(
        [(plain, "AP"), (plain, "AP_IA"), (topical, "nDCG"), (topical, "AP_IA")], 1
    ):
        quietly(path, RUN, ["nDCG", measure])
        assert read == [trec.QRELS.columns] * number


@few
@given(collection=collections())
def test_measures_without_subtopics_do_not_see_them(collection: tuple[Grades, Scores]) -> None:
    with_, without = block_of(*collection), whole(judge(Qrels(collection[0]), Run(collection[1])).hits)
    for measure in OTHERS:
        if measure.definition.positions == "judged":
            told = [np.array(values_of(measure, block)).tobytes() for block in (with_, without)]
            assert told[0] == told[1], measure


def test_blocks_stay_small() -> None:
    queries, documents = [f"q{number}" for number in range(300)], [f"d{number}" for number in range(40)]
    qrels = Qrels({query: dict.fromkeys(documents, 1.0) for query in queries})
    run = Run({query: {document: float(place) for place, document in enumerate(documents)} for query in queries})
    qrels.__dict__["_subtopics"] = subtopics_of(qrels, lambda _, document: tuple(range(int(document[1:]) + 1)))
    hits = judge(qrels, run, subtopics=True).hits
    blocks = [block for _, block in hits.blocks(every(hits))]
    assert sum(block.rank.shape[0] for block in blocks) == 300
    assert all(block.aspects.shape[1:] == block.pool_aspects.shape[1:] == (40, 40) for block in blocks)
    assert max(block.aspects.size for block in blocks) <= 1 << 17


# Measures


@few
@given(collection=collections())
def test_intent_aware_measures_are_means_over_the_subtopics(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    block = block_of(qrels, run)
    rows = by_subtopic(qrels)
    for over, single in ((rw.AP_IA, rw.AP), (rw.P_IA @ 3, rw.P @ 3), (rw.StRecall @ 2, rw.Success @ 2)):
        for query, value in zip(sorted(qrels), values_of(over, block), strict=True):
            each = []
            for subtopic in SUBTOPICS:
                grades = {
                    document: grade for one, about_, document, grade in rows if (one, about_) == (query, subtopic)
                }
                if any(grade >= 1 for grade in grades.values()):
                    alone = judge(Qrels({query: grades}), Run({query: run.get(query, {"none": 0.0})})).hits
                    each.append(values_of(single, whole(alone))[0])
            if not each:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(math.fsum(each) / len(each), rel=1e-14), (over, query)


@few
@given(collection=collections())
def test_the_greedy_order_scores_one(collection: tuple[Grades, Scores]) -> None:
    qrels, _ = collection
    for alpha, measures in (
        (0.5, [measure for measure in OVER if measure.definition.normalised]),
        (0.25, [rw.alpha_nDCG]),
    ):
        block = block_of(qrels, {query: greedy(query, grades, alpha) for query, grades in qrels.items()})
        for measure in measures:
            settings = {"alpha": alpha} if "alpha" in measure.parameters else {}
            for cut in (measure(**settings), measure(**settings) @ 100):
                for value in values_of(cut, block):
                    assert math.isnan(value) or value == 1, cut


def greedy(query: str, grades: dict[str, float], alpha: float) -> dict[str, float]:
    """A run for the query: always the document that is newest, of several the one with the greatest id."""
    left = {
        document: [
            number for place, number in enumerate(about(query, document)) if (min(grade, 1) if place else grade) >= 1
        ]
        for document, grade in grades.items()
    }
    worth, order = dict.fromkeys(range(len(SUBTOPICS)), 1.0), {}
    for place in range(len(grades)):
        best = max(left, key=lambda document: (sum(worth[number] for number in left[document]), document))
        order[best] = -float(place)
        for number in left.pop(best):
            worth[number] *= 1 - alpha
    return order


def test_the_greedy_order_is_not_always_the_best() -> None:
    """Values above 1 exist and are not cut off: after the widest document nothing fits, while the others complement."""
    rows = [("q", str(s), "z", 1) for s in (1, 2, 3)] + [("q", str(s), "y", 1) for s in (1, 2, 4)]
    rows += [("q", str(s), "x", 1) for s in (3, 5, 6)]
    run = {"q": {"y": 2.0, "x": 1.0}}
    values = quietly(frame(rows), run, ["alpha_nDCG(alpha=1)@2", "nERR_IA(alpha=1)@2"])
    ideal, better = 3 + 2 / math.log2(3), 3 + 3 / math.log2(3)
    assert values["alpha_nDCG(alpha=1)@2"] == pytest.approx(better / ideal)
    assert values["nERR_IA(alpha=1)@2"] == pytest.approx((3 + 3 / 2) / (3 + 2 / 2))
    assert values["alpha_nDCG(alpha=1)@2"] < math.e / (math.e - 1)


@pytest.mark.parametrize("measure", OVER, ids=str)
def test_grades_without_subtopics_are_those_of_one(measure: Measure) -> None:
    qrels = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 0, "d": 1}}
    rows = [(query, "0", document, grade) for query, part in qrels.items() for document, grade in part.items()]
    for cut in (measure, measure @ 2):
        asked = [cut, cut(rel=2)] if "rel" in measure.definition.parameters else [cut]
        values = quietly(qrels, RUN, asked).per_query.array
        assert values.tobytes() == quietly(frame(rows), RUN, asked).per_query.array.tobytes()
        assert values.tobytes() == quietly(frame(rows).drop("subtopic"), RUN, asked).per_query.array.tobytes()


def test_a_subtopic_that_nobody_judged_for_a_document_is_no_grade_of_zero() -> None:
    """With rel=0 a grade of 0 is relevant, but a missing judgement is not."""
    assert rw.score([[0, 1], [None, 1]], "P_IA(rel=0)") == (2 + 1) / (2 * 2)
    assert rw.score([[0, 1], [-1, 1]], "P_IA(rel=-1)") == 1


@settings(few, max_examples=12)  # which hold more queries than 40 collections
@given(collection=batches())
def test_values_are_the_same_in_any_company(collection: tuple[Grades, Scores]) -> None:
    rows, run = frame(by_subtopic(collection[0])), collection[1]
    asked = [variant for measure in OVER for variant in variants(measure)]
    together = quietly(rows, run, [rw.nDCG, *asked, rw.AP]).per_query.array
    framed = quietly(rows, Run(run).to_frame(), [rw.nDCG, *asked, rw.AP]).per_query.array
    assert together.tobytes() == framed.tobytes()
    for place in range(0, len(asked), 7):
        alone = quietly(rows, run, [asked[place]]).per_query.array
        assert alone.tobytes() == np.ascontiguousarray(together[:, place + 1 : place + 2]).tobytes(), asked[place]


@few
@given(collection=collections())
def test_depth_and_removal_carry_the_subtopics(collection: tuple[Grades, Scores]) -> None:
    rows, run = frame(by_subtopic(collection[0])), collection[1]
    cut, whole = [measure @ 2 for measure in OVER], [measure(judged_only=True) for measure in OVER]
    shallow = quietly(rows, run, OVER, depth=2).per_query.array
    told = [quietly(rows, run, OVER, unjudged="removed"), quietly(rows, run, whole)]
    assert told[0].per_query.array.tobytes() == told[1].per_query.array.tobytes()
    for place, measure in enumerate(OVER):
        if measure.name in (
            "AP_IA",
            "NRBP",
            "StRecall",
        ):  # the others divide by what the cutoff, or the depth, can hold
            assert (shallow[:, place] == quietly(rows, run, [cut[place]]).per_query.array[:, 0]).all(), measure


# What is said


def test_one_subtopic_is_said() -> None:
    with pytest.warns(RankworthWarning, match=r"for alpha_nDCG NRBP; subtopics stand in .*\[one-subtopic\]"):
        values = rw.evaluate({"q1": {"a": 1}}, RUN, ["alpha_nDCG", "NRBP", "AP"])
    assert [notice.slug for notice in values.notices] == ["one-subtopic"]
    with pytest.warns(RankworthWarning, match="one-subtopic"):
        rw.evaluate(frame(ROWS[3:4]), RUN, ["alpha_nDCG"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("fillers", "measure", "told"),
    [
        (("0", "Q0"), "alpha_nDCG@10", True),
        (("0", "Q0"), "nDCG@10", False),
        (("0", "1"), "alpha_nDCG@10", False),
        (("q0", "Q0"), "alpha_nDCG@10", False),
    ],
)
def test_both_fillers_of_the_second_column_are_told(
    tmp_path: Path, fillers: tuple[str, str], measure: str, told: bool
) -> None:
    qrels = tmp_path / "q.txt"
    qrels.write_text("".join(f"q1 {filler} d{filler} 1\n" for filler in fillers))
    notices = rw.evaluate(qrels, {"q1": {f"d{filler}": 1.0 for filler in fillers}}, [measure]).notices
    texts = [notice.text for notice in notices if notice.slug == "one-subtopic"]
    expected = (
        f"0 and Q0 in the second column of the judgements count as two subtopics for {measure}; "
        "in files without subtopics both are fillers: write 0 on all lines if there are none"
    )
    assert texts == [expected] * told


@pytest.mark.filterwarnings("error")
def test_the_best_grade_is_said_without_a_warning() -> None:
    values = rw.evaluate(frame(), RUN, ["AP_IA", "AP", "P@1"])
    assert [(notice.slug, "AP P@1" in notice.text) for notice in values.notices] == [("best-of-subtopics", True)]
    assert not rw.evaluate(frame(), RUN, ["AP_IA"]).notices


def refused(qrels: object) -> InputError:
    """What is wrong with judgements."""
    with pytest.raises(InputError) as caught:
        rw.evaluate(qrels, RUN, ["AP_IA"])
    return caught.value


def test_a_subtopic_judged_twice_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    again = f"{LINES}q1 2 a 2\nq2 1 a 0\nq1 1 a 1\nq1 2 a 2\nq2 3 d 0\n"
    Path("a.qrels").write_text(again)
    settled = '  or say which of them counts: duplicate_judgements="max"'
    assert str(refused("a.qrels")) == (
        "a.qrels:8: query q1 judges document a again for subtopic 2 (first in line 2)   [duplicate-judgement]\n"
        "a.qrels:9: query q2 judges document a again for subtopic 1 (first in line 5)   [duplicate-judgement]\n"
        "a.qrels:10: query q1 judges document a again for subtopic 1 (first in line 1)   [duplicate-judgement]\n"
        "... and 2 more\n"
        "  keep one line for each query, subtopic and document, such as the first: "
        f"awk '!seen[$1, $2, $3]++' a.qrels > once.txt\n{settled}"
    )
    assert str(refused(frame([*ROWS, ROWS[0]]))) == (
        "the judgements: row 7: query q1 judges document a again for subtopic 1 (first in row 0)   "
        f"[duplicate-judgement]\n  keep one row for each query, subtopic and document\n{settled}"
    )


def test_a_column_of_subtopics_that_cannot_be_read_is_refused_when_it_is_used() -> None:
    once = frame(ROWS[1:4])
    missing = once.with_columns(subtopic=pl.when(pl.col("document") == "b").then(None).otherwise("subtopic"))
    assert str(refused(missing)) == (
        "the judgements: row 1: the subtopic is missing   [missing-value]\n  leave it out, or give it"
    )
    assert refused(once.with_columns(subtopic=pl.lit(1.5))).slug == "id-type"
    for bad in (missing, once.with_columns(subtopic=pl.lit(1.5)), once.with_columns(subtopic=pl.lit(None))):
        assert quietly(bad, RUN, ["P@1"])["P@1"] == 1
    both = once.with_columns(iteration=pl.lit(None))
    assert quietly(both, RUN, ["P_IA@1"]).mean() == quietly(once, RUN, ["P_IA@1"]).mean()
    mixed = once.to_pandas().assign(subtopic=[1, "2", None])
    assert refused(mixed).slug == "missing-value"


def test_sets_of_judgements_are_not_taken_for_subtopics() -> None:
    error = refused({"q1": {"1": {"a": 1}}})
    assert error.slug == "nested-runs"
    assert "give a frame: query, subtopic, document, grade" in error.remedy


@pytest.mark.parametrize(
    "bad",
    [[[1, 0], 1], [[1, 0], [1]], [[1, "x"]], [[None, None], [1, 1]], [[math.inf, 1]], [[math.nan, 1]], [[]]],
)
def test_a_ranking_has_as_many_grades_for_every_document(bad: Any) -> None:
    with pytest.raises(InputError, match="bad-grade"):
        rw.score(bad, "AP_IA")
    with pytest.raises(InputError, match="bad-grade"):
        rw.score([[1, 0]], "AP_IA", missing=[*bad, [1, 1, 1]])

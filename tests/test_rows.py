"""Learning to rank: labels of rows in files and flat arrays, with scores beside them."""

import gzip
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from helpers import Command, command_of, raises

LABELS = [1, 0, 2, 0, 1, 0, 0]
SCORES = [0.1, 0.5, 0.3, 0.2, 0.9, 0.9, 0.1]
GROUP = [3, 4]
QID = [7, 7, 7, 3, 3, 3, 3]
MEASURES = ["nDCG@2", "AP", "RR", "R@1", "NumRet"]
LISTS = {"0": ([1, 0, 2], [0.1, 0.5, 0.3]), "1": ([0, 1, 0, 0], [0.2, 0.9, 0.9, 0.1])}


@pytest.fixture
def command(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run the command here."""
    return command_of(capfdbinary)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a file of rows and predictions of all tools."""
    monkeypatch.chdir(tmp_path)
    rows = zip(LABELS, QID, SCORES, strict=True)
    (tmp_path / "test.svm").write_text("".join(f"{label} qid:{qid} 1:0.5 3:{score}\n" for label, qid, score in rows))
    (tmp_path / "lgb.txt").write_text("".join(f"{score!r}\n" for score in SCORES))
    (tmp_path / "xgb.txt").write_text("".join(f"{score:.6e}\n" for score in SCORES))
    table = [f"{row}\t{score}\t{label}" for row, (score, label) in enumerate(zip(SCORES, LABELS, strict=True))]
    (tmp_path / "catboost.tsv").write_text("\n".join(["SampleId\tRawFormulaVal\tLabel", *table]) + "\n")
    numbers = [*range(3), *range(4)]
    ranked = zip(QID, numbers, SCORES, strict=True)
    (tmp_path / "ranklib.txt").write_text("".join(f"{qid}\t{number}\t{score}\n" for qid, number, score in ranked))
    (tmp_path / "lgb.txt.gz").write_bytes(gzip.compress((tmp_path / "lgb.txt").read_bytes()))
    return tmp_path


def of_lists(measures: list[str], **settings: Any) -> dict[str, float]:
    """Evaluate the same queries as lists."""
    labels, scores = ([lists[side] for lists in LISTS.values()] for side in (0, 1))
    return rw.evaluate(labels=labels, scores=scores, measures=measures, **settings).mean()


WAYS: dict[str, tuple[dict[str, object], str]] = {
    "lists": ({"labels": LABELS, "scores": SCORES, "group": GROUP}, "group"),
    "arrays": ({"labels": np.array(LABELS), "scores": np.array(SCORES), "group": np.array(GROUP)}, "group"),
    "float32 labels": ({"labels": np.array(LABELS, np.float32), "scores": SCORES, "group": GROUP}, "group"),
    "a column of scores": ({"labels": LABELS, "scores": np.array(SCORES)[:, None], "group": GROUP}, "group"),
    "series of pandas": ({"labels": pd.Series(LABELS), "scores": pd.Series(SCORES), "qid": pd.Series(QID)}, "qid"),
    "series of Polars": ({"labels": pl.Series(LABELS), "scores": pl.Series(SCORES), "qid": pl.Series(QID)}, "qid"),
    "ids that are texts": ({"labels": LABELS, "scores": SCORES, "qid": [f"q{qid}" for qid in QID]}, "qid"),
    "a Dataset": (
        {
            "labels": SimpleNamespace(get_label=lambda: np.array(LABELS), get_group=lambda: np.array(GROUP)),
            "scores": SCORES,
        },
        "group",
    ),
    "a DMatrix": (
        {
            "labels": SimpleNamespace(
                get_label=lambda: np.array(LABELS), get_uint_info=lambda _: np.array([0, 3, 7], np.uint32)
            ),
            "scores": SCORES,
        },
        "group",
    ),
    "a Pool": (
        {
            "labels": SimpleNamespace(get_label=lambda: LABELS, get_group_id_hash=lambda: np.array(QID, np.uint64)),
            "scores": SCORES,
        },
        "qid",
    ),
    "padding by its label": (
        {
            "labels": [*LABELS[:3], -1, *LABELS[3:], -1],
            "scores": [*SCORES[:3], 2.0, *SCORES[3:], 2.0],
            "group": [4, 5],
            "padding": -1,
        },
        "group",
    ),
    "padding by a mask": (
        {
            "labels": [*LABELS[:3], 2, *LABELS[3:]],
            "scores": [*SCORES[:3], 2.0, *SCORES[3:]],
            "group": [4, 4],
            "padding": np.array([False] * 3 + [True] + [False] * 4),
        },
        "group",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_all_kinds_are_the_lists_of_their_queries(way: str) -> None:
    """The values are those of lists, whose documents have the same order among equal scores."""
    arguments, told_by = WAYS[way]
    values = rw.evaluate(**arguments, measures=MEASURES)  # type: ignore[arg-type]
    assert values.mean() == of_lists(MEASURES)
    assert any(notice.slug == "judged-rows" for notice in values.notices)
    queries = {"group": ["0", "1"], "qid": sorted(map(str, {*QID}))}[told_by]
    if way == "ids that are texts":
        queries = ["q3", "q7"]
    assert [str(query) for query in values.per_query.queries] == queries


def test_the_first_rows_of_equal_scores_come_first_in_the_order_given() -> None:
    """Rankers break ties by row: 1 of the tied rows 1 and 2 of the second query is relevant, the first of them."""
    measured = rw.evaluate(labels=LABELS, scores=SCORES, group=GROUP, measures=["RR"], ties="given")
    assert measured["RR"] == (1 / 2 + 1) / 2
    assert of_lists(["RR"])["RR"] == (1 / 2 + 1 / 2) / 2  # by descending position otherwise


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
@given(st.data())
def test_rows_are_worth_what_their_lists_are(data: st.DataObject) -> None:
    """Groups of any sizes, labels and scores with ties, rows that nobody judged: bit for bit the values of lists."""
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    size = sum(sizes)
    labels = data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, -1.5]), min_size=size, max_size=size))
    hidden = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    ends = np.cumsum(sizes)
    for end in ends:
        hidden[end - 1] = False  # a query of which no row has a label is not judged
    masked = np.ma.array(labels, mask=hidden)
    parts = [slice(end - length, end) for end, length in zip(ends, sizes, strict=True)]
    lists = [[None if masked.mask[row] else labels[row] for row in range(part.start, part.stop)] for part in parts]
    flat = rw.evaluate(labels=masked, scores=scores, group=sizes, measures=MEASURES)
    nested = rw.evaluate(labels=lists, scores=[scores[part] for part in parts], measures=MEASURES)
    assert flat.per_query.to_dict() == nested.per_query.to_dict()


FILES = ("lgb.txt", "xgb.txt", "catboost.tsv", "ranklib.txt", "lgb.txt.gz")


@pytest.mark.parametrize("name", FILES)
def test_scores_of_every_ranker_stand_beside_the_rows_of_a_file(name: str, folder: Path) -> None:
    """Documents are called by their line, so that values without ties are those of arrays."""
    assert folder.exists()
    values = rw.evaluate("test.svm", name, MEASURES, ties="given")
    expected = rw.evaluate(labels=LABELS, scores=SCORES, qid=QID, measures=MEASURES, ties="given")
    assert values.per_query.to_dict() == {str(qid): row for qid, row in expected.per_query.to_dict().items()}
    assert rw.evaluate(rw.Qrels("test.svm"), rw.Run(name), MEASURES, ties="given").mean() == values.mean()
    alone = rw.evaluate({"7": {"1": 1, "2": 0, "3": 2}}, rw.Run(name, columns={"rows": "test.svm"}), ["RR"])
    assert alone["RR"] == 1 / 2


COMMANDS = {
    "evaluate": ("test.svm", "lgb.txt", "-m", "RR"),
    "audit": ("test.svm", "lgb.txt", "RR=0.5"),
    "compare": ("test.svm", "lgb.txt", "xgb.txt", "-m", "RR"),
    "explain": ("test.svm", "lgb.txt", "7", "-m", "RR"),
    "check": ("test.svm", "lgb.txt"),
    "report": ("test.svm", "lgb.txt", "catboost.tsv", "-o", "page.html"),
    "correlate": ("lgb.txt", "xgb.txt", "--run-columns", "rows=test.svm"),
    "convert": ("lgb.txt", "out.run", "--run-columns", "rows=test.svm"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_rows_and_scores(name: str, command: Command, folder: Path) -> None:
    """What `evaluate` reads all others read."""
    assert folder.exists()
    status, out, err = command(name, *COMMANDS[name])
    assert (status in (0, 1), "error" in err) == (True, False), err
    assert out or name in ("convert", "report")


def test_a_comment_names_the_document(folder: Path) -> None:
    """Of judgement lists of search engines and LETOR's comments the first word is the id."""
    (folder / "judged.txt").write_text(
        "4 qid:1 # 7555 Rambo\n0 qid:1 # 1370 Rambo III\n3 qid:2 #docid = GX01 inc = 1\n"
    )
    (folder / "scores.txt").write_text("0.5\n0.9\n0.1\n")
    run = {"1": {"7555": 0.5, "1370": 0.9}, "2": {"GX01": 0.1}}
    assert rw.evaluate("judged.txt", "scores.txt", MEASURES).mean() == rw.evaluate("judged.txt", run, MEASURES).mean()
    assert rw.evaluate("judged.txt", "scores.txt", ["RR"])["RR"] == (1 / 2 + 1) / 2


def raised(text: str) -> None:
    """Raise what LightGBM raises."""
    raise Exception(text)  # noqa: TRY002 - LightGBM has no class of its own here


ARRAYS: dict[str, tuple[Mapping[str, object], str, str]] = {
    "too few sizes": (
        {"group": [3, 3]},
        "row-count",
        "up to 6, and there are 7 labels: row 6 has no query",
    ),
    "too many": (
        {"group": [3, 5]},
        "row-count",
        "there are 7 labels: query 1 (from 0) ends beyond them",
    ),
    "query ids as sizes": ({"group": QID}, "row-count", "are they the query of each row? qid="),
    "a fraction": ({"group": [3.5, 3.5]}, "input-type", "a whole number from 1 on"),
    "an empty group": ({"group": [0, 7]}, "input-type", "group=[size for size in sizes if size]"),
    "too few ids": ({"qid": [1]}, "row-count", "there are 1 id and 7 labels"),
    "scattered": ({"qid": [1, 1, 2, 2, 1, 1, 1]}, "scattered-rows", "the rows of query 1 stand apart"),
    "both": ({"group": GROUP, "qid": QID}, "conflicting-options", "give one of the two"),
    "labels that are NaN": (
        {"labels": [1, 0, float("nan"), 0, 1, 0, 0], "group": GROUP},
        "bad-grade",
        "row 2 (from 0): the label is nan",
    ),
    "texts": ({"labels": list("abcdefg"), "group": GROUP}, "bad-grade", "row 0: the label is 'a', not a number"),
    "scores that are NaN": ({"scores": [float("nan")] * 7, "group": GROUP}, "bad-score", "7 rows so"),
    "another length": ({"labels": [1, 0], "group": [2]}, "row-count", "2 labels and 7 scores: the label of row 2"),
    "a matrix": ({"labels": [[1, 0], [0, 1]], "group": [2]}, "input-type", "2 x 2"),
    "orders": ({"orders": [[0, 1]], "scores": None, "group": GROUP}, "conflicting-options", "give scores"),
    "a mask of another length": ({"group": GROUP, "padding": [True]}, "row-count", "there are 1 row and 7 labels"),
    "only padding": ({"labels": [-1] * 7, "group": GROUP, "padding": -1}, "empty-input", "no row with a label"),
    "weights of rows": (
        {"group": GROUP, "weights": pd.Series([1.0] * 7)},
        "unknown-setting",
        "rankers give a query the mean of those of its rows",
    ),
    "weights of rows in a list": (
        {"group": GROUP, "weights": [1] * 7},
        "unknown-setting",
        "rankers give a query the mean",
    ),
    "weights of rows in a series": (
        {"group": GROUP, "weights": pd.Series([1.0] * 7)},
        "unknown-setting",
        "there are 7, as many as rows",
    ),
    "lists of labels beside query ids": (
        {"labels": [[1, 0], [2]], "scores": [[1, 2], [3]], "qid": [1, 2]},
        "input-type",
        "leave group and qid out",
    ),
    "a mask by its usual name": (
        {"group": GROUP, "mask": [True] * 7},
        "unknown-setting",
        "padding=~numpy.asarray(mask)",
    ),
    "groups by another name": ({"groups": GROUP}, "unknown-setting", "group= how many rows each query has"),
    "weights by another name": (
        {"group": GROUP, "sample_weight": [1] * 7},
        "unknown-setting",
        "weights={query: mean}",
    ),
    "scores of another index": (
        {"labels": pd.Series(LABELS), "scores": pd.Series(SCORES)[::-1], "group": GROUP},
        "input-type",
        "have another index",
    ),
    "queries of another index": (
        {"labels": pd.Series(LABELS), "qid": pd.Series(QID)[::-1]},
        "input-type",
        "have another index",
    ),
    "a data set of LightGBM that is not constructed": (
        {"labels": SimpleNamespace(get_label=lambda: LABELS, get_group=lambda: raised("Cannot get group"))},
        "input-type",
        "has no groups",
    ),
    "a data set without groups": (
        {"labels": SimpleNamespace(get_label=lambda: LABELS, get_group=lambda: None)},
        "input-type",
        "has no groups",
    ),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_do_not_fit_are_refused(case: str) -> None:
    """With both numbers, the first row that is wrong, and what helps."""
    arguments, slug, text = ARRAYS[case]
    raises(lambda: rw.evaluate(**{"labels": LABELS, "scores": SCORES, **arguments}, measures=["AP"]), slug, text)  # type: ignore[arg-type]


LABEL_FILES = {
    "NaN": ("nan qid:1 1:1\n0 qid:1 1:1\n", "bad-grade", "bad.svm:1: the grade is nan"),
    "NaN later": ("1 qid:1 1:1\n0 qid:1 1:1\nnan qid:1 1:1\n", "bad-grade", "bad.svm:3: the grade is nan"),
    "a word": ("good qid:1 1:1\n0 qid:1 1:1\n", "bad-grade", "bad.svm:1: the grade is 'good', not a number"),
    "no query": ("1 1:0.5\n0 1:0.5\n", "qrels-columns", "group=numpy.loadtxt('test.query', dtype=int)"),
    "no query later": (
        "1 qid:1 1:0.5\n\n0 1:0.5\n",
        "qrels-columns",
        "bad.svm:3: a line of a learning-to-rank file is",
    ),
    "apart below a comment": (
        "# head\n1 qid:1 1:1 # a\n0 qid:2 1:1 # b\n\n1 qid:1 1:1 # c\n",
        "scattered-rows",
        "bad.svm:5: the rows of query 1 stand apart",
    ),
}


@pytest.mark.parametrize("case", LABEL_FILES)
def test_files_of_labels_that_do_not_fit_are_refused(case: str, folder: Path) -> None:
    """With the first line that is wrong, whatever stands above it."""
    text, slug, message = LABEL_FILES[case]
    (folder / "bad.svm").write_text(text)
    (folder / "three.txt").write_text("1\n2\n3\n")
    raises(lambda: rw.evaluate("bad.svm", "three.txt", ["AP"]), slug, message)


def test_comments_that_repeat_are_no_ids(folder: Path) -> None:
    """Documents are called by their line then, for all runs; a ranking by such comments is refused as before."""
    (folder / "notes.svm").write_text("2 qid:1 1:1 # good\n\n0 qid:1 1:1 # bad\n1 qid:1 1:1 # bad\n0 qid:2 1:1\n")
    (folder / "four.txt").write_text("0.9\n0.2\n0.3\n0.1\n")
    run = {"1": {"1": 0.9, "3": 0.2, "4": 0.3}, "2": {"5": 0.1}}
    values = rw.evaluate_runs("notes.svm", {"rows": "four.txt", "ids": run}, MEASURES)
    assert values["rows"].per_query.to_dict() == values["ids"].per_query.to_dict()
    raises(lambda: rw.evaluate("notes.svm", run, ["AP"]), "duplicate-judgement", "judges document bad again")


def test_words_among_labels_and_pipes(folder: Path) -> None:
    """`grades` says what words mean; each pipe is read once."""
    (folder / "words.svm").write_text("good qid:1 1:1\nbad qid:1 1:1\n")
    (folder / "two.txt").write_text("0.1\n0.2\n")
    assert rw.evaluate("words.svm", "two.txt", ["RR"], grades={"good": 1, "bad": 0})["RR"] == 1 / 2
    texts = [(folder / name).read_bytes() for name in ("test.svm", "lgb.txt")]
    expected = rw.evaluate("test.svm", "lgb.txt", MEASURES).mean()
    for piped in ((0,), (1,), (0, 1)):
        paths = ["test.svm", "lgb.txt"]
        for index in piped:
            reading, writing = os.pipe()
            os.write(writing, texts[index])
            os.close(writing)
            paths[index] = f"/dev/fd/{reading}"
        assert rw.evaluate(*paths, MEASURES).mean() == expected


def test_the_rows_of_a_long_file_are_those_of_a_short_one(folder: Path) -> None:
    """Chunks that Polars parses and lines that are read by themselves give the same, and lines are counted on."""
    lines = [
        f"{row % 3} qid:{row // 50} " + " ".join(f"{number}:{row}" for number in range(60)) for row in range(20_000)
    ]
    (folder / "plain.svm").write_text("\n".join(lines))
    (folder / "blank.svm").write_text("\r\n".join([*lines[:15_000], " ", *lines[15_000:]]) + "\r\n")
    plain, blank = (rw.Qrels(name).to_frame() for name in ("plain.svm", "blank.svm"))
    assert plain["grade"].equals(blank["grade"])
    assert plain["query"].equals(blank["query"])
    documents = dict(zip(plain["document"], blank["document"], strict=True))
    assert documents == {str(row): str(row + (row > 15_000)) for row in range(1, 20_001)}


TEXTS = {
    "too few": (
        "0.1\n" * 5,
        "row-count",
        "has 5 scores, and test.svm has 7 rows: line 6 of test.svm is the first without a score",
    ),
    "too many": ("0.1\n" * 9, "row-count", "has 9 scores, and test.svm has 7 rows: score 8 is the first without a row"),
    "a word": ("0.1\nhigh\n" + "0.1\n" * 5, "bad-score", "bad.txt:2: the score is 'high', not a number"),
    "not a number": ("0.1\n" * 6 + "nan\n", "bad-score", "bad.txt:7: the score is nan"),
    "a cell too few": ("SampleId\tRawFormulaVal\n0\t0.1\n1\n", "unfit-columns", "bad.txt:3: a line has 2 cells"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_files_of_scores_that_do_not_fit_are_refused(case: str, folder: Path) -> None:
    """With both numbers and the first line that is wrong."""
    text, slug, message = TEXTS[case]
    (folder / "bad.txt").write_text(text)
    raises(lambda: rw.evaluate("test.svm", "bad.txt", ["AP"]), slug, message)


def test_scores_alone_are_refused_with_what_helps(folder: Path) -> None:
    """Beside judgements that are no rows, and where rows of a query stand apart."""
    (folder / "qrels.txt").write_text("7 0 1 1\n")
    raises(lambda: rw.evaluate("qrels.txt", "lgb.txt", ["AP"]), "unfit-columns", "rankworth evaluate test.svm")
    (folder / "apart.svm").write_text("1 qid:1 1:1\n0 qid:2 1:1\n1 qid:1 1:1\n")
    (folder / "three.txt").write_text("1\n2\n3\n")
    raises(
        lambda: rw.evaluate("apart.svm", "three.txt", ["AP"]),
        "scattered-rows",
        "apart.svm:3: the rows of query 1 stand apart",
    )


def test_a_long_flat_list_says_that_it_is_one_query() -> None:
    """From 300 items on."""
    with pytest.warns(rw.RankworthWarning, match="the 300 labels count as one query") as caught:
        values = rw.evaluate(labels=[1, 0, 0] * 100, scores=np.arange(300.0), measures=["NumRet"])
    assert values["NumRet"] == 300
    assert any("group=[10, 12, ...]" in str(warning.message) for warning in caught)
    short = rw.evaluate(labels=[1, 0, 0] * 99, scores=np.arange(297.0), measures=["NumRet"])
    assert "one-list" not in {notice.slug for notice in short.notices}


FRAME = {"qid": QID, "label": LABELS, "score": SCORES}
FRAMES: dict[str, object] = {
    "pandas": pd.DataFrame(FRAME),
    "pandas with another index": pd.DataFrame(FRAME, index=range(10, 17)),
    "Polars": pl.DataFrame(FRAME),
    "a lazy frame": pl.LazyFrame(FRAME),
    "texts": pl.DataFrame(FRAME).with_columns(pl.col("qid").cast(str)),
    "rows of a query apart": pd.DataFrame(FRAME).iloc[[3, 0, 4, 1, 5, 2, 6]],
    "padding": pd.DataFrame({name: [*column, -1] for name, column in FRAME.items()}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_of_rows_is_judgements_and_a_run(name: str) -> None:
    """By itself, and as labels; the rows of a query may stand apart, since their query says where they belong."""
    settings: dict[str, Any] = {"padding": -1} if name == "padding" else {}
    expected = rw.evaluate(labels=LABELS, scores=SCORES, qid=QID, measures=MEASURES).per_query.to_dict()
    values = rw.evaluate(labels=FRAMES[name], measures=MEASURES, **settings)
    assert values.per_query.to_dict() == expected
    assert "judged-rows" in {notice.slug for notice in values.notices}
    if not settings:
        assert rw.evaluate(FRAMES[name], measures=MEASURES).per_query.to_dict() == expected


def test_columns_of_a_frame_of_rows_are_named() -> None:
    frame = pl.DataFrame({"topic_no": QID, "clicks": LABELS, "f(x)": SCORES})
    named = {"query": "topic_no", "grade": "clicks", "score": "f(x)"}
    assert rw.evaluate(frame, columns=named, measures=MEASURES).mean() == of_lists(MEASURES)


@pytest.mark.parametrize(
    "source",
    [
        {"labels": LABELS, "scores": SCORES, "group": GROUP, "columns": {"query": "topic"}},
        {"labels": pl.DataFrame(FRAME), "columns": {"query": "topic"}},
        {"qrels": pl.DataFrame(FRAME), "qrels_columns": {"grade": "label"}, "run_columns": {"score": "nowhere"}},
    ],
)
def test_columns_that_rows_do_not_have_are_refused(source: dict[str, Any]) -> None:
    """Whatever the rows are made of; none is passed over in silence."""
    with pytest.raises(rw.InputError, match="frame-columns"):
        rw.evaluate(**source, measures=MEASURES)


def test_padding_is_left_out_of_a_frame_of_rows() -> None:
    frame = pl.DataFrame({name: [*column, -1] for name, column in FRAME.items()})
    assert rw.evaluate(frame, padding=-1, measures=MEASURES).mean() == of_lists(MEASURES)


def test_a_series_beside_a_list_has_no_index_to_differ_from() -> None:
    values = rw.evaluate(labels=pd.Series(LABELS, index=range(9, 16)), scores=SCORES, group=GROUP, measures=MEASURES)
    assert values.mean() == of_lists(MEASURES)


BAD_FRAMES: dict[str, tuple[object, str, str]] = {
    "judgements without a run": (pd.DataFrame({"query": [1], "document": [2], "grade": [1]}), "input-type", "no run"),
    "something else": (pd.DataFrame({"a": [1]}), "input-type", "there is no run"),
    "a score that is NaN": (
        pd.DataFrame(FRAME | {"score": [*SCORES[:6], float("nan")]}),
        "bad-score",
        "labels: row 6: the score is nan",
    ),
    "a label that is a text": (pd.DataFrame(FRAME | {"label": list("abcdefg")}), "bad-grade", "labels: row 0"),
    "no rows": (pd.DataFrame({"qid": [], "label": [], "score": []}), "empty-input", "there is no item"),
}


@pytest.mark.parametrize("case", BAD_FRAMES)
def test_frames_that_are_no_rows_are_refused(case: str) -> None:
    """With the first row that is wrong; a frame of judgements alone lacks a run."""
    frame, slug, text = BAD_FRAMES[case]
    raises(lambda: rw.evaluate(frame), slug, text)


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_a_frame_keeps_what_blank_says_of_labels() -> None:
    """A label that is missing in a table is a judgement without a grade."""
    frame = pd.DataFrame(FRAME | {"label": [1, 0, 2, None, 1, 0, 0]})
    masked = np.ma.array(LABELS, mask=[row == 3 for row in range(7)])
    for blank, labels in (("unjudged", masked), ("zero", LABELS)):
        expected = rw.evaluate(labels=labels, scores=SCORES, qid=QID, measures=[*MEASURES, "Judged@4"])
        values = rw.evaluate(frame, measures=[*MEASURES, "Judged@4"], blank=blank)  # type: ignore[arg-type]
        assert values.mean() == expected.mean()


def test_labels_of_minus_one_are_no_padding_unless_said() -> None:
    """They are grades, and a warning names the keyword."""
    labels = [1, 0, -1, 0, 1, 0, 0]
    with pytest.warns(rw.RankworthWarning, match="padding=-1 leaves them out of the ranking, too"):
        values = rw.evaluate(labels=labels, scores=SCORES, group=GROUP, measures=MEASURES)
    assert values["NumRet"] == 7
    assert rw.evaluate(labels=labels, scores=SCORES, group=GROUP, padding=-1, measures=MEASURES)["NumRet"] == 6


def test_a_frame_of_rows_is_labels(folder: Path) -> None:
    """As judgements and run it lacks documents, and the message names the columns that take it."""
    frame = pd.DataFrame({"qid": QID, "label": LABELS, "score": SCORES})
    raises(lambda: rw.evaluate(frame, frame, ["AP"]), "frame-columns", "columns={'document': ''}")
    assert folder.exists()
    values = rw.evaluate(labels=frame, measures=MEASURES)
    assert values.mean() == of_lists(MEASURES)
    assert rw.evaluate(frame, frame, MEASURES, columns={"document": ""}).mean() == values.mean()

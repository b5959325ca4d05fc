"""Tables of the rank of the first hit, in place of judgements and runs: what they tell, and what they are refused."""

import json
import math
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from rankworth.cli import main
from rankworth.stats import interval_of_median

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")

RANKS: Final = {"q1": 1, "q2": None, "q3": 4, "q4": 2}
RR: Final = (1 / 1 + 0 + 1 / 4 + 1 / 2) / 4
MEANS: Final = {
    "RR": RR,
    "RR@3": (1 / 1 + 1 / 2) / 4,
    "Success@1": 1 / 4,
    "Success@5": 3 / 4,
    "MedianRank": (2 + 4) / 2,
    "MedianRank@3": math.inf,
}
ROWS: Final = "query\trank\nq1\t1\nq2\tNF\nq3\t4\nq4\t2\n"


@pytest.mark.parametrize(
    ("first_ranks", "columns"),
    [
        (RANKS, None),
        ({"q1": "1", "q2": "NF", "q3": 4.0, "q4": 2}, None),
        ({"q1": 1, "q2": 0, "q3": 4, "q4": 2}, None),
        ({"q1": 1, "q2": -1, "q3": 4, "q4": 2}, None),
        ({"q1": 1, "q2": math.nan, "q3": 4, "q4": 2}, None),
        ([{"qid": query, "frank": rank} for query, rank in RANKS.items()], None),
        (pl.DataFrame({"query": list(RANKS), "pos": list(RANKS.values()), "n": 7}), {"first-rank": "pos"}),
        (pl.DataFrame({"id_of": list(RANKS), "rank": list(RANKS.values())}), {"query": "id_of", "first-rank": "rank"}),
    ],
)
def test_a_rank_for_each_query_is_enough(first_ranks: Any, columns: Any) -> None:
    values = rw.evaluate(first_ranks=first_ranks, measures=[*MEANS], columns=columns)
    assert values.mean() == MEANS
    assert values.notices == ()


def test_a_series_of_pandas_tells_ranks_by_query() -> None:
    pandas = pytest.importorskip("pandas")
    assert rw.evaluate(first_ranks=pandas.Series({"q1": 1, "q2": -1}), measures=["RR"])["RR"] == 1 / 2


@given(
    st.dictionaries(st.sampled_from([f"q{number}" for number in range(9)]), st.none() | st.integers(1, 30), min_size=1)
)
def test_ranks_alone_give_what_rankings_give(ranks: dict[str, int | None]) -> None:
    qrels = {query: {"hit": 1} for query in ranks}
    run = {
        query: [f"x{place}" for place in range((rank or 31) - 1)] + (["hit"] if rank else [])
        for query, rank in ranks.items()
    }
    measures = ["RR", "RR@5", "Success@5", "Success(rel=0.5)@10", "MedianRank", "MedianRank@10"]
    whole, alone = rw.evaluate(qrels, run, measures), rw.evaluate(first_ranks=ranks, measures=measures)
    assert alone.mean() == whole.mean()
    assert alone.per_query == whole.per_query
    for name, interval in whole.interval().items():
        assert alone.interval()[name] == pytest.approx(interval, nan_ok=True)


@pytest.mark.parametrize(
    "measure", ["nDCG@10", "AP", "P@1", "R@10", "MeanRank", "NumRet", "RR(rel=2)", "RR(judged_only=True)", "ERR"]
)
def test_all_that_needs_more_is_refused(measure: str) -> None:
    with pytest.raises(rw.InputError, match="only the rank of the first hit of each query is known") as caught:
        rw.evaluate(first_ranks=RANKS, measures=["RR", measure])
    assert caught.value.slug == "input-type"
    assert "RR RR@10 Success@1" in caught.value.remedy


@pytest.mark.parametrize(
    ("settings", "slug"),
    [
        ({"depth": 10}, "input-type"),
        ({"order": "score"}, "input-type"),
        ({"unjudged": "removed"}, "input-type"),
        ({"bounds": "unjudged"}, "unfollowed-setting"),
        ({"qrels": {"q1": {"a": 1}}}, "conflicting-options"),
        ({"labels": [1, 0]}, "conflicting-options"),
        ({"columns": {"document": "d"}}, "unknown-setting"),
        ({"first_ranks": {"q1": 0, "q2": -1}}, "bad-score"),
        ({"first_ranks": {"q1": 1.5}}, "bad-score"),
        ({"first_ranks": {"q1": "first"}}, "bad-score"),
        ({"first_ranks": {"q1": True}}, "bad-score"),
        ({"first_ranks": {}}, "empty-input"),
        ({"first_ranks": [{"qid": "q1", "a": 1, "b": 2}]}, "frame-columns"),
    ],
)
def test_what_contradicts_ranks_is_refused(settings: Any, slug: str) -> None:
    with pytest.raises(rw.RankworthError) as caught:
        rw.evaluate(**{"first_ranks": RANKS, "measures": ["RR"], **settings})
    assert caught.value.slug == slug


def test_a_profile_that_leaves_out_queries_without_results_counts_those_without_a_hit() -> None:
    assert rw.evaluate(first_ranks=RANKS, measures=["RR"], profile="trec_eval-10.0")["RR"] == RR


def test_ranks_of_two_systems_are_compared() -> None:
    old = {f"q{number}": 2 for number in range(12)}
    new = {f"q{number}": 1 for number in range(12)}
    sides = {"old": rw.evaluate(first_ranks=old), "new": rw.evaluate(first_ranks=new)}
    told = rw.compare(runs=sides, measures=["RR"])
    assert told.differences[0].difference == 1 / 2
    assert told.differences[0].word == "better"


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ranks.tsv").write_text(ROWS)
    Path("q.txt").write_text("q1 0 a 1\n")
    how = ["--columns", "first-rank=rank"]
    assert main(["evaluate", "ranks.tsv", *how, "-m", *MEANS, "-f", "json", "-q"]) == 0
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert run["name"] == "ranks"
    assert run["mean"] == {**MEANS, "MedianRank@3": "Infinity"}
    assert run["per_query"]["q2"] == {**dict.fromkeys(MEANS, 0.0), "MedianRank": "Infinity", "MedianRank@3": "Infinity"}
    assert main(["evaluate", "ranks.tsv", *how, "--fail-under", "RR=0.9"]) == 1
    capsys.readouterr()
    Path("new.tsv").write_text(ROWS.replace("NF", "1"))
    assert main(["compare", "ranks.tsv", "new.tsv", *how, "-m", "RR", "-f", "json"]) == 0
    [difference] = json.loads(capsys.readouterr().out)["differences"]
    assert difference["difference"] == 1 / 4
    Path("code.csv").write_text("code,rank\nq1,1\nq2,NF\n")
    for words, message in (
        (["evaluate", "ranks.tsv"], "rankworth evaluate ranks.tsv --columns first-rank=rank"),
        (["evaluate", "q.txt", "ranks.tsv"], "--columns first-rank=rank"),
        (["evaluate", "ranks.tsv", *how, "--exclude", "self"], "--exclude is about documents"),
        (["compare", "ranks.tsv", "ranks.tsv", *how], "two files are called 'ranks'"),
        (["evaluate", "nowhere.tsv", *how], "nowhere.tsv: there is no such file"),
        (["evaluate", "code.csv", *how], "say which it is: --columns query=NAME"),
        (
            ["evaluate", "code.csv", "--columns", "query=code", "first-rank=r"],
            "say which it is: --columns first-rank=NAME",
        ),
    ):
        assert main(words) == 2
        assert message in capsys.readouterr().err


def test_a_median_is_read_back_from_a_file(tmp_path: Path) -> None:
    values = rw.evaluate(first_ranks={"q1": 3, "q2": None, "q3": None}, measures=["MedianRank", "RR"])
    values.save(tmp_path / "values.json")
    [result] = rw.load(tmp_path / "values.json").values()
    assert result.mean() == values.mean() == {"MedianRank": math.inf, "RR": 1 / 9}


@pytest.mark.parametrize(("form", "mean"), [("csv", "inf"), ("tsv", "inf"), ("jsonl", '"Infinity"')])
def test_an_infinite_median_is_written_in_every_form_of_rows(
    form: str, mean: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ranks.csv").write_text("query,rank\nq1,1\nq2,NF\nq3,NF\n")
    words = ["evaluate", str(tmp_path / "ranks.csv"), "--columns", "first-rank=rank", "-m", "MedianRank", "-f", form]
    assert main(words) == 0
    assert mean in capsys.readouterr().out
    assert main([*words, "-q"]) == 0
    assert capsys.readouterr().out.count(mean) == 2


def test_an_infinite_median_stays_infinite_in_frames() -> None:
    values = rw.evaluate(first_ranks={"q1": None, "q2": None}, measures=["MedianRank"])
    assert (
        values.to_frame()["MedianRank"].to_list()
        == values.per_query.to_frame()["MedianRank"].to_list()[:1]
        == [math.inf]
    )


def test_an_undefined_rank_is_not_read_back_as_infinite(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    values = rw.evaluate(qrels, {"q1": ["a"], "q2": ["b"]}, ["MedianRank"], missing="nan")
    for name in ("values.json", "values.parquet"):
        values.save(tmp_path / name)
        [result] = rw.load(tmp_path / name).values()
        assert str(result.columns[0].values.tolist()) == "[1.0, inf, nan]"


@pytest.mark.parametrize(
    ("number", "place"),
    [(5, 0), (6, 1), (8, 1), (9, 2), (17, 5), (20, 6)],  # (1 + 6) / 2^6 > 0.025; (1 + 9) / 2^9 < 0.025; tables of 95 %
)
def test_the_interval_of_a_median_lies_between_order_statistics(number: int, place: int) -> None:
    ranks = {f"q{rank}": rank for rank in range(1, number + 1)}
    interval = rw.evaluate(first_ranks=ranks, measures=["MedianRank"]).interval()["MedianRank"]
    if not place:
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
    else:
        assert (interval.low, interval.high) == (place, number + 1 - place)
        below = sum(math.comb(number, least) for least in range(place)) / 2**number
        assert below <= 0.025 < below + math.comb(number, place) / 2**number


def test_a_narrower_level_has_a_narrower_interval() -> None:
    ordered = pl.Series(range(1, 31)).cast(pl.Float64).to_numpy()
    wide, narrow = interval_of_median(ordered, level=0.99), interval_of_median(ordered, level=0.5)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(
    "further", [{"weights": {"q1": 2, "q2": 1, "q3": 1, "q4": 1}}, {"macro": dict.fromkeys(RANKS, "a")}]
)
def test_a_median_has_no_weights(further: Any) -> None:
    with pytest.raises(rw.UsageError, match="MedianRank is measured on all queries together"):
        rw.evaluate(first_ranks=RANKS, measures=["MedianRank"], **further)


def test_a_median_is_not_compared() -> None:
    values = rw.evaluate(first_ranks=RANKS, measures=["MedianRank"])
    with pytest.raises(rw.MeasureError, match="medians") as caught:
        rw.compare(runs={"a": values, "b": values}, measures=["MedianRank"])
    assert "RR instead of MedianRank" in caught.value.remedy


def test_bounds_of_a_median_over_ties() -> None:
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0, "c": 1.0}, "q3": {"b": 2.0, "c": 1.5, "a": 1.0}}
    bounds = rw.evaluate(qrels, run, ["MedianRank"], bounds="ties").bounds
    assert bounds is not None
    assert (bounds["MedianRank"].low, bounds["MedianRank"].high) == (2.0, 3.0)  # of 1 2 3, and of 2 3 3


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("q1 1\nq2 NF\nq3 4\nq4 2\n", ["first-rank=2"]),
        ("q1 1\nq2 NF\nq3 4\nq4 2", ["query=1", "first-rank=2"]),
        ("1   q1\n-1  q2\n\n4   q3\n2   q4\n", ["query=2", "first-rank=1"]),
        ("q1 x 1\nq2 x NF\nq3 x 4\nq4 x 2\n", ["first-rank=3"]),
        ("q1,1\nq2,NF\nq3,4\nq4,2\n", ["query=1", "first-rank=2"]),
    ],
)
def test_columns_between_blanks_are_counted(
    text: str, columns: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ranks.txt"
    path.write_text(text)
    assert main(["evaluate", str(path), "--columns", *columns, "-m", "RR", "-f", "tsv"]) == 0
    assert float(capsys.readouterr().out.split()[-1]) == RR


def test_a_line_with_too_few_cells_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranks.txt"
    path.write_text("q1 1\nq2\n")
    with pytest.raises(rw.InputError, match=r"ranks\.txt:2: there is no column 2; the line has 1"):
        rw.evaluate(first_ranks=path, columns={"first-rank": "2"})


@pytest.mark.parametrize("option", ["--run-columns", "--qrels-columns"])
def test_ranks_named_for_one_input_are_refused_with_the_option_that_reads_them(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text("query,pos\nq1,1\nq2,NF\nq3,4\nq4,2\n")
    assert main(["evaluate", str(path), option, "first-rank=pos"]) == 2
    remedy = capsys.readouterr().err.splitlines()[1].split()
    assert remedy == ["--columns", "first-rank=pos"]
    assert main(["evaluate", str(path), *remedy, "-m", "RR", "-f", "tsv"]) == 0
    assert float(capsys.readouterr().out.split()[-1]) == RR

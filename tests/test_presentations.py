"""How groups are ordered, ranks are typed and thresholds of relevance are worded; what is not used is refused."""

import inspect
import json
from pathlib import Path
from typing import Any, Final

import pandas as pd
import polars as pl
import pytest

import rankworth as rw
from rankworth import plots
from rankworth.cli.app import main

QRELS: Final = {f"q{number}": {"a": 1, "b": 0} for number in range(4)}
RUN: Final = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
ORDER: Final = ["short", "medium", "long"]
LENGTHS: Final = pd.DataFrame({
    "query": list(QRELS),
    "text": "",
    "length": pd.Categorical(["long", "short", "medium", None], ORDER, ordered=True),
    "language": ["b", "a", "b", "a"],
})  # fmt: skip


# Groups


@pytest.mark.parametrize(
    "table",
    [
        LENGTHS,
        pl.from_pandas(LENGTHS).with_columns(pl.col("length").cast(str).cast(pl.Enum(ORDER))),
    ],
    ids=["pandas", "polars"],
)
def test_groups_keep_the_order_of_an_ordered_categorical(table: Any) -> None:
    assert list(rw.evaluate(QRELS, RUN, ["RR"], table=table, by="length").slices) == [*ORDER, "(none)"]
    crossed = rw.evaluate(QRELS, RUN, ["RR"], table=table, by=["language", "length"])
    assert list(crossed.slices) == ["a / short", "a / (none)", "b / medium", "b / long"]


def test_a_series_keeps_its_order_and_other_groups_are_sorted() -> None:
    series = LENGTHS.set_index("query")["length"]
    assert list(rw.evaluate(QRELS, RUN, ["RR"], by=series).slices) == [*ORDER, "(none)"]
    assert list(rw.evaluate(QRELS, RUN, ["RR"], by=series.astype(object)).slices)[:3] == sorted(ORDER)
    unordered = LENGTHS.assign(length=LENGTHS["length"].cat.as_unordered())
    assert list(rw.evaluate(QRELS, RUN, ["RR"], table=unordered, by="length").slices)[:3] == sorted(ORDER)


TABLE: Final = [
    {"qid": f"q{number}", "text": "", "language": "ab"[number % 2], "device": ("x", "y", None, "x")[number]}
    for number in range(4)
]
MIXED: Final = {query: {"a": float(place % 2), "b": 0.5} for place, query in enumerate(QRELS)}


def test_several_columns_are_shown_each_by_itself() -> None:
    values = rw.evaluate(QRELS, MIXED, ["RR"], table=TABLE, by="language,device")
    assert list(values.slices) == ["language: a", "language: b", "device: x", "device: y", "device: (none)"]
    for column in ("language", "device"):
        for group, part in rw.evaluate(QRELS, MIXED, ["RR"], table=TABLE, by=column).slices.items():
            assert values.slices[f"{column}: {group}"] == part
            assert values.slices[f"{column}: {group}"].counts == part.counts
    assert values.per_query.to_frame()["group"].to_list() == ["a,x", "b,y", "a,(none)", "b,x"]
    assert next(iter(rw.evaluate(QRELS, MIXED, ["RR"], table=TABLE, by=["language", "device"]).slices)) == "a / x"


def test_a_column_with_a_comma_in_its_name_is_one_column() -> None:
    table = [{**row, "a,b": row["language"]} for row in TABLE]
    assert list(rw.evaluate(QRELS, RUN, ["RR"], table=table, by="a,b").slices) == ["a", "b"]
    with pytest.raises(rw.InputError, match="there is no column devices"):
        rw.evaluate(QRELS, RUN, ["RR"], table=TABLE, by="language,devices")
    with pytest.raises(rw.InputError, match="there is no column language,device"):
        rw.evaluate(QRELS, RUN, ["RR"], table=TABLE, macro="language,device")


def test_comparisons_and_agreement_are_told_by_each_column() -> None:
    compared = rw.compare(QRELS, {"x": MIXED, "y": RUN}, ["RR"], table=TABLE, by="language,device")
    assert {column: [row.group for row in rows] for column, rows in compared.slices.items()} == {
        "language": ["a", "b"],
        "device": ["x", "y", "(none)"],
    }
    alone = rw.compare(QRELS, {"x": MIXED, "y": RUN}, ["RR"], table=TABLE, by="device")
    assert repr(compared.slices["device"]) == repr(alone.slices["device"])  # NaN among them
    agreed = rw.agreement(QRELS, QRELS, table=TABLE, by="language,device")
    assert list(agreed.groups) == ["language: a", "language: b", "device: x", "device: y", "device: (none)"]


def test_gates_and_files_know_the_columns_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text("".join(f"{query} 0 a 1\n" for query in QRELS))
    lines = [f"{query} Q0 {document} 1 {score} t\n" for query, run in MIXED.items() for document, score in run.items()]
    Path("a.run").write_text("".join(lines))
    Path("t.tsv").write_text(
        "qid\ttext\tlanguage\tdevice\n" + "".join(f"q{n}\t-\t{'ab'[n % 2]}\tx\n" for n in range(4))
    )
    given = ["evaluate", "q.txt", "a.run", "-m", "RR", "--queries", "t.tsv", "--by", "language,device"]
    assert (
        main([*given, "-q", "-o", "values.json", "--fail-under", "language:RR=0.4", "--fail-under", "device:RR=0.7"])
        == 0
    )
    assert main([*given, "--fail-under", "language:RR=0.9"]) == 1
    [run] = json.loads(Path("values.json").read_text())["runs"]
    assert [*run["groups"]] == ["language: a", "language: b", "device: x"]
    assert rw.load("values.json")["a"]["RR"] == 0.75


# Ranks


@pytest.mark.parametrize(
    ("ranks", "typed"), [(["1", "2"], [1, 2]), (["1.5", "2"], [1.5, 2.0]), (["-", "2"], [None, 2])]
)
def test_ranks_of_a_run_are_numbers(ranks: list[str], typed: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"q1 Q0 d{rank} {rank} {9 - number} t\n" for number, rank in enumerate(ranks)))
    column = rw.Run(path).to_frame()["rank"]
    assert column.to_list() == typed
    assert column.dtype == (pl.Float64 if 1.5 in typed else pl.Int64)


# Thresholds of relevance


def test_the_least_number_is_said_in_words() -> None:
    values = rw.evaluate(QRELS, RUN, ["AP"], profile="opensearch")
    assert "AP: documents of a grade above 0 are relevant" in str(values)
    told = str(rw.explain(QRELS, RUN, "AP", query="q1", profile="replay"))
    assert "documents of a grade above 0 are relevant" in " ".join(told.split())
    assert "e-324 or higher" not in told + str(values)


# What is not used is refused

CALL: Final = {
    "qrels": QRELS, "qrels_a": QRELS, "qrels_b": QRELS, "people": QRELS, "exact": RUN, "run": RUN, "query": "q1",
    "runs": dict.fromkeys("abc", RUN), "measure": "RR", "measures": ["RR"], "corpus": [[1.0]], "queries": [[1.0]],
    "variation": ["RR"],
}  # fmt: skip
OTHERS: Final[dict[str, dict[str, Any]]] = {
    "audit": {"measure": "RR=0.5"},
    "chunks": {"gold": {"q": [("s", 0, 9)]}, "chunkings": {"a": [("s", 0, 9)]}},
    "evaluate_embeddings": {"qrels": {"0": {"0": 1}}},
    "judge_next": {"runs": {"a": RUN, "b": RUN}},
    "trace": {"stages": {"first": RUN, "last": RUN}},
    "vary": {"measures": "RR"},
    "evaluate": {"queries": None}, "evaluate_runs": {"queries": None}, "evaluate_profiles": {"queries": None},
}  # fmt: skip


def functions() -> dict[str, Any]:
    """The public functions that take keywords of any name."""
    named = {name: getattr(rw, name) for name in dir(rw)}
    named |= {f"plots.{name}": function for name, function in vars(plots).items() if not name.startswith("_")}
    named |= {f"plots.data.{name}": function for name, function in vars(plots.data).items() if not name.startswith("_")}
    return {
        name: function
        for name, function in named.items()
        if inspect.isfunction(function)
        and function.__module__.startswith("rankworth")
        and any(each.kind is each.VAR_KEYWORD for each in inspect.signature(function).parameters.values())
    }


@pytest.mark.parametrize("name", functions())
def test_a_keyword_that_no_function_knows_is_refused(name: str) -> None:
    function = functions()[name]
    known = inspect.signature(function).parameters
    call = CALL | OTHERS.get(name, {})
    if (
        known.get("queries", inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY)).kind
        is inspect.Parameter.KEYWORD_ONLY
    ):
        call = {key: value for key, value in call.items() if key != "queries"}
    arguments = {key: value for key, value in call.items() if key in known}
    with pytest.raises(rw.RankworthError, match="banana") as caught:
        function(**arguments, banana=3)
    assert caught.value.slug == "unknown-setting"


def test_what_is_varied_already_takes_no_settings() -> None:
    variation = rw.vary(measures="RR", grades=[1, 0])
    with pytest.raises(rw.UsageError, match="banana=3") as caught:
        plots.vary(variation, banana=3)
    assert caught.value.slug == "unknown-setting"
    with pytest.raises(rw.UsageError, match="'cutoff'"):
        plots.vary(variation, "cutoff")

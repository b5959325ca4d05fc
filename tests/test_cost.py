"""Cutoffs by cost, beside a ranking that is cut by a loop, and costs from every way in."""

import io
import json
import math
import pickle
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError
from rankworth.model.cost_rows import tokens

few = settings(max_examples=80, deadline=None)
DOCUMENTS = "abcdef"
QRELS = {"q1": {"a": 1, "b": 1, "z": 1}, "q2": {"m": 2}}
ROWS = [
    {"query": "q1", "document": "a", "score": 4, "tokens": 100, "text": "one two three"},
    {"query": "q1", "document": "x", "score": 3, "tokens": 200, "text": "x y"},
    {"query": "q1", "document": "b", "score": 2, "tokens": 300, "text": "b."},
    {"query": "q2", "document": "n", "score": 9, "tokens": 50, "text": ""},
    {"query": "q2", "document": "m", "score": 8, "tokens": 25, "text": "m"},
]
COSTS = {"q1": {"a": 100, "x": 200, "b": 300}, "q2": {"n": 50, "m": 25}}
RUN = {"q1": {"a": 4.0, "x": 3.0, "b": 2.0}, "q2": {"n": 9.0, "m": 8.0}}
MEASURES = ["R@300tok", "nDCG@600tok", "P@75tok", "AP@100tok", "RR@50tok"]


def evaluated(*arguments: Any, **options: Any) -> rw.Values:
    """Values, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.evaluate(*arguments, **options)


def cut(ranking: list[str], cost: dict[str, float], budget: float, end: str) -> tuple[list[str], str, float]:
    """The documents that count, that at which the budget ends, if any of it fits, and the share that does."""
    kept, spent = [], 0.0
    for document in ranking:
        if spent + cost[document] <= budget:
            kept.append(document)
            spent += cost[document]
            continue
        share = (budget - spent) / cost[document] if spent < budget else 0.0
        if end == "whole" and share > 0:
            kept.append(document)
        return kept, document, share
    return kept, "", 0.0


def value_of(qrels: dict[str, int], ranking: list[str], measure: str) -> float:
    """The value of one ranking, NaN where it is undefined; of an empty one that of a query without results."""
    judged = {"q": qrels, "other": {"a": 1}}
    values = evaluated(judged, {"q": ranking, "other": ["a"]}, [measure], undefined="nan")
    return values.per_query.to_dict()["q"][measure]


@few
@given(
    st.permutations(list(DOCUMENTS)),
    st.integers(1, 6),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1),
    st.lists(st.one_of(st.integers(0, 5), st.just(0)), min_size=6, max_size=6),
    st.integers(1, 20),
    st.sampled_from(["R", "P", "nDCG", "AP", "RR", "Success", "RBP", "Complete", "DCG(gain=exp2)", "F"]),
)
def test_a_budget_cuts_as_a_loop_does(
    order: list[str], length: int, qrels: dict[str, int], prices: list[int], budget: int, name: str
) -> None:
    ranking, cost = order[:length], dict(zip(DOCUMENTS, map(float, prices), strict=True))
    run = rw.Run({"q": ranking, "other": ["a"]}).with_costs(cost, "tokens")
    judged = {"q": qrels, "other": {"a": 1}}
    inside = name[:-1] + ", " if "(" in name else f"{name}("
    for end in ("without", "whole"):
        measure = f"{inside}end={end})@{budget}tok"
        value = evaluated(judged, run, [measure], undefined="nan").per_query.to_dict()["q"][measure]
        kept, _, _ = cut(ranking, cost, budget, end)
        assert value == pytest.approx(value_of(qrels, kept, name), nan_ok=True), (kept, end)
    kept, following, share = cut(ranking, cost, budget, "share")
    measure = f"{inside}end=share)@{budget}tok"
    value = evaluated(judged, run, [measure], undefined="nan").per_query.to_dict()["q"][measure]
    low = value_of(qrels, kept, name)
    high = value_of(qrels, [*kept, following], name) if share > 0 else low
    if math.isnan(low) and not math.isnan(high):
        low = 0.0
    high = low if math.isnan(high) else high
    assert value == pytest.approx(low + share * (high - low), nan_ok=True)


@few
@given(
    st.permutations(list(DOCUMENTS)),
    st.integers(1, 6),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1),
    st.lists(st.integers(0, 50), min_size=6, max_size=6),
    st.sampled_from([0, 70, 100000]),
)
def test_the_cost_of_reading_is_that_of_a_loop(
    order: list[str], length: int, qrels: dict[str, int], prices: list[int], absent: int
) -> None:
    ranking, cost = order[:length], dict(zip(DOCUMENTS, map(float, prices), strict=True))
    relevant = {document for document, grade in qrels.items() if grade >= 1}
    run = rw.Run({"q": ranking, "other": ["a"]}).with_costs(cost)
    names = [f"CostToFirst(absent={absent})", f"CostToAll(absent={absent})"]
    values = evaluated({"q": qrels, "other": {"a": 1}}, run, names, undefined="nan").per_query.to_dict()["q"]
    for name, wanted in zip(names, (1, len(relevant)), strict=True):
        spent, found, expected = 0.0, 0, math.nan
        if relevant:
            expected = max(float(absent), sum(cost[document] for document in ranking))
            for document in ranking:
                spent, found = spent + cost[document], found + (document in relevant)
                if found == wanted:
                    expected = spent
                    break
        assert values[name] == pytest.approx(expected, nan_ok=True)


def write(folder: Path) -> dict[str, str]:
    """The rows as files of every kind that has columns."""
    frame = pl.DataFrame(ROWS)
    paths = {name: str(folder / name) for name in ("run.csv", "run.tsv", "run.jsonl", "run.parquet", "lists.jsonl")}
    frame.drop("text").write_csv(paths["run.csv"])
    frame.drop("text").write_csv(paths["run.tsv"], separator="\t")
    frame.write_parquet(paths["run.parquet"])
    Path(paths["run.jsonl"]).write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    lists = [
        {"query": query, "results": [{key: row[key] for key in ("document", "score", "tokens")} for row in rows]}
        for query in COSTS
        for rows in [[row for row in ROWS if row["query"] == query]]
    ]
    Path(paths["lists.jsonl"]).write_text("".join(json.dumps(row) + "\n" for row in lists))
    return paths


def test_costs_come_from_every_way_in(tmp_path: Path) -> None:
    expected = dict(evaluated(QRELS, rw.Run(RUN).with_costs(COSTS), MEASURES))
    assert expected["R@300tok"] == pytest.approx((1 / 3 + 1) / 2)
    flat = {document: cost for costs in COSTS.values() for document, cost in costs.items()}
    assert dict(evaluated(QRELS, rw.Run(RUN).with_costs(flat), MEASURES)) == expected
    for source in (ROWS, pl.DataFrame(ROWS), pl.DataFrame(ROWS).to_pandas(), *write(tmp_path).values()):
        assert dict(evaluated(QRELS, source, MEASURES, cost="tokens")) == expected, source
        assert dict(evaluated(QRELS, source, MEASURES, run_columns={"tokens": "tokens"})) == expected
    renamed = pl.DataFrame(ROWS).rename({"tokens": "n"})
    assert dict(evaluated(QRELS, renamed, MEASURES, cost="tokens=n")) == expected
    runs = {"one": ROWS, "two": [{**row, "tokens": 1} for row in ROWS]}
    with warnings.catch_warnings(action="ignore"):
        both = rw.evaluate_runs(QRELS, runs, ["R@300tok"], cost="tokens")
    assert [values["R@300tok"] for values in both.values()] == pytest.approx([expected["R@300tok"], (2 / 3 + 1) / 2])


def test_texts_are_counted_by_the_stated_rule(tmp_path: Path) -> None:
    assert [tokens(text) for text in ("", "one two", "What's new?", "naïve façade", "日本 語")] == [0, 2, 5, 2, 2]
    paths = write(tmp_path)
    rows = [{**row, "text": row["text"] or "n"} for row in ROWS]
    for source in (rows, pl.DataFrame(rows)):
        assert evaluated(QRELS, source, ["R@6tok"], cost="tokens=text")["R@6tok"] == pytest.approx((1 / 3 + 1) / 2)
        assert evaluated(QRELS, source, ["R@7tok"], cost="tokens=text")["R@7tok"] == pytest.approx((2 / 3 + 1) / 2)
        assert evaluated(QRELS, source, ["R@13B"], cost="bytes=text")["R@13B"] == pytest.approx((1 / 3 + 1) / 2)
    Path(paths["run.csv"]).write_text(pl.DataFrame(rows).write_csv())
    Path(paths["run.jsonl"]).write_text("".join(json.dumps(row) + "\n" for row in rows))
    for path in (paths["run.csv"], paths["run.jsonl"]):
        assert evaluated(QRELS, path, ["R@7tok"], cost="tokens=text")["R@7tok"] == pytest.approx((2 / 3 + 1) / 2)
    Path(paths["run.csv"]).write_text(pl.DataFrame(ROWS).write_csv())
    with pytest.raises(InputError, match="whose tokens could be counted") as caught:
        evaluated(QRELS, paths["run.csv"], ["R@7tok"], cost="tokens=text")
    assert caught.value.slug == "bad-cost"


WORDS = {"a": "one two three", "x": "four five", "b": "six"}
"""of a run in this order: 3, 5 and 6 words down to each document"""
OF_TEXTS: dict[str, tuple[Any, str]] = {
    "records in lists": ({"q1": [{"id": name, "text": text} for name, text in WORDS.items()]}, "text"),
    "objects": ({"q1": [SimpleNamespace(id=name, page_content=text) for name, text in WORDS.items()]}, "page_content"),
    "objects with scores": (
        {"q1": [(SimpleNamespace(id=name, page_content=text), -len(name)) for name, text in WORDS.items()]},
        "page_content",
    ),
    "hits of an engine": (
        {
            "q1": {
                "hits": {"hits": [{"_id": d, "_score": -n, "_source": {"text": WORDS[d]}} for n, d in enumerate(WORDS)]}
            }
        },
        "_source.text",
    ),
    "lists beside each other": ([{"query": "q1", "docs": [*WORDS], "text": [*WORDS.values()]}], "text"),
    "rows": ([{"query": "q1", "document": d, "text": WORDS[d], "score": -n} for n, d in enumerate(WORDS)], "text"),
    "a frame": (
        pl.DataFrame({"query": ["q1"] * 3, "document": [*WORDS], "text": [*WORDS.values()], "score": [3, 2, 1]}),
        "text",
    ),
}


@pytest.mark.parametrize("form", OF_TEXTS)
def test_texts_are_counted_in_every_form(form: str, tmp_path: Path) -> None:
    source, column = OF_TEXTS[form]
    runs = [source]
    if form not in ("objects", "objects with scores", "a frame"):
        (tmp_path / "run.json").write_text(json.dumps(source))
        runs.append(str(tmp_path / "run.json"))
    for run in runs:
        values = evaluated({"q1": {"a": 1, "b": 1}}, run, ["R@2tok", "R@5tok", "R@6tok"], cost=f"tokens={column}")
        assert [*values.values()] == [0, 1 / 2, 1]


@pytest.mark.parametrize(("cost", "measure"), [("tokens", "R@399tok"), ("tokens=text", "R@4tok")])
def test_standard_input_has_costs(
    cost: str, measure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.json").write_text(json.dumps({"q1": {"a": 1, "b": 1}}))
    lines = b"query,document,score,tokens,text\nq1,a,3,100,a b c\nq1,b,2,300,d e\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["evaluate", str(tmp_path / "qrels.json"), "-", "-m", measure, "--cost", cost, "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"stdin,{1 / 2}"


def test_texts_that_read_as_numbers_are_no_costs_beside_texts() -> None:
    rows = [
        {"query": "q1", "document": "a", "text": "one", "score": 2},
        {"query": "q1", "document": "b", "text": "42", "score": 1},
    ]
    with pytest.raises(InputError) as caught:
        evaluated({"q1": {"a": 1}}, rows, ["R@2tok"], cost="tokens=text")
    assert caught.value.slug == "bad-cost"


@pytest.mark.parametrize(
    ("cell", "text"), [("-5", "run.csv:3"), ("", "run.csv:3"), ("many", "run.csv:3"), ("nan", "tokens")]
)
def test_costs_that_are_none_are_refused_with_their_line(tmp_path: Path, cell: str, text: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"query,document,score,tokens\nq1,a,4,100\nq1,x,3,{cell}\nq1,b,2,300\nq2,m,1,1\n")
    with pytest.raises(InputError, match="3") as caught:
        evaluated(QRELS, str(path), ["R@300tok"], cost="tokens")
    assert caught.value.slug == "bad-cost"
    assert text in str(caught.value)


def test_what_cannot_be_cut_is_refused() -> None:
    for call, slug in (
        (lambda: evaluated(QRELS, RUN, ["R@300tok"]), "missing-input"),
        (lambda: evaluated(QRELS, RUN, ["CostToFirst"]), "missing-input"),
        (lambda: rw.score([1, 0], "R@300tok"), "missing-input"),
        (lambda: evaluated(QRELS, rw.Run(RUN).with_costs({"a": 1}), ["R@300tok"]), "bad-cost"),
        (lambda: rw.Run(RUN).with_costs({"a": -1}), "bad-cost"),
        (lambda: rw.Run(RUN).with_costs({"a": math.nan}), "bad-cost"),
        (lambda: rw.Run(RUN).with_costs({"a": True}), "bad-cost"),
        (lambda: rw.Run(RUN).with_costs({"a": 1}, "euros"), "unknown-setting"),
        (lambda: evaluated(QRELS, ROWS, ["R@300tok"], cost="price"), "unknown-setting"),
        (lambda: evaluated(QRELS, ROWS, ["R@300tok"], cost="tokens=n"), "frame-columns"),
        (lambda: evaluated(QRELS, ROWS, ["R@300B"], cost="tokens"), "bad-cutoff"),
        (lambda: evaluated(QRELS, ROWS, ["R@10"], cost="tokens"), "conflicting-options"),
        (lambda: evaluated(QRELS, ROWS, ["R(end=half)@10tok"], cost="tokens"), "bad-parameter"),
        (lambda: evaluated(QRELS, rw.Run(RUN).with_costs(COSTS), ["R(end=whole)"]), "bad-parameter"),
        (lambda: rw.parse("Coverage@300tok"), "measure-syntax"),
        (lambda: rw.parse("NumRet@300tok"), "bad-cutoff"),
        (lambda: rw.parse("R@0tok"), "bad-cutoff"),
        (
            lambda: evaluated(QRELS, [{**row, "score": 1} for row in ROWS], ["R@9tok"], cost="tokens", ties="expected"),
            "bad-definition",
        ),
        (
            lambda: evaluated(QRELS, [*ROWS, {**ROWS[0], "tokens": 9}], ["R@9tok"], cost="tokens", duplicates="best"),
            "bad-cost",
        ),
    ):
        with pytest.raises((InputError, MeasureError, UsageError)) as caught:
            call()
        assert caught.value.slug == slug, caught.value


def test_names_of_budgets() -> None:
    assert str(rw.R @ "2000tok") == "R@2000tok"
    assert str(rw.parse("ndcg(end=share, gain=exp2)@ 2000 tok")) == "nDCG(gain=exp2, end=share)@2000tok"
    assert rw.R @ "2000tok" == rw.parse("R@2000tok") != rw.R @ 2000
    assert (rw.R @ "2000tok") @ 5 == rw.R @ 5
    assert pickle.loads(pickle.dumps(rw.R(end="whole") @ "9ms")) == rw.parse("R(end=whole)@9ms")
    values = evaluated(QRELS, ROWS, ["R@100tok,300tok"], cost="tokens")
    assert [*values] == ["R@100tok", "R@300tok"]
    assert str(values.signature).endswith("|cost:tokens")
    assert str(evaluated(QRELS, [ROWS[0], ROWS[4]], ["R@2tok"], cost="tokens=text").signature).endswith(
        "|cost:tokens=text"
    )


def test_other_analyses_take_budgets() -> None:
    costly = rw.Run([{**row, "tokens": 2 * row["tokens"]} for row in ROWS], "costly", columns={"tokens": "tokens"})
    cheap = rw.Run(ROWS, "cheap", columns={"tokens": "tokens"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        compared = rw.compare(QRELS, [costly, cheap], ["R@300tok"])
    assert compared.differences[0].difference == pytest.approx((2 / 3 + 2) / 2 / 2 - (1 / 3 + 1) / 2 + 0, abs=1)
    explained = rw.explain(QRELS, cheap, "R@300tok", query="q1")
    assert explained.value == pytest.approx(1 / 3)
    removed = evaluated(QRELS, cheap, ["R@400tok", "R(judged_only=True)@400tok"])
    assert [*removed.values()] == pytest.approx([(1 / 3 + 1) / 2, (2 / 3 + 1) / 2])
    ties = rw.Run([{**row, "score": 1} for row in ROWS], columns={"tokens": "tokens"})
    assert evaluated(QRELS, ties, ["R@300tok"], ties="id-ascending")["R@300tok"] == pytest.approx((1 / 3 + 1) / 2)
    assert np.isfinite(evaluated(QRELS, cheap, ["nDCG@300tok"], unjudged="removed")["nDCG@300tok"])


def test_the_command_takes_the_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path)
    qrels = tmp_path / "qrels.json"
    qrels.write_text(json.dumps(QRELS))
    assert main(["evaluate", str(qrels), paths["run.csv"], "-m", "R@300tok", "--cost", "tokens", "-f", "csv"]) == 0
    assert "0.666" in capsys.readouterr().out
    assert main(["evaluate", str(qrels), paths["run.jsonl"], "-m", "R@300tok", "--cost", "tokens=n"]) == 2
    assert "frame-columns" in capsys.readouterr().err


def test_what_has_no_costs_refuses_budgets() -> None:
    with warnings.catch_warnings(action="ignore"), pytest.raises(UsageError, match="is not varied"):
        rw.evaluate(QRELS, rw.Run(RUN).with_costs(COSTS), ["R@300tok"], bounds="unjudged")
    with pytest.raises(MeasureError, match="which a matrix does not say"):
        rw.tensors.evaluate(np.ones((1, 2)), np.zeros((1, 2)), ["P@100tok"])
    with pytest.raises(MeasureError, match="not its best order"):
        rw.trace(QRELS, [RUN], "R@300tok")

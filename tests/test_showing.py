"""Results that show themselves: values of one run, of several, of single queries."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import rankworth as rw
from rankworth.errors import in_python
from rankworth.results.values import PerQuery
from rankworth.tables import markup
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import Look
from rankworth.tables.show import Shown, show

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d3": 2}}
GOOD = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}, "q3": {"d3": 1.0}}
POOR = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}


def several() -> rw.RunValues:
    with pytest.warns(rw.RankworthWarning):
        return rw.evaluate_runs(QRELS, {"good": GOOD, "<poor>": POOR}, ["RR", "NumRelRet"])


def cells(sheet: Sheet) -> list[list[Any]]:
    return [list(column.values) for column in sheet.columns]


def test_runs_show_a_row_each_with_counts_and_what_deserves_a_second_look() -> None:
    [sheet] = several().sheets()
    assert [column.name for column in sheet.columns] == ["run", "RR", "NumRelRet"]
    assert cells(sheet) == [["good", "<poor>"], [1.0, (1 / 2 + 1 + 0) / 3], [3, 2]]
    assert sheet.notes[0] == "good: 3 of 3 judged queries scored"
    assert sheet.notes[-1].startswith("<poor> has no results for 1 of 3 judged queries")
    assert sheet.notes[-1].endswith("[many-unanswered]")
    assert sheet.comment.startswith("profile:standard-1|queries:3-")


def test_one_run_shows_what_it_shows_among_others() -> None:
    values = several()["<poor>"]
    [sheet] = values.sheets()
    assert cells(sheet) == [["<poor>"], [(1 / 2 + 1 + 0) / 3], [2]]
    assert sheet.comment == values.signature


def test_queries_show_a_row_each() -> None:
    [sheet] = several()["<poor>"].per_query.sheets()
    assert [(column.name, column.kind) for column in sheet.columns] == [
        ("query", "text"), ("RR", "share"), ("NumRelRet", "count"),
    ]  # fmt: skip
    assert cells(sheet) == [["q1", "q2", "q3"], [1 / 2, 1.0, 0.0], [1, 1, 0]]


def test_texts_of_queries_stand_among_their_values() -> None:
    values = rw.evaluate(QRELS, GOOD, ["RR", "relstring"])
    [sheet] = values.per_query.sheets()
    assert [column.name for column in sheet.columns] == ["query", "relstring", "RR"]
    assert "relstring: a text for each query, which per_query shows" in values.sheets()[0].notes


@pytest.mark.parametrize("get", [several, lambda: several()["good"], lambda: several()["good"].per_query])
def test_the_three_forms_are_those_of_the_sheets(get: Callable[[], Any]) -> None:
    result = get()
    assert isinstance(result, Shown)
    sheets = [replace(sheet, notes=tuple(map(in_python, sheet.notes))) for sheet in result.sheets()]
    assert result.to_html() == result._repr_html_() == markup.fragment(sheets, Look())
    assert result.to_html(page=True) == markup.page(sheets, Look())
    assert result.to_markdown() == result._repr_markdown_() == show(sheets, "md", Look())
    assert result.to_latex() == result._repr_latex_() == show(sheets, "latex", Look())


def test_digits_and_percent_are_the_readers_choice() -> None:
    values = several()["<poor>"]
    assert r"| \<poor\> | 50.0% | 2 |" in values.to_markdown(digits=1, percent=True)
    assert r"\textless{}poor\textgreater{} & 0.50 & 2 \\" in values.to_latex(digits=2)
    assert ">50.00%</td>" in values.to_html(percent=True)


def test_nothing_measured_shows_nothing() -> None:
    nothing = rw.RunValues({})
    assert nothing.sheets() == []
    assert nothing.to_markdown() == nothing.to_latex() == repr(nothing) == ""
    assert "<table" not in nothing.to_html()


def test_a_notebook_shows_the_first_queries_and_says_how_many_there_are() -> None:
    qrels = {f"q{place:04}": {"d1": 1} for place in range(1_000)}
    found = rw.evaluate(qrels, qrels, ["RR"]).per_query
    for shown in (found._repr_html_(), found._repr_markdown_(), found._repr_latex_()):
        assert re.findall(r"\bq\d{4}\b", shown) == [f"q{place:04}" for place in range(60)]
        assert "the first 60 of 1,000 rows" in shown
    for whole in (found.to_html(), found.to_markdown(), found.to_latex()):
        assert re.findall(r"\bq\d{4}\b", whole) == list(qrels)
        assert "the first" not in whole
    assert repr(found) == "PerQuery(1,000 queries, RR)"


def test_the_beginning_of_a_sheet_calls_nothing_the_best() -> None:
    sheet = Sheet((Column("run", "text", ["a", "b", "c"]), Column("AP", "share", [0.1, 0.2, 0.3], "highest")), ("n",))
    assert sheet.beginning(3) is sheet
    first = sheet.beginning(2)
    assert cells(first) == [["a", "b"], [0.1, 0.2]]
    assert "**" not in show([first], "md", Look())
    assert first.notes == ("the first 2 of 3 rows", "n")


def test_values_of_queries_can_be_made_without_saying_what_they_are() -> None:
    values = rw.evaluate(QRELS, GOOD, ["RR"]).per_query
    bare = PerQuery(values.queries, values.measures, values.array)
    assert bare.kinds == {"RR": "value"}
    assert bare.to_markdown() == values.to_markdown()


def test_what_shows_itself_must_say_what_there_is_to_see() -> None:
    class Silent(Shown):
        pass

    with pytest.raises(TypeError, match="sheets"):
        Silent()  # type: ignore[abstract]

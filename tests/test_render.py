"""Sheets as text: what a reader, a document and a program get to see."""

import csv
import io
import json
import math
import re

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

import rankworth as rw
from rankworth.tables import data
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import Look, best_rows, second_rows
from rankworth.tables.show import render, show

NAN = float("nan")
SHEET = Sheet(
    (
        Column("run", "text", ["bm25", "dense"]),
        Column("AP", "share", [0.25, 0.51238], "highest"),
        Column("DCG", "value", [14.5, 7.25], "highest"),
    ),
    ("2 of 2 judged queries scored",),
    "profile:standard-1|queries:2-abc",
)
BOUNDED = Sheet((Column("run", "text", ["a"]), Column("AP", "share", [0.5], bounds=[(0.25, 0.75)])))


def test_a_table_is_aligned_with_notes_and_comment_below() -> None:
    assert render(SHEET, "table", Look()) == (
        "run        AP      DCG\n"
        "──────────────────────\n"
        "bm25   0.2500  14.5000\n"
        "dense  0.5124   7.2500\n"
        "\n"
        "2 of 2 judged queries scored\n"
        "profile:standard-1|queries:2-abc\n"
    )


def test_the_best_of_a_column_is_bold_where_bold_is_shown() -> None:
    shown = render(SHEET, "table", Look(bold=True))
    assert re.findall("\x1b\\[1m(.*?)\x1b\\[0m", shown) == ["14.5000", "0.5124"]
    assert re.sub("\x1b\\[\\dm", "", shown) == render(SHEET, "table", Look())


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([0.1, 0.2, 0.3], {2}),
        ([0.3, 0.30001, 0.1], {0, 1}),  # the same to the reader
        ([0.5, 0.5], set()),  # no one is better
        ([0.5], set()),
        ([NAN, 0.1, 0.2], {2}),
        ([None, 0.1], set()),
    ],
)
def test_best_rows_are_those_that_show_the_best_value(values: list[float | None], rows: set[int]) -> None:
    column = Column("AP", "share", values, "highest")
    assert best_rows(column, Look().cells(column)) == rows


def test_the_best_may_be_the_lowest_or_not_asked_for() -> None:
    cells = ["1", "2"]
    assert best_rows(Column("x", "value", [1.0, 2.0], "lowest"), cells) == {0}
    assert best_rows(Column("x", "value", [1.0, 2.0]), cells) == set()


@pytest.mark.parametrize(
    ("look", "kind", "value", "shown"),
    [
        (Look(), "share", 0.12345, "0.1235"),
        (Look(digits=2), "share", 0.12345, "0.12"),
        (Look(digits=0), "value", 2.6, "3"),
        (Look(percent=True), "share", 0.12345, "12.35%"),
        (Look(digits=1, percent=True), "share", 0.12345, "12.3%"),
        (Look(percent=True), "value", 5.5, "5.5000"),  # no share of anything
        (Look(), "value", -1e-9, "0.0000"),
        (Look(), "share", NAN, "n/a"),
        (Look(), "share", None, "n/a"),
        (Look(), "count", 1234567, "1,234,567"),
    ],
)
def test_numbers_as_people_read_them(look: Look, kind: str, value: float | None, shown: str) -> None:
    assert look.number(value, kind) == shown  # type: ignore[arg-type]


def test_columns_that_do_not_fit_go_into_further_blocks_and_no_number_is_cut() -> None:
    names = [f"measure{place}(rel={place})@10" for place in range(9)]
    sheet = Sheet((Column("run", "text", ["a", "b"]), *(Column(name, "share", [0.5, 0.25]) for name in names)))
    shown = render(sheet, "table", Look(width=80))
    assert max(map(len, shown.splitlines())) <= 80
    first = [line.split()[0] for line in shown.splitlines() if line and not line.startswith("─")]
    assert first == ["run", "a", "b"] * 3
    assert shown.count("0.5000") == shown.count("0.2500") == len(names)
    assert all(name in shown for name in names)


TWO_LISTS = Sheet(
    (
        Column("rank", "number", [1, 2]),
        Column("document", "text", ["d0", "d1"]),
        Column("grade", "grade", [0, 3]),
        Column("ideal grade", "grade", [3, 0], apart=True),
        Column("ideal adds", "number", [1.5, 0.5], apart=True),
    )
)


SIDE_BY_SIDE = """\
rank  document  grade │ ideal grade  ideal adds
──────────────────────┼────────────────────────
   1  d0            0 │           3      1.5000
   2  d1            3 │           0      0.5000
"""
ONE_BELOW_THE_OTHER = """\
rank  document  grade
─────────────────────
   1  d0            0
   2  d1            3

rank  ideal grade  ideal adds
─────────────────────────────
   1            3      1.5000
   2            0      0.5000
"""


@pytest.mark.parametrize(("width", "expected"), [(47, SIDE_BY_SIDE), (46, ONE_BELOW_THE_OTHER)])
def test_a_second_list_is_set_apart_and_never_stands_beside_texts_of_the_first(width: int, expected: str) -> None:
    assert render(TWO_LISTS, "table", Look(width=width)) == expected
    assert render(TWO_LISTS, "html", Look()).count("border-left") == 3


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_long_names_are_folded_and_nothing_of_them_is_lost(width: int) -> None:
    name = "run_" + "x" * 150 + "_end"
    sheet = Sheet((Column("run", "text", [name, "b"]), Column("AP", "share", [0.5, 0.25])))
    lines = render(sheet, "table", Look(width=width)).splitlines()
    assert max(map(len, lines)) <= width
    assert "".join(line.split()[0] for line in lines[2:-1]) == name
    assert lines[2].endswith("0.5000")


def test_a_short_label_leaves_its_room_to_a_long_one() -> None:
    query = "0123456789abcdef0123456789abcdef"
    sheet = Sheet((Column("run", "text", ["a"]), Column("query", "text", [query]), Column("AP", "share", [0.5])))
    assert render(sheet, "table", Look()).splitlines()[2] == f"a    {query}  0.5000"


@pytest.mark.parametrize("name", ["أثر الكحول", "שלום", "数据", "e\u0301te\u0301", "👍"])
def test_any_script_is_emitted_as_it_is_and_stays_aligned(name: str) -> None:
    sheet = Sheet((Column("run", "text", [name, "latin"]), Column("AP", "share", [0.5, 0.25])))
    lines = render(sheet, "table", Look()).splitlines()
    assert lines[2].startswith(name)
    assert cell_len(lines[2]) == cell_len(lines[3]) == cell_len(lines[1])


@pytest.mark.parametrize("form", ["table", "md", "latex"])
def test_control_characters_never_reach_the_reader(form: str) -> None:
    sheet = Sheet((Column("run", "text", ["a\x1b[31m\nb"]), Column("AP", "share", [0.5])), ("note\x07",))
    shown = render(sheet, form, Look())  # type: ignore[arg-type]
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert len([line for line in shown.splitlines() if "31m" in line]) == 1


def test_intervals_stand_under_the_value_in_a_table() -> None:
    assert render(BOUNDED, "table", Look()) == (
        "run             AP\n"
        "──────────────────\n"
        "a           0.5000\n"
        "     0.2500…0.7500\n"
    )  # fmt: skip


def test_intervals_stand_beside_the_value_in_markup() -> None:
    assert "| a | 0.5000 (0.2500…0.7500) |" in render(BOUNDED, "md", Look())
    assert r"a & 50.00\% {\scriptsize [25.00\%, 75.00\%]} \\" in render(BOUNDED, "latex", Look(percent=True))


def test_intervals_are_columns_of_their_own_for_programs() -> None:
    assert render(BOUNDED, "csv", Look()) == "run,AP,AP.low,AP.high\na,0.5,0.25,0.75\n"


def test_markdown() -> None:
    assert render(SHEET, "md", Look()) == (
        "| run | AP | DCG |\n"
        "|:--|--:|--:|\n"
        "| bm25 | 0.2500 | **14.5000** |\n"
        "| dense | **0.5124** | 7.2500 |\n"
        "\n"
        "2 of 2 judged queries scored\n"
        "\n"
        "<!-- profile:standard-1|queries:2-abc -->\n"
    )


def test_markdown_shows_names_literally() -> None:
    sheet = Sheet((Column("run", "text", ["a|b_c*d<e>[f]`g`"]), Column("AP", "share", [0.5])), (), "x-->y")
    shown = render(sheet, "md", Look())
    assert r"| a\|b\_c\*d\<e\>\[f\]\`g\` | 0.5000 |" in shown
    assert shown.count("-->") == 1


def test_latex() -> None:
    assert render(SHEET, "latex", Look()) == (
        "% \\usepackage{booktabs}\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & AP & DCG \\\\\n"
        "\\midrule\n"
        "bm25 & 0.2500 & \\textbf{14.5000} \\\\\n"
        "dense & \\textbf{0.5124} & 7.2500 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "% 2 of 2 judged queries scored\n"
        "% profile:standard-1|queries:2-abc\n"
    )


def test_latex_shows_names_literally() -> None:
    sheet = Sheet((Column("run", "text", [r"a_b&c%d$e#f{g}h~i^j\k<l"]), Column("AP", "share", [0.5])))
    assert (
        r"a\_b\&c\%d\$e\#f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k\textless{}l & 0.5000 \\"
        in render(sheet, "latex", Look())
    )


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_rows_for_programs_have_full_precision_and_nothing_where_undefined(form: str, separator: str) -> None:
    value = math.nextafter(1 / 3, 1)
    awkward = f'a{separator}"b"\nc'
    sheet = Sheet((Column("run", "text", [awkward, "b"]), Column("AP", "share", [value, NAN])), ("note",), "signature")
    shown = render(sheet, form, Look(digits=2, percent=True))  # type: ignore[arg-type]
    rows = list(csv.reader(io.StringIO(shown), delimiter=separator))
    assert rows == [["run", "AP"], [awkward, repr(value)], ["b", ""]]
    assert "note" not in shown
    assert "signature" not in shown


def test_json_lines_carry_the_signature_and_null_for_undefined() -> None:
    sheet = Sheet((Column("run", "text", ["تجربة", "b"]), Column("AP", "share", [1 / 3, NAN])), (), "s")
    shown = render(sheet, "jsonl", Look(digits=2))
    assert [json.loads(line) for line in shown.splitlines()] == [
        {"run": "تجربة", "AP": 1 / 3, "signature": "s"},
        {"run": "b", "AP": None, "signature": "s"},
    ]
    assert "تجربة" in shown


def test_a_document_refuses_what_is_no_json() -> None:
    assert json.loads(data.document({"a": [1, None, 0.1]})) == {"a": [1, None, 0.1]}
    with pytest.raises(ValueError, match="JSON"):
        data.document({"a": NAN})


STEPS = Sheet(
    (
        Column("rank", "count", [1, 2]),
        Column("document", "text", ["d1", "d2"]),
        Column("grade", "grade", [2.0, None]),
        Column("gain", "number", [3.0, 0.5]),
    ),
    ("a note",),
    "signature",
    title="nDCG@2 of q_7",
    lead=("how long do cats sleep", "# 1 of 2"),
)


def test_title_and_lead_stand_above_a_table_and_the_rank_before_the_document() -> None:
    assert render(STEPS, "table", Look()) == (
        "nDCG@2 of q_7\n"
        "how long do cats sleep\n"
        "# 1 of 2\n"
        "\n"
        "rank  document  grade    gain\n"
        "─────────────────────────────\n"
        "   1  d1            2  3.0000\n"
        "   2  d2            ?  0.5000\n"
        "\n"
        "a note\n"
        "signature\n"
    )
    assert render(STEPS, "table", Look(bold=True)).startswith("\x1b[1mnDCG@2 of q_7\x1b[0m\nhow")


def test_title_and_lead_stand_above_a_table_in_markdown() -> None:
    assert render(STEPS, "md", Look()) == (
        "**nDCG@2 of q\\_7**\n"
        "\n"
        "how long do cats sleep\n"
        "\n"
        "\\# 1 of 2\n"
        "\n"
        "| rank | document | grade | gain |\n"
        "|--:|:--|--:|--:|\n"
        "| 1 | d1 | 2 | 3.0000 |\n"
        "| 2 | d2 | ? | 0.5000 |\n"
        "\n"
        "a note\n"
        "\n"
        "<!-- signature -->\n"
    )


def test_title_and_lead_are_comments_above_a_table_in_latex() -> None:
    shown = render(STEPS, "latex", Look())
    assert shown.startswith("% nDCG@2 of q_7\n% how long do cats sleep\n% # 1 of 2\n% \\usepackage{booktabs}\n")
    assert "\\begin{tabular}{rlrr}\n" in shown
    assert shown.endswith("\\end{tabular}\n% a note\n% signature\n")


@pytest.mark.parametrize(
    "start", ["# a", "- a", "+ a", "= a", "1. a", "12) a", "    a", "> a", "| a", "* a", "$a$", "&lt;"]
)
def test_a_paragraph_of_markdown_starts_with_a_letter_or_is_escaped(start: str) -> None:
    first = render(Sheet((), lead=(start,)), "md", Look()).rstrip("\n")
    assert re.match(r"\d*\\|a", first)
    assert re.sub(r"\\(?=[^\w\s])", "", first) == start.strip()


def test_a_row_of_latex_is_no_argument_of_the_line_above() -> None:
    names = ["[1ex]", "*", "a--b"]
    shown = render(Sheet((Column("run", "text", names), Column("AP", "share", [0.5] * 3))), "latex", Look())
    assert r"{}[1ex] & 0.5000 \\" in shown
    assert r"{}* & 0.5000 \\" in shown
    assert r"a-{}-b & 0.5000 \\" in shown


def test_texts_alone_take_the_whole_width() -> None:
    sheet = Sheet((Column("a", "text", ["x" * 30]), Column("b", "text", ["y" * 48])))
    assert render(sheet, "table", Look(width=80)).splitlines()[2] == f"{'x' * 30}  {'y' * 48}"
    narrow = render(sheet, "table", Look(width=40)).splitlines()
    assert max(map(len, narrow)) <= 40
    assert "".join("".join(narrow[2:]).split()).count("y") == 48


def test_numbers_alone_repeat_the_first_of_a_row() -> None:
    sheet = Sheet((Column("k", "number", [1, 2]), *(Column(f"measure{i}", "share", [0.5, 0.25]) for i in range(9))))
    lines = render(sheet, "table", Look(width=60)).splitlines()
    assert max(map(len, lines)) <= 60
    assert [line.split()[0] for line in lines if line and not line.startswith("─")] == ["k", "1", "2"] * 2


@pytest.mark.parametrize("form", ["table", "md", "latex", "html", "csv", "tsv", "jsonl"])
def test_a_sheet_may_have_no_rows(form: str) -> None:
    sheet = Sheet((Column("document", "text", []), Column("AP", "share", [], "highest")), title="nothing")
    shown = render(sheet, form, Look())  # type: ignore[arg-type]
    assert ("document" in shown) == (form != "jsonl")


@pytest.mark.parametrize("form", ["table", "md", "latex", "html"])
def test_sheets_stand_one_after_the_other(form: str) -> None:
    shown = show([STEPS, SHEET, Sheet((), ("the end",))], form, Look())  # type: ignore[arg-type]
    assert shown.index("how long do cats sleep") < shown.index("d1") < shown.index("bm25") < shown.index("the end")
    if form != "html":
        parts = [render(sheet, form, Look()) for sheet in (STEPS, SHEET)]  # type: ignore[arg-type]
        assert shown.startswith(f"{parts[0]}\n{parts[1]}\n")


def test_grades_for_several_subtopics_stand_side_by_side() -> None:
    sheet = Sheet((Column("document", "text", ["d1"]), Column("grade", "grade", [(1.0, 0.0)])))
    assert render(sheet, "csv", Look()) == "document,grade\nd1,1.0 0.0\n"
    assert "| d1 | 1 0 |" in render(sheet, "md", Look())
    assert json.loads(render(sheet, "jsonl", Look())) == {"document": "d1", "grade": [1.0, 0.0]}


MARKED = Sheet(
    (
        Column("system", "text", ["a", "b", "c"]),
        Column("AP", "share", [0.25, 0.5, 0.375], "highest", marks=["", "†", "a_b"], second=True),
    ),
    ("  rankworth explain a b q1 " + "x" * 90,),
)


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([0.1, 0.3, 0.2], {2}),
        ([0.3, 0.3, 0.2, 0.1], {2}),
        ([0.3, 0.2, 0.2], set()),  # as all the others are
        ([0.3, 0.2], set()),  # a second one of two is the worst
        ([0.3, 0.3, 0.3], set()),
        ([None, NAN, 0.2, 0.3], set()),
    ],
)
def test_the_second_best_has_one_below_it(values: list[float | None], rows: set[int]) -> None:
    column = Column("AP", "share", values, "highest", second=True)
    assert second_rows(column, Look().cells(column)) == rows
    assert second_rows(Column("AP", "share", values, "highest"), Look().cells(column)) == set()


def test_marks_stand_behind_values_in_every_form() -> None:
    assert [line.split() for line in render(MARKED, "table", Look()).splitlines()[2:5]] == [
        ["a", "0.2500"], ["b", "0.5000", "†"], ["c", "0.3750", "a_b"],
    ]  # fmt: skip
    assert "| **0.5000**<sup>†</sup> |" in render(MARKED, "md", Look())
    assert r"0.3750<sup>a\_b</sup>" in render(MARKED, "md", Look())
    latex = render(MARKED, "latex", Look())
    assert r"b & \textbf{0.5000}\textsuperscript{\textdagger{}} \\" in latex
    assert r"c & \underline{0.3750}\textsuperscript{a\_b} \\" in latex
    assert render(MARKED, "csv", Look()).splitlines()[:3] == ["system,AP,AP.marks", "a,0.25,", "b,0.5,†"]


def test_a_command_below_a_table_is_one_line() -> None:
    assert MARKED.notes[0] in render(MARKED, "table", Look(width=40)).splitlines()


CALLS = re.compile(
    r"(?<![A-Za-z0-9_])@[A-Za-z0-9]|[\w.+-]@[\w-]+\.\w|#\d|\bGH-\d|\bGHSA-|://|\bwww\.|\bmailto:|:[\w+-]+:",
    re.IGNORECASE,
)
"""what GitHub makes a call, a link or a picture of, in the text of a page"""
LIVE = (
    *("@octocat", "#12", "GH-12", "gh-12", "org/repo#12", "user#3", "@org/team", "a@b.example", "!7"),
    *(
        "https://host.example/a",
        "http://host.example",
        "www.host.example",
        "mailto:a@b.example",
        ":smile:",
        "GHSA-2222-33",
    ),
    *("(@octocat)", "x @octocat y", "R(rel=2)@10"),
)


def shown_as_markdown(text: str) -> str:
    """Return the words of a document in Markdown as a page shows them."""
    inline = [token for token in MarkdownIt().enable("table").parse(text) if token.type == "inline"]
    return "\n".join(child.content for token in inline for child in token.children or () if child.type == "text")


@pytest.mark.parametrize("text", LIVE)
def test_names_call_nobody_and_link_nowhere(text: str) -> None:
    columns = (Column(text, "text", [text]), Column("AP", "share", [0.5]))
    sheet = Sheet(columns, (text,), title=text, lead=(text,), legend=(text,), defects=(text,))
    shown = shown_as_markdown(render(sheet, "md", Look()))
    assert shown.replace("\u200b", "").count(text) == 7
    assert not CALLS.findall(shown)
    _, title, said = data.annotation("error", text, title=text).split("=", 1)[1].rpartition("::")
    assert not [CALLS.findall(part.replace("%3A", ":")) for part in (title, said) if CALLS.findall(part)]


def test_a_measure_that_is_copied_out_of_a_page_is_that_measure() -> None:
    assert rw.parse("R(rel=2)@\u200b100") == rw.R(rel=2) @ 100

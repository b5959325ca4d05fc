"""Sheets as HTML: inert whatever they hold, whole in any page that takes them in, the same numbers as the text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from rankworth import cli
from rankworth.tables import markup
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

NAN = float("nan")
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'></td></table><style>*{display:none}</style>",
    "</title></main><h1 id=top class=x>",
    "&lt;b&gt; &amp; &#60;",
    "javascript:alert(1)",
    "{title} %s {0}",
    "أثر الكحول على النوم",
    "שלום-3",
    "می‌خواهم ۱۲۳",
    "两个  spaces",
    "x" * 10_000,
]
MARKED = Sheet(
    (
        Column("system", "text", ["a", "b", "c"]),
        Column("AP", "share", [0.25, 0.5, 0.375], "highest", marks=["", "ac", "<i>"], second=True),
    )
)
STEPS = Sheet(
    (
        Column("rank", "count", [1, 2, 3]),
        Column("document", "text", ["d1", "d2", "d3"]),
        Column("grade", "grade", [2.0, None, 1.0]),
        Column("gain", "number", [3.0, 0.0, 1.0]),
        Column("contribution", "number", [3.0, 0.0, 0.5], "highest"),
        Column("AP", "share", [0.25, NAN, 0.51238], "", [(0.125, 0.5), (NAN, NAN), (0.25, 0.75)]),
    ),
    ("1 relevant document is not retrieved",),
    "nDCG@3|queries:1-abc",
    ("counted twice   [known-defect]",),
    "nDCG@3 of q7",
    ("how long do cats sleep", "كم تنام القطط"),
)
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """What a browser makes of a document: tags with their attributes, texts by tag, and whether tags are balanced."""

    def __init__(self, text: str) -> None:
        """Read a document."""
        super().__init__(convert_charrefs=True)
        self.open: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(len(self.texts))
            self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last, and no other."""
        assert self.texts[self.open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        """Add to the text of the element that it stands in."""
        if self.open:
            tag, text = self.texts[self.open[-1]]
            self.texts[self.open[-1]] = (tag, text + data)

    def of(self, *tags: str) -> list[str]:
        """The texts of some elements."""
        return [text for tag, text in self.texts if tag in tags and text]


def read(text: str) -> Reader:
    reader = Reader(text)
    assert reader.open == []
    return reader


def everywhere(text: str) -> Sheet:
    columns = (Column(text, "text", [text, "b"]), Column(f"{text}@10", "share", [0.5, 0.25], "highest"))
    return Sheet(columns, (text,), text, (text,), text, (text,))


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_stands_in_a_sheet_is_shown_letter_by_letter_and_does_nothing(text: str) -> None:
    shown = markup.fragment([everywhere(text)], Look())
    reader = read(shown)
    assert reader.of("th") == [text, f"{text}@10", text, "b"]
    assert reader.of("p") == [text] * 5  # title, lead, note, defect, signature
    plain = read(markup.fragment([everywhere("plain")], Look()))
    assert [tag for tag, _ in reader.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(attributes) for _, attributes in reader.tags] == [sorted(found) for _, found in plain.tags]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_holds_hostile_text_as_a_fragment_does(text: str) -> None:
    reader = read(markup.page([everywhere(text)], Look(), f"About {text}"))
    assert reader.of("title") == reader.of("h1") == [f"About {text}"]
    assert reader.of("p") == [text] * 5
    assert [tag for tag, _ in reader.tags if tag in ("script", "style", "img")] == ["style"]


def test_control_characters_and_halves_of_characters_are_spelled_out() -> None:
    sheet = everywhere("a\x00\x1b[31m\n\t\u202eb\u2067\ud800")
    shown = markup.fragment([sheet], Look())
    assert r"a\x00\x1b[31m\n\t\u202eb\u2067\ud800" in read(shown).of("th")
    assert not re.search("[\x00\x1b\t\u202e\u2067\ud800]", shown)
    assert shown.encode()


def test_marks_that_belong_to_a_script_stay() -> None:
    text = "می\u200cخواهم\u200d\u200f"
    assert text in read(markup.fragment([everywhere(text)], Look())).of("th")


def test_marks_are_raised_and_the_second_best_is_underlined() -> None:
    text = markup.fragment([MARKED], Look())
    assert "<b>0.5000</b><sup>ac</sup>" in text
    assert "<u>0.3750</u><sup>&lt;i&gt;</sup>" in text
    assert read(text).of("sup") == ["ac", "<i>"]


def test_a_fragment_leaks_nothing_into_the_page_around_it() -> None:
    reader = read(markup.fragment([STEPS, STEPS, MARKED], Look()))
    assert {name for _, attributes in reader.tags for name in attributes} == {
        "style", "dir", "scope", "role", "aria-label", "tabindex",
    }  # fmt: skip
    allowed = {"div", "figure", "figcaption", "p", "table", "thead", "tbody", "tr", "th", "td", "b", "br", "small"}
    allowed |= {"u", "sup"}
    assert {tag for tag, _ in reader.tags} == allowed
    styles = " ".join(attributes.get("style") or "" for _, attributes in reader.tags)
    assert "url(" not in styles
    assert "position" not in styles


def test_a_fragment_is_one_element_that_follows_light_and_dark_with_a_background_of_its_own() -> None:
    shown = markup.fragment([STEPS], Look())
    (_, outer), *_ = read(shown).tags
    assert shown.startswith("<div ")
    assert shown.endswith("</div>\n")
    style = outer["style"] or ""
    assert "color-scheme:light dark" in style
    assert re.search(r"(?<!-)color:light-dark\(", style)
    assert re.search(r"background:light-dark\(", style)
    assert outer["dir"] == "ltr"


def test_every_text_decides_its_own_direction() -> None:
    reader = read(markup.fragment([everywhere("نص")], Look()))
    directions = [attributes.get("dir") for tag, attributes in reader.tags if tag in ("p", "th")]
    assert directions == ["auto"] * len(directions)
    assert len(directions) == 5 + 4


@pytest.mark.parametrize("look", [Look(), Look(digits=2), Look(percent=True)])
def test_every_number_of_the_text_stands_in_the_html(look: Look) -> None:
    text = render(STEPS, "table", look)
    shown = " ".join(text for _, text in read(markup.fragment([STEPS], look)).texts)
    numbers = re.findall(r"[\d.,]*\d%?|n/a|\?", text)
    assert len(numbers) > 20
    assert sorted(re.findall(r"[\d.,]*\d%?|n/a|\?", shown)) == sorted(numbers)


def test_rows_and_columns_have_headings_and_the_best_is_bold() -> None:
    reader = read(markup.fragment([STEPS], Look()))
    scopes = [attributes["scope"] for tag, attributes in reader.tags if tag == "th"]
    assert scopes == ["col"] * 6 + ["row"] * 3
    assert reader.of("th") == ["rank", "document", "grade", "gain", "contribution", "AP", "1", "2", "3"]
    assert reader.of("b") == ["3.0000"]
    assert reader.of("small") == ["0.1250…0.5000", "n/a…n/a", "0.2500…0.7500"]


def test_numbers_stand_right_and_line_up() -> None:
    reader = read(markup.fragment([STEPS], Look()))
    cells = [attributes["style"] or "" for tag, attributes in reader.tags if tag == "td"]
    sides = [re.findall(r"text-align:(\w+)", style) for style in cells]
    assert sides == [["start"], *[["right"]] * 4] * 3
    [table] = [attributes["style"] or "" for tag, attributes in reader.tags if tag == "table"]
    assert "tabular-nums" in table


def test_a_heading_without_a_name_is_no_heading() -> None:
    sheet = Sheet((Column("", "text", ["a", ""]), Column("AP", "share", [0.5, 0.25])))
    assert [text for tag, text in read(markup.fragment([sheet], Look())).texts if tag == "th"] == ["AP", "a"]


def test_cells_of_numpy_nan_and_none() -> None:
    sheet = Sheet(
        (
            Column("run", "text", list(np.array(["a", "b", "c"]))),
            Column("n", "count", [np.int64(1_234), 2, None]),
            Column("x", "number", [np.float32(0.5), np.int64(3), NAN]),
            Column("y", "number", [1, "<b>", 2]),
            Column("grade", "grade", [np.float64(2), (1.0, None), None]),
            Column("AP", "share", list(np.array([0.5, NAN, 0.25])), "highest"),
        )
    )
    rows = [
        ["1,234", "0.5000", "1", "2", "0.5000"],
        ["2", "3.0000", "<b>", "1 ?", "n/a"],
        ["n/a", "n/a", "2", "?", "0.2500"],
    ]
    assert read(markup.fragment([sheet], Look())).of("td", "b") == [cell for row in rows for cell in row]
    lines = render(sheet, "table", Look()).splitlines()[2:]
    assert [re.split("  +", line)[1:] for line in lines] == rows


def test_a_sheet_may_have_no_rows_no_columns_or_be_missing() -> None:
    empty = Sheet((Column("document", "text", []), Column("change", "value", [])), ("nothing is missing",))
    assert read(markup.fragment([empty], Look())).of("th") == ["document", "change"]
    assert read(markup.fragment([Sheet((), ("only a note",))], Look())).of("p", "table") == ["only a note"]
    assert [tag for tag, _ in read(markup.fragment([], Look())).tags] == ["div"]
    assert read(markup.page([], Look())).of("h1") == ["Values by rankworth"]


def test_a_page_is_whole_loads_nothing_and_says_its_language() -> None:
    shown = markup.page([STEPS], Look())
    reader = read(shown)
    assert shown.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    metas = {found.get("http-equiv") or found.get("name"): found.get("content") for tag, found in reader.tags
             if tag == "meta"}  # fmt: skip
    assert metas["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
    assert metas["viewport"] == "width=device-width, initial-scale=1"
    assert not {"src", "href", "id", "class", "action"} & {name for _, found in reader.tags for name in found}
    assert "://" not in shown
    assert [tag for tag, _ in reader.tags].count("main") == 1


def test_the_title_of_a_page_is_said_once() -> None:
    second = Sheet(STEPS.columns, title="the ideal ranking")
    reader = read(markup.page([STEPS, second], Look()))
    assert reader.of("title") == reader.of("h1") == ["nDCG@3 of q7"]
    assert reader.of("p")[:2] == list(STEPS.lead)
    assert "the ideal ranking" in reader.of("p")
    other = read(markup.page([STEPS, second], Look(), "Two tables"))
    assert other.of("h1") == ["Two tables"]
    assert other.of("p")[0] == "nDCG@3 of q7"


def test_html_is_a_form_like_the_others() -> None:
    assert render(STEPS, "html", Look(digits=1)) == markup.page([STEPS], Look(digits=1))
    assert show([STEPS, STEPS], "html", Look(), "Twice") == markup.page([STEPS, STEPS], Look(), "Twice")


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ((), {"0.7500"}),
        (("-q",), {"0.5000", "1.0000"}),
        (("--interval",), {"0.7500"}),
        (("--profile", "standard", "trec_eval"), {"0.7500"}),
    ],
)
def test_evaluate_writes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], values: set[str]
) -> None:
    judged, ranked, out = tmp_path / "qrels", tmp_path / "<b>.run", tmp_path / "out.html"
    judged.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    ranked.write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d1 1 1 t\n")
    call = ["evaluate", str(judged), str(ranked), "-m", "RR", *arguments]
    assert cli.main([*call, "-o", str(out)]) == 0
    assert "wrote" in capsys.readouterr().err
    reader = read(out.read_text())
    assert "RR" in reader.of("th")
    assert values <= set(reader.of("td", "b"))
    assert cli.main([*call, "-f", "html"]) == 0
    assert capsys.readouterr().out == out.read_text()

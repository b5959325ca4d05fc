"""Pages in parts, before anyone decides how to show them: as text of any width, or as Markdown.

What a page says is the same in both; marks and line ends are all that differs. No part knows what it is about.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_INDENT: Final = "  "
_GAP: Final = 2
_CODE_WIDTH: Final = 100
_LITERAL: Final = re.compile(r"(`[^`]*`|https?://\S*[^\s.,;:)])")
_MARKS: Final = re.compile(r"([*<\\])")


@dataclass(frozen=True)
class Title:
    """What the page is about."""

    text: str

    def lines(self, _: int) -> list[str]:
        """As text."""
        return [self.text]

    def markdown(self) -> list[str]:
        """As Markdown."""
        return [f"# {_escaped(self.text)}"]


@dataclass(frozen=True)
class Paragraph:
    """Sentences, after a label where they have one."""

    text: str
    label: str = ""

    def lines(self, width: int) -> list[str]:
        """As text."""
        said = f"{self.label}: {self.text}" if self.label else self.text
        return filled(said, width, rest=_INDENT if self.label else "")

    def markdown(self) -> list[str]:
        """As Markdown."""
        return [f"**{self.label}:** {_escaped(self.text)}" if self.label else _escaped(self.text)]


@dataclass(frozen=True)
class Formula:
    """A line that is no sentence."""

    text: str

    def lines(self, width: int) -> list[str]:
        """As text."""
        return filled(self.text, width, first=_INDENT, rest=_INDENT * 2)

    def markdown(self) -> list[str]:
        """As Markdown."""
        return ["```text", *filled(self.text, _CODE_WIDTH, rest=_INDENT), "```"]


@dataclass(frozen=True)
class Heading:
    """What the next parts are about."""

    text: str

    def markdown(self) -> list[str]:
        """As Markdown."""
        return [f"## {self.text}"]


@dataclass(frozen=True)
class Entries:
    """Things, each with what is said about it: a term as it is written, its kind, an explanation."""

    entries: Sequence[tuple[str, str, str]]

    def lines(self, width: int) -> list[str]:
        """As text."""
        lines = []
        for term, kind, text in self.entries:
            lines += filled(f"{term}   {kind}" if term else kind, width, first=_INDENT, rest=_INDENT * 3)
            lines += filled(text, width, first=_INDENT * 3, rest=_INDENT * 3)
        return lines

    def markdown(self) -> list[str]:
        """As Markdown."""
        lines = []
        for term, kind, text in self.entries:
            said = f"`{term}` ({_escaped(kind)})" if term else _escaped(kind)
            lines.append(f"- {said}: {_escaped(text)}" if text else f"- {said}")
        return lines


@dataclass(frozen=True)
class Grid:
    """Numbers in columns under names."""

    names: Sequence[str]
    columns: Sequence[Sequence[str]]

    def lines(self, width: int) -> list[str]:
        """As text; closer together where the width wants it."""
        widths = [max(map(len, (name, *column))) for name, column in zip(self.names, self.columns, strict=True)]
        fits = len(_INDENT) + sum(widths) + _GAP * (len(widths) - 1) <= width
        gap = " " * (_GAP if fits else 1)
        rows = (self.names, *zip(*self.columns, strict=True))
        return [
            (_INDENT + gap.join(cell.rjust(size) for cell, size in zip(row, widths, strict=True))).rstrip()
            for row in rows
        ]

    def markdown(self) -> list[str]:
        """As Markdown."""
        rows = (" | ".join(row) for row in zip(*self.columns, strict=True))
        return [f"| {' | '.join(self.names)} |", f"|{'--:|' * len(self.names)}", *(f"| {row} |" for row in rows)]


@dataclass(frozen=True)
class Steps:
    """Numbers with names, one on each line, and what each of them is."""

    steps: Sequence[tuple[str, str, str]]

    def lines(self, width: int) -> list[str]:
        """As text."""
        return [line for row in self._rows() for line in filled(row, width, first=_INDENT, rest=_INDENT * 4)]

    def markdown(self) -> list[str]:
        """As Markdown."""
        return ["```text", *self._rows(), "```"]

    def _rows(self) -> list[str]:
        names, numbers = (max(len(step[place]) for step in self.steps) for place in (0, 1))
        return [f"{name:<{names}}   {number:>{numbers}}   {text}".rstrip() for name, number, text in self.steps]


@dataclass(frozen=True)
class Session:
    """A session of Python: what is typed, and what Python answers."""

    session: Sequence[str]

    def lines(self, width: int) -> list[str]:
        """As text; a comment goes below where there is no room beside its line."""
        return [part for line in self.session for part in _typed(line, width)]

    def markdown(self) -> list[str]:
        """As Markdown."""
        return ["```python", *self.session, "", "```"]


Part = Title | Paragraph | Formula | Heading | Entries | Grid | Steps | Session


def as_text(parts: Iterable[Part], width: int) -> str:
    """A page as text: a heading stands on what it is about, and paragraphs below one are indented."""
    page, margin = "", ""
    for part in parts:
        if isinstance(part, Heading):
            page, margin = f"{page}{part.text}\n", _INDENT
        elif isinstance(part, Paragraph):
            page += "".join(f"{margin}{line}\n" for line in part.lines(width - len(margin))) + "\n"
        else:
            page += "\n".join(part.lines(width)) + "\n\n"
    return page.rstrip("\n") + "\n"


def as_markdown(parts: Iterable[Part]) -> str:
    """A page as Markdown."""
    return "\n\n".join("\n".join(part.markdown()) for part in parts) + "\n"


def filled(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """The lines of a paragraph, in which no word is broken."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _typed(line: str, width: int) -> Iterable[str]:
    code, mark, comment = line.partition("  # ")
    if not mark or len(_INDENT + line) <= width:
        yield _INDENT + line
    else:
        yield _INDENT + code
        yield from filled(f"# {comment}", width, first=_INDENT * 3, rest=_INDENT * 3)


def _escaped(text: str) -> str:
    r"""Text in which nothing is a mark but what was one before: backticks.

    >>> _escaped("2 * `2 * 3` <b>, https://doi.org/10.1007/1_2, and")
    '2 \\* `2 * 3` \\<b>, <https://doi.org/10.1007/1_2>, and'
    """
    parts = _LITERAL.split(text)
    for place, part in enumerate(parts):
        if not place % 2:
            parts[place] = _MARKS.sub(r"\\\1", part)
        elif not part.startswith("`"):
            parts[place] = f"<{part}>"
    return "".join(parts)

"""Blocks of Markdown, and how a page of them looks in a terminal."""

import io
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

_CODE_WIDTH: Final = 100
_WIDE: Final = 1000
_LITERAL: Final = re.compile(r"(`[^`]*`|https?://\S*[^\s.,;:)])")
_MARKS: Final = re.compile(r"([*<\\])")


def page(blocks: Iterable[str]) -> str:
    """A page of blocks, with an empty line between them."""
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""Text in which only backticks are marks, and addresses are links.

    >>> escaped("2 * `2 * 3` <b>, https://doi.org/10.1007/1_2, and")
    '2 \\* `2 * 3` \\<b>, <https://doi.org/10.1007/1_2>, and'
    """
    parts = _LITERAL.split(text)
    for place, part in enumerate(parts):
        if not place % 2:
            parts[place] = _MARKS.sub(r"\\\1", part)
        elif not part.startswith("`"):
            parts[place] = f"<{part}>"
    return "".join(parts)


def code(lines: Iterable[str], language: str = "text") -> str:
    """Lines of code."""
    return "\n".join([f"```{language}", *lines, "```"])


def formula(text: str) -> str:
    """A formula or a command, in as many lines as it takes."""
    return code(
        textwrap.wrap(text, _CODE_WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    )


def items(entries: Iterable[tuple[str, str, str]]) -> str:
    """A list: for each entry a term as it is written, its kind, and an explanation if there is one."""
    heads = ((f"- `{term}` ({escaped(kind)})", text) for term, kind, text in entries)
    return "\n".join(f"{head}: {escaped(text)}" if text else head for head, text in heads)


def bullets(texts: Iterable[str]) -> str:
    """A list of sentences."""
    return "\n".join(f"- {escaped(text)}" for text in texts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], rule: str = "") -> str:
    """A table; `rule` replaces the line below the titles."""
    body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    head, *lines = (" ".join(f"| {cell}" if cell else "|" for cell in row) + " |" for row in (titles, *body))
    return "\n".join([head, rule or "| --- " * len(titles) + "|", *lines])


def in_terminal(text: str, width: int) -> str:
    """A page as plain text, in lines of a width."""
    from rich.console import Console, ConsoleOptions, RenderResult  # noqa: PLC0415 - only pages need it
    from rich.markdown import CodeBlock, Heading, Markdown, TableElement  # noqa: PLC0415
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class Title(Heading):
        """A heading at the left, without a frame."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield self.text

    class Code(CodeBlock):
        """Code without colours, indented; lines of Python stay whole."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            text = str(self.text).rstrip()
            if self.lexer_name == "python":
                yield Text(textwrap.indent(text, "  "), no_wrap=True, overflow="ignore")
            else:
                yield Padding(Text(text), (0, 0, 0, 2))

    class Grid(TableElement):
        """A table that shows whole words, in several lines if need be."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for grid in super().__rich_console__(console, options):
                if isinstance(grid, Table):
                    grid.show_edge = False
                    for column in grid.columns:
                        column.overflow = "fold"
                    if console.measure(grid, options=options.update(width=_WIDE)).minimum > options.max_width:
                        grid.padding = 0
                yield grid

    class Plain(Markdown):
        elements = Markdown.elements | {"heading_open": Title, "fence": Code, "table_open": Grid}

    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(Plain(text), crop=False)
    lines = "\n".join(line.rstrip() for line in captured.get().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"

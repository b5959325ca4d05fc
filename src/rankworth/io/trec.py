"""TREC runs and judgements: lines of blank-separated columns.

Blanks and tabs may come in any number, lines may end in CR LF, the file may start with a byte order mark; empty
lines and lines that start with `#` are skipped, all as trec_eval does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io import grade_words, lines, plain_lines, remedies
from rankworth.io.facts import Observed
from rankworth.io.grade_words import Words
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.lines import HEAD
from rankworth.io.options import LOOSELY_RANKED, RANKED
from rankworth.io.source import Source
from rankworth.io.text_lines import FIELDS, Reader, Record

CHUNK: Final = 8 << 20
_WITHOUT_QUERY: Final = re.compile(rb"\s*[-+]?[0-9][0-9.eE+-]*\s+[0-9]+:[-+0-9.eE]+(\s|$)")
"""how a line of learning to rank begins that names no query"""
LONGEST: Final = 1 << 16
"""how long a line may be"""


def batches(
    source: Source,
    layout: Layout,
    observed: Observed,
    *,
    columns: tuple[str, ...] = (),
    option: str = "",
    grades: Words = grade_words.NONE,
) -> Iterator[pl.DataFrame]:
    """Read a file in batches of some hundred thousand lines, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        observed: gets to know the facts.
        columns: which columns to hand out; those that judging needs if not said. Ranks are text, unless it is `RANKED`.
        option: what options about the file begin with, if not with the name of its layout.
        grades: the grades that words mean.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    other, first = QRELS if layout is RUN else RUN, lines.first_line(source.head(HEAD)).strip()
    if other.fits(first):
        text = f"{source.name}: these are {other.noun}s ({' '.join(other.columns)}), not {layout.noun}s"
        raise InputError(layout.slug, text, remedy=layout.exchanged)
    columns = columns or ("query", "document", layout.value)
    chosen = dict.fromkeys(("query", "document", *columns, *layout.columns[-2:]))
    reader = _TrecReader(
        source,
        "\t" if b"\t" in first and b" " not in first else " ",
        {role: layout.columns.index(role) for role in chosen},
        len(layout.columns),
        tuple(chosen),
        (layout.value, "rank") if columns in (RANKED, LOOSELY_RANKED) else (layout.value,),
        loose=("rank",) if columns == LOOSELY_RANKED else (),
        has_quotes=False,
        noun=layout.noun,
        slug=layout.slug,
        has=f"a {layout.noun} has {len(layout.columns)} columns ({' '.join(layout.columns)})",
        words=grades,
        layout=layout,
        option=option,
    )
    chunks = lines.chunks(source, usual=CHUNK, longest=LONGEST + 1, noun=layout.noun)
    for frame in reader.frames(chunks):
        if layout is RUN:
            observed.note(tags={**observed.facts.tags, source.name: frame["tag"][-1]})
        yield frame.select(columns)


def tag(source: Source) -> str:
    """Return the last column of the first line, the name of the run; empty if it is no line of a run.

    Raises:
        InputError: as `Source.open`.

    """
    first = lines.first_line(source.head(HEAD))
    return first.split(maxsplit=5)[5].decode("utf-8", "replace").strip() if RUN.fits(first) else ""


def locate(
    source: Source, keys: list[tuple[str, ...]], columns: tuple[int, ...]
) -> dict[tuple[str, ...], tuple[int, int]]:
    """Find the first two lines on which keys stand in some columns: a second, slow pass, for messages only."""
    wanted = {tuple(text.encode() for text in key): key for key in keys}
    first: dict[tuple[str, ...], int] = {}
    both: dict[tuple[str, ...], tuple[int, int]] = {}
    for number, line in lines.numbered(source, CHUNK, LONGEST):
        fields = line.split()
        key = wanted.get(tuple(fields[index] for index in columns)) if len(fields) > max(columns) else None
        if key is not None and key not in both and first.setdefault(key, number) != number:
            both[key] = first[key], number
            if len(both) == len(wanted):
                break
    return both


@dataclass
class _TrecReader(Reader):
    """Lines of columns with blanks or tabs between them."""

    layout: Layout = RUN
    option: str = ""

    def is_odd(self, text: bytes) -> bool:
        """Return whether there are comments, another byte order mark, or anything but one separator between columns."""
        unusual = (b" " if self.separator == "\t" else b"\t", b"\v", b"\f")
        comments = b"#" in text and (text.startswith(b"#") or b"\n#" in text)
        return (
            comments
            or text.startswith(lines.MARK)
            or any(blank in text for blank in unusual)
            or _adjacent(text, self.separator)
        )

    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:  # noqa: ARG002 - lines end
        """Return the lines that are neither empty nor comments."""
        parts = []
        for number, line in enumerate(text.split(b"\n")):
            if len(line) > LONGEST:
                raise lines.endless(self.source, above + number, LONGEST, self.noun)
            cells = line.split(None, FIELDS)
            if cells and not cells[0].startswith(b"#"):
                cells = self._with_blanks_in_tag(line, cells) if len(cells) > self.width else cells
                parts.append(Record(number, [cell.decode(errors="surrogateescape") for cell in cells]))
        return parts, b""

    def _with_blanks_in_tag(self, line: bytes, words: list[bytes]) -> list[bytes]:
        """Join the words of a tag set off by a tab; leave any other line with too many words unchanged.

        trec_eval keeps what follows the tag for future use; without tabs, a blank in an id would look the same.
        """
        *cells, tag = line.strip().split(b"\t")
        if self.layout is RUN and len(cells) + 1 == self.width and all(len(cell.split()) == 1 for cell in cells):
            return [*words[: len(cells)], b" ".join(tag.split())]
        return words

    @property
    def _advice(self) -> str:
        """Return the option for words in the column of grades, or for lines that hold lists of documents."""
        if self._unknown and plain_lines.may_be_lists(self.source):
            return remedies.as_lists(self.source.path, self.layout, self.option or self.layout.option)
        return super()._advice

    def advice(self, cells: Sequence[str]) -> str:
        """Suggest what the file probably is, or how lines are written."""
        layout = self.layout
        if (QRELS if layout is RUN else RUN).fits(" ".join(cells).encode(errors="surrogateescape")):
            return layout.exchanged
        line = f"write every line as {' '.join(layout.columns)}, without blanks in ids and names"
        if _WITHOUT_QUERY.match(lines.first_line(self.source.head(HEAD))):
            return remedies.WITHOUT_QUERY
        looks, option = plain_lines.looks_of(self.source), self.option or layout.option
        if table := remedies.of_other_width(self.source.path, looks, layout, option):
            return table
        if plain_lines.may_be_lists(self.source):
            return remedies.as_lists(self.source.path, layout, option)
        form = "csv" if looks.separator in (",", ";", "|") else "tsv"
        table, json = (layout.format_option(each, self.source.path) for each in (form, "jsonl"))
        return f"{line}\nif it is a table: {table}; if it is JSON: {json}"


def _adjacent(chunk: bytes, separator: str) -> bool:
    """Return whether two separators stand together: an empty column that is not parsed would go unnoticed."""
    codes = np.frombuffer(chunk, np.uint8)
    if codes.size < 2 or np.bitwise_or(codes[1:], codes[:-1]).min() > ord(" "):  # noqa: PLR2004 - the quick answer
        return False
    separates = codes == ord(separator)
    return bool((separates[1:] & separates[:-1]).any())

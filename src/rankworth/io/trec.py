"""TREC runs and judgements: lines of blank-separated columns, read in batches of columns and never in full.

Blanks and tabs may come in any number, lines may end in CR LF, the file may start with a byte order mark; empty
lines and lines that start with `#` are skipped, all as trec_eval does. Clean files are parsed as they are. What the
parser complains about is cleaned and parsed again, and what still does not fit is read line by line, so that every
problem can be named with its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from rankworth.errors import InputError
from rankworth.io.sources import Progress, Source

CHUNK: Final = 8 << 20
SHOWN: Final = 10
_BLANKS: Final = bytes.maketrans(b"\t\r\v\f", b"    ")
_COMMENT: Final = re.compile(rb"(?m)^#.*\n?")
_NUMBER: Final = re.compile(rb"[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Layout:
    """What a line holds."""

    what: str
    columns: tuple[str, ...]
    value: str
    used: tuple[str, ...]
    slug: str
    bad_value: str
    infinite: bool
    schema: dict[str, type[pl.DataType]] = field(init=False)

    def __post_init__(self) -> None:
        """Add one column more than a line has: it tells when a line is too long."""
        schema = {name: pl.Float64 if name == self.value else pl.String for name in (*self.columns, "beyond")}
        object.__setattr__(self, "schema", schema)


RUN: Final = Layout(
    what="run line",
    columns=("query", "Q0", "document", "rank", "score", "tag"),
    value="score",
    used=("query", "document", "score"),
    slug="run-columns",
    bad_value="bad-score",
    infinite=True,
)
QRELS: Final = Layout(
    what="qrels line",
    columns=("query", "iteration", "document", "grade"),
    value="grade",
    used=("query", "document", "grade"),
    slug="qrels-columns",
    bad_value="bad-grade",
    infinite=False,
)


def batches(
    source: Source, layout: Layout, *, columns: tuple[str, ...] = (), progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The file in batches of some hundred thousand lines, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        columns: which columns to hand out; those that judging needs if not said.
        progress: told after each batch how far the file is read.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    reader = _Reader(source, layout, columns or layout.used)
    read = 0
    for chunk in _chunks(source):
        read += len(chunk)
        frame = reader.parse(chunk)
        if frame is not None and frame.height:
            yield frame
        if progress is not None:
            progress(source.name, read, source.size)
    reader.finish()


class _Reader:
    """Turns chunks into frames and remembers what it met on the way."""

    def __init__(self, source: Source, layout: Layout, columns: tuple[str, ...]) -> None:
        self.source = source
        self.layout = layout
        self.columns = columns
        self.separator = ""
        self.lines = 0
        self.rows = 0
        self.problems: list[tuple[str, str]] = []
        self.found = 0

    def parse(self, chunk: bytes) -> pl.DataFrame | None:
        """Columns of the chunk, or None once the file has problems."""
        if not self.lines:
            chunk = self._begin(chunk)
        if b"\0" in chunk:
            line = self.lines + chunk[: chunk.index(0)].count(b"\n") + 1
            raise InputError("binary-file", f"{self.source.name}:{line}: a null byte; this is not a text file")
        frame = None if self.problems else self._columns(chunk, self.separator)
        if frame is not None:
            self.lines += frame.height
        else:
            if not self.problems:
                frame = self._columns(_clean(chunk), " ")
            if frame is None:
                frame = self._line_by_line(chunk)
            self.lines += chunk.count(b"\n")
        if frame is None:
            return None
        self.rows += frame.height
        return frame.select(self.columns)

    def finish(self) -> None:
        """Raise what was found; an empty file is a problem, too."""
        name = self.source.name
        if self.problems:
            slugs, texts = zip(*self.problems, strict=True)
            raise InputError(
                slugs[0],
                *texts,
                slugs=slugs,
                more=self.found - len(texts),
                remedy=f"a {self.layout.what} is: {' '.join(self.layout.columns)}",
            )
        if not self.rows:
            raise InputError("empty-input", f"{name}: there is no {self.layout.what} in it")

    def _begin(self, chunk: bytes) -> bytes:
        if chunk.startswith(_UTF16):
            raise InputError(
                "wrong-encoding",
                f"{self.source.name}: the text is UTF-16, not UTF-8",
                remedy="iconv -f UTF-16 -t UTF-8 FILE",
            )
        chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        first = chunk[: chunk.find(b"\n")]
        self.separator = "\t" if b"\t" in first and b" " not in first else " "
        return chunk

    def _columns(self, chunk: bytes, separator: str) -> pl.DataFrame | None:
        """Parse a chunk in which every line has its columns and nothing else, or give up."""
        layout = self.layout
        wanted = sorted({*layout.used, *self.columns, layout.columns[-1], "beyond"}, key=list(layout.schema).index)
        if separator == "\t" and b" " in chunk:
            return None
        try:
            frame = pl.read_csv(
                chunk,
                separator=separator,
                has_header=False,
                quote_char=None,
                schema=layout.schema,
                columns=[list(layout.schema).index(name) for name in wanted],
                missing_columns="insert",
            )
        except pl.exceptions.PolarsError:
            return None
        nulls = frame.null_count().row(0, named=True)
        value = frame[layout.value]
        sound = (
            nulls.pop("beyond") == frame.height
            and not any(nulls.values())
            and not (value.is_nan().any() if layout.infinite else not value.is_finite().all())
            and not (b"#" in chunk and frame["query"].str.starts_with("#").any())
        )
        return frame if sound else None

    def _line_by_line(self, chunk: bytes) -> pl.DataFrame | None:
        """Read what no parser could, and name each problem; the slow and definite way."""
        layout = self.layout
        rows: list[list[str]] = []
        place = layout.columns.index(layout.value)
        for number, line in enumerate(chunk.split(b"\n"), self.lines + 1):
            fields = line.split()
            if not fields or fields[0].startswith(b"#"):
                continue
            if len(fields) != len(layout.columns):
                names = " ".join(layout.columns)
                count = len(layout.columns)
                self._problem(
                    layout.slug, number, f"a {layout.what} has {count} columns ({names}), this one has {len(fields)}", line
                )
            elif not _NUMBER.fullmatch(fields[place]):
                self._problem(layout.bad_value, number, f"the {layout.value} is not a number", line)
            elif not self._acceptable(float(fields[place])):
                self._problem(layout.bad_value, number, f"the {layout.value} is {fields[place].decode()}", line)
            else:
                try:
                    rows.append([text.decode() for text in fields])
                except UnicodeDecodeError as error:
                    self._problem("wrong-encoding", number, f"this is not UTF-8 ({error.reason})", line)
        if self.problems:
            return None
        frame = pl.DataFrame(rows, schema=list(layout.columns), orient="row")
        return frame.with_columns(pl.Series(layout.value, [float(row[place]) for row in rows], dtype=pl.Float64))

    def _acceptable(self, value: float) -> bool:
        return value == value if self.layout.infinite else abs(value) < float("inf")  # noqa: PLR0124 - NaN test

    def _problem(self, slug: str, line: int, text: str, content: bytes) -> None:
        self.found += 1
        if len(self.problems) < SHOWN:
            shown = content.decode("utf-8", "backslashreplace").strip()
            shown = shown if len(shown) <= 100 else shown[:97] + "..."  # noqa: PLR2004
            self.problems.append((slug, f"{self.source.name}:{line}: {text}: {shown!r}"))


def locate(source: Source, layout: Layout, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], list[int]]:
    """The lines on which (query, document) pairs stand: a second, slow pass, for messages only."""
    wanted = {(query.encode(), document.encode()): (query, document) for query, document in pairs}
    place = layout.columns.index("document")
    lines: dict[tuple[str, str], list[int]] = {pair: [] for pair in pairs}
    number = 0
    for chunk in _chunks(source):
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            number += 1
            fields = line.removeprefix(b"\xef\xbb\xbf").split()
            if len(fields) > place and (fields[0], fields[place]) in wanted:
                lines[wanted[fields[0], fields[place]]].append(number)
    return lines


def _chunks(source: Source) -> Iterator[bytes]:
    """Whole lines, some megabytes at a time; the buffer grows where a single line needs it."""
    with source.open() as stream:
        buffer = bytearray(CHUNK)
        held = 0
        while count := stream.readinto(memoryview(buffer)[held:]):
            held += count
            if held < len(buffer):
                continue
            end = buffer.rfind(b"\n", 0, held) + 1
            if end:
                yield bytes(memoryview(buffer)[:end])
                buffer[: held - end] = buffer[end:held]
                held -= end
            else:
                buffer.extend(bytes(len(buffer)))
        if held:
            yield bytes(memoryview(buffer)[:held])


def _clean(chunk: bytes) -> bytes:
    """The same lines with single blanks and nothing else between columns, without comments and empty lines."""
    text = b"\n" + chunk.translate(_BLANKS) + b"\n"
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    if b"\n#" in text:
        text = _COMMENT.sub(b"", text[1:])
    return text.removeprefix(b"\n")

"""TREC runs and judgements: lines of blank-separated columns, read in batches of columns and never in full.

Blanks and tabs may come in any number, lines may end in CR LF, the file may start with a byte order mark; empty
lines and lines that start with `#` are skipped, all as trec_eval does. Clean files are parsed as they are. What the
parser complains about is cleaned and parsed again, and what still does not fit is read line by line, so that every
problem can be named with its line.
"""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError
from rankworth.io.source import STDIN, Progress, Source
from rankworth.io.text import chunks, foreign
from rankworth.io.text.lines import MARK, QRELS, RUN, Complaints, Layout, words

__all__ = ["CHUNK", "QRELS", "RUN", "batches", "locate"]

CHUNK: Final = 8 << 20
LONGEST: Final = chunks.LINE
"""how long a line may be"""
_AHEAD: Final = 2
_BLANKS: Final = bytes.maketrans(b"\t\r\v\f", b"    ")
_COMMENT: Final = re.compile(rb"(?m)^#.*\n?")


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
    for chunk, parsed in _parsed(_chunks(source, progress), reader):
        frame = reader.settle(chunk, parsed)
        if frame is not None:
            yield frame
    reader.finish()


def with_ranks(source: Source, *, progress: Progress | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a run as `batches` gives them, with the rank column as float64.

    Raises:
        InputError: as `batches`; `bad-score` for a rank that is no number.

    """
    for frame in batches(source, RUN, columns=("query", "document", "score", "rank"), progress=progress):
        ranks = frame["rank"].cast(pl.Float64, strict=False)
        if ranks.has_nulls():
            query, document, _, rank = frame.row(int(ranks.is_null().arg_max() or 0))
            text = f"{source.name}: document {document!r} for query {query!r} has the rank {rank!r}, which is no number"
            raise InputError("bad-score", text, remedy="mend the rank column, or let scores decide: order='score'")
        yield frame.with_columns(ranks)


def _parsed(chunks: Iterator[bytes], reader: "_Reader") -> Iterator[tuple[bytes, pl.DataFrame | None]]:
    """Chunks in file order with what the parser makes of them; the next ones are parsed meanwhile."""
    pool = ThreadPoolExecutor(_AHEAD)
    coming: deque[tuple[bytes, Future[pl.DataFrame | None]]] = deque()
    try:
        for chunk in chunks:
            if not reader.separator:
                reader.begin(chunk)
            coming.append((chunk, pool.submit(reader.columns_of, chunk, reader.separator)))
            if len(coming) > _AHEAD:
                first, parsed = coming.popleft()
                yield first, parsed.result()
        for first, parsed in coming:
            yield first, parsed.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class _Reader:
    """Turns chunks into frames and remembers what it met on the way."""

    def __init__(self, source: Source, layout: Layout, columns: tuple[str, ...]) -> None:
        self.source = source
        self.name = source.name
        self.pipe = source.path == STDIN
        self.layout = layout
        self.columns = columns
        self.complaints = Complaints(source, layout)
        self.separator = ""
        self.lines = 0
        self.rows = 0
        # One column more than a line has tells when a line is too long.
        names = (*layout.columns, "beyond")
        self.schema = {name: pl.Float64() if name == layout.value else pl.String() for name in names}
        parsed = {*layout.used, *columns, layout.columns[-1], "beyond"}
        self.parsed = [place for place, name in enumerate(names) if name in parsed]

    def settle(self, chunk: bytes, frame: pl.DataFrame | None) -> pl.DataFrame | None:
        """Columns of the chunk; None where it has no rows, and once the file has problems."""
        if b"\0" in chunk:
            raise foreign.no_text(self.source, chunk, self.lines)
        if frame is not None:
            self.lines += frame.height
        else:
            if (place := chunks.long_line(chunk, LONGEST)) is not None:
                raise self._endless(chunk, place)
            cleaned = _clean(chunk)
            frame = self.columns_of(cleaned, " ") if cleaned else pl.DataFrame()
            if frame is None:
                frame = self._line_by_line(chunk)
            self.lines += chunk.count(b"\n") + (not chunk.endswith(b"\n"))
        self.rows += frame.height
        if frame.height and "tag" in frame.columns:
            self.source.tag = frame["tag"][-1]
        if self.complaints.found and not self.rows and len(chunk) > CHUNK >> 4:
            note = f"reading stopped: not one of the first {self.lines:,} lines is a {self.layout.what}"
            raise self.complaints.error(note)
        return frame.select(self.columns) if frame.height and not self.complaints.found else None

    def finish(self) -> None:
        """Raise what was found; an empty file is a problem, too."""
        if self.complaints.found:
            raise self.complaints.error(sound=self.rows)
        if not self.rows:
            content = "there is nothing in it but comments and empty lines" if self.lines else "there is nothing in it"
            once = "standard input can be read once only; was it read before?"
            text = f"{self.name}: {content}, not one {self.layout.what}"
            raise InputError("empty-input", text, remedy=once if self.pipe and not self.lines else "")

    def begin(self, chunk: bytes) -> None:
        """Look at the first lines for the encoding and the separator."""
        if encoding := foreign.encoding(chunk):
            raise foreign.wide(self.source, encoding)
        lines = (line.strip() for line in chunk[: 1 << 16].split(b"\n"))
        first = next((line for line in lines if line and not line.startswith(b"#")), b"")
        self.separator = "\t" if b"\t" in first and b" " not in first else " "

    def _endless(self, chunk: bytes, place: int) -> InputError:
        """The error for a line that begins at a place and is too long."""
        if not self.lines and foreign.ends_in_cr(chunk):
            return foreign.only_cr(self.source)
        remedy = f"end each {self.layout.what} with a line break; if the file is no text, say its format"
        if chunk[place : place + 1] in (b"{", b"["):
            remedy = f"this looks like JSON: --{self.layout.option}-format json, or jsonl where each line is an object"
        return foreign.endless(self.source, self.lines + chunk.count(b"\n", 0, place), LONGEST, remedy)

    def columns_of(self, chunk: bytes, separator: str) -> pl.DataFrame | None:
        """Parse a chunk in which every line has its columns and nothing else, or give up."""
        layout = self.layout
        other = b" " if separator == "\t" else b"\t"
        if other in chunk or b"\v" in chunk or b"\f" in chunk:
            return None
        if b"\r" in chunk and chunk.count(b"\r") > chunk.count(b"\r\n"):
            return None
        if _adjacent(chunk, separator) or chunks.looks_packed(chunk):
            return None
        if chunks.is_dense(chunk, 2 * len(layout.columns)) or chunks.long_line(chunk, LONGEST) is not None:
            return None
        try:
            frame = pl.read_csv(
                chunk,
                separator=separator,
                has_header=False,
                quote_char=None,
                schema=self.schema,
                columns=self.parsed,
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
            and not (MARK[:1] in chunk and frame["query"].str.starts_with("\ufeff").any())
        )
        return frame if sound else None

    def _line_by_line(self, chunk: bytes) -> pl.DataFrame:
        """Read what no parser could; what is wrong goes to the complaints."""
        rows = []
        for number, line in enumerate(chunk.split(b"\n"), self.lines + 1):
            fields = self.complaints.read(number, line)
            if fields is not None:
                rows.append(fields)
        place = self.layout.place
        frame = pl.DataFrame(rows, schema=list(self.layout.columns), orient="row")
        return frame.with_columns(pl.Series(self.layout.value, [float(row[place]) for row in rows], dtype=pl.Float64))


def _adjacent(chunk: bytes, separator: str) -> bool:
    """Whether two separators stand together: a column that is not parsed would be empty without anybody seeing it."""
    codes = np.frombuffer(chunk, np.uint8)
    if codes.size < 2 or np.bitwise_or(codes[1:], codes[:-1]).min() > ord(" "):  # noqa: PLR2004 - the quick answer
        return False
    separates = codes == ord(separator)
    return bool((separates[1:] & separates[:-1]).any())


def locate(
    source: Source, keys: list[tuple[str, ...]], columns: tuple[int, ...]
) -> dict[tuple[str, ...], tuple[int, int]]:
    """The first two lines on which keys stand in some columns: a second, slow pass, for messages only."""
    wanted = {tuple(text.encode() for text in key): key for key in keys}
    last = max(columns)
    first: dict[tuple[str, ...], int] = {}
    both: dict[tuple[str, ...], tuple[int, int]] = {}
    number = 0
    for chunk in _chunks(source):
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            number += 1
            fields = words(line)
            key = wanted.get(tuple(fields[column] for column in columns)) if len(fields) > last else None
            if key is not None and key not in both and first.setdefault(key, number) != number:
                both[key] = first[key], number
        if len(both) == len(wanted):
            break
    return both


def _chunks(source: Source, progress: Progress | None = None) -> Iterator[bytes]:
    return chunks.lines(source, usual=CHUNK, longest=LONGEST + 1, progress=progress)


def _clean(chunk: bytes) -> bytes:
    """The same lines with single blanks and nothing else between columns, without comments and empty lines."""
    if not chunk.strip():
        return b""
    text = b"\n" + chunk.translate(_BLANKS) + b"\n"
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    while MARK[:1] in text and b"\n" + MARK in text:
        text = text.replace(b"\n" + MARK, b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    if b"\n#" in text:
        text = _COMMENT.sub(b"", text[1:])
    return text.removeprefix(b"\n")

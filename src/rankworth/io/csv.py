"""Text tables: comma- or tab-separated, with a header or without, quoted as RFC 4180 says.

Ids stay the text that stands there. A file is cut into chunks of whole records, and chunks that are as they should be
are parsed at once. A chunk in which anything is odd is read record by record, so that every problem can be named with
the line on which its record begins. Blank lines are skipped, and comments above the first record.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError
from rankworth.io.columns import SMALLER
from rankworth.io.source import Progress, Source
from rankworth.io.text import chunks, foreign, headers
from rankworth.io.text.headers import Header
from rankworth.io.text.lines import MARK, RUN, Layout
from rankworth.io.text.records import Complaints, records

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 32 << 20
"""how long a record may be"""
_AHEAD: Final = 2
_QUOTE, _NEWLINE, _RETURN = map(ord, '"\n\r')

Codes = NDArray[np.uint8]
Places = NDArray[np.int64]


def batches(
    source: Source, layout: Layout, reading: "Reading", progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of a table, some hundred thousand at a time.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `csv`, `tsv` or `msmarco`.
        progress: told after each batch how far the file is read.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    header = headers.read(source, layout, reading)
    if layout is RUN:
        reading.orders.agree(header.form.value, source.name)
    if header.undecided and all(_are_whole(frame) for frame in _frames(source, layout, header)):
        raise _undecided(source)
    yield from _frames(source, layout, header, progress)


def _frames(source: Source, layout: Layout, header: Header, progress: Progress | None = None) -> Iterator[pl.DataFrame]:
    """The rows of the records below the header; the next chunks are parsed meanwhile."""
    reader = _Reader(source, layout, header)
    pool = ThreadPoolExecutor(_AHEAD)
    coming: deque[tuple[_Chunk, Future[pl.DataFrame | None]]] = deque()
    try:
        for chunk in _chunks(source, header, progress):
            coming.append((chunk, pool.submit(reader.parsed, chunk)))
            if len(coming) > _AHEAD:
                first, frame = coming.popleft()
                yield from reader.settled(first, frame.result())
        for first, frame in coming:
            yield from reader.settled(first, frame.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    reader.finish()


class _Chunk(NamedTuple):
    """Whole records."""

    text: bytes
    quoting: str
    """`plain` where no cell is quoted, `quoted` where all quotes are as they should be, `odd` where some are not;
    `endless` where not one record ends"""


class _Reader:
    """Turns chunks into frames and remembers what it met on the way."""

    def __init__(self, source: Source, layout: Layout, header: Header) -> None:
        self.source = source
        self.layout = layout
        self.form = header.form
        self.lines = header.lines
        self.rows = 0
        self.complaints = Complaints(source, layout, header.form, header.lines)
        count = len(self.form.names)
        self.places = dict(self.form.places)
        value = self.places.get(self.form.value)
        # One column more than a record has tells when a record is too long.
        self.schema = {str(place): pl.Float64() if place == value else pl.String() for place in range(count + 1)}
        self.needed = [what for what in self.places if what not in ("subtopic", "grade")]
        # A last cell that is not empty tells that none is missing.
        self.parsed_places = sorted({*self.places.values(), count - 1, count})

    def settled(self, chunk: _Chunk, frame: pl.DataFrame | None) -> Iterator[pl.DataFrame]:
        """Rows of the chunk; none where it has none, and none once the file has problems."""
        if 0 in chunk.text:
            raise foreign.no_text(self.source, chunk.text, self.lines)
        if chunk.quoting == "endless":
            remedy = "a quote may open here that is never closed; or lines do not end in LF"
            raise foreign.endless(self.source, self.lines, LONGEST, remedy, "record")
        if frame is None:
            frame = self._slowly(chunk.text)
        self.lines += chunk.text.count(b"\n")
        self.rows += frame.height
        if self.complaints.found and not self.rows and len(chunk.text) > CHUNK >> 4:
            note = f"reading stopped: not one of the first {self.lines:,} lines is a {self.layout.what}"
            raise self.complaints.error(note)
        if frame.height and not self.complaints.found:
            yield frame

    def finish(self) -> None:
        """Raise what was found; a table without rows is a problem, too."""
        if self.complaints.found:
            raise self.complaints.error()
        if not self.rows:
            text = f"{self.source.name}: there is nothing below the header, not one {self.layout.what}"
            raise InputError("empty-input", text)

    def parsed(self, chunk: _Chunk) -> pl.DataFrame | None:
        """Parse a chunk in which every record is as it should be, or give up."""
        text, quoting = chunk
        if quoting in ("odd", "endless") or (b"\r" in text and text.count(b"\r") > text.count(b"\r\n")):
            return None
        if chunks.is_dense(text, len(self.form.names)) or chunks.long_line(text) is not None:
            return None
        if chunks.looks_packed(text) or text.startswith(MARK) or (MARK[:1] in text and b"\n" + MARK in text):
            return None
        try:
            frame = pl.read_csv(
                text,
                separator=self.form.delimiter,
                has_header=False,
                quote_char='"' if quoting == "quoted" else None,
                schema=self.schema,
                columns=self.parsed_places,
                missing_columns="insert",
            )
        except pl.exceptions.PolarsError:
            return None
        return self._sound(chunk, frame)

    def _sound(self, chunk: _Chunk, frame: pl.DataFrame) -> pl.DataFrame | None:
        """The rows under their names, where nothing is wrong with any."""
        form, count = self.form, len(self.form.names)
        if frame[str(count)].null_count() < frame.height:
            return None
        is_short = frame[str(count - 1)].null_count() > 0
        frame = frame.select(**{what: pl.col(str(place)) for what, place in form.places.items()})
        blank = 0
        if any(frame[what].null_count() for what in self.needed):
            rows = frame.filter(~pl.all_horizontal(pl.all().is_null()))
            frame, blank = rows, frame.height - rows.height
        if any(frame[what].null_count() for what in self.needed):
            return None
        if (is_short or blank) and not _are_even(chunk, form.delimiter, count, blank):
            return None
        texts = frame.select(pl.col(pl.String))
        if chunk.quoting == "quoted" and any(column.str.len_bytes().min() == 0 for column in texts):
            return None
        padded = chunk.quoting == "quoted" or _may_have_blanks_around(chunk.text, form.delimiter)
        if padded and any(map(_has_blanks_around, texts)):
            return None
        return self._with_value(frame)

    def _with_value(self, frame: pl.DataFrame) -> pl.DataFrame | None:
        """Ranks as scores, no grade as 1."""
        if not self.form.value:
            return frame.with_columns(grade=pl.lit(1.0))
        value = frame[self.form.value]
        if value.is_nan().any() if self.form.value in ("score", "distance") else not value.is_finite().all():
            return None
        return frame.with_columns(score=0.0 - value).drop(self.form.value) if self.form.value in SMALLER else frame

    def _slowly(self, chunk: bytes) -> pl.DataFrame:
        """Read what is odd; what is wrong goes to the complaints."""
        found = (self.complaints.read(record, self.lines) for record in records(chunk, self.form.delimiter))
        rows = [row for row in found if row is not None]
        names = ("query", "document", self.layout.value, "subtopic")
        types = {name: pl.Float64() if name == self.layout.value else pl.String() for name in names}
        frame = pl.DataFrame(rows, schema=types, orient="row")
        return frame if "subtopic" in self.form.places else frame.drop("subtopic")


def _chunks(source: Source, header: Header, progress: Progress | None = None) -> Iterator[_Chunk]:
    """Whole records; the last chunk may be the beginning of one that does not end."""
    delimiter = ord(header.form.delimiter)
    for text, quoting in chunks.chunks(
        source,
        lambda buffer: _cut(buffer, delimiter),
        first=CHUNK >> 3,
        usual=CHUNK,
        longest=LONGEST,
        skip=header.place,
        progress=progress,
    ):
        endless = quoting is None and (len(text) >= LONGEST or 0 in text)
        yield _Chunk(text, "endless" if endless else quoting or _quoting(text, delimiter))


def _cut(text: bytearray, delimiter: int) -> tuple[int, str]:
    """Where the last whole record ends, and how the records up to there are quoted."""
    end = text.rfind(b"\n") + 1
    codes, quotes = _quotes(text)
    if not _open_cells(codes, quotes, delimiter):
        return end, "plain"
    while end and (before := int(np.searchsorted(quotes, end))) % 2:  # a quote is open there
        end = text.rfind(b"\n", 0, int(quotes[before - 1])) + 1
    if _are_paired(codes[:end], quotes[: np.searchsorted(quotes, end)], delimiter):
        return end, "quoted"
    end = 0
    for record in records(bytes(text), chr(delimiter)):
        end = record.place
        if record.open:
            break
    return end, "odd"


def _quoting(text: bytes, delimiter: int) -> str:
    """How whole records are quoted."""
    codes, quotes = _quotes(text)
    if not _open_cells(codes, quotes, delimiter):
        return "plain"
    return "quoted" if _are_paired(codes, quotes, delimiter) else "odd"


def _quotes(text: bytes | bytearray) -> tuple[Codes, Places]:
    """The bytes, and where quotes are among them."""
    codes = np.frombuffer(text, np.uint8)
    return codes, np.flatnonzero(codes == _QUOTE) if _QUOTE in text else np.empty(0, np.int64)


def _open_cells(codes: Codes, quotes: Places, delimiter: int) -> bool:
    """Whether any quote stands where a cell begins."""
    few, rest = quotes[:1000], quotes[1000:]
    return bool(_begin(codes, few, delimiter).any() or _begin(codes, rest, delimiter).any())


def _begin(codes: Codes, quotes: Places, delimiter: int) -> NDArray[np.bool_]:
    before = codes[quotes - 1]
    begin: NDArray[np.bool_] = (before == delimiter) | (before == _NEWLINE) | (quotes == 0)
    return begin


def _are_paired(codes: Codes, quotes: Places, delimiter: int) -> bool:
    """Whether every second quote opens a cell and the others close it, but for those that are doubled."""
    if quotes.size % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    doubled = closing[:-1] + 1 == opening[1:]
    opens = _begin(codes, opening, delimiter)
    opens[1:] |= doubled
    after = codes[np.minimum(closing + 1, codes.size - 1)]
    closes = (after == delimiter) | (after == _NEWLINE) | (after == _RETURN) | (closing + 1 == codes.size)
    closes[:-1] |= doubled
    return bool(opens.all() and closes.all())


def _are_even(chunk: _Chunk, delimiter: str, cells: int, blank: int) -> bool:
    """Whether some lines are empty and all other records have the same number of cells."""
    codes, quotes = _quotes(chunk.text)
    signs, ends = np.flatnonzero(codes == ord(delimiter)), np.flatnonzero(codes == _NEWLINE)
    if chunk.quoting == "quoted":
        signs, ends = (places[np.searchsorted(quotes, places) % 2 == 0] for places in (signs, ends))
    if not ends.size or ends[-1] != codes.size - 1:
        ends = np.append(ends, codes.size)
    lengths = np.diff(ends, prepend=-1) - 1
    empty = (lengths == 0) | ((lengths == 1) & (codes[ends - 1] == _RETURN))
    counts = np.diff(np.searchsorted(signs, ends), prepend=0)
    return int(empty.sum()) == blank and bool(((counts == cells - 1) | empty).all())


def _may_have_blanks_around(text: bytes, delimiter: str) -> bool:
    """Whether some cell may begin or end with a blank, as fast as can be told."""
    sign = delimiter.encode()
    return any(
        blank in text
        and (
            text.startswith(blank)
            or any(pair in text for end in (sign, b"\n", b'"') for pair in (end + blank, blank + end))
            or blank + b"\r" in text
        )
        for blank in (b" ", b"\t")
        if blank != sign
    )


def _has_blanks_around(column: pl.Series) -> bool:
    return bool((column.str.strip_chars(" \t") != column).any())


def _are_whole(frame: pl.DataFrame) -> bool:
    """Whether all scores could be ranks."""
    score = frame["score"]
    return bool((score.is_finite() & (score >= 0) & (score == score.floor())).all())


def _undecided(source: Source) -> InputError:
    """The error for a third column that may be ranks or scores, with what to say in either case."""
    columns = {"query": "1", "document": "2", "score": "3"}
    said = " ".join(f"{what}={column}" for what, column in columns.items())
    return InputError(
        "rank-or-score",
        f"{source.name}: all numbers of the third column are whole; they may be ranks or scores",
        remedy=f"ranks:  --run-format msmarco, in Python Run({source.path!r}, format='msmarco')\n"
        f"scores: --run-format tsv --columns {said}, in Python Run({source.path!r}, format='tsv', columns={columns})",
    )

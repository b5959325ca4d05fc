"""TREC runs and judgements: lines of blank-separated columns, read in batches of columns and never in full.

Blanks and tabs may come in any number, lines may end in CR LF, the file may start with a byte order mark; empty
lines and lines that start with `#` are skipped, all as trec_eval does. Clean files are parsed as they are. What the
parser refuses is cleaned and parsed again, and what still does not fit is read line by line, so that every problem can
be named with its line.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import lines
from rankworth.io.lines import COMMA, FIELDS, MARK, NUMBER, QRELS, RUN, Layout, Problems, bare
from rankworth.io.source import STDIN, Progress, Source

__all__ = ["CHUNK", "QRELS", "RUN", "batches", "locate"]

CHUNK: Final = 8 << 20
LONGEST: Final = 1 << 16
"""how long a line may be"""
_HEADERS: Final = ("query", "query_id", "qid", "topic")


def batches(
    source: Source, layout: Layout, *, columns: tuple[str, ...] = (), progress: Progress | None = None
) -> Iterator[pl.DataFrame]:
    """The file in batches of some hundred thousand lines, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        columns: which columns to hand out; those that judging needs if not said.
        progress: called after each batch with how far the file is read.

    Raises:
        InputError: with up to ten problems of the file, each with its line.

    """
    reader = _Reader(source, layout, columns or layout.used)
    for chunk, frame in lines.parsed(_chunks(source, progress), reader.parsed):
        rows = reader.rows_of(chunk, frame)
        if rows.height and not reader.problems.count:
            yield rows.select(reader.columns)
    reader.finish()


def tag(source: Source) -> str:
    """The last column of the first line, which names the run; empty where it is no line of a run.

    Raises:
        InputError: as `Source.open`.

    """
    cells = bare(lines.first_line(source.head(LONGEST))).split(maxsplit=5)
    return cells[5].decode("utf-8", "replace").strip() if RUN.fits(cells) else ""


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


def locate(
    source: Source, keys: list[tuple[str, ...]], columns: tuple[int, ...]
) -> dict[tuple[str, ...], tuple[int, int]]:
    """The first two lines on which keys stand in some columns: a second, slow pass, for messages only."""
    wanted = {tuple(text.encode() for text in key): key for key in keys}
    first: dict[tuple[str, ...], int] = {}
    both: dict[tuple[str, ...], tuple[int, int]] = {}
    number = 0
    for chunk in _chunks(source):
        for number, line in enumerate(chunk.removesuffix(b"\n").split(b"\n"), number + 1):  # noqa: B020 - it goes on
            fields = bare(line).split()
            key = wanted.get(tuple(fields[place] for place in columns)) if len(fields) > max(columns) else None
            if key is not None and key not in both and first.setdefault(key, number) != number:
                both[key] = first[key], number
        if len(both) == len(wanted):
            break
    return both


def _chunks(source: Source, progress: Progress | None = None) -> Iterator[bytes]:
    return lines.chunks(source, usual=CHUNK, longest=LONGEST + 1, progress=progress)


class _Reader:
    """Turns chunks into frames and remembers the lines, the rows and the problems so far."""

    def __init__(self, source: Source, layout: Layout, columns: tuple[str, ...]) -> None:
        self.source = source
        self.layout = layout
        self.columns = columns
        self.problems = Problems(source.name)
        self.exchanged = self.lines = self.rows = 0
        first = lines.first_line(source.head(1 << 16)).strip()
        self.separator = "\t" if b"\t" in first and b" " not in first else " "
        # One column more than a line has tells when a line is too long.
        names = (*layout.columns, "beyond")
        self.schema = {name: pl.Float64() if name == layout.value else pl.String() for name in names}
        parsed = {*layout.used, *columns, layout.columns[-1], "beyond"}
        self.places = [place for place, name in enumerate(names) if name in parsed]

    def parsed(self, chunk: bytes, separator: str = "") -> pl.DataFrame | None:
        """Parse a chunk in which every line has its columns and nothing else, or give up."""
        layout, separator = self.layout, separator or self.separator
        if any(blank in chunk for blank in (b" " if separator == "\t" else b"\t", b"\v", b"\f", b"\0")):
            return None
        if b"\r" in chunk and chunk.count(b"\r") > chunk.count(b"\r\n"):
            return None
        if lines.is_unusual(chunk, 2 * len(layout.columns)) or _adjacent(chunk, separator):
            return None
        try:
            frame = pl.read_csv(
                chunk,
                separator=separator,
                has_header=False,
                quote_char=None,
                schema=self.schema,
                columns=self.places,
                missing_columns="insert",
            )
        except pl.exceptions.PolarsError:
            return None
        nulls = frame.null_count().row(0, named=True)
        value, query = frame[layout.value], frame["query"].str
        sound = (
            nulls.pop("beyond") == frame.height
            and not any(nulls.values())
            and not (value.is_nan().any() if layout.infinite else not value.is_finite().all())
            and not (b"#" in chunk and query.starts_with("#").any())
            and not (MARK[:1] in chunk and query.starts_with("\ufeff").any())
        )
        return frame if sound and frame.height else None

    def rows_of(self, chunk: bytes, frame: pl.DataFrame | None) -> pl.DataFrame:
        """The rows of a chunk that is parsed, or that gets read now."""
        if frame is None:
            frame = self._mended(chunk)
            self.lines += chunk.count(b"\n") + (not chunk.endswith(b"\n"))
        else:
            self.lines += frame.height
        self.rows += frame.height
        if frame.height and "tag" in frame.columns:
            self.source.tag = frame["tag"][-1]
        if self.problems.count and not self.rows and len(chunk) > CHUNK >> 4:
            note = f"reading stopped: not one of the first {self.lines:,} lines is a {self.layout.what}"
            raise self._error(note)
        return frame

    def _mended(self, chunk: bytes) -> pl.DataFrame:
        """The rows of a chunk that is not parsed as it stands: without blanks and comments, or line by line."""
        if 0 in chunk or (not self.lines and lines.encoding(chunk)):
            raise lines.no_text(self.source, chunk, self.lines)
        if (start := lines.long_line(chunk, LONGEST)) is not None:
            raise self._endless(chunk, start)
        cleaned = _clean(chunk)
        frame = self.parsed(cleaned, " ") if cleaned else pl.DataFrame()
        return self._line_by_line(chunk) if frame is None else frame

    def finish(self) -> None:
        """Raise the problems; an empty file is one, too."""
        if self.problems.count:
            raise self._error()
        if not self.rows:
            content = "there is nothing in it but comments and empty lines" if self.lines else "there is nothing in it"
            once = "standard input can be read once only; was it read before?"
            remedy = once if self.source.path == STDIN and not self.lines else ""
            raise InputError("empty-input", f"{self.source.name}: {content}, not one {self.layout.what}", remedy=remedy)

    def _error(self, note: str = "") -> InputError:
        """All problems; one where every line of the file is of the other kind."""
        layout, other = self.layout, self.layout.other
        if self.exchanged < self.problems.count or self.rows:
            return self.problems.error(note)
        text = f"{self.source.name}: these are {other.what}s ({' '.join(other.columns)}), not {layout.what}s"
        return InputError(layout.slug, text, remedy="\n".join(filter(None, (layout.exchanged, note))))

    def _endless(self, chunk: bytes, start: int) -> InputError:
        """The error for a line of a chunk that does not end."""
        if not self.lines and lines.ends_in_cr(chunk):
            return lines.only_cr(self.source)
        remedy = f"end each {self.layout.what} with a line break; if the file is no text, say its format"
        if chunk[start : start + 1] in (b"{", b"["):
            remedy = self._like_json
        return lines.endless(self.source, self.lines + chunk.count(b"\n", 0, start), LONGEST, remedy)

    def _line_by_line(self, chunk: bytes) -> pl.DataFrame:
        """Read what no parser could, and remember the problems."""
        layout, place = self.layout, self.layout.value_index
        read = (self._fields(number, line) for number, line in enumerate(chunk.split(b"\n"), self.lines + 1))
        rows = [fields for fields in read if fields is not None]
        frame = pl.DataFrame(rows, schema=list(layout.columns), orient="row")
        return frame.with_columns(pl.Series(layout.value, [float(row[place]) for row in rows], dtype=pl.Float64))

    def _fields(self, number: int, line: bytes) -> list[str] | None:
        """The columns of a line; None where there is nothing to read, or a problem."""
        layout = self.layout
        fields = bare(line).split(None, FIELDS)
        if not fields or fields[0].startswith(b"#"):
            return None
        if len(fields) > FIELDS:
            raise lines.too_wide(self.source, number, "line")
        if len(fields) > len(layout.columns):
            fields = _with_blanks_in_tag(layout, line, fields)
        try:
            if layout.fits(fields):
                return [text.decode() for text in fields]
        except UnicodeDecodeError:
            pass
        self.exchanged += layout.other.fits(fields)
        slug, text, remedy = self._diagnosis(number, line, fields)
        self.problems.add(number, slug, f"{text}: {_quoted(line)}", remedy)
        return None

    def _diagnosis(self, number: int, line: bytes, fields: list[bytes]) -> tuple[str, str, str]:
        """The slug of a problem, what is wrong, and what helps."""
        layout, count = self.layout, len(fields)
        if count != len(layout.columns):
            if b"\r" in line.strip() and layout.fits(line.strip().partition(b"\r")[0].split()):
                return "line-ends", "lines end here in CR alone, not in LF", lines.with_lf(self.source)
            text = (
                f"a {layout.what} has {len(layout.columns)} columns ({' '.join(layout.columns)}), this one has {count}"
            )
            return layout.slug, text, self._of_columns(line, fields)
        if layout.fits(fields):
            return "wrong-encoding", "this is not UTF-8", lines.latin1(self.source)
        value = fields[layout.value_index].decode("latin-1")
        if NUMBER.fullmatch(value):
            remedy = f"drop the lines whose {layout.value} is no finite number, or mend what wrote them"
            return layout.bad_value, f"the {layout.value} is {value}", remedy
        remedy = f"a {layout.value} is a number such as {'12.5 or 1e-3' if layout.infinite else '0, 1 or 0.5'}"
        if COMMA.fullmatch(value):
            remedy = "write numbers with a decimal point, as in 12.5"
        elif number == 1 or fields[0].decode("latin-1").lower() in _HEADERS:
            path = lines.path_of(self.source)
            cut = f"tail -n +2 {path}" if number == 1 else f"sed {number}d {path}"
            remedy = f"if line {number} is a header: {cut} > lines.txt"
        return layout.bad_value, f"the {layout.value} is not a number", remedy

    def _of_columns(self, line: bytes, fields: list[bytes]) -> str:
        """What helps where a line has more or fewer columns: what the file probably is, or what it should be."""
        layout, missing = self.layout, len(self.layout.columns) - len(fields)
        if layout.other.fits(fields):
            return layout.exchanged
        if fields[0][:1] in (b"{", b"["):
            return self._like_json
        if missing > 0 and (line.count(b",") > 1 or line.count(b"\t") > 1):
            form, places = "tsv" if b"\t" in line else "csv", {"query": 1, "document": 2, layout.value: 3}
            option = " ".join(f"{what}={place}" for what, place in places.items())
            return (
                f"this looks like a table: --{layout.option}-format {form}, and without a header --columns {option} "
                f"(in Python format={form!r}, columns={places})"
            )
        if missing == 1 and layout is RUN and NUMBER.fullmatch(fields[-1].decode("latin-1")):
            path = lines.path_of(self.source)
            return f"if only the name of the run is missing: awk '{{print $0, \"name\"}}' {path} > six.txt"
        blanks = "ids and names cannot contain blanks; " if missing < 0 else ""
        return f"{blanks}write every line as: {' '.join(layout.columns)}"

    @property
    def _like_json(self) -> str:
        return f"this looks like JSON: --{self.layout.option}-format json, or jsonl where each line is an object"


def _adjacent(chunk: bytes, separator: str) -> bool:
    """Whether two separators stand together: a column that is not parsed would be empty without anybody seeing it."""
    codes = np.frombuffer(chunk, np.uint8)
    if codes.size < 2 or np.bitwise_or(codes[1:], codes[:-1]).min() > ord(" "):  # noqa: PLR2004 - the quick answer
        return False
    separates = codes == ord(separator)
    return bool((separates[1:] & separates[:-1]).any())


def _clean(chunk: bytes) -> bytes:
    """Lines with single blanks and nothing else between columns, without comments and empty lines."""
    cleaned = (b" ".join(bare(line).split()) for line in chunk.split(b"\n"))
    return b"\n".join(line for line in cleaned if line and not line.startswith(b"#"))


def _with_blanks_in_tag(layout: Layout, line: bytes, fields: list[bytes]) -> list[bytes]:
    """The columns of a line that has more words than columns: as it stands, unless tabs tell where the tag begins.

    trec_eval keeps what follows the tag for future use; without tabs, a blank in an id would look the same.
    """
    *others, tag = bare(line).strip().split(b"\t")
    if layout is RUN and len(others) + 1 == len(layout.columns) and all(len(cell.split()) == 1 for cell in others):
        return [*fields[: len(others)], b" ".join(tag.split())]
    return fields


def _quoted(line: bytes) -> str:
    """A line in quotes, with escapes where it is no text."""
    try:
        return repr(shortened(line.decode().strip()))
    except UnicodeDecodeError:
        return repr(shortened(line.strip().decode("latin-1")).encode("latin-1"))[1:]

"""SVMlight and LETOR: judgements as learning to rank has them, `grade qid:N features # document`.

The features are passed over. A document is called by what follows `#`, or else by the number of its line. Rows without
`qid` begin with the label; their queries are called 0, 1, 2 ..., by their sizes in `FILE.query` (LightGBM) or
`FILE.group` (XGBoost).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankworth.errors import InputError, counted, shortened
from rankworth.io import grade_words, lines
from rankworth.io.grade_words import Words
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.lines import Chunk
from rankworth.io.remedies import WITHOUT_QUERY
from rankworth.io.row_order import query_starts
from rankworth.io.score_lines import sizes_beside
from rankworth.io.source import Source
from rankworth.io.text_lines import Reader, Record

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 8 << 20
"""how long a line may be; there may be thousands of features"""
_DOCUMENT: Final = r"\s*(?:docid\s*=\s*)?(\S+)"
"""the id in a comment: of LETOR's `docid = GX01 inc = 1`, and of `7555 Rambo` the first word"""
_COMMENT: Final = re.compile(_DOCUMENT)
_ROW: Final = r"^[ \t\r\f\v]*([^ \t\r\f\v#]+)[ \t\r\f\v]+qid:([^ \t\r\f\v#]+)"
"""grade and query at the beginning of a line"""
_LABEL: Final = r"^[ \t\r\f\v]*([^ \t\r\f\v#,;|]+)"
"""the label of a row that names no query"""
_SIGNS: Final = re.compile("[,;|]")
_WHOLE_LINE: Final = "\x01"
"""a separator that is in no line, so that a line is one cell"""
_HAS: Final = "a line of a learning-to-rank file is: grade qid:N features # document"


def batches(
    source: Source,
    layout: Layout,
    reading: "Reading",
    observed: "Observed",  # noqa: ARG001 - as for any format
) -> Iterator[pl.DataFrame]:
    """Return the judgements in batches, in file order.

    Args:
        source: where the bytes come from.
        layout: `QRELS`.
        reading: what the user says of the file.
        observed: gets to know the facts.

    Raises:
        InputError: `frame-columns`, `input-type`; with up to ten problems of the file, each with its line.

    """
    if any(reading.columns.values()):
        text = f"{source.name}: a learning-to-rank file has no columns with names"
        raise InputError("frame-columns", text, remedy=f"leave the names of columns out; {_HAS}")
    if layout is RUN:
        text = f"{source.name}: this is a learning-to-rank file (grade qid:N features), and not a run"
        raise InputError("input-type", text, remedy="it holds judgements; they come first, the run comes second")
    if source.label_rows is not None:
        return iter([source.label_rows.frame])
    return _Reader.of(source, reading.grades).rows()


class LabelRows:
    """The rows of a learning-to-rank file, read once for its judgements and for all scores that stand beside them."""

    def __init__(self, source: Source, words: Words = grade_words.NONE) -> None:
        """Name the file; it is read when its rows are needed."""
        self.source, self._words = source, words

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows, `query, document, grade`, in file order.

        Comments that name a document of a query twice are no ids: then every document is called by its line.

        Raises:
            InputError: `scattered-rows`, and as `batches`.

        """
        reader = _Reader.of(self.source, self._words)
        frame = pl.concat([*reader.rows(), pl.DataFrame(schema=_SCHEMA)])
        remedy = "sort the rows by query, the scores with them; or train and predict again with sorted rows"
        query_starts(frame["query"], lambda row: f"{self.source.name}:{self.line(row)}", remedy)
        has_ids = not reader.has_comments or frame.n_unique(["query", "document"]) == frame.height
        return frame if has_ids else self._by_line

    @cached_property
    def _by_line(self) -> pl.DataFrame:
        """All rows, with documents that are called by their line."""
        return pl.concat(_Reader.of(self.source, self._words, by_line=True).rows())

    def line(self, row: int) -> int:
        """Return the number of the line of a row; rows are counted from 0."""
        return int(self._by_line["document"][row])


def _by_sizes(frames: Iterator[pl.DataFrame], source: Source, sizes: Source) -> Iterator[pl.DataFrame]:
    """Call the queries of rows 0, 1, 2 ..., by how many rows each has.

    Args:
        frames: the rows.
        source: their file.
        sizes: the file with a size in each line.

    Raises:
        InputError: `row-count`, `input-type`.

    """
    words = sizes.whole().split()
    if not words or not all(map(bytes.isdigit, words)):
        text = f"{sizes.name}: the sizes of the queries of {source.name} are whole numbers, one in each line"
        raise InputError("input-type", text, remedy="write how many rows each query has, in their order")
    lengths = np.array(words, dtype=np.int64)
    number = np.repeat(np.arange(lengths.size), lengths)  # [N]: the query of each row
    done = 0
    for frame in frames:
        part = number[done : done + frame.height]
        done += frame.height
        if part.size == frame.height:
            yield frame.with_columns(pl.Series("query", part).cast(pl.String))
    if done != number.size:
        text = (
            f"{source.name} has {counted(done, 'row', 'rows')}, and the sizes in {sizes.name} add up to {number.size:,}"
        )
        raise InputError(
            "row-count", text, remedy="write the two files together, or remove the one that is out of date"
        )


_SCHEMA: Final = {"query": pl.String(), "document": pl.String(), "grade": pl.Float64()}


class _Reader(Reader):
    """Reads grade, query and document of each line."""

    sizes = ""
    """the file with the sizes of queries; empty where the rows name their query"""
    by_line = False
    """whether documents are called by their line whatever the comments say"""
    has_comments = False
    """whether some document is called by a comment"""

    @classmethod
    def of(cls, source: Source, words: Words, *, by_line: bool = False) -> "_Reader":
        """Make a reader of a file."""
        reader = cls(
            source,
            " ",
            {"query": 1, "document": 2, "grade": 0},
            3,
            ("query", "document", "grade"),
            ("grade",),
            has_quotes=False,
            noun="line of a learning-to-rank file",
            slug=QRELS.slug,
            has=_HAS,
            words=words,
        )
        reader.by_line, reader.sizes = by_line, sizes_beside(source.path, lines.first_line(source.head(lines.HEAD)))
        return reader

    def rows(self) -> Iterator[pl.DataFrame]:
        """Yield the rows of the file."""
        frames = self.frames(lines.chunks(self.source, usual=CHUNK, longest=LONGEST, noun="line"))
        return _by_sizes(frames, self.source, Source(self.sizes)) if self.sizes else frames

    def is_odd(self, text: bytes) -> bool:  # noqa: ARG002 - which lines are odd, their grades tell
        """Return whether Polars must not see a chunk: never."""
        return False

    def parse(self, chunk: Chunk) -> pl.DataFrame | None:
        """Parse a chunk in which every line has grade and query, or give up."""
        text = chunk.text
        if self.is_unusual(text):
            return None
        try:
            rows = pl.read_csv(
                text, separator=_WHOLE_LINE, has_header=False, quote_char=None, schema={"line": pl.String()}
            )
        except pl.exceptions.PolarsError:
            return None
        if rows.height != text.count(b"\n") + (not text.endswith(b"\n")):  # blank lines count, too
            return None
        numbers = pl.int_range(chunk.above + 1, chunk.above + 1 + pl.len()).cast(pl.String)
        line, document = pl.col("line").str, numbers
        if b"#" in text and not self.by_line:
            self.has_comments = True
            document = pl.coalesce(line.extract(f"#{_DOCUMENT}"), numbers)
        label = line.extract(_LABEL if self.sizes else _ROW, 1)
        grade = label if self.words else label.cast(pl.Float64, strict=False)
        query = pl.lit("0") if self.sizes else line.extract(_ROW, 2)
        frame = rows.select(grade.alias("0"), query.alias("1"), document.alias("2"))
        return self.sound(frame, blanks=False)

    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:  # noqa: ARG002 - lines end
        """Return the lines that are neither empty nor comments."""
        records = []
        for number, line in enumerate(text.split(b"\n")):
            before, sign, comment = line.partition(b"#")
            words = before.split(None, 2)
            if words:
                has_id = sign and not self.by_line
                document = _COMMENT.match(comment.decode(errors="surrogateescape")) if has_id else None
                self.has_comments |= document is not None
                cells = [word.decode(errors="surrogateescape") for word in words[:2]]
                cells = [_SIGNS.split(cells[0], maxsplit=1)[0], "qid:0"] if self.sizes else cells
                if len(cells) == 2 and cells[1].startswith("qid:"):  # noqa: PLR2004 - grade and query
                    cells = [cells[0], cells[1][4:], document[1] if document else str(above + number + 1)]
                    records.append(Record(number, cells))
                else:
                    text_of_cells = shortened(" ".join(cells))
                    fault = InputError(self.slug, f"{self.has}, and this is {text_of_cells!r}", remedy=WITHOUT_QUERY)
                    records.append(Record(number, cells, problem=fault))
        return records, b""

    def advice(self, cells: Sequence[str]) -> str:  # noqa: ARG002 - all lines have as many cells
        """Return the remedy for a record with too many or too few cells."""
        return ""

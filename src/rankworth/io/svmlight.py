"""SVMlight and LETOR: judgements as learning to rank has them, `grade qid:N features # document`.

The features are passed over. A document is called by what follows `#`, or else by the number of its line.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import lines
from rankworth.io.layout import RUN, Layout
from rankworth.io.source import Source
from rankworth.io.text_lines import Reader, Record

if TYPE_CHECKING:
    from rankworth.io.options import Reading

CHUNK: Final = 8 << 20
LONGEST: Final = 8 << 20
"""how long a line may be; there may be thousands of features"""
_DOCUMENT: Final = re.compile(r"\s*(?:docid\s*=\s*)?(\S+)")
"""the id in a comment: of LETOR's `docid = GX01 inc = 1`, and of `7555 Rambo` the first word"""
_HAS: Final = "a line of a learning-to-rank file is: grade qid:N features # document"


def batches(source: Source, layout: Layout, reading: "Reading") -> Iterator[pl.DataFrame]:
    """Return the judgements in batches, in file order.

    Args:
        source: where the bytes come from.
        layout: `QRELS`.
        reading: what the user says of the file.

    Raises:
        InputError: `frame-columns`, `input-type`; with up to ten problems of the file, each with its line.

    """
    if any(reading.columns.values()):
        text = f"{source.name}: a learning-to-rank file has no columns with names"
        raise InputError("frame-columns", text, remedy=f"leave the names of columns out; {_HAS}")
    if layout is RUN:
        text = f"{source.name}: this is a learning-to-rank file (grade qid:N features), and not a run"
        raise InputError("input-type", text, remedy="it holds judgements; they come first, the run comes second")
    reader = _Reader(
        source,
        " ",
        {"query": 1, "document": 2, "grade": 0},
        3,
        ("query", "document", "grade"),
        ("grade",),
        has_quotes=False,
        noun="line of a learning-to-rank file",
        slug=layout.slug,
        has=_HAS,
    )
    return reader.frames(lines.chunks(source, usual=CHUNK, longest=LONGEST, noun="line"))


class _Reader(Reader):
    """Reads grade, query and document of each line, one by one."""

    def is_odd(self, text: bytes) -> bool:  # noqa: ARG002 - there is no table for Polars
        """Return whether Polars must not see a chunk: always."""
        return True

    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:  # noqa: ARG002 - lines end
        """Return the lines that are neither empty nor comments."""
        records = []
        for number, line in enumerate(text.split(b"\n")):
            before, sign, comment = line.partition(b"#")
            words = before.split(None, 2)
            if words:
                document = _DOCUMENT.match(comment.decode(errors="surrogateescape")) if sign else None
                cells = [word.decode(errors="surrogateescape") for word in words[:2]]
                if len(cells) == 2 and cells[1].startswith("qid:"):  # noqa: PLR2004 - grade and query
                    cells = [cells[0], cells[1][4:], document[1] if document else str(above + number + 1)]
                    records.append(Record(number, cells))
                else:
                    fault = InputError(self.slug, f"{self.has}, and this is {shortened(' '.join(cells))!r}")
                    records.append(Record(number, cells, problem=fault))
        return records, b""

    def advice(self, cells: Sequence[str]) -> str:  # noqa: ARG002 - all lines have as many cells
        """Return what helps where a record has more or fewer cells than it should have."""
        return ""

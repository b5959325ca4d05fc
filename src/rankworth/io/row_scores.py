"""Scores without ids: a score for each row of a learning-to-rank file, as rankers write their predictions.

A file has a number in each line (LightGBM, XGBoost), a table of CatBoost with a header, or lines of RankLib: the query,
the number of the row in it from 0 on, and the score.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from rankworth.errors import InputError, counted
from rankworth.io.facts import Observed
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import HEAD, MARK, chunks, first_line
from rankworth.io.options import Reading
from rankworth.io.score_lines import CELLS, HEADER, ROWS, is_ranklib
from rankworth.io.source import Source
from rankworth.io.svmlight import LabelRows
from rankworth.io.text_lines import Reader, Record

CHUNK: Final = 8 << 20


def batches(source: Source, layout: Layout, reading: Reading, observed: Observed) -> Iterator[pl.DataFrame]:
    """Yield the scores beside the queries and documents of the rows that they belong to.

    Args:
        source: where the bytes come from; it may know the rows.
        layout: `RUN`.
        reading: what the user says of the file; its column `rows` is the learning-to-rank file.
        observed: gets to know the facts.

    Raises:
        InputError: `unfit-columns` where there is no such file; `bad-score`; `row-count`, `scattered-rows`.

    """
    labels = reading.columns.get(ROWS, "")
    if layout is not RUN or not labels:
        text = f"{source.name}: there is a score in each line, and neither a query nor a document"
        remedy = "give the learning-to-rank file that it belongs to as judgements (label qid:N features, a line for "
        remedy += "each score):\n  rankworth evaluate test.svm predictions.txt\nof arrays in Python "
        remedy += "rankworth.evaluate(labels=labels, scores=scores, group=sizes)"
        raise InputError("unfit-columns", text, remedy=remedy)
    observed.agree("score", source.name)
    rows = source.label_rows or LabelRows(Source(labels))
    frame, scores = rows.frame, pl.concat(_scores(source))
    if (count := scores.height) != frame.height:
        called = rows.source.name
        text = f"{source.name} has {counted(count, 'score', 'scores')}, and {called} has "
        text += f"{counted(frame.height, 'row', 'rows')}: "
        if count < frame.height:
            text += f"line {rows.line(count):,} of {called} is the first without a score"
        else:
            text += f"score {frame.height + 1:,} is the first without a row"
        raise InputError("row-count", text, remedy="write a score for each row, in the order of the rows")
    yield frame.select("query", "document").with_columns(scores["score"])


def _scores(source: Source) -> Iterator[pl.DataFrame]:
    """Yield the scores of a file."""
    first = first_line(source.head(HEAD).removeprefix(MARK))
    cells, skip = first.rstrip(b"\r").split(b"\t"), (0, 0)
    if HEADER in cells:
        column, width = cells.index(HEADER), len(cells)
        above = source.head(HEAD).partition(first)[0]
        skip = (len(above) + len(first) + 1, above.count(b"\n") + 1)
    else:
        column, width = (CELLS - 1, CELLS) if is_ranklib(first) else (0, 1)
    reader = _ScoreReader(
        source,
        "\t",
        {"score": column},
        width,
        ("score",),
        ("score",),
        has_quotes=False,
        noun="line with a score",
        slug="unfit-columns",
        has=f"a line has {counted(width, 'cell', 'cells')}",
    )
    return reader.frames(chunks(source, usual=CHUNK, longest=HEAD, skip=skip))


class _ScoreReader(Reader):
    """Reads the score of each line."""

    def is_odd(self, text: bytes) -> bool:  # noqa: ARG002 - blank lines are none of Polars' rows
        """Return whether Polars must not see a chunk: never."""
        return False

    def records(self, text: bytes, above: int, *, last: bool) -> tuple[list[Record], bytes]:  # noqa: ARG002 - lines end
        """Return the lines that are not blank."""
        rows = enumerate(text.decode(errors="surrogateescape").split("\n"))
        return [Record(number, row.rstrip("\r").split("\t")) for number, row in rows if row.strip()], b""

    def advice(self, cells: Sequence[str]) -> str:  # noqa: ARG002 - all lines have as many cells
        """Return the remedy for a line with too many or too few cells."""
        return "write the predictions again, or remove the line"

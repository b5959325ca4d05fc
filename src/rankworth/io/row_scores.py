"""Scores without ids: a score for each row of a learning-to-rank file, as rankers write their predictions.

A file has a number in each line (LightGBM, XGBoost), a table of CatBoost with a header, or lines of RankLib: the query,
the number of the row in it from 0 on, and the score.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from rankworth.arrays import Floats
from rankworth.errors import InputError, counted, shortened
from rankworth.io import svmlight
from rankworth.io.layout import NUMBER, QRELS, RUN, Layout
from rankworth.io.lines import numbered
from rankworth.io.options import Reading
from rankworth.io.score_lines import CELLS, HEADER, ROWS, is_ranklib
from rankworth.io.source import Source
from rankworth.tables.frames import run_starts


def batches(source: Source, layout: Layout, reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the scores beside the queries and documents of the rows that they belong to.

    Args:
        source: where the bytes come from.
        layout: `RUN`.
        reading: what the user says of the file; its column `rows` is the learning-to-rank file.

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
    reading.orders.agree("score", source.name)
    return _beside_rows(source, _scores(source), Source(labels))


def _beside_rows(source: Source, scores: Floats, labels: Source) -> Iterator[pl.DataFrame]:
    """Yield `query, document, score` in the order of the rows."""
    rows, seen, last = 0, set[str](), ""
    for frame in svmlight.batches(labels, QRELS, Reading()):
        starts = run_starts(frame["query"])
        for query in frame["query"].gather(starts).to_list():
            if query != last and query in seen:
                text = f"{labels.name}: the rows of query {shortened(query)} stand apart; a ranker takes them for "
                raise InputError("scattered-rows", f"{text}several queries", remedy="sort the rows by query first")
            seen.add(query)
            last = query
        scored = scores[rows : rows + frame.height]
        rows += frame.height
        if scored.size == frame.height:
            yield frame.select("query", "document", pl.Series("score", scored))
    if rows != scores.size:
        text = f"{source.name} has {counted(scores.size, 'score', 'scores')}, and {labels.name} has "
        text += f"{counted(rows, 'row', 'rows')}: "
        missing = ("score", source.name) if scores.size < rows else ("row", labels.name)
        text += f"the {missing[0]} {min(rows, scores.size) + 1:,} is missing in {missing[1]}"
        raise InputError("row-count", text, remedy="write a score for each row, in the order of the rows")


def _scores(source: Source) -> Floats:
    """Read the scores of a file.

    Raises:
        InputError: `bad-score`, `unfit-columns`.

    """
    lines = list(numbered(source))
    first = lines[0][1] if lines else b""
    cells = first.split(b"\t")
    if HEADER in cells:
        column, width, lines = cells.index(HEADER), len(cells), lines[1:]
    else:
        column, width = (2, CELLS) if is_ranklib(first) else (0, 1)
    texts = [line.strip(b" \r\n") for _, line in lines] if width == 1 else _column(source, lines, column, width)
    try:
        scores = np.array(texts, dtype=np.float64)
    except ValueError:
        scores = np.array([float(text) if NUMBER.fullmatch(text.decode("latin-1")) else np.nan for text in texts])
    if np.isnan(scores).any():
        bad = int(np.flatnonzero(np.isnan(scores))[0])
        text = f"{source.name}:{lines[bad][0]}: the score is {shortened(repr(texts[bad].decode('utf-8', 'replace')))}"
        raise InputError("bad-score", f"{text}, not a number", remedy="a score is a number in each line")
    return scores


def _column(source: Source, lines: Sequence[tuple[int, bytes]], column: int, width: int) -> list[bytes]:
    """Return one cell of each line of a table.

    Raises:
        InputError: `unfit-columns`.

    """
    rows = [line.rstrip(b"\r\n").split(b"\t") for _, line in lines]
    for (number, _), row in zip(lines, rows, strict=True):
        if len(row) != width:
            text = f"{source.name}:{number}: a line has {counted(width, 'cell', 'cells')}, this one has {len(row)}"
            raise InputError("unfit-columns", text, remedy="write the predictions again, or remove the line")
    return [row[column].strip() for row in rows]

"""Judgements by subtopic: the grades that each judged document has for each subtopic of its query.

No form of judging knows subtopics: rows tell which judgement they have, and so which grades.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from rankworth.arrays import Integers
from rankworth.judging.judged_run import Subtopics
from rankworth.model import Qrels

Row = float | Sequence[float | None] | None
"""What one document of a ranking has: a grade, grades for each subtopic, or nothing."""


def of(qrels: Qrels) -> Subtopics | None:
    """The grades by subtopic, found once for each `Qrels`; None where the judgements say nothing of subtopics.

    Raises:
        InputError: `missing-value`, `id-type`, where the column of subtopics cannot be read.

    """
    if "_subtopics" not in qrels.__dict__:
        qrels.__dict__["_subtopics"] = _numbered(qrels)
    known: Subtopics | None = qrels.__dict__["_subtopics"]
    return known


def of_rows(ranked: Iterable[Row], missing: Iterable[Row]) -> tuple[list[Row], list[Row], Subtopics | None]:
    """Best grades of the documents of one ranking, and the grades by subtopic where some document has several.

    Args:
        ranked: what each retrieved document has; None for one that nobody judged.
        missing: what each judged document has that was not retrieved.

    Raises:
        ValueError: where some documents have grades for subtopics and others have not, or not as many.

    """
    ranked, missing = list(ranked), list(missing)
    rows = [row for row in (*ranked, *missing) if row is not None]
    if not any(map(_is_several, rows)):
        return ranked, missing, None
    table = np.array([[-np.inf if grade is None else grade for grade in row] for row in rows], dtype=np.float64)  # type: ignore[union-attr]
    if table.ndim != 2 or not table.shape[1] or np.isnan(table).any() or np.isposinf(table.max(axis=1)).any():  # noqa: PLR2004
        raise ValueError
    subtopics = Subtopics(
        counts=np.array([table.shape[1]]),
        offsets=np.arange(len(rows) + 1) * table.shape[1],
        number=np.tile(np.arange(table.shape[1]), len(rows)),
        grade=table.reshape(-1),
        by_id=np.arange(len(rows)),
    )
    best: list[Row] = [None if row is None else max(_grades(row)) for row in (*ranked, *missing)]
    return best[: len(ranked)], best[len(ranked) :], subtopics


def _is_several(row: Row) -> bool:
    return isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes)


def _grades(row: Row) -> list[float]:
    return [float(grade) for grade in row if grade is not None]  # type: ignore[union-attr]


def _numbered(qrels: Qrels) -> Subtopics | None:
    rows = qrels.by_subtopic()
    if rows is None:
        return None
    import polars as pl  # noqa: PLC0415 - dicts have no subtopics

    size, queries = qrels.grades.size, len(qrels)
    owner = np.repeat(np.arange(queries), qrels.lengths)
    judged = pl.DataFrame(
        {"owner": owner, "row": np.arange(size), "query": pl.Series(qrels.queries).gather(owner.tolist())}
    ).with_columns(qrels.document_series.alias("document"))
    named = rows.select(pl.col("subtopic").unique()).sort(pl.col("subtopic").str.len_bytes(), "subtopic")
    found = rows.join(judged, on=["query", "document"]).join(named.with_row_index("place"), on="subtopic")
    row, place, grade = (found[name].to_numpy() for name in ("row", "place", "grade"))
    number, counts = _numbers(owner[row], place.astype(np.int64), len(named), queries)
    order = np.lexsort((number, row))
    by_id = judged.sort("owner", "document", descending=[False, True])["row"].to_numpy()
    offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=size))))
    return Subtopics(counts, offsets, number[order], grade[order], by_id)


def _numbers(owner: Integers, place: Integers, width: int, queries: int) -> tuple[Integers, Integers]:
    """The number of each row's subtopic within its query, and how many each query has.

    >>> _numbers(np.array([0, 0, 1, 1]), np.array([2, 5, 5, 5]), 9, 2)
    (array([0, 1, 0, 0]), array([2, 1]))
    """
    each, which = np.unique(owner * width + place, return_inverse=True)
    counts = np.bincount(each // width, minlength=queries)
    return which - (np.cumsum(counts) - counts)[owner], counts

"""Labels and scores in flat arrays, as rankers take them: a row for each item, and sizes of groups or query ids."""

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError, UsageError, counted
from rankworth.io import grade_words, validate
from rankworth.io.grade_words import Words
from rankworth.io.kinds import is_scalar, plain
from rankworth.io.labels import Items, check_index
from rankworth.io.row_order import query_starts
from rankworth.io.training_data import labelled_groups
from rankworth.tables.frames import run_starts

_NUMERIC: Final = "biuf"
"""the kinds of arrays of NumPy that hold real numbers"""
Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Rows(NamedTuple):
    """Rows of items: `[N]` each."""

    labels: object
    scores: object = None
    """None where the rows stand in the order of the ranking"""
    group: object = None
    """how many rows each query has"""
    qid: object = None
    """the query of each row"""
    padding: object = None
    """the label of rows that are no items, or for each row whether it is none"""


def frames(rows: Rows, words: Words = grade_words.NONE) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgements and a run as frames, `query, document, grade` and `query, document, score`.

    Queries are called by their ids, or by their number from 0 on where sizes of groups tell them apart; items by their
    position in the query, with as many digits as the longest one needs, so that of equal scores the later item comes
    first where ties are broken by descending id. An item whose label is masked is ranked and not judged.

    Args:
        rows: the rows.
        words: the grades that words mean among the labels.

    Raises:
        InputError: `input-type`, `bad-grade`, `bad-score`, `row-count`, `scattered-rows`, `empty-input`.
        UsageError: `conflicting-options`.

    """
    if rows.group is not None and rows.qid is not None:
        text = "group and qid both tell queries apart: sizes of queries, or the query of each row"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    check_index(rows.labels, rows.scores)
    check_index(rows.labels, rows.qid)
    grades, is_judged = _labels(rows.labels, words)
    size = grades.size
    scores = -np.arange(size, dtype=np.float64) if rows.scores is None else _numbers(rows.scores, "score", "scores")
    if scores.size != size:
        text = f"there are {counted(size, 'label', 'labels')} and {counted(scores.size, 'score', 'scores')}: "
        text += f"the {'score' if scores.size < size else 'label'} of row {min(size, scores.size)} (from 0) is missing"
        raise InputError("row-count", text, remedy="give a score for each label")
    if rows.group is None:
        names, lengths = _by_id(rows.qid, size)
    else:
        lengths = _sizes(rows.group, size)
        names = pl.Series("query", np.arange(lengths.size)).cast(pl.String)
    is_item = ~_is_padding(rows.padding, grades)
    return _judgements_and_run(names, lengths, pl.DataFrame({"grade": grades, "score": scores}), is_judged, is_item)


def of_items(items: Items, padding: object = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgements and a run of a table of items, as `frames` does; its rows may stand in any order.

    Args:
        items: the columns; an item without a grade has a judgement without one.
        padding: as in `Rows`.

    Raises:
        InputError: `row-count`, `empty-input`.

    """
    is_item = ~_is_padding(padding, items.grades)
    queries = validate.id_column("query", items.queries, lambda row: f"labels: row {row}")
    table = pl.DataFrame({"query": queries, "grade": items.grades, "score": items.scores, "is_item": is_item})
    table = table.sort("query", maintain_order=True)
    starts = run_starts(table["query"])
    lengths = np.diff(starts, append=table.height)
    is_judged = np.ones(table.height, dtype=bool)
    names = table["query"].gather(starts)
    return _judgements_and_run(names, lengths, table.select("grade", "score"), is_judged, table["is_item"].to_numpy())


def _judgements_and_run(
    names: pl.Series, lengths: Integers, rows: pl.DataFrame, is_judged: Mask, is_item: Mask
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgements and a run of rows that stand together by query.

    Args:
        names: `[Q]`, the ids of queries.
        lengths: `[Q]`, how many rows each has.
        rows: `grade, score`, `[N]` rows.
        is_judged: `[N]`, which rows have a grade.
        is_item: `[N]`, which rows are no padding.

    Raises:
        InputError: `empty-input`.

    """
    number = np.repeat(np.arange(lengths.size), lengths)  # [N]: the query of each row
    position = expand(np.zeros_like(lengths), lengths)  # [N]: the position of each row in its query
    longest = int(lengths.max(initial=1))
    positions = pl.int_range(longest, eager=True).cast(pl.String).str.zfill(len(str(max(longest - 1, 0))))
    items = rows.select(names.gather(number).alias("query"), positions.gather(position).alias("document"), pl.all())
    judged, run = items.filter(pl.Series(is_judged & is_item)), items.filter(pl.Series(is_item))
    if not judged.height:
        raise InputError("empty-input", "labels: there is no row with a label")
    return judged.drop("score"), run.drop("grade")


def of_data(data: object) -> Rows:
    """Return the labels and queries of a Dataset, a DMatrix or a Pool.

    Raises:
        InputError: `input-type` where it has no labels or no groups.

    """
    labels, group, qid = labelled_groups(data, remedy="give arrays: labels=y, scores=s, group=sizes")
    return Rows(labels, group=group, qid=qid)


def _labels(labels: Any, words: Words) -> tuple[Floats, Mask]:  # noqa: ANN401 - anything
    """Return the grade of each row, 0 where it is masked or None, and whether it has one."""
    if isinstance(labels, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(labels).reshape(-1)
        return _numbers(labels.filled(0), "grade", "labels"), ~mask
    array = _array(labels, "labels")
    if array.dtype.kind in _NUMERIC:
        return _numbers(array, "grade", "labels"), np.ones(array.size, dtype=bool)
    items = array.tolist()
    is_judged = np.array([item is not None for item in items], dtype=bool)
    filled = [0 if item is None else item for item in items]
    remedy = "None stands for an item that nobody judged"
    grades = validate.numbers(filled, "grade", lambda row: f"labels: row {row}: the label", remedy=remedy, words=words)
    return grades, is_judged


def _array(source: Any, called: str) -> np.ndarray[Any, Any]:  # noqa: ANN401 - anything
    """Return a flat array; a column of one cell in each row is flat, too.

    Raises:
        InputError: `input-type`.

    """
    array = source.to_numpy() if hasattr(source, "to_numpy") else source
    try:
        array = np.asarray(
            array if hasattr(array, "__array__") else plain(array), dtype=None if _is_flat(array) else object
        )
    except ValueError:  # lists of different lengths
        text = f"{called}: lists, where group or qid asks for one number in each row"
        raise InputError("input-type", text, remedy="of a list for each query leave group and qid out") from None
    if array.ndim == 2 and array.shape[1] == 1:  # noqa: PLR2004 - as predict of some libraries gives scores
        array = array[:, 0]
    if array.ndim != 1:
        shape = " x ".join(map(str, array.shape)) or "a single value"
        text = f"{called}: {shape}, where group or qid asks for one number in each row"
        raise InputError("input-type", text, remedy="of a matrix with a row for each query leave group and qid out")
    return array


def _is_flat(source: Any) -> bool:  # noqa: ANN401 - anything
    """Return whether something is an array, or a list without None."""
    return hasattr(source, "__array__") or (isinstance(source, list | tuple) and None not in source)


def _numbers(source: Any, value: str, called: str) -> Floats:  # noqa: ANN401 - anything
    """Return real numbers as float64.

    Raises:
        InputError: `input-type`, `bad-grade`, `bad-score`.

    """
    array = _array(source, called)
    noun = "label" if value == "grade" else "score"
    if array.dtype.kind not in _NUMERIC:
        return validate.numbers(array.tolist(), value, lambda row: f"{called}: row {row}: the {noun}")
    numbers: Floats = array.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers) if value == "grade" else np.isnan(numbers))
    if bad.size:
        text = f"{called}: row {bad[0]} (from 0): the {noun} is {numbers[bad[0]]}"
        text += f"; {counted(bad.size, 'row', 'rows')} so"
        remedy = "leave such rows out, or mask labels that nobody gave: numpy.ma.masked_invalid(labels)"
        raise InputError("bad-grade" if value == "grade" else "bad-score", text, remedy=remedy)
    return numbers


def _sizes(group: Any, size: int) -> Integers:  # noqa: ANN401 - anything
    """Return how many rows each query has.

    Raises:
        InputError: `row-count`, `input-type`.

    """
    array = _array(group, "group")
    sizes = array.astype(np.int64) if array.dtype.kind in _NUMERIC else np.zeros(0, dtype=np.int64)
    if not array.size or array.dtype.kind not in _NUMERIC or (sizes != array).any() or (sizes < 1).any():
        text = "group: a size of a query is a whole number from 1 on"
        remedy = "a query without rows has no value: group=[size for size in sizes if size]; an id for each row is qid="
        raise InputError("input-type", text, remedy=remedy)
    if (total := int(sizes.sum())) != size:
        text = f"group: the sizes of {counted(sizes.size)} add up to {total:,}, and there are {size:,} labels"
        if sizes.size == size:
            raise InputError("row-count", text, remedy="as many as labels: are they the query of each row? qid=...")
        end = int(np.searchsorted(np.cumsum(sizes), size))
        text += f": query {end} (from 0) ends beyond them" if total > size else f": row {total:,} has no query"
        raise InputError("row-count", text, remedy="give the sizes of the queries of these rows, in their order")
    return sizes


def _by_id(qid: Any, size: int) -> tuple[pl.Series, Integers]:  # noqa: ANN401 - anything
    """Return the ids of queries and how many rows each has.

    Raises:
        InputError: `row-count`, `scattered-rows`.

    """
    array = _array(qid, "qid")
    if array.size != size:
        text = f"qid: there are {counted(array.size, 'id', 'ids')} and {counted(size, 'label', 'labels')}"
        raise InputError("row-count", text, remedy="give the query of each row; sizes of queries are group=")
    if array.dtype.kind in "iu":
        ids = pl.Series("query", array).cast(pl.String)
    else:
        texts = validate.text_ids(array.tolist(), lambda row: f"qid: row {row}: the query")
        ids = validate.id_column("query", texts, lambda row: f"qid: row {row}")
    remedy = "sort the rows first: order = numpy.argsort(qid, kind='stable'), then numpy.asarray(labels)[order] and "
    remedy += "so on; or give a frame with columns qid, label and score, whose rows may stand in any order"
    starts = query_starts(ids, lambda row: f"qid: row {row}", remedy)
    return ids.gather(starts), np.diff(starts, append=size)


def _is_padding(padding: Any, grades: Floats) -> Mask:  # noqa: ANN401 - anything
    """Return which rows are no items.

    Raises:
        InputError: `row-count`.

    """
    if padding is None:
        return np.zeros(grades.size, dtype=bool)
    if is_scalar(padding):
        return np.asarray(grades == padding)
    mask = _array(padding, "padding").astype(bool)
    if mask.size != grades.size:
        text = f"padding: there are {counted(mask.size, 'row', 'rows')} and {counted(grades.size, 'label', 'labels')}"
        raise InputError("row-count", text, remedy="give for each row whether it is padding, or the label of padding")
    return mask

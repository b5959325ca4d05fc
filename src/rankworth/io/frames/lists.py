"""Tables whose rows hold lists: of each, one row for each document is made, and nothing is dropped."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from rankworth.errors import InputError, counted
from rankworth.io.frames.roles import PLACE, ROW, VALUES, Table, such, unjudged


def is_list(dtype: object) -> bool:
    """Whether a column holds lists."""
    return isinstance(dtype, pl.List | pl.Array)


def fields(dtypes: Iterable[object]) -> list[str]:
    """The names of the fields in records, where a column holds lists of them."""
    inner = [getattr(dtype, "inner", None) for dtype in dtypes]
    return [field.name for kind in inner if isinstance(kind, pl.Struct) for field in kind.fields]


def spread(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """One row for each document, with the columns `row` and `place`, where the documents stand in lists.

    Beside lists of ids, values may stand in lists of the same lengths; or the lists hold records of an id and a value.
    An empty list is a query without results.

    Args:
        frame: columns under the names of what they hold.
        table: what is asked of it.

    Raises:
        InputError: `missing-value`, `frame-columns`.

    """
    if not is_list(frame["document"].dtype):
        return frame
    lists = [what for what in frame.columns if is_list(frame[what].dtype) and what != "query"]
    for what in lists:
        table.check_complete(frame, what)
    frame = frame.with_columns(pl.col(what).arr.to_list() for what in lists if isinstance(frame[what].dtype, pl.Array))
    lengths = frame["document"].list.len()
    for what in lists:
        _check_lengths(frame, what, lengths, table)
    empty = (lengths == 0).arg_true()
    if table.value == "grade" and len(empty):
        row = int(empty[0])
        raise unjudged(f"{table.name}: {table.at(frame, row)}", frame["query"][row], such(empty))
    numbered = frame.with_row_index(ROW).with_columns(pl.int_ranges(lengths).alias(PLACE))
    flat = numbered.filter(lengths > 0).explode(*lists, PLACE)
    inner = flat["document"].dtype
    single = [what for what in VALUES["score"] if table.value == "score" and what in flat.columns and what not in lists]
    if isinstance(inner, pl.Struct):
        rows = _unpacked(flat, {field.name: field.dtype for field in inner.fields}, table, single)
    else:
        _refuse(single, table)
        rows = flat
    if table.value == "score" and set(VALUES["score"]).isdisjoint(rows.columns):
        there = (lengths > 0).arg_true()
        queries = frame["query"].gather(there).cast(pl.String)
        table.orders.meet(queries, lambda row: f"{table.name}: {table.at(frame, int(there[row]))}")
    return rows


def without_nulls(rows: pl.DataFrame) -> pl.DataFrame:
    """The same; scores of a list that has none but null, as hits that are sorted by a field, are made of its order."""
    if not rows["score"].null_count():
        return rows
    none = pl.col("score").is_null().all().over(ROW)
    return rows.with_columns(pl.when(none).then(-pl.col(PLACE).cast(pl.Float64) - 1).otherwise("score").alias("score"))


def field_of(frame: pl.DataFrame, table: Table) -> str:
    """What the scores are called in a frame of lists: the column, or the field of its records."""
    kind = frame["document"].dtype
    inner = getattr(kind, "inner", None)
    if isinstance(inner, pl.Struct):
        named = table.records(field.name for field in inner.fields).told().get("score")
        if named is not None:
            return str(named)
    return str(table.chosen().get("score", ""))


def _check_lengths(frame: pl.DataFrame, what: str, lengths: pl.Series, table: Table) -> None:
    """Lists side by side belong together."""
    unequal = (frame[what].list.len() != lengths).arg_true()
    if len(unequal):
        row = int(unequal[0])
        text = (
            f"{counted(lengths[row], 'document', 'documents')} and {counted(len(frame[what][row]), what, f'{what}s')}"
        )
        raise InputError(
            "frame-columns",
            f"{table.name}: {table.at(frame, row)} has lists of {text}{such(unequal)}",
            remedy="give as many of one as of the other",
        )


def _refuse(single: list[str], table: Table) -> None:
    """One score for a whole list ranks nothing."""
    if single:
        text = f"{table.name}: there are lists of documents, and one {single[0]} for each list"
        raise InputError("frame-columns", text, remedy=f"give a list of {single[0]}s beside each list of documents")


def _unpacked(flat: pl.DataFrame, fields: dict[str, Any], table: Table, single: list[str]) -> pl.DataFrame:
    """Documents that are records of an id and a value; what else stands in the row holds for all of its records."""
    records = table.records(fields)
    document = records.needed("document")
    told = records.told()
    inner, outer = (bool(set(VALUES[table.value]) & set(columns)) for columns in (told, flat.columns))
    if not inner:
        _refuse(single, table)
        if not outer:
            numbers = [name for name, dtype in fields.items() if dtype.is_numeric() or dtype == pl.Boolean]
            records.refuse_doubt(numbers, [document, *told.values()])
    found = {**told, "document": document}
    kept = [what for what in flat.columns if what not in found and not (inner and what in VALUES[table.value])]
    return flat.select(*kept, **{what: pl.col("document").struct.field(name) for what, name in found.items()})

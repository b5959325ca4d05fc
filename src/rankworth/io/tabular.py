"""Frames of any library, brought to columns `query, document, score` or `query, document, grade`."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import mapping

BATCH: Final = 1 << 18

_SPELLINGS: Final = {
    "query": ("query", "query_id", "qid", "query-id", "q_id", "topic", "user_id"),
    "document": ("document", "doc_id", "docno", "docid", "corpus-id", "pid", "item_id"),
    "grade": ("grade", "relevance", "label", "rel", "rating"),
    "score": ("score", "prediction"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}


_ROLES: Final = {value: ("query", "document", value) for value in ("score", "grade")}


def is_frame(source: object) -> bool:
    """Whether this is something with columns: an Arrow stream or a frame that Narwhals knows."""
    return hasattr(source, "__arrow_c_stream__") or _narwhals(source) is not None


def read(source: object, value: str, name: str) -> pl.DataFrame:
    """A frame's three columns under their canonical names, values as float64; ids keep their type.

    Judgements keep a column `subtopic` where they have one; what is in it is looked at when it is used.

    Args:
        source: anything for which `is_frame` holds.
        value: `"score"` or `"grade"`.
        name: what messages call it.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `empty-input`.

    """
    frame = _three(source, value, name)
    if not frame.height:
        raise InputError("empty-input", f"{name}: the frame has no rows")
    for what in _ROLES[value]:
        _check_complete(frame[what], name)
    for ids in ("query", "document"):
        _check_ids(frame[ids], name)
    return frame.with_columns(_values(frame, value, name))


def by_subtopic(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The judgements of a frame that `read` made and that has subtopics, ids as text.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    _check_complete(frame["subtopic"], name)
    _check_ids(frame["subtopic"], name)
    return frame.with_columns(pl.col("query", "subtopic", "document").cast(pl.String))


def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows of a frame that `read` made, some at a time, ids as text."""
    for part in frame.iter_slices(BATCH):
        yield part.with_columns(pl.col("query", "document").cast(pl.String))


def _three(source: Any, value: str, name: str) -> pl.DataFrame:  # noqa: ANN401 - any frame
    """The three columns that count, from whatever library; a column that is not needed is not converted."""
    try:
        known = source if isinstance(source, pl.DataFrame | pl.LazyFrame) else _narwhals(source)
        if known is None:
            known = pl.DataFrame(source)
        names = known.collect_schema().names()
        columns = {what: _column(names, what, value, name) for what in _ROLES[value]}
        if value == "grade":
            columns |= _subtopic(names)
        if isinstance(known, pl.DataFrame | pl.LazyFrame):
            return known.lazy().select(**{what: pl.col(column) for what, column in columns.items()}).collect()
        return _converted(known.select(*columns.values()), columns, value, name)
    except InputError:
        raise
    except Exception as error:
        text = f"{name}: this {type(source).__name__} cannot be read as a frame ({shortened(str(error), 300)})"
        raise InputError("input-type", text) from error


def _narwhals(source: object) -> Any:  # noqa: ANN401 - whatever Narwhals makes of it
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    known = nw.from_native(source, pass_through=True)
    return known if isinstance(known, nw.DataFrame | nw.LazyFrame) else None


def _converted(frame: Any, columns: dict[str, str], value: str, name: str) -> pl.DataFrame:  # noqa: ANN401 - of Narwhals
    """The frame in Polars: through Arrow, or item by item where Arrow has no type, or pandas no PyArrow."""
    native = frame.to_native()
    if hasattr(native, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(native).select(**{what: pl.col(column) for what, column in columns.items()})
        except Exception:  # noqa: BLE001, S110 - each library fails in its own way
            pass
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return pl.DataFrame({what: _items(eager[column], what, value, name) for what, column in columns.items()})


def _items(column: Any, what: str, value: str, name: str) -> pl.Series:  # noqa: ANN401 - a series of Narwhals
    """Ids as text or values as float64, one by one."""
    items: list[Any] = []
    for row, (item, missing) in enumerate(zip(column.to_list(), column.is_null().to_list(), strict=True)):
        if missing:
            items.append(None)
        elif what == "subtopic":
            items.append(str(item))
        elif what != value:
            items.append(mapping.text(item))
        elif mapping.is_number(item):
            items.append(float(item))
        else:
            raise InputError(f"bad-{value}", f"{name}: row {row}: the {value} is {mapping.shown(item)}, not a number")
    return pl.Series(what, items, dtype=pl.Float64 if what == value else pl.String)


def _others(rows: pl.Series) -> str:
    return f" ({len(rows):,} such rows)" if len(rows) > 1 else ""


def _column(names: list[Any], what: str, value: str, name: str) -> str:
    """The one column that holds ids or values, by its usual names."""
    found = [column for column in names if str(column).lower() in _SPELLINGS[what]]
    if len(found) == 1:
        return str(found[0])
    have = f"the columns are {quoted(names, 8)}"
    needed = " ".join(_ROLES[value])
    if found:
        raise InputError(
            "frame-columns",
            f"{name}: {quoted(found)} could all be the {what} column; {have}",
            remedy=f"keep one of them, or rename the columns to {needed}",
        )
    text = f"{name}: there is no {what} column; {have}"
    raise InputError("frame-columns", text, remedy=f"rename the columns to {needed}")


def _subtopic(names: list[Any]) -> dict[str, str]:
    """The column that tells subtopics, if there is one; the first of its usual names where there are several."""
    found = [column for spelling in _SPELLINGS["subtopic"] for column in names if str(column).lower() == spelling]
    return {"subtopic": str(found[0])} if found else {}


def _check_complete(column: pl.Series, name: str) -> None:
    if column.null_count():
        rows = column.is_null().arg_true()
        text = f"{name}: row {rows[0]} has no {column.name}{_others(rows)}"
        raise InputError("missing-value", text, remedy="drop or fill such rows")


def _check_ids(column: pl.Series, name: str) -> None:
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum) and not column.dtype.is_integer():
        raise InputError(
            "id-type",
            f"{name}: the {column.name} column holds {column.dtype}; ids are text or integers",
            remedy="convert the column to text, as the ids stand in the other input",
        )


def _values(frame: pl.DataFrame, value: str, name: str) -> pl.Series:
    """Scores or grades as float64: no NaN, and no infinite grade."""
    column = frame[value]
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        raise InputError(f"bad-{value}", f"{name}: the {value} column holds {column.dtype}; {value}s are numbers")
    column = column.cast(pl.Float64)
    bad = (column.is_nan() if value == "score" else ~column.is_finite()).arg_true()
    if len(bad):
        row = int(bad[0])
        which = f"document {quoted([frame['document'][row]])} for query {quoted([frame['query'][row]])}"
        raise InputError(
            f"bad-{value}",
            f"{name}: row {row}: the {value} of {which} is {column[row]}{_others(bad)}",
            remedy=f"drop the rows whose {value} is no finite number, or mend what made them",
        )
    return column

"""Frames of any library, brought to columns `query, document, score` or `query, document, grade`."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted

BATCH: Final = 1 << 18

_SPELLINGS: Final = {
    "query": ("query", "query_id", "qid", "query-id", "q_id", "topic", "user_id"),
    "document": ("document", "doc_id", "docno", "docid", "corpus-id", "pid", "item_id"),
    "grade": ("grade", "relevance", "label", "rel", "rating"),
    "score": ("score", "prediction"),
}


def is_frame(source: object) -> bool:
    """Whether this is something with columns: an Arrow stream or a frame that Narwhals knows."""
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__narwhals_dataframe__"):
        return True
    return _narwhals(source) is not None


def read(source: object, value: str) -> pl.DataFrame:
    """A frame's three columns under their canonical names, values as float64; ids keep their type.

    Args:
        source: anything for which `is_frame` holds.
        value: `"score"` or `"grade"`.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `empty-input`.

    """
    frame = _to_polars(source)
    frame = frame.select(
        pl.col(_column(frame, "query", value)).alias("query"),
        pl.col(_column(frame, "document", value)).alias("document"),
        pl.col(_column(frame, value, value)).alias(value),
    )
    if not frame.height:
        raise InputError("empty-input", "the frame has no rows")
    frame = frame.with_columns(*(_identifiers(frame[name]) for name in ("query", "document")), _values(frame[value]))
    _check(frame, value)
    return frame


def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows of a frame that `read` made, some at a time, ids as text."""
    for part in frame.iter_slices(BATCH):
        yield part.with_columns(pl.col("query", "document").cast(pl.String))


def _narwhals(source: object) -> Any:  # noqa: ANN401 - whatever Narwhals makes of it
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    native = nw.from_native(source, pass_through=True)
    return native if isinstance(native, nw.DataFrame | nw.LazyFrame) else None


def _to_polars(source: object) -> pl.DataFrame:
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    frame = _narwhals(source)
    return frame.collect("polars").to_native() if hasattr(frame, "collect") else frame.to_polars()  # type: ignore[no-any-return]


def _column(frame: pl.DataFrame, what: str, value: str) -> str:
    """The one column that holds ids or values, by its usual names."""
    by_lower = {name.lower(): name for name in frame.columns}
    found = [by_lower[name] for name in _SPELLINGS[what] if name in by_lower]
    if len(found) == 1:
        return found[0]
    have = f"the columns are {quoted(frame.columns, 8)}"
    needed = " ".join(("query", "document", value))
    if found:
        raise InputError(
            "frame-columns",
            f"{quoted(found)} could all be the {what} column; {have}",
            remedy=f"keep one of them, or rename the columns to {needed}",
        )
    raise InputError("frame-columns", f"there is no {what} column; {have}", remedy=f"rename the columns to {needed}")


def _identifiers(column: pl.Series) -> pl.Series:
    if column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if column.dtype == pl.String or column.dtype.is_integer():
        return column
    raise InputError(
        "id-type",
        f"the {column.name} column holds {column.dtype}; ids are text or integers",
        remedy="convert the column to text, as the ids stand in the other input",
    )


def _values(column: pl.Series) -> pl.Series:
    slug = f"bad-{column.name}"
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return column.cast(pl.Float64)
    raise InputError(slug, f"the {column.name} column holds {column.dtype}; {column.name}s are numbers")


def _check(frame: pl.DataFrame, value: str) -> None:
    """No hole, no NaN, and no infinite grade."""
    for name in frame.columns:
        if frame[name].null_count():
            row = frame[name].is_null().arg_true()[0]
            raise InputError(
                "missing-value",
                f"row {row} has no {name} ({frame[name].null_count():,} rows without)",
                remedy="drop or fill these rows",
            )
    column = frame[value]
    bad = (column.is_nan() if value == "score" else ~column.is_finite()).arg_true()
    if len(bad):
        query, document, number = frame.row(int(bad[0]))
        raise InputError(
            f"bad-{value}",
            f"row {bad[0]}: the {value} of document {document} for query {query} is {number} ({len(bad):,} such rows)",
        )

"""Frames of any library and batches of files, brought to `query, document, score` or `query, document, grade`.

A ranking may come without scores, by a column of ranks or as a list in each row; judgements without grades are all 1.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import validate
from rankworth.io.columns import NONE, SMALLER, VALUES, Table, is_index, such
from rankworth.io.lines import QRELS, RUN
from rankworth.io.reading import Orders
from rankworth.io.records import Fields, Records

BATCH: Final = 1 << 18
_EXACT: Final = 15
"""how many digits of a decimal number a float64 holds for sure"""

Schema = Mapping[Any, Any]
"""The names of columns, and what they hold: data types of Polars or of Narwhals."""


def is_frame(source: object) -> bool:
    """Whether this is something with columns: an Arrow stream or a frame that Narwhals knows."""
    return hasattr(source, "__arrow_c_stream__") or _narwhals(source) is not None


def read(
    source: object, value: str, name: str, columns: Mapping[str, str] = NONE, *, orders: Orders | None = None
) -> pl.DataFrame:
    """A frame's columns under their canonical names, values as float64; ids keep their type.

    Judgements keep a column `subtopic` where they have one; what is in it is looked at when it is used.

    Args:
        source: anything for which `is_frame` holds.
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.
        orders: gets to know whether the rows hold lists.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `empty-input`.

    """
    frame, table, schema = _selected(source, Table(value, name, columns, orders=orders or Orders()))
    if not frame.height:
        raise InputError("empty-input", f"{name}: the frame has no rows")
    rows = _brought(frame, table, schema)
    if not rows.height:
        raise InputError("empty-input", f"{name}: every list of documents is empty")
    return rows


def settle(
    frame: pl.DataFrame,
    value: str,
    name: str,
    columns: Mapping[str, str] = NONE,
    *,
    first: int = 1,
    schema: Schema | None = None,
    orders: Orders | None = None,
) -> pl.DataFrame:
    """Some rows of a file, as `read` brings frames, with ids as text; none of lists that are all empty.

    Args:
        frame: columns as the file names them, those at least that `chosen` chooses.
        value: `"score"` or `"grade"`.
        name: what messages call the file.
        columns: which column holds what, where its name does not tell.
        first: the number of the first row, counted from 1.
        schema: all columns of the file; those of the frame where not said.
        orders: the lists that were met before.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    schema = frame.schema if schema is None else schema
    table = Table(value, name, columns, tuple(schema), first, orders=orders or Orders())
    rows = _brought(frame.select(**_expressions(table.chosen())), table, schema)
    if "subtopic" in rows.columns:
        _check_ids(rows, "subtopic", table)
    return rows.with_columns(pl.col(what).cast(pl.String) for what in rows.columns if what != value)


def by_subtopic(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The judgements of a frame that `read` made and that has subtopics, ids as text.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    table = Table("grade", name)
    table.check_complete(frame, "subtopic")
    _check_ids(frame, "subtopic", table)
    return frame.with_columns(pl.col("query", "subtopic", "document").cast(pl.String))


def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows of a frame that `read` made, some at a time, ids as text."""
    for part in frame.iter_slices(BATCH):
        yield part.with_columns(pl.col("query", "document").cast(pl.String))


def _expressions(columns: Mapping[str, str]) -> dict[str, pl.Expr]:
    return {what: pl.col(column) for what, column in columns.items()}


def _brought(frame: pl.DataFrame, table: Table, schema: Schema) -> pl.DataFrame:
    """Checked rows of one document each: `query, document, score`, or `query, document, grade` and maybe `subtopic`."""
    _check_values(frame, table, schema)
    table.check_complete(frame, "query")
    if is_list(frame["document"].dtype):
        return _of_lists(frame, table)
    for what in ("query", "document"):
        table.check_complete(frame, what)
        _check_ids(frame, what, table)
    values = _values(frame, table).alias(table.value)
    return frame.select("query", "document", values, *(["subtopic"] if "subtopic" in frame.columns else []))


def _of_lists(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The documents of lists, one of each query: ids beside lists of numbers, or records; integers stay integers."""
    layout = RUN if table.value == RUN.value else QRELS
    records = Records(layout, table.columns, table.orders, first=min(table.first, 1))
    records.fields = Fields(table, roles=table.chosen())
    columns = {what: frame[what].to_list() for what in frame.columns}
    rows = records.frame_of_lists(columns, lambda row: f"{table.name}: {table.at(row)}")
    kinds = {"query": frame["query"].dtype, "document": frame["document"].dtype.inner}  # type: ignore[attr-defined]
    return rows.cast({what: kind for what, kind in kinds.items() if kind.is_integer()})


def _check_values(frame: pl.DataFrame, table: Table, schema: Schema) -> None:
    """Refuse a table that does not tell its values, or in which it is not clear that nothing else does."""
    table.check_named(fields(frame.dtypes))
    listed = is_list(frame["document"].dtype)
    found = table.chosen()
    single = [what for what in VALUES["score"] if listed and what in found and not is_list(frame[what].dtype)]
    if single:  # a schema tells, so that Spark need not read a row
        text = f"{table.name}: there are lists of documents, and one {single[0]} for each list"
        raise InputError("frame-columns", text, remedy=f"give a list of {single[0]}s beside each list of documents")
    if not listed:
        table.check_flat(found)
    if set(VALUES[table.value]).isdisjoint(found):
        table.refuse_doubt(_may_hold_values(schema, listed=listed), found.values())


def _may_hold_values(schema: Schema, *, listed: bool) -> list[Any]:
    """The columns that hold numbers, or lists of them."""
    kinds = {name: kind for name, kind in schema.items() if not is_index(name)}
    if listed:
        lists = {name: kind for name, kind in kinds.items() if str(kind).startswith(("List", "Array", "Object"))}
        kinds = {name: getattr(kind, "inner", kind) for name, kind in lists.items()}
    return [name for name, kind in kinds.items() if _is_number(kind)]


def _is_number(dtype: Any) -> bool:  # noqa: ANN401 - of Polars or of Narwhals; in a list a class, too
    kind = dtype() if isinstance(dtype, type) else dtype
    return kind.is_numeric() or str(kind) in ("Boolean", "Object", "Unknown")


def _selected(source: Any, table: Table) -> tuple[pl.DataFrame, Table, Schema]:  # noqa: ANN401 - any frame
    """The columns that count, from whatever library; a column that is not needed is not converted."""
    try:
        known = source if isinstance(source, pl.DataFrame | pl.LazyFrame) else _narwhals(source)
        if known is None:
            known = pl.DataFrame(source)
        schema = known.collect_schema()
        table = replace(table, names=tuple(schema.names()))
        columns = table.chosen()
        if isinstance(known, pl.DataFrame | pl.LazyFrame):
            return known.lazy().select(**_expressions(columns)).collect(), table, schema
        return _converted(known.select(*columns.values()), columns, table), table, _looked_at(known, schema)
    except InputError:
        raise
    except Exception as error:
        _refuse_twice(source, table)
        text = f"{table.name}: this {type(source).__name__} cannot be read as a frame"
        raise InputError("input-type", f"{text} ({shortened(' '.join(str(error).split()), 300)})") from error


def _refuse_twice(source: Any, table: Table) -> None:  # noqa: ANN401 - any frame
    """Refuse columns of one name, which no library but pandas and Arrow lets pass."""
    names: list[Any] = list(getattr(source, "column_names", getattr(source, "columns", ())))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise replace(table, names=tuple(names)).repeated(twice)


def _looked_at(frame: Any, schema: Schema) -> Schema:  # noqa: ANN401 - of Narwhals
    """What columns hold; of those which pandas calls objects, what their first item is."""
    kinds = dict(schema)
    for name in [name for name, kind in schema.items() if str(kind) == "Object"]:
        kinds[name] = pl.Series(frame[name].drop_nulls().head(1).to_list()).dtype
    return kinds


def _narwhals(source: object) -> Any:  # noqa: ANN401 - whatever Narwhals makes of it
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    known = nw.from_native(source, pass_through=True)
    return known if isinstance(known, nw.DataFrame | nw.LazyFrame) else None


def _converted(frame: Any, columns: dict[str, Any], table: Table) -> pl.DataFrame:  # noqa: ANN401 - of Narwhals
    """The frame in Polars: through Arrow, or item by item where Arrow has no type, or pandas no PyArrow."""
    native = frame.to_native()
    if hasattr(native, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(native).select(**_expressions({what: str(name) for what, name in columns.items()}))
        except Exception:  # noqa: BLE001, S110 - each library fails in its own way
            pass
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return pl.DataFrame({what: _items(eager[column], what, table) for what, column in columns.items()})


def _items(column: Any, what: str, table: Table) -> pl.Series:  # noqa: ANN401 - a series of Narwhals
    """Ids as text or values as float64, one by one."""
    held: list[Any] = []
    is_value = what in VALUES[table.value]
    for row, (item, missing) in enumerate(zip(column.to_list(), column.is_null().to_list(), strict=True)):
        if missing:
            held.append(None)
        elif what == "subtopic":
            held.append(str(item))
        elif not is_value:
            held.append(validate.text(item, f"{table.name}: row {row}"))
        elif validate.is_number(item):
            held.append(float(item))
        else:
            raise validate.no_number(item, table.value, f"{table.name}: row {row}: the {what}")
    return pl.Series(what, held, dtype=pl.Float64 if is_value else pl.String)


def _check_ids(rows: pl.DataFrame, what: str, table: Table) -> None:
    column = rows[what]
    if column.dtype in (pl.String, pl.Categorical, pl.Enum) or column.dtype.is_integer():
        return
    remedy = "convert the column to text, as the ids are in the other input"
    if column.dtype.is_float():
        remedy = "convert the column to integers or to text; missing values turn integers into floats"
    text = f"{_shown(rows, what, table)}; ids are text or integers, and the column holds {column.dtype}"
    raise InputError("id-type", text, remedy=remedy)


def _shown(rows: pl.DataFrame, what: str, table: Table, row: int = 0) -> str:
    """An item of a column, and where it stands; the column alone where no row is read yet."""
    items = rows[what].slice(row, 1).to_list()
    shown = f"{table.at(row)}: the {what} is {validate.shown(items[0])}" if items else ""
    return f"{table.name}: {shown or f'the {what} {table.noun} is of another type'}"


def _values(rows: pl.DataFrame, table: Table) -> pl.Series:
    """Scores or grades as float64, or grades of 1; ranks and distances with a minus."""
    what = next((what for what in VALUES[table.value] if what in rows.columns), "")
    if table.value == "score":
        table.orders.agree(what, table.name)
    if not what:
        return pl.ones(rows.height, dtype=pl.Float64, eager=True)
    numbers = _numbers(rows, what, table)
    return 0.0 - numbers if what in SMALLER else numbers


def _numbers(rows: pl.DataFrame, what: str, table: Table) -> pl.Series:
    """A column as float64: no NaN, and no infinite grade."""
    if what != "grade":
        table.check_complete(rows, what)
    column = rows[what]
    if what == "grade" and column.dtype == pl.Null:
        return column.cast(pl.Float64)
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        odd = column.cast(pl.Float64, strict=False).is_null().arg_max() if column.dtype == pl.String else 0
        text = f"{_shown(rows, what, table, odd or 0)}, not a number; the column holds {column.dtype}"
        remedy = "convert the column to numbers: in Polars with .cast(pl.Float64), in pandas with pd.to_numeric"
        raise InputError(f"bad-{table.value}", text, remedy=remedy)
    if isinstance(column.dtype, pl.Decimal) and (column.dtype.precision or _EXACT + 1) > _EXACT:
        column = column.cast(pl.String)
    column = column.cast(pl.Float64)
    if what == "grade":
        column = column.fill_nan(None)
    bad = (column.is_nan() if what in ("score", "distance") else ~column.is_finite()).arg_true()
    if len(bad):
        row = int(bad[0])
        which = f"document {quoted([rows['document'][row]])} for query {quoted([rows['query'][row]])}"
        raise InputError(
            f"bad-{table.value}",
            f"{table.name}: {table.at(row)}: the {what} of {which} is {column[row]}{such(bad)}",
            remedy=f"drop the rows whose {what} is no finite number, or fix what made them",
        )
    return column


def is_list(dtype: object) -> bool:
    """Whether a column holds lists."""
    return isinstance(dtype, pl.List | pl.Array)


def fields(dtypes: Iterable[object]) -> list[str]:
    """The names of the fields in records, where a column holds lists of them."""
    return [field.name for dtype in dtypes for field in getattr(getattr(dtype, "inner", None), "fields", ())]

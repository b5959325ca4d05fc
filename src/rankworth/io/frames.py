"""Frames of any library and batches of files, brought to `query, document, score` or `query, document, grade`.

A ranking may come without scores, by a column of ranks or as a list in each row; judgements without grades are all 1.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import cells, validate
from rankworth.io.columns import SMALLER, VALUES, Table, is_index, numbered, parts_of
from rankworth.io.layout import QRELS, RUN
from rankworth.io.rows import Fields, Records, has_documents, plain

BATCH: Final = 1 << 18
_EXACT: Final = 15
"""how many digits of a decimal number a float64 holds for sure"""
_OF_PYTHON: Final = TypeError, ValueError, OverflowError, NotImplementedError, AttributeError, ImportError
_UNSUPPORTED: Final = (*_OF_PYTHON, pl.exceptions.PolarsError)
"""how libraries refuse to convert a column: values of several types, types that Polars lacks, pandas without PyArrow"""

Schema = Mapping[Any, Any]
"""The names of columns, and what they hold: data types of Polars or of Narwhals."""


def is_frame(source: object) -> bool:
    """Return whether this is something with columns: an Arrow stream or a frame that Narwhals knows."""
    return hasattr(source, "__arrow_c_stream__") or _narwhals(source) is not None


def read(source: object, table: Table) -> pl.DataFrame:
    """Read a frame's columns under their canonical names, values as float64; ids keep their type.

    Judgements keep a column `subtopic` where they have one; what is in it is looked at when it is used.

    Args:
        source: anything for which `is_frame` holds.
        table: what the user says of it; its names are those of the frame.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `empty-input`.

    """
    frame, table, schema = _selected(source, table)
    if not frame.height:
        raise InputError("empty-input", f"{table.name}: the frame has no rows")
    rows = _brought(frame, table, schema)
    if not rows.height:
        raise InputError("empty-input", f"{table.name}: every list of documents is empty")
    return rows


def settle(frame: pl.DataFrame, table: Table, schema: Schema) -> pl.DataFrame:
    """Check some rows of a file as `read` checks frames, ids as text; no rows come of lists that are all empty.

    Args:
        frame: columns as the file names them, those at least that `chosen` chooses.
        table: the columns of the file, of which the first row of the frame is the first.
        schema: all columns of the file.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`.

    """
    rows = _brought(frame.select(**_expressions(table.chosen(), frame.columns)), table, schema)
    if "subtopic" in rows.columns:
        rows = rows.with_columns(_ids(rows, "subtopic", table))
    return rows.with_columns(pl.col(role).cast(pl.String) for role in rows.columns if role != table.value)


def by_subtopic(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the judgements of a frame with subtopics that `read` made, ids as text.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    table = Table("grade", name)
    return frame.with_columns(_ids(frame, role, table).cast(pl.String) for role in ("query", "subtopic", "document"))


def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the rows of a frame that `read` made, some at a time, ids as text."""
    for part in frame.iter_slices(BATCH):
        yield part.with_columns(pl.col("query", "document").cast(pl.String))


def _expressions(columns: Mapping[str, str], names: Collection[str]) -> dict[str, pl.Expr]:
    """Return the columns under what they hold.

    Several that name a query together are joined by blanks, columns for each rank are brought into lists.
    """
    expressions = {}
    for role, column in columns.items():
        if parts := parts_of(column, names):
            expressions[role] = pl.concat_str([pl.col(part).cast(pl.String) for part in parts], separator=" ")
        elif column not in names and (ranks := numbered(column, names, columns.values())):
            expressions[role] = pl.concat_list(ranks)
        else:
            expressions[role] = pl.col(column)
    return expressions


def _brought(frame: pl.DataFrame, table: Table, schema: Schema) -> pl.DataFrame:
    """Check rows and return one for each document: `query, document`, and `score`, or `grade` and maybe `subtopic`."""
    frame = _with_lists(frame, table)
    _check_values(frame, table, schema)
    if _holds_lists(frame["document"]):
        return _of_lists(frame, table)
    columns = [_ids(frame, "query", table), _ids(frame, "document", table), _values(frame, table)]
    return pl.DataFrame([*columns, *(frame.select("subtopic") if "subtopic" in frame.columns else [])])


def _with_lists(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Put lists in place of texts that hold several documents, and of columns for each rank."""
    chosen = table.chosen()
    by_rank = [role for role in frame.columns if "*" in str(chosen[role]) and is_list(frame[role].dtype)]
    frame = frame.with_columns(
        pl.Series(role, list(map(cells.trimmed, frame[role].to_list())), dtype=frame[role].dtype) for role in by_rank
    )
    kind, first = frame["document"].dtype, _first(frame["document"])
    if not table.separator and not (kind == pl.String and cells.is_written(first)):
        return frame
    columns = {role: frame[role].to_list() for role in frame.columns}
    several = cells.split(columns, table.separator, table.where)
    if several is None:
        return frame
    changed = [role for role in several if role == "document" or several[role] != columns[role]]
    return frame.with_columns(pl.Series(role, several[role], dtype=pl.Object) for role in changed)


def _first(column: pl.Series) -> object:
    """Return the first item of a column that is not null; None where there is none."""
    return next(iter(column.drop_nulls().head(1).to_list()), None)


def _holds_lists(column: pl.Series) -> bool:
    """Return whether a column holds lists, of its type or as objects of Python."""
    first = _first(column) if column.dtype == pl.Object else None
    return is_list(column.dtype) or has_documents(first) or isinstance(first, AbstractSet)


def _of_lists(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Make a row for each document of lists: ids beside lists of numbers, or records; integers stay integers."""
    layout = RUN if table.value == RUN.value else QRELS
    records = Records(layout, table.columns, table.orders, first=min(table.first, 1), grades=table.grades)
    records.fields = Fields(table, roles=table.chosen())
    columns = {role: frame[role].to_list() for role in frame.columns}
    rows = records.frame_of_lists(columns, table.where)
    inner = getattr(frame["document"].dtype, "inner", pl.String())
    if isinstance(inner, pl.Struct):
        inner = dict(inner).get(records.document_field, inner)
    kinds = {"query": frame["query"].dtype, "document": inner}
    return rows.cast({role: kind for role, kind in kinds.items() if kind.is_integer()})


def _check_values(frame: pl.DataFrame, table: Table, schema: Schema) -> None:
    """Refuse a table that does not tell its values, or in which it is not clear that nothing else does."""
    table.check_named(fields(frame.dtypes))
    listed = _holds_lists(frame["document"])
    numbers = [role for role in VALUES["score"] if listed and role in frame.columns]
    single = [role for role in numbers if not (is_list(frame[role].dtype) or frame[role].dtype == pl.Object)]
    if single:  # a schema tells, so that Spark need not read a row
        text = f"{table.name}: there are lists of documents, and one {single[0]} for each list"
        raise InputError("frame-columns", text, remedy=f"give a list of {single[0]}s beside each list of documents")
    may_hold = _may_hold_values(schema, listed=listed)
    table.check_values(table.chosen(), may_hold, listed=listed, cell=_first(frame["document"]))


def _may_hold_values(schema: Schema, *, listed: bool) -> list[Any]:
    """List the columns that hold numbers, or lists of them."""
    kinds = {name: kind for name, kind in schema.items() if not is_index(name)}
    if listed:
        lists = {name: kind for name, kind in kinds.items() if str(kind).startswith(("List", "Array", "Object"))}
        kinds = {name: getattr(kind, "inner", kind) for name, kind in lists.items()}
    return [name for name, kind in kinds.items() if _is_number(kind)]


def _is_number(dtype: Any) -> bool:  # noqa: ANN401 - of Polars or of Narwhals; in a list a class, too
    kind = dtype() if isinstance(dtype, type) else dtype
    return kind.is_numeric() or str(kind) in ("Boolean", "Object", "Unknown")


@contextmanager
def readable(source: object, name: str) -> Iterator[None]:
    """Raise an error that says what cannot be read where a library fails, each in its own way.

    Raises:
        InputError: `input-type`, and those of the block.

    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = shortened(" ".join(str(error).split()), 300)
        text = f"{name}: this {type(source).__name__} cannot be read as a frame ({reason})"
        raise InputError("input-type", text) from error


def _selected(source: Any, table: Table) -> tuple[pl.DataFrame, Table, Schema]:  # noqa: ANN401 - any frame
    """Select the columns that are needed from a frame of any library; the others are not converted."""
    with readable(source, table.name):
        frame = source
        if not isinstance(source, pl.DataFrame | pl.LazyFrame):
            table = replace(table, names=tuple(getattr(source, "column_names", getattr(source, "columns", ()))))
            if twice := [name for name in table.names if table.names.count(name) > 1]:
                raise table.repeated(twice)
            frame = _narwhals(source)
        if frame is None:
            frame = pl.DataFrame(source)
        schema = frame.collect_schema()
        query = table.named.get("query")
        parts = parts_of(query, schema.names())
        table = replace(table, names=(*schema.names(), *([query] if parts else [])))
        columns = table.chosen()
        if isinstance(frame, pl.DataFrame | pl.LazyFrame):
            return frame.lazy().select(**_expressions(columns, schema.names())).collect(), table, schema
        import narwhals as nw  # noqa: PLC0415 - needed for few inputs

        if parts:
            joined = nw.concat_str([nw.col(part).cast(nw.String) for part in parts], separator=" ")
            frame = frame.with_columns(joined.alias(str(query)))
        looked_at, names, needed = _looked_at(frame, schema), schema.names(), list(columns.values())
        if patterns := [column for column in needed if numbered(column, names, needed) and column not in names]:
            ranks = [name for pattern in patterns for name in numbered(pattern, names, needed)]
            every = [*(column for column in needed if column not in patterns), *ranks]
            converted = _converted(frame.select(*map(nw.col, every)), {str(name): name for name in every})
            expressions = _expressions({role: str(column) for role, column in columns.items()}, converted.columns)
            return converted.select(**expressions), table, looked_at
        return _converted(frame.select(*columns.values()), columns), table, looked_at


def _looked_at(frame: Any, schema: Schema) -> Schema:  # noqa: ANN401 - of Narwhals
    """Return the type of each column; of those which pandas calls objects, the type of their first item."""
    kinds = dict(schema)
    for name in [name for name, kind in schema.items() if str(kind) == "Object"]:
        kinds[name] = pl.Series(frame[name].drop_nulls().head(1).to_list()).dtype
    return kinds


def categories(source: object) -> dict[str, tuple[str, ...]]:
    """Return the values of each column that is an ordered categorical, or an enumeration, in their order."""
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    frame = _narwhals(source)
    schema = {} if frame is None else frame.collect_schema()
    return {str(name): tuple(kind.categories) for name, kind in schema.items() if isinstance(kind, nw.Enum)}


def _narwhals(source: object) -> Any:  # noqa: ANN401 - whatever Narwhals makes of it
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    converted = nw.from_native(source, pass_through=True)
    return converted if isinstance(converted, nw.DataFrame | nw.LazyFrame) else None


def _converted(frame: Any, columns: dict[str, Any]) -> pl.DataFrame:  # noqa: ANN401 - of Narwhals
    """Convert a frame to Polars: through Arrow, or as objects where Arrow has only bytes, or pandas no PyArrow."""
    native = frame.to_native()
    if hasattr(native, "__arrow_c_stream__"):
        with suppress(*_UNSUPPORTED):
            whole = pl.DataFrame(native)
            selected = whole.select(**_expressions({role: str(name) for role, name in columns.items()}, whole.columns))
            if pl.Binary not in selected.dtypes:
                return selected
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return pl.DataFrame([_items(eager.get_column(column), role) for role, column in columns.items()])


def _items(column: Any, role: str) -> pl.Series:  # noqa: ANN401 - a series of Narwhals
    """Convert a column of one type as such, any other to objects of Python; None where something is missing."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    items = [None if missing else plain(item) for item, missing in pairs]
    try:
        return pl.Series(role, items)
    except _UNSUPPORTED:  # several types
        return pl.Series(role, items, dtype=pl.Object)


def _ids(rows: pl.DataFrame, role: str, table: Table) -> pl.Series:
    """Check a column of ids: text or integers.

    Raises:
        InputError: `id-type`, `missing-value`.

    """
    column = rows[role]
    if column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum):
        if not column.null_count():
            return column
    elif not rows.height:
        text = f"{table.name}: the {role} {table.noun} holds {column.dtype}; ids are text or integers"
        raise InputError("id-type", text, remedy=validate.AS_TEXT)
    return pl.Series(role, validate.text_ids(column.to_list(), lambda row: f"{table.where(row)}: the {role}"))


def _values(rows: pl.DataFrame, table: Table) -> pl.Series:
    """Return scores or grades as float64, or grades of 1; ranks and distances with a minus.

    Raises:
        InputError: `bad-score`, `bad-grade`, `missing-value`.

    """
    role = next((role for role in VALUES[table.value] if role in rows.columns), "")
    if table.value == "score":
        table.orders.agree(role or "order", table.name)
    if not role and table.value == "score":
        queries = rows["query"].cast(pl.String).to_list()
        return pl.Series("score", table.orders.ranked(queries), dtype=pl.Float64)
    if not role:
        return pl.ones(rows.height, dtype=pl.Float64, eager=True).alias(table.value)
    column = rows[role].alias(table.value)
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        is_long = isinstance(column.dtype, pl.Decimal) and (column.dtype.precision or _EXACT + 1) > _EXACT
        numbers = (column.cast(pl.String) if is_long else column).cast(pl.Float64)
        if role == "grade":
            numbers = numbers.fill_nan(None)
        sound = ~numbers.is_nan() if role in ("score", "distance") else numbers.is_finite()
        if sound.all() and not (role != "grade" and numbers.null_count()):
            return 0.0 - numbers if role in SMALLER else numbers
    elif not rows.height:
        text = f"{table.name}: the {role} {table.noun} holds {column.dtype}, not numbers"
        raise InputError(f"bad-{table.value}", text, remedy="convert the column to numbers")
    items = validate.numbers(column.to_list(), role, lambda row: f"{table.where(row)}: the {role}", words=table.grades)
    return pl.Series(table.value, items).fill_nan(None)


def is_list(dtype: object) -> bool:
    """Return whether a column holds lists."""
    return isinstance(dtype, pl.List | pl.Array)


def fields(dtypes: Iterable[object]) -> list[str]:
    """List the names of the fields of records, where a column holds lists of them."""
    return [field.name for dtype in dtypes for field in getattr(getattr(dtype, "inner", None), "fields", ())]

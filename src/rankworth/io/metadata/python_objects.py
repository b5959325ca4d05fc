"""Texts in Python: dicts by id, rows of any kind, frames and data sets; and the frames that Parquet and Arrow hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, shortened
from rankworth.io.metadata.columns import METADATA, Asked, Cells, Row
from rankworth.io.metadata.files import entries
from rankworth.io.programs import native
from rankworth.io.source import Progress, Source
from rankworth.io.validate import shown

if TYPE_CHECKING:
    import polars as pl

_WAYS: Final = {"query": "queries_iter", "document": "docs_iter"}
"""what data sets of ir_datasets call their rows"""


def rows(source: Any, asked: Asked) -> Iterator[Row]:  # noqa: ANN401 - anything
    """The rows that are wanted.

    Raises:
        InputError: `input-type`, `empty-input`, `frame-columns`, `missing-value`, `id-type`; `wrong-encoding` for half
            of a character.

    """
    for row in _rows(source, asked):
        for text in (row.id, row.text, *(item for item in row.more.values() if isinstance(item, str))):
            _check_whole(text, row.where)
        yield row


def _rows(source: Any, asked: Asked) -> Iterator[Row]:  # noqa: ANN401 - anything
    name = asked.kind.called
    if isinstance(source, Mapping):
        return _of_mapping(source, asked)
    way = getattr(source, _WAYS[asked.kind.what], None)
    if callable(way):
        return _of_items(way(), asked)
    if not isinstance(source, str | bytes | list | tuple | set | frozenset | Iterator):
        from rankworth.io import frames  # noqa: PLC0415 - dicts and rows need no dataframe library

        source = source.to_polars() if callable(getattr(source, "to_polars", None)) else source
        if frames.is_frame(source):
            return of_frame(source, asked)
    if isinstance(source, str | bytes) or not isinstance(source, Iterable):
        text = f"{type(source).__name__} cannot be read as {name.removeprefix('the ')}"
        raise InputError("input-type", text, remedy="give a path, a dict {id: text}, rows (id, text), or a frame")
    return _of_items(source, asked)


def _of_mapping(source: Mapping[Any, Any], asked: Asked) -> Iterator[Row]:
    """Texts by id; of a mapping that looks them up when asked, only those that are wanted."""
    name = asked.kind.called
    if source and all(native.is_list(items) or native.is_array(items) for items in source.values()):
        return of_frame(_frame(source, name), asked)
    if asked.wanted is not None:
        ids = {str(key): key for key in source} if any(type(key) is not str for key in source) else None
        keys = [key if ids is None else ids[key] for key in asked.wanted if key in (source if ids is None else ids)]
        return entries({key: _cells(source[key]) for key in keys}, asked, name) if keys else iter(())
    return entries({key: _cells(item) for key, item in source.items()}, asked, name)


def _frame(source: Mapping[Any, Any], name: str) -> Any:  # noqa: ANN401 - of Polars
    """Columns by name as a frame."""
    import polars as pl  # noqa: PLC0415 - as above

    try:
        return pl.DataFrame({str(key): native.plain(items) for key, items in source.items()}, strict=False)
    except pl.exceptions.PolarsError as error:
        text = f"{name}: the dict holds lists, but no columns of one length ({str(error).partition(chr(10))[0]})"
        raise InputError("input-type", text, remedy="give {id: text}, or {column: [value, ...]}") from None


def _of_items(source: Iterable[Any], asked: Asked) -> Iterator[Row]:
    """Rows: tuples, dicts, objects with attributes."""
    name, what = asked.kind.called, asked.kind.what
    number = -1

    def where(number: int) -> str:
        return f"{name}: row {number}"

    counted: dict[int, Asked] = {}
    for number, item in enumerate(source):
        cells, reader = _cells(item), asked
        if isinstance(item, list | tuple) and cells is item:
            cells = {str(place): value for place, value in enumerate(item, 1)}
            found = counted.get(len(item)) or asked.counted(len(item))
            if found is None:
                text = f"{where(number)} has {len(item)} items, and nothing tells what they are: {shown(item)}"
                raise InputError("frame-columns", text, remedy=f"give ({what}, text), or dicts with names")
            reader = counted[len(item)] = found
        if not isinstance(cells, Mapping):
            text = f"{where(number)} is {shown(item)}, not a row"
            raise InputError("input-type", text, remedy=f"give {{{what}: text}}, or rows ({what}, text)")
        row = reader.row(cells, number, where, "field")
        if row is not None:
            yield row
    if number < 0:
        remedy = "an iterator can be read once only; was it read before?" if isinstance(source, Iterator) else ""
        raise InputError("empty-input", f"{name}: there is not one row", remedy=remedy)


def _cells(item: Any) -> Any:  # noqa: ANN401 - as above
    """What an object with attributes holds, by their names; anything else as it is."""
    if isinstance(item, Mapping | list) or native.is_scalar(item):
        return item
    if hasattr(item, "_fields"):
        return dict(zip(item._fields, item, strict=True))
    return vars(item) if hasattr(item, "__dict__") else item


def _check_whole(text: str, where: str) -> None:
    """Refuse half of a character, which can be neither shown nor written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        problem = f"{where}: half of a character stands in {shown(text)}"
        raise InputError("wrong-encoding", problem, remedy="read the texts as UTF-8 where they come from") from None


def of_columns(source: Source, form: str, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of a file.

    Args:
        source: the file.
        form: `parquet` or `arrow`.
        asked: what is looked for.
        progress: told how far what is packed was unpacked.

    Raises:
        InputError: `frame-columns`, `missing-value`, `id-type`; as `rankworth.io.parquet.batches`.

    """
    import polars as pl  # noqa: PLC0415 - as above

    from rankworth.io.parquet import File  # noqa: PLC0415 - as above

    file = File(source, form, progress)
    schema = file.schema()
    names = asked.names(tuple(schema), source.name)
    columns = _needed(list(schema), names, asked)
    if asked.wanted is None:
        columns = [name for name in columns if name in names or _is_kept(name, schema[name])]
    table = file.table(columns)
    if asked.wanted is not None:
        table = table.filter(pl.col(names.id).cast(pl.String).is_in(list(asked.wanted)))
    frame = file.sure(lambda: table.collect(engine="streaming"))
    if asked.wanted is None and not frame.height:
        raise InputError("empty-input", f"{source.name}: there is not one row")
    yield from _of_cells(frame.iter_rows(named=True), asked, f"{source.name}: row", 1)


def of_frame(source: Any, asked: Asked) -> Iterator[Row]:  # noqa: ANN401 - any frame
    """The rows of a frame of any library.

    Raises:
        InputError: as `rows`; `input-type` for a frame that cannot be read.

    """
    import narwhals as nw  # noqa: PLC0415 - as above
    import polars as pl  # noqa: PLC0415 - as above

    name = asked.kind.called
    try:
        known = nw.from_native(source, pass_through=True)
        frame = known if isinstance(known, nw.DataFrame | nw.LazyFrame) else nw.from_native(pl.DataFrame(source))
        every = tuple(frame.collect_schema().names())
        names = asked.names(every, name)
        chosen: Any = frame.select(*_needed(every, names, asked))
        chosen = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
        if asked.wanted is not None:
            ids = _items(chosen, names.id)
            chosen = chosen[[row for row, item in enumerate(ids) if item is not None and str(item) in asked.wanted]]
        columns = {column: _items(chosen, column) for column in chosen.columns}
    except InputError:
        raise
    except Exception as error:
        reason = shortened(" ".join(str(error).split()), 300)
        text = f"{name}: this {type(source).__name__} cannot be read as a frame ({reason})"
        raise InputError("input-type", text) from error
    cells = (dict(zip(columns, items, strict=True)) for items in zip(*columns.values(), strict=True))
    yield from _of_cells(cells, asked, f"{name}: row", 0)


def _of_cells(cells: Iterator[Cells], asked: Asked, called: str, first: int) -> Iterator[Row]:
    for number, each in enumerate(cells, first):
        row = asked.row(each, number, lambda number: f"{called} {number}")
        if row is not None:
            yield row


def _needed(every: Sequence[Any], names: Sequence[Any], asked: Asked) -> list[Any]:
    """The columns to read: of documents no others than those that count."""
    return list(every) if asked.wanted is None else [name for name in every if name in names]


def _is_kept(name: str, dtype: "pl.DataType") -> bool:
    """Whether a further column holds text or numbers, or what BEIR knows of a query."""
    return name == METADATA or not (dtype.is_nested() or str(dtype) in ("Binary", "Object"))


def _items(frame: Any, column: Any) -> list[Any]:  # noqa: ANN401 - of Narwhals
    """What stands in a column, and None where nothing does."""
    missing = frame[column].is_null().to_list()
    return [None if none else item for item, none in zip(frame[column].to_list(), missing, strict=True)]

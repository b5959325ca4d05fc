"""Texts in Parquet, Arrow IPC and frames of any library: only the columns that count, and only the rows wanted."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io.frames.columnar import File
from rankworth.io.sources import Progress, Source
from rankworth.io.texts.rows import METADATA, Asked, Cells, Row


def rows(source: Source, form: str, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of a file.

    Args:
        source: the file.
        form: `parquet` or `arrow`.
        asked: what is looked for.
        progress: told how far what is packed was unpacked.

    Raises:
        InputError: `frame-columns`, `missing-value`, `id-type`; as `rankworth.io.frames.columnar.batches`.

    """
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


def _is_kept(name: str, dtype: pl.DataType) -> bool:
    """Whether a further column holds text or numbers, or what BEIR knows of a query."""
    return name == METADATA or not (dtype.is_nested() or dtype in (pl.Binary, pl.Object))


def _items(frame: Any, column: Any) -> list[Any]:  # noqa: ANN401 - of Narwhals
    """What stands in a column, and None where nothing does."""
    missing = frame[column].is_null().to_list()
    return [None if none else item for item, none in zip(frame[column].to_list(), missing, strict=True)]

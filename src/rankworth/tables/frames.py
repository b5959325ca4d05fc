"""Columns: as frames of the library that is asked for, and at some of their places."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import UsageError, not_text
from rankworth.tables.columns import Sheet

if TYPE_CHECKING:
    import polars as pl

FrameLibrary = Literal["polars", "pandas", "pyarrow"]
_FEW: Final = 1 << 16


def typed_columns(sheet: Sheet) -> "dict[str, pl.Series]":
    """Return the columns of `Sheet.flat` as columns of Polars: text, whole numbers or floats, null where undefined."""
    import polars as pl  # noqa: PLC0415 - not needed for every frame

    types = {"text": pl.String(), "count": pl.Int64()}
    return {name: pl.Series(name, values, dtype=types.get(kind, pl.Float64())) for name, kind, values in sheet.flat()}


def to_library(columns: Mapping[str, Any] | Sheet, library: str) -> Any:  # noqa: ANN401 - the library's own frame
    """Convert columns to a frame of the library that was asked for.

    Args:
        columns: by name; those of a sheet are null where they are undefined, in pandas NaN.
        library: `polars`, `pandas` or `pyarrow`.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.
        InputError: `id-type` for half of a surrogate pair.

    """
    if library not in ("polars", "pandas", "pyarrow"):
        raise UsageError("unknown-setting", f"frames come from polars, pandas or pyarrow, not from {library!r}")
    import importlib  # noqa: PLC0415 - frame libraries are imported when a frame is asked for

    try:
        module = importlib.import_module(library)
    except ImportError:
        raise UsageError("missing-library", f"{library} is not installed", remedy=f"pip install {library}") from None
    make = module.table if library == "pyarrow" else module.DataFrame
    convert = _plain
    try:
        if isinstance(columns, Sheet):
            columns = typed_columns(columns)
            convert = {"polars": lambda column: column, "pyarrow": lambda column: column.to_arrow()}.get(
                library, _plain
            )
        return make({name: convert(column) for name, column in columns.items()})
    except UnicodeEncodeError as error:
        raise not_text(f"the text {error.object!r}") from None


def _plain(column: Any) -> Any:  # noqa: ANN401 - a Polars column, an array or a list
    """Convert a column to what every library takes: lists of text, arrays of numbers."""
    if not hasattr(column, "to_list"):
        return column
    return column.to_numpy() if column.dtype.is_numeric() else column.to_list()


def taken(column: "pl.Series", places: NDArray[np.int64]) -> "pl.Series":
    """Take the items of a column at some places.

    Few places go as a list: for an array, Polars loads a part of NumPy that takes longer than a small file.
    """
    return column[places.tolist()] if places.size < _FEW else column.gather(places)


def run_starts(column: "pl.Series") -> NDArray[np.int64]:
    """Find the rows at which a column takes a new value, the first row included; none without rows."""
    changes = (column[1:] != column[:-1]).to_numpy()
    return np.concatenate(([0], np.flatnonzero(changes) + 1))[: column.len()]

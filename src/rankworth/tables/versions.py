"""What differs between the versions of Polars that serve: all else is the same in each of them."""

from pathlib import Path
from typing import Any, Final

import polars as pl

_VERSION: Final = tuple(map(int, pl.__version__.split(".")[:2]))
SHORT_LINES: Final[dict[str, Any]] = {} if _VERSION < (2, 0) else {"missing_columns": "insert"}
"""keywords of `read_csv` by which lines with fewer cells than the schema end in nulls, as they always do before 2.0"""


def address(path: Path) -> str:
    """Return the address of a file; before 1.42, Polars takes what is escaped in it for the name."""
    return path.as_uri() if _VERSION >= (1, 42) else f"file://{path}"

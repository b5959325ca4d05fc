"""What a thing of Python or of any library is: an item, a list of items, or a table."""

from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from numbers import Number
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

import numpy as np

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Return whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number | UUID | PurePath) or getattr(item, "ndim", None) == 0


def is_several(item: object) -> bool:
    """Return whether a field holds a list."""
    return isinstance(item, list | tuple) or getattr(item, "ndim", 0) > 0


def has_documents(item: object) -> bool:
    """Return whether a field holds the documents of a query: a list or a dict."""
    return is_several(item) or isinstance(item, Mapping)


def is_list(item: object) -> bool:
    """Return whether this is what belongs to one query, and no row."""
    if isinstance(item, tuple | Mapping) or is_more(item):
        return False
    if isinstance(item, list | AbstractSet | range | deque | Iterator):
        return True
    return is_array(item) and not getattr(getattr(item, "dtype", None), "names", None)


def is_table(item: object) -> bool:
    """Return whether this is a frame or a data set of any library; a lazy one does not compute what it holds."""
    return any(hasattr(type(item), sign) for sign in ("columns", "column_names"))


def is_more(item: object) -> bool:
    """Return whether this can be gone through, but holds more than items: a table, what has keys, an open file."""
    return is_table(item) or any(hasattr(item, sign) for sign in ("keys", "readline"))


def is_array(item: object) -> bool:
    """Return whether this is an array, a tensor or a column of any library."""
    return any(hasattr(item, way) for way in _WAYS)


def plain(items: Any) -> Any:  # noqa: ANN401 - what a program has
    """Convert arrays, tensors and columns of all libraries to lists; return anything else as it is."""
    way = next((way for way in _WAYS if hasattr(items, way)), None)
    return items if way is None else getattr(items, way)()

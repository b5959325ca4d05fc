"""What kind of thing an object is, of Python or any library: an item, a list of items, or more than that."""

from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any, Final

import numpy as np

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number) or getattr(item, "ndim", None) == 0


def is_list(item: object) -> bool:
    """Whether this is what belongs to one query, and no row."""
    if isinstance(item, tuple | Mapping) or is_more(item):
        return False
    if isinstance(item, list | AbstractSet | range | deque | Iterator):
        return True
    return is_array(item) and not getattr(getattr(item, "dtype", None), "names", None)


def is_table(item: object) -> bool:
    """Whether this is a frame or a data set of any library; a lazy one is not asked what it holds."""
    return any(hasattr(type(item), sign) for sign in ("columns", "column_names"))


def is_more(item: object) -> bool:
    """Whether this can be gone through, but holds more than items: a table, what has keys, an open file."""
    return is_table(item) or any(hasattr(item, sign) for sign in ("keys", "readline"))


def is_array(item: object) -> bool:
    """Whether this is an array, a tensor or a column of any library."""
    return any(hasattr(item, way) for way in _WAYS)


def plain(items: Any) -> Any:  # noqa: ANN401 - what a program has
    """Arrays, tensors and columns of all libraries as lists; anything else as it is."""
    way = next((way for way in _WAYS if hasattr(items, way)), None)
    return items if way is None else getattr(items, way)()

"""What stands in lists: ids and numbers, and lists themselves, as Python and all libraries have them."""

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError
from rankworth.io import mapping

_WAYS: Final = ("tolist", "to_list", "to_pylist")
"""how arrays, tensors and columns of all libraries become lists"""


def is_scalar(item: object) -> bool:
    """Whether this is a text, a number or nothing at all, of any library."""
    if isinstance(item, np.void):
        return item.dtype.names is None
    return item is None or isinstance(item, str | bytes | Number) or getattr(item, "ndim", None) == 0


def is_integer(kind: type) -> bool:
    """Whether things of this kind are integers, of Python or NumPy, and not truth values."""
    return issubclass(kind, int | np.integer) and kind is not bool


def is_id(item: object) -> bool:
    """Whether this is a text or an integer."""
    return isinstance(item, str | int | np.integer) and not isinstance(item, bool)


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


def texts(items: Sequence[Any], where: Callable[[int], str]) -> list[str]:
    """Ids as text.

    Args:
        items: the ids.
        where: gives the place of an item, for messages.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    kinds = set(map(type, items))
    if kinds <= {str}:
        return list(items)
    if kinds == {int}:
        return list(map(str, items))
    if type(None) in kinds:
        text = f"{where(next(place for place, item in enumerate(items) if item is None))} is None, not an id"
        raise InputError("missing-value", text, remedy="leave it out, or give the id")
    named = []
    for place, item in enumerate(items):
        try:
            named.append(mapping.text(item))
        except InputError as error:
            raise InputError("id-type", f"{where(place)}: {error.problems[0]}", remedy=error.remedy) from None
    return named


def numbers(items: Sequence[Any], value: str, where: Callable[[int], str]) -> NDArray[np.float64]:
    """Numbers of any library as float64, NaN among them.

    Args:
        items: the numbers.
        value: `"score"` or `"grade"`.
        where: gives the place of an item, for messages.

    Raises:
        InputError: `missing-value`, `bad-score`, `bad-grade`.

    """
    try:
        return np.frombuffer(array("d", items))
    except (TypeError, OverflowError):
        place, item = next((place, item) for place, item in enumerate(items) if not is_real(item))
        slug = "missing-value" if item is None else f"bad-{value}"
        remedy = f"leave out what has no finite {value}, or mend what made it"
        if isinstance(item, str):
            remedy = "write it as a number: float(text) makes one of a text"
        raise InputError(slug, f"{where(place)} is {mapping.shown(item)}, not a number", remedy=remedy) from None


def is_real(item: Any) -> bool:  # noqa: ANN401 - whatever stands there
    """Whether this is a number of any library, NaN too, and not a text that looks like one."""
    try:
        array("d", [item])
    except (TypeError, OverflowError):
        return False
    return True

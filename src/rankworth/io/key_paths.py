"""Fields of rows, and paths of keys, attributes and positions: where something stands within an object."""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from rankworth.io.usual_names import LISTS, RECORD, SPELLINGS

_USUAL: Final = frozenset({*RECORD, *chain(*SPELLINGS.values(), *LISTS.values())})


def at(value: Any, path: str, *, in_lists: bool = False) -> Any:  # noqa: ANN401 - whatever stands there
    """Return the value at a path of keys, attributes and positions in lists (from 0), or None.

    A step `*` stands for the only key under which the rest of the path leads to something.

    Args:
        value: where the path begins.
        path: steps with dots between them.
        in_lists: whether a name leads into all objects of a list: to a list of what stands there, None where nothing
            does; lists within lists become one.

    >>> at({"fields": {"sku.id": ["s1"]}}, "fields.sku.id.0")
    's1'
    >>> at({"output": [{"pages": [{"id": 1}, {"id": 2}]}, {"pages": [{"id": 3}]}]}, "output.pages.id", in_lists=True)
    [1, 2, 3]
    """
    if not path or value is None:
        return value
    steps = path.split(".")
    if steps[0] == "*" and isinstance(value, Mapping):
        inner = [item for each in value.values() if (item := at(each, path[2:], in_lists=in_lists)) is not None]
        return inner[0] if len(inner) == 1 else None
    if isinstance(value, Mapping):
        keys = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
        key = next((key for key in keys if key in value), None)
        return None if key is None else at(value[key], path[len(key) + 1 :], in_lists=in_lists)
    rest = ".".join(steps[1:])
    if isinstance(value, list | tuple) and steps[0].isdecimal():
        return at(value[int(steps[0])], rest, in_lists=in_lists) if int(steps[0]) < len(value) else None
    if in_lists and type(value) in (list, tuple):
        return _in_each(value, path)
    return at(getattr(value, steps[0], None), rest, in_lists=in_lists)


def _in_each(items: Sequence[Any], path: str) -> list[Any] | None:
    """Return the value at a path in each object of a list, or None."""
    is_inner = (isinstance(item, str) or type(item) in (list, tuple) for item in items)
    inner = [None if skip else at(item, path, in_lists=True) for item, skip in zip(items, is_inner, strict=True)]
    flat = chain.from_iterable(item if isinstance(item, list) else [item] for item in inner)
    return None if all(item is None for item in inner) else list(flat)


def leaves(value: Mapping[Any, Any], *, in_lists: bool = False) -> list[str]:
    """List the paths of the values in an object; an inner object is listed by the paths of its own values.

    Args:
        value: the object.
        in_lists: whether the first object of an inner list is listed so, too.

    >>> leaves({"id": 1, "fields": {"sku": "s1", "price": 2}})
    ['id', 'fields.sku', 'fields.price']
    """
    paths = []
    for key, inner in value.items():
        item = inner[0] if in_lists and isinstance(inner, list) and inner else inner
        is_object = isinstance(item, Mapping) and item
        paths += [f"{key}.{path}" for path in leaves(item, in_lists=in_lists)] if is_object else [str(key)]
    return paths


# Rows as columns


def columns_of(rows: Sequence[Any], header: Sequence[str] = ()) -> dict[Any, list[Any]]:
    """Return the fields of rows by name, or by position from 1 for rows without names; None if a row lacks a field.

    Args:
        rows: dicts, tuples, or objects with attributes.
        header: the names of the fields, where rows do not have them.

    """
    kinds = set(map(type, rows))
    if header or kinds <= {tuple, list}:
        columns = list(map(list, zip_longest(*rows)))
        return dict(zip(header or range(1, len(columns) + 1), columns, strict=False))
    more: dict[type, list[str]] = {}
    dicts = rows if kinds == {dict} else [fields_of(row, more) for row in rows]
    return {name: [row.get(name) for row in dicts] for name in dict.fromkeys(chain.from_iterable(dicts))}


def names_of(row: object) -> tuple[Any, ...]:
    """Return the names of the fields of a row; their positions, from 1, where it has none."""
    return tuple(columns_of([row]))


def paths_of(row: object) -> list[str]:
    """List the paths of what a row holds; an inner object is listed by the paths of its own values."""
    return leaves(fields_of(row, {}))


def fields_of(row: Any, more: dict[type, list[str]]) -> Mapping[Any, Any]:  # noqa: ANN401 - any object
    """Return the fields of a row by name: of a dict, a tuple with names or without, or the attributes of an object.

    Args:
        row: the row.
        more: properties and slots of objects by their type, which are looked up once; of properties only those that are
            called as columns usually are, so that nothing else of an object is tried.

    """
    if isinstance(row, dict):
        return row
    if callable(getattr(row, "keys", None)) and hasattr(row, "__getitem__"):
        return {name: row[name] for name in row.keys()}  # noqa: SIM118 - not all that have keys go through them
    of_type = getattr(getattr(row, "dtype", None), "names", None)
    of_spark = getattr(row, "__fields__", None) if isinstance(row, tuple) else None  # elsewhere that is deprecated
    for names in (getattr(row, "_fields", None), of_spark, of_type):
        if isinstance(names, tuple | list) and not getattr(row, "ndim", 0):
            return dict(zip(names, row, strict=True))
    if isinstance(row, tuple | list):
        return dict(enumerate(row, 1))
    if isinstance(row, type):
        return {}
    attributes = {name: item for name, item in getattr(row, "__dict__", {}).items() if not name.startswith("_")}
    if type(row) not in more:
        slots = chain.from_iterable(_slots(kind) for kind in type(row).__mro__)
        names = _USUAL.intersection(dir(type(row))) | {name for name in slots if not name.startswith("_")}
        more[type(row)] = [name for name in sorted(names) if not callable(getattr(row, name, None))]
    return attributes | {name: getattr(row, name, None) for name in more[type(row)] if name not in attributes}


def _slots(kind: type) -> tuple[str, ...]:
    """Return the slots that a class of Python declares."""
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)

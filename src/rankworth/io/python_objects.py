"""Shapes that Python programs have, beyond dicts of dicts and frames: rows, lists by query, lists without queries.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankworth.errors import InputError, quoted
from rankworth.io import fields, rows, validate
from rankworth.io.columns import NONE, is_header
from rankworth.io.fields import Request
from rankworth.io.reading import Orders
from rankworth.io.rows import LABELS, Scored

if TYPE_CHECKING:
    import polars as pl

_ROW: Final = 3
_PLACES: Final = {3: (1, 2), 4: (2, 3), 6: (2, 4)}
"""where rows of so many cells have the document and the value"""
_RANK_EVAL: Final = {"requests", "details", "rank_eval", "error"}
"""keys of a request or a response of _rank_eval"""


class _Names(NamedTuple):
    """What libraries call judgements and runs."""

    rows: str
    """a method of data sets of ir_datasets"""
    frame: str
    """an attribute of trectools' objects"""
    dicts: str
    """an attribute of ranx's objects, which become dicts of Python"""


_NAMES: Final = {
    "grade": _Names("qrels_iter", "qrels_data", "qrels"),
    "score": _Names("scoreddocs_iter", "run_data", "run"),
}


def read(
    source: object,
    value: str,
    name: str,
    columns: Mapping[str, str] = NONE,
    *,
    repeats: bool = False,
    orders: Orders | None = None,
    kinds: validate.IdKinds | None = None,
) -> "Scored | pl.DataFrame | None":
    """A dict of dicts, or a frame with `query, document, score` or `query, document, grade`; ids are text in both.

    An iterator is read once. Nothing is written to the source.

    Args:
        source: anything.
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which field or column holds what, where its name does not tell; a number counts places from 1.
        repeats: whether lists may have a document several times; they become a frame then, in which it stands as often.
        orders: gets to know whether a run came as lists.
        kinds: gets to know whether ids are integers, where something is read.

    Returns:
        The dict where the source has lists by query: queries without documents are in it. None where the source has
        none of the shapes that are read here: paths, a dict of dicts, a frame, or nothing that can be read.

    Raises:
        InputError: `input-type`, `empty-input`, `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`,
            `duplicate-document`, `duplicate-judgement`, `nested-runs`.

    """
    return _read(source, Request(value, name, columns, repeats, orders or Orders(), kinds or validate.IdKinds()))


def _read(source: Any, asked: Request) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
    if isinstance(source, Mapping):
        return _of_mapping(source, asked)
    paths = isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source)
    if paths or isinstance(source, str | bytes | bytearray | os.PathLike):
        return None
    return (
        _of_items(source, asked) if isinstance(source, list | tuple | set | frozenset) else _of_library(source, asked)
    )


def _of_mapping(source: Mapping[Any, Any], asked: Request) -> "Scored | pl.DataFrame | None":
    """Responses of search engines, values by pairs of ids, columns by name, or lists by query."""
    if not _RANK_EVAL.isdisjoint(source):
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        from rankworth.io import search_response  # noqa: PLC0415 - as above
        from rankworth.io.reading import Reading  # noqa: PLC0415 - as above

        if search_response.is_known(source):
            reading = Reading(columns=asked.columns, orders=asked.orders)
            return pl.concat(search_response.batches(source, asked.layout, reading, asked.name))
    first = next(iter(source.values()), None)
    if not source or isinstance(first, Mapping):
        return None
    if fields.is_table(first):
        text = f"{asked.name}: the dict holds a {type(first).__name__} for each of {quoted(source)}"
        several = "; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs"
        raise InputError("nested-runs", text, remedy=f"take one of them{several if asked.value == 'score' else ''}")
    by_pairs = all(isinstance(key, tuple) for key in source)
    if by_pairs or (len(source) > 1 and _are_columns(source, asked.columns)):
        if by_pairs:
            return rows.read(((*key, item) for key, item in source.items()), asked)
        return rows.read(zip(*_lists(source, asked), strict=True), asked, tuple(source))
    return rows.lists_by_query(source, asked)


def _are_columns(source: Mapping[Any, Any], columns: Mapping[str, str]) -> bool:
    """Whether keys are names of columns rather than queries: usual names, of lists that are as long as each other."""
    names = list(map(str, source))
    lengths = {len(items) if hasattr(items, "__len__") else -1 for items in source.values()}
    return is_header(names, columns) and (len(lengths) == 1 or {"query", "document"} <= set(names))


def _lists(source: Mapping[Any, Any], asked: Request) -> list[list[Any]]:
    """The columns of a dict, which are of one length."""
    lists = [rows.listed(items, asked.value, f"{asked.name}: {column!r}") for column, items in source.items()]
    if len(set(map(len, lists))) > 1:
        lengths = ", ".join(f"{column} {len(items):,}" for column, items in zip(source, lists, strict=True))
        remedy = f"if these are queries, give {{query: {{document: {asked.value}}}}}"
        raise InputError(
            "input-type", f"{asked.name}: the columns are not of the same length: {lengths}", remedy=remedy
        )
    return lists


def _of_library(source: Any, asked: Request) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
    """Arrays, data sets, and whatever else can be gone through."""
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

    if hasattr(source, "to_frame") and is_column(source):
        return _of_column(source, asked)
    if frames.is_frame(source) and not is_column(source):
        return None
    if names := getattr(getattr(source, "dtype", None), "names", None):
        return rows.read(iter(source.reshape(-1).tolist()), asked, names)
    held = _held(source, _NAMES[asked.value])
    if held is None:
        is_one = isinstance(source, type) or fields.is_scalar(source) or not isinstance(source, Iterable)
        return None if is_one else _of_items(source, asked)
    found = _of_items(held, asked) if isinstance(held, list) else _read(held, asked)
    if found is None and isinstance(held, Mapping):
        asked.kinds.meet_dicts(held)
        return validate.dicts(held, asked.value, asked.name)
    return _of_frames([held], asked) if found is None else found


def is_column(source: object) -> bool:
    """Whether this is a single column of pandas, Polars or Arrow, which some take for a frame."""
    arrow = hasattr(source, "to_pylist") and not fields.is_table(source)
    return arrow or (hasattr(source, "to_frame") and hasattr(source, "dtype"))


def _of_column(source: Any, asked: Request) -> "Scored | pl.DataFrame":  # noqa: ANN401 - of any library
    """A list in each row; the index of pandas names the queries."""
    items = fields.plain(source)
    index = fields.plain(getattr(source, "index", range(len(items))))
    if not items or not all(map(fields.is_list, items)) or len(set(index)) < len(items):
        text = (
            f"{asked.name}: a {type(source).__name__} is one column; queries, documents and {asked.value}s are needed"
        )
        remedy = f"give a frame with columns query, document, {asked.value}, or a list for each query under its name"
        raise InputError("input-type", text, remedy=remedy)
    return rows.lists_by_query(dict(zip(index, items, strict=True)), asked)


def _held(source: Any, names: _Names) -> Any:  # noqa: ANN401 - anything, and what is in it
    """What an object of some library holds; None where it is of no known kind."""
    if isinstance(source, type) or fields.is_scalar(source):
        return None
    for method in ("to_polars", names.rows):
        if callable(getattr(source, method, None)):
            return getattr(source, method)()
    if isinstance(getattr(source, names.dicts, None), Mapping) and hasattr(source, "to_dict"):
        return source.to_dict()
    if fields.is_table(getattr(source, names.frame, None)):
        return getattr(source, names.frame)
    if callable(getattr(source, "keys", None)) and hasattr(source, "__getitem__"):
        return dict(source)
    return fields.plain(source) if fields.is_array(source) else None


def _of_items(source: Iterable[Any], asked: Request) -> "Scored | pl.DataFrame":
    """Rows, lists without queries, or parts of a frame."""
    value, name = asked.value, asked.name
    items: Iterator[Any] = iter(source)
    first = next(items, items)
    if first is items:
        remedy = f"give rows (query, document, {value}) or lists by query: {{query: [document, ...]}}"
        if isinstance(source, Iterator):
            remedy = "an iterator can be read once only; was it read before?"
        raise InputError("empty-input", f"{name}: there is nothing in the {type(source).__name__}", remedy=remedy)
    if fields.is_scalar(first):
        text = f"{name}: its first item is {validate.shown(first)}, neither a row nor a list of documents"
        hint = "a file is read from its path" if isinstance(first, str | bytes) else LABELS
        raise InputError("input-type", text, remedy=f"documents belong to a query: {{query: [document, ...]}}\n{hint}")
    if fields.is_list(first):
        lists = [first, *items]
        held = next((items[0] for items in lists if isinstance(items, list) and items), None)
        records = not fields.is_scalar(held) and not isinstance(held, tuple | list)
        if (records or not asked.columns) and not are_rows(lists):
            return _of_lists(lists, asked)
        items = iter(lists[1:])
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

    if frames.is_frame(first) and not is_column(first):
        return _of_frames(chain((first,), items), asked)
    if isinstance(source, set | frozenset) and value == "score" and type(first) is tuple and len(first) < _ROW:
        remedy = "give a list, best document first, or (query, document, score)"
        raise InputError("input-type", f"{name}: a set of (query, document) has no order", remedy=remedy)
    return rows.read(chain((first,), items), asked)


def _of_frames(parts: Iterable[Any], asked: Request) -> "pl.DataFrame":
    """All frames as one, with ids as text."""
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    from rankworth.io import frames  # noqa: PLC0415 - as above

    found = [frames.read(part, asked.value, asked.name, asked.columns, orders=asked.orders) for part in parts]
    for frame in found:
        asked.kinds.meet_frame(frame)
    return pl.concat(frame.with_columns(pl.col("query", "document").cast(pl.String)) for frame in found)


def _of_lists(lists: list[Any], asked: Request) -> "Scored | pl.DataFrame":
    """One list for each query; the queries are called `0`, `1`, `2` ..."""
    if odd := next((place for place, items in enumerate(lists) if isinstance(items, tuple)), 0):
        text = f"{asked.name}: item {odd} is a tuple, {validate.shown(lists[odd])}, and the first one is not"
        raise InputError("input-type", text, remedy="a tuple is a row; what belongs to one query is a list")
    named = {}
    for place, items in enumerate(lists):
        is_set = isinstance(items, AbstractSet)
        named[str(place)] = items if is_set else rows.listed(items, asked.value, f"{asked.name}: list {place}")
    document, value = _PLACES.get(len(lists[0]), (0, 0))
    cells = [items for items in named.values() if isinstance(items, list) and len(items) == len(lists[0])]
    if value and len(lists) == len(cells) > 1:
        numbers = [validate.is_numeric(items[value]) and not validate.is_numeric(items[document]) for items in cells]
        if all(numbers):
            text = f"{asked.name}: each of the {len(lists):,} lists has {len(lists[0])} items, and they may be rows: "
            remedy = "rows are tuples: list(map(tuple, rows))\nlists of ids may be numbered: dict(enumerate(lists))"
            raise InputError("input-type", f"{text}{', '.join(map(validate.shown, cells[:2]))}", remedy=remedy)
    return rows.lists_by_query(named, asked)


def are_rows(lists: list[Any]) -> bool:
    """Whether lists cannot be lists of ids, but are rows: two ids and a number in each, and not all of one kind."""
    if any(type(items) is not list or len(items) != _ROW for items in lists):
        return False
    queries, documents, values = (set(map(type, column)) for column in zip(*lists, strict=True))
    ids = queries | documents
    if not all(issubclass(kind, str) or validate.is_integer(kind) for kind in ids):
        return False
    numbers = all(issubclass(kind, Number) for kind in values)
    return numbers and (not all(map(validate.is_integer, values)) or any(issubclass(kind, str) for kind in ids))

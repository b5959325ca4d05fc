"""Shapes that Python programs have, beyond dicts of dicts and frames: rows, lists by query, lists without queries.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query. What could be read in two ways is refused.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankworth.errors import InputError, counted, quoted
from rankworth.io import validate
from rankworth.io.columns import NONE, Table, is_header
from rankworth.io.programs import native, rankings
from rankworth.io.programs.fields import Asked
from rankworth.io.programs.rankings import LABELS, Scored
from rankworth.io.reading import Orders

if TYPE_CHECKING:
    import polars as pl


_RANK_EVAL: Final = {"requests", "details", "rank_eval", "error"}
_PAIR: Final = 2


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
    return _read(source, Asked(value, name, columns, repeats, orders or Orders(), kinds or validate.IdKinds()))


def _read(source: object, asked: Asked) -> "Scored | pl.DataFrame | None":
    if isinstance(source, Mapping):
        return _of_mapping(source, asked)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return None
    if isinstance(source, list | tuple | set | frozenset):
        return _of_items(source, asked)
    if isinstance(source, str | bytes | bytearray | os.PathLike):
        return None
    return _of_library(source, asked)


def _of_library(source: Any, asked: Asked) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
    """Arrays, data sets, and whatever else can be gone through."""
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if frames.is_frame(source) and not is_column(source):
        return None
    names = getattr(getattr(source, "dtype", None), "names", None)
    if names:
        return rows.read(iter(source.reshape(-1).tolist()), asked, names)
    held = offered(source, asked.value, asked.name)
    if held is None and (native.is_scalar(source) or not isinstance(source, Iterable)):
        return None
    if held is None or isinstance(held, list):
        return _of_items(source if held is None else held, asked)
    found = _read(held, asked)
    if found is None and isinstance(held, Mapping):
        asked.kinds.meet_dicts(held)
        return validate.dicts(held, asked.value, asked.name)
    if found is None:
        found = _text(frames.read(held, asked.value, asked.name, asked.columns, orders=asked.orders), asked)
    return found


def _of_mapping(source: Mapping[Any, Any], asked: Asked) -> "Scored | pl.DataFrame | None":
    """Lists by query, columns by name, or values by pairs of ids."""
    if not _RANK_EVAL.isdisjoint(source):
        from rankworth.io import search_response  # noqa: PLC0415 - lists of ids need no dataframe library

        if search_response.is_known(source):
            import polars as pl  # noqa: PLC0415 - as above

            from rankworth.io.formats import Reading  # noqa: PLC0415 - as above

            reading = Reading(columns=asked.columns, orders=asked.orders)
            return pl.concat(search_response.batches(source, asked.layout, reading, asked.name))
    first = next(iter(source.values()), None)
    if not source or isinstance(first, Mapping):
        return None
    if all(isinstance(key, tuple) for key in source):
        from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

        return rows.read(((*key, item) for key, item in source.items()), asked)
    if native.is_table(first):
        is_run = asked.value == "score"
        several = "; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs" if is_run else ""
        text = f"{asked.name}: the dict holds a {type(first).__name__} for each of {quoted(source)}"
        raise InputError("nested-runs", text, remedy=f"take one of them{several}")
    if len(source) > 1 and _are_columns(source, asked.columns):
        return _of_columns(source, asked)
    return rankings.read(source, asked)


def _are_columns(source: Mapping[Any, Any], columns: Mapping[str, str]) -> bool:
    """Whether keys are names of columns rather than queries: usual names, of lists that are as long as each other."""
    names = list(map(str, source))
    lengths = {len(items) if hasattr(items, "__len__") else -1 for items in source.values()}
    return is_header(names, columns) and (len(lengths) == 1 or {"query", "document"} <= set(names))


def _of_columns(source: Mapping[Any, Any], asked: Asked) -> "Scored | pl.DataFrame":
    """Columns by name."""
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    names, name = tuple(source), asked.name
    queries = f"if these are queries, give {{query: {{document: {asked.value}}}}}"
    try:
        Table(asked.value, name, asked.columns, names).chosen()
    except InputError as error:
        raise InputError(error.slug, *error.problems, remedy=f"{error.remedy}\n{queries}") from None
    lists = {column: rankings.listed(items, asked.value, f"{name}: {column!r}") for column, items in source.items()}
    lengths = {column: len(items) for column, items in lists.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{column} {length:,}" for column, length in lengths.items())
        raise InputError("input-type", f"{name}: the columns are not of the same length: {shown}", remedy=queries)
    return rows.read(zip(*lists.values(), strict=True), asked, names)


def _of_items(source: Iterable[Any], asked: Asked) -> "Scored | pl.DataFrame":
    """Rows, lists without queries, or parts of a frame."""
    value, name, columns = asked.value, asked.name, asked.columns
    items: Iterator[Any] = iter(source)
    none = object()
    first = next(items, none)
    if first is none:
        remedy = f"give rows (query, document, {value}) or lists by query: {{query: [document, ...]}}"
        if isinstance(source, Iterator):
            remedy = "an iterator can be read once only; was it read before?"
        raise InputError("empty-input", f"{name}: there is nothing in the {type(source).__name__}", remedy=remedy)
    if native.is_scalar(first):
        raise InputError(
            "input-type",
            f"{name}: its first item is {validate.shown(first)}, neither a row nor a list of documents",
            remedy="documents belong to a query: {query: [document, ...]}\n"
            + ("a file is read from its path" if isinstance(first, str | bytes) else LABELS),
        )
    if native.is_list(first):
        lists = [first, *items]
        held = next((items[0] for items in lists if isinstance(items, list) and items), None)
        records = not native.is_scalar(held) and not isinstance(held, tuple | list)
        if (records or not columns) and not are_rows(lists):
            return _of_lists(lists, asked)
        items = iter(lists[1:])
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if frames.is_frame(first) and not is_column(first):
        import polars as pl  # noqa: PLC0415 - as above

        parts = (
            frames.read(part, value, f"{name}: part {place}", columns, orders=asked.orders)
            for place, part in enumerate(chain((first,), items))
        )
        return pl.concat([_text(part, asked) for part in parts])
    if isinstance(source, set | frozenset) and value == "score" and type(first) is tuple and len(first) == _PAIR:
        remedy = "give a list, best document first, or (query, document, score)"
        raise InputError("input-type", f"{name}: a set of (query, document) has no order", remedy=remedy)
    return rows.read(chain((first,), items), asked)


def _text(frame: "pl.DataFrame", asked: Asked) -> "pl.DataFrame":
    """The frame with ids as text."""
    import polars as pl  # noqa: PLC0415 - as above

    asked.kinds.meet_frame(frame)
    return frame.with_columns(pl.col("query", "document").cast(pl.String))


class _Offer(NamedTuple):
    """What libraries call judgements and runs."""

    rows: str
    """a method of data sets of ir_datasets"""
    frame: str
    """an attribute of trectools' objects"""
    dicts: str
    """an attribute of ranx's objects, which become dicts of Python"""


_OFFERS: Final = {
    "grade": _Offer("qrels_iter", "qrels_data", "qrels"),
    "score": _Offer("scoreddocs_iter", "run_data", "run"),
}


def offered(source: Any, value: str, name: str) -> Any:  # noqa: ANN401 - anything, and what is in it
    """What an object holds; None where it is of no known kind.

    Args:
        source: no frame, which may have columns of any name.
        value: `"score"` or `"grade"`.
        name: what messages call it.

    Raises:
        InputError: `input-type` for a single column.

    """
    if isinstance(source, type) or native.is_scalar(source):
        return None
    if hasattr(source, "to_frame") and hasattr(source, "dtype"):
        return _of_column(source, value, name)
    if hasattr(source, "tocoo"):
        text = f"{name}: of a sparse matrix it is not clear what its rows and columns are"
        remedy = f"if rows are queries: m = matrix.tocoo(); zip(m.row, m.col, m.data) gives (query, document, {value})"
        raise InputError("input-type", text, remedy=remedy)
    return _offered(source, _OFFERS[value])


def is_column(source: object) -> bool:
    """Whether this is a single column of pandas, Polars or Arrow, which some take for a frame."""
    arrow = hasattr(source, "to_pylist") and not native.is_table(source)
    return arrow or (hasattr(source, "to_frame") and hasattr(source, "dtype"))


def _offered(source: Any, offer: _Offer) -> Any:  # noqa: ANN401 - as above
    for way in ("to_polars", offer.rows):
        if callable(getattr(source, way, None)):
            return getattr(source, way)()
    if isinstance(getattr(source, offer.dicts, None), Mapping) and hasattr(source, "to_dict"):
        return source.to_dict()
    if native.is_table(getattr(source, offer.frame, None)):
        return getattr(source, offer.frame)
    if callable(getattr(source, "keys", None)) and hasattr(source, "__getitem__"):
        return dict(source)
    return native.plain(source) if native.is_array(source) else None


def _of_column(source: Any, value: str, name: str) -> dict[Any, Any]:  # noqa: ANN401 - of pandas or Polars
    """A list in each row; the index of pandas names the queries."""
    kind = type(source).__name__
    items = native.plain(source)
    if not items or not all(map(native.is_list, items)):
        raise InputError(
            "input-type",
            f"{name}: a {kind} is one column; queries, documents and {value}s are needed",
            remedy=f"give a frame with columns query, document, {value}; in pandas, reset_index() may make one",
        )
    index = native.plain(getattr(source, "index", range(len(items))))
    lists = dict(zip(index, items, strict=True))
    if len(lists) < len(items):
        raise InputError(
            "input-type",
            f"{name}: the index of the {kind} names {counted(len(items))}, of which {len(lists):,} differ",
            remedy="give one list for each query; the queries of a plain list are their places: list(series)",
        )
    return lists


_ROW: Final = 3
_WIDTHS: Final = {2: (1, None), 3: (1, 2), 4: (2, 3), 6: (2, 4)}
"""where rows of so many fields have the document and the value"""


def _of_lists(lists: Sequence[Any], asked: Asked) -> "Scored | pl.DataFrame":
    """One list for each query; the queries are called `0`, `1`, `2` ...

    Raises:
        InputError: as `rankings.read`; `input-type` where the lists may as well be rows.

    """
    name = asked.name
    for place, items in enumerate(lists):
        if isinstance(items, tuple):
            text = f"{name}: item {place} is a tuple, {validate.shown(items)}, and the first one is not"
            raise InputError("input-type", text, remedy="a tuple is a row; what belongs to one query is a list")
    held = [
        items if isinstance(items, AbstractSet) else rankings.listed(items, asked.value, f"{name}: list {place}")
        for place, items in enumerate(lists)
    ]
    if _like_rows(held):
        labels = all(validate.is_integer(type(item)) and item in rankings.GRADES for items in held for item in items)
        raise InputError(
            "input-type",
            f"{name}: each of the {len(held):,} lists has {len(held[0])} items, and they may be rows: "
            f"{validate.shown(held[0])}, {validate.shown(held[1])}",
            remedy="rows are tuples: list(map(tuple, rows))\nlists of ids may be numbered: dict(enumerate(lists))"
            + (f"\n{LABELS}" if labels else ""),
        )
    return rankings.read({str(place): items for place, items in enumerate(held)}, asked)


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


def together(judgements: object, run: object) -> None:
    """Refuse lists without queries that do not belong together, or that may be labels beside orders or scores.

    Args:
        judgements: as they were given, before anything was read.
        run: the same.

    Raises:
        InputError: `input-type`.

    """
    judged, ranked = _numbered(judgements), _numbered(run)
    if judged is None or ranked is None:
        _refuse_names(judged, run, "judgements", "run")
        _refuse_names(ranked, judgements, "run", "judgements")
        return
    if len(judged) != len(ranked):
        raise InputError(
            "input-type",
            f"there are {len(judged):,} lists of judgements and {len(ranked):,} rankings; queries are their places",
            remedy="give one list for each query, an empty one where there is nothing, or name them: {query: [...]}",
        )
    both = list(zip(judged, ranked, strict=True))
    if (
        any(isinstance(one, AbstractSet) or len(one) != len(other) for one, other in both)
        or len(max(ranked, key=len)) < _PAIR
    ):
        return
    kinds = {type(item) for pair in both for items in pair for item in items}
    if not all(map(validate.is_integer, kinds)):
        return
    orders = all(sorted(other) == list(range(len(other))) for other in ranked)
    if orders or all(set(one).isdisjoint(other) for one, other in both):
        raise InputError(
            "input-type",
            "judgements and rankings are integers, as many of both for each query, and "
            + ("each ranking has all from 0 on" if orders else "no ranked one is judged")
            + f"; these may be labels and {'orders' if orders else 'scores'}",
            remedy=f"{LABELS}\nif they are ids, give sets as judgements: [{{0, 1}}, ...]",
        )


def _refuse_names(lists: list[Any] | None, other: object, what: str, beside: str) -> None:
    """Refuse lists without queries beside queries that have names other than places."""
    if lists is None or not isinstance(other, Mapping):
        return
    places = set(map(str, range(len(lists))))
    named = [query for query in other if str(query) not in places]
    if named:
        raise InputError(
            "input-type",
            f"the {what}: the lists have no queries, so these are called 0 to {len(lists) - 1}; "
            f"of the {beside} there are {quoted(named)}",
            remedy="give both as lists, or name the queries of both: {query: [document, ...]}",
        )


def _numbered(source: Any) -> list[Any] | None:  # noqa: ANN401 - anything
    """What was given as lists without queries; None for everything else, and for what can be read only once."""
    if not isinstance(source, list | tuple):
        if not hasattr(source, "tolist") or getattr(source, "ndim", 0) != _PAIR:
            return None
        source = source.tolist()
    lists = [native.plain(items) for items in source]
    if not lists or not all(isinstance(items, list | AbstractSet) for items in lists) or are_rows(lists):
        return None
    return None if _like_rows(lists) else lists


def _like_rows(lists: Sequence[Any]) -> bool:
    """Whether lists of ids may as well be rows of a table: all as long as rows are, with numbers where values stand."""
    width = len(lists[0])
    if width not in _WIDTHS or len(lists) == 1 or set(map(len, lists)) != {width}:
        return False
    if not all(isinstance(items, list) and all(map(validate.is_id, items)) for items in lists):
        return False
    document, value = _WIDTHS[width]
    first, *between = [len({items[place] for items in lists}) for place in range(document)]
    if len({(items[0], items[document]) for items in lists}) < len(lists) or any(count > 1 for count in between):
        return False
    if value is None:
        return first < len(lists) or {items[0] for items in lists}.isdisjoint(items[1] for items in lists)
    numbers = [validate.is_numeric(items[value]) for items in lists]
    texts_too = not all(validate.is_numeric(item) for items in lists for item in items)
    last = len({items[value] for items in lists})
    return all(numbers) and (texts_too or bool(between) or first < len(lists) or last == 1)

"""Judgements and runs in Python beyond dicts of dicts and frames: rows, lists by query, lists without queries.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query. Ids alone are ranked as they stand, with the scores -1, -2, -3 ...; as judgements they have the grade 1.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain, islice
from numbers import Number
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.io.columns import NONE, is_header, unjudged
from rankworth.io.lines import QRELS, RUN, Layout
from rankworth.io.reading import Orders
from rankworth.io.records import Records, is_array, is_list, is_scalar, is_table, listed, plain
from rankworth.io.validate import is_integer, shown

if TYPE_CHECKING:
    import polars as pl

Scored = dict[str, Mapping[str, Any]]
"""`{query: {document: number}}`; the numbers are looked at when they are used."""
LABELS: Final = "labels stand beside scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"
BATCH: Final = 1 << 18
_TEXT: Final = f"convert the ids to text, as they stand in the other input\n{LABELS}"
_GRADES: Final = range(5)
_PAIR: Final = 2
_ROW: Final = 3
_CELLS: Final = {3: (1, 2), 4: (2, 3), 6: (2, 4)}
"""where rows of so many cells have the document and the value"""
_RANK_EVAL: Final = {"requests", "details", "rank_eval", "error"}
"""keys of a request or a response of _rank_eval"""
_HELD: Final = {"grade": ("qrels_iter", "qrels_data", "qrels"), "score": ("scoreddocs_iter", "run_data", "run")}
"""methods of data sets of ir_datasets that give rows, attributes of trectools with frames, and of ranx with dicts"""


@dataclass(frozen=True)
class Request:
    """What is to be read.

    Attributes:
        layout: `RUN` or `QRELS`.
        name: what messages call it.
        columns: which field or column holds what, where its name does not tell; a number counts places from 1.
        orders: gets to know whether a run came as lists.
        kinds: gets to know whether ids are integers.

    """

    layout: Layout
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    orders: Orders = field(default_factory=Orders)
    kinds: validate.IdKinds = field(default_factory=validate.IdKinds)

    def records(self, names: Sequence[str] = ()) -> Records:
        """A reader of rows."""
        return Records(self.layout, self.columns, self.orders, self.kinds, first=0, names=names, remedy=_TEXT)


def read(
    source: object,
    value: str,
    name: str,
    columns: Mapping[str, str] = NONE,
    *,
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
        orders: gets to know whether a run came as lists.
        kinds: gets to know whether ids are integers, where something is read.

    Returns:
        The dict where the source has lists by query: queries without documents are in it. A frame where a list has a
        document several times. None where the source has none of the shapes that are read here: paths, a dict of dicts,
        a frame, or nothing that can be read.

    Raises:
        InputError: `input-type`, `empty-input`, `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`,
            `duplicate-document`, `duplicate-judgement`, `nested-runs`.

    """
    layout = RUN if value == RUN.value else QRELS
    return _read(source, Request(layout, name, columns, orders or Orders(), kinds or validate.IdKinds()))


def _read(source: Any, request: Request) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
    if isinstance(source, Mapping):
        return _of_mapping(source, request)
    is_sequence = isinstance(source, list | tuple)
    paths = is_sequence and source and all(isinstance(path, str | os.PathLike) for path in source)
    if paths or isinstance(source, str | bytes | bytearray | os.PathLike):
        return None
    if is_sequence or isinstance(source, set | frozenset):
        return _of_items(source, request)
    return _of_library(source, request)


def _of_mapping(source: Mapping[Any, Any], request: Request) -> "Scored | pl.DataFrame | None":
    """Responses of search engines, values by pairs of ids, columns by name, or lists by query."""
    value, name = request.layout.value, request.name
    if not _RANK_EVAL.isdisjoint(source):
        from rankworth.io import search_response  # noqa: PLC0415 - lists of ids need no dataframe library

        if search_response.is_known(source):
            return search_response.frame(source, request.layout, request.columns, request.orders, name)
    first = next(iter(source.values()), None)
    if not source or isinstance(first, Mapping):
        return None
    if is_table(first):
        text = f"{name}: the dict holds a {type(first).__name__} for each of {quoted(source)}"
        several = "; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs"
        raise InputError("nested-runs", text, remedy=f"take one of them{several if value == 'score' else ''}")
    if all(isinstance(key, tuple) for key in source):
        return _of_rows(((*key, item) for key, item in source.items()), request)
    names = list(map(str, source))
    lengths = {len(items) if hasattr(items, "__len__") else -1 for items in source.values()}
    if (
        len(source) == 1
        or not is_header(names, request.columns)
        or not (len(lengths) == 1 or {"query", "document"} <= set(names))
    ):
        return _of_lists(source, request)
    columns = [listed(items, request.layout, f"{name}: {column!r}") for column, items in source.items()]
    if len(set(map(len, columns))) > 1:
        sizes = ", ".join(f"{column} {len(items):,}" for column, items in zip(source, columns, strict=True))
        remedy = f"if these are queries, give {{query: {{document: {value}}}}}"
        raise InputError("input-type", f"{name}: the columns are not of the same length: {sizes}", remedy=remedy)
    return _of_rows(zip(*columns, strict=True), request, tuple(source))


def _of_library(source: Any, request: Request) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
    """Arrays, data sets, and whatever else can be gone through."""
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

    if is_column(source):
        if hasattr(source, "to_frame"):
            return _of_column(source, request)
    elif frames.is_frame(source):
        return None
    if names := getattr(getattr(source, "dtype", None), "names", None):
        return _of_rows(iter(source.reshape(-1).tolist()), request, names)
    held = _held(source, *_HELD[request.layout.value])
    if held is None:
        is_single = isinstance(source, type) or is_scalar(source) or not isinstance(source, Iterable)
        return None if is_single else _of_items(source, request)
    found = _of_items(held, request) if isinstance(held, list) else _read(held, request)
    if found is None and isinstance(held, Mapping):
        request.kinds.meet_dicts(held)
        return validate.dicts(held, request.layout.value, request.name)
    return _of_frames([held], request) if found is None else found


def is_column(source: object) -> bool:
    """Whether this is a single column of pandas, Polars or Arrow, which some take for a frame."""
    arrow = hasattr(source, "to_pylist") and not is_table(source)
    return arrow or (hasattr(source, "to_frame") and hasattr(source, "dtype"))


def _of_column(source: Any, request: Request) -> "Scored | pl.DataFrame":  # noqa: ANN401 - of any library
    """A list in each row; the index of pandas names the queries."""
    items = plain(source)
    index = plain(getattr(source, "index", range(len(items))))
    if not items or not all(map(is_list, items)) or len(set(index)) < len(items):
        value, kind = request.layout.value, type(source).__name__
        text = f"{request.name}: a {kind} is one column; queries, documents and {value}s are needed"
        remedy = f"give a frame with columns query, document, {value}, or a list for each query under its name"
        raise InputError("input-type", text, remedy=remedy)
    return _of_lists(dict(zip(index, items, strict=True)), request)


def _held(source: Any, rows: str, frame: str, dicts: str) -> Any:  # noqa: ANN401 - anything, and what is in it
    """What an object of some library holds; None where it is of no known kind."""
    if isinstance(source, type) or is_scalar(source):
        return None
    for method in ("to_polars", rows):
        if callable(getattr(source, method, None)):
            return getattr(source, method)()
    if isinstance(getattr(source, dicts, None), Mapping) and hasattr(source, "to_dict"):
        return source.to_dict()
    if is_table(getattr(source, frame, None)):
        return getattr(source, frame)
    if callable(getattr(source, "keys", None)) and hasattr(source, "__getitem__"):
        return dict(source)
    return plain(source) if is_array(source) else None


def _of_items(source: Iterable[Any], request: Request) -> "Scored | pl.DataFrame":
    """Rows, lists without queries, or parts of a frame."""
    value, name = request.layout.value, request.name
    items: Iterator[Any] = iter(source)
    first = next(items, items)
    if first is items:
        remedy = f"give rows (query, document, {value}) or lists by query: {{query: [document, ...]}}"
        if isinstance(source, Iterator):
            remedy = "an iterator can be read once only; was it read before?"
        raise InputError("empty-input", f"{name}: there is nothing in the {type(source).__name__}", remedy=remedy)
    if is_scalar(first):
        text = f"{name}: its first item is {shown(first)}, neither a row nor a list of documents"
        hint = "a file is read from its path" if isinstance(first, str | bytes) else LABELS
        raise InputError("input-type", text, remedy=f"documents belong to a query: {{query: [document, ...]}}\n{hint}")
    if is_list(first):
        lists = [first, *items]
        held = next((items[0] for items in lists if isinstance(items, list) and items), None)
        records = not is_scalar(held) and not isinstance(held, tuple | list)
        if (records or not request.columns) and not _are_rows(lists):
            return _of_nameless(lists, request)
        items = iter(lists[1:])
    from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

    if frames.is_frame(first) and not is_column(first):
        return _of_frames(chain((first,), items), request)
    if isinstance(source, set | frozenset) and value == "score" and type(first) is tuple and len(first) < _ROW:
        remedy = "give a list, best document first, or (query, document, score)"
        raise InputError("input-type", f"{name}: a set of (query, document) has no order", remedy=remedy)
    return _of_rows(chain((first,), items), request)


def _of_frames(parts: Iterable[Any], request: Request) -> "pl.DataFrame":
    """All frames together, with ids as text."""
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    from rankworth.io import frames  # noqa: PLC0415 - as above

    value, name, columns = request.layout.value, request.name, request.columns
    found = [frames.read(part, value, name, columns, orders=request.orders) for part in parts]
    for frame in found:
        request.kinds.meet_frame(frame)
    return pl.concat(frame.with_columns(pl.col("query", "document").cast(pl.String)) for frame in found)


# Rows


def _of_rows(rows: Iterator[Any], request: Request, names: Sequence[str] = ()) -> "pl.DataFrame":
    """All rows in one frame; `names` are those of the fields, where tuples do not have them."""
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    records, parts, first = request.records(names), [], 0
    last: set[type] = set()
    while some := list(islice(rows, BATCH)):

        def where(row: int, first: int = first) -> str:
            return f"{request.name}: row {first + row}"

        parts.append(records.frame(some, where))
        if not records.fields.names:
            last |= {type(row[-1]) for row in some}
        first += len(some)
    if not parts:
        raise InputError("empty-input", f"{request.name}: there is not one row")
    whole = pl.concat(parts)
    if last and all(map(is_integer, last)):
        _refuse_integers(whole, request, are_ids=len(records.fields.roles) == _PAIR)
    if not whole.height:
        raise _empty(request)
    return whole


def _refuse_integers(frame: "pl.DataFrame", request: Request, *, are_ids: bool) -> None:
    """Refuse rows without names whose last integers may be scores rather than ids, or ranks rather than scores."""
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    alone, value = frame["query"].n_unique() == frame.height, request.layout.value
    if are_ids and alone:
        text = f"{request.name}: the rows may be (query, document) as well as (document, {value})"
        remedy = f"give (query, document, {value}), or for one query {{'q1': [(document, {value}), ...]}}"
        raise InputError("input-type", text, remedy=remedy)
    if not are_ids and not alone and value == "score":
        rank = pl.int_range(pl.len()).over("query")
        if any(frame.select(pl.col("score").eq(rank + first).all().alias(str(first)) for first in (0, 1)).row(0)):
            raise validate.like_ranks(request.name)


# Lists


def _of_lists(lists: Mapping[Any, Any], request: Request) -> "Scored | pl.DataFrame":
    """Lists by query as dicts by query; an empty list becomes an empty dict."""
    layout, name = request.layout, request.name
    named = validate.keys(lists, duplicate=layout.repeated, name=name)
    queries = list(named)

    def where(row: int) -> str:
        return f"{name}: query {queries[row]!r}"

    held = [listed(items, layout, where(row)) for row, items in enumerate(named.values())]
    _refuse_no_ids(list(named.values()), held, request, where)
    if not any(held):
        raise _empty(request)
    records = request.records()
    columns, counts, of_item = records.spread({"query": list(lists), "document": held}, where)
    documents, numbers = columns["document"], columns[layout.value].tolist()
    scored: Scored = {}
    start = 0
    for query, count in zip(queries, counts, strict=True):
        scored[query] = dict(zip(documents[start : start + count], numbers[start : start + count], strict=True))
        start += count
    repeated = sum(map(len, scored.values())) < len(documents)
    if repeated or len(set(columns.get("subtopic", ()))) > 1:
        if layout is QRELS and 0 in counts:
            raise unjudged(where(counts.index(0)), queries[counts.index(0)])
        return records.joined(columns, of_item)
    return scored


def _of_nameless(lists: list[Any], request: Request) -> "Scored | pl.DataFrame":
    """One list for each query; the queries are called `0`, `1`, `2` ..."""
    if odd := next((row for row, items in enumerate(lists) if isinstance(items, tuple)), 0):
        text = f"{request.name}: item {odd} is a tuple, {shown(lists[odd])}, and the first one is not"
        raise InputError("input-type", text, remedy="a tuple is a row; what belongs to one query is a list")
    held = [items for items in lists if isinstance(items, list) and len(items) == len(lists[0])]
    document, value = _CELLS.get(len(lists[0]) if isinstance(lists[0], list) else 0, (0, 0))
    if (
        value
        and len(lists) == len(held) > 1
        and all(validate.is_numeric(items[value]) and not validate.is_numeric(items[document]) for items in held)
    ):
        text = f"{request.name}: each of the {len(lists):,} lists has {len(lists[0])} items, and they may be rows: "
        remedy = "rows are tuples: list(map(tuple, rows))\nlists of ids may be numbered: dict(enumerate(lists))"
        raise InputError("input-type", f"{text}{', '.join(map(shown, held[:2]))}", remedy=remedy)
    return _of_lists({str(row): items for row, items in enumerate(lists)}, request)


def _empty(request: Request) -> InputError:
    remedy = "an iterator can be read once only; was one read before?"
    return InputError("empty-input", f"{request.name}: every list of documents is empty", remedy=remedy)


def _refuse_no_ids(given: Sequence[Any], lists: Sequence[Any], request: Request, where: Callable[[int], str]) -> None:
    """Refuse lists that may hold something else than ids: a document with its number, no document, or labels."""
    value, name = request.layout.value, request.name
    kinds = [set(map(type, items)) for items in lists]
    pairs = all(type(items) is tuple and len(items) == _PAIR and is_integer(type(items[1])) for items in given)
    for row, items in enumerate(lists):
        if (pairs and validate.is_id(items[0])) or (str in kinds[row] and any(map(is_integer, kinds[row]))):
            text = f"{where(row)} holds {shown(items)}, which may be documents or one with its {value}"
            raise InputError(
                "input-type", text, remedy="make all ids texts; a document with a number is a pair: [('d1', 0.5)]"
            )
        if type(items) is list and kinds[row] and all(map(is_integer, kinds[row])) and -1 in items:
            text = (
                f"{where(row)}, item {items.index(-1)} is -1, with which some libraries fill places without a document"
            )
            raise InputError("missing-value", text, remedy="leave such places out; if it is an id, make all ids texts")
    if (
        not lists
        or not all(map(is_integer, set().union(*kinds)))
        or any(isinstance(items, AbstractSet) for items in given)
    ):
        return
    seen = set().union(*lists)
    small, several = seen <= set(_GRADES), any(len(set(items)) < len(items) for items in lists)
    zero = value == "grade" and small and 0 in seen and any(len(items) > 1 for items in lists)
    if zero or (several and (small or value == "grade")):
        text = f"{name}: the lists hold {quoted(sorted(seen), 4)}; these look like labels, and ids are expected"
        sets = "" if value == "score" else "\nif they are ids, give sets: {'q1': {0, 1}} or [{0, 1}, ...]"
        raise InputError("input-type", text, remedy=f"{LABELS}{sets}")


def _are_rows(lists: list[Any]) -> bool:
    """Whether lists cannot be lists of ids, but are rows: two ids and a number in each, and not all of one kind."""
    if any(type(items) is not list or len(items) != _ROW for items in lists):
        return False
    queries, documents, values = (set(map(type, column)) for column in zip(*lists, strict=True))
    ids = queries | documents
    if not all(issubclass(kind, str) or is_integer(kind) for kind in ids):
        return False
    numbers = all(issubclass(kind, Number) for kind in values)
    return numbers and (not all(map(is_integer, values)) or any(issubclass(kind, str) for kind in ids))

"""Shapes that Python programs have, beyond dicts of dicts and frames: rows, lists by query, lists without queries.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query. What could be read in two ways is refused.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import mapping, scalars
from rankworth.io.frames.roles import NONE, Table, is_header
from rankworth.io.programs import libraries, native, rankings, unnamed
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
    kinds: scalars.IdKinds | None = None,
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
    return _read(source, Asked(value, name, columns, repeats, orders or Orders(), kinds or scalars.IdKinds()))


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
    from rankworth.io.frames import tabular  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if tabular.is_frame(source) and not libraries.is_column(source):
        return None
    names = getattr(getattr(source, "dtype", None), "names", None)
    if names:
        return rows.read(iter(source.reshape(-1).tolist()), asked, names)
    held = libraries.held(source, asked.value, asked.name)
    if held is None and (native.is_scalar(source) or not isinstance(source, Iterable)):
        return None
    if held is None or isinstance(held, list):
        return _of_items(source if held is None else held, asked)
    found = _read(held, asked)
    if found is None and isinstance(held, Mapping):
        asked.kinds.meet_dicts(held)
        return mapping.read(held, asked.value, asked.name)
    if found is None:
        found = _text(tabular.read(held, asked.value, asked.name, asked.columns, orders=asked.orders), asked)
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
            f"{name}: its first item is {scalars.shown(first)}, neither a row nor a list of documents",
            remedy="documents belong to a query: {query: [document, ...]}\n"
            + ("a file is read from its path" if isinstance(first, str | bytes) else LABELS),
        )
    if native.is_list(first):
        lists = [first, *items]
        held = next((items[0] for items in lists if isinstance(items, list) and items), None)
        records = not native.is_scalar(held) and not isinstance(held, tuple | list)
        if (records or not columns) and not unnamed.are_rows(lists):
            return unnamed.read(lists, asked)
        items = iter(lists[1:])
    from rankworth.io.frames import tabular  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if tabular.is_frame(first) and not libraries.is_column(first):
        import polars as pl  # noqa: PLC0415 - as above

        parts = (
            tabular.read(part, value, f"{name}: part {place}", columns, orders=asked.orders)
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

"""Shapes that Python programs have, beyond dicts of dicts and frames: rows, lists by query, lists without queries.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query. What could be read in two ways is refused.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import mapping
from rankworth.io.frames.roles import NONE, chosen, is_header
from rankworth.io.programs import libraries, native, rankings, unnamed
from rankworth.io.programs.rankings import LABELS, Scored

if TYPE_CHECKING:
    import polars as pl

_RANK_EVAL: Final = {"requests", "details", "rank_eval", "error"}
_PAIR: Final = 2


def read(
    source: object, value: str, name: str, columns: Mapping[str, str] = NONE, *, repeats: bool = False
) -> "Scored | pl.DataFrame | None":
    """A dict of dicts, or a frame with `query, document, score` or `query, document, grade`; ids are text in both.

    An iterator is read once. Nothing is written to the source.

    Args:
        source: anything.
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which field or column holds what, where its name does not tell; a number counts places from 1.
        repeats: whether lists may have a document several times; they become a frame then, in which it stands as often.

    Returns:
        The dict where the source has lists by query: queries without documents are in it. None where the source has
        none of the shapes that are read here: paths, a dict of dicts, a frame, or nothing that can be read.

    Raises:
        InputError: `input-type`, `empty-input`, `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`,
            `duplicate-document`, `duplicate-judgement`, `nested-runs`.

    """
    if isinstance(source, Mapping):
        return _of_mapping(source, value, name, columns, repeats=repeats)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return None
    if isinstance(source, list | tuple | set | frozenset):
        return _of_items(source, value, name, columns, repeats=repeats)
    if isinstance(source, str | bytes | bytearray | os.PathLike):
        return None
    return _of_library(source, value, name, columns, repeats=repeats)


def _of_library(
    source: Any,  # noqa: ANN401 - anything
    value: str,
    name: str,
    columns: Mapping[str, str],
    *,
    repeats: bool,
) -> "Scored | pl.DataFrame | None":
    """Arrays, data sets, and whatever else can be gone through."""
    from rankworth.io.frames import tabular  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if tabular.is_frame(source) and not libraries.is_column(source):
        return None
    names = getattr(getattr(source, "dtype", None), "names", None)
    if names:
        return rows.read(iter(source.reshape(-1).tolist()), value, name, columns, names=names)
    held = libraries.held(source, value, name)
    if held is None and (native.is_scalar(source) or not isinstance(source, Iterable)):
        return None
    if held is None or isinstance(held, list):
        return _of_items(source if held is None else held, value, name, columns, repeats=repeats)
    found = read(held, value, name, columns, repeats=repeats)
    if found is None and isinstance(held, Mapping):
        return mapping.read(held, value, name)
    return _text(tabular.read(held, value, name, columns)) if found is None else found


def _of_mapping(
    source: Mapping[Any, Any], value: str, name: str, columns: Mapping[str, str], *, repeats: bool
) -> "Scored | pl.DataFrame | None":
    """Lists by query, columns by name, or values by pairs of ids."""
    if not _RANK_EVAL.isdisjoint(source):
        from rankworth.io.objects import rank_eval  # noqa: PLC0415 - lists of ids need no dataframe library

        if rank_eval.is_known(source):
            return _of_rank_eval(source, value, name, columns)
    first = next(iter(source.values()), None)
    if not source or isinstance(first, Mapping):
        return None
    if all(isinstance(key, tuple) for key in source):
        from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

        return rows.read(((*key, item) for key, item in source.items()), value, name, columns)
    if native.is_table(first):
        several = "; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs" if value == "score" else ""
        text = f"{name}: the dict holds a {type(first).__name__} for each of {quoted(source)}"
        raise InputError("nested-runs", text, remedy=f"take one of them{several}")
    if len(source) > 1 and _are_columns(source, columns):
        return _of_columns(source, value, name, columns)
    return rankings.read(source, value, name, columns, repeats=repeats)


def _of_rank_eval(source: Mapping[str, Any], value: str, name: str, columns: Mapping[str, str]) -> "pl.DataFrame":
    """A request or a response of _rank_eval, as a client gives it."""
    import polars as pl  # noqa: PLC0415 - as above

    from rankworth.io.formats import QRELS, RUN, Reading  # noqa: PLC0415 - as above
    from rankworth.io.objects import rank_eval  # noqa: PLC0415 - as above

    layout = RUN if value == RUN.value else QRELS
    return pl.concat(rank_eval.batches(source, layout, Reading(columns=columns), name))


def _are_columns(source: Mapping[Any, Any], columns: Mapping[str, str]) -> bool:
    """Whether keys are names of columns rather than queries: usual names, of lists that are as long as each other."""
    names = list(map(str, source))
    lengths = {len(items) if hasattr(items, "__len__") else -1 for items in source.values()}
    return is_header(names, columns) and (len(lengths) == 1 or {"query", "document"} <= set(names))


def _of_columns(
    source: Mapping[Any, Any], value: str, name: str, columns: Mapping[str, str]
) -> "Scored | pl.DataFrame":
    """Columns by name."""
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    names = tuple(source)
    try:
        chosen(names, value, name, columns)
    except InputError as error:
        remedy = f"{error.remedy}\nif these are queries, give {{query: {{document: {value}}}}}"
        raise InputError(error.slug, *error.problems, remedy=remedy) from None
    lists = {column: rankings.listed(items, value, f"{name}: {column!r}") for column, items in source.items()}
    lengths = {column: len(items) for column, items in lists.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{column} {length:,}" for column, length in lengths.items())
        remedy = f"if these are queries, give {{query: {{document: {value}}}}}"
        raise InputError("input-type", f"{name}: the columns are not of the same length: {shown}", remedy=remedy)
    return rows.read(zip(*lists.values(), strict=True), value, name, columns, names=names)


def _of_items(
    source: Iterable[Any], value: str, name: str, columns: Mapping[str, str], *, repeats: bool
) -> "Scored | pl.DataFrame":
    """Rows, lists without queries, or parts of a frame."""
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
            f"{name}: its first item is {mapping.shown(first)}, neither a row nor a list of documents",
            remedy="documents belong to a query: {query: [document, ...]}\n"
            + ("a file is read from its path" if isinstance(first, str | bytes) else LABELS),
        )
    if native.is_list(first):
        lists = [first, *items]
        held = next((items[0] for items in lists if isinstance(items, list) and items), None)
        records = not native.is_scalar(held) and not isinstance(held, tuple | list)
        if (records or not columns) and not unnamed.are_rows(lists):
            return unnamed.read(lists, value, name, columns, repeats=repeats)
        items = iter(lists[1:])
    from rankworth.io.frames import tabular  # noqa: PLC0415 - lists of ids need no dataframe library
    from rankworth.io.programs import rows  # noqa: PLC0415 - lists of ids need no dataframe library

    if tabular.is_frame(first) and not libraries.is_column(first):
        import polars as pl  # noqa: PLC0415 - as above

        parts = enumerate(chain((first,), items))
        return pl.concat([_text(tabular.read(part, value, f"{name}: part {place}", columns)) for place, part in parts])
    if isinstance(source, set | frozenset) and value == "score" and type(first) is tuple and len(first) == _PAIR:
        remedy = "give a list, best document first, or (query, document, score)"
        raise InputError("input-type", f"{name}: a set of (query, document) has no order", remedy=remedy)
    return rows.read(chain((first,), items), value, name, columns, repeats=repeats)


def _text(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame with ids as text."""
    import polars as pl  # noqa: PLC0415 - as above

    return frame.with_columns(pl.col("query", "document").cast(pl.String))

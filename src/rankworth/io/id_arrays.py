"""Ids and numbers in arrays beside each other, as FAISS, recommenders and Chroma return them, and sparse matrices."""

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from rankworth.errors import InputError, quoted
from rankworth.io.key_paths import at, leaves
from rankworth.io.kinds import is_list, is_several, plain
from rankworth.io.layout import RUN, Layout
from rankworth.io.remedies import is_negative
from rankworth.io.usual_names import SPELLINGS
from rankworth.io.validate import shown

if TYPE_CHECKING:
    import polars as pl

_PAIR: Final = 2


def rankings(pair: Sequence[Any], layout: Layout, *, smaller: bool | None = None) -> dict[str, list[Any]]:
    """Read rankings from arrays of ids and of numbers, with a row for each query; empty where these are none.

    Holes, which FAISS gives the id -1, are left out. Queries are called `0`, `1`, `2` ...

    Args:
        pair: ids and scores in either order, `[Q, k]`, as `index.search` of FAISS and `topk` of tensors return them.
        layout: `RUN` or `QRELS`.
        smaller: whether smaller numbers are better; where None, those of a run that increase in every row are taken for
            distances.

    """
    rows = [plain(array) for array in pair if array is not None]
    if len(rows) == 1 and isinstance(rows[0], list) and all(map(is_list, rows[0])):
        return {str(query): row for query, row in enumerate(rows[0])}
    if len(rows) != _PAIR or not all(isinstance(each, list) and each and all(map(is_list, each)) for each in rows):
        return {}
    kinds = [{type(item) for row in each for item in row} for each in rows]
    if (float_first := kinds[0] <= {float}) == (kinds[1] <= {float}):
        return {}
    ids, numbers = reversed(rows) if float_first else rows
    if list(map(len, ids)) != list(map(len, numbers)):
        return {}
    lists = [
        [(item, number) for item, number in zip(*row, strict=True) if item != -1]
        for row in zip(ids, numbers, strict=True)
    ]
    steps = [after - before for row in lists for (_, before), (_, after) in pairwise(row)]
    rises = any(step > 0 for step in steps) and all(step >= 0 for step in steps)
    sign = -1 if (layout is RUN and rises if smaller is None else smaller) else 1
    return {str(query): [(item, sign * number) for item, number in row] for query, row in enumerate(lists)}


def _are_spans(items: Any) -> bool:  # noqa: ANN401 - a list
    """Return whether two lists are spans of sources."""
    from rankworth.io.spans import are_spans  # noqa: PLC0415 - rarely needed

    return are_spans(items)


def by_query(lists: Mapping[Any, Any], layout: Layout, name: str) -> Mapping[Any, Any]:
    """Replace two arrays of one length for each query by lists of pairs; leave other lists as they are.

    `{user: (ids, scores)}` is what `recommend(user)` of implicit returns, and a row of FAISS as `(D[i:i+1], I[i:i+1])`.

    Args:
        lists: what belongs to each query.
        layout: as for `rankings`.
        name: what messages call them.

    Raises:
        InputError: `input-type` for two arrays that are no ids and numbers.

    """
    pairs = [halves for items in lists.values() if (halves := _halves(items)) is not None]
    ranked = rankings(list(map(list, zip(*pairs, strict=True))), layout) if len(pairs) == len(lists) else {}
    if ranked:
        return dict(zip(lists, ranked.values(), strict=True))
    for query, items in lists.items():
        is_pair = isinstance(items, tuple | list) and len(items) == _PAIR and all(map(_is_array, items))
        if is_pair and not _are_spans(items):
            problem = f"{name}: query {str(query)!r} holds two arrays, and not ids with as many {layout.value}s"
            remedy = f"give as many ids as {layout.value}s, which are floats, or list(zip(ids, {layout.value}s))"
            raise InputError("input-type", problem, remedy=remedy)
    return lists


def _is_array(item: object) -> bool:
    """Return whether this is an array, or a list that is longer than a pair."""
    return not isinstance(item, tuple) and is_several(item) and (not isinstance(item, list) or len(item) > _PAIR)


def _halves(items: Any) -> tuple[Any, Any] | None:  # noqa: ANN401 - what a program has
    """Return two lists of one length, each maybe the only row of an array; None where it is something else."""
    if not isinstance(items, tuple | list) or len(items) != _PAIR or not all(map(is_several, items)):
        return None
    first, second = (half[0] if len(half) == 1 and is_several(half[0]) else half for half in map(plain, items))
    return (first, second) if len(first) == len(second) else None


# Sparse matrices


def is_sparse(source: object) -> bool:
    """Return whether this is a sparse matrix or array of SciPy, which is not imported to find out."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(source))


def of_sparse(matrix: Any, layout: Layout, name: str) -> "pl.DataFrame":  # noqa: ANN401 - of SciPy
    """Read the stored values of a sparse matrix, with queries as rows and documents as columns.

    What is stored counts, a stored 0 too: a grade of 0, a score of 0. Values stored twice at one place are added, as
    SciPy does.

    Args:
        matrix: the matrix, which is not changed.
        layout: `RUN` or `QRELS`.
        name: what messages call it.

    Raises:
        InputError: `input-type` where it has not two dimensions.

    """
    import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

    if matrix.ndim != _PAIR:
        problem = f"{name}: the sparse array has {matrix.ndim} dimensions; its rows are queries, its columns documents"
        raise InputError("input-type", problem, remedy="for one query: matrix.reshape(1, -1)")
    stored = matrix.tocsr(copy=True)
    stored.sum_duplicates()
    stored = stored.tocoo()
    if not stored.nnz:
        raise InputError("empty-input", f"{name}: the sparse matrix stores nothing")
    return pl.DataFrame({"query": stored.row, "document": stored.col, layout.value: stored.data})


# Chroma


def is_chroma(source: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether this is a result of `collection.query` of Chroma, or other lists of ids for each query."""
    if not isinstance(source, Mapping) or "ids" not in source:
        return False
    queries = [cell for name, cell in source.items() if str(name).lower() in SPELLINGS["query"]]
    return not queries or any(map(is_several, queries))


def chroma_names(source: Mapping[str, Any]) -> list[str]:
    """List the paths of what a result holds, down to the fields of its items."""
    names: list[str] = []
    for name, lists in source.items():
        item = _first(lists)
        names += [f"{name}.{path}" for path in leaves(item)] if isinstance(item, Mapping) else [str(name)]
    return names


def of_chroma(
    source: Mapping[str, Any], layout: Layout, columns: Mapping[str, str], name: str
) -> tuple[list[Any], list[Any]] | None:
    """Read the queries of a result and their rankings; None where these are no lists.

    Args:
        source: lists for each query: `ids`, and maybe `distances`, `documents`, `metadatas`.
        layout: `RUN` or `QRELS`.
        columns: which of them is what, as the user says: `{"document": "metadatas.doc", "score": "-distances"}`.
        name: what messages call it.

    Raises:
        InputError: `frame-columns`, `input-type`.

    """
    roles = ("query", "document", layout.value)
    if unknown := [role for role in columns if role not in roles]:
        problem = f"{name}: a result of Chroma has no {quoted(unknown)} to be named"
        raise InputError("frame-columns", problem, remedy=f"what can be named is {' '.join(roles)}")
    ids = plain(source["ids"])
    if not isinstance(ids, list) or not all(map(is_list, ids)):
        return None
    documents = _column(source, columns["document"], name) if "document" in columns else ids
    value = columns.get(layout.value, "-distances" if layout is RUN else "")
    path = value[1:] if (is_smaller := is_negative(value)) else value
    numbers = _column(source, path, name) if path and layout.value in columns else source.get(path)
    ranked = rankings((documents, numbers), layout, smaller=is_smaller)
    path = columns.get("query", "")
    usual = next((each for each in SPELLINGS["query"] if each in source), "")
    queries = source[path or usual] if (path and not path.startswith("@")) or usual else list(ranked)
    return ([queries] if isinstance(queries, str) else list(queries), list(ranked.values())) if ranked else None


def _column(source: Mapping[str, Any], path: str, name: str) -> Any:  # noqa: ANN401 - what a program has
    """Return the items of all queries under a path: a name of the result, and behind it a path in each item.

    Raises:
        InputError: `frame-columns`, `input-type`.

    """
    key = max((key for key in source if path == key or path.startswith(f"{key}.")), key=len, default="")
    lists, rest = plain(source.get(key)), path[len(key) + 1 :]
    if not isinstance(lists, list) or not all(map(is_several, lists)):
        problem = f"{name}: there is no {path} beside the ids; there is {quoted(chroma_names(source), 8)}"
        raise InputError("frame-columns", problem, remedy="name one of them, as in document=metadatas.NAME")
    if not rest and not isinstance(_first(lists), Mapping):
        return lists
    column = [[at(item, rest) if rest else item for item in plain(items)] for items in lists]
    for query, items in enumerate(column):
        for number, item in enumerate(items):
            if item is None or isinstance(item, Mapping):
                fact = f"{rest} is missing" if item is None else f"{path} is {shown(item)}"
                problem = f"{name}: list {query}, item {number}: {fact}; there is {quoted(chroma_names(source), 8)}"
                raise InputError("frame-columns", problem, remedy="name a field that all items have")
    return column


def _first(lists: Any) -> Any:  # noqa: ANN401 - what a program has
    """Return the first item of the first list that is not empty, or None."""
    several = lists if is_several(lists) else ()
    return next((item for items in several if is_several(items) for item in plain(items)), None)

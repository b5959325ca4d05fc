"""What objects of other libraries hold: a dict, lists, rows or a frame, which are read as such.

Hugging Face, ir_datasets, ranx, trectools, clients of Elasticsearch, columns of pandas and Polars that hold lists, and
arrays and tensors of all libraries. Nothing of them is imported: an object is known by what it offers.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from rankworth.errors import InputError, counted
from rankworth.io.programs import native


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


def held(source: Any, value: str, name: str) -> Any:  # noqa: ANN401 - anything, and what is in it
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

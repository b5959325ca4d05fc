"""Lists without queries, one for each: the queries are called by their places, `0`, `1`, `2` ..."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import scalars
from rankworth.io.programs import native, rankings
from rankworth.io.programs.fields import Asked
from rankworth.io.programs.rankings import LABELS, Scored

if TYPE_CHECKING:
    import polars as pl

_PAIR: Final = 2
_ROW: Final = 3
_WIDTHS: Final = {2: (1, None), 3: (1, 2), 4: (2, 3), 6: (2, 4)}
"""where rows of so many fields have the document and the value"""


def read(lists: Sequence[Any], asked: Asked) -> "Scored | pl.DataFrame":
    """One list for each query; the queries are called `0`, `1`, `2` ...

    Raises:
        InputError: as `rankings.read`; `input-type` where the lists may as well be rows.

    """
    name = asked.name
    for place, items in enumerate(lists):
        if isinstance(items, tuple):
            text = f"{name}: item {place} is a tuple, {scalars.shown(items)}, and the first one is not"
            raise InputError("input-type", text, remedy="a tuple is a row; what belongs to one query is a list")
    held = [
        items if isinstance(items, AbstractSet) else rankings.listed(items, asked.value, f"{name}: list {place}")
        for place, items in enumerate(lists)
    ]
    if _like_rows(held):
        labels = all(scalars.is_integer(type(item)) and item in rankings.GRADES for items in held for item in items)
        raise InputError(
            "input-type",
            f"{name}: each of the {len(held):,} lists has {len(held[0])} items, and they may be rows: "
            f"{scalars.shown(held[0])}, {scalars.shown(held[1])}",
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
    if not all(issubclass(kind, str) or scalars.is_integer(kind) for kind in ids):
        return False
    numbers = all(issubclass(kind, Number) for kind in values)
    return numbers and (not all(map(scalars.is_integer, values)) or any(issubclass(kind, str) for kind in ids))


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
    if not all(map(scalars.is_integer, kinds)):
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
    if not all(isinstance(items, list) and all(map(scalars.is_id, items)) for items in lists):
        return False
    document, value = _WIDTHS[width]
    first, *between = [len({items[place] for items in lists}) for place in range(document)]
    if len({(items[0], items[document]) for items in lists}) < len(lists) or any(count > 1 for count in between):
        return False
    if value is None:
        return first < len(lists) or {items[0] for items in lists}.isdisjoint(items[1] for items in lists)
    numbers = [scalars.is_numeric(items[value]) for items in lists]
    texts_too = not all(scalars.is_numeric(item) for items in lists for item in items)
    last = len({items[value] for items in lists})
    return all(numbers) and (texts_too or bool(between) or first < len(lists) or last == 1)

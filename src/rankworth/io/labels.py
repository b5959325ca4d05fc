"""Labels of items beside the scores or the order that a system gave them, as judgements and a run.

Items have no ids here: they are named by their position, counted from 0, with as many digits as the longest list needs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from rankworth.arrays import Floats
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import grade_words, validate
from rankworth.io.grade_words import Words
from rankworth.io.kinds import is_more, is_scalar, is_table, plain
from rankworth.io.looks import Looks
from rankworth.io.remedies import Request, missing
from rankworth.io.resolve import location_of, needed, value_locations
from rankworth.io.usual_names import NONE, SPELLINGS

Numbers = dict[str, dict[str, Any]]
"""`{query: {item: number}}`"""
Lists = dict[str, list[Any]]
"""the numbers of each query"""

_SHAPE: Final = "as in labels=[[1, 0, 2], [0, 1]]: one list of numbers for each query; of a series, .to_numpy()"
_NUMBERS: Final = (int, float, str, type(None))
_USUAL: Final = {spelled for spellings in SPELLINGS.values() for spelled in spellings}


def ranked(
    labels: object,
    scores: object = None,
    orders: object = None,
    words: Words = grade_words.NONE,
    padding: object = None,
) -> tuple[Numbers, Numbers]:
    """Return judgements and a run as dicts, `{query: {item: grade}}` and `{query: {item: score}}`.

    Queries are named by their position, too, unless the lists stand in dicts by query. Of items with the same score the
    later one comes first, as in `numpy.argsort(scores)[::-1]`: ties are broken by descending id, and the names are as
    long as each other. An item whose label is None (or masked, in an array of NumPy) is ranked and not judged.

    Args:
        labels: the grade of each item: one list for each query (lists, arrays, a two-dimensional array, or a dict by
            query), or one list of numbers for a single query.
        scores: the score of each item, in the same shape.
        orders: the items of each query as they were ranked, best first, counted from 0, in the same shape; items that
            are left out were not retrieved.
        words: the grades that words mean among the labels.
        padding: the label of items that are none, or in the shape of the labels whether each is none.

    Without scores and orders, the labels stand in the order of the ranking.

    Raises:
        InputError: `bad-grade`, `bad-score`, `missing-value`, `input-type`, `duplicate-document`, `empty-input`.
        UsageError: `conflicting-options` where both scores and orders are given.

    >>> ranked([1, 0, None], scores=[0.2, 0.9, 0.5])
    ({'0': {'0': 1, '1': 0}}, {'0': {'0': 0.2, '1': 0.9, '2': 0.5}})
    """
    if scores is not None and orders is not None:
        raise UsageError("conflicting-options", "scores and orders both say how items are ranked; give one of them")
    check_index(labels, scores if orders is None else orders)
    grades = _lists(labels, "labels")
    if not grades:
        raise InputError("empty-input", "labels: there is no list")
    parameter, beside = ("scores", scores) if orders is None else ("orders", orders)
    lists = None if beside is None else _lists(beside, parameter)
    if lists is not None and set(lists) != set(grades):
        text = f"there are labels for {counted(len(grades))} and {parameter} for {len(lists):,}; only one of them has "
        text += quoted(sorted(set(lists) ^ set(grades)))
        raise InputError("input-type", text, remedy=f"give labels and {parameter} in the same shape")
    longest = max(map(len, grades.values()))
    names = [f"{item:0{len(str(max(longest - 1, 0)))}d}" for item in range(longest)]
    judgements, run = Numbers(), Numbers()
    for query, items in grades.items():
        remedy = "None stands for an item that nobody judged"
        _check(items, "grade", f"labels: query {query!r}", "label", remedy, words)
        judgements[query] = {name: label for name, label in zip(names, items, strict=False) if label is not None}
        where = f"{parameter}: query {query!r}"
        if lists is None:
            run[query] = dict(zip(names, range(-1, -len(items) - 1, -1), strict=False))
        elif orders is not None:
            run[query] = _ordered(names, lists[query], len(items), where)
        else:
            if len(lists[query]) != len(items):
                text = f"{where}: there are {len(lists[query]):,} scores and {len(items):,} labels"
                raise InputError("input-type", text, remedy="give one score for each label")
            remedy = "leave out what was not scored, or give it the lowest score"
            _check(lists[query], "score", where, "score", remedy)
            run[query] = dict(zip(names, lists[query], strict=False))
    absent = _padded(grades, padding, names)
    return _without(judgements, absent), _without(run, absent)


def _without(numbers: Numbers, absent: Mapping[str, set[str]]) -> Numbers:
    """Leave items out."""
    if not absent:
        return numbers
    return {
        query: {name: number for name, number in items.items() if name not in absent[query]}
        for query, items in numbers.items()
    }


def _padded(grades: Lists, padding: object, names: Sequence[str]) -> dict[str, set[str]]:
    """Return the names of the padding items of each query, or nothing.

    Raises:
        InputError: `input-type`.

    """
    if padding is None:
        return {}
    if is_scalar(padding):
        return {
            query: {name for name, label in zip(names, items, strict=False) if label == padding}
            for query, items in grades.items()
        }
    masks = _lists(padding, "padding")
    if {query: len(mask) for query, mask in masks.items()} != {query: len(items) for query, items in grades.items()}:
        text = "padding has another shape than labels"
        raise InputError("input-type", text, remedy="say for each label whether it is padding, or give its label: -1")
    return {query: {name for name, absent in zip(names, mask, strict=False) if absent} for query, mask in masks.items()}


def _check(
    items: Sequence[Any], value: str, where: str, noun: str, remedy: str, words: Words = grade_words.NONE
) -> None:
    """Refuse what is no number."""
    validate.numbers(items, value, lambda item: f"{where}, item {item}: the {noun}", remedy=remedy, words=words)


def check_index(labels: Any, second: Any) -> None:  # noqa: ANN401 - whatever a program has
    """Refuse series of pandas with different names of items, since named items are not paired by position."""
    index, other = (getattr(source, "index", None) for source in (labels, second))
    if index is not None and hasattr(index, "equals") and hasattr(other, "equals") and not index.equals(other):
        text = "labels and what stands beside them have another index"
        raise InputError("input-type", text, remedy="bring both in one order (scores.loc[labels.index]), or give dicts")


def _table_columns(source: Any) -> Mapping[Any, Any] | None:  # noqa: ANN401 - whatever a program has
    """Return the columns of a table, of which at least two have usual names; None for lists."""
    if isinstance(source, Mapping):
        usual = [name for name in map(str, source) if name.lower() in _USUAL]
        graded = location_of(Request("grade", Looks("labels", tuple(source))), "grade") is not None
        return source if graded and len(usual) > 1 else None
    if not is_table(source):
        return None
    import narwhals as nw  # noqa: PLC0415 - lists of numbers need no dataframe library

    frame = nw.from_native(source, pass_through=True)
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: frame[name] for name in frame.columns} if isinstance(frame, nw.DataFrame) else None


def is_item_table(source: Any, named: Mapping[str, str] = NONE) -> bool:  # noqa: ANN401 - a frame
    """Return whether a table has columns of queries, grades and scores, and none of documents; reads no row."""
    import narwhals as nw  # noqa: PLC0415 - as above

    frame = nw.from_native(source, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return False
    request = Request("grade", Looks("labels", tuple(frame.collect_schema().names())), named)
    roles = [role for role in ("query", "grade", "document") if location_of(request, role) is not None]
    return roles == ["query", "grade"] and bool(_value_columns(request))


def _value_columns(request: Request) -> dict[str, Any]:
    """Return the columns that say how items are ranked, by their roles."""
    return {role: place.columns[0] for role, place in value_locations(replace(request, value="score")).items()}


class Items(NamedTuple):
    """The columns of a table of items: `[N]` each."""

    queries: list[str]
    grades: Floats
    """NaN where there is none"""
    scores: Floats


def of_table(source: object, words: Words = grade_words.NONE, named: Mapping[str, str] = NONE) -> Items | None:
    """Return the items of a frame or a dict of columns, `{"query": ..., "grade": ..., "score": ...}`; None of no table.

    Args:
        source: whatever a program has.
        words: the grades that words mean.
        named: which column holds what, where their names do not tell.

    Raises:
        InputError: `frame-columns`, `input-type`, `bad-grade`, `bad-score`, `id-type`, `missing-value`, `empty-input`.

    """
    columns = _table_columns(source)
    if columns is None:
        return None
    request = Request("grade", Looks("labels", tuple(columns)), named)
    if (document := location_of(request, "document")) is not None:
        text = f"labels: the items have names of their own, in column {document.called}"
        raise InputError("input-type", text, remedy="give the table as judgements and as run: evaluate(table, table)")
    role, score = next(iter(_value_columns(request).items()), ("", None))
    if not role:
        looks = replace(request.looks, in_order=False)
        of_run = replace(request, value="score", looks=looks)
        raise missing(of_run, "score", why="the order of rows ranks nothing; ")
    chosen = (*(needed(request, role).columns[0] for role in ("query", "grade")), score)
    queries, grades, scores = (_list(columns[name], f"labels: column {name}") for name in chosen)
    if not len(queries) == len(grades) == len(scores):
        text = f"labels: the columns {quoted(chosen)} are not of the same length"
        raise InputError("input-type", text, remedy="give a query, a grade and a score for each item")
    if not queries:
        raise InputError("empty-input", "labels: there is no item")
    remedy = "leave out what was not scored, or give it the lowest score"
    return Items(
        validate.text_ids(queries, lambda row: f"labels: row {row}: the query"),
        validate.numbers(grades, "grade", lambda row: f"labels: row {row}: the label", words=words),
        validate.numbers(scores, role, lambda row: f"labels: row {row}: the {role}", remedy=remedy),
    )


def _lists(source: Any, name: str) -> Lists:  # noqa: ANN401 - whatever a program has
    """Return the list of each query, by query."""
    if isinstance(source, Mapping):
        named = validate.keys(source, duplicate="input-type", name=name)
        return {query: _list(items, f"{name}: query {query!r}") for query, items in named.items()}
    items = _list(source, name, deep=True)
    if items and is_scalar(items[0]):
        return {"0": _list(items, name)}
    return {str(query): _list(inner, f"{name}: query {query}") for query, inner in enumerate(items)}


def _list(items: Any, where: str, *, deep: bool = False) -> list[Any]:  # noqa: ANN401 - whatever a program has
    """Return the items of one list; accept lists of lists only where `deep`."""
    items = plain(items.toarray() if hasattr(items, "toarray") else items)
    single = is_scalar(items) or isinstance(items, Mapping | set | frozenset) or not isinstance(items, Iterable)
    if single or (not isinstance(items, list) and is_more(items)):
        text = f"{where}: {validate.shown(items)} is {type(items).__name__}, not a list of numbers"
        raise InputError("input-type", text, remedy=_SHAPE)
    elements = list(items)
    doubtful = {
        kind for kind, item in {type(item): item for item in elements}.items() if not issubclass(kind, _NUMBERS)
    }
    is_nested = (type(each) in doubtful and not is_scalar(each) for each in elements)
    first_nested = (
        next((item for item, nested in enumerate(is_nested) if nested), None) if doubtful and not deep else None
    )
    if first_nested is not None:
        text = f"{where}, item {first_nested} is {validate.shown(elements[first_nested])}, not a number"
        raise InputError("input-type", text, remedy=_SHAPE)
    return elements


def _ordered(names: Sequence[str], order: Sequence[Any], count: int, where: str) -> dict[str, Any]:
    """Score the items by their order: -1, -2, -3 ..."""
    ranks: dict[str, Any] = {}
    for rank, item in enumerate(order):
        if not validate.is_integer(type(item)) or not 0 <= item < count:
            text = f"{where}, place {rank} is {validate.shown(item)}, not the number of one of {count:,} items"
            remedy = "the first item is 0; leave out places without an item, such as -1"
            raise InputError("input-type", text, remedy=remedy)
        if names[item] in ranks:
            text = f"{where} has item {item} again at place {rank}"
            raise InputError("duplicate-document", text, remedy="an item has one rank; keep the first")
        ranks[names[item]] = -rank - 1
    return ranks

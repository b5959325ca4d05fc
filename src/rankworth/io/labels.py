"""Labels of items beside the scores or the order that a system gave them, as judgements and a run.

Items have no ids here: they are named by their position, counted from 0, with as many digits as the longest list needs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import validate
from rankworth.io.columns import SMALLER, SPELLINGS, Table
from rankworth.io.python import Scored
from rankworth.io.records import is_more, is_scalar, is_table, plain

_SHAPE: Final = "as in labels=[[1, 0, 2], [0, 1]]: one list of numbers for each query; of a series, .to_numpy()"
_TABLE: Final = "of a table give the query, the grade and the score or the rank alone: {'query': [...], ...}"


def ranked(labels: object, scores: object = None, orders: object = None) -> tuple[Scored, Scored]:
    """Judgements and a run as dicts, `{query: {item: grade}}` and `{query: {item: score}}`.

    Queries are named by their position, too, unless the lists stand in dicts by query. Of items with the same score the
    later one comes first, as in `numpy.argsort(scores)[::-1]`: ties are broken by descending id, and the names are as
    long as each other. An item whose label is None (or masked, in an array of NumPy) is ranked and not judged.

    Args:
        labels: the grade of each item: one list for each query (lists, arrays, a two-dimensional array, or a dict by
            query), or one list of numbers for a single query; or a table of items: a frame or a dict of columns, which
            tell the query, the grade and the score or the rank of each, `{"query": ..., "grade": ..., "score": ...}`.
        scores: the score of each item, in the same shape.
        orders: the items of each query as they were ranked, best first, counted from 0, in the same shape; items that
            are left out were not retrieved.

    Without scores and orders, the labels stand in the order of the ranking.

    Raises:
        InputError: `bad-grade`, `bad-score`, `missing-value`, `input-type`, `duplicate-document`, `empty-input`,
            `frame-columns`.
        UsageError: `conflicting-options` where both scores and orders are given.

    >>> ranked([1, 0, None], scores=[0.2, 0.9, 0.5])
    ({'0': {'0': 1, '1': 0}}, {'0': {'0': 0.2, '1': 0.9, '2': 0.5}})
    """
    if scores is not None and orders is not None:
        raise UsageError("conflicting-options", "scores and orders both say how items are ranked; give one of them")
    _check_index(labels, scores if orders is None else orders)
    if (columns := _columns(labels)) is not None:
        if scores is not None or orders is not None:
            raise UsageError("conflicting-options", "labels are a table, which tells the scores, too; leave them out")
        labels, scores = _by_query(columns)
    grades = _lists(labels, "labels")
    if not grades:
        raise InputError("empty-input", "labels: there is not one list")
    what = "scores" if orders is None else "orders"
    beside = scores if orders is None else orders
    others = None if beside is None else _lists(beside, what)
    if others is not None and set(others) != set(grades):
        odd = quoted(sorted(set(others) ^ set(grades)))
        text = f"there are labels for {counted(len(grades))} and {what} for {len(others):,}; only one of them has {odd}"
        raise InputError("input-type", text, remedy=f"give labels and {what} in the same shape")
    longest = max(map(len, grades.values()))
    names = [f"{item:0{len(str(max(longest - 1, 0)))}d}" for item in range(longest)]
    judgements: Scored = {}
    run: Scored = {}
    for query, items in grades.items():
        judgements[query] = _judged(names, items, f"labels: query {query!r}")
        if others is None:
            run[query] = dict(zip(names, range(-1, -len(items) - 1, -1), strict=False))
        else:
            ranked_by = _scored if orders is None else _ordered
            run[query] = ranked_by(names, others[query], len(items), f"{what}: query {query!r}")
    return judgements, run


def _check_index(labels: Any, others: Any) -> None:  # noqa: ANN401 - whatever a program has
    """Refuse series of pandas whose items are named otherwise, since what has a name is not paired by its place."""
    index, other = (getattr(source, "index", None) for source in (labels, others))
    if index is not None and other is not None and hasattr(index, "equals") and not index.equals(other):
        text = "labels and what stands beside them have another index"
        raise InputError("input-type", text, remedy="bring both in one order (scores.loc[labels.index]), or give dicts")


def _columns(source: Any) -> dict[Any, Any] | None:  # noqa: ANN401 - whatever a program has
    """The columns of a table; None for lists.

    Raises:
        InputError: `input-type` for a dict whose keys may be columns as well as queries.

    """
    if isinstance(source, Mapping):
        usual = {spelled for spellings in SPELLINGS.values() for spelled in spellings}
        known = [name for name in map(str, source) if name.lower() in usual]
        roles = Table("grade", "labels", names=tuple(map(str, source)))
        if len(known) <= 1 or roles.column_of("grade") is None:
            return None
        if len(known) < len(source) or roles.column_of("query") is None:
            text = f"labels: {quoted(source, 8)} may be columns as well as queries"
            raise InputError("input-type", text, remedy=f"{_TABLE}\nlists by query may go without names: [[1, 0], ...]")
        return dict(source)
    if not is_table(source):
        return None
    import narwhals as nw  # noqa: PLC0415 - lists of numbers need no dataframe library

    frame = nw.from_native(source, pass_through=True)
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if not isinstance(frame, nw.DataFrame):
        return None
    if not all(isinstance(name, str) for name in frame.columns):
        remedy = "give its numbers, frame.to_numpy(), or columns query, grade and score"
        raise InputError("input-type", "labels: this frame has columns without names", remedy=remedy)
    return {name: frame[name].to_list() for name in frame.columns}


def _by_query(columns: Mapping[Any, Any]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Grades and scores of a table of items by query."""
    table = Table("grade", "labels", names=tuple(columns))
    if (document := table.column_of("document")) is not None:
        text = f"labels: the items have names of their own, in column {document}"
        raise InputError("input-type", text, remedy="give the table as judgements and as run: evaluate(table, table)")
    grade, query = table.needed("grade"), table.needed("query")
    values = replace(table, value="score")
    what, score = next(iter(values.value_columns().items()), ("", None))
    if not what:
        raise values.missing("score", why="the order of rows ranks nothing; ")
    queries, grades, scores = (_list(columns[name], f"labels: column {name}") for name in (query, grade, score))
    if not len(queries) == len(grades) == len(scores):
        lengths = f"{query} {len(queries):,}, {grade} {len(grades):,}, {score} {len(scores):,}"
        text = f"labels: the columns are not of the same length: {lengths}"
        raise InputError("input-type", text, remedy="give a query, a grade and a score for each item")
    if what in SMALLER:
        scores = validate.numbers(scores, what, lambda row: f"labels: row {row}: the {what}").tolist()
    by_query: tuple[dict[str, list[Any]], dict[str, list[Any]]] = ({}, {})
    named = validate.text_ids(queries, lambda row: f"labels: row {row}: the query")
    for lists, column in zip(by_query, (grades, scores), strict=True):
        for name, item in zip(named, column, strict=True):
            lists.setdefault(name, []).append(item)
    return by_query


def _lists(source: Any, what: str) -> dict[str, list[Any]]:  # noqa: ANN401 - whatever a program has
    """The list of each query."""
    if isinstance(source, Mapping):
        named = validate.keys(source, duplicate="input-type", name=what)
        return {query: _list(items, f"{what}: query {query!r}") for query, items in named.items()}
    items = _list(source, what, deep=True)
    flat = [is_scalar(item) for item in items]
    if len(set(flat)) > 1:
        odd = flat.index(not flat[0])
        text = f"{what}: item {odd} is {validate.shown(items[odd])}, unlike the ones before"
        raise InputError("input-type", text, remedy="give numbers for one query, or one list for each query")
    if any(flat):
        return {"0": items}
    return {str(query): _list(inner, f"{what}: query {query}") for query, inner in enumerate(items)}


def _list(items: Any, where: str, *, deep: bool = False) -> list[Any]:  # noqa: ANN401 - whatever a program has
    """The items of one list; lists of lists only where `deep`."""
    items = plain(items.toarray() if hasattr(items, "toarray") else items)
    single = is_scalar(items) or isinstance(items, Mapping | set | frozenset) or not isinstance(items, Iterable)
    if single or (not isinstance(items, list) and is_more(items)):
        text = f"{where}: {validate.shown(items)} is {type(items).__name__}, not a list of numbers"
        raise InputError("input-type", text, remedy=_SHAPE)
    held = list(items)
    kinds = dict(zip(map(type, held), held, strict=True))
    if odd := {kind for kind, item in kinds.items() if not deep and not is_scalar(item)}:
        item = next(item for item, each in enumerate(held) if type(each) in odd)
        text = f"{where}, item {item} is {validate.shown(held[item])}, not a number"
        raise InputError("input-type", text, remedy=_SHAPE)
    return held


def _judged(names: list[str], labels: list[Any], where: str) -> dict[str, Any]:
    """The items that have a label."""
    judged = {name: label for name, label in zip(names, labels, strict=False) if label is not None}

    def stands(row: int) -> str:
        return f"{where}, item {int(list(judged)[row])}: the label"

    validate.numbers(list(judged.values()), "grade", stands, remedy="None stands for an item that nobody judged")
    return judged


def _scored(names: list[str], scores: Any, count: int, where: str) -> dict[str, Any]:  # noqa: ANN401 - of a program
    """The items by score."""
    if len(scores) != count:
        text = f"{where}: there are {len(scores):,} scores and {count:,} labels"
        raise InputError("input-type", text, remedy="give one score for each label")
    remedy = "leave out what was not scored, or give it the lowest score"
    validate.numbers(scores, "score", lambda item: f"{where}, item {item}: the score", remedy=remedy)
    return dict(zip(names, scores, strict=False))


def _ordered(names: list[str], order: Any, count: int, where: str) -> dict[str, Any]:  # noqa: ANN401 - of a program
    """The items by their order: -1, -2, -3 ..."""
    wrong = (rank for rank, item in enumerate(order) if not validate.is_integer(type(item)) or not 0 <= item < count)
    if (rank := next(wrong, None)) is not None:
        text = f"{where}, place {rank} is {validate.shown(order[rank])}, not the number of one of {count:,} items"
        raise InputError("input-type", text, remedy="the first item is 0; leave out places without an item, such as -1")
    if len(set(order)) < len(order):
        again = next(rank for rank, item in enumerate(order) if item in order[:rank])
        text = f"{where} has item {order[again]} again at place {again}"
        raise InputError("duplicate-document", text, remedy="an item has one rank; keep the first")
    return {names[item]: -rank for rank, item in enumerate(order, 1)}

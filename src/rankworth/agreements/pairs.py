"""Where two sets of judgements meet: the pairs of a query and a document that both have judged, and their grades."""

from typing import NamedTuple

import numpy as np
import polars as pl

from rankworth.agreements.tables import Integers
from rankworth.errors import InputError, quoted
from rankworth.hits import Floats, expand
from rankworth.model import Qrels


class Judged(NamedTuple):
    """How much is judged, and by whom."""

    first: int
    """pairs of a query and a document that the first judge has"""
    second: int
    both: int
    first_only: int
    second_only: int
    first_queries: int
    """queries that the first judge has"""
    second_queries: int
    both_queries: int
    """queries with a pair that both have"""


class Met(NamedTuple):
    """What both judged."""

    judged: Judged
    queries: list[str]
    """those of the pairs, in the order of their UTF-8 bytes"""
    owner: Integers
    """`[N]`, the query of each pair, in order"""
    first: Floats
    """`[N]`, the grade of the first judge"""
    second: Floats
    """`[N]`"""


def met(first: Qrels, second: Qrels, names: tuple[str, str]) -> Met:
    """The pairs of a query and a document that both have.

    Raises:
        InputError: `no-common-pairs`.

    """
    places = {query: place for place, query in enumerate(second.queries)}
    common = [(place, places[query]) for place, query in enumerate(first.queries) if query in places]
    rows, others = _met(first, second, *np.array(common, dtype=np.int64).reshape(-1, 2).T)
    if not rows.size:
        raise _apart(first, second, len(common), names)
    owner = np.searchsorted(first.offsets, rows, side="right") - 1
    changes = np.concatenate(([True], owner[1:] != owner[:-1]))
    queries = [first.queries[place] for place in owner[changes].tolist()]
    both, ours, theirs = rows.size, first.grades.size, second.grades.size
    each = (len(first.queries), len(second.queries), len(queries))
    judged = Judged(ours, theirs, both, ours - both, theirs - both, *each)
    return Met(judged, queries, np.cumsum(changes) - 1, first.grades[rows], second.grades[others])


def _met(first: Qrels, second: Qrels, ours: Integers, theirs: Integers) -> tuple[Integers, Integers]:
    """The rows of either side that belong together, in the order of the first.

    Args:
        first: the judgements of one side.
        second: those of the other one.
        ours: `[Q]`, the places of the common queries.
        theirs: `[Q]`, the same on the other side.

    """
    rows, others = (expand(one.offsets[at], one.lengths[at]) for one, at in ((first, ours), (second, theirs)))
    documents, same = _documents(first, rows), _documents(second, others)
    if np.array_equal(first.lengths[ours], second.lengths[theirs]) and documents.equals(same):
        return rows, others
    number = np.arange(len(ours), dtype=np.int32)
    left, right = (
        pl.DataFrame({"query": np.repeat(number, one.lengths[at]), "document": texts, name: places})
        for one, at, texts, name, places in (
            (first, ours, documents, "row", rows),
            (second, theirs, same, "other", others),
        )
    )
    found = left.join(right, on=["query", "document"], how="inner", maintain_order="left")
    return found["row"].to_numpy(), found["other"].to_numpy()


def _documents(qrels: Qrels, rows: Integers) -> pl.Series:
    """The documents of some rows."""
    documents = qrels.document_series.alias("document")
    return documents if rows.size == len(documents) else documents.gather(rows)


def _apart(first: Qrels, second: Qrels, common: int, names: tuple[str, str]) -> InputError:
    """The error for judgements that have nothing in common."""
    if common:
        shared = next(iter(set(first.queries).intersection(second.queries)))
        each = [one.documents_of(one.queries.index(shared)) for one in (first, second)]
        text = f"{names[0]} and {names[1]} have queries in common ({common:,}), and no document that both judged"
        has = f"query {shared}: {names[0]} judged {quoted(each[0])}, {names[1]} {quoted(each[1])}"
    else:
        text = f"no query of {names[1]} is judged by {names[0]}"
        has = f"{names[0]} judged {quoted(first.queries)}, {names[1]} {quoted(second.queries)}"
    return InputError("no-common-pairs", text, remedy=f"{has}; are these ids of one collection?")

"""The pairs of a query and a document that two judges have both graded, and the confusion tables of their grades."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import InputError, counted, quoted
from rankworth.io import grade_words, validate
from rankworth.io.grade_words import Words
from rankworth.io.kinds import is_array, is_scalar, plain
from rankworth.model import Qrels
from rankworth.stats.agreement import ConfusionTables

if TYPE_CHECKING:
    import polars as pl

_GRADES: Final = 128
"""more grades than that are scores"""


class JudgedPairs(NamedTuple):
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


def by_item(sources: Sequence[Any], names: Sequence[str], words: Words) -> list[Any]:
    """Return two lists of grades as judgements of one document for each item; anything else as it is.

    Args:
        sources: of two judges.
        names: what to call them.
        words: the grades that words mean.

    Raises:
        InputError: `input-type`.

    """
    lists = [plain(source) if is_array(source) else source for source in sources]
    if not all(isinstance(items, list | tuple) and items and all(map(is_scalar, items)) for items in lists):
        return list(sources)
    texts = [item for items in lists for item in items if isinstance(item, str)]
    if any(grade_words.number(text, words) is None and Path(text).exists() for text in texts):
        return list(sources)  # of files
    if len(lists[0]) != len(lists[1]):
        sizes = " and ".join(f"{len(items):,} of {name}" for items, name in zip(lists, names, strict=True))
        raise InputError("input-type", f"there are {sizes}", remedy="give a grade, or None, for each item in both")
    return [{number: {"item": item} for number, item in enumerate(items) if item is not None} for items in lists]


def judged_pairs(
    both: Sequence[Qrels], names: tuple[str, str], queries: Iterable[object] | None = None
) -> tuple[JudgedPairs, list[Any], Floats, ConfusionTables]:
    """Collect the pairs that both judges have, of all queries or of the given ones.

    Returns:
        How much is judged; the ids of the queries of these pairs, in the order of their UTF-8 bytes, as they came; all
        grades that they have, ascending, `[C]`; of each query the confusion table of the grades.

    Raises:
        InputError: `input-type`, `unjudged-queries`, `empty-input`, `no-common-pairs`, `many-grades`.

    """
    for qrels, name in zip(both, names, strict=True):
        if qrels.merged or qrels.copies.size:
            text = f"{name}: documents are judged for several subtopics of a query, or several times"
            remedy = "agreement is about one grade for each document: give one subtopic, or each as a query of its own"
            raise InputError("input-type", text, remedy=remedy)
    ids = sorted(_queries(both, queries), key=str.encode)
    numbers = {query: number for number, query in enumerate(ids)}
    first, second = sides = [graded_rows(qrels, numbers) for qrels in both]
    pairs = first.join(second, on=["query", "document"])
    if not pairs.height:
        common = len(set(first["query"]).intersection(second["query"]))
        text = f"{names[0]} and {names[1]} have {counted(common)} in common, and no document that both judged"
        shown = [quoted(f"{ids[query]} {document}" for query, document, _ in side.head(4).rows()) for side in sides]
        remedy = f"{names[0]} judged {shown[0]}, {names[1]} {shown[1]}; are these ids of one collection?"
        raise InputError("no-common-pairs", text, remedy=remedy)
    # [Q]: the queries with pairs; [N]: the query of each pair
    query_numbers, owner = np.unique(pairs["query"].to_numpy(), return_inverse=True)
    graded = pairs["grade"].to_numpy(), pairs["grade_right"].to_numpy()  # [N] each
    grades = np.unique(np.concatenate(graded))
    if grades.size > _GRADES:
        each = ", ".join(f"{name} {np.unique(side).size:,}" for name, side in zip(names, graded, strict=True))
        text = f"there are {grades.size:,} different grades ({each})"
        remedy = f"up to {_GRADES} are counted; round them, or correlate them as scores"
        raise InputError("many-grades", text, remedy=remedy)
    ours, theirs = (np.searchsorted(grades, side) for side in graded)  # [N] each: the index of the grade in `grades`
    tables = ConfusionTables.of(owner, ours, theirs, len(query_numbers), grades.size)
    sizes = first.height, second.height, pairs.height, first.height - pairs.height, second.height - pairs.height
    judged = JudgedPairs(*sizes, first["query"].n_unique(), second["query"].n_unique(), len(query_numbers))
    return judged, both[0].kinds.back("query", [ids[number] for number in query_numbers]), grades, tables


def _queries(both: Sequence[Qrels], queries: Iterable[object] | None) -> set[str]:
    """Return the queries to look at, each judged by one judge at least.

    Raises:
        InputError: `unjudged-queries`, `empty-input`.

    """
    judged = {query for qrels in both for query in qrels.queries}
    if queries is None:
        return judged
    requested = validate.ids(queries)
    if unjudged := [query for query in requested if query not in judged]:
        text = f"{len(unjudged):,} of {counted(len(requested))} judged by neither of the two: {quoted(unjudged)}"
        remedy = f"judged are {quoted(both[0].queries)}; leave out the queries without judgements"
        raise InputError("unjudged-queries", text, remedy=remedy)
    if not requested:
        raise InputError("empty-input", "the list of queries to keep is empty")
    return set(requested)


def graded_rows(qrels: Qrels, numbers: Mapping[str, int]) -> "pl.DataFrame":
    """Return a row for each judgement of the queries that have a number: this number, the document and the grade."""
    import polars as pl  # noqa: PLC0415 - not needed to correlate two lists

    # of each judgement, the number of its query, -1 where it has no number
    query = np.repeat([numbers.get(query, -1) for query in qrels.queries], qrels.lengths)
    frame = pl.DataFrame({"query": query, "document": qrels.document_series, "grade": qrels.grades})
    return frame.filter(pl.col("query") >= 0)

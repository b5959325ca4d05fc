"""What is settled after ranks are known: which grades count, what is known of a query, and how deep one looks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, Pool, expand
from rankworth.errors import RefusedError, quoted
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.ranking import Ordering
from rankworth.settings import BY_GRADE, UNBROKEN, Judging

_NUMBERED: Final = re.compile(r"(.*-)?[0-9]+", re.DOTALL)
_DEFAULTS: Final[dict[str, Any]] = {setting.name: setting.default for setting in fields(Judging)}
_SETTLED: Final = {*Ordering._fields, "duplicate_judgements", "exclude_from", "blocks", "pairing", "span_share"} - {
    "ties",
    "exclude",
}
"""settings that are settled once a run is judged"""


def effective(judging: Judging, hits: JudgedRows, *, open_grades: bool = False) -> Judging:
    """Reset settings that have no effect on this judged run to their defaults.

    Args:
        judging: the settings.
        hits: the judged run, ranked as their `Ordering` says.
        open_grades: whether unjudged documents, which have rows, are to get grades.

    """
    tied = hits.tied or (open_grades and bool((hits.tie_last > hits.tie_first).any()))
    pool, last = hits.pool, judging.unretrieved == "last"
    idle = _SETTLED - {"duplicates" if last else ""}
    if judging.ties not in UNBROKEN or not (last or tied):
        idle.add("ties")
    if judging.negative != "pooled" and pool.lowest >= 0:
        idle.add("negative")
    if judging.grades != "given" and not (pool.grades != np.trunc(pool.grades)).any():
        idle.add("grades")
    if judging.highest is not None and pool.highest <= judging.highest:
        idle |= {"highest", "above"}
    if judging.scored != "all" and hits.positive is not None and hits.positive[hits.is_judged].all():
        idle.add("scored")
    changed = {name: default for name in idle if getattr(judging, name) != (default := _DEFAULTS[name])}
    return replace(judging, **changed) if changed else judging


def refuse_ids(judging: Judging, *queries: Iterable[str]) -> None:
    """Refuse ids of queries that are no numbers, if they have to be.

    Raises:
        RefusedError: `query_ids`.

    """
    not_numbers = (query for ids in queries for query in ids if not _NUMBERED.fullmatch(query))
    if judging.query_ids == "numbers" and (named := [*not_numbers]):
        raise RefusedError("query_ids", f"ids of queries that are no numbers: {quoted(named)}")


def settle(hits: JudgedRows, judging: Judging, queries: Sequence[str]) -> JudgedRows:
    """Apply the settings in this order: ties by grade, depth, grades, pool, unretrieved documents, scores, other ties.

    Args:
        hits: the judged run, ranked as their `Ordering` says.
        judging: the settings.
        queries: the ids of the queries, for messages.

    Raises:
        RefusedError: `grades`, `negative`, `highest`.

    """
    hits = with_ties_by_grade(hits, judging)
    if judging.depth is not None:
        hits = hits.shortened(judging.depth)
    hits = graded(hits, judging, queries)
    if judging.pool == "retrieved":
        hits = hits.pooling(hits.query[hits.is_judged], hits.grade[hits.is_judged])
    if judging.unretrieved == "last":
        hits = with_ties_by_grade(_completed(hits, once=judging.duplicates == "all"), judging)
    if judging.scored == "positive" and hits.positive is not None:
        hits = hits.forgetting(np.flatnonzero(~hits.positive))
    if judging.ties == "last":
        return replace(hits, rank=hits.tie_last, ties="last")
    return replace(hits, ties="expected") if judging.ties == "expected" else hits


def with_ties_by_grade(hits: JudgedRows, judging: Judging) -> JudgedRows:
    """Order tied documents by grade, where `ties` says so; of those of grade 0, unjudged ones come last."""
    if judging.ties not in BY_GRADE:
        return hits
    sign = -1 if judging.ties == "best" else 1
    worth = sign * hits.grade  # [N]: the lowest comes first
    key = np.empty(worth.size, dtype=np.int64)  # [N]: the position of each row by worth, then judged before unjudged
    key[np.lexsort((~hits.is_judged, worth))] = np.arange(worth.size)
    return hits.ranked(hits.within_ties(key, (worth < 0) | (hits.is_judged & (worth == 0))))


def graded(hits: JudgedRows, judging: Judging, queries: Sequence[str]) -> JudgedRows:
    """Apply the settings on grades, and drop the judgements that do not count.

    Args:
        hits: the judged run.
        judging: the settings.
        queries: the ids of the queries, for messages.

    Raises:
        RefusedError: `grades`, `negative`, `highest`.

    """
    # [N]: grades of rows; [M] each: grades and queries of judged documents
    grade, pool, owner = hits.grade, hits.pool.grades, hits.pool.query
    if judging.grades == "truncated":
        grade, pool = np.trunc(grade), np.trunc(pool)
    elif judging.grades == "whole":
        _refuse("grades", pool != np.trunc(pool), pool, owner, queries)
    if judging.negative == "error":
        _refuse("negative", pool < 0, pool, owner, queries)
    if judging.negative == "error-retrieved":
        _refuse("negative", grade < 0, grade, hits.query, queries)
    if judging.highest is not None and judging.above == "clipped":
        grade, pool = np.minimum(grade, judging.highest), np.minimum(pool, judging.highest)
    elif judging.highest is not None:
        _refuse("highest", pool > judging.highest, pool, owner, queries)
    if judging.negative == "zero":
        grade, pool = np.maximum(grade, 0.0), np.maximum(pool, 0.0)
    if grade is not hits.grade:
        is_same_pool = np.array_equal(pool, hits.pool.grades)
        graded = hits.pool if is_same_pool else Pool(hits.pool.offsets, pool)
        hits = replace(hits, grade=grade, pool=graded, subtopics=hits.subtopics if is_same_pool else None)
    if judging.judgements == "relevant" or judging.negative == "dropped":
        # [M] and [N]: which judged documents count, and which rows
        is_pooled, counts = (
            (is_judged & (grades > 0)) if judging.judgements == "relevant" else (is_judged & (grades >= 0))
            for grades, is_judged in ((pool, np.ones(pool.size, dtype=bool)), (grade, hits.is_judged))
        )
        hits = hits.forgetting(np.flatnonzero(~counts))
        hits = hits.pooling(owner[is_pooled], pool[is_pooled])
    return hits


def _refuse(
    setting: str, is_refused: NDArray[np.bool_], grade: Floats, owner: Integers, queries: Sequence[str]
) -> None:
    """Refuse grades that are odd, and name some of their queries; arrays are `[N]`, for N grades."""
    if is_refused.any():
        named = [queries[query_index] for query_index in dict.fromkeys(owner[is_refused].tolist())]
        raise RefusedError(setting, f"a document has the grade {grade[is_refused][0]:g}: {quoted(named)}")


def _completed(hits: JudgedRows, *, once: bool) -> JudgedRows:
    """Put the judged documents that were not retrieved at the end of each ranking, in one tied block.

    Within the block the worst grade is first, unless ties are ordered by grade later.

    Args:
        hits: the judged run.
        once: whether copies of a document are one of the judged documents.

    """
    rows = np.flatnonzero(hits.is_judged)  # [J]: the judged rows
    if once and hits.judgement is not None:
        # [J]: query and document as a number
        number = hits.query[rows] * (1 + hits.judgement.max(initial=0)) + hits.judgement[rows]
        rows = rows[np.unique(number, return_index=True)[1]]  # [J]: a row for each of these
    queries, owner = hits.n_retrieved.size, hits.pool.query
    # [L]: the distinct grades; [M + J]: which it is, of judged documents and then of rows
    grades, code = np.unique(np.append(hits.pool.grades, hits.grade[rows]), return_inverse=True)
    kind = np.append(owner, hits.query[rows]) * grades.size + code  # [M + J]: query and grade as a number
    kinds, number = np.unique(kind, return_inverse=True)  # [K]: the distinct kinds; [M + J]: which of these it is
    # [K] each: how many judged documents there are of each kind, and how many rows
    pooled, retrieved = (
        np.bincount(part, minlength=kinds.size) for part in (number[: owner.size], number[owner.size :])
    )
    rows = np.repeat(kinds, np.maximum(pooled - retrieved, 0))  # [A]: the kind of each document that was not retrieved
    query, grade = rows // grades.size, grades[rows % grades.size]
    added = np.bincount(query, minlength=queries)  # [Q]: how many such documents each query has
    first = hits.n_retrieved[query] + 1  # [A]: the first rank of the block at the end
    rank = first + np.arange(query.size) - (np.cumsum(added) - added)[query]
    spans = first, first + added[query] - 1
    more = hits.with_rows(query, rank, spans, grade)
    return replace(more, n_retrieved=hits.n_retrieved + added, subtopics=None)


def with_unjudged(hits: JudgedRows, lengths: dict[str, int], *, full: bool) -> JudgedRows:
    """Append queries behind the others, of which no document is judged.

    Args:
        hits: the judged run.
        lengths: how many documents each of these queries has.
        full: whether documents have rows.

    """
    # [U]: how many documents each of the queries has
    size, counts = hits.n_retrieved.size, np.fromiter(lengths.values(), np.int64, len(lengths))
    user = hits.user
    if user is not None and hits.catalogue is not None:
        user = np.append(user, hits.catalogue.users_of(lengths))
    subtopics = hits.subtopics
    if subtopics is not None:
        subtopics = replace(subtopics, counts=np.append(subtopics.counts, np.zeros_like(counts)))
    hits = replace(
        hits,
        user=user,
        subtopics=subtopics,
        offsets=np.append(hits.offsets, np.full(counts.size, hits.offsets[-1])),
        n_retrieved=np.append(hits.n_retrieved, counts),
        pool=Pool(np.append(hits.pool.offsets, np.full(counts.size, hits.pool.offsets[-1])), hits.pool.grades),
    )
    if not full:
        return hits
    rank = expand(np.ones_like(counts), counts)  # [A]: of each document, from 1
    return hits.with_rows(np.repeat(size + np.arange(counts.size), counts), rank, (rank, rank))

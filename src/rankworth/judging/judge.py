"""Judge a run by several conventions: the dispatcher above the kinds of rows."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from rankworth.errors import InputError
from rankworth.io.duplicates import TOP
from rankworth.judging.exclusion import Exclusion, nothing_left
from rankworth.judging.judged_run import Columns, JudgedRun, assemble, subtopics_of
from rankworth.judging.order import Contradictions, repeated_rank, unscored
from rankworth.judging.overlap import (
    exchanged_columns,
    nothing_in_common,
    refuse_other_items,
    refuse_part,
    unnamed,
    unread_queries,
)
from rankworth.judging.ranking import Conventions, Include, Ordering, Rows
from rankworth.model import Qrels, Run
from rankworth.settings import Duplicates

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.source import Progress


@dataclass
class _CollectedRows:
    """The rows of a run without excluded and repeated documents, ranked by every ordering, batch by batch."""

    qrels: Qrels
    policy: Duplicates
    may_miss: bool
    """whether it is no error that no query is judged"""
    contradictions: Contradictions = field(default_factory=Contradictions)
    columns: dict[Ordering, list[Columns]] = field(default_factory=dict)
    unjudged: dict[str, int] = field(default_factory=dict)
    emptied: set[str] = field(default_factory=set)
    excluded: int = 0
    repeated: int = 0
    refused: InputError | None = None
    unranked: dict[Ordering, InputError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n_retrieved = np.zeros(len(self.qrels), dtype=np.int64)

    def add(self, batch: Rows, left: Rows, *, may_contradict: bool) -> None:
        """Count and rank the rows of a batch.

        Args:
            batch: all rows.
            left: those that are not excluded.
            may_contradict: whether its scores may contradict the order of lists, and the order is not said.

        """
        if may_contradict:
            self.contradictions.look_at(batch)
        try:
            rows = left.once(self.policy)
        except InputError as error:
            self.refused = error
            return
        self.excluded += batch.size - left.size
        self.repeated += left.size - rows.size
        self.emptied.update({*batch.queries}.difference(left.queries))
        self.unjudged |= rows.unjudged
        self.n_retrieved[rows.query_index[rows.judged]] = rows.lengths[rows.judged]
        for ordering, parts in self.columns.items() if rows.judged.size or self.may_miss else ():
            try:
                parts.append(rows.ranked(ordering))
            except InputError as error:
                self.unranked[ordering] = error

    def judged_run(self, ordering: Ordering, run: Run, *, is_auto: bool) -> JudgedRun | InputError:
        """Return the run as one convention judges it, or the error with which it is refused.

        Args:
            ordering: that of the convention.
            run: the run.
            is_auto: whether the input decides between scores and the order of lists.

        """
        is_doubtful = is_auto and self.contradictions.example is not None
        contradiction = self.contradictions.error(run.name, run.lists) if is_doubtful else None
        if error := contradiction or self.refused:
            return error
        if not self.may_miss and not self.n_retrieved.any():
            if self.excluded:
                return nothing_left(ordering.exclude, f"document of {run.name or 'the run'} for any judged query")
            ranked = [*self.unjudged]
            remark = (
                unnamed(run, ranked) or unread_queries(self.qrels, run, ranked) or exchanged_columns(self.qrels, ranked)
            )
            return nothing_in_common(self.qrels.queries, [*self.unjudged], run.name, run.column, remark)
        if ordering in self.unranked:
            return self.unranked[ordering]
        first, *later_parts = parts = self.columns[ordering]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in first} if later_parts else first
        if all(part["tie_first"] is part["tie_last"] for part in parts):
            columns |= dict.fromkeys(("tie_first", "tie_last"), columns["rank"])
        hits = assemble(self.qrels, columns, self.n_retrieved, ordering.duplicates)
        if run.facts.has_rank_column and hits.tied:
            query = self.qrels.queries[hits.query[hits.tied_rows][0]]
            return repeated_rank(run, query)
        return JudgedRun(hits, self.unjudged, self.repeated, self.excluded, frozenset(self.emptied))


def judge_batches(
    conventions: Conventions,
    run: Run,
    batches: Iterable[Callable[[Qrels], Rows]],
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions; it is read once, and joined once for equal judgements.

    Args:
        conventions: the judgements and the ordering of each.
        run: the run.
        batches: its rows, each as a function that puts them beside judgements.

    Raises:
        InputError: what refuses the run under every convention; else the error is in the list.

    """
    batches = iter(batches)
    begin = list(islice(batches, 1))  # the first batch read says whether the run came as lists
    lists = run.lists
    may_contradict = lists is not None and not lists.is_order and any(each.order == "auto" for _, each in conventions)
    collections: dict[tuple[int, Exclusion | None, Duplicates], _CollectedRows] = {}
    by_convention = []
    for qrels, ordering in conventions:
        key, may_miss = (id(qrels), ordering.exclude, ordering.duplicates), not len(qrels) or run.has_no_rows
        collected = collections.setdefault(key, _CollectedRows(qrels, ordering.duplicates, may_miss))
        settled = ordering.settled(lists)
        collected.columns[settled] = []
        by_convention.append(collected)
        if ordering.duplicates in TOP and (error := unscored(settled.order, ordering.duplicates, run)) is not None:
            collected.unranked[settled] = error
    for make in chain(begin, batches):
        rows: dict[int, Rows] = {}
        lefts: dict[tuple[int, Exclusion | None], Rows] = {}
        for (number, exclude, _), collected in collections.items():
            if collected.refused is None:
                batch = rows[number] = rows.get(number) or make(collected.qrels)
                if (number, exclude) not in lefts:
                    lefts[number, exclude] = batch if exclude is None else batch.without(exclude)
                collected.add(batch, lefts[number, exclude], may_contradict=may_contradict)
        errors = [collected.refused for collected in collections.values()]
        if all(errors) and errors[0] is not None:
            raise errors[0]
    return [
        collected.judged_run(ordering.settled(lists), run, is_auto=ordering.order == "auto")
        for collected, (_, ordering) in zip(by_convention, conventions, strict=True)
    ]


def judge_all(
    conventions: Conventions, run: Run, include: Include, progress: "Progress | None" = None
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions; it is read and joined once.

    Args:
        conventions: the judgements and the ordering of each; the judgements are settled already, and what else is set
            comes after, in `rankworth.judging.grades`.
        run: what the system returned.
        include: which rows and columns there are to be.
        progress: called while a file is read, see `rankworth.io.source.Progress`.

    Returns:
        A judged run for each convention, or the error with which it is refused.

    Raises:
        InputError: where the run cannot be trusted by any.

    """
    for qrels, _ in conventions:
        refuse_part(qrels, run)
    by_rank = [ordering.order == "rank" and not run.has_ranks for _, ordering in conventions]
    ranked = run.by_rank() if any(by_rank) else None
    if any(by_rank) and ranked is None:  # lists and scores make the ranks; equal scores stand as they were given
        conventions = [
            (qrels, ordering._replace(order="auto", ties="given") if rank else ordering)
            for (qrels, ordering), rank in zip(conventions, by_rank, strict=True)
        ]
        by_rank = [False] * len(conventions)
    by_number: dict[int, JudgedRun | InputError] = {}
    for source, side in ((run, False), (ranked or run, True)):
        numbers = [number for number, rank in enumerate(by_rank) if rank == side]
        judged = _judged([conventions[number] for number in numbers], source, include, progress) if numbers else ()
        by_number |= zip(numbers, judged, strict=True)
    if run.facts.items:
        for qrels, _ in conventions:
            refuse_other_items(qrels, run)
    judged_runs: list[JudgedRun | InputError] = []
    untied: dict[tuple[object, ...], list[JudgedRun]] = {}
    for number, (qrels, ordering) in enumerate(conventions):
        judged_run = by_number[number]
        if isinstance(judged_run, JudgedRun):
            key = id(qrels), ordering.settled(run.lists)._replace(score_type="float64", ties="given")
            same_order = untied.setdefault(key, [])
            equal = next((each for each in same_order if each.hits.ranks_as(judged_run.hits)), None)
            judged_run = equal or _completed(judged_run, qrels, run, include)
            if equal is None and judged_run.hits.tie_first is judged_run.hits.tie_last:
                same_order.append(judged_run)  # measured once for all that rank alike
        judged_runs.append(judged_run)
    return judged_runs


def _completed(judged_run: JudgedRun, qrels: Qrels, run: Run, include: Include) -> JudgedRun:
    """Say whether a run came as lists, and put the grades by subtopic beside its rows where they are included."""
    judged_run = replace(judged_run, lists=run.lists is not None)
    if (catalogue := include.catalogue) is not None:
        hits = replace(judged_run.hits, catalogue=catalogue, user=catalogue.users_of(qrels.queries))
        judged_run = replace(judged_run, hits=hits)
    if include.spans:
        from rankworth.judging.spans import PieceSpans  # noqa: PLC0415 - rarely needed

        judged_run = replace(judged_run, hits=replace(judged_run.hits, spans=PieceSpans.of(qrels)))
    is_whole = judged_run.hits.pool.grades.size == qrels.grades.size  # what was added has no subtopics
    if not include.subtopics or not is_whole:
        return judged_run
    return replace(judged_run, hits=replace(judged_run.hits, subtopics=subtopics_of(qrels)))


def _judged(
    conventions: Conventions, run: Run, include: Include, progress: "Progress | None"
) -> list[JudgedRun | InputError]:
    """Judge by the module for the input, of which one is imported."""
    queries = run.dicts(progress)
    if queries is not None:
        from rankworth.judging import dicts  # noqa: PLC0415 - dicts need no data frame library

        return judge_batches(conventions, run, [lambda qrels: dicts.batch(qrels, queries, run.name, include)])
    return _judged_frames(conventions, run, include, progress)


def _judged_frames(
    conventions: Conventions,
    run: Run,
    include: Include,
    progress: "Progress | None" = None,
) -> list[JudgedRun | InputError]:
    """Judge rows of frames by several conventions, as `judge_batches` does.

    Args:
        conventions: the judgements and the ordering of each.
        run: rows in any order; fastest where those of each query stand together.
        include: which rows and columns there are to be.
        progress: called while a file is read.

    """
    from rankworth.judging import polars  # noqa: PLC0415 - brings the data frame library

    ranks = any(ordering.order == "rank" for _, ordering in conventions)
    is_error = all(ordering.duplicates == "error" and ordering.exclude is None for _, ordering in conventions)
    repeated = (lambda _: run.duplicates()) if is_error and not run.engine else None

    def judged(
        cut: "Callable[[Iterable[pl.DataFrame]], Generator[polars.WholeInOrder]]",
    ) -> list[JudgedRun | InputError]:
        ahead = polars.ahead(run.batches(progress, ranks=ranks), alone=not run.files)
        with closing(ahead) as rows, closing(cut(rows)) as parts:
            made = (partial(polars.batch, part, run, include) for part in parts)
            return judge_batches(conventions, run, made)

    with suppress(polars.ScatteredError):  # which would hold the file open in the traceback of a further error
        return judged(partial(polars.as_they_come, repeated=repeated))
    together = run.together
    in_memory = partial(polars.in_memory, repeated=repeated)
    judged_runs = judged(in_memory if together is None else lambda rows: polars.as_they_come(together(rows)))
    return [replace(judged, scattered=True) if isinstance(judged, JudgedRun) else judged for judged in judged_runs]

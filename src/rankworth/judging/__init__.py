"""From judgements and a run to a judged run: where each judged document of a query stands in the run.

One module for each kind of input: `dicts` for plain dicts, `polars` for files and frames, `duckdb` for relations that
stay in DuckDB, and `ranked` for queries that were ranked before. All give equal rows, bit for bit. They share `order`,
`ties`, `exclusion`, `judged_run`; `grades` and `quirks` are settings that act before or after.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankworth.errors import InputError
from rankworth.judging.judged_run import JudgedRun, Layout
from rankworth.judging.steps import Conventions, Include
from rankworth.model import Qrels, Run
from rankworth.settings import STANDARD_JUDGING, Judging

if TYPE_CHECKING:
    from rankworth.io.source import Progress

__all__ = ["JudgedRun", "Layout", "judge", "judge_all"]


def judge(
    qrels: Qrels,
    run: Run,
    *,
    layout: Layout = "compact",
    settings: Judging = STANDARD_JUDGING,
    subtopics: bool = False,
    progress: "Progress | None" = None,
) -> JudgedRun:
    """Judge a run by one convention.

    Args:
        qrels: the judgements.
        run: what the system returned.
        layout: `compact` gives rows to judged documents only, `full` to all that were retrieved.
        settings: what orders the documents, and what becomes of repeated and excluded ones; the judgements are settled
            already, and what else is set comes after, in `rankworth.judging.grades`.
        subtopics: whether the grades by subtopic are wanted, too.
        progress: called while a file is read, see `rankworth.io.source.Progress`.

    Raises:
        InputError: where the run cannot be trusted, or shares no query with the judgements.

    """
    [judgement] = judge_all([(qrels, settings.ordering)], run, layout=layout, subtopics=subtopics, progress=progress)
    if isinstance(judgement, InputError):
        raise judgement
    return judgement


def judge_all(
    asked: Conventions,
    run: Run,
    *,
    layout: Layout = "compact",
    subtopics: bool = False,
    elsewhere: bool = False,
    shown: Collection[str] = (),
    progress: "Progress | None" = None,
) -> list[JudgedRun | InputError]:
    """Judge a run by several conventions, by the form that suits its door; it is read and joined once.

    Args:
        asked: the judgements and the ordering of each convention.
        run: as for `judge`.
        layout: as for `judge`.
        subtopics: as for `judge`.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        shown: queries that are to be shown: all their documents get rows, with ids and scores.
        progress: as for `judge`.

    Returns:
        One for each that is asked; what one convention refuses stands in its place.

    Raises:
        InputError: where the run cannot be trusted by any.

    """
    include = Include(layout == "full", elsewhere, shown)
    by_rank = [ordering.order == "rank" and not run.has_ranks for _, ordering in asked]
    ranked = run.by_rank() if any(by_rank) else None
    if any(by_rank) and ranked is None:  # lists and scores make the ranks; equal scores stand as they were given
        asked = [
            (qrels, ordering._replace(order="auto", ties="given") if rank else ordering)
            for (qrels, ordering), rank in zip(asked, by_rank, strict=True)
        ]
        by_rank = [False] * len(asked)
    found: dict[int, JudgedRun | InputError] = {}
    for source, rank in ((run, False), (ranked or run, True)):
        numbers = [number for number, each in enumerate(by_rank) if each == rank]
        if numbers:
            found |= zip(
                numbers, _judged([asked[number] for number in numbers], source, include, progress), strict=True
            )
    judged = [found[number] for number in range(len(asked))]
    return _shared(judged, asked, run, subtopics=subtopics)


def _shared(
    judged: Sequence[JudgedRun | InputError], asked: Conventions, run: Run, *, subtopics: bool
) -> list[JudgedRun | InputError]:
    """Judged runs with what is known besides; equal ones without ties are one object, to be measured once."""
    shared: list[JudgedRun | InputError] = []
    distinct: dict[tuple[object, ...], list[JudgedRun]] = {}
    for one, (qrels, ordering) in zip(judged, asked, strict=True):
        if isinstance(one, InputError):
            shared.append(one)
            continue
        key = id(qrels), ordering.settled(run.lists).order, ordering.exclude, ordering.duplicates
        some = distinct.setdefault(key, [])
        known = next((other for other in some if other.equals(one)), None)
        if known is None:
            known = replace(one, lists=run.lists is not None)
            if subtopics and one.hits.pool.size == qrels.grades.size:  # what was added has no subtopics
                from rankworth.judging import subtopics as by_subtopic  # noqa: PLC0415 - few measures need it

                known = replace(known, hits=replace(one.hits, subtopics=by_subtopic.of(qrels)))
            if not (one.hits.tie_last > one.hits.tie_first).any():
                some.append(known)
        shared.append(known)
    return shared


def _judged(
    asked: Conventions, run: Run, include: Include, progress: "Progress | None"
) -> list[JudgedRun | InputError]:
    """Judge by the module for the input, of which one is imported."""
    queries = run.dicts(progress)
    if queries is not None:
        from rankworth.judging import dicts  # noqa: PLC0415 - as said

        return dicts.judge_all(asked, run, queries, include)
    from rankworth.judging import polars  # noqa: PLC0415 - as said

    return polars.judge_all(asked, run, include, progress=progress)

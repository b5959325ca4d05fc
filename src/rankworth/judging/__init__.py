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
from rankworth.model import Qrels, Run
from rankworth.settings import STANDARD_JUDGING, Judging, Ordering

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
    asked: Sequence[tuple[Qrels, Ordering]],
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
    by_rank = [number for number, (_, ordering) in enumerate(asked) if ordering.order == "rank"]
    ranked = run.by_rank() if by_rank and not run.has_ranks else None
    if ranked is not None:
        others = [number for number in range(len(asked)) if number not in by_rank]
        found: dict[int, JudgedRun | InputError] = {}
        for numbers, source in ((others, run), (by_rank, ranked)):
            if numbers:
                some = [asked[number] for number in numbers]
                found |= zip(numbers, _judged(some, source, layout, elsewhere, shown, progress), strict=True)
        judgements = [found[number] for number in range(len(asked))]
    elif by_rank and not run.has_ranks:  # lists and scores make the ranks; equal scores stand as they were given
        some = [
            (qrels, one._replace(order="auto", ties="given") if one.order == "rank" else one) for qrels, one in asked
        ]
        judgements = _judged(some, run, layout, elsewhere, shown, progress)
    else:
        judgements = _judged(asked, run, layout, elsewhere, shown, progress)
    if run.lists is not None:
        judgements = [replace(one, lists=True) if isinstance(one, JudgedRun) else one for one in judgements]
    if not subtopics:
        return judgements
    from rankworth.judging import subtopics as by_subtopic  # noqa: PLC0415 - few measures need it

    return [
        one
        if isinstance(one, InputError) or one.hits.pool.size != qrels.grades.size  # what was added has no subtopics
        else replace(one, hits=replace(one.hits, subtopics=by_subtopic.of(qrels)))
        for one, (qrels, _) in zip(judgements, asked, strict=True)
    ]


def _judged(
    asked: Sequence[tuple[Qrels, Ordering]],
    run: Run,
    layout: Layout,
    elsewhere: bool,
    shown: Collection[str],
    progress: "Progress | None",
) -> list[JudgedRun | InputError]:
    if run.engine == "blocks":
        from rankworth.judging import ranked  # noqa: PLC0415 - one form is needed at a time

        return ranked.judge_all(asked, run)  # type: ignore[arg-type]
    if run.engine:
        from rankworth.judging.duckdb import judging as duckdb  # noqa: PLC0415 - one form is needed at a time

        return duckdb.judge_all(asked, run, layout, elsewhere=elsewhere, shown=shown)  # type: ignore[arg-type]
    dicts = run.dicts(progress)
    if dicts is not None:
        from rankworth.judging import dicts as by_dicts  # noqa: PLC0415 - one form is needed at a time

        return by_dicts.judge_all(asked, dicts, layout, run, elsewhere=elsewhere, shown=shown)
    from rankworth.judging import polars  # noqa: PLC0415 - as above; imports a dataframe library

    return polars.judge_all(asked, run, layout, elsewhere=elsewhere, shown=shown, progress=progress)

"""From judgements and a run to values: judge, measure and average, once for all conventions that are asked for."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rankworth.errors import RankworthError
from rankworth.judging.inputs import Judgements
from rankworth.model import Run
from rankworth.scenes import Scene
from rankworth.values import Values, behind
from rankworth.work import Plan, QrelsOf, Work

if TYPE_CHECKING:
    from rankworth.io.source import Progress

__all__ = ["Plan", "QrelsOf", "inspect", "inspect_runs", "measure"]


def measure(
    qrels_of: QrelsOf, run: Run, plans: Sequence[Plan], *, progress: "Progress | None" = None
) -> list[Values | RankworthError]:
    """What a run is worth under several conventions; it is read and joined once.

    A value is the same, bit for bit, whatever else was evaluated beside it.

    Args:
        qrels_of: gives the judgements that count under some settings.
        run: the run.
        plans: what is asked for.
        progress: told how far a file is read.

    Returns:
        For each plan the values, or the error with which it refuses.

    Raises:
        RankworthError: where judgements or run cannot be read at all.

    """
    run = run if qrels_of.only is None else run.only(qrels_of.only)
    refused = [_refusal(qrels_of, run, plan) for plan in plans]
    sound = [plan for plan, error in zip(plans, refused, strict=True) if error is None]
    if not sound:
        return [plan.profile.reworded(error) for plan, error in zip(plans, refused, strict=True) if error is not None]
    work = Work(qrels_of, run, sound)
    work.judge(progress)
    results: list[Values | RankworthError] = []
    for plan, error in zip(plans, refused, strict=True):
        try:
            if error is not None:
                raise error
            results.append(work.values_of(plan))
        except RankworthError as refusal:
            results.append(plan.profile.reworded(refusal))
    return results


def inspect(
    qrels_of: QrelsOf, run: Run, plan: Plan, shown: Iterable[str], *, progress: "Progress | None" = None
) -> tuple[Values, list[Scene]]:
    """The same for one convention, with what stands behind the values of each measure.

    Args:
        qrels_of: as for `measure`.
        run: as for `measure`.
        plan: what is asked for.
        shown: queries that are to be shown, with all their documents.
        progress: as for `measure`.

    Raises:
        RankworthError: where judgements or run cannot be read, or are refused.

    """
    run = run if qrels_of.only is None else run.only(qrels_of.only)
    try:
        if (error := _refusal(qrels_of, run, plan)) is not None:
            raise error
        work = Work(qrels_of, run, [plan], frozenset(shown))
        work.judge(progress)
        values = work.values_of(plan)
        known = behind(values)
        return values, [work.scene(plan, *pair) for pair in zip(known.plan, known.columns, strict=True)]
    except RankworthError as refusal:
        raise plan.profile.reworded(refusal) from None


def inspect_runs(
    qrels: object, runs: Sequence[Run], plan: Plan, shown: Iterable[str], *, progress: "Progress | None" = None
) -> list[tuple[Values, list[Scene]]]:
    """Values of several runs with what stands behind them; where other queries are refused, of those shown alone.

    Args:
        qrels: judgements, as for `rankworth.evaluate`.
        runs: the runs.
        plan: as for `measure`.
        shown: as for `inspect`.
        progress: as for `measure`.

    Raises:
        RankworthError: as `inspect`, where the queries that are shown are refused, too.

    """
    shown, settings = list(shown), [one.judging for one in plan.asked]
    try:
        judgements = Judgements(qrels, None, settings)
        return [inspect(judgements, run, plan, shown, progress=progress) for run in runs]
    except RankworthError as refusal:
        try:
            judgements = Judgements(qrels, shown, settings)
            return [inspect(judgements, run, plan, shown, progress=progress) for run in runs]
        except RankworthError:
            raise refusal from None


def _refusal(qrels_of: QrelsOf, run: Run, plan: Plan) -> RankworthError | None:
    """The error with which the judgements are refused, or what is asked of a run in an engine, if they are."""
    try:
        for one in plan.asked:
            qrels_of(one.judging)
            if run.engine:
                from rankworth.judging import unordered  # noqa: PLC0415 - imports a dataframe library

                unordered.refuse(one.judging, run)  # type: ignore[arg-type]
    except RankworthError as error:
        without = error.slug == "empty-input" and plan.rowless and plan.exclude is None and bool(run.engine)
        return None if without else error  # no row, no order, which is seen again where the run is judged
    return None

"""Recall of approximate search: how much of what an exact search returns an approximate index returns, too.

The scores of the exact run are the judgements. A document counts for R@k if its score is at most `tolerance` below that
of the k-th document of the exact run: the score that the exact run gives it or, where that does not have it, its own.
Where one of the two runs has no scores, the ids alone tell: a document counts if the exact run has it that high.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.evaluation.runner import planned, warn
from rankworth.measures import CATALOGUE, Measure
from rankworth.model import Digest, Qrels, Run
from rankworth.profiles import DEFAULT, Profile, ReadSettings, ResolvedMeasure
from rankworth.results.values import RunValues, Values, details, values_of
from rankworth.scoring import inputs
from rankworth.scoring.counts import Notice
from rankworth.scoring.diagnosis import Diagnosed, Diagnosis
from rankworth.scoring.evaluator import evaluate_run
from rankworth.scoring.plans import Plan

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.source import Progress

TOLERANCE: Final = 1e-3
"""that of ann-benchmarks"""
MEASURES: Final = ("R@10",)
P: Final = CATALOGUE["P"]
_IDS: Final = "ids"
"""in place of a tolerance, where ids tell which documents count"""
_ROW: Final = ("query", "document", "score")


def evaluate_exact(
    exact: object,
    runs: Any,  # noqa: ANN401 - runs by name, or a list of them
    measures: Iterable[str | Measure] = MEASURES,
    *,
    tolerance: float = TOLERANCE,
    queries: Iterable[object] | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> RunValues:
    """Evaluate the recall of approximate runs against an exact one.

    R@k = min(k, m) / k, where m documents of the approximate run have a score of at least s - tolerance, and s is the
    k-th score of the exact run. So documents that are tied with the k-th count, whichever of them came back, and a
    document that came back twice counts once.

    Where the exact run or another one has an order and no scores, as `.npy` and `.ivecs` have, m is how many of the
    first k documents are among the first k exact ones by their ids, and a warning says so.

    Args:
        exact: the exact run, with at least k documents for each query, and their scores where there are some.
        runs: the approximate runs, as for `evaluate_runs`, with scores of the same search where there are some.
        measures: `R@k`, for one or several k.
        tolerance: how far below the k-th exact score a document may be, in units of the score; that of ann-benchmarks
            unless another is given.
        queries: as for `evaluate`.
        profile: as for `evaluate`.
        table: as for `evaluate`.
        by: as for `evaluate`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`; of documents that a query has twice, the best counts. `qrels_columns` names the
            columns of the exact run, `run_columns` those of the others.

    Returns:
        `{name: Values}`; each value is between 0 and 1.

    Raises:
        InputError: `refused-input` where the exact run has fewer than k documents for a query; and as `evaluate`.
        UsageError: `conflicting-options` for other measures than R@k, `unknown-setting` for a negative tolerance.

    Source: Aumueller, Bernhardsson, Faithfull (2020), ANN-Benchmarks, Information Systems 87,
    https://doi.org/10.1016/j.is.2019.02.006

    >>> exact = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7}}
    >>> found = evaluate_exact(exact, {"hnsw": {"q1": {"a": 0.9, "d": 0.7, "x": 0.4}}}, ["R@1", "R@3"])
    >>> found["hnsw"]["R@1"], round(found["hnsw"]["R@3"], 4)  # 1 / 1, and a and d of a, b and one of c and d
    (1.0, 0.6667)
    """
    if not tolerance >= 0:
        raise UsageError("unknown-setting", f"tolerance={tolerance!r} is not a number from 0")
    settings.setdefault("duplicates", "best")
    reading = inputs.InputOptions(settings, is_exact=True)
    plan = planned(profile, measures, None, settings, table=table, by=by)
    cutoffs = _cutoffs(plan)
    sources = dict(runs) if isinstance(runs, Mapping) else list(runs)
    _, [first, *approximate] = reading.read([], [exact, *(sources.values() if isinstance(sources, dict) else sources)])
    named = inputs.runs(dict(zip(sources, approximate, strict=True)) if isinstance(sources, dict) else approximate)
    nearest = _Nearest.of(inputs.run(first), cutoffs, tolerance, None if queries is None else list(map(str, queries)))
    graded = replace(
        plan, measures=[replace(measure, quantity=_as_precision(measure, cutoffs)) for measure in plan.measures]
    )
    values = []
    for run in named.values():
        judgements = inputs.Judgements(
            nearest.judgements(run), queries, [measure.judging for measure in graded.measures]
        )
        evaluated = values_of(evaluate_run(judgements, run, [graded], progress=progress), graded)
        values.append(_as_recall(evaluated, plan, nearest, f"{tolerance:g}" if nearest.tells_scores(run) else _IDS))
    warn(values)
    return RunValues(dict(zip(named, values, strict=True)))


def _cutoffs(plan: Plan) -> list[int]:
    """Return the cutoffs of the measures, ascending.

    Raises:
        UsageError: `conflicting-options` where one is not R@k.

    """
    not_recall = [measure.label for measure in plan.measures if str(measure.quantity) != f"R@{measure.quantity.cutoff}"]
    if not_recall:
        text = f"{quoted(not_recall)}: against an exact run only R@k is defined"
        raise UsageError("conflicting-options", text, remedy="ask for R@10, or for R@1,10,100")
    return sorted({measure.quantity.cutoff or 0 for measure in plan.measures})


def _as_precision(measure: ResolvedMeasure, cutoffs: Sequence[int]) -> Measure:
    """Return the P@k with the exact neighbours for k as relevant documents: with a grade as high as k is small."""
    cutoff = measure.quantity.cutoff or 0
    return P(rel=len(cutoffs) - cutoffs.index(cutoff)) @ cutoff


def _as_recall(values: Values, plan: Plan, nearest: "_Nearest", judge: str) -> Values:
    """Name the values by the requested measures, and note that an exact run was the judge.

    Args:
        values: of the precision with which they were computed.
        plan: what was asked for.
        nearest: the exact run.
        judge: the tolerance, or that ids tell what counts.

    """
    measures = tuple(measure.quantity for measure in plan.measures)
    notices = tuple(each for each in values.notices if each.slug != "all-relevant")  # as the nearest are
    if judge == _IDS:
        run = values.run or "the run"
        without = f"{run} has" if nearest.has_scores else "the exact run has"
        text = f"{without} no scores, so ids tell which documents of {run} count for {quoted(map(str, measures))}; one "
        text += "that is as near as the k-th exact document and is not among the first k does not count"
        notices += (Notice("recall-by-ids", text),)
    recall_details = replace(
        details(values),
        plan=tuple(plan.measures),
        diagnosis=Diagnosis(lambda: Diagnosed(notices)),
        recorded={**details(values).recorded, "exact": judge},
    )
    return replace(values, measures=measures, asked=measures, judgements=nearest.digest, _details=recall_details)


@dataclass(frozen=True)
class _Nearest:
    """The exact run.

    Attributes:
        scores: `query`, `document`, `score`.
        last: the lowest score that counts for each query and cutoff.
        cutoffs: ascending.
        has_scores: whether it has scores, and not an order alone.

    """

    scores: "pl.DataFrame"
    last: "pl.DataFrame"
    cutoffs: Sequence[int]
    has_scores: bool

    @classmethod
    def of(cls, run: Run, cutoffs: Sequence[int], tolerance: float, queries: Collection[str] | None) -> Self:
        """Read the exact run.

        Raises:
            InputError: `refused-input`.

        """
        import polars as pl  # noqa: PLC0415 - as everywhere where `import rankworth` may pass

        scores = _scores(run)
        tolerance = tolerance if run.facts.has_scores else 0
        scores = scores if queries is None else scores.filter(pl.col("query").is_in(queries))
        ranked = pl.col("score").sort(descending=True)
        last = scores.group_by("query", maintain_order=True).agg(
            pl.len().alias("size"),
            *(ranked.get(cutoff - 1, null_on_oob=True).sub(tolerance).alias(str(cutoff)) for cutoff in cutoffs),
        )
        if (few := last.filter(pl.col("size") < cutoffs[-1])).height:
            query, size = few.row(0)[:2]
            name = run.name or "the exact run"
            text = f"{name} has {counted(size, 'document', 'documents')} for query {quoted([query])}"
            text += f" (queries with fewer than {cutoffs[-1]}: {few.height:,})"
            remedy = "search exactly for as many, or name the queries that have them: --only FILE (queries=[...])"
            raise InputError("refused-input", f"R@{cutoffs[-1]}: {text}", remedy=remedy)
        return cls(scores, last, cutoffs, run.facts.has_scores)

    @cached_property
    def digest(self) -> Digest:
        """What tells later whether this was the exact run."""
        return Qrels(self.scores.rename({"score": "grade"})).digest

    def tells_scores(self, run: Run) -> bool:
        """Return whether scores tell which documents of a run count, once it is read; otherwise ids do."""
        return self.has_scores and run.facts.has_scores

    def judgements(self, run: Run) -> Qrels:
        """Grade the documents of the exact run and of another one by the number of cutoffs for which each counts."""
        import polars as pl  # noqa: PLC0415 - as above

        run_only = _scores(run).join(self.scores, on=["query", "document"], how="anti")
        run_only = run_only if self.tells_scores(run) else run_only.clear()
        grade = pl.sum_horizontal(pl.col("score") >= pl.col(str(cutoff)) for cutoff in self.cutoffs)
        rows = pl.concat([self.scores, run_only]).join(self.last, on="query")
        return Qrels(rows.select("query", "document", grade.cast(pl.Float64).alias("grade")))


def _scores(run: Run) -> "pl.DataFrame":
    """Return the best score of each document; by its rank where the run has an order alone."""
    import polars as pl  # noqa: PLC0415 - as above

    run.facts.refuse_sets("the recall of a search")
    rows = pl.concat([frame.select(*_ROW) for frame in run.batches()]).cast({"query": pl.String, "document": pl.String})
    return rows.group_by("query", "document", maintain_order=True).agg(pl.col("score").max())

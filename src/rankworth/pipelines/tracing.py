"""`trace`: what each stage of a pipeline could reach, what it realises, and where relevant documents are lost."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
import polars as pl

from rankworth.comparison import compare
from rankworth.errors import RankworthWarning, UsageError, quoted
from rankworth.evaluation.runner import evaluate_runs
from rankworth.groups import Groups, Slices
from rankworth.io import query_texts
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.pipelines.quantity import with_best_order
from rankworth.pipelines.stages import Stage, judged, new_documents, read_stages
from rankworth.profiles import DEFAULT, Profile
from rankworth.results.values import Values
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.look import signed

if TYPE_CHECKING:
    from rankworth.io.source import Progress

MEASURE: Final = "nDCG@10"
DEPTHS: Final = (10, 20, 50, 100, 200, 500)
"""depths at which the ceiling of candidates is told"""
_UNFOLLOWED: Final = ("order", "score_type", "ties", "duplicates", "depth", "unjudged", "exclude", "blocks", "pairing")
"""settings of an evaluation that change ranks, by which a document could not be followed"""
_WEIGHTS: Final = ("weights", "macro", "missing")
STATES: Final = ("on the first ranks", "below", "absent")
"""where a document may stand at a stage"""
_RANKED, _BELOW, _ABSENT = STATES
_LISTED: Final = 5
_ROUNDING: Final = 1e-12


class StageValue(NamedTuple):
    """What one stage could reach and what it realises; means over queries."""

    stage: str
    documents: float
    """candidates of a query, as a mean"""
    ceiling: float
    """the mean of the best order of its candidates"""
    run: str
    """the run that realises most"""
    realised: float
    share: float
    """realised over the ceiling; NaN where the ceiling is 0"""
    difference: float
    """to what the stage before realises; NaN of the first stage"""
    low: float
    high: float
    word: str
    """what `compare` calls the difference"""


class DepthValue(NamedTuple):
    """The ceiling of the first documents of each run of a stage."""

    stage: str
    depth: int
    ceiling: float


class Loss(NamedTuple):
    """How much of the mean is lost, and where."""

    stage: str
    kind: Literal["not retrieved", "dropped", "order"]
    loss: float
    """of the mean over queries"""
    documents: int
    """relevant documents that are lost so"""


class FollowedDocument(NamedTuple):
    """A relevant document on its way."""

    query: Any
    document: Any
    grade: float
    ranks: tuple[int | None, ...]
    """at each stage, the best of its runs; None where it is absent"""
    outcome: str
    """where it ended: on the first ranks, or the stage at which it fell out or sank"""


class QueryLoss(NamedTuple):
    """A query that loses much at a stage."""

    stage: str
    kind: str
    query: Any
    loss: float
    text: str


class GroupLoss(NamedTuple):
    """How much a group of queries loses at a stage."""

    group: str
    stage: str
    kind: str
    loss: float
    queries: int


class Flow(NamedTuple):
    """How many relevant documents go from one state at a stage to another at the next."""

    stage: str
    state: str
    next_stage: str
    next_state: str
    documents: int


def _state(rank: int | None, cutoff: int) -> str:
    return _ABSENT if rank is None else _RANKED if rank <= cutoff else _BELOW


@dataclass(frozen=True, repr=False)
class Trace(Analysis[Literal["stages", "depths", "losses", "documents", "queries", "groups", "flow"]]):
    """Where a pipeline loses, from the first retriever to the last stage.

    The tables of columns are `stages`, `depths`, `losses`, `documents`, `queries`, `groups` and `flow`.

    Attributes:
        measure: what is measured.
        cutoff: the ranks on which a document counts as found.
        best: the mean of the best order of all judged documents.
        stages: what each could reach and what it realises.
        depths: ceilings of the first documents of each stage.
        losses: where the difference of `best` and what is realised comes from; they add up to it.
        documents: every relevant document and where it ended.
        queries: those that lose most at each stage.
        groups: losses by group of queries; empty where no groups are shown.
        flow: how many relevant documents go from where to where.
        notes: what is to be known.
        warnings: slug and text of what deserves a second look.

    """

    _SCHEMA: ClassVar = "rankworth.trace/1"
    _TABLES: ClassVar = ("stages", "depths", "losses", "documents", "queries", "groups", "flow")
    _RECORD: ClassVar = (
        "measure",
        "cutoff",
        "best",
        "verdict",
        "stages",
        "depths",
        "losses",
        "queries",
        "groups",
        "flow",
    )
    measure: str
    cutoff: int
    best: float
    stages: tuple[StageValue, ...]
    depths: tuple[DepthValue, ...]
    losses: tuple[Loss, ...]
    documents: tuple[FollowedDocument, ...]
    queries: tuple[QueryLoss, ...]
    groups: tuple[GroupLoss, ...] = ()
    flow: tuple[Flow, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    def state(self, rank: int | None) -> str:
        """Return one of `STATES`: where a document of some rank stands.

        Args:
            rank: from 1; None where the document is absent.

        """
        return _state(rank, self.cutoff)

    @property
    def largest(self) -> Loss:
        """The largest loss, the earlier one of equal ones."""
        return max(self.losses, key=lambda loss: loss.loss)

    @property
    def verdict(self) -> str:
        """The stage to work on, in one sentence."""
        largest, last, first = self.largest, self.stages[-1], self.stages[0]
        if largest.loss <= _ROUNDING:
            return f"{last.stage} realises all of {self.best:.2f} that the judged documents allow: nothing is lost"
        if largest.kind == "order":
            text = f"the candidates of {last.stage} hold {last.ceiling:.2f}"
            text = f"{text}, and {last.run} realises {last.realised:.2f} of it"
            return f"{text}: work on its order, not on retrieval"
        if largest.kind == "not retrieved":
            text = f"the candidates of {first.stage} hold {first.ceiling:.2f} of {self.best:.2f}"
            return f"{text}: work on retrieval, not on order"
        index = [stage.stage for stage in self.stages].index(largest.stage)
        before = self.stages[index - 1]
        kept = self.stages[index].ceiling
        text = f"the candidates of {before.stage} hold {before.ceiling:.2f}, and {largest.stage} keeps {kept:.2f}"
        return f"{text}: work on what {largest.stage} drops, let it keep more documents"

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "documents":
            names = [stage.stage for stage in self.stages]
            rows = [(each.query, each.document, each.grade, *each.ranks, each.outcome) for each in self.documents]
            return by_name(("query", "document", "grade", *(f"rank {name}" for name in names), "outcome"), rows)
        kinds: Mapping[str, type[NamedTuple]] = {
            "stages": StageValue,
            "depths": DepthValue,
            "losses": Loss,
            "queries": QueryLoss,
            "groups": GroupLoss,
            "flow": Flow,
        }
        return by_name(kinds[of]._fields, getattr(self, of))

    def _record(self) -> dict[str, Any]:
        documents = [
            each._asdict() | {"query": str(each.query), "document": str(each.document)} for each in self.documents
        ]
        return {**super()._record(), "documents": documents}

    def sheets(self) -> list[Sheet]:
        """Return the stages with the sentence that names the one to work on, losses, depths, queries and groups."""
        stages = self._columns("stages")
        columns = [
            Column("stage", "text", stages["stage"]),
            Column("documents", "number", [round(each, 1) for each in stages["documents"]]),
            Column("ceiling", "value", stages["ceiling"]),
            Column("realised", "value", stages["realised"]),
            Column("of it", "value", stages["share"]),
        ]
        sheets = [Sheet(tuple(columns), self.notes, defects=self._defects, title=self.verdict)]
        if steps := list(pairwise(self.stages)):
            shown = [
                Column("step", "text", [f"{before.run} to {after.run}" for before, after in steps]),
                Column(
                    "difference",
                    "number",
                    [signed(after.difference) for _, after in steps],
                    bounds=[(after.low, after.high) for _, after in steps],
                ),
                Column("that is", "text", [after.word for _, after in steps]),
            ]
            sheets.append(Sheet(tuple(shown), title="what each step changes"))
        losses = self._columns("losses")
        kinds: Mapping[str, Any] = {"loss": "value", "documents": "count"}
        shown = [Column(name, kinds.get(name, "text"), losses[name]) for name in ("stage", "kind", "loss", "documents")]
        sheets.append(Sheet(tuple(shown), title=f"where {self.measure} is lost"))
        depths = dict.fromkeys(row.depth for row in self.depths)
        by_stage = {
            stage.stage: {row.depth: row.ceiling for row in self.depths if row.stage == stage.stage}
            for stage in self.stages
        }
        columns = [Column("stage", "text", list(by_stage))]
        columns += [Column(f"{depth}", "value", [each.get(depth) for each in by_stage.values()]) for depth in depths]
        sheets.append(Sheet(tuple(columns), title="ceiling of the first documents of each run, by depth"))
        if self.queries:
            names = ("stage", "kind", "query", "loss", "text")
            rows = self._columns("queries")
            texts = any(rows["text"])
            shown = [Column(name, kinds.get(name, "text"), rows[name]) for name in names if name != "text" or texts]
            sheets.append(Sheet(tuple(shown), title="queries that lose most"))
        if self.groups:
            rows = self._columns("groups")
            shown = [
                Column(name, {"loss": "value", "queries": "count"}.get(name, "text"), rows[name])  # type: ignore[arg-type]
                for name in GroupLoss._fields
            ]
            sheets.append(Sheet(tuple(shown), title="losses by group"))
        return sheets


def trace(
    qrels: object,
    stages: object,
    measure: str | Measure = MEASURE,
    *,
    depths: Iterable[int] = DEPTHS,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    resamples: int | None = None,
    progress: "Progress | None" = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`
) -> Trace:
    """Find at which stage of a pipeline relevant documents are lost, and which stage to work on.

    The ceiling of a stage is the mean of the best order of its candidates, which are the documents of all its runs: no
    later stage that only orders and cuts can reach more. What lies between the ceiling of the first stage and the best
    order of all judged documents was not retrieved; what lies between the ceilings of two stages was dropped; what lies
    between the ceiling of the last stage and its value is its order. These losses add up.

    Args:
        qrels: as for `evaluate`.
        stages: from left to right, each a run or a list of runs that stand side by side: `[["bm25.run", "dense.run"],
            "fused.run", "reranked.run"]`; or a dict of these by name, in which several runs are a dict by name.
        measure: one measure of queries.
        depths: at which the ceiling of the first documents of each run is told.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        table: as for `evaluate`; texts of queries are shown where it has them.
        by: as for `evaluate`: groups of queries whose losses are shown, too.
        resamples: as for `compare`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`, but for those that change ranks.

    Returns:
        A `Trace`, whose `verdict` names the stage to work on.

    Raises:
        InputError: as `evaluate`.
        MeasureError: as `evaluate`; `measure-syntax` where relevant documents, the best grade first, are not the best
            order.
        UsageError: `unfollowed-setting`, `run-names`.

    >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    >>> stages = {"retrieval": {"q": ["x", "a", "b"]}, "reranked": {"q": ["x", "y", "a"]}}
    >>> traced = trace(qrels, stages, "R@2")
    >>> traced.verdict.partition(": ")[0]
    'the candidates of retrieval hold 0.67, and reranked keeps 0.33'
    >>> [(loss.stage, loss.kind, round(loss.loss, 2)) for loss in traced.losses]
    [('retrieval', 'not retrieved', 0.0), ('reranked', 'dropped', 0.33), ('reranked', 'order', 0.33)]
    """
    if named := [name for name in _UNFOLLOWED if settings.get(name) is not None]:
        text = f"{named[0]}={settings[named[0]]!r} changes ranks, by which documents are followed from stage to stage"
        raise UsageError("unfollowed-setting", text, remedy="leave it out, or change the runs themselves")
    if named := [name for name in _WEIGHTS if settings.get(name) is not None]:
        text = f"{named[0]}: every judged query of a trace counts alike, whether it has results or not"
        raise UsageError("unfollowed-setting", text, remedy="leave it out; by= shows groups")
    quantity = with_best_order(measure)
    judgements = qrels if isinstance(qrels, Qrels) and queries is None else Qrels(qrels, queries=queries)
    table = None if table is None else query_texts.queries(table)
    read = read_stages(stages, judgements, progress)
    grades = judged(judgements)
    threshold = _threshold(quantity, rel)
    options = {"rel": rel, "profile": profile, "missing": "zero", **settings}
    tracer = _Tracer(judgements, read, quantity, options, tuple(sorted({*depths})), grades, threshold)
    slices = Slices.of(table, by=by) if by is not None else None
    return tracer.trace(slices, {} if table is None else table.texts, resamples)


def _threshold(measure: Measure, rel: float | None) -> float:
    """Return the lowest grade that counts as relevant; by default the least number above 0."""
    own = dict(measure.settings).get("rel")
    chosen = own if own is not None else rel
    return float(chosen) if chosen is not None else float(np.nextafter(0, 1))


@dataclass
class _Tracer:
    """Follows documents and values from stage to stage."""

    qrels: Qrels
    stages: Sequence[Stage]
    measure: Measure
    options: Mapping[str, Any]
    depths: tuple[int, ...]
    grades: pl.DataFrame
    threshold: float

    def trace(self, slices: Slices | None, texts: Mapping[str, str], resamples: int | None) -> Trace:
        relevant = self.grades.filter(pl.col("grade") >= self.threshold)
        values = self._values()
        best = values["best"]
        rows = list(self._stage_values(values, resamples))
        losses, by_query = self._losses(values, [row.run for row in rows])
        cutoff = self.measure.cutoff or 10
        documents = self._followed(relevant, cutoff)
        counts = self._counts(documents)
        losses = [loss._replace(documents=counts.get((loss.stage, loss.kind), 0)) for loss in losses]
        told = [
            ("new-documents", text)
            for before, after in pairwise(self.stages)
            for number, text in [new_documents(before, after)]
            if number
        ]
        return Trace(
            str(self.measure),
            cutoff,
            best[str(self.measure)],
            tuple(rows),
            tuple(self._depth_values(values)),
            tuple(losses),
            tuple(documents),
            tuple(self._worst(losses, by_query, texts)),
            tuple(self._groups(losses, by_query, slices)),
            tuple(self._flow(documents, cutoff)),
            tuple(self._notes(rows, cutoff)),
            tuple(told),
        )

    def _ideal(self, candidates: pl.DataFrame | None) -> pl.DataFrame:
        """Return the best order of some candidates, or of all judged documents: grades above 0, the highest first."""
        rows = self.grades.filter(pl.col("grade") > 0)
        if candidates is not None:
            rows = rows.join(candidates, on=["query", "document"], how="semi")
        return rows.select("query", "document", score=pl.col("grade"))

    def _values(self) -> dict[str, Values]:
        """Evaluate every run, and the best order of candidates at every stage and depth."""
        runs: dict[str, Any] = {}
        ideals = {"best": self._ideal(None)}
        for number, stage in enumerate(self.stages):
            candidates = stage.candidates
            ideals[f"ceiling {number}"] = self._ideal(candidates)
            for depth in self.depths:
                ideals[f"depth {number} {depth}"] = self._ideal(candidates.filter(pl.col("rank") <= depth))
            runs |= {f"run {name}": run for name, run in stage.runs.items()}
        return {**self._evaluated(runs), **self._evaluated(ideals)}

    def _evaluated(self, runs: Mapping[str, Any]) -> dict[str, Values]:
        """Evaluate runs; every judged query counts, and what would be warned of is told by the result."""
        sources = {
            name: Run.without_rows(name) if isinstance(run, pl.DataFrame) and not run.height else run
            for name, run in runs.items()
        }
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            return dict(evaluate_runs(self.qrels, sources, [self.measure], **self.options))

    def _stage_values(self, values: Mapping[str, Values], resamples: int | None) -> Iterator[StageValue]:
        label = str(self.measure)
        before = ""
        for number, stage in enumerate(self.stages):
            means = {name: values[f"run {name}"][label] for name in stage.runs}
            run = max(means, key=lambda name: means[name])
            ceiling = values[f"ceiling {number}"][label]
            step: tuple[Any, ...] = (float("nan"), float("nan"), float("nan"), "")
            if before:
                pair = {name: values[f"run {name}"] for name in (before, run)}
                with warnings.catch_warnings(action="ignore", category=RankworthWarning):
                    [difference] = compare(None, pair, resamples=resamples).differences
                step = difference.difference, difference.low, difference.high, difference.word
            documents = stage.candidates.height / len(self.qrels)
            share = means[run] / ceiling if ceiling > 0 else float("nan")
            yield StageValue(stage.name, documents, ceiling, run, means[run], share, *step)
            before = run

    def _depth_values(self, values: Mapping[str, Values]) -> Iterator[DepthValue]:
        for number, stage in enumerate(self.stages):
            for depth in self.depths:
                yield DepthValue(stage.name, depth, values[f"depth {number} {depth}"][str(self.measure)])

    def _losses(
        self, values: Mapping[str, Values], chosen: Sequence[str]
    ) -> tuple[list[Loss], list[tuple[str, str, dict[Any, float]]]]:
        """Return the losses of the mean, and of each query."""
        label = str(self.measure)
        tables = [values["best"], *(values[f"ceiling {number}"] for number in range(len(self.stages)))]
        tables.append(values[f"run {chosen[-1]}"])
        names = [stage.name for stage in self.stages]
        kinds = [(names[0], "not retrieved"), *((name, "dropped") for name in names[1:]), (names[-1], "order")]
        by_query = [{query: row[label] for query, row in each.per_query.to_dict().items()} for each in tables]
        losses, of_queries = [], []
        for (name, kind), before, after in zip(
            kinds, zip(tables, by_query, strict=True), zip(tables[1:], by_query[1:], strict=True), strict=False
        ):
            loss = before[0][label] - after[0][label]
            losses.append(Loss(name, kind, 0.0 if abs(loss) <= _ROUNDING else loss, 0))  # type: ignore[arg-type]
            of_queries.append((name, kind, {query: before[1][query] - after[1].get(query, 0.0) for query in before[1]}))
        return losses, of_queries

    def _followed(self, relevant: pl.DataFrame, cutoff: int) -> list[FollowedDocument]:
        """Follow every relevant document from stage to stage."""
        rows = relevant
        for number, stage in enumerate(self.stages):
            best = stage.candidates.rename({"rank": f"{number}"})
            rows = rows.join(best, on=["query", "document"], how="left", maintain_order="left")
        return [
            FollowedDocument(query, document, grade, tuple(ranks), self._outcome(ranks, cutoff))
            for query, document, grade, *ranks in rows.iter_rows()
        ]

    def _outcome(self, ranks: Sequence[int | None], cutoff: int) -> str:
        """Say where a document ended."""
        names = [stage.name for stage in self.stages]
        if ranks[-1] is not None and ranks[-1] <= cutoff:
            return _RANKED
        if all(rank is None for rank in ranks):
            return "never retrieved"
        if ranks[-1] is None:
            last = max(index for index, rank in enumerate(ranks) if rank is not None)
            return f"dropped by {names[last + 1]}"
        inside = [index for index, rank in enumerate(ranks) if rank is not None and rank <= cutoff]
        if not inside:
            return f"never on the first {cutoff} ranks"
        return f"sank below {cutoff} in {names[max(inside) + 1]}"

    def _counts(self, documents: Sequence[FollowedDocument]) -> dict[tuple[str, str], int]:
        """Count the relevant documents behind each loss."""
        counts: dict[tuple[str, str], int] = {}
        names = [stage.name for stage in self.stages]
        for each in documents:
            if each.outcome == _RANKED:
                continue
            if each.outcome == "never retrieved":
                key = names[0], "not retrieved"
            elif each.outcome.startswith("dropped by "):
                key = each.outcome.removeprefix("dropped by "), "dropped"
            else:
                key = names[-1], "order"
            counts[key] = counts.get(key, 0) + 1
        return counts

    def _worst(
        self, losses: Sequence[Loss], by_query: Sequence[tuple[str, str, dict[Any, float]]], texts: Mapping[str, str]
    ) -> Iterator[QueryLoss]:
        for loss, (name, kind, of_queries) in zip(losses, by_query, strict=True):
            ordered = sorted(of_queries, key=lambda query: -of_queries[query]) if loss.loss > 0 else []
            for query in [query for query in ordered[:_LISTED] if of_queries[query] > _ROUNDING]:
                yield QueryLoss(name, kind, query, of_queries[query], texts.get(str(query), ""))

    def _groups(
        self,
        losses: Sequence[Loss],
        by_query: Sequence[tuple[str, str, dict[Any, float]]],
        slices: Slices | None,
    ) -> Iterator[GroupLoss]:
        groups = None if slices is None else slices.by
        if groups is None:
            return
        for group, names in _members(groups, [str(query) for query in by_query[0][2]]):
            for (name, kind, of_queries), _ in zip(by_query, losses, strict=True):
                values = [value for query, value in of_queries.items() if str(query) in names]
                yield GroupLoss(group, name, kind, float(np.mean(values)), len(values))

    def _flow(self, documents: Sequence[FollowedDocument], cutoff: int) -> Iterator[Flow]:
        names = [stage.name for stage in self.stages]
        states = [[_state(rank, cutoff) for rank in each.ranks] for each in documents]
        for index in range(len(names) - 1):
            counts: dict[tuple[str, str], int] = {}
            for each in states:
                key = each[index], each[index + 1]
                counts[key] = counts.get(key, 0) + 1
            for (state, following), number in sorted(counts.items()):
                yield Flow(names[index], state, names[index + 1], following, number)

    def _notes(self, rows: Sequence[StageValue], cutoff: int) -> Iterator[str]:
        yield (
            f"ceiling: {self.measure} of the best order of a stage's candidates; a document counts as found on the "
            f"first {cutoff} ranks"
        )
        for before, after in pairwise(rows):
            if after.difference < 0:
                sure = "" if after.word == "worse" else ", which may be chance"
                yield f"{after.run} realises less than {before.run} by {-after.difference:.4f}{sure}"
        widest = [stage.name for stage in self.stages if len(stage.runs) > 1]
        if widest:
            yield f"of {quoted(widest)}, candidates are those of all runs, and what is realised is that of the best one"


def _members(groups: Groups, queries: Sequence[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield each group with its queries."""
    parts = groups.parts(queries)
    for name in parts.names:
        yield name, {query for query, inside in zip(queries, parts.of(name).tolist(), strict=True) if inside}


def band_starts(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many documents come before those of each move from a stage to the next, at either stage.

    At the first stage moves are ordered by the state there, at the next by the state then, so that bands cross least.

    Args:
        rows: the moves, as `plots.data.flow` has them, with `state`, `next_state` and `documents`.

    """
    order = {state: number for number, state in enumerate(STATES)}
    sides = []
    for first, then in (("state", "next_state"), ("next_state", "state")):
        before, total = {}, 0
        for row in sorted(rows, key=lambda row: (order[row[first]], order[row[then]])):
            before[row["state"], row["next_state"]] = total
            total += row["documents"]
        sides.append(before)
    return {key: (start, sides[1][key]) for key, start in sides[0].items()}

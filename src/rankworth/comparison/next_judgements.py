"""Which documents to judge first: those that can change a value, or a difference of two runs, most."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import UsageError, counted
from rankworth.evaluation import runner
from rankworth.io import query_texts
from rankworth.io.validate import ids
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, Profile
from rankworth.scoring import inputs
from rankworth.scoring.plans import Plan
from rankworth.tables.analysis import Analysis, record
from rankworth.tables.columns import Column, Kind, Sheet, by_name
from rankworth.whatif.bounds import no_bounds, of_runs, refuse_without_bounds, vary
from rankworth.whatif.rankings import MeasureContext
from rankworth.whatif.unjudged_grades import UnjudgedDocuments, effects, grades_of

MEASURE: Final = "nDCG@10"
"""the measure by default"""
_SURE: Final = 0.95
"""the highest expected grade of an unjudged document, as a share of the best one"""


class Candidate(NamedTuple):
    """An unjudged document."""

    query: Any
    document: Any
    ranks: tuple[int | None, ...]
    """in each run; None where it was not retrieved"""
    effect: float
    """by how much the value of the query, or the difference of two runs, changes if the document has the best grade"""
    mean_effect: float
    """the same of the mean: `effect` over the number of queries"""


@dataclass(frozen=True, repr=False)
class JudgeNext(Analysis[Literal["documents"]]):
    """Unjudged documents, those first that can change the value most.

    Attributes:
        measure: what tables call the measure.
        runs: the names of the runs, whose documents these are.
        documents: the documents.
        left: how many more there are that can change it.
        notes: what judging them could change.
        warnings: none.
        texts_of_queries: by id, where they are known.
        texts_of_documents: by id, where they are known.

    """

    _SCHEMA: ClassVar = "rankworth.judge-next/1"
    _TABLES: ClassVar = ("documents",)
    measure: str
    runs: tuple[str, ...]
    documents: tuple[Candidate, ...]
    left: int
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    texts_of_queries: Mapping[str, str] | None = None
    texts_of_documents: Mapping[str, str] | None = None

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        ranks = [f"rank {name}" for name in self.runs]
        cells = [(row.query, row.document, None, *row.ranks, row.effect, row.mean_effect) for row in self.documents]
        columns = by_name(("query", "document", "grade", *ranks, "effect", "mean effect"), cells)
        for name, texts in (("query", self.texts_of_queries), ("document", self.texts_of_documents)):
            if texts is not None:
                columns[f"text of {name}"] = [texts.get(str(item), "") for item in columns[name]]
        return columns

    def _record(self) -> dict[str, Any]:
        rows = [record(row) | {"query": str(row.query), "document": str(row.document)} for row in self.documents]
        return {"measure": self.measure, "runs": list(self.runs), "documents": rows, "left": self.left}

    def sheets(self) -> list[Sheet]:
        """Return one row for each document."""
        kinds: dict[str, Kind] = {"query": "text", "document": "text", "effect": "value", "mean effect": "value"}
        names = ["query", "document", *(f"rank {name}" for name in self.runs), "effect", "mean effect"]
        cells = self._columns("documents")
        columns = [Column(name, kinds.get(name, "count"), cells[name]) for name in names]
        return [Sheet(tuple(columns), self.notes, title=f"documents to judge, by {self.measure}")]


def judge_next(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measure: str | Measure = MEASURE,
    *,
    n: int | None = None,
    queries: object = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`
) -> JudgeNext:
    """Choose the unjudged documents to judge first: those that can change a run's value, or a difference of two, most.

    The effect of a document is the change of the value of its query, or of the difference of the second run and the
    first one, if it has the best grade of the judgements and not the least, while all other unjudged documents have the
    least. Of a value, documents with the greatest effects come first. Of a difference, those come first whose judgement
    is expected to move the end of its bounds most that keeps its sign uncertain: a document that speaks against the
    sign by its effect times how probably it is not relevant, and one that speaks for it by its effect times how
    probably it is, as judged documents of its query and at its ranks are. Of equal ones, those at higher ranks come
    first. Documents without an effect are not listed.

    Args:
        qrels: judgements, as for `evaluate`.
        runs: one run or two, as for `evaluate_runs`.
        measure: one measure.
        n: how many documents; all by default.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        texts: what queries say, as `rankworth.io.query_texts.queries` reads it.
        docs: what documents say, as `rankworth.io.query_texts.documents` reads it.
        **settings: as for `evaluate`.

    Returns:
        A `JudgeNext`. Its columns, in CSV and elsewhere, have an empty `grade`; with grades in it, the file is one of
        judgements, of which rows without a grade are unjudged.

    Raises:
        InputError: as `evaluate`.
        MeasureError: as `evaluate`; `measure-syntax` for what is counted.
        UsageError: `conflicting-options` for more than two runs, and as `evaluate(bounds="unjudged")`.

    >>> qrels = {"q": {"a": 1}}
    >>> runs = {"one": {"q": ["a", "b", "c"]}, "two": {"q": ["a", "c", "b"]}}
    >>> [(one.document, one.ranks, round(one.effect, 4)) for one in judge_next(qrels, runs, "P@2").documents]
    [('b', (2, 3), -0.5), ('c', (3, 2), 0.5)]
    """
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
        raise UsageError("unknown-setting", f"n={n!r}: how many is a whole number from 1")
    reading = inputs.InputOptions(settings)
    [judged], ranked = reading.read_runs([qrels], runs)
    named = inputs.runs(ranked)
    if not 1 <= len(named) <= 2:  # noqa: PLR2004 - a value, or a difference
        text = f"there are {len(named)} runs; documents are chosen for the value of one run or the difference of two"
        raise UsageError("conflicting-options", text, remedy="choose one run or two")
    plan = runner.planned(profile, [measure], rel, settings)  # type: ignore[arg-type]
    only = None if queries is None else list(ids(queries))
    judgements = inputs.Judgements(judged, only, [measure.judging for measure in plan.measures])
    sides = _sides(judgements, named, plan)
    refuse_without_bounds([next(filter(None, (no_bounds(side, "unjudged") for side in sides)), "")])
    holes = UnjudgedDocuments.of(sides)
    effect, ranks = effects(holes), holes.ranks  # [N] and [S, N]
    size = int(np.count_nonzero(sides[0].column.listed))
    owner = np.repeat(holes.queries, holes.counts)  # [N]: the query of each document
    narrowing = np.abs(effect)  # [N]: how much a judgement narrows the bounds
    if len(sides) > 1:
        likely = _expected_grades(sides, holes)  # [N]
        sign = np.sign(_range(sides)[0] * size + effect @ likely)
        narrowing = narrowing * np.where(np.sign(effect) == sign, likely, 1 - likely)
    # [N]: documents, first those to judge first
    order = np.lexsort((np.arange(effect.size), ranks.min(axis=0), -narrowing))
    order = order[np.abs(effect[order]) > 0]
    kinds, names = sides[0].qrels.kinds, sides[0].run.standing.queries
    chosen = order[:n]
    of_query = kinds.back("query", [names[number] for number in owner[chosen]])
    of_document = kinds.back("document", [holes.ids[number] for number in chosen])
    of_runs = [tuple(int(rank) if math.isfinite(rank) else None for rank in row) for row in ranks[:, chosen].T]
    rows = zip(of_query, of_document, of_runs, effect[chosen].tolist(), strict=True)
    candidates = tuple(Candidate(query, document, of, change, change / size) for query, document, of, change in rows)
    label = plan.numbers[0].label
    return JudgeNext(
        label,
        tuple(named),
        candidates,
        int(order.size - chosen.size),
        tuple(
            _notes(
                label, sides, candidates, int(order.size), _sides(_without(judgements, candidates, plan), named, plan)
            )
        ),
        texts_of_queries=None if texts is None else query_texts.queries(texts).texts,
        texts_of_documents=None
        if docs is None
        else query_texts.documents(docs, {str(row.document) for row in candidates}),
    )


def _expected_grades(sides: Sequence[MeasureContext], holes: UnjudgedDocuments) -> Floats:
    """Return `[N]`, the expected grade of unjudged documents as a share of the best one.

    The shares of judged documents are fitted by least squares to 1 / log2(1 + rank) in each run, which is 0 where a
    document was not retrieved. What ranks let expect is multiplied by the shares of the judged documents of the query
    over what their ranks let expect, as if three documents of the average were judged besides.
    """
    judged: dict[tuple[int, str], tuple[list[float], float]] = {}
    for number, hits in enumerate(side.run.hits for side in sides):
        documents = [] if hits.document is None else hits.document[hits.is_judged].tolist()
        columns = (column[hits.is_judged].tolist() for column in (hits.query, hits.rank, hits.grade))
        for document, query, rank, grade in zip(documents, *columns, strict=True):
            ranks, _ = judged.setdefault((query, document), ([math.inf] * len(sides), grade))
            ranks[number] = rank
    query = np.array([query for query, _ in judged], dtype=np.int64)  # [J]: the query of each judged document
    # [J]: its grade as a share of the best grade
    share = np.array([max(grade, 0.0) for _, grade in judged.values()]) / grades_of(sides[0].run.hits)[-1]
    discounts = _discounts(np.array([ranks for ranks, _ in judged.values()]).reshape(-1, len(sides)))  # [J, 1 + S]
    few = np.eye(len(sides) + 1)[1:]  # where few documents are judged, ranks make little difference
    weights, *_ = np.linalg.lstsq(np.concatenate([discounts, few]), np.append(share, np.zeros(len(sides))))  # [1 + S]

    def by_rank(discounts: Floats) -> Floats:
        return np.asarray(np.clip(discounts @ weights, 1 - _SURE, _SURE))

    size, prior = sides[0].column.values.size, 3 * (share.sum() + 0.5) / (share.size + 1)
    # [Q]: shares over expected shares
    of_query = (np.bincount(query, share, size) + prior) / (np.bincount(query, by_rank(discounts), size) + prior)
    expected = by_rank(_discounts(holes.ranks.T)) * np.repeat(of_query[holes.queries], holes.counts)
    return np.asarray(np.minimum(expected, _SURE))


def _discounts(ranks: Floats) -> Floats:
    """Return `[N, 1 + S]`: 1, and the discounts of documents at ranks in each run."""
    return np.column_stack([np.ones(len(ranks)), 1 / np.log2(1 + ranks)])


def _sides(judgements: inputs.Judgements, runs: Mapping[str, Run], plan: Plan) -> list[MeasureContext]:
    """Return the measure of each run."""
    return [side for [side] in of_runs(judgements, runs, plan, "unjudged").values()]


def _without(judgements: inputs.Judgements, documents: Sequence[Candidate], plan: Plan) -> inputs.Judgements:
    """Return the judgements with further documents as not relevant."""
    judging = plan.base.judging
    qrels = judgements(judging, plan.base.data.exclude)
    judged = {str(query): dict(grades) for query, grades in qrels.with_text_ids().items()}
    for row in documents:
        judged[str(row.query)][str(row.document)] = 0.0
    return inputs.Judgements(Qrels(judged), None, [judging])


def _notes(
    label: str,
    sides: Sequence[MeasureContext],
    candidates: Sequence[Candidate],
    every: int,
    later: Sequence[MeasureContext],
) -> Iterator[str]:
    """Yield how far grades could move the value, and how far they still could if the documents are not relevant."""
    value, before = _range(sides)
    quantity = label if len(sides) == 1 else f"the difference by {label}"
    can = f"{counted(every, 'document', 'documents')} can change it"
    yield f"{quantity} is {value:+.4f}; grades of unjudged documents could make it {before}"
    yield f"{can}; if none of the {len(candidates):,} listed is relevant, it is {_range(later)[1]}"
    best = grades_of(sides[0].run.hits)[-1]
    yield f"effect: of the best grade ({best:g}), while all other unjudged documents are not relevant"


def _range(sides: Sequence[MeasureContext]) -> tuple[float, str]:
    """Return the mean, or the mean difference, and in words how low and high it could be."""
    values, (low, high, is_known, _), reason = vary(sides, sides[0].qrels.queries, "unjudged")
    has_value = ~np.isnan(values)
    if reason:
        return float(values[has_value].mean()), "another one, of which is not known how low or high"
    beyond = "" if is_known[has_value].all() else ", or beyond"
    return float(values[has_value].mean()), f"{low[has_value].mean():+.4f} to {high[has_value].mean():+.4f}{beyond}"

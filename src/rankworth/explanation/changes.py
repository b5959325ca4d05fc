"""One query of a run by one measure, and its value if its documents were ranked or graded otherwise."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.errors import InputError, RankworthError, UsageError, quoted, shortened
from rankworth.evaluation import runner
from rankworth.judging.judged_run import JudgedRows
from rankworth.scoring import inputs
from rankworth.scoring.inputs import GRADES
from rankworth.scoring.plans import Plan
from rankworth.settings import UNBROKEN, Ties
from rankworth.whatif.rankings import Counterfactual, MeasureContext, Ranking, refuse
from rankworth.whatif.tie_orders import every_order, expected, in_orders, ties_of

By = Literal["position", "grade", "cutoff", "swap", "ties", "unjudged", "share"]
"""What may be varied."""
BY: Final[tuple[By, ...]] = get_args(By)
Row = dict[str, Any]
_DEEPEST: Final = 1000
"""the deepest rank that is varied unless `n` says more"""
_MAX_SCALE: Final = 100
"""how many grades of all judgements make a scale; of more, those of the query"""
_MAX_RANKINGS: Final = 10_000
"""up to how many rankings all are measured"""
_MAX_DOCUMENTS: Final = 1_000_000
"""how many documents these have together at most"""
_SAMPLE: Final = 1000
"""how many random orders are measured where there are too many"""
_SIZES: Final = 50
"""how many numbers of relevant documents are tried where there are too many ways"""
SEED: Final = 0


@dataclass(frozen=True)
class VariationOptions:
    """What is varied, and how far."""

    by: By
    document: str | None = None
    grades: tuple[float, ...] | None = None
    n: int | None = None
    cutoffs: tuple[int, ...] | None = None


class VariationRow(NamedTuple):
    """One row of a `Variation` to be: what is changed, and to what."""

    to: object
    """of what is varied: the rank, the grade"""
    ranking: Counterfactual | None
    """None for the ranking as it is"""
    description: str
    """for notes on changes that the settings refuse"""
    further: Row
    """further columns"""


@dataclass(frozen=True)
class RankedQuery:
    """One query as a run ranks it, and its value by one measure.

    Attributes:
        label: what tables call the measure.
        context: the judged run, the measure and its settings.
        query: what the judged run calls the query.
        notes: rankings without a value, ranks that were left out, and how ranges were found.

    """

    label: str
    context: MeasureContext
    query: str
    notes: list[str] = field(default_factory=list)

    @property
    def value(self) -> float | None:
        """The value of the ranking as it is; None where the query is left out."""
        return self.context.shown[self.context.positions[self.query]]

    @cached_property
    def ranking(self) -> Ranking:
        """The documents.

        Raises:
            InputError: `duplicate-document` where one stands at several ranks, so that a change of it may mean many
                things.

        """
        ranking = self.context.ranking_of(self.query)
        documents = ranking.documents[: ranking.retrieved]
        if len(set(documents)) < len(documents):
            twice = next(document for rank, document in enumerate(documents) if document in documents[:rank])
            text = f"{twice} counts more than once for {self.query}, so that a change of its rank or grade is not clear"
            remedy = 'say which one counts: duplicates="best", duplicate_judgements="max"'
            raise InputError("duplicate-document", text, remedy=remedy)
        return ranking

    @property
    def ties(self) -> Ties:
        """The setting for documents with equal scores."""
        return self.context.resolved.judging.ties

    @property
    def shares_ranks(self) -> bool:
        """Whether tied documents share their ranks, in a ranking where some are tied."""
        rows = self.ranking.rows
        tied = (rows.tie_last > rows.tie_first)[: self.ranking.retrieved]
        return self.ties in UNBROKEN and bool(tied.any())

    def row(self, document: str) -> int:
        """Return the row of a document.

        Raises:
            InputError: `unknown-document`.

        """
        documents = self.ranking.documents
        if document in documents:
            return documents.index(document)
        near = get_close_matches(document, documents, 3, 0.4) or documents[:3]
        where = "the list of grades" if self.query == GRADES else self.query
        text = f"{where} has no document {shortened(repr(document))}, neither judged nor retrieved"
        remedy = f"did you mean {quoted(near)}? There are {len(documents):,} documents"
        raise InputError("unknown-document", text, remedy=remedy)

    def describe(self, document: str) -> str:
        """Describe a document by its grade and rank: `d7 (grade 2, rank 3)`."""
        row = self.row(document)
        grade = self.ranking.grade(row)
        graded = "nobody judged it" if grade is None else f"grade {grade:g}"
        rank = f"rank {self.ranking.rows.rank[row]:,}" if row < self.ranking.retrieved else "not retrieved"
        return f"{document} ({graded}, {rank})"

    def best_document(self) -> str:
        """Return the first document with the highest grade, retrieved or not."""
        rows = self.ranking.rows
        return self.ranking.documents[int(np.argmax(np.where(rows.is_judged, rows.grade, -np.inf)))]

    def rank(self, position: int) -> int:
        """Return the rank at a position; behind the last document comes the next one."""
        ranks, retrieved = self.ranking.rows.rank, self.ranking.retrieved
        return int(ranks[position - 1]) if position <= retrieved else int(ranks[retrieved - 1]) + 1

    def last_rank(self, last: int, n: int | None) -> int:
        """Return the last rank to vary, `n` if given, and note the ranks left out by default."""
        until = min(last, n or _DEEPEST)
        if until < last and n is None:
            self.notes.append(f"{last:,} ranks, of which the first {until:,} are varied; n says how many")
        return until

    def regraded(self, grades: Mapping[int, float]) -> Counterfactual | None:
        """Return the ranking with other grades; None where no grade changes.

        Raises:
            UsageError: `conflicting-options` for a measure that looks at grades by subtopic.

        """
        if self.context.measure.definition.subtopics and self.ranking.rows.subtopics is not None:
            text = f"{self.label} looks at the grades by subtopic, and another grade would not say for which of them"
            remedy = "by='position', 'swap' and 'cutoff' leave the grades alone"
            raise UsageError("conflicting-options", text, remedy=remedy)
        return self.ranking.regraded(grades) if grades else None

    def change(self, by: str, to: object, value: float | None, **further: object) -> Row:
        """Make one row of a `Variation`: what was changed, to what, the value then, and how much more that is."""
        change = None if value is None or self.value is None else value - self.value
        return {"measure": self.label, by: to, "value": value, "change": change, **further}

    def rows(self, by: By, changes: Sequence[VariationRow]) -> list[Row]:
        """Make the rows of a `Variation`: the value after each change."""
        values = self.values([change.ranking for change in changes], [change.description for change in changes])
        pairs = zip(changes, values, strict=True)
        return [self.change(by, change.to, value, **change.further) for change, value in pairs]

    def values(self, rankings: Sequence[Counterfactual | None], descriptions: Sequence[str] = ()) -> list[float | None]:
        """Measure other rankings; None where one has no value.

        Args:
            rankings: the rankings, None for the one that it is.
            descriptions: what changed in each, for notes on those that the settings refuse; without it none are made.

        Raises:
            RankworthError: where the settings refuse them all.

        """
        measured = iter(self.context.values(self.ranking, [ranking for ranking in rankings if ranking is not None]))
        values = [self.value if ranking is None else next(measured) for ranking in rankings]
        refused = {number: value for number, value in enumerate(values) if isinstance(value, RankworthError)}
        if refused and len(refused) == len(rankings):
            raise refused[0]
        reasons: set[str] = set()
        for number, error in refused.items():
            if descriptions and (reason := str(error.problems[0])) not in reasons:
                self.notes.append(f"{self.label} has no value for {descriptions[number]}: {reason}")
                reasons.add(reason)
        return [None if isinstance(value, RankworthError) else value for value in values]

    def undefined(self, values: Sequence[float | None], subject: str) -> list[float]:
        """Return the values that are numbers, and note how many are not."""
        defined = [value for value in values if value is not None and not math.isnan(value)]
        if len(defined) < len(values):
            self.notes.append(
                f"{self.label}: {len(values) - len(defined):,} of {len(values):,} {subject} have no value"
            )
        return defined


def ranked_queries(qrels: object, run: object, query: str, plan: Plan) -> list[RankedQuery]:
    """Rank one query of a run for each measure of a plan.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`, and as `rankworth.evaluate`.
        MeasureError: as `rankworth.evaluate`; `measure-syntax` for what is counted.
        UsageError: `conflicting-options` where the rows of the query stand apart and are several rankings.

    """
    read = inputs.run(run)
    [(_, contexts)] = runner.inspect_runs(qrels, [read], plan, [query])
    refuse(query, contexts[:1], [read])
    if len(names := contexts[0].names(query)) > 1:
        text = f"the rows of {query} stand apart and are {len(names)} rankings: {quoted(names)}"
        raise UsageError("conflicting-options", text, remedy='blocks="joined" makes one of them')
    return [RankedQuery(context.resolved.label, context, name) for context in contexts for name in context.names(query)]


def by_position(query: RankedQuery, options: VariationOptions) -> list[Row]:
    """Put one document at every rank, while the others keep their order; one that was not retrieved comes in."""
    ranking, document = query.ranking, options.document or ""
    row, first = query.row(document), ranking.rows.tie_first
    until = query.last_rank(ranking.retrieved + (row >= ranking.retrieved), options.n)
    further = {"document": document, "grade": ranking.grade(row)}
    changes = []
    for position in range(1, until + 1):
        moved: Counterfactual | None = ranking.moved(row, position)
        if position == row + 1 <= ranking.retrieved:
            moved = None
        elif query.shares_ranks and moved is not None and 1 < position < len(moved.order):
            above, below = moved.order[position - 2], moved.order[position]
            if first[above] == first[below]:
                continue
        rank = query.rank(position)
        changes.append(VariationRow(rank, moved, f"{document} at rank {rank}", further))
    if len(changes) < until:
        text = f"without ranks between documents of one score, whose order no rank changes (ties={query.ties})"
        query.notes.append(f"{query.label}: {text}")
    return query.rows("position", changes)


def by_grade(query: RankedQuery, options: VariationOptions, beside: float | None = None) -> list[Row]:
    """Give one document every grade, by default those of the judgements; `beside` is another document's in examples."""
    document = options.document or ""
    row, further = query.row(document), {"document": document, "beside": beside}
    scale: Sequence[float] = options.grades or ()
    if not scale:
        every = {0.0, *np.unique(query.context.qrels.grades).tolist()}
        scale = sorted(every if len(every) <= _MAX_SCALE else {0.0, *query.ranking.rows.pool.grades.tolist()})
    now = query.ranking.grade(row)
    graded = ((grade, query.regraded({row: grade})) for grade in scale)
    changes = [
        VariationRow(grade, None if grade == now else other, f"grade {grade:g}", further) for grade, other in graded
    ]
    return query.rows("grade", changes)


def by_swap(query: RankedQuery, options: VariationOptions) -> list[Row]:
    """Swap every pair of neighbours, each with the rank and the score of the other."""
    ranking = query.ranking
    first, documents = ranking.rows.tie_first, ranking.documents
    changes = []
    for row in range(query.last_rank(ranking.retrieved, options.n) - 1):
        is_tied = query.shares_ranks and first[row] == first[row + 1]
        rank = query.rank(row + 1)
        pair = f"{rank}-{query.rank(row + 2)}"
        further = {"rank": rank, "document": documents[row], "other": documents[row + 1]}
        changes.append(
            VariationRow(pair, None if is_tied else ranking.swapped(row), f"the swap of ranks {pair}", further)
        )
    if not changes:
        query.notes.append("there are no two neighbours")
    if any(change.ranking is None for change in changes):
        query.notes.append(f"{query.label}: a swap of documents of one score changes nothing (ties={query.ties})")
    return query.rows("swap", changes)


def by_ties(query: RankedQuery, _: VariationOptions) -> list[Row]:
    """Find the lowest, the mean and the highest value over the orders of tied documents."""
    context, query_index = query.context, query.ranking.query_index
    rows = replace(context.run.judgement.hits.of(np.array([query_index])), document=None, score=None)
    ties = [tie for tie in ties_of(rows) if len(tie.row_groups) > 1]
    orders = math.prod(tie.orders for tie in ties)
    is_exact = orders <= _limit(query.ranking)
    rankings = every_order(rows, ties) if is_exact else _sampled(rows)
    measured = context.cells(rankings, query_index, replace(context.run.judging, ties="id-descending"))
    mean = by_formula = expected(context).tolist()[query_index]
    how = "" if math.isnan(by_formula) else "the mean by its formula"
    if not ties:
        query.notes.append(f"{query.label}: no two documents have the same score")
    elif is_exact:
        query.notes.append(f"{query.label}: over all {orders:,} orders that differ{how and f', {how}'}")
    else:
        how = how or f"the mean of {_SAMPLE:,} random orders (seed {SEED})"
        query.notes.append(f"{query.label}: too many orders for all of them: {how}; lowest and highest among these")
        definition = query.context.measure.definition
        if definition.linear and definition.monotone:
            text = "lowest and highest are exact where better grades gain more and deeper ranks count less"
            query.notes.append(f"{query.label}: {text}")
    values = query.undefined(measured, "orders")
    random = values if is_exact else [value for value in measured[2:] if value is not None and not math.isnan(value)]
    if math.isnan(by_formula):
        mean = math.fsum(random) / len(random) if random else None
    if mean is not None and values and is_exact:
        mean = min(max(mean, min(values)), max(values))  # not beyond them by rounding
    lowest, highest = min(values, default=None), max(values, default=None)
    named = {"as it is": query.value, "lowest": lowest, "mean": mean, "highest": highest}
    return [query.change("ties", name, value) for name, value in named.items()]


def _limit(ranking: Ranking) -> int:
    """Return up to how many rankings of these documents all are measured."""
    return min(_MAX_RANKINGS, _MAX_DOCUMENTS // max(1, ranking.retrieved))


def _sampled(rows: JudgedRows) -> JudgedRows:
    """Order tied documents with the best grades first, the worst ones first, and at random, as one query for each."""
    random, ranks = np.random.default_rng(SEED), []
    for key in (-rows.grade, rows.grade, *(random.random(rows.rank.size) for _ in range(_SAMPLE))):
        rank = np.empty_like(rows.rank)
        rank[np.lexsort((key, rows.tie_first))] = rows.rank
        ranks.append(rank)
    return in_orders(rows, ranks)


def by_unjudged(query: RankedQuery, options: VariationOptions) -> list[Row]:
    """Compute what the value would be if unjudged documents had a grade, by default the best one of the judgements."""
    ranking = query.ranking
    ranks = ranking.rows.rank[: ranking.retrieved]
    until = query.last_rank(int(ranks.max(initial=0)), options.n)
    unjudged = [row for row in range(ranking.retrieved) if not ranking.rows.is_judged[row] and ranks[row] <= until]
    grade = options.grades[0] if options.grades else float(query.context.qrels.grades.max(initial=0.0)) or 1.0
    is_exact = 2 ** len(unjudged) <= _limit(ranking)
    ways = list(product((0.0, grade), repeat=len(unjudged))) if is_exact else _ends(len(unjudged), grade)
    graded = [query.regraded(dict(zip(unjudged, way, strict=True))) for way in ways]
    alone = [query.regraded({row: grade}) for row in unjudged]
    measured = query.values([*graded, *alone], [f"the grade {grade:g}"] * (len(graded) + len(alone)))
    values = measured[: len(ways)]
    if unjudged:
        documents = "one document" if len(unjudged) == 1 else f"{len(unjudged):,} documents"
        note = f"lowest and highest over {'all ' if is_exact else ''}{len(ways):,} ways to give {documents}"
        beyond = "" if is_exact else ", the first ones of them or the last ones relevant; other ways may lie outside"
        query.notes.append(f"{query.label}: {note} grade 0 or {grade:g}{beyond}")
    else:
        query.notes.append(f"{query.label}: all documents are judged")
    defined = query.undefined(values, "ways")
    named = {"as it is": query.value, "none relevant": values[0], "all relevant": values[-1]}
    named |= {"lowest": min(defined, default=None), "highest": max(defined, default=None)}
    rows = [query.change("unjudged", name, value) for name, value in named.items()]
    for row, value in zip(unjudged, measured[len(ways) :], strict=True):
        further = {"document": ranking.documents[row], "rank": int(ranks[row])}
        rows.append(query.change("unjudged", "alone", value, **further))
    return rows


def _ends(count: int, grade: float) -> list[tuple[float, ...]]:
    """List ways to give a grade to the first or the last documents, several numbers of them; none first, all last."""
    sizes = np.unique(np.linspace(1, count - 1, _SIZES).astype(int)).tolist()
    parts = [((grade,) * size, (0.0,) * (count - size)) for size in sizes]
    ways = [way for high, zero in parts for way in (high + zero, zero + high)]
    return [(0.0,) * count, *ways, (grade,) * count]

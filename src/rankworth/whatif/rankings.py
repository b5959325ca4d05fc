"""What a query would be worth if its documents were ranked or graded otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, Pool
from rankworth.errors import InputError, RankworthError, RefusedError, counted, quoted, shortened
from rankworth.judged import Judged
from rankworth.judging import grades
from rankworth.judging.judged_run import COLUMNS, JudgedRows
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import Profile, ResolvedMeasure
from rankworth.scoring.columns import Column
from rankworth.scoring.evaluator import Evaluation
from rankworth.scoring.inputs import facts_of_reading
from rankworth.scoring.measured_run import MeasuredRun
from rankworth.scoring.plans import Plan
from rankworth.settings import UNBROKEN, Judging


@dataclass(frozen=True)
class Counterfactual:
    """One ranking of the documents.

    Attributes:
        order: the rows of the retrieved documents, best first; rows that are not in it were not retrieved.
        alone: a row that shares its score with no other document any more; None where there is none.
        grades: other grades of some rows, None for one that nobody judged.
        exchanged: whether ranks keep their scores, and so their ties, and documents take those of their new rank.

    """

    order: Integers
    alone: int | None = None
    grades: Mapping[int, float | None] = field(default_factory=dict)
    exchanged: bool = False


@dataclass(frozen=True)
class Ranking:
    """The documents of one query: those that were retrieved in rank order, then the judged ones that were not.

    Attributes:
        rows: a row for each; the judged documents are their pool.
        retrieved: how many of them were retrieved.
        query_index: which of the queries of the judged run it is.

    """

    rows: JudgedRows
    retrieved: int
    query_index: int = 0

    @classmethod
    def of(cls, hits: JudgedRows, documents: Sequence[str], grades: Floats, first: int) -> "Ranking":
        """Build the ranking of one query, with the judged documents that are missing from it.

        Args:
            hits: one query, with rows for all documents, as judging hands it on.
            documents: the ids of its judged documents.
            grades: their grades.
            first: which of all judgements the first of these is.

        """
        judgements_retrieved = set() if hits.judgement is None else set(hits.judgement.tolist())
        # [A]: the judged documents that were not retrieved, by number
        absent = np.array(
            [index for index in range(len(documents)) if first + index not in judgements_retrieved], dtype=np.int64
        )
        # [A]: their ranks, behind all that was retrieved
        retrieved, rank = hits.rank.size, int(hits.n_retrieved[0]) + 1 + np.arange(absent.size)
        rows = hits.with_rows(np.zeros_like(absent), rank, (rank, rank), grades[absent])
        if rows.judgement is not None:
            rows.judgement[retrieved:] = first + absent
        if rows.document is not None:
            rows.document[retrieved:] = [documents[index] for index in absent.tolist()]
        if rows.item is not None and rows.catalogue is not None:
            numbers = rows.catalogue.numbers
            rows.item[retrieved:] = [numbers.get(documents[index], -1) for index in absent.tolist()]
        return cls(rows, retrieved)

    @property
    def documents(self) -> list[str]:
        """The ids of all rows."""
        return [] if self.rows.document is None else self.rows.document.tolist()

    @property
    def as_it_is(self) -> Counterfactual:
        """The ranking itself."""
        return Counterfactual(np.arange(self.retrieved))

    def grade(self, row: int) -> float | None:
        """Return the grade of a document; None where nobody judged it."""
        return float(self.rows.grade[row]) if self.rows.is_judged[row] else None

    def moved(self, row: int, rank: int) -> Counterfactual:
        """Move one document to another rank, counted from 1; the others keep their order."""
        order = np.delete(np.arange(self.retrieved), row) if row < self.retrieved else np.arange(self.retrieved)
        return Counterfactual(np.insert(order, rank - 1, row), row)

    def swapped(self, row: int) -> Counterfactual:
        """Swap a document and the next one: each takes the other's place and score."""
        order = np.arange(self.retrieved)
        order[[row, row + 1]] = row + 1, row
        return Counterfactual(order, exchanged=True)

    def regraded(self, grades: Mapping[int, float | None]) -> Counterfactual:
        """Give documents other grades."""
        return Counterfactual(np.arange(self.retrieved), grades=grades)

    def hits(self, counterfactuals: Sequence[Counterfactual]) -> JudgedRows:
        """Build other rankings of the query as judged rows, a query each."""
        # [R]: the rows of all new rankings, ranking after ranking
        retrieved, rows = self.rows, np.concatenate([change.order for change in counterfactuals])
        # [C]: how many documents each new ranking has
        sizes = np.array([len(change.order) for change in counterfactuals], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes  # [C]: where its rows begin among the R
        beyond = 0 if retrieved.judgement is None else 1 + int(retrieved.judgement.max(initial=0))  # of no judgement
        columns: dict[str, Any] = {}
        for name in COLUMNS:
            column = getattr(retrieved, name)
            columns[name] = None if column is None else column[rows]
        ranks = zip(*map(self._ranks, counterfactuals), strict=True)
        columns |= zip(("rank", "tie_first", "tie_last"), map(np.concatenate, ranks), strict=True)
        if (positive := retrieved.positive) is not None:
            columns["positive"] = np.concatenate([_positive(positive, change) for change in counterfactuals])
        for change, start in zip(counterfactuals, starts.tolist(), strict=True):
            for row, grade in change.grades.items():
                places = start + np.flatnonzero(change.order == row)  # where the document stands among the R rows
                columns["is_judged"][places] = grade is not None
                columns["grade"][places] = grade or 0.0
                if columns["elsewhere"] is not None and grade is not None:
                    columns["elsewhere"][places] = True
                if columns["judgement"] is not None and not retrieved.is_judged[row]:  # a judgement of its own
                    columns["judgement"][places] = -1 if grade is None else beyond + row
        pools = [self._pool(change.grades) for change in counterfactuals]
        subtopics = retrieved.subtopics
        if any(change.grades for change in counterfactuals):
            subtopics = None  # they have the grades as they were; who looks at subtopics does not ask for others
        if subtopics is not None:
            counts, by_id = np.repeat(subtopics.counts, sizes.size), np.tile(subtopics.by_id, sizes.size)
            subtopics = replace(subtopics, counts=counts, by_id=by_id)
        return replace(
            retrieved,
            offsets=np.append(starts, rows.size),
            n_retrieved=sizes + (retrieved.n_retrieved[0] - self.retrieved),
            user=None if retrieved.user is None else np.repeat(retrieved.user, sizes.size),
            pool=Pool(np.cumsum([0, *(pool.size for pool in pools)]), np.concatenate(pools)),
            subtopics=subtopics,
            **columns,
        )

    def _ranks(self, change: Counterfactual) -> tuple[Integers, Integers, Integers]:
        """Return `[N]` each: rank, and first and last rank of its group, of each document in a new order."""
        old_ranks = self.rows.rank[: self.retrieved]
        size = len(change.order)
        rank = old_ranks[:size]
        if size > self.retrieved:
            last = int(old_ranks[-1]) if self.retrieved else 0
            rank = np.append(old_ranks, last + 1 + np.arange(size - self.retrieved))
        tied = self.rows.tie_last > self.rows.tie_first  # which of all rows share their score
        if not tied.any():
            return rank, rank, rank
        if change.exchanged:
            return rank, self.rows.tie_first[:size], self.rows.tie_last[:size]
        # [N]: which documents of the new order share their score with none
        apart = (change.order == change.alone) | ~tied[change.order]
        # [N]: the first rank of the old tie, or a number below 0 for each that is apart
        group = np.where(apart, -1 - np.arange(size), self.rows.tie_first[change.order])
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[:size])  # [G]: where each new tie begins
        lengths = np.diff(starts, append=size)  # [G]: how many documents it has
        return rank, np.repeat(rank[starts], lengths), np.repeat(rank[starts + lengths - 1], lengths)

    def _pool(self, grades: Mapping[int, float | None]) -> Floats:
        """Return `[P]`, the grades of the judged documents, best first."""
        if not grades:
            return self.rows.pool.grades
        remaining = self.rows.pool.grades.tolist()
        for row, grade in grades.items():
            if self.rows.is_judged[row]:
                remaining.remove(float(self.rows.grade[row]))
            remaining += [] if grade is None else [float(grade)]
        return np.array(sorted(remaining, reverse=True), dtype=np.float64)


def _positive(positive: NDArray[np.bool_], change: Counterfactual) -> NDArray[np.bool_]:
    """Return `[N]`, whether the score of each document in a new order is above 0.

    A score of its own lies between those of the others; between one above 0 and one that is not, it keeps its sign.

    Args:
        positive: the same of each row.
        change: the new order.

    """
    if change.exchanged:
        return positive[: len(change.order)]
    signs = positive[change.order]
    for index in np.flatnonzero(change.order == change.alone).tolist():
        signs[index] = signs[index + 1 :].any() or (signs[index] and signs[:index].all())
    return signs


def possible_ranks(ranking: Ranking, deepest: int, most: int = 100) -> list[int]:
    """List the ranks to which a document may come, from 1 on.

    Args:
        ranking: the ranking.
        deepest: the last rank.
        most: beyond which only ranks next to judged documents are tried: between them nothing changes but the rank.

    """
    if deepest <= most:
        return list(range(1, deepest + 1))
    judged_ranks = np.flatnonzero(ranking.rows.is_judged[: ranking.retrieved]) + 1
    near = {*range(1, most + 1), *judged_ranks.tolist(), *(judged_ranks + 1).tolist(), deepest}
    return [rank for rank in sorted(near) if rank <= deepest]


def splits_tie(ranking: Ranking, row: int, rank: int) -> bool:
    """Return whether a document that comes to a rank stands between two other documents of one score."""
    above, below = (other if other < row else other + 1 for other in (rank - 2, rank - 1))
    if rank == 1 or below >= ranking.retrieved:
        return False
    return bool(ranking.rows.tie_first[above] == ranking.rows.tie_first[below])


_ROWS = 1 << 18
"""how many documents are measured at once"""


@dataclass(frozen=True)
class MeasureContext:
    """One measure of one run, and all that makes numbers of its queries.

    Attributes:
        resolved: the measure with its settings.
        profile: the conventions.
        run: the judged run as the settings have it; queries that are shown have rows for all documents, with ids.
        column: the values as they are averaged.
        facts_of_reading: how the judgements and the run were read, as signatures say it.

    """

    resolved: ResolvedMeasure
    profile: Profile
    run: MeasuredRun = field(repr=False)
    column: Column = field(repr=False)
    facts_of_reading: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def measure(self) -> Measure:
        """The measure alone."""
        return self.resolved.quantity  # type: ignore[return-value]

    @property
    def qrels(self) -> Qrels:
        """The judgements that count."""
        return self.run.qrels

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each query stands."""
        return {query: index for index, query in enumerate(self.run.standing.queries)}

    @cached_property
    def judged(self) -> frozenset[str]:
        """The queries with judgements that count."""
        return frozenset(self.qrels.queries)

    @cached_property
    def shown(self) -> list[float | None]:
        """The value of each query; None for a query left out, NaN for an undefined value."""
        pairs = zip(self.column.visible.tolist(), self.column.listed.tolist(), strict=True)
        return [value if is_listed else None for value, is_listed in pairs]

    def names(self, query: str) -> list[str]:
        """Return a query's names in the judged run: several where its rows stand apart as several rankings."""
        whole = [query] if query in self.positions and query in self.judged else []
        if self.resolved.judging.blocks == "joined":
            return whole
        return whole + [name for name in self.positions if name != query and name.rpartition(" (")[0] == query]

    def block(self, places: Integers) -> Judged:
        """Return some queries as the measure sees them, before it cuts anything."""
        block = self.run.hits.block(places)
        return block.condensed if self.run.condensed else block

    def ranking(self, block: Judged) -> Judged:
        """Cut a block as the measure itself cuts it, row for row what its terms belong to."""
        condensed = block.condensed if self.measure.judged_only else block
        return condensed if self.measure.cutoff is None else condensed.cut(self.measure.cutoff)

    def ranking_of(self, query: str) -> Ranking:
        """Return the documents of one query, ranked, with the judged ones that were not retrieved."""
        query_index = self.positions[query]
        at = self.qrels.queries.index(query)
        start, end = self.qrels.offsets[at : at + 2].tolist()
        hits = grades.with_ties_by_grade(self.run.judgement.hits.of(np.array([query_index])), self.run.judging)
        ranking = Ranking.of(hits, self.qrels.documents_of(at), self.qrels.grades[start:end], start)
        return replace(ranking, query_index=query_index)

    def values(
        self, ranking: Ranking, counterfactuals: Sequence[Counterfactual], measure: Measure | None = None
    ) -> list[float | RankworthError | None]:
        """Evaluate other rankings of a query.

        Args:
            ranking: the documents of the query.
            counterfactuals: what changes in each.
            measure: another measure than that of the context, under the same settings.

        Returns:
            For each the value, None where it would have none, or the error with which it is refused.

        """
        longest = max((len(change.order) for change in counterfactuals), default=1)
        step = max(1, _ROWS // max(1, longest))
        parts = (counterfactuals[start : start + step] for start in range(0, len(counterfactuals), step))
        return [value for part in parts for value in self._values_or_errors(ranking, part, measure)]

    def _values_or_errors(
        self, ranking: Ranking, counterfactuals: Sequence[Counterfactual], measure: Measure | None
    ) -> list[float | RankworthError | None]:
        """Evaluate several rankings at once; after a refusal each half, down to the refused ranking."""
        try:
            hits = ranking.hits(counterfactuals)
            # other grades may be such that other settings matter
            judging = grades.effective(self.resolved.judging, hits)
            if self.run.judging.ties in UNBROKEN:
                judging = replace(judging, ties=self.run.judging.ties)
            return [*self.cells(hits, ranking.query_index, judging, measure)]
        except RankworthError as error:
            if len(counterfactuals) == 1:
                return [self.profile.refused(error, self.resolved.label) if isinstance(error, RefusedError) else error]
        half = len(counterfactuals) // 2
        return self._values_or_errors(ranking, counterfactuals[:half], measure) + self._values_or_errors(
            ranking, counterfactuals[half:], measure
        )

    def cells(
        self, hits: JudgedRows, query_index: int, judging: Judging, measure: Measure | None = None
    ) -> list[float | None]:
        """Return the values of other rankings of a query; None for no value, NaN for an undefined value.

        Args:
            hits: the rankings.
            query_index: which of the queries of the judged run it is.
            judging: the settings that change something of them.
            measure: another measure than that of the context, under the same settings.

        Raises:
            RankworthError: where the settings refuse one of them.

        """
        run, column = self._measured(hits, judging, measure or self.measure)
        values = column.visible
        if self.resolved.averaging.all_negative == "previous":
            # the values of the queries before this query
            before = self.column.visible[:query_index][self.column.listed[:query_index]]
            is_negative = run.standing.judged & run.standing.negative
            values = np.where(is_negative, before[-1] if before.size else 0.0, values)
        return [
            value if listed else None for value, listed in zip(values.tolist(), column.listed.tolist(), strict=True)
        ]

    def column_of(self, hits: JudgedRows, judging: Judging | None = None, queries: Integers | None = None) -> Column:
        """Return the values of other rankings, one query each.

        Args:
            hits: the rankings.
            judging: the settings that change something of them; None where their grades are settled.
            queries: whose rankings these are; where not said, none has an empty list.

        Raises:
            RankworthError: where the settings refuse one of them.

        """
        return self._measured(hits, judging, self.measure, queries)[1]

    def _measured(
        self, hits: JudgedRows, judging: Judging | None, measure: Measure, queries: Integers | None = None
    ) -> tuple[MeasuredRun, Column]:
        names = [str(number) for number in range(1, hits.n_retrieved.size + 1)]
        judged = None
        if judging is not None:
            if judging.judgements == "relevant" or judging.negative == "dropped":
                judged = grades.graded(hits, judging, names).pool.lengths > 0
            hits = grades.settle(hits, judging, names)
        empty = None if queries is None else self.run.standing.empty[queries]
        run = self.run.with_rankings(hits, names, [measure], judging=judging, judged=judged, empty=empty)
        of_queries = replace(self.resolved.averaging, all_negative="keep", no_queries="nan")
        return run, run.column(measure, of_queries)


def contexts(evaluation: Evaluation, plan: Plan) -> list[MeasureContext]:
    """Put the measures of a plan that are numbers beside the run under their settings, and their values.

    Raises:
        RankworthError: where settings refuse the run.

    """
    rules = facts_of_reading(evaluation.judgements, evaluation.run)
    return [
        MeasureContext(measure, plan.profile, evaluation.measured_run(measure), evaluation.column(measure), rules)
        for measure in plan.numbers
    ]


def refuse(query: str, contexts: Sequence[MeasureContext], runs: Sequence[Run], *, alone: bool = True) -> None:
    """Refuse a query of which there is nothing to explain.

    Args:
        query: its id.
        contexts: the same measure of each run.
        runs: the runs.
        alone: whether this is the only query, so that without results there is nothing to explain.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`.

    """
    names_by_run = [context.names(query) for context in contexts]
    if not any(names_by_run):
        judged = contexts[0].qrels.queries
        unjudged = [unjudged_query for each in contexts for unjudged_query in each.run.judgement.unjudged]
        if query in unjudged:
            raise InputError(
                "unjudged-queries",
                f"{query} has results and no judgements, so that there is nothing to measure",
                remedy=f"judged are {quoted(judged)}",
            )
        every = list(dict.fromkeys([*judged, *unjudged]))
        near = get_close_matches(query, every, 3, 0.4) or every[:3]
        raise InputError(
            "unknown-query",
            f"there is no query {shortened(repr(query))}, neither in the judgements nor in the run",
            remedy=f"did you mean {quoted(near)}? There {'is' if len(every) == 1 else 'are'} {counted(len(every))}",
        )
    for context, run, names in zip(contexts, runs, names_by_run, strict=True):
        if len(runs) > 1 or not alone or any(context.run.standing.answered[context.positions[name]] for name in names):
            continue
        value = context.shown[context.positions[names[0]]]
        consequence = f"{context.resolved.label} " + ("is left out" if value is None else f"counts as {value:g}")
        raise InputError(
            "unanswered-query",
            f"{query} is judged, and {run.name or 'the run'} has no document for it, so that {consequence}",
            remedy="there is nothing to explain: look for the query in the run",
        )

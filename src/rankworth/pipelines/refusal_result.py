"""What `silence` returns: the curve over thresholds, what the chosen one gives, and the queries it is wrong for."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from rankworth.errors import counted
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name

_SHOWN: Final = 11
"""thresholds that the table has"""
_LISTED: Final = 5
"""queries of either error that the table has"""
CHOSEN: Final = "chosen"


class Threshold(NamedTuple):
    """The outcome of all queries if those with a top score of at least the threshold are answered."""

    threshold: float
    """infinite where nothing is answered"""
    answered: int
    refused: float
    """the share of queries that are not answered"""
    wrong_answers: int
    """queries without an answer that are answered"""
    wrong_answer_rate: float
    """their share of the queries without an answer"""
    wrong_answer_low: float
    wrong_answer_high: float
    wrong_silences: int
    """queries with an answer that are not answered"""
    wrong_silence_rate: float
    """their share of the queries with an answer"""
    wrong_silence_low: float
    wrong_silence_high: float
    quality: float
    """the mean over the answered queries, in which those without an answer count 0; NaN where nothing is answered"""
    value: float
    """the mean over all queries, in which silence is worth 1 where there is no answer, as `no_relevant=silence`"""
    cost: float
    """of the errors, per query"""


class Policy(NamedTuple):
    """What a way to answer gives on some queries."""

    policy: str
    queries: str
    """on which: those on which the threshold was chosen, or others"""
    number: int
    threshold: float
    """infinite where nothing is answered"""
    without_answer: int
    wrong_answers: int
    wrong_answer_rate: float
    wrong_answer_low: float
    wrong_answer_high: float
    with_answer: int
    wrong_silences: int
    wrong_silence_rate: float
    wrong_silence_low: float
    wrong_silence_high: float
    value: float
    """the mean over these queries, in which silence is worth 1 where there is no answer"""
    cost: float
    """of the errors, per query"""
    cost_low: float
    cost_high: float


class GroupThreshold(NamedTuple):
    """What the chosen threshold gives on the queries of a group on which it was not chosen."""

    column: str
    group: str
    number: int
    threshold: float
    without_answer: int
    wrong_answers: int
    wrong_answer_rate: float
    """NaN where no query is without an answer"""
    wrong_answer_low: float
    wrong_answer_high: float
    with_answer: int
    wrong_silences: int
    wrong_silence_rate: float
    """NaN where no query has an answer"""
    wrong_silence_low: float
    wrong_silence_high: float
    cost: float
    """of the errors, per query"""
    cost_low: float
    cost_high: float
    separation: float
    """over all queries of the group; NaN where all have an answer, or none has"""
    cheapest: float
    """the threshold of the least cost over all queries of the group, which were not held out for it"""


class Splits(NamedTuple):
    """The choices of many divisions into tuning and other queries, and their costs; means over the divisions."""

    splits: int
    tuning_cost: float
    held_out_cost: float
    answer_all_cost: float
    """of answering every query, on the same other queries"""
    low: float
    """the 5th percentile of the chosen thresholds"""
    high: float
    """their 95th percentile"""


class QueryError(NamedTuple):
    """A query for which the chosen threshold is wrong."""

    error: Literal["wrong answer", "wrong silence"]
    query: Any
    score: float
    """its top score; minus infinity where nothing is returned"""
    text: str


@dataclass(frozen=True, repr=False)
class Silence(Analysis[Literal["thresholds", "policies", "splits", "queries", "groups"]]):
    """Refusal against quality over every threshold of the top score, and the threshold that costs choose.

    The tables of columns are `thresholds`, `policies`, `splits`, `queries` and `groups`.

    Attributes:
        run: the name of the run.
        measure: by which answers are measured.
        with_answer: how many queries have a relevant document.
        without_answer: how many have none.
        wrong_answer: what an answer costs where there is none.
        wrong_silence: what silence costs where there is an answer.
        level: of the intervals.
        seed: of the split into tuning and other queries; None where the threshold was named.
        separation: the chance that a query with an answer has a higher top score than one without; ties count half.
        thresholds: every threshold, on all queries, from the lowest on.
        policies: the chosen threshold on tuning and on other queries, beside answering everything and nothing.
        splits: what many splits choose; None where the threshold was named, or there are too few queries.
        queries: those for which the chosen threshold is wrong, tuning queries or not, the farthest from it first.
        groups: what the chosen threshold gives in each group, where `by` names some.
        notes: what is to be known.

    """

    _SCHEMA: ClassVar = "rankworth.silence/1"
    _TABLES: ClassVar = ("thresholds", "policies", "splits", "queries", "groups")
    _RECORD: ClassVar = (
        *("run", "measure", "with_answer", "without_answer", "wrong_answer", "wrong_silence", "level", "seed"),
        *("threshold", "separation", "verdict", "policies", "splits", "thresholds", "queries", "groups"),
    )
    run: str
    measure: str
    with_answer: int
    without_answer: int
    wrong_answer: float
    wrong_silence: float
    level: float
    seed: int | None
    separation: float
    thresholds: tuple[Threshold, ...]
    policies: tuple[Policy, ...]
    splits: Splits | None = None
    queries: tuple[QueryError, ...] = ()
    groups: tuple[GroupThreshold, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def held_out(self) -> Policy | None:
        """The chosen threshold on queries outside its choice; None with too few queries to split."""
        rows = [row for row in self.policies if row.policy == CHOSEN]
        return rows[-1] if rows else None

    @property
    def threshold(self) -> float | None:
        """The chosen threshold, infinite if silence is cheapest; None with too few queries to choose."""
        return None if self.held_out is None else self.held_out.threshold

    @property
    def verdict(self) -> str:
        """What the chosen threshold gives on other queries, in one sentence."""
        if (held_out := self.held_out) is None:
            return f"{counted(self.without_answer)} without an answer, {self.with_answer:,} with: too few to choose on"
        chosen = "" if self.seed is None else ", chosen on other queries,"
        errors = (
            f"answers {held_out.wrong_answers:,} of {counted(held_out.without_answer)} without an answer "
            f"and is silent for {held_out.wrong_silences:,} of {held_out.with_answer:,} with one"
        )
        if held_out.threshold == math.inf:
            return f"by these costs nothing is to be answered: that{chosen} {errors}"
        return f"to answer from a top score of {held_out.threshold!r} on{chosen} {errors}"

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "splits":
            return by_name(Splits._fields, [] if self.splits is None else [self.splits])
        kinds: dict[str, Any] = {
            "thresholds": Threshold,
            "policies": Policy,
            "queries": QueryError,
            "groups": GroupThreshold,
        }
        return by_name(kinds[of]._fields, getattr(self, of))

    def sheets(self) -> list[Sheet]:
        """Return what the chosen threshold gives, and the curve over thresholds."""
        percent = f"{100 * self.level:g} %"
        notes = (
            "wrong answers: share of the queries without an answer that are answered",
            f"wrong silences: share of those with an answer that are not; both have exact {percent} intervals",
            *self.notes,
        )
        sheets = []
        if self.policies:
            rows = self._columns("policies")
            columns: tuple[Column, ...] = (
                Column("policy", "text", [_policy(row) for row in self.policies]),
                Column("queries", "text", rows["queries"]),
                Column("n", "count", rows["number"]),
                *_errors(rows),
                Column("cost", "value", rows["cost"], bounds=_bounds(rows, "cost")),
            )
            sheets.append(Sheet(columns, notes, title=self.verdict))
        rows = by_name(Threshold._fields, self._chosen_thresholds())
        columns = (
            Column("answer from", "text", [written(each) for each in rows["threshold"]]),
            Column("refused", "share", rows["refused"]),
            *_errors(rows),
            Column("quality", "value", rows["quality"]),
            Column("value", "value", rows["value"]),
        )
        total = len(self.thresholds)
        title = f"{self.measure} of {self.run} by the top score from which it answers"
        title += f": {len(rows['threshold'])} of {total:,} thresholds" if total > _SHOWN else ""
        meaning = (
            "quality: the mean over answered queries, 0 where there is no answer",
            "value: the mean over all, 1 for silence where there is no answer (no_relevant=silence)",
            "each interval is about its own threshold",
        )
        sheets.append(Sheet(columns, (*(() if sheets else notes), *meaning), title=title))
        return [*sheets, *self._of_groups(), *self._of_queries()]

    def _of_groups(self) -> Iterator[Sheet]:
        """Yield what the chosen threshold gives in the groups of each column."""
        for column in dict.fromkeys(row.column for row in self.groups):
            rows = by_name(GroupThreshold._fields, [row for row in self.groups if row.column == column])
            columns = (
                Column(column, "text", rows["group"]),
                Column("n", "count", rows["number"]),
                *_errors(rows),
                Column("cost", "value", rows["cost"], bounds=_bounds(rows, "cost")),
                Column("separation", "value", rows["separation"]),
                Column("cheapest", "text", [written(each) for each in rows["cheapest"]]),
            )
            meaning = "cheapest: the threshold of the least cost over all queries of the group, not held out for it"
            yield Sheet(columns, (meaning,), title=f"answer from {written(self.groups[0].threshold)}, by {column}")

    def _of_queries(self) -> Iterator[Sheet]:
        """Yield the queries that are farthest on the wrong side of the chosen threshold, some of either error."""
        kinds = ("wrong answer", "wrong silence")
        listed = [[row for row in self.queries if row.error == kind] for kind in kinds]
        rows = [row for each in listed for row in each[:_LISTED]]
        if rows:
            columns = [
                Column("error", "text", [row.error for row in rows]),
                Column("query", "text", [str(row.query) for row in rows]),
                Column("top score", "text", [f"{row.score:.6g}" if row.score > -math.inf else "none" for row in rows]),
            ]
            if any(row.text for row in rows):
                columns.append(Column("text", "text", [row.text for row in rows]))
            title = "queries on the wrong side of the threshold, the farthest first"
            yield Sheet(
                tuple(columns), title=title if len(rows) == len(self.queries) else f"{title}: {_LISTED} of each"
            )

    def _record(self) -> dict[str, Any]:
        return {**super()._record(), "queries": [each._asdict() | {"query": str(each.query)} for each in self.queries]}

    def _chosen_thresholds(self) -> list[Threshold]:
        """Return some thresholds, evenly by how many queries are answered, and the chosen one."""
        if len(self.thresholds) <= _SHOWN:
            return list(self.thresholds)
        answered = np.array([row.answered for row in self.thresholds])
        wanted = np.linspace(answered[0], 0, _SHOWN)
        places = {int(np.argmin(np.abs(answered - each))) for each in wanted}
        if self.threshold is not None:
            above = [place for place, row in enumerate(self.thresholds) if row.threshold >= self.threshold]
            places.add(above[0])
        return [self.thresholds[place] for place in sorted(places)]


def written(threshold: float) -> str:
    """Write a threshold with six digits; `never` for the infinite one."""
    return "never" if threshold == math.inf else f"{threshold:.6g}"


def _policy(row: Policy) -> str:
    if row.policy != CHOSEN:
        return row.policy
    return "nothing, as chosen" if row.threshold == math.inf else f"answer from {row.threshold:.6g}"


def _errors(rows: dict[str, list[Any]]) -> tuple[Column, Column]:
    """Return the columns of the two error rates with their intervals."""
    return tuple(  # type: ignore[return-value]
        Column(f"wrong {kind}s", "share", rows[f"wrong_{kind}_rate"], bounds=_bounds(rows, f"wrong_{kind}"))
        for kind in ("answer", "silence")
    )


def _bounds(rows: dict[str, list[Any]], name: str) -> list[tuple[float, float]]:
    return list(zip(rows[f"{name}_low"], rows[f"{name}_high"], strict=True))

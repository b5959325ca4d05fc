"""`silence`: from which top score on to answer, where queries without an answer are among the queries."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError, counted, quoted
from rankworth.evaluation.runner import evaluate
from rankworth.groups import Groups, Slices
from rankworth.io import query_texts
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.pipelines.quantity import of_queries
from rankworth.pipelines.refusal_result import (
    CHOSEN,
    GroupThreshold,
    Policy,
    QueryError,
    Silence,
    Splits,
    Threshold,
    written,
)
from rankworth.profiles import DEFAULT, Profile
from rankworth.scoring import inputs
from rankworth.stats.proportions import exact_intervals
from rankworth.stats.resampling import intervals
from rankworth.stats.samples import share

if TYPE_CHECKING:
    from rankworth.io.source import Progress

MEASURE: Final = "nDCG@10"
SPLITS: Final = 200
_UNFOLLOWED: Final = (
    *("order", "unjudged", "exclude", "blocks", "pairing"),
    *("missing", "extra", "no_relevant", "undefined", "no_hit", "weights", "macro", "quirks"),
)
"""settings of an evaluation that change which score is the top one, or which queries count and how much"""
_LEAST: Final = 2
"""queries of either kind that a split takes"""
_RANGE: Final = (5, 95)
"""percentiles of the thresholds of many splits"""
_POLICIES: Final = {"answer everything": -math.inf, "answer nothing": math.inf}
_LOWEST: Final = float(np.finfo(np.float64).min)
"""above the score of queries for which nothing is returned, which are silent at every threshold"""
_CELLS: Final = 4_000_000
"""queries of splits that are looked at together"""


def silence(
    qrels: object,
    run: object,
    measure: str | Measure = MEASURE,
    *,
    wrong_answer: float = 1.0,
    wrong_silence: float = 1.0,
    threshold: float | None = None,
    seed: int = 0,
    level: float = 0.95,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    table: object = None,
    by: object = None,
    progress: "Progress | None" = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`
) -> Silence:
    """Find from which top score on a system should answer, where some queries have no answer.

    A query has an answer if a document has a grade above 0; one that is judged without such a document has none:
    `{"q7": {}}`, or grades of 0 only. At a threshold, queries whose highest score reaches it are answered, all others
    are not. The curve has each top score as a threshold, and infinity, from which nothing is answered. The queries with
    and those without an answer are divided into halves by chance: on one half, the tuning queries, the threshold of the
    least mean cost is chosen, the lowest of equal ones; on the other half it is measured.

    Args:
        qrels: as for `evaluate`.
        run: one run with scores that can be compared from query to query.
        measure: by which answers are measured: one measure of queries of which more is better.
        wrong_answer: what an answer costs where there is none, from 0.
        wrong_silence: what silence costs where there is an answer, from 0.
        threshold: one that was chosen on other queries, which is then measured on all of these.
        seed: of the split; equal seeds give equal splits, whatever the order of the queries.
        level: the confidence level of the intervals.
        queries: as for `evaluate`.
        rel: as for `evaluate`; a query has an answer by a grade above 0 all the same.
        profile: as for `evaluate`.
        table: as for `evaluate`; texts of queries are shown where it has them.
        by: as for `evaluate`: what the threshold gives in each group, and which one would cost least there, stands in
            `groups`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`, but for those that change which score is the top one and which queries count.

    Returns:
        A `Silence`; its `held_out` is what the chosen threshold gives on other queries.

    Raises:
        InputError: as `evaluate`; `one-kind-of-query` where all queries have an answer, or none has; `bad-score` where
            the run has ranks and no scores.
        MeasureError: as `evaluate`; `measure-syntax` for what is no mean over queries, or is better where it is lower.
        UsageError: `unfollowed-setting`, `unknown-setting`.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}, "q4": {}}
    >>> run = {"q1": {"a": 0.9}, "q2": {"x": 0.4, "b": 0.3}, "q3": {"c": 0.6}, "q4": {"c": 0.1}}
    >>> found = silence(qrels, run, "RR")
    >>> [(row.threshold, row.wrong_answers, row.wrong_silences, row.value) for row in found.thresholds]
    [(0.1, 2, 0, 0.375), (0.4, 1, 0, 0.625), (0.6, 1, 1, 0.5), (0.9, 0, 1, 0.75), (inf, 0, 2, 0.5)]
    >>> found.separation
    0.75
    """
    quantity = of_queries(measure)
    if quantity.definition.better == "lower":
        text = f"{quantity} is better where it is lower, and silence is worth 1 here where there is no answer"
        raise MeasureError("measure-syntax", text, remedy="choose by nDCG@10, RR@10, Success@5 or AP")
    named = [name for name in _UNFOLLOWED if settings.get(name) is not None]
    if named or settings.get("duplicates") not in (None, "best"):
        named = named or ["duplicates"]
        text = f"{named[0]}={settings[named[0]]!r} changes which score is the top one, or which queries count"
        raise UsageError("unfollowed-setting", text, remedy="leave it out, or change run and judgements themselves")
    costs = _number("wrong_answer", wrong_answer), _number("wrong_silence", wrong_silence)
    named_threshold = None if threshold is None else _number("threshold", threshold, least=-math.inf)
    share("level", level)
    judgements = qrels if isinstance(qrels, Qrels) and queries is None else Qrels(qrels, queries=queries)
    [ranked] = inputs.runs({"": run} if isinstance(run, dict) else [run]).values()
    ranked = ranked.held(progress)
    every_query = {"missing": "zero", "no_relevant": "keep", "undefined": 0.0, "extra": "ignore"}
    options = {"rel": rel, "profile": profile, **every_query, **settings}
    groups = None if by is None else Slices.of(table, by=by).by
    evidence = _Evidence.of(judgements, ranked, quantity, options, costs)
    found = evidence.silence(ranked.name or "the run", str(quantity), named_threshold, seed, level, groups)
    if found.threshold is None:
        return found
    texts = {} if table is None else query_texts.queries(table).texts
    return replace(found, queries=tuple(evidence.wrong(found.threshold, texts)))


def _number(name: str, value: object, *, least: float = 0.0) -> float:
    """Return a finite number of an argument.

    Raises:
        UsageError: `unknown-setting`.

    """
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < least:  # type: ignore[arg-type,operator]
        bound = " from 0" if least == 0 else ""
        raise UsageError("unknown-setting", f"{name}={value!r}: it is a finite number{bound}")
    return float(value)  # type: ignore[arg-type]


class _Chosen(NamedTuple):
    """What several sets of tuning queries choose, `[S]` each."""

    threshold: Floats
    tuning_cost: Floats
    held_out_cost: Floats
    answer_all_cost: Floats


@dataclass(frozen=True)
class _Evidence:
    """What is known of each query, and what errors cost.

    Attributes:
        score: `[Q]`, the top score; minus infinity where nothing is returned.
        has_answer: `[Q]`, whether it has a relevant document.
        value: `[Q]`, the value if it is answered; 0 where it has no answer.
        silent_value: `[Q]`, the value if it is not; 1 where it has no answer.
        costs: what an answer costs where there is none, and what silence costs where there is one.
        ids: of the queries.

    """

    score: Floats
    has_answer: NDArray[np.bool_]
    value: Floats
    silent_value: Floats
    costs: tuple[float, float]
    ids: Sequence[Any] = ()

    @classmethod
    def of(
        cls, qrels: Qrels, run: Run, measure: Measure, options: dict[str, Any], costs: tuple[float, float]
    ) -> "_Evidence":
        """Measure a run and a run that returns nothing, and read the top scores; queries in the order of their ids.

        Raises:
            InputError: `one-kind-of-query`, `bad-score`.

        """
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            measured = evaluate(qrels, run, [measure], **options)
            silent = evaluate(qrels, Run.without_rows(run.name), [measure], **options)
        if not run.facts.has_scores:
            text = f"{run.name or 'the run'} has ranks and no scores, and a threshold is one of the score"
            raise InputError("bad-score", text, remedy="give the run with the scores that its ranks were made of")
        ids = list(measured.per_query.ids)
        without = set(map(str, measured.counts.queries["no_relevant_queries"]))
        has_answer = np.array([str(query) not in without for query in ids], dtype=bool)
        if has_answer.all() or not has_answer.any():
            kind = "every query has an answer" if has_answer.all() else "no query has an answer"
            text = f"{kind} ({counted(len(ids))}), and a threshold tells those with one from those without"
            remedy = "judge queries without an answer, too: with grades of 0 only, or in Python as {}"
            raise InputError("one-kind-of-query", text, remedy=remedy)
        best = {str(query): score for query, score in _top_scores(run)}
        if endless := [query for query, score in best.items() if not math.isfinite(score)]:
            text = f"the top score of {quoted(endless)} is not finite, and a threshold is a finite number"
            raise InputError("bad-score", text, remedy="write a large number in its stead")
        value, silent_value = (np.nan_to_num(each.per_query.array[:, 0]) for each in (measured, silent))
        return cls(
            np.array([best.get(str(query), -math.inf) for query in ids]),
            has_answer,
            np.where(has_answer, value, 0.0),
            np.where(has_answer, silent_value, 1.0),
            costs,
            ids,
        )

    def wrong(self, threshold: float, texts: Mapping[str, str]) -> Iterator[QueryError]:
        """Yield the queries for which a threshold is wrong, the farthest from it first; texts by query."""
        wrong = np.flatnonzero((self.score >= threshold) != self.has_answer)
        ascending = wrong[np.argsort(self.score[wrong], kind="stable")].tolist()
        silent = [place for place in ascending if self.has_answer[place]]
        answered = [place for place in reversed(ascending) if not self.has_answer[place]]
        for places, error in ((answered, "wrong answer"), (silent, "wrong silence")):
            for place in places:
                query = self.ids[place]
                yield QueryError(error, query, float(self.score[place]), texts.get(str(query), ""))  # type: ignore[arg-type]

    def part(self, queries: NDArray[np.bool_]) -> "_Evidence":
        """Return what is known of some queries."""
        score, has_answer = self.score[queries], self.has_answer[queries]
        return _Evidence(score, has_answer, self.value[queries], self.silent_value[queries], self.costs)

    @property
    def thresholds(self) -> Floats:
        """`[T]`: the top scores, each once, ascending, and infinity."""
        return np.append(np.unique(self.score[np.isfinite(self.score)]), math.inf)

    def totals(self, thresholds: Floats, *columns: Floats) -> list[Floats]:
        """Return of each column its sum over the queries that are answered, `[T]`."""
        order = np.argsort(self.score, kind="stable")
        first = np.searchsorted(self.score[order], np.maximum(thresholds, _LOWEST), side="left")
        sums = (np.concatenate((np.cumsum(column[order][::-1])[::-1], [0.0])) for column in columns)
        return [column[first] for column in sums]

    def errors(self, thresholds: Floats) -> tuple[Integers, Integers]:
        """Count the wrong answers and the wrong silences, `[T]` each."""
        with_answer, all_answered = self.totals(thresholds, self.has_answer.astype(float), np.ones(self.score.size))
        wrong_answers = np.rint(all_answered - with_answer).astype(np.int64)
        return wrong_answers, np.rint(self.has_answer.sum() - with_answer).astype(np.int64)

    def mean_costs(self, thresholds: Floats) -> Floats:
        """Return the cost of the errors, per query, `[T]`."""
        (of_answer, of_silence), (wrong_answers, wrong_silences) = self.costs, self.errors(thresholds)
        costs: Floats = (of_answer * wrong_answers + of_silence * wrong_silences) / self.score.size
        return costs

    def cheapest(self, tuning: NDArray[np.bool_]) -> "_Chosen":
        """Choose by several sets of tuning queries the threshold of the least cost, the lowest of equal ones.

        Args:
            tuning: `[S, Q]`, whether each query is a tuning query.

        """
        order = np.argsort(self.score, kind="stable")
        score, has_answer, tuning = self.score[order], self.has_answer[order], tuning[:, order]
        starts = np.flatnonzero(np.append(True, score[1:] != score[:-1]) & np.isfinite(score))  # [T - 1]
        places = np.append(starts, score.size)  # [T]: the first query that is answered, by threshold
        thresholds = np.append(score[starts], math.inf)

        def costs(counted: NDArray[np.bool_]) -> Floats:
            """Return the mean cost over the queries that are counted, `[S, T]`."""
            silent, wrong = (
                np.pad(np.cumsum(counted & kind, axis=1), ((0, 0), (1, 0))) for kind in (has_answer, ~has_answer)
            )
            answered: Integers = wrong[:, -1:] - wrong[:, places]
            total = self.costs[0] * answered + self.costs[1] * silent[:, places]
            means: Floats = total / counted.sum(axis=1, keepdims=True)
            return means

        present = np.add.reduceat(tuning, starts, axis=1) > 0 if starts.size else tuning[:, :0]
        allowed = np.pad(present, ((0, 0), (0, 1)), constant_values=True)  # [S, T]: a top score of a tuning query
        where_chosen, elsewhere = costs(tuning), costs(~tuning)
        best = np.argmin(np.where(allowed, where_chosen, math.inf), axis=1)
        rows = np.arange(best.size)
        return _Chosen(thresholds[best], where_chosen[rows, best], elsewhere[rows, best], elsewhere[:, 0])

    @property
    def separation(self) -> float:
        """The chance that a query with an answer has a higher top score than one without; NaN without either kind."""
        if self.has_answer.all() or not self.has_answer.any():
            return math.nan
        present, absent = self.score[self.has_answer], np.sort(self.score[~self.has_answer])
        below = np.searchsorted(absent, present, side="left") + np.searchsorted(absent, present, side="right")
        return float(below.sum() / (2 * present.size * absent.size))

    def curve(self, level: float) -> Iterator[Threshold]:
        """Yield what every threshold gives."""
        thresholds, size = self.thresholds, self.score.size
        answered, good, lost = self.totals(thresholds, np.ones(size), self.value, self.silent_value)
        value = (good + self.silent_value.sum() - lost) / size
        quality = np.divide(good, answered, out=np.full(answered.size, math.nan), where=answered > 0)
        wrong_answers, wrong_silences = self.errors(thresholds)
        present = int(self.has_answer.sum())
        (low, high), (silent_low, silent_high) = (
            exact_intervals(counts.tolist(), number, level=level)
            for counts, number in ((wrong_answers, size - present), (wrong_silences, present))
        )
        columns = (
            thresholds,
            np.rint(answered).astype(np.int64),
            1 - answered / size,
            *(wrong_answers, wrong_answers / (size - present), low, high),
            *(wrong_silences, wrong_silences / present, silent_low, silent_high),
            *(quality, value, self.mean_costs(thresholds)),
        )
        return (Threshold(*row) for row in zip(*(column.tolist() for column in columns), strict=True))

    def policies(self, queries: str, thresholds: Mapping[str, float], level: float) -> list[Policy]:
        """Return what thresholds, by the name of the policy, give on these queries."""
        at = np.array([*thresholds.values()])
        size, present = self.score.size, int(self.has_answer.sum())
        answered: NDArray[np.bool_] = self.score[:, None] >= np.maximum(at, _LOWEST)  # [Q, T]
        has_answer = self.has_answer[:, None]
        cost = np.where(has_answer, self.costs[1] * ~answered, self.costs[0] * answered)
        found = intervals(cost, level=level)
        values = np.where(answered, self.value[:, None], self.silent_value[:, None]).mean(axis=0)
        rates = []
        for counts, number in zip(self.errors(at), (size - present, present), strict=True):
            low, high = exact_intervals(counts.tolist(), number, level=level)
            rate = counts / number if number else np.full(at.size, math.nan)
            rates.append([np.full(at.size, number), counts, rate, low, high])
        columns = [*rates[0], *rates[1], values, cost.mean(axis=0), found.low, found.high]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [
            Policy(name, queries, size, threshold, *row)
            for (name, threshold), row in zip(thresholds.items(), rows, strict=True)
        ]

    def of_groups(
        self, groups: Groups, measured: NDArray[np.bool_], threshold: float, level: float
    ) -> Iterator[GroupThreshold]:
        """Yield what a threshold gives in each group, and the threshold of the least cost there.

        Args:
            groups: of the queries.
            measured: `[Q]`, the queries on which the threshold is measured; groups without one are left out.
            threshold: the chosen one.
            level: of the intervals.

        """
        ids = list(map(str, self.ids))
        groups.shown(ids)
        for column, parts in groups.by_column(ids).items():
            for group in parts.names:
                members = parts.of(group)
                if not (members & measured).any():
                    continue
                whole = self.part(members)
                [row] = self.part(members & measured).policies("", {CHOSEN: threshold}, level)
                cheapest = float(whole.thresholds[np.argmin(whole.mean_costs(whole.thresholds))])
                cells = row._asdict() | {"column": column, "group": group}
                cells |= {"separation": whole.separation, "cheapest": cheapest}
                yield GroupThreshold(*(cells[name] for name in GroupThreshold._fields))

    def half(self, random: np.random.Generator) -> NDArray[np.bool_]:
        """Return `[Q]`, whether each is a tuning query: half of those with an answer, and half of the others."""
        chosen = np.zeros(self.score.size, dtype=bool)
        for kind in (self.has_answer, ~self.has_answer):
            places = random.permutation(np.flatnonzero(kind))
            chosen[places[: places.size // 2]] = True
        return chosen

    def silence(
        self, run: str, measure: str, threshold: float | None, seed: int, level: float, groups: Groups | None = None
    ) -> Silence:
        """Draw the curve, choose a threshold on half of the queries, and measure it on the others."""
        present = int(self.has_answer.sum())
        absent = self.score.size - present
        policies: list[Policy] = []
        splits, chosen, measured = None, threshold, np.ones(self.score.size, dtype=bool)
        if threshold is not None:
            policies = self.policies("all", {**_POLICIES, CHOSEN: threshold}, level)
        elif min(present, absent) >= _LEAST:
            tuning = self.half(np.random.default_rng(seed))
            chosen = float(self.cheapest(tuning[None]).threshold[0])
            policies = self.part(tuning).policies("tuning", {CHOSEN: chosen}, level)
            measured = ~tuning
            policies += self.part(measured).policies("held out", {**_POLICIES, CHOSEN: chosen}, level)
            splits = self._splits(seed)
        of_groups = () if groups is None or chosen is None else self.of_groups(groups, measured, chosen, level)
        return Silence(
            run,
            measure,
            present,
            absent,
            *self.costs,
            level,
            None if threshold is not None else seed,
            self.separation,
            tuple(self.curve(level)),
            tuple(policies),
            splits,
            groups=tuple(of_groups),
            notes=tuple(self._notes(threshold, splits, seed)),
        )

    def _splits(self, seed: int) -> Splits:
        """Choose on many halves, and compute the loss on the other halves."""
        random = np.random.default_rng((seed, 1))
        at_once = max(1, _CELLS // self.score.size)
        blocks = [
            self.cheapest(np.stack([self.half(random) for _ in range(min(at_once, SPLITS - done))]))
            for done in range(0, SPLITS, at_once)
        ]
        thresholds, *columns = (np.concatenate(column) for column in zip(*blocks, strict=True))
        low, high = np.percentile(thresholds, _RANGE, method="nearest")
        tuning_cost, held_out_cost, answer_all_cost = (float(column.mean()) for column in columns)
        return Splits(SPLITS, tuning_cost, held_out_cost, answer_all_cost, float(low), float(high))

    def _notes(self, threshold: float | None, splits: Splits | None, seed: int) -> Iterator[str]:
        distinct = self.thresholds.size - 1
        yield (
            f"a query with an answer has a higher top score than one without with a chance of {self.separation:.2f} "
            "(0.5 is none at all)"
        )
        costs = f"a wrong answer costs {self.costs[0]:g}, a wrong silence {self.costs[1]:g}"
        if threshold is not None:
            yield f"{costs}; the threshold was named, and all queries are measured by it"
        elif splits is None:
            yield f"{costs}; to choose a threshold takes two queries with an answer and two without"
        else:
            yield (
                f"{costs}; tuning queries are half of those with an answer and half of the others, by seed {seed}; "
                "cost with its interval over queries"
            )
            yield (
                f"over {splits.splits} such splits the chosen threshold costs {splits.tuning_cost:.4f} a query where "
                f"it was chosen and {splits.held_out_cost:.4f} on other queries, where answering everything costs "
                f"{splits.answer_all_cost:.4f}; 90 % of the thresholds lie between {written(splits.low)} and "
                f"{written(splits.high)}"
            )
        if distinct == 1 and self.score.size > 1:
            yield (
                "every query has the same top score, as scores that are scaled within each query have: there is "
                "nothing to tell them apart by"
            )


def _top_scores(run: Run) -> Iterator[tuple[Any, float]]:
    """Yield each query of a run with its highest score."""
    frames = [frame.group_by("query").agg(pl.col("score").max()) for frame in run.batches()]
    if frames:
        yield from pl.concat(frames).group_by("query").agg(pl.col("score").max()).iter_rows()

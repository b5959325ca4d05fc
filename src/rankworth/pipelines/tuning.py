"""`tune`: settings of a fusion that are best on the judged queries, and how much of that holds on other queries."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Floats
from rankworth.comparison import compare
from rankworth.errors import RankworthWarning, UsageError, counted
from rankworth.evaluation.runner import evaluate_runs
from rankworth.fusion.candidates import Candidates, List
from rankworth.fusion.definition import Fusion
from rankworth.fusion.fusing import Fusing, as_runs, refuse_without_scores, rows_of
from rankworth.fusion.steps import fuse_lists, with_limits
from rankworth.groups import Slices
from rankworth.io import query_texts
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.pipelines.grid import settings_on_grid
from rankworth.pipelines.quantity import of_queries
from rankworth.profiles import DEFAULT, Profile
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.look import signed

if TYPE_CHECKING:
    from rankworth.io.source import Progress

MEASURE: Final = "nDCG@10"
FOLDS: Final = 10
HALVES: Final = 200
_ACCEPT: Final = "write them all the same: --accept-unproven (accept_unproven=True)"
_SHOWN: Final = 5
"""settings that the first table has"""
_FIRST: Final = 10
"""ranks among which ties are counted where the measure has no cutoff"""
_RELEVANT: Final = (2.0, 10.0)
"""relevant documents of a query: few up to the first, many from the second"""
_HELD_OUT: Final = "held out"
_PAIR: Final = 2


class Setting(NamedTuple):
    """A fusion that was tried."""

    rank: int
    """from 1, equal values share the best"""
    setting: str
    value: float
    """the mean over all queries"""
    difference: float
    """to the better run"""


class Halves(NamedTuple):
    """What becomes of settings that are chosen on a half of the queries; means over many splits."""

    halves: int
    in_sample: float
    """difference to the better run on the half on which they were chosen"""
    held_out: float
    """difference on the other half"""
    kept: float
    """the one over the other; NaN where nothing is gained in sample"""
    above: float
    """the share of halves on which they are above the better run"""
    median_rank: float
    """of the chosen settings among all on the other half"""


class HeldOut(NamedTuple):
    """Queries fused by settings that were chosen on other queries, fold by fold, beside the better run."""

    folds: int
    in_sample: float
    """difference to the better run on the queries on which settings were chosen, as a mean over folds"""
    difference: float
    low: float
    high: float
    p: float
    word: str
    """what `compare` calls the difference"""
    kept: float
    """the difference over that in sample; NaN where nothing is gained in sample"""
    kept_low: float
    kept_high: float


class RunValue(NamedTuple):
    """A run alone."""

    run: str
    value: float


class Diagnosis(NamedTuple):
    """What fusion could change, and what it changes."""

    best_list: float
    """the mean if each query had the better of the lists, known beforehand"""
    best_setting: float
    """the mean if each query had the best of all settings, known beforehand"""
    changed: int
    """queries whose first document is another than that of the better run"""
    queries: int
    tied: float
    """the share of documents on the first ranks that have the score of another"""
    first: int
    """these first ranks"""
    relevant: float
    """relevant documents of a query, as a mean"""


@dataclass(frozen=True, repr=False)
class Tuning(Analysis[Literal["settings", "halves", "held_out", "runs", "diagnosis"]]):
    """The best settings of a fusion on the judged queries, and their gain on other queries.

    The tables of columns are `settings`, `halves`, `held_out`, `runs` and `diagnosis`.

    Attributes:
        measure: what is measured.
        settings: all that were tried, the best first.
        runs: the runs alone, the best first.
        halves: settings that are chosen on a half of the queries, on the other half.
        held_out: queries fused by settings that were chosen on other queries.
        diagnosis: what fusion could change, and what it changes.
        notes: what is to be known.
        warnings: slug and text of what deserves a second look.

    """

    _SCHEMA: ClassVar = "rankworth.tuning/1"
    _TABLES: ClassVar = ("settings", "halves", "held_out", "runs", "diagnosis")
    _RECORD: ClassVar = ("measure", "chosen", "proven", "verdict", *_TABLES)
    measure: str
    settings: tuple[Setting, ...]
    runs: tuple[RunValue, ...]
    halves: Halves
    held_out: HeldOut
    diagnosis: Diagnosis
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def chosen(self) -> str:
        """The best setting on all queries, as `Fusion.parse` and `--method` read it."""
        return self.settings[0].setting

    @property
    def better(self) -> str:
        """The better run alone, by its name."""
        return self.runs[0].run

    @property
    def proven(self) -> bool:
        """Whether settings that are chosen so beat the better run on other queries."""
        return self.held_out.word == "better"

    @property
    def verdict(self) -> str:
        """What holds, in one sentence."""
        held_out, in_sample = self.held_out, self.settings[0].difference
        gain = f"{self.chosen} gains {in_sample:+.4f} on {self.better} where it was chosen"
        if self.proven:
            return f"{gain}, and {held_out.difference:+.4f} held out: fusing helps"
        if held_out.word == "worse":
            return f"{gain}, and {held_out.difference:+.4f} held out: {self.better} alone is better"
        if held_out.word in ("equal", "equivalent"):
            return f"{gain}, and {held_out.difference:+.4f} held out: that is no difference"
        return f"{gain}, and {held_out.difference:+.4f} held out, which may be chance"

    def definition(self, *, accept_unproven: bool = False) -> Fusion:
        """Return the chosen fusion.

        Args:
            accept_unproven: although it does not beat the better run on other queries.

        Raises:
            UsageError: `unproven-settings`.

        """
        if not (self.proven or accept_unproven):
            held_out = self.held_out
            text = (
                f"{self.chosen} does not beat {self.better} alone on queries on which it was not chosen: "
                f"{held_out.difference:+.4f} {self.measure}, {held_out.low:+.4f} to {held_out.high:+.4f}"
            )
            raise UsageError("unproven-settings", text, remedy=f"use {self.better}, judge more queries, or {_ACCEPT}")
        return Fusion.parse(self.chosen)

    def _columns(self, of: str) -> dict[str, list[Any]]:
        rows = getattr(self, of)
        rows = rows if isinstance(rows[0], tuple) else (rows,)
        return by_name(rows[0]._fields, rows)

    def sheets(self) -> list[Sheet]:
        """Return the best settings and the runs, the gain on other queries, and the room for any fusion."""
        best = self.settings[:_SHOWN]
        values = [*(each.value for each in best), *(each.value for each in self.runs)]
        shown = [
            Column("setting", "text", [*(each.setting for each in best), *(each.run for each in self.runs)]),
            Column(self.measure, "value", values),
            Column(f"to {self.better}", "number", [signed(value - self.runs[0].value) for value in values]),
        ]
        number = counted(len(self.settings), "setting", "settings")
        lead = f"The best {len(best)} of {number}, and the runs alone:"
        first = Sheet(tuple(shown), self.notes, defects=self._defects, title=self.verdict, lead=(lead,))
        halves, held_out, found = self.halves, self.held_out, self.diagnosis
        kept = [(held_out.kept_low, held_out.kept_high)] if held_out.kept == held_out.kept else []
        of_halves = Sheet(
            (
                Column("in sample", "number", [signed(halves.in_sample)]),
                Column(_HELD_OUT, "number", [signed(halves.held_out)]),
                Column("kept", "share", [halves.kept]),
                Column(f"above {self.better}", "share", [halves.above]),
                Column("median rank", "text", [f"{halves.median_rank:g} of {len(self.settings)}"]),
            ),
            title=f"chosen on a half of the queries, on the other half: {halves.halves} splits",
        )
        of_folds = Sheet(
            (
                Column("in sample", "number", [signed(held_out.in_sample)]),
                Column(_HELD_OUT, "number", [signed(held_out.difference)], bounds=[(held_out.low, held_out.high)]),
                Column("kept", "share", [held_out.kept], bounds=kept),
                Column("p", "value", [held_out.p]),
                Column("that is", "text", [held_out.word]),
            ),
            title=f"chosen on all queries but those of a fold: {held_out.folds} folds",
        )
        diagnosis = Sheet(
            (
                Column("better list each", "value", [found.best_list]),
                Column("best setting each", "value", [found.best_setting]),
                Column("other first document", "text", [f"{found.changed} of {found.queries} queries"]),
                Column(f"tied on first {found.first}", "share", [found.tied]),
            ),
            (
                (
                    f"each: the mean of {self.measure} if every query had its better list, or its best setting, known "
                    "beforehand"
                ),
            ),
            title="what fusion could change, and changes",
        )
        return [first, of_halves, of_folds, diagnosis]


def tune(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measure: str | Measure = MEASURE,
    *,
    method: str = "",
    by: object = None,
    table: object = None,
    folds: int = FOLDS,
    halves: int = HALVES,
    seed: int = 0,
    resamples: int | None = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    progress: "Progress | None" = None,
    **axes: Any,  # noqa: ANN401 - values of axes, as `Fusion` has them
) -> Tuning:
    """Find the best settings of a fusion, and their gain on queries outside the choice.

    Constants of reciprocal rank fusion (1, 2, 5, 20, 60), sums of scores by `min-max` and `dbsf`, and weights of the
    runs (tenths of two runs, sixths of three) are tried, all with all. The best of many is better by chance, too.
    So settings are chosen on some queries and measured on others, beside the better run alone: on folds, for the
    interval, and on halves, for the share of the gain that is kept. What is returned was chosen on all queries.

    Args:
        qrels: as for `evaluate`.
        runs: two or three, as for `fuse`.
        measure: one measure of queries.
        method: the only method to try, as `fuse` takes it.
        by: as for `evaluate`: queries of a group are never on both sides of a split.
        table: as for `evaluate`.
        folds: into how many parts queries, or groups, are divided; fewer where there are fewer of them.
        halves: how often queries, or groups, are divided into halves.
        seed: of the random numbers.
        resamples: as for `compare`.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        progress: as for `evaluate_runs`.
        **axes: what all settings have, such as `depth`; of `k`, `norm` and `run_weights`, the only ones to try.

    Returns:
        A `Tuning`; its `definition()` refuses settings that do not beat the better run on other queries.

    Raises:
        InputError: as `evaluate` and `fuse`.
        MeasureError: as `evaluate`; `measure-syntax` for what is no mean over queries.
        UsageError: as `fuse`; `unproven-settings`, `conflicting-options`, `unknown-setting`.

    >>> qrels = {f"q{number}": {"a": 1} for number in range(8)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    >>> tuned = tune(qrels, {"good": good, "poor": poor}, "RR")
    >>> tuned.better, tuned.proven, tuned.settings[0].difference
    ('good', False, 0.0)
    """
    quantity = of_queries(measure)
    for name, number, least in (("folds", folds, _PAIR), ("halves", halves, 1)):
        if not isinstance(number, int) or isinstance(number, bool) or number < least:
            raise UsageError("unknown-setting", f"{name}={number!r}: it is a whole number from {least}")
    named = as_runs(runs)
    settings = settings_on_grid(len(named), method, **axes)
    judgements = qrels if isinstance(qrels, Qrels) and queries is None else Qrels(qrels, queries=queries)
    slices = Slices.of(None if table is None else query_texts.queries(table), by=by) if by is not None else Slices()
    tuner = _Tuner(judgements, named, quantity, {"rel": rel, "profile": profile}, settings, progress)
    groups = tuner.queries if slices.by is None else slices.by.shown(tuner.queries)
    return tuner.tuned(_Split.of(tuner.queries, groups, seed), folds, halves, resamples, seed)


@dataclass(frozen=True)
class _Split:
    """Queries by group, in an order that does not depend on the order of the queries.

    Attributes:
        group: `[Q]`, the number of the group of each query.
        groups: how many there are.

    """

    group: NDArray[np.int64]
    groups: int

    @classmethod
    def of(cls, queries: Sequence[str], groups: Sequence[str], seed: int) -> "_Split":
        """Number the groups by chance.

        Args:
            queries: their ids.
            groups: the group of each.
            seed: of the random numbers.

        Raises:
            UsageError: `unproven-settings`.

        """
        names = sorted(set(groups))
        if len(names) < _PAIR * _PAIR:
            kind = "judged queries" if groups is queries else "groups of queries"
            present = f"there {'is' if len(names) == 1 else 'are'} {len(names)}"
            text = f"settings are chosen on some {kind} and measured on others, which takes four: {present}"
            raise UsageError(
                "unproven-settings", text, remedy="judge more, or take settings that others have published"
            )
        shuffled = np.random.default_rng(seed).permutation(len(names))
        number = dict(zip(names, shuffled.tolist(), strict=True))
        return cls(np.array([number[group] for group in groups]), len(names))

    def folds(self, folds: int) -> NDArray[np.int64]:
        """Return `[Q]`, the fold of each query."""
        return self.group % min(folds, self.groups)

    def halves(self, count: int, seed: int) -> NDArray[np.bool_]:
        """Return `[H, Q]`, whether each query is in the half on which settings are chosen."""
        random = np.random.default_rng((seed, 1))
        first = np.argsort(random.random((count, self.groups)), axis=1) < self.groups // 2
        return first[:, self.group]


@dataclass
class _Tuner:
    """Fuses by all settings, and measures.

    Attributes:
        qrels: the judgements.
        runs: by name.
        measure: by which settings are chosen.
        options: of the evaluation.
        settings: what is tried.
        progress: told how far a file is read.

    """

    qrels: Qrels
    runs: Mapping[str, Run]
    measure: Measure
    options: Mapping[str, Any]
    settings: Sequence[Fusion]
    progress: "Progress | None" = None

    def __post_init__(self) -> None:
        """Read the runs, fuse them by every setting, and measure all."""
        wanted = pl.Series("query", list(self.qrels.queries), dtype=pl.String)
        judged = {name: _part(run, wanted, self.progress) for name, run in self.runs.items()}
        by_scores = [fusion for fusion in self.settings if fusion.steps.uses_scores]
        for name, run in self.runs.items():
            for fusion in by_scores[:1]:
                refuse_without_scores(run, name, fusion)
        self.fusing = Fusing(list(judged.values()), [*by_scores, *self.settings][0], list(judged))
        read = self.fusing.read
        self.lists = self.fusing.attempt(lambda *, scattered: list(self.fusing.joined(read(scattered=scattered))))
        self.runs = judged
        alone = self._measured(judged)
        self.queries = next(iter(alone.values()))[0]
        self.by_run = np.array([values for _, values in alone.values()])  # [R, Q]
        cut = self._cut()
        self.by_setting = np.array(
            [self._measured({str(fusion): self.frame(fusion, cut)})[str(fusion)][1] for fusion in self.settings]
        )  # [S, Q]
        self.sign = -1.0 if self.measure.definition.better == "lower" else 1.0
        self.better = int(np.argmax(self.sign * self.by_run.mean(axis=1)))

    def _measured(self, runs: Mapping[str, Any]) -> dict[str, tuple[list[str], Floats]]:
        """Return by name the queries, and the value of each; one without a value counts 0."""
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            measured = evaluate_runs(self.qrels, runs, [self.measure], missing="zero", **self.options)
        return {
            name: (values.per_query.ids, np.nan_to_num(values.per_query.array[:, 0]))
            for name, values in measured.items()
        }

    def _cut(self) -> int | None:
        """Return how many documents of a fused list the measure looks at; None where it may look at all."""
        plain = self.options["profile"] == DEFAULT and not self.measure.judged_only
        by_id = all(fusion.ties == "id-descending" for fusion in self.settings)
        return self.measure.cutoff if plain and by_id and self.measure.positions == "judged" else None

    def frame(self, fusion: Fusion, top: int | None = None) -> pl.DataFrame:
        """Return the rows of a fused run.

        Args:
            fusion: how it is fused.
            top: how many documents of each query are wanted; all where None.

        """
        steps = with_limits(fusion.steps, None, top)
        weights = fusion.weights(len(self.fusing.used))

        def rows(candidates: Candidates, lists: Sequence[List]) -> pl.DataFrame:
            return rows_of(candidates, fuse_lists(candidates, lists, steps, weights)).drop("rank")

        return pl.concat([rows(candidates, lists) for candidates, lists in self.lists])

    def tuned(self, split: _Split, folds: int, halves: int, resamples: int | None, seed: int) -> Tuning:
        """Choose settings on all queries, and see what holds on others."""
        gains = self.sign * self.by_setting.mean(axis=1)
        means, alone = (self.sign * gains).tolist(), self.by_run.mean(axis=1).tolist()
        order = np.argsort(-gains, kind="stable")
        chosen = int(order[0])
        rank = 1 + (gains[None, :] > gains[:, None]).sum(axis=1)
        names = list(self.runs)
        return Tuning(
            str(self.measure),
            tuple(
                Setting(
                    int(rank[each]),
                    str(self.settings[each]),
                    float(means[each]),
                    float(means[each] - alone[self.better]),
                )
                for each in order.tolist()
            ),
            tuple(
                RunValue(names[each], alone[each])
                for each in sorted(range(len(names)), key=lambda each: -self.sign * alone[each])
            ),
            self._on_halves(split.halves(halves, seed)),
            self._on_folds(split.folds(folds), resamples),
            diagnosis := self._diagnosis(chosen),
            tuple(self._notes(diagnosis)),
            tuple((notice.slug, notice.text) for notice in self.fusing.notices()),
        )

    def _on_halves(self, chosen_on: NDArray[np.bool_]) -> Halves:
        inside = chosen_on / chosen_on.sum(axis=1, keepdims=True)  # [H, Q]
        outside = ~chosen_on / (~chosen_on).sum(axis=1, keepdims=True)
        gains = self.sign * (self.by_setting - self.by_run[self.better])  # [S, Q]
        in_sample, held_out = inside @ gains.T, outside @ gains.T  # [H, S]
        best = in_sample.argmax(axis=1)
        rows = np.arange(len(best))
        inner, outer = in_sample[rows, best], held_out[rows, best]
        rank = 1 + (held_out > outer[:, None]).sum(axis=1)
        kept = float(outer.mean() / inner.mean()) if inner.mean() > 0 else float("nan")
        gain, other = self.sign * float(inner.mean()), self.sign * float(outer.mean())
        return Halves(len(best), gain, other, kept, float((outer > 0).mean()), float(np.median(rank)))

    def _on_folds(self, fold: NDArray[np.int64], resamples: int | None) -> HeldOut:
        """Fuse each query by the settings that are best on the other folds, and compare with the better run."""
        queries = np.array(self.queries)
        frames: list[pl.DataFrame] = []
        gained = []
        gains = self.sign * (self.by_setting - self.by_run[self.better])  # [S, Q]
        for number in np.unique(fold):
            in_sample = gains[:, fold != number].mean(axis=1)
            best = int(np.argmax(in_sample))
            gained.append(float(in_sample[best]))
            rows = self.frame(self.settings[best])
            frames.append(rows.filter(pl.col("query").is_in(queries[fold == number].tolist())))
        name = list(self.runs)[self.better]
        fused = f"{name} and others, {_HELD_OUT}"
        pair = {name: self.runs[name], fused: pl.concat(frames)}
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            compared = compare(self.qrels, pair, [self.measure], resamples=resamples, missing="zero", **self.options)
        [row] = compared.differences
        gain = float(np.mean(gained))
        ends = sorted(self.sign * end / gain if gain > 0 else float("nan") for end in (row.low, row.high))
        kept = self.sign * row.difference / gain if gain > 0 else float("nan")
        in_sample = self.sign * gain
        return HeldOut(
            len(frames), in_sample, row.difference, row.low, row.high, row.p, row.word, kept, ends[0], ends[1]
        )

    def _diagnosis(self, chosen: int) -> Diagnosis:
        fusion, first = self.settings[chosen], self.measure.cutoff or _FIRST
        changed = tied = ranked = 0
        for candidates, lists in self.lists:
            fused = fuse_lists(candidates, lists, fusion.steps, fusion.weights(len(lists)))
            query = candidates.query[fused.candidate]
            scores = fused.scores[fused.candidate]
            starts = np.flatnonzero(np.diff(query, prepend=-1))
            top = dict(zip(query[starts].tolist(), fused.candidate[starts].tolist(), strict=True))
            rows = fuse_lists(candidates, [lists[self.better]], Fusion(norm=None).steps, (1.0,))
            of_run = candidates.query[rows.candidate]
            begins = np.flatnonzero(np.diff(of_run, prepend=-1))
            alone = dict(zip(of_run[begins].tolist(), rows.candidate[begins].tolist(), strict=True))
            changed += sum(alone.get(number) != document for number, document in top.items())
            equal = (scores[1:] == scores[:-1]) & (query[1:] == query[:-1])
            is_tied = np.concatenate(([False], equal)) | np.concatenate((equal, [False]))
            sizes = np.diff(starts, append=query.size)
            is_first = np.arange(query.size) - np.repeat(starts, sizes) < first
            tied += int((is_tied[: query.size] & is_first).sum())
            ranked += int(is_first.sum())
        best = self.sign * np.max(self.sign * self.by_run, axis=0).mean()
        best_setting = self.sign * np.max(self.sign * self.by_setting, axis=0).mean()
        relevant = float((self.qrels.grades > 0).sum() / max(1, len(self.qrels.queries)))
        share = tied / ranked if ranked else 0.0
        return Diagnosis(float(best), float(best_setting), changed, len(self.queries), share, first, relevant)

    def _notes(self, found: Diagnosis) -> Iterable[str]:
        yield (
            f"{counted(len(self.settings), 'setting', 'settings')} on {counted(len(self.queries))}; in sample the gain "
            "is too high, as the best of many is better by chance, too; held out, it is that on queries on which "
            "settings were not chosen"
        )
        few, many = _RELEVANT
        if found.relevant <= few:
            yield f"a query has {found.relevant:.1f} relevant documents: constants below 20 are worth a look"
        elif found.relevant >= many:
            yield f"a query has {found.relevant:.0f} relevant documents: constants from 20 are worth a look"


def _part(run: Run, queries: pl.Series, progress: "Progress | None") -> Run:
    """Return the rows of some queries, held in memory."""
    frames = [frame.filter(frame["query"].is_in(queries.implode())) for frame in run.batches(progress, ranks=False)]
    rows = pl.concat(frames) if frames else pl.DataFrame()
    return Run(rows, run.name) if rows.height else Run.without_rows(run.name)

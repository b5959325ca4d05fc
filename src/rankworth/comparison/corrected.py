"""Means by many judgements of a model, corrected by a few of people: of runs, and of differences between two."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.comparison.comparing import TAKEN_OVER
from rankworth.comparison.differences import LEVEL
from rankworth.comparison.scores import SystemScores
from rankworth.comparison.sources import systems_of
from rankworth.comparison.systems import DEFAULT, SystemReader
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.measures import Measure
from rankworth.profiles import combined
from rankworth.stats.predictions import prediction_powered
from rankworth.stats.samples import check_sampling
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.look import p_value

LEAST: Final = 50
"""fewer queries with people's judgements do not tell how the model errs"""


class CorrectedMean(NamedTuple):
    """A mean of a run, or a mean difference of two."""

    measure: str
    run: str
    baseline: str
    """the run that the mean is a difference from; empty for the mean of a run"""
    value: float
    low: float
    """the lower end of its interval"""
    high: float
    p: float
    """two-sided, of no difference; NaN for the mean of a run"""
    people: float
    """the mean by people's judgements alone, over their queries"""
    people_low: float
    people_high: float
    model: float
    """the mean by the model's judgements alone, over all queries"""
    weight: float
    """how much the model's values count, from 0 to 1"""
    effective: float
    """how many queries judged by people would give as narrow an interval"""
    judged: int
    """queries with values by both"""
    predicted: int
    """queries with a value by the model alone"""


@dataclass(frozen=True, repr=False)
class CorrectedMeans(Analysis[Literal["means"]]):
    """Means that people's judgements correct, with their intervals.

    The table of columns has a row for each of `means` and `differences`, with the fields of `CorrectedMean`.

    Attributes:
        means: of each run by each measure.
        differences: of each run from the baseline, where there is one.
        level: of the intervals.
        signature: how the values by the model came about.
        notes: what must be said about it.
        warnings: what deserves a second look, with its slug.

    """

    _SCHEMA: ClassVar = "rankworth.corrected/1"
    _TABLES: ClassVar = ("means",)
    _RECORD: ClassVar = ("level", "signature", "means", "differences")
    means: tuple[CorrectedMean, ...]
    differences: tuple[CorrectedMean, ...]
    level: float
    signature: str
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    def of(self, measure: str, run: str = "") -> CorrectedMean:
        """Return the mean of a run by a measure; of the only run, where none is named.

        Raises:
            UsageError: `not-measured`.

        """
        rows = [row for row in self.means if row.measure == measure and run in (row.run, "")]
        if len(rows) != 1:
            present = quoted([f"{row.measure} of {row.run}" for row in self.means])
            raise UsageError("not-measured", f"{measure} of {run or 'the only run'}: there are {present}")
        return rows[0]

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        return by_name(CorrectedMean._fields, (*self.means, *self.differences))

    def sheets(self) -> list[Sheet]:
        """Return the means, and the differences where there are some."""
        sheets = [_sheet(self.means, "means")]
        if self.differences:
            sheets.append(_sheet(self.differences, f"differences from {self.differences[0].baseline}"))
        sheets[-1] = replace(sheets[-1], notes=self.notes, comment=self.signature, defects=self._defects)
        return sheets


def _sheet(rows: Sequence[CorrectedMean], title: str) -> Sheet:
    """Return a table with a row for each mean, or for each difference with its p."""
    alone = [(row.people_low, row.people_high) for row in rows]
    p = Column("p", "number", [p_value(row.p) for row in rows])
    columns = [
        Column("run", "text", [row.run for row in rows]),
        Column("measure", "text", [row.measure for row in rows]),
        Column("corrected", "value", [row.value for row in rows], bounds=[(row.low, row.high) for row in rows]),
        *([p] if rows[0].baseline else []),
        Column("people alone", "value", [row.people for row in rows], bounds=alone),
        Column("model alone", "value", [row.model for row in rows]),
        Column("worth", "number", ["" if np.isnan(row.effective) else f"{row.effective:,.0f}" for row in rows]),
    ]
    return Sheet(tuple(columns), title=title)


def corrected_means(
    qrels: object,
    people: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] = DEFAULT,
    *,
    baseline: str | None = None,
    level: float = LEVEL,
    **options: Any,  # noqa: ANN401 - `queries`, `rel`, `profile`, `progress` and the settings, as for `evaluate`
) -> CorrectedMeans:
    """Compute unbiased means and intervals from many judgements of a model and a few of people.

    All queries have judgements of a model, some have those of people, too. On these the values by both are compared,
    and the mean by the model over all queries is moved by what it errs: prediction-powered means, whose formula and
    sources stand in `rankworth.stats.prediction_powered`. The more alike the values of queries are by both, the
    narrower the interval; where they have nothing in common, it is that from people's judgements alone.

    The queries that people judged have to be drawn at random, and their rankings judged as if there were no model.

    Args:
        qrels: judgements of the model, as for `evaluate`.
        people: judgements of people, of 50 queries at least.
        runs: as for `evaluate_runs`.
        measures: as for `compare`; nDCG@10, RR@10, AP and R@100 by default.
        baseline: the run that the others are compared with; without one there are no differences.
        level: of the intervals, Student's t intervals, which are not corrected for several comparisons.
        **options: `queries`, `rel`, `profile`, `progress` and the settings, as for `evaluate`.

    Returns:
        A `CorrectedMeans`. Its means have the unit of the measure; an interval may go beyond its range.

    Raises:
        InputError: as `evaluate`; `no-common-queries` where model and people judged no query together.
        MeasureError: as `compare`.
        UsageError: `few-queries` where fewer than 50 queries are judged by both; `conflicting-options` for weights and
            groups, and for results files; `run-names`, `unknown-setting`.

    >>> model = {f"q{n}": {"a": 1, "b": 1} for n in range(200)}
    >>> people = {f"q{n}": {"a": 1, "b": n % 2} for n in range(50)}
    >>> run = {query: {"b": 2.0, "a": 1.0} for query in model}
    >>> found = corrected_means(model, people, {"run": run}, ["RR"]).of("RR")
    >>> found.model, found.value, found.weight  # a model that says the same of all queries tells nothing
    (1.0, 0.75, 0.0)
    """
    check_sampling(level, seed=0)
    if unsupported := [name for name in ("weights", "macro", "table", "by") if options.get(name) is not None]:
        raise UsageError("conflicting-options", f"{unsupported[0]}: in corrected means all queries count alike")
    readers = [SystemReader(judgements, list(measures), **options) for judgements in (qrels, people)]
    by_model = readers[0].read(systems_of(runs))
    try:
        by_people = readers[1].read(systems_of(runs))
    except InputError as error:
        if error.slug != "no-common-queries":
            raise
        raise InputError(error.slug, f"judgements of people: {error.problems[0]}", remedy=error.remedy) from None
    if stored := [system.name for system in by_model if system.origin]:
        text = f"{stored[0]} comes from a results file, and is to be measured by two sets of judgements"
        raise UsageError("conflicting-options", text, remedy="give the run itself")
    names = [system.name for system in by_model]
    if baseline is not None and baseline not in names:
        raise UsageError("run-names", f"baseline={baseline!r}: there is no such run; there are {quoted(names)}")
    both, rest = _queries(by_model[0], by_people[0])
    labels = readers[0].labels
    sides = [_values(*side, labels) for side in ((by_people, both), (by_model, both), (by_model, rest))]
    means = _rows([(label, name, "") for name in names for label in labels], sides, level)
    differences: tuple[CorrectedMean, ...] = ()
    if baseline is not None:
        base, other_columns = names.index(baseline), [column for column, name in enumerate(names) if name != baseline]
        keys = [(label, names[column], baseline) for column in other_columns for label in labels]
        differences = _rows(keys, [side[:, other_columns] - side[:, [base]] for side in sides], level)
    systems = (*by_model, *by_people)
    notices = dict.fromkeys(notice for system in systems for notice in system.notices if notice[0] in TAKEN_OVER)
    signature = combined(system.scores[label].signature for system in systems for label in labels)
    return CorrectedMeans(means, differences, level, signature, tuple(_notes(means, level)), tuple(notices))


def _queries(by_model: SystemScores, by_people: SystemScores) -> tuple[list[str], list[str]]:
    """Return the queries judged by both, and the queries judged by the model alone.

    Raises:
        InputError: `no-common-queries`.
        UsageError: `few-queries`.

    """
    ids, by_hand = (system.judged or frozenset() for system in (by_model, by_people))
    both = sorted(ids & by_hand)
    if not both:
        text = f"no query has judgements of model and people: the model judged {quoted(ids)}, people {quoted(by_hand)}"
        raise InputError("no-common-queries", text, remedy="ids are compared to the letter")
    if len(both) < LEAST:
        text = f"people judged {counted(len(both))} of the model's, which tell too little of how it errs"
        raise UsageError("few-queries", text, remedy=f"at least {LEAST} are needed, drawn at random")
    return both, sorted(ids - by_hand)


def _values(systems: Sequence[SystemScores], queries: Sequence[str], labels: Sequence[str]) -> Floats:
    """Return `[Q, R, M]`, the values of queries, by run and measure; NaN where there is none."""
    columns = [[system.only(queries).scores[label].column for label in labels] for system in systems]
    values = [[np.where(each.counted, each.values_of_queries, np.nan) for each in row] for row in columns]
    return np.array(values).transpose(2, 0, 1)


def _rows(keys: Sequence[tuple[str, str, str]], sides: Sequence[Floats], level: float) -> tuple[CorrectedMean, ...]:
    """Correct the means of runs, or of differences.

    Args:
        keys: measure, run and baseline of each.
        sides: `[Q, R, M]`, the values by people, by the model for these queries, and by the model for all others.
        level: of the intervals.

    """
    # [Q, R * M] each: a column for each key
    people, model, unlabelled = (side.reshape(len(side), len(keys)) for side in sides)
    corrected = prediction_powered(people, model, unlabelled, level=level)
    alone = stats.intervals(people, method="t", level=level)
    p = np.where([bool(baseline) for *_, baseline in keys], corrected.p, np.nan)
    columns = (  # in the order of `CorrectedMean`, from `value` on
        *(corrected.mean, corrected.low, corrected.high, p),
        *(stats.means(people), alone.low, alone.high),
        *(stats.means(np.concatenate([model, unlabelled])), corrected.weight, corrected.effective),
        *(counts.astype(np.int64) for counts in (corrected.measured, corrected.predicted)),
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(CorrectedMean(*key, *row) for key, row in zip(keys, cells, strict=True))


def _notes(means: Sequence[CorrectedMean], level: float) -> Iterator[str]:
    """Yield sentences that explain the numbers."""
    judged, predicted = (max(getattr(mean, name) for mean in means) for name in ("judged", "predicted"))
    yield f"{counted(judged)} judged by people and the model, {predicted:,} by the model alone"
    means_are = f"prediction-powered means with {100 * level:g} % t intervals"
    sampled = "unbiased if the queries that people judged are a random sample"
    yield f"corrected: {means_are}, {sampled}; p values and intervals hold for one row each"
    yield "worth: how many queries judged by people would give as narrow an interval"

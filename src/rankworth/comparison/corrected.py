"""Means by many judgements of a model, corrected by a few of people: of runs, and of differences between two."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from rankworth import stats
from rankworth.comparison.comparing import TAKEN_OVER
from rankworth.comparison.differences import LEVEL
from rankworth.comparison.systems import DEFAULT, Floats, System, SystemReader
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.validate import is_number
from rankworth.measures import Measure
from rankworth.profiles import combined
from rankworth.stats.predictions import prediction_powered
from rankworth.tables.analysis import Analysis, record
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
    means: tuple[CorrectedMean, ...]
    differences: tuple[CorrectedMean, ...]
    level: float
    signature: str
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    def of(self, measure: str, run: str = "") -> CorrectedMean:
        """The mean of a run by a measure; of the only run, where none is named.

        Raises:
            UsageError: `not-measured`.

        """
        found = [one for one in self.means if one.measure == measure and run in (one.run, "")]
        if len(found) != 1:
            there = quoted([f"{one.measure} of {one.run}" for one in self.means])
            raise UsageError("not-measured", f"{measure} of {run or 'the only run'}: there are {there}")
        return found[0]

    def _columns(self, of: str) -> dict[str, list[Any]]:  # noqa: ARG002 - there is one table
        return by_name(CorrectedMean._fields, (*self.means, *self.differences))

    def _record(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "signature": self.signature,
            "means": [record(one) for one in self.means],
            "differences": [record(one) for one in self.differences],
        }

    def sheets(self) -> list[Sheet]:
        """The means, and the differences where there are some."""
        means = self._sheet(self.means, "means")
        if not self.differences:
            return [means]
        about = f"differences from {self.differences[0].baseline}"
        return [Sheet(means.columns, title=means.title), self._sheet(self.differences, about)]

    def _sheet(self, rows: Sequence[CorrectedMean], title: str) -> Sheet:
        """One row for each mean."""
        columns = [
            Column("run", "text", [one.run for one in rows]),
            Column("measure", "text", [one.measure for one in rows]),
            Column("corrected", "value", [one.value for one in rows], bounds=[(one.low, one.high) for one in rows]),
        ]
        if rows[0].baseline:
            columns.append(Column("p", "number", [p_value(one.p) for one in rows]))
        alone = [(one.people_low, one.people_high) for one in rows]
        columns += [
            Column("people alone", "value", [one.people for one in rows], bounds=alone),
            Column("model alone", "value", [one.model for one in rows]),
            Column("worth", "number", ["" if np.isnan(one.effective) else f"{one.effective:,.0f}" for one in rows]),
        ]
        return Sheet(tuple(columns), self.notes, self.signature, self._defects, title)


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
    """Unbiased means and intervals from many judgements of a model and a few of people.

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
    if not is_number(level) or not 0 < level < 1:
        raise UsageError("unknown-setting", f"level={level!r}: a level lies between 0 and 1")
    if odd := [name for name in ("weights", "macro", "table", "by") if options.get(name) is not None]:
        raise UsageError("conflicting-options", f"{odd[0]}: in corrected means all queries count alike")
    readers = [SystemReader(judgements, list(measures), **options) for judgements in (qrels, people)]
    by_model, by_people = ({one.name: one for one in reader.read(runs)} for reader in readers)
    if stored := [one.name for one in by_model.values() if one.origin]:
        text = f"{stored[0]} comes from a results file, and is to be measured by two sets of judgements"
        raise UsageError("conflicting-options", text, remedy="give the run itself")
    if baseline is not None and baseline not in by_model:
        raise UsageError("run-names", f"baseline={baseline!r}: there is no such run; there are {quoted(by_model)}")
    queries = _common_queries(by_model, by_people)

    def rows(baseline: str, names: Iterable[str]) -> tuple[CorrectedMean, ...]:
        pairs = [(label, name) for name in names for label in readers[0].asked]
        return tuple(_corrected(*pair, baseline, (by_model, by_people), queries, level) for pair in pairs)

    means = rows("", by_model)
    sides = [*by_model.values(), *by_people.values()]
    warnings = [notice for one in sides for notice in one.notices if notice[0] in TAKEN_OVER]
    return CorrectedMeans(
        means=means,
        differences=() if baseline is None else rows(baseline, [name for name in by_model if name != baseline]),
        level=level,
        signature=combined(one.scores[label].signature for one in sides for label in readers[0].asked),
        notes=tuple(_notes(means, level)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _common_queries(by_model: Mapping[str, System], by_people: Mapping[str, System]) -> tuple[list[str], list[str]]:
    """The queries that both judged, and those that the model alone judged.

    Raises:
        InputError: `no-common-queries`.
        UsageError: `few-queries`.

    """
    ids, known = (next(iter(side.values())).judged or frozenset() for side in (by_model, by_people))
    both = sorted(ids & known)
    if not both:
        text = f"no query has judgements of model and people: the model judged {quoted(ids)}, people {quoted(known)}"
        raise InputError("no-common-queries", text, remedy="ids are compared to the letter")
    if len(both) < LEAST:
        text = f"people judged {counted(len(both))} of the model's, which tell too little of how it errs"
        raise UsageError("few-queries", text, remedy=f"at least {LEAST} are needed, drawn at random")
    return both, sorted(ids - known)


def _corrected(
    measure: str,
    run: str,
    baseline: str,
    sides: tuple[Mapping[str, System], Mapping[str, System]],
    queries: tuple[list[str], list[str]],
    level: float,
) -> CorrectedMean:
    """The mean of a run by a measure, or of its difference from the baseline.

    Args:
        measure: its name.
        run: the name of the run.
        baseline: that of the run to be subtracted; empty for none.
        sides: the values by the model and by people, by the names of runs.
        queries: those that both judged, and those that the model alone judged.
        level: of the intervals.

    """

    def values(side: Mapping[str, System], ids: Sequence[str]) -> Floats:
        """`[Q, 1]`, NaN where there is no value."""
        found = side[run].only(ids).scores[measure].values
        return (found - side[baseline].only(ids).scores[measure].values if baseline else found)[:, None]

    by_model, by_people = sides
    people, model, others = values(by_people, queries[0]), values(by_model, queries[0]), values(by_model, queries[1])
    found = prediction_powered(people, model, others, level=level)
    alone = stats.intervals(people, method="t", level=level)
    columns = {
        "value": found.mean,
        "low": found.low,
        "high": found.high,
        "p": found.p if baseline else np.full(1, np.nan),
        "people": stats.means(people),
        "people_low": alone.low,
        "people_high": alone.high,
        "model": stats.means(np.concatenate([model, others])),
        "weight": found.weight,
        "effective": found.effective,
    }
    numbers: dict[str, Any] = {name: float(column[0]) for name, column in columns.items()}
    numbers |= {"judged": int(found.measured[0]), "predicted": int(found.predicted[0])}
    return CorrectedMean(measure, run, baseline, **numbers)


def _notes(means: Sequence[CorrectedMean], level: float) -> Iterator[str]:
    """Sentences that explain the numbers."""
    judged, predicted = (max(getattr(one, name) for one in means) for name in ("judged", "predicted"))
    yield f"{counted(judged)} judged by people and the model, {predicted:,} by the model alone"
    yield (
        f"corrected: prediction-powered means with {100 * level:g} % t intervals, unbiased if the queries that people "
        "judged are a random sample; p values and intervals hold for one row each"
    )
    yield "worth: how many queries judged by people would give as narrow an interval"

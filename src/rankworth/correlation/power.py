"""How often measures tell two systems apart: their discriminative power."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, Unpack

import numpy as np

from rankworth.comparison import Comparison
from rankworth.comparison.differences import LEVEL
from rankworth.correlation.orders import TEST, CompareOptions, compare_all, plan_record, significance_note
from rankworth.errors import counted, quoted
from rankworth.measures import Measure
from rankworth.profiles import combined
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name


class MeasurePower(NamedTuple):
    """How often a measure tells two systems apart."""

    measure: str
    """what tables call it"""
    pairs: int
    """how many pairs of systems have a p value"""
    significant: int
    """how many of these are told apart"""
    share: float
    """the discriminative power; NaN without a pair"""
    needed: float
    """the lowest difference from which on all are significant; NaN where there is none"""
    p_values: tuple[float, ...]
    """of all pairs, lowest first: the curve of achieved significance levels"""


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Analysis[Literal["measures", "curve"]]):
    """How often measures tell two systems apart.

    The tables of columns: `measures` has a row for each measure, `curve` one for each p value of each, lowest first.

    Attributes:
        measures: one entry for each.
        comparison: all pairs of systems, compared.

    """

    _SCHEMA: ClassVar = "rankworth.discriminative-power/1"
    _TABLES: ClassVar = ("measures", "curve")
    _RECORD: ClassVar = ("systems", "measures")
    measures: tuple[MeasurePower, ...]
    comparison: Comparison

    @classmethod
    def of(cls, comparison: Comparison) -> Self:
        """Compute the power of each measure from a comparison of all pairs."""
        return cls(tuple(_power(comparison, name) for name in comparison.measures), comparison)

    def __getitem__(self, measure: str) -> MeasurePower:
        """Return the power of a measure.

        Raises:
            UsageError: `not-measured`.

        """
        label = self.comparison.scores.label(measure)
        return next(power for power in self.measures if power.measure == label)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.comparison.systems

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What deserves a second look, with its slug."""
        return self.comparison.warnings

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that explain the numbers."""
        return self.comparison.notes

    def _columns(self, of: str) -> dict[str, list[Any]]:
        if of == "measures":
            return by_name(MeasurePower._fields[:-1], (power[:-1] for power in self.measures))
        rows = [(power.measure, rank, p) for power in self.measures for rank, p in enumerate(power.p_values, 1)]
        return by_name(("measure", "place", "p"), rows)

    def _record(self) -> dict[str, Any]:
        compared = self.comparison
        how = {"signatures": compared.signatures, "resamples": compared.procedure.resamples}
        return super()._record() | plan_record(compared) | how

    def sheets(self) -> list[Sheet]:
        """Return one row for each measure."""
        table, signatures = self.table(), self.comparison.signatures.values()
        notes = (*self.notes, significance_note(self.comparison), *table.notes)
        comment = f"discriminative power|{combined(signatures)}|seed:{self.comparison.plan.seed}"
        title = f"{len(self.systems):,} systems over {counted(len(self.comparison.scores.queries))}"
        return [replace(table, notes=notes, comment=comment, defects=self._defects, title=title)]

    def table(self) -> Sheet:
        """Return the numbers alone."""
        cells = self._columns("measures")
        columns = (
            Column("measure", "text", cells["measure"]),
            *(Column(name, "count", cells[name]) for name in ("pairs", "significant")),
            Column("share", "share", cells["share"], "highest", second=True),
            Column("difference needed", "value", cells["needed"]),
        )
        few = [power.measure for power in self.measures if power.significant and np.isnan(power.needed)]
        needed = "difference needed: the lowest one from which on all pairs of these systems are significant"
        notes = (needed, *([f"{quoted(few)}: the largest difference is not significant"] if few else []))
        return Sheet(columns, notes, title="discriminative power")


def _power(comparison: Comparison, measure: str) -> MeasurePower:
    """Compute the power of one measure."""
    rows = [row for row in comparison.differences if row.measure == measure]
    # [P] each, for P pairs of systems
    p, apart = np.array([row.adjusted for row in rows]), np.abs([row.difference for row in rows])
    has_p, significant = ~np.isnan(p), p < 1 - comparison.plan.level
    unclear = float(apart[has_p & ~significant].max(initial=0.0))
    needed = apart[significant & (apart > unclear)].min(initial=np.inf)
    pairs, count = int(has_p.sum()), int(significant.sum())
    share, needed = count / pairs if pairs else np.nan, float(needed) if needed < np.inf else np.nan
    return MeasurePower(measure, pairs, count, share, needed, tuple(np.sort(p[has_p]).tolist()))


def discriminative_power(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
    test: str = TEST,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    **options: Unpack[CompareOptions],
) -> DiscriminativePower:
    """Measure how often each measure tells two systems apart.

    The discriminative power of a measure is the share of all pairs of systems whose difference is significant, with a p
    value below 1 - level. It says how stable a measure is over queries, and nothing of whether it measures what matters
    to anybody. All p values, sorted, are the curve of achieved significance levels by which measures are compared at
    all levels at once.

    The difference that is needed is read off the pairs that there are: it is the lowest difference from which on all
    are significant. NaN where the largest difference is not.

    Args:
        qrels: judgements, as for `compare`; needless where all values were stored.
        runs: systems, as for `compare`.
        measures: as for `compare`.
        test: of differences, as for `compare`. The p values of the default one hold for all pairs by one measure.
        level: 1 - level is the chance of a difference called where there is none.
        resamples: random shuffles (or sign flips, or samples); 10,000 shuffles where not said, and as many sign flips
            as in `compare`.
        seed: of these.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (not with the default
            test), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and conventions.

    Returns:
        A `DiscriminativePower`.

    Raises:
        InputError, MeasureError, UsageError: as `compare`; `unknown-setting`.

    Sources: Sakai (2006), Evaluating evaluation metrics based on the bootstrap,
    https://doi.org/10.1145/1148170.1148261; with the randomized Tukey HSD test: Carterette (2012), Multiple testing in
    statistical analysis of systems-based information retrieval experiments, https://doi.org/10.1145/2094072.2094076

    >>> qrels = {f"q{number}": {"a": 1} for number in range(8)}
    >>> runs = {name: {query: order for query in qrels} for name, order in
    ...     {"first": ["a", "b", "c"], "second": ["b", "a", "c"], "third": ["b", "c", "a"]}.items()}
    >>> found = discriminative_power(qrels, runs, ["RR", "P@1"])
    >>> [(power.measure, power.significant, power.pairs) for power in found.measures]
    [('RR', 2, 3), ('P@1', 2, 3)]
    """
    compared = compare_all(qrels, runs, measures, test=test, level=level, resamples=resamples, seed=seed, **options)
    return DiscriminativePower.of(compared)

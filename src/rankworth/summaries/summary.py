"""Summaries of values of queries that merge in any order: means, spreads, intervals and quantiles of all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankworth.errors import UsageError, counted, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Sheet
from rankworth.summaries import making, packing, reading
from rankworth.summaries.asked import Asked
from rankworth.summaries.cell import Cell
from rankworth.summaries.cells import ALL, Cells
from rankworth.summaries.reading import Ends


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Shown):
    """What is known of the values of queries without the values: it merges in any order, with the same numbers.

    Of each measure, and in each group: how many values there are, the smallest and the largest, exact sums of values
    and of their squares, a histogram, and sums over bootstrap samples. Two summaries of different queries merge into
    that of all of them, and it is the same to the last bit, whichever were merged first and however queries were
    parted.

    The bootstrap is that of Poisson: sample b has a query as often as a number says that is drawn from the Poisson
    distribution of mean 1 and depends on the seed, the id of the query and b alone. Values are rounded to `2^-30` of
    the largest of their range for it, so that sums of them are exact; where no range is known, to `2^-30` of the
    largest value or finer, but whole numbers up to `2^59` stay what they are. So the mean of a sample is off by
    `2^-30` of the largest value at most. Up to `2^32` queries, no sum leaves 64 bits.

    Attributes:
        asked: what the summary was asked for.
        cells: what it holds.

    Sources: Chamandy, Muralidharan, Najmi and Naidu (2012), Estimating uncertainty for massive data streams, Google;
    Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using Poisson frequencies,
    https://doi.org/10.1016/j.cmpb.2006.04.006

    >>> asked = Asked(("RR",), ranges=((0, 1),))
    >>> one = Summary.of(asked, ["q1", "q2"], [[1.0], [0.5]])
    >>> both = one.merge(Summary.of(asked, ["q3"], [[0.25]]))
    >>> both.queries, both.means()
    (3, {'RR': 0.5833333333333334})
    """

    asked: Asked
    cells: Cells

    @classmethod
    def of(
        cls,
        asked: Asked,
        queries: Any,  # noqa: ANN401 - a list, an array, or a column of a frame
        values: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        groups: Sequence[str] | None = None,
        counts: Mapping[str, int | ArrayLike] | None = None,
        there: ArrayLike | None = None,
        divided: ArrayLike | None = None,
    ) -> "Summary":
        """The summary of some queries.

        Args:
            asked: what is to be summarised.
            queries: Q ids, texts or whole numbers, which are the same as their digits.
            values: `[Q, M]`; NaN and infinities make means what they would be without a summary.
            weights: `[Q]`, 0 or from 1e-120 to 1e120, where they were asked for; a query of weight 0 counts among the
                queries and in sums, which no weight changes, and nowhere else.
            groups: `[Q]`, the name of the group of each, where groups were asked for.
            counts: whatever is counted besides, added up by name: a whole number for all queries together, or `[Q]`,
                one for each query, which is added up in each group.
            there: `[Q, M]` or `[Q, 1]`, which queries have a value; all, where not said.
            divided: the same, the queries that a mean is taken over; those with a value, where not said. A mean is the
                sum of the values over the number of these, be there a value or not; geometric means and sums are
                always of the values alone.

        Raises:
            InputError: `id-type`, `bad-weight`, `missing-value`.
            UsageError: `input-type`, `conflicting-options`.

        """
        cells = making.made(
            asked, queries, values, weights=weights, groups=groups, counts=counts or {}, there=there, divided=divided
        )
        return cls(asked, cells)

    @classmethod
    def empty(cls, asked: Asked) -> "Summary":
        """The summary of no query, which changes nothing when it is merged."""
        return cls(asked, making.nothing(asked))

    @classmethod
    def merged(cls, summaries: "Iterable[Summary]") -> "Summary":
        """All as one.

        Raises:
            UsageError: `not-comparable`, or `input-type` where there is none.

        """
        every = iter(summaries)
        first = next(every, None)
        if first is None:
            raise UsageError(
                "input-type", "not one summary to merge", remedy="Summary.empty(asked) is that of no query"
            )
        for other in every:
            first = first.merge(other)
        return first

    def merge(self, other: "Summary") -> "Summary":
        """Both as one; no query is in both.

        Raises:
            UsageError: `not-comparable`, where they were not asked for the same.

        """
        if self.asked != other.asked:
            names = ("labels", "ways", "ranges", "resamples", "seed", "weighted", "grouped")
            differ = [name for name in names if getattr(self.asked, name) != getattr(other.asked, name)]
            raise UsageError("not-comparable", f"two summaries were not asked for the same: {', '.join(differ)} differ")
        return Summary(self.asked, self.cells.plus(other.cells))

    def to_bytes(self) -> bytes:
        """All of it as bytes; equal for equal summaries, whatever they were merged from."""
        return packing.packed(self.asked, self.cells)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Summary":
        """A summary from what `to_bytes` gave.

        Raises:
            InputError: `bad-results`, `newer-results`, `truncated-file`.

        """
        return cls(*packing.unpacked(data))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.asked.labels

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups in the order of their characters; `all` alone where none were asked for."""
        return self.cells.groups

    @property
    def counts(self) -> dict[str, int]:
        """What was counted besides, by name."""
        found = dict(self.cells.counts)
        for name, part in self.cells.shares.items():
            found[name] = found.get(name, 0) + int(part.sum())
        return found

    @property
    def queries(self) -> int:
        """How many queries there are, with or without values."""
        return int(self.cells.queries.sum())

    def of_group(self, name: str) -> "Summary":
        """The summary of one group; of what was counted besides, it has what was counted for each query.

        Raises:
            UsageError: `unknown-setting`.

        """
        if name not in self.groups:
            text = f"there is no group {quoted([name])}: the groups are {quoted(self.groups)}"
            raise UsageError("unknown-setting", text)
        return Summary(self.asked, self.cells.only(name))

    def values(self) -> dict[str, int]:
        """How many values there are, NaN among them."""
        return {label: cell.values for label, cell in self._cells().items()}

    def divisors(self) -> dict[str, int]:
        """How many queries the means are taken over."""
        return {label: cell.divided for label, cell in self._cells().items()}

    def undefined(self) -> dict[str, int]:
        """How many values are NaN."""
        return {label: cell.nan for label, cell in self._cells().items()}

    def minima(self) -> dict[str, float]:
        """The smallest values; NaN where there is none."""
        return {label: cell.lowest if cell.lowest <= cell.highest else np.nan for label, cell in self._cells().items()}

    def maxima(self) -> dict[str, float]:
        """The largest values; NaN where there is none."""
        return {label: cell.highest if cell.lowest <= cell.highest else np.nan for label, cell in self._cells().items()}

    def means(self) -> dict[str, float]:
        """Means, geometric means or sums.

        The sum of the values is exact and rounded once, as by `math.fsum`, and divided by the number of queries that
        the mean is taken over; with weights, both sums are rounded once, and a weight times a value before. NaN where
        a value is NaN, and over no query; the sum of no value is 0.
        """
        return {label: cell.mean for label, cell in self._cells().items()}

    def macro_means(self) -> dict[str, float]:
        """The means of the means of the groups that have one; sums are those of all queries."""
        return {label: reading.macro_mean(self.cells, self.asked, place) for place, label in enumerate(self.labels)}

    def variances(self) -> dict[str, float]:
        """How far values spread around their means, `sum((v - mean)^2) / (n - 1)`, where v is 0 for lack of a value.

        Rounded once. Those of a geometric mean are of the logarithms. With weights, `sum(h (v - mean)^2) / (1 - Q)` of
        the shares h of the queries in the whole weight and Q the sum of their squares, as by `statistics.moments`. NaN
        with fewer than two queries, and where a value is not finite.
        """
        return {label: cell.variance for label, cell in self._cells().items()}

    def standard_errors(self) -> dict[str, float]:
        """How far means may be off: the square root of the variance over the number of queries.

        With weights it is the linearised error of a ratio, as by `statistics.moments`; of a geometric mean, it is that
        of the mean of the logarithms. NaN as for variances, and for sums.
        """
        return {label: cell.error for label, cell in self._cells().items()}

    def intervals(self, level: float = 0.95) -> dict[str, Ends]:
        """Percentile intervals of the means over Poisson bootstrap samples.

        A sample's mean is the sum of weight times value over the sum of the weights, as often as the sample has each
        query; an interval ends at quantiles of these means. `statistics.intervals` draws just as many queries as there
        are, and shifts the quantiles by bias and acceleration (BCa). Both come to the same for many queries: the number
        of queries of a Poisson sample varies by the square root of their number, and is divided by.

        NaN for sums, without samples, with fewer than two queries, where a value is not finite, and where one is more
        than 8 times as large as its range allows. Where all values are equal, both ends are that value.

        Raises:
            UsageError: `unknown-setting`.

        """
        reading.checked(level)
        cells = self.cells.together()
        return {label: reading.ends(cells, self.asked, 0, place, level) for place, label in enumerate(self.labels)}

    def macro_intervals(self, level: float = 0.95) -> dict[str, Ends]:
        """Intervals of the means of the means of groups: those of each sample, in which a group may be missing.

        NaN as of `intervals`, and where a group has fewer than two queries.

        Raises:
            UsageError: `unknown-setting`.

        """
        reading.checked(level)
        return {
            label: reading.macro_ends(self.cells, self.asked, place, level) for place, label in enumerate(self.labels)
        }

    def quantiles(self, label: str, shares: Sequence[float]) -> list[float]:
        """Values that shares of all values do not exceed.

        The value of rank `ceil(share n)`, or the smallest, as exact as the histogram is: off by 1/1680 of the range at
        most where that is known, so that tenths and halves to eighths of it are exact; otherwise by 1/128 of the value,
        and whole numbers up to 128 are exact. NaN without a value, and where one is NaN.

        Args:
            label: of the measure.
            shares: from 0 to 1 each.

        Raises:
            UsageError: `not-measured`, `unknown-setting`.

        >>> rows = [[place / 10] for place in range(11)]
        >>> Summary.of(Asked(("P@10",), ranges=((0, 1),)), range(11), rows).quantiles("P@10", [0.25, 0.5])
        [0.2, 0.5]
        """
        if label not in self.labels:
            text = f"the summary has no {quoted([label])}: it has {quoted(self.labels)}"
            raise UsageError("not-measured", text)
        odd = [share for share in shares if not 0 <= share <= 1]
        if odd:
            raise UsageError("unknown-setting", f"shares: a share lies between 0 and 1, and there is {odd[0]}")
        return reading.quantiles(self.cells.together(), self.asked, self.labels.index(label), shares)

    def to_frame(self, library: FrameLibrary = "polars", *, level: float = 0.95) -> Any:  # noqa: ANN401 - its own frame
        """One row for each group and measure.

        Columns: `group`, where groups were asked for; `measure`; `queries`, over which the mean is taken; `mean`; `low`
        and `high` of its interval; `deviation`, the square root of the variance; `error`; `minimum`; `maximum`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        parts = [(name, self.of_group(name)) for name in self.groups] if self.asked.grouped else [(ALL, self)]
        columns: dict[str, list[Any]] = {}
        for name, part in parts:
            intervals, lowest, highest = part.intervals(level), part.minima(), part.maxima()
            for label, cell in part._cells().items():  # noqa: SLF001 - its own kind
                row: dict[str, Any] = {"group": name} if self.asked.grouped else {}
                low, high = intervals[label]
                row |= {"measure": label, "queries": cell.divided, "mean": cell.mean, "low": low, "high": high}
                row |= {"deviation": cell.variance**0.5, "error": cell.error}
                row |= {"minimum": lowest[label], "maximum": highest[label]}
                for column, item in row.items():
                    columns.setdefault(column, []).append(item)
        return to_library(columns, library)

    def sheets(self) -> list[Sheet]:
        """One row for each group, and one of all: the means with their intervals."""
        parts = [(name, self.of_group(name)) for name in self.groups] if self.asked.grouped else []
        rows = [*parts, (ALL, self)]
        columns = [Column("group", "text", [name for name, _ in rows])] if parts else []
        columns.append(Column("queries", "count", [part.queries for _, part in rows]))
        means, intervals = [part.means() for _, part in rows], [part.intervals() for _, part in rows]
        for label, way, span in zip(self.labels, self.asked.ways, self.asked.ranges, strict=True):
            bounds = [one[label] for one in intervals] if self.asked.resamples and way != "sum" else ()
            columns.append(
                _column(label, [one[label] for one in means], bounds, shared=span == (0, 1), whole=way == "sum")
            )
        notes = [f"{name}: {count:,}" for name, count in self.counts.items()]
        if self.asked.resamples:
            notes.append(self.sentence())
        return [Sheet(tuple(columns), tuple(notes))]

    def sentence(self, level: float = 0.95) -> str:
        """How intervals are made, in words for a paper."""
        return (
            f"Intervals are {100 * level:.4g}% percentile intervals over {self.asked.resamples:,} Poisson bootstrap "
            f"samples of queries (seed {self.asked.seed})."
        )

    def __str__(self) -> str:
        """The table."""
        return show(self.sheets(), "table", Look())

    def __repr__(self) -> str:
        """Say what is in it."""
        groups = f", {len(self.groups):,} groups" if self.asked.grouped else ""
        return f"Summary({counted(self.queries)}{groups}, {', '.join(self.labels)})"

    def _cells(self) -> dict[str, Cell]:
        """The cells of all groups together."""
        cells = self.cells.together()
        ways = zip(self.labels, self.asked.ways, strict=True)
        return {label: cells.cell(0, place, way) for place, (label, way) in enumerate(ways)}


def _column(
    label: str, means: list[float], bounds: Sequence[tuple[float, float]], *, shared: bool, whole: bool
) -> Column:
    """Means for people: sums that are whole numbers as such, values between 0 and 1 as shares."""
    if whole and all(map(float.is_integer, means)):
        return Column(label, "count", list(map(int, means)))
    return Column(label, "share" if shared else "value", means, bounds=bounds)

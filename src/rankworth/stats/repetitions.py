"""Repeated runs of systems: variance by query, by run and by both, and differences that regard both as samples.

A system has R runs of the same Q queries, and run r gives query q the value

    x[r, q] = mean + query[q] + run[r] + rest[r, q]

where query, run and rest are random and independent. Two systems share the queries; their runs are their own. With the
shares h of the queries (1 / Q where all weigh the same), these are known without bias (methods of analysis of variance:
mean squares and what they are expected to be):

    by_run      variance of the means of runs, R - 1 degrees of freedom            run + rest
    rest        of x[r, q] less the means of its run and its query                 rest
    by_query    squared error of the mean of x[., q] over queries, Q - 1           (query + rest / R)

each as a part of the variance of the mean of a run: `rest` is the residual mean square divided by Q. The difference of
two systems has `by_query` of the differences of their means per query, and

    V = max(0, by_query - both) + max(0, by_run - both) + both

with by_run and both summed over the two systems, each divided by its R, as both count what the two others count twice.
Its degrees of freedom are Satterthwaite's. Two sets of runs of *identical* systems share what queries do, so that their
difference has the variance by_run alone.

Sources: Bodoff and Li (2007), Test theory for assessing IR test collections, https://doi.org/10.1145/1277741.1277805;
Voorhees, Samarov and Soboroff (2017), Using replicates in information retrieval evaluation,
https://doi.org/10.1145/3086701; Searle, Casella and McCulloch (1992), Variance components, chapter 4,
https://doi.org/10.1002/9780470316856; Satterthwaite (1946), An approximate distribution of estimates of variance
components, https://doi.org/10.2307/3002019.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankworth.stats.planning import noncentrality_for, power_at
from rankworth.stats.samples import ROUNDING, Columns, moments, share

_MOST: Final = 1 << 40
"""runs or queries beyond which no number is looked for"""


class Components(NamedTuple):
    """Variances of single values by source; an estimate below 0 is 0."""

    query: float
    run: float
    both: float
    """of what neither query nor run explains"""
    negative: tuple[str, ...]
    """the sources whose estimate is below 0"""


@dataclass(frozen=True)
class Repetitions:
    """How the runs of one system vary; NaN with fewer than two runs or two queries."""

    runs: int
    queries: float
    """how many there are; the effective number where they have weights"""
    mean: float
    by_query: float
    by_run: float
    rest: float

    @property
    def components(self) -> Components:
        """The variances of single values."""
        estimates = {
            "query": self.queries * (self.by_query - self.rest / self.runs),
            "run": self.by_run - self.rest,
            "both": self.queries * self.rest,
        }
        negative = tuple(name for name, value in estimates.items() if value < 0)
        query, run, both = (max(0.0, value) for value in estimates.values())
        return Components(query, run, both, negative)


class Design(NamedTuple):
    """What the variance of a difference is made of, for other numbers of queries and runs.

    With Q queries and R runs of each system it is `query / Q + run / R + both / (Q R)`.
    """

    query: float
    run: float
    both: float
    further_df: float
    """degrees of freedom of what further runs tell of runs; 0 where each system has to tell of its own"""

    def error(self, queries: float, runs: float) -> tuple[float, float]:
        """Return the standard error of a difference, and its degrees of freedom."""
        rest = self.both / (queries * runs)
        df_of_runs = max(2 * (runs - 1), self.further_df)
        parts = [(self.query / queries + rest, queries - 1)] if self.query > 0 else []
        parts += [(self.run / runs + rest, df_of_runs)] if self.run > 0 else []
        parts += [(rest * (1 - len(parts)), df_of_runs * (queries - 1))]
        variance = self.query / queries + self.run / runs + rest
        return math.sqrt(variance), _satterthwaite(variance, parts)

    def power(self, effect: float, queries: float, runs: float, alpha: float = 0.05) -> float:
        """Return the probability that the difference is called one; 0 if its error cannot be estimated."""
        error, df = self.error(queries, runs)
        if error == 0:
            return float(effect != 0)
        if math.isnan(error) or df <= 0:
            return 0.0 if df <= 0 else math.nan
        return float(power_at(np.array([abs(effect) / error]), np.array([df]), alpha)[0])

    def minimal_detectable(self, queries: float, runs: float, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the smallest difference called one with this power, or infinity."""
        error, df = self.error(queries, runs)
        if error == 0 or math.isnan(error):
            return error
        return float(noncentrality_for(np.array([df]), power, alpha)[0]) * error if df > 0 else math.inf

    def runs_needed(self, effect: float, queries: float, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the smallest sufficient number of runs of each system, or infinity."""
        least = runs_to_decide(1 - alpha)
        return _smallest(lambda runs: self.power(effect, queries, runs, alpha) >= power, least)

    def queries_needed(self, effect: float, runs: float, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the smallest sufficient number of queries, or infinity."""
        return _smallest(lambda queries: self.power(effect, queries, runs, alpha) >= power, 2)


@dataclass(frozen=True)
class RunDifference:
    """The difference of two systems with repeated runs, the second less the first."""

    mean: float
    error: float
    """its standard error over queries and runs"""
    df: float
    identical_error: float
    """the standard error of the difference of two sets of as many runs of identical systems"""
    identical_df: float
    query: float
    """the part of the squared error that comes from queries"""
    run: float
    both: float
    negative: tuple[str, ...]
    """the sources whose estimate is below 0, and so 0"""
    runs: int
    """the fewest runs that tell how runs of one of the systems vary, by their degrees of freedom"""
    design: Design

    def half(self, level: float = 0.95) -> float:
        """Return half the width of an interval of the difference over queries and runs."""
        return _quantile(level, self.df) * self.error

    def detectable(self, power: float = 0.8, alpha: float = 0.05) -> float:
        """Return the smallest difference that as many queries and runs show with this power."""
        return float(noncentrality_for(np.array([self.df]), power, alpha)[0]) * self.error

    def p(self, margin: float | None = None) -> float:
        """Return p of a t test of no difference, or that of two one-sided tests of one outside a margin."""
        from scipy.special import stdtr  # noqa: PLC0415 - costs more than most evaluations

        if math.isnan(self.error) or self.error == 0:
            return math.nan
        above = -abs(self.mean) if margin is None else abs(self.mean) - margin
        return float(stdtr(self.df, above / self.error)) * (2 if margin is None else 1)

    def identical_p(self) -> float:
        """Return p of a t test over runs alone, as identical systems share queries; NaN where runs do not vary."""
        from scipy.special import stdtr  # noqa: PLC0415 - costs more than most evaluations

        if not self.identical_error > 0:
            return math.nan
        return 2 * float(stdtr(self.identical_df, -abs(self.mean) / self.identical_error))

    def identical(self, level: float = 0.95) -> float:
        """Return what runs of identical systems differ by at most, in so many cases."""
        return _quantile(level, self.identical_df) * self.identical_error

    def exceeds(self, limit: float) -> float:
        """Return the probability that the mean of identical runs drops by more than a limit.

        >>> runs = [[0.1, 0.3], [0.2, 0.4], [0.1, 0.5], [0.2, 0.2]]
        >>> round(run_difference(runs[:2], runs[2:]).exceeds(0.0), 3)
        0.5
        """
        from scipy.special import stdtr  # noqa: PLC0415 - costs more than most evaluations

        if self.identical_error == 0:
            return float(limit < 0)
        return float(stdtr(self.identical_df, -limit / self.identical_error))


def repeated_runs(values: ArrayLike, weights: ArrayLike | None = None) -> Repetitions:
    """Compute how the runs of one system vary.

    Args:
        values: [R, Q], a row for each run; queries that lack a value are left out.
        weights: [Q].

    >>> found = repeated_runs([[0.1, 0.3, 0.8], [0.2, 0.4, 0.6], [0.1, 0.5, 0.9], [0.2, 0.2, 0.7]])
    >>> found.runs, round(found.mean, 4), [round(part, 6) for part in found.components[:3]]
    (4, 0.4167, [0.09, 0.0, 0.013333])
    >>> found.components.negative
    ('run',)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:  # noqa: PLR2004 - runs and queries
        raise ValueError(f"values are a table [runs, queries], this has the shape {table.shape}")
    weighing = None if weights is None else np.asarray(weights, dtype=np.float64)
    is_complete = ~np.isnan(table).any(axis=0)  # [Q]
    table, weighing = table[:, is_complete], None if weighing is None else weighing[is_complete]
    size = len(table)
    of_mean = moments(Columns.of(table.mean(axis=0)[:, None], weighing))  # of the mean over runs, [1] each
    by_query, mean, effective = (float(part[0]) for part in (of_mean.error**2, of_mean.mean, of_mean.effective))
    by_run = rest = math.nan
    if size > 1 and table.shape[1] > 0:
        run_means = moments(Columns.of(table.T, weighing)).mean  # [R]
        largest = ROUNDING * float(np.abs(table).max())
        by_run = 0.0 if np.ptp(run_means) <= largest else float(run_means.var(ddof=1))
        left = table - table.mean(axis=0) - run_means[:, None] + run_means.mean()  # [R, Q]
        left[np.abs(left) <= largest] = 0.0
        rest = float((moments(Columns.of(left.T, weighing)).error ** 2).sum() / (size - 1))
    return Repetitions(size, effective, mean, by_query, by_run, rest)


def run_difference(
    first: ArrayLike, second: ArrayLike, weights: ArrayLike | None = None, further: Sequence[ArrayLike] = ()
) -> RunDifference:
    """Compute the difference of two systems over queries and runs.

    A system with one run is taken to vary as the systems do that have several, `further` ones among them.

    Args:
        first: [R, Q], the values of one system.
        second: [S, Q], those of the other.
        weights: [Q].
        further: [T, Q] each, runs of further systems, which tell how runs vary.

    Raises:
        ValueError: where no system has two runs.

    >>> old = [[0.1, 0.3, 0.8], [0.2, 0.4, 0.6], [0.1, 0.5, 0.9], [0.2, 0.2, 0.7]]
    >>> new = [[0.3, 0.4, 0.9], [0.2, 0.4, 0.8], [0.3, 0.6, 0.9], [0.2, 0.4, 0.7]]
    >>> found = run_difference(old, new)
    >>> round(found.mean, 4), round(found.half(), 4)
    (0.0917, 0.1164)
    >>> round(found.identical(), 4)
    0.1164
    """
    tables = [np.atleast_2d(np.asarray(values, dtype=np.float64)) for values in (first, second, *further)]
    is_complete = ~np.isnan(np.concatenate(tables)).any(axis=0)  # [Q]
    weighing = None if weights is None else np.asarray(weights, dtype=np.float64)[is_complete]
    tables = [table[:, is_complete] for table in tables]
    systems = [repeated_runs(table, weighing) for table in tables]
    df_of_runs = np.array([system.runs - 1 for system in systems], dtype=np.float64)  # [S]
    if not df_of_runs.any():
        raise ValueError("no system has two runs, so that nothing is known of how runs vary")
    lent = df_of_runs / df_of_runs.sum()  # [S]: how much each tells of a system that has one run
    # [2, S]: how much each system tells of the variance of a run of either
    shares = np.array([np.eye(len(systems))[side] if df_of_runs[side] else lent for side in (0, 1)])
    times = shares.T @ (1 / (df_of_runs[:2] + 1))  # [S]
    has_part = times > 0
    by_run, rest = np.array([(system.by_run, system.rest) for system in systems])[has_part].T  # [s] each
    apart = moments(Columns.of((tables[1].mean(axis=0) - tables[0].mean(axis=0))[:, None], weighing))
    mean, by_query, effective = (float(part[0]) for part in (apart.mean, apart.error**2, apart.effective))
    df, times = df_of_runs[has_part], times[has_part]
    runs, both = float(times @ by_run), float(times @ rest)
    names, sources = ("query", "run"), (by_query, runs)
    negative = tuple(name for name, source in zip(names, sources, strict=True) if source < both)
    of_runs = list(zip((times * by_run).tolist(), df.tolist(), strict=True))
    parts = [] if "query" in negative else [(by_query, effective - 1)]
    parts += [] if "run" in negative else of_runs
    of_rest = zip((times * rest * (len(negative) - 1)).tolist(), (df * (effective - 1)).tolist(), strict=True)
    variance = max(0.0, by_query - both) + max(0.0, runs - both) + both
    single = shares.sum(axis=0)[has_part]  # [s]: for the difference of single runs
    design = Design(
        effective * max(0.0, by_query - both),
        max(0.0, float(single @ (by_run - rest))),
        effective * float(single @ rest),
        float(df_of_runs.sum()) if not df_of_runs[:2].all() else 0.0,
    )
    return RunDifference(
        mean=mean,
        error=math.sqrt(variance),
        df=_satterthwaite(variance, [*parts, *of_rest]),
        identical_error=math.sqrt(runs),
        identical_df=_satterthwaite(runs, of_runs),
        query=max(0.0, by_query - both),
        run=max(0.0, runs - both),
        both=both,
        negative=negative,
        runs=int(min(df_of_runs[side] or df_of_runs.sum() for side in (0, 1))) + 1,
        design=design,
    )


def runs_to_decide(level: float = 0.95) -> int:
    """Return how many runs two systems need at least, so that a difference can be seen at a level by their runs alone.

    With fewer, even the clearest order of their runs (all of the second above all of the first) comes about among
    identical systems too often: `2 / C(2 n, n)` is not below `1 - level`.

    >>> runs_to_decide(0.95), runs_to_decide(0.99)
    (4, 5)
    """
    share("level", level)
    runs = 2
    while 2 / math.comb(2 * runs, runs) >= 1 - level:
        runs += 1
    return runs


def _quantile(level: float, df: float) -> float:
    """Return the t that lies in the middle so often; NaN without degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415 - costs more than most evaluations

    return float(stdtrit(df, (1 + level) / 2))


def _satterthwaite(variance: float, parts: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of mean squares, each with its own; without a variance the first one's."""
    terms = [(part, df) for part, df in parts if part != 0]
    if not terms or not variance > 0:
        return max(1.0, float(parts[0][1]))
    return variance**2 / sum(part**2 / df for part, df in terms) if all(df > 0 for _, df in terms) else 0.0


def _smallest(is_enough: Callable[[float], bool], least: int) -> float:
    """Find the smallest sufficient whole number from `least` on, or infinity."""
    high = least
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            return math.inf
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return float(high)

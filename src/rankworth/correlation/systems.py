"""Whether two measures, or two judges, put systems into the same order, and how often a measure tells two apart."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np

from rankworth import comparison
from rankworth.comparison import Comparison, ScoreTable
from rankworth.comparison.comparing import FEW as SHUFFLES
from rankworth.comparison.differences import LEVEL, PAIRWISE
from rankworth.correlation.judges import FEW, MANY, agreement, names_of
from rankworth.correlation.judges_result import Agreement
from rankworth.correlation.methods import METHODS, Method, methods
from rankworth.correlation.systems_result import (
    Correlated,
    DiscriminativePower,
    Estimate,
    Significant,
    Swap,
    SystemCorrelation,
    SystemMeans,
)
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.evaluation.results_file import Result
from rankworth.evaluation.results_reading import is_results
from rankworth.evaluation.values import RunValues, Values
from rankworth.io.validate import ids
from rankworth.judging import inputs
from rankworth.measures import Measure
from rankworth.model import Qrels
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile, ReadSettings, profile_of
from rankworth.stats.rank_correlation import COEFFICIENTS, Orders, Pair
from rankworth.stats.resampling import over_samples
from rankworth.stats.samples import CELLS, Bools, Floats
from rankworth.tables.look import p_value

if TYPE_CHECKING:
    from rankworth.io.source import Progress

METHOD: Final = ("tau-b", "tau-ap-b", "spearman")
"""the coefficients by default"""
TEST: Final = "randomized-tukey"
_QUERIES: Final = 1_000
"""queries up to which there are many"""
_FEW_SYSTEMS: Final = 10
"""fewer systems than that show little"""
_NOT_HERE: Final = ("all_pairs", "baseline", "by", "effect", "interval", "margin")
"""options of a comparison that have no meaning here"""
_UNDEFINED: Final = ("no-common-pairs", "input-type", "many-grades")
"""why judges have no agreement, although systems can be measured"""
_WORDS: Final[tuple[Significant, ...]] = ("none", "one", "both")


class CompareOptions(ReadSettings, total=False):
    """What systems are measured and compared by, as for `rankworth.compare`."""

    correction: str | None
    table: object
    queries: Iterable[object] | None
    rel: float | None
    profile: str | Profile
    accept_new_qrels: bool
    progress: "Progress | None"


def correlate_measures(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    **options: Unpack[CompareOptions],
) -> SystemCorrelation:
    """Do measures agree on the order of systems?

    Systems are put into an order by their means, better ones first whichever end of a measure's scale is better; means
    that rounding alone tells apart are tied. Each two measures are correlated, the one that was named first as x, which
    is the reference of coefficients that have one (`tau-ap`, `tau-ap-a`, `weighted-tau-reference`).

    Intervals are percentiles of the coefficient over samples of the queries with replacement; all measures have the
    same samples. They say what other queries would have done to this coefficient of these very systems, not what other
    systems would have. Sampled means vary more than those seen, so that intervals lean towards 0, and that of a
    perfect correlation ends at 1. P values are about systems: how probable a coefficient as far from 0 is where the
    order of as many systems is random.

    Pairs of systems that change places are listed, with the p values of a test of either difference, as
    `rankworth.compare` of all pairs gives them.

    Args:
        qrels: judgements, as for `compare`; needless where all values were stored.
        runs: systems, as for `compare`.
        measures: two or more, as for `evaluate`; where not said, as for `compare`.
        method: coefficients, names of `rankworth.stats.rank_correlation.COEFFICIENTS`.
        test: of differences of systems, as for `compare`.
        level: of intervals and tests.
        resamples: how many samples of queries, and random shuffles (or sign flips, or samples) of the test; where not
            said, 9,999 samples, and 999 where there are more than 1,000 queries; 10,000 shuffles, and as many sign
            flips as in `compare`.
        seed: of these.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (which tests other than the
            default one can do with), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and
            conventions.

    Returns:
        A `SystemCorrelation`.

    Raises:
        InputError, MeasureError: as `compare`.
        UsageError: as `compare`; `unknown-setting`; `conflicting-options` where there are fewer than two systems or
            measures; `tied-ranking` where a coefficient is not defined for systems of equal means.

    Sources: on orders of systems and their swaps, Voorhees (2000), Variations in relevance judgments and the
    measurement of retrieval effectiveness, https://doi.org/10.1016/S0306-4573(00)00010-8; on tests of all pairs,
    Carterette (2012), https://doi.org/10.1145/2094072.2094076

    >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}
    >>> runs = {
    ...     "old": {"q1": ["x", "b", "a"], "q2": ["x", "b", "a"]},
    ...     "new": {"q1": ["b", "x", "y"], "q2": ["b", "x", "y"]},
    ...     "all": {"q1": ["a", "b"], "q2": ["a", "b"]},
    ... }
    >>> found = correlate_measures(qrels, runs, ["RR", "R@10"], method="tau-b")
    >>> round(found.of("RR", "R@10").value, 4)  # RR 0.5, 1, 1 and recall 1, 0.5, 1: (0 - 1) / sqrt(2 * 2)
    -0.5
    >>> [(swap.first, swap.second) for swap in found.swaps]
    [('new', 'old')]
    """
    wanted = _coefficients(method)
    named = None if measures is None else _distinct(measures)
    compared = _compare(qrels, runs, named, test=test, level=level, resamples=resamples, seed=seed, **options)
    orders = means_of(compared.scores)
    if len(orders) < 2:  # noqa: PLR2004 - a correlation takes two
        text = f"measures are held against each other, and there is {orders[0].measure} only"
        raise UsageError("conflicting-options", text, remedy="name two or more: measures=['nDCG@10', 'AP']")
    pairs = list(combinations(range(len(orders)), 2))
    return _correlation(orders, pairs, [compared] * len(orders), wanted, resamples)


def _coefficients(method: str | Iterable[str]) -> tuple[Method, ...]:
    """Coefficients by their names.

    Raises:
        UsageError: `unknown-setting`.

    """
    found = tuple(methods(method, 0.9, None))
    if odd := [one.name for one in found if not one.correlates]:
        text = f"method={odd[0]!r} is about documents; systems are correlated by {quoted(COEFFICIENTS, len(METHODS))}"
        raise UsageError("unknown-setting", text)
    return found


def _compare(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] | None,
    *,
    test: str,
    resamples: int | None,
    **options: Any,  # noqa: ANN401 - of `compare`
) -> Comparison:
    """All pairs of systems, compared.

    Raises:
        InputError, MeasureError, UsageError: as `compare`; `unknown-setting`.

    """
    if odd := [name for name in options if name in _NOT_HERE]:
        raise UsageError("unknown-setting", f"{quoted(odd)}: no setting of a correlation of systems")
    draws = SHUFFLES if resamples is None and test in PAIRWISE else resamples
    return comparison.compare(
        qrels, runs, measures, all_pairs=True, interval="t", test=test, resamples=draws, **options
    )


def _distinct(measures: Iterable[str | Measure]) -> list[str | Measure]:
    """Measures, each once."""
    return list(dict.fromkeys(several(measures)))


def correlate_judges(
    qrels_a: object,
    qrels_b: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] = ("nDCG@10",),
    *,
    names: Sequence[str] | None = None,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    by: object = None,
    **options: Unpack[CompareOptions],
) -> SystemCorrelation:
    """Do two sets of judgements put systems into the same order?

    Each measure is taken of all systems under both, over the queries that both have judgements for; otherwise as
    `correlate_measures`. The first judge is x, the reference of coefficients that have one. Samples of queries are the
    same under both. The result holds how far the judges agree on documents, too, and each system's mean under both.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people.
        qrels_b: the same of the second one, say a model.
        runs: systems, as for `compare`, but stored values, which come from one set of judgements.
        measures: as for `evaluate`.
        names: what to call the judges; the names of files where not said, otherwise `first` and `second`.
        method: as for `correlate_measures`.
        test: as for `correlate_measures`.
        level: as for `correlate_measures`.
        resamples: as for `correlate_measures`.
        seed: as for `correlate_measures`.
        by: the column by whose groups the agreement on documents is told, too.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (which tests other than the
            default one can do with), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and
            conventions.

    Returns:
        A `SystemCorrelation`.

    Raises:
        InputError, MeasureError: as `compare`; `no-common-queries` where no query is judged by both.
        UsageError: as `correlate_measures`; `run-names`; `conflicting-options` for stored values.

    Source: Voorhees (2000), Variations in relevance judgments and the measurement of retrieval effectiveness,
    https://doi.org/10.1016/S0306-4573(00)00010-8

    >>> human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    >>> model = {"q1": {"a": 0, "b": 1}, "q2": {"a": 0, "b": 1}}
    >>> runs = {"new": {"q1": ["a"], "q2": ["a"]}, "old": {"q1": ["b"], "q2": ["b"]}}
    >>> found = correlate_judges(human, model, runs, ["RR"], names=("human", "model"))
    >>> found.of("RR").value, found.means["RR (human)"], found.agreement.equal.value
    (-1.0, {'new': 1.0, 'old': 0.0}, 0.0)
    """
    wanted = _coefficients(method)
    _refuse_stored(runs)
    judges = names_of(names, (qrels_a, qrels_b))
    if isinstance(runs, str | os.PathLike) or not isinstance(runs, Iterable):
        text = f"{type(runs).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    both, runs, rest = _read(qrels_a, qrels_b, runs, options)
    common, notes = _common(both, judges, rest.pop("queries", None))
    table, named = rest.pop("table", None), _distinct(measures)
    if rest.get("weights") is not None or rest.get("macro") is not None:
        rest["table"] = table
    rest |= {"test": test, "level": level, "resamples": resamples, "seed": seed}
    compared = [_compare(one, runs, named, queries=common, **rest) for one in both]
    first, second = (one.scores.queries for one in compared)
    if first != second:  # a profile may leave out queries for what is judged
        common = [query for query in first if query in set(second)]
        if not common:
            raise InputError("no-common-queries", f"no query has a value under both {judges[0]} and {judges[1]}")
        compared = [_compare(one, runs, named, queries=common, **rest) for one in both]
    orders = [one for told, judge in zip(compared, judges, strict=True) for one in means_of(told.scores, judge)]
    half = len(orders) // 2
    agreed, more = _agreement(
        both,
        names=judges,
        queries=compared[0].scores.queries,
        table=None if by is None else table,
        by=by,
        rel=rest.get("rel"),
        level=level,
        resamples=resamples,
        seed=seed,
    )
    pairs = [(place, place + half) for place in range(half)]
    each = [one for one in compared for _ in range(half)]
    return _correlation(orders, pairs, each, wanted, resamples, judges, agreed, (*notes, *more))


def _refuse_stored(runs: Mapping[str, object] | Sequence[object]) -> None:
    """Refuse values that one of the judges stands behind, or nobody knows who.

    Raises:
        UsageError: `conflicting-options`.

    """
    sources = list(_sources(runs)) if isinstance(runs, Iterable) else []
    parts = [part for source in sources for part in (source if isinstance(source, list | tuple) else [source])]
    stored = isinstance(runs, RunValues) or any(
        isinstance(one, Values | Result) or (isinstance(one, str | os.PathLike) and is_results(one)) for one in parts
    )
    if stored:
        raise UsageError(
            "conflicting-options",
            "stored values come from one set of judgements, and systems are to be measured under two",
            remedy="give the runs themselves",
        )


def _read(
    qrels_a: object,
    qrels_b: object,
    runs: Mapping[str, object] | Sequence[object],
    options: Mapping[str, Any],
) -> tuple[list[Qrels], Mapping[str, object] | Sequence[object], dict[str, Any]]:
    """The judgements of both, the runs, and the options that are not about reading."""
    profile = profile_of(options.get("profile", STANDARD))
    policy: Any = options.get("duplicate_judgements") or profile.judging.duplicate_judgements
    rest = dict(options)
    pair, systems = inputs.Said(rest).read((qrels_a, qrels_b), list(_sources(runs)))
    both = [one if isinstance(one, Qrels) else Qrels(one, duplicate_judgements=policy) for one in pair]
    return both, dict(zip(runs, systems, strict=True)) if isinstance(runs, Mapping) else systems, rest


def _sources(runs: Mapping[str, object] | Sequence[object]) -> Iterable[object]:
    return runs.values() if isinstance(runs, Mapping) else runs


def _common(
    both: Sequence[Qrels], names: tuple[str, str], queries: Iterable[object] | None
) -> tuple[list[str], list[str]]:
    """The queries that both have judgements for, and what is said of the others.

    Raises:
        InputError: `no-common-queries`.

    """
    first, second = (list(one.queries) for one in both)
    wanted = None if queries is None else list(dict.fromkeys(ids(queries)))
    known = set(first) & set(second)
    common = [query for query in (first if wanted is None else wanted) if query in known]
    if not common:
        what = "" if wanted is None else f" of the {len(wanted):,} asked for"
        text = f"no query{what} is judged by both: {names[0]} has {quoted(first)}, {names[1]} {quoted(second)}"
        raise InputError("no-common-queries", text)
    if wanted is not None:
        left = len(wanted) - len(common)
        return common, [f"{left:,} of the {len(wanted):,} queries asked for are not judged by both"] if left else []
    if len(common) == len(first) == len(second):
        return common, []
    each = f"{names[0]} {len(first):,}, {names[1]} {len(second):,}"
    return common, [f"over the {counted(len(common))} that both have judgements for; there are {each}"]


def _agreement(
    both: Sequence[Qrels],
    **options: Any,  # noqa: ANN401 - of `agreement`
) -> tuple[Agreement | None, list[str]]:
    """How far the judges agree on documents, or why that is not defined."""
    try:
        return agreement(both[0], both[1], **options), []
    except InputError as error:
        if error.slug not in _UNDEFINED:
            raise
        return None, [f"agreement of the judges is not defined: {error.problems[0]}"]


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
    """How often does each measure tell two systems apart?

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
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (which tests other than the
            default one can do with), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and
            conventions.

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
    >>> [(one.measure, one.significant, one.pairs) for one in found.measures]
    [('RR', 2, 3), ('P@1', 2, 3)]
    """
    compared = _compare(qrels, runs, measures, test=test, level=level, resamples=resamples, seed=seed, **options)
    return DiscriminativePower.of(compared)


def means_of(scores: ScoreTable, judge: str = "") -> list[SystemMeans]:
    """The means of systems by each measure."""
    return [
        SystemMeans(
            name,
            judge,
            scores.systems,
            scores.values[:, place],
            scores.means[:, place],
            scores.weights,
            scores.better[name],
            scores.signatures[name],
        )
        for place, name in enumerate(scores.measures)
    ]


def _correlation(
    orders: Sequence[SystemMeans],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    coefficients: Sequence[Method],
    resamples: int | None,
    judges: tuple[str, ...] = (),
    agreed: Agreement | None = None,
    notes: Sequence[str] = (),
) -> SystemCorrelation:
    """Correlate pairs of orders, `comparisons[i]` being the comparison that `orders[i]` is from."""
    known, missing = with_means(orders)
    distinct = tuple({id(one): one for one in comparisons}.values())
    plan, queries = distinct[0].plan, distinct[0].scores.queries
    count = (MANY if len(queries) <= _QUERIES else FEW) if resamples is None else resamples
    rows, more = correlated(known, pairs, comparisons, coefficients, level=plan.level, resamples=count, seed=plan.seed)
    said = [note for one in distinct for note in one.notes]
    return SystemCorrelation(
        rows=tuple(rows),
        views=tuple(known),
        methods=tuple(coefficients),
        comparisons=distinct,
        judges=judges,
        queries=queries,
        level=plan.level,
        resamples=count,
        seed=plan.seed,
        agreement=agreed,
        notes=tuple(dict.fromkeys([*notes, *said, *missing, *more])),
        warnings=tuple(warnings_of(rows, len(known[0].systems), coefficients, distinct, judges)),
    )


def with_means(orders: Sequence[SystemMeans]) -> tuple[list[SystemMeans], list[str]]:
    """The systems that have a mean by all measures, and what is said of the others."""
    void = np.array([~np.isfinite(one.means) for one in orders])
    notes = []
    for place in np.flatnonzero(void.any(axis=0)).tolist():
        titles = [one.title for one, unknown in zip(orders, void[:, place], strict=True) if unknown]
        notes.append(f"{orders[0].systems[place]} is left out: it has no mean by {', '.join(titles)}")
    kept = np.flatnonzero(~void.any(axis=0))
    return [one.only(kept.tolist()) for one in orders], notes


def correlated(
    orders: Sequence[SystemMeans],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    coefficients: Sequence[Method],
    *,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[list[Correlated], list[str]]:
    """A row for each pair of orders, and what must be said about them.

    Args:
        orders: of the same systems, from values for the same queries.
        pairs: which of them are correlated, by number.
        comparisons: of each order the comparison that it is from.
        coefficients: of correlation.
        level: of intervals and tests.
        resamples: how many samples of queries.
        seed: of these.

    Raises:
        UsageError: `tied-ranking`.

    """
    p = [_p_values(told, one.measure) for told, one in zip(comparisons, orders, strict=True)]
    values = [_values(orders[x], orders[y], coefficients) for x, y in pairs]
    enough = orders[0].values.shape[1] > 1 and len(orders[0].systems) > 1
    names = [one.name for one in coefficients]
    samples = sampled(orders, pairs, names, resamples=resamples, seed=seed) if enough else None
    rows, notes = [], []
    for place, (x, y) in enumerate(pairs):
        one, other, found = orders[x], orders[y], {}
        for number, method in enumerate(coefficients):
            value, chance = values[place][number]
            low = high = np.nan
            if samples is not None and not np.isnan(value):
                low, high = bounds(samples[place, number], level)
                if void := int(np.isnan(samples[place, number]).sum()):
                    what = "leaves no interval" if np.isnan(low) else "its interval leaves out"
                    text = f"not defined in {void:,} of {resamples:,} samples, which {what}"
                    notes.append(f"{method.label} of {_called(one, other)}: {text}")
            found[method.name] = Estimate(value, low, high, chance)
        if constant := [each.title for each in (one, other) if each.order.groups[0] < 2]:  # noqa: PLR2004 - one mean is no order
            text = f"all systems have the same mean by {' and by '.join(constant)}, which is no order"
            notes.append(f"{_called(one, other)}: {text}")
        measure = one.measure if one.judge else ""
        rows.append(Correlated(one.name, other.name, measure, found, *swaps_of(one, other, (p[x], p[y]), level)))
    return rows, list(dict.fromkeys(notes))


def _values(x: SystemMeans, y: SystemMeans, coefficients: Sequence[Method]) -> list[tuple[float, float]]:
    """Of each coefficient its value and p.

    Raises:
        UsageError: `tied-ranking`.

    """
    try:
        every = [COEFFICIENTS[one.name] for one in coefficients]
        return [(one.value(x.heights, y.heights), one.p(x.heights, y.heights)) for one in every]
    except UsageError as error:
        raise UsageError(error.slug, f"{_called(x, y)}: {error.problems[0]}", remedy=error.remedy) from None


def _called(x: SystemMeans, y: SystemMeans) -> str:
    return x.measure if x.judge else f"{x.name} and {y.name}"


def _p_values(compared: Comparison, measure: str) -> dict[tuple[str, str], float]:
    """The corrected p values of all pairs of systems by a measure, in either order of a pair."""
    rows = [one for one in compared.differences if one.measure == measure]
    return {pair: one.adjusted for one in rows for pair in ((one.first, one.second), (one.second, one.first))}


def swaps_of(
    x: SystemMeans, y: SystemMeans, p: Sequence[Mapping[tuple[str, str], float]], level: float
) -> tuple[int, int, tuple[Swap, ...]]:
    """How many pairs of systems are in the same order, how many are tied, and those in opposite orders.

    Args:
        x: one order.
        y: the other one, of the same systems.
        p: by names of two systems the p value of their difference by x, and by y.
        level: 1 - level is the chance of a difference called where there is none.

    """
    one, other = np.triu_indices(len(x.systems), 1)
    sides = [np.sign(each.order.higher[0][other] - each.order.higher[0][one]) for each in (x, y)]  # 1: one is better
    product = sides[0] * sides[1]
    swaps = []
    for place in np.flatnonzero(product < 0).tolist():
        pair = int(one[place]), int(other[place])
        first, second = pair if sides[0][place] > 0 else pair[::-1]
        names = x.systems[first], x.systems[second]
        x_p, y_p = (each.get(names, np.nan) for each in p)
        x_apart, y_apart = (float(each.means[second] - each.means[first]) for each in (x, y))
        word = _WORDS[(x_p < 1 - level) + (y_p < 1 - level)]
        swaps.append(Swap(*names, x_apart, y_apart, x_p, y_p, word))
    swaps.sort(key=lambda swap: (-_WORDS.index(swap.significant), _least(swap), -abs(swap.x_difference), swap[:2]))
    return int((product > 0).sum()), int((product == 0).sum()), tuple(swaps)


def _least(swap: Swap) -> float:
    """The p value that decides how much a swap matters: the higher one of two that count, else the lower one."""
    return max(swap.x_p, swap.y_p) if swap.significant == "both" else float(np.fmin(swap.x_p, swap.y_p))


def sampled(
    orders: Sequence[SystemMeans], pairs: Sequence[tuple[int, int]], names: Sequence[str], *, resamples: int, seed: int
) -> Floats:
    """[P, K, B]: K coefficients of each pair of orders in samples of the queries with replacement.

    All orders have the same samples, as their values come from the same queries. NaN where a coefficient is not
    defined.
    """
    sums = [_weighted(one) for one in orders]
    systems, queries = orders[0].values.shape
    step = max(1, CELLS // max(1, systems * len(orders)))

    def some(counts: Floats) -> Floats:
        """[P K, b], for how often each of b samples has each query."""
        heights = [_heights(counts, *each) for each in sums]
        void: list[Bools] = [np.asarray(np.isnan(one).any(axis=1)) for one in heights]
        known = [np.where(rows[:, None], 0.0, one) for one, rows in zip(heights, void, strict=True)]
        ranked = [Orders.of(one, rounded=True) for one in known]
        found = []
        for x, y in pairs:
            pair, undefined = Pair(ranked[x], ranked[y]), void[x] | void[y]
            found += [np.where(undefined, np.nan, COEFFICIENTS[name].of_samples(pair)) for name in names]
        return np.stack(found)

    def compute(counts: Floats) -> Floats:
        return np.concatenate([some(counts[first : first + step]) for first in range(0, len(counts), step)], axis=1)

    found = over_samples(compute, len(pairs) * len(names), queries, resamples, seed)
    return found.reshape(len(pairs), len(names), resamples)


def _weighted(one: SystemMeans) -> tuple[Floats, Floats | None]:
    """`[Q, S]`, weighted values, 0 where there is none, higher ones better; and their weights, None for all alike."""
    there = ~np.isnan(one.values)
    weights = np.ones(one.values.shape[1]) if one.weights is None else one.weights
    values = np.where(there, one.sign * one.values, 0.0) * weights
    return values.T, None if there.all() else (there * weights).T


def _heights(counts: Floats, values: Floats, weights: Floats | None) -> Floats:
    """[b, S]: the means in samples, or as many times these in all systems; NaN where there is none."""
    sums = counts @ values
    if weights is None:
        return np.asarray(sums)
    whole = counts @ weights
    return np.asarray(np.divide(sums, whole, out=np.full(sums.shape, np.nan), where=whole > 0))


def bounds(samples: Floats, level: float) -> tuple[float, float]:
    """The percentile interval; NaN where more samples than 1 - level have no number.

    Args:
        samples: [B], NaN where a coefficient is not defined.
        level: the confidence level.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13,
    https://doi.org/10.1201/9780429246593

    >>> bounds(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    there = samples[~np.isnan(samples)]
    if not there.size or samples.size - there.size > (1 - level) * samples.size:
        return float("nan"), float("nan")
    low, high = np.quantile(there, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def warnings_of(
    rows: Sequence[Correlated],
    systems: int,
    methods: Sequence[Method],
    comparisons: Sequence[Comparison],
    judges: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Slug and text of all that deserves a second look.

    Args:
        rows: what was found.
        systems: how many there are.
        methods: the coefficients.
        comparisons: what is said of the systems by themselves.
        judges: the names of the judges, one for each comparison; none for measures.

    """
    if systems < _FEW_SYSTEMS:
        yield "few-items", _few(rows, systems, methods)
    every = [dict.fromkeys(told.warnings) for told in comparisons]
    for place, found in enumerate(every):
        for slug, text in found:
            if all((slug, text) in other for other in every):
                if place == 0:
                    yield slug, text
            else:
                yield slug, f"{judges[place]}: {text}"


def _few(rows: Sequence[Correlated], systems: int, methods: Sequence[Method]) -> str:
    """The highest coefficient, and how little that is."""
    tested = [one for one in methods if not all(np.isnan(row.coefficients[one.name].p) for row in rows)]
    method = (tested or methods)[0]
    known = [row for row in rows if not np.isnan(row.coefficients[method.name].value)]
    text = f"{systems} systems"
    if not known:
        return f"{text} are few, and show little"
    row = max(known, key=lambda one: abs(one.coefficients[method.name].value))
    found = row.coefficients[method.name]
    of_which = f" ({row.called})" if len(rows) > 1 else ""
    said = [f"p = {p_value(found.p)}"] if not np.isnan(found.p) else []
    said += [f"the interval {found.low:.4g}..{found.high:.4g}"] if not np.isnan(found.low) else []
    has = f" has {' and '.join(said)}" if said else ""
    even = "even " if len(rows) > 1 else ""
    return f"{text}: {even}{method.label} of {found.value:.4g}{of_which}{has}; so few systems show little"

"""Whether two measures, or two judges, put systems into the same order, and how often a measure tells two apart."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Unpack

from rankworth import comparison
from rankworth.comparison import Comparison
from rankworth.comparison.comparing import FEW as SHUFFLES
from rankworth.comparison.differences import LEVEL, PAIRWISE
from rankworth.correlation.judges import Agreement, agreement, judge_names, resamples_for
from rankworth.correlation.methods import METHODS, Method, methods
from rankworth.correlation.orders import SystemMeans, correlated, means_of, warnings_of, with_means
from rankworth.correlation.systems_result import DiscriminativePower, SystemCorrelation
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
from rankworth.stats.rank_correlation import COEFFICIENTS

if TYPE_CHECKING:
    from rankworth.io.source import Progress

METHOD: Final = ("tau-b", "tau-ap-b", "spearman")
"""the coefficients by default"""
TEST: Final = "randomized-tukey"
_NOT_HERE: Final = ("all_pairs", "baseline", "by", "effect", "interval", "margin")
"""options of a comparison that have no meaning here"""
_UNDEFINED: Final = ("no-common-pairs", "input-type", "many-grades")
"""why judges have no agreement, although systems can be measured"""


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
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (not with the default
            test), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and conventions.

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
        by: the column by whose groups there is the agreement on documents, too.
        **options: as for `compare` and `evaluate`: `correction` of p values, `table`, `weights` (not with the default
            test), `macro`, `queries`, `rel`, `profile`, `accept_new_qrels`, `progress`, and conventions.

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
    judges = judge_names(names, (qrels_a, qrels_b))
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
    orders = [one for part, judge in zip(compared, judges, strict=True) for one in means_of(part.scores, judge)]
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
    pair, systems = inputs.InputOptions(rest).read((qrels_a, qrels_b), list(_sources(runs)))
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
    >>> [(one.measure, one.significant, one.pairs) for one in found.measures]
    [('RR', 2, 3), ('P@1', 2, 3)]
    """
    compared = _compare(qrels, runs, measures, test=test, level=level, resamples=resamples, seed=seed, **options)
    return DiscriminativePower.of(compared)


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
    count = resamples_for(len(queries)) if resamples is None else resamples
    rows, more = correlated(known, pairs, comparisons, coefficients, level=plan.level, resamples=count, seed=plan.seed)
    return SystemCorrelation(
        rows=tuple(rows),
        orders=tuple(known),
        methods=tuple(coefficients),
        comparisons=distinct,
        judges=judges,
        queries=queries,
        level=plan.level,
        resamples=count,
        seed=plan.seed,
        agreement=agreed,
        notes=tuple(dict.fromkeys([*notes, *(note for one in distinct for note in one.notes), *missing, *more])),
        warnings=tuple(warnings_of(rows, len(known[0].systems), coefficients, distinct, judges)),
    )

"""What is asked of two measures: do they put systems into the same order, and how sure is that?"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from rankworth import comparison
from rankworth.comparison import Comparison
from rankworth.comparison.comparing import FEW as SHUFFLES
from rankworth.comparison.differences import LEVEL, PAIRWISE
from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.correlation.judges_result import Agreement
from rankworth.correlation.methods import METHODS, Method
from rankworth.correlation.methods import methods as parsed
from rankworth.correlation.standings import warned
from rankworth.correlation.standings.result import SystemCorrelation
from rankworth.correlation.standings.rows import correlated
from rankworth.correlation.standings.views import View, views, with_means
from rankworth.errors import UsageError, quoted
from rankworth.measures import Measure
from rankworth.names import several
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

METHOD: Final = ("tau-b", "tau-ap-b", "spearman")
"""the coefficients where nobody says which"""
TEST: Final = "randomized-tukey"
MANY: Final = 9_999
FEW: Final = 999
"""samples of queries: many, and as many as many queries allow"""
_QUERIES: Final = 1_000
"""queries up to which there are many"""
_NOT_HERE: Final = ("all_pairs", "baseline", "by", "effect", "interval", "margin")
"""settings of a comparison that have no meaning here"""


def correlate_measures(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    correction: str | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    table: object = None,
    weights: object = None,
    macro: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = STANDARD,
    accept_new_qrels: bool = False,
    progress: "Progress | None" = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`
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
        method: coefficients, names of `rankworth.correlation.coefficients.COEFFICIENTS`.
        test: of differences of systems, as for `compare`.
        correction: of p values, as for `compare`.
        level: of intervals and tests.
        resamples: how many samples of queries, and random shuffles (or sign flips, or samples) of the test; where not
            said, 9,999 samples, and 999 where there are more than 1,000 queries; 10,000 shuffles, and as many sign
            flips as in `compare`.
        seed: of these.
        table: as for `compare`.
        weights: as for `compare`: what each query counts; tests other than the default one can do with it.
        macro: as for `compare`.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        accept_new_qrels: as for `compare`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`.

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
    asked = coefficients(method)
    told = compared(
        qrels,
        runs,
        None if measures is None else distinct(measures),
        test=test,
        correction=correction,
        level=level,
        resamples=resamples,
        seed=seed,
        table=table,
        weights=weights,
        macro=macro,
        queries=queries,
        rel=rel,
        profile=profile,
        accept_new_qrels=accept_new_qrels,
        progress=progress,
        settings=settings,
    )
    found = views(told.board)
    if len(found) < 2:  # noqa: PLR2004 - a correlation takes two
        text = f"measures are held against each other, and there is {found[0].measure} only"
        raise UsageError("conflicting-options", text, remedy="name two or more: measures=['nDCG@10', 'AP']")
    pairs = list(combinations(range(len(found)), 2))
    return held(found, pairs, [told] * len(found), asked, level=level, resamples=resamples, seed=seed)


def coefficients(method: str | Iterable[str]) -> tuple[Method, ...]:
    """Coefficients by their names.

    Raises:
        UsageError: `unknown-setting`.

    """
    found = tuple(parsed(method, 0.9, None))
    if odd := [one.name for one in found if not one.correlates]:
        text = f"method={odd[0]!r} is about documents; systems are correlated by {quoted(COEFFICIENTS, len(METHODS))}"
        raise UsageError("unknown-setting", text)
    return found


def compared(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] | None,
    *,
    test: str,
    resamples: int | None,
    settings: Mapping[str, Any],
    **others: Any,  # noqa: ANN401 - of `compare`
) -> Comparison:
    """All pairs of systems, compared.

    Raises:
        InputError, MeasureError, UsageError: as `compare`; `unknown-setting`.

    """
    if odd := [name for name in settings if name in _NOT_HERE]:
        raise UsageError("unknown-setting", f"{quoted(odd)}: no setting of a correlation of systems")
    draws = SHUFFLES if resamples is None and test in PAIRWISE else resamples
    return comparison.compare(
        qrels, runs, measures, all_pairs=True, interval="t", test=test, resamples=draws, **others, **settings
    )


def held(
    every: Sequence[View],
    pairs: Sequence[tuple[int, int]],
    comparisons: Sequence[Comparison],
    methods: Sequence[Method],
    *,
    level: float,
    resamples: int | None,
    seed: int,
    judges: tuple[str, ...] = (),
    agreement: Agreement | None = None,
    notes: Sequence[str] = (),
) -> SystemCorrelation:
    """Views held against each other.

    Args:
        every: the views.
        pairs: which of them, by number.
        comparisons: of each view the comparison that it is from.
        methods: the coefficients.
        level: of intervals and tests.
        resamples: how many samples of queries, if somebody said it.
        seed: of these.
        judges: the names of two judges.
        agreement: how far they agree.
        notes: what is to be said first.

    """
    found, missing = with_means(every)
    several = tuple({id(told): told for told in comparisons}.values())
    queries = several[0].board.queries
    count = (MANY if len(queries) <= _QUERIES else FEW) if resamples is None else resamples
    rows, more = correlated(found, pairs, comparisons, methods, level=level, resamples=count, seed=seed)
    said = [note for told in several for note in told.notes]
    return SystemCorrelation(
        rows=tuple(rows),
        views=tuple(found),
        methods=tuple(methods),
        comparisons=several,
        judges=judges,
        queries=queries,
        level=level,
        resamples=count,
        seed=seed,
        agreement=agreement,
        notes=tuple(dict.fromkeys([*notes, *said, *missing, *more])),
        warnings=tuple(warned.of(rows, len(found[0].systems), methods, several, judges)),
    )


def distinct(measures: Iterable[str | Measure]) -> list[str | Measure]:
    """Measures, each once."""
    return list(dict.fromkeys(several(measures)))

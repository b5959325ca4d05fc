"""What is asked of measures: how many differences of systems does each of them tell from chance?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankworth.comparison.differences import LEVEL
from rankworth.correlation.standings.asking import TEST, compared
from rankworth.correlation.standings.powers import DiscriminativePower
from rankworth.measures import Measure
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile

if TYPE_CHECKING:
    from rankworth.io.sources import Progress


def discriminative_power(
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] = (),
    measures: Iterable[str | Measure] | None = None,
    *,
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
        correction: of p values over all pairs and measures, as for `compare`.
        level: 1 - level is the chance of a difference called where there is none.
        resamples: random shuffles (or sign flips, or samples); 10,000 shuffles where not said, and as many sign flips
            as in `compare`.
        seed: of these.
        table: as for `compare`.
        weights: as for `compare`; tests other than the default one can do with them.
        macro: as for `compare`.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        accept_new_qrels: as for `compare`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`.

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
    told = compared(
        qrels,
        runs,
        measures,
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
    return DiscriminativePower.of(told)

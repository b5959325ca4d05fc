"""Measures of a whole run: how much of a catalogue all users together are shown, and how evenly."""

from typing import Any, Literal

from rankworth.item_options import Attention, Beyond, Of
from rankworth.measures.core import measure
from rankworth.measures.parameters import Probability
from rankworth.recommended import Recommended, RunCounts, WholeValue


def _arrays() -> Any:  # noqa: ANN401 - a module
    """Load the arithmetic of these measures, which brings NumPy, once they are computed."""
    from rankworth.measures import item_runs  # noqa: PLC0415 - lists of measures need no arrays

    return item_runs


def items_shown(shown: Recommended, **options: Any) -> RunCounts:  # noqa: ANN401 - the keywords of the measure
    """Count how often each user is shown each item."""
    return _arrays().items_shown(shown, **options)


@measure(
    "Coverage",
    aliases=("CatalogCoverage", "ItemCoverage"),
    positions="all",
    needs=("items", "history"),
    counts=items_shown,
)
def coverage(counts: RunCounts, *, of: Of = "known", beyond: Beyond = "dropped") -> WholeValue:
    """The share of the catalogue that at least one user is shown.

    Coverage@k = |items of the catalogue that are among the first k of a user| / |items of the catalogue|

    Args:
        counts: how often each user is shown each item.
        of: the catalogue: the table of `items`, the items of the `history`, or, `known`, the table where there is one.
        beyond: whether shown items that are not in the catalogue are `dropped`, or `counted` above the line.

    Range: 0 to 1; above 1 with beyond=counted. Undefined if the catalogue is empty.
    Interval: that of the expected value with another sample of as many users. A bootstrap is wrong here: samples with
    replacement show fewer items. That of the jackknife is too wide: its variance counts the items that one user is
    shown, and should count those that another sample would show for the first time, which can be estimated from the
    items that one user and two users are shown. Near 1 there is no variance left and yet items that could be missed:
    the ends are those for a number of rare events, and the lower one adds no more items than are at risk. How often
    such intervals hold the expected value: docs/howto/coverage.md.
    Elsewhere: CatalogCoverage of RecTools 0.19.0 is of=items, beyond=counted, so that it may exceed 1. Coverage of
    RePlay 0.22.0 and of Evidently 0.7.23 is of=history; catalog_coverage of recommenders 1.2.1 of=history,
    beyond=counted.
    Source: Herlocker, Konstan, Terveen, Riedl (2004), Evaluating collaborative filtering recommender systems,
    https://doi.org/10.1145/963770.963772; for the interval Colwell, Chao, Gotelli, Lin, Mao, Chazdon, Longino (2012),
    Models and estimators linking individual-based and sample-based rarefaction, https://doi.org/10.1093/jpe/rtr044;
    Garwood (1936), Fiducial limits for the Poisson distribution, https://doi.org/10.1093/biomet/28.3-4.437

    >>> import rankworth
    >>> items = {item: {} for item in "abcd"}
    >>> shown = {"u1": ["a", "b"], "u2": ["a", "c"]}
    >>> qrels = {"u1": {"a": 1}, "u2": {"c": 1}}
    >>> rankworth.evaluate(qrels, shown, ["Coverage@2"], items=items)["Coverage@2"]  # a, b and c of 4
    0.75
    """
    return _arrays().coverage(counts)


@measure(
    "Gini",
    positions="all",
    beside={"p": ("attention", "rbp")},
    needs=("items", "history"),
    counts=items_shown,
    better="lower",
)
def gini(
    counts: RunCounts,
    *,
    of: Of = "known",
    over: Literal["catalogue", "shown"] = "catalogue",
    norm: Literal["n", "n-1"] = "n",
    attention: Attention = "even",
    p: Probability = 0.85,
) -> WholeValue:
    """How unevenly items are shown: 0 where each is shown as often as any other, near 1 where one is shown to all.

    Gini@k = sum over j of (2 j - n - 1) x_j / (n X), where x_j = how often item j is shown, ascending, X = their sum,
    n = number of items

    Args:
        counts: how often each user is shown each item.
        of: the catalogue, as for Coverage.
        over: whether n are the items of the `catalogue`, or those that are shown at all,
            whether they are in the catalogue or not.
        norm: what is divided by: n, or n - 1, so that 1 is reached.
        attention: how much a row counts: 1 (`even`), or the attention of its rank, as for AWRF.
        p: the patience of attention=rbp.

    Range: 0 to (n - 1) / n, 0 to 1 with norm=n-1. Lower is better: more even. Undefined if nothing is shown.
    Interval: by the jackknife over users, corrected for items that few users are shown (Efron and Stein, 1981, The
    jackknife estimate of variance, https://doi.org/10.1214/aos/1176345462); as it is for over=shown and for attention,
    exactly: the measure without each user.
    Elsewhere: ListGini of LensKit 2026.4 is this one, its ExposureGini attention=rbp. RecBole has this one, elliot
    1 - Gini(norm=n-1). Evidently 0.7.23 has over=shown, norm=n-1: items that nobody is shown do not count.
    Source: Adomavicius, Kwon (2012), Improving aggregate recommendation diversity using ranking-based techniques,
    https://doi.org/10.1109/TKDE.2011.15

    >>> import rankworth
    >>> items = {item: {} for item in "abcd"}
    >>> shown = {"u1": ["a", "b"], "u2": ["a", "c"]}  # 0, 1, 1, 2: (-3 * 0 - 1 * 1 + 1 * 1 + 3 * 2) / (4 * 4)
    >>> qrels = {"u1": {"a": 1}, "u2": {"c": 1}}
    >>> rankworth.evaluate(qrels, shown, ["Gini@2"], items=items)["Gini@2"]
    0.375
    """
    return _arrays().gini(counts, over=over, norm=norm, attention=attention)


@measure("Entropy", positions="all", needs=("items", "history"), counts=items_shown)
def entropy(
    counts: RunCounts,
    *,
    of: Of = "known",
    beyond: Beyond = "dropped",
    scale: Literal["share", "bits", "nats", "nats/shown"] = "share",
) -> WholeValue:
    """How evenly items are shown: 1 where each item of the catalogue is shown as often as any other, 0 where one is.

    Entropy@k = - sum over items of p log(p) / log(n), where p = the share of the item in all that is shown, n = number
    of items of the catalogue

    Args:
        counts: how often each user is shown each item.
        of: the catalogue, as for Coverage.
        beyond: as for Coverage.
        scale: as a `share` of log(n), the most that there can be; in `bits` or `nats`; or in nats over the number of
            items that are shown (`nats/shown`).

    Range: 0 to 1, from 0 without the division. Undefined if nothing is shown, or the catalogue has one item.
    Interval: by the jackknife over users, corrected as that of Gini.
    Elsewhere: distributional_coverage of recommenders 1.2.1 is of=history, beyond=counted, scale=bits; RecBole's
    ShannonEntropy is scale=nats/shown.
    Source: Shani, Gunawardana (2011), Evaluating recommendation systems, https://doi.org/10.1007/978-0-387-85820-3_8

    >>> import rankworth
    >>> items = {item: {} for item in "abcd"}
    >>> shown = {"u1": ["a", "b"], "u2": ["a", "c"]}  # shares 1/2, 1/4, 1/4: 1.5 bits of log2(4)
    >>> qrels = {"u1": {"a": 1}, "u2": {"c": 1}}
    >>> rankworth.evaluate(qrels, shown, ["Entropy@2"], items=items)["Entropy@2"]
    0.75
    """
    return _arrays().entropy(counts, scale=scale)

"""Measures of the items that each user is shown: how new, how popular, how different, how surprising they are.

They need data beside the judgements: a history, a table of items, or the run that users expect. Documents are items
here, and queries are users.
"""

import math
from typing import Any, Literal

from rankworth.item_options import Cold, Distance, Norm, Users
from rankworth.judged import Judged
from rankworth.measures.core import Terms, measure


def _arrays() -> Any:  # noqa: ANN401 - a module
    """Load the arithmetic of these measures, which brings NumPy, once they are computed."""
    from rankworth.measures import item_lists  # noqa: PLC0415 - lists of measures need no arrays

    return item_lists


@measure(
    "SelfInformation",
    aliases=("MIUF", "Novelty"),
    linear=True,
    monotone=True,
    unjudged=("uniform",),
    positions="all",
    needs=("history",),
    range=(0, 64),
)
def self_information(
    judged: Judged,
    *,
    of: Literal["users", "interactions"] = "users",
    cold: Cold = "one-user",
    scale: Literal["bits", "share"] = "bits",
    norm: Norm = "n",
) -> Terms:
    """How rare the items of a list are in the history, in bits: the mean of -log2 of the share of users who had them.

    SelfInformation@k = 1/n sum over ranks i of -log2(u(i) / U), where u(i) = users who had the item, U = users of the
    history, n = number of items in the list, at most k

    Args:
        judged: the rankings.
        of: whether shares are those of `users`, or u(i) counts `interactions` and U is their number.
        cold: what an item counts that nobody had: as if a single user had it (`one-user`), nothing (`zero`), or it
            leaves the list (`dropped`).
        scale: in `bits`, or as a `share` of log2(U), the most there can be, which is 0 with one user.
        norm: what the sum is divided by: n, or k, however short the list is.

    Range: 0 to log2(U), 0 to 1 with scale=share. Undefined if nothing was retrieved.
    Unjudged: grades do not matter. Ties: linear, but with cold=dropped.
    Elsewhere: MeanInvUserFreq of RecTools 0.19.0 is this. Surprisal of RePlay 0.22.0 is scale=share, norm=k. novelty
    of recommenders 1.2.1 is of=interactions, cold=zero, as one mean over the items of all users. Novelty of Evidently
    0.7.23 is cold=dropped.
    Source: Zhou, Kuscsik, Liu, Medo, Wakeling, Zhang (2010), Solving the apparent diversity-accuracy dilemma of
    recommender systems, https://doi.org/10.1073/pnas.1000488107

    >>> import rankworth
    >>> history = {"u1": ["a", "b"], "u2": ["a"], "u3": ["a"], "u4": ["a"]}
    >>> shown = {"u1": ["a", "b"]}  # (-log2(4/4) - log2(1/4)) / 2
    >>> rankworth.evaluate({"u1": {"b": 1}}, shown, ["SelfInformation@2"], history=history)["SelfInformation@2"]
    1.0
    """
    return _arrays().self_information(judged, of=of, cold=cold, scale=scale, norm=norm)


@measure(
    "ARP",
    aliases=("AvgRecPopularity", "AveragePopularity", "Popularity"),
    linear=True,
    monotone=True,
    unjudged=("uniform",),
    positions="all",
    needs=("history",),
    range=(0, math.inf),
    better="lower",
)
def average_popularity(
    judged: Judged,
    *,
    of: Literal["interactions", "users"] = "interactions",
    scale: Literal["count", "share", "max", "quantile"] = "count",
    cold: Literal["zero", "dropped"] = "zero",
    norm: Norm = "n",
) -> Terms:
    """How popular the items of a list are: the mean number of interactions that they have in the history.

    ARP@k = 1/n sum over ranks i of c(i), where c(i) = interactions with the item, n = number of items in the list, at
    most k

    Args:
        judged: the rankings.
        of: whether c(i) counts `interactions`, or the `users` who had the item.
        scale: the `count` itself, its `share` in all counts, over the count of the most popular item (`max`), or the
            share of the items of the history that are no more popular, equal ones half (`quantile`).
        cold: whether an item that nobody had counts as 0, or leaves the list (`dropped`).
        norm: what the sum is divided by: n, or k, however short the list is.

    Range: from 0; to 1 unless scale=count. Lower is better: less popular. Undefined if nothing was retrieved.
    Unjudged: grades do not matter. Ties: linear, but with cold=dropped.
    Elsewhere: AvgRecPopularity of RecTools 0.19.0 is this one, with normalize=True scale=share. Evidently 0.7.23 has
    of=users, cold=dropped, and with normalize_arp=True scale=max. MeanPopRank of LensKit 2026.4 is of=users,
    scale=quantile.
    Source: Yin, Cui, Li, Yao, Chen (2012), Challenging the long tail recommendation,
    https://doi.org/10.14778/2311906.2311916

    >>> import rankworth
    >>> history = {"u1": ["a", "b"], "u2": ["a"]}
    >>> rankworth.evaluate({"u1": {"b": 1}}, {"u1": ["a", "b"]}, ["ARP@2"], history=history)["ARP@2"]  # (2 + 1) / 2
    1.5
    """
    return _arrays().average_popularity(judged, of=of, scale=scale, cold=cold, norm=norm)


@measure("Unseen", linear=True, monotone=True, unjudged=("uniform",), positions="all", needs=("history",))
def unseen(
    judged: Judged,
    *,
    norm: Norm = "n",
    no_items: Literal["undefined", "1"] = "undefined",
    no_history: Literal["1", "undefined"] = "1",
    users: Users = "judged",  # noqa: ARG001 - decides which lists there are
) -> Terms:
    """The share of a list that the user has not had before; 1 of a user without a history.

    Unseen@k = (items at ranks 1 to k that are not in the history of the user) / n, n = number of items, at most k

    Args:
        judged: the rankings.
        norm: what the number is divided by: n, or k, however short the list is.
        no_items: the value of an empty list.
        no_history: the value of a user without a history.
        users: whose lists count: those of `judged` users, or of all who have a `history`, whatever is judged.

    Range: 0 to 1. Undefined if nothing was retrieved, unless no_items says otherwise.
    Unjudged: grades do not matter. Ties: linear.
    Elsewhere: Novelty of RePlay 0.22.0 is a mean over users with a history, of whom those without a list have 1:
    users=history, no_items=1.
    Source: RePlay's Novelty; Castells, Hurley, Vargas (2015), Novelty and diversity in recommender systems,
    https://doi.org/10.1007/978-1-4899-7637-6_26

    >>> import rankworth
    >>> had = {"u1": ["a", "b"]}
    >>> rankworth.evaluate({"u1": {"c": 1}}, {"u1": ["a", "c"]}, ["Unseen@2"], history=had)["Unseen@2"]
    0.5
    """
    return _arrays().unseen(judged, norm=norm, no_items=no_items, no_history=no_history)


@measure(
    "ILD",
    aliases=("IntraListDiversity", "Diversity"),
    monotone=True,
    unjudged=("uniform",),
    positions="all",
    needs=("items",),
    range=(0, math.inf),
)
def intra_list_distance(
    judged: Judged,
    *,
    of: str = "",
    distance: Distance = "",
    norm: Literal["pairs", "n"] = "pairs",
    single: Literal["undefined", "0", "1"] = "undefined",
    unknown: Literal["dropped", "removed", "0", "1"] = "dropped",
) -> Terms:
    """How different the items of a list are: the mean distance of all its pairs.

    ILD@k = 2 / (n (n - 1)) sum over ranks i < j of d(i, j), where n = number of items in the list, at most k

    Args:
        judged: the rankings.
        of: the column of the table of items that holds what they are like; where not said, the only one that fits the
            distance and is not different for all items, as titles are. `history`: the users who had them.
        distance: `hamming` (0 where two categories are equal, otherwise 1), `jaccard` (1 - common / all categories),
            `cosine` (1 - cosine) or `euclidean`. Where not said, what fits the column: hamming of a category, jaccard
            of several, also of lists of whole numbers, cosine of vectors and of the history.
        norm: what the sum is divided by: the number of `pairs`, or of items, `n` (Evidently).
        single: the value of a list of a single item, whether that has a value in the column or not.
        unknown: pairs with an item that has no value in the column are left out (`dropped`), or so far apart; with
            `removed` such an item leaves the list, so that `single` holds where one item is left.

    Range: from 0; to 1 by hamming and jaccard, to 2 by cosine. Undefined if no pair is left; of a single item, unless
    single says otherwise.
    Unjudged: grades do not matter. Ties: not linear, ranks are taken as they are.
    Elsewhere: IntraListDiversity of RecTools 0.19.0 is single=0. ILS of LensKit 2026.4 is the mean similarity, 1 of a
    single item, with unknown=removed. diversity of recommenders 1.2.1 takes pairs that it does not know for
    different, and leaves users with a single item out. Diversity of Evidently 0.7.23 is norm=n, single=0: up to (k -
    1) / 2.
    Source: Ziegler, McNee, Konstan, Lausen (2005), Improving recommendation lists through topic diversification,
    https://doi.org/10.1145/1060745.1060754; Smyth, McClave (2001), Similarity vs. diversity,
    https://doi.org/10.1007/3-540-44593-5_25

    >>> import rankworth
    >>> items = {"a": {"genre": "drama"}, "b": {"genre": "war"}, "c": {"genre": "war"}}
    >>> shown = {"u1": ["a", "b", "c"]}  # 2 of 3 pairs differ
    >>> round(rankworth.evaluate({"u1": {"a": 1}}, shown, ["ILD@3"], items=items)["ILD@3"], 4)
    0.6667
    """
    return _arrays().intra_list_distance(judged, of=of, distance=distance, norm=norm, single=single, unknown=unknown)


@measure("Unexpectedness", linear=True, monotone=True, unjudged=("uniform",), positions="all", needs=("expected_run",))
def unexpectedness(
    judged: Judged,
    *,
    norm: Literal["n", "k", "k-common"] = "n",
    no_expected: Literal["1", "0", "undefined"] = "1",
) -> Terms:
    """The share of a list outside the list that the user expects, such as the most popular items.

    Unexpectedness@k = (items at ranks 1 to k that are not among the first k of the expected run) / n, n = number of
    items in the list, at most k

    Args:
        judged: the rankings.
        norm: what the number is divided by: n, or k, however short the list is; `k-common` is (k - common items) / k,
            by which a list shorter than k gains, and 0 of an empty one (RePlay).
        no_expected: the value of a user whom the expected run does not have.

    Range: 0 to 1. Undefined if nothing was retrieved.
    Unjudged: grades do not matter. Ties: linear.
    Elsewhere: Unexpectedness of RePlay 0.22.0 is norm=k-common, no_expected=0.
    Source: Ge, Delgado-Battenfeld, Jannach (2010), Beyond accuracy, https://doi.org/10.1145/1864708.1864761;
    Adamopoulos, Tuzhilin (2014), On unexpectedness in recommender systems, https://doi.org/10.1145/2559952

    >>> import rankworth
    >>> popular = {"u1": ["a", "b"]}
    >>> shown = {"u1": ["a", "c"]}
    >>> rankworth.evaluate({"u1": {"c": 1}}, shown, ["Unexpectedness@2"], expected_run=popular)["Unexpectedness@2"]
    0.5
    """
    return _arrays().unexpectedness(judged, norm=norm, no_expected=no_expected)


@measure(
    "Serendipity",
    monotone=True,
    unjudged=("uniform",),
    positions="all",
    beside={"no_history": ("by", "history")},
    needs=("history",),
)
def serendipity(
    judged: Judged,
    *,
    by: Literal["popularity", "history"] = "popularity",
    rel: float = 1,
    norm: Norm = "n",
    no_history: Literal["1", "undefined"] = "1",
) -> Terms:
    """How much of a list is relevant and surprising: relevant items that the user would not have found anyway.

    Serendipity@k = 1/n sum over ranks i of relevant items of s(i), n = number of items in the list, at most k. By
    popularity s(i) = max(0, b(i) - i) / I, where b(i) = the place of the item by popularity, I + 1 of an item that
    nobody had, and I = number of items; by history s(i) = 1 - mean cosine of the item with the items of the user

    Args:
        judged: the rankings.
        by: what a user expects: popular items (RecTools), or items like those of the history, by the users who had them
            (recommenders). Equally popular items share a place.
        rel: the grade from which a document counts as relevant.
        norm: what the sum is divided by: n, or k, however short the list is.
        no_history: how surprising all is to a user without a history, by=history.

    Range: 0 to 1. Undefined if nothing was retrieved. Items are those of the table where there is one, otherwise those
    of the history.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: Serendipity of RecTools 0.19.0 is by=popularity; that of recommenders 1.2.1 by=history,
    no_history=undefined. Evidently 0.7.23 divides by the length of the history, so that its value may be below 0.
    Source: Kaminskas, Bridge (2016), Diversity, serendipity, novelty, and coverage, https://doi.org/10.1145/2926720;
    Murakami, Mori, Orihara (2008), Metrics for evaluating the serendipity of recommendation lists,
    https://doi.org/10.1007/978-3-540-78197-4_5

    >>> import rankworth
    >>> had = {"u1": ["a", "b"], "u2": ["a", "b"], "u3": ["a", "c"]}  # places by popularity: a 1, b 2, c 3
    >>> shown = {"u1": ["c", "b"]}  # c is at place 3 by popularity, and at 1 here: (3 - 1) / 3 / 2
    >>> round(rankworth.evaluate({"u1": {"c": 1}}, shown, ["Serendipity@2"], history=had)["Serendipity@2"], 4)
    0.3333
    """
    return _arrays().serendipity(judged, by=by, rel=rel, norm=norm, no_history=no_history)

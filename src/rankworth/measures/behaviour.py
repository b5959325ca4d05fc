"""Models of how far a reader goes down a ranking."""

import math
from collections.abc import Callable
from typing import Annotated, Literal

from rankworth.judged import Judged, constant
from rankworth.measures.building_blocks import (
    at_most,
    excess,
    first,
    gain_of,
    least,
    per_query,
    position,
    positive,
    reach,
    relevant,
    total,
    whole,
)
from rankworth.measures.core import Terms, measure
from rankworth.measures.parameters import Positive, Probability, Ranks, Share, Within
from rankworth.measures.sums import by_rank, geometric_tail, ideal_rank, sums
from rankworth.measures.user_models import Reported, reported


@measure("RBP", aliases=("rank_biased_precision",), linear=True, monotone=True)
def rank_biased_precision(
    judged: Judged,
    *,
    rel: float = 1,
    p: Probability = 0.8,
    gain: Literal["binary", "grade"] = "binary",
    max_grade: Positive | None = None,
    ranks: Ranks | None = None,
    of: Reported = "rate",
) -> Terms:
    """The rate of relevant documents met by a reader who goes on to the next one with probability p.

    RBP = (1 - p) sum over i of gain(i) p^(i - 1)

    Args:
        judged: the rankings.
        rel: the grade from which a document has gain 1, unless `max_grade` is given.
        p: the reader's persistence; the larger, the deeper the ranks that count.
        gain: what a document of grade `rel` or better is worth: `binary`, 1; `grade`, its grade.
        max_grade: the best grade of the scale; gains are then grade / max_grade, and `rel` and `gain` are not used.
        ranks: how many ranks the reader may look at; the weights are then divided by their sum. None is without end.
        of: what is reported: `rate`, `total` or `depth`, as for INST.

    Range: 0 to 1 for gains up to 1, and 1 only for a ranking of the best documents that does not end before the reader
    does; a total and a depth may be greater. Always defined.
    Unjudged: gain nothing. Ties: linear.
    Elsewhere: p is 0.9 in trec_eval and cwl-eval where not said. cwl-eval 1.0.12, and with it ir_measures 0.4.3, has
    ranks=1000: with p=0.99 a hit at rank 1 is worth 0.0100004, not 0.01. ranx 0.3.21 has gain=grade, so that values
    above 1 occur. trectools 0.0.50 with `average_ties` shares weights
    among ties, even across queries. trec_eval 10.0 computes it from memory that was never set.
    Source: Moffat, Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
    https://doi.org/10.1145/1416950.1416952

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "RBP(p=0.5)")  # (1 - 0.5) * (1 + 0.5^2)
    0.625
    """
    if ranks is not None:
        judged = judged.cut(ranks)
    if max_grade is not None:
        at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
        gains = gain_of(judged, "linear") / max_grade
    elif gain == "grade":
        gains = gain_of(judged, "linear", floor=rel)
    else:
        gains = relevant(judged, rel)

    weight: Callable[[float], float] = lambda rank: (1 - p) * p ** (rank - 1)  # noqa: E731 - one line
    rate = Terms(gain=gains, weight=position(judged, weight))
    if ranks is None:
        return reported(of, judged, rate, at_first=weight(1))
    rate = rate._replace(norm=sums(weight, ranks)(ranks))
    return reported(of, judged, rate, at_first=weight(1), beyond=weight(ranks + 1))


@measure("ERR", aliases=("expected_reciprocal_rank",), ordered=True, monotone=True)
def expected_reciprocal_rank(judged: Judged, *, max_grade: Annotated[float, Within(0, 1000)] = 4) -> Terms:
    """One over the rank of the satisfying document, expected over readers who stop more likely at better ones.

    ERR@k = sum over i <= k of 1/i * s(i) * product over j < i of (1 - s(j)), where s = (2^grade - 1) / 2^max_grade

    Args:
        judged: the rankings.
        max_grade: the best grade of the scale; 4 in TREC's gdeval and so in ir_measures, whatever the collection.

    Range: 0 to 1. Always defined.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Elsewhere: ir_measures 0.4.3 takes 4 for the best grade of any scale, refuses better ones, rounds to 5 digits, and
    loses queries with a hyphen in their id. Quepid takes the best grade of the scale: max_grade here.
    Source: Chapelle, Metzler, Zhang, Grinspan (2009), Expected reciprocal rank for graded relevance,
    https://doi.org/10.1145/1645953.1646033

    >>> import rankworth
    >>> rankworth.score([1, 0, 1], "ERR(max_grade=1)")  # 1/2 + 1/3 * 1/2 * 1/2
    0.5833333333333334
    """
    at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
    stop = gain_of(judged, "exp2") / 2**max_grade
    return Terms(gain=stop, weight=reach(stop), discount=judged.rank)


@measure("PFound", ordered=True, monotone=True)
def pfound(judged: Judged, *, decay: Share = 0.85, max_grade: Annotated[float, Within(0, 1000)] = 4) -> Terms:
    """The chance that a reader is satisfied by any of the documents, reading on with a fixed chance.

    PFound@k = sum over i <= k of s(i) * product over j < i of (1 - s(j)) decay, where s = grade / max_grade

    Args:
        judged: the rankings.
        decay: the chance that a reader who was not satisfied looks at the next document.
        max_grade: the grade of a document that satisfies everybody; grades are chances themselves if it is 1.

    Range: 0 to 1. Always defined.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Elsewhere: CatBoost 1.2.10 takes the labels for chances, whatever they are: raw_PFound here.
    Source: Gulin, Karpovich, Raskovalov, Segalovich (2009), Yandex at ROMIP'2009: optimization of ranking algorithms by
    machine learning methods, https://romip.ru/romip2009/15_yandex.pdf; ERR, which divides by the rank:
    Chapelle, Metzler, Zhang, Grinspan (2009), https://doi.org/10.1145/1645953.1646033

    >>> import rankworth
    >>> rankworth.score([0.5, 0, 1], "PFound(max_grade=1)")  # 0.5 + 0.5 * 0.85 * 0.85 * 1
    0.86125
    """
    at_most(judged, max_grade, f"max_grade={max_grade:g}", "set max_grade to the best grade of the scale")
    stop = gain_of(judged, "linear") / max_grade
    return Terms(gain=stop, weight=reach(stop) * position(judged, lambda rank: decay ** (rank - 1)))


@measure("nERR", ordered=True, normalised=True)
def normalised_expected_reciprocal_rank(judged: Judged, *, max_grade: Annotated[float, Within(0, 1000)] = 4) -> Terms:
    """ERR as a share of what the best order of the documents would have.

    nERR@k = ERR@k / (ERR@k of the ideal ranking)

    Args:
        judged: the rankings.
        max_grade: as for ERR.

    Range: 0 to 1. Undefined if no document has a grade above 0.
    Unjudged: satisfy nobody. Ties: not linear, ranks are taken as they are.
    Source: Clarke, Craswell, Soboroff, Ashkan (2011), A comparative analysis of cascade measures for novelty and
    diversity, https://doi.org/10.1145/1935826.1935847; ERR: Chapelle, Metzler, Zhang, Grinspan (2009)

    >>> import rankworth
    >>> rankworth.score([0, 1, 1], "nERR(max_grade=1)")  # (1/2 * 1/2 + 1/3 * 1/2 * 1/2) / (1/2 + 1/2 * 1/2 * 1/2)
    0.5333333333333333
    """
    best = judged.ideal(lambda ranking: gain_of(ranking, "linear"))
    err_of = expected_reciprocal_rank(max_grade=max_grade).terms
    return err_of(judged).over(best, err_of(best))


@measure("Compat", aliases=("compatibility",), ordered=True, normalised=True)
def compatibility(judged: Judged, *, p: Probability = 0.95, normalize: bool = True) -> Terms:
    """How much the ranking has in common with the ideal ranking, by a reader who compares both down to the same rank.

    Compat = sum over i <= n of p^(i - 1) |run(i) and ideal(i)| / i, divided by the same sum for two ideal rankings,
    where run(i), ideal(i) = the first i documents, n = the length of the longer one

    Args:
        judged: the rankings.
        p: the reader's persistence.
        normalize: whether to divide by what the ideal ranking would have; else by the sum of p^(i - 1) over i <= n
            (rank-biased overlap, cut at n).

    Range: 0 to 1. Undefined if no document has a grade above 0; without `normalize` only if nothing was retrieved, too.
    Unjudged: count like documents of grade 0: they are not in the ideal ranking, which holds the others by grade.
    Within a grade it follows the ranking, and documents that were not retrieved come last. Ties: not linear, ranks are
    taken as they are.
    Elsewhere: ir_measures 0.4.3 breaks ties by ascending id, unlike its measures from trec_eval.
    Source: Clarke, Vtyurina, Smucker (2021), Assessing top-k preferences, https://doi.org/10.1145/3451161

    >>> import rankworth
    >>> rankworth.score([1, 2], "Compat(p=0.5)")  # (0/1 + 0.5 * 2/2) / (1/1 + 0.5 * 2/2)
    0.3333333333333333
    """
    best = judged.ideal(lambda ranking: gain_of(ranking, "linear"))
    gain, possible = gain_of(judged, "linear"), gain_of(best, "linear")
    wanted, ideal = positive(gain), positive(possible)
    # A document is common to both from the later of its two ranks on, until the end.
    tail = geometric_tail(p)
    depth = judged.n_retrieved + excess(total(ideal), judged.n_retrieved)
    end = per_query(depth + 1)
    rank = judged.rank + excess(ideal_rank(gain, possible), judged.rank)
    common = by_rank(least(rank, end), tail) - by_rank(end, tail)
    at_best = 1.0  # but for rounding
    terms = Terms(gain=wanted, weight=common, link=lambda value: least(value, at_best))
    if normalize:
        return terms.over(best, Terms(gain=ideal, weight=by_rank(least(best.rank, end), tail) - by_rank(end, tail)))
    return terms._replace(norm=by_rank(depth, lambda n: (1 - p**n) / (1 - p)))


@measure(
    "Clicks",
    aliases=("clicks", "recommended_songs_clicks"),
    ordered=True,
    unjudged=("first",),
    range=(0.0, math.inf),
    better="lower",
)
def clicks(judged: Judged, *, rel: float = 1, page: Ranks = 10, absent: Ranks = 51) -> Terms:
    """The number of further pages that a reader asks for until a page has a relevant document: the smaller, the better.

    Clicks@k = floor((rank of the first relevant document - 1) / page), and k / page + 1 if there is none among the
    first k; without a cutoff k / page + 1 = absent, or (number of retrieved documents) / page + 1 if that is more

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.
        page: the number of documents of a page.
        absent: the value of a query without a relevant document, where there is no cutoff.

    Range: 0 to k / page + 1. Always defined.
    Unjudged: count as not relevant. Ties: not linear, ranks are taken as they are.
    Elsewhere: the RecSys Challenge 2018 (Million Playlist Dataset) calls Clicks@500 recommended songs clicks: 51 of a
    playlist without a hit.
    Source: Chen, Lamere, Schedl, Zamani (2018), RecSys Challenge 2018: automatic music playlist continuation,
    https://doi.org/10.1145/3240323.3240342

    >>> import rankworth
    >>> rankworth.score([0] * 24 + [1], "Clicks@500")  # rank 25 is on the third page: floor(24 / 10)
    2.0
    >>> rankworth.score([0, 0], "Clicks@500", missing=[1])  # 500 / 10 + 1
    51.0
    """
    hit = first(relevant(judged, rel))
    beyond = (judged.n_retrieved if judged.cutoff is None else judged.cutoff + 0 * judged.n_retrieved) / page + 1
    if judged.cutoff is None:
        beyond = judged.xp.maximum(beyond, constant(absent, beyond) + 0 * beyond)
    return Terms(gain=hit, weight=whole((judged.rank - 1) / page), rest=beyond * (1 - total(hit)))

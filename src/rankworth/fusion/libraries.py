"""How libraries of Python fuse, step by step as they compute: scores of double precision."""

from collections.abc import Callable
from typing import Final

import numpy as np

from rankworth.fusion.definition import shared
from rankworth.fusion.engines import BALANCED_LOG_ODDS, qdrant_rank
from rankworth.fusion.joins import Array, Join
from rankworth.fusion.norms import Lists
from rankworth.fusion.tool import (
    RANKED_OPEN,
    Parameters,
    Tool,
    ToolMethod,
    equal_shares,
    halves,
    maximum,
    normalised,
    plain_sum,
    weighted_sum,
    without,
)

_Part = Callable[[Lists], Array]
_EMPTY: Final = "ValueError: zero-size array to reduction operation maximum which has no identity"


def _always(join: Join) -> Callable[[Parameters], Join]:
    return lambda _: join


def _raw(_: Parameters) -> _Part:
    return lambda lists: lists.scores


def _in_turn_over(values: Array) -> Array:
    """Return `[S, 1]`, the sums of rows added from the first column to the last."""
    total: Array = np.add.accumulate(values, axis=1)[:, -1:]
    return total


def _reciprocal(parameters: Parameters) -> _Part:
    """Return `1 / (k + rank)`."""
    return lambda lists: np.asarray(1.0 / (parameters["k"] + lists.ranks))


def _weight_over_rank(parameters: Parameters) -> _Part:
    """Return `weight / (rank + k)`."""
    return lambda lists: np.asarray(lists.weight / (lists.ranks + parameters["k"]))


def _over_deviations(scores: Array, freedom: int) -> tuple[Array, Array]:
    """Return `[S, 1]` each: the mean of scores minus and plus three deviations."""
    size = scores.shape[1]
    mean = _in_turn_over(scores) / size
    sigma = np.sqrt(_in_turn_over((scores - mean) ** 2) / (size - freedom))
    return mean - 3 * sigma, mean + 3 * sigma


# Qdrant's client in local mode


def _qdrant_distribution(_: Parameters) -> _Part:
    def scaled(lists: Lists) -> Array:
        if lists.scores.shape[1] == 1:
            return np.full_like(lists.scores, 0.5)
        low, high = _over_deviations(lists.scores, 1)
        return np.where(low == high, 0.5, (lists.scores - low) / (high - low))

    return scaled


QDRANT: Final = Tool(
    "qdrant",
    "Qdrant client 1.20.0",
    "run",
    (
        ToolMethod(names=("rrf",), part=qdrant_rank, join=_always(plain_sum), parameters={"k": 2}),
        ToolMethod(names=("dbsf",), part=_qdrant_distribution, join=_always(plain_sum), takes_weights=False),
        BALANCED_LOG_ODDS,
    ),
    aliases=("qdrant-client",),
    remarks=(
        "Ranks count from 0, and k is 2: k=61 is the constant of the paper.",
        "Weights divide the position, so that weights of 3 and 7 are not those of 0.3 and 0.7.",
        "The server computes in single precision and leaves ties open: --like qdrant-server (like='qdrant-server').",
    ),
)


# LlamaIndex


def _llama_rank(_: Parameters) -> _Part:
    return lambda lists: np.asarray(1.0 / ((lists.ranks - 1) + 60.0))


def _llama_scaled(bounds: Callable[[Array], tuple[Array, Array]]) -> Callable[[Parameters], _Part]:
    def part(parameters: Parameters) -> _Part:
        def scaled(lists: Lists) -> Array:
            low, high = bounds(lists.scores)
            values = np.where(low == high, np.where(high > 0, 1.0, 0.0), (lists.scores - low) / (high - low))
            return np.asarray(values * lists.weight / parameters["num_queries"])

        return scaled

    return part


def _range(scores: Array) -> tuple[Array, Array]:
    return scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)


def _of_llama(names: tuple[str, ...], part: Callable[[Parameters], _Part]) -> ToolMethod:
    return ToolMethod(
        names=names,
        part=part,
        join=_always(plain_sum),
        repetition="first",
        weights=normalised,
        parameters={"num_queries": 1},
    )


LLAMA_INDEX: Final = Tool(
    "llama_index",
    "LlamaIndex 0.14.25",
    "run",
    (
        ToolMethod(
            names=("reciprocal_rerank", "rrf"),
            part=_llama_rank,
            join=_always(plain_sum),
            order="score",
            repetition="first",
            weights=without,
            ignores_weights=True,
            parameters={"num_queries": 1},
        ),
        _of_llama(("relative_score",), _llama_scaled(_range)),
        _of_llama(("dist_based_score", "dbsf"), _llama_scaled(lambda scores: _over_deviations(scores, 0))),
        ToolMethod(
            names=("simple",),
            part=_raw,
            join=_always(maximum),
            repetition="first",
            weights=without,
            ignores_weights=True,
            parameters={"num_queries": 1},
        ),
    ),
    aliases=("llama-index", "llama-index-core", "llamaindex"),
    remarks=("num_queries is 4 where LlamaIndex writes queries itself; here it is 1.",),
)


# Haystack


def _haystack_rank(_: Parameters) -> _Part:
    return lambda lists: np.asarray((lists.weight * lists.systems) / (61 + (lists.ranks - 1)))


def _haystack_join(parts: Array, weights: Array) -> Array:
    return np.asarray(plain_sum(parts, weights) / (parts.shape[1] / 61))


def _haystack_distribution(_: Parameters) -> _Part:
    def scaled(lists: Lists) -> Array:
        low, high = _over_deviations(lists.scores, 0)
        varies = ~lists.are_equal & (high - low != 0)
        return np.where(varies, (lists.scores - low) / (high - low), lists.scores)

    return scaled


HAYSTACK: Final = Tool(
    "haystack",
    "Haystack 3.4.1",
    "run",
    (
        ToolMethod(
            names=("reciprocal_rank_fusion", "rrf"),
            part=_haystack_rank,
            join=_always(_haystack_join),
            weights=normalised,
        ),
        ToolMethod(names=("merge",), part=_raw, join=_always(weighted_sum), weights=normalised),
        ToolMethod(
            names=("distribution_based_rank_fusion", "dbsf"),
            part=_haystack_distribution,
            join=_always(maximum),
            repetition="max",
            weights=without,
            ignores_weights=True,
        ),
        ToolMethod(
            names=("concatenate",),
            part=_raw,
            join=_always(maximum),
            repetition="max",
            weights=without,
            ignores_weights=True,
        ),
    ),
    aliases=("haystack-ai",),
)


# LangChain

LANGCHAIN: Final = Tool(
    "langchain",
    "LangChain 1.0.8 (langchain-classic)",
    "run",
    (
        ToolMethod(
            names=("weighted_reciprocal_rank", "rrf"),
            part=_weight_over_rank,
            join=_always(plain_sum),
            weights=equal_shares,
            parameters={"k": 60},
        ),
    ),
    aliases=("langchain-classic",),
    remarks=("LangChain merges documents of equal text unless id_key names what tells them apart; here ids do.",),
)


# MTEB


def _mteb_rank(parameters: Parameters) -> _Part:
    return lambda lists: np.asarray(lists.weight * (1.0 / (parameters["k"] + lists.ranks)))


def _mteb_distribution(_: Parameters) -> _Part:
    def scaled(lists: Lists) -> Array:
        mean, sigma = lists.mean, lists.deviation("population")
        low, high = mean - 3 * sigma, mean + 3 * sigma
        values = np.clip((lists.scores - low) / (high - low), 0.0, 1.0)
        return np.asarray(lists.weight * np.where(sigma < 1e-9, 0.5, values))  # noqa: PLR2004 - as its source has it

    return scaled


def _mteb_relative(_: Parameters) -> _Part:
    def scaled(lists: Lists) -> Array:
        values = (lists.scores - lists.low) / (lists.high - lists.low)
        return np.asarray(lists.weight * np.where(lists.are_equal, 0.5, values))

    return scaled


def _of_mteb(names: tuple[str, ...], part: Callable[[Parameters], _Part], **further: object) -> ToolMethod:
    arguments = {"ties": "id-descending", "repetition": "last", "weights": equal_shares, **further}
    return ToolMethod(names=names, part=part, join=_always(plain_sum), **arguments)  # type: ignore[arg-type]


MTEB: Final = Tool(
    "mteb",
    "MTEB 2.26.24",
    "run",
    (
        _of_mteb(("fuse_rrf", "rrf"), _mteb_rank, order="score", list_ties="id-descending", parameters={"k": 60}),
        _of_mteb(("fuse_dbsf", "dbsf"), _mteb_distribution),
        _of_mteb(("fuse_relative_score_fusion", "rsf"), _mteb_relative),
    ),
)


# pyserini


def _pyserini_normalized(_: Parameters) -> _Part:
    return lambda lists: np.where(lists.are_equal, 1.0, (lists.scores - lists.low) / (lists.high - lists.low))


def _compensated(parts: Array, _: Array) -> Array:
    """Add parts as pandas does, with Kahan's compensation."""
    total, lost = np.zeros(parts.shape[0]), np.zeros(parts.shape[0])
    for part in parts.T:
        is_there = ~np.isnan(part)
        value = np.where(is_there, part, 0.0) - lost
        moved = total + value
        lost = np.where(is_there, moved - total - value, lost)
        total = np.where(is_there, moved, total)
    return total


def _pyserini_scaled(parameters: Parameters) -> _Part:
    def scaled(lists: Lists) -> Array:
        alpha = parameters.get("alpha")
        scale = 1 / lists.systems if alpha is None else alpha if lists.number == 0 else 1 - alpha
        return np.asarray(lists.scores * scale)

    return scaled


def _of_pyserini(names: tuple[str, ...], part: Callable[[Parameters], _Part], **further: object) -> ToolMethod:
    arguments = {"ties": "id-ascending", "takes_weights": False, "least_runs": 2, **further}
    return ToolMethod(names=names, part=part, join=_always(_compensated), **arguments)  # type: ignore[arg-type]


PYSERINI: Final = Tool(
    "pyserini",
    "pyserini 1.6.0",
    "run",
    (
        _of_pyserini(("rrf",), _reciprocal, order="rank", parameters={"k": 60}),
        _of_pyserini(("interpolation",), _pyserini_scaled, runs=2, parameters={"alpha": 0.5}),
        _of_pyserini(("average",), _pyserini_scaled),
        _of_pyserini(("normalize",), _pyserini_normalized),
    ),
    remarks=("Ranks are those of the column, whatever the scores are.",),
)


# trectools


def _trectools_persistence(parameters: Parameters) -> _Part:
    p = float(parameters["phi"])

    def persistence(lists: Lists) -> Array:
        of_ranks = np.array([(1.0 - p) * (p**position) for position in range(lists.scores.shape[1])])
        return np.broadcast_to(of_ranks, lists.scores.shape)

    return persistence


def _nan_join(function: Callable[..., Array]) -> Join:
    return lambda parts, _: np.asarray(function(parts, axis=1))


def _sum_times_number(parts: Array, axis: int) -> Array:
    return np.asarray(np.nansum(parts, axis=axis) * (~np.isnan(parts)).sum(axis=axis))


def _of_trectools(name: str, join: Join) -> ToolMethod:
    return ToolMethod(
        names=(f"comb-{name}", name),
        part=_raw,
        join=_always(join),
        repetition="error",
        ties="id-ascending",
        takes_weights=False,
        runs=2,
        least_runs=2,
        top=1000,
        sorts_files=True,
    )


def _ranks_of_trectools(names: tuple[str, ...], part: Callable[[Parameters], _Part], **parameters: float) -> ToolMethod:
    return ToolMethod(
        names=names,
        part=part,
        join=_always(plain_sum),
        repetition="error",
        ties="id-ascending",
        takes_weights=False,
        parameters=parameters,
        depth=1000,
        top=1000,
        sorts_files=True,
    )


TRECTOOLS: Final = Tool(
    "trectools",
    "trectools 0.0.50",
    "run",
    (
        _ranks_of_trectools(("rrf",), _reciprocal, k=60),
        _ranks_of_trectools(("rbp",), _trectools_persistence, phi=0.8),
        *(
            _of_trectools(name, _nan_join(function))
            for name, function in (
                ("sum", np.nansum),
                ("max", np.nanmax),
                ("min", np.nanmin),
                ("anz", np.nanmean),
                ("mnz", _sum_times_number),
                ("med", np.nanmedian),
            )
        ),
    ),
    remarks=(
        "Documents count down to rank 1,000, and 1,000 are kept.",
        "Files are read by score, ties by ascending id; rows of frames count as they stand.",
    ),
)


# PyTerrier

PYTERRIER: Final = Tool(
    "pyterrier",
    "pyterrier-alpha 0.16.5",
    "run",
    (
        ToolMethod(
            names=("rrf", "RRFusion"),
            part=lambda parameters: lambda lists: np.asarray(1 / ((lists.ranks - 1) + parameters["k"])),
            join=_always(plain_sum),
            order="score",
            repetition="error",
            ties="id-ascending",
            takes_weights=False,
            parameters={"k": 60},
            top=1000,
        ),
    ),
    aliases=("pyterrier-alpha",),
    remarks=("Ranks count from 0, and 1,000 documents are kept.",),
)


# txtai


def _txtai_rank(_: Parameters) -> _Part:
    return lambda lists: np.asarray((1.0 / lists.ranks) * lists.weight)


def _log_odds(lists: Lists) -> Array:
    """Return log odds: of the first run by median and deviation of positive scores, of the second as probabilities."""
    scores = lists.scores
    if lists.number:
        probability = np.minimum(np.maximum(scores, 1e-10), 1.0 - 1e-10)
        return np.asarray(np.log(probability / (1.0 - probability)))
    logits = np.empty_like(scores)
    for row, of_query in enumerate(scores):
        positive = of_query[of_query > 0]
        median, alpha = 0.0, 1.0
        if positive.size:
            median = np.sort(positive)[positive.size // 2]
            mean = np.add.accumulate(positive)[-1] / positive.size
            sigma = np.sqrt(np.add.accumulate((positive - mean) ** 2)[-1] / positive.size)
            alpha = 1.0 / sigma if sigma > 0 else 1.0
        logits[row] = np.maximum(np.minimum(alpha * (of_query - median), 500), -500)
    return logits


def _log_odds_join(parts: Array, weights: Array) -> Array:
    both = ~np.isnan(parts).any(axis=1)
    total = plain_sum(parts * weights, weights)
    total = np.where(both, total * 2**0.5, total)
    return np.asarray(1 / (1 + np.exp(-total)))


def _of_txtai(name: str, part: Callable[[Parameters], _Part], join: Join, **further: object) -> ToolMethod:
    arguments = {"runs": 2, "weights": halves, "drops_zero": True, **further}
    return ToolMethod(names=(name,), part=part, join=_always(join), **arguments)  # type: ignore[arg-type]


TXTAI: Final = Tool(
    "txtai",
    "txtai 9.14.0",
    "run",
    (
        _of_txtai("rrf", _txtai_rank, plain_sum),
        _of_txtai("convex", _raw, weighted_sum),
        _of_txtai("logodds", lambda _: _log_odds, _log_odds_join, repetition="last-part"),
    ),
    remarks=("The dense run comes first, the sparse one second; weights are (w, 1 - w).",),
)


# LanceDB


def _lance_scores(_: Parameters) -> _Part:
    """Return scores of text and distances of vectors from 0 to 1, distances turned into scores."""

    def scaled(lists: Lists) -> Array:
        scores = (1 - lists.scores if lists.number else lists.scores).astype(np.float32)  # distances of vectors
        low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
        values = np.where(high != low, (scores - low) / (high - low), np.where(high != 0, scores - low, scores))
        values = values.astype(np.float64)
        values = 1 - values if lists.number else values
        return np.where(lists.alone[:, None], values, lists.weight * values)

    return scaled


def _in_single(join: Join) -> Join:
    """Return a join whose scores are rounded to single precision."""
    return lambda parts, weights: join(parts, weights).astype(np.float32).astype(np.float64)


def _vector_first(parts: Array, weights: Array) -> Array:
    return plain_sum(parts[:, ::-1], weights)


def _of_lance(names: tuple[str, ...], part: Callable[[Parameters], _Part], **further: object) -> ToolMethod:
    arguments = {"runs": 2, "least_runs": 2, "ties": "last-list-first", **further}
    return ToolMethod(names=names, part=part, join=_always(_in_single(_vector_first)), **arguments)  # type: ignore[arg-type]


def _lance_weights(given: tuple[float, ...] | None, _: int) -> tuple[float, ...]:
    """Weights of text and vector, 0.3 and 0.7 by default."""
    return (1 - 0.7, 0.7) if given is None else given


LANCEDB: Final = Tool(
    "lancedb",
    "LanceDB 0.40.0",
    "run",
    (
        _of_lance(("rrf",), _reciprocal, takes_weights=False, parameters={"k": 60}),
        _of_lance(
            ("mrr",),
            lambda _: lambda lists: np.asarray(lists.weight * (1.0 / lists.ranks)),
            repetition="last-part",
            weights=halves,
            unit=True,
            sums_to_one=True,
        ),
        _of_lance(
            ("linear",), _lance_scores, repetition="last-part", weights=_lance_weights, unit=True, sums_to_one=True
        ),
    ),
    remarks=("The run of the text search comes first, that of the vectors second, with similarities as its scores.",),
)


# AutoRAG


def _autorag_rank(parameters: Parameters) -> _Part:
    return lambda lists: np.asarray(1 / (shared(lists) + parameters["k"]))


def _autorag_norm(parameters: Parameters) -> _Part:
    least = parameters["minimum"]

    def min_max(lists: Lists) -> Array:
        return np.asarray((lists.scores - lists.low) / (lists.high - lists.low))

    def theoretical(lists: Lists) -> Array:
        return np.asarray((lists.scores - least[lists.number]) / (lists.high - least[lists.number]))

    def z(lists: Lists) -> Array:
        return np.asarray((lists.scores - lists.mean) / lists.deviation("population"))

    def distribution(lists: Lists) -> Array:
        mean, sigma = lists.mean, lists.deviation("population")
        low, high = mean - 3 * sigma, mean + 3 * sigma
        return np.asarray((lists.scores - low) / (high - low))

    norm = {"mm": min_max, "tmm": theoretical, "z": z, "dbsf": distribution}[parameters["norm"]]

    def without_nan(lists: Lists) -> Array:
        values = norm(lists)
        return np.where(np.isnan(values), 0.0, values)

    return without_nan


AUTORAG: Final = Tool(
    "autorag",
    "AutoRAG 0.3.27",
    "run",
    (
        ToolMethod(
            names=("hybrid_rrf", "rrf"),
            part=_autorag_rank,
            join=_always(plain_sum),
            order="score",
            repetition="last",
            takes_weights=False,
            least_runs=2,
            parameters={"k": 60},
            open=RANKED_OPEN,
        ),
        ToolMethod(
            names=("hybrid_cc",),
            part=_autorag_norm,
            join=_always(weighted_sum),
            repetition="last-part",
            weights=halves,
            unit=True,
            sums_to_one=True,
            runs=2,
            least_runs=2,
            parameters={"minimum": (-1.0, 0.0)},
            norms=("mm", "tmm", "z", "dbsf"),
            open=RANKED_OPEN,
            refuses_empty=dict.fromkeys(("mm", "tmm"), _EMPTY),
        ),
    ),
    remarks=("The semantic run comes first, the lexical one second; weights are (w, 1 - w).",),
)

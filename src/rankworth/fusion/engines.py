"""How search engines and vector databases fuse, by the formulas of their source: scores of single precision."""

from collections.abc import Callable
from typing import Final

import numpy as np

from rankworth.errors import UsageError
from rankworth.fusion.joins import Array, Join
from rankworth.fusion.norms import Lists
from rankworth.fusion.tool import (
    RANKED_OPEN,
    Parameters,
    Tool,
    ToolMethod,
    normalised,
    plain_sum,
    unchanged,
    weighted_sum,
)

_Part = Callable[[Lists], Array]
_SINGLE: Final = np.float32
_TINY: Final = np.float32(1.4e-45)
"""the least positive number of single precision, from which Java's searches for a maximum start"""
_EPSILON: Final = np.float32(1e-6)
_FLOOR: Final = np.float32(0.001)
_LUCENE: Final = (
    "breaks ties by Lucene's document number, which a run does not have: they stand in ascending order of ids here"
)


def _always(join: Join) -> Callable[[Parameters], Join]:
    return lambda _: join


def _as_is(part: _Part) -> Callable[[Parameters], _Part]:
    return lambda _: part


def _in_turn_over(values: Array) -> Array:
    """Return `[S, 1]`, the sums of rows added from the first column to the last, each step rounded."""
    total: Array = np.add.accumulate(values, axis=1)[:, -1:]
    return total


# Elasticsearch


def _reciprocal(parameters: Parameters) -> _Part:
    """Return `1 / (k + rank)` in single precision."""
    return lambda lists: np.asarray(_SINGLE(1) / (_SINGLE(parameters["k"]) + lists.ranks))


def _elasticsearch_norm(parameters: Parameters) -> _Part:
    def min_max(lists: Lists) -> Array:
        low, high = lists.low, np.maximum(lists.high, _TINY)
        return np.where(np.abs(low - high) < _EPSILON, low, (lists.scores - low) / (high - low))

    def l2(lists: Lists) -> Array:
        squares = (lists.scores * lists.scores).astype(np.float64)
        norm = np.sqrt(_in_turn_over(squares))
        return np.where(norm < float(_EPSILON), lists.scores, (lists.scores / norm).astype(np.float32))

    def raw(lists: Lists) -> Array:
        return lists.scores

    return {"none": raw, "minmax": min_max, "l2_norm": l2}[parameters["norm"]]


ELASTICSEARCH: Final = Tool(
    "elasticsearch",
    "Elasticsearch 9",
    "source",
    (
        ToolMethod(
            names=("rrf",),
            part=_reciprocal,
            join=_always(weighted_sum),
            precision="float32",
            ties="id-ascending",
            parameters={"k": 60},
            open=_LUCENE,
        ),
        ToolMethod(
            names=("linear",),
            part=_elasticsearch_norm,
            join=_always(weighted_sum),
            precision="float32",
            ties="id-ascending",
            norms=("none", "minmax", "l2_norm"),
            open=_LUCENE,
        ),
    ),
    remarks=("rank_window_size, 10 by default, cuts the lists before: --set depth=10 (depth=10).",),
)


# OpenSearch


def _opensearch_rank(parameters: Parameters) -> _Part:
    """Return `1 / (k + rank)`, rounded to 10 decimals."""
    return lambda lists: (np.floor(1e10 / (parameters["k"] + lists.ranks.astype(np.float64)) + 0.5) / 1e10).astype(
        np.float32
    )


def _opensearch_norm(parameters: Parameters) -> _Part:
    def min_max(lists: Lists) -> Array:
        low, high = lists.low, np.maximum(lists.high, _TINY)
        values = (lists.scores - low) / (high - low)
        values = np.where(values == 0, _FLOOR, values)
        return np.where((high == low) & (lists.scores == high), _SINGLE(1), values)

    def l2(lists: Lists) -> Array:
        norm = np.sqrt(_in_turn_over(lists.scores * lists.scores).astype(np.float64)).astype(np.float32)
        return np.where(norm == 0, _SINGLE(0), lists.scores / norm)

    def z(lists: Lists) -> Array:
        scores, size = lists.scores.astype(np.float64), lists.scores.shape[1]
        first = _in_turn_over(scores) / size  # the mean is corrected by the mean of what is left
        mean = first + _in_turn_over(scores - first) / size
        left = scores - mean
        squares = _in_turn_over(left * left) - _in_turn_over(left) ** 2 / size
        sigma = np.sqrt(squares / (size - 1) if size > 1 else np.zeros_like(squares)).astype(np.float32)
        centre = mean.astype(np.float32)
        values = (lists.scores - centre) / sigma
        values = np.where(values <= 0, _FLOOR, values)
        values = np.where(sigma == 0, lists.low, values)
        return np.where(centre == lists.scores, lists.high, values)

    return {"min_max": min_max, "l2": l2, "z_score": z}[parameters["norm"]]


def _with_zeros(parts: Array) -> Array:
    """Return the parts with 0 where a list lacks the document, as OpenSearch has it."""
    return np.where(np.isnan(parts), _SINGLE(0), parts)


def _arithmetic(parts: Array, weights: Array) -> Array:
    """Return the weighted mean of all parts that are not negative; a missing part is 0 and counts."""
    filled = _with_zeros(parts)
    counts = filled >= 0
    divisor = plain_sum(np.where(counts, weights, _SINGLE(0)), weights)
    return np.where(
        divisor == 0, _SINGLE(0), plain_sum(np.where(counts, filled * weights, _SINGLE(0)), weights) / divisor
    )


def _geometric(parts: Array, weights: Array) -> Array:
    """Return the weighted geometric mean of parts above 0; sums are in single precision, their quotient is not."""
    filled = _with_zeros(parts)
    counts = filled > 0
    logarithms = np.log(np.where(counts, filled, _SINGLE(1)).astype(np.float64))
    total = plain_sum((weights * logarithms).astype(np.float32), weights)
    divisor = plain_sum(np.where(counts, weights, _SINGLE(0)), weights)
    mean = np.exp(total.astype(np.float64) / divisor).astype(np.float32)
    return np.where(divisor == 0, _SINGLE(0), mean)


def _harmonic(parts: Array, weights: Array) -> Array:
    filled = _with_zeros(parts)
    counts = filled > 0
    divisor = plain_sum(np.where(counts, weights / filled, _SINGLE(0)), weights)
    total = plain_sum(np.where(counts, weights, _SINGLE(0)), weights)
    return np.where(divisor > 0, total / divisor, _SINGLE(0))


def _of_opensearch(name: str, join: Join) -> ToolMethod:
    return ToolMethod(
        names=(name,),
        part=_opensearch_norm,
        join=_always(join),
        precision="float32",
        order="score",
        ties="id-ascending",
        unit=True,
        sums_to_one=True,
        norms=("min_max", "l2", "z_score"),
        open=_LUCENE,
    )


OPENSEARCH: Final = Tool(
    "opensearch",
    "OpenSearch neural-search 936d3c4",
    "source",
    (
        ToolMethod(
            names=("rrf",),
            part=_opensearch_rank,
            join=_always(weighted_sum),
            precision="float32",
            order="score",
            ties="id-ascending",
            unit=True,
            sums_to_one=True,
            parameters={"k": 60},
            open=_LUCENE,
        ),
        _of_opensearch("arithmetic_mean", _arithmetic),
        _of_opensearch("geometric_mean", _geometric),
        _of_opensearch("harmonic_mean", _harmonic),
    ),
    aliases=("neural-search",),
)


# Milvus


def _milvus_norm(parameters: Parameters) -> _Part:
    """Normalise by what the scores are: of each run, in `similarities`."""
    similarities = parameters["similarities"]

    def by_similarity(lists: Lists) -> Array:
        similarity = str(similarities[lists.number]).upper()
        angle = np.arctan(lists.scores.astype(np.float64)).astype(np.float32)
        pi = _SINGLE(np.pi)
        if similarity == "COSINE":
            return np.asarray((_SINGLE(1) + lists.scores) * _SINGLE(0.5))
        if similarity == "IP":
            return np.asarray(_SINGLE(0.5) + angle / pi)
        if similarity == "BM25":
            return np.asarray(_SINGLE(2) * angle / pi)
        return np.asarray(_SINGLE(1) - _SINGLE(2) * angle / pi)

    return by_similarity


MILVUS: Final = Tool(
    "milvus",
    "Milvus",
    "source",
    (
        ToolMethod(
            names=("rrf",),
            part=_reciprocal,
            join=_always(plain_sum),
            precision="float32",
            ties="id-ascending",
            takes_weights=False,
            parameters={"k": 60},
        ),
        ToolMethod(
            names=("weighted", "weighted, norm_score"),
            part=_milvus_norm,
            join=_always(weighted_sum),
            precision="float32",
            ties="id-ascending",
            unit=True,
            needed=("similarities", "run_weights"),
        ),
    ),
    remarks=(
        "similarities says what the scores of each run are: COSINE, IP, BM25, or L2 and others, which are distances.",
    ),
)


# Weaviate


def _weaviate_rank(_: Parameters) -> _Part:
    return lambda lists: (lists.weight / (lists.ranks.astype(np.float64) + 59)).astype(np.float32)


def _weaviate_relative(_: Parameters) -> _Part:
    def relative(lists: Lists) -> Array:
        weight = _SINGLE(lists.weight)
        return np.where(lists.are_equal, weight, weight * ((lists.scores - lists.low) / (lists.high - lists.low)))

    return relative


_WEAVIATE_OPEN: Final = "leaves the order of documents open whose fused scores and last scores are equal"
WEAVIATE: Final = Tool(
    "weaviate",
    "Weaviate 0b8effc",
    "source",
    (
        ToolMethod(
            names=("ranked", "rrf"),
            part=_weaviate_rank,
            join=_always(plain_sum),
            precision="float32",
            ties="score-of-last",
            open=_WEAVIATE_OPEN,
        ),
        ToolMethod(
            names=("relative", "relativeScore"),
            part=_weaviate_relative,
            join=_always(plain_sum),
            precision="float32",
            ties="score-of-last",
            close=1e-7,
            open=_WEAVIATE_OPEN,
        ),
    ),
)


# Chroma


def _chroma_rank(parameters: Parameters) -> _Part:
    return lambda lists: np.asarray(lists.weight / (parameters["k"] + lists.ranks - 1))


CHROMA: Final = Tool(
    "chroma",
    "Chroma",
    "source",
    (
        ToolMethod(
            names=("rrf",),
            part=_chroma_rank,
            join=_always(plain_sum),
            order="score",
            who="intersection",
            parameters={"k": 60},
            open=RANKED_OPEN,
        ),
        ToolMethod(
            names=("rrf normalize",),
            part=_chroma_rank,
            join=_always(plain_sum),
            order="score",
            who="intersection",
            weights=normalised,
            parameters={"k": 60},
            open=RANKED_OPEN,
        ),
    ),
    remarks=(
        "Chroma's fused scores are negative, and the least comes first; here they are positive, and the greatest does.",
        "A document that some run lacks is dropped, as Chroma does unless a default rank is set.",
    ),
)


# Vespa


def _vespa_rank(parameters: Parameters) -> _Part:
    return lambda lists: np.asarray(1.0 / (parameters["k"] + 1.0 + (lists.ranks - 1)))


def _vespa_linear(_: Parameters) -> _Part:
    def linear(lists: Lists) -> Array:
        scale = np.where(lists.are_equal, 0.0, 1.0 / (lists.high - lists.low))
        middle = np.where(lists.are_equal, 0.0, (lists.low + lists.high) * 0.5)
        return np.asarray(0.5 + scale * (lists.scores - middle))

    return linear


_VESPA_OPEN: Final = (
    "orders equal features, all that are missing among them, and equal fused scores as hits come, which a run does not "
    "tell: they stand in ascending order of ids here"
)
VESPA: Final = Tool(
    "vespa",
    "Vespa 54c1885",
    "source",
    (
        ToolMethod(
            names=("reciprocal_rank", "sum of reciprocal_rank", "rrf"),
            part=_vespa_rank,
            join=_always(plain_sum),
            order="score",
            who="all",
            ties="id-ascending",
            takes_weights=False,
            parameters={"k": 60},
            open=_VESPA_OPEN,
        ),
        ToolMethod(
            names=("linear", "sum of linear"),
            part=_vespa_linear,
            join=_always(plain_sum),
            order="score",
            who="all",
            ties="id-ascending",
            takes_weights=False,
            open=_VESPA_OPEN,
        ),
    ),
)


# Qdrant: the server in single precision, its client in double


def qdrant_rank(parameters: Parameters) -> _Part:
    """Return `1 / ((position + 1) / weight + k - 1)`, 0 where the weight is 0."""

    def reciprocal(lists: Lists) -> Array:
        kind = lists.ranks.dtype.type
        if lists.weight <= 0:
            return np.zeros_like(lists.ranks)
        return np.asarray(kind(1) / (lists.ranks / kind(lists.weight) + kind(parameters["k"]) - kind(1)))

    return reciprocal


def _qdrant_distribution(_: Parameters) -> _Part:
    def normalised(lists: Lists) -> Array:
        scores = lists.scores
        size = scores.shape[1]
        if size == 1:
            return np.full_like(scores, 0.5)
        mean = np.zeros((scores.shape[0], 1), dtype=np.float32)
        squares = np.zeros_like(mean)
        for position in range(size):  # Welford's method
            score = scores[:, position : position + 1]
            before = score - mean
            mean = mean + before / _SINGLE(position + 1)
            squares = squares + before * (score - mean)
        sigma = np.sqrt(squares / _SINGLE(size - 1))
        low, high = mean - _SINGLE(3) * sigma, mean + _SINGLE(3) * sigma
        return np.where(low == high, _SINGLE(0.5), (scores - low) / (high - low))

    return normalised


def _balanced(_: Parameters) -> _Part:
    """Return scores over their sample deviation about their median, brought to [0, 1]."""

    def log_odds(lists: Lists) -> Array:
        if lists.weight <= 0:
            return np.full_like(lists.scores, np.nan, dtype=np.float64)
        scores, size = lists.scores.astype(np.float32).astype(np.float64), lists.scores.shape[1]
        mean = _in_turn_over(scores) / size
        sigma = np.sqrt(_in_turn_over((scores - mean) ** 2) / max(1, size - 1)) if size > 1 else np.zeros_like(mean)
        alpha = np.where(sigma < np.finfo(np.float64).eps, 1.0, 1.0 / sigma)
        logits = alpha * (scores - np.median(scores, axis=1, keepdims=True))
        low, high = logits.min(axis=1, keepdims=True), logits.max(axis=1, keepdims=True)
        return np.where(high - low > 1e-12, (logits - low) / (high - low), 0.5)  # noqa: PLR2004 - as its source has it

    return log_odds


def _mean_of_present(parts: Array, weights: Array) -> Array:
    """Return the weighted mean of the parts that are there, in single precision."""
    present = np.where(np.isnan(parts), 0.0, weights)
    total = plain_sum(present, weights)
    return np.where(total > 0, plain_sum(parts * weights, weights) / total, 0.0).astype(np.float32).astype(np.float64)


BALANCED_LOG_ODDS: Final = ToolMethod(
    names=("blo", "balanced-log-odds"),
    part=_balanced,
    join=_always(_mean_of_present),
    drops_zero=True,
    open=RANKED_OPEN,
)
QDRANT_SERVER: Final = Tool(
    "qdrant-server",
    "Qdrant server 1.17",
    "source",
    (
        ToolMethod(
            names=("rrf",),
            part=qdrant_rank,
            join=_always(plain_sum),
            precision="float32",
            weights=unchanged,
            parameters={"k": 2},
            open=RANKED_OPEN,
        ),
        ToolMethod(
            names=("dbsf",),
            part=_qdrant_distribution,
            join=_always(plain_sum),
            precision="float32",
            takes_weights=False,
            open=RANKED_OPEN,
        ),
        BALANCED_LOG_ODDS,
    ),
)


def refuse_similarities(similarities: object, runs: int) -> None:
    """Refuse a list of similarities that does not describe the scores of each run.

    Raises:
        UsageError: `unknown-setting`.

    """
    if isinstance(similarities, str) or not hasattr(similarities, "__len__") or len(similarities) != runs:
        text = f"similarities={similarities!r}: Milvus normalises by what the scores of each run are"
        remedy = (
            "--similarities BM25 COSINE, in Python similarities=['BM25', 'COSINE']: COSINE IP BM25 L2, one for each run"
        )
        raise UsageError("unknown-setting", text, remedy=remedy)

"""Embeddings of queries and documents: an exact search in blocks, on their own device, and what its run is worth."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.arrays import Integers
from rankworth.errors import InputError, UsageError
from rankworth.evaluation import evaluate
from rankworth.evaluation.runner import DEFAULT_MEASURES, Measures, planned
from rankworth.io import validate
from rankworth.io.duplicates import PAIR, TOP, settled
from rankworth.io.id_tables import rule_of
from rankworth.judged import Array, constant, device_of, indexing, namespace, widest
from rankworth.model import Run
from rankworth.profiles import DEFAULT, Profile, ReadSettings, ResolvedMeasure
from rankworth.results.values import Values
from rankworth.scoring.inputs import InputOptions
from rankworth.settings import STANDARD_JUDGING, Duplicates, Judging
from rankworth.tensors.inputs import checked_arrays, to_list, torch_of
from rankworth.tensors.ranking import first

Similarity = Literal["cosine", "dot", "euclidean"] | Callable[[Array, Array], Array]
"""A name, or a function of `[Q, D]` and `[B, D]` to scores `[Q, B]`, of which greater is better."""
BLOCK: Final = 1 << 14
"""documents that are compared at a time"""
_QUERIES: Final = 1 << 10
"""queries that are compared at a time"""
_DEPTH: Final = 1000
"""documents of each query where a measure has no cutoff, as runs of TREC have them"""
_FOLDED: Final = ("best", "first")
"""what becomes of several vectors of a document, where the nearest tells where it stands"""
_WHOLE: Final = ("last", *TOP)
"""the same, where all of them do"""
_SHOWN: Final = 3
_SHORTEST: Final = 1e-12
"""the least length that vectors are divided by"""


def retrieve(
    queries: Array,
    corpus: Array,
    *,
    depth: int,
    query_ids: Sequence[object] | None = None,
    corpus_ids: Sequence[object] | None = None,
    similarity: Similarity = "cosine",
    judging: Judging = STANDARD_JUDGING,
    block: int = BLOCK,
    name: str = "",
    ids: object = None,
) -> Run:
    """Retrieve the documents that are most similar to each query, compared with all documents.

    Beside the corpus there is memory for some blocks of documents, and for the scores of 1,024 queries in one of them.
    A document may have several vectors: rows of one id, or rows whose ids `ids` makes the same. So many vectors are
    then retrieved that there are `depth` documents.

    Args:
        queries: as for `evaluate_embeddings`.
        corpus: as for `evaluate_embeddings`.
        depth: how many documents of each query.
        query_ids: as for `evaluate_embeddings`.
        corpus_ids: as for `evaluate_embeddings`.
        similarity: as for `evaluate_embeddings`.
        judging: its `ties` decide between documents with equal scores: by id, or, where they are `given`, by rows; its
            `duplicates` what the score of a document with several vectors is, as for `evaluate_embeddings`.
        block: as for `evaluate_embeddings`.
        name: what to call the run.
        ids: how documents are renamed, such as chunks by their documents, as for `rankworth.Run`.

    Returns:
        The run, for `rankworth.evaluate`, `explain`, `compare` and so on.

    Raises:
        InputError, UsageError: as `evaluate_embeddings`.

    >>> import numpy as np
    >>> retrieve(np.eye(2), np.eye(2), depth=1, corpus_ids=["a", "b"]).to_frame()["document"].to_list()
    ['a', 'b']
    """
    queries, query_ids = _named("query_ids", queries, query_ids)
    corpus, corpus_ids = _named("corpus_ids", corpus, corpus_ids)
    queries, corpus = _checked(queries, corpus, similarity)
    own_ids, vector_ids = _series("query_ids", query_ids, queries), _series("corpus_ids", corpus_ids, corpus)
    for setting, number in (("depth", depth), ("block", block)):
        if not isinstance(number, int) or number < 1:
            raise UsageError("unknown-setting", f"{setting}={number!r}: {setting} is a whole number from 1 on")
    rule = None if ids is None else rule_of(ids, "ids")
    documents = vector_ids if rule is None else rule.renamed(vector_ids, "corpus_ids")
    is_renamed = bool((documents != vector_ids).any())
    if rule is not None and not is_renamed and not rule.may_be_idle:
        raise rule.unused("corpus_ids", vector_ids.head(_SHOWN).to_list())
    order = _order(documents, judging.ties)

    def best(size: int) -> tuple[Any, Any]:
        scores, columns = _search(queries, corpus, order, size, similarity, block, judging.score_type)
        if np.isnan(scores).any():
            raise _not_a_number(queries=(queries, own_ids), corpus=(corpus, vector_ids))
        return scores, columns

    rows, columns, scores = _results(documents.gather(order), depth, _policy(documents, judging.duplicates), best)
    results = {"query": own_ids.gather(rows), "document": documents.gather(order[columns]), "score": scores}
    retrieved = pl.DataFrame(results)
    if judging.duplicates in _WHOLE:
        retrieved = settled(retrieved, PAIR, "score", judging.duplicates)
        retrieved = retrieved.sort("score", descending=True, maintain_order=True)
        retrieved = retrieved.group_by("query", maintain_order=True).head(depth)
    run = Run(retrieved if judging.ties != "given-reversed" else retrieved.reverse(), name)
    return run if rule is None else run.known_as(rule, renamed=is_renamed)


def _order(documents: pl.Series, ties: str) -> Integers:
    """Return `[N]`, the vectors in the order in which equal scores are ranked: by their documents, or as they stand."""
    order = np.arange(len(documents))
    if not ties.startswith("given"):
        named = pl.DataFrame({"document": documents, "row": order})
        order = named.sort("document", descending=ties != "id-ascending", maintain_order=True)["row"].to_numpy()
    return order[::-1] if ties == "given-reversed" else order


def _results(
    documents: pl.Series, depth: int, policy: Duplicates, best: Callable[[int], tuple[Any, Any]]
) -> tuple[Integers, Integers, Any]:
    """Search so deep that each query has as many documents as are wanted.

    Args:
        documents: `[N]`, the document of each vector, in the order in which equal scores are ranked.
        depth: how many documents of each query are wanted.
        policy: what becomes of several vectors of one document; `all` where each has one.
        best: returns the scores and the places of so many vectors of each query, `[Q, K]` each.

    Returns:
        `[R]` each: the query, the place of the vector, and the score of each result.

    """
    if policy not in _FOLDED:
        scores, columns = best(len(documents) if policy in _WHOLE else min(depth, len(documents)))
        return np.repeat(np.arange(scores.shape[0]), scores.shape[1]), columns.ravel(), scores.ravel()
    number = documents.cast(pl.Enum(documents.unique(maintain_order=True))).to_physical().to_numpy()  # [N]
    wanted = size = min(depth, documents.n_unique())
    while True:
        scores, columns = best(size)
        distinct = np.cumsum(_is_first(number[columns]), axis=1)  # [Q, K]: how many documents down to each vector
        if size == len(documents) or distinct[:, -1].min() >= wanted:
            query, column = np.nonzero(distinct <= wanted)
            return query, columns[query, column], scores[query, column]
        size = min(2 * size, len(documents))


def evaluate_embeddings(
    queries: Array,
    corpus: Array,
    qrels: object,
    measures: Measures = DEFAULT_MEASURES,
    *,
    query_ids: Sequence[object] | None = None,
    corpus_ids: Sequence[object] | None = None,
    similarity: Similarity = "cosine",
    block: int = BLOCK,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    **settings: Unpack[ReadSettings],
) -> Values:
    """Evaluate embeddings: each query is compared with all documents, and the best ones are the run.

    The search is exact, in blocks of documents, by the library and on the device of the arrays; scores are compared in
    their precision, at least in single precision. Similarity: `q·d / (|q| |d|)` (`cosine`, 0 beside a vector of zeros),
    `q·d` (`dot`), `-|q - d|` (`euclidean`).

    Args:
        queries: `[Q, D]`, one row for each query: an array of NumPy, PyTorch, CuPy, JAX or any library that
            `array_api_compat` knows; or a dict `{id: vector}`.
        corpus: `[N, D]`, one row for each document, of the same library and on the same device.
        qrels: judgements by the ids of queries and documents: whatever `rankworth.evaluate` takes.
        measures: as for `rankworth.evaluate`.
        query_ids: the id of each query; by default its row, `"0"`, `"1"` and so on.
        corpus_ids: the id of each document; by default its row. A document with several vectors has its id for each,
            and `duplicates` says what its score is: that of the nearest vector (`best`), or `sum`, or `mean-top-3`.
        similarity: `cosine`, `dot`, `euclidean`, or a function of queries `[Q, D]` and documents `[B, D]` that returns
            scores `[Q, B]`.
        block: how many documents are compared at a time.
        rel: as for `rankworth.evaluate`.
        profile: as for `rankworth.evaluate`, for example `sentence-transformers-6` or `mteb-2.26`.
        **settings: as for `rankworth.evaluate`. So many documents of each query are retrieved as `depth` says; by
            default as many as the deepest cutoff, and 1,000 where a measure has none or leaves out unjudged documents.
            With `collapse="#"` vectors are those of chunks `doc#chunk`, of which the nearest counts.

    Returns:
        The values, as `rankworth.evaluate` gives them.

    Raises:
        InputError: `input-type`, where shapes, types, libraries, devices or numbers of ids do not fit, or an id stands
            for two rows and nothing says what counts; `bad-score`, where a vector has a NaN; and as
            `rankworth.evaluate`.
        MeasureError: as `rankworth.evaluate`.
        UsageError: `unknown-setting`, `missing-library`.

    >>> import numpy as np
    >>> queries, corpus = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 1.0], [0.9, 0.1]])
    >>> ids = {"query_ids": ["q1"], "corpus_ids": ["a", "b", "c"]}
    >>> evaluate_embeddings(queries, corpus, {"q1": {"b": 1}}, ["RR@10"], **ids)["RR@10"]
    0.5
    """
    conventions: Any = dict(settings)
    options = InputOptions(conventions)  # which takes out how judgements are read
    plan = planned(profile, measures, rel, conventions)
    run = retrieve(
        queries,
        corpus,
        depth=_depth(plan.measures),
        query_ids=query_ids,
        corpus_ids=corpus_ids,
        similarity=similarity,
        judging=plan.base.judging,
        block=block,
        ids=options.ids.runs,
    )
    return evaluate(qrels, run, measures, rel=rel, profile=profile, **settings)


def _depth(measures: Sequence[ResolvedMeasure]) -> int:
    """Return how many documents of each query the measures look at."""
    if depths := [measure.judging.depth for measure in measures if measure.judging.depth is not None]:
        return max(depths)
    cutoffs = [measure.quantity.cutoff for measure in measures]
    removed = any(measure.judging.unjudged == "removed" for measure in measures)
    condensed = removed or any(getattr(measure.quantity, "judged_only", False) for measure in measures)
    deepest = max(filter(None, (*cutoffs, _DEPTH if condensed or None in cutoffs else None)))
    return deepest + any(measure.data.exclude is not None for measure in measures)  # a query may find itself


def _policy(documents: pl.Series, duplicates: Duplicates) -> Duplicates:
    """Return how several vectors of a document are combined; `all` counts if each document has a single vector.

    Raises:
        InputError: `input-type`, where nothing says it.

    """
    if documents.n_unique() == len(documents):
        return "all"
    if duplicates == "error":
        repeated = documents.filter(documents.is_duplicated())[0]
        remedy = 'for the nearest of its vectors: duplicates="best"\nor give each vector an id of its own'
        raise InputError("input-type", f"corpus_ids has {repeated!r} twice", remedy=remedy)
    return duplicates


def _is_first(found: Integers) -> NDArray[np.bool_]:
    """Return `[Q, K]`, whether each document comes for the first time among those of its query.

    >>> _is_first(np.array([[5, 7, 5], [1, 2, 3]]))
    array([[ True,  True, False],
           [ True,  True,  True]])
    """
    order = np.argsort(found, axis=1, kind="stable")
    ordered = np.take_along_axis(found, order, axis=1)
    is_first = np.ones(found.shape, dtype=bool)
    again = np.zeros(found.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    np.put_along_axis(is_first, order, ~again, axis=1)
    return is_first


def _named(name: str, vectors: Any, ids: Sequence[object] | None) -> tuple[Array, Sequence[object] | None]:  # noqa: ANN401 - an array or a dict
    """Return an array and the ids of its rows, out of a dict of vectors where it is one."""
    if not isinstance(vectors, Mapping):
        return vectors, ids
    if ids is not None or not vectors:
        text = f"{name} has ids beside a dict of vectors" if vectors else f"there is no vector for {name}"
        raise InputError("input-type", text, remedy="give a dict {id: vector}, or an array and ids")
    rows: list[Any] = list(vectors.values())
    stacked = np.asarray(rows) if isinstance(rows[0], list | tuple) else namespace(rows[0]).stack(rows)
    return stacked, list(vectors)


def _checked(queries: Array, corpus: Array, similarity: Similarity) -> tuple[Array, Array]:
    """Return two matrices, once they are known to have one width, library and device.

    Raises:
        InputError: `input-type`.
        UsageError: `missing-library`; `unknown-setting`, where there is no such similarity.

    """
    if not callable(similarity) and similarity not in ("cosine", "dot", "euclidean"):
        text = f"similarity={similarity!r}: similarity is cosine, dot, euclidean or a function"
        raise UsageError("unknown-setting", text)
    arrays = checked_arrays(queries=queries, corpus=corpus)
    shapes = {name: tuple(array.shape) for name, array in arrays.items()}
    for name, shape in shapes.items():
        if len(shape) != 2 or 0 in shape:  # noqa: PLR2004 - rows and columns
            text = f"{name} has the shape {shape}, not one row for each vector"
            raise InputError("input-type", text, remedy=f"{name}[None, :] is a single vector")
    if shapes["queries"][1] != shapes["corpus"][1]:
        text = "queries have {} dimensions, the corpus {}".format(*(shape[1] for shape in shapes.values()))
        raise InputError("input-type", text, remedy="encode both with one model, and truncate both or none")
    return arrays["queries"], arrays["corpus"]


def _series(name: str, ids: Sequence[object] | None, vectors: Array) -> pl.Series:
    """Return the ids of the rows of an array, as texts.

    Raises:
        InputError: `input-type`, where there are more or fewer, or an id stands for two rows.

    """
    rows = int(vectors.shape[0])
    series = pl.Series(range(rows)).cast(pl.String) if ids is None else pl.Series(validate.ids(ids), dtype=pl.String)
    if len(series) != rows:
        text = f"{name} has {len(series):,} ids for {rows:,} vectors"
        raise InputError("input-type", text, remedy="give one for each")
    if name == "query_ids" and series.n_unique() != rows:
        repeated = series.filter(series.is_duplicated())[0]
        raise InputError("input-type", f"{name} has {repeated!r} twice", remedy="give each vector an id of its own")
    return series


def _search(
    queries: Array, corpus: Array, order: Integers, depth: int, similarity: Similarity, block: int, score_type: str
) -> tuple[Any, Any]:
    """Return `[Q, depth]` each, of NumPy: the greatest scores, best first, and their documents' places in `order`."""
    xp = namespace(corpus)
    # [q, D] each: queries in parts
    rows = [
        _prepared(queries[start : min(start + _QUERIES, queries.shape[0]), :], similarity)
        for start in range(0, queries.shape[0], _QUERIES)
    ]
    best: dict[int, tuple[Array, Array]] = {}
    is_ordered = bool((order[1:] > order[:-1]).all())
    for start in range(0, order.size, block):
        end = min(start + block, order.size)
        documents = corpus[start:end, :]  # [b, D]
        if not is_ordered:
            places = xp.asarray(order[start:end].copy(), dtype=indexing(corpus), device=device_of(corpus))
            documents = xp.take(corpus, places, axis=0)
        documents = _prepared(documents, similarity)
        for part, vectors in enumerate(rows):
            scores = _scores(vectors, documents, similarity)  # [q, b]
            if score_type == "float32":
                scores = xp.astype(scores, xp.float32)
            best[part] = _better(best.get(part), scores, start, depth)
    scores, columns = (np.concatenate([_numbers(part) for part in side]) for side in zip(*best.values(), strict=True))
    return scores, columns


def _better(best: tuple[Array, Array] | None, scores: Array, start: int, depth: int) -> tuple[Array, Array]:
    """Merge the best documents so far with a block; of equal scores those stay that come first.

    Args:
        best: `[Q, K]` each, scores and places; None before the first block.
        scores: `[Q, B]`, of the block.
        start: the place of its first document.
        depth: how many are kept.

    """
    xp = namespace(scores)
    columns, scores = first(scores, min(depth, scores.shape[1]))  # [Q, k] each, for k of the block
    if best is None:
        return scores, columns + start
    together = xp.concat([best[0], scores], axis=1)  # [Q, K + k]
    places = xp.concat([best[1], columns + start], axis=1)
    columns, scores = first(together, min(depth, together.shape[1]))
    return scores, xp.take_along_axis(places, columns, axis=1)


def _prepared(vectors: Array, similarity: Similarity) -> Array:
    """Prepare vectors, `[n, D]`: single precision at least, double for distances, and length 1 for cosines."""
    xp = namespace(vectors)
    if callable(similarity):
        return vectors
    is_short = vectors.dtype in (xp.int8, xp.uint8) or xp.isdtype(vectors.dtype, "real floating")
    do_squares_cancel = similarity == "euclidean" and torch_of(vectors) is None
    is_single = is_short and vectors.dtype != widest(vectors) and not do_squares_cancel
    vectors = xp.astype(vectors, xp.float32 if is_single else widest(vectors), copy=False)
    if similarity != "cosine":
        return vectors
    length = xp.sqrt(xp.sum(vectors * vectors, axis=1, keepdims=True))  # [n, 1]: of each vector
    return vectors / xp.maximum(length, constant(_SHORTEST, length))


def _scores(queries: Array, documents: Array, similarity: Similarity) -> Array:
    """Return `[Q, B]`, the scores of a block of documents: greater is more similar."""
    if callable(similarity):
        return similarity(queries, documents)
    xp = namespace(queries)
    if similarity == "euclidean":
        torch = torch_of(queries)
        if torch is not None:
            return -torch.cdist(*(side.to(xp.result_type(queries, documents)) for side in (queries, documents)))
        # [Q] and [B]: squares of the lengths
        squares = [xp.sum(vectors * vectors, axis=1) for vectors in (queries, documents)]
        # [Q, B]: squares of the distances
        squared = squares[0][:, None] + squares[1][None, :] - 2 * xp.matmul(queries, documents.T)
        return -xp.sqrt(xp.maximum(squared, xp.zeros_like(squared)))
    return xp.matmul(queries, documents.T)


def _numbers(array: Array) -> Any:  # noqa: ANN401 - of NumPy
    """Convert to an array of NumPy; waits for the device."""
    if torch_of(array) is not None:
        return np.asarray(array.cpu())
    return array if isinstance(array, np.ndarray) else np.asarray(to_list(array))


def _not_a_number(**named: tuple[Array, pl.Series]) -> InputError:
    """Return the error of the first vector that holds a NaN, or gives one."""
    for name, (vectors, ids) in named.items():
        xp = namespace(vectors)
        if xp.isdtype(vectors.dtype, "real floating") and bool(xp.any(xp.isnan(vectors))):
            row = int(xp.argmax(xp.astype(xp.any(xp.isnan(vectors), axis=1), xp.int8)))
            text = f"{name}: the vector of {ids[row]!r} (row {row:,}) has a NaN"
            return InputError("bad-score", text, remedy="encode it again; nothing is similar to a NaN")
    return InputError("bad-score", "a similarity is NaN, which has no rank", remedy="vectors are finite numbers")

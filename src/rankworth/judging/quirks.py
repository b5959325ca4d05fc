"""Runs as tools read them that do not go by the ids of queries: by blocks of rows, or by the order of queries."""

from typing import TYPE_CHECKING

from rankworth.errors import UsageError
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.ranking import Ordering
from rankworth.model import Qrels, Run
from rankworth.settings import Judging

if TYPE_CHECKING:
    import polars as pl


def separated(qrels: Qrels, run: Run, settings: Judging, exclude: Exclusion | None) -> tuple[Qrels, Run]:
    """Make each block of judgements and run a query of its own, `q1`, `q1 (2)`, ...

    Args:
        qrels: the judgements.
        run: the run: rows, since dicts have one list for each query.
        settings: what else is asked for.
        exclude: what is excluded, which cannot be told of blocks.

    Raises:
        InputError: where the input is not valid.
        UsageError: `conflicting-options`.

    """
    if exclude is not None or qrels.copies.size or qrels.merged:
        setting = "exclude" if exclude is not None else "judgements that all count, or are of subtopics,"
        text = f"blocks='separate': {setting} cannot be told apart where rows of a query stand apart"
        raise UsageError("conflicting-options", text, remedy="take blocks='joined', or sort the run by query")
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    frame = pl.concat(list(run.batches(ranks=run.has_ranks)))
    before, is_judged = frame["query"].rle_id(), frame["query"].is_in(qrels.queries)
    if settings.blocks == "judged":
        frame = frame.filter(is_judged)
    block = frame["query"].rle_id()
    blocks = frame.select("query", block.alias("block")).unique("block", maintain_order=True)
    number = pl.int_range(1, pl.len() + 1).over("query")
    named = blocks.with_columns(number.alias("number")).with_columns(
        pl.when(pl.col("number") == 1)
        .then(pl.col("query"))
        .otherwise(pl.format("{} ({})", "query", "number"))
        .alias("name")
    )
    rows = frame.with_columns(named["name"].gather(block).alias("query"))
    if settings.blocks == "judged":
        rows = _joined(rows, before.filter(is_judged))
    grades = qrels.with_text_ids()
    judged = {name: grades[query] for query, name in named.select("query", "name").iter_rows() if query in grades}
    return Qrels(grades | judged), run.holding(rows)


def shortened(run: Run, ordering: Ordering, depth: int) -> Run:
    """Keep the first `depth` documents of each query by their scores; later ones are not looked at.

    Args:
        run: the run.
        ordering: what orders its documents.
        depth: how many of each query.

    Raises:
        InputError: what the reader finds.

    """
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    frame = pl.concat(list(run.batches(ranks=run.has_ranks)))
    frame = frame.reverse() if ordering.ties == "given-reversed" else frame
    score = pl.col("score").cast(pl.Float32 if ordering.score_type == "float32" else pl.Float64)
    by_id = [] if ordering.ties.startswith("given") else [pl.col("document")]
    descending = [True, ordering.ties == "id-descending"][: 1 + len(by_id)]
    best = frame.sort(score, *by_id, descending=descending, maintain_order=True)
    best = best.group_by("query", maintain_order=True).head(depth)
    return Run(best.reverse() if ordering.ties == "given-reversed" else best, run.name)


def paired(qrels: Qrels, run: Run) -> tuple[Qrels, Run] | None:
    """Rename the queries of the run to the judged ones, first by first; None if nothing changes.

    Args:
        qrels: the judgements.
        run: the run.

    Raises:
        InputError: where the input is not valid.

    """
    theirs = run.queries()
    if theirs == qrels.order or set(theirs) != set(qrels.order):
        return None
    called = dict(zip(theirs, qrels.order, strict=True))
    if run.mapping is not None:
        return Qrels(qrels), run.holding({called[query]: documents for query, documents in run.mapping.items()})
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    frames = [frame.with_columns(pl.col("query").replace_strict(called)) for frame in run.batches(ranks=run.has_ranks)]
    return Qrels(qrels), run.holding(pl.concat(frames))


def _joined(rows: "pl.DataFrame", block: "pl.Series") -> "pl.DataFrame":
    """Join blocks of one query that have become neighbours into one ranking: each by its scores, one after the other.

    Only where that is so scores become places, so that documents with one score stand as they were given there.

    Args:
        rows: `query, document, score`.
        block: the number of each row's block, before other rows were taken out.

    """
    import polars as pl  # noqa: PLC0415 - as above

    numbered = rows.with_columns(block.alias("block")).with_columns(
        (pl.col("block").n_unique().over("query") > 1).alias("several")
    )
    apart = numbered.filter("several").sort("block", "score", descending=[False, True], maintain_order=True)
    position = pl.int_range(pl.len()).over("query").cast(pl.Float64)
    joined = [numbered.filter(~pl.col("several")), apart.with_columns((-position).alias("score"))]
    return pl.concat(joined).drop("block", "several")

"""Runs in which the rows of a query stand apart, as tools read them that take every block of rows for a ranking."""

from rankworth.model import Qrels, Run


def separated(qrels: Qrels, run: Run) -> tuple[Qrels, Run]:
    """Judgements and run in which each block is a query of its own, `q1`, `q1 (2)`, ...

    Args:
        qrels: the judgements.
        run: the run: rows, since dicts have one list for each query.

    Raises:
        InputError: what the door finds.

    """
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    frame = pl.concat(list(run.batches()))
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
    grades = qrels.to_dict()
    judged = {name: grades[query] for query, name in named.select("query", "name").iter_rows() if query in grades}
    return Qrels(grades | judged), Run(rows, run.name)

"""Where documents of a run meet their judgements: both are sent by query, once, and stay there from then on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_RUN: Final = {"score": "DOUBLE", "rank": "DOUBLE", "position": "DOUBLE"}
_QRELS: Final = {"grade": "DOUBLE", "out": "BOOLEAN", "subtopic": "STRING"}


def met(run: "DataFrame", qrels: "DataFrame", *, folded: bool) -> "DataFrame":
    """Documents of the run and judgements by query, with what both sides tell and null for what they do not.

    Besides there are `known`, whether the document is judged for the query; `times`, how many rows the run has of it,
    0 where a row is of judgements alone; and `judged`, of how many judgements the row is.

    Args:
        run: `query, document, score`, maybe `rank` and `position`.
        qrels: `query, document, grade`, maybe `out` and `subtopic`.
        folded: whether all rows of a document become one; otherwise each stays, those of the run and of judgements.

    """
    names = [name for name in (*_RUN, *_QRELS) if name in {*run.columns, *qrels.columns}]
    both = _side(run, names, of_run=1).unionAll(_side(qrels, names, of_run=0)).repartition("query")
    if folded:
        told = [f"max(`{name}`) AS `{name}`" for name in names]
        told += ["sum(of_run) AS times", "sum(1L - of_run) AS judged"]
        return both.groupBy("query", "document").agg(*map(sql.expr, told)).selectExpr("*", "judged > 0 AS known")
    pair = "OVER (PARTITION BY query, document)"
    columns = ["query", "document", *(f"`{name}`" for name in names), "1L - of_run AS judged"]
    return both.selectExpr(*columns, f"of_run * sum(of_run) {pair} AS times", f"min(of_run) {pair} = 0 AS known")


def _side(frame: "DataFrame", names: list[str], *, of_run: int) -> "DataFrame":
    """The rows of one side, with all columns."""
    there = {*frame.columns}
    kinds: Mapping[str, str] = {**_RUN, **_QRELS}
    told = [f"CAST({f'`{name}`' if name in there else 'NULL'} AS {kinds[name]}) AS `{name}`" for name in names]
    return frame.selectExpr("query", "document", *told, f"{of_run}L AS of_run")

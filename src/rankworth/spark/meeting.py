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
    sides = _side(run, names, "1L AS times, 0L AS judged"), _side(qrels, names, "0L AS times, 1L AS judged")
    both = sides[0].unionAll(sides[1]).repartition("query")
    if folded:
        sums = [sql.expr(f"sum({name}) AS {name}") for name in ("times", "judged")]
        pairs = both.groupBy("query", "document").agg(
            *(sql.expr(f"max(`{name}`) AS `{name}`") for name in names), *sums
        )
        return pairs.selectExpr("*", "judged > 0 AS known")
    pair = "OVER (PARTITION BY query, document)"
    columns = ["query", "document", *(f"`{name}`" for name in names), "judged"]
    times = f"CASE WHEN times > 0 THEN sum(times) {pair} ELSE 0L END AS times"
    return both.selectExpr(*columns, times, f"max(judged) {pair} > 0 AS known")


def _side(frame: "DataFrame", names: list[str], counts: str) -> "DataFrame":
    """The rows of one side, with all columns."""
    there = {*frame.columns}
    kinds: Mapping[str, str] = {**_RUN, **_QRELS}
    told = [f"CAST({f'`{name}`' if name in there else 'NULL'} AS {kinds[name]}) AS `{name}`" for name in names]
    return frame.selectExpr("query", "document", *told, *counts.split(", "))

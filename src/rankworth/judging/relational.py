"""Steps of judging as expressions of Narwhals, for engines that hand over no rows of one query: Spark.

They say which rows count; ranks are windows of Spark's own. All are lazy.
"""

from typing import Any, Final

import narwhals as nw

from rankworth.io.duplicates import COUNTED
from rankworth.judging.exclusion import SELF
from rankworth.settings import Ordering

Relation = nw.LazyFrame[Any]
_KEY: Final = "rankworth_key"
"""columns by which the rows of one document are ordered, and their number"""


def without(rows: Relation, ordering: Ordering, excluded: Relation | None) -> Relation:
    """The rows of other documents than those that are excluded.

    Args:
        rows: `query, document` and more.
        ordering: what is excluded.
        excluded: the pairs, `query, document`; not needed where a document is its own query.

    """
    if ordering.exclude is None:
        return rows
    if ordering.exclude.label == SELF:
        return rows.filter(nw.col("document").cast(nw.String) != nw.col("query").cast(nw.String))
    if excluded is None:
        return rows
    return rows.join(excluded.select("query", "document"), on=["query", "document"], how="anti")


def settled(rows: Relation, ordering: Ordering) -> Relation:
    """One row for each document, where only one of them counts.

    Args:
        rows: `query, document, score`, and `position` where first and last are to be told apart.
        ordering: which row counts.

    """
    policy, names = ordering.duplicates, rows.collect_schema().names()
    if policy == "error" or policy in COUNTED:
        return rows
    if policy == "best" and not {"position", "rank"} & {*names}:
        return rows.group_by("query", "document").agg(nw.col("score").max())
    position = nw.col("position" if "position" in names else "rank")
    order = {"best": [0.0 - nw.col("score"), position], "first": [position], "last": [0 - position]}[policy]
    keys = {f"{_KEY}_{number}": one for number, one in enumerate(order)}
    number = nw.col("document").cum_count().over("query", "document", order_by=[*keys])
    return rows.with_columns(**keys).with_columns(number.alias(_KEY)).filter(nw.col(_KEY) == 1).select(*names)

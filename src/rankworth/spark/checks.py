"""Checks of the rows that workers get: each refuses what is wrong with them."""

import re
from collections.abc import Mapping
from typing import Final

import polars as pl

from rankworth.errors import InputError, RankworthError, quoted
from rankworth.io import duplicates
from rankworth.judging.ties import whole
from rankworth.spark.ranking import ASKED, PARTED, PLACED, RISING

_SHOWN: Final = 3
_FIRST: Final = re.compile(r" \(first in row [\d,]+\)")
_MANY: Final = re.compile(r"in [\d,]+ quer(y|ies)( of [\d,]+)?(?= the scores)")
_ROW: Final = re.compile(r"\brow [\d,]*\d")


def refuse(parts: Mapping[int, pl.DataFrame], judged: pl.DataFrame | None) -> None:
    """Refuse a block for rows that would not be there if all were well.

    Args:
        parts: the rows of a block by kind.
        judged: the judgements among them.

    Raises:
        InputError: `unjudged-queries`, `duplicate-document`, `missing-value`.

    """
    if (asked := parts.get(ASKED)) is not None:
        without = asked if judged is None else asked.join(judged, "query", how="anti")
        if without.height:
            text = f"queries asked for are not judged: {quoted(sorted(without['query'].cast(pl.String)))}"
            raise InputError("unjudged-queries", text, remedy="leave out the queries without judgements")
    if (parted := parts.get(PARTED)) is not None:
        raise _parted(_ids(parted)["query"])
    rising = parts.get(RISING)
    if rising is not None and judged is not None:
        rising = rising.join(judged.select(pl.col("query").unique()), "query", how="semi")
        if rising.height:
            raise _rising(sorted(rising["query"].cast(pl.String)))
    if (placed := parts.get(PLACED)) is not None:
        raise _placed(_ids(placed))


def without_numbers(error: RankworthError) -> RankworthError:
    """The same error without the numbers of rows and queries, which are those of a block and tell nobody anything."""
    if type(error) is not InputError:
        return error
    texts = [_MANY.sub("in some queries", _ROW.sub("a row", _FIRST.sub("", text))) for text in error.problems]
    return InputError(error.slug, *texts, slugs=error.slugs, more=error.more, remedy=error.remedy)


def refuse_parted(lists: pl.DataFrame) -> None:
    """Refuse several lists of one query, whose order is not known.

    Raises:
        InputError: `duplicate-document`.

    """
    some = lists.filter(pl.col("document").list.len() > 0)
    several = some.filter(pl.col("query").is_duplicated())
    if several.height:
        raise _parted(_ids(several)["query"])


def refuse_odd(rows: pl.DataFrame) -> None:
    """Refuse documents that lack something, and scores that are no numbers.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    lacking = pl.any_horizontal(pl.col("query", "document", "value").is_null())
    odd = rows.filter(lacking | pl.col("value").is_nan())
    if not odd.height:
        return
    holes = odd.select(lacking).to_series().any()
    texts = [
        f"the run: a row lacks something: query {query!r}, document {document!r}, score {score!r}"
        for query, document, score in _ids(odd).head(_SHOWN).select("query", "document", "value").iter_rows()
    ]
    raise InputError("missing-value" if holes else "bad-score", *texts, more=odd.height - len(texts))


def refuse_twice(rows: pl.DataFrame) -> None:
    """Refuse documents that a query ranks several times.

    Raises:
        InputError: `duplicate-document`.

    """
    twice = _ids(rows.filter(pl.col("times") > 1)).select("query", "document", "times").unique(maintain_order=True)
    if twice.height:
        raise duplicates.counted("the run", twice)


def refuse_ranks(rows: pl.DataFrame) -> None:
    """Refuse ranks that are none.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    bad = _ids(rows.filter(pl.col("rank").is_null()))
    for query, document in bad.select("query", "document").iter_rows():
        text = f"the run: a row has no rank: query {quoted([query])}, document {quoted([document])}"
        raise InputError("missing-value", text, remedy="drop or fill such rows")
    whole(rows["rank"].to_numpy())


def _ids(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order of their ids, which are text."""
    ids = pl.col("query", "document") if rows["document"].dtype != pl.List else pl.col("query")
    return rows.with_columns(ids.cast(pl.String)).sort("query", "document")


def _parted(queries: pl.Series) -> InputError:
    """The error for queries with several lists."""
    text = f"the run: {quoted(dict.fromkeys(queries))}: a query has a list again, so its order is not known"
    return InputError(
        "duplicate-document", text, remedy="put all documents of a query into one list, or let scores decide"
    )


def _rising(queries: list[str]) -> InputError:
    """The error for lists whose scores contradict their order."""
    text = f"the run: the scores contradict the order of the list of {quoted(queries)}"
    remedy = 'order="given" takes lists as they stand, order="score" sorts them by score'
    return InputError("ambiguous-order", text, remedy=remedy)


def _placed(rows: pl.DataFrame) -> InputError:
    """The error for positions that several documents have, or none."""
    query, position, times = next(rows.select("query", "value", "rows").iter_rows())
    if position is None or position != position:  # noqa: PLR0124 - NaN is not equal to itself
        text = f"the run: query {quoted([query])}: a row has no position"
        return InputError("missing-value", text, remedy="drop or fill such rows")
    text = f"the run: query {quoted([query])} has {times:,} documents at the position {position:g}"
    return InputError("duplicate-document", text, remedy="number the rows of a query one by one")

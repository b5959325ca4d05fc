"""Rows of rankers: those of a query stand together."""

from collections.abc import Callable

import polars as pl

from rankworth.arrays import Integers
from rankworth.errors import InputError, shortened
from rankworth.tables.frames import run_starts


def query_starts(ids: pl.Series, position: Callable[[int], str], remedy: str) -> Integers:
    """Return the row at which each query begins.

    Args:
        ids: `[N]`, the query of each row.
        position: gives the file and line, or the argument and row, of a row.
        remedy: how the rows are sorted.

    Raises:
        InputError: `scattered-rows` where a query comes back after another one.

    """
    starts = run_starts(ids)
    queries = ids.gather(starts)
    if queries.n_unique() < queries.len():
        row = int(starts[queries.is_first_distinct().arg_min() or 0])
        text = f"{position(row)}: the rows of query {shortened(ids[row])} stand apart; a ranker takes them for several "
        raise InputError("scattered-rows", f"{text}queries", remedy=remedy)
    return starts

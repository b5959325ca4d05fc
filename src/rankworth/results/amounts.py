"""What users add to measures of a whole run, as results files hold it, so that any part of them is measured again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankworth.measures import Measure
from rankworth.recommended import RunCounts
from rankworth.scoring.columns import Column
from rankworth.scoring.whole_runs import WholeRun


def described_amounts(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Describe the columns of measures of a whole run; where two count the same, the second names the first.

    Args:
        columns: of one run, by measure.

    """
    amounts: dict[str, Any] = {}
    for label, column in columns.items():
        if isinstance(column.link, WholeRun):
            [counts] = column.link.runs
            record = {"columns": counts.n_columns, "per_query": _rows(counts, column)}
            amounts[label] = next((other for other, each in amounts.items() if each == record), record)
    return amounts


def _rows(counts: RunCounts, column: Column) -> dict[str, list[Any]]:
    """Return by user the columns to which one is added, or pairs of a column and an amount."""
    part = counts.of(column.counted)
    pairs = list(zip(part.column.tolist(), part.amount.tolist(), strict=True))
    ends = np.searchsorted(part.user, np.arange(part.n_users + 1)).tolist()
    rows: list[list[Any]] = [[*map(list, pairs)], part.column.tolist()]
    entries = rows[bool((part.amount == 1).all())]
    names = column.names(column.counted)
    return {name: entries[ends[row] : ends[row + 1]] for row, name in enumerate(names)}


class Amounts(NamedTuple):
    """What users add to a measure of a whole run, as a file has it."""

    measure: Measure
    columns: int
    rows: Mapping[str, Sequence[Any]]
    """by user the columns, or pairs of a column and an amount"""


def amounts_of(quantity: object, label: str, run: Mapping[str, Any]) -> Amounts | None:
    """Return what users add to a measure of a whole run; None of any other measure.

    Args:
        quantity: the measure; None where it is not defined here.
        label: its name in the file.
        run: the part of the record about the run.

    Raises:
        KeyError: where the file does not hold it.

    """
    if not isinstance(quantity, Measure) or not (quantity.definition.of_run or quantity.averaging == "micro"):
        return None
    described = run["amounts"][label]
    described = run["amounts"][described] if isinstance(described, str) else described
    return Amounts(quantity, int(described["columns"]), described["per_query"])


def with_amounts(column: Column, amounts: Amounts) -> Column:
    """Return a column whose mean is computed from the amounts of the users that count.

    Raises:
        TypeError, ValueError: where it is not made as files have it.

    """
    measure, size, rows = amounts
    entries = [entry if isinstance(entry, list) else (entry, 1.0) for row in rows.values() for entry in row]
    cells = np.array(entries, dtype=np.float64).reshape(-1, 2)
    columns = cells[:, 0].astype(np.int64)
    if (columns != cells[:, 0]).any() or (columns < 0).any() or not np.isfinite(cells).all():
        raise ValueError(f"{measure} has a column or an amount that is no number")
    user = np.repeat(np.arange(len(rows)), [len(row) for row in rows.values()])
    row_of = {query: row for row, query in enumerate(rows)}
    users = np.array([row_of.get(query, -1) for query in column.queries], dtype=np.int64)
    counts = RunCounts(user, columns, cells[:, 1], len(rows), size).take(users)
    return replace(column, weights=(users >= 0).astype(np.float64)).of_whole_run(WholeRun(measure, (counts,)))

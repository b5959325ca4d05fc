"""Results out of their records, with a look whether all parts of a record belong together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from rankworth import names
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.results.result import Column, Floats, Mask, Result
from rankworth.sheet import Kind

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Rows:
    """The values of the queries of one run, column by column."""

    queries: Sequence[str]
    values: Mapping[str, Floats]
    there: Mapping[str, Mask]
    texts: Mapping[str, Sequence[str]]


def with_rows(told: Mapping[str, Any], table: "pl.DataFrame") -> dict[str, Any]:
    """A record with the values of a table, as JSON has them: null is no value, NaN one that is undefined.

    Args:
        told: the record without them.
        table: a row for each run and query.

    Raises:
        ValueError: where the rows are not those of the runs.
        KeyError: where a column is missing.

    """
    labels = [name for name in table.columns if name not in ("run", "query")]
    if absent := [name for name in ("run", *told["measures"], *_texts(told)) if name not in table.columns]:
        raise KeyError(absent[0])
    found: dict[str, dict[str, dict[str, Any]]] = {run["name"]: {} for run in told["runs"]}
    for run, query, *cells in table.select("run", "query", *labels).iter_rows():
        row = {label: cell for label, cell in zip(labels, cells, strict=True) if cell is not None}
        row |= {label: None for label, cell in row.items() if isinstance(cell, float) and math.isnan(cell)}
        if run not in found or not isinstance(query, str):
            raise ValueError(f"query {query!r} of {run!r} has a row and is not among the runs")
        if query in found[run]:
            raise ValueError(f"query {query!r} of {run!r} has two rows")
        found[run][query] = row
    return {**told, "runs": [{**run, "per_query": found[run["name"]]} for run in told["runs"]]}


def of_objects(told: Mapping[str, Any], run: Mapping[str, Any], schema: int) -> Rows:
    """From an object for each query.

    Raises:
        ValueError: where a value is none.

    """
    rows: Mapping[str, Mapping[str, Any]] = run["per_query"]
    queries = sorted(rows)
    measures: list[str] = told["measures"]
    labels = dict.fromkeys(label for row in rows.values() for label in row if label not in measures)
    texts = list(labels) if schema == 1 else _texts(told)
    if stray := [label for label in labels if label not in texts]:
        raise ValueError(f"{stray[0]} has values and is not among the measures")
    values = {label: np.full(len(queries), np.nan) for label in measures}
    there = {label: np.zeros(len(queries), dtype=bool) for label in measures}
    for place, query in enumerate(queries):
        for label, cell in rows[query].items():
            if label in values:
                values[label][place] = _number(cell, f"{label} of query {query!r}")
                there[label][place] = True
    found = {label: [rows[query].get(label, "") for query in queries] for label in texts}
    if odd := next((text for column in found.values() for text in column if not isinstance(text, str)), None):
        raise ValueError(f"{odd!r} is no text")
    return Rows(queries, values, there, found)


def restored(told: Mapping[str, Any], run: Mapping[str, Any], rows: Rows, schema: int) -> Result:
    """What was kept of one run, but for the judgements.

    Args:
        told: the whole record.
        run: what it says of the run.
        rows: the values of the queries.
        schema: the number of the schema.

    Raises:
        ValueError: where parts do not belong together.
        KeyError: where a part is missing.

    """
    line = run.get("signature", told["signature"])
    Signature.parse(line)
    named = {name: tuple(map(str, ids)) for name, ids in run["queries"].items() if isinstance(ids, list | tuple)}
    counts = {name: count for name, count in run["queries"].items() if name not in named}
    if not all(isinstance(count, int) for count in counts.values()):
        raise ValueError("a count is no whole number")
    return Result(
        run=str(run["name"]),
        queries=tuple(rows.queries),
        columns=tuple(_column(label, told, run, rows, schema) for label in told["measures"]),
        profile=str(told["profile"]),
        signature=line,
        counts=dict(counts),
        seed=told.get("interval", {}).get("seed"),
        notices=tuple((str(one["slug"]), str(one["text"])) for one in run["warnings"]),
        texts={label: tuple(column) for label, column in rows.texts.items()},
        by=told.get("by", ""),
        groups=run.get("groups", {}),
        tag=run.get("runid"),
        named=named,
        schema=schema,
    )


def _column(label: str, told: Mapping[str, Any], run: Mapping[str, Any], rows: Rows, schema: int) -> Column:
    """The values of one measure.

    Raises:
        ValueError: where they are not those that were signed.

    """
    there = rows.there[label]
    if schema == 1:
        if "signatures" in run:
            own = Signature.parse(run["signatures"][label])
        else:
            whole = Signature.parse(run.get("signature", told["signature"]))
            own = replace(whole, measure=str(names.parse(label)), queries=_query_set(rows.queries, there))
        if own.queries != _query_set(rows.queries, there):
            there = np.ones_like(there)  # Parquet did not tell what is undefined from what is not there
        kind: Kind = names.kind_of(names.parse(own.measure))
    else:
        own, kind = Signature.parse(run["signatures"][label]), told["kinds"][label]
    if own.queries != _query_set(rows.queries, there):
        signed, found = own.queries.partition("-")[0], f"{np.count_nonzero(there)}"
        others = "as many others" if signed == found else found
        raise ValueError(f"{label} is signed for {signed} queries, and the file has {others}")
    if kind not in ("share", "value", "count"):
        raise ValueError(f"{label} is {kind!r}, which no measure is")
    mean = _number(run["mean"][label], f"the mean of {label}")
    return Column(label, own.measure, str(own), rows.values[label], None if there.all() else there, kind, mean)


def _texts(told: Mapping[str, Any]) -> list[str]:
    return [label for label, kind in told.get("kinds", {}).items() if kind == "text"]


def _number(cell: object, what: str) -> float:
    """A number of a file; NaN where it is undefined.

    Raises:
        ValueError: where it is none.

    """
    if cell is None:
        return math.nan
    if isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell):
        return float(cell)
    raise ValueError(f"{what} is {cell!r}, which is no number")


def _query_set(queries: Sequence[str], there: Mask) -> str:
    """What a signature says of the queries that have values."""
    return signature(STANDARD, list(compress(queries, there.tolist())), "").queries

"""Results on their way into a file: as text for git, as Parquet for size, whole or not at all."""

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth.errors import UsageError
from rankworth.io import results as outputs
from rankworth.results.record import compact, record, text
from rankworth.results.result import Column, Result

if TYPE_CHECKING:
    import polars as pl

SUFFIXES: Final = (".json", ".parquet")


def save(results: Sequence[Result], path: str | os.PathLike[str]) -> None:
    """Write a results file.

    Args:
        results: the runs, which were evaluated together.
        path: the file; its suffix is `.json` or `.parquet`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `not-comparable`.

    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise UsageError(
            "input-type", f"{type(path).__name__} is no path", remedy='for example: values.save("base.json")'
        )
    name = os.fsdecode(path)
    [target] = outputs.targets([name], None, known=SUFFIXES)
    if target.form not in ("json", "parquet"):
        fact = f"{name}: results are kept as {' and '.join(SUFFIXES)}"
        raise UsageError("unknown-format", fact, remedy="other forms are for people: rankworth evaluate -o FILE")
    try:
        told = record(results)
        content = text(told).encode() if target.form == "json" else parquet(results, told)
    except UnicodeEncodeError as error:
        half = f"half of a character stands in {error.object[max(0, error.start - 20) : error.start + 20]!r}"
        raise UsageError("unwritable-output", f"{name}: {half}, and files have whole ones") from None
    outputs.write({target.path: content})


def parquet(results: Sequence[Result], told: Mapping[str, Any]) -> bytes:
    """Results as a Parquet file: a row for each run and query; null is no value, NaN one that is not finite.

    Args:
        results: the runs.
        told: their record with the values of queries; all of it but these stands in the metadata, under the key
            `rankworth`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    first = results[0]
    columns: dict[str, pl.Series] = {
        "run": pl.Series([one.run for one in results for _ in one.queries], dtype=pl.String),
        "query": pl.Series([query for one in results for query in one.queries], dtype=pl.String),
    }
    for place, column in enumerate(first.columns):
        columns[column.label] = _series([one.columns[place] for one in results])
    for label in first.texts:
        columns[label] = pl.Series([text for one in results for text in one.texts[label]], dtype=pl.String)
    target = BytesIO()
    metadata = {"rankworth": compact(told, without=frozenset({"per_query"}))}
    pl.DataFrame(columns).write_parquet(target, metadata=metadata)
    return target.getvalue()


def _series(columns: Sequence[Column]) -> "pl.Series":
    """The values of one measure, run by run; counts as whole numbers, unless one of them is undefined."""
    import polars as pl  # noqa: PLC0415 - as above

    values = np.concatenate([one.values for one in columns])
    there = np.concatenate(
        [np.ones(one.values.size, dtype=bool) if one.there is None else one.there for one in columns]
    )
    kept = np.where(there, np.where(np.isfinite(values), values, np.nan), 0.0)
    whole = columns[0].kind == "count" and bool((kept % 1 == 0).all())
    series = pl.Series(kept.astype(np.int64) if whole else kept)
    return pl.select(pl.when(pl.Series(there)).then(series)).to_series()

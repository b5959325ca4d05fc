"""Any public result as plain data: texts, numbers, lists and dicts, with all that a user can compare."""

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np
import polars as pl

import rankworth as rw

WORDS: Final = re.compile(
    r"/(text|sentence|verdict/line|notes|reason|reference|bibtex|remedy|formula|refused|warnings/\d+/1)(/\d+)*$"
)
"""where sentences stand in JSON and in results"""
WIDTH: Final = 120


def plain(value: Any) -> Any:
    """A value as JSON can hold it; NaN and infinity stay what they are."""
    if type(value) in (bool, int, float, str, type(None)):
        return value
    for kinds, change in WAYS:
        if isinstance(value, kinds):
            return change(value)
    frame = framed(value)
    return frame if frame is not None else unfolded(value)


def unfolded(value: Any) -> Any:
    """What a result says of itself, or its fields, or its items."""
    if hasattr(value, "to_dict"):
        found = value.to_dict()
    elif isinstance(value, Mapping):
        found = value
    elif dataclasses.is_dataclass(value):
        fields = [one.name for one in dataclasses.fields(value) if not one.name.startswith("_")]
        found = {name: getattr(value, name) for name in fields}
    elif hasattr(value, "dtype") and hasattr(value, "tolist"):
        return {f"{type(value).__module__.partition('.')[0]} {value.dtype}": value.tolist()}
    else:
        found = value._asdict() if hasattr(value, "_asdict") else value
    return keyed(found) if isinstance(found, Mapping) else [plain(part) for part in found]


def keyed(value: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping with keys of text."""
    return {" ".join(key) if isinstance(key, tuple) else str(key): plain(part) for key, part in value.items()}


def values(found: rw.Values) -> dict[str, Any]:
    """All that an evaluation says of a run."""
    return {
        "mean": plain(found.mean()),
        "per_query": plain(found.per_query.to_dict()),
        "counts": plain(found.counts),
        "signatures": plain(found.signatures),
        "notices": [one.slug for one in found.notices],
        **({"groups": {name: plain(part.mean()) for name, part in found.slices.items()}} if found.by else {}),
    }


def framed(value: Any) -> dict[str, Any] | None:
    """A frame of any library, as the library, the types of its columns and its rows; None for all else."""
    library = type(value).__module__.partition(".")[0]
    if isinstance(value, pl.DataFrame):
        kinds, rows = {name: str(kind) for name, kind in value.schema.items()}, value.rows()
    elif library == "pandas" and hasattr(value, "columns"):
        kinds = {str(name): str(kind) for name, kind in value.dtypes.items()}
        rows = [tuple(row) for row in value.itertuples(index=False)]
    elif library == "pyarrow" and hasattr(value, "to_pylist"):
        kinds = {one.name: str(one.type) for one in value.schema}
        rows = [tuple(row.values()) for row in value.to_pylist()]
    else:
        return None
    return {"frame": library, "columns": kinds, "rows": [[plain(cell) for cell in row] for row in rows]}


def printed(value: Any, indent: int = 0) -> str:
    """JSON in which whatever fits stands on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {printed(part, indent + 1)}" for key, part in value.items()]
        opening, closing = "{}"
    else:
        parts, (opening, closing) = [printed(part, indent + 1) for part in value], "[]"
    return opening + f",\n{' ' * (indent + 1)}".join(parts) + closing


WAYS: Final[tuple[tuple[Any, Callable[[Any], Any]], ...]] = (
    (np.generic, lambda value: plain(value.item())),
    (str, str),
    (Exception, lambda error: {"error": type(error).__name__, "slug": getattr(error, "slug", "")}),
    (rw.Measure | rw.Fact, str),
    (rw.Values, values),
    (AbstractSet, lambda some: sorted(map(plain, some), key=str)),
)
"""what becomes of values of these kinds; all others are frames, results, mappings or sequences"""

"""Any public result as plain data: texts, numbers, lists and dicts, in which nothing is lost that a user can compare."""

import dataclasses
import json
import re
from collections.abc import Mapping, Set
from typing import Any, Final

import numpy as np
import polars as pl

import rankworth as rw

WORDS: Final = re.compile(r"/(text|sentence|notes|reason|reference|bibtex|remedy|warnings/\d+/1)(/\d+)*$")
"""where sentences stand in JSON and in results"""
WIDTH: Final = 120


def plain(value: Any) -> Any:
    """A value as JSON can hold it; NaN and infinity stay what they are."""
    if value is None or isinstance(value, bool | int | float | str):
        return value if type(value) in (bool, int, float, str, type(None)) else str(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Exception):
        return {"error": type(value).__name__, "slug": getattr(value, "slug", "")}
    if isinstance(value, rw.Measure | rw.Fact):
        return str(value)
    if isinstance(value, rw.Values):
        return values(value)
    frame = framed(value)
    if frame is not None:
        return frame
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {" ".join(key) if isinstance(key, tuple) else str(key): plain(part) for key, part in value.items()}
    if dataclasses.is_dataclass(value):
        fields = [one.name for one in dataclasses.fields(value) if not one.name.startswith("_")]
        return {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Set):
        return sorted(map(plain, value), key=str)
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return {f"{type(value).__module__.partition('.')[0]} {value.dtype}": value.tolist()}
    return [plain(part) for part in value]


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

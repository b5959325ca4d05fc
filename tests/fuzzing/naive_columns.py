"""A naive and strict reader of Parquet and Arrow IPC, by PyArrow."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from fuzzing.material import Row
from fuzzing.naive import NAMES, Unclear, roles


def parquet(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """A Parquet file; checksums are looked at where there are some."""
    return _rows(
        lambda: pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True).read(), value, columns
    )


def arrow(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """An Arrow IPC file or stream."""
    if not content.startswith(b"ARROW1") and not content.endswith(b"\xff\xff\xff\xff\0\0\0\0"):
        raise Unclear("the mark at the end is missing")
    opened = ipc.open_file if content.startswith(b"ARROW1") else ipc.open_stream
    return _rows(lambda: opened(pa.BufferReader(content)).read_all(), value, columns)


def _rows(read: Any, value: str, columns: Mapping[str, str]) -> list[Row]:
    try:
        table = read()
        table.validate(full=True)
        return _of_table(table, value, columns)
    except Unclear:
        raise
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        TypeError,
        KeyError,
        OverflowError,
        MemoryError,
        IndexError,
    ) as error:
        raise Unclear(f"PyArrow: {str(error)[:100]}") from None


def _of_table(table: pa.Table, value: str, columns: Mapping[str, str]) -> list[Row]:
    found = roles(table.column_names, value, columns, valued=False)
    items = {role: table.column(place) for role, place in found.items()}
    kind = next((kind for kind in ("score", "rank", "grade") if kind in items), "")
    listed = pa.types.is_list(items["document"].type) or pa.types.is_large_list(items["document"].type)
    for role in ("query", "subtopic", *([] if listed else ["document"])):
        _check_ids(items[role].type if role in items else pa.string())
    if not kind and not listed and value == "score":
        raise Unclear("neither score nor rank")
    if not kind and "subtopic" not in items:
        numeric = {name for name, field in zip(table.column_names, table.schema, strict=True) if _is_number(field.type)}
        if numeric - {table.column_names[place] for place in found.values()}:
            raise Unclear("another column may tell the grades")
    rows: list[Row] = []
    texts = {role: column.to_pylist() for role, column in items.items()}
    for place, query in enumerate(texts["query"]):
        subtopic = texts["subtopic"][place] if "subtopic" in texts else None
        number = texts[kind][place] if kind else None
        documents = texts["document"][place]
        pairs = _listed(documents, number, kind, value) if listed else [(documents, number if kind else 1.0)]
        rows += [
            (_id(query), _id(document), _value(told, kind or value), None if subtopic is None else str(subtopic))
            for document, told in pairs
        ]
    if not rows:
        raise Unclear("no rows")
    return rows


def _listed(documents: Any, numbers: Any, kind: str, value: str) -> list[tuple[Any, Any]]:
    """Documents and their values: in lists side by side, in records, or by their order."""
    if not documents or (kind and not (isinstance(numbers, list) and len(numbers) == len(documents))):
        raise Unclear("lists of different lengths, or none")
    if any(isinstance(one, dict) for one in documents):
        return [_record(one, value) for one in documents]
    if kind:
        return list(zip(documents, numbers, strict=True))
    return [(one, -float(rank) if value == "score" else 1.0) for rank, one in enumerate(documents, 1)]


def _record(record: Mapping[str, Any], value: str) -> tuple[Any, Any]:
    ids = [name for name in record if name.lower() in NAMES["document"]]
    numbers = [name for name in record if name.lower() in NAMES[value]]
    if len(ids) != 1 or len(numbers) != 1:
        raise Unclear("records without an id or a value")
    return record[ids[0]], record[numbers[0]]


def _is_number(kind: Any) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )


def _check_ids(kind: Any) -> None:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.string(), pa.large_string(), pa.string_view())
    if inner not in texts and not pa.types.is_integer(inner):
        raise Unclear(f"ids are {kind}")


def _id(item: Any) -> str:
    if isinstance(item, bool) or not isinstance(item, str | int):
        raise Unclear("an id that is neither text nor integer")
    return str(item)


def _value(item: Any, kind: str) -> float:
    if not isinstance(item, int | float | Decimal):
        raise Unclear("not a number")
    number = float(item)
    if math.isnan(number) or (math.isinf(number) and kind != "score"):
        raise Unclear("no finite number")
    return -number if kind == "rank" else number

"""Writes Parquet and Arrow IPC with PyArrow."""

import io
from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from fuzzing.material import Row, Written, collection, rows_of
from fuzzing.texts import HEADERS, shuffled


def parquet(random: Random, value: str) -> Written:
    """A Parquet file, with row groups, pages and compressions of all kinds."""
    rows, table, columns = _table(random, value)
    target = io.BytesIO()
    options: dict[str, Any] = {
        "compression": random.choice(("none", "snappy", "gzip", "zstd", "lz4", "brotli")),
        "version": random.choice(("1.0", "2.4", "2.6")),
        "data_page_version": random.choice(("1.0", "2.0")),
        "use_dictionary": random.random() < 0.5,
        "write_statistics": random.random() < 0.7,
        "row_group_size": random.choice((1, 2, 5, 1000)),
        "data_page_size": random.choice((8, 1 << 20)),
        "store_schema": random.random() < 0.7,
        "write_page_checksum": random.random() < 0.3,
        "write_page_index": random.random() < 0.3,
    }
    if not options["use_dictionary"] and random.random() < 0.4:
        floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
        options["use_byte_stream_split"] = floats or False
    pq.write_table(table, target, **options)
    return Written(target.getvalue(), rows, "parquet", value, columns)


def arrow(random: Random, value: str) -> Written:
    """An Arrow IPC file."""
    return _ipc(random, value, stream=False)


def stream(random: Random, value: str) -> Written:
    """An Arrow IPC stream."""
    return _ipc(random, value, stream=True)


def _ipc(random: Random, value: str, *, stream: bool) -> Written:
    rows, table, columns = _table(random, value, ipc=True)
    target = io.BytesIO()
    options = ipc.IpcWriteOptions(compression=random.choice((None, None, "lz4", "zstd")))
    with (ipc.new_stream if stream else ipc.new_file)(target, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=random.choice((1, 2, 1000)))
    return Written(target.getvalue(), rows, "arrow", value, columns)


def _table(random: Random, value: str, *, ipc: bool = False) -> tuple[Sequence[Row], pa.Table, dict[str, str]]:
    dicts = collection(random, "parquet", value)
    listed = random.random() < 0.25
    rows = rows_of(dicts) if listed else shuffled(random, dicts)
    columns: dict[str, str] = {}
    query_name, document_name = random.choice(HEADERS["query"]), random.choice(HEADERS["document"])
    if random.random() < 0.1:
        document_name = columns["document"] = "was es ist"
    kind, value_name = value, random.choice(HEADERS[value])
    if value == "score" and not listed and random.random() < 0.2:
        kind, value_name = "rank", "rank"
        rows = [(*row[:2], -float(place), None) for place, row in enumerate(rows, 1)]
    if listed:
        return rows, *_of_lists(random, dicts, query_name, value_name), {}
    numbers, number_type = _numbers(random, [row[2] if kind != "rank" else -row[2] for row in rows])
    arrays: dict[str, Any] = {
        query_name: _ids(random, [row[0] for row in rows], ipc=ipc),
        document_name: _ids(random, [row[1] for row in rows], ipc=ipc),
        value_name: pa.array(numbers, number_type),
    }
    if random.random() < 0.3:
        arrays["title"] = pa.array([random.choice((None, "a title")) for _ in rows], pa.string())
    if value == "grade" and random.random() < 0.15:
        rows = [(*row[:3], random.choice("ab")) for row in rows]
        arrays["subtopic"] = pa.array([row[3] for row in rows], pa.string())
    names = list(arrays)
    random.shuffle(names)
    return rows, pa.table({name: arrays[name] for name in names}), columns


def _of_lists(random: Random, dicts: Any, query_name: str, value_name: str) -> tuple[pa.Table]:
    queries, values = pa.array(list(dicts)), pa.float64()
    kind = random.choice((pa.list_, pa.large_list))
    if random.random() < 0.5:
        lists = {
            "documents": pa.array([list(inner) for inner in dicts.values()], kind(pa.string())),
            value_name: pa.array([list(inner.values()) for inner in dicts.values()], kind(values)),
        }
    else:
        records = [[{"doc_id": one, value_name: number} for one, number in inner.items()] for inner in dicts.values()]
        lists = {"results": pa.array(records, kind(pa.struct([("doc_id", pa.string()), (value_name, values)])))}
    return (pa.table({query_name: queries} | lists),)


def _ids(random: Random, texts: list[str], *, ipc: bool) -> pa.Array:
    if all(text.isascii() and text.isdecimal() and str(int(text)) == text for text in texts) and random.random() < 0.7:
        largest = max(map(int, texts))
        kinds = [pa.uint16(), pa.int32(), pa.int64(), pa.uint64()]
        fitting = [kind for kind, bits in zip(kinds, (16, 31, 63, 64), strict=True) if largest < 2**bits]
        if fitting:
            return pa.array(list(map(int, texts)), random.choice(fitting))
    texts_only = [pa.string(), pa.string(), pa.large_string()]
    texts_only += [pa.string_view(), pa.dictionary(pa.int32(), pa.string())] if ipc else []
    return pa.array(texts).cast(random.choice(texts_only))


def _numbers(random: Random, numbers: list[float]) -> tuple[list[Any], pa.DataType]:
    """Numbers, in a type that holds all of them."""
    kinds: list[tuple[list[Any], pa.DataType]] = [(numbers, pa.float64())]
    if all(number.is_integer() and abs(number) < 100 for number in numbers):
        whole = list(map(int, numbers))
        kinds += [(whole, pa.int8()), (whole, pa.int64()), ([Decimal(one) for one in whole], pa.decimal128(12, 3))]
    if all(number == pa.scalar(number, pa.float32()).as_py() for number in numbers):
        kinds.append((numbers, pa.float32()))
    return random.choice(kinds)

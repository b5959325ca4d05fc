"""The results file: what is kept of an evaluation, written for git or for size, and read again.

One schema, `docs/results.md`, as JSON with one line for each query, and as Parquet.
"""

from rankworth.results.reading import is_results, load, read
from rankworth.results.record import SCHEMA, compact, digest, record, text
from rankworth.results.result import Column, Result
from rankworth.results.writing import parquet, save

__all__ = [
    "SCHEMA",
    "Column",
    "Result",
    "compact",
    "digest",
    "is_results",
    "load",
    "parquet",
    "read",
    "record",
    "save",
    "text",
]

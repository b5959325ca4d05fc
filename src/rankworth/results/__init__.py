"""The results file: what is kept of an evaluation, written for git or for size, and read again.

One schema, `docs/results.md`, as JSON with one line for each query, and as Parquet.
"""

from rankworth.results.reading import is_results, load, read
from rankworth.results.result import SCHEMA, Column, Result, compact, digest, parquet, record, save, text

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

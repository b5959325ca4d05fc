"""Spark: frames in, values of queries out as a lazy frame, and means that Spark aggregates.

The same definitions and conventions as everywhere, and for every query the same values, to the last bit.
"""

from importlib import import_module

from rankworth.errors import UsageError

try:
    for library in ("pandas", "pyarrow", "pyspark"):  # PySpark asks for the first, whatever it is asked for
        import_module(library)
except ImportError as error:
    remedy = "pip install 'pyspark>=4.0' pandas pyarrow, and Java 17 or later"
    raise UsageError("missing-library", f"{error.name} is not installed", remedy=remedy) from None

from rankworth.spark.evaluation import evaluate
from rankworth.spark.means import Means

__all__ = ["Means", "evaluate"]

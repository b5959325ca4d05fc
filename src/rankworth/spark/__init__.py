"""Spark: frames in, values of queries out as a lazy frame, and means that are merged where the data lies.

The same definitions and conventions as everywhere, and for every query the same values, to the last bit.
"""

from rankworth.errors import UsageError

try:
    import pyspark  # noqa: F401 - to say what is missing
except ImportError:
    raise UsageError(
        "missing-library", "pyspark is not installed", remedy="pip install 'rankworth[spark]', and Java 17 or later"
    ) from None

from rankworth.spark.asking import evaluate
from rankworth.spark.means import Means

__all__ = ["Means", "evaluate"]

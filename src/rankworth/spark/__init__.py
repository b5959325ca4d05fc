"""Spark: frames in, values of queries out as a lazy frame, and means that are merged where the data lies.

The same definitions and conventions as everywhere, and for every query the same values, to the last bit.
"""

from rankworth.errors import UsageError

try:
    import pandas  # noqa: F401, ICN001 - PySpark asks for it, whatever is asked of PySpark
    import pyarrow  # noqa: F401, ICN001 - what workers get and give
    import pyspark  # noqa: F401 - to say what is missing
except ImportError as error:
    raise UsageError(
        "missing-library",
        f"{error.name} is not installed",
        remedy="pip install 'rankworth[spark]', and Java 17 or later",
    ) from None

from rankworth.spark.asking import evaluate
from rankworth.spark.means import Means

__all__ = ["Means", "evaluate"]

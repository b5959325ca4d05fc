"""What starts workers of Spark in tests: it imports what they import, since a worker ends with each error it meets."""

import pandas as pd  # noqa: F401 - forked with the process
import polars as pl  # noqa: F401 - as above
import pyarrow as pa  # noqa: F401 - as above
from pyspark import daemon

import rankworth.spark  # noqa: F401 - as above

if __name__ == "__main__":
    daemon.manager()

"""What starts workers of Spark in tests: it imports what they import, since a worker ends with each error it meets.

Packages are those that are installed, not Spark's archives of itself, whose contents every task would list again.
"""

import gc
import sys

for archive in [place for place in sys.path if place.endswith((".zip", ".jar"))]:
    sys.path.remove(archive)
    sys.path_importer_cache.pop(archive, None)

import pandas as pd  # noqa: E402, F401 - forked with the process
import polars as pl  # noqa: E402, F401 - as above
import pyarrow as pa  # noqa: E402, F401 - as above
from pyspark import daemon  # noqa: E402

import rankworth.spark  # noqa: E402, F401 - as above

if __name__ == "__main__":
    gc.freeze()  # a worker looks for garbage after each task: not in all that is imported here
    daemon.manager()

"""How files of scores without ids begin, as rankers write their predictions."""

import re
from typing import Final

ROWS: Final = "rows"
"""under which name of a column the learning-to-rank file stands"""
HEADER: Final = b"RawFormulaVal"
"""what CatBoost calls the column of scores"""
_NUMBER: Final = re.compile(rb"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
_RANKLIB: Final = re.compile(rb"\S+\t0\t[-+]?[0-9.][0-9.eE+-]*\s*")
CELLS: Final = 3
"""how many cells a line of RankLib has"""


def is_scores(line: bytes) -> bool:
    """Return whether a first line is a single number, or the header of a table of CatBoost."""
    return _NUMBER.fullmatch(line) is not None or HEADER in line.split(b"\t")


def is_ranklib(line: bytes) -> bool:
    """Return whether a first line is one of RankLib: the query, the row 0, and its score."""
    return _RANKLIB.fullmatch(line) is not None

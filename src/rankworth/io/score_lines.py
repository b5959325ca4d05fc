"""How files of scores without ids begin, as rankers write their predictions."""

import os
import re
from typing import Final

ROWS: Final = "rows"
"""under which name of a column the learning-to-rank file stands"""
HEADER: Final = b"RawFormulaVal"
"""what CatBoost calls the column of scores"""
_NUMBER: Final = re.compile(rb"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
_RANKLIB: Final = re.compile(rb"\S+\t0\t[-+]?[0-9.][0-9.eE+-]*\s*")
_LABEL: Final = re.compile(rb"\s*[-+]?[0-9][0-9.eE+-]*[\s,;|]+\S")
SIZES: Final = (".query", ".group")
"""how LightGBM and XGBoost call the file with the sizes of queries, behind the name of the file of their rows"""
CELLS: Final = 3
"""how many cells a line of RankLib has"""


def is_scores(line: bytes) -> bool:
    """Return whether a first line is a single number, or the header of a table of CatBoost."""
    return _NUMBER.fullmatch(line) is not None or HEADER in line.split(b"\t")


def sizes_beside(path: str, line: bytes) -> str:
    """Return the file with the sizes of queries beside rows of learning to rank that name no query; empty for others.

    Args:
        path: of the rows.
        line: their first one, with a label in its first cell.

    """
    if _LABEL.match(line) is None or b"qid:" in line:
        return ""
    return next((path + suffix for suffix in SIZES if os.path.isfile(path + suffix)), "")  # noqa: PTH113 - long names


def is_ranklib(line: bytes) -> bool:
    """Return whether a first line is one of RankLib: the query, the row 0, and its score."""
    return _RANKLIB.fullmatch(line) is not None

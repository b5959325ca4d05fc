"""What is in a folder, for messages."""

import re
import shlex
from itertools import islice
from pathlib import Path
from typing import Final

_OF_TABLES: Final = r"(s3a?|gs|gcs|r2|hf|az|azure|abfss)://"
"""how addresses begin that DuckDB reads and curl does not"""


def remedy_for_missing(path: str) -> str:
    """Suggest a remedy for a missing file: one of nearly the same name, if there is one."""
    import difflib  # noqa: PLC0415 - only for a message

    if re.match(_OF_TABLES, path):
        relation = f"duckdb.sql(\"from '{path}'\")"
        return (
            f"files are read, not addresses; DuckDB reads this one, in Python: import duckdb, rankworth; "
            f"rankworth.evaluate(qrels, {relation})"
        )
    if re.match(r"\w+://", path):
        return f"files are read, not addresses: curl -LO {shlex.quote(path)}, and give the file"
    folder = Path(path).parent
    if not folder.is_dir():
        return f"there is no directory {folder} either"
    close = difflib.get_close_matches(Path(path).name, names_in(folder), n=1)
    return f"did you mean {folder / close[0]}?" if close else ""


def names_in(folder: Path) -> list[str]:
    """List the names in a folder, for messages; some thousand are enough."""
    try:
        return sorted(entry.name for entry in islice(folder.iterdir(), 5000))
    except OSError:
        return []

"""DuckDB for files: a connection with a limit of memory and a folder to spill to, and runs as its relations."""

import importlib
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from rankworth.engines.related import Related
from rankworth.errors import InputError, UsageError
from rankworth.io import formats
from rankworth.io.formats import RUN, Reading
from rankworth.io.sources import STDIN
from rankworth.model import Run

_LIMIT: Final = re.compile(r"\d+(\.\d+)? ?(B|[KMGT]i?B)", re.IGNORECASE)
_READ: Final = ("parquet", "csv", "tsv")
"""formats that DuckDB reads itself"""


@dataclass(frozen=True)
class Engine:
    """A connection."""

    connection: Any

    def run(self, run: Run) -> Related:
        """A run whose files are read by DuckDB.

        Args:
            run: files.

        Raises:
            InputError: `unknown-format` where DuckDB does not read them; and as `Related`.

        """
        reading = Reading(run.format, run.columns)
        found = [(file, "" if file.path == STDIN else formats.format_of(file, RUN, reading)) for file in run.files]
        odd = next(((file, form) for file, form in found if form not in _READ), None)
        if odd is not None or not found or len({form for _, form in found}) > 1:
            said = f"{odd[0].name} is {odd[1] or 'no file'}" if odd else "its files have several formats"
            text = f"--engine duckdb reads Parquet and CSV, and {said}"
            raise InputError(
                "unknown-format", text, remedy="leave --engine out, or write it so: rankworth convert IN OUT.parquet"
            )
        paths, texts = [file.path for file, _ in found], found[0][1] != "parquet"
        try:
            relation = (
                self.connection.read_csv(paths, header=True, all_varchar=True)
                if texts
                else self.connection.read_parquet(paths)
            )
        except Exception as error:
            text = f"{found[0][0].name}: DuckDB cannot read it ({' '.join(str(error).split())})"
            raise InputError("unreadable-file", text, remedy="leave --engine out") from error
        return Related(relation, run.name, run.columns, texts=texts)


@contextmanager
def opened(memory_limit: str = "") -> Iterator[Engine]:
    """DuckDB for the length of a block; what it spills goes to a folder that is gone afterwards.

    Args:
        memory_limit: how much memory it takes, `2GB`; 80 % of the machine's where not said.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    if memory_limit and not _LIMIT.fullmatch(memory_limit):
        text = f"--memory-limit {memory_limit}: a limit is a number with a unit"
        raise UsageError("unknown-setting", text, remedy="as in --memory-limit 2GB")
    try:
        library = importlib.import_module("duckdb")
    except ImportError:
        remedy = "pip install 'rankworth[duckdb]'"
        raise UsageError("missing-library", "duckdb is not installed", remedy=remedy) from None
    with tempfile.TemporaryDirectory(prefix="rankworth-") as folder:
        settings = {"temp_directory": folder} | ({"memory_limit": memory_limit} if memory_limit else {})
        connection = library.connect(config=settings)
        try:
            yield Engine(connection)
        finally:
            connection.close()

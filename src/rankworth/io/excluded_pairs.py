"""Pairs of query and document, without any value: what is left out of an evaluation, or what users had before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError
from rankworth.io import detect, lines
from rankworth.io.columns import NONE
from rankworth.io.files import file_batches, files_of
from rankworth.io.id_arrays import is_sparse, of_sparse
from rankworth.io.layout import QRELS, RUN
from rankworth.io.lines import HEAD, first_line
from rankworth.io.options import Reading
from rankworth.io.python_objects import Reader, Scored
from rankworth.io.rows import is_array, is_table, plain
from rankworth.io.source import Source

if TYPE_CHECKING:
    import polars as pl

_PAIR: Final = 2


def read(source: Any, columns: Mapping[str, str] = NONE, name: str = "exclude") -> "Scored | pl.DataFrame":  # noqa: ANN401 - anything
    """Read pairs as judgements of grade 1; some may appear twice.

    Args:
        source: a path or a list of paths, in any format of `rankworth.io.options` with or without values, or with two
            words or two cells in each line; a dict `{query: documents}`; a frame; or pairs.
        columns: which column holds the queries and the documents, where their names do not tell.
        name: the argument that they are given as.

    Raises:
        InputError: where they cannot be read.

    """
    reading = Reading(columns={**columns, "grade": ""}, option=name)  # whatever values there are mean nothing here
    if files := files_of(source, QRELS, reading):
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        ids = pl.concat(frame.select("query", "document") for file in files for frame in _of_file(file, reading))
        return ids.with_columns(grade=1.0)
    if is_sparse(source):
        source = of_sparse(source, QRELS, name)
    elif isinstance(source, Mapping):
        items = source.items()
        source = {query: list(documents) if isinstance(documents, Mapping) else documents for query, documents in items}
    elif isinstance(source, list | tuple | Iterator) or (is_array(source) and not is_table(source)):
        source = [tuple(plain(item)) if is_array(item) or isinstance(item, list) else item for item in plain(source)]
    if isinstance(source, list | Mapping) and not source:
        problem = f"{name}: there is no pair of query and document in it"
        raise InputError("empty-input", problem, remedy=f"leave {name} out where there is none")
    return Reader(QRELS, name, reading.columns).read(source)


def _of_file(file: Source, reading: Reading) -> "Iterable[pl.DataFrame]":
    """Read the rows of a file: two words or cells in each line, judgements, or a run."""
    first = first_line(file.head(HEAD))
    words = first.split()
    signs = (None,) if len(words) == _PAIR else (b"\t",) if len(words) > 1 else (b",", b";")
    sign = next((sign for sign in signs if len(first.split(sign)) == _PAIR), b"")
    is_trec = any(layout.fits(first) for layout in (QRELS, RUN))
    if sign != b"" and not is_trec and detect.format_of(file, QRELS, reading) == "trec":
        return [_of_lines(file, sign)]
    run = replace(reading, columns={role: name for role, name in reading.columns.items() if role != "grade"})
    errors: list[InputError] = []
    for layout, columns in ((QRELS, reading), (RUN, run)):
        rows = file_batches((file,), layout, columns)
        try:
            return chain([next(rows)], rows)
        except InputError as error:
            errors.append(error)
    raise errors[0]


def _of_lines(file: Source, sign: bytes | None) -> "pl.DataFrame":
    """Read the pairs of a file of two words (`sign` is None) or two cells in each line."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    rows: list[list[str]] = []
    for number, line in lines.numbered(file):
        cells = [cell.strip() for cell in line.split(sign)]
        if not any(cells) or cells[0].startswith(b"#"):
            continue
        if len(cells) != _PAIR or not all(cells):
            problem = f"{file.name}:{number}: a line has 2 columns (query document), this one has {len(cells)}"
            raise InputError("qrels-columns", problem, remedy="where ids have blanks, write a table with a header")
        rows.append([lines.decoded(file, cell, number) for cell in cells])
    return pl.DataFrame(rows, schema=["query", "document"], orient="row")

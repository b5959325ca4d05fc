"""Pairs of query and document, without any value: what is left out of an evaluation, or what users had before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError
from rankworth.io import detect, lines
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches, files_of
from rankworth.io.id_arrays import is_sparse, of_sparse
from rankworth.io.kinds import is_array, is_table, plain
from rankworth.io.layout import QRELS, RUN
from rankworth.io.lines import HEAD, first_line
from rankworth.io.options import Reading
from rankworth.io.python_objects import Reader, Scored
from rankworth.io.source import Source
from rankworth.io.usual_names import NONE

if TYPE_CHECKING:
    import polars as pl

_PAIR: Final = 2


def read(source: Any, columns: Mapping[str, str] = NONE, name: str = "exclude") -> "Scored | pl.DataFrame":  # noqa: ANN401 - anything
    """Read pairs as judgements of grade 1; some may appear twice.

    Args:
        source: a path or a list of paths, in any format of `rankworth.io.formats` with or without values, or with two
            words or two cells in each line; a dict `{query: documents}`; a frame; or pairs.
        columns: which column holds the queries and the documents, where their names do not tell.
        name: the argument that they are given as.

    Returns:
        Dicts, or a frame of `query, document, grade`, of files with `times`: how often a pair is there, which is a row
        of each batch then.

    Raises:
        InputError: where they cannot be read.

    """
    reading = Reading(columns={**columns, "grade": ""}, option=name)  # whatever values there are mean nothing here
    if files := files_of(source, QRELS, reading):
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        frames = (frame for file in files for frame in _of_file(file, reading))
        return pl.concat(map(_counted, frames)).with_columns(grade=1.0)
    if is_sparse(source):
        source = of_sparse(source, QRELS, name)
    elif isinstance(source, Mapping):
        items = source.items()
        source = {query: list(documents) if isinstance(documents, Mapping) else documents for query, documents in items}
    elif isinstance(source, list | tuple | Iterator) or (is_array(source) and not is_table(source)):
        rows = list(source) if is_array(source) and getattr(source, "dtype", None) is not None else plain(source)
        source = [tuple(plain(item)) if _is_row(item) else item for item in rows]
    if isinstance(source, list | Mapping) and not source:
        problem = f"{name}: there is no pair of query and document in it"
        raise InputError("empty-input", problem, remedy=f"leave {name} out where there is none")
    return Reader(QRELS, name, reading.columns).read(source)


def _is_row(item: object) -> bool:
    """Return whether this is a row whose cells have no names."""
    return isinstance(item, list) or (is_array(item) and not getattr(getattr(item, "dtype", None), "names", None))


def _counted(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return each pair of a batch once, with how often it is there."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    times = pl.col("times").sum() if "times" in frame.columns else pl.len().cast(pl.Int64).alias("times")
    return frame.group_by("query", "document", maintain_order=True).agg(times)


def _of_file(file: Source, reading: Reading) -> "Iterable[pl.DataFrame]":
    """Read the rows of a file: two words or cells in each line, judgements, or a run."""
    first = first_line(file.head(HEAD))
    words = first.split()
    signs = (None,) if len(words) == _PAIR else (b"\t",) if len(words) > 1 else (b",", b";")
    sign = next((sign for sign in signs if len(first.split(sign)) == _PAIR), b"")
    is_trec = any(layout.fits(first) for layout in (QRELS, RUN))
    is_named = any(reading.columns.values())
    if sign != b"" and not is_trec and not is_named and detect.format_of(file, QRELS, reading) == "trec":
        return [_of_lines(file, sign)]
    run = replace(reading, columns={role: name for role, name in reading.columns.items() if role != "grade"})
    errors: list[InputError] = []
    for layout, columns in ((QRELS, reading), (RUN, run)):
        rows = file_batches((file,), layout, columns, Observed())
        try:
            return chain([next(rows)], rows)
        except InputError as error:
            errors.append(error)
    raise errors[0]


def _of_lines(file: Source, sign: bytes | None) -> "pl.DataFrame":
    """Read the pairs of a file of two words (`sign` is None) or two cells in each line."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    rows: dict[tuple[str, ...], int] = {}
    for number, line in lines.numbered(file):
        cells = [cell.strip() for cell in line.split(sign)]
        if not any(cells) or cells[0].startswith(b"#"):
            continue
        if len(cells) != _PAIR or not all(cells):
            problem = f"{file.name}:{number}: a line has 2 columns (query document), this one has {len(cells)}"
            raise InputError("qrels-columns", problem, remedy="where ids have blanks, write a table with a header")
        pair = tuple(lines.decoded(file, cell, number) for cell in cells)
        rows[pair] = rows.get(pair, 0) + 1
    schema = {"query": pl.String, "document": pl.String, "times": pl.Int64}
    return pl.DataFrame([(*pair, times) for pair, times in rows.items()], schema=schema, orient="row")

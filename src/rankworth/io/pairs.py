"""Pairs of query and document, without any value: what is to be left out of an evaluation."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError
from rankworth.io import detect, lines
from rankworth.io.columns import NONE, chosen
from rankworth.io.lines import HEAD, QRELS, RUN, first_line
from rankworth.io.reading import Reading, file_batches, files_of
from rankworth.io.source import Source
from rankworth.io.validate import shown, text

if TYPE_CHECKING:
    import polars as pl

NAME: Final = "exclude"
_PAIR: Final = 2


def read(source: object, columns: Mapping[str, str] = NONE) -> "dict[str, dict[str, float]] | pl.DataFrame":
    """Pairs as `{query: {document: 1.0}}` or as columns `query, document`; some may be there twice.

    Args:
        source: a path or a list of paths, in any format of `rankworth.io.reading` with or without values, or with two
            words or two cells in each line; a dict `{query: documents}`; a frame; or pairs.
        columns: which column holds the queries and the documents, where their names do not tell.

    Raises:
        InputError: where they cannot be read.

    """
    reading = Reading(columns={**columns, "grade": ""})  # whatever values there are mean nothing here
    if files := () if isinstance(source, Mapping) else files_of(source, QRELS, reading):
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        return pl.concat(frame.select("query", "document") for file in files for frame in _of_file(file, reading))
    if not isinstance(source, Mapping | list | tuple | AbstractSet | Iterator) or hasattr(source, "__arrow_c_stream__"):
        return _of_frame(source, reading.columns)
    pairs: dict[str, dict[str, float]] = {}
    found = _of_mapping(source) if isinstance(source, Mapping) else map(_pair, count(), source)
    for query, document in found:
        pairs.setdefault(text(query, NAME), {})[text(document, NAME)] = 1.0
    if not pairs:
        problem = f"{NAME}: there is not one pair of query and document in it"
        raise InputError("empty-input", problem, remedy="leave it out where nothing is to be excluded")
    return pairs


def _of_mapping(source: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    for query, documents in source.items():
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            problem = f"{NAME}: query {query!r} holds {type(documents).__name__}, not a list of documents"
            raise InputError("input-type", problem, remedy="as in {query: [document, ...]}")
        yield from ((query, document) for document in documents)


def _pair(number: int, item: Any) -> tuple[Any, Any]:  # noqa: ANN401 - anything
    """The query and the document of a pair, or of a dict with fields."""
    if isinstance(item, Mapping):
        found = chosen(list(item), "grade", f"{NAME}: item {number}", {"grade": ""})
        return item[found["query"]], item[found["document"]]
    ids = list(item) if isinstance(item, Iterable) and not isinstance(item, str | bytes | AbstractSet) else []
    if len(ids) != _PAIR:
        problem = f"{NAME}: item {number} is {shown(item)}, not a pair of query and document"
        raise InputError("input-type", problem, remedy="as in [(query, document), ...]")
    return ids[0], ids[1]


def _of_frame(source: object, columns: Mapping[str, str]) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    from rankworth.io import frames  # noqa: PLC0415 - as above

    if not frames.is_frame(source):
        problem = f"{type(source).__name__} cannot be read as pairs of query and document"
        remedy = 'give "self", a path, a dict {query: [document, ...]}, a frame, or pairs'
        raise InputError("input-type", problem, remedy=remedy)
    return frames.read(source, "grade", NAME, columns).select(pl.col("query", "document").cast(pl.String))


def _of_file(file: Source, reading: Reading) -> "Iterable[pl.DataFrame]":
    """The rows of a file: of two words or cells in each line, of judgements or of a run."""
    first = first_line(file.head(HEAD))
    length = len(first.split())
    signs = (b"\t",) if length > 1 else (b",", b";")
    sign = b" " if length == _PAIR else next((sign for sign in signs if first.count(sign) == 1), b"")
    is_trec = any(layout.fits(first) for layout in (QRELS, RUN))
    if sign and not is_trec and detect.format_of(file, QRELS, reading) == "trec":
        return [_of_lines(file, sign)]
    run = replace(reading, columns={what: name for what, name in reading.columns.items() if what != "grade"})
    errors: list[InputError] = []
    for layout, columns in ((QRELS, reading), (RUN, run)):
        rows = file_batches((file,), layout, columns)
        try:
            return chain([next(rows)], rows)
        except InputError as error:
            errors.append(error)
    raise errors[0]


def _of_lines(file: Source, sign: bytes) -> "pl.DataFrame":
    """The pairs of a file of two words or two cells in each line."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    rows: list[list[str]] = []
    for number, line in lines.numbered(file):
        cells = line.split() if sign == b" " else [cell.strip() for cell in line.split(sign)]
        if any(cells) and not cells[0].startswith(b"#"):
            if len(cells) != _PAIR or not all(cells):
                problem = f"{file.name}:{number}: a line has 2 columns (query document), this one has {len(cells)}"
                raise InputError("qrels-columns", problem, remedy="where ids have blanks, write a table with a header")
            rows.append([lines.decoded(file, cell, number) for cell in cells])
    return pl.DataFrame(rows, schema=["query", "document"], orient="row")

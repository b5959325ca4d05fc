"""Pairs of query and document, without any value: what is to be left out of an evaluation."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError
from rankworth.io import doors, formats, lines, validate
from rankworth.io.columns import NONE, chosen
from rankworth.io.formats import QRELS, RUN, Reading
from rankworth.io.lines import bare, first_line
from rankworth.io.source import Source

if TYPE_CHECKING:
    import polars as pl

NAME: Final = "exclude"
_HEAD: Final = 1 << 16
_BLANK: Final = b" "
_SIGNS: Final = (b",", b";")
_TOGETHER: Final = 1 << 18


def read(source: object, columns: Mapping[str, str] = NONE) -> "dict[str, dict[str, float]] | pl.DataFrame":
    """Pairs as `{query: {document: 1.0}}` or as columns `query, document`; some may be there twice.

    Args:
        source: a path or a list of paths, in any format of `rankworth.io.formats` with or without values, or with two
            words or two cells in each line; a dict `{query: documents}`; a frame; or pairs.
        columns: which column holds the queries and the documents, where their names do not tell.

    Raises:
        InputError: where they cannot be read.

    """
    if isinstance(source, Mapping):
        return _complete(_of_mapping(source))
    reading = Reading(columns={**columns, "grade": ""})  # whatever values there are mean nothing here
    files = doors.opened(source, QRELS, reading)
    if files:
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        frames = [frame.select("query", "document") for file in files for frame in _of_file(file, reading)]
        return pl.concat(frames) if frames else _complete({})
    if isinstance(source, list | tuple | AbstractSet | Iterator) and not hasattr(source, "__arrow_c_stream__"):
        return _complete(_of_pairs(source))
    return _of_frame(source, reading.columns)


def _complete(pairs: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    if not any(pairs.values()):
        problem = f"{NAME}: there is not one pair of query and document in it"
        raise InputError("empty-input", problem, remedy="leave it out where nothing is to be excluded")
    return pairs


def _of_mapping(source: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
    pairs: dict[str, dict[str, float]] = {}
    for query, documents in source.items():
        if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
            raise InputError(
                "input-type",
                f"{NAME}: query {query!r} holds {type(documents).__name__}, not a list of documents",
                remedy="as in {query: [document, ...]}",
            )
        texts = (validate.text(document, NAME) for document in documents)
        pairs.setdefault(validate.text(query, NAME), {}).update(dict.fromkeys(texts, 1.0))
    return pairs


def _of_pairs(source: Any) -> dict[str, dict[str, float]]:  # noqa: ANN401 - anything that can be gone through
    pairs: dict[str, dict[str, float]] = {}
    for number, pair in enumerate(source):
        ids = _ids(pair, f"{NAME}: item {number}")
        if len(ids) != 2:  # noqa: PLR2004 - query, document
            raise InputError(
                "input-type",
                f"{NAME}: item {number} is {validate.shown(pair)}, not a pair of query and document",
                remedy="as in [(query, document), ...]",
            )
        query, document = ids
        pairs.setdefault(validate.text(query, NAME), {})[validate.text(document, NAME)] = 1.0
    return pairs


def _ids(pair: Any, where: str) -> list[Any]:  # noqa: ANN401 - anything
    """What a pair holds, or a dict with fields."""
    if isinstance(pair, Mapping):
        found = chosen(list(pair), "grade", where, {"grade": ""})
        return [pair[found["query"]], pair[found["document"]]]
    return list(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes | AbstractSet) else []


def _of_frame(source: object, columns: Mapping[str, str]) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    from rankworth.io import frames  # noqa: PLC0415 - not needed for dicts

    if not frames.is_frame(source):
        raise InputError(
            "input-type",
            f"{type(source).__name__} cannot be read as pairs of query and document",
            remedy='give "self", a path, a dict {query: [document, ...]}, a frame, or pairs',
        )
    return frames.read(source, "grade", NAME, columns).select(pl.col("query", "document").cast(pl.String))


def _of_file(file: Source, reading: Reading) -> "Iterator[pl.DataFrame]":
    """The rows of a file: of two words or cells in each line, of judgements or of a run."""
    first = first_line(file.head(_HEAD))
    delimiter = _delimiter(first)
    is_line = any(layout.fits(bare(first).split()) for layout in (QRELS, RUN))
    if delimiter and not is_line and formats.format_of(file, QRELS, reading) == "trec":
        yield from _of_lines(file, delimiter)
        return
    rows = doors.batches((file,), QRELS, reading)
    try:
        some = next(rows, None)
    except InputError as error:
        rows = doors.batches((file,), RUN, replace(reading, columns=_without_values(reading.columns)))
        try:
            some = next(rows, None)
        except InputError:
            raise error from None
    if some is not None:
        yield some
        yield from rows


def _delimiter(line: bytes) -> bytes:
    """What stands between the query and the document of a line: blanks before all else, commas where there are none."""
    count = len(bare(line).split())
    signs = (b"\t",) if count > 1 else _SIGNS
    if count == 2:  # noqa: PLR2004 - query, document
        return _BLANK
    return next((sign for sign in signs if line.count(sign) == 1), b"")


def _without_values(columns: Mapping[str, str]) -> dict[str, str]:
    return {what: name for what, name in columns.items() if what != "grade"}


def _cells(line: bytes, delimiter: bytes) -> list[bytes]:
    """The cells of a line, or its words where blanks are what stands between them."""
    return bare(line).split() if delimiter == _BLANK else [cell.strip() for cell in line.split(delimiter)]


def _of_lines(file: Source, delimiter: bytes) -> "Iterator[pl.DataFrame]":
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    rows: list[list[str]] = []
    for number, line in lines.numbered(file):
        found = _cells(line, delimiter)
        if not any(found) or found[0].startswith(b"#"):
            continue
        if len(found) != 2 or not all(found):  # noqa: PLR2004 - query, document
            text = f"{file.name}:{number}: a line has 2 columns (query document), this one has {len(found)}"
            raise InputError("qrels-columns", text, remedy="where ids have blanks, write a table with a header")
        if any(b"\r" in cell for cell in found):
            text = f"{file.name}:{number}: a CR stands within this line; is it the end of one?"
            raise InputError("line-ends", text, remedy=lines.with_lf(file))
        try:
            rows.append([word.decode() for word in found])
        except UnicodeDecodeError:
            text = f"{file.name}:{number}: this is not UTF-8"
            raise InputError("wrong-encoding", text, remedy=lines.latin1(file)) from None
        if len(rows) == _TOGETHER:
            yield pl.DataFrame(rows, schema=["query", "document"], orient="row")
            rows = []
    if rows:
        yield pl.DataFrame(rows, schema=["query", "document"], orient="row")

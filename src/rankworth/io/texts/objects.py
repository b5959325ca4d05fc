"""JSON: an object in each line, or one document, `{id: text}` or a list of objects."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from rankworth.errors import InputError, quoted
from rankworth.io.objects import syntax
from rankworth.io.scalars import shown
from rankworth.io.sources import Progress, Source
from rankworth.io.text import chunks, foreign
from rankworth.io.text.lines import MARK
from rankworth.io.texts.rows import Asked, Row

CHUNK: Final = 8 << 20
LONGEST: Final = 1 << 28


def is_row(keys: Sequence[str], asked: Asked) -> bool:
    """Whether these are the keys of a row rather than ids; or the first of them."""
    return bool(keys) and asked.kind.is_header(keys, asked.columns)


def lines(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The objects of a file that has one in each line.

    Raises:
        InputError: with the first problem of the file and its line.

    """
    above = found = 0

    def where(number: int) -> str:
        return f"{source.name}:{number}"

    for chunk in chunks.lines(source, usual=CHUNK, longest=LONGEST, progress=progress):
        if chunks.is_endless(chunk, LONGEST):
            raise foreign.endless(source, above, LONGEST, "end each object with a line break")
        for number, line, value in _objects(chunk, source, above + 1):
            if not found:
                _refuse_columns(value, asked, where(number))
            found += 1
            row = asked.row(value, number, where, "key")
            if row is not None:
                if not syntax.has_each_key_once(line, value, len(value)):
                    _check_keys(line, row.where)
                yield row
        above += chunk.count(b"\n")
    if not found:
        raise InputError("empty-input", f"{source.name}: there is nothing in it but empty lines")


def _objects(chunk: bytes, source: Source, first: int) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """The objects of some lines, with these and their numbers."""
    for number, line in enumerate(chunk.removesuffix(b"\n").split(b"\n"), first):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            if not line.removeprefix(MARK).strip():
                continue
            value = syntax.parsed(line, source, number)
        if type(value) is not dict:
            text = f"{source.name}:{number}: this is {shown(value)}, not an object"
            remedy = 'write an object in each line, such as {"_id": "q1", "text": "red shoes"}'
            raise InputError("input-type", text, remedy=remedy)
        yield number, line, value


def whole(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The entries of one JSON document.

    Raises:
        InputError: with the first problem of the file.

    """
    text = source.whole(progress)
    value = syntax.parsed(text, source)
    _check_once(text, value, source.name)
    del text
    if isinstance(value, dict) and not is_row(list(value), asked):
        yield from entries(value, asked, source.name)
        return
    if not value:
        raise InputError("empty-input", f"{source.name}: there is nothing in it")

    def where(row: int) -> str:
        return f"{source.name}: row {row}"

    for number, cells in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(cells, dict):
            remedy = f'a list holds objects, such as {{"_id": "{asked.kind.what[0]}1", "text": "red shoes"}}'
            raise InputError("input-type", f"{where(number)} is {shown(cells)}, not an object", remedy=remedy)
        _refuse_columns(cells, asked, where(number))
        row = asked.row(cells, number, where, "key")
        if row is not None:
            yield row


def entries(value: Mapping[Any, Any], asked: Asked, name: str) -> Iterator[Row]:
    """The texts that a dict holds by their ids.

    Raises:
        InputError: as `Asked.entry`.

    """
    if not value:
        raise InputError("empty-input", f"{name}: there is nothing in it")
    for key, item in value.items():
        row = asked.entry(key, item, f"{name}: {asked.kind.what} {quoted([key])}")
        if row is not None:
            yield row


def _refuse_columns(cells: Mapping[str, Any], asked: Asked, where: str) -> None:
    """Refuse a table that stands there column by column."""
    if all(isinstance(item, list | dict) for item in cells.values()):
        text = f"{where}: this looks like a {asked.kind.what} table, column by column: {quoted(cells, 8)}"
        raise InputError("input-type", text, remedy='pandas writes it by rows: frame.to_json(path, orient="records")')


def _check_once(text: bytes, value: Any, name: str) -> None:  # noqa: ANN401 - of JSON
    """An object has each key once: no id stands there twice."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    members = sum(len(each) for each in (value, *inner) if isinstance(each, dict))
    if not syntax.has_each_key_once(text, value, members):
        _check_keys(text, name)


def _check_keys(text: bytes, where: str) -> None:
    way = syntax.repeated(text, where)
    if way:
        problem = f"{where}: the key {quoted([way[-1]])} stands twice in one object"
        raise InputError("input-type", problem, remedy="keep one of them")

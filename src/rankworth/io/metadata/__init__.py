"""Texts and further columns of queries, and texts of documents, from files and from Python."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from os import PathLike, fsdecode
from pathlib import Path
from types import MappingProxyType
from typing import Final

from rankworth.errors import InputError, quoted
from rankworth.io import formats
from rankworth.io.doors import is_path
from rankworth.io.metadata import files
from rankworth.io.metadata.columns import DOCUMENTS, QUERIES, Asked, Kind, Row
from rankworth.io.metadata.table import QueryTable, Value, gathered
from rankworth.io.reading import Reading
from rankworth.io.source import STDIN, Progress, Source, opened
from rankworth.io.text.lines import MARK, QRELS

__all__ = ["QueryTable", "Value", "documents", "queries"]

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def queries(source: object, *, columns: Mapping[str, str] = _NONE) -> QueryTable:
    """What queries say, and what else is known of them.

    Args:
        source: a path (a pattern, a folder of BEIR's, `-`) or a list of paths; or what a program has: a dict
            `{id: text}` or `{id: {"text": ..., "language": ...}}`, rows, a frame; or a table that was read before.
        columns: which column holds what where its name does not tell, `{"query": "nr", "text": "words"}`; a number
            counts columns from 1 where there is no header.

    Raises:
        InputError: where anything is wrong with it; `input-type` where a query is there twice, with different texts.
        UsageError: `unknown-setting`.

    >>> table = queries([{"qid": "q1", "query": "red shoes", "traffic": 120}, {"qid": "q2", "query": "boots"}])
    >>> table.texts
    {'q1': 'red shoes', 'q2': 'boots'}
    >>> table.columns
    {'traffic': (120, None)}
    """
    if isinstance(source, QueryTable):
        return source
    asked = Asked(QUERIES, QUERIES.checked(columns))
    paths = _paths(source)
    return gathered(_rows(source, paths, asked), quoted(paths) if paths else QUERIES.called)


def documents(
    source: object,
    wanted: Collection[str],
    *,
    columns: Mapping[str, str] = _NONE,
    progress: Progress | None = None,
) -> dict[str, str]:
    """What some documents say: title and text; those that are not there are left out.

    A file is read no further than to the last of them, and nothing of the others is kept; where an id is there twice,
    its first text counts.

    Args:
        source: as for `queries`; rows and frames are those of documents.
        wanted: the ids of the documents.
        columns: which column holds what, `{"document": "nr", "title": "head", "text": "words"}`.
        progress: told how far a file is read.

    Raises:
        InputError: where anything is wrong with what is read.
        UsageError: `unknown-setting`.

    >>> documents({"d1": "red shoes", "d2": "boots"}, ["d2", "d3"])
    {'d2': 'boots'}
    """
    if isinstance(wanted, str):
        raise InputError("input-type", f"wanted={wanted!r} is a text", remedy=f"give a list of ids: [{wanted!r}]")
    asked = Asked(DOCUMENTS, DOCUMENTS.checked(columns), frozenset(wanted))
    found: dict[str, str] = {}
    left = set(wanted)
    rows = _rows(source, _paths(source), asked, progress) if left else iter(())
    for row in rows:
        if row.id in left:
            found[row.id] = row.text
            left.remove(row.id)
            if not left:
                break
    return found


def _paths(source: object) -> list[str | PathLike[str]]:
    """The paths that this is; none where it is something else."""
    if is_path(source):
        return [source]
    several = source if isinstance(source, list | tuple) else []
    return [path for path in several if is_path(path)] if all(map(is_path, several)) else []


def _rows(
    source: object, paths: list[str | PathLike[str]], asked: Asked, progress: Progress | None = None
) -> Iterator[Row]:
    if not paths:
        from rankworth.io.metadata import python_objects  # noqa: PLC0415 - files need none of it

        yield from python_objects.rows(source, asked)
    for path in paths:
        for file in _files(fsdecode(path), asked.kind):
            yield from _of_file(file, replace(asked, _known={}), progress)


def _files(path: str, kind: Kind) -> tuple[Source, ...]:
    """The files that a path stands for: in a folder of BEIR's the one that holds such texts.

    Raises:
        InputError: `missing-file`, `is-directory`, `unreadable-file`.

    """
    folder = Path(path)
    try:
        inside = sorted(folder.iterdir()) if path != STDIN and folder.is_dir() else []
    except (OSError, ValueError):
        inside = []
    named = [file for file in inside if file.name == kind.file or file.name.startswith(f"{kind.file}.")]
    if named:
        return (Source(named[0]),)
    if any(file.name == "qrels" for file in inside):
        text = f"{quoted([path])}: there is no {kind.file} in this folder"
        raise InputError("missing-file", text, remedy=f"it holds {quoted([file.name for file in inside], 8)}")
    return opened(path, QRELS, Reading())


def _of_file(source: Source, asked: Asked, progress: Progress | None = None) -> Iterator[Row]:
    """The rows of a file that somebody wants, in its order; before and after a look whether it is still what it was.

    Raises:
        InputError: with what is wrong with the file.

    """
    source.check()
    head = source.head(formats.HEAD)
    form = next((form for magic, form in formats.MAGIC.items() if head.startswith(magic)), "")
    text = head.removeprefix(MARK).lstrip()
    if form in ("parquet", "arrow"):
        from rankworth.io.metadata import python_objects  # noqa: PLC0415 - text needs no dataframe library

        yield from python_objects.of_columns(source, form, asked, progress)
    elif text[:1] in (b"{", b"["):
        kind, _ = formats.json_form(
            text,
            lambda row: files.is_row(list(row), asked),
            lambda key: files.is_row([key], asked),
            whole=len(head) < formats.HEAD,
        )
        yield from (files.json_lines if kind == "jsonl" else files.json_document)(source, asked, progress)
    elif asked.kind is QUERIES and text[:1] == b"<":
        yield from files.topics(source, asked)
    else:
        yield from files.delimited(source, asked, progress)
    source.check()

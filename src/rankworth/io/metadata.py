"""Texts and further columns of queries, and texts of documents, from files and from Python.

Files are tables with delimiters (or lines of an id, a tab and a text), JSON, Parquet, Arrow, and topics of TREC.
Below a header, cells may be quoted; in files without one, as TREC and MS MARCO have them, a quote is a quote.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from os import PathLike, fsdecode
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from rankworth.errors import InputError, UsageError, quoted, shortened
from rankworth.io import delimited, detect, json_text, lines, records, topics, validate
from rankworth.io.columns import nearest
from rankworth.io.delimited import SIGNS, TAB
from rankworth.io.lines import MARK, QRELS, refuse_binary
from rankworth.io.queries import QueryTable, Value, typed
from rankworth.io.reading import Reading, is_path
from rankworth.io.source import STDIN, Progress, Source, opened
from rankworth.io.validate import shown

__all__ = ["QueryTable", "Value", "documents", "queries"]

_LATIN1: Final = "if the text is Windows-1252 or Latin-1: iconv -f WINDOWS-1252 -t UTF-8 FILE > utf8.txt"
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_KEY: Final = "(key)"
"""the column of ids under which a dict has its rows"""
_ENDS: Final = tuple(".:!?\u2026\u3002\uff1a\uff01\uff1f\u061f\u06d4")
"""what ends a title: dots, colons, exclamation and question marks, also of Chinese, Japanese, Arabic and Urdu"""

Cells = Mapping[Any, Any] | Sequence[Any]
"""What stands in a row: by the names of columns, or one after the other where columns have no names."""
Numbered = Iterable[tuple[Any, Cells]]
"""Rows with their numbers, or the keys under which they stand."""
Groups = tuple[tuple[str, ...], ...]
"""Names of columns: those of the first group that is there count, and there only one of them may be."""
Chosen = dict[str, Any]
"""Which column holds the id, the text and the title; None where none does."""


def queries(source: object, *, columns: Mapping[str, str] = _NONE) -> QueryTable:
    """What queries say, and what else is known of them.

    Args:
        source: a path (a pattern, a folder of BEIR's, `-`) or a list of paths; or what a program has: a dict
            `{id: text}` or `{id: {"text": ..., "language": ...}}`, rows, a frame; or a table that was read before.
        columns: which column holds what where its name does not tell, `{"query": "nr", "text": "words"}`; a number
            counts columns from 1 where there is no header.

    Raises:
        InputError: where anything is wrong with it; `input-type` where a query is there twice and not alike.
        UsageError: `unknown-setting`.

    >>> table = queries([{"qid": "q1", "query": "red shoes", "traffic": 120}, {"qid": "q2", "query": "boots"}])
    >>> table.texts
    {'q1': 'red shoes', 'q2': 'boots'}
    >>> table.columns
    {'traffic': (120, None)}
    """
    if isinstance(source, QueryTable):
        return source
    paths = _paths(source)
    held: dict[str, Row] = {}
    for row in _rows(source, paths, QUERIES, QUERIES.checked(columns)):
        first = held.setdefault(row.id, row)
        if (first.text, first.more) != (row.text, row.more):
            raise _unlike(first, row)
    names = dict.fromkeys(name for row in held.values() for name in row.more)
    more = {name: typed([row.more.get(name) for row in held.values()]) for name in names}
    return QueryTable(
        {query: row.text for query, row in held.items()}, more, quoted(paths) if paths else QUERIES.called
    )


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
    columns = DOCUMENTS.checked(columns)
    found: dict[str, str] = {}
    left = set(wanted)
    for row in _rows(source, _paths(source), DOCUMENTS, columns, frozenset(wanted), progress) if left else ():
        if row.id in left:
            found[row.id] = row.text
            left.remove(row.id)
            if not left:
                break
    return found


@dataclass(frozen=True)
class Kind:
    """Tables of queries or of documents.

    Attributes:
        what: `query` or `document`, which is also what the column of ids is called in options.
        usual: how columns of ids, of texts, and of titles that belong to the texts, are called.
        unnamed_columns: what the columns of files without a header are, by how many there are.
        file: what the file is called in a folder of BEIR's.
        method: what data sets of ir_datasets call their rows.
        called: what messages call a table that has no name.

    """

    what: str
    usual: Mapping[str, Groups]
    unnamed_columns: Mapping[int, tuple[str, ...]]
    file: str
    method: str
    called: str

    @cached_property
    def ids(self) -> frozenset[str]:
        """The usual names of columns of ids."""
        return frozenset(chain(*self.usual[self.what]))

    @cached_property
    def names(self) -> frozenset[str]:
        """The usual names of all columns."""
        return frozenset(name for groups in self.usual.values() for name in chain(*groups))

    def checked(self, columns: Mapping[str, str]) -> dict[str, str]:
        """What a user says of columns; numbers of columns become text."""
        for role, column in columns.items():
            if role not in self.usual:
                raise UsageError("unknown-setting", f"columns: {role} is not one of {' '.join(self.usual)}")
            if not isinstance(column, str | int) or column == "":
                raise UsageError("unknown-setting", f"columns: {role}={column!r} is not the name of a column")
        return {role: str(column) for role, column in columns.items()}

    def is_header(self, cells: Iterable[str], columns: Mapping[str, str]) -> bool:
        """Whether these are names of columns: one that is no word, or several that could be a text as well."""
        if named := [name for name in columns.values() if not name.isdecimal()]:
            return not set(named).isdisjoint(cells)
        names = [cell.lower() for cell in cells]
        ids = self.ids.intersection(names)
        sure = any(not name.isalpha() or name in ("qid", "docno", "pid") for name in ids)
        return bool(ids) and (sure or names[0] in self.names or sum(name in self.names for name in names) > 1)

    def choose(self, names: Sequence[Any], columns: Mapping[str, str], where: str) -> Chosen:
        """Which of some columns holds what; what the user says goes before the usual names."""
        listed = f"the columns are {quoted(names, 8)}" if names else "there are no columns"
        chosen: Chosen = {}
        for role, groups in self.usual.items():
            free = [name for name in names if name not in chosen.values() and str(name) not in columns.values()]
            fitting = ([name for name in free if str(name).lower() in group] for group in groups)
            found = next(filter(None, fitting), [])
            if role in columns:
                found = [name for name in names if str(name) == columns[role]]
            if len(found) > 1:
                text = f"{where}: {quoted(found)} could all be the {role} column; {listed}"
                remedy = f"keep one of them, or say which it is: {_option(role, str(found[0]))}"
                raise InputError("frame-columns", text, remedy=remedy)
            if not found and (role == self.what or role in columns or (role == "title" and chosen["text"] is None)):
                what = role if role in columns else self.what if role == self.what else "text"
                near = nearest(columns.get(what) or list(chain(*self.usual[what])), names)
                text = f"{where}: there is no {what} column {columns.get(what, '')}".rstrip()
                remedy = f"did you mean {_option(what, near)}?" if near else f"say which it is: {_option(what, 'NAME')}"
                raise InputError("frame-columns", f"{text}; {listed}", remedy=remedy)
            chosen[role] = found[0] if found else None
        return chosen

    def unnamed(self, cells: Sequence[Any], columns: Mapping[str, str], where: str) -> tuple[str, ...]:
        """The names of columns without a header: the usual ones, or numbers where the user counts columns."""
        if not columns and len(cells) in self.unnamed_columns:
            return self.unnamed_columns[len(cells)]
        if not columns or not all(name.isdecimal() for name in columns.values()):
            text = f"{where}: nothing tells what the {len(cells)} cells of a row are: {shown(cells)}"
            remedy = f"put a header above, such as {self.what}_id,text, or give dicts with names; or count columns: "
            remedy += f"--columns {self.what}=1 text=2, in Python columns={{{self.what!r}: 1, 'text': 2}}"
            raise InputError("frame-columns", text, remedy=remedy)
        return tuple(map(str, range(1, len(cells) + 1)))


def _option(role: str, name: str) -> str:
    return f"--columns {role}={quoted([name])}, in Python columns={{{role!r}: {name!r}}}"


_IDS: Final = ("id", "_id", "id_")
_QUERY_TEXTS: Final = ("query text", "query_text")
QUERIES: Final = Kind(
    what="query",
    usual={
        "query": (
            (
                *("query_id", "query-id", "queryid", "q_id", "qid", "query_number"),
                *("topic_id", "topic-id", "topicid", "topic_number"),
            ),
            (*_IDS, "number", "num"),
            *(("topic",), ("query",), ("user_id", "userid", "user"), _QUERY_TEXTS),
        ),
        "text": (
            *(("text", "querytext", *_QUERY_TEXTS), ("query",), ("question",), ("title",), ("topic",)),
            ("contents", "content", "body", "utterance", "description"),
        ),
    },
    unnamed_columns={2: ("query", "text")},
    file="queries.jsonl",
    method="queries_iter",
    called="the queries",
)
DOCUMENTS: Final = Kind(
    what="document",
    usual={
        "document": (
            ("docno",),
            (
                *("doc_id", "doc-id", "doc id", "docid", "document_id", "corpus-id", "corpus_id", "item_id", "itemid"),
                *("pid", "passage_id", "passage-id"),
            ),
            *(_IDS, ("document",), ("item",)),
        ),
        "text": (
            ("text", "document_text", "doc_text", "passage_text"),
            ("contents", "content", "body", "passage", "segment"),
            *(("document",), ("item",), ("abstract",)),
        ),
        "title": (("title",), ("headline",)),
    },
    unnamed_columns={2: ("document", "text"), 4: ("document", "url", "title", "text")},
    file="corpus.jsonl",
    method="docs_iter",
    called="the documents",
)


class Row(NamedTuple):
    """A query or a document."""

    id: str
    text: str
    more: dict[str, Value]
    """what else is known of a query"""
    where: str


class _Reader:
    """Makes rows of the cells of one table, all or those that are wanted."""

    def __init__(self, kind: Kind, columns: Mapping[str, str], wanted: frozenset[str] | None = None) -> None:
        self.kind = kind
        self.columns = columns
        self.wanted = wanted
        self._known: dict[tuple[Any, ...], Chosen] = {}

    def is_row(self, keys: Iterable[str]) -> bool:
        """Whether these are the keys of a row rather than ids; or the first of them."""
        names = list(keys)
        return bool(names) and self.kind.is_header(names, self.columns)

    def chosen(self, names: tuple[Any, ...], where: str) -> Chosen:
        """Which column holds what; a name that the user says must be in the first row, and may be missing later."""
        if names not in self._known:
            columns = self.columns
            if self._known:
                there = {*map(str, names)}
                columns = {role: name for role, name in columns.items() if name in there or role == self.kind.what}
            self._known[names] = self.kind.choose(names, columns, where)
        return self._known[names]

    def rows(self, numbered: Numbered, called: str) -> Iterator[Row]:
        """The rows that are wanted; messages call the table so, up to the number of a row."""
        number = None
        for number, cells in numbered:
            where = f"{called}{number}"
            if isinstance(cells, list | tuple):
                names = self.kind.unnamed(cells, self.columns, where)
                cells = dict(zip(names, cells, strict=True))  # noqa: PLW2901 - columns get their names
            if not isinstance(cells, Mapping):
                remedy = f'a row is an object, {{"{self.kind.what}_id": "a", "text": "red shoes"}}'
                raise InputError("input-type", f"{where} is {shown(cells)}, not a row", remedy=remedy)
            names = tuple(cells)
            chosen = self._known.get(names) or self.chosen(names, where)
            held = cells[chosen[self.kind.what]]
            if self.wanted is None or (held is not None and str(held) in self.wanted):
                yield self._row(held, chosen, cells, where)
        if number is None and self.wanted is None:
            name = called.rpartition(":")[0] or called
            raise InputError("empty-input", f"{name}: there is nothing in it, not one {self.kind.what}")

    def entries(self, held: Mapping[Any, Any], name: str) -> Iterator[Row]:
        """Rows that stand under their ids: texts, or what else is known beside them."""
        by_key = _Reader(self.kind, {**self.columns, self.kind.what: _KEY}, self.wanted)
        text = self.columns.get("text", "text")

        def cells(key: object) -> Cells:
            item = _fields(held[key])
            if not isinstance(item, Mapping):
                return {_KEY: key, text: item}
            again = [name for name in item if str(name).lower() in self.kind.ids and str(item[name]) == str(key)]
            return {_KEY: key, **{name: item[name] for name in item if name not in again}}

        keys = [key for key in held if self.wanted is None or str(key) in self.wanted]
        return by_key.rows(((quoted([key]), cells(key)) for key in keys), f"{name}: {self.kind.what} ")

    def _row(self, held: Any, chosen: Chosen, cells: Mapping[Any, Any], where: str) -> Row:  # noqa: ANN401 - an id
        """A row that is wanted."""
        if held is None or held == "":
            text = f"{where}: there is no {self.kind.what}"
            raise InputError("missing-value", text, remedy="drop or fill such rows")
        row = held if type(held) is str else validate.text_ids([held], lambda _: f"{where}: the {self.kind.what}")[0]
        text = _text_of(cells.get(chosen["text"]), where)
        more: dict[str, Value] = {}
        if self.kind is DOCUMENTS:
            text = _titled(_text_of(cells.get(chosen["title"]), where), text)
        else:
            inner = cells.get("metadata")  # where BEIR keeps what else is known of a query
            further = {**inner, **cells} if isinstance(inner, Mapping) else cells
            used = (*chosen.values(), "")
            more = {
                str(key): _value_of(item) for key, item in further.items() if key not in used and not _is_nested(item)
            }
        for each in (row, text, *more.values()):
            if isinstance(each, str) and _HALF.search(each):
                problem = f"{where}: this is not UTF-8: half of a character or an odd byte stands in {shown(each)}"
                raise InputError("wrong-encoding", problem, remedy=_LATIN1)
        return Row(row, text, more, where)


_HALF: Final = re.compile("[\ud800-\udfff]")


def _is_nested(held: object) -> bool:
    """Whether this is neither text nor a number: a list, an object, bytes."""
    return isinstance(held, Mapping | list | tuple | set | frozenset | bytes | bytearray | np.ndarray)


def _value_of(held: Any) -> Value:  # noqa: ANN401 - whatever stands there
    """A cell as text or a number; None where there is nothing."""
    value = held.item() if isinstance(held, np.generic) else held
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int | float) else str(value)


def _text_of(held: Any, where: str) -> str:  # noqa: ANN401 - whatever stands there
    """What a query or a document says; an empty text where nothing is there."""
    if _is_nested(held):
        text = f"{where}: the text is {shown(held)}, not a text"
        raise InputError("input-type", text, remedy="give one text for each id")
    value = _value_of(held)
    return "" if value is None else str(value)


def _titled(title: str, text: str) -> str:
    """A text with its title before it, unless it begins with that."""
    bare = title.strip()
    if not bare or text.lstrip().startswith(bare):
        return text
    return f"{bare}{'' if bare.endswith(_ENDS) else ':'} {text}" if text else title


def _unlike(first: Row, row: Row) -> InputError:
    """The error for a query that is there twice, with two texts or with two values of a column."""
    one, other = ({"text": each.text, **each.more} for each in (first, row))
    what = next(name for name in one | other if one.get(name) != other.get(name))
    both = " and ".join(quoted([each.get(what)]) for each in (one, other))
    text = f"{row.where}: query {quoted([row.id])} is there again with another {quoted([what])}"
    return InputError("input-type", f"{text} (first: {first.where}): {both}", remedy="keep one row for each query")


def _paths(source: object) -> list[str | PathLike[str]]:
    """The paths that this is; none where it is something else."""
    paths = [source] if is_path(source) else source if isinstance(source, list | tuple) else []
    return list(paths) if all(map(is_path, paths)) else []


def _rows(
    source: object,
    paths: list[str | PathLike[str]],
    kind: Kind,
    columns: Mapping[str, str],
    wanted: frozenset[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """The rows of all files, or of what a program has."""
    if not paths:
        yield from _of_object(source, _Reader(kind, columns, wanted))
    for path in paths:
        for file in _files(fsdecode(path), kind):
            file.check()
            yield from _of_file(file, _Reader(kind, columns, wanted), progress)
            file.check()


def _files(path: str, kind: Kind) -> tuple[Source, ...]:
    """The files that a path stands for: in a folder of BEIR's the one that holds such texts."""
    folder = Path(path)
    inside = sorted(folder.glob("*")) if path not in ("", STDIN) and "\0" not in path else []
    named = [file for file in inside if file.name == kind.file or file.name.startswith(f"{kind.file}.")]
    if not named and any(file.name == "qrels" for file in inside):
        text = f"{quoted([path])}: there is no {kind.file} in this folder"
        raise InputError("missing-file", text, remedy=f"it holds {quoted([file.name for file in inside], 8)}")
    return (Source(named[0]),) if named else opened(path, QRELS, Reading())


def _of_file(source: Source, reader: _Reader, progress: Progress | None) -> Iterator[Row]:
    """The rows of a file, in the format that its beginning tells."""
    head = source.head(detect.HEAD)
    form = next((form for magic, form in detect.MAGIC.items() if head.startswith(magic)), "")
    text = head.removeprefix(MARK).lstrip()
    if form in ("parquet", "arrow"):
        return reader.rows(_of_columns(source, form, reader, progress), f"{source.name}: row ")
    if text[:1] in (b"{", b"["):
        refuse_binary(source, head)
        whole = len(head) < detect.HEAD
        form, _ = detect.json_form(text, reader.is_row, lambda key: reader.is_row([key]), whole=whole)
        if form != "jsonl":
            return _of_json(source, reader, progress)
        return reader.rows(_of_json_lines(source, progress), f"{source.name}:")
    if reader.kind is QUERIES and text[:1] == b"<":
        return reader.rows(topics.read(source), f"{source.name}:")
    return reader.rows(_of_table(source, reader, progress), f"{source.name}:")


def _of_table(source: Source, reader: _Reader, progress: Progress | None) -> Numbered:
    """The rows of a table with delimiters, below a header or without one; of documents those that are wanted."""
    kind = reader.kind
    begin = delimited.begin(source, SIGNS, reader.is_row)
    if not begin.cells:
        return
    where = f"{source.name}:{begin.start[1] + 1}"
    named = reader.is_row(begin.cells)
    if not named and begin.sign != TAB:
        tabbed = delimited.begin(source, TAB, reader.is_row)
        begin = tabbed if len(tabbed.cells) > 1 or not reader.columns else begin
    columns = tuple(begin.cells) if named else kind.unnamed(begin.cells, reader.columns, where)
    if twice := [name for name in columns if name and columns.count(name) > 1]:
        text = f"{where}: {columns.count(twice[0])} columns are called {twice[0]}"
        raise InputError("frame-columns", text, remedy="rename or remove those that are not meant")
    place = columns.index(reader.chosen(columns, where)[kind.what])
    start = begin.below if named else begin.start
    most = len(columns) - 1 if kind is DOCUMENTS else -1  # texts of documents may hold tabs
    quoted_cells = named or begin.sign != TAB
    for number, row in delimited.rows(source, begin.sign, start, progress, quoted=quoted_cells, most=most):
        if not any(row) or (reader.wanted is not None and len(row) > place and row[place] not in reader.wanted):
            continue
        held = row[: len(columns)] if not any(row[len(columns) :]) else row
        if len(held) != len(columns):
            text = f"{source.name}:{number}: the first line has {len(columns)} cells, this row has {len(held)}"
            remedy = (
                f"fill such rows, or drop them; below a header, put cells in quotes that hold a {SIGNS[begin.sign]}"
            )
            raise InputError("frame-columns", f"{text}: {quoted(held, 8)}", remedy=remedy)
        if held[place] != held[place].strip(" \t"):
            text = f"{source.name}:{number}: blanks surround the {kind.what} {held[place]!r}"
            raise InputError("padded-id", text, remedy="remove the blanks")
        yield number, dict(zip(columns, held, strict=True))


def _of_json_lines(source: Source, progress: Progress | None) -> Numbered:
    """The objects of a file that has one in each line."""
    for number, line in lines.numbered(source, delimited.CHUNK, delimited.LONGEST, progress):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            value = json_text.parsed(line, source, number)
        if isinstance(value, dict):
            _check_keys(line, value, f"{source.name}:{number}")
        yield number, value if isinstance(value, dict) else str(value)


def _of_json(source: Source, reader: _Reader, progress: Progress | None) -> Iterator[Row]:
    """The rows of one JSON document: a list of objects, one object, or texts by their ids."""
    text = source.whole(progress)
    value = json_text.parsed(text, source)
    _check_keys(text, value, source.name)
    if isinstance(value, dict) and not reader.is_row(value):
        return reader.entries(value, source.name)
    return reader.rows(enumerate(value if isinstance(value, list) else [value], 1), f"{source.name}: row ")


def _check_keys(text: bytes, value: Any, where: str) -> None:  # noqa: ANN401 - of JSON
    """An object has each key once: no id stands there twice."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    members = sum(len(each) for each in (value, *inner) if isinstance(each, dict))
    if not json_text.has_each_key_once(text, value, members) and (way := json_text.repeated(text, where)):
        problem = f"{where}: the key {quoted([way[-1]])} stands twice in one object"
        raise InputError("input-type", problem, remedy="keep one of them")


def _of_columns(source: Source, form: str, reader: _Reader, progress: Progress | None) -> Numbered:
    """The rows of a Parquet or Arrow file, of documents no more than the columns and rows that are wanted."""
    import polars as pl  # noqa: PLC0415 - text needs no dataframe library

    from rankworth.io.parquet import File  # noqa: PLC0415 - as above

    file = File(source, form, progress)
    names = tuple(file.schema())
    chosen = reader.chosen(names, source.name)
    table = file.table(list(names if reader.wanted is None else filter(None, chosen.values())))
    if reader.wanted is not None:
        table = table.filter(pl.col(chosen[reader.kind.what]).cast(pl.String).is_in(list(reader.wanted)))
    frame = file.sure(lambda: table.collect(engine="streaming"))
    yield from enumerate(frame.iter_rows(named=True), 1)


def _of_object(source: Any, reader: _Reader) -> Iterator[Row]:  # noqa: ANN401 - anything
    """The rows that a program has: a dict by id or by column, rows of any kind, a frame, a data set of ir_datasets."""
    called = f"{reader.kind.called}: row "
    if isinstance(source, Mapping):
        if source and all(records.is_list(items) or records.is_array(items) for items in source.values()):
            columns = {str(key): records.plain(items) for key, items in source.items()}
            return reader.rows(_of_frame(columns, reader), called)
        return reader.entries(source, reader.kind.called)
    if callable(method := getattr(source, reader.kind.method, None)):
        source = method()
    if not isinstance(source, str | bytes | list | tuple | set | frozenset | Iterator):
        from rankworth.io import frames  # noqa: PLC0415 - rows need no dataframe library

        source = source.to_polars() if callable(getattr(source, "to_polars", None)) else source
        if frames.is_frame(source):
            return reader.rows(_of_frame(source, reader), called)
    if isinstance(source, str | bytes) or not isinstance(source, Iterable):
        text = f"{type(source).__name__} cannot be read as {reader.kind.called.removeprefix('the ')}"
        raise InputError("input-type", text, remedy="give a path, a dict {id: text}, rows (id, text), or a frame")
    return reader.rows(enumerate(map(_fields, source)), called)


def _fields(item: Any) -> Any:  # noqa: ANN401 - anything
    """What an object with attributes holds, by their names; anything else as it is."""
    if isinstance(item, Mapping | list) or records.is_scalar(item):
        return item
    if hasattr(item, "_fields"):
        return dict(zip(item._fields, item, strict=True))
    return vars(item) if hasattr(item, "__dict__") else item


def _of_frame(source: Any, reader: _Reader) -> Numbered:  # noqa: ANN401 - any frame
    """The rows of a frame of any library, of documents no more columns than are needed."""
    import narwhals as nw  # noqa: PLC0415 - rows need no dataframe library
    import polars as pl  # noqa: PLC0415 - as above

    called = reader.kind.called
    try:
        known = nw.from_native(source, pass_through=True)
        if not isinstance(known, nw.DataFrame | nw.LazyFrame):
            known = nw.from_native(pl.DataFrame(source, strict=False))
        names = tuple(known.collect_schema().names())
        needed = names if reader.wanted is None else [*filter(None, reader.chosen(names, called).values())]
        frame = known.lazy().select(*needed).collect()
        columns = [
            [None if none else item for item, none in zip(column.to_list(), column.is_null().to_list(), strict=True)]
            for column in frame.iter_columns()
        ]
    except InputError:
        raise
    except Exception as error:
        reason = shortened(" ".join(str(error).split()), 300)
        text = f"{called}: this {type(source).__name__} cannot be read as a frame ({reason})"
        raise InputError("input-type", text) from error
    return enumerate(dict(zip(needed, items, strict=True)) for items in zip(*columns, strict=True))

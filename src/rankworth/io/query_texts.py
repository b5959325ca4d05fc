"""Queries and documents: what they say, and what else is known of queries, from files and from Python.

Tables with delimiters, Parquet and Arrow are read as those of judgements and runs are. Below a header, cells
may be quoted; in files without one, as TREC and MS MARCO have them, a quote is a quote.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from os import fsdecode
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from rankworth.errors import InputError, counted, quoted
from rankworth.io import delimited, json_text, key_paths, kinds, lines, signs, topics, validate
from rankworth.io.csv_records import LONGEST
from rankworth.io.delimited import DELIMITERS, TAB
from rankworth.io.formats import has_module
from rankworth.io.layout import QRELS
from rankworth.io.lines import HEAD, MARK, refuse_binary
from rankworth.io.looks import Looks
from rankworth.io.options import Reading, checked_columns
from rankworth.io.paths import opened, paths_of
from rankworth.io.query_table import QueryTable, Value
from rankworth.io.remedies import Request, missing
from rankworth.io.resolve import location_of
from rankworth.io.source import STDIN, Progress, Source
from rankworth.io.text_lines import Record
from rankworth.io.usual_names import NONE, QUERY_TEXTS, RECORD, USUAL, Groups
from rankworth.io.validate import is_blank, shown

__all__ = ["DOCUMENTS", "QUERIES", "QueryTable", "Value", "documents", "queries"]

Cells = Mapping[Any, Any]
"""What stands in a row, by the names of columns."""
Numbered = Iterable[tuple[Any, Any]]
"""Rows with their numbers, or the keys under which they stand."""

_ROWS: Final = 1 << 14
"""how many rows of Parquet and Arrow are read at a time"""
_KEY: Final = "(key)"
"""the column of ids under which a dict has its rows"""
_ENDS: Final = tuple(".:!?\u2026\u3002\uff1a\uff01\uff1f\u061f\u06d4")
"""what ends a title: dots, colons, exclamation and question marks, also of Chinese, Japanese, Arabic and Urdu"""
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)
"""a number that no id looks like: without zeros in front of it"""


@dataclass(frozen=True)
class Kind:
    """Tables of queries or of documents.

    Attributes:
        role: `query` or `document`, which is also what the column of ids is called in options.
        usual: how columns of ids, of texts, and of titles that belong to the texts, are called.
        unnamed_columns: what the columns of files without a header are, by how many there are.
        file: what the file is called in a folder of BEIR's.
        method: what data sets of ir_datasets call their rows.
        called: what messages call a table that has no name.
        is_table: whether all columns count, lists too, and there is no text.

    """

    role: str
    usual: Mapping[str, Groups]
    unnamed_columns: Mapping[int, tuple[str, ...]]
    file: str
    method: str
    called: str
    is_table: bool = False

    @cached_property
    def ids(self) -> frozenset[str]:
        """The usual names of columns of ids."""
        return frozenset(chain(*self.usual[self.role]))

    @cached_property
    def names(self) -> frozenset[str]:
        """The usual names of all columns."""
        return frozenset(name for groups in self.usual.values() for name in chain(*groups))


_DOCUMENTS: Final = ("docno", "document", "item")
"""names of columns of documents that count before or after all others"""
QUERIES: Final = Kind(
    role="query",
    usual={
        "query": (
            (
                *("query_id", "query-id", "queryid", "q_id", "qid", "query_number"),
                *("topic_id", "topic-id", "topicid", "topic_number"),
            ),
            (*RECORD, "number", "num"),
            *(("topic",), ("query",), ("user_id", "userid", "user"), QUERY_TEXTS, *USUAL["query"][2:]),
        ),
        "text": (
            *(("text", "querytext", *QUERY_TEXTS), ("query",), USUAL["query"][-1], ("title",), ("topic",)),
            ("contents", "content", "body", "utterance", "description"),
        ),
    },
    unnamed_columns={2: ("query", "text")},
    file="queries.jsonl",
    method="queries_iter",
    called="the queries",
)
DOCUMENTS: Final = Kind(
    role="document",
    usual={
        "document": (
            ("docno",),
            (*(name for name in USUAL["document"][0] if name not in _DOCUMENTS), "doc-id", "passage_id", "passage-id"),
            *(RECORD, ("document",), ("item",), *USUAL["document"][2:]),
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


def queries(source: object, *, columns: Mapping[str, str] = NONE) -> QueryTable:
    """Read the texts of queries and their other columns.

    Args:
        source: a path (a pattern, a folder of BEIR's, `-`) or a list of paths; or what a program has: a dict
            `{id: text}` or `{id: {"text": ..., "language": ...}}`, rows, a frame; or a table that was read before.
        columns: which column holds what where its name does not tell, `{"query": "nr", "text": "words"}`; a number
            counts columns from 1 where there is no header.

    Raises:
        InputError: where anything is wrong with it; `input-type` where a query appears twice and not alike.
        UsageError: `unknown-setting`.

    >>> table = queries([{"qid": "q1", "query": "red shoes", "traffic": 120}, {"qid": "q2", "query": "boots"}])
    >>> table.texts
    {'q1': 'red shoes', 'q2': 'boots'}
    >>> table.columns
    {'traffic': (120, None)}
    """
    if isinstance(source, QueryTable):
        return source
    rows: dict[str, Row] = {}
    for row in rows_of(source, TextReader(QUERIES, columns)):
        first = rows.setdefault(row.id, row)
        if (first.text, first.more) != (row.text, row.more):
            text = f"{row.where}: query {quoted([row.id])} is there again with another text or another column"
            raise InputError("input-type", f"{text} (first: {first.where})", remedy="keep one row for each query")
    names = dict.fromkeys(name for row in rows.values() for name in row.more)
    more = {name: _typed([row.more.get(name) for row in rows.values()]) for name in names}
    name = quoted(paths) if (paths := paths_of(source)) else QUERIES.called
    orders = {} if paths or isinstance(source, Mapping | list | tuple) else _categories(source)
    return QueryTable({query: row.text for query, row in rows.items()}, more, name, orders)


def _categories(source: object) -> dict[str, tuple[str, ...]]:
    """Return the order of the values of each column that has one."""
    from rankworth.io import frames  # noqa: PLC0415 - not needed for files

    return frames.categories(source)


def documents(
    source: object,
    wanted: Collection[str],
    *,
    columns: Mapping[str, str] = NONE,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Read the title and text of some documents; leave out those that do not exist.

    A file is read no further than to the last of them, and nothing of the others is kept; where an id appears twice,
    its first text counts.

    Args:
        source: as for `queries`; rows and frames are those of documents.
        wanted: the ids of the documents.
        columns: which column holds what, `{"document": "nr", "title": "head", "text": "words"}`.
        progress: called with how far a file is read.

    Raises:
        InputError: where anything is wrong with what is read.
        UsageError: `unknown-setting`.

    >>> documents({"d1": "red shoes", "d2": "boots"}, ["d2", "d3"])
    {'d2': 'boots'}
    """
    if isinstance(wanted, str):
        raise InputError("input-type", f"wanted={wanted!r} is a text", remedy=f"give a list of ids: [{wanted!r}]")
    reader = TextReader(DOCUMENTS, columns, frozenset(wanted))
    texts: dict[str, str] = {}
    for row in rows_of(source, reader, progress) if wanted else ():
        texts.setdefault(row.id, row.text)
        if len(texts) == len(reader.wanted or ()):
            break
    return texts


def check_documents(source: object) -> None:
    """Read the first document of each file, to refuse a wrong file before a long computation.

    Raises:
        InputError: where anything is wrong with it.

    """
    next(rows_of(source, TextReader(DOCUMENTS, NONE)), None)


def _typed(values: Sequence[Value]) -> tuple[Value, ...]:
    """Convert a column to numbers if all values are numbers or texts of numbers, otherwise to text."""
    numbers = [_number(value) for value in values]
    if any(number is None and value is not None for number, value in zip(numbers, values, strict=True)):
        return tuple(None if value is None else str(value) for value in values)
    if all(number is None or isinstance(number, int) for number in numbers):
        return tuple(numbers)
    return tuple(None if number is None else float(number) for number in numbers)


def _number(value: Value) -> int | float | None:
    """Return a value as a number; None where it is none."""
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = int(value) if value.removeprefix("-").isdigit() else float(value)
        return value if math.isfinite(value) else None
    return value


class Row(NamedTuple):
    """A query or a document."""

    id: str
    text: str
    more: dict[str, Any]
    """what else is known of a query or an item"""
    where: str


class TextReader:
    """Makes rows of the cells of one source, all or those that are wanted."""

    def __init__(self, kind: Kind, columns: Mapping[str, str], wanted: frozenset[str] | None = None) -> None:
        self.kind = kind
        self.columns = checked_columns(columns, tuple(kind.usual))
        self.wanted = wanted
        self._chosen: dict[tuple[Any, ...], dict[str, Any]] = {}

    def is_header(self, cells: Iterable[str]) -> bool:
        """Return whether these are names of columns: one that is no word, or several that could be a text as well."""
        names = list(cells)
        if named := [name for name in self.columns.values() if not name.isdecimal()]:
            return not set(named).isdisjoint(names)
        are_known = [name.lower() in self.kind.names for name in names]
        ids = self.kind.ids.intersection(map(str.lower, names))
        sure = any(not name.isalpha() or name in ("qid", "docno", "pid") for name in ids)
        return bool(ids) and (sure or are_known[0] or sum(are_known) > 1)

    def unnamed(self, cells: Sequence[Any], where: str) -> tuple[str, ...]:
        """Name columns without a header: by the usual names, or by number where the user counts columns."""
        usual = () if self.columns else self.kind.unnamed_columns.get(len(cells), ())
        if not usual and (not self.columns or not all(name.isdecimal() for name in self.columns.values())):
            expected = "an id and its properties" if self.kind.is_table else "an id and a text"
            columns = counted(len(cells), "column", "columns")
            text = f"{where}: rows have {columns}; {expected} are expected: {shown(cells)}"
            if self.kind.is_table:
                remedy = "put a header above, with commas or tabs, such as item_id,genre, or give dicts with names"
                raise InputError("frame-columns", text, remedy=remedy)
            remedy = f"put a header above, such as {self.kind.role}_id,text, or give dicts with names"
            if len(cells) > 1:
                counts = f"--columns {self.kind.role}=1 text=2, in Python columns={{{self.kind.role!r}: 1, 'text': 2}}"
                remedy = f"{remedy}; or count: {counts}"
            raise InputError("frame-columns", text, remedy=remedy)
        return usual or tuple(map(str, range(1, len(cells) + 1)))

    def chosen(self, names: tuple[Any, ...], where: str) -> dict[str, Any]:
        """Choose the column of each role; a name that the user says must be in the first row, but not in later ones."""
        if names not in self._chosen:
            existing, columns = {*map(str, names)}, self.columns
            if self._chosen:
                columns = {role: name for role, name in columns.items() if name in existing or role == self.kind.role}
            request = Request("", Looks(where, names, first=1), columns, self.kind.usual)
            chosen: dict[str, Any] = {}
            for role in self.kind.usual:
                place = location_of(request, role, [name for name in chosen.values() if name is not None])
                if place is None and (role in columns or role == self.kind.role):
                    raise missing(request, role)
                if place is not None and place.way != "column":
                    raise missing(request, role, why=f"{quoted([place.called])} is no single column; ")
                chosen[role] = None if place is None else place.columns[0]
            if self.kind is DOCUMENTS and chosen["title"] is chosen["text"] is None:
                raise missing(request, "text")
            self._chosen[names] = chosen
        return self._chosen[names]

    def needed(self, names: Sequence[Any], chosen: Mapping[str, Any]) -> list[Any]:
        """Choose the columns to read: of queries all that have a name."""
        return list(filter(None, names if self.wanted is None else chosen.values()))

    def rows(self, numbered: Numbered, called: str) -> Iterator[Row]:
        """Yield the rows that are wanted; messages call the source so, up to the number of a row."""
        number = None
        for number, item in numbered:
            where, cells = f"{called}{number}", item
            if isinstance(cells, list | tuple):
                cells = dict(zip(self.unnamed(cells, where), cells, strict=True))
            if not isinstance(cells, Mapping):
                remedy = f'a row is an object, {{"{self.kind.role}_id": "a", "text": "red shoes"}}'
                raise InputError("input-type", f"{where} is {shown(cells)}, not a row", remedy=remedy)
            chosen = self.chosen(tuple(cells), where)
            id_ = cells[chosen[self.kind.role]]
            if self.wanted is None or (id_ is not None and str(id_) in self.wanted):
                yield self._row(id_, chosen, cells, where)
        if number is None and self.wanted is None:
            name = called.rpartition(":")[0] or called
            raise InputError("empty-input", f"{name}: it is empty")

    def entries(self, entries: Mapping[Any, Any], name: str) -> Iterator[Row]:
        """Yield the rows that stand under their ids: texts, or what else is known beside them."""
        role = self.kind.role
        by_key = type(self)(self.kind, {**self.columns, role: _KEY}, self.wanted)
        keys = [key for key in entries if self.wanted is None or str(key) in self.wanted]
        is_text = "text" in self.columns and not any(isinstance(_fields(entries[key]), Mapping) for key in keys)
        if unused := {key: name for key, name in self.columns.items() if key == role or (is_text and key == "text")}:
            said = " ".join(f"{key}={column}" for key, column in unused.items())
            text = f"{name}: the keys are ids, such as {quoted(list(entries)[:3])}, and {said} is named"
            raise InputError("frame-columns", text, remedy="leave it out; columns are those of rows")

        def cells(key: object) -> Cells:
            item = _fields(entries[key])
            if not isinstance(item, Mapping):
                return {_KEY: key, "text": item}
            again = [name for name in item if str(name).lower() in self.kind.ids and str(item[name]) == str(key)]
            return {_KEY: key, **{name: item[name] for name in item if name not in again}}

        return by_key.rows(((quoted([key]), cells(key)) for key in keys), f"{name}: {self.kind.role} ")

    def id_of(self, id_: Any, where: str) -> str:  # noqa: ANN401 - an id
        """Return an id as text.

        Raises:
            InputError: `missing-value`, `id-type`.

        """
        if id_ is None or id_ == "":
            text = f"{where}: there is no {self.kind.role}"
            raise InputError("missing-value", text, remedy="drop or fill such rows")
        return id_ if type(id_) is str else validate.text_ids([id_], lambda _: f"{where}: the {self.kind.role}")[0]

    def _row(self, id_: Any, chosen: Mapping[str, Any], cells: Cells, where: str) -> Row:  # noqa: ANN401 - an id
        """Build the row of an id: its text and, for a query, the further columns."""
        row = self.id_of(id_, where)
        text = _text_of(cells.get(chosen["text"]), where)
        more: dict[str, Any] = {}
        if self.kind is DOCUMENTS:
            text = _titled(_text_of(cells.get(chosen["title"]), where), text)
        else:
            inner = cells.get("metadata")  # where BEIR keeps what else is known of a query
            further = {**inner, **cells} if isinstance(inner, Mapping) else cells
            names = [key for key, item in further.items() if key and key not in chosen.values() and not is_nested(item)]
            more = {str(key): value_of(further[key]) for key in names}
        validate.refuse_halves((row, text, *more.values()), where, self.kind.role)
        return Row(row, text, more, where)


def is_nested(item: object) -> bool:
    """Return whether this is neither text nor a number: a list, an object, bytes."""
    return isinstance(item, Mapping | list | tuple | set | frozenset | bytes | bytearray | np.ndarray)


def value_of(item: Any) -> Value:  # noqa: ANN401 - whatever stands there
    """Return a cell as text or a number; None where there is nothing."""
    value = item.item() if isinstance(item, np.generic) else item
    if is_blank(value) or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int | float) else str(value)


def _text_of(item: Any, where: str) -> str:  # noqa: ANN401 - whatever stands there
    """Return the text of a query or a document; an empty text where there is none."""
    if is_nested(item):
        text = f"{where}: the text is {shown(item)}, not a text"
        raise InputError("input-type", text, remedy="give one text for each id")
    value = value_of(item)
    return "" if value is None else str(value)


def _titled(title: str, text: str) -> str:
    """Put a title before its text, unless the text begins with it."""
    bare = title.strip()
    if not bare or text.lstrip().startswith(bare):
        return text
    return f"{bare}{'' if bare.endswith(_ENDS) else ':'} {text}" if text else title


# Files


def rows_of(source: object, reader: TextReader, progress: Progress | None = None) -> Iterator[Row]:
    """Yield the rows of all files, or of an object."""
    paths = paths_of(source)
    if not paths:
        yield from _of_object(source, reader)
    for path in paths:
        for file in _files(fsdecode(path), reader.kind):
            file.check()
            file.progress = progress
            yield from _of_file(file, type(reader)(reader.kind, reader.columns, reader.wanted))
            file.check()


def _files(path: str, kind: Kind) -> tuple[Source, ...]:
    """Return the files that a path stands for: in a folder of BEIR's the one that holds such texts."""
    folder = Path(path)
    inside = sorted(folder.glob("*")) if path not in ("", STDIN) and "\0" not in path else []
    named = [file for file in inside if file.name == kind.file or file.name.startswith(f"{kind.file}.")]
    if not named and any(file.name == "qrels" for file in inside):
        text = f"{quoted([path])}: there is no {kind.file} in this folder"
        raise InputError("missing-file", text, remedy=f"it holds {quoted([file.name for file in inside], 8)}")
    return (Source(named[0]),) if named else opened(path, QRELS, Reading())


def _of_file(source: Source, reader: TextReader) -> Iterator[Row]:
    """Read the rows of a file, in the format that its beginning tells."""
    head = source.head(HEAD)
    form = next((form for magic, form in signs.MAGIC.items() if head.startswith(magic)), "")
    text = head.removeprefix(MARK).lstrip()
    if has_module(form, "parquet"):
        return reader.rows(_of_columns(source, form, reader), f"{source.name}: row ")
    if text[:1] in (b"{", b"["):
        refuse_binary(source, head)
        whole = len(head) < HEAD
        form, _ = signs.json_form(text, reader.is_header, lambda key: reader.is_header([key]), whole=whole)
        if form != "jsonl":
            return _of_json(source, reader)
        return reader.rows(_of_json_lines(source), f"{source.name}:")
    if reader.kind is QUERIES and text[:1] == b"<":
        return reader.rows(topics.read(source), f"{source.name}:")
    return reader.rows(_of_table(source, reader), f"{source.name}: row ")


class _TextRecords(delimited.TableRecords):
    """Records of texts, in which tabs are rare and quotes are not: between tabs, one that closes no cell is a quote.

    Attributes:
        wanted: the cell of ids, and which of them count; records of all others are not looked at.

    """

    wanted: tuple[int, Collection[str]] | None = None

    def adapted(self, record: Record) -> Record | None:
        """Return a record; None where it is not wanted."""
        if self.wanted is not None:
            cell, ids = self.wanted
            if len(record.cells) > cell and record.cells[cell] not in ids:
                return None
        return super().adapted(record._replace(problem=None) if self.separator == TAB else record)


def _of_table(source: Source, reader: TextReader) -> Numbered:
    """Yield the rows of a table with delimiters, below a header or without one; of documents those that are wanted."""
    begun = delimited.begin(source, DELIMITERS, reader.is_header)
    if not begun.cells:
        return
    where = f"{source.name}:{begun.start[1] + 1}"
    named = reader.is_header(begun.cells)
    if not named and begun.delimiter != TAB:
        tabbed = delimited.begin(source, TAB, reader.is_header)
        begun = tabbed if len(tabbed.cells) > 1 or not reader.columns else begun
    names = tuple(begun.cells) if named else reader.unnamed(begun.cells, where)
    if twice := [name for name in names if name and names.count(name) > 1]:
        text = f"{where}: {names.count(twice[0])} columns are called {twice[0]}"
        raise InputError("frame-columns", text, remedy="rename or remove those that are not meant")
    chosen = reader.chosen(names, where)
    id_ = chosen[reader.kind.role]
    cells = {name: names.index(name) for name in reader.needed(names, chosen)}
    has = f"the first line has {len(names)} cells"
    has_quotes = named or begun.delimiter != TAB
    table = _TextRecords(source, begun.delimiter, cells, len(names), [id_], has_quotes=has_quotes, has=has)
    if reader.wanted is not None:
        table.wanted, table.most = (cells[id_], reader.wanted), len(names) - 1  # texts of documents may hold tabs
    yield from _numbered(table.read(begun.below if named else begun.start), id_, reader.wanted)


def _numbered(frames: Iterable[pl.DataFrame], id_: str, wanted: Collection[str] | None) -> Numbered:
    """Yield the rows of frames with their numbers from 1; all or those of some ids."""
    first = 1
    for frame in frames:
        rows = frame.with_row_index(_KEY, first)
        first += frame.height
        if wanted is not None:
            rows = rows.filter(pl.col(id_).cast(pl.String).is_in(list(wanted)))
        for row in rows.iter_rows(named=True):
            yield row.pop(_KEY), row


def _of_json_lines(source: Source) -> Numbered:
    """Yield the objects of a file that has one in each line, with the number of the line."""
    for number, line in lines.numbered(source, delimited.CHUNK, LONGEST):
        value = json_text.parsed(line, source, number)
        if isinstance(value, dict):
            json_text.check_keys(line, value, f"{source.name}:{number}", "input-type")
        yield number, value if isinstance(value, dict) else str(value)


def _of_json(source: Source, reader: TextReader) -> Iterator[Row]:
    """Read the rows of one JSON document: a list of objects, one object, or texts by their ids."""
    text = source.whole()
    value = json_text.parsed(text, source)
    json_text.check_keys(text, value, source.name, "input-type")
    if isinstance(value, dict) and not reader.is_header(value):
        return reader.entries(value, source.name)
    return reader.rows(enumerate(value if isinstance(value, list) else [value], 1), f"{source.name}: row ")


def _of_columns(source: Source, form: str, reader: TextReader) -> Numbered:
    """Read the rows of a Parquet or Arrow file, of documents no more than the columns and rows that are wanted."""
    from rankworth.io.parquet import File  # noqa: PLC0415 - text needs no dataframe library

    file = File(source, form)
    names = tuple(file.schema())
    chosen = reader.chosen(names, source.name)
    table = file.table(reader.needed(names, chosen))
    return _numbered(file.slices(table, _ROWS, has_lists=True), chosen[reader.kind.role], reader.wanted)


# What programs have


def _of_object(source: Any, reader: TextReader) -> Iterator[Row]:  # noqa: ANN401 - anything
    """Read the rows of an object: a dict by id or by column, rows of any kind, a frame, a data set of ir_datasets."""
    called = f"{reader.kind.called}: row "
    if isinstance(source, Mapping):
        if source and all(kinds.is_list(items) or kinds.is_array(items) for items in source.values()):
            columns = {str(key): kinds.plain(items) for key, items in source.items()}
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
    """Return the attributes of an object by their names; anything else as it is."""
    if isinstance(item, Mapping | list) or type(item) is tuple or kinds.is_scalar(item):
        return item
    return key_paths.fields_of(item, {}) or item


def _of_frame(source: Any, reader: TextReader) -> Numbered:  # noqa: ANN401 - any frame
    """Read the rows of a frame of any library, of documents no more columns than are needed."""
    import narwhals as nw  # noqa: PLC0415 - rows need no dataframe library

    from rankworth.io import frames  # noqa: PLC0415 - as above

    with frames.readable(source, reader.kind.called):
        frame = nw.from_native(source, pass_through=True)
        if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
            frame = nw.from_native(pl.DataFrame(source, strict=False))
        names = tuple(frame.collect_schema().names())
        needed = reader.needed(names, reader.chosen(names, reader.kind.called))
        return enumerate(frame.lazy().select(*needed).collect().iter_rows(named=True))

"""Rows of queries and documents: which column holds the id, the title and the text, and what a row says."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io import validate
from rankworth.io.columns import RECORD, SPELLINGS
from rankworth.io.validate import shown

Tiers = tuple[tuple[str, ...], ...]
"""Names of columns: those of the first group that is there count, and there only one of them may be."""

_TEXTS: Final = ("query text", "query_text")
_USERS: Final = ("user_id", "userid", "user")
_MAY_BE_TEXT: Final = {"query", "topic", "document", "item", *_TEXTS, *_USERS}


class Names(NamedTuple):
    """Which column holds what; None where none does."""

    id: Any
    text: Any
    title: Any


@dataclass(frozen=True)
class Kind:
    """What a table of texts is about.

    Attributes:
        what: `query` or `document`, which is also what the column of ids is called in options.
        ids: how columns of ids are called.
        texts: how columns of texts are called.
        titles: how columns of titles are called that belong to the texts.
        unnamed: what the columns of files without a header are, by how many there are.
        file: what the file is called in a folder of BEIR's.
        called: what messages call such a table that has no name.

    """

    what: str
    ids: Tiers
    texts: Tiers
    titles: Tiers
    unnamed: Mapping[int, tuple[str, ...]]
    file: str
    called: str

    @cached_property
    def sure(self) -> frozenset[str]:
        """Names that are no words, so that they are those of columns wherever they stand."""
        return frozenset({name for tier in self.ids for name in tier if not name.isalpha()} | {"qid", "docno", "pid"})

    @property
    def roles(self) -> tuple[str, ...]:
        """What a user can say of columns."""
        return (self.what, "title", "text") if self.titles else (self.what, "text")

    def checked(self, columns: Mapping[str, str]) -> dict[str, str]:
        """What a user says of columns; numbers of columns become text.

        Raises:
            UsageError: `unknown-setting`.

        """
        unknown = [role for role in columns if role not in self.roles]
        if unknown:
            raise UsageError("unknown-setting", f"columns: {quoted(unknown)} is not one of {' '.join(self.roles)}")
        for role, column in columns.items():
            if not isinstance(column, str | int) or column == "":
                raise UsageError("unknown-setting", f"columns: {role}={column!r} is not the name of a column")
        return {role: str(column) for role, column in columns.items()}

    def is_header(self, cells: Sequence[str], columns: Mapping[str, str]) -> bool:
        """Whether these are names of columns: one that means nothing else, or several that could be a text as well."""
        said = [name for name in columns.values() if not name.isdecimal()]
        if said:
            return not set(said).isdisjoint(cells)
        names = [cell.lower() for cell in cells]
        plain = {name for tier in self.ids for name in tier}
        known = plain | {name for tier in (*self.texts, *self.titles) for name in tier}
        found = [name for name in names if name in known]
        sure = any(name in self.sure for name in names)
        return not plain.isdisjoint(names) and (sure or names[0] in known or len(found) > 1)

    def chosen(self, names: Sequence[Any], columns: Mapping[str, str], where: str, noun: str) -> Names:
        """Which column holds what.

        Args:
            names: of all columns; text, except in pandas.
            columns: which holds what, as the user says.
            where: the table, for messages.
            noun: what messages call its columns.

        Raises:
            InputError: `frame-columns`.

        """
        listed = f"the {noun}s are {quoted(names, 8)}" if names else f"there are no {noun}s"
        held: dict[str, Any] = {}
        for role, tiers in ((self.what, self.ids), ("text", self.texts), ("title", self.titles)):
            free = [name for name in names if name not in held.values() and str(name) not in columns.values()]
            if role in columns:
                found = [name for name in names if str(name) == columns[role]]
                if not found:
                    text = f"{where}: there is no {noun} {quoted([columns[role]])}; {listed}"
                    raise InputError("frame-columns", text, remedy="names are those in the file, to the letter")
            else:
                sets = ([name for name in free if str(name).lower() in tier] for tier in tiers)
                found = next(filter(None, sets), [])
            if len(found) > 1:
                text = f"{where}: {quoted(found)} could all be the {role} {noun}; {listed}"
                remedy = f"keep one of them, or say which it is: {self.said(role, str(found[0]))}"
                raise InputError("frame-columns", text, remedy=remedy)
            held[role] = found[0] if found else None
        for role, there in ((self.what, held[self.what]), ("text", (held["text"], held["title"]))):
            if there is None or (there == (None, None) and self.titles):
                text = f"{where}: there is no {role} {noun}; {listed}"
                remedy = f"rename it to {role}, or say which it is: {self.said(role, 'NAME')}"
                raise InputError("frame-columns", text, remedy=remedy)
        return Names(held[self.what], held["text"], held["title"])

    @staticmethod
    def said(role: str, name: str) -> str:
        """How a user says which column holds what."""
        return f"--columns {role}={quoted([name])}, in Python columns={{{role!r}: {name!r}}}"


def _ids(what: str, *more: str) -> tuple[str, ...]:
    """The usual names of ids that mean nothing else."""
    return (*(name for name in SPELLINGS[what] if name not in {*_MAY_BE_TEXT, "docno"}), *more)


QUERIES: Final = Kind(
    what="query",
    ids=(
        _ids("query", "queryid", "topic-id", "topicid", "query_number", "topic_number"),
        (*RECORD, "number", "num"),
        *(("topic",), ("query",), _USERS, _TEXTS),
    ),
    texts=(
        *(("text", "querytext", *_TEXTS), ("query",), ("question",), ("title",), ("topic",)),
        ("contents", "content", "body", "utterance", "description"),
    ),
    titles=(),
    unnamed={2: ("query", "text")},
    file="queries.jsonl",
    called="the queries",
)
DOCUMENTS: Final = Kind(
    what="document",
    ids=(("docno",), _ids("document", "doc-id", "passage_id", "passage-id"), RECORD, ("document",), ("item",)),
    texts=(
        ("text", "document_text", "doc_text", "passage_text"),
        ("contents", "content", "body", "passage", "segment"),
        *(("document",), ("item",), ("abstract",)),
    ),
    titles=(("title",), ("headline",)),
    unnamed={2: ("document", "text"), 4: ("document", "", "title", "text")},
    file="corpus.jsonl",
    called="the documents",
)


Where = Callable[[int], str]
"""Says where a row stands, by its number: `queries.tsv:3`."""
Cells = Mapping[Any, Any]
"""What stands in a row, by the names of columns."""

METADATA: Final = "metadata"
"""where BEIR keeps what else is known of a query"""
KEY: Final = "(key)"
"""what messages call the key under which a row stands"""
_ENDS: Final = ".:!?\u2026\u3002\uff1a\uff01\uff1f\u061f\u06d4"
"""what ends a title: dots, colons, exclamation and question marks, also of Chinese, Japanese, Arabic and Urdu"""


class Row(NamedTuple):
    """A query or a document."""

    id: str
    text: str
    more: dict[str, Any]
    """what else is known of a query: text and numbers"""
    where: str


@dataclass(frozen=True)
class Asked:
    """What is looked for.

    Attributes:
        kind: queries or documents.
        columns: which column holds what, as the user says.
        wanted: the ids that are looked for; None where all are.

    """

    kind: Kind
    columns: Mapping[str, str]
    wanted: frozenset[str] | None = None
    _known: dict[tuple[Any, ...], Names] = field(default_factory=dict, compare=False, repr=False)

    def counted(self, count: int) -> "Asked | None":
        """The same for rows without names, whose columns are called 1, 2, 3; None where nothing tells what they are.

        Args:
            count: how many columns there are.

        """
        if self.columns:
            return replace(self, _known={}) if all(name.isdecimal() for name in self.columns.values()) else None
        usual = self.kind.unnamed.get(count)
        if usual is None:
            return None
        return replace(self, columns={role: str(place) for place, role in enumerate(usual, 1) if role}, _known={})

    def names(self, names: tuple[Any, ...], where: str, noun: str = "column") -> Names:
        """Which column holds what; a name that the user says must be in the first row, and may be missing later.

        Raises:
            InputError: `frame-columns`.

        """
        if names not in self._known:
            columns = self.columns
            if self._known:
                there = set(map(str, names))
                columns = {role: name for role, name in columns.items() if name in there or role == self.kind.what}
            self._known[names] = self.kind.chosen(names, columns, where, noun)
        return self._known[names]

    def row(self, cells: Cells, number: int, where: Where, noun: str = "column") -> Row | None:
        """A row; None where nobody wants it.

        Args:
            cells: what stands in it.
            number: its number.
            where: says where that is.
            noun: what messages call its columns.

        Raises:
            InputError: `frame-columns`, `missing-value`, `id-type`, `input-type`.

        """
        key = tuple(cells)
        names = self._known.get(key) or self.names(key, where(number), noun)
        held = cells[names.id]
        if self.wanted is not None and (held is None or str(held) not in self.wanted):
            return None
        place = where(number)
        return self._made(self.id_of(held, place), names, cells, place)

    def entry(self, held: Any, value: Any, where: str) -> Row | None:  # noqa: ANN401 - what a program or JSON holds
        """A row that stands under its id: a text, or what else is known beside it.

        Args:
            held: the id.
            value: a text, or columns by name, among which the id may stand again.
            where: its place.

        Raises:
            InputError: as `row`.

        """
        if self.wanted is not None and str(held) not in self.wanted:
            return None
        name = self.id_of(held, where)
        if not isinstance(value, Mapping):
            return Row(name, text_of(value, where), {}, where)
        cells = {KEY: held} | {key: item for key, item in value.items() if key not in self._again(value, name)}
        names = self.kind.chosen(tuple(cells), {**self.columns, self.kind.what: KEY}, where, "key")
        return self._made(name, names, cells, where)

    def _again(self, cells: Cells, name: str) -> list[Any]:
        """The columns that say once more what the id is."""
        usual = {spelling for tier in self.kind.ids for spelling in tier} - {"query", "topic", "document", "item"}
        return [key for key, item in cells.items() if str(key).lower() in usual and str(item) == name]

    def _made(self, name: str, names: Names, cells: Cells, where: str) -> Row:
        text = text_of(cells.get(names.text), where)
        if self.kind.titles:
            return Row(name, titled(text_of(cells.get(names.title), where), text), {}, where)
        more = {str(key): value_of(value) for key, value in cells.items() if key not in (names.id, names.text, "")}
        inner = cells.get(METADATA)
        if isinstance(inner, Mapping):
            more = {str(key): value_of(value) for key, value in inner.items()} | more
        kept = {key: value for key, value in more.items() if not isinstance(value, _Unkept)}
        return Row(name, text, kept, where)

    def id_of(self, held: Any, where: str) -> str:  # noqa: ANN401 - as above
        """An id as text.

        Raises:
            InputError: `missing-value`, `id-type`.

        """
        if held is None or held == "":
            text = f"{where}: there is no {self.kind.what}"
            raise InputError("missing-value", text, remedy="drop or fill such rows")
        if type(held) is str:
            return held
        return validate.texts([held], lambda _: f"{where}: the {self.kind.what}")[0]


class _Unkept:
    """What is neither text nor a number: lists, objects, bytes."""


_UNKEPT: Final = _Unkept()


def value_of(held: Any) -> Any:  # noqa: ANN401 - as above
    """What a further column holds, as text or a number; None where it holds nothing."""
    if held is None or held == "" or (isinstance(held, float) and math.isnan(held)):
        return None
    if isinstance(held, np.generic):
        return value_of(held.item())
    if isinstance(held, bool):
        return str(held).lower()
    if isinstance(held, str | int | float):
        return held
    unkept = isinstance(held, Mapping | list | tuple | set | frozenset | bytes | bytearray | np.ndarray)
    return _UNKEPT if unkept else str(held)


def text_of(held: Any, where: str) -> str:  # noqa: ANN401 - as above
    """What a query or a document says; nothing where nothing is there.

    Raises:
        InputError: `input-type` for what is no text.

    """
    value = held if type(held) is str else value_of(held)
    if isinstance(value, _Unkept):
        text = f"{where}: the text is {shown(held)}, not a text"
        raise InputError("input-type", text, remedy="give one text for each id")
    return "" if value is None else str(value)


def titled(title: str, text: str) -> str:
    """A text with its title before it, unless it begins with that."""
    bare = title.strip()
    if not bare or text.lstrip().startswith(bare):
        return text
    if not text:
        return title
    return f"{bare}{'' if bare.endswith(tuple(_ENDS)) else ':'} {text}"

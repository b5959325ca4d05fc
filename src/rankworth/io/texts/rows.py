"""Rows of texts: an id, what it says, and what else stands beside it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.errors import InputError
from rankworth.io import scalars
from rankworth.io.scalars import shown
from rankworth.io.texts.roles import Kind, Names

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
        return scalars.texts([held], lambda _: f"{where}: the {self.kind.what}")[0]


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

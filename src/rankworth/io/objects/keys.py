"""Which key of a JSON object holds what: the first object of a file says it, and the others have the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankworth.errors import InputError
from rankworth.io.frames import roles
from rankworth.io.scalars import is_numeric
from rankworth.io.text.lines import Layout

Object = dict[str, Any]
Place = Callable[[int], str]
"""Where an object stands, as messages say it: `a.jsonl:3`."""


@dataclass
class Keys:
    """The keys of the objects of one file.

    Attributes:
        layout: `RUN` or `QRELS`.
        columns: which key holds what, as the user says.
        within: whether these are records in the list of a query, so that they have none of their own.
        found: which key holds what, once an object was seen.
        settled: whether rows were made of objects already.

    """

    layout: Layout
    columns: Mapping[str, str]
    within: bool = False
    found: dict[str, str] = field(default_factory=dict)
    settled: bool = False
    _known: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def valued(self) -> str:
        """Which of score, rank, distance and grade there is; nothing where there is none."""
        return next((what for what in ("score", "rank", "distance", "grade") if what in self.found), "")

    def learn(self, objects: Sequence[Object], place: Place) -> bool:
        """Look at the keys of all objects; whether these are the first.

        Args:
            objects: at least one.
            place: where each stands.

        Raises:
            InputError: `frame-columns`.

        """
        first = not self._known
        for keys in dict.fromkeys(map(tuple, objects)):
            if keys not in self._known:
                row = next(row for row, each in enumerate(objects) if tuple(each) == keys)
                self._meet(objects[row], place(row))
                self._known.add(keys)
        return first

    def check_said(self, first: Object, where: str, record: object) -> None:
        """Refuse a key that the user names and that neither an object nor a record in its list has.

        Args:
            first: one of the objects.
            where: where it stands.
            record: what stands in its list, if it has one.

        Raises:
            InputError: `frame-columns`.

        """
        self._table(first, where).check_said(record if isinstance(record, dict) else ())

    def refuse_unknown(self, first: Object, where: str, *, length: int | None = None, needed: bool = False) -> None:
        """Refuse objects without scores or grades that have numbers under a name that nobody knows.

        Args:
            first: one of the objects.
            where: where it stands.
            length: of the list of documents, if it has one.
            needed: whether there is no way without.

        Raises:
            InputError: `frame-columns`.

        """
        table = self._table(first, where)
        if needed:
            raise table.missing(roles.VALUES[table.value])
        numbers = [key for key, item in first.items() if _holds_numbers(item, length)]
        table.refuse_doubt(numbers, self.found.values())

    def _meet(self, row: Object, where: str) -> None:
        """Learn the keys, or compare them with those of the first object; a grade may be missing."""
        table = self._table(row, where)
        if not self._known:
            self.found = table.chosen()
            return
        missing = [key for what, key in self.found.items() if key not in row and what != "grade"]
        found = {} if missing else table.chosen()
        if "grade" in found and "grade" not in self.found and not self.settled:  # those before have no grade
            self.found["grade"] = found["grade"]
        more = sorted(found.items() - self.found.items())
        if missing or more:
            text = f"there is no {missing[0]}" if missing else f"there is a {more[0][0]} ({more[0][1]})"
            remedy = "give all objects of a file the same keys, as far as these count"
            raise InputError("frame-columns", f"{where}: {text}, unlike above; {table.listed}", remedy=remedy)

    def _table(self, row: Object, where: str) -> roles.Table:
        return roles.Table(self.layout.value, where, self.columns, tuple(row), 1, "key", self.within)


def _holds_numbers(item: object, length: int | None) -> bool:
    """Whether this is a number or a text that is one; beside a list of documents, a list of as many numbers."""
    if length is None:
        return is_numeric(item)
    return isinstance(item, list) and len(item) == length and bool(item) and all(map(is_numeric, item))

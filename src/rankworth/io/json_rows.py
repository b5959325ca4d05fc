"""Objects of JSON, brought to columns: each is one document, or a query with a list of documents.

A list holds ids, or records or pairs of an id and a number; numbers may also stand in a list beside it, or in a dict by
document. What the first object says of its keys holds for all. Lists without numbers are in the order of the ranking.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError, counted, shortened
from rankworth.io import validate
from rankworth.io.columns import VALUES, Table, unjudged
from rankworth.io.lines import RUN, Layout
from rankworth.io.reading import Lists
from rankworth.io.validate import is_numeric

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

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
            raise table.missing(VALUES[table.value])
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

    def _table(self, row: Object, where: str) -> Table:
        return Table(self.layout.value, where, self.columns, tuple(row), 1, "key", self.within)


def _holds_numbers(item: object, length: int | None) -> bool:
    """Whether this is a number or a text that is one; beside a list of documents, a list of as many numbers."""
    if length is None:
        return is_numeric(item)
    return isinstance(item, list) and len(item) == length and bool(item) and all(map(is_numeric, item))


_KINDS: Final = {"ids": "lists of ids", "records": "lists of records", "pairs": "lists of pairs", "dict": "dicts"}
_PAIR: Final = 2
_SHOWN: Final = 60
_IDS: Final = "write the ids as text, as they stand in the other input (integers of more than 64 bits, too)"

Texts = dict[str, pl.Series]


class Rows:
    """What the objects of one file have in common, and the frames that they become."""

    def __init__(self, layout: Layout, reading: "Reading") -> None:
        """Nothing is known of the keys yet."""
        self.layout = layout
        self._keys = Keys(layout, reading.columns)
        self._within = Keys(layout, reading.columns, within=True)
        self._listed = False
        self._kind = ""
        self._orders = reading.orders

    def roles(self, first: Object, place: Place) -> dict[str, str]:
        """Which key of an object holds what, if it is one document; nothing where it holds a list.

        Raises:
            InputError: `frame-columns`.

        """
        self._learn([first], place)
        if not self._listed:
            self._agree(self._keys.valued, place)
        return {} if self._listed else self._keys.found

    def frame(self, objects: Sequence[Object], place: Place) -> pl.DataFrame:
        """The documents of some objects in their order.

        Args:
            objects: at least one.
            place: where each stands.

        Raises:
            InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `duplicate-document`,
                `empty-input`.

        """
        self._learn(objects, place)
        keys = self._keys
        keys.settled = True
        query = {"query": ids([row[keys.found["query"]] for row in objects], "query", place)}
        if not self._listed:
            return self._of_rows(objects, keys, place, query)
        lists = [row[keys.found["document"]] for row in objects]
        self._check_kinds(lists, place)
        spread = Spread([len(each) for each in lists], place)
        if self.layout is not RUN and not all(lists):
            row = next(row for row, each in enumerate(lists) if not each)
            raise unjudged(place(row), query["query"][row])
        return self._of_lists(objects, lists, spread, query)

    def _learn(self, objects: Sequence[Object], place: Place) -> None:
        if self._keys.learn(objects, place):
            held = [row[self._keys.found["document"]] for row in objects]
            self._listed = isinstance(held[0], list | dict)
            records = (item for each in held if isinstance(each, list) for item in each)
            self._keys.check_said(objects[0], place(0), next(records, None))
            if not self._listed and not self._keys.valued:
                self._keys.refuse_unknown(objects[0], place(0), needed=self.layout is RUN)

    def _check_kinds(self, lists: Sequence[Any], place: Place) -> None:
        """All lists hold the same: ids, records, pairs, or documents with numbers in a dict."""
        for row, each in enumerate(lists):
            kind = _kind_of(each)
            mixed = kind == "ids" and any(isinstance(item, dict) for item in each)
            if mixed or not isinstance(each, list | dict) or (kind and self._kind and kind != self._kind):
                others = "" if mixed or not self._kind else f"; the others are {_KINDS[self._kind]}"
                raise InputError(
                    "frame-columns",
                    f"{place(row)}: the documents are {shown(each)}{others}",
                    remedy="give all documents of a file the same form",
                )
            self._kind = self._kind or kind

    def _of_rows(
        self, rows: Sequence[Object], keys: Keys, place: Place, texts: Texts, spread: "Spread | None" = None
    ) -> pl.DataFrame:
        """One document for each object; grades of 1 where there are none."""
        self._agree(keys.valued or "order", place)
        for what in ("subtopic", "document"):
            if what in keys.found:
                texts[what] = ids([row[keys.found[what]] for row in rows], what, place)
        if not keys.valued:
            return self._joined(texts, np.ones(len(rows)))
        values = [row.get(keys.found[keys.valued]) for row in rows]
        values = values if spread is None or keys.valued != "score" else spread.without_nulls(values)
        return self._joined(texts, numbers(values, keys.valued, place))

    def _of_lists(
        self, objects: Sequence[Object], lists: Sequence[Any], spread: "Spread", query: Texts
    ) -> pl.DataFrame:
        """One row for each document of each list."""
        keys, within, place = self._keys, self._within, spread.owner
        documents = list(chain.from_iterable(lists))
        beside = [row.get(keys.found[keys.valued]) for row in objects] if keys.valued else []
        if self._kind == "records" and within.learn(documents, spread.place) and not within.valued:
            within.refuse_unknown(documents[0], spread.place(0))
        inside = self._kind in ("dict", "pairs") or (self._kind == "records" and bool(within.valued))
        if beside and self._kind not in ("ids", "") and (not inside or isinstance(beside[0], list)):
            text = f"{place(0)}: the key {keys.found[keys.valued]} stands beside {_KINDS[self._kind]}"
            raise InputError("frame-columns", text, remedy=f"write each {keys.valued} beside its document only")
        if not inside and not beside:
            first = next((row for row, each in enumerate(lists) if each), 0)
            keys.refuse_unknown(objects[first], place(first), length=len(lists[first]))
            if self.layout is RUN:
                there = [row for row, count in enumerate(spread.counts) if count]
                self._orders.meet(query["query"].gather(there), lambda row: spread.owner(there[row]))
        texts = {"query": spread.over(query["query"])}
        if "subtopic" in keys.found:
            texts["subtopic"] = spread.over(ids([row[keys.found["subtopic"]] for row in objects], "subtopic", place))
        if self._kind == "records":
            rows = self._of_rows(documents, within, spread.place, texts, spread)
            return self._in_order(rows, spread, inside=inside)
        if inside:
            pairs = documents if self._kind == "pairs" else chain.from_iterable(each.items() for each in lists)
            documents, found = map(list, zip(*pairs, strict=True)) if documents else ([], [])
            if self._kind == "pairs" and self.layout is RUN:
                validate.refuse_ranks(([number for _, number in each] for each in lists), place(0))
            texts["document"] = ids(documents, "document", spread.place)
            self._agree("score", place)
            return self._joined(texts, numbers(found, self.layout.value, spread.place))
        texts["document"] = ids(documents, "document", spread.place)
        self._agree(keys.valued or "order", place)
        if beside:
            values = spread.beside(beside, keys.valued, self.layout)
            values = spread.without_nulls(values) if keys.valued == "score" else values
            return self._joined(texts, numbers(values, keys.valued, spread.place))
        return self._in_order(self._joined(texts, np.ones(len(documents))), spread, inside=False)

    def _agree(self, way: str, place: Place) -> None:
        if self.layout is RUN:
            field = (self._keys.found | self._within.found).get("score", "")
            self._orders.agree(way, place(0), Lists(field) if self._listed and self._kind != "dict" else None)

    def _in_order(self, frame: pl.DataFrame, spread: "Spread", *, inside: bool) -> pl.DataFrame:
        """Scores by the order of each list, where a run has no others."""
        if inside or self.layout is not RUN:
            return frame
        return frame.with_columns(pl.Series(self.layout.value, spread.by_order()))

    def _joined(self, texts: Texts, values: NDArray[np.float64]) -> pl.DataFrame:
        columns = [texts[name].alias(name) for name in ("query", "subtopic", "document") if name in texts]
        return pl.DataFrame([*columns, pl.Series(self.layout.value, values)])


def _kind_of(each: object) -> str:
    """What a list holds; nothing where it is empty."""
    if not isinstance(each, list):
        return "dict" if isinstance(each, dict) else ""
    held = set(map(type, each))
    if held == {list} and all(len(item) == _PAIR for item in each):
        return "pairs"
    return "records" if held == {dict} else "ids" if held else ""


@dataclass
class Spread:
    """Lists of some lengths, one after the other."""

    counts: Sequence[int]
    owner: Place
    """where each list stands"""

    def __post_init__(self) -> None:
        """Where the lists end."""
        self.ends = np.cumsum(self.counts, dtype=np.int64)

    def place(self, item: int) -> str:
        """Where an item stands."""
        row = int(np.searchsorted(self.ends, item, side="right"))
        return f"{self.owner(row)}, item {item - int(self.ends[row]) + self.counts[row] + 1}"

    def over(self, column: pl.Series) -> pl.Series:
        """One row for each item instead of one for each list."""
        return column.gather(np.repeat(np.arange(len(self.counts)), self.counts))

    def by_order(self) -> NDArray[np.float64]:
        """-1, -2, -3 ... in each list."""
        starts = np.repeat(self.ends - self.counts, self.counts)
        return (starts - np.arange(starts.size) - 1).astype(np.float64)

    def without_nulls(self, scores: list[Any]) -> list[Any]:
        """The scores; where a list has none but null, as hits that are sorted by a field, its order instead."""
        if None not in scores:
            return scores
        filled = list(scores)
        for end, count in zip(self.ends.tolist(), self.counts, strict=True):
            if all(score is None for score in scores[end - count : end]):
                filled[end - count : end] = range(-1, -count - 1, -1)
        return filled

    def beside(self, held: Sequence[Any], what: str, layout: Layout) -> list[Any]:
        """The numbers in lists beside those of the documents, or one grade for all documents of a list.

        Raises:
            InputError: `frame-columns`.

        """
        if layout is not RUN and not any(isinstance(item, list) for item in held):
            return [item for item, count in zip(held, self.counts, strict=True) for _ in range(count)]
        for row, (item, count) in enumerate(zip(held, self.counts, strict=True)):
            if not isinstance(item, list) or len(item) != count:
                have = f"{len(item)} {what}s stand" if isinstance(item, list) else f"the {what} {shown(item)} stands"
                raise InputError(
                    "frame-columns",
                    f"{self.owner(row)}: {have} beside a list of {counted(count, 'document', 'documents')}",
                    remedy=f"write one {what} for each document",
                )
        return list(chain.from_iterable(held))


def ids(held: Sequence[Any], what: str, place: Place) -> pl.Series:
    """Ids as text: texts and integers.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    texts = validate.texts(held, lambda row: f"{place(row)}: the {what}", show=shown, remedy=_IDS)
    return pl.Series(what, texts, dtype=pl.String)


def numbers(held: Sequence[Any], what: str, place: Place) -> NDArray[np.float64]:
    """Scores or grades; ranks as scores.

    Raises:
        InputError: `missing-value`, `bad-score`, `bad-grade`.

    """
    return validate.numbers(held, what, lambda row: f"{place(row)}: the {what}", show=shown)


def shown(item: object) -> str:
    """A value as it is written in JSON, shortened."""
    if isinstance(item, list | dict):
        return shortened(validate.shown(item), _SHOWN)
    text = json.dumps(item, ensure_ascii=False)
    return shortened(text if text.isprintable() else json.dumps(item), _SHOWN)

"""Objects of JSON, brought to columns: each is one document, or a query with a list of documents.

A list holds ids, or records of an id and a number; numbers may also stand in a list beside it, or in a dict by
document. What the first object says of its keys holds for all. Lists without numbers are in the order of the ranking.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import mapping
from rankworth.io.objects.keys import NUMBERS, Keys, Object, Place, is_numeric
from rankworth.io.text.lines import RUN, Layout

if TYPE_CHECKING:
    from rankworth.io.formats import Reading

_KINDS: Final = {"ids": "lists of ids", "records": "lists of records", "dict": "dicts"}
_SHOWN: Final = 60

Texts = dict[str, pl.Series]


class Table:
    """What the objects of one file have in common, and the frames that they become."""

    def __init__(self, layout: Layout, reading: "Reading") -> None:
        """Nothing is known of the keys yet."""
        self.layout = layout
        self._keys = Keys(layout, reading.columns)
        self._within = Keys(layout, reading.columns, within=True)
        self._listed = False
        self._kind = ""
        self._seen: dict[str, str] = {}
        """where the list of each query stands, if its order counts"""

    def roles(self, first: Object, place: Place) -> dict[str, str]:
        """Which key of an object holds what, if it is one document; nothing where it holds a list.

        Raises:
            InputError: `frame-columns`.

        """
        self._learn([first], place)
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
        """All lists hold the same: ids, records, or documents with numbers in a dict."""
        for row, each in enumerate(lists):
            held = set(map(type, each)) if isinstance(each, list) else set()
            kind = "dict" if isinstance(each, dict) else "records" if held == {dict} else "ids" if held else ""
            mixed = dict in held and kind == "ids"
            if mixed or not isinstance(each, list | dict) or (kind and self._kind and kind != self._kind):
                others = "" if mixed or not self._kind else f"; the others are {_KINDS[self._kind]}"
                raise InputError(
                    "frame-columns",
                    f"{place(row)}: the documents are {shown(each)}{others}",
                    remedy="give all documents of a file the same form",
                )
            self._kind = self._kind or kind

    def _of_rows(self, rows: Sequence[Object], keys: Keys, place: Place, texts: Texts) -> pl.DataFrame:
        """One document for each object; grades of 1 where there are none."""
        for what in ("subtopic", "document"):
            if what in keys.found:
                texts[what] = ids([row[keys.found[what]] for row in rows], what, place)
        if not keys.valued:
            return self._joined(texts, np.ones(len(rows)))
        return self._joined(texts, numbers([row[keys.found[keys.valued]] for row in rows], keys.valued, place))

    def _of_lists(
        self, objects: Sequence[Object], lists: Sequence[Any], spread: "Spread", query: Texts
    ) -> pl.DataFrame:
        """One row for each document of each list."""
        keys, within, place = self._keys, self._within, spread.owner
        documents = list(chain.from_iterable(lists))
        beside = [row[keys.found[keys.valued]] for row in objects] if keys.valued else []
        if self._kind == "records" and within.learn(documents, spread.place) and not within.valued:
            within.refuse_unknown(documents[0], spread.place(0))
        inside = self._kind == "dict" or (self._kind == "records" and bool(within.valued))
        if beside and self._kind not in ("ids", "") and (not inside or isinstance(beside[0], list)):
            text = f"{place(0)}: the key {keys.found[keys.valued]} stands beside {_KINDS[self._kind]}"
            raise InputError("frame-columns", text, remedy=f"write each {keys.valued} beside its document only")
        if not inside and not beside:
            first = next((row for row, each in enumerate(lists) if each), 0)
            keys.refuse_unknown(objects[first], place(first), length=len(lists[first]))
            if self.layout is RUN:
                self._check_once(query["query"], spread)
        texts = {"query": spread.over(query["query"])}
        if "subtopic" in keys.found:
            texts["subtopic"] = spread.over(ids([row[keys.found["subtopic"]] for row in objects], "subtopic", place))
        if self._kind == "records":
            return self._in_order(self._of_rows(documents, within, spread.place, texts), spread, inside=inside)
        texts["document"] = ids(documents, "document", spread.place)
        if inside:
            values = numbers(
                list(chain.from_iterable(each.values() for each in lists)), self.layout.value, spread.place
            )
            return self._joined(texts, values)
        if beside:
            values = numbers(spread.beside(beside, keys.valued, self.layout), keys.valued, spread.place)
            return self._joined(texts, values)
        return self._in_order(self._joined(texts, np.ones(len(documents))), spread, inside=False)

    def _in_order(self, frame: pl.DataFrame, spread: "Spread", *, inside: bool) -> pl.DataFrame:
        """Scores by the order of each list, where a run has no others."""
        if inside or self.layout is not RUN:
            return frame
        return frame.with_columns(pl.Series(self.layout.value, spread.by_order()))

    def _check_once(self, queries: pl.Series, spread: "Spread") -> None:
        """A query has one list, if its order counts."""
        for row, query in enumerate(queries):
            if spread.counts[row] and query in self._seen:
                text = f"query {quoted([query])} has a list again (first: {self._seen[query]})"
                raise InputError(
                    "duplicate-document",
                    f"{spread.owner(row)}: {text}, so its order is not known",
                    remedy="put all documents of a query into one list, or give them scores",
                )
            if spread.counts[row]:
                self._seen[query] = spread.owner(row)

    def _joined(self, texts: Texts, values: NDArray[np.float64]) -> pl.DataFrame:
        columns = [texts[name].alias(name) for name in ("query", "subtopic", "document") if name in texts]
        return pl.DataFrame([*columns, pl.Series(self.layout.value, values)])


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

    def beside(self, items: Sequence[Any], what: str, layout: Layout) -> list[Any]:
        """The numbers in lists beside those of the documents, or one grade for all documents of a list.

        Raises:
            InputError: `frame-columns`.

        """
        if layout is not RUN and not any(isinstance(item, list) for item in items):
            return [item for item, count in zip(items, self.counts, strict=True) for _ in range(count)]
        for row, (item, count) in enumerate(zip(items, self.counts, strict=True)):
            if not isinstance(item, list) or len(item) != count:
                have = f"{len(item)} {what}s stand" if isinstance(item, list) else f"the {what} {shown(item)} stands"
                raise InputError(
                    "frame-columns",
                    f"{self.owner(row)}: {have} beside a list of {count} documents",
                    remedy=f"write one {what} for each document",
                )
        return list(chain.from_iterable(items))


def ids(items: Sequence[Any], what: str, place: Place) -> pl.Series:
    """Ids as text: texts and integers.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    kinds = set(map(type, items))
    if kinds <= {str, int}:
        return pl.Series(what, items if kinds <= {str} else list(map(str, items)), dtype=pl.String)
    row = next(row for row, item in enumerate(items) if type(item) not in (str, int))
    if items[row] is None:
        raise InputError("missing-value", f"{place(row)}: the {what} is null", remedy="drop or fill such objects")
    raise InputError(
        "id-type",
        f"{place(row)}: the {what} is {shown(items[row])}; ids are text or integers",
        remedy="write the ids as text, as they stand in the other input (integers of more than 64 bits, too)",
    )


def numbers(items: Sequence[Any], what: str, place: Place) -> NDArray[np.float64]:
    """Scores or grades; ranks as scores.

    Raises:
        InputError: `missing-value`, `bad-score`, `bad-grade`.

    """
    if set(map(type, items)) <= NUMBERS:
        array = np.array(items, dtype=np.float64)
        bad = np.flatnonzero(np.isnan(array) if what == "score" else ~np.isfinite(array))
        if not bad.size:
            return -array if what == "rank" else array
        row = int(bad[0])
    else:
        row = next(row for row, item in enumerate(items) if type(item) not in NUMBERS)
    raise not_a_number(items[row], what, place(row))


def not_a_number(item: object, what: str, where: str) -> InputError:
    """The error for a score, a rank or a grade that is none."""
    if item is None:
        return InputError("missing-value", f"{where}: the {what} is null", remedy="drop or fill such objects")
    slug = "bad-grade" if what == "grade" else "bad-score"
    if isinstance(item, float):
        remedy = f"drop the objects whose {what} is {shown(item)}, or mend what wrote them"
        return InputError(slug, f"{where}: the {what} is {shown(item)}", remedy=remedy)
    such = f"a {what} is a number such as {'12.5 or 1e-3' if what == 'score' else '0, 1 or 2'}, without quotes"
    remedy = "write numbers without quotes" if is_numeric(item) else such
    return InputError(slug, f"{where}: the {what} is {shown(item)}, not a number", remedy=remedy)


def unjudged(where: str, query: str) -> InputError:
    """The error for a query with an empty list of judgements."""
    return InputError(
        "empty-input",
        f"{where}: query {quoted([query])} has no judgements",
        remedy="leave it out, or judge a document of it, if only with grade 0",
    )


def shown(item: object) -> str:
    """A value as it is written in JSON, shortened."""
    if isinstance(item, list | dict):
        return shortened(mapping.shown(item), _SHOWN)
    return shortened(json.dumps(item, ensure_ascii=False), _SHOWN)

"""What a user says of a file, and what has been met in all files of one run.

Below all rooms of formats, which read what is said here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from rankworth.errors import InputError, UsageError, quoted

if TYPE_CHECKING:
    import polars as pl

Blank = Literal["unjudged", "zero", "error"]
"""what a judgement without a grade means: nobody judged the document, its grade is 0, or something is wrong"""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class _Format(NamedTuple):
    sentence: str
    room: str
    """the module of `rankworth.io` that reads it"""


FORMATS: Final[Mapping[str, _Format]] = MappingProxyType(
    {
        "trec": _Format("TREC's lines: query Q0 document rank score tag; query 0 document grade", "trec"),
        "tsv": _Format("tab-separated, with a header, or query, document and value without one", "csv"),
        "csv": _Format("separated by commas, semicolons or vertical bars, with a header", "csv"),
        "msmarco": _Format("MS MARCO's tab-separated lines without a header: query document rank", "csv"),
        "jsonl": _Format("a JSON object in each line: a row, or a query with a list", "jsonl"),
        "json": _Format("a dict of dicts; a request or a response of _rank_eval", "json"),
        "parquet": _Format("Parquet", "parquet"),
        "arrow": _Format("Arrow IPC, file or stream (Feather)", "parquet"),
    }
)
"""What can be read, by the names that options take."""
ROLES: Final = ("query", "document", "score", "rank", "grade", "subtopic")


@dataclass(frozen=True)
class Lists:
    """A run came as lists, each of which is the ranking of its query.

    Attributes:
        field: what their scores are called; empty where they have no name.
        is_order: whether the order alone ranks, whatever the scores say, as in responses of _rank_eval.

    """

    field: str = ""
    is_order: bool = False


class Orders:
    """How the documents of one run are ranked: all in one way, and by order only where a query has one list.

    Attributes:
        lists: how lists came; None for a table.

    """

    def __init__(self) -> None:
        """Nothing is met yet."""
        self.lists: Lists | None = None
        self._met: dict[str, tuple[Callable[[int], str], int]] = {}
        self._way = self._first = ""

    def agree(self, way: str, where: str, lists: Lists | None = None) -> None:
        """Refuse files of one run that are ranked in different ways.

        Args:
            way: `score`, `rank` or `order`.
            where: the file.
            lists: how lists came, where each is the ranking of its query.

        Raises:
            InputError: `frame-columns`.

        """
        if self._way not in ("", way):
            text = f"{where}: here the documents are ranked by {way}, in {self._first} by {self._way}"
            raise InputError("frame-columns", text, remedy="the files of one run are ranked alike; give scores in all")
        if self._way and (lists is None) != (self.lists is None):
            kinds = "lists by query", "rows"
            here, there = kinds if lists is not None else reversed(kinds)
            text = f"{where}: here the run is {here}, in {self._first} it is {there}"
            raise InputError("frame-columns", text, remedy="the files of one run are ranked alike; give rows in all")
        self._way, self._first = way, self._first or where
        self.lists = self.lists or lists

    def meet(self, queries: Iterable[str], where: Callable[[int], str]) -> None:
        """Remember some lists.

        Args:
            queries: whose they are.
            where: gives the place of each, for messages.

        Raises:
            InputError: `duplicate-document` where a query has a list already.

        """
        for row, query in enumerate(queries):
            if query in self._met:
                earlier, place = self._met[query]
                text = f"query {quoted([query])} has a list again (first: {earlier(place)}), so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", f"{where(row)}: {text}", remedy=remedy)
            self._met[query] = where, row


class Blanks:
    """What becomes of judgements without a grade, and how many were met."""

    def __init__(self, policy: str = "unjudged", only: Collection[str] | None = None) -> None:
        """Nothing is met yet.

        Args:
            policy: `unjudged`, `zero` or `error`.
            only: the queries that count; all where None.

        Raises:
            UsageError: `unknown-setting`.

        """
        if policy not in get_args(Blank):
            raise UsageError("unknown-setting", f"blank={policy!r}: it is one of {' '.join(get_args(Blank))}")
        self.policy = policy
        self.only = only
        self.count = 0

    def settle(self, frame: "pl.DataFrame", where: str) -> "pl.DataFrame":
        """The judgements that count.

        Args:
            frame: with a column `grade`, null or NaN where there is none.
            where: what messages call it.

        Raises:
            InputError: `missing-value`, where that is an error.

        """
        blank = frame["grade"].is_null() | frame["grade"].is_nan()
        if self.only is not None and blank.any():
            blank = blank & frame["query"].cast(str).is_in(list(self.only))
        if not (count := int(blank.sum())):
            return frame
        if self.policy == "error":
            query, document = frame.select("query", "document").row(int(blank.arg_max() or 0))
            raise self.refused(count, where, query, document)
        self.count += count
        if self.policy == "zero":
            return frame.with_columns(frame["grade"].fill_nan(None).fill_null(0.0))
        return frame.filter(~blank)

    def check(self, where: str, *, empty: bool) -> None:
        """Refuse judgements of which not one has a grade.

        Args:
            where: what messages call them.
            empty: whether none is left.

        Raises:
            InputError: `missing-value`.

        """
        if empty and self.count:
            text = f"{where}: not one judgement has a grade ({self.count:,} {'is' if self.count == 1 else 'are'} blank)"
            remedy = "fill them in, or say that they mean 0: --blank zero, in Python blank='zero'"
            raise InputError("missing-value", text, remedy=remedy)

    def refused(self, count: int, where: str, query: object, document: object) -> InputError:
        """The error for judgements without a grade.

        Args:
            count: how many there are.
            where: what messages call them.
            query: that of the first.
            document: likewise.

        """
        has = "judgement has" if count == 1 else "judgements have"
        text = f"{where}: {count:,} {has} no grade; the first is that of document {quoted([document])} for query"
        remedy = "fill them in, or say what they mean: --blank unjudged or zero, in Python blank='unjudged'"
        return InputError("missing-value", f"{text} {quoted([query])}", remedy=remedy)


@dataclass(frozen=True)
class Reading:
    """What a user says of a file.

    Attributes:
        format: a key of `FORMATS`; detected from the content where empty.
        columns: which column holds what, `{"query": "term"}`; a number counts columns from 1 where there is no header;
            `{"grade": ""}` where no column tells grades, so that all are 1; `{"score": ""}` where ranks are to count.
        split: which judgements of a BEIR folder; `test` where empty.
        blanks: what becomes of judgements without a grade.
        orders: of all files that are read with it.

    """

    format: str = ""
    columns: Mapping[str, str] = field(default_factory=lambda: _NONE)
    split: str = ""
    blanks: Blanks = field(default_factory=Blanks, compare=False, repr=False)
    orders: Orders = field(default_factory=Orders, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what is no format and no column; numbers of columns become text.

        Raises:
            UsageError: `unknown-format`, `unknown-setting`.

        """
        if self.format and self.format not in FORMATS:
            raise UsageError("unknown-format", f"there is no format {self.format!r}; there are {' '.join(FORMATS)}")
        unknown = [what for what in self.columns if what not in ROLES]
        if unknown:
            raise UsageError("unknown-setting", f"columns: {quoted(unknown)} is not one of {' '.join(ROLES)}")
        nameless = [
            what
            for what, column in self.columns.items()
            if not isinstance(column, str | int) or (column == "" and what not in ("grade", "score"))
        ]
        if nameless:
            column = self.columns[nameless[0]]
            raise UsageError("unknown-setting", f"columns: {nameless[0]}={column!r} is not the name of a column")
        object.__setattr__(self, "columns", {what: str(column) for what, column in self.columns.items()})

    def afresh(self) -> "Reading":
        """The same for reading files once more."""
        return replace(self, blanks=Blanks(self.blanks.policy, self.blanks.only), orders=Orders())

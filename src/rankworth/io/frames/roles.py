"""Which column of a table holds what: by its usual names, or as the user says."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from rankworth.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl

SPELLINGS: Final = {
    "query": (
        *("query", "query_id", "qid", "query-id", "q_id", "topic", "topic_id", "user_id", "userid", "user"),
        *("query text", "query_text"),
    ),
    "document": (
        *("document", "doc_id", "docno", "docid", "corpus-id", "corpus_id", "pid", "item_id", "itemid", "item"),
        *("document_id", "doc id"),
    ),
    "grade": ("grade", "relevance", "label", "rel", "rating"),
    "score": ("score", "prediction", "_score"),
    "rank": ("rank", "position", "doc position"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}
LISTS: Final = {
    "document": (
        *("documents", "docs", "doc_ids", "docids", "document_ids", "results", "hits", "ranking"),
        *("items", "item_ids", "recommendations"),
    ),
    "score": ("scores", "predictions"),
    "rank": ("ranks",),
    "grade": ("grades", "labels", "relevances", "ratings"),
}
"""what columns of lists are called besides"""
VALUES: Final = {"score": ("score", "rank"), "grade": ("grade",)}
"""what may tell a score or a grade; the first that is there does"""
ROW: Final = "row"
PLACE: Final = "place"
"""columns of a frame that was made of lists: the row and the place in its list, from 0, that a document comes from"""
NONE: Final[Mapping[str, str]] = MappingProxyType({})
_IDS: Final = ("query", "document")
BEIR: Final = "corpus-id"
"""how BEIR calls documents; it calls grades scores"""
_TEXTS: Final = {"query", "query text", "query_text"}
_NAMED: Final = {*SPELLINGS["score"], *SPELLINGS["rank"]}


def is_header(cells: Sequence[str], columns: Mapping[str, str] = NONE) -> bool:
    """Whether these are the names of columns, one of them that of the queries or the documents."""
    known = {*SPELLINGS["query"], *SPELLINGS["document"]}
    names = {cell.lower() for cell in cells}
    return bool(names & known) or bool({name for name in columns.values() if not name.isdecimal()} & set(cells))


def chosen(names: Sequence[Any], value: str, name: str, columns: Mapping[str, str] = NONE) -> dict[str, Any]:
    """Which column holds what; the query and the document are needed, the others are there if something tells them.

    A name that the user gives goes before the usual ones.

    Args:
        names: the names of all columns.
        value: `"score"` or `"grade"`.
        name: what messages call the table.
        columns: which column holds what, as the user says.

    Raises:
        InputError: `frame-columns`.

    """
    return Table(value, name, columns, tuple(names)).chosen()


@dataclass(frozen=True)
class Table:
    """What is asked of a table, and what messages say of it.

    Attributes:
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which column holds what, as the user says.
        names: the names of all its columns; text, except in pandas.
        first: the number of its first row: 1 in a file, 0 in a frame.

    """

    value: str
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    names: tuple[Any, ...] = ()
    first: int = 0

    def chosen(self) -> dict[str, Any]:
        """Which column holds what.

        Raises:
            InputError: `frame-columns`.

        """
        found = {what: self.needed(what) for what in _IDS}
        return found | self.told(found["document"])

    def within(self, names: Iterable[Any]) -> Self:
        """The records that a column holds, as a table of their own."""
        return replace(self, names=tuple(names))

    def needed(self, what: str) -> Any:  # noqa: ANN401 - see `names`
        """The one column that holds this.

        Raises:
            InputError: `frame-columns`.

        """
        column = self.one(what)
        if column is None:
            raise self.missing((what,))
        return column

    def told(self, document: object = None) -> dict[str, Any]:
        """The column that tells the value, and that of the subtopic, as far as they are there.

        Args:
            document: the column of the documents; BEIR, which has a name of its own for it, calls grades scores.

        Raises:
            InputError: `frame-columns`.

        """
        beir = self.value == "grade" and str(document).lower() == BEIR
        found: dict[str, Any] = {}
        for what in (*VALUES[self.value], *(["score"] if beir else [])):
            column = None if found else self.one(what)
            if column is not None:
                found["grade" if beir else what] = column
        subtopic = self.one("subtopic") if self.value == "grade" else None
        return found if subtopic is None else found | {"subtopic": subtopic}

    def one(self, what: str) -> Any:  # noqa: ANN401 - see `names`
        """The one column of the name that the user gives, or of one of its usual names; None where there is none.

        Raises:
            InputError: `frame-columns` where several columns could be meant.

        """
        roles = ("query", "document", *VALUES[self.value], "subtopic")
        taken = {self.columns[role] for role in roles if role in self.columns}
        free = [column for column in self.names if str(column) not in taken]
        found = (
            [column for column in self.names if what in self.columns and str(column) == self.columns[what]]
            or [column for column in free if str(column).lower() in SPELLINGS[what]]
            or [column for column in free if is_plural(column, what)]
        )
        if len(found) > 1:
            found = [column for column in found if str(column).lower() not in _beside(found)] or found
        if what == "subtopic":
            found = sorted(found, key=lambda column: [*SPELLINGS[what], str(column).lower()].index(str(column).lower()))
        elif len(found) > 1:
            raise InputError(
                "frame-columns",
                f"{self.name}: {quoted(found)} could all be the {what} column; the columns are {quoted(self.names, 8)}",
                remedy=f"keep one of them, rename the columns to query document {self.value}, or say which it is: "
                f"--columns {what}={found[0]}",
            )
        return found[0] if found else None

    def missing(self, sought: Sequence[str], why: str = "") -> InputError:
        """The error where no column holds what is needed: what was looked for, and what was found.

        Args:
            sought: what it could be, `("score", "rank")`.
            why: what else is to be said.

        """
        looked = " or ".join(dict.fromkeys(self.columns.get(what, what) for what in sought))
        return InputError(
            "frame-columns",
            f"{self.name}: there is no {looked} column; the columns are {quoted(self.names, 8)}",
            remedy=f"{why}rename the columns to query document {self.value}, or say which is which: "
            f"--columns {sought[0]}=NAME",
        )

    def check_said(self, inside: Iterable[Any] = ()) -> None:
        """Refuse a name that the user gives and that no column has.

        Args:
            inside: the names of fields in records that columns hold.

        Raises:
            InputError: `frame-columns`.

        """
        there = set(map(str, (*self.names, *inside)))
        for what in (*_IDS, *VALUES[self.value], *(["subtopic"] if self.value == "grade" else [])):
            if self.columns.get(what, "") not in {*there, ""}:
                raise self.missing((what,))

    def refuse_doubt(self, numbers: Iterable[Any], known: Iterable[Any]) -> None:
        """Refuse what tells no value where columns of unknown names may hold it.

        Args:
            numbers: the columns that may.
            known: the columns whose meaning is known.

        Raises:
            InputError: `frame-columns`.

        """
        used = list(known)
        doubtful = [name for name in self.names if name not in used and str(name).lower() in _NAMED]
        doubtful += [name for name in numbers if name not in used and name not in doubtful]
        if doubtful:
            raise self.missing(VALUES[self.value], f"if {quoted(doubtful)} tells the {self.value}s, say so; ")

    def at(self, frame: "pl.DataFrame", index: int) -> str:
        """Where a row of a frame stands in the table."""
        if PLACE not in frame.columns:
            return f"row {index + self.first}"
        return f"row {frame[ROW][index] + self.first}, item {frame[PLACE][index] + min(self.first, 1)}"

    def check_complete(self, frame: "pl.DataFrame", what: str) -> None:
        """Refuse a column with holes.

        Raises:
            InputError: `missing-value`.

        """
        if frame[what].null_count():
            rows = frame[what].is_null().arg_true()
            text = f"{self.name}: {self.at(frame, int(rows[0]))} has no {what}{such(rows)}"
            raise InputError("missing-value", text, remedy="drop or fill such rows")


def _beside(names: Iterable[Any]) -> set[str]:
    """Names that mean something else where they stand beside these: the text of a query, PyTerrier's row numbers."""
    return {*_TEXTS, "docid"} if "docno" in {str(name).lower() for name in names} else _TEXTS


def is_plural(column: object, what: str) -> bool:
    """Whether a column is called so only where it holds lists."""
    return str(column).lower() in LISTS.get(what, ())


def such(rows: "pl.Series") -> str:
    """How many rows are alike, if there are several."""
    return f" ({len(rows):,} such rows)" if len(rows) > 1 else ""

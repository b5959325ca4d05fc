"""Which column of a table holds what: by its usual names, or as the user says."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from rankworth.errors import InputError, quoted
from rankworth.io.lines import QRELS, RUN
from rankworth.io.reading import Orders

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
    "distance": ("distance", "_distance", "dist"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}
LISTS: Final = {
    "document": (
        *("documents", "docs", "doc_ids", "docids", "document_ids", "results", "hits", "ranking"),
        *("items", "item_ids", "recommendations"),
    ),
    "score": ("scores", "predictions"),
    "rank": ("ranks",),
    "distance": ("distances",),
    "grade": ("grades", "labels", "relevances", "ratings"),
}
"""what columns of lists are called besides"""
VALUES: Final = {"score": ("score", "rank", "distance"), "grade": ("grade",)}
"""what may tell a score or a grade; the first that is there does"""
SMALLER: Final = ("rank", "distance")
"""values of which the smaller one is better"""
ROW: Final = "row"
PLACE: Final = "place"
"""columns of a frame that was made of lists: the row and the place in its list, from 0, that a document comes from"""
NONE: Final[Mapping[str, str]] = MappingProxyType({})
_IDS: Final = ("query", "document")
RECORD: Final = ("id", "_id", "id_")
"""what a record in the list of a query may call its document besides"""
RECORDS: Final = {("score", "document"): RECORD, ("grade", "document"): RECORD, ("score", "score"): ("rating",)}
"""the same for judgements and for runs, of which those of ALS call scores ratings"""
BEIR: Final = ("corpus-id", "corpus_id")
"""how BEIR calls documents; it calls grades scores"""
_TEXTS: Final = {"query", "query text", "query_text"}
_NAMED: Final = {*SPELLINGS["score"], *SPELLINGS["rank"], *SPELLINGS["distance"]}


def is_header(cells: Sequence[str], columns: Mapping[str, str] = NONE) -> bool:
    """Whether these are the names of columns, one of them that of the queries or the documents."""
    known = {*SPELLINGS["query"], *SPELLINGS["document"]}
    names = {cell.lower() for cell in cells}
    said = {name for name in alike(columns) if name and not name.isdecimal()}
    return not known.isdisjoint(names) or not said.isdisjoint(cells)


def alike(columns: Mapping[str, str]) -> list[str]:
    """The names that a user gives, a distance (`-name`) both as it stands there and without its sign."""
    score = columns.get("score", "")
    return [*columns.values(), *([score[1:]] if is_negative(score) else [])]


def is_negative(name: str) -> bool:
    """Whether `-name` says that smaller values are better."""
    return name.startswith("-") and len(name) > 1


def chosen(names: Sequence[Any], value: str, name: str, columns: Mapping[str, str] = NONE) -> dict[str, Any]:
    """Which column of a file holds what; query and document are needed, the others are there if something tells them.

    A name that the user gives goes before the usual ones.

    Args:
        names: the names of all columns.
        value: `"score"` or `"grade"`.
        name: what messages call the table.
        columns: which column holds what, as the user says.

    Raises:
        InputError: `frame-columns`.

    """
    return Table(value, name, columns, tuple(names), first=1).chosen()


@dataclass(frozen=True)
class Table:
    """What is asked of a table, and what messages say of it.

    Attributes:
        value: `"score"` or `"grade"`.
        name: what messages call it.
        columns: which column holds what, as the user says.
        names: the names of all its columns; text, except in pandas.
        first: the number of its first row: 1 in a file, 0 in what a program has.
        noun: what messages call its columns.
        within: whether its rows are records in the list of a query, which need not name the query.
        ids: which ids a row has.
        orders: the lists that were met so far, and whether the run came as lists.

    """

    value: str
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    names: tuple[Any, ...] = ()
    first: int = 0
    noun: str = "column"
    within: bool = False
    ids: tuple[str, ...] = _IDS
    orders: Orders = field(default_factory=Orders, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Leave out the index that pandas writes into files, which its own frames do not have among their columns."""
        said = set(self.columns.values())
        names = tuple(name for name in self.names if not is_index(name) or name in said)
        object.__setattr__(self, "names", names)

    @cached_property
    def said_of(self) -> Mapping[str, str]:
        """What the user says, with `{"score": "-name"}` as a distance unless a column is called so."""
        score = str(self.columns.get("score", ""))
        if not is_negative(score) or score in map(str, self.names):
            return self.columns
        return {**self.columns, "score": "", "distance": score[1:]}

    def chosen(self) -> dict[str, Any]:
        """Which column holds what.

        Raises:
            InputError: `frame-columns`.

        """
        found = {what: self.needed(what) for what in self.ids[self.within :]}
        return found | self.told(found["document"])

    def records(self, names: Iterable[Any]) -> Self:
        """The records in lists of one of its columns, as a table of their own."""
        name = f"{self.name}: the records in lists"
        return replace(self, name=name, names=tuple(names), noun="field", within=True)

    def needed(self, what: str) -> Any:  # noqa: ANN401 - see `names`
        """The one column that holds this.

        Raises:
            InputError: `frame-columns`.

        """
        column = self.one(what)
        if column is None:
            raise self.missing((what,))
        return column

    @property
    def listed(self) -> str:
        """What columns there are."""
        return f"the {self.noun}s are {quoted(self.names, 8)}" if self.names else f"there are no {self.noun}s"

    def said(self, what: str, name: str = "NAME") -> str:
        """How a user says which column holds what."""
        return self.say({what: name})

    def say(self, columns: Mapping[str, str]) -> str:
        """The same of several columns."""
        in_python = f"columns={dict(columns)!r}"
        if not self.first:
            return in_python
        words = " ".join(shlex.quote(f"{what}={name}") for what, name in columns.items())
        both = "query" in columns or "document" in columns  # a name that is meant for this file alone
        option = "columns" if not both else "qrels-columns" if self.value == "grade" else "run-columns"
        return f"--{option} {words}, in Python {in_python}"

    def told(self, document: object = None) -> dict[str, Any]:
        """The column that tells the value, and that of the subtopic, as far as they are there.

        Args:
            document: the column of the documents; BEIR, which has a name of its own for it, calls grades scores.

        Raises:
            InputError: `frame-columns`.

        """
        beir = self.value == "grade" and str(document).lower() in BEIR
        found: dict[str, Any] = {}
        values = VALUES["score"]
        if not self.said_of.get("score"):
            values = next(((what,) for what in ("distance", "rank") if self.said_of.get(what)), values)
        for what in values if self.value == "score" else ("grade", *(["score"] if beir else [])):
            column = None if found else self.one(what)
            if column is not None:
                found["grade" if beir else what] = column
        subtopic = self.one("subtopic") if self.value == "grade" else None
        return found if subtopic is None else found | {"subtopic": subtopic}

    def one(self, what: str) -> Any:  # noqa: ANN401 - see `names`
        """The one column of the name that the user gives, or of one of its usual names; None where there is none.

        An empty name says that there is none.

        Raises:
            InputError: `frame-columns` where several columns could be meant.

        """
        said = self.said_of
        if said.get(what) == "" or (what == "distance" and what not in said and "score" in said):
            return None
        roles = ("query", "document", *VALUES[self.value], "subtopic")
        taken = {said[role] for role in roles if role in said}
        free = [column for column in self.names if str(column) not in taken]
        found = (
            [column for column in self.names if what in said and str(column) == said[what]]
            or [column for column in free if str(column).lower() in SPELLINGS[what]]
            or [column for column in free if is_plural(column, what)]
            or [column for column in free if self.within and str(column).lower() in RECORDS.get((self.value, what), ())]
        )
        if len(found) > 1:
            found = [column for column in found if str(column).lower() not in _beside(found)] or found
        if what == "subtopic":
            found = sorted(found, key=lambda column: [*SPELLINGS[what], str(column).lower()].index(str(column).lower()))
        elif len(found) > 1:
            raise InputError(
                "frame-columns",
                f"{self.name}: {quoted(found)} could all be the {what} {self.noun}; {self.listed}",
                remedy=f"keep one of them, {self._rename}, or say which it is: {self.said(what, str(found[0]))}",
            )
        return found[0] if found else None

    def missing(self, sought: Sequence[str], why: str = "", more: str = "") -> InputError:
        """The error where no column holds what is needed: all that is missing, and what was found.

        Args:
            sought: what it could be, `("score", "rank", "distance")`.
            why: what else is to be said, before what helps.
            more: what is to be said after it.

        """
        sought = [sought[0], *(what for what in sought[1:] if what in _IDS)]
        ids = [what for what in self.ids[self.within :] if what in sought or self._column(what) is None]
        value = next((what for what in sought if what not in _IDS), "" if self.within else self.value)
        free = [name for name in self.names if name not in {self._column(what) for what in ("query", "document")}]
        told = value in sought or any(self._column(what) is not None for what in VALUES[self.value])
        lists = is_plural(self._column("document"), "document")
        doubtful = value == "grade" and len(free) != len(ids) + 1
        if value and value not in sought and (told or lists or doubtful):
            value = ""
        lacking = [*ids, *filter(None, [value])]
        if not value:
            used = {self._column(what) for what in VALUES[self.value]}
            free = [name for name in free if name not in used]
        swapped = self._swapped if value else ""
        found = {} if swapped else guesses(lacking, free, self.columns)
        why = f"{swapped}{why}"
        if len(found) == len(lacking):
            remedy = f"{why}did you mean {self.say(found)}?\nor {self._rename}"
        else:
            names = {what: found.get(what, "NAME") for what in lacking}
            remedy = f"{why}{self._rename}, or say which is which: {self.say(names)}"
        text = f"{self.name}: there is {joined(list(map(self._lack, lacking)))}; {self.listed}"
        return InputError("frame-columns", text, remedy=remedy + more)

    @property
    def _swapped(self) -> str:
        """What is said first where the columns are those of a run instead of judgements, or the other way round."""
        other = "grade" if self.value == "score" else "score"
        ours, theirs = ({name for what in VALUES[value] for name in SPELLINGS[what]} for value in (self.value, other))
        names = {str(name).lower() for name in self.names}
        return (
            ""
            if self.within or names & ours or not names & theirs
            else f"{(RUN if self.value == 'score' else QRELS).exchanged}\n"
        )

    def _column(self, what: str) -> Any:  # noqa: ANN401 - see `names`
        """As `one`, the first where several could be meant."""
        try:
            return self.one(what)
        except InputError:
            return ""

    def _lack(self, what: str) -> str:
        name = self.columns.get(what)
        if name and name not in map(str, self.names):
            return f"no {self.noun} {quoted([name])}"
        return f"no {'score or rank' if what == 'score' else what} {self.noun}"

    @property
    def _rename(self) -> str:
        return f"rename the {self.noun}s to {' '.join((*self.ids[self.within :], self.value))}"

    def check_said(self, inside: Iterable[Any] = ()) -> None:
        """Refuse a name that the user gives and that no column has.

        Args:
            inside: the names of fields in records that columns hold.

        Raises:
            InputError: `frame-columns`.

        """
        there = {*map(str, (*self.names, *inside)), ""}
        roles = (*_IDS, *VALUES[self.value], *(["subtopic"] if self.value == "grade" else []))
        said = {what: str(self.columns.get(what, "")) for what in roles}
        if is_negative(said.get("score", "")) and said["score"][1:] in there:
            said.pop("score")
        if lacking := [what for what, name in said.items() if name not in there]:
            raise self.missing(lacking)

    def repeated(self, twice: Sequence[Any]) -> InputError:
        """The error for columns of one name."""
        text = f"{self.name}: {len(twice)} columns are called {twice[0]}; {self.listed}"
        return InputError("frame-columns", text, remedy="rename or remove those that are not meant")

    def refuse_doubt(self, numbers: Iterable[Any], known: Iterable[Any]) -> None:
        """Refuse what tells no value where columns of unknown names may hold it.

        Args:
            numbers: the columns that may.
            known: the columns whose meaning is known.

        Raises:
            InputError: `frame-columns`.

        """
        if self.columns.get(self.value) == "":
            return
        used = list(known)
        doubtful = [name for name in self.names if name not in used and str(name).lower() in _NAMED]
        doubtful += [name for name in numbers if name not in used and name not in doubtful]
        if doubtful:
            raise self.doubt(doubtful)

    def doubt(self, doubtful: Sequence[Any]) -> InputError:
        """The error where nothing tells the value, and columns of unknown names may."""
        text = f"{self.name}: there is {self._lack(self.value)}; {self.listed}"
        meant = [column for column in doubtful if str(column).lower() not in SPELLINGS["rank"]] or list(doubtful)
        name = signed(str(meant[0])) if self.value == "score" else str(meant[0])
        remedy = f"{self._swapped}if {quoted(doubtful)} tells the {self.value}s, say so: {self.said(self.value, name)}"
        other = f"if nothing does: {self.said('grade', '')}" if self.value == "grade" else "if not, leave it out"
        return InputError("frame-columns", text, remedy=f"{remedy}; {other}")

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


_WORDS: Final = {
    "query": "query q qid topic term search keyword keywords question session user prompt request utterance",
    "document": "document doc docno docid sku product asin item passage pid url page chunk context article movie "
    "corpus result hit answer entity id",
    "grade": "grade rel relevance relevant label rating gain judgement judgment stars clicks target gold truth",
    "score": "score sim similarity prob probability bm25 cosine logit logits weight confidence pred prediction dot "
    "relevance distance dist l2",
}
"""parts of names by which columns are probably what somebody means"""
_NO_VALUES: Final = {
    "timestamp",
    "time",
    "date",
    "day",
    "year",
    "text",
    "title",
    "name",
    "lang",
    "language",
    "type",
    "tag",
}
"""parts of names of columns that are neither scores nor grades"""
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")


def guesses(lacking: Sequence[str], names: Sequence[Any], said: Mapping[str, str]) -> dict[str, str]:
    """Which column is probably meant: by a name that somebody mistyped, by parts of names, or else by their order.

    Args:
        lacking: what no column holds.
        names: the columns that hold nothing else.
        said: the names that somebody gave.

    """
    from difflib import get_close_matches  # noqa: PLC0415 - for messages only

    free = list(map(str, names))
    found: dict[str, str] = {}

    def mistyped(what: str) -> list[str]:
        near = get_close_matches(said.get(what, "").lstrip("-").lower(), map(str.lower, free), 1)
        return [name for name in free if name.lower() in near]

    def likely(what: str) -> list[str]:
        return [name for name in free if {*_WORDS.get(what, what).split()} & _parts(name)]

    def in_order(what: str) -> list[str]:
        return free[:1] if what in _IDS else [name for name in free if not _NO_VALUES & _parts(name)][-1:]

    for way in (mistyped, likely, in_order):
        for what in lacking:
            if what not in found and (meant := way(what)):
                free.remove(meant[0])
                found[what] = signed(meant[0]) if what == "score" else meant[0]
    return {what: found[what] for what in SPELLINGS if what in found}


def signed(name: str) -> str:
    """A column of scores as options take it: `-name` where its name says distance, of which smaller ones are better."""
    is_distance = any(part.endswith(("distance", "distances")) or part == "dist" for part in _parts(name))
    return f"-{name}" if is_distance or name.lower() == "l2" else name


def _parts(name: str) -> set[str]:
    return {part.lower() for part in _PARTS.findall(name)}


def joined(texts: Sequence[str]) -> str:
    """Texts as a sentence lists them."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def is_index(name: object) -> bool:
    """Whether pandas calls an index so that has no name."""
    return re.fullmatch(r"__index_level_\d+__", str(name)) is not None


def is_plural(column: object, what: str) -> bool:
    """Whether a column is called so only where it holds lists."""
    return str(column).lower() in LISTS.get(what, ())


def unjudged(where: str, query: str, more: str = "") -> InputError:
    """The error for a query that is judged, but none of whose documents is, where rows cannot say that."""
    return InputError(
        "missing-value",
        f"{where}: query {quoted([query])} has no judgements{more}",
        remedy="leave it out, or judge a document of it, if only with grade 0",
    )


def such(rows: "pl.Series") -> str:
    """How many rows are alike, if there are several."""
    return f" ({len(rows):,} such rows)" if len(rows) > 1 else ""

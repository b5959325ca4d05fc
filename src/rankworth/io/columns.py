"""Which column of a table holds what: by its usual names, or as the user says."""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final, Self

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import grade_words
from rankworth.io.cells import separator_in
from rankworth.io.grade_words import Words
from rankworth.io.layout import QRELS, RUN
from rankworth.io.options import Orders
from rankworth.io.usual_names import _NAMES, QUERY_TEXTS, SPELLINGS, Groups

LISTS: Final = {
    "document": (
        *("documents", "docs", "doc_ids", "docids", "document_ids", "results", "hits", "ranking"),
        *("items", "item_ids", "recommendations", "ctxs"),
    ),
    "score": ("scores", "predictions"),
    "rank": ("ranks",),
    "distance": ("distances",),
    "grade": ("grades", "labels", "relevances", "ratings"),
}
"""what columns of lists are called besides"""
SIDES: Final = {("score", "document"): ("retrieved_context_ids",), ("grade", "document"): ("reference_context_ids",)}
"""what ragas calls the lists of a run and of judgements, which stand in one table"""
VALUES: Final = {"score": ("score", "rank", "distance"), "grade": ("grade",)}
"""what may tell a score or a grade; the first that is there does"""
SMALLER: Final = ("rank", "distance")
"""values of which the smaller one is better"""
USUAL: Final[Mapping[str, Groups]] = {
    role: (groups[0], LISTS.get(role, ()), *groups[1:]) for role, groups in _NAMES.items()
}
NONE: Final[Mapping[str, str]] = MappingProxyType({})
_PASSAGE: Final = "passage"
"""what umbrela calls the text of a document, which is its id where there is no other"""
_IDS: Final = ("query", "document")
_BEFORE_FURTHER: Final = 2
"""behind how many groups of usual names those stand that belong to one kind of table"""
RECORD: Final = ("id", "_id", "id_")
"""what a record in the list of a query may call its document besides"""
_WITHIN: Final = ("source", "file_path", "file_name", "url")
"""what tells documents in metadata where there is no id"""
RECORDS: Final = {("score", "document"): RECORD, ("grade", "document"): RECORD, ("score", "score"): ("rating",)}
"""the same for judgements and for runs, of which those of ALS call scores ratings"""
BEIR: Final = ("corpus-id", "corpus_id")
"""how BEIR calls documents; it calls grades scores"""
_TYPED: Final = re.compile(r"(.+):(?:token|float)(?:_seq)?")
_TEXTS: Final = {"query", *QUERY_TEXTS}
_SCORES: Final = {*SPELLINGS["score"], *SPELLINGS["rank"], *SPELLINGS["distance"]}
_KNOWN: Final = frozenset(chain(*SPELLINGS.values(), *LISTS.values()))


def is_header(cells: Sequence[str], columns: Mapping[str, str] = NONE) -> bool:
    """Return whether these are the names of columns, one of them that of the queries or the documents."""
    ids = {*SPELLINGS["query"], *SPELLINGS["document"]}
    named = {column.removeprefix("-") for column in columns.values()} | {*columns.values()}
    named.update(columns.get("query", "").split(","))
    return not ids.isdisjoint(cell.lower() for cell in cells) or any(
        cell in named for cell in cells if cell and not cell.isdecimal()
    )


def is_counted(column: str) -> bool:
    """Return whether a column is named by its number, or a query by several.

    >>> is_counted("3"), is_counted("-3"), is_counted("1,2"), is_counted("item")
    (True, True, True, False)
    """
    return column.removeprefix("-").replace(",", "").isdecimal()


def parts_of(name: object, names: Collection[Any]) -> tuple[str, ...]:
    """Return the columns that together name a query, `Language,Query`; none where it is a column, or one is missing.

    >>> parts_of("Language,Query", ["Language", "Query", "Url"])
    ('Language', 'Query')
    """
    parts = tuple(str(name).split(","))
    existing = {*map(str, names)}
    return parts if len(parts) > 1 and str(name) not in existing and existing.issuperset(parts) else ()


def bare_names(cells: Sequence[str]) -> list[str]:
    """Return the names of columns without the types that RecBole puts behind all of them.

    >>> bare_names(["user_id:token", "rating:float"])
    ['user_id', 'rating']
    """
    typed = [_TYPED.fullmatch(cell) for cell in cells]
    return [match[1] for match in typed if match] if all(typed) else list(cells)


def numbered(pattern: object, names: Iterable[Any], excluded: Iterable[Any] = ()) -> list[Any]:
    """Return the columns that a pattern stands for, whose `*` is a number, in the order of these numbers.

    Args:
        pattern: with one `*`; anything else stands for none.
        names: of all columns.
        excluded: names of columns that hold something else, or several of them, as `parts_of` has them.

    >>> numbered("item*", ["query", "item2", "item10", "item1", "items"])
    ['item1', 'item2', 'item10']
    """
    if not isinstance(pattern, str) or pattern.count("*") != 1:
        return []
    form, taken = (
        re.compile(re.escape(pattern).replace(r"\*", "([0-9]+)")),
        set(",".join(map(str, excluded)).split(",")),
    )
    free = (name for name in names if str(name) not in taken)
    matches = [(int(match[1]), name) for name in free if (match := form.fullmatch(str(name)))]
    return [name for _, name in sorted(matches, key=lambda pair: pair[0])]


def is_negative(name: str) -> bool:
    """Return whether `-name` says that smaller values are better."""
    return name.startswith("-") and len(name) > 1


def at(value: Any, path: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Return what stands at a path of keys, attributes and positions in lists (from 0); None where nothing does.

    A step `*` stands for the only key under which the rest of the path leads to something.

    >>> at({"fields": {"sku.id": ["s1"]}}, "fields.sku.id.0")
    's1'
    """
    if not path or value is None:
        return value
    steps = path.split(".")
    if steps[0] == "*" and isinstance(value, Mapping):
        inner = [item for each in value.values() if (item := at(each, path[2:])) is not None]
        return inner[0] if len(inner) == 1 else None
    if isinstance(value, Mapping):
        keys = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
        key = next((key for key in keys if key in value), None)
        return None if key is None else at(value[key], path[len(key) + 1 :])
    rest = ".".join(steps[1:])
    if isinstance(value, list | tuple) and steps[0].isdecimal():
        return at(value[int(steps[0])], rest) if int(steps[0]) < len(value) else None
    return at(getattr(value, steps[0], None), rest)


def leaves(value: Mapping[Any, Any]) -> list[str]:
    """List the paths of the values in an object; an inner object is listed by the paths of its own values.

    >>> leaves({"id": 1, "fields": {"sku": "s1", "price": 2}})
    ['id', 'fields.sku', 'fields.price']
    """
    paths = []
    for key, inner in value.items():
        paths += [f"{key}.{path}" for path in leaves(inner)] if isinstance(inner, Mapping) and inner else [str(key)]
    return paths


def likely_document(paths: Sequence[str]) -> str:
    """Guess the path that leads to the id of a document, by its last name; empty where none is likely.

    >>> likely_document(["title", "metadata.source"])
    'metadata.source'
    """
    names = {path.rpartition(".")[2].lower(): path for path in reversed(paths)}
    first, _, ids, *further = USUAL["document"]
    usual = (names[name] for name in chain(first, ids, RECORD, *further) if name in names)
    called = (path for path in names.values() if path.endswith(("_id", "-id", "Id", "ID", "uuid", "key", "sku")))
    return next(chain(usual, called, (names[name] for name in _WITHIN if name in names)), "")


@dataclass(frozen=True)
class Table:
    """The columns of a table: which holds what, and what messages say where one is missing.

    Attributes:
        value: `"score"` or `"grade"`.
        name: what messages call the table.
        columns: which column holds what, as the user says.
        names: the names of all its columns; text, except in pandas.
        first: the number of its first row: 1 in a file, 0 in Python.
        noun: what messages call its columns.
        within: whether its rows are records in the list of a query, which need not name the query.
        in_order: whether its rows have an order, which may be the ranking.
        orders: the lists that were met so far, and whether the run came as lists.
        grades: the grades that words mean.
        spellings: the usual names of its columns.

    """

    value: str
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    names: tuple[Any, ...] = ()
    first: int = 0
    noun: str = "column"
    within: bool = False
    in_order: bool = True
    orders: Orders = field(default_factory=Orders, compare=False, repr=False)
    grades: Words = field(default_factory=lambda: grade_words.NONE, repr=False)
    spellings: Mapping[str, Groups] = field(default_factory=lambda: USUAL, repr=False)

    def __post_init__(self) -> None:
        """Leave out the index that pandas writes into files, and let a column for each rank stand as one of lists."""
        named = set(self.columns.values())
        names = tuple(name for name in self.names if not is_index(name) or name in named)
        patterns = {name: numbered(name, names, named) for name in named if name not in names}
        inside = set(chain(*patterns.values()))
        several = (pattern for pattern, columns in patterns.items() if columns)
        object.__setattr__(self, "names", (*(name for name in names if name not in inside), *several))

    @property
    def named(self) -> Mapping[str, str]:
        """The names that the user gives; a score `-name` is the distance `name`, unless a column is called `-name`."""
        score = str(self.columns.get("score", ""))
        if not is_negative(score) or score in map(str, self.names):
            return self.columns
        return {**self.columns, "score": "", "distance": score[1:]}

    def chosen(self) -> dict[str, Any]:
        """Choose the column of each role.

        Raises:
            InputError: `frame-columns`.

        """
        if not self.in_order and (self.separator or any("*" in str(name) for name in self.columns.values())):
            remedy = "make a column of lists where the table comes from, or give a file or a frame of Polars or pandas"
            raise InputError("frame-columns", f"{self.name}: cells of this table are not taken apart", remedy=remedy)
        ids = {role: self.column_of(role) for role in _IDS[self.within :]}
        values = self.value_columns(ids["document"])
        if lacking := [role for role, column in ids.items() if column is None]:
            untold = set(VALUES[self.value]).isdisjoint(values) and not is_plural(ids["document"], "document")
            raise self.missing(*lacking, *([self.value] if untold and not self.within else []))
        roles = ids | values
        if doubled := [role for role in roles if list(roles.values()).count(roles[role]) > 1]:
            text = f"{self.name}: {' and '.join(doubled)} are both said to be the {self.noun} {roles[doubled[0]]}"
            raise InputError("frame-columns", text, remedy=f"give each a {self.noun} of its own; {self._listed}")
        return roles

    @property
    def separator(self) -> str:
        """What stands between documents in a cell, as the user says."""
        return "" if self.within else str(self.columns.get("separator", ""))

    def unread(self, chosen: Mapping[str, Any]) -> list[str]:
        """List the columns with names that are not read; ranks are left out, since scores tell them again."""
        read = {part for column in chosen.values() for part in (column, *str(column).split(","))}
        names = (name for name in map(str, self.names) if name not in read and not name.isdecimal())
        return [name for name in names if name.lower() not in SPELLINGS["rank"]]

    def records(self, names: Iterable[Any]) -> Self:
        """Return a table of the records in lists of one of its columns, with the names of their fields."""
        name = f"{self.name}: the records in lists"
        return replace(self, name=name, names=tuple(names), noun="field", within=True)

    def needed(self, role: str) -> Any:  # noqa: ANN401 - see `names`
        """Return the column that holds this; refuse a table without one.

        Raises:
            InputError: `frame-columns`.

        """
        column = self.column_of(role)
        if column is None:
            raise self.missing(role)
        return column

    def value_columns(self, document: object = None) -> dict[str, Any]:
        """Choose the column of the scores or grades, and that of the subtopics, as far as they exist.

        Args:
            document: the column of the documents; BEIR, which has a name of its own for it, calls grades scores.

        Raises:
            InputError: `frame-columns`.

        """
        named = [role for role in VALUES[self.value] if self.named.get(role)]
        usual = [role for role in VALUES[self.value] if role != "distance" or "score" not in self.columns]
        columns = ((role, self.column_of(role)) for role in named or usual)
        chosen = dict(islice(((role, column) for role, column in columns if column is not None), 1))
        if self.value == "score":
            return chosen
        if not chosen and str(document).lower() in BEIR and (score := self.column_of("score")) is not None:
            chosen = {"grade": score}
        subtopic = self.column_of("subtopic")
        return chosen if subtopic is None else chosen | {"subtopic": subtopic}

    def column_of(self, role: str, excluded: Collection[Any] = ()) -> Any:  # noqa: ANN401 - see `names`
        """Find a column by the name that the user gives, or by one of its usual names; None where there is none.

        An empty name says that there is none.

        Args:
            role: `query`, `document`, and so on.
            excluded: columns that hold something else.

        Raises:
            InputError: `frame-columns` where several columns could be meant.

        """
        key = "documents" if role == "document" and not self.within and "documents" in self.named else role
        name, taken = self.named.get(key), set(self.named.values())
        if name == "":
            return None
        matches = [column for column in self.names if str(column) == name]
        free = [column for column in self.names if str(column) not in taken and column not in excluded]
        usual = [*self.spellings[role]]
        usual[_BEFORE_FURTHER:_BEFORE_FURTHER] = [
            SIDES.get((self.value, role), ()),
            RECORDS.get((self.value, role), ()) if self.within else (),
        ]
        for names in usual:
            matches = matches or [column for column in free if str(column).lower() in names]
        if len(matches) > 1:
            matches = [column for column in matches if str(column).lower() not in _beside(matches)] or matches
        if role == "subtopic":
            matches.sort(key=lambda column: str(column).lower() in SPELLINGS[role][1:])
        elif len(matches) > 1:
            text = f"{self.name}: {quoted(matches)} could all be the {role} {self.noun}; {self._listed}"
            remedy = f"keep one of them, or say which it is: {self.option({role: str(matches[0])})}"
            raise InputError("frame-columns", text, remedy=remedy)
        return matches[0] if matches else None

    def option(self, columns: Mapping[str, str]) -> str:
        """Write how a user says which column holds what."""
        if "distance" in columns:
            columns = {"score": f"-{columns['distance']}"}
        in_python = f"columns={dict(columns)!r}"
        typed = " ".join(shlex.quote(f"{role}={name}") for role, name in columns.items())
        if not self.first or not typed.isprintable():
            return in_python
        return f"--columns {typed}, in Python {in_python}"

    def missing(self, *lacking: str, why: str = "", optional: bool = False) -> InputError:
        """Build the error for columns that are needed and do not exist.

        Args:
            lacking: what no column holds; grades are left out where the user says so.
            why: what else is to be said, before the remedy.
            optional: whether the scores may be missing; grades may always be.

        """
        lacking = tuple(role for role in lacking if role != "grade" or self.named.get(role) != "")
        if self.value in lacking and self._is_of_other_kind:
            why = f"{(RUN if self.value == 'score' else QRELS).exchanged}\n{why}"
        near = {role: nearest(self.named.get(role) or [*chain(*self.spellings[role])], self.names) for role in lacking}
        unfamiliar = [name for name in map(str, self.names) if name.lower() not in _KNOWN]
        ranks = [re.sub(r"[0-9]+$", "*", name) for name in unfamiliar if re.search(r"[0-9]$", name)]
        several = next((pattern for pattern in ranks if len(numbered(pattern, unfamiliar)) > 1), "")
        if several and "document" in near and "query" not in near:
            near = {role: several if role == "document" else name for role, name in near.items() if role != self.value}
        likely = {
            "document": _PASSAGE if _PASSAGE in unfamiliar else likely_document(unfamiliar),
            "score": next((name for name in unfamiliar if re.fullmatch(r"\w*score\w*", name, re.IGNORECASE)), ""),
        }
        near = {role: name or likely.get(role, "") for role, name in near.items()}
        named = self.option({role: name or "NAME" for role, name in near.items()})
        remedy = f"{why}did you mean {named}?" if all(near.values()) else f"{why}say which it is: {named}"
        if self.value in lacking and (optional or self.value == "grade"):
            remedy += f"\nif none holds {self.value}s: {self.option({self.value: ''})}"
        elif lacking == ("score",) and self.in_order and not self.named.get("score"):
            choice = f'--order given (order="given"), or {self.option({"score": ""})}'
            remedy = f"{why}if its rows are in rank order: {choice}\notherwise {remedy.removeprefix(why)}"
        if lacking == ("document",) and all(self.column_of(role) is not None for role in ("query", "grade", "score")):
            remedy += "\nif each row is an item without an id, as rankers have it, in Python: evaluate(labels=frame)"
        if "query" in lacking and (self.noun, self.value) == ("key", "score"):
            remedy += '\nif these are the hits of one query, put them under it: {"q1": [...]}'
        text = f"{self.name}: there is {joined(list(map(self._lack, lacking)))}; {self._listed}"
        return InputError("frame-columns", text, remedy=remedy)

    @property
    def _listed(self) -> str:
        names = [name for name in self.names if not parts_of(name, [other for other in self.names if other != name])]
        return f"the {self.noun}s are {quoted(names, 8)}" if names else f"there are no {self.noun}s"

    @property
    def _is_of_other_kind(self) -> bool:
        """Whether the columns are those of a run instead of judgements, or the other way round."""
        other = "grade" if self.value == "score" else "score"
        expected, opposite = (
            {name for role in VALUES[value] for name in SPELLINGS[role]} for value in (self.value, other)
        )
        names = {str(name).lower() for name in self.names}
        return not self.within and not names & expected and bool(names & opposite)

    def _lack(self, role: str) -> str:
        name = self.named.get(role)
        if name and name not in map(str, self.names):
            return f"no {self.noun} {quoted([name])}"
        return f"no {'score or rank' if role == 'score' else role} {self.noun}"

    def check_named(self, inside: Iterable[Any] = ()) -> None:
        """Refuse a name that the user gives and that no column has.

        Args:
            inside: the names of fields in records that columns hold.

        Raises:
            InputError: `frame-columns`.

        """
        existing = {*map(str, (*self.names, *inside)), ""}
        roles = (*_IDS, *VALUES[self.value], *(["subtopic"] if self.value == "grade" else []))
        score = str(self.columns.get("score", ""))
        named = self.columns if score in existing else self.named
        if lacking := [role for role in roles if named.get(role, "") not in existing]:
            raise self.missing(*lacking)

    def check_values(
        self, columns: Mapping[str, Any], numbers: Iterable[Any], *, listed: bool = False, cell: object = None
    ) -> None:
        """Refuse a table that does not tell its scores or grades, or in which other columns may hold them.

        Args:
            columns: which column holds what.
            numbers: the columns that may hold scores or grades.
            listed: whether documents stand in lists.
            cell: what the first row has for its document, for a message.

        Raises:
            InputError: `frame-columns`.

        """
        untold = set(VALUES[self.value]).isdisjoint(columns)
        plural = next((role for role, column in columns.items() if is_plural(column, role)), "")
        if plural and not listed:
            raise self.missing(plural, why=self._several(cell) or f"{quoted([columns[plural]])} holds no lists; ")
        if self.value == "score" and untold and not (listed or (self.in_order and self.columns.get("score") == "")):
            raise self.missing("score", why=self._several(cell))
        scores = [name for name in self.names if str(name).lower() in _SCORES]
        if untold and self.columns.get(self.value) != "" and not {*numbers, *scores} <= {*columns.values()}:
            raise self.missing(self.value, optional=True)

    def _several(self, cell: object) -> str:
        """Write how a user says that a cell holds several documents, where that may be; nothing otherwise."""
        sign = separator_in(cell)
        how = f"if a cell holds several documents, as {shortened(str(cell), 40)!r}"
        return f"{how}: {self.option({'separator': sign})}\n" if sign else ""

    def repeated(self, twice: Sequence[Any]) -> InputError:
        """Build the error for several columns of one name."""
        text = f"{self.name}: {len(twice)} columns are called {twice[0]}; {self._listed}"
        return InputError("frame-columns", text, remedy="rename or remove those that are not meant")

    def where(self, index: int) -> str:
        """Say where a row of a frame stands in the table."""
        return f"{self.name}: row {index + self.first}"


def _beside(names: Iterable[Any]) -> set[str]:
    """Return the names that mean something else beside these: the text of a query, PyTerrier's row numbers."""
    return {*_TEXTS, "docid"} if "docno" in {str(name).lower() for name in names} else _TEXTS


def nearest(names: str | Sequence[str], columns: Iterable[Any]) -> str:
    """Find the column whose name is spelled most like one of some names; empty where none is close.

    Args:
        names: a name that the user gave, or usual names, beside which other usual names are not meant.
        columns: the names of the columns that there are.

    """
    from difflib import get_close_matches  # noqa: PLC0415 - for messages only

    usual, sought = (False, [names.lower()]) if isinstance(names, str) else (True, names)
    meant = {*_KNOWN, *RECORD} if usual else set()
    existing = {str(name).lower(): str(name) for name in columns if str(name).lower() not in meant}
    for name in sought:
        if near := get_close_matches(name, existing, 1, 0.8 if usual else 0.6):
            return existing[near[0]]
    return ""


def joined(texts: Sequence[str]) -> str:
    """List texts as a sentence does."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def is_index(name: object) -> bool:
    """Return whether pandas calls an index so that has no name."""
    return re.fullmatch(r"__index_level_\d+__", str(name)) is not None


def is_plural(column: object, role: str) -> bool:
    """Return whether a column is called so only where it holds lists."""
    return str(column).lower() in (*LISTS.get(role, ()), *chain(*SIDES.values()))


def unjudged(where: str, query: str, more: str = "") -> InputError:
    """Build the error for a judged query without a judged document, where rows cannot say that."""
    return InputError(
        "missing-value",
        f"{where}: query {quoted([query])} has no judgements{more}",
        remedy="leave it out, or judge a document of it, if only with grade 0",
    )

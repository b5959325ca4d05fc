"""What a user says of a file: its format, its columns, the order of its rows, and what a row without a grade is."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io import grade_words
from rankworth.io.formats import READ
from rankworth.io.grade_words import Words
from rankworth.io.id_rules import IdRule
from rankworth.io.layout import QRELS, RUN, SPAN, Layout

if TYPE_CHECKING:
    import polars as pl


Blank = Literal["unjudged", "zero", "error"]
"""what a judgement without a grade means: nobody judged the document, its grade is 0, or something is wrong"""
_DIGITS: Final = 6
"""of the id of an item that is called by its position"""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


LISTED: Final = (
    "--run-columns query=@queries.txt, in Python run_columns={'query': '@queries.txt'} names a file with the query of "
    "each response, in their order"
)
"""how a user names the queries of responses of a search engine"""
COSTS: Final = ("tokens", "bytes", "milliseconds")
"""what the documents of a run may cost"""
ROLES_OF: Final[Mapping[Layout, Sequence[str]]] = {
    RUN: ("root", "separator", "query", "documents", "document", *SPAN, "text", "score", "rank", "rows", *COSTS),
    QRELS: ("root", "separator", "query", "documents", "document", *SPAN, "text", "grade", "subtopic"),
}
"""what columns of a run and of judgements may hold"""
IN_SOURCES: Final = "sources"
"""what is said of columns where documents are texts or spans that are sought in sources"""
_ROLES: Final = tuple(dict.fromkeys(chain(*ROLES_OF.values())))
OPTIONAL: Final = ("grade", "score", "document", "source")
"""what no column needs to hold; without documents, items are called by their position within the query, and
without the name of a source, spans are told by the usual names"""
RANKED: Final = ("query", "document", "score", "rank")
"""the columns of TREC's lines that tell scores and ranks; both are numbers then"""
LOOSELY_RANKED: Final = ("query", "document", "rank", "score")
"""the same columns where a rank may be anything; NaN where it is no number"""


@dataclass(frozen=True)
class Lists:
    """A run came as lists, each of which is the ranking of its query.

    Attributes:
        field: what their scores are called; empty where they have no name.
        is_order: whether the order alone ranks, whatever the scores say, as in responses of _rank_eval.
        query: of a response that does not say which one it answers, so that the name of its file does.

    """

    field: str = ""
    is_order: bool = False
    query: str = ""


class Orders:
    """How the documents of one run are ranked: all in one way, and by order only where a query has one list.

    Attributes:
        lists: how lists came; None for a table.
        set_of: the query whose documents came as a set, as messages call it; empty where none did.
        by_position: how many queries are called `0`, `1`, `2` ..., as nothing names them; 0 where something does.
        renamed: whether a rule for ids renamed a document.
        items: how many items without ids each query has, which are called by their position.
        spans: whether the documents are spans of sources.

    """

    def __init__(self) -> None:
        """Begin without lists and without an order."""
        self.spans = False
        self.lists: Lists | None = None
        self.set_of = ""
        self.by_position = 0
        self.renamed = False
        self.items: Counter[str] = Counter()
        self._met: dict[str, tuple[Callable[[int], str], int]] = {}
        self._rows: dict[str, int] = {}
        self._way = self._first = ""

    @property
    def has_scores(self) -> bool:
        """Whether the rows that were read have scores, and not ranks or an order alone."""
        return not self._way.startswith(("rank", "order"))

    @property
    def has_ranks(self) -> bool:
        """Whether a column of ranks tells the ranking, or lists do, which stand in its order."""
        return self.lists is not None or self._way == "rank"

    def ranked(self, queries: Iterable[str]) -> list[int]:
        """Return scores of rows that stand in the order of the ranking: -1, -2, -3 ... within each query.

        Args:
            queries: of each row, behind those that were ranked before.

        """
        scores = []
        for query in queries:
            self._rows[query] = rank = self._rows.get(query, 0) + 1
            scores.append(-rank)
        return scores

    def positions(self, queries: Iterable[str]) -> list[str]:
        """Return ids of items that have none: the position within the query, from 0, with as many digits everywhere.

        So of equal scores the later item comes first where ties are broken by descending id, as in `labels.ranked`.

        Args:
            queries: of each item, behind those that were met before.

        """
        names = []
        for query in queries:
            names.append(f"{self.items[query]:0{_DIGITS}d}")
            self.items[query] += 1
        return names

    @property
    def has_rank_column(self) -> bool:
        """Whether the rows that were read have ranks, and no scores."""
        return self._way.startswith("rank")

    def refuse_sets(self, needed_by: str) -> None:
        """Refuse documents without an order.

        Args:
            needed_by: what needs an order.

        Raises:
            InputError: `input-type`.

        """
        if self.set_of:
            text = f"{self.set_of} holds a set, which has no order, and {needed_by} needs one"
            remedy = "give a list, best document first, or {document: score}; P, R and F without a cutoff take sets"
            raise InputError("input-type", text, remedy=remedy)

    def agree(self, way: str, where: str, lists: Lists | None = None) -> None:
        """Refuse files of one run that are ranked in different ways.

        Args:
            way: `score`, `rank` or `order`.
            where: the file.
            lists: how lists came, where each is the ranking of its query.

        Raises:
            InputError: `frame-columns`.

        """
        way = way if lists is None else f"{way} in lists by query"
        if self._way not in ("", way):
            text = f"{where}: here the documents are ranked by {way}, in {self._first} by {self._way}"
            raise InputError("frame-columns", text, remedy="the files of one run are ranked alike; give scores in all")
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
                at, before = self._met[query]
                text = f"query {quoted([query])} has a list again (first: {at(before)}), so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", f"{where(row)}: {text}", remedy=remedy)
            self._met[query] = where, row


class Blanks:
    """What becomes of judgements without a grade, and how many were met."""

    def __init__(self, policy: str = "unjudged", only: Collection[str] | None = None) -> None:
        """Begin with no grade counted as missing.

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
        """Apply the policy to judgements without a grade, and return those that count.

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
            has = "judgement has" if count == 1 else "judgements have"
            text = f"{where}: {count:,} {has} no grade; the first is that of document {quoted([document])} for query"
            remedy = "fill them in, or say what they mean: --blank unjudged or zero, in Python blank='unjudged'"
            raise InputError("missing-value", f"{text} {quoted([query])}", remedy=remedy)
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
            text = f"{where}: no judgement has a grade ({self.count:,} {'is' if self.count == 1 else 'are'} blank)"
            remedy = "fill them in, or say that they mean 0: --blank zero, in Python blank='zero'"
            raise InputError("missing-value", text, remedy=remedy)


@dataclass(frozen=True)
class Reading:
    """What a user says of a file.

    Attributes:
        format: one of `rankworth.io.formats.READ`; detected from the content where empty.
        columns: which column holds what, `{"query": "term"}`; a number counts columns from 1 where there is no header;
            `{"grade": ""}` where no column tells grades, so that all are 1; `{"score": ""}` where ranks are to count,
            or the order of rows where there are none; `{"query": ""}` where rows are of no query, as those of chunks.
        split: which judgements of a BEIR folder; `test` where empty.
        blanks: what becomes of judgements without a grade.
        grades: the grades that words mean.
        orders: of all files that are read with it.
        option: what options about the file begin with; by default what its layout is called.
        is_specific: whether columns are named for this file, and not for all files of a command.
        ids: how documents are renamed; None where their ids count as they are.

    """

    format: str = ""
    columns: Mapping[str, str] = field(default_factory=lambda: _NONE)
    split: str = ""
    blanks: Blanks = field(default_factory=Blanks, compare=False, repr=False)
    grades: Words = field(default_factory=lambda: grade_words.NONE)
    orders: Orders = field(default_factory=Orders, compare=False, repr=False)
    option: str = ""
    is_specific: bool = True
    ids: IdRule | None = None

    def __post_init__(self) -> None:
        """Refuse what is no format, no column and no grade; numbers of columns become text.

        Raises:
            UsageError: `unknown-format`, `unknown-setting`.

        """
        if self.format and self.format not in READ:
            raise UsageError("unknown-format", f"there is no format {self.format!r}; there are {' '.join(READ)}")
        in_sources = {IN_SOURCES: ""} if self.ids is not None and self.ids.is_of_sources else {}
        said = {role: name for role, name in self.columns.items() if role not in in_sources}
        object.__setattr__(self, "columns", checked_columns(said, _ROLES, (*OPTIONAL, "query")) | in_sources)
        object.__setattr__(self, "grades", grade_words.checked(self.grades))

    def afresh(self) -> "Reading":
        """Copy this reading for files that are read once more, with nothing counted yet."""
        return replace(self, blanks=Blanks(self.blanks.policy, self.blanks.only), orders=Orders())


def refuse_roles(layout: Layout, columns: Mapping[str, str]) -> None:
    """Refuse columns that a run or judgements do not have.

    Args:
        layout: `RUN` or `QRELS`.
        columns: which column holds what, as the user says.

    Raises:
        UsageError: `unknown-setting`.

    """
    checked_columns(columns, ROLES_OF[layout], OPTIONAL)


def refuse_again(thing: str, **settings: object) -> None:
    """Refuse what says how a run or judgements are read, where they are read already.

    Args:
        thing: `Run` or `Qrels`.
        **settings: by name; empty where nothing is said.

    Raises:
        UsageError: `conflicting-options`.

    """
    for name, value in settings.items():
        if value:
            text = f"{name}={value!r} says how a {thing} is read, and this one is read already"
            raise UsageError("conflicting-options", text, remedy=f"{thing}(source, {name}={value!r})")


def refuse_of_objects(called: str, **settings: str) -> None:
    """Refuse what says how a file is read, where an object of a program is given.

    Args:
        called: what messages call the object.
        **settings: by name; empty where nothing is said.

    Raises:
        UsageError: `conflicting-options`.

    """
    for name, value in settings.items():
        if value:
            text = f"{called}: {name}={value!r} says how a file is read, and this is no file"
            raise UsageError("conflicting-options", text, remedy=f"leave {name} out")


def checked_columns(columns: Mapping[str, str], roles: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str]:
    """Check which columns a user names; numbers of columns become text.

    Args:
        columns: which column holds what.
        roles: what columns may hold.
        optional: what no column needs to hold, which an empty name says.

    Raises:
        UsageError: `unknown-setting`.

    """
    for role, column in columns.items():
        if role not in roles:
            raise UsageError("unknown-setting", f"columns: {quoted([role])} is not one of {' '.join(roles)}")
        if not isinstance(column, str | int) or (column == "" and role not in optional):
            raise UsageError("unknown-setting", f"columns: {role}={column!r} is not the name of a column")
    return {role: str(column) for role, column in columns.items()}


@dataclass(frozen=True)
class Described:
    """Judgements as a user has them, and how they are to be read."""

    source: object
    columns: Mapping[str, str]
    blank: Blank = "unjudged"
    format: str = ""
    split: str = ""
    grades: Words = field(default_factory=lambda: grade_words.NONE)
    ids: IdRule | None = None


def cost_column(text: object) -> dict[str, str]:
    """Read which column of runs says what documents cost: `tokens`, or `tokens=n_tokens`; nothing for None.

    Raises:
        UsageError: `unknown-setting`.

    >>> cost_column("tokens"), cost_column("bytes=size"), cost_column(None)
    ({'tokens': 'tokens'}, {'bytes': 'size'}, {})
    """
    if text is None:
        return {}
    what, sign, column = text.partition("=") if isinstance(text, str) else ("", "", "")
    if what not in COSTS or (sign and not column):
        remedy = "as in --cost tokens or --cost tokens=n_tokens (cost='tokens=n_tokens')"
        if isinstance(text, Mapping):
            remedy = "costs by document belong to a run: Run(run).with_costs({document: 120})"
        raise UsageError(
            "unknown-setting", f"cost={text!r}: it is one of {' '.join(COSTS)}, or WHAT=COLUMN", remedy=remedy
        )
    return {what: column or what}

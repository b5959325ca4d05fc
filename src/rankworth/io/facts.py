"""What is known of the rows of a run or of judgements once they are read: facts for messages, signatures and checks."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl

_DIGITS: Final = 6
"""of the id of an item that is called by its position"""


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


@dataclass(frozen=True)
class Facts:
    """What is known of the rows that were read.

    Attributes:
        way: what ranks the documents of a run: `score`, `distance`, `rank` or `order`; empty where no row was read.
        lists: how lists came; None for a table.
        set_of: the query whose documents came as a set, as messages call it; empty where none did.
        by_position: how many queries are called `0`, `1`, `2` ..., as nothing names them; 0 where something does.
        renamed: whether a rule for ids renamed a document.
        items: how many items without ids each query has, which are called by their position.
        judges: how one grade was made of those of several judges, as signatures say it; empty where nothing was said.
        spans: whether the documents are spans of sources.
        blanks: how many judgements have no grade.
        tags: by file of TREC's lines, the tag in its last row.
        unread: by file, the first cells, as text, of columns and of keys of JSON lines that nobody reads.

    """

    way: str = ""
    lists: Lists | None = None
    set_of: str = ""
    by_position: int = 0
    renamed: bool = False
    items: Mapping[str, int] = field(default_factory=dict)
    judges: str = ""
    spans: bool = False
    blanks: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    @property
    def has_scores(self) -> bool:
        """Whether the rows have scores, and not ranks or an order alone."""
        return self.way not in ("rank", "order")

    @property
    def has_rank_column(self) -> bool:
        """Whether the rows have ranks, and no scores."""
        return self.way == "rank"

    @property
    def has_ranks(self) -> bool:
        """Whether a column of ranks tells the ranking, or lists do, which stand in its order."""
        return self.lists is not None or self.has_rank_column

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


class Observed:
    """Collects facts while the files or the rows of one run, or of judgements, are read.

    All documents of a run are ranked in one way, and by order only where a query has one list.

    Attributes:
        facts: what is known so far.
        kinds: whether ids came as integers.

    """

    def __init__(self) -> None:
        """Begin before the first row."""
        from rankworth.io.validate import IdKinds  # noqa: PLC0415 - imports NumPy, which a mistaken command does not need

        self.facts = Facts()
        self.kinds = IdKinds()
        self._items: Counter[str] = Counter()
        self._ranked: dict[str, int] = {}
        self._met: dict[str, tuple[Callable[[int], str], int]] = {}
        self._first = ""
        """where rows were ranked first"""
        self._is_listed = False
        """whether these stood in lists"""

    def note(self, **facts: Any) -> None:  # noqa: ANN401 - as `Facts` has them
        """Note some facts."""
        self.facts = replace(self.facts, **facts)

    def note_unread(self, file: str, columns: Mapping[str, Sequence[str]]) -> None:
        """Note the columns of a file that nobody reads, with their first cells."""
        self.note(unread={**self.facts.unread, file: columns})

    def note_dicts(self, dicts: Mapping[Any, Any]) -> None:
        """Note the types of ids in a dict of dicts; of documents, up to the first dict with a text."""
        kinds = self.kinds.with_ids("query", dicts)
        for part in dicts.values():
            if part and isinstance(part, Mapping):
                kinds = kinds.with_ids("document", part)
                if not kinds.document:
                    break
        self.kinds = kinds

    def note_frame(self, frame: "pl.DataFrame") -> None:
        """Note the types of the columns of ids of a frame."""
        for role in ("query", "document"):
            self.note_ids(role, [0 if frame[role].dtype.is_integer() else ""])

    def note_ids(self, role: str, ids: Iterable[object]) -> None:
        """Note the types of some ids.

        Args:
            role: `"query"` or `"document"`; nothing is noted of others.
            ids: as they came.

        """
        self.kinds = self.kinds.with_ids(role, ids)

    def ranked(self, queries: Iterable[str]) -> list[int]:
        """Return scores of rows that stand in the order of the ranking: -1, -2, -3 ... within each query.

        Args:
            queries: of each row, behind those that were ranked before.

        """
        scores = []
        for query in queries:
            self._ranked[query] = rank = self._ranked.get(query, 0) + 1
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
            names.append(f"{self._items[query]:0{_DIGITS}d}")
            self._items[query] += 1
        self.note(items=dict(self._items))
        return names

    def agree(self, way: str, where: str, lists: Lists | None = None) -> None:
        """Refuse files of one run that are ranked in different ways.

        Args:
            way: `score`, `distance`, `rank` or `order`.
            where: the file.
            lists: how lists came, where each is the ranking of its query.

        Raises:
            InputError: `frame-columns`.

        """
        is_listed, known = lists is not None, self.facts.way
        if known and (known, self._is_listed) != (way, is_listed):
            ways = [
                f"{each} in lists by query" if in_lists else each
                for each, in_lists in ((way, is_listed), (known, self._is_listed))
            ]
            text = f"{where}: here the documents are ranked by {ways[0]}, in {self._first} by {ways[1]}"
            raise InputError("frame-columns", text, remedy="the files of one run are ranked alike; give scores in all")
        if not known:
            self._first, self._is_listed = where, is_listed
            self.note(way=way)
        if is_listed and self.facts.lists is None:
            self.note(lists=lists)

    def refuse_repeated(self, queries: Iterable[str], where: Callable[[int], str]) -> None:
        """Refuse lists of queries that have one already.

        Args:
            queries: whose they are.
            where: gives the place of each, for messages.

        Raises:
            InputError: `duplicate-document`.

        """
        for row, query in enumerate(queries):
            if query in self._met:
                at, before = self._met[query]
                text = f"query {quoted([query])} has a list again (first: {at(before)}), so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", f"{where(row)}: {text}", remedy=remedy)
            self._met[query] = where, row

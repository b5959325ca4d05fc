"""Runs that stay in an engine: what is wrong with them is found there, and nothing but counts comes out."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import duplicates
from rankworth.io.columns import NONE
from rankworth.io.reading import Lists
from rankworth.judging.duckdb.columns import scan
from rankworth.judging.duckdb.scan import QUERY, TEXTS, VIEW, Scan
from rankworth.judging.duckdb.sql import AGAIN, text
from rankworth.model import Run
from rankworth.tables.frames import FrameLibrary, to_library

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_SOME: Final = 1000
_HOLES: Final = {what: f"{what} IS NULL" for what in ("query", "document", "score")} | {"finite score": "isnan(score)"}
"""conditions on rows, by what those lack for which one holds"""
_MARKS: Final = 1000
"""how many documents that are there twice are looked at, for a message"""


@dataclass(frozen=True)
class Door:
    """Files that an engine reads.

    Attributes:
        order: the column that tells where each row stands.
        read: reads them here, for the message that this gives where something is wrong with them.
        odd: the condition on rows that may be wrong; empty where nothing else may.

    """

    order: str
    read: Callable[[], None]
    odd: str = ""


class Related(Run):
    """A run that is a relation of an engine, spilled to its disk where memory ends; made by `evaluate`."""

    scan: Scan
    door: Door | None
    """the files that the engine reads, where it is files"""
    came: Lists | None
    """how lists came; None for rows of one document each"""
    engine: ClassVar[str] = "duckdb"

    def __init__(
        self,
        source: Any,  # noqa: ANN401 - of DuckDB
        name: str = "",
        columns: Mapping[str, str] = NONE,
        *,
        door: Door | None = None,
    ) -> None:
        """Find the columns; no row is read before `counts` are asked for.

        Args:
            source: the relation.
            name: what tables call it.
            columns: which column holds what, where its name does not tell.
            door: the files that it reads, where it is files.

        Raises:
            InputError: `frame-columns`, `id-type`, `bad-score`, `input-type`.

        """
        self._set(source=source, name=name, format="", columns=columns, mapping=None, files=(), frame=None)
        self._set(door=door, empty=frozenset())
        self._set(scan=self._scan(columns))
        self._set(came=None if self.scan.lists is None else Lists(self.scan.lists.field))

    def __post_init__(self) -> None:
        """Nothing is left to be found out."""

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Related({self.size:,} rows, name={self.name!r})"

    def _set(self, **attributes: object) -> None:
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)

    def _scan(self, columns: Mapping[str, str], by_rank: Scan | None = None) -> Scan:
        """How rows are found."""
        order = "" if self.door is None else self.door.order
        return scan(self.source, self._called, columns, order=order, by_rank=by_rank)

    def _with(self, **attributes: object) -> Self:
        """The same run with some things different."""
        other = object.__new__(type(self))
        other._set(**self.__dict__)
        other._set(**attributes)
        return other

    def called(self, name: str) -> Self:
        """The same run under another name."""
        return self._with(name=name, scan=replace(self.scan, name=f"run {name}"))

    def only(self, queries: Collection[str]) -> Self:
        """A run with the rows of some queries; what is wrong with others does not matter.

        Args:
            queries: their ids.

        """
        ids = ", ".join("'" + query.replace("'", "''") + "'" for query in sorted(queries))
        some = self.source.filter(f"{text(self.scan.id)} IN ({ids})")
        run = type(self)(some, self.name, self.columns, door=self.door)
        object.__setattr__(run, "kept", frozenset(queries))
        return run

    def renamed(self, queries: Mapping[str, str]) -> Self:
        """The same run with other ids of queries.

        Args:
            queries: what each is to be called.

        """
        names = pl.DataFrame(
            {"query": list(queries), "called": list(queries.values())},
            schema=dict.fromkeys(("query", "called"), pl.String),
        )
        rows = (
            f"SELECT names.called AS query, rows.* EXCLUDE (query) FROM ({self.scan.rows}) rows "
            f"JOIN names ON {text('rows.query')} = names.query"
        )
        counts = self.counts.with_columns(pl.col("query").replace_strict(names["query"], names["called"])).sort("query")
        found = replace(self.scan, rows=rows, names=names, query_type=pl.String(), lists=None)
        return self._with(scan=found, counts=counts, order=None, ranked=None)

    @cached_property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.counts["rows"].sum())

    @cached_property
    def counts(self) -> pl.DataFrame:
        """How many rows each query has, `query, rows`, of those that have some; and what `_looked_at` tells besides.

        Raises:
            InputError: `missing-value`, `bad-score`, `empty-input`, `frame-columns`, `duplicate-document`.

        """
        try:
            self._looked_at  # noqa: B018 - a property that may fail
        except InputError as error:
            if "memory" not in str(error).lower():
                self._read_here()
            raise
        found = self._looked_at.filter((pl.col("rows") > 0).fill_null(value=False))
        if self._looked_at["bad"].any() or self._looked_at["query"].has_nulls():
            self._read_here()
            refuse_lists(self.scan)
            refuse_rows(self.scan, _HOLES)
        if not found.height:
            self._read_here()
            what = "every list of documents is empty" if self._looked_at.height else "the relation has no rows"
            remedy = "is this the relation that was meant? does a filter leave nothing of it?"
            if self.kept is not None:
                text = f"{self.scan.name} has none of the queries asked for: {quoted(sorted(self.kept))}"
                raise InputError("no-common-queries", text, remedy="ids are compared to the letter")
            raise InputError("empty-input", f"{self.scan.name}: {what}", remedy=remedy)
        if self.scan.lists is not None and not self.scan.lists.scores:
            twice = found.filter(pl.col("lists") > 1)["query"].to_list()
            if twice:
                text = f"{self.scan.name}: {quoted(twice)}: a query has a list again, so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", text, remedy=remedy)
        return found

    @cached_property
    def _looked_at(self) -> pl.DataFrame:
        """How many rows each query has, and whether something is wrong with one; of lists, in how many rows it stands.

        Few numbers are kept of each query, since there may be many; lists come out row by row.
        """
        if (lists := self.scan.lists) is not None:
            holes = [*lists.holes.values(), lists.unequal, *(f"{number} > 0" for number in (*lists.nulls, lists.odd))]
            bad = " OR ".join(f"({one})" for one in holes if one)
            asked = f"{text(self.scan.id)} AS query, CAST(len({lists.documents}) AS BIGINT) AS rows"
            rows = self.scan.given(f"SELECT {asked}, coalesce({bad}, true) AS bad FROM {VIEW}")
            rows = rows.with_columns((pl.col("rows") > 0).cast(pl.Int64).alias("lists"))
            if rows["query"].n_unique() < rows.height:
                rows = rows.group_by("query").agg(pl.col("rows").sum(), pl.col("bad").any(), pl.col("lists").sum())
            return rows.sort("query")
        odd = [self.door.odd] if self.door is not None and self.door.odd else []
        bad = " OR ".join([*_HOLES.values(), *odd])
        asked = f"{QUERY}, count(*) AS rows, count(*) FILTER ({bad}) > 0 AS bad"
        return self.scan.ask(f"SELECT {asked} FROM run GROUP BY query").sort("query")

    def _read_here(self) -> None:
        """Let the reader of files say what is wrong with them, if it finds something."""
        if self.door is not None:
            self.door.read()

    @property
    def lists(self) -> Lists | None:
        """How lists came, each of which is the ranking of its query; None for rows of one document each."""
        return self.came

    @property
    def is_listed(self) -> bool:
        """Whether each query is one row that holds lists."""
        return self.scan.lists is not None and bool((self.counts["lists"] == 1).all())

    @cached_property
    def ranked(self) -> Scan | None:
        """The same rows with their ranks for scores; None where nothing tells ranks.

        Raises:
            InputError: `bad-score`, where a column of ranks holds no numbers.

        """
        try:
            return self._scan({**self.columns, "score": ""})
        except InputError as error:
            if error.slug == "frame-columns":
                return None
            raise

    @cached_property
    def order(self) -> list[str] | None:
        """The queries as they come, where a column `position` says so; None where they do not stand one by one."""
        if not self.scan.has_position or self.scan.lists is not None:
            return None
        places = f"min(position) AS begin, max(position) AS end, {_lacks('position')} AS lacks"
        rows = self.scan.ask(f"SELECT {QUERY}, {places} FROM run GROUP BY query").sort("begin")
        apart = (rows["begin"].shift(-1) > rows["end"]).fill_null(value=True).all()
        return rows["query"].to_list() if apart and not rows["lacks"].any() else None

    @cached_property
    def unplaced(self) -> str:
        """Why rows have no order although something tells their places: nothing where they have one.

        Raises:
            InputError: `missing-value`, `bad-score`, where a column of positions holds no numbers.

        """
        if self.scan.lists is not None:
            twice = self.counts.filter(pl.col("lists") > 1)["query"].to_list()
            return f"{quoted(twice)}: a query has a list again, and rows have no order" if twice else ""
        if self.door is not None:
            return ""
        if self.scan.no_position is not None:
            raise self.scan.no_position
        refuse_rows(self.scan, {"position": "position IS NULL", "finite position": "NOT isfinite(position)"})
        repeated = next(self._repeats(self.scan, "query", "position"), None)
        if repeated is None:
            return ""
        query, position, times = repeated.row(0)
        return f"query {quoted([query])} has the position {position:g} {times:,} times"

    def batches(self, progress: "Progress | None" = None, *, ranks: bool = False) -> Iterator[pl.DataFrame]:  # noqa: ARG002 - of a file
        """All rows, for what is not judged."""
        yield self._rows(self._ordered).select(
            "query", "document", "score", *(["rank"] if ranks and self.has_ranks else [])
        )

    def some(self, queries: Sequence[str]) -> list[tuple[str, str]]:
        """Some of the documents of some queries, for a message.

        Args:
            queries: their ids.

        """
        asked = pl.DataFrame({"query": queries}, schema={"query": pl.String})
        texts = f", texts AS (SELECT {TEXTS} FROM run) SELECT * FROM texts SEMI JOIN queries USING (query)"
        return self.scan.ask(f"{texts} LIMIT {_SOME}", asked).rows()

    @property
    def has_ranks(self) -> bool:
        """Whether there is a column of ranks."""
        return self.scan.has_ranks

    def by_rank(self) -> Self | None:
        """The same run with its column of ranks beside the scores; None where there is none.

        Raises:
            InputError: `missing-value`, `bad-score`, `duplicate-document`, where ranks cannot be trusted.

        """
        if self.ranked is None:
            return None
        try:
            Related(self.source, self.name, {**self.columns, "score": ""}, door=self.door).counts  # noqa: B018
        except InputError as error:
            if error.slug == "frame-columns":
                return None
            raise
        return self._with(scan=self._scan(self.columns, self.ranked))

    def queries(self) -> list[str]:
        """The ids of all queries, as they come where that is known, and else in the order of their bytes."""
        return self.order or sorted(self.counts["query"].to_list())

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """All rows, taken out of the engine."""
        return to_library(self._rows(self._ordered).to_dict(), library)

    def refuse_duplicates(self, rows: Scan) -> None:
        """Look for documents that a query ranks twice.

        In lists each is looked at for itself. Rows are told by hashes, which come out, and then by the ids of those
        that are alike; where memory is short, in several passes over a part of the hashes each.

        Args:
            rows: those that count.

        Raises:
            InputError: `duplicate-document`, `changed-file`.

        """
        if rows is self.scan and rows.lists is not None and self.is_listed:
            again = f"len({rows.lists.documents}) <> list_unique({rows.lists.documents})"
            found = self.scan.given(f"SELECT {self.scan.id} AS query FROM {VIEW} WHERE {again} LIMIT {_MARKS}")
            if found.height:
                pairs = _pairs("query, document", "WHERE query IN (SELECT query FROM queries)")
                raise duplicates.counted(rows.name, rows.ask(pairs, found, only=True))
            return
        for twice in self._repeats(rows, "query", "document"):
            raise duplicates.counted(rows.name, twice)

    def _repeats(self, rows: Scan, *columns: str) -> Iterator[pl.DataFrame]:
        """Pairs that are there twice, with how many times, some of them in each frame.

        Raises:
            InputError: `changed-file`, where there are more rows or fewer than before.

        """
        pair = ", ".join(columns)
        hashed = f"SELECT hash({pair}) AS mark FROM run"
        passes, total = rows.passes(self.size), 0
        for number in range(passes):
            some = f"SELECT mark FROM ({hashed}) WHERE mark % {passes} = {number}" if passes > 1 else hashed
            marks = rows.ask(some).to_series()
            total += marks.len()
            if marks.n_unique() < marks.len():
                twice = marks.filter(marks.is_duplicated()).unique().head(_MARKS)
                pairs = _pairs(pair, f"WHERE hash({pair}) IN ({', '.join(map(str, twice))})")
                found = rows.ask(pairs)
                if found.height:
                    yield found
        if rows is self.scan and total != self.size:
            message = f"{rows.name}: there were {self.size:,} rows, and then {total:,}"
            raise InputError("changed-file", message, remedy=AGAIN)

    @property
    def _ordered(self) -> str:
        """How rows are brought into the order in which they came, as far as it is known."""
        return "ORDER BY position ASC" if self.scan.has_position and self.scan.lists is None else ""

    def _rows(self, more: str) -> pl.DataFrame:
        return self.scan.ask(f"SELECT * REPLACE ({TEXTS}) FROM run {more}")


def _lacks(column: str) -> str:
    """Whether some row of a group lacks a number."""
    return f"count(*) FILTER ({column} IS NULL OR NOT isfinite({column})) > 0"


def _pairs(pair: str, some: str) -> str:
    """What is there twice among some of the rows, in order, and how many times; ids as text."""
    pairs = f"SELECT {pair}, count(*) AS times FROM run {some} GROUP BY {pair} HAVING times > 1"
    texts = TEXTS if "document" in pair else f"{QUERY}, position"
    return f"SELECT {texts}, times FROM ({pairs}) ORDER BY {pair.replace(',', ' ASC,')} ASC"


_SHOWN: Final = 3


def refuse_lists(scan: Scan) -> None:
    """Refuse rows whose lists are missing or do not belong together.

    Args:
        scan: the run.

    Raises:
        InputError: `missing-value`, `frame-columns`.

    """
    lists = scan.lists
    if lists is None:
        return
    lacks = {condition: ("missing-value", f"has no {what}") for what, condition in lists.holes.items()}
    lacks |= {lists.unequal: ("frame-columns", "has lists of different lengths")} if lists.unequal else {}
    for condition, (slug, what) in lacks.items():
        if total := scan.given(f"SELECT count(*) FROM {VIEW} WHERE {condition}").item():
            bad = scan.given(f"SELECT * FROM {VIEW} WHERE {condition} LIMIT {_SHOWN}")
            texts = [f"{scan.name}: a row {what}: {shortened(str(row), 200)}" for row in bad.iter_rows(named=True)]
            raise InputError(slug, *texts, more=total - len(texts), remedy="drop or mend such rows")


def refuse_rows(scan: Scan, lacks: Mapping[str, str]) -> None:
    """Refuse holes and numbers that are none.

    Args:
        scan: the run.
        lacks: conditions on rows, by what those lack for which one holds.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    for what, condition in lacks.items():
        if total := scan.ask(f"SELECT count(*) FROM run WHERE {condition}").item():
            texts = _sample(scan, condition, total, f"has no {what}")
            slug, remedy = "missing-value", "drop or fill such rows"
            if what.startswith("finite"):
                slug, remedy = "bad-score", "drop such rows, or mend what made them"
            raise InputError(slug, *texts, remedy=remedy)


def _sample(scan: Scan, condition: str, total: int, what: str) -> list[str]:
    """Some of the rows that are wrong."""
    rows = scan.ask(f"SELECT {TEXTS}, score FROM run WHERE {condition} LIMIT {_SHOWN}")
    such = f" ({total:,} such rows)" if total > 1 else ""
    first, *others = [
        f"{scan.name}: a row {what}: query {query!r}, document {document!r}, score {score!r}"
        for query, document, score in rows.iter_rows()
    ]
    return [first + such, *others]

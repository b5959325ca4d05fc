"""Relations of DuckDB as runs, and what is wrong with their rows: only counts and parts of messages come out."""

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
from rankworth.judging.duckdb.scan import AGAIN, TEXTS, Relation, Scan, scan, text
from rankworth.model import Run
from rankworth.tables.frames import FrameLibrary, to_library

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_HOLES: Final = {what: f"{what} IS NULL" for what in ("query", "document", "score")} | {"finite score": "isnan(score)"}
"""conditions on rows, by what those lack for which one holds"""
_MOST: Final = 1000
"""how many documents are looked at for a message"""
_SHOWN: Final = 3


@dataclass(frozen=True)
class EngineFiles:
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
    read_by: EngineFiles | None
    """the files that the engine reads, where it is files"""
    engine: ClassVar[str] = "duckdb"

    def __init__(
        self, source: Relation, name: str = "", columns: Mapping[str, str] = NONE, *, files: EngineFiles | None = None
    ) -> None:
        """Find the columns; no row is read before `counts` are needed.

        Args:
            source: the relation.
            name: what tables call it.
            columns: which column holds what, where its name does not tell.
            files: those that it reads, where it is files.

        Raises:
            InputError: `frame-columns`, `id-type`, `bad-score`, `input-type`.

        """
        self._set(source=source, name=name, format="", columns=columns, mapping=None, files=(), frame=None)
        self._set(read_by=files, empty=frozenset())
        self._set(scan=self._scan(columns))

    def __post_init__(self) -> None:
        """Nothing is left to be found out."""

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Related({self.size:,} rows, name={self.name!r})"

    def _set(self, **attributes: object) -> None:
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)

    def _scan(self, columns: Mapping[str, str], by_rank: Scan | None = None) -> Scan:
        order = "" if self.read_by is None else self.read_by.order
        return scan(self.source, self._called, columns, order=order, by_rank=by_rank)

    def _with(self, **attributes: object) -> Self:
        """This run with some attributes different."""
        other = object.__new__(type(self))
        other._set(**self.__dict__)
        other._set(**attributes)
        return other

    def called(self, name: str) -> Self:
        """This run under another name."""
        return self._with(name=name, scan=replace(self.scan, name=f"run {name}"))

    def only(self, queries: Collection[str]) -> Self:
        """A run with the rows of some queries; what is wrong with others does not matter.

        Args:
            queries: their ids.

        """
        ids = ", ".join("'" + query.replace("'", "''") + "'" for query in sorted(queries))
        some = self.source.filter(f"{text(self.scan.id)} IN ({ids})")
        run = type(self)(some, self.name, self.columns, files=self.read_by)
        object.__setattr__(run, "kept", frozenset(queries))
        return run

    def renamed(self, queries: Mapping[str, str]) -> Self:
        """This run with other ids of queries.

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
        renamed = replace(self.scan, rows=rows, names=names, query_type=pl.String(), lists=None)
        return self._with(scan=renamed, counts=counts, order=None, ranked=None, lists=self.lists)

    @cached_property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.counts["rows"].sum())

    @cached_property
    def counts(self) -> pl.DataFrame:
        """How many rows each query has, and in how many lists: `query, rows, lists`, of those that have some.

        Raises:
            InputError: `missing-value`, `bad-score`, `empty-input`, `frame-columns`, `duplicate-document`.

        """
        try:
            counts = self._counted()
        except InputError as error:
            if "memory" not in str(error).lower():
                self._read_here()
            raise
        if counts["bad"].any() or counts["query"].has_nulls():
            self._read_here()
            self._refuse_lists()
            refuse_rows(self.scan, _HOLES)
        filled = counts.filter((pl.col("rows") > 0).fill_null(value=False))
        if not filled.height:
            self._read_here()
            if self.kept is not None:
                message = f"{self.scan.name} has none of the queries asked for: {quoted(sorted(self.kept))}"
                raise InputError("no-common-queries", message, remedy="ids are compared to the letter")
            what = "every list of documents is empty" if counts.height else "the relation has no rows"
            remedy = "is this the relation that was meant? does a filter leave nothing of it?"
            raise InputError("empty-input", f"{self.scan.name}: {what}", remedy=remedy)
        if self.scan.lists is not None and not self.scan.lists.scores:
            twice = filled.filter(pl.col("lists") > 1)["query"].to_list()
            if twice:
                message = f"{self.scan.name}: {quoted(twice)}: a query has a list again, so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", message, remedy=remedy)
        return filled

    def _counted(self) -> pl.DataFrame:
        """How many rows each query has, in how many lists, and whether something is wrong with one."""
        lists, others = self.scan.lists, [] if self.read_by is None else [self.read_by.odd]
        bad = " OR ".join(filter(None, [*_HOLES.values(), *others]))
        query = f" SELECT {text('query')} AS query, count(*) AS rows, count(*) FILTER ({bad}) > 0 AS bad FROM run"
        rows = self.scan.ask(f"{query} GROUP BY query")
        if lists is None:
            return rows.with_columns(lists=pl.lit(0)).sort("query")
        wrong = " OR ".join(f"({condition})" for condition in lists.wrong)
        query = f" SELECT {text(self.scan.id)} AS query, count(*) FILTER (len({lists.documents}) > 0) AS lists"
        held = self.scan.ask(f"{query}, coalesce(bool_or({wrong}), true) AS bad FROM source GROUP BY 1")
        every = pl.concat([rows, held], how="diagonal").group_by("query")
        return every.agg(pl.col("rows", "lists").sum(), pl.col("bad").any()).sort("query")

    def _read_here(self) -> None:
        """Let the reader of files refuse them, if it finds something wrong."""
        if self.read_by is not None:
            self.read_by.read()

    @cached_property
    def lists(self) -> Lists | None:
        """How lists came, each of which is the ranking of its query; None for rows of one document each."""
        return None if self.scan.lists is None else Lists(self.scan.lists.field)

    @property
    def is_listed(self) -> bool:
        """Whether each query is one row that holds lists."""
        return self.scan.lists is not None and bool((self.counts["lists"] == 1).all())

    @cached_property
    def ranked(self) -> Scan | None:
        """The rows with their ranks for scores; None where nothing tells ranks.

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
        lacks = "count(*) FILTER (position IS NULL OR NOT isfinite(position)) > 0 AS lacks"
        columns = f"{text('query')} AS query, min(position) AS begin, max(position) AS end, {lacks}"
        rows = self.scan.ask(f" SELECT {columns} FROM run GROUP BY query").sort("begin")
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
        if self.read_by is not None:
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
        yield self._frame().select("query", "document", "score", *(["rank"] if ranks and self.has_ranks else []))

    def some(self, queries: Sequence[str]) -> list[tuple[str, str]]:
        """Some of the documents of some queries, for a message.

        Args:
            queries: their ids.

        """
        frame = pl.DataFrame({"query": queries}, schema={"query": pl.String})
        texts = f", texts AS (SELECT {TEXTS} FROM run) SELECT * FROM texts SEMI JOIN queries USING (query)"
        return self.scan.ask(f"{texts} LIMIT {_MOST}", frame).rows()

    @property
    def has_ranks(self) -> bool:
        """Whether there is a column of ranks."""
        return self.scan.has_ranks

    def by_rank(self) -> Self | None:
        """This run with its column of ranks beside the scores; None where there is none.

        Raises:
            InputError: `missing-value`, `bad-score`, `duplicate-document`, where ranks cannot be trusted.

        """
        if self.ranked is None:
            return None
        try:
            Related(self.source, self.name, {**self.columns, "score": ""}, files=self.read_by).counts  # noqa: B018
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
        return to_library(self._frame().to_dict(), library)

    def _frame(self) -> pl.DataFrame:
        """All rows in the order in which they came, as far as it is known."""
        order = " ORDER BY position ASC" if self.scan.has_position and self.scan.lists is None else ""
        return self.scan.ask(f" SELECT * REPLACE ({TEXTS}) FROM run{order}")

    def refuse_duplicates(self, rows: Scan) -> None:
        """Look for documents that a query ranks twice.

        Args:
            rows: those that count.

        Raises:
            InputError: `duplicate-document`, `changed-file`.

        """
        for twice in self._repeats(rows, "query", "document"):
            raise duplicates.counted(rows.name, twice)

    def _repeats(self, rows: Scan, *columns: str) -> Iterator[pl.DataFrame]:
        """Pairs that are there twice, with how many times, some of them in each frame.

        Rows are told apart by hashes, which come out, and then by the pairs of those that are equal; where memory is
        short, in several passes over a part of the hashes each.

        Raises:
            InputError: `changed-file`, where there are more rows or fewer than before.

        """
        pair = ", ".join(columns)
        hashed = f" SELECT hash({pair}) AS mark FROM run"
        passes, total = rows.passes(self.size), 0
        for number in range(passes):
            marks = rows.ask(
                f" SELECT mark FROM ({hashed}) WHERE mark % {passes} = {number}" if passes > 1 else hashed
            ).to_series()
            total += marks.len()
            if marks.n_unique() < marks.len():
                twice = ", ".join(map(str, marks.filter(marks.is_duplicated()).unique().head(_MOST)))
                pairs = f"SELECT {pair}, count(*) AS times FROM run WHERE hash({pair}) IN ({twice}) GROUP BY {pair}"
                texts = TEXTS if "document" in columns else f"{text('query')} AS query, position"
                order = ", ".join(f"{column} ASC" for column in columns)
                repeated = rows.ask(f" SELECT {texts}, times FROM ({pairs} HAVING times > 1) ORDER BY {order}")
                if repeated.height:
                    yield repeated
        if rows is self.scan and total != self.size:
            message = f"{rows.name}: there were {self.size:,} rows, and then {total:,}"
            raise InputError("changed-file", message, remedy=AGAIN)

    def _refuse_lists(self) -> None:
        """Refuse rows whose lists are missing or do not belong together.

        Raises:
            InputError: `missing-value`, `frame-columns`.

        """
        for condition, (slug, what) in ({} if self.scan.lists is None else self.scan.lists.wrong).items():
            if total := self.scan.ask(f" SELECT count(*) FROM source WHERE {condition}").item():
                rows = self.scan.ask(f" SELECT * FROM source WHERE {condition} LIMIT {_SHOWN}").iter_rows(named=True)
                texts = [f"{self.scan.name}: a row {what}: {shortened(str(row), 200)}" for row in rows]
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
        if total := scan.ask(f" SELECT count(*) FROM run WHERE {condition}").item():
            rows = scan.ask(f" SELECT {TEXTS}, score FROM run WHERE {condition} LIMIT {_SHOWN}").iter_rows()
            texts = [f"{scan.name}: a row has no {what}: query {q!r}, document {d!r}, score {s!r}" for q, d, s in rows]
            slug, remedy = "missing-value", "drop or fill such rows"
            if what.startswith("finite"):
                slug, remedy = "bad-score", "drop such rows, or mend what made them"
            raise InputError(slug, *texts, more=total - len(texts), remedy=remedy)

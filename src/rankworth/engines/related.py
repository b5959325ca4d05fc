"""Runs that stay in an engine: what is wrong with them is found there, and nothing but counts comes out."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import polars as pl

from rankworth.engines.layouts import scan
from rankworth.engines.scan import VIEW, Scan
from rankworth.errors import InputError, quoted, shortened
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.io.frames.roles import NONE
from rankworth.model import Run

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

_SHOWN: Final = 3
_SOME: Final = 1000
_TEXT: Final = "CAST({0} AS VARCHAR) AS {0}"
_TEXTS: Final = f"{_TEXT.format('query')}, {_TEXT.format('document')}"
_MARKS: Final = 1000
"""how many documents that are there twice are looked at, for a message"""


class Related(Run):
    """A run that is a relation of an engine, spilled to its disk where memory ends; made by `evaluate`."""

    scan: Scan
    told: bool
    """whether the order of rows is that of files, in which none lacks its place"""
    engine: ClassVar[str] = "duckdb"

    def __init__(
        self,
        source: Any,  # noqa: ANN401 - of DuckDB
        name: str = "",
        columns: Mapping[str, str] = NONE,
        *,
        texts: bool = False,
        order: str = "",
    ) -> None:
        """Find the columns; no row is read before `counts` are asked for.

        Args:
            source: the relation.
            name: what tables call it.
            columns: which column holds what, where its name does not tell.
            texts: whether numbers come as text, as in CSV.
            order: a column that tells in which order rows came, without holes; `position` may where not said.

        Raises:
            InputError: `frame-columns`, `id-type`, `bad-score`.

        """
        found = scan(source, f"run {name}" if name else "the run", columns, texts=texts, order=order)
        self._set(told=bool(order), source=source, name=name, format="", columns=columns, mapping=None, scan=found)
        self._set(files=(), frame=None, empty=frozenset())

    def __post_init__(self) -> None:
        """Nothing is left to be found out."""

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Related({self.size:,} rows, name={self.name!r})"

    def _set(self, **attributes: object) -> None:
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)

    def called(self, name: str) -> Self:
        """The same run under another name."""
        other = object.__new__(type(self))
        other._set(**self.__dict__)
        other._set(name=name, scan=replace(self.scan, name=f"run {name}"))
        return other

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
            "JOIN names ON CAST(rows.query AS VARCHAR) = names.query"
        )
        other = object.__new__(type(self))
        other._set(**self.__dict__)
        counts = self.counts.with_columns(pl.col("query").replace_strict(names["query"], names["called"])).sort("query")
        found = replace(self.scan, rows=rows, names=names, query=pl.String(), lists=None)
        other._set(scan=found, counts=counts, order=None)
        return other

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
        found = self._looked_at.filter((pl.col("rows") > 0).fill_null(value=False))
        if self._looked_at["bad"].any() or self._looked_at["query"].has_nulls():
            self._refuse_lists()
            self._refuse_rows()
        if not found.height:
            what = "every list of documents is empty" if self._looked_at.height else "the relation has no rows"
            raise InputError("empty-input", f"{self.scan.name}: {what}")
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
            holes = [*lists.bad.values(), *(f"{number} > 0" for number in (*lists.nulls, lists.odd))]
            bad = " OR ".join(f"({one})" for one in holes)
            text = f"CAST({self.scan.id} AS VARCHAR) AS query, CAST(len({lists.documents}) AS BIGINT) AS rows"
            rows = self.scan.given(f"SELECT {text}, coalesce({bad}, true) AS bad FROM {VIEW}")
            rows = rows.with_columns((pl.col("rows") > 0).cast(pl.Int64).alias("lists"))
            if rows["query"].n_unique() < rows.height:
                rows = rows.group_by("query").agg(pl.col("rows").sum(), pl.col("bad").any(), pl.col("lists").sum())
            return rows.sort("query")
        bad = " OR ".join(self._holes.values())
        asked = f"{_TEXT.format('query')}, count(*) AS rows, count(*) FILTER ({bad}) > 0 AS bad"
        return self.scan.ask(f"SELECT {asked} FROM run GROUP BY query").sort("query")

    @property
    def _holes(self) -> dict[str, str]:
        """What a row may lack."""
        holes = {what: f"{what} IS NULL" for what in ("query", "document", "score")}
        if self.scan.has_position and not self.told and self.scan.lists is None:
            holes["position"] = "position IS NULL"
        return holes | {"number": "isnan(score)"}

    @property
    def is_listed(self) -> bool:
        """Whether each query is one row that holds lists."""
        return self.scan.lists is not None and bool((self.counts["lists"] == 1).all())

    @cached_property
    def order(self) -> list[str] | None:
        """The queries as they come, where a column `position` says so; None where they do not stand one by one."""
        if not self.scan.has_position or self.scan.lists is not None:
            return None
        asked = f"SELECT {_TEXT.format('query')}, min(position) AS begin, max(position) AS end FROM run GROUP BY query"
        rows = self.scan.ask(asked).sort("begin")
        apart = (rows["begin"].shift(-1) > rows["end"]).fill_null(value=True).all()
        return rows["query"].to_list() if apart else None

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
        texts = f"WITH texts AS (SELECT {_TEXTS} FROM run) SELECT * FROM texts SEMI JOIN queries USING (query)"
        return self.scan.ask(f", {texts.removeprefix('WITH ')} LIMIT {_SOME}", asked).rows()

    @property
    def has_ranks(self) -> bool:
        """Whether there is a column of ranks."""
        return self.scan.has_ranks

    def by_rank(self) -> None:
        """There is no other run beside one without ranks."""

    def queries(self) -> list[str]:
        """The ids of all queries, as they come where that is known, and else in the order of their bytes."""
        return self.order or sorted(self.counts["query"].to_list())

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """All rows, taken out of the engine."""
        return to_library(self._rows(self._ordered).to_dict(), library)

    def duplicates(self) -> InputError:
        """The error that names some of the documents which a query ranks twice."""
        pairs = "SELECT query, document, count(*) AS times FROM run GROUP BY query, document HAVING times > 1"
        return self._repeated(self.scan.ask(f"SELECT {_TEXTS}, times FROM ({pairs}) ORDER BY query, document"))

    def refuse_duplicates(self, rows: Scan) -> None:
        """Look for documents that a query ranks twice.

        In lists each is looked at for itself. Rows are told by hashes, which come out, and then by the ids of those
        that are alike; where memory is short, in several passes over a part of the hashes each.

        Args:
            rows: those that count.

        Raises:
            InputError: `duplicate-document`.

        """
        if rows is self.scan and rows.lists is not None and self.is_listed:
            again = f"len({rows.lists.documents}) <> list_unique({rows.lists.documents})"
            text = f"SELECT {self.scan.id} AS query FROM {VIEW} WHERE {again}"
            found = self.scan.given(f"{text} LIMIT {_MARKS}")
            if found.height:
                self._refuse_pairs(rows, "FROM run WHERE query IN (SELECT query FROM queries)", found)
            return
        hashed = "SELECT hash(query, document) AS mark FROM run"
        passes = rows.passes(self.size)
        for number in range(passes):
            some = f"SELECT mark FROM ({hashed}) WHERE mark % {passes} = {number}" if passes > 1 else hashed
            marks = rows.ask(some).to_series()
            if marks.n_unique() < marks.len():
                twice = marks.filter(marks.is_duplicated()).unique().head(_MARKS)
                self._refuse_pairs(rows, f"FROM run WHERE hash(query, document) IN ({', '.join(map(str, twice))})")

    def _refuse_pairs(self, rows: Scan, some: str, queries: pl.DataFrame | None = None) -> None:
        """Refuse documents that are there twice in some of the rows."""
        pairs = f"SELECT query, document, count(*) AS times {some} GROUP BY query, document HAVING times > 1"
        text = f"SELECT {_TEXTS}, times FROM ({pairs}) ORDER BY query, document"
        twice = rows.ask(text, queries, only=queries is not None)
        if twice.height:
            raise self._repeated(twice)

    def _repeated(self, pairs: pl.DataFrame) -> InputError:
        """The error for pairs `query, document, times`."""
        texts = [
            f"{self.scan.name}: query {quoted([query])} ranks document {quoted([document])} {times:,} times"
            for query, document, times in pairs.head(_SHOWN).iter_rows()
        ]
        remedy = 'keep one row for each query and document\nor say which of them counts: duplicates="best"'
        return InputError("duplicate-document", *texts, more=pairs.height - len(texts), remedy=remedy)

    @property
    def _ordered(self) -> str:
        """How rows are brought into the order in which they came, as far as it is known."""
        return "ORDER BY position" if self.scan.has_position and self.scan.lists is None else ""

    def _rows(self, more: str) -> pl.DataFrame:
        return self.scan.ask(f"SELECT * REPLACE ({_TEXTS}) FROM run {more}")

    def _refuse_lists(self) -> None:
        """Refuse rows whose lists are missing or do not belong together.

        Raises:
            InputError: `missing-value`, `frame-columns`.

        """
        lists, name = self.scan.lists, self.scan.name
        for slug, condition in ({} if lists is None else lists.bad).items():
            if total := self.scan.given(f"SELECT count(*) FROM {VIEW} WHERE {condition}").item():
                bad = self.scan.given(f"SELECT * FROM {VIEW} WHERE {condition} LIMIT {_SHOWN}")
                what = "holds nothing" if slug == "missing-value" else "has lists of different lengths"
                texts = [f"{name}: a row {what}: {shortened(str(row), 200)}" for row in bad.iter_rows(named=True)]
                raise InputError(slug, *texts, more=total - len(texts), remedy="drop or mend such rows")

    def _refuse_rows(self) -> None:
        """Refuse holes and numbers that are none.

        Raises:
            InputError: `missing-value`, `bad-score`.

        """
        for what, condition in self._holes.items():
            if total := self.scan.ask(f"SELECT count(*) FROM run WHERE {condition}").item():
                if what == "number":
                    texts = self._sample(condition, total, "has no finite score")
                    raise InputError("bad-score", *texts, remedy="drop such rows, or mend what made them")
                texts = self._sample(condition, total, f"has no {what}")
                raise InputError("missing-value", *texts, remedy="drop or fill such rows")

    def _sample(self, condition: str, total: int, what: str) -> list[str]:
        """Some of the rows that are wrong."""
        rows = self._rows(f"WHERE {condition} LIMIT {_SHOWN}").select("query", "document", "score")
        such = f" ({total:,} such rows)" if total > 1 else ""
        first, *others = [
            f"{self.scan.name}: a row {what}: query {query!r}, document {document!r}, score {score!r}"
            for query, document, score in rows.iter_rows()
        ]
        return [first + such, *others]

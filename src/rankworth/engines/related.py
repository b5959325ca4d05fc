"""Runs that stay in an engine: what is wrong with them is found there, and nothing but counts comes out."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import polars as pl

from rankworth.engines.scan import Scan, scan
from rankworth.errors import InputError, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.io.frames.roles import NONE
from rankworth.model import Run

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

_SHOWN: Final = 3
_HOLES: Final = """
SELECT CAST(query AS VARCHAR) AS query, count(*) AS rows, count(*) - count(document) AS documents,
    count(*) - count(score) AS scores, count(*) FILTER (isnan(score)) AS odd{}
FROM run GROUP BY query ORDER BY query"""


class Related(Run):
    """A run that is a relation of an engine, spilled to its disk where memory ends; made by `evaluate`."""

    scan: Scan
    engine: ClassVar[str] = "duckdb"

    def __init__(self, source: Any, name: str = "", columns: Mapping[str, str] = NONE, *, texts: bool = False) -> None:  # noqa: ANN401 - of DuckDB
        """Find the columns, and count the rows of each query in one pass.

        Args:
            source: the relation.
            name: what tables call it.
            columns: which column holds what, where its name does not tell.
            texts: whether numbers come as text, as in CSV.

        Raises:
            InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `empty-input`.

        """
        found = scan(source, f"run {name}" if name else "the run", columns, texts=texts)
        attributes = {"source": source, "name": name, "format": "", "columns": columns, "mapping": None, "scan": found}
        for attribute, value in {**attributes, "files": (), "frame": None, "empty": frozenset()}.items():
            object.__setattr__(self, attribute, value)
        self._check_lists()
        self._check(self.counts)

    def __post_init__(self) -> None:
        """Nothing is left to be found out."""

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Related({int(self.counts['rows'].sum()):,} rows, name={self.name!r})"

    @cached_property
    def counts(self) -> pl.DataFrame:
        """How many rows each query has, `query, rows`, and how many of them lack something."""
        more = ", count(*) - count(position) AS positions" if self.scan.has_position else ""
        return self.scan.ask(_HOLES.format(more))

    def batches(self, progress: "Progress | None" = None, *, ranks: bool = False) -> Iterator[pl.DataFrame]:  # noqa: ARG002 - of a file
        """The first rows, for messages; nobody reads the others."""
        ranks = ranks and self.scan.has_ranks
        yield self._rows("LIMIT 1000").select("query", "document", "score", *(["rank"] if ranks else []))

    @property
    def has_ranks(self) -> bool:
        """Whether there is a column of ranks."""
        return self.scan.has_ranks

    def by_rank(self) -> None:
        """There is no other run beside one without ranks."""

    def queries(self) -> list[str]:
        """The ids of all queries, in the order of their bytes."""
        return sorted(self.counts["query"].to_list())

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """All rows, taken out of the engine."""
        return to_library(self._rows("").to_dict(), library)

    def duplicates(self) -> InputError:
        """The error that names some of the documents which a query ranks twice."""
        pairs = "SELECT query, document, count(*) AS times FROM run GROUP BY query, document HAVING times > 1"
        return self.repeated(self.scan.ask(f"SELECT {_TEXTS}, times FROM ({pairs}) ORDER BY query, document"))

    def repeated(self, pairs: pl.DataFrame) -> InputError:
        """The same, of those that are known.

        Args:
            pairs: `query, document, times`.

        """
        texts = [
            f"{self.scan.name}: query {quoted([query])} ranks document {quoted([document])} {times:,} times"
            for query, document, times in pairs.head(_SHOWN).iter_rows()
        ]
        remedy = 'keep one row for each query and document\nor say which of them counts: duplicates="best"'
        return InputError("duplicate-document", *texts, more=pairs.height - len(texts), remedy=remedy)

    def _rows(self, more: str) -> pl.DataFrame:
        return self.scan.ask(f"SELECT * REPLACE ({_TEXTS}) FROM run {more}")

    def _check_lists(self) -> None:
        """Refuse rows whose lists are missing or do not belong together, and queries with several rankings."""
        relation, name = self.scan, self.scan.name
        for slug, condition in relation.lists.items():
            bad = relation.ask_as_given(f"SELECT * FROM rankworth_run WHERE {condition} LIMIT {_SHOWN + 1}")
            if bad.height:
                what = "holds nothing" if slug == "missing-value" else "has lists of different lengths"
                texts = [f"{name}: a row {what}: {dict(row)}" for row in bad.head(_SHOWN).iter_rows(named=True)]
                raise InputError(slug, *texts, remedy="drop or mend such rows")
        if relation.is_ranking:
            again = "SELECT CAST(query AS VARCHAR) FROM run WHERE position = 1 GROUP BY query HAVING count(*) > 1"
            twice = relation.ask(f"{again} ORDER BY query").to_series().to_list()
            if twice:
                text = f"{name}: {quoted(twice)}: a query has a list again, so its order is not known"
                remedy = "put all documents of a query into one list, or give them scores"
                raise InputError("duplicate-document", text, remedy=remedy)

    def _check(self, counts: pl.DataFrame) -> None:
        """Refuse holes and numbers that are none.

        Raises:
            InputError: `empty-input`, `missing-value`, `bad-score`.

        """
        name = self.scan.name
        if not counts.height:
            what = "every list of documents is empty" if self.scan.lists else "the relation has no rows"
            if self.scan.lists and not self.scan.ask_as_given("SELECT 1 FROM rankworth_run LIMIT 1").height:
                what = "the relation has no rows"
            raise InputError("empty-input", f"{name}: {what}")
        holes = {"query": "query IS NULL", "document": "document IS NULL", "score": "score IS NULL"}
        totals = {what: int(counts[f"{what}s"].sum()) for what in ("document", "score")}
        totals["query"] = int(counts.filter(pl.col("query").is_null())["rows"].sum())
        if "positions" in counts.columns:
            holes["position"], totals["position"] = "position IS NULL", int(counts["positions"].sum())
        for what, condition in holes.items():
            if totals[what]:
                raise InputError("missing-value", *self._sample(condition, totals[what], f"has no {what}"))
        if odd := int(counts["odd"].sum()):
            raise InputError("bad-score", *self._sample("isnan(score)", odd, "has no finite score"))

    def _sample(self, condition: str, total: int, what: str) -> list[str]:
        """Some of the rows that are wrong."""
        rows = self._rows(f"WHERE {condition} LIMIT {_SHOWN}").select("query", "document", "score")
        such = f" ({total:,} such rows)" if total > 1 else ""
        first, *others = [
            f"{self.scan.name}: a row {what}: query {query!r}, document {document!r}, score {score!r}"
            for query, document, score in rows.iter_rows()
        ]
        return [first + such, *others]


_TEXTS: Final = "CAST(query AS VARCHAR) AS query, CAST(document AS VARCHAR) AS document"

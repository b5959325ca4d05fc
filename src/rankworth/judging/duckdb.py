"""Runs that stay in DuckDB: their rows come out query by query, as many at a time as memory holds.

A relation is judged as any other rows are, once those of each query stand together, which DuckDB sees to; where memory
ends, it spills to disk. For the command line it brings rows of files together that stand apart.
"""

# ruff: noqa: S608 - names of columns are quoted

import importlib
import math
import re
import signal
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import polars as pl

from rankworth import support
from rankworth.errors import InputError, RankworthError, UsageError, quoted, shortened
from rankworth.io import atomic, frames
from rankworth.io.facts import Observed
from rankworth.io.looks import Looks
from rankworth.io.remedies import Request
from rankworth.io.resolve import VALUES, resolve
from rankworth.io.usual_names import NONE
from rankworth.judging.order import OF_QUERIES, POSITION, UNORDERED
from rankworth.model import Run
from rankworth.settings import Judging

if TYPE_CHECKING:
    from rankworth.io.source import Progress

Relation = Any
"""A relation of DuckDB."""
Connection = Any
"""A connection to DuckDB."""
_AGAIN: Final = "a reader gives its rows once, and they are read several times: make a table of them"
_FAILURES: Final = (
    ("already been closed", "the connection of the relation must stay open: take the rows out before it is closed"),
    ("already been consumed", _AGAIN),
    ("out of memory", "give it more memory, fewer threads or another disk: memory_limit, threads, temp_directory"),
    ("no space left", "give it another disk to spill to: temp_directory"),
    ("io error", "is the file whole? does it change while it is read?"),
    ("parquet", "is the file whole? does it change while it is read?"),
    ("", "the query behind the relation fails, or its tables have changed: what does relation.fetchall() say?"),
)
"""what helps, by a part of DuckDB's message; the first two are of relations that cannot be queried"""
_UNUSABLE: Final = 2
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_SHARE: Final = 512
"""which part of the memory limit is the number of rows that come out at a time"""
_ROWS: Final = 1 << 22
"""how many rows come out at a time at the least"""
_LEAST: Final = 20_000_000
"""bytes with which DuckDB sorts rows"""
_SOME: Final = 1000
"""how many documents, and of how many queries, are looked at for a message"""
_INTEGER: Final = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?")
_NUMBER: Final = re.compile(rf"{_INTEGER.pattern}|U?HUGEINT|FLOAT|DOUBLE|BOOLEAN|DECIMAL\([^\[]*\)")


@dataclass(frozen=True)
class ArrowStream:
    """A frame, or a relation, that is read through Arrow's stream alone.

    DuckDB takes a frame so without PyArrow. Polars takes a relation so without remembering its class: DuckDB 2.0 writes
    to standard error, when Python ends, which classes are still known then.
    """

    source: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand out its columns."""
        return self.source.__arrow_c_stream__(requested_schema)


def judgements(relation: Relation, columns: Mapping[str, str] = NONE) -> ArrowStream:
    """Choose the columns of a relation for judgements; all of them if none tells a grade.

    Args:
        relation: the relation.
        columns: which column holds what, where its name does not tell.

    Raises:
        InputError: `frame-columns`, `input-type`.

    """
    name = "the judgements"
    with _translated(name):
        looks = frames.looks_of(pl.DataFrame(ArrowStream(relation.limit(0))).schema, name)
        roles = resolve(looks, columns, "grade")
        return ArrowStream(_project(relation, roles.columns if roles.value else looks.names))


class Related(Run):
    """A run that is a relation of DuckDB; made by `evaluate`."""

    engine: ClassVar[str] = "duckdb"
    types: Mapping[str, str]
    """what DuckDB calls the types of all columns"""
    chosen: Mapping[str, str]
    """which column holds what"""
    ranks: Mapping[str, str] | None = None
    """the same where ranks are wanted beside scores"""

    def _read(self, source: Relation) -> dict[str, Any]:
        """Find the columns; no row is read."""
        with _translated(self._called):
            types, none = dict(zip(source.columns, map(str, source.types), strict=True)), source.limit(0)
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "chosen", self._roles(self._reading.columns))
        head = self._taken(none, self.chosen)
        numbers = [name for role, name in self.chosen.items() if role in VALUES["score"]]
        texts = [name for name in numbers if head.schema[name] == pl.String]  # of numbers in quotes, as far as is known
        observed = Observed()
        self._settled(head.with_columns(pl.col(texts).cast(pl.Float64)), observed)
        return {"facts": observed.facts}

    @property
    def column(self) -> str:  # type: ignore[override]
        """What the column of queries is called."""
        return self.chosen["query"]

    def __repr__(self) -> str:
        """Say what it is called."""
        return f"Related(name={self.name!r})"

    def _roles(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Find the column of each role.

        Raises:
            InputError: `frame-columns`.

        """
        return resolve(self._looks, columns, "score").names

    @property
    def _looks(self) -> Looks:
        return Looks(self._called, tuple(self.types), in_order=False)

    def _taken(self, relation: Relation, *columns: Mapping[str, str]) -> pl.DataFrame:
        """Fetch columns of a relation as a frame."""
        with _translated(self._called):
            return pl.DataFrame(
                ArrowStream(_project(relation, [name for chosen in columns for name in chosen.values()]))
            )

    def _settled(self, frame: pl.DataFrame, observed: Observed, *, by_rank: bool = False) -> pl.DataFrame:
        """Return checked rows of one document each: `query, document, score`."""
        columns = {**self._reading.columns, "score": ""} if by_rank else self._reading.columns
        schema: dict[str, Any] = dict.fromkeys(self.types, pl.String())
        for name, kind in self.types.items():
            if _NUMBER.fullmatch(kind.partition("[")[0]):
                schema[name] = pl.List(pl.Float64) if "[" in kind else pl.Float64()
        looks = replace(frames.looks_of(schema, self._called), in_order=False)
        return frames.TableReader(Request("score", looks, columns), schema, observed).settle(frame)

    def _changed(self, **attributes: object) -> Self:
        """Return a copy of this run with other attributes, of whose rows nothing is known yet."""
        other = super()._changed(**attributes)
        other.__dict__.pop("_unordered", None)
        other.__dict__.pop("_in_order", None)
        return other

    def called(self, name: str) -> Self:
        """Return this run under another name."""
        return self._changed(name=name)

    def only(self, queries: Collection[str]) -> Self:
        """Return a run with the rows of these queries alone; errors in the others do not matter.

        Args:
            queries: their ids.

        """
        ids = ", ".join("'" + query.replace("'", "''") + "'" for query in sorted(queries))
        rows = self.source.filter(f"{_text(self.chosen['query'])} IN ({ids})")
        return self._changed(source=rows, kept=frozenset(queries))

    @property
    def _by_rank(self) -> Mapping[str, str]:
        """The columns of a run that is ordered by rank; empty if it has no ranks."""
        with suppress(InputError):
            return self._roles({**self._reading.columns, "score": ""})
        return {}

    @property
    def _query(self) -> str:
        """The ids of queries as they are compared: integers, or texts byte by byte."""
        column = self.chosen["query"]
        return _name(column) if _INTEGER.fullmatch(self.types[column]) else _text(column)

    @property
    def _length(self) -> str:
        """How many documents a row has."""
        return "1" if self.lists is None else f"len({_name(self.chosen['document'])})"

    @property
    def _position(self) -> str:
        """The column with the original order of rows; empty if there is none."""
        free = (name for name in self.types if name.lower() == "position" and name not in self.chosen.values())
        return next(free, "") if self.lists is None else ""

    @property
    def _order(self) -> str:
        """The positions as numbers; empty where there are none."""
        is_number = self._position and _NUMBER.fullmatch(self.types[self._position])
        return f"CAST({_name(self._position)} AS DOUBLE)" if is_number else ""

    def batches(self, progress: "Progress | None" = None, *, ranks: bool = False) -> Iterator[pl.DataFrame]:  # noqa: ARG002 - of a file
        """Yield all rows, those of a query together, and in the order of their positions where there are such.

        Raises:
            InputError: `empty-input`, `changed-file`, and what is wrong with rows.

        """
        frames = self._batches(ranks=ranks)
        if self.ids is None:
            return frames
        observed = Observed()
        observed.facts = self.facts
        return self._noted(self.ids.batches(frames, self._called, observed), observed)

    def _batches(self, *, ranks: bool) -> Iterator[pl.DataFrame]:
        """Yield all rows as `batches` does, with ids as they stand there."""
        observed, total, taken, filled = Observed(), 0, 0, False
        beside = (self.ranks or {}) if ranks else {}
        for total, part in in_parts(self._called, self.source, self._query, self._order, self._length):  # noqa: B007
            frame = self._taken(part, self.chosen, beside)
            rows = self._settled(frame, observed)
            if beside:
                by_rank = self._settled(frame, Observed(), by_rank=True)["score"]
                rows = rows.with_columns(-by_rank.alias("rank"))
            taken, filled = taken + frame.height, filled or rows.height > 0
            if rows.height:
                yield rows
        if taken != total:
            text = f"{self._called}: there were {total:,} rows, and then {taken:,}"
            raise InputError("changed-file", text, remedy=_AGAIN)
        if not filled and self.kept is None:
            fact = "every list of documents is empty" if taken else "the relation has no rows"
            remedy = "is this the relation that was meant? does a filter leave nothing of it?"
            raise InputError("empty-input", f"{self._called}: {fact}", remedy=remedy)

    def sample_pairs(self, queries: Sequence[str]) -> list[tuple[str, str]]:
        """Return a few documents of these queries as pairs of query and document, for a message.

        Args:
            queries: their ids.

        """
        rows = self.only(queries[:_SOME]).source.limit(_SOME)
        sample = self._settled(self._taken(rows, self.chosen), Observed()).select("query", "document")
        if self.ids is not None:
            sample = sample.with_columns(self.ids.renamed(sample["document"], self._called))
        return sample.rows()

    def _again(self, rows: Relation, *columns: str) -> pl.DataFrame:
        """Return a few of the values that occur several times, with how many times.

        Args:
            rows: the rows to look at.
            columns: what is looked at.

        """
        names = [f"key_{number}" for number in range(len(columns))]
        keys = ", ".join(names)
        with _translated(self._called):
            rows = rows.project(", ".join(f"{column} AS {name}" for column, name in zip(columns, names, strict=True)))
            rows = rows.aggregate(f"{keys}, count(*) AS times", keys).filter("times > 1")
            return pl.DataFrame(ArrowStream(rows.order(", ".join(f"{name} ASC" for name in names)).limit(_SOME)))

    @property
    def has_ranks(self) -> bool:
        """Whether ranks stand beside scores."""
        return self.ranks is not None

    def by_rank(self) -> Self | None:
        """Return this run with its column of ranks beside the scores; None where it has no such column.

        Raises:
            InputError: `missing-value`, `bad-score`, where ranks cannot be trusted.

        """
        if not self._by_rank:
            return None
        try:
            ranked = self._changed(ranks=self._by_rank)
            for _ in ranked.batches(ranks=True):
                pass
        except InputError as error:
            if error.slug == "frame-columns":
                return None
            raise
        if self.lists is None and not self._order:
            twice = self._again(self.source, self._query, _name(self._by_rank["rank"]))
            for query, rank, _ in twice.head(1).iter_rows():
                text = f"{self._called}: query {quoted([query])} has the rank {rank} again, and rows have no order"
                remedy = "fix the rank column, give rows a column position, or let scores decide: order='score'"
                raise InputError("bad-score", text, remedy=remedy)
        return ranked

    def refuse(self, settings: Judging) -> None:
        """Refuse settings that need an order of rows or queries in an input without one.

        Args:
            settings: the settings; a column `position`, or lists, may say the order.

        Raises:
            InputError: `ambiguous-order`; `missing-value`, `bad-score` where positions are no numbers.
            UsageError: `unfollowed-setting`.

        """
        lists = self.lists
        by_rank = settings.order == "rank" and (lists is not None or "rank" in self._by_rank)
        for name, value in support.unfollowed(UNORDERED, settings).items():
            if by_rank and name in ("order", "ties"):
                continue
            refusal = partial(support.refusal, UNORDERED, name, value)
            is_of_queries = name in OF_QUERIES
            if lists is None and not self._position:
                through = ", counted through all queries" if is_of_queries else ""
                raise refusal(more=f"{POSITION}{through}")
            if is_of_queries and lists is not None:
                if name != "blocks" or self._unordered:
                    raise refusal()
            elif self._unordered:
                raise refusal(why=self._unordered)
            elif is_of_queries and self._in_order is None:
                why = "rows of a query stand among those of others, which are not told apart in DuckDB"
                raise refusal(why=why, more="\nor read the rows here: Run(relation.df())")
        if settings.order == "auto" and lists is not None and lists.field and self._unordered:
            remedy = 'put all documents of a query into one list, or let scores decide: --order score (order="score")'
            raise InputError("ambiguous-order", f"{self._called}: {self._unordered}", remedy=remedy)

    @cached_property
    def _unordered(self) -> str:
        """Why rows have no order although something tells their places: nothing where they have one.

        Raises:
            InputError: `missing-value`, `bad-score`, where a column of positions holds no numbers.

        """
        if self.lists is not None:
            twice = self._again(self.source.filter(f"{self._length} > 0"), self._query)["key_0"]
            return f"{quoted(twice)}: a query has a list again, and rows have no order" if twice.len() else ""
        remedy = "drop or fix such rows; without a column position they have no order"
        if not self._order:
            text = f"{self._called}: the position column holds {self.types[self._position]}, not numbers"
            raise InputError("bad-score", text, remedy=remedy)
        counts = f"count(*) FILTER ({self._order} IS NULL), count(*) FILTER (NOT isfinite({self._order}))"
        with _translated(self._called):
            holes, infinite = self.source.aggregate(counts).fetchall()[0]
        if holes or infinite:
            lacking = "position" if holes else "finite position"
            text = f"{self._called}: {holes or infinite:,} of its rows have no {lacking}"
            raise InputError("missing-value" if holes else "bad-score", text, remedy=remedy)
        for query, position, times in self._again(self.source, self._query, self._order).head(1).iter_rows():
            return f"query {quoted([query])} has the position {position:g} {times:,} times"
        return ""

    @cached_property
    def _in_order(self) -> list[str] | None:
        """The queries as positions have them; None where they do not stand one by one."""
        if not self._order:
            return None
        with _translated(self._called):
            spans = self.source.project(f"{self._query} AS query, {self._order} AS place")
            spans = spans.aggregate("query, min(place) AS first, max(place) AS last", "query").order("first ASC")
            rows = pl.DataFrame(ArrowStream(spans))
        together = (rows["first"].shift(-1) > rows["last"]).fill_null(value=True).all()
        return rows["query"].cast(pl.String).to_list() if together else None

    def queries(self) -> list[str]:
        """Return the ids of all queries in the order of arrival, or in the order of their bytes if that is unknown."""
        return self._in_order or sorted(super().queries())

    def _frame(self) -> pl.DataFrame:
        """Fetch all rows from the engine."""
        return pl.concat(self.batches())


def in_parts(
    name: str, relation: Relation, query: str, position: str = "", length: str = "1"
) -> Iterator[tuple[int, Relation]]:
    """Split a relation into parts that fit in memory, each with all rows of its queries, query by query.

    Args:
        name: what messages call the relation.
        relation: the rows.
        query: what tells queries apart.
        position: what orders the rows of a query; empty where nothing does.
        length: how many documents a row has.

    Yields:
        The number of rows in all, and a part.

    """
    counts = f"count(*), coalesce(sum({length}), 0), max(current_setting('memory_limit'))"
    with _translated(name):
        total, documents, limit = relation.aggregate(counts).fetchall()[0]
        size, unit = (limit or "0 bytes").split()
        at_once = max(_ROWS, int(float(size) * 1024 ** _UNITS.index(unit)) // _SHARE)
        parts = max(1, math.ceil(documents / at_once))
        order = ", ".join(f"{column} ASC" for column in (query, position) if column)
        for number in range(parts):
            part = relation.filter(f"hash({query}) % {parts} = {number}") if parts > 1 else relation
            yield total, part.order(order)


def bring_together(run: Run, connection: Connection) -> Run:
    """Return a run whose rows DuckDB brings together by query if need be, on disk if memory ends.

    Args:
        run: files.
        connection: to DuckDB.

    """
    return run._changed(together=partial(_together, connection))  # noqa: SLF001 - of the same class


def _together(connection: Connection, frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield the rows of each query together, in the order in which they came.

    Args:
        connection: to DuckDB.
        frames: rows `query, document, score`, and `rank` where it is wanted.

    Raises:
        InputError: `unreadable-file`, where memory and disk are full.

    """
    total, name = 0, "the run"
    for frame in frames:
        batch = ArrowStream(frame.with_row_index("place", total))  # noqa: F841 - DuckDB finds it by its name
        with _translated(name):
            table = "INSERT INTO run" if total else "CREATE OR REPLACE TABLE run AS"
            connection.execute(f"{table} SELECT * FROM batch")
        total += frame.height
    for _, part in in_parts(name, connection.table("run"), "query", "place"):
        with _translated(name):
            frame = pl.DataFrame(ArrowStream(part.project("* EXCLUDE (place)")))
        yield frame


@contextmanager
def opened(memory: int | None = None) -> Iterator[Connection]:
    """Connect to DuckDB for the length of a block, with a temporary folder for spilled data.

    Args:
        memory: how many bytes it takes; 80 % of the machine's where not said.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    if memory is not None and memory < _LEAST:
        text = f"--memory-limit {memory / 10**6:g}MB: DuckDB takes {_LEAST // 10**6} MB at the least"
        raise UsageError("unknown-setting", text, remedy="it spills to disk what does not fit: --memory-limit 2GB")
    try:
        library = importlib.import_module("duckdb")
    except ImportError:
        remedy = "pip install 'duckdb>=1.5'"
        raise UsageError("missing-library", "duckdb is not installed", remedy=remedy) from None
    terminated = atomic.removing(lambda: None, [signal.SIGTERM])  # so that the folder to spill to is removed
    with terminated, tempfile.TemporaryDirectory(prefix="rankworth-") as folder:
        settings = {"temp_directory": folder, "enable_progress_bar": False}
        settings |= {"memory_limit": f"{memory}B"} if memory is not None else {}
        connection = library.connect()
        try:
            for name, value in settings.items():
                connection.execute(f"SET {name} = '{value}'")
            yield connection
        finally:
            connection.close()


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Turn exceptions of DuckDB into errors of ours: files may be damaged, memory or disk full, or it was interrupted.

    Args:
        name: what messages call what is looked at.

    Raises:
        InputError: `unreadable-file`, `input-type`.
        KeyboardInterrupt: where it was interrupted.

    """
    try:
        yield
    except RankworthError:
        raise
    except Exception as error:  # of DuckDB's many
        message = " ".join(str(error).split())
        if "interrupt" in message.lower():
            raise KeyboardInterrupt from error
        number, remedy = next(
            (number, remedy) for number, (part, remedy) in enumerate(_FAILURES) if part in message.lower()
        )
        text = f"{name}: DuckDB gives up: {shortened(message.partition(' Possible solutions:')[0], 300)}"
        raise InputError("input-type" if number < _UNUSABLE else "unreadable-file", text, remedy=remedy) from error


def _project(relation: Relation, columns: Iterable[str]) -> Relation:
    """Select columns of a relation; a UUID becomes text."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    parts = (_name(column) if types[column] != "UUID" else f"{_text(column)} AS {_name(column)}" for column in columns)
    return relation.project(", ".join(dict.fromkeys(parts)))


def _name(column: str) -> str:
    """Quote the name of a column for SQL."""
    return '"' + column.replace('"', '""') + '"'


def _text(column: str) -> str:
    """Return SQL for a column as text that is compared byte by byte, whatever collation it or the connection has."""
    return f"CAST({_name(column)} AS VARCHAR) COLLATE c"

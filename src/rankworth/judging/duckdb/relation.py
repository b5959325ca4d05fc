"""Relations of DuckDB as runs: which columns hold what, queries over their rows, and what is wrong with them.

Nothing but counts and what a message shows comes out of the engine here.
"""

# ruff: noqa: S608 - names of columns are quoted

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self

import polars as pl

from rankworth.errors import InputError, quoted, shortened
from rankworth.io import duplicates
from rankworth.io.columns import NONE, VALUES, Table, is_plural
from rankworth.io.frames import fields, is_list
from rankworth.io.reading import Lists
from rankworth.model import Run
from rankworth.tables.frames import FrameLibrary, to_library

if TYPE_CHECKING:
    from rankworth.io.source import Progress

Relation = Any
"""A relation of DuckDB."""
RELATION: Final = "rankworth_6b3c_run"
"""what queries call the relation; nobody has a table of such a name"""
_FRAME: Final = "rankworth_6b3c_"
"""how the names begin under which DuckDB finds frames"""
AGAIN: Final = "a reader gives its rows once, and they are read several times: make a table of them"
"""what helps where rows do not come again"""
_STREAMS: Final = 2
"""the first version that reads streams by itself, and queries relations without a view of theirs"""
_FAILURES: Final = (
    ("already been closed", "the connection of the relation must stay open: take the rows out before it is closed"),
    ("already been consumed", AGAIN),
    (_FRAME, "judgements reach the connection as a frame: SET python_enable_replacements = true"),
    (
        "out of memory",
        "give it more memory, fewer threads or a disk to spill to: memory_limit, threads, temp_directory",
    ),
    ("no space left", "give it another disk to spill to: temp_directory"),
    ("io error", "is the file whole? does it change while it is read?"),
    ("parquet", "is the file whole? does it change while it is read?"),
    ("csv ", "rankworth reads more tables than DuckDB: give the file itself, on the command line without --engine"),
    ("", "the query behind the relation fails, or its tables have changed: what does relation.fetchall() say?"),
)
"""what helps, by a part of DuckDB's message; the first three are of relations that cannot be queried"""
_UNUSABLE: Final = 3
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_SHARE: Final = 32
"""which part of the memory limit a set of numbers may take"""
_LEAST: Final = 1 << 22
_NUMBERS: Final = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(.*\))\[\d*\]")
"""what DuckDB calls lists of numbers"""
_HOLES: Final = {what: f"{what} IS NULL" for what in ("query", "document", "score")} | {"finite score": "isnan(score)"}
"""conditions on rows, by what those lack for which one holds"""
_MOST: Final = 1000
"""how many documents are looked at for a message"""
_SHOWN: Final = 3


def text(column: str) -> str:
    """A column as text that is compared byte by byte, whatever collation it or the connection has."""
    return f"CAST({column} AS VARCHAR) COLLATE c"


TEXTS: Final = f"{text('query')} AS query, {text('document')} AS document"
"""ids of rows as text"""


@dataclass(frozen=True)
class Stream:
    """A frame, or a relation, that is read through Arrow's stream alone.

    DuckDB takes a frame so without PyArrow. Polars takes a relation so without remembering its class: DuckDB 2.0 writes
    to standard error, when Python ends, which classes are still known then.
    """

    source: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand out its columns."""
        return self.source.__arrow_c_stream__(requested_schema)


def _fail(name: str, error: Exception) -> NoReturn:
    """Raise the error for a query that failed: files are damaged, memory or disk are full, or it was interrupted.

    Raises:
        InputError: `unreadable-file`, `input-type`.
        KeyboardInterrupt: where it was interrupted.

    """
    message = " ".join(str(error).split())
    if "interrupt" in message.lower():
        raise KeyboardInterrupt from error
    number, remedy = next(
        (number, remedy) for number, (part, remedy) in enumerate(_FAILURES) if part in message.lower()
    )
    message = f"{name}: DuckDB gives up: {shortened(message.partition(' Possible solutions:')[0], 300)}"
    raise InputError("input-type" if number < _UNUSABLE else "unreadable-file", message, remedy=remedy) from error


def _types(relation: Relation, name: str) -> dict[str, str]:
    """The columns of a relation, and what DuckDB calls their types.

    Raises:
        InputError: `input-type`, where its connection is closed.

    """
    try:
        return dict(zip(relation.columns, map(str, relation.types), strict=True))
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        _fail(name, error)


def _project(relation: Relation, name: str, columns: Iterable[str]) -> Relation:
    """A relation of some columns."""
    try:
        return relation.project(", ".join(map(_name, dict.fromkeys(columns))))
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        _fail(name, error)


def _schema(relation: Relation, name: str, columns: Iterable[str]) -> dict[str, Any]:
    """What Polars makes of the types of some columns; others may be of types that it does not know."""
    try:
        return dict(pl.DataFrame(Stream(_project(relation, name, columns).limit(0))).schema)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        _fail(name, error)


def judgements(relation: Relation, columns: Mapping[str, str] = NONE) -> Stream:
    """The columns of a relation that judgements are read from; all of them where none tells a grade.

    Args:
        relation: the relation.
        columns: which column holds what, where its name does not tell.

    Raises:
        InputError: `frame-columns`, `input-type`.

    """
    name = "the judgements"
    names = tuple(_types(relation, name))
    chosen = Table("grade", name, columns, names).chosen()
    return Stream(_project(relation, name, chosen.values() if "grade" in chosen else names))


@dataclass(frozen=True)
class ListColumns:
    """How the rows of a relation hold lists.

    Attributes:
        documents: the list of the ids.
        scores: the list of the scores; empty where the places in lists are all that orders documents.
        wrong: conditions on rows that are refused, with the slug and what is wrong with them.
        field: what the scores are called; empty where there are none.

    """

    documents: str
    scores: str
    wrong: Mapping[str, tuple[str, str]]
    field: str = ""


@dataclass(frozen=True)
class Scan:
    """A relation, and how its rows become those of a run.

    Attributes:
        relation: the relation.
        name: what messages call it.
        id: the query of a row.
        rows: the query that gives `query, document, score`, and `position` and `rank` where they are there; integers
            stay integers, other ids are text.
        query_type: what ids of queries are: text or integers.
        document_type: what ids of documents are.
        score: the score of a row; of lists, the list of them.
        has_position: whether something tells in which order rows came.
        no_position: why it cannot, where a column of that name holds no numbers.
        has_ranks: whether there is a column of ranks.
        lists: how rows hold lists; None where rows are documents.
        others: a table that `rows` names, of pairs that are left out.
        names: a table that `rows` names, of queries that are called otherwise.
        called: the column of queries, as its owner calls it.

    """

    relation: Relation
    name: str
    id: str
    rows: str
    query_type: pl.DataType
    document_type: pl.DataType
    score: str = ""
    has_position: bool = False
    no_position: InputError | None = None
    has_ranks: bool = False
    lists: ListColumns | None = None
    others: pl.DataFrame | None = None
    names: pl.DataFrame | None = None
    called: str = "query"

    def ask(
        self, query: str, queries: pl.DataFrame | None = None, judged: pl.DataFrame | None = None, *, only: bool = False
    ) -> pl.DataFrame:
        """What the engine answers to a query over `run`, or over `source`, the rows as they are.

        Args:
            query: the query, or further common table expressions before it.
            queries: a table with a column `query`, which the query may name.
            judged: another table.
            only: whether rows of other queries than those of `queries` do not matter, so that they need not be looked
                into.

        Raises:
            InputError: `unreadable-file`, `input-type`, where it fails.

        """
        tables = {"queries": queries, "judged": judged, "others": self.others, "names": self.names}
        some = f" WHERE {self.id} IN (SELECT query FROM queries)" if only and self.names is None else ""
        parts = [f"{name} AS ({_bytewise(name, frame)})" for name, frame in tables.items() if frame is not None]
        parts.append(f"source AS NOT MATERIALIZED (SELECT * FROM {RELATION}{some})")
        parts.append(f"run AS NOT MATERIALIZED ({self.rows})")
        try:
            return pl.DataFrame(Stream(_answer(self.relation, f"WITH {', '.join(parts)}{query}", **tables)))
        except Exception as error:  # noqa: BLE001 - of DuckDB's many
            _fail(self.name, error)
        finally:
            if _is_old():  # which leaves a view behind where a relation was queried
                with suppress(Exception):  # where the connection is closed, there is none
                    self.relation.query(RELATION, f"DROP VIEW IF EXISTS {RELATION}")

    @cached_property
    def at_once(self) -> int:
        """How many numbers are held in memory at once."""
        size, unit = str(self.ask(" SELECT current_setting('memory_limit')").item()).split()
        return max(_LEAST, int(float(size) * 1024 ** _UNITS.index(unit)) // _SHARE)

    def passes(self, rows: int) -> int:
        """In how many passes so many rows are looked through, so that memory holds what one pass needs."""
        return max(1, math.ceil(rows / self.at_once))


def _answer(
    relation: Relation,
    query: str,
    queries: pl.DataFrame | None,
    judged: pl.DataFrame | None,
    others: pl.DataFrame | None,
    names: pl.DataFrame | None,
) -> Relation:
    """What DuckDB answers; it finds the frames among the variables of this function."""
    rankworth_6b3c_queries, rankworth_6b3c_judged = _as_input(queries), _as_input(judged)  # noqa: F841 - as said
    rankworth_6b3c_others, rankworth_6b3c_names = _as_input(others), _as_input(names)  # noqa: F841 - as said
    return relation.query(RELATION, query)


def _as_input(frame: pl.DataFrame | None) -> Any:  # noqa: ANN401 - of Polars or of Arrow
    """A frame as DuckDB takes it: up to 1.5 it uses PyArrow, if that is there, which filters no text of this kind."""
    if frame is not None and _is_old() and find_spec("pyarrow") is not None:
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    return frame if frame is None else Stream(frame)


def _bytewise(name: str, frame: pl.DataFrame) -> str:
    """The query that gives a frame with its texts compared byte by byte."""
    texts = ", ".join(f"{text(column)} AS {column}" for column, kind in frame.schema.items() if kind == pl.String)
    return f"SELECT *{f' REPLACE ({texts})' if texts else ''} FROM {_FRAME}{name}"


def _is_old() -> bool:
    return int(import_module("duckdb").__version__.partition(".")[0]) < _STREAMS


def scan(
    relation: Relation, name: str, columns: Mapping[str, str] = NONE, *, order: str = "", by_rank: Scan | None = None
) -> Scan:
    """Find the columns of a relation; no row is read.

    Args:
        relation: rows of one document each, or of one query each with lists.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.
        order: the column that tells where rows of files stand, of which the command line tells the others; `position`
            may tell the order where not said.
        by_rank: the same rows with their ranks for scores, where ranks are wanted beside scores.

    Raises:
        InputError: `frame-columns`, `id-type`, `bad-score`, `input-type`.

    """
    kinds = _types(relation, name)
    names = tuple(column for column in kinds if column != order)
    table = Table("score", name, columns, names, first=int(bool(order)))
    chosen = table.chosen()
    free = (column for column in names if column.lower() == "position" and column not in chosen.values())
    position = order or next(free, "")
    schema = _schema(relation, name, filter(None, [*chosen.values(), position]))
    table.check_said(fields(schema.values()))
    query = _id(table, "query", schema[chosen["query"]], kinds[chosen["query"]], _name(chosen["query"]))
    if is_list(schema[chosen["document"]]):
        return _scan_lists(relation, table, schema, query, by_rank)
    for what, column in chosen.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    value = next((what for what in VALUES["score"] if what in chosen), "")
    if not value:
        raise table.missing(VALUES["score"])
    column = chosen["document"]
    document = _id(table, "document", schema[column], kinds[column], _name(column))
    score = _score(value, _number(table, value, schema[chosen[value]], _name(chosen[value])))
    parts = [f"{query} AS query, {document} AS document, {score} AS score"]
    if by_rank is not None:
        parts.append(f"-({by_rank.score}) AS rank")
    no_position = None
    if position:
        try:
            parts.append(f"{_number(table, 'position', schema[position], _name(position))} AS position")
        except InputError as error:
            no_position = error
    return Scan(
        relation=relation,
        name=name,
        id=query,
        rows=f"SELECT {', '.join(parts)} FROM source",
        query_type=_kind(schema[chosen["query"]]),
        document_type=_kind(schema[column]),
        score=score,
        has_position=bool(position) and no_position is None,
        no_position=no_position,
        has_ranks=by_rank is not None,
        called=chosen["query"],
    )


def _scan_lists(relation: Relation, table: Table, schema: Mapping[str, Any], query: str, by_rank: Scan | None) -> Scan:
    """A relation in which each row has a list of documents, maybe beside lists of scores, or of records of both."""
    chosen, name = table.chosen(), table.name
    called, held = chosen["query"], _name(chosen["document"])
    documents = held
    value = next((what for what in VALUES["score"] if what in chosen), "")
    kind, scores, types = schema[chosen["document"]].inner, "", schema
    if not value:
        numbers = [column for column, dtype in _types(relation, name).items() if _NUMBERS.fullmatch(dtype)]
        table.refuse_doubt(numbers, chosen.values())
    if isinstance(kind, pl.Struct):
        inside = {part.name: part.dtype for part in kind.fields}
        records = table.records(inside)
        column, within = records.needed("document"), records.told()
        documents, kind = f"[item.{_name(column)} FOR item IN {held}]", inside[column]
        if what := next((what for what in VALUES["score"] if what in within), ""):
            table, chosen, value, scores = records, within, what, held
            types = {within[what]: pl.List(inside[within[what]])}
        elif not value:
            numbers = [field for field, dtype in inside.items() if dtype.is_numeric() or dtype == pl.Boolean]
            records.refuse_doubt(numbers, [column, *within.values()])
    if value and not is_list(types[chosen[value]]):
        message = f"{table.name}: there are lists of documents, and one {value} for each list"
        raise InputError("frame-columns", message, remedy=f"give a list of {value}s beside each list of documents")
    _id(table, "document", kind, str(kind), "item")
    wrong = {f"{query} IS NULL": ("missing-value", "has no query")}
    wrong[f"{held} IS NULL"] = ("missing-value", "has no document")
    if value:
        number = f"item.{_name(chosen[value])}" if scores else "item"
        scores = scores or _name(chosen[value])
        if scores != held:
            wrong[f"{scores} IS NULL"] = ("missing-value", f"has no {value}")
            wrong[f"len({held}) <> len({scores})"] = ("frame-columns", "has lists of different lengths")
        number = _score(value, _number(table, value, types[chosen[value]].inner, number))
        scores = f"[{number} FOR item IN {scores}]"
        if value == "score":  # hits that are sorted by a field have none but null
            ranked = f"[-CAST(item AS DOUBLE) FOR item IN range(1, len({held}) + 1)]"
            scores = f"(CASE WHEN list_count({scores}) = 0 THEN {ranked} ELSE {scores} END)"
    columns = {"document": documents, "position": f"range(1, len({held}) + 1)", "score": scores}
    if by_rank is not None and by_rank.lists is not None:
        columns["rank"] = f"[-item FOR item IN {by_rank.lists.scores}]" if by_rank.lists.scores else ""
    unnested = [f"unnest({column}) AS {what}" for what, column in columns.items() if column]
    others = {"score": "-CAST(position AS DOUBLE)", "rank": "CAST(position AS DOUBLE)"}
    more = [what if column else f"{others[what]} AS {what}" for what, column in columns.items() if what != "document"]
    document = "document" if kind.is_integer() else f"{text('document')} AS document"
    rows = f"SELECT {query} AS query, {', '.join(unnested)} FROM source"
    return Scan(
        relation=relation,
        name=name,
        id=query,
        rows=f"SELECT query, {document}, {', '.join(more)} FROM ({rows})",
        query_type=_kind(schema[called]),
        document_type=_kind(kind),
        has_position=True,
        has_ranks=by_rank is not None,
        lists=ListColumns(documents, scores, wrong, str(chosen.get("score", "")) if value else ""),
        called=called,
    )


def _name(column: str) -> str:
    """A name as queries hold it."""
    return '"' + column.replace('"', '""') + '"'


def _kind(dtype: pl.DataType) -> pl.DataType:
    """What ids are: integers, or text."""
    return dtype if dtype.is_integer() else pl.String()


def _id(table: Table, what: str, dtype: pl.DataType, kind: str, column: str) -> str:
    """A column of ids: integers, or text.

    Raises:
        InputError: `id-type`.

    """
    if dtype.is_integer():
        return column
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return text(column)
    holes = "; holes make floats of integers" if dtype.is_float() else ""
    raise InputError(
        "id-type",
        f"{table.name}: the {what} {table.noun} holds {kind}; ids are text or integers of 64 bits",
        remedy=f"make it integers or text: CAST({what} AS BIGINT), CAST({what} AS VARCHAR){holes}",
    )


def _number(table: Table, what: str, dtype: pl.DataType, column: str) -> str:
    """A column of numbers as float64; decimal numbers by way of their digits, so that each is rounded once.

    Raises:
        InputError: `bad-score`.

    """
    if isinstance(dtype, pl.Decimal):
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    if dtype.is_numeric() or isinstance(dtype, pl.Boolean):
        return f"CAST({column} AS DOUBLE)"
    message = f"{table.name}: the {what} {table.noun} holds {dtype}, not numbers"
    raise InputError("bad-score", message, remedy=f"convert the {table.noun} to numbers: CAST({what} AS DOUBLE)")


def _score(value: str, number: str) -> str:
    """Numbers as scores; no rank is infinite."""
    if value == "distance":
        return f"(0 - ({number}))"
    return f"CASE WHEN isinf({number}) THEN 'nan'::DOUBLE ELSE -({number}) END" if value == "rank" else number


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

"""Rows of a relation of DuckDB: which columns hold what, and queries over them."""

# ruff: noqa: S608 - names of columns are quoted

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NoReturn

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io.columns import NONE, VALUES, Table
from rankworth.io.frames import fields, is_list

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
    table.check_named(fields(schema.values()))
    query = _id(table, "query", schema[chosen["query"]], kinds[chosen["query"]], _name(chosen["query"]))
    if is_list(schema[chosen["document"]]):
        return _scan_lists(relation, table, schema, query, by_rank)
    table.check_flat(chosen)
    value = next(what for what in VALUES["score"] if what in chosen)
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
        column, within = records.needed("document"), records.value_columns()
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

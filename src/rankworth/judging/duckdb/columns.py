"""Which columns of a relation hold what, one document in a row or lists of them, and the query that says so."""

# ruff: noqa: S608 - names of columns are quoted

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.columns import NONE, VALUES, Table, is_plural
from rankworth.io.frames import fields, is_list
from rankworth.judging.duckdb import sql
from rankworth.judging.duckdb.scan import VIEW, Lists, Scan
from rankworth.judging.duckdb.sql import GIVEN, Stream, text

_POSITION: Final = "position"
_SIZE: Final = re.compile(r"\[\d+\]$")
_TEXTS: Final = "VARCHAR[]"
_NUMBERS: Final = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(.*\))\[\d*\]")
"""what DuckDB calls lists of numbers"""
_ONE: Final = "rankworth_one"
"""what queries call an item of a list"""


@dataclass(frozen=True)
class _Columns(Table):
    """The columns of a relation."""

    def said(self, what: str, name: str = "NAME") -> str:
        """How a user says which column holds what; relations are only told so by what takes their rows out."""
        told = super().said(what, name)
        return told if self.first else f"{'Qrels' if self.value == 'grade' else 'Run'}(relation, {told})"


@dataclass(frozen=True)
class _Relation:
    """A relation, and what is known of its columns before a row is read.

    Attributes:
        source: the relation.
        table: what is asked of it.
        kinds: what DuckDB calls the types of its columns.
        schema: what Polars makes of those that count.

    """

    source: Any
    table: Table
    kinds: Mapping[str, str]
    schema: Mapping[str, Any]

    def id(self, what: str, column: str) -> str:
        """A column of ids."""
        return _checked_id(self.table, what, self.schema[column], self.kinds[column], _name(column))

    def list(self, column: str) -> str:
        """A column of lists, of ids as integers or text; those of one length, a type of its own, become plain ones."""
        kind, name = self.kinds[column], _name(column)
        plain = _SIZE.sub("[]", kind)
        dtype = self.schema[column].inner
        if plain != _TEXTS and isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
            plain = _TEXTS  # of UUID and the like
        elif plain == _TEXTS and self._is_collated(name):
            return f"[decode(encode({_ONE})) FOR {_ONE} IN {name}]"
        return name if kind == plain else f"CAST({name} AS {plain})"

    def _is_collated(self, name: str) -> bool:
        """Whether texts in lists are not compared byte by byte; DuckDB 2.0 mixes no collations, 1.5 knows of none."""
        try:
            self.source.query(GIVEN, f"SELECT list_position({name}, '' COLLATE c) FROM {GIVEN} LIMIT 0").fetchall()
        except Exception:  # noqa: BLE001 - of DuckDB's many
            return True
        return False


def scan(
    relation: Any,  # noqa: ANN401 - of DuckDB
    name: str,
    columns: Mapping[str, str] = NONE,
    *,
    order: str = "",
    by_rank: Scan | None = None,
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
    kinds = sql.described(relation, name)
    names = tuple(one for one in kinds if one != order)
    table = _Columns("score", name, columns, names, first=int(bool(order)))
    found = table.chosen()
    told = [order] if order else [one for one in names if one.lower() == _POSITION and one not in found.values()]
    position = next(iter(told), None)
    schema = _schema(relation, name, [*found.values(), position])
    table.check_said(fields(schema.values()))
    known = _Relation(relation, table, {one: kinds[one] for one in names}, schema)
    if is_list(schema[found["document"]]):
        return _of_lists(known, by_rank)
    for what, column in found.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    value = next((what for what in VALUES["score"] if what in found), "")
    if not value:
        raise table.missing(VALUES["score"])
    ids = {what: known.id(what, found[what]) for what in ("query", "document")}
    score = _ranked(value, _number(table, value, schema[found[value]], _name(found[value])))
    parts = [*(f"{column} AS {what}" for what, column in ids.items()), f"{score} AS score"]
    if by_rank is not None:
        parts.append(f"-({by_rank.score}) AS rank")
    no_position = None
    if position is not None:
        try:
            parts.append(f"{_number(table, _POSITION, schema[position], _name(position))} AS position")
        except InputError as error:
            no_position = error
    return Scan(
        relation=relation,
        name=name,
        id=ids["query"],
        score=score,
        rows=f"SELECT {', '.join(parts)} FROM {VIEW}",
        query_type=_kind(schema[found["query"]]),
        document_type=_kind(schema[found["document"]]),
        has_position=position is not None and no_position is None,
        no_position=no_position,
        has_ranks=by_rank is not None,
        called=found["query"],
    )


def judgements(relation: Any, columns: Mapping[str, str] = NONE) -> Stream:  # noqa: ANN401 - of DuckDB
    """The columns of a relation that judgements are read from; all of them where none tells a grade.

    Args:
        relation: the relation.
        columns: which column holds what, where its name does not tell.

    Raises:
        InputError: `frame-columns`, `input-type`.

    """
    name = "the judgements"
    names = tuple(sql.described(relation, name))
    found = _Columns("grade", name, columns, names).chosen()
    chosen = dict.fromkeys(found.values() if "grade" in found else names)
    try:
        return Stream(relation.project(", ".join(map(_name, chosen))))
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        sql.give_up(name, error)


def _of_lists(known: _Relation, by_rank: Scan | None) -> Scan:
    """A relation in which each row has a list of documents, maybe beside lists of scores, or of records of both."""
    table, schema = known.table, known.schema
    found = table.chosen()
    inner: Any = schema[found["document"]].inner
    told = next((what for what in VALUES["score"] if what in found), "")
    single = told if told and not is_list(schema[found[told]]) else ""
    told = "" if single else told
    if not told and not single:
        table.refuse_doubt([name for name, kind in known.kinds.items() if _NUMBERS.fullmatch(kind)], found.values())
    query = known.id("query", found["query"])
    listed = {what: known.list(found[what]) for what in ("document", *filter(None, [told]))}
    document, kind, number, holder = _ONE, inner, "", listed.get(told, "")
    field = str(found.get("score", ""))
    if isinstance(inner, pl.Struct):
        fields: dict[str, Any] = {one.name: one.dtype for one in inner.fields}
        within = table.records(fields)
        name = within.needed("document")
        document, kind = f"{_ONE}.{_name(name)}", fields[name]
        columns = within.told()
        if what := next((one for one in VALUES["score"] if one in columns), ""):
            told, number = what, _number(within, what, fields[columns[what]], f"{_ONE}.{_name(columns[what])}")
            single, holder, field = "", listed["document"], str(columns.get("score", ""))
        elif not told and not single:
            numbers = [one for one, dtype in fields.items() if dtype.is_numeric() or dtype == pl.Boolean]
            within.refuse_doubt(numbers, [name, *columns.values()])
    if single:
        message = f"{table.name}: there are lists of documents, and one {single} for each list"
        raise InputError("frame-columns", message, remedy=f"give a list of {single}s beside each list of documents")
    if told and not number:
        scores: Any = schema[found[told]].inner
        number = _number(table, told, scores, _ONE)
    shown = _checked_id(table, "document", kind, str(kind), document)
    documents = f"[{shown} FOR {_ONE} IN {listed['document']}]" if isinstance(inner, pl.Struct) else listed["document"]
    scored = f"[{_ranked(told, number)} FOR {_ONE} IN {holder}]" if told else ""
    if told == "score":  # hits that are sorted by a field have none but null
        places = f"[-CAST({_ONE} AS DOUBLE) FOR {_ONE} IN range(1, len({holder}) + 1)]"
        scored = f"(CASE WHEN list_count({scored}) = 0 THEN {places} ELSE {scored} END)"
    nulls = (f"len({listed['document']}) - list_count({documents})", f"len({holder}) - list_count({scored})")
    odd = f"CAST(list_contains({scored}, 'nan'::DOUBLE) AS INTEGER)"
    beside = [column for what, column in listed.items() if what != "document"]
    ranks = by_rank.lists.scores if by_rank is not None and by_rank.lists is not None else ""
    how = Lists(
        documents,
        scored,
        {what: f"{column} IS NULL" for what, column in {"query": query, **listed}.items()},
        f"len({listed['document']}) <> len({beside[0]})" if beside else "",
        nulls if told else (nulls[0], "0"),
        odd if told else "0",
        f"[-{_ONE} FOR {_ONE} IN {ranks}]" if ranks else "",
        field,
    )
    columns = {"document": documents, "score": how.scores, "rank": how.ranks}
    parts = [f"unnest({column}) AS {what}" for what, column in columns.items() if column]
    parts.append(f"unnest(range(1, len({listed['document']}) + 1)) AS position")
    kinds = _kind(schema[found["query"]]), _kind(kind)
    score = "score" if told else "-CAST(position AS DOUBLE)"
    rank = ("rank" if ranks else "CAST(position AS DOUBLE) AS rank") if by_rank is not None else ""
    shown = "document" if kinds[1].is_integer() else f"{text('document')} AS document"
    chosen = ", ".join(filter(None, ("query", shown, f"{score} AS score", "position", rank)))
    return Scan(
        relation=known.source,
        name=table.name,
        id=query,
        score="",
        rows=f"SELECT {chosen} FROM (SELECT {query} AS query, {', '.join(parts)} FROM {VIEW})",
        query_type=kinds[0],
        document_type=kinds[1],
        has_position=True,
        has_ranks=by_rank is not None,
        lists=how,
        called=found["query"],
    )


def _schema(relation: Any, name: str, columns: list[str | None]) -> dict[str, Any]:  # noqa: ANN401 - of DuckDB
    """What columns hold; others may be of types that nobody else knows.

    Raises:
        InputError: `unreadable-file`, `input-type`.

    """
    chosen = list(dict.fromkeys(one for one in columns if one is not None))
    try:
        return dict(pl.DataFrame(Stream(relation.project(", ".join(map(_name, chosen))).limit(0))).schema)
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        sql.give_up(name, error)


def _name(column: str) -> str:
    """A name as queries hold it."""
    return '"' + column.replace('"', '""') + '"'


def _kind(dtype: pl.DataType) -> pl.DataType:
    return dtype if dtype.is_integer() else pl.String()


def _checked_id(table: Table, what: str, dtype: pl.DataType, kind: str, column: str) -> str:
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


def _ranked(told: str, number: str) -> str:
    """Numbers as scores; no rank is infinite."""
    if told == "distance":
        return f"(0 - ({number}))"
    return f"CASE WHEN isinf({number}) THEN 'nan'::DOUBLE ELSE -({number}) END" if told == "rank" else number

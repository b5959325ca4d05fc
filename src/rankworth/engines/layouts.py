"""Which columns of a relation hold what, one document in a row or lists of them, and the query that says so."""

# ruff: noqa: S608 - names of columns are quoted

import re
from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from rankworth.engines.scan import VIEW, Lists, Scan, Stream, give_up
from rankworth.errors import InputError, quoted
from rankworth.io.frames import lists as in_lists
from rankworth.io.frames.lists import is_list
from rankworth.io.frames.roles import NONE, VALUES, Table, is_plural

_POSITION: Final = "position"
_SIZE: Final = re.compile(r"\[\d+\]$")
_NUMBERS: Final = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(.*\))\[\d*\]")
"""what DuckDB calls lists of numbers"""
_ONE: Final = "rankworth_one"
"""what queries call an item of a list"""


def scan(
    relation: Any,  # noqa: ANN401 - of DuckDB
    name: str,
    columns: Mapping[str, str] = NONE,
    *,
    texts: bool = False,
    order: str = "",
) -> Scan:
    """Find the columns of a relation; no row is read.

    Args:
        relation: rows of one document each, or of one query each with lists.
        name: what messages call it.
        columns: which column holds what, where its name does not tell.
        texts: whether numbers come as text, as in CSV.
        order: a column of no file that tells in which order rows came; `position` may where not said.

    Raises:
        InputError: `frame-columns`, `id-type`, `bad-score`.

    """
    names = [one for one in relation.columns if one != order]
    table = Table("score", name, columns, tuple(names))
    found = table.chosen()
    kinds = {one: str(kind) for one, kind in zip(relation.columns, relation.types, strict=True) if one != order}
    told = [order] if order else [one for one in names if one.lower() == _POSITION and one not in found.values()]
    position = next(iter(told), None)
    rank = found.get("rank") or table.one("rank")
    schema = _schema(relation, name, [*found.values(), position, rank])
    inside = in_lists.fields(schema.values())
    table.check_said(inside)
    if is_list(schema[found["document"]]):
        return _of_lists(relation, table, schema, kinds)
    for what, column in found.items():
        if is_plural(column, what):
            raise table.missing((what,), f"{quoted([column])} holds no lists; ")
    value = next((what for what in VALUES["score"] if what in found), "")
    if not value:
        raise table.missing(VALUES["score"])
    ids = {what: _checked_id(table, what, schema[found[what]], _name(found[what])) for what in ("query", "document")}
    score = _number(table, value, schema[found[value]], _name(found[value]), texts=texts)
    parts = [f"{ids[what]} AS {what}" for what in ids] + [f"{_ranked(value, score)} AS score"]
    if rank is not None:
        parts.append(f"{_number(table, 'rank', schema[rank], _name(rank), texts=texts)} AS rank")
    if position is not None:
        parts.append(f"{_number(table, _POSITION, schema[position], _name(position), texts=texts)} AS position")
    query, document = (_kind(schema[found[what]]) for what in ("query", "document"))
    rows = f"SELECT {', '.join(parts)} FROM {VIEW}"
    return Scan(relation, name, ids["query"], rows, query, document, position is not None, rank is not None)


def judgements(relation: Any) -> Stream:  # noqa: ANN401 - of DuckDB
    """The columns of a relation that judgements are read from; all of them where none tells a grade.

    Raises:
        InputError: `frame-columns`.

    """
    found = Table("grade", "the judgements", names=tuple(relation.columns)).chosen()
    chosen = dict.fromkeys(found.values() if "grade" in found else relation.columns)
    return Stream(relation.project(", ".join(map(_name, chosen))))


def _of_lists(relation: Any, table: Table, schema: Mapping[str, Any], kinds: Mapping[str, str]) -> Scan:  # noqa: ANN401 - of DuckDB
    """A relation in which each row has a list of documents, maybe beside lists of scores, or of records of both."""
    found = table.chosen()
    inner: Any = schema[found["document"]].inner
    told = next((what for what in VALUES["score"] if what in found), "")
    single = told if told and not is_list(schema[found[told]]) else ""
    told = "" if single else told
    if not told and not single:
        table.refuse_doubt([name for name, kind in kinds.items() if _NUMBERS.fullmatch(kind)], found.values())
    listed = {what: _list(_name(found[what]), kinds[found[what]]) for what in ("document", *filter(None, [told]))}
    query = _checked_id(table, "query", schema[found["query"]], _name(found["query"]))
    document, kind, number, holder = _ONE, inner, "", listed.get(told, "")
    if isinstance(inner, pl.Struct):
        fields: dict[str, Any] = {one.name: one.dtype for one in inner.fields}
        within = table.records(fields)
        name = within.needed("document")
        document, kind = f"{_ONE}.{_name(name)}", fields[name]
        columns = within.told()
        if what := next((one for one in VALUES["score"] if one in columns), ""):
            told, number = what, _number(within, what, fields[columns[what]], f"{_ONE}.{_name(columns[what])}")
            single, holder = "", listed["document"]
        elif not told and not single:
            numbers = [one for one, dtype in fields.items() if dtype.is_numeric() or dtype == pl.Boolean]
            within.refuse_doubt(numbers, [name, *columns.values()])
    if single:
        text = f"{table.name}: there are lists of documents, and one {single} for each list"
        raise InputError("frame-columns", text, remedy=f"give a list of {single}s beside each list of documents")
    if told and not number:
        scores: Any = schema[found[told]].inner
        number = _number(table, told, scores, _ONE)
    shown = _checked_id(table, "document", kind, document)
    documents = listed["document"] if shown == _ONE else f"[{shown} FOR {_ONE} IN {listed['document']}]"
    scored = f"[{_ranked(told, number)} FOR {_ONE} IN {holder}]" if told else ""
    bad = {"missing-value": " OR ".join(f"{column} IS NULL" for column in (query, *listed.values()))}
    others = [column for what, column in listed.items() if what != "document"]
    if others:
        bad["frame-columns"] = f"len({listed['document']}) <> len({others[0]})"
    nulls = (f"len({listed['document']}) - list_count({documents})", f"len({holder}) - list_count({scored})")
    odd = f"CAST(list_contains({scored}, 'nan'::DOUBLE) AS INTEGER)"
    how = Lists(documents, scored, bad, nulls if told else (nulls[0], "0"), odd if told else "0")
    parts = [f"unnest({documents}) AS document", *([f"unnest({scored}) AS score"] if told else [])]
    parts.append(f"unnest(range(1, len({listed['document']}) + 1)) AS position")
    score = "score" if told else "-CAST(position AS DOUBLE)"
    ranks = f", -({score}) AS rank" if told in ("rank", "") else ""
    spread = f"SELECT {query} AS query, {', '.join(parts)} FROM {VIEW}"
    rows = f"SELECT query, document, {score} AS score, position{ranks} FROM ({spread})"
    return Scan(relation, table.name, query, rows, _kind(schema[found["query"]]), _kind(kind), True, bool(ranks), how)


def _schema(relation: Any, name: str, columns: list[str | None]) -> dict[str, Any]:  # noqa: ANN401 - of DuckDB
    """What columns hold; others may be of types that nobody else knows.

    Raises:
        InputError: `unreadable-file`.

    """
    chosen = list(dict.fromkeys(one for one in columns if one is not None))
    try:
        return dict(pl.DataFrame(Stream(relation.project(", ".join(map(_name, chosen))).limit(0))).schema)
    except Exception as error:  # noqa: BLE001 - of DuckDB's many
        give_up(name, error)


def _name(column: str) -> str:
    """A name as queries hold it."""
    return '"' + column.replace('"', '""') + '"'


def _list(column: str, kind: str) -> str:
    """A column of lists; those of one length, which DuckDB has as a type of its own, become plain ones."""
    return f"CAST({column} AS {_SIZE.sub('[]', kind)})" if _SIZE.search(kind) else column


def _kind(dtype: pl.DataType) -> pl.DataType:
    return dtype if dtype.is_integer() else pl.String()


def _checked_id(table: Table, what: str, dtype: pl.DataType, column: str) -> str:
    """A column of ids: integers, or text."""
    if dtype.is_integer() or dtype == pl.String:
        return column
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return f"CAST({column} AS VARCHAR)"
    remedy = "convert the column to text, as the ids stand in the other input"
    text = f"{table.name}: the {what} {table.noun} holds {dtype}; ids are text or integers"
    raise InputError("id-type", text, remedy=remedy)


def _number(table: Table, what: str, dtype: pl.DataType, column: str, *, texts: bool = False) -> str:
    """A column of numbers as float64; decimal numbers by way of their digits, so that each is rounded once."""
    if texts and isinstance(dtype, pl.String):
        return f"CASE WHEN {column} IS NOT NULL THEN coalesce(TRY_CAST(trim({column}) AS DOUBLE), 'nan'::DOUBLE) END"
    if isinstance(dtype, pl.Decimal):
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    if dtype.is_numeric() or isinstance(dtype, pl.Boolean):
        return f"CAST({column} AS DOUBLE)"
    text = f"{table.name}: the {what} {table.noun} holds {dtype}, not numbers"
    raise InputError("bad-score", text, remedy="convert the column to numbers: CAST(score AS DOUBLE)")


def _ranked(told: str, number: str) -> str:
    return f"-({number})" if told == "rank" else number

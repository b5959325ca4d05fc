"""Tables in every form, read by every setting through every door, beside what a small reader makes of them."""

import csv
import io
import json
import random
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import rankworth as rw
from rankworth.conversion import convert
from rankworth.io.query_texts import queries
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.item_data import ExpectedRun, History, Items, ranked_rows

Row = dict[str, Any]
Rows = dict[tuple[str, str], Any]
"""the value of each query and document"""
USUAL: Final = {
    "query": ("query_id", "qid", "user_id", "topic"),
    "document": ("doc_id", "docno", "item_id"),
    "grade": ("relevance", "grade", "label"),
    "score": ("score", "prediction"),
    "rank": ("rank", "position"),
    "first-rank": ("rank", "position", "first_rank"),
    "text": ("text",),
    "genre": (),
}
LISTS: Final = ("documents", "docs", "results", "hits", "items", "ctxs")
OTHER: Final = {
    "query": "term",
    "document": "sku",
    "grade": "stars",
    "score": "sim",
    "rank": "nth",
    "first-rank": "nth",
    "text": "wording",
    "genre": "kind",
}
"""names that are not usual"""
WORDS: Final = {"E": 3, "S": 2, "C": 1, "I": 0}
REFUSED: Final = "refused"
NESTED: Final = ("records", "pairs")
"""shapes with lists of records or of pairs"""
OF_LISTS: Final = ("lists", "separated", "wide")
"""shapes whose documents have no numbers"""
TEXTS: Final = {"texts": ("query", "text"), "items": ("document", "genre"), "first ranks": ("query", "first-rank")}
"""tables with a text or a rank for each id: what holds the ids, and what holds the text or the rank"""


@dataclass(frozen=True)
class Table:
    """A table and how it is read.

    Attributes:
        truth: query, document and value of each row, in order.
        kind: `run` or `qrels`, or a key of `TEXTS`.
        shape: how documents stand in rows.
        form: a key of `FORMS`.
        door: a key of `DOORS`.
        valued: the role of the values; empty where no column holds any.
        names: what the column of each role is called; `list` is that of lists of records and pairs.
        joined: whether two columns name the query.
        extra: a further column.
        words: whether grades are words.
        told: whether the format of the file is said.
        said: which column holds what.
        fault: what is wrong with what is said; empty where nothing is.

    """

    truth: Sequence[tuple[str, Any, float]]
    kind: str
    shape: str
    form: str
    door: str
    valued: str
    names: Mapping[str, str]
    joined: bool
    extra: str
    words: bool
    told: bool
    said: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""


# The reference


def reference(table: Table) -> Rows | str:
    """Read a table as it is to be read; `refused` where it is to be refused."""
    if table.fault:
        return REFUSED
    if table.kind == "first ranks":
        return {(query, "first-rank"): 0.0 if rank is None else 1 / rank for query, rank, _ in table.truth}
    if table.kind in TEXTS:
        return {(row, TEXTS[table.kind][1]): text for row, text, _ in table.truth}
    has_values = bool(table.valued) and table.said.get(table.valued) != ""
    read: Rows = {}
    rank: Counter[str] = Counter()
    for query, document, value in table.truth:
        rank[query] += 1
        number = -float(rank[query]) if table.valued == "rank" else float(value)
        if not has_values:
            number = 1.0 if table.kind == "qrels" else -float(rank[query])
        read[query, document] = 1.0 if table.door in ("exclude", "history") else number
    return read


# Tables made by chance


def table_of(chance: random.Random) -> Table:
    """Make a table, what is said of it, and the form and the door."""
    kind = chance.choice(("run", "run", "run", "qrels", "qrels", "qrels", *TEXTS))
    if kind in TEXTS:
        return table_of_texts(kind, chance)
    shape = chance.choice(("flat", "flat", "flat", "beside", *NESTED, *OF_LISTS))
    form = chance.choice([name for name, form in FORMS.items() if shape not in form.without])
    doors = [
        name for name, (kinds, _, of_files) in DOORS.items() if kind in kinds and of_files <= bool(FORMS[form].name)
    ]
    value = "score" if kind == "run" else "grade"
    valued = chance.choice((value, value, "rank" if kind == "run" else value, "")) if shape == "flat" else value
    valued = value if valued == "rank" and FORMS[form].is_keyed else valued
    valued = "" if shape in OF_LISTS else value if form == "trec" else valued
    roles = ("query", "document", value if valued == "" else valued)
    names = {role: chance.choice(USUAL[role]) if chance.random() < 0.6 else OTHER[role] for role in roles}
    is_keyed = FORMS[form].is_keyed
    if shape not in ("flat", "wide"):
        names["list"] = chance.choice((*LISTS, "skus"))
    elif shape == "flat" and not is_keyed and chance.random() < 0.1:
        names["document"] = chance.choice(LISTS)
    joined = chance.random() < 0.15 and form != "trec" and not is_keyed
    truth = []
    for query in chance.sample(range(1, 30), chance.randint(1, 3)):
        for place, document in enumerate(chance.sample(range(1, 40), chance.randint(1, 3))):
            number = 9.5 - 1.25 * place if kind == "run" else chance.randint(0, 3)
            truth.append((f"{'en ' * joined}q{query}", f"d{document}", number))
    words = valued == "grade" and chance.random() < 0.15
    extra = chance.choice(("", "", "title", "year" if shape == "flat" else ""))
    extra = "" if form == "trec" or is_keyed else extra
    table = Table(
        truth, kind, shape, form, chance.choice(doors), valued, names, joined, extra, words, chance.random() < 0.3
    )
    if form == "relation" and table.door == "order given":  # whose rows have no order
        table = replace(table, door="object")
    is_simple = shape in ("flat", "lists") and not joined and (bool(valued) or shape == "lists")
    if form == "relation" and kind == "run" and table.door in ENGINE and not is_simple:  # each role is one column there
        table = replace(table, door="object")
    table = replace(table, said={} if form == "trec" else of_keys(table) if is_keyed else needed(table, chance))
    if table.words and table.door in ("exclude", "history"):
        table = replace(table, words=False)
    return faulty(table, chance.choice(("", "", "", "absent", "doubled", "root", "empty")))


def table_of_texts(kind: str, chance: random.Random) -> Table:
    """Make a table with a text or a rank for each id."""
    row, text = TEXTS[kind]
    is_of_ranks = kind == "first ranks"
    form = chance.choice([name for name, form in FORMS.items() if form.of_texts])
    names = {row: chance.choice(USUAL[row]) if chance.random() < 0.6 else OTHER[row], text: OTHER[text]}
    names[text] = chance.choice(USUAL[text]) if kind != "items" and chance.random() < 0.5 else names[text]
    truth: list[tuple[Any, Any, float]] = [
        (f"x{number}", chance.choice((number, number, None)) if is_of_ranks else f"a {number} b", 0.0)
        for number in chance.sample(range(1, 30), chance.randint(1, 4))
    ]
    extra = chance.choice(("", "year"))
    is_unnamed = FORMS[form].is_unnamed
    table = Table(truth, kind, "flat", form, kind, text, names, joined=False, extra=extra, words=False, told=False)
    order = {row: "1", text: "2"} if is_unnamed else names
    needs_row, needs_text = names[row] == OTHER[row], kind != "items" and names[text] == OTHER[text]
    said = {row: order[row]} if is_unnamed or needs_row or chance.random() < 0.3 else {}
    if kind != "items" and (is_unnamed or needs_text or chance.random() < 0.3):
        said[text] = order[text]
    table = replace(table, said=said)
    if said and chance.random() < 0.3:
        role = chance.choice([*said])
        return replace(table, said={**said, role: "9" if is_unnamed else "nosuch"}, fault="absent")
    return table


def of_keys(table: Table) -> dict[str, str]:
    """Return what must be said where each query is a key, of the records and pairs under it."""
    if table.shape == "pairs":
        return {"document": "0", table.valued: "1"}
    if table.shape == "records":
        return {role: table.names[role] for role in ("document", table.valued)}
    return {}


def places(table: Table) -> dict[str, str]:
    """The number of the column of each role."""
    order = ["lang"] * table.joined + ["query", "document", *([table.valued] if table.valued else [])]
    return {role: str(number) for number, role in enumerate(order, 1)}


def needed(table: Table, chance: random.Random) -> dict[str, str]:
    """Return what must be said of a table, and some of what may be said."""
    is_redundant, is_unnamed = chance.random() < 0.3, FORMS[table.form].is_unnamed
    is_counted = is_unnamed or (FORMS[table.form].is_counted and chance.random() < 0.2)
    names = {**table.names, "lang": "lang"}
    named = {role: number if is_counted else names.get(role, "") for role, number in places(table).items()}
    usual = {role: name in (*USUAL[role],) for role, name in table.names.items() if role in USUAL}
    said = {"root": "data"} if FORMS[table.form].root else {}
    if table.joined:
        said["query"] = f"{named['lang']},{named['query']}"
    elif is_counted or is_redundant or not usual["query"]:
        said["query"] = named["query"]
    column = named["document"] if is_counted else names.get("list", names["document"])
    if table.shape in NESTED:
        return said | of_lists(table, column, chance)
    is_usual = column in LISTS if "list" in names else usual["document"]
    if table.shape == "wide":
        said["document"] = "item*"
    elif is_counted or is_redundant or not is_usual:
        said["document"] = column
    if table.shape == "separated":
        said["separator"] = chance.choice((" ", ",", ";", "|"))
    if table.valued and (is_counted or is_redundant or not usual[table.valued]):
        said[table.valued] = named[table.valued]
    if not table.valued and (table.shape == "flat" or table.extra == "year"):
        said["score" if table.kind == "run" else "grade"] = ""
    return said


def of_lists(table: Table, column: str, chance: random.Random) -> dict[str, str]:
    """Return what must be said of lists of records or pairs."""
    if table.shape == "pairs":
        return {"documents": column, "document": "0", table.valued: "1"}
    names = {role: table.names[role] for role in ("document", table.valued)}
    if chance.random() < 0.5 or not all(name in USUAL[role] for role, name in names.items()):
        return {"documents": column, **names}
    return {"document": column} if column not in LISTS else {}


def faulty(table: Table, fault: str) -> Table:
    """Say something else of a table: what is to be refused, or that no column holds its values."""
    said, is_unnamed = dict(table.said), FORMS[table.form].is_unnamed
    has_order = (
        not FORMS[table.form].is_keyed and table.form != "relation"
    )  # where DuckDB reads its rows, they have none
    if (fault == "empty" and not has_order) or (fault == "doubled" and FORMS[table.form].is_keyed):
        return table
    roles = ("query", "document", "documents", *([] if table.door in ("exclude", "history") else [table.valued]))
    named = [role for role in said if role in roles and said[role]]
    if fault == "absent" and named:
        return replace(table, said={**said, named[0]: "9" if is_unnamed else "nosuch"}, fault=fault)
    if fault == "doubled" and {"query", "document"} <= {*said} and "documents" not in said:
        return replace(table, said={**said, "document": said["query"]}, fault=fault)
    if fault == "root" and "root" not in said:
        return replace(table, said={**said, "root": "nosuch"}, fault=fault)
    if fault == "empty" and table.shape == "flat" and table.form != "trec" and table.valued in ("score", "grade"):
        return replace(table, said={**said, table.valued: ""})
    return table


def written(table: Table) -> list[Row]:
    """Return the rows as they are written."""
    if table.kind in TEXTS:
        row, text = (table.names[role] for role in TEXTS[table.kind])
        return [{row: each, text: words} | ({"year": 1999} if table.extra else {}) for each, words, _ in table.truth]
    names, word = table.names, {grade: text for text, grade in WORDS.items()}
    by_query: dict[str, list[tuple[str, str, Any]]] = {}
    for query, document, number in table.truth:
        of_query = by_query.setdefault(query, [])
        value = len(of_query) + 1 if table.valued == "rank" else word[number] if table.words else number  # type: ignore[index]
        of_query.append((query, document, value))
    more = {"title": {"title": "a title"}, "year": {"year": 1999}}.get(table.extra, {})
    rows = []
    for query, of_query in by_query.items():
        lang, _, rest = query.partition(" ")
        outer = {"lang": lang, names["query"]: rest} if table.joined else {names["query"]: query}
        rows += [{**outer, **cells, **more} for cells in cells_of(table, of_query)]
    return rows


def cells_of(table: Table, of_query: Sequence[tuple[str, str, Any]]) -> list[Row]:
    """Return the documents of a query with their values, as they stand in rows."""
    names, valued = table.names, table.names.get(table.valued, "")
    ids, values = [document for _, document, _ in of_query], [value for *_, value in of_query]
    if table.shape == "flat":
        pairs = zip(ids, values, strict=True)
        return [{names["document"]: each} | ({valued: value} if valued else {}) for each, value in pairs]
    if table.shape == "beside":
        return [{names["list"]: ids, valued: values}]
    if table.shape == "records":
        return [{names["list"]: [{names["document"]: each, valued: value} for _, each, value in of_query]}]
    if table.shape == "pairs":
        return [{names["list"]: [[each, value] for _, each, value in of_query]}]
    if table.shape == "wide":
        return [{f"item{place}": ids[place - 1] if place <= len(ids) else None for place in (1, 2, 3)}]
    sign = table.said.get("separator")
    return [{names["list"]: ids if sign is None else sign.join(ids)}]


# Forms


@dataclass(frozen=True)
class Form:
    """A way to write a table.

    Attributes:
        write: makes a text, a frame or another object of rows.
        name: of the format of a file, as options say it; empty for objects.
        suffix: of the file.
        is_unnamed: whether columns have no names.
        is_counted: whether columns with names may be counted, too.
        is_keyed: whether each query is a key.
        of_texts: whether texts and items are written so, too.
        root: under which key the rows stand.
        without: shapes that it does not hold.

    """

    write: Callable[[Sequence[Row]], Any]
    name: str = ""
    suffix: str = ""
    is_unnamed: bool = False
    is_counted: bool = False
    is_keyed: bool = False
    of_texts: bool = False
    root: str = ""
    without: tuple[str, ...] = ()


def of_text(separator: str, *, header: bool) -> Callable[[Sequence[Row]], str]:
    """Write text."""

    def write(rows: Sequence[Row]) -> str:
        target = io.StringIO()
        writer = csv.writer(target, delimiter=separator, lineterminator="\n")
        if header:
            writer.writerow(rows[0])
        for row in rows:
            writer.writerow(json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values())
        return target.getvalue()

    return write


def trec(rows: Sequence[Row]) -> str:
    """Write TREC's lines."""
    lines = []
    for number, row in enumerate(rows):
        query, document, value = row.values()
        is_run = isinstance(value, float)
        lines.append(f"{query} Q0 {document} {number} {value} t\n" if is_run else f"{query} 0 {document} {value}\n")
    return "".join(lines)


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Make a frame of Polars."""
    return pl.DataFrame(list(rows), infer_schema_length=None)


def by_query(rows: Sequence[Row]) -> dict[str, Any]:
    """Put what belongs to each query under it: a list, or a number for each document."""
    keyed: dict[str, Any] = {}
    for row in rows:
        query, document, *value = row.values()
        if isinstance(document, list):
            keyed[query] = document
        elif value:
            keyed.setdefault(query, {})[document] = value[0]
        else:
            keyed.setdefault(query, []).append(document)
    return keyed


def fields(rows: Sequence[Row]) -> np.ndarray[Any, Any]:
    """Make an array of NumPy whose columns have names."""
    kinds = [(name, "U20" if isinstance(cell, str) else "f8") for name, cell in rows[0].items()]
    return np.array([tuple(row.values()) for row in rows], dtype=kinds)


def relation(rows: Sequence[Row]) -> duckdb.DuckDBPyRelation:
    """Make a relation of DuckDB."""
    table = frame(rows).to_arrow()
    return CONNECTION.from_arrow(table)


CONNECTION: Final = duckdb.connect()
KEYED: Final = ("beside", "separated", "wide")
"""shapes whose lists are in columns"""
UNNAMED: Final = ("records", "pairs", "wide")
ENGINE: Final = ("evaluate", "order given", "exact")
"""doors at which DuckDB reads its relations"""
FORMS: Final = {
    "trec": Form(trec, "trec", ".txt", without=("beside", *NESTED, *OF_LISTS)),
    "csv": Form(of_text(",", header=True), "csv", ".csv", is_counted=True, of_texts=True, without=NESTED),
    "tsv": Form(of_text("\t", header=True), "tsv", ".tsv", is_counted=True, of_texts=True, without=NESTED),
    "semicolons": Form(of_text(";", header=True), "csv", ".csv", is_counted=True, of_texts=True, without=NESTED),
    "csv without header": Form(of_text(",", header=False), "csv", ".csv", is_unnamed=True, without=UNNAMED),
    "tsv without header": Form(of_text("\t", header=False), "tsv", ".tsv", is_unnamed=True, without=UNNAMED),
    "jsonl": Form(lambda rows: "".join(json.dumps(row) + "\n" for row in rows), "jsonl", ".jsonl", of_texts=True),
    "json": Form(lambda rows: json.dumps(rows, indent=1), "json", ".json", of_texts=True),
    "json below a key": Form(lambda rows: json.dumps({"name": "x", "data": rows}), "json", ".json", root="data"),
    "parquet": Form(frame, "parquet", ".parquet", is_counted=True, of_texts=True, without=("pairs",)),
    "arrow": Form(frame, "arrow", ".arrow", is_counted=True, without=("pairs",)),
    "rows": Form(list, of_texts=True),
    "tuples": Form(lambda rows: [tuple(row.values()) for row in rows], is_unnamed=True, without=("wide",)),
    "columns": Form(lambda rows: {name: [row[name] for row in rows] for name in rows[0]}),
    "polars": Form(frame, is_counted=True, of_texts=True, without=("pairs",)),
    "array": Form(fields, without=("beside", *NESTED, *OF_LISTS)),
    "matrix": Form(
        lambda rows: np.array([[*row.values()] for row in rows], dtype=object),
        is_unnamed=True,
        without=("beside", *NESTED, *OF_LISTS),
    ),
    "relation": Form(relation, is_counted=False, without=("pairs", "wide", "separated")),
    "dict": Form(by_query, is_keyed=True, without=KEYED),
    "json by query": Form(lambda rows: json.dumps(by_query(rows)), "json", ".json", is_keyed=True, without=KEYED),
    "pandas": Form(lambda rows: pd.DataFrame(list(rows)), is_counted=True, of_texts=True),
}


def source_of(table: Table, folder: Path) -> Any:
    """Write a table, and return the path or the object."""
    form = FORMS[table.form]
    content = form.write(written(table))
    if not form.name:
        return content
    path = folder / f"table{form.suffix}"
    if isinstance(content, str):
        path.write_text(content, "utf-8")
    elif form.name == "parquet":
        content.write_parquet(path)
    else:
        content.write_ipc(path)
    return str(path)


# Doors


def settings_of(table: Table) -> dict[str, Any]:
    """Return what is said, as `Qrels` and `Run` take it."""
    said: dict[str, Any] = {"columns": dict(table.said)} if table.said else {}
    said |= {"format": FORMS[table.form].name} if table.told and FORMS[table.form].name else {}
    return said | ({"grades": WORDS} if table.words else {})


def of_qrels(qrels: rw.Qrels) -> Rows:
    """The rows of judgements."""
    judged = qrels.to_dict()
    return {(str(query), str(document)): grade for query in judged for document, grade in judged[query].items()}


def by_object(table: Table, source: Any, _: Path) -> Rows:
    """`Qrels` and `Run`."""
    if table.kind == "qrels":
        return of_qrels(rw.Qrels(source, **settings_of(table)))
    rows = rw.Run(source, **settings_of(table)).to_frame().select("query", "document", "score").rows()
    return {(str(query), str(document)): score for query, document, score in rows}


def by_evaluate(table: Table, source: Any, _: Path) -> Rows | str:
    """`evaluate`, whose values are those of the same rows in dicts."""
    read = reference(table)
    truth: dict[str, dict[str, float]] = {}
    for (query, document), value in ({} if isinstance(read, str) else read).items():
        truth.setdefault(query, {})[document] = value
    side = {query: {document: place for place, document in enumerate(row)} for query, row in truth.items()}
    other: Any = side or {"q1": {"d1": 1}}
    settings: Any = {f"{table.kind}_columns": dict(table.said)} if table.said else {}
    settings |= {"grades": WORDS} if table.words else {}
    names = ["nDCG", "RR", "AP", "NumRet", "NumRel"]
    pair, expected = ((source, other), (truth, other)) if table.kind == "qrels" else ((other, source), (other, truth))
    values = rw.evaluate(*pair, names, **settings).per_query.to_dict()
    return read if values == rw.evaluate(*expected, names).per_query.to_dict() else "other values"


def by_convert(table: Table, source: Any, folder: Path) -> Rows:
    """`convert` to lines of JSON."""
    target = folder / "out.jsonl"
    convert(source, target, kind=table.kind, **settings_of(table))  # type: ignore[arg-type]
    rows = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    return {(row["query"], row["document"]): float(row["grade" if table.kind == "qrels" else "score"]) for row in rows}


def pairs_said(table: Table) -> dict[str, str]:
    """What is said of pairs, of which no column holds values."""
    return {role: name for role, name in table.said.items() if role != "grade"}


def by_exclude(table: Table, source: Any, _: Path) -> Rows:
    """`exclude`."""
    return dict.fromkeys(of_qrels(Exclusion.of(source, pairs_said(table)).required_pairs), 1.0)


def by_history(table: Table, source: Any, _: Path) -> Rows:
    """`history`."""
    return dict.fromkeys(History.of(source, pairs_said(table)).rows.select("query", "document").rows(), 1.0)


def by_expected_run(table: Table, source: Any, _: Path) -> Rows | str:
    """`expected_run`, of which the ranks count."""
    rows = ranked_rows(ExpectedRun.of(source, dict(table.said)).run).rows()
    made = {(query, item): rank for query, item, _, rank in rows}
    read = reference(table)
    if isinstance(read, str):
        return "rows"
    ranks: dict[tuple[str, str], int] = {}
    for query in dict.fromkeys(query for query, _ in read):
        documents = sorted((key for key in read if key[0] == query), key=lambda key: -read[key])
        ranks |= {key: place for place, key in enumerate(documents, 1)}
    return read if made == ranks else "other ranks"


def by_exact(table: Table, source: Any, _: Path) -> Rows | str:
    """`evaluate_exact`, in which the run is the exact one, and then another one against it."""
    read = reference(table)
    truth: dict[str, dict[str, float]] = {}
    for (query, document), value in ({} if isinstance(read, str) else read).items():
        truth.setdefault(query, {})[document] = value
    truth = truth or {"q1": {"d1": 1.0}}
    other = {query: dict(reversed(row.items())) for query, row in truth.items()}
    values = []
    for option, pair in (("qrels_columns", (source, other)), ("run_columns", (other, source))):
        settings: Any = {option: dict(table.said)} if table.said else {}
        made = rw.evaluate_exact(pair[0], {"a": pair[1]}, ["R@1"], **settings)["a"].per_query.to_dict()
        exact, run = (truth if each is source else each for each in pair)
        values.append(made == rw.evaluate_exact(exact, {"a": run}, ["R@1"])["a"].per_query.to_dict())
    return read if all(values) else "other values"


def by_order(table: Table, source: Any, _: Path) -> Rows | str:
    """`evaluate` with the order of rows, which are those of the reference whatever the values."""
    read = reference(table)
    order: dict[str, list[str]] = {}
    for query, document, _ in table.truth:
        order.setdefault(query, []).append(document)
    qrels = {query: {document: place for place, document in enumerate(row)} for query, row in order.items()}
    settings: Any = {"run_columns": dict(table.said)} if table.said else {}
    made = rw.evaluate(qrels, source, ["nDCG", "RR"], order="given", **settings).per_query.to_dict()
    return read if made == rw.evaluate(qrels, order, ["nDCG", "RR"]).per_query.to_dict() else "other values"


def by_texts(table: Table, source: Any, _: Path) -> Rows:
    """Texts of queries."""
    return {(query, "text"): text for query, text in queries(source, columns=dict(table.said)).texts.items()}


def by_items(table: Table, source: Any, _: Path) -> Rows:
    """Tables of items."""
    rows, _ = Items.of(source, dict(table.said)).rows
    name = "2" if FORMS[table.form].is_unnamed else table.names["genre"]
    return {(item, "genre"): cells.get(name) for item, cells in rows.items()}


def by_first_ranks(table: Table, source: Any, _: Path) -> Rows:
    """`evaluate` of the ranks of first hits, by their reciprocals."""
    values = rw.evaluate(first_ranks=source, measures=["RR"], columns=dict(table.said)).per_query.to_dict()
    return {(query, "first-rank"): of_query["RR"] for query, of_query in values.items()}


DOORS: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Table, Any, Path], Rows | str], bool]]] = {
    "object": (("run", "qrels"), by_object, False),
    "evaluate": (("run", "qrels"), by_evaluate, False),
    "convert": (("run", "qrels"), by_convert, True),
    "exclude": (("qrels",), by_exclude, False),
    "history": (("qrels",), by_history, False),
    "exact": (("run",), by_exact, False),
    "order given": (("run",), by_order, False),
    "texts": (("texts",), by_texts, False),
    "items": (("items",), by_items, False),
    "first ranks": (("first ranks",), by_first_ranks, False),
    "expected run": (("run",), by_expected_run, False),
}
"""what each door takes, how it is gone through, and whether it takes files only"""


def outcome(table: Table, folder: Path) -> Rows | str:
    """What a door makes of a table: rows, `refused`, or the end of a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return DOORS[table.door][1](table, source_of(table, folder), folder)
    except rw.RankworthError:
        return REFUSED
    except Exception:  # noqa: BLE001 - any of them is a disagreement
        return " ".join(traceback.format_exc().splitlines()[-4:])


def disagreements(seed: int, count: int, folder: Path) -> list[tuple[Table, Rows | str, Rows | str]]:
    """Read some tables, and return those of which the reference makes something else."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    tables = (table_of(chance) for _ in range(count))
    read = ((table, reference(table), outcome(table, folder)) for table in tables)
    return [each for each in read if each[1] != each[2]]


def told(table: Table, expected: Rows | str, made: Rows | str, folder: Path) -> str:
    """Tell how a table is read, and why."""
    lines = [f"{table.shape} {table.form} {table.door}: {dict(table.said)} fault={table.fault!r} told={table.told}"]
    lines += [str(written(table)[:2])]
    lines += [each if isinstance(each, str) else str(list(each.items())[:3]) for each in (expected, made)]
    if made == REFUSED:
        try:
            DOORS[table.door][1](table, source_of(table, folder), folder)
        except rw.RankworthError as error:
            lines.append(str(error))
    return "\n    ".join(lines)


def main(seed: int, count: int) -> None:
    """Write what disagrees: `python tests/reading_law.py SEED COUNT`."""
    with tempfile.TemporaryDirectory() as name:
        different = disagreements(seed, count, Path(name))
        for each in different[:40]:
            sys.stdout.write(told(*each, Path(name)) + "\n")
        sys.stdout.write(f"{len(different)} of {count}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""Files as frames of Spark: Parquet, tables of text by the headers that are found here, and lines of TREC."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from pyspark.sql import functions as sql

from rankworth.errors import InputError
from rankworth.io import delimited, detect
from rankworth.io.delimited import Header
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Blanks, Reading
from rankworth.io.source import Source
from rankworth.scoring import inputs
from rankworth.spark.sources import failure

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Asked = tuple[str, Layout, Reading]
"""The name that somebody gave, what it holds, and what is said of it."""

_READ: Final = ("parquet", "csv", "tsv", "trec")
_TREC: Final[Mapping[Layout, tuple[tuple[str, int, str], ...]]] = {
    RUN: (("query", 0, "string"), ("document", 2, "string"), ("rank", 3, "double"), ("score", 4, "double")),
    QRELS: (("query", 0, "string"), ("subtopic", 1, "string"), ("document", 2, "string"), ("grade", 3, "double")),
}
"""what stands where in lines of TREC"""
_SPACE: Final = " \t\r\v\f"
_TAGGED: Final = r"^(\S+ *\t *){5}[^\t]+$"
"""a line of a run whose tag has blanks, which tabs tell"""
_SHOWN: Final = 60
"""how many characters of a wrong line are shown"""
_POSITION: Final = "position"
_NUMBER: Final = r"(?i)[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf(inity)?|nan)"
"""what is a number everywhere; to Spark 1d is one, too"""


def form_of(files: Sequence[Source], request: Asked) -> str:
    """Detect the format of some files.

    Args:
        files: the files.
        request: what is said of them.

    Raises:
        InputError: `unknown-format`, where Spark does not read it.

    """
    path, layout, reading = request
    formats = {detect.format_of(file, layout, reading) for file in files}
    if len(formats) > 1:
        raise InputError("unknown-format", f"{path}: its files have several formats: {', '.join(sorted(formats))}")
    [form] = formats
    for file in files:
        detect.refuse_misfit(file, layout, form, reading)
    if form not in _READ and layout is not QRELS:
        text = f"--engine spark reads Parquet, CSV, TSV and lines of TREC, and {path} is {form}"
        raise InputError("unknown-format", text, remedy=inputs.converted(files[0].path, reading.columns))
    return form


def frame(session: Any, files: Sequence[Source], request: Asked, form: str) -> "DataFrame":  # noqa: ANN401 - of Spark
    """Read files as a frame of Spark; judgements that Spark does not read are read in this process.

    Args:
        session: of Spark.
        files: the files.
        request: what is said of them.
        form: their format.

    Raises:
        InputError: as `Qrels` and `rankworth.io.delimited.read_header`; `unknown-format`.

    """
    _, layout, reading = request
    paths = [os.path.abspath(file.path) for file in files]  # noqa: PTH100 - names are kept as they are
    if form == "parquet":
        return session.read.parquet(*paths)  # type: ignore[no-any-return]
    if form in ("csv", "tsv"):
        return _of_tables(session, files, layout, replace(reading, format=form))
    if form == "trec":
        return _of_lines(session.read.text(paths), layout)
    return _of_others(session, files, reading)


class _Kept(Blanks):
    """Judgements without a grade stay, for Spark to count; those that are an error are refused here."""

    def settle(self, frame: pl.DataFrame, where: str, observed: Observed) -> pl.DataFrame:
        return super().settle(frame, where, observed) if self.policy == "error" else frame


def _of_others(session: Any, files: Sequence[Source], reading: Reading) -> "DataFrame":  # noqa: ANN401 - of Spark
    """Read judgements that Spark does not read, with subtopics if a column holds them."""
    keeping = replace(reading, blanks=_Kept(reading.blanks.policy))
    read = pl.concat(file_batches(files, QRELS, keeping, Observed()), how="diagonal")
    kinds = {"query": pl.String, "document": pl.String, "grade": pl.Float64, "subtopic": pl.String}
    rows = read.select(pl.col(name).cast(kind) for name, kind in kinds.items() if name in read.columns)
    schema = ", ".join(f"{name} {'double' if name == 'grade' else 'string'}" for name in rows.columns)
    return session.createDataFrame(rows.rows(), schema)  # type: ignore[no-any-return]


def _of_tables(session: Any, files: Sequence[Source], layout: Layout, reading: Reading) -> "DataFrame":  # noqa: ANN401 - of Spark
    """Read tables of text; those with the same columns are read together."""
    observed = Observed()
    groups: dict[tuple[object, ...], tuple[Header, int | None, list[str]]] = {}
    for file in files:
        header = delimited.read_header(file, layout, reading, in_order=False)
        observed.agree(header.value, file.name)
        looks = header.looks
        is_loose = looks.separator in delimited.LOOSE
        kind = "an export of Quepid" if header.quepid else "a table below other lines"
        kind = f"a table with {looks.separator!r} between its cells" if is_loose else kind
        kind = "a table in which several columns name the query" if header.joined else kind
        kind = "a table with several documents in a cell" if header.is_listed else kind
        is_odd = header.quepid or is_loose or header.joined or header.is_listed
        if is_odd or header.lines > looks.is_named:
            remedy = inputs.converted(file.path, reading.columns)
            raise InputError("unknown-format", f"{file.name}: this is {kind}", remedy=remedy)
        if header.undecided:
            next(delimited.batches(file, layout, reading, Observed()))
        ranks = delimited.ranks(file, reading) if layout is RUN else None
        key = (looks.separator, looks.names, looks.is_named, *sorted(header.cells.items()), ranks)
        groups.setdefault(key, (header, ranks, []))[2].append(os.path.abspath(file.path))  # noqa: PTH100 - as it is
    is_named = any(reading.columns.values())
    first, *tables = [_of_alike(session, *group, said=is_named) for group in groups.values()]
    for other in tables:
        first = first.unionByName(other)
    return first


def _of_alike(session: Any, header: Header, ranks: int | None, paths: list[str], *, said: bool) -> "DataFrame":  # noqa: ANN401 - of Spark
    """Read the columns that count of tables with equal columns, by name or by number."""
    looks = header.looks
    names = [f"c{column_index}" for column_index in range(len(looks.names))]
    options = {"header": looks.is_named, "sep": looks.separator, "escape": '"'}
    options |= dict.fromkeys(("ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace"), True)
    rows = session.read.csv(paths, schema=", ".join(f"{name} string" for name in names), **options)
    places = dict(header.cells) | ({} if ranks is None or "rank" in header.cells else {"rank": ranks})
    position = next((column_index for column_index, name in enumerate(looks.names) if name.lower() == _POSITION), None)
    if position is not None and position not in places.values():
        places[_POSITION] = position
    numbers = {**dict.fromkeys(("score", "rank", "distance", _POSITION), _number), "grade": _grade}
    cells = {role: sql.col(names[column_index]) for role, column_index in places.items()}
    columns = {role: numbers[role](cell) if role in numbers else cell for role, cell in cells.items()}
    titles = {role: looks.names[places[role]] if looks.is_named or said else role for role in columns}
    return rows.select(*(column.alias(titles[role]) for role, column in columns.items()))  # type: ignore[no-any-return]


def _number(text: "Column") -> "Column":
    """Read a cell as a number; any other text becomes NaN, to be refused if the row counts."""
    number = sql.when(text.rlike(f"^{_NUMBER}$"), text.try_cast("double"))
    return sql.when(text.isNotNull(), sql.coalesce(number, sql.lit(float("nan"))))


def _grade(text: "Column") -> "Column":
    """Read a cell as a grade: null for an empty one, and Spark fails on what is no number."""
    number = sql.when(text.rlike(f"^{_NUMBER}$"), text.try_cast("double"))
    message = sql.concat(sql.lit("the judgements: the grade is '"), text, sql.lit("', not a number"))
    wrong = failure("bad-grade", message, "a grade is a number such as 0, 1 or 2")
    return sql.when(sql.trim(text) != "", sql.coalesce(sql.when(~sql.isnan(number), number), wrong))


def _of_lines(lines: "DataFrame", layout: Layout) -> "DataFrame":
    """Parse lines of TREC, as `rankworth.io.trec` takes them; numbers of lines are not known here."""
    line = sql.btrim(sql.col("value"), sql.lit(_SPACE))
    parts, count, wanted = sql.split(line, r"\s+"), len(layout.columns), " ".join(layout.columns)
    fact = sql.concat(sql.lit(f"a {layout.noun} has {count} columns ({wanted}), this one has "), sql.size(parts))
    message = sql.concat(fact, sql.lit(": '"), sql.substring(line, 1, _SHOWN), sql.lit("'"))
    fits = sql.size(parts) == count
    if layout is RUN:
        fits = fits | line.rlike(_TAGGED)
    parts = sql.when(fits, parts).otherwise(failure(layout.slug, message, f"write every line as: {wanted}"))
    cells = [(sql.get(parts, sql.lit(index)), name, kind) for name, index, kind in _TREC[layout]]
    read = _grade if layout is QRELS else _number
    columns = [(read(cell) if kind == "double" else cell).alias(name) for cell, name, kind in cells]
    return lines.where((line != "") & ~line.startswith("#")).select(*columns)

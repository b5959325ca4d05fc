"""The command line where Spark does the work: files in, means that were merged there out, or values of queries."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, get_args

from rankworth import spark  # isort: skip - before PySpark, as it says what is not installed

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from rankworth.cli.inputs import InputFiles, stem
from rankworth.cli.options import Running
from rankworth.cli.output import Output
from rankworth.errors import RankworthWarning, UsageError
from rankworth.io.options import Blanks
from rankworth.io.source import STDIN
from rankworth.spark import files
from rankworth.spark.sources import translated
from rankworth.tables import data
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.show import Form

_FORMS: Final = get_args(Form)


def evaluate(
    inputs: InputFiles,
    out: Output,
    measures: Sequence[str],
    settings: Mapping[str, Any],
    running: Running,
    level: float | None,
    *,
    per_query: bool,
) -> None:
    """Measure runs on Spark, and write what comes of it.

    Args:
        inputs: judgements and runs.
        out: where values go.
        measures: what is measured.
        settings: further keywords of `rankworth.spark.evaluate`.
        running: where Spark runs, and how much memory it takes on this machine.
        level: of confidence intervals, where they are wanted.
        per_query: whether values of queries are wanted, and no means.

    Raises:
        InputError, MeasureError, UsageError: as `rankworth.spark.evaluate`; `unknown-format`.

    """
    _refuse(inputs, out, per_query=per_query)
    options: dict[str, Any] = {**settings, "exclude": inputs.options.measured.exclude}
    blank = inputs.options.read.blank or "unjudged"
    sources = [(*each[:2], reading) for each, reading in zip(inputs.inputs, inputs.readings, strict=False)]
    sources[0] = (*sources[0][:2], replace(sources[0][2], blanks=Blanks(blank)))
    forms = [files.form_of(*source) for source in zip(inputs.files, sources, strict=True)]
    options["qrels_columns"] = inputs.readings[0].columns if forms[0] in ("parquet", "csv", "tsv") else {}
    options |= {"blank": blank} | ({"grades": words} if (words := inputs.options.grades_by_word) else {})
    with _session(running.master, running.memory) as session:
        judged, *ranked = [files.frame(session, *source) for source in zip(inputs.files, sources, forms, strict=True)]
        frames: dict[str, Any] = {}
        for (name, path), frame, reading in zip(inputs.named, ranked, inputs.readings[1:], strict=False):
            options["run_columns"] = reading.columns
            frames[name or stem(path)] = spark.evaluate(judged, frame, measures, **options)
        if out.forms == {"parquet"}:
            _write(frames, out.targets[0].path)
            out.say(f"wrote {out.targets[0].path}")
            return
        warned: list[str] = []
        if per_query:
            sheet = _joined([_values(name, frame) for name, frame in frames.items()])
            record: dict[str, Any] = {"queries": sheet.rows(), "columns": [column.name for column in sheet.columns[1:]]}
        else:
            with warnings.catch_warnings(action="ignore", category=RankworthWarning):
                means = {name: values.mean() for name, values in frames.items()}
            sheet = _joined([each.sheet(level, name) for name, each in means.items()])
            record = {"runs": {name: each.to_dict(level) for name, each in means.items()}}
            warned = [f"{notice.text}   [{notice.slug}]" for each in means.values() for notice in each.notices]
    out.write_table(sheet, {"json": lambda: data.document(record).encode()}, warned)


def _refuse(inputs: InputFiles, out: Output, *, per_query: bool) -> None:
    """Refuse formats and files that Spark cannot do."""
    unsupported = [form for form in out.forms if form not in _FORMS and not (form == "parquet" and per_query)]
    if unsupported:
        text = f"{unsupported[0]}: with --engine spark means are written as {', '.join(_FORMS)}"
        raise UsageError("unknown-format", text, remedy="Parquet is for --per-query, or leave --engine out")
    if "parquet" in out.forms and len(out.targets) != 1:
        text = "with --engine spark, Parquet is written to one folder, and nothing beside it"
        raise UsageError("conflicting-options", text, remedy="-q -o FOLDER.parquet")
    if STDIN in (inputs.qrels, *(path for _, path in inputs.named)):
        text = "standard input cannot be read by several machines"
        raise UsageError("conflicting-options", text, remedy="name a file, or leave --engine out")


@contextmanager
def _session(master: str, memory: int | None) -> Iterator[Any]:
    """Open Spark for the length of a block; a session that ran before goes on."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
    active = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("rankworth").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "OFF")
    if master:
        builder = builder.master(master)
    elif not os.environ.get("MASTER") and active is None:
        builder = builder.config("spark.ui.enabled", "false")
    if memory is not None:
        builder = builder.config("spark.driver.memory", f"{memory // 1024}k")
    try:
        session = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever Java says
        message = " ".join(str(error).split())[:300]
        remedy = "Java 17 or later has to be there: on Debian apt-get install openjdk-17-jre-headless"
        raise UsageError("missing-library", f"Spark does not start: {message}", remedy=remedy) from None
    try:
        yield session
    finally:
        if active is None:
            session.stop()


def _joined(sheets: Sequence[Sheet]) -> Sheet:
    """Stack tables with the same columns."""
    columns = []
    for several in zip(*(sheet.columns for sheet in sheets), strict=True):
        values = list(chain.from_iterable(column.values for column in several))
        bounds = list(chain.from_iterable(column.bounds for column in several))
        columns.append(replace(several[0], values=values, bounds=bounds))
    notes = dict.fromkeys(note for sheet in sheets for note in sheet.notes)
    return Sheet(tuple(columns), tuple(notes), sheets[0].comment)


def _values(name: str, frame: Any) -> Sheet:  # noqa: ANN401 - of Spark
    """Collect the values of all queries of a run from Spark."""
    with translated():
        rows = sorted(frame.collect(), key=lambda row: str(row[0]))
    columns = [Column("run", "text", [name] * len(rows))]
    for title, cells in by_name(frame.columns, rows).items():
        columns.append(Column(title, "text" if title in ("query", "group") else "value", cells))
    return Sheet(tuple(columns))


def _write(frames: Mapping[str, Any], path: Path) -> None:
    """Write the values of all queries as a folder of Parquet files, which is there as a whole or not at all."""
    if path.exists():
        raise UsageError("unwritable-output", f"{path}: it is there already", remedy="name a new folder, or remove it")
    partial = path.with_name(f".{path.name}.partial")
    first, *further = [frame.withColumn("run", sql.lit(name)) for name, frame in frames.items()]
    for other in further:
        first = first.unionByName(other)
    try:
        with translated():
            first.write.parquet(str(partial.absolute()))
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)

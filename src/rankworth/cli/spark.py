"""The command line where Spark does the work: files in, means that were merged there out, or values of queries."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from rankworth import spark  # isort: skip - before PySpark, as it says what is not installed

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from rankworth.cli.inputs import InputFiles, readable
from rankworth.cli.options import Running
from rankworth.cli.output import Format, Output, rendered
from rankworth.cli.terminal import say_folded
from rankworth.errors import RankworthWarning, UsageError
from rankworth.io.reading import Blanks
from rankworth.io.source import STDIN
from rankworth.model import stem
from rankworth.spark import files
from rankworth.spark.errors import translated
from rankworth.tables.columns import Column, Sheet

if TYPE_CHECKING:
    from rankworth.profiles import Profile

_FORMS: Final = get_args(Format)


@dataclass(frozen=True)
class _Means:
    """A table of means or of values, and their record."""

    sheet: Sheet
    record: Mapping[str, Any]

    def sheets(self) -> list[Sheet]:
        return [self.sheet]

    def flat(self) -> Sheet:
        return self.sheet

    def to_dict(self) -> dict[str, Any]:
        return dict(self.record)


def evaluate(
    inputs: InputFiles,
    out: Output,
    measures: Sequence[str],
    profile: "Profile",
    settings: Mapping[str, Any],
    running: Running,
    queries: Sequence[str] | None,
    *,
    per_query: bool,
    level: float | None,
) -> int:
    """Measure runs on Spark, and write what comes of it.

    Args:
        inputs: judgements and runs.
        out: where values go.
        measures: what is measured.
        profile: the conventions.
        settings: what differs from them, with `rel`.
        running: where Spark runs, and how much memory it takes on this machine.
        queries: those to keep; None for all.
        per_query: whether values of queries are wanted, and no means.
        level: of confidence intervals, where they are wanted.

    Raises:
        InputError, MeasureError, UsageError: as `rankworth.spark.evaluate`; `unknown-format`.

    """
    _refuse(inputs, out, per_query=per_query)
    options: dict[str, Any] = {**settings, "exclude": inputs.exclude}
    sources = [(*each[:2], reading) for each, reading in zip(inputs.inputs, inputs.readings, strict=False)]
    sources[0] = (*sources[0][:2], replace(sources[0][2], blanks=Blanks(inputs.blank)))
    forms = [files.form_of(*source) for source in zip(inputs.files, sources, strict=True)]
    with _session(running.master, running.memory) as session:
        judged, *ranked = [files.frame(session, *source) for source in zip(inputs.files, sources, forms, strict=True)]
        frames: dict[str, Any] = {}
        for (name, path), frame, reading in zip(inputs.named, ranked, inputs.readings[1:], strict=False):
            options["qrels_columns"] = inputs.readings[0].columns if forms[0] in ("parquet", "csv", "tsv") else {}
            options["run_columns"] = reading.columns
            options["blank"] = inputs.blank
            label = readable(name or stem(path))
            frames[label] = spark.evaluate(judged, frame, measures, queries=queries, profile=profile, **options)
        if per_query and out.forms == ("parquet",):
            _write(frames, out.targets[0].path)
            out.say(f"wrote {out.targets[0].path}")
            return 0
        if per_query:
            result = _rows(frames)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RankworthWarning)
                means = {name: one.mean() for name, one in frames.items()}
            result = _means(means, level)
            out.warn(f"{notice.text}   [{notice.slug}]" for one in means.values() for notice in one.notices)
    out.write(partial(rendered, result, title="Values"))
    if {"tsv", "csv", "jsonl"} & set(out.forms) and not out.quiet:
        for note in (*result.sheet.notes, *filter(None, [result.sheet.comment])):
            say_folded(note)
    return 0


def _refuse(inputs: InputFiles, out: Output, *, per_query: bool) -> None:
    """Refuse formats and files that Spark cannot do."""
    odd = [form for form in out.forms if form not in _FORMS and not (form == "parquet" and per_query)]
    if odd:
        text = f"{odd[0]}: with --engine spark means are written as {', '.join(_FORMS)}"
        raise UsageError("unknown-format", text, remedy="Parquet is for --per-query, or leave --engine out")
    if "parquet" in out.forms and len(out.targets) != 1:
        text = "with --engine spark, Parquet is written to one folder, and nothing beside it"
        raise UsageError("conflicting-options", text, remedy="-q -o FOLDER.parquet")
    if STDIN in (inputs.qrels, *(path for _, path in inputs.named)):
        text = "standard input cannot be read by several machines"
        raise UsageError("conflicting-options", text, remedy="name a file, or leave --engine out")


@contextmanager
def _session(master: str, memory: int | None) -> Iterator[Any]:
    """Spark for the length of a block; one that ran before goes on."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
    there = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("rankworth").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "OFF")
    if master:
        builder = builder.master(master)
    elif not os.environ.get("MASTER") and there is None:
        builder = builder.config("spark.ui.enabled", "false")
    if memory is not None:
        builder = builder.config("spark.driver.memory", f"{memory // 1024}k")
    try:
        session = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever Java says
        said = " ".join(str(error).split())[:300]
        remedy = "Java 17 or later has to be there: on Debian apt-get install openjdk-17-jre-headless"
        raise UsageError("missing-library", f"Spark does not start: {said}", remedy=remedy) from None
    try:
        yield session
    finally:
        if there is None:
            session.stop()


def _means(found: Mapping[str, spark.Means], level: float | None) -> _Means:
    """The means of all runs."""
    sheets = [means.sheet(level, name) for name, means in found.items()]
    first = sheets[0]
    columns = [
        Column(
            column.name,
            column.kind,
            [cell for sheet in sheets for cell in sheet.columns[place].values],
            bounds=[bound for sheet in sheets for bound in sheet.columns[place].bounds],
        )
        for place, column in enumerate(first.columns)
    ]
    notes = tuple(dict.fromkeys(note for sheet in sheets for note in sheet.notes))
    record = {"runs": {name: means.to_dict(level) for name, means in found.items()}}
    return _Means(Sheet(tuple(columns), notes, first.comment), record)


def _rows(frames: Mapping[str, Any]) -> _Means:
    """The values of all queries, brought here."""
    columns: dict[str, list[Any]] = {"run": []}
    for name, frame in frames.items():
        with translated():
            rows = sorted(frame.collect(), key=lambda row: str(row[0]))
        columns["run"] += [name] * len(rows)
        for place, column in enumerate(frame.columns):
            columns.setdefault(column, []).extend(row[place] for row in rows)
    kinds = {name: "text" if name in ("run", "query", "group") else "value" for name in columns}
    some = tuple(Column(name, kinds[name], cells) for name, cells in columns.items())  # type: ignore[arg-type]
    names = [name for name in columns if name != "run"]
    record = {"queries": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}
    return _Means(Sheet(some, ()), record | {"columns": names})


def _write(frames: Mapping[str, Any], path: Path) -> None:
    """The values of all queries as a folder of Parquet files, which is there as a whole or not at all."""
    if path.exists():
        raise UsageError("unwritable-output", f"{path}: it is there already", remedy="name a new folder, or remove it")
    partial = path.with_name(f".{path.name}.partial")
    first, *others = [frame.withColumn("run", sql.lit(name)) for name, frame in frames.items()]
    for other in others:
        first = first.unionByName(other)
    try:
        with translated():
            first.write.parquet(str(partial.absolute()))
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)

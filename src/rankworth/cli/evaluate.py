"""The command `evaluate`: judgements and runs in, values out, and whether means are high enough."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, stdin_once
from rankworth.cli.options import (
    CONVENTIONS,
    FORMAT,
    MEASURED,
    OTHER,
    READ,
    SHOWN,
    Conventions,
    File,
    HiddenFile,
    Measured,
    MeasuredFlag,
    MeasuredOptions,
    Measures,
    OnlyFile,
    OutputFiles,
    Read,
    ReadFile,
    ReadOptions,
    Running,
    Share,
    Shown,
    ShownOptions,
    typed,
    words,
)
from rankworth.cli.output import Output
from rankworth.cli.terminal import say, say_folded, working
from rankworth.errors import MeasureError, UsageError
from rankworth.io.source import STDIN
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import render

if TYPE_CHECKING:
    from rankworth.comparison.gates import Gate, Verdict
    from rankworth.evaluation.output import Beside
    from rankworth.evaluation.values import RunValues
    from rankworth.tables.columns import Sheet

USAGE: Final = "Usage: rankworth evaluate QRELS RUN... [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth evaluate qrels.txt bm25.run dense.run -m nDCG@10 RR AP 'P(rel=2)@5'
  zcat dense.run.gz | rankworth evaluate qrels.txt - -q -f csv -o values.csv
  rankworth evaluate qrels.txt old=v1/dense.run new=v2/dense.run -o scores.json"""
Format = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "trec", "parquet"]
FILES_FIRST: Final = "-m takes all that follows, up to the next option: rankworth evaluate QRELS RUN... -m MEASURE..."
_LEVEL: Final = 0.95
_SILENT: Final = {"tsv", "csv", "json", "jsonl", "trec", "parquet"}
"""formats in which nobody reads what is wrong with a number"""
_ROWS: Final = {"tsv", "csv", "trec"}
"""formats that have no room for notes and signatures; JSON lines have room for signatures"""


def evaluate(
    qrels: File,
    run: File,
    /,
    *runs: HiddenFile,
    measure: Measures = None,
    only: OnlyFile = None,
    weights: Annotated[str | None, Parameter(metavar="COLUMN", group=MEASURED)] = None,
    macro: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=MEASURED)] = None,
    answered_only: MeasuredFlag = False,
    measured: MeasuredOptions = None,
    profile: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="NAME", group=MEASURED)] = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=CONVENTIONS)] = None,
    queries: ReadFile = None,
    read: ReadOptions = None,
    running: Annotated[Running | None, Parameter(name="*", group=READ)] = None,
    format: Annotated[Format | None, FORMAT] = None,  # noqa: A002 - the name of the option
    output: OutputFiles = None,
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=SHOWN)] = None,
    interval: Annotated[bool, Parameter(group=SHOWN)] = False,
    level: Annotated[float | None, Parameter(validator=Share, group=SHOWN)] = None,
    percent: Annotated[bool, Parameter(group=SHOWN)] = False,
    shown: ShownOptions = None,
    fail_under: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=OTHER)] = None,
) -> int:
    """Measure what runs are worth, given judgements.

    Args:
        qrels: Judgements in any format, plain or compressed: a file, a pattern, a folder (of BEIR's), or -.
        run: One run or several, read in the same way; NAME=FILE names a run.
        runs: Further runs.
        measure: Measures, as many as wanted: nDCG@10 AP 'P(rel=2)@5'. Default: nDCG@10 RR@10 AP R@100 Judged@10.
        only: File with the ids of the queries to evaluate, one in each line; all others are ignored.
        weights: Weight the means by this column of --queries.
        macro: Means of the means of each group, by this column of --queries; several are crossed.
        answered_only: Leave judged queries without results out of the means instead.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles; several, or all, side by side. Default: standard.
        conventions: What differs from the profile.
        queries: File with the ids of queries and what is known of them: qid,text,language,traffic.
        read: How files are read.
        running: Where runs are judged.
        format: How to show the result. Default: table on a terminal, otherwise tsv.
        output: File to write instead, by suffix: .txt .tsv .json .jsonl .csv .md .tex .html .parquet. Repeatable.
        per_query: The value of each query instead of the means; json gives both.
        by: The means of each group beside those of all, by this column of --queries; several are crossed.
        interval: Confidence intervals of the means (BCa bootstrap).
        level: Their confidence level. Default: 0.95.
        percent: Shares in percent in table, md, latex and html.
        shown: What is shown.
        fail_under: Exit with 1 if a mean is lower: nDCG@10=0.45, language:nDCG@10=0.3 for each group of --by.

    """
    measured, read, running = measured or Measured(), read or Read(), running or Running()
    shown = shown or Shown()
    level = (level or _LEVEL) if interval or level is not None else None
    of_queries = read.of_texts("query", "text")
    files = InputFiles.of(qrels, (run, *runs), read.without(of_queries), exclude=measured.exclude)
    inputs = [*files.paths, *filter(None, (only, queries))]
    look = Look(shown.digits, percent, safe=shown.safe_csv)
    out = Output.of(output, format, inputs, look, quiet=shown.quiet)
    _refuse_forms(out, per_query=per_query, level=level, by=by is not None)
    _refuse_unread(queries, {"--by": by, "--weights": weights, "--macro": macro}, files)
    settings = measured.settings(conventions, answered_only=answered_only)
    settings |= {"by": by, "weights": weights, "macro": macro}
    _refuse_files(measure or ())
    floors = _floors(fail_under or ())
    configured = configuration.prepare(measured.plugin or (), quiet=shown.quiet)

    from rankworth import evaluation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import metadata, trec  # noqa: F401, PLC0415 - as above; trec brings Polars
    from rankworth.io import queries as listed  # noqa: PLC0415 - as above
    from rankworth.judging.inputs import runs as named_runs  # noqa: PLC0415 - as above
    from rankworth.profiles import profiles_of  # noqa: PLC0415 - as above

    with working(quiet=shown.quiet) as progress, running.opened() as engine:
        profiles = profiles_of(profile or (), complete=measured.complete)
        running.refuse({"--fail-under": bool(floors), "second --profile": len(profiles) > 1})
        wanted = [*(measure or configured or evaluation.DEFAULT_MEASURES)]
        known = {one.label: str(one.quantity) for one in profiles[0].ask(wanted, rel=measured.rel)} if floors else {}
        wanted += [floor.measure for floor in floors if not floor.among(known)]
        if floors and len(profiles) > 1:
            text = "--fail-under is about means of one profile, and several are shown side by side"
            raise UsageError("conflicting-options", text, remedy="name one --profile")
        if queries is not None:
            settings["table"] = metadata.queries(queries, columns=of_queries)
        ids = listed.read(only) if only else None
        if running.engine == "spark":
            from rankworth.cli import spark  # noqa: PLC0415 - takes a second

            settings["rel"] = measured.rel
            return spark.evaluate(
                files, out, wanted, profiles[0], settings, running, ids, per_query=per_query, level=level
            )
        judgements, rankings, settings = files.read(profiles, wanted, measured.rel, settings, ids)
        rankings = rankings if engine is None else list(map(engine.run, rankings))
        settings |= {"rel": measured.rel, "progress": progress}
        if len(profiles) > 1:
            beside = {
                ranking.name: evaluation.evaluate_profiles(judgements, ranking, wanted, profiles=profiles, **settings)
                for ranking in named_runs(rankings).values()
            }
        else:
            table = evaluation.evaluate_runs(judgements, rankings, wanted, profile=profiles[0], **settings)
    if len(profiles) > 1:
        _write_beside(out, beside, wanted, per_query=per_query, level=level, by=by is not None)
        return 0
    verdicts = _verdicts(table, floors)
    _write(out, table, measure or configured, per_query=per_query, level=level, measured=measured)
    chosen = typed({"--profile": profile, "--only": only, "--queries": queries})
    options = [*words(read), *words(measured), *words(conventions), *chosen]
    paths = {"": qrels} | {ranking.name: path for ranking, (_, path) in zip(rankings, files.named, strict=True)}
    return decide(verdicts, paths, options, quiet=shown.quiet)


def _floors(limits: Sequence[str]) -> "list[Gate]":
    """Limits that means must not be below.

    Raises:
        UsageError: `bad-gate`.

    """
    if not limits:
        return []
    from rankworth.comparison.gates import read  # noqa: PLC0415 - rarely needed

    return read("fail-under", limits)


def _refuse_forms(out: Output, *, per_query: bool, level: float | None, by: bool) -> None:
    """Refuse formats that have no room for what is wanted.

    Raises:
        UsageError: `unwritable-output`, `conflicting-options`.

    """
    if sys.stdout.isatty() and not out.targets and out.form == "parquet":
        raise UsageError("unwritable-output", "Parquet is not for terminals", remedy="-o FILE.parquet writes a file")
    if per_query and level is not None and set(out.forms) != {"json"}:
        message = "intervals belong to means, and --per-query shows none; only json has room for both"
        raise UsageError("conflicting-options", message)
    for what in ["intervals"] * (level is not None) + ["groups"] * by if "trec" in out.forms else ():
        raise UsageError("conflicting-options", f"trec_eval prints no {what}; json, table and others do")


def _refuse_unread(queries: str | None, columns: dict[str, object], files: InputFiles) -> None:
    """Refuse columns without a table, a table without columns, and what cannot be read twice."""
    given = [option for option, column in columns.items() if column is not None]
    if given and queries is None:
        text = f"{given[0]} names a column of the table of queries, and no table is given"
        raise UsageError("conflicting-options", text, remedy="--queries FILE says which: qid,text,language,traffic")
    if queries is not None and not given:
        text = f"--queries {queries} is read for {', '.join(columns)}, and none of them is there"
        raise UsageError("conflicting-options", text, remedy="give one of them with a column, or leave --queries out")
    stdin_once(queries, files.qrels, *(path for _, path in files.named))


def _refuse_files(measures: Iterable[str]) -> None:
    """Refuse files among the measures, where they land if they are named after -m."""
    problems = [f"{text} is a file, not a measure" for text in measures if "." in text and Path(text).is_file()]
    if problems:
        raise MeasureError("measure-syntax", *problems, remedy=FILES_FIRST)


def _write(
    out: Output,
    table: "RunValues",
    measures: Sequence[str],
    *,
    per_query: bool,
    level: float | None,
    measured: Measured,
) -> None:
    """Write values; notes, signatures and warnings that a format has no room for go to standard error."""
    from rankworth.evaluation import output  # noqa: PLC0415 - costs time, and the values are there by now

    sheet = output.per_query(table) if per_query else output.means(table, level)
    if out.look.digits is not None and sheet.comment:
        sheet = replace(sheet, comment=f"{sheet.comment}|digits:{out.look.digits}")
    out.write(partial(_content, table, sheet, level, measures, measured, per_query))
    forms = set(out.forms)
    defects = [f"warning: {text}" for text in sheet.defects] if _SILENT & forms else []
    if out.quiet:
        for defect in defects:
            say(defect)
        return
    out.say(*(sheet.notes if (_ROWS | {"jsonl"}) & forms else ()), *defects)
    out.say(*[sheet.comment] if _ROWS & forms else ())
    for warning in output.warnings(table):
        say_folded(f"warning: {warning}")


def _content(
    table: "RunValues",
    sheet: "Sheet",
    level: float | None,
    measures: Sequence[str],
    measured: Measured,
    per_query: bool,
    form: Any,  # noqa: ANN401 - a `Format`
    look: Look,
) -> bytes:
    """Values in one format."""
    from rankworth import names  # noqa: PLC0415 - as above
    from rankworth.evaluation import output, results_file  # noqa: PLC0415 - as above
    from rankworth.io import atomic  # noqa: PLC0415 - as above

    if form == "trec":
        written = names.written_for_trec(measures, measured.rel)
        lines = output.trec_lines(
            table, rel=measured.rel, written=written, complete=measured.complete, with_queries=per_query
        )
        return render(lines, form, look).encode()
    if form not in ("json", "parquet"):
        return render(sheet, form, look).encode()
    record = results_file.record(table, level, with_queries=per_query)
    if form == "json":
        return results_file.text(record).encode()
    if per_query:
        return results_file.parquet(table, record)
    return atomic.parquet(sheet, results_file.compact(record))


def _write_beside(
    out: Output, values: "Beside", measures: Sequence[str], *, per_query: bool, level: float | None, by: bool
) -> None:
    """Write the values of several profiles side by side.

    Raises:
        UsageError: `conflicting-options`, `unwritable-output`.

    """
    from rankworth.evaluation import output  # noqa: PLC0415 - as above

    odd = {"--per-query": per_query, "--interval": level is not None, "--by": by}
    odd |= {f"-f {form}": form in out.forms for form in ("trec", "parquet")}
    for option in (option for option, is_there in odd.items() if is_there):
        raise UsageError("conflicting-options", f"several profiles are shown side by side, without {option}")
    sheet = output.beside(values, measures)

    def content(form: Any, look: Look) -> bytes:  # noqa: ANN401 - a `Format`
        if form == "json":
            return data.document(output.record_beside(values, measures)).encode()
        return render(sheet, form, look).encode()

    out.write(content)
    for note in sheet.notes if not out.quiet and {"tsv", "csv", "jsonl"} & set(out.forms) else ():
        say_folded(note)
    out.warn([*(sheet.defects if _SILENT & set(out.forms) else ()), *output.warnings_beside(values)])


def _verdicts(table: "RunValues", floors: "Sequence[Gate]") -> "list[Verdict]":
    """Whether floors hold for an evaluation.

    Raises:
        UsageError: `not-measured`.

    """
    if not floors:
        return []
    from rankworth.comparison.gates import floors as judged  # noqa: PLC0415 - rarely needed

    rows = [(run, "", "", values.mean()) for run, values in table.items()]
    for run, values in table.items():
        if values.by is not None:
            rows += [(run, values.by.name, group, part.mean()) for group, part in values.slices.items()]
    first = next(iter(table.values()))
    measures = dict(zip(first.per_query.measures, map(str, first.measures), strict=True))
    return judged(floors, rows, measures)


def decide(verdicts: "Sequence[Verdict]", files: Mapping[str, str], options: Sequence[str], *, quiet: bool) -> int:
    """Write what floors have found, and what to do about it; returns the exit status.

    Args:
        verdicts: what was found.
        files: judgements (under no name) and runs by name, as they were named.
        options: how runs were measured.
        quiet: whether only what fails is written.

    """
    if not verdicts:
        return 0
    from rankworth.comparison.verdicts import advice, lines  # noqa: PLC0415 - rarely needed

    readable = {name: path for name, path in files.items() if path != STDIN}
    steps = advice(verdicts, readable, (), options=dict.fromkeys([one.gate.measure for one in verdicts], options))
    failed = [one for one in verdicts if not one.passed]
    for line in (*lines(failed if quiet else verdicts), *(() if quiet else steps)):
        say(line)
    return 1 if failed else 0

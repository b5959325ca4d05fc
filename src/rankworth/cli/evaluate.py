"""The command `evaluate`: judgements and runs in, values out, and whether means are high enough."""

import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Parameter

from rankworth.cli import configuration, first_ranks
from rankworth.cli.compare import Gates, say_verdicts
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    FLAT,
    FORMAT,
    GATES,
    MEASURED,
    READ,
    SHOWN,
    TESTED,
    DisplayOptions,
    File,
    HiddenFile,
    Measured,
    Options,
    Running,
    Share,
    as_arguments,
    refuse_files,
    typed,
    with_gates,
)
from rankworth.cli.output import Output, picture, progress
from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.tables import data
from rankworth.tables.show import LONG, ValueForm, show

if TYPE_CHECKING:
    from rankworth.comparison.gates import Gate, Verdict
    from rankworth.model import Run
    from rankworth.results.values import RunValues

USAGE: Final = "Usage: rankworth evaluate QRELS RUN... [OPTIONS]"
_SIDE_BY_SIDE: Final = "second --profile"
_RULES: Final = ("--ids", "--qrels-ids", "--run-ids", "--collapse", "--sources")
_NOT_ON_SPARK: Final = ("--bounds", "--fail-under", "--corrected-by", "--exact", *_RULES, _SIDE_BY_SIDE)
_WITHOUT: Final = {
    "--corrected-by": (
        "corrected means are shown",
        ("--per-query", "--by", "--bounds", "--fail-under", "--weights", "--macro", _SIDE_BY_SIDE),
    ),
    "--exact": ("an exact run is the judge", ("--bounds", "--corrected-by", "--exclude", "--rel", _SIDE_BY_SIDE)),
    _SIDE_BY_SIDE: (
        "several profiles are shown side by side",
        ("--per-query", "--interval", "--by", "--bounds", "--fail-under"),
    ),
}
"""options with a result of their own: what is shown, and the options that it has no room for"""
NEEDED: Final = "evaluate needs judgements and a run"
_OF_BOTH: Final = frozenset((".csv", ".json", ".jsonl", ".parquet", ".tsv"))
"""suffixes of tables, which may hold judgements and results in the same rows"""
FILES_FIRST: Final = "-m takes all that follows, up to the next option: rankworth evaluate QRELS RUN... -m MEASURE..."
Columns = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN")]


@dataclass(frozen=True)
class SeveralProfiles(Measured):
    """What is measured, by several profiles.

    Attributes:
        profile: Conventions of a tool, several, or all (see rankworth profiles). Default: standard.

    """

    profile: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="NAME")] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class EvaluateOptions(Options):
    """Options of an evaluation.

    Attributes:
        measured: What is measured.

    """

    measured: Annotated[SeveralProfiles, Parameter(name="*", group=MEASURED)] = SeveralProfiles()


def evaluate(
    qrels: File,
    run: File = "",
    /,
    *runs: HiddenFile,
    options: Annotated[EvaluateOptions, FLAT] = EvaluateOptions(),
    weights: Annotated[str | None, Parameter(metavar="COLUMN", group=MEASURED)] = None,
    macro: Annotated[Columns, Parameter(group=MEASURED)] = None,
    corrected_by: Annotated[str | None, Parameter(metavar="QRELS", group=MEASURED)] = None,
    exact: Annotated[bool, Parameter(group=MEASURED)] = False,
    tolerance: Annotated[float | None, Parameter(group=MEASURED)] = None,
    running: Annotated[Running, Parameter(name="*", group=READ)] = Running(),
    format: Annotated[ValueForm | None, FORMAT] = None,  # noqa: A002 - the name of the option
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    by: Annotated[Columns, Parameter(group=SHOWN)] = None,
    bounds: Annotated[Literal["ties", "unjudged"] | None, Parameter(metavar="BY", group=SHOWN)] = None,
    interval: Annotated[bool, Parameter(group=TESTED)] = False,
    level: Annotated[float | None, Parameter(validator=Share, group=TESTED)] = None,
    percent: Annotated[bool, Parameter(group=SHOWN)] = False,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
    fail_under: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=GATES)] = None,
) -> int:
    """Evaluate runs against judgements.

    Without -m the measures are nDCG@10 RR@10 AP R@100 Judged@10.

    Args:
        qrels: Judgements: a file, a pattern, a BEIR folder, or - for standard input.
        run: Runs or _search responses; new=b.run is named new.
        runs: Further runs.
        options: What is measured, and how files are read.
        weights: Weight queries by this column of --queries.
        macro: Average the means of the groups of this column of --queries.
        corrected_by: Judgements of people for some queries: unbiased means where QRELS are those of a model.
        exact: Take QRELS for the run of an exact search: how many of its first k documents RUN has (-m R@10).
        tolerance: How far below the k-th score counts. Default: 0.001.
        running: Where runs are judged.
        format: Default: table on a terminal, otherwise tsv; long: a row for each mean.
        per_query: Values of each query instead of means; json has both.
        by: Also show means of the groups of this column of --queries; several are crossed, a,b is each by itself.
        bounds: Lowest and highest values over all orders of ties, or all grades of unjudged documents.
        interval: Confidence intervals of the means (BCa bootstrap).
        level: Confidence level. Default: 0.95.
        percent: Show values between 0 and 1 in percent.
        shown: How it is shown.
        fail_under: Exit with 1 if a mean is lower: nDCG@10=0.45, or language:nDCG@10=0.3 for each group of --by.

    Examples:
        rankworth evaluate qrels.txt bm25.run dense.run -m nDCG@10 RR AP
        zcat dense.run.gz | rankworth evaluate qrels.txt - -q -f csv -o values.csv
        rankworth evaluate qrels.txt old=v1/dense.run new=v2/dense.run -o scores.json

    """
    level, ranked = (level or 0.95) if interval or level is not None else None, options.read.of_first_ranks
    if not run and ranked is None:
        raise _without_run(qrels, options)
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    sides = ("", (qrels, run, *runs)) if exact or ranked is not None else (qrels, (run, *runs))
    files = _files(project, options, ranked, *sides, corrected_by, is_exact=exact)
    out, profile = Output.of(shown, format, files.paths, percent=percent), options.measured.profile or []
    slices: dict[str, Any] = {"by": by, "weights": weights, "macro": macro}
    of_values = {"bounds": bounds, "interval": level, "per_query": per_query, "fail_under": fail_under}
    how = options.typed()
    options_set = {*how, *typed(exact=exact, tolerance=tolerance, corrected_by=corrected_by, **slices, **of_values)}
    _refuse_combinations(
        out, running, options_set | ({_SIDE_BY_SIDE} if profile == ["all"] or len(profile) > 1 else set())
    )
    refuse_files("evaluate QRELS RUN...", how)
    floors = Gates(fail_under=fail_under, no_gates=True).read(project, all_pairs=False)[0] if fail_under else []
    if isinstance(files, first_ranks.RankFiles):
        first_ranks.refuse_options({*options_set, *typed(running)})
        return _evaluate_ranks(files, out, slices, floors, level, per_query=per_query)

    from rankworth import evaluation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.io import trec  # noqa: F401, PLC0415 - as above; brings Polars
    from rankworth.results import tables  # noqa: PLC0415 - as above
    from rankworth.scoring.inputs import runs as named_runs  # noqa: PLC0415 - as above

    measures = options.measured.measure or (["R@10"] if exact else project.measures)
    with progress(quiet=shown.quiet) as drawing, running.opened() as connection:
        profiles = options.profiles()
        wanted = with_gates(measures or evaluation.DEFAULT_MEASURES, floors, options)
        slices["table"] = options.table()
        if running.engine == "spark":
            from rankworth.cli import spark  # noqa: PLC0415 - takes a second

            settings = options.settings() | slices | {"profile": profiles[0], "queries": options.ids()}
            spark.evaluate(files, out, wanted, settings, running, level, per_query=per_query)
            return 0
        judgements, rankings, settings = files.read(wanted)
        if connection is not None:
            from rankworth.judging import duckdb  # noqa: PLC0415 - not needed for files that fit in memory

            rankings = [duckdb.bring_together(ranking, connection) for ranking in rankings]
        settings |= slices | {"progress": drawing}
        if corrected_by:
            people = InputFiles.of(project, options.of_judgements, corrected_by, ()).read(wanted)[0]
            _write_corrected(out, judgements, people, rankings, measures, settings | {"level": level or 0.95})
            return 0
        if len(profiles) > 1:
            by_run = {
                name: evaluation.evaluate_profiles(judgements, ranking, wanted, profiles=profiles, **settings)
                for name, ranking in named_runs(rankings).items()
            }
            forms = {"json": lambda: data.document(tables.record_beside(by_run, wanted)).encode()}
            out.write_table(tables.beside(by_run, wanted), forms, tables.warnings_beside(by_run))
            return 0
        if exact:
            first, *rankings = files.read_runs()
            table = evaluation.evaluate_exact(
                first, rankings, wanted, tolerance=0.001 if tolerance is None else tolerance, **settings
            )
        else:
            table = evaluation.evaluate_runs(judgements, rankings, wanted, bounds=bounds, **settings)
    verdicts = _verdicts(table, floors)
    write(out, table, measures, options.measured, level, per_query=per_query)
    again = as_arguments({option: words for option, words in how.items() if option != "--measure"})
    return _decide(verdicts, _paths(files, [] if exact else rankings) if verdicts else {}, again, out)


def _without_run(qrels: str, options: Options) -> UsageError:
    """Return the error for a single file, where judgements and runs are needed."""
    usual = (
        FILES_FIRST if options.measured.measure else "rankworth evaluate qrels.txt bm25.run dense.run -m nDCG@10 RR AP"
    )
    file = shlex.quote(qrels)
    may_hold_both = not _OF_BOTH.isdisjoint(Path(qrels).suffixes)
    twice = f"if it holds judgements and results: rankworth evaluate {file} {file}" if may_hold_both else ""
    remedy = "\n".join(filter(None, (first_ranks.proposed(qrels), twice, usual)))
    return UsageError("conflicting-options", f"{NEEDED}; there is {file}", remedy=remedy)


def _files(
    project: configuration.Project,
    options: Options,
    ranked: Mapping[str, str] | None,
    qrels: str,
    runs: Sequence[str],
    *further: str | None,
    is_exact: bool,
) -> "InputFiles | first_ranks.RankFiles":
    """Look for all files: judgements and runs, or tables of first ranks where a column of these is named.

    Raises:
        InputError, UsageError: as `InputFiles.of`.

    """
    if ranked is not None:
        return first_ranks.RankFiles([*filter(None, runs)], ranked, options)
    return InputFiles.of(project, options, qrels, runs, *further, is_exact=is_exact)


def _evaluate_ranks(
    files: first_ranks.RankFiles,
    out: Output,
    slices: Mapping[str, Any],
    floors: "Sequence[Gate]",
    level: float | None,
    *,
    per_query: bool,
) -> int:
    """Measure the rank of the first hit of each query, and write values; gives the exit status."""
    from rankworth.scoring.first_ranks import MEASURES  # noqa: PLC0415 - not needed for help

    measured = files.options.measured
    measures = measured.measure or list(MEASURES)
    table = files.values(with_gates(measures, floors, files.options), {**slices, "table": files.options.table()})
    verdicts = _verdicts(table, floors)
    write(out, table, measures, measured, level, per_query=per_query)
    return _decide(verdicts, {}, (), out)


def _paths(files: InputFiles, runs: "Sequence[Run]") -> dict[str, str]:
    """Return the file of the judgements, and of each run by its name; none of standard input, and of an exact run."""
    qrels = files.qrels or files.named[0][1]
    named = zip(runs, files.named, strict=False)
    paths = {"": qrels} | {run.name: path for run, (_, path) in named}
    return {name: path for name, path in paths.items() if path != STDIN}


def _decide(verdicts: "Sequence[Verdict]", files: Mapping[str, str], options: Sequence[str], out: Output) -> int:
    """Write whether floors hold, with advice for each that fails, and return the exit status."""
    if not verdicts:
        return 0
    from rankworth.comparison.gates import advice  # noqa: PLC0415 - rarely needed

    say_verdicts(out, verdicts, advice(verdicts, files, {verdict.gate.measure: options for verdict in verdicts}))
    return int(not all(verdict.passed for verdict in verdicts))


def _verdicts(table: "RunValues", floors: "Sequence[Gate]") -> "list[Verdict]":
    """Decide whether means, and those of groups, are as high as they have to be.

    Raises:
        UsageError: `not-measured`.

    """
    if not floors:
        return []
    from rankworth.comparison import gates  # noqa: PLC0415 - rarely needed

    rows = [(run, "", "", values.mean()) for run, values in table.items()]
    for run, values in table.items():
        if values.by is not None:
            rows += [(run, *values.by.column_of(group), part.mean()) for group, part in values.slices.items()]
    first = next(iter(table.values()))
    return gates.floors(floors, rows, dict(zip(first.per_query.measures, map(str, first.measures), strict=True)))


def _refuse_combinations(out: Output, running: Running, options_set: Collection[str]) -> None:
    """Refuse options and formats that have no room for each other.

    Args:
        out: files and formats.
        running: where runs are judged.
        options_set: the values of options; false where one was not given.

    Raises:
        UsageError: `unwritable-output`, `conflicting-options`.

    """
    if sys.stdout.isatty() and not out.targets and out.form == "parquet":
        raise UsageError("unwritable-output", "Parquet is not for terminals", remedy="-o FILE.parquet writes a file")
    if {"--per-query", "--interval"} <= {*options_set} and out.forms != {"json"}:
        message = "intervals belong to means, and --per-query shows none; only json has room for both"
        raise UsageError("conflicting-options", message)
    if "--tolerance" in options_set and "--exact" not in options_set:
        raise UsageError("conflicting-options", "--tolerance goes with --exact, which compares scores")
    if {"--bounds", "--interval"} <= {*options_set}:
        text = "bounds and intervals stand in one place: --bounds says what could be, --interval what chance does"
        raise UsageError("conflicting-options", text, remedy="give one of them")
    out.refuse_in_long(per_query="--per-query" in options_set, bounds="--bounds" in options_set)
    for option, subject in (("--interval", "intervals"), ("--by", "groups"), ("--bounds", "bounds")):
        if "trec" in out.forms and option in options_set:
            raise UsageError("conflicting-options", f"trec_eval prints no {subject}; json, table and others do")
    pictures, of_long = [f"-o {path}" for path in out.extra_files], [f"-f {LONG}"] * out.is_long
    running.refuse([*filter(options_set.__contains__, _NOT_ON_SPARK), *pictures, *of_long])
    forms = [*of_long, *(f"-f {form}" for form in ("trec", "parquet") if form in out.forms)]
    for option, (subject, conflicting) in _WITHOUT.items():
        for other in (
            (*filter(options_set.__contains__, conflicting), *pictures, *forms) if option in options_set else ()
        ):
            raise UsageError("conflicting-options", f"{subject}, without {other}")


def write(
    out: Output,
    table: "RunValues",
    names: Sequence[str],
    measured: Measured,
    level: float | None,
    *,
    per_query: bool,
    drawn: Callable[[Path], bytes] | None = None,
) -> None:
    """Write values; notes, signatures and warnings that a format has no room for go to standard error."""
    from rankworth.io import atomic  # noqa: PLC0415 - as above
    from rankworth.names import written_for_trec  # noqa: PLC0415 - as above
    from rankworth.results import file, long, tables  # noqa: PLC0415 - as above

    level = level or tables.LEVEL if out.is_long else level
    sheet = tables.per_query(table) if per_query else tables.means(table, level)
    warnings = tables.warnings(table)
    if out.is_long and level is not None:
        warnings = [*sheet.defects, *warnings]
        sheet = long.sheet(long.mean_rows(table, level), sheet.notes)
    if out.look.digits is not None and sheet.comment:
        sheet = replace(sheet, comment=f"{sheet.comment}|digits:{out.look.digits}")

    def record() -> dict[str, Any]:
        return file.record(table, level, with_queries=per_query)

    def trec() -> bytes:
        how: dict[str, Any] = {"rel": measured.rel, "complete": measured.complete, "with_queries": per_query}
        lines = tables.trec_lines(table, written=written_for_trec(names, measured.rel), **how)
        return show([lines], "trec", out.look).encode()

    def parquet() -> bytes:
        return file.parquet(record()) if per_query else atomic.parquet(sheet, file.compact(record()))

    forms = {"trec": trec, "json": lambda: file.text(record()).encode(), "parquet": parquet}
    out.write_table(sheet, forms, warnings, drawn or picture("scores", table, out=out))


def _write_corrected(
    out: Output,
    judgements: object,
    people: object,
    runs: "Sequence[Run]",
    measures: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Write means that people's judgements correct, and with several runs the differences from the first one."""
    from rankworth import comparison  # noqa: PLC0415 - rarely needed

    baseline = runs[0].name if len(runs) > 1 else None
    wanted = measures or comparison.DEFAULT
    result = comparison.corrected_means(judgements, people, runs, wanted, baseline=baseline, **options)
    out.write_result(result, "rankworth evaluate")

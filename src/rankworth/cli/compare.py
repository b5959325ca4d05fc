"""The command `compare`: plain arguments in, one call of the library, its answer and the verdicts of gates out."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    CONVENTIONS,
    FORMAT,
    Conventions,
    FromOne,
    FromZero,
    HiddenFile,
    Measured,
    MeasuredFlag,
    MeasuredOptions,
    Measures,
    OnlyFile,
    OutputFiles,
    ProfileName,
    Read,
    ReadFile,
    ReadOptions,
    Share,
    Shown,
    ShownOptions,
    refuse_files,
    typed,
    words,
)
from rankworth.cli.output import ROWS, Output
from rankworth.cli.systems import SystemFiles
from rankworth.cli.terminal import put, say, say_folded, working
from rankworth.errors import RankworthError, UsageError
from rankworth.io import atomic
from rankworth.io.source import STDIN
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

if TYPE_CHECKING:
    from rankworth.comparison import Comparison
    from rankworth.comparison.gates import Gate, Verdict
    from rankworth.model import Run

USAGE: Final = "Usage: rankworth compare QRELS BASELINE RUN... [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth compare qrels.txt main.run new.run -m nDCG@10 RR@10 R@100
  rankworth compare qrels.txt baseline.json new.run --max-drop nDCG@10=0.01
  rankworth compare qrels.txt a.run b.run c.run --all-pairs -f latex"""
Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "github"]
Test = Literal["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey"]
Correction = Literal["holm", "bonferroni", "bh", "by", "none"]
Method = Literal["bca", "percentile", "t"]
When = Literal["mean", "significant", "any"]

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""the variable with which GitHub names the file for the summary of a job"""
_XML: Final = ".xml"
_JUDGED = Group("How differences are judged", sort_key=2)
_GATES = Group("Gates", sort_key=3)

Several = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=_GATES)]


def compare(
    *files: HiddenFile,
    measure: Measures = None,
    only: OnlyFile = None,
    answered_only: MeasuredFlag = False,
    measured: MeasuredOptions = None,
    profile: ProfileName = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=CONVENTIONS)] = None,
    baseline: Annotated[str | None, Parameter(metavar="NAME", group=_JUDGED)] = None,
    all_pairs: Annotated[bool, Parameter(group=_JUDGED)] = False,
    test: Annotated[Test, Parameter(group=_JUDGED)] = "randomization",
    correction: Annotated[Correction | None, Parameter(group=_JUDGED)] = None,
    level: Annotated[float, Parameter(validator=Share, group=_JUDGED)] = 0.95,
    interval: Annotated[Method, Parameter(group=_JUDGED)] = "bca",
    resamples: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=_JUDGED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=_JUDGED)] = 0,
    margin: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=_JUDGED)] = None,
    effect: Annotated[float | None, Parameter(metavar="X", validator=Number(gt=0), group=_JUDGED)] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_JUDGED)] = None,
    weights: Annotated[str | None, Parameter(metavar="COLUMN", group=_JUDGED)] = None,
    macro: Annotated[str | None, Parameter(metavar="COLUMN", group=_JUDGED)] = None,
    max_drop: Several = None,
    noninferior: Several = None,
    fail_under: Several = None,
    when: Annotated[When | None, Parameter(group=_GATES)] = None,
    accept_new_qrels: Annotated[bool, Parameter(group=_GATES)] = False,
    no_gates: Annotated[bool, Parameter(group=_GATES)] = False,
    queries: ReadFile = None,
    read: ReadOptions = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    output: OutputFiles = None,
    shown: ShownOptions = None,
) -> int:
    """Compare runs query by query: by how much they differ, how sure that is, and whether a change may ship.

    QRELS and RUN are files in any format, as for evaluate; a RUN may also be a
    results file (evaluate -q -o baseline.json), and results files alone need no
    QRELS. NAME=FILE names a run; several files of one NAME are several runs of
    one system: folds are joined, seeds averaged. The first run is the baseline.
    Gates make the exit status 1 where one fails; 2 is for what cannot be compared.

    Args:
        files: Judgements, and runs or results files.
        measure: Measures, as many as wanted. Default: nDCG@10 RR@10 AP R@100, or those of the results files.
        only: File with the ids of the queries, one in each line.
        answered_only: Leave judged queries without results out instead; compared are those that all answer.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        baseline: Name of the run that the others are compared with. Default: the first one.
        all_pairs: Compare each run with each.
        test: Paired test: randomization t wilcoxon sign bootstrap; of all systems at once tukey randomized-tukey.
            Default: randomization.
        correction: For several comparisons: holm bonferroni bh by none. Default: holm; none for those of all systems.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        interval: How intervals are made: bca percentile t. Default: bca.
        resamples: Random sign flips and samples. Default: 100,000, and 10,000 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        margin: Difference that does not matter: 0.01, or nDCG@10=0.01 for one measure.
        effect: Difference that is looked for; a warning where there are too few queries to find it.
        by: Columns of --queries by whose groups differences are told, too.
        weights: Column of --queries with what each query counts.
        macro: Column of --queries whose groups count alike.
        max_drop: Fail if a mean drops by more: nDCG@10=0.01 R@100=2%; language:nDCG@10=0.02 for each group of --by.
        noninferior: Fail unless the interval excludes a worse drop: nDCG@10=0.01.
        fail_under: Fail if a mean is lower, but for the baseline's: nDCG@10=0.45, language=ar:nDCG@10=0.3.
        when: What a drop is: of the mean, significant (and the interval excludes 0), any query. Default: mean.
        accept_new_qrels: Compare with stored values although the judgements have changed, over common queries.
        no_gates: Leave out those of pyproject.toml, [tool.rankworth.gates].
        queries: File with columns of queries, such as their language: queries.tsv, queries.jsonl.
        read: How files are read.
        format: How to show it: table tsv json jsonl csv md latex html github. Default: table.
        output: File to write instead: .txt .tsv .json .jsonl .csv .md .tex .html; .xml: gates as JUnit. Repeatable.
        shown: What is shown.

    """
    with _annotated(format):
        measured, read, shown = measured or Measured(), read or Read(), shown or Shown()
        refuse_files({"--measure": measure, "--max-drop": max_drop, "--noninferior": noninferior, "--by": by})
        columns = {"--queries": queries if weights or macro else None, "--weights": weights, "--macro": macro}
        beside = typed({"--only": only, **columns})
        apart = [*typed({"--profile": profile}), *["--answered-only"] * answered_only]
        keep = [*words(read), *words(measured), *words(conventions), *apart, *beside]
        reading = [*words(read), *words(measured, "exclude", "plugin")]
        files_of = SystemFiles.of(files, words=["-m", *measure, *keep] if measure else keep)
        of_queries = read.of_texts("query", "text")
        inputs = None
        if files_of.qrels:
            run_files = read.without(of_queries)
            inputs = InputFiles.of(files_of.qrels, files_of.measured, run_files, exclude=measured.exclude)
        configured = configuration.prepare(measured.plugin or (), quiet=shown.quiet)
        limits = {"max-drop": max_drop, "noninferior": noninferior, "fail-under": fail_under}
        gates, drops = _gates(limits, when, configured=not (no_gates or all_pairs))
        paths = [*(inputs.paths if inputs else ()), *files_of.kept, *filter(None, (only, queries))]
        out, summary = _output(output or (), format, paths, shown, gated=bool(gates))
        settings = measured.settings(conventions, answered_only=answered_only)

        from rankworth import comparison  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io import metadata  # noqa: PLC0415 - as above
        from rankworth.io import queries as listed  # noqa: PLC0415 - as above
        from rankworth.profiles import profiles_of  # noqa: PLC0415 - as above

        if gates:
            kept_values = chain(*(one.values() for one in files_of.kept.values()))
            options = [*reading, *beside]
            comparison.verdicts.refuse_older(kept_values, files_of.qrels, files_of.measured, options)
        with working(quiet=shown.quiet) as progress, files_of.named_in_errors([*reading, *beside], queries):
            [chosen] = profiles_of([profile] if profile else (), complete=measured.complete)
            wanted = list(measure or files_of.measures() or configured or comparison.DEFAULT)
            known = {one.label: str(one.quantity) for one in chosen.ask(wanted, rel=measured.rel)} if gates else {}
            wanted += [gate.measure for gate in gates if not gate.among(known)]
            ids = listed.read(only) if only else None
            judgements, runs = None, list["Run"]()
            if inputs is not None:
                judgements, runs, settings = inputs.read([chosen], wanted, measured.rel, settings, ids)
            systems = files_of.systems(runs)
            result = comparison.compare(
                judgements,
                systems.sources(),
                wanted,
                baseline=baseline,
                all_pairs=all_pairs,
                test=test,
                correction=correction,
                level=level,
                interval=interval,
                resamples=resamples,
                seed=seed,
                margin=_margins(margin),
                effect=effect,
                table=None if queries is None else metadata.queries(queries, columns=of_queries),
                by=by,
                weights=weights,
                macro=macro,
                queries=ids,
                rel=measured.rel,
                profile=chosen,
                accept_new_qrels=accept_new_qrels,
                progress=progress,
                **settings,
            )
            judged = systems.beside(result.baseline) if result.baseline else result.systems
            verdicts = comparison.gates.against(result, gates, drops, judged)
        named = systems.paths() | ({"": files_of.qrels} if files_of.qrels else {})
        named = {name: path for name, path in named.items() if path != STDIN}
        kept = systems.kept(result.baseline) if result.baseline else ""
        result = replace(result, files=named, reading=(*reading, *typed({"--queries": queries})))
        steps = comparison.verdicts.advice(
            verdicts, named, result.measures, result.baseline, kept, result.options, keep
        )
        _write(out, summary, result, verdicts, steps)
    return 1 if any(not verdict.passed for verdict in verdicts) else 0


def _output(
    paths: Sequence[str], form: Form | None, inputs: Sequence[str], shown: Shown, *, gated: bool
) -> tuple[Output, Path | None]:
    """Files and formats, and the file for the summary of a job, where GitHub names one.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `conflicting-options`.

    """
    suites = [path for path in paths if Path(path).suffix.lower() == _XML]
    if (suites or form == "github") and not gated:
        what = suites[0] if suites else "-f github"
        remedy = "as in --max-drop nDCG@10=0.01, --fail-under nDCG@10=0.45"
        raise UsageError("conflicting-options", f"{what} holds verdicts of gates, and there is no gate", remedy=remedy)
    look = Look(shown.digits, safe=shown.safe_csv)
    github = form == "github"
    out = Output.of(
        paths, None if github else form, inputs, look, quiet=shown.quiet, what="comparisons", others=(_XML,)
    )
    summary = os.environ.get(SUMMARY, "") if github else ""
    if summary and (refused := atomic.refusal(Path(summary), inputs)):
        raise UsageError("unwritable-output", f"{summary}: {refused}")
    return replace(out, form="github") if github else out, Path(summary) if summary else None


def _write(
    out: Output, summary: Path | None, result: "Comparison", verdicts: "Sequence[Verdict]", steps: Sequence[str]
) -> None:
    """Write a comparison; verdicts stand below a table, and on standard error where a format has no room for them."""
    from rankworth.comparison.verdicts import annotations, junit, lines  # noqa: PLC0415 - not needed for help

    github = out.form == "github"
    of_job = _content(result, verdicts, steps, "md", out.look) if summary else b""
    out.write(partial(_content, result, verdicts, steps), lambda _: junit(verdicts), shown=not github)
    if summary:
        _append(summary, of_job)
    if github:
        put(annotations(verdicts).encode("utf-8", "replace"))
    if out.form in ROWS and not out.is_file:
        for slug, text in () if out.quiet else result.warnings:
            say_folded(f"warning: {text}   [{slug}]")
    if not github and (out.is_file or out.form not in ("table", "md", "html")):
        failed = [one for one in verdicts if not (out.quiet and one.passed)]
        for line in (*lines(failed), *(() if out.quiet else steps)):
            say(line)


def _content(
    result: "Comparison",
    verdicts: "Sequence[Verdict]",
    steps: Sequence[str],
    form: Any,  # noqa: ANN401 - a `Form`
    look: Look,
) -> bytes:
    """A comparison in one form, with what gates say where the form has room for it."""
    from rankworth.comparison.verdicts import headline, lines, record, sheet  # noqa: PLC0415 - not needed for help

    if form == "json":
        gates = {"gates": [record(verdict) for verdict in verdicts]} if verdicts else {}
        return data.document(result.to_dict() | gates).encode()
    if form == "jsonl":
        return b"".join(data.line(row).encode() for row in result.flat().rows())
    if form in ("tsv", "csv"):
        return render(result.flat(), form, look).encode()
    sheets = result.sheets()
    if verdicts and form in ("md", "html"):
        sheets = [sheet(verdicts, steps), *sheets]
    shown = show(sheets, form, look, title="rankworth compare")
    if verdicts and form == "table":
        shown = "\n".join([shown, headline(verdicts), *lines(verdicts), *steps, ""])
    return shown.encode()


@contextmanager
def _annotated(form: Form | None) -> Iterator[None]:
    """Within it an error becomes an annotation, too, where annotations are wanted."""
    try:
        yield
    except RankworthError as error:
        if form == "github":
            from rankworth.comparison.verdicts import annotation  # noqa: PLC0415 - not needed for help

            put(annotation("error", f"rankworth {error.slug}", error.typed).encode("utf-8", "replace"))
        raise


def _append(path: Path, content: bytes) -> None:
    """Append to the summary of a job, to which other steps write, too.

    Raises:
        UsageError: `unwritable-output`.

    """
    try:
        with path.open("ab") as summary:
            summary.write(content)
    except OSError as error:
        raise UsageError("unwritable-output", f"{path}: {error.strerror}") from None


def _gates(
    typed_by_kind: Mapping[Any, list[str] | None], when: When | None, *, configured: bool
) -> "tuple[list[Gate], When]":
    """The gates of the command line, and of `pyproject.toml` where it says none of a kind; and what a drop is.

    Args:
        typed_by_kind: what the command line says, by kind.
        when: what it says a drop is.
        configured: whether `pyproject.toml` counts.

    Raises:
        UsageError: `bad-gate`, `bad-config`, `conflicting-options`.

    """
    from rankworth.comparison.gates import KINDS, read  # noqa: PLC0415 - not needed for help

    project = configuration.find(Path.cwd())
    limits = project.gates if configured else {}
    found = []
    for kind in KINDS:
        from_line = typed_by_kind[kind]
        table = f"{project.folder / configuration.FILE}: [tool.rankworth.gates.{kind}]"
        found += read(kind, limits.get(kind, {}), table) if from_line is None else read(kind, from_line)
    if when is not None and not any(gate.kind == "max-drop" for gate in found):
        raise UsageError("conflicting-options", f"--when {when} says what a drop is, and there is no --max-drop")
    return found, when or limits.get("when", "mean")


def _margins(given: Iterable[str] | None) -> float | dict[str, float] | None:
    """The margins as they are typed: one number, or one for each measure.

    Raises:
        UsageError: `unknown-setting`.

    """
    remedy = "as in --margin 0.01, --margin nDCG@10=0.01 R@100=0.02"
    found: dict[str, float] = {}
    for text in given or ():
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise UsageError("unknown-setting", f"--margin {text}: {number!r} is no number", remedy=remedy) from None
    if "" in found and len(found) > 1:
        text = f"--margin {found['']:g} is for all measures, and others are named beside it"
        raise UsageError("conflicting-options", text, remedy=remedy)
    return found.pop("") if "" in found else found or None

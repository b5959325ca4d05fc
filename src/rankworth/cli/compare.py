"""The command `compare`: plain arguments in, one call of the library, its answer and the verdicts of gates out."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from cyclopts import Parameter
from cyclopts.validators import Number

from rankworth.cli import configuration, first_ranks
from rankworth.cli.inputs import InputFiles, SystemFiles
from rankworth.cli.options import (
    COMPARED,
    FLAT,
    FORMAT,
    GATES,
    MEASURED,
    SEPARATOR,
    SHOWN,
    TESTED,
    DisplayOptions,
    FromOne,
    FromZero,
    HiddenFile,
    Options,
    Share,
    as_arguments,
    refuse_files,
    with_gates,
)
from rankworth.cli.output import PICTURES, ROWS, Output, in_rows, picture, progress, put, say, typed
from rankworth.errors import RankworthError, UsageError
from rankworth.io import atomic
from rankworth.io.source import STDIN
from rankworth.stats import CorrectionName, IntervalName, TestName
from rankworth.tables import data
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look
from rankworth.tables.show import FORMATS, Form, show

if TYPE_CHECKING:
    from rankworth.comparison import Comparison
    from rankworth.comparison.gates import Gate, Verdict
    from rankworth.comparison.sources import System

USAGE: Final = "Usage: rankworth compare QRELS BASELINE RUN... [OPTIONS]"
ReportForm = Literal[Form, "long", "github"]
When = Literal["mean", "significant", "any"]

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""the variable with which GitHub names the file for the summary of a job"""

Several = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X")]
Margin = Annotated[Several, Parameter(group=TESTED)]


class Paired(TypedDict, total=False):
    """How differences are judged: keywords of `rankworth.compare`.

    Attributes:
        baseline: Name of the run that the others are compared with. Default: the first one.
        all_pairs: Compare each run with each.
        test: Paired test, or one of all systems at once: tukey randomized-tukey. Default: randomization.
        correction: For several comparisons. Default: holm; none for tests of all systems at once.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        interval: Further intervals, which do not decide: bca percentile t. Default: test, those of the test alone.
        resamples: Random sign flips and samples. Default: 100,000, and 10,000 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        effect: Difference that is looked for; a warning where there are too few queries to find it.
        bounds: Whether each sign holds over all orders of ties, or all grades of unjudged documents.
        by: Columns of --queries by whose groups differences are told, too.
        weights: Column of --queries with the weight of each query.
        macro: Column of --queries whose groups count alike.

    """

    baseline: Annotated[str, Parameter(metavar="NAME", group=COMPARED)]
    all_pairs: Annotated[bool, Parameter(group=COMPARED)]
    test: TestName
    correction: CorrectionName
    level: Annotated[float, Parameter(validator=Share)]
    interval: IntervalName
    resamples: Annotated[int, Parameter(metavar="N", validator=FromOne)]
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero)]
    effect: Annotated[float, Parameter(metavar="X", validator=Number(gt=0))]
    bounds: Annotated[Literal["ties", "unjudged"], Parameter(metavar="BY", group=SHOWN)]
    by: Annotated[list[str], Parameter(consume_multiple=1, metavar="COLUMN", group=SHOWN)]
    weights: Annotated[str, Parameter(metavar="COLUMN", group=MEASURED)]
    macro: Annotated[str, Parameter(metavar="COLUMN", group=MEASURED)]


_TABLES: Final = {form for form, each in FORMATS.items() if each.holds == "tables"}
"""forms that have tables"""


@dataclass(frozen=True)
class Gates:
    """Conditions under which the exit status is 0.

    Attributes:
        max_drop: Fail if a mean is lower than the baseline's by more: nDCG@10=0.01, R@100=2% of it;
            language:nDCG@10=0.02 for each group of --by.
        noninferior: Fail unless the confidence interval rules out a larger drop: nDCG@10=0.01.
        fail_under: Fail if the mean of a run, not of the baseline, is lower: nDCG@10=0.45, language=ar:nDCG@10=0.3.
        no_leak: Fail if a run, not the baseline, returns a document that these pairs of query and document forbid.
        when: Which drop fails: of the mean, a significant one (interval without 0), of any query. Default: mean.
        accept_new_qrels: Compare with stored values although the judgements have changed, over common queries.
        no_gates: Leave out those of pyproject.toml, [tool.rankworth.gates].

    """

    max_drop: Several = None
    noninferior: Several = None
    fail_under: Several = None
    no_leak: Annotated[str | None, Parameter(metavar="FILE")] = None
    when: When | None = None
    accept_new_qrels: bool = False
    no_gates: bool = False

    def read(self, project: configuration.Project, *, all_pairs: bool) -> "tuple[list[Gate], When]":
        """Read the gates, each kind from pyproject.toml if the command has none of it, and the size of a drop.

        Args:
            project: whose gates hold, too.
            all_pairs: whether all pairs are compared, of which the project says nothing.

        Raises:
            UsageError: `bad-gate`, `conflicting-options`.

        """
        from rankworth.comparison.gates import KINDS, read  # noqa: PLC0415 - not needed for help

        limits = {} if self.no_gates or all_pairs else project.table.get("gates", {})
        gates: list[Gate] = []
        for kind in KINDS:
            table = f"{project.folder / configuration.FILE}: [tool.rankworth.gates.{kind}]"
            typed = getattr(self, kind.replace("-", "_"))
            gates += read(kind, limits.get(kind, {}), table) if typed is None else read(kind, typed)
        if self.when and not any(gate.kind == "max-drop" for gate in gates):
            text = f"--when {self.when} says what a drop is, and there is no --max-drop"
            raise UsageError("conflicting-options", text)
        return gates, self.when or limits.get("when", "mean")


def compare(
    *files: HiddenFile,
    options: Annotated[Options, FLAT] = Options(),
    paired: Annotated[Paired | None, Parameter(name="*", group=TESTED)] = None,
    margin: Margin = None,
    noise: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="RUN", group=TESTED)] = None,
    gates: Annotated[Gates, Parameter(name="*", group=GATES)] = Gates(),
    format: Annotated[ReportForm | None, FORMAT] = None,  # noqa: A002 - the name of the option
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    compact: Annotated[bool, Parameter(group=SHOWN)] = False,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> int:
    """Compare runs query by query: differences with intervals and tests, and gates for CI.

    QRELS and RUN are files in any format, as for evaluate; a RUN may also be a
    results file (evaluate -q -o baseline.json), and results files alone need no
    QRELS. NAME=FILE names a run; several files of one NAME are several runs of
    one system: folds are joined, seeds averaged; -- between files separates
    systems of several runs, too. The first run is the baseline.
    Measures are nDCG@10 RR@10 AP R@100, or those of the results files.
    Gates make the exit status 1 where one fails; 2 is for what cannot be compared.
    A file .xml (-o) gets the verdicts of gates as JUnit, -f github annotations.

    Args:
        files: Judgements, and runs or results files.
        options: What is measured, and how files are read.
        paired: How differences are judged.
        margin: Difference that does not matter: 0.01, or nDCG@10=0.01 for one measure.
        noise: Several runs of one unchanged system, which show what identical runs differ by.
        gates: Gates.
        format: How to show it; long: a row for each mean; github: annotations of a job. Default: table.
        per_query: Every query, with both values and their difference, instead of the differences of means.
        compact: Only the table of means, with marks of what is significantly better, as in a paper.
        shown: How it is shown.

    Examples:
        rankworth compare qrels.txt main.run new.run -m nDCG@10 RR@10 R@100
        rankworth compare qrels.txt old/*.run -- new/*.run
        rankworth compare qrels.txt baseline.json new.run --max-drop nDCG@10=0.01
        rankworth compare qrels.txt a.run b.run c.run --all-pairs --compact -f latex

    """
    paired = paired or Paired()
    with _annotated(format):
        refuse_files("compare QRELS RUN RUN", options.typed(**vars(gates), by=paired.get("by")))
        project = configuration.find(options.measured.plugin, quiet=shown.quiet)
        measuring = options.typed(weights=paired.get("weights"), macro=paired.get("macro"))
        if not {"--weights", "--macro"} & measuring.keys():
            measuring.pop("--queries", None)
        systems, inputs = _opened(project, files, options, as_arguments(measuring), noise or ())
        first_ranks.refuse_unless(
            inputs, options.typed(noise=noise, no_leak=gates.no_leak, bounds=paired.get("bounds"))
        )
        measuring.pop("--measure", None)
        asserted, drops = gates.read(project, all_pairs=paired.get("all_pairs", False))
        is_gated = bool(asserted or gates.no_leak)
        if per_query and is_gated:
            text = "--per-query shows values of queries, and gates are about means"
            raise UsageError("conflicting-options", text, remedy="leave it out, or add --no-gates")
        out, summary = _output(shown, format, [*inputs.paths, *systems.stored], gated=is_gated)
        out.refuse_in_long(per_query=per_query, bounds="bounds" in paired)
        if compact and (per_query or is_gated or not out.forms <= _TABLES):
            text = "--compact is the table of means of runs, without gates, queries and data"
            raise UsageError("conflicting-options", text, remedy="-f table, md, latex or html; else leave it out")

        from rankworth import comparison  # noqa: PLC0415 - not before the arguments are known to be sound

        with progress(quiet=shown.quiet) as drawing, _known_files(systems, options.of_files):
            chosen = options.measured.measure or comparison.kept_measures(systems.results)
            usual = inputs.usual if isinstance(inputs, first_ranks.RankFiles) else comparison.DEFAULT
            wanted = with_gates(chosen or project.measures or usual, asserted, options)
            judgements, compared, settings = _read(systems, inputs, wanted)
            result = comparison.compare(
                judgements,
                compared,
                wanted,
                margin=margins(margin),
                table=options.table(),
                accept_new_qrels=gates.accept_new_qrels,
                progress=drawing,
                **paired,
                **settings,
            )
            by_name = {system.name: system for system in compared if system.role == "compared"}
            baseline, judged = _judged(by_name, result)
            verdicts = comparison.gates.against(result, asserted, drops, judged, is_stored=bool(baseline))
            if gates.no_leak and isinstance(inputs, InputFiles):
                verdicts += _leaks(gates.no_leak, inputs, {name: by_name[name].runs for name in judged})
        single = {name: each for name, each in by_name.items() if len(each.files) == 1 and not each.stored_in}
        paths = {"": systems.qrels, **{name: each.files[0] for name, each in single.items()}}
        paths = {name: path for name, path in paths.items() if path not in ("", STDIN)}
        if per_query:
            _write_queries(out, result)
            return 0
        if compact:
            out.write(
                lambda form, look: show(typed(result.compact().sheets()), form, look, "rankworth compare").encode()
            )
            out.warn_of(result.sheets())
            return 0
        result = replace(result, files=paths, reading=tuple(options.of_files))
        steps = comparison.gates.advice(verdicts, paths, result.options, result.baseline)
        if baseline:
            renewed = _Renewal(baseline, systems, result.scores.canonical, as_arguments(measuring))
            verdicts = [replace(verdict, renewal=renewed.command(by_name[verdict.system])) for verdict in verdicts]
        _write(out, summary, result, verdicts, [*steps, *comparison.gates.renewing(verdicts)])
    return int(not all(verdict.passed for verdict in verdicts))


def _opened(
    project: configuration.Project,
    files: Sequence[str],
    options: Options,
    measuring: Sequence[str],
    noise: Sequence[str],
) -> "tuple[SystemFiles, InputFiles | first_ranks.RankFiles]":
    """Look for all files: judgements, runs and results files, or tables of first ranks.

    Raises:
        InputError, UsageError: as `SystemFiles.of` and `InputFiles.of`.

    """
    if (ranked := options.read.of_first_ranks) is not None:
        tables = first_ranks.RankFiles([text for text in files if text != SEPARATOR], ranked, options)
        return SystemFiles("", tables.named, {}), tables
    systems = SystemFiles.of(files, USAGE, measuring, noise=noise)
    return systems, InputFiles.of(project, options, systems.qrels, systems.runs)


def _read(
    systems: SystemFiles, inputs: "InputFiles | first_ranks.RankFiles", wanted: Sequence[str]
) -> "tuple[Any, Sequence[System], dict[str, Any]]":
    """Read judgements, systems and settings; tables of first ranks are measured already.

    Raises:
        RankworthError: as `InputFiles.read`, and as `rankworth.evaluate`.

    """
    if isinstance(inputs, first_ranks.RankFiles):
        return None, inputs.systems(wanted), {}
    judgements, runs, settings = inputs.read(wanted)
    return judgements, systems.systems(runs), settings


def _leaks(path: str, inputs: InputFiles, systems: "Mapping[str, Sequence[object]]") -> "list[Verdict]":
    """Decide whether runs return what is forbidden; ids of pairs are renamed as those of judgements and runs are."""
    from rankworth.comparison import leaks  # noqa: PLC0415 - not needed for help
    from rankworth.judging.item_data import Forbidden  # noqa: PLC0415 - as above

    return leaks.verdicts(path, Forbidden.of(path, ids=inputs.ids.of_data.get("forbidden")), systems)


def margins(texts: Sequence[str] | None) -> float | dict[str, float] | None:
    """Read the difference that does not matter: one number, or one for each measure.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options`.

    """
    remedy = "as in --margin 0.01, --margin nDCG@10=0.01 R@100=0.02"
    try:
        named = {name: float(number) for name, _, number in (text.rpartition("=") for text in texts or ())}
    except ValueError as error:
        raise UsageError("unknown-setting", f"--margin {' '.join(texts or ())}: {error}", remedy=remedy) from None
    if "" in named and len(named) > 1:
        raise UsageError("conflicting-options", "--margin is one number, or one for each measure", remedy=remedy)
    return named.get("", named or None)


@dataclass(frozen=True)
class _Renewal:
    """How a results file that gates compare with is written again.

    Attributes:
        baseline: the results file.
        files: of the comparison.
        measures: what was compared: canonical names by name.
        options: how that was measured.

    """

    baseline: str
    files: SystemFiles
    measures: Mapping[str, str]
    options: Sequence[str]

    def command(self, system: "System") -> str:
        """Return the command that keeps the values of a system; `RUN` stands for a run of several files."""
        from rankworth.comparison.systems import renewed_measures  # noqa: PLC0415 - not needed for help

        [path, *further] = system.files
        is_alike = Path(path).suffixes == Path(self.baseline).suffixes
        if system.stored_in and not further and is_alike and len(self.files.stored[path]) == 1:
            return shlex.join(["cp", path, self.baseline])
        run = "RUN" if further or system.stored_in or path == STDIN else path
        qrels = "QRELS" if self.files.qrels in ("", STDIN) else self.files.qrels
        measures = renewed_measures([*self.files.stored[self.baseline].values()], self.measures)
        words = ["rankworth", "evaluate", qrels, run, "-m", *measures, "-q", "-o", self.baseline]
        return shlex.join([*words, *self.options])


@contextmanager
def _known_files(systems: SystemFiles, reading: Sequence[str]) -> Iterator[None]:
    """Name known files in errors about stored values: they go into the command that measures these again."""
    from rankworth.comparison.systems import renewal  # noqa: PLC0415 - not needed for help

    try:
        yield
    except RankworthError as error:
        remedy = error.remedy
        files = [[*results.values()] for results in systems.stored.values()]
        for results in (*files, *([result] for result in systems.results)):
            remedy = remedy.replace(renewal(results), renewal(results, systems.qrels, systems.runs, reading))
        if remedy == error.remedy:
            raise
        raise error.with_remedy(remedy) from None


def _judged(systems: "Mapping[str, System]", result: "Comparison") -> tuple[str, list[str]]:
    """Return the results file of the baseline, or an empty name, and the systems that the gates judge.

    These are the systems of other files than the baseline's, where there are any.
    """
    paths = {name: system.stored_in for name, system in systems.items()}
    stored = paths.get(result.baseline, set())
    other_systems = [name for name in result.systems if name != result.baseline]
    judged = [name for name in other_systems if paths[name] != stored] if len(stored) == 1 else other_systems
    return stored.pop() if len(stored) == 1 else "", judged or other_systems


def _output(
    shown: DisplayOptions, form: ReportForm | None, inputs: Sequence[str], *, gated: bool
) -> tuple[Output, Path | None]:
    """Find files and formats, and the file for the summary of a job, where GitHub names one.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `conflicting-options`.

    """
    suites = [path for path in shown.output or () if Path(path).suffix.lower() == ".xml"]
    if (suites or form == "github") and not gated:
        output = suites[0] if suites else "-f github"
        remedy = "as in --max-drop nDCG@10=0.01, --fail-under nDCG@10=0.45"
        raise UsageError(
            "conflicting-options", f"{output} holds verdicts of gates, and there is no gate", remedy=remedy
        )
    summary = Path(os.environ[SUMMARY]) if form == "github" and os.environ.get(SUMMARY) else None
    if summary:
        atomic.refuse(summary, inputs)
    return Output.of(shown, form, inputs, contents="comparisons", further_suffixes=(".xml", *PICTURES)), summary


def _write(
    out: Output, summary: Path | None, result: "Comparison", verdicts: "Sequence[Verdict]", steps: Sequence[str]
) -> None:
    """Write a comparison; verdicts stand below a table, and on standard error where a format has no room for them."""
    from rankworth.comparison.gates import annotations, headline, junit, lines, record, sheet  # noqa: PLC0415

    def content(form: str, look: Look) -> bytes:
        if form == "json":
            gates = {"gates": [record(verdict) for verdict in verdicts]} if verdicts else {}
            return data.document(result.to_dict() | gates).encode()
        if out.is_long or form in ROWS:
            return in_rows(result.long_sheet() if out.is_long else result.flat(), form, look, result.to_dict)
        sheets = result.sheets()
        if verdicts and form in ("md", "html"):  # a comment on a change: the verdict, the gates, and then the tables
            conclusion = result.verdict
            said = (f"{conclusion.sentence}.", *filter(None, [conclusion.line]))
            sheets[0] = replace(sheets[0], lead=())
            sheets[:0] = [Sheet((), title=conclusion.title, lead=said), sheet(verdicts, steps)]
            sheets.insert(2, Sheet((), lead=conclusion.details))
        page = show(typed(sheets), form, look, title="rankworth compare")
        if verdicts and form == "table":
            page = "\n".join([page, headline(verdicts), *lines(verdicts), *steps, ""])
        return page.encode()

    drawn = picture("differences", result, out=out)
    out.write(content, lambda path: junit(verdicts) if path.suffix.lower() == ".xml" else drawn(path))
    if summary:
        try:
            with summary.open("ab") as file:  # other steps of the job write to it, too
                file.write(content("md", out.look))
        except OSError as error:
            raise UsageError("unwritable-output", f"{summary}: {error.strerror}") from None
    if out.form == "github":
        put(annotations(verdicts).encode("utf-8", "replace"))
        return
    out.warn_of(result.sheets())
    if out.is_file or out.form not in ("table", "md", "html"):
        say_verdicts(out, verdicts, steps)


def say_verdicts(out: Output, verdicts: "Sequence[Verdict]", steps: Sequence[str]) -> None:
    """Write verdicts and their remedies to standard error; with `--quiet` only those that fail."""
    from rankworth.comparison.gates import lines  # noqa: PLC0415 - not needed for help

    for line in lines([verdict for verdict in verdicts if not (out.quiet and verdict.passed)]):
        say(line)
    out.say(*steps)


def _write_queries(out: Output, result: "Comparison") -> None:
    """Write the values of every query, in tables without empty columns, and in JSON the comparison beside them."""
    rows = result.flat("queries")
    filled = tuple(column for column in rows.columns if any(cell is not None for cell in column.values))
    shown = rows if ROWS & out.forms else replace(rows, columns=filled)
    forms = {"json": lambda: data.document(result.to_dict() | {"per_query": rows.rows()}).encode()}
    warnings = [f"{text}   [{slug}]" for slug, text in result.warnings]
    out.write_table(shown, forms, warnings, picture("differences", result, out=out))


@contextmanager
def _annotated(form: ReportForm | None) -> Iterator[None]:
    """Turn an error of the block into an annotation, too, where annotations are wanted."""
    try:
        yield
    except RankworthError as error:
        if form == "github":
            put(data.annotation("error", error.typed, title=f"rankworth {error.slug}").encode("utf-8", "replace"))
        raise

"""The command `correlate`: plain arguments in, one call of the library, its answer out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Group, Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, readable
from rankworth.cli.inputs import named as name_and_path
from rankworth.cli.options import (
    CONVENTIONS,
    FORMAT,
    SHOWN,
    ConventionsButMissing,
    FromOne,
    FromZero,
    HiddenFile,
    Measured,
    MeasuredFlag,
    MeasuredOptions,
    OutputFiles,
    ProfileName,
    Read,
    ReadFile,
    ReadOptions,
    Share,
    Shown,
    ShownOptions,
    spelled,
    words,
)
from rankworth.cli.output import PICTURES, Format, Output, Result, rendered
from rankworth.cli.systems import SystemFiles
from rankworth.cli.terminal import Progress, working
from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.tables.look import Look

if TYPE_CHECKING:
    from rankworth.model import Qrels, Run
    from rankworth.tables.columns import Sheet

USAGE: Final = """Usage: rankworth correlate RUN RUN... [OPTIONS]
       rankworth correlate --measures MEASURE... QRELS RUN... [OPTIONS]
       rankworth correlate --judges QRELS QRELS [RUN...] [OPTIONS]"""
EXAMPLES: Final = """Methods:
  of any rankings     rbo rbo-a rbo-b rbo-w overlap average-overlap jaccard rba
  of the same items   tau-a tau-b tau-c gamma spearman weighted-tau tau-ap
                      tau-ap-a tau-ap-b weighted-tau-reference pearson

Examples:
  rankworth correlate bm25.run dense.run -k 10
  rankworth correlate --measures nDCG@10 AP RR qrels.txt *.run
  rankworth correlate --judges human.qrels llm.qrels *.run"""
Missing = Literal["refuse", "common", "last"]
Test = Literal["randomized-tukey", "tukey", "randomization", "t", "wilcoxon", "sign", "bootstrap"]

_COMPARED: Final = Group("What is correlated", sort_key=0)


def correlate(
    *files: HiddenFile,
    measures: Annotated[
        list[str] | None,
        Parameter(name=["--measures", "--measure"], alias="-m", consume_multiple=1, metavar="MEASURE", group=_COMPARED),
    ] = None,
    judges: Annotated[
        tuple[str, str] | None, Parameter(metavar="QRELS QRELS", allow_leading_hyphen=True, group=_COMPARED)
    ] = None,
    method: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="METHOD", group=_COMPARED)] = None,
    p: Annotated[float | None, Parameter(name="--p", alias="-p", metavar="P", group=_COMPARED)] = None,
    k: Annotated[int | None, Parameter(name="--k", alias="-k", metavar="K", group=_COMPARED)] = None,
    missing: Annotated[Missing | None, Parameter(group=_COMPARED)] = None,
    only: Annotated[str | None, Parameter(metavar="FILE", group=_COMPARED)] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_COMPARED)] = None,
    test: Annotated[Test | None, Parameter(group=_COMPARED)] = None,
    level: Annotated[float, Parameter(validator=Share, group=_COMPARED)] = 0.95,
    resamples: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=_COMPARED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=_COMPARED)] = 0,
    answered_only: MeasuredFlag = False,
    measured: MeasuredOptions = None,
    profile: ProfileName = None,
    conventions: Annotated[ConventionsButMissing | None, Parameter(name="*", group=CONVENTIONS)] = None,
    queries: ReadFile = None,
    read: ReadOptions = None,
    format: Annotated[Format | None, FORMAT] = None,  # noqa: A002 - the name of the option
    output: OutputFiles = None,
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    shown: ShownOptions = None,
) -> None:
    """Say how alike rankings are: those of runs, of systems by several measures, of two judges.

    Runs alone are compared query by query, without judgements. With --measures
    it is the order of the systems that is compared, by each two measures; with
    --judges by the same measure under two sets of judgements, which are compared
    themselves, too. NAME=FILE names a run or a judge.

    Args:
        files: Runs; judgements before them with --measures.
        measures: By which measures systems are put in order. Default with --judges: nDCG@10.
        judges: Two sets of judgements of the same queries.
        method: Coefficients; see below. Default: rbo overlap jaccard, and of systems tau-b tau-ap-b spearman.
        p: Of rbo and rba: the chance that a reader goes on to the next rank. Default: 0.9.
        k: Look at the first K documents of each ranking only, and at what is tied with the last of them.
        missing: Documents that one ranking does not have, for taus and the like: refuse, common (left out), last
            (behind all others, tied). Default: refuse.
        only: File with the ids of the queries, one in each line.
        by: Columns of --queries by whose groups the agreement of judges is told, too.
        test: By which test the order of two systems is significant. Default: randomized-tukey.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        resamples: Samples of queries, and random shuffles. Default: 9,999, and 999 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        answered_only: Leave judged queries without results out instead.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        queries: File with columns of queries, such as their language: queries.tsv, queries.jsonl.
        read: How files are read.
        format: How to show it: table tsv json jsonl csv md latex html. Default: table.
        output: File to write, repeatable: .txt .tsv .json .jsonl .csv .md .tex .html; of systems .png .svg .pdf.
        per_query: The values of each query instead of the means; json gives both.
        shown: What is shown.

    """
    measured, read, shown = measured or Measured(), read or Read(), shown or Shown()
    names, behind = _parted(measures or ())
    ways, stray = _parted(method or ())
    named = [*files, *behind, *stray]
    systems = bool(names) or judges is not None
    _refuse_idle(
        {"-p": p, "-k": k, "--missing": missing, "--per-query": per_query or None}
        if systems
        else {"--test": test, "--resamples": resamples, "--profile": profile, "--queries": queries}
        | {"--answered-only": answered_only or None, **_given(measured), **_given(conventions)},
        "systems" if systems else "rankings",
    )
    if by is not None and judges is None:
        raise UsageError("conflicting-options", "--by is about the agreement of two judges, and there is no --judges")
    if systems and queries is not None and by is None:
        raise UsageError("conflicting-options", "--queries is about groups, and there is no --by COLUMN")
    if judges is not None and not named:
        _refuse_idle({"--measures": names or None, "--method": ways or None, "--test": test}, "judges")
    paths = [name_and_path(text)[1] for text in (*(judges or ()), *named)]
    paths += filter(None, (only, queries))
    look = Look(shown.digits, safe=shown.safe_csv)
    out = Output.of(output, format, paths, look, quiet=shown.quiet, what="correlations", others=PICTURES)
    if out.others and not (systems and named):
        _refuse_idle({str(out.others[0]): True}, "judges" if systems else "rankings")
    sampling: dict[str, Any] = {"level": level, "seed": seed}
    if resamples is not None and systems:
        sampling["resamples"] = resamples
    result: Any
    with working(quiet=shown.quiet) as progress:
        if systems:
            sampling |= {"test": test} if test else {}
            sampling |= {"method": tuple(ways)} if ways else {}
            settings = measured.settings(conventions, answered_only=answered_only)
            how = _How(measured, read, profile, settings, only, names, shown.quiet)
            if judges is not None:
                result = _of_judges(judges, named, how, queries, by, sampling, progress)
            else:
                result = _of_measures(named, how, sampling, progress)
        else:
            sampling |= {"p": 0.9 if p is None else p, "k": k, "missing": missing or "refuse"}
            result = _of_rankings(named, ways, read, only, sampling)
    if per_query:
        result = _PerQuery(result)
    out.write(partial(rendered, result, title="rankworth correlate"), partial(_picture, result))
    out.warn_of(result.sheets())


@dataclass(frozen=True)
class _How:
    """What systems are measured by."""

    measured: Measured
    read: Read
    profile: str | None
    settings: dict[str, Any]
    only: str | None
    measures: Sequence[str]
    quiet: bool

    def files(self, qrels: str, runs: Sequence[str]) -> InputFiles:
        """Judgements and runs as they are named."""
        return InputFiles.of(qrels, runs, self.read.without({"text": ""}), exclude=self.measured.exclude)

    def measuring(
        self, given: InputFiles | None, measures: Sequence[str]
    ) -> "tuple[Qrels | None, list[Run], dict[str, Any]]":
        """Judgements and runs, where any are named, and how to measure.

        Raises:
            InputError, MeasureError, UsageError: as `evaluate`.

        """
        from rankworth.profiles import profiles_of  # noqa: PLC0415 - not before the arguments are known to be sound

        [chosen] = profiles_of([self.profile] if self.profile else (), complete=self.measured.complete)
        how = {"rel": self.measured.rel, "profile": chosen, "queries": self.ids, **self.settings}
        if given is None:
            return None, [], how
        judgements, runs, settings = given.read([chosen], measures, self.measured.rel, self.settings, self.ids)
        return judgements, runs, how | settings

    @property
    def ids(self) -> list[str] | None:
        """The queries to look at."""
        return None if self.only is None else _ids(self.only)


def _of_rankings(
    named: Sequence[str], ways: Sequence[str], read: Read, only: str | None, said: dict[str, Any]
) -> "Result":
    """How alike the rankings of runs are."""
    if len(named) < 2:  # noqa: PLR2004 - a correlation takes two
        if ways:  # of which one may be a file that is not there
            from rankworth.correlation.methods import methods  # noqa: PLC0415 - as below

            methods(ways, said["p"], said["k"])
        there = f"there is {named[0]} only" if named else "there is none"
        raise UsageError("conflicting-options", f"a correlation takes two runs at least, and {there}", remedy=USAGE)
    given = InputFiles.of("", named, read)

    from rankworth import correlation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.judging import inputs  # noqa: PLC0415 - as above

    runs = inputs.runs(given.read_runs())
    return correlation.correlate_runs(
        runs, ways or correlation.DEFAULT, queries=None if only is None else _ids(only), **said
    )


def _of_measures(named: Sequence[str], how_measured: _How, sampling: dict[str, Any], progress: Progress) -> "Result":
    """Whether measures agree on the order of systems."""
    files = SystemFiles.of(named, USAGE)

    from rankworth.correlation import correlate_measures  # noqa: PLC0415 - not before the arguments are known to be sound

    configuration.prepare(how_measured.measured.plugin or (), quiet=how_measured.quiet)
    given = how_measured.files(files.qrels, files.measured) if files.qrels else None
    judgements, runs, how = how_measured.measuring(given, how_measured.measures)
    sources = files.systems(runs).sources()
    with files.named_in_errors(words(how_measured.read)):
        return correlate_measures(judgements, sources, how_measured.measures, progress=progress, **how, **sampling)


def _of_judges(
    judges: tuple[str, str],
    named: Sequence[str],
    how_measured: _How,
    table: str | None,
    by: Sequence[str] | None,
    sampling: dict[str, Any],
    progress: Progress,
) -> "Result":
    """Whether two judges agree, and whether they put systems into the same order."""
    (one, first), (other, second) = map(name_and_path, judges)

    from rankworth.correlation import agreement, correlate_judges  # noqa: PLC0415 - as above
    from rankworth.io import metadata  # noqa: PLC0415 - as above
    from rankworth.judging import inputs  # noqa: PLC0415 - as above
    from rankworth.model import stem  # noqa: PLC0415 - as above

    configuration.prepare(how_measured.measured.plugin or (), quiet=how_measured.quiet)
    measures = how_measured.measures or ("nDCG@10",)
    called = [readable(name or stem(path).removesuffix(".qrels")) for name, path in ((one, first), (other, second))]
    names = tuple(called) if called[0] != called[1] else (first, second)
    if names[0] == names[1]:
        raise UsageError("run-names", f"both judges are called {names[0]}", remedy="name them: NAME=FILE")
    judged, runs, how = how_measured.measuring(how_measured.files(first, named), measures)
    again, _, _ = how_measured.measuring(how_measured.files(second, ()), measures)
    slices: dict[str, Any] = {"table": None if table is None else metadata.queries(table), "by": by}
    if runs:
        return correlate_judges(
            judged, again, inputs.runs(runs), measures, names=names, progress=progress, **slices, **how, **sampling
        )
    sampling = {name: one for name, one in sampling.items() if name in ("level", "resamples", "seed")}
    return agreement(
        judged, again, names=names, queries=how_measured.ids, rel=how_measured.measured.rel, **slices, **sampling
    )


class _PerQuery:
    """The values of each query instead of the means; JSON has both."""

    def __init__(self, result: Any) -> None:  # noqa: ANN401 - `Correlations`
        """Values of a correlation of runs."""
        self.to_dict = result.to_dict
        self.flat = partial(result.flat, "queries")

    def sheets(self) -> "list[Sheet]":
        """One table."""
        return [self.flat()]


def _picture(result: Any, path: Path) -> bytes:  # noqa: ANN401 - systems
    """The means of systems as a picture: by the first two measures, or by the first one under two judges."""
    from rankworth import plots  # noqa: PLC0415 - where there is a picture

    row = result.rows[0]
    form = path.suffix.lower().removeprefix(".")
    return plots.rendered(plots.standings(result, row.measure or (row.x, row.y)), form)


def _parted(typed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, and the files that follow them: an option that takes several words takes all up to the next option."""
    for place, word in enumerate(typed):
        if word == STDIN or Path(name_and_path(word)[1]).exists():
            return list(typed[:place]), list(typed[place:])
    return list(typed), []


def _refuse_idle(said: dict[str, object], what: str) -> None:
    """Find options that are about something else.

    Raises:
        UsageError: `conflicting-options`.

    """
    for option, value in said.items():
        if value is not None:
            others = {
                "systems": "rankings of documents, and these are systems",
                "rankings": "systems (--measures, --judges), and these are rankings",
                "judges": "systems, and there are judges and no runs",
            }
            raise UsageError("conflicting-options", f"{option} is about {others[what]}")


def _given(options: Measured | ConventionsButMissing | None) -> dict[str, object]:
    """Options with their values; None where they were not given, as flags are that were not."""
    values = (options or {}) if isinstance(options, dict | None) else vars(options)
    return {spelled(name): None if value is False else value for name, value in values.items()}


def _ids(path: str) -> list[str]:
    from rankworth.io import queries  # noqa: PLC0415 - not needed for help

    return queries.read(path)

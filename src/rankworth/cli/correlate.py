"""The command `correlate`: plain arguments in, one call of the library, its answer out."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token
from cyclopts.validators import Number

from rankworth.cli import arguments, commands
from rankworth.cli.entrants import Entrants
from rankworth.cli.inputs import Given, readable
from rankworth.cli.options import GROUP, Measured, Read, Settings, spelled, words
from rankworth.cli.outlets import Outlets
from rankworth.cli.output import Told, rendered
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
Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html"]
Missing = Literal["refuse", "common", "last"]
Test = Literal["randomized-tukey", "tukey", "randomization", "t", "wilcoxon", "sign", "bootstrap"]

_COMPARED: Final = Group("What is correlated", sort_key=1)
_MEASURED: Final = Group("What is measured", sort_key=2)
_READ: Final = Group("How files are read", sort_key=4)
_SHOWN: Final = Group("What is shown", sort_key=5)
_OTHER: Final = Group("Other", sort_key=7)


@dataclass(frozen=True)
class Conventions(Settings):
    """What differs from the profile; --missing is about documents here.

    Attributes:
        grades: Grades as given, truncated (1.9 is 1), or whole (others refused).

    """

    grades: Annotated[str | None, Parameter(metavar="HOW")] = None


def _file(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    return arguments.path(tokens, App(default_command=correlate).assemble_argument_collection)


File = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_file, n_tokens=1, show=False)]


def correlate(
    *files: File,
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
    level: Annotated[float, Parameter(validator=Number(gt=0, lt=1), group=_COMPARED)] = 0.95,
    resamples: Annotated[int | None, Parameter(metavar="N", validator=Number(gte=1), group=_COMPARED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=Number(gte=0), group=_COMPARED)] = 0,
    answered_only: Annotated[bool, Parameter(group=_MEASURED)] = False,
    measured: Annotated[Measured | None, Parameter(name="*", group=_MEASURED)] = None,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=_MEASURED)] = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=GROUP)] = None,
    queries: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    read: Annotated[Read | None, Parameter(name="*", group=_READ)] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        Form | None, Parameter(alias="-f", metavar="FORMAT", group=_SHOWN)
    ] = None,
    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE", group=_SHOWN)] = None,
    per_query: Annotated[bool, Parameter(alias="-q", group=_SHOWN)] = False,
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15), group=_SHOWN)] = None,
    safe_csv: Annotated[bool, Parameter(group=_SHOWN)] = False,
    quiet: Annotated[bool, Parameter(group=_OTHER)] = False,
) -> None:
    """Say how alike rankings are: those of runs, of systems by several measures, of two judges.

    Runs alone are compared query by query, without judgements. With --measures
    it is the order of the systems that is compared, by each two measures; with
    --judges by the same measure under two sets of judgements, which are compared
    themselves, too. NAME=FILE names a run or a judge.

    Args:
        files: Runs; judgements before them with --measures.
        measures: By which measures systems are put in order. With --judges: nDCG@10 where not said.
        judges: Two sets of judgements of the same queries.
        method: Coefficients: rbo overlap jaccard where not said, of systems tau-b tau-ap-b spearman; see below.
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
        digits: Decimals in the columns of table, md, latex and html. Default: 4.
        safe_csv: Put ' before ids and names in csv and tsv that begin with = + - or @, which are formulas elsewhere.
        quiet: Nothing on standard error but errors.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
    measured, read = measured or Measured(), read or Read()
    names, behind = _parted(measures or ())
    ways, stray = _parted(method or ())
    named = [*files, *behind, *stray]
    systems = bool(names) or judges is not None
    _refuse_idle(
        {"-p": p, "-k": k, "--missing": missing, "--per-query": per_query or None}
        if systems
        else {"--test": test, "--resamples": resamples, "--profile": profile, "--queries": queries}
        | {"--answered-only": answered_only or None, **_said(measured), **_said(conventions)},
        "systems" if systems else "rankings",
    )
    if by is not None and judges is None:
        raise UsageError("conflicting-options", "--by is about the agreement of two judges, and there is no --judges")
    if systems and queries is not None and by is None:
        raise UsageError("conflicting-options", "--queries is about groups, and there is no --by COLUMN")
    if judges is not None and not named:
        _refuse_idle({"--measures": names or None, "--method": ways or None, "--test": test}, "judges")
    inputs = [arguments.named(text)[1] for text in (*(judges or ()), *named)]
    outlets = Outlets.of(
        output or (),
        format,
        [*inputs, *filter(None, (only, queries))],
        Look(digits, safe=safe_csv),
        what="correlations",
        quiet=quiet,
    )
    if outlets.pictures and not (systems and named):
        what = "rankings" if not systems else "judges"
        _refuse_idle({outlets.pictures[0]: True}, what)
    sampling: dict[str, Any] = {"level": level, "seed": seed}
    if resamples is not None:
        sampling["resamples"] = resamples
    with working(quiet=quiet) as progress:
        if systems:
            sampling |= {"test": test} if test else {}
            sampling |= {"method": tuple(ways)} if ways else {}
            settings = measured.settings(conventions, answered_only=answered_only)
            asked = _Asked(measured, read, profile, settings, only, names, quiet)
            if judges is not None:
                told = _of_judges(judges, named, asked, queries, by, sampling, progress)
            else:
                told = _of_measures(named, asked, sampling, progress)
        else:
            sampling.pop("resamples", None)
            told = _of_rankings(
                named,
                ways,
                read,
                only,
                {"p": 0.9 if p is None else p, "k": k, "missing": missing or "refuse", **sampling},
            )
    outlets.deliver(
        partial(rendered, _PerQuery(told) if per_query else told, title="rankworth correlate"),
        partial(_picture, told),
        (text for sheet in told.sheets() for text in sheet.defects),
    )


@dataclass(frozen=True)
class _Asked:
    """What systems are measured by."""

    measured: Measured
    read: Read
    profile: str | None
    settings: dict[str, Any]
    only: str | None
    measures: Sequence[str]
    quiet: bool

    def given(self, qrels: str, runs: Sequence[str]) -> Given:
        """Judgements and runs as they are named."""
        return Given.of(qrels, runs, self.read.without({"text": ""}), exclude=self.measured.exclude)

    def measuring(
        self, given: Given | None, measures: Sequence[str]
    ) -> "tuple[Qrels | None, list[Run], dict[str, Any]]":
        """Judgements and runs, where any are named, and how to measure.

        Raises:
            InputError, MeasureError, UsageError: as `evaluate`.

        """
        from rankworth.profiles import chosen_of  # noqa: PLC0415 - not before the arguments are known to be sound

        [chosen] = chosen_of([self.profile] if self.profile else (), complete=self.measured.complete)
        how = {"rel": self.measured.rel, "profile": chosen, "queries": self.ids, **self.settings}
        if given is None:
            return None, [], how
        policies = {each.judging.duplicate_judgements for each in chosen.ask(measures, rel=self.measured.rel)}
        with chosen.its_words(only=True):
            judgements, runs, excluded = given.read(self.ids, policies, self.measured.duplicate_judgements)
        return judgements, runs, how if excluded is None else {**how, "exclude": excluded}

    @property
    def ids(self) -> list[str] | None:
        """The queries to look at."""
        return None if self.only is None else _ids(self.only)


def _of_rankings(
    named: Sequence[str], ways: Sequence[str], read: Read, only: str | None, said: dict[str, Any]
) -> "Told":
    """How alike the rankings of runs are."""
    if len(named) < 2:  # noqa: PLR2004 - a correlation takes two
        if ways:  # of which one may be a file that is not there
            from rankworth.correlation.methods import methods  # noqa: PLC0415 - as below

            methods(ways, said["p"], said["k"])
        there = f"there is {named[0]} only" if named else "there is none"
        raise UsageError("conflicting-options", f"a correlation takes two runs at least, and {there}", remedy=USAGE)
    given = Given.of("", named, read)

    from rankworth import correlation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.judging import inputs  # noqa: PLC0415 - as above

    runs = inputs.runs(given.read_runs())
    return correlation.correlate_runs(
        runs, ways or correlation.DEFAULT, queries=None if only is None else _ids(only), **said
    )


def _of_measures(named: Sequence[str], asked: _Asked, sampling: dict[str, Any], progress: Progress) -> "Told":
    """Whether measures agree on the order of systems."""
    entrants = Entrants.of(named, USAGE)

    from rankworth.correlation import correlate_measures  # noqa: PLC0415 - not before the arguments are known to be sound

    commands.prepare(asked.measured.plugin or (), quiet=asked.quiet)
    given = asked.given(entrants.qrels, entrants.measured) if entrants.qrels else None
    judgements, runs, how = asked.measuring(given, asked.measures)
    sources = entrants.systems(runs).sources()
    with entrants.named_in_errors(words(asked.read)):
        return correlate_measures(judgements, sources, asked.measures, progress=progress, **how, **sampling)


def _of_judges(
    judges: tuple[str, str],
    named: Sequence[str],
    asked: _Asked,
    table: str | None,
    by: Sequence[str] | None,
    sampling: dict[str, Any],
    progress: Progress,
) -> "Told":
    """Whether two judges agree, and whether they put systems into the same order."""
    (one, first), (other, second) = map(arguments.named, judges)

    from rankworth.correlation import agreement, correlate_judges  # noqa: PLC0415 - as above
    from rankworth.io import metadata  # noqa: PLC0415 - as above
    from rankworth.judging import inputs  # noqa: PLC0415 - as above
    from rankworth.model import stem  # noqa: PLC0415 - as above

    commands.prepare(asked.measured.plugin or (), quiet=asked.quiet)
    measures = asked.measures or ("nDCG@10",)
    called = [readable(name or stem(path).removesuffix(".qrels")) for name, path in ((one, first), (other, second))]
    names = tuple(called) if called[0] != called[1] else (first, second)
    if names[0] == names[1]:
        raise UsageError("run-names", f"both judges are called {names[0]}", remedy="name them: NAME=FILE")
    judged, runs, how = asked.measuring(asked.given(first, named), measures)
    again, _, _ = asked.measuring(asked.given(second, ()), measures)
    slices: dict[str, Any] = {"table": None if table is None else metadata.queries(table), "by": by}
    if runs:
        return correlate_judges(
            judged, again, inputs.runs(runs), measures, names=names, progress=progress, **slices, **how, **sampling
        )
    sampling = {name: one for name, one in sampling.items() if name in ("level", "resamples", "seed")}
    return agreement(judged, again, names=names, queries=asked.ids, rel=asked.measured.rel, **slices, **sampling)


class _PerQuery:
    """The values of each query instead of the means; JSON has both."""

    def __init__(self, told: Any) -> None:  # noqa: ANN401 - `Correlations`
        self._told = told
        self.to_dict = told.to_dict

    def sheets(self) -> "list[Sheet]":
        """One sheet."""
        return [self.flat()]

    def flat(self) -> "Sheet":
        """The same."""
        found: Sheet = self._told.flat("queries")
        return found


def _picture(told: Any, form: str) -> bytes:  # noqa: ANN401 - systems
    """The means of systems as a picture: by the first two measures, or by the first one under two judges."""
    from rankworth import plots  # noqa: PLC0415 - where there is a picture

    row = told.rows[0]
    return plots.rendered(plots.standings(told, row.measure or (row.x, row.y)), form)


def _parted(typed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, and the files that follow them: an option that takes several words takes all up to the next option."""
    for place, word in enumerate(typed):
        if word == STDIN or Path(arguments.named(word)[1]).exists():
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


def _said(options: Measured | Settings | None) -> dict[str, object]:
    """Options and what they say, None where they were not given, as flags are that were not."""
    given = {} if options is None else {one.name: getattr(options, one.name) for one in fields(options)}
    return {spelled(name): None if value is False else value for name, value in given.items()}


def _ids(path: str) -> list[str]:
    from rankworth.io import queries  # noqa: PLC0415 - not needed for help

    return queries.read(path)

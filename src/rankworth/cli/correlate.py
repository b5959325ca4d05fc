"""The command `correlate`: plain arguments in, one call of the library, its answer out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypedDict

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, SystemFiles, judge_names
from rankworth.cli.inputs import named as name_and_path
from rankworth.cli.options import (
    COMPARED,
    CONVENTIONS,
    FLAT,
    FORMAT,
    MEASURED,
    SHOWN,
    TESTED,
    ConventionsButMissing,
    DisplayOptions,
    FromOne,
    FromZero,
    HiddenFile,
    Measured,
    Options,
    Share,
    typed,
)
from rankworth.cli.output import PICTURES, Output, picture, progress
from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.stats import TestName
from rankworth.tables import data
from rankworth.tables.show import Form

USAGE: Final = """Usage: rankworth correlate RUN RUN... [OPTIONS]
       rankworth correlate --measures MEASURE... QRELS RUN... [OPTIONS]
       rankworth correlate --judges QRELS QRELS [RUN...] [OPTIONS]"""
METHODS: Final = """Methods:
  of any rankings     rbo rbo-a rbo-b rbo-w overlap average-overlap jaccard rba
  of the same items   tau-a tau-b tau-c gamma spearman weighted-tau tau-ap
                      tau-ap-a tau-ap-b weighted-tau-reference pearson"""


@dataclass(frozen=True)
class CorrelatedMeasures(Measured):
    """What is measured, by measures that may be correlated.

    Attributes:
        measure: By which measures systems are put in order. Default with --judges: nDCG@10.

    """

    measure: Annotated[
        list[str] | None,
        Parameter(name=["--measures", "--measure"], alias="-m", consume_multiple=1, metavar="MEASURE"),
    ] = None


@dataclass(frozen=True)
class CorrelateOptions(Options):
    """Options of a correlation.

    Attributes:
        measured: What is measured.
        conventions: What differs from the profile.

    """

    measured: Annotated[CorrelatedMeasures, Parameter(name="*", group=MEASURED)] = CorrelatedMeasures()
    conventions: Annotated[ConventionsButMissing | None, Parameter(name="*", group=CONVENTIONS)] = None


class RankingOptions(TypedDict, total=False):
    """How rankings of documents are correlated: keywords of `rankworth.correlate_runs`.

    Attributes:
        p: Of rbo and rba: the chance that a reader goes on to the next rank. Default: 0.9.
        k: Look at the first K documents of each ranking only, and at what is tied with the last of them.
        missing: Documents that one ranking does not have, for taus and the like: refuse, common (left out), last
            (behind all others, tied). Default: refuse.

    """

    p: Annotated[float, Parameter(name="--p", alias="-p", metavar="P")]
    k: Annotated[int, Parameter(name="--k", alias="-k", metavar="K")]
    missing: Annotated[Literal["refuse", "common", "last"], Parameter(group=MEASURED)]


class SystemOptions(TypedDict, total=False):
    """How the orders of systems are correlated: keywords of `rankworth.correlate_measures`.

    Attributes:
        test: By which test the order of two systems is significant. Default: randomized-tukey.
        resamples: Samples of queries, and random shuffles. Default: 9,999, and 999 beyond 1,000 queries.

    """

    test: TestName
    resamples: Annotated[int, Parameter(metavar="N", validator=FromOne)]


class IntervalOptions(TypedDict, total=False):
    """How intervals are made.

    Attributes:
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        seed: Of the random numbers. Default: 0.

    """

    level: Annotated[float, Parameter(validator=Share)]
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero)]


class Judges(IntervalOptions):
    """What two judges are called, the groups within which they are compared, too, and how intervals are made."""

    names: list[str]
    by: list[str] | None
    table: str | None


def correlate(
    *files: HiddenFile,
    options: Annotated[CorrelateOptions, FLAT] = CorrelateOptions(),
    judges: Annotated[
        tuple[str, str] | None, Parameter(metavar="QRELS QRELS", allow_leading_hyphen=True, group=COMPARED)
    ] = None,
    method: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="METHOD", group=COMPARED)] = None,
    rankings: Annotated[RankingOptions | None, Parameter(name="*", group=COMPARED)] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=SHOWN)] = None,
    ordering: Annotated[SystemOptions | None, Parameter(name="*", group=TESTED)] = None,
    intervals: Annotated[IntervalOptions | None, Parameter(name="*", group=TESTED)] = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Correlate rankings: of runs, of systems by several measures, or of two judges' grades.

    Runs alone are compared query by query, without judgements. With --measures
    it is the order of the systems that is compared, by each two measures; with
    --judges by the same measure under two sets of judgements, which are compared
    themselves, too. NAME=FILE names a run or a judge.

    Args:
        files: Runs; judgements before them with --measures.
        options: What is measured, and how files are read.
        judges: Two sets of judgements of the same queries.
        method: Coefficients; see below. Default: rbo overlap jaccard, and of systems tau-b tau-ap-b spearman.
        rankings: How rankings of documents are correlated.
        by: Columns of --queries by whose groups the agreement of judges is told, too.
        ordering: How the orders of systems are correlated.
        intervals: How intervals are made.
        format: How to show it. Default: table.
        per_query: The values of each query instead of the means; json gives both.
        shown: How it is shown.

    Examples:
        rankworth correlate bm25.run dense.run -k 10
        rankworth correlate --measures nDCG@10 AP RR qrels.txt *.run
        rankworth correlate --judges human.qrels llm.qrels *.run

    """
    rankings, ordering, intervals = (
        rankings or RankingOptions(),
        ordering or SystemOptions(),
        intervals or IntervalOptions(),
    )
    measures, behind = _before_files(options.measured.measure or ())
    methods, stray = _before_files(method or ())
    named = [*files, *behind, *stray]
    kind = "judges" if judges and not named else "systems" if judges or measures else "rankings"
    if kind == "rankings":
        measured = replace(options.measured, measure=None, only=None)
        of_systems = typed(measured, options.conventions, ordering, queries=options.read.queries)
        _refuse(of_systems, "systems (--measures, --judges), and these are rankings")
    else:
        _refuse(typed(rankings, per_query=per_query), "rankings of documents, and these are systems")
    if kind == "judges":
        of_orders = typed(measures=measures, method=methods, test=ordering.get("test"))
        _refuse(of_orders, "systems, and there are judges and no runs")
    if (by and judges is None) or (options.read.queries and by is None):
        text = "--queries and --by COLUMN name groups for the agreement of two judges; give both, and --judges"
        raise UsageError("conflicting-options", text)
    paths = [name_and_path(text)[1] for text in (*(judges or ()), *named)]
    paths += filter(None, (options.measured.only, options.read.queries))
    out = Output.of(
        shown, format, paths, contents="correlations", further_suffixes=PICTURES if kind == "systems" else ()
    )
    read = partial(InputFiles.of, configuration.find(options.measured.plugin, quiet=shown.quiet))

    from rankworth import correlation  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.correlation.systems import METHOD  # noqa: PLC0415 - as above

    result: Any
    by_methods = methods or (correlation.DEFAULT if kind == "rankings" else METHOD)
    with progress(quiet=shown.quiet) as drawing:
        if kind == "rankings":
            runs = read(options, "", named).read_runs()
            result = correlation.correlate_runs(runs, by_methods, queries=options.ids(), **rankings, **intervals)
        elif judges is None:
            systems = SystemFiles.of(named, USAGE)
            qrels, runs, settings = read(options, systems.qrels, systems.runs).read(measures)
            sources = systems.systems(runs)
            result = correlation.correlate_measures(
                qrels, sources, measures, method=by_methods, progress=drawing, **ordering, **intervals, **settings
            )
        else:
            first, second = (path for _, path in map(name_and_path, judges))
            measures = measures or ["nDCG@10"]
            qrels, runs, settings = read(options, first, named).read(measures)
            other_qrels = read(options.of_judgements, second, ()).read(measures)[0]
            about: Judges = {"names": judge_names(judges), "by": by, "table": options.read.queries, **intervals}
            if runs:
                result = correlation.correlate_judges(
                    qrels,
                    other_qrels,
                    runs,
                    measures,
                    method=by_methods,
                    progress=drawing,
                    **about,
                    **ordering,
                    **settings,
                )
            else:
                queries, rel, resamples = settings["queries"], settings.get("rel"), ordering.get("resamples")
                result = correlation.agreement(
                    qrels, other_qrels, queries=queries, rel=rel, resamples=resamples, **about
                )
    if per_query:
        out.write_table(result.flat("queries"), {"json": lambda: data.document(result.to_dict()).encode()})
    else:
        out.write_result(result, "rankworth correlate", lambda path: _picture(result, out, path))


def _picture(result: Any, out: Output, path: Path) -> bytes:  # noqa: ANN401 - systems
    """Draw the means of systems: by the first two measures, or by the first one under two judges."""
    row = result.rows[0]
    return picture("systems", result, row.measure or (row.x, row.y), out=out)(path)


def _before_files(typed_words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split names from the files behind them: an option that takes several words takes all up to the next option."""
    for index, word in enumerate(typed_words):
        if word == STDIN or Path(name_and_path(word)[1]).exists():
            return list(typed_words[:index]), list(typed_words[index:])
    return list(typed_words), []


def _refuse(options: Iterable[str], subject: str) -> None:
    """Refuse options that are about something else.

    Raises:
        UsageError: `conflicting-options`.

    """
    for option in options:
        raise UsageError("conflicting-options", f"{option} is about {subject}")

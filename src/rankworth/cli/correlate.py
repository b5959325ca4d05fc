"""The command `correlate`: plain arguments in, one call of the library, its answer out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Group, Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, SystemFiles, stem
from rankworth.cli.inputs import named as name_and_path
from rankworth.cli.options import (
    CONVENTIONS,
    FLAT,
    FORMAT,
    MEASURED,
    SHOWN,
    ConventionsButMissing,
    FromOne,
    FromZero,
    HiddenFile,
    Measured,
    Options,
    Share,
    Shown,
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
Missing = Literal["refuse", "common", "last"]

_COMPARED: Final = Group("What is correlated", sort_key=0)


@dataclass(frozen=True)
class CorrelatedMeasures(Measured):
    """What is measured, by measures that may be correlated.

    Attributes:
        measure: By which measures systems are put in order. Default with --judges: nDCG@10.

    """

    measure: Annotated[
        list[str] | None,
        Parameter(name=["--measures", "--measure"], alias="-m", consume_multiple=1, metavar="MEASURE", group=_COMPARED),
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


def correlate(
    *files: HiddenFile,
    options: Annotated[CorrelateOptions, FLAT] = CorrelateOptions(),
    judges: Annotated[
        tuple[str, str] | None, Parameter(metavar="QRELS QRELS", allow_leading_hyphen=True, group=_COMPARED)
    ] = None,
    method: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="METHOD", group=_COMPARED)] = None,
    p: Annotated[float | None, Parameter(name="--p", alias="-p", metavar="P", group=_COMPARED)] = None,
    k: Annotated[int | None, Parameter(name="--k", alias="-k", metavar="K", group=_COMPARED)] = None,
    missing: Annotated[Missing | None, Parameter(group=_COMPARED)] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_COMPARED)] = None,
    test: Annotated[TestName | None, Parameter(group=_COMPARED)] = None,
    level: Annotated[float, Parameter(validator=Share, group=_COMPARED)] = 0.95,
    resamples: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=_COMPARED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=_COMPARED)] = 0,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    per_query: Annotated[bool, Parameter(alias="-q", group=SHOWN)] = False,
    shown: Annotated[Shown, Parameter(name="*", group=SHOWN)] = Shown(),
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
        p: Of rbo and rba: the chance that a reader goes on to the next rank. Default: 0.9.
        k: Look at the first K documents of each ranking only, and at what is tied with the last of them.
        missing: Documents that one ranking does not have, for taus and the like: refuse, common (left out), last
            (behind all others, tied). Default: refuse.
        by: Columns of --queries by whose groups the agreement of judges is told, too.
        test: By which test the order of two systems is significant. Default: randomized-tukey.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        resamples: Samples of queries, and random shuffles. Default: 9,999, and 999 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        format: How to show it. Default: table.
        per_query: The values of each query instead of the means; json gives both.
        shown: How it is shown.

    Examples:
        rankworth correlate bm25.run dense.run -k 10
        rankworth correlate --measures nDCG@10 AP RR qrels.txt *.run
        rankworth correlate --judges human.qrels llm.qrels *.run

    """
    measures, behind = _before_files(options.measured.measure or ())
    methods, stray = _before_files(method or ())
    named = [*files, *behind, *stray]
    what = "judges" if judges and not named else "systems" if judges or measures else "rankings"
    measured = replace(options.measured, measure=None, only=None)
    of_systems = typed(measured, options.conventions, test=test, resamples=resamples)
    if what == "rankings":
        queries = typed(queries=options.read.queries)
        _refuse(of_systems | queries, "systems (--measures, --judges), and these are rankings")
    else:
        _refuse(typed(p=p, k=k, missing=missing, per_query=per_query), "rankings of documents, and these are systems")
    if what == "judges":
        _refuse(typed(measures=measures, method=methods, test=test), "systems, and there are judges and no runs")
    if (by and judges is None) or (options.read.queries and by is None):
        text = "--queries and --by COLUMN name groups for the agreement of two judges; give both, and --judges"
        raise UsageError("conflicting-options", text)
    paths = [name_and_path(text)[1] for text in (*(judges or ()), *named)]
    paths += filter(None, (options.measured.only, options.read.queries))
    out = Output.of(shown, format, paths, what="correlations", others=PICTURES if what == "systems" else ())
    project = configuration.find(options.measured.plugin, quiet=shown.quiet)
    how: dict[str, Any] = {"level": level, "seed": seed} | ({"resamples": resamples} if resamples else {})
    of_orders: dict[str, Any] = ({"test": test} if test else {}) | ({"method": tuple(methods)} if methods else {})
    read = partial(InputFiles.of, project, options)

    from rankworth import correlation  # noqa: PLC0415 - not before the arguments are known to be sound

    with progress(quiet=shown.quiet) as drawing:
        of_orders["progress"] = drawing
        if what == "rankings":
            how |= {"p": 0.9 if p is None else p, "k": k, "missing": missing or "refuse", "queries": options.ids()}
            runs = read("", named).read_runs()
            result: Any = correlation.correlate_runs(runs, methods or correlation.DEFAULT, **how)
        elif judges is None:
            systems = SystemFiles.of(named, USAGE)
            judgements, runs, settings = read(systems.qrels, systems.runs).read(measures)
            sources = {name: [file.source for file in group] for name, group in systems.systems(runs).items()}
            result = correlation.correlate_measures(judgements, sources, measures, **settings, **how, **of_orders)
        else:
            how |= {"by": by, "table": options.read.queries}
            result = _of_judges(read, judges, named, measures or ["nDCG@10"], how, of_orders)
    if per_query:
        out.write_table(result.flat("queries"), {"json": lambda: data.document(result.to_dict()).encode()})
    else:
        out.write_result(result, "rankworth correlate", lambda path: _picture(result, out, path))


def _of_judges(
    read: Callable[..., InputFiles],
    judges: tuple[str, str],
    named: Sequence[str],
    measures: Sequence[str],
    options: dict[str, Any],
    of_orders: Mapping[str, Any],
) -> object:
    """Whether two judges agree, and whether they put systems into the same order."""
    from rankworth.correlation import agreement, correlate_judges  # noqa: PLC0415 - not before the arguments are sound

    pairs = [name_and_path(judge) for judge in judges]
    names = [name or stem(path).removesuffix(".qrels") for name, path in pairs]
    first, second = (path for _, path in pairs)
    options["names"] = names if names[0] != names[1] else [first, second]
    judged, runs, settings = read(first, named).read(measures)
    again = read(second, ()).read(measures)[0]
    if runs:
        return correlate_judges(judged, again, runs, measures, **settings, **options, **of_orders)
    return agreement(judged, again, queries=settings["queries"], rel=settings.get("rel"), **options)


def _picture(result: Any, out: Output, path: Path) -> bytes:  # noqa: ANN401 - systems
    """The means of systems as a picture: by the first two measures, or by the first one under two judges."""
    row = result.rows[0]
    return picture("systems", result, row.measure or (row.x, row.y), out=out)(path)


def _before_files(typed_words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, and the files that follow them: an option that takes several words takes all up to the next option."""
    for place, word in enumerate(typed_words):
        if word == STDIN or Path(name_and_path(word)[1]).exists():
            return list(typed_words[:place]), list(typed_words[place:])
    return list(typed_words), []


def _refuse(options: Iterable[str], what: str) -> None:
    """Refuse options that are about something else.

    Raises:
        UsageError: `conflicting-options`.

    """
    for option in options:
        raise UsageError("conflicting-options", f"{option} is about {what}")

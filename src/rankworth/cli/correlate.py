"""The command `correlate`: plain arguments in, one call of the library, its answer out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import Group, Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles, SystemFiles, stem
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
    MeasuredOptions,
    OutputFiles,
    ProfileName,
    Read,
    ReadFile,
    ReadOptions,
    Share,
    Shown,
    ShownOptions,
    typed,
)
from rankworth.cli.output import PICTURES, Output, progress, rendered
from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.stats import TestName
from rankworth.tables import data
from rankworth.tables.show import Form

if TYPE_CHECKING:
    from rankworth.model import Run

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
_Inputs = tuple[Any, "list[Run]", dict[str, Any]]

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
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_COMPARED)] = None,
    test: Annotated[TestName | None, Parameter(group=_COMPARED)] = None,
    level: Annotated[float, Parameter(validator=Share, group=_COMPARED)] = 0.95,
    resamples: Annotated[int | None, Parameter(metavar="N", validator=FromOne, group=_COMPARED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=FromZero, group=_COMPARED)] = 0,
    measured: MeasuredOptions = None,
    profile: ProfileName = None,
    conventions: Annotated[ConventionsButMissing | None, Parameter(name="*", group=CONVENTIONS)] = None,
    queries: ReadFile = None,
    read: ReadOptions = None,
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
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
        by: Columns of --queries by whose groups the agreement of judges is told, too.
        test: By which test the order of two systems is significant. Default: randomized-tukey.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        resamples: Samples of queries, and random shuffles. Default: 9,999, and 999 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        queries: File with columns of queries, such as their language: queries.tsv, queries.jsonl.
        read: How files are read.
        format: How to show it. Default: table.
        output: File to write, in the format of its suffix: .tex latex, .txt table; of systems .png .svg .pdf.
            Repeatable.
        per_query: The values of each query instead of the means; json gives both.
        shown: What is shown.

    """
    measured, read, shown = measured or Measured(), read or Read(), shown or Shown()
    names, behind = _before_files(measures or ())
    methods, stray = _before_files(method or ())
    named = [*files, *behind, *stray]
    what = "judges" if judges and not named else "systems" if judges or names else "rankings"
    of_measuring = typed(replace(measured, only=None), conventions, test=test, resamples=resamples, profile=profile)
    if what == "rankings":
        _refuse(of_measuring | typed(queries=queries), "systems (--measures, --judges), and these are rankings")
    else:
        of_documents = typed(p=p, k=k, missing=missing, per_query=per_query)
        _refuse(of_documents, "rankings of documents, and these are systems")
    if what == "judges":
        _refuse(typed(measures=names, method=methods, test=test), "systems, and there are judges and no runs")
    if (by and judges is None) or (queries and by is None):
        text = "--queries and --by COLUMN name groups for the agreement of two judges; give both, and --judges"
        raise UsageError("conflicting-options", text)
    paths = [*(name_and_path(text)[1] for text in (*(judges or ()), *named)), *filter(None, (measured.only, queries))]
    pictures = PICTURES if what == "systems" else ()
    out = Output.of(output, format, paths, shown, what="correlations", others=pictures)
    options: dict[str, Any] = {"level": level, "seed": seed} | ({"resamples": resamples} if resamples else {})
    of_orders: dict[str, Any] = ({"test": test} if test else {}) | ({"method": tuple(methods)} if methods else {})
    project = configuration.find()

    def inputs(qrels: str, runs: Sequence[str], measures: Sequence[str]) -> _Inputs:
        files = InputFiles.of(project, qrels, runs, (read, measured), ("text",))
        chosen, settings, ids = measured.profile(profile), measured.settings(conventions), measured.ids
        judgements, found, settings = files.read([chosen], measures, settings, ids)
        return judgements, found, settings | {"profile": chosen, "queries": ids}

    with progress(quiet=shown.quiet) as drawing:
        if what == "rankings":
            runs = InputFiles.of(project, "", named, (read, measured)).read_runs()
            options |= {"p": 0.9 if p is None else p, "k": k, "missing": missing or "refuse", "queries": measured.ids}
            result: Any = _of_rankings(runs, methods, options)
        else:
            project.load(measured.plugin, quiet=shown.quiet)
            of_orders |= {"progress": drawing}
            if judges is None:
                result = _of_measures(inputs, named, names, options | of_orders)
            else:
                options |= {"by": by, "table": queries}
                result = _of_judges(inputs, judges, named, names or ["nDCG@10"], options, of_orders)
    if per_query:
        out.write_table(result.flat("queries"), {"json": lambda: data.document(result.to_dict()).encode()})
    else:
        out.write(partial(rendered, result, title="rankworth correlate"), partial(_picture, result))
        out.warn_of(result.sheets())


def _of_rankings(runs: "Sequence[Run]", methods: Sequence[str], options: dict[str, Any]) -> object:
    """How alike the rankings of runs are."""
    from rankworth.correlation import DEFAULT, correlate_runs  # noqa: PLC0415 - not before the arguments are sound

    return correlate_runs(runs, methods or DEFAULT, **options)


def _of_measures(
    inputs: Callable[..., _Inputs], named: Sequence[str], measures: Sequence[str], options: dict[str, Any]
) -> object:
    """Whether measures agree on the order of systems."""
    from rankworth.correlation import correlate_measures  # noqa: PLC0415 - not before the arguments are sound

    files = SystemFiles.of(named, USAGE)
    judgements, runs, how = inputs(files.qrels, files.runs, measures)
    sources = {name: [file.source for file in some] for name, some in files.systems(runs).items()}
    return correlate_measures(judgements, sources, measures, **how, **options)


def _of_judges(
    inputs: Callable[..., _Inputs],
    judges: tuple[str, str],
    named: Sequence[str],
    measures: Sequence[str],
    options: dict[str, Any],
    of_orders: dict[str, Any],
) -> object:
    """Whether two judges agree, and whether they put systems into the same order."""
    from rankworth.correlation import agreement, correlate_judges  # noqa: PLC0415 - not before the arguments are sound

    (one, first), (other, second) = map(name_and_path, judges)
    names = [name or stem(path).removesuffix(".qrels") for name, path in ((one, first), (other, second))]
    options["names"] = names if names[0] != names[1] else [first, second]
    judged, runs, how = inputs(first, named, measures)
    again, _, _ = inputs(second, (), measures)
    if runs:
        return correlate_judges(judged, again, runs, measures, **how, **options, **of_orders)
    return agreement(judged, again, queries=how["queries"], rel=how.get("rel"), **options)


def _picture(result: Any, path: Path) -> bytes:  # noqa: ANN401 - systems
    """The means of systems as a picture: by the first two measures, or by the first one under two judges."""
    from rankworth import plots  # noqa: PLC0415 - where there is a picture

    row = result.rows[0]
    form = path.suffix.lower().removeprefix(".")
    return plots.rendered(plots.systems(result, row.measure or (row.x, row.y)), form)


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

"""The command `report`: a page that can be mailed, from the verdict to the ranking of one query."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.compare import Margin, Paired, margins
from rankworth.cli.inputs import InputFiles, SystemFiles, named, runs_of_stage
from rankworth.cli.options import COMPARED, FLAT, OTHER, SHOWN, TESTED, HiddenFile, TextOptions, in_bytes
from rankworth.cli.output import progress, say
from rankworth.errors import UsageError, quoted
from rankworth.io import atomic
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.model import Run

USAGE: Final = "Usage: rankworth report [QRELS] RUN... [OPTIONS]"


def report(
    *files: HiddenFile,
    options: Annotated[TextOptions, FLAT] = TextOptions(),
    paired: Annotated[Paired | None, Parameter(name="*", group=TESTED)] = None,
    margin: Margin = None,
    stages: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="STAGE", group=COMPARED)] = None,
    output: Annotated[str, Parameter(alias="-o", metavar="FILE", group=SHOWN)] = "report.html",
    max_size: Annotated[str, Parameter(metavar="SIZE", group=SHOWN)] = "1.5MB",
    no_profiles: Annotated[bool, Parameter(group=SHOWN)] = False,
    title: Annotated[str, Parameter(metavar="TEXT", group=SHOWN)] = "",
    date: Annotated[str, Parameter(metavar="DATE", group=SHOWN)] = "",
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Write a report on runs as one page: scores, differences, the queries behind them, and why.

    QRELS and RUN are files, as for evaluate and compare; a RUN may also be a
    results file (evaluate -q -o baseline.json), whose values are shown without
    rankings. The first run is the one that others are compared with. Without -m
    the measures are nDCG@10 RR@10 AP R@100; rankings are explained by the first.
    The page is one file, loads nothing from elsewhere, and can be mailed and
    printed.

    Args:
        files: Judgements, and runs or results files.
        options: What is measured, and how files are read.
        paired: How differences are judged.
        margin: Difference that does not matter: 0.01, or nDCG@10=0.01 for one measure.
        stages: Stages of a pipeline, as for trace: where it loses relevant documents. Without a RUN it is about these.
        output: The page. Default: report.html.
        max_size: Size that the page may have; rankings are shown of as many queries as fit. Default: 1.5MB.
        no_profiles: Leave out the values under all profiles, which take most of the time.
        title: Name of the data, above the page. Default: that of the file of judgements, or of its folder, in words.
        date: Day that the page shows, such as 2026-11-26. Default: SOURCE_DATE_EPOCH, or the day of the newest file.
        quiet: Nothing on standard error but errors.

    Examples:
        rankworth report qrels.txt bm25.run dense.run --queries queries.tsv --docs corpus.jsonl
        rankworth report qrels.txt dense.run -o dense.html
        rankworth report before.json after.json --max-size 500kB
        rankworth report qrels.txt --stages bm25.run,dense.run fused.run reranked.run

    """
    most = in_bytes(max_size, "--max-size", "500kB")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        remedy = "-o report.html"
        if Path(output).suffix.lower() == ".pdf":
            remedy = f"{remedy}, then open the page and print it: browsers print to PDF files"
        raise UsageError("unknown-format", f"{output}: a report is a page in HTML", remedy=remedy)
    groups = [runs_of_stage(stage) for stage in stages or ()]
    staged = dict.fromkeys(run for group in groups for run in group)
    systems = SystemFiles.of(files if len(files) > 1 else [*files, *staged], USAGE, least=1)
    project = configuration.find(options.measured.plugin, quiet=quiet)
    further = [run for run in staged if named(run)[1] not in systems.runs]
    inputs = InputFiles.of(project, options, systems.qrels, [*systems.runs, *further], options.read.docs)
    atomic.refuse(output, [*inputs.paths, *systems.stored])

    from rankworth.report import dates, make  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.report.content import MEASURES  # noqa: PLC0415 - as above

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    day = dates.of_page(date or (dates.of_epoch(int(epoch)) if epoch.isdecimal() else ""))
    with progress(quiet=quiet):
        measures = options.measured.measure or (None if systems.stored else project.measures)
        judgements, runs, settings = inputs.read(list(measures or MEASURES))
        read = {path: run for (_, path), run in zip(inputs.named, runs, strict=True)}
        pipeline = [_stage(group, read) for group in groups]
        sources = {
            each.name: [*each.runs] if len(each.runs) > 1 else each.runs[0]
            for each in systems.systems(runs[: len(systems.runs)])
        }
        del settings["queries"]
        made = make(
            judgements,
            sources,
            measures,
            queries=options.table(),
            docs=options.read.docs,
            max_size=most,
            profiles=not no_profiles,
            title=title or (_called(systems.qrels) if systems.qrels else ""),
            date=day,
            command=shlex.join(["rankworth", *sys.argv[1:]]),
            files=[path for path in [*inputs.paths, *systems.stored] if Path(path).is_file()],
            comparing={**(paired or {}), "margin": margins(margin)},
            stages=pipeline or None,
            **settings,
        )
        made.save(output)
    size = Path(output).stat().st_size
    too_large = [f"it has {size / 1e3:,.0f} kB, more than --max-size, without any ranking"] if size > most else []
    for sentence in () if quiet else (f"wrote {output}", *too_large, *made.record["verdict"]):
        say(sentence)


def _stage(runs: Iterable[str], read: "Mapping[str, Run]") -> "dict[str, Run]":
    """Return the runs of a stage by name.

    Raises:
        UsageError: `run-names`.

    """
    pairs = [(name or read[path].name, read[path]) for name, path in map(named, runs)]
    if len({name for name, _ in pairs}) < len(pairs):
        text = f"runs that stand side by side have one name: {quoted(name for name, _ in pairs)}"
        raise UsageError("run-names", text, remedy="name them: NAME=FILE,NAME=FILE")
    return dict(pairs)


_OF_ANY_DATA: Final = {"qrels", "qrel", "judgements", "judgments", "labels", "ratings", "gold", "test", "dev", "train"}
"""names of files of judgements that say nothing of the data; their folders do"""


def _called(path: str) -> str:
    """Name the data by the file of judgements, or by its folder, in words.

    >>> _called("help-search/qrels.txt"), _called("web_2026.qrels"), _called("-")
    ('Help search', 'Web 2026', '')
    """
    if path == STDIN:
        return ""
    file = Path(path)
    name = file.name.partition(".")[0]
    if name.lower() in _OF_ANY_DATA:
        name = file.absolute().parent.name or name
    words = " ".join(re.split(r"[\s_-]+", name)).strip()
    return words[:1].upper() + words[1:]

"""The command `report`: a page that can be mailed, from the verdict to the ranking of one query."""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.compare import Margin, Paired, margins
from rankworth.cli.inputs import InputFiles, SystemFiles
from rankworth.cli.options import FLAT, OTHER, SHOWN, TESTED, HiddenFile, TextOptions, in_bytes
from rankworth.cli.output import progress, say
from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.io.source import STDIN

USAGE: Final = "Usage: rankworth report [QRELS] RUN... [OPTIONS]"


def report(
    *files: HiddenFile,
    options: Annotated[TextOptions, FLAT] = TextOptions(),
    paired: Annotated[Paired | None, Parameter(name="*", group=TESTED)] = None,
    margin: Margin = None,
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

    """
    most = in_bytes(max_size, "--max-size", "500kB")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        remedy = "-o report.html"
        if Path(output).suffix.lower() == ".pdf":
            remedy = f"{remedy}, then open the page and print it: browsers print to PDF files"
        raise UsageError("unknown-format", f"{output}: a report is a page in HTML", remedy=remedy)
    systems = SystemFiles.of(files, USAGE, least=1)
    project = configuration.find(options.measured.plugin, quiet=quiet)
    inputs = InputFiles.of(project, options, systems.qrels, systems.runs, options.read.docs)
    atomic.refuse(output, [*inputs.paths, *systems.stored])

    from rankworth.report import dates, make  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.report.content import MEASURES  # noqa: PLC0415 - as above

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    day = dates.of_page(date or (dates.of_epoch(int(epoch)) if epoch.isdecimal() else ""))
    with progress(quiet=quiet):
        measures = options.measured.measure or (None if systems.stored else project.measures)
        judgements, runs, settings = inputs.read(list(measures or MEASURES))
        sources = {each.name: [*each.runs] if len(each.runs) > 1 else each.runs[0] for each in systems.systems(runs)}
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
            **settings,
        )
        made.save(output)
    size = Path(output).stat().st_size
    too_large = [f"it has {size / 1e3:,.0f} kB, more than --max-size, without any ranking"] if size > most else []
    for sentence in () if quiet else (f"wrote {output}", *too_large, *made.record["verdict"]):
        say(sentence)


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

"""The command `report`: a page that can be mailed, from the verdict to the ranking of one query."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.compare import JUDGED, Paired, margins
from rankworth.cli.inputs import InputFiles, SystemFiles
from rankworth.cli.options import (
    CONVENTIONS,
    OTHER,
    SHOWN,
    Conventions,
    HiddenFile,
    Measured,
    MeasuredOptions,
    Measures,
    ProfileName,
    Read,
    ReadFile,
    ReadOptions,
    in_bytes,
)
from rankworth.cli.output import progress, say
from rankworth.errors import UsageError
from rankworth.io import atomic

USAGE: Final = "Usage: rankworth report [QRELS] RUN... [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth report qrels.txt bm25.run dense.run --queries queries.tsv --docs corpus.jsonl
  rankworth report qrels.txt dense.run -o dense.html
  rankworth report before.json after.json --max-size 500kB"""
_TEXTS: Final = ("query", "document", "text", "title")


def report(
    *files: HiddenFile,
    measure: Measures = None,
    measured: MeasuredOptions = None,
    profile: ProfileName = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=CONVENTIONS)] = None,
    paired: Annotated[Paired | None, Parameter(name="*", group=JUDGED)] = None,
    queries: ReadFile = None,
    docs: ReadFile = None,
    read: ReadOptions = None,
    output: Annotated[str, Parameter(alias="-o", metavar="FILE", group=SHOWN)] = "report.html",
    max_size: Annotated[str, Parameter(metavar="SIZE", group=SHOWN)] = "1.5MB",
    no_profiles: Annotated[bool, Parameter(group=SHOWN)] = False,
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Write one page about runs: what they are worth, whether they differ, on which queries, and why.

    QRELS and RUN are files, as for evaluate and compare; a RUN may also be a
    results file (evaluate -q -o baseline.json), whose values are shown without
    rankings. The first run is the one that others are compared with. The page
    is one file, loads nothing from elsewhere, and can be mailed and printed.

    Args:
        files: Judgements, and runs or results files.
        measure: Measures, as many as wanted; rankings are explained by the first. Default: nDCG@10 RR@10 AP R@100.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        paired: How differences are judged.
        queries: File with the texts of queries, whose other columns are groups: queries.tsv, queries.jsonl, topics.
        docs: File with the texts of documents: corpus.jsonl, collection.tsv.
        read: How files are read.
        output: The page. Default: report.html.
        max_size: Size that the page may have; rankings are shown of as many queries as fit. Default: 1.5MB.
        no_profiles: Leave out the values under all profiles, which take most of the time.
        quiet: Nothing on standard error but errors.

    """
    measured, read, paired = measured or Measured(), read or Read(), paired or Paired()
    most = in_bytes(max_size, "--max-size", "500kB")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise UsageError("unknown-format", f"{output}: a report is a page in HTML", remedy="-o report.html")
    systems = SystemFiles.of(files, USAGE, least=1)
    project = configuration.find()
    project.load(measured.plugin, quiet=quiet)
    inputs = InputFiles.of(project, systems.qrels, systems.runs, (read, measured), _TEXTS, queries, docs)
    if refused := atomic.refusal(Path(output), [*inputs.paths, *systems.stored]):
        raise UsageError("unwritable-output", f"{output}: {refused}")

    from rankworth.io import metadata  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.report import make  # noqa: PLC0415 - as above
    from rankworth.report.content import MEASURES  # noqa: PLC0415 - as above

    with progress(quiet=quiet):
        chosen, settings = measured.profile(profile), measured.settings(conventions)
        wanted = measure or (None if systems.stored else project.measures)
        judgements, runs, settings = inputs.read([chosen], list(wanted or MEASURES), settings, measured.ids)
        sources = {
            name: [file.source for file in some] if len(some) > 1 else some[0].source
            for name, some in systems.systems(runs).items()
        }
        found = make(
            judgements,
            sources,
            wanted,
            queries=metadata.queries(queries, columns=read.of_texts(*_TEXTS)) if queries else None,
            docs=docs,
            max_size=most,
            profiles=not no_profiles,
            command=shlex.join(["rankworth", *sys.argv[1:]]),
            profile=chosen,
            comparing=vars(paired) | {"margin": margins(paired.margin)},
            **settings,
        )
        found.save(output)
    if not quiet:
        say(f"wrote {output}")
        for sentence in found.record["verdict"]:
            say(sentence)

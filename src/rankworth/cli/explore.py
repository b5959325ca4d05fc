"""The command `explore`: a local page on which rankings are edited, and the queries of runs are looked through."""

import gc
import os
import secrets
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    CONVENTIONS,
    OTHER,
    READ,
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
)
from rankworth.cli.output import progress, put, say
from rankworth.errors import UsageError
from rankworth.io import atomic

if TYPE_CHECKING:
    from rankworth.explorer.inspector import Inspector

USAGE: Final = "Usage: rankworth explore [QRELS RUN...] [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth explore
  rankworth explore qrels.txt bm25.run dense.run --queries queries.tsv --docs corpus.jsonl
  rankworth explore qrels.txt dense.run --save-grades judged.txt"""
MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100")
_TEXTS: Final = ("query", "document", "text", "title")


def explore(
    *files: HiddenFile,
    measure: Measures = None,
    measured: MeasuredOptions = None,
    profile: ProfileName = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=CONVENTIONS)] = None,
    queries: ReadFile = None,
    docs: ReadFile = None,
    read: ReadOptions = None,
    link: Annotated[str, Parameter(name="--open", metavar="LINK", group=SHOWN)] = "",
    save_grades: Annotated[str, Parameter(metavar="FILE", group=READ)] = "",
    port: Annotated[int, Parameter(metavar="PORT", validator=Number(gte=1, lt=1 << 16), group=OTHER)] = 8123,
    no_browser: Annotated[bool, Parameter(group=OTHER)] = False,
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Take rankings apart on a local page: what each document adds, and what each change would do.

    Without files the page is a playground: rankings to begin with, which are
    edited. With QRELS and one RUN or several, as for evaluate, it also lists
    their queries, shows two runs side by side, and takes grades for unjudged
    documents. Nothing leaves this machine; Ctrl+C ends it.

    Args:
        files: Judgements and runs.
        measure: Measures, as many as wanted: nDCG@10 AP 'P(rel=2)@5'. Default: nDCG@10 RR@10 AP R@100.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        queries: File with the texts of queries, whose other columns are groups: queries.tsv, queries.jsonl, topics.
        docs: File with the texts of documents: corpus.jsonl, collection.tsv.
        read: How files are read.
        link: A link to a ranking that was copied on the page, or what follows its #.
        save_grades: File in which new grades are written, as judgements; without it nothing is written.
        port: Where the page is; where it is in use, the next one. Default: 8123.
        no_browser: Print the address and open no browser.
        quiet: Nothing on standard error but errors.

    """
    measured, read = measured or Measured(), read or Read()
    if len(files) == 1 or (not files and (queries or docs or save_grades or measure)):
        text = f"there is {files[0]} only" if files else "there are no judgements and runs"
        raise UsageError("conflicting-options", f"queries are listed for judgements and runs, and {text}", remedy=USAGE)
    if save_grades:
        exists = "it is there already, and its content would be lost" if os.path.lexists(save_grades) else ""
        if refused := exists or atomic.refusal(Path(save_grades), files):
            raise UsageError("unwritable-output", f"--save-grades {save_grades}: {refused}", remedy="name a new file")
        from rankworth.io.write import target_format  # noqa: PLC0415 - brings Polars

        try:
            target_format(save_grades, "")
        except UsageError as error:
            raise error.with_remedy("--save-grades judged.txt, .jsonl, .csv, .tsv, .json or .parquet") from None
    project = configuration.find()
    project.load(measured.plugin, quiet=quiet)
    from rankworth.explorer.link import fragment  # noqa: PLC0415 - not before the arguments are known to be sound

    opened = fragment(link)
    inspector = None
    if files:
        from rankworth.explorer.inspector import Inspector  # noqa: PLC0415 - as above
        from rankworth.io import metadata  # noqa: PLC0415 - as above
        from rankworth.judging.inputs import runs as named_runs  # noqa: PLC0415 - as above

        of_texts = read.of_texts(*_TEXTS)
        inputs = InputFiles.of(project, files[0], files[1:], (read, measured), _TEXTS, queries, docs)
        chosen, measures = measured.profile(profile), measure or project.measures or list(MEASURES)
        with progress(quiet=quiet):
            qrels, runs, settings = inputs.read([chosen], measures, measured.settings(conventions), measured.ids)
            inspector = Inspector(
                qrels,
                named_runs(runs),
                measures,
                {"rel": None, "profile": chosen, **settings},
                metadata.queries(queries, columns=of_texts) if queries else None,
                docs,
                save_grades,
            )
    serve(inspector, port=port, fragment=opened, browser=not no_browser, quiet=quiet)


def serve(inspector: "Inspector | None", *, port: int, fragment: str, browser: bool, quiet: bool) -> None:
    """Open the page and answer it until Ctrl+C.

    Args:
        inspector: the runs, where there are some.
        port: where the page is, or the next one that is free.
        fragment: what the address ends in.
        browser: whether to open the browser.
        quiet: whether the address alone is printed.

    Raises:
        UsageError: `port-in-use`.

    """
    from rankworth.explorer import server  # noqa: PLC0415 - not needed for help

    listener, token = server.listening(port), secrets.token_urlsafe(24)
    found = listener.getsockname()[1]
    address = f"http://{server.HOST}:{found}/?token={token}{fragment}"
    if found != port:
        say(f"port {port} is in use")
    gc.enable()  # the command line turns it off, and a server runs for long

    def ready() -> None:
        put(f"{address}\n".encode())
        if not quiet:
            say("Ctrl+C ends it")
        if browser:
            webbrowser.open(address)

    with listener, suppress(KeyboardInterrupt):
        server.serve(inspector, listener, token, ready)

"""The command `explore`: a local page on which rankings are edited, and the queries of runs are looked through."""

import gc
import os
import secrets
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import FLAT, OTHER, SHOWN, HiddenFile, TextOptions
from rankworth.cli.output import progress, put, say
from rankworth.errors import UsageError
from rankworth.io import atomic

if TYPE_CHECKING:
    from rankworth.explorer.inspector import Inspector

USAGE: Final = "Usage: rankworth explore [QRELS RUN...] [OPTIONS]"
MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100")


def explore(
    *files: HiddenFile,
    options: Annotated[TextOptions, FLAT] = TextOptions(),
    link: Annotated[str, Parameter(name="--open", metavar="LINK", group=SHOWN)] = "",
    save_grades: Annotated[str, Parameter(metavar="FILE", group=SHOWN)] = "",
    port: Annotated[int, Parameter(metavar="PORT", validator=Number(gte=1, lt=1 << 16), group=OTHER)] = 8123,
    no_browser: Annotated[bool, Parameter(group=OTHER)] = False,
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Inspect and edit rankings on a local page: what each document adds, and what each change would do.

    Without files the page is a playground: rankings to begin with, which are
    edited. With QRELS and one RUN or several, as for evaluate, it also lists
    their queries, shows two runs side by side, and takes grades for unjudged
    documents; without -m by nDCG@10 RR@10 AP R@100. Nothing leaves this machine;
    Ctrl+C ends it.

    Args:
        files: Judgements and runs.
        options: What is measured, and how files are read.
        link: A link to a ranking that was copied on the page, or what follows its #.
        save_grades: File in which new grades are written, as judgements; without it nothing is written.
        port: Where the page is; where it is in use, the next one. Default: 8123.
        no_browser: Print the address and open no browser.
        quiet: Nothing on standard error but errors.

    Examples:
        rankworth explore
        rankworth explore qrels.txt bm25.run dense.run --queries queries.tsv --docs corpus.jsonl
        rankworth explore qrels.txt dense.run --save-grades judged.txt

    """
    measured, read = options.measured, options.read
    if len(files) == 1 or (not files and (read.queries or read.docs or save_grades or measured.measure)):
        text = f"there is {files[0]} only" if files else "there are no judgements and runs"
        raise UsageError("conflicting-options", f"queries are listed for judgements and runs, and {text}", remedy=USAGE)
    if save_grades:
        if os.path.lexists(save_grades):
            text = f"--save-grades {save_grades}: it is there already, and its content would be lost"
            raise UsageError("unwritable-output", text, remedy="name a new file")
        atomic.refuse(save_grades, files)
        from rankworth.io.write import target_format  # noqa: PLC0415 - brings Polars

        target_format(save_grades, "")
    project = configuration.find(measured.plugin, quiet=quiet)
    from rankworth.explorer.link import fragment  # noqa: PLC0415 - not before the arguments are known to be sound

    opened = fragment(link)
    inspector = None
    if files:
        from rankworth.explorer.inspector import Inspector  # noqa: PLC0415 - as above
        from rankworth.scoring.inputs import runs as named_runs  # noqa: PLC0415 - as above

        inputs = InputFiles.of(project, options, files[0], files[1:], read.docs)
        measures = measured.measure or project.measures or list(MEASURES)
        with progress(quiet=quiet):
            qrels, runs, settings = inputs.read(measures)
            settings.pop("queries")
            settings = {"rel": None, **settings}
            inspector = Inspector(qrels, named_runs(runs), measures, settings, options.table(), read.docs, save_grades)
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
    bound_port = listener.getsockname()[1]
    address = f"http://{server.HOST}:{bound_port}/?token={token}{fragment}"
    if bound_port != port:
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

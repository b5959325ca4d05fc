"""The command `demo`: a small test collection, measured, and what to try next."""

import warnings
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli.inputs import readable
from rankworth.cli.options import OTHER, SHOWN
from rankworth.cli.output import put, say, shows_bold, width
from rankworth.errors import RankworthWarning, UsageError
from rankworth.tables.look import Look
from rankworth.tables.show import render

USAGE: Final = "Usage: rankworth demo [FOLDER] [OPTIONS]"


def demo(
    folder: str | None = None,
    /,
    *,
    listing: Annotated[bool, Parameter(name="--list", alias="-l", group=SHOWN)] = False,
    explore: Annotated[bool, Parameter(group=SHOWN)] = False,
    no_browser: Annotated[bool, Parameter(group=OTHER)] = False,
    report: Annotated[bool, Parameter(group=SHOWN)] = False,
) -> None:
    """Write a small real test collection, evaluate its six runs, and say what to try next.

    Programmers look for names of Python's standard library, in English and Arabic.

    Args:
        folder: Where to write it. Default: ./rankworth-demo.
        listing: List its runs and queries instead; nothing is written.
        explore: Open its queries and rankings on a local page instead, see rankworth explore; nothing is written.
        no_browser: Print the address of that page and open no browser.
        report: Write report.html about two of its runs there, too, see rankworth report.

    Examples:
        rankworth demo
        rankworth demo --explore
        rankworth demo --report

    """
    from rankworth import demonstration  # noqa: PLC0415 - not needed for help

    if folder is not None and (listing or explore):
        option = "--list" if listing else "--explore"
        raise UsageError("conflicting-options", f"{option} writes nothing, and {folder} is where to write; give one")
    if explore:
        from rankworth.cli.explore import serve  # noqa: PLC0415 - not needed for help
        from rankworth.explorer.inspector import of_demo  # noqa: PLC0415 - as above

        serve(of_demo(), port=8123, fragment="", browser=not no_browser, quiet=False)
        return
    if listing:
        put(demonstration.listing().encode())
        return
    from rankworth import evaluation  # noqa: PLC0415 - not needed for help
    from rankworth.results import tables  # noqa: PLC0415 - not needed for help

    if folder == "":
        raise UsageError("unwritable-output", "an empty text names no folder", remedy="rankworth demo . writes here")
    target = Path(folder or "rankworth-demo")
    done = "wrote" if demonstration.write(target) else "already there:"
    say(f"{done} {readable(str(target))}: {demonstration.demo().title}")
    qrels, runs = demonstration.paths(target)
    if report:
        from rankworth.report import make  # noqa: PLC0415 - not needed for help

        queries, page = str(target / "queries.tsv"), target / "report.html"
        two = {name: runs[name] for name in ("bm25", "dense")}
        command = f"rankworth demo {folder or ''} --report".replace("  ", " ")
        collection = demonstration.demo()
        title = collection.title.partition(":")[0]
        made = make(
            qrels,
            two,
            queries=queries,
            docs=collection.documents,
            title=title,
            command=command,
            comparing={"by": "language"},
        )
        made.save(page)
        say(f"wrote {readable(str(page))}")
        return
    with warnings.catch_warnings(action="ignore", category=RankworthWarning):
        table = evaluation.evaluate_runs(qrels, runs)
    look = Look(width=width(), bold=shows_bold())
    tried = "\n".join(f"  # {sentence}\n  {command}\n" for sentence, command in demonstration.commands(target))
    shown = render(tables.means(table), "table", look) + "\nTry next:\n\n" + tried
    put(shown.encode("utf-8", "surrogateescape"), bold=True)

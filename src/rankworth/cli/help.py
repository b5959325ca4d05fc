"""What `--help` shows of a command: the options that most people need, by task; `--help-all` shows every option.

Options of conventions, of which there are many, are shown by `--help-conventions` alone.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, evolve
from cyclopts import App
from cyclopts.help import create_parameter_help_panel
from cyclopts.help.formatters import DefaultFormatter

from rankworth.cli.options import CONVENTIONS

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

_ALL: Final = "--help-all"
_CONVENTIONS: Final = "--help-conventions"
_USUAL: Final = ("--measure", "--profile", "--rel", "--exclude", "--queries", "--columns", "--format", "--output")
COMMON: Final[Mapping[str, frozenset[str]]] = {
    command: frozenset({*_USUAL, *options.split()})
    for command, options in {
        "evaluate": "--history --items --fail-under --interval --engine --per-query --by --bounds",
        "compare": "--baseline --all-pairs --test --margin --max-drop --noise --per-query --by",
        "explain": "--grades --missing --docs --worst --best",
        "check": "--history --docs --bounds",
        "audit": "--between",
        "judge-next": "-n --docs",
        "correlate": "--judges --method --p --k --test --per-query --by",
        "report": "--baseline --test --margin --docs --by --max-size",
        "fuse": "--method --norm --run-weights --k --like --depth --set --tune --by",
        "trace": "--by --at",
        "silence": "--wrong-answer --wrong-silence --threshold --seed",
        "convert": "--run --qrels --from --grades --ids --sources --to --lossy --quiet",
        "explore": "--docs --save-grades --open --port --no-browser",
    }.items()
}
"""the options that `--help` shows, by command; of a command that is not here it shows all"""


@define(kw_only=True)
class _CommonOptions(DefaultFormatter):
    """Shows of each group the options of these names, and arguments."""

    names: frozenset[str]

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
        """Print a group, unless nothing is left of it."""
        entries = [
            entry
            for entry in panel.entries
            if not (names := {*entry.positive_names, *entry.positive_shorts}) or names & self.names
        ]
        if entries:
            super().__call__(console, options, evolve(panel, entries=entries))


def print_help(app: App, tokens: Sequence[str]) -> None:
    """Print the help of a command.

    Args:
        app: whose command it is.
        tokens: the command, and among what follows at least one of `app.HELP`.

    """
    name = tokens[0]
    command = app[name]
    conventions = command.assemble_argument_collection().filter_by(group=CONVENTIONS)
    if _CONVENTIONS in tokens and conventions:
        panel = create_parameter_help_panel(CONVENTIONS, conventions, "plaintext")
        DefaultFormatter()(app.console, app.console.options, panel)
        return
    of_conventions = f"Ties, duplicates and other conventions: rankworth {name} {_CONVENTIONS}\n" if conventions else ""
    hint = f"All options: rankworth {name} {_ALL}\n{of_conventions}\n"
    epilogue = str(command.help_epilogue).removeprefix(hint)
    if _ALL in tokens or name not in COMMON:
        command.help_formatter, command.help_epilogue = DefaultFormatter(), epilogue
    else:
        command.help_formatter, command.help_epilogue = _CommonOptions(names=COMMON[name]), hint + epilogue
    app([name, "--help"])

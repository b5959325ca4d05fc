"""Tables of the rank of the first hit of each query, in place of judgements and runs: `--columns first-rank=COLUMN`."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rankworth.cli.inputs import named
from rankworth.cli.options import FIRST_RANK, Options
from rankworth.errors import InputError, UsageError
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.comparison.sources import System
    from rankworth.results.values import RunValues

_ABOUT_DOCUMENTS: Final = (
    *("--exact", "--tolerance", "--corrected-by", "--bounds", "--engine", "--memory-limit", "--master"),
    *("--exclude", "--history", "--items", "--expected-run", "--forbidden", "--judged-only", "--noise", "--no-leak"),
    *(
        "--qrels-columns",
        "--run-columns",
        "--qrels-format",
        "--run-format",
        "--split",
        "--names",
        "--blank",
        "--grades",
    ),
    *("--ids", "--qrels-ids", "--run-ids", "--collapse", "--cost", "second --profile"),
)
"""options that are about documents, or about judgements and runs"""


def refuse_options(options: Collection[str]) -> None:
    """Refuse options that are about documents, as no file has any.

    Raises:
        UsageError: `conflicting-options`.

    """
    for option in _ABOUT_DOCUMENTS:
        if option in options:
            known = f"with --columns {FIRST_RANK}=COLUMN only the rank of the first hit is known"
            text = f"{option} is about documents, and {known}"
            raise UsageError("conflicting-options", text, remedy="leave it out, or give judgements and a run")


def refuse_unless(files: object, options: Collection[str]) -> None:
    """Refuse options that are about documents beside tables of first ranks.

    Raises:
        UsageError: `conflicting-options`.

    """
    if isinstance(files, RankFiles):
        refuse_options(options)


def proposed(path: str) -> str:
    """Write how to read a file that looks like a table of first ranks, or an empty text."""
    from rankworth.scoring import first_ranks  # noqa: PLC0415 - for a message only

    try:
        column = "" if path == STDIN else first_ranks.rank_column(path)
    except InputError:
        return ""
    if not column:
        return ""
    words = shlex.join(["rankworth", "evaluate", path, "--columns", f"{FIRST_RANK}={column}"])
    return f"if it holds the rank of the first hit of each query: {words}"


class RankFiles:
    """The tables of a command.

    Attributes:
        named: name and path of each, by which its values are called.
        paths: the files, which nothing is written to.
        columns: which columns hold what.
        options: how they are measured.
        usual: what is compared where nothing is said.

    """

    usual: Final = ("RR", "Success@1", "Success@5", "Success@10")

    def __init__(self, files: Sequence[str], columns: Mapping[str, str], options: Options) -> None:
        """Look for all files.

        Args:
            files: `NAME=FILE` or files.
            columns: which columns hold what.
            options: how they are measured.

        Raises:
            InputError: `missing-file` and so on, with all files that are not there.
            UsageError: `run-names`.

        """
        from rankworth.io.layout import QRELS  # noqa: PLC0415 - not needed for help
        from rankworth.io.options import Reading  # noqa: PLC0415 - as above
        from rankworth.io.paths import opened  # noqa: PLC0415 - as above
        from rankworth.model import stem  # noqa: PLC0415 - as above

        self.columns, self.options = columns, options
        pairs = [named(text) for text in files]
        self.named = [(name or stem(path), path) for name, path in pairs]
        self.paths = [path for _, path in pairs if path != STDIN]
        names = [name for name, _ in self.named]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise UsageError("run-names", f"two files are called {twice!r}", remedy="name them: NAME=FILE")
        errors = []
        for path in self.paths:
            try:
                opened(path, QRELS, Reading())[0].open().close()
            except InputError as error:
                errors.append(error)
        if errors:
            raise InputError.together(errors)

    def systems(self, measures: Sequence[str]) -> "list[System]":
        """Measure each table, as a system of a comparison.

        Args:
            measures: what is measured.

        Raises:
            RankworthError: as `rankworth.evaluate`.

        """
        from rankworth.comparison.sources import System  # noqa: PLC0415 - not before the arguments are sound

        measured = self.values(measures, {})
        return [System(name, (measured[name],), files=(path,)) for name, path in self.named]

    def values(self, measures: Sequence[str], slices: Mapping[str, Any]) -> "RunValues":
        """Measure each table.

        Args:
            measures: what is measured.
            slices: weights and groups of queries.

        Raises:
            RankworthError: as `rankworth.evaluate`.

        """
        from rankworth import evaluation  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.results.values import RunValues  # noqa: PLC0415 - as above

        how: dict[str, Any] = {"profile": self.options.profiles()[0], "queries": self.options.ids(), **slices}
        how |= self.options.settings() | {"columns": dict(self.columns)}
        tables = {name: evaluation.evaluate(measures=measures, first_ranks=path, **how) for name, path in self.named}
        return RunValues({name: replace(values, run=name) for name, values in tables.items()})

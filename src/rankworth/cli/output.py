"""Where a result goes: files and formats are checked before the command works, and written whole after it."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self

from rankworth.cli.terminal import put, say, say_folded, shows_bold, width
from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

if TYPE_CHECKING:
    from rankworth.tables.columns import Sheet

Format = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html"]
ROWS: Final = ("tsv", "csv", "jsonl")
"""formats that have rows and no room for anything beside them"""


PICTURES: Final = (".png", ".svg", ".pdf")


class Result(Protocol):
    """What an analysis returns, for people and for programs."""

    def sheets(self) -> "list[Sheet]":
        """Tables for people."""

    def flat(self) -> "Sheet":
        """Rows for programs."""

    def to_dict(self) -> dict[str, Any]:
        """What JSON holds."""


def rendered(result: Result, form: str, look: Look, title: str) -> bytes:
    """An analysis in one format.

    Args:
        result: what it returns.
        form: one of `Format`.
        look: digits, width, percent.
        title: of a page in HTML.

    """
    if form == "json":
        return data.document(result.to_dict()).encode()
    if form in ROWS:
        return render(result.flat(), form, look).encode()  # type: ignore[arg-type]
    return show(result.sheets(), form, look, title=title).encode()  # type: ignore[arg-type]


@dataclass(frozen=True)
class Output:
    """Files, and formats of them or of standard output.

    Attributes:
        targets: files in one of the formats.
        others: files of other kinds, such as pictures.
        form: the format of standard output, where no file is written.
        look: digits, width, percent.
        quiet: whether only errors are written to standard error.

    """

    targets: Sequence[atomic.Target]
    others: Sequence[Path]
    form: str
    look: Look
    quiet: bool

    @classmethod
    def of(
        cls,
        paths: Iterable[str] | None,
        form: Any,  # noqa: ANN401 - a literal of each command
        inputs: Sequence[str],
        look: Look,
        *,
        quiet: bool,
        what: str = "",
        others: tuple[str, ...] = (),
    ) -> Self:
        """Find the format of each file, and whether it can be written.

        Args:
            paths: the files to be written.
            form: the format that was given; None for the usual one.
            inputs: the files that are read.
            look: digits, percent; width and bold are those of the terminal, where no file is written.
            quiet: whether only errors are written to standard error.
            what: results that are not written as Parquet or in trec_eval's format, in the plural.
            others: suffixes of files of other kinds.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`.

        """
        apart = [path for path in dict.fromkeys(paths or ()) if Path(path).suffix.lower() in others]
        known = [suffix for suffix in atomic.SUFFIXES if not what or suffix != ".parquet"]
        files = [path for path in paths or () if path not in apart]
        targets = atomic.targets(files, form, inputs, (*known, *others))
        for target in targets if what else ():
            if target.form in ("parquet", "trec"):
                raise UsageError("unknown-format", f"{target.path}: {what} are not written as {target.form}")
        for path in apart:
            if refused := atomic.refusal(Path(path), inputs):
                raise UsageError("unwritable-output", f"{path}: {refused}")
        if not targets and not apart:
            look = replace(look, width=width(), bold=shows_bold())
        usual = "table" if what or (sys.stdout.isatty() and not targets) else "tsv"
        return cls(targets, [*map(Path, apart)], form or usual, look, quiet)

    @property
    def forms(self) -> tuple[str, ...]:
        """The formats that are written."""
        return tuple(dict.fromkeys(target.form for target in self.targets)) or (self.form,)

    @property
    def is_file(self) -> bool:
        """Whether files are written, and nothing to standard output."""
        return bool(self.targets or self.others)

    def write(
        self,
        content: Callable[[str, Look], bytes],
        other: Callable[[Path], bytes] = lambda _: b"",
        *,
        shown: bool = True,
    ) -> None:
        """Make all contents, then write them.

        Args:
            content: the result in a format.
            other: the content of a file of another kind.
            shown: whether standard output has the result, where no file is written.

        Raises:
            UsageError: `unwritable-output`.

        """
        wanted = self.forms if self.targets or (shown and not self.others) else ()
        made = {form: content(form, self.look) for form in wanted}
        contents = {target.path: made[target.form] for target in self.targets}
        contents |= {path: other(path) for path in self.others}
        if contents:
            atomic.write(contents)
            self.say(*(f"wrote {path}" for path in contents))
        elif shown:
            put(made[self.form], bold=self.form == "table")

    def say(self, *remarks: str) -> None:
        """Write remarks to standard error, unless only errors are wanted there."""
        for remark in () if self.quiet else remarks:
            say(remark)

    def warn_of(self, sheets: "Iterable[Sheet]") -> None:
        """Write what deserves a second look to standard error, where the format shown has no room for it."""
        if self.form in ROWS and not self.is_file:
            self.warn(text for sheet in sheets for text in sheet.defects)

    def warn(self, texts: Iterable[str]) -> None:
        """Write warnings to standard error, each once, folded on a terminal."""
        for text in () if self.quiet else dict.fromkeys(texts):
            say_folded(f"warning: {text}")

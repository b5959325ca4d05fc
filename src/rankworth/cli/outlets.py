"""Where an analysis goes that has forms and pictures: settled before the work, and done after it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from rankworth.cli.terminal import put, say, say_folded, shows_bold, width
from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.tables.look import Look
from rankworth.tables.show import Form

PICTURES: Final = (".png", ".svg", ".pdf")
_SILENT: Final = ("tsv", "csv", "jsonl")
"""forms that have no room for what deserves a second look"""


@dataclass(frozen=True)
class Outlets:
    """Files and forms.

    Attributes:
        targets: files for text.
        pictures: files for pictures.
        form: what standard output shows, where no file is written.
        look: how people want to see numbers.
        quiet: whether only errors may be said.

    """

    targets: Sequence[atomic.Target]
    pictures: Sequence[str]
    form: str
    look: Look
    quiet: bool

    @classmethod
    def of(
        cls,
        paths: Sequence[str],
        form: Form | None,
        inputs: Sequence[str],
        look: Look,
        *,
        what: str,
        quiet: bool,
    ) -> Self:
        """Settle them.

        Args:
            paths: the files to be written.
            form: the form that was asked for.
            inputs: the files that are read.
            look: how people want to see numbers.
            what: what is written, in the plural.
            quiet: whether only errors may be said.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`.

        """
        pictures = [path for path in paths if Path(path).suffix.lower() in PICTURES]
        known = [suffix for suffix in atomic.SUFFIXES if suffix != ".parquet"]
        targets = atomic.targets([path for path in paths if path not in pictures], form, inputs, (*known, *PICTURES))
        for target in targets:
            if target.form in ("parquet", "trec"):
                raise UsageError("unknown-format", f"{target.path}: {what} are not written as {target.form}")
        for path in pictures:
            if refused := atomic.refusal(Path(path), inputs):
                raise UsageError("unwritable-output", f"{path}: {refused}")
        return cls(targets, pictures, form or "table", look, quiet)

    def deliver(
        self, rendered: Callable[[str, Look], bytes], drawn: Callable[[str], bytes], defects: Iterable[str]
    ) -> None:
        """Render everything, then write everything.

        Args:
            rendered: gives the text in a form.
            drawn: gives the picture in the format of a suffix, without the point.
            defects: what deserves a second look.

        Raises:
            UsageError: `unwritable-output`; as what renders and draws.

        """
        contents = {target.path: rendered(target.form, self.look) for target in self.targets}
        contents |= {Path(path): drawn(Path(path).suffix.lower().removeprefix(".")) for path in self.pictures}
        if contents:
            atomic.write(contents)
            for path in () if self.quiet else contents:
                say(f"wrote {path}")
            return
        shown = rendered(self.form, replace(self.look, width=width(), bold=shows_bold()))
        put(shown, bold=self.form == "table")
        for text in dict.fromkeys(defects) if self.form in _SILENT and not self.quiet else ():
            say_folded(f"warning: {text}")

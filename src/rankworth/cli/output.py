"""Where results and messages go: standard output or files, written whole; everything else on standard error."""

import io
import os
import shutil
import signal
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self, get_args

from rankworth.cli.options import DisplayOptions
from rankworth.errors import RankworthWarning, UsageError, escaped, on_command_line
from rankworth.io import atomic
from rankworth.tables import data
from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look
from rankworth.tables.show import FORMATS, LONG, LONG_FILES, Form, ValueForm, show

ROWS: Final = {form for form, each in FORMATS.items() if each.holds == "rows"}
"""forms that have rows and no room for anything beside them"""
_SILENT: Final = {form for form, each in FORMATS.items() if each.holds != "tables"}
"""forms in which nobody reads what is wrong with a number"""
_UNSIGNED: Final = {form for form, each in FORMATS.items() if not each.is_signed}
"""forms that have no room for signatures"""
PICTURES: Final = (".png", ".svg", ".pdf")
_CLEAR: Final = "\r\x1b[2K"


def rendered(result: Any, form: str, look: Look, title: str) -> bytes:  # noqa: ANN401 - any analysis
    """Render an analysis in one format; `title` is that of a page in HTML."""
    if form == "json":
        return data.document(result.to_dict()).encode()
    return show([result.flat()] if form in ROWS else typed(result.sheets()), form, look, title).encode()


def in_rows(sheet: Sheet, form: str, look: Look, record: Callable[[], Mapping[str, Any]]) -> bytes:
    """Render a table of rows in a form that holds rows, or as Parquet, which keeps a record beside them."""
    if form == "parquet":
        return atomic.parquet(sheet, data.line(record()).rstrip())
    return show([sheet], form, look).encode()


@dataclass(frozen=True)
class Output:
    """Files, and formats of them or of standard output.

    Attributes:
        targets: files in one of the formats.
        extra_files: files of other kinds, such as pictures.
        form: the format of standard output, where no file is written.
        look: digits, width, percent.
        quiet: whether only errors are written to standard error.

    """

    targets: Sequence[atomic.Target]
    extra_files: Sequence[Path]
    form: str
    look: Look
    quiet: bool

    @classmethod
    def of(
        cls,
        shown: DisplayOptions,
        form: str | None,
        inputs: Sequence[str],
        *,
        percent: bool = False,
        contents: str = "",
        further_suffixes: tuple[str, ...] = PICTURES,
        further_forms: tuple[str, ...] = (),
    ) -> Self:
        """Find the format of each file, and whether it can be written.

        Args:
            shown: the files to be written, and how results are shown.
            form: the format that was named; None for the usual one.
            inputs: the files that are read.
            percent: whether shares are shown in percent.
            contents: results that are not written as Parquet or in trec_eval's format, in the plural.
            further_suffixes: suffixes of files of other kinds.
            further_forms: forms of files beside those that all results have.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`.

        """
        forms: tuple[str, ...] = (*get_args(Form if contents else ValueForm), *further_forms)
        if form == LONG:
            forms, contents = LONG_FILES, "means in long form"
        names = list(dict.fromkeys(shown.output or ()))
        apart = [Path(name) for name in names if Path(name).suffix.lower() in further_suffixes]
        suffixes = [suffix for suffix, of in atomic.SUFFIXES.items() if of in forms]
        rest = [name for name in names if Path(name) not in apart]
        targets = atomic.targets(rest, "csv" if form == LONG else form, inputs, (*suffixes, *further_suffixes))
        unsupported = [(target.path, target.form) for target in targets if target.form not in forms]
        for path, kind in unsupported + [(path, path.suffix) for path in apart if form == LONG]:
            remedy = f"use one of {' '.join(suffixes)}" if form == LONG else ""
            raise UsageError("unknown-format", f"{path}: {contents} are not written as {kind}", remedy=remedy)
        for path in apart:
            atomic.refuse(path, inputs)
        look = Look(shown.digits, percent, caption=shown.caption, label=shown.label, safe=shown.safe_csv)
        if (shown.caption or shown.label) and "latex" not in {form, *(target.form for target in targets)}:
            text = "--caption and --label belong to tables in LaTeX, and none is written"
            raise UsageError("conflicting-options", text, remedy="-f latex, or -o FILE.tex")
        if not names:
            look = replace(look, width=width(), bold=shows_bold())
        usual = "table" if contents or (sys.stdout.isatty() and not targets) else "tsv"
        return cls(targets, apart, form or usual, look, shown.quiet)

    @property
    def forms(self) -> set[str]:
        """The formats that are written."""
        return {target.form for target in self.targets} or {self.form}

    @property
    def is_long(self) -> bool:
        """Whether there is a row for each mean, whatever forms are written."""
        return self.form == LONG

    @property
    def is_file(self) -> bool:
        """Whether files are written, and nothing to standard output."""
        return bool(self.targets or self.extra_files)

    def refuse_in_long(self, *, per_query: bool, bounds: bool = False) -> None:
        """Refuse what the long form has no room for.

        Args:
            per_query: whether values of queries are asked for.
            bounds: whether bounds are asked for.

        Raises:
            UsageError: `conflicting-options`.

        """
        if self.is_long and per_query:
            text = "-f long has a row for each mean, and --per-query shows values of queries"
            raise UsageError("conflicting-options", text, remedy="give one of them; -q -f csv has a row for each query")
        if self.is_long and bounds:
            text = "low and high of -f long are the ends of intervals, and --bounds shows other ends"
            raise UsageError("conflicting-options", text, remedy="give one of them; -f csv has bounds")

    def write(self, content: Callable[[str, Look], bytes], other: Callable[[Path], bytes] = lambda _: b"") -> None:
        """Make all contents, then write them.

        Args:
            content: the result in a format.
            other: the content of a file of another kind.

        Raises:
            UsageError: `unwritable-output`.

        """
        contents = {target.path: content(target.form, self.look) for target in self.targets}
        contents |= {path: other(path) for path in self.extra_files}
        if contents:
            atomic.write(contents)
            self.say(*(f"wrote {path}" for path in contents))
        elif self.form in FORMATS:
            put(content(self.form, self.look), bold=self.form == "table")

    def write_table(
        self,
        sheet: Sheet,
        content_of: Mapping[str, Callable[[], bytes]],
        warnings: Iterable[str] = (),
        other: Callable[[Path], bytes] = lambda _: b"",
    ) -> None:
        """Write one table; what a format has no room for goes to standard error.

        Args:
            sheet: the table.
            content_of: the content in formats that are made of something else.
            warnings: sentences for standard error, whatever the format.
            other: the content of a file of another kind.

        Raises:
            UsageError: `unwritable-output`.

        """
        self.write(
            lambda form, look: content_of[form]() if form in content_of else show(typed([sheet]), form, look).encode(),
            other,
        )
        for note in sheet.notes if ROWS & self.forms and not self.quiet else ():
            say_folded(note)
        for defect in sheet.defects if _SILENT & self.forms else ():
            say(f"warning: {defect}")
        self.say(*[sheet.comment] if sheet.comment and _UNSIGNED & self.forms else ())
        self.warn(warnings)

    def say(self, *remarks: str) -> None:
        """Write remarks to standard error, unless only errors are wanted there."""
        for remark in () if self.quiet else remarks:
            say(remark)

    def warn(self, texts: Iterable[str]) -> None:
        """Write warnings to standard error, each once, folded on a terminal."""
        for text in () if self.quiet else dict.fromkeys(texts):
            say_folded(f"warning: {text}")

    def write_result(self, result: Any, title: str, other: Callable[[Path], bytes] = lambda _: b"") -> None:  # noqa: ANN401 - any analysis
        """Write an analysis; warnings that the format shown has no room for go to standard error.

        Args:
            result: the analysis.
            title: of a page in HTML.
            other: the content of a file of another kind.

        Raises:
            UsageError: `unwritable-output`.

        """
        self.write(lambda form, look: rendered(result, form, look, title), other)
        self.warn_of(result.sheets())

    def warn_of(self, sheets: Iterable[Sheet]) -> None:
        """Write warnings to standard error if the format shown has no room for them."""
        if self.form in ROWS and not self.is_file:
            self.warn(text for sheet in sheets for text in sheet.defects)


def typed(sheets: Iterable[Sheet]) -> list[Sheet]:
    """Give tables the remedies of the command line."""
    return [sheet.worded(on_command_line) for sheet in sheets]


def picture(kind: str, *arguments: Any, out: Output) -> Callable[[Path], bytes]:  # noqa: ANN401 - what the chart takes
    """Return a function that draws a result as a chart of `rankworth.plots`; its warnings go to standard error."""

    def content(path: Path) -> bytes:
        from rankworth import plots  # noqa: PLC0415 - where there is a picture

        with warnings.catch_warnings(record=True, action="always", category=RankworthWarning) as caught:
            drawn = plots.rendered(getattr(plots, kind)(*arguments), path.suffix.lower().removeprefix("."))
        out.say(*dict.fromkeys(f"warning: {warning.message}" for warning in caught))
        return drawn

    return content


def put(content: bytes, *, bold: bool = False) -> None:
    """Write a result to standard output; on a terminal, in its encoding and without control characters.

    Args:
        content: the result, in UTF-8.
        bold: whether some of it may be bold; what else would be a control character is spelled out already.

    Raises:
        UsageError: `unwritable-output`.
        BrokenPipeError: where the reader has enough.

    """
    try:
        if sys.stdout.isatty():
            text = content.decode("utf-8", "replace")
            content = (text if bold else escaped(text)).encode(sys.stdout.encoding, "replace")
        sys.stdout.flush()
        atomic.put(content, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError("unwritable-output", f"standard output: {error.strerror}") from None


def say(text: str) -> None:
    """Write a line to standard error."""
    print(escaped(on_command_line(text)), file=sys.stderr, flush=True)  # noqa: T201 - messages go through here


def say_folded(text: str) -> None:
    """Write a sentence to standard error, folded on a terminal and on one line for a program."""
    text = on_command_line(text)
    if sys.stderr.isatty():
        text = textwrap.fill(text, width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    say(text)


def width() -> int:
    """Return how many cells a line has, 40 at least; 80 where there is no terminal and COLUMNS says nothing."""
    return max(40, shutil.get_terminal_size().columns)


def shows_bold() -> bool:
    """Return whether standard output understands bold text; NO_COLOR is no matter, as no colour is ever used."""
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def replace_closed_streams() -> None:
    """Put something in place of streams that a caller has closed: results are refused, messages go nowhere."""
    if sys.stdout is None:
        closed = os.fdopen(os.open(os.devnull, os.O_RDONLY), "wb", buffering=0)  # what is read only cannot be written
        sys.stdout = io.TextIOWrapper(closed, encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process


def drop_unwritable_output() -> None:
    """Drop what cannot be written to standard output; Python would try it again as it ends, and end with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Progress:
    """Draws a line on standard error that says how far a command is: after a second, ten times a second."""

    def __init__(self) -> None:
        """Start the clock."""
        self._next = time.monotonic() + 1.0
        self.drawn = False

    def __call__(self, name: str, read: int, size: int | None) -> None:
        """Say how many bytes of a file are read; a share where its size is known."""
        share = f", {min(1.0, read / size):.0%}" if size else ""
        tail = f": {read / 1e6:,.0f} MB{share}"
        left = width() - len(f"reading {tail}") - 1
        shown = name if len(name) <= left else f"...{name[len(name) - left + 3 :]}"
        self._draw(f"reading {shown}{tail}")

    def measuring(self, done: int, total: int) -> None:
        """Say how many conventions are measured."""
        self._draw(f"measuring conventions: {done:,} of {total:,}")

    def _draw(self, text: str) -> None:
        """Draw the line, if it is time."""
        now = time.monotonic()
        if now >= self._next:
            self._next, self.drawn = now + 0.1, True
            print(f"{_CLEAR}{text}", end="", file=sys.stderr, flush=True)  # noqa: T201 - on one line


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Show on a terminal how far a command has read and measured, and print no warning, within a block.

    Results say themselves what would be a warning.

    Args:
        quiet: whether only errors are written to standard error.

    """
    if hasattr(signal, "siginterrupt"):  # Polars has system calls go on; Ctrl-C must reach a read from a silent pipe
        signal.siginterrupt(signal.SIGINT, True)
    is_shown = sys.stderr.isatty() and not quiet and os.environ.get("TERM") != "dumb"
    drawing = Progress() if is_shown else None
    try:
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            yield drawing
    finally:
        if drawing is not None and drawing.drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)  # noqa: T201 - the line that was drawn

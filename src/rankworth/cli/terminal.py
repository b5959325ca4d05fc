"""The two streams of a command: results on standard output, everything else on standard error."""

import io
import os
import shutil
import signal
import sys
import textwrap
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from rankworth.errors import RankworthWarning, UsageError, escaped

_LEAST_WIDTH: Final = 40
_CLEAR: Final = "\r\x1b[2K"


def stand_in() -> None:
    """Put something in place of the streams that a caller has closed: results are refused, messages go nowhere."""
    if sys.stdout is None:
        closed = os.fdopen(os.open(os.devnull, os.O_RDONLY), "wb", buffering=0)  # what is read only cannot be written
        sys.stdout = io.TextIOWrapper(closed, encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process


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
        rest = memoryview(content)
        while rest:  # without a buffer (PYTHONUNBUFFERED), a write may take a part only
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError("unwritable-output", f"standard output: {error.strerror}") from None


def say(text: str) -> None:
    """Write a line to standard error."""
    print(escaped(text), file=sys.stderr, flush=True)  # noqa: T201 - the one place where something is printed


def say_folded(text: str) -> None:
    """Write a sentence to standard error, in lines where a terminal shows it, in one line where a program reads it."""
    if sys.stderr.isatty():
        text = textwrap.fill(text, width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    say(text)


def width() -> int:
    """How many cells a line has; 80 where there is no terminal and COLUMNS says nothing."""
    return max(_LEAST_WIDTH, shutil.get_terminal_size().columns)


def shows_bold() -> bool:
    """Whether standard output understands bold text; NO_COLOR does not concern it, no colour is ever used."""
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


class Progress:
    """One line on standard error that says how far a file is read; appears after a second, is gone in the end."""

    def __init__(self, *, shown: bool, after: float = 1.0, every: float = 0.1) -> None:
        """Start the clock."""
        self._shown = shown and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + after
        self._every = every
        self._drawn = False

    def __call__(self, name: str, read: int, size: int | None) -> None:
        """Say how many bytes of a file are read, if it is time; a share where its size is known."""
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next = now + self._every
        self._drawn = True
        share = f", {min(1.0, read / size):.0%}" if size else ""
        tail = f": {read / 1e6:,.0f} MB{share}"
        room = width() - len("reading ") - len(tail) - 1
        shown = name if len(name) <= room else f"...{name[len(name) - room + 3 :]}"
        print(f"{_CLEAR}reading {shown}{tail}", end="", file=sys.stderr, flush=True)  # noqa: T201 - drawn on one line

    def __enter__(self) -> Self:
        """Watch the work of a block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave no trace."""
        self._shown = False
        if self._drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)  # noqa: T201 - as above


@contextmanager
def working(*, quiet: bool) -> Iterator[Progress]:
    """Within it a command works: progress shows on a terminal, and results say themselves what would be a warning.

    Args:
        quiet: whether only errors may be said.

    """
    if hasattr(signal, "siginterrupt"):  # Polars has system calls go on; Ctrl-C must reach a read from a silent pipe
        signal.siginterrupt(signal.SIGINT, True)
    with warnings.catch_warnings(), Progress(shown=sys.stderr.isatty() and not quiet) as progress:
        warnings.simplefilter("ignore", RankworthWarning)
        yield progress

"""Files written whole or not at all, and the forms of results by suffix.

A file lies under another name beside its place until it is whole. It is removed after errors, Ctrl-C and signals that
end a process; only what no process can catch leaves it behind.
"""

import os
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Final

from rankworth.errors import UsageError, escaped
from rankworth.io.source import STDIN
from rankworth.tables.columns import Sheet
from rankworth.tables.show import FORMATS

_ENDING: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_USUAL: Final = (signal.SIG_DFL, signal.default_int_handler)
"""what becomes of signals where nobody asked for anything else"""


@contextmanager
def removing(remove: Callable[[], object], numbers: Iterable[int] = _ENDING) -> Iterator[None]:
    """Remove something after a block; signals that end the process leave the block by KeyboardInterrupt first.

    Args:
        remove: removes it, once or several times.
        numbers: the signals.

    """
    here = threading.current_thread() is threading.main_thread()  # no other may set handlers
    usual = {number: handler for number in numbers if here and (handler := signal.getsignal(number)) in _USUAL}
    ended: list[int] = []

    def leave(number: int, _: FrameType | None) -> None:
        for each in usual:
            signal.signal(each, signal.SIG_IGN)
        ended.append(number)
        with suppress(OSError):  # here, since Polars may have raised KeyboardInterrupt before, and this is a second one
            remove()
        raise KeyboardInterrupt

    try:
        for number in usual:
            signal.signal(number, leave)
        yield
    finally:
        remove()
        for number, handler in usual.items():
            signal.signal(number, handler)
        if ended and ended[0] != signal.SIGINT:
            os.kill(os.getpid(), ended[0])


def put(content: bytes | memoryview, stream: IO[bytes]) -> None:
    """Write all of it; without a buffer, a write may take a part only."""
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


SUFFIXES: Final[Mapping[str, str]] = {each.suffix: form for form, each in FORMATS.items() if each.suffix}
PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Target:
    """A file to be written, and the form that its content takes."""

    path: Path
    form: str


def targets(
    paths: Iterable[str], form: str | None, inputs: Sequence[str] = (), proposed: Iterable[str] = SUFFIXES
) -> list[Target]:
    """Choose the form that each file gets: by its suffix, otherwise the one that was asked for; write nothing yet.

    Args:
        paths: the files to be written.
        form: for files whose suffix says nothing.
        inputs: files that are read and so must not be written.
        proposed: the suffixes that are named where one says nothing.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`.

    """
    targets = []
    for name in dict.fromkeys(paths):
        refuse(name, inputs)
        targets.append(Target(Path(name), form_of(name, form, SUFFIXES, proposed, "-f")))
    return targets


def form_of(name: str, form: str | None, suffixes: Mapping[str, str], proposed: Iterable[str], option: str) -> str:
    """Choose the form of a file to be written: by its suffix, otherwise `form`.

    Args:
        name: the file.
        form: for a file whose suffix says nothing.
        suffixes: what a suffix says.
        proposed: the suffixes that are named where one says nothing.
        option: what names the form instead.

    Raises:
        UsageError: `unknown-format`.

    """
    suffix = Path(name).suffix.lower()
    if suffix in PACKED:
        remedy = "compress what comes out on standard output"
        raise UsageError("unknown-format", f"{name}: compressed files are not written", remedy=remedy)
    if chosen := suffixes.get(suffix, form):
        return chosen
    cannot = f"cannot write {suffix}" if suffix else "the name has no suffix, which would say the format"
    text = f"{name}: {cannot}; use one of {' '.join(proposed)}, or name the format with {option}"
    raise UsageError("unknown-format", text)


Content = bytes | Callable[[IO[bytes]], None]
"""What a file holds, or what writes it to a file without a buffer."""


def write(contents: Mapping[Path, Content]) -> None:
    """Write all files, each of them whole; where one cannot be written, none is touched.

    What goes to standard output (`-`), a pipe or a device is kept aside until it is complete.

    Raises:
        UsageError: `unwritable-output`.
        BrokenPipeError: where the reader of standard output has enough.

    """
    path = Path()
    begun: dict[Path, tuple[IO[bytes], Path]] = {}
    try:
        with ExitStack() as stack:
            for path, content in contents.items():
                fill = partial(put, content) if isinstance(content, bytes) else content
                if str(path) == STDIN or _is_special(path):
                    _write_through(path, fill)
                    continue
                name = path.resolve().with_name(f".rankworth-{os.urandom(4).hex()}.tmp")
                stack.enter_context(removing(partial(name.unlink, missing_ok=True)))
                begun[path] = stack.enter_context(name.open("xb", buffering=0)), name
                fill(begun[path][0])
            for path, (file, name) in begun.items():
                if path.exists():
                    name.chmod(stat.S_IMODE(path.stat().st_mode))
                file.close()  # what is open cannot be moved everywhere
                name.replace(path.resolve())
    except BrokenPipeError:
        raise
    except OSError as error:
        called = "standard output" if str(path) == STDIN else path
        raise UsageError("unwritable-output", f"{called}: {error.strerror or error}") from None


def _write_through(path: Path, fill: Callable[[IO[bytes]], None]) -> None:
    """Write to standard output, a pipe or a device, which cannot be replaced, once all is complete."""
    with tempfile.TemporaryFile(buffering=0) as file:
        fill(file)
        file.seek(0)
        sys.stdout.flush()
        with nullcontext(sys.stdout.buffer) if str(path) == STDIN else path.open("wb", buffering=0) as stream:
            if stream.isatty():
                put(escaped(file.read().decode("utf-8", "replace")).encode(), stream)
            while block := file.read(_BLOCK):
                put(block, stream)
            stream.flush()


def parquet(sheet: Sheet, metadata: str) -> bytes:
    """Return the bytes of a sheet as a Parquet file.

    Args:
        sheet: what the file holds, a column for each of `Sheet.flat`.
        metadata: JSON, kept in the file under the key `rankworth`.

    """
    from io import BytesIO  # noqa: PLC0415 - with Polars, for this form only

    import polars as pl  # noqa: PLC0415 - not needed for the other forms

    from rankworth.tables.frames import typed_columns  # noqa: PLC0415 - NumPy

    target = BytesIO()
    pl.DataFrame(typed_columns(sheet)).write_parquet(target, metadata={"rankworth": metadata})
    return target.getvalue()


def refuse(path: str | Path, inputs: Sequence[str] = ()) -> None:
    """Refuse an output that cannot be written, or that is an input.

    Args:
        path: the file.
        inputs: files that are read and so must not be written.

    Raises:
        UsageError: `unwritable-output`.

    """
    if path == "":
        raise UsageError("unwritable-output", "an empty text names no file")
    if problem := _problem(Path(path), inputs):
        raise UsageError("unwritable-output", f"{path}: {problem}")


def _problem(path: Path, inputs: Sequence[str]) -> str:
    """Return why a file cannot be written; an empty text where it can."""
    try:
        if not path.parent.is_dir():
            return f"there is no folder {path.parent}"
        if path.is_dir():
            return "this is a directory, a file is needed"
        if any(_is_same(path, source) for source in inputs):
            return "this file is read, so it is not written"
        folder = path.resolve().parent
        places = [path] if _is_special(path) else [folder, path] if path.exists() else [folder]
    except (OSError, RuntimeError) as error:  # too long a name, links in a circle
        return getattr(error, "strerror", None) or str(error)
    return "" if all(os.access(target, os.W_OK) for target in places) else "writing is not permitted"


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False


def _is_special(path: Path) -> bool:
    """Return whether this is a pipe or a device, which is written to and never replaced."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)

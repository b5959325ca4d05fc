"""Files on their way: without a name until they are whole, so that nothing is left of them however a process ends.

Where the system has no files without names, a draft lies beside its place under another name. It is removed after
errors, Ctrl-C and signals that end a process; only what no process can catch leaves it behind.
"""

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Final

_OPEN: Final = Path("/proc/self/fd")
"""where Linux lists what a process has open, and so where a file without a name can be found"""
_ENDING: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_USUAL: Final = (signal.SIG_DFL, signal.default_int_handler)
"""what becomes of signals where nobody asked for anything else"""


@dataclass(frozen=True)
class Draft:
    """A file that is being written.

    Attributes:
        file: what to write to; it has no buffer, see `put`.
        target: where it belongs.
        name: what it is called until then, if it has to be called something.

    """

    file: IO[bytes]
    target: Path
    name: Path | None

    def publish(self) -> None:
        """Put it where it belongs, with the permissions that are there or would be."""
        if self.target.exists():
            os.chmod(self.name or self.file.fileno(), stat.S_IMODE(self.target.stat().st_mode))  # noqa: PTH101 - may have no path
        if self.name is not None:
            self.file.close()  # what is open cannot be moved everywhere
            self.name.replace(self.target)
            return
        with suppress(FileExistsError):
            self._link(self.target)
            return
        with _beside(self.target) as name:
            self._link(name)
            name.replace(self.target)

    def _link(self, name: Path) -> None:
        folder = os.open(name.parent, os.O_PATH)
        try:
            os.link(_OPEN / str(self.file.fileno()), name.name, dst_dir_fd=folder)
        finally:
            os.close(folder)


@contextmanager
def draft(path: Path) -> Iterator[Draft]:
    """Begin a file, which is gone after the block unless it was published.

    Raises:
        OSError: where the operating system refuses.

    """
    target = path.resolve()
    with ExitStack() as stack:
        name = None
        file = _nameless(target.parent)
        if file is None:
            name = stack.enter_context(_beside(target))
            file = name.open("xb", buffering=0)
        stack.enter_context(file)
        yield Draft(file, target, name)


def put(content: bytes | memoryview, stream: IO[bytes]) -> None:
    """Write all of it; without a buffer, a write may take a part only."""
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


def _nameless(folder: Path) -> IO[bytes] | None:
    """A file in a folder that has no name yet; None where the system or the folder does not know such files."""
    if not hasattr(os, "O_TMPFILE") or not _OPEN.is_dir():
        return None
    try:
        number = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    except OSError:  # what else is wrong with the folder comes out with a name
        return None
    return open(number, "wb", buffering=0)  # noqa: PTH123 - it has no path


class _EndedError(BaseException):
    """A signal asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Another name in the same folder, which nothing has, nor has after the block; signals leave the block first."""
    name = target.with_name(f".rankworth-{os.urandom(4).hex()}.tmp")
    here = threading.current_thread() is threading.main_thread()  # no other may set handlers
    usual = {number: handler for number in _ENDING if here and (handler := signal.getsignal(number)) in _USUAL}

    def leave(number: int, _: FrameType | None) -> None:
        for each in usual:
            signal.signal(each, signal.SIG_IGN)
        with suppress(OSError):  # here, since Polars may have raised KeyboardInterrupt before, and this is a second one
            name.unlink(missing_ok=True)
        raise KeyboardInterrupt if number == signal.SIGINT else _EndedError(number)

    ended = 0
    try:
        for number in usual:
            signal.signal(number, leave)
        yield name
    except _EndedError as error:
        ended = error.number
    finally:
        name.unlink(missing_ok=True)
        for number, handler in usual.items():
            signal.signal(number, handler)
    if ended:
        os.kill(os.getpid(), ended)

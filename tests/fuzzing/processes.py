"""Trials in processes of their own, so that one that dies, hangs or asks for too much memory is a finding like others.

`python -m fuzzing.processes READER SEED START STOP` runs some, and prints a line of JSON before and after each.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, Final

_PATIENCE: Final = 60
"""seconds that one input may take"""
_MEMORY: Final = 12 << 30
"""bytes that a process may ask for"""
_SLOW: Final = 5.0
_SHOWN: Final = 300
_KILLED: Final = -9


@dataclass(frozen=True)
class Result:
    """What came of one trial.

    Attributes:
        number: which one.
        damaged: whether the file was damaged.
        outcome: `read`, the slug of what was refused, `traceback`, or `death`.
        wrong: what is wrong with that; nothing where all is well.
        said: how the file was read.
        size: how long it is.

    """

    number: int
    damaged: bool
    outcome: str
    wrong: str = ""
    said: str = ""
    size: int = 0


def watched(
    reader: str,
    seed: int,
    start: int,
    stop: int,
    *,
    command: Sequence[str] = (sys.executable, "-m", "fuzzing.processes"),
) -> Iterator[Result]:
    """What comes of some trials; where a process ends early, another one runs the rest.

    Args:
        reader: a key of `trials.WRITERS`.
        seed: from which trials are made.
        start: the number of the first trial.
        stop: the number behind the last.
        command: what runs them.

    """
    while start < stop:
        argv = [*command, reader, str(seed), str(start), str(stop)]
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            folder = Path(__file__).parents[1]
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=folder)
            for message in _messages(process):
                if "at" in message:
                    start = message["at"]
                else:
                    start = message["number"] + 1
                    yield Result(**message)
            code = process.wait()
            errors.seek(0)
            last = errors.read().strip()[-_SHOWN:]
        if code:
            way = "hangs" if code == _KILLED else f"ends the process with {code}"
            yield Result(start, damaged=True, outcome="death", wrong=f"{way}: {last}")
            start += 1


def _messages(process: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    """What a process prints; it is stopped where nothing comes for long."""
    assert process.stdout is not None
    with process.stdout as lines:
        while True:
            timer = Timer(_PATIENCE, process.kill)
            timer.start()
            line = lines.readline()
            timer.cancel()
            if not line.endswith("\n"):
                return
            yield json.loads(line)


def run(reader: str, seed: int, start: int, stop: int) -> None:
    """Run some trials in this process."""
    from fuzzing import trials  # noqa: PLC0415 - the process that watches needs none of it

    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        path = Path(folder) / "input"
        for number in range(start, stop):
            print(json.dumps({"at": number}), flush=True)  # noqa: T201 - this is how processes talk
            trial = trials.numbered(seed, reader, number)
            said, begin = os.fstat(2).st_size, time.perf_counter()
            verdict = trials.judged(trial, path)
            seconds, wrong = time.perf_counter() - begin, verdict.wrong
            if not wrong and os.fstat(2).st_size > said:
                wrong = "something on standard error, besides the error"
            if not wrong and seconds > _SLOW:
                wrong = f"slow: it takes {seconds:.0f} s"
            size = len(trial.written.content)
            result = Result(number, trial.damaged, verdict.outcome, wrong, trial.said() if wrong else "", size)
            print(json.dumps(result.__dict__), flush=True)  # noqa: T201 - as above


def memory() -> str | None:
    """A folder in memory, where there is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - others make folders of their own in it


def _limit_memory() -> None:
    """Let a file that asks for too much end the process, and not the machine."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - Windows has none

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    _limit_memory()
    run(sys.argv[1], *map(int, sys.argv[2:]))

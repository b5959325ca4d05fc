"""Measures commands and calls against each other: interleaved rounds, medians, and ratios within a round.

Ratios are taken within a round and then summed up by their median, so that a machine that slows down for a while slows
down both sides. The peak memory of a command is that of its own process, as the kernel reports it. A child inherits the
peak of the process that starts it, so nothing heavy is imported here.
"""

import gc
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Final

PLAIN: Final = "="
_SECONDS: Final = 0.1  # below, milliseconds read better
_PACKAGES: Final = ("rankworth", "numpy", "polars", "pytrec_eval-terrier", "ir_measures", "ranx", "numba")


@dataclass(frozen=True)
class Sample:
    """What one execution took."""

    seconds: float
    """on the clock"""
    cpu: float
    """of all cores together"""
    megabytes: float | None = None
    """at most, in a process of its own"""
    output: str = ""
    """what it printed"""


Samples = Mapping[str, Sequence[Sample]]


class CommandError(Exception):
    """A command that was to be measured failed."""

    def __init__(self, argv: Sequence[str], code: int, said: str) -> None:
        """Keep the end of what it said."""
        super().__init__("\n".join([f"exit {code}: {' '.join(argv)}", *said.splitlines()[-15:]]))


def command(argv: Sequence[str]) -> Sample:
    """Run a command once, in a process of its own.

    Raises:
        CommandError: where it does not exit with 0; with the end of what it said.

    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise CommandError(argv, process.returncode, err.read() or out.read())
        return Sample(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, out.read())


def call(function: Callable[[], object], repeats: int = 1) -> Sample:
    """Call a function, after a garbage collection that is not counted; the mean of some calls in a row."""
    gc.collect()
    cpu, begin = time.process_time(), time.perf_counter()
    for _ in range(repeats):
        function()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    return Sample(seconds / repeats, cpu / repeats)


def commands(entries: Mapping[str, Sequence[str]], rounds: int, warmups: int = 1) -> dict[str, list[Sample]]:
    """Run each command once a round, after rounds that do not count (they fill the page cache and compile)."""
    return _interleave({name: partial(command, argv) for name, argv in entries.items()}, rounds, warmups)


def calls(
    entries: Mapping[str, Callable[[], object]],
    rounds: int,
    warmups: int = 1,
    repeats: int = 1,
) -> dict[str, list[Sample]]:
    """Call each function once a round, or some times in a row, after rounds that do not count."""
    bound = {name: partial(call, function, repeats) for name, function in entries.items()}
    return _interleave(bound, rounds, warmups)


def table(title: str, samples: Samples, base: str | None = None) -> str:
    """The samples as Markdown, with ratios to one of the entries (the first, where not said).

    A ratio above 1 means: takes longer, or needs more memory, than the entry that is marked `=`.
    """
    base = base or next(iter(samples))
    medians = {name: statistics.median(one.seconds for one in taken) for name, taken in samples.items()}
    unit, factor = ("s", 1.0) if min(medians.values()) >= _SECONDS else ("ms", 1e3)
    remembers = all(one.megabytes is not None for taken in samples.values() for one in taken)
    header = [title, f"median {unit}", f"min..max {unit}", f"CPU {unit}", "time ratio", "min..max"]
    header += ["peak MB", "memory ratio"] * remembers
    rows = []
    for name, taken in samples.items():
        slowness = ratios(taken, samples[base], lambda one: one.seconds)
        row = [name, rounded(medians[name] * factor), span([one.seconds * factor for one in taken])]
        row.append(rounded(statistics.median(one.cpu for one in taken) * factor))
        row += [PLAIN, ""] if name == base else [rounded(statistics.median(slowness)), span(slowness)]
        if remembers:
            growth = statistics.median(ratios(taken, samples[base], lambda one: one.megabytes or 0.0))
            row.append(f"{statistics.median(one.megabytes or 0.0 for one in taken):,.0f}")
            row.append(PLAIN if name == base else rounded(growth))
        rows.append(row)
    return grid(header, rows)


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Rows as a Markdown table whose columns are aligned in plain text, too; so many columns, the first, hold text."""
    body = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    aligns = [str.ljust if column < texts else str.rjust for column in range(len(widths))]
    lines = ["| " + " | ".join(map(lambda align, *cell: align(*cell), aligns, row, widths)) + " |" for row in body]
    dashes = ("-" * (width + 1) + ("-" if column < texts else ":") for column, width in enumerate(widths))
    rule = "|" + "|".join(dashes) + "|"
    return "\n".join([lines[0], rule, *lines[1:], ""])


def machine() -> str:
    """One paragraph on where this was measured: to be printed before and after, as the load may change."""
    versions = []
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    load = ", ".join(f"{number:.2f}" for number in os.getloadavg())
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load}"
    return f"{where}; Python {platform.python_version()}; {', '.join(versions)}\n"


def load() -> str:
    """How busy the machine is now."""
    return f"load at the end: {', '.join(f'{number:.2f}' for number in os.getloadavg())}"


def _interleave(entries: Mapping[str, Callable[[], Sample]], rounds: int, warmups: int) -> dict[str, list[Sample]]:
    """Every entry once a round, every other round in the opposite order."""
    samples: dict[str, list[Sample]] = {name: [] for name in entries}
    for number in range(-warmups, rounds):
        for name in entries if number % 2 == 0 else reversed(list(entries)):
            sample = entries[name]()
            if number >= 0:
                samples[name].append(sample)
    return samples


def ratios(taken: Sequence[Sample], base: Sequence[Sample], value: Callable[[Sample], float]) -> list[float]:
    """How often a quantity of samples is that of others, round by round."""
    return [value(one) / value(other) for one, other in zip(taken, base, strict=True)]


def span(numbers: Sequence[float]) -> str:
    """From the least to the greatest."""
    return f"{rounded(min(numbers))}..{rounded(max(numbers))}"


def rounded(value: float) -> str:
    """Three digits that count.

    >>> rounded(0.012345), rounded(1.2345), rounded(12.345), rounded(1234.5)
    ('0.0123', '1.23', '12.3', '1,234')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value < 0.1 else f"{value:#.3g}"

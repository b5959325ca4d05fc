"""What a comparison is asked to compare: systems by name, each with its run or several, and what these are for."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeGuard

from rankworth.errors import InputError, UsageError, quoted
from rankworth.model import Run, stem
from rankworth.results.file import Result
from rankworth.results.loading import is_results, load
from rankworth.results.values import RunValues, Values

Role = Literal["compared", "noise"]
"""What runs are for: to be compared, or only to tell how identical runs vary."""
NOISE: Final = "noise"
"""what tables call the runs of one unchanged system that only tell how identical runs vary"""


@dataclass(frozen=True, eq=False)
class System:
    """A system of a comparison.

    Attributes:
        name: what tables call it.
        runs: its runs, each a run of any kind, or stored values; several are folds or repetitions.
        role: what they are for.
        files: the file of each run, in the same order; empty of one that comes from none.

    """

    name: str
    runs: tuple[Any, ...]
    role: Role = "compared"
    files: tuple[str, ...] = ()

    @property
    def stored_in(self) -> set[str]:
        """The results files that its values come from."""
        return {file for file, run in zip(self.files, self.runs, strict=True) if isinstance(run, Result)}


@dataclass(frozen=True, eq=False)
class NamedFile:
    """What a file holds: a run, or stored values of several.

    Attributes:
        name: what the caller calls it; empty where nothing is said.
        path: of the file; empty where there is none.
        runs: by the names that they have themselves.

    """

    name: str
    path: str
    runs: Mapping[str, Any]


def systems_of(sources: Mapping[str, object] | Sequence[object], noise: Sequence[object] | None = None) -> list[System]:
    """Name the runs of each system, and read results files.

    Args:
        sources: by name a run, or several as a list; or a list of files, values and systems that have names.
        noise: further runs of one unchanged system; they come last.

    Raises:
        InputError: `input-type`, `bad-results`.
        UsageError: `run-names`; `conflicting-options` for a single run of an unchanged system.

    """
    if isinstance(sources, Mapping) and not isinstance(sources, Values):
        by_name = {str(name): source if _is_several(source) else [source] for name, source in sources.items()}
        systems = [System(name, tuple(_single(part, name) for part in parts)) for name, parts in by_name.items()]
        return [*systems, *([] if noise is None else [unchanged_system(noise)])]
    if isinstance(sources, str | os.PathLike | Values) or not isinstance(sources, Iterable):
        text = f"{type(sources).__name__} is no collection of systems"
        remedy = "systems are a dict {name: run, ...} or a list of files"
        if isinstance(sources, Values):
            remedy = "values of two systems: compare(runs={name: values, ...})"
        raise InputError("input-type", text, remedy=remedy)
    made = [source for source in sources if isinstance(source, System)]
    systems = made or named_systems([_opened(source) for source in sources])
    return [*systems, *([] if noise is None else [unchanged_system(noise)])]


def named_systems(files: Sequence[NamedFile]) -> list[System]:
    """Group files by system, in order: several of one name are several runs of one system.

    A system is called what the caller or the run itself calls it, otherwise as its file; stored values beside a run of
    that name are called by their file, too.

    Raises:
        UsageError: `run-names`.

    """
    rows = [(file, file.name or name or stem(file.path), run) for file in files for name, run in file.runs.items()]
    labels = [label for _, label, _ in rows]
    grouped: dict[str, list[tuple[NamedFile, Any]]] = {}
    for file, label, run in rows:
        if not label:
            remedy = "name them: {name: run, ...}, on the command line NAME=FILE"
            raise UsageError("run-names", "a run that is not a file needs a name", remedy=remedy)
        is_double = isinstance(run, Result) and file.path and not file.name and labels.count(label) > 1
        grouped.setdefault(f"{label} ({stem(file.path)})" if is_double else label, []).append((file, run))
    for name, group in grouped.items():
        if len(group) > 1 and not all(file.name for file, _ in group):
            raise _of_one_name(name, [file.path for file, _ in group])
    return [
        System(name, tuple(run for _, run in group), files=tuple(file.path for file, _ in group))
        for name, group in grouped.items()
    ]


def _of_one_name(name: str, paths: Sequence[str]) -> UsageError:
    """Return the error of runs that are not told apart by their names."""
    remedy = "name them: {name: run, ...}, on the command line NAME=FILE (several runs of one system have one NAME)"
    if not all(paths):
        return UsageError("run-names", f"{len(paths)} runs are called {name}", remedy=remedy)
    folders = [Path(path).absolute().parent.name for path in paths]
    names = folders if len({*folders}) == len(paths) else [name] * len(paths)
    typed = " ".join(shlex.quote(f"{label}={path}") for label, path in zip(names, paths, strict=True))
    text = f"{len(paths)} runs are called {name}: {quoted(paths)}"
    return UsageError("run-names", text, remedy=f"{remedy}, as in {typed}")


def unchanged_system(sources: object) -> System:
    """Return the runs of one unchanged system; each run of a results file is one of them.

    Raises:
        InputError: `input-type`, `bad-results`.
        UsageError: `conflicting-options` for fewer than two.

    """
    if isinstance(sources, str | os.PathLike | RunValues):
        sources = list(sources.values()) if isinstance(sources, RunValues) else [sources]
    if not _is_several(sources):
        text = f"{type(sources).__name__} is no list of runs"
        raise InputError("input-type", text, remedy="noise is a list of runs of one unchanged system: [run, run, ...]")
    runs = [run for source in sources for run in _opened(source).runs.values()]
    if len(runs) < 2:  # noqa: PLR2004 - one run varies from nothing
        text = "--noise (noise=) has one run, and it takes two at least to see how identical runs differ"
        raise UsageError(
            "conflicting-options", text, remedy="run the unchanged system again: --noise aa/1.run aa/2.run"
        )
    return System(NOISE, tuple(runs), "noise")


def _is_several(source: object) -> TypeGuard[Sequence[object]]:
    """Return whether a list is one of runs, not of rows; a dict in it is a run unless it is a row."""
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_run, source))


def _is_run(source: object) -> bool:
    if isinstance(source, str | os.PathLike | Values | Result | Run | RunValues):
        return True
    return isinstance(source, Mapping) and all(isinstance(part, Mapping | list | tuple) for part in source.values())


def _single(source: object, name: str) -> Any:  # noqa: ANN401 - a run of any kind
    """Return the only run of a source.

    Raises:
        UsageError: `run-names`.

    """
    runs = _opened(source).runs
    if len(runs) > 1:
        text = f"{source} holds {len(runs):,} runs, {quoted(runs)}, and {name} is one system"
        raise UsageError("run-names", text, remedy="give the runs that are meant: rankworth.load(FILE)[RUN]")
    return next(iter(runs.values()))


def _opened(source: object) -> NamedFile:
    """Return what a source holds: each run of a results file, or the run itself."""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return NamedFile("", path, load(source) if is_results(source) else {stem(path): source})
    if isinstance(source, Values | Result):
        return NamedFile("", getattr(source, "origin", ""), {source.run: source})
    return NamedFile("", "", {getattr(source, "name", ""): source})

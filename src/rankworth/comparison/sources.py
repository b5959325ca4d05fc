"""What a comparison is asked to compare: runs and results files, named, several of them of one system."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from rankworth.errors import InputError, UsageError, quoted
from rankworth.model import Run, stem
from rankworth.results.file import Result
from rankworth.results.loading import is_results, load
from rankworth.results.values import RunValues, Values


def named_runs(sources: Mapping[str, object] | Sequence[object]) -> dict[str, list[Any]]:
    """Name the runs of each system; read results files.

    Raises:
        InputError: `input-type`, `bad-results`.
        UsageError: `run-names`.

    """
    if isinstance(sources, Mapping) and not isinstance(sources, Values):
        by_name = {str(name): source if _is_several(source) else [source] for name, source in sources.items()}
        return {name: [_single(part, name) for part in parts] for name, parts in by_name.items()}
    if isinstance(sources, str | os.PathLike | Values) or not isinstance(sources, Iterable):
        text = f"{type(sources).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    systems: dict[str, list[Any]] = {}
    for source in sources:
        for name, run in _opened(source).items():
            if not name or name in systems:
                fact = f"two systems are called {name!r}" if name else "a run that is not a file needs a name"
                raise UsageError("run-names", fact, remedy="name them: {name: run, ...}, on the command line NAME=FILE")
            systems[name] = [run]
    return systems


def repeated_runs(sources: object) -> list[Any]:
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
    runs = [run for source in sources for run in _opened(source).values()]
    if len(runs) < 2:  # noqa: PLR2004 - one run varies from nothing
        text = "--noise (noise=) has one run, and it takes two at least to see how identical runs differ"
        raise UsageError(
            "conflicting-options", text, remedy="run the unchanged system again: --noise aa/1.run aa/2.run"
        )
    return runs


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
    runs = _opened(source)
    if len(runs) > 1:
        text = f"{source} holds {len(runs):,} runs, {quoted(runs)}, and {name} is one system"
        raise UsageError("run-names", text, remedy="give the runs that are meant: rankworth.load(FILE)[RUN]")
    return next(iter(runs.values()))


def _opened(source: object) -> dict[str, Any]:
    """Return a run by its name, or each run of a results file."""
    if isinstance(source, str | os.PathLike):
        return dict(load(source)) if is_results(source) else {stem(source): source}
    return {source.run if isinstance(source, Values | Result) else getattr(source, "name", ""): source}

"""Judgements and runs as a command line names them: files, formats, columns."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankworth.errors import InputError, UsageError
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.cli.options import Read
    from rankworth.io.lines import Layout
    from rankworth.io.reading import Blank, Reading
    from rankworth.io.shared import Columns
    from rankworth.io.source import Source
    from rankworth.model import Qrels, Run
    from rankworth.profiles import Profile


@dataclass(frozen=True)
class InputFiles:
    """What was named; all files are there, and none is read yet."""

    qrels: str
    named: Sequence[tuple[str, str]]
    """name and path of each run"""
    files: "Sequence[tuple[Source, ...]]"
    inputs: "Sequence[tuple[str, Layout, Reading]]"
    exclude: str | None
    columns: "Columns"
    blank: "Blank"

    @classmethod
    def of(
        cls,
        qrels: str,
        runs: Iterable[str],
        read: "Read",
        *,
        exclude: str | None = None,
    ) -> "InputFiles":
        """Look for all files.

        Args:
            qrels: the judgements; empty where there are none.
            runs: the runs, `NAME=FILE` or files.
            read: how they are read.
            exclude: a file with pairs to take out, or `self`.

        Raises:
            InputError, UsageError: where a file is not there, or options contradict each other; `bad-config`.

        """
        from rankworth.cli import configuration  # noqa: PLC0415 - not needed for help
        from rankworth.io.lines import QRELS, RUN  # noqa: PLC0415 - as above
        from rankworth.io.reading import Reading  # noqa: PLC0415 - as above
        from rankworth.io.shared import Columns  # noqa: PLC0415 - as above

        of_runs = [named(text) for text in runs]
        project = configuration.find(Path.cwd())
        try:
            usual = Columns(project.columns, project.qrels_columns, project.run_columns, in_shell=True)
        except UsageError as error:
            text = f"{project.folder / configuration.FILE}: [tool.rankworth] {error.problems[0].removeprefix('--')}"
            raise UsageError("bad-config", text) from None
        said = Columns(*read.named, usual=usual, in_shell=True)
        inputs = [(qrels, QRELS, Reading(read.qrels_format, said.named(QRELS), read.split))] if qrels else []
        inputs += [(path, RUN, Reading(read.run_format, said.named(RUN))) for _, path in of_runs]
        return cls(qrels, of_runs, files(inputs), inputs, exclude, said, read.blank or "unjudged")

    @cached_property
    def readings(self) -> "list[Reading]":
        """How each input is read, and after them what is excluded: with the names of columns that it has.

        Raises:
            InputError: `frame-columns` where columns are named that are not there.

        """
        if not self.columns:
            return [reading for _, _, reading in self.inputs]
        from rankworth.io import shared  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io.lines import QRELS  # noqa: PLC0415 - as above
        from rankworth.io.reading import Reading  # noqa: PLC0415 - as above
        from rankworth.io.source import Source  # noqa: PLC0415 - as above
        from rankworth.judging.exclusion import SELF  # noqa: PLC0415 - as above

        files = [(part[0], *each[1:]) for part, each in zip(self.files, self.inputs, strict=True)]
        if self.exclude not in (None, SELF):
            files.append((Source(self.exclude or ""), QRELS, Reading(columns=self.columns.named(QRELS))))
        held = [shared.of_file(*file) for file in files]
        for source, _, _ in files:
            source.close()  # there may be more files than a process may have open
        held = [replace(one, aside=number >= len(self.inputs)) for number, one in enumerate(held)]
        return [replace(file[2], columns=one) for file, one in zip(files, self.columns.split(held), strict=True)]

    @property
    def paths(self) -> list[str]:
        """All files that are read."""
        return [*(file.path for part in self.files for file in part), *filter(None, (self.exclude,))]

    def read_runs(self) -> "list[Run]":
        """The runs.

        Raises:
            InputError: where they cannot be trusted.

        """
        from rankworth.model import Run, stem  # noqa: PLC0415 - not before the arguments are known to be sound

        start = len(self.inputs) - len(self.named)
        found = zip(self.named, self.files[start:], self.readings[start : len(self.inputs)], strict=True)
        return [
            Run(list(files), readable(name or stem(path)), format=reading.format, columns=reading.columns)
            for (name, path), files, reading in found
        ]

    def read(
        self,
        profiles: "Sequence[Profile]",
        measures: Sequence[str],
        rel: float | None,
        settings: dict[str, Any],
        queries: Sequence[str] | None = None,
    ) -> "tuple[Qrels, list[Run], dict[str, Any]]":
        """The judgements, the runs, and the settings with the pairs that are excluded.

        Args:
            profiles: conventions, which say what repeated judgements become; errors are in the terms of a single one.
            measures: what is measured.
            rel: the grade from which documents are relevant.
            settings: what differs from the profiles.
            queries: those to keep; None for all.

        Raises:
            InputError: where they cannot be trusted.

        """
        from rankworth.judging.exclusion import Exclusion  # noqa: PLC0415 - not before the arguments are sound
        from rankworth.model import Qrels  # noqa: PLC0415 - as above

        policies = {each.judging.duplicate_judgements for one in profiles for each in one.ask(measures, rel=rel)}
        usual = policies.pop() if len(policies) == 1 else "error"
        judged, *others = self.readings
        try:
            qrels = Qrels(
                list(self.files[0]),
                queries=queries,
                duplicate_judgements=settings.get("duplicate_judgements", usual),
                format=judged.format,
                columns=judged.columns,
                split=judged.split,
                blank=self.blank,
            )
            runs = self.read_runs()
            if self.exclude is not None:
                names = others[-1].columns if len(others) > len(self.named) else {}
                settings = settings | {"exclude": Exclusion.of(self.exclude, names)}
        except InputError as error:
            raise (profiles[0].reworded(error) if len(profiles) == 1 else error) from None
        return qrels, runs, settings


def stdin_once(*paths: str | None) -> None:
    """Refuse standard input where it is named twice.

    Raises:
        UsageError: `one-stdin`.

    """
    if paths.count(STDIN) > 1:
        raise UsageError("one-stdin", "- is given more than once, and standard input can be read once only")


def named(text: str) -> tuple[str, str]:
    """The name, if one is given, and the path of a run: `NAME=FILE`, unless the whole of it is a file.

    Raises:
        UsageError: `run-names`.

    """
    if text == STDIN:
        return "stdin", text
    splits = [(text[:place], text[place + 1 :]) for place, character in enumerate(text) if character == "="]
    if not splits or Path(text).exists():
        return "", text
    there = [(name, path) for name, path in splits if path == STDIN or Path(path).exists()]
    name, path = (there or splits)[0]
    if not there and os.sep in name:
        return "", text
    if not name or not path:
        raise UsageError("run-names", f"{text!r}: a run is named NAME=FILE")
    return name, path


def files(inputs: "Sequence[tuple[str, Layout, Reading]]") -> "list[tuple[Source, ...]]":
    """The files that each input stands for; all that are not there are named before the first is read.

    Args:
        inputs: paths, with what they hold and what is said of them.

    Raises:
        InputError: `missing-file`, `is-directory`, `unreadable-file`.
        UsageError: `one-stdin`, `unknown-setting`.

    """
    from rankworth.io.source import opened  # noqa: PLC0415 - not needed for help

    stdin_once(*(path for path, _, _ in inputs))
    found: list[tuple[Source, ...]] = []
    errors: list[InputError] = []
    for path, layout, reading in inputs:
        try:
            found.append(opened(path, layout, reading))
            if path != STDIN and not Path(path).exists():
                found[-1][0].open().close()
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputError.together(errors)
    return found


def readable(name: str) -> str:
    """A name out of a file name as text, whatever bytes it holds and whatever the locale makes of them."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")

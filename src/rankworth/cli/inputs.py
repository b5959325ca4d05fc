"""Judgements and runs as a command line names them: files, formats, columns."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rankworth.cli import arguments
from rankworth.errors import UsageError

if TYPE_CHECKING:
    from rankworth.cli.options import Read
    from rankworth.io.formats import Layout
    from rankworth.io.reading import Blank, Reading
    from rankworth.io.shared import Columns
    from rankworth.io.source import Source
    from rankworth.judging.exclusion import Exclusion
    from rankworth.model import Qrels, Run


@dataclass(frozen=True)
class Given:
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
    ) -> "Given":
        """Look for all files.

        Args:
            qrels: the judgements; empty where there are none.
            runs: the runs, `NAME=FILE` or files.
            read: how they are read.
            exclude: a file with pairs to take out, or `self`.

        Raises:
            InputError, UsageError: as `arguments.files`, `arguments.columns` and `arguments.named`; `bad-config`.

        """
        from rankworth.cli import configuration  # noqa: PLC0415 - not needed for help
        from rankworth.io.formats import QRELS, RUN, Reading  # noqa: PLC0415 - as above
        from rankworth.io.shared import Columns  # noqa: PLC0415 - as above

        named = [arguments.named(text) for text in runs]
        project = configuration.find(Path.cwd())
        try:
            usual = Columns(project.columns, project.qrels_columns, project.run_columns, in_shell=True)
        except UsageError as error:
            text = f"{project.folder / configuration.FILE}: [tool.rankworth] {error.problems[0].removeprefix('--')}"
            raise UsageError("bad-config", text) from None
        said = Columns(*read.named, usual=usual, in_shell=True)
        inputs = [(qrels, QRELS, Reading(read.qrels_format, said.named(QRELS), read.split))] if qrels else []
        inputs += [(path, RUN, Reading(read.run_format, said.named(RUN))) for _, path in named]
        return cls(qrels, named, arguments.files(inputs), inputs, exclude, said, read.blank or "unjudged")

    @cached_property
    def readings(self) -> "list[Reading]":
        """How each input is read, and after them what is excluded: with the names of columns that it has.

        Raises:
            InputError: `frame-columns` where columns are named that are not there.

        """
        if not self.columns:
            return [reading for _, _, reading in self.inputs]
        from rankworth.io import shared  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io.formats import QRELS, Reading  # noqa: PLC0415 - as above
        from rankworth.io.source import Source  # noqa: PLC0415 - as above
        from rankworth.judging.exclusion import SELF  # noqa: PLC0415 - as above

        files = [(part[0], *each[1:]) for part, each in zip(self.files, self.inputs, strict=True)]
        if self.exclude not in (None, SELF):
            files.append((Source(self.exclude or ""), QRELS, Reading(columns=self.columns.named(QRELS))))
        held = [shared.of_file(*file) for file in files]
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
        self, queries: Sequence[str] | None, policies: Collection[str], duplicate_judgements: str | None
    ) -> "tuple[Qrels, list[Run], Exclusion | None]":
        """The judgements, the runs and what is excluded.

        Args:
            queries: those to keep; None for all.
            policies: what becomes of repeated judgements by the conventions asked for.
            duplicate_judgements: or what was said of them.

        Raises:
            InputError: where they cannot be trusted.

        """
        from rankworth.judging.exclusion import Exclusion  # noqa: PLC0415 - not before the arguments are sound
        from rankworth.model import Qrels  # noqa: PLC0415 - as above

        judged, *others = self.readings
        seen = others[-1].columns if len(others) > len(self.named) else {}
        judgements = Qrels(
            list(self.files[0]),
            queries=queries,
            duplicate_judgements=duplicate_judgements or (next(iter(policies)) if len(policies) == 1 else "error"),  # type: ignore[arg-type]
            format=judged.format,
            columns=judged.columns,
            split=judged.split,
            blank=self.blank,
        )
        return judgements, self.read_runs(), None if self.exclude is None else Exclusion.of(self.exclude, seen)


def readable(name: str) -> str:
    """A name out of a file name as text, whatever bytes it holds and whatever the locale makes of them."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")

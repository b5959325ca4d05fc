"""Judgements and runs as a command line names them: files, formats, columns."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankworth import arguments

if TYPE_CHECKING:
    from rankworth.io.formats import Layout
    from rankworth.io.reading import Reading
    from rankworth.io.sources import Source
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

    @classmethod
    def of(
        cls,
        qrels: str,
        runs: Iterable[str],
        *,
        columns: Iterable[str] = (),
        qrels_format: str = "",
        run_format: str = "",
        split: str = "",
        exclude: str | None = None,
    ) -> "Given":
        """Look for all files.

        Args:
            qrels: the judgements; empty where there are none.
            runs: the runs, `NAME=FILE` or files.
            columns: which column holds what, `WHAT=NAME`.
            qrels_format: of the judgements.
            run_format: of the runs.
            split: which judgements of a BEIR folder.
            exclude: a file with pairs to take out, or `self`.

        Raises:
            InputError, UsageError: as `arguments.files`, `arguments.columns` and `arguments.named`.

        """
        from rankworth.io.formats import QRELS, RUN, Reading  # noqa: PLC0415 - not needed for help

        named = [arguments.named(text) for text in runs]
        said = arguments.columns(columns)
        inputs = [(qrels, QRELS, Reading(qrels_format, said, split))] if qrels else []
        inputs += [(path, RUN, Reading(run_format, said)) for _, path in named]
        return cls(qrels, named, arguments.files(inputs), inputs, exclude)

    @property
    def paths(self) -> list[str]:
        """All files that are read."""
        return [*(file.path for part in self.files for file in part), *filter(None, (self.exclude,))]

    def read_runs(self) -> "list[Run]":
        """The runs, where there are no judgements.

        Raises:
            InputError: where they cannot be trusted.

        """
        from rankworth.io import shared  # noqa: PLC0415 - not before the arguments are known to be sound

        sources = [(part[0], *each[1:]) for part, each in zip(self.files, self.inputs, strict=True)]
        return list(self._runs(shared.narrowed(sources)))

    def _runs(self, readings: "Sequence[Reading]") -> "Iterator[Run]":
        """The runs as what is said of each has them read."""
        from rankworth.model import Run, stem  # noqa: PLC0415 - not before the arguments are known to be sound

        for (name, path), reading in zip(self.named, readings, strict=True):
            yield Run(path, readable(name or stem(path)), format=reading.format, columns=reading.columns)

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
        from rankworth.io import shared  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io.formats import QRELS, Reading  # noqa: PLC0415 - as above
        from rankworth.io.sources import Source  # noqa: PLC0415 - as above
        from rankworth.judging.exclusion import SELF, Exclusion  # noqa: PLC0415 - as above
        from rankworth.model import Qrels  # noqa: PLC0415 - as above

        sources = [(part[0], *each[1:]) for part, each in zip(self.files, self.inputs, strict=True)]
        if self.exclude is not None and self.exclude != SELF:
            sources.append((Source(self.exclude), QRELS, Reading(columns=self.inputs[0][2].columns)))
        judged, *ranked = shared.narrowed(sources)
        seen = ranked.pop().columns if len(ranked) > len(self.named) else {}
        judgements = Qrels(
            self.qrels,
            queries=queries,
            duplicate_judgements=duplicate_judgements or (next(iter(policies)) if len(policies) == 1 else "error"),  # type: ignore[arg-type]
            format=judged.format,
            columns=judged.columns,
            split=judged.split,
        )
        return judgements, list(self._runs(ranked)), None if self.exclude is None else Exclusion.of(self.exclude, seen)


def readable(name: str) -> str:
    """A name out of a file name as text, whatever bytes it holds and whatever the locale makes of them."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")

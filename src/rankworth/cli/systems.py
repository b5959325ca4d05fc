"""What stands on the command line of `compare`: judgements, runs and results files, and what each system is called."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from rankworth.cli.inputs import named as name_and_path
from rankworth.cli.inputs import readable
from rankworth.errors import KEEP, InputError, RankworthError, UsageError, quoted

if TYPE_CHECKING:
    from rankworth.evaluation.results_file import Result
    from rankworth.model import Run

USAGE: Final = "rankworth compare QRELS BASELINE RUN..., or results files alone"
_KEPT: Final = (".json", ".parquet")


class SystemFile(NamedTuple):
    """A run, or what was kept of one."""

    name: str
    """what the command line calls it; empty where it does not"""
    path: str
    source: Any
    """a `Run` or a `Result`"""
    label: str
    """what its file calls it"""


@dataclass(frozen=True)
class SystemFiles:
    """The files of a comparison.

    Attributes:
        qrels: the judgements; empty where there are results files only.
        files: the name, if one is given, and the path of each run and results file.
        kept: what results files hold, by path and run.

    """

    qrels: str
    files: Sequence[tuple[str, str]]
    kept: "Mapping[str, Mapping[str, Result]]"

    @classmethod
    def of(cls, files: Sequence[str], usage: str = USAGE, words: Iterable[str] = ()) -> Self:
        """Tell judgements, runs and results files apart.

        Args:
            files: what stands on the command line.
            usage: what should.
            words: options by which runs are measured.

        Raises:
            UsageError: `conflicting-options`, `run-names`.
            InputError: `missing-file` where a baseline has the suffix of results and is not there; as `results.read`.

        """
        from rankworth.evaluation.results_reading import is_results, read  # noqa: PLC0415 - not needed for help

        named = [name_and_path(text) for text in files]
        paths = [path for path in dict.fromkeys(path for _, path in named) if is_results(path)]
        qrels = "" if not files or named[0][1] in paths else files[0]
        try:
            kept = {path: read(path) for path in paths}
        except InputError as error:
            known = shlex.join(("rankworth", "evaluate", qrels or "QRELS", "RUN", *words, "-q", "-o"))
            raise error.with_remedy(error.remedy.replace(KEEP, known)) from None
        systems = named[bool(qrels) :]
        if sum(len(kept[path]) if path in kept else 1 for _, path in systems) < 2:  # noqa: PLR2004 - it takes two
            there = f"there is {systems[0][1]} only" if systems else "there is none"
            raise UsageError("conflicting-options", f"it takes two runs at least, and {there}", remedy=usage)
        baseline = systems[0][1]
        if Path(baseline).suffix in _KEPT and not Path(baseline).exists():
            run = next((path for _, path in systems[1:] if path not in kept), "RUN")
            command = shlex.join(("rankworth", "evaluate", qrels or "QRELS", run, "-q", "-o", baseline, *words))
            remedy = f"this keeps the values of a run as a baseline:\n  {command}"
            raise InputError("missing-file", f"{baseline}: there is no such file", remedy=remedy)
        measured = [path for _, path in systems if path not in kept]
        if measured and not qrels:
            text = f"{measured[0]} is to be measured, and there are no judgements: {files[0]} is a results file"
            raise UsageError("conflicting-options", text, remedy=usage)
        return cls(qrels, systems, kept)

    @property
    def measured(self) -> list[str]:
        """The paths of runs."""
        return [path for _, path in self.files if path not in self.kept]

    def measures(self) -> list[str]:
        """The measures that are compared where nobody says which: those of all results files."""
        from rankworth import comparison  # noqa: PLC0415 - not needed for help

        return comparison.kept_measures([one for runs in self.kept.values() for one in runs.values()])

    @contextmanager
    def named_in_errors(self, words: Sequence[str], queries: str | None = None) -> Iterator[None]:
        """Within it commands that errors recommend name the files that are known.

        Args:
            words: options by which runs are measured.
            queries: the file with columns of queries.

        """
        from rankworth.comparison.verdicts import renewal  # noqa: PLC0415 - not needed for help

        try:
            yield
        except RankworthError as error:
            remedy = error.remedy
            for path, results in self.kept.items() if KEEP in remedy else ():
                command = "\n  ".join(renewal(path, [*results.values()], self.qrels, self.measured, words))
                for written in (f"{KEEP} {shlex.quote(path)}", f"{KEEP} FILE"):
                    remedy = remedy.replace(written, command)
            if queries:
                remedy = remedy.replace("--queries FILE", f"--queries {shlex.quote(queries)}")
            if remedy == error.remedy:
                raise
            raise error.with_remedy(remedy) from None

    def systems(self, runs: "Iterable[Run]") -> "Systems":
        """The systems by name, in order.

        Args:
            runs: what the paths of runs hold, in order.

        Raises:
            UsageError: `run-names`.

        """
        return Systems.of(list(self._files(iter(runs))))

    def _files(self, runs: "Iterator[Run]") -> Iterator[SystemFile]:
        for name, path in self.files:
            if path in self.kept:
                if name and len(self.kept[path]) > 1:
                    text = (
                        f"{path} holds {len(self.kept[path]):,} runs, {quoted(self.kept[path])}, and {name} is one name"
                    )
                    raise UsageError("run-names", text, remedy=f"leave {name}= out: each run has a name of its own")
                for label, one in self.kept[path].items():
                    yield SystemFile(name, path, one, label)
            else:
                run = next(runs)
                yield SystemFile(name, path, run, run.name)


@dataclass(frozen=True)
class Systems:
    """The systems of a comparison: several files of one NAME are several runs of one system.

    Attributes:
        named: the files of each system.

    """

    named: Mapping[str, Sequence[SystemFile]]

    @classmethod
    def of(cls, files: Sequence[SystemFile]) -> Self:
        """Call each what the command line or its file calls it; kept values of a run beside that run by both.

        Raises:
            UsageError: `run-names`.

        """
        labels = [one.name or one.label for one in files]
        found: dict[str, list[SystemFile]] = {}
        for one in files:
            called = one.name or one.label
            if not one.name and labels.count(called) > 1 and _is_kept(one):
                called = f"{one.label} ({_stem(one.path)})"
            found.setdefault(called, []).append(one)
        for name, several in found.items():
            if len(several) > 1 and not all(one.name for one in several):
                paths = quoted([one.path for one in several])
                remedy = (
                    f"name them: NAME=FILE; several runs of one system have one NAME, as in {name}=FILE {name}=FILE"
                )
                raise UsageError("run-names", f"{len(several)} runs are called {name}: {paths}", remedy=remedy)
        return cls(found)

    def sources(self) -> dict[str, list[Any]]:
        """What `compare` takes."""
        return {name: [one.source for one in several] for name, several in self.named.items()}

    def paths(self) -> dict[str, str]:
        """The files of runs, where a system is one."""
        return {
            name: several[0].path
            for name, several in self.named.items()
            if len(several) == 1 and not _is_kept(several[0])
        }

    def kept(self, name: str) -> str:
        """The results file that a system comes from; empty where it comes from none, or from several."""
        paths = {one.path for one in self.named[name] if _is_kept(one)}
        return paths.pop() if len(paths) == 1 else ""

    def beside(self, baseline: str) -> list[str]:
        """The systems that are judged by a baseline: those of other files than its own, where there are any."""
        own = self.kept(baseline)
        others = [name for name in self.named if name != baseline]
        return [name for name in others if not own or self.kept(name) != own] or others


def _is_kept(one: SystemFile) -> bool:
    from rankworth.evaluation.results_file import Result  # noqa: PLC0415 - not needed for help

    return isinstance(one.source, Result)


def _stem(path: str) -> str:
    from rankworth.model import stem  # noqa: PLC0415 - as above

    return readable(stem(path))

"""Judgements, runs and results files as a command line names them: files, formats, columns, and names of systems."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankworth.cli.configuration import FILE, Project
from rankworth.cli.options import SEPARATOR, Options, Read, columns
from rankworth.errors import InputError, MeasureError, UsageError, quoted
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.comparison.sources import System
    from rankworth.io.column_names import Columns
    from rankworth.io.id_rules import IdRules
    from rankworth.io.layout import Layout
    from rankworth.io.options import Described, Reading
    from rankworth.io.source import Source
    from rankworth.model import Run
    from rankworth.profiles import Profile, ResolvedMeasure
    from rankworth.results.file import Result

_ONE_STDIN: Final = "name files for the others: zcat new.run.gz | rankworth evaluate qrels.txt -"
_RESULTS: Final = (".json", ".parquet")
"""suffixes of results files"""


@dataclass(frozen=True)
class InputFiles:
    """Judgements and runs; all files are there, and none is read yet.

    Attributes:
        qrels: the path of the judgements; empty where there are none.
        named: name and path of each run.
        options: what is measured, and how files are read.
        files: the files that judgements and runs stand for.
        inputs: path, layout and reading of each of them.
        paths: all files that the command reads.
        columns: which column holds what.

    """

    qrels: str
    named: Sequence[tuple[str, str]]
    options: Options
    files: "Sequence[tuple[Source, ...]]"
    inputs: "Sequence[tuple[str, Layout, Reading]]"
    paths: Sequence[str]
    columns: "Columns"

    @classmethod
    def of(
        cls,
        project: Project,
        options: Options,
        qrels: str,
        runs: Iterable[str],
        *further: str | None,
        is_exact: bool = False,
    ) -> "InputFiles":
        """Look for all files.

        Args:
            project: whose columns hold where the command names none.
            options: how they are read, and what is measured: which queries, and what is excluded.
            qrels: the judgements; empty where there are none.
            runs: the runs, `NAME=FILE` or files.
            further: further files that the command reads, where they are named.
            is_exact: whether the first run is an exact one, which stands where judgements do.

        Raises:
            InputError: `missing-file`, `is-directory`, `unreadable-file`, with all files that are not there.
            UsageError: `one-stdin`, `unknown-setting`, `run-names`, `bad-config`, `conflicting-options` where options
                are about judgements or runs and there are none.

        """
        from rankworth.io.layout import QRELS, RUN  # noqa: PLC0415 - not needed for help
        from rankworth.io.options import Reading  # noqa: PLC0415 - as above
        from rankworth.io.paths import opened  # noqa: PLC0415 - as above
        from rankworth.io.source import is_stdin  # noqa: PLC0415 - as above

        read, pairs = options.read, [named(text) for text in runs]
        read.refuse_unread(qrels=bool(qrels), runs=bool(pairs), is_exact=is_exact)
        as_given = (options.conventions or {}).get("order") == "given"
        where = _columns(project, read, as_given=as_given, is_exact=is_exact)

        def reading_of(layout: "Layout", *, is_exact: bool = False) -> "Reading":
            form = read.qrels_format if layout is QRELS or (is_exact and read.qrels_format) else read.run_format
            is_specific = bool(where.specific(layout, is_exact=is_exact))
            return Reading(form, where.named(layout, is_exact=is_exact), is_specific=is_specific)

        inputs = [(qrels, QRELS, replace(reading_of(QRELS), split=read.split))] if qrels else []
        inputs += [
            (path, RUN, reading_of(RUN, is_exact=is_exact and number == 0)) for number, (_, path) in enumerate(pairs)
        ]
        data_paths = [
            *filter(
                None, (*options.measured.files.values(), options.measured.only, read.queries, read.sources, *further)
            )
        ]
        pipes = [path for path in (*(path for path, *_ in inputs), *data_paths) if is_stdin(path)]
        if len(pipes) > 1:
            names = " and ".join(dict.fromkeys(pipes))
            both = f"{names} are both standard input" if len({*pipes}) > 1 else f"{names} is given more than once"
            raise UsageError("one-stdin", f"{both}, and standard input can be read once only", remedy=_ONE_STDIN)
        files: list[tuple[Source, ...]] = []
        errors: list[InputError] = []
        for path, layout, reading in inputs:
            try:
                files.append(opened(path, layout, reading))
                if path != STDIN and not Path(path).exists():
                    files[-1][0].open().close()
            except InputError as error:
                errors.append(error)
        if errors:
            raise InputError.together(errors)
        paths = [*(file.path for part in files for file in part), *data_paths]
        if read.names == "tag":
            from rankworth.io.trec import tag  # noqa: PLC0415 - not needed for files that name their runs

            of_runs = zip(pairs, files[-len(pairs) :], strict=True)
            pairs = [(name or tag(part[0]), path) for (name, path), part in of_runs]
        return cls(qrels, pairs, options, files, inputs, paths, where)

    @cached_property
    def readings(self) -> "list[Reading]":
        """How each input is read, and after them pairs of query and document: with the names of columns that it has.

        Raises:
            InputError: `frame-columns` where columns are named that are not there.

        """
        if not self.columns:
            return [reading for _, _, reading in self.inputs]
        from rankworth.io.column_names import of_file  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io.layout import QRELS  # noqa: PLC0415 - as above
        from rankworth.io.options import Reading  # noqa: PLC0415 - as above
        from rankworth.io.source import Source  # noqa: PLC0415 - as above

        files = [(part[0], *each[1:]) for part, each in zip(self.files, self.inputs, strict=True)]
        files += [(Source(path), QRELS, Reading(columns=self.columns.of_pairs)) for path in self.pairs.values()]
        contents = [replace(of_file(*file), aside=index >= len(self.inputs)) for index, file in enumerate(files)]
        for source, _, _ in files:
            source.close()  # there may be more files than a process may have open
        columns = self.columns.split(contents)
        for part, names, (_, layout, _) in zip(self.files, columns, self.inputs, strict=False):
            is_apart = self.columns.specific(layout) or not self.columns.both.items() <= names.items()
            for source in part if is_apart else ():
                source.columns_option = f"--{layout.option}-columns"
        return [replace(file[2], columns=names) for file, names in zip(files, columns, strict=True)]

    @property
    def pairs(self) -> dict[str, str]:
        """The files with pairs of query and document, by argument."""
        from rankworth.judging.exclusion import SELF  # noqa: PLC0415 - not needed for help

        paths = self.options.measured.files
        return {name: path for name in ("exclude", "history", "forbidden") if (path := paths[name]) not in (None, SELF)}

    def read_runs(self) -> "list[Run]":
        """Read the runs.

        Raises:
            InputError: where they cannot be trusted.

        """
        from rankworth.model import Run  # noqa: PLC0415 - not before the arguments are known to be sound

        start, runs = len(self.inputs) - len(self.named), []
        for (name, path), files, reading in zip(self.named, self.files[start:], self.readings[start:], strict=False):
            run = Run(list(files), name or stem(path), format=reading.format, columns=reading.columns)
            runs.append(run.with_ids(self.ids.of_runs(len(self.named))))
        return runs

    @cached_property
    def ids(self) -> "IdRules":
        """How documents are renamed."""
        return self.options.read.rules_for_ids()

    def read(self, measures: Sequence[str]) -> "tuple[Any, list[Run], dict[str, Any]]":
        """Read the judgements, None where there are none, the runs, and keywords of an evaluation.

        The keywords are the settings, the queries and what is excluded; the profile where there is one.

        Args:
            measures: what is measured.

        Raises:
            InputError: where they cannot be trusted.
            UsageError: `unknown-setting`, `conflicting-options`.

        """
        profiles = self.options.profiles()
        try:
            described, runs, settings = self.described()
            if described is None:
                return None, [], settings
            from rankworth.model import Qrels  # noqa: PLC0415 - not before the arguments are sound

            resolved = _resolved_by(profiles, measures, settings.get("rel"))
            policies = {each.judging.duplicate_judgements for each in resolved}
            policy = settings.get("duplicate_judgements", policies.pop() if len(policies) == 1 else "error")
            qrels = Qrels(described, queries=settings["queries"], duplicate_judgements=policy)
        except InputError as error:
            raise (profiles[0].reworded(error) if len(profiles) == 1 else error) from None
        return qrels, runs, settings

    def described(self) -> "tuple[Described | None, list[Run], dict[str, Any]]":
        """Return the judgements, which are not read yet, with the runs and the keywords as `read` gives them.

        Raises:
            InputError, UsageError: as `read`, but for what is wrong with judgements.

        """
        profiles, settings = self.options.profiles(), self.options.settings() | {"queries": self.options.ids()}
        settings |= {"profile": profiles[0]} if len(profiles) == 1 else {}
        if not self.qrels:
            return None, [], settings
        from rankworth.io.options import Described  # noqa: PLC0415 - not before the arguments are sound
        from rankworth.profiles.call_data import READERS  # noqa: PLC0415 - as above
        from rankworth.scoring.inputs import with_scored_rows  # noqa: PLC0415 - as above

        judged, *further = self.readings
        columns = dict(zip(self.pairs, (reading.columns for reading in further[len(self.named) :]), strict=False))
        for name, path in self.options.measured.files.items():
            if path is not None:
                how: dict[str, Any] = {"columns": columns[name]} if name in columns else {}
                how |= {"ids": rule} if (rule := self.ids.of_data.get(name)) is not None else {}
                settings[name] = READERS[name](path, **how)
        blank = self.options.read.blank or "unjudged"
        words = self.options.grades_by_word
        described = Described(
            list(self.files[0]), judged.columns, blank, judged.format, judged.split, words, self.ids.qrels
        )
        judgements, runs = with_scored_rows(described, self.read_runs())
        return judgements, runs, settings


def _resolved_by(profiles: "Sequence[Profile]", measures: Sequence[str], rel: float | None) -> "list[ResolvedMeasure]":
    """Resolve measures under the profiles that have them.

    Raises:
        MeasureError: the first refusal, where no profile has them.

    """
    resolved: list[ResolvedMeasure] = []
    refusals: list[MeasureError] = []
    for profile in profiles:
        try:
            resolved += profile.ask(measures, rel=rel)
        except MeasureError as error:
            refusals.append(error)
    if refusals and not resolved:
        raise refusals[0]
    return resolved


def _columns(project: Project, read: Read, *, as_given: bool, is_exact: bool = False) -> "Columns":
    """Return the names of columns by their role, as stated by the command and by the project.

    Args:
        project: whose columns hold where the command names none.
        read: how files are read.
        as_given: whether documents stand as they are given, so that runs need not have scores.
        is_exact: whether the first run is an exact one, which --qrels-columns is about.

    Raises:
        UsageError: `unknown-setting`, `bad-config`.

    """
    from rankworth.io.column_names import Columns  # noqa: PLC0415 - not needed for help

    options = {"columns": read.columns, "qrels-columns": read.qrels_columns, "run-columns": read.run_columns}
    try:
        both, of_qrels, of_runs = (project.table.get(key, {}) for key in options)
        usual = Columns(both, of_qrels, of_runs, in_shell=True)
    except UsageError as error:
        text = f"{project.folder / FILE}: [tool.rankworth] {error.problems[0].removeprefix('--')}"
        raise UsageError("bad-config", text) from None
    both, of_qrels, of_runs = (columns(texts, f"--{key}") for key, texts in options.items())
    both = {role: name for role, name in both.items() if role not in read.text_columns}
    from rankworth.io.options import cost_column  # noqa: PLC0415 - not needed for help

    costs = cost_column(read.cost)
    return Columns(both, of_qrels, of_runs, costs, usual=usual, in_shell=True, as_given=as_given, is_exact=is_exact)


def named(text: str) -> tuple[str, str]:
    """Split `NAME=FILE` into the name of a run, if it has one, and its path, unless the whole of it is a file.

    Raises:
        UsageError: `run-names`.

    """
    if "=" not in text or Path(text).exists():
        return "stdin" if text == STDIN else "", text
    parts = text.split("=")
    splits = [("=".join(parts[:index]), "=".join(parts[index:])) for index in range(1, len(parts))]
    existing = [(name, path) for name, path in splits if path == STDIN or Path(path).exists()]
    name, path = (existing or splits)[0]
    if not existing and os.sep in name:
        return "", text
    if not name or not path:
        raise UsageError("run-names", f"{text!r}: a run is named NAME=FILE")
    return readable(name), path


def runs_of_stage(stage: str) -> list[str]:
    """Return the runs of a stage: a file whose name has a comma is one, and others are split at commas.

    Raises:
        UsageError: `conflicting-options` where a comma stands between no two runs.

    """
    _, path = named(stage)
    is_file = "," in path and Path(path).exists()
    runs = [stage] if is_file or "," not in stage else stage.split(",")
    if not all(runs):
        text = f"{stage!r}: commas stand between the runs of a stage, and blanks between stages"
        raise UsageError("conflicting-options", text, remedy="without a blank: bm25.run,dense.run")
    return runs


def _is_run(path: str) -> bool:
    """Return whether a file looks like a run."""
    from rankworth.io.detect_layout import layout_of  # noqa: PLC0415 - for a message only
    from rankworth.io.layout import RUN  # noqa: PLC0415 - as above
    from rankworth.io.options import Reading  # noqa: PLC0415 - as above
    from rankworth.io.source import Source  # noqa: PLC0415 - as above

    try:
        return path != STDIN and layout_of(Source(path), Reading()) is RUN
    except InputError:
        return False


def stem(path: str) -> str:
    """Return what a file is called, without suffixes, as text, whatever bytes its name holds."""
    from rankworth import model  # noqa: PLC0415 - not needed for help

    return readable(model.stem(path))


def judge_names(files: Sequence[str]) -> list[str]:
    """Name judges as the command line does, or by their files; by their paths where files have the same name.

    Raises:
        UsageError: `run-names`.

    """
    pairs = [named(file) for file in files]
    names = [name or stem(path).removesuffix(".qrels") for name, path in pairs]
    return names if len(set(names)) == len(names) else [path for _, path in pairs]


def readable(name: str) -> str:
    """Return a name of a file as text, whatever bytes it holds and whatever the locale makes of them."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _split(files: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Split arguments at `--` into the name, if it has one, and the path of each file."""
    groups: list[list[tuple[str, str]]] = [[]]
    for text in files:
        if text == SEPARATOR:
            groups.append([])
        else:
            groups[-1].append(named(text))
    return groups


def _beginning(names: Sequence[str]) -> str:
    """Return what names begin with, without the numbers of runs."""
    return os.path.commonprefix(names).rstrip("-_.0123456789")  # noqa: RUF071 - letters are meant


def _names_of_groups(groups: Sequence[Sequence[tuple[str, str]]], sizes: Sequence[int]) -> list[str]:
    """Name systems of several runs: as typed, or by their folders, or by what the names of their files begin with.

    Args:
        groups: name, if it has one, and path of each file of each system.
        sizes: how many runs each system has; a single run has the name of its file.

    Raises:
        UsageError: `run-names`, `conflicting-options` where there is no run beside `--`.

    """
    if not all(groups):
        text = "-- stands between the runs of a system and those of the next, and there is none on one side of it"
        raise UsageError("conflicting-options", text, remedy="as in: rankworth compare QRELS old/*.run -- new/*.run")
    typed = [[*dict.fromkeys(name for name, _ in group if name)] for group in groups]
    for names in typed:
        if len(names) > 1:
            text = f"{quoted(names)} stand beside each other, as runs of one system, which has one name"
            raise UsageError("run-names", text, remedy="name them alike, or write -- between systems")
    folders = [{Path(path).parent.name for _, path in group} for group in groups]
    by_folder = [next(iter(names)) if len(names) == 1 else "" for names in folders]
    stems = [[stem(path) for _, path in group] for group in groups]
    by_file = [each[0] if len(each) == 1 else _beginning(each) for each in stems]
    for candidates in (by_folder, by_file):
        named_groups = zip(typed, by_file, candidates, sizes, strict=True)
        names = [
            readable([*names_given, name if size > 1 else file][0]) for names_given, file, name, size in named_groups
        ]
        if all(names) and len({*names}) == len(names):
            return names
    text = "the runs of the systems beside -- lie neither in folders of other names nor in files that begin otherwise"
    raise UsageError("run-names", text, remedy="name a run of each: rankworth compare QRELS old=A old=B -- new=C new=D")


@dataclass(frozen=True)
class SystemFiles:
    """The files of a comparison: judgements, runs and results files.

    Attributes:
        qrels: the judgements; empty where there are results files only.
        files: the name, if it has one, and the path of each run and results file.
        stored: what results files hold, by path and run.
        noise: name and path of each further run of one unchanged system.
        repeated: the names of systems whose results files hold a run of them each.

    """

    qrels: str
    files: Sequence[tuple[str, str]]
    stored: "Mapping[str, Mapping[str, Result]]"
    noise: Sequence[tuple[str, str]] = ()
    repeated: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        files: Sequence[str],
        usage: str,
        options: Sequence[str] = (),
        *,
        least: int = 2,
        noise: Sequence[str] = (),
    ) -> "SystemFiles":
        """Tell judgements, runs and results files apart.

        Args:
            files: the arguments of the command; `--` stands between several runs of a system and those of the next.
            usage: what they should be.
            options: options by which runs are measured.
            least: how many runs there must be.
            noise: further runs of one unchanged system.

        Raises:
            UsageError: `conflicting-options`, `run-names`.
            InputError: `missing-file` where a baseline has the suffix of results and is not there; as `load`.

        """
        from rankworth.results.loading import is_results, load  # noqa: PLC0415 - not needed for help

        groups = _split(files)
        further = [named(text) for text in noise]
        pairs = [pair for group in groups for pair in group]
        paths = dict.fromkeys(path for _, path in [*pairs, *further])
        stored = {path: load(path) for path in paths if is_results(path)}
        first = next((text for text in files if text != SEPARATOR), "")
        qrels = first if pairs and pairs[0][1] not in stored else ""
        for start in (0, bool(qrels)):
            groups = [groups[0][start:], *groups[1:]]
            groups = groups if groups[0] else groups[1:] or [[]]  # `--` ended the values of an option
        repeated: frozenset[str] = frozenset()
        if len(groups) > 1:
            sizes = [sum(len(stored.get(path, " ")) for _, path in group) for group in groups]
            names = _names_of_groups(groups, sizes)
            several = list(zip(names, groups, sizes, strict=True))
            repeated = frozenset(name for name, _, size in several if size > 1)
            groups = [group if size == 1 else [(name, path) for _, path in group] for name, group, size in several]
        systems = [pair for group in groups for pair in group]
        if sum(len(stored.get(path, " ")) for _, path in systems) < least:
            present = f"there is only {systems[0][1]}" if systems else "there is none"
            needed = "two runs are" if least > 1 else "one run is"
            text = f"at least {needed} needed; {present}"
            if qrels and _is_run(qrels):
                many = "is a run" if not systems else "are runs"
                text = f"{' and '.join([qrels, *(path for _, path in systems)])} {many}, and there are no judgements"
                usage = f"they come first: QRELS {shlex.join([qrels, *(path for _, path in systems)])}\n{usage}"
            raise UsageError("conflicting-options", text, remedy=usage)
        baseline, runs = systems[0][1], [path for _, path in systems if path not in stored]
        if Path(baseline).suffix in _RESULTS and not Path(baseline).exists():
            run = next((path for path in runs if path != baseline), "RUN")
            words = ("rankworth", "evaluate", qrels or "QRELS", run, "-q", "-o", baseline, *options)
            remedy = f"this keeps the values of a run as the baseline; name the run in use:\n  {shlex.join(words)}"
            raise InputError("missing-file", f"{baseline}: there is no such file", remedy=remedy)
        if runs and not qrels:
            text = f"{runs[0]} is to be measured, and there are no judgements: {first} is a results file"
            raise UsageError("conflicting-options", text, remedy=usage)
        return cls(qrels, systems, stored, further, repeated)

    @property
    def runs(self) -> list[str]:
        """The paths of runs, those that only tell how identical runs vary last."""
        return [path for _, path in [*self.files, *self.noise] if path not in self.stored]

    @property
    def results(self) -> "list[Result]":
        """All stored values."""
        return [result for results in self.stored.values() for result in results.values()]

    def systems(self, runs: "Iterable[Run]") -> "list[System]":
        """Return the systems, in order, and last the runs that only tell how identical runs vary.

        Args:
            runs: what the paths of runs hold, in order.

        Raises:
            UsageError: `run-names`, `conflicting-options`.

        """
        from rankworth.comparison.sources import NamedFile, named_systems, unchanged_system  # noqa: PLC0415 - not for help

        rest = iter(runs)

        def opened(name: str, path: str) -> NamedFile:
            if path not in self.stored:
                run = next(rest)
                return NamedFile(name, path, {run.name: run})
            results = self.stored[path]
            if name and len(results) > 1 and name not in self.repeated:
                text = f"{path} holds {len(results):,} runs, {quoted(results)}, and {name} is one name"
                raise UsageError("run-names", text, remedy=f"leave {name}= out: each run has a name of its own")
            return NamedFile(name, path, results)

        systems = named_systems([opened(name, path) for name, path in self.files])
        further = [run for _, path in self.noise for run in opened("", path).runs.values()]
        return [*systems, unchanged_system(further)] if self.noise else systems

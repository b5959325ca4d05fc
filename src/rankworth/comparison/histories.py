"""Results files of several days in one table: how means changed, and where they are not comparable."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from rankworth import names
from rankworth.comparison.systems import OTHER_JUDGEMENTS
from rankworth.errors import InputError, NotMeasuredError, UsageError, counted, quoted
from rankworth.measures import Fact, Measure
from rankworth.model import Digest, stem
from rankworth.profiles import Signature, combined
from rankworth.results import long
from rankworth.results.loading import StoredMeans, load_means
from rankworth.results.long import MeanRow
from rankworth.results.tables import ALL, LEVEL, SEED, whole
from rankworth.stats.samples import check_sampling
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.data import spelled
from rankworth.tables.frames import FrameLibrary, to_library

Means = Literal["means"]
_USAGE: Final = 'results files by name or as a list: history(["monday.json", "tuesday.json"])'
_WHOLE: Final = ("", ALL)
"""what rows of all queries have for a group"""
NOT_COMPARABLE: Final = "not-comparable"
"""the slug of the warning that values of two files were not measured alike"""
_EMPTY: Final = ""
"""what a table shows where a file does not have a measure"""


@dataclass(frozen=True, repr=False)
class ResultsHistory(Analysis[Means]):
    """The means of results files side by side: a row for each file and run, a column for each measure.

    Attributes:
        means: by file, by the name that tables call it, a row for each run, group and measure.
        kinds: by measure what its values are, in the order of columns.
        judgements: by file what the judgements were; None where the file does not tell.
        warnings: slug and text: where settings, queries or judgements changed from one file to the next.
        notes: which measures a file does not have, and what else must be said.

    """

    _SCHEMA: ClassVar[str] = "rankworth.history/1"
    _TABLES: ClassVar[tuple[str, ...]] = ("means",)

    means: Mapping[str, Sequence[MeanRow]]
    kinds: Mapping[str, Kind]
    judgements: Mapping[str, Digest | None]
    warnings: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """What tables call the files."""
        return tuple(self.means)

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return tuple(self.kinds)

    def flat(self, of: Means | None = None) -> Sheet:
        """Return the means in long form: `file, run, measure, mean, low, high, level, queries, signature`."""
        del of  # there is one table
        rows = [(file, row) for file, several in self.means.items() for row in several]
        return long.sheet((row for _, row in rows), self.notes, {"file": [file for file, _ in rows]})

    def to_frame(self, library: FrameLibrary = "polars", *, of: Means | None = None) -> Any:  # noqa: ANN401 - the library's own frame
        """Return the means in long form, as `Values.to_frame` has them, with the column `file` ahead.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.flat(of), library)

    def _columns(self, of: str) -> dict[str, Any]:
        del of
        return {name: cells for name, _, cells in self.flat().flat()}

    def _record(self) -> dict[str, Any]:
        digests = {file: None if digest is None else digest.sha256 for file, digest in self.judgements.items()}
        rows = [dict(zip(row, map(spelled, row.values()), strict=True)) for row in self.flat().rows()]
        return {"measures": self.measures, "judgements": digests, "means": rows}

    def sheets(self) -> list[Sheet]:
        """Return a row for each file, run and group, and a column for each measure, with intervals."""
        cells: dict[tuple[str, str, str], dict[str, MeanRow]] = {}
        for file, rows in self.means.items():
            for row in rows:
                cells.setdefault((file, row.run, row.group), {})[row.measure] = row
        files, runs, groups = zip(*cells, strict=True)
        columns = [Column("file", "text", files), Column("run", "text", runs)]
        columns += [Column("group", "text", groups)] if any(groups) else []
        for measure, kind in self.kinds.items():
            of_measure = [by_measure.get(measure) for by_measure in cells.values()]
            values = [_EMPTY if row is None else whole([row.mean], kind)[0] for row in of_measure]
            ends = [(_EMPTY, _EMPTY) if row is None or row.level is None else (row.low, row.high) for row in of_measure]
            columns.append(Column(measure, kind, values, bounds=ends if any(map(any, ends)) else ()))
        notes, rows = list(self.notes), [row for several in self.means.values() for row in several]
        if levels := sorted({row.level for row in rows if row.level is not None}):
            notes.append(f"{' and '.join(f'{100 * level:g} %' for level in levels)} intervals of the means")
        comment = combined(row.signature for row in rows if row.group in _WHOLE)
        if any(slug == NOT_COMPARABLE for slug, _ in self.warnings):
            comment = ""
            notes.append("the signature of each value stands beside it in csv, jsonl, parquet and data frames")
        return [Sheet(tuple(columns), tuple(notes), comment, self._defects)]


def history(
    files: Mapping[str, str | os.PathLike[str]] | Sequence[str | os.PathLike[str]],
    measures: Iterable[str | Measure | Fact] | str | None = None,
    *,
    level: float | None = LEVEL,
) -> ResultsHistory:
    """Put the means of results files of several days into one table.

    Values that were not measured alike are told: the signature of each stands in its row, and a warning says where
    settings, queries or judgements changed from one file to the next.

    Args:
        files: results files, as `rankworth evaluate -o FILE` and `Values.save` write them, in the order of the table; a
            dict names them, otherwise each is called by its file without the suffix.
        measures: the measures that are wanted, by any of their names; all that some file has where not said.
        level: confidence level of the intervals. They are computed where a file holds the values of queries, otherwise
            they are those that it holds; None for these alone, whatever their level.

    Returns:
        A `ResultsHistory`, which shows itself as a table; `to_frame()` has a row for each file, run and measure.

    Raises:
        InputError: `bad-results`, `older-results`, `newer-results`, `missing-file` and others as `load`.
        UsageError: `run-names` where two files have one name; `not-measured` where no file has a measure;
            `conflicting-options` where there is no file; `unknown-setting`.

    Examples:
        >>> import rankworth as rw
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     days = {day: f"{folder}/{day}.json" for day in ("monday", "tuesday")}
        ...     rw.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": ["b", "a"]}, ["RR"]).save(days["monday"])
        ...     rw.evaluate({"q1": {"a": 1, "b": 0}}, {"q1": ["a", "b"]}, ["RR"]).save(days["tuesday"])
        ...     table = rw.history(days)
        >>> table.to_frame().select("file", "measure", "mean").rows()
        [('monday', 'RR', 0.5), ('tuesday', 'RR', 1.0)]

    """
    if level is not None:
        check_sampling(level, SEED)
    stored = _loaded(_named(files), level)
    wanted = _measures(stored, measures)
    means: dict[str, tuple[MeanRow, ...]] = {}
    kinds: dict[str, Kind] = {}
    for file, of_file in stored.items():
        rows: list[MeanRow] = []
        for row in of_file.rows:
            if (name := wanted.get(Signature.parse(row.signature).measure)) is not None:
                rows.append(row._replace(measure=name))
                kinds.setdefault(name, of_file.kinds[row.measure])
        means[file] = tuple(rows)
    judgements = {file: of_file.judgements for file, of_file in stored.items()}
    return ResultsHistory(
        means,
        {name: kinds[name] for name in wanted.values()},
        judgements,
        (*_changed_settings(means), *_changed_judgements(judgements)),
        tuple(_notes(means, [*wanted.values()], judgements, level)),
    )


def _named(files: object) -> dict[str, str]:
    """Return the path of each file by its name.

    Raises:
        InputError: `input-type`.
        UsageError: as `named_files`.

    """
    if isinstance(files, str | os.PathLike):
        files = [files]
    pairs = list(files.items()) if isinstance(files, Mapping) else [("", file) for file in files]  # type: ignore[attr-defined]
    if wrong := next((path for _, path in pairs if not isinstance(path, str | os.PathLike)), None):
        raise InputError("input-type", f"{type(wrong).__name__} is no path of a results file", remedy=_USAGE)
    return named_files([(str(name), os.fspath(path)) for name, path in pairs])


def named_files(
    pairs: Sequence[tuple[str, str]], usage: str = 'history(["monday.json", "tuesday.json"])'
) -> dict[str, str]:
    """Return the path of each file by its name: the one that it was given, or its own.

    Args:
        pairs: name, if there is one, and path of each file.
        usage: what is needed, where there is none.

    Raises:
        UsageError: `run-names` where two have one name, `conflicting-options` where there is none.

    """
    named = [(name or stem(path), path) for name, path in pairs]
    if not named:
        raise UsageError("conflicting-options", "there is no results file", remedy=usage)
    for name, _ in named:
        if len(paths := [path for other, path in named if other == name]) > 1:
            raise _same_name_error(name, paths)
    return dict(named)


def _same_name_error(name: str, paths: Sequence[str]) -> UsageError:
    """Return the error for files of one name, with names that tell them apart."""
    if len({*paths}) < len(paths):
        fact = f"{quoted({*paths}, 1)} is given more than once, under one name"
        return UsageError("run-names", fact, remedy="leave it out the second time")
    folders = [Path(path).absolute().parent.name for path in paths]
    candidates = ([stem(path) for path in paths], folders, [Path(path).name for path in paths], paths)
    labels = next(each for each in candidates if len({*each}) == len(paths))
    named = " ".join(shlex.quote(f"{label}={path}") for label, path in zip(labels, paths, strict=True))
    remedy = f"name them: {dict(zip(labels, paths, strict=True))}, on the command line {named}"
    return UsageError("run-names", f"{len(paths)} results files are called {name}: {quoted(paths)}", remedy=remedy)


def _loaded(paths: Mapping[str, str], level: float | None) -> dict[str, StoredMeans]:
    """Load all files; one error names all that cannot be read.

    Raises:
        InputError: as `load_means`.

    """
    stored, errors = {}, []
    for name, path in paths.items():
        try:
            stored[name] = load_means(path, level)
        except InputError as error:
            errors.append(error)
    if errors:
        raise InputError.together(errors)
    return stored


def _measures(stored: Mapping[str, StoredMeans], measures: object) -> dict[str, str]:
    """Return what tables call the measures, by their canonical names.

    A measure is called as it was asked for; all of them as in the first file that has them. Two measures of one name
    are told apart by the canonical name of the second.

    Raises:
        UsageError: `not-measured`.
        MeasureError: where a name is none of a measure.

    """
    labels: dict[str, str] = {}
    for row in (row for of_file in stored.values() for row in of_file.rows):
        canonical = Signature.parse(row.signature).measure
        if canonical not in labels:
            labels[canonical] = canonical if row.measure in labels.values() else row.measure
    if measures is None:
        return labels
    wanted: dict[str, str] = {}
    for measure in names.several(measures):
        column = names.column_of(measure, [*labels.values()], [*labels])
        if column is None:
            again = f"rankworth evaluate QRELS RUN -m {shlex.quote(str(measure))} -q -o FILE.json"
            error = NotMeasuredError.of(measure, [*labels.values()])
            raise error.with_remedy(f"no file holds it; the next one does if it is measured: {again}")
        wanted.setdefault([*labels][column], str(measure))
    return wanted


def _changed_settings(means: Mapping[str, Sequence[MeanRow]]) -> Iterator[tuple[str, str]]:
    """Yield a warning for each way in which the values of a file are not comparable with those of the file before."""
    before: dict[str, tuple[str, dict[str, str]]] = {}  # by measure the last file that has it, and signatures by run
    changes: dict[tuple[str, str, str], dict[str, None]] = {}
    for file, rows in means.items():
        lines: dict[str, dict[str, str]] = {}
        for row in rows:
            if row.group in _WHOLE:
                lines.setdefault(row.measure, {})[row.run] = row.signature
        for measure, by_run in lines.items():
            earlier, signatures = before.get(measure, (file, by_run))
            first = next(iter(signatures.values()))
            for run, line in by_run.items():
                for difference in Signature.parse(signatures.get(run, first)).differences(Signature.parse(line)):
                    changes.setdefault((earlier, file, difference), {})[measure] = None
            before[measure] = file, by_run
    for (earlier, file, difference), measures in changes.items():
        yield NOT_COMPARABLE, f"{quoted(measures)} of {earlier} and {file}: {difference}"


def _changed_judgements(judgements: Mapping[str, Digest | None]) -> Iterator[tuple[str, str]]:
    """Yield a warning for each file whose judgements are not those of the last file that tells them."""
    before: Digest | None = None
    for file, today in judgements.items():
        if today is None:
            continue
        earlier, before = before or today, today
        if changes := earlier.changes(today, earlier.queries.keys() & today.queries.keys()):
            yield "changed-judgements", f"{file}: {OTHER_JUDGEMENTS}: {changes}"


def _notes(
    means: Mapping[str, Sequence[MeanRow]],
    measures: Sequence[str],
    judgements: Mapping[str, Digest | None],
    level: float | None,
) -> Iterator[str]:
    """Yield which measures files do not have, which of them tell no judgements, and which hold no intervals."""
    for file, rows in means.items():
        present = {row.measure for row in rows}
        if absent := [measure for measure in measures if measure not in present]:
            yield f"{file} has no {quoted(absent)}"
    untold = [file for file, digest in judgements.items() if digest is None]
    if untold and len(judgements) > 1:
        yield f"{quoted(untold)}: means alone, which do not tell whether judgements changed; evaluate -q keeps them"
    without = [file for file in untold if all(row.level is None for row in means[file])]
    if without and level is not None:
        which = f"{counted(len(without), 'file', 'files')} of means alone" if len(without) > 1 else without[0]
        yield f"{which}: no {100 * level:g} % intervals, which need the values of queries; evaluate -q keeps them"

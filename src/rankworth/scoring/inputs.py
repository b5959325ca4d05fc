"""Judgements and runs as they are handed to an evaluation: what may be given, and under which names."""

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from rankworth.errors import InputError, UsageError
from rankworth.groups import ROW_WEIGHTS
from rankworth.io import column_names, grade_words, validate
from rankworth.io.column_names import Columns
from rankworth.io.columns import NONE
from rankworth.io.detect import format_of
from rankworth.io.files import files_of
from rankworth.io.grade_words import Words
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Blank, Blanks, Described, Reading
from rankworth.io.paths import is_path
from rankworth.io.rows import is_table
from rankworth.io.score_lines import ROWS
from rankworth.io.source import STDIN, Source
from rankworth.io.training_data import is_training_data
from rankworth.io.validate import LABELS
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Row
from rankworth.model import Qrels, Run
from rankworth.scoring.counts import LONG_LIST
from rankworth.settings import DuplicateJudgements, Judging

GRADES: Final = "list-1"
"""the query that a list of grades stands for"""


class Labelled(NamedTuple):
    """Labels of items in place of judgements and a run, as `rankworth.evaluate` takes them."""

    labels: object = None
    scores: object = None
    orders: object = None
    group: object = None
    qid: object = None
    padding: object = None


def refuse_row_weights(run: object, weights: Any) -> None:  # noqa: ANN401 - whatever a program has
    """Refuse a weight for each row, which a series of pandas would otherwise give to the queries 0, 1, 2 ...

    Args:
        run: the run, of which the rows are counted where it was made of labels.
        weights: the setting of that name.

    Raises:
        UsageError: `unknown-setting`.

    """
    is_listed = isinstance(weights, Sized) and not isinstance(weights, str | Mapping)
    if not is_listed or not isinstance(run, Run) or not run.of_rows or run.frame is None:
        return
    rows = run.frame.height
    if len(weights) == rows > run.frame["query"].n_unique():
        text = f"weights: there are {len(weights):,}, as many as rows"
        raise UsageError("unknown-setting", text, remedy=ROW_WEIGHTS)


def pair(
    qrels: object,
    run: object,
    labelled: Labelled,
    grades: Words = grade_words.NONE,
    columns: Mapping[str, str] = NONE,
) -> tuple[object, object]:
    """Return what stands for the judgements and the run of one evaluation.

    Args:
        qrels: judgements; None where there are labels.
        run: a run; None where there are labels.
        labelled: the labels of items and what stands beside them.
        grades: the grades that words mean among the labels.
        columns: which column of a frame of items holds what, where their names do not tell.

    Raises:
        InputError: `input-type`, and as `labels.ranked` and `label_rows.frames`.
        UsageError: `conflicting-options`.

    """
    if labelled.labels is None and run is None and is_table(qrels) and _is_of_items(qrels, columns):
        return _of_labels(labelled._replace(labels=qrels), grades, columns)
    if labelled.labels is None:
        if name := next((name for name, value in labelled._asdict().items() if value is not None), ""):
            text = f"{name} {'belong' if name in ('scores', 'orders') else 'belongs'} to labels, and there are none"
            raise UsageError("conflicting-options", text, remedy=LABELS)
        if qrels is None or run is None:
            text = "there are no judgements: qrels=None" if qrels is None else "there is no run: run=None"
            raise InputError("input-type", text, remedy=f"give judgements and a run: evaluate(qrels, run)\n{LABELS}")
        return qrels, run
    if qrels is not None or run is not None:
        text = "labels stand instead of judgements and a run, and there is one of them, too"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    return _of_labels(labelled, grades, columns)


def _of_labels(labelled: Labelled, grades: Words, columns: Mapping[str, str]) -> tuple[object, object]:
    """Return judgements and a run of labels: of rows where groups or query ids tell queries apart, of lists otherwise.

    Raises:
        InputError, UsageError: as `pair`.

    """
    labels, scores, orders, group, qid, padding = labelled
    is_data = is_training_data(labels)
    queries = {name: value for name, value in (("group", group), ("qid", qid)) if value is not None}
    if not (is_data or queries):
        from rankworth.io.labels import of_table, ranked  # noqa: PLC0415 - not needed for files

        if (items := of_table(labels, grades, columns)) is not None:
            if scores is not None or orders is not None:
                text = "labels are a table, in which scores are a column"
                raise UsageError("conflicting-options", text, remedy="leave scores and orders out")
            from rankworth.io.label_rows import of_items  # noqa: PLC0415 - brings the data frame library

            judgements, ranking = of_items(items, padding)
            return judgements, Run.of_row_items(ranking)
        judged, run = ranked(labels, scores, orders, grades, padding)
        is_long = len(run) == 1 and not isinstance(labels, Mapping) and len(next(iter(run.values()))) >= LONG_LIST
        return judged, Run.of_row_items(run) if is_long else run
    from rankworth.io import label_rows  # noqa: PLC0415 - brings the data frame library

    if orders is not None:
        text = "orders are positions in the list of a query, and group and qid are about rows"
        raise UsageError("conflicting-options", text, remedy="give scores")
    rows = label_rows.of_data(labels) if is_data else label_rows.Rows(labels)
    if is_data and queries:
        text = f"{next(iter(queries))} tells queries apart, and so does the {type(labels).__name__}"
        raise UsageError("conflicting-options", text, remedy=f"leave {next(iter(queries))} out")
    judgements, ranking = label_rows.frames(rows._replace(scores=scores, padding=padding, **queries), grades)
    return judgements, Run.of_row_items(ranking)


def _is_of_items(frame: object, columns: Mapping[str, str]) -> bool:
    """Return whether a frame is a table of items, which is judgements and a run."""
    from rankworth.io.labels import is_item_table  # noqa: PLC0415 - not needed for files

    return is_item_table(frame, columns)


class InputOptions:
    """What a caller says of how judgements and runs are read, for all of them or for one kind."""

    def __init__(self, settings: Any) -> None:  # noqa: ANN401 - a dict, from which what is read here is taken out
        """Take the reading options out of the settings.

        Raises:
            UsageError: `unknown-setting`.

        """
        self.may_be_empty = False
        """whether a run without a row is no error"""
        both, qrels, runs = (settings.pop(name, None) or {} for name in ("columns", "qrels_columns", "run_columns"))
        self.columns = Columns(both, qrels, runs, as_given=settings.get("order") == "given") or None
        self.blank: Blank | None = settings.pop("blank", None)
        if self.blank is not None:
            Blanks(self.blank)
        self.grades = grade_words.checked(settings.pop("grades")) if isinstance(settings.get("grades"), Mapping) else {}

    def pair(self, qrels: object, run: object, labelled: Labelled) -> tuple[object, object]:
        """Return what stands for the judgements and the run, as the function `pair` does.

        Of a frame that is both, the names of columns are used up here.

        Raises:
            InputError: `frame-columns` where columns are named that the frame does not have; and as `pair`.

        """
        frame = qrels if labelled.labels is None else labelled.labels
        if self.columns is None or run is not None or not is_table(frame):
            return pair(qrels, run, labelled, self.grades)
        judged, ranked = self.split([frame], [frame])
        self.columns = None
        return pair(qrels, run, labelled, self.grades, judged | ranked)

    def read(self, qrels: Sequence[object], runs: Sequence[object]) -> tuple[list[Any], list[Any]]:
        """Prepare judgements and runs to be read; return them as they are where nothing is said of columns and grades.

        Raises:
            InputError: `frame-columns` where columns are named that are not there; and as `run`.

        """
        if len(qrels) == 1:
            [gold], runs = qrels_of_ids(qrels, runs)
            gold, runs = with_scored_rows(gold, runs, self.grades)
            qrels = [gold]
        said = {name: value for name, value in (("blank", self.blank), ("grades", self.grades)) if value}
        if self.columns is None and not said:
            return list(qrels), list(runs)
        columns = self.split(qrels, runs)
        for name, value in said.items():
            if any(isinstance(source, Qrels) for source in qrels):
                text = f"{name}={value!r} says how judgements are read, and these are read already"
                raise UsageError("conflicting-options", text, remedy=f"Qrels(source, {name}={value!r})")
        if self.grades and not qrels:
            text = f"grades={self.grades!r} says what words of judgements mean, and no judgements are read"
            raise UsageError("conflicting-options", text, remedy="leave grades out")
        judged = [
            source
            if isinstance(source, Qrels)
            else Described(
                _of_duckdb(source, names) if is_relation(source) else source,
                names,
                self.blank or "unjudged",
                grades=self.grades,
            )
            for source, names in zip(qrels, columns, strict=False)
        ]
        return judged, [
            run(source, columns=names, may_be_empty=self.may_be_empty)
            for source, names in zip(runs, columns[len(qrels) :], strict=True)
        ]

    def split(self, qrels: Sequence[object], runs: Sequence[object]) -> list[dict[str, str]]:
        """Return what is named of the columns of each of the judgements, and then of each of the runs.

        Raises:
            InputError: `frame-columns`.

        """
        sides = [*((source, QRELS) for source in qrels), *((source, RUN) for source in runs)]
        if self.columns is None:
            return [{} for _ in sides]
        return self.columns.split([_columns_of(source, layout, self.columns) for source, layout in sides])

    def read_runs(self, qrels: Sequence[object], runs: Any) -> tuple[list[Any], Any]:  # noqa: ANN401 - by name, or a list
        """Prepare judgements and several runs, as `read` does."""
        if is_path(runs) or not isinstance(runs, Mapping | list | tuple):
            return list(qrels), runs
        several = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
        judged, ranked = self.read(qrels, several)
        return judged, dict(zip(runs, ranked, strict=True)) if isinstance(runs, Mapping) else ranked


def _columns_of(source: object, layout: Layout, columns: Columns) -> column_names.Input:
    """Return the names of the columns of judgements or a run; none where they are read already.

    Raises:
        InputError: as `column_names.of_object`.

    """
    if isinstance(source, Qrels | Run):
        called = f"the {type(source).__name__}, which names its columns itself,"
        return column_names.Input(layout, called, [], is_valued=True)
    return column_names.of_object(source, layout, columns.named(layout))


def qrels_of_ids(qrels: Sequence[Any], runs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Read texts beside lists of as many rankings as the one relevant document of each query; otherwise as paths.

    Args:
        qrels: judgements.
        runs: what they belong to.

    """
    [gold] = qrels
    texts = isinstance(gold, list | tuple) and bool(gold) and all(isinstance(one, str) for one in gold)
    lists = [run for run in runs if isinstance(run, list | tuple) and run and all(isinstance(one, list) for one in run)]
    if not texts or not lists or set(map(len, lists)) != {len(gold)}:
        return qrels, runs
    named = {str(index): [text] for index, text in enumerate(gold)}
    return [named], [
        {str(index): items for index, items in enumerate(run)} if any(run is listed for listed in lists) else run
        for run in runs
    ]


def with_scored_rows(qrels: object, runs: Sequence[Any], words: Words = grade_words.NONE) -> tuple[Any, list[Any]]:
    """Return judgements and runs, in which scores without ids have become runs of the rows of the judgements.

    The learning-to-rank file is then read once, for the judgements and all runs; a pipe is opened once, too.

    Args:
        qrels: judgements.
        runs: paths, runs and whatever else is evaluated.
        words: the grades that words mean, where the judgements do not say it.

    """
    source, ranked = qrels.source if isinstance(qrels, Described) else qrels, list(runs)
    if isinstance(source, Mapping) or (labels := _file_of(source, QRELS)) is None:
        return qrels, ranked
    is_of_rows = _has_format(labels, qrels, QRELS, {}, "svmlight")
    for index, run in enumerate(runs) if is_of_rows else ():
        if (file := _file_of(run, RUN)) is None:
            continue
        if _has_format(file, run, RUN, {ROWS: "?"}, "scores"):
            from rankworth.io.svmlight import LabelRows  # noqa: PLC0415 - brings the data frame library

            rows = labels.label_rows or LabelRows(labels, qrels.grades if isinstance(qrels, Described) else words)
            labels.label_rows = file.label_rows = rows
            name = run.name if isinstance(run, Run) else ""
            ranked[index] = Run(file, name, format="scores", columns={ROWS: labels.path})
        elif is_path(run) and not _is_regular(file):
            ranked[index] = file
    if isinstance(source, Qrels):
        return qrels, ranked
    return replace(qrels, source=labels) if isinstance(qrels, Described) else labels, ranked


def _file_of(source: object, layout: Layout) -> Source | None:
    """Return the file of a path, a run or judgements; None where there is none, or several, or it is one of rows."""
    if isinstance(source, Run | Qrels):
        files = () if isinstance(source, Run) and source.of_rows else source.files
    else:
        try:
            files = files_of(source, layout, Reading())
        except InputError:  # which reading it says, after what is wrong with the call
            return None
    return files[0] if len(files) == 1 else None


def _is_regular(file: Source) -> bool:
    """Return whether a file can be opened again, which a pipe cannot."""
    return os.path.isfile(file.path)  # noqa: PTH113 - of pathlib, long names are an error


def _has_format(file: Source, source: object, layout: Layout, columns: Mapping[str, str], form: str) -> bool:
    """Return whether a file is one of a format, unless its source says another."""
    format = source.format if isinstance(source, Run | Described) else ""  # noqa: A001 - as everywhere
    try:
        is_of_form = format_of(file, layout, Reading(format, columns)) == form
    except InputError:  # as above
        return False
    if layout is RUN and _is_regular(file):
        file.close()  # there may be more files than a process may have open
    return is_of_form


def of_grades(grades: Iterable[Row], missing: Iterable[Row] = ()) -> tuple[Qrels, Run]:
    """Turn grades in rank order into judgements and a run of one query, in which documents are called by number.

    Args:
        grades: one for each retrieved document, None where nobody judged; for subtopics a list of grades.
        missing: those of judged documents that were not retrieved, which come behind the others.

    Raises:
        InputError: `bad-grade`, `empty-input`.

    """
    refuse_no_lists(grades=grades, missing=missing)
    ranked: list[Any] = [*grades]
    listed = [*ranked, *missing]
    every: list[Any] = [grade if isinstance(grade, tuple | list) else [grade] for grade in listed]
    for place, by_subtopic in enumerate(every, 1):
        for grade in by_subtopic:
            is_number = validate.is_number(grade, infinite=False) and not isinstance(grade, bool)
            if not is_number and (grade is not None or place > len(ranked)):
                remedy = "for a retrieved document that nobody judged give: None, on the command line ?\n"
                remedy += "of the missing ones leave out those that nobody judged"
                text = f"grade {place} of the list is {grade!r}; grades are finite numbers"
                raise InputError("bad-grade", text, remedy=remedy)
    if not ranked or not any(grade is not None for by_subtopic in every for grade in by_subtopic):
        text = "there is no grade in the list; where nobody judged any document of the list, nothing can be measured"
        remedy = "give a grade for each retrieved document, a number for one at least"
        raise InputError("empty-input", text, remedy=remedy)
    run = Run({GRADES: {str(rank): float(len(ranked) - rank + 1) for rank in range(1, len(ranked) + 1)}})
    if not any(isinstance(grade, tuple | list) for grade in listed):
        judged = {str(number): float(grade) for number, [grade] in enumerate(every, 1) if grade is not None}
        return Qrels({GRADES: judged}), run
    judgements: list[dict[str, Any]] = [
        {"query": GRADES, "document": str(number), "grade": float(grade), "subtopic": str(subtopic)}
        for number, of_subtopics in enumerate(every, 1)
        for subtopic, grade in enumerate(of_subtopics, 1)
        if grade is not None
    ]
    return Qrels(judgements), run


def refuse_no_lists(**lists: object) -> None:
    """Refuse grades that are no list.

    Args:
        **lists: by the name of the argument.

    Raises:
        InputError: `bad-grade`.

    """
    for name, rows in lists.items():
        if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
            text = f"{name}={rows!r} is {type(rows).__name__}, and grades are a list of numbers"
            raise InputError("bad-grade", text, remedy="best rank first: [2, 1, 0], with None for unjudged documents")


class Judgements:
    """The judgements that count under each of several settings; read once, unless some document is judged twice."""

    def __init__(
        self,
        source: object,
        queries: Iterable[object] | None,
        settings: Iterable[Judging],
        *,
        may_be_empty: bool = False,
        may_exclude_all: bool = False,
    ) -> None:
        """Read what is to be read.

        Args:
            source: whatever `Qrels` reads, or one.
            queries: the queries to keep; all where None.
            settings: what becomes of repeated judgements, by every convention that is asked for.
            may_be_empty: whether no row at all is no error.
            may_exclude_all: whether it is no error that none is left once some are excluded.

        Raises:
            InputError: where they cannot be trusted, or none is left.
            UsageError: `conflicting-options`.

        """
        self._may_exclude_all = may_exclude_all
        source = _of_duckdb(source) if is_relation(source) else source
        queries = None if queries is None else validate.ids(queries)
        self.only: frozenset[str] | None = getattr(source, "only", None) if queries is None else frozenset(queries)
        """the queries that were asked for, to which runs are restricted; None where nobody named any"""
        policies = list(dict.fromkeys(judging.duplicate_judgements for judging in settings))
        self._read: dict[DuplicateJudgements, Qrels | InputError | UsageError] = {}
        self._kept: dict[tuple[DuplicateJudgements, object], Qrels] = {}
        if len(policies) > 1 and not isinstance(source, Qrels):
            try:
                self._read = dict.fromkeys(policies, Qrels(source, queries=queries))
            except InputError as error:
                if error.slug != "duplicate-judgement":
                    raise
        for policy in (each for each in policies if each not in self._read):
            try:
                self._read[policy] = _settled(source, queries, policy)
            except (InputError, UsageError) as error:
                is_empty = may_be_empty and error.slug == "empty-input" and self.only != frozenset()
                if len(policies) == 1 and not is_empty:
                    raise
                self._read[policy] = Qrels.without_rows() if is_empty else error

    def __call__(self, judging: Judging, exclude: Exclusion | None = None) -> Qrels:
        """Return the judgements under one of the settings.

        Args:
            judging: the settings.
            exclude: the pairs that do not count.

        Raises:
            InputError: where none is left, or some are repeated and that is an error.

        """
        exclude = exclude if judging.exclude_from == "both" else None
        key = (judging.duplicate_judgements, exclude)
        if key not in self._kept:
            qrels = self._read[judging.duplicate_judgements]
            if not isinstance(qrels, Qrels):
                raise qrels
            left = qrels if exclude is None else exclude.out_of(qrels, may_be_all=self._may_exclude_all)
            self._kept[key] = left
        return self._kept[key]


def _settled(source: object, queries: Iterable[object] | None, policy: DuplicateJudgements) -> Qrels:
    """Read the judgements under one policy."""
    if isinstance(source, Qrels):
        policy = "error" if source.duplicate_judgements == "error" else policy  # nothing was repeated
        if queries is None and policy in ("error", source.duplicate_judgements):
            return source
    return Qrels(source, queries=queries, duplicate_judgements=policy)


def is_relation(source: object) -> bool:
    """Return whether something is a relation of DuckDB, which is not imported to find out."""
    engine = sys.modules.get("duckdb")
    return engine is not None and isinstance(source, engine.DuckDBPyRelation)


def _of_duckdb(relation: object, columns: Mapping[str, str] = NONE) -> object:
    """Read judgements out of a relation: the columns that count."""
    from rankworth.judging.duckdb import judgements  # noqa: PLC0415 - rarely needed

    return judgements(relation, columns)


def run(source: object, name: str = "", columns: Mapping[str, str] = NONE, *, may_be_empty: bool = False) -> Run:
    """Make one run of what stands for it.

    Args:
        source: whatever `Run` reads, or one; several paths need a name, since they could be several runs. A relation of
            DuckDB stays there.
        name: what to call it, if not by its file.
        columns: which column holds what, where its name does not tell.
        may_be_empty: whether no row at all is no error.

    Raises:
        InputError: `input-type`, and where it cannot be trusted.

    """
    if isinstance(source, Run) and not name:
        return source
    if isinstance(source, list | tuple) and len(source) > 1 and all(map(is_path, source)) and not name:
        raise InputError(
            "input-type",
            f"{len(source):,} paths could be several runs, or one run in several files",
            remedy="several runs go to evaluate_runs; a run in several files is Run([path, ...], name)",
        )
    try:
        if not is_relation(source) and not (isinstance(source, Run) and source.engine):
            return Run(source, name, columns=columns)
        from rankworth.judging.duckdb import Related  # noqa: PLC0415 - rarely needed

        return source.called(name) if isinstance(source, Related) else Related(source, name, columns=columns)
    except InputError as error:
        if not may_be_empty or error.slug != "empty-input":
            raise
        return Run.without_rows(name)


def runs(sources: Mapping[str, object] | Sequence[object], *, may_be_empty: bool = False) -> dict[str, Run]:
    """Read runs by name, in order.

    Args:
        sources: runs by name, or paths and runs, which are named by their file.
        may_be_empty: as for `run`.

    Raises:
        InputError: `input-type`, and where a run cannot be trusted.
        UsageError: `run-names`.

    """
    if isinstance(sources, Mapping):
        return {name: run(source, name, may_be_empty=may_be_empty) for name, source in sources.items()}
    if is_path(sources) or not isinstance(sources, Iterable):
        raise InputError(
            "input-type",
            f"{type(sources).__name__} is no collection of runs",
            remedy="several runs are a dict {name: run, ...} or a list of paths; one run goes to evaluate",
        )
    named: dict[str, Run] = {}
    for source in sources:
        as_run = run(source, may_be_empty=may_be_empty)
        if not as_run.name or as_run.name in named:
            raise UsageError(
                "run-names",
                f"two runs are called {as_run.name!r}" if as_run.name else "a run that is not a file needs a name",
                remedy="name them: {name: run, ...}, on the command line NAME=FILE",
            )
        named[as_run.name] = as_run
    return named


def converted(path: str, columns: Mapping[str, str]) -> str:
    """Write what helps where an engine does not read a file: a command that writes it so that it does.

    Args:
        path: the file.
        columns: which column holds what.

    """
    target = f"{Path(path).with_suffix('') if path != STDIN else 'run'}.parquet"
    said = ["--columns", *(f"{role}={name}" for role, name in columns.items())] if columns else []
    return f"leave --engine out, or write it so:\n  {shlex.join(['rankworth', 'convert', path, target, *said])}"

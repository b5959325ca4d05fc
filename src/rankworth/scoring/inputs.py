"""Judgements and runs as they are handed to an evaluation: what may be given, and under which names."""

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from rankworth.errors import InputError, UsageError
from rankworth.io import column_names, grade_words, validate
from rankworth.io.column_names import Columns
from rankworth.io.detect import format_of
from rankworth.io.files import files_of
from rankworth.io.grade_words import Words
from rankworth.io.id_rules import NO_RULES, OPTIONS, IdRule, IdRules
from rankworth.io.kinds import is_table
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.looks import Looks
from rankworth.io.options import Blank, Blanks, Described, Reading, cost_column
from rankworth.io.paths import are_ids, is_path, refuse_ids
from rankworth.io.score_lines import ROWS
from rankworth.io.source import STDIN, Source
from rankworth.io.usual_names import NONE
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Row
from rankworth.model import Qrels, Run
from rankworth.profiles.call_data import READERS
from rankworth.scoring.labelled import Labelled, pair
from rankworth.settings import DuplicateJudgements, Judging

GRADES: Final = "list-1"
"""the query that a list of grades stands for"""


def ids_of(settings: Any) -> IdRules:  # noqa: ANN401 - a dict, from which what is read here is taken out
    """Take the rules for ids out of settings, and rename what stands beside judgements and runs.

    What is collapsed (`collapse`) is a document with the highest of its scores, unless `duplicates` says another.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options`.
        InputError: where a table, or what is beside judgements and runs, cannot be read.

    """
    given = {name: settings.pop(name, None) for name in OPTIONS}
    if all(value is None for value in given.values()):
        return NO_RULES
    from rankworth.io.id_tables import rules_of  # noqa: PLC0415 - rarely needed

    rules = rules_of(given)
    if given["collapse"] is not None and settings.get("duplicates") is None:
        settings["duplicates"] = "best"
    for name, rule in rules.of_data.items():
        if settings.get(name) is not None:
            settings[name] = READERS[name](settings[name], ids=rule)
    return rules


class InputOptions:
    """What a caller says of how judgements and runs are read, for all of them or for one kind."""

    def __init__(self, settings: Any, *, is_exact: bool = False) -> None:  # noqa: ANN401 - a dict, from which what is read here is taken out
        """Take the reading options out of the settings.

        Args:
            settings: of the call.
            is_exact: whether the first of the runs is an exact one, which `qrels_columns` is about.

        Raises:
            UsageError: `unknown-setting`.

        """
        self.may_be_empty = False
        """whether a run without a row is no error"""
        both, qrels, runs = (settings.pop(name, None) or {} for name in ("columns", "qrels_columns", "run_columns"))
        costs = cost_column(settings.pop("cost", None))
        as_given = settings.get("order") == "given"
        self.columns = Columns(both, qrels, runs, costs, as_given=as_given, is_exact=is_exact) or None
        self.ids = NO_RULES if settings.keys().isdisjoint(OPTIONS) else ids_of(settings)
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
        said: dict[str, Any] = {
            name: value for name, value in (("blank", self.blank), ("grades", self.grades)) if value
        }
        if self.columns is None and not said and self.ids == NO_RULES:
            return list(qrels), list(runs)
        columns = self.split(qrels, runs)
        if (rule := self.ids.qrels) is not None:
            self._refuse_ids_of(qrels, rule)
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
                ids=self.ids.qrels,
            )
            for source, names in zip(qrels, columns, strict=False)
        ]
        of_runs = zip(runs, columns[len(qrels) :], strict=True)
        return judged, [self._run(source, names, len(runs)) for source, names in of_runs]

    def _refuse_ids_of(self, qrels: Sequence[object], rule: IdRule) -> None:
        """Refuse a rule for missing judgements, or for judgements already read.

        Raises:
            UsageError: `conflicting-options`.

        """
        if not qrels and self.ids.both is None:
            text = f"{rule.typed} is about judgements, and there are none to read"
            raise UsageError("conflicting-options", text, remedy="leave it out")
        if any(isinstance(source, Qrels) and source.ids != rule for source in qrels):
            text = f"{rule.in_python} says how judgements are read, and these are read already"
            remedy = f"Qrels(source, ids={rule.label!r})\nfor the run alone: run_ids={rule.label!r}"
            remedy = "Qrels(source, sources=...)" if rule.is_of_sources else remedy
            raise UsageError("conflicting-options", text, remedy=remedy)

    def _run(self, source: object, columns: Mapping[str, str], number: int) -> Run:
        """Prepare one of a number of runs to be read."""
        rule = self.ids.of_runs(number)
        early = rule if rule is not None and rule.is_of_sources else None  # it decides what columns of objects tell
        made = run(source, columns=columns, may_be_empty=self.may_be_empty, ids=early)
        return made.with_ids(rule)

    def split(self, qrels: Sequence[object], runs: Sequence[object]) -> list[dict[str, str]]:
        """Return what is named of the columns of each of the judgements, and then of each of the runs.

        Raises:
            InputError: `frame-columns`.

        """
        sides = [*((source, QRELS) for source in qrels), *((source, RUN) for source in runs)]
        if self.columns is None:
            return [{} for _ in sides]
        columns = self.columns
        return columns.split(
            [
                _columns_of(source, layout, columns, is_exact=columns.is_exact and number == 0)
                for number, (source, layout) in enumerate(sides)
            ]
        )

    def read_runs(self, qrels: Sequence[object], runs: Any) -> tuple[list[Any], Any]:  # noqa: ANN401 - by name, or a list
        """Prepare judgements and several runs, as `read` does."""
        if is_path(runs) or not isinstance(runs, Mapping | list | tuple):
            return list(qrels), runs
        several = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
        judged, ranked = self.read(qrels, several)
        return judged, dict(zip(runs, ranked, strict=True)) if isinstance(runs, Mapping) else ranked


def _columns_of(source: object, layout: Layout, columns: Columns, *, is_exact: bool) -> column_names.Input:
    """Return the names of the columns of judgements or a run; none where they are read already.

    Raises:
        InputError: as `column_names.of_object`.

    """
    if isinstance(source, Qrels | Run):
        called = f"the {type(source).__name__}, which names its columns itself,"
        return column_names.Input(layout, called, Looks(called, is_counted=False), is_valued=True)
    named, specific = columns.named(layout, is_exact=is_exact), columns.specific(layout, is_exact=is_exact)
    return column_names.of_object(source, layout, named, is_specific=bool(specific))


def qrels_of_ids(qrels: Sequence[Any], runs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Read texts beside as many rankings as the one relevant document of each query, 0, 1, 2 ...; otherwise as paths.

    Args:
        qrels: judgements.
        runs: what they belong to.

    """
    [gold] = qrels
    texts = isinstance(gold, list | tuple) and bool(gold) and all(isinstance(one, str) for one in gold)
    numbers = list(map(str, range(len(gold)))) if texts else []
    lists = [run for run in runs if isinstance(run, list | tuple) and run and all(isinstance(one, list) for one in run)]
    by_query = [run for run in runs if isinstance(run, Mapping) and {*map(str, run)} == {*numbers}]
    by_query = by_query if texts and are_ids(gold) else []
    if not texts or not (lists or by_query) or {*map(len, lists)} - {len(gold)}:
        return qrels, runs
    named = {number: [text] for number, text in zip(numbers, gold, strict=True)}
    return [named], [
        dict(zip(numbers, run, strict=True)) if any(run is listed for listed in lists) else run for run in runs
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
    for number, by_subtopic in enumerate(every, 1):
        for grade in by_subtopic:
            is_number = validate.is_number(grade, infinite=False) and not isinstance(grade, bool)
            if not is_number and (grade is not None or number > len(ranked)):
                remedy = "for a retrieved document that nobody judged give: None, on the command line ?\n"
                remedy += "of the missing ones leave out those that nobody judged"
                text = f"grade {number} of the list is {grade!r}; grades are finite numbers"
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
        self.ids: IdRule | None = None
        """the rule by which documents were renamed; None where there is none"""
        self.renamed = False
        """whether any was"""
        self.spans = False
        """whether they are spans of sources"""
        self.judges = ""
        """how one grade was made of those of several judges, as signatures say it"""
        self._pieces: tuple[Run | None, dict[tuple[int, float], Qrels]] = None, {}
        """the last run whose pieces were judged by spans, and how by each of them and each share"""
        for qrels in self._read.values():
            if isinstance(qrels, Qrels):
                self.ids, self.renamed, self.spans = qrels.ids, qrels.facts.renamed, qrels.facts.spans
                self.judges = qrels.facts.judges

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

    def of_pieces(self, gold: Qrels, run: Run, share: float) -> Qrels:
        """Return the judgements of the pieces of a run by gold spans, made once for a run.

        Args:
            gold: the judgements under one of the settings.
            run: the run.
            share: how much of a gold span a piece holds at least, to be relevant.

        """
        from rankworth.judging.spans import judge_pieces  # noqa: PLC0415 - rarely needed

        if self._pieces[0] is not run:
            self._pieces = run, {}
        of_run, key = self._pieces[1], (id(gold), share)
        if key not in of_run:
            of_run[key] = judge_pieces(gold, run, share)
        return of_run[key]


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


def run(
    source: object,
    name: str = "",
    columns: Mapping[str, str] = NONE,
    *,
    may_be_empty: bool = False,
    ids: IdRule | None = None,
) -> Run:
    """Make one run of what stands for it.

    Args:
        source: whatever `Run` reads, or one; several paths need a name, since they could be several runs. A relation of
            DuckDB stays there.
        name: what to call it, if not by its file.
        columns: which column holds what, where its name does not tell.
        may_be_empty: whether no row at all is no error.
        ids: how documents are renamed.

    Raises:
        InputError: `input-type`, and where it cannot be trusted.

    """
    if isinstance(source, Run) and not name:
        return source
    if isinstance(source, list | tuple) and len(source) > 1 and all(map(is_path, source)) and not name:
        refuse_ids(source)
        raise InputError(
            "input-type",
            f"{len(source):,} paths could be several runs, or one run in several files",
            remedy="several runs go to evaluate_runs; a run in several files is Run([path, ...], name)",
        )
    try:
        if not is_relation(source) and not (isinstance(source, Run) and source.engine):
            return Run(source, name, columns=columns, ids=ids)
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
    """Write the remedy if an engine does not read a file: a command that writes it so that it does.

    Args:
        path: the file.
        columns: which column holds what.

    """
    target = f"{Path(path).with_suffix('') if path != STDIN else 'run'}.parquet"
    said = ["--columns", *(f"{role}={name}" for role, name in columns.items())] if columns else []
    return f"leave --engine out, or write it so:\n  {shlex.join(['rankworth', 'convert', path, target, *said])}"


def facts_of_reading(judgements: Judgements, run: Run) -> dict[str, str]:
    """Return how grades of judges became one, how documents were renamed and what tells costs, as signatures say it."""
    judges = {"judges": judgements.judges} if judgements.judges else {}
    if run.ids is judgements.ids is None and not run.cost_columns:
        return judges
    named = [unit if column == unit else f"{unit}={column}" for unit, column in run.cost_columns.items()]
    costs = judges | ({"cost": ",".join(named)} if named else {})
    rules = {"qrels_ids": judgements.ids, "run_ids": run.ids}
    labels = {name: rule.label for name, rule in rules.items() if rule is not None and not rule.is_of_sources}
    if not labels:
        return costs
    return costs | ({"ids": labels["run_ids"]} if len(labels) > len({*labels.values()}) else labels)


def refuse_unused_ids(runs: Sequence[Run], judgements: Judgements | None = None) -> None:
    """Refuse a rule for ids that fits no document of any run and of the judgements, once they are read.

    Raises:
        InputError: `unused-ids`.

    """
    rule = next((run.ids for run in runs if run.ids is not None and not run.ids.is_of_sources), None)
    are_judged_ones = judgements is not None and judgements.renamed
    if rule is not None and not are_judged_ones and not any(run.facts.renamed for run in runs):
        raise rule.unused(" and ".join(dict.fromkeys(run.name or "the run" for run in runs)))

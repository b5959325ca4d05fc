"""Judgements and runs read to the end: defects of lines are collected, and the sound lines measured."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from rankworth.arrays import Integers
from rankworth.checking.findings import Finding
from rankworth.errors import InputError
from rankworth.io.files import files_of
from rankworth.io.layout import QRELS
from rankworth.io.options import LOOSELY_RANKED, Described, Reading
from rankworth.io.source import STDIN, Source
from rankworth.model import Qrels, Run
from rankworth.settings import DuplicateJudgements

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.source import Progress

Made = TypeVar("Made")
PROBLEMS: Final = 1_000
"""how many lines of a file are named that have problems, or repeat others"""
UNREADABLE: Final = ("missing-file", "is-directory", "unreadable-file", "changed-file", "one-stdin")
"""slugs of errors of which no file is at fault: they are raised and no finding"""
_FIRST: Final = 5
"""documents of each query whose ids are compared with those of the judgements; fewer have no order to speak of"""
_COMPARED: Final = 500
"""documents of a run that are compared at most"""


@dataclass
class RowFacts:
    """What the rows of a run say besides scores, noted while they pass by.

    Attributes:
        self_queries: queries that retrieve the document with their own id.
        first: the first documents of each query, as they were given.
        contradicting: queries in which a document with a higher score has a later rank.
        rising: of the queries with several documents, whether scores rise from line to line, and never fall.
        ranks: the lowest and the highest rank; None where there is no column of ranks.
        longest: how many documents a query has at most, of those that stand together.

    """

    self_queries: list[str] = field(default_factory=list)
    first: dict[str, list[str]] = field(default_factory=dict)
    contradicting: dict[str, None] = field(default_factory=dict)
    rising: list[bool] = field(default_factory=list)
    ranks: tuple[float, float] | None = None
    longest: int = 0
    _compared: int = 0

    def look_at(self, frame: "pl.DataFrame") -> None:
        """Note what some rows say."""
        from rankworth.tables.frames import run_starts  # noqa: PLC0415 - dicts need none of this

        if not frame.height:
            return
        query, document = frame["query"], frame["document"]
        self.self_queries += query.filter(query == document).to_list()
        starts = run_starts(query)
        queries = query.gather(starts).to_list()
        lengths, score = np.diff(starts, append=frame.height), frame["score"].to_numpy()
        self.longest = max(self.longest, int(lengths.max()))
        rises, falls = np.append(False, score[1:] > score[:-1]), np.append(False, score[1:] < score[:-1])
        rises[starts] = falls[starts] = False
        only_rise = np.logical_or.reduceat(rises, starts) & ~np.logical_or.reduceat(falls, starts)
        self.rising += only_rise[lengths >= _FIRST].tolist()
        for start, name in zip(starts.tolist(), queries, strict=True):
            if self._compared >= _COMPARED:
                break
            documents, first_documents = document[start : start + _FIRST].to_list(), self.first.setdefault(name, [])
            first_documents += documents[: _FIRST - len(first_documents)]
            self._compared += len(documents)
        if "rank" in frame.columns:
            if len({*queries}) < len(queries) or rises.any():
                frame = frame.sort("query", "score", descending=[False, True], maintain_order=True)
                starts = run_starts(frame["query"])
            self._compare(frame, starts)

    def _compare(self, frame: "pl.DataFrame", starts: Integers) -> None:
        """Compare ranks with scores of rows in the order of their scores, those of each query together."""
        score, rank = frame["score"].to_numpy(), frame["rank"].to_numpy()
        if np.isnan(rank).all():
            return
        low, high = float(np.nanmin(rank)), float(np.nanmax(rank))
        self.ranks = (low, high) if self.ranks is None else (min(self.ranks[0], low), max(self.ranks[1], high))
        contradicting = np.append(False, (score[1:] < score[:-1]) & (rank[1:] < rank[:-1]))
        contradicting[starts] = False
        rows = np.flatnonzero(contradicting)
        self.contradicting |= dict.fromkeys(frame["query"].gather(rows).to_list())


@dataclass(frozen=True, eq=False, repr=False)
class WatchedRun(Run):
    """A run whose rows are inspected while they are read, once."""

    rows: RowFacts = field(init=False, default_factory=RowFacts)

    def batches(self, progress: "Progress | None" = None, *, ranks: bool = False) -> "Iterator[pl.DataFrame]":
        """Yield rows, as those of any run, and look at them."""
        has_more = not ranks and bool(self.files) and self.has_ranks
        frames = self._of_files(LOOSELY_RANKED, progress) if has_more else super().batches(progress, ranks=ranks)
        for frame in frames:
            self.rows.look_at(frame)
            yield frame.drop("rank") if has_more else frame

    def dicts(self, progress: "Progress | None" = None) -> None:
        """Make dicts come as rows, too, so that there is one way to look at them."""


def tolerant(run: Run) -> Run:
    """Let a run leave out its lines with problems."""
    for file in run.files:
        file.tolerates = PROBLEMS
    return run


def watched(run: Run) -> Run:
    """Wrap a run so that its rows are looked at as they are read; return one of an engine as it is."""
    return run if run.engine else WatchedRun(run)


def judgements(
    source: object, policy: DuplicateJudgements, queries: Iterable[object] | None
) -> tuple[Qrels | None, Sequence[Source], list[Finding]]:
    """Read judgements without lines that have problems: them (None where nothing is left), their files, what is wrong.

    Args:
        source: whatever `Qrels` reads, or how it is to be read.
        policy: what becomes of documents that are judged again.
        queries: the queries to keep.

    Raises:
        InputError: where a file cannot be opened.

    """
    if isinstance(source, Qrels):
        repeated = int(source.repeated.sum())
        text = f"{repeated:,} judgements repeat earlier ones and do not count"
        return source, (), [Finding.of("duplicate-judgement", text)] if repeated else []
    described = source if isinstance(source, Described) else Described(source, {})
    reading = Reading(described.format, described.columns, described.split, grades=described.grades)
    files = () if isinstance(described.source, Mapping) else files_of(described.source, QRELS, reading)
    for file in files:
        file.tolerates = PROBLEMS
    described = replace(described, source=list(files)) if files else described
    read = partial(Qrels, described, queries=queries)
    ways = dict.fromkeys(("error", policy if policy != "error" else "max"))
    attempts = (partial(read, duplicate_judgements=settled) for settled in ways)
    qrels, findings = first_possible(attempts, "duplicate-judgement", files)
    return qrels, files, [*of_lines(files), *findings]


def first_possible(
    attempts: Iterable[Callable[[], Made]], slug: str, files: Sequence[Source], run: str = ""
) -> tuple[Made | None, list[Finding]]:
    """Return the result of the first attempt that succeeds, or None, and the refusals before it.

    Args:
        attempts: the next one is made where one is refused with this slug.
        slug: of what a further attempt can do without.
        files: the files that are read.
        run: the name of the run that is read.

    """
    findings: list[Finding] = []
    for attempt in attempts:
        try:
            return attempt(), findings
        except InputError as error:
            findings += of_error(error, files, run)
            if error.slug != slug:
                break
    return None, findings


def of_lines(files: Iterable[Source], run: str = "") -> list[Finding]:
    """Report the defects of the lines of files that were left out."""
    errors = [(file, file.problem) for file in files if file.problem is not None]
    return [finding for file, error in errors for finding in of_error(error, [file], run)]


def of_error(error: InputError, files: Sequence[Source], run: str = "") -> list[Finding]:
    """Report why judgements or a run cannot be measured, problem by problem.

    Args:
        error: that of the reader.
        files: the files that it may be about.
        run: the run.

    Raises:
        InputError: the error itself, where no data are at fault.

    """
    if error.slug in UNREADABLE:
        raise error
    if error.slug == "empty-input" and any(file.problem for file in files):  # of which the lines tell
        return []
    findings = []
    for slug, problem in zip(error.slugs, error.problems, strict=True):
        file, line = _location(problem, files)
        findings.append(Finding.of(slug, problem, file=file, line=line, run=run))
    more = f"; {error.more:,} more of this kind" if error.more else ""
    last = findings.pop()
    return [*findings, last._replace(text=last.text + more, remedy=error.remedy)]


def _location(problem: str, files: Sequence[Source]) -> tuple[str, int | None]:
    """Find the file and the line with which a problem begins."""
    for file in files:
        if problem.startswith(f"{file.name}:"):
            number = problem.removeprefix(f"{file.name}:").partition(":")[0]
            return path(file), int(number) if number.isdecimal() else None
    return path_of(files), None


def path(file: Source) -> str:
    """Return the path of a file; empty for standard input."""
    return "" if file.path == STDIN else file.path


def path_of(files: Sequence[Source]) -> str:
    """Return the path of the only file; empty where there are several or none."""
    return path(files[0]) if len(files) == 1 else ""

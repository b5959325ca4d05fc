"""From one format to another: rows are read, checked, put in order and written a few at a time.

What evaluation refuses is refused here, too. What must not be lost and cannot be held by a format is refused, what is
left out is named.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import atomic, detect, duplicates, write
from rankworth.io.duplicates import OneJudgement, OneRow, Policy, check, settled
from rankworth.io.lines import QRELS, RUN, Layout
from rankworth.io.reading import Blank, Blanks, Reading, file_batches, file_parts
from rankworth.io.source import STDIN, Progress, Source, opened
from rankworth.judging.ties import Contradictions
from rankworth.model import stem
from rankworth.tables.frames import run_starts, taken

KINDS: Final = {"run": RUN, "qrels": QRELS}
_READ: Final = {RUN: ("query", "document", "rank", "score", "tag"), QRELS: QRELS.columns}
"""the columns that are read of TREC's lines"""
_NO_RANK: Final = -1
_PART: Final = 1 << 18
"""how many rows are written at a time, where all are held"""
_SHOWN: Final = 8
_NONE: Final = "0"
"""the subtopic of judgements that tell none"""


@dataclass(frozen=True)
class Converted:
    """What was written.

    Attributes:
        rows: how many rows.
        queries: how many queries they belong to.
        left_out: what the new file does not hold of the old one.

    """

    rows: int
    queries: int
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        """How much it is."""
        rows, queries = "row" if self.rows == 1 else "rows", "query" if self.queries == 1 else "queries"
        return f"{self.rows:,} {rows}, {self.queries:,} {queries}"


class _RestartError(Exception):
    """What came needs something that is settled before the first row is written; start again with that.

    `gathered`: all rows are held at once, because those of some query do not stand together. `subtopics`: judgements
    tell subtopics. `tabs`: some tag has blanks, so that tabs stand between columns.
    """


@dataclass(frozen=True)
class _Job:
    """What is asked for."""

    sources: Sequence[Source]
    layout: Layout
    reading: Reading
    form: str
    tag: str
    """for all rows; empty where lines have their own"""
    name: str
    """the tag of rows that have none"""
    lossy: bool
    policy: Policy
    progress: Progress | None


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    kind: Literal["", "run", "qrels"] = "",
    format: str = "",  # noqa: A002 - as everywhere
    columns: Mapping[str, str] | None = None,
    split: str = "",
    blank: Blank = "unjudged",
    duplicates: OneRow = "error",
    duplicate_judgements: OneJudgement = "error",
    to: str = "",
    tag: str = "",
    lossy: bool = False,
    progress: Progress | None = None,
) -> Converted:
    """Write a run or judgements in another format, whole or not at all.

    The rows of each query come to stand together, those of a run by descending score, ties by descending id. A list
    that belongs to one query keeps its order; where its scores do not tell that, they are made from it: -1, -2, -3 ...

    Args:
        source: a file, a pattern, a folder, or `-` for standard input.
        target: a file, or `-` for standard output.
        kind: `run` or `qrels`; where empty, told by a target `.run` or `.qrels`, otherwise by the content.
        format: of the source; told from its content where empty.
        columns: which column of the source holds what, `{"query": "term"}`, where the names of columns do not tell.
        split: which judgements of a BEIR folder; `test` where empty.
        blank: what judgements without a grade mean: `unjudged`, so that they are left out, `zero` or `error`.
        duplicates: what becomes of a document that a query ranks twice.
        duplicate_judgements: what becomes of a document that a query judges twice.
        to: the format of the target; told by its suffix where empty.
        tag: what TREC's lines call the run; what the source calls it where empty, otherwise the name of its file.
        lossy: whether scores and subtopics may be left out where the target cannot hold them.
        progress: told how far a file is read.

    Raises:
        InputError: where anything is wrong with the source.
        UsageError: `unknown-format`, `unwritable-output`, `unknown-setting`.

    """
    path, place = os.fsdecode(source), os.fsdecode(target)
    _check(kind, tag)
    check("duplicates", duplicates, OneRow)
    check("duplicate_judgements", duplicate_judgements, OneJudgement)
    reading = Reading(format, columns or {}, split, Blanks(blank))
    form = write.target_format(place, to)
    beir = path != STDIN and (Path(path) / "qrels").is_dir()
    said = KINDS.get(kind or Path(place).suffix.removeprefix(".").lower(), QRELS if beir else None)
    sources = opened(path, said or RUN, reading)
    refused = "" if place == STDIN else atomic.refusal(Path(place), [each.path for each in sources])
    if refused:
        raise UsageError("unwritable-output", f"{place}: {refused}")
    layout = said or _layout(sources, reading)
    if form == "msmarco" and layout is QRELS:
        text = "MS MARCO's lines without a header are for runs"
        raise UsageError("unknown-format", text, remedy="its judgements are TREC's lines: --to trec")
    policy: Policy = duplicates if layout is RUN else duplicate_judgements
    job = _Job(sources, layout, reading, form, tag, _name(path, sources), lossy, policy, progress)
    plan: frozenset[str] = frozenset()
    while True:
        try:
            return _Pass(job, plan).write(place)
        except _RestartError as restart:
            plan |= {*restart.args}


def _check(kind: str, tag: str) -> None:
    if kind and kind not in KINDS:
        raise UsageError("unknown-setting", f"kind={kind!r}: it is 'run' or 'qrels'")
    if tag != " ".join(tag.split()) or "\0" in tag:
        raise UsageError("run-names", f"{tag!r}: a tag has no line ends, and no blanks but single ones between words")


def _layout(sources: Sequence[Source], reading: Reading) -> Layout:
    """Whether files hold a run or judgements; all of them the same."""
    first, *others = sources
    layout = detect.layout_of(first, reading)
    for other in others:
        if detect.layout_of(other, reading) is not layout:
            is_what, not_what = ("judgements", "a run") if layout is RUN else ("a run", "judgements")
            text = f"{other.name}: this looks like {is_what}, not {not_what} as {first.name}"
            raise InputError("input-type", text, remedy="convert them one after the other, or say --run or --qrels")
    return layout


def _name(path: str, sources: Sequence[Source]) -> str:
    """What to call a run whose format has no name for it: its file's name, as one word."""
    if path == STDIN:
        return "stdin"
    name = stem(path if Path(path).exists() else sources[0].path)
    return re.sub(r"\s+", "_", os.fsencode(name).decode("utf-8", "backslashreplace"))


class _Pass:
    """The way of all rows, once, and what was met on it."""

    def __init__(self, job: _Job, plan: frozenset[str]) -> None:
        self.job = job
        self.plan = plan
        self.reading = job.reading.afresh()
        self.run = job.layout is RUN
        self.rows = self.queries = self.repeated = 0
        self.unlike = {0: 0, 1: 0}
        """how many rows have another rank than they had, counted from 0 and from 1"""
        self.lost: dict[str, None] = {}
        self.contradictions = Contradictions()
        self.unscored = 0
        """of how many lists the scores do not tell the order"""
        self.subtopic = ""

    def write(self, target: str) -> Converted:
        """Read, check, put in order and write."""
        job = self.job
        columns = write.TABLES[job.layout.value] + ("subtopic",) * ("subtopics" in self.plan)
        try:
            atomic.whole(
                target,
                lambda file: write.write(self._ready(), file, job.form, columns=columns, tabs="tabs" in self.plan),
            )
        except _ScatteredError:
            raise _RestartError("gathered") from None
        return Converted(self.rows, self.queries, tuple(self._left_out()))

    def _ready(self) -> Iterator[pl.DataFrame]:
        """All rows as they are written."""
        for frame in (_gathered if "gathered" in self.plan else _together)(self._read()):
            once = self._once(frame)
            self.rows += once.height
            self.queries += run_starts(once["query"]).size
            yield self._ranked(once) if self.run else once
        if not self.rows:
            raise InputError("empty-input", f"{self.job.sources[0].name}: there is not a single row")
        lists = self.reading.orders.lists
        error = None if lists is None else self.contradictions.error(self.job.name, lists, ways=False)
        if error is not None:
            raise error

    def _read(self) -> Iterator[pl.DataFrame]:
        """The rows of all files under the same names, as far as the target can hold them."""
        job = self.job
        canonical = self._of_run if self.run else self._of_judgements
        for source in job.sources:
            first = 1
            for frame in file_batches(
                [source], job.layout, self.reading, columns=_READ[job.layout], progress=job.progress
            ):
                write.refuse(frame, job.form, source.name, first, lossy=job.lossy)
                first += frame.height
                yield canonical(frame, source.name)

    def _of_run(self, frame: pl.DataFrame, _: str) -> pl.DataFrame:
        """With the ranks that rows had, if they had some, and the tags that they get."""
        job = self.job
        had = pl.lit(None, pl.Int64)
        if "rank" in frame.columns:
            had = pl.col("rank").cast(pl.Int64, strict=False).fill_null(_NO_RANK)
        tag = pl.lit(job.tag or job.name) if job.tag or "tag" not in frame.columns else pl.col("tag")
        named = frame.select("query", "document", "score", had=had, tag=tag)
        if job.form == "trec" and "tabs" not in self.plan and named["tag"].str.contains(" ", literal=True).any():
            raise _RestartError("tabs")
        return named

    def _of_judgements(self, frame: pl.DataFrame, name: str) -> pl.DataFrame:
        """With subtopics, where the target can hold what they say."""
        job = self.job
        told = next((column for column in ("subtopic", "iteration") if column in frame.columns), "")
        subtopics = frame[told].cast(pl.String) if told else pl.Series([_NONE]).new_from_index(0, frame.height)
        if subtopics.null_count():
            row = int(subtopics.is_null().arg_true()[0])
            ids = f"document {quoted([frame['document'][row]])} of query {quoted([frame['query'][row]])}"
            raise InputError("missing-value", f"{name}: {ids} has no subtopic", remedy="drop or fill such rows")
        self.subtopic = self.subtopic or subtopics[0]
        if job.form == "json":
            self._without_subtopics(subtopics, name)
        elif job.form != "trec" and "subtopics" not in self.plan and (subtopics != _NONE).any():
            raise _RestartError("subtopics")
        return frame.select("query", "document", "grade", subtopic=subtopics)

    def _without_subtopics(self, subtopics: pl.Series, name: str) -> None:
        """Leave subtopics out where they say nothing or where that is allowed."""
        if (subtopics != self.subtopic).any():
            if not self.job.lossy:
                text = f"{name}: these are judgements for several subtopics, which JSON's dicts have no place for"
                remedy = "--lossy writes the best grade of each document; other formats keep subtopics"
                raise UsageError("unwritable-output", text, remedy=remedy)
            self.lost["the subtopics; each document has the best of its grades"] = None
        elif self.subtopic != _NONE:
            self.lost[f"the subtopic, which is {quoted([self.subtopic])} everywhere"] = None

    def _once(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Every document once for each query, or for each subtopic where there are some."""
        job = self.job
        by = duplicates.PAIR if self.run else duplicates.TRIPLE
        if duplicates.any_in(frame, by):
            if job.policy == "error":
                told = not self.run and frame["subtopic"].n_unique() > 1
                parts = file_parts(job.sources, job.layout, job.reading, _READ[job.layout])
                raise duplicates.error(job.layout, parts, by=by if told else duplicates.PAIR)
            once = _best(frame) if job.policy == "best" else settled(frame, by, job.layout.value, job.policy)
            self.repeated += frame.height - once.height
            frame = once
        if job.form == "json" and duplicates.any_in(frame):
            return settled(frame.drop("subtopic"), duplicates.PAIR, "grade", "max")
        return frame

    def _ranked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """In the order of ranks, and the ranks."""
        ranked = _in_order(self._with_list_scores(frame))
        for start in self.unlike:
            self.unlike[start] += int((ranked["had"] != ranked["rank"] - 1 + start).sum())
        if self.job.form == "msmarco":
            if not self.job.lossy:
                return ranked.with_columns(rank=-pl.col("score").cast(pl.Int64))
            if (ranked["score"] != -ranked["rank"]).any():
                self.lost["the scores"] = None
        return ranked

    def _with_list_scores(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A batch with scores that tell the order of lists, where theirs do not."""
        lists = self.reading.orders.lists
        if lists is None:
            return frame
        starts, scores = run_starts(frame["query"]), frame["score"].to_numpy()
        if not lists.is_order:
            self.contradictions.look(
                taken(frame["query"], starts).to_list(), starts, scores, frame["document"].__getitem__
            )
        owner = np.repeat(np.arange(starts.size), np.diff(starts, append=scores.size))
        falls = np.append(True, (scores[1:] < scores[:-1]) | (owner[1:] != owner[:-1]))
        told = np.logical_and.reduceat(falls, starts)
        self.unscored += int((~told).sum())
        return frame.with_columns(score=np.where(told[owner], scores, starts[owner] - np.arange(scores.size) - 1.0))

    def _left_out(self) -> Iterator[str]:
        """What the target does not hold."""
        job = self.job
        yield from self.lost
        blanks = self.reading.blanks
        if blanks.count and blanks.policy == "unjudged":
            yield f"{counted(blanks.count, 'judgement', 'judgements')} without a grade"
        if unlike := min(self.unlike.values()):
            some, their = ("the rank of 1 row", "does") if unlike == 1 else (f"the ranks of {unlike:,} rows", "do")
            yield f"{some}, which {their} not follow the scores"
        if self.unscored:
            lists = "1 list" if self.unscored == 1 else f"{self.unscored:,} lists"
            yield f"the scores of {lists}, which do not tell the order; those that are written do"
        if self.repeated:
            yield "1 row that repeats another" if self.repeated == 1 else f"{self.repeated:,} rows that repeat others"
        tags = dict.fromkeys(source.tag for source in job.sources if source.tag)
        if job.form != "trec" and tags:
            yield f"the tag {quoted(tags)}"
        columns = [each for source in job.sources for each in detect.unread(source, job.layout, job.reading)]
        if columns:
            yield f"the columns {quoted(dict.fromkeys(columns), _SHOWN)}"


def _best(frame: pl.DataFrame) -> pl.DataFrame:
    """The row of each document that has its highest score, with the rank and the tag of that row."""
    best = pl.col("score") == pl.col("score").max().over(duplicates.PAIR)
    return settled(frame.filter(best), duplicates.PAIR, "score", "first")


# Rows in the order of queries and ranks: those of a query together, best first


class _ScatteredError(Exception):
    """The rows of some query do not stand together."""


def _together(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Cut frames where queries begin, so that every query is whole in one of them.

    Raises:
        _ScatteredError: where a query comes back; that may turn out with the last row.

    """
    held: pl.DataFrame | None = None
    seen: list[pl.Series] = []
    for frame in frames:
        joined = frame if held is None else pl.concat([held, frame], rechunk=True)
        starts = run_starts(joined["query"])
        last = int(starts[-1])
        if last:
            seen.append(_distinct(taken(joined["query"], starts[:-1]).hash()))
            yield joined[:last]
        held = joined[last:]
    if held is not None:
        seen.append(held["query"][:1].hash())
        _distinct(pl.concat(seen))
        yield held


def _gathered(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Rows in any order as `_together` cuts them, queries as they come first; holds all rows at once."""
    frame = pl.concat(list(frames), rechunk=True)
    names = frame["query"].unique(maintain_order=True)
    owner = frame["query"].cast(pl.Enum(names)).to_physical()
    return _together(frame[np.argsort(owner.to_numpy(), kind="stable")].iter_slices(_PART))


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """A run in the order of its ranks, with a column `rank`: descending score, ties by descending id in UTF-8.

    Args:
        frame: `query, document, score`, the rows of each query together.

    """
    starts = run_starts(frame["query"])
    lengths = np.diff(starts, append=frame.height)
    if not _is_ranked(frame, starts):
        owner = pl.Series("owner", np.repeat(np.arange(starts.size), lengths))
        keys = (owner, pl.col("score") + 0.0, pl.col("document"))  # -0.0 + 0.0 is 0.0
        frame = frame.sort(*keys, descending=[False, True, True])
    rank = np.arange(1, frame.height + 1) - np.repeat(starts, lengths)
    return frame.with_columns(pl.Series("rank", rank, dtype=pl.Int64))


def _is_ranked(frame: pl.DataFrame, starts: NDArray[np.int64]) -> bool:
    score, document = frame["score"].to_numpy(), frame["document"]
    falls = score[:-1] > score[1:]
    falls[starts[1:] - 1] = True
    if falls.all():
        return True
    tied = score[:-1] == score[1:]
    return bool((falls | tied).all() and (falls | (document[:-1] > document[1:]).to_numpy()).all())


def _distinct(keys: pl.Series) -> pl.Series:
    """These keys, unless one of them is there twice."""
    if keys.n_unique() < len(keys):
        raise _ScatteredError
    return keys

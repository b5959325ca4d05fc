"""From one format to another: rows are read, checked, put in order and written a few at a time.

What evaluation refuses is refused here, too. What must not be lost and cannot be held by a format is refused, what is
left out is named.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import atomic, detect_layout, duplicates, spans, write
from rankworth.io.duplicates import OneJudgement, OneRow, Policy, check, settled
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches, file_parts
from rankworth.io.formats import FORMATS
from rankworth.io.grade_words import Words
from rankworth.io.id_tables import single_rule
from rankworth.io.layout import QRELS, RUN, SPAN, Layout
from rankworth.io.options import Blank, Blanks, Reading, refuse_blanks_alone, refuse_roles
from rankworth.io.paths import opened
from rankworth.io.source import STDIN, Progress, Source
from rankworth.judging.order import Contradictions
from rankworth.judging.polars import ScatteredError, together_in_memory, whole_queries
from rankworth.model import stem
from rankworth.tables.frames import run_starts, taken

_TABLES: Final = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""formats of several columns with names"""
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
        """Count the rows and the queries, in words."""
        return f"{counted(self.rows, 'row', 'rows')}, {counted(self.queries)}"


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    kind: Literal["", "run", "qrels"] = "",
    format: str = "",  # noqa: A002 - as everywhere
    columns: Mapping[str, str] | None = None,
    split: str = "",
    blank: Blank = "unjudged",
    grades: Words | None = None,
    ids: object = None,
    collapse: object = None,
    sources: object = None,
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
        format: of the source; detected from its content where empty.
        columns: which column of the source holds what, `{"query": "term"}`, where the names of columns do not tell.
        split: which judgements of a BEIR folder; `test` where empty.
        blank: what judgements without a grade mean: `unjudged`, so that they are left out, `zero` or `error`.
        grades: the grades that words of judgements mean, `{"E": 3, "S": 2}`.
        ids: how documents are renamed, such as chunks by their documents, as for `rankworth.Run`.
        collapse: the same for a run, whose documents have the highest of their scores (`duplicates` says another).
        sources: texts of sources, as for `rankworth.Run`, in which documents that are texts, or spans, are sought; the
            target, a table, has columns `source`, `start` and `end` then.
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
    path, target_path = os.fsdecode(source), os.fsdecode(target)
    _check(kind, tag)
    check("duplicates", duplicates, OneRow)
    check("duplicate_judgements", duplicate_judgements, OneJudgement)
    rule = single_rule({"ids": ids, "collapse": collapse, "sources": sources})
    reading = Reading(format, columns or {}, split, Blanks(blank), grades or {}, ids=rule)
    form = write.target_format(target_path, to)
    if sources is not None and form not in _TABLES:
        text = f"{FORMATS[form].called} cannot hold spans, which have a source, a start and an end"
        raise UsageError("unwritable-output", text, remedy=f"{' '.join(_TABLES)} hold them")
    beir = path != STDIN and (Path(path) / "qrels").is_dir()
    chosen_layout = KINDS.get(kind or Path(target_path).suffix.removeprefix(".").lower(), QRELS if beir else None)
    files = opened(path, chosen_layout or RUN, reading)
    if target_path != STDIN:
        atomic.refuse(target_path, [each.path for each in files])
    layout = chosen_layout or _layout(files, reading)
    refuse_roles(layout, columns or {})
    if form == "msmarco" and layout is QRELS:
        text = "MS MARCO's lines without a header are for runs"
        raise UsageError("unknown-format", text, remedy="its judgements are TREC's lines: --to trec")
    if collapse is not None and layout is QRELS:
        text = f"--collapse {collapse!r} (collapse={collapse!r}) is about runs, and these are judgements"
        raise UsageError("conflicting-options", text, remedy="--ids RULE with --duplicate-judgements max")
    policy: Policy = duplicates if layout is RUN else duplicate_judgements
    if collapse is not None and policy == "error":
        policy = "best"
    rows = _Conversion(files, layout, reading, form, tag, _name(path, files), lossy, policy, progress)
    try:
        return rows.write(target_path)
    except ScatteredError:
        return replace(rows, gathered=True).write(target_path)


def _check(kind: str, tag: str) -> None:
    if kind and kind not in KINDS:
        raise UsageError("unknown-setting", f"kind={kind!r}: it is 'run' or 'qrels'")
    if tag != " ".join(tag.split()) or "\0" in tag:
        raise UsageError("run-names", f"{tag!r}: a tag has no line ends, and no blanks but single ones between words")


def _layout(sources: Sequence[Source], reading: Reading) -> Layout:
    """Return whether files hold a run or judgements; all of them the same."""
    layouts = [detect_layout.layout_of(source, reading) for source in sources]
    if len(set(layouts)) > 1:
        text = f"{quoted(source.path for source in sources)}: some look like runs, and some like judgements"
        raise InputError("input-type", text, remedy="convert them one after the other, or say --run or --qrels")
    return layouts[0]


def _name(path: str, sources: Sequence[Source]) -> str:
    """Name a run whose format has no name for it: by its file's name, as one word."""
    if path == STDIN:
        return "stdin"
    name = stem(path if Path(path).exists() else sources[0].path)
    return re.sub(r"\s+", "_", os.fsencode(name).decode("utf-8", "backslashreplace"))


@dataclass
class _Conversion:
    """One pass over all rows: they are read, checked, put in order and written, and what is left out is counted.

    Attributes:
        sources: the files.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the files.
        form: the format of the target.
        tag: what TREC's lines call the run in all rows; empty where lines have their own.
        name: the tag of rows that have none.
        lossy: whether scores and subtopics may be left out.
        policy: what becomes of rows that repeat others.
        progress: called with how far a file is read.
        gathered: whether all rows are held at once, as those of some query do not stand together.

    """

    sources: Sequence[Source]
    layout: Layout
    reading: Reading
    form: str
    tag: str
    name: str
    lossy: bool
    policy: Policy
    progress: Progress | None
    gathered: bool = False
    rows: int = field(default=0, init=False)
    queries: int = field(default=0, init=False)
    repeated: int = field(default=0, init=False)
    unlike: list[int] = field(default_factory=lambda: [0, 0], init=False)
    """how many rows have another rank than they had, counted from 0 and from 1"""
    unscored: int = field(default=0, init=False)
    """of how many lists the scores do not tell the order"""
    lost: dict[str, None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Prepare to read the files, as if nothing had been read yet."""
        self.observed = Observed()
        self.contradictions = Contradictions()

    def write(self, target: str) -> Converted:
        """Read, check, sort and write the rows."""
        columns, frames = write.TABLES[self.layout.value], self._run()
        if self.layout is QRELS:
            judgements = self._judgements()
            columns += ("subtopic",) * bool((judgements["subtopic"] != _NONE).any())
            frames = iter([judgements])
        if self.reading.ids is not None and self.reading.ids.is_of_sources:
            columns = tuple(chain(*(SPAN if column == "document" else (column,) for column in columns)))
            frames = map(_with_spans, frames)
        written = self._counted(frames)
        atomic.write({Path(target): lambda file: write.write(written, file, self.form, columns=columns)})
        return Converted(self.rows, self.queries, tuple(self._left_out()))

    def _counted(self, frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Pass on the rows that are written, and count them.

        Raises:
            InputError: `missing-value` where no judgement has a grade; `ambiguous-order` behind the last row.

        """
        for frame in frames:
            self.rows += frame.height
            self.queries += run_starts(frame["query"]).size
            yield frame
        refuse_blanks_alone(self.sources[0].name, self.observed.facts.blanks, empty=not self.rows)
        if error := self.contradictions.error(self.name, self.observed.facts.lists, ways=False):
            raise error

    def _read(self) -> Iterator[pl.DataFrame]:
        """Read the rows of all files; refuse those that the target cannot hold."""
        for source in self.sources:
            first, columns = 1, _READ[self.layout]
            for frame in file_batches(
                [source], self.layout, self.reading, self.observed, columns=columns, progress=self.progress
            ):
                write.refuse(frame, self.form, source.name, first, lossy=self.lossy)
                first += frame.height
                yield frame.rename({"iteration": "subtopic"}, strict=False)

    # Judgements, all at once

    def _judgements(self) -> pl.DataFrame:
        """Return each judgement once, those of a query together, with subtopics where the target can hold them."""
        frames = (frame.with_columns(subtopic=_as_text(frame, "subtopic", _NONE)) for frame in self._read())
        frames = (frame.select("query", "document", "grade", "subtopic") for frame in frames)
        whole = pl.concat(duplicates.refused(frames, self._repeated if self.policy == "error" else None))
        frame = self._once(next(together_in_memory([whole])), duplicates.TRIPLE)
        return self._without_subtopics(frame) if self.form == "json" else frame

    def _without_subtopics(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Drop subtopics if all are the same, or if the user allows it."""
        subtopics = frame["subtopic"].unique(maintain_order=True)
        if len(subtopics) > 1:
            if not self.lossy:
                text = (
                    f"{self.sources[0].name}: these are judgements for several subtopics, which JSON's dicts have no "
                )
                remedy = "--lossy writes the best grade of each document; other formats keep subtopics"
                raise UsageError("unwritable-output", f"{text}place for", remedy=remedy)
            self.lost["the subtopics; each document has the best of its grades"] = None
        elif subtopics[0] != _NONE:
            self.lost[f"the subtopic, which is {quoted(subtopics)} everywhere"] = None
        return settled(frame.drop("subtopic"), duplicates.PAIR, "grade", "max").with_columns(subtopic=pl.lit(_NONE))

    # Runs, some queries at a time

    def _run(self) -> Iterator[pl.DataFrame]:
        """Yield the rankings of all queries in the order of ranks, with the tags that rows get."""
        frames: Iterable[pl.DataFrame] = map(self._named, self._read())
        repeated = self._repeated if self.policy == "error" else None
        if self.gathered:
            frames = duplicates.refused(frames, repeated)
            frames = chain.from_iterable(whole.iter_slices(_PART) for whole in together_in_memory(frames))
        for frame, _, _ in whole_queries(frames, repeated):
            ranked = _in_order(self._with_list_scores(self._once(frame, duplicates.PAIR)))
            for start in (0, 1):
                self.unlike[start] += int((ranked["had"] != ranked["rank"] - 1 + start).sum())
            if self.form == "msmarco" and not self.lossy:
                ranked = ranked.with_columns(rank=-pl.col("score").cast(pl.Int64))
            elif self.form == "msmarco" and (ranked["score"] != -ranked["rank"]).any():
                self.lost["the scores"] = None
            yield ranked

    def _named(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Name the columns of rows: add the ranks that they had, if they had some, and the tags that they get."""
        had = pl.lit(None, pl.Int64)
        if "rank" in frame.columns:
            had = pl.col("rank").cast(pl.Int64, strict=False).fill_null(_NO_RANK)
        tag = pl.lit(self.tag) if self.tag else _as_text(frame, "tag", self.name)
        return frame.select("query", "document", "score", had=had, tag=tag)

    def _once(self, frame: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
        """Keep every document once for each query, or for each subtopic where there are some."""
        if not duplicates.any_in(frame, by):
            return frame
        if self.policy == "error":
            raise self._repeated(frame)
        if self.policy in duplicates.TOP and not (self.observed.facts.has_scores and self.observed.facts.lists is None):
            text = f"duplicates={self.policy!r}: {self.name} is ranked by the order of its documents, not by scores"
            remedy = 'the first row of each counts with --duplicates best (duplicates="best")'
            raise InputError("refused-input", text, remedy=remedy)
        once = _best(frame) if self.policy == "best" else settled(frame, by, self.layout.value, self.policy)
        self.repeated += frame.height - once.height
        return once

    def _repeated(self, frame: pl.DataFrame) -> InputError:
        """Build the error for rows that repeat documents."""
        has_subtopics = "subtopic" in frame.columns and frame["subtopic"].n_unique() > 1
        parts = file_parts(self.sources, self.layout, self.reading, _READ[self.layout])
        return duplicates.error(self.layout, parts, by=duplicates.TRIPLE if has_subtopics else duplicates.PAIR)

    def _with_list_scores(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Give a batch scores in the order of its lists if its own scores do not tell that order."""
        lists = self.observed.facts.lists
        if lists is None:
            return frame
        starts, scores = run_starts(frame["query"]), frame["score"].to_numpy()
        queries = taken(frame["query"], starts).to_list()
        self.contradictions.look(queries, starts, scores, frame["document"].__getitem__)
        owner = np.repeat(np.arange(starts.size), np.diff(starts, append=scores.size))
        falls = np.append(True, (scores[1:] < scores[:-1]) | (owner[1:] != owner[:-1]))
        ordered = np.logical_and.reduceat(falls, starts)
        self.unscored += int((~ordered).sum())
        return frame.with_columns(score=np.where(ordered[owner], scores, starts[owner] - np.arange(scores.size) - 1.0))

    def _left_out(self) -> Iterator[str]:
        """Yield what the target does not hold, in words."""
        yield from self.lost
        facts = self.observed.facts
        if facts.blanks and self.reading.blanks.policy == "unjudged":
            yield f"{counted(facts.blanks, 'judgement', 'judgements')} without a grade"
        if unlike := min(self.unlike):
            ranks, verb = ("the rank of 1 row", "does") if unlike == 1 else (f"the ranks of {unlike:,} rows", "do")
            yield f"{ranks}, which {verb} not follow the scores"
        if self.unscored:
            lists = counted(self.unscored, "list", "lists")
            yield f"the scores of {lists}, which do not tell the order; those that are written do"
        if self.repeated:
            yield f"{counted(self.repeated, 'row that repeats another', 'rows that repeat others')}"
        if self.form != "trec" and facts.tags:
            yield f"the tag {quoted(dict.fromkeys(facts.tags.values()))}"
        if unread := dict.fromkeys(name for columns in facts.unread.values() for name in columns):
            yield f"the columns {quoted(unread, _SHOWN)}"


def _as_text(frame: pl.DataFrame, column: str, absent: str) -> pl.Expr:
    """Convert a column to text, with `absent` for a missing item or a missing column."""
    return pl.col(column).cast(pl.String).fill_null(absent) if column in frame.columns else pl.lit(absent)


def _best(frame: pl.DataFrame) -> pl.DataFrame:
    """Choose for each document the row with its highest score, and its rank and tag."""
    best = pl.col("score") == pl.col("score").max().over(duplicates.PAIR)
    return settled(frame.filter(best), duplicates.PAIR, "score", "first")


def _with_spans(frame: pl.DataFrame) -> pl.DataFrame:
    """Write source, start and end of each span beside its id."""
    parsed = [spans.parsed(document) for document in frame["document"].to_list()]
    schema = {"source": pl.String, "start": pl.Int64, "end": pl.Int64}
    return frame.with_columns(pl.DataFrame(parsed, schema=schema, orient="row"))


# Rows in the order of queries and ranks: those of a query together, best first


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Sort a run in the order of its ranks, with a column `rank`: descending score, ties by descending id in UTF-8.

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

"""Judgements from files and frames: one for each document, and what was given for each subtopic."""

from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from rankworth.io import doors, duplicates, formats, frames
from rankworth.io.duplicates import COPIED, settled
from rankworth.io.formats import QRELS, Reading
from rankworth.io.source import Source
from rankworth.io.validate import IdKinds
from rankworth.settings import DuplicateJudgements

NAME = "the judgements"


@dataclass(frozen=True)
class Given:
    """Judgements as they were given, with their subtopics where something tells them."""

    reading: Reading
    policy: DuplicateJudgements
    files: tuple[Source, ...] = ()
    frame: pl.DataFrame | None = field(default=None, repr=False)
    """all rows, where it takes no second look at the files"""
    only: frozenset[str] | None = field(default=None, repr=False)
    """the queries that count; all where None"""

    @property
    def subtopics(self) -> bool:
        """Whether something tells subtopics."""
        return bool(self.files) if self.frame is None else "subtopic" in self.frame.columns

    def by_subtopic(self) -> pl.DataFrame | None:
        """Every judgement that counts, `query, subtopic, document, grade`; None where nothing tells subtopics.

        Raises:
            InputError: `missing-value`, `id-type`, and as `rankworth.io.doors.batches`.

        """
        if not self.subtopics:
            return None
        if self.frame is None:
            rows = pl.concat([frame for part in self.parts() for frame in part.frames()], how="diagonal")
            rows = _of(rows, self.only)
        else:
            rows = frames.by_subtopic(self.frame, NAME)
        return rows if self.policy == "error" else settled(rows, duplicates.TRIPLE, "grade", self.policy)

    def parts(self) -> list[duplicates.Part]:
        """The rows, as messages about them need them."""
        if self.files:
            return doors.parts(self.files, QRELS, self.reading, QRELS.columns)
        return [duplicates.Part(NAME, lambda: [] if self.frame is None else [self.frame], first=0)]


class Judgements(NamedTuple):
    """What was read."""

    frame: pl.DataFrame
    """`query, document, grade`: one row for each document, those of a query together, queries in order"""
    given: Given
    merged: bool
    """whether some document is judged for several subtopics of a query"""
    repeated: dict[str, int]
    """how many judgements of a query do not count; queries without such may be missing"""
    copies: pl.DataFrame | None
    """`row, grade`: further judgements, where all of them count, with the rows of `frame` of the same document"""
    order: list[str]
    """the queries in the order in which they were given"""


def read(
    source: object,
    reading: Reading,
    policy: DuplicateJudgements,
    only: frozenset[str] | None = None,
    kinds: IdKinds | None = None,
) -> Judgements:
    """Read files or a frame.

    Args:
        source: a path, a list of paths, or a frame.
        reading: what the user says of them.
        policy: what becomes of several grades of a document for one subtopic of a query.
        only: the queries that count; all where None.
        kinds: gets to know whether the ids of a frame are integers.

    Raises:
        InputError: where anything is wrong with them.

    """
    files = doors.opened(source, QRELS, reading)
    if files:
        frame = _of(pl.concat(doors.batches(files, QRELS, reading), how="diagonal"), only)
        lines = any(formats.format_of(file, QRELS, reading) == "trec" for file in files)
        given = Given(reading, policy, files, None if lines else frame, only)
    elif frames.is_frame(source):
        frame = frames.read(source, "grade", NAME, reading.columns)
        if kinds is not None:
            kinds.meet_frame(frame)
        frame = _of(reading.blanks.settle(frame, NAME), only)
        given = Given(reading, policy, frame=frame)
    else:
        raise doors.not_readable(source, "judgements")
    reading.blanks.check(files[0].name if files else NAME, empty=not frame.height)
    frame = frame.select(pl.col("query", "document").cast(pl.String), "grade")
    merged, repeated, copies = False, {}, None
    if policy in COPIED:
        first = frame.select(pl.struct(duplicates.PAIR).is_first_distinct()).to_series()
        frame, copies = frame.filter(first), frame.filter(~first)
    elif duplicates.any_in(frame):
        once, kept = duplicates.once(frame, given.by_subtopic(), policy, given.parts)
        merged = once.height < kept.height
        counts = _counts(kept)
        repeated = {query: count - counts[query] for query, count in _counts(frame).items()}
        frame = once
    order = frame["query"].unique(maintain_order=True).to_list()
    if not frame["query"].is_sorted():
        frame = frame.sort("query", maintain_order=True)
    if copies is not None:
        numbered = frame.select(*duplicates.PAIR).with_row_index("row")
        copies = copies.join(numbered, on=duplicates.PAIR, how="left", maintain_order="left").select("row", "grade")
    if not given.subtopics or policy in COPIED:  # nobody looks at the rows again
        given = Given(reading, policy)
    return Judgements(frame, given, merged, repeated, copies, order)


def _of(frame: pl.DataFrame, queries: frozenset[str] | None) -> pl.DataFrame:
    """The rows of some queries; all where None, and where one of them is not judged, for the message."""
    ids = frame["query"].cast(pl.String)
    return frame if queries is None or not queries <= {*ids.unique()} else frame.filter(ids.is_in(list(queries)))


def _counts(frame: pl.DataFrame) -> dict[str, int]:
    """How many rows each query has."""
    return dict(frame.group_by("query").len().iter_rows())

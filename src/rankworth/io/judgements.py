"""Judgements from files and frames: one for each document, and what was given for each subtopic."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from rankworth.io import duplicates, frames
from rankworth.io.duplicates import COPIED, settled
from rankworth.io.lines import QRELS
from rankworth.io.reading import Reading, file_batches, file_parts
from rankworth.io.source import Source
from rankworth.settings import DuplicateJudgements

NAME = "the judgements"


@dataclass(frozen=True)
class AllJudgements:
    """Judgements as they were given, with their subtopics where something tells them."""

    frame: pl.DataFrame | None = field(default=None, repr=False)
    """`query, subtopic, document, grade`; None where nothing tells subtopics, and where every row counts"""
    policy: DuplicateJudgements = "error"

    def by_subtopic(self) -> pl.DataFrame | None:
        """Every judgement that counts, `query, subtopic, document, grade`; None where nothing tells subtopics.

        Raises:
            InputError: `missing-value`, `id-type`.

        """
        if self.frame is None:
            return None
        rows = frames.by_subtopic(self.frame, NAME)
        return rows if self.policy == "error" else settled(rows, duplicates.TRIPLE, "grade", self.policy)


class Judgements(NamedTuple):
    """What was read."""

    frame: pl.DataFrame
    """`query, document, grade`: one row for each document, those of a query together, queries in order"""
    given: AllJudgements
    merged: bool
    """whether some document is judged for several subtopics of a query"""
    repeated: dict[str, int]
    """how many judgements of a query do not count; queries without such may be missing"""
    copies: pl.DataFrame | None
    """`row, grade`: further judgements, where all of them count, with the rows of `frame` of the same document"""
    order: list[str]
    """the queries in the order in which they were given"""


def read(
    files: Sequence[Source],
    rows: pl.DataFrame | None,
    reading: Reading,
    policy: DuplicateJudgements,
    only: frozenset[str] | None = None,
) -> Judgements:
    """Put the judgements of files or of a frame in order.

    Args:
        files: where the judgements stand.
        rows: `query, document, grade`, and `subtopic` where something tells it, where there are no files.
        reading: what the user says of them.
        policy: what becomes of several grades of a document for one subtopic of a query.
        only: the queries that count; all where None.

    Raises:
        InputError: where anything is wrong with them.

    """
    if rows is None:
        batches = file_batches(files, QRELS, reading, columns=QRELS.columns)
        renamed = (frame.rename({"iteration": "subtopic"}, strict=False) for frame in batches)
        whole = pl.concat(renamed, how="diagonal")
    else:
        whole = reading.blanks.settle(rows, NAME)
    whole = _of(whole, only)
    given = AllJudgements(whole if "subtopic" in whole.columns and policy not in COPIED else None, policy)
    frame = whole.select(pl.col("query", "document").cast(pl.String), "grade")

    def parts() -> list[duplicates.Part]:
        if files:
            return file_parts(files, QRELS, reading, QRELS.columns)
        return [duplicates.Part(NAME, lambda: [whole], first=0)]

    reading.blanks.check(files[0].name if files else NAME, empty=not frame.height)
    merged, repeated, copies = False, {}, None
    if policy in COPIED:
        first = frame.select(pl.struct(duplicates.PAIR).is_first_distinct()).to_series()
        frame, copies = frame.filter(first), frame.filter(~first)
    elif duplicates.any_in(frame):
        once, kept = duplicates.once(frame, given.by_subtopic(), policy, parts)
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
    return Judgements(frame, given, merged, repeated, copies, order)


def _of(frame: pl.DataFrame, queries: frozenset[str] | None) -> pl.DataFrame:
    """The rows of some queries; all where None, and where one of them is not judged, for the message."""
    ids = frame["query"].cast(pl.String)
    return frame if queries is None or not queries <= {*ids.unique()} else frame.filter(ids.is_in(list(queries)))


def _counts(frame: pl.DataFrame) -> dict[str, int]:
    """How many rows each query has."""
    return dict(frame.group_by("query").len().iter_rows())

"""What is seen of runs while they are fused: queries, depths, ties, and rows that are not in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rankworth.arrays import Integers
from rankworth.errors import InputError
from rankworth.fusion.blocks import Block
from rankworth.fusion.candidates import List

FIRST: Final = 10
"""ranks among which ties are counted"""


@dataclass
class Facts:
    """What was seen of the runs while they were fused.

    Attributes:
        names: of the runs.
        queries: how many queries there are.
        answered: for how many of them each run has documents.
        depth: how many documents of each list are looked at; all where None.
        longest: the length of the longest list of each run.
        shared: whether each run shares a query with another.
        first: how many documents stand on the first ranks.
        tied: how many of these have the score of another document.
        any_tied: whether any documents of a query have equal scores.
        unordered: for how many queries each run has rows that are not in the order of their scores.

    """

    names: Sequence[str]
    depth: int | None = None
    queries: int = 0
    first: int = 0
    tied: int = 0
    any_tied: bool = False

    def __post_init__(self) -> None:
        """Begin with nothing."""
        size = len(self.names)
        self.answered = np.zeros(size, dtype=np.int64)
        self.longest = np.zeros(size, dtype=np.int64)
        self.shared = np.zeros(size, dtype=bool)
        self.unordered = np.zeros(size, dtype=np.int64)

    def see(self, block: Block, lists: Sequence[List]) -> None:
        """Count the queries and rows of a block."""
        lengths = np.array(block.lengths)  # [L, Q]
        lengths = lengths if self.depth is None else np.minimum(lengths, self.depth)
        has = lengths > 0
        self.queries += len(block.queries)
        self.answered += has.sum(axis=1)
        self.longest = np.maximum(self.longest, lengths.max(axis=1, initial=0))
        self.shared |= (has & (has.sum(axis=0) > 1)).any(axis=1)
        for number, rows in enumerate(lists):
            rises = (rows.scores[1:] > rows.scores[:-1]) & (rows.query[1:] == rows.query[:-1])
            self.unordered[number] += np.unique(rows.query[1:][rises]).size

    def count_ties(self, query: Integers, scores: np.ndarray[Any, Any]) -> None:
        """Count the documents on the first ranks that have the score of another."""
        equal = (scores[1:] == scores[:-1]) & (query[1:] == query[:-1])
        tied = np.concatenate(([False], equal)) | np.concatenate((equal, [False]))
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        place = np.arange(query.size) - np.repeat(starts, np.diff(starts, append=query.size))
        self.any_tied = self.any_tied or bool(equal.any())
        self.first += int((place < FIRST).sum())
        self.tied += int((tied & (place < FIRST)).sum()) if query.size else 0

    def refuse_strangers(self, empty: Sequence[bool]) -> None:
        """Refuse runs of which one shares no query with another.

        Args:
            empty: whether each run has queries with an empty list, which count as shared.

        Raises:
            InputError: `no-common-queries`.

        """
        alone = (self.answered > 0) & ~self.shared & ~np.array(empty, dtype=bool)
        if (self.answered > 0).sum() > 1 and alone.any():
            name = self.names[int(np.argmax(alone))]
            text = f"{name} shares no query with any other run: there is nothing to fuse"
            raise InputError("no-common-queries", text, remedy="compare the ids of queries: head -1 of each run")

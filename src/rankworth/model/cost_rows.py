"""The column of costs of a run, read as its scores are, with the line of each row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import polars as pl

from rankworth.errors import InputError
from rankworth.io.files import batches_of
from rankworth.io.grade_words import NONE, TextCounts, Words
from rankworth.io.layout import RUN
from rankworth.io.options import Reading
from rankworth.io.source import STDIN

if TYPE_CHECKING:
    from rankworth.io.id_rules import IdRule
    from rankworth.io.source import Source

_WORDS: Final = re.compile(r"\w+|[^\w\s]")
"""what counts as a token of a text: a run of letters, digits and underscores, or one other sign that is no blank"""
_SCORE: Final = re.compile(r": (?:the|there is no) score\b")
"""what messages of readers say of a cell, which holds a cost here"""
_NO_NUMBER: Final = ("bad-score", "missing-value", "input-type")
"""what is said of a cell that is no number"""

Row = tuple[str, str, float, str]
"""query, document, cost, and where it stands"""


class Costly(Protocol):
    """A run, or chunks, whose rows have costs."""

    @property
    def source(self) -> Any:  # noqa: ANN401 - whatever a run is made of
        """What it was read from."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def format(self) -> str:
        """Of its files."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Which column holds what."""

    @property
    def ids(self) -> "IdRule | None":
        """How documents are renamed."""

    @property
    def files(self) -> "Sequence[Source]":
        """Its files."""

    @property
    def kept(self) -> frozenset[str] | None:
        """The queries that count; None for all."""


def rows_of(run: Costly, column: str, unit: str) -> Iterator[Row]:
    """Yield what the rows of a run cost.

    They are read as scores are, by every format, and from lists within rows as well; of standard input what was kept
    of it is read. A column of texts is counted: tokens are words and signs, bytes those of UTF-8.

    Args:
        run: the run.
        column: which holds the costs.
        unit: tokens, bytes or milliseconds.

    Raises:
        InputError: `bad-cost`.

    """
    try:
        frame = read(run, column)
    except InputError as error:
        if error.slug == "frame-columns":
            remedy = f"name the column of the costs: --cost {unit}=NAME, in Python cost='{unit}=NAME'"
            raise InputError("frame-columns", error.problems[0], remedy=remedy) from None
        if error.slug not in _NO_NUMBER:
            raise
        frame = _counted(run, column, unit, error)
    lines = _lines(run, frame.height)
    for number, (query, document, cost) in enumerate(frame.iter_rows()):
        yield str(query), str(document), cost, f"{lines[number]}: " if lines else ""


def read(run: Costly, column: str, words: Words = NONE) -> pl.DataFrame:
    """Read the rows of a run once more, with the numbers of another column in place of scores.

    Args:
        run: the run.
        column: which holds the numbers.
        words: what texts mean.

    Raises:
        InputError: as where scores are read.

    """
    columns = {role: name for role, name in run.columns.items() if role not in ("score", "rank")} | {"score": column}
    reading = Reading(run.format, columns, grades=words, ids=run.ids)
    frames = batches_of(run.source, run.files, RUN, reading, f"run {run.name}" if run.name else "the run")
    return pl.concat([part.select("query", "document", "score") for part in frames])


def _counted(run: Costly, column: str, unit: str, error: InputError) -> pl.DataFrame:
    """Count the texts of a column that holds no numbers.

    Args:
        run: the run.
        column: which holds the texts.
        unit: what is counted.
        error: with which the numbers were refused.

    Raises:
        InputError: `bad-cost`, where a row has no text.

    """
    counts = TextCounts(tokens if unit == "tokens" else lambda text: len(text.encode()))
    try:
        if unit != "milliseconds":
            return read(run, column, counts)
    except InputError as unread:
        if unread.slug not in _NO_NUMBER:
            raise
        if not counts.met_numbers:
            where = _SCORE.split(unread.problems[0])[0]
            text = f"{where}: there is no text in {column} whose {unit} could be counted"
            remedy = "give each document one, or its cost as a number in another column"
            raise InputError("bad-cost", text, remedy=remedy) from None
    problem = _SCORE.sub(lambda match: match[0].replace("score", "cost"), error.problems[0])
    text = f"the column {column}, which says what documents cost: {problem}"
    raise InputError("bad-cost", text, remedy="each retrieved document has a cost, a number from 0") from None


def tokens(text: str) -> int:
    """Count the words and signs of a text.

    >>> tokens("What is rank-worth?")
    6
    """
    return len(_WORDS.findall(text))


def _lines(run: Costly, rows: int) -> list[str]:
    """Return where each row stands, for one file with a row in each line; nothing of others."""
    if len(run.files) != 1 or run.kept is not None or run.files[0].path == STDIN:
        return []
    try:
        with open(run.files[0].path, encoding="utf-8") as file:  # noqa: PTH123 - a path of any kind
            numbers = [number for number, line in enumerate(file, 1) if line.strip()]
    except (OSError, UnicodeDecodeError, ValueError):
        return []
    numbers = numbers[1:] if len(numbers) == rows + 1 else numbers
    return [f"{run.files[0].name}:{number}" for number in numbers] if len(numbers) == rows else []

"""What lines and columns of a run or of judgements hold."""

import re
from dataclasses import dataclass
from typing import Final, Literal

NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
SPAN: Final = ("source", "start", "end")
"""what columns tell a span of a source, which stands where a document does"""
SpanWay = Literal["span", "span-text", "text"]
"""What tells a span: a start and an end, a start and a text, or a text that is sought in sources."""


@dataclass(frozen=True)
class Layout:
    """What a file holds: a run or judgements.

    Attributes:
        option: what options call such files.
        columns: of TREC's lines.
        value: which of them is the number.
        repeated: the slug where a document appears twice.
        verb: what such a file does to a document.
        exchanged: what helps where this is expected, and the other is there.

    """

    option: str
    columns: tuple[str, ...]
    value: str
    repeated: str
    verb: str
    exchanged: str

    @property
    def noun(self) -> str:
        """What messages call a row."""
        return f"{self.option} line"

    @property
    def slug(self) -> str:
        """The slug where there are too many or too few columns."""
        return f"{self.option}-columns"

    def format_option(self, form: str, path: str) -> str:
        """Return how a user says which format a file has."""
        kind = "Run" if self.value == "score" else "Qrels"
        return f"--{self.option}-format {form}, in Python {kind}({path!r}, format={form!r})"

    def fits(self, line: bytes) -> bool:
        """Return whether a line of TREC's has these columns, and a number where one belongs."""
        fields, value = line.split(), self.columns.index(self.value)
        return len(fields) == len(self.columns) and bool(NUMBER.fullmatch(fields[value].decode("latin-1")))


RUN: Final = Layout(
    option="run",
    columns=("query", "Q0", "document", "rank", "score", "tag"),
    value="score",
    repeated="duplicate-document",
    verb="ranks",
    exchanged="this looks like judgements; they come first, the run comes second",
)
QRELS: Final = Layout(
    option="qrels",
    columns=("query", "iteration", "document", "grade"),
    value="grade",
    repeated="duplicate-judgement",
    verb="judges",
    exchanged="this looks like a run; the judgements come first, the run comes second",
)

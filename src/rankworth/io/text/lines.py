"""What a line of a TREC file holds, and what to say of a line that does not.

The slow and definite way to read: one line at a time, every problem with its number and with what helps.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Final

from rankworth.errors import InputError, shortened
from rankworth.io.source import Source
from rankworth.io.text import foreign

SHOWN: Final = 10
FIELDS: Final = 10_000
"""how many words a line, or cells a record, may have"""
MARK: Final = b"\xef\xbb\xbf"
"""a byte order mark; files that were joined have some in their middle"""
_NUMBER: Final = re.compile(rb"[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_BEFORE: Final = re.compile(rb"\A(?:\xef\xbb\xbf|\s)+")
_SEPARATOR: Final = re.compile(rb"sep=[,;|\t]\r?\n?")
_COMMA: Final = re.compile(rb"[+-]?\d+,\d+")
_HEADERS: Final = (b"query", b"query_id", b"qid", b"topic")


SWAPPED: Final = {
    "score": "this looks like judgements; they come first, the run comes second",
    "grade": "this looks like a run; the judgements come first, the run comes second",
}
"""what is said of a file whose columns are those of the other side"""


@dataclass(frozen=True)
class Layout:
    """What a line holds."""

    what: str
    columns: tuple[str, ...]
    value: str
    used: tuple[str, ...]
    slug: str
    bad_value: str
    infinite: bool
    verb: str
    repeated: str
    option: str
    """what the command line calls such files"""

    @property
    def exchanged(self) -> str:
        """What helps where this is expected, and the other thing is there."""
        return SWAPPED[self.value]

    @property
    def other(self) -> "Layout":
        """Judgements for a run, and the other way around."""
        return QRELS if self is RUN else RUN

    @property
    def place(self) -> int:
        """Which column holds the value."""
        return self.columns.index(self.value)

    def with_blanks_in_tag(self, line: bytes, fields: list[bytes]) -> list[bytes]:
        """The columns of a line that has more words than columns: as it stands, unless tabs tell where the tag begins.

        trec_eval keeps what follows the tag for future use; without tabs, a blank in an id would look the same.
        """
        *others, tag = _bare(line).strip().split(b"\t")
        whole = self.columns[-1] == "tag" and len(others) + 1 == len(self.columns)
        if whole and all(len(cell.split()) == 1 for cell in others):
            return [*fields[: len(others)], b" ".join(tag.split())]
        return fields

    def fits(self, fields: list[bytes]) -> bool:
        """Whether a line may have these columns."""
        if len(fields) != len(self.columns) or not _NUMBER.fullmatch(fields[self.place]):
            return False
        value = float(fields[self.place])
        return math.isfinite(value) or (self.infinite and not math.isnan(value))


RUN: Final = Layout(
    what="run line",
    columns=("query", "Q0", "document", "rank", "score", "tag"),
    value="score",
    used=("query", "document", "score"),
    slug="run-columns",
    bad_value="bad-score",
    infinite=True,
    verb="ranks",
    repeated="duplicate-document",
    option="run",
)
QRELS: Final = Layout(
    what="qrels line",
    columns=("query", "iteration", "document", "grade"),
    value="grade",
    used=("query", "document", "grade"),
    slug="qrels-columns",
    bad_value="bad-grade",
    infinite=False,
    verb="judges",
    repeated="duplicate-judgement",
    option="qrels",
)


def first_line(head: bytes) -> bytes:
    """The first line that says something: neither blank nor a comment, nor there for Excel; nothing without one."""
    lines = (line for line in head.removeprefix(MARK).split(b"\n") if line.strip() and not is_sep(line))
    return next((line for line in lines if not line.lstrip().startswith(b"#")), b"")


def is_sep(line: bytes) -> bool:
    """Whether a line tells Excel the delimiter, and nobody anything else."""
    return _SEPARATOR.fullmatch(line) is not None


def words(line: bytes) -> list[bytes]:
    """The words of a line, without a byte order mark before the first."""
    return _bare(line).split()


def _bare(line: bytes) -> bytes:
    return _BEFORE.sub(b"", line, count=1) if MARK in line else line


def _quoted(line: bytes) -> str:
    """A line in quotes, with escapes where it is no text."""
    try:
        return repr(shortened(line.decode().strip()))
    except UnicodeDecodeError:
        return repr(shortened(line.strip().decode("latin-1")).encode("latin-1"))[1:]


@dataclass
class Complaints:
    """The problems of one file: the first ten in words, the others counted."""

    source: Source
    layout: Layout
    problems: list[tuple[str, str]] = field(default_factory=list)
    remedies: dict[str, None] = field(default_factory=dict)
    found: int = 0
    exchanged: int = 0
    """how many of them are lines of the other kind"""

    def read(self, number: int, line: bytes) -> list[str] | None:
        """The columns of a line as text; None where there is nothing to read or something to complain of."""
        fields = words(line)
        if not fields or fields[0].startswith(b"#"):
            return None
        if len(fields) > FIELDS:
            remedy = f"end each {self.layout.what} with a line break"
            raise foreign.endless(self.source, number - 1, FIELDS, remedy, counted="columns")
        if len(fields) > len(self.layout.columns):
            fields = self.layout.with_blanks_in_tag(line, fields)
        try:
            if self.layout.fits(fields):
                return [text.decode() for text in fields]
        except UnicodeDecodeError:
            pass
        self.found += 1
        self.exchanged += self.layout.other.fits(fields)
        if self.found <= SHOWN:
            slug, text, remedy = self._diagnosis(number, line, fields)
            self.problems.append((slug, f"{self.source.name}:{number}: {text}: {_quoted(line)}"))
            self.remedies[remedy] = None
        return None

    def error(self, note: str = "", *, sound: int = 0) -> InputError:
        """All of them as one error, with a further note; one line where every line of the file is of the other kind."""
        if self.exchanged == self.found and not sound:
            other = self.layout.other
            text = f"{self.source.name}: these are {other.what}s ({' '.join(other.columns)}), not {self.layout.what}s"
            return InputError(self.layout.slug, text, remedy="\n".join(filter(None, (self.layout.exchanged, note))))
        slugs, texts = zip(*self.problems, strict=True)
        remedy = "\n".join(filter(None, (*self.remedies, note)))
        return InputError(slugs[0], *texts, slugs=slugs, more=self.found - len(texts), remedy=remedy)

    def _diagnosis(self, number: int, line: bytes, fields: list[bytes]) -> tuple[str, str, str]:
        """The slug, what is wrong, and what helps."""
        layout, count = self.layout, len(fields)
        if count != len(layout.columns):
            if b"\r" in line.strip() and layout.fits(words(line.strip().partition(b"\r")[0])):
                return "line-ends", "lines end here in CR alone, not in LF", foreign.with_lf(self.source)
            columns = f"{len(layout.columns)} columns ({' '.join(layout.columns)})"
            return layout.slug, f"a {layout.what} has {columns}, this one has {count}", self._columns(line, fields)
        if layout.fits(fields):
            return "wrong-encoding", "this is not UTF-8", foreign.latin1(self.source)
        number_text = fields[layout.place]
        if _NUMBER.fullmatch(number_text):
            remedy = f"drop the lines whose {layout.value} is no finite number, or mend what wrote them"
            return layout.bad_value, f"the {layout.value} is {number_text.decode()}", remedy
        if _COMMA.fullmatch(number_text):
            remedy = "write numbers with a decimal point, as in 12.5"
        elif number == 1 or fields[0].lower() in _HEADERS:
            path = foreign.path_of(self.source)
            cut = f"tail -n +2 {path}" if number == 1 else f"sed {number}d {path}"
            remedy = f"if line {number} is a header: {cut} > lines.txt"
        else:
            remedy = f"a {layout.value} is a number such as {'12.5 or 1e-3' if layout.infinite else '0, 1 or 0.5'}"
        return layout.bad_value, f"the {layout.value} is not a number", remedy

    def _columns(self, line: bytes, fields: list[bytes]) -> str:
        """What the file probably is, or what may have happened to the line."""
        layout, missing = self.layout, len(self.layout.columns) - len(fields)
        wanted = f"write every line as: {' '.join(layout.columns)}"
        if layout.other.fits(fields):
            return layout.exchanged
        if fields[0][:1] in (b"{", b"["):
            return f"this looks like JSON: --{layout.option}-format json, or jsonl where each line is an object"
        if missing > 0 and (line.count(b",") > 1 or line.count(b"\t") > 1):
            form = "tsv" if b"\t" in line else "csv"
            counted = {"query": 1, "document": 2, layout.value: 3}
            said = " ".join(f"{what}={column}" for what, column in counted.items())
            return (
                f"this looks like a table: --{layout.option}-format {form}, and without a header --columns {said} "
                f"(in Python format={form!r}, columns={counted})"
            )
        if missing == 1 and layout is RUN and _NUMBER.fullmatch(fields[-1]):
            path = foreign.path_of(self.source)
            return f"if only the name of the run is missing: awk '{{print $0, \"name\"}}' {path} > six.txt"
        return wanted if missing > 0 else f"ids and names cannot contain blanks; {wanted}"

"""How numbers and names look to people: one place for terminal, Markdown, LaTeX and HTML."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.tables.columns import Column, Kind

UNDEFINED: Final = "n/a"
UNJUDGED: Final = "?"
_DIGITS: Final = 4
_HUGE: Final = 1e9
_SMALLEST: Final = 0.001
"""below which p values are not told"""
_LEAST: Final = 0.00005
"""half of what four decimals show"""
_DIGITS_IN_PERCENT: Final = 2
_MOST: Final = 15
"""decimals that a float64 has"""
_ROUNDING: Final = 1e-12
"""how far below 1 a share may be that is 1 but for rounding"""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""what moves a cursor, breaks a line, turns the direction of what follows, or is half of a surrogate pair or none"""
_LINK: Final = re.compile(
    r"""
    (?<![A-Za-z0-9_]) @ (?=\w)                          # a person or a team: @name
    | (?<=[\w.+-]) @ (?=[\w-]+\.\w)                    # an address of mail: name@host.org
    | [#!] (?=\d)                                      # an issue or a merge request: #12, org/repo#12, !12
    | (?<![A-Za-z0-9]) (?:GH|GHSA) (?=-\w)             # the same: GH-12, and an advisory
    | (?<![A-Za-z]) (?:mailto|xmpp) (?=:)
    | (?<![A-Za-z0-9]) www (?=\.)
    | : (?=//)                                         # an address: https://host.org
    | : (?=(?:100|1234|[\w+-]*[^\W\d][\w+-]*):)        # a picture, :name:, and not the line of a file, x.run:2: ...
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""what GitHub and others make a link, a picture or a call of, up to where something may stand in it"""
ZERO_WIDTH: Final = "\u200b"
"""a blank of no width"""
_ISOLATE: Final = re.compile("(\u2068[^\u2066-\u2069]*\u2069)")
"""a text within a sentence that decides its own direction"""


@dataclass(frozen=True)
class Look:
    """What the reader chose.

    Attributes:
        digits: decimals of values; 4 where not said, 2 in percent.
        percent: whether shares are shown in percent.
        width: how many cells a line may take.
        bold: whether the terminal shows bold text.
        caption: of a table in LaTeX.
        label: of a table in LaTeX, by which the text refers to it.
        safe: whether texts that a spreadsheet would take for formulas are quoted in csv and tsv.

    """

    digits: int | None = None
    percent: bool = False
    width: int = 80
    bold: bool = False
    caption: str = ""
    label: str = ""
    safe: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no number of decimals.

        Raises:
            UsageError: `unknown-setting`.

        """
        digits: Any = self.digits
        if digits is None:
            return
        if isinstance(digits, bool) or not isinstance(digits, Integral) or not 0 <= digits <= _MOST:  # type: ignore[operator]
            text = f"digits={digits!r}: how many decimals are shown is a whole number from 0 to {_MOST}"
            raise UsageError("unknown-setting", text)

    def number(self, value: float | None, kind: Kind) -> str:
        """Format a number for people; a share below 1 never as 1, for which it gets further decimals.

        >>> Look().number(0.50583, "share"), Look(percent=True).number(0.50583, "share"), Look().number(None, "value")
        ('0.5058', '50.58%', 'n/a')
        >>> Look(2).number(0.9952, "share"), Look(2).number(1.0, "share")
        ('0.995', '1.00')
        """
        if value is None or math.isnan(value):
            return UNDEFINED
        if kind == "count":
            return f"{value:,}"
        scale, sign = (100, "%") if self.percent and kind == "share" else (1, "")
        usual = _DIGITS_IN_PERCENT if sign else _DIGITS
        text = f"{scale * value:z.{usual if self.digits is None else self.digits}f}"
        if kind == "share" and value < 1 - _ROUNDING and float(text) == scale:
            texts = (f"{scale * value:.{digits}f}" for digits in range(_MOST))
            text = next(text for text in texts if float(text) < scale)
        return f"{text}{sign}"

    def cells(self, column: Column) -> list[str]:
        """Format the values of a column for people, without its bounds."""
        if column.kind == "text":
            return [visible(value) for value in column.values]
        if column.kind in ("number", "grade"):
            return self._as_needed(column)
        numbers = column.values
        return [value if isinstance(value, str) else self.number(value, column.kind) for value in numbers]

    def _as_needed(self, column: Column) -> list[str]:
        """Format numbers of one column with as many decimals as they need: none where all of them are whole.

        Texts among them stay as they are, and nothing is shown for a number that is not there.

        >>> Look().cells(Column("gain", "number", [3.0, 0.0])), Look().cells(Column("grade", "grade", [0.5, None]))
        (['3', '0'], ['0.5', '?'])
        """
        empty = UNJUDGED if column.kind == "grade" else ""
        finite = [float(value) for value in column.values if isinstance(value, Real) and math.isfinite(value)]
        if column.kind == "grade" or all(value.is_integer() and abs(value) < _HUGE for value in finite):
            return [_plain(value, empty) for value in column.values]
        return [self._decimals(value) if isinstance(value, Real) else _plain(value, empty) for value in column.values]

    def _decimals(self, value: Any) -> str:  # noqa: ANN401 - a number of any kind
        text = self.number(value, "value")
        hidden = value and math.isfinite(value) and (not float(text) or abs(value) >= _HUGE)
        return f"{value:.1e}" if hidden else text

    def bounds(self, column: Column) -> list[tuple[str, str]]:
        """Format the bounds of a column for people; texts, such as an empty one, stay as they are."""
        return [(self._bound(low, column.kind), self._bound(high, column.kind)) for low, high in column.bounds]

    def _bound(self, value: float | str | None, kind: Kind) -> str:
        """Format the end of an interval: not as 0 where it is not, so that the interval shows whether it holds 0.

        >>> [Look()._bound(end, "number") for end in (0.00001, -0.00001, 0.25, -math.inf)]
        ['<0.0001', '-<0.0001', '0.2500', '-∞']
        """
        if isinstance(value, str):
            return value
        text = self.number(value, kind)
        if value is None or math.isnan(value) or kind == "count":
            return text
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        if not value or text.strip("-0.%"):
            return text
        unit = "%" if text.endswith("%") else ""
        return f"{'-' if value < 0 else ''}<{text.lstrip('-').removesuffix('%')[:-1]}1{unit}"


def p_value(value: float) -> str:
    """Format a p value for people.

    >>> p_value(0.04125), p_value(1e-7), p_value(float("nan"))
    ('0.041', '<0.001', 'n/a')
    """
    if math.isnan(value):
        return UNDEFINED
    return f"<{_SMALLEST:g}" if value < _SMALLEST else f"{value:.3f}"


def signed(value: float) -> str:
    """Format a difference for people: with its sign, and never as 0 where it is not.

    >>> signed(0.04125), signed(-0.5), signed(1e-7), signed(0.0), signed(1.0)
    ('+0.0413', '-0.5000', '+<0.0001', '0.0000', '+1.0000')
    """
    if math.isnan(value):
        return UNDEFINED
    if value and abs(value) < _LEAST:
        return f"{'-' if value < 0 else '+'}<0.0001"
    if abs(value) >= _HUGE:
        return f"{value:+.1e}"
    return f"{value:+.4f}" if value else "0.0000"


def _plain(value: Any, empty: str) -> str:  # noqa: ANN401 - a number, None, or a grade for each subtopic
    """Format a number as it is, or the numbers of a tuple."""
    if isinstance(value, tuple):
        return " ".join(_plain(part, empty) for part in value)
    if isinstance(value, str):
        return visible(value)
    if value is None or math.isnan(value):
        return empty if value is None else UNDEFINED
    return f"{value + 0.0:.0f}" if math.isfinite(value) and value == int(value) and abs(value) < _HUGE else f"{value:g}"


def visible(text: Any) -> str:  # noqa: ANN401 - a cell of any kind
    r"""Spell out control characters of a text, so that none reaches a terminal or breaks a row.

    Marks that join letters or give a single place its direction are part of the text, and stay.

    >>> visible("a\tb\x1b[31m\u202e")
    'a\\tb\\x1b[31m\\u202e'
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def visible_sentence(text: str) -> str:
    r"""Spell out control characters of a sentence, except paired isolates, which turn nothing around them.

    >>> visible_sentence("on \u2068متى\u2069 and \u2068\u202e")
    'on \u2068متى\u2069 and \\u2068\\u202e'
    """
    return "".join(
        f"{part[0]}{visible(part[1:-1])}{part[-1]}" if number % 2 else visible(part)
        for number, part in enumerate(_ISOLATE.split(text))
    )


def unlinked(text: str) -> str:
    r"""Put a zero-width space into names that a page would turn into a link or a mention.

    >>> unlinked("@ada found org/repo#12, GH-7 and www.host.org: nDCG@10").replace(ZERO_WIDTH, "_")
    '@_ada found org/repo#_12, GH_-7 and www_.host.org: nDCG@10'
    """
    return _LINK.sub(lambda match: f"{match[0]}{ZERO_WIDTH}", text)


def best_rows(column: Column, cells: Sequence[str]) -> frozenset[int]:
    """Find the rows with the best value of a column; none if all rows have the same.

    >>> sorted(best_rows(Column("AP", "share", [0.25, 0.5, 0.50001, None], "highest"), ["0.25", "0.50", "0.50", "n/a"]))
    [1, 2]
    """
    rows = [row for row, value in enumerate(column.values) if column.best and value is not None and value == value]  # noqa: PLR0124 - NaN test
    if len({cells[row] for row in rows}) < 2:  # noqa: PLR2004 - a best one needs a worse one
        return frozenset()
    choose = max if column.best == "highest" else min
    best = cells[choose(rows, key=lambda row: column.values[row])]
    return frozenset(row for row in rows if cells[row] == best)


def second_rows(column: Column, cells: Sequence[str]) -> frozenset[int]:
    """Find the rows with the second best value of a column; none if fewer than two values remain below the best.

    >>> sorted(second_rows(Column("AP", "share", [0.1, 0.3, 0.2], "highest", second=True), ["0.1", "0.3", "0.2"]))
    [2]
    """
    first = best_rows(column, cells)
    remaining = [value for row, value in enumerate(column.values) if row not in first]
    if not column.second or not first or len(remaining) < 2:  # noqa: PLR2004 - a second one needs a third one
        return frozenset()
    without_best = [None if row in first else value for row, value in enumerate(column.values)]
    return best_rows(replace(column, values=without_best), cells)

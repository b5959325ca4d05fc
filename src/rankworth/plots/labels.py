"""Texts of others and sentences as words on a plot: short, in lines, and never taken for a formula."""

import math
import textwrap
import unicodedata
from typing import Final

from rankworth.render.look import visible

_LONGEST: Final = 36
_DOTS: Final = "..."
_LETTER: Final = 0.52
"""the width of a letter, on average, in heights of a line"""
_LEAST: Final = 10
"""how many letters a line has at least"""


def label(text: str, longest: int = _LONGEST) -> str:
    r"""Text as a label: short, without control characters, and never taken for a formula.

    What is cut out comes from the middle: ids and paths often begin alike.

    >>> print(label("$d_1$\\n"))
    \$d_1\$\n
    >>> label("clueweb12-0000tw-00-00001", 20)
    'clueweb1...-00-00001'
    """
    shown = visible(text)
    if _wide(shown, longest) < len(shown):
        half = (longest - len(_DOTS)) / 2
        end = _wide(shown[::-1], math.ceil(half))
        shown = f"{shown[: _wide(shown, math.floor(half))]}{_DOTS}{shown[len(shown) - end :]}"
    return literal(shown)


def fitting(room: float, size: str = "medium") -> int:
    """How many letters of a label go into so many points, at most those that a label has."""
    return min(_LONGEST, max(int(room / (points(size) * _LETTER)), _LEAST))


def cut(text: str, longest: int) -> str:
    """Text without control characters, or its beginning and three dots, in so many cells.

    >>> cut("a long sentence", 9)
    'a long...'
    """
    shown = visible(text)
    return shown if _wide(shown, longest) == len(shown) else f"{shown[: _wide(shown, longest - len(_DOTS))]}{_DOTS}"


def wrapped(text: str, room: float, size: str = "medium") -> list[str]:
    """A text in lines of at most so many points."""
    if not text:
        return []
    height = points(size)
    lines = textwrap.wrap(text, max(int(room / (height * _LETTER)), _LEAST))
    widest = max(_width(line, height) for line in lines)
    return lines if widest <= room else textwrap.wrap(text, max(int(max(map(len, lines)) * room / widest), _LEAST))


def runs_left(text: str) -> bool:
    """Whether the first letter of a text makes it run from right to left.

    >>> runs_left("1, query"), runs_left("1, \N{HEBREW LETTER ALEF}, query")
    (False, True)
    """
    kinds = map(unicodedata.bidirectional, text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def literal(text: str) -> str:
    """Text in which no dollar begins a formula."""
    return text.replace("$", r"\$")


def points(size: str = "medium") -> float:
    """The height of letters."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - optional library

    return FontProperties(size=size).get_size_in_points()


def _wide(text: str, longest: int) -> int:
    """How many letters of a text go into so many cells."""
    width = 0
    for place, sign in enumerate(text):
        width += 1 + _is_wide(sign)
        if width > longest:
            return place
    return len(text)


def _is_wide(sign: str) -> bool:
    """Whether a letter takes the place of two."""
    return unicodedata.east_asian_width(sign) in "WF"


def _width(text: str, height: float) -> float:
    """How wide a line is in points: as the usual font draws it, and wide letters as wide as high."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - optional library
    from matplotlib.textpath import text_to_path  # noqa: PLC0415 - optional library

    narrow = "".join(sign for sign in text if not _is_wide(sign))
    drawn, _, _ = text_to_path.get_text_width_height_descent(narrow, FontProperties(size=height), ismath=False)
    return float(drawn) + height * (len(text) - len(narrow))

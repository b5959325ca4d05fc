"""Text on a chart: labels that are short and no formulas, numbers in words, fonts that have the letters."""

import math
import textwrap
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Final, TypeGuard

from rankworth.errors import RankworthWarning
from rankworth.tables import look
from rankworth.tables.look import visible

_LONGEST: Final = 36
_DOTS: Final = "..."
_LETTER: Final = 0.52
"""the width of a letter, on average, in heights of a line"""
_LEAST: Final = 10
"""how many letters a line has at least"""
_SMALLEST: Final = 0.00005
"""what four decimals round to something"""
FALLBACKS: Final = (
    *("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans CJK TC"),
    *("Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Noto Sans TC", "Source Han Sans SC", "Source Han Sans JP"),
    *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "IPAexGothic", "IPAGothic", "TakaoGothic"),
    *("NanumGothic", "AR PL UMing CN", "PingFang SC", "PingFang HK", "Hiragino Sans", "Hiragino Sans GB"),
    *("Apple SD Gothic Neo", "Microsoft YaHei", "Yu Gothic", "MS Gothic", "Malgun Gothic", "SimHei", "SimSun"),
    *("Arial Unicode MS", "Noto Sans Arabic", "Noto Naskh Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"),
    *("Noto Sans Bengali", "Noto Sans Thai", "Noto Sans", "Noto Emoji", "Unifont"),
)
"""families that have many of the world's letters, in the order in which they are tried"""
_SHOWN: Final = 5
_UNSEEN: Final = ("Cc", "Cf", "Zs")
"""kinds of characters that leave nothing to draw"""


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


def number(value: float | None) -> str:
    r"""A value; with a power of ten where four decimals would make it 0.

    >>> number(0.5), number(None), number(0.0), ascii(number(3e-7))
    ('0.5000', 'n/a', '0.0000', "'3.0e\\u22127'")
    """
    text = look.Look().number(value, "value")
    if real(value) and 0 < abs(value) < _SMALLEST:
        digits, _, power = f"{value:.1e}".partition("e")
        text = f"{digits}e{int(power)}"
    return text.replace("-", "\N{MINUS SIGN}")


def signed(change: float) -> str:
    r"""A difference, always with its sign.

    >>> signed(0.0412), ascii(signed(-0.25)), signed(0.0), signed(0.00001)
    ('+0.0412', "'\\u22120.2500'", '0.0000', '+<0.0001')
    """
    return look.signed(change).replace("-", "\N{MINUS SIGN}")


def span(low: float, high: float) -> str:
    """From one value to another."""
    return f"{number(low)}\N{HORIZONTAL ELLIPSIS}{number(high)}"


def real(value: float | None) -> TypeGuard[float]:
    """Whether there is a finite number."""
    return value is not None and math.isfinite(value)


def families(texts: Iterable[str], usual: Sequence[str]) -> list[str]:
    """The font families that together have all letters of some texts; the usual ones alone where they do.

    Args:
        texts: what is to be drawn.
        usual: the families that are used otherwise.

    Warns:
        RankworthWarning: `missing-font`, once for all texts.

    """
    found = list(usual)
    wanted = {
        sign for text in texts for sign in text if not sign.isascii() and unicodedata.category(sign) not in _UNSEEN
    }
    if not wanted:
        return found
    for family in usual:
        wanted -= _drawn(family, wanted)
    for family in FALLBACKS:
        if wanted and (drawn := _drawn(family, wanted, usual=False)):
            found.append(family)
            wanted -= drawn
    if wanted:
        signs = " ".join(sorted(wanted)[:_SHOWN]) + (" ..." if len(wanted) > _SHOWN else "")
        text = (
            f"labels show boxes for {signs}: no font that is known to have them is installed; install one, such as "
            "Noto Sans CJK, or put the name of another into matplotlib.rcParams['font.family']"
        )
        warnings.warn(RankworthWarning("missing-font", text), stacklevel=6)
    return found


def _drawn(family: str, wanted: set[str], *, usual: bool = True) -> set[str]:
    """The characters that a family has."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # noqa: PLC0415 - optional library

    try:
        path = findfont(FontProperties(family=[family]), fallback_to_default=usual)
    except ValueError:  # not installed
        return set()
    font = get_font(path)
    return {sign for sign in wanted if font.get_char_index(ord(sign))}

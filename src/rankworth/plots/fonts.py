"""Fonts for labels in all scripts: the reader's own first, then installed ones that have what it lacks."""

import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Final

from rankworth.errors import RankworthWarning

FALLBACKS: Final = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans CJK TC",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Noto Sans TC",
    "Source Han Sans SC",
    "Source Han Sans JP",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "IPAexGothic",
    "IPAGothic",
    "TakaoGothic",
    "NanumGothic",
    "AR PL UMing CN",
    "PingFang SC",
    "PingFang HK",
    "Hiragino Sans",
    "Hiragino Sans GB",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "MS Gothic",
    "Malgun Gothic",
    "SimHei",
    "SimSun",
    "Arial Unicode MS",
    "Noto Sans Arabic",
    "Noto Naskh Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Thai",
    "Noto Sans",
    "Noto Emoji",
    "Unifont",
)
"""families that have many of the world's letters, in the order in which they are tried"""
_SHOWN: Final = 5
_UNSEEN: Final = ("Cc", "Cf", "Zs")
"""kinds of characters that leave nothing to draw"""


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

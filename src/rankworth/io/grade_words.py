"""Words that stand for grades: which number each means, and what to propose where nothing says so.

A text that reads as a number is that number, and `true` and `false` are 1 and 0, in every format.
"""

import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from types import MappingProxyType
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.io.layout import NUMBER

Words = Mapping[str, float]
"""The grade that each word means, `{"E": 3, "S": 2}`."""
NONE: Final[Words] = MappingProxyType({})
SHOWN: Final = 12
"""how many words a message proposes grades for"""
_SIGNS: Final = re.compile(r"[\s_-]+")
_LEVEL: Final = re.compile(r"(?:l|level|grade|rel) ?(\d)")
"""L0, L1, L2 of NTCIR"""
_TRUTH: Final = {"true": 1.0, "false": 0.0}
_SCALES: Final = (
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("negative", "positive"),
    ("fail", "pass"),
    ("wrong", "right"),
    ("irrelevant", "relevant"),
    ("not relevant", "relevant"),
    ("incorrect", "correct"),
    ("no", "maybe", "yes"),
    ("no", "partially", "yes"),
    ("incorrect", "partially correct", "correct"),
    ("irrelevant", "partial", "exact"),  # WANDS of Wayfair
    ("i", "c", "s", "e"),  # ESCI of Amazon
    ("irrelevant", "complement", "substitute", "exact"),
    ("irrelevant", "partially relevant", "relevant", "highly relevant"),
    ("not relevant", "partially relevant", "relevant", "highly relevant"),
    ("not relevant", "marginally relevant", "fairly relevant", "highly relevant"),
    ("irrelevant", "related", "relevant", "highly relevant", "perfectly relevant"),
    ("bad", "fair", "good", "excellent", "perfect"),
)
"""words that are used together, the least relevant first; the first scale that has all counts"""


class TextCounts(dict[str, float]):
    """Grades of texts by counting: a text that is no number gets the count of its contents."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """Take what counts a text."""
        super().__init__()
        self.count = count
        self.met_numbers = False
        """whether a number stood where a text is expected"""

    def __bool__(self) -> bool:
        """Return that all texts mean something."""
        return True

    def of(self, item: object) -> float | None:
        """Return the count of a text; None of anything else, a text that reads as a number among it."""
        is_number = isinstance(item, int | float) or (isinstance(item, str) and bool(NUMBER.fullmatch(item.strip())))
        self.met_numbers |= is_number and item == item  # noqa: PLR0124 - NaN is a missing text
        return float(self.count(item)) if isinstance(item, str) and item.strip() and not is_number else None


def checked(grades: Mapping[Any, Any]) -> dict[str, float]:
    """Check which grade each word means.

    Raises:
        UsageError: `unknown-setting`.

    >>> checked({"E": 3, "I": 0})
    {'E': 3.0, 'I': 0.0}
    """
    if isinstance(grades, TextCounts):
        return grades
    for word, grade in grades.items():
        is_number = isinstance(grade, Real) and math.isfinite(grade)
        if not isinstance(word, str) or not word.strip() or number(word) is not None:
            text = f"grades: {word!r} is no word; numbers, true and false are grades as they are"
            remedy = "for other gains of a measure give them by grade: 'nDCG(gain={1: 0.1, 2: 1})'"
            raise UsageError("unknown-setting", text, remedy=remedy)
        if not is_number:
            text = f"grades: {word!r} means {grade!r}, which is no finite number"
            raise UsageError("unknown-setting", text, remedy=f"say which grade it means: {option([word])}")
    return {word.strip(): float(grade) for word, grade in grades.items()}


def number(text: str, words: Words = NONE) -> float | None:
    """Return the grade of a text, or None.

    >>> number(" S ", {"S": 2.0}), number("1"), number("True"), number("E", {"S": 2.0})
    (2.0, 1.0, 1.0, None)
    """
    if isinstance(words, TextCounts):
        return words.of(text)
    bare = text.strip()
    if bare in words:
        return words[bare]
    if NUMBER.fullmatch(bare):
        value = float(bare)
        return value if math.isfinite(value) else None
    return _TRUTH.get(bare.lower())


def advice(unknown: Iterable[str], words: Words = NONE) -> str:
    """Propose grades for unexplained words, beside the explained ones; empty if every word is explained.

    A text without a letter, such as a decimal comma, is no word, nor is what a column of grades is called.

    Args:
        unknown: texts that stand where grades do.
        words: those that have a meaning.

    >>> advice(["E", "I"])
    "say which grade each word means: --grades E=3 I=0, in Python grades={'E': 3, 'I': 0}"
    """
    from rankworth.io.usual_names import SPELLINGS  # noqa: PLC0415 - for messages only

    texts = dict.fromkeys(text.strip() for text in unknown if number(text, words) is None)
    proposed = [text for text in texts if any(map(str.isalpha, text)) and text.lower() not in SPELLINGS["grade"]]
    if not proposed:
        return ""
    if len(proposed) > SHOWN:
        named = "--qrels-columns grade=NAME, in Python qrels_columns={'grade': 'NAME'}"
        return (
            f"there are {len(proposed):,} different texts, which are no scale; name the column of the grades: {named}"
        )
    example = "" if usual_grades([*words, *proposed]) else ", with numbers of your own"
    return f"say which grade each word means{example}: {option(proposed, words)}"


def option(proposed: Iterable[str], words: Words = NONE) -> str:
    """Write grades for words as the command line and Python take them."""
    every = [*words, *(word for word in proposed if word not in words)]
    usual = usual_grades(every) or {word: number for number, word in enumerate(every)}
    grades = {word: words.get(word, usual[word]) for word in every}
    typed = " ".join(shlex.quote(f"{word}={grade:g}") for word, grade in grades.items())
    in_python = ", ".join(f"{word!r}: {grade:g}" for word, grade in grades.items())
    if not typed.isprintable():
        return f"grades={{{in_python}}}"
    return f"--grades {typed}, in Python grades={{{in_python}}}"


def usual_grades(words: Iterable[str]) -> dict[str, int]:
    """Return the usual grades of words of a single scale, or nothing.

    >>> usual_grades(["Exact", "Irrelevant"]), usual_grades(["L2", "L0"]), usual_grades(["d1", "d2"])
    ({'Exact': 2, 'Irrelevant': 0}, {'L2': 2, 'L0': 0}, {})
    """
    bare = {word: _SIGNS.sub(" ", word).strip().lower().replace("non relevant", "not relevant") for word in words}
    for scale in _SCALES:
        if set(bare.values()) <= {*scale}:
            return {word: scale.index(text) for word, text in bare.items()}
    levels = {word: _LEVEL.fullmatch(text) for word, text in bare.items()}
    return {word: int(match[1]) for word, match in levels.items() if match} if all(levels.values()) else {}

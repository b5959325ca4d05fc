"""Random collections: ids of all scripts, numbers of the whole float64 range, ties."""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType
from typing import Final

Row = tuple[str, str, float, str | None]
"""query, document, value, subtopic"""
Dicts = dict[str, dict[str, float]]

LETTERS: Final = (
    "abcxyzABC",
    "0123456789",
    "-_.:/~+*=@%&'()[]{}<>?!^$`\\",
    "éüßñøłžÅ",
    "αβγжщя",
    "字漢語한국어ひカ",
    "אבגعربي",
    "हिन्दीไทย",
    "😀👩🏽𝒳𐍈",
    "\u00a0\u200b\u200d\u2028\u2029\u0085\u3000\ufeff\ufffd\u00ad\ue000",
    "\x01\x07\x1b\x1c\x1d\x1e\x1f\x7f",
)
BLANKS: Final = " \t"
DELIMITERS: Final = '",;|#'
ENDS: Final = "\n\r"
WORDS: Final = (
    "0",
    "007",
    "7",
    "1e5",
    "nan",
    "inf",
    "null",
    "None",
    "true",
    "-1",
    "+1",
    "1.0",
    "q1",
    "d1",
    "Q0",
    "NA",
    "",
)
_SPECIAL: Final = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    0.1 + 0.2,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
)
_MORE: Final = (1e22, 1e23, 9007199254740993.0, 2.0**63, 123456789.123456789, 1e-7, 3.0, 2.5)


@dataclass(frozen=True)
class Written:
    """A file, and what it says.

    Attributes:
        content: its bytes.
        rows: what it says, in file order.
        form: its format, a key of `rankworth.io.formats.FORMATS`.
        value: `score` or `grade`.
        columns: what a user has to say of its columns.
        sniffed: whether its content tells the format.
        packed: how it is packed; not where empty.

    """

    content: bytes
    rows: Sequence[Row]
    form: str
    value: str
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    sniffed: bool = True
    packed: str = ""

    def holding(self, content: bytes, packed: str = "") -> "Written":
        """The same with other bytes."""
        return replace(self, content=content, packed=packed or self.packed)


def holds(form: str, text: str) -> bool:
    """Whether a format can hold an id that is a document's or a query's."""
    if form in ("json", "jsonl", "rank_eval", "parquet", "arrow", "stream"):
        return True
    if "\0" in text or not text.strip(BLANKS + ENDS):
        return False
    if form in ("csv", "tsv"):
        return True
    return not set(text) & set(" \t\n\r\v\f") and not text.startswith(("#", "\ufeff", '"'))


def identifier(random: Random, form: str) -> str:
    """An id that the format can hold."""
    while True:
        text = _text(random)
        if holds(form, text):
            return text


def _text(random: Random) -> str:
    kind = random.random()
    if kind < 0.45:
        return f"{random.choice('qdD')}{random.randrange(30)}"
    if kind < 0.55:
        return random.choice(WORDS)
    letters = random.choice(LETTERS) if random.random() < 0.7 else "".join(LETTERS)
    if random.random() < 0.4:
        letters += (BLANKS + DELIMITERS) * 2
    if random.random() < 0.1:
        letters += ENDS
    return "".join(random.choices(letters, k=random.choice((1, 1, 2, 3, 5, 8, 20))))


def score(random: Random, *, infinite: bool) -> float:
    """Any float64 but NaN."""
    kind = random.random()
    if kind < 0.3:
        return random.choice(_SPECIAL + _MORE + ((math.inf, -math.inf) if infinite else ()))
    if kind < 0.6:
        return random.choice((random.randrange(-5, 5) / 2, round(random.uniform(-20, 20), 4)))
    while True:
        (number,) = struct.unpack("d", random.randbytes(8))
        if math.isfinite(number):
            return float(number)


def grade(random: Random) -> float:
    """A grade, mostly a small whole one."""
    if random.random() < 0.8:
        return float(random.randrange(-1, 4))
    return random.choice((0.5, 1.5, -2.25, 1e-7, 100.0, 2.0**53, 0.1 + 0.2, score(random, infinite=False)))


def collection(random: Random, form: str, value: str) -> Dicts:
    """A few queries with a few documents each; at least one row."""
    dicts: Dicts = {}
    documents = [identifier(random, form) for _ in range(random.choice((1, 3, 6, 12)))]
    infinite = form not in ("json", "jsonl", "rank_eval") or random.random() < 0.2
    tied = [score(random, infinite=infinite) for _ in range(2)] if random.random() < 0.3 else []
    for _ in range(random.choice((1, 1, 2, 3, 5))):
        some = random.sample(documents, random.randint(1, len(documents)))
        dicts[identifier(random, form)] = {
            document: grade(random)
            if value == "grade"
            else random.choice(tied)
            if tied
            else score(random, infinite=infinite)
            for document in some
        }
    return dicts


def opposite(random: Random, rows: Sequence[Row], value: str) -> Dicts:
    """What an evaluation needs besides: judgements for a run, a run for judgements; some rows of it are its own."""
    dicts: Dicts = {}
    for query, document, *_ in rows:
        if random.random() < 0.7:
            dicts.setdefault(query, {})[document] = grade(random) if value == "score" else random.uniform(-3, 3)
        if random.random() < 0.3:
            dicts.setdefault(query, {})[f"other {random.randrange(5)}"] = float(random.randrange(3))
    if not dicts:
        dicts[rows[0][0]] = {rows[0][1]: 1.0}
    return dicts


def rows_of(dicts: Dicts) -> list[Row]:
    """The rows of a collection, those of a query together."""
    return [(query, document, value, None) for query, inner in dicts.items() for document, value in inner.items()]


def dicts_of(rows: Sequence[Row]) -> Dicts | None:
    """The dict of dicts that says the same; None where a query has a document twice."""
    dicts: Dicts = {}
    for query, document, value, _ in rows:
        inner = dicts.setdefault(query, {})
        if document in inner:
            return None
        inner[document] = value
    return dicts


def spelled(random: Random, value: float) -> str:
    """A number in one of the ways to write it in decimal digits, so that it reads back as the same float64."""
    texts = [repr(value)]
    if math.isinf(value):
        signs = ("-",) if value < 0 else ("", "+")
        return random.choice(signs) + random.choice(("inf", "Inf", "INF", "infinity", "Infinity"))
    if value.is_integer() and abs(value) < 1e15:
        digits = str(int(value)) if value or math.copysign(1, value) > 0 else "-0"
        texts += [digits, f"{digits}.", f"{digits}.000", f"{digits}e0", f"{digits}E+00"]
        texts.append(f"-00{digits[1:]}" if digits.startswith("-") else f"00{digits}")
    texts += [f"{value:.17e}", f"{value:.17G}", f"{value:.30g}"]
    if abs(value) < 1e20:
        texts.append(f"{value:.340f}" if random.random() < 0.1 else repr(value))
    if 0 < abs(value) < 1 and repr(value).lstrip("-").startswith("0."):
        texts.append(repr(value).replace("0.", ".", 1))
    text = random.choice(texts)
    return f"+{text}" if not text.startswith("-") and random.random() < 0.1 else text

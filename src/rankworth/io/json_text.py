"""JSON as text: parsed, with what is wrong with it, and with the keys that an object has twice."""

import json
from collections import Counter
from contextlib import suppress
from typing import Any, Final

import orjson

from rankworth.errors import InputError, shortened
from rankworth.io import lines, validate
from rankworth.io.lines import MARK
from rankworth.io.source import Source

_SHAPES: Final = "as in {query: {document: number}}, or {query: [document, ...]}"

Path = tuple[str | int, ...]

_AROUND: Final = 30
"""characters before and after the place where the text breaks"""
_FURTHER: Final = "unexpected content after document"
_REMEDIES: Final = {
    "unexpected end of data": "the end is missing; write or copy the file again (in JSON lines, an object is one line)",
    _FURTHER: "a file holds one JSON document, or one object in each line",
    "unexpected character, expected a string key": "a key stands in double quotes; json.dumps writes JSON",
    "trailing comma is not allowed": "remove the comma before the bracket; json.dumps writes JSON",
    "no low surrogate in string": "half of a character stands there; write the whole one, in UTF-8",
}
_SHOWN: Final = 60
_LARGE: Final = 1 << 23
_LEAST: Final = 6
"""of a text that is larger, lists and objects take more bytes on average: empty ones fill the memory"""
_COLON: Final = b"\\u003"
"""how a colon may be written otherwise, to begin with"""


def parsed(text: bytes, source: Source, line: int = 1) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What the text says. NaN, Infinity and numbers beyond double precision (1e999) are read as Python reads them.

    Args:
        text: JSON, perhaps after a byte order mark.
        source: the file that it comes from.
        line: the number of its first line.

    Raises:
        InputError: `wrong-encoding`, `binary-file`, `line-ends`, `bad-json`, `input-type`.

    """
    text = text.removeprefix(MARK)
    if len(text) > _LARGE and (text.count(b"[") + text.count(b"{")) * _LEAST > len(text):
        problem = f"{source.name}:{line}: nearly all lists and objects are empty, or nested too deeply"
        raise InputError("input-type", problem, remedy=_SHAPES)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if b"NaN" in text or b"Infinity" in text or error.msg.startswith("number is infinity"):
            with suppress(ValueError, TypeError, RecursionError):
                value = json.loads(text.decode())
                orjson.dumps(value)  # what cannot be written is more than Python's numbers
                return value
        raise _refusal(text, source, line, error) from None


def shown(item: object) -> str:
    """A value as it is written in JSON, shortened."""
    if isinstance(item, list | dict):
        return shortened(validate.shown(item), _SHOWN)
    text = json.dumps(item, ensure_ascii=False)
    return shortened(text if text.isprintable() else json.dumps(item), _SHOWN)


def _refusal(text: bytes, source: Source, line: int, error: json.JSONDecodeError) -> InputError:
    """What is wrong with a text that is no JSON."""
    if line == 1:
        lines.refuse_binary(source, text)
    if 0 in text:
        return lines.null_byte(source, text, line - 1)
    lines.decoded(source, text, line)
    where = f"{source.name}:{line + error.lineno - 1}"
    if error.msg == "depth limit exceeded":
        return InputError("input-type", f"{where}: lists and objects are nested too deeply", remedy=_SHAPES)
    excerpt = error.doc[max(0, error.pos - _AROUND) : error.pos + _AROUND]
    begins = text.lstrip()[:1] in (b"{", b"[", b'"') or error.pos > 0
    other = "json.dumps writes JSON" if begins else "leave the format out to have it detected from the content"
    problem = f"{where}: this is not JSON: {error.msg} at column {error.colno}: {excerpt!r}"
    return InputError("bad-json", problem, remedy=_REMEDIES.get(error.msg, other))


def has_each_key_once(text: bytes, value: Any, members: int) -> bool:  # noqa: ANN401 - whatever JSON holds
    """Whether surely no object in the text has a key twice, of which parsing leaves out all but the last.

    A colon follows every key, and others stand in texts only: nothing was left out where the value has as many.

    Args:
        text: JSON.
        value: what it says.
        members: how many keys the objects on top have together.

    """
    colons = text.count(b":")
    if colons == members:
        return True
    try:
        return _COLON not in text and orjson.dumps(value).count(b":") == colons
    except orjson.JSONEncodeError:  # nested too deeply to be written
        return False


def repeated(text: bytes, where: str) -> Path:
    """The way to a key that an object has twice, from outside to inside; nothing where there is none.

    Args:
        text: JSON.
        where: where it stands.

    Raises:
        InputError: `input-type`.

    """
    try:
        return _way(json.loads(text.removeprefix(MARK), object_pairs_hook=_Pairs))
    except RecursionError:
        raise InputError("input-type", f"{where}: lists and objects are nested too deeply", remedy=_SHAPES) from None


class _Pairs(dict[str, Any]):
    """An object that remembers the keys which it has twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        twice = Counter(key for key, _ in pairs) if len(self) < len(pairs) else {}
        self.twice = [key for key, times in twice.items() if times > 1]


def _way(value: object) -> Path:
    """The way to the first object that has a key twice, and the key."""
    if isinstance(value, _Pairs) and value.twice:
        return (value.twice[0],)
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        if way := _way(item):
            return key, *way
    return ()

"""JSON as text: parsed, with what is wrong and where, and each key once."""

import json
from collections import Counter
from contextlib import suppress
from typing import Any, Final

import orjson

from rankworth.errors import InputError, quoted
from rankworth.io import lines
from rankworth.io.lines import MARK
from rankworth.io.source import Source

_SHAPES: Final = "as in {query: {document: number}}, or {query: [document, ...]}"
_AROUND: Final = 30
"""characters before and after the position where the text breaks"""
_FURTHER: Final = "unexpected content after document"
_REMEDIES: Final = {
    "unexpected end of data": "the end is missing; write or copy the file again (in JSON lines, an object is one line)",
    _FURTHER: "a file holds one JSON document, or one object in each line",
    "unexpected character, expected a string key": "keys need double quotes; json.dumps writes JSON",
    "trailing comma is not allowed": "remove the comma before the bracket; json.dumps writes JSON",
    "no low surrogate in string": "this is half of a surrogate pair; write the character in UTF-8",
}
_LARGE: Final = 1 << 23
_LEAST: Final = 6
"""of a text that is larger, lists and objects take more bytes on average: empty ones fill the memory"""
_COLON: Final = b"\\u003"
"""how a colon may be written otherwise, to begin with"""


def parsed(text: bytes, source: Source, line: int = 1) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Parse a text; NaN, Infinity and numbers beyond double precision (1e999) are read as Python reads them.

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


def _refusal(text: bytes, source: Source, line: int, error: json.JSONDecodeError) -> InputError:
    """Build the error for a text that is no JSON."""
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


def check_keys(text: bytes, value: Any, where: str, slug: str, rows: object = ()) -> None:  # noqa: ANN401 - whatever JSON holds
    """Refuse an object with a repeated key, of which parsing would keep only the last.

    Args:
        text: JSON.
        value: what it says.
        where: what messages call it.
        slug: of the error; where a field of a row is there twice it is `frame-columns`.
        rows: the rows in it, if these are rows.

    Raises:
        InputError: `input-type` where it is nested too deeply; `slug`, `frame-columns`.

    """

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        once = dict(pairs)
        if len(once) < len(pairs):
            key = Counter(key for key, _ in pairs).most_common(1)[0][0]
            is_field = isinstance(rows, list) and any(isinstance(row, dict) and key in row for row in rows)
            problem = f"{where}: the key {quoted([key])} appears twice in one object"
            raise InputError("frame-columns" if is_field else slug, problem, remedy="keep one of them")
        return once

    if not has_each_key_once(text, value):
        try:
            json.loads(text.removeprefix(MARK), object_pairs_hook=checked)
        except RecursionError:
            raise InputError("input-type", "lists and objects are nested too deeply", remedy=_SHAPES) from None


def has_each_key_once(text: bytes, value: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    """Return whether surely no object in the text has a key twice.

    A colon follows every key, and others stand in texts only: nothing was left out where the value has as many.

    Args:
        text: JSON, or lines of JSON.
        value: what it says, or what the lines say.

    """
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    keys, colons = sum(len(each) for each in (value, *inner) if isinstance(each, dict)), text.count(b":")
    if keys == colons:
        return True
    try:
        return _COLON not in text and orjson.dumps(value).count(b":") == colons
    except orjson.JSONEncodeError:  # nested too deeply to be written
        return False

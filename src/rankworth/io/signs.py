"""What the first bytes of a file tell of its format."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from rankworth.io import formats

MAGIC: Final = {
    **formats.MAGIC,
    **dict.fromkeys((b"{\0", b"[\0", b"\0{", b"\0[", b"\xff\xfe", b"\xfe\xff"), "trec"),
}
"""how files begin that are no text in UTF-8; for those in UTF-16 it is TREC's reader that says so"""
_KEY: Final = re.compile(rb'[{]\s*"((?:[^"\\]|\\.)*+)"\s*:')


def json_form(
    text: bytes, is_row: Callable[[dict[str, Any]], bool], is_key: Callable[[str], bool], *, whole: bool
) -> tuple[str, bool]:
    """Tell lines of JSON from one document; return also whether the first line is JSON for sure.

    Args:
        text: the beginning of a file.
        is_row: whether an object is a row rather than all rows.
        is_key: whether the first key of an object is one of a row.
        whole: whether the text is all of the file.

    """
    first, newline, rest = text.partition(b"\n")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        key = None if newline or whole else _KEY.match(first)
        return "jsonl" if key and is_key(key[1].decode("utf-8", "replace")) else "json", False
    if not isinstance(value, dict):
        return "json", True
    return "jsonl" if rest.strip() or is_row(value) else "json", True

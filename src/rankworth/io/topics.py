"""Topics of TREC and of CLEF: their number, their title, and whatever fields they have besides."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rankworth.errors import InputError
from rankworth.io import lines
from rankworth.io.lines import MARK, refuse_binary
from rankworth.io.source import Source

_BEGIN: Final = re.compile(r"<top(?:ic)?(?=[\s>])([^<>]*)>", re.IGNORECASE)
_END: Final = re.compile(r"</top(?:ic)?\s*>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD: Final = re.compile(r"<(?:[A-Za-z]{2}-)?([A-Za-z][\w-]*)[^<>]*>((?:[^<]|<(?!/?[A-Za-z]))*+)")
"""a field of a topic; CLEF puts the language before its name"""
_ATTRIBUTE: Final = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*')""")
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_NAMES: Final = {"num": "number", "desc": "description", "narr": "narrative"}
_OPENINGS: Final = {
    **{name: name for name in ("number", "description", "narrative")},
    **dict(title="topic", dom="domain", smry="summary", con="concept(s)", fac="factor(s)", **{"def": "definition(s)"}),
}
"""the words that early topics repeat where a field begins"""


def read(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the fields of each topic, with the line on which it begins; a topic without fields is a text."""
    content = source.whole().removeprefix(MARK)
    refuse_binary(source, content)
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), lines.decoded(source, content, 1))
    begins = list(_BEGIN.finditer(text))
    if not begins:
        problem = f"{source.name}: this looks like markup, but there is neither a <top> nor a <topic> in it"
        raise InputError("unknown-format", problem, remedy="write the queries as a table: id, tab, text")
    for begin, end in zip(begins, [*(after.start() for after in begins[1:]), len(text)], strict=True):
        topic = _END.split(text[begin.end() : end], maxsplit=1)[0]
        fields = [(_NAMES.get(tag.lower(), tag.lower()), _plain(content)) for tag, content in _FIELD.findall(topic)]
        times = Counter(name for name, _ in fields)
        cells = {name.lower(): _plain(value[1:-1]) for name, value in _ATTRIBUTE.findall(begin[1])}
        cells |= {name: _without_opening(name, content) for name, content in fields if times[name] == 1}
        yield text.count("\n", 0, begin.start()) + 1, cells if fields else cells | {"text": _plain(topic)}


def _plain(content: str) -> str:
    """Put a field on one line, with the signs that markup cannot write as they are."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), " ".join(content.split()))


def _without_opening(name: str, content: str) -> str:
    opening, colon, rest = content.partition(":")
    return rest.strip() if colon and opening.strip().lower() == _OPENINGS.get(name) else content

"""Topics as TREC and CLEF write them: `<top>` blocks in SGML, `<topic number="1">` in XML.

Nothing but tags and entities is looked at: no markup is interpreted, and none can refer to anything.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rankworth.errors import InputError
from rankworth.io.sources import Source
from rankworth.io.text import foreign
from rankworth.io.text.lines import MARK
from rankworth.io.texts.rows import Asked, Row

_BEGIN: Final = re.compile(r"<top(?:ic)?(?=[\s>])([^<>]*)>", re.IGNORECASE)
_END: Final = re.compile(r"</top(?:ic)?\s*>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FIELD: Final = re.compile(r"<([A-Za-z][\w-]*)[^<>]*>((?:[^<]|<(?!/?[A-Za-z]))*+)")
_ATTRIBUTE: Final = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*')""")
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_LANGUAGE: Final = re.compile(r"[a-z]{2}-")
"""what CLEF puts before the names of fields"""
_CALLED: Final = {"num": "number", "desc": "description", "narr": "narrative"}
_OPENINGS: Final = {
    "number": "number",
    "title": "topic",
    "description": "description",
    "narrative": "narrative",
    "dom": "domain",
    "smry": "summary",
    "con": "concept(s)",
    "fac": "factor(s)",
    "def": "definition(s)",
}
"""the words that early topics repeat where a field begins"""


def rows(source: Source, asked: Asked) -> Iterator[Row]:
    """The topics of a file: their number, their title, and whatever fields they have besides.

    Raises:
        InputError: `unknown-format`, `missing-value`, `wrong-encoding`, `binary-file`.

    """
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), _decoded(source))
    begins = list(_BEGIN.finditer(text))
    if not begins:
        problem = f"{source.name}: this looks like markup, but there is neither a <top> nor a <topic> in it"
        raise InputError("unknown-format", problem, remedy="write the queries as a table: id, tab, text")
    line, place = 1, 0
    for begin, end in zip(begins, [*(after.start() for after in begins[1:]), len(text)], strict=True):
        line += text.count("\n", place, begin.start())
        place = begin.start()
        yield from _row(_END.split(text[begin.end() : end], maxsplit=1)[0], begin[1], line, asked, source)


def _row(body: str, attributes: str, line: int, asked: Asked, source: Source) -> Iterator[Row]:
    cells = {name.lower(): _plain(value[1:-1]) for name, value in _ATTRIBUTE.findall(attributes)}
    fields = [(_name(tag), _plain(content)) for tag, content in _FIELD.findall(body)]
    times = Counter(name for name, _ in fields)
    cells |= {name: _without_opening(name, content) for name, content in fields if times[name] == 1}
    if not fields:
        cells["text"] = _plain(body)
    row = asked.row(cells, line, lambda number: f"{source.name}:{number}", "field")
    if row is not None:
        yield row


def _name(tag: str) -> str:
    bare = _LANGUAGE.sub("", tag.lower(), count=1) if _LANGUAGE.match(tag.lower()) else tag.lower()
    return _CALLED.get(bare, bare)


def _plain(content: str) -> str:
    """A field on one line, with the signs that markup cannot write as they are."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), " ".join(content.split()))


def _without_opening(name: str, content: str) -> str:
    opening, colon, rest = content.partition(":")
    return rest.strip() if colon and opening.strip().lower() == _OPENINGS.get(name) else content


def _decoded(source: Source) -> str:
    content = source.whole().removeprefix(MARK)
    if 0 in content:
        raise foreign.no_text(source, content)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        text = f"{source.name}:{line}: this is not UTF-8 ({error.reason})"
        raise InputError("wrong-encoding", text, remedy=foreign.latin1(source)) from None

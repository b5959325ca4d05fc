"""Naive and strict readers: what a file says if it says anything clear, by plain Python and PyArrow.

They are slow and short, refuse where there is doubt, and share no line with rankworth's readers.
"""

import csv
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Final

from fuzzing.material import Row

csv.field_size_limit(1 << 30)

MARK: Final = b"\xef\xbb\xbf"
NAMES: Final = {
    "query": {
        *("query", "query_id", "qid", "query-id", "q_id", "topic", "topic_id", "user_id", "userid", "user"),
        *("query text", "query_text"),
    },
    "document": {
        *("document", "doc_id", "docno", "docid", "corpus-id", "corpus_id", "pid", "item_id", "itemid", "item"),
        *("document_id", "doc id"),
    },
    "score": {"score", "prediction", "_score"},
    "rank": {"rank", "position", "doc position"},
    "grade": {"grade", "relevance", "label", "rel", "rating"},
}
LISTS: Final = {
    "document": {
        *("documents", "docs", "doc_ids", "docids", "document_ids", "results", "hits", "ranking"),
        *("items", "item_ids", "recommendations"),
    },
    "score": {"scores", "predictions"},
    "rank": {"ranks"},
    "grade": {"grades", "labels", "relevances", "ratings"},
}
TEXTS: Final = {"query", "query text", "query_text"}
SUBTOPICS: Final = ("subtopic", "subtopic_id", "iteration")
_NUMBER: Final = re.compile(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE)
_BLANKS: Final = " \t"
_RETURN: Final = re.compile(r"\r(?!\n|\Z)")
_LONE: Final = "\U0010fffd"
"""stands for a carriage return that ends no line, of which `csv` wants none outside of quotes"""


class Unclear(Exception):  # noqa: N818 - it is not an error that a file says nothing clear
    """What is not clear."""


def number(text: str, *, infinite: bool) -> float:
    """A number in decimal digits.

    Raises:
        Unclear: where it is none, or infinite where it must not be.

    """
    if not _NUMBER.fullmatch(text):
        raise Unclear(f"{text[:50]!r} is no number")
    value = float(text)
    if math.isinf(value) and not infinite:
        raise Unclear("an infinite grade or rank")
    return value


def decoded(content: bytes) -> str:
    """Text without null bytes.

    Raises:
        Unclear: where it is none.

    """
    if b"\0" in content:
        raise Unclear("a null byte")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Unclear("not UTF-8") from None


def sound(text: str) -> str:
    """A text that was decoded with `surrogateescape`.

    Raises:
        Unclear: where it was no UTF-8.

    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unclear("not UTF-8") from None
    return text


def _complete(rows: list[Row]) -> list[Row]:
    if not rows:
        raise Unclear("no rows")
    return rows


def trec(content: bytes, value: str, _: Mapping[str, str]) -> list[Row]:
    """Lines of six or four words."""
    if b"\0" in content:
        raise Unclear("a null byte")
    rows: list[Row] = []
    count, place = (6, 4) if value == "score" else (4, 3)
    for line in content.split(b"\n"):
        words = _words(line)
        if not words or words[0].startswith(b"#"):
            continue
        cells = _unmarked(line).strip(b" \t\r\v\f").split(b"\t")
        if (
            len(words) > count
            and value == "score"
            and len(cells) == count
            and all(len(c.split()) == 1 for c in cells[:5])
        ):
            words = words[:6]  # a tag with blanks, where tabs tell where it begins
        if len(words) != count:
            raise Unclear(f"{len(words)} words in a line")
        query, document, told = (decoded(words[column]) for column in (0, 2, place))  # the others need not be UTF-8
        rows.append((query, document, number(told, infinite=value == "score"), None))
    return _complete(rows)


def _unmarked(line: bytes) -> bytes:
    """A line without the byte order mark of a joined file before its first word; a second mark is part of the id."""
    word = line.lstrip()
    return word.removeprefix(MARK) if word.startswith(MARK) else line


def _words(line: bytes) -> list[bytes]:
    return _unmarked(line).split()


def pairs(content: bytes, _: str, __: Mapping[str, str]) -> list[Row]:
    """Two words in each line; or judgements, or a run, of which the values do not count."""
    first = next(
        (words for line in content.split(b"\n") if (words := _words(line)) and not words[0].startswith(b"#")), []
    )
    if len(first) != 2:
        return [(*row[:2], 1.0, None) for row in trec(content, "score" if len(first) == 6 else "grade", {})]
    rows: list[Row] = []
    for line in content.split(b"\n"):
        words = _words(line)
        if not words or words[0].startswith(b"#"):
            continue
        if len(words) != 2:
            raise Unclear(f"{len(words)} words in a line")
        query, document = map(decoded, words)
        rows.append((query, document, 1.0, None))
    return _complete(rows)


def cells(content: bytes, _: str, __: Mapping[str, str]) -> list[Row]:
    """Two cells in each line, between which stands a tab, or a comma or a semicolon where there are no blanks."""
    lines = [line.strip() for line in content.removeprefix(MARK).split(b"\n")]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    signs = (b"\t",) if lines and len(_words(lines[0])) > 1 else (b",", b";")
    sign = next((sign for sign in signs if lines and lines[0].count(sign) == 1), None)
    if sign is None or any(line.count(sign) != 1 or b"\r" in line or b"\0" in line for line in lines):
        raise Unclear("not two cells in each line")
    return _complete([(*map(decoded, map(bytes.strip, line.split(sign))), 1.0, None) for line in lines])


def queries(content: bytes, _: str, __: Mapping[str, str]) -> list[Row]:
    """An id in each line."""
    if b"\0" in content:
        raise Unclear("a null byte")
    lines = [line.removeprefix(MARK).strip(b" \t\r\v\f") for line in content.split(b"\n")]
    if any(b"\r" in line for line in lines):
        raise Unclear("a carriage return that ends no line, or does")
    return _complete([(decoded(line), "", 1.0, None) for line in lines if line and not line.startswith(b"#")])


# Text tables


def roles(
    names: Sequence[str], value: str, columns: Mapping[str, str], *, plural: bool = True, valued: bool = True
) -> dict[str, int]:
    """The places of the columns that count.

    Raises:
        Unclear: where one is missing, or several could be meant.

    """
    found: dict[str, int] = {}
    for role in ("query", "document", *(("score", "rank") if value == "score" else ("grade",))):
        place = _one(role, names, columns, plural=plural)
        if place is not None and not (role == "rank" and "score" in found):
            found[role] = place
    if "query" not in found or "document" not in found:
        raise Unclear("no query or no document column")
    if valued and value == "score" and not {"score", "rank"} & set(found):
        raise Unclear("neither score nor rank")
    if value == "grade":
        if names[found["document"]].lower() == "corpus-id" and "grade" not in found:
            places = [place for place, name in enumerate(names) if name.lower() in NAMES["score"]]  # as BEIR has it
            found |= {"grade": places[0]} if len(places) == 1 else {}
        lower = [name.lower() if name not in columns.values() else "" for name in names]
        told = [place for place, name in enumerate(names) if name == columns.get("subtopic")]
        subtopics = told + [lower.index(name) for name in SUBTOPICS if name in lower]
        found |= {"subtopic": subtopics[0]} if subtopics else {}
    return found


def _one(role: str, names: Sequence[str], columns: Mapping[str, str], *, plural: bool) -> int | None:
    """The place of the one column of a role."""
    usual = [NAMES[role], LISTS.get(role, set())] if plural else [NAMES[role]]
    ways = [[name == columns.get(role) for name in names]]
    ways += [[name.lower() in known and name not in columns.values() for name in names] for known in usual]
    places = next(([place for place, fits in enumerate(way) if fits] for way in ways if any(way)), [])
    if len(places) > 1:
        places = [place for place in places if not is_beside(names[place], [names[one] for one in places])]
    if len(places) != 1 and any(map(any, ways)):
        raise Unclear(f"several columns for the {role}")
    return places[0] if places else None


def is_beside(name: str, others: Sequence[str]) -> bool:
    """Whether a name means something else beside these: the text of a query beside its id, PyTerrier's row numbers."""
    return name.lower() in TEXTS or (name.lower() == "docid" and "docno" in map(str.lower, others))


def csv_table(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """A table with any of the four delimiters."""
    return _table(content, value, columns, ",;|\t")


def tsv_table(content: bytes, value: str, columns: Mapping[str, str]) -> list[Row]:
    """A table with tabs; without a header, the usual three columns."""
    return _table(content, value, columns, "\t", usual=("query", "document", value))


def msmarco(content: bytes, value: str, _: Mapping[str, str]) -> list[Row]:
    """Three columns without a header; of judgements, also four."""
    lines = _lines(content)
    while lines and (_is_blank(lines[0], "\t") or _is_comment(lines[0], "\t")):
        lines = lines[1:]
    records = _records(lines, "\t")
    names = ["query", "document", "rank" if value == "score" else "grade"]
    if records and len(records[0]) == 4 and value == "grade":
        names.insert(1, "subtopic")
    return _of_records(names, records, {name: place for place, name in enumerate(names)}, value)


def _lines(content: bytes) -> list[str]:
    """Lines, with their ends; only cells that count have to be UTF-8."""
    if b"\0" in content:
        raise Unclear("a null byte")
    text = content.removeprefix(MARK).decode(errors="surrogateescape")
    return [line + "\n" for line in text.split("\n")[:-1]] + [text.split("\n")[-1]]


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Records without blank ones; a byte order mark before an unquoted cell begins a file that was joined."""
    reader = csv.reader([_RETURN.sub(_LONE, line) for line in lines], delimiter=delimiter, strict=True)
    records = []
    before = 0
    try:
        for cells in reader:
            if cells and lines[before].startswith("\ufeff"):
                cells[0] = cells[0].removeprefix("\ufeff")
            before = reader.line_num
            if any(cell.replace(_LONE, "").strip() for cell in cells):
                records.append([cell.replace(_LONE, "\r") for cell in cells])
    except csv.Error as error:
        raise Unclear(f"csv: {error}") from None
    return records


def _table(
    content: bytes, value: str, columns: Mapping[str, str], delimiters: str, usual: Sequence[str] = ()
) -> list[Row]:
    lines = _lines(content)
    while lines and (_is_blank(lines[0], delimiters) or _is_comment(lines[0], delimiters)):
        lines = lines[1:]
    found = []
    for delimiter in delimiters:
        try:
            records = _records(lines, delimiter)
            names = [cell.strip().strip('"').strip() for cell in records[0]] if records else []
            while names and not names[-1]:
                names.pop()
            found.append((names, records[1:], roles(names, value, columns, plural=False)))
        except Unclear:
            continue
    if not found and usual:
        records = _records(lines, delimiters[0])
        if records and len(records[0]) == 3:
            rows = _of_records(usual, records, {name: place for place, name in enumerate(usual)}, value)
            if value == "score" and all(row[2] >= 0 and float(row[2]).is_integer() for row in rows):
                raise Unclear("whole numbers may be ranks")
            return rows
    if len(found) != 1:
        raise Unclear(f"{len(found)} delimiters make a header")
    return _of_records(*found[0], value)


def _is_blank(line: str, delimiters: str) -> bool:
    """Whether a line has nothing but delimiters and whole quotes."""
    return line.count('"') % 2 == 0 and not line.strip(' \t\r\n"' + delimiters)


def _is_comment(line: str, delimiters: str) -> bool:
    """Whether a line above the header is one: it begins with `#`, and is no header and no record itself."""
    cells = [cell.strip() for cell in re.split(f"[{delimiters}]", line.lower())]
    known = any(name in line.lower() for name in chain(NAMES["query"], NAMES["document"]))
    return line.startswith("#") and not known and not any(map(_NUMBER.fullmatch, cells[2:4]))


def _of_records(
    names: Sequence[str], records: Sequence[Sequence[str]], found: Mapping[str, int], value: str
) -> list[Row]:
    if value == "grade" and "grade" not in found and len(found) < len(names):
        raise Unclear("another column may tell the grades")
    rows: list[Row] = []
    for cells in records:
        if len(cells) < len(names) or any(cells[len(names) :]):
            raise Unclear(f"{len(cells)} cells, not {len(names)}")
        query, document = sound(cells[found["query"]]), sound(cells[found["document"]])
        if not query.strip(_BLANKS) or not document.strip(_BLANKS):
            raise Unclear("an id is missing")
        kind = next((kind for kind in ("score", "rank", "grade") if kind in found), "")
        told = 1.0
        if kind == "grade" and not sound(cells[found[kind]]).strip(_BLANKS):
            continue  # nobody judged it
        if kind:
            told = number(sound(cells[found[kind]]).strip(_BLANKS), infinite=kind == "score")
        subtopic = sound(cells[found["subtopic"]]) if "subtopic" in found else ""
        rows.append((query, document, -told if kind == "rank" else told, subtopic or None))
    return rows if records else _complete(rows)


Reader = Callable[[bytes, str, Mapping[str, str]], list[Row]]

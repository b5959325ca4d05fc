"""Writes TREC's lines and text tables, in the ways that are legal."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from fuzzing.material import Dicts, Row, Written, collection, identifier, rows_of, spelled

HEADERS: Final = {
    "query": ("query", "query_id", "qid", "query-id", "q_id", "topic", "user_id", "user", "QUERY", "Topic"),
    "document": ("document", "doc_id", "docno", "docid", "pid", "item_id", "item", "document_id", "DocNo"),
    "score": ("score", "prediction", "Score"),
    "rank": ("rank", "RANK"),
    "grade": ("grade", "relevance", "label", "rel", "rating", "Label"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}
_EXTRA: Final = ("title", "url", "note", "b b", "été", "x")


def trec(random: Random, value: str) -> Written:
    """Lines of six or four words."""
    rows = shuffled(random, collection(random, "trec", value))
    gap = random.choice((" ", "\t", "  ", " \t ", "\v", " \f", "either"))
    end = random.choice(("\n", "\n", "\r\n"))
    tag = identifier(random, "trec")
    blank_tag = gap == "\t" and random.random() < 0.3
    lines = []
    for place, (query, document, number, _) in enumerate(rows, 1):
        text = spelled(random, number)
        words = [query, "0", document, text]
        if value == "score":
            words = [query, random.choice(("Q0", "0")), document, str(place), text, f"{tag} b" if blank_tag else tag]
        line = "".join(word + (random.choice((" ", "\t")) if gap == "either" else gap) for word in words)
        line = line if random.random() < 0.1 else line[: -1 if gap == "either" else -len(gap)]
        before = random.choice(("", " ", "\t", "\ufeff")) if gap == "either" else ""
        lines.append((before if lines else before.strip("\ufeff")) + line)  # the file may begin with a mark of its own
        if gap == "either" and random.random() < 0.2:
            lines.append(random.choice(("", "  ", "# a comment", "#q Q0 d 1 2 t", "\t")))
    if random.random() < 0.1:
        lines.insert(0, random.choice(("# made by hand", "")))
    return Written(_joined(random, lines, end), rows, "trec", value)


def csv(random: Random, value: str) -> Written:
    """A table with a header; or without one, with numbers of columns."""
    return _table(random, value, "csv", random.choice(",,,;|\t"))


def tsv(random: Random, value: str) -> Written:
    """The same with tabs; also the usual three columns without a header."""
    if random.random() < 0.75:
        return _table(random, value, "tsv", "\t")
    rows = shuffled(random, collection(random, "tsv", value))
    if value == "score":
        rows = [(*rows[0][:2], 0.5, None), *rows[1:]]  # whole numbers only could be ranks
    quote = _quoting(random, "\t")
    lines = ["\t".join((quote(query), quote(document), spelled(random, number))) for query, document, number, _ in rows]
    return Written(_joined(random, lines, "\n"), rows, "tsv", value, sniffed=False)


def msmarco(random: Random, value: str) -> Written:
    """Query, document and rank; or judgements with a second column that says nothing."""
    dicts = collection(random, "msmarco", value)
    end = random.choice(("\n", "\r\n"))
    if value == "grade":
        rows: list[Row] = [(*row[:3], "0") for row in rows_of(dicts)]
        lines = [f"{query}\t0\t{document}\t{spelled(random, grade)}" for query, document, grade, _ in rows]
        return Written(_joined(random, lines, end), rows, "msmarco", value, sniffed=False)
    rows = [(query, document, -float(rank), None) for query in dicts for rank, document in enumerate(dicts[query], 1)]
    lines = [f"{query}\t{document}\t{int(-score)}" for query, document, score, _ in rows]
    return Written(_joined(random, lines, end), rows, "msmarco", value, sniffed=False)


def pairs(random: Random, value: str) -> Written:
    """Query and document, two words in a line, some of them twice."""
    rows = [(*row[:2], 1.0, None) for row in shuffled(random, collection(random, "trec", value))]
    rows += random.sample(rows, random.randint(0, min(2, len(rows))))
    gap = random.choice((" ", "\t", "  "))
    rows = [row for row in rows if not row[0].startswith(("{", "["))] or [("q1", "d1", 1.0, None)]  # JSON begins so
    lines = [query + gap + document for query, document, *_ in rows]
    if random.random() < 0.2:
        lines.insert(random.randrange(len(lines)), random.choice(("", "# comment")))
    return Written(_joined(random, lines, random.choice(("\n", "\r\n"))), rows, "pairs", "grade")


def queries(random: Random, value: str) -> Written:
    """An id in each line, which may have blanks within."""
    found = [
        text for text in collection(random, "csv", value) if not set(text) & set("\n\r") and text.strip(" \t") == text
    ]
    found = [text for text in found if not text.startswith(("#", "\ufeff"))] or ["q1"]
    rows = [(query, "", 1.0, None) for query in found]
    lines = list(found)
    if random.random() < 0.2:
        lines.insert(0, random.choice(("", "# comment", "  ")))
    return Written(_joined(random, lines, random.choice(("\n", "\r\n"))), rows, "queries", "grade")


def shuffled(random: Random, dicts: Dicts) -> list[Row]:
    """The rows, sometimes in any order."""
    rows = rows_of(dicts)
    if random.random() < 0.3:
        random.shuffle(rows)
    return rows


def _joined(random: Random, lines: Sequence[str], end: str) -> bytes:
    text = end.join(lines) + random.choice((end, end, "" if "\n" in end.join(lines) else end))
    return text.encode("utf-8-sig" if random.random() < 0.1 else "utf-8")


def _quoting(random: Random, delimiter: str) -> Callable[[str], str]:
    """A way to quote: everything, what needs it, or now this and now that."""
    manner = random.choice(("all", "needed", "needed", "either"))

    def quote(text: str) -> str:
        must = set(text) & set(delimiter + '"\n\r') or text != text.strip(" \t\v\f") or text.startswith(("#", "\ufeff"))
        if must or manner == "all" or (manner == "either" and random.random() < 0.5):
            return '"' + text.replace('"', '""') + '"'
        return text

    return quote


def _table(random: Random, value: str, form: str, delimiter: str) -> Written:
    kinds, rows = _kinds(random, shuffled(random, collection(random, form, value)), value, form)
    quote = _quoting(random, delimiter)
    names = [random.choice(HEADERS.get(kind, (kind,))) for kind in kinds]
    columns: dict[str, str] = {}
    for place, kind in enumerate(kinds):
        if kind in HEADERS and kind != "rank" and random.random() < 0.05:
            names[place] = columns[kind] = random.choice(("das Feld", "K1", "no")) + kind
    lines = [delimiter.join(map(quote, names))]
    if random.random() < 0.1:
        lines.insert(0, random.choice(("# written by hand", "", " ")))
    told = "rank" if value == "score" and "score" not in kinds else value
    for query, document, number, subtopic in rows:
        text = spelled(random, -number if told == "rank" else number)
        text = f" {text}" if random.random() < 0.03 and delimiter != "\t" else text
        cells = {"query": quote(query), "document": quote(document), told: text, "subtopic": quote(subtopic or "")}
        lines.append(delimiter.join(cells[kind] if kind in cells else _other(random, kind, quote) for kind in kinds))
        if random.random() < 0.03 and lines[-1].count('"') % 2 == 0:
            lines.append(random.choice(("", delimiter * (len(kinds) - 1))))
    return Written(_joined(random, lines, random.choice(("\n", "\n", "\r\n"))), rows, form, value, columns)


def _kinds(random: Random, rows: list[Row], value: str, form: str) -> tuple[list[str], list[Row]]:
    """What the columns hold, and the rows that they say."""
    kinds = ["query", "document", value]
    if value == "score" and random.random() < 0.3:
        kinds[2] = "rank"
        rows = [(*row[:2], -float(place), None) for place, row in enumerate(rows, 1)]
    elif value == "grade" and random.random() < 0.15:
        kinds.pop()
        rows = [(*row[:2], 1.0, None) for row in rows]
    if value == "grade" and random.random() < 0.2:
        rows = [(*row[:3], random.choice((None, identifier(random, form)))) for row in rows]
        kinds.append("subtopic")
    if {value, "rank"} & set(kinds) and random.random() < 0.4:
        kinds += random.sample(_EXTRA, random.randint(1, 3))
        if value == "score" and "rank" not in kinds and random.random() < 0.3:
            kinds.append("rank")
    random.shuffle(kinds)
    return kinds, rows


def _other(random: Random, kind: str, quote: Callable[[str], str]) -> str:
    """What stands in a column that nobody needs."""
    if kind == "rank":
        return str(random.randrange(100))
    return quote(random.choice(("", "text", "two words", "1", 'a "quoted" one', "a,b;c|d\te", "é", "line\nbreak")))

"""Defects that are planted in sound collections, kind by kind: what `rankworth check` has to find."""

import gzip
import random
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Line = list[str]


@dataclass
class Collection:
    """Judgements and runs as cells of lines, which defects change.

    Attributes:
        qrels: lines of judgements.
        runs: lines of each run.
        docs: the ids of all documents; None where nobody has them.
        raw: files with other bytes than their lines have.
        line: the line with the defect, where it is one line.

    """

    qrels: list[Line]
    runs: dict[str, list[Line]]
    docs: list[str] | None = None
    raw: dict[str, bytes] = field(default_factory=dict)
    line: int | None = None

    @classmethod
    def of(cls, qrels: str, runs: dict[str, str]) -> "Collection":
        """From texts."""
        return cls(_cells(qrels), {name: _cells(text) for name, text in runs.items()})

    def copy(self) -> "Collection":
        """A collection that may be changed."""
        runs = {name: [[*line] for line in lines] for name, lines in self.runs.items()}
        return Collection([[*line] for line in self.qrels], runs)

    @property
    def first(self) -> list[Line]:
        """The lines of the first run."""
        return next(iter(self.runs.values()))

    def queries(self) -> list[str]:
        """The judged queries."""
        return list(dict.fromkeys(line[0] for line in self.qrels))

    def relevant(self) -> dict[str, set[str]]:
        """The relevant documents of each query."""
        found: dict[str, set[str]] = {}
        for query, _, document, grade in self.qrels:
            if float(grade) > 0:
                found.setdefault(query, set()).add(document)
        return found

    def write(self, folder: Path) -> dict[str, Any]:
        """Write all files; gives what `check` takes."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "qrels.txt").write_text(_text(self.qrels), encoding="utf-8")
        for name, lines in self.runs.items():
            (folder / f"{name}.run").write_text(_text(lines), encoding="utf-8")
        for name, content in self.raw.items():
            (folder / name).write_bytes(content)
        qrels = next((name for name in self.raw if name.startswith("qrels")), "qrels.txt")
        runs = [next((raw for raw in self.raw if raw.startswith(name)), f"{name}.run") for name in self.runs]
        files: dict[str, Any] = {"qrels": folder / qrels, "runs": [folder / run for run in runs]}
        if self.docs is not None:
            (folder / "docs.tsv").write_text("document\ttext\n" + "".join(f"{each}\ttext\n" for each in self.docs))
            files["docs"] = folder / "docs.tsv"
        return files


def _cells(text: str) -> list[Line]:
    return [line.split() for line in text.splitlines()]


def _text(lines: Iterable[Line]) -> str:
    return "".join(" ".join(line) + "\n" for line in lines)


Plant = Callable[[Collection, random.Random], None]
"""Changes a collection; raises `LookupError` where such a defect cannot be in it."""


@dataclass(frozen=True)
class Kind:
    """A kind of defect: how it is planted, and as what it has to be found."""

    plant: Plant
    slug: str
    severity: str


KINDS: Final[dict[str, Kind]] = {}


def kind(name: str, slug: str, severity: str = "error") -> Callable[[Plant], Plant]:
    """Register a kind of defect."""

    def register(plant: Plant) -> Plant:
        KINDS[name] = Kind(plant, slug, severity)
        return plant

    return register


def _changed_line(lines: list[Line], chance: random.Random, change: Callable[[Line], object]) -> int:
    place = chance.randrange(1, len(lines))
    change(lines[place])
    return place + 1


def _set(cell: int, text: str) -> Callable[[Line], object]:
    return lambda line: line.__setitem__(cell, text)


@kind("a run line lacks a column", "run-columns")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.first, chance, lambda line: line.pop(chance.randrange(6)))


@kind("a run line has a blank in a document's id", "run-columns")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.first, chance, lambda line: line.insert(3, "x"))


@kind("a line of judgements lacks a column", "qrels-columns")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.qrels, chance, lambda line: line.pop(chance.randrange(4)))


@kind("a score is a word", "bad-score")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.first, chance, _set(4, chance.choice(["high", "1,5", "None", "0x1f"])))


@kind("a score is NaN", "bad-score")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.first, chance, _set(4, chance.choice(["nan", "NaN"])))


@kind("a header stands above the lines of a run", "bad-score")
def _(data: Collection, chance: random.Random) -> None:  # noqa: ARG001 - there is one way
    data.first.insert(1, ["qid", "Q0", "docno", "rank", "score", "tag"])
    data.line = 2


@kind("a grade is a word", "bad-grade")
def _(data: Collection, chance: random.Random) -> None:
    data.line = _changed_line(data.qrels, chance, _set(3, chance.choice(["relevant", "?", "inf"])))


@kind("a document is ranked twice", "duplicate-document")
def _(data: Collection, chance: random.Random) -> None:
    place = chance.randrange(len(data.first))
    again = place + 1
    while again < len(data.first) and data.first[again][0] == data.first[place][0]:
        again += 1
    data.first.insert(again, [*data.first[place]])
    data.line = again + 1


@kind("a document is judged twice", "duplicate-judgement")
def _(data: Collection, chance: random.Random) -> None:
    line = [*chance.choice(data.qrels)]
    line[3] = str(chance.randrange(3))
    data.qrels.append(line)
    data.line = len(data.qrels)


@kind("a line is not UTF-8", "wrong-encoding")
def _(data: Collection, chance: random.Random) -> None:
    lines = _text(data.first).encode().splitlines(keepends=True)
    place = chance.randrange(1, len(lines))
    cells = lines[place].split(b" ")
    cells[2] += b"\xe9"
    lines[place] = b" ".join(cells)
    data.raw[f"{next(iter(data.runs))}.run"], data.line = b"".join(lines), place + 1


@kind("a compressed run ends early", "truncated-file")
def _(data: Collection, chance: random.Random) -> None:
    packed = gzip.compress(_text(data.first).encode())
    data.raw[f"{next(iter(data.runs))}.run.gz"] = packed[: int(len(packed) * chance.uniform(0.3, 0.9))]


@kind("a run stands where judgements belong", "qrels-columns")
def _(data: Collection, chance: random.Random) -> None:  # noqa: ARG001 - there is one way
    data.qrels = data.first


@kind("a run has no line", "empty-input")
def _(data: Collection, chance: random.Random) -> None:  # noqa: ARG001 - there is one way
    data.first.clear()


def _some(data: Collection, chance: random.Random, share: float) -> set[str]:
    """Some of the queries, two at least."""
    queries = data.queries()
    return set(chance.sample(queries, max(2, round(share * len(queries)))))


def _rename(lines: list[Line], cell: int, rename: Callable[[str], str], queries: set[str] | None = None) -> None:
    """Rename queries (cell 0) or documents (cell 2) in the lines of some queries, or of all."""
    for line in lines:
        if queries is None or line[0] in queries:
            line[cell] = rename(line[cell])


@kind("some queries of a run have zeros before", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    _rename(data.qrels, 0, lambda query: f"7{query}".replace("7en", "7").replace("7ar", "9"))
    for lines in data.runs.values():
        _rename(lines, 0, lambda query: f"7{query}".replace("7en", "7").replace("7ar", "9"))
    _rename(data.first, 0, lambda query: f"0{query}", _some(data, chance, 0.3))


@kind("some queries of a run are in another case", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    for lines in (data.qrels, *data.runs.values()):
        _rename(lines, 0, lambda query: f"topic-{query}")
    _rename(data.first, 0, str.upper, _some(data, chance, 0.2))


@kind("no query of a run has the prefix of the judgements", "no-common-queries")
def _(data: Collection, chance: random.Random) -> None:
    prefix = chance.choice(["q", "topic-", "dl:"])
    _rename(data.qrels, 0, lambda query: f"{prefix}{query}")


@kind("no document of a run has the prefix of the judgements", "no-common-documents")
def _(data: Collection, chance: random.Random) -> None:
    prefix = chance.choice(["doc_", "corpus/", "D"])
    _rename(data.qrels, 2, lambda document: f"{prefix}{document}")


@kind("documents of a run are in another Unicode form", "no-common-documents")
def _(data: Collection, chance: random.Random) -> None:
    letter = chance.choice("\u00e9\u00fc\u0622")
    for lines in (data.qrels, *data.runs.values()):
        _rename(lines, 2, lambda document: f"{document}{letter}")
    _rename(data.first, 2, lambda document: unicodedata.normalize("NFD", document))


@kind("documents of some queries are in another case", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    for lines in (data.qrels, *data.runs.values()):
        _rename(lines, 2, lambda document: f"{document}-x")
    _rename(data.first, 2, str.upper, _some(data, chance, 0.5))


@kind("documents of some queries have invisible characters", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    sign = chance.choice(["\u200b", "\ufeff", "\u200e"])
    _rename(data.first, 2, lambda document: f"{document}{sign}", _some(data, chance, 0.5))


@kind("every fifth document of a run has a prefix", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    prefix = chance.choice(["http://x/", "D", "corpus_"])
    for lines in (data.qrels, *data.runs.values()):
        _rename(lines, 2, lambda document: f"7{document}")
    for line in data.first[::5]:
        line[2] = f"{prefix}{line[2]}"


@kind("every fifth document of a run has a suffix", "similar-ids", "warning")
def _(data: Collection, chance: random.Random) -> None:
    suffix = chance.choice([".0", "#0", ".txt"])
    for line in data.first[::5]:
        line[2] = f"{line[2]}{suffix}"


@kind("a run answers a part of the queries", "many-unanswered", "warning")
def _(data: Collection, chance: random.Random) -> None:
    left_out = _some(data, chance, chance.uniform(0.2, 0.8))
    data.first[:] = [line for line in data.first if line[0] not in left_out]


@kind("many queries have no relevant document", "no-relevant-documents", "warning")
def _(data: Collection, chance: random.Random) -> None:
    without = _some(data, chance, 0.3)
    for line in data.qrels:
        line[3] = "0" if line[0] in without else line[3]


@kind("no document is relevant", "nothing-relevant")
def _(data: Collection, chance: random.Random) -> None:
    grade = chance.choice(["0", "-1"])
    for line in data.qrels:
        line[3] = grade


@kind("every judged document is relevant", "all-relevant", "warning")
def _(data: Collection, chance: random.Random) -> None:
    shift = chance.choice([1, 2])
    if len({line[3] for line in data.qrels}) == 1:
        raise LookupError
    for line in data.qrels:
        line[3] = str(max(0, int(line[3])) + shift)


@kind("the ranks are constant", "constant-ranks", "warning")
def _(data: Collection, chance: random.Random) -> None:
    rank = chance.choice("01")
    for line in data.first:
        line[3] = rank


@kind("distances stand in place of scores", "contradicting-ranks", "warning")
def _(data: Collection, chance: random.Random) -> None:
    offset = chance.choice([0, 100])
    for line in data.first:
        line[4] = repr(offset - float(line[4]))


@kind("ranks and scores are exchanged", "unfit-columns", "error")
def _(data: Collection, chance: random.Random) -> None:  # noqa: ARG001 - there is one way
    for line in data.first:
        line[3:5] = line[4], line[3]


@kind("two ranks of a query are exchanged", "contradicting-ranks", "warning")
def _(data: Collection, chance: random.Random) -> None:
    pairs = [
        place
        for place, (line, after) in enumerate(zip(data.first, data.first[1:], strict=False))
        if line[0] == after[0] and float(line[4]) > float(after[4])
    ]
    place = chance.choice(pairs)
    data.first[place][3], data.first[place + 1][3] = data.first[place + 1][3], data.first[place][3]


@kind("scores are rounded until they tie", "many-ties", "warning")
def _(data: Collection, chance: random.Random) -> None:
    step = chance.choice([5, 10])
    seen: dict[str, int] = {}
    for line in data.first:
        place = seen[line[0]] = seen.get(line[0], 0) + 1
        line[4] = str(1000 - place // step)


@kind("all scores of a run are equal", "constant-scores", "warning")
def _(data: Collection, chance: random.Random) -> None:
    score = chance.choice(["0", "1.0", "-1"])
    for line in data.first:
        line[4] = score


@kind("queries retrieve themselves", "self-matches", "warning")
def _(data: Collection, chance: random.Random) -> None:
    rank = chance.choice([1, 5])
    firsts: dict[str, int] = {}
    for line in data.first:
        firsts[line[0]] = firsts.get(line[0], 0) + 1
        if firsts[line[0]] == rank:
            line[2] = line[0]


def rank_candidates(data: Collection, chance: random.Random, size: int, name: str) -> None:
    """Leave one relevant document of each query, at any rank among `size` candidates."""
    relevant = {query: min(documents) for query, documents in data.relevant().items()}
    data.qrels[:] = [[query, "0", document, "1"] for query, document in relevant.items()]
    data.first[:] = [
        [query, "Q0", document if rank == hit else f"{name}{rank}", str(rank + 1), str(size - rank), "run"]
        for query, document in relevant.items()
        for hit in [chance.randrange(size)]
        for rank in range(size)
    ]


@kind("candidates are sampled", "sampled-candidates", "warning")
def _(data: Collection, chance: random.Random) -> None:
    rank_candidates(data, chance, chance.choice([20, 50]), "sampled")


@kind("a run has no relevant document", "no-relevant-retrieved")
def _(data: Collection, chance: random.Random) -> None:
    relevant = data.relevant()
    if all(float(line[3]) > 0 for line in data.qrels):
        raise LookupError
    others = [line for line in data.first if line[2] not in relevant.get(line[0], ())]
    data.first[:] = chance.sample(others, len(others))


@kind("grades are fractions", "fractional-grades", "warning")
def _(data: Collection, chance: random.Random) -> None:
    for line in chance.sample(data.qrels, 1 + len(data.qrels) // 100):
        line[3] = chance.choice(["0.5", "1.5", "0.25"])


@kind("judgements of a sample are -1", "sampled-judgements", "warning")
def _(data: Collection, chance: random.Random) -> None:
    others = [line for line in data.qrels if float(line[3]) <= 0]
    if not others:
        raise LookupError
    for line in chance.sample(others, 1 + len(others) // 2):
        line[3] = "-1"


@kind("judged documents are not in the corpus", "missing-documents", "warning")
def _(data: Collection, chance: random.Random) -> None:
    documents = sorted({line[2] for line in data.qrels})
    gone = set(chance.sample(documents, 1 + len(documents) // 50))
    data.docs = [document for document in documents if document not in gone]


@kind("one run made the pool", "one-run-pool", "warning")
def _(data: Collection, chance: random.Random) -> None:
    depth, relevant = chance.choice([10, 20]), data.relevant()
    seen: dict[str, int] = {}
    data.qrels.clear()
    for query, _, document, *_ in data.first:
        seen[query] = seen.get(query, 0) + 1
        if seen[query] <= depth:
            data.qrels.append([query, "0", document, str(int(document in relevant.get(query, ())))])


@kind("the documents of one run are not judged", "one-sided-judgements", "warning")
def _(data: Collection, chance: random.Random) -> None:
    firsts: dict[str, int] = {}
    if len(data.qrels) < 30 * len(data.queries()):
        raise LookupError  # few of the first ranks are judged anyway
    for line in data.first:
        firsts[line[0]] = firsts.get(line[0], 0) + 1
        if firsts[line[0]] <= 10 and chance.random() < 0.5:
            line[2] += "-of-a-new-index"


@kind("one run is cut", "uneven-depth", "warning")
def _(data: Collection, chance: random.Random) -> None:
    depth = chance.choice([3, 5])
    firsts: dict[str, int] = {}
    kept = []
    for line in data.first:
        firsts[line[0]] = firsts.get(line[0], 0) + 1
        kept += [line] if firsts[line[0]] <= depth else []
    data.first[:] = kept


@kind("only candidates are ranked", "few-candidates", "warning")
def _(data: Collection, chance: random.Random) -> None:
    rank_candidates(data, chance, chance.choice([5, 8]), "candidate")


@kind("the first three of a run are the gold", "one-run-pool", "warning")
def _(data: Collection, chance: random.Random) -> None:
    depth = chance.choice([2, 3])
    seen: dict[str, int] = {}
    data.qrels.clear()
    for query, _, document, *_ in data.first:
        seen[query] = seen.get(query, 0) + 1
        if seen[query] <= depth:
            data.qrels.append([query, "0", document, "1"])

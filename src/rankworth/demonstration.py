"""The collection that comes with rankworth: what programmers look for in Python's standard library, found and judged.

Ids, queries, grades and scores are files of the package; the text of a document is looked up in the Python that runs.
`docs/collection.md` says how all of it was made.
"""

import contextlib
import importlib.util
import inspect
import re
import shlex
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.model import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

RUNS: Final[Mapping[str, str]] = {
    "names": "words of the query in the document's name: a weak baseline",
    "bm25": "BM25 over names and docstrings",
    "bm25-stem": "the same with English words stemmed",
    "dense": "embeddings by MiniLM, a small English model",
    "fused": "bm25-stem and dense, 1,000 deep, by rankworth fuse --method 'rrf(k=60)'",
    "dense-translated": "dense, with the Arabic queries translated into English",
}
"""The systems, simple ones first."""

LANGUAGES: Final[Mapping[str, str]] = {"en": "english", "ar": "arabic"}
_HOME: Final = files("rankworth") / "data" / "stdlib"
_QRELS, _QUERIES, _DOCUMENTS, _SOURCE = "qrels.txt", "queries.tsv", "documents.txt", "SOURCE.md"
_ANOTHER: Final = "name another folder: rankworth demo FOLDER"
_COMMANDS: Final = """\
Whether one run is better than another, where it loses, and why: a page to mail
rankworth report {here}qrels.txt {here}bm25.run {here}dense.run --queries {here}queries.tsv --by language
Rankings beside each other, to look at, to judge and to edit
rankworth explore {here}qrels.txt {here}bm25.run {here}dense.run --queries {here}queries.tsv
How sure are the means? 95 % intervals
rankworth evaluate {here}qrels.txt {here}*.run -m nDCG@10 AP --interval
The Arabic queries alone, as typed and translated
rankworth evaluate {here}qrels.txt {here}dense.run {here}dense-translated.run --only {here}arabic.txt
The value of every query
rankworth evaluate {here}qrels.txt {here}bm25.run {here}dense.run -m nDCG@10 -q
Whether one run is better than another, how sure that is, and in which language
rankworth compare {here}qrels.txt {here}bm25.run {here}fused.run -m nDCG@10 --queries {here}queries.tsv --by language
How a value is computed, rank by rank, and what is missing
rankworth explain {here}qrels.txt {here}dense.run en01 -m nDCG@5 --queries {here}queries.tsv
Where one run loses most against another, and by which documents
rankworth explain {here}qrels.txt {here}dense.run {here}bm25.run --worst 1 --queries {here}queries.tsv
Two runs fused by reciprocal ranks, as fused.run was of deeper ones
rankworth fuse {here}bm25-stem.run {here}dense.run -o {here}rrf.run
Whether fusing two runs helps, by which settings, and what holds on other queries
rankworth fuse {here}bm25-stem.run {here}dense.run --tune {here}qrels.txt -m nDCG@10
Which stage of a pipeline loses relevant documents
rankworth trace {here}qrels.txt {here}bm25-stem.run,{here}dense.run last={here}dense.run -m nDCG@10
What nDCG is
rankworth measures nDCG
Which other measures there are
rankworth measures --all
"""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


class Query(NamedTuple):
    """What somebody looks for."""

    id: str
    language: str
    """`en` or `ar`"""
    kind: str
    """`one` obvious answer, `several` good ones, `vague`, `misspelt`, `paraphrase` (in words that the docstrings do
    not use), `dialect` (Arabic as it is spoken), `none` (no answer in the standard library)"""
    text: str
    """as it was typed"""
    english: str
    """a translation, where the query is not English"""
    need: str
    """what a good answer is"""


class Documents(Mapping[str, str]):
    """The texts of the documents by id, looked up in this Python when they are asked for.

    >>> import rankworth
    >>> print(rankworth.demo().documents["operator.neg"])
    operator.neg(a, /)
    <BLANKLINE>
    Same as -a.
    """

    def __init__(self, ids: list[str]) -> None:
        """Keep the ids, each once."""
        self._ids = dict.fromkeys(ids)

    def __getitem__(self, document: str) -> str:
        """Name, signature and docstring, or a sentence if this Python lacks the name."""
        if document not in self._ids:
            raise KeyError(document)
        hidden = _hidden(document)
        if hidden:
            return f"{document} is hidden by {hidden}"
        documented = _looked_up(document)
        if documented is None:
            version = ".".join(map(str, sys.version_info[:3]))
            return f"{document} is not in this Python ({version} on {sys.platform})"
        return f"{document}{_signature(documented)}\n\n{inspect.getdoc(documented) or ''}".rstrip()

    def __contains__(self, document: object) -> bool:
        """Return whether it is a document, present in this Python or not."""
        return document in self._ids

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._ids)

    def __len__(self) -> int:
        """Count the documents."""
        return len(self._ids)

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Documents({len(self):,})"


@dataclass(frozen=True)
class Collection:
    """A test collection: judgements, runs, queries and documents.

    Attributes:
        qrels: grades from 0 to 3 of the documents that were judged.
        runs: what six systems returned, by name.
        queries: by id.
        documents: their texts by id.

    """

    qrels: Qrels
    runs: Mapping[str, Run]
    queries: Mapping[str, Query]
    documents: Documents = field(repr=False)

    def __repr__(self) -> str:
        """Say what is in it."""
        return f"{self.title}; runs: {', '.join(self.runs)}"

    @cached_property
    def title(self) -> str:
        """One line that says how large it is."""
        of_each = ", ".join(
            f"{sum(query.language == code for query in self.queries.values())} {name.capitalize()}"
            for code, name in LANGUAGES.items()
        )
        sizes = f"{len(self.documents):,} documents, {self.qrels.grades.size:,} judgements"
        return f"Python's standard library: {len(self.queries)} queries ({of_each}), {sizes}, {len(self.runs)} runs"


def demo() -> Collection:
    """Load the collection that comes with rankworth.

    Returns:
        108 queries of programmers, 4,979 names of Python's standard library, graded from 0 to 3, and six runs.

    >>> import rankworth
    >>> collection = rankworth.demo()
    >>> print(collection.title)
    Python's standard library: 108 queries (74 English, 34 Arabic), 4,979 documents, 3,628 judgements, 6 runs
    >>> collection.queries["en08"].text
    'compute the median of a list of numbers'
    >>> round(rankworth.evaluate(collection.qrels, collection.runs["dense"], ["nDCG@10"])["nDCG@10"], 4)
    0.4147
    """
    return Collection(
        Qrels(_grades()),
        {name: Run(frame, name) for name, frame in _rankings().items()},
        {query.id: query for query in _queries()},
        Documents(_lines(_DOCUMENTS)),
    )


def write(folder: Path) -> int:
    """Put the collection into a folder: judgements and runs in TREC's formats, queries, and lists of ids by language.

    Returns:
        How many files were written; files that are there already stay as they are.

    Raises:
        UsageError: `unwritable-output`; no file is written then.

    """
    names = (_SOURCE, _QRELS, _QUERIES, _DOCUMENTS)
    contents = {folder / name: (_HOME / name).read_bytes() for name in names}
    for code, language in LANGUAGES.items():
        ids = [f"{query.id}\n" for query in _queries() if query.language == code]
        contents[folder / f"{language}.txt"] = "".join(ids).encode()
    contents |= {folder / f"{name}.run": _trec(name, frame) for name, frame in _rankings().items()}
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError("unwritable-output", f"{folder} is a file; a folder is needed", remedy=_ANOTHER)
        missing = {path: content for path, content in contents.items() if not path.exists()}
        for path, content in contents.items():
            if path not in missing and path.read_bytes() != content:  # somebody else has put it there
                text = f"{path} is there already, and is not what would be written"
                raise UsageError("unwritable-output", text, remedy=_ANOTHER)
        folder.mkdir(parents=True, exist_ok=True)
        atomic.write(missing)
    except OSError as error:
        raise UsageError("unwritable-output", f"{error.filename}: {error.strerror}", remedy=_ANOTHER) from None
    return len(missing)


def paths(folder: Path) -> tuple[str, dict[str, str]]:
    """Return the file of the judgements, and those of the runs by name."""
    return str(folder / _QRELS), {name: str(folder / f"{name}.run") for name in RUNS}


def commands(folder: Path) -> list[tuple[str, str]]:
    """List what to try next: what it shows, and the command."""
    name = f"./{folder}" if f"{folder}".startswith("-") else f"{folder}"
    here = "" if folder == Path() else shlex.quote(name) + "/"
    lines = [line.replace("{here}", here) for line in _COMMANDS.splitlines()]
    return list(zip(lines[::2], lines[1::2], strict=True))


def listing() -> str:
    """List what is in the collection: runs and queries."""
    collection = demo()
    wide = max(map(len, RUNS))
    runs = [f"  {name:<{wide}}  {sentence}" for name, sentence in RUNS.items()]
    kinds = max(len(query.kind) for query in collection.queries.values())
    queries = []
    for query in collection.queries.values():
        queries.append(f"  {query.id}  {query.kind:<{kinds}}  {query.text}")
        queries += [f"  {'':<{len(query.id)}}  {'':<{kinds}}  = {query.english}"] if query.english else []
    parts = [[collection.title], ["Runs", *runs], ["Queries with their kinds", *queries]]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _trec(name: str, ranking: "pl.DataFrame") -> bytes:
    """Write a run as TREC's tools read it."""
    lines = []
    last, rank = "", 0
    for query, document, score in ranking.iter_rows():
        last, rank = query, rank + 1 if query == last else 1
        lines.append(f"{query} Q0 {document} {rank} {score:.6f} {name}\n")
    return "".join(lines).encode()


def _rankings() -> "dict[str, pl.DataFrame]":
    """Read the rows of each run, best document first."""
    import polars as pl  # noqa: PLC0415 - not needed for help

    frame = pl.read_parquet(BytesIO((_HOME / "runs.parquet").read_bytes()))
    return {name: frame.filter(run=name).select("query", "document", "score") for name in RUNS}


def _queries() -> list[Query]:
    _, *lines = _lines(_QUERIES)
    return [Query(*line.split("\t")) for line in lines]


def _grades() -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for query, _, document, grade in map(str.split, _lines(_QRELS)):
        grades.setdefault(query, {})[document] = int(grade)
    return grades


def _lines(name: str) -> list[str]:
    return (_HOME / name).read_text(encoding="utf-8").splitlines()


def _hidden(document: str) -> str:
    """Find, without running it, somebody else's file that a name of the standard library would be imported from."""
    top = document.partition(".")[0]
    if top not in sys.stdlib_module_names or top in sys.modules:
        return ""
    specification = importlib.util.find_spec(top)
    origin = specification.origin if specification is not None else None
    if origin is None or origin in ("built-in", "frozen"):
        return ""
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    is_own = any(Path(origin).is_relative_to(home) for home in homes) and "site-packages" not in Path(origin).parts
    return "" if is_own else origin


def _looked_up(document: str) -> object | None:
    """Look up the object of a name; names of builtins are not looked for among modules."""
    parts = document.split(".")
    if parts[0] not in sys.stdlib_module_names:
        parts.insert(0, "builtins")
    with warnings.catch_warnings(), contextlib.suppress(ImportError, AttributeError):
        warnings.simplefilter("ignore")  # old modules say that they are old
        value: object = importlib.import_module(parts[0])
        path = parts[0]
        for part in parts[1:]:
            path = f"{path}.{part}"
            if not hasattr(value, part):
                importlib.import_module(path)
            value = getattr(value, part)
        return value
    return None


def _signature(value: object) -> str:
    """Write the parameters of an object, if they are known, without places in memory."""
    if not callable(value):
        return ""
    try:
        return _ADDRESS.sub("", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return ""

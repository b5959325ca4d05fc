"""Texts of sources, and the spans of texts in them: gold and pieces that are texts become spans of their sources.

A text is sought as it stands, and where it is not there so, with blanks and case normalised. It has to be there once.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from os import fsdecode
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rankworth.errors import InputError, counted, quoted, shortened
from rankworth.io import lines, spans
from rankworth.io.facts import Observed
from rankworth.io.id_rules import IdRule
from rankworth.io.paths import is_path
from rankworth.io.query_texts import DOCUMENTS, TextReader, rows_of
from rankworth.io.source import Source

if TYPE_CHECKING:
    import polars as pl

_KIND: Final = replace(
    DOCUMENTS,
    usual={
        "document": (*DOCUMENTS.usual["document"], ("source",), ("file", "file_path", "file_name", "path")),
        "text": DOCUMENTS.usual["text"],
    },
    called="the sources",
)
"""a corpus whose titles are no part of its texts, so that positions are those of the texts"""
_SUFFIXES: Final = (".txt", ".md")
"""what the names of files end with that are sources themselves"""
_STEP: Final = 32
"""how many characters the texts are cut into, so that long ones are found at once"""
_MANY: Final = 2
"""how often a text is sought: twice is too often"""


@dataclass(frozen=True)
class SourceText:
    """The text of a source, and where parts of it stand."""

    id: str
    text: str

    def positions(self, sought: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence of a text as it stands."""
        if len(sought) < 2 * _STEP:
            start = self.text.find(sought)
            while start >= 0:
                yield start, start + len(sought)
                start = self.text.find(sought, start + 1)
            return
        for shift in range(_STEP):  # of all its cuts, one is at a multiple of the step
            for cut in self._cuts.get(sought[shift : shift + _STEP], ()):
                if cut >= shift and self.text.startswith(sought, cut - shift):
                    yield cut - shift, cut - shift + len(sought)

    def normalised_positions(self, sought: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each occurrence of a text with blanks and case normalised."""
        text, origins = self._normalised
        for start, end in text.positions(sought):
            yield origins[start], origins[end - 1] + 1

    @cached_property
    def _cuts(self) -> Mapping[str, list[int]]:
        """Where each stretch of characters stands that begins at a multiple of the step."""
        cuts: dict[str, list[int]] = {}
        for start in range(0, len(self.text) - _STEP + 1, _STEP):
            cuts.setdefault(self.text[start : start + _STEP], []).append(start)
        return cuts

    @cached_property
    def _normalised(self) -> "tuple[SourceText, list[int]]":
        """The text with blanks and case normalised, and of each of its characters the position in the text."""
        letters, origins, after_blank = [], [], True
        for position, letter in enumerate(self.text):
            is_blank = letter.isspace()
            folded = " " if is_blank else letter.casefold()
            if not (is_blank and after_blank):
                letters.append(folded)
                origins += [position] * len(folded)
            after_blank = is_blank
        return SourceText(self.id, "".join(letters)), origins


class Sources:
    """The texts of sources by their ids, which are also known by the names of their files without folder and suffix."""

    def __init__(self, texts: Mapping[str, str], name: str) -> None:
        """Take texts by id.

        Args:
            texts: of each source.
            name: what messages call all of them.

        """
        self.texts = {id_: SourceText(id_, text) for id_, text in texts.items()}
        self.name = name
        self._names: dict[str, set[str]] = {}
        for id_ in texts:
            for alias in _aliases(id_):
                self._names.setdefault(alias, set()).add(id_)
        self._known: dict[tuple[str, str], tuple[spans.Parsed, ...]] = {}

    @cached_property
    def label(self) -> str:
        """What tells these sources from others: how many they are, and a digest."""
        digest = hashlib.sha256()
        for id_, source in sorted(self.texts.items()):
            digest.update(f"{id_}\t{source.text}\n".encode("utf-8", "surrogatepass"))
        return f"{len(self.texts)}-{digest.hexdigest()[:8]}"

    def knows(self, name: str) -> bool:
        """Return whether there is a source of this name."""
        return name in self.texts or any(alias in self._names for alias in _aliases(name))

    def source_of(self, name: str, where: str) -> SourceText:
        """Return the source that is called so: by its id, or by its file with or without folder and suffix.

        Raises:
            InputError: `unknown-source`.

        """
        if name in self.texts:
            return self.texts[name]
        ids = next((ids for alias in _aliases(name) if (ids := self._names.get(alias))), set())
        if len(ids) == 1:
            return self.texts[next(iter(ids))]
        if ids:
            text = f"{where}: {quoted([name])} could be each of {quoted(sorted(ids))}"
            raise InputError("unknown-source", text, remedy="name the source as it is called there")
        text = f"{where}: there is no source {quoted([name])} in {self.name}: {quoted(list(self.texts))}"
        raise InputError("unknown-source", text, remedy="call sources alike in all files, or add the source")

    def checked(self, name: str, start: int, end: int, where: str) -> str:
        """Return the id of a span that lies within its source.

        Raises:
            InputError: `unknown-source`, `bad-span`.

        """
        source = self.source_of(name, where)
        if end > len(source.text):
            length = counted(len(source.text), "character", "characters")
            text = (
                f"{where}: the span {start} to {end} ends behind its source {quoted([source.id])}, which has {length}"
            )
            raise InputError("bad-span", text, remedy="characters are counted from 0, and not bytes or tokens")
        return spans.id_of(source.id, start, end)

    def span_id(self, sought: str, name: str, where: str) -> str:
        """Return the id of the span of a text.

        Args:
            sought: the text.
            name: its source; any of them where empty.
            where: where the text stands, for messages.

        Raises:
            InputError: `unknown-source`, `text-not-found`, `text-found-twice`.

        """
        source = self.source_of(name, where).id if name else ""
        if (sought, source) not in self._known:
            self._known[sought, source] = self._spans_with(sought, source)
        places = self._known[sought, source]
        inside = quoted([source]) if source else f"any of the {counted(len(self.texts), 'source', 'sources')}"
        shown = repr(shortened(" ".join(sought.split()), 60))
        if not places:
            text = f"{where}: the text {shown} is not in {inside}, whatever its blanks and its case"
            remedy = f"add its source to {self.name}, or give source, start and end of what it stands for"
            raise InputError("text-not-found", text, remedy=remedy)
        if len(places) > 1:
            first, second = (spans.id_of(*place) for place in places)
            text = f"{where}: the text {shown} is there more than once: at {first} and at {second}"
            remedy = "give start and end, or a longer text" if source else "name its source, or give a longer text"
            raise InputError("text-found-twice", text, remedy=remedy)
        return spans.id_of(*places[0])

    def _spans_with(self, sought: str, source: str) -> tuple[spans.Parsed, ...]:
        """Return the first two places of a text: as it stands, or else with blanks and case normalised."""
        among = [self.texts[source]] if source else [*self.texts.values()]
        every = ((each.id, *place) for each in among for place in each.positions(sought))
        if not sought.strip():
            return ()
        if not (places := sorted(islice(every, _MANY))):
            folded = " ".join(sought.casefold().split())
            every = ((each.id, *place) for each in among for place in each.normalised_positions(folded))
            places = sorted(islice(every, _MANY))
        return tuple(places)


def _aliases(name: str) -> list[str]:
    """Return the names of a source, from the whole path to the name of its file without folder and suffix."""
    file = Path(name)
    short = str(file.with_suffix("")) if file.suffix in _SUFFIXES else name
    return list(dict.fromkeys((name, short, file.name, Path(short).name)))


@dataclass(frozen=True)
class SourceRule(IdRule):
    """Puts spans of sources in place of texts, at every way into judgements and runs, as rules for ids do."""

    sources: Sources = field(default_factory=lambda: Sources({}, ""), compare=False, repr=False)
    is_of_sources = True

    @classmethod
    def of(cls, source: object) -> "SourceRule":
        """Read sources.

        Raises:
            InputError: where anything is wrong with them.

        """
        if isinstance(source, SourceRule):
            return source
        sources = read(source)
        return cls(sources.label, option="sources", may_be_idle=True, is_shared=True, sources=sources)

    def renamed(self, documents: "pl.Series", name: str) -> "pl.Series":
        """Return the ids of the spans of documents, which are texts, or spans already."""
        import polars as pl  # noqa: PLC0415 - as in `IdRule`

        ids = [self._id_of(document, name) for document in documents.cast(pl.String).to_list()]
        return pl.Series(documents.name, ids, dtype=pl.String)

    def batches(self, frames: "Iterator[pl.DataFrame]", name: str, observed: Observed) -> "Iterator[pl.DataFrame]":
        """Put ids of spans in place of the documents of frames.

        Raises:
            InputError: `unknown-source`, `bad-span`, `text-not-found`, `text-found-twice`.

        """
        import polars as pl  # noqa: PLC0415 - as in `IdRule`

        observed.note(spans=True)
        for frame in frames:
            pairs = frame.select(pl.col("query", "document").cast(pl.String)).iter_rows()
            ids = [self._id_of(document, f"{name}: query {quoted([query])}") for query, document in pairs]
            yield frame.with_columns(pl.Series("document", ids, dtype=pl.String))

    def texts_of(self, documents: Sequence[str]) -> dict[str, str]:
        """Return the texts of spans."""
        parsed = {document: spans.parsed(document) for document in documents}
        texts = self.sources.texts
        return {
            document: texts[span[0]].text[span[1] : span[2]]
            for document, span in parsed.items()
            if span is not None and span[0] in texts
        }

    def _id_of(self, document: str, where: str) -> str:
        """Return the id of the span that a document stands for."""
        marked = spans.unmarked(document)
        if marked is not None:
            where, source, text = marked
            return self.sources.span_id(text, source, where) if text else self._checked(source, where)
        span = spans.parsed(document)
        is_span = span is not None and self.sources.knows(span[0])
        return self._checked(document, where) if is_span else self.sources.span_id(document, "", where)

    def _checked(self, document: str, where: str) -> str:
        """Return the id of a span once more, by the id of its source."""
        span = spans.parsed(document)
        return document if span is None else self.sources.checked(*span, where)

    @property
    def in_python(self) -> str:
        """How the rule is written in Python."""
        return "sources=..."


def read(source: object) -> Sources:
    """Read the texts of sources.

    Args:
        source: a folder of .txt and .md files, in whatever depth, which are called by their path in it; such a file;
            a corpus as everywhere, in files or in Python, of which titles are no part; or `{id: text}`.

    Raises:
        InputError: `missing-file`, `wrong-encoding`, and where a corpus cannot be read.

    """
    if isinstance(source, Sources):
        return source
    files = _text_files(Path(fsdecode(source))) if is_path(source) else []
    name = quoted([fsdecode(source)]) if is_path(source) else "the sources"
    if files:
        return Sources({called: _text(path) for called, path in files}, name)
    texts: dict[str, str] = {}
    for row in rows_of(source, TextReader(_KIND, {})):
        if texts.setdefault(row.id, row.text) != row.text:
            text = f"{row.where}: source {quoted([row.id])} is there again with another text"
            raise InputError("input-type", text, remedy="keep one row for each source")
    return Sources(texts, name)


def _text_files(path: Path) -> list[tuple[str, Path]]:
    """Return the text files of a path, and the names of their sources."""
    if path.suffix in _SUFFIXES and path.is_file():
        return [(path.name, path)]
    if not path.is_dir():
        return []
    files = sorted(each for each in path.rglob("*") if each.suffix in _SUFFIXES and each.is_file())
    return [(each.relative_to(path).as_posix(), each) for each in files]


def _text(path: Path) -> str:
    """Read a text as Python does, with line breaks of one character."""
    source = Source(path)
    text = lines.decoded(source, source.whole(), 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")

"""What comes in over the public border: judgements and runs; never written to by anybody.

`Qrels` and `Run` say what was read, checked and put in order; how they meet is the business of `judging`.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from rankworth.errors import InputError, UsageError, quoted
from rankworth.hits import Floats, Integers, expand
from rankworth.io import mapping

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.sources import Progress, Source

FrameLibrary = Literal["polars", "pandas", "pyarrow"]
_FEW: Final = 1 << 16
_JUDGEMENTS: Final = "the judgements"


class Qrels:
    """Judgements: which document has which grade for which query; read and put in order once, for many runs.

    Args:
        source: a path (or `-`), a dict `{query: {document: grade}}`, or a frame with columns
            `query, document, grade`, and `subtopic` where a document is judged for several subtopics of a query (in a
            file the second column); its grade is then the best of them.
        queries: the ids of the queries to keep, before anything is counted; all where not said.

    Attributes:
        queries: ids of the judged queries, in the order of their UTF-8 bytes.
        offsets: `[Q + 1]`; the judgements of query `i` are rows `offsets[i]` to `offsets[i + 1]`.
        grades: `[N]` as given, float64.
        merged: whether some document is judged for several subtopics of a query.

    Raises:
        InputError: where anything is wrong with the judgements; see `docs/errors/`.

    >>> qrels = Qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}})
    >>> qrels.queries, qrels.grades.tolist()
    (['q1', 'q2'], [2.0, 0.0, 1.0])
    """

    queries: list[str]
    offsets: Integers
    grades: Floats
    merged: bool

    def __init__(self, source: object, *, queries: Iterable[object] | None = None) -> None:
        """Read, check and sort."""
        self._given: Source | pl.DataFrame | None = None  # what tells the subtopics
        self.merged = False
        if isinstance(source, Qrels):
            self.queries, self.offsets, self.grades = source.queries, source.offsets, source.grades
            self._given, self.merged = source._given, source.merged  # noqa: SLF001 - of its own class
            self._documents: pl.Series | list[list[str]] = source._documents  # noqa: SLF001 - of its own class
        elif isinstance(source, Mapping):
            self._from_mapping(source)
        else:
            self._from_frame(source)
        if queries is not None:
            self._keep(_ids(queries))
        self.grades.setflags(write=False)

    def __len__(self) -> int:
        """The number of judged queries."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Say how much is judged."""
        return f"Qrels({len(self.queries):,} queries, {self.grades.size:,} judgements)"

    def __eq__(self, other: object) -> bool:
        """Equal where the same documents have the same grades for the same queries, in whatever order."""
        return isinstance(other, Qrels) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def lengths(self) -> Integers:
        """`[Q]`: the number of judged documents."""
        return np.diff(self.offsets)

    @cached_property
    def pool(self) -> Floats:
        """`[N]`: the grades of each query, best first."""
        owner = np.repeat(np.arange(len(self.queries)), self.lengths)
        return self.grades[np.lexsort((-self.grades, owner))]

    @cached_property
    def document_lists(self) -> list[list[str]]:
        """The judged documents of each query, as texts, in the order of `grades`."""
        if isinstance(self._documents, list):
            return self._documents
        flat = self._documents.to_list()
        return [flat[start:end] for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    @cached_property
    def document_series(self) -> "pl.Series":
        """The judged documents of all queries in one column, in the order of `grades`."""
        if not isinstance(self._documents, list):
            return self._documents
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        return pl.Series("document", [text for part in self._documents for text in part], dtype=pl.String)

    def by_subtopic(self) -> "pl.DataFrame | None":
        """Every judgement as it was given, `query, subtopic, document, grade`; None where nothing tells subtopics."""
        if self._given is None:
            return None
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        from rankworth.io import tabular, trec  # noqa: PLC0415 - not needed for dicts

        if isinstance(self._given, pl.DataFrame):
            return tabular.by_subtopic(self._given, _JUDGEMENTS)
        frames = trec.batches(self._given, trec.QRELS, columns=trec.QRELS.columns)
        return pl.concat(frames).rename({"iteration": "subtopic"})

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{query: {document: grade}}`, a copy."""
        parts = zip(self.queries, self.document_lists, self.offsets[:-1], strict=True)
        return {query: dict(zip(docs, self.grades[start:].tolist(), strict=False)) for query, docs, start in parts}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per judgement: `query, document, grade`."""
        queries = np.repeat(np.array(self.queries, dtype=object), self.lengths)
        return to_library(
            {"query": queries.tolist(), "document": self.document_series.to_list(), "grade": self.grades}, library
        )

    def _from_mapping(self, source: Mapping[Any, Any]) -> None:
        named = mapping.read(source, "grade", _JUDGEMENTS)
        self.queries = sorted(named)
        parts = [named[query] for query in self.queries]
        counts = [len(part) for part in parts]
        self.offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum(counts, out=self.offsets[1:])
        self.grades = mapping.numbers(parts, int(self.offsets[-1]), "grade", self.queries)
        self._documents = [
            list(mapping.texts(part, duplicate="duplicate-judgement", name=f"{_JUDGEMENTS}: query {query!r}"))
            for query, part in zip(self.queries, parts, strict=True)
        ]

    def _from_frame(self, source: object) -> None:
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        from rankworth.io import repeats, tabular, trec  # noqa: PLC0415 - not needed for dicts

        if is_path(source):
            self._given = place = open_source(source)
            frame = pl.concat(trec.batches(place, trec.QRELS))
        elif tabular.is_frame(source):
            frame = tabular.read(source, "grade", _JUDGEMENTS)
            self._given = frame if "subtopic" in frame.columns else None
            frame = frame.select(pl.col("query", "document").cast(pl.String), "grade")
        else:
            raise not_readable(source, "judgements")
        pairs = frame.select("query", "document")
        keys = pairs.select(pl.struct("query", "document").hash()).to_series()
        if keys.n_unique() < frame.height and pairs.n_unique() < frame.height:
            frame = repeats.best_of_subtopics(frame, self.by_subtopic(), self._given, _JUDGEMENTS)
            self.merged = True
        if not frame["query"].is_sorted():
            frame = frame.sort("query", maintain_order=True)
        starts = run_starts(frame["query"])
        self.queries = taken(frame["query"], starts).to_list()
        self.offsets = np.append(starts, frame.height).astype(np.int64)
        self.grades = frame["grade"].to_numpy()
        self._documents = frame["document"]

    def _keep(self, wanted: Sequence[str]) -> None:
        index = {query: place for place, query in enumerate(self.queries)}
        unjudged = [query for query in wanted if query not in index]
        if unjudged:
            raise InputError(
                "unjudged-queries",
                f"{len(unjudged):,} of the {len(wanted):,} queries asked for are not judged: {quoted(unjudged)}",
                remedy=f"judged are {quoted(self.queries)}; leave out the queries without judgements",
            )
        places = np.array(sorted({index[query] for query in wanted}), dtype=np.int64)
        if not places.size:
            raise InputError("empty-input", "the list of queries to keep is empty")
        rows = expand(self.offsets[places], self.lengths[places])
        documents = self._documents
        self._documents = (
            [documents[place] for place in places.tolist()] if isinstance(documents, list) else taken(documents, rows)
        )
        self.grades = self.grades[rows]
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths[places])))
        self.queries = [self.queries[place] for place in places.tolist()]
        for name in ("lengths", "pool", "document_lists", "document_series"):
            self.__dict__.pop(name, None)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What one system returned: a score for each retrieved document of each query.

    Args:
        source: a path (or `-`), a dict `{query: {document: score}}`, or a frame with columns `query, document, score`.
        name: what tables call it; a file's name without suffixes where not said.

    Scores decide the order; a rank column is kept (`to_frame`) but not trusted. The document ids of one query's
    dict are all texts or all integers.
    """

    source: Any
    name: str = ""
    mapping: dict[str, Mapping[Any, Any]] | None = field(init=False, repr=False, default=None)
    file: "Source | None" = field(init=False, repr=False, default=None)
    frame: "pl.DataFrame | None" = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        """Find out which door the source takes; files are not opened yet."""
        source = self.source
        doors: dict[str, Any]
        if isinstance(source, Run):
            doors = {"mapping": source.mapping, "file": source.file, "frame": source.frame}
            doors |= {"name": self.name or source.name}
        elif isinstance(source, Mapping):
            doors = {"mapping": mapping.read(source, "score", self._called)}
        elif is_path(source):
            doors = {"file": open_source(source), "name": self.name or stem(source)}
        else:
            from rankworth.io import tabular  # noqa: PLC0415 - not needed for dicts

            if not tabular.is_frame(source):
                raise not_readable(source, "a run")
            doors = {"frame": tabular.read(source, "score", self._called)}
        for door, value in doors.items():
            object.__setattr__(self, door, value)

    def __repr__(self) -> str:
        """Say where it comes from."""
        if self.file is not None:
            return f"Run({self.file.path!r}, name={self.name!r})"
        rows = 0 if self.frame is None else self.frame.height
        size = f"{rows:,} rows" if self.mapping is None else f"{len(self.mapping):,} queries"
        return f"Run({size}, name={self.name!r})"

    @property
    def tag(self) -> str:
        """What the last row of a file calls the run, once it is read; its name where there is no file."""
        return (self.file.tag if self.file is not None else "") or self.name

    @property
    def _called(self) -> str:
        """What messages call it where there is no file."""
        return f"run {self.name}" if self.name else "the run"

    def batches(self, progress: "Progress | None" = None) -> "Iterator[pl.DataFrame]":
        """Rows `query, document, score` in the order they were given, some hundred thousand at a time."""
        from rankworth.io import tabular, trec  # noqa: PLC0415 - not needed for dicts

        if self.file is not None:
            return trec.batches(self.file, trec.RUN, progress=progress)
        if self.frame is not None:
            return tabular.batches(self.frame)
        return tabular.batches(self.to_frame())

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """All rows as given: `query, document, score`, and `rank` and `tag` where a file has them."""
        if self.file is not None:
            import polars as pl  # noqa: PLC0415 - not needed for dicts

            from rankworth.io import trec  # noqa: PLC0415 - not needed for dicts

            columns = ("query", "document", "rank", "score", "tag")
            frame = pl.concat(trec.batches(self.file, trec.RUN, columns=columns))
            return to_library(frame.to_dict(), library)
        if self.frame is not None:
            return to_library(self.frame.to_dict(), library)
        runs = self.mapping or {}
        queries = [query for query, documents in runs.items() for _ in documents]
        documents = [mapping.text(document) for documents in runs.values() for document in documents]
        scores = mapping.numbers(runs.values(), len(queries), "score", list(runs))
        return to_library({"query": queries, "document": documents, "score": scores}, library)

    def duplicates(self) -> InputError:
        """The error that counts the documents which a query ranks twice, and names some of them, in another pass."""
        from rankworth.io import repeats, trec  # noqa: PLC0415 - for a message only

        return repeats.error(trec.RUN, self.batches, self.file, self._called)


def not_readable(source: object, what: str) -> InputError:
    """The error for an object that no door takes."""
    return InputError(
        "input-type",
        f"{type(source).__name__} cannot be read as {what}",
        remedy="give a path, a dict of dicts, or a frame (Polars, pandas, PyArrow, DuckDB, ...)",
    )


def _ids(queries: object) -> list[str]:
    """Ids of queries as texts; one text is not a list of them."""
    if isinstance(queries, str | bytes) or not isinstance(queries, Iterable):
        raise InputError(
            "input-type",
            f"queries={mapping.shown(queries)} is {type(queries).__name__}, not a list of query ids",
            remedy='as in queries=["q1", "q2"]',
        )
    return [mapping.text(query, "queries") for query in queries]


def is_path(source: object) -> bool:
    """Whether this names a file."""
    return isinstance(source, str | os.PathLike)


def open_source(source: Any) -> "Source":  # noqa: ANN401 - a path, as is_path says
    """A file, not opened yet."""
    from rankworth.io.sources import Source  # noqa: PLC0415 - not needed for dicts

    return Source(source)


def stem(path: str | os.PathLike[str]) -> str:
    """A file's name without folder and suffixes: `runs/bm25.run.gz` is `bm25`.

    >>> stem("runs/bm25.run.gz"), stem("runs/v1.2/run.dl19-passage.bm25"), stem("-")
    ('bm25', 'run.dl19-passage.bm25', '-')
    """
    name = Path(path).name
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    for suffix in (".run", ".trec", ".txt", ".tsv", ".res"):
        name = name.removesuffix(suffix)
    return name or str(path)


def to_library(columns: Mapping[str, Any], library: str) -> Any:  # noqa: ANN401 - the library's own frame
    """Columns as a frame of the library that was asked for.

    Raises:
        UsageError: `missing-library`, `unknown-setting`.

    """
    if library not in ("polars", "pandas", "pyarrow"):
        raise UsageError("unknown-setting", f"frames come from polars, pandas or pyarrow, not from {library!r}")
    import importlib  # noqa: PLC0415 - frame libraries are imported when a frame is asked for

    try:
        module = importlib.import_module(library)
    except ImportError:
        raise UsageError("missing-library", f"{library} is not installed", remedy=f"pip install {library}") from None
    if library == "pyarrow":
        return module.table({name: _plain(column) for name, column in columns.items()})
    return module.DataFrame({name: _plain(column) for name, column in columns.items()})


def _plain(column: Any) -> Any:  # noqa: ANN401 - a Polars column, an array or a list
    """What every library takes: lists of text, arrays of numbers."""
    if not hasattr(column, "to_list"):
        return column
    return column.to_numpy() if column.dtype.is_numeric() else column.to_list()


def taken(column: "pl.Series", places: Integers) -> "pl.Series":
    """The items of a column at some places.

    Few places go as a list: for an array, Polars loads a part of NumPy that takes longer than a small file.
    """
    return column.gather(places.tolist() if places.size < _FEW else places)


def run_starts(column: "pl.Series") -> Integers:
    """The rows at which a column takes a new value, the first row among them."""
    changes = (column[1:] != column[:-1]).to_numpy()
    return np.concatenate(([0], np.flatnonzero(changes) + 1))

"""Judgements: which document has which grade for which query."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, Pool, expand
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import duplicates, validate
from rankworth.io.facts import Facts, Observed
from rankworth.io.files import file_batches, file_parts, files_of
from rankworth.io.grade_words import Words
from rankworth.io.id_rules import IdRule
from rankworth.io.layout import QRELS
from rankworth.io.options import (
    Blank,
    Blanks,
    Described,
    Reading,
    refuse_again,
    refuse_blanks_alone,
    refuse_of_objects,
    refuse_roles,
)
from rankworth.io.validate import IdKinds, refuse_halves
from rankworth.model.digest import Digest
from rankworth.settings import DuplicateJudgements
from rankworth.tables.frames import FrameLibrary, run_starts, taken, to_library

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.source import Source

_JUDGEMENTS: Final = "the judgements"


class Qrels:
    """Judgements: which document has which grade for which query; read and put in order once, for many runs.

    Args:
        source: a path (or `-`) in any format of `rankworth.io.formats` or a list of paths, a dict
            `{query: {document: grade}}`, or a frame with columns `query, document, grade`, and `subtopic` where a
            document is judged for several subtopics of a query (in a TREC file the second column); its grade is then
            the best of them.
        queries: the ids of the queries to keep, before anything is counted; all where not said.
        duplicate_judgements: what becomes of several grades of a document (for one subtopic) of a query: an `"error"`,
            the best counts (`"max"`), or the one that comes `"first"` or `"last"`, or `"all"`.
        format: of a file; detected from its content where not given.
        columns: which column holds what, `{"query": "term"}`, where the names of columns do not tell.
        split: which judgements of a BEIR folder; `test` where not said.
        blank: what a judgement without a grade means (an empty cell, null, None, NaN, a missing field): that nobody
            judged the document (`"unjudged"`), grade 0 (`"zero"`), or an `"error"`.
        grades: the grades that words mean, `{"E": 3, "S": 2}`; numbers in quotes, `true` and `false` are grades anyway.
        ids: how documents are renamed, such as chunks by their documents: a separator at which ids are cut (`"#"`), a
            pattern with one group, or a table of two columns. Documents that become the same are judged twice.
        sources: texts of sources in which documents that are texts, or spans, are sought: `{id: text}`, a folder of
            .txt and .md files, or a corpus.

    Attributes:
        queries: ids of the judged queries, in the order of their UTF-8 bytes.
        only: the queries that were asked for; None where nobody named any. Runs are restricted to them, too.
        order: the same in the order in which they were given.
        offsets: `[Q + 1]`; the judgements of query `i` are rows `offsets[i]` to `offsets[i + 1]`.
        grades: `[N]` as given, float64.
        merged: whether some document is judged for several subtopics of a query.
        duplicate_judgements: how repeated judgements were settled.
        repeated: `[Q]`, how many judgements of each query do not count, as `duplicate_judgements` says.
        excluded: `[Q]`, how many `without` has left out.
        blank: what a judgement without a grade means, as the argument of that name says.
        copies: `[C]`, the rows of documents that are judged again, where all judgements count.
        copied_grades: `[C]`, the grades that they have then.
        ids: how documents were renamed; None where they have the ids that were given.
        kinds: whether ids came as integers, as `to_dict`, `to_frame` and what is evaluated give them back.

    Raises:
        InputError: where anything is wrong with the judgements; see `docs/errors/`.

    >>> qrels = Qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}})
    >>> qrels.queries, qrels.grades.tolist()
    (['q1', 'q2'], [2.0, 0.0, 1.0])
    """

    queries: list[str]
    only: frozenset[str] | None
    order: list[str]
    offsets: Integers
    grades: Floats
    merged: bool
    duplicate_judgements: DuplicateJudgements
    repeated: Integers
    excluded: Integers
    copies: Integers
    copied_grades: Floats
    blank: str
    ids: IdRule | None
    facts: Facts
    """what is known of the rows that were read"""
    kinds: IdKinds
    files: "tuple[Source, ...]"
    """the files that were read; none where the judgements came as something else"""
    source: object
    """what a program gave, where they came from no files"""
    gold: "Qrels | None"
    """the spans by which the documents, pieces of sources, were judged; None where these were judged themselves"""
    _documents: "pl.Series | list[list[str]]"
    _with_subtopics: "pl.DataFrame | None"

    def __init__(
        self,
        source: object,
        *,
        queries: Iterable[object] | None = None,
        duplicate_judgements: DuplicateJudgements = "error",
        format: str = "",  # noqa: A002 - as everywhere
        columns: Mapping[str, str] | None = None,
        split: str = "",
        blank: Blank = "unjudged",
        grades: Words | None = None,
        ids: object = None,
        sources: object = None,
    ) -> None:
        """Read, check and sort the judgements."""
        if duplicate_judgements != "error":
            duplicates.check("duplicate_judgements", duplicate_judgements, DuplicateJudgements)
        if isinstance(source, Described):
            columns, blank, split, grades = source.columns, source.blank, source.split, source.grades
            ids = source.ids
            format, source = source.format, source.source  # noqa: A001 - the name of the parameter
        self.duplicate_judgements = duplicate_judgements
        self.merged = False
        self.facts, self.kinds = Facts(), IdKinds()
        wanted = None if queries is None else validate.ids(queries)
        self.only = None if wanted is None else frozenset(wanted)
        if self.only is not None and not self.only:
            raise InputError("empty-input", "the list of queries to keep is empty")
        self.copies, self.copied_grades = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.files, self.source, self.gold = (), None, None
        self._with_subtopics = None
        rule = None
        if ids is not None or sources is not None:
            from rankworth.io.id_tables import rule_for_documents  # noqa: PLC0415 - rarely needed

            rule = rule_for_documents(ids, sources)
        if columns:
            refuse_roles(QRELS, columns)
        if isinstance(source, Qrels):
            refuse_again("Qrels", format=format, columns=columns, split=split, grades=grades)
            refuse_again("Qrels", blank="" if blank == "unjudged" else blank)
            self._from_qrels(source, rule)
        else:
            reading = Reading(format, columns or {}, split, Blanks(blank, self.only), grades or {}, ids=rule)
            self._from_any(source, reading)
        if wanted is not None:
            self._keep(wanted)
        self.grades.setflags(write=False)

    @property
    def blanks(self) -> int:
        """How many judgements have no grade."""
        return self.facts.blanks

    def __len__(self) -> int:
        """Count the judged queries."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Show how much is judged."""
        return f"Qrels({counted(len(self.queries))}, {counted(self.grades.size, 'judgement', 'judgements')})"

    def __eq__(self, other: object) -> bool:
        """Compare: equal where the same documents have the same grades for the same queries, in whatever order."""
        return isinstance(other, Qrels) and self.with_text_ids() == other.with_text_ids()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def without_rows(cls) -> "Qrels":
        """Make judgements without a row, for conventions that do not refuse these."""
        qrels = cls({"": {"": 0}})
        qrels._keep([])
        return qrels

    @cached_property
    def lengths(self) -> Integers:
        """`[Q]`: the number of judged documents."""
        return np.diff(self.offsets)

    @cached_property
    def pool(self) -> Pool:
        """The grades of each query, best first."""
        owner = np.repeat(np.arange(len(self.queries)), self.lengths)
        return Pool(self.offsets, self.grades[np.lexsort((-self.grades, owner))])

    @cached_property
    def digest(self) -> Digest:
        """What tells later whether these are still the judgements."""
        return Digest.of(self)

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
        documents = [text for part in self._documents for text in part]
        return validate.id_column("document", documents, lambda _: _JUDGEMENTS)

    def documents_of(self, query: int) -> list[str]:
        """Return the judged documents of one query, which is given by its place."""
        if isinstance(self._documents, list):
            return self._documents[query]
        return self._documents[int(self.offsets[query]) : int(self.offsets[query + 1])].to_list()

    def by_subtopic(self) -> "pl.DataFrame | None":
        """Return every judgement that counts, `query, subtopic, document, grade`; None without subtopics.

        Raises:
            InputError: `missing-value`, `id-type`.

        """
        if self._with_subtopics is None:
            return None
        from rankworth.io import frames  # noqa: PLC0415 - not needed for dicts

        rows, policy = frames.by_subtopic(self._with_subtopics, _JUDGEMENTS), self.duplicate_judgements
        return rows if policy == "error" else duplicates.settled(rows, duplicates.TRIPLE, "grade", policy)

    def without(self, rows: NDArray[np.bool_]) -> "Qrels":
        """Leave out some of the judgements, and none of the queries.

        Args:
            rows: `[N]`, the judgements to leave out.

        """
        remaining, is_kept = Qrels(self), ~rows
        remaining._select(is_kept, np.arange(len(self.queries)))
        remaining.excluded = self.excluded + self.lengths - remaining.lengths
        return remaining

    def with_queries(self, queries: Iterable[str]) -> "Qrels":
        """Add queries of which no document is judged.

        Args:
            queries: their ids; those that are there already do no harm.

        """
        index_of = {query: index for index, query in enumerate(self.queries)}
        every = {*self.queries, *queries}
        if len(every) == len(index_of):
            return self
        extended = Qrels(self)
        extended.queries = sorted(every)
        at = np.array([index_of.get(query, -1) for query in extended.queries], dtype=np.int64)
        extended.offsets = np.concatenate(([0], np.cumsum(np.where(at >= 0, self.lengths[at], 0))))
        extended.repeated = np.where(at >= 0, self.repeated[at], 0)
        extended.excluded = np.where(at >= 0, self.excluded[at], 0)
        if isinstance(self._documents, list):
            extended._documents = [self._documents[index] if index >= 0 else [] for index in at.tolist()]
        return extended

    def to_dict(self) -> dict[Any, dict[Any, float]]:
        """Return `{query: {document: grade}}`, a copy; ids that came as integers are integers."""
        back = self.kinds.back
        rows = {
            query: dict(zip(back("document", [*row]), row.values(), strict=True))
            for query, row in self.with_text_ids().items()
        }
        return dict(zip(back("query", [*rows]), rows.values(), strict=True))

    def with_text_ids(self) -> dict[str, dict[str, float]]:
        """Return `{query: {document: grade}}` with all ids as text."""
        grades = np.split(self.grades, self.offsets[1:-1])
        parts = zip(self.queries, self.document_lists, grades, strict=False)
        return {query: dict(zip(documents, part.tolist(), strict=True)) for query, documents, part in parts}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return one row per judgement: `query, document, grade`; ids that came as integers are integers."""
        back = self.kinds.back
        queries = np.repeat(np.array(back("query", self.queries), dtype=object), self.lengths).tolist()
        documents = back("document", self.document_series.to_list())
        return to_library({"query": queries, "document": documents, "grade": self.grades}, library)

    def _from_any(self, source: object, reading: Reading) -> None:
        """Read what users have."""
        self.files = files = () if isinstance(source, Mapping) else files_of(source, QRELS, reading)
        self.source = None if files else source
        rows: Any = None
        observed = Observed()
        if not files:
            from rankworth.io.python_objects import Reader  # noqa: PLC0415 - not needed for files

            if reading.format or reading.split:
                refuse_of_objects(_JUDGEMENTS, format=reading.format, split=reading.split)
            rows = Reader(QRELS, _JUDGEMENTS, reading.columns, observed, grades=reading.grades).read(source)
            self.kinds = observed.kinds
            if reading.ids is not None:
                rows = _renamed(rows, reading, observed)
        if isinstance(rows, Mapping):
            self._from_mapping(rows, reading, observed)
        else:
            self._from_rows(files, rows, reading, observed)
        self.facts, self.blank, self.ids = observed.facts, reading.blanks.policy, reading.ids

    def _from_mapping(self, source: Mapping[Any, Any], reading: Reading, observed: Observed) -> None:
        """Read a dict of dicts."""
        refuse_halves(source, _JUDGEMENTS)
        named = validate.dicts(source, "grade", _JUDGEMENTS)
        if self.only is not None and named.keys() >= self.only:
            named = {query: grades for query, grades in named.items() if query in self.only}
        self.order = list(named)
        self.queries = sorted(named)
        parts = [
            validate.keys(named[query], duplicate="duplicate-judgement", name=f"{_JUDGEMENTS}: query {query!r}")
            for query in self.queries
        ]
        self.repeated = self.excluded = np.zeros(len(parts), dtype=np.int64)
        self.offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum(list(map(len, parts)), out=self.offsets[1:])
        self.grades = validate.values(parts, int(self.offsets[-1]), "grade", self.queries, words=reading.grades)
        self._documents = list(map(list, parts))
        if np.isnan(self.grades).any():
            from rankworth.io.python_objects import frame_of  # noqa: PLC0415 - for judgements without a grade only

            self._from_rows((), frame_of(named, QRELS, _JUDGEMENTS, reading.grades), reading, observed)

    def _from_qrels(self, source: "Qrels", rule: IdRule | None) -> None:
        """Copy judgements that were read before."""
        if rule not in (None, source.ids):
            text = f"{rule.in_python}: these judgements are read already"
            raise UsageError("conflicting-options", text, remedy=f"Qrels(source, {rule.in_python})")
        policies = {source.duplicate_judgements, self.duplicate_judgements} - {"error"}
        if len(policies) > 1:
            raise UsageError(
                "conflicting-options",
                f"duplicate_judgements={self.duplicate_judgements!r}: these judgements were read with "
                f"{source.duplicate_judgements!r}",
                remedy="say it once, where they are read",
            )
        only = source.only if self.only is None else self.only
        for name in Qrels.__annotations__:
            setattr(self, name, getattr(source, name))
        self.duplicate_judgements, self.only = next(iter(policies), "error"), only

    def _from_rows(
        self,
        files: "Sequence[Source]",
        rows: Any,  # noqa: ANN401 - a frame of Polars
        reading: Reading,
        observed: Observed,
    ) -> None:
        """Put the rows of files or of a frame in order."""
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        if files:
            batches: Iterator[pl.DataFrame] = (
                frame.rename({"iteration": "subtopic"}, strict=False)
                for frame in file_batches(files, QRELS, reading, observed, columns=QRELS.columns)
            )
            parts = file_parts(files, QRELS, reading, QRELS.columns)
            if self.duplicate_judgements == "error" and self.only is None:
                batches = duplicates.refused(batches, partial(duplicates.repeated_judgements, parts))
            rows = pl.concat(batches, how="diagonal")
        else:
            rows = reading.blanks.settle(rows, _JUDGEMENTS, observed)
            parts = [duplicates.Part(_JUDGEMENTS, lambda: [rows], first=0, is_renamed=reading.ids is not None)]
        ids = rows["query"].cast(pl.String)
        if self.only is not None and self.only <= {*ids.unique()}:  # where one of them is not judged, `_keep` says so
            rows = rows.filter(ids.is_in(list(self.only)))
        if "subtopic" in rows.columns and self.duplicate_judgements not in duplicates.COPIED:
            self._with_subtopics = rows
        frame = rows.select(pl.col("query", "document").cast(pl.String), "grade")
        refuse_blanks_alone(files[0].name if files else _JUDGEMENTS, observed.facts.blanks, empty=not frame.height)
        again, repeated = frame.clear(), {}
        if self.duplicate_judgements in duplicates.COPIED:
            first = frame.select(pl.struct(duplicates.PAIR).is_first_distinct()).to_series()
            frame, again = frame.filter(first), frame.filter(~first)
        elif duplicates.any_in(frame):
            deduplicated = duplicates.deduplicated(frame, self.by_subtopic(), self.duplicate_judgements, parts)
            counts = _counts(deduplicated)
            repeated = {query: count - counts[query] for query, count in _counts(frame).items()}
            frame = duplicates.settled(deduplicated.select(frame.columns), duplicates.PAIR, "grade", "max")
            self.merged = frame.height < deduplicated.height
        self.order = frame["query"].unique(maintain_order=True).to_list()
        if not frame["query"].is_sorted():
            frame = frame.sort("query", maintain_order=True)
        if again.height:
            numbered = frame.select(*duplicates.PAIR).with_row_index("row")
            copies = again.join(numbered, on=duplicates.PAIR, how="left", maintain_order="left")
            self.copies, self.copied_grades = copies["row"].to_numpy().astype(np.int64), copies["grade"].to_numpy()
        starts = run_starts(frame["query"])
        self.queries = taken(frame["query"], starts).to_list()
        self.offsets = np.append(starts, frame.height).astype(np.int64)
        self.grades = frame["grade"].to_numpy()
        self._documents = frame["document"]
        self.repeated = np.zeros(len(self.queries), dtype=np.int64)
        if repeated:
            self.repeated[:] = [repeated.get(query, 0) for query in self.queries]
        self.excluded = np.zeros_like(self.repeated)

    def _keep(self, wanted: Sequence[str]) -> None:
        index = {query: position for position, query in enumerate(self.queries)}
        unjudged = [query for query in wanted if query not in index]
        if unjudged:
            raise InputError(
                "unjudged-queries",
                f"{len(unjudged):,} of the {counted(len(wanted))} asked for "
                f"{'is' if len(wanted) == 1 else 'are'} not judged: {quoted(unjudged)}",
                remedy=f"judged are {quoted(self.queries)}; leave out the queries without judgements",
            )
        places = np.array(sorted({index[query] for query in wanted}), dtype=np.int64)
        is_kept = np.zeros(self.grades.size, dtype=bool)
        is_kept[expand(self.offsets[places], self.lengths[places])] = True
        self._select(is_kept, places)

    def _select(self, is_kept: NDArray[np.bool_], places: Integers) -> None:
        """Keep some judgements.

        Args:
            is_kept: `[N]`, which judgements are kept; none of other queries.
            places: which queries are kept, by their places.

        """
        if isinstance(self._documents, list):
            flags = np.split(is_kept, self.offsets[1:-1])
            self._documents = [list(compress(self._documents[index], flags[index])) for index in places.tolist()]
        else:
            self._documents = taken(self._documents, np.flatnonzero(is_kept))
        ends = np.cumsum(is_kept)
        counts = np.diff(np.concatenate(([0], ends))[self.offsets])[places]
        self.offsets = np.concatenate(([0], np.cumsum(counts)))
        self.grades = self.grades[is_kept]
        self.grades.setflags(write=False)
        self.queries = [self.queries[index] for index in places.tolist()]
        names = {*self.queries}
        self.order = [query for query in self.order if query in names]
        self.repeated, self.excluded = self.repeated[places], self.excluded[places]
        copy_is_kept = is_kept[self.copies]
        self.copies, self.copied_grades = ends[self.copies[copy_is_kept]] - 1, self.copied_grades[copy_is_kept]
        for name in ("lengths", "pool", "document_lists", "document_series"):
            self.__dict__.pop(name, None)


def _renamed(rows: Any, reading: Reading, observed: Observed) -> "pl.DataFrame":  # noqa: ANN401 - dicts or a frame of Polars
    """Return judgements with the documents renamed.

    Raises:
        InputError: `unused-ids` where the rule fits no document.

    """
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    from rankworth.io.python_objects import frame_of  # noqa: PLC0415 - not needed for files

    if isinstance(rows, Mapping):
        refuse_halves(rows, _JUDGEMENTS)
        rows = frame_of(validate.dicts(rows, "grade", _JUDGEMENTS), QRELS, _JUDGEMENTS, reading.grades)
    rule = reading.ids
    return rows if rule is None else pl.concat(rule.batches(iter([rows]), _JUDGEMENTS, observed))


def _counts(frame: "pl.DataFrame") -> dict[str, int]:
    """Count the rows of each query."""
    return dict(frame.group_by("query").len().iter_rows())

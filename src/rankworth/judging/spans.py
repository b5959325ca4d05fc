"""Pieces of sources beside gold spans: which pieces are relevant, and what each adds to the characters found.

A piece is relevant if it holds a share of a gold span, `span_share` or more; its grade is the highest grade of such a
span. A gold span that no piece holds so is a document that was not retrieved; one without a character is none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, quoted
from rankworth.io import spans
from rankworth.model import Qrels, Run, row_texts
from rankworth.stats.spans import Span, count_spans, shares_of, stretches_within

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_KEY: Final = "_piece_spans"
COUNTED: Final = 5
"""how many numbers each piece has: new characters of the gold, new ones, those in common with each gold span, all, and
new ones of each gold span"""
_NOTHING: Final = ("", 0, 0)


@dataclass(frozen=True)
class PieceSpans:
    """The spans of judged pieces, `M` of them in the order of `Qrels.grades`, and of the gold of `Q` queries."""

    pieces: Sequence[Span]
    """`[M]`"""
    gold: Sequence[Sequence[Span]]
    """`[Q]`, those that answer each query, as often as they are given"""

    @classmethod
    def of(cls, qrels: Qrels) -> "PieceSpans | None":
        """Return the spans of judgements that `judge_pieces` made, found once; None of any others."""
        if qrels.gold is None:
            return None
        if _KEY not in vars(qrels):
            documents = (document for documents in qrels.document_lists for document in documents)
            gold = gold_spans(qrels.gold)
            golds = [[span for span, grade in gold.get(query, ()) if grade > 0] for query in qrels.queries]
            vars(qrels)[_KEY] = cls([_span_of(document) for document in documents], golds)
        found: PieceSpans = vars(qrels)[_KEY]
        return found

    def of_queries(self, queries: Integers) -> Self:
        """Select queries; pieces keep their numbers."""
        return replace(self, gold=[self._gold_of(query) for query in queries.tolist()])

    def _gold_of(self, query: int) -> Sequence[Span]:
        """Return the gold of a query by its position; none for queries only in the run."""
        return self.gold[query] if query < len(self.gold) else ()

    def characters(
        self, queries: Integers, judgement: Integers, is_real: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], Floats]:
        """Count the characters that pieces in rank order add to those of the pieces before them.

        Args:
            queries: `[Q']`, the places of queries.
            judgement: `[Q', H]`, the number of each piece, -1 where it is not known.
            is_real: `[Q', H]`, whether there is a piece.

        Returns:
            `[Q', H, 5]`, what `COUNTED` says, and `[Q', 2]`, the characters of the gold, each once and for each span.

        """
        of_pieces = np.zeros((*judgement.shape, COUNTED))
        of_gold = np.zeros((queries.size, 2))
        for row, query in enumerate(queries.tolist()):
            places = np.flatnonzero(is_real[row])
            numbers = judgement[row, places].tolist()
            pieces = [_NOTHING if number < 0 else self.pieces[number] for number in numbers]
            counts = count_spans(self._gold_of(query), pieces)
            totals = (counts.found, counts.retrieved, counts.found_each, counts.retrieved_each, -counts.missed_each)
            of_pieces[row, places] = np.diff(np.stack(totals, axis=1), axis=0)
            of_gold[row] = counts.gold, counts.gold_each
        return of_pieces, of_gold


@dataclass(frozen=True)
class MarkedTexts:
    """The texts of pieces and of gold spans, and which of their characters are gold.

    Attributes:
        texts: by document; of documents that are no spans, too.
        gold: the gold spans of each query; empty where judgements are no spans.

    """

    texts: Mapping[str, str]
    gold: Mapping[str, Sequence[Span]]

    @classmethod
    def of(cls, qrels: Qrels | None, runs: Iterable[Run], docs: object, documents: Collection[str]) -> Self:
        """Look up the texts of documents, and the gold of each query.

        Args:
            qrels: the judgements, where there are any.
            runs: as they were read.
            docs: texts by document, or a file of them; None where only those of spans are known.
            documents: which of them.

        Raises:
            InputError: where the file cannot be read.

        """
        by_document: Mapping[str, str] = {}
        if docs is not None:
            from rankworth.io import query_texts  # noqa: PLC0415 - rarely needed

            by_document = docs if isinstance(docs, Mapping) else query_texts.documents(docs, {*documents})
        texts = {**texts_of_spans(qrels, runs, documents), **by_document}
        graded = gold_spans(qrels) if qrels is not None and qrels.facts.spans else {}
        return cls(texts, {query: [span for span, grade in spans_ if grade > 0] for query, spans_ in graded.items()})

    def marks(self, query: str, document: str) -> list[tuple[int, int]]:
        """Return start and end of each stretch of the text of a piece that is gold; none where it is not its span's."""
        piece, text = spans.parsed(document), self.texts.get(document, "")
        if piece is None or len(text) != piece[2] - piece[1]:
            return []
        return stretches_within(piece, self.gold.get(query, ()))

    def marks_of(self, query: str, documents: Iterable[str], letters: int) -> dict[str, list[tuple[int, int]]]:
        """Return those among the first letters of the texts of several documents, by document."""
        marks = {
            each: [(start, min(end, letters)) for start, end in self.marks(query, each) if start < letters]
            for each in documents
        }
        return {document: stretches for document, stretches in marks.items() if stretches}


def texts_of_spans(
    qrels: Qrels | None, runs: Iterable[Run] = (), documents: Iterable[str] | None = None
) -> dict[str, str]:
    """Return the texts of spans: cut from their sources, or as the rows of runs have them; nothing elsewhere.

    Args:
        qrels: the judgements, where there are any.
        runs: as they were read.
        documents: which spans; those that are judged where not said.

    """
    if qrels is None or not qrels.facts.spans:
        return {}
    runs, wanted = list(runs), list(qrels.document_series.unique().to_list() if documents is None else documents)
    for rule in (qrels.ids, *(run.ids for run in runs)):
        if rule is not None and rule.is_of_sources:
            texts: dict[str, str] = rule.texts_of(wanted)
            return texts
    return {document: text for run in runs for document, text in row_texts.of(run_of_spans(run)).items()}


def gold_spans(gold: Qrels) -> dict[str, list[tuple[Span, float]]]:
    """Return the gold spans of each query and their grades; a repeated span is kept if all count."""
    rows = {
        query: [(_span_of(document), grade) for document, grade in grades.items()]
        for query, grades in gold.with_text_ids().items()
    }
    query_of = np.searchsorted(gold.offsets, gold.copies, side="right") - 1  # [C]
    for row, query, grade in zip(gold.copies.tolist(), query_of.tolist(), gold.copied_grades.tolist(), strict=True):
        rows[gold.queries[query]].append((_span_of(gold.documents_of(query)[row - int(gold.offsets[query])]), grade))
    return rows


def run_of_spans(run: Run, progress: "Progress | None" = None) -> Run:
    """Read a run whose documents are spans, from the columns of spans even if a column of documents is there.

    Args:
        run: as it was given.
        progress: called while a file is read.

    Raises:
        InputError: `bad-span`, where documents are no spans and nothing tells them; `frame-columns`.

    """
    read = run.held(progress)
    if _first_without_span(read) is None:
        return read
    read = run.with_spans().held(progress)
    if (document := _first_without_span(read)) is not None:
        text = f"{run.name or 'the run'}: {quoted([document])} is no span, and the judgements are spans of sources"
        remedy = "give the source, the start and the end of each piece: columns source, start and end"
        raise InputError("bad-span", text, remedy=remedy)
    return read


def _first_without_span(run: Run) -> str | None:
    """Return the first document of a run that is no span, or None."""
    return next(
        (document for _, documents in _documents(run) for document in documents if not spans.parsed(document)), None
    )


def _documents(run: Run) -> Iterable[tuple[list[str], list[str]]]:
    """Yield queries and documents of some rows at a time, as text."""
    for frame in run.batches():
        yield frame["query"].to_list(), frame["document"].to_list()


def judge_pieces(gold: Qrels, run: Run, share: float) -> Qrels:
    """Judge the pieces of a run by the gold spans that they hold.

    Args:
        gold: judgements whose documents are spans.
        run: the run, whose documents are spans.
        share: how much of a gold span a piece holds at least, to be relevant; with 0 a character is enough.

    """
    retrieved: dict[str, dict[str, Span]] = {}
    for queries, documents in _documents(run):
        for query, document in zip(queries, documents, strict=True):
            retrieved.setdefault(query, {})[document] = _span_of(document)
    judged = {query: _grades(graded, retrieved.get(query, {}), share) for query, graded in gold_spans(gold).items()}
    qrels = Qrels(judged)
    qrels.only, qrels.gold, qrels.kinds = gold.only, gold, gold.kinds
    return qrels


def _grades(graded: Sequence[tuple[Span, float]], pieces: dict[str, Span], share: float) -> dict[str, float]:
    """Return the grade of each piece of a query, and of each gold span that no piece holds."""
    held = shares_of([span for span, _ in graded], [*pieces.values()])  # [K, G]
    holds = np.asarray(held >= share if share > 0 else held > 0)
    grades = np.array([grade for _, grade in graded])  # [G]
    of_pieces = np.where(holds, grades, 0.0).max(axis=1, initial=0.0)
    judged = dict(zip(pieces, of_pieces.tolist(), strict=True))
    for place in np.flatnonzero(~holds.any(axis=0)).tolist():
        span, grade = graded[place]
        judged.setdefault(spans.id_of(*span), grade if span[2] > span[1] else 0.0)
    return judged


def _span_of(document: str) -> Span:
    """Return the span that the id of a piece tells."""
    span = spans.parsed(document)
    if span is None:
        raise InputError("bad-span", f"{quoted([document])} is no span", remedy="a span is SOURCE:START-END")
    return span

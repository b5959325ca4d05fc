"""Judging for dicts: judged documents are looked up; nothing is joined, and only tied documents are sorted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError, quoted
from rankworth.io import duplicates, validate
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.judged_run import Found, JudgedRun, Layout, assemble, nothing_left
from rankworth.judging.order import Contradictions, settled
from rankworth.judging.overlap import nothing_in_common
from rankworth.judging.ties import Standing, Stood, as_given, compared, stand, tie_groups
from rankworth.model import Qrels, Run
from rankworth.settings import Duplicates, Ordering


def judge_all(
    asked: Sequence[tuple[Qrels, Ordering]],
    run: Mapping[str, Mapping[Any, Any]],
    layout: Layout,
    source: Run,
    *,
    elsewhere: bool = False,
    shown: Collection[str] = (),
) -> list[JudgedRun | InputError]:
    """Where the documents of a run stand, by several conventions; those that leave out the same share the look-up.

    Args:
        asked: the judgements and the ordering of each convention; judgements differ in what was excluded.
        run: scores of documents by query id; document ids are texts or integers.
        layout: whether unjudged documents get rows, too.
        source: the run that they are of.
        elsewhere: whether rows tell if a document is judged for some query; in the full layout only.
        shown: queries of which all documents get rows, with ids and scores.

    Raises:
        InputError: `no-common-queries`, `bad-score`, `id-type`, `duplicate-document`, where that is so for every
            convention.

    """
    groups: dict[tuple[int, object, object], list[int]] = {}
    for number, (qrels, ordering) in enumerate(asked):
        groups.setdefault((id(qrels), ordering.duplicates, ordering.exclude), []).append(number)
    found: dict[int, JudgedRun | InputError] = {}
    for numbers in groups.values():
        qrels, orderings = asked[numbers[0]][0], [asked[number][1] for number in numbers]
        try:
            found |= zip(numbers, _judged(qrels, run, layout, orderings, source, elsewhere, shown), strict=True)
        except InputError as error:
            if len(groups) == 1:
                raise
            found |= dict.fromkeys(numbers, error)
    return [found[number] for number in range(len(asked))]


def _judged(
    qrels: Qrels,
    run: Mapping[str, Mapping[Any, Any]],
    layout: Layout,
    orderings: Sequence[Ordering],
    source: Run,
    elsewhere: bool,
    shown: Collection[str],
) -> list[JudgedRun | InputError]:
    """Where the documents stand, by conventions that leave out the same."""
    exclude, name = orderings[0].exclude, source.name
    place, lists, left_out = _of_judged(qrels, run, orderings[0], name)
    if not place and len(qrels) and not source.is_rowless:
        raise nothing_left(exclude, name) if left_out["excluded"] else nothing_in_common(qrels.queries, list(run), name)
    answered = [qrels.queries[one] for one in place]
    looked_up: list[Any] = []
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    part = _Part(qrels, place, lists, lengths)
    beside = (lambda number: looked_up.extend(part.look_up(number))) if layout == "compact" else None
    scores = validate.values(lists, int(lengths.sum()), "score", answered, name=_called(name), beside=beside)
    rows = part.all_rows(scores) if layout == "full" else part.judged_rows(looked_up)
    seen = [number for number, one in enumerate(answered) if one in shown]
    if seen and layout == "compact":
        rows = part.with_all_rows(rows, scores, seen)
    there = _known(qrels, lists, scores.size) if elsewhere and layout == "full" else None
    document = part.named(rows, seen) if seen else None
    query = np.array(place, dtype=np.int64)[rows.segment]
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    n_retrieved[place] = lengths
    unjudged = _unjudged(qrels, run, exclude)
    contrary = part.contrary(scores, source) if any(one.order == "auto" for one in orderings) else None
    judgements: list[JudgedRun | InputError] = []
    for one in orderings:
        if one.order == "auto" and contrary is not None:
            judgements.append(contrary)
            continue
        ordering = settled(one, source.lists)
        first, last, rank = part.stood(rows, scores, ordering)
        stood = Found(query, rank, first, last, rows.judgement, rows.score > 0, there, document, rows.score)
        judgements.append(assemble(qrels, stood, n_retrieved, unjudged, duplicates=ordering.duplicates, **left_out))
    return judgements


@dataclass(frozen=True)
class _Rows:
    """Documents that have rows, `[N]` each."""

    judgement: Integers
    """where they stand among the judged ones, -1 where nobody judged"""
    score: Floats
    segment: Integers
    """the number of the query"""
    among: Integers
    """which document of the query they are,"""
    within: list[list[str]] | None
    """in these lists; among all that were retrieved where None"""


@dataclass(frozen=True)
class _Part:
    """The queries that are judged and answered."""

    qrels: Qrels
    place: list[int]
    """`[S]`: their places in the judgements"""
    lists: list[Mapping[str, Any]]
    """`[S]`: the scores of their documents"""
    lengths: Integers
    """`[S]`: how many there are"""

    @cached_property
    def starts(self) -> Integers:
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def bases(self) -> Integers:
        """`[S]`: where the judgements of each begin."""
        return self.qrels.offsets[self.place]

    @cached_property
    def wanted(self) -> list[list[str]]:
        """The judged documents of each."""
        return [self.qrels.document_lists[one] for one in self.place]

    def look_up(self, number: int) -> Iterator[Any]:
        """The scores of the judged documents of one query, None where the run does not have them."""
        return map(self.lists[number].get, self.wanted[number])

    def judged_rows(self, looked_up: list[Any]) -> _Rows:
        """A row for each judged document that was retrieved."""
        counts = self.qrels.lengths[self.place]
        score = np.fromiter(looked_up, np.float64, len(looked_up))  # NaN where the run does not have the document
        found = np.flatnonzero(~np.isnan(score))
        judgement = expand(self.bases, counts)[found]
        segment = np.repeat(np.arange(counts.size), counts)[found]
        return _Rows(judgement, score[found], segment, judgement - self.bases[segment], self.wanted)

    def all_rows(self, scores: Floats) -> _Rows:
        """A row for each document."""
        judgement = np.fromiter(_rows_of_all(self.lists, self.wanted, self.bases.tolist()), np.int64, scores.size)
        segment = np.repeat(np.arange(self.lengths.size), self.lengths)
        return _Rows(judgement, scores, segment, np.arange(scores.size) - self.starts[segment], None)

    def with_all_rows(self, rows: _Rows, scores: Floats, seen: list[int]) -> _Rows:
        """The same with rows for all documents of some queries, behind those of the others."""
        within, wanted = list(rows.within or ()), [self.wanted[number] for number in seen]
        for number in seen:
            within[number] = list(self.lists[number])
        others, sizes = np.flatnonzero(~np.isin(rows.segment, seen)), self.lengths[seen]
        every = _rows_of_all([self.lists[number] for number in seen], wanted, self.bases[seen].tolist())
        return _Rows(
            np.append(rows.judgement[others], np.fromiter(every, np.int64, int(sizes.sum()))),
            np.append(rows.score[others], scores[expand(self.starts[seen], sizes)]),
            np.append(rows.segment[others], np.repeat(seen, sizes)),
            np.append(rows.among[others], expand(np.zeros_like(sizes), sizes)),
            within,
        )

    def named(self, rows: _Rows, seen: list[int]) -> NDArray[np.object_]:
        """`[N]`: the ids of the documents of some queries; all of these have rows."""
        document = np.full(rows.segment.size, "", dtype=object)
        ids = {number: list(self.lists[number]) for number in seen}
        for row in np.flatnonzero(np.isin(rows.segment, seen)).tolist():
            document[row] = ids[int(rows.segment[row])][int(rows.among[row])]
        return document

    def contrary(self, scores: Floats, run: Run) -> InputError | None:
        """The error where the run came as lists and their scores contradict their order."""
        if run.lists is None or run.lists.is_order:
            return None
        found = Contradictions()
        queries = [self.qrels.queries[place] for place in self.place]

        def document(place: int) -> object:
            number = int(np.searchsorted(self.starts, place, side="right")) - 1
            return list(self.lists[number])[place - int(self.starts[number])]

        found.look(queries, self.starts, scores, document)
        return found.error(run.name, run.lists)

    def stood(self, rows: _Rows, scores: Floats, ordering: Ordering) -> Stood:
        """First and last rank of the group of equal scores, and rank, by one convention: `[N]` each."""
        if ordering.order == "given" and self.falls(scores):  # scores tell places, which need not be counted
            ordering = ordering._replace(order="score", score_type="float64")
        if ordering.order == "given":
            rank = self.places(rows) - self.starts[rows.segment] + 1
            return rank, rank, rank
        values = compared(scores, ordering.score_type)
        score = compared(rows.score, ordering.score_type)
        standing = stand(values, self.starts, self.lengths, rows.segment, score)
        if ordering.ties in ("given", "given-reversed"):
            backwards = ordering.ties == "given-reversed"
            rank = as_given(
                *(standing, self.starts, rows.segment, lambda: self.places(rows), lambda places: places),
                backwards=backwards,
            )
        else:
            rank = _break_ties(standing, rows.among, rows.within, rows.segment, self.lists, self.starts)
            rank = standing.first + standing.last - rank if ordering.ties == "id-ascending" else rank
        return standing.first, standing.last, rank

    def falls(self, scores: Floats) -> bool:
        """Whether the scores of each query are the lower, the later they come."""
        falls = scores[1:] < scores[:-1]
        falls[self.starts[1:] - 1] = True
        return bool(falls.all())

    def places(self, rows: _Rows) -> Integers:
        """The places of documents in the dicts of their queries, one dict after the other."""
        if rows.within is None:
            return np.arange(rows.segment.size)
        numbers: dict[int, dict[str, int]] = {}
        places = []
        for segment, document in zip(rows.segment.tolist(), rows.among.tolist(), strict=True):
            if segment not in numbers:
                numbers[segment] = {one: at for at, one in enumerate(self.lists[segment], int(self.starts[segment]))}
            places.append(numbers[segment][rows.within[segment][document]])
        return np.array(places, dtype=np.int64)


def _known(qrels: Qrels, lists: list[Mapping[str, Any]], size: int) -> NDArray[np.bool_]:
    """`[R]`: whether each retrieved document is judged for some query."""
    judged = frozenset(chain.from_iterable(qrels.document_lists))
    return np.fromiter((document in judged for part in lists for document in part), bool, size)


def _of_judged(
    qrels: Qrels, run: Mapping[str, Mapping[Any, Any]], settings: Ordering, name: str
) -> tuple[list[int], list[Mapping[str, Any]], dict[str, Any]]:
    """The judged queries that have results, by place, with these, and how many documents were left out."""
    emptied: list[str] = []
    places = [place for place, query in enumerate(qrels.queries) if query in run]
    given = [run[qrels.queries[place]] for place in places]
    excluded = repeated = 0
    if settings.exclude is not None:
        documents = sum(map(len, given))
        out = (settings.exclude.documents_of(qrels.queries[place]) for place in places)
        given = list(map(_without, given, out))
        excluded = documents - sum(map(len, given))
        emptied = [qrels.queries[place] for place, one in zip(places, given, strict=True) if not one]
        places, given = list(compress(places, given)), list(filter(None, given))
    where = f"{_called(name)}: query" if name else "query"
    lists = [
        _by_text(part, f"{where} {qrels.queries[place]!r}", settings.duplicates)
        for place, part in zip(places, given, strict=True)
    ]
    if settings.duplicates != "error":
        repeated = sum(map(len, given)) - sum(map(len, lists))
    return places, lists, {"excluded": excluded, "repeated": repeated, "emptied": emptied}


def _without(documents: Mapping[Any, Any], excluded: Collection[str]) -> Mapping[Any, Any]:
    """The other documents; the dict itself where all are."""
    if not _is_text(documents):
        excluded = frozenset(excluded)
        return {document: score for document, score in documents.items() if validate.text(document) not in excluded}
    found = [document for document in excluded if document in documents]
    if not found:
        return documents
    others = dict(documents)
    for document in found:
        del others[document]
    return others


def _unjudged(qrels: Qrels, run: Mapping[str, Mapping[Any, Any]], exclude: Exclusion | None) -> dict[str, int]:
    """The queries that nobody judged and that have results, without those that are excluded, with their number."""
    judged = set(qrels.queries)
    others = {query: documents for query, documents in run.items() if query not in judged}
    if exclude is not None:
        others = {query: _without(documents, exclude.documents_of(query)) for query, documents in others.items()}
    return {query: len(documents) for query, documents in others.items() if documents}


def _rows_of_all(lists: list[Mapping[str, Any]], wanted: list[list[str]], bases: list[int]) -> Iterator[int]:
    """For each retrieved document its row in the judgements, or -1."""
    for scored, judged, base in zip(lists, wanted, bases, strict=True):
        rows = {document: row for row, document in enumerate(judged, base)}
        yield from (rows.get(document, -1) for document in scored)


def _called(name: str) -> str:
    """What messages call a run of this name; nothing where it has none."""
    return f"run {name}" if name else ""


def _by_text(documents: Mapping[Any, Any], where: str, policy: Duplicates) -> Mapping[str, Any]:
    """The scores by document id as text; the dict itself where its ids are texts."""
    if _is_text(documents):
        return documents
    return duplicates.one_value(documents, policy, duplicate="duplicate-document", name=where)


def _is_text(documents: Mapping[Any, Any]) -> bool:
    """Whether the first and the last id of a dict are texts, or all of another mapping.

    Looking at all ids would take as long as all the rest; ids of one dict are of one kind.
    """
    if isinstance(documents, dict):
        return not documents or type(next(iter(documents))) is type(next(reversed(documents))) is str
    return all(isinstance(document, str) for document in documents)


def _break_ties(
    standing: Standing,
    at: Integers,
    within: list[list[str]] | None,
    segment: Integers,
    lists: list[Mapping[str, Any]],
    starts: Integers,
) -> Integers:
    """Ranks by descending id inside the tie groups that hold one of the documents.

    Args:
        standing: where the documents stand.
        at: `[N]`, which document of its query each is,
        within: in these lists, or in those of the run.
        segment: `[N]`, the query of each.
        lists: the documents of each query of the run.
        starts: `[S]`, where the documents of each query begin.

    """
    rank = standing.first.copy()
    groups = tie_groups(standing, starts, segment)
    size = np.bincount(groups.group_of_row)
    ends = np.cumsum(size)
    ids: dict[int, list[str]] = {}
    ranks: dict[int, dict[str, int]] = {}
    for hit, group in zip(groups.held.tolist(), groups.group.tolist(), strict=True):
        place = int(segment[hit])
        if group not in ranks:
            if place not in ids:
                ids[place] = list(lists[place])
            rows = groups.rows[ends[group] - size[group] : ends[group]] - starts[place]
            ranks[group] = _ranked([ids[place][row] for row in rows.tolist()], int(standing.first[hit]))
        rank[hit] = ranks[group][(ids if within is None else within)[place][at[hit]]]
    return rank


def _ranked(ids: list[str], first: int) -> dict[str, int]:
    """Ranks from `first` on in descending order; code points order as UTF-8 bytes do.

    Raises:
        InputError: `id-type`.

    """
    if not set(map(type, ids)) <= {str}:
        raise InputError(
            "id-type",
            f"{quoted(map(repr, ids))} are ids of one query, texts and others",
            remedy="make all of them texts",
        )
    return {document: rank for rank, document in enumerate(sorted(ids, reverse=True), first)}

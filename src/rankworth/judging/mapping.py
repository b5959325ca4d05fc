"""Judging for dicts: judged documents are looked up; nothing is joined, and only tied documents are sorted."""

from collections.abc import Collection, Iterator, Mapping
from itertools import compress
from typing import Any

import numpy as np

from rankworth.errors import InputError, quoted
from rankworth.hits import Integers, expand
from rankworth.io import duplicates, mapping, scalars
from rankworth.io.duplicates import Duplicates
from rankworth.judging.assembly import Found, Judgement, Layout, assemble, nothing_left
from rankworth.judging.counting import Standing, stand, tie_groups
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.meeting import nothing_in_common
from rankworth.judging.settings import STANDARD, Judging
from rankworth.model import Qrels


def judge(
    qrels: Qrels,
    run: Mapping[str, Mapping[Any, Any]],
    layout: Layout,
    settings: Judging = STANDARD,
    name: str = "",
) -> Judgement:
    """Where the documents of a run stand.

    Args:
        qrels: the judgements.
        run: scores of documents by query id; document ids are texts or integers.
        layout: whether unjudged documents get rows, too.
        settings: what becomes of repeated and excluded documents.
        name: what messages call the run.

    Raises:
        InputError: `no-common-queries`, `bad-score`, `id-type`, `duplicate-document`.

    """
    places, lists, left_out = _of_judged(qrels, run, settings, name)
    if not places:
        if left_out["excluded"]:
            raise nothing_left(settings.exclude, name)
        raise nothing_in_common(qrels, list(run), name)
    answered = [qrels.queries[place] for place in places]
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    wanted = [qrels.document_lists[place] for place in places]
    looked_up: list[Any] = []

    def look_up(place: int) -> None:
        looked_up.extend(map(lists[place].get, wanted[place]))

    beside = look_up if layout == "compact" else None
    scores = mapping.numbers(lists, int(lengths.sum()), "score", answered, name=_called(name), beside=beside)
    starts = np.cumsum(lengths) - lengths
    if layout == "compact":
        counts = qrels.lengths[places]
        score = np.fromiter(looked_up, np.float64, len(looked_up))  # NaN where the run does not have the document
        found = np.flatnonzero(~np.isnan(score))
        row = expand(qrels.offsets[places], counts)[found]
        score = score[found]
        segment = np.repeat(np.arange(len(places)), counts)[found]
    else:
        row = np.fromiter(_rows_of_all(lists, wanted, qrels.offsets[places].tolist()), np.int64, scores.size)
        score = scores
        segment = np.repeat(np.arange(len(places)), lengths)

    standing = stand(scores, starts, lengths, segment, score)
    # where each row's document stands: among the judged ones of its query, or among the retrieved ones
    base, within = (qrels.offsets[places], wanted) if layout == "compact" else (starts, None)
    at = (row if layout == "compact" else np.arange(row.size)) - base[segment]
    rank = _break_ties(standing, at, within, segment, lists, starts)
    known = row >= 0
    grade = np.where(known, qrels.grades[row], 0.0) if row.size else np.zeros(0)
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    n_retrieved[places] = lengths
    query = np.array(places, dtype=np.int64)[segment]
    found_there = Found(query, rank, standing.first, standing.last, grade, known)
    ignored = len(run) - len(places) if settings.exclude is None else _ignored(qrels, run, settings.exclude)
    return assemble(qrels, found_there, n_retrieved, ignored, **left_out)


def _of_judged(
    qrels: Qrels, run: Mapping[str, Mapping[Any, Any]], settings: Judging, name: str
) -> tuple[list[int], list[Mapping[str, Any]], dict[str, int]]:
    """The judged queries that have results, by place, with these, and how many documents were left out."""
    places = [place for place, query in enumerate(qrels.queries) if query in run]
    given = [run[qrels.queries[place]] for place in places]
    excluded = repeated = 0
    if settings.exclude is not None:
        documents = sum(map(len, given))
        out = (settings.exclude.documents_of(qrels.queries[place]) for place in places)
        given = list(map(_without, given, out))
        excluded = documents - sum(map(len, given))
        places, given = list(compress(places, given)), list(filter(None, given))
    where = f"{_called(name)}: query" if name else "query"
    lists = [
        _by_text(part, f"{where} {qrels.queries[place]!r}", settings.duplicates)
        for place, part in zip(places, given, strict=True)
    ]
    if settings.duplicates != "error":
        repeated = sum(map(len, given)) - sum(map(len, lists))
    return places, lists, {"excluded": excluded, "repeated": repeated}


def _without(documents: Mapping[Any, Any], excluded: Collection[str]) -> Mapping[Any, Any]:
    """The other documents; the dict itself where all are."""
    if not _is_text(documents):
        excluded = frozenset(excluded)
        return {document: score for document, score in documents.items() if scalars.text(document) not in excluded}
    found = [document for document in excluded if document in documents]
    if not found:
        return documents
    others = dict(documents)
    for document in found:
        del others[document]
    return others


def _ignored(qrels: Qrels, run: Mapping[str, Mapping[Any, Any]], exclude: Exclusion) -> int:
    """How many queries that nobody judged have results that are not excluded."""
    judged = set(qrels.queries)
    others = ((documents, exclude.documents_of(query)) for query, documents in run.items() if query not in judged)
    return sum(bool(_without(documents, excluded)) for documents, excluded in others)


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
    return duplicates.texts(documents, policy, duplicate="duplicate-document", name=where)


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

"""Ids of judgements and runs that do not meet: both sides, and how they differ where that shows."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from rankworth.errors import InputError, counted, quoted
from rankworth.io import validate
from rankworth.model import Qrels, Run

_SOME: Final = 1000
"""how many documents of either side are looked at"""
_ALIKE: Final = 0.1
"""the share of documents of another form, of those that meet or would, from which it is told"""


def nothing_in_common(ours: Sequence[str], theirs: Sequence[str], run: str = "", column: str = "query") -> InputError:
    """The error for a run of which no query is judged.

    Args:
        ours: queries that are judged.
        theirs: queries of the run.
        run: what to call it.
        column: the column of the run that holds them, as its owner calls it.

    """
    if not theirs:
        text = f"{run or 'the run'} has none of the queries asked for: {quoted(ours)}"
        return InputError("no-common-queries", text, remedy="ids are compared to the letter")
    where = "" if column == "query" else f" in its column {column}"
    return InputError(
        "no-common-queries",
        f"no query of {run or 'the run'} is judged: the judgements have {quoted(ours)}, the run has "
        f"{quoted(theirs)}{where}",
        remedy=_difference(ours, theirs, "judged queries would have results")
        or "are these judgements and a run of the same collection?",
    )


def alike_queries(unanswered: Sequence[str], ignored: Sequence[str]) -> str:
    """What to say of judged queries without results that the run has under ids of another form; empty if it has none.

    Args:
        unanswered: judged queries that the run does not have.
        ignored: queries of the run that nobody judged.

    """
    told = _difference(unanswered, ignored, "judged ones would have results", forms=True)
    judged, others = f"{len(unanswered):,}", f"{len(ignored):,}"
    return told and f"judged queries without results: {judged}; queries of the run that nobody judged: {others}; {told}"


def alike_documents(qrels: Qrels, run: Run) -> str:
    """What to say of judged documents that the run has under ids of another form; empty where these are few.

    Args:
        qrels: the judgements.
        run: is read again, as far as the first thousand documents.

    """
    theirs: dict[str, list[str]] = {}
    for query, document in islice(_retrieved(qrels, run), _SOME):
        theirs.setdefault(query, []).append(document)
    ours = {query: {*qrels.documents_of(place)} for place, query in enumerate(qrels.queries) if query in theirs}
    met = sum(document in ours[query] for query, documents in theirs.items() for document in documents)
    left = [document for query, some in ours.items() for document in some.difference(theirs[query])]
    right = [document for query, some in theirs.items() for document in {*some} - ours[query]]
    elsewhere = {*left} & {*right}  # judged for one query and retrieved for another: nothing is wrong with these ids
    pairs, what = _best(sorted({*left} - elsewhere), sorted({*right} - elsewhere), forms=True)
    if not pairs or len(pairs) < _ALIKE * (met + len(pairs)):
        return ""
    first = counted(met + len(right), "document", "documents")
    meeting = f"{met:,} {'is judged for its' if met == 1 else 'are judged for their'} query"
    others = f"{len(right):,} {'is' if len(right) == 1 else 'are'} not"
    told = _remedy(pairs, what, len(left), "judged documents would be retrieved")
    return f"among the first {first} of {run.name or 'the run'}, {meeting} and {others}; {told}"


def no_common_documents(qrels: Qrels, run: Run) -> str:
    """What to say of a run of which not one document is judged for its query, although some queries are.

    Args:
        qrels: the judgements.
        run: is read again, as far as the first thousand documents.

    """
    theirs: list[str] = []
    answered: dict[str, None] = {}
    for query, document in islice(_retrieved(qrels, run), _SOME):
        theirs.append(document)
        answered[query] = None
    places = [place for place, query in enumerate(qrels.queries) if query in answered]
    ours = list(islice((document for place in places for document in qrels.documents_of(place)), _SOME))
    left, right = list(dict.fromkeys(ours)), list(dict.fromkeys(theirs))
    elsewhere = dict.fromkeys(document for document in right if document in set(left))
    told = (
        f"judged for other queries: {quoted(elsewhere)}"
        if elsewhere
        else _difference(left, right, "judged documents would be retrieved")
    )
    return (
        f"not one document of {run.name or 'the run'} is judged for its query: the judgements have {quoted(left)}, "
        f"the run has {quoted(right)}; " + (told or "are these judgements and a run of the same collection?")
    )


def _retrieved(qrels: Qrels, run: Run) -> Iterable[tuple[str, str]]:
    """Queries that are judged, with the documents that a run has for them."""
    if run.engine:
        return run.some(qrels.queries)  # type: ignore[attr-defined, no-any-return]
    judged = set(qrels.queries)
    if run.mapping is not None:
        return (
            (query, validate.text(document))
            for query, documents in run.mapping.items()
            if query in judged
            for document in documents
        )
    rows = (row for frame in run.batches() for row in frame.select("query", "document").iter_rows())
    return ((query, document) for query, document in rows if query in judged)


def _zeros(text: str) -> str:
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", text)


def _solid(text: str) -> str:
    return "".join(filter(str.isprintable, text)).replace(" ", "")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "leading zeros": _zeros,
    "upper and lower case": str.casefold,
    "blanks or invisible characters": _solid,
    "Unicode form (NFC, NFD)": _composed,
    "case, blanks, leading zeros and Unicode form": lambda text: _zeros(_composed(_solid(text)).casefold()),
}
"""What is another form of the same id."""
_AFFIXES: Final[Mapping[str, Callable[[str], str]]] = {
    "a suffix": lambda text: re.sub(r"[._:-][^._:-]*$", "", text),
    "a prefix": lambda text: re.sub(r"^(.*[._:/#-]|[^\W\d]+)", "", text),
}
"""What may be missing on one side."""


def _difference(ours: Sequence[str], theirs: Sequence[str], outcome: str, *, forms: bool = False) -> str:
    """Name the rewriting that makes most of the ids meet, if one does, and what comes of it.

    Args:
        ours: ids of the judgements.
        theirs: ids of the run.
        outcome: what would be so then.
        forms: whether other forms of an id are looked for alone, and nothing that is missing on one side.

    """
    pairs, what = _best(ours, theirs, forms=forms)
    return _remedy(pairs, what, len(ours), outcome) if pairs else ""


def _remedy(pairs: Mapping[str, str], what: str, known: int, outcome: str) -> str:
    left, right = next(iter(pairs.items()))
    shown = ascii if "Unicode" in what else repr
    return (
        f"they differ in {what}: {shown(left)} in the judgements, {shown(right)} in the run; made equal, "
        f"{len(pairs):,} of {known:,} {outcome}"
    )


def _best(ours: Sequence[str], theirs: Sequence[str], *, forms: bool) -> tuple[Mapping[str, str], str]:
    """The pairs of ids that one rewriting makes equal, and what it rewrites: that which makes most so."""
    best: tuple[Mapping[str, str], str] = ({}, "")
    for what, rewrite in (_FORMS if forms else {**_FORMS, **_AFFIXES}).items():
        judged = {rewrite(text): text for text in ours}
        exact = dict.fromkeys(ours) if what in _AFFIXES else judged
        pairs: dict[str, str] = {}
        for text in theirs:
            base = rewrite(text)
            if text and text in judged:
                pairs[judged[text]] = text
            elif base in exact:
                pairs[exact[base] or base] = text
        if len(pairs) > len(best[0]):
            best = (pairs, what)
    return best

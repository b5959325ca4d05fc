"""Ids of judgements and runs that do not meet: both sides, and how they differ where that shows."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from rankworth.errors import InputError, quoted
from rankworth.io import scalars
from rankworth.model import Qrels, Run

_SOME: Final = 1000
"""how many documents of either side are looked at"""


def nothing_in_common(qrels: Qrels, queries: Sequence[str], run: str = "") -> InputError:
    """The error for a run of which no query is judged."""
    ours, theirs = qrels.queries, list(queries)
    if qrels.only is not None and not theirs:
        text = f"{run or 'the run'} has none of the queries asked for: {quoted(ours)}"
        return InputError("no-common-queries", text, remedy="ids are compared to the letter")
    return InputError(
        "no-common-queries",
        f"no query of {run or 'the run'} is judged: the judgements have {quoted(ours)}, the run has {quoted(theirs)}",
        remedy=_difference(ours, theirs, "judged queries would have results")
        or "are these judgements and a run of the same collection?",
    )


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
            (query, scalars.text(document))
            for query, documents in run.mapping.items()
            if query in judged
            for document in documents
        )
    rows = (row for frame in run.batches() for row in frame.select("query", "document").iter_rows())
    return ((query, document) for query, document in rows if query in judged)


_REWRITINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "leading zeros": lambda text: text.lstrip("0") or "0",
    "upper and lower case": str.casefold,
    "blanks or invisible characters": lambda text: "".join(filter(str.isprintable, text)).replace(" ", ""),
    "the form of their letters": lambda text: unicodedata.normalize("NFKC", text),
    "a suffix": lambda text: re.sub(r"[._:-][^._:-]*$", "", text),
    "a prefix": lambda text: re.sub(r"^(.*[._:/#-]|[^\W\d]+)", "", text),
}
"""What may be rewritten so that ids meet; a suffix or a prefix on one side only."""


def _difference(ours: Sequence[str], theirs: Sequence[str], outcome: str) -> str:
    """Name the rewriting that makes most of the ids meet, if one does, and what comes of it."""
    best, answer = 0, ""
    for what, rewrite in _REWRITINGS.items():
        judged = {rewrite(text): text for text in ours}
        exact = dict.fromkeys(ours) if what in ("a suffix", "a prefix") else judged
        pairs = {}
        for text in theirs:
            base = rewrite(text)
            if text and text in judged:
                pairs[judged[text]] = text
            elif base in exact:
                pairs[exact[base] or base] = text
        if len(pairs) > best:
            best = len(pairs)
            left, right = next(iter(pairs.items()))
            answer = (
                f"they differ in {what}: {left!r} in the judgements, {right!r} in the run; "
                f"made equal, {best:,} of {len(ours):,} {outcome}"
            )
    return answer

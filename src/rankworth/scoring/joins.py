"""How much of a run a history, a table of items and an expected run have: less than all is said, none is refused."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth.catalogue import Catalogue
from rankworth.errors import InputError
from rankworth.item_options import Source
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.overlap import difference, first_documents
from rankworth.model import Qrels, Run
from rankworth.profiles import ResolvedMeasure
from rankworth.scoring.counts import Notice

_SOME: Final = 1000
"""how many ids of either side are compared"""
_FEW: Final = 0.5
"""the share of users or items below which their ids are looked at"""
_REST: Final[Mapping[Source, Mapping[str, str]]] = {
    "history": {"users": "users without a history", "items": "items that nobody had"},
    "items": {"items": "items without a value in any column, and outside of its catalogue"},
    "expected_run": {"users": "users of whom nothing is expected", "items": "items that nobody expects"},
}
"""what users and items count as that an input does not have"""
_PAIRS: Final = ("Unseen", "Unexpectedness")
"""measures of pairs, for which any item may be new"""


class Part(NamedTuple):
    """The users or the items of a run, and how many of them an input has."""

    noun: str
    has: int
    of: int

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.has:,} of {self.of:,} {self.noun.removesuffix('s') if self.of == 1 else self.noun}"


@dataclass(frozen=True)
class Join:
    """An input beside a run.

    Attributes:
        source: the input.
        text: how many of the users and items of the run it has.
        rest: what the others count as; empty where it has all.
        difference: how ids that do not meet differ in their form; empty where they do not, or most meet.
        is_void: whether it has none, so that values would follow from nothing.

    """

    source: Source
    text: str
    rest: str
    difference: str
    is_void: bool

    def refuse(self, *, is_part: bool) -> None:
        """Refuse an input that has nothing of the run.

        Args:
            is_part: whether only some queries of the run were asked for, of which all items may be new.

        Raises:
            InputError: `no-match`.

        """
        if self.is_void and (self.difference or not is_part):
            remedy = self.difference or f"are the ids of {self.source} those of the run?"
            raise InputError("no-match", self.text, remedy=remedy)

    def notices(self) -> Iterator[Notice]:
        """Say of an input that lacks users or items of the run how many it has."""
        if self.rest:
            text = f"{self.text}; the others count as {self.rest}"
            yield Notice("partial-match", f"{text}; {self.difference}" if self.difference else text)


def joins_of(measures: Sequence[ResolvedMeasure], hits: JudgedRows, qrels: Qrels, run: Run) -> Iterator[Join]:
    """Look how much of a run each input has that a measure needs.

    Args:
        measures: the measures.
        hits: the judged run, with a row for each item.
        qrels: the judgements, whose items an input may have where it has none of those that are shown.
        run: the run.

    """
    catalogue = hits.catalogue
    if catalogue is None or hits.item is None or hits.user is None or not hits.item.size:
        return
    if "forbidden" in catalogue.sources and any("forbidden" in each.quantity.definition.needs for each in measures):
        yield _forbidden(catalogue, hits, qrels, run)
    by_source = {source: [each for each in measures if source in _sources(each, catalogue)] for source in _REST}
    user, item = hits.user[hits.n_retrieved > 0], hits.item
    shown = np.bincount(item[item >= 0], minlength=len(catalogue.items)) > 0  # [I]
    n_items = int(np.count_nonzero(shown)) + np.unique(item[item < 0]).size
    names: dict[Source, str] = {"history": "the history", "items": catalogue.called, "expected_run": "the expected run"}
    for source, called in names.items():
        if not by_source[source] or source not in catalogue.sources:
            continue
        items, users = _had(catalogue, source)
        of_users = Part("users", int(np.count_nonzero(users[np.maximum(user, 0)] & (user >= 0))), user.size)
        of_items = Part("items", int(np.count_nonzero(items & shown)), n_items)
        absent, form = {_absent(measure, source) for measure in by_source[source]}, ""
        if min(of_users.has / of_users.of if any(absent) else 1, of_items.has / of_items.of) < _FEW:
            answered = set(compress(qrels.queries, (hits.n_retrieved > 0).tolist()))
            form = _difference(catalogue, items, users, answered, first_documents(qrels, run))
        is_void = not of_items.has and not _has_judged(catalogue, items, qrels)
        is_void = is_void or bool(form and not of_users.has and "1" in absent)
        are_counted = is_void or any(measure.quantity.name not in _PAIRS for measure in by_source[source])
        parts = [*([of_users] if any(absent) else ()), *([of_items] if are_counted else ())]
        text = f"{called} has {' and '.join(map(str, parts))} of {run.name or 'the run'}"
        rest = " and as ".join(_REST[source][part.noun] for part in parts if part.has < part.of)
        yield Join(source, text, rest, form, is_void)


def _forbidden(catalogue: Catalogue, hits: JudgedRows, qrels: Qrels, run: Run) -> Join:
    """Look whether pairs are about queries of the run, and whether ids of documents differ in their form.

    That no document of the run is forbidden is as it should be.
    """
    user, item = (np.zeros(0, dtype=np.int64) if each is None else each for each in (hits.user, hits.item))
    queries, items = np.divmod(catalogue.forbidden.keys, max(1, len(catalogue.items)))  # [P] each
    users, forbidden = np.zeros(max(1, len(catalogue.users)), dtype=bool), np.zeros(len(catalogue.items), dtype=bool)
    users[queries], forbidden[items] = True, True
    has = int(np.count_nonzero(users[np.maximum(user, 0)] & (user >= 0)))
    text = f"the forbidden pairs are about {has:,} of {user.size:,} queries of {run.name or 'the run'}"
    form, is_shown = "", bool(forbidden[item[item >= 0]].any())
    if not (has and is_shown):
        form = _difference(catalogue, forbidden, users, {*qrels.queries}, first_documents(qrels, run))
    return Join("forbidden", text, "", form, is_void=not has or bool(form))


def _had(catalogue: Catalogue, source: Source) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return `[I]` and `[U]`, which items and users an input has."""
    if source == "history":
        return catalogue.in_history, catalogue.lengths > 0
    if source == "items":
        return catalogue.in_table, np.zeros(max(1, len(catalogue.users)), dtype=bool)
    return catalogue.in_expected, catalogue.has_expected


def _has_judged(catalogue: Catalogue, items: NDArray[np.bool_], qrels: Qrels) -> bool:
    """Return whether an input has a judged item: then it is the run whose items are new."""
    numbers = catalogue.numbers
    judged = {document for documents in qrels.document_lists for document in documents}
    return any(items[numbers[document]] for document in judged if document in numbers)


def _sources(measure: ResolvedMeasure, catalogue: Catalogue) -> Collection[Source]:
    """Return the inputs that a measure looks at: of those that it takes for its catalogue, one."""
    needs, parameters = measure.quantity.definition.needs, getattr(measure.quantity, "parameters", {})
    of = parameters.get("of")
    if of == "known":
        of = "items" if "items" in catalogue.sources else "history"
    return [source for source in ("history", "items") if source == of] or needs


def _absent(measure: ResolvedMeasure, source: Source) -> str:
    """Return the value of a user absent from an input; empty if the measure does not use that input."""
    parameters = getattr(measure.quantity, "parameters", {})
    if source == "expected_run":
        return str(parameters.get("no_expected", ""))
    if parameters.get("by", "history") != "history" or source == "items":
        return ""
    return "undefined" if parameters.get("users") == "history" else str(parameters.get("no_history", ""))


def _difference(
    catalogue: Catalogue,
    items: NDArray[np.bool_],
    users: NDArray[np.bool_],
    queries: set[str],
    documents: dict[str, list[str]],
) -> str:
    """Return how ids of users, or of items, differ in their form; empty where they do not."""
    of_users = compress(catalogue.users, users.tolist())
    shown = {document for each in documents.values() for document in each}
    sides: list[tuple[str, set[str], Iterable[str]]] = [
        ("users", queries, of_users),
        ("items", shown, compress(catalogue.items, items.tolist())),
    ]
    for noun, of_run, of_input in sides:
        ids = {*of_input}
        theirs, ours = ([*islice(sorted(each), _SOME)] for each in (ids - of_run, of_run - ids))
        if form := difference(theirs, ours, f"{noun} would meet", sides=("the input", "the run")):
            return form
    return ""

"""The difference of two runs for one query, attributed to documents."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from rankworth.errors import shortened
from rankworth.explanation.explanation import Explanation
from rankworth.explanation.step_table import ID, cell, finite, number, snippet
from rankworth.explanation.trace import Grade, Term
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import signed
from rankworth.tables.notebook import Shown

SCHEMA: Final = "rankworth.difference/1"
REST: Final = "(rest)"
"""what documents without a row add"""
LAST_STEP: Final = "(last step)"
"""what the last step of a formula that is no plain ratio makes of the sum"""
SETTINGS: Final = "(settings)"
"""what the settings make of the number that comes out: rounding, another value where it is not defined"""
ROUNDING: Final = "(rounding)"
"""what is left, since floating-point numbers are rounded"""
_SHOWN: Final = 20


class Share(NamedTuple):
    """What one document has to do with the difference."""

    document: Any
    """its id; in parentheses what is no document"""
    grade: Grade
    first_rank: int | None
    """where it stands in the first run; None where it does not count there"""
    second_rank: int | None
    moved: int | None
    """by how many ranks it stands higher in the second run; None where it is in one of them only"""
    first: float
    """what it adds to the first value"""
    second: float
    """what it adds to the second one"""
    difference: float
    """the second less the first"""


@dataclass(frozen=True, repr=False)
class Difference(Shown):
    """Two explanations of one query and measure, and the difference of their values, document by document.

    Attributes:
        first: of the first run.
        second: of the second run.

    """

    first: Explanation
    second: Explanation

    @property
    def query(self) -> Any:  # noqa: ANN401 - an integer or text
        """The id of the query as the judgements had it."""
        return self.first.query

    @property
    def measure(self) -> str:
        """What tables call the measure."""
        return self.first.measure

    @cached_property
    def difference(self) -> float:
        """The second value less the first; NaN where one of them is missing."""
        return _value(self.second) - _value(self.first)

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """What every document adds to the difference, the greatest first; in the end what is no document.

        The differences add up to the difference of the values, up to 1e-14.
        """
        sides = (_Parts.of(self.first), _Parts.of(self.second))
        documents = _shares([one.documents for one in sides], [one.terms for one in sides])
        documents.sort(key=lambda share: (-abs(share.difference), share.document))
        ids = self.first.context.qrels.kinds.back("document", [share.document for share in documents])
        shares = [share._replace(document=one) for share, one in zip(documents, ids, strict=True)]
        shares += _shares([one.others for one in sides], ({}, {}))
        left = self.difference - math.fsum(share.difference for share in shares)
        if left and not math.isnan(left):
            shares.append(Share(ROUNDING, None, None, None, None, 0.0, 0.0, left))
        return tuple(shares)

    def to_dict(self) -> dict[str, Any]:
        """Both explanations and the shares as JSON holds them."""
        rows = [
            {name: finite(value) for name, value in share._asdict().items()} | {"document": str(share.document)}
            for share in self.shares
        ]
        return {
            "schema": SCHEMA,
            "query": self.first.id,
            "measure": self.measure,
            "difference": finite(self.difference),
            "shares": rows,
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
        }

    def columns(self) -> dict[str, list[Any]]:
        """One row for each document: `query, measure` and what a `Share` has; what is no document makes those text."""
        size = len(self.shares)
        told: dict[str, list[Any]] = {"query": [self.query] * size, "measure": [self.measure] * size}
        rows = [share._replace(document=str(share.document)) for share in self.shares]
        return told | {name: [cell(getattr(share, name)) for share in rows] for name in Share._fields}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row for each document, as `columns`."""
        return to_library(self.columns(), library)

    def sheets(self) -> list[Sheet]:
        """The documents that make the difference, those that make most of it first."""
        pair = (self.first, self.second)
        names = [one.run or place for one, place in zip(pair, ("first", "second"), strict=True)]
        names = names if names[0] != names[1] else ["first", "second"]
        rows = [share for share in self.shares if share.difference or share.first]
        documents = [share for share in rows if share.first_rank or share.second_rank]
        shown = [*documents[:_SHOWN], *(share for share in rows if not (share.first_rank or share.second_rank))]
        texts = [self.first.texts.get(str(share.document)) for share in shown]  # those of both
        columns = [
            Column("document", "text", [shortened(str(share.document), ID) for share in shown]),
            Column("grade", "grade", [_grade(share) for share in shown]),
            Column(f"rank {names[0]}", "number", [share.first_rank for share in shown]),
            Column(f"rank {names[1]}", "number", [share.second_rank for share in shown]),
            Column("moved", "number", [_ranks_moved(share.moved) for share in shown]),
            Column(names[0], "value", [share.first for share in shown]),
            Column(names[1], "value", [share.second for share in shown]),
            Column("difference", "number", [signed(share.difference) for share in shown]),
        ]
        if any(text is not None for text in texts):
            columns.append(Column("text", "text", [snippet(text or "") for text in texts]))
        values = ", ".join(f"{name} {number(_value(one))}" for name, one in zip(names, pair, strict=True))
        title = f"{shortened(self.first.id)}   {self.measure}   {values}, difference {signed(self.difference)}"
        notes = [one.sentence for one in pair if one.value is None or not one.answered]
        if left := documents[_SHOWN:]:
            noun = "document has" if len(left) == 1 else "documents have"
            notes.append(f"{len(left)} more {noun} {signed(math.fsum(share.difference for share in left))} of it")
        defects = tuple(dict.fromkeys((*self.first.notes, *self.second.notes)))
        lead = tuple(filter(None, (self.first.text,)))
        return [Sheet(tuple(columns), tuple(notes), self.first.signature, defects, title, lead)]


def _shares(adds: Sequence[Mapping[str, float]], terms: Sequence[Mapping[str, Term]]) -> list[Share]:
    """What each name adds to two values, and the ranks of the documents among them."""
    shares = []
    for name in dict.fromkeys([*adds[0], *adds[1]]):
        first, second = (own.get(name, 0.0) for own in adds)
        found = [own.get(name) for own in terms]
        grade = next((term.grade for term in found if term is not None), None)
        ranks = [None if term is None else term.rank for term in found]
        moved = None if ranks[0] is None or ranks[1] is None else ranks[0] - ranks[1]
        shares.append(Share(name, grade, ranks[0], ranks[1], moved, first, second, second - first))
    return shares


def _ranks_moved(moved: int | None) -> str | None:
    """By how many ranks a document stands higher."""
    return None if moved is None else f"{moved:+d}" if moved else "0"


def _value(told: Explanation) -> float:
    return math.nan if told.value is None else told.value


def _grade(share: Share) -> Any:  # noqa: ANN401 - a grade, or nothing for what is no document
    return "" if share.first_rank is None and share.second_rank is None else share.grade


@dataclass(frozen=True)
class _Parts:
    """What makes up a value.

    Attributes:
        documents: what each document adds.
        others: what comes from no document.
        terms: the documents, where each stands first.

    """

    documents: Mapping[str, float]
    others: Mapping[str, float]
    terms: Mapping[str, Term]

    @classmethod
    def of(cls, told: Explanation) -> "_Parts":
        trace = told.trace
        documents: dict[str, float] = {}
        terms: dict[str, Term] = {}
        divisor = trace.norm or math.nan
        for term in trace.terms:
            name = term.document or f"(rank {term.rank})"
            documents[name] = documents.get(name, 0.0) + _number(term.contribution / divisor)
            terms.setdefault(name, term)
        others: dict[str, float] = {}
        if trace.rest:
            others[REST] = _number(trace.rest / divisor)
        if trace.link is not None:
            before, after = map(_number, trace.link)
            others[LAST_STEP] = after - before
        if _value(told) != _number(trace.raw):
            others[SETTINGS] = _value(told) - _number(trace.raw)
        return cls(documents, others, terms)


def _number(value: float) -> float:
    """0 for what is not defined."""
    return 0.0 if math.isnan(value) else value

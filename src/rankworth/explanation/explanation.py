"""The explanation of a query by one measure, with the documents that are missing from its value; and of several."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from rankworth.errors import shortened
from rankworth.evaluation.counterfactuals import MeasureContext, Ranking, places
from rankworth.explanation import step_table
from rankworth.explanation.step_table import cell, finite, number
from rankworth.explanation.trace import Term, Trace
from rankworth.profiles import signature
from rankworth.tables.columns import Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import signed
from rankworth.tables.notebook import Shown
from rankworth.version import __version__

SCHEMA: Final = "rankworth.explanation/1"
_IDEAL: Final = ("rank", "grade", "gain", "weight", "factor", "discount", "contribution", "running")
"""what is known of a rank of the ideal ranking, where any document of the grade will do"""
_MAX_DOCUMENTS: Final = 1_000_000
"""how many documents are measured at most, in all the rankings that are tried"""
_MIN_RANKS: Final = 10
"""how many ranks of a document are tried at least"""
_ID: Final = 100
"""letters of an id in a sentence"""


class Missing(NamedTuple):
    """A document that is relevant to somebody and does not count."""

    document: Any
    grade: float
    rank: int | None
    """where it stands, below what counts; None where it was not retrieved"""
    place: int | None
    """the deepest of the ranks at which the value would be best; None where it is nowhere better than it is"""
    value: float | None
    """the value of the ranking with the document at this rank"""
    change: float | None
    """how much more that is; None where the ranking as it is has no value"""

    def sentence(self, measure: str) -> str:
        """What would be, in words."""
        where = "was not retrieved" if self.rank is None else f"is at rank {self.rank}, where it does not count"
        text = f"{shortened(str(self.document), _ID)} (grade {self.grade:g}) {where}"
        if self.place is None or self.value is None:
            return f"{text}; it would not raise {measure}"
        change = "" if self.change is None else f" ({signed(self.change)})"
        return f"{text}; at rank {self.place} {measure} would be {number(self.value)}{change}"


Row = TypeVar("Row", Term, Missing)


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """How the value of one query by one measure comes about.

    Attributes:
        run: the name of the run.
        id: the id of the query, as text.
        measure: what tables call the measure.
        value: the value that evaluation has for the query; NaN where it is not defined and stays so, None where the
            query is left out.
        trace: what every rank adds, and how the sum becomes the value.
        text: the text of the query, empty where nobody said.
        texts: the texts of documents, as far as they are known.
        notes: what is wrong with the number, where the tool has it wrong whose conventions are followed.
        context: the judged run, the measure and its settings.
        scored: whether its table shows the scores of documents, as where predictions are explained.

    """

    run: str
    id: str
    measure: str
    value: float | None
    trace: Trace
    context: MeasureContext
    text: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    scored: bool = False

    @property
    def query(self) -> Any:  # noqa: ANN401 - an integer or text
        """The id of the query as the judgements had it."""
        return self.context.qrels.kinds.back("query", [self.id])[0]

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """What every rank adds; documents that came as integers are integers."""
        return tuple(self._with_ids(self.trace.terms))

    @property
    def ideal(self) -> tuple[Term, ...]:
        """What every rank of the ideal ranking adds, whose total is the norm; empty if the norm is something else."""
        return self.trace.ideal

    @property
    def total(self) -> float:
        """The sum of what all ranks add."""
        return self.trace.total

    @property
    def rest(self) -> float:
        """What documents without a row add to the sum."""
        return self.trace.rest

    @property
    def norm(self) -> float:
        """What the sum is divided by."""
        return self.trace.norm

    @property
    def link(self) -> tuple[float, float] | None:
        """The number before and after the last step of the formula; None where that is a plain ratio."""
        return self.trace.link

    @cached_property
    def missing(self) -> tuple[Missing, ...]:
        """The documents with a grade above 0 that do not count, and what each would add at its best place."""
        block = self.context.block(np.array([self.context.places[self.id]], dtype=np.int64))
        ranking = self.context.ranking(block)
        document = self.context.view.hits.document
        rows = [] if ranking.row is None else ranking.row[0][ranking.retrieved[0]].tolist()
        counted = set() if document is None else {document[row] for row in rows}
        return tuple(self._with_ids(_missing(self.context, self.id, counted)))

    def _with_ids(self, rows: Sequence[Row]) -> list[Row]:
        """Some rows with their documents as the judgements had them."""
        named = [row for row in rows if row.document is not None]
        back = iter(self.context.qrels.kinds.back("document", [str(row.document) for row in named]))
        return [row if row.document is None else row._replace(document=next(back)) for row in rows]

    @cached_property
    def signature(self) -> str:
        """One line that says which number this is."""
        lists = self.context.view.judgement.lists
        return str(signature(self.context.profile, [self.id], __version__, asked=self.context.asked, lists=lists))

    @cached_property
    def settings(self) -> dict[str, dict[str, Any]]:
        """The settings in force, by step: `rank`, `grade`, `terms`, `value`."""
        return step_table.settings(self.context.asked, self.context.measure)

    @property
    def formula(self) -> str:
        """The formula of the measure, in one line."""
        parts = (self.context.measure.definition.function.__doc__ or "").strip().split("\n\n")
        return " ".join(parts[1].split()) if len(parts) > 1 and "=" in parts[1] else ""

    @property
    def answered(self) -> bool:
        """Whether the run has a document for the query."""
        return bool(self.context.view.answered[self.context.places[self.id]])

    @property
    def arithmetic(self) -> str:
        """The last steps as numbers: `3.6309 / 5.3928 = 0.6733`."""
        return step_table.arithmetic(self)

    @cached_property
    def sentence(self) -> str:
        """What it comes to, in words."""
        return step_table.sentence(self)

    @cached_property
    def other_gain(self) -> str:
        """A line on the other usual gain, where it changes the value."""
        return step_table.other_gain(self)

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON holds it (`docs/explanations.md`): full precision, None where there is no number."""
        trace = self.trace
        return {
            "schema": SCHEMA,
            "signature": self.signature,
            "run": self.run,
            "query": self.id,
            "text": self.text,
            "measure": self.measure,
            "means": str(self.context.measure),
            "formula": self.formula,
            "profile": self.context.profile.name,
            "value": finite(self.value),
            "total": finite(trace.total),
            "norm": finite(trace.norm),
            "rest": finite(trace.rest),
            "link": None if trace.link is None else {"before": finite(trace.link[0]), "after": finite(trace.link[1])},
            "raw": finite(trace.raw),
            "sentence": self.sentence,
            "other_gain": self.other_gain,
            "settings": self.settings,
            "terms": [self._row(term) for term in trace.terms],
            "ideal": [{name: finite(getattr(term, name)) for name in _IDEAL} for term in trace.ideal],
            "missing": [one._asdict() | {"document": str(one.document)} for one in self.missing],
            "notes": list(self.notes),
        }

    def _row(self, term: Term) -> dict[str, Any]:
        row = {name: finite(value) for name, value in term._asdict().items()}
        if term.document is not None and term.document in self.texts:
            row["text"] = self.texts[term.document]
        return row

    def columns(self) -> dict[str, list[Any]]:
        """One row for each rank: `run, query, measure, rank, document, grade, gain, weight, contribution, running`."""
        names = ("rank", "document", "grade", "gain", "weight", "contribution", "running")
        size = len(self.terms)
        told = {"run": [self.run] * size, "query": [self.query] * size, "measure": [self.measure] * size}
        return told | {name: [cell(getattr(term, name)) for term in self.terms] for name in names}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row for each rank, as `columns`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)

    def sheets(self) -> list[Sheet]:
        """The step table, with the ideal ranking beside it or below."""
        return step_table.sheets(self)


def _missing(context: MeasureContext, query: str, counted: Collection[str | None]) -> list[Missing]:
    """The documents with a grade above 0 that do not count, those that would add most first."""
    ranking = context.alternatives(query)
    documents = ranking.documents
    rows = [row for row, document in enumerate(documents) if (ranking.grade(row) or 0) > 0 and document not in counted]
    if not rows:
        return []
    best = _BestRanks(context, ranking, rows)
    missing = (Missing(documents[row], float(ranking.rows.grade[row]), best.rank(row), *best.of(row)) for row in rows)
    return sorted(missing, key=_most_first)


def _most_first(missing: Missing) -> tuple[bool, float, float, int, str]:
    """What adds most, then the better grade, then the higher rank."""
    gain = missing.value or 0.0 if missing.change is None else missing.change
    return (missing.place is None, -gain, -missing.grade, missing.rank or 10**9, missing.document)


class _BestRanks:
    """The rank at which each document would add most; documents that move the value alike are tried once."""

    def __init__(self, context: MeasureContext, ranking: Ranking, rows: Sequence[int]) -> None:
        self.context, self.ranking = context, ranking
        self.now = context.value_of(ranking, ranking.as_it_is)
        self.is_condensed = context.view.condensed or context.measure.judged_only
        cutoff = None if self.is_condensed else context.measure.cutoff
        bounds = (ranking.retrieved + 1, cutoff, context.judging.depth)
        self.deepest = min(bound for bound in bounds if bound)
        self.known: dict[object, tuple[int | None, float | None, float | None]] = {}
        documents = len({self._kind(row) for row in rows}) * (ranking.retrieved + 1)
        self.places = places(ranking, self.deepest)[: max(_MIN_RANKS, _MAX_DOCUMENTS // documents)]
        has_rank = np.ones(ranking.retrieved, dtype=bool)
        if self.is_condensed:
            has_rank = (ranking.rows.known & (ranking.rows.grade >= 0))[: ranking.retrieved]
        self.above = np.append(0, np.cumsum(has_rank)).astype(np.int64)

    def rank(self, row: int) -> int | None:
        """Where a document stands, among the documents that have a rank."""
        if row >= self.ranking.retrieved:
            return None
        return int(self.above[row]) + 1 if self.is_condensed else int(self.ranking.rows.rank[row])

    def of(self, row: int) -> tuple[int | None, float | None, float | None]:
        """The best rank, the value there, and its change; None each if no rank is better."""
        kind = self._kind(row)
        if kind not in self.known:
            self.known[kind] = self._best(row)
        return self.known[kind]

    def _kind(self, row: int) -> object:
        """What makes two documents move the value alike."""
        if self.ranking.rows.subtopics is not None:
            return row
        is_retrieved = row < self.ranking.retrieved
        is_own = is_retrieved and self.ranking.retrieved <= self.deepest + 1
        return (self.ranking.grade(row), row if is_own else is_retrieved)

    def _best(self, row: int) -> tuple[int | None, float | None, float | None]:
        end = self.ranking.retrieved + (row >= self.ranking.retrieved)
        allowed = [place for place in self.places if place <= end]
        values = self.context.each(self.ranking, [self.ranking.moved(row, place) for place in allowed])
        found = [
            (value, place)
            for value, place in zip(values, allowed, strict=True)
            if isinstance(value, float) and not math.isnan(value)
        ]
        if not found:
            return None, None, None
        value, place = max(found)
        if self.is_condensed:  # among the documents that have a rank, without its own old place
            before = place - 1 + (row < place - 1)
            place = int(self.above[before]) - int(row < before) + 1
        if self.now is None or math.isnan(self.now):
            return place, value, None
        return (place, value, value - self.now) if value > self.now else (None, None, None)

"""What explanations hold: a query by one measure with what is missing, the difference of two runs, several of them."""

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

import numpy as np

from rankworth.errors import UsageError, in_python, quoted, shortened
from rankworth.explanation import trace
from rankworth.explanation.trace import ID, Grade, Term, Trace, number, snippet
from rankworth.profiles import signature
from rankworth.tables.analysis import record
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look, signed
from rankworth.tables.show import Shown, on_screen
from rankworth.version import __version__
from rankworth.whatif.rankings import MeasureContext, Ranking, possible_ranks, splits_tie

if TYPE_CHECKING:
    from rankworth.explanation.fused_scores import FusedScores

SCHEMA: Final = "rankworth.explanation/1"
OF_DIFFERENCE: Final = "rankworth.difference/1"
SEVERAL: Final = "rankworth.explanations/1"
_RECORD: Final = (
    *("signature", "run", "query", "text", "measure", "means", "formula", "profile", "value", "total", "norm", "rest"),
    *("link", "raw", "sentence", "other_gain", "settings"),
)
"""the JSON record, in order: attributes as they are, but for some"""
_COLUMNS: Final = ("rank", "document", "grade", "gain", "weight", "contribution", "running")
_IDEAL: Final = ("rank", "grade", "gain", "weight", "factor", "discount", "contribution", "running")
"""what is known of a rank of the ideal ranking, where any document of the grade will do"""
_MAX_DOCUMENTS: Final = 1_000_000
"""how many documents are measured at most, in all the rankings that are tried"""
_MIN_RANKS: Final = 10
"""how many ranks of a document are tried at least"""
_ID: Final = 100
"""letters of an id in a sentence"""
REST: Final = "(rest)"
"""what documents without a row add to a difference"""
LAST_STEP: Final = "(last step)"
"""what the last step of a formula that is no plain ratio makes of the sum"""
SETTINGS: Final = "(settings)"
"""what the settings make of the number that comes out: rounding, another value where it is not defined"""
_ROUNDING: Final = 1e-12
"""a change up to which nothing is lost"""
ROUNDING: Final = "(rounding)"
"""what is left, since floating-point numbers are rounded"""
_SHOWN: Final = 20


class Missing(NamedTuple):
    """A document that is relevant to somebody and does not count, or stands too low."""

    document: Any
    grade: float
    rank: int | None
    """its rank; None where it was not retrieved"""
    place: int | None
    """the deepest of the ranks at which the value would be best; None where it is nowhere better than it is"""
    value: float | None
    """the value of the ranking with the document at this rank"""
    change: float | None
    """how much more that is; None where the ranking as it is has no value"""

    def sentence(self, measure: str, *, counts: bool = False) -> str:
        """Say what the value would be with the document at its best place.

        Args:
            measure: the name of the measure.
            counts: whether the document counts at its rank.

        """
        where = f"is at rank {self.rank}{'' if counts else ', where it does not count'}"
        where = "was not retrieved" if self.rank is None else where
        text = f"{shortened(str(self.document), _ID)} (grade {self.grade:g}) {where}"
        if self.place is None or self.value is None:
            return f"{text}; it would not raise {measure}"
        change = "" if self.change is None else f" ({signed(self.change)})"
        return f"{text}; at rank {self.place} {measure} would be {number(self.value)}{change}"


class _Explained(Shown):
    """What is explained of a query by a measure, with a row for each part."""

    def columns(self) -> dict[str, list[Any]]:
        """Return one row for each part, by name of the column."""
        raise NotImplementedError

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return the rows of `columns` as a frame.

        Args:
            library: polars, pandas or pyarrow.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)


@dataclass(frozen=True, repr=False)
class Explanation(_Explained, Trace):
    """How the value of one query by one measure is computed: the steps, and what belongs to them.

    Attributes:
        run: the name of the run.
        id: the id of the query, as text.
        measure: what tables call the measure.
        value: the value that evaluation has for the query; NaN where it is not defined and stays so, None where the
            query is left out.
        context: the judged run, the measure and its settings.
        text: the text of the query, empty where nobody said.
        texts: the texts of documents, as far as they are known.
        notes: what is wrong with the number, where the tool has it wrong whose conventions are followed.
        scored: whether its table shows the scores of documents, as where predictions are explained.
        fused: how the scores of a fused run came about; None of other runs, and where another measure has it.

    """

    run: str
    id: str
    measure: str
    value: float | None
    context: MeasureContext
    text: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    scored: bool = False
    fused: "FusedScores | None" = None

    @property
    def query(self) -> Any:  # noqa: ANN401 - an integer or text
        """The id of the query as the judgements had it."""
        return self.context.qrels.kinds.back("query", [self.id])[0]

    @cached_property
    def missing(self) -> tuple[Missing, ...]:
        """The documents with a grade above 0 that do not count, and the gain of each at its best rank."""
        return self._misplaced(counts=False)

    @cached_property
    def largest_loss(self) -> Missing | None:
        """The counted document with the largest possible gain from another rank, or None."""
        lost = (each for each in self._misplaced(counts=True) if each.place is not None)
        return next((each for each in lost if each.change is None or each.change > _ROUNDING), None)

    def _misplaced(self, *, counts: bool) -> tuple[Missing, ...]:
        """Find the documents with a grade above 0 that count, or that do not, and the gain of each at its best rank."""
        block = self.context.block(np.array([self.context.positions[self.id]], dtype=np.int64))
        ranking = self.context.ranking(block)
        document = self.context.run.hits.document
        rows = [] if ranking.row is None else ranking.row[0][ranking.retrieved[0]].tolist()
        counted = set() if document is None else {document[row] for row in rows}
        missing = _missing(self.context, self.id, counted, counts=counts)
        ids = self.context.qrels.kinds.back("document", [gap.document for gap in missing])
        return tuple(gap._replace(document=document) for gap, document in zip(missing, ids, strict=True))

    @cached_property
    def signature(self) -> str:
        """The settings of this number, in a line."""
        context, lists = self.context, self.context.run.judgement.lists
        rules = context.facts_of_reading
        line = signature(context.profile, [self.id], __version__, measure=context.resolved, lists=lists, **rules)
        return str(line)

    @cached_property
    def settings(self) -> dict[str, dict[str, Any]]:
        """The settings in force, by step: `rank`, `grade`, `terms`, `value`."""
        return trace.settings(self.context.resolved, self.context.measure)

    @property
    def formula(self) -> str:
        """The formula of the measure, in one line."""
        parts = (self.context.measure.definition.function.__doc__ or "").strip().split("\n\n")
        return " ".join(parts[1].split()) if len(parts) > 1 and "=" in parts[1] else ""

    @property
    def answered(self) -> bool:
        """Whether the run has a document for the query."""
        return bool(self.context.run.standing.answered[self.context.positions[self.id]])

    arithmetic = cached_property(trace.arithmetic)
    sentence = cached_property(trace.sentence)
    other_gain = cached_property(trace.other_gain)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON (`docs/explanations.md`): full precision, None where there is no number."""
        fields = {name: getattr(self, name, None) for name in _RECORD}
        fields |= {"query": self.id, "means": str(self.context.measure), "profile": self.context.profile.name}
        fields["link"] = None if self.link is None else dict(zip(("before", "after"), self.link, strict=True))
        fields["terms"] = terms = []
        for term in self.terms:
            document = None if term.document is None else str(term.document)
            text = self.texts.get(document or "")
            terms.append(term._asdict() | {"document": document} | ({} if text is None else {"text": text}))
        fields["ideal"] = [{name: getattr(term, name) for name in _IDEAL} for term in self.ideal]
        fields["missing"] = [gap._replace(document=str(gap.document)) for gap in self.missing]
        fields |= {} if self.fused is None else {"fused": self.fused.to_dict()}
        plain: dict[str, Any] = record({"schema": SCHEMA, **fields, "notes": self.notes})
        return plain

    def columns(self) -> dict[str, list[Any]]:
        """Return, for each rank, `run, query, measure, rank, document, grade, gain, weight, contribution, running`."""
        size = len(self.terms)
        named = {"run": [self.run] * size, "query": [self.query] * size, "measure": [self.measure] * size}
        return named | {name: [_cell(getattr(term, name)) for term in self.terms] for name in _COLUMNS}

    def sheets(self) -> list[Sheet]:
        """Return the table of steps, with the ideal ranking beside it or below, and how fused scores came about."""
        return [*trace.sheets(self), *([] if self.fused is None else [self.fused.sheet(self.id)])]


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

    @property
    def is_document(self) -> bool:
        """Whether it has a rank."""
        return self.first_rank is not None or self.second_rank is not None


@dataclass(frozen=True, repr=False)
class Difference(_Explained):
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
        documents, without_document, terms = zip(*map(_parts, (self.first, self.second)), strict=True)
        parts = sorted(_shares(documents, terms), key=lambda share: (-abs(share.difference), share.document))
        ids = self.first.context.qrels.kinds.back("document", [share.document for share in parts])
        shares = [share._replace(document=document) for share, document in zip(parts, ids, strict=True)]
        shares += _shares(without_document, ({}, {}))
        left = self.difference - math.fsum(share.difference for share in shares)
        if left and not math.isnan(left):
            shares.append(Share(ROUNDING, None, None, None, None, 0.0, 0.0, left))
        return tuple(shares)

    def to_dict(self) -> dict[str, Any]:
        """Return both explanations and the shares as JSON holds them."""
        shares = [share._replace(document=str(share.document)) for share in self.shares]
        fields = {"query": self.first.id, "measure": self.measure, "difference": self.difference, "shares": shares}
        both = {"first": self.first.to_dict(), "second": self.second.to_dict()}
        plain: dict[str, Any] = record({"schema": OF_DIFFERENCE, **fields}) | both
        return plain

    def columns(self) -> dict[str, list[Any]]:
        """Return a row for each document: `query, measure` and the fields of `Share`; text where it is no document."""
        rows = [share._replace(document=str(share.document)) for share in self.shares]
        named: dict[str, list[Any]] = {"query": [self.query] * len(rows), "measure": [self.measure] * len(rows)}
        return named | {name: [_cell(getattr(share, name)) for share in rows] for name in Share._fields}

    def sheets(self) -> list[Sheet]:
        """Return a table of the documents by their effect on the difference, the largest first."""
        pair, names = (self.first, self.second), (self.first.run, self.second.run)
        first, second = (name or default for name, default in zip(names, ("first", "second"), strict=True))
        first, second = (first, second) if first != second else ("first", "second")
        rows = [share for share in self.shares if share.difference or share.first]
        documents = [share for share in rows if share.is_document]
        shown = [*documents[:_SHOWN], *(share for share in rows if not share.is_document)]
        texts = [self.first.texts.get(str(share.document)) for share in shown]  # those of both
        columns = [
            Column("document", "text", [shortened(str(share.document), ID) for share in shown]),
            Column("grade", "grade", [share.grade if share.is_document else "" for share in shown]),
            Column(f"rank {first}", "number", [share.first_rank for share in shown]),
            Column(f"rank {second}", "number", [share.second_rank for share in shown]),
            Column("moved", "number", [f"{share.moved:+d}" if share.moved else share.moved for share in shown]),
            Column(first, "value", [share.first for share in shown]),
            Column(second, "value", [share.second for share in shown]),
            Column("difference", "number", [signed(share.difference) for share in shown]),
        ]
        if any(text is not None for text in texts):
            columns.append(Column("text", "text", [snippet(text or "") for text in texts]))
        values = f"{first} {number(_value(self.first))}, {second} {number(_value(self.second))}"
        title = f"{shortened(self.first.id)}   {self.measure}   {values}, difference {signed(self.difference)}"
        notes = [side.sentence for side in pair if side.value is None or not side.answered]
        if left := documents[_SHOWN:]:
            noun = "document has" if len(left) == 1 else "documents have"
            notes.append(f"{len(left)} more {noun} {signed(math.fsum(share.difference for share in left))} of it")
        defects = tuple(dict.fromkeys((*self.first.notes, *self.second.notes)))
        lead = tuple(filter(None, (self.first.text,)))
        return [Sheet(tuple(columns), tuple(notes), self.first.signature, defects, title, lead)]


T = TypeVar("T", bound=Explanation | Difference)


class Explanations(_Explained, tuple[T, ...]):  # noqa: SLOT001 - it has notes
    """Explanations of several queries or by several measures, in the order asked for.

    Attributes:
        notes: why some queries were not chosen.

    """

    notes: tuple[str, ...]

    def __new__(cls, explained: Iterable[T], notes: Sequence[str] = ()) -> Self:
        """Make a list of explanations, with notes on the choice of queries."""
        self = super().__new__(cls, explained)
        self.notes = tuple(notes)
        return self

    def of(self, query: object, measure: str | None = None) -> T:
        """Return the explanation of a query by a measure; by the first measure where none is given.

        Raises:
            UsageError: `not-measured`.

        """
        for explained in self:
            if str(explained.query) == str(query) and measure in (None, explained.measure):
                return explained
        have = quoted(dict.fromkeys(f"{explained.query} by {explained.measure}" for explained in self))
        text = f"{query} by {measure or 'any measure'} is not explained here"
        raise UsageError("not-measured", text, remedy=f"explained are {have}")

    def to_dict(self) -> dict[str, Any]:
        """Return all explanations as JSON holds them."""
        return {"schema": SEVERAL, "explanations": [explained.to_dict() for explained in self]}

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows of all explanations, by name of the column."""
        parts = [explained.columns() for explained in self]
        return {name: [cell for part in parts for cell in part[name]] for name in (parts[0] if parts else ())}

    def flat(self) -> Sheet:
        """Return the rows of all explanations as one sheet, for programs."""
        return Sheet(tuple(Column(name, "text", values) for name, values in self.columns().items()))

    def sheets(self) -> list[Sheet]:
        """Return the sheets of all explanations."""
        sheets = [sheet for explained in self for sheet in explained.sheets()]
        if sheets and self.notes:
            sheets[-1] = replace(sheets[-1], notes=(*sheets[-1].notes, *self.notes))
        return sheets

    def __repr__(self) -> str:
        """Show the first explanations as plain text, as far as they fit on a screen, and the notes."""
        first = self[:_SHOWN]
        sheets = [sheet.worded(in_python) for explained in first for sheet in explained.sheets()]
        text = on_screen(sheets, Look(width=100), len(self) - len(first))
        return "\n\n".join(filter(None, [text, *self.notes]))


def _cell(value: Grade | str) -> Any:  # noqa: ANN401 - as a frame holds it
    """Return a grade as a frame holds it: several as one text."""
    return " ".join("?" if each is None else f"{each:g}" for each in value) if isinstance(value, tuple) else value


def _value(explanation: Explanation) -> float:
    return math.nan if explanation.value is None else explanation.value


def _defined(value: float) -> float:
    """Return the number; 0 for NaN."""
    return 0.0 if math.isnan(value) else value


def _parts(explanation: Explanation) -> tuple[dict[str, float], dict[str, float], dict[str, Term]]:
    """Split a value: what each document adds, what comes from no document, and where each document is first."""
    documents: dict[str, float] = {}
    terms: dict[str, Term] = {}
    divisor = explanation.norm or math.nan
    for term in explanation.terms:
        name = f"(rank {term.rank})" if term.document is None else str(term.document)
        documents[name] = documents.get(name, 0.0) + _defined(term.contribution / divisor)
        terms.setdefault(name, term)
    without_document = {REST: _defined(explanation.rest / divisor)} if explanation.rest else {}
    if explanation.link is not None:
        before, after = map(_defined, explanation.link)
        without_document[LAST_STEP] = after - before
    value, raw = _value(explanation), _defined(explanation.raw)
    if value != raw:
        without_document[SETTINGS] = value - raw
    return documents, without_document, terms


def _shares(adds: Sequence[Mapping[str, float]], terms: Sequence[Mapping[str, Term]]) -> Iterator[Share]:
    """Yield what each name adds to two values, and the ranks of the documents among them."""
    for name in dict.fromkeys([*adds[0], *adds[1]]):
        first, second = (of_explanation.get(name, 0.0) for of_explanation in adds)
        both_terms = [of_explanation.get(name) for of_explanation in terms]
        grade = next((term.grade for term in both_terms if term is not None), None)
        before, after = (None if term is None else term.rank for term in both_terms)
        moved = None if before is None or after is None else before - after
        yield Share(name, grade, before, after, moved, first, second, second - first)


def _missing(context: MeasureContext, query: str, counted: Collection[str | None], *, counts: bool) -> list[Missing]:
    """List documents with a grade above 0 that count, or that do not, largest possible gain first.

    Documents that do not count and move the value alike are tried once.
    """
    ranking = context.ranking_of(query)
    documents, size = ranking.documents, ranking.retrieved
    rows = [row for row, document in enumerate(documents) if (document in counted) == counts]
    rows = [row for row in rows if (ranking.grade(row) or 0) > 0]
    if not rows:
        return []
    is_condensed = context.run.condensed or context.measure.judged_only
    cutoff = None if is_condensed else context.measure.cutoff
    deepest = min(bound for bound in (size + 1, cutoff, context.run.judging.depth) if bound)
    kinds: dict[int, Hashable] = {row: row if counts else _kind(ranking, row, deepest) for row in rows}
    most = max(_MIN_RANKS, _MAX_DOCUMENTS // (len(set(kinds.values())) * (size + 1)))
    tried = possible_ranks(ranking, deepest)[:most]
    has_rank = np.ones(size, dtype=bool)
    if is_condensed:
        has_rank = (ranking.rows.is_judged & (ranking.rows.grade >= 0))[:size]
    above = np.append(0, np.cumsum(has_rank)).astype(np.int64)
    best = _best(context, ranking, {kind: row for row, kind in reversed(kinds.items())}, tried)
    missing = []
    for row, kind in kinds.items():
        new_rank, value, change = best[kind]
        if new_rank is not None and is_condensed:  # among the documents that have a rank, without its old rank
            before = new_rank - 1 + (row < new_rank - 1)
            new_rank = int(above[before]) - int(row < before) + 1
        rank = None if row >= size else int(above[row]) + 1 if is_condensed else int(ranking.rows.rank[row])
        missing.append(Missing(documents[row], float(ranking.rows.grade[row]), rank, new_rank, value, change))
    return sorted(missing, key=_most_first)


def _kind(ranking: Ranking, row: int, deepest: int) -> Hashable:
    """Return a key that is equal for documents with equal effects on the value."""
    if ranking.rows.subtopics is not None:
        return row
    is_retrieved = row < ranking.retrieved
    is_own = is_retrieved and ranking.retrieved <= deepest + 1
    return (ranking.grade(row), row if is_own else is_retrieved)


def _best(
    context: MeasureContext, ranking: Ranking, rows: Mapping[Hashable, int], tried: Sequence[int]
) -> dict[Hashable, tuple[int | None, float | None, float | None]]:
    """Find where a document of each kind would add most, the value there and its change; None if no place is better."""
    size = ranking.retrieved
    moves = [
        (kind, row, new_rank)
        for kind, row in rows.items()
        for new_rank in tried
        if new_rank <= size + (row >= size) and not splits_tie(ranking, row, new_rank)
    ]
    now, *values = context.values(
        ranking, [ranking.as_it_is, *(ranking.moved(row, new_rank) for _, row, new_rank in moves)]
    )
    candidates: dict[Hashable, list[tuple[float, int]]] = {kind: [] for kind in rows}
    for (kind, _, new_rank), value in zip(moves, values, strict=True):
        if isinstance(value, float) and not math.isnan(value):
            candidates[kind].append((value, new_rank))
    best: dict[Hashable, tuple[int | None, float | None, float | None]] = {}
    for kind, pairs in candidates.items():
        value, new_rank = max(pairs, default=(-math.inf, 0))
        if not isinstance(now, float) or math.isnan(now):
            best[kind] = (new_rank, value, None) if pairs else (None, None, None)
        else:
            best[kind] = (new_rank, value, value - now) if value > now else (None, None, None)
    return best


def _most_first(missing: Missing) -> tuple[bool, float, float, int, str]:
    """Return a sort key: what adds most, then the better grade, then the higher rank."""
    gain = missing.value or 0.0 if missing.change is None else missing.change
    return (missing.place is None, -gain, -missing.grade, missing.rank or 10**9, missing.document)

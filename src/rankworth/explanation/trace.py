"""The steps of one query: what every rank adds, and how the sum becomes the value; as a table and in words.

The steps are read off the very terms that evaluation computes with. Nothing here knows a measure.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankworth.arrays import Integers
from rankworth.errors import shortened
from rankworth.judged import Judged
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import Measure, Terms
from rankworth.measures.parameters import LEAST_REL, plain, relevant_grades
from rankworth.profiles import STANDARD, ResolvedMeasure
from rankworth.profiles.call_data import JUDGING
from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.look import Look
from rankworth.whatif.rankings import MeasureContext

if TYPE_CHECKING:
    from rankworth.explanation.explanation import Explanation


Grade = float | tuple[float | None, ...] | None
"""What the assessors gave a document, or gave it for each subtopic; None where nobody judged."""


class Term(NamedTuple):
    """What one rank adds."""

    rank: int
    """from 1"""
    document: Any
    """its id; None where the term is that of no retrieved document, as in an ideal ranking"""
    grade: Grade
    """what the assessor gave; None where nobody judged the document"""
    gain: float
    """what the document is worth"""
    weight: float
    """how much its rank counts: the factor over the discount"""
    factor: float
    """what the gain is multiplied by"""
    discount: float | None
    """what it is divided by, where the formula divides"""
    contribution: float
    """what is added to the sum"""
    running: float
    """the sum so far, this rank included"""
    score: float | None = None
    """what the system gave the document"""
    first: int = 0
    """the first rank of the documents with the same score"""
    last: int = 0
    """the last of these ranks"""
    label: str = ""
    """what the term is called, where terms do not belong to ranks: `r=0.5`"""

    @property
    def tied(self) -> bool:
        """Whether other documents have the same score."""
        return self.last > self.first


@dataclass(frozen=True)
class Trace:
    """The steps from the ranks of one query to one number: `link((total + rest) / norm)`.

    Attributes:
        terms: what every rank adds, best rank first.
        ideal: the terms of the ranking whose total the norm is; empty where the norm is something else.
        total: the sum of all contributions.
        rest: what documents without a row add.
        norm: what the sum is divided by.
        link: the number before and after the last step of the formula; None where that is a plain ratio.
        raw: the number that comes out, NaN where it is not defined.
        weighted: whether ranks have a weight of their own.

    """

    terms: tuple[Term, ...]
    ideal: tuple[Term, ...]
    total: float
    rest: float
    norm: float
    link: tuple[float, float] | None
    raw: float
    weighted: bool


def traces(context: MeasureContext, queries: Sequence[str]) -> dict[str, Trace]:
    """Trace the steps of several queries at once.

    Args:
        context: the measure, and the judged run in which these queries are shown.
        queries: which of its queries.

    """
    traced: dict[str, Trace] = {}
    rows = np.array([context.positions[query] for query in dict.fromkeys(queries)], dtype=np.int64)
    for selected, block in context.run.hits.blocks(rows):
        ranking = block.condensed if context.run.condensed else block
        names = (context.run.standing.queries[row] for row in selected.tolist())
        traced |= dict(zip(names, _traces(context, ranking, selected), strict=True))
    return traced


def _traces(context: MeasureContext, block: Judged, queries: Integers) -> Iterator[Trace]:
    """Yield the steps of the queries of one block."""
    terms, cut, hits = context.measure.terms(block), context.ranking(block), context.run.hits
    size, ranked = len(queries), cut if terms.ranking is None or terms.rank is not None else terms.ranking
    subtopics = None if hits.subtopics is None else hits.subtopics.counts[queries].tolist()
    numbers, running = _numbers(terms), terms.running()
    ideal = [] if terms.ideal is None else _numbers(terms.ideal.terms)
    total = running[:, -1] if running.shape[1] else np.zeros(size)
    rest, norm = (np.broadcast_to(np.asarray(part, dtype=np.float64), (size,)) for part in (terms.rest, terms.norm))
    before, after = terms._replace(link=None).value().tolist(), terms.value().tolist()
    for row in range(size):
        count = subtopics[row] if subtopics else None
        documents = _documents(hits, ranked, row, count)
        if terms.rank is not None:
            documents = _documents_of_terms(terms, row, documents)
        best = () if terms.ideal is None else _documents(hits, terms.ideal.ranking, row, count, is_ideal=True)
        yield Trace(
            terms=_terms(numbers, row, documents),
            ideal=_terms(ideal, row, best),
            total=float(total[row]),
            rest=float(rest[row]),
            norm=float(norm[row]),
            link=None if terms.link is None else (before[row], after[row]),
            raw=after[row],
            weighted=not isinstance(terms.weight, float),
        )


def _numbers(terms: Terms) -> list[list[list[float]] | None]:
    """Return a `Term`'s columns from `gain` to `running`, `[Q, H]` each; discounts only if the formula divides."""
    gain = np.asarray(terms.gain, dtype=np.float64)
    factor, discount = (np.broadcast_to(np.asarray(part), gain.shape) for part in (terms.weight, terms.discount))
    divides = not isinstance(terms.discount, float)
    with np.errstate(divide="ignore"):
        weight = factor / discount if divides else factor
    adds = np.broadcast_to(terms.contributions(), gain.shape)
    columns = (gain, weight, factor, discount if divides else None, adds, np.asarray(terms.running()))
    return [None if column is None else column.tolist() for column in columns]


class _Document(NamedTuple):
    """What stands at a rank: the fields of a `Term` before its numbers, and those behind them."""

    column: int
    head: tuple[int, Any, Grade]
    tail: tuple[Any, ...]


def _terms(numbers: Sequence[list[list[float]] | None], row: int, documents: Iterable[_Document]) -> tuple[Term, ...]:
    """Make the terms of the documents that have numbers."""
    columns = [None if column is None else column[row] for column in numbers]
    width = len(columns[0] or ()) if columns else 0
    terms = []
    for column, head, tail in documents:
        if column < width:
            cells: list[Any] = [None if cells is None else cells[column] for cells in columns]
            terms.append(Term(*head, *cells, *tail))
    return tuple(terms)


def _documents(
    hits: JudgedRows, ranking: Judged, row: int, subtopics: int | None, *, is_ideal: bool = False
) -> Iterator[_Document]:
    """Yield the documents of a query with their columns; in an ideal ranking without ids, as any with the grade do."""
    for column in np.flatnonzero(ranking.retrieved[row]).tolist():
        rank, document, score = int(ranking.rank[row, column]), None, None
        first, last = rank, rank
        if not is_ideal:
            first, last = int(ranking.tie_first[row, column]), int(ranking.tie_last[row, column])
            hit = -1 if ranking.row is None else int(ranking.row[row, column])
            if hit >= 0 and hits.document is not None and hits.score is not None:
                document, score = hits.document[hit] or None, float(hits.score[hit])
        grade: Grade = float(ranking.grade[row, column]) if ranking.is_judged[row, column] else None
        if grade is not None and ranking.aspects is not None and subtopics is not None:
            grades = ranking.by_subtopic[row, column, :subtopics].tolist()
            grade = tuple(each if math.isfinite(each) else None for each in grades)
        score = None if score is None or math.isnan(score) else score
        yield _Document(column, (rank, document, grade), (score, first, last))


def _documents_of_terms(terms: Terms, row: int, documents: Iterable[_Document]) -> Iterator[_Document]:
    """Yield the documents at the ranks of terms with a gain, if a term may have several documents."""
    ranks = np.broadcast_to(np.asarray(terms.rank), terms.gain.shape)[row]
    by_rank = {document.head[0]: document for document in documents}
    for column in np.flatnonzero(np.asarray(terms.gain)[row]).tolist():
        rank = int(ranks[column])
        document = by_rank.get(rank, _Document(column, (rank, None, None), (None, rank, rank)))
        label = terms.label[column] if terms.label else ""
        yield _Document(column, document.head, (*document.tail, label))


_DECIMALS: Final = 4
_FOLDED: Final = 4
"""as many rows that add nothing make one, where the table is long"""
_LONG: Final = 20
"""rows beyond which a table is long"""
_NAMED: Final = 3
"""how many of the documents that do not count are named below a table"""
_SNIPPET: Final = 120
"""characters of a document's text in a table"""
ID: Final = 200
"""characters of a document's id in a table"""
_TIED: Final = {
    "id-descending": "tied documents are ordered by id, descending",
    "id-ascending": "tied documents are ordered by id, ascending",
    "given": "tied documents are in the order of the run",
    "given-reversed": "tied documents are in the reverse order of the run",
    "expected": "tied documents count with the mean over their orders",
    "last": "tied documents all stand at the last of their ranks",
    "best": "of tied documents the one with the highest grade is first",
    "worst": "of tied documents the one with the lowest grade is first",
}
"""what the settings do to documents with equal scores"""
_GAINS: Final = {"linear": "exp2", "exp2": "linear"}
"""the two usual gains, each with the other one"""
GRADE: Final = ("duplicate_judgements", "grades", "negative", "judgements", "pool", "scored", "highest", "above")
"""settings that decide what grade a document has"""
RANK: Final = tuple(name for name in JUDGING if name not in GRADE)
"""settings that decide where it stands"""
VALUE: Final = (
    *("missing", "extra", "empty", "no_relevant", "relevant_by", "neither", "all_negative", "undefined", "no_hit"),
    *("round_values", "halves"),
)
"""settings that decide what becomes of the value of a query"""

Row = tuple[Term, ...]
"""One rank, or several that add nothing."""


def sheets(explanation: "Explanation") -> list[Sheet]:
    """Return the step table of an explanation, and the ideal ranking beside it, or below where it is long."""
    steps, *rest = step_columns(explanation)
    below = [Sheet(tuple(columns), title=f"{explanation.query}   the ideal ranking") for columns in rest]
    query, run = shortened(explanation.id), f"   {shortened(explanation.run)}" if explanation.run else ""
    title = f"{query}   {explanation.measure}   left out{run}"
    if explanation.value is not None:
        counts = ""
        if not same(explanation.raw, explanation.value):
            counts = f", which counts as {apart(explanation.raw, explanation.value)[1]}"
        title = f"{query}   {explanation.measure} = {explanation.arithmetic}{counts}{run}"
    notes, lead = tuple(_notes(explanation)), tuple(filter(None, (explanation.text, explanation.formula)))
    return [Sheet(tuple(steps), notes, explanation.signature, explanation.notes, title=title, lead=lead), *below]


def step_columns(explanation: "Explanation") -> list[list[Column]]:
    """Return the columns of the steps with the ideal ranking beside them, or as a second table where it is long."""
    steps, best = explanation.terms, explanation.ideal
    rows = _folded(steps)
    table = _columns(explanation, rows)
    every_rank = all(term.rank == rank for terms in (steps, best) for rank, term in enumerate(terms, 1))
    if best and every_rank and len(best) <= _LONG and len(rows) == len(steps):
        return [_beside(table, len(rows), best)]
    return [table, *([columns(explanation, ideal=True)] if best else [])]


def columns(explanation: "Explanation", *, ideal: bool = False) -> list[Column]:
    """Return the columns of the steps, or of the ideal ranking, without the names of documents."""
    terms = explanation.ideal if ideal else explanation.terms
    weighted = any(term.factor != 1 for term in terms) if ideal else explanation.weighted
    named = _columns(explanation, _folded(terms), weighted=weighted) if terms or not ideal else []
    return [column for column in named if column.name != "document"]


def _folded(terms: Sequence[Term]) -> list[Row]:
    """Group the ranks of a table one by one; in a long table, neighbours that add nothing together."""
    rows: list[Row] = []
    for adds, group in groupby(terms, lambda term: bool(term.contribution)):
        row = tuple(group)
        rows += [(term,) for term in row] if adds or len(terms) <= _LONG or len(row) < _FOLDED else [row]
    return rows


def _columns(explanation: "Explanation", rows: Sequence[Row], *, weighted: bool | None = None) -> list[Column]:
    """Return the columns of the given terms.

    Args:
        explanation: the explanation.
        rows: the terms.
        weighted: whether ranks have a weight of their own; where None, as the ranking itself has it.

    """
    terms = [term for row in rows for term in row]
    texts = [explanation.texts.get(str(row[0].document), "") if len(row) == 1 else "" for row in rows]

    tied = [f"{row[0].first}-{row[-1].last}" if row[0].tied else None for row in rows]

    def each(cell: Callable[[Term], Any], among: Any = None) -> list[Any]:  # noqa: ANN401 - of any kind
        """Return a cell for each row; `among` for several ranks that add nothing."""
        return [cell(row[0]) if len(row) == 1 else among for row in rows]

    table: tuple[tuple[str, Kind, list[Any], bool], ...] = (
        ("for", "text", [row[0].label for row in rows], any(term.label for term in terms)),
        ("rank", "number", [row[0].rank if len(row) == 1 else f"{row[0].rank}-{row[-1].rank}" for row in rows], True),
        ("document", "text", each(_document, "(nothing added)"), True),
        ("score", "number", each(lambda term: term.score), explanation.scored),
        ("tied", "number", tied, any(term.tied for term in terms)),
        ("grade", "grade", each(_grade, ""), True),
        ("gain", "number", each(lambda term: term.gain), True),
        ("weight", "number", each(lambda term: term.factor), explanation.weighted if weighted is None else weighted),
        ("discount", "number", each(lambda term: term.discount), any(term.discount is not None for term in terms)),
        ("adds", "number", each(lambda term: term.contribution, 0.0), True),
        ("total", "number", [row[-1].running for row in rows], True),
        ("text", "text", list(map(snippet, texts)), any(str(term.document) in explanation.texts for term in terms)),
    )
    return [Column(name, kind, cells) for name, kind, cells, is_shown in table if is_shown]


def _document(term: Term) -> str:
    return "" if term.document is None else shortened(str(term.document), ID)


def _grade(term: Term) -> Any:  # noqa: ANN401 - a grade, or nothing where there is no document
    return "" if term.document is None and term.grade is None else term.grade


def snippet(text: str) -> str:
    """Return the beginning of a document's text, in one line."""
    text = " ".join(text.split())
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET]}…"


def _beside(columns: Sequence[Column], size: int, ideal: Sequence[Term]) -> list[Column]:
    """Put the columns of the ideal ranking beside those of the first ranks; rows are added if it is longer."""
    more, less = ideal[size:], size - len(ideal)
    longer = []
    for column in columns:
        empty = "" if column.kind in ("text", "grade") else None
        padding = [term.rank if column.name == "rank" else empty for term in more]
        longer.append(Column(column.name, column.kind, [*column.values, *padding]))
    longer.append(Column("ideal grade", "grade", [term.grade for term in ideal] + [""] * less, apart=True))
    longer.append(Column("ideal adds", "number", [term.contribution for term in ideal] + [None] * less, apart=True))
    return longer


def _notes(explanation: "Explanation") -> Iterator[str]:
    """Yield the notes under the table of steps."""
    yield explanation.sentence
    if loss := explanation.largest_loss:
        yield f"largest loss by rank: {loss.sentence(explanation.measure, counts=True)}"
    gained = [missing for missing in explanation.missing if missing.place is not None]
    yield from (missing.sentence(explanation.measure) for missing in gained[:_NAMED])
    if remaining := len(explanation.missing) - len(gained[:_NAMED]):
        noun, verb, pronoun = ("document", "is", "it") if remaining == 1 else ("documents", "are", "none of them")
        tail = (
            "" if len(gained) > _NAMED else f"; {pronoun} would {'not ' * (remaining == 1)}raise {explanation.measure}"
        )
        more = "more " if gained else ""
        yield f"{remaining} {more}judged {noun} with a grade above 0 {verb} too deep or not retrieved{tail}"
    if explanation.other_gain:
        yield explanation.other_gain
    context = explanation.context
    parameters = {name: value for name, value in context.measure.parameters.items() if value is not None}
    if parameters:
        rel = context.measure.parameters.get("rel") or 0
        tiny = f"; documents of {relevant_grades(rel)} are relevant" if 0 < rel < LEAST_REL else ""
        yield f"terms: {as_typed(parameters)}{tiny}"
    if any(term.tied for term in explanation.terms):
        ties = context.resolved.judging.ties
        yield f"{_TIED[ties]} (ties={ties})"
    rows = _folded(explanation.terms)
    if any(len(row) == 1 and row[0].grade is None and row[0].document is not None for row in rows):
        yield "? is a document that nobody judged"
    for step, names in (("ranks", RANK), ("grades", GRADE), ("value", VALUE)):
        if changed := _differing(context.resolved, names):
            yield f"{step}: {as_typed(changed)}"


def arithmetic(explanation: "Explanation") -> str:
    """Return the last steps as numbers: `3.6309 / 5.3928 = 0.6733`."""
    text, rest, norm, link = number(explanation.total), explanation.rest, explanation.norm, explanation.link
    if rest:
        text = f"{text} {'-' if rest < 0 else '+'} {number(abs(rest))}"
        text = f"({text})" if norm != 1 else text
    if norm != 1:
        text = f"{text} / {number(norm)}"
    ratio = number(explanation.raw if link is None else link[0])
    text = text if text == ratio else f"{text} = {ratio}"
    return f"{text}, which the last step makes {number(explanation.raw)}" if _has_last_step(explanation) else text


def sentence(explanation: "Explanation") -> str:
    """Say in words what the value comes to."""
    query, measure, value, raw = explanation.id, explanation.measure, explanation.value, explanation.raw
    resolved = explanation.context.resolved
    changed = _differing(resolved, VALUE)
    if value is None:
        return f"{query} has no value by {measure}: the settings leave the query out{_in_brackets(changed)}"
    if not explanation.answered:
        return f"{explanation.run or 'the run'} has no document for {query}, so that {measure} is {number(value)}"
    undefined = changed.pop("undefined", resolved.averaging.undefined)
    if math.isnan(raw):
        why = "since the divisor is 0" if explanation.norm == 0 else "since its last step is not"
        counts = f"it counts as {number(value)}{_in_brackets({'undefined': undefined})}"
        return f"{measure} is not defined for {query}, {why}; {counts}"
    text = f"{measure} of {query} is {number(value)}: {_sum(explanation)}"
    if same(raw, value):
        return text
    before, after = apart(raw, value)
    return f"{text}; that is {before}, and the settings make it {after}{_in_brackets(changed)}"


def other_gain(explanation: "Explanation") -> str:
    """Return a line on the other usual gain, where it changes the value; else an empty text."""
    context, value = explanation.context, explanation.value
    gain = context.measure.parameters.get("gain")
    if gain not in _GAINS or value is None or math.isnan(value):
        return ""
    other = _GAINS[gain]
    ranking = context.ranking_of(explanation.id)
    [then] = context.values(ranking, [ranking.as_it_is], context.measure(gain=other))
    if not isinstance(then, float) or math.isnan(then) or math.isclose(then, value, rel_tol=1e-12, abs_tol=1e-15):
        return ""
    whose = context.measure.definition.gains.get(other)
    return f"{gain} {number(value)}; with gain={other}{f', {whose},' if whose else ''} {number(then)}"


def _sum(explanation: "Explanation") -> str:
    """Say which terms are added, and how the sum is used."""
    adding = len({term.rank for term in explanation.terms if term.contribution})
    parts = ["no rank adds anything"]
    if adding:
        parts = [f"{adding} {'rank adds' if adding == 1 else 'ranks add'} {number(explanation.total)}"]
    if explanation.rest:
        parts.append(f"the rest adds {number(explanation.rest)}")
    if explanation.ideal and (adding or explanation.rest):
        parts.append(f"and the ideal ranking would have {number(explanation.norm)}")
    elif explanation.norm != 1 and (adding or explanation.rest):
        parts.append(f"divided by {number(explanation.norm)}")
    if _has_last_step(explanation):
        parts.append(f"and the last step makes {number(explanation.raw)} of it")
    return ", ".join(parts)


def _has_last_step(explanation: "Explanation") -> bool:
    """Return whether the last step of the formula changes the number."""
    link = explanation.link
    return link is not None and not any(map(math.isnan, link)) and not math.isclose(*link, rel_tol=1e-15)


def _in_brackets(changed: dict[str, Any]) -> str:
    return f" ({as_typed(changed)})" if changed else ""


def settings(resolved: ResolvedMeasure, measure: Measure) -> dict[str, dict[str, Any]]:
    """Return the settings by step: where documents stand, their grades, the measure's parameters, the value."""
    conventions = resolved.conventions
    parameters = dict(measure.parameters)
    parameters |= {"cutoff": measure.cutoff} if not measure.definition.at else {}
    parameters |= {"judged_only": True} if measure.judged_only else {}
    steps = {step: {name: conventions[name] for name in names} for step, names in (("rank", RANK), ("grade", GRADE))}
    steps |= {"terms": parameters, "value": {name: conventions[name] for name in VALUE}}
    return {step: {name: _plain(value) for name, value in settings.items()} for step, settings in steps.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - of any kind
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _differing(resolved: ResolvedMeasure, step: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of a step that are not those of the standard."""
    conventions, standard = resolved.conventions, STANDARD.conventions
    return {name: conventions[name] for name in step if conventions[name] != standard[name]}


def as_typed(settings: dict[str, Any]) -> str:
    """Format settings as they are typed.

    >>> as_typed({"ties": "given", "undefined": 1.0})
    'ties=given, undefined=1'
    """
    return ", ".join(f"{name}={plain(value)}" for name, value in settings.items())


def number(value: float, decimals: int = _DECIMALS) -> str:
    """Format a number for people: four decimals, none where it is whole.

    >>> number(3.63092975), number(3.0), number(float("nan")), number(1e-9)
    ('3.6309', '3', 'n/a', '1.0e-09')
    """
    return Look(decimals).cells(Column("", "number", [value]))[0]


def apart(first: float, second: float) -> tuple[str, str]:
    """Format two numbers with as many decimals as it takes to tell them apart.

    >>> apart(0.59283, 0.592834519), apart(0.0, 0.5)
    (('0.592830', '0.592835'), ('0', '0.5000'))
    """
    pairs = ((number(first, decimals), number(second, decimals)) for decimals in range(_DECIMALS, 16))
    return next((pair for pair in pairs if pair[0] != pair[1]), (repr(first), repr(second)))


def same(first: float, second: float) -> bool:
    """Return whether two numbers are equal, NaN being equal to itself."""
    return first == second or (math.isnan(first) and math.isnan(second))


def finite(value: Any) -> Any:  # noqa: ANN401 - whatever a term holds
    """Return a number as JSON holds it, None where it is not finite; anything else as it is."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

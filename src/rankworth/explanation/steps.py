"""Step tables: explanations and differences as sheets."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import shortened
from rankworth.explanation import conventions
from rankworth.explanation.numbers import apart, same
from rankworth.explanation.trace import Term
from rankworth.sheet import Column, Sheet

if TYPE_CHECKING:
    from rankworth.explanation.result import Explanation

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
    "expected": "documents with one score count with the mean over their orders",
    "last": "documents with one score all stand at the last of their ranks",
}
"""what becomes of ties that are not broken"""

Row = tuple[Term, ...]
"""One rank, or several that add nothing."""


def sheets(told: "Explanation") -> list[Sheet]:
    """The step table of an explanation, and the ideal ranking beside it, or below where it is long."""
    rows = list(folded(told.trace.terms))
    columns = _terms(rows, told)
    beside = len(told.ideal) <= _LONG and all(map(_counted, (told.terms, told.ideal))) and len(rows) == len(told.terms)
    if beside and told.ideal:
        columns = _beside(columns, [row[0] for row in rows], told.ideal)
    steps = Sheet(
        tuple(columns),
        tuple(_notes(told, rows)),
        told.signature,
        told.notes,
        title=_title(told),
        lead=tuple(filter(None, (told.text, told.formula))),
    )
    if beside or not told.ideal:
        return [steps]
    return [steps, Sheet(tuple(ideal(told)), title=f"{told.query}   the ideal ranking")]


def _counted(terms: Sequence[Term]) -> bool:
    """Whether the ranks of terms count 1, 2, 3, so that those of two rankings can stand side by side."""
    return all(term.rank == rank for rank, term in enumerate(terms, 1))


def terms(told: "Explanation") -> list[Column]:
    """The columns of the steps, without the names of documents."""
    return [column for column in _terms(list(folded(told.trace.terms)), told) if column.name != "document"]


def ideal(told: "Explanation") -> list[Column]:
    """The columns of the ideal ranking; none where there is no such ranking."""
    rows = list(folded(told.ideal))
    weighted = any(term.factor != 1 for term in told.ideal)
    return [column for column in _terms(rows, told, weighted=weighted) if column.name != "document"] if rows else []


def folded(terms: Sequence[Term]) -> Iterator[Row]:
    """Ranks one by one; in a long table, neighbours that add nothing together."""
    held: list[Term] = []
    for term in terms:
        if len(terms) > _LONG and not term.contribution:
            held.append(term)
            continue
        yield from _released(held)
        held = []
        yield (term,)
    yield from _released(held)


def _released(held: list[Term]) -> Iterator[Row]:
    if len(held) >= _FOLDED:
        yield tuple(held)
    else:
        yield from ((term,) for term in held)


def _title(told: "Explanation") -> str:
    query, run = shortened(told.id), f"   {shortened(told.run)}" if told.run else ""
    if told.value is None:
        return f"{query}   {told.measure}   left out{run}"
    steps = told.arithmetic
    if not same(told.trace.raw, told.value):
        steps = f"{steps}, which counts as {apart(told.trace.raw, told.value)[1]}"
    return f"{query}   {told.measure} = {steps}{run}"


def _terms(rows: Sequence[Row], told: "Explanation", *, weighted: bool | None = None) -> list[Column]:
    """The columns of some terms.

    Args:
        rows: the terms.
        told: the explanation.
        weighted: whether ranks have a weight of their own; where None, as the ranking itself has it.

    """
    divided = any(term.discount is not None for row in rows for term in row)
    tied = any(term.tied for row in rows for term in row)
    labelled = any(term.label for row in rows for term in row)
    columns = [
        *([Column("for", "text", [row[0].label for row in rows])] if labelled else []),
        Column("rank", "number", [_ranks(row) for row in rows]),
        Column("document", "text", [_document(row) for row in rows]),
    ]
    if told.scored:
        columns.append(Column("score", "number", _each(rows, lambda term: term.score)))
    if tied:
        spans = [f"{row[0].first}-{row[-1].last}" if row[0].tied else None for row in rows]
        columns.append(Column("tied", "number", spans))
    columns += [
        Column("grade", "grade", _each(rows, _grade, among="")),
        Column("gain", "number", _each(rows, lambda term: term.gain)),
    ]
    if told.trace.weighted if weighted is None else weighted:
        columns.append(Column("weight", "number", _each(rows, lambda term: term.factor)))
    if divided:
        columns.append(Column("discount", "number", _each(rows, lambda term: term.discount)))
    columns += [
        Column("adds", "number", _each(rows, lambda term: term.contribution, among=0.0)),
        Column("total", "number", [row[-1].running for row in rows]),
    ]
    if any(term.document in told.texts for row in rows for term in row):
        texts = [told.texts.get(row[0].document or "", "") if len(row) == 1 else "" for row in rows]
        columns.append(Column("text", "text", [*map(snippet, texts)]))
    return columns


def _each(rows: Sequence[Row], what: Callable[[Term], Any], *, among: Any = None) -> list[Any]:  # noqa: ANN401 - of any kind
    """A cell for each row; what several ranks show that add nothing."""
    return [what(row[0]) if len(row) == 1 else among for row in rows]


def _ranks(row: Row) -> int | str:
    return row[0].rank if len(row) == 1 else f"{row[0].rank}-{row[-1].rank}"


def _document(row: Row) -> str:
    if len(row) == 1:
        return shortened(row[0].document or "", ID)
    return "(nothing added)"


def _grade(term: Term) -> Any:  # noqa: ANN401 - a grade, or nothing where there is no document
    return "" if term.document is None and term.grade is None else term.grade


def snippet(text: str) -> str:
    """The beginning of a document's text, in one line."""
    text = " ".join(text.split())
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET]}…"


def _beside(columns: list[Column], terms: Sequence[Term], ideal: Sequence[Term]) -> list[Column]:
    """The same with the ideal ranking beside it, rank by rank; rows are added where it is longer."""
    by_rank = {term.rank: term for term in ideal}
    ranks = [term.rank for term in terms]
    more = [term.rank for term in ideal if term.rank not in set(ranks)]
    longer = [Column(one.name, one.kind, [*one.values, *_padding(one, more)]) for one in columns]
    best = [by_rank.get(rank) for rank in (*ranks, *more)]
    return [
        *longer,
        Column("ideal grade", "grade", ["" if term is None else term.grade for term in best]),
        Column("ideal adds", "number", [None if term is None else term.contribution for term in best]),
    ]


def _padding(column: Column, ranks: Sequence[int]) -> list[Any]:
    """What a column shows at ranks where nothing was retrieved."""
    if column.name == "rank":
        return list(ranks)
    return ["" if column.kind in ("text", "grade") else None for _ in ranks]


def _notes(told: "Explanation", rows: Sequence[Row]) -> Iterator[str]:
    """What belongs under the table of these rows."""
    yield told.sentence
    gained = [one for one in told.missing if one.place is not None]
    for one in gained[:_NAMED]:
        yield one.sentence(told.measure)
    others = len(told.missing) - min(len(gained), _NAMED)
    if others:
        more = "more " if gained else ""
        noun, verb, pronoun = ("document", "is", "it") if others == 1 else ("documents", "are", "none of them")
        tail = "" if len(gained) > _NAMED else f"; {pronoun} would {'not ' * (others == 1)}raise {told.measure}"
        yield f"{others} {more}judged {noun} with a grade above 0 {verb} too deep or not retrieved{tail}"
    if told.other_gain:
        yield told.other_gain
    yield from _settings(told, [row[0] for row in rows if len(row) == 1])


def _settings(told: "Explanation", seen: Sequence[Term]) -> Iterator[str]:
    """The settings that matter here, and what the marks of the terms mean that are seen one by one."""
    asked = told.scene.asked
    parameters = {name: value for name, value in told.scene.measure.parameters.items() if value is not None}
    if parameters:
        yield f"terms: {conventions.said(parameters)}"
    if any(term.tied for term in told.trace.terms):
        ties = told.scene.judging.ties
        text = _TIED.get(ties, "documents with one score stand in an order of their own")
        yield f"{text} (ties={ties})"
    if any(term.grade is None and term.document is not None for term in seen):
        yield "? is a document that nobody judged"
    for step, names in (("ranks", conventions.RANK), ("grades", conventions.GRADE), ("value", conventions.VALUE)):
        if changed := conventions.differing(asked, names):
            yield f"{step}: {conventions.said(changed)}"

"""An explanation as a table and in words: what every rank adds, the last steps as numbers, the settings in force."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import MeasureError, shortened
from rankworth.evaluation.aggregation import rounded
from rankworth.explanation.trace import Grade, Term
from rankworth.measures import Measure
from rankworth.measures.parameters import plain
from rankworth.profiles import STANDARD, ResolvedMeasure
from rankworth.tables.columns import Column, Kind, Sheet

if TYPE_CHECKING:
    from rankworth.explanation.explanation import Explanation

_LARGE: Final = 1e9
"""from which a number is written with its power of ten, as in sheets"""
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
}
"""what the settings do to documents with equal scores"""
_GAINS: Final = {"linear": "exp2", "exp2": "linear"}
"""the two usual gains, each with the other one"""
_ROUNDING: Final = ("round_values", "halves")
RANK: Final = (
    *("order", "score_type", "ties", "duplicates", "depth", "unjudged", "exclude", "exclude_from"),
    *("unretrieved", "blocks", "pairing", "query_ids"),
)
"""settings that decide where a document stands"""
GRADE: Final = (*("duplicate_judgements", "grades", "negative", "judgements", "pool", "scored", "highest", "above"),)
"""settings that decide what grade it has"""
VALUE: Final = (
    *("missing", "extra", "empty", "no_relevant", "relevant_by", "neither", "all_negative", "undefined", "no_hit"),
    *("round_values", "halves"),
)
"""settings that decide what becomes of the value of a query"""

Row = tuple[Term, ...]
"""One rank, or several that add nothing."""


def sheets(explanation: "Explanation") -> list[Sheet]:
    """The step table of an explanation, and the ideal ranking beside it, or below where it is long."""
    own, best = explanation.terms, explanation.ideal
    rows = list(folded(explanation.trace.terms))
    columns = _terms(rows, explanation)
    beside = len(best) <= _LONG and _all_ranks(own) and _all_ranks(best) and len(rows) == len(own)
    if beside and best:
        columns = _beside(columns, [row[0] for row in rows], best)
    steps = Sheet(
        tuple(columns),
        tuple(_notes(explanation, rows)),
        explanation.signature,
        explanation.notes,
        title=_title(explanation),
        lead=tuple(filter(None, (explanation.text, explanation.formula))),
    )
    if beside or not best:
        return [steps]
    return [steps, Sheet(tuple(ideal(explanation)), title=f"{explanation.query}   the ideal ranking")]


def _all_ranks(terms: Sequence[Term]) -> bool:
    """Whether the ranks of terms are 1, 2, 3 and so on, so that those of two rankings can stand side by side."""
    return all(term.rank == rank for rank, term in enumerate(terms, 1))


def terms(explanation: "Explanation") -> list[Column]:
    """The columns of the steps, without the names of documents."""
    columns = _terms(list(folded(explanation.trace.terms)), explanation)
    return [column for column in columns if column.name != "document"]


def ideal(explanation: "Explanation") -> list[Column]:
    """The columns of the ideal ranking; none where there is no such ranking."""
    if not explanation.ideal:
        return []
    weighted = any(term.factor != 1 for term in explanation.ideal)
    columns = _terms(list(folded(explanation.ideal)), explanation, weighted=weighted)
    return [column for column in columns if column.name != "document"]


def folded(terms: Sequence[Term]) -> Iterator[Row]:
    """Ranks one by one; in a long table, neighbours that add nothing together."""
    for adds, group in groupby(terms, lambda term: bool(term.contribution)):
        row = tuple(group)
        if adds or len(terms) <= _LONG or len(row) < _FOLDED:
            yield from ((term,) for term in row)
        else:
            yield row


def _title(explanation: "Explanation") -> str:
    query, run = shortened(explanation.id), f"   {shortened(explanation.run)}" if explanation.run else ""
    if explanation.value is None:
        return f"{query}   {explanation.measure}   left out{run}"
    steps = explanation.arithmetic
    if not same(explanation.trace.raw, explanation.value):
        steps = f"{steps}, which counts as {apart(explanation.trace.raw, explanation.value)[1]}"
    return f"{query}   {explanation.measure} = {steps}{run}"


def _terms(rows: Sequence[Row], explanation: "Explanation", *, weighted: bool | None = None) -> list[Column]:
    """The columns of some terms.

    Args:
        rows: the terms.
        explanation: the explanation.
        weighted: whether ranks have a weight of their own; where None, as the ranking itself has it.

    """
    terms = [term for row in rows for term in row]
    divided = any(term.discount is not None for term in terms)
    texts = [explanation.texts.get(row[0].document or "", "") if len(row) == 1 else "" for row in rows]
    spans = [f"{row[0].first}-{row[-1].last}" if row[0].tied else None for row in rows]
    is_weighted = explanation.trace.weighted if weighted is None else weighted
    columns: tuple[tuple[str, Kind, list[Any], bool], ...] = (
        ("for", "text", [row[0].label for row in rows], any(term.label for term in terms)),
        ("rank", "number", list(map(_ranks, rows)), True),
        ("document", "text", list(map(_document, rows)), True),
        ("score", "number", _each(rows, lambda term: term.score), explanation.scored),
        ("tied", "number", spans, any(term.tied for term in terms)),
        ("grade", "grade", _each(rows, _grade, among=""), True),
        ("gain", "number", _each(rows, lambda term: term.gain), True),
        ("weight", "number", _each(rows, lambda term: term.factor), is_weighted),
        ("discount", "number", _each(rows, lambda term: term.discount), divided),
        ("adds", "number", _each(rows, lambda term: term.contribution, among=0.0), True),
        ("total", "number", [row[-1].running for row in rows], True),
        ("text", "text", list(map(snippet, texts)), any(term.document in explanation.texts for term in terms)),
    )
    return [Column(name, kind, cells) for name, kind, cells, is_shown in columns if is_shown]


def _each(rows: Sequence[Row], what: Callable[[Term], Any], *, among: Any = None) -> list[Any]:  # noqa: ANN401 - of any kind
    """A cell for each row; what several ranks show that add nothing."""
    return [what(row[0]) if len(row) == 1 else among for row in rows]


def _ranks(row: Row) -> int | str:
    return row[0].rank if len(row) == 1 else f"{row[0].rank}-{row[-1].rank}"


def _document(row: Row) -> str:
    return shortened(row[0].document or "", ID) if len(row) == 1 else "(nothing added)"


def _grade(term: Term) -> Any:  # noqa: ANN401 - a grade, or nothing where there is no document
    return "" if term.document is None and term.grade is None else term.grade


def snippet(text: str) -> str:
    """The beginning of a document's text, in one line."""
    text = " ".join(text.split())
    return text if len(text) <= _SNIPPET else f"{text[:_SNIPPET]}…"


def _beside(columns: list[Column], terms: Sequence[Term], ideal: Sequence[Term]) -> list[Column]:
    """Columns with those of the ideal ranking beside them, rank by rank; rows are added if it is longer."""
    by_rank = {term.rank: term for term in ideal}
    ranks = [term.rank for term in terms]
    more = [term.rank for term in ideal if term.rank not in set(ranks)]
    longer = []
    for column in columns:
        empty = "" if column.kind in ("text", "grade") else None
        padding = more if column.name == "rank" else [empty] * len(more)
        longer.append(Column(column.name, column.kind, [*column.values, *padding]))
    best = [by_rank.get(rank) for rank in (*ranks, *more)]
    return [
        *longer,
        Column("ideal grade", "grade", ["" if term is None else term.grade for term in best]),
        Column("ideal adds", "number", [None if term is None else term.contribution for term in best]),
    ]


def _notes(explanation: "Explanation", rows: Sequence[Row]) -> Iterator[str]:
    """What belongs under the table of these rows."""
    yield explanation.sentence
    gained = [one for one in explanation.missing if one.place is not None]
    for one in gained[:_NAMED]:
        yield one.sentence(explanation.measure)
    others = len(explanation.missing) - min(len(gained), _NAMED)
    if others:
        more = "more " if gained else ""
        noun, verb, pronoun = ("document", "is", "it") if others == 1 else ("documents", "are", "none of them")
        tail = "" if len(gained) > _NAMED else f"; {pronoun} would {'not ' * (others == 1)}raise {explanation.measure}"
        yield f"{others} {more}judged {noun} with a grade above 0 {verb} too deep or not retrieved{tail}"
    if explanation.other_gain:
        yield explanation.other_gain
    context = explanation.context
    parameters = {name: value for name, value in context.measure.parameters.items() if value is not None}
    if parameters:
        yield f"terms: {as_typed(parameters)}"
    if any(term.tied for term in explanation.trace.terms):
        ties = context.asked.judging.ties
        yield f"{_TIED[ties]} (ties={ties})"
    if any(len(row) == 1 and row[0].grade is None and row[0].document is not None for row in rows):
        yield "? is a document that nobody judged"
    for step, names in (("ranks", RANK), ("grades", GRADE), ("value", VALUE)):
        if changed := differing(context.asked, names):
            yield f"{step}: {as_typed(changed)}"


def arithmetic(explanation: "Explanation") -> str:
    """The last steps as numbers: `3.6309 / 5.3928 = 0.6733`."""
    trace = explanation.trace
    text = number(trace.total)
    if trace.rest:
        text = f"{text} {'-' if trace.rest < 0 else '+'} {number(abs(trace.rest))}"
        text = f"({text})" if trace.norm != 1 else text
    if trace.norm != 1:
        text = f"{text} / {number(trace.norm)}"
    ratio = trace.raw if trace.link is None else trace.link[0]
    if text != number(ratio):
        text = f"{text} = {number(ratio)}"
    if _stepped(explanation):
        text = f"{text}, which the last step makes {number(trace.raw)}"
    return text


def sentence(explanation: "Explanation") -> str:
    """What it comes to, in words."""
    query, measure, value, raw = explanation.id, explanation.measure, explanation.value, explanation.trace.raw
    asked = explanation.context.asked
    changed = differing(asked, VALUE)
    if value is None:
        return f"{query} has no value by {measure}: the settings leave the query out{_in_brackets(changed)}"
    if not explanation.answered:
        return f"{explanation.run or 'the run'} has no document for {query}, so that {measure} is {number(value)}"
    undefined = changed.pop("undefined", asked.averaging.undefined)
    if math.isnan(raw):
        why = "since the divisor is 0" if explanation.norm == 0 else "since its last step is not"
        counts = f"it counts as {number(value)}{_in_brackets({'undefined': undefined})}"
        return f"{measure} is not defined for {query}, {why}; {counts}"
    text = f"{measure} of {query} is {number(value)}: {_sum(explanation)}"
    if same(raw, value):
        return text
    before, after = apart(raw, value)
    rounding: dict[str, Any] = {name: changed.pop(name) for name in _ROUNDING if name in changed}
    if rounding and rounded(raw, asked.averaging.round_values, asked.averaging) == value:
        return f"{text}; that is {before}, rounded to {after}{_in_brackets(rounding)}"
    return f"{text}; that is {before}, and the settings make it {after}{_in_brackets(changed | rounding)}"


def other_gain(explanation: "Explanation") -> str:
    """A line on the other usual gain, where it changes the value."""
    context = explanation.context
    gain = context.measure.parameters.get("gain")
    if not isinstance(gain, str) or gain not in _GAINS or explanation.value is None or math.isnan(explanation.value):
        return ""
    other = _GAINS[gain]
    ranking = context.alternatives(explanation.id)
    try:
        [now] = context.values(ranking, [ranking.as_it_is])
        [value] = context.values(ranking, [ranking.as_it_is], context.measure(gain=other))
    except MeasureError:
        return ""
    if value is None or now is None or math.isnan(value) or math.isclose(value, now, rel_tol=1e-12, abs_tol=1e-15):
        return ""
    whose = context.measure.definition.gains.get(other)
    return f"{gain} {number(explanation.value)}; with gain={other}{f', {whose},' if whose else ''} {number(value)}"


def _sum(explanation: "Explanation") -> str:
    """What is added up, and what becomes of the sum."""
    trace = explanation.trace
    adding = len({term.rank for term in trace.terms if term.contribution})
    parts = ["no rank adds anything"]
    if adding:
        parts = [f"{adding} {'rank adds' if adding == 1 else 'ranks add'} {number(trace.total)}"]
    if trace.rest:
        parts.append(f"the rest adds {number(trace.rest)}")
    if trace.ideal and (adding or trace.rest):
        parts.append(f"and the ideal ranking would have {number(trace.norm)}")
    elif trace.norm != 1 and (adding or trace.rest):
        parts.append(f"divided by {number(trace.norm)}")
    if _stepped(explanation):
        parts.append(f"and the last step makes {number(trace.raw)} of it")
    return ", ".join(parts)


def _stepped(explanation: "Explanation") -> bool:
    """Whether the last step of the formula makes another number."""
    link = explanation.trace.link
    return link is not None and not any(map(math.isnan, link)) and not math.isclose(*link, rel_tol=1e-15)


def _in_brackets(changed: dict[str, Any]) -> str:
    return f" ({as_typed(changed)})" if changed else ""


def settings(asked: ResolvedMeasure, measure: Measure) -> dict[str, dict[str, Any]]:
    """All settings in force by step: where documents stand, their grades, the parameters of the measure, the value."""
    parameters = dict(measure.parameters)
    parameters |= {"cutoff": measure.cutoff} if not measure.definition.at else {}
    parameters |= {"judged_only": True} if measure.judged_only else {}
    steps = {
        "rank": {name: getattr(asked.judging, name) for name in RANK},
        "grade": {name: getattr(asked.judging, name) for name in GRADE},
        "terms": parameters,
        "value": {name: getattr(asked.averaging, name) for name in VALUE},
    }
    return {
        step: {
            name: value if value is None or isinstance(value, str | int | float) else str(value)
            for name, value in settings.items()
        }
        for step, settings in steps.items()
    }


def differing(asked: ResolvedMeasure, step: tuple[str, ...]) -> dict[str, Any]:
    """The settings of a step that are not those of the standard."""
    own, standard = ({**vars(one.averaging), **vars(one.judging)} for one in (asked, STANDARD))
    return {name: own[name] for name in step if own[name] != standard[name]}


def as_typed(settings: dict[str, Any]) -> str:
    """Settings as they are typed.

    >>> as_typed({"ties": "given", "undefined": 1.0})
    'ties=given, undefined=1'
    """
    return ", ".join(f"{name}={plain(value)}" for name, value in settings.items())


def number(value: float, decimals: int = _DECIMALS) -> str:
    """A number for people: four decimals, none where it is whole.

    >>> number(3.63092975), number(3.0), number(float("nan")), number(1e-9)
    ('3.6309', '3', 'n/a', '1.0e-09')
    """
    if not math.isfinite(value):
        return "n/a" if math.isnan(value) else f"{value}"
    if value.is_integer() and abs(value) < _LARGE:
        return f"{value + 0.0:.0f}"
    text = f"{value:z.{decimals}f}"
    return text if float(text) and abs(value) < _LARGE else f"{value:.1e}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to tell them apart.

    >>> apart(0.59283, 0.592834519), apart(0.0, 0.5)
    (('0.592830', '0.592835'), ('0', '0.5000'))
    """
    for decimals in range(_DECIMALS, 17):
        texts = number(one, decimals), number(other, decimals)
        if texts[0] != texts[1] and (decimals == _DECIMALS or len({*map(len, texts)}) == 1):
            return texts
    return repr(one), repr(other)


def same(one: float, other: float) -> bool:
    """Whether two numbers are equal, NaN being equal to itself."""
    return one == other or (math.isnan(one) and math.isnan(other))


def finite(value: Any) -> Any:  # noqa: ANN401 - whatever a term holds
    """A number as JSON holds it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def cell(value: Grade | str) -> Any:  # noqa: ANN401 - as a frame holds it
    """A grade as a frame holds it: several as one text."""
    return " ".join("?" if one is None else f"{one:g}" for one in value) if isinstance(value, tuple) else value

"""A measure worked out on one small ranking, step by step, from the terms of its own definition."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rankworth import evaluation
from rankworth.errors import MeasureError
from rankworth.explanation import Explanation, explain, ideal, number, terms
from rankworth.judged import Judged
from rankworth.judging.subtopics import Row
from rankworth.measures import Fact, Measure, TextFact
from rankworth.prose import Grid, Paragraph, Part, Steps
from rankworth.render import Look
from rankworth.sheet import Column

COLUMNS: Final = ("for", "rank", "grade", "gain", "weight", "discount", "adds", "total")
"""All that a table may show; what a measure does not use is left out."""

_GRADES: Final[tuple[float | None, ...]] = (0, 3, 2, None, 1)
_MISSING: Final[tuple[float, ...]] = (1, 0)
_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((1, 0, 0), (1, 1, 0), None, (0, 0, 0), (0, 1, 0))
_MISSING_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((0, 0, 1),)
_SCALES: Final = (3, 2, 1)
"""The best grade of the example; a smaller one where a measure takes no better."""
_UNJUDGED: Final = "?"


@dataclass(frozen=True)
class _Case:
    """The ranking and what is asked of it."""

    grades: Sequence[Row]
    missing: Sequence[Row]

    def introduction(self) -> str:
        """The ranking in words."""
        of = "grades for three subtopics" if isinstance(self.grades[0], tuple) else "grades"
        ranked = ", ".join(map(_grade, self.grades))
        missing = " and ".join(map(_grade, self.missing))
        return (
            f"Five documents were retrieved. Their {of}, best rank first, are {ranked}, where {_UNJUDGED} is a "
            f"document that nobody judged. Judged, but not retrieved: grades {missing}."
        )

    def judged(self) -> Judged:
        """The ranking as measures see it, with a row for every document."""
        return evaluation.ranking(self.grades, missing=self.missing)

    def session(self, quantity: Measure | Fact) -> list[str]:
        """The same in Python."""
        ranking, missing = (_python(rows) for rows in (self.grades, self.missing))
        value = evaluation.score(self.grades, quantity, missing=self.missing)
        return [
            f">>> ranking = {ranking}",
            f'>>> rankworth.score(ranking, "{quantity}", missing={missing})',
            repr(value),
        ]


def example(quantity: Measure | Fact) -> tuple[list[Part], list[str]]:
    """The parts of a page that work a measure out, and the lines of Python that give the same value.

    Raises:
        MeasureError: where the parameters contradict each other.

    """
    for best in _SCALES:
        case = _case(quantity, best)
        try:
            parts: list[Part] = [Paragraph(case.introduction()), *_worked(quantity, case)]
            return parts, [] if isinstance(quantity, TextFact) else case.session(quantity)
        except MeasureError as error:
            if "grade-above-maximum" not in error.slugs:
                raise
    return [Paragraph("There is none: whole grades do not suit these parameters.")], []


def _case(quantity: Measure | Fact, best: float) -> _Case:
    if quantity.definition.subtopics:
        return _Case(_BY_SUBTOPIC, _MISSING_BY_SUBTOPIC)
    grades = [None if grade is None else min(grade, best) for grade in _GRADES]
    return _Case(grades, [min(grade, best) for grade in _MISSING])


def _worked(quantity: Measure | Fact, case: _Case) -> Iterator[Part]:
    if isinstance(quantity, Fact):
        (value,) = quantity.values(case.judged())
        said = value if isinstance(value, str) else number(float(value))
        yield Steps([("value", said, "")]) if said else Paragraph("The value is an empty text.")
        return
    told = explain(grades=case.grades, missing=case.missing, measure=quantity)
    columns = terms(told)
    if columns[0].values:
        yield _grid(columns)
        yield Paragraph(_legend([column.name for column in columns], told))
    if best := ideal(told):
        yield Paragraph("The ideal ranking, whose total is the norm:")
        yield _grid(best)
    yield Steps(list(_steps(told)))
    gained = [one for one in told.missing if one.place is not None]
    if gained:
        best = gained[0]
        where = f"at rank {best.rank}, where it does not count" if best.rank else "not in the ranking"
        yield Paragraph(
            f"Missing: the document of grade {best.grade:g} that is {where}. At rank {best.place} the value would be "
            f"{number(best.value or 0.0)}."
        )


def _grid(columns: Sequence[Column]) -> Grid:
    """Columns as a page shows them."""
    look = Look()
    return Grid([column.name for column in columns], [look.cells(column) for column in columns])


def _legend(names: Sequence[str], told: Explanation) -> str:
    factors = "".join(f" {sign} {name}" for sign, name in (("*", "weight"), ("/", "discount")) if name in names)
    text = f"adds = gain{factors}; total = all that was added so far." if factors else "total = all gains so far."
    if any(term.label for term in told.terms):
        text += " There is not one term for each document here; rank says to which rank a term belongs."
    elif any(term.document is None for term in told.terms):
        text += " The terms are not those of the retrieved documents here."
    return text


def _steps(told: Explanation) -> Iterator[tuple[str, str, str]]:
    """How the total becomes the value."""
    yield "total", number(told.total), "what all ranks add"
    if told.rest:
        yield "rest", number(told.rest), "what is added to the total"
    if told.norm != 1:
        yield "norm", number(told.norm), "what the sum is divided by"
    if math.isnan(told.trace.raw):
        yield "value", "n/a", "undefined; it counts as 0"
    else:
        linked = "" if told.link is None else f"what the last step of the formula makes of {number(told.link[0])}"
        yield "value", number(told.trace.raw), linked


def _grade(row: Row) -> str:
    """What the assessors gave one document."""
    if row is None:
        return _UNJUDGED
    if isinstance(row, Sequence):
        return " ".join(_grade(grade) for grade in row)
    return number(float(row))


def _python(rows: Sequence[Row]) -> str:
    return repr([list(row) if isinstance(row, tuple) else row for row in rows])

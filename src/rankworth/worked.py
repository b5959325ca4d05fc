"""A measure worked out on one small ranking, step by step, from the terms of its own definition."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rankworth import evaluation
from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged
from rankworth.judging.subtopics import Row
from rankworth.measures import Fact, Measure, Terms, TextFact
from rankworth.prose import Grid, Paragraph, Part, Steps

COLUMNS: Final = ("rank", "grade", "gain", "weight", "discount", "adds", "total")
"""All that a table may show; what a measure does not use is left out."""

_GRADES: Final[tuple[float | None, ...]] = (0, 3, 2, None, 1)
_MISSING: Final[tuple[float, ...]] = (1, 0)
_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((1, 0, 0), (1, 1, 0), None, (0, 0, 0), (0, 1, 0))
_MISSING_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((0, 0, 1),)
_SCALES: Final = (3, 2, 1)
"""The best grade of the example; a smaller one where a measure takes no better."""
_UNJUDGED: Final = "?"
_DIGITS: Final = 4
_HUGE: Final = 1e9


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
            parts: list[Part] = [Paragraph(case.introduction()), *_worked(quantity, case.judged())]
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


def _worked(quantity: Measure | Fact, judged: Judged) -> Iterator[Part]:
    if isinstance(quantity, Fact):
        (value,) = quantity.values(judged)
        said = value if isinstance(value, str) else _number(float(value))
        yield Steps([("value", said, "")]) if said else Paragraph("The value is an empty text.")
        return
    terms = quantity.terms(judged)
    names, columns = _columns(terms, judged.condensed if quantity.judged_only else judged)
    if columns[0]:
        yield Grid(names, columns)
        yield Paragraph(_legend(names, own_ranks=terms.rank is not None))
    yield Steps(list(_steps(terms)))


def _columns(terms: Terms, ranking: Judged) -> tuple[list[str], list[list[str]]]:
    """Names and cells: what every rank contributes, and how; what a measure does not use is left out."""
    width = terms.gain.shape[1]
    if terms.rank is None:
        rows = min(width, ranking.rank.shape[1])
        shown = [place for place in range(rows) if bool(ranking.retrieved[0, place])]
        table = {"rank": _cells(ranking.rank, shown), "grade": _grades_of(ranking, shown)}
    else:
        shown = list(range(width))
        table = {"rank": _cells(terms.rank, shown)}
    table["gain"] = _cells(terms.gain, shown)
    factors = {"weight": terms.weight, "discount": terms.discount}
    used = {name: factor for name, factor in factors.items() if hasattr(factor, "shape")}
    table |= {name: _cells(factor, shown) for name, factor in used.items()}
    running = terms.running()
    if used:
        added = terms.gain
        for name, factor in used.items():
            added = added * factor if name == "weight" else added / factor
        table["adds"] = _cells(added, shown)
    table["total"] = _cells(running, shown)
    return list(table), list(table.values())


def _grades_of(ranking: Judged, shown: Sequence[int]) -> list[str]:
    """Grades; one for each subtopic where there are some."""
    grades = ranking.grade[0, :, None] if ranking.aspects is None else ranking.by_subtopic[0]
    known = ranking.known[0]
    return [
        _grade(tuple(float(grade) for grade in grades[place])) if bool(known[place]) else _UNJUDGED for place in shown
    ]


def _legend(names: Sequence[str], *, own_ranks: bool) -> str:
    factors = "".join(f" {sign} {name}" for sign, name in (("*", "weight"), ("/", "discount")) if name in names)
    text = f"adds = gain{factors}; total = all that was added so far." if factors else "total = all gains so far."
    if own_ranks:
        text += " There is not one term for each document here; rank says to which rank a term belongs."
    return text


def _steps(terms: Terms) -> Iterator[tuple[str, str, str]]:
    """How the total becomes the value."""
    running = terms.running()
    total = float(running[0, -1]) if running.shape[1] else 0.0
    yield "total", _number(total), "what all ranks add"
    if not isinstance(terms.rest, float) or terms.rest:
        yield "rest", _number(_one(terms.rest)), "what is added to the total"
    if not isinstance(terms.norm, float | int) or terms.norm != 1:
        yield "norm", _number(_one(terms.norm)), "what the sum is divided by"
    value, before = float(terms.value()[0]), float(terms._replace(link=None).value()[0])
    if math.isnan(value):
        yield "value", "n/a", "undefined; it counts as 0"
    else:
        linked = "" if terms.link is None else f"what the last step of the formula makes of {_number(before)}"
        yield "value", _number(value), linked


def _one(number: Any) -> float:  # noqa: ANN401 - an array or a number
    return float(number[0] if hasattr(number, "shape") else number)


def _cells(array: Array, shown: Sequence[int]) -> list[str]:
    """Numbers of one column, whole ones where all of them are."""
    row = array[0]
    numbers = [float(row[place if row.shape[0] > 1 else 0]) for place in shown]
    if all(number.is_integer() and abs(number) < _HUGE for number in numbers):
        return [_number(number) for number in numbers]
    return [_decimals(number) for number in numbers]


def _number(number: float) -> str:
    """A number for people.

    >>> [_number(number) for number in (-0.0, 3.0, 0.12345, 1e-9, 1e300)]
    ['0', '3', '0.1235', '1.0e-09', '1.0e+300']
    """
    return f"{number + 0.0:.0f}" if number.is_integer() and abs(number) < _HUGE else _decimals(number)


def _decimals(number: float) -> str:
    text = f"{number:z.{_DIGITS}f}"
    tiny = number and not float(text)
    return f"{number:.1e}" if tiny or abs(number) >= _HUGE else text


def _grade(row: Row) -> str:
    """What the assessors gave one document."""
    if row is None:
        return _UNJUDGED
    if isinstance(row, Sequence):
        return " ".join(_grade(grade) for grade in row)
    return _number(float(row))


def _python(rows: Sequence[Row]) -> str:
    return repr([list(row) if isinstance(row, tuple) else row for row in rows])

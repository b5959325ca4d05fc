"""A worked example: a measure computed on one small ranking, step by step, from the terms of its own definition."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rankworth.errors import MeasureError
from rankworth.evaluation import runner
from rankworth.explanation import Explanation, columns, explain, number
from rankworth.judging.subtopics import Row
from rankworth.measures import Fact, Measure, TextFact
from rankworth.reference.markdown import code, escaped, table
from rankworth.tables.columns import Column
from rankworth.tables.look import Look

_GRADES: Final[tuple[float | None, ...]] = (0, 3, 2, None, 1)
_MISSING: Final[tuple[float, ...]] = (1, 0)
_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((1, 0, 0), (1, 1, 0), None, (0, 0, 0), (0, 1, 0))
_MISSING_BY_SUBTOPIC: Final[tuple[Row, ...]] = ((0, 0, 1),)
_SCALES: Final = (3, 2, 1)
"""The best grade of the example; a smaller one where a measure takes no better."""
_UNJUDGED: Final = "?"


def example(quantity: Measure | Fact) -> tuple[list[str], list[str]]:
    """The blocks of a page that compute a measure, and the lines of Python that give its value.

    Raises:
        MeasureError: where the parameters contradict each other.

    """
    for best in _SCALES:
        grades: Sequence[Row] = [None if grade is None else min(grade, best) for grade in _GRADES]
        missing: Sequence[Row] = [min(grade, best) for grade in _MISSING]
        if quantity.definition.subtopics:
            grades, missing = _BY_SUBTOPIC, _MISSING_BY_SUBTOPIC
        try:
            blocks = [_introduction(grades, missing), *_computation(quantity, grades, missing)]
            return blocks, [] if isinstance(quantity, TextFact) else _session(quantity, grades, missing)
        except MeasureError as error:
            if "grade-above-maximum" not in error.slugs:
                raise
    return ["There is none: whole grades do not suit these parameters."], []


def _introduction(grades: Sequence[Row], missing: Sequence[Row]) -> str:
    """The ranking in words."""
    of = "grades for three subtopics" if isinstance(grades[0], tuple) else "grades"
    return (
        f"Five documents were retrieved. Their {of}, best rank first, are {', '.join(map(_grade, grades))}, where "
        f"{_UNJUDGED} is a document that nobody judged. Judged, but not retrieved: grades "
        f"{' and '.join(map(_grade, missing))}."
    )


def _session(quantity: Measure | Fact, grades: Sequence[Row], missing: Sequence[Row]) -> list[str]:
    """The example in Python."""
    ranking, rest = (repr([list(row) if isinstance(row, tuple) else row for row in rows]) for rows in (grades, missing))
    return [
        f">>> ranking = {ranking}",
        f'>>> rankworth.score(ranking, "{quantity}", missing={rest})',
        repr(runner.score(grades, quantity, missing=missing)),
    ]


def _computation(quantity: Measure | Fact, grades: Sequence[Row], missing: Sequence[Row]) -> Iterator[str]:
    """Tables of the ranking and the ideal one, and how the total becomes the value."""
    if isinstance(quantity, Fact):
        (value,) = quantity.values(runner.ranking(grades, missing=missing))
        text = value if isinstance(value, str) else number(float(value))
        yield _aligned([("value", text, "")]) if text else "The value is an empty text."
        return
    told = explain(grades=grades, missing=missing, measure=quantity)
    steps = columns(told)
    if steps[0].values:
        yield _table(steps)
        yield escaped(_legend([column.name for column in steps], told))
    if best := columns(told, ideal=True):
        yield "The ideal ranking, whose total is the norm:"
        yield _table(best)
    yield _aligned(list(_steps(told)))
    gained = next((one for one in told.missing if one.place is not None), None)
    if gained:
        where = f"at rank {gained.rank}, where it does not count" if gained.rank else "not in the ranking"
        yield (
            f"Missing: the document of grade {gained.grade:g} that is {where}. At rank {gained.place} the value would "
            f"be {number(gained.value or 0.0)}."
        )


def _table(columns: Sequence[Column]) -> str:
    rows = zip(*map(Look().cells, columns), strict=True)
    return table([column.name for column in columns], rows, f"|{'--:|' * len(columns)}")


def _aligned(steps: Sequence[tuple[str, str, str]]) -> str:
    """Numbers below each other, with their names and what they are."""
    names, numbers = (max(len(step[place]) for step in steps) for place in (0, 1))
    return code(f"{name:<{names}}   {value:>{numbers}}   {text}".rstrip() for name, value, text in steps)


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
    if math.isnan(told.raw):
        yield "value", "n/a", "undefined; it counts as 0"
    else:
        linked = "" if told.link is None else f"what the last step of the formula makes of {number(told.link[0])}"
        yield "value", number(told.raw), linked


def _grade(row: Row) -> str:
    """What the assessors gave one document."""
    if row is None:
        return _UNJUDGED
    if isinstance(row, Sequence):
        return " ".join(_grade(grade) for grade in row)
    return number(float(row))

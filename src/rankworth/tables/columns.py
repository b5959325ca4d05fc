"""Sheets: what an analysis says, column by column, before anyone decides how to show it.

A sheet knows neither queries nor measures, and nothing of terminals, files or markup.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["text", "count", "value", "share", "number", "grade"]
"""What a column holds: text; a whole number; a value without bounds; a value that is a share of something; a number
with the decimals that it needs; a grade, where None is a document that nobody judged."""

Best = Literal["", "highest", "lowest"]


@dataclass(frozen=True)
class Column:
    """One column of a sheet.

    Attributes:
        name: the heading.
        kind: what the values are, so that every room shows them alike.
        values: one for each row; numbers that are undefined are None or NaN, and a text stays as it is.
        best: which end of the scale deserves attention, if any.
        bounds: an interval (low, high) for each value, or nothing; empty texts show nothing for one of them.
        marks: what stands raised behind each value, or nothing.
        second: whether the second best value deserves attention, too.
        under: of a text that names rows, what bounds in these rows are called where they are no intervals.
        apart: whether it is of a second list that stands beside the first and shares the numbers of its rows, such as
            an ideal ranking: texts that name the rows of the first say nothing of it.

    """

    name: str
    kind: Kind
    values: Sequence[Any]
    best: Best = ""
    bounds: Sequence[tuple[float | str, float | str]] = ()
    marks: Sequence[str] = ()
    second: bool = False
    under: str = ""
    apart: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table with what must be said about it.

    Attributes:
        columns: all of one length.
        notes: sentences that belong under the table.
        legend: what marks in cells mean; part of the table where it is printed.
        comment: one line that says how the numbers came about; shown once, in whatever way a format has for it.
        defects: what is wrong with the numbers; shown wherever they are.
        title: what the table is about, in one line.
        lead: sentences between title and table, of any language.
        has_infinite: whether programs get infinite numbers as such; where not, they get nothing for them.

    """

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    comment: str = ""
    defects: tuple[str, ...] = ()
    title: str = ""
    lead: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    has_infinite: bool = False

    def beginning(self, rows: int) -> "Sheet":
        """Keep the first rows, and note how many there are; mark no best values, which may be among the other rows.

        >>> Sheet((Column("query", "text", ["q1", "q2", "q3"]),)).beginning(1).notes
        ('the first 1 of 3 rows',)
        """
        height = len(self.columns[0].values) if self.columns else 0
        if height <= rows:
            return self
        columns = [
            replace(each, values=each.values[:rows], best="", bounds=each.bounds[:rows], marks=each.marks[:rows])
            for each in self.columns
        ]
        return replace(self, columns=tuple(columns), notes=(f"the first {rows:,} of {height:,} rows", *self.notes))

    def worded(self, wording: Callable[[str], str]) -> "Sheet":
        """Word the sheet's sentences for its readers: those of the command line, or of Python."""
        notes, defects = (tuple(map(wording, texts)) for texts in (self.notes, self.defects))
        return replace(self, notes=notes, defects=defects)

    def rows(self) -> list[dict[str, Any]]:
        """Return the values row by row, by name of column."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*(each.values for each in self.columns), strict=True)]

    def flat(self) -> Iterator[tuple[str, Kind, list[Any]]]:
        """Return columns for machines: name, kind, values; bounds as `NAME.low` and `NAME.high`, None for undefined."""
        for column in self.columns:
            yield column.name, column.kind, defined(column.values, infinite=self.has_infinite)
            if column.bounds:
                yield f"{column.name}.low", column.kind, defined([low for low, _ in column.bounds])
                yield f"{column.name}.high", column.kind, defined([high for _, high in column.bounds])
            if any(column.marks):
                yield f"{column.name}.marks", "text", list(column.marks)


def by_name(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Turn rows of cells into columns, by name.

    >>> by_name(("x", "y"), [(1, 2), (3, 4)]), by_name(("x",), [])
    ({'x': [1, 3], 'y': [2, 4]}, {'x': []})
    """
    table = list(rows)
    return {name: [row[index] for row in table] for index, name in enumerate(names)}


def defined(values: Sequence[Any], *, infinite: bool = False) -> list[Any]:
    """Return the values as they are, None for numbers that are not finite.

    Args:
        values: the cells of a column.
        infinite: whether infinite numbers stay.

    >>> defined(["q1", 0.5, float("nan"), None]), defined([math.inf], infinite=True)
    (['q1', 0.5, None, None], [inf])
    """
    is_defined = (lambda value: not math.isnan(value)) if infinite else math.isfinite
    return [value if not isinstance(value, float) or is_defined(value) else None for value in values]

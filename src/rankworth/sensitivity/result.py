"""What a change does to values: tidy columns first, tables of them second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Kind, Sheet

By = Literal["position", "grade", "cutoff", "swap", "ties", "unjudged"]
"""What may be varied."""
BY: Final[tuple[By, ...]] = get_args(By)
Row = dict[str, Any]

MORE: Final[Mapping[By, tuple[str, ...]]] = {
    "position": ("document", "grade"),
    "grade": ("document", "beside"),
    "cutoff": (),
    "swap": ("rank", "document", "other"),
    "ties": (),
    "unjudged": ("document", "rank"),
}
"""the columns behind `measure`, what is varied, `value` and `change`"""
_NAMES: Final[Mapping[By, tuple[tuple[str, str, Kind], ...]]] = {
    "position": (("position", "rank", "count"),),
    "grade": (("grade", "grade", "grade"), ("beside", "beside grade", "number")),
    "cutoff": (("cutoff", "k", "count"),),
    "swap": (("swap", "ranks", "text"), ("document", "upper", "text"), ("other", "lower", "text")),
    "ties": (("ties", "order of ties", "text"),),
    "unjudged": (
        ("unjudged", "unjudged documents", "text"),
        ("rank", "rank", "number"),
        ("document", "document", "text"),
    ),
}
"""what names a row of a table, with heading and kind"""
_FEW: Final = 20
"""up to how many swaps or unjudged documents a table shows all, also those that change nothing"""


@dataclass(frozen=True, repr=False)
class Variation(Shown):
    """The values of a ranking when something about it changes.

    Attributes:
        by: what is varied.
        measures: what tables call the measures.
        columns: one row for each change and measure, as tidy columns: `measure`, what is varied under its own name,
            `value`, `change` against the ranking as it is, and further ones. A value is None where the settings leave
            the query out or refuse it, and NaN where it is not defined and stays so.
        baseline: the value of the ranking as it is, for each measure that has one; empty where there is no such
            ranking.
        run: the name of the run.
        query: the id of the query as the judgements had it; empty where there is none.
        document: the document that moves, or whose grade changes; empty where there is none.
        profile: the name of the conventions.
        sentence: what is varied, in words.
        notes: what must be said about the numbers.
        deepest: the deepest rank that a measure looks at.

    """

    by: By
    measures: tuple[str, ...]
    columns: Mapping[str, Sequence[Any]]
    baseline: Mapping[str, float]
    run: str = ""
    query: Any = ""
    document: Any = ""
    profile: str = ""
    sentence: str = ""
    notes: tuple[str, ...] = ()
    deepest: int = 10**9

    @property
    def rows(self) -> list[Row]:
        """The columns row by row."""
        return [dict(zip(self.columns, cells, strict=True)) for cells in zip(*self.columns.values(), strict=True)]

    @property
    def best(self) -> dict[str, Row]:
        """The swap that gains most, for each measure that some swap makes better."""
        return self._swap(1)

    @property
    def worst(self) -> dict[str, Row]:
        """The swap that loses most, for each measure that some swap makes worse."""
        return self._swap(-1)

    def _swap(self, sign: int) -> dict[str, Row]:
        """The first of the swaps that change a value most in one direction."""
        found: dict[str, Row] = {}
        for row in self.rows if self.by == "swap" else ():
            before = found.get(row["measure"], {"change": 0.0})
            if row["change"] is not None and sign * row["change"] > sign * before["change"]:
                found[row["measure"]] = row
        return found

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame.

        Args:
            library: polars, pandas or pyarrow.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns, library)

    def sheets(self) -> list[Sheet]:
        """One table with a row for each change and a column for each measure."""
        first, *others = _NAMES[self.by]
        names = [first, *(one for one in others if any(cell is not None for cell in self.columns[one[0]]))]
        rows = self._moving()
        keys = list(dict.fromkeys(tuple(row[name] for name, _, _ in names) for row in rows))
        cells = {(row["measure"], tuple(row[name] for name, _, _ in names)): row for row in self.rows}
        columns = [
            Column(heading, kind, [_text(key[place]) if kind == "text" else key[place] for key in keys])
            for place, (_, heading, kind) in enumerate(names)
        ]
        several = len(self.measures) > 1
        for measure in self.measures:
            own = [cells.get((measure, key), {}) for key in keys]
            columns.append(Column(measure, "value", [row.get("value") for row in own]))
            if measure in self.baseline and (self.by == "swap" or not several):
                heading = f"{measure} change" if several else "change"
                columns.append(Column(heading, "value", [row.get("change") for row in own]))
        key = "swap" if self.by == "swap" else "document"
        every, shown = ({row[key] for row in some if key in row} for some in (self.rows, rows))
        idle = len(every - shown)
        what = "swaps of neighbours" if self.by == "swap" else "unjudged documents"
        beyond = " change nothing"
        if self.by == "unjudged" and self.deepest < max((row["rank"] or 0 for row in self.rows), default=0):
            beyond = f" stand beyond rank {self.deepest:,}, where they change the ideal at most, or change nothing"
        rest = (f"{idle:,} other {what}{beyond}",) if idle else ()
        return [Sheet(tuple(columns), (*rest, *self._notes()), title=self._title, lead=(self.sentence,))]

    def _moving(self) -> list[Row]:
        """The rows that tables show: of many swaps or unjudged documents those that change a value."""
        rows = self.rows
        if self.by not in ("swap", "unjudged") or len(rows) <= _FEW * len(self.measures):
            return rows
        key = "swap" if self.by == "swap" else "document"
        moving = {row[key] for row in rows if row["change"] != 0 and (row["rank"] or 0) <= self.deepest}
        return [row for row in rows if row[key] in moving or row[key] is None]

    @property
    def _title(self) -> str:
        return f"{' and '.join(filter(None, (', '.join(self.measures[:-1]), self.measures[-1])))} by {self.by}"

    def _notes(self) -> tuple[str, ...]:
        """The notes, with the value as it is, and the best and the worst swap."""
        look = Look()
        values = ", ".join(f"{name} {look.number(value, 'value')}" for name, value in self.baseline.items())
        told = [] if self.by == "cutoff" else [f"as it is: {values}"]
        for said, swaps in (("best", self.best), ("worst", self.worst)):
            told += [
                f"{said} swap for {name}: ranks {row['swap']} ({row['change']:+.4f})" for name, row in swaps.items()
            ]
        return (*(told if self.baseline else ()), *self.notes, *([f"profile {self.profile}"] if self.profile else []))

    def __repr__(self) -> str:
        """The table as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")


def columns_of(by: By, rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Rows as columns, in the order in which `Variation` has them."""
    return {name: [row.get(name) for row in rows] for name in ("measure", by, "value", "change", *MORE[by])}


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)

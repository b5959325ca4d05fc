"""The values of a ranking when something about it changes, and their table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look
from rankworth.tables.show import Shown

By = Literal["position", "grade", "cutoff", "swap", "ties", "unjudged"]
"""What may be varied."""
BY: Final[tuple[By, ...]] = get_args(By)
Row = dict[str, Any]


class Way(NamedTuple):
    """How one of these is varied."""

    sentence: str
    keys: tuple[tuple[str, str, Kind], ...]
    """the columns that name a row of a table, with heading and kind"""
    further: tuple[str, ...] = ()
    """the columns after `measure`, what is varied, `value` and `change`"""
    options: tuple[str, ...] = ()
    """the options that mean something"""
    idle: tuple[str, str] = ("", "")
    """what a table leaves out where it changes nothing: the column that names it, and the noun"""


WAYS: Final[Mapping[By, Way]] = {
    "position": Way(
        "{document} at every rank of {title}",
        (("position", "rank", "count"),),
        ("document", "grade"),
        ("document", "grade", "n"),
    ),
    "grade": Way(
        "every grade for {document} of {title}",
        (("grade", "grade", "grade"), ("beside", "beside grade", "number")),
        ("document", "beside"),
        ("document", "grade", "n"),
    ),
    "cutoff": Way("{title}, cut at {document}", (("cutoff", "k", "count"),), (), ("cutoffs", "n")),
    "swap": Way(
        "every two neighbours of {title} exchanged",
        (("swap", "ranks", "text"), ("document", "upper", "text"), ("other", "lower", "text")),
        ("rank", "document", "other"),
        ("n",),
        ("swap", "swaps of neighbours"),
    ),
    "ties": Way("{title}, documents with one score in every order", (("ties", "order of ties", "text"),)),
    "unjudged": Way(
        "{title}, with grades for documents that nobody judged",
        (("unjudged", "unjudged documents", "text"), ("rank", "rank", "number"), ("document", "document", "text")),
        ("document", "rank"),
        ("grade", "n"),
        ("document", "unjudged documents"),
    ),
}
_FEW: Final = 20
"""up to how many swaps or unjudged documents a table shows all, also those that change nothing"""


def names_of(by: By) -> tuple[str, ...]:
    """The names of the columns."""
    return ("measure", by, "value", "change", *WAYS[by].further)


@dataclass(frozen=True, repr=False)
class Variation(Shown):
    """The values of a ranking when something about it changes.

    Attributes:
        by: what is varied.
        measures: what tables call the measures.
        rows: one for each change and measure: `measure`, what is varied under its own name, `value`, `change` against
            the ranking as it is, and further ones. A value is None where the settings leave the query out or refuse
            it, and NaN where it is not defined and stays so.
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
    rows: Sequence[Row]
    baseline: Mapping[str, float]
    run: str = ""
    query: Any = ""
    document: Any = ""
    profile: str = ""
    sentence: str = ""
    notes: tuple[str, ...] = ()
    deepest: int = 10**9

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The rows as columns."""
        return {name: [row[name] for row in self.rows] for name in names_of(self.by)}

    @property
    def best(self) -> dict[str, Row]:
        """The swap that gains most, for each measure that some swap makes better."""
        return self._largest(1)

    @property
    def worst(self) -> dict[str, Row]:
        """The swap that loses most, for each measure that some swap makes worse."""
        return self._largest(-1)

    def _largest(self, sign: int) -> dict[str, Row]:
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
        rows, several, way = self._shown_rows(), len(self.measures) > 1, WAYS[self.by]
        used = [key for key in way.keys if key == way.keys[0] or any(row[key[0]] is not None for row in self.rows)]
        by_key: dict[tuple[Any, ...], dict[str, Row]] = {}
        for row in rows:
            by_key.setdefault(tuple(row[name] for name, _, _ in used), {})[row["measure"]] = row
        columns = []
        for place, (_, heading, kind) in enumerate(used):
            cells = [key[place] for key in by_key]
            if kind == "text":
                cells = ["" if cell is None else str(cell) for cell in cells]
            columns.append(Column(heading, kind, cells))
        for measure in self.measures:
            own = [named.get(measure, {}) for named in by_key.values()]
            columns.append(Column(measure, "value", [row.get("value") for row in own]))
            if measure in self.baseline and (self.by == "swap" or not several):
                heading = f"{measure} change" if several else "change"
                columns.append(Column(heading, "value", [row.get("change") for row in own]))
        listed = " and ".join(filter(None, (", ".join(self.measures[:-1]), self.measures[-1])))
        return [Sheet(tuple(columns), tuple(self._notes(rows)), title=f"{listed} by {self.by}", lead=(self.sentence,))]

    def _shown_rows(self) -> Sequence[Row]:
        """The rows that tables show: of many swaps or unjudged documents those that change a value."""
        key = WAYS[self.by].idle[0]
        if not key or len(self.rows) <= _FEW * len(self.measures):
            return self.rows
        changing = {row[key] for row in self.rows if row["change"] != 0 and (row["rank"] or 0) <= self.deepest}
        return [row for row in self.rows if row[key] in changing or row[key] is None]

    def _notes(self, shown: Sequence[Row]) -> Iterator[str]:
        """How many rows are not shown, the value as it is, the best and the worst swap, and the notes."""
        key, noun = WAYS[self.by].idle
        if left := len(self.rows) > len(shown) and len({row[key] for row in self.rows} - {row[key] for row in shown}):
            effect = "change nothing"
            if self.by == "unjudged" and self.deepest < max(row["rank"] or 0 for row in self.rows):
                effect = f"stand beyond rank {self.deepest:,}, where they change the ideal at most, or {effect}"
            yield f"{left:,} other {noun} {effect}"
        if self.baseline and self.by != "cutoff":
            values = (f"{name} {Look().number(value, 'value')}" for name, value in self.baseline.items())
            yield f"as it is: {', '.join(values)}"
        for which, swaps in (("best", self.best), ("worst", self.worst)):
            for name, row in swaps.items():
                yield f"{which} swap for {name}: ranks {row['swap']} ({row['change']:+.4f})"
        yield from self.notes
        if self.profile:
            yield f"profile {self.profile}"

"""What discriminative power says: shares of pairs of systems told apart, and the curve of their p values."""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from rankworth.comparison import Comparison
from rankworth.correlation.standings import sheets as shown
from rankworth.errors import UsageError, counted, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.profiles import in_one_line
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Sheet, defined
from rankworth.version import __version__

SCHEMA: Final = "rankworth.discriminative-power/1"
Rows = Literal["measures", "curve"]


@dataclass(frozen=True)
class MeasurePower:
    """How often a measure tells two systems apart.

    Attributes:
        measure: what tables call it.
        pairs: how many pairs of systems have a p value.
        significant: how many of these are told apart.
        needed: the lowest difference from which on all are significant; NaN where there is none.
        p_values: of all pairs, lowest first: the curve of achieved significance levels.

    """

    measure: str
    pairs: int
    significant: int
    needed: float
    p_values: tuple[float, ...]

    @property
    def share(self) -> float:
        """The discriminative power; NaN without a pair."""
        return self.significant / self.pairs if self.pairs else float("nan")


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Shown):
    """How often measures tell two systems apart.

    Attributes:
        measures: one entry for each.
        comparison: all pairs of systems, compared.

    """

    measures: tuple[MeasurePower, ...]
    comparison: Comparison

    @classmethod
    def of(cls, told: Comparison) -> Self:
        """Those of a comparison of all pairs."""
        return cls(tuple(_power(told, name) for name in told.measures), told)

    def __getitem__(self, measure: str) -> MeasurePower:
        """What is said of a measure.

        Raises:
            UsageError: `not-measured`.

        """
        label = self.comparison.board.label(measure)
        return next(one for one in self.measures if one.measure == label)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.comparison.systems

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What deserves a second look, with its slug."""
        return self.comparison.warnings

    def columns(self, of: Rows = "measures") -> dict[str, list[Any]]:
        """Columns, in full precision.

        Args:
            of: `measures` has a row for each, `curve` one for each p value of each, lowest first.

        Raises:
            UsageError: `unknown-setting`.

        """
        if of not in get_args(Rows):
            known = " or ".join(map(repr, get_args(Rows)))
            raise UsageError("unknown-setting", f"of={of!r}: there are rows of {known}")
        if of == "measures":
            names = ("measure", "pairs", "significant", "share", "needed")
            return {name: [getattr(one, name) for one in self.measures] for name in names}
        cells = [(one.measure, place, p) for one in self.measures for place, p in enumerate(one.p_values, start=1)]
        return {name: [row[place] for row in cells] for place, name in enumerate(("measure", "place", "p"))}

    def flat(self, of: Rows = "measures") -> Sheet:
        """The same as one sheet, for programs."""
        kinds: dict[str, Any] = {"measure": "text", "pairs": "count", "significant": "count", "place": "count"}
        columns = self.columns(of)
        return Sheet(tuple(Column(name, kinds.get(name, "value"), defined(cells)) for name, cells in columns.items()))

    def to_frame(self, library: FrameLibrary = "polars", *, of: Rows = "measures") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: which rows, as for `columns`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(of), library)

    def to_dict(self) -> dict[str, Any]:
        """The powers as JSON holds them: full precision, None where there is no number."""
        told = self.comparison
        columns = {name: defined(cells) for name, cells in self.columns().items()}
        curves = (one.p_values for one in self.measures)
        return {
            "schema": SCHEMA,
            "rankworth": __version__,
            "systems": list(self.systems),
            "queries": len(told.board.queries),
            "signatures": told.signatures,
            "test": told.plan.test,
            "correction": told.plan.correction,
            "level": told.plan.level,
            "resamples": told.told.resamples,
            "seed": told.plan.seed,
            "measures": [
                {**dict(zip(columns, cells, strict=True)), "p_values": list(curve)}
                for *cells, curve in zip(*columns.values(), curves, strict=True)
            ],
            "notes": list(told.notes),
            "warnings": [{"slug": slug, "text": text} for slug, text in self.warnings],
        }

    def sheets(self) -> list[Sheet]:
        """One row for each measure."""
        told = self.comparison
        table = self.table()
        notes = (*told.notes, f"significant: {shown.alpha(told.plan.level)}; {shown.tested(told)}", *table.notes)
        signed = tuple(f"{text}   [{slug}]" for slug, text in self.warnings)
        comment = f"discriminative power|{in_one_line(told.signatures.values())}|seed:{told.plan.seed}"
        title = f"{len(self.systems):,} systems over {counted(len(told.board.queries))}"
        return [replace(table, notes=notes, comment=comment, defects=signed, title=title)]

    def table(self) -> Sheet:
        """The numbers alone."""
        columns = (
            Column("measure", "text", [one.measure for one in self.measures]),
            Column("pairs", "count", [one.pairs for one in self.measures]),
            Column("significant", "count", [one.significant for one in self.measures]),
            Column("share", "share", [one.share for one in self.measures], "highest", second=True),
            Column("difference needed", "value", [one.needed for one in self.measures]),
        )
        few = [one.measure for one in self.measures if one.significant and one.needed != one.needed]
        needed = "difference needed: the lowest one from which on all pairs of these systems are significant"
        notes = (needed, *([f"{quoted(few)}: the largest difference is not significant"] if few else []))
        return Sheet(columns, notes, title="discriminative power")

    def __repr__(self) -> str:
        """The table as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")


def _power(told: Comparison, measure: str) -> MeasurePower:
    """The power of one measure."""
    alpha = 1 - told.plan.level
    rows = [one for one in told.differences if one.measure == measure]
    p = np.array([one.adjusted for one in rows])
    apart = np.abs([one.difference for one in rows])
    known = ~np.isnan(p)
    significant = p < alpha
    unclear = float(apart[known & ~significant].max(initial=0.0))
    found = apart[significant & (apart > unclear)]
    return MeasurePower(
        measure,
        pairs=int(known.sum()),
        significant=int(significant.sum()),
        needed=float(found.min()) if found.size else float("nan"),
        p_values=tuple(np.sort(p[known]).tolist()),
    )

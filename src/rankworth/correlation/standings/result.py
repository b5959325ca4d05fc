"""What a correlation of systems says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

from rankworth.comparison import Comparison
from rankworth.correlation.judges_result import Agreement
from rankworth.correlation.methods import Method
from rankworth.correlation.standings import sheets as shown
from rankworth.correlation.standings.powers import DiscriminativePower
from rankworth.correlation.standings.rows import Correlated, Estimate
from rankworth.correlation.standings.swaps import Swap
from rankworth.correlation.standings.views import View
from rankworth.errors import UsageError, quoted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Kind, Sheet, defined
from rankworth.version import __version__

SCHEMA: Final = "rankworth.correlation/1"
Rows = Literal["rows", "swaps", "means"]


@dataclass(frozen=True, repr=False, eq=False)
class SystemCorrelation(Shown):
    """How alike measures, or two judges, order the same systems.

    Attributes:
        rows: one for each pair of measures, or for each measure under two sets of judgements.
        views: what orders the systems: a measure, or a measure under one set of judgements; with all means.
        methods: the coefficients.
        comparisons: each pair of systems tested: one comparison, or one for each judge.
        judges: the names of two sets of judgements; empty where measures are correlated.
        queries: the ids of the queries, over which all means are taken.
        level: of intervals and tests.
        resamples: how many samples of queries the intervals are from.
        seed: of these.
        agreement: how far two judges agree; None where that is not defined, and for measures.
        notes: what must be said about it.
        warnings: what deserves a second look, with its slug.

    """

    rows: tuple[Correlated, ...]
    views: tuple[View, ...]
    methods: tuple[Method, ...]
    comparisons: tuple[Comparison, ...]
    judges: tuple[str, ...]
    queries: tuple[str, ...]
    level: float
    resamples: int
    seed: int
    agreement: Agreement | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.views[0].systems

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return tuple(dict.fromkeys(one.measure for one in self.views))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """`{view: {system: mean}}`; a view is a measure, or `measure (judge)`."""
        return {one.title: dict(zip(one.systems, one.means.tolist(), strict=True)) for one in self.views}

    @cached_property
    def powers(self) -> tuple[DiscriminativePower, ...]:
        """How often measures tell two systems apart; nothing where there are two judges."""
        return () if self.judges else tuple(map(DiscriminativePower.of, self.comparisons))

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The pairs of systems that change places, of the only row.

        Raises:
            UsageError: `not-measured` where there are several rows.

        """
        return self.of().swaps

    def of(self, x: str = "", y: str = "") -> Correlated:
        """One row.

        Args:
            x: a measure: the only one that judges are looked at by, or the first one of two.
            y: the second one of two measures.

        Raises:
            UsageError: `not-measured`; also where nothing is said and there are several rows.

        """
        if not x and len(self.rows) == 1:
            return self.rows[0]
        board = self.comparisons[0].board
        wanted = tuple(board.label(one) for one in (x, y) if one)
        for one in self.rows:
            if wanted == ((one.measure,) if self.judges else (one.x, one.y)):
                return one
        asked = " and ".join(wanted) or "nothing"
        raise UsageError("not-measured", f"there is no row of {asked}; there are {self._there()}")

    def views_of(self, row: Correlated) -> tuple[View, View]:
        """The views that a row is about, x and y."""
        x, y = ((row.measure, name) if self.judges else (name, "") for name in (row.x, row.y))
        found = {(one.measure, one.judge): one for one in self.views}
        return found[x], found[y]

    def coefficients(self) -> dict[str, dict[str, Estimate]]:
        """`{row: {method: ...}}`; a row is a measure, or `x and y`."""
        return {one.called: dict(one.coefficients) for one in self.rows}

    @property
    def signatures(self) -> dict[str, str]:
        """How the values of each view came about."""
        return {one.title: one.signature for one in self.views}

    def columns(self, of: Rows = "rows") -> dict[str, list[Any]]:
        """Columns, in full precision.

        Args:
            of: `rows` has a row for each coefficient of each pair of measures (of each measure, for judges); `swaps`
                one for each pair of systems that change places; `means` one for each system by each measure (and
                judge).

        Raises:
            UsageError: `unknown-setting`.

        """
        if of not in get_args(Rows):
            known = " or ".join(map(repr, get_args(Rows)))
            raise UsageError("unknown-setting", f"of={of!r}: there are rows of {known}")
        names = {"rows": _ROWS, "swaps": ("x", "y", *Swap._fields), "means": _MEANS}[of]
        if of == "means":
            cells = [
                (system, view.measure, view.judge, mean, rank)
                for view in self.views
                for system, mean, rank in zip(view.systems, view.means.tolist(), view.ranks, strict=True)
            ]
            found = {name: [row[place] for row in cells] for place, name in enumerate(names)}
            return found if self.judges else {name: column for name, column in found.items() if name != "judge"}
        if of == "rows":
            told = self._correlated()
        else:
            told = [(one, (one.x, one.y, *swap)) for one in self.rows for swap in one.swaps]
        found = {name: [row[place] for _, row in told] for place, name in enumerate(names)}
        return {"measure": [one.measure for one, _ in told], **found} if self.judges else found

    def flat(self, of: Rows = "rows") -> Sheet:
        """The same as one sheet, for programs."""
        columns = {name: defined(cells) for name, cells in self.columns(of).items()}
        return Sheet(tuple(Column(name, _kind(name), cells) for name, cells in columns.items()))

    def to_frame(self, library: FrameLibrary = "polars", *, of: Rows = "rows") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame; what is not defined is NaN.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: which rows, as for `columns`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(of), library)

    def to_dict(self) -> dict[str, Any]:
        """The correlation as JSON holds it: full precision, None where there is no number."""
        told = self.comparisons[0]
        return {
            "schema": SCHEMA,
            "rankworth": __version__,
            "of": "judges" if self.judges else "measures",
            "judges": list(self.judges),
            "systems": list(self.systems),
            "measures": list(self.measures),
            "signatures": self.signatures,
            "queries": len(self.queries),
            "methods": [one.name for one in self.methods],
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "test": told.plan.test,
            "correction": told.plan.correction,
            "means": {
                name: dict(zip(row, defined(list(row.values())), strict=True)) for name, row in self.means.items()
            },
            "rows": [
                {
                    **({"measure": one.measure} if self.judges else {}),
                    "x": one.x,
                    "y": one.y,
                    "coefficients": {name: _record(estimate) for name, estimate in one.coefficients.items()},
                    "systems": len(self.systems),
                    "concordant": one.concordant,
                    "swapped": one.swapped,
                    "tied": one.tied,
                    "significant": one.significant,
                    "contradictions": one.contradictions,
                    "swaps": [_record(swap) for swap in one.swaps],
                }
                for one in self.rows
            ],
            "discriminative_power": [row for one in self.powers for row in one.to_dict()["measures"]],
            "agreement": None if self.agreement is None else self.agreement.to_dict(),
            "notes": list(self.notes),
            "warnings": [{"slug": slug, "text": text} for slug, text in self.warnings],
        }

    def sheets(self) -> list[Sheet]:
        """Coefficients, the swaps that matter, how often measures tell systems apart; two judges: means, agreement."""
        return [*shown.sheets(self), *(one.table() for one in self.powers)]

    def __repr__(self) -> str:
        """The tables as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")

    def _there(self) -> str:
        return quoted([one.called for one in self.rows])

    def _correlated(self) -> list[tuple[Correlated, tuple[Any, ...]]]:
        """The rows of `rows`, coefficient by coefficient."""
        return [
            (
                one,
                (
                    one.x,
                    one.y,
                    name,
                    *estimate,
                    len(self.systems),
                    one.concordant,
                    one.swapped,
                    one.tied,
                    one.significant,
                    one.contradictions,
                ),
            )
            for one in self.rows
            for name, estimate in one.coefficients.items()
        ]


_COUNTS: Final = ("systems", "concordant", "swapped", "tied", "significant", "contradictions")
_ROWS: Final = ("x", "y", "method", *Estimate._fields, *_COUNTS)
_MEANS: Final = ("system", "measure", "judge", "mean", "rank")
_TEXTS: Final = frozenset({"measure", "x", "y", "method", "first", "second", "significant", "system", "judge"})


def _kind(name: str) -> Kind:
    return "count" if name in (*_COUNTS, "rank") else "text" if name in _TEXTS else "value"


def _record(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the tuples above
    """A tuple as JSON holds it."""
    cells: Mapping[str, Any] = one._asdict()
    return dict(zip(cells, defined(list(cells.values())), strict=True))

"""What the agreement of two judges says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from rankworth.agreements import sheets as shown
from rankworth.agreements.figures import Distance
from rankworth.agreements.pairs import Judged
from rankworth.agreements.tables import Integers
from rankworth.agreements.told import Bias, Estimate, Figures, GradeAgreement, QueryAgreements
from rankworth.errors import UsageError
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.render import Look, show
from rankworth.render.showing import Shown
from rankworth.sheet import Column, Kind, Sheet, defined
from rankworth.version import __version__

SCHEMA: Final = "rankworth.agreement/1"
Rows = Literal["figures", "grades", "table", "queries"]


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Shown):
    """How far two sets of judgements agree, over pairs of a query and a document that both have.

    Attributes:
        names: the two judges.
        judged: how many pairs and queries each of them has, both, and one alone.
        grades: all grades that the pairs have, in their order.
        table: `[C, C]`, the confusion table: a row for each grade of the first judge, a column for each of the second.
        overall: the figures over all queries.
        per_grade: what becomes of each grade.
        bias: who grades higher.
        queries: the figures of each query.
        groups: by group of queries the figures, if there are groups.
        by: the column of the groups.
        distance: how far two grades are apart in a weighted kappa.
        rel: the grade from which a document counts as relevant, if that was asked.
        level: of the intervals.
        resamples: how many samples they are from.
        seed: of these.
        notes: what must be said about the figures.
        warnings: what deserves a second look, with its slug.

    """

    names: tuple[str, str]
    judged: Judged
    grades: tuple[float, ...]
    table: Integers
    overall: Figures
    per_grade: tuple[GradeAgreement, ...]
    bias: Bias
    queries: QueryAgreements
    groups: Mapping[str, Figures] = field(default_factory=dict)
    by: str = ""
    distance: Distance = "steps"
    rel: float | None = None
    level: float = 0.95
    resamples: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs both judged."""
        return self.judged.both

    @property
    def equal(self) -> Estimate:
        """The share of pairs with equal grades."""
        return self.overall.equal

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa."""
        return self.overall.kappa

    @property
    def linear(self) -> Estimate:
        """Kappa with linear weights."""
        return self.overall.linear

    @property
    def quadratic(self) -> Estimate:
        """Kappa with quadratic weights."""
        return self.overall.quadratic

    @property
    def alpha_nominal(self) -> Estimate:
        """Krippendorff's alpha, grades being names."""
        return self.overall.alpha_nominal

    @property
    def alpha_ordinal(self) -> Estimate:
        """Krippendorff's alpha, grades being an order."""
        return self.overall.alpha_ordinal

    @property
    def alpha_interval(self) -> Estimate:
        """Krippendorff's alpha, grades being numbers."""
        return self.overall.alpha_interval

    @property
    def relevant_equal(self) -> Estimate | None:
        """The share of pairs that both find relevant or both not; None where no `rel` was said."""
        return self.overall.relevant_equal

    @property
    def relevant_kappa(self) -> Estimate | None:
        """Cohen's kappa of these."""
        return self.overall.relevant_kappa

    def columns(self, of: Rows = "figures") -> dict[str, Any]:
        """Columns, in full precision.

        Args:
            of: `figures` has a row for each figure, of all queries (whose group is empty) and of groups; `grades` one
                for each grade; `table` one for each cell of the confusion table; `queries` one for each query.

        Raises:
            UsageError: `unknown-setting`.

        """
        if of not in get_args(Rows):
            known = " or ".join(map(repr, get_args(Rows)))
            raise UsageError("unknown-setting", f"of={of!r}: there are rows of {known}")
        if of == "queries":
            return dict(self.queries.columns())
        if of == "grades":
            return {name: [getattr(one, name) for one in self.per_grade] for name in GradeAgreement._fields}
        if of == "table":
            size = len(self.grades)
            first = [grade for grade in self.grades for _ in range(size)]
            return {"first": first, "second": [*self.grades] * size, "pairs": self.table.ravel().tolist()}
        rows = list(shown.rows([self.overall, *self.groups.values()], self.figures))
        return {name: [row[name] for row in rows] for name in rows[0]}

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that there are."""
        return tuple(name for name in Figures._fields[3:] if getattr(self.overall, name) is not None)

    def rows(self, of: Rows = "figures") -> list[dict[str, Any]]:
        """The same row by row, None where there is no number."""
        columns = {name: defined(list(cells)) for name, cells in self.columns(of).items()}
        return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]

    def flat(self, of: Rows = "figures") -> Sheet:
        """The same as one sheet, for programs."""
        columns = {name: defined(list(cells)) for name, cells in self.columns(of).items()}
        return Sheet(tuple(Column(name, _kind(cells), cells) for name, cells in columns.items()))

    def to_frame(self, library: FrameLibrary = "polars", *, of: Rows = "figures") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame; what is not defined is NaN.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: which rows, as for `columns`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(of), library)

    def to_dict(self) -> dict[str, Any]:
        """The agreement as JSON holds it: full precision, None where there is no number; queries not one by one."""
        return {
            "schema": SCHEMA,
            "rankworth": __version__,
            "names": list(self.names),
            "judged": self.judged._asdict(),
            "distance": self.distance,
            "rel": self.rel,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "figures": self._told(self.overall),
            "bias": _record(self.bias),
            "grades": list(self.grades),
            "table": self.table.tolist(),
            "per_grade": [_record(one) for one in self.per_grade],
            "by": self.by,
            "groups": {
                name: {"pairs": one.pairs, "queries": one.queries, "figures": self._told(one)}
                for name, one in self.groups.items()
            },
            "notes": list(self.notes),
            "warnings": [{"slug": slug, "text": text} for slug, text in self.warnings],
        }

    def _told(self, one: Figures) -> dict[str, dict[str, Any]]:
        return {name: _record(getattr(one, name)) for name in self.figures}

    def sheets(self) -> list[Sheet]:
        """Figures, who grades higher, the confusion table, grades one by one, and groups."""
        return list(shown.sheets(self))

    def __repr__(self) -> str:
        """The tables as plain text."""
        return show(self.sheets(), "table", Look(width=100)).rstrip("\n")


def _record(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any of the tuples above
    """A tuple as JSON holds it."""
    return dict(zip(one._fields, defined(list(one)), strict=True))


def _kind(cells: list[Any]) -> Kind:
    kinds = {type(cell) for cell in cells}
    return "text" if kinds == {str} else "count" if kinds == {int} else "value"

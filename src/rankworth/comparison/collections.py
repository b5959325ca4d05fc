"""Comparisons of the same systems on several collections, in one table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from rankworth.comparison.result import DAGGER, Comparison, threshold
from rankworth.comparison.systems import not_alike
from rankworth.errors import InputError, UsageError, quoted
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown

MACRO = "mean"
"""the column of the mean over collections"""


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """The means of systems on several collections, and their macro mean: each collection counts alike.

    Attributes:
        comparisons: by collection.
        systems: the systems that all collections have, the baseline first.
        measures: the measures that all have.

    """

    comparisons: Mapping[str, Comparison]
    systems: tuple[str, ...]
    measures: tuple[str, ...]

    def mean(self, system: str, measure: str) -> float:
        """The macro mean."""
        return math.fsum(one.means[system][measure] for one in self.comparisons.values()) / len(self.comparisons)

    def columns(self) -> dict[str, list[Any]]:
        """One row for each system, collection and measure: `system, collection, measure, mean, word`."""
        rows: list[tuple[Any, ...]] = []
        for system, measure in product(self.systems, self.measures):
            for collection, one in self.comparisons.items():
                rows.append((system, collection, measure, one.means[system][measure], _word(one, measure, system)))
            rows.append((system, MACRO, measure, self.mean(system, measure), ""))
        names = ("system", "collection", "measure", "mean", "word")
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns(), library)

    def sheets(self) -> list[Sheet]:
        """A row for each system, a column for each collection and measure, with the macro mean of each measure."""
        columns = [Column("system", "text", list(self.systems))]
        first, *_ = self.comparisons.values()
        for measure in self.measures:
            kind, best = first.scores.kinds[measure], first.scores.best(measure)
            several = f" {measure}" if len(self.measures) > 1 else ""
            for collection, one in self.comparisons.items():
                means = [one.means[system][measure] for system in self.systems]
                marks = [DAGGER if _word(one, measure, system) == "better" else "" for system in self.systems]
                columns.append(Column(f"{collection}{several}", kind, means, best, marks=marks, second=True))
            macro = [self.mean(system, measure) for system in self.systems]
            columns.append(Column(f"{MACRO}{several}", kind, macro, best, second=True))
        sizes = ", ".join(f"{name} {len(one.scores.queries):,}" for name, one in self.comparisons.items())
        better = f"{DAGGER} better than {first.baseline} ({threshold(first)}, in each collection for itself)"
        notes = (*[better] * bool(first.baseline), f"queries: {sizes}; in the mean each collection counts alike")
        title = f"{self.measures[0]} on {len(self.comparisons)} collections" if len(self.measures) == 1 else ""
        comments = (line for one in self.comparisons.values() for line in one.signatures.values())
        return [Sheet(tuple(columns), notes, " ; ".join(comments), title=title)]


def table(comparisons: Mapping[str, Comparison], measures: Sequence[str] | None = None) -> Table:
    """Put comparisons of the same systems on several collections into one table.

    Args:
        comparisons: by collection.
        measures: the measures to show; those that all have where not said.

    Raises:
        UsageError: `not-comparable` where collections have other baselines, no system or measure in common, or were
            not measured and tested alike; `not-measured`; `conflicting-options` where there is no comparison.

    >>> from rankworth import compare
    >>> runs = {"old": {"q": ["b", "a"]}, "new": {"q": ["a", "b"]}}
    >>> one, two = (compare({"q": {document: 1}}, runs, ["RR"]) for document in "ab")
    >>> table({"A": one, "B": two}).mean("new", "RR")
    0.75
    """
    every = list(comparisons.values()) if isinstance(comparisons, Mapping) else [None]
    if not all(isinstance(one, Comparison) for one in every):
        raise InputError("input-type", "a table is made of comparisons by name: {'collection': compare(...)}")
    if not every:
        raise UsageError("conflicting-options", "there is not one comparison")
    systems, known = (
        tuple(name for name in getattr(every[0], what) if all(name in getattr(one, what) for one in every))
        for what in ("systems", "measures")
    )
    if not (systems and known):
        raise UsageError("not-comparable", f"the collections share no {'measures' if systems else 'systems'}")
    shown = tuple(measures or known)
    if odd := [name for name in shown if name not in known]:
        raise UsageError("not-measured", f"{quoted(odd)} was not compared everywhere; {quoted(known)} was")
    first, *others = comparisons.items()
    problems = [
        f"{name} of {first[0]} and {collection}: {difference}"
        for collection, one in others
        for name in shown
        for difference in not_alike(first[1].signatures[name], one.signatures[name])
    ]
    for what in ("baseline", "test", "correction", "level"):
        values = {name: getattr(one, what, None) or getattr(one.plan, what, "") for name, one in comparisons.items()}
        if len(set(values.values())) > 1:
            listed = ", ".join(f"{name}: {value or 'all pairs'}" for name, value in values.items())
            problems.append(f"{what} differs: {listed}")
    if problems:
        raise UsageError("not-comparable", *problems, remedy="compare all collections in the same way")
    return Table(dict(comparisons), systems, shown)


def _word(one: Comparison, measure: str, system: str) -> str:
    """The verdict on a system; empty for the baseline, and if there is none."""
    return one.of(measure, system).word if one.baseline and system != one.baseline else ""

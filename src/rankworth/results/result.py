"""What is kept of an evaluation: the values of each query, and what makes them comparable with others."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth import names, sheet
from rankworth.errors import NotMeasuredError, RankworthError, counted
from rankworth.io.frames.columns import FrameLibrary, to_library
from rankworth.measures import Fact, Measure
from rankworth.model import Digest
from rankworth.profiles import Signature
from rankworth.render.showing import Shown

NUMBER: Final = 3
"""the schema that is written"""
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one measure.

    Attributes:
        label: the name that it was asked for by.
        measure: the measure in our own spelling.
        signature: how the values came about, in one line.
        values: `[Q]`, NaN where there is none and where it is undefined.
        there: `[Q]`, which queries have a value, be it undefined; None where all have.
        kind: what the values are.
        mean: of the values, as the settings of averaging have it; of counts the sum.

    """

    label: str
    measure: str
    signature: str
    values: Floats
    there: Mask | None
    kind: sheet.Kind
    mean: float


@dataclass(frozen=True, eq=False)
class Result(Shown):
    """What is kept of the evaluation of one run.

    Attributes:
        run: the name of the run.
        queries: the ids of the queries that have values, in the order of their UTF-8 bytes.
        columns: the values of each measure and counted fact, in the order asked for.
        profile: the name of the conventions that were followed.
        signature: under which settings the values came about, in one line.
        counts: how many queries and documents stand behind the means, by the names of `rankworth.values.Counts`.
        named: the ids of the queries that were unanswered, have no relevant document or were ignored, likewise.
        judgements: what the judgements were; None where the file does not tell.
        seed: of random numbers, where some were used; None where none were.
        notices: what deserves a second look, slug and text.
        texts: facts that are texts, one for each query, by label; `group` is the group of each query.
        by: what the queries were grouped by; empty where they were not.
        groups: what the file says of each group: the number of `queries`, a `signature`, the `mean` of each measure.
        tag: what the run's file calls it, where that was asked for.
        origin: the file that it was read from; empty for an evaluation of this process.
        schema: the schema of that file; before 3 nothing in it tells whether it was edited.

    """

    run: str
    queries: tuple[str, ...]
    columns: tuple[Column, ...]
    profile: str
    signature: str
    counts: Mapping[str, int]
    judgements: Digest | None = None
    seed: int | None = None
    notices: tuple[tuple[str, str], ...] = ()
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by: str = ""
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tag: str | None = None
    origin: str = ""
    schema: int = NUMBER
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def doubt(self) -> str:
        """What there is to say of a file that an older version wrote; nothing of others."""
        if self.schema >= NUMBER:
            return ""
        return f"{self.origin}: it has schema {self.schema}, which does not tell whether the file was edited"

    @property
    def version(self) -> str:
        """The version of rankworth that measured it."""
        return Signature.parse(self.signature).recorded.get("rankworth", "")

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """The mean of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        return self.column(measure).mean

    def __contains__(self, measure: object) -> bool:
        """Whether there are values of the measure."""
        try:
            self.column(measure)  # type: ignore[arg-type]
        except RankworthError:
            return False
        return True

    def column(self, measure: str | Measure | Fact) -> Column:
        """The values of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        labels = [one.label for one in self.columns]
        place = names.place(measure, labels, [one.measure for one in self.columns])
        if place is None:
            raise NotMeasuredError.of(measure, labels)
        return self.columns[place]

    def mean(self) -> dict[str, float]:
        """The mean of each measure by its label, in the order asked for."""
        return {one.label: one.mean for one in self.columns}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per query: `query`, one column for each measure and one for each text.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        columns: dict[str, Any] = {"query": list(self.queries)}
        columns |= {one.label: one.values for one in self.columns}
        return to_library(columns | {name: list(texts) for name, texts in self.texts.items()}, library)

    def sheets(self) -> list[sheet.Sheet]:
        """The means, with what deserves a second look."""
        columns = [sheet.Column("run", "text", [self.run])]
        columns += [sheet.Column(one.label, one.kind, [_whole(one)]) for one in self.columns]
        notes = [f"{text}   [{slug}]" for slug, text in self.notices]
        return [sheet.Sheet(tuple(columns), tuple(notes), self.signature)]

    def __repr__(self) -> str:
        """The means and how many queries there are, as plain text."""
        width = max((len(one.label) for one in self.columns), default=0)
        lines = [f"{one.label:<{width}}  {one.mean:.4f}" for one in self.columns]
        return "\n".join([*lines, f"{counted(len(self.queries))}   {self.signature}"])


def _whole(column: Column) -> float:
    return int(column.mean) if column.kind == "count" and column.mean.is_integer() else column.mean

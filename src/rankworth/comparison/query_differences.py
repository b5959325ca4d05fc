"""The differences of single queries of two systems by one measure."""

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple, overload

import numpy as np

from rankworth import stats
from rankworth.arrays import Floats
from rankworth.errors import counted
from rankworth.stats.samples import ROUNDING
from rankworth.tables.frames import FrameLibrary, to_library


class QueryDifference(NamedTuple):
    """One query by one measure."""

    query: Any
    first: float
    second: float
    difference: float
    """the second less the first; 0 where rounding is all that tells them apart"""


class QueryDifferences(Sequence[QueryDifference]):
    """The queries of two systems by one measure, in the order of their ids; those without a value are left out."""

    def __init__(self, queries: Sequence[Any], first: Floats, second: Floats, sign: float) -> None:
        """Hold them; `sign` is -1 where lower values are better."""
        has_both = ~np.isnan(second - first)  # [Q]
        differences = stats.differences(first[has_both], second[has_both])  # [q]: of the queries with both values
        columns = (list(compress(queries, has_both.tolist())), first[has_both], second[has_both], differences)
        self._columns: dict[str, Any] = dict(zip(QueryDifference._fields, columns, strict=True))
        near = ROUNDING * np.abs(differences).max(initial=0.0)
        self._gains = np.where(np.abs(differences) <= near, 0.0, sign * differences)

    @overload
    def __getitem__(self, index: int) -> QueryDifference: ...
    @overload
    def __getitem__(self, index: slice) -> list[QueryDifference]: ...
    def __getitem__(self, index: int | slice) -> QueryDifference | list[QueryDifference]:
        """Return one query's difference, or several, by number."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        query, *numbers = (column[index] for column in self._columns.values())
        return QueryDifference(query, *map(float, numbers))

    def __len__(self) -> int:
        """Return how many queries there are."""
        return len(self._gains)

    def worst(self, count: int = 10) -> list[QueryDifference]:
        """Return the queries with the largest losses, without losses of 0; equal ones in the order of their ids."""
        return self._lowest(self._gains, count)

    def best(self, count: int = 10) -> list[QueryDifference]:
        """Return the queries with the largest gains, without gains of 0; equal ones in the order of their ids."""
        return self._lowest(-self._gains, count)

    def _lowest(self, numbers: Floats, count: int) -> list[QueryDifference]:
        order = np.argsort(numbers, kind="stable")[: max(0, count)]
        return [self[row] for row in order.tolist() if numbers[row] < 0]

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return columns `query, first, second, difference`.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self._columns, library)

    def __repr__(self) -> str:
        """Say what is in it."""
        return f"QueryDifferences({counted(len(self))})"

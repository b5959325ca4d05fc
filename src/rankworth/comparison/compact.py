"""The table of a comparison that goes into a paper: means, and marks of what is significantly better."""

from dataclasses import dataclass

from rankworth.tables.columns import Sheet
from rankworth.tables.show import Shown


@dataclass(frozen=True, repr=False)
class CompactComparison(Shown):
    """The means of a comparison with marks of significance, as `Comparison.compact` gives them.

    Attributes:
        sheet: the table.

    """

    sheet: Sheet

    def sheets(self) -> list[Sheet]:
        """Return the table of means."""
        return [self.sheet]

"""The table of a comparison that goes into a paper: means, and marks of what is significantly better."""

from dataclasses import dataclass
from itertools import count, islice, product
from string import ascii_lowercase

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


def letters(number: int) -> list[str]:
    """Return names for systems: a, b, ..., z, aa, ab and so on.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    names = ("".join(name) for size in count(1) for name in product(ascii_lowercase, repeat=size))
    return list(islice(names, number))

"""What a test of differences says, in numbers and in words."""

from dataclasses import dataclass

from rankworth.statistics.samples import Alternative, Bools, Floats


@dataclass(frozen=True, eq=False)
class Tests:
    """The results of one test on each column of differences."""

    name: str
    """its word, as in `TESTS`"""
    statistic: Floats
    """[K]"""
    p: Floats
    """[K]; NaN where the test is not defined, such as for a column without a number"""
    counted: Bools
    """[K], where p was counted out over everything that could have been, so that neither chance nor an approximation
    is in it"""
    alternative: Alternative
    resamples: int
    """how many samples were drawn for columns that were not counted out; 0 for a test that draws none"""
    seed: int | None
    """of the drawing; None for a test that draws nothing"""
    sentence: str
    """how it was done, in words for a paper"""
    reference: str
    """a key of `BIBTEX`"""

    @property
    def exact(self) -> bool:
        """Whether p was counted out for all columns."""
        return bool(self.counted.all())


SIDES: dict[Alternative, str] = {
    "two-sided": "two-sided",
    "less": "one-sided (less)",
    "greater": "one-sided (greater)",
}
"""The alternatives as a sentence has them."""

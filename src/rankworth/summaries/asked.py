"""What a summary is asked for: which measures, how each is averaged, and how it is resampled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from rankworth.averaging import Way
from rankworth.errors import UsageError, quoted

RESAMPLES: Final = 1_000
"""How many bootstrap samples a summary keeps sums of where not told."""
Range = tuple[float, float]


@dataclass(frozen=True)
class Asked:
    """What all parts of a summary have in common; only summaries that were asked for the same are merged.

    Attributes:
        labels: the names of the measures, in their order.
        ways: how the values of each become one; means where nothing is said.
        ranges: between which numbers the values of each lie, as far as this is known beforehand; None where it is
            not. Quantiles and bootstrap samples are as fine as the range is narrow.
        resamples: how many bootstrap samples there are; 0 for no intervals.
        seed: of the bootstrap, from 0 to 2^64 - 1.
        weighted: whether queries have weights.
        grouped: whether queries have groups.

    Raises:
        UsageError: `no-measures`, `unknown-setting`.

    >>> Asked(("nDCG@10", "num_ret"), ranges=((0, 1), (0, math.inf))).ranges
    ((0.0, 1.0), None)
    """

    labels: tuple[str, ...]
    ways: tuple[Way, ...] = ()
    ranges: tuple[Range | None, ...] = ()
    resamples: int = RESAMPLES
    seed: int = 0
    weighted: bool = False
    grouped: bool = False

    def __post_init__(self) -> None:
        """Fill in what was not said, and refuse what cannot be."""
        labels = _named(self.labels)
        ways = tuple(self.ways) or ("mean",) * len(labels)
        ranges = tuple(map(_known, self.ranges)) or (None,) * len(labels)
        for name, given in (("ways", ways), ("ranges", ranges)):
            if len(given) != len(labels):
                text = f"{name}: there are {len(given)} for {len(labels)} measures"
                raise UsageError("unknown-setting", text, remedy="give one for each measure, or none")
        for way in ways:
            if way not in get_args(Way):
                said = " or ".join(map(repr, get_args(Way)))
                raise UsageError("unknown-setting", f"ways: {way!r}: values are averaged by {said}")
        for name, bound in (("resamples", 1 << 32), ("seed", 1 << 64)):
            object.__setattr__(self, name, _whole(name, getattr(self, name), bound))
        for name in ("weighted", "grouped"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError("unknown-setting", f"{name}={getattr(self, name)!r}: {name} is True or False")
        for name, given in (("labels", labels), ("ways", ways), ("ranges", ranges)):
            object.__setattr__(self, name, given)

    @property
    def scales(self) -> tuple[Range | None, ...]:
        """The ranges of what is added up: for a geometric mean, those of the logarithms."""
        return tuple(
            (_log(span[0]), _log(span[1])) if span is not None and way == "gmean" else span
            for span, way in zip(self.ranges, self.ways, strict=True)
        )


def _named(given: Sequence[str]) -> tuple[str, ...]:
    labels = tuple(given)
    if not labels:
        raise UsageError("no-measures", "a summary of not one measure was asked for")
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise UsageError("unknown-setting", f"labels: each measure has a name of its own: {quoted(twice)}")
    return labels


def _whole(name: str, number: Any, bound: int) -> int:  # noqa: ANN401 - whatever is given for it
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= number < bound:
        text = f"{name}={number!r}: {name} is a whole number from 0 to {bound - 1}"
        raise UsageError("unknown-setting", text)
    return int(number)


def _log(value: float) -> float:
    return math.log(max(value, 0.00001))


def _known(span: Range | None) -> Range | None:
    """A range as two numbers, None where an end is open."""
    if span is None:
        return None
    low, high = map(float, span)
    if math.isnan(low) or math.isnan(high) or low > high:
        raise UsageError("unknown-setting", f"ranges: {span}: a range is two numbers, the lower one first")
    return (low, high) if math.isfinite(high - low) and low < high else None

"""Sums of values that lose nothing, whatever the order in which they are added; and the same as lists of numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Final, Self

from rankworth.errors import InputError, UsageError, shortened
from rankworth.judged import Array, device_of, indexing, namespace, widest
from rankworth.measures import Averaging
from rankworth.tensors.libraries import listed, torch_of
from rankworth.tensors.result import BatchValues, additive, back

SUMS: Final = ("total", "lost", "number")
"""how lists of them are called"""
_WHOLE: Final = "load what state_dict gave, as it was"


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of values, each with what its additions have lost, and how many values they are of."""

    total: Array
    """`[M]`"""
    lost: Array
    """`[M]`: what rounding took from the totals"""
    number: Array
    """`[M]`, whole numbers"""
    restored: bool = False
    """whether a state told them, so that they go to whatever device the next ones are on"""

    @classmethod
    def of(cls, values: BatchValues) -> Self:
        """The sums of a batch."""
        columns = [additive(array, way) for array, way in zip(values.arrays.values(), values.ways, strict=True)]
        xp = namespace(columns[0])
        table = xp.stack(columns)
        void = xp.isnan(table) if values.skips else xp.zeros_like(table, dtype=xp.bool)
        total = xp.sum(xp.where(void, xp.zeros_like(table), table), axis=1)
        return cls(total, xp.zeros_like(total), xp.sum(xp.astype(~void, indexing(total)), axis=1))

    @classmethod
    def told(cls, numbers: Mapping[str, Sequence[float]], like: Array, *, restored: bool = False) -> Self:
        """Those that lists of numbers tell, where an array is."""
        xp = namespace(like)
        kinds = (widest(like), widest(like), indexing(like))
        total, lost, number = (
            xp.asarray(list(numbers[name]), dtype=kind, device=device_of(like))
            for name, kind in zip(SUMS, kinds, strict=True)
        )
        return cls(total, lost, number, restored)

    def listed(self) -> dict[str, list[Any]]:
        """The same as lists of numbers; it waits for the device."""
        return {name: listed(getattr(self, name)) for name in SUMS}

    def moved(self, like: Array) -> Self:
        """The same where an array is."""
        return self.told(self.listed(), like)

    def plus(self, other: "Sums") -> "Sums":
        """Both together; the addition says what it loses (Knuth's two-sum)."""
        xp = namespace(self.total)
        total = self.total + other.total
        part = total - self.total
        lost = (self.total - (total - part)) + (other.total - part)
        lost = xp.where(xp.isfinite(lost), lost, xp.zeros_like(lost))
        both = self.restored and other.restored
        return Sums(total, self.lost + other.lost + lost, self.number + other.number, both)

    def beside(self, other: "Sums") -> "Sums":
        """The same where others are, which may be added then.

        Raises:
            InputError: `input-type`, where those are of another library or device.

        """
        ours, theirs = self.total, other.total
        if self.restored:
            return self if other.restored else self.moved(theirs)
        if torch_of(ours) is not None and torch_of(theirs) is not None:
            own = (self.total, self.lost, self.number)
            return self if theirs.device == ours.device else Sums(*(one.to(theirs.device) for one in own))
        libraries = [namespace(one).__name__ for one in (theirs, ours)]
        if libraries[0] != libraries[1] or device_of(theirs) != device_of(ours):
            text = f"a batch is of {libraries[0]}, those before of {libraries[1]}"
            raise InputError("input-type", text, remedy="an accumulator takes arrays of one library and device")
        return self

    def means(self, ways: Sequence[Averaging]) -> list[Array]:
        """One number for each measure."""
        total = self.total + self.lost
        xp = namespace(total)
        number = xp.astype(self.number, total.dtype)
        return [back(total[place], number[place], way) for place, way in enumerate(ways)]


def numbers_of(state: object, what: Mapping[str, Any]) -> dict[str, list[float]]:
    """The lists of numbers in a state, once they are known to be whole; empty before the first batch.

    Args:
        state: what somebody took for one.
        what: the measures and settings that it has to be of.

    Raises:
        UsageError: `input-type`, where it is no such thing, or damaged; `conflicting-options`, where it is of other
            measures or settings.

    """
    if not isinstance(state, Mapping):
        text = f"the state is a {type(state).__name__}, not what state_dict gave"
        raise UsageError("input-type", text, remedy=_WHOLE)
    lacking = [name for name in (*what, *SUMS) if name not in state]
    if lacking:
        raise UsageError("input-type", f"the state has no {', '.join(lacking)}", remedy=_WHOLE)
    for name, ours in what.items():
        if state[name] != ours:
            raise UsageError("conflicting-options", f"{name} of the state are {state[name]}, here {ours}")
    numbers = {name: _numbers(name, state[name]) for name in SUMS}
    lengths = {name: len(some) for name, some in numbers.items()}
    if set(lengths.values()) not in ({0}, {len(what["measures"])}):
        said = ", ".join(f"{length} in {name}" for name, length in lengths.items())
        text = f"the state has {said}; there should be {len(what['measures'])} in each"
        raise UsageError("input-type", text, remedy=_WHOLE)
    return numbers


def _numbers(name: str, given: object) -> list[float]:
    """What a state has under a name, once it is known to be a list of numbers.

    Raises:
        UsageError: `input-type`.

    """
    kind = Integral if name == "number" else Real
    if isinstance(given, list | tuple) and all(isinstance(one, kind) for one in given):
        numbers: list[float] = list(given)
        if kind is Real or min(numbers, default=0) >= 0:
            return numbers
    wanted = "counts" if kind is Integral else "numbers"
    text = f"{name} of the state is {shortened(repr(given), 60)}, not a list of {wanted}"
    raise UsageError("input-type", text, remedy=_WHOLE)

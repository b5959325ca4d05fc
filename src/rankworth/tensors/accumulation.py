"""Means over many batches, as training loops collect them, in threads and processes."""

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from numbers import Integral, Real
from typing import Any, Final, Self

import numpy as np

from rankworth.errors import InputError, UsageError, shortened
from rankworth.judged import Array, device_of, indexing, namespace, widest
from rankworth.measures import Averaging, Fact, Measure
from rankworth.profiles import DEFAULT, Profile
from rankworth.tensors.conventions import Conventions, Ties, Undefined
from rankworth.tensors.evaluation import (
    BatchValues,
    ByMeasure,
    Measures,
    additive,
    averaged,
    prepared,
)
from rankworth.tensors.inputs import to_list, torch_of

SUMS: Final = ("total", "lost", "number")
"""names of the lists in a state"""
_ADDING: Final = threading.Lock()
"""held while sums change, by one accumulator at a time: none has a lock of its own, which no copy could have"""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of values, each with what its additions have lost, and of how many values."""

    total: Array
    """`[M]`"""
    lost: Array
    """`[M]`: what rounding took from the totals"""
    number: Array
    """`[M]`, whole numbers"""
    restored: bool = False
    """whether they come from a state, so that they go to whatever device the next ones are on"""

    @classmethod
    def of(cls, values: BatchValues) -> Self:
        """Sum a batch."""
        columns = [additive(array, way) for array, way in zip(values.values(), values.ways, strict=True)]
        xp = namespace(columns[0])
        table = xp.stack(columns)  # [M, B]: the terms of each query
        skips = xp.asarray(values.skips, dtype=xp.bool, device=device_of(table))
        is_skipped = xp.isnan(table) & skips[:, None]  # [M, B]
        total = xp.sum(xp.where(is_skipped, xp.zeros_like(table), table), axis=1)  # [M]
        return cls(total, xp.zeros_like(total), xp.sum(xp.astype(~is_skipped, indexing(total)), axis=1))

    @classmethod
    def of_lists(cls, lists: Mapping[str, Sequence[float]], like: Array, *, restored: bool = False) -> Self:
        """Read the sums that `lists` gave, to the library and device of an array."""
        xp, device = namespace(like), device_of(like)
        kinds = zip(SUMS, (widest(like), widest(like), indexing(like)), strict=True)
        total, lost, number = (xp.asarray(list(lists[name]), dtype=kind, device=device) for name, kind in kinds)
        return cls(total, lost, number, restored)

    def lists(self) -> dict[str, list[Any]]:
        """Return the sums as lists of numbers; waits for the device."""
        return {name: to_list(getattr(self, name)) for name in SUMS}

    def to(self, device: Any) -> Self:  # noqa: ANN401 - of the array library
        """Move the sums to another device."""
        to = "to_device" if torch_of(self.total) is None else "to"
        return replace(self, **{name: getattr(getattr(self, name), to)(device) for name in SUMS})

    def plus(self, other: "Sums") -> "Sums":
        """Add other sums on their device; the addition keeps what rounding loses (Knuth's two-sum).

        Raises:
            InputError: `input-type`, where `other` is of another library or device.

        """
        if self.restored != other.restored:
            pairs = (self, other), (other, self)
            moved = [Sums.of_lists(sums.lists(), like.total) if sums.restored else sums for sums, like in pairs]
            return moved[0].plus(moved[1])
        arrays, added = (self.total, self.lost, self.number), other.total
        libraries = [namespace(array).__name__ for array in (added, self.total)]
        if torch_of(self.total) is not None and torch_of(added) is not None:
            arrays = tuple(array.to(added.device) for array in arrays)
        elif libraries[0] != libraries[1] or device_of(added) != device_of(self.total):
            text = "a batch is of {}, those before of {}".format(*libraries)
            raise InputError("input-type", text, remedy="an accumulator takes arrays of one library and device")
        ours, lost, number = arrays
        xp = namespace(ours)
        total = ours + added
        part = total - ours
        error = (ours - (total - part)) + (added - part)  # [M]: by how much rounding changed each sum
        error = xp.where(xp.isfinite(error), error, xp.zeros_like(error))
        return Sums(total, lost + other.lost + error, number + other.number, self.restored and other.restored)

    def means(self, ways: Sequence[Averaging]) -> list[Array]:
        """Return one number for each measure."""
        total = self.total + self.lost
        number = namespace(total).astype(self.number, total.dtype)
        return [averaged(total[column], number[column], way) for column, way in enumerate(ways)]


class Accumulator:
    """Means of measures over batches, as training loops collect them.

    Batches may come in any order and in any pieces, and several accumulators may be merged: sums are taken in double
    precision where the device has it, and what an addition of two batches loses is kept, so that means agree to 14
    digits. Where `torch.distributed` is initialised, `compute` adds the sums of all processes, in the
    order of their ranks, so that all have the same means.

    It has the methods of a `Metric` of torchmetrics, and where torchmetrics is imported before it is made it is one: it
    may stand in a `MetricCollection` and be logged by Lightning.

    >>> import numpy as np
    >>> means = Accumulator(["RR", "nDCG@10"])
    >>> _ = means.update(np.array([[0.5, 0.9]]), np.array([[1, 0]]))
    >>> _ = means.update(np.array([[0.5, 0.9]]), np.array([[0, 1]]))
    >>> means.compute()["RR"].item()
    0.75
    """

    def __new__(cls, *_: object, **__: object) -> Self:
        """Create an accumulator; a `Metric` of torchmetrics if torchmetrics is imported."""
        if cls is Accumulator and "torchmetrics" in sys.modules:
            from rankworth.tensors.torchmetrics import MetricAccumulator  # noqa: PLC0415 - only beside torchmetrics

            return object.__new__(MetricAccumulator)  # type: ignore[return-value]
        return object.__new__(cls)

    def __init__(
        self,
        measures: Measures | str,
        *,
        rel: float | None = None,
        profile: str | Profile = DEFAULT,
        ties: Ties | None = None,
        undefined: Undefined | None = None,
    ) -> None:
        """Settle what is measured; arguments and errors as for `evaluate`."""
        self._is_single = isinstance(measures, str | Measure | Fact)
        self._prepared = prepared(measures, rel=rel, profile=profile, ties=ties, undefined=undefined)
        self._sums: Sums | None = None

    @property
    def measures(self) -> tuple[Measure | Fact, ...]:
        """The measures."""
        return self._prepared.quantities

    def __call__(self, *arrays: Array, **rest: Array) -> ByMeasure | Array:
        """Add a batch; arguments, result and errors as for `forward`."""
        return self.forward(*arrays, **rest)

    def forward(self, *arrays: Array, **rest: Array) -> ByMeasure | Array:
        """Add a batch.

        Args:
            *arrays: as for `update`.
            **rest: as for `update`.

        Returns:
            What `compute` returns, over the queries of this batch alone, of this process.

        Raises:
            InputError: as `update`.

        """
        return self._returned(self.update(*arrays, **rest).mean())

    def update(
        self,
        scores: Array,
        grades: Array,
        *,
        mask: Array | None = None,
        judged: Array | None = None,
        relevant: Array | None = None,
        pool: Array | None = None,
        indexes: Array | None = None,
        check: bool | None = None,
    ) -> BatchValues:
        """Add a batch; several threads may.

        Args:
            scores: as for `evaluate`.
            grades: as for `evaluate`.
            mask: as for `evaluate`.
            judged: as for `evaluate`.
            relevant: as for `evaluate`.
            pool: as for `evaluate`.
            indexes: as for `evaluate`.
            check: as for `evaluate`.

        Returns:
            The values of its queries.

        Raises:
            InputError: as `evaluate`; `input-type` where the batch is of another library or device than those before.

        """
        rest = {"mask": mask, "judged": judged, "relevant": relevant, "pool": pool, "indexes": indexes}
        values = self._prepared(scores, grades, check=check, **rest)
        self._add(Sums.of(values))
        return values

    def merge(self, other: "Accumulator") -> None:
        """Add what another one has collected; it stays as it is.

        Raises:
            UsageError: `conflicting-options`, where it measures something else, or otherwise; `input-type`, where it is
                no accumulator.
            InputError: `input-type`, where its batches are of another library.

        """
        accumulator: object = other
        if not isinstance(accumulator, Accumulator):
            text = f"what is merged is a {type(accumulator).__name__}, not an Accumulator"
            raise UsageError("input-type", text, remedy="load_state_dict goes on from what state_dict gave")
        self._check_settings("what is merged", other._settings())  # noqa: SLF001 - another accumulator
        sums = other._sums  # noqa: SLF001 - another accumulator
        if sums is not None:
            self._add(sums)

    def reset(self) -> None:
        """Forget all batches."""
        with _ADDING:
            self._sums = None

    def to(self, device: Any) -> Self:  # noqa: ANN401 - of the array library
        """Move what was collected to a device of its array library, and return the accumulator.

        In PyTorch sums follow the batches that are added; elsewhere both have to be on one device.

        Args:
            device: such as `"cuda"`.

        """
        with _ADDING:
            self._sums = None if self._sums is None else self._sums.to(device)
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return what this process alone collected, as lists of numbers, for a checkpoint; it waits for the device.

        >>> import json
        >>> import numpy as np
        >>> means = Accumulator(["RR"])
        >>> _ = means.update(np.array([[0.9, 0.5]]), np.array([[0, 1]]))
        >>> later = Accumulator(["RR"])
        >>> later.load_state_dict(json.loads(json.dumps(means.state_dict())))
        >>> later.compute()["RR"].item()
        0.5
        """
        sums = self._sums
        return self._settings() | ({name: [] for name in SUMS} if sums is None else sums.lists())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint, whatever was collected before; the next batch may be of any library and device.

        Args:
            state: what `state_dict` gave.

        Raises:
            UsageError: `input-type`, where it is no such thing, or damaged; `conflicting-options`, where it is of other
                measures or settings.

        """
        remedy = "load what state_dict gave, as it was"
        names = (*self._settings(), *SUMS)
        if not isinstance(state, Mapping) or set(names) - set(state):
            raise UsageError("input-type", f"the state is no dict with {', '.join(names)}", remedy=remedy)
        self._check_settings("the state", state)
        numbers = {name: state[name] for name in SUMS}
        if not _is_whole(numbers, len(self.measures)):
            text = f"the state holds {shortened(repr(numbers), 100)}, not a number for each measure in each"
            raise UsageError("input-type", text, remedy=remedy)
        with _ADDING:
            self._sums = Sums.of_lists(numbers, np.zeros(0), restored=True) if numbers["total"] else None

    def _settings(self) -> dict[str, Any]:
        """Return the settings that must be equal to add sums: the measures and the settings."""
        settings: list[Any] = [self._prepared.level]
        for conventions in dict.fromkeys(self._prepared.conventions):
            values = ["nan" if setting != setting else setting for setting in conventions]  # noqa: PLR0124 - NaN
            changed = [setting for setting, default in zip(values, Conventions(), strict=True) if setting != default]
            settings += values[:2] + [setting for setting in changed if setting not in values[:2]]
        return {"measures": list(self._prepared.canonical), "settings": settings}

    def _check_settings(self, other: str, settings: Mapping[str, Any]) -> None:
        """Refuse what was collected with other measures or settings (`conflicting-options`)."""
        for name, setting in self._settings().items():
            if settings[name] != setting:
                raise UsageError("conflicting-options", f"{name} of {other} are {settings[name]}, here {setting}")

    def compute(self) -> ByMeasure | Array:
        """Compute one number for each measure, over all batches of all processes, as arrays without axes.

        Where the accumulator was made for a single measure, and not for a list of them, that array alone.
        Before the first batch all are NaN, as NumPy has it; sums of counts are 0.
        """
        sums = _gathered(self._sums)
        if sums is None:
            sums = Sums.of_lists(dict.fromkeys(SUMS, [0] * len(self.measures)), self._nothing())
        means = sums.means([measure.averaging for measure in self.measures])
        return self._returned(ByMeasure(dict(zip(self._prepared.labels, means, strict=True)), self._prepared.canonical))

    def _nothing(self) -> Array:
        """Return an empty array of the library that numbers are of before the first batch."""
        return np.zeros(0)

    def _returned(self, means: ByMeasure) -> ByMeasure | Array:
        """Return the number of a single measure, or all numbers by measure."""
        return next(iter(means.values())) if self._is_single and len(means) == 1 else means

    def _add(self, sums: Sums) -> None:
        with _ADDING:
            self._sums = sums if self._sums is None else self._sums.plus(sums)


def _is_whole(sums: Mapping[str, object], measures: int) -> bool:
    """Return whether there is a number for each measure in each list, or none in any."""
    lists = [numbers for numbers in sums.values() if isinstance(numbers, list | tuple)]
    if len(lists) < len(sums) or {*map(len, lists)} not in ({0}, {measures}):
        return False
    counts: Any = sums["number"]
    reals = all(isinstance(number, Real) for numbers in lists for number in numbers)
    return reals and all(isinstance(number, Integral) and int(number) >= 0 for number in counts)


def _gathered(sums: Sums | None) -> Sums | None:
    """Gather the sums of all processes, if there are several; None if none has a batch."""
    torch = sys.modules.get("torch")
    if torch is None or not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return sums
    parts: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(parts, None if sums is None else sums.lists())
    like = torch.zeros(0) if sums is None else sums.total
    gathered = [Sums.of_lists(part, like) for part in parts if part is not None]
    return reduce(Sums.plus, gathered) if gathered else None

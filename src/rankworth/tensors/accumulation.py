"""Means over many batches, as training loops collect them, in threads and processes."""

import sys
import threading
from collections.abc import Mapping
from functools import reduce
from numbers import Integral, Real
from typing import Any, TypedDict, Unpack

import numpy as np

from rankworth.errors import UsageError, shortened
from rankworth.judged import Array
from rankworth.measures import Fact, Measure
from rankworth.tensors.evaluation import Measures, Ties, prepared
from rankworth.tensors.result import SUMS, BatchValues, ByMeasure, Sums, Undefined


class Rest(TypedDict, total=False):
    """Optional arguments of `evaluate` for a batch."""

    mask: Array | None
    judged: Array | None
    relevant: Array | None
    pool: Array | None
    indexes: Array | None
    check: bool | None


class Accumulator:
    """Means of measures over batches, as training loops collect them.

    Batches may come in any order and in any pieces, and several accumulators may be merged: sums are taken in double
    precision where the device has it, and what an addition of two batches loses is kept, so that means agree to 14
    digits. Where `torch.distributed` is initialised, `compute` adds the sums of all processes, in the
    order of their ranks, so that all have the same means.

    >>> import numpy as np
    >>> means = Accumulator(["RR", "nDCG@10"])
    >>> _ = means.update(np.array([[0.5, 0.9]]), np.array([[1, 0]]))
    >>> _ = means.update(np.array([[0.5, 0.9]]), np.array([[0, 1]]))
    >>> means.compute()["RR"].item()
    0.75
    """

    def __init__(
        self,
        measures: Measures | str,
        *,
        rel: float | None = None,
        ties: Ties = "order",
        undefined: Undefined = 0.0,
    ) -> None:
        """Settle what is measured; arguments and errors as for `evaluate`."""
        self._prepared = prepared(measures, rel=rel, ties=ties, undefined=undefined)
        self._sums: Sums | None = None
        self._lock = threading.Lock()

    @property
    def measures(self) -> tuple[Measure | Fact, ...]:
        """The measures."""
        return self._prepared.quantities

    def update(self, scores: Array, grades: Array, **rest: Unpack[Rest]) -> BatchValues:
        """Add a batch; several threads may.

        Args:
            scores: as for `evaluate`.
            grades: as for `evaluate`.
            **rest: `mask`, `judged`, `relevant`, `pool`, `indexes`, `check`, as for `evaluate`.

        Returns:
            The values of its queries.

        Raises:
            InputError: as `evaluate`; `input-type` where the batch is of another library or device than those before.

        """
        values = self._prepared(scores, grades, **rest)
        self._add(Sums.of(values))
        return values

    def merge(self, other: "Accumulator") -> None:
        """Add what another one has collected; it stays as it is.

        Raises:
            UsageError: `conflicting-options`, where it measures something else, or otherwise; `input-type`, where it is
                no accumulator.
            InputError: `input-type`, where its batches are of another library.

        """
        thing: object = other
        if not isinstance(thing, Accumulator):
            text = f"what is merged is a {type(thing).__name__}, not an Accumulator"
            raise UsageError("input-type", text, remedy="load_state_dict goes on from what state_dict gave")
        if other._settings() != self._settings():  # noqa: SLF001 - another accumulator
            text = "what is merged measures {}, this one {}".format(
                *(", ".join(map(str, means.measures)) for means in (other, self))
            )
            alike = other.measures == self.measures
            raise UsageError("conflicting-options", f"{text}, with other settings" if alike else text)
        sums = other._sums  # noqa: SLF001 - another accumulator
        if sums is not None:
            self._add(sums)

    def reset(self) -> None:
        """Forget all batches."""
        with self._lock:
            self._sums = None

    def state_dict(self) -> dict[str, Any]:
        """What was collected by this process alone, as lists of numbers, for a checkpoint; it waits for the device.

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
        numbers = _checked_state(state, self._settings())
        with self._lock:
            self._sums = Sums.of_lists(numbers, np.zeros(0), restored=True) if numbers["total"] else None

    def _settings(self) -> dict[str, Any]:
        """What has to be alike where sums are added."""
        undefined = self._prepared.undefined
        void = "nan" if undefined != undefined else undefined  # noqa: PLR0124 - NaN is not equal to itself
        settings = [self._prepared.level, self._prepared.ties, void]
        return {"measures": list(self._prepared.canonical), "settings": settings}

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, for copies and other processes."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the attributes, with a new lock."""
        vars(self).update(state, _lock=threading.Lock())

    def compute(self) -> ByMeasure:
        """One number for each measure, over all batches of all processes, as arrays without axes.

        Before the first batch all are NaN, as NumPy has it; sums of counts are 0.
        """
        sums = _gathered(self._sums)
        if sums is None:
            sums = Sums.of_lists(dict.fromkeys(SUMS, [0] * len(self.measures)), np.zeros(0))
        means = sums.means([one.averaging for one in self.measures])
        return ByMeasure(dict(zip(self._prepared.labels, means, strict=True)), self._prepared.canonical)

    def _add(self, sums: Sums) -> None:
        with self._lock:
            self._sums = sums if self._sums is None else self._sums.plus(sums)


def _checked_state(state: object, settings: Mapping[str, Any]) -> dict[str, list[float]]:
    """The sums in a state; lists are empty before the first batch.

    Args:
        state: what `state_dict` gave.
        settings: the measures and settings that it has to be of.

    Raises:
        UsageError: `input-type`, where it is damaged; `conflicting-options`, where it is of other measures or settings.

    """
    remedy = "load what state_dict gave, as it was"
    if not isinstance(state, Mapping) or {*settings, *SUMS} - {*state}:
        text = f"the state is no dict with {', '.join((*settings, *SUMS))}"
        raise UsageError("input-type", text, remedy=remedy)
    for name, ours in settings.items():
        if state[name] != ours:
            raise UsageError("conflicting-options", f"{name} of the state are {state[name]}, here {ours}")
    sums = {name: state[name] for name in SUMS}
    whole = all(
        isinstance(numbers, list | tuple)
        and len(numbers) in (0, len(settings["measures"]))
        and len(numbers) == len(sums["total"])
        and all(isinstance(number, Integral if name == "number" else Real) for number in numbers)
        for name, numbers in sums.items()
    )
    if not whole or min(sums["number"], default=0) < 0:
        text = f"the state holds {shortened(repr(sums), 100)}, not a number for each measure in each"
        raise UsageError("input-type", text, remedy=remedy)
    return sums


def _gathered(sums: Sums | None) -> Sums | None:
    """The sums of all processes, where there are several; None where none has a batch."""
    torch = sys.modules.get("torch")
    if torch is None or not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return sums
    parts: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(parts, None if sums is None else sums.lists())
    like = torch.zeros(0) if sums is None else sums.total
    gathered = [Sums.of_lists(part, like) for part in parts if part is not None]
    return reduce(Sums.plus, gathered) if gathered else None

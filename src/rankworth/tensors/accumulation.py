"""Means over many batches, as training loops collect them, in threads and processes."""

import sys
import threading
from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

import numpy as np

from rankworth.errors import UsageError
from rankworth.judged import Array
from rankworth.measures import Fact, Measure
from rankworth.tensors.asking import Measures, Ties, prepared
from rankworth.tensors.libraries import torch_of
from rankworth.tensors.result import BatchValues, ByMeasure, Undefined
from rankworth.tensors.sums import SUMS, Sums, numbers_of


class Rest(TypedDict, total=False):
    """What else `evaluate` takes of a batch."""

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
        if not _accumulates(other):
            text = f"what is merged is a {type(other).__name__}, not an Accumulator"
            raise UsageError("input-type", text, remedy="load_state_dict goes on from what state_dict gave")
        if other._what() != self._what():  # noqa: SLF001 - one of these
            text = "what is merged measures {}, this one {}".format(
                *(", ".join(map(str, one.measures)) for one in (other, self))
            )
            alike = other.measures == self.measures
            raise UsageError("conflicting-options", f"{text}, with other settings" if alike else text)
        sums = other._sums  # noqa: SLF001 - the same
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
        return self._what() | ({name: [] for name in SUMS} if sums is None else sums.listed())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint, whatever was collected before; the next batch may be of any library and device.

        Args:
            state: what `state_dict` gave.

        Raises:
            UsageError: `input-type`, where it is no such thing, or damaged; `conflicting-options`, where it is of other
                measures or settings.

        """
        numbers = numbers_of(state, self._what())
        with self._lock:
            self._sums = Sums.told(numbers, np.zeros(0), restored=True) if numbers["total"] else None

    def _what(self) -> dict[str, Any]:
        """What has to be alike where sums are added."""
        undefined = self._prepared.undefined
        void = "nan" if undefined != undefined else undefined  # noqa: PLR0124 - NaN is not equal to itself
        settings = [self._prepared.level, self._prepared.ties, void]
        return {"measures": list(self._prepared.canonical), "settings": settings}

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, for copies and other processes."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The same with a lock of its own."""
        vars(self).update(state, _lock=threading.Lock())

    def compute(self) -> ByMeasure:
        """One number for each measure, over all batches of all processes, as arrays without axes.

        Before the first batch all are NaN, as NumPy has it; sums of counts are 0.
        """
        sums = _gathered(self._sums, len(self.measures))
        if sums is None:
            sums = Sums.told(dict.fromkeys(SUMS, [0] * len(self.measures)), np.zeros(0))
        means = sums.means([one.averaging for one in self.measures])
        return ByMeasure(dict(zip(self._prepared.labels, means, strict=True)), self._prepared.canonical)

    def _add(self, sums: Sums) -> None:
        with self._lock:
            ours = self._sums
            if ours is None:
                self._sums = sums
                return
            if sums.restored and not ours.restored:
                sums = sums.moved(ours.total)
            self._sums = ours.beside(sums).plus(sums)


def _accumulates(thing: object) -> bool:
    return isinstance(thing, Accumulator)


def _gathered(sums: Sums | None, measures: int) -> Sums | None:
    """The sums of all processes, where there are several."""
    torch = sys.modules.get("torch")
    several = torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized()
    if torch is None or not several:
        return sums
    mine = _sent(torch, sums, measures)
    others = [torch.empty_like(mine) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(others, mine)
    parts = [Sums(part[0], part[1], part[2].to(torch.int64)) for part in others]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.plus(part)
    sent = (whole.total, whole.lost, whole.number)
    if sums is None:
        return whole
    if torch_of(sums.total) is None:
        return Sums(*(one.cpu().numpy() for one in sent))
    own = (sums.total, sums.lost, sums.number)
    return Sums(*(one.to(ours.device, ours.dtype) for one, ours in zip(sent, own, strict=True)))


def _sent(torch: Any, sums: Sums | None, measures: int) -> Any:  # noqa: ANN401 - a module and its tensor
    """`[3, M]`: the sums of this process, where its way of talking to others has them."""
    device = torch.device("cuda", torch.cuda.current_device()) if torch.distributed.get_backend() == "nccl" else "cpu"
    if sums is None:
        return torch.zeros((3, measures), dtype=torch.float64, device=device)
    return torch.stack([torch.as_tensor(one).to(device).double() for one in (sums.total, sums.lost, sums.number)])

"""Means over many batches: sums that lose nothing, merged in any order and across processes."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.judged import Array, namespace
from rankworth.measures import Averaging, Fact, Measure
from rankworth.tensors.asking import Measures, Ties, prepared
from rankworth.tensors.batches import torch_of
from rankworth.tensors.result import BatchValues, Undefined, additive, back


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of values, each with what its additions have lost, and how many values they are of."""

    total: Array
    """`[M]`"""
    lost: Array
    """`[M]`: what rounding took from the totals"""
    number: Array
    """`[M]`"""

    @classmethod
    def of(cls, values: BatchValues) -> Self:
        """The sums of a batch."""
        columns = [additive(array, way) for array, way in zip(values.arrays.values(), values.ways, strict=True)]
        xp = namespace(columns[0])
        table = xp.stack(columns)
        void = xp.isnan(table) if values.skips else xp.zeros_like(table, dtype=xp.bool)
        total = xp.sum(xp.where(void, xp.zeros_like(table), table), axis=1)
        return cls(total, xp.zeros_like(total), xp.sum(xp.astype(~void, total.dtype), axis=1))

    def plus(self, other: "Sums") -> "Sums":
        """Both together; the addition says what it loses (Knuth's two-sum)."""
        xp = namespace(self.total)
        total = self.total + other.total
        part = total - self.total
        lost = (self.total - (total - part)) + (other.total - part)
        lost = xp.where(xp.isfinite(lost), lost, xp.zeros_like(lost))
        return Sums(total, self.lost + other.lost + lost, self.number + other.number)

    def means(self, ways: Sequence[Averaging]) -> list[Array]:
        """One number for each measure."""
        total = self.total + self.lost
        return [back(total[place], self.number[place], way) for place, way in enumerate(ways)]


class Accumulator:
    """Means of measures over batches, as training loops collect them.

    Batches may come in any order and in any pieces, and several accumulators may be merged: sums are taken in double
    precision where the device has it, and what an addition of two batches loses is kept, so that means agree to 14
    digits. Where `torch.distributed` is initialised, `compute` adds the sums of all processes, in the
    order of their ranks, so that all have the same means.

    >>> import numpy as np
    >>> means = Accumulator(["RR", "nDCG@10"])
    >>> _ = means.update(np.array([[0.9, 0.5]]), np.array([[0, 1]]))
    >>> _ = means.update(np.array([[0.9, 0.5]]), np.array([[1, 0]]))
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

    @property
    def measures(self) -> tuple[Measure | Fact, ...]:
        """The measures."""
        return self._prepared.quantities

    def update(self, scores: Array, grades: Array, **rest: Any) -> BatchValues:  # noqa: ANN401 - as `evaluate` has them
        """Add a batch.

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
            UsageError: `conflicting-options`, where it measures something else, or otherwise.
            InputError: `input-type`, where its batches are of another library.

        """
        if other._prepared != self._prepared:  # noqa: SLF001 - one of these
            theirs, ours = (", ".join(map(str, one.measures)) for one in (other, self))
            text = f"what is merged measures {theirs}, this one {ours}"
            alike = theirs == ours
            raise UsageError("conflicting-options", f"{text}, with other settings" if alike else text)
        if other._sums is not None:  # noqa: SLF001 - the same
            self._add(other._sums)  # noqa: SLF001 - the same

    def reset(self) -> None:
        """Forget all batches."""
        self._sums = None

    def compute(self) -> dict[str, Array]:
        """One number for each measure, over all batches of all processes, as arrays without axes.

        Before the first batch all are NaN, as NumPy has it; sums of counts are 0.
        """
        sums = _gathered(self._sums, len(self.measures))
        if sums is None:
            sums = Sums(*(np.zeros(len(self.measures)) for _ in range(3)))
        means = sums.means([one.averaging for one in self.measures])
        return {str(one): mean for one, mean in zip(self.measures, means, strict=True)}

    def _add(self, sums: Sums) -> None:
        if self._sums is None:
            self._sums = sums
            return
        ours, theirs = self._sums.total, sums.total
        torch = torch_of(ours)
        if torch is not None and torch_of(theirs) is not None and theirs.device != ours.device:
            sums = Sums(*(one.to(ours.device, ours.dtype) for one in (sums.total, sums.lost, sums.number)))
        elif namespace(ours).__name__ != namespace(theirs).__name__ or theirs.device != ours.device:
            text = f"a batch is of {namespace(theirs).__name__}, those before of {namespace(ours).__name__}"
            raise InputError("input-type", text, remedy="an accumulator takes arrays of one library and device")
        self._sums = self._sums.plus(sums)


def _gathered(sums: Sums | None, measures: int) -> Sums | None:
    """The sums of all processes, where there are several."""
    torch = sys.modules.get("torch")
    several = torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized()
    if torch is None or not several:
        return sums
    own = _sent(torch, sums, measures)
    others = [torch.empty_like(own) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(others, own)
    parts = [Sums(*part) for part in others]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.plus(part)
    sent = (whole.total, whole.lost, whole.number)
    if sums is None:
        return whole
    if torch_of(sums.total) is None:
        return Sums(*(one.cpu().numpy() for one in sent))
    return Sums(*(one.to(sums.total.device) for one in sent))


def _sent(torch: Any, sums: Sums | None, measures: int) -> Any:  # noqa: ANN401 - a module and its tensor
    """`[3, M]`: the sums of this process, where its way of talking to others has them."""
    device = torch.device("cuda", torch.cuda.current_device()) if torch.distributed.get_backend() == "nccl" else None
    if sums is None:
        return torch.zeros((3, measures), dtype=torch.float64, device=device)
    rows = [torch.as_tensor(one, dtype=torch.float64) for one in (sums.total, sums.lost, sums.number)]
    return torch.stack(rows).to(device or "cpu")

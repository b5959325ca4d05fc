"""Accumulators of torchmetrics, for a `MetricCollection` and for Lightning's logs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torchmetrics import Metric as Base

from rankworth.judged import Array
from rankworth.tensors.accumulation import Accumulator
from rankworth.tensors.evaluation import ByMeasure


class MetricAccumulator(Accumulator, Base):  # type: ignore[misc]
    """An `Accumulator` that torchmetrics and Lightning take for one of theirs.

    Its sums are no states of torchmetrics: it gathers them itself, in double precision, and `state_dict` has them.
    """

    full_state_update = False

    def __init__(self, *arguments: Any, **settings: Any) -> None:  # noqa: ANN401 - those of an accumulator
        """Settle what is measured; arguments and errors as for `Accumulator`."""
        Base.__init__(self)
        Accumulator.__init__(self, *arguments, **settings)

    def forward(self, *arrays: Array, **rest: Array) -> ByMeasure | Array:
        """Add a batch; arguments, result and errors as for `Accumulator.forward`."""
        means = super().forward(*arrays, **rest)
        vars(self)["_forward_cache"] = means  # which torchmetrics declares to be None
        return means

    def reset(self) -> None:
        """Forget all batches."""
        Base.reset(self)
        super().reset()

    def _nothing(self) -> Array:
        """Return an empty tensor on the device of this accumulator."""
        return torch.zeros(0, device=self._device)

    def to(self, *places: Any, **named: Any) -> "MetricAccumulator":  # noqa: ANN401 - of PyTorch
        """Move what was collected to a device, and return the accumulator; arguments as for `torch.nn.Module.to`."""
        return Base.to(self, *places, **named)

    def state_dict(self, **of_module: Any) -> dict[str, Any]:  # type: ignore[override]  # noqa: ANN401 - as PyTorch calls it
        """Return what `Accumulator.state_dict` does; within a module nothing, as with all of torchmetrics."""
        return Base.state_dict(self, **of_module) if of_module else super().state_dict()

    def _apply(self, move: Callable[[Any], Any], *_: object) -> "MetricAccumulator":
        """Follow a module to its device; sums stay in double precision."""
        self._device = move(self._nothing()).device
        return super().to(str(self._device))  # NumPy takes names alone

    def _wrap_update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        """Count the updates."""

        @wraps(update)
        def counting(*arrays: Array, **rest: Array) -> Any:  # noqa: ANN401 - what it returns
            values = update(*arrays, **rest)
            self._update_count += 1
            return values

        return counting

    def _wrap_compute(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        """Leave it as it is: an accumulator gathers the sums of all processes itself."""
        return compute

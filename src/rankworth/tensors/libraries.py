"""What the array API standard does not tell of an array: its library, whether it is at hand, what its type can do."""

import sys
from typing import Any

import numpy as np

from rankworth.judged import Array, namespace, widest


def torch_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """The library PyTorch, where the array is one of its tensors; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else None


def jax_of(array: Array) -> Any:  # noqa: ANN401 - a module
    """The library JAX, where the array is one of its own; else None."""
    jax = sys.modules.get("jax")
    return jax if jax is not None and isinstance(array, jax.Array) else None


def near(array: Array) -> bool:
    """Whether the contents of an array can be asked without waiting for a device or breaking a compiled graph."""
    torch = torch_of(array)
    if torch is not None:
        return bool(array.device.type == "cpu" and not torch.compiler.is_compiling())
    return isinstance(array, np.ndarray)


def plain(array: Array) -> Array:
    """The same without a gradient, a subclass of NumPy's, or a type that PyTorch holds but can hardly work with."""
    torch = torch_of(array)
    if torch is None:
        return np.asarray(array) if isinstance(array, np.ndarray) else array
    array = array.detach()
    if array.dtype.is_floating_point and array.dtype.itemsize == 1:
        return array.to(torch.float32)
    if array.dtype == torch.uint64:
        return array.to(widest(array))
    return array.to(torch.int64) if array.dtype in (torch.uint16, torch.uint32) else array


def listed(array: Array) -> list[Any]:
    """What stands in an array of one or two axes, asked once where the library can."""
    if hasattr(array, "tolist"):
        told: list[Any] = array.tolist()
        return told
    if len(array.shape) > 1:
        return [listed(array[row, :]) for row in range(array.shape[0])]
    one = int if namespace(array).isdtype(array.dtype, "integral") else float
    return [one(array[place]) for place in range(array.shape[0])]

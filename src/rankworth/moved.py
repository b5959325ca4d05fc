"""Modules that have another name now: what was imported from the old one still comes, with a warning."""

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_of(old: str, new: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that has moved.

    Args:
        old: what the module was called.
        new: what it is called.

    """

    def attribute(name: str) -> Any:  # noqa: ANN401 - functions and classes
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(import_module(new), name)
        warnings.warn(f"{old} is called {new}", DeprecationWarning, stacklevel=2)
        return value

    return attribute

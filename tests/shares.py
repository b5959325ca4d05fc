"""How many random cases a law makes: a third of them, always the same, at each commit; all, other ones, if thorough."""

import os
import secrets
import sys
from math import ceil
from typing import Final
from zlib import crc32

import numpy as np

SHARE: Final = 3
"""of the cases that a law has, a commit makes one in so many"""
PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "commit")
"""`thorough`, which `scripts/test --thorough` sets, or `commit`"""


def cases(number: int) -> int:
    """Return how many cases a law makes that has so many."""
    return number if PROFILE == "thorough" else ceil(number / SHARE)


def generator_of(name: str) -> np.random.Generator:
    """Return what a law draws its cases from, by its name; if thorough, the seed is printed, which pytest shows."""
    seed = crc32(name.encode())
    if PROFILE == "thorough":
        seed = secrets.randbits(32)
        sys.stdout.write(f"{name}: numpy.random.default_rng({seed})\n")
    return np.random.default_rng(seed)

"""Slices: groups and weights of queries, out of the table of queries or given as they are, as plain arrays.

`Weights` and `Groups` are settings of averaging. `Groups` tells the groups that are shown, too.
"""

from rankworth.slices.asking import Slices
from rankworth.slices.columns import NONE, Groups, Parts, Weights
from rankworth.slices.sampling import intervals

__all__ = ["NONE", "Groups", "Parts", "Slices", "Weights", "intervals"]

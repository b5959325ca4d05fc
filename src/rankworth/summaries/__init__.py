"""Summaries of values of queries that merge in any order, for clusters: the printed numbers are the same.

Each block of queries makes a `Summary`, and summaries are merged, in any order and as any tree.
"""

from rankworth.summaries.asked import RESAMPLES, Asked
from rankworth.summaries.reading import Ends
from rankworth.summaries.summary import Summary

__all__ = ["RESAMPLES", "Asked", "Ends", "Summary"]

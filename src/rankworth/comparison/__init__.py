"""Comparisons: whether systems differ, by how much, how sure that is, and where it comes from."""

from rankworth.comparison import gates, verdicts
from rankworth.comparison.asking import compare
from rankworth.comparison.boards import Board
from rankworth.comparison.collections import Table, table
from rankworth.comparison.differences import Difference, Plan
from rankworth.comparison.method import Method
from rankworth.comparison.planning import minimal_detectable, power, queries_needed
from rankworth.comparison.result import Comparison, QueryDifference, QueryDifferences, Wins
from rankworth.comparison.scoring import kept_measures
from rankworth.comparison.systems import DEFAULT

__all__ = [
    "DEFAULT",
    "Board",
    "Comparison",
    "Difference",
    "Method",
    "Plan",
    "QueryDifference",
    "QueryDifferences",
    "Table",
    "Wins",
    "compare",
    "gates",
    "kept_measures",
    "minimal_detectable",
    "power",
    "queries_needed",
    "table",
    "verdicts",
]

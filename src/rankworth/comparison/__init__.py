"""Comparisons: whether systems differ, by how much, how sure that is, and where it comes from."""

from rankworth.comparison import gates, verdicts
from rankworth.comparison.board import Board
from rankworth.comparison.collections import Table, table
from rankworth.comparison.comparing import compare
from rankworth.comparison.differences import Difference, Plan
from rankworth.comparison.measuring import DEFAULT
from rankworth.comparison.planning import minimal_detectable, power, queries_needed
from rankworth.comparison.result import Comparison, QueryDifference, QueryDifferences, Wins
from rankworth.comparison.systems import kept_measures
from rankworth.comparison.tables import Method

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

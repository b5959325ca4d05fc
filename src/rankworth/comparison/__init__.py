"""Comparisons: whether systems differ, by how much, how sure that is, and where it comes from."""

from rankworth.comparison import gates, verdicts
from rankworth.comparison.collections import Table, table
from rankworth.comparison.comparing import compare, minimal_detectable, power, queries_needed
from rankworth.comparison.differences import Difference, Plan
from rankworth.comparison.result import Comparison, Method, QueryDifference, QueryDifferences, Wins
from rankworth.comparison.score_table import ScoreTable
from rankworth.comparison.systems import DEFAULT, kept_measures

__all__ = [
    "DEFAULT",
    "Comparison",
    "Difference",
    "Method",
    "Plan",
    "QueryDifference",
    "QueryDifferences",
    "ScoreTable",
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

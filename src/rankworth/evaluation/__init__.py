"""Evaluate runs: values of queries, means, groups, diagnostics and results files."""

from rankworth.evaluation.exact import evaluate_exact
from rankworth.evaluation.runner import DEFAULT_MEASURES, evaluate, evaluate_profiles, evaluate_runs, score

__all__ = ["DEFAULT_MEASURES", "evaluate", "evaluate_exact", "evaluate_profiles", "evaluate_runs", "score"]

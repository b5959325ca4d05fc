"""How a value comes about, rank by rank: a view of the terms that evaluation computes with, with no measure in it."""

from rankworth.explanation.asking import explain, explain_queries
from rankworth.explanation.difference import Difference, Share
from rankworth.explanation.missing import Missing
from rankworth.explanation.numbers import number
from rankworth.explanation.result import Explanation, Explanations
from rankworth.explanation.steps import ideal, terms
from rankworth.explanation.trace import Term, Trace

__all__ = [
    "Difference",
    "Explanation",
    "Explanations",
    "Missing",
    "Share",
    "Term",
    "Trace",
    "explain",
    "explain_queries",
    "ideal",
    "number",
    "terms",
]

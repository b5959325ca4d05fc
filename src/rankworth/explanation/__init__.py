"""How a value comes about, rank by rank, and what would change it; nothing here knows a measure."""

from rankworth.explanation.difference import Difference, Share
from rankworth.explanation.explanation import Explanation, Missing
from rankworth.explanation.queries import Explanations, explain, explain_queries
from rankworth.explanation.scenario import EXPERIMENTS, SCENARIOS, Scenario, Scenarios, scenarios
from rankworth.explanation.sensitivity import vary
from rankworth.explanation.step_table import ideal, number, terms
from rankworth.explanation.trace import Term, Trace
from rankworth.explanation.variation import BY, Variation

__all__ = [
    "BY",
    "EXPERIMENTS",
    "SCENARIOS",
    "Difference",
    "Explanation",
    "Explanations",
    "Missing",
    "Scenario",
    "Scenarios",
    "Share",
    "Term",
    "Trace",
    "Variation",
    "explain",
    "explain_queries",
    "ideal",
    "number",
    "scenarios",
    "terms",
    "vary",
]

"""What would change a value: another rank, grade, cutoff or order; and several rankings side by side."""

from rankworth.sensitivity.asking import vary
from rankworth.sensitivity.comparison import Scenarios, scenarios
from rankworth.sensitivity.examples import EXPERIMENTS, SCENARIOS, Scenario
from rankworth.sensitivity.result import BY, Variation

__all__ = ["BY", "EXPERIMENTS", "SCENARIOS", "Scenario", "Scenarios", "Variation", "scenarios", "vary"]

"""Another place to import what would change a value from: it is all in `rankworth.explanation`."""

from rankworth.explanation import BY, EXPERIMENTS, SCENARIOS, Scenario, Scenarios, Variation, scenarios, vary

__all__ = ["BY", "EXPERIMENTS", "SCENARIOS", "Scenario", "Scenarios", "Variation", "scenarios", "vary"]

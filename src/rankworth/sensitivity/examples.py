"""Rankings to learn from: the scenarios and experiments of the notebook on semantic search, and small examples."""

from typing import Final, NamedTuple


class Scenario(NamedTuple):
    """Some documents with their grades, and the scores that a system gave them."""

    name: str
    grades: tuple[float, ...]
    scores: tuple[float, ...]
    description: str


MEASURES: Final = ("nDCG(gain=exp2)@3", "RR(rel=2)", "AP@3")
"""the measures of the notebook"""

SCENARIOS: Final = (
    Scenario(
        "Perfect ranking",
        (2, 2, 1, 1, 0),
        (0.9, 0.8, 0.7, 0.6, 0.1),
        "the very relevant documents first, then the others, and the one of no use last",
    ),
    Scenario("Worst ranking", (2, 2, 1, 1, 0), (0.1, 0.2, 0.3, 0.4, 0.9), "the other way round"),
    Scenario(
        "Mixed ranking",
        (2, 2, 1, 1, 0),
        (0.7, 0.3, 0.9, 0.1, 0.5),
        "a somewhat relevant document first, a very relevant one behind it",
    ),
    Scenario(
        "Late success",
        (2, 2, 1, 1, 0),
        (0.1, 0.2, 0.3, 0.9, 0.8),
        "the very relevant documents last, behind the one of no use",
    ),
)
"""Four rankings of the same five documents."""

EXPERIMENTS: Final = (
    Scenario("Early success", (2, 1, 0, 0, 1), (0.9, 0.8, 0.3, 0.2, 0.7), "all that is relevant stands on top"),
    Scenario("Late discovery", (0, 0, 1, 2, 1), (0.2, 0.3, 0.9, 0.8, 0.7), "the best document comes second"),
    Scenario("Mixed results", (1, 0, 2, 1, 0), (0.6, 0.8, 0.4, 0.7, 0.5), "the best document comes last"),
)
"""Three rankings, each of documents of its own."""

GRADES: Final = (2.0, 1.0, 0.0, 1.0, 2.0)
"""the list of the notebook's step table, in rank order"""
UNJUDGED: Final = (2.0, None, 0.0, 1.0, None)
"""a list with two documents that nobody judged"""

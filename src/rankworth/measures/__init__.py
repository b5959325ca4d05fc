"""The measures: each defined once, as terms per rank; and the facts, which are counted.

No list of measures stands here: importing the definitions fills `CATALOGUE` and `FACTS`.
"""

from rankworth.measures import (
    behaviour,
    binary,
    building_blocks,
    classics,
    curves,
    cwl,
    diversity,
    facts,
    graded,
    parity,
    pooling,
)
from rankworth.measures.core import CATALOGUE, Averaging, Measure, Terms, gmean, measure
from rankworth.measures.facts import FACTS, Fact, TextFact

__all__ = [
    "CATALOGUE",
    "FACTS",
    "Averaging",
    "Fact",
    "Measure",
    "Terms",
    "TextFact",
    "behaviour",
    "binary",
    "building_blocks",
    "classics",
    "curves",
    "cwl",
    "diversity",
    "facts",
    "gmean",
    "graded",
    "measure",
    "parity",
    "pooling",
]

"""The measures: each defined once, as terms per rank; and the facts, which are counted.

No list of measures stands here: importing the definitions fills `CATALOGUE`, `ITEM_MEASURES` and `FACTS`.
"""

from rankworth.measures import (
    behaviour,
    binary,
    building_blocks,
    classics,
    curves,
    cwl,
    diversity,
    exposure,
    facts,
    graded,
    items,
    leaks,
    parity,
    pooling,
    spans,
    spending,
    whole_runs,
)
from rankworth.measures.averages import micro
from rankworth.measures.core import CATALOGUE, ITEM_MEASURES, Averaging, Measure, Terms, gmean, measure
from rankworth.measures.facts import FACTS, Fact, TextFact, registered

__all__ = [
    "CATALOGUE",
    "FACTS",
    "ITEM_MEASURES",
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
    "exposure",
    "facts",
    "gmean",
    "graded",
    "items",
    "leaks",
    "measure",
    "micro",
    "parity",
    "pooling",
    "registered",
    "spans",
    "spending",
    "whole_runs",
]

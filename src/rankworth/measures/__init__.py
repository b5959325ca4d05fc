"""The measures: each defined once, as terms per rank, in `binary`, `graded` or `behaviour`.

No list of measures stands here: importing the definitions fills `CATALOGUE`.
"""

from rankworth.measures import behaviour, binary, graded, words
from rankworth.measures.core import CATALOGUE, Measure, measure
from rankworth.measures.terms import Terms

__all__ = ["CATALOGUE", "Measure", "Terms", "behaviour", "binary", "graded", "measure", "words"]

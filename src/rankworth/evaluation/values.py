"""The old name of `rankworth.results.values`, whose names still come from here, with a warning."""

from rankworth.moved import names_of

__getattr__ = names_of("rankworth.evaluation.values", "rankworth.results.values")

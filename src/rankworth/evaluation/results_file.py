"""The old name of `rankworth.results.file`, whose names still come from here, with a warning."""

from rankworth.moved import names_of

__getattr__ = names_of("rankworth.evaluation.results_file", "rankworth.results.file")

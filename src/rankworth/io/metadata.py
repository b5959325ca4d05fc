"""The old name of `rankworth.io.query_texts`, whose names still come from here, with a warning."""

from rankworth.moved import names_of

__getattr__ = names_of("rankworth.io.metadata", "rankworth.io.query_texts")

"""Records of the trec_eval family that do not come out, each with the reason."""

from typing import Final

from golden.choosing import Select, records
from golden.others import OTHERS_DIFFERENT, OTHERS_UNSPECIFIED

UNSPECIFIED: Final[list[tuple[Select, str]]] = [*OTHERS_UNSPECIFIED]
"""records whose order the tool leaves open, and what leaves it open"""
DIFFERENT: Final[list[tuple[Select, str]]] = [
    (
        records("trec_eval", version="10", measure="rbp"),
        "the number depends on memory that trec_eval never set, and on what was measured before",
    ),
    (
        records("ir_measures", called="ranx"),
        "there is no number: this provider cannot be called beside pandas 3 (a fault of the installation)",
    ),
    *OTHERS_DIFFERENT,
]
"""other records, and why they have another number here"""

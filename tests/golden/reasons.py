"""Records of the trec_eval family that do not come out, each with the reason."""

from typing import Final

from golden.choosing import Select, records
from golden.notebooks import NOTEBOOKS_DIFFERENT, NOTEBOOKS_UNSPECIFIED
from golden.others import OTHERS_DIFFERENT, OTHERS_UNSPECIFIED

UNSPECIFIED: Final[list[tuple[Select, str]]] = [*OTHERS_UNSPECIFIED, *NOTEBOOKS_UNSPECIFIED]
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
    (
        records("ir_measures", case="X08", measure="ERR@10|nDCG.*exp.*"),
        "gdeval.pl cuts query ids at their last hyphen, so that q-1 comes back as 1, and again as q-1 with 0 (B21)",
    ),
    (
        records("ir_measures", case="C12", measure="Accuracy"),
        "Accuracy divides by zero where only relevant documents were retrieved (B24); here such a query is worth 1",
    ),
    *OTHERS_DIFFERENT,
    *NOTEBOOKS_DIFFERENT,
]
"""other records, and why they have another number here"""

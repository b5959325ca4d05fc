"""How the four notebooks are asked for; their profiles are as the notebooks meant it, not as they computed it."""

from typing import Final

from golden.asking import Way
from golden.choosing import Select, records

_NUMBERS: Final = (0, 1, 2, 3)

NOTEBOOKS: Final[list[tuple[Select, Way]]] = [
    (records(f"seed-00{number}"), Way(f"seed-00{number}", dicts=True)) for number in _NUMBERS
]
NOTEBOOKS_UNSPECIFIED: Final[list[tuple[Select, str]]] = [
    (
        records("seed-000", measure=r"MRR\(.*", case="C04"),
        "the notebook sorts with numpy's default, whose order of ties depends on the processor",
    ),
]
NOTEBOOKS_DIFFERENT: Final[list[tuple[Select, str]]] = [
    (
        records("seed-000", measure="nDCG@.*", case="C20"),
        "the notebook's nDCG never sorts by its scores (quirk B89); its number has order=given",
    ),
    (
        records("seed-001", measure="AP", case="C11"),
        "the notebook's AP counts a repeated document each time (B93); its number has duplicates=all",
    ),
    (
        records("seed-002", measure="MAP@.*"),
        "the notebook's MAP divides by the hits found, its formula by R (B96); its number is AP(norm=found)",
    ),
    (records("seed-003", measure="MRR"), "the notebook's MRR looks for the grade 1 exactly (B97)"),
    (
        records("seed-003", measure="MAP"),
        "the notebook's AP is NaN where nothing is relevant (B98); its number has undefined=nan",
    ),
]

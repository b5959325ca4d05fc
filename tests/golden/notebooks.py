"""How the four notebooks are asked for; their profiles are as the notebooks meant it, not as they computed it."""

from typing import Final

from golden.asking import Way
from golden.choosing import Select, records

_NUMBERS: Final = (0, 1, 2, 3)

NOTEBOOKS: Final[list[tuple[Select, Way]]] = [
    (records(f"seed-00{number}"), Way(f"notebook-00{number}", dicts=True)) for number in _NUMBERS
]

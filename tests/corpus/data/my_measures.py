"""A measure that is not in the catalogue."""

from typing import Any

import rankworth as rw


@rw.measure("GradeAt1", range=(0, float("inf")))
def grade_at_1(judged: Any, *, rel: float = 1) -> rw.Terms:
    """The grade of the first document, if it is relevant."""
    top = judged.cut(1)
    return rw.Terms(gain=rw.building_blocks.relevant(top, rel) * top.grade)

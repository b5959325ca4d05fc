"""What makes a correlation of systems easily misread: few systems above all."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from rankworth.comparison import Comparison
from rankworth.correlation.methods import Method
from rankworth.correlation.standings.rows import Correlated
from rankworth.render import p_value

FEW: Final = 10
"""fewer systems than that show little"""


def of(
    rows: Sequence[Correlated],
    systems: int,
    methods: Sequence[Method],
    comparisons: Sequence[Comparison],
    judges: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Slug and text of all that deserves a second look.

    Args:
        rows: what was found.
        systems: how many there are.
        methods: the coefficients.
        comparisons: what is said of the systems by themselves.
        judges: the names of the judges, one for each comparison; none for measures.

    """
    if systems < FEW:
        yield "few-items", _few(rows, systems, methods)
    every = [dict.fromkeys(told.warnings) for told in comparisons]
    for place, found in enumerate(every):
        for slug, text in found:
            if all((slug, text) in other for other in every):
                if place == 0:
                    yield slug, text
            else:
                yield slug, f"{judges[place]}: {text}"


def _few(rows: Sequence[Correlated], systems: int, methods: Sequence[Method]) -> str:
    """The highest coefficient, and how little that is."""
    tested = [one for one in methods if not all(np.isnan(row.coefficients[one.name].p) for row in rows)]
    method = (tested or methods)[0]
    known = [row for row in rows if not np.isnan(row.coefficients[method.name].value)]
    text = f"{systems} systems"
    if not known:
        return f"{text} are few, and show little"
    row = max(known, key=lambda one: abs(one.coefficients[method.name].value))
    found = row.coefficients[method.name]
    of_which = f" ({row.called})" if len(rows) > 1 else ""
    said = [f"p = {p_value(found.p)}"] if not np.isnan(found.p) else []
    said += [f"the interval {found.low:.4g}..{found.high:.4g}"] if not np.isnan(found.low) else []
    has = f" has {' and '.join(said)}" if said else ""
    even = "even " if len(rows) > 1 else ""
    return f"{text}: {even}{method.label} of {found.value:.4g}{of_which}{has}; so few systems show little"

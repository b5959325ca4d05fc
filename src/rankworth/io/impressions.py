"""Lists of numbers in brackets beside queries, as MIND has labels and ranks of the items of an impression."""

import json
from typing import Final

from rankworth.errors import InputError
from rankworth.io.layout import QRELS, Layout
from rankworth.io.looks import Looks

_MOST_GRADES: Final = 6
"""labels by position are 0 to 5"""
_PAIR: Final = 2


def value_by_position(path: str, looks: Looks, layout: Layout) -> str:
    """Return what the numbers in brackets beside queries are: labels, ranks or scores of the items of each query.

    Labels are few and small, ranks are 1 to n in some order, and scores have a fraction or a minus. Numbers that may be
    ids of documents are none of these.

    Args:
        path: of the file.
        looks: what it looks like, with a column of queries and one of lists.
        layout: `RUN` or `QRELS`.

    Raises:
        InputError: `rank-or-score`.

    """
    names = looks.names
    if len(names) != _PAIR:
        return ""
    lists = [numbers for text in looks.columns[names[1]].texts if (numbers := _numbers_in(text))]
    if not lists:
        return ""
    numbers = [number for each in lists for number in each]
    if layout is QRELS:
        return "grade" if {*numbers} <= {*range(_MOST_GRADES)} else ""
    if all(sorted(each) == [*range(1, len(each) + 1)] for each in lists):
        return "rank"
    if not all(map(float.is_integer, map(float, numbers))) or min(numbers) < 0:
        return "score"
    ways = {f"{role}s": {"query": "1", "document": "", role: "2"} for role in ("rank", "score")}
    ways["documents, best first"] = {"query": "1", "document": "2"}
    typed = [
        f"{name}: --run-format tsv --run-columns {' '.join(f'{role}={number}' for role, number in columns.items())}, "
        f"in Python Run({path!r}, format='tsv', columns={columns})"
        for name, columns in ways.items()
    ]
    text = f"{looks.called}: the numbers in brackets may be ranks, scores or ids of documents, such as {lists[0]}"
    raise InputError("rank-or-score", text, remedy="\n".join(typed))


def _numbers_in(text: str) -> list[float]:
    """Return the numbers of a list in brackets; none where it holds anything else."""
    try:
        items = json.loads(text)
    except ValueError:
        return []
    return items if isinstance(items, list) and all(isinstance(item, int | float) for item in items) else []

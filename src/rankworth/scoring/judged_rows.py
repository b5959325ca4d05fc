"""Judgements that are labels of the retrieved rows: what they do not know."""

from collections.abc import Iterator

import numpy as np

from rankworth.judging.judged_run import JudgedRows
from rankworth.scoring.counts import LONG_LIST, Notice


def are_same_rows(hits: JudgedRows) -> bool:
    """Return whether a run has the documents that are judged, and no other.

    Queries that the run or the judgements do not have do not matter.
    """
    judged, retrieved = np.diff(hits.pool.offsets), np.asarray(hits.n_retrieved)
    found = np.diff(hits.offsets)
    is_answered = retrieved > 0
    return bool(is_answered.any() and (found == retrieved)[is_answered].all() and (found == judged)[is_answered].all())


def of_row_items(name: str, hits: JudgedRows, *, is_labelled: bool) -> Iterator[Notice]:
    """Say what judgements of rows do not know, and warn of more rows than a single query has.

    Args:
        name: of the run.
        hits: its judged documents.
        is_labelled: whether the rows came with labels, beside which scores stand.

    """
    if hits.n_retrieved.size == 1 and hits.n_retrieved[0] >= LONG_LIST:
        text = f"the {int(hits.n_retrieved[0]):,} labels count as one query; if they are those of several: "
        text += "group=[10, 12, ...] tells how many rows each query has, qid=[...] the query of each row"
        yield Notice("one-list", text)
    grades = hits.pool.grades
    if not is_labelled and grades.size and grades[0] > 0 and (grades == grades[0]).all():
        text = f"the documents of {name} are the judged ones, all of grade {grades[0]:g}: any order is perfect; "
        text += "if the same rows hold a ranking in another column: --run-columns document=NAME, in Python "
        yield Notice("judged-rows", f"{text}run_columns={{'document': 'NAME'}}")
        return
    text = (
        f"the judgements of {name} are those of its rows: documents that they do not list are unknown, so that recall "
    )
    yield Notice("judged-rows", f"{text}and the ideal ranking are those of the list")

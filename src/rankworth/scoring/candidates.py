"""Runs that rank given candidates: labelled rows, or one relevant document among a fixed number of others."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from rankworth.errors import counted
from rankworth.judging.judged_run import JudgedRows
from rankworth.scoring.counts import LONG_LIST, Notice

FEWEST: Final = 10
"""fewer candidates, or queries, are no sample"""
USUAL: Final = (51, 100, 101, 201, 501, 1000, 1001)
"""how many candidates protocols have: the relevant document and a round number of others, or a round number in all"""


def sampled(hits: JudgedRows) -> tuple[int, int] | None:
    """Return how many candidates each query has, and how many queries there are; None where it is no such run.

    Args:
        hits: the judged documents that were retrieved, with those of each query counted.

    """
    answered = hits.n_retrieved > 0  # [Q]
    sizes = hits.n_retrieved[answered]
    if sizes.size < FEWEST or sizes.min() < FEWEST or sizes.min() < sizes.max():
        return None
    relevant = np.bincount(hits.pool.query[hits.pool.grades > 0], minlength=answered.size)[answered]
    retrieved = np.bincount(hits.query[hits.is_judged & (hits.grade > 0)], minlength=answered.size)[answered]
    return (int(sizes[0]), sizes.size) if (relevant == 1).all() and (retrieved == 1).all() else None


def described(name: str, size: int, queries: int) -> str:
    """Say that values are those of a sample.

    Args:
        name: what the run is called.
        size: how many candidates each query has.
        queries: how many queries there are.

    """
    text = f"{name} ranks exactly 1 relevant document among {size:,} for {counted(queries)}, as where candidates are "
    return f"{text}sampled: values are far above those over all documents, and may order systems otherwise"


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

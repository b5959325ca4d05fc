"""Runs that rank a single relevant document among a fixed number of candidates, often a sample."""

from typing import Final

import numpy as np

from rankworth.errors import counted
from rankworth.judging.judged_run import JudgedRows

FEWEST: Final = 10
"""fewer candidates, or queries, are no sample"""
USUAL: Final = (51, 100, 101, 201, 501, 1000, 1001)
"""how many candidates protocols have: the relevant document and a round number of others, or a round number in all"""


def candidates(hits: JudgedRows) -> tuple[int, int] | None:
    """Return how many candidates each query has, and how many queries there are; None where it is no such run.

    Args:
        hits: the judged documents that were retrieved, with those of each query counted.

    """
    answered = hits.n_retrieved > 0  # [Q]
    sizes = hits.n_retrieved[answered]
    if sizes.size < FEWEST or sizes.min() < FEWEST or sizes.min() < sizes.max():
        return None
    relevant = np.bincount(hits.pool.query[hits.pool.grades > 0], minlength=answered.size)[answered]
    found = np.bincount(hits.query[hits.is_judged & (hits.grade > 0)], minlength=answered.size)[answered]
    return (int(sizes[0]), sizes.size) if (relevant == 1).all() and (found == 1).all() else None


def described(name: str, size: int, queries: int) -> str:
    """Say that values are those of a sample.

    Args:
        name: what the run is called.
        size: how many candidates each query has.
        queries: how many queries there are.

    """
    text = f"{name} ranks exactly 1 relevant document among {size:,} for {counted(queries)}, as where candidates are "
    return f"{text}sampled: values are far above those over all documents, and may order systems otherwise"

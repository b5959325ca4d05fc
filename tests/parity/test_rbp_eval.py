"""RBP and its residual by the profile of rbp_eval: equal scores share the mean weight of their ranks, exactly."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby
from typing import Final

import numpy as np
import pytest

import rankworth as rw

# The collection is shallow on purpose; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Numbers = Mapping[str, float]
GAINS: Final = {
    "": lambda grade: Fraction(grade >= 1),
    "-b 2": lambda grade: Fraction(grade >= 2),
    "-f 0.25": lambda grade: Fraction(int(grade), 4),
}
"""options of rbp_eval, and what a document is worth with them"""


def drawn(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Grades from 0 to 3 of half of the documents, and scores of which many are equal."""
    random = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(40)]
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3", "q4", "q5"):
        judged, retrieved = random.permutation(documents)[:20], random.permutation(documents)[: random.integers(1, 41)]
        qrels[query] = dict(zip(judged.tolist(), random.integers(0, 4, 20).tolist(), strict=True))
        run[query] = dict(zip(retrieved.tolist(), (random.integers(0, 12, len(retrieved)) / 8).tolist(), strict=True))
    return qrels, run


def values(grades: Numbers, scores: Numbers, p: Fraction, options: str) -> tuple[Fraction, Fraction]:
    """RBP and its residual, exactly."""
    value, judged, rank = Fraction(0), Fraction(0), 0
    for _, tied in groupby(
        sorted(scores, key=lambda document: -scores[document]), key=lambda document: scores[document]
    ):
        group = list(tied)
        weight = sum(((1 - p) * p ** (rank + place) for place in range(len(group))), Fraction(0)) / len(group)
        value += sum(
            (weight * GAINS[options](grades[document]) for document in group if document in grades), Fraction(0)
        )
        judged += sum((weight for document in group if document in grades), Fraction(0))
        rank += len(group)
    return value, 1 - judged


@pytest.mark.parametrize("options", GAINS)
@pytest.mark.parametrize("p", ["0.5", "0.8", "0.95"])
@pytest.mark.parametrize("seed", [1, 2])
def test_values_and_residuals_are_exact(seed: int, p: str, options: str) -> None:
    qrels, run = drawn(seed)
    names = [f"rbp({options} -p {p})".replace("( ", "("), f"err(-p {p})"]
    result = rw.evaluate(qrels, run, names, profile="rbp_eval-1.0").per_query.to_dict()
    for query in qrels:
        expected = values(qrels[query], run[query], Fraction(p), options)
        assert [result[query][name] for name in names] == pytest.approx([*map(float, expected)], rel=1e-14)

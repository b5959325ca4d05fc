"""Batches of score matrices, and the same as dicts, for the laws that hold between them."""

import warnings
from typing import Any

import array_api_strict
import numpy as np
import torch

import rankworth as rw
from generators import GRADES
from rankworth.measures import CATALOGUE, Measure
from rankworth.tensors import evaluate

REFUSED = {
    measure.name
    for measure in CATALOGUE.values()
    if measure.definition.subtopics or measure.definition.elsewhere or measure.averaging != "mean"
}
DENSE = [measure for measure in CATALOGUE.values() if measure.name not in REFUSED]
SCORES = (-2.5, -0.0, 0.0, 0.1, 0.1 + 2e-17, 0.1 + 1e-16, 3.0)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
"""of the tensors of tests: an accelerator where the machine has one"""
LIBRARIES = {
    "torch": lambda array: torch.tensor(array.copy(), device=DEVICE),
    "strict": lambda array: array_api_strict.asarray(array.copy(), device=array_api_strict.Device("device1")),
}
"""libraries besides NumPy; the last one stands for accelerators: nothing is mixed with another device"""


class Collection:
    """A batch as matrices, and the same as dicts whose ids fall from column to column."""

    def __init__(self, seed: int, *, ties: bool = True, wide: bool = False) -> None:
        """Draw it."""
        draw = np.random.default_rng(seed)
        queries, documents = int(draw.integers(1, 6)), int(draw.integers(1, 30 if wide else 12))
        size = (queries, documents)
        self.scores = (
            draw.choice(SCORES, size)
            if ties
            else draw.permuted(np.tile(np.arange(documents) / 7, (queries, 1)), axis=1)
        )
        self.grades = np.where(draw.random(size) < 0.3, np.nan, draw.choice(GRADES, size))
        self.mask = draw.random(size) < draw.choice([0.5, 0.9, 1.0])
        self.mask[np.arange(queries), draw.integers(0, documents, queries)] = True
        self.more = draw.choice([np.nan, *GRADES], (queries, int(draw.integers(0, 5))))

    def pool(self) -> Any:
        """All grades, those of documents without a column too."""
        return np.concatenate([np.where(self.mask, self.grades, np.nan), self.more], axis=1)[:, ::-1]

    def dicts(self, *, pool: bool) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], list[int]]:
        """Judgements, run, and the queries that are judged at all."""
        names = [f"d{self.scores.shape[1] - column:03}" for column in range(self.scores.shape[1])]
        qrels, run, judged = {}, {}, []
        for query in range(self.scores.shape[0]):
            real = self.mask[query]
            found = {
                name: float(grade)
                for name, grade, there in zip(names, self.grades[query], real, strict=True)
                if there and np.isfinite(grade)
            }
            if pool:
                found |= {
                    f"x{place}": float(grade) for place, grade in enumerate(self.more[query]) if np.isfinite(grade)
                }
            run[f"q{query:03}"] = {
                name: float(score) for name, score, there in zip(names, self.scores[query], real, strict=True) if there
            }
            if found:
                qrels[f"q{query:03}"] = found
                judged.append(query)
        return qrels, run, judged

    def expected(self, measures: list[Measure], *, pool: bool, **rest: Any) -> tuple[Any, list[int]]:
        """What `rankworth.evaluate` says, and of which queries."""
        qrels, run, judged = self.dicts(pool=pool)
        if not qrels:
            return np.zeros((0, len(measures))), []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            return rw.evaluate(qrels, run, measures, **rest).per_query.array, judged

    def measured(self, measures: list[Measure], of: Any = np.asarray, *, pool: bool, **rest: Any) -> Any:
        """What `rankworth.tensors` says, as NumPy."""
        more = {"pool": of(self.pool())} if pool else {}
        values = evaluate(of(self.scores), of(self.grades), measures, mask=of(self.mask), **more, **rest)
        return np.stack([plain(values[str(measure)]) for measure in measures], axis=1)


def plain(array: Any) -> Any:
    """An array of any library as NumPy has it."""
    if isinstance(array, np.ndarray):
        return array
    if isinstance(array, torch.Tensor):
        return array.cpu().numpy()
    return np.array([float(array[place]) for place in range(array.shape[0])])

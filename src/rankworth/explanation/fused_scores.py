"""How the scores of fused documents came about: their ranks in each run, their parts, and how parts join."""

import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import RankworthWarning, are_warnings_shown, catalogue, counted, shortened
from rankworth.fusion import METHODS, FusedRun
from rankworth.fusion.fusing import NAME, FusedBlock, Fusing, as_runs, define
from rankworth.fusion.tools import ToolFusion
from rankworth.model import Run
from rankworth.tables.columns import Column, Sheet

_FIRST: Final = 10
"""how many of the first documents are shown where a measure looks at more, or at all"""
_CLOSE: Final = 1e-6
"""how far a sum of parts may be from a score, as a share of it, where tools compute in single precision"""
_ID: Final = 40
"""letters of an id in a table"""


class FusedDocument(NamedTuple):
    """A document that a run brought, and how its fused score came about."""

    document: str
    grade: float | None
    """None where nobody judged it"""
    rank: int | None
    """in the fused run; None where it is not there"""
    score: float | None
    """the fused score; None where it is not fused"""
    ranks: tuple[int | None, ...]
    """in each run; None where the run does not have it"""
    parts: tuple[float | None, ...]
    """what each run adds to the score, or its part before parts are joined; None where there is none"""


@dataclass(frozen=True)
class FusedScores:
    """How the scores of the documents of one query came about.

    Attributes:
        signature: how runs were fused.
        formula: that of the method; empty for that of a tool.
        runs: the names of the runs.
        weights: the weight of each.
        adds: whether the score of a document is the sum of its parts.
        documents: the first documents of the fused run, and all relevant ones that a run has, best first.
        first: how many of the first documents are among them.

    """

    signature: str
    formula: str
    runs: tuple[str, ...]
    weights: tuple[float, ...]
    adds: bool
    documents: tuple[FusedDocument, ...]
    first: int

    @property
    def sentence(self) -> str:
        """Which run brought the first documents."""
        first = [each for each in self.documents if each.rank is not None and each.rank <= self.first]
        if len(self.runs) == 1 or not first:
            return ""
        brought = [tuple(run for run, rank in zip(self.runs, each.ranks, strict=True) if rank) for each in first]
        alone = [f"{brought.count((run,))} by {run} alone" for run in self.runs]
        several = sum(len(each) > 1 for each in brought)
        both = "both" if len(self.runs) == len(("first", "second")) else "several"
        documents = counted(len(first), "document", "documents")
        return f"of the first {documents} {several} were brought by {both}, {', '.join(alone)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as JSON holds them."""
        return asdict(self) | {"documents": [each._asdict() for each in self.documents], "sentence": self.sentence}

    def sheet(self, query: str) -> Sheet:
        """Return a table of the documents, their ranks and parts.

        Args:
            query: the id of the query.

        """
        columns = [
            Column("rank", "number", [each.rank for each in self.documents]),
            Column("document", "text", [shortened(each.document, _ID) for each in self.documents]),
            Column("grade", "grade", [each.grade for each in self.documents]),
            Column("score", "value", [each.score for each in self.documents]),
        ]
        columns += [Column(run, "text", list(self._cells(index))) for index, run in enumerate(self.runs)]
        how = f"{self.signature} is {self.formula}" if self.formula else self.signature
        if any(weight != 1 for weight in self.weights):
            how += f"; weights {' '.join(f'{weight:g}' for weight in self.weights)}"
        joined = "what it adds to the score" if self.adds else "its part of the score"
        legend = f"below each run: the rank of the document there, and {joined}"
        notes = tuple(filter(None, (how, legend, self.sentence)))
        return Sheet(tuple(columns), notes, title=f"{shortened(query)}   how fused scores came about")

    def _cells(self, run: int) -> Iterator[str]:
        """Write rank and part of every document in one run."""
        for each in self.documents:
            rank, part = each.ranks[run], each.parts[run]
            absent = "absent" if rank is None else f"{rank}"
            yield absent if part is None else f"{absent}: {part:.4f}"


@dataclass(frozen=True, eq=False)
class FusedRuns:
    """Runs, the run that they become, and how."""

    fusing: Fusing
    run: FusedRun

    @classmethod
    def of(cls, runs: Mapping[str, Run], fuse: str) -> "FusedRuns":
        """Fuse runs.

        Args:
            runs: the runs.
            fuse: how, as `rankworth.fuse` reads its method.

        Raises:
            InputError, UsageError: as `rankworth.fuse`.

        """
        fusing = Fusing(list(runs.values()), define(fuse), list(runs))
        run = fusing.run(NAME)
        for notice in run.notices if are_warnings_shown() else ():
            if catalogue()[notice.slug][0] == "warning":
                warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=4)
        return cls(fusing, run)

    def scores(
        self, grades: Mapping[str, Mapping[str, float]], cutoffs: Mapping[str, int | None]
    ) -> dict[str, FusedScores]:
        """Return how the scores of the documents of some queries came about.

        Args:
            grades: of the judged documents, by query.
            cutoffs: how many ranks the measure looks at, by query; None where it looks at all.

        """
        fusing, scores = self.fusing, {}

        def blocks(*, scattered: bool) -> list[FusedBlock]:
            return [
                block
                for block in fusing.blocks(scattered=scattered)
                if not grades.keys().isdisjoint(block.candidates.queries)
            ]

        for block in fusing.attempt(blocks):
            for number, query in enumerate(block.candidates.queries):
                if query in grades:
                    documents = self._documents(block, number, grades[query])
                    first = min(_FIRST, cutoffs[query] or _FIRST)
                    scores[query] = self._scores(documents, first)
        return scores

    def _documents(self, block: FusedBlock, number: int, grades: Mapping[str, float]) -> tuple[Any, ...]:
        """Return ids, grades, ranks, scores, ranks by run and parts of the documents of one query."""
        candidates, fused = block.candidates, block.fused
        rows = np.flatnonzero(candidates.query == number)
        order = fused.candidate[candidates.query[fused.candidate] == number]
        rank_of = {row: rank for rank, row in enumerate(order.tolist(), 1)}
        ids = candidates.ids(rows).to_list()
        ranks = [rank_of.get(row) for row in rows.tolist()]
        parts = fused.parts[rows].astype(np.float64)
        scores = fused.scores[rows].astype(np.float64)
        return ids, [grades.get(each) for each in ids], ranks, scores, fused.ranks[rows], parts

    def _scores(self, documents: tuple[Any, ...], first: int) -> FusedScores:
        ids, grades, ranks, scores, by_run, parts = documents
        fusing = self.fusing
        weights = np.asarray(fusing.weights)
        shown, adds = parts, False
        for adding in (parts * weights, parts):
            if _is_sum(adding, scores):
                shown, adds = adding, True
                break
        rows = [
            FusedDocument(
                *(ids[row], grades[row], ranks[row], _number(scores[row])),
                tuple(None if np.isnan(rank) else int(rank) for rank in by_run[row].tolist()),
                tuple(map(_number, shown[row].tolist())),
            )
            for row in range(len(ids))
            if (ranks[row] or first + 1) <= first or (grades[row] or 0) > 0
        ]
        rows.sort(key=lambda each: (each.rank is None, each.rank or 0, each.document))
        definition = fusing.definition
        formula = "" if isinstance(definition, ToolFusion) else METHODS[definition.method].formula
        names, numbers = tuple(fusing.names_used), tuple(map(float, fusing.weights))
        return FusedScores(str(definition), formula, names, numbers, adds, tuple(rows), first)


def named_sources(runs: object) -> tuple[list[str] | None, list[Any]]:
    """Split runs to be fused into their names, None if sources name themselves, and sources.

    Args:
        runs: by name, or a list, as for `rankworth.fuse`.

    """
    if isinstance(runs, Mapping):
        return [str(name) for name in runs], list(runs.values())
    return None, list(runs) if isinstance(runs, list | tuple) else [runs]


def fused_runs(names: Collection[str] | None, sources: list[Any], fuse: str) -> FusedRuns:
    """Fuse runs that were read.

    Args:
        names: as `named_sources` returns them.
        sources: as well.
        fuse: how, as `rankworth.fuse` reads its method.

    Raises:
        InputError, UsageError: as `rankworth.fuse`.

    """
    return FusedRuns.of(as_runs(sources if names is None else dict(zip(names, sources, strict=True))), fuse)


def _is_sum(parts: Floats, scores: Floats) -> bool:
    """Return whether scores are the sums of parts, where there are scores."""
    has = ~np.isnan(scores)
    return bool(np.allclose(np.nansum(parts[has], axis=1), scores[has], rtol=_CLOSE, atol=_CLOSE**2))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

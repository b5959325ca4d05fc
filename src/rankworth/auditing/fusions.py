"""`audit_fusion`: which fusion made a run of others, by its scores."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from rankworth.arrays import Floats, Integers, expand
from rankworth.errors import InputError, RankworthError, counted, quoted
from rankworth.fusion import METHODS, NORMS, TOOLS, FusedRun, Fusion, like
from rankworth.fusion.candidates import TieRule
from rankworth.fusion.fusing import SIGNATURE, FusedBlock, Fusing, Joined, as_runs, define
from rankworth.fusion.tools import Definition
from rankworth.io.trec import tag
from rankworth.model import Run
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_QUERIES: Final = 40
"""of how many queries all fusions are tried; those that give these are tried of all"""
_DEPTHS: Final = (10, 20, 50, 100, 200, 500, 1000)
"""depths of lists that are tried where lists as they are do not give the run"""
_DECIMALS: Final = 9
"""decimals up to which scores may have been rounded"""
_CLOSE: Final = 1e-6
"""how far scores may be apart, as a share of the greatest, since servers compute in single precision"""
_DIGITS: Final = (0, 1, 2, 3, 4, 6, 9)
"""digits of weights that are tried, few first"""
_PERSISTENCES: Final = (0.5, 0.9, 0.95, 0.98)
_CONSTANTS: Final = (60, 61, 59, 2, 1, 0, 5, 10, 20, 30, 40, 50, 100)
"""constants of reciprocal rank fusion that are tried where no document tells it"""
_WEIGHABLE: Final = ("rrf", "sum", "mnz", "mixed", "anz", "borda", "rbc", "isr")
"""methods whose scores are linear in the weights of runs, so that these can be computed"""
_TIES: Final[tuple[TieRule, ...]] = get_args(TieRule)
_USUAL_TIES: Final = _TIES[0]
_OTHER_TIES: Final = _TIES[1:]
"""rules of ties that change ranks in lists, beside the usual one"""
_SHOWN: Final = 5
_KEPT: Final = 10


class FusionCandidate(NamedTuple):
    """A fusion that was tried, and how near it comes."""

    fusion: str
    documents: float
    """the share of the fused run's documents that have the same score"""
    order: float
    """the share of queries whose documents stand in the same order, but for ties"""


@dataclass(frozen=True, repr=False)
class FusionAudit(Analysis[Literal["fusions"]]):
    """Which fusions make a run of others.

    Attributes:
        name: what the fused run is called.
        runs: the names of the runs.
        stated: the fusion that the fused run names, in its tag or its metadata; empty where it names none.
        kind: whether the fusions give all `scores`, or the `order` alone, or are only the `nearest`.
        ties: the rule by which equal scores stand in the fused run; empty where there are none, or no rule gives them.
        candidates: the fusions.
        tried: how many fusions were tried.
        queries: how many queries the fused run has.

    """

    _SCHEMA: ClassVar = "rankworth.fusion-audit/1"
    _TABLES: ClassVar = ("fusions",)
    _RECORD: ClassVar = ("name", "runs", "stated", "kind", "ties", "verdict", "candidates", "tried", "queries")
    name: str
    runs: tuple[str, ...]
    stated: str
    kind: Literal["scores", "order", "nearest"]
    ties: str
    candidates: tuple[FusionCandidate, ...]
    tried: int
    queries: int

    @property
    def verdict(self) -> str:
        """The fusion in one sentence."""
        first, of = self.candidates[0], f"{self.name} of {' and '.join(self.runs)}"
        if self.kind == "scores":
            return f"{first.fusion} makes {of}"
        if self.kind == "order":
            return f"{first.fusion} gives the order of {of}, which has other scores"
        near = f"{first.fusion}, which gives {first.documents:.0%} of its scores"
        return f"no fusion that was tried makes {of}; nearest is {near}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the run's signature, its ties, equal fusions, and further steps if no fusion is found."""
        notes = []
        if self.stated:
            is_so = self.kind == "scores" and any(each.fusion == self.stated for each in self.candidates)
            notes.append(
                f"{self.name} names {self.stated}{', which is so' if is_so else ', which these runs do not give'}"
            )
        if self.kind == "scores" and self.ties:
            notes.append(f"its equal scores stand by {self.ties}")
        if self.kind == "nearest":
            deeper = "lists that were deeper, other runs, weights of a method that divides ranks, or rounded scores"
            notes.append(f"{counted(self.tried, 'fusion was', 'fusions were')} tried; what is left: {deeper}")
        else:
            command = f"rankworth fuse RUN... --method {shlex.quote(self.candidates[0].fusion)}"
            rule = f" --set ties={self.ties}" if self.ties not in ("", _USUAL_TIES) else ""
            notes.append(f"to repeat it: {command}{rule}")
        return tuple(notes)

    def _columns(self, of: str) -> dict[str, Any]:  # noqa: ARG002 - there is one table
        columns = by_name(FusionCandidate._fields, self.candidates)
        return columns | {"answer": [self.kind] * len(self.candidates)}

    def sheets(self) -> list[Sheet]:
        """Return the fusions that make the run, or the nearest."""
        rows = self._columns("fusions")
        columns = (
            Column("fusion", "text", rows["fusion"]),
            Column("same scores", "value", rows["documents"]),
            Column("same order", "value", rows["order"]),
        )
        return [Sheet(columns, self.notes, title=self.verdict).beginning(_SHOWN)]


def audit_fusion(
    fused: object, runs: Mapping[str, object] | Sequence[object], *, progress: "Progress | None" = None
) -> FusionAudit:
    """Find which fusion made a run of others.

    The fusion that the run names, in the sixth column of TREC's lines or in the metadata of a Parquet file, is tried
    first; then all methods and norms, with constants and weights that are computed from the scores where these are
    linear in them; then the methods of all tools, as they are by default. Scores are compared with the precision that
    the run has: rounded scores equal what they were rounded from.

    Args:
        fused: the run.
        runs: what it was made of, as for `fuse`.
        progress: told how far a file is read.

    Returns:
        A `FusionAudit`, whose `verdict` names the fusion.

    Raises:
        InputError, UsageError: as `fuse`.

    >>> runs = {"bm25": {"q": {"a": 9.0, "b": 7.0}}, "dense": {"q": {"b": 0.8, "c": 0.6}}}
    >>> audit_fusion({"q": {"b": 0.0325, "a": 0.0164, "c": 0.0161}}, runs).verdict
    'rrf(k=60) makes fused of bm25 and dense'
    """
    source = fused[0] if isinstance(fused, list | tuple) and len(fused) == 1 else fused
    [(name, run)] = as_runs({_name(source): source}).items()
    parts = {part: each.held(progress) for part, each in as_runs(runs).items()}
    return _Auditor(name, run.held(progress), stated_fusion(source if isinstance(source, Run) else run), parts).audit()


def _name(fused: object) -> str:
    name = getattr(fused, "name", "") if isinstance(fused, Run) else ""
    return name or "fused"


def stated_fusion(run: Run) -> str:
    """Return the fusion named by the signature, tag or metadata of a run, or an empty text.

    Args:
        run: the run, which need not be read yet.

    """
    text = run.signature if isinstance(run, FusedRun) else ""
    if run.files and not text:
        with suppress(RankworthError, OSError, pl.exceptions.PolarsError):
            path = run.files[0].path
            is_parquet = str(path).endswith(".parquet")
            text = pl.read_parquet_metadata(path).get(SIGNATURE, "") if is_parquet else tag(run.files[0])
    try:
        signature = str(define(text)) if text else ""
    except RankworthError:
        return ""
    return signature if signature == text or "(" in text else ""  # a tag such as sum may mean anything


@dataclass
class _Sample:
    """Queries of the fused run and of its sources, read once for all fusions.

    Attributes:
        rows: the rows `query, document, score` of the fused run, by query as they stand.
        runs: what it was made of.
        tolerance: how far scores may be apart.

    """

    rows: pl.DataFrame
    runs: Mapping[str, Run]
    tolerance: float

    def __post_init__(self) -> None:
        """Number the queries."""
        self.names = self.rows["query"].unique(maintain_order=True)
        self.scores = self.rows["score"].to_numpy()  # [R]
        numbers = pl.DataFrame({"query": self.names, "number": np.arange(self.names.len())})
        self.query = self.rows.join(numbers, on="query", how="left", maintain_order="left")["number"].to_numpy()  # [R]
        self.lengths = np.bincount(self.query, minlength=self.names.len())  # [Q]
        self.lowest = np.full(self.names.len(), np.inf)  # [Q]
        np.minimum.at(self.lowest, self.query, self.scores)
        self._read: dict[tuple[object, ...], list[tuple[Joined, Integers, Integers]]] = {}

    def only(self, queries: Sequence[str]) -> "_Sample":
        """Return the sample of some queries."""
        runs = {name: run.only(queries) for name, run in self.runs.items()}
        return _Sample(self.rows.filter(pl.col("query").is_in(queries)), runs, self.tolerance)

    def fused(self, definition: Definition) -> Iterator[tuple[FusedBlock, Integers, Integers]]:
        """Yield fused queries with the row of the fused run of each candidate, and the number of each query there.

        Rows and numbers are -1 where the fused run lacks them.

        Raises:
            RankworthError: where the fusion refuses the runs.

        """
        fusing = Fusing(list(self.runs.values()), definition, list(self.runs))
        if fusing.reads not in self._read:
            read = fusing.attempt(lambda *, scattered: list(fusing.read(scattered=scattered)))
            self._read[fusing.reads] = [(each, *self._rows_of(each)) for each in read]
        joined = self._read[fusing.reads]
        blocks = fusing.fused(each for each, _, _ in joined)
        for block, (_, rows, queries) in zip(blocks, joined, strict=True):
            yield block, rows, queries

    def _rows_of(self, joined: Joined) -> tuple[Integers, Integers]:
        candidates = joined.candidates
        queries = pl.Series("query", list(candidates.queries), dtype=pl.String)
        ids = pl.DataFrame(
            {"query": queries.gather(candidates.query), "document": candidates.ids(np.arange(candidates.query.size))}
        )
        numbered = self.rows.select("query", "document").with_row_index("row")
        rows = ids.join(numbered, on=["query", "document"], how="left", maintain_order="left")["row"]
        names = pl.DataFrame({"query": self.names, "number": np.arange(self.names.len())})
        numbers = queries.to_frame().join(names, on="query", how="left", maintain_order="left")["number"]
        row, number = (column.cast(pl.Int64).fill_null(-1).to_numpy() for column in (rows, numbers))
        return row, number[candidates.query]

    def compared(self, definition: Definition) -> FusionCandidate:
        """Compare the fused run with what a fusion gives.

        Raises:
            RankworthError: where it refuses the runs.

        """
        fused = np.full(self.scores.size, np.nan)  # [R]
        is_fused = np.zeros(self.scores.size, dtype=bool)
        # query and score of documents that the fused run does not have
        lacking: list[tuple[Integers, Floats]] = [(np.empty(0, np.int64), np.empty(0))]
        for block, rows, queries in self.fused(definition):
            chosen = block.fused.candidate
            scores = block.fused.scores[chosen].astype(np.float64)
            row = rows[chosen]
            fused[row[row >= 0]] = scores[row >= 0]
            is_fused[row[row >= 0]] = True
            is_absent = (row < 0) & (queries[chosen] >= 0)
            lacking.append((queries[chosen][is_absent], scores[is_absent]))
        query, score = (np.concatenate(part) for part in zip(*lacking, strict=True))
        lost = int((~(score <= self.lowest[query] + self.tolerance)).sum())
        with np.errstate(invalid="ignore"):
            is_same = np.abs(self.scores - fused) <= self.tolerance
            rises = np.concatenate([[False], (np.diff(fused) > 0) & (np.diff(self.query) == 0)])
        is_ordered = np.ones(self.names.len(), dtype=bool)
        is_ordered[self.query[~is_fused | np.isnan(fused) | rises]] = False
        last = np.full(self.names.len(), np.inf)
        np.fmin.at(last, self.query[is_fused], fused[is_fused])
        is_ordered[query[score > last[query]]] = False
        share = float(is_same.sum()) / (self.scores.size + lost) if self.scores.size else 0.0
        return FusionCandidate(str(definition), share, float(is_ordered.sum()) / max(1, is_ordered.size))


def _tolerance(scores: Floats) -> float:
    """Return how far scores may be apart: half of their last decimal, or what single precision loses."""
    finite = scores[np.isfinite(scores)]
    largest = float(np.abs(finite).max(initial=0.0))
    for decimals in range(_DECIMALS):
        if np.allclose(np.round(finite, decimals), finite, rtol=0, atol=1e-15 * max(1.0, largest)):
            return max(0.501 * 10.0**-decimals, _CLOSE * largest)
    return _CLOSE * largest


class _Auditor:
    """Tries fusions of some runs."""

    def __init__(self, name: str, fused: Run, stated: str, runs: Mapping[str, Run]) -> None:
        """Read the fused run.

        Args:
            name: what it is called.
            fused: the fused run.
            stated: the fusion that it names.
            runs: the runs.

        """
        self.name, self.stated, self.runs = name, stated, runs
        rows = pl.concat([each.select("query", "document", "score") for each in fused.batches()])
        self.all = _Sample(rows, runs, _tolerance(rows["score"].to_numpy()))
        self.queries = self.all.names.to_list()
        if not any(frame["query"].is_in(self.queries).any() for run in runs.values() for frame in run.batches()):
            text = f"{name} shares no query with {quoted(runs)}, of which it cannot be made"
            raise InputError("no-common-queries", text, remedy="compare the ids of queries: head -1 of each run")
        is_small = len(self.queries) <= _QUERIES
        self.few = self.all if is_small else self.all.only(self.queries[:_QUERIES])
        self.tried: dict[str, tuple[FusionCandidate, Definition]] = {}

    def audit(self) -> FusionAudit:
        """Try fusions of some queries, the likely ones first, and judge those that make them by all queries."""
        for definitions in (chain(self._stated(), self._plain(), _of_tools()), self._weighted(), self._cut()):
            for definition in definitions:
                self._try(definition)
            if made := self._confirmed("documents"):
                return self._result("scores", made)
        if made := self._confirmed("order"):
            return self._result("order", made)
        return self._result("nearest", sorted((each for each, _ in self.tried.values()), key=_nearest)[:_KEPT])

    def _result(self, kind: Literal["scores", "order", "nearest"], made: Sequence[FusionCandidate]) -> FusionAudit:
        ties = self._ties(self.tried[made[0].fusion][1]) if kind == "scores" else ""
        names = tuple(self.runs)
        return FusionAudit(self.name, names, self.stated, kind, ties, tuple(made), len(self.tried), len(self.queries))

    def _try(self, definition: Definition) -> None:
        """Compare the fused run with the result of a fusion; a fusion that refuses the runs is left out."""
        if str(definition) not in self.tried:
            with suppress(RankworthError):
                self.tried[str(definition)] = self.few.compared(definition), definition

    def _confirmed(self, matching: Literal["documents", "order"]) -> list[FusionCandidate]:
        """Return the first fusions that give all scores, or the order, of all queries."""
        made = [pair for pair in self.tried.values() if getattr(pair[0], matching) == 1]
        if self.few is self.all:
            return [each for each, _ in made]
        confirmed = []
        for _, definition in made[:_KEPT]:
            with suppress(RankworthError):
                confirmed.append(self.all.compared(definition))
        return [each for each in confirmed if getattr(each, matching) == 1]

    def _ties(self, definition: Definition) -> str:
        """Return the rule that orders equal scores, or an empty text without equal scores or a rule."""
        frame = self.all.rows
        tied = (frame["score"].diff() == 0) & (frame["query"] == frame["query"].shift())
        if not tied.any() or not isinstance(definition, Fusion):
            return ""
        if definition.ties != _USUAL_TIES:
            return ""  # the definition says it
        for rule in _TIES:
            if self._stands_by(replace(definition, ties=rule)):
                return str(rule)
        return ""

    def _stands_by(self, definition: Definition) -> bool:
        """Return whether the first documents of a fusion are those of the fused run, in its order."""
        place = expand(np.zeros_like(self.all.lengths), self.all.lengths)  # [R]
        for block, rows, queries in self.all.fused(definition):
            chosen = block.fused.candidate
            query = queries[chosen]
            starts = np.flatnonzero(np.diff(query, prepend=-2))
            rank = np.arange(query.size) - np.repeat(starts, np.diff(starts, append=query.size))
            is_first = (query >= 0) & (rank < self.all.lengths[query])
            row = rows[chosen][is_first]
            if (row < 0).any() or (place[row] != rank[is_first]).any():
                return False
        return True

    # What is tried

    def _stated(self) -> Iterator[Definition]:
        if self.stated:
            yield define(self.stated)

    def _plain(self) -> Iterator[Definition]:
        """Yield all methods without weights: constants, norms and deviations."""
        for k in dict.fromkeys([*_CONSTANTS, *self._constants()]):
            yield Fusion(k=float(k))
        yield from (Fusion(k=float(k), ties=rule) for k in _CONSTANTS[:_SHOWN] for rule in _OTHER_TIES)
        yield Fusion(k=60.0, candidates="intersection")
        yield Fusion(k=60.0, shared_ranks="minimum")
        for name, method in METHODS.items():
            yield Fusion(method=name)
            if method.part == "score":
                yield from (Fusion(method=name, **axes) for axes in _norms(name))
        yield from (Fusion(method="rbc", phi=phi) for phi in _PERSISTENCES)

    def _weighted(self) -> Iterator[Definition]:
        """Yield fusions with the weights by which their scores come nearest to those of the run."""
        constants = dict.fromkeys([*self._constants(), *_CONSTANTS])
        plain: list[Fusion] = [Fusion(k=float(k)) for k in constants]
        plain += [Fusion(k=float(k), ties=rule) for k in constants for rule in _OTHER_TIES]
        for name in _WEIGHABLE[1:]:
            plain += [Fusion(method=name)]
            plain += [Fusion(method=name, **axes) for axes in (_norms(name) if METHODS[name].part == "score" else ())]
        yield from self._divided()
        for fusion in plain:
            with suppress(RankworthError):
                for weights in self._weights(fusion):
                    yield replace(fusion, run_weights=weights)

    def _cut(self) -> Iterator[Definition]:
        """Yield fusions of the first documents of each list."""
        longest = max(_longest(run) for run in self.few.runs.values())
        for depth in (each for each in _DEPTHS if each < longest):
            yield from (Fusion(k=float(k), depth=depth) for k in _CONSTANTS)
            yield from (Fusion(method=name, depth=depth) for name in METHODS if name != "rrf")

    def _blocks(self, fusion: Fusion) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Yield fused scores, and parts and ranks of their documents, `[R]`, `[R, L]` and `[R, L]`."""
        for block, rows, _ in self.few.fused(fusion):
            chosen = np.flatnonzero(rows >= 0)
            parts, ranks = (each[chosen].astype(np.float64) for each in (block.fused.parts, block.fused.ranks))
            yield self.few.scores[rows[chosen]], parts, ranks

    def _lines(self, ties: TieRule) -> list[tuple[float, float]]:
        """Return `a, b` of `1 / score = a + b rank` for each run with documents of its own.

        By reciprocal rank fusion, `b = 1 / w` and `a = k / w`, or `a = k` where weights divide ranks.

        Args:
            ties: the rule by which equal scores of a list stand.

        """
        lines: list[tuple[float, float]] = []
        with suppress(RankworthError):
            parts = list(self._blocks(Fusion(ties=ties)))
            scores = np.concatenate([each for each, _, _ in parts])
            ranks = np.concatenate([each for _, _, each in parts])
            for run in range(ranks.shape[1]):
                alone = ~np.isnan(ranks[:, run]) & (np.isnan(ranks).sum(axis=1) == ranks.shape[1] - 1) & (scores > 0)
                rank, score = ranks[alone, run], scores[alone]
                if np.unique(rank).size > 1:
                    weight = score * score  # an error of a score is one of its inverse, over its square
                    b, a = np.polyfit(rank, 1 / score, 1, w=weight)
                    lines.append((float(a), float(b)))
        return lines

    def _constants(self) -> list[float]:
        """Return the constants told by documents of a single run, for weights that multiply."""
        values = [a / b for ties in _TIES for a, b in self._lines(ties) if b > 0]
        rounded = [round(value, digits) for value in values for digits in (0, 2)]
        return [value for value in rounded if 0 <= value < math.inf]

    def _divided(self) -> Iterator[Definition]:
        """Yield reciprocal rank fusions with weights that divide ranks, from documents of a single run."""
        for ties in _TIES:
            lines = self._lines(ties)
            if len(lines) == len(self.few.runs) and all(b > 0 for _, b in lines):
                constant = round(float(np.mean([a for a, _ in lines])))
                for digits in _DIGITS:
                    weights = tuple(round(1 / b, digits) for _, b in lines)
                    if constant >= 0 and any(weights):
                        yield Fusion(k=float(constant), weight_form="divides", run_weights=weights, ties=ties)

    def _weights(self, fusion: Fusion) -> Iterator[tuple[float, ...]]:
        """Yield the weights of a linear fusion that give the scores, with as few digits as possible."""
        blocks = list(self._blocks(fusion))
        size = len(self.few.runs)
        scores = np.concatenate([each for each, _, _ in blocks])
        if not scores.size:
            return
        join = fusion.steps.join
        with np.errstate(all="ignore"):
            shares = np.concatenate(
                [np.stack([join(parts, unit) for unit in np.eye(size)], axis=1) for _, parts, _ in blocks]
            )
        shares = np.nan_to_num(shares)
        solved = np.linalg.lstsq(shares, scores, rcond=None)[0]
        for digits in _DIGITS:
            weights = [round(weight, digits) + 0.0 for weight in solved.tolist()]
            left = np.abs(shares @ np.array(weights) - scores).max()
            if min(weights) >= 0 and any(weights) and left <= self.few.tolerance:
                yield tuple(weights)
                return


@cache
def _of_tools() -> tuple[Definition, ...]:
    """Return all methods and norms of all tools, as they are by default."""
    definitions: list[Definition] = []
    for name, tool in TOOLS.items():
        for method in tool.methods:
            for norm in method.norms or ("",):
                with suppress(RankworthError):
                    definitions.append(like(name, method.name, norm=norm))
    return tuple(definitions)


def _norms(method: str) -> Iterator[dict[str, Any]]:
    """Yield the norms of a method of scores, with both deviations where they have one."""
    if method == "dbsf":
        yield {"deviation": "sample"}
        return
    for name, norm in NORMS.items():
        yield {"norm": name}
        if norm.deviates:
            yield {"norm": name, "deviation": "sample"}


def _longest(run: Run) -> int:
    """Return the length of the longest list."""
    lengths = [frame.group_by("query").len()["len"].max() for frame in run.batches()]
    return max((int(length) for length in lengths if isinstance(length, int)), default=0)


def _nearest(candidate: FusionCandidate) -> tuple[float, float]:
    """Return a sort key: more equal scores first, then more queries in order."""
    return -candidate.documents, -candidate.order

"""`fuse`: several runs become one, some queries at a time; what is to be known of it; and the file that holds it."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np
import polars as pl

from rankworth.errors import (
    InputError,
    RankworthWarning,
    UsageError,
    are_warnings_shown,
    catalogue,
    counted,
    quoted,
)
from rankworth.fusion.blocks import Block, blocks
from rankworth.fusion.candidates import Candidates, List, joined
from rankworth.fusion.definition import Fusion
from rankworth.fusion.facts import FIRST, Facts
from rankworth.fusion.steps import FusedLists, fuse_lists
from rankworth.fusion.tools import Definition, ToolFusion, is_tool, like
from rankworth.io import atomic, validate, write
from rankworth.io.layout import RUN
from rankworth.io.source import STDIN
from rankworth.judging.polars import ScatteredError, has_repeated
from rankworth.model import Run
from rankworth.scoring import inputs

if TYPE_CHECKING:
    from rankworth.io.source import Progress

T = TypeVar("T")
_ONE_ROW: Final = {"": {"": 0.0}}
NAME: Final = "fused"
"""what a fused run is called where nothing else is said"""
SIGNATURE: Final = "rankworth.fusion"
"""the key of the signature in the metadata of Parquet files"""


@dataclass(frozen=True)
class Notice:
    """A sentence about a fusion, by its slug."""

    slug: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class FusedRun(Run):
    """A run that was made of others.

    Attributes:
        signature: how it was fused, as `Fusion.parse` and `--method` read it.
        fused_from: the names of the runs.
        notes: what is to be known of it.
        notices: what deserves a second look.

    """

    _: KW_ONLY
    signature: str = ""
    fused_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def tag(self) -> str:
        """What lines of TREC call it: its signature."""
        return self.signature


def define(
    method: str = "",
    *,
    like_tool: str = "",
    norm: str | None = "",
    **axes: Any,  # noqa: ANN401 - values of axes
) -> Definition:
    """Define a fusion, ours or that of a tool.

    Args:
        method: a method, alone or with what is set, `rrf(k=20)`; or one of a tool, `qdrant:rrf(k=61)`, as signatures
            have it; or a tool, whose first method it is.
        like_tool: the tool whose method it is.
        norm: the norm; the method's own where empty, none where None.
        **axes: what is set.

    Raises:
        UsageError, InputError: as `Fusion` and `like`.

    """
    tool, sign, rest = method.partition(":")
    if not like_tool and is_tool(method):
        like_tool, method = method, ""
    elif sign and not like_tool:
        name, _, inner = rest.partition("(")
        pairs = [pair.partition("=") for pair in inner.removesuffix(")").split(",") if pair]
        return like(
            tool, name, **{"norm": norm, **{key: _of_tool(key, value) for key, _, value in pairs}, **_set_axes(axes)}
        )
    if like_tool:
        return like(like_tool, method, norm=norm, **axes)
    chosen = {"norm": "none" if norm is None else norm} if norm != "" else {}
    return Fusion.parse(method or "rrf", **_set_axes(axes), **chosen)


def _set_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in axes.items() if value is not None}


def _of_tool(name: str, text: str) -> Any:  # noqa: ANN401 - a parameter of a tool
    """Read a parameter of a tool from its signature."""
    if name == "similarities":
        return text.split("/")
    if name in ("run_weights", "minimum"):
        return tuple(map(float, text.split("/")))
    with suppress(ValueError):
        return float(text)
    return text


def fuse(
    runs: Mapping[str, object] | Sequence[object],
    method: str = "",
    *,
    like: str = "",
    norm: str | None = "",
    run_weights: Iterable[float] | Mapping[str, float] | None = None,
    k: float | None = None,
    name: str = NAME,
    progress: "Progress | None" = None,
    **axes: Any,  # noqa: ANN401 - values of axes, as `Fusion` has them, or parameters of a tool
) -> FusedRun:
    """Fuse runs: several rankings of the same queries become one.

    Args:
        runs: runs by name, or a list of paths and `Run`s, as for `evaluate_runs`; one is enough. A query that some run
            lacks is fused of the others.
        method: `rrf` (reciprocal rank fusion) where not said, or another of `rankworth.fusion.METHODS`, alone or with
            what is
            set: `"sum(norm=z,run_weights=0.3/0.7)"`; with `like` what the tool calls its method.
        like: a tool whose fusion it is to be: `qdrant`, `elasticsearch` and others of `rankworth.fusion.TOOLS`, with
            its defaults, its order of ties, and its errors.
        norm: what makes scores comparable, one of `rankworth.fusion.NORMS`; None for scores as they are.
        run_weights: what each run counts, in their order or by their names; numbers from 0, not all 0.
        k: the constant of reciprocal rank fusion, 60 where not said.
        name: what tables call the fused run.
        progress: told how far a file is read.
        **axes: what else is set, as `rankworth.fusion.Fusion` explains it: `base`, `candidates`, `ties`, `depth`,
            `top`; with `like` the tool's own parameters.

    Returns:
        A run with a score for each document, best first; its `signature` says how it came about, and `notes` and
        `notices` what is to be known.

    Raises:
        InputError: where a run cannot be trusted; `no-common-queries`, `bad-weight`, `duplicate-document`, `bad-score`.
        UsageError: `unknown-setting`, `conflicting-options`.

    >>> fused = fuse({"bm25": {"q1": {"a": 9.0, "b": 7.0}}, "dense": {"q1": {"b": 0.8, "c": 0.6}}})
    >>> fused.signature, fused.to_frame()["document"].to_list()
    ('rrf(k=60)', ['b', 'a', 'c'])
    >>> fuse({"bm25": {"q1": ["a", "b"]}, "dense": {"q1": ["b", "c"]}}, like="qdrant").signature
    'qdrant:rrf(k=2)'
    """
    named = as_runs(runs)
    definition = define(method, like_tool=like, norm=norm, run_weights=_weights(run_weights, list(named)), k=k, **axes)
    run = Fusing(list(named.values()), definition, list(named)).run(name, progress)
    for notice in run.notices if are_warnings_shown() else ():
        if catalogue()[notice.slug][0] == "warning":
            warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=2)
    return run


def as_runs(runs: Mapping[str, object] | Sequence[object]) -> dict[str, Run]:
    """Return runs by name; one of empty lists alone is a run without a row.

    Raises:
        InputError, UsageError: as `rankworth.scoring.inputs.runs`.

    """
    if isinstance(runs, Mapping):
        return {name: _run(source, str(name)) for name, source in runs.items()}
    return inputs.runs(runs)


def _run(source: object, name: str) -> Run:
    if (
        isinstance(source, Mapping)
        and source
        and all(isinstance(each, Sized) and not len(each) for each in source.values())
    ):
        return Run.without_rows(name, empty=map(validate.text, source))
    return inputs.run(source, name)


def _weights(weights: Iterable[float] | Mapping[str, float] | None, names: Sequence[str]) -> Any:  # noqa: ANN401 - checked below
    """Return weights in the order of the runs.

    Raises:
        InputError: `bad-weight` where weights by name are those of other runs.

    """
    if not isinstance(weights, Mapping):
        return weights
    if set(weights) != set(names):
        raise InputError("bad-weight", f"there are weights of {quoted(weights)}, and the runs are {quoted(names)}")
    return tuple(weights[name] for name in names)


class Joined(NamedTuple):
    """Some queries, read and joined by document."""

    block: Block
    candidates: Candidates
    lists: list[List]


class FusedBlock(NamedTuple):
    """Some queries, joined and fused."""

    candidates: Candidates
    lists: list[List]
    fused: FusedLists


def refuse_without_scores(run: Run, name: str, definition: Definition) -> None:
    """Refuse a run without scores if the method needs them, and a run without scores and ranks.

    Args:
        run: a run that was read.
        name: what it is called.
        definition: how it is fused.

    Raises:
        InputError: `bad-score`, and as `Facts.refuse_sets`.

    """
    run.facts.refuse_sets("a fusion")
    takes_scores = definition.steps.uses_scores or definition.steps.who == "all"
    if takes_scores and not run.facts.has_scores:
        text = f"{name} has ranks and no scores, and {definition} takes scores"
        raise InputError("bad-score", text, remedy="--method rrf (method='rrf') takes ranks alone")


def _greatest(rows: List) -> Any:  # noqa: ANN401 - an array
    """Return `[R]`, of each row the greatest score of its query."""
    starts = (np.cumsum(rows.lengths) - rows.lengths)[rows.lengths > 0]
    return np.repeat(np.maximum.reduceat(rows.scores, starts), rows.lengths[rows.lengths > 0])


def rows_of(candidates: Candidates, fused: FusedLists) -> pl.DataFrame:
    """Return the rows `query, document, rank, score` of some fused queries."""
    query = candidates.query[fused.candidate]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    lengths = np.diff(starts, append=query.size)
    names = pl.Series([candidates.queries[number] for number in query[starts].tolist()], dtype=pl.String)
    columns = {
        "query": names.gather(np.repeat(np.arange(starts.size), lengths)),
        "document": candidates.ids(fused.candidate),
        "rank": np.arange(query.size) - np.repeat(starts, lengths) + 1,
        "score": fused.scores[fused.candidate].astype(np.float64),
    }
    return pl.DataFrame(columns)


@dataclass
class Fusing:
    """A fusion of some runs on its way.

    Attributes:
        runs: the runs.
        definition: how they are fused.
        names: what they are called.

    """

    runs: Sequence[Run]
    definition: Definition
    names: Sequence[str]
    facts: Facts = field(init=False)
    """what was seen of the runs when they were fused last"""

    def __post_init__(self) -> None:
        """Choose the runs that count.

        Raises:
            InputError: `bad-weight`, `empty-input`.
            UsageError: `conflicting-options`.

        """
        if not self.runs:
            raise UsageError(
                "conflicting-options", "there is no run to fuse", remedy="name two: rankworth fuse a.run b.run"
            )
        weights = self.definition.weights(len(self.runs))
        drops = not isinstance(self.definition, ToolFusion) or self.definition.kind.drops_zero
        used = [number for number, weight in enumerate(weights) if weight or not drops]
        read = [self.runs[number] for number in used]
        self.used = [run.held() if any(file.path == STDIN for file in run.files) else run for run in read]
        self.names_used = [self.names[number] for number in used]
        self.weights = [weights[number] for number in used]
        if all(run.has_no_rows for run in self.used):
            raise InputError("empty-input", f"{quoted(self.names_used)}: no run has a document")
        if isinstance(self.definition, ToolFusion):
            self.definition.refuse_runs(
                {name: run.has_no_rows for name, run in zip(self.names, self.runs, strict=True)}
            )

    @property
    def reads(self) -> tuple[object, ...]:
        """What decides how rows are read: fusions of some runs in which it is equal can share what `read` yields."""
        sorts_files = isinstance(self.definition, ToolFusion) and self.definition.kind.sorts_files
        return (*self.names_used, self.definition.steps.order == "rank", sorts_files)

    def read(self, progress: "Progress | None" = None, *, scattered: bool = False) -> Iterator[Joined]:
        """Yield the lists of some queries at a time, joined by document, before anything is refused.

        Args:
            progress: told how far a file is read.
            scattered: whether rows of a query may stand apart.

        Raises:
            InputError: where a file cannot be read.
            ScatteredError: where rows of a query stand apart, and may not.

        """
        by_rank = self.definition.steps.order == "rank"
        for block in blocks(self.used, ranks=by_rank, scattered=scattered, progress=progress):
            prepared = self._prepared(block, by_rank=by_rank)
            yield Joined(prepared, *joined(prepared.queries, prepared.frames, prepared.lengths))

    def joined(self, read: Iterable[Joined]) -> Iterator[tuple[Candidates, list[List]]]:
        """Yield the lists of some queries at a time, once they are checked.

        Args:
            read: what `read` yields.

        Raises:
            InputError: where a run cannot be trusted.

        """
        self.facts = Facts(self.names_used, self.definition.steps.depth)
        for each in read:
            self._check(each.block, each.lists)
            self.facts.see(each.block, each.lists)
            yield each.candidates, each.lists
        self.facts.refuse_strangers([bool(run.empty) for run in self.used])
        if isinstance(self.definition, ToolFusion) and self.definition.kind.same_queries:
            self._refuse_other_queries(self.definition)

    def fused(self, read: Iterable[Joined]) -> Iterator[FusedBlock]:
        """Yield some queries at a time, fused.

        Args:
            read: what `read` yields.

        Raises:
            InputError: as `joined`.

        """
        for candidates, lists in self.joined(read):
            yield FusedBlock(candidates, lists, fuse_lists(candidates, lists, self.definition.steps, self.weights))

    def blocks(self, progress: "Progress | None" = None, *, scattered: bool = False) -> Iterator[FusedBlock]:
        """Yield some queries at a time, read and fused.

        Args:
            progress: told how far a file is read.
            scattered: whether rows of a query may stand apart.

        Raises:
            InputError, ScatteredError: as `read` and `joined`.

        """
        yield from self.fused(self.read(progress, scattered=scattered))

    def attempt(self, task: Callable[..., T]) -> T:
        """Do something with the blocks, and once more with all rows in memory where those of a query stand apart.

        Args:
            task: it takes `scattered`.

        """
        with suppress(ScatteredError):
            return task(scattered=False)
        return task(scattered=True)

    def _prepared(self, block: Block, *, by_rank: bool) -> Block:
        """Give rows what a tool reads them by: ranks where scores were made of them, the order of scores in files."""
        frames = list(block.frames)
        for number, run in enumerate(self.used):
            if by_rank and "rank" not in frames[number].columns and run.facts.has_rank_column:
                frames[number] = frames[number].with_columns(rank=-pl.col("score"))
            if run.files and isinstance(self.definition, ToolFusion) and self.definition.kind.sorts_files:
                query = np.repeat(np.arange(len(block.queries)), block.lengths[number])
                rows = frames[number].with_columns(query=query)
                frames[number] = rows.sort("query", "score", "document", descending=[False, True, False]).drop("query")
        return Block(block.queries, frames, block.lengths)

    def _check(self, block: Block, lists: Sequence[List]) -> None:
        """Refuse repeated documents, and scores that no norm takes."""
        for number, rows in enumerate(lists):
            name = self.names_used[number]
            if rows.scores.size:
                refuse_without_scores(self.used[number], name, self.definition)
            if self.definition.steps.repetition == "error" and has_repeated(rows.candidate.astype(np.uint64)):
                raise self.used[number].duplicates()
            if self.definition.steps.uses_scores and not np.isfinite(rows.scores).all():
                query = block.queries[rows.query[int(np.argmin(np.isfinite(rows.scores)))]]
                text = f"{name}: a score of query {quoted([query])} is infinite, and {self.definition} takes scores"
                raise InputError("bad-score", text, remedy="--method rrf (method='rrf') takes ranks alone")
            if isinstance(self.definition, Fusion) and self.definition.needs_positive and rows.scores.size:
                query = block.queries[rows.query[int(np.argmax(_greatest(rows) <= 0))]]
                if (_greatest(rows) <= 0).any():
                    text = f"{name}: query {quoted([query])} has no score above 0, by which norm=max divides"
                    raise InputError("bad-score", text, remedy="--norm min-max (norm='min-max') takes any scores")
            if isinstance(self.definition, ToolFusion) and (lacking := np.flatnonzero(rows.lengths == 0)).size:
                self.definition.refuse_empty(name, block.queries[int(lacking[0])])

    def _refuse_other_queries(self, fusion: ToolFusion) -> None:
        """Refuse runs of other queries, as a tool does."""
        for name, run, answered in zip(self.names_used, self.used, self.facts.answered.tolist(), strict=True):
            lacking = self.facts.queries - answered - len(run.empty)
            if lacking > 0:
                text = f"{name} lacks {counted(lacking)} that another run has, and {fusion.tool.name} refuses such runs"
                raise InputError("refused-input", text, remedy="without --like (like=...) such queries are fused")

    def frames(self, progress: "Progress | None" = None, *, scattered: bool = False) -> Iterator[pl.DataFrame]:
        """Yield the fused rows `query, document, rank, score`, each query in one frame.

        Args:
            progress: told how far a file is read.
            scattered: whether rows of a query may stand apart.

        Raises:
            InputError, ScatteredError: as `blocks`.

        """
        for candidates, _, fused in self.blocks(progress, scattered=scattered):
            self.facts.count_ties(candidates.query[fused.candidate], fused.scores[fused.candidate].astype(np.float64))
            yield rows_of(candidates, fused)

    def run(self, name: str = NAME, progress: "Progress | None" = None) -> FusedRun:
        """Fuse the runs.

        Args:
            name: what tables call the fused run.
            progress: told how far a file is read.

        Raises:
            InputError: where a run cannot be trusted.

        """
        frames = self.attempt(lambda *, scattered: list(self.frames(progress, scattered=scattered)))
        rows = pl.concat(frames).drop("rank")
        chosen: dict[str, Any] = {
            "signature": str(self.definition),
            "fused_from": tuple(self.names_used),
            "notes": tuple(self.notes()),
            "notices": tuple(self.notices()),
        }
        answered = set(rows["query"].unique())
        empty = frozenset(query for each in self.used for query in each.empty if query not in answered)
        if not rows.height:  # no document is in all runs
            run = FusedRun(_ONE_ROW, name)._changed(source=None, frame=None, mapping={})  # noqa: SLF001 - of the same class
        else:
            run = FusedRun(rows, name)
        kinds = {tuple(each.kinds.integers(role) for role in ("query", "document")) for each in self.used}
        chosen |= {"kinds": self.used[0].kinds} if len(kinds) == 1 else {}
        return run._changed(empty=empty, **chosen)  # noqa: SLF001 - of the same class

    def write(self, target: str, form: str = "", inputs: Sequence[str] = (), progress: "Progress | None" = None) -> int:
        """Fuse the runs into a file, whole or not at all, some queries at a time.

        Args:
            target: the file, or `-` for standard output.
            form: its format; told by its suffix where empty, TREC's lines on standard output.
            inputs: files that are read, and so must not be written.
            progress: told how far a file is read.

        Returns:
            How many rows it has.

        Raises:
            InputError: where a run cannot be trusted.
            UsageError: `unknown-format`, `unwritable-output`.

        """
        chosen = write.target_format(target, form or ("trec" if target == STDIN else ""))
        if target != STDIN:
            atomic.refuse(target, inputs)
        height = 0

        def rows(*, scattered: bool) -> Iterator[pl.DataFrame]:
            nonlocal height
            height = 0
            for frame in self.frames(progress, scattered=scattered):
                if frame.height:
                    write.refuse(frame, chosen, NAME, height + 1, lossy=True)
                    height += frame.height
                    yield frame.with_columns(tag=pl.lit(str(self.definition)))
            if not height:
                text = f"{quoted(self.names_used)} have no document in common, and only common ones are fused"
                remedy = "--set candidates=union (candidates='union') fuses those of any run"
                raise InputError("empty-input", text, remedy=remedy)

        def write_rows(*, scattered: bool) -> None:
            columns, metadata = write.TABLES[RUN.value], {SIGNATURE: str(self.definition)}
            atomic.write(
                {
                    Path(target): lambda file: write.write(
                        rows(scattered=scattered), file, chosen, columns=columns, metadata=metadata
                    )
                }
            )

        self.attempt(write_rows)
        return height

    def notes(self) -> Iterator[str]:
        """Yield what is to be known of the fused run."""
        facts = self.facts
        each = ", ".join(
            f"{name} {'up to ' * (not number)}{length:,}"
            for number, (name, length) in enumerate(zip(facts.names, facts.longest.tolist(), strict=True))
        )
        fused = f"{counted(len(facts.names), 'run', 'runs')}, {counted(facts.queries)}"
        yield f"{self.definition} of {fused}; documents for a query: {each}"
        for name, answered in zip(facts.names, facts.answered.tolist(), strict=True):
            if answered < facts.queries:
                yield f"{name} lacks {counted(facts.queries - answered)}, which are fused without it"
        if facts.tied:
            ties = self.definition.steps.ties
            stands = {"id-descending": "by descending id", "id-ascending": "by ascending id"}.get(ties, ties)
            yield (
                f"{facts.tied / facts.first:.1%} of the documents on the first {FIRST} ranks tie with another and "
                f"stand {stands}. How much that matters: rankworth evaluate QRELS RUN --bounds ties"
            )
        if isinstance(self.definition, ToolFusion):
            yield from self.definition.tool.remarks

    def notices(self) -> Iterator[Notice]:
        """Yield what deserves a second look."""
        facts, definition = self.facts, self.definition
        if definition.steps.depends_on_depth and np.unique(facts.longest[facts.longest > 0]).size > 1:
            each = ", ".join(
                f"{name} {length:,}" for name, length in zip(facts.names, facts.longest.tolist(), strict=True)
            )
            text = (
                f"the lists have different depths ({each}), and {definition} depends on them: range and deviation of "
                "scores grow with the depth"
            )
            yield Notice("uneven-depth", f"{text}; cut them alike: --depth N (depth=N)")
        if isinstance(definition, ToolFusion):
            if definition.kind.open and (facts.any_tied or "number" in definition.kind.open):
                yield Notice("unspecified-order", f"{definition.tool.title} {definition.kind.open}")
            unordered = [name for name, count in zip(facts.names, facts.unordered.tolist(), strict=True) if count]
            if unordered and definition.steps.order == "given":
                taken = f"and {definition} takes them as they stand"
                text = f"{quoted(unordered)}: rows do not stand in the order of their scores, {taken}"
                yield Notice("contradicting-ranks", text)

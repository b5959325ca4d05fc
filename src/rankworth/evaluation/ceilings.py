"""Public API: chunks, the best that retrieval could do with a chunking, before any retriever is run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

from rankworth.catalogue import missing
from rankworth.errors import InputError, UsageError, quoted
from rankworth.evaluation.runner import evaluate_runs
from rankworth.io import spans
from rankworth.io.files import batches_of, files_of
from rankworth.io.id_rules import IdRule
from rankworth.io.id_tables import rule_for_documents
from rankworth.io.layout import RUN
from rankworth.io.options import Reading, cost_column
from rankworth.io.paths import is_path
from rankworth.judging.spans import gold_spans
from rankworth.model import Qrels, Run
from rankworth.model.cost_rows import rows_of
from rankworth.model.costs import Costs
from rankworth.model.run import stem
from rankworth.profiles import DEFAULT
from rankworth.stats.spans import Span, cover

if TYPE_CHECKING:
    from rankworth.io.source import Source
    from rankworth.results.values import RunValues

MEASURES: Final = ("SpanR", "SpanP", "SpanIoU", "SpanPieces", "SpanLength")
"""what is told of a chunking"""
COST: Final = "CostToAll(absent=0)"
"""what is told besides, where chunks have costs: the cost of all pieces that are needed"""
_COLUMNS: Final = {"query": "", "source": "", "score": ""}
"""what a table of chunks does not tell"""


def chunks(
    gold: object,
    chunkings: object,
    measures: str | Iterable[Any] = MEASURES,
    *,
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    queries: Iterable[object] | None = None,
    sources: object = None,
    cost: str | None = None,
    profile: Any = DEFAULT,  # noqa: ANN401 - as for `evaluate`
    **settings: Any,  # noqa: ANN401 - those of `evaluate_runs`
) -> "RunValues":
    """Tell the best that retrieval could do with each of several chunkings of the same sources.

    For each query a perfect retriever returns the chunks that hold all of the gold, in as few characters as there can
    be. Recall is 1 then, unless a chunking leaves characters out; precision and IoU are the highest that there are with
    all of the gold, and the numbers of pieces and of characters are what has to be read.

    Args:
        gold: judgements whose documents are spans, as for `evaluate`.
        chunkings: all chunks of each chunking, `{name: chunks}`, or a list of paths, which are named by their file:
            columns `source`, `start` and `end` in any format of runs, in a frame or in rows, or a list of tuples.
        measures: what is told; recall, precision, IoU, pieces and characters where not said.
        qrels_columns: which column of the gold holds what, `{"source": "file"}`.
        run_columns: the same of the chunks.
        queries: the queries that count; all where not said.
        sources: texts of sources, `{id: text}`, a folder of .txt and .md files, or a corpus, in which gold and chunks
            that are texts are sought.
        cost: the column of the chunks that says what each costs, `"tokens"`, `"bytes=size"`, or texts that are counted,
            `"tokens=text"`; then `CostToAll(absent=0)` is told, too: what has to be read. For measures of relevant
            pieces, a piece is relevant by any character of the gold then (`span_share=0`).
        profile: as for `evaluate`.
        **settings: as for `evaluate_runs`.

    Returns:
        `{name: Values}`, as `evaluate_runs` gives them: with values of queries and intervals of means.

    Raises:
        InputError: `bad-span`, `frame-columns`, and as `evaluate`.
        MeasureError: `missing-input`, where the judgements are no spans.
        UsageError: `run-names`.

    >>> gold = {"q1": [("a", 10, 30)], "q2": [("a", 60, 70)]}
    >>> halves = [("a", 0, 50), ("a", 50, 100)]
    >>> tenths = [("a", start, start + 10) for start in range(0, 100, 10)]
    >>> best = chunks(gold, {"halves": halves, "tenths": tenths}, ["SpanR", "SpanP", "SpanPieces"])
    >>> {name: dict(values.mean()) for name, values in best.items()}["halves"]
    {'SpanR': 1.0, 'SpanP': 0.30000000000000004, 'SpanPieces': 1.0}
    >>> dict(best["tenths"].mean())
    {'SpanR': 1.0, 'SpanP': 1.0, 'SpanPieces': 1.5}
    """
    rule = None if sources is None else rule_for_documents(None, sources)
    judged = gold
    if rule is not None or not isinstance(judged, Qrels):
        judged = Qrels(gold, columns=qrels_columns, queries=queries, sources=rule)
    if not judged.facts.spans:
        raise missing("spans", "the ceiling of a chunking")
    wanted = {query: [span for span, grade in graded if grade > 0] for query, graded in gold_spans(judged).items()}
    costs = cost_column(cost)
    read = {name: _Chunks.of(source, name, run_columns or {}, rule) for name, source in _named(chunkings).items()}
    runs = {name: _perfect(wanted, each.spans(), name) for name, each in read.items()}
    if costs:
        runs = {name: read[name].with_costs(run, costs) for name, run in runs.items()}
        measures = (*MEASURES, COST) if measures is MEASURES else measures
        settings = {"span_share": 0.0} | settings
    return evaluate_runs(judged, runs, measures, queries=queries, profile=profile, **settings)


@dataclass(frozen=True)
class _Chunks:
    """All chunks of a chunking, whose costs are read as those of a run.

    Attributes:
        source: as for `chunks`.
        name: of the chunking.
        columns: which column holds what.
        ids: how texts become spans; None where there are no sources.
        files: those of the source.

    """

    source: Any
    name: str
    columns: Mapping[str, str]
    ids: IdRule | None
    files: "Sequence[Source]" = ()
    format: str = ""
    kept: frozenset[str] | None = None

    @classmethod
    def of(cls, source: Any, name: str, columns: Mapping[str, str], ids: IdRule | None) -> Self:  # noqa: ANN401 - as for `chunks`
        """Find the files of a chunking."""
        made = cls(source, name, _COLUMNS | dict(columns), ids)
        if isinstance(source, Mapping) or made.are_items:
            return made
        return replace(made, files=files_of(source, RUN, Reading(columns=made.columns)))

    @property
    def called(self) -> str:
        """What messages call them."""
        return self.name if self.files else f"the chunks {self.name}"

    def spans(self) -> list[Span]:
        """Read the spans of the chunks.

        Raises:
            InputError: `bad-span`, `missing-value`, `frame-columns`, `empty-input`.

        """
        if self.are_items:
            documents = self._documents_of_items()
        else:
            reading = Reading(columns=self.columns, ids=self.ids)
            frames = batches_of(self.source, self.files, RUN, reading, self.called)
            documents = [document for frame in frames for document in frame["document"].to_list()]
        pieces = [span for document in dict.fromkeys(documents) if (span := spans.parsed(document)) is not None]
        if not pieces:
            raise InputError("empty-input", f"{self.called}: there is no chunk")
        return pieces

    def with_costs(self, run: Run, cost: Mapping[str, str]) -> Run:
        """Say what the pieces of a perfect retriever cost.

        Args:
            run: what it returns.
            cost: the column of costs by what is counted.

        Raises:
            InputError: `bad-cost`, `frame-columns`.

        """
        if self.are_items:
            text = f"{self.name}: chunks that are texts or tuples have no column of costs"
            raise InputError("bad-cost", text, remedy="give rows with source, start, end and what they cost")
        [(unit, column)] = cost.items()
        costs = Costs.of_rows(rows_of(self, column, unit), unit, self.name)
        return run.with_costs({document: cost for (_, document), cost in costs.by_pair.items()}, unit)

    @property
    def are_items(self) -> bool:
        """Whether chunks are tuples, or all of them texts that can be sought in sources, and no rows."""
        source = self.source
        if not isinstance(source, list | tuple):
            return False
        are_sought = self.ids is not None and bool(source) and set(map(type, source)) in ({str}, {tuple})
        return spans.are_spans(source) or are_sought

    def _documents_of_items(self) -> list[str]:
        """Return the ids of chunks given as tuples, or as texts found in sources."""

        def where(row: int) -> str:
            return f"{self.called}: item {row}"

        if self.ids is None:
            return spans.of_items(self.source, where) or []
        import polars as pl  # noqa: PLC0415 - not needed for files

        documents = spans.of_items(self.source, where, in_sources=True)
        if documents is None:
            documents = spans.of_texts(self.source, where)
        return self.ids.renamed(pl.Series(documents), self.called).to_list()


def _named(chunkings: object) -> dict[str, Any]:
    """Return the chunkings by name.

    Raises:
        UsageError: `run-names`.

    """
    if isinstance(chunkings, Mapping):
        return {str(name): pieces for name, pieces in chunkings.items()}
    paths = [chunkings] if is_path(chunkings) else chunkings
    if not isinstance(paths, list | tuple) or not paths or not all(map(is_path, paths)):
        text = "chunkings that are no files need names"
        raise UsageError("run-names", text, remedy="give {name: chunks, ...}")
    names = [stem(path) for path in paths]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError("run-names", f"two chunkings are called {twice[0]!r}", remedy="give {name: path, ...}")
    return dict(zip(names, paths, strict=True))


def _perfect(wanted: Mapping[str, list[Span]], pieces: list[Span], name: str) -> Run:
    """Make the run of a perfect retriever: of each query the chunks that hold its gold."""
    covers = {query: [pieces[number] for number in cover(gold, pieces)] for query, gold in wanted.items()}
    if not any(covers.values()):
        text = (
            f"{name}: no chunk holds a character of the gold; its sources are {quoted({piece[0] for piece in pieces})}"
        )
        gold_sources = quoted({span[0] for spans_ in wanted.values() for span in spans_})
        raise InputError("no-match", text, remedy=f"call sources alike: those of the gold are {gold_sources}")
    return Run({query: [spans.id_of(*piece) for piece in chosen] for query, chosen in covers.items()}, name)

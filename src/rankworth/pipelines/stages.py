"""The stages of a pipeline as columns: which judged document stands at which rank of which stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.paths import is_path
from rankworth.model import Qrels, Run
from rankworth.scoring import inputs

if TYPE_CHECKING:
    from rankworth.io.source import Progress

_ROWS: Final = pl.Schema({"query": pl.String, "document": pl.String, "rank": pl.Int64})


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage: a run, or several that stand side by side, such as two retrievers.

    Attributes:
        name: the names of its runs.
        runs: by name.
        ranked: of each run the rows `query, document, rank` of the judged queries.

    """

    name: str
    runs: Mapping[str, Run]
    ranked: Mapping[str, pl.DataFrame]

    @property
    def candidates(self) -> pl.DataFrame:
        """The documents of all its runs, `query, document, rank`, each once with its best rank."""
        rows = pl.concat(list(self.ranked.values()))
        return rows.group_by("query", "document", maintain_order=True).agg(pl.col("rank").min())


def read_stages(stages: object, qrels: Qrels, progress: "Progress | None" = None) -> list[Stage]:
    """Read the runs of all stages.

    Args:
        stages: from left to right, each a run or several runs: a list of these, or a dict by name.
        qrels: the judgements, whose queries count.
        progress: told how far a file is read.

    Raises:
        InputError: `input-type`, and where a run cannot be trusted.
        UsageError: `run-names`, `conflicting-options`.

    """
    named = stages.items() if isinstance(stages, Mapping) and not _is_run(stages) else None
    if named is None and (isinstance(stages, Mapping | str) or not isinstance(stages, Sequence)):
        text = f"{type(stages).__name__} is no list of stages"
        raise InputError("input-type", text, remedy='trace(qrels, [["bm25.run", "dense.run"], "reranked.run"])')
    groups = [_runs(item, str(name)) for name, item in named or [("", item) for item in stages]]  # type: ignore[attr-defined]
    if not groups:
        raise UsageError("conflicting-options", "there is no stage to trace")
    if not all(groups):
        text = f"stage {groups.index({}) + 1} of {len(groups)} has no run"
        raise UsageError("conflicting-options", text, remedy="leave it out, or name its runs")
    names = [name for group in groups for name in group]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        text = f"two runs of the pipeline are called {quoted(twice)}"
        raise UsageError("run-names", text, remedy="name them: {name: run, ...}, on the command line NAME=FILE")
    wanted = pl.Series("query", list(qrels.queries), dtype=pl.String)
    return [
        Stage(" + ".join(group), group, {name: ranked(run, wanted, progress) for name, run in group.items()})
        for group in groups
    ]


def _is_run(item: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Return whether a mapping is a run: of queries to documents, and not of names to runs."""

    def holds_documents(value: object) -> bool:
        if isinstance(value, Mapping):
            return not any(isinstance(part, Mapping | list | tuple) for part in value.values())
        return isinstance(value, list | tuple) and not any(
            isinstance(part, Mapping | Run) or (is_path(part) and "." in str(part)) for part in value
        )

    return isinstance(item, Mapping) and bool(item) and all(map(holds_documents, item.values()))


def _runs(item: Any, name: str) -> dict[str, Run]:  # noqa: ANN401 - whatever a caller has
    """Return the runs of one stage by name."""
    if isinstance(item, Mapping) and not _is_run(item):
        return inputs.runs(item)
    if isinstance(item, list | tuple):
        return inputs.runs(item)
    return inputs.runs({name: item} if name else [item])


def ranked(run: Run, queries: pl.Series, progress: "Progress | None" = None) -> pl.DataFrame:
    """Return the rows `query, document, rank` of some queries, in the order of an evaluation.

    Documents stand by descending score, ties by descending id; those of lists as they are listed.

    Args:
        run: the run.
        queries: the ids of the queries.
        progress: told how far a file is read.

    Raises:
        InputError: where the run cannot be trusted; `duplicate-document`.

    """
    frames = [frame.filter(frame["query"].is_in(queries.implode())) for frame in run.batches(progress)]
    rows = (
        pl.concat(frames)
        if frames
        else pl.DataFrame(schema={"query": pl.String, "document": pl.String, "score": pl.Float64})
    )
    if rows.select("query", "document").is_duplicated().any():
        raise run.duplicates()
    if run.lists is None:
        rows = rows.sort("query", "score", "document", descending=[False, True, True])
    return rows.select("query", "document", rank=pl.int_range(1, pl.len() + 1).over("query")).cast(_ROWS)


def judged(qrels: Qrels) -> pl.DataFrame:
    """Return the judgements as rows `query, document, grade`, the best grade of a document that has several."""
    frame = pl.DataFrame(
        {
            "query": [
                query for query, size in zip(qrels.queries, qrels.lengths.tolist(), strict=True) for _ in range(size)
            ],
            "document": qrels.document_series,
            "grade": qrels.grades,
        }
    )
    return frame.group_by("query", "document", maintain_order=True).agg(pl.col("grade").max())


def new_documents(before: Stage, after: Stage) -> tuple[int, str]:
    """Count the documents of a stage that none of the runs before has, and name one as an example."""
    lacking = after.candidates.join(before.candidates, on=["query", "document"], how="anti")
    if not lacking.height:
        return 0, ""
    query, document, _ = lacking.row(0)
    number = counted(lacking.height, "document", "documents")
    text = f"{after.name} has {number} that {before.name} lacks: {document} of query {query}"
    return lacking.height, text

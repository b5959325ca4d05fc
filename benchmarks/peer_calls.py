"""What peers.py measures in memory: for each tool and form of input its call, and rankworth's from the same objects.

    python peer_calls.py JOB SIDE QRELS RUN

makes the inputs of a job, and then calls one side, `theirs` or `ours`, as often as standard input asks: each line is a
number of calls in a row, and gets a line with what one of them took, or `values`, and gets the values of all queries.
Neither the tool of the job nor rankworth is imported before it is called. The files are a collection of generate.py,
which has as many documents for each query, in order.
"""

import gc
import json
import resource
import sys
import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Final

import measuring
from file_peers import FIVE, PYTREC_EVAL, RANX, Values

LIST: Final = 100
"""documents of a query where a tool is handed short lists: recommendations, and the hits of a search"""
ITEMS: Final = 50_000
"""of the catalogue of recommendations"""
KIB: Final = 1 if sys.platform == "darwin" else 1024
CLEAR: Final = Path("/proc/self/clear_refs")
STATUS: Final = Path("/proc/self/status")


class Job(ABC):
    """One tool, one form of input: `theirs` and `ours` are measured, the rest is not."""

    tool: ClassVar[str]
    """its name where pip finds it"""
    module: ClassVar[str]
    form: ClassVar[str]
    profile: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    """of the measures, as the profile has them"""

    @abstractmethod
    def __init__(self, qrels: Path, run: Path) -> None:
        """Make the inputs."""

    @abstractmethod
    def theirs(self) -> object:
        """Evaluate as the users of the tool do."""

    @abstractmethod
    def ours(self) -> object:
        """Evaluate with rankworth, from the same objects."""

    @abstractmethod
    def their_values(self) -> Values:
        """Return the values of the tool by measure and query."""

    def our_values(self) -> Values:
        """Return the values of rankworth by measure and query."""
        rows = self.ours().per_query.to_dict()  # type: ignore[attr-defined]
        return {name: {query: float(row[name]) for query, row in rows.items()} for name in self.names}


class Evaluated(Job):
    """A job that `rankworth.evaluate` does from two objects."""

    qrels: Any
    run: Any

    def ours(self) -> object:
        """Evaluate by the conventions of the tool."""
        import rankworth  # noqa: PLC0415 - not in the process of the tool

        return rankworth.evaluate(self.qrels, self.run, self.names, profile=self.profile)


class PytrecEvalDicts(Evaluated):
    """`RelevanceEvaluator` made and asked."""

    tool, module, form = "pytrec_eval-terrier", "pytrec_eval", "dicts"
    profile, names = "pytrec_eval-terrier", PYTREC_EVAL

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two dicts of dicts."""
        self.qrels, self.run = numbers(qrels, int, 3), numbers(run, float, 4)

    def theirs(self) -> Any:  # noqa: ANN401 - whatever the tool returns
        """Return its dict of values."""
        import pytrec_eval  # noqa: PLC0415 - only in the process of the tool

        return pytrec_eval.RelevanceEvaluator(self.qrels, self.names).evaluate(self.run)

    def their_values(self) -> Values:
        """Turn its dict by measure."""
        values = self.theirs()
        return {name: {query: values[query][name] for query in values} for name in self.names}


class IrMeasuresDicts(Evaluated):
    """`calc_aggregate` of dicts."""

    tool, module, form = "ir_measures", "ir_measures", "dicts"
    profile, names = "ir_measures", FIVE

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two dicts of dicts."""
        self.qrels, self.run = numbers(qrels, int, 3), numbers(run, float, 4)

    def theirs(self) -> object:
        """Return the means."""
        import ir_measures  # noqa: PLC0415 - only in the process of the tool

        measures = [ir_measures.parse_measure(name) for name in self.names]
        return ir_measures.calc_aggregate(measures, self.qrels, self.run)

    def their_values(self) -> Values:
        """Ask for each query."""
        import ir_measures  # noqa: PLC0415 - only in the process of the tool

        values: Values = {name: {} for name in self.names}
        measures = [ir_measures.parse_measure(name) for name in self.names]
        for metric in ir_measures.iter_calc(measures, self.qrels, self.run):
            values[str(metric.measure)][metric.query_id] = metric.value
        return values


class IrMeasuresFrames(IrMeasuresDicts):
    """`calc_aggregate` of frames of pandas, with the columns that ir_measures asks for."""

    form = "frames"

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two frames."""
        self.qrels, self.run = frames(qrels, run, "query_id", "doc_id", "relevance")


class RanxDicts(Evaluated):
    """`ranx.evaluate`, with a `Qrels` and a `Run` made of dicts."""

    tool, module, form = "ranx", "ranx", "dicts"
    profile, names = "ranx-0.3-comparable", RANX

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two dicts of dicts."""
        self.qrels, self.run = numbers(qrels, int, 3), numbers(run, float, 4)

    def theirs(self) -> Any:  # noqa: ANN401 - whatever the tool returns
        """Return its run, which has the values."""
        import ranx  # noqa: PLC0415 - only in the process of the tool

        return self.evaluated(ranx.Qrels(self.qrels), ranx.Run(self.run))

    def evaluated(self, qrels: Any, run: Any) -> Any:  # noqa: ANN401 - of the tool
        """Evaluate objects of ranx."""
        import ranx  # noqa: PLC0415 - only in the process of the tool

        ranx.evaluate(qrels, run, list(self.names), make_comparable=True)
        return run

    def their_values(self) -> Values:
        """Return what the run has kept."""
        scores = self.theirs().scores
        return {name: {query: float(value) for query, value in scores[name].items()} for name in self.names}


class RanxFrames(RanxDicts):
    """The same with frames of pandas, whose texts have to be objects."""

    form = "frames"

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two frames."""
        pair = frames(qrels, run, "q_id", "doc_id", "score")
        self.qrels, self.run = (frame.astype({"q_id": object, "doc_id": object}) for frame in pair)

    def ours(self) -> object:
        """Say in which column the grades are."""
        import rankworth  # noqa: PLC0415 - not in the process of the tool

        return rankworth.evaluate(
            self.qrels, self.run, self.names, profile=self.profile, qrels_columns={"grade": "score"}
        )

    def theirs(self) -> Any:  # noqa: ANN401 - whatever the tool returns
        """Return its run, which has the values."""
        import ranx  # noqa: PLC0415 - only in the process of the tool

        return self.evaluated(ranx.Qrels.from_df(self.qrels), ranx.Run.from_df(self.run))


class RecToolsFrames(Job):
    """`calc_metrics` of interactions and of the first hundred recommendations of each user."""

    tool, module, form = "RecTools", "rectools", "lists"
    profile, names = "rectools", ("NDCG@10", "MRR@10", "MAP@10", "Precision@5", "Recall@100")

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read two frames; an interaction is what has a grade above 0."""
        judged, listed = frames(qrels, run, "user_id", "item_id", "grade")
        self.interactions = judged[judged["grade"] > 0][["user_id", "item_id"]].reset_index(drop=True)
        listed["rank"] = listed.groupby("user_id", sort=False).cumcount() + 1
        self.reco = listed[listed["rank"] <= LIST][["user_id", "item_id", "rank"]].reset_index(drop=True)

    def metrics(self) -> dict[str, Any]:
        """Return the metrics of the tool by name."""
        from rectools import metrics  # noqa: PLC0415 - only in the process of the tool

        classes = {"NDCG": metrics.NDCG, "MRR": metrics.MRR, "MAP": metrics.MAP}
        classes |= {"Precision": metrics.Precision, "Recall": metrics.Recall}
        split = {name: name.split("@") for name in self.names}
        return {name: classes[metric](k=int(cutoff)) for name, (metric, cutoff) in split.items()}

    def theirs(self) -> object:
        """Return the means."""
        from rectools.metrics import calc_metrics  # noqa: PLC0415 - only in the process of the tool

        return calc_metrics(self.metrics(), self.reco, self.interactions)

    def their_values(self) -> Values:
        """Ask for each user."""
        return {
            name: metric.calc_per_user(self.reco, self.interactions).to_dict()
            for name, metric in self.metrics().items()
        }

    def ours(self) -> object:
        """Say what the columns are."""
        import rankworth  # noqa: PLC0415 - not in the process of the tool

        columns = {"query": "user_id", "document": "item_id"}
        return rankworth.evaluate(
            self.interactions,
            self.reco,
            self.names,
            profile=self.profile,
            qrels_columns=columns,
            run_columns=columns | {"score": "-rank"},
        )


class RecToolsItems(Job):
    """A metric of RecTools that looks at items, of the first ten recommendations of each user."""

    tool, module, profile = "RecTools", "rectools", "rectools"

    def __init__(self, qrels: Path, run: Path) -> None:
        """Read interactions and lists of few items; draw a catalogue and five earlier interactions for each user."""
        import numpy as np  # noqa: PLC0415 - peers.py, which imports this module, stays small
        import polars as pl  # noqa: PLC0415 - as above

        item = (pl.col("document").cast(pl.Int64) % ITEMS).alias("item_id")
        user = pl.col("query").cast(pl.Int64).alias("user_id")
        judged, listed = (
            columns(path, name).select(user, item, name) for path, name in ((qrels, "grade"), (run, "score"))
        )
        first = (
            listed.unique(["user_id", "item_id"], maintain_order=True).group_by("user_id", maintain_order=True).head(10)
        )
        ranks = pl.int_range(1, pl.len() + 1).over("user_id").alias("rank")
        self.interactions = judged.filter(pl.col("grade") > 0).select("user_id", "item_id").unique().to_pandas()
        self.reco = first.select("user_id", "item_id", ranks).to_pandas()
        users, draw = self.reco["user_id"].unique(), np.random.default_rng(20261128)
        pairs = {
            "user_id": draw.choice(users, 5 * len(users)),
            "item_id": draw.choice(self.reco["item_id"], 5 * len(users)),
        }
        self.history = pl.DataFrame(pairs).unique(maintain_order=True).to_pandas()
        self.items = pl.DataFrame({"item_id": range(ITEMS)}).to_pandas()

    @property
    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Return what rankworth looks at beside the run."""

    def ours(self) -> object:
        """Say what the columns are."""
        import rankworth  # noqa: PLC0415 - not in the process of the tool

        ids = {"query": "user_id", "document": "item_id"}
        return rankworth.evaluate(
            self.interactions,
            self.reco,
            self.names,
            profile=self.profile,
            qrels_columns=ids,
            run_columns=ids | {"score": "-rank"},
            **self.data,
        )


class RecToolsHistory(RecToolsItems):
    """Novelty by the history of all users."""

    form, names = "history", ("MeanInvUserFreq@10",)

    @property
    def data(self) -> dict[str, Any]:
        """Return the history."""
        return {"history": self.history}

    def theirs(self) -> object:
        """Return the mean."""
        from rectools.metrics import MeanInvUserFreq, calc_metrics  # noqa: PLC0415 - only in the process of the tool

        return calc_metrics({"novelty": MeanInvUserFreq(k=10)}, self.reco, prev_interactions=self.history)

    def their_values(self) -> Values:
        """Ask for each user."""
        from rectools.metrics import MeanInvUserFreq  # noqa: PLC0415 - only in the process of the tool

        values = MeanInvUserFreq(k=10).calc_per_user(self.reco, self.history)
        return {self.names[0]: {str(user): value for user, value in values.to_dict().items()}}


class RecToolsCatalogue(RecToolsItems):
    """Coverage of a catalogue, which no user has a value of."""

    form, names = "catalogue", ("CatalogCoverage(normalize=True)@10",)

    @property
    def data(self) -> dict[str, Any]:
        """Return the table of items."""
        return {"items": self.items}

    def theirs(self) -> object:
        """Return the mean."""
        from rectools.metrics import CatalogCoverage, calc_metrics  # noqa: PLC0415 - only in the process of the tool

        coverage = CatalogCoverage(k=10, normalize=True)
        return calc_metrics({"coverage": coverage}, self.reco, catalog=self.items["item_id"].to_numpy())

    def their_values(self) -> Values:
        """Return the one value."""
        return {self.names[0]: {"all": float(self.theirs()["coverage"])}}  # type: ignore[index]

    def our_values(self) -> Values:
        """Return the one value."""
        return {self.names[0]: {"all": self.ours().mean()[self.names[0]]}}  # type: ignore[attr-defined]


class SklearnArrays(Job):
    """`ndcg_score` and `label_ranking_average_precision_score` of matrices `[Q, N]`, whose queries have no ids."""

    tool, module, form = "scikit-learn", "sklearn", "arrays"
    profile, names = "scikit-learn", ("ndcg_score(k=10)", "label_ranking_average_precision_score")

    def __init__(self, qrels: Path, run: Path) -> None:
        """Make two arrays of NumPy."""
        self.scores, self.grades = matrices(qrels, run)

    def theirs(self) -> object:
        """Return the two means."""
        return self.of(self.grades, self.scores)

    @staticmethod
    def of(grades: Any, scores: Any) -> tuple[float, float]:  # noqa: ANN401 - arrays
        """Evaluate some rows."""
        from sklearn import metrics  # noqa: PLC0415 - only in the process of the tool

        ndcg = metrics.ndcg_score(grades, scores, k=10)
        return float(ndcg), float(metrics.label_ranking_average_precision_score(grades > 0, scores))

    def their_values(self) -> Values:
        """Ask for each row: the tool has no values of queries."""
        rows = [self.of(self.grades[row, None], self.scores[row, None]) for row in range(len(self.scores))]
        return {name: numbered(column) for name, column in zip(self.names, zip(*rows, strict=True), strict=True)}

    def ours(self) -> object:
        """Evaluate the two arrays."""
        import rankworth  # noqa: PLC0415 - not in the process of the tool

        return rankworth.evaluate(labels=self.grades, scores=self.scores, measures=self.names, profile=self.profile)


class TorchmetricsTensors(Job):
    """Five metrics of torchmetrics, of flat tensors in single precision and the query of each document."""

    tool, module, form = "torchmetrics", "torchmetrics", "tensors"
    profile = "torchmetrics"
    names = (
        "retrieval_normalized_dcg(top_k=10)",
        "retrieval_reciprocal_rank",
        "retrieval_average_precision",
        "retrieval_precision(top_k=5)",
        "retrieval_recall(top_k=100)",
    )

    def __init__(self, qrels: Path, run: Path) -> None:
        """Make three tensors of PyTorch."""
        import torch  # noqa: PLC0415 - only where tensors are

        scores, grades = matrices(qrels, run)
        self.indexes = torch.arange(len(scores)).repeat_interleave(scores.shape[1])
        self.scores, self.grades = torch.tensor(scores.ravel()).float(), torch.tensor(grades.ravel())

    def theirs(self, aggregation: Any = "mean") -> dict[str, Any]:  # noqa: ANN401 - of the tool
        """Update and compute each metric; all but nDCG take what is relevant and what is not."""
        from torchmetrics import retrieval  # noqa: PLC0415 - only in the process of the tool

        options = {"aggregation": aggregation}
        metrics = (
            retrieval.RetrievalNormalizedDCG(top_k=10, **options),
            retrieval.RetrievalMRR(**options),
            retrieval.RetrievalMAP(**options),
            retrieval.RetrievalPrecision(top_k=5, **options),
            retrieval.RetrievalRecall(top_k=100, **options),
        )
        relevant, values = self.grades > 0, {}
        for name, metric in zip(self.names, metrics, strict=True):
            metric.update(self.scores, self.grades if metric is metrics[0] else relevant, self.indexes)
            values[name] = metric.compute()
        return values

    def their_values(self) -> Values:
        """Let the tool aggregate nothing."""
        return {name: numbered(values) for name, values in self.theirs(lambda values, **_: values).items()}

    def ours(self) -> Any:  # noqa: ANN401 - by the library of the arrays
        """Evaluate the flat tensors."""
        from rankworth import tensors  # noqa: PLC0415 - not in the process of the tool

        return tensors.evaluate(self.scores, self.grades, self.names, indexes=self.indexes, profile=self.profile)

    def our_values(self) -> Values:
        """Number the queries."""
        values = self.ours()
        return {name: numbered(values[name]) for name in self.names}


class SentenceTransformersHits(Evaluated):
    """`compute_metrics` of InformationRetrievalEvaluator: what follows its search, of a hundred hits for each query."""

    tool, module, form = "sentence-transformers", "sentence_transformers", "hits"
    profile, names = "sentence-transformers", ("ndcg@10", "mrr@10", "map@100", "precision@5", "recall@100")

    def __init__(self, qrels: Path, run: Path) -> None:
        """Make sets of relevant documents and lists of hits, as its search returns them."""
        judged = numbers(qrels, int, 3)
        relevant = {
            query: {document for document in grades if grades[document] > 0} for query, grades in judged.items()
        }
        self.qrels = {query: documents for query, documents in relevant.items() if documents}
        self.run = {
            query: [{"corpus_id": document, "score": score} for document, score in [*scores.items()][:LIST]]
            for query, scores in numbers(run, float, 4).items()
            if query in self.qrels
        }

    def evaluator(self, queries: list[str]) -> Any:  # noqa: ANN401 - of the tool
        """Make an evaluator of some queries."""
        from sentence_transformers.evaluation import InformationRetrievalEvaluator  # noqa: PLC0415 - as above

        cutoffs = {"mrr_at_k": [10], "ndcg_at_k": [10], "map_at_k": [100], "accuracy_at_k": [10]}
        return InformationRetrievalEvaluator(
            dict.fromkeys(queries, ""), {}, self.qrels, precision_recall_at_k=[5, 100], **cutoffs
        )

    def means(self, queries: list[str]) -> list[float]:
        """Return the means of some queries, in the order of the names."""
        found = self.evaluator(queries).compute_metrics([self.run[query] for query in queries])
        split = (name.split("@") for name in self.names)
        return [float(found[f"{metric}@k"][int(cutoff)]) for metric, cutoff in split]

    def theirs(self) -> object:
        """Return the means."""
        return self.means([*self.run])

    def their_values(self) -> Values:
        """Ask for each query: the tool has no values of them."""
        rows = {query: self.means([query]) for query in self.run}
        return {name: {query: row[number] for query, row in rows.items()} for number, name in enumerate(self.names)}


JOBS: Final = {
    job.__name__: job
    for job in (
        PytrecEvalDicts,
        IrMeasuresDicts,
        RanxDicts,
        IrMeasuresFrames,
        RanxFrames,
        RecToolsFrames,
        RecToolsHistory,
        RecToolsCatalogue,
        SklearnArrays,
        TorchmetricsTensors,
        SentenceTransformersHits,
    )
}


def numbers(path: Path, kind: type, column: int) -> dict[str, dict[str, Any]]:
    """Read `{query: {document: number}}`."""
    read: dict[str, dict[str, Any]] = {}
    with path.open() as lines:
        for line in lines:
            fields = line.split()
            read.setdefault(fields[0], {})[fields[2]] = kind(fields[column])
    return read


def columns(path: Path, number: str) -> Any:  # noqa: ANN401 - a frame of Polars
    """Read the columns query, document and a number, which is the last of judgements, and the last but one of runs."""
    import polars as pl  # noqa: PLC0415 - peers.py, which imports this module, stays small

    names = ["query", "Q0", "document", *(("rank", "score", "tag") if number == "score" else (number,))]
    schema = dict.fromkeys(names, pl.String) | {number: pl.Float64 if number == "score" else pl.Int64}
    return pl.read_csv(path, separator=" ", has_header=False, schema=schema).select("query", "document", number)


def frames(qrels: Path, run: Path, query: str, document: str, grade: str) -> tuple[Any, Any]:
    """Read two frames of pandas, whose columns have the names that a tool asks for."""
    names = {"query": query, "document": document}
    judged, returned = columns(qrels, "grade").rename(names), columns(run, "score").rename(names)
    return judged.rename({"grade": grade}).to_pandas(), returned.to_pandas()


def matrices(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Return scores and grades `[Q, N]` of what was retrieved, 0 where nobody judged."""
    returned = columns(run, "score")
    graded = returned.join(columns(qrels, "grade"), on=["query", "document"], how="left", maintain_order="left")
    shape = (returned["query"].n_unique(), -1)
    return returned["score"].to_numpy().reshape(shape), graded["grade"].fill_null(0).to_numpy().reshape(shape)


def numbered(values: Any) -> dict[str, float]:  # noqa: ANN401 - an array or a tuple
    """Name queries by their places."""
    return {str(row): float(value) for row, value in enumerate(values)}


def forget_peak() -> None:
    """Begin anew to look for the largest memory of this process, where the system can."""
    if CLEAR.exists():
        CLEAR.write_text("5")


def megabytes() -> float:
    """Return the largest memory of this process, since `forget_peak` where the system can."""
    if CLEAR.exists():
        [line] = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB / 1e6


def main() -> None:
    """Make the inputs of a job and answer; warnings are looked for, as with the filters of Python, and not printed."""
    warnings.showwarning = lambda *_, **__: None
    _, name, side, qrels, run = sys.argv
    job = JOBS[name](Path(qrels), Path(run))
    call, values = (job.theirs, job.their_values) if side == "theirs" else (job.ours, job.our_values)
    gc.collect()
    forget_peak()
    print(json.dumps({"megabytes": megabytes()}), flush=True)
    for line in sys.stdin:
        if line.strip() == "values":
            print(json.dumps(values()), flush=True)
        else:
            forget_peak()
            sample = measuring.call(call, int(line))
            print(json.dumps({"seconds": sample.seconds, "cpu": sample.cpu, "megabytes": megabytes()}), flush=True)


if __name__ == "__main__":
    main()

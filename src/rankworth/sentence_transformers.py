"""An evaluator for the trainer of sentence-transformers: the keys and values of its own, with intervals and queries."""

import csv
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from rankworth.embeddings import retrieve
from rankworth.errors import InputError, RankworthWarning, counted
from rankworth.evaluation import evaluate
from rankworth.judged import Array
from rankworth.model import Run
from rankworth.profiles import PROFILES
from rankworth.results.values import Values

try:
    from sentence_transformers.base.evaluation import BaseEvaluator as Base
except ImportError:
    try:  # before version 6
        from sentence_transformers.evaluation import SentenceEvaluator as Base
    except ImportError:  # evaluators are called by hand then
        Base = object

PROFILE: Final = "sentence-transformers-6"
ScoreFunction = Callable[[Array, Array], Array]
"""Takes the vectors of queries and documents, and returns scores `[Q, B]`."""
Search = Callable[[Array, Array, int], tuple[Any, Any]]
"""Takes the vectors of queries and documents and how many are wanted; returns scores and rows of documents, `[Q, k]`
each, best first, as FAISS does: greater scores are better, and the row -1 is none."""


class Evaluator(Base):  # type: ignore[misc]
    """What `InformationRetrievalEvaluator` of sentence-transformers does, for the trainer or to be called by hand.

    It returns the same keys, with the same values (profile `sentence-transformers-6`), and for the main one, which
    chooses checkpoints, the ends of its confidence interval, `..._low` and `..._high`. After a call `values` has the
    values by score function, with intervals of all and the value of each query.

    >>> import numpy as np
    >>> class Model:
    ...     similarity_fn_name = "dot"
    ...     def similarity(self, queries, documents):
    ...         return queries @ documents.T
    ...     def encode(self, texts, **_):
    ...         return np.array([[float(len(text)), 1.0] for text in texts])
    >>> evaluator = Evaluator({"q1": "long"}, {"a": "short", "b": "longer"}, {"q1": {"a"}}, write_csv=False)
    >>> results = evaluator(Model())
    >>> results["dot_mrr@10"], evaluator.primary_metric
    (0.5, 'dot_ndcg@10')
    """

    def __init__(
        self,
        queries: Mapping[str, Any],
        corpus: Mapping[str, Any],
        relevant_docs: Mapping[str, Collection[str] | Mapping[str, float]],
        corpus_chunk_size: int = 50000,
        mrr_at_k: Sequence[int] = (10,),
        ndcg_at_k: Sequence[int] = (10,),
        accuracy_at_k: Sequence[int] = (1, 3, 5, 10),
        precision_recall_at_k: Sequence[int] = (1, 3, 5, 10),
        map_at_k: Sequence[int] = (100,),
        show_progress_bar: bool = False,
        batch_size: int = 32,
        name: str = "",
        write_csv: bool = True,
        truncate_dim: int | None = None,
        score_functions: Mapping[str, ScoreFunction] | None = None,
        main_score_function: str | None = None,
        query_prompt: str | None = None,
        query_prompt_name: str | None = None,
        corpus_prompt: str | None = None,
        corpus_prompt_name: str | None = None,
        write_predictions: bool = False,
        *,
        search: Search | None = None,
        level: float = 0.95,
    ) -> None:
        """Keep what is evaluated; the arguments of `InformationRetrievalEvaluator`, and two more.

        Args:
            queries: `{id: text}`.
            corpus: `{id: text}`.
            relevant_docs: `{query: {document, ...}}`, or `{query: {document: grade}}`, where grades above 0 are
                relevant (to `InformationRetrievalEvaluator` every key is); queries without a relevant document are left
                out.
            corpus_chunk_size: how many documents are encoded and compared at a time; no vectors of others are kept, but
                where a `search` needs all.
            mrr_at_k: cutoffs of MRR.
            ndcg_at_k: cutoffs of nDCG; the greatest is that of the main value.
            accuracy_at_k: cutoffs of accuracy, the share of queries with a hit.
            precision_recall_at_k: cutoffs of precision and recall.
            map_at_k: cutoffs of MAP.
            show_progress_bar: whether `encode` shows one.
            batch_size: texts that are encoded at a time.
            name: what keys and files begin with, or have in their names.
            write_csv: whether a call with `output_path` adds a line to the file of means, as in sentence-transformers,
                and one for each query to `..._per_query.csv`.
            truncate_dim: dimensions of vectors that are kept.
            score_functions: functions of query and document vectors to scores, by name; by default the model's.
            main_score_function: the name of the one whose value chooses checkpoints; by default the best.
            query_prompt: put before queries.
            query_prompt_name: the name of a prompt of the model that is.
            corpus_prompt: put before documents.
            corpus_prompt_name: the name of a prompt of the model that is.
            write_predictions: whether a call with `output_path` writes the documents that were found, as JSON lines.
            search: searches in place of the exact search, such as an approximate index that is built of the vectors;
                the values are those of what it finds.
            level: of the confidence intervals.

        Raises:
            InputError: `empty-input`, where no query has a relevant document, or there is no document; `bad-grade`.

        Warns:
            RankworthWarning: `known-defect`, where documents have a grade of 0 or below.

        """
        super().__init__()
        self.greater_is_better = True
        self.primary_metric: str | None = None
        self.qrels = _relevant({query: relevant_docs.get(query, ()) for query in queries})
        if not self.qrels or not corpus:
            text = "there is no document" if self.qrels else "no query has a relevant document"
            raise InputError("empty-input", text, remedy="ids of relevant_docs are those of queries and corpus")
        self.queries, self.corpus = {query: queries[query] for query in self.qrels}, dict(corpus)
        self.name, self.level, self.search = name, level, search
        self.score_functions, self.block = score_functions, corpus_chunk_size
        self.main_score_function = getattr(main_score_function, "value", main_score_function)
        self.write_csv, self.write_predictions = write_csv, write_predictions
        self.encoding = {"batch_size": batch_size, "show_progress_bar": show_progress_bar, "truncate_dim": truncate_dim}
        self.prompts = {
            "query": {"prompt": query_prompt, "prompt_name": query_prompt_name},
            "corpus": {"prompt": corpus_prompt, "prompt_name": corpus_prompt_name},
        }
        cutoffs = {"accuracy": accuracy_at_k, "precision": precision_recall_at_k, "recall": precision_recall_at_k}
        cutoffs |= {"ndcg": ndcg_at_k, "mrr": mrr_at_k, "map": map_at_k}
        self.labels = [f"{name}@{k}" for name, depths in cutoffs.items() for k in depths]
        of_files = (["accuracy"], ["precision", "recall"], ["mrr"], ["ndcg"], ["map"])
        self.columns = [f"{name}@{k}" for names in of_files for k in cutoffs[names[0]] for name in names]
        self.depth = max(k for depths in cutoffs.values() for k in depths)
        self.main = f"ndcg@{max(ndcg_at_k)}"
        self.values: dict[str, Values] = {}

    def __call__(
        self,
        model: Any,  # noqa: ANN401 - whatever encodes
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
        corpus_model: Any = None,  # noqa: ANN401 - whatever encodes
        corpus_embeddings: Array = None,
    ) -> dict[str, float]:
        """Encode queries and corpus, search, and evaluate.

        Args:
            model: a `SentenceTransformer`, or what has its `encode`, `similarity` and `similarity_fn_name`.
            output_path: the folder of files; none is written without it.
            epoch: what files say.
            steps: what files say.
            corpus_model: encodes the documents, where that is another one.
            corpus_embeddings: the vectors of the documents, where these are known.

        Returns:
            Means by the name of score function and measure.

        Raises:
            InputError: as `rankworth.evaluate_embeddings`.

        """
        queries = self._encoded(model, "encode_query", self.queries.values(), self.prompts["query"])

        def documents(rows: slice) -> Array:
            if corpus_embeddings is not None:
                return corpus_embeddings[rows]
            texts = list(self.corpus.values())[rows]
            return self._encoded(corpus_model or model, "encode_document", texts, self.prompts["corpus"])

        functions = self.score_functions or {model.similarity_fn_name: model.similarity}
        if self.search is None:
            runs = self._retrieved(queries, documents, functions)
        else:
            runs = dict.fromkeys(functions, self._searched(queries, documents(slice(None)), self.search))
        self.values = {name: evaluate(self.qrels, run, self.labels, profile=PROFILE) for name, run in runs.items()}
        best = self.main_score_function or max(self.values, key=lambda name: self.values[name][self.main])
        prefix = f"{self.name}_" if self.name else ""
        means = {f"{prefix}{name}_{label}": each[label] for name, each in self.values.items() for label in self.labels}
        self.primary_metric = f"{prefix}{best}_{self.main}"
        interval = self.values[best].interval(level=self.level)[self.main]
        means |= {f"{self.primary_metric}_low": interval.low, f"{self.primary_metric}_high": interval.high}
        if output_path is not None:
            self._write(Path(output_path), epoch, steps, runs)
        if hasattr(self, "store_metrics_in_model_card_data"):
            self.store_metrics_in_model_card_data(model, means, epoch, steps)
        return means

    def get_config_dict(self) -> dict[str, Any]:
        """Return what a model card says of the evaluator."""
        prompts = {f"{kind}_{name}": text for kind, each in self.prompts.items() for name, text in each.items()}
        config = {"truncate_dim": self.encoding["truncate_dim"], **prompts}
        return {name: value for name, value in config.items() if value is not None}

    @property
    def description(self) -> str:
        """What a model card calls it."""
        return "Information Retrieval"

    def _encoded(self, model: Any, method: str, texts: Iterable[Any], prompt: Mapping[str, str | None]) -> Array:  # noqa: ANN401 - whatever encodes
        """Encode queries or documents as vectors."""
        encode = getattr(model, method, model.encode)
        return encode(list(texts), **prompt, convert_to_tensor=True, **self.encoding)

    def _retrieved(
        self, queries: Array, documents: Callable[[slice], Array], functions: Mapping[str, ScoreFunction]
    ) -> dict[str, Run]:
        """Return the run of each score function, from the best documents of each part of the corpus."""
        ids = list(self.corpus)
        parts_of: dict[str, list[pl.DataFrame]] = {name: [] for name in functions}
        for start in range(0, len(ids), self.block):
            rows = slice(start, start + self.block)
            vectors = documents(rows)
            for name, function in functions.items():
                run = retrieve(
                    queries,
                    vectors,
                    depth=self.depth,
                    query_ids=list(self.queries),
                    corpus_ids=ids[rows],
                    similarity=function,
                    judging=PROFILES[PROFILE].judging,
                    block=self.block,
                )
                parts_of[name].append(run.to_frame())
        runs = {}
        for name, parts in parts_of.items():
            best_first = pl.concat(parts).sort("score", "document", descending=[True, False])
            runs[name] = Run(best_first.group_by("query", maintain_order=True).head(self.depth))
        return runs

    def _searched(self, queries: Array, corpus: Array, search: Search) -> Run:
        """Return the run of a search in place of the exact one."""
        scores, rows = (np.asarray(array) for array in search(queries, corpus, min(self.depth, len(self.corpus))))
        if scores.shape != rows.shape or len(scores) != len(self.queries):
            text = f"search returned scores {scores.shape} and rows {rows.shape} for {len(self.queries)} queries"
            raise InputError("input-type", text, remedy="it returns two arrays, one row for each query, as FAISS does")
        query, column = np.nonzero(rows >= 0)
        names = {"query": pl.Series([*self.queries])[query], "document": pl.Series([*self.corpus])[rows[query, column]]}
        return Run(pl.DataFrame(names | {"score": scores[query, column].astype(float)}))

    def _write(self, folder: Path, epoch: int, steps: int, runs: Mapping[str, Run]) -> None:
        """Add to the files of means and of queries, and write what was found."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = "Information-Retrieval_evaluation" + (f"_{self.name}" if self.name else "")
        values = dict(sorted(self.values.items()))
        if self.write_csv:
            columns = [(name, label) for name in values for label in self.columns]
            heads = [f"{name}-{label.upper() if label[0] in 'mn' else label.capitalize()}" for name, label in columns]
            means = [values[name][label] for name, label in columns]
            _append(folder / f"{stem}_results.csv", ["epoch", "steps", *heads], [[epoch, steps, *means]])
            tables = {name: values[name].per_query.to_dict() for name in values}
            rows = [
                [epoch, steps, query, *(tables[name][query][label] for name, label in columns)] for query in self.qrels
            ]
            _append(folder / f"{stem}_per_query.csv", ["epoch", "steps", "query", *heads], rows)
        for name, run in runs.items() if self.write_predictions else ():
            hits: dict[str, list[dict[str, Any]]] = {query: [] for query in self.queries}
            for query, document, score in run.to_frame().select("query", "document", "score").iter_rows():
                hits[query].append({"corpus_id": document, "score": score})
            lines = [
                json.dumps({"query_id": query, "query": self.queries[query], "results": results}) + "\n"
                for query, results in hits.items()
            ]
            (folder / f"{stem}_predictions_{name}.jsonl").write_text("".join(lines), "utf-8")


def _relevant(judged: Mapping[str, Collection[str] | Mapping[str, float]]) -> dict[str, dict[str, int]]:
    """Return the relevant documents of queries that have one, each with grade 1.

    Args:
        judged: sets of relevant documents, or grades by document.

    Raises:
        InputError: `bad-grade`.

    """
    relevant, irrelevant = {}, 0
    for query, documents in judged.items():
        ids = [*documents]
        if isinstance(documents, Mapping):
            for document, grade in documents.items():
                if not isinstance(grade, Real | np.bool_) or not np.isfinite(float(grade)):
                    raise InputError(
                        "bad-grade", f"relevant_docs: grade {grade!r} of {document} for query {query} is no number"
                    )
            ids = [document for document, grade in documents.items() if grade > 0]
            irrelevant += len(documents) - len(ids)
        if ids:
            relevant[query] = dict.fromkeys(ids, 1)
    if irrelevant:
        text = f"relevant_docs has {counted(irrelevant, 'document', 'documents')} with a grade of 0 or below, which "
        text += "are not relevant here; InformationRetrievalEvaluator counts every key, so that its values differ"
        warnings.warn(RankworthWarning("known-defect", text), stacklevel=3)
    return relevant


def _append(path: Path, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Add rows to a CSV file, which begins with the names of its columns."""
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([heads, *rows] if is_new else rows)

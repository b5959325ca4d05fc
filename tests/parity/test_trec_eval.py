"""Options of trec_eval together give what pytrec_eval gives for a run that was cut or condensed by hand."""

import numpy as np
import pytest
import pytrec_eval

import rankworth as rw
from rankworth import names

# The collection is shallow and lenient on purpose; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")


@pytest.mark.parametrize("options", ["", "-c", "-J", "-M3", "-l2", "-c -l2", "-J -M5 -l2"])
def test_options_in_company_equal_pytrec_eval(options: str) -> None:
    """The same options, taken apart: a run that was cut or condensed by hand has the values that the option gives."""
    generator = np.random.default_rng(7)
    qrels, run = collection_with_holes(generator)
    rel = 2 if "-l2" in options else 1
    measures = ["all_trec"]
    values = rw.evaluate(
        qrels,
        run,
        measures,
        rel=rel,
        depth=3 if "-M3" in options else 5 if "-M5" in options else None,
        unjudged="removed" if "-J" in options else None,
        missing="zero" if "-c" in options else "skip",
    )
    shortened = shorten(run, 3 if "-M3" in options else 5 if "-M5" in options else 100)
    judge = pytrec_eval.RelevanceEvaluator(
        qrels, pytrec_eval.supported_measures, relevance_level=rel, judged_docs_only_flag="-J" in options
    )
    theirs = judge.evaluate(shortened)
    ours = values.per_query.to_dict()
    labels = [label[1] for one in values.asked if (label := names.trec_name(one, rel)) is not None]
    compared = 0
    for query, row in theirs.items():
        for name in labels:
            if name not in ours[query] or name not in row or name.startswith(("iprec", "11pt", "gm_")):
                continue  # pytrec_eval holds trec_eval 9, which rounds recall levels otherwise
            assert ours[query][name] == row[name], (query, name)
            compared += 1
    assert compared > 500


def collection_with_holes(
    generator: np.random.Generator,
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Grades from -1 to 3, unjudged documents, ties, and one query that the run does not answer."""
    documents = [f"d{number}" for number in range(30)]
    queries = [f"q{number}" for number in range(12)]
    qrels = {
        query: {
            str(document): int(grade)
            for document, grade in zip(
                generator.permutation(documents)[:18], generator.integers(-1, 4, 18), strict=True
            )
        }
        | {"d0": 3}
        for query in queries
    }
    run = {
        query: {str(one): float(generator.integers(0, 8)) / 4 for one in generator.permutation(documents)[:20]}
        | {"d0": 1.0}
        for query in queries[1:]
    }
    return qrels, run


def shorten(run: dict[str, dict[str, float]], depth: int) -> dict[str, dict[str, float]]:
    """The first documents of each query, ties by descending id."""
    return {
        query: dict(sorted(sorted(part.items(), reverse=True), key=lambda pair: -pair[1])[:depth])
        for query, part in run.items()
    }

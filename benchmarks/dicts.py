"""From dicts in one process: rankworth against pytrec_eval-terrier on the same `{query: {document: number}}`."""

import argparse
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, Final

import generate
import measuring
import polars as pl
import pytrec_eval
from file_peers import FIVE, PYTREC_EVAL

import rankworth
from rankworth.compat import pytrec_eval as compat

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

_REPEATS: Final = 20  # calls in a row where one takes a millisecond


def main() -> None:
    """Measure one shape or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=generate.SHAPES, action="append", help="all where not said")
    parser.add_argument(
        "--order", choices=generate.TIES, action="append", help="how scores are tied; all where not said"
    )
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    warnings.simplefilter("ignore")
    for shape, order in product(options.collection or generate.SHAPES, options.order or generate.TIES):
        collection = generate.Collection(options.data, shape, order=order).ensure()
        with _loaded(collection) as (qrels, run):
            _check(qrels, run)
            repeats = _REPEATS if shape.startswith("small") else 1
            samples = measuring.calls(_calls(qrels, run), options.rounds, repeats=repeats)
        print(measuring.table(f"{shape}, {order}: dicts, five measures", samples))
    print(measuring.load())


def _calls(qrels: Grades, run: Scores) -> dict[str, Callable[[], object]]:
    prepared = rankworth.Qrels(qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL)
    compatible = compat.RelevanceEvaluator(qrels, PYTREC_EVAL)
    return {
        "rankworth": lambda: rankworth.evaluate(qrels, run, FIVE),
        "rankworth, Qrels prepared": lambda: rankworth.evaluate(prepared, run, FIVE),
        "compat.pytrec_eval, evaluate only": lambda: compatible.evaluate(run),
        "compat.pytrec_eval, evaluator made, too": lambda: compat.RelevanceEvaluator(qrels, PYTREC_EVAL).evaluate(run),
        "pytrec_eval, evaluate only": lambda: evaluator.evaluate(run),
        "pytrec_eval, evaluator made, too": lambda: pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL).evaluate(run),
    }


def _check(qrels: Grades, run: Scores) -> None:
    """Say so where the two do not agree."""
    ours = rankworth.evaluate(qrels, run, FIVE).mean()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_EVAL).evaluate(run).values()
    for name, mean, spelled in zip(FIVE, ours.values(), PYTREC_EVAL, strict=True):
        other = sum(values[spelled] for values in theirs) / len(theirs)
        if abs(mean - other) > 1e-9:  # far above rounding, far below any mistake
            print(f"{name}: rankworth {mean!r}, pytrec_eval {other!r}\n")


@contextmanager
def _loaded(collection: generate.Collection) -> Iterator[tuple[Grades, Scores]]:
    """Both sides as dicts, each with texts of its own."""
    qrels: Grades = _nested(collection.qrels, ("query", "Q0", "document", "value"), pl.Int64)
    run: Scores = _nested(collection.run, ("query", "Q0", "document", "rank", "value", "tag"), pl.Float64)
    yield qrels, run
    run.clear()


def _nested(path: Path, columns: tuple[str, ...], kind: type[pl.DataType]) -> dict[str, dict[str, Any]]:
    schema = {name: kind if name == "value" else pl.String for name in columns}
    frame = pl.read_csv(path, separator=" ", has_header=False, schema=schema)
    parts = {str(part["query"][0]): part for part in frame.partition_by("query", maintain_order=True)}
    return {query: dict(zip(part["document"], part["value"], strict=True)) for query, part in parts.items()}


if __name__ == "__main__":
    main()

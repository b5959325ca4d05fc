"""What all runners share: collections come in as JSON lines, one line of numbers goes out for each.

A runner is a script, because the tool that it runs may live in an environment of its own, without rankworth. A line is
`{"qrels": [[query, document, grade]], "run": [[query, document, rank, score]], "empty_queries": [query], "how": word}`,
with the rows in the order of the files; the answer is `{measure: {query: value, "all": mean}}`, or for a measure that
the tool refuses `{measure: {"error": text}}`.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

Collection = dict[str, Any]
Answer = dict[str, dict[str, Any]]

ALL = "all"
"""stands where a query would for the mean over all of them"""
ERROR = "error"
"""stands there for what a tool says where it gives no number"""


def serve(answer: Callable[[Collection], Answer]) -> None:
    """Answer each line of standard input; what the tool itself prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        out.write(json.dumps(answer(json.loads(line))) + "\n")
        out.flush()


def attempt(measure: Callable[[], Mapping[str, float]]) -> dict[str, Any]:
    """The values of a measure, or what the tool said instead."""
    try:
        return {query: float(value) for query, value in measure().items()}
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is how it refuses
        return {ERROR: f"{type(error).__name__}: {error}"[:300]}


def judgements(collection: Collection) -> dict[str, dict[str, float]]:
    """`{query: {document: grade}}` in the order of the rows; the last one counts."""
    qrels: dict[str, dict[str, float]] = {}
    for query, document, grade in collection["qrels"]:
        qrels.setdefault(query, {})[document] = grade
    return qrels


def ranking(collection: Collection) -> dict[str, dict[str, float]]:
    """`{query: {document: score}}` in the order of the rows; the last one counts; queries without documents too."""
    run: dict[str, dict[str, float]] = {query: {} for query in collection.get("empty_queries", ())}
    for query, document, _, score in collection["run"]:
        run.setdefault(query, {})[document] = score
    return run


def relevant(collection: Collection) -> list[tuple[str, str]]:
    """The pairs of query and document with a grade above 0, for tools that know no grades."""
    return [(query, document) for query, document, grade in collection["qrels"] if grade > 0]

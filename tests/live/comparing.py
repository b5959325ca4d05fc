"""Holds what a tool gives for a collection against what rankworth gives by the name of the tool's profile."""

import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

import rankworth as rw
from golden.asking import Way
from live.lines import ALL, ERROR
from live.runners import Runner
from live.tools import Collection, Tool

Answer = Mapping[str, float] | rw.RankworthError
"""values by query, with the mean over them under `all`; or a refusal"""

_RUN: Final = {"query": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}


@dataclass(frozen=True)
class Disagreement:
    """A number that is another one here."""

    tool: str
    how: str
    measure: str
    query: str
    theirs: object
    ours: object
    collection: Collection

    def __str__(self) -> str:
        """Say it, and the collection, so that it can be tried again."""
        rows = {name: self.collection[name] for name in ("qrels", "run", "empty_queries")}
        return (
            f"{self.tool} ({self.how or 'as it is'}) {self.measure} of {self.query}: "
            f"theirs {self.theirs}, ours {self.ours}\n    {rows}"
        )


@dataclass
class Tally:
    """What became of the numbers of a tool."""

    agreed: int = 0
    refused_alike: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    disagreements: list[Disagreement] = field(default_factory=list)


def compare(tool: Tool, how: str, collection: Collection, runner: Runner, tally: Tally, only: str = "") -> None:
    """Count what agrees and keep what does not."""
    if why := tool.unfit(how, collection):
        tally.left_out[why] += 1
        return
    theirs = runner.answer(collection, how)
    by_way: dict[Way, list[str]] = {}
    for measure in [only] if only else theirs:
        if why := tool.left_out(measure, collection):
            tally.left_out[why] += 1
        else:
            by_way.setdefault(tool.way(how, measure), []).append(measure)
    for way, measures in by_way.items():
        ours = answers(collection, measures, way)
        for measure in measures:
            agreed = 0
            for query, one, other in differences(tool, theirs[measure], ours[measure]):
                tally.disagreements.append(Disagreement(tool.name, how, measure, query, one, other, collection))
                break
            else:
                agreed = len(theirs[measure])
            if ERROR in theirs[measure]:
                tally.refused_alike += agreed
            else:
                tally.agreed += agreed


def differences(tool: Tool, theirs: Mapping[str, Any], ours: Answer) -> Iterator[tuple[str, object, object]]:
    """Where a tool and rankworth do not say the same: the query, what one says, what the other says."""
    if isinstance(ours, rw.RankworthError):
        if ERROR not in theirs or not isinstance(ours, rw.InputError):
            yield "-", dict(theirs), f"{type(ours).__name__}: {ours}"
        return
    if ERROR in theirs:
        yield "-", theirs[ERROR], dict(ours)
        return
    for query in {ALL: None} if tool.means_only else dict.fromkeys([*theirs, *ours]):
        one, other = theirs.get(query), ours.get(query)
        if one is None or other is None or not close(one, other):
            yield query, one, other


def close(one: float, other: float) -> bool:
    """Whether two values are the same but for roundings."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return abs(one - other) <= 1e-12 * max(1.0, abs(one))


def answers(collection: Collection, measures: list[str], way: Way) -> dict[str, Answer]:
    """What rankworth says: all measures at once, or one by one if it refuses."""
    pair = handed(collection, way)
    try:
        return together(pair, measures, way)
    except rw.RankworthError as error:
        if len(measures) == 1:
            return {measures[0]: error}
    return {name: answer for one in measures for name, answer in answers(collection, [one], way).items()}


def together(pair: tuple[object, object], measures: list[str], way: Way) -> dict[str, Answer]:
    """The values of all measures from one evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        settings: dict[str, Any] = dict(way.settings)
        values = rw.evaluate(*pair, [way.written(name) for name in measures], profile=way.profile, **settings)
    table = values.per_query
    rows, means = table.to_dict(), list(values.mean().values())
    labels = list(table.measures)
    if len(labels) != len(measures):
        raise AssertionError(f"{len(measures)} measures have {len(labels)} columns: {measures}, {labels}")
    return {
        name: {query: row[label] for query, row in rows.items() if label in row} | {ALL: mean}
        for name, label, mean in zip(measures, labels, means, strict=True)
    }


def handed(collection: Collection, way: Way) -> tuple[object, object]:
    """Judgements and run as rows in their order; as dicts where queries of the run have no documents."""
    qrels = [tuple(row) for row in collection["qrels"]]
    if way.dicts and collection["empty_queries"]:
        judged: dict[str, dict[str, float]] = {}
        ranked: dict[str, dict[str, float]] = {query: {} for query in collection["empty_queries"]}
        for query, document, grade in qrels:
            judged.setdefault(query, {})[document] = grade
        for query, document, _, score in collection["run"]:
            ranked.setdefault(query, {})[document] = score
        return judged, ranked
    whole = all(float(grade).is_integer() for *_, grade in qrels)
    grades = {"query": pl.String, "document": pl.String, "grade": pl.Int64 if whole else pl.Float64}
    return (
        pl.DataFrame(qrels, schema=grades, orient="row", strict=False),
        pl.DataFrame([tuple(row) for row in collection["run"]], schema=_RUN, orient="row"),
    )

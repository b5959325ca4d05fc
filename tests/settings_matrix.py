"""Every setting, alone and in random pairs, before every analysis: what is followed agrees with `evaluate`."""

import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import rankworth as rw
from generators import as_options
from rankworth.settings import SETTINGS, VALUES

MEASURES = ("nDCG@3", "AP", "RR", "R@3", "Judged@3", "bpref", "gmean(AP)", "NumRel")
COMPARED = ("nDCG@3", "AP", "RR", "R@3", "Judged@3", "bpref")
NUMBERS = {"depth": (2,), "highest": (3.0,), "fewest": (1,), "round_values": (2,), "round_means": (3,)}
"""numbers that settings take which take no words, or any number"""
CHOSEN = {
    name: (*(word for word in taken.words if word != SETTINGS[name].default), *NUMBERS.get(name, ()))
    for name, taken in VALUES.items()
}
CHOSEN |= {"logarithms": (True,)}
for _name in ("no_relevant", "neither", "undefined"):
    CHOSEN[_name] = (*CHOSEN[_name], 1.0)
SINGLE = [{name: value} for name, values in CHOSEN.items() for value in values]

Grades = dict[str, dict[str, float]]
Settings = Mapping[str, Any]


class Collection:
    """Judgements and two runs with ties, unjudged documents, and queries that one side does not have."""

    def __init__(self, seed: int) -> None:
        """Draw all of it."""
        random = np.random.default_rng(seed)
        documents = [f"d{number}" for number in range(9)]
        self.qrels: Grades = {
            f"q{query}": {
                document: float(random.choice((-1, 0, 0, 1, 1, 2, 0.5)))
                for document in random.choice(documents, 5, replace=False).tolist()
            }
            for query in range(9)
        }
        self.qrels["q2"] = dict.fromkeys(self.qrels["q2"], 0.0)
        self.qrels["q3"] = dict.fromkeys(self.qrels["q3"], -1.0)
        self.runs: dict[str, Grades] = {}
        for name, absent in (("old", "q4"), ("new", "q5")):
            self.runs[name] = {
                f"q{query}": {
                    document: float(random.choice((0.0, 0.5, 0.5, 1.0, 2.5, -1.0)))
                    for document in random.choice(documents, 7, replace=False).tolist()
                }
                for query in range(11)
                if f"q{query}" != absent
            }
        self.runs["old"]["q6"] = {}
        self.groups = {query: "ab"[number % 2] for number, query in enumerate(sorted({*self.qrels, "q9", "q10"}))}

    def evaluated(self, measures: tuple[str, ...], settings: Settings, **more: Any) -> rw.RunValues:
        """The values of both runs."""
        return rw.evaluate_runs(self.qrels, self.runs, measures, **as_options(settings), **more)


def near(first: float, second: float) -> bool:
    """Whether two numbers are the same but for the order of additions."""
    return (math.isnan(first) and math.isnan(second)) or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


def explain(data: Collection, settings: Settings) -> Iterator[str]:
    """Values of explanations are those of queries."""
    measures = ["nDCG@3", "AP", "RR", "R@3"]
    for run, values in data.evaluated(tuple(measures), settings).items():
        per_query = values.per_query.to_dict()
        told = rw.explain_queries(data.qrels, data.runs[run], measures, queries=list(per_query), **as_options(settings))
        for explanation in told:
            value = per_query[explanation.query].get(explanation.measure)
            if (value is None) != (explanation.value is None) or (
                value is not None and not near(explanation.value, value)
            ):
                what = f"{run} {explanation.query} {explanation.measure}"
                yield f"{what}: explained {explanation.value}, evaluated {value}"


def _rows(told: rw.Comparison) -> dict[tuple[str, ...], tuple[float, ...]]:
    return {
        (row.measure, row.first, row.second): (
            row.first_mean,
            row.second_mean,
            row.difference,
            row.low,
            row.high,
            row.p,
        )
        for row in told.differences
    }


def compare(data: Collection, settings: Settings) -> Iterator[str]:
    """Runs compare as their values do, and as their results files do."""
    live = _rows(rw.compare(data.qrels, data.runs, list(COMPARED), resamples=20, **as_options(settings)))
    values = data.evaluated(COMPARED, settings)
    for key, row in live.items():
        if not near(row[1] - row[0], row[2]):
            yield f"{key}: the means {row[:2]} do not differ by {row[2]}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        for source, systems in (("values", values), ("a file", rw.load(path))):
            stored = _rows(rw.compare(None, dict(systems), list(COMPARED), resamples=20))
            for key, row in live.items():
                if key not in stored or not all(map(near, stored[key], row)):
                    yield f"{key}: runs give {row}, {source} {stored.get(key)}"


def results(data: Collection, settings: Settings) -> Iterator[str]:
    """A results file gives the means and the values of each query again."""
    values = data.evaluated(MEASURES, settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        stored = rw.load(path)
    for run, result in stored.items():
        for name, mean in values[run].mean().items():
            if not near(result.mean()[name], mean):
                yield f"{run} {name}: saved {mean}, read {result.mean()[name]}"


def bounds(over: str) -> Callable[[Collection, Settings], Iterator[str]]:
    """Bounds hold the mean that they are of."""

    def check(data: Collection, settings: Settings) -> Iterator[str]:
        for run, values in data.evaluated(MEASURES, settings, bounds=over).items():
            if values.bounds is None:
                continue
            for name, bound in values.bounds.items():
                mean = values[name]
                slack = 1e-9
                if bound.low - slack > mean or mean > bound.high + slack:
                    yield f"{run} {name}: {mean} is not between {bound.low} and {bound.high}"

    return check


def compare_bounds(over: str) -> Callable[[Collection, Settings], Iterator[str]]:
    """Bounds of differences hold the difference."""

    def check(data: Collection, settings: Settings) -> Iterator[str]:
        told = rw.compare(data.qrels, data.runs, list(COMPARED), resamples=20, bounds=over, **as_options(settings))
        for row, bound in zip(told.differences, told.bounds, strict=False):
            slack = 1e-9
            if bound is not None and (bound.low - slack > row.difference or row.difference > bound.high + slack):
                yield f"{row.measure}: {row.difference} is not between {bound.low} and {bound.high}"

    return check


def intervals(data: Collection, settings: Settings) -> Iterator[str]:
    """Intervals are around their means, of values that vary."""
    for run, values in data.evaluated(MEASURES, settings).items():
        for name, interval in values.interval().items():
            mean = values[name]
            if not math.isnan(interval.low) and not interval.low - 1e-3 <= mean <= interval.high + 1e-3:
                yield f"{run} {name}: {mean} is not between {interval.low} and {interval.high}"


def groups(data: Collection, settings: Settings) -> Iterator[str]:
    """The values of a group are those of an evaluation of its queries."""
    for run, values in data.evaluated(MEASURES, settings, by=data.groups).items():
        for group, part in values.slices.items():
            qrels, ranked = (
                {query: rows for query, rows in side.items() if data.groups[query] == group}
                for side in (data.qrels, data.runs[run])
            )
            alone = rw.evaluate(qrels, ranked, list(MEASURES), **as_options(settings))
            for name, mean in part.mean().items():
                if not near(mean, alone[name]):
                    yield f"{run} {group} {name}: {mean} in the group, {alone[name]} alone"


def correlate(data: Collection, settings: Settings) -> Iterator[str]:
    """Systems correlate as their results files do."""
    runs = {**data.runs, "third": {query: dict(reversed(found.items())) for query, found in data.runs["new"].items()}}
    runs["third"]["q1"] = {"d1": 1.0}
    live = rw.correlate_measures(data.qrels, runs, ["nDCG@3", "AP"], resamples=20, **as_options(settings))
    values = rw.evaluate_runs(data.qrels, runs, ["nDCG@3", "AP"], **as_options(settings))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        stored = rw.correlate_measures(None, dict(rw.load(path)), ["nDCG@3", "AP"], resamples=20)
    if str(live).split("\n")[:4] != str(stored).split("\n")[:4]:
        yield f"runs give {live}, a file {stored}"


def audit(data: Collection, settings: Settings) -> Iterator[str]:
    """A value under a setting is found again, or a convention that gives it, too."""
    values = rw.evaluate(data.qrels, data.runs["new"], ["AP"], **as_options(settings))
    if not math.isnan(values["AP"]):
        rw.audit(data.qrels, data.runs["new"], f"AP={values['AP']:.6f}")
    return iter(())


def vary(data: Collection, settings: Settings) -> Iterator[str]:
    """The value as it is, before anything is varied, is that of the query."""
    rw.vary("nDCG@3", qrels=data.qrels, run=data.runs["new"], query="q1", **as_options(settings))
    return iter(())


def judge_next(data: Collection, settings: Settings) -> Iterator[str]:
    """What to judge next is told, or refused."""
    rw.judge_next(data.qrels, data.runs, "AP", **as_options(settings))
    return iter(())


def duckdb(data: Collection, settings: Settings) -> Iterator[str]:
    """A relation of DuckDB gives what a frame gives."""
    import duckdb as engine  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    rows = [(query, document, score) for query, found in data.runs["new"].items() for document, score in found.items()]
    frame = pl.DataFrame(rows, ["query", "document", "score"], orient="row")
    related = rw.evaluate(data.qrels, engine.from_arrow(frame.to_arrow()), list(MEASURES), **as_options(settings))
    plain = rw.evaluate(data.qrels, frame, list(MEASURES), **as_options(settings))
    for name, mean in plain.mean().items():
        if not near(mean, related[name]):
            yield f"{name}: {mean} of a frame, {related[name]} of a relation"


def tensors(data: Collection, settings: Settings) -> Iterator[str]:
    """Matrices give what labels and scores give."""
    random = np.random.default_rng(len(data.qrels))
    scores, labels = (
        random.permuted(np.tile(np.arange(6.0), (7, 1)), axis=1),
        random.integers(0, 3, (7, 6)).astype(float),
    )
    labels[2] = 0
    measures = ["nDCG@3", "AP", "RR", "R@3"]
    profile = rw.PROFILES["standard-1"].derive(**settings)
    matrix = rw.tensors.evaluate(scores, labels, measures, profile=profile)
    lists = rw.evaluate(labels=labels.tolist(), scores=scores.tolist(), measures=measures, **as_options(settings))
    means = matrix.mean()
    for name, mean in lists.mean().items():
        if not near(mean, float(means[name])):
            yield f"{name}: {mean} of lists, {means[name]} of a matrix"


ANALYSES: dict[str, Callable[[Collection, Settings], Iterator[str]]] = {
    "explain": explain,
    "compare": compare,
    "results": results,
    "bounds ties": bounds("ties"),
    "bounds unjudged": bounds("unjudged"),
    "compare --bounds ties": compare_bounds("ties"),
    "compare --bounds unjudged": compare_bounds("unjudged"),
    "intervals": intervals,
    "groups": groups,
    "correlate": correlate,
    "audit": audit,
    "vary": vary,
    "judge-next": judge_next,
    "duckdb": duckdb,
    "tensors": tensors,
}


def cell(data: Collection, settings: Settings, analysis: str) -> str:
    """How an analysis follows settings: `` where it agrees, `refused: slug`, or what is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data.evaluated(MEASURES, settings)
        except rw.RankworthError as error:
            return f"refused: {error.slug}"
        try:
            wrong = next(ANALYSES[analysis](data, settings), None)
        except rw.RankworthError as error:
            return f"refused: {error.slug}"
        except Exception as error:  # noqa: BLE001 - a crash is what is looked for
            return f"crash: {type(error).__name__}: {error}"
    return "" if wrong is None else f"wrong: {wrong}"


def pairs(number: int, seed: int) -> list[Settings]:
    """Random pairs of settings."""
    random = np.random.default_rng(seed)
    found: list[Settings] = []
    while len(found) < number:
        first, second = (SINGLE[int(place)] for place in random.choice(len(SINGLE), 2, replace=False))
        if {*first}.isdisjoint(second):
            found.append(first | second)
    return found

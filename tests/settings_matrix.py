"""Every setting, alone and in random pairs, before every analysis: what is followed agrees with `evaluate`.

Weights, groups that count alike, measures of whole runs and repeated runs are settings here, too.
"""

import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import rankworth as rw
from generators import as_options
from rankworth.comparison import power
from rankworth.comparison.gates import Gate, against
from rankworth.report.content import make
from rankworth.settings import SETTINGS, VALUES

MEASURES = ("nDCG@3", "AP", "RR", "R@3", "Judged@3", "bpref", "gmean(AP)", "NumRel")
COMPARED = ("nDCG@3", "AP", "RR", "R@3", "Judged@3", "bpref")
WHOLE = ("Coverage@3", "Gini@3", "Entropy(beyond=counted)@3", "EEL@3", "P@3")
NUMBERS = {"depth": (2,), "highest": (3.0,), "fewest": (1,), "round_values": (2,), "round_means": (3,)}
"""numbers that settings take which take no words, or any number"""
CHOSEN = {
    name: (*(word for word in taken.words if word != SETTINGS[name].default), *NUMBERS.get(name, ()))
    for name, taken in VALUES.items()
}
CHOSEN |= {"logarithms": (True,)}
for _name in ("no_relevant", "neither", "undefined"):
    CHOSEN[_name] = (*CHOSEN[_name], 1.0)
OF_CALLS = [
    {"weights": "traffic"},
    {"macro": "language"},
    {"weights": "traffic", "macro": "language"},
    {"measures": "whole runs"},
    {"runs": "repeated"},
    {"runs": "repeated", "weights": "traffic"},
    {"runs": "repeated", "measures": "whole runs"},
]
"""what a call gives beside its settings: `measures` and `runs` say which the matrix takes"""
SINGLE = [{name: value} for name, values in CHOSEN.items() for value in values]
OF_MEANS = ("round_means", "halves", "no_queries", "logarithms")
"""settings that change how a mean is shown"""

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
        queries = sorted({*self.qrels, "q9", "q10"})
        self.groups = {query: "ab"[number % 2] for number, query in enumerate(queries)}
        self.languages = {query: "xyz"[number % 3] for number, query in enumerate(queries)}
        self.traffic = {query: float(number % 4) for number, query in enumerate(queries)}
        self.items = {document: {"g": "fm"[number % 2]} for number, document in enumerate(documents[:-1])}
        self.again = {
            f"{name} {number}": {
                query: dict(zip(found, random.permutation(list(found.values())).tolist(), strict=True))
                for query, found in run.items()
            }
            for name, run in self.runs.items()
            for number in (2, 3)
        }

    def options(self, settings: Settings) -> dict[str, Any]:
        """Settings and what a call gives beside them, as keywords of `evaluate`."""
        options = as_options({name: value for name, value in settings.items() if name not in ("measures", "runs")})
        data = {"weights": self.traffic, "macro": self.languages}
        options |= {name: given for name, given in data.items() if name in settings}
        return options | ({"items": self.items} if settings.get("measures") else {})

    def measures(self, settings: Settings) -> tuple[str, ...]:
        """Everything that is measured."""
        return WHOLE if settings.get("measures") else MEASURES

    def compared(self, settings: Settings) -> list[str]:
        """The measures of comparisons."""
        return [*WHOLE] if settings.get("measures") else [*COMPARED]

    def all_runs(self, settings: Settings) -> dict[str, Grades]:
        """The runs, and the repetitions of each where there are some."""
        return self.runs | self.again if settings.get("runs") else self.runs

    def systems(self, settings: Settings, of: Mapping[str, Any]) -> dict[str, Any]:
        """The systems of a comparison out of runs, or their values, by name."""
        if not settings.get("runs"):
            return {name: of[name] for name in self.runs}
        return {name: [of[name], of[f"{name} 2"], of[f"{name} 3"]] for name in self.runs}

    def evaluated(self, measures: tuple[str, ...], settings: Settings, **more: Any) -> rw.RunValues:
        """The values of all runs."""
        return rw.evaluate_runs(self.qrels, self.all_runs(settings), measures, **self.options(settings), **more)

    def comparison(self, settings: Settings, **more: Any) -> rw.Comparison:
        """The comparison of the runs."""
        systems = self.systems(settings, self.all_runs(settings))
        more = {"resamples": 20, **self.options(settings), **more}
        return rw.compare(self.qrels, systems, self.compared(settings), **more)


def near(first: float, second: float) -> bool:
    """Whether two numbers are the same but for the order of additions."""
    return (math.isnan(first) and math.isnan(second)) or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


def explain(data: Collection, settings: Settings) -> Iterator[str]:
    """Values of explanations are those of queries."""
    measures = ["Coverage@3"] if settings.get("measures") else ["nDCG@3", "AP", "RR", "R@3"]
    for run, values in data.evaluated(tuple(measures), settings).items():
        per_query = values.per_query.to_dict()
        ranked, options = data.all_runs(settings)[run], data.options(settings)
        told = rw.explain_queries(data.qrels, ranked, measures, queries=list(per_query), **options)
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
    """Runs compare as their values do, and as their results files do; their means are those of `evaluate`."""
    live = _rows(data.comparison(settings))
    values = data.evaluated(tuple(data.compared(settings)), settings)
    for key, row in live.items():
        if not near(row[1] - row[0], row[2]):
            yield f"{key}: the means {row[:2]} do not differ by {row[2]}"
    yield from _means(settings, data.comparison(settings), values)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        for source, systems in (("values", values), ("a file", rw.load(path))):
            told = rw.compare(None, data.systems(settings, systems), data.compared(settings), resamples=20)
            stored = _rows(told)
            for key, row in live.items():
                if key not in stored or not all(map(near, stored[key], row)):
                    yield f"{key}: runs give {row}, {source} {stored.get(key)}"


def _means(settings: Settings, told: rw.Comparison, values: rw.RunValues) -> Iterator[str]:
    """The means of a comparison are those of an evaluation, where all queries of both systems are compared."""
    if not settings.keys().isdisjoint((*OF_MEANS, "divisor")):  # with which other queries count than those shown
        return
    for row in told.differences:
        for system, mean in ((row.first, row.first_mean), (row.second, row.second_mean)):
            parts = [values[name] for name in (system, f"{system} 2", f"{system} 3") if name in values]
            columns = [[cells.get(row.measure) for cells in part.per_query.to_dict().values()] for part in parts]
            if all(len(cells) == row.queries and None not in cells and not np.isnan(cells).any() for cells in columns):
                expected = math.fsum(part[row.measure] for part in parts) / len(parts)
                if not near(mean, expected):
                    yield f"{system} {row.measure}: compared {mean}, evaluated {expected}"


def part(data: Collection, settings: Settings) -> Iterator[str]:
    """A part of the queries compares as an evaluation of that part does, from values and files of all queries, too."""
    queries = ["q0", "q1", "q6", "q7", "q8"]
    measures, options = data.compared(settings), data.options(settings)
    live = _rows(data.comparison(settings, queries=queries))
    alone = data.evaluated(tuple(measures), settings, queries=queries)
    yield from _means(settings, data.comparison(settings, queries=queries), alone)
    values = data.evaluated(tuple(measures), settings)
    of_call = {name: options[name] for name in ("weights", "macro") if name in options}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        for source, systems in (("values", values), ("a file", rw.load(path))):
            told = rw.compare(None, data.systems(settings, systems), measures, resamples=20, queries=queries, **of_call)
            stored = _rows(told)
            for key, row in live.items():
                if key not in stored or not all(map(near, stored[key], row)):
                    yield f"{key} over a part: runs give {row}, {source} {stored.get(key)}"


def gates(data: Collection, settings: Settings) -> Iterator[str]:
    """A gate on no drop decides by the means of an evaluation, of runs and of stored values."""
    if settings.get("runs"):
        return
    values = data.evaluated(tuple(data.compared(settings)), settings)
    told = rw.compare(None, dict(values), data.compared(settings), resamples=20)
    shown = [told] if settings.keys() & {*OF_MEANS} else [told, data.comparison(settings)]
    for comparison in shown:
        for measure in data.compared(settings):
            row = next(row for row in told.differences if row.measure == measure)
            before, now = row.first_mean, row.second_mean
            fall = now - before if told.scores.better[measure] == "lower" else before - now
            [verdict] = against(comparison, [Gate.of("max-drop", f"{measure}=0")])
            if verdict.passed != (fall <= 1e-12):
                yield f"{measure}: passed is {verdict.passed}, {before} -> {now}"


def planning(data: Collection, settings: Settings) -> Iterator[str]:
    """The power to find a difference is the same of runs and of their values."""
    if settings.get("runs"):
        return
    live = power(data.comparison(settings), 0.1)
    values = data.evaluated(tuple(data.compared(settings)), settings)
    for name, stored in power(values, 0.1).items():
        if not near(live[name], stored):
            yield f"{name}: of a comparison {live[name]}, of values {stored}"


def report(data: Collection, settings: Settings) -> Iterator[str]:
    """The page has the means of the comparison, and intervals around them."""
    told = data.comparison(settings)
    options = {name: value for name, value in data.options(settings).items() if name not in ("weights", "macro")}
    comparing = {name: value for name, value in data.options(settings).items() if name in ("weights", "macro")}
    systems = data.systems(settings, data.all_runs(settings))
    record = make(
        data.qrels, systems, data.compared(settings), profiles=False, max_size=1, comparing=comparing, **options
    ).record
    for system, means in told.means.items():
        for measure, mean in means.items():
            shown = record["means"][system][measure]
            if not near(math.nan if shown is None else shown, mean):
                yield f"{system} {measure}: shown {shown}, compared {mean}"
            low, high = record["intervals"][system][measure]
            if None not in (low, high, shown) and not low - 1e-3 <= shown <= high + 1e-3:
                yield f"{system} {measure}: {shown} is not between {low} and {high}"


def results(data: Collection, settings: Settings) -> Iterator[str]:
    """A results file gives the means and the values of each query again."""
    values = data.evaluated(data.measures(settings), settings)
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
        for run, values in data.evaluated(data.measures(settings), settings, bounds=over).items():
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
        told = data.comparison(settings, bounds=over)
        for row, bound in zip(told.differences, told.bounds, strict=False):
            slack = 1e-9
            if bound is not None and (bound.low - slack > row.difference or row.difference > bound.high + slack):
                yield f"{row.measure}: {row.difference} is not between {bound.low} and {bound.high}"

    return check


def intervals(data: Collection, settings: Settings) -> Iterator[str]:
    """Intervals are around their means, of values that vary."""
    for run, values in data.evaluated(data.measures(settings), settings).items():
        for name, interval in values.interval().items():
            mean = values[name]
            if not math.isnan(interval.low) and not interval.low - 1e-3 <= mean <= interval.high + 1e-3:
                yield f"{run} {name}: {mean} is not between {interval.low} and {interval.high}"


def groups(data: Collection, settings: Settings) -> Iterator[str]:
    """The values of a group are those of an evaluation of its queries."""
    for run, values in data.evaluated(data.measures(settings), settings, by=data.groups).items():
        for group, part in values.slices.items():
            qrels, ranked = (
                {query: rows for query, rows in side.items() if data.groups[query] == group}
                for side in (data.qrels, data.all_runs(settings)[run])
            )
            alone = rw.evaluate(qrels, ranked, list(data.measures(settings)), **data.options(settings))
            for name, mean in part.mean().items():
                if not near(mean, alone[name]):
                    yield f"{run} {group} {name}: {mean} in the group, {alone[name]} alone"


def correlate(data: Collection, settings: Settings) -> Iterator[str]:
    """Systems correlate as their results files do."""
    if settings.get("runs"):
        return
    measures = ["Coverage@3", "Gini@3"] if settings.get("measures") else ["nDCG@3", "AP"]
    runs = {**data.runs, "third": {query: dict(reversed(found.items())) for query, found in data.runs["new"].items()}}
    runs["third"]["q1"] = {"d1": 1.0}
    options = {"test": "t", "resamples": 20}
    live = rw.correlate_measures(data.qrels, runs, measures, **options, **data.options(settings))
    values = rw.evaluate_runs(data.qrels, runs, measures, **data.options(settings))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.json")
        values.save(path)
        stored = rw.correlate_measures(None, dict(rw.load(path)), measures, **options)
    if str(live).split("\n")[:4] != str(stored).split("\n")[:4]:
        yield f"runs give {live}, a file {stored}"


def audit(data: Collection, settings: Settings) -> Iterator[str]:
    """A value under a setting is found again, or a convention that gives it, too."""
    values = rw.evaluate(data.qrels, data.runs["new"], ["AP"], **data.options(settings))
    if not math.isnan(values["AP"]):
        rw.audit(data.qrels, data.runs["new"], f"AP={values['AP']:.6f}")
    return iter(())


def vary(data: Collection, settings: Settings) -> Iterator[str]:
    """The value as it is, before anything is varied, is that of the query."""
    rw.vary(measures="nDCG@3", qrels=data.qrels, run=data.runs["new"], query="q1", **data.options(settings))
    return iter(())


def judge_next(data: Collection, settings: Settings) -> Iterator[str]:
    """What to judge next is told, or refused."""
    rw.judge_next(data.qrels, data.runs, "AP", **data.options(settings))
    return iter(())


def duckdb(data: Collection, settings: Settings) -> Iterator[str]:
    """A relation of DuckDB gives what a frame gives."""
    import duckdb as engine  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    rows = [(query, document, score) for query, found in data.runs["new"].items() for document, score in found.items()]
    frame = pl.DataFrame(rows, ["query", "document", "score"], orient="row")
    related = rw.evaluate(
        data.qrels, engine.from_arrow(frame.to_arrow()), list(data.measures(settings)), **data.options(settings)
    )
    plain = rw.evaluate(data.qrels, frame, list(data.measures(settings)), **data.options(settings))
    for name, mean in plain.mean().items():
        if not near(mean, related[name]):
            yield f"{name}: {mean} of a frame, {related[name]} of a relation"


def tensors(data: Collection, settings: Settings) -> Iterator[str]:
    """Matrices give what labels and scores give; they have no weights and no items."""
    if any({*settings} >= {*given} for given in OF_CALLS):
        return
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
    "part": part,
    "gates": gates,
    "planning": planning,
    "report": report,
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
            data.evaluated(data.measures(settings), settings)
        except rw.RankworthError as error:
            return f"refused: {error.slug}"
        try:
            wrong = next(ANALYSES[analysis](data, settings), None)
        except rw.RankworthError as error:
            return f"refused: {error.slug}"
        except Exception as error:  # noqa: BLE001 - a crash is what is looked for
            return f"crash: {type(error).__name__}: {error}"
    return "" if wrong is None else f"wrong: {wrong}"


def pairs(number: int, seed: int, *, of_calls: bool = False) -> list[Settings]:
    """Random pairs of settings, the first of which a call gives beside them where `of_calls`."""
    random = np.random.default_rng(seed)
    found: list[Settings] = []
    while len(found) < number:
        first, second = (SINGLE[int(place)] for place in random.choice(len(SINGLE), 2, replace=False))
        if of_calls:
            first = OF_CALLS[int(random.integers(len(OF_CALLS)))]
        if {*first}.isdisjoint(second):
            found.append(first | second)
    return found

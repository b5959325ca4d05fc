"""Bounds under every profile and setting: they hold their value, and are those of an enumeration, or there are none."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from enumeration import every_grade, every_order
from rankworth.cli import main
from rankworth.errors import RankworthError, UsageError

Grades = dict[str, dict[str, float]]
Scores = dict[str, dict[str, float]]
MOST = 60
"""how many collections are evaluated for one"""
_REFUSALS = ("unfollowed-setting", "bad-definition")
"""what bounds may be refused with: settings, and measures that have no expected value"""
MEASURES = (
    *("nDCG@2", "nDCG(ideal=retrieved)", "AP", "AP(norm=found)@2", "P@2", "R@2", "RR", "ERR@3", "Bpref", "infAP", "Q"),
    *("Judged@2", "Unjudged@2", "Hole@2", "Rprec", "RBP(p=0.8)", "F1@2", "FallOut@2", "gmean(AP)", "gmean(P@2)"),
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    *({"ties": ties} for ties in ("id-ascending", "given", "given-reversed", "expected", "last")),
    *({"missing": missing} for missing in ("skip", "nought", "nan", "absent")),
    *({"negative": negative} for negative in ("zero", "dropped")),
    *({"undefined": undefined} for undefined in ("skip", "nan", 1)),
    *({"no_relevant": value} for value in ("skip", "nan", 0)),
    *({"duplicates": duplicates} for duplicates in ("all", "once", "joined", "first")),
    *({"rel": rel} for rel in (0, 2)),
    {"extra": "zero"},
    {"unjudged": "removed"},
    {"depth": 2},
    {"depth": 2, "unjudged": "removed"},
    {"grades": "truncated"},
    {"order": "given"},
    {"round_values": 1},
    {"score_type": "float32", "ties": "expected", "round_values": 2},
    {"weights": {"q1": 2, "q2": 1, "q3": 0.5, "q4": 1}},
    {"macro": {"q1": "x", "q2": "x", "q3": "y", "q4": "y"}},
    *(
        {"quirks": quirks}
        for quirks in (
            *({"divisor": divisor} for divisor in ("judged", "run")),
            *({"no_hit": no_hit, "nan": nan} for no_hit in ("nan", "skip") for nan in ("propagate", "zero", "skip")),
            {"judgements": "relevant"},
            {"pool": "retrieved"},
            {"unretrieved": "last"},
            {"scored": "positive"},
            {"relevant_by": "sum"},
            {"all_negative": "previous"},
            {"logarithms": True},
            {"round_means": 2},
            {"highest": 1, "above": "clipped"},
            {"empty": "zero"},
            {"neither": 1},
        )
    ),
    {"depth": 2, "quirks": {"pool": "retrieved"}},
    {"ties": "expected", "quirks": {"pool": "retrieved"}},
    {"ties": "expected", "quirks": {"unretrieved": "last", "all_negative": "previous"}},
    {"missing": "skip", "quirks": {"empty": "zero", "logarithms": True}},
)


def collection(seed: int, by: str) -> tuple[Grades, Scores]:
    """A few queries with few documents, that are tied or unjudged; one query is judged alone, one ranked alone."""
    draw = np.random.default_rng(seed)
    qrels: Grades = {}
    run: Scores = {}
    for query in ("q1", "q2"):
        names = [f"d{number}" for number in range(int(draw.integers(1, 4)))]
        share = 0.8 if by == "ties" else 0.5
        grades = draw.choice([0, 1, 2, 1, 0, -1, 0.5] if draw.random() < 0.3 else [0, 1, 2, 1, 0], 4).tolist()
        qrels[query] = {name: grade for name, grade in zip(names, grades, strict=False) if draw.random() < share}
        qrels[query] |= {"m": 1} if draw.random() < 0.4 or not qrels[query] else {}
        scores = draw.integers(draw.integers(-1, 2), 3, len(names)) if by == "ties" else len(names) - np.arange(4)
        run[query] = {name: float(score) for name, score in zip(names, scores, strict=False)}
    if draw.random() < 0.5:
        qrels["q3"] = {"d0": 1}
        if draw.random() < 0.4:
            run["q3"] = {}
    if draw.random() < 0.5:
        run["q4"] = {"d0": 1.0}
    return qrels, run


def ways(
    qrels: Grades, run: Scores, by: str, *, extra: bool, least: float = -math.inf
) -> Iterator[tuple[Grades, Scores]]:
    """The collection in every order of its ties, or with every grade for its unjudged documents.

    Args:
        qrels: the judgements.
        run: the run.
        by: what is varied.
        extra: whether queries that nobody judged count, whose documents may have grades, too.
        least: the least grade that counts; documents with lower ones are not judged.

    """
    qrels = {
        query: {name: grade for name, grade in grades.items() if grade >= least} for query, grades in qrels.items()
    }
    qrels = {query: grades for query, grades in qrels.items() if grades}
    best = [grade for grades in qrels.values() for grade in grades.values() if grade > 0] or [1.0]
    scale = sorted({0.0, *best})
    queries = [query for query in run if by == "ties" or extra or qrels.get(query)]
    each = [
        [*every_order(qrels.get(query, {}), run[query])]
        if by == "ties"
        else [*every_grade(qrels.get(query, {}), run[query], scale)]
        for query in queries
    ]
    for chosen in product(*each) if math.prod(map(len, each)) <= MOST else ():
        pairs = dict(zip(queries, chosen, strict=True))
        judged = qrels | {query: grades for query, (grades, _) in pairs.items() if grades}
        yield judged, run | {query: scores for query, (_, scores) in pairs.items()}


def given_measures(qrels: Grades, run: Scores, measures: Sequence[str], settings: Mapping[str, Any]) -> list[str]:
    """The measures that are not refused, each of them alone."""
    try:
        rw.evaluate(qrels, run, measures, **settings)
    except RankworthError:
        if len(measures) == 1:
            return []
    else:
        return [*measures]
    half = len(measures) // 2
    parts = (given_measures(qrels, run, part, settings) for part in (measures[:half], measures[half:]))
    return [measure for part in parts for measure in part]


def enumerated(
    qrels: Grades, run: Scores, by: str, values: rw.Values, settings: Mapping[str, Any]
) -> dict[str, list[float]]:
    """The means of all measures that have bounds, over all orders or grades; nothing where there are too many."""
    means: dict[str, list[float]] = {}
    if by == "unjudged" and (depth := values.profile.judging.depth):  # what stands beyond was not retrieved
        run = {query: dict([*scores.items()][:depth]) for query, scores in run.items()}
    least = 0 if values.profile.judging.negative == "dropped" and by == "unjudged" else -math.inf
    for extra in (False, True):
        varied = []
        for name in values:
            [asked] = values.profile.ask([name])
            is_ranked = by == "unjudged" or asked.judging.order != "given"  # lists have no ties
            if is_ranked and (asked.averaging.extra == "zero") == extra and not math.isnan(values.bounds[name].low):
                varied.append(name)
        for way in ways(qrels, run, by, extra=extra, least=least) if varied else ():
            for name, mean in rw.evaluate(*way, varied, **settings).mean().items():
                means.setdefault(name, []).append(mean)
    return means


def wrong(seed: int, by: Any, measures: Sequence[str], settings: Mapping[str, Any]) -> tuple[list[str], int]:
    """What is wrong with the bounds of one collection, and how many bounds were held to an enumeration."""
    qrels, run = collection(seed, by)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measures = given_measures(qrels, run, measures, settings)
        try:
            values = rw.evaluate(qrels, run, measures, bounds=by, **settings)
        except RankworthError as error:
            return ([] if not measures or error.slug in _REFUSALS else [str(error)]), 0
        means = enumerated(qrels, run, by, values, settings)
    where = f"{by} {dict(settings)} {qrels} {run}"
    found = [f"{fault}: {where}" for name in measures for fault in faults_of(name, values, means.get(name, []))]
    return found, len(means)


def faults_of(name: str, values: rw.Values, means: Sequence[float]) -> Iterator[str]:
    """What is wrong with the bounds of one measure.

    Args:
        name: of the measure.
        values: with their bounds.
        means: over all orders or grades, where these were enumerated.

    """
    low, expected, high = values.bounds[name]
    if math.isnan(low):
        told = any(note.startswith(f"{name} has no bounds: ") for note in values.bounds.notes)
        if not told and not math.isnan(values[name]):
            yield f"{name} has no bounds, and no reason is told"
        return
    [asked] = values.profile.ask([name])
    rounding = 1e-9 if asked.averaging.round_means is None else 0.006
    ends = {"low": low, "high": high} | ({} if math.isnan(expected) else {"expected": expected})
    if not all(low - rounding <= number <= high + rounding for number in (values[name], *ends.values())):
        yield f"{name} {values[name]} is not held by {values.bounds[name]}"
    for query, bound in values.bounds.per_query(name).items():
        value = values.per_query.to_dict()[query][name]
        if not math.isnan(value + bound.low) and not bound.low - 1e-9 <= value <= bound.high + 1e-9:
            yield f"{name} {value} of {query} is not held by {bound}"
    if means:
        true = {"low": min(means), "high": max(means), "expected": float(np.mean(means))}
        if any(not abs(value - true[end]) <= rounding for end, value in ends.items()):
            yield f"{name} {values.bounds[name]}, and not {true}"


def names_of(profile: str) -> list[str]:
    """Names of a profile, and ours."""
    own = [rule.name for rule in rw.PROFILES[profile].rules]
    for blank, number in (("{k}", "2"), ("{d}", "2"), ("{rel}", "1"), ("{gains}", "1=1")):
        own = [name.replace(blank, number) for name in own]
    names = [name for name in dict.fromkeys(own) if "{" not in name]
    return [name for name in (*names[:: 1 + len(names) // 12], "AP", "nDCG@2", "gmean(AP)") if is_mean(profile, name)]


def is_mean(profile: str, name: str) -> bool:
    """Whether a name stands for one measure that has a mean."""
    try:
        [measure] = rw.PROFILES[profile].ask([name])
    except (RankworthError, ValueError):
        return False
    return getattr(measure.quantity, "averaging", "sum") != "sum"


def wrong_differences(
    seed: int, by: Any, measures: Sequence[str], settings: Mapping[str, Any]
) -> tuple[list[str], int]:
    """What is wrong with the bounds of differences of two small runs, and how many were looked at."""
    qrels, first = collection(seed, by)
    second = collection(seed + 1000, by)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measures = [name for name in given_measures(qrels, first, measures, settings) if "gmean" not in name]
        measures = given_measures(qrels, second, measures, settings) if measures else []
        how: Any = {"resamples": 10, "interval": "percentile", **settings}
        try:
            plain = rw.compare(qrels, {"a": first, "b": second}, measures, **how)
        except RankworthError:
            return [], 0
        try:
            told = rw.compare(qrels, {"a": first, "b": second}, measures, bounds=by, **how)
        except RankworthError as error:
            return ([] if error.slug in _REFUSALS else [str(error)]), 0
    found = []
    for row, bound in zip(plain.differences, told.bounds, strict=True):
        if math.isnan(bound.low):
            reasons = [note for note in told.notes if note.startswith(f"{row.measure}: ")]
            if not any("has no bounds: " in note or "not known" in note or "could turn" in note for note in reasons):
                found.append(f"{row.measure}: {bound} without a reason, {settings} {qrels} {first} {second}")
        elif not bound.low - 1e-9 <= row.difference <= bound.high + 1e-9:
            found.append(f"{row.measure}: {row.difference} is not held by {bound}, {settings} {qrels} {first} {second}")
    return found, len(told.bounds)


BY = pytest.mark.parametrize("by", ["ties", "unjudged"])


@BY
@pytest.mark.parametrize("number", range(len(SETTINGS)), ids=[str(settings) for settings in SETTINGS])
def test_bounds_under_every_setting(number: int, by: str) -> None:
    measures = MEASURES[number % 3 :: 3]
    assert wrong(number % 7, by, measures, SETTINGS[number])[0] == []
    assert wrong_differences(number % 7, by, measures, SETTINGS[number])[0] == []


@BY
@pytest.mark.parametrize("number", range(len(rw.PROFILES)), ids=list(rw.PROFILES))
def test_bounds_under_every_profile(number: int, by: str) -> None:
    profile = [*rw.PROFILES][number]
    names = names_of(profile)[number % 2 :: 2]
    assert wrong(number % 7, by, names, {"profile": profile})[0] == []
    assert wrong_differences(number % 7, by, names, {"profile": profile})[0] == []


def test_documents_that_are_ranked_twice() -> None:
    qrels = {"q": {"a": 1, "b": 1}}
    rows = [("q", "a", 3.0), ("q", "u", 2.0), ("q", "u", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)]
    run = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    for duplicates in ("all", "once", "joined"):
        with pytest.raises(UsageError, match=f"duplicates='{duplicates}': rows of one document have one grade"):
            rw.evaluate(qrels, run, ["P@3"], bounds="unjudged", duplicates=duplicates)
        apart = rw.evaluate(qrels, run.unique("document"), ["P@3"], bounds="unjudged", duplicates=duplicates)
        assert (apart.bounds["P@3"].low, apart.bounds["P@3"].high) == (1 / 3, 1)
    with pytest.raises(UsageError, match="duplicates='once': which row of a document counts depends on the order"):
        rw.evaluate(qrels, run, ["P@3"], bounds="ties", duplicates="once")
    best = rw.evaluate(qrels, run, ["P@3"], bounds="ties", duplicates="best").bounds
    assert (best["P@3"].low, best["P@3"].high) == (1 / 3, 2 / 3)


def test_a_measure_without_bounds_leaves_those_of_others() -> None:
    qrels = {"q1": {"a": 1, "m": 1}, "q2": {"b": 0}}
    run = {"q1": ["u", "a"], "q2": ["b", "v"]}
    bounds = rw.evaluate(qrels, run, ["Judged@2", "P@2"], bounds="unjudged").bounds
    assert bounds["P@2"] == (1 / 4, pytest.approx(math.nan, nan_ok=True), 3 / 4)
    assert math.isnan(bounds["Judged@2"].low)
    [note] = bounds.notes
    assert note.startswith("Judged@2 has no bounds: a document that nobody judged counts otherwise than one of grade 0")
    assert note.endswith(": q1 is 0.5000 as it is judged, and 1.0000 to 1.0000 once all of its documents are")
    removed = rw.evaluate(qrels, run, ["R@2", "R(judged_only=True)@1"], bounds="unjudged").bounds
    assert removed["R@2"].high == pytest.approx(5 / 6)
    assert "R(judged_only=True)@1 has no bounds: a document that nobody judged counts" in removed.notes[0]
    with pytest.raises(UsageError, match=r"no_hit='skip': .*\n.*profile='standard'"):
        rw.evaluate(qrels, run, ["P@2"], bounds="unjudged", quirks={"no_hit": "skip"})
    profile = "pytrec_eval-terrier-0.5"  # by which 11pt_avg of a query without relevant documents is not defined
    both = rw.evaluate(qrels, run, ["map", "11pt_avg"], bounds="unjudged", profile=profile).bounds
    assert both["map"].low == 1 / 8
    assert both.notes[0].startswith("11pt_avg has no bounds: undefined='nan': whether a query counts")


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_compare_with_queries_that_nobody_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 r\nq1 Q0 u 2 2 r\nq2 Q0 u 1 1 r\n")
    (tmp_path / "two.run").write_text("q1 Q0 u 1 2 r\nq2 Q0 v 1 1 r\n")
    files = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    command = ["compare", *files, "-m", "P@1", "--extra", "zero", "-f", "md", "--bounds"]
    assert main([*command, "unjudged"]) == 0
    told = " ".join(" ".join(capsys.readouterr()).split())
    assert "P@1: the difference has no bounds: nobody judged q2, whose documents are others in each run" in told
    assert main([*command, "ties"]) == 0
    assert "P@1: the sign of the difference could turn (-0.5000 to +0.0000)" in " ".join(
        " ".join(capsys.readouterr()).split()
    )


def test_queries_that_count_without_a_value_count_in_bounds_of_differences() -> None:
    qrels, one = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"u": 2.0, "a": 2.0}, "q2": {"a": 1.0}}
    told = rw.compare(qrels, {"one": one, "two": {"q1": one["q1"]}}, ["P@1"], bounds="ties", missing="absent")
    assert (told.bounds[0].low, told.bounds[0].high) == ((0 - 1 + 0 - 1) / 2, (1 - 0 + 0 - 1) / 2)


def test_a_measure_without_bounds_has_none_over_no_query() -> None:
    qrels, run = {"q1": {"m": 1}, "q2": {"m": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    profile: Any = {"profile": "trectools-0.0.50", "bounds": "unjudged"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = rw.evaluate(qrels, run, ["recip_rank", "P@2"], **profile)
    assert math.isnan(values.bounds["recip_rank"].low)
    assert [note.partition(" has no")[0] for note in values.bounds.notes] == ["recip_rank"]


def test_orders_that_decide_whether_a_value_is_defined() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}, "r": {"a": 1.0}}
    for undefined in ("skip", "nan"):
        bounds = rw.evaluate(qrels, run, ["AP(norm=found)@2", "P@2"], bounds="ties", undefined=undefined).bounds
        assert bounds["P@2"].high == 1 / 2
        [note] = bounds.notes
        assert note.startswith(f"AP(norm=found)@2 has no bounds: undefined='{undefined}': whether a value is defined")
    bounds = rw.evaluate(qrels, run, ["AP(norm=found)@2"], bounds="ties", undefined=0.25).bounds
    assert (bounds["AP(norm=found)@2"].low, bounds["AP(norm=found)@2"].high) == ((1 + 0.25) / 2, 1)


def test_bounds_of_geometric_means() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    for profile in ("standard", "pytrec_eval-terrier-0.5", "ir_measures-0.4", "repro_eval-0.5"):
        bounds = rw.evaluate(qrels, run, ["gmean(AP)"], bounds="ties", profile=profile).bounds
        assert (bounds["gmean(AP)"].low, bounds["gmean(AP)"].high) == pytest.approx((1 / 2, math.sqrt(1 / 2)))
        assert math.isnan(bounds["gmean(AP)"].expected)  # no mean over orders
        open_grades = rw.evaluate(qrels, run, ["gmean(AP)"], bounds="unjudged", profile=profile).bounds
        assert open_grades["gmean(AP)"].high == pytest.approx(1)


def test_what_a_tool_pools_is_pooled_in_bounds() -> None:
    """The pool of scikit-learn is what was retrieved; documents with equal scores stand at the last of their ranks."""
    qrels, run = {"q": {"a": 1, "b": 1, "m": 1}}, {"q": {"a": 1.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    values = rw.evaluate(qrels, run, ["average_precision_score"], bounds="ties", profile="scikit-learn-1.9")
    low, expected, high = values.bounds["average_precision_score"]
    assert (low, high) == ((1 + 2 / 4) / 2, 1)
    assert expected == pytest.approx((1 + (1 + 2 / 3 + 2 / 4) / 3) / 2)
    assert values["average_precision_score"] == low


def test_the_laws_look_at_bounds() -> None:
    assert sum(wrong(seed, by, MEASURES, {})[1] for seed in range(2) for by in ("ties", "unjudged")) > 40
    assert sum(wrong_differences(seed, by, MEASURES, {})[1] for seed in range(2) for by in ("ties", "unjudged")) > 40

"""Fusion as a definition: laws, formulas by plain Python, what is written and read, and what is refused."""

import io
import itertools
import json
import math
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import InputError, RankworthError
from rankworth.fusion import METHODS, NORMS, TOOLS, Fusion

Rankings = Mapping[str, Mapping[str, float]]


def drawn(seed: int, size: int = 150) -> dict[str, dict[str, float]]:
    """A run of many short lists, of which some are constant, have ties, scores of 0 and below, or one document."""
    random = np.random.default_rng(seed)
    run: dict[str, dict[str, float]] = {}
    for number in range(size):
        documents = random.permutation(list("abcdefgh"))[: random.integers(1, 8)].tolist()
        kind = random.integers(4)
        scores = random.normal(0, 5, len(documents)).round(3)
        scores = random.integers(-1, 3, len(documents)) / 2 if kind == 0 else scores
        scores = np.full(len(documents), 0.4) if kind == 1 else scores
        if random.integers(11):
            run[f"q{number}"] = dict(zip(documents, scores.tolist(), strict=True))
    return run


DRAWN = {"a": drawn(1), "b": drawn(2), "c": drawn(3)}

METHODS_AND_NORMS: Sequence[tuple[str, str | None]] = [
    *((method, None) for method in METHODS),
    *(("sum", norm) for norm in NORMS if norm != "max"),  # which refuses negative scores
    *((method, "z") for method in ("mnz", "min", "median", "wmnz", "mixed")),
]
LOSING: Sequence[str] = ("geometric", "harmonic", "log-isr")
"""methods in which a part of 0 and below, or a document of one run, is worth 0"""
KEEPING = [(method, norm) for method, norm in METHODS_AND_NORMS if method not in LOSING and norm != "min-max-inverted"]


def rankings_of(run: Any) -> dict[str, list[tuple[str, float]]]:
    """Documents and scores by query, in the order of an evaluation."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for query, document, score in run.to_frame().select("query", "document", "score").iter_rows():
        rankings.setdefault(query, []).append((document, score))
    return rankings


def ordered(ranking: Mapping[str, float]) -> list[str]:
    """Documents by descending score, ties by descending id."""
    return sorted(sorted(ranking, reverse=True), key=lambda document: -ranking[document])


def fused(
    runs: Mapping[str, Rankings], method: str, norm: str | None, **axes: Any
) -> dict[str, list[tuple[str, float]]]:
    return rankings_of(rw.fuse(runs, method, **({} if norm is None else {"norm": norm}), **axes))


pytestmark = pytest.mark.filterwarnings("ignore:the lists have different depths")


# Formulas, by plain Python


def normed(scores: Mapping[str, float], norm: str) -> dict[str, float]:
    ranks = {document: rank for rank, document in enumerate(ordered(scores), 1)}
    values, low, high = list(scores.values()), min(scores.values()), max(scores.values())
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    formulas: Mapping[str, Callable[[str, float], float]] = {
        "none": lambda _, score: score,
        "min-max": lambda _, score: 1.0 if low == high else (score - low) / (high - low),
        "min-max-inverted": lambda _, score: 1.0 if low == high else (high - score) / (high - low),
        "sum": lambda _, score: 0.0 if low == high else (score - low) / sum(each - low for each in values),
        "z": lambda _, score: 0.0 if low == high else (score - mean) / deviation,
        "dbsf": lambda _, score: 0.5 if low == high else (score - mean + 3 * deviation) / (6 * deviation),
        "l2": lambda _, score: score / math.sqrt(sum(each**2 for each in values)) if any(values) else 0.0,
        "rank": lambda document, _: 1 - (ranks[document] - 1) / len(scores),
        "arctan": lambda _, score: 0.5 + math.atan(score) / math.pi,
    }
    return {document: formulas[norm](document, score) for document, score in scores.items()}


def parts_of(method: str, norm: str | None, scores: Mapping[str, float], candidates: Sequence[str]) -> dict[str, float]:
    part = METHODS[method].part
    if part == "score":
        return normed(scores, norm or METHODS[method].norm) if scores else {}
    ranks = {document: rank for rank, document in enumerate(ordered(scores), 1)}
    if part == "points":
        open_points = (len(candidates) - len(scores) + 1) / 2
        return {each: len(candidates) - ranks[each] + 1 if each in ranks else open_points for each in candidates}
    formulas: Mapping[str, Callable[[int], float]] = {
        "reciprocal": lambda rank: 1 / (60 + rank),
        "inverse-square": lambda rank: 1 / rank**2,
        "geometric": lambda rank: 0.2 * 0.8 ** (rank - 1),
    }
    return {document: formulas[part](rank) for document, rank in ranks.items()}


def joined(method: str, parts: Sequence[float], weights: Sequence[float], all_weights: Sequence[float]) -> float:
    weighted = [weight * part for weight, part in zip(weights, parts, strict=True)]
    positive = [(weight, part) for weight, part in zip(weights, parts, strict=True) if part > 0]
    n, total = len(parts), math.fsum(weighted)
    formulas: Mapping[str, Callable[[], float]] = {
        "sum": lambda: total,
        "mean": lambda: total / sum(all_weights),
        "max": lambda: max(weighted),
        "min": lambda: min(weighted),
        "median": lambda: statistics.median(weighted),
        "anz": lambda: total / n,
        "mnz": lambda: n * total,
        "gmnz": lambda: n**2 * total,
        "mixed": lambda: math.sqrt(n) * total,
        "wmnz": lambda: math.fsum(parts) * sum(weights),
        "log": lambda: math.log(n + (0.01 if method == "logn-isr" else 0)) * total,
        "geometric": lambda: (
            math.exp(sum(w * math.log(part) for w, part in positive) / sum(w for w, _ in positive)) if positive else 0.0
        ),
        "harmonic": lambda: sum(w for w, _ in positive) / sum(w / part for w, part in positive) if positive else 0.0,
    }
    return formulas[METHODS[method].join]()


def by_plain_python(
    runs: Sequence[Rankings], method: str, norm: str | None, weights: Sequence[float]
) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for query in {query: None for run in runs for query in run}:
        rankings = [run.get(query, {}) for run in runs]
        candidates = list(dict.fromkeys(document for ranking in rankings for document in ranking))
        parts = [parts_of(method, norm, ranking, candidates) for ranking in rankings]
        result[query] = {
            document: joined(
                method,
                [part[document] for part in parts if document in part],
                [weight for part, weight in zip(parts, weights, strict=True) if document in part],
                weights,
            )
            for document in candidates
        }
    return result


@pytest.mark.parametrize(("method", "norm"), METHODS_AND_NORMS)
@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.3], [1.0, 0.3, 2.5]], ids=len)
def test_every_method_is_its_formula(method: str, norm: str | None, weights: list[float]) -> None:
    runs = dict(list(DRAWN.items())[: len(weights)])
    expected = by_plain_python(list(runs.values()), method, norm, weights)
    assert {query: dict(ranking) for query, ranking in fused(runs, method, norm, run_weights=weights).items()} == {
        query: pytest.approx(ranking, abs=1e-9, rel=1e-9) for query, ranking in expected.items()
    }


# Laws


@pytest.mark.parametrize(("method", "norm"), KEEPING)
def test_a_run_alone_and_a_run_with_itself_keep_their_order(method: str, norm: str | None) -> None:
    run = DRAWN["a"]
    for runs in ({"a": run}, {"a": run, "b": run}):
        assert {query: [each for each, _ in ranking] for query, ranking in fused(runs, method, norm).items()} == {
            query: ordered(ranking) for query, ranking in run.items()
        }


@pytest.mark.parametrize(("method", "norm"), METHODS_AND_NORMS)
@pytest.mark.parametrize("order", ["acb", "cba"])
def test_the_order_of_runs_and_rows_does_not_matter(method: str, norm: str | None, order: str) -> None:
    weights = {"a": 1.0, "b": 0.7, "c": 1.3}
    before = fused(DRAWN, method, norm, run_weights=weights)
    turned = {
        name: {query: dict(reversed(ranking.items())) for query, ranking in reversed(DRAWN[name].items())}
        for name in order
    }
    assert fused(turned, method, norm, run_weights=weights) == before


@pytest.mark.parametrize(("method", "norm"), METHODS_AND_NORMS)
def test_a_weight_of_0_drops_a_run(method: str, norm: str | None) -> None:
    weights = {"a": 0.4, "c": 1.1}
    without = {name: DRAWN[name] for name in weights}
    with_weight_0 = fused(DRAWN, method, norm, run_weights={**weights, "b": 0})
    assert with_weight_0 == fused(without, method, norm, run_weights=weights)


@pytest.mark.parametrize(("method", "norm"), KEEPING)
@pytest.mark.parametrize("step", [0.01, 4.0, 30.0])
def test_a_higher_score_never_lowers_the_fused_score(method: str, norm: str | None, step: float) -> None:
    random = np.random.default_rng(4)
    raised = {query: dict(ranking) for query, ranking in DRAWN["a"].items()}
    chosen = {query: random.choice(list(ranking)) for query, ranking in raised.items()}
    for query, document in chosen.items():
        raised[query][document] += step
    before = fused({"a": DRAWN["a"], "b": DRAWN["b"]}, method, norm)
    after = fused({"a": raised, "b": DRAWN["b"]}, method, norm)
    for query, document in chosen.items():
        assert dict(after[query])[document] >= dict(before[query])[document] - 1e-9


@pytest.mark.parametrize("method", ["rrf", "sum", "borda", "median"])
def test_a_depth_is_a_cut_of_the_runs(method: str) -> None:
    cut = {
        name: {query: {each: ranking[each] for each in ordered(ranking)[:3]} for query, ranking in run.items()}
        for name, run in DRAWN.items()
    }
    assert fused(DRAWN, method, None, depth=3) == fused(cut, method, None)


@pytest.mark.parametrize("method", ["rrf", "sum", "borda", "median"])
def test_a_query_alone_is_as_among_others(method: str) -> None:
    whole = fused(DRAWN, method, None)
    for query in list(whole)[:20]:
        alone = {name: {query: run[query]} for name, run in DRAWN.items() if query in run}
        assert fused(alone, method, None) == {query: whole[query]}


def test_ranks_that_are_turned_round_tie_exactly_for_three_runs() -> None:
    lists = {"a": ["x", "m", "y"], "b": ["m", "x", "y"], "c": ["y", "x", "m"]}
    runs = {name: {"q": ranking} for name, ranking in lists.items()}
    for order in itertools.permutations(runs):
        scores = dict(fused({name: runs[name] for name in order}, "rrf", None)["q"])
        assert scores["x"] == 1 / 62 + 1 / 62 + 1 / 61
        assert scores["m"] == scores["y"] or len(set(scores.values())) == 3  # by arithmetic 1/61+1/62+1/63 each
        assert scores["m"] == 1 / 63 + 1 / 62 + 1 / 61


# Axes


A: Rankings = {"q": {"a": 4.0, "b": 3.0, "c": 3.0, "d": 1.0}}
B: Rankings = {"q": {"c": 0.9, "e": 0.5, "a": 0.1}}


@pytest.mark.parametrize(
    ("method", "axes", "document", "expected"),
    [
        ("rrf", {}, "a", 1 / 61 + 1 / 63),
        ("rrf", {"k": 1, "base": 0}, "a", 1 / 1 + 1 / 3),
        ("rrf", {"k": 0}, "e", 1 / 2),
        ("rrf", {"shared_ranks": "minimum"}, "b", 1 / 62),
        ("rrf", {"shared_ranks": "minimum"}, "c", 1 / 62 + 1 / 61),
        (
            "rrf",
            {"run_weights": [3, 7], "weight_form": "divides", "k": 2, "base": 0},
            "a",
            1 / (1 + 1 / 3) + 1 / (1 + 3 / 7),
        ),
        ("rrf", {"run_weights": [3, 1], "weight_sum": "normalised"}, "a", 0.75 / 61 + 0.25 / 63),
        ("rrf", {"ties": "id-ascending"}, "b", 1 / 62),
        ("rrf", {"depth": 2}, "a", 1 / 61),
        ("sum", {}, "c", 2 / 3 + 1),
        ("sum", {"missing": "minimum", "norm": "none"}, "b", 3 + 0.1),
        ("min", {"norm": "none"}, "b", 3.0),
        ("min", {"norm": "none", "missing": "zero"}, "b", 0.0),
        ("mean", {"norm": "none"}, "b", 1.5),
        ("sum", {"floor": 0.25}, "d", 0.25),
        (
            "sum",
            {"norm": "z", "deviation": "sample"},
            "d",
            (1 - 2.75) / math.sqrt((1.25**2 + 2 * 0.25**2 + 1.75**2) / 3),
        ),
        ("sum", {"norm": "z", "clip": True}, "d", 0.0),
        ("sum", {"candidates": "intersection", "norm": "none"}, "a", 4.1),
        ("rrf", {"candidates": "all"}, "e", 1 / 65 + 1 / 62),
        ("sum", {"candidates": "all", "norm": "none"}, "e", 0.5),
        ("rbc", {"phi": 0.5}, "a", 0.5 + 0.5**3),
        ("gmnz", {"gamma": 3, "norm": "none"}, "a", 8 * 4.1),
        ("logn-isr", {"sigma": 0.5}, "e", math.log(1.5) / 4),
    ],
)
def test_every_axis_changes_what_it_says(method: str, axes: Mapping[str, Any], document: str, expected: float) -> None:
    assert dict(rankings_of(rw.fuse({"a": A, "b": B}, method, **axes))["q"])[document] == pytest.approx(expected)


def test_equal_scores_have_a_value_of_their_own_by_their_range() -> None:
    equal = {"a": {"q": dict.fromkeys("xyz", 0.4)}}  # of which the mean is not 0.4 in floating point
    for norm, value in (("min-max", 1.0), ("z", 0.0), ("dbsf", 0.5), ("sum", 0.0)):
        assert dict(fused(equal, "sum", norm)["q"])["x"] == value
    for setting, value in ((0.25, 0.25), ("raw", 0.4), ("positive", 1.0)):
        assert dict(fused(equal, "sum", "z", equal=setting)["q"])["x"] == value


def test_only_common_documents_are_fused_where_that_is_said() -> None:
    assert [document for document, _ in fused({"a": A, "b": B}, "rrf", None, candidates="intersection")["q"]] == [
        "c",
        "a",
    ]
    apart = {"a": {"q": ["x"]}, "b": {"q": ["y"]}}
    assert rw.fuse(apart, candidates="intersection").to_frame().height == 0


def test_single_precision_is_single_precision() -> None:
    score = dict(fused({"a": A}, "rrf", None, precision="float32")["q"])["a"]
    assert score != 1 / 61
    assert score == pytest.approx(1 / 61, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        *("rrf(k=60)", "rrf(k=0.5,base=0)", "sum(norm=z,deviation=sample)", "dbsf(clip=true)", "rbc(phi=0.5)", "borda"),
        *("sum(norm=min-max,run_weights=0.3/0.7)", "gmnz(norm=none,gamma=1.5)", "sum(norm=z,equal=raw,depth=100)"),
    ],
)
def test_a_definition_is_read_as_it_is_written(text: str) -> None:
    assert str(Fusion.parse(text)) == text
    assert Fusion.parse(str(Fusion.parse(text))) == Fusion.parse(text)


def test_a_run_says_how_it_was_fused_and_its_signature_repeats_it() -> None:
    run = rw.fuse({"a": A, "b": B}, "sum", norm="z", run_weights=[0.3, 0.7], depth=3)
    assert run.signature == run.tag == "sum(norm=z,depth=3,run_weights=0.3/0.7)"
    assert run.fused_from == ("a", "b")
    assert rankings_of(rw.fuse({"a": A, "b": B}, run.signature)) == rankings_of(run)


def test_ids_that_came_as_integers_go_back_as_integers() -> None:
    run = rw.fuse({"a": {1: {10: 1.0, 11: 0.5}}, "b": {1: {11: 1.0}}})
    assert run.to_frame()["document"].to_list() == [11, 10]


def test_queries_with_empty_lists_stay_empty() -> None:
    run = rw.fuse({"a": {"q": ["x"], "r": []}, "b": {"q": ["x"], "r": []}})
    assert run.empty == {"r"}


@pytest.mark.parametrize(
    ("arguments", "slug", "text"),
    [
        ({"method": "rff"}, "unknown-setting", "did you mean rrf"),
        ({"norm": "z"}, "conflicting-options", "rrf takes no norm, as it fuses ranks"),
        ({"method": "sum", "norm": "zscore"}, "unknown-setting", "no norm of fusion is called 'zscore'"),
        ({"method": "sum", "k": 60}, "conflicting-options", "k=60 says nothing of sum; leave it out"),
        ({"method": "sum", "k": 20}, "conflicting-options", "methods with k: rrf"),
        ({"method": "sum", "deviation": "sample"}, "conflicting-options", "whose norm has no deviation"),
        ({"method": "rrf(k=2)", "k": 3}, "conflicting-options", "sets k, and it is set beside it"),
        ({"method": "rrf(k)"}, "unknown-setting", "written NAME=VALUE"),
        ({"method": "rrf(k=x)"}, "unknown-setting", "k is a finite number"),
        ({"bas": 1}, "unknown-setting", "no axis of fusion is called 'bas'; did you mean base"),
        ({"base": 2}, "unknown-setting", "base is a number from 0 to 1"),
        ({"method": "rbc", "phi": 0}, "unknown-setting", "phi is a number above 0 to 1"),
        ({"candidates": "some"}, "unknown-setting", "candidates is 'union' or 'intersection' or 'all'"),
        ({"depth": 0}, "unknown-setting", "depth is"),
        ({"run_weights": [1]}, "bad-weight", "there are 1 weights, and 2 runs"),
        ({"run_weights": [1, -1]}, "bad-weight", "the weight -1 of a run is no finite number from 0"),
        ({"run_weights": [0, 0]}, "bad-weight", "all weights of runs are 0"),
        ({"run_weights": ["x", "y"]}, "bad-weight", "the weight 'x' of a run is no finite number"),
        ({"run_weights": {"a": 1, "c": 2}}, "bad-weight", "there are weights of a c, and the runs are a b"),
        ({"run_weights": [1, 1], "weight_sum": "one"}, "bad-weight", "add up to 2"),
    ],
)
def test_what_a_fusion_does_not_take_is_refused(arguments: Mapping[str, Any], slug: str, text: str) -> None:
    arguments = {
        "k": 61.0 if arguments.get("k") == 60 else arguments.get("k"),
        **{n: v for n, v in arguments.items() if n != "k"},
    }
    text = text.replace("k=60", "k=61")
    with pytest.raises(RankworthError) as refused:
        rw.fuse({"a": A, "b": B}, **{name: value for name, value in arguments.items() if value is not None})
    assert refused.value.slug == slug
    assert text in f"{refused.value.problems[0]}; {refused.value.remedy}"


@pytest.mark.parametrize(
    ("runs", "axes", "slug", "text"),
    [
        ({"a": {"q1": ["x"]}, "b": {"1": ["x"]}}, {}, "no-common-queries", "a shares no query with any other run"),
        ({"a": {"q": [("x", 1.0), ("x", 0.5)]}, "b": A}, {}, "duplicate-document", "x"),
        ({"a": {"q": {"x": math.nan}}, "b": A}, {}, "bad-score", "the score is nan"),
        ({"a": {"q": {"x": "high"}}, "b": A}, {}, "bad-score", "high"),
        ({"a": {"q": {"x": math.inf}}, "b": A}, {"method": "sum"}, "bad-score", "a score of query q is infinite"),
        ({"a": {"q": {"x": -1.0}}, "b": A}, {"method": "sum", "norm": "max"}, "bad-score", "no score above 0"),
        ({"a": {"q": []}, "b": {"q": []}}, {}, "empty-input", "no run has a document"),
        ({}, {}, "conflicting-options", "there is no run to fuse"),
    ],
)
def test_runs_that_cannot_be_fused_are_refused(
    runs: Mapping[str, Any], axes: Mapping[str, Any], slug: str, text: str
) -> None:
    with pytest.raises(RankworthError) as refused:
        rw.fuse(runs, **axes)
    assert refused.value.slug == slug
    assert text in str(refused.value)


def test_depths_that_differ_are_told_and_warned_of_where_scores_count() -> None:
    runs = {"a": A, "b": B}
    assert "documents for a query: a up to 4, b 3" in rw.fuse(runs).notes[0]
    assert not rw.fuse(runs).notices
    run = rw.fuse(runs, "dbsf")
    assert [notice.slug for notice in run.notices] == ["uneven-depth"]
    assert "--depth N" in run.notices[0].text
    assert not rw.fuse(runs, "dbsf", depth=3).notices


@pytest.mark.filterwarnings("default:the lists have different depths")
def test_a_warning_points_at_the_call() -> None:
    with pytest.warns(rw.RankworthWarning, match="different depths") as caught:
        rw.fuse({"a": A, "b": B}, "dbsf")
    assert caught[0].filename == __file__


def test_inputs_stay_as_they_were() -> None:
    frame = pl.DataFrame({"query": ["q", "q"], "document": ["x", "y"], "score": [1.0, 2.0]})
    before = frame.clone()
    rw.fuse({"a": frame, "b": A})
    assert frame.equals(before)


# Files


def write_runs(folder: Path, *, scattered: bool = False) -> None:
    """Two runs whose queries stand in other orders, of which some are in one run only."""
    first = [(f"q{query}", f"d{document}", 100 - document) for query in range(40) for document in range(query % 7 + 1)]
    second = [
        (f"q{query}", f"d{document}", 50 + document) for query in range(45, 4, -1) for document in range(query % 5 + 2)
    ]
    if scattered:
        second = sorted(second, key=lambda row: row[1:])
    for name, rows in (("a", first), ("b", second)):
        lines = [f"{query} Q0 {document} 1 {score} {name}\n" for query, document, score in rows]
        (folder / f"{name}.run").write_text("".join(lines))


@pytest.mark.parametrize("scattered", [False, True])
def test_runs_are_joined_however_their_queries_stand(tmp_path: Path, scattered: bool) -> None:
    write_runs(tmp_path, scattered=scattered)
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    runs = [{query: dict(ranking) for query, ranking in rankings_of(rw.Run(path)).items()} for path in paths]
    given_rankings = rankings_of(rw.fuse(list(map(str, paths))))
    expected = by_plain_python(runs, "rrf", None, [1, 1])
    assert {query: dict(ranking) for query, ranking in given_rankings.items()} == {
        query: pytest.approx(ranking) for query, ranking in expected.items()
    }
    assert all([document for document, _ in rows] == ordered(dict(rows)) for rows in given_rankings.values())


@pytest.mark.parametrize("suffix", ["run", "csv", "tsv", "jsonl", "json", "parquet", "arrow"])
def test_a_fused_run_is_written_in_every_format_and_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    write_runs(tmp_path)
    a, b, target = (str(tmp_path / name) for name in ("a.run", "b.run", f"fused.{suffix}"))
    assert main(["fuse", a, b, "-o", target]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "rrf(k=60)" in said.err
    assert rankings_of(rw.Run(target)) == rankings_of(rw.fuse([a, b]))


def test_the_signature_stands_in_lines_and_in_metadata(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_runs(tmp_path)
    a, b = str(tmp_path / "a.run"), str(tmp_path / "b.run")
    assert main(["fuse", a, b, "--k", "20", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[5] for line in lines} == {"rrf(k=20)"}
    assert [line.split()[3] for line in lines[:2]] == ["1", "1"] or lines[0].split()[3] == "1"
    assert main(["fuse", a, b, "--like", "qdrant", "--quiet", "-o", str(tmp_path / "fused.parquet")]) == 0
    assert pl.read_parquet_metadata(tmp_path / "fused.parquet")["rankworth.fusion"] == "qdrant:rrf(k=2)"


def test_standard_output_can_be_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    write_runs(tmp_path)
    (tmp_path / "qrels.txt").write_text("q7 0 d1 1\nq8 0 d0 1\n")
    arguments = ["fuse", str(tmp_path / "a.run"), str(tmp_path / "b.run"), "--quiet", "-o", "-"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert main(["evaluate", str(tmp_path / "qrels.txt"), "-", "-m", "RR", "-f", "jsonl"]) == 0
    value = json.loads(capsys.readouterr().out)["RR"]
    direct = rw.evaluate(str(tmp_path / "qrels.txt"), rw.fuse(arguments[1:3]), ["RR"])
    assert value == direct["RR"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "there is no run to fuse"),
        (["a.run", "b.run", "--method", "sum", "--norm", "zz"], "no norm of fusion is called 'zz'"),
        (["a.run", "b.run", "--run-weights", "1", "2", "3"], "there are 3 weights, and 2 runs"),
        (["a.run", "b.run", "--set", "base"], "takes NAME=VALUE"),
        (["a.run", "b.run", "-o", "a.run"], "a.run"),
        (
            ["a.run", "b.run", "--set", "candidates=intersection", "--depth", "1", "-o", "x.run"],
            "no document in common",
        ),
        (["a.run", "c.run"], "there is no such file"),
    ],
)
def test_the_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any, arguments: list[str], text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("q Q0 x 1 2 a\nq Q0 y 2 1 a\n")
    (tmp_path / "b.run").write_text("q Q0 y 1 2 a\nq Q0 z 2 1 a\n")
    assert main(["fuse", *arguments]) == 2
    assert text in capsys.readouterr().err
    assert not (tmp_path / "x.run").exists()


@pytest.mark.parametrize(
    ("method", "is_refused"),
    [
        *((method, METHODS[method].part == "score") for method in METHODS),
        *((f"sum(norm={norm})", norm != "rank") for norm in NORMS),
        ("rrf(candidates=all)", True),
        *((tool, tool == "vespa") for tool in TOOLS),
        ("haystack:merge", True),
        ("milvus:weighted(similarities=IP/IP,run_weights=1/1)", True),
        ("qdrant:dbsf", True),
        ("opensearch:arithmetic_mean", True),
        ("ranx:sum(norm=rank)", False),
    ],
)
def test_ranks_do_not_stand_for_scores(method: str, is_refused: bool) -> None:
    """Lists without scores are fused by their ranks, and refused where scores count."""
    runs = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["y", "w"]}}
    if not is_refused:
        assert set(rw.fuse(runs, method).to_frame()["document"]) <= {"x", "y", "z", "w"}
        return
    with pytest.raises(InputError, match="a has ranks and no scores") as caught:
        rw.fuse(runs, method)
    assert caught.value.slug == "bad-score"


@pytest.mark.parametrize("method", ["rrf", *TOOLS, "paper"])
def test_limits_hold_for_tools_that_have_their_own(method: str) -> None:
    names = [f"d{number:02}" for number in range(12)]
    runs = {name: {"q": {each: 1.0 - place / 64 for place, each in enumerate(names)}} for name in ("a", "b")}
    assert rw.fuse(runs, method, top=4).to_frame().height == 4
    assert rw.fuse(runs, method, depth=5).to_frame().height == 5


def test_documents_without_an_order_are_not_fused() -> None:
    with pytest.raises(InputError, match="a fusion needs one"):
        rw.fuse({"a": {"q": {"x", "y"}}, "b": {"q": ["y"]}})


@pytest.mark.parametrize(
    ("method", "is_warned"),
    [
        *(
            ("sum" if norm == "min-max" else f"sum(norm={norm})", norm not in ("none", "max", "rank", "arctan"))
            for norm in NORMS
        ),
        *(("dbsf", True), ("rrf", False), ("borda", False), ("qdrant:dbsf", True), ("haystack:merge", False)),
    ],
)
def test_depths_that_differ_are_warned_of_where_scores_depend_on_them(method: str, is_warned: bool) -> None:
    runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"y": 2.0, "w": 1.5}}}
    slugs = [notice.slug for notice in rw.fuse(runs, method).notices]
    assert ("uneven-depth" in slugs) == is_warned

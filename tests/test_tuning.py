"""Settings of a fusion that are chosen: values, what holds on other queries, and what is refused."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankworth as rw
from rankworth.cli import main
from rankworth.errors import RankworthError
from rankworth.pipelines.grid import settings_on_grid

Qrels = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
FAST: Mapping[str, Any] = {"method": "rrf", "k": 60, "resamples": 1_000}


def noise(seed: int, queries: int = 40, documents: int = 12, runs: int = 2) -> tuple[Qrels, dict[str, Scores]]:
    """Judgements, and runs whose scores know nothing of them, but for the first run."""
    random = np.random.default_rng(seed)
    qrels: Qrels = {}
    scores: dict[str, Scores] = {f"run{number}": {} for number in range(runs)}
    for number in range(queries):
        names = [f"d{each}" for each in range(documents)]
        relevant = set(random.choice(names, 3, replace=False).tolist())
        qrels[f"q{number}"] = {name: int(name in relevant) for name in names}
        for index, run in enumerate(scores.values()):
            knows = 1.0 if index == 0 else 0.0
            run[f"q{number}"] = {name: random.normal() + knows * (name in relevant) for name in names}
    return qrels, scores


def complementary(queries: int = 24) -> tuple[Qrels, dict[str, Scores]]:
    """Two runs of which each finds the relevant document of half of the queries, and neither prefers another one."""
    qrels: Qrels = {f"q{number}": {"a": 1} for number in range(queries)}
    found, missed = {"a": 3.0, "x": 2.0}, {"y": 3.0, "a": 2.0, "z": 1.0}
    return qrels, {
        "odd": {query: dict(found if number % 2 else missed) for number, query in enumerate(qrels)},
        "even": {query: dict(missed if number % 2 else found) for number, query in enumerate(qrels)},
    }


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "MeanRank"])
@pytest.mark.parametrize("runs", [2, 3])
def test_every_setting_has_the_value_of_the_run_that_it_makes(measure: str, runs: int) -> None:
    qrels, scores = noise(1, queries=6, runs=runs)
    tuned = rw.tune(qrels, scores, measure, resamples=100)
    assert {setting.setting for setting in tuned.settings} == {str(fusion) for fusion in settings_on_grid(runs)}
    assert len(tuned.settings) == 7 * {2: 9, 3: 10}[runs]
    for setting in tuned.settings[::5]:
        run = rw.fuse(scores, setting.setting)
        assert setting.value == pytest.approx(rw.evaluate(qrels, run, [measure])[measure], abs=1e-12)
    alone = {name: rw.evaluate(qrels, run, [measure])[measure] for name, run in scores.items()}
    assert {run.run: run.value for run in tuned.runs} == pytest.approx(alone, abs=1e-12)
    lower = measure == "MeanRank"
    assert tuned.better == (min if lower else max)(alone, key=lambda name: alone[name])
    values = [setting.value for setting in tuned.settings]
    assert values == sorted(values, reverse=not lower)
    assert tuned.settings[0].difference == pytest.approx(values[0] - alone[tuned.better], abs=1e-12)


def test_held_out_values_are_those_of_settings_that_other_folds_chose() -> None:
    """With as many folds as queries, each query is fused by what is best for all others."""
    qrels, scores = noise(2, queries=9)
    tuned = rw.tune(qrels, scores, "AP", folds=9, resamples=100)
    values = {
        setting.setting: {
            query: row["AP"]
            for query, row in rw.evaluate(qrels, rw.fuse(scores, setting.setting), ["AP"]).per_query.to_dict().items()
        }
        for setting in tuned.settings
    }
    alone = rw.evaluate(qrels, scores[tuned.better], ["AP"]).per_query.to_dict()
    differences = []
    for query in qrels:
        others = [each for each in qrels if each != query]
        means = {name: sum(of[each] for each in others) for name, of in values.items()}
        best = max(means.values())
        candidates = [values[name][query] for name, mean in means.items() if mean >= best - 1e-12]
        differences.append([value - alone[query]["AP"] for value in candidates])
    low, high = sum(map(min, differences)) / 9, sum(map(max, differences)) / 9
    assert low - 1e-12 <= tuned.held_out.difference <= high + 1e-12
    assert tuned.held_out.folds == 9


def test_what_helps_each_half_of_the_queries_is_proven() -> None:
    qrels, scores = complementary()
    tuned = rw.tune(qrels, scores, "RR", **FAST)
    # Each run alone has the document first in half of the queries, and second in the others; fused, 1/61 + 1/62 of it
    # is more than 1/61 of another one: it is always first.
    assert [run.value for run in tuned.runs] == [0.75, 0.75]
    assert tuned.settings[0].value == 1.0
    assert tuned.proven
    assert tuned.halves.above == 1.0
    assert tuned.halves.held_out == pytest.approx(0.25, abs=0.02)
    assert (tuned.held_out.difference, tuned.held_out.word) == (0.25, "better")
    assert tuned.held_out.kept == pytest.approx(1.0, abs=0.01)
    assert tuned.diagnosis.best_list == 1.0
    assert (tuned.diagnosis.changed, tuned.diagnosis.queries) == (12, 24)
    assert str(tuned.definition()) == tuned.chosen
    assert tuned.verdict.endswith("+0.2500 held out: fusing helps")


def test_planted_noise_is_seldom_proven() -> None:
    """The second run knows nothing: in 30 trials weights seem to help, and 5 % of these would be 1.5."""
    trials = [rw.tune(*noise(seed), "nDCG@10", **FAST) for seed in range(100, 130)]
    assert sum(tuned.settings[0].difference > 0 for tuned in trials) > 5
    assert sum(tuned.proven for tuned in trials) <= 1


def test_settings_that_are_not_proven_are_refused_unless_accepted() -> None:
    qrels, scores = noise(7)
    tuned = rw.tune(qrels, scores, "nDCG@10", **FAST)
    assert not tuned.proven
    with pytest.raises(
        RankworthError, match="does not beat run0 alone on queries on which it was not chosen"
    ) as caught:
        tuned.definition()
    assert caught.value.slug == "unproven-settings"
    assert str(tuned.definition(accept_unproven=True)) == tuned.chosen


def test_neither_the_order_of_queries_nor_that_of_rows_matters() -> None:
    qrels, scores = noise(3, queries=12)
    turned = {
        name: {query: dict(reversed(list(documents.items()))) for query, documents in reversed(list(run.items()))}
        for name, run in scores.items()
    }
    first = rw.tune(qrels, scores, "nDCG@5", **FAST).to_dict()
    second = rw.tune(dict(reversed(list(qrels.items()))), turned, "nDCG@5", **FAST).to_dict()
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def test_queries_of_a_group_are_on_one_side() -> None:
    """Queries are copies of each other, ten to a group: without groups, the copies of a query tell its best setting."""
    qrels, scores = noise(11, queries=8, documents=8)
    copies: Qrels = {f"{query}.{copy}": grades for query, grades in qrels.items() for copy in range(10)}
    runs = {
        name: {f"{query}.{copy}": documents for query, documents in run.items() for copy in range(10)}
        for name, run in scores.items()
    }
    groups = {query: query.split(".")[0] for query in copies}
    grouped = rw.tune(copies, runs, "nDCG@10", by=groups, **FAST)
    alone = rw.tune(qrels, scores, "nDCG@10", folds=8, **FAST)
    leaking = rw.tune(copies, runs, "nDCG@10", **FAST)
    assert grouped.held_out.folds == 8
    assert grouped.held_out.difference == pytest.approx(alone.held_out.difference, abs=1e-12)
    assert leaking.held_out.difference >= grouped.held_out.difference
    assert abs(leaking.halves.held_out - leaking.halves.in_sample) <= abs(
        grouped.halves.held_out - grouped.halves.in_sample
    )


@pytest.mark.parametrize(
    ("call", "slug", "text"),
    [
        (lambda qrels, runs: rw.tune(qrels, {"a": runs["run0"]}), "conflicting-options", "there is 1"),
        (
            lambda qrels, runs: rw.tune(qrels, {f"r{number}": runs["run0"] for number in range(4)}),
            "conflicting-options",
            "two or three runs, and there are 4",
        ),
        (lambda qrels, runs: rw.tune({"q0": qrels["q0"]}, runs), "unproven-settings", "there is 1"),
        (lambda qrels, runs: rw.tune(qrels, runs, folds=1), "unknown-setting", "whole number from 2"),
        (lambda qrels, runs: rw.tune(qrels, runs, halves=True), "unknown-setting", "whole number from 1"),
        (lambda qrels, runs: rw.tune(qrels, runs, "NumRet"), "measure-syntax", "is counted"),
        (lambda qrels, runs: rw.tune(qrels, runs, "gmean(AP)"), "measure-syntax", "no arithmetic mean"),
        (lambda qrels, runs: rw.tune(qrels, runs, "AP RR"), "measure-syntax", "AP RR"),
        (lambda qrels, runs: rw.tune(qrels, runs, method="best"), "unknown-setting", "no method of fusion"),
        (lambda qrels, runs: rw.tune(qrels, runs, k=-1), "unknown-setting", "k is a number"),
        (lambda qrels, runs: rw.tune(qrels, runs, run_weights=(1, 1, 1)), "bad-weight", "3 weights, and 2 runs"),
        (lambda qrels, runs: rw.tune(qrels, runs, by={"q0": "a"}), "unproven-settings", "groups of queries"),
    ],
)
def test_what_cannot_be_tuned_is_refused(call: Callable[[Any, Any], Any], slug: str, text: str) -> None:
    with pytest.raises(RankworthError, match=text) as caught:
        call(*noise(1, queries=6))
    assert caught.value.slug == slug


@pytest.mark.parametrize(
    ("axes", "number"),
    [
        ({}, 63),
        ({"method": "rrf"}, 45),
        ({"method": "rrf(k=7)"}, 9),
        ({"k": 7}, 9),
        ({"norm": "z"}, 9),
        ({"run_weights": (3.0, 7.0)}, 7),
        ({"method": "sum(norm=z,run_weights=1/2)"}, 1),
        ({"method": "borda"}, 9),
        ({"depth": 5}, 63),
        ({"deviation": "sample"}, 9),
    ],
)
def test_what_is_set_is_set_for_all(axes: Mapping[str, Any], number: int) -> None:
    fusions = settings_on_grid(2, **axes)
    assert len(fusions) == number == len({str(fusion) for fusion in fusions})
    for name in axes.keys() - {"method"}:
        assert {getattr(fusion, name) for fusion in fusions} == {axes[name]}


def write(folder: Path, qrels: Qrels, scores: Mapping[str, Scores]) -> list[str]:
    """Write judgements and runs, and return their names, runs first."""
    lines = [f"{query} 0 {name} {grade}\n" for query, grades in qrels.items() for name, grade in grades.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    for name, run in scores.items():
        rows = [f"{query} Q0 {each} 1 {score!r} x\n" for query, of in run.items() for each, score in of.items()]
        (folder / f"{name}.run").write_text("".join(rows))
    return [f"{name}.run" for name in scores]


def test_the_command_writes_what_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = write(tmp_path, *complementary())
    command = ["fuse", *runs, "--tune", "qrels.txt", "-m", "RR", "--method", "rrf", "--k", "60"]
    assert main(command) == 0
    assert "fusing helps" in capsys.readouterr().out
    assert main([*command, "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["proven"], record["held_out"]["difference"]) == (True, 0.25)
    assert main([*command, "-o", "fused.run"]) == 0
    assert "fusing helps" in capsys.readouterr().err
    assert rw.evaluate("qrels.txt", "fused.run", ["RR"])["RR"] == 1.0


def test_the_command_refuses_what_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = write(tmp_path, *noise(7))
    command = ["fuse", *runs, "--tune", "qrels.txt", "--method", "rrf", "--k", "60", "-o", "fused.run"]
    assert main(command) == 2
    assert "[unproven-settings]" in capsys.readouterr().err
    assert not Path("fused.run").exists()
    assert main([*command, "--accept-unproven"]) == 0
    assert Path("fused.run").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-m", "RR"], "--measure is about settings that are chosen, and none are"),
        (["--accept-unproven"], "--accept-unproven is about settings that are chosen"),
        (["--tune", "qrels.txt", "--like", "qdrant"], "leave one of the two out"),
        (["--tune", "qrels.txt", "-m", "RR", "AP"], "settings are chosen by one measure"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: list[str],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = write(tmp_path, *complementary(6))
    assert main(["fuse", *runs, *arguments]) == 2
    assert text in capsys.readouterr().err

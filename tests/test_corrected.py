"""Means by a model's judgements that people's correct: formulas, coverage, the command, what is refused."""

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from rankworth import demonstration
from rankworth.cli import main
from rankworth.stats import intervals, prediction_powered

STORED = json.loads(Path(__file__).with_name("data").joinpath("prediction_powered.json").read_text("utf-8"))["cases"]
Grades = dict[str, dict[str, float]]


def column(numbers: Any) -> Any:
    return np.array(numbers, dtype=float)[:, None]


def judge(human: Mapping[str, Mapping[str, float]], errors: float, seed: int = 1) -> Grades:
    """A judge who gives a share of the documents any grade."""
    draw = random.Random(seed)  # noqa: S311 - a judge
    return {
        query: {
            document: draw.choice([0, 1, 2]) if draw.random() < errors else grade for document, grade in grades.items()
        }
        for query, grades in human.items()
    }


@pytest.fixture(scope="module")
def human() -> Grades:
    return {str(query): dict(rows) for query, rows in rw.demo().qrels.to_dict().items()}


@pytest.fixture(scope="module")
def runs() -> dict[str, Any]:
    demo = rw.demo()
    return {name: demo.runs[name] for name in ("fused", "dense")}


# the formula


@pytest.mark.parametrize("case", STORED, ids=range(len(STORED)))
def test_means_are_those_of_ppi_python(case: dict[str, Any]) -> None:
    found = prediction_powered(*(column(case[name]) for name in ("people", "model", "others")))
    assert found.mean[0] == pytest.approx(case["mean"], abs=1e-14)


def test_a_case_by_hand() -> None:
    f, g, h = [1.0, 0.0, 1.0, 0.0], [0.8, 0.2, 0.6, 0.4], [0.8, 0.2, 0.6, 0.4, 1.0, 0.6, 0.8, 0.4]
    found = prediction_powered(column(f), column(g), column(h))
    covariance = (0.5 * 0.3 + 0.5 * 0.3 + 0.5 * 0.1 + 0.5 * 0.1) / 4
    variance = np.var(g + h, ddof=1)
    weight = min(1.0, covariance / ((1 + 4 / 8) * variance))
    assert found.weight[0] == pytest.approx(weight, abs=1e-15)
    assert found.mean[0] == pytest.approx(0.5 + weight * (0.6 - 0.5), abs=1e-15)
    rest = np.var([one - weight * other for one, other in zip(f, g, strict=True)], ddof=1)
    error = math.sqrt(rest / 4 + weight**2 * np.var(h, ddof=1) / 8)
    assert found.high[0] - found.mean[0] == pytest.approx(3.182446305284263 * error, abs=1e-12)  # t of 3 at 0.975
    assert found.effective[0] == pytest.approx((1 / 3) / error**2, rel=1e-12)
    assert (found.measured[0], found.predicted[0]) == (4, 8)


UNIT = st.floats(0, 1).map(lambda x: round(x, 6))


@given(st.lists(st.tuples(UNIT, UNIT), min_size=3, max_size=30), st.lists(UNIT, max_size=30), st.floats(0.5, 0.99))
def test_laws(pairs: list[tuple[float, float]], others: list[float], level: float) -> None:
    f, g = (column(side) for side in zip(*pairs, strict=True))
    h = column(others).reshape(-1, 1)
    found = prediction_powered(f, g, h, level=level)
    alone = intervals(f, method="t", level=level)
    for nothing_to_learn in (
        prediction_powered(f, g * 0 + 0.5, h * 0 + 0.5, level=level),
        prediction_powered(f, g, h[:0], level=level),
    ):
        ends = [nothing_to_learn.mean[0], nothing_to_learn.low[0], nothing_to_learn.high[0]]
        assert ends == pytest.approx([f.mean(), alone.low[0], alone.high[0]], abs=1e-12)
    scaled = prediction_powered(8 * f, 8 * g, 8 * h, level=level)
    assert scaled.weight[0] == pytest.approx(found.weight[0], abs=1e-12)
    assert scaled.mean[0] == pytest.approx(8 * found.mean[0], abs=1e-12)
    assert 0 <= found.weight[0] <= 1
    assert found.low[0] <= found.mean[0] <= found.high[0]
    without = [np.concatenate([side, [[np.nan]]]) for side in (f, g, h)]
    assert prediction_powered(*without, level=level).mean[0] == found.mean[0]


def test_intervals_cover_what_people_would_find(human: Grades, runs: dict[str, Any]) -> None:
    """Of 2,000 samples of queries, for judges who err more and less: values of a run, and differences of two."""
    by_people = rw.evaluate_runs(human, runs, ["nDCG@10", "AP"])
    draw = np.random.default_rng(0)
    samples = 2_000
    for errors in (0.1, 0.4, 1.0):
        by_model = rw.evaluate_runs(judge(human, errors), runs, ["nDCG@10", "AP"])
        people, model = (
            np.concatenate(
                [side["dense"].per_query.array, side["dense"].per_query.array - side["fused"].per_query.array], axis=1
            )
            for side in (by_people, by_model)
        )
        truth, covered, width, alone = people.mean(axis=0), np.zeros(4), np.zeros(4), np.zeros(4)
        for _ in range(samples):
            rows = draw.integers(0, len(people), 50 + 200)
            found = prediction_powered(people[rows[:50]], model[rows[:50]], model[rows[50:]])
            covered += (found.low <= truth) & (truth <= found.high)
            width += found.high - found.low
            t = intervals(people[rows[:50]], method="t")
            alone += t.high - t.low
        assert (np.abs(covered / samples - 0.95) <= 0.02).all(), (errors, covered / samples)
        assert (width <= 1.02 * alone).all(), (errors, width / alone)
        assert errors > 0.1 or (width < 0.6 * alone).all()  # a good judge is worth a lot


# the function


def test_means_and_differences_are_those_of_evaluate(human: Grades, runs: dict[str, Any]) -> None:
    model, few = judge(human, 0.3), dict(sorted(human.items())[::2])
    found = rw.corrected_means(model, few, runs, ["nDCG@10", "AP"], baseline="fused", level=0.9)
    tables = {}
    for name, judgements in (("people", few), ("model", model)):
        values = rw.evaluate_runs(judgements, runs, ["nDCG@10", "AP"])
        tables[name] = {run: one.per_query.to_dict() for run, one in values.items()}
    rows = [*found.means, *found.differences]
    assert [(row.run, row.baseline, row.measure) for row in rows] == [
        *(("fused", "", "nDCG@10"), ("fused", "", "AP"), ("dense", "", "nDCG@10"), ("dense", "", "AP")),
        *(("dense", "fused", "nDCG@10"), ("dense", "fused", "AP")),
    ]

    def values(side: str, row: rw.comparison.CorrectedMean, queries: list[str]) -> Any:
        own = [tables[side][row.run][query][row.measure] for query in queries]
        others = [tables[side][row.baseline][query][row.measure] if row.baseline else 0.0 for query in queries]
        return column(own) - column(others)

    both, rest = sorted(few), sorted(set(model) - set(few))
    for row in rows:
        people, of_both, of_rest = values("people", row, both), values("model", row, both), values("model", row, rest)
        expected = prediction_powered(people, of_both, of_rest, level=0.9)
        t = intervals(people, method="t", level=0.9)
        assert (row.value, row.low, row.high) == (expected.mean[0], expected.low[0], expected.high[0])
        assert (row.people_low, row.people_high) == (t.low[0], t.high[0])
        assert row.people == pytest.approx(people.mean(), abs=1e-15)
        assert row.model == pytest.approx(np.concatenate([of_both, of_rest]).mean(), abs=1e-15)
        assert (row.judged, row.predicted) == (54, 54)
        assert math.isnan(row.p) == (not row.baseline)


def test_the_result_in_all_its_forms(human: Grades, runs: dict[str, Any]) -> None:
    found = rw.corrected_means(judge(human, 0.3), human, runs, ["AP"], baseline="fused")
    assert found.of("AP", "dense").predicted == 0
    assert found.of("AP", "dense").value == pytest.approx(rw.evaluate(human, runs["dense"], ["AP"])["AP"], abs=1e-12)
    assert found.columns()["baseline"] == ["", "", "fused"]
    assert len(found.to_frame()) == 3
    assert found.to_dict()["schema"] == "rankworth.corrected/1"
    assert found.to_dict()["differences"][0]["value"] == found.differences[0].value
    assert "108 queries judged by people and the model, 0 by the model alone" in repr(found)
    assert "differences from fused" in found.to_markdown()
    with pytest.raises(rw.UsageError, match="the only run"):
        found.of("AP")


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"level": 95}, "unknown-setting"),
        ({"level": "0.9"}, "unknown-setting"),
        ({"weights": {"en01": 1.0}}, "conflicting-options"),
        ({"by": {"en01": "en"}}, "conflicting-options"),
        ({"baseline": "none"}, "run-names"),
        ({"queries": ["en01", "en02"]}, "few-queries"),
        ({"measures": ["gmean(AP)"]}, "measure-syntax"),
    ],
)
def test_what_is_refused(human: Grades, runs: dict[str, Any], options: dict[str, Any], slug: str) -> None:
    with pytest.raises(rw.RankworthError) as caught:
        rw.corrected_means(human, human, runs, **{"measures": ["AP"], **options})
    assert caught.value.slug == slug


def test_judgements_that_do_not_meet_are_refused(human: Grades, runs: dict[str, Any], tmp_path: Path) -> None:
    for people, problem in (
        ({"en01": human["en01"]}, "people judged 1 query of the model's, .*few-queries"),
        ({"other": {"a": 1}}, "judgements of people: no query of fused is judged: .*no-common-queries"),
    ):
        with pytest.raises(rw.RankworthError, match=problem):
            rw.corrected_means(human, people, {"fused": runs["fused"]}, ["AP"])
    rw.evaluate(human, runs["fused"], ["AP"]).save(tmp_path / "stored.json")
    with pytest.raises(rw.UsageError, match="results file"):
        rw.corrected_means(human, human, {"stored": tmp_path / "stored.json"}, ["AP"])


# the command


@pytest.fixture
def files(human: Grades, tmp_path: Path) -> tuple[str, ...]:
    demonstration.write(tmp_path)
    for name, grades in (("llm", judge(human, 0.3)), ("people", dict(sorted(human.items())[:60]))):
        rows = [f"{query} 0 {document} {grade:g}" for query, one in grades.items() for document, grade in one.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(rows) + "\n")
    return tuple(str(tmp_path / name) for name in ("llm.qrels", "fused.run", "dense.run", "people.qrels"))


def test_the_command_gives_what_the_function_gives(files: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    llm, fused, dense, people = files
    assert (
        main(["evaluate", llm, fused, dense, "--corrected-by", people, "-m", "AP", "--level", "0.9", "-f", "json"]) == 0
    )
    record = json.loads(capfd.readouterr().out)
    expected = rw.corrected_means(llm, people, [fused, dense], ["AP"], baseline="fused", level=0.9)
    assert record == json.loads(json.dumps(expected.to_dict()))
    assert main(["evaluate", llm, fused, "--corrected-by", people]) == 0
    measures = [line.split("\t")[0] for line in capfd.readouterr().out.splitlines()]
    assert measures == ["measure", "nDCG@10", "RR@10", "AP", "R@100"]


@pytest.mark.parametrize(
    "options",
    [
        ["-q"],
        ["--fail-under", "AP=0.2"],
        ["--profile", "all"],
        ["-f", "trec"],
        ["-o", "means.png"],
        ["--engine", "spark"],
    ],
)
def test_options_without_room_are_refused(
    files: tuple[str, ...], options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    llm, fused, _, people = files
    assert main(["evaluate", llm, fused, "--corrected-by", people, *options]) == 2
    assert "[conflicting-options]" in capfd.readouterr().err

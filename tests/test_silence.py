"""Queries without an answer: the setting, every threshold by brute force, and intervals by simulation."""

import json
import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu

import rankworth as rw
from rankworth import plots
from rankworth.cli import main
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError
from rankworth.pipelines.refusal import _Evidence
from rankworth.settings import Averaging

few = settings(max_examples=60, deadline=None)
DOCUMENTS = "abcd"
QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {}, "q4": {"c": 0}}
RUN = {"q1": {"a": 0.9}, "q2": {"x": 0.4, "b": 0.3}, "q3": {"c": 0.6}, "q4": {"c": 0.1}}


def evaluated(*arguments: Any, **options: Any) -> rw.Values:
    """Values, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return rw.evaluate(*arguments, **options)


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements, of which some have no relevant document, and a run, of which some queries have no results."""
    number = draw(st.integers(2, 9))
    grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2))
    qrels = {f"q{each}": draw(grades) for each in range(number)}
    qrels["q0"], qrels["q1"] = {"a": 1}, {"a": 0}
    scores = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-3, 3).map(float), max_size=4)
    run = {f"q{each}": draw(scores) for each in range(number)}
    run["q0"] = run["q0"] or {"a": 1.0}
    return qrels, run


def answered(run: dict[str, dict[str, float]], threshold: float) -> dict[str, dict[str, float]]:
    """The run with empty lists for queries below a threshold, and a query that nobody judged."""
    return {"unjudged": {"a": 1.0}} | {
        query: row if row and max(row.values()) >= threshold else {} for query, row in run.items()
    }


@few
@given(collections(), st.sampled_from(["nDCG@3", "RR", "P@2", "AP", "DCG"]))
def test_the_setting_gives_1_for_silence_and_0_for_anything(data: Any, measure: str) -> None:
    qrels, run = data
    kept = evaluated(qrels, run, [measure]).per_query.to_dict()
    values = evaluated(qrels, run, [measure], no_relevant="silence")
    expected = {
        query: kept[query][measure] if any(grade > 0 for grade in grades.values()) else float(not run[query])
        for query, grades in qrels.items()
    }
    assert {query: row[measure] for query, row in values.per_query.to_dict().items()} == expected
    assert "no_relevant:silence" in str(values.signature)


def test_other_settings_and_measures_go_with_it() -> None:
    run = {"q1": {"a": 1.0}, "q3": {"c": 1.0}}
    measures = ["nDCG@10", "FallOut@10", "Judged@10", "NumRet"]

    def of(**settings: Any) -> dict[str, dict[str, float]]:
        return evaluated(QRELS, run, measures, no_relevant="silence", **settings).per_query.to_dict()

    assert {query: row["nDCG@10"] for query, row in of().items()} == {"q1": 1, "q2": 0, "q3": 0, "q4": 1}
    assert {row["FallOut@10"] for query, row in of().items() if query == "q4"} == {0.0}
    assert of()["q4"]["Judged@10"] == 0
    assert [*of(missing="skip")] == ["q1", "q3"]
    assert of(missing="nought")["q4"]["nDCG@10"] == 0
    assert of(exclude={"q3": ["c"]})["q3"]["nDCG@10"] == 1
    assert of(unjudged="removed")["q3"]["nDCG@10"] == 0
    profile = replace(rw.PROFILES["standard"], averaging=Averaging(no_relevant="silence"))
    with pytest.raises(UsageError, match="every row has results"):
        rw.tensors.evaluate(np.ones((1, 2)), np.zeros((1, 2)), ["P@1"], profile=profile)


@few
@given(collections(), st.sampled_from(["nDCG@3", "RR", "P@2"]), st.floats(0, 5), st.floats(0, 5))
def test_every_threshold_is_as_by_brute_force(
    data: Any, measure: str, wrong_answer: float, wrong_silence: float
) -> None:
    qrels, run = data
    found = rw.silence(qrels, run, measure, wrong_answer=wrong_answer, wrong_silence=wrong_silence)
    tops = sorted({max(row.values()) for row in run.values() if row})
    assert [row.threshold for row in found.thresholds] == [*tops, math.inf]
    present = {query for query, grades in qrels.items() if any(grade > 0 for grade in grades.values())}
    assert (found.with_answer, found.without_answer) == (len(present), len(qrels) - len(present))
    alone = {query: row[measure] for query, row in evaluated(qrels, run, [measure]).per_query.to_dict().items()}
    for row in found.thresholds:
        left = answered(run, row.threshold)
        kept = {query for query, ranking in left.items() if ranking} - {"unjudged"}
        wrong, silent = kept - present, present - kept
        assert (row.answered, row.wrong_answers, row.wrong_silences) == (len(kept), len(wrong), len(silent))
        assert row.refused == pytest.approx(1 - len(kept) / len(qrels))
        nothing = found.without_answer / len(qrels)
        value = evaluated(qrels, left, [measure], no_relevant="silence")[measure] if kept else nothing
        assert row.value == pytest.approx(value)
        quality = [alone[query] if query in present else 0.0 for query in kept]
        assert row.quality == pytest.approx(np.mean(quality) if quality else math.nan, nan_ok=True)
        assert row.cost == pytest.approx((wrong_answer * len(wrong) + wrong_silence * len(silent)) / len(qrels))
        for count, number, low, high in (
            (len(wrong), found.without_answer, row.wrong_answer_low, row.wrong_answer_high),
            (len(silent), found.with_answer, row.wrong_silence_low, row.wrong_silence_high),
        ):
            exact = binomtest(count, number).proportion_ci(0.95, method="exact")
            assert (low, high) == pytest.approx((exact.low, exact.high), rel=1e-9, abs=1e-12)
    top = {query: max(row.values(), default=-math.inf) for query, row in run.items()}
    with_answer, without = ([top[query] for query in qrels if (query in present) is is_in] for is_in in (True, False))
    pairs = len(with_answer) * len(without)
    assert found.separation == pytest.approx(mannwhitneyu(with_answer, without).statistic / pairs)


def simulated(random: np.random.Generator, size: int, shift: float = 1.0) -> tuple[Any, Any]:
    """Queries, a third of which have no answer; top scores are normal, higher by `shift` where there is one."""
    qrels, run = {}, {}
    for number, score in enumerate(random.normal(size=size)):
        has_answer = number % 3 > 0
        qrels[f"q{number}"] = {"a": int(has_answer)}
        run[f"q{number}"] = {"a": score + shift * has_answer}
    return qrels, run


def test_the_threshold_is_the_cheapest_on_tuning_queries_and_measured_on_others() -> None:
    qrels, run = simulated(np.random.default_rng(1), 90)
    found = rw.silence(qrels, run, "RR", wrong_answer=3, seed=5)
    tuning, everything, nothing, held_out = found.policies
    assert [row.queries for row in found.policies] == ["tuning", *["held out"] * 3]
    assert found.held_out == held_out
    assert (tuning.without_answer, tuning.with_answer, held_out.without_answer, held_out.with_answer) == (
        15,
        30,
        15,
        30,
    )
    at = next(row for row in found.thresholds if row.threshold == found.threshold)
    assert tuning.wrong_answers + held_out.wrong_answers == at.wrong_answers
    assert tuning.wrong_silences + held_out.wrong_silences == at.wrong_silences
    assert (everything.wrong_answers, everything.wrong_silences, everything.cost) == (15, 0, 1.0)
    assert (nothing.wrong_answers, nothing.wrong_silences, nothing.cost) == (0, 30, 30 / 45)
    assert held_out.cost == (3 * held_out.wrong_answers + held_out.wrong_silences) / 45
    assert held_out.cost_low <= held_out.cost <= held_out.cost_high
    assert {(row.error, row.query) for row in found.queries} == {
        *(
            ("wrong answer", query)
            for query, row in run.items()
            if query in _without(qrels) and row["a"] >= at.threshold
        ),
        *(("wrong silence", query) for query, row in run.items() if qrels[query]["a"] and row["a"] < at.threshold),
    }
    assert len(found.queries) == at.wrong_answers + at.wrong_silences
    order = dict(reversed(qrels.items()))
    assert rw.silence(order, dict(reversed(run.items())), "RR", wrong_answer=3, seed=5).policies == found.policies
    assert rw.silence(qrels, run, "RR", wrong_answer=3, seed=6).policies != found.policies


def _without(qrels: dict[str, dict[str, int]]) -> set[str]:
    return {query for query, grades in qrels.items() if not any(grades.values())}


@few
@given(collections(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_no_threshold_costs_less_where_it_was_chosen(data: Any, answer: int, silent: int, seed: int) -> None:
    """Twins of queries: each half has the tops of all, so that its threshold can be found by brute force."""
    qrels, run = ({f"{query}{copy}": row for query, row in each.items() for copy in "xy"} for each in data)
    found = rw.silence(qrels, run, "RR", wrong_answer=answer, wrong_silence=silent, seed=seed)
    tuning, *_, held_out = found.policies
    assert (tuning.queries, held_out.queries) == ("tuning", "held out")
    assert tuning.threshold == held_out.threshold
    everywhere = {row.threshold: row.cost for row in found.thresholds}
    both = (tuning.cost * tuning.number + held_out.cost * held_out.number) / len(qrels)
    assert both == pytest.approx(everywhere[tuning.threshold])
    assert everywhere[tuning.threshold] >= min(everywhere.values()) - 1e-12


@few
@given(
    st.lists(st.tuples(st.integers(-2, 2), st.booleans(), st.booleans()), min_size=2, max_size=9),
    *[st.sampled_from([0.0, 0.1, 1.0, 3.0])] * 2,
)
def test_the_choice_is_that_of_plain_loops(rows: list[tuple[int, bool, bool]], answer: float, silent: float) -> None:
    rows = [*rows, (0, True, True), (0, False, False)]  # one of the tuning queries and one of the others
    score, has_answer, tuning = (np.array(column) for column in zip(*rows, strict=True))
    score = np.where(score == -2, -np.inf, score.astype(float))
    values = np.zeros(score.size)
    chosen = _Evidence(score, has_answer, values, values, (answer, silent)).cheapest(tuning[None])

    def cost(threshold: float, counted: Any) -> float:
        answered = (score >= threshold) & (score > -np.inf)
        wrong = answer * (answered & ~has_answer) + silent * (~answered & has_answer)
        return float(wrong[counted].mean())

    thresholds = [*sorted(score[tuning & (score > -np.inf)]), math.inf]
    best = min(thresholds, key=lambda threshold: (round(cost(threshold, tuning), 12), threshold))
    expected = (best, cost(best, tuning), cost(best, ~tuning), cost(-math.inf, ~tuning))
    assert tuple(float(column[0]) for column in chosen) == pytest.approx(expected)


def test_intervals_on_other_queries_hold_the_true_rates() -> None:
    """The rates of a threshold are known where scores are normal: the exact intervals hold them 95 times in 100."""
    from scipy.stats import norm  # noqa: PLC0415 - as above

    random = np.random.default_rng(2)
    answers, silences = [], []
    for _ in range(200):
        found = rw.silence(*simulated(random, 60), "RR", seed=int(random.integers(1000)))
        row = found.held_out
        assert row is not None
        answers.append(row.wrong_answer_low <= norm.sf(row.threshold) <= row.wrong_answer_high)
        silences.append(row.wrong_silence_low <= norm.cdf(row.threshold - 1) <= row.wrong_silence_high)
    assert min(np.mean(answers), np.mean(silences)) >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / 200)


def test_the_cost_where_a_threshold_was_chosen_is_too_low() -> None:
    found = rw.silence(*simulated(np.random.default_rng(3), 60, shift=0.0), "RR", wrong_answer=2)
    assert found.splits is not None
    assert found.splits.tuning_cost < found.splits.held_out_cost


def test_a_threshold_of_other_queries_is_measured_on_all() -> None:
    found = rw.silence(QRELS, RUN, "RR", threshold=0.5)
    assert found.verdict.partition(" on answers ")[::2] == (
        "to answer from a top score of 0.5",
        "1 of 2 queries without an answer and is silent for 1 of 2 with one",
    )
    assert [(row.policy, row.queries, row.number) for row in found.policies][-1] == ("chosen", "all", 4)
    assert found.splits is None
    assert [row.query for row in found.queries] == ["q3", "q2"]


def test_what_cannot_be_told_apart_is_refused() -> None:
    for qrels, text in (({"q1": {"a": 1}}, "every query has an answer"), ({"q3": {"c": 0}}, "no query has an answer")):
        with pytest.raises(InputError, match=text) as caught:
            rw.silence(qrels, RUN, "RR")
        assert caught.value.slug == "one-kind-of-query"
    with pytest.raises(InputError, match="has ranks and no scores") as caught:
        rw.silence(QRELS, {"q1": ["a"], "q3": ["c"]}, "RR")
    assert caught.value.slug == "bad-score"
    with pytest.raises(MeasureError, match="better where it is lower"):
        rw.silence(QRELS, RUN, "FallOut@5")
    for option in ({"no_relevant": 1.0}, {"exclude": {"q1": ["a"]}}, {"duplicates": "sum"}):
        with pytest.raises(UsageError) as unfollowed:
            rw.silence(QRELS, RUN, "RR", **option)
        assert unfollowed.value.slug == "unfollowed-setting"
    for option in ({"wrong_answer": -1}, {"wrong_silence": math.nan}, {"threshold": "high"}, {"level": 2.0}):
        with pytest.raises(UsageError) as wrong:
            rw.silence(QRELS, RUN, "RR", **option)
        assert wrong.value.slug == "unknown-setting"


def test_too_few_queries_have_a_curve_and_no_choice() -> None:
    found = rw.silence({"q1": {"a": 1}, "q3": {}}, RUN, "RR")
    assert (found.policies, found.threshold, len(found.thresholds)) == ((), None, 3)
    assert "too few to choose on" in found.verdict
    assert "takes two queries with an answer and two without" in " ".join(str(found).split())


def test_scores_that_are_scaled_within_queries_are_told() -> None:
    run = {query: dict.fromkeys(row, 1.0) for query, row in RUN.items()}
    found = rw.silence(QRELS, run, "RR")
    assert "every query has the same top score" in " ".join(str(found).split())
    assert found.separation == 0.5


def test_the_command_shows_it_as_table_json_and_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = simulated(np.random.default_rng(4), 45)
    paths = {name: tmp_path / name for name in ("qrels.json", "dense.json", "queries.tsv", "curve.svg")}
    paths["qrels.json"].write_text(json.dumps(qrels))
    paths["dense.json"].write_text(json.dumps(run))
    paths["queries.tsv"].write_text("".join(f"{query}\tquestion {query}\n" for query in qrels))
    files = ["silence", str(paths["qrels.json"]), str(paths["dense.json"]), "-m", "RR"]
    assert main([*files, "--wrong-answer", "4", "--queries", str(paths["queries.tsv"])]) == 0
    text = capsys.readouterr().out
    assert "answer everything" in text
    assert "question q" in text
    assert main([*files, "--wrong-answer", "4", "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["threshold"] == rw.silence(qrels, run, "RR", wrong_answer=4).threshold
    assert record["thresholds"][-1]["threshold"] is None
    assert main([*files, "-o", str(paths["curve.svg"])]) == 0
    assert paths["curve.svg"].read_text().startswith("<?xml")
    ax = plots.silence(rw.silence(qrels, run, "RR"))
    assert ax.lines[0].get_ydata()[0] == 1.0
    assert plots.data.silence(rw.silence(qrels, run, "RR"))["wrong_silence_rate"][-1] == 1.0
    assert main([*files, "-m", "RR", "P@1"]) == 2
    assert main(["evaluate", *files[1:], "--no-relevant", "silence"]) == 0


def languages(qrels: dict[str, Any]) -> dict[str, str]:
    """A language for each query."""
    return {query: ("ar", "en", "he")[number // 3 % 3] for number, query in enumerate(qrels)}


def test_groups_have_the_chosen_threshold_and_their_own() -> None:
    qrels, run = simulated(np.random.default_rng(6), 90)
    groups = languages(qrels)
    found = rw.silence(qrels, run, "RR", wrong_answer=3, by=groups)
    whole = rw.silence(qrels, run, "RR", wrong_answer=3)
    assert (found.policies, found.splits, whole.groups) == (whole.policies, whole.splits, ())
    assert [row.group for row in found.groups] == ["ar", "en", "he"]
    assert found.held_out is not None
    for name in ("number", "wrong_answers", "wrong_silences", "with_answer", "without_answer"):
        assert sum(getattr(row, name) for row in found.groups) == getattr(found.held_out, name)
    assert {row.threshold for row in found.groups} == {found.threshold}
    for row in found.groups:
        assert row.cost == (3 * row.wrong_answers + row.wrong_silences) / row.number
        members = [query for query in qrels if groups[query] == row.group]
        alone = rw.silence(qrels, run, "RR", wrong_answer=3, queries=members)
        assert row.separation == alone.separation
        assert row.cheapest == min(alone.thresholds, key=lambda each: (each.cost, each.threshold)).threshold


def test_a_named_threshold_is_measured_on_all_queries_of_each_group() -> None:
    groups = {"q1": "en", "q2": "ar", "q3": "en", "q4": "none"}
    rows = {row.group: row for row in rw.silence(QRELS, RUN, "RR", threshold=0.5, by=groups).groups}
    assert {name: (row.number, row.wrong_answers, row.wrong_silences) for name, row in rows.items()} == {
        "ar": (1, 0, 1),
        "en": (2, 1, 0),
        "none": (1, 0, 0),
    }
    assert rows["en"].separation == 1.0  # 0.9 is above 0.6
    assert math.isnan(rows["ar"].separation)
    assert math.isnan(rows["ar"].wrong_answer_rate)
    assert (rows["ar"].cheapest, rows["none"].cheapest) == (0.4, math.inf)


def test_the_command_shows_groups_of_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = simulated(np.random.default_rng(4), 45)
    for name, content in {"qrels.json": qrels, "dense.json": run}.items():
        (tmp_path / name).write_text(json.dumps(content))
    rows = "".join(f"{query},x,{name}\n" for query, name in languages(qrels).items())
    (tmp_path / "queries.csv").write_text(f"query_id,text,language\n{rows}")
    words = ["silence", str(tmp_path / "qrels.json"), str(tmp_path / "dense.json"), "-m", "RR", "--by", "language"]
    assert main([*words, "--queries", str(tmp_path / "queries.csv"), "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [(row["column"], row["group"]) for row in record["groups"]] == [
        ("language", name) for name in ("ar", "en", "he")
    ]
    assert main([*words, "--queries", str(tmp_path / "queries.csv")]) == 0
    assert ", by language" in capsys.readouterr().out
    assert main(words) == 2
    assert "--queries" in capsys.readouterr().err

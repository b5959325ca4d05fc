"""Several runs of a system: how they vary, differences beside that of identical runs, and gates that fail by chance."""

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import rankworth as rw
from helpers import Command, command_of, raises, refused
from rankworth import stats

STORED = json.loads(Path(__file__).with_name("data").joinpath("repetitions.json").read_text("utf-8"))["cases"]
QRELS = {f"q{number:02}": {"a": 1} for number in range(24)}
Runs = list[dict[str, dict[str, float]]]


def runs(seed: int, count: int, *, shift: float = 0.0, rate: float = 0.25) -> Runs:
    """Draw runs of one system: in each, some queries have the relevant document lower than usual."""
    generator = np.random.default_rng(seed)
    usual = generator.integers(1, 4, len(QRELS))
    several = []
    for _ in range(count):
        changed = generator.random(len(QRELS)) < rate
        ranks = usual + changed * generator.integers(1, 3, len(QRELS)) + (generator.random(len(QRELS)) < shift)
        several.append(
            {
                query: {name: float(10 - place) for place, name in enumerate(["b", "c", "d", "e", "f"], 1)}
                | {"a": 10 - rank + 0.5}
                for query, rank in zip(QRELS, ranks.tolist(), strict=True)
            }
        )
    return several


def write(path: str, run: dict[str, dict[str, float]]) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    rows = [
        f"{query} Q0 {name} {rank} {score} x\n"
        for query, documents in run.items()
        for rank, (name, score) in enumerate(sorted(documents.items(), key=lambda pair: -pair[1]), 1)
    ]
    Path(path).write_text("".join(rows), encoding="utf-8")


def of(run: object) -> list[float]:
    """Return the reciprocal ranks of a run."""
    values: list[float] = rw.evaluate(QRELS, run, ["RR"]).per_query.to_frame()["RR"].to_list()
    return values


def mean(run: object) -> float:
    """Return the mean reciprocal rank of a run."""
    return rw.evaluate(QRELS, run, ["RR"])["RR"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write judgements and runs: old/, new/ and aa/ with several runs each, and a run of either alone."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QRELS), encoding="utf-8")
    for folder, drawn in {"old": runs(1, 4), "new": runs(1, 5, shift=0.5), "aa": runs(1, 6)}.items():
        for number, run in enumerate(drawn, 1):
            write(f"{folder}/{folder}-{number}.run", run)
    write("old.run", runs(1, 1)[0])
    write("new.run", runs(1, 1, shift=0.5)[0])


@pytest.fixture
def command(files: None, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:  # noqa: ARG001
    return command_of(capfdbinary, "compare")


@pytest.fixture
def told(command: Command) -> Callable[..., dict[str, Any]]:
    """Give the command that returns its JSON, whatever gates say."""

    def run(*arguments: str) -> dict[str, Any]:
        status, out, _ = command(*arguments, "-f", "json", "--quiet")
        assert status in (0, 1)
        record: dict[str, Any] = json.loads(out)
        return record

    return run


OLD = tuple(f"old/old-{number}.run" for number in range(1, 5))
NEW = tuple(f"new/new-{number}.run" for number in range(1, 6))
AA = tuple(f"aa/aa-{number}.run" for number in range(1, 7))
FEW = ("--resamples", "200")


# arithmetic


def test_a_balanced_design_by_hand() -> None:
    # runs [1, 3] and [3, 9] of two queries: means of runs 2 and 6, of queries 2 and 6, of all 4; residuals 1, -1, -1, 1
    found = stats.repeated_runs([[1, 3], [3, 9]])
    assert (found.runs, found.queries, found.mean) == (2, 2, 4)
    assert found.by_run == ((2 - 4) ** 2 + (6 - 4) ** 2) / 1
    assert found.rest == pytest.approx((1 + 1 + 1 + 1) / 1 / 2)  # the residual mean square over 2 queries
    assert found.by_query == pytest.approx(((2 - 4) ** 2 + (6 - 4) ** 2) / 1 / 2)
    assert found.components[:3] == pytest.approx((2 * (4 - 2 / 2), 8 - 2, 4))


def test_the_difference_of_a_balanced_design_by_hand() -> None:
    first, second = [[1, 3], [3, 9]], [[1, 5], [1, 9]]
    # means per query 2 6 and 1 7: differences -1 1; runs of the second 3 5, residuals 0.5 -0.5 ... squared 4 * 1
    found = stats.run_difference(first, second)
    by_run, both = 8 / 2 + 2 / 2, 2 / 2 + (4 * 1 / 1 / 2) / 2
    assert (found.mean, found.identical_error**2) == (0, pytest.approx(by_run))
    assert (found.query, found.run, found.both) == pytest.approx((0, by_run - both, both))
    assert found.negative == ("query",)
    assert found.error**2 == pytest.approx(by_run)
    df = by_run**2 / ((8 / 2) ** 2 / 1 + (2 / 2) ** 2 / 1)
    assert (found.df, found.identical_df) == pytest.approx((df, df))
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(by_run)
    assert (found.half(), found.identical()) == pytest.approx((half, half))
    assert found.exceeds(1.5) == pytest.approx(scipy.stats.t.sf(1.5 / math.sqrt(by_run), df))


@pytest.mark.parametrize("case", STORED)
def test_mean_squares_are_those_of_statsmodels(case: dict[str, Any]) -> None:
    for values, squares in zip(case["values"], case["mean_squares"], strict=True):
        found, size = stats.repeated_runs(values), len(values[0])
        assert found.rest * size == pytest.approx(squares["Residual"], rel=1e-13)
        assert found.by_run * size == pytest.approx(squares["C(run)"], rel=1e-13)
        assert found.by_query * size * found.runs == pytest.approx(squares["C(query)"], rel=1e-13)


@pytest.mark.parametrize("case", STORED)
def test_the_error_of_a_difference_is_that_of_a_mixed_model(case: dict[str, Any]) -> None:
    found = stats.run_difference(*case["values"])
    assert found.mean == pytest.approx(case["difference"], abs=1e-13)
    assert found.error == pytest.approx(case["error"], rel=1e-4)  # whose likelihood was maximised in steps
    variances, (runs_of_each, size) = case["variances"], np.shape(case["values"][0])
    assert found.query == pytest.approx(2 * variances["cell"] / size, rel=2e-3)
    assert found.run == pytest.approx(2 * variances["run"] / runs_of_each, rel=2e-3)
    assert found.both == pytest.approx(2 * variances["rest"] / runs_of_each / size, rel=2e-3)


def test_with_one_run_of_each_it_is_the_paired_t_test_where_identical_runs_do_not_differ() -> None:
    first, second = np.random.default_rng(0).random((2, 1, 20))
    found = stats.run_difference(first, second, further=[np.repeat(first, 5, axis=0)])
    assert found.p() == pytest.approx(scipy.stats.ttest_rel(first[0], second[0]).pvalue)
    assert found.identical() == 0
    assert (found.exceeds(0.0), found.exceeds(-0.1)) == (0.0, 1.0)


def test_equal_weights_are_no_weights_and_a_weight_of_0_is_no_query() -> None:
    first, second = np.random.default_rng(1).random((2, 4, 9))
    plain = stats.run_difference(first, second)
    assert stats.run_difference(first, second, np.full(9, 0.3)).error == pytest.approx(plain.error, rel=1e-12)
    wider = [np.append(side, np.ones((4, 1)), axis=1) for side in (first, second)]
    assert stats.run_difference(*wider, np.append(np.ones(9), 0)).error == pytest.approx(plain.error, rel=1e-12)
    assert stats.run_difference(*(np.pad(side, [(0, 0), (0, 1)], constant_values=np.nan) for side in wider)).df > 0


def test_how_many_runs_are_needed_is_what_ranks_need() -> None:
    for level in (0.8, 0.9, 0.95, 0.99, 0.999):
        needed = stats.runs_to_decide(level)
        p = [scipy.stats.mannwhitneyu(range(n), range(n, 2 * n), method="exact").pvalue for n in (needed - 1, needed)]
        assert p[1] < 1 - level <= p[0]


def test_planning_gives_the_error_that_there_is_and_the_smallest_numbers() -> None:
    first, second = (np.array(side) for side in STORED[1]["values"])
    found = stats.run_difference(first, second)
    size, count = first.shape[1], len(first)
    error, _ = found.design.error(size, count)
    assert error == pytest.approx(found.error)
    effect = 0.1
    needed = found.design.queries_needed(effect, count)
    assert found.design.power(effect, needed, count) >= 0.8 > found.design.power(effect, needed - 1, count)
    needed = found.design.runs_needed(effect, 40)
    assert found.design.power(effect, 40, needed) >= 0.8
    assert needed == 4 or found.design.power(effect, 40, needed - 1) < 0.8
    assert found.design.runs_needed(0.001, size) == math.inf  # queries alone are too few
    least = found.design.minimal_detectable(size, count)
    assert found.design.power(least, size, count) == pytest.approx(0.8, abs=1e-6)


# simulation


def simulated(seed: int, count: int, size: int, within: float, of_runs: float, rest: float) -> np.ndarray:
    generator = np.random.default_rng(seed)
    values = generator.normal(0.5, 0.2, size) + generator.normal(0, within, (2, 1, size))
    return values + generator.normal(0, of_runs, (2, count, 1)) + generator.normal(0, rest, (2, count, size))


@pytest.mark.parametrize(("within", "of_runs", "rest"), [(0.1, 0.005, 0.1), (0.1, 0.03, 0.1), (0.03, 0.03, 0.05)])
def test_intervals_over_queries_and_runs_cover(within: float, of_runs: float, rest: float) -> None:
    inside = 0
    for seed in range(300):
        found = stats.run_difference(*simulated(seed, 4, 25, within, of_runs, rest))
        inside += abs(found.mean) <= found.half()
    assert 0.92 <= inside / 300 <= 0.99


@pytest.mark.parametrize("of_runs", [0.0, 0.02])
def test_identical_runs_are_called_so_and_gates_fail_as_often_as_they_say(of_runs: float) -> None:
    within, failed, chances = 0, 0, []
    for seed in range(300):
        old, new = simulated(seed, 4, 25, 0, of_runs, 0.1)
        found = stats.run_difference(old, new)
        within += abs(found.mean) <= found.identical()
        single = stats.run_difference(old[:1], new[:1], further=[simulated(seed, 6, 25, 0, of_runs, 0.1)[0]])
        chances.append(single.exceeds(0.02))
        failed += single.mean < -0.02
    assert 0.92 <= within / 300 <= 0.99
    assert np.mean(chances) == pytest.approx(failed / 300, abs=0.05)


# as people use it


def test_systems_of_several_runs_stand_between_hyphens(told: Callable[..., dict[str, Any]]) -> None:
    record = told("qrels.txt", *OLD, "-m", "RR", "--", *NEW, *FEW)
    assert record["systems"] == ["old", "new"]
    [row] = record["runs"]["differences"]
    assert (row["first_runs"], row["second_runs"], row["needed"]) == (4, 5, 4)
    assert row["query"] + row["run"] + row["both"] == pytest.approx(1)
    [difference] = record["differences"]
    assert difference["low"] <= row["low"]
    assert difference["high"] >= row["high"]
    expected = stats.run_difference(*([of(path) for path in paths] for paths in (OLD, NEW)))
    assert (row["low"], row["high"]) == pytest.approx(
        (expected.mean - expected.half(), expected.mean + expected.half())
    )
    assert difference["p"] >= expected.p() - 1e-15
    python = rw.compare(QRELS, {"old": [*OLD], "new": [*NEW]}, ["RR"], resamples=200)
    assert python.to_dict()["runs"] == record["runs"]


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "RR", *FEW, "qrels.txt", *OLD, "--", *NEW),
        ("qrels.txt", *OLD, *FEW, "-m", "RR", "--", *NEW),
        ("qrels.txt", *OLD, "--", *NEW, "-m", "RR", *FEW),
        ("qrels.txt", "old=old/old-1.run", *OLD[1:], "--", *FEW, *NEW, "-m", "RR"),
        ("-m", "RR", *FEW, "--", "qrels.txt", *OLD, "--", *NEW),
        ("qrels.txt", *(f"old={path}" for path in OLD), *(f"new={path}" for path in NEW), "-m", "RR", *FEW),
    ],
)
def test_options_stand_before_between_and_behind(told: Callable[..., dict[str, Any]], words: tuple[str, ...]) -> None:
    usual = told("qrels.txt", *OLD, "-m", "RR", "--", *NEW, *FEW)
    assert told(*words) == usual


def test_hyphens_that_end_the_values_of_an_option_separate_nothing(told: Callable[..., dict[str, Any]]) -> None:
    usual = told("qrels.txt", "old.run", "new.run", "-m", "RR")
    assert told("-m", "RR", "--", "qrels.txt", "old.run", "new.run") == usual
    assert told("qrels.txt", "-m", "RR", "--", "old.run", "new.run") == usual
    assert told("qrels.txt", "-m", "RR", "--", "old.run", "--", "new.run") == usual
    assert "runs" not in usual


def test_systems_are_named_by_folder_then_by_file(told: Callable[..., dict[str, Any]], command: Command) -> None:
    assert told("qrels.txt", *OLD, "--", "new.run", "-m", "RR", *FEW)["systems"] == ["old", "new"]
    for path in (*OLD[:2], *NEW[:2]):
        Path(Path(path).name).write_bytes(Path(path).read_bytes())
    same = ("qrels.txt", "old-1.run", "old-2.run", "--", "new-1.run", "new-2.run", "-m", "RR", *FEW)
    assert told(*same)["systems"] == ["old", "new"]
    err = refused(command, "qrels.txt", *AA[:2], "--", *AA[2:4], "-m", "RR")
    assert "[run-names]" in err
    assert told("qrels.txt", "a=aa/aa-1.run", AA[1], "--", "b=aa/aa-3.run", AA[3], "-m", "RR", *FEW)["systems"] == [
        "a",
        "b",
    ]
    assert "one name" in refused(command, "qrels.txt", f"a={AA[0]}", f"b={AA[1]}", "--", "new.run", "-m", "RR")


def test_nothing_on_a_side_is_refused(command: Command) -> None:
    assert "[conflicting-options]" in refused(command, "qrels.txt", *OLD, "--", "-m", "RR")
    assert "[conflicting-options]" in refused(command, "qrels.txt", *OLD, "--", "--", *NEW)


def test_a_results_file_holds_all_runs_of_a_system(told: Callable[..., dict[str, Any]]) -> None:
    for folder, paths in {"old": OLD, "new": NEW}.items():
        rw.evaluate_runs("qrels.txt", {Path(path).stem: path for path in paths}, ["RR"]).save(f"{folder}.json")
    usual = told("qrels.txt", *OLD, "--", *NEW, "-m", "RR", *FEW)["runs"]
    assert told("old=old.json", "--", "new=new.json", "-m", "RR", *FEW)["runs"] == usual
    assert told("qrels.txt", "old=old.json", "--", *NEW, "-m", "RR", *FEW)["runs"] == usual


def test_too_few_runs_are_told_and_change_nothing_else(told: Callable[..., dict[str, Any]]) -> None:
    record = told("qrels.txt", *OLD[:3], "--", *NEW[:3], "-m", "RR", *FEW)
    assert record["runs"]["differences"][0]["verdict"] == "need at least 4 runs"
    averaged = rw.compare(QRELS, {"old": [*OLD[:3]], "new": [*NEW[:3]]}, ["RR"], resamples=200)
    means = {name: averaged.scores.values[row, 0] for row, name in enumerate(averaged.systems)}
    p = stats.randomization((means["new"] - means["old"])[:, None], resamples=200).p[0]
    assert record["differences"][0]["p"] == pytest.approx(p)
    assert told("qrels.txt", *OLD, "--", *NEW[:4], "-m", "RR", *FEW, "--level", "0.99")["runs"]["differences"][0][
        "verdict"
    ] == ("need at least 5 runs")


def test_a_difference_within_noise_is_called_so() -> None:
    several = runs(1, 8)
    result = rw.compare(QRELS, {"a": several[:4], "b": several[4:]}, ["RR"], resamples=200)
    [row] = result.repeated
    assert row.verdict == "within what identical runs do"
    assert abs(row.difference) <= row.identical
    assert f"The difference is within what identical runs do (±{row.identical:.4f})." in result.verdict.details
    few = rw.compare(QRELS, {"a": several[:2], "b": several[4:]}, ["RR"], resamples=200)
    assert any("At least 4 runs of each system are needed" in each for each in few.verdict.details)
    worse = rw.compare(QRELS, {"a": several[:4], "b": runs(1, 4, shift=1)}, ["RR"], resamples=200)
    assert worse.repeated[0].verdict == "more than identical runs do"
    assert worse.of("RR", "b").word == "worse"
    assert worse.method().text.count("Satterthwaite") == 1
    assert "bodoff2007" in worse.method().bibtex


def test_a_single_run_varies_as_those_of_other_systems_do() -> None:
    several, single = runs(1, 5), runs(1, 1, shift=1)[0]
    lent = rw.compare(QRELS, {"old": several, "new": single}, ["RR"], resamples=200).repeated[0]
    assert (lent.first_runs, lent.second_runs, lent.is_enough) == (5, 1, True)
    variance = stats.repeated_runs([list(of(run)) for run in several]).by_run
    half = scipy.stats.t.ppf(0.975, 4) * math.sqrt(variance / 5 + variance)
    assert lent.identical == pytest.approx(half)
    noise = rw.compare(QRELS, {"old": several[0], "new": single}, ["RR"], noise=several, resamples=200).repeated[0]
    assert noise.identical == pytest.approx(scipy.stats.t.ppf(0.975, 4) * math.sqrt(2 * variance))


def test_every_form_has_the_runs(command: Command) -> None:
    words = ("qrels.txt", *OLD, "--", *NEW, "-m", "RR", *FEW)
    for form in ("table", "md", "latex", "html"):
        _, out, _ = command(*words, "-f", form)
        assert "differences beside those of identical runs" in out
        assert "runs of one system" in out
    for form in ("csv", "tsv"):
        _, out, _ = command(*words, "-f", form)
        header, row = (line.split("," if form == "csv" else "\t") for line in out.splitlines())
        cells = dict(zip(header, row, strict=True))
        assert (cells["first_runs"], cells["second_runs"]) == ("4", "5")
        assert cells["runs_verdict"].endswith("identical runs do")
        assert sum(float(cells[name]) for name in ("by_query", "by_run", "by_both")) == pytest.approx(1)
    _, out, _ = command(*words, "-f", "jsonl")
    assert json.loads(out)["first_runs"] == 4


def test_groups_and_weights_are_regarded(told: Callable[..., dict[str, Any]]) -> None:
    rows = "".join(f"{query}\t{'ab'[index % 2]}\t{1 + index % 3}\n" for index, query in enumerate(QRELS))
    Path("queries.tsv").write_text(f"query\tgroup\tasked\n{rows}", encoding="utf-8")
    words = ("qrels.txt", *OLD, "--", *NEW, "-m", "RR", *FEW, "--queries", "queries.tsv")
    by_group = told(*words, "--by", "group")["slices"]["group"]
    Path("part.txt").write_text("".join(f"{query}\n" for query in [*QRELS][::2]), encoding="utf-8")
    part = told(*words[:-2], "--only", "part.txt")
    assert by_group[0]["p"] == part["differences"][0]["p"]
    for option, column in (("--weights", "asked"), ("--macro", "group")):
        record = told(*words, option, column)
        row, difference = record["runs"]["differences"][0], record["differences"][0]
        assert difference["low"] <= row["low"]
        assert difference["high"] >= row["high"]
        assert row["low"] < difference["difference"] < row["high"]


def test_measures_of_whole_runs_vary_as_their_values_do() -> None:
    generator = np.random.default_rng(3)
    items = {f"i{number}": {} for number in range(40)} | {"a": {}}
    lists = [{query: [f"i{item}" for item in generator.choice(40, 3)] for query in QRELS} for _ in range(5)]
    lists = [{query: [*dict.fromkeys(shown)] for query, shown in each.items()} for each in lists]
    result = rw.compare(QRELS, {"old": lists, "new": lists[0]}, ["Coverage@2"], items=items, resamples=200)
    [system] = result.repeated_systems
    values = [rw.evaluate(QRELS, run, ["Coverage@2"], items=items)["Coverage@2"] for run in lists]
    assert system.deviation == pytest.approx(np.std(values, ddof=1))
    assert system.mean == pytest.approx(np.mean(values))
    assert result.repeated[0].is_enough


# gates


def test_a_gate_says_how_often_it_fails_by_chance(told: Callable[..., dict[str, Any]]) -> None:
    words = ("qrels.txt", "old.run", "new.run", "-m", "RR", "--noise", *AA, *FEW)
    [gate] = told(*words, "--max-drop", "RR=0.02")["gates"]
    deviation = math.sqrt(2) * np.std([mean(path) for path in AA], ddof=1)
    assert gate["noise"]["chance"] == pytest.approx(scipy.stats.t.sf(0.02 / deviation, 5))
    assert gate["noise"]["identical"] == pytest.approx(scipy.stats.t.ppf(0.975, 5) * deviation)
    drop = gate["before"] - gate["now"]
    assert gate["noise"]["within"] == (drop <= gate["noise"]["identical"])
    floor = told(*words, "--fail-under", f"RR={gate['before'] - 0.02}")["gates"][0]["noise"]
    assert floor["chance"] == pytest.approx(gate["noise"]["chance"])
    share = told(*words, "--max-drop", "RR=10%")["gates"][0]["noise"]
    assert share["chance"] == pytest.approx(scipy.stats.t.sf(0.1 * gate["before"] / deviation, 5))
    pairs = list(itertools.permutations([np.array(of(path)) for path in AA], 2))
    fails = np.mean([(before - after).max() > 0.2 for before, after in pairs])
    each = told(*words, "--max-drop", "RR=0.2", "--when", "any")["gates"][0]["noise"]
    assert each["chance"] == pytest.approx(fails)


def test_the_chance_of_a_strict_gate_is_no_smaller(told: Callable[..., dict[str, Any]]) -> None:
    words = ("qrels.txt", "old.run", "new.run", "-m", "RR", "--noise", *AA, *FEW)
    chance = {
        name: told(*words, *options)["gates"][0]["noise"]["chance"]
        for name, options in {
            "mean": ("--max-drop", "RR=0.02"),
            "significant": ("--max-drop", "RR=0.02", "--when", "significant"),
            "noninferior": ("--noninferior", "RR=0.02"),
        }.items()
    }
    assert chance["significant"] <= chance["mean"] <= chance["noninferior"]


def test_the_verdict_says_that_a_drop_is_noise(command: Command) -> None:
    words = (
        "qrels.txt",
        *sorted(AA[:2], key=mean, reverse=True),
        "-m",
        "RR",
        "--noise",
        *AA,
        *FEW,
        "--max-drop",
        "RR=0.0001",
    )
    status, out, _ = command(*words)
    assert status == 1
    assert "within what identical runs do (±0." in out
    assert "an unchanged system fails in " in out
    _, out, _ = command(*words[:-2], "--max-drop", "RR=0.0001", "-f", "github")
    assert "within what identical runs do" in out
    _, out, _ = command(
        "qrels.txt", "old.run", "new.run", "-m", "RR", "--noise", *AA[:3], *FEW, "--max-drop", "RR=0.01"
    )
    assert "need at least 4 runs to tell from chance" in out


def test_noise_may_be_a_results_file_and_needs_the_same_queries(
    told: Callable[..., dict[str, Any]], command: Command
) -> None:
    words = ("qrels.txt", "old.run", "new.run", "-m", "RR", *FEW, "--noise")
    rw.evaluate_runs("qrels.txt", {Path(path).stem: path for path in AA}, ["RR"]).save("aa.json")
    assert told(*words, "aa.json")["runs"] == told(*words, *AA)["runs"]
    assert "[conflicting-options]" in refused(command, *words, AA[0])
    some = {
        Path(path).stem: {q: r for q, r in run.items() if q != "q03"} for path, run in zip(AA, runs(1, 6), strict=True)
    }
    rw.evaluate_runs({query: row for query, row in QRELS.items() if query != "q03"}, some, ["RR"]).save("less.json")
    assert "[changed-" in refused(command, *words, "less.json", "--accept-new-qrels")
    raises(
        lambda: rw.compare(QRELS, {"a": "old.run", "b": "new.run"}, noise="old.run"), "conflicting-options", "one run"
    )
    raises(lambda: rw.compare(QRELS, {"a": "old.run", "b": "new.run"}, noise=3), "input-type", "list of runs")  # type: ignore[arg-type]


# planning


def test_planning_regards_runs() -> None:
    result = rw.compare(QRELS, {"old": runs(1, 4), "new": runs(2, 4, shift=0.3)}, ["RR"], effect=0.02, resamples=200)
    sides = ([of(run) for run in several] for several in (runs(1, 4), runs(2, 4, shift=0.3)))
    design = stats.run_difference(*sides).design
    assert rw.queries_needed(result, 0.1)["RR"] == design.queries_needed(0.1, 4)
    assert rw.queries_needed(result, 0.1, runs=8)["RR"] == design.queries_needed(0.1, 8)
    assert rw.runs_needed(result, 0.1, n=2_000)["RR"] == design.runs_needed(0.1, 2_000)
    assert rw.power(result, 0.1)["RR"] == design.power(0.1, 24, 4)
    assert rw.minimal_detectable(result)["RR"] == pytest.approx(result.of("RR", "new").detectable)
    assert any("a difference of 0.02 needs" in note for note in result.notes)
    plain = rw.compare(QRELS, {"old": runs(1, 1)[0], "new": runs(2, 1)[0]}, ["RR"], resamples=200)
    raises(lambda: rw.power(plain, 0.1, runs=3), "conflicting-options", "no system has several")
    raises(lambda: rw.runs_needed(plain, 0.1), "conflicting-options", "no system has several")


def test_a_system_may_be_called_as_the_runs_that_only_tell_noise() -> None:
    one, *several = runs(1, 6)
    told = rw.compare(QRELS, {"--noise": one, "noise": several[:2]}, ["RR"], noise=several[2:], resamples=200)
    assert told.systems == ("--noise", "noise")
    assert told.means["--noise"] == rw.evaluate(QRELS, one, ["RR"]).mean()
    assert [(row.system, row.role, row.runs) for row in told.repeated_systems] == [
        ("noise", "compared", 2),
        ("noise", "noise", 3),
    ]


def test_equal_systems_of_a_whole_run_do_not_differ_from_identical_runs() -> None:
    items = {f"d{number}": {} for number in range(3)}
    shown = [{f"u{user}": [f"d{(user + number) % 3}"] for user in range(7)} for number in range(4)]
    qrels = {user: {"d0": 1} for user in shown[0]}
    told = rw.compare(qrels, {"a": shown, "b": shown[::-1]}, ["Coverage@1", "Gini@1"], items=items, resamples=200)
    assert [row.difference for row in told.differences] == [0.0, 0.0]
    assert {row.verdict for row in told.repeated} == {"within what identical runs do"}
    assert [(row.mean, row.lowest, row.highest) for row in told.repeated_systems if row.measure == "Coverage@1"] == [
        (1.0, 1.0, 1.0)
    ] * 2

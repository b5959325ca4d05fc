"""The pytest plugin and the assertion behind it: what passes, what a failure shows, how kept values are rewritten."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from rankworth.errors import InputError, UsageError
from rankworth.testing import assert_not_worse

pytest_plugins = ["pytester"]

QRELS = {query: {"a": 1} for query in ("q1", "q2", "q3", "q4", "q5")}
OLD = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
"""RR is 1 for all"""
NEW = OLD | {"q2": {"a": 1.0, "b": 2.0}, "q4": {"a": 1.0, "b": 2.0, "c": 3.0}}
"""1, 1/2, 1, 1/3, 1: in the mean 23/30, a drop of 7/30"""

MODULE = f"""
import rankworth as rw

QRELS, OLD, NEW = {QRELS!r}, {OLD!r}, {NEW!r}

def test_values(rankworth_gate):
    values = rw.evaluate(QRELS, RUN, ["RR", "AP"])
    rankworth_gate.assert_not_worse(values, "kept.json", "RR", MARGIN)
"""


def values_of(run: object, qrels: object = QRELS, **settings: object) -> rw.Values:
    """What a run is worth by RR, whatever it leaves unanswered."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, ["RR"], **settings)  # type: ignore[arg-type]


def failure(values: object, baseline: object, measure: str = "RR", margin: float | str = 0.0, **options: object) -> str:
    """What the assertion says."""
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(values, baseline, measure, margin, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_values_that_are_as_good_pass() -> None:
    old, new = values_of(OLD), values_of(NEW)
    assert_not_worse(old, old, "RR")
    assert_not_worse(old, new, "RR")
    assert_not_worse(new, old, "RR", 0.24)
    assert_not_worse(new, old, "recip_rank", "24%")


def test_a_failure_shows_values_interval_and_worst_queries() -> None:
    old, new = values_of(OLD), values_of(NEW)
    assert failure(new, old, margin=0.2).splitlines() == [
        "RR 1.0000 -> 0.7667: drop 0.2333 > 0.2000",
        "  largest losses: q4 -0.6667, q2 -0.5000",
    ]
    assert "drop 23.33 % > 20.00 %" in failure(new, old, margin="20%")


def test_what_must_not_be_lost_can_be_said() -> None:
    old, new = values_of(OLD), values_of(NEW)
    assert "1 query drops by more than 0.6000: q4 -0.6667" in failure(new, old, margin=0.6, when="any")
    assert_not_worse(new, old, "RR", when="significant")  # three of five queries are the same
    assert "the queries are too few to exclude any drop" in failure(new, old, margin=0.7, when="interval")
    with pytest.raises(UsageError, match="'mean', 'significant', 'any', 'interval'") as caught:
        assert_not_worse(new, old, "RR", when="ever")  # type: ignore[arg-type]
    assert caught.value.slug == "unknown-setting"
    with pytest.raises(
        UsageError, match=r"margin=-1: RR=-1: a gate is MEASURE=LIMIT, and here the limit is a number from 0 on"
    ):
        assert_not_worse(new, old, "RR", -1)


def test_kept_values_are_read_from_a_file(tmp_path: Path) -> None:
    values_of(OLD).save(tmp_path / "kept.json")
    values_of(OLD).save(tmp_path / "kept.parquet")
    [loaded] = rw.load(tmp_path / "kept.json").values()
    for kept in (tmp_path / "kept.json", str(tmp_path / "kept.parquet"), loaded):
        assert_not_worse(values_of(OLD), kept, "RR")
        assert "drop 0.2333" in failure(values_of(NEW), kept)
    assert_not_worse(loaded, values_of(NEW), "RR")
    rw.evaluate_runs(QRELS, {"a": OLD, "b": NEW}, ["RR"]).save(tmp_path / "both.json")
    with pytest.raises(UsageError, match="holds several runs: a, b") as caught:
        assert_not_worse(values_of(OLD), tmp_path / "both.json", "RR")
    assert caught.value.slug == "conflicting-options"
    assert_not_worse(values_of(OLD), rw.load(tmp_path / "both.json")["a"], "RR")


@pytest.mark.parametrize(("when", "loss"), [("mean", "0.3333"), ("any", "0.2333")])
def test_a_better_run_than_the_one_in_a_file_is_told_and_passes(when: Any, loss: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    values_of(NEW).save(kept)
    [loaded] = rw.load(kept).values()
    for stored in (kept, loaded):
        with pytest.warns(rw.RankworthWarning) as caught:
            assert_not_worse(values_of(OLD), stored, "RR", 0.1, when=when)
        [warning] = caught
        assert str(warning.message) == (
            f"the baseline is 0.2333 below now by RR: renew it, or a loss of {loss} can pass; "
            f"values.save({str(kept)!r}) renews it, or pytest --rankworth-update in a test with rankworth_gate"
            "   [stale-baseline]"
        )
        assert warning.filename == __file__
    assert_not_worse(values_of(OLD), kept, "RR", 0.24, when=when)  # no more than the limit
    assert_not_worse(values_of(OLD), values_of(NEW), "RR", 0.1, when=when)  # in no file


def test_what_cannot_be_compared_is_no_pass(tmp_path: Path) -> None:
    values_of(OLD).save(tmp_path / "kept.json")
    kept = tmp_path / "kept.json"
    few = {query: OLD[query] for query in ("q1", "q2")}
    assert "drop 0.6000" in failure(values_of(few), kept)
    skipping = values_of(OLD, missing="skip")
    with pytest.raises(InputError, match="different queries") as caught:
        assert_not_worse(values_of(few, missing="skip"), skipping, "RR")
    assert caught.value.slug == "changed-queries"
    with pytest.raises(InputError, match="1 judgement of 1 query changed") as caught:
        assert_not_worse(values_of(OLD, QRELS | {"q1": {"a": 1, "b": 0}}), kept, "RR")
    assert caught.value.slug == "changed-judgements"
    with pytest.raises(UsageError, match="not measured by AP") as usage:
        assert_not_worse(values_of(OLD), kept, "AP")
    assert usage.value.slug == "not-measured"
    with pytest.raises(UsageError) as usage:
        assert_not_worse(skipping, kept, "RR")
    assert usage.value.slug == "not-comparable"
    with pytest.raises(InputError) as caught:
        assert_not_worse(values_of(OLD), tmp_path / "none.json", "RR")
    assert caught.value.slug == "missing-file"


def with_module(pytester: pytest.Pytester, run: str, margin: str = "0.0") -> None:
    """A project with one test."""
    pytester.makepyfile(test_search=MODULE.replace("RUN", run).replace("MARGIN", margin))


def test_the_option_is_told_in_the_help(pytester: pytest.Pytester) -> None:
    pytester.runpytest("--help").stdout.fnmatch_lines(["*--rankworth-update*write the values*"])


def test_the_fixture_is_told_in_the_list(pytester: pytest.Pytester) -> None:
    pytester.runpytest("--fixtures").stdout.fnmatch_lines(["rankworth_gate*", "*Compare values with those*"])


def test_a_missing_baseline_says_how_to_keep_one(pytester: pytest.Pytester) -> None:
    with_module(pytester, "OLD")
    done = pytester.runpytest()
    done.assert_outcomes(failed=1)
    kept = pytester.path / "kept.json"
    done.stdout.fnmatch_lines([f"there are no values to compare with: pytest --rankworth-update keeps *{kept}"])
    assert not kept.exists()


def test_update_keeps_values_and_later_runs_are_held_against_them(pytester: pytest.Pytester) -> None:
    with_module(pytester, "OLD")
    pytester.runpytest("--rankworth-update").assert_outcomes(passed=1)
    first = (pytester.path / "kept.json").read_bytes()
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.runpytest("--rankworth-update").assert_outcomes(passed=1)
    assert (pytester.path / "kept.json").read_bytes() == first
    with_module(pytester, "NEW")
    done = pytester.runpytest()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "RR 1.0000 -> 0.7667: drop 0.2333 > 0.0000",
            "  largest losses: q4 -0.6667, q2 -0.5000",
            f"if this is meant: pytest --rankworth-update keeps * {pytester.path / 'kept.json'}",
        ]
    )
    done.stdout.no_fnmatch_line("*Error*")  # no traceback
    assert (pytester.path / "kept.json").read_bytes() == first
    with_module(pytester, "NEW", "0.24")
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.runpytest("--rankworth-update").assert_outcomes(passed=1)
    [kept] = rw.load(pytester.path / "kept.json").values()
    assert kept["RR"] == pytest.approx(23 / 30)


def test_a_kept_value_that_has_fallen_behind_is_told_until_it_is_updated(pytester: pytest.Pytester) -> None:
    with_module(pytester, "NEW")
    pytester.runpytest("--rankworth-update").assert_outcomes(passed=1)
    with_module(pytester, "OLD", "0.1")
    done = pytester.runpytest("-W", "default")
    done.assert_outcomes(passed=1, warnings=1)
    fact = "*the baseline is 0.2333 below now by RR: renew it, or a loss of 0.3333 can pass*"
    done.stdout.fnmatch_lines(["*::test_values", fact])
    pytester.runpytest("--rankworth-update").assert_outcomes(passed=1)
    pytester.runpytest("-W", "default").assert_outcomes(passed=1, warnings=0)


def test_a_file_that_is_no_baseline_fails_with_its_reason(pytester: pytest.Pytester) -> None:
    with_module(pytester, "OLD")
    (pytester.path / "kept.json").write_text("{}")
    done = pytester.runpytest()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*no results of rankworth*bad-results[]]", "if this is meant: pytest --rankworth-update*"]
    )


def test_relative_paths_start_where_the_test_stands(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("deep")
    (folder / "test_search.py").write_text(MODULE.replace("RUN", "OLD").replace("MARGIN", "0"))
    pytester.runpytest("--rankworth-update", "deep").assert_outcomes(passed=1)
    assert [path.name for path in pytester.path.rglob("kept.json")] == ["kept.json"]
    assert (folder / "kept.json").exists()


def test_values_of_the_same_test_are_no_file(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        MODULE.replace("RUN", "NEW").replace('"kept.json"', 'rw.evaluate(QRELS, OLD, ["RR"])').replace("MARGIN", "0")
    )
    for arguments in ((), ("--rankworth-update",)):
        done = pytester.runpytest(*arguments)
        done.assert_outcomes(failed=1)
        done.stdout.no_fnmatch_line("*if this is meant*")


def test_nothing_of_rankworth_is_imported_before_it_is_used(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing(rankworth_gate):
            assert "pytest_rankworth" in sys.modules
            heavy = {"rankworth", "numpy", "scipy", "polars"}
            assert {name for name in sys.modules if name.partition(".")[0] in heavy} == set()
        """
    )
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(line, cwd=pytester.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout

"""Calibration of a judge: by formulas in fractions, by exact intervals of SciPy, and how often intervals hold."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.special import ndtri

import rankworth as rw
from rankworth.cli.app import main
from rankworth.errors import InputError, UsageError
from rankworth.stats.clusters import clustered_mean, clustered_share, corrected_share


def as_lists(found: int, missed: int, kept: int, wrong: int, more: int = 0) -> tuple[list[Any], list[int]]:
    """Verdicts of people and a judge on items, of which the judge alone has the last, half of them yes."""
    people = [1] * (found + missed) + [0] * (kept + wrong) + [None] * more
    judge = [1] * found + [0] * missed + [0] * kept + [1] * wrong + [number % 2 for number in range(more)]
    return people, judge


def test_shares_are_those_of_the_formulas() -> None:
    found = rw.calibrate(*as_lists(50, 10, 60, 20, more=300))
    assert found.sensitivity.value == 50 / 60
    assert found.specificity.value == 60 / 80
    share, sensitivity, specificity = Fraction(70 + 150, 440), Fraction(50, 60), Fraction(60, 80)
    assert found.judge.share == share
    exact = (share + specificity - 1) / (sensitivity + specificity - 1)
    assert found.corrected.value == pytest.approx(float(exact), abs=1e-15)
    observed, chance = Fraction(110, 140), Fraction(60 * 70 + 80 * 70, 140 * 140)
    assert found.kappa.value == pytest.approx(float((observed - chance) / (1 - chance)), abs=1e-15)
    assert found.kappa.low < found.kappa.value < found.kappa.high


@pytest.mark.parametrize(("count", "number"), [(50, 60), (0, 40), (40, 40), (1, 200)])
def test_items_of_their_own_have_the_exact_interval(count: int, number: int) -> None:
    share = clustered_share([1] * count + [0] * (number - count), [1] * number)
    exact = scipy_stats.binomtest(count, number).proportion_ci(0.95, "exact")
    assert (share.low, share.high) == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert share.effective == number


def test_equal_pairs_of_a_query_are_worth_one() -> None:
    """Of ten queries each pair is repeated ten times: the interval is nearly that of ten pairs, and never narrower."""
    counts = np.array([10, 0, 10, 10, 0, 10, 10, 10, 0, 10])
    share = clustered_share(counts, [10] * 10)
    exact = scipy_stats.binomtest(7, 10).proportion_ci(0.95, "exact")
    assert share.effective == pytest.approx(10)
    assert (share.low, share.high) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_the_corrected_interval_is_that_of_lang_and_reiczigel() -> None:
    """Their formula, written down in their notation."""
    ap, n_p, se, n_se, sp, n_sp = 0.3, 200, 50 / 60, 60, 0.8, 60
    z = ndtri(0.975)
    n_p_, n_se_, n_sp_ = n_p + z**2, n_se + 2, n_sp + 2
    ap_, se_, sp_ = (n_p * ap + z**2 / 2) / n_p_, (n_se * se + 1) / n_se_, (n_sp * sp + 1) / n_sp_
    p_ = (ap_ + sp_ - 1) / (se_ + sp_ - 1)
    dp = 2 * z**2 * (p_ * se_ * (1 - se_) / n_se_ - (1 - p_) * sp_ * (1 - sp_) / n_sp_)
    var = ap_ * (1 - ap_) / n_p_ + p_**2 * se_ * (1 - se_) / n_se_ + (1 - p_) ** 2 * sp_ * (1 - sp_) / n_sp_
    half = z * var**0.5 / (se_ + sp_ - 1)
    value, low, high = corrected_share((ap, n_p), (se, n_se), (sp, n_sp))
    assert value == pytest.approx((ap + sp - 1) / (se + sp - 1), abs=1e-15)
    assert (low, high) == pytest.approx((max(0, p_ + dp - half), p_ + dp + half), abs=1e-14)


def test_the_mean_of_items_is_that_of_the_t_test() -> None:
    draw = np.random.default_rng(3).integers(-1, 2, 50)
    mean, low, high, p = clustered_mean(draw, [1] * 50)
    expected = scipy_stats.ttest_1samp(draw, 0)
    ends = expected.confidence_interval(0.95)
    assert (mean, low, high, p) == pytest.approx((draw.mean(), ends.low, ends.high, expected.pvalue), abs=1e-12)
    assert clustered_mean([0, 0], [3, 4]) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("queries", "pairs", "labelled", "alike", "least"), [(1000, 1, 150, 0.0, 0.93), (100, 20, 20, 0.1, 0.92)]
)
def test_intervals_hold_the_truth(queries: int, pairs: int, labelled: int, alike: float, least: float) -> None:
    """Documents of a query are alike in what is relevant and in how the judge errs, by a correlation of `alike`."""
    draw, shares, samples = np.random.default_rng(5), (0.3, 0.85, 0.9), 300

    def of_queries(share: float) -> Any:
        spread = 1 / alike - 1 if alike else 0
        return draw.beta(share * spread, (1 - share) * spread, (queries, 1)) if alike else np.full((queries, 1), share)

    held = np.zeros(3)
    for _ in range(samples):
        prevalence, sensitivity, specificity = map(of_queries, shares)
        truth = draw.random((queries, pairs)) < prevalence
        chance = draw.random((queries, pairs))
        says = np.where(truth, chance < sensitivity, chance >= specificity)
        chosen = draw.choice(queries, labelled, replace=False)
        true, said = truth[chosen], says[chosen]
        parts = [
            clustered_share(says.sum(1), [pairs] * queries),
            clustered_share((true & said).sum(1), true.sum(1)),
            clustered_share((~true & ~said).sum(1), (~true).sum(1)),
        ]
        _, low, high = corrected_share(*((part.value, part.effective) for part in parts))
        ends = [(low, high), *((part.low, part.high) for part in parts[1:])]
        held += [end[0] <= share <= end[1] for share, end in zip(shares, ends, strict=True)]
    assert (held / samples >= least).all(), held / samples


def test_a_judge_that_tells_nothing_corrects_nothing() -> None:
    found = rw.calibrate(*as_lists(25, 25, 25, 25))
    assert np.isnan(found.corrected.value)
    assert any("nothing is corrected" in note for note in found.notes)


def test_a_judge_that_never_errs_has_the_share_of_people() -> None:
    found = rw.calibrate(*as_lists(60, 0, 60, 0))
    assert (found.sensitivity.value, found.specificity.value, found.corrected.value) == (1, 1, 0.5)
    assert found.corrected.low < 0.5 < found.corrected.high


def test_drift_counts_verdicts_that_turn() -> None:
    people, new = as_lists(50, 10, 60, 0, more=80)
    old = [1] * 60 + [0] * 40 + [1] * 20 + new[120:]
    found = rw.calibrate(people, new, before=old, names=["people", "new", "old"])
    assert found.drift is not None
    assert (found.drift.judged, found.drift.risen, found.drift.fallen) == (200, 0, 30)
    assert found.drift.change.value == -30 / 200
    assert (found.drift.labels, found.drift.improvement.value) == (120, pytest.approx((20 - 10) / 120))
    assert (found.drift.word, [row.judge for row in found.judges]) == ("less often", ["new", "old"])
    same = rw.calibrate(people, new, before=new).drift
    assert same is not None
    assert (same.word, same.p, same.change) == ("equal", 1.0, (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((30, 20, 30, 19), "judged 99 pairs of judge's, which"),
        ((5, 4, 100, 20), "judged 9 pairs of judge's that are relevant"),
        ((100, 20, 5, 0), "judged 5 pairs of judge's that are not relevant"),
    ],
)
def test_few_labels_are_refused(counts: tuple[int, int, int, int], text: str) -> None:
    with pytest.raises(InputError, match=text) as caught:
        rw.calibrate(*as_lists(*counts))
    assert caught.value.slug == "few-labels"


def test_names_and_the_grade_are_checked() -> None:
    people, judge = as_lists(50, 10, 60, 0)
    with pytest.raises(UsageError, match="run-names"):
        rw.calibrate(people, judge, names=["a", "a"])
    with pytest.raises(UsageError, match="unknown-setting"):
        rw.calibrate(people, judge, rel=True)


def test_the_command_reads_words_and_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, judge = as_lists(50, 10, 60, 20, more=60)
    for name, verdicts in (("people", people), ("judge", judge)):
        rows = [f"{number},a,{'yes' if each else 'no'}" for number, each in enumerate(verdicts) if each is not None]
        (tmp_path / f"{name}.csv").write_text("\n".join(["query,document,grade", *rows, ""]))
    files = [str(tmp_path / "people.csv"), str(tmp_path / "judge.csv")]
    assert main(["calibrate", *files, "--grades", "no=0", "yes=1", "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["names"] == ["people", "judge"]
    assert record["judges"][0]["sensitivity"]["value"] == 50 / 60
    assert record["drift"] is None
    assert main(["calibrate", str(tmp_path / "none.csv"), files[1], "--grades", "no=0", "yes=1"]) == 2
    assert "missing-file" in capsys.readouterr().err
    assert main(["calibrate", files[0], files[0], "--grades", "no=0", "yes=1"]) == 2
    message = capsys.readouterr().err
    assert "names=[" not in message.partition("[run-names]")[2]
    assert message.endswith("as in NAME=FILE\n")
    named = [f"first={files[0]}", f"second={files[0]}"]
    assert main(["calibrate", *named, "--grades", "no=0", "yes=1", "-f", "json"]) == 0

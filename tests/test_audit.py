"""`rankworth audit` finds planted departures, and answers threads of other tools as their maintainers did."""

import json
from collections.abc import Iterator
from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.cli.app import main
from rankworth.settings import VALUES

QRELS = {
    "q1": {"a": 3, "b": 1, "c": 0, "d": -1, "e": 2},
    "q2": {"a": 1, "f": 2, "g": 0},
    "q3": {"h": 0, "i": 0},
    "q4": {"j": 2, "k": 1},
    "5": {"5": 3, "l": 1, "m": 2.5},
    "q6": {"n": -1},
}
RUN = {
    "q1": {"x": 9.0, "b": 8.0, "d": 7.5, "a": 7.5, "c": 7.5, "y": -1.0, "e": -2.0},
    "q2": {"g": 3.0, "a": 3.0, "z": 2.0, "f": 0.0},
    "q3": {"x": 1.0, "h": 0.5},
    "5": {"5": 4.0, "l": 3.0 + 1e-9, "w": 3.0, "m": 1.0},
    "q6": {"n": 1.0},
    "q7": {"a": 1.0},
}
NUMBERS = {
    "depth": (1, 5, 10),
    "no_relevant": (0.0, 1.0),
    "neither": (0.0, 1.0),
    "undefined": (0.0, 1.0),
    "highest": (3.0,),
    "round_values": (1, 2, 3),
    "round_means": (1, 2, 3),
}


def departures() -> Iterator[tuple[str, Any]]:
    """Every setting with every value that does not only refuse, but for settings that are data."""
    for name, taken in VALUES.items():
        values = [word for word in taken.words if not word.startswith("error")] + [*NUMBERS.get(name, ())]
        yield from ((name, value) for value in (values if taken.number is not bool else [True]))


def value_of(measure: str, *changes: tuple[str, Any]) -> float | None:
    """The number that is planted; None where the settings refuse it."""
    profile = rw.PROFILES["standard-1"].derive(**dict(changes))
    [value] = rw.evaluate_profiles(QRELS, RUN, [measure], profiles=profile).values()
    return None if isinstance(value, rw.RankworthError) or value[measure] != value[measure] else value[measure]


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "P@5"])
def test_every_planted_setting_is_named(measure: str) -> None:
    missed = []
    for change in departures():
        number = value_of(measure, change)
        if number is None:
            continue
        result = rw.audit(QRELS, RUN, f"{measure}={number:.12f}")
        names = [str(each) for each in result.candidates]
        name, value = change
        written = f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        changes = {str(part) for each in result.candidates for part in each.changes}
        own = names == ["nothing"] and number == pytest.approx(value_of(measure), abs=1e-12)
        if not result.exact or not (own or written in changes):
            missed.append((written, names))
    assert missed == []


@given(st.lists(st.sampled_from([*departures()]), min_size=2, max_size=2, unique_by=lambda change: change[0]))
@settings(max_examples=25, deadline=None)
def test_two_planted_settings_are_explained(changes: list[tuple[str, Any]]) -> None:
    number = value_of("nDCG@3", *changes)
    if number is not None:
        result = rw.audit(QRELS, RUN, f"nDCG@3={number:.12f}")
        assert result.exact, changes
        assert result.candidates[0].outcome.mean == pytest.approx(number, abs=1e-12)


TIED = ("q 0 a 1\nq 0 b 0\n", "q Q0 a 1 1.0 x\nq Q0 b 2 1.0 x\n")
LONG = ("q 0 a 3\nq 0 b 2\nq 0 c 1\n", "q Q0 b 1 5 x\nq Q0 y 2 4 x\nq Q0 z 3 3 x\nq Q0 a 4 2 x\n")
SHORT = ("q 0 a 1\nq 0 b 1\nq 0 c 1\nq 0 d 1\nq 0 e 1\n", "q Q0 a 1 1.0 x\n")
SELF = ("q 0 q 0\nq 0 a 1\n", "q Q0 q 1 2.0 x\nq Q0 a 2 1.0 x\n")
GRADED = ("q 0 a 3\nq 0 b 1\n", "q Q0 b 1 2.0 x\nq Q0 a 2 1.0 x\n")
UNCUT = (2 + 3 / log2(5)) / (3 + 2 / log2(3) + 1 / 2)
THREADS: dict[str, tuple[tuple[str, str], list[str], str]] = {
    "trec_eval #22, pytrec_eval #51 and #56, mteb #5092: ties": (TIED, ["RR=1.0"], "ties=id-ascending"),
    "trec_eval #11 and #35, pytrec_eval #40: ndcg, ndcg_cut": (
        LONG,
        [f"nDCG@3={UNCUT:.4f}"],
        "cutoff=None",
    ),
    "beir #91 and #187: documents with the id of the query": (SELF, ["RR=1.0"], "exclude=self"),
    "mlflow #24541: ideal of what was retrieved": (SHORT, ["nDCG@10", "--between", "standard", "mlflow"], "ideal="),
    "elasticsearch #154362": (SHORT, ["nDCG@10", "--between", "standard", "elasticsearch"], "ideal="),
    "llama_index #17070, memorybench #67": (SHORT, ["nDCG@10=1.0"], "ideal=retrieved"),
    "recommenders #1749: relevance is binary": (GRADED, ["nDCG@10=1.0"], "gain=binary"),
    "recommenders #2091: a perfect AP@k below 1": (SHORT, ["AP@1=1.0"], "norm=min(k,R)"),
    "haystack #7758: AP over the documents that were found": (SHORT, ["AP=1.0"], "norm=found"),
    "AutoRAG #386: ideal cut at what was returned": (SHORT, ["nDCG@5=1.0"], "ideal=returned"),
    "pytrec_eval #51: renamed documents": (
        TIED,
        ["RR", "--between", "pytrec_eval-terrier-0.5", "elinor-0.4"],
        "ties=",
    ),
    "ranx #30: recall is not the reciprocal rank": (SHORT, ["R@1=1.0"], "measure=RR@1"),
}


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Write judgements and a run, and give their paths."""

    def write(qrels: str, run: str) -> list[str]:
        paths = [tmp_path / "qrels.txt", tmp_path / "a.run"]
        for path, text in zip(paths, (qrels, run), strict=True):
            path.write_text(text)
        return list(map(str, paths))

    return write


@pytest.mark.parametrize("thread", THREADS)
def test_a_thread_is_answered(thread: str, files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    data, arguments, answer = THREADS[thread]
    assert main(["audit", *files(*data), *arguments, "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["exact"], record["verdict"]
    assert any(answer in row["departure"] for row in record["departures"]), record["verdict"]


def test_sets_are_told_apart_by_values_of_queries() -> None:
    qrels, run = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1}}, {"a": ["x"], "b": ["x"]}
    assert "other set" in (verdict := rw.audit(qrels, run, "RR=1.0").verdict)
    assert "that cannot be told apart" in verdict
    assert "by which queries have other values" in verdict


def test_it_says_when_nothing_gives_the_number(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *files(*GRADED), "RR=0.123"]) == 0
    assert "nothing gives RR = 0.123; nearest" in " ".join(capsys.readouterr().out.split())
    assert main(["audit", *files(*GRADED), "RR=0.123", "-f", "csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith(",answer")
    assert {row.rpartition(",")[2] for row in rows} == {"nearest"}


def test_the_number_of_the_profile_itself_needs_no_departure(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *files(*GRADED), "RR=1"]) == 0
    assert "standard-1 itself gives RR = 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["nDCG@10"], "measure-syntax"),
        (["nDCG@10=high"], "measure-syntax"),
        (["official=0.5"], "measure-syntax"),
        (["nDCG@10=0.5", "--between", "standard", "ranx"], "measure-syntax"),
        (["nDCG@10", "--between", "standard", "nope"], "unknown-setting"),
        (["nDCG@10", "--between", "standard", "ranx", "--profile", "ranx"], "conflicting-options"),
        (["nDCG@10=0.5", "-m", "AP"], "conflicting-options"),
    ],
)
def test_what_is_no_question_is_refused(
    arguments: list[str], slug: str, files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *files(*GRADED), *arguments]) == 2
    assert f"[{slug}]" in capsys.readouterr().err

"""`rankworth audit` names planted departures, and answers threads of other tools as their maintainers did."""

import json
import shlex
from contextlib import suppress
from math import inf, isfinite, log2, nan, nextafter
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from departures import missed, planted
from rankworth.cli.app import main


@pytest.mark.parametrize(("size", "number"), [(1, 25), (2, 8)])
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_planted_departures_are_named(size: int, number: int) -> None:
    assert missed(number, size, seed=7) == []


def as_files(qrels: dict[str, float], *ranked: str, scores: list[float] | None = None) -> tuple[str, str]:
    """Judgements and a run of one query as TREC's files; by default no two documents have one score."""
    numbers = scores or [float(len(ranked) - place) for place in range(len(ranked))]
    run = [f"q Q0 {one} {rank} {score} x" for rank, (one, score) in enumerate(zip(ranked, numbers, strict=True), 1)]
    return "\n".join(f"q 0 {one} {grade}" for one, grade in qrels.items()) + "\n", "\n".join(run) + "\n"


FIVE = dict.fromkeys("abcde", 1)
ONE_OF_FIVE = as_files(FIVE, "a")
TWO_OF_FIVE = as_files(FIVE, "a", "b")
LONG = as_files({"a": 3, "b": 2, "c": 1}, "b", "y", "z", "a")
SHORT = as_files(dict.fromkeys("abcdef", 1), "a", "x", "b")
SELF = as_files({"q": 0, "a": 1}, "q", "a")
GRADED = as_files({"a": 3, "b": 1}, "b", "a")
LEVEL = as_files({"a": 1}, "a", "b", "c", scores=[1.0, 1.0, 1.0])
MONEY = as_files({"dA": 3, "dB": 2}, "dB", "dC", "dD")
GOLD = as_files(dict.fromkeys(("one", "two", "three", "four", "seven"), 1), "one", "x", "two")
KEYS = as_files({"1677128#0": 1, "doc4": 1}, "1677128#0", "5712855#212", "doc4", scores=[2.9, 2.9, 2.8])


def dcg(*gains: float) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


THREADS: dict[str, tuple[tuple[str, str], list[str], str]] = {
    "trec_eval #11: ndcg is divided by all that is relevant, ndcg_cut by the best k": (
        SHORT,
        [f"nDCG@3={dcg(1, 0, 1) / dcg(1, 1, 1, 1, 1, 1):.4f}"],
        "cutoff=None",
    ),
    "trec_eval #35: ndcg looks at the whole ranking": (
        LONG,
        [f"nDCG@3={dcg(2, 0, 0, 3) / dcg(3, 2, 1):.4f}"],
        "cutoff=None",
    ),
    "pytrec_eval #40: -M 2 cuts the run and not the ideal": (
        LONG,
        [f"nDCG@2={dcg(2) / dcg(3, 2, 1):.4f}"],
        "ideal=uncut",
    ),
    "trec_eval #22: ties are broken by id, and not by rank": (
        as_files({"a": 0, "b": 1, "c": 0}, "b", "c", scores=[1.0, 1.0]),
        ["nDCG=1.0"],
        "ties=given",
    ),
    "pytrec_eval #51: scikit-learn averages over ties": (
        KEYS,
        ["nDCG@10", "--between", "pytrec_eval-terrier-0.5", "scikit-learn"],
        "ties=expected",
    ),
    "pytrec_eval #56: AP of the last of three that are tied": (
        as_files({"d3": 1}, "d1", "d2", "d3", scores=[1.0, 1.0, 1.0]),
        [f"AP={1 / 3:.4f}"],
        "ties=id-ascending",
    ),
    "mteb #5092: a constant scorer has MRR 1 in one metric of two": (LEVEL, ["RR@10=1.0"], "ties=given"),
    "beir #91: the document with the id of the query": (SELF, ["nDCG@10=1.0"], "exclude=self"),
    "beir #187: the document with the id of the query": (SELF, ["RR=1.0"], "exclude=self"),
    "mlflow #24541: the ideal has as many documents as came back": (ONE_OF_FIVE, ["nDCG@5=1.0"], "ideal=returned"),
    "elasticsearch #154362: the ideal has as many documents as came back": (
        ONE_OF_FIVE,
        ["nDCG@10", "--between", "standard", "elasticsearch"],
        "ideal=returned",
    ),
    "llama_index #17070: the ideal has as many documents as came back": (
        as_files(FIVE, "x", "a"),
        [f"nDCG@5={dcg(0, 1) / dcg(1, 1):.4f}"],
        "ideal=returned",
    ),
    "AutoRAG #386: the ideal is that of what was retrieved": (TWO_OF_FIVE, ["nDCG@5=1.0"], "ideal=retrieved"),
    "memorybench #67: the ideal is that of what was retrieved": (
        as_files(FIVE, "x", "a"),
        [f"nDCG@5={dcg(0, 1) / dcg(1):.4f}"],
        "ideal=retrieved",
    ),
    "quepid #836: the ideal is that of the best k of what was retrieved": (
        as_files({"a": 3, "b": 2, "c": 1}, "c", "b"),
        [f"nDCG@10={dcg(1, 2) / dcg(2, 1):.4f}"],
        "ideal=retrieved",
    ),
    "quepid #836: the same where more than k documents were retrieved": (
        as_files({"a": 3, "b": 2, "c": 1}, "c", "b", "a"),
        [f"nDCG@2={dcg(1, 2) / dcg(2, 1):.4f}"],
        "depth=2 and ideal=retrieved",
    ),
    "unitxt #1935: judged documents that were not retrieved stand at the end": (
        MONEY,
        [f"nDCG={dcg(2, 0, 0, 3) / dcg(3, 2):.4f}"],
        "unretrieved=last",
    ),
    "recommenders #1749: relevance is binary": (GRADED, ["nDCG@10=1.0"], "gain=binary"),
    "recommenders #2091: a perfect AP@k below 1": (TWO_OF_FIVE, ["AP@2=1.0"], "norm=min(k,R)"),
    "haystack #7758: AP is divided by what was found": (GOLD, [f"AP={(1 + 2 / 3) / 2:.4f}"], "norm=found"),
    "ranx #30: recall is not the reciprocal rank": (ONE_OF_FIVE, ["R@1=1.0"], "measure=RR@1"),
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


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_an_answer_fits_on_a_screen_and_names_what_a_user_can_type() -> None:
    demo = rw.demo()
    result = rw.audit(demo.qrels, demo.runs["dense"], "nDCG@10", between=("trec_eval-10.0", "scikit-learn"))
    assert [str(each) for each in result.candidates] == ["ideal=retrieved", "pool=retrieved"]
    assert len(repr(result).splitlines()) <= 24
    assert "rankworth explain QRELS RUN en60 -m 'nDCG(ideal=retrieved)@10' --profile trec_eval-10.0" in repr(result)
    value = rw.evaluate(demo.qrels, demo.runs["dense"], ["nDCG(gain=exp2)@5"])["nDCG(gain=exp2)@5"]
    result = rw.audit(demo.qrels, demo.runs["dense"], f"nDCG@10={value:.6f}")
    assert result.verdict == f"gain=exp2 and cutoff=5 give nDCG@10 = {value:.6f}"


def test_a_mean_in_the_middle_of_two_numbers_gives_both() -> None:
    qrels = {f"q{place}": {"a": 1} for place in range(64)}
    run = {query: ["a"] if place < 41 else ["b"] for place, query in enumerate(qrels)}
    for number in ("0.64062", "0.64063"):  # 41 / 64 = 0.640625
        assert str(rw.audit(qrels, run, f"RR={number}").candidates[0]) == "nothing"


def test_sets_are_told_apart_by_values_of_queries() -> None:
    qrels, run = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1}}, {"a": ["x"], "b": ["x"]}
    notes = " ".join(rw.audit(qrels, run, "RR=1.0").notes)
    assert "the number too, and cannot be told apart" in notes
    assert "by which queries have other values" in notes


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["nDCG@10=0.7967"], []),
        (["nDCG@10=0.7967", "--profile", "ranx"], ["--profile", "ranx"]),
        (["nDCG@10=0.7967", "--missing", "skip", "--rel", "1"], ["--missing", "skip"]),
        (["nDCG@10=1.0"], []),
        (["AP", "--between", "standard", "haystack"], []),
        (["nDCG@10", "--between", "ranx", "standard"], []),
    ],
)
def test_the_command_that_repeats_a_number_gives_it(
    arguments: list[str], options: list[str], files: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files(*as_files({"a": 2, "b": 1}, "b", "a"))
    assert main(["audit", *paths, *arguments, "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    words = shlex.split(record["command"])
    assert words[:4] == ["rankworth", "evaluate", "QRELS", "RUN"]
    assert shlex.join(options) in record["command"]
    assert main(["evaluate", *paths, *words[4:], "-f", "json"]) == 0
    [value] = json.loads(capsys.readouterr().out)["runs"][0]["mean"].values()
    assert value == pytest.approx(record["departures"][0]["value"], abs=1e-12)


def test_no_command_is_named_where_no_option_says_it() -> None:
    qrels, run = {"q": dict.fromkeys("ab", 1)}, {"q": [*(f"x{place}" for place in range(1000)), "a"]}
    result = rw.audit(qrels, run, f"RR={1 / 1001:.8f}", profile=rw.PROFILES["standard-1"].derive(depth=1000))
    assert (str(result.candidates[0]), result.command) == ("depth=None", "")


@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_a_known_profile_with_one_change_is_tried() -> None:
    plant = next(planted(1, seed=3))
    value = rw.evaluate(plant.qrels, plant.run, ["nDCG@10"], profile="elasticsearch-9", ties="id-ascending")["nDCG@10"]
    result = rw.audit(plant.qrels, plant.run, f"nDCG@10={value:.13f}")
    assert "the profile elasticsearch-9 and ties=id-ascending" in map(str, result.candidates)


@pytest.mark.filterwarnings("ignore:.*sampled-judgements")
def test_profiles_that_differ_in_much_are_told_apart_by_values_of_queries() -> None:
    plant = next(planted(1, seed=3))
    for first, second in (("standard", "torchmetrics"), ("elasticsearch", "mlflow"), ("recommenders", "trectools")):
        with_second = rw.evaluate_profiles(plant.qrels, plant.run, ["AP"], profiles=second)
        [aim] = with_second.values()
        if isinstance(aim, rw.RankworthError):
            continue
        result = rw.audit(plant.qrels, plant.run, "AP", between=(first, second))
        assert result.exact
        assert result.candidates[0].outcome.mean == pytest.approx(aim["AP"], abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("sentence-transformers-6", "beir-2.2"),
        ("beir-2.2", "sentence-transformers-6"),
        ("replay-0.22-users", "trectools-0.0.50-pandas2"),
        ("rectools-0.19", "ranx-0.3-dict"),
        ("llama_index-0.14", "trec_eval-10.0-c"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_why_two_profiles_differ_is_said_by_settings(first: str, second: str) -> None:
    judged = {f"q{number}": {"a": 3, "b": 1, "c": 2, "d": 1, "e": 1} for number in range(1, 8)}
    run = {query: {"x": 9.0, "b": 8.0, "y": float(place % 3), "c": 2.0} for place, query in enumerate(judged)}
    result = rw.audit(judged, run, "nDCG@10", between=(first, second))
    assert result.candidates[0].changes, result.verdict
    assert result.candidates[0].base == ()


def test_the_smallest_grade_is_said_in_words() -> None:
    qrels, run = {"q": {"a": 0.5, "b": 1}}, {"q": ["a", "b"]}
    result = rw.audit(qrels, run, "RR@10", between=("standard", "opensearch"))
    assert result.verdict == "rel=5e-324 (every grade above 0 is relevant) gives RR@10 = 1, as under opensearch-3.4"


@pytest.mark.parametrize("number", ["0.7967", "79.67%", "79.7%", "80%"])
def test_a_number_may_be_a_percentage(number: str) -> None:
    result = rw.audit({"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]}, f"nDCG@10={number}")
    assert (result.exact, str(result.candidates[0])) == (True, "gain=exp2")


def test_a_number_that_looks_like_a_percentage_is_answered_with_what_to_write() -> None:
    result = rw.audit({"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]}, "nDCG@10=79.67")
    assert "If 79.67 is a percentage, write nDCG@10=79.67%." in result.notes


@pytest.mark.parametrize(
    ("number", "cut_off", "shown"),
    [
        ("0.583333333", False, "0.583333333"),  # 7/12
        ("0.5833", False, "0.5833"),
        ("58.33%", False, "0.5833"),
        ("0.7916666666", True, "0.7916666666, cut off; rounded it is 0.7916666667"),  # 19/24
        ("0.7916666667", False, "0.7916666667"),
        ("0.79166", True, "0.79166, cut off; rounded it is 0.791667"),
        ("79.16%", True, "0.7916, cut off; rounded it is 0.791667"),
        ("0.7917", False, "0.7917"),
    ],
)
def test_a_number_may_be_cut_off_instead_of_rounded(number: str, cut_off: bool, shown: str) -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}}
    runs: list[Any] = [
        {"q1": ["a", "x", "x2", "b"], "q2": ["a", "x", "b"]},
        {"q1": ["x", "a", "b"], "q2": ["x", "a", "b"]},
    ]
    run = runs[number in ("0.583333333", "0.5833", "58.33%")]
    result = rw.audit(qrels, run, f"AP={number}")
    assert (result.exact, result.cut_off, str(result.candidates[0])) == (True, cut_off, "nothing")
    assert result.verdict == f"standard-1 itself gives AP = {shown}"
    answers = {"gives it, cut off" if cut_off else "gives it"}
    assert {row["answer"] for row in result.to_dict()["departures"]} == answers


def test_a_negative_number_may_be_cut_off() -> None:
    result = rw.audit({"q": {"a": -1, "b": 1}}, {"q": ["a", "c", "d"]}, "DCG(gain=signed, base=3)=-0.99")
    assert not result.exact or result.candidates[0].changes
    found = rw.audit({"q": {"a": -2, "b": 1}}, {"q": ["c", "a", "d"]}, "DCG(gain=signed)@3=-1.2618")  # -2 / log2(3)
    assert (found.exact, found.cut_off, str(found.candidates[0])) == (True, True, "nothing")


def test_the_nearest_number_is_shown_with_the_digits_of_the_question() -> None:
    qrels, run = {"q1": {"a": 1, "b": 1, "c": 1}}, {"q1": ["a", "x", "b"]}
    result = rw.audit(qrels, run, "AP=0.5555555123")  # 5/9
    assert not result.exact
    assert "nearest is 0.5555555556, by nothing" in result.verdict
    [sheet, *_] = result.sheets()
    assert sheet.columns[1].values[0] == "0.5555555556"


def test_labels_and_scores_are_audited_as_judgements_and_a_run_are() -> None:
    labels, scores = [[2, 0, 1, 1], [0, 1, 0, 0]], [[0.9, 0.8, 0.1, 0.2], [0.3, 0.2, 0.5, 0.1]]
    value = rw.evaluate(labels=labels, scores=scores, measures=["nDCG(gain=exp2)"])["nDCG(gain=exp2)"]
    result = rw.audit(labels=labels, scores=scores, measure=f"nDCG={value:.10f}")
    assert (result.exact, str(result.candidates[0])) == (True, "gain=exp2")
    ordered = rw.audit(labels=labels, orders=[[0, 1, 3, 2], [2, 0, 1, 3]], measure=f"nDCG={value:.10f}")
    assert ordered.candidates[0] == result.candidates[0]
    with pytest.raises(rw.RankworthError, match="labels stand instead of judgements and a run"):
        rw.audit({"q": {"a": 1}}, labels=labels, measure="RR=1")
    with pytest.raises(rw.RankworthError, match="there are no judgements"):
        rw.audit(measure="RR=1")


def test_it_says_when_nothing_gives_the_number(files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *files(*GRADED), "RR=0.123"]) == 0
    assert "nothing gives RR = 0.123; nearest" in " ".join(capsys.readouterr().out.split())
    assert main(["audit", *files(*GRADED), "RR=0.123", "-f", "csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith(",answer")
    assert {row.rpartition(",")[2] for row in rows} == {"nearest"}


@pytest.mark.parametrize("beside", [-inf, inf])
@pytest.mark.parametrize("measure", ["nDCG(gain=exp2)@10", "nDCG(ideal=retrieved)@10"])
def test_a_mean_whose_sum_was_taken_in_another_order_is_named(measure: str, beside: float) -> None:
    qrels = {f"q{one}": {"a": 3, "b": 1 + one % 2, "c": one % 3} for one in range(1, 8)}
    run = {query: {"b": 3.0, "x": 2.0, query: 1.5, "a": float(place % 3)} for place, query in enumerate(qrels)}
    number = nextafter(rw.evaluate(qrels, run, [measure])[measure], beside)
    found = rw.audit(qrels, run, f"nDCG@10={number!r}")
    assert (found.exact, str(found.candidates[0])) == (True, measure[5:-4])


@pytest.mark.parametrize("profile", rw.PROFILES)
@pytest.mark.parametrize("repeated", [False, True], ids=["", "a document is judged twice"])
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_the_number_of_every_profile_is_its_own(profile: str, repeated: bool, files: Any) -> None:
    qrels, run = files(
        "q 0 a 3\nq 0 b 1\nr 0 a 1\n" + "q 0 b 1\n" * repeated, "q Q0 b 1 2 x\nq Q0 a 2 1 x\nr Q0 c 1 1 x\n"
    )
    number, settings = nan, rw.PROFILES[profile].judging
    measure = "AP" if profile.startswith("autorag-research") else "nDCG@10"  # whose nDCG is not computed
    with suppress(rw.RefusedError):
        if repeated and settings.duplicate_judgements == "error":
            with pytest.raises(rw.InputError, match="duplicate-judgement"):
                rw.audit(qrels, run, f"{measure}=0.5", profile=profile)
            return
        number = rw.evaluate(qrels, run, [measure], profile=profile)[measure]
    audit = rw.audit(qrels, run, f"{measure}={number if isfinite(number) else 0.5!r}", profile=profile)
    assert repr(audit.value) == repr(number)
    assert not isfinite(number) or (audit.exact, str(audit.candidates[0])) == (True, "nothing")


@pytest.mark.parametrize(("policy", "profile"), [("max", "standard"), ("last", "pytrec_eval-terrier")])
@pytest.mark.filterwarnings("ignore::rankworth.RankworthWarning")
def test_repeated_judgements_that_were_settled_stay_so(policy: Any, profile: str, files: Any) -> None:
    qrels, run = files("q 0 a 3\nq 0 b 1\nq 0 b 2\n", "q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    settled = rw.Qrels(qrels, duplicate_judgements=policy)
    number = rw.evaluate(settled, run, ["nDCG@10"], profile=profile)["nDCG@10"]
    audit = rw.audit(settled, run, f"nDCG@10={number!r}", profile=profile)
    assert (audit.exact, audit.value, str(audit.candidates[0])) == (True, number, "nothing")


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

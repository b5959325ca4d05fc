"""Signatures: one line that says how a number came about, read back and compared; and results of an older version."""

import hashlib
import json
import math
import pickle
import re
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import CHOICES, NUMBERS, Grades, Scores, as_options, collections
from rankworth import cli, demonstration
from rankworth.errors import RankworthError, UsageError
from rankworth.profiles import PROFILES, STANDARD, CallData, Profile, Rule, Signature, refuse_differences, signature
from rankworth.results import file
from rankworth.settings import Averaging, Judging
from rankworth.version import __version__

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "tests" / "data" / "values_of_0.1"
EXAMPLE: Final = ROOT / "docs" / "example"
JUDGING: Final = {one.name for one in fields(Judging)}
EVERY: Final = {one.name for kind in (Judging, Averaging, CallData) for one in fields(kind)}
MEASURES: Final = ("nDCG@3", "AP", "RR", "P(rel=2)@2", "R@3", "gmean(AP)", "NumRel")
QRELS: Final[Grades] = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1}}
RUN: Final[Scores] = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d2": 3.0, "d9": 2.0}}
few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def values(qrels: object, run: object, measures: Any, profile: Any = "standard", **said: Any) -> rw.Values:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures, profile=profile, **as_options(said))


def anything(qrels: object, run: object, measures: Any, profile: Any = "standard", **said: Any) -> Any:
    """What comes out, or the error."""
    try:
        return values(qrels, run, measures, profile, **said)
    except RankworthError as error:
        return error


def words(name: str) -> st.SearchStrategy[Any]:
    """What a setting may be."""
    numbers = st.floats(-1e9, 1e9) | st.sampled_from((0.0, 1.0, 0.5, 1 / 3, 5e-324))
    others: dict[str, st.SearchStrategy[Any]] = {
        **{one: st.sampled_from(NUMBERS[one]) | numbers for one in NUMBERS},
        **dict.fromkeys(("depth", "round_values", "round_means"), st.none() | st.integers(1, 20)),
        "highest": st.none() | numbers,
        "fewest": st.integers(0, 3),
        "exclude": st.sampled_from((None, "self")),
        "logarithms": st.booleans(),
        "span_share": st.floats(0, 1),
    }
    return others[name] if name in others else st.sampled_from(CHOICES[name])


any_settings = st.sets(
    st.sampled_from(sorted(EVERY - {"weights", "macro", "history", "items", "expected_run", "forbidden"})), max_size=8
).flatmap(lambda chosen: st.fixed_dictionaries({name: words(name) for name in sorted(chosen)}))
profiles = st.sampled_from(sorted(PROFILES)).map(PROFILES.__getitem__)


def made(profile: Profile, **recorded: object) -> Signature:
    """A signature of values of two queries."""
    return signature(profile, ["q1", "q2"], __version__, **recorded)  # type: ignore[arg-type]


def alike(one: Signature, other: Signature) -> bool:
    """Equal, and with the same remarks beside it."""
    return one == other and dict(one.recorded) == dict(other.recorded) and str(one) == str(other)


def typed(rule: Rule) -> str:
    """A name of the tool with numbers in it."""
    name = rule.name.replace("{gains}", "1=2,2=3.5")
    return re.sub(r"\{(\w+)\}", lambda blank: "5" if blank[1] in ("k", "d") else "0.5", name)


# A line that is read is what was written


@pytest.mark.parametrize("name", PROFILES)
def test_signatures_of_every_profile_are_read_back(name: str) -> None:
    profile = PROFILES[name]
    texts = [typed(rule) for rule in profile.rules] or MEASURES
    for asked in profile.ask(texts):
        told = signature(profile, ["q1", "ü"], __version__, measure=asked, seed=7, digits=4)
        assert alike(Signature.parse(str(told)), told)
        assert Signature.parse(str(told)).measure == str(asked.quantity)
        rebuilt = told.profile()
        assert rebuilt.conventions == asked.conventions
    whole = made(profile)
    assert alike(Signature.parse(str(whole)), whole)
    assert whole.profile().conventions == profile.conventions


@some
@given(profile=profiles, said=any_settings)
def test_signatures_of_any_settings_are_read_back(profile: Profile, said: dict[str, Any]) -> None:
    derived = profile.derive(**said)
    for recorded in ({}, {"seed": 0}, {"seed": 3, "digits": 10}):
        told = made(derived, **recorded)
        assert alike(Signature.parse(str(told)), told)
        assert alike(Signature.parse(f"  {told}\n"), told)
    rebuilt = Signature.parse(str(told)).profile()
    assert rebuilt.conventions == derived.conventions


@pytest.mark.parametrize("number", [1 / 3, 0.1, 1234567.25, 5e-324, -1.0, 1e300, 0.12345678901234567])
def test_numbers_are_told_with_all_their_digits(number: float) -> None:
    told = Signature.parse(str(made(STANDARD.derive(undefined=number, highest=number, no_relevant=number))))
    rebuilt = told.profile()
    found = (rebuilt.averaging.undefined, rebuilt.judging.highest, rebuilt.averaging.no_relevant)
    assert found == (number, number, number)
    other = Signature.parse(str(made(STANDARD.derive(undefined=math.nextafter(number, math.inf)))))
    assert "undefined" in " ".join(told.differences(other))


def test_whole_numbers_are_told_without_a_point() -> None:
    assert made(STANDARD.derive(undefined=1, highest=4)).settings == {"highest": "4", "undefined": "1"}


def test_settings_stand_there_where_they_differ_from_the_standard() -> None:
    assert made(STANDARD).settings == {}
    assert made(STANDARD.derive(missing="zero", ties="id-descending", depth=5)).settings == {"depth": "5"}
    assert (
        made(PROFILES["ranx-0.3"].derive(missing="zero", extra="ignore"))
        .settings.keys()
        .isdisjoint({"missing", "extra"})
    )


def test_a_line_has_an_order() -> None:
    asked = PROFILES["ranx-0.3"].derive(missing="skip").ask(["mrr@10"])[0]
    told = signature(PROFILES["ranx-0.3"].derive(missing="skip"), ["q1"], "0.1.0", measure=asked, seed=1)
    digest = hashlib.sha256(b"q1").hexdigest()[:8]
    parts = str(told).split("|")
    assert parts[:3] == ["RR@10", "profile:ranx-0.3", "derived:missing"]
    assert parts[-3:] == [f"queries:1-{digest}", "rankworth:0.1.0", "seed:1"]
    assert "missing:skip" in parts[3:-3]


def test_the_digest_is_that_of_the_ids_in_their_order() -> None:
    digest = hashlib.sha256(b"q1\nq2").hexdigest()[:8]
    assert values(QRELS, RUN, "RR").signature == f"profile:standard-1|queries:2-{digest}|rankworth:{__version__}"
    assert Signature.parse(values(QRELS, RUN, "RR").signature).queries == f"2-{digest}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "|",
        "nDCG@10",
        "profile:standard-1",
        "queries:1-c75de8c1",
        "nDCG@10|queries:1-c75de8c1",
        "nDCG@10|profile:standard-1",
        "nDCG@10|profile:standard-1|queries:1-c75de8c1|nonsense",
        "nDCG@10|profile:standard-1|queries:1-c75de8c1|colour:red",
        "nDCG@10|AP|profile:standard-1|queries:1-c75de8c1",
    ],
)
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Signature.parse(text)
    assert caught.value.slug == "bad-signature"
    with pytest.raises(UsageError):
        refuse_differences(text, made(STANDARD))


def test_a_signature_with_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        Signature.parse("RR|profile:standard-1|missing:sometimes|queries:1-c75de8c1|rankworth:0.1.0")
    assert caught.value.slug == "bad-signature"
    assert "missing is 'zero' or" in str(caught.value)


def test_signatures_travel_between_processes() -> None:
    told = made(PROFILES["ranx-0.3"])
    assert alike(pickle.loads(pickle.dumps(told)), told)


# Settings that are read back make the same numbers


def row_of(found: rw.Values, label: str) -> dict[str, float]:
    """The values of one measure."""
    return {query: row[label] for query, row in found.per_query.to_dict().items() if label in row}


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    """The same queries with the same values, bit for bit."""
    assert list(one) == list(other)
    return bool(np.array_equal(list(one.values()), list(other.values()), equal_nan=True))


NUMBERED: Final[Grades] = {"1": QRELS["q1"] | {"1": 1}, "2": QRELS["q2"]}
TIED: Final[Scores] = {
    "1": {"d2": 3.0, "d1": 3.0, "d9": 2.0, "d3": 2.0, "1": 1.0},
    "2": {"d9": 2.0, "d8": 0.1 + 1e-9, "d2": 0.1, "d1": -1.0},
}


@pytest.mark.parametrize("name", PROFILES)
def test_numbers_of_every_profile_come_out_again_from_their_signatures(name: str) -> None:
    profile = PROFILES[name]
    known = [rule for rule in profile.rules if set(re.findall(r"\{(\w+)\}", rule.name)) <= {"k", "d", "p"}]
    rules = [rule for rule in known if not rule.several and not rule.of_items]  # of which there is no mean here
    texts = [typed(rule) for rule in rules] or list(MEASURES)
    found = values(NUMBERED, TIED, texts, profile)
    assert len(found.signatures) >= len(set(texts)) >= 1
    for label, line in found.signatures.items():
        told = Signature.parse(line)
        again = values(NUMBERED, TIED, [told.measure], told.profile())
        assert same(row_of(found, label), row_of(again, told.measure)), label
        assert np.array_equal(found[label], again[told.measure], equal_nan=True)
        refuse_differences(line, next(iter(again.signatures.values())))


@few
@given(collection=collections(), profile=profiles)
def test_a_number_comes_out_again_from_its_signature(collection: tuple[Grades, Scores], profile: Profile) -> None:
    qrels, run = collection
    relaxed: dict[str, Any] = {"missing": "zero", "extra": "ignore", "undefined": "nan", "negative": "zero"}
    found = anything(qrels, run, ("RR", "P@2", "nDCG@3"), profile, grades="given", above="clipped", **relaxed)
    assume(isinstance(found, rw.Values))
    for label, line in found.signatures.items():
        told = Signature.parse(line)
        again = values(qrels, run, [told.measure], told.profile())
        assert same(row_of(found, label), row_of(again, told.measure)), label
        assert np.array_equal(found[label], again[told.measure], equal_nan=True)
        [other] = again.signatures.values()
        refuse_differences(line, other)
        assert Signature.parse(other) == told


@some
@given(collection=collections(), said=any_settings)
def test_a_number_under_any_settings_comes_out_again(collection: tuple[Grades, Scores], said: dict[str, Any]) -> None:
    qrels, run = collection
    found = anything(qrels, run, ["P@2", "DCG@3"], **said)
    assume(isinstance(found, rw.Values))
    rebuilt = Signature.parse(found.signature).profile()
    again = values(qrels, run, ["P@2", "DCG@3"], rebuilt)
    for label in ("P@2", "DCG@3"):
        assert same(row_of(found, label), row_of(again, label))
    assert Signature.parse(again.signature) == Signature.parse(found.signature)


def test_what_was_excluded_is_told_and_not_what_it_was() -> None:
    found = values(QRELS, RUN, "RR", exclude={"q1": ["d2"]})
    told = Signature.parse(found.signature)
    assert re.fullmatch(r"1-[0-9a-f]{8}", told.settings["exclude"])
    other = Signature.parse(values(QRELS, RUN, "RR", exclude={"q1": ["d1"]}).signature)
    assert told.differences(other) == [f"exclude is {told.settings['exclude']} and {other.settings['exclude']}"]
    with pytest.raises(UsageError, match="tells which pairs were left out, not what they are") as caught:
        values(QRELS, RUN, "RR", told.profile())
    assert caught.value.slug == "unknown-setting"
    qrels, run = QRELS | {"d1": {"d1": 1, "d2": 1}}, RUN | {"d1": {"d1": 2.0, "d2": 1.0}}
    itself = values(qrels, run, "NumRet", exclude="self")
    assert itself["NumRet"] == 2 + 2 + 1
    assert values(qrels, run, "NumRet", Signature.parse(itself.signature).profile())["NumRet"] == 2 + 2 + 1


def test_every_measure_has_its_own_line_and_its_own_queries() -> None:
    qrels = QRELS | {"q3": {"d1": 0}}
    found = values(qrels, RUN | {"q3": {"d1": 1.0}}, ["RR", "R"], undefined="skip")
    assert list(found.signatures) == ["RR", "R"]
    told = {label: Signature.parse(line) for label, line in found.signatures.items()}
    assert [one.queries.partition("-")[0] for one in told.values()] == ["3", "2"]
    assert [one.measure for one in told.values()] == ["RR", "R"]


# What may be compared


def test_names_versions_seeds_and_digits_do_not_matter() -> None:
    tool = PROFILES["ranx-0.3"]
    [asked] = tool.ask(["ndcg@10"])
    other = replace(STANDARD, name="mine-2", judging=asked.judging, averaging=asked.averaging, data=asked.data)
    [again] = other.ask([asked.quantity])
    one = signature(tool, ["q1", "q2"], "0.1.0", measure=asked, seed=1, digits=4)
    two = signature(other, ["q1", "q2"], "7.0.0", measure=again, seed=2)
    assert str(one) != str(two)
    assert one == two
    assert one.differences(two) == []
    refuse_differences(one, two)
    refuse_differences(str(one), str(two))


def test_profiles_with_one_meaning_of_a_measure_are_comparable() -> None:
    names = ("trec_eval-10.0", "standard-1")
    lines = [values(QRELS, RUN, ["map"], name, missing="zero", no_queries="nan", grades="given") for name in names]
    one, two = (next(iter(one.signatures.values())) for one in lines)
    refuse_differences(one, two)


DIFFERENT: Final[dict[str, tuple[Any, str]]] = {
    "order": ("rank", "order is auto and rank"),
    "score_type": ("float32", "score_type is float64 and float32"),
    "ties": ("given", "ties is id-descending and given"),
    "duplicates": ("best", "duplicates is error and best"),
    "depth": (5, "depth is None and 5"),
    "unjudged": ("removed", "unjudged is kept and removed"),
    "duplicate_judgements": ("max", "duplicate_judgements is error and max"),
    "span_share": (0.25, "span_share is 0.5 and 0.25"),
    "exclude": ("self", "exclude is None and self"),
    "exclude_from": ("run", "exclude_from is both and run"),
    "grades": ("truncated", "grades is given and truncated"),
    "negative": ("zero", "negative is pooled and zero"),
    "judgements": ("relevant", "judgements is all and relevant"),
    "pool": ("retrieved", "pool is judged and retrieved"),
    "unretrieved": ("last", "unretrieved is absent and last"),
    "scored": ("positive", "scored is all and positive"),
    "highest": (3, "highest is None and 3"),
    "above": ("clipped", "above is error and clipped"),
    "blocks": ("separate", "blocks is joined and separate"),
    "pairing": ("position", "pairing is id and position"),
    "query_ids": ("numbers", "query_ids is any and numbers"),
    "missing": ("skip", "missing is zero and skip"),
    "extra": ("zero", "extra is ignore and zero"),
    "empty": ("skip", "empty is missing and skip"),
    "no_relevant": (0.5, "no_relevant is keep and 0.5"),
    "no_relevant_counts": ("unweighted", "no_relevant_counts is weighted and unweighted"),
    "relevant_by": ("sum", "relevant_by is grade and sum"),
    "neither": (1, "neither is keep and 1"),
    "all_negative": ("previous", "all_negative is keep and previous"),
    "undefined": (1, "undefined is 0 and 1"),
    "no_hit": ("nan", "no_hit is keep and nan"),
    "nan": ("skip", "nan is propagate and skip"),
    "divisor": ("judged", "divisor is rows and judged"),
    "logarithms": (True, "logarithms is False and True"),
    "fewest": (2, "fewest is 0 and 2"),
    "round_values": (3, "round_values is None and 3"),
    "round_means": (4, "round_means is None and 4"),
    "halves": ("up", "halves is even and up"),
    "no_queries": ("zero", "no_queries is nan and zero"),
    "weights": ({"q1": 1, "q2": 2}, "weights is None and given-c7080c73"),
    "macro": ({"q1": "ar", "q2": "en"}, "macro is None and given-bdf94037"),
    "history": ({"u1": ["a", "b"]}, "history is None and 2-bd4dbafc"),
    "items": ({"a": {"genre": "drama"}}, "items is None and 1-3e306617"),
    "expected_run": ({"u1": ["a", "b"]}, "expected_run is None and 2-ba300629"),
    "forbidden": ({"u1": ["a", "b"]}, "forbidden is None and 2-bd4dbafc"),
}
"""A setting, another word for it, and what is said of that."""


def test_every_setting_keeps_numbers_apart() -> None:
    assert set(DIFFERENT) == EVERY


@pytest.mark.parametrize("name", DIFFERENT)
def test_numbers_under_other_settings_are_not_comparable(name: str) -> None:
    value, said = DIFFERENT[name]
    one, two = made(STANDARD), made(STANDARD.derive(**{name: value}))
    assert one != two
    assert one.differences(two) == [said]
    back = re.fullmatch(r"(\w+ is )(\S+) and (\S+)", said)
    assert back is not None
    assert two.differences(one) == [f"{back[1]}{back[3]} and {back[2]}"]
    with pytest.raises(UsageError, match=f"these numbers were not made alike: {re.escape(said)}") as caught:
        refuse_differences(str(one), str(two))
    assert caught.value.slug == "not-comparable"


def test_numbers_of_other_measures_are_not_comparable() -> None:
    lines = values(QRELS, RUN, ["RR", "RR@10", "P(rel=2)@5", "P@5"]).signatures
    with pytest.raises(UsageError, match=re.escape("the measure is RR and RR@10")):
        refuse_differences(lines["RR"], lines["RR@10"])
    with pytest.raises(UsageError, match=re.escape("the measure is P(rel=2)@5 and P@5")):
        refuse_differences(lines["P(rel=2)@5"], lines["P@5"])
    with pytest.raises(UsageError, match=re.escape("the measure is not told and RR")):
        refuse_differences(values(QRELS, RUN, ["RR"]).signature, lines["RR"])


def test_numbers_over_other_queries_are_not_comparable() -> None:
    both, first, second = (values(QRELS, RUN, "RR", queries=some).signature for some in (None, ["q1"], ["q2"]))
    with pytest.raises(UsageError, match="the query sets differ: 2 and 1 queries"):
        refuse_differences(both, first)
    with pytest.raises(UsageError, match="the query sets differ: other queries"):
        refuse_differences(first, second)


def test_all_that_differs_is_named_at_once() -> None:
    one = values(QRELS, RUN, "RR", missing="skip", depth=5).signatures["RR"]
    two = values(QRELS, RUN, "AP", queries=["q1"], depth=6).signatures["AP"]
    with pytest.raises(UsageError) as caught:
        refuse_differences(one, two)
    [problem] = caught.value.problems
    assert problem.split(": ", 1)[1].split("; ") == [
        "the measure is RR and AP",
        "depth is 5 and 6",
        "missing is skip and zero",
        "the query sets differ: 2 and 1 queries",
    ]


@some
@given(one=any_settings, two=any_settings)
def test_numbers_are_comparable_where_their_settings_are_the_same(one: dict[str, Any], two: dict[str, Any]) -> None:
    profiles_of = STANDARD.derive(**one), STANDARD.derive(**two)
    lines = [Signature.parse(str(made(profile))) for profile in profiles_of]
    equal = profiles_of[0].conventions == profiles_of[1].conventions
    assert (lines[0].differences(lines[1]) == []) == equal
    assert (lines[0] == lines[1]) == equal


# Results of an older version


def old(name: str) -> dict[str, Any]:
    """What the older version wrote."""
    read: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return read


@pytest.fixture(scope="module")
def collection_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection that comes with rankworth, written once."""
    folder = tmp_path_factory.mktemp("collection")
    demonstration.write(folder)
    return folder


@pytest.fixture
def inputs(request: pytest.FixtureRequest, collection_folder: Path) -> tuple[str, Path, list[str], dict[str, Any]]:
    """A result, the folder of its inputs, its runs and its settings."""
    answered: dict[str, Any] = {"missing": "skip", "depth": 20, "unjudged": "removed"}
    known: dict[str, tuple[Path, dict[str, Any]]] = {
        "example": (EXAMPLE, {}),
        "collection": (collection_folder, {}),
        "answered": (collection_folder, answered),
    }
    folder, said = known[request.param]
    return request.param, folder, [run["name"] for run in old(request.param)["runs"]], said


def today(folder: Path, runs: list[str], measures: list[str], said: dict[str, Any]) -> rw.RunValues:
    """The same evaluation by this version."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate_runs(folder / "qrels.txt", [folder / f"{name}.run" for name in runs], measures, **said)


@pytest.mark.parametrize("inputs", ["example", "collection", "answered"], indirect=True)
def test_values_of_an_older_version_are_todays_bit_for_bit(
    inputs: tuple[str, Path, list[str], dict[str, Any]],
) -> None:
    name, folder, runs, said = inputs
    before = old(name)
    table = today(folder, runs, before["measures"], said)
    after = json.loads(json.dumps(file.record(table, with_queries=True)))
    assert (before["schema"], after["schema"]) == (1, "rankworth.results/4")
    assert [key for key in after if key in before] == list(before)
    assert [before[key] for key in ("profile", "measures")] == [after[key] for key in ("profile", "measures")]
    assert sum(len(run["per_query"]) for run in before["runs"]) >= 10
    for theirs, ours in zip(before["runs"], after["runs"], strict=True):
        assert ours["mean"] == theirs["mean"]
        assert ours["per_query"] == theirs["per_query"]
        assert list(ours["per_query"]) == list(theirs["per_query"])
        assert {**ours["queries"], **theirs["queries"]} == ours["queries"]
        slugs = [one["slug"] for one in ours["warnings"] if one["slug"] != "many-ties"]  # which came later
        assert slugs == [one["slug"] for one in theirs["warnings"]]
        assert set(theirs) <= set(ours)


@pytest.mark.parametrize("inputs", ["example", "collection"], indirect=True)
def test_parquet_of_an_older_version_has_todays_values(
    inputs: tuple[str, Path, list[str], dict[str, Any]], tmp_path: Path
) -> None:
    name, folder, runs, _ = inputs
    before = pl.read_parquet(RESULTS / f"{name}.parquet")
    command = ["evaluate", folder / "qrels.txt", *(folder / f"{run}.run" for run in runs), "-q", "--quiet", "-o"]
    assert cli.main(list(map(str, [*command, tmp_path / "now.parquet", "-m", *old(name)["measures"]]))) == 0
    after = pl.read_parquet(tmp_path / "now.parquet")
    assert after.schema == before.schema
    assert after.equals(before, null_equal=True)
    told = [
        json.loads(pl.read_parquet_metadata(path)["rankworth"])
        for path in (RESULTS / f"{name}.parquet", tmp_path / "now.parquet")
    ]
    refuse_differences(*(one["signature"] for one in told))
    assert [one["runs"][0]["mean"] for one in told] == [old(name)["runs"][0]["mean"]] * 2


@pytest.mark.parametrize("inputs", ["example", "collection", "answered"], indirect=True)
def test_results_of_an_older_version_are_compared_with_todays(
    inputs: tuple[str, Path, list[str], dict[str, Any]],
) -> None:
    name, folder, runs, said = inputs
    before = old(name)
    told = [run.get("signature", before["signature"]) for run in before["runs"]]
    table = today(folder, runs, before["measures"][:1], said)
    for line, values_of_run in zip(told, table.values(), strict=True):
        read = Signature.parse(line)
        assert str(read) == line
        assert read.measure == ""
        assert read.recorded == {"profile": "standard-1", "rankworth": "0.1.0"}
        refuse_differences(line, values_of_run.signature)
        assert read == Signature.parse(values_of_run.signature)
        rebuilt = read.profile()
        assert rebuilt.conventions == values_of_run.profile.conventions
    changed: dict[str, Any] = {"depth": 7} if said else {"missing": "skip"}
    what = "depth is 20 and 7" if said else "missing is zero and skip"
    others = today(folder, runs[:1], before["measures"][:1], said | changed)
    with pytest.raises(UsageError, match=re.escape(what)) as caught:
        refuse_differences(told[0], next(iter(others.values())).signature)
    assert caught.value.slug == "not-comparable"


def test_results_of_an_older_version_are_not_those_of_a_tool(collection_folder: Path) -> None:
    line = old("collection")["signature"]
    for profile, said in (("ranx-0.3", {"missing": "zero"}), ("trec_eval-9.0.8-c", {})):
        found = values(collection_folder / "qrels.txt", collection_folder / "names.run", "AP", profile, **said)
        with pytest.raises(UsageError) as caught:
            refuse_differences(line, found.signature)
        assert caught.value.slug == "not-comparable"


def test_a_result_over_other_queries_is_not_comparable_with_an_older_one(collection_folder: Path) -> None:
    folder = collection_folder
    arabic = (folder / "arabic.txt").read_text(encoding="utf-8").split()
    found = values(folder / "qrels.txt", folder / "names.run", "AP", queries=arabic)
    with pytest.raises(UsageError, match="the query sets differ: 108 and 34 queries"):
        refuse_differences(old("collection")["signature"], found.signature)

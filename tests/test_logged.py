"""Values for loggers of experiments: flat, plain, under names that none refuses and no two measures share."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from generators import CUTOFFS, beside, cut, variants
from rankworth.measures import Measure
from rankworth.profiles import PROFILES
from rankworth.results.tables import log_dict, log_name

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

TAKEN = re.compile(r"[A-Za-z0-9_.-]+")
"""what MLflow takes, without blanks and slashes: these are for prefixes"""


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure of the catalogue with a number of its own in one parameter, whole or cut."""
    numbered = [
        (each, name)
        for each in rw.CATALOGUE.values()
        for name, one in each.definition.parameters.items()
        if one.numbers is not None and not one.series
    ]
    measure, name = draw(st.sampled_from(numbered))
    declared = measure.definition.parameters[name].numbers
    assert declared is not None
    number = draw(st.one_of(st.integers(4, 50), st.floats(1e-9, 50)).filter(lambda one: one in declared))
    return cut(measure(**{name: number} | beside(measure, name)), draw(st.sampled_from(CUTOFFS)))


def catalogue() -> list[str]:
    """Measures as they are spelled, with all parameters that the generators know; their geometric means, and facts."""
    spelled = [one for each in rw.CATALOGUE.values() for one in variants(each)]
    positive = (one for one in spelled if one.range[0] >= 0 and one.averaging == "mean")
    return [*map(str, spelled), *(str(rw.gmean(one)) for one in positive), *rw.FACTS, "NumRel(rel=2)"]


def test_no_two_measures_of_the_catalogue_have_one_name() -> None:
    spelled = set(catalogue())
    assert len(spelled) > 2000
    assert len({log_name(one) for one in spelled}) == len(spelled)


@given(first=measures(), second=measures())
def test_measures_that_differ_in_any_number_have_other_names(first: Measure, second: Measure) -> None:
    assert (log_name(str(first)) == log_name(str(second))) == (str(first) == str(second))


@pytest.mark.parametrize("profile", sorted(name for name, one in PROFILES.items() if one.rules))
def test_no_two_names_of_a_tool_become_one(profile: str) -> None:
    labels = {re.sub(r"\{\w+\}", "3", rule.name) for rule in PROFILES[profile].rules}
    assert len({log_name(label) for label in labels}) == len(labels)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("P(rel=2)@5", "P_rel_2_at_5"),
        ("RBP(p=0.8)", "RBP_p_0.8"),
        ("gmean(AP)", "gmean_AP"),
        ("nDCG(gain=exp2, base=4.5)@3", "nDCG_gain_exp2_base_4.5_at_3"),
        ("AvgIPrec(recalls=[0.5])", "AvgIPrec_recalls__x5B_0.5_x5D_"),
        ("ndcg_cut_10", "ndcg_cut_10"),
        ("map@100-l2", "map_at_100-l2"),
        ("Güte@5", "G_xFC_te_at_5"),
    ],
)
def test_names_can_be_read(measure: str, name: str) -> None:
    assert log_name(measure) == name


def test_names_have_letters_digits_and_four_other_signs() -> None:
    assert [one for one in catalogue() if not TAKEN.fullmatch(log_name(one))] == []


def test_values_are_plain_floats_with_the_number_of_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    run = {"q1": {"a": 2.0}, "q2": {"b": 2.0, "a": 1.0}, "q9": {"a": 1.0}}
    values = rw.evaluate(qrels, run, ["RR", "P(rel=2)@5", "NumRel"])
    told = values.log_dict(prefix="eval/")
    assert told == {"eval/RR": (1 + 1 / 2) / 3, "eval/P_rel_2_at_5": 0, "eval/NumRel": 3, "eval/queries": 3}
    assert {type(one) for one in told.values()} == {float}
    assert list(values.log_dict()) == ["RR", "P_rel_2_at_5", "NumRel", "queries"]


def test_what_is_not_defined_is_left_out_and_the_rest_is_not() -> None:
    values = rw.evaluate({"q1": {"a": 0}}, {"q1": {"a": 1.0}}, ["AP", "P@1"], undefined="nan", no_relevant="nan")
    assert math.isnan(values["AP"])
    assert values.log_dict() == {"queries": 1} | {
        log_name(name): mean for name, mean in values.mean().items() if not math.isnan(mean)
    }
    assert log_dict({"AP": math.nan, "DCG": math.inf, "RR": np.float64(0.5)}, 2) == {"RR": 0.5, "queries": 2}
    assert type(log_dict({"RR": np.float64(0.5)}, 2)["RR"]) is float


def test_groups_are_logged_as_all_queries_are() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    values = rw.evaluate(qrels, run, ["RR"], by={"q1": "ar", "q2": "en"})
    told = {name: part.log_dict(f"{name}/") for name, part in values.slices.items()}
    assert told == {"ar": {"ar/RR": 1, "ar/queries": 1}, "en": {"en/RR": 0.5, "en/queries": 1}}

"""Names of other tools, names that stand for several measures, and the names that trec_eval would print."""

import ir_measures
import pytest

import rankworth as rw
from rankworth import names
from rankworth.errors import MeasureError

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # trec_eval, as it prints them
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("recip_rank", "RR"),
        ("P_10", "P@10"),
        ("recall_1000", "R@1000"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_1=3,2=9,4=4.5", "nDCG(gain={1: 3, 2: 9, 4: 4.5})"),
        ("iprec_at_recall_0.30", "IPrec@0.3"),
        ("Rprec_mult_1.20", "RprecMult@1.2"),
        ("11pt_avg", "AvgIPrec"),
        ("gm_map", "gmean(AP)"),
        ("gm_bpref", "gmean(Bpref)"),
        ("set_P", "P"),
        ("set_recall", "R"),
        ("set_relative_P", "R(norm=min(k,R))"),
        ("relative_P_5", "R(norm=min(k,R))@5"),
        ("set_map", "SetAP"),
        ("set_F", "set_F"),
        ("set_F_0.5", "set_F(x=0.5)"),
        ("ndcg_10", "nDCG@10"),
        ("unj_10", "Unjudged@10"),
        ("success_5", "Success@5"),
        ("num_rel_ret", "NumRelRet"),
        ("num_nonrel_judged_ret", "NumNonRelRet"),
        ("utility_2,-1,0,0", "utility(hit=2)"),
        ("relstring_20", "relstring(length=20)"),
        # trec_eval, as one asks for them
        ("ndcg_cut.10", "nDCG@10"),
        ("set_F.0.5", "set_F(x=0.5)"),
        ("ndcg.1=3.5,2=9", "nDCG(gain={1: 3.5, 2: 9})"),
        ("iprec_at_recall..25", "IPrec@0.25"),
        ("11pt_avg.0.5", "AvgIPrec(recalls=[0.5])"),
        ("11pt_avg.0.2,0.5,0.8", "AvgIPrec(recalls=[0.2, 0.5, 0.8])"),
        ("rbp.p=.5", "RBP(p=0.5)"),
        ("rbp_resid.p=.5", "rbp_resid(p=0.5)"),
        # ir_measures
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp2)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(gains={0:1,1:4})", "nDCG(gain={0: 1, 1: 4})"),
        ("RR(rel=2, cutoff=10)", "RR(rel=2)@10"),
        ("SetP(rel=2)", "P(rel=2)"),
        ("SetP(relative=True,rel=2)", "R(rel=2, norm=min(k,R))"),
        ("SetRelP", "R(norm=min(k,R))"),
        ("SetR", "R"),
        ("SetF(beta=2.0)", "F(beta=2)"),
        ("SetAP(rel=2)", "SetAP(rel=2)"),
        ("RPrec", "Rprec"),
        ("RBP(p=0.9,rel=1)", "RBP(p=0.9)"),
        ("INST(max_rel=3,T=2.0)", "INST(T=2, max_grade=3)"),
        ("IPrec(rel=2)@0.1", "IPrec(rel=2)@0.1"),
        ("IPrec(recall=0.1)", "IPrec@0.1"),
        ("P(judged_only=True)@4", "P(judged_only=True)@4"),
        ("P(judged_only=False)@4", "P@4"),
        ("NumRet(rel=1)", "NumRelRet"),
        ("NumRet", "NumRet"),
        ("NumRel(rel=2)", "NumRel(rel=2)"),
        ("Compat(normalize=False)", "Compat(normalize=False)"),
        ("α_nDCG@10", "alpha_nDCG@10"),
        # ranx
        ("mrr", "RR"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("ndcg@10-l2", "nDCG(floor=2)@10"),
        ("ndcg_burges@10-l2", "nDCG(gain=exp2, floor=2)@10"),
        ("ndcg_burges", "nDCG(gain=exp2)"),
        ("dcg_burges@5", "DCG(gain=exp2)@5"),
        ("rbp.95", "RBP(p=0.95)"),
        ("rbp.95-l2", "RBP(rel=2, p=0.95)"),
        ("hits@5-l2", "HitCount(rel=2)@5"),
        ("r-precision", "Rprec"),
        ("precision@3-l2", "P(rel=2)@3"),
        # geometric means
        ("gmean(nDCG@10)", "gmean(nDCG@10)"),
        (" gmean( map_cut_10 ) ", "gmean(AP@10)"),
    ],
)
def test_a_name_of_another_tool_means_one_measure(text: str, canonical: str) -> None:
    assert str(rw.parse(text)) == canonical
    assert rw.parse(canonical) == rw.parse(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ndcg_cut.10,20", ["nDCG@10", "nDCG@20"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("Rprec_mult.5.0,0.2", ["RprecMult@5", "RprecMult@0.2"]),
        ("ndcg_cut", [f"nDCG@{k}" for k in CUTOFFS]),
        ("map_cut", [f"AP@{k}" for k in CUTOFFS]),
        ("relative_P", [f"R(norm=min(k,R))@{k}" for k in CUTOFFS]),
        ("unj", ["Unjudged@5", "Unjudged@10", "Unjudged@20"]),
        ("iprec_at_recall", [f"IPrec@{tenth / 10:g}" for tenth in range(11)]),
        (
            "set",
            [
                "runid",
                "NumQ",
                "NumRet",
                "NumRel",
                "NumRelRet",
                "utility",
                "P",
                "R",
                "R(norm=min(k,R))",
                "SetAP",
                "set_F",
            ],
        ),
    ],
)
def test_a_name_of_trec_eval_may_stand_for_several(text: str, canonical: list[str]) -> None:
    assert list(map(str, names.parse_all([text]))) == canonical
    with pytest.raises(MeasureError, match=rf"stands for {len(canonical)} measures: .*name one of them"):
        rw.parse(text)


def test_our_own_names_are_not_taken_away() -> None:
    """`P` is the precision of all that was retrieved; at nine cutoffs it is in trec_eval only."""
    assert list(map(str, names.parse_all(["P", "recall", "success"]))) == ["P", "R", "Success"]


def test_values_after_a_dot_replace_those_that_a_nickname_brings() -> None:
    measures = list(map(str, names.parse_all(["official", "P.10"])))
    assert [name for name in measures if name.startswith("P")] == ["P@10"]
    assert len(names.parse_all(["official"])) == 30
    assert len(names.parse_all(["all_trec"])) == 99


def test_what_is_not_here_is_said() -> None:
    for nickname in ("prefs", "all_prefs", "qrels_jg"):
        with pytest.raises(MeasureError, match="need preferences or several assessors"):
            names.parse_all([nickname])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gmean(NumRel)", "NumRel is counted and has no mean"),
        ("NumRel@10", r"counted over all that was retrieved; use depth=N"),
        ("IPrec@2", r"IPrec\(recall=2\): recall is a number from 0 to 1"),
        ("AvgIPrec(recalls=[0.2, 2])", "recalls is a list such as"),
        ("AP(judged_only=1)", "judged_only is True or False"),
        ("RR(cutoff=10)@5", "the cutoff is given twice"),
        ("ndcg_cut.0", "a cutoff is a whole number from 1"),
        ("gmean(nonsense)", "no measure is called 'nonsense'"),
        ("gmean(yaap)", "yaap may be negative, and has no geometric mean"),
        ("AP(relative=True)", "AP has no parameter 'relative'"),
        ("SetP(relative=2)", "P has no parameter 'relative'"),
        ("AP(dcg=log2)", "AP has no parameter 'dcg'"),
        ("nDCG(dcg=log3)", "nDCG has no parameter 'dcg'"),
        ("nDCG(dcg='exp-log2', gains={1: 2})", "nDCG: gain is given twice"),
        ("nDCG(gain=exp2, gains={1: 2})", "nDCG: gain is given twice"),
        ("nDCG(gain={1: 2, 1.0: 3})", "a grade is given twice"),
        ("IPrec(recall=0.3)@0.5", "recall is given twice"),
        ("IPrec@", "'IPrec@': after @ stands the recall, a number from 0 to 1"),
        ("AvgIPrec(recalls=[])", r"AvgIPrec\(recalls=\[\]\): recalls is a list such as"),
        ("utility.1,2", "after the dot stand 4 numbers, hit noise miss rejection"),
        ("relstring(length=2.5)", "length is a whole number from 1 to 100000"),
        ("utility(documents=1e10)", r"documents is a number at least 0, below 1,000,000,000"),
        ("nDCG@9999999999999999999", "a cutoff is a whole number from 1 to 1,000,000,000"),
        ("set_F.-1", r"'set_F.-1': set_F\(x=-1\): x is a number greater than 0"),
        ("P10", r"did you mean P@10\?"),
        ("nDCG10", r"did you mean nDCG@10\?"),
        ("map100", r"did you mean MAP@100\? \(AP@100\)"),
        ("gm_recip_rank", r"did you mean recip_rank\? \(RR\)"),
        ("oficial", r"did you mean official\?"),
        ("map@-1", "a cutoff is a whole number from 1"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        names.parse_all([text])


@pytest.mark.parametrize("tool", names.TOOLS)
def test_every_name_of_every_tool_is_understood(tool: str) -> None:
    for name, means in names.TOOLS[tool].items():
        base = "rbp.80" if name == "rbp" else name
        if name != means and names.AMBIGUOUS.get(name):
            continue
        assert names.parse_all([base])[0].name == rw.parse(means).name, name


def test_every_measure_of_ir_measures_is_in_its_table() -> None:
    assert {measure.NAME for measure in ir_measures.measures.registry.values()} <= set(names.TOOLS["ir_measures"])


def test_a_level_of_relevance_is_for_measures_that_do_not_say_their_own() -> None:
    asked = ["AP", "P(rel=1)@5", "map@100-l3", "nDCG@10", rw.RR, rw.AP(rel=3), "NumRel", "Rndcg"]
    told = ["AP(rel=2)", "P@5", "AP(rel=3)@100", "nDCG@10", "RR(rel=2)", "AP(rel=3)", "NumRel(rel=2)", "Rndcg(rel=2)"]
    assert list(map(str, names.parse_all(asked, rel=2))) == told


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("AP", "map"),
        ("AP@10", "map_cut_10"),
        ("AP(rel=2)", "map"),
        ("AP(rel=3)", None),
        ("AP(norm=found)", None),
        ("nDCG(gain=exp2)", None),
        ("nDCG(gain={1: 3})", "ndcg_1=3"),
        ("IPrec@0.25", "iprec_at_recall_0.25"),
        ("IPrec", "iprec_at_recall_0.00"),
        ("RprecMult", "Rprec_mult_1.00"),
        ("R(norm=min(k,R))@5", "relative_P_5"),
        ("RR@10", None),
        ("RBP", None),
        ("rbp_resid(p=0.5)", "rbp_resid_p=0.5"),
        ("gmean(AP)", "gm_map"),
        ("gmean(RR)", None),
        ("NumRel(rel=2)", "num_rel"),
        ("HitCount", None),
        ("utility(hit=2, miss=0.5)", "utility_2,-1,0.5,0"),
    ],
)
def test_the_name_that_trec_eval_prints(text: str, label: str | None) -> None:
    """As if it were called with `-l 2`."""
    found = names.trec_name(names.parse_all([text], rel=2)[0], 2)
    assert (found and found[1]) == label


def test_another_level_of_relevance_than_that_of_all_has_no_name_in_trec_eval() -> None:
    (one,) = names.parse_all(["P(rel=1)@5"], rel=2)
    assert names.trec_name(one, 2) is None
    assert names.trec_name(one) == (names.trec_name(rw.parse("P@5")))
    assert names.trec_name(rw.parse("P(rel=2)@5")) is None


def test_names_that_are_printed_as_typed_know_the_level_of_relevance() -> None:
    assert names.written_for_trec(["utility.2,-1,0,0", "AP"], 2) == {
        rw.parse("utility(rel=2, hit=2)"): "utility_2,-1,0,0"
    }


def test_gains_by_a_scale_of_grades_take_no_level_of_relevance() -> None:
    asked = ["INST(max_grade=3)", "INST", ir_measures.AP(rel=3), "AP"]
    told = ["INST(max_grade=3)", "INST(rel=2)", "AP(rel=3)", "AP(rel=2)"]
    assert list(map(str, names.parse_all(asked, rel=2))) == told


@pytest.mark.parametrize("measure", rw.CATALOGUE.values(), ids=str)
def test_other_names_of_a_measure_are_attributes_that_give_the_same_measure(measure: rw.Measure) -> None:
    assert all(getattr(rw, alias) is measure for alias in (measure.name, *measure.definition.aliases))


def test_names_as_other_libraries_have_them_are_attributes() -> None:
    assert (rw.HitRate, rw.MRR, rw.MAP, rw.Recall) == (rw.Success, rw.RR, rw.AP, rw.R)


@pytest.mark.parametrize(
    ("several", "each"),
    [
        ("R@1,10", ["R@1", "R@10"]),
        ("nDCG(gain=exp2)@5, 10", ["nDCG(gain=exp2)@5", "nDCG(gain=exp2)@10"]),
        ("MRR@1,3,5", ["MRR@1", "MRR@3", "MRR@5"]),
        ("IPrec@0.1,0.2", ["IPrec@0.1", "IPrec@0.2"]),
        (rw.nDCG @ [5, 10], [rw.nDCG @ 5, rw.nDCG @ 10]),
        (rw.nDCG @ [5], [rw.nDCG @ 5]),
    ],
)
def test_several_cutoffs_are_one_measure_each(several: object, each: list[object]) -> None:
    assert names.parse_named(several) == names.parse_named(each)
    assert rw.evaluate({"q": {"a": 2}}, {"q": ["b", "a"]}, several).mean() == (
        rw.evaluate({"q": {"a": 2}}, {"q": ["b", "a"]}, each).mean()
    )


@pytest.mark.parametrize("text", ["nDCG@10,AP", "R@1,,10", "R@1,"])
def test_several_measures_in_one_text_are_refused(text: str) -> None:
    with pytest.raises(MeasureError) as caught:
        names.parse_named(text)
    assert caught.value.slug in {"bad-cutoff", "measure-syntax"}


def test_one_measure_is_not_several_cutoffs() -> None:
    with pytest.raises(MeasureError, match="stands for 2 measures: R@1, R@10"):
        rw.parse("R@1,10")


@pytest.mark.parametrize(
    "text",
    [
        "gmean(gmean(AP))",
        f"{'gmean(' * 200}AP{')' * 200}",
        f"{'gmean(' * 20_000}AP{')' * 20_000}",
        f"P(rel={'-' * 3_000}1)@5",
        f"P(rel={'1+' * 5_000}1)@5",
        f"nDCG(gain={'-' * 100_000}1)",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_nested_without_end_is_refused_in_few_words(text: str) -> None:
    for asked in (text, ["RR", text]):
        with pytest.raises(MeasureError) as caught:
            names.parse_all([asked] if isinstance(asked, str) else asked)
        assert caught.value.slugs == ("measure-syntax",)
        assert len(str(caught.value)) < 1_000


# Names of two measures, and what people mean


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("accuracy", ("Success", "Accuracy")),
        ("accuracy@2", ("Success@2", "Accuracy@2")),
        ("ACCURACY_2", ("Success@2", "Accuracy@2")),
        ("accuracy(rel=2)@10", ("Success(rel=2)@10", "Accuracy(rel=2)@10")),
        ("hits@5", ("Success@5", "HitCount@5")),
        ("Hits@5", ("Success@5", "HitCount@5")),
        ("HITS", ("Success", "HitCount")),
        ("sDCG@10", ("SDCG@10", "DCG@10")),
    ],
)
def test_a_name_of_two_measures_is_refused_with_both(text: str, both: tuple[str, str]) -> None:
    with pytest.raises(MeasureError) as caught:
        names.parse(text)
    assert caught.value.slug == "ambiguous-measure"
    for measure in both:
        assert f" {measure}, " in str(caught.value)
        assert str(names.parse(measure)) == measure
    with pytest.raises(MeasureError, match="the name of two measures"):
        rw.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR", text])


def test_only_other_spellings_of_a_measure_are_ambiguous() -> None:
    for folded, meanings in names.AMBIGUOUS.items():
        for measure in meanings:
            assert str(names.parse(measure)) == measure
        with pytest.raises(MeasureError, match="the name of two measures"):
            names.parse(folded)


@pytest.mark.parametrize(
    ("profile", "text", "measure"),
    [
        ("sentence-transformers", "accuracy@2", "Success@2"),
        ("ranx", "hits@2", "HitCount@2"),
        ("elinor", "hits@2", "HitCount@2"),
    ],
)
def test_under_the_profile_of_its_tool_an_ambiguous_name_is_clear(profile: str, text: str, measure: str) -> None:
    [resolved] = rw.PROFILES[profile].ask([text])
    assert (resolved.label, resolved.quantity.name) == (text, names.parse(measure).name)


def test_accuracy_is_the_hit_rate_where_sentence_transformers_is_meant() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    run = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 2.0, "x": 1.0}, "q3": {"x": 2.0, "y": 1.0}}
    assert rw.evaluate(qrels, run, ["Success@2"])["Success@2"] == 2 / 3
    found = rw.evaluate(qrels, run, ["accuracy@2"], profile="sentence-transformers")
    assert found["accuracy@2"] == 2 / 3


def unknown(text: str) -> str:
    """What is said of a name that no measure has."""
    with pytest.raises(MeasureError) as caught:
        names.parse(text)
    assert caught.value.slug == "unknown-measure"
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("AUROC@10", "it is AUC@10 here, of each query; --ties expected counts a tie as half"),
        ("GAUC", "weights of queries make it GAUC"),
        ("R_cap@100", "did you mean R(norm=min(k,R))@100?"),
        ("HR20", "did you mean Success@20?"),
        ("acc@1", "did you mean Success@1?"),
        ("top-k-accuracy@5", "did you mean Success@5?"),
        ("GMAP@10", "did you mean gmean(AP@10)?"),
        ("cg@5", "did you mean DCG(discount=none)@5?"),
        ("f2@5", "did you mean F(beta=2)@5?"),
        ("ndcg_at_10", "did you mean nDCG@10?"),
        ("precision_at_k", "did you mean P?"),
        ("accuracy_at_1", "did you mean Success@1?"),
        ("statAP", "for one uniform sample of a pool there is infAP"),
        ("xinfAP", "for one uniform sample of a pool there is infAP"),
        ("emap", "-m AP --bounds unjudged"),
        ("kendall", "it compares two rankings, or two orders of systems: rankworth correlate"),
        ("tau_ap", "rankworth correlate"),
        ("RBO", "rankworth correlate"),
        ("Cohen_kappa", "rankworth correlate --judges"),
        ("RMSE", "it judges predicted numbers"),
        ("nDGC@10", "did you mean nDCG?"),
    ],
)
def test_what_people_mean_goes_before_what_is_spelt_alike(text: str, answer: str) -> None:
    assert answer in unknown(text)


def test_whatever_is_proposed_for_a_name_can_be_measured() -> None:
    assert not [name for name in names.MEANT if name in names.AMBIGUOUS]
    for name, (measure, _) in names.MEANT.items():
        assert str(names.parse(measure)) == measure
        for asked, proposed in ((name, measure), (f"{name}@3", str(names.parse(measure) @ 3))):  # type: ignore[operator]
            assert proposed in unknown(asked)
            assert rw.score([1, 0], proposed) == rw.score([1, 0], rw.parse(proposed)), asked

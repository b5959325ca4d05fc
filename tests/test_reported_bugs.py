"""What users reported of other tools does not happen here: ideals that shrink, ties that decide, copies that count.

Every test is named after a thread, by project and number, and shows the fault described there on a small input. Where
the tool has a profile, the profile has the tool's number, and says what is wrong with it.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain, permutations
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import rankworth as rw
from generators import as_options
from helpers import command_of
from rankworth.measures import CATALOGUE, Measure

# One query is few, and lists are short; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Grades = dict[str, float]
Scores = dict[str, float]

ALPHABET: Final = "abcdefghijklmnopqrst"
NORMALISED: Final[list[Measure]] = [
    one
    for one in CATALOGUE.values()
    if one.definition.range == (0.0, 1.0)
    and not one.definition.subtopics
    and one.name not in ("Judged", "Unjudged", "Hole")
]
"""Measures of relevance that lie between 0 and 1."""
POLICIES: Final = ("best", "first", "last", "once")
"""What may become of a document that is ranked twice."""


def discounted(*gains: float) -> float:
    """The sum of gains over the logarithms of their ranks plus one."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def listed(documents: Iterable[str]) -> Scores:
    """A run in which documents stand as they are listed."""
    return {document: -float(place) for place, document in enumerate(documents)}


def tied(documents: Iterable[str]) -> Scores:
    """What a scorer says that gives every document the same score."""
    return dict.fromkeys(documents, 0.5)


def worth(measure: str, grades: Grades, scores: Scores, **settings: Any) -> float:
    """The value of one query."""
    return rw.evaluate({"q": grades}, {"q": scores}, [measure], **as_options(settings))[measure]


def rows(documents: Sequence[str]) -> pl.DataFrame:
    """A run that may list a document twice."""
    scores = [-float(place) for place in range(len(documents))]
    return pl.DataFrame({"query": ["q"] * len(documents), "document": list(documents), "score": scores})


def worth_of_rows(measure: str, grades: Grades, documents: Sequence[str], **settings: Any) -> float:
    """The value of one query whose list may repeat itself."""
    return rw.evaluate({"q": grades}, rows(documents), [measure], **as_options(settings))[measure]


def defects(measure: str, grades: Grades, scores: Scores, profile: str) -> str:
    """What a profile says is wrong with the number of its tool."""
    values = rw.evaluate({"q": grades}, {"q": scores}, [measure], profile=profile)
    return " ".join(notice.text for notice in values.notices if notice.slug == "known-defect")


def assert_copies_gain_nothing(grades: Grades, documents: Sequence[str]) -> None:
    """A list that repeats itself is refused; by any policy every measure stays between 0 and 1.

    Where the first copy counts, a list is worth as much as without its copies: with their ranks closed up (`first`), or
    with a document that nobody judged in the place of each copy (`once`).
    """
    with pytest.raises(rw.InputError) as caught:
        worth_of_rows("nDCG", grades, documents)
    assert caught.value.slug == "duplicate-document"
    without = list(dict.fromkeys(documents))
    replaced = [
        document if document not in documents[:place] else f"copy in place {place}"
        for place, document in enumerate(documents)
    ]
    measures = [one.name for one in NORMALISED]
    for policy in POLICIES:
        values = rw.evaluate({"q": grades}, rows(documents), measures, duplicates=policy).mean()
        assert all(0 <= value <= 1 for value in values.values()), (policy, values)
    for policy, same in (("first", without), ("best", without), ("once", replaced)):
        values = rw.evaluate({"q": grades}, rows(documents), measures, duplicates=policy).mean()
        assert values == rw.evaluate({"q": grades}, rows(same), measures).mean(), policy


# Wish 2: nDCG and average precision inflated by a wrong ideal ranking or divisor.


def test_mlflow_24541_a_short_list_does_not_shorten_the_ideal_ranking() -> None:
    """One of five relevant documents was 1.0, for the ideal ranking was cut at the one document that came back."""
    grades, scores = dict.fromkeys("abcde", 1.0), listed("a")
    assert worth("nDCG@5", grades, scores) == 1 / discounted(1, 1, 1, 1, 1) == pytest.approx(0.3391602052736161)
    assert worth("ndcg_at_5", grades, scores, profile="mlflow-3.17") == 1.0
    assert "24541" in defects("ndcg_at_5", grades, scores, "mlflow-3.17")


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_mlflow_24543_and_24553_relevant_documents_that_nobody_found_win_no_rank(order: Sequence[str]) -> None:
    """With the right cutoff, documents that were not found came into the first k ranks as ties, and were credited."""
    grades = dict.fromkeys(order, 1.0)
    assert worth("nDCG@3", grades, listed("c")) == 1 / discounted(1, 1, 1)


def test_elasticsearch_154362_one_hit_of_five_is_not_perfect() -> None:
    grades, scores = dict.fromkeys("abcde", 1.0), listed("a")
    assert worth("nDCG(gain=exp2)@10", grades, scores) == 1 / discounted(1, 1, 1, 1, 1)
    assert worth("dcg(normalize=true)@10", grades, scores, profile="elasticsearch-9") == 1.0
    assert "154362" in defects("dcg(normalize=true)@10", grades, scores, "elasticsearch-9")


def test_opensearch_search_relevance_191_no_list_is_worth_more_than_the_best_one() -> None:
    """An nDCG of 1.31 was seen with graded judgements and more of them than ranks."""
    grades = {"a": 1.0, "b": 0.1, "c": 0.01, "d": 1.0, "e": 0.0}
    for measure in ("nDCG@3", "nDCG(gain=exp2)@3", "nDCG", "nDCG(gain=exp2)"):
        values = {order: worth(measure, grades, listed(order)) for order in permutations(grades)}
        assert max(values.values()) == 1.0
        assert values["a", "d", "b", "c", "e"] == 1.0
        assert min(values.values()) > 0


def test_opensearch_search_relevance_39_what_was_not_found_counts_in_average_precision_and_ndcg() -> None:
    grades = dict.fromkeys("abcd", 1.0)
    scores = listed(["a", "x", "b"])
    assert worth("AP", grades, scores) == (1 / 1 + 2 / 3) / 4
    assert worth("nDCG@10", grades, scores) == discounted(1, 0, 1) / discounted(1, 1, 1, 1)
    assert worth("MAP@10", grades, scores, profile="opensearch-3.4") == 0.42  # rounded to two decimals


def test_quepid_836_the_ideal_ranking_holds_rated_documents_that_were_not_returned() -> None:
    grades = {"returned": 1.0, "better": 3.0}
    assert worth("nDCG(gain=exp2)@10", grades, listed(["returned"])) == 1 / discounted(7, 1)
    assert worth("nDCG@10", grades, listed(["returned"]), profile="quepid-8.6") == 1 / discounted(7, 1)


def test_quepid_77_ten_poor_documents_are_perfect_only_if_no_better_one_is_known() -> None:
    """The score was 100 whatever was rated, for the ideal ranking was that of the list."""
    poor = dict.fromkeys(ALPHABET[:10], 1.0)
    assert worth("nDCG(gain=exp2)@10", poor, listed(poor)) == 1.0
    value = worth("nDCG(gain=exp2)@10", poor | {"excellent": 3.0}, listed(poor))
    assert value == pytest.approx(discounted(*[1] * 10) / discounted(7, *[1] * 9), rel=1e-15)
    assert value < 0.44


def test_quepid_1387_one_document_of_the_best_grade_has_a_value_that_can_be_told() -> None:
    """0.06, 0.22 and 1.00 were seen: by how many other documents are rated, and whether the ideal ranking is cut."""
    scores = listed(["d0"])

    def value(rated: int, measure: str, **settings: Any) -> float:
        return round(worth(measure, {f"d{number}": 3.0 for number in range(rated)}, scores, **settings), 2)

    assert value(1, "nDCG(gain=exp2)@10") == 1.00
    assert value(10, "nDCG(gain=exp2)@10") == value(75, "nDCG(gain=exp2)@10") == 0.22
    assert value(75, "nDCG_CUT@10", profile="quepid-8.6") == 0.22
    assert value(75, "nDCG@10", profile="quepid-8.6") == 0.06


def test_haystack_7758_several_relevant_documents_are_all_looked_for() -> None:
    retrieved = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    grades = dict.fromkeys(["one", "two", "three", "four", "seven"], 1.0)
    assert worth("AP", grades, listed(retrieved)) == (1 + 1 + 1 + 1 + 5 / 7) / 5
    assert worth("RR", grades, listed(retrieved)) == 1.0
    assert worth("DocumentMAPEvaluator", grades, listed(retrieved), profile="haystack-3.4") == (4 + 5 / 7) / 5
    assert worth("DocumentMRREvaluator", grades, listed(retrieved), profile="haystack-3.4") == 1.0


def test_haystack_12255_average_precision_divides_by_what_is_relevant_and_not_by_what_was_found() -> None:
    grades = {"a": 1.0, "b": 1.0}
    assert worth("AP", grades, listed("a")) == 0.5
    assert worth_of_rows("AP", grades, "aa", duplicates="once") == 0.5
    assert worth_of_rows("DocumentMAPEvaluator", grades, "aa", profile="haystack-3.4") == 0.5


def test_spiceai_12277_missed_documents_and_unanswered_queries_cost_something() -> None:
    """The ideal was that of the list; queries without results left the mean, which was NaN if there was no other."""
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    measures = ["nDCG@10", "R@10", "RR@10", "P@10"]
    values = rw.evaluate(qrels, {"q1": {"a": 1.0}}, measures).mean()
    half = 1 / discounted(1, 1) / 2
    assert values == {"nDCG@10": half, "R@10": 0.25, "RR@10": 0.5, "P@10": 0.05}
    nothing = rw.evaluate(qrels, {"q1": {"x": 1.0}}, measures).mean()
    assert nothing == dict.fromkeys(measures, 0.0)


def test_memorybench_67_recall_is_not_the_hit_rate() -> None:
    """What was relevant was taken from what was found, so that one of twenty documents was a recall of 1."""
    grades = dict.fromkeys(ALPHABET, 1.0)
    values = rw.evaluate({"q": grades}, {"q": listed(["a", "x"])}, ["Success@10", "R@10", "F@10", "nDCG@10"]).mean()
    precision, recall = 1 / 10, 1 / 20
    assert values["Success@10"] == 1.0
    assert values["R@10"] == recall
    assert values["F@10"] == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-15)
    assert values["nDCG@10"] == pytest.approx(1 / discounted(*[1] * 10), rel=1e-15)


@pytest.mark.parametrize(("rank", "value"), [(1, 1.0), (2, 1 / math.log2(3)), (3, 0.5)])
def test_openagent_eval_223_the_second_rank_is_worth_less_than_the_first(rank: int, value: float) -> None:
    order = ["x", "y"]
    order.insert(rank - 1, "a")
    assert worth("nDCG@3", {"a": 1.0}, listed(order)) == value


def test_lkpy_309_the_list_and_the_ideal_are_cut_at_the_same_rank() -> None:
    """An ideal that was not cut made 0.7344 of 0.8889, and a list that was not cut made 1.21 of 1."""
    grades = {"1": 3.0, "2": 5.0, "3": 4.0}
    assert worth("nDCG(discount=rank)@2", grades, listed("12")) == (3 + 5) / (5 + 4)
    for cutoff in (1, 2, 3, 10):
        assert worth(f"nDCG(discount=rank)@{cutoff}", grades, listed("231")) == 1.0


def test_llama_index_17070_the_ideal_is_not_that_of_the_retrieved_ids() -> None:
    grades = dict.fromkeys("abc", 1.0)
    assert worth("nDCG@3", grades, listed(["a", "x", "y"])) == 1 / discounted(1, 1, 1)
    assert worth("ndcg@3", grades, listed(["a", "x", "y"]), profile="llama_index-0.14") == 1 / discounted(1, 1, 1)


def test_o19s_search_metrics_3_a_list_in_the_best_order_that_misses_the_best_document_is_not_perfect() -> None:
    grades = {"best": 3.0, "good": 2.0, "fair": 1.0}
    assert worth("nDCG@10", grades, listed(["good", "fair"])) == discounted(2, 1) / discounted(3, 2, 1)
    assert worth("nDCG(ideal=retrieved)@10", grades, listed(["good", "fair"])) == 1.0


def test_matchzoo_598_relevant_documents_of_the_collection_are_in_the_ideal_ranking() -> None:
    grades = {"w": 0.0, "x": 1.0, "y": 2.0, "z": 0.0, "unseen a": 2.0, "unseen b": 1.0}
    scores = {"w": 0.4, "x": 0.2, "y": 0.5, "z": 0.7}
    value = worth("nDCG@4", grades, scores)
    assert value == pytest.approx(discounted(0, 2, 0, 1) / discounted(2, 2, 1, 1), rel=1e-15)
    assert value < discounted(0, 2, 0, 1) / discounted(2, 1)


def test_toolbench_184_what_is_relevant_does_not_depend_on_the_first_hits() -> None:
    grades = dict.fromkeys("abcd", 1.0)
    assert worth("nDCG@2", grades, listed(["a", "x", "b", "c"])) == 1 / discounted(1, 1)
    assert worth("nDCG@5", grades, listed(["a", "x"])) == pytest.approx(1 / discounted(1, 1, 1, 1), rel=1e-15)


def test_neural_graph_collaborative_filtering_34_another_hit_never_lowers_ndcg() -> None:
    """One hit at the first rank was perfect, and one more at the third made it worse."""
    grades = dict.fromkeys("abc", 1.0)
    one, two = (worth("nDCG@3", grades, listed(order)) for order in ("axy", "axb"))
    assert (one, two) == (1 / discounted(1, 1, 1), discounted(1, 0, 1) / discounted(1, 1, 1))
    assert one < two


def test_askoff_search_4_a_list_that_gets_shorter_never_gets_better() -> None:
    grades = dict(zip("abcdef", (3.0, 2.0, 0.0, 1.0, 3.0, 1.0), strict=True))
    values = [worth("nDCG@5", grades, listed("abcdef"[:length])) for length in range(1, 7)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(3 / discounted(3, 3, 2, 1, 1), rel=1e-15)


def test_autorag_386_one_of_three_relevant_documents_is_not_perfect() -> None:
    assert worth("nDCG", dict.fromkeys("abc", 1.0), listed(["a", "w", "x", "y"])) == 1 / discounted(1, 1, 1)


def test_ranking_metrics_torch_1_a_cutoff_has_its_value_alone_and_beside_others() -> None:
    grades = dict(zip("abcde", (10.0, 0.0, 0.0, 1.0, 5.0), strict=True))
    scores = dict(zip("abcde", (0.1, 0.2, 0.3, 4.0, 70.0), strict=True))
    alone = worth("nDCG@3", grades, scores)
    beside = rw.evaluate({"q": grades}, {"q": scores}, ["nDCG@5", "nDCG@3"])
    assert alone == beside["nDCG@3"] == pytest.approx(0.4124, abs=5e-5)
    assert beside["nDCG@5"] == pytest.approx(0.6957, abs=5e-5)


# Wish 3: ties decide.

CANDIDATES: Final = [f"d{number:02}" for number in range(20)]
"""The first is relevant."""


def test_mteb_5092_a_constant_scorer_gains_nothing_by_the_order_of_its_candidates() -> None:
    """A list that names the relevant candidate first had a reciprocal rank of 1, and an nDCG of 0."""
    grades = {"d00": 1.0}
    for order in (CANDIDATES, CANDIDATES[::-1]):
        values = rw.evaluate({"q": grades}, {"q": tied(order)}, ["RR@10", "RR", "nDCG@10"]).mean()
        assert values == {"RR@10": 0.0, "RR": 1 / 20, "nDCG@10": 0.0}
    expected = worth("RR@10", grades, tied(CANDIDATES), ties="expected")
    assert expected == pytest.approx(sum(1 / rank for rank in range(1, 11)) / 20, rel=1e-12)


@pytest.mark.parametrize("measure", ["MRR@10", "R_cap_at_10", "Accuracy@10", "Hole_at_10", "NDCG@10", "MAP@10"])
def test_mteb_5136_every_measure_of_a_profile_sees_one_order_of_ties(measure: str) -> None:
    grades = {"d00": 1.0, "d15": 0.0}
    values = {
        worth(measure, grades, tied(order), profile="mteb-2.26", nan="zero", no_queries="zero", no_hit="keep")
        for order in (CANDIDATES, CANDIDATES[::-1])
    }
    assert values == {0.9 if measure.startswith("Hole") else 0.0}


def test_mteb_5241_the_same_scores_in_another_order_are_the_same_ranking() -> None:
    grades = {"d00": 1.0, "d07": 2.0}
    measures = [one.name for one in NORMALISED]
    forward, backward = (
        rw.evaluate({"q": grades}, {"q": tied(order)}, measures).mean() for order in (CANDIDATES, CANDIDATES[::-1])
    )
    assert forward == backward


def test_mteb_5376_the_query_itself_is_taken_out_by_its_id_and_not_as_the_first_of_a_tie() -> None:
    """The first document was dropped, which was the query or its duplicate, as the rows came."""
    qrels = {"q": {"duplicate": 1.0, "other": 1.0}}
    for order in (["q", "duplicate", "other"], ["duplicate", "q", "other"]):
        run = {"q": {document: 0.5 if document == "other" else 1.0 for document in order}}
        values = rw.evaluate(qrels, run, ["nDCG@1", "R@3"], exclude="self").mean()
        assert values == {"nDCG@1": 1.0, "R@3": 1.0}


def test_trec_eval_22_names_of_documents_decide_ties_unless_their_expected_value_is_asked_for() -> None:
    """Two runs that differ in the name of one document were 1.0 and 0.6309."""
    grades = {"a": 0.0, "b": 1.0, "c": 0.0}
    first, second = tied("ba"), tied("bc")
    assert [worth("nDCG", grades, run) for run in (first, second)] == [1.0, 1 / math.log2(3)]
    assert [worth("ndcg", grades, run, profile="trec_eval-10.0") for run in (first, second)] == [1.0, 1 / math.log2(3)]
    assert [worth("nDCG", grades, run, ties="given") for run in (first, second)] == [1.0, 1.0]
    expected = [worth("nDCG", grades, run, ties="expected") for run in (first, second)]
    assert expected == [pytest.approx((1 + 1 / math.log2(3)) / 2, rel=1e-15)] * 2


def test_ir_measures_18_measures_of_one_call_break_ties_alike() -> None:
    """Reciprocal ranks with a cutoff and without one had opposite orders of ties."""
    grades, scores = {"0": 0.0, "1": 1.0}, tied("01")
    here = rw.evaluate({"q": grades}, {"q": scores}, ["RR", "RR@10", "P@1"]).mean()
    assert here == {"RR": 1.0, "RR@10": 1.0, "P@1": 1.0}
    there = rw.evaluate({"q": grades}, {"q": scores}, ["RR", "RR@10", "P@1"], profile="ir_measures-0.4").mean()
    assert there == {"RR": 1.0, "RR@10": 0.5, "P@1": 1.0}


def test_sentence_transformers_3989_reciprocal_rank_does_not_depend_on_the_order_of_candidates() -> None:
    grades = {"b": 1.0}
    orders = list(permutations("abcd"))
    assert {worth("RR", grades, tied(order)) for order in orders} == {1 / 3}
    mean = pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, rel=1e-12)
    assert [worth("RR", grades, tied(order), ties="expected") for order in orders] == [mean] * len(orders)
    assert {worth("mrr@10", grades, tied(order), profile="sentence-transformers-6") for order in orders} == {1 / 2}


def test_torchmetrics_2031_documents_with_equal_scores_share_the_weights_of_their_ranks() -> None:
    """Its nDCG took ties as they came; it shares their weights now."""
    grades = dict(zip("abcde", (10.0, 0.0, 0.0, 1.0, 5.0), strict=True))
    scores = dict(zip("abcde", (1.0, 0.0, 0.0, 0.0, 1.0), strict=True))
    shared = (10 + 5) * discounted(1, 1) / 2 + 1 * discounted(0, 0, 1, 1, 1) / 3
    for order in ("abcde", "edcba"):
        run = {document: scores[document] for document in order}
        expected = pytest.approx(shared / discounted(10, 5, 1), rel=1e-15)
        assert worth("nDCG", grades, run, ties="expected") == expected
        assert worth("retrieval_normalized_dcg", grades, run, profile="torchmetrics-1.9") == expected
        assert worth("nDCG", grades, run) == discounted(5, 10, 1) / discounted(10, 5, 1)


@pytest.mark.parametrize("ties", ["id-descending", "id-ascending", "given", "given-reversed", "expected"])
def test_lightgbm_3363_ties_are_not_settled_in_favour_of_the_run(ties: Any) -> None:
    """The relevant one of tied documents came first, whoever it was."""
    values = [worth("nDCG", {relevant: 1.0}, tied("abc"), ties=ties) for relevant in "abc"]
    shares = [1.0, 1 / math.log2(3), 0.5]
    assert sum(values) == pytest.approx(sum(shares), rel=1e-15)
    assert (sorted(values) == sorted(shares)) != (ties == "expected")


def test_scholar_360_a_constant_model_is_worth_what_chance_is() -> None:
    grades = dict(zip("abcde", (10.0, 0.0, 0.0, 1.0, 5.0), strict=True))

    def value(*scores: float) -> float:
        return worth("nDCG", grades, dict(zip("abcde", scores, strict=True)), ties="expected")

    assert value(1, 1, 1, 1, 1) == pytest.approx(0.690979, abs=5e-7)
    assert value(1, 1, 1, 0.5, 0.5) == pytest.approx(0.699812, abs=5e-7)
    assert value(0.1, 0.2, 0.3, 4, 70) == pytest.approx(0.695694, abs=5e-7)


def test_pytrec_eval_56_a_perfect_value_that_is_only_a_tie_can_be_told_from_a_perfect_list() -> None:
    """Three tied documents were worth 1, because the last name was the relevant one."""
    grades, scores = {"d3": 1.0}, tied(["d1", "d2", "d3"])
    assert worth("AP", grades, scores) == worth("map", grades, scores, profile="pytrec_eval-terrier-0.5") == 1.0
    assert worth("AP", grades, scores, ties="expected") == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, rel=1e-12)
    assert worth("AP", grades, listed(["d1", "d2", "d3"])) == 1 / 3


# Wish 9: values above 1 from duplicates.


def test_haystack_11959_a_document_that_is_found_twice_is_no_second_hit() -> None:
    """Its nDCG was 1.63."""
    assert_copies_gain_nothing({"a": 1.0}, "aa")
    assert worth_of_rows("nDCG", {"a": 1.0}, "aa", duplicates="once") == 1.0
    assert worth_of_rows("DocumentNDCGEvaluator", {"a": 1.0}, "aa", profile="haystack-3.4") == 1.0


def test_llama_index_22683_ids_that_repeat_leave_values_between_0_and_1() -> None:
    """Hit rate and average precision were 2, nDCG was 1.63."""
    assert_copies_gain_nothing({"id1": 1.0}, ["id1", "id1"])
    for measure, value in (("R", 1.0), ("AP", 1.0), ("nDCG", 1.0)):
        assert worth_of_rows(measure, {"id1": 1.0}, ["id1", "id1"], duplicates="first") == value
    for measure, value in (("hit_rate(use_granular_hit_rate=True)", 2.0), ("ap", 2.0), ("ndcg", discounted(1, 1))):
        there = worth_of_rows(measure, {"id1": 1.0}, ["id1", "id1"], profile="llama_index-0.14")
        assert there == pytest.approx(value, rel=1e-15)


def test_trulens_2746_recall_counts_documents_and_not_rows() -> None:
    """A, A and X were a recall of 2; of two documents one found twice was a recall of 1."""
    assert_copies_gain_nothing({"A": 1.0}, ["A", "A", "X"])
    assert_copies_gain_nothing({"A": 1.0, "B": 1.0}, ["A", "A"])
    assert worth_of_rows("R@3", {"A": 1.0}, ["A", "A", "X"], duplicates="first") == 1.0
    assert worth_of_rows("R@3", {"A": 1.0, "B": 1.0}, ["A", "A"], duplicates="first") == 0.5


def test_gbrain_4631_the_run_that_repeats_itself_does_not_win() -> None:
    """A page that came three times had a recall of 1.5 and an nDCG of 1.3."""
    grades = {"a": 1.0, "b": 1.0}
    assert_copies_gain_nothing(grades, "aaa")
    values = rw.evaluate({"q": grades}, rows("aaa"), ["R@3", "P@3", "nDCG@3"], duplicates="once").mean()
    assert values == {"R@3": 0.5, "P@3": 1 / 3, "nDCG@3": 1 / discounted(1, 1)}
    other = rw.evaluate({"q": grades}, rows("axb"), ["R@3", "P@3", "nDCG@3"]).mean()
    assert all(other[measure] > values[measure] for measure in values)


def test_dokimos_110_precision_counts_documents_and_not_rows_too() -> None:
    assert_copies_gain_nothing({"a": 1.0}, "aab")
    values = rw.evaluate({"q": {"a": 1.0}}, rows("aab"), ["R", "P"], duplicates="first").mean()
    assert values == {"R": 1.0, "P": 0.5}


def test_trectools_52_judgements_that_are_written_twice_change_nothing() -> None:
    """Each copy was a document of its own in the ideal ranking, and a hit of its own in average precision."""
    written = [("q", "a", 3), ("q", "b", 1), ("q", "c", 0)]
    run = rows(["c", "a", "b"])

    def judged(rows_of_judgements: list[tuple[str, str, int]]) -> pl.DataFrame:
        return pl.DataFrame(rows_of_judgements, schema=["query", "document", "grade"], orient="row")

    with pytest.raises(rw.InputError) as caught:
        rw.evaluate(judged(written * 2), run, ["nDCG"])
    assert caught.value.slug == "duplicate-judgement"
    measures = [one.name for one in NORMALISED]
    once = rw.evaluate(judged(written), run, measures).mean()
    for policy in ("max", "first", "last"):
        assert rw.evaluate(judged(written * 2), run, measures, duplicate_judgements=policy).mean() == once
    there = rw.evaluate(judged(written * 2), rows(["a", "x", "y"]), ["MAP@1000"], profile="trectools-0.0.50")
    assert there["MAP@1000"] == (1 + 2) / 4
    assert "counts again" in rw.PROFILES["trectools-0.0.50"].why["judging.duplicate_judgements"]


def test_mlflow_25965_copies_have_no_ids_of_their_own_that_could_be_relevant() -> None:
    """A second `a` was called `a_bc574ae_2`, which was a relevant document."""
    grades = {"a_bc574ae_2": 1.0}
    assert_copies_gain_nothing(grades, ["a", "a", "z"])
    for policy in POLICIES:
        assert worth_of_rows("nDCG@3", grades, ["a", "a", "z"], duplicates=policy) == 0.0


def test_pytrec_eval_50_a_list_with_copies_is_refused_until_it_is_said_which_of_them_counts() -> None:
    with pytest.raises(rw.InputError, match=r"query q ranks document a again (?s:.*)duplicates=.best") as caught:
        worth_of_rows("nDCG", {"a": 1.0, "b": 1.0}, "aab")
    assert caught.value.slug == "duplicate-document"
    assert_copies_gain_nothing({"a": 1.0, "b": 1.0}, "aab")


def test_mteb_3030_an_evaluation_that_is_repeated_gives_the_same_numbers() -> None:
    """Repeated evaluations of the same dicts gave NaN, and sometimes an nDCG above 1."""
    grades = {
        f"q{query}": {name: float((query + place) % 3) for place, name in enumerate("abcdef")} for query in range(9)
    }
    scores = {
        f"q{query}": {name: float((query * place) % 4) for place, name in enumerate("afbecd")} for query in range(9)
    }
    before = ({query: dict(row) for query, row in grades.items()}, {query: dict(row) for query, row in scores.items()})
    measures = [f"nDCG@{cutoff}" for cutoff in (1, 3, 5, 10)] + ["AP", "RR", "R@3", "P@3"]
    found = [rw.evaluate(grades, scores, measures).per_query.to_dict() for _ in range(5)]
    assert all(one == found[0] for one in found)
    assert all(0 <= value <= 1 for row in found[0].values() for value in row.values())
    assert (grades, scores) == before


# learning to rank: labels and scores of rows in files, a command each

Groups = Sequence[tuple[Sequence[float], Sequence[float]]]
"""Labels and scores of the rows of each query."""
TIED: Final[Groups] = [([1, 0], [0.5, 0.5])]
GRADED: Final[Groups] = [([1, 0, 4], [3, 2, 1])]
EMPTY: Final[Groups] = [([1, 0], [2, 1]), ([0, 0], [2, 1])]

RANKER_THREADS: Final[dict[str, tuple[Groups, str, str, float]]] = {
    "LightGBM 3363: tied rows stand in their order": (TIED, "lightgbm-4", "ndcg@2", 1.0),
    "CatBoost 2206: tied rows stand lower label first": (TIED, "catboost-1.2", "NDCG", discounted(0, 1)),
    "ML.NET 6157: tied rows have a mean": (TIED, "standard-1+ties=expected", "RR", (1 + 1 / 2) / 2),
    "LightGBM 6823: a query of one row is 1": ([([3], [1]), ([0], [1])], "lightgbm-4", "ndcg@5", 1.0),
    "LightGBM 942: gains grow with two to the label": (
        GRADED,
        "lightgbm-4",
        "ndcg@3",
        discounted(1, 0, 15) / discounted(15, 1, 0),
    ),
    "XGBoost 11235: so do those of XGBoost": (
        GRADED,
        "xgboost-3",
        "ndcg@20",
        discounted(1, 0, 15) / discounted(15, 1, 0),
    ),
    "XGBoost 3875: the minus counts a query without relevant rows 0": (EMPTY, "xgboost-3", "ndcg@2-", 1 / 2),
    "XGBoost 2208: without it such a query is 1": (EMPTY, "xgboost-3", "map@2", 1.0),
    "XGBoost 1478: a name without a cutoff is cut at 32": (
        [([*[0] * 32, 1], [*range(33, 0, -1)]), ([1], [1])],
        "xgboost-3",
        "ndcg",
        1 / 2,
    ),
    "CatBoost 2081: NDCG's options are part of its name": (
        GRADED,
        "catboost-1.2",
        "NDCG:top=2;type=Base;denominator=LogPosition",
        1 / discounted(4, 1),
    ),
    "CatBoost 537: PFound takes labels for chances": ([([2, 1], [2, 1])], "catboost-1.2", "PFound:decay=0.5", 1.5),
    "allRank 25: as in gradient boosting, no relevant row is 1": (EMPTY, "allrank-1.4", "ndcg@2", 1.0),
    "LightGBM 6633: only ratios of gains matter": (
        GRADED,
        "standard-1",
        "nDCG(gain={1: 2, 4: 30})",
        discounted(1, 0, 15) / discounted(15, 1, 0),
    ),
}


@pytest.mark.parametrize("thread", RANKER_THREADS)
def test_threads_of_rankers_are_answered_by_a_command(
    thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    groups, profile, measure, expected = RANKER_THREADS[thread]
    profile, _, settings = profile.partition("+")
    monkeypatch.chdir(tmp_path)
    rows = [f"{label} qid:{query} 1:0.5\n" for query, (labels, _) in enumerate(groups) for label in labels]
    Path("test.svm").write_text("".join(rows))
    Path("scores.txt").write_text("".join(f"{score}\n" for score in chain(*(scores for _, scores in groups))))
    options = [
        word for setting in settings.split("+") if setting for word in ("--" + setting.replace("=", " ")).split()
    ]
    run = command_of(capsysbinary, "evaluate", "test.svm", "scores.txt", "--quiet")
    status, out, _ = run("-m", measure, "--profile", profile, *options)
    assert status == 0
    assert float(out.split()[-1]) == pytest.approx(expected, rel=1e-15)

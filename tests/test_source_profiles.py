"""Profiles that rest on a tool's source alone: worked by hand, or taken from the threads that are about the number."""

import json
import math
import warnings
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw

BY_SOURCE: Final = (
    *("elasticsearch-9", "haystack-3.4", "llama_index-0.14", "mlflow-3.17", "ms_marco", "opensearch-3.4"),
    *("quepid-8.6", "letor-4", "mslr", "tf-ranking-0.5", "allrank-1.4", "ranklib-2", "spark-mllib", "cornac-3"),
    "ignite-0.5",
)
FIVE: Final = {"q": dict.fromkeys("abcde", 3)}


def mean(profile: str, measure: str, qrels: Any, run: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, [measure], profile=profile)[measure]


@pytest.mark.parametrize("name", BY_SOURCE)
def test_a_profile_that_rests_on_source_alone_is_marked(name: str) -> None:
    assert rw.PROFILES[name].basis == "source"


def test_every_profile_that_is_marked_so_says_it_in_its_sentence() -> None:
    marked = {name: profile.sentence for name, profile in rw.PROFILES.items() if profile.basis == "source"}
    assert marked.keys() >= set(BY_SOURCE)
    assert [name for name, sentence in marked.items() if "by source only" not in sentence] == []


LISTS: Final = json.loads((Path(__file__).parent / "data" / "lists.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("profile", LISTS["tools"])
def test_tools_that_are_handed_lists_look_at_no_score(profile: str) -> None:
    """What the tools gave for lists whose scores are equal, rise, or contradict them."""
    for query, expected in LISTS["tools"][profile]["values"].items():
        gold = {query: dict.fromkeys(LISTS["gold"][query], 1)}
        for measure, value in expected.items():
            assert mean(profile, measure, gold, {query: list(map(tuple, LISTS["lists"][query]))}) == pytest.approx(
                value, abs=1e-12
            )


@pytest.mark.parametrize(
    "profile",
    [
        "trec_eval",
        "pytrec_eval-terrier",
        "ir_measures",
        "ranx",
        "beir",
        "mteb",
        "sentence-transformers",
        "torchmetrics",
    ],
)
def test_tools_that_sort_take_the_scores_of_lists(profile: str) -> None:
    run = {"q": [("c1", 0.1), ("c2", 0.9), ("c3", 0.5)]}
    assert rw.PROFILES[profile].judging.order == "score"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        found = rw.evaluate({"q": {"c3": 1}}, run, ["P@2"], profile=profile)
    assert list(found.mean().values()) == [0.5]
    assert "ranked_by" not in found.signature


# Elasticsearch, pull request 154362: five documents rated 3, ten asked for


def test_elasticsearch_gives_one_hit_of_five_the_best_score() -> None:
    assert mean("elasticsearch-9", "dcg(normalize=true)@10", FIVE, {"q": ["a"]}) == 1.0
    late = {"q": ["v", "w", "x", "y", "z", *"abcde"]}
    assert f"{mean('elasticsearch-9', 'dcg(normalize=true)@10', FIVE, late):.2f}" == "0.54"


def test_elasticsearch_takes_ten_hits_where_nothing_else_is_said() -> None:
    run = {"q": [*"0123456789", "a"]}
    assert mean("elasticsearch-9", "mean_reciprocal_rank", FIVE, run) == 0.0
    assert mean("elasticsearch-9", "mean_reciprocal_rank@11", FIVE, run) == 1 / 11


def test_elasticsearch_divides_precision_by_the_hits_that_came_back() -> None:
    assert mean("elasticsearch-9", "precision@10", FIVE, {"q": ["a", "x"]}) == 1 / 2
    assert mean("elasticsearch-9", "precision(ignore_unlabeled=true)", FIVE, {"q": ["a", "x"]}) == 1.0
    assert mean("elasticsearch-9", "precision@10", FIVE, {"q": ["a"], "r": ["a"]}) == 1.0


def test_elasticsearch_cuts_fractions_of_ratings_off() -> None:
    qrels = {"q": {"a": 1.9, "b": 0.9}}
    assert mean("elasticsearch-9", "dcg@10", qrels, {"q": ["a", "b"]}) == 1.0
    assert mean("elasticsearch-9", "expected_reciprocal_rank(maximum_relevance=1)", qrels, {"q": ["a", "b"]}) == 0.5


# OpenSearch: values of a query are rounded to two decimals, and queries without results have none


def test_opensearch_averages_rounded_values_of_the_queries_that_found_something() -> None:
    qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": ["a", "x"], "2": ["x", "y", "a"]}
    assert mean("opensearch-3.4", "Recall@10", qrels, run) == (0.33 + 1) / 2
    assert mean("opensearch-3.4", "Precision@10", qrels, run) == (0.5 + 0.33) / 2
    assert mean("opensearch-3.4", "Coverage@10", qrels, run) == (0.5 + 0.33) / 2


def test_opensearch_finds_everything_above_0_relevant_and_normalises_by_all_ratings() -> None:
    qrels = {"q": {"a": 0.5, "b": 3, "c": 0}}
    assert mean("opensearch-3.4", "MAP@10", qrels, {"q": ["a", "c"]}) == 0.5
    # (2^0.5 - 1) / (7 + (2^0.5 - 1) / log2(3)) = 0.057
    assert mean("opensearch-3.4", "NDCG@10", qrels, {"q": ["a", "c"]}) == 0.06


# Quepid, issue 1387: one result, rated 3, has an nDCG_CUT of 0.22 or 1 by how many others are rated


@pytest.mark.parametrize(("rated", "printed"), [(1, "1.00"), (10, "0.22")])
def test_quepid_gives_one_good_result_more_the_fewer_documents_are_rated(rated: int, printed: str) -> None:
    qrels = {"q": {f"d{number}": 3 for number in range(rated)}}
    assert f"{mean('quepid-8.6', 'nDCG_CUT@10', qrels, {'q': ['d0']}):.2f}" == printed


def test_quepid_divides_ndcg_by_all_rated_documents_however_many() -> None:
    qrels = {"q": {f"d{number:02}": 1 for number in range(20)}}
    run = {"q": [f"d{number:02}" for number in range(10)]}
    best = [sum(1 / math.log2(rank + 1) for rank in range(1, last + 1)) for last in (10, 20)]
    assert mean("quepid-8.6", "nDCG_CUT@10", qrels, run) == 1.0
    assert mean("quepid-8.6", "nDCG@10", qrels, run) == pytest.approx(best[0] / best[1], rel=1e-15)


def test_quepid_has_no_average_precision_where_nothing_is_relevant() -> None:
    assert math.isnan(mean("quepid-8.6", "AP@10", {"q": {"a": 0}}, {"q": ["a"]}))
    assert mean("quepid-8.6", "ERR@10", {"q": {"a": 3}}, {"q": ["a"]}) == 7 / 8


# MS MARCO: ranks as they are written, every listed document, all judged queries


def test_the_script_of_ms_marco_reads_ranks_and_divides_by_all_judged_queries() -> None:
    run = [
        {"query": "1", "document": "7", "rank": 4},
        {"query": "1", "document": "9", "rank": 2},
        {"query": "3", "document": "9", "rank": 1},
    ]
    qrels = {"1": {"7": 1}, "2": {"9": 1}}
    assert mean("ms_marco", "MRR@10", qrels, run) == 1 / 4 / 2
    assert mean("ms_marco", "MRR@3", qrels, run) == 0.0


def test_the_script_of_ms_marco_does_not_look_at_grades() -> None:
    assert mean("ms_marco", "MRR @10", {"1": {"7": 0}}, [{"query": "1", "document": "7", "rank": 1}]) == 1.0


# MLflow: a repeated id is several documents in nDCG (docstring of ndcg_at_k), one in recall


def test_mlflow_takes_copies_of_a_hit_for_further_relevant_documents() -> None:
    copies = [("q", "1", 4.0), ("q", "1", 3.0), ("q", "1", 2.0), ("q", "3", 1.0)]
    others = {"q": {"10": 4.0, "11": 3.0, "12": 2.0, "3": 1.0}}
    once = mean("mlflow-3.17", "ndcg_at_4", {"q": ["1", "2"]}, copies)
    assert once == mean("mlflow-3.17", "ndcg_at_4", {"q": ["10", "11", "12", "2"]}, others)
    assert mean("mlflow-3.17", "recall_at_4", {"q": ["1", "2"]}, copies) == 0.5
    assert mean("mlflow-3.17", "precision_at_4", {"q": ["1", "2"]}, copies) == 0.75


def test_mlflow_gives_one_hit_of_five_the_best_score() -> None:
    assert mean("mlflow-3.17", "ndcg_at_10", FIVE, {"q": ["a"]}) == 1.0


# LlamaIndex: ids that repeat count again in ap and ndcg, and once in sets


def test_llama_index_goes_beyond_1_where_ids_repeat() -> None:
    run = [("q", "a", 2.0), ("q", "a", 1.0)]
    assert mean("llama_index-0.14", "ap", {"q": ["a"]}, run) == 2.0
    assert mean("llama_index-0.14", "ndcg", {"q": ["a"]}, run) == 1 + 1 / math.log2(3)
    assert mean("llama_index-0.14", "precision", {"q": ["a"]}, run) == 1.0
    assert mean("llama_index-0.14", "recall", {"q": ["a", "b"]}, run) == 0.5


# Haystack: a copy is credited once; scores of expected documents are gains, the ideal is never cut


def test_haystack_credits_a_copy_once() -> None:
    run = [("q", "a", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)]
    assert mean("haystack-3.4", "DocumentMAPEvaluator", {"q": ["a", "b"]}, run) == (1 + 2 / 3) / 2
    ideal = 1 + 1 / math.log2(3)
    assert mean("haystack-3.4", "DocumentNDCGEvaluator", {"q": ["a", "b"]}, run) == (1 + 1 / 2) / ideal


def test_haystack_calls_a_hit_rate_recall() -> None:
    qrels, run = {"1": ["a", "b"], "2": ["a"]}, {"1": ["a"], "2": ["x"]}
    assert mean("haystack-3.4", "DocumentRecallEvaluator", qrels, run) == 0.5
    assert mean("haystack-3.4", "DocumentRecallEvaluator(mode=multi_hit)", qrels, run) == 0.25


# Learning to rank: rows with a label and a score, the gains and discounts of each script


def rows(*groups: tuple[list[float], list[float]]) -> tuple[Any, Any]:
    """Judgements and a run of labels and scores, row by row."""
    sides = [
        {
            f"q{place}": {f"d{row}": number for row, number in enumerate(group[side])}
            for place, group in enumerate(groups)
        }
        for side in (0, 1)
    ]
    return sides[0], sides[1]


EMPTY: Final = ([0, 0], [2, 1])
LISTED: Final = ([1, 0, 2, 1], [4, 3, 2, 1])


def test_the_scripts_of_letor_and_mslr_do_not_discount_the_first_two_ranks() -> None:
    dcg = 1 + 0 + 3 / math.log2(3) + 1 / math.log2(4)
    ideal = 3 + 1 + 1 / math.log2(3)
    for profile in ("letor-4", "mslr"):
        assert mean(profile, "NDCG@4", *rows(LISTED)) == pytest.approx(dcg / ideal, rel=1e-15)
        assert mean(profile, "NDCG@1", *rows(LISTED, EMPTY)) == pytest.approx(1 / 3 / 2, rel=1e-15)
    assert mean("letor-4", "P@10", *rows(LISTED)) == 3 / 10
    assert mean("mslr", "P@10", *rows(LISTED)) == 1 / 10
    assert mean("letor-4", "MAP", *rows(LISTED)) == (1 + 2 / 3 + 3 / 4) / 3
    assert mean("mslr", "MAP", *rows(LISTED)) == 1 / 3
    with pytest.raises(rw.RankworthError, match="labels 0 to 2 only"):
        mean("letor-4", "NDCG@1", *rows(([3], [1])))


def test_tf_ranking_shuffles_equal_scores_and_the_expectation_stands_for_that() -> None:
    tied = ([1, 0], [1, 1])
    assert mean("tf-ranking-0.5", "MRRMetric", *rows(tied)) == (1 + 1 / 2) / 2
    assert mean("tf-ranking-0.5", "NDCGMetric(topn=1)", *rows(tied, EMPTY)) == 1 / 2 / 2
    assert mean("tf-ranking-0.5", "MeanAveragePrecisionMetric(topn=1)", *rows(LISTED)) == 1 / 3
    assert mean("tf-ranking-0.5", "PrecisionMetric(topn=10)", *rows(LISTED)) == 3 / 4


def test_allrank_counts_a_query_without_relevant_rows_as_1() -> None:
    assert mean("allrank-1.4", "ndcg@1", *rows(LISTED, EMPTY)) == (1 / 3 + 1) / 2
    assert mean("allrank-1.4", "mrr", *rows(([0, 1], [2, 1]))) == 1 / 2


def test_ranklib_takes_the_whole_list_for_map_whatever_k_is() -> None:
    assert (
        mean("ranklib-2", "MAP@1", *rows(LISTED)) == mean("ranklib-2", "MAP", *rows(LISTED)) == (1 + 2 / 3 + 3 / 4) / 3
    )
    assert mean("ranklib-2", "P@10", *rows(LISTED, EMPTY)) == 3 / 4 / 2
    assert mean("ranklib-2", "ERR@1", *rows(LISTED)) == 1 / 16
    assert mean("ranklib-2", "NDCG@1", *rows(LISTED, EMPTY)) == 1 / 3 / 2


def test_spark_divides_precision_by_k_and_map_at_k_by_what_k_ranks_hold() -> None:
    qrels, run = {"q": {"a": 1, "b": 2, "c": 1}}, {"q": ["x", "a", "b"]}
    assert mean("spark-mllib", "precisionAt(5)", qrels, run) == 2 / 5
    assert mean("spark-mllib", "recallAt(2)", qrels, run) == 1 / 3
    assert mean("spark-mllib", "meanAveragePrecisionAt(2)", qrels, run) == (1 / 2) / 2
    assert mean("spark-mllib", "meanAveragePrecision", qrels, run) == pytest.approx((1 / 2 + 2 / 3) / 3, rel=1e-15)
    ideal = 1 + 1 / math.log2(3)
    assert mean("spark-mllib", "ndcgAt(2)", qrels, run) == pytest.approx(1 / math.log2(3) / ideal, rel=1e-15)


def test_the_ideal_that_spark_does_not_sort_is_named_and_sorted() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": ["b", "a"]}
    with pytest.warns(rw.RankworthWarning, match="does not sort them"):
        found = rw.evaluate(qrels, run, ["ndcgAt(2, relevance)"], profile="spark-mllib")
    assert found["ndcgAt(2, relevance)"] == 1.0


def test_cornac_leaves_users_without_test_items_out_and_counts_tied_pairs_as_wrong() -> None:
    qrels, run = rows(([1, 0, 1], [3, 2, 2]), EMPTY)
    assert mean("cornac-3", "NCRR@2", qrels, run) == 1 / (1 + 1 / 2)
    assert mean("cornac-3", "MRR", qrels, run) == 1.0
    assert mean("cornac-3", "MAP", qrels, run) == (1 + 2 / 3) / 2


def test_ignite_leaves_users_without_relevant_items_out() -> None:
    assert mean("ignite-0.5", "NDCG(top_k=[1])", *rows(LISTED, EMPTY)) == 1 / 3
    assert mean("ignite-0.5", "NDCG@1", *rows(([0.5, 1], [2, 1]), EMPTY)) == 0.0
    assert mean("ignite-0.5", "MAP@2", *rows(([1, 0, 1], [3, 2, 1]))) == 1 / 2
    assert mean("ignite-0.5", "HitRate@1", *rows(([0, 1], [1, 1]))) == 0.0

"""Measures of rankers in training, called as LightGBM, XGBoost, CatBoost and scikit-learn call them."""

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import rankworth as rw
from helpers import raises
from rankworth import rankers

LABELS, SCORES = np.array([0, 1, 2, 0, 1, 0]), np.array([0.9, 0.2, 0.5, 0.1, 0.4, 0.4])
SIZES, IDS = np.array([3, 3]), np.array([1, 1, 1, 2, 2, 2])
RR = (1 / 2 + 1 / 1) / 2  # the best of the second query stand in the order of their rows
DATA = {"labels": LABELS, "scores": SCORES, "group": SIZES}
LIKE_LIBRARIES = pytest.mark.filterwarnings("ignore:.*unlike-library")


class Pool:
    """The labels and queries of rows, as a Pool of CatBoost has them."""

    def __init__(self, labels: Any, ids: Any) -> None:
        """Keep both."""
        self.labels, self.ids = np.asarray(labels, dtype=np.float32), np.asarray(ids, dtype=np.uint64)

    def get_label(self) -> Any:
        """Return the labels."""
        return self.labels

    def get_group_id_hash(self) -> Any:
        """Return a number for each query, without any order."""
        return self.ids * np.uint64(0x9E3779B97F4A7C15)


def of_lightgbm(measure: str, **settings: Any) -> float:
    """Call the measure as LGBMRanker does: by as many arguments as it has parameters."""
    called = rankers.lightgbm(measure, **settings)
    assert len(inspect.signature(called).parameters) == 4
    name, value, is_higher_better = called(LABELS, SCORES, None, SIZES)
    assert (name, is_higher_better) == (f"{measure}-rankworth" if "profile" in settings else measure, True)
    return value


def of_feval(measure: str, **settings: Any) -> float:
    """Call the measure as `lightgbm.train` does."""
    data = SimpleNamespace(get_label=lambda: LABELS.astype(np.float32), get_group=lambda: SIZES)
    return rankers.lightgbm(measure, **settings)(SCORES, data)[1]


def of_xgboost(measure: str, **settings: Any) -> float:
    """Call the measure as `xgboost.train` does, with labels and predictions in single precision."""
    offsets = np.array([0, 3, 6], dtype=np.uint32)
    data = SimpleNamespace(get_label=lambda: LABELS.astype(np.float32), get_uint_info=lambda _: offsets)
    return rankers.xgboost(measure, **settings)(SCORES.astype(np.float32), data)[1]


def of_catboost(measure: str, **settings: Any) -> float:
    """Call the measure as CatBoost does."""
    pools = [Pool(LABELS[::-1], IDS), Pool(LABELS, IDS), Pool([*LABELS, 1], [*IDS, 3])]
    called = copy.deepcopy(rankers.catboost(measure, pools, **settings))  # as CatBoost does
    assert called.is_max_optimal()
    return called.get_final_error(*called.evaluate((SCORES,), LABELS.astype(np.float32), None))


def of_column(measure: str, **settings: Any) -> float:
    """Score rows with a column of query ids."""
    return rankers.scorer(measure, **settings)(ESTIMATOR, pd.DataFrame({"s": SCORES, "qid": IDS}), LABELS)


def of_index(measure: str, **settings: Any) -> float:
    """Score the rows of one split, whose queries the index tells."""
    index = [10, 11, 12, 20, 21, 22]
    qid = pd.Series([*IDS, 3], index=[*index, 30])
    rows = pd.DataFrame({"s": SCORES}, index=index)
    return rankers.scorer(measure, qid=qid, **settings)(ESTIMATOR, rows, LABELS)


def of_groups(measure: str, **settings: Any) -> float:
    """Score rows whose queries are routed to the scorer."""
    return rankers.scorer(measure, **settings)(ESTIMATOR, pd.DataFrame({"s": SCORES}), LABELS, groups=IDS)


def of_classifier(measure: str, **settings: Any) -> float:
    """Score rows by the probability of the second of two classes, not by the class that is predicted."""
    probabilities = np.column_stack([1 - SCORES, SCORES])
    estimator = SimpleNamespace(predict_proba=lambda _: probabilities, predict=lambda _: SCORES > 1)
    rows = pd.DataFrame({"qid": [*"aaabbb"]})
    return pickle.loads(pickle.dumps(rankers.scorer(measure, **settings)))(estimator, rows, LABELS)


ESTIMATOR = SimpleNamespace(predict=lambda rows: rows["s"].to_numpy())
CALLS: tuple[Callable[..., float], ...] = (
    *(of_lightgbm, of_feval, of_xgboost, of_catboost),
    *(of_column, of_index, of_groups, of_classifier),
)


@LIKE_LIBRARIES
@pytest.mark.parametrize("call", CALLS)
def test_rows_have_the_mean_that_evaluate_gives(call: Callable[..., float]) -> None:
    """As `evaluate` has it for the same rows, where equal scores stand in their order."""
    for measure in ("RR", "nDCG@2", "AP", "P@1"):
        expected = rw.evaluate(labels=LABELS, scores=SCORES, group=SIZES, measures=[measure], ties="given")[measure]
        assert call(measure) == expected
    assert call("RR") == RR
    assert call("P@1", rel=2) == 0


@pytest.mark.parametrize("call", CALLS)
def test_a_profile_is_followed_as_evaluate_follows_it(call: Callable[..., float]) -> None:
    """With its names, its order of ties and what it makes of queries without relevant rows."""
    for profile, measure in (
        ("trec_eval-9.0.8", "recip_rank"),
        ("trec_eval-9.0.8", "ndcg_cut_2"),
        ("ranx-0.3", "mrr@2"),
    ):
        assert call(measure, profile=profile) == rw.evaluate(**DATA, measures=[measure], profile=profile)[measure]
    assert call("recip_rank", profile="trec_eval-9.0.8") != RR  # of equal scores the last row is first, by its id


def test_rows_in_the_order_of_their_scores_are_no_cut_ranking() -> None:
    """So that nothing is said of a top-k, as `tensors.evaluate` would."""
    with warnings.catch_warnings(action="error"):
        assert rankers.lightgbm("AP")([1, 0, 1], [3, 2, 1], None, [3])[1] == pytest.approx(5 / 6)


UNLIKE: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "gain and empty queries": (
        lambda: rankers.lightgbm("nDCG@10")([2, 0, 0], [3, 2, 1], None, [2, 1]),
        ("not the ndcg of LightGBM", "gains 2^label - 1 and counts 1 query", "which count 0 here", "undefined=1"),
    ),
    "gain": (lambda: rankers.lightgbm("nDCG@10")([2, 0], [3, 2], None, [2]), ("gain=exp2 in the measure",)),
    "left out": (
        lambda: rankers.lightgbm("nDCG@10", undefined="skip")([1, 0, 0], [3, 2, 1], None, [1, 2]),
        ("which are left out here",),
    ),
    "the divisor of AP": (lambda: of_xgboost("AP@5"), ("not the map of XGBoost", "norm=min(k,R) in the measure")),
    "nothing": (lambda: of_xgboost("nDCG(gain=exp2)@10"), ()),
    "labels 0 and 1": (lambda: rankers.lightgbm("nDCG@10")([1, 0], [3, 2], None, [2]), ()),
    "gain of CatBoost": (lambda: of_catboost("nDCG@10"), ()),
    "a measure that the library lacks": (lambda: of_lightgbm("RR"), ()),
    "a profile": (lambda: of_lightgbm("ndcg_cut_2", profile="trec_eval-9.0.8"), ()),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_it_is_said_how_values_differ_from_those_of_the_library(case: str) -> None:
    """With what makes them alike; and nothing where they are."""
    call, texts = UNLIKE[case]
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    assert len(caught) == bool(texts)
    for text in texts:
        assert text in str(caught[0].message)


def test_it_is_said_once() -> None:
    """Not in each iteration."""
    measure = rankers.lightgbm("nDCG@10")
    with warnings.catch_warnings(record=True, action="always") as caught:
        for _ in range(3):
            measure(LABELS, SCORES, None, SIZES)
    assert len(caught) == 1


def test_shuffled_rows_have_no_value() -> None:
    """CatBoost shuffles what it trains on, and keeps the order of what it only evaluates."""
    measure = rankers.catboost("RR", [Pool(LABELS, IDS), Pool([0, 1], [1, 1])])
    shuffled = np.roll(LABELS, 1)
    with warnings.catch_warnings(record=True, action="always") as caught:
        assert [measure.evaluate([SCORES], shuffled, None) for _ in range(2)] == [(0.0, 1.0)] * 2
    assert [warning.message.slug for warning in caught] == ["shuffled-rows"]  # type: ignore[union-attr]
    assert measure.evaluate([[0.9, 0.5]], [0, 1], None) == (0.5, 1.0)


def collection() -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Return features, labels and queries of rows that a linear model can rank."""
    random = np.random.default_rng(41)
    qid = pd.Series(np.repeat(np.arange(40), random.integers(2, 9, 40)))
    features = pd.DataFrame(random.normal(size=(qid.size, 3)), columns=[*"abc"])
    return features, (features["a"] + random.normal(size=qid.size)).clip(0).round(), qid


def test_queries_of_splits_are_told_in_each_way() -> None:
    """By a series, by a column and by routed groups: the same values, of each query as a whole."""
    features, labels, qid = collection()
    folds, column = list(GroupKFold(4).split(features, labels, qid)), features.assign(qid=qid)
    model = make_pipeline(FunctionTransformer(lambda rows: rows[[*"abc"]]), Ridge())
    scored = partial(cross_val_score, model, y=labels, error_score="raise")
    by_series = scored(X=features, groups=qid, cv=GroupKFold(4), scoring=rankers.scorer("nDCG@5", qid=qid))
    by_column = scored(X=column, groups=qid, cv=GroupKFold(4), scoring=rankers.scorer("nDCG@5"))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = scored(X=features, params={"groups": qid}, cv=GroupKFold(4), scoring=rankers.scorer("nDCG@5"))
    expected = []
    for train, test in folds:
        predicted = model.fit(features.iloc[train], labels.iloc[train]).predict(features.iloc[test])
        rows = {"labels": labels.iloc[test], "scores": predicted, "qid": qid.iloc[test]}
        expected.append(rw.evaluate(**rows, measures=["nDCG@5"])["nDCG@5"])
    assert by_series.tolist() == by_column.tolist() == routed.tolist() == pytest.approx(expected, abs=1e-15)
    assert len(set(expected)) == 4


def test_splits_that_cut_queries_are_refused_by_cross_val_score() -> None:
    """`GroupKFold` and `groups=`, as the error says, keep them whole."""
    features, labels, qid = collection()
    with pytest.raises(rw.InputError, match=r"scattered-rows(.|\n)*groups=qid, cv=sklearn.model_selection.GroupKFold"):
        cross_val_score(Ridge(), features, labels, scoring=rankers.scorer("RR", qid=qid), error_score="raise")


def test_a_grid_is_searched_by_several_scorers() -> None:
    """As by those of scikit-learn."""
    features, labels, qid = collection()
    scoring = {"nDCG@5": rankers.scorer("nDCG@5", qid=qid), "RR": rankers.scorer("RR", qid=qid)}
    search = GridSearchCV(Ridge(), {"alpha": [1, 1e6]}, scoring=scoring, refit="RR", cv=GroupKFold(3))
    search.fit(features, labels, groups=qid)
    assert search.best_score_ == max(search.cv_results_["mean_test_RR"])


@LIKE_LIBRARIES
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 4)), min_size=1))
def test_queries_without_relevant_documents_count_as_is_said(rows: list[tuple[int, float, int]]) -> None:
    """1, as in LightGBM, by `undefined=1`: the mean rises by their share."""
    labels, scores, numbers = (np.array(column) for column in zip(*sorted(rows, key=lambda row: row[2]), strict=True))
    sizes = np.unique(numbers, return_counts=True)[1]
    empty = np.mean([not labels[numbers == number].any() for number in np.unique(numbers)])
    plain = rankers.lightgbm("nDCG@2")(labels, scores, None, sizes)[1]
    filled = rankers.lightgbm("nDCG@2", undefined=1)(labels, scores, None, sizes)[1]
    assert filled == pytest.approx(plain + empty, abs=1e-15)


def test_xgboost_knows_by_the_name_that_higher_is_better() -> None:
    """Names that begin with `ndcg`, `map`, `pre` are maximized; none has blanks, at which XGBoost splits."""
    names = [rankers.xgboost(measure).name for measure in ("nDCG(gain=exp2)@10", "AP", "P@5", "RR@10", "AP(rel=2) @ 3")]
    assert names == [
        *("ndcg(gain=exp2)@10-rankworth", "map-rankworth", "pre@5-rankworth"),
        *("RR@10-rankworth", "map(rel=2)@3-rankworth"),
    ]


ROWS = pd.DataFrame({"s": SCORES})
CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "no groups in LightGBM": (lambda: rankers.lightgbm("RR")(LABELS, SCORES, None, None), "input-type", "eval_group"),
    "no groups in XGBoost": (
        lambda: rankers.xgboost("RR")(
            SCORES, SimpleNamespace(get_label=lambda: LABELS, get_uint_info=lambda _: np.array([], dtype=np.uint32))
        ),
        "input-type",
        "group=sizes",
    ),
    "groups of other rows": (
        lambda: rankers.lightgbm("RR")(LABELS, SCORES, None, [2, 2]),
        "row-count",
        "6 labels, 6 scores and 4 rows of groups",
    ),
    "XGBRanker, which asks for each query": (
        lambda: rankers.xgboost("RR")(LABELS[:3], SCORES[:3]),
        "input-type",
        "xgboost.train(params, data, custom_metric=rankworth.rankers.xgboost(measure))",
    ),
    "several measures": (
        lambda: rankers.lightgbm("ndcg_cut", profile="trec_eval-9.0.8"),
        "ambiguous-measure",
        "ndcg_cut_5, ndcg_cut_10",
    ),
    "a pool that was not said": (
        lambda: rankers.catboost("RR", Pool(LABELS, IDS)).evaluate([[0.5]], [1], None),
        "row-count",
        "evaluates 1 rows, and none of the pools that were given has their labels (rows: 6)",
    ),
    "a pool of other labels": (
        lambda: rankers.catboost("RR", Pool(LABELS, IDS)).evaluate([SCORES], LABELS + 1, None),
        "row-count",
        "none of the pools",
    ),
    "pools of the same labels": (
        lambda: rankers.catboost("RR", [Pool(LABELS, IDS), Pool(LABELS, [1, 1, 2, 2, 2, 2])]),
        "conflicting-options",
        "the same 6 labels",
    ),
    "ids in place of a pool": (lambda: rankers.catboost("RR", IDS), "input-type", "catboost.Pool(X, y, group_id=qid)"),
    "a pool without groups": (lambda: rankers.catboost("RR", Pool(LABELS, [])), "input-type", "group_id=qid"),
    "no queries in scikit-learn": (
        lambda: rankers.scorer("RR")(ESTIMATOR, ROWS, LABELS),
        "input-type",
        "a column qid in X",
    ),
    "arrays beside qid": (
        lambda: rankers.scorer("RR", qid=pd.Series(IDS))(ESTIMATOR, SCORES[:, None], LABELS),
        "input-type",
        "give X as a frame",
    ),
    "ids without an index": (lambda: rankers.scorer("RR", qid=IDS), "input-type", "pandas.Series(qid, index=X.index)"),
    "an index that repeats": (
        lambda: rankers.scorer("RR", qid=pd.Series(IDS, index=[0, 1, 2, 0, 1, 2])),
        "input-type",
        "reset_index(drop=True)",
    ),
    "rows without a query": (
        lambda: rankers.scorer("RR", qid=pd.Series(IDS[:3]))(ESTIMATOR, ROWS, LABELS),
        "missing-value",
        "3 rows of X are not in qid, such as 3",
    ),
    "several classes": (
        lambda: rankers.scorer("RR")(
            SimpleNamespace(decision_function=lambda rows: np.zeros((len(rows), 3))), ROWS.assign(qid=IDS), LABELS
        ),
        "input-type",
        "decision_function gives 3 numbers for each row",
    ),
    "a query that is cut": (
        lambda: rankers.scorer("RR", qid=pd.Series(IDS))(ESTIMATOR, ROWS[:4], LABELS[:4]),
        "scattered-rows",
        "query 2 has 3 rows, and 1 of them are in this split",
    ),
    "a measure that is none": (lambda: rankers.lightgbm("nDGC"), "unknown-measure", "nDCG"),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_without_queries_are_refused(case: str) -> None:
    """With what helps in the library that called."""
    call, slug, text = CASES[case]
    raises(call, slug, text)


# Weights that the data of a library hold

WEIGHTS = np.array([1.0, 2.0, 6.0, 1.0, 1.0, 1.0])  # of rows; LightGBM gives the queries their means, 3 and 1
WEIGHTED_RR = (3 * (1 / 2) + 1 * 1) / 4


def dataset_of(weights: Any = WEIGHTS) -> Any:
    """Give what a Dataset of LightGBM has."""
    return SimpleNamespace(get_label=lambda: LABELS, get_group=lambda: SIZES, get_weight=lambda: weights)


def matrix_of(weights: Any = (3.0, 1.0)) -> Any:
    """Give what a DMatrix of XGBoost has, whose weights are those of queries."""
    offsets = np.array([0, 3, 6], dtype=np.uint32)
    return SimpleNamespace(get_label=lambda: LABELS, get_uint_info=lambda _: offsets, get_weight=lambda: weights)


@pytest.mark.parametrize("data", [dataset_of(), matrix_of()])
def test_weights_of_data_weigh_the_mean(data: Any) -> None:
    measured = {"scores": SCORES, "measures": ["RR"], "ties": "given"}
    assert rw.evaluate(labels=data, **measured)["RR"] == WEIGHTED_RR
    assert rw.evaluate(labels=data, weights={0: 3.0, 1: 1.0}, **measured)["RR"] == WEIGHTED_RR
    raises(
        lambda: rw.evaluate(labels=data, weights={0: 1.0, 1: 1.0}, **measured), "conflicting-options", "not the same"
    )


@pytest.mark.parametrize("data", [dataset_of(None), dataset_of([]), matrix_of(())])
def test_data_without_weights_have_the_plain_mean(data: Any) -> None:
    assert rw.evaluate(labels=data, scores=SCORES, measures=["RR"], ties="given")["RR"] == RR


def test_a_mean_of_rows_is_that_of_single_precision() -> None:
    weights = np.array([0.1, 0.2, 0.3, 1, 1, 1])
    mean = np.float32(np.float32(np.float32(0.1) + np.float32(0.2)) + np.float32(0.3)) / np.float32(3)
    expected = (float(mean) * (1 / 2) + 1 * 1) / (float(mean) + 1)
    assert rw.evaluate(labels=dataset_of(weights), scores=SCORES, measures=["RR"], ties="given")["RR"] == expected


def test_a_weight_for_each_row_of_a_dmatrix_is_refused_as_xgboost_refuses_it() -> None:
    data = matrix_of(WEIGHTS)
    raises(lambda: rw.evaluate(labels=data, scores=SCORES, measures=["RR"]), "bad-weight", "6 weights and 2 queries")


@pytest.mark.parametrize("profile", ["standard", "lightgbm-4"])
def test_training_weighs_queries_as_the_library_does(profile: str) -> None:
    measure, settings = ("RR", {}) if profile == "standard" else ("map@3", {"profile": profile})
    value = WEIGHTED_RR if profile == "standard" else (3 * ((1 / 2 + 2 / 3) / 2) + 1 * 1) / 4
    for called in (rankers.lightgbm(measure, **settings),):
        assert called(SCORES, dataset_of())[1] == pytest.approx(value, rel=1e-15)
        assert called(LABELS, SCORES, WEIGHTS, SIZES)[1] == pytest.approx(value, rel=1e-15)
    if profile == "standard":
        assert rankers.xgboost(measure)(SCORES, matrix_of())[1] == value


def test_weights_of_groups_count_in_catboost_and_those_of_rows_do_not() -> None:
    pool = Pool(LABELS, IDS)
    pool.get_weight = lambda: [1.0] * 6  # type: ignore[attr-defined]  # which does not tell those of groups
    of_groups = [3.0] * 3 + [1.0] * 3
    called = rankers.catboost("RR", pool)
    assert called.evaluate((SCORES,), LABELS.astype(np.float32), of_groups)[0] == WEIGHTED_RR
    labels = LABELS.astype(np.float32)
    raises(lambda: called.evaluate((SCORES,), labels, WEIGHTS), "bad-weight", "group_weight")
    pool.get_weight = WEIGHTS.tolist  # type: ignore[attr-defined]
    assert rankers.catboost("RR", pool).evaluate((SCORES,), labels, WEIGHTS)[0] == RR


def test_systems_among_other_arguments_are_named_by_the_remedy() -> None:
    rows = {"labels": [1, 0, 0, 1], "group": [2, 2]}
    scores = {"a": [0.9, 0.1, 0.2, 0.8], "b": [0.1, 0.9, 0.2, 0.8]}
    a, b = (rw.evaluate(**rows, scores=each, measures=["RR"]) for each in scores.values())
    for call, remedy in (
        (lambda: rw.compare(**rows, scores=scores, measures=["RR"]), "compare(runs={name: evaluate(labels=y,"),
        (lambda: rw.compare(a, b), "compare(runs={name: values, ...})"),
        (lambda: rw.compare({"a": a, "b": b}), "compare(runs={name: values, ...})"),
    ):
        with pytest.raises(rw.RankworthError) as caught:
            call()
        assert remedy in caught.value.remedy
    [difference] = rw.compare(runs={"a": a, "b": b}).differences
    assert difference.difference == ((1 / 2 - 1) + (1 - 1)) / 2


@pytest.mark.parametrize(
    "profile", ["lightgbm-4", "xgboost-3", "letor-4", "scikit-learn-1.9", "catboost-1.2", "trec_eval-10.0"]
)
def test_a_measure_in_training_is_that_of_labels_and_scores_under_every_profile(profile: str) -> None:
    random, numbers = np.random.default_rng(50), 0
    for measure, levels in product(("nDCG@3", "AP", "RR", "P@3", "AUC"), ([0, 1], [0, 1, 2, 3], [0, 0.5, -1, 40])):
        for _ in range(6):
            sizes = random.integers(1, 6, 4)
            labels, scores = random.choice(levels, sizes.sum()).astype(float), random.integers(0, 3, sizes.sum()) / 2
            rows = {"labels": labels, "scores": scores, "group": sizes}
            expected = value_or_slug(
                lambda rows=rows, name=measure: rw.evaluate(**rows, measures=[name], profile=profile)[name]
            )
            found = value_or_slug(
                lambda rows=rows, name=measure: rankers.lightgbm(name, profile=profile)(
                    rows["labels"], rows["scores"], None, rows["group"]
                )[1]
            )
            assert type(found) is type(expected), (measure, rows)
            assert found == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-12, nan_ok=True))
            numbers += isinstance(found, float)
    assert numbers > 10


def value_or_slug(call: Callable[[], float]) -> float | str:
    """Call, whatever is warned of, and return the number or the slug of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        try:
            return float(call())
        except rw.RankworthError as error:
            return error.slug

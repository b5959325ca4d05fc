"""Measures of rankers in training, called as LightGBM, XGBoost, CatBoost and scikit-learn call them."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from rankworth import rankers

LABELS, SCORES = np.array([0, 1, 2, 0, 1, 0]), np.array([0.9, 0.2, 0.5, 0.1, 0.4, 0.4])
SIZES, IDS = np.array([3, 3]), np.array([1, 1, 1, 2, 2, 2])
RR = (1 / 2 + 1 / 1) / 2  # the best of the second query stand in the order of their rows


def of_lightgbm(measure: str, **settings: Any) -> float:
    """Call the measure as LGBMRanker does: by as many arguments as it has parameters."""
    called = rankers.lightgbm(measure, **settings)
    assert len(inspect.signature(called).parameters) == 4
    name, value, is_higher_better = called(LABELS, SCORES, None, SIZES)
    assert (name, is_higher_better) == (measure, True)
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
    called = rankers.catboost(measure, [IDS, np.append(IDS, 3)], **settings)
    assert called.is_max_optimal()
    return called.get_final_error(*called.evaluate([SCORES], LABELS, None))


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


ESTIMATOR = SimpleNamespace(predict=lambda rows: rows["s"].to_numpy())
CALLS: tuple[Callable[..., float], ...] = (
    *(of_lightgbm, of_feval, of_xgboost, of_catboost),
    *(of_column, of_index, of_groups),
)


@pytest.mark.parametrize("call", CALLS)
def test_rows_have_the_mean_that_evaluate_gives(call: Callable[..., float]) -> None:
    """As `evaluate` has it for the same rows, where equal scores stand in their order."""
    for measure in ("RR", "nDCG@2", "AP", "P@1"):
        expected = rw.evaluate(labels=LABELS, scores=SCORES, group=SIZES, measures=[measure], ties="given")[measure]
        assert call(measure) == expected
    assert call("RR") == RR
    assert call("P@1", rel=2) == 0


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
        lambda: rankers.xgboost("RR")(SCORES, SimpleNamespace(get_uint_info=lambda _: np.array([], dtype=np.uint32))),
        "input-type",
        "group=sizes",
    ),
    "groups of other rows": (
        lambda: rankers.lightgbm("RR")(LABELS, SCORES, None, [2, 2]),
        "row-count",
        "6 labels, 6 scores and 4 rows of groups",
    ),
    "a pool that was not said": (
        lambda: rankers.catboost("RR", IDS).evaluate([[0.5]], [1], None),
        "row-count",
        "evaluates 1 rows, and groups were given for 6",
    ),
    "pools of one size": (
        lambda: rankers.catboost("RR", [IDS, IDS[::-1] * [1, 2, 3, 4, 5, 6]]),
        "conflicting-options",
        "6 rows",
    ),
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
    with pytest.raises(rw.RankworthError) as caught:
        call()
    assert caught.value.slug == slug
    assert text in str(caught.value)

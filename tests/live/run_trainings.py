"""Trains LightGBM, XGBoost and CatBoost with measures of `rankworth.rankers`, and prints how it went, as JSON.

It runs in the environment of these tools, where rankworth stands beside them. For each training it says the value of
each iteration, which iteration was best for the tool, the value of that model by `rankworth.evaluate`, and the values
of the tool's own metric where it is the same one.
"""

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

import rankworth as rw
from rankworth import rankers

ROUNDS: Final = 200
PATIENCE: Final = 5
NDCG: Final = "nDCG(gain=exp2)@10"
Training = dict[str, Any]


class Rows:
    """Features, labels, and queries of rows; a few queries have nothing relevant, or a single row."""

    def __init__(self, queries: int, seed: int) -> None:
        """Make as many queries."""
        random = np.random.default_rng(seed)
        self.sizes = random.integers(1, 12, queries)
        self.qid = np.repeat(np.arange(queries), self.sizes)
        self.features = random.normal(size=(self.qid.size, 5))
        noisy = self.features[:, 0] + random.normal(size=self.qid.size)
        self.labels = np.clip(np.round(noisy), 0, 4).astype(int)

    def value(self, scores: Any, measure: str, **settings: Any) -> float:
        """Return what `evaluate` says of scores."""
        rows = {"labels": self.labels, "scores": scores, "group": self.sizes}
        return float(rw.evaluate(**rows, measures=[measure], ties="given", **settings)[measure])

    def pool(self, *, is_categorical: bool = False) -> catboost.Pool:
        """Return a pool of CatBoost, the queries called by texts; with a category where that is asked for."""
        frame = pd.DataFrame(self.features)
        if is_categorical:
            frame["category"] = [str(int(abs(number) * 3)) for number in self.features[:, 1]]
        categories = ["category"] if is_categorical else None
        return catboost.Pool(frame, self.labels, group_id=[f"q{query}" for query in self.qid], cat_features=categories)


TRAIN, TEST = Rows(300, 1), Rows(90, 2)


def lgbm_ranker() -> Training:
    """`LGBMRanker.fit(eval_metric=...)`, beside LightGBM's own ndcg."""
    model = lightgbm.LGBMRanker(n_estimators=ROUNDS, learning_rate=0.3, verbose=-1, metric="None")
    evaluated = {"eval_set": [(TEST.features, TEST.labels)], "eval_group": [TEST.sizes], "eval_at": [10]}
    metrics = [rankers.lightgbm(NDCG, undefined=1), "ndcg"]
    stopping = lightgbm.early_stopping(PATIENCE, first_metric_only=False, verbose=False)
    model.fit(TRAIN.features, TRAIN.labels, group=TRAIN.sizes, **evaluated, eval_metric=metrics, callbacks=[stopping])
    history = model.evals_result_["valid_0"]
    scores = model.predict(TEST.features, num_iteration=model.best_iteration_)
    value = TEST.value(scores, NDCG, undefined=1)
    return training(history[NDCG], model.best_iteration_ - 1, value, history["ndcg@10"])


def lightgbm_train() -> Training:
    """`lightgbm.train(feval=...)`, by a measure that LightGBM lacks."""
    data = lightgbm.Dataset(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    test = lightgbm.Dataset(TEST.features, TEST.labels, group=TEST.sizes, reference=data)
    history: dict[str, Any] = {}
    callbacks = [lightgbm.early_stopping(PATIENCE, verbose=False), lightgbm.record_evaluation(history)]
    parameters = {"objective": "lambdarank", "metric": "None", "learning_rate": 0.3, "verbosity": -1}
    options = {"valid_sets": [test], "feval": rankers.lightgbm("RR"), "callbacks": callbacks}
    model = lightgbm.train(parameters, data, ROUNDS, **options)
    scores = model.predict(TEST.features, num_iteration=model.best_iteration)
    return training(history["valid_0"]["RR"], model.best_iteration - 1, TEST.value(scores, "RR"))


def xgboost_train() -> Training:
    """`xgboost.train(custom_metric=..., early_stopping_rounds=...)`, beside XGBoost's own ndcg."""
    measure = rankers.xgboost(NDCG, undefined=1)
    history, model, test = _xgboost(measure, early_stopping_rounds=PATIENCE)
    scores = model.predict(test, iteration_range=(0, model.best_iteration + 1))
    value = TEST.value(scores, NDCG, undefined=1)
    return training(history[measure.name], model.best_iteration, value, history["ndcg@10"])


def xgboost_maximize() -> Training:
    """A measure whose name tells XGBoost nothing, with `maximize=True`."""
    measure = rankers.xgboost("RR")
    stopping = xgboost.callback.EarlyStopping(rounds=PATIENCE, maximize=True)
    history, model, test = _xgboost(measure, callbacks=[stopping])
    scores = model.predict(test, iteration_range=(0, model.best_iteration + 1))
    return training(history[measure.name], model.best_iteration, TEST.value(scores, "RR"))


def _xgboost(measure: rankers.XGBoostMeasure, **options: Any) -> tuple[dict[str, Any], xgboost.Booster, Any]:
    data = xgboost.DMatrix(TRAIN.features, TRAIN.labels, group=TRAIN.sizes)
    test = xgboost.QuantileDMatrix(TEST.features, TEST.labels, qid=TEST.qid, ref=data)
    history: dict[str, Any] = {}
    parameters = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "eta": 0.3}
    options |= {"evals": [(test, "test")], "evals_result": history, "custom_metric": measure, "verbose_eval": False}
    model = xgboost.train(parameters, data, ROUNDS, **options)
    return history["test"], model, test


def xgb_ranker() -> Training:
    """`XGBRanker` hands over each query alone, and is told so."""
    model = xgboost.XGBRanker(n_estimators=2, eval_metric=rankers.xgboost(NDCG))
    evaluated = {"eval_set": [(TEST.features, TEST.labels)], "eval_group": [TEST.sizes], "verbose": False}
    return refused(lambda: model.fit(TRAIN.features, TRAIN.labels, group=TRAIN.sizes, **evaluated))


def catboost_numbers() -> Training:
    """CatBoost keeps the order of rows where all features are numbers."""
    return _catboost(is_categorical=False)


def catboost_categories() -> Training:
    """CatBoost shuffles the rows that it trains on where a feature is a category."""
    return _catboost(is_categorical=True)


def _catboost(*, is_categorical: bool) -> Training:
    data, test = (rows.pool(is_categorical=is_categorical) for rows in (TRAIN, TEST))
    options = {"loss_function": "YetiRank", "iterations": ROUNDS, "learning_rate": 0.5, "verbose": 0}
    metric = rankers.catboost("nDCG@10", [data, test])
    options |= {"early_stopping_rounds": PATIENCE, "eval_metric": metric, "allow_writing_files": False}
    with warnings.catch_warnings(record=True, action="always") as caught:
        model = catboost.CatBoost(options).fit(data, eval_set=test)
    slugs = [warning.message.slug for warning in caught if isinstance(warning.message, rw.RankworthWarning)]
    results, best = model.get_evals_result(), model.get_best_iteration()
    told = training(results["validation"]["CatBoostMeasure"], best, TEST.value(model.predict(test), "nDCG@10"))
    learnt = {"learn": results["learn"]["CatBoostMeasure"][best], "value": TRAIN.value(model.predict(data), "nDCG@10")}
    return told | {"slugs": sorted(slugs)} | learnt


def catboost_without_the_test() -> Training:
    """A pool that was not given is named."""
    data, test = TRAIN.pool(), TEST.pool()
    options = {"loss_function": "YetiRank", "iterations": 2, "verbose": 0, "allow_writing_files": False}
    model = catboost.CatBoost(options | {"eval_metric": rankers.catboost("nDCG@10", data)})
    return refused(lambda: model.fit(data, eval_set=test))


def cross_validation() -> Training:
    """Folds of a ranker that takes the queries from a column, beside those of evaluation by hand."""
    frame = pd.DataFrame(TRAIN.features, columns=[*"abcde"]).assign(qid=TRAIN.qid)
    options = {"groups": TRAIN.qid, "cv": GroupKFold(3), "error_score": "raise"}
    ranker = xgboost.XGBRanker(n_estimators=5)
    scores = cross_val_score(ranker, frame, TRAIN.labels, scoring=rankers.scorer("nDCG@10"), **options)
    series = rankers.scorer("nDCG@10", qid=frame["qid"])
    parallel = cross_val_score(Ridge(), frame[[*"abcde"]], TRAIN.labels, scoring=series, n_jobs=2, **options)
    by_hand = []
    for train, test in GroupKFold(3).split(frame, TRAIN.labels, TRAIN.qid):
        predicted = ranker.fit(frame.iloc[train], TRAIN.labels[train]).predict(frame.iloc[test])
        rows = {"labels": TRAIN.labels[test], "scores": predicted, "qid": TRAIN.qid[test]}
        by_hand.append(rw.evaluate(**rows, measures=["nDCG@10"], ties="given")["nDCG@10"])
    return {"scores": scores.tolist(), "by_hand": by_hand, "parallel": parallel.tolist()}


def training(history: Any, best: int, value: float, library: Any = None) -> Training:
    """Return what a test looks at."""
    values = [float(number) for number in history]
    own = None if library is None else [float(number) for number in library]
    return {"history": values, "best": best, "evaluated": value, "library": own}


def refused(call: Callable[[], object]) -> Training:
    """Return the text of the error."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - CatBoost has its own
        return {"error": str(error)}
    return {"error": None}


TRAININGS: Final = (
    *(lgbm_ranker, lightgbm_train, xgboost_train, xgboost_maximize, xgb_ranker),
    *(catboost_numbers, catboost_categories, catboost_without_the_test, cross_validation),
)

if __name__ == "__main__":
    with warnings.catch_warnings(action="ignore"):
        sys.stdout.write(json.dumps({train.__name__: train() for train in TRAININGS}))

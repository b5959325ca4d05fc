"""Measures in the training of rankers: as LightGBM, XGBoost and CatBoost call them, and a scorer of scikit-learn.

None of these libraries is imported here; what they hand over is taken as it is. The values are those of
`rankworth.tensors.evaluate`, which are those of `rankworth.evaluate` where documents of one score stand in the order
of their rows; under a profile they are those of `rankworth.evaluate`.

>>> import numpy as np
>>> measure = lightgbm("nDCG@2")
>>> measure(np.array([0, 1, 1, 0]), np.array([0.9, 0.2, 0.5, 0.1]), None, np.array([2, 2]))
('nDCG@2', 0.8154648767857288, True)
"""

import warnings
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, ClassVar, Final, NamedTuple, TypedDict, Unpack

import numpy as np

from rankworth import tensors
from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, RankworthWarning, UsageError, counted
from rankworth.io.training_data import (
    has_group_ends,
    has_group_ids,
    is_training_data,
    labelled_groups,
    of_rows,
    query_weights,
)
from rankworth.measures import Fact, Measure
from rankworth.names import refuse_several
from rankworth.profiles import DEFAULT, Profile, profile_of
from rankworth.scoring.columns import weighted
from rankworth.tensors.conventions import Ties, Undefined

__all__ = ["CatBoostMeasure", "LightGBMMeasure", "RowMeasure", "Scorer", "XGBoostMeasure"]
__all__ += ["catboost", "lightgbm", "scorer", "xgboost"]

_XGBOOST: Final = {"nDCG": "ndcg", "AP": "map", "P": "pre"}
"""how XGBoost calls measures; it maximizes what begins so"""


class Counterpart(NamedTuple):
    """A measure of a library and how it differs from that of the same kind here.

    Attributes:
        name: its name there.
        parameter: the parameter of the measure that makes the two alike.
        value: its value then.
        formula: what the library computes, as a sentence.

    """

    name: str
    parameter: str = ""
    value: str = ""
    formula: str = ""


_BOOSTERS: Final = {
    "nDCG": Counterpart("ndcg", "gain", "exp2", "has gains 2^label - 1"),
    "AP": Counterpart("map", "norm", "min(k,R)", "divides by the cutoff where more rows are relevant"),
}
"""the measures of LightGBM and XGBoost that count a query without relevant rows as 1"""


class Settings(TypedDict, total=False):
    """The conventions of a measure, as `rankworth.tensors.evaluate` takes them."""

    profile: str | Profile
    rel: float | None
    ties: Ties | None
    undefined: Undefined | None


class RowMeasure:
    """The mean of a measure over the queries of rows.

    Attributes:
        label: the measure, as tables show it.
        library: the library that calls it, which may have the same measure, counted otherwise.
        counterparts: the measures of the library, by the name here.

    """

    library: ClassVar[str] = ""
    counterparts: ClassVar[Mapping[str, Counterpart]] = {}

    def __init__(self, measure: str | Measure | Fact, **settings: Unpack[Settings]) -> None:
        """Resolve the measure.

        Raises:
            MeasureError: where the measure is not known, misused, or several.
            UsageError: as `rankworth.tensors.evaluate`.

        """
        self.label = str(measure)
        self._measure, self._settings = measure, settings
        profile = profile_of(settings.get("profile", DEFAULT))
        labels = [each.label for each in profile.ask([measure], rel=settings.get("rel"))]
        refuse_several(measure, labels, "training looks at one number")
        self._is_standard = profile == profile_of(DEFAULT)
        self._is_compared = not self._is_standard
        needs_no_ids = self._is_standard or _needs_no_ids(measure, profile, settings)
        self._measured = tensors.prepared([measure], **settings) if needs_no_ids else None

    def mean(self, labels: Any, scores: Any, numbers: Integers, weights: Floats | None = None) -> float:  # noqa: ANN401 - arrays of any kind
        """Return the mean over the queries that count.

        Args:
            labels: `[N]`, the label of each row.
            scores: `[N]`, its score.
            numbers: `[N]`, the number of its query.
            weights: `[Q]`, how much each query counts; all alike where None.

        Raises:
            InputError: as `rankworth.tensors.evaluate`.

        """
        scores, labels = (np.asarray(each, dtype=np.float64).reshape(-1) for each in (scores, labels))
        if not scores.size == labels.size == numbers.size:
            text = f"{self.label}: there are {counted(labels.size, 'label', 'labels')}, "
            text += f"{counted(scores.size, 'score', 'scores')} and {counted(numbers.size, 'row', 'rows')} of groups"
            raise InputError("row-count", text, remedy="give the groups of these rows")
        if not self._is_compared:
            self._is_compared = True
            self._compare(labels, numbers)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)  # training asks hundreds of times; evaluate says them
            return self._mean(labels, scores, numbers, weights)

    def _mean(self, labels: Floats, scores: Floats, numbers: Integers, weights: Floats | None) -> float:
        if self._measured is not None and (self._is_standard or weights is None):
            values = self._measured(scores, labels, indexes=numbers, check=True)
            if weights is None:
                [value] = values.mean().values()
                return float(value)
            [of_queries] = values.values()
            counted_queries = ~np.isnan(of_queries)
            return weighted(of_queries[counted_queries], weights[counted_queries])
        from rankworth.evaluation import evaluate  # noqa: PLC0415 - only profiles need it

        rows = np.argsort(numbers, kind="stable")
        settings: dict[str, Any] = {name: value for name, value in self._settings.items() if value is not None}
        if settings.get("ties") == "order":
            settings["ties"] = "given"
        if weights is not None:
            settings["weights"] = dict(enumerate(weights.tolist()))
        arrays: dict[str, Any] = {"labels": labels[rows], "scores": scores[rows], "qid": numbers[rows]}
        return float(evaluate(**arrays, measures=[self._measure], **settings)[self._measure])

    def _compare(self, labels: Floats, numbers: Integers) -> None:
        """Warn of how the values differ from those of the measure that the library has."""
        quantity = self._measured.quantities[0] if self._measured else None
        counterpart = self.counterparts.get(getattr(quantity, "name", ""))
        if not isinstance(quantity, Measure) or counterpart is None:
            return
        reasons, changes = [], []
        matters = bool((labels > 1).any()) if counterpart.parameter == "gain" else quantity.cutoff is not None
        if counterpart.parameter and quantity.parameters.get(counterpart.parameter) != counterpart.value and matters:
            reasons.append(counterpart.formula)
            changes.append(f"{counterpart.parameter}={counterpart.value} in the measure")
        empty = np.unique(numbers).size - np.unique(numbers[labels > 0]).size
        undefined = self._settings.get("undefined")
        if empty and undefined != 1:
            here = "are left out" if undefined == "skip" else f"count {undefined or 0:g}"
            queries = counted(empty, "query", "queries")
            reasons.append(f"counts {queries} without relevant rows as 1, which {here} here")
            changes.append("undefined=1")
        if reasons:
            text = f"{self.label} is not the {counterpart.name} of {self.library}, which {' and '.join(reasons)}; "
            text += f"to count as {self.library} does: {' and '.join(changes)}"
            warnings.warn(RankworthWarning("unlike-library", text), stacklevel=4)


def _needs_no_ids(measure: str | Measure | Fact, profile: Profile, settings: Settings) -> bool:
    """Return whether matrices follow all settings of a profile for a measure, and rows need no ids."""
    [resolved] = profile.ask([measure], rel=settings.get("rel"))
    is_by_score = resolved.judging.order == "score" and resolved.judging.ties in ("given", "expected")
    if settings.get("ties") is not None or not is_by_score or resolved.averaging.fewest:
        return False
    try:
        tensors.prepared([measure], **settings)
    except UsageError:
        return False
    return True


def _numbers(sizes: Any) -> Integers:  # noqa: ANN401 - an array of any kind
    """Return `[N]`, the number of the query of each row."""
    lengths = np.asarray(sizes, dtype=np.int64)
    return np.repeat(np.arange(lengths.size), lengths)


def _numbers_of_ids(ids: Any) -> Integers:  # noqa: ANN401 - an array of any kind
    """Return `[N]`, the number of the query of each row, of ids in any order."""
    numbers: Integers = np.unique(np.asarray(ids), return_inverse=True)[1].reshape(-1)
    return numbers


class LightGBMMeasure(RowMeasure):
    """A measure as LightGBM calls it, see `lightgbm`."""

    library = "LightGBM"
    counterparts = _BOOSTERS

    @property
    def name(self) -> str:
        """What LightGBM calls it: its own names, which are those of its profile, are taken."""
        return self.label if self._is_standard else f"{self.label}-rankworth"

    def __call__(self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:  # noqa: ANN401 - LightGBM looks at the names
        """Return name, value, and that higher is better.

        Args:
            y_true: labels; as `feval` the predictions.
            y_pred: predictions; as `feval` the Dataset.
            weight: the weights of rows, of which a query has the mean.
            group: the sizes of groups.

        Raises:
            InputError: `input-type` where there are no groups.

        """
        remedy = "give them: LGBMRanker.fit(..., eval_group=[sizes]), or lightgbm.Dataset(..., group=sizes)"
        weights = None
        if is_training_data(y_pred):
            data, weights, y_pred = labelled_groups(y_pred, remedy), query_weights(y_pred), y_true
            y_true, group = data.labels, data.group
        if group is None:
            text = f"{self.label}: the rows of queries are told apart by the sizes of groups, and there are none"
            raise InputError("input-type", text, remedy=remedy)
        if weight is not None:
            weights = of_rows(weight, np.asarray(group, dtype=np.int64))
        return self.name, self.mean(y_true, y_pred, _numbers(group), weights), True


class XGBoostMeasure(RowMeasure):
    """A measure as XGBoost calls it, see `xgboost`."""

    library = "XGBoost"
    counterparts = _BOOSTERS

    @property
    def name(self) -> str:
        """What XGBoost calls it: by the beginning of nDCG, AP and P it knows that higher is better."""
        name = next((name for name in _XGBOOST if self.label.partition("(")[0].partition("@")[0] == name), "")
        return f"{_XGBOOST.get(name, '')}{self.label.removeprefix(name).replace(' ', '')}-rankworth"

    def __call__(self, predictions: Any, data: Any) -> tuple[str, float]:  # noqa: ANN401 - a DMatrix
        """Return name and value.

        Args:
            predictions: a score for each row.
            data: the DMatrix, with labels and groups.

        Raises:
            InputError: `input-type` where there are no groups, or where `XGBRanker` calls.

        """
        if not has_group_ends(data):
            text = f"{self.label}: XGBRanker asks for each query alone, weighs the values by the rows of the queries "
            text += "and counts a query of one row as 1, so that its mean would be another number"
            remedy = "train by xgboost.train(params, data, custom_metric=rankworth.rankers.xgboost(measure))"
            raise InputError("input-type", text, remedy=remedy)
        rows = labelled_groups(data, remedy="give them: xgboost.DMatrix(..., qid=ids) or group=sizes")
        return self.name, self.mean(rows.labels, predictions, _numbers(rows.group), query_weights(data))


class LabelledRows(NamedTuple):
    """The rows of a pool of CatBoost.

    Attributes:
        labels: `[N]`, the label of each row, in the precision of CatBoost.
        numbers: `[N]`, the number of its query.
        weights: `[N]`, its weight; all are 1 where none was given.

    """

    labels: np.ndarray[Any, np.dtype[np.float32]]
    numbers: Integers
    weights: Floats


class CatBoostMeasure(RowMeasure):
    """A measure as CatBoost calls it, see `catboost`."""

    library = "CatBoost"
    counterparts: ClassVar = {"nDCG": Counterpart("NDCG")}

    def __init__(
        self, measure: str | Measure | Fact, pools: Iterable[LabelledRows], **settings: Unpack[Settings]
    ) -> None:
        """Keep the rows of each pool, as CatBoost hands over labels without groups."""
        super().__init__(measure, **settings)
        self._pools = tuple(pools)
        self._is_shuffled = False

    def is_max_optimal(self) -> bool:
        """Return that higher is better."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:  # noqa: ANN401 - CatBoost looks at the names
        """Return the mean, and 1 as its weight.

        Args:
            approxes: a list of the scores of the rows.
            target: their labels.
            weight: the weights of groups, one for each row. Weights of rows are not used, as no measure of rankings
                that CatBoost has uses them.

        Warns:
            RankworthWarning: `shuffled-rows`, where CatBoost has shuffled the rows: the value is 0 then.

        Raises:
            InputError: `row-count` where no pool has these rows.

        """
        labels = np.asarray(target, dtype=np.float32)
        for pool in self._pools:
            if np.array_equal(pool.labels, labels):
                return self.mean(labels, approxes[0], pool.numbers, self._of_groups(pool, weight)), 1.0
        if any(np.array_equal(np.sort(pool.labels), np.sort(labels)) for pool in self._pools):
            self._warn_of_shuffled_rows()
            return 0.0, 1.0
        known = ", ".join(f"{pool.labels.size:,}" for pool in self._pools)
        text = f"{self.label}: CatBoost evaluates {labels.size:,} rows, and none of the pools that were given has "
        text += f"their labels (rows: {known})"
        remedy = (
            "give the pool that is trained on and each eval_set: rankworth.rankers.catboost(measure, [train, test])"
        )
        raise InputError("row-count", text, remedy=remedy)

    def _of_groups(self, pool: LabelledRows, weight: Any) -> Floats | None:  # noqa: ANN401 - an array of any kind
        """Return `[Q]`, the weights of the groups; None where there are none, but those of rows.

        Raises:
            InputError: `bad-weight` where rows have weights, and groups others.

        """
        weights = pool.weights if weight is None else np.asarray(weight, dtype=np.float32)
        if np.array_equal(weights, pool.weights.astype(np.float32)):
            return None
        _, first = np.unique(pool.numbers, return_index=True)
        of_groups: Floats = weights[first].astype(np.float64)
        if not np.array_equal(of_groups[pool.numbers], weights):
            text = (
                f"{self.label}: the rows of a group have different weights, and measures of rankings have none for rows"
            )
            raise InputError("bad-weight", text, remedy="give catboost.Pool(..., group_weight=weights), and no weight")
        return of_groups

    def _warn_of_shuffled_rows(self) -> None:
        """Say once that rows used for training have no value."""
        if not self._is_shuffled:
            self._is_shuffled = True
            text = f"{self.label}: CatBoost shuffles the rows that it trains on (it does with categorical features and "
            text += "ordered boosting), so that their queries are not known; the learn column is 0, which is no value, "
            text += "and the values of eval_set are right; has_time=True keeps the order"
            warnings.warn(RankworthWarning("shuffled-rows", text), stacklevel=3)

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the mean."""
        return error / weight if weight else 0.0


class Scorer(RowMeasure):
    """A scorer of scikit-learn, see `scorer`."""

    def __init__(self, measure: str | Measure | Fact, qid: Any, **settings: Unpack[Settings]) -> None:  # noqa: ANN401 - a series, or none
        """Keep the queries of all rows.

        Raises:
            InputError: `input-type` where `qid` is no series, or has two rows of one index.

        """
        super().__init__(measure, **settings)
        if qid is not None and not getattr(getattr(qid, "index", None), "is_unique", False):
            has_index = hasattr(qid, "loc")
            fact = "has an index in which rows repeat" if has_index else "has no index, by which rows are looked up"
            remedy = "give each row an index of its own: X.reset_index(drop=True), for X and qid"
            remedy = remedy if has_index else "make it a series: qid=pandas.Series(qid, index=X.index)"
            raise InputError("input-type", f"{self.label}: qid {fact}", remedy=remedy)
        self._qid = qid

    def get_metadata_routing(self) -> Any:  # noqa: ANN401 - a MetadataRequest of scikit-learn
        """Return a request for `groups`, for the routing of metadata in scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest  # noqa: PLC0415 - scikit-learn calls this

        request = MetadataRequest(owner=self)
        request.score.add_request(param="groups", alias=True)
        return request

    def __call__(self, estimator: Any, X: Any, y: Any, *, groups: Any = None) -> float:  # noqa: ANN401, N803 - as scikit-learn calls it
        """Score an estimator on rows.

        Args:
            estimator: gives a score for each row: by `decision_function`, the probability of the second class, or
                `predict`.
            X: the rows.
            y: their labels.
            groups: the query of each row, where they are routed here.

        Raises:
            InputError: `input-type` where nothing tells queries apart, or a row has several scores; `missing-value`
                where a row has no query; `scattered-rows` where the rows of a query are not all among these.

        """
        numbers = _numbers_of_ids(self._ids(X, groups))
        return self.mean(y, self._scores(estimator, X), numbers)

    def _scores(self, estimator: Any, rows: Any) -> Any:  # noqa: ANN401 - an array of any kind
        """Return the score of each row."""
        methods = ("decision_function", "predict_proba", "predict")
        method = next(name for name in methods if name == methods[-1] or hasattr(estimator, name))
        scores = np.asarray(getattr(estimator, method)(rows))
        if method == "predict_proba" and scores.ndim == scores.shape[-1] == 2:  # noqa: PLR2004 - of two classes
            return scores[:, 1]
        if scores.ndim > 1 and scores.shape[-1] > 1:
            text = f"{self.label}: {type(estimator).__name__}.{method} gives {scores.shape[-1]} numbers for each row, "
            text += "and a ranking needs one"
            raise InputError("input-type", text, remedy="fit two classes, such as y > 0, or a regressor")
        return scores

    def _ids(self, rows: Any, groups: Any) -> Any:  # noqa: ANN401 - a frame
        """Return the query of each row."""
        if self._qid is not None:
            return self._whole(rows)
        if groups is not None:
            return groups
        if "qid" in getattr(rows, "columns", ()):
            return rows["qid"]
        text = f"{self.label}: nothing tells which rows are of one query"
        remedy = "give a series by the index of X: rankworth.rankers.scorer(measure, qid=qid); or a column qid in X"
        raise InputError("input-type", text, remedy=remedy)

    def _whole(self, rows: Any) -> Any:  # noqa: ANN401 - a frame
        """Return the query of each row by its index, where all rows of these queries are there."""
        if not hasattr(rows, "index"):
            text = f"{self.label}: qid is looked up by the index of X, and X has none"
            raise InputError("input-type", text, remedy="give X as a frame of pandas")
        if not (is_known := rows.index.isin(self._qid.index)).all():
            row = rows.index[~is_known][0]
            text = f"{self.label}: {counted(int((~is_known).sum()), 'row', 'rows')} of X are not in qid, such as {row}"
            raise InputError("missing-value", text, remedy="give the query of each row of all data")
        ids = self._qid.loc[rows.index]
        part, whole = ids.value_counts(), self._qid.value_counts()
        cut = part[part != whole.loc[part.index]]
        if len(cut):
            query = cut.index[0]
            text = f"{self.label}: query {query} has {counted(int(whole.loc[query]), 'row', 'rows')}, and "
            text += f"{int(cut.iloc[0])} of them are in this split"
            remedy = "split by queries: cross_val_score(..., groups=qid, cv=sklearn.model_selection.GroupKFold())"
            raise InputError("scattered-rows", text, remedy=remedy)
        return ids


def lightgbm(measure: str | Measure | Fact, **settings: Unpack[Settings]) -> LightGBMMeasure:
    """Return a measure for `LGBMRanker.fit(eval_metric=...)` and `lightgbm.train(feval=...)`.

    LightGBM stops early by every measure, its own among them: `metric="None"` among the parameters leaves that out.

    Args:
        measure: such as `"nDCG@10"`, as for `rankworth.tensors.evaluate`.
        **settings: `profile`, `rel`, `ties` and `undefined`, as for `rankworth.tensors.evaluate`. By default documents
            of one score stand in the order of their rows, and a query without relevant documents counts 0. With a
            profile values are those of `rankworth.evaluate`.

    Raises:
        MeasureError, UsageError: as `rankworth.tensors.evaluate`.

    >>> import numpy as np
    >>> lightgbm("nDCG@2", undefined=1)(np.array([1, 0, 0, 0]), np.array([9, 2, 5, 1]), None, np.array([2, 2]))
    ('nDCG@2', 1.0, True)
    """
    return LightGBMMeasure(measure, **settings)


def xgboost(measure: str | Measure | Fact, **settings: Unpack[Settings]) -> XGBoostMeasure:
    """Return a measure for `xgboost.train(custom_metric=...)`.

    XGBoost decides by the beginning of a name whether higher is better: nDCG, AP and P are called `ndcg`, `map` and
    `pre` here, so that early stopping works; for other measures say `EarlyStopping(rounds=5, maximize=True)`.
    `XGBRanker(eval_metric=...)` is refused: it asks for each query alone and weighs the values by rows.

    Args:
        measure: as for `lightgbm`.
        **settings: as for `lightgbm`.

    Raises:
        MeasureError, UsageError: as `rankworth.tensors.evaluate`.

    >>> xgboost("nDCG@10").name, xgboost("AP").name, xgboost("RR").name
    ('ndcg@10-rankworth', 'map-rankworth', 'RR-rankworth')
    """
    return XGBoostMeasure(measure, **settings)


def catboost(
    measure: str | Measure | Fact,
    pools: Any,  # noqa: ANN401 - Pools of CatBoost
    **settings: Unpack[Settings],
) -> CatBoostMeasure:
    """Return a measure for `CatBoost(eval_metric=...)`.

    CatBoost hands over labels and scores without groups; which pool they are of is told by the labels.

    Args:
        measure: as for `lightgbm`.
        pools: the `Pool` that is trained on and those of `eval_set`, with `group_id`: a list, or a single one.
        **settings: as for `lightgbm`.

    Raises:
        MeasureError, UsageError: as `rankworth.tensors.evaluate`; `conflicting-options` where two pools have the same
            labels and other queries.
        InputError: `input-type` where a pool is none, or has no labels or no groups.

    >>> class Pool:  # as that of CatBoost
    ...     def get_label(self):
    ...         return [0, 1, 1]
    ...     def get_group_id_hash(self):
    ...         return [7, 7, 3]
    >>> catboost("RR", Pool()).evaluate([[0.9, 0.2, 0.5]], [0, 1, 1], None)
    (0.75, 1.0)
    """
    rows = [_rows_of_pool(pool) for pool in (pools if isinstance(pools, list | tuple) else [pools])]
    for first, second in combinations(rows, 2):
        if np.array_equal(first.labels, second.labels) and not np.array_equal(first.numbers, second.numbers):
            text = f"two pools have the same {first.labels.size:,} labels and other queries; CatBoost does not tell "
            text += "which is evaluated"
            raise UsageError("conflicting-options", text, remedy="leave a row out of one of them")
    return CatBoostMeasure(measure, rows, **settings)


def _rows_of_pool(pool: Any) -> LabelledRows:  # noqa: ANN401 - a Pool of CatBoost
    """Return the labels and queries of the rows of a pool."""
    remedy = "give catboost.Pool(X, y, group_id=qid)"
    if not has_group_ids(pool):
        text = f"a Pool of CatBoost is needed, and this is {type(pool).__name__}"
        raise InputError("input-type", text, remedy=remedy)
    rows = labelled_groups(pool, remedy)
    labels = np.asarray(rows.labels, dtype=np.float32).reshape(-1)
    read = getattr(pool, "get_weight", None)
    weights = np.ones(labels.size) if read is None else np.asarray(read(), dtype=np.float64)
    return LabelledRows(labels, _numbers_of_ids(rows.qid), weights)


def scorer(
    measure: str | Measure | Fact,
    *,
    qid: Any = None,  # noqa: ANN401 - a series of pandas
    **settings: Unpack[Settings],
) -> Scorer:
    """Return a scorer for `cross_val_score(scoring=...)` and the like of scikit-learn.

    Which rows are of one query is told by `qid`, by a column `qid` of `X`, or by `groups` where scikit-learn routes
    metadata. With `qid` a split that cuts a query in two is refused; a column does not tell, so that
    `cv=GroupKFold(), groups=...` has to keep queries whole.

    Args:
        measure: as for `lightgbm`.
        qid: the query of each row of all data: a series of pandas with the index of `X`.
        **settings: as for `lightgbm`.

    Raises:
        MeasureError, UsageError: as `rankworth.tensors.evaluate`.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"qid": [1, 1, 2], "score": [0.9, 0.2, 0.5]})
    >>> class Ranker:
    ...     def predict(self, X):
    ...         return X["score"]
    >>> scorer("RR")(Ranker(), rows, [0, 1, 1])
    0.75
    """
    return Scorer(measure, qid, **settings)

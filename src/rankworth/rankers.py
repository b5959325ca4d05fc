"""Measures in the training of rankers: as LightGBM, XGBoost and CatBoost call them, and a scorer of scikit-learn.

None of these libraries is imported here; what they hand over is taken as it is. The values are those of
`rankworth.tensors.evaluate`, which are those of `rankworth.evaluate` where documents of one score stand in the order
of their rows.

>>> import numpy as np
>>> measure = lightgbm("nDCG@2")
>>> measure(np.array([0, 1, 1, 0]), np.array([0.9, 0.2, 0.5, 0.1]), None, np.array([2, 2]))
('nDCG@2', 0.8154648767857288, True)
"""

from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack

import numpy as np

from rankworth import tensors
from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, UsageError, counted
from rankworth.measures import Fact, Measure
from rankworth.profiles import Profile
from rankworth.tensors.evaluation import Ties, Undefined

__all__ = ["CatBoostMeasure", "LightGBMMeasure", "RowMeasure", "Scorer", "XGBoostMeasure"]
__all__ += ["catboost", "lightgbm", "scorer", "xgboost"]

_XGBOOST: Final = {"nDCG": "ndcg", "AP": "map", "P": "pre"}
"""how XGBoost calls measures; it maximizes what begins so"""
_NO_GROUPS: Final = "the rows of queries are told apart by the sizes of groups, and there are none"


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

    """

    def __init__(self, measure: str | Measure | Fact, **settings: Unpack[Settings]) -> None:
        """Resolve the measure.

        Raises:
            MeasureError: where the measure is not known, misused, or several.
            UsageError: as `rankworth.tensors.evaluate`.

        """
        self._measured = tensors.prepared([measure], **settings)
        self.label = str(measure)

    def mean(self, labels: Any, scores: Any, numbers: Integers) -> float:  # noqa: ANN401 - arrays of any kind
        """Return the mean over the queries that count.

        Args:
            labels: `[N]`, the label of each row.
            scores: `[N]`, its score.
            numbers: `[N]`, the number of its query.

        Raises:
            InputError: as `rankworth.tensors.evaluate`.

        """
        scores, labels = (np.asarray(each, dtype=np.float64).reshape(-1) for each in (scores, labels))
        if not scores.size == labels.size == numbers.size:
            text = f"{self.label}: there are {counted(labels.size, 'label', 'labels')}, "
            text += f"{counted(scores.size, 'score', 'scores')} and {counted(numbers.size, 'row', 'rows')} of groups"
            raise InputError("row-count", text, remedy="give the groups of these rows")
        [value] = self._measured(scores, labels, indexes=numbers, check=True).mean().values()
        return float(value)


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

    def __call__(self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:  # noqa: ANN401, ARG002 - LightGBM looks at the names
        """Return name, value, and that higher is better.

        Args:
            y_true: labels; as `feval` the predictions.
            y_pred: predictions; as `feval` the Dataset.
            weight: not used: weights of rows are none of queries.
            group: the sizes of groups.

        Raises:
            InputError: `input-type` where there are no groups.

        """
        if hasattr(y_pred, "get_label"):
            y_true, y_pred, group = y_pred.get_label(), y_true, y_pred.get_group()
        if group is None:
            raise InputError("input-type", f"{self.label}: {_NO_GROUPS}", remedy="LGBMRanker.fit(..., eval_group=...)")
        return self.label, self.mean(y_true, y_pred, _numbers(group)), True


class XGBoostMeasure(RowMeasure):
    """A measure as XGBoost calls it, see `xgboost`."""

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
            InputError: `input-type` where there are no groups.

        """
        ends = np.asarray(data.get_uint_info("group_ptr"), dtype=np.int64)
        if not ends.size:
            raise InputError("input-type", f"{self.label}: {_NO_GROUPS}", remedy="DMatrix(..., qid=ids) or group=sizes")
        return self.name, self.mean(data.get_label(), predictions, _numbers(np.diff(ends)))


class CatBoostMeasure(RowMeasure):
    """A measure as CatBoost calls it, see `catboost`."""

    def __init__(self, measure: str | Measure | Fact, groups: Sequence[Integers], **settings: Unpack[Settings]) -> None:
        """Keep the queries of the rows of each pool, which CatBoost does not hand over."""
        super().__init__(measure, **settings)
        self._groups = {numbers.size: numbers for numbers in groups}

    def is_max_optimal(self) -> bool:
        """Return that higher is better."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:  # noqa: ANN401, ARG002 - CatBoost looks at the names
        """Return the mean, and 1 as its weight.

        Args:
            approxes: a list of the scores of the rows.
            target: their labels.
            weight: not used: weights of rows are none of queries.

        Raises:
            InputError: `row-count` where no pool has as many rows.

        """
        if (numbers := self._groups.get(len(target))) is None:
            known = ", ".join(f"{size:,}" for size in self._groups)
            text = f"{self.label}: CatBoost evaluates {len(target):,} rows, and groups were given for {known}"
            remedy = "give the groups of the pool that is trained on and of each eval_set: group=[of_train, of_test]"
            raise InputError("row-count", text, remedy=remedy)
        return self.mean(target, approxes[0], numbers), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the mean."""
        return error / weight if weight else 0.0


class Scorer(RowMeasure):
    """A scorer of scikit-learn, see `scorer`."""

    def __init__(self, measure: str | Measure | Fact, qid: Any, **settings: Unpack[Settings]) -> None:  # noqa: ANN401 - a series, or none
        """Keep the queries of all rows."""
        super().__init__(measure, **settings)
        self._qid = qid

    def __call__(self, estimator: Any, X: Any, y: Any, *, groups: Any = None) -> float:  # noqa: ANN401, N803 - as scikit-learn calls it
        """Score an estimator on rows.

        Args:
            estimator: predicts a score for each row.
            X: the rows.
            y: their labels.
            groups: the query of each row, where they are routed here.

        Raises:
            InputError: `input-type` where nothing tells queries apart; `scattered-rows` where the rows of a query are
                not all among these.

        """
        ids = self._ids(X) if groups is None else groups
        return self.mean(y, estimator.predict(X), _numbers_of_ids(ids))

    def _ids(self, rows: Any) -> Any:  # noqa: ANN401 - a frame
        """Return the query of each row."""
        if self._qid is not None:
            if not (hasattr(self._qid, "loc") and hasattr(rows, "index")):
                text = f"{self.label}: qid is looked up by the index of X, and one of both has none"
                raise InputError("input-type", text, remedy="give X as a frame and qid as a series of pandas")
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
        if "qid" in getattr(rows, "columns", ()):
            return rows["qid"]
        text = f"{self.label}: nothing tells which rows are of one query"
        remedy = "give a series by the index of X: rankworth.rankers.scorer(measure, qid=qid); or a column qid in X"
        raise InputError("input-type", text, remedy=remedy)


def lightgbm(measure: str | Measure | Fact, **settings: Unpack[Settings]) -> LightGBMMeasure:
    """Return a measure for `LGBMRanker.fit(eval_metric=...)` and `lightgbm.train(feval=...)`; early stopping works.

    Args:
        measure: such as `"nDCG@10"`, as for `rankworth.tensors.evaluate`.
        **settings: `profile`, `rel`, `ties` and `undefined`, as for `rankworth.tensors.evaluate`. By default documents
            of one score stand in the order of their rows, and a query without relevant documents counts 0.

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
    `pre` here, so that early stopping works; for other measures say `EarlyStopping(rounds, maximize=True)`.
    `XGBRanker` takes no callable, so that it cannot have one.

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
    group: Any,  # noqa: ANN401 - arrays of any kind
    **settings: Unpack[Settings],
) -> CatBoostMeasure:
    """Return a measure for `CatBoost(eval_metric=...)`.

    Args:
        measure: as for `lightgbm`.
        group: the query of each row, as `group_id` of the pool; a list of such arrays for the pool that is trained on
            and those of `eval_set`, which CatBoost does not tell apart but by their number of rows.
        **settings: as for `lightgbm`.

    Raises:
        MeasureError, UsageError: as `rankworth.tensors.evaluate`; `conflicting-options` where two pools have as many
            rows and other queries.

    >>> measure = catboost("RR", [1, 1, 2])
    >>> measure.evaluate([[0.9, 0.2, 0.5]], [0, 1, 1], None)
    (0.75, 1.0)
    """
    is_several = isinstance(group, list | tuple) and group and np.ndim(group[0]) == 1
    groups = [_numbers_of_ids(ids) for ids in (group if is_several else [group])]
    by_size: dict[int, Floats | Integers] = {}
    for numbers in groups:
        if not np.array_equal(by_size.setdefault(numbers.size, numbers), numbers):
            text = f"two pools have {numbers.size:,} rows and other queries; CatBoost does not tell which is evaluated"
            raise UsageError("conflicting-options", text, remedy="leave a row out of one of them")
    return CatBoostMeasure(measure, groups, **settings)


def scorer(
    measure: str | Measure | Fact,
    *,
    qid: Any = None,  # noqa: ANN401 - a series of pandas
    **settings: Unpack[Settings],
) -> Scorer:
    """Return a scorer for `cross_val_score(scoring=...)` and the like of scikit-learn.

    Which rows are of one query is told by `qid`, by a column `qid` of `X`, or by `groups=` where they are routed to the
    scorer. With `qid` a split that cuts a query in two is refused.

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

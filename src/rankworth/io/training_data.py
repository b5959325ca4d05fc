"""What rankers train on, a Dataset, a DMatrix or a Pool: its labels, its queries and their weights."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, counted


class LabelledGroups(NamedTuple):
    """Labels and the queries of rows, by sizes or by ids; the other of the two is None.

    Attributes:
        labels: `[N]`, the label of each row.
        group: `[Q]`, how many rows each query has.
        qid: `[N]`, the query of each row.

    """

    labels: Any
    group: Any = None
    qid: Any = None


def is_training_data(source: object) -> bool:
    """Return whether something is a Dataset, a DMatrix or a Pool."""
    return hasattr(source, "get_label")


def has_group_ids(source: object) -> bool:
    """Return whether something is a Pool."""
    return is_training_data(source) and hasattr(source, "get_group_id_hash")


def has_group_ends(source: object) -> bool:
    """Return whether something is a DMatrix."""
    return hasattr(source, "get_uint_info")


def labelled_groups(data: Any, remedy: str) -> LabelledGroups:  # noqa: ANN401 - whatever a program has
    """Return the labels and queries of a Dataset, a DMatrix or a Pool.

    Args:
        data: the Dataset, the DMatrix or the Pool.
        remedy: what helps where it has no labels or no groups.

    Raises:
        InputError: `input-type` where it has no labels or no groups.

    """
    labels, group, qid = _or_none(data.get_label), None, None
    if has_group_ids(data):
        qid = data.get_group_id_hash()
    elif has_group_ends(data):
        group = np.diff(np.asarray(data.get_uint_info("group_ptr"), dtype=np.int64))
    else:
        group = _or_none(data.get_group)
    queries = group if qid is None else qid
    if labels is None or not len(labels) or queries is None or not len(queries):
        lack = "groups" if labels is not None and len(labels) else "labels"
        raise InputError("input-type", f"the {type(data).__name__} has no {lack}", remedy=remedy)
    return LabelledGroups(labels, group, qid)


def query_weights(data: Any) -> Floats | None:  # noqa: ANN401 - whatever a program has
    """Return `[Q]`, the weights of the queries of a Dataset or a DMatrix, as its library uses them; None without any.

    LightGBM gives a query the mean of the weights of its rows, in single precision; XGBoost has a weight for each
    query. CatBoost's measures of rankings do not look at weights of rows, and a Pool does not tell those of groups.

    Args:
        data: the Dataset, the DMatrix or the Pool.

    Raises:
        InputError: `bad-weight` where a DMatrix has another number of weights than of queries, which XGBoost refuses.

    """
    if has_group_ids(data):
        return None
    read, group = getattr(data, "get_weight", None), labelled_groups(data, remedy="").group
    weights = None if read is None else _or_none(read)
    if weights is None or not len(weights):
        return None
    numbers = np.asarray(weights, dtype=np.float32)
    sizes = np.asarray(group, dtype=np.int64)
    if not has_group_ends(data):
        return of_rows(numbers, sizes)
    if numbers.size != sizes.size:
        text = f"the DMatrix has {counted(numbers.size, 'weight', 'weights')} and {counted(sizes.size)}"
        raise InputError("bad-weight", text, remedy="give a weight for each query: data.set_weight(weights)")
    return numbers.astype(np.float64)


def of_rows(weights: Any, sizes: Integers) -> Floats:  # noqa: ANN401 - an array of any kind
    """Return `[Q]`, the mean weight of the rows of each query, as LightGBM adds them, in single precision.

    Args:
        weights: `[N]`, of rows.
        sizes: `[Q]`, how many rows each query has.

    >>> of_rows([1, 2, 6], np.array([2, 1])).tolist()
    [1.5, 6.0]
    """
    numbers, starts = np.asarray(weights, dtype=np.float32), np.cumsum(sizes) - sizes
    sums = np.zeros(sizes.size, dtype=np.float32)
    for row in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > row)
        sums[longer] += numbers[starts[longer] + row]
    return (sums / np.maximum(sizes, 1).astype(np.float32)).astype(np.float64)


def _or_none(read: Callable[[], Any]) -> Any:  # noqa: ANN401 - an array
    """Return what was set, or None: a Dataset of LightGBM that is not constructed raises for what was not."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - LightGBM's own error, which is imported only with it
        return None

"""What rankers train on, a Dataset of LightGBM, a DMatrix of XGBoost, a Pool of CatBoost: its labels and queries."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankworth.errors import InputError


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


def _or_none(read: Callable[[], Any]) -> Any:  # noqa: ANN401 - an array
    """Return what was set, or None: a Dataset of LightGBM that is not constructed raises for what was not."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - LightGBM's own error, which is imported only with it
        return None

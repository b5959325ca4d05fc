"""Labels of items in place of judgements and a run: what may be given, and what it stands for."""

from collections.abc import Mapping, Sized
from typing import Any, NamedTuple

from rankworth.errors import InputError, UsageError
from rankworth.groups import ROW_WEIGHTS, Weights
from rankworth.io import grade_words
from rankworth.io.grade_words import Words
from rankworth.io.kinds import is_table
from rankworth.io.training_data import is_training_data, query_weights
from rankworth.io.usual_names import NONE
from rankworth.io.validate import LABELS
from rankworth.model import Run
from rankworth.scoring.counts import LONG_LIST


class Labelled(NamedTuple):
    """Labels of items in place of judgements and a run, as `rankworth.evaluate` takes them."""

    labels: object = None
    scores: object = None
    orders: object = None
    group: object = None
    qid: object = None
    padding: object = None


def refuse_row_weights(run: object, weights: Any) -> None:  # noqa: ANN401 - whatever a program has
    """Refuse a weight for each row, which a series of pandas would otherwise give to the queries 0, 1, 2 ...

    Args:
        run: the run, of which the rows are counted where it was made of labels.
        weights: the setting of that name.

    Raises:
        UsageError: `unknown-setting`.

    """
    is_listed = isinstance(weights, Sized) and not isinstance(weights, str | Mapping)
    if not is_listed or not isinstance(run, Run) or not run.of_rows or run.frame is None:
        return
    rows = run.frame.height
    if len(weights) == rows > run.frame["query"].n_unique():
        text = f"weights: there are {len(weights):,}, as many as rows"
        raise UsageError("unknown-setting", text, remedy=ROW_WEIGHTS)


def with_data_weights(labels: object, settings: Any) -> Any:  # noqa: ANN401 - a dict of settings
    """Return settings with the weights that a Dataset of LightGBM or a DMatrix of XGBoost holds.

    Args:
        labels: the labels of an evaluation, which may be such data.
        settings: the settings, of which `weights` may say the same.

    Raises:
        InputError: as `query_weights`.
        UsageError: `conflicting-options` where the settings say other weights.

    """
    of_data = query_weights(labels) if is_training_data(labels) else None
    if of_data is None:
        return settings
    weights = {str(query): weight for query, weight in enumerate(of_data.tolist())}
    said = settings.get("weights")
    if isinstance(said, Mapping) and {str(query): weight for query, weight in said.items()} == weights:
        return settings
    if said is not None:
        text = f"weights= and the {type(labels).__name__} both say how much a query counts, and not the same"
        remedy = "leave weights out, or give arrays: labels=data.get_label(), group=sizes, weights={...}"
        raise UsageError("conflicting-options", text, remedy=remedy)
    return {**settings, "weights": Weights.of(weights, source=f"the {type(labels).__name__}")}


def pair(
    qrels: object,
    run: object,
    labelled: Labelled,
    grades: Words = grade_words.NONE,
    columns: Mapping[str, str] = NONE,
) -> tuple[object, object]:
    """Return what stands for the judgements and the run of one evaluation.

    Args:
        qrels: judgements; None where there are labels.
        run: a run; None where there are labels.
        labelled: the labels of items and what stands beside them.
        grades: the grades that words mean among the labels.
        columns: which column of a frame of items holds what, where their names do not tell.

    Raises:
        InputError: `input-type`, and as `labels.ranked` and `label_rows.frames`.
        UsageError: `conflicting-options`.

    """
    if labelled.labels is None and run is None and is_table(qrels) and _is_of_items(qrels, columns):
        return _of_labels(labelled._replace(labels=qrels), grades, columns)
    if labelled.labels is None:
        if name := next((name for name, value in labelled._asdict().items() if value is not None), ""):
            text = f"{name} {'belong' if name in ('scores', 'orders') else 'belongs'} to labels, and there are none"
            raise UsageError("conflicting-options", text, remedy=LABELS)
        if qrels is None or run is None:
            text = "there are no judgements: qrels=None" if qrels is None else "there is no run: run=None"
            raise InputError("input-type", text, remedy=f"give judgements and a run: evaluate(qrels, run)\n{LABELS}")
        return qrels, run
    if qrels is not None or run is not None:
        text = "labels stand instead of judgements and a run, and there is one of them, too"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    return _of_labels(labelled, grades, columns)


def _of_labels(labelled: Labelled, grades: Words, columns: Mapping[str, str]) -> tuple[object, object]:
    """Return judgements and a run of labels: of rows where groups or query ids tell queries apart, of lists otherwise.

    Raises:
        InputError, UsageError: as `pair`.

    """
    labels, scores, orders, group, qid, padding = labelled
    is_data = is_training_data(labels)
    queries = {name: value for name, value in (("group", group), ("qid", qid)) if value is not None}
    if not (is_data or queries):
        from rankworth.io.labels import of_table, ranked  # noqa: PLC0415 - not needed for files

        if (items := of_table(labels, grades, columns)) is not None:
            if scores is not None or orders is not None:
                text = "labels are a table, in which scores are a column"
                raise UsageError("conflicting-options", text, remedy="leave scores and orders out")
            from rankworth.io.label_rows import of_items  # noqa: PLC0415 - brings the data frame library

            judgements, ranking = of_items(items, padding)
            return judgements, Run.of_positions(ranking)
        judged, run = ranked(labels, scores, orders, grades, padding)
        is_long = len(run) == 1 and not isinstance(labels, Mapping) and len(next(iter(run.values()))) >= LONG_LIST
        return judged, Run.of_positions(run, of_rows=is_long)
    from rankworth.io import label_rows  # noqa: PLC0415 - brings the data frame library

    if orders is not None:
        text = "orders are positions in the list of a query, and group and qid are about rows"
        raise UsageError("conflicting-options", text, remedy="give scores")
    rows = label_rows.of_data(labels) if is_data else label_rows.Rows(labels)
    if is_data and queries:
        text = f"{next(iter(queries))} tells queries apart, and so does the {type(labels).__name__}"
        raise UsageError("conflicting-options", text, remedy=f"leave {next(iter(queries))} out")
    judgements, ranking = label_rows.frames(rows._replace(scores=scores, padding=padding, **queries), grades)
    return judgements, Run.of_positions(ranking)


def _is_of_items(frame: object, columns: Mapping[str, str]) -> bool:
    """Return whether a frame is a table of items, which is judgements and a run."""
    from rankworth.io.labels import is_item_table  # noqa: PLC0415 - not needed for files

    return is_item_table(frame, columns)

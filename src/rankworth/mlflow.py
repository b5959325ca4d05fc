"""Measures as MLflow calls them: `metric("nDCG@10")` is for the `extra_metrics` of `mlflow.models.evaluate`.

MLflow is imported when one is made.
"""

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankworth.errors import RankworthWarning, UsageError
from rankworth.evaluation import evaluate
from rankworth.evaluation.runner import planned
from rankworth.measures import Fact, Measure
from rankworth.names import refuse_several
from rankworth.profiles import DEFAULT, Profile, profile_of
from rankworth.results.tables import log_name
from rankworth.results.values import Values
from rankworth.settings_keywords import OptionKeywords
from rankworth.stats.samples import check_sampling

if TYPE_CHECKING:
    from mlflow.metrics import MetricValue
    from mlflow.models import EvaluationMetric

__all__ = ["metric"]


def metric(
    measure: str | Measure | Fact,
    *,
    name: str | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    level: float = 0.95,
    **settings: Unpack[OptionKeywords],
) -> "EvaluationMetric":
    """Return a measure for `mlflow.models.evaluate(..., extra_metrics=[...])`.

    Each row of the evaluated table is a query, called by its place from 0. Its prediction is a list or an array of
    retrieved ids, best first, or a dict `{id: score}`; its target is a list or an array of relevant ids, or a dict
    `{id: grade}`.

    MLflow logs the mean as `nDCG_at_10/mean`, the ends of its interval as `/low` and `/high`, and as `/queries` how
    many queries count. Its table of rows has their values as `nDCG_at_10/score`, empty where a query does not count.

    Args:
        measure: such as `"nDCG@10"`, as for `rankworth.evaluate`.
        name: what MLflow calls it; by default the measure with the signs that MLflow takes, as `log_dict` has it.
        rel: the grade from which documents count as relevant, as for `rankworth.evaluate`.
        profile: the conventions, by name (`rankworth.PROFILES`). MLflow adds the name of one that is not the standard:
            `ndcg_at_10/mlflow-3.17/mean`.
        level: the confidence level of the interval.
        **settings: conventions that differ from the profile's, as for `rankworth.evaluate`, such as
            `duplicates="once"` where several chunks of one document are retrieved.

    Raises:
        MeasureError: where the measure is not known, misused, or several.
        UsageError: `missing-library`; `unknown-setting`.

    """
    try:
        from mlflow.metrics import MetricValue, make_metric  # noqa: PLC0415 - an optional library
    except ImportError:
        remedy = "pip install 'mlflow>=2.8'"
        raise UsageError("missing-library", "mlflow is not installed", remedy=remedy) from None
    chosen = profile_of(profile)
    asked = planned(chosen, [measure], rel, settings).measures
    refuse_several(measure, [each.label for each in asked], "MLflow has one number by each name")
    check_sampling(level, 0)

    def eval_fn(predictions: "Iterable[Any]", targets: "Iterable[Any]") -> "MetricValue":
        judged, ranked = ({str(row): ids for row, ids in enumerate(column)} for column in (targets, predictions))
        is_trial = len(judged) == 1  # MLflow tries the first row, which may be empty, before it evaluates all
        if is_trial and any(hasattr(ids, "__len__") and not len(ids) for ids in (judged["0"], ranked["0"])):
            return MetricValue(scores=[None])
        with warnings.catch_warnings():
            if is_trial:
                warnings.simplefilter("ignore", RankworthWarning)
            values = evaluate(judged, ranked, [measure], rel=rel, profile=chosen, **settings)
        return MetricValue(scores=_scores(values, judged), aggregate_results=_aggregates(values, level))

    is_standard = chosen == profile_of(DEFAULT)
    label, quantity = asked[0].label, asked[0].quantity
    return make_metric(
        eval_fn=eval_fn,
        greater_is_better=not (isinstance(quantity, Measure) and quantity.definition.better == "lower"),
        name=name or log_name(label),
        long_name=label,
        version=None if is_standard else chosen.name,
        metric_details=f"{label} of rankworth, profile {chosen.name}",
    )


def _scores(values: Values, queries: Iterable[str]) -> list[float | None]:
    """Return the value of each query, None where it does not count."""
    by_query = values.per_query.to_dict()
    [measure] = values.per_query.measures
    scores = (by_query.get(query, {}).get(measure, math.nan) for query in queries)
    return [float(score) if math.isfinite(score) else None for score in scores]


def _aggregates(values: Values, level: float) -> Mapping[str, float]:
    """Return the mean, the ends of its interval and the number of queries, without what is not defined."""
    [mean], [interval] = values.mean().values(), values.interval(level=level).values()
    numbers = {"mean": mean, "low": interval.low, "high": interval.high, "queries": values.counts.scored}
    return {name: float(number) for name, number in numbers.items() if math.isfinite(number)}

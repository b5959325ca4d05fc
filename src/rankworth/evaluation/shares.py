"""Means by the share of a gold span from which on a piece of a source counts as relevant."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rankworth.measures import Measure
from rankworth.profiles import ResolvedMeasure
from rankworth.results.values import Values, details, values_of, with_notices
from rankworth.scoring.counts import Notice
from rankworth.scoring.evaluator import Evaluation
from rankworth.scoring.plans import Plan

SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""the shares that are tried; with 0 a character is enough"""
TRIED: Final = f"where a relevant piece holds at least {', '.join(f'{share:g}' for share in SHARES)} of a gold span"


def plan_by_share(plan: Plan) -> Plan:
    """Return the measures of a plan that see pieces as documents, each with every share."""
    return Plan(plan.profile, with_every_share(filter(_sees_documents, plan.numbers)))


def with_every_share(measures: Iterable[ResolvedMeasure]) -> list[ResolvedMeasure]:
    """Return each measure with each of the shares that are tried."""
    return [
        replace(measure, label=_label(measure, share), judging=replace(measure.judging, span_share=share))
        for measure in measures
        for share in SHARES
    ]


def _sees_documents(measure: ResolvedMeasure) -> bool:
    """Return whether a measure looks at the grades of pieces, and neither at their characters nor at what they cost."""
    quantity = measure.quantity
    return isinstance(quantity, Measure) and not quantity.definition.needs and not quantity.uses_costs


def _label(measure: ResolvedMeasure, share: float) -> str:
    """Name a measure with a share."""
    return f"{measure.label} from {share:g}"


def with_shares(values: Values, evaluation: Evaluation, plan: Plan, by_share: Plan) -> Values:
    """Say how the means of a run depend on the share, if they do.

    Args:
        values: of the run.
        evaluation: the run, measured by both plans.
        plan: the measures.
        by_share: the same with every share.

    """
    means = values_of(evaluation, by_share, with_notices=False).mean()
    seen = [measure for measure in plan.numbers if _sees_documents(measure)]
    table = {str(measure.quantity): tuple(means[_label(measure, share)] for share in SHARES) for measure in seen}
    named = {measure.label: table[str(measure.quantity)] for measure in seen}
    changing = {label: row for label, row in named.items() if len({*map(_number, row)}) > 1}
    if changing:
        notice = Notice("span-shares", _sentence(values.run, changing, seen[0].judging.span_share))
        values = with_notices(values, [*values.notices, notice])
    return replace(values, _details=replace(details(values), by_share=table))


def _sentence(run: str, means: Mapping[str, Sequence[float]], share: float) -> str:
    """Say how means depend on the share."""
    rows = [f"{label} {', '.join(map(_number, row))}" for label, row in means.items()]
    return f"{run or 'the run'}: {TRIED} (--span-share; here {share:g}): {'; '.join(rows)}"


def _number(mean: float) -> str:
    """Show a mean."""
    return "n/a" if math.isnan(mean) else f"{mean:.4f}"

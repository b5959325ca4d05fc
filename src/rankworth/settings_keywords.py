"""Settings that users choose, as keywords of calls; written by `scripts/settings-keywords` from `settings`."""

from collections.abc import Mapping
from typing import TypedDict

from rankworth.settings import (
    DuplicateJudgements,
    Duplicates,
    Extra,
    Grades,
    Missing,
    Negative,
    NoRelevant,
    Order,
    ScoreType,
    Ties,
    Undefined,
    Unjudged,
)


class OptionKeywords(TypedDict, total=False):
    """Options of an evaluation, and the quirks of one or two tools by name."""

    order: Order
    """What orders documents: auto (lists stand as given, tables by score), score, rank, given."""
    score_type: ScoreType
    """Scores compared as float64 or float32."""
    ties: Ties
    """Among equal scores: id-descending id-ascending given given-reversed expected last best worst."""
    duplicates: Duplicates
    """Documents that a query ranks twice: error best (its highest score) first last sum mean-top-3 all once joined."""
    depth: int | None
    """Look at the first N documents of each query only (trec_eval's -M)."""
    unjudged: Unjudged
    """Documents that nobody judged: kept or removed."""
    duplicate_judgements: DuplicateJudgements
    """Documents that a query judges twice: error max first last all wanted spread."""
    span_share: float
    """Least share of a gold span that a relevant piece holds."""
    grades: Grades | Mapping[str, float]
    """Grades as given, truncated (1.9 is 1), or whole (others refused)."""
    negative: Negative
    """Negative grades: pooled zero dropped error error-retrieved."""
    missing: Missing
    """Judged queries without results: zero nought nan skip absent error."""
    extra: Extra
    """Queries that nobody judged: ignore zero error."""
    no_relevant: NoRelevant
    """Queries without a relevant document: keep nan skip error, silence (1 for no results, 0 for any), or a value."""
    undefined: Undefined
    """Values without a divisor: a number, nan skip error."""
    round_values: int | None
    """Decimals of the value of each query."""
    exclude: object
    weights: object
    macro: object
    history: object
    items: object
    expected_run: object
    forbidden: object
    quirks: Mapping[str, object] | None

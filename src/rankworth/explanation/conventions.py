"""Which settings each step of a value follows."""

from dataclasses import fields
from typing import Any, Final

from rankworth.averaging import Averaging
from rankworth.judging.settings import Judging
from rankworth.measures import Measure
from rankworth.measures.parameters import plain
from rankworth.profiles import STANDARD, Asked

RANK: Final = (
    *("order", "score_type", "ties", "duplicates", "depth", "unjudged", "exclude", "exclude_from"),
    *("unretrieved", "blocks", "pairing", "query_ids"),
)
"""settings that decide where a document stands"""
GRADE: Final = (*("duplicate_judgements", "grades", "negative", "judgements", "pool", "scored", "highest", "above"),)
"""settings that decide what grade it has"""
VALUE: Final = (
    *("missing", "extra", "empty", "no_relevant", "relevant_by", "neither", "all_negative", "undefined", "no_hit"),
    *("round_values", "halves"),
)
"""settings that decide what becomes of the value of a query"""


def settings(asked: Asked, measure: Measure) -> dict[str, dict[str, Any]]:
    """All settings in force by step: where documents stand, their grades, the parameters of the measure, the value."""
    chosen = {name: _plain(getattr(asked.judging, name)) for name in (*RANK, *GRADE)}
    parameters: dict[str, Any] = {name: _plain(value) for name, value in measure.parameters.items()}
    parameters |= {"cutoff": measure.cutoff} if not measure.definition.at else {}
    parameters |= {"judged_only": True} if measure.judged_only else {}
    return {
        "rank": {name: chosen[name] for name in RANK},
        "grade": {name: chosen[name] for name in GRADE},
        "terms": parameters,
        "value": {name: _plain(getattr(asked.averaging, name)) for name in VALUE},
    }


def differing(asked: Asked, step: tuple[str, ...]) -> dict[str, Any]:
    """The settings of a step that are not those of the standard."""
    found = {}
    for name in step:
        pairs = [getattr(one.judging if name in _JUDGING else one.averaging, name) for one in (asked, STANDARD)]
        if pairs[0] != pairs[1]:
            found[name] = pairs[0]
    return found


def said(named: dict[str, Any]) -> str:
    """Settings as they are typed.

    >>> said({"ties": "given", "undefined": 1.0})
    'ties=given, undefined=1'
    """
    return ", ".join(f"{name}={plain(value)}" for name, value in named.items())


_JUDGING: Final = frozenset(one.name for one in fields(Judging))
_AVERAGING: Final = frozenset(one.name for one in fields(Averaging))


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a setting holds
    """A value as JSON holds it."""
    return value if value is None or isinstance(value, str | int | float) else str(value)

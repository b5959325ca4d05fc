"""What is correlated: two runs, two rankings of one list of documents, or two sets of scores."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.correlation.pairing import Pairing, repeated_document
from rankworth.errors import InputError
from rankworth.io.scalars import text
from rankworth.judging import inputs
from rankworth.model import Run

_RANKING: Final = "one ranking is a list of ids, best first, an array of scores, or {id: score}"


class Ranked(NamedTuple):
    """One ranking that belongs to no query."""

    groups: Sequence[Collection[str]]
    """documents that share a rank together, best first"""
    scores: Mapping[str, float] | None
    """what they are ranked by; None for a list"""


def source(given: object, name: str) -> Run | Ranked:
    """A run, or a ranking: a list of ids, in which a list or a set holds tied ones, or scores by id, higher first.

    Raises:
        InputError: `input-type`, `bad-score`, `duplicate-document`, and as `evaluate`.

    """
    if isinstance(given, np.ndarray) and given.ndim == 1:
        if given.dtype.kind in "fiu":
            return _scored((str(place), score) for place, score in enumerate(given.tolist()))
        given = given.tolist()
    if isinstance(given, Mapping) and all(_is_number(one) for one in given.values()):
        return _scored((text(item, "documents"), score) for item, score in given.items())
    if isinstance(given, list | tuple) and all(_is_id(one) or _is_group(one) for one in given):
        groups = ([one] if _is_id(one) else one for one in given)
        texts = ([text(item, "documents") for item in group] for group in groups)
        return Ranked([sorted(group) for group in texts], None)  # the order within a set is not the same twice
    if isinstance(given, list | tuple) and given and all(_is_number(one) for one in given):
        what = "a list of numbers: are they ids, or scores?"
        raise InputError(
            "input-type", what, remedy="ids are texts or whole numbers; scores are an array or {id: score}"
        )
    try:
        return inputs.run(given, name)
    except InputError as error:
        if error.slug != "input-type":
            raise
        raise InputError(error.slug, *error.problems, remedy=f"{error.remedy}\n{_RANKING}".strip()) from None


def pairing(first: Ranked, second: Ranked) -> Pairing:
    """Two rankings side by side.

    Raises:
        InputError: `duplicate-document`.

    """
    return Pairing.of_lists(first.groups, second.groups)


def _scored(given: Iterable[tuple[str, Any]]) -> Ranked:
    groups: dict[float, list[str]] = {}
    scores: dict[str, float] = {}
    for item, score in given:
        if item in scores:
            raise repeated_document(item, "")
        try:
            scores[item] = float(score)
        except OverflowError:
            raise InputError("bad-score", f"the score of {item!r} is beyond what a float holds") from None
        if math.isnan(scores[item]):
            raise InputError("bad-score", f"the score of {item!r} is not a number", remedy="leave it out")
        groups.setdefault(scores[item], []).append(item)
    return Ranked([groups[score] for score in sorted(groups, reverse=True)], scores)


def _is_number(one: object) -> bool:
    return isinstance(one, Real | np.number) and not isinstance(one, bool | np.bool_)


def _is_id(one: object) -> bool:
    return isinstance(one, str | int | np.integer) and not isinstance(one, bool)


def _is_group(one: object) -> bool:
    return isinstance(one, list | tuple | set | frozenset) and bool(one) and all(map(_is_id, one))

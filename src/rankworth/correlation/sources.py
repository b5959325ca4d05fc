"""What is correlated: two runs, two rankings of one list of documents, or two sets of scores."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, NamedTuple

import numpy as np

from rankworth.correlation.methods import Method
from rankworth.correlation.pairing import Pairing, repeated_document
from rankworth.errors import InputError
from rankworth.io.scalars import text
from rankworth.judging import inputs
from rankworth.model import Run

_EITHER: Final = "ids are texts or whole numbers; scores are an array or {id: score}"
_RANKING: Final = "one ranking is a list of ids, best first, an array of scores, or {id: score}"


class Ranked(NamedTuple):
    """One ranking that belongs to no query."""

    groups: Sequence[Collection[str]]
    """documents that share a rank together, best first"""
    scores: Mapping[str, float] | None
    """what they are ranked by; None for a list"""


def numbers_are_scores(x: object, y: object, methods: Sequence[Method]) -> bool:
    """Whether a list of numbers holds scores, as for coefficients of correlation, or ids, as for overlaps.

    Beside a list of texts it holds ids, too.

    Raises:
        InputError: `input-type` where methods of both kinds are asked for.

    """
    lists = [_listed(one) for one in (x, y)]
    numbers = [one is not None and bool(one) and all(map(_is_number, one)) for one in lists]
    if not any(numbers) or any(one and not number for one, number in zip(lists, numbers, strict=True)):
        return False
    scored = [one.label for one in methods if one.correlates]
    named = [one.label for one in methods if not one.correlates]
    if scored and named:
        what = f"a list of numbers holds scores for {', '.join(scored)} and ids for {', '.join(named)}"
        raise InputError("input-type", what, remedy=f"ask for them one after the other, or say which it is: {_EITHER}")
    return bool(scored)


def source(given: object, name: str, *, scores: bool = False) -> Run | Ranked:
    """A run, or a ranking: a list of ids, in which a list or a set holds tied ones, or scores by id, higher first.

    Args:
        given: what users have.
        name: what tables call it.
        scores: whether a list of numbers holds scores, told apart by place.

    Raises:
        InputError: `input-type`, `bad-score`, `duplicate-document`, and as `evaluate`.

    """
    if scores and isinstance(given, list | tuple) and given and all(map(_is_number, given)):
        return _scored((str(place), score) for place, score in enumerate(given))
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
        raise InputError("input-type", "a list of numbers holds ids, and some of these are no ids", remedy=_EITHER)
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


def _listed(given: object) -> Sequence[Any] | None:
    """The items of a list of ids or numbers; None where it is something else."""
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind not in "fiu":
        given = given.tolist()
    if isinstance(given, list | tuple) and all(_is_id(one) or _is_number(one) or _is_group(one) for one in given):
        return given
    return None


def _is_number(one: object) -> bool:
    return isinstance(one, Real | np.number) and not isinstance(one, bool | np.bool_)


def _is_id(one: object) -> bool:
    return isinstance(one, str | int | np.integer) and not isinstance(one, bool)


def _is_group(one: object) -> bool:
    return isinstance(one, list | tuple | set | frozenset) and bool(one) and all(map(_is_id, one))

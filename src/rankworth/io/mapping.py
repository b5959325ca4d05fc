"""Dicts of dicts, `{query: {document: number}}`, checked as far as that costs nothing per document."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted

_INTEGERS: Final = (int, np.integer)


def read(source: Mapping[Any, Any], value: str) -> dict[str, Mapping[Any, Any]]:
    """The inner dicts by query id as text; nothing is copied.

    Raises:
        InputError: `empty-input`, `id-type`, `duplicate-document`, `duplicate-judgement`, `nested-runs`, `bad-score`,
            `bad-grade`.

    """
    if not source:
        raise InputError("empty-input", "the dict has no queries")
    what = "judgements" if value == "grade" else "a run"
    for query, documents in source.items():
        if type(documents) is dict and type(next(iter(documents.values()), None)) in (float, int):
            continue
        if not isinstance(documents, Mapping):
            raise InputError(
                "input-type",
                f"{what} as a dict is {{query: {{document: {value}}}}}; query {query!r} holds {type(documents).__name__}",
            )
        first = next(iter(documents.values()), None)
        if isinstance(first, Mapping):
            raise InputError(
                "nested-runs",
                f"query {query!r} holds a dict of dicts; this looks like a dict of several runs",
                remedy="rankworth.evaluate_runs(qrels, {name: run, ...}, measures) takes several",
            )
        if isinstance(first, str | bytes):
            raise InputError(f"bad-{value}", f"query {query!r} holds the text {first!r} where a {value} belongs")
    return texts(source, duplicate="duplicate-document" if value == "score" else "duplicate-judgement")


def texts(source: Mapping[Any, Any], *, duplicate: str) -> dict[str, Any]:
    """The same dict with its ids as text; the dict itself where they are text already."""
    if set(map(type, source)) <= {str}:
        return source if type(source) is dict else dict(source)
    named = {text(key): item for key, item in source.items()}
    if len(named) < len(source):
        seen: dict[str, Any] = {}
        twice = [name for key in source if (name := text(key)) in seen or seen.setdefault(name, key) is None]
        raise InputError(duplicate, f"as text, ids occur twice: {quoted(twice)} (an integer and a text of one look?)")
    return named


def text(key: object) -> str:
    """An id as text: itself, or an integer's decimal digits."""
    if isinstance(key, str):
        return str(key)
    if isinstance(key, _INTEGERS) and not isinstance(key, bool):
        return str(int(key))
    raise InputError("id-type", f"the id {key!r} is {type(key).__name__}; ids are text or integers")


def numbers(parts: Iterable[Mapping[Any, Any]], count: int, value: str) -> NDArray[np.float64]:
    """All values of several dicts in one array.

    Raises:
        InputError: `bad-score` or `bad-grade` with the first value that is no number.

    """
    dicts = list(parts)
    try:
        array = np.fromiter(chain.from_iterable(part.values() for part in dicts), np.float64, count)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    sound = not np.isnan(array).any() if value == "score" else bool(np.isfinite(array).all())
    if not sound:
        for part in dicts:
            for document, number in part.items():
                if not _is_number(number, infinite=value == "score"):
                    raise InputError(f"bad-{value}", f"the {value} of document {document!r} is {number!r}, not a number")
    return array


def _is_number(number: object, *, infinite: bool) -> bool:
    try:
        converted = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return converted == converted if infinite else abs(converted) < float("inf")  # noqa: PLR0124 - NaN test

"""Dicts of dicts, `{query: {document: number}}`, checked as far as that costs nothing per document."""

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from reprlib import Repr
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted

_INTEGERS: Final = (int, np.integer)
_SEVERAL: Final = {"score": "runs", "grade": "sets of judgements"}
_CALLED: Final = {"score": "the run", "grade": "the judgements"}
_PRINTER: Final = Repr()
_PRINTER.maxstring = _PRINTER.maxother = 60


def read(source: Mapping[Any, Any], value: str, name: str) -> dict[str, Mapping[Any, Any]]:
    """The inner dicts by query id as text; none is copied, and those of a run that are empty are left out.

    Args:
        source: `{query: {document: number}}`.
        value: `"score"` or `"grade"`.
        name: what messages call it.

    Raises:
        InputError: `empty-input`, `id-type`, `missing-value`, `duplicate-document`, `duplicate-judgement`,
            `input-type`, `nested-runs`, `bad-score`, `bad-grade`.

    """
    for query, documents in source.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                "input-type",
                f"{name}: query {query!r} holds {type(documents).__name__}, not a dict {{document: {value}}}",
                remedy="a list in rank order becomes {document: -rank for rank, document in enumerate(documents)}"
                if value == "score" and isinstance(documents, Sequence)
                else f"a dict of dicts is {{query: {{document: {value}}}}}",
            )
        first = next(iter(documents.values()), None)
        if isinstance(first, Mapping):
            raise InputError(
                "nested-runs",
                f"{name}: {query!r} holds a dict of dicts, so this looks like several {_SEVERAL[value]}",
                remedy="rankworth.evaluate_runs(qrels, {name: run, ...}, measures) takes several runs"
                if value == "score"
                else "take one of them; for judgements by subtopic, give a frame: query, subtopic, document, grade",
            )
    if not any(source.values()):
        raise InputError("empty-input", f"{name}: the dict has no {'documents' if source else 'queries'}")
    if value == "score" and not all(source.values()):
        source = {query: documents for query, documents in source.items() if documents}
    return texts(source, duplicate="duplicate-document" if value == "score" else "duplicate-judgement", name=name)


def texts(source: Mapping[Any, Any], *, duplicate: str, name: str = "the dict") -> dict[str, Any]:
    """The same dict with its ids as text; the dict itself where they are text already.

    Raises:
        InputError: `id-type`, `missing-value`; `duplicate`, where an integer and a text are the same id.

    """
    if set(map(type, source)) <= {str}:
        return source if type(source) is dict else dict(source)
    named = {text(key, name): item for key, item in source.items()}
    if len(named) < len(source):
        twice = [key for key, times in Counter(map(text, source)).items() if times > 1]
        raise InputError(
            duplicate,
            f"{name}: as text, {len(twice):,} {'id is' if len(twice) == 1 else 'ids are'} there twice: {quoted(twice)}",
            remedy="ids are compared as text, so an integer and a text may be one; keep one of each",
        )
    return named


def text(key: object, name: str = "") -> str:
    """An id as text: itself, or an integer's decimal digits.

    Raises:
        InputError: `id-type`, `missing-value`.

    """
    if isinstance(key, str):
        return str(key)
    if isinstance(key, _INTEGERS) and not isinstance(key, bool):
        return str(int(key))
    if key is None:
        raise InputError(
            "missing-value", f"{name}{': ' if name else ''}an id is None", remedy="leave it out, or give it"
        )
    raise InputError(
        "id-type",
        f"{name}{': ' if name else ''}the id {shown(key)} is {type(key).__name__}; ids are text or integers",
        remedy="convert the ids to text, as they stand in the other input",
    )


def numbers(
    parts: Iterable[Mapping[Any, Any]],
    count: int,
    value: str,
    queries: Sequence[str] = (),
    *,
    beside: Callable[[int], None] | None = None,
) -> NDArray[np.float64]:
    """All values of several dicts in one array.

    Args:
        parts: the dicts.
        count: how many values they have.
        value: `"score"` or `"grade"`.
        queries: whose dicts they are, for messages.
        beside: called with the place of each dict when its values were read, for what else is to be done with it: a
            dict costs much less while it is in the processor's cache.

    Raises:
        InputError: `bad-score`, `bad-grade` or `missing-value` with the first value that is no number.

    """
    dicts = list(parts)
    array = np.empty(count)
    start = 0
    try:
        for place, part in enumerate(dicts):
            _packer(len(part)).pack_into(array.data, start, *part.values())
            start += 8 * len(part)
            if beside is not None:
                beside(place)
    except struct.error:
        array = np.full(1, np.nan)
    sound = not np.isnan(array).any() if value == "score" else bool(np.isfinite(array).all())
    if not sound:
        for place, part in enumerate(dicts):
            for document, number in part.items():
                if not is_number(number, infinite=value == "score"):
                    where = f"query {queries[place]!r}, document {document!r}" if queries else f"document {document!r}"
                    raise _not_a_number(number, value, f"{_CALLED[value]}: {where}")
        raise InputError("input-type", "a dict does not give as many values as it says, or changes while it is read")
    return array


def _not_a_number(number: object, value: str, where: str) -> InputError:
    """The error for a score or a grade that is none."""
    if number is None:
        return InputError(
            "missing-value", f"{where}: the {value} is None", remedy="leave the document out, or fill it in"
        )
    remedy = f"leave out what has no finite {value}, or mend what made it"
    if isinstance(number, str):
        remedy = "write it as a number: float(text) makes one of a text"
    return InputError(f"bad-{value}", f"{where}: the {value} is {shown(number)}, not a number", remedy=remedy)


def is_number(number: object, *, infinite: bool = True) -> bool:
    """Whether this is a real number of any library, and not a text that looks like one."""
    try:
        (converted,) = _packer(1).unpack(_packer(1).pack(number))
    except struct.error:
        return False
    return not math.isnan(converted) if infinite else math.isfinite(converted)


def shown(item: object) -> str:
    """An object as it is written in Python, shortened."""
    return _PRINTER.repr(item)


@lru_cache(maxsize=1024)
def _packer(length: int) -> struct.Struct:
    """Takes what has a float, as Python says, and no text."""
    return struct.Struct(f"={length}d")

"""Dicts of dicts, `{query: {document: number}}`, checked as far as that costs nothing per document."""

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, quoted
from rankworth.io.scalars import Show, is_blank, is_number, no_number, packer, shown, text
from rankworth.io.scalars import numbers as with_blanks

_SEVERAL: Final = {"score": "runs", "grade": "sets of judgements"}
_CALLED: Final = {"score": "the run", "grade": "the judgements"}


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
        empty = f"{name}: the dict has no {'documents' if source else 'queries'}"
        raise InputError("empty-input", empty, remedy=f"as in {{query: {{document: {value}}}}}")
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


def numbers(
    parts: Iterable[Mapping[Any, Any]],
    count: int,
    value: str,
    queries: Sequence[str],
    *,
    name: str = "",
    beside: Callable[[int], None] | None = None,
    show: Show = shown,
    blanks: bool = False,
) -> NDArray[np.float64]:
    """All values of several dicts in one array.

    Args:
        parts: the dicts.
        count: how many values they have.
        value: `"score"` or `"grade"`.
        queries: whose dicts they are, for messages.
        name: what messages call them, if not the run or the judgements.
        beside: called with the place of each dict when its values were read, for what else is to be done with it: a
            dict costs much less while it is in the processor's cache.
        show: how messages show a number.
        blanks: whether grades may be blank, which are NaN then.

    Raises:
        InputError: `bad-score`, `bad-grade` or `missing-value` with the first value that is no number.

    """
    dicts = list(parts)
    array = np.empty(count)
    start = 0
    try:
        for place, part in enumerate(dicts):
            packer(len(part)).pack_into(array.data, start, *part.values())
            start += 8 * len(part)
            if beside is not None:
                beside(place)
    except struct.error:
        array = np.full(1, np.nan)
    sound = not np.isnan(array).any() if value == "score" else bool(np.isfinite(array).all())
    if not sound:
        every = [number for part in dicts for number in part.values()] if blanks else []
        if any(map(is_blank, every)):
            pairs = [(queries[place], document) for place, part in enumerate(dicts) for document in part]
            called = name or _CALLED[value]

            def stands(place: int) -> str:
                return "{}: query {!r}, document {!r}: the {}".format(called, *pairs[place], value)

            return with_blanks(every, value, stands, show=show)
        for place, part in enumerate(dicts):
            for document, number in part.items():
                if not is_number(number, infinite=value == "score"):
                    where = f"{name or _CALLED[value]}: query {queries[place]!r}, document {document!r}"
                    raise no_number(number, value, f"{where}: the {value}", show=show)
        raise InputError("input-type", "a dict does not give as many values as it says, or changes while it is read")
    return array

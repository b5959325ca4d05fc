"""Ids, scores and grades of programs and of JSON: as text and as float64, and what is wrong with all others."""

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import PurePath
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rankworth.errors import InputError, not_text, quoted
from rankworth.io import grade_words
from rankworth.io.grade_words import Words
from rankworth.io.layout import NUMBER
from rankworth.io.usual_names import SPELLINGS

if TYPE_CHECKING:
    import polars as pl


Where = Callable[[int], str]
"""Says of an item what it is and where it stands: `a.jsonl:3: the score`."""

_PRINTER: Final = Repr()
_PRINTER.maxstring = _PRINTER.maxother = 60
_LARGEST: Final = 1 << 63
SMALL: Final = 10
"""up to which number labels are usual"""
AS_TEXT: Final = "convert the ids to text, as they are in the other input"
ROW: Final = "a row is a dict, a tuple, or an object with fields of its own; an id is a text, an integer or a UUID"
_TEXTS: Final = (str, UUID, PurePath)
LABELS: Final = "labels go with scores or orders of the same items: labels=[[1, 0, 2]], scores=[[0.9, 0.2, 0.7]]"


def shown(item: object) -> str:
    """Write an object as Python does, shortened."""
    return _PRINTER.repr(item)


def kind(item: object) -> str:
    """Name the type of an object with its module: `uuid.UUID`."""
    of_item = type(item)
    return of_item.__qualname__ if of_item.__module__ == "builtins" else f"{of_item.__module__}.{of_item.__qualname__}"


def is_integer(kind: type) -> bool:
    """Return whether things of this kind are integers, of Python or NumPy, and not truth values."""
    return issubclass(kind, int | np.integer) and kind is not bool


@dataclass(frozen=True)
class IdKinds:
    """Whether ids of queries and of documents came as integers, so that they go back as such; None without ids."""

    query: bool | None = None
    document: bool | None = None

    def with_ids(self, role: str, ids: Iterable[object]) -> "IdKinds":
        """Return what is known with some ids more.

        Args:
            role: `"query"` or `"document"`; of others nothing is known.
            ids: as they came.

        """
        kinds = set(map(type, ids)) if role in ("query", "document") else set()
        are_integers = all(map(is_integer, kinds)) and getattr(self, role, None) is not False
        if not kinds or getattr(self, role) is are_integers:
            return self
        return replace(self, **{role: are_integers})

    def integers(self, role: str) -> bool:
        """Return whether there are ids of these and all of them are integers."""
        return bool(getattr(self, role))

    def back(self, role: str, ids: Sequence[str]) -> list[Any]:
        """Return some ids as they came: as integers where all of these were integers, else as text.

        Args:
            role: `"query"` or `"document"`.
            ids: as text; where one of them is not written as an integer of 64 bits is, all stay text.

        """
        try:
            numbers = list(map(int, ids)) if self.integers(role) else []
        except ValueError:
            return list(ids)
        fit = bool(numbers) and min(numbers) >= -_LARGEST and max(numbers) < 2 * _LARGEST
        return numbers if fit and list(map(str, numbers)) == list(ids) else list(ids)


def is_id(item: object) -> bool:
    """Return whether this is a text, an integer, a UUID or a path."""
    return isinstance(item, _TEXTS) or is_integer(type(item))


def text(item: object, name: str = "") -> str:
    """Return an id as text: itself, an integer's decimal digits, or a UUID or a path as they are written.

    Raises:
        InputError: `id-type`, `missing-value`.

    """
    if isinstance(item, _TEXTS):
        return str(item)
    if is_integer(type(item)):
        return str(int(item))  # type: ignore[call-overload]
    raise no_id(item, f"{name}: the id" if name else "the id")


def texts(items: Iterable[object]) -> list[str]:
    """Return ids as texts, as `text` does."""
    every = list(items)
    return every if set(map(type, every)) <= {str} else list(map(text, every))  # type: ignore[return-value]


def refuse_halves(ids: Iterable[object], called: str, role: str = "query") -> None:
    """Refuse ids that hold half of a surrogate pair, as files and frames do.

    Args:
        ids: of queries or documents.
        called: what messages call the place where they come from.
        role: they are ids of.

    Raises:
        InputError: `id-type`.

    """
    texts = [item for item in ids if isinstance(item, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        item = next(item for item in texts if any("\ud800" <= sign < "\ue000" for sign in item))
        raise not_text(f"{called}: the {role} {item!r}") from None


def id_column(role: str, texts: Sequence[str], where: Where) -> "pl.Series":
    """Convert ids to a column.

    Args:
        role: `"query"`, `"document"` or `"subtopic"`.
        texts: the ids as text.
        where: for messages.

    Raises:
        InputError: `id-type` for half of a surrogate pair, which no file can hold.

    """
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    try:
        return pl.Series(role, texts, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise not_text(f"{where(texts.index(error.object))}: the {role} {error.object!r}") from None


def text_ids(entries: Sequence[Any], where: Where, *, remedy: str = AS_TEXT) -> list[str]:
    """Convert ids to text.

    Args:
        entries: the ids.
        where: for messages.
        remedy: what helps where an id is something else.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    kinds = set(map(type, entries))
    if kinds <= {str}:
        return list(entries)
    if kinds <= {str, int}:
        return list(map(str, entries))
    for row, item in enumerate(entries):
        if not is_id(item):
            raise no_id(item, where(row), remedy=remedy)
    return list(map(text, entries))


def no_id(item: object, where: str, *, remedy: str = AS_TEXT) -> InputError:
    """Build the error for an id that is none."""
    if item is None:
        return InputError("missing-value", f"{where} is missing", remedy="leave it out, or give it")
    text = f"{where} {shown(item)} is {type(item).__name__}; ids are text or integers"
    return InputError("id-type", text, remedy=remedy)


def numbers(
    entries: Sequence[Any], value: str, where: Where, *, remedy: str = "", words: Words = grade_words.NONE
) -> NDArray[np.float64]:
    """Convert numbers of any library to float64; ranks and distances to scores, so that the smallest is the highest.

    A text that reads as a number is that number. A grade that is blank becomes NaN.

    Args:
        entries: the numbers.
        value: `"score"` or `"distance"`, which may be infinite; `"rank"` or `"grade"`.
        where: for messages.
        remedy: as for `no_number`.
        words: the grades that words mean.

    Raises:
        InputError: `missing-value`, `bad-score`, `bad-grade`.

    """
    if isinstance(words, grade_words.TextCounts):
        counts = [words.of(item) for item in entries]
        return numbers(counts, value, where, remedy=remedy)
    items = (
        [_grade_of(item, words) for item in entries] if value == "grade" and str in set(map(type, entries)) else entries
    )
    try:
        array = np.frombuffer(packer(len(items)).pack(*items))
        bad = np.flatnonzero(np.isnan(array) if value in ("score", "distance") else ~np.isfinite(array))
        if not bad.size:
            return 0.0 - array if value in ("rank", "distance") else array
        row = int(bad[0])
    except struct.error:
        if value != "grade" and (read := unquoted(entries)) != list(entries):
            return numbers(read, value, where, remedy=remedy)
        row = next(row for row, item in enumerate(items) if not _is_real(item))
    if value == "grade" and any(map(is_blank, items)):
        blank = np.array(list(map(is_blank, items)), dtype=bool)
        filled = [0 if is_blank(item) else item for item in items]
        return np.where(blank, np.nan, numbers(filled, value, where, remedy=remedy, words=words))
    if value == "grade" and isinstance(items[row], str):
        remedy = grade_words.advice((item for item in items if isinstance(item, str)), words) or remedy
    raise no_number(items[row], value, where(row), remedy=remedy)


def _grade_of(item: Any, words: Words) -> Any:  # noqa: ANN401 - whatever stands there
    """Return the grade of a text, None for an empty text, and anything else unchanged."""
    if not isinstance(item, str):
        return item
    grade = grade_words.number(item, words)
    return grade if grade is not None else (item if item.strip() else None)


def is_blank(item: object) -> bool:
    """Return whether this stands where a number is missing: None, NaN, or what pandas has for them."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, float | np.floating) and bool(np.isnan(item))


def no_number(item: object, value: str, where: str, *, remedy: str = "") -> InputError:
    """Build the error for a score, a rank or a grade that is none.

    Args:
        item: what it is.
        value: what it should be.
        where: what it is called and where it stands.
        remedy: what helps; for the usual advice nothing.

    """
    if item is None:
        remedy = remedy or f"leave the document out, or give it a {value}"
        return InputError("missing-value", f"{where} is missing", remedy=remedy)
    infinite = isinstance(item, float) and math.isinf(item)
    remedy = remedy or f"leave out what has no finite {value}, or fix what made it"
    text = f"{where} is {shown(item)}, not a {'finite ' if infinite else ''}number"
    return InputError("bad-grade" if value == "grade" else "bad-score", text, remedy=remedy)


def unquoted(items: Iterable[Any]) -> list[Any]:
    """Return the numbers of texts that read as a number in a table would, as "81.5"; other items as they are."""
    return [_unquoted(item) if isinstance(item, str) else item for item in items]


def _unquoted(text: str) -> float | str:
    bare = text.strip()
    if not NUMBER.fullmatch(bare) or math.isnan(number := float(bare)):
        return text
    return int(number) if bare.isdecimal() and number < _LARGEST else number


def as_float64(items: Sequence[Any]) -> NDArray[np.float64]:
    """Return numbers, of which some may stand in quotes, as float64.

    Raises:
        struct.error: where an item is no number.

    """
    try:
        return np.frombuffer(packer(len(items)).pack(*items))
    except struct.error:
        return np.frombuffer(packer(len(items)).pack(*unquoted(items)))


def is_number(item: object, *, infinite: bool = True) -> bool:
    """Return whether this is a real number of any library, and not a text that looks like one."""
    return _is_real(item) and (not math.isnan(item) if infinite else math.isfinite(item))  # type: ignore[arg-type]


def is_numeric(item: object) -> bool:
    """Return whether this is a number of any library, NaN too, or a text that reads as one."""
    if not isinstance(item, str):
        return _is_real(item)
    try:
        float(item)
    except ValueError:
        return False
    return True


def _is_real(item: Any) -> bool:  # noqa: ANN401 - whatever stands there
    """Return whether this is a number of any library, NaN too, and no text."""
    try:
        packer(1).pack(item)
    except struct.error:
        return False
    return True


@lru_cache(maxsize=1024)
def packer(length: int) -> struct.Struct:
    """Return what packs some numbers as doubles: it takes whatever Python can convert to a float, and refuses text."""
    return struct.Struct(f"={length}d")


def refuse_labels(lists: Sequence[Any], where: Callable[[int], str]) -> None:
    """Refuse lists of documents that are small integers and come again, as labels by position do.

    Args:
        lists: the documents of each query.
        where: where each stands.

    Raises:
        InputError: `input-type`.

    """
    for row, items in enumerate(lists):
        kinds = set(map(type, items))
        if kinds and kinds <= {int, bool} and len({*items}) < len(items) and max(items) <= SMALL:
            text = (
                f"{where(row)}: {shown(items)} has numbers twice, as labels by position, and not the ids of documents"
            )
            raise InputError("input-type", text, remedy=LABELS)


def refuse_ranks(values: Iterable[Iterable[Any]], name: str, several: int = 1) -> None:
    """Refuse scores that are integers and count up from 0 or 1 in each list, as ranks do.

    Args:
        values: the scores of each query.
        name: what messages call the run.
        several: how many queries have to have several documents.

    Raises:
        InputError: `rank-or-score`.

    """
    of_several = 0
    for numbers in map(unquoted, values):
        first = numbers[0] if numbers else 0
        if type(first) is not int or first not in (0, 1) or numbers != list(range(first, first + len(numbers))):
            return
        of_several += len(numbers) > 1
    if of_several >= several:
        raise InputError(
            "rank-or-score",
            f"{name}: the scores of each query are 1, 2, 3 ... in the order given; these may be ranks",
            remedy="a higher score is better; for ranks, leave them out and give the documents in their order\n"
            "if they are scores, make them floats",
        )


def ids(queries: object) -> list[str]:
    """Convert ids of queries to texts; one text is not a list of them.

    Raises:
        InputError: `input-type`.

    """
    if isinstance(queries, str | bytes) or not isinstance(queries, Iterable):
        raise InputError(
            "input-type",
            f"queries={shown(queries)} is {type(queries).__name__}, not a list of query ids",
            remedy='as in queries=["q1", "q2"]',
        )
    return [text(query, "queries") for query in queries]


_FIELDS: Final = frozenset(chain(*(SPELLINGS[role] for role in ("score", "rank", "grade", "distance"))))
"""what an object in place of a number calls the number"""
_SEVERAL: Final = {"score": "runs", "grade": "sets of judgements"}
_CALLED: Final = {"score": "the run", "grade": "the judgements"}


def dicts(source: Mapping[Any, Any], value: str, name: str) -> dict[str, Mapping[Any, Any]]:
    """Return the inner dicts by query id as text; copy none, and leave out those of a run that are empty.

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
        document, first = next(iter(documents.items()), ("", None))
        if isinstance(first, list | tuple) and all(isinstance(each, list | tuple) for each in documents.values()):
            lists = quoted(map(str, documents), 4)
            text = f"{name}: query {query!r} holds lists under {lists}, and no {value} by document"
            remedy = f'write a row for each query, such as {{"query": "q1", "documents": [...], "{value}s": [...]}}'
            raise InputError("input-type", text, remedy=remedy)
        if isinstance(first, Mapping) and not _FIELDS.isdisjoint(map(str, first)):
            text = f"{name}: query {query!r}, document {document!r}: this is {shown(first)}, and not a {value}"
            raise InputError(f"bad-{value}", text, remedy=f"write the {value} alone: {{query: {{document: {value}}}}}")
        if isinstance(first, Mapping):
            raise InputError(
                "nested-runs",
                f"{name}: {query!r} holds a dict of dicts, so this looks like several {_SEVERAL[value]}",
                remedy="several: rankworth.evaluate_runs(qrels, {name: run, ...}), on the command line a file for each"
                if value == "score"
                else "take one of them; for judgements by subtopic, give a frame: query, subtopic, document, grade",
            )
    if not any(source.values()):
        empty = f"{name}: the dict has no {'documents' if source else 'queries'}"
        raise InputError("empty-input", empty, remedy=f"as in {{query: {{document: {value}}}}}")
    if value == "score" and not all(source.values()):
        source = {query: documents for query, documents in source.items() if documents}
    return keys(source, duplicate="duplicate-document" if value == "score" else "duplicate-judgement", name=name)


def keys(source: Mapping[Any, Any], *, duplicate: str, name: str = "the dict") -> dict[str, Any]:
    """Return a dict with its ids as text; the dict itself where they are text already.

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
            f"{name}: as text, {len(twice):,} id{' appears' if len(twice) == 1 else 's appear'} twice: {quoted(twice)}",
            remedy="ids are compared as text, so an integer and a text may be the same id; keep one of them",
        )
    return named


def values(
    parts: Iterable[Mapping[Any, Any]],
    count: int,
    value: str,
    queries: Sequence[str],
    *,
    name: str = "",
    beside: Callable[[int], None] | None = None,
    words: Words = grade_words.NONE,
) -> NDArray[np.float64]:
    """Join all values of several dicts in one array; blank grades are NaN.

    Args:
        parts: the dicts.
        count: how many values they have.
        value: `"score"` or `"grade"`.
        queries: whose dicts they are, for messages.
        name: what messages call them, if not the run or the judgements.
        beside: called with the place of each dict when its values were read, for what else is to be done with it: a
            dict costs much less while it is in the processor's cache.
        words: the grades that words mean.

    Raises:
        InputError: `bad-score`, `bad-grade` or `missing-value` with the first value that is no number.

    """
    dicts = list(parts)
    array = np.empty(count)
    start = 0
    try:
        for index, part in enumerate(dicts):
            packer(len(part)).pack_into(array.data, start, *part.values())
            start += 8 * len(part)
            if beside is not None:
                beside(index)
    except struct.error:
        array = np.full(1, np.nan)
        if beside is not None:
            for rest in range(index, len(dicts)):
                beside(rest)
    if not (np.isnan(array).any() if value == "score" else not np.isfinite(array).all()):
        return array
    pairs = [(query, document) for query, part in zip(queries, dicts, strict=True) for document in part]

    def where(index: int) -> str:
        return "{}: query {!r}, document {!r}: the {}".format(name or _CALLED[value], *pairs[index], value)

    every = [number for part in dicts for number in part.values()]
    if len(every) != len(pairs):
        raise InputError("input-type", "a dict does not give as many values as it says, or changes while it is read")
    return numbers(every, value, where, words=words)

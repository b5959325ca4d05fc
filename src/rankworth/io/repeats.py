"""Documents that a query has twice: how many, where they stand, and what to do about them."""

import shlex
from collections.abc import Callable, Iterable
from typing import Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.lines import QRELS, Layout
from rankworth.io.sources import STDIN, Source
from rankworth.io.trec import locate

SHOWN: Final = 3
_UNPACK: Final = {".gz": "zcat", ".bz2": "bzcat", ".xz": "xzcat", ".zst": "zstdcat"}

Key = tuple[str, ...]
_PAIR: Final = ("query", "document")
_TRIPLE: Final = ("query", "subtopic", "document")
Frames = Callable[[], Iterable[pl.DataFrame]]
"""Gives all rows, batch by batch, as often as it is called."""


def best_of_subtopics(frame: pl.DataFrame, by_subtopic: pl.DataFrame | None, given: object, name: str) -> pl.DataFrame:
    """One judgement for each document, with the best of its grades, where each repetition is for another subtopic.

    Args:
        frame: the judgements: `query, document, grade`.
        by_subtopic: the same with a column `subtopic`, if anything tells subtopics.
        given: the file that they come from, if it is one.
        name: what to call them where there is no file.

    Raises:
        InputError: `duplicate-judgement`.

    """
    source = given if isinstance(given, Source) else None
    if by_subtopic is None:
        remedy = "\nif these are judgements for several subtopics, give the frame a column subtopic"
        raise error(QRELS, lambda: [frame], source, name, remedy=remedy)
    distinct = by_subtopic.n_unique(_TRIPLE)
    if distinct < by_subtopic.height:
        told = distinct > by_subtopic.n_unique(_PAIR)
        raise error(QRELS, lambda: [by_subtopic], source, name, by=_TRIPLE if told else _PAIR)
    return by_subtopic.group_by(_PAIR, maintain_order=True).agg(pl.col("grade").max())


def error(
    layout: Layout, frames: Frames, source: Source | None, name: str, *, by: Key = _PAIR, remedy: str = ""
) -> InputError:
    """The error for documents that a query has twice.

    Args:
        layout: `RUN` or `QRELS`.
        frames: the rows.
        source: the file that they come from, if any.
        name: what to call them where there is no file.
        by: the columns that tell two rows apart.
        remedy: what else may help.

    """
    count, keys = _repeats(frames, by)
    columns = ", ".join(by[:-1]) + f" and {by[-1]}"
    if source is None:
        places, place, unit = _rows(frames, keys, by), f"{name}: row ", "row"
        keep = f"keep one row for each {columns}"
    else:
        numbers = tuple(layout.columns.index("iteration" if column == "subtopic" else column) for column in by)
        places, place, unit = locate(source, keys, numbers), f"{source.name}:", "line"
        keep = f"keep one line for each {columns}, such as the first: {_first(source, numbers)} > once.txt"
    texts = [
        f"{place}{again}: query {quoted([query])} {layout.verb} document {quoted([document])} again "
        + "".join(f"for subtopic {quoted([subtopic])} " for subtopic in told)
        + f"(first in {unit} {first})"
        for (query, *told, document), (first, again) in places.items()
    ]
    return InputError(layout.repeated, *texts, more=count - len(texts), remedy=keep + remedy)


def _repeats(frames: Frames, by: Key) -> tuple[int, list[Key]]:
    """How many rows repeat an earlier one, and the first few keys that do."""
    key = pl.struct(pl.col(by).cast(pl.String))
    hashes = pl.concat([frame.select(key.hash().alias("key")).to_series() for frame in frames()])
    again = hashes.filter(~hashes.is_first_distinct())
    wanted = again.unique(maintain_order=True).head(SHOWN)
    keys: dict[Key, None] = {}
    for frame in frames():
        found = frame.filter(key.hash().is_in(wanted.implode())).select(pl.col(by).cast(pl.String))
        keys |= dict.fromkeys(found.rows())
        if len(keys) == len(wanted):
            break
    return len(again), list(keys)


def _rows(frames: Frames, keys: Iterable[Key], by: Key) -> dict[Key, tuple[int, int]]:
    """The first two rows, counted from 0, in which keys stand."""
    whole = pl.concat([frame.select(pl.col(by).cast(pl.String)) for frame in frames()])
    places = {}
    for key in keys:
        same = whole.select(pl.all_horizontal(pl.col(column) == text for column, text in zip(by, key, strict=True)))
        first, again, *_ = same.to_series().arg_true().to_list()
        places[key] = first, again
    return dict(sorted(places.items(), key=lambda item: item[1][1]))


def _first(source: Source, columns: Iterable[int]) -> str:
    """A command that keeps the first line of each key."""
    awk = f"awk '!seen[{', '.join(f'${column + 1}' for column in columns)}]++'"
    if source.path == STDIN:
        return awk
    path = shlex.quote(source.path)
    unpack = next((f"{tool} {path} | " for suffix, tool in _UNPACK.items() if source.path.endswith(suffix)), "")
    return f"{unpack}{awk}" if unpack else f"{awk} {path}"

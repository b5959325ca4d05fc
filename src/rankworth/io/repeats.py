"""Documents that a query has twice: how many, where they stand, and what to do about them."""

import shlex
from collections.abc import Callable, Iterable
from typing import Final

import polars as pl

from rankworth.errors import InputError, quoted
from rankworth.io.lines import Layout
from rankworth.io.sources import STDIN, Source
from rankworth.io.trec import locate

SHOWN: Final = 3
_UNPACK: Final = {".gz": "zcat", ".bz2": "bzcat", ".xz": "xzcat", ".zst": "zstdcat"}

Pair = tuple[str, str]
Frames = Callable[[], Iterable[pl.DataFrame]]
"""Gives all rows, batch by batch, as often as it is called."""


def error(layout: Layout, frames: Frames, source: Source | None, name: str) -> InputError:
    """The error for documents that a query has twice.

    Args:
        layout: `RUN` or `QRELS`.
        frames: the rows.
        source: the file that they come from, if any.
        name: what to call them where there is no file.

    """
    count, pairs = _repeats(frames)
    if source is None:
        places, place, unit = _rows(frames, pairs), f"{name}: row ", "row"
        remedy = "keep one row for each query and document"
    else:
        places, place, unit = locate(source, layout, pairs), f"{source.name}:", "line"
        remedy = f"keep one line for each query and document, such as the first: {_first(source)} > once.txt"
    texts = [
        f"{place}{again}: query {quoted([query])} {layout.verb} document {quoted([document])} again "
        f"(first in {unit} {first})"
        for (query, document), (first, again) in places.items()
    ]
    return InputError(layout.repeated, *texts, more=count - len(texts), remedy=remedy)


def _repeats(frames: Frames) -> tuple[int, list[Pair]]:
    """How many rows repeat an earlier one, and the first few (query, document) that do."""
    pair = pl.struct(pl.col("query", "document").cast(pl.String))
    keys = pl.concat([frame.select(pair.hash().alias("key")).to_series() for frame in frames()])
    again = keys.filter(~keys.is_first_distinct())
    wanted = again.unique(maintain_order=True).head(SHOWN)
    pairs: dict[Pair, None] = {}
    for frame in frames():
        found = frame.filter(pair.hash().is_in(wanted.implode())).select(pl.col("query", "document").cast(pl.String))
        pairs |= dict.fromkeys(found.rows())
        if len(pairs) == len(wanted):
            break
    return len(again), list(pairs)


def _rows(frames: Frames, pairs: Iterable[Pair]) -> dict[Pair, tuple[int, int]]:
    """The first two rows, counted from 0, in which pairs stand."""
    whole = pl.concat([frame.select(pl.col("query", "document").cast(pl.String)) for frame in frames()])
    places = {}
    for pair in pairs:
        same = (whole["query"] == pair[0]) & (whole["document"] == pair[1])
        first, again, *_ = same.arg_true().to_list()
        places[pair] = first, again
    return dict(sorted(places.items(), key=lambda item: item[1][1]))


def _first(source: Source) -> str:
    """A command that keeps the first line of each query and document."""
    awk = "awk '!seen[$1, $3]++'"
    if source.path == STDIN:
        return awk
    path = shlex.quote(source.path)
    unpack = next((f"{tool} {path} | " for suffix, tool in _UNPACK.items() if source.path.endswith(suffix)), "")
    return f"{unpack}{awk}" if unpack else f"{awk} {path}"

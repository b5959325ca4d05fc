"""Data about users and items that a call gives: a history, a table of items, and the run that users expect."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Self

import numpy as np

from rankworth.arrays import Integers
from rankworth.catalogue import Catalogue, ItemColumn, Pairs
from rankworth.errors import InputError
from rankworth.io.columns import NONE
from rankworth.item_options import Source
from rankworth.judging.exclusion import as_pairs
from rankworth.model import Run

_SEPARATOR: Final = "|"
"""what stands between the categories of an item in a cell of text"""


@dataclass(frozen=True)
class _CallData:
    """Data of a call; equal where the labels are.

    Attributes:
        label: how much it is, and the first digits of a SHA-256 over it, as the signature says.
        rows: the data; None where only the label is known.

    """

    label: str
    rows: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        """Return the label."""
        return self.label

    @property
    def bare(self) -> Self:
        """A copy without the data, for signatures."""
        return type(self)(self.label)


@dataclass(frozen=True)
class History(_CallData):
    """Which user had which item before: a frame of `query, document`, a row for each interaction."""

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE) -> "History":
        """Read a history.

        Args:
            source: a path, in any format of judgements or runs, with or without numbers, or with two words in each
                line; a dict `{user: [item, ...]}`; a frame with columns such as `user, item`; pairs; a sparse matrix.
            columns: which column holds the users (`query`) and the items (`document`), where names do not tell.

        Raises:
            InputError: where it cannot be read.

        """
        if isinstance(source, cls):
            return source
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        from rankworth.io import excluded_pairs  # noqa: PLC0415 - rarely needed

        source = as_pairs(source)
        if isinstance(source, Mapping):  # a user may have no history
            source = {user: items for user, items in source.items() if not isinstance(items, Sized) or len(items)}
        rows = excluded_pairs.read(source, columns, "history")
        if not isinstance(rows, pl.DataFrame):
            pairs = [(str(user), str(item)) for user, items in rows.items() for item in items]
            rows = pl.DataFrame(pairs, schema=["query", "document"], orient="row")
        rows = rows.select(pl.col("query", "document").cast(pl.String))
        return cls(_label(rows.height, rows.iter_rows()), rows)


@dataclass(frozen=True)
class Items(_CallData):
    """A table of items: `{item: {column: value}}`, and what it is called."""

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE) -> "Items":
        """Read a table of items.

        Args:
            source: a path, a frame, rows with names, or a dict `{item: {column: value}}`, with a column of items and
                others: categories, several with `|` between them or as a list, numbers in a list for a vector.
            columns: which column holds the items (`document`), where no name tells.

        Raises:
            InputError: where it cannot be read; `input-type` where an item appears twice and not alike.

        """
        if isinstance(source, cls):
            return source
        from rankworth.io import item_table  # noqa: PLC0415 - rarely needed

        rows, name = item_table.read(source, columns=columns)
        lines = ((item, *(f"{key}={cells[key]}" for key in sorted(cells))) for item, cells in rows.items())
        return cls(_label(len(rows), lines), (rows, name))


@dataclass(frozen=True)
class ExpectedRun(_CallData):
    """What users expect to see: the run of a simple recommender, such as the most popular items."""

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE) -> "ExpectedRun":
        """Read a run.

        Args:
            source: whatever `rankworth.Run` reads.
            columns: which column holds what, where names do not tell.

        Raises:
            InputError: where it cannot be read.

        """
        if isinstance(source, cls):
            return source
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        run = source if isinstance(source, Run) else Run(source, columns=columns)
        queries = run.dicts(None)
        if queries is None:
            frame = pl.concat([part.select("query", "document", "score") for part in run.batches()])
        else:
            rows = [(query, str(item), score) for query, scores in queries.items() for item, score in scores.items()]
            frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
        frame = frame.sort("score", descending=True, maintain_order=True)
        rank = pl.col("score").cum_count().over("query").alias("rank")
        frame = frame.select(pl.col("query", "document").cast(pl.String), rank)
        return cls(_label(frame.height, frame.iter_rows()), frame)


def _label(size: int, rows: Iterable[Sequence[object]]) -> str:
    """Return a number of rows, and a digest of them in the order of their bytes."""
    lines = sorted("\t".join(map(str, row)) for row in rows)
    digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{size}-{digest[:8]}"


def catalogue_of(history: History | None, items: Items | None, expected_run: ExpectedRun | None) -> Catalogue | None:
    """Number items and users, and count what measures need; None where nothing is given."""
    readable = tuple(data for data in (history, items, expected_run) if data is not None and data.rows is not None)
    return _made(tuple(map(id, readable)), history, items, expected_run) if readable else None


@lru_cache(maxsize=4)
def _made(
    _: tuple[int, ...], history: History | None, items: Items | None, expected_run: ExpectedRun | None
) -> Catalogue:
    """Make a catalogue, which is kept for the runs of a call."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    empty = pl.DataFrame(schema={"query": pl.String, "document": pl.String, "rank": pl.Int64})
    had = empty.select("query", "document") if history is None else history.rows.select("query", "document")
    expected = empty if expected_run is None else expected_run.rows
    rows, name = ({}, "the items") if items is None else items.rows
    ids = {*had["document"].unique().to_list(), *expected["document"].unique().to_list(), *rows}
    in_order = sorted(ids, key=lambda item: item.encode("utf-8", "surrogatepass"))
    user_ids = sorted({*had["query"].unique().to_list(), *expected["query"].unique().to_list()})
    numbers = {item: number for number, item in enumerate(in_order)}
    users = {user: number for number, user in enumerate(user_ids)}
    size = len(in_order)

    def keys(frame: pl.DataFrame) -> Integers:
        user, item = (
            column.replace_strict(number_of, return_dtype=pl.Int64).to_numpy() if len(column) else np.zeros(0, np.int64)
            for column, number_of in ((frame["query"], users), (frame["document"], numbers))
        )
        return np.asarray(user * size + item, dtype=np.int64)

    every = keys(had)  # [rows of the history]
    seen = np.unique(every)
    listed = keys(expected)
    order = np.argsort(listed)
    interactions = np.bincount(every % max(1, size), minlength=size)
    sources: list[tuple[Source, Any]] = [("history", history), ("items", items), ("expected_run", expected_run)]
    return Catalogue(
        items=in_order,
        users=users,
        sources=frozenset(source for source, data in sources if data is not None),
        in_history=interactions > 0,
        in_table=np.array([item in rows for item in in_order], dtype=bool),
        n_users=had["query"].n_unique(),
        item_users=np.bincount(seen % max(1, size), minlength=size),
        interactions=interactions,
        seen=Pairs(seen),
        expected=Pairs(listed[order], expected["rank"].to_numpy()[order].astype(np.int64)),
        columns=_columns(rows, in_order, name),
        called=name,
    )


def _columns(rows: Mapping[str, Mapping[str, Any]], items: Sequence[str], name: str) -> dict[str, ItemColumn]:
    """Read the columns of a table: vectors, sets of categories, or categories.

    Raises:
        InputError: `input-type`, where vectors differ in their length, or hold what is no number.

    """
    names = dict.fromkeys(column for cells in rows.values() for column in cells)
    return {
        column: _column([rows.get(item, {}).get(column) for item in items], f"{name}: column {column}")
        for column in names
    }


def _column(cells: list[Any], called: str) -> ItemColumn:
    """Read a column.

    Args:
        cells: `[I]`, None where there is nothing.
        called: what messages call it.

    Raises:
        InputError: `input-type`.

    """
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    lists = [cell for cell in cells if isinstance(cell, list | tuple | set | frozenset)]
    if lists and all(isinstance(part, int | float) for cell in lists for part in cell) and any(lists):
        widths = {len(cell) for cell in lists}
        if len(widths) > 1 or len(lists) < sum(cell is not None for cell in cells):
            text = f"{called}: vectors have {', '.join(map(str, sorted(widths)))} numbers"
            raise InputError("input-type", text, remedy="give every item a vector of the same length, or nothing")
        values = np.full((len(cells), widths.pop()), np.nan)
        for row, cell in enumerate(cells):
            if cell is not None:
                values[row] = cell
        return ItemColumn("vector", (), values)
    joined = any(isinstance(cell, str) and _SEPARATOR in cell for cell in cells)
    if lists or joined:
        from scipy import sparse  # noqa: PLC0415 - rarely needed

        sets = [_parts(cell) for cell in cells]
        names = tuple(sorted({part for parts in sets for part in parts}))
        numbers = {part: number for number, part in enumerate(names)}
        entries = [(row, numbers[part]) for row, parts in enumerate(sets) for part in parts]
        held = np.array(entries, dtype=np.int64).reshape(-1, 2)
        size = (len(cells), len(names))
        matrix: Any = sparse.csr_array((np.ones(len(held)), (held[:, 0], held[:, 1])), shape=size)
        return ItemColumn("set", names, matrix)
    texts = [None if cell is None or cell == "" else str(cell) for cell in cells]
    names = tuple(sorted({text for text in texts if text is not None}))
    numbers = {text: number for number, text in enumerate(names)}
    return ItemColumn("category", names, np.array([-1 if text is None else numbers[text] for text in texts]))


def _parts(cell: object) -> list[str]:
    """Return the categories of a cell, each once."""
    if cell is None or cell == "":
        return []
    parts = cell.split(_SEPARATOR) if isinstance(cell, str) else cell if isinstance(cell, Iterable) else [cell]
    return list(dict.fromkeys(str(part).strip() for part in parts if part is not None and str(part).strip()))

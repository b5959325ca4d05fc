"""Tables of items: what is known of each, in columns of text, numbers and lists."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import query_texts, validate
from rankworth.io.id_rules import IdRule
from rankworth.io.paths import paths_of
from rankworth.io.usual_names import NONE, RECORD, USUAL

ITEMS: Final = query_texts.Kind(
    role="document",
    usual={
        "document": (
            ("item_id", "item-id", "itemid", "item_number", *USUAL["document"][0]),
            *(RECORD, ("item",), ("document",), *USUAL["document"][2:]),
        ),
        "text": (),
    },
    unnamed_columns={},
    file="corpus.jsonl",
    method="docs_iter",
    called="the table of items",
    is_table=True,
)

_ROWS: Final = 1 << 14
"""how many rows are looked at together"""


class ItemReader(query_texts.TextReader):
    """Makes rows of items, column by column where their names are the same."""

    def rows(self, numbered: query_texts.Numbered, called: str) -> Iterator[query_texts.Row]:
        """Yield the rows."""
        rest = iter(numbered)
        part = list(islice(rest, _ROWS))
        while part:
            yield from self._by_columns(part, called) or super().rows(part, called)
            part = list(islice(rest, _ROWS))

    def _by_columns(self, part: Sequence[tuple[Any, Any]], called: str) -> list[query_texts.Row]:
        """Make rows with equal names, or nothing if a row has other names or is refused."""
        numbers, rows = zip(*part, strict=True)
        if set(map(type, rows)) != {dict} or any(row.keys() != rows[0].keys() for row in rows):
            return []
        chosen = self.chosen(tuple(rows[0]), f"{called}{numbers[0]}")
        names = [name for name in rows[0] if name and name not in chosen.values()]
        columns = [_values([row[name] for row in rows]) for name in names]
        try:
            items = validate.text_ids([row[chosen[self.kind.role]] for row in rows], str)
            validate.refuse_halves(chain(items, *columns), called)
        except InputError:  # which the row itself words
            return []
        labels, cells = [str(name) for name in names], zip(*columns, strict=True) if columns else repeat(())
        made = [
            query_texts.Row(item, "", dict(zip(labels, values, strict=True)), f"{called}{number}")
            for number, item, values in zip(numbers, items, cells, strict=False)
        ]
        return made if all(items) else []

    def _row(self, id_: Any, chosen: Mapping[str, Any], cells: query_texts.Cells, where: str) -> query_texts.Row:  # noqa: ANN401 - an id
        """Build the row of an item, with all of its columns."""
        item = self.id_of(id_, where)
        names = [key for key in cells if key and key not in chosen.values()]
        more = {str(key): _values([cells[key]])[0] for key in names}
        validate.refuse_halves((item, *more.values()), where, "item")
        return query_texts.Row(item, "", more, where)


def _values(column: list[Any]) -> list[Any]:
    """Return the cells of a column: lists as they are, text or numbers, None where there is nothing."""
    kinds = set(map(type, column))
    if kinds <= {int}:
        return column
    if kinds <= {str, type(None)}:
        return [item or None for item in column]
    return [item if query_texts.is_nested(item) else query_texts.value_of(item) for item in column]


def read(
    source: object, *, columns: Mapping[str, str] = NONE, ids: IdRule | None = None
) -> tuple[dict[str, dict[str, Any]], str]:
    """Read what is known of items.

    Args:
        source: as for `queries`; rows and frames are those of items.
        columns: which column holds the ids, `{"document": "nr"}`.
        ids: how items are renamed.

    Returns:
        `{item: {column: value}}`, and what the table is called.

    Raises:
        InputError: where anything is wrong with it; `input-type` where an item appears twice and not alike.
        UsageError: `unknown-setting`.

    >>> read([{"item_id": "a", "genres": "drama|war"}, {"item_id": "b", "genres": None}])
    ({'a': {'genres': 'drama|war'}, 'b': {'genres': None}}, 'the table of items')
    """
    rows: dict[str, query_texts.Row] = {}
    every = query_texts.rows_of(source, ItemReader(ITEMS, columns))
    for row in every if ids is None else _renamed(every, ids):
        first = rows.setdefault(row.id, row)
        if first is not row and str(first.more) != str(row.more):
            text = f"{row.where}: item {quoted([row.id])} is there again with another column (first: {first.where})"
            raise InputError("input-type", text, remedy="keep one row for each item")
    name = quoted(paths) if (paths := paths_of(source)) else ITEMS.called
    return {item: row.more for item, row in rows.items()}, name


def _renamed(rows: Iterable[query_texts.Row], ids: IdRule) -> Iterator[query_texts.Row]:
    """Yield rows with their items renamed."""
    import polars as pl  # noqa: PLC0415 - rarely needed

    every = list(rows)
    new = ids.renamed(pl.Series([row.id for row in every], dtype=pl.String), ITEMS.called)
    return (row._replace(id=item) for row, item in zip(every, new.to_list(), strict=True))

"""Tables of items: what is known of each, in columns of text, numbers and lists."""

from collections.abc import Mapping
from typing import Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import query_texts
from rankworth.io.columns import NONE, RECORD, USUAL
from rankworth.io.paths import paths_of

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
    called="the items",
    is_table=True,
)


def read(source: object, *, columns: Mapping[str, str] = NONE) -> tuple[dict[str, dict[str, Any]], str]:
    """Read what is known of items.

    Args:
        source: as for `queries`; rows and frames are those of items.
        columns: which column holds the ids, `{"document": "nr"}`.

    Returns:
        `{item: {column: value}}`, and what the table is called.

    Raises:
        InputError: where anything is wrong with it; `input-type` where an item appears twice and not alike.
        UsageError: `unknown-setting`.

    >>> read([{"item_id": "a", "genres": "drama|war"}, {"item_id": "b", "genres": None}])
    ({'a': {'genres': 'drama|war'}, 'b': {'genres': None}}, 'the items')
    """
    rows: dict[str, query_texts.Row] = {}
    for row in query_texts.rows_of(source, query_texts.TextReader(ITEMS, columns)):
        first = rows.setdefault(row.id, row)
        if str(first.more) != str(row.more):
            text = f"{row.where}: item {quoted([row.id])} is there again with another column (first: {first.where})"
            raise InputError("input-type", text, remedy="keep one row for each item")
    name = quoted(paths) if (paths := paths_of(source)) else ITEMS.called
    return {item: row.more for item, row in rows.items()}, name

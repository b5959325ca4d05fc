"""Rows of a relation that are wrong: how many there are, and some of them."""

# ruff: noqa: S608 - all text is our own

from collections.abc import Mapping
from typing import Final

from rankworth.errors import InputError, shortened
from rankworth.judging.duckdb.scan import TEXTS, VIEW, Scan

_SHOWN: Final = 3


def refuse_lists(scan: Scan) -> None:
    """Refuse rows whose lists are missing or do not belong together.

    Args:
        scan: the run.

    Raises:
        InputError: `missing-value`, `frame-columns`.

    """
    lists = scan.lists
    if lists is None:
        return
    lacks = {condition: ("missing-value", f"has no {what}") for what, condition in lists.holes.items()}
    lacks |= {lists.unequal: ("frame-columns", "has lists of different lengths")} if lists.unequal else {}
    for condition, (slug, what) in lacks.items():
        if total := scan.given(f"SELECT count(*) FROM {VIEW} WHERE {condition}").item():
            bad = scan.given(f"SELECT * FROM {VIEW} WHERE {condition} LIMIT {_SHOWN}")
            texts = [f"{scan.name}: a row {what}: {shortened(str(row), 200)}" for row in bad.iter_rows(named=True)]
            raise InputError(slug, *texts, more=total - len(texts), remedy="drop or mend such rows")


def refuse_rows(scan: Scan, lacks: Mapping[str, str]) -> None:
    """Refuse holes and numbers that are none.

    Args:
        scan: the run.
        lacks: conditions on rows, by what those lack for which one holds.

    Raises:
        InputError: `missing-value`, `bad-score`.

    """
    for what, condition in lacks.items():
        if total := scan.ask(f"SELECT count(*) FROM run WHERE {condition}").item():
            texts = _sample(scan, condition, total, f"has no {what}")
            slug, remedy = "missing-value", "drop or fill such rows"
            if what.startswith("finite"):
                slug, remedy = "bad-score", "drop such rows, or mend what made them"
            raise InputError(slug, *texts, remedy=remedy)


def _sample(scan: Scan, condition: str, total: int, what: str) -> list[str]:
    """Some of the rows that are wrong."""
    rows = scan.ask(f"SELECT {TEXTS}, score FROM run WHERE {condition} LIMIT {_SHOWN}")
    such = f" ({total:,} such rows)" if total > 1 else ""
    first, *others = [
        f"{scan.name}: a row {what}: query {query!r}, document {document!r}, score {score!r}"
        for query, document, score in rows.iter_rows()
    ]
    return [first + such, *others]

"""Settings that ask in which order rows came, which the rows of a relation do not say by themselves."""

from collections.abc import Iterable
from typing import Final

from rankworth.engines.related import Related
from rankworth.errors import UsageError
from rankworth.io.duplicates import COUNTED
from rankworth.judging.settings import Judging, Ordering

_OTHERWISE: Final = {
    "order": "the scores count with order='score'",
    "ties": "ids decide with ties='id-descending'",
    "duplicates": "the best score counts with duplicates='best'",
    "blocks": "all rows of a query are one ranking with blocks='joined'",
    "pairing": "queries meet by their ids with pairing='id'",
}


def refuse(settings: Judging, run: Related) -> None:
    """Refuse settings that ask for an order which nothing tells of a relation.

    Args:
        settings: the settings.
        run: the relation; with a column `position`, or lists, it may tell.

    Raises:
        UsageError: `unknown-setting`.

    """
    ranked = settings.order == "rank" and run.has_ranks
    if not run.scan.has_position and not ranked:
        refuse_order(settings, without=("error", "best", *COUNTED), position=True)
    if settings.pairing != "id" and run.order is None:
        raise _apart("pairing", settings.pairing, run)
    if settings.blocks != "joined" and not run.is_listed and run.order is None:
        raise _apart("blocks", settings.blocks, run)


def refuse_order(settings: Judging | Ordering, *, without: Iterable[str], position: bool = False) -> None:
    """Refuse settings that ask in which order rows came.

    Args:
        settings: the settings.
        without: what becomes of repeated documents that no order decides.
        position: whether a column `position` would do.

    Raises:
        UsageError: `unknown-setting`.

    """
    asked = {
        "order": settings.order in ("given", "rank"),
        "ties": settings.ties in ("given", "given-reversed"),
        "duplicates": settings.duplicates not in without,
    }
    for name in (name for name, is_asked in asked.items() if is_asked):
        more = "; or give them a column position" if position else ""
        raise _refusal(name, getattr(settings, name), more)


def refuse_blocks(settings: Judging) -> None:
    """Refuse settings that ask in which order queries came.

    Raises:
        UsageError: `unknown-setting`.

    """
    for name, plain in (("blocks", "joined"), ("pairing", "id")):
        if getattr(settings, name) != plain:
            raise _refusal(name, getattr(settings, name))


def _apart(name: str, value: object, run: Related) -> UsageError:
    """The error where the order of queries is not known, or their rows do not stand together."""
    if run.scan.lists is not None or not run.scan.has_position:
        more = "" if run.scan.lists is not None else "; or give them a column position, counted through all queries"
        return _refusal(name, value, more)
    text = f"{name}={value!r}: rows of a query stand among those of others, which are not told apart in DuckDB"
    other = "or read the rows here: without --engine, in Python Run(relation.df())"
    return UsageError("unknown-setting", text, remedy=f"{_OTHERWISE[name]}\n{other}")


def _refusal(name: str, value: object, more: str = "") -> UsageError:
    text = f"{name}={value!r}: the rows of a relation have no order"
    return UsageError("unknown-setting", text, remedy=_OTHERWISE[name] + more)

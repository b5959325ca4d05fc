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

_PLAIN: Final = {"blocks": "joined", "pairing": "id"}
"""settings that ask in which order queries came, unless they are these"""


def refuse(settings: Judging, run: Related) -> None:
    """Refuse settings that ask for an order which nothing tells of a relation.

    Args:
        settings: the settings.
        run: the relation; with a column `position`, or lists, it may tell.

    Raises:
        UsageError: `unknown-setting`.

    """
    ranked = settings.order == "rank" and run.ranked is not None
    asked = [name for name, plain in _PLAIN.items() if getattr(settings, name) != plain]
    asked += _asked(settings, without=("error", "best", *COUNTED), ranked=ranked)
    for name in asked:
        if not run.scan.has_position and run.scan.no_position is None:
            counted = ", counted through all queries" if name in _PLAIN else ""
            raise _refusal(name, getattr(settings, name), more=f"; or give them a column position{counted}")
        if name in _PLAIN and run.scan.lists is not None:
            if name != "blocks" or not run.is_listed:
                raise _refusal(name, getattr(settings, name))
            continue
        if run.unplaced:
            raise _refusal(name, getattr(settings, name), run.unplaced)
        if name in _PLAIN and run.order is None:
            raise _apart(name, getattr(settings, name))


def refuse_order(settings: Judging | Ordering, *, without: Iterable[str], position: bool = False) -> None:
    """Refuse settings that ask in which order rows came.

    Args:
        settings: the settings.
        without: what becomes of repeated documents that no order decides.
        position: whether a column `position` would do.

    Raises:
        UsageError: `unknown-setting`.

    """
    more = "; or give them a column position" if position else ""
    for name in _asked(settings, without=without):
        raise _refusal(name, getattr(settings, name), more=more)


def refuse_blocks(settings: Judging) -> None:
    """Refuse settings that ask in which order queries came.

    Raises:
        UsageError: `unknown-setting`.

    """
    for name, plain in _PLAIN.items():
        if getattr(settings, name) != plain:
            raise _refusal(name, getattr(settings, name))


def _asked(settings: Judging | Ordering, *, without: Iterable[str], ranked: bool = False) -> list[str]:
    """Which settings ask in which order rows came.

    Args:
        settings: the settings.
        without: what becomes of repeated documents that no order decides.
        ranked: whether a column of ranks decides.

    """
    asked = {
        "order": settings.order not in ("auto", "score") and not ranked,
        "ties": settings.ties in ("given", "given-reversed") and not ranked,
        "duplicates": settings.duplicates not in without,
    }
    return [name for name, is_asked in asked.items() if is_asked]


def _apart(name: str, value: object) -> UsageError:
    """The error where rows of queries do not stand together."""
    text = f"{name}={value!r}: rows of a query stand among those of others, which are not told apart in DuckDB"
    other = "or read the rows here: without --engine, in Python Run(relation.df())"
    return UsageError("unknown-setting", text, remedy=f"{_OTHERWISE[name]}\n{other}")


def _refusal(name: str, value: object, why: str = "the rows of a relation have no order", more: str = "") -> UsageError:
    text = f"{name}={value!r}: {why}"
    return UsageError("unknown-setting", text, remedy=_OTHERWISE[name] + more)

"""Settings that ask in which order rows came, which the rows of a relation do not say by themselves."""

from collections.abc import Iterable
from typing import Final

from rankworth.errors import UsageError
from rankworth.judging.settings import Judging, Ordering

_OTHERWISE: Final = {
    "order": "the scores count with order='score'",
    "ties": "ids decide with ties='id-descending'",
    "duplicates": "the best score counts with duplicates='best'",
    "blocks": "all rows of a query are one ranking with blocks='joined'",
    "pairing": "queries meet by their ids with pairing='id'",
}


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


def _refusal(name: str, value: object, more: str = "") -> UsageError:
    text = f"{name}={value!r}: the rows of a relation have no order"
    return UsageError("unknown-setting", text, remedy=_OTHERWISE[name] + more)

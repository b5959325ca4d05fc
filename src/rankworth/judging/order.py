"""What `order="auto"` comes to: a list is the ranking of its query, unless its scores contradict it.

In a table scores decide.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.duplicates import COUNTED
from rankworth.io.reading import Lists
from rankworth.settings import Judging, Ordering

if TYPE_CHECKING:
    from rankworth.judging.duckdb.relation import Related

_WAYS: Final = (
    'order="given" (--order given) takes lists as they stand, order="score" (--order score) sorts them by score'
)


def settled(ordering: Ordering, lists: Lists | None) -> Ordering:
    """An ordering in which `auto` is `given` for lists and `score` for tables.

    Args:
        ordering: the ordering.
        lists: how lists came; None for a table.

    """
    if ordering.order != "auto":
        return ordering
    return ordering._replace(order="score" if lists is None else "given")


@dataclass
class Contradictions:
    """Lists whose scores contradict their order.

    Attributes:
        queries: how many queries were looked at.
        rising: in how many of them some score is above the one before.
        falls: whether any score is below the one before.
        example: a query, two documents that stand one after the other, and their scores.

    """

    queries: int = 0
    rising: int = 0
    falls: bool = False
    example: tuple[str, str, float, str, float] | None = None

    def look(
        self,
        queries: Sequence[str],
        starts: Integers,
        scores: Floats,
        document: Callable[[int], Any],
        only: Integers | None = None,
    ) -> None:
        """Look at the lists of some queries.

        Args:
            queries: `[S]`, their ids.
            starts: `[S]`, where their lists begin.
            scores: `[R]`, those of a query together.
            document: gives the id at a place.
            only: the numbers of the queries that are judged; all where None.

        """
        only = np.arange(len(queries)) if only is None else only
        judged = np.zeros(len(queries), dtype=bool)
        judged[only] = True
        inner = np.repeat(judged, np.diff(starts, append=scores.size))[1:]
        inner[starts[1:] - 1] = False
        self.queries += len(only)
        self.falls = self.falls or bool((inner & (scores[1:] < scores[:-1])).any())
        above = np.flatnonzero(inner & (scores[1:] > scores[:-1])) + 1
        if not above.size:
            return
        owners = np.searchsorted(starts, above, side="right") - 1
        self.rising += np.unique(owners).size
        if self.example is None:
            place = int(above[0])
            before, after = (str(document(one)) for one in (place - 1, place))
            query = queries[int(owners[0])]
            self.example = query, before, float(scores[place - 1]), after, float(scores[place])

    def error(self, run: str, lists: Lists, *, ways: bool = True) -> InputError | None:
        """What is said of them; None where there are none.

        Args:
            run: what the run is called; nothing where it has no name.
            lists: how lists came.
            ways: whether there is a setting that says which of the two is the ranking.

        """
        if self.example is None:
            return None
        query, before, one, after, other = self.example
        called = f"run {run}" if run else "the run"
        many = counted(self.rising)
        of = f" of {self.queries:,}" if self.queries > 1 else ""
        text = (
            f"{called}: in {many}{of} the scores contradict the order of the list: query {quoted([query])} has "
            f"{quoted([before])} ({one:g}) before {quoted([after])} ({other:g})"
        )
        remedy = _WAYS if ways else "sort the lists by their scores, or leave the scores out"
        if not self.falls:
            text += "; the scores of all lists only rise, so they look like distances"
            negate = "negate them"
            if lists.field:
                field = f"-{lists.field}"
                negate = f"columns={{'score': {field!r}}} (--columns {quoted(['score=' + field])})"
            remedy = f"if a smaller score is better: {negate}\n{remedy}"
        return InputError("ambiguous-order", text, remedy=remedy)


_OTHERWISE: Final = {
    "order": "the scores count with order='score'",
    "ties": "ids decide with ties='id-descending'",
    "duplicates": "the best score counts with duplicates='best'",
    "blocks": "all rows of a query are one ranking with blocks='joined'",
    "pairing": "queries meet by their ids with pairing='id'",
}

_PLAIN: Final = {"blocks": "joined", "pairing": "id"}
"""settings that ask in which order queries came, unless they are these"""


def refuse(settings: Judging, run: "Related") -> None:
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

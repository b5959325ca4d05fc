"""What has no order to rank by: lists whose scores contradict it, and rows without one where a setting needs it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth import support
from rankworth.arrays import Floats, Integers
from rankworth.errors import InputError, counted, quoted
from rankworth.io.facts import Lists
from rankworth.settings import Judging

if TYPE_CHECKING:
    from rankworth.judging.ranking import Rows
    from rankworth.model import Run

_WAYS: Final = (
    '--order given (order="given") takes lists as they stand, --order score (order="score") sorts them by score'
)


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

    def look_at(self, rows: "Rows") -> None:
        """Look at the lists of the judged queries of a batch."""
        self.look(rows.queries, rows.starts, rows.scores, lambda row: rows.documents(np.array([row]))[0], rows.judged)

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
        # [S]: whether the list is looked at
        judged = np.ones(len(queries), dtype=bool) if only is None else np.isin(np.arange(len(queries)), only)
        # [R - 1]: whether the row and the next are of a list that is looked at
        inner = np.repeat(judged, np.diff(starts, append=scores.size))[1:]
        inner[starts[1:] - 1] = False
        self.queries += int(judged.sum())
        self.falls = self.falls or bool((inner & (scores[1:] < scores[:-1])).any())
        # [A]: the rows with a better score than the row before
        above = np.flatnonzero(inner & (scores[1:] > scores[:-1])) + 1
        owners = np.searchsorted(starts, above, side="right") - 1  # [A]: the query of each
        self.rising += np.unique(owners).size
        if self.example is None and above.size:
            rise = int(above[0])
            (before, lower), (after, higher) = ((str(document(row)), float(scores[row])) for row in (rise - 1, rise))
            self.example = queries[int(owners[0])], before, lower, after, higher

    def error(self, run: str, lists: Lists | None, *, ways: bool = True) -> InputError | None:
        """Return the error for such lists; None without such lists, or if their scores are not used.

        Args:
            run: what the run is called; nothing where it has no name.
            lists: how lists came; None where there are none.
            ways: whether there is a setting that says which of the two is the ranking.

        """
        if self.example is None or lists is None or lists.is_order:
            return None
        query, before, lower, after, higher = self.example
        called = f"run {run}" if run else "the run"
        many = counted(self.rising)
        of = f" of {self.queries:,}" if self.queries > 1 else ""
        text = (
            f"{called}: in {many}{of} the scores contradict the order of the list: query {quoted([query])} has "
            f"{quoted([before])} ({lower:g}) before {quoted([after])} ({higher:g})"
        )
        remedy = _WAYS if ways else "sort the lists by their scores, or leave the scores out"
        if not self.falls:
            like, better, field = "distances", "smaller", f"-{lists.field}"
            if lists.field.startswith("-"):
                like, better, field = "similarities", "greater", lists.field[1:]
            text += f"; the scores of all lists only rise, so they look like {like}"
            option = f"--columns {quoted(['score=' + field])}, in Python columns={{'score': {field!r}}}"
            remedy = f"if a {better} score is better: {option if lists.field else 'negate them'}\n{remedy}"
        return InputError("ambiguous-order", text, remedy=remedy)


def unscored(order: str, duplicates: str, run: "Run") -> InputError | None:
    """Return the error for sums of scores in a run ranked without scores; None if scores rank it.

    Args:
        order: what ranks them: `score`, `rank` or `given`.
        duplicates: how the rows of one document become one.
        run: the run, once its first rows are read.

    """
    if order == "score" and run.facts.has_scores:
        return None
    by = "the ranks" if order == "rank" or run.facts.has_rank_column else "the order"
    text = f"duplicates={duplicates!r}: {run.name or 'the run'} is ranked by {by} of its documents, not by scores"
    remedy = 'the first row of each counts with --duplicates best (duplicates="best")'
    if run.facts.has_scores:
        remedy = f'rank it by its scores: --order score (order="score")\n{remedy}'
    return InputError("refused-input", text, remedy=remedy)


UNORDERED: Final = "rows without positions"
OF_QUERIES: Final = ("blocks", "pairing")
"""settings that need the order of queries"""
POSITION: Final = "; or give them a column position"


def refuse_unordered(settings: Judging, *, ranked: bool) -> None:
    """Refuse settings that need an order of queries or rows that the input lacks.

    Args:
        settings: the settings.
        ranked: whether something says the order of rows.

    Raises:
        UsageError: `unfollowed-setting`.

    """
    for name, value in support.unfollowed(UNORDERED, settings).items():
        if name in OF_QUERIES or not ranked:
            more = "" if name in OF_QUERIES else POSITION
            raise support.refusal(UNORDERED, name, value, more=more)


def repeated_rank(run: "Run", query: str) -> InputError:
    """Return the error for a query with several documents at one rank, found in another pass over the run.

    Args:
        run: whose column of ranks ranks it.
        query: the first such query.

    """
    import polars as pl  # noqa: PLC0415 - dicts need none of this

    rows = pl.concat([frame.filter(frame["query"] == query) for frame in run.batches()])
    ranked = rows.select("document", (0.0 - pl.col("score")).alias("rank"))
    again = ranked.filter(pl.col("rank").is_duplicated()).sort("rank", maintain_order=True)
    rank = again["rank"][0]
    documents = again.filter(pl.col("rank") == rank)["document"].to_list()
    text = f"{run.name or 'the run'}: query {quoted([query])} has rank {rank:g} {len(documents):,} times, for documents"
    remedy = "if another column tells queries apart, name both: --run-columns query=NAME,NAME (run_columns={'query': "
    remedy += "'NAME,NAME'})\nif equal ranks are ties, name the column of ranks: --run-columns score=-NAME "
    remedy += "(run_columns={'score': '-NAME'})"
    return InputError(
        "repeated-rank", f"{text} {quoted(documents)}; these ranks are of several rankings", remedy=remedy
    )

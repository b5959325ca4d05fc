"""The gate on leaks: no document that is forbidden for a query may be among those that a run returns for it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rankworth.comparison.gates import Gate, Verdict
from rankworth.errors import InputError, UsageError, counted
from rankworth.judging.item_data import Forbidden, ranked_rows
from rankworth.judging.overlap import difference
from rankworth.model import Run
from rankworth.stats.proportions import described_share

_NAMED: Final = 3
"""how many leaks are named"""
_COMPARED: Final = 1000
"""how many ids of either side are compared"""


def verdicts(path: str, forbidden: Forbidden, systems: Mapping[str, Sequence[object]]) -> list[Verdict]:
    """Decide for each system whether something leaks: all documents of all queries count, judged or not.

    Args:
        path: what the forbidden pairs are called.
        forbidden: the pairs.
        systems: the runs of each system.

    Raises:
        UsageError: `conflicting-options` for a system of which there are values only.

    """
    gate = Gate("no-leak", path, 0.0)
    decided = []
    for system, runs in systems.items():
        count, number, named = 0, 0, []
        for run in runs:
            if not isinstance(run, Run):
                text = f"--no-leak {path} looks at documents, and of {system} there are values only"
                raise UsageError("conflicting-options", text, remedy="give the run itself in place of the results file")
            leaks, queries = _leaks(run, forbidden)
            count, number = count + len({query for query, _, _ in leaks}), number + queries
            named += [f"{query} {document} at rank {rank}" for query, document, rank in leaks]
        shown = [*named[:_NAMED], *[f"and {len(named) - _NAMED:,} more"] * (len(named) > _NAMED)]
        reason = described_share(count, number) if number else "there is no query"
        many = counted(len(named), "forbidden document", "forbidden documents")
        reason = f"{many} in {reason}: {', '.join(shown)}" if named else f"no forbidden document: {reason}"
        decided.append(Verdict(gate, system, not named, None, float(count), reason))
    return decided


def _leaks(run: Run, forbidden: Forbidden) -> tuple[list[tuple[str, str, int]], int]:
    """Return query, document and rank of each leak, by rank, and how many queries the run has."""
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    ranked = ranked_rows(run)
    _refuse_others(ranked, forbidden, run.name or "the run")
    pairs = forbidden.rows.select(pl.col("query", "document").cast(pl.String)).unique()
    leaks = ranked.join(pairs, on=["query", "document"]).sort("rank", "query").select("query", "document", "rank")
    return list(leaks.iter_rows()), ranked["query"].n_unique()


def _refuse_others(ranked: Any, forbidden: Forbidden, name: str) -> None:  # noqa: ANN401 - a Polars frame
    """Refuse pairs that have no query of a run, or no document because ids differ in their form.

    Raises:
        InputError: `no-match`.

    """
    for column, noun in (("query", "queries"), ("document", "documents")):
        theirs, ours = ({*rows[column].cast(str).unique().to_list()} for rows in (forbidden.rows, ranked))
        if ours and not theirs & ours:
            few = [sorted(each)[:_COMPARED] for each in (theirs, ours)]
            form = difference(few[0], few[1], f"{noun} would meet", sides=("the pairs", "the run"))
            if form or column == "query":
                text = f"the forbidden pairs have none of the {len(ours):,} {noun} of {name}"
                raise InputError("no-match", text, remedy=form or "are these pairs about the queries of the run?")

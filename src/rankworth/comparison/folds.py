"""Several runs of one system as one: folds joined, seeds averaged."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from rankworth.comparison.boards import System, refuse_differences
from rankworth.errors import UsageError

_REMEDY = "give runs for the same queries, or for altogether different ones"


def joined(several: Sequence[System], measures: Sequence[str]) -> System:
    """Several runs of one system as one: folds joined, seeds averaged for each query first.

    Args:
        several: the runs.
        measures: what they are compared by; all that they share where nobody said.

    Raises:
        UsageError: `not-comparable` where their queries are neither the same nor altogether different, or where they
            were not measured alike.

    """
    first, *others = several
    if not others:
        return first
    shared = [label for label in measures or first.scores if all(label in one.scores for one in several)]
    refuse_differences(several, [label for label in shared if first.scores[label].paired])
    answering = [set(one.queries) if one.answering is None else {*one.answering} & {*one.queries} for one in several]
    every = set().union(*answering)
    if sum(map(len, answering)) == len(every) > max(map(len, answering)):
        return _folds(several, answering, shared)
    odd = next((one for one in others if one.queries != first.queries), None)
    if odd is not None:
        counts = f"{len(first.queries):,} and {len(odd.queries):,}"
        text = f"{first.name}: its runs share some queries, not all ({counts}): they are neither folds nor repetitions"
        raise UsageError("not-comparable", text, remedy=_REMEDY)
    answered = [one.answered for one in several if one.answering is None and one.answered is not None]
    if len(answered) == len(several) and max(answered) < len(first.queries) and sum(answered) <= len(first.queries):
        text = f"{first.name}: its stored values do not tell which queries are those of which fold"
        remedy = (
            "give the runs, or values of the answered queries alone: evaluate with --answered-only (missing='skip')"
        )
        raise UsageError("not-comparable", text, remedy=remedy)
    scores = {
        label: replace(
            first.scores[label], values=np.mean([one.scores[label].values for one in several], axis=0, dtype=float)
        )
        for label in shared
    }
    return replace(_both(several), scores=scores, joined=("seeds", len(several)))


def _folds(several: Sequence[System], answering: Sequence[AbstractSet[str]], measures: Sequence[str]) -> System:
    """Folds as one system: each query has the value of the run that answers it; others are worth what nothing is."""
    at = [{query: row for row, query in enumerate(one.queries)} for one in several]
    owners = {query: place for place, queries in reversed([*enumerate(at)]) for query in queries}
    owners |= {query: place for place, queries in enumerate(answering) for query in queries}
    every = sorted(owners)
    scores = {}
    for label in measures:
        values = [several[owners[query]].scores[label].values[at[owners[query]][query]] for query in every]
        scores[label] = replace(several[0].scores[label], values=np.array(values))
    answered = sum(map(len, answering))
    whole = _both(several)
    return replace(whole, queries=tuple(every), scores=scores, answered=answered, joined=("folds", len(several)))


def _both(several: Sequence[System]) -> System:
    """What is said of several runs together."""
    first = several[0]
    judged = [one.judged for one in several]
    return replace(
        first,
        judged=None if None in judged else frozenset().union(*(one for one in judged if one is not None)),
        answered=None if any(one.answered is None for one in several) else min(one.answered or 0 for one in several),
        answering=None,
        notices=tuple(dict.fromkeys(notice for one in several for notice in one.notices)),
    )

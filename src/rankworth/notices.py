"""What makes right values easily misread: looked for after measuring, said beside the values."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from rankworth import averaging
from rankworth.errors import quoted
from rankworth.hits import Floats, Hits
from rankworth.measures import Fact, Measure
from rankworth.model import Qrels
from rankworth.names import Quantity
from rankworth.values import Counts, Notice

_MANY_UNANSWERED: Final = 0.1


def notices_of(
    run: str, measures: Sequence[Measure | Fact], hits: Hits, counts: Counts, answered: Floats
) -> Iterator[Notice]:
    """Everything that deserves a second look.

    Args:
        run: what to call the run.
        measures: what was measured.
        hits: the judged run.
        counts: how many queries stand behind the means.
        answered: `[Q, M]`, the values of the queries for which the run has documents.

    """
    yield from _unanswered(run, measures, counts, answered)
    yield from _thresholds(measures, hits)
    yield from _shallow(run, [measure for measure in measures if isinstance(measure, Measure)], hits)


def notices_of_subtopics(qrels: Qrels, measures: Sequence[Quantity], hits: Hits) -> Iterator[Notice]:
    """What the judgements say of subtopics and the measures do not use, or the other way round."""
    over = [measure for measure in measures if measure.definition.subtopics]
    if over and (hits.subtopics is None or hits.subtopics.counts.max() < 2):  # noqa: PLR2004 - more than one
        yield Notice(
            "one-subtopic",
            "no query has judgements for more than one subtopic, so there is nothing to diversify for "
            f"{quoted(over)}; subtopics stand in the second column of a qrels file or in a column subtopic of a frame",
        )
    others = [measure for measure in measures if not measure.definition.subtopics]
    if others and qrels.merged:
        yield Notice(
            "best-of-subtopics",
            "some documents are judged for several subtopics of a query; the best grade of each document counts for "
            f"{quoted(others)}",
        )


def _unanswered(run: str, measures: Sequence[Measure | Fact], counts: Counts, answered: Floats) -> Iterator[Notice]:
    """Many judged queries without results move the mean; whether they should is for the user to say."""
    place = next((place for place, measure in enumerate(measures) if isinstance(measure, Measure)), None)
    if counts.unanswered <= _MANY_UNANSWERED * counts.judged or place is None:
        return
    column = answered[:, [place]]
    with_zeros = np.concatenate([column, np.zeros((counts.unanswered, 1))])
    as_zero, without = (float(averaging.summary(one, [measures[place].averaging])[0]) for one in (with_zeros, column))
    name = "name the queries that the run was made for with --only FILE (queries=[...])"
    left_out = counts.scored < counts.judged
    remedy = (
        f"They are left out; {name}" if left_out else f'Leave them out with --answered-only (missing="skip"), or {name}'
    )
    yield Notice(
        "many-unanswered",
        f"{run} has no results for {counts.unanswered:,} of {counts.judged:,} judged queries; {measures[place]} is "
        f"{as_zero:.4f} if they count 0, {without:.4f} without them. {remedy}",
    )


def _thresholds(measures: Sequence[Measure | Fact], hits: Hits) -> Iterator[Notice]:
    """Thresholds of relevance that no grade reaches, or every grade."""
    low, high = (float(hits.pool.min()), float(hits.pool.max())) if hits.pool.size else (0.0, 0.0)
    rel = {measure: measure.parameters["rel"] for measure in measures if "rel" in measure.parameters}
    unreached = [measure for measure in rel if rel[measure] > high]
    if unreached:
        yield Notice(
            "nothing-relevant",
            f"the best grade is {high:g}, but {quoted(unreached)} count documents as relevant from grade "
            f"{rel[unreached[0]]:g} on; set rel, as in {unreached[0].name}(rel={high:g})",
        )
    lenient = [measure for measure in rel if rel[measure] <= low]
    if lenient and 0 < low < high:
        yield Notice(
            "all-relevant",
            f"the grades run from {low:g} to {high:g} and none is 0 or below, so every judged document is relevant to "
            f"{quoted(lenient)}; if {low:g} means bad, set rel, as in {lenient[0].name}(rel={(low + high) / 2:g})",
        )


def _shallow(run: str, measures: Sequence[Measure], hits: Hits) -> Iterator[Notice]:
    """Cutoffs that no query of the run reaches, and what they come to."""
    depth = int(hits.n_retrieved.max())
    deeper = [measure for measure in measures if measure.cutoff is not None and measure.cutoff > depth]
    if not deeper:
        return
    equal: list[Measure] = []
    other: list[Measure] = []
    for measure in deeper:
        same = all(
            np.array_equal(measure.values(block), (measure @ depth).values(block), equal_nan=True)
            for _, block in hits.blocks(np.flatnonzero(hits.n_retrieved))
        )
        (equal if same else other).append(measure)
    parts = [f"{measure} = {measure @ depth}" for measure in equal]
    parts += [f"{quoted(other)} count{'s' if len(other) == 1 else ''} ranks that are empty"] if other else []
    yield Notice("shallow-run", f"{run} is {depth:,} deep: {', '.join(parts)}")

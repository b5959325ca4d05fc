"""What stands behind the values of one measure: the judged run, the settings, and a way to ask what might be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from rankworth import columns
from rankworth.alternatives import Alternative, Ranking
from rankworth.columns import Column
from rankworth.errors import InputError, RankworthError, RefusedError, quoted, shortened
from rankworth.hits import Hits, Integers
from rankworth.judged import Judged
from rankworth.judging import aftermath
from rankworth.judging.settings import Judging
from rankworth.measures import Measure, Terms
from rankworth.model import Qrels, Run
from rankworth.profiles import Asked, Profile
from rankworth.views import View

_ROWS = 1 << 18
"""how many documents are measured at once"""


@dataclass(frozen=True)
class Scene:
    """One measure of one run, and all that makes numbers of its queries.

    Attributes:
        asked: the measure with its settings.
        profile: the conventions.
        measure: the measure alone.
        view: the judged run as the settings have it; queries that are shown have rows for all documents, with ids.
        judging: the settings of the judging that change something here.
        qrels: the judgements that count.
        column: the values as they are averaged.

    """

    asked: Asked
    profile: Profile
    measure: Measure
    view: View
    judging: Judging
    qrels: Qrels
    column: Column

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each query stands."""
        return {query: place for place, query in enumerate(self.view.queries)}

    @cached_property
    def shown(self) -> list[float | None]:
        """The value of each query; None where it is left out, NaN where it is not defined."""
        pairs = zip(self.column.shown().tolist(), self.column.there.tolist(), strict=True)
        return [value if there else None for value, there in pairs]

    def names(self, query: str) -> list[str]:
        """What a query is called in the judged run: several names where its rows stand apart as several rankings."""
        own = [query] if query in self.places and query in self.qrels.queries else []
        if self.asked.judging.blocks == "joined":
            return own
        return own + [name for name in self.places if name != query and name.rpartition(" (")[0] == query]

    def block(self, places: Integers) -> Judged:
        """Some queries as the measure sees them, before it cuts anything."""
        block = self.view.hits.block(places)
        return block.condensed if self.view.condensed else block

    def ranking(self, block: Judged) -> Judged:
        """A block as the measure itself cuts it, row for row what its terms belong to."""
        condensed = block.condensed if self.measure.judged_only else block
        return condensed if self.measure.cutoff is None else condensed.cut(self.measure.cutoff)

    def terms(self, block: Judged) -> Terms:
        """What every rank contributes."""
        return self.measure.terms(block)

    def alternatives(self, query: str) -> Ranking:
        """The documents of one query, to be arranged otherwise."""
        place = self.places[query]
        at = self.qrels.queries.index(query)
        start, end = self.qrels.offsets[at : at + 2].tolist()
        one = self.view.judgement.hits.of(np.array([place]))
        ranking = Ranking.of(one, self.qrels.documents_of(at), self.qrels.grades[start:end], start)
        return replace(ranking, place=place)

    def each(self, ranking: Ranking, alternatives: Sequence[Alternative]) -> list[float | RankworthError | None]:
        """What other rankings of a query would be worth, and the errors with which some are refused.

        Args:
            ranking: the documents of the query.
            alternatives: their orders.

        """
        longest = max((len(one.order) for one in alternatives), default=1)
        step = max(1, _ROWS // max(1, longest))
        parts = (alternatives[start : start + step] for start in range(0, len(alternatives), step))
        return [value for part in parts for value in self._tried(ranking, part)]

    def _tried(self, ranking: Ranking, alternatives: Sequence[Alternative]) -> list[float | RankworthError | None]:
        """The same of few of them: halved, until the one is found that is refused."""
        try:
            return [*self.values(ranking, alternatives)]
        except RankworthError as error:
            if len(alternatives) == 1:
                return [self.profile.refused(error, self.asked.label) if isinstance(error, RefusedError) else error]
        half = len(alternatives) // 2
        return self._tried(ranking, alternatives[:half]) + self._tried(ranking, alternatives[half:])

    def values(
        self, ranking: Ranking, alternatives: Sequence[Alternative], measure: Measure | None = None
    ) -> list[float | None]:
        """What other rankings of a query would be worth, one by one; None where they would have no value.

        Args:
            ranking: the documents of the query.
            alternatives: their orders.
            measure: another measure than that of the scene, under the same settings.

        Raises:
            RankworthError: where the settings refuse one of them.

        """
        if not alternatives:
            return []
        measure = measure or self.measure
        names = [str(number) for number in range(1, len(alternatives) + 1)]
        bare = ranking.hits(alternatives)
        judging = self._judging(bare)
        hits = aftermath.settle(bare, judging, names)
        answered = hits.n_retrieved > 0
        judged = np.ones_like(answered)
        none = ~judged
        if judging.judgements == "relevant" or judging.negative == "dropped":
            judged = np.diff(aftermath.graded(bare, judging, names).pool_offsets) > 0
        judgement = replace(self.view.judgement, hits=hits)
        view = View(hits, hits, names, judged, answered, none, self.view.condensed, judgement, ())
        view.measure([measure], self.qrels)
        averaging = replace(self.asked.averaging, all_negative="keep")
        rows = columns.rows_of(view.standing, averaging)
        lenient = measure.parameters.get("rel", 1) <= 0
        found = columns.column(
            view.values_of(measure), rows, view.standing, averaging, measure.averaging, lenient=lenient
        )
        values = found.shown()
        if self.asked.averaging.all_negative == "previous":
            values = np.where(judged & view.standing.negative, self._before(ranking.place), values)
        return [value if there else None for value, there in zip(values.tolist(), found.there.tolist(), strict=True)]

    def _judging(self, hits: Hits) -> Judging:
        """The settings that change something of other rankings; other grades may be such that others do."""
        judging = aftermath.effective(self.asked.judging, hits)
        shared = self.judging.ties in ("expected", "last")
        return replace(judging, ties=self.judging.ties) if shared else judging

    def _before(self, place: int) -> float:
        """The value of the query before one that has one."""
        values = self.column.shown()[:place][self.column.there[:place]]
        return float(values[-1]) if values.size else 0.0

    def value_of(self, ranking: Ranking, alternative: Alternative) -> float | None:
        """What one other ranking would be worth; None where it would have no value, or is refused."""
        try:
            [value] = self.values(ranking, [alternative])
        except RankworthError:
            return None
        return value


def refuse(query: str, scenes: Sequence[Scene], runs: Sequence[Run], *, alone: bool = True) -> None:
    """Refuse a query of which there is nothing to explain.

    Args:
        query: its id.
        scenes: the same measure of each run.
        runs: the runs.
        alone: whether nothing else is asked for, so that a query without results leaves nothing to be said.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`.

    """
    known = [scene.names(query) for scene in scenes]
    if not any(known):
        unjudged = [scene.view.judgement.unjudged for scene in scenes]
        if any(query in some for some in unjudged):
            raise InputError(
                "unjudged-queries",
                f"{query} has results and no judgements, so that there is nothing to measure",
                remedy=f"judged are {quoted(scenes[0].qrels.queries)}",
            )
        every = dict.fromkeys([*scenes[0].qrels.queries, *(one for some in unjudged for one in some)])
        near = get_close_matches(query, every, 3, 0.4) or list(every)[:3]
        total = "There is 1 query" if len(every) == 1 else f"There are {len(every):,} queries"
        raise InputError(
            "unknown-query",
            f"there is no query {shortened(repr(query))}, neither in the judgements nor in the run",
            remedy=f"did you mean {quoted(near)}? {total}",
        )
    for scene, run, names in zip(scenes, runs, known, strict=True):
        answered = [name for name in names if scene.view.answered[scene.places[name]]]
        if answered or len(runs) > 1 or not alone:
            continue
        [label, value] = scene.asked.label, scene.shown[scene.places[names[0]]]
        told = "is left out" if value is None else f"counts as {value:g}"
        raise InputError(
            "unanswered-query",
            f"{query} is judged, and {run.name or 'the run'} has no document for it, so that {label} {told}",
            remedy="there is nothing to explain: look for the query in the run",
        )

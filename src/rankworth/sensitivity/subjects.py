"""What is varied: one measure of one ranking, and a way to ask what it would be worth otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from rankworth import measuring
from rankworth.alternatives import Alternative, Ranking
from rankworth.errors import InputError, RankworthError, UsageError, quoted, shortened
from rankworth.judging import inputs
from rankworth.judging.settings import Ties
from rankworth.measuring import Plan
from rankworth.model import Run
from rankworth.scenes import Scene, refuse


@dataclass(frozen=True)
class Subject:
    """One measure of one query.

    Attributes:
        label: what tables call the measure.
        scene: what stands behind its values.
        query: what the judged run calls the query.
        notes: what the settings refused, in the order in which it was asked.

    """

    label: str
    scene: Scene
    query: str
    notes: list[str] = field(default_factory=list)

    @property
    def now(self) -> float | None:
        """The value of the ranking as it is; None where the query is left out."""
        return self.scene.shown[self.scene.places[self.query]]

    @cached_property
    def ranking(self) -> Ranking:
        """The documents.

        Raises:
            InputError: `duplicate-document` where one stands at several ranks, so that a change of it may mean many
                things.

        """
        ranking = self.scene.alternatives(self.query)
        documents = ranking.documents[: ranking.retrieved]
        if len(set(documents)) < len(documents):
            twice = next(one for place, one in enumerate(documents) if one in documents[:place])
            raise InputError(
                "duplicate-document",
                f"{twice} counts more than once for {self.query}, so that a change of its rank or grade is not clear",
                remedy='say which one counts: duplicates="best", duplicate_judgements="max"',
            )
        return ranking

    @property
    def shared(self) -> bool:
        """Whether documents of one score share their ranks, in a ranking where some do."""
        rows = self.ranking.rows
        tied = (rows.tie_last > rows.tie_first)[: self.ranking.retrieved]
        return self.scene.asked.judging.ties in ("expected", "last") and bool(tied.any())

    def with_ties(self, ties: Ties) -> "Subject":
        """The same by another convention for ties; the documents stay in their order."""
        scene = self.scene
        asked = replace(scene.asked, judging=replace(scene.asked.judging, ties=ties))
        return replace(self, scene=replace(scene, asked=asked, judging=replace(scene.judging, ties=ties)))

    def row(self, document: str) -> int:
        """The row of a document.

        Raises:
            InputError: `unknown-document`.

        """
        documents = self.ranking.documents
        if document in documents:
            return documents.index(document)
        near = get_close_matches(document, documents, 3, 0.4) or documents[:3]
        where = "the list of grades" if self.query == inputs.GRADES else self.query
        raise InputError(
            "unknown-document",
            f"{where} has no document {shortened(repr(document))}, neither judged nor retrieved",
            remedy=f"did you mean {quoted(near)}? There are {len(documents):,} documents",
        )

    def standing(self, document: str) -> str:
        """The grade of a document and its rank, in words."""
        row = self.row(document)
        grade = self.ranking.grade(row)
        graded = "nobody judged it" if grade is None else f"grade {grade:g}"
        placed = f"rank {self.ranking.rows.rank[row]:,}" if row < self.ranking.retrieved else "not retrieved"
        return f"{graded}, {placed}"

    def best_document(self) -> str:
        """The first document with the highest grade, be it retrieved or not."""
        grades = [self.ranking.grade(row) for row in range(len(self.ranking.documents))]
        known = [-np.inf if grade is None else grade for grade in grades]
        return self.ranking.documents[int(np.argmax(known))]

    def change(self, value: float | None) -> float | None:
        """How much more a value is than that of the ranking as it is."""
        return None if value is None or self.now is None else value - self.now

    def values(self, alternatives: Sequence[Alternative | None], said: Sequence[str] = ()) -> list[float | None]:
        """The values of other rankings; None where they have none.

        Args:
            alternatives: the rankings, None for the one that it is.
            said: what changed in each, for notes; where nothing is said, nothing is noted.

        Raises:
            RankworthError: where the settings refuse them all.

        """
        found = self.scene.each(self.ranking, [one for one in alternatives if one is not None])
        refusals = [one for one in found if isinstance(one, RankworthError)]
        if refusals and len(refusals) == len(alternatives):
            raise refusals[0]
        measured = iter(found)
        every = [self.now if one is None else next(measured) for one in alternatives]
        texts = {
            str(one.problems[0]): place
            for place, one in reversed([*enumerate(every)])
            if isinstance(one, RankworthError)
        }
        for text, place in texts.items() if said else ():
            self.notes.append(f"{self.label} has no value for {said[place]}: {text}")
        return [None if isinstance(one, RankworthError) else one for one in every]


def subjects(qrels: object, run: object, query: str, plan: Plan) -> list[Subject]:
    """What is varied, one for each measure.

    Args:
        qrels: as for `rankworth.evaluate`.
        run: as there.
        query: the id of the query.
        plan: what is asked for.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`, and as `rankworth.evaluate`.
        MeasureError: as there; `measure-syntax` for what is counted.
        UsageError: `conflicting-options` where the rows of the query stand apart and are several rankings.

    """
    read: Run = inputs.run(run)
    [(_, scenes)] = measuring.inspect_runs(qrels, [read], plan, [query])
    refuse(query, scenes[:1], [read])
    found = []
    for scene in scenes:
        names = scene.names(query)
        if len(names) > 1:
            text = f"the rows of {query} stand apart and are {len(names)} rankings: {quoted(names)}"
            raise UsageError("conflicting-options", text, remedy='blocks="joined" makes one of them')
        found += [Subject(scene.asked.label, scene, name) for name in names]
    return found

"""What changes do to the value of one query by one measure: the values, and their table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.errors import InputError, RankworthError, UsageError, quoted, shortened
from rankworth.evaluation import runner
from rankworth.evaluation.counterfactuals import Counterfactual, MeasureContext, Ranking, refuse
from rankworth.evaluation.evaluator import Plan
from rankworth.judging import inputs
from rankworth.judging.inputs import GRADES
from rankworth.settings import Ties
from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look
from rankworth.tables.notebook import Shown

By = Literal["position", "grade", "cutoff", "swap", "ties", "unjudged"]
"""What may be varied."""
BY: Final[tuple[By, ...]] = get_args(By)
Row = dict[str, Any]

_FURTHER: Final[Mapping[By, tuple[str, ...]]] = {
    "position": ("document", "grade"),
    "grade": ("document", "beside"),
    "cutoff": (),
    "swap": ("rank", "document", "other"),
    "ties": (),
    "unjudged": ("document", "rank"),
}
"""the columns after `measure`, what is varied, `value` and `change`"""
_KEYS: Final[Mapping[By, tuple[tuple[str, str, Kind], ...]]] = {
    "position": (("position", "rank", "count"),),
    "grade": (("grade", "grade", "grade"), ("beside", "beside grade", "number")),
    "cutoff": (("cutoff", "k", "count"),),
    "swap": (("swap", "ranks", "text"), ("document", "upper", "text"), ("other", "lower", "text")),
    "ties": (("ties", "order of ties", "text"),),
    "unjudged": (
        ("unjudged", "unjudged documents", "text"),
        ("rank", "rank", "number"),
        ("document", "document", "text"),
    ),
}
"""the columns that name a row of a table, with heading and kind"""
_DEEPEST: Final = 1000
"""the deepest rank that is varied unless `n` says more"""
_FEW: Final = 20
"""up to how many swaps or unjudged documents a table shows all, also those that change nothing"""


@dataclass(frozen=True, repr=False)
class Variation(Shown):
    """The values of a ranking when something about it changes.

    Attributes:
        by: what is varied.
        measures: what tables call the measures.
        columns: one row for each change and measure, as tidy columns: `measure`, what is varied under its own name,
            `value`, `change` against the ranking as it is, and further ones. A value is None where the settings leave
            the query out or refuse it, and NaN where it is not defined and stays so.
        baseline: the value of the ranking as it is, for each measure that has one; empty where there is no such
            ranking.
        run: the name of the run.
        query: the id of the query as the judgements had it; empty where there is none.
        document: the document that moves, or whose grade changes; empty where there is none.
        profile: the name of the conventions.
        sentence: what is varied, in words.
        notes: what must be said about the numbers.
        deepest: the deepest rank that a measure looks at.

    """

    by: By
    measures: tuple[str, ...]
    columns: Mapping[str, Sequence[Any]]
    baseline: Mapping[str, float]
    run: str = ""
    query: Any = ""
    document: Any = ""
    profile: str = ""
    sentence: str = ""
    notes: tuple[str, ...] = ()
    deepest: int = 10**9

    @property
    def rows(self) -> list[Row]:
        """The columns row by row."""
        return [dict(zip(self.columns, cells, strict=True)) for cells in zip(*self.columns.values(), strict=True)]

    @property
    def best(self) -> dict[str, Row]:
        """The swap that gains most, for each measure that some swap makes better."""
        return self._largest(1)

    @property
    def worst(self) -> dict[str, Row]:
        """The swap that loses most, for each measure that some swap makes worse."""
        return self._largest(-1)

    def _largest(self, sign: int) -> dict[str, Row]:
        """The first of the swaps that change a value most in one direction."""
        found: dict[str, Row] = {}
        for row in self.rows if self.by == "swap" else ():
            before = found.get(row["measure"], {"change": 0.0})
            if row["change"] is not None and sign * row["change"] > sign * before["change"]:
                found[row["measure"]] = row
        return found

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The columns as a frame.

        Args:
            library: polars, pandas or pyarrow.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns, library)

    def sheets(self) -> list[Sheet]:
        """One table with a row for each change and a column for each measure."""
        first, *others = _KEYS[self.by]
        keys = [first, *(key for key in others if any(cell is not None for cell in self.columns[key[0]]))]
        rows, several = self._shown_rows(), len(self.measures) > 1
        names = [name for name, _, _ in keys]
        shown = list(dict.fromkeys(tuple(row[name] for name in names) for row in rows))
        cells = {(row["measure"], tuple(row[name] for name in names)): row for row in self.rows}
        columns = []
        for (_, heading, kind), values in zip(
            keys, zip(*shown, strict=True) if shown else [()] * len(keys), strict=True
        ):
            texts = ["" if cell is None else str(cell) for cell in values]
            columns.append(Column(heading, kind, texts if kind == "text" else list(values)))
        for measure in self.measures:
            own = [cells.get((measure, key), {}) for key in shown]
            columns.append(Column(measure, "value", [row.get("value") for row in own]))
            if measure in self.baseline and (self.by == "swap" or not several):
                heading = f"{measure} change" if several else "change"
                columns.append(Column(heading, "value", [row.get("change") for row in own]))
        listed = " and ".join(filter(None, (", ".join(self.measures[:-1]), self.measures[-1])))
        return [Sheet(tuple(columns), tuple(self._notes(rows)), title=f"{listed} by {self.by}", lead=(self.sentence,))]

    @property
    def _key(self) -> str:
        """The column that names what a table may leave out."""
        return "swap" if self.by == "swap" else "document"

    def _shown_rows(self) -> list[Row]:
        """The rows that tables show: of many swaps or unjudged documents those that change a value."""
        rows, key = self.rows, self._key
        if self.by not in ("swap", "unjudged") or len(rows) <= _FEW * len(self.measures):
            return rows
        changing = {row[key] for row in rows if row["change"] != 0 and (row["rank"] or 0) <= self.deepest}
        return [row for row in rows if row[key] in changing or row[key] is None]

    def _notes(self, shown: Sequence[Row]) -> Iterator[str]:
        """How many rows are not shown, the value as it is, the best and the worst swap, and the notes."""
        all_of_them, those_shown = ({row.get(self._key) for row in rows} for rows in (self.rows, shown))
        if idle := len(all_of_them - those_shown):
            what, effect = "swaps of neighbours", "change nothing"
            if self.by == "unjudged":
                what = "unjudged documents"
                if self.deepest < max((row["rank"] or 0 for row in self.rows), default=0):
                    effect = f"stand beyond rank {self.deepest:,}, where they change the ideal at most, or {effect}"
            yield f"{idle:,} other {what} {effect}"
        if self.baseline and self.by != "cutoff":
            values = (f"{name} {Look().number(value, 'value')}" for name, value in self.baseline.items())
            yield f"as it is: {', '.join(values)}"
        for which, swaps in (("best", self.best), ("worst", self.worst)):
            for name, row in swaps.items():
                yield f"{which} swap for {name}: ranks {row['swap']} ({row['change']:+.4f})"
        yield from self.notes
        if self.profile:
            yield f"profile {self.profile}"


def columns_of(by: By, rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Rows as columns, in the order in which `Variation` has them."""
    return {name: [row.get(name) for row in rows] for name in ("measure", by, "value", "change", *_FURTHER[by])}


class Change(NamedTuple):
    """One row of a `Variation` to be: what is changed, and to what."""

    level: object
    """of what is varied: the rank, the grade"""
    ranking: Counterfactual | None
    """None for the ranking as it is"""
    description: str
    """for notes on changes that the settings refuse"""
    more: Row
    """further columns"""


@dataclass(frozen=True)
class RankedQuery:
    """One query as a run ranks it, its value by one measure, and its value if it were ranked or graded otherwise.

    Attributes:
        label: what tables call the measure.
        context: the judged run, the measure and its settings.
        query: what the judged run calls the query.
        notes: rankings without a value, ranks that were left out, and how ranges were found.

    """

    label: str
    context: MeasureContext
    query: str
    notes: list[str] = field(default_factory=list)

    @property
    def value(self) -> float | None:
        """The value of the ranking as it is; None where the query is left out."""
        return self.context.shown[self.context.places[self.query]]

    @cached_property
    def ranking(self) -> Ranking:
        """The documents.

        Raises:
            InputError: `duplicate-document` where one stands at several ranks, so that a change of it may mean many
                things.

        """
        ranking = self.context.alternatives(self.query)
        documents = ranking.documents[: ranking.retrieved]
        if len(set(documents)) < len(documents):
            twice = next(document for rank, document in enumerate(documents) if document in documents[:rank])
            raise InputError(
                "duplicate-document",
                f"{twice} counts more than once for {self.query}, so that a change of its rank or grade is not clear",
                remedy='say which one counts: duplicates="best", duplicate_judgements="max"',
            )
        return ranking

    @property
    def ties(self) -> Ties:
        """The setting for documents with equal scores."""
        return self.context.asked.judging.ties

    @property
    def shares_ranks(self) -> bool:
        """Whether tied documents share their ranks, in a ranking where some are tied."""
        rows = self.ranking.rows
        tied = (rows.tie_last > rows.tie_first)[: self.ranking.retrieved]
        return self.ties in ("expected", "last") and bool(tied.any())

    def with_ties(self, ties: Ties) -> "RankedQuery":
        """The ranking under another setting for ties; documents stay in their order."""
        asked = replace(self.context.asked, judging=replace(self.context.asked.judging, ties=ties))
        judging = replace(self.context.judging, ties=ties)
        return replace(self, context=replace(self.context, asked=asked, judging=judging))

    def row(self, document: str) -> int:
        """The row of a document.

        Raises:
            InputError: `unknown-document`.

        """
        documents = self.ranking.documents
        if document in documents:
            return documents.index(document)
        near = get_close_matches(document, documents, 3, 0.4) or documents[:3]
        where = "the list of grades" if self.query == GRADES else self.query
        raise InputError(
            "unknown-document",
            f"{where} has no document {shortened(repr(document))}, neither judged nor retrieved",
            remedy=f"did you mean {quoted(near)}? There are {len(documents):,} documents",
        )

    def describe(self, document: str) -> str:
        """A document with its grade and rank: `d7 (grade 2, rank 3)`."""
        row = self.row(document)
        grade = self.ranking.grade(row)
        graded = "nobody judged it" if grade is None else f"grade {grade:g}"
        rank = f"rank {self.ranking.rows.rank[row]:,}" if row < self.ranking.retrieved else "not retrieved"
        return f"{document} ({graded}, {rank})"

    def best_document(self) -> str:
        """The first document with the highest grade, retrieved or not."""
        grades = [self.ranking.grade(row) for row in range(len(self.ranking.documents))]
        return self.ranking.documents[int(np.argmax([-np.inf if grade is None else grade for grade in grades]))]

    def last_rank(self, last: int, n: int | None) -> int:
        """The last rank that is varied, which is `n` if the caller says it; a note names ranks left out by default."""
        until = min(last, n or _DEEPEST)
        if until < last and n is None:
            self.notes.append(f"{last:,} ranks, of which the first {until:,} are varied; n says how many")
        return until

    def refuse_subtopics(self) -> None:
        """Refuse other grades for a measure that looks at grades by subtopic.

        Raises:
            UsageError: `conflicting-options`.

        """
        if self.context.measure.definition.subtopics and self.ranking.rows.subtopics is not None:
            text = f"{self.label} looks at the grades by subtopic, and another grade would not say for which of them"
            remedy = "by='position', 'swap' and 'cutoff' leave the grades alone"
            raise UsageError("conflicting-options", text, remedy=remedy)

    def change(self, by: str, level: object, value: float | None, **more: object) -> Row:
        """One row of a `Variation`: what was changed, to what, the value then, and how much more that is."""
        change = None if value is None or self.value is None else value - self.value
        return {"measure": self.label, by: level, "value": value, "change": change, **more}

    def rows(self, by: By, changes: Sequence[Change]) -> list[Row]:
        """The rows of a `Variation`: the value after each change."""
        values = self.values([one.ranking for one in changes], [one.description for one in changes])
        return [self.change(by, one.level, value, **one.more) for one, value in zip(changes, values, strict=True)]

    def values(self, rankings: Sequence[Counterfactual | None], descriptions: Sequence[str] = ()) -> list[float | None]:
        """The values of other rankings; None where they have none.

        Args:
            rankings: the rankings, None for the one that it is.
            descriptions: what changed in each, for notes on those that the settings refuse; without it none are made.

        Raises:
            RankworthError: where the settings refuse them all.

        """
        measured = self.context.each(self.ranking, [one for one in rankings if one is not None])
        refused = [value for value in measured if isinstance(value, RankworthError)]
        if refused and len(refused) == len(rankings):
            raise refused[0]
        rest = iter(measured)
        values: list[float | None] = []
        reasons: set[str] = set()
        for number, ranking in enumerate(rankings):
            value = self.value if ranking is None else next(rest)
            if isinstance(value, RankworthError):
                reason = str(value.problems[0])
                if descriptions and reason not in reasons:
                    self.notes.append(f"{self.label} has no value for {descriptions[number]}: {reason}")
                reasons.add(reason)
                value = None
            values.append(value)
        return values


def ranked_queries(qrels: object, run: object, query: str, plan: Plan) -> list[RankedQuery]:
    """One query of a run by each measure of a plan.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`, and as `rankworth.evaluate`.
        MeasureError: as `rankworth.evaluate`; `measure-syntax` for what is counted.
        UsageError: `conflicting-options` where the rows of the query stand apart and are several rankings.

    """
    read = inputs.run(run)
    [(_, contexts)] = runner.inspect_runs(qrels, [read], plan, [query])
    refuse(query, contexts[:1], [read])
    ranked = []
    for context in contexts:
        names = context.names(query)
        if len(names) > 1:
            text = f"the rows of {query} stand apart and are {len(names)} rankings: {quoted(names)}"
            raise UsageError("conflicting-options", text, remedy='blocks="joined" makes one of them')
        ranked += [RankedQuery(context.asked.label, context, name) for name in names]
    return ranked

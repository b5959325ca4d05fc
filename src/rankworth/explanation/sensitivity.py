"""Public API: vary, which says what would change a value: another rank, grade, cutoff or order, more judgements."""

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from rankworth import names
from rankworth.errors import InputError, MeasureError, UsageError
from rankworth.evaluation import runner
from rankworth.evaluation.counterfactuals import Counterfactual, Ranking
from rankworth.evaluation.evaluator import Plan
from rankworth.explanation.bounds import by_ties, by_unjudged
from rankworth.explanation.scenario import GRADES as EXAMPLE
from rankworth.explanation.scenario import UNJUDGED as UNJUDGED_EXAMPLE
from rankworth.explanation.variation import BY, By, Change, RankedQuery, Row, Variation, columns_of, ranked_queries
from rankworth.judging import inputs
from rankworth.judging.inputs import GRADES, of_grades
from rankworth.judging.subtopics import Row as Grade
from rankworth.measures import Measure
from rankworth.profiles import DEFAULT, Profile, ResolvedMeasure

_GRADE: Final = 2.0
"""the grade of the one relevant document where nothing else is said: the best one of the notebook"""
_MIN_DOCUMENTS, _MAX_DOCUMENTS = 5, 100
"""how many documents an example has, by the cutoff"""
_NO_CUTOFF: Final = 10**9
"""the deepest rank of measures without a cutoff"""
_CUTOFFS: Final = 10
"""how many cutoffs are shown where nothing says how many"""
_MAX_CUTOFFS: Final = 100
"""how many cutoffs of a list are shown unless `n` says more"""
_MAX_SCALE: Final = 100
"""how many grades of all judgements make a scale; of more, those of the query"""
_CUTOFF: Final = re.compile(r"(?<=[@_])\d+$")
"""the cutoff at the end of a name: `nDCG@10`, `ndcg_cut_10`"""
_USES: Final = {
    "document": ("position", "grade"),
    "grade": ("position", "grade", "unjudged"),
    "cutoffs": ("cutoff",),
    "n": ("position", "grade", "cutoff", "swap", "unjudged"),
}
"""which options mean something beside which `by`"""


def vary(  # noqa: C901 - each way to name a ranking is refused beside the others
    measures: str | Measure | Iterable[str | Measure],
    by: By = "position",
    *,
    qrels: object = None,
    run: object = None,
    query: object = None,
    grades: Iterable[Grade] | str | None = None,
    missing: Iterable[Grade] | str | None = None,
    document: object = None,
    grade: float | Iterable[float] | None = None,
    n: int | None = None,
    cutoffs: Iterable[int] | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`, two of which have names that mean lists here
) -> Variation:
    """What the value of a ranking would be if something about it were different.

    All numbers come from the engine that evaluates: each is the value that `evaluate` gives to the ranking as it would
    be. Without a ranking an example is taken, small enough to be read.

    - `by="position"`: one document stands at every rank, the others keep their order. Without a ranking it is the only
      relevant one, of grade `grade` (2), among `n` documents: as many as the deepest cutoff, but 5 at least and 100 at
      most. With one it is `document`: the first with the highest grade where not said, also if it was not retrieved;
      at the first `n` ranks, or 1,000.
    - `by="grade"`: one document has every grade. Without a ranking 0, 1 and 2 (or those of `grade`), for a document on
      top that is the only relevant one, which tells nothing of a measure that is normalised, since the document is its
      own ideal; and again with a document of the best grade below it, which does. With one: 0 and the grades that occur
      in the judgements, for `document`, or the first with the highest grade.
    - `by="cutoff"`: every measure at each of the cutoffs, `cutoffs` or 1 to `n`: as many as the list has grades, but
      100 at most; of a run as deep as the deepest cutoff of the measures, or 10. Without a ranking: the list 2, 1, 0,
      1, 2.
    - `by="swap"`: every pair of neighbours among the first `n` ranks, or 1,000, changes places, ranks keep their
      scores. Without a ranking: the same list.
    - `by="ties"`: the lowest, the mean and the highest value over all orders of documents with one score. Notes say
      what is exact: all orders where there are not too many, the mean also by the formula of the measure; else random
      ones. Without a ranking: the same list, all of it tied.
    - `by="unjudged"`: documents that nobody judged, down to rank `n`, or 1,000, have grade 0 or `grade` (the best one
      of the judgements): none, all, each alone, and the lowest and the highest value over all ways; over some, as notes
      say, where there are too many. Without a ranking: the list 2, ?, 0, 1, ?.

    Args:
        measures: one measure or several, by name or as objects.
        by: what is varied.
        qrels: judgements, as for `evaluate`.
        run: a run, as for `evaluate`.
        query: the id of the query.
        grades: instead of judgements and a run the grades of one ranking in rank order, None for a document that nobody
            judged, as for `explain`; the documents are called 1, 2, 3 by their ranks. A word is the setting of that
            name.
        missing: grades of judged documents that are not in that ranking. A word is the setting of that name.
        document: the id of the document that moves, or whose grade changes.
        grade: a grade, or for `by="grade"` one or several; for `by="position"` only without a ranking, since the
            document of a ranking has its own.
        n: how many documents, ranks or cutoffs.
        cutoffs: the cutoffs.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        **settings: as for `evaluate`.

    Returns:
        A `Variation`, which shows itself as a table; `to_frame()` has it in full precision, and `rankworth.plots.vary`
        draws it.

    Raises:
        InputError: `unknown-query`, `unjudged-queries`, `unanswered-query`; `unknown-document`; `bad-grade`;
            `empty-input`; `duplicate-document`; and as `evaluate`.
        MeasureError: as `evaluate`; `bad-cutoff` for a measure that has none; `measure-syntax` for what is counted.
        UsageError: `unknown-setting`; `conflicting-options`.

    >>> varied = vary(["RR", "nDCG@5"], by="position")
    >>> [round(row["value"], 4) for row in varied.rows if row["measure"] == "nDCG@5"]
    [1.0, 0.6309, 0.5, 0.4307, 0.3869]
    >>> varied = vary("AP", by="swap", qrels={"q": {"a": 1, "b": 1}}, run={"q": ["c", "a", "d", "b"]}, query="q")
    >>> varied.best["AP"]["swap"], varied.best["AP"]["value"]
    ('1-2', 0.75)
    """
    if by not in BY:
        known = ", ".join(map(repr, BY))
        raise UsageError("unknown-setting", f"by={by!r}: what is varied is one of {known}")
    if isinstance(grades, str):
        settings["grades"], grades = grades, None
    if isinstance(missing, str):
        settings["missing"], missing = missing, None
    options = _Options(by, None if document is None else str(document), _scale(grade), n, _cutoffs(cutoffs))
    options.check(example=grades is None and qrels is None and run is None)
    several = names.several(measures)
    if grades is None and missing is not None:
        text = "missing are the grades of documents that are not in a list of grades, and there is no list"
        raise UsageError("conflicting-options", text, remedy="give grades=[...], too")
    if grades is not None and any(one is not None for one in (qrels, run, query)):
        text = "grades stand instead of judgements, a run and a query, and there is one of them, too"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    if grades is not None:
        qrels, run = of_grades(grades, () if missing is None else missing)
        if by == "cutoff" and n is None:
            options = replace(options, n=min(_MAX_CUTOFFS, run.to_frame().height))
        query, title = GRADES, "the list of grades"
    elif query is not None:
        [qrels], [run] = inputs.Said(settings).read(*([one] for one in inputs.pair(qrels, run, None, None, None)))
        query = title = str(query)
    elif qrels is not None or run is not None:
        remedy = f'name it: vary(measures, by="{by}", qrels=..., run=..., query="q1")'
        raise UsageError("conflicting-options", "no query is named", remedy=remedy)
    plan = runner.planned(profile, several, rel, settings)  # type: ignore[arg-type]
    if query is None:
        return _example(plan, rel, options)
    return _varied(_RankedList(plan, rel, qrels, run, query, title), options)


@dataclass(frozen=True)
class _Options:
    """What is varied, and how far."""

    by: By
    document: str | None
    grades: tuple[float, ...] | None
    n: int | None
    cutoffs: tuple[int, ...] | None

    def check(self, *, example: bool) -> None:
        """Refuse options that mean nothing, and numbers that are none.

        Raises:
            InputError: `bad-grade`.
            UsageError: `unknown-setting`, `conflicting-options`.

        """
        n, by = self.n, self.by
        if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
            raise UsageError("unknown-setting", f"n={n!r}: how many is a whole number from 1")
        options = {"document": self.document, "grade": self.grades, "n": n, "cutoffs": self.cutoffs}
        for name, value in options.items():
            if value is not None and by not in _USES[name]:
                uses = ", ".join(option for option, ways in _USES.items() if by in ways) or "none of them"
                text = f'{name} means nothing beside by="{by}"'
                raise UsageError("conflicting-options", text, remedy=f"what means something there: {uses}")
        if n is not None and self.cutoffs is not None:
            text = "n and cutoffs both say where the measures are cut"
            raise UsageError("conflicting-options", text, remedy="give one of them")
        if example and self.document is not None:
            text = f"document={self.document!r}: there is no ranking that it could be in"
            raise UsageError("conflicting-options", text, remedy="give qrels, run and query, or grades")
        if self.grades is not None and by != "grade" and len(self.grades) > 1:
            raise InputError("bad-grade", f'grade=[{_listed(self.grades)}]: by="{by}" takes one grade')
        if self.grades is not None and by == "position" and not example:
            text = "the document that moves through a ranking has the grade that it has there"
            raise UsageError("conflicting-options", text, remedy='leave grade out; by="grade" varies it')

    @property
    def grade(self) -> float | None:
        """The one grade."""
        return None if self.grades is None else self.grades[0]


def _scale(grade: Any) -> tuple[float, ...] | None:  # noqa: ANN401 - what a caller gives
    """One grade or several.

    Raises:
        InputError: `bad-grade`.

    """
    if grade is None:
        return None
    several = [grade] if isinstance(grade, str) or not isinstance(grade, Iterable) else list(grade)
    for value in several:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
            raise InputError("bad-grade", f"grade={value!r}: a grade is a finite number")
    if not several:
        raise InputError("bad-grade", "grade=[]: there is no grade in the list")
    return tuple(dict.fromkeys(map(float, several)))


def _cutoffs(cutoffs: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - what a caller gives
    """Each cutoff once.

    Raises:
        MeasureError: `bad-cutoff`.
        UsageError: `unknown-setting`.

    """
    if cutoffs is None:
        return None
    several = list(cutoffs) if isinstance(cutoffs, Iterable) else [cutoffs]
    if not isinstance(cutoffs, Iterable) or not all(isinstance(cutoff, Integral) for cutoff in several):
        text = f"cutoffs={cutoffs!r}: cutoffs are a list of whole numbers from 1"
        raise MeasureError("bad-cutoff", text, remedy="as in cutoffs=[1, 5, 10]; n=10 means all from 1 to 10")
    if not several:
        raise UsageError("unknown-setting", "cutoffs=[]: there is no cutoff", remedy="leave them out, or name some")
    return tuple(dict.fromkeys(map(int, several)))


@dataclass(frozen=True)
class _RankedList:
    """A query of a run, its judgements, the measures with their conventions, and what sentences call the ranking."""

    plan: Plan
    rel: float | None
    qrels: object
    run: object
    query: str
    title: str

    @classmethod
    def of_grades(cls, plan: Plan, rel: float | None, grades: Sequence[float | None]) -> "_RankedList":
        """A list of grades, in rank order."""
        return cls(plan, rel, *of_grades(grades), GRADES, f"the grades {_listed(grades)}")

    def ranked(self, further: Iterable[ResolvedMeasure] = ()) -> list[RankedQuery]:
        """The query by each measure, and by further ones."""
        plan = Plan(self.plan.profile, [*self.plan.asked, *further])
        return ranked_queries(self.qrels, self.run, self.query, plan)

    def variation(
        self, by: By, ranked: Sequence[RankedQuery], rows: Sequence[Row], sentence: str, document: str = ""
    ) -> Variation:
        """The result, with ids as the judgements had them."""
        kinds, profile, columns = ranked[0].context.qrels.kinds, self.plan.profile, columns_of(by, rows)
        for name in {"document", "other"} & {*columns}:
            ids = iter(kinds.back("document", [cell for cell in columns[name] if cell is not None]))
            columns[name] = [None if cell is None else next(ids) for cell in columns[name]]
        return Variation(
            by=by,
            measures=tuple(dict.fromkeys(query.label for query in ranked)),
            columns=columns,
            baseline={query.label: query.value for query in ranked if query.value is not None},
            run=getattr(self.run, "name", ""),
            query="" if self.query == GRADES else kinds.back("query", [self.query])[0],
            document=kinds.back("document", [document])[0] if document else "",
            profile="+".join((profile.name, *profile.derived)),
            sentence=sentence,
            notes=tuple(dict.fromkeys(note for query in ranked for note in query.notes)),
            deepest=max(query.context.measure.cutoff or _NO_CUTOFF for query in ranked),
        )


def _varied(given: _RankedList, options: _Options) -> Variation:
    """One ranking, varied."""
    by, n, title, document = options.by, options.n, given.title, ""
    if by == "cutoff":
        return _by_cutoff(given, options)
    ranked = given.ranked()
    if by in ("position", "grade"):
        document = options.document or ranked[0].best_document()
        described = ranked[0].describe(document)
    match by:
        case "position":
            sentence = f"{described} at every rank of {title}"
            rows = [query.rows(by, _positions(query, document, n)) for query in ranked]
        case "grade":
            sentence = f"every grade for {described} of {title}"
            rows = [query.rows(by, _grades(query, document, options.grades or _grades_of(query))) for query in ranked]
        case "swap":
            sentence = f"every two neighbours of {title} exchanged"
            rows = [query.rows(by, _swaps(query, n)) for query in ranked]
        case "ties":
            sentence = f"{title}, documents with one score in every order"
            rows = list(map(by_ties, ranked))
        case "unjudged":
            sentence = f"{title}, with grades for documents that nobody judged"
            rows = [by_unjudged(query, options.grade, n) for query in ranked]
    return given.variation(by, ranked, [*chain.from_iterable(rows)], sentence, document)


def _positions(query: RankedQuery, document: str, n: int | None) -> list[Change]:
    """One document at every rank, while the others keep their order; one that was not retrieved comes in."""
    ranking, row = query.ranking, query.row(document)
    until = query.last_rank(ranking.retrieved + (row >= ranking.retrieved), n)
    more = {"document": document, "grade": ranking.grade(row)}
    changes = []
    for position in range(1, until + 1):
        moved: Counterfactual | None = ranking.moved(row, position)
        if position == row + 1 <= ranking.retrieved:
            moved = None
        elif query.shares_ranks and _within_tie(ranking, moved, position):
            continue
        rank = _rank(ranking, position)
        changes.append(Change(rank, moved, f"{document} at rank {rank}", more))
    if len(changes) < until:
        text = f"without ranks between documents of one score, which share theirs (ties={query.ties})"
        query.notes.append(f"{query.label}: {text}")
    return changes


def _within_tie(ranking: Ranking, moved: Counterfactual | None, position: int) -> bool:
    """Whether a document that moved to a position stands between others of one score."""
    if moved is None or not 1 < position < len(moved.order):
        return False
    above, below = moved.order[position - 2], moved.order[position]
    return bool(ranking.rows.tie_first[above] == ranking.rows.tie_first[below])


def _rank(ranking: Ranking, position: int) -> int:
    """The rank at a position; behind the last document comes the next one."""
    if position <= ranking.retrieved:
        return int(ranking.rows.rank[position - 1])
    return int(ranking.rows.rank[ranking.retrieved - 1]) + 1


def _grades(query: RankedQuery, document: str, scale: Sequence[float], beside: float | None = None) -> list[Change]:
    """Every grade for one document; `beside` is the grade of another one in examples."""
    query.refuse_subtopics()
    row, more = query.row(document), {"document": document, "beside": beside}
    own = query.ranking.grade(row)
    return [
        Change(grade, None if grade == own else query.ranking.regraded({row: grade}), f"grade {grade:g}", more)
        for grade in scale
    ]


def _grades_of(query: RankedQuery) -> list[float]:
    """All grades that occur in the judgements, and 0; those of the query where there are too many."""
    scale = {0.0, *np.unique(query.context.qrels.grades).tolist()}
    return sorted(scale if len(scale) <= _MAX_SCALE else {0.0, *query.ranking.rows.pool.tolist()})


def _swaps(query: RankedQuery, n: int | None) -> list[Change]:
    """Every pair of neighbours, each with the rank and the score of the other."""
    ranking = query.ranking
    first, documents = ranking.rows.tie_first, ranking.documents
    changes = []
    for row in range(query.last_rank(ranking.retrieved, n) - 1):
        is_tied = query.shares_ranks and first[row] == first[row + 1]
        rank = _rank(ranking, row + 1)
        pair = f"{rank}-{_rank(ranking, row + 2)}"
        more = {"rank": rank, "document": documents[row], "other": documents[row + 1]}
        changes.append(Change(pair, None if is_tied else ranking.swapped(row), f"the swap of ranks {pair}", more))
    if not changes:
        query.notes.append("there are no two neighbours")
    if any(one.ranking is None for one in changes):
        query.notes.append(f"{query.label}: a swap of documents of one score changes nothing (ties={query.ties})")
    return changes


def _by_cutoff(given: _RankedList, options: _Options) -> Variation:
    """One ranking, cut at several ranks."""
    asked = given.plan.asked
    depth = options.n or _deepest(given.plan) or _CUTOFFS
    cutoffs = options.cutoffs or range(1, depth + 1)
    cut = [[_cut(given, measure, cutoff) for cutoff in cutoffs] for measure in asked]
    known = set(map(_meaning, asked))
    further = {
        meaning: replace(measure, label=str(number))
        for number, measure in enumerate(chain(*cut))
        if (meaning := _meaning(measure)) not in known
    }
    by_meaning = dict(zip([*map(_meaning, asked), *further], given.ranked(further.values()), strict=True))
    rows: list[Row] = []
    families: dict[str, RankedQuery] = {}
    for measure, at_cutoffs in zip(asked, cut, strict=True):
        family = _family(measure)
        if family in families:
            continue
        query = families[family] = replace(by_meaning[_meaning(measure)], label=family)
        if query.value is not None:
            query.notes.append(f"{family}: changes are those from {measure.label}, which is {query.value:.4f}")
        rows += [
            query.change("cutoff", cutoff, by_meaning[_meaning(one)].value)
            for cutoff, one in zip(cutoffs, at_cutoffs, strict=True)
        ]
    where = f"every rank to {depth:,}" if options.cutoffs is None else "some ranks"
    return given.variation("cutoff", [*families.values()], rows, f"{given.title}, cut at {where}")


def _cut(given: _RankedList, measure: ResolvedMeasure, cutoff: int) -> ResolvedMeasure:
    """A measure with another cutoff, as the profile has it.

    Raises:
        MeasureError: `bad-cutoff`.

    """
    quantity = measure.quantity
    if not isinstance(quantity, Measure) or quantity.definition.at:
        at = f"@ sets its {quantity.definition.at}" if isinstance(quantity, Measure) else "it is counted"
        raise MeasureError("bad-cutoff", f"{measure.label} has no cutoff: {at}")
    cut = quantity @ cutoff
    for name in (_CUTOFF.sub(str(cutoff), measure.label), f"{measure.label}@{cutoff}"):
        with suppress(MeasureError):
            [named, *others] = given.plan.profile.ask([name], rel=given.rel)
            if not others and named.quantity.name == quantity.name and named.quantity.cutoff == cutoff:
                return named
    return replace(measure, label=str(cut), quantity=cut)


def _meaning(measure: ResolvedMeasure) -> object:
    """What is equal for two names of one measure under one set of conventions."""
    return measure.quantity, measure.judging, measure.averaging


def _family(measure: ResolvedMeasure) -> str:
    """What a measure is called whatever its cutoff: `nDCG@k`."""
    if not isinstance(measure.quantity, Measure) or measure.quantity.cutoff is None:
        return f"{measure.label}@k"
    name = _CUTOFF.sub("k", measure.label)
    return name if name != measure.label else f"{replace(measure.quantity, cutoff=None)}@k"


def _deepest(plan: Plan) -> int:
    """The deepest cutoff of the measures, 0 where they have none."""
    return max((one.quantity.cutoff or 0 for one in plan.asked if isinstance(one.quantity, Measure)), default=0)


def _example(plan: Plan, rel: float | None, options: _Options) -> Variation:
    """A small ranking, varied."""
    by, size = options.by, options.n or max(_MIN_DOCUMENTS, min(_MAX_DOCUMENTS, _deepest(plan)))
    if by in ("position", "grade"):
        return _document_example(plan, rel, options, size)
    if by == "ties":
        judged = {str(rank): grade for rank, grade in enumerate(EXAMPLE, 1)}
        tied, title = dict.fromkeys(judged, 1.0), f"the grades {_listed(EXAMPLE)}, all with one score"
        return _varied(_RankedList(plan, rel, {GRADES: judged}, {GRADES: tied}, GRADES, title), options)
    grades = UNJUDGED_EXAMPLE if by == "unjudged" else EXAMPLE
    if by == "cutoff" and options.n is None:
        options = replace(options, n=len(grades))
    return _varied(_RankedList.of_grades(plan, rel, grades), options)


def _document_example(plan: Plan, rel: float | None, options: _Options, size: int) -> Variation:
    """The first document at every rank, or with every grade: as the only one that is relevant, and above another."""
    ranked: list[RankedQuery] = []
    if options.by == "position":
        grade = _GRADE if options.grade is None else options.grade
        given = _RankedList.of_grades(plan, rel, [grade, *[0.0] * (size - 1)])
        sentence = f"one document of grade {grade:g} among {size:,}, the others of grade 0, at every rank"
        ranked = given.ranked()
        changes = [_positions(query, "1", size) for query in ranked]
    else:
        scale, size = options.grades or tuple(map(float, range(int(_GRADE) + 1))), max(2, size)
        best = max(scale)
        parts = []
        for beside in (None, best):
            given = _RankedList.of_grades(plan, rel, [best, beside or 0.0, *[0.0] * (size - 2)])
            parts.append([(query, _grades(query, "1", scale, beside)) for query in given.ranked()])
        pairs = list(chain(*zip(*parts, strict=True)))
        ranked, changes = [query for query, _ in pairs], [each for _, each in pairs]
        sentence = f"every grade for the first of {size:,} documents, the others of grade 0"
        sentence = f"{sentence}; and again above one of grade {best:g}"
    rows = [row for query, each in zip(ranked, changes, strict=True) for row in query.rows(options.by, each)]
    alone = [row | {"change": None} for row in rows]
    return replace(given.variation(options.by, ranked, alone, sentence, "1"), baseline={})


def _listed(grades: Sequence[float | None]) -> str:
    return ", ".join("?" if grade is None else f"{grade:g}" for grade in grades)

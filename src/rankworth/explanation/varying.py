"""Public API: vary, which says what would change a value: another rank, grade, cutoff or order, more judgements."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral
from typing import Any, Final, NamedTuple, ParamSpec
from warnings import warn

from rankworth import names
from rankworth.catalogue import missing as needed
from rankworth.errors import InputError, MeasureError, UsageError
from rankworth.evaluation import runner
from rankworth.evaluation.shares import SHARES, with_every_share
from rankworth.explanation import changes
from rankworth.explanation.changes import BY, By, RankedQuery, Row, VariationOptions, ranked_queries
from rankworth.explanation.explaining import named_ranking
from rankworth.explanation.scenario import GRADES as EXAMPLE
from rankworth.explanation.scenario import UNJUDGED as UNJUDGED_EXAMPLE
from rankworth.io.validate import is_number
from rankworth.judging.judged_run import Row as Grade
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, Profile, ResolvedMeasure
from rankworth.scoring import inputs
from rankworth.scoring.inputs import GRADES, of_grades
from rankworth.scoring.plans import Plan
from rankworth.tables.columns import Column, Kind, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look
from rankworth.tables.show import Shown

P = ParamSpec("P")
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
_CUTOFF: Final = re.compile(r"(?<=[@_])\d+$")
"""the cutoff at the end of a name: `nDCG@10`, `ndcg_cut_10`"""


_SPAN: Final = ("a", 10, 30)
_PIECES: Final = (("a", 0, 15), ("a", 15, 30), ("a", 30, 45))
"""a gold span and pieces, where there is no ranking"""
_FEW: Final = 20
"""up to how many swaps or unjudged documents a table shows all, also those that change nothing"""


class Way(NamedTuple):
    """How one of these is varied, and how a table shows it."""

    sentence: str
    rows: Callable[[RankedQuery, VariationOptions], list[Row]] | None
    """the rows for a query by one measure; None for cutoffs and shares, which change the measure, not the ranking"""
    keys: tuple[tuple[str, str, Kind], ...]
    """the columns that name a row of a table, with heading and kind"""
    further: tuple[str, ...] = ()
    """the columns after `measure`, what is varied, `value` and `change`"""
    options: tuple[str, ...] = ()
    """the options that mean something"""
    idle: tuple[str, str] = ("", "")
    """what a table leaves out where it changes nothing: the column that names it, and the noun"""


WAYS: Final[Mapping[By, Way]] = {
    "position": Way(
        "document {document} at every rank of {title}",
        changes.by_position,
        (("position", "rank", "count"),),
        ("document", "grade"),
        ("document", "grade", "n"),
    ),
    "grade": Way(
        "document {document} of {title} with every grade",
        changes.by_grade,
        (("grade", "grade", "grade"), ("beside", "beside grade", "number")),
        ("document", "beside"),
        ("document", "grade", "n"),
    ),
    "cutoff": Way("{title}, cut at {document}", None, (("cutoff", "k", "count"),), (), ("cutoffs", "n")),
    "swap": Way(
        "every two neighbours of {title} exchanged",
        changes.by_swap,
        (("swap", "ranks", "text"), ("document", "upper", "text"), ("other", "lower", "text")),
        ("rank", "document", "other"),
        ("n",),
        ("swap", "swaps of neighbours"),
    ),
    "ties": Way("{title}, tied documents in every order", changes.by_ties, (("ties", "order of ties", "text"),)),
    "unjudged": Way(
        "{title}, with grades for documents that nobody judged",
        changes.by_unjudged,
        (("unjudged", "unjudged documents", "text"), ("rank", "rank", "number"), ("document", "document", "text")),
        ("document", "rank"),
        ("grade", "n"),
        ("document", "unjudged documents"),
    ),
    "share": Way(
        "{title}, where a relevant piece holds at least this share of a gold span",
        None,
        (("share", "share", "number"),),
    ),
}


def names_of(by: By) -> tuple[str, ...]:
    """Return the names of the columns."""
    return ("measure", by, "value", "change", *WAYS[by].further)


@dataclass(frozen=True, repr=False)
class Variation(Shown):
    """The values of a ranking when something about it changes.

    Attributes:
        by: what is varied.
        measures: what tables call the measures.
        rows: one for each change and measure: `measure`, what is varied under its own name, `value`, `change` against
            the ranking as it is, and further ones. A value is None where the settings leave the query out or refuse
            it, and NaN where it is not defined and stays so.
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
    rows: Sequence[Row]
    baseline: Mapping[str, float]
    run: str = ""
    query: Any = ""
    document: Any = ""
    profile: str = ""
    sentence: str = ""
    notes: tuple[str, ...] = ()
    deepest: int = 10**9

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The rows as columns."""
        return {name: [row[name] for row in self.rows] for name in names_of(self.by)}

    @property
    def best(self) -> dict[str, Row]:
        """The swap with the largest gain, for each measure that a swap improves."""
        return self._largest(1)

    @property
    def worst(self) -> dict[str, Row]:
        """The swap with the largest loss, for each measure that a swap reduces."""
        return self._largest(-1)

    def _largest(self, sign: int) -> dict[str, Row]:
        """Return, by measure, the first of the swaps that change its value most in one direction."""
        rows: dict[str, Row] = {}
        for row in self.rows if self.by == "swap" else ():
            before = rows.get(row["measure"], {"change": 0.0})
            if row["change"] is not None and sign * row["change"] > sign * before["change"]:
                rows[row["measure"]] = row
        return rows

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return the columns as a frame.

        Args:
            library: polars, pandas or pyarrow.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns, library)

    def sheets(self) -> list[Sheet]:
        """Return one table with a row for each change and a column for each measure."""
        rows, has_several, way = self._shown_rows(), len(self.measures) > 1, WAYS[self.by]
        used = [key for key in way.keys if key == way.keys[0] or any(row[key[0]] is not None for row in self.rows)]
        by_key: dict[tuple[Any, ...], dict[str, Row]] = {}
        for row in rows:
            by_key.setdefault(tuple(row[name] for name, _, _ in used), {})[row["measure"]] = row
        columns = []
        for index, (_, heading, kind) in enumerate(used):
            cells = [key[index] for key in by_key]
            texts = ["" if cell is None else str(cell) for cell in cells]
            columns.append(Column(heading, kind, texts if kind == "text" else cells))
        for measure in self.measures:
            entries = [named.get(measure, {}) for named in by_key.values()]
            columns.append(Column(measure, "value", [row.get("value") for row in entries]))
            if measure in self.baseline and (self.by == "swap" or not has_several):
                heading = f"{measure} change" if has_several else "change"
                columns.append(Column(heading, "value", [row.get("change") for row in entries]))
        listed = " and ".join(filter(None, (", ".join(self.measures[:-1]), self.measures[-1])))
        return [Sheet(tuple(columns), tuple(self._notes(rows)), title=f"{listed} by {self.by}", lead=(self.sentence,))]

    def _shown_rows(self) -> Sequence[Row]:
        """Return the rows that tables show: of many swaps or unjudged documents those that change a value."""
        key = WAYS[self.by].idle[0]
        if not key or len(self.rows) <= _FEW * len(self.measures):
            return self.rows
        changing = {row[key] for row in self.rows if row["change"] != 0 and (row["rank"] or 0) <= self.deepest}
        return [row for row in self.rows if row[key] in changing or row[key] is None]

    def _notes(self, shown: Sequence[Row]) -> Iterator[str]:
        """Yield how many rows are not shown, the value as it is, the best and the worst swap, and the notes."""
        key, noun = WAYS[self.by].idle
        if left := len(self.rows) > len(shown) and len({row[key] for row in self.rows} - {row[key] for row in shown}):
            effect = "change nothing"
            if self.by == "unjudged" and self.deepest < max(row["rank"] or 0 for row in self.rows):
                effect = f"stand beyond rank {self.deepest:,}, where they change the ideal at most, or {effect}"
            yield f"{left:,} other {noun} {effect}"
        if self.baseline and self.by != "cutoff":
            values = (f"{name} {Look().number(value, 'value')}" for name, value in self.baseline.items())
            yield f"as it is: {', '.join(values)}"
        for which, swaps in (("best", self.best), ("worst", self.worst)):
            for name, row in swaps.items():
                yield f"{which} swap for {name}: ranks {row['swap']} ({row['change']:+.4f})"
        yield from self.notes
        if self.profile:
            yield f"profile {self.profile}"


def _measures_first(function: Callable[P, Variation]) -> Callable[P, Variation]:
    """Accept the former order of arguments of `vary`, with a warning that names the new order."""

    @wraps(function)
    def vary(*args: P.args, **kwargs: P.kwargs) -> Variation:
        if _has_measures_first(args, kwargs):
            text = "vary takes judgements and a run before measures, as evaluate does: vary(qrels, run, measures, by)"
            warn(f"{text}; without a ranking: vary(measures=..., by=...)", DeprecationWarning, stacklevel=2)
            before: Any = dict(zip(("measures", "by"), args, strict=False)) | kwargs
            return function(**before)  # type: ignore[call-arg]
        return function(*args, **kwargs)

    return vary


def _has_measures_first(args: Sequence[object], kwargs: Mapping[str, object]) -> bool:
    """Whether measures stand in place of the judgements, alone or before the varied setting."""
    if not args or "measures" in kwargs or ("run" in kwargs and "qrels" not in kwargs):
        return False
    each = args[0] if isinstance(args[0], list | tuple) else [args[0]]
    are_measures = bool(each) and all(isinstance(item, str | Measure) for item in each)
    return are_measures and (len(args) == 1 or (len(args) == len(("measures", "by")) and str(args[1]) in BY))


@_measures_first
def vary(
    qrels: object = None,
    run: object = None,
    measures: str | Measure | Iterable[str | Measure] = "nDCG@10",
    by: By = "position",
    *,
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
    """Compute what the value of a ranking would be if something about it were different.

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
      scores. Without a ranking: the list 2, 1, 0, 1, 2.
    - `by="ties"`: the lowest, the mean and the highest value over all orders of documents with one score. Notes say
      what is exact: all orders where there are not too many, the mean also by the formula of the measure; else random
      ones. Without a ranking: the list 2, 1, 0, 1, 2, all of it tied.
    - `by="unjudged"`: documents that nobody judged, down to rank `n`, or 1,000, have grade 0 or `grade` (the best one
      of the judgements): none, all, each alone, and the lowest and the highest value over all ways; over some, as notes
      say, where there are too many. Without a ranking: the list 2, ?, 0, 1, ?.
    - `by="share"`: a piece of a source is relevant from each of several shares of a gold span on, of 0, 0.25, 0.5, 0.75
      and 1; with 0 by any character. Without a ranking: a gold span of 20 characters, of which the first of three
      pieces holds 5, the second 15, the third none.

    Args:
        qrels: judgements, as for `evaluate`.
        run: a run, as for `evaluate`.
        measures: one measure or several, by name or as objects.
        by: what is varied.
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

    >>> varied = vary(measures=["RR", "nDCG@5"], by="position")
    >>> [round(row["value"], 4) for row in varied.rows if row["measure"] == "nDCG@5"]
    [1.0, 0.6309, 0.5, 0.4307, 0.3869]
    >>> varied = vary({"q": {"a": 1, "b": 1}}, {"q": ["c", "a", "d", "b"]}, "AP", "swap", query="q")
    >>> varied.best["AP"]["swap"], varied.best["AP"]["value"]
    ('1-2', 0.75)
    """
    if by not in BY:
        choices = ", ".join(map(repr, BY))
        raise UsageError("unknown-setting", f"by={by!r}: what is varied is one of {choices}")
    sides = {"qrels": qrels, "run": run, "query": query}
    named = named_ranking(settings, sides, {"grades": grades, "missing": missing})
    options = VariationOptions(by, None if document is None else str(document), _scale(grade), n, _cutoffs(cutoffs))
    _check(options, is_example=named is None)
    texts = names.several(measures)
    if named is None:
        return _example(runner.planned(profile, texts, rel, settings), rel, options)  # type: ignore[arg-type]
    [judged], [ranked] = inputs.InputOptions(settings).read([named[0]], [named[1]])
    plan, query = runner.planned(profile, texts, rel, settings), str(named[2])  # type: ignore[arg-type]
    if query == GRADES and by == "cutoff" and n is None:
        options = replace(options, n=min(_MAX_CUTOFFS, ranked.to_frame().height))
    title = "the list of grades" if query == GRADES else query
    return _varied(_Ranking(plan, rel, judged, ranked, query, title), options)


def _check(options: VariationOptions, *, is_example: bool) -> None:
    """Refuse options without effect, and numbers out of range.

    Raises:
        InputError: `bad-grade`.
        UsageError: `unknown-setting`, `conflicting-options`.

    """
    by, n = options.by, options.n
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise UsageError("unknown-setting", f"n={n!r}: how many is a whole number from 1")
    without = "document" if is_example else "grade" if by == "position" else ""  # a document has its own grade
    uses = [name for name in WAYS[by].options if name != without]
    options_by_name = {"document": options.document, "grade": options.grades, "n": n, "cutoffs": options.cutoffs}
    for name, value in options_by_name.items():
        if value is not None and name not in uses:
            text = f'{name} means nothing beside by="{by}" {"without" if is_example else "with"} a ranking'
            raise UsageError("conflicting-options", text, remedy=f"what does: {', '.join(uses) or 'no option'}")
    if n is not None and options.cutoffs is not None:
        text = "n and cutoffs both say where the measures are cut"
        raise UsageError("conflicting-options", text, remedy="give one of them")
    if options.grades is not None and by != "grade" and len(options.grades) > 1:
        raise InputError("bad-grade", f'grade=[{_listed(options.grades)}]: by="{by}" takes one grade')


def _scale(grade: Any) -> tuple[float, ...] | None:  # noqa: ANN401 - what a caller gives
    """Return one or several grades as a tuple, each once; None where none is given.

    Raises:
        InputError: `bad-grade`.

    """
    several = list(grade) if isinstance(grade, Iterable) and not isinstance(grade, str) else [grade]
    if grade is None or all(is_number(each, infinite=False) for each in several or [None]):
        return None if grade is None else tuple(dict.fromkeys(map(float, several)))
    raise InputError("bad-grade", f"grade={grade!r}: grades are finite numbers")


def _cutoffs(cutoffs: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - what a caller gives
    """Return each cutoff once.

    Raises:
        MeasureError: `bad-cutoff`.
        UsageError: `unknown-setting`.

    """
    if cutoffs is None:
        return None
    depths: list[Any] = list(cutoffs) if isinstance(cutoffs, Iterable) else [None]
    if not all(isinstance(cutoff, Integral) for cutoff in depths):
        text = f"cutoffs={cutoffs!r}: cutoffs are a list of whole numbers from 1"
        raise MeasureError("bad-cutoff", text, remedy="as in cutoffs=[1, 5, 10]; n=10 means all from 1 to 10")
    if not depths:
        raise UsageError("unknown-setting", "cutoffs=[]: there is no cutoff", remedy="leave them out, or name some")
    return tuple(dict.fromkeys(map(int, depths)))


@dataclass(frozen=True)
class _Ranking:
    """A query of a run, its judgements, the measures with their conventions, and what sentences call the ranking."""

    plan: Plan
    rel: float | None
    qrels: object
    run: object
    query: str
    title: str

    def ranked(self, further: Iterable[ResolvedMeasure] = ()) -> list[RankedQuery]:
        """Rank the query by each measure, and by further ones."""
        plan = Plan(self.plan.profile, [*self.plan.measures, *further])
        return ranked_queries(self.qrels, self.run, self.query, plan)

    def variation(
        self, by: By, ranked: Sequence[RankedQuery], rows: Sequence[Row], about: str = "", document: str = ""
    ) -> Variation:
        """Return the result, with ids as the judgements had them."""
        kinds, profile = ranked[0].context.qrels.kinds, self.plan.profile
        for name in ("document", "other"):
            rows_with_id = [row for row in rows if row.get(name) is not None]
            for row, item in zip(
                rows_with_id, kinds.back("document", [row[name] for row in rows_with_id]), strict=True
            ):
                row[name] = item
        return Variation(
            by=by,
            measures=tuple(dict.fromkeys(query.label for query in ranked)),
            rows=[{name: row.get(name) for name in names_of(by)} for row in rows],
            baseline={query.label: query.value for query in ranked if query.value is not None},
            run=getattr(self.run, "name", ""),
            query="" if self.query == GRADES else kinds.back("query", [self.query])[0],
            document=kinds.back("document", [document])[0] if document else "",
            profile="+".join((profile.name, *profile.derived)),
            sentence=WAYS[by].sentence.format(document=about, title=self.title),
            notes=tuple(dict.fromkeys(note for query in ranked for note in query.notes)),
            deepest=max(query.context.measure.cutoff or _NO_CUTOFF for query in ranked),
        )


def _of_list(plan: Plan, rel: float | None, grades: Sequence[float | None]) -> _Ranking:
    """Make a ranking of a list of grades, in rank order."""
    return _Ranking(plan, rel, *of_grades(grades), GRADES, f"the grades {_listed(grades)}")


def _varied(ranking: _Ranking, options: VariationOptions) -> Variation:
    """Vary one ranking."""
    way = WAYS[options.by]
    if way.rows is None:
        return _by_share(ranking) if options.by == "share" else _by_cutoff(ranking, options)
    ranked, document, about = ranking.ranked(), "", ""
    if options.by in ("position", "grade"):
        document = options.document or ranked[0].best_document()
        about, options = ranked[0].describe(document), replace(options, document=document)
    rows = [row for query in ranked for row in way.rows(query, options)]
    return ranking.variation(options.by, ranked, rows, about, document)


def _by_cutoff(ranking: _Ranking, options: VariationOptions) -> Variation:
    """Cut one ranking at several ranks; measures that differ in their cutoff alone are one row of values."""
    depth = options.n or _deepest(ranking.plan) or _CUTOFFS
    cutoffs = options.cutoffs or range(1, depth + 1)
    measures = ranking.plan.measures
    families: dict[str, int] = {}
    for index, measure in enumerate(measures):
        families.setdefault(_family(measure), index)
    cut = [_cut(ranking, measures[index], cutoff) for index in families.values() for cutoff in cutoffs]
    every = ranking.ranked(replace(measure, label=str(number)) for number, measure in enumerate(cut))
    further = iter(every[len(measures) :])
    rows, ranked = [], []
    for family, index in families.items():
        query = replace(every[index], label=family)
        if query.value is not None:
            query.notes.append(f"{family}: changes are those from {measures[index].label}, which is {query.value:.4f}")
        rows += [query.change("cutoff", cutoff, next(further).value) for cutoff in cutoffs]
        ranked.append(query)
    about = f"every rank to {depth:,}" if options.cutoffs is None else "some ranks"
    return ranking.variation("cutoff", ranked, rows, about)


def _by_share(ranking: _Ranking) -> Variation:
    """Judge one ranking of pieces by each share of a gold span.

    Raises:
        MeasureError: `missing-input`, where the judgements are no spans.

    """
    measures = ranking.plan.measures
    every = ranking.ranked(with_every_share(measures))
    if every[0].context.qrels.gold is None:
        raise needed("spans", 'by="share"')
    further, ranked = iter(every[len(measures) :]), every[: len(measures)]
    rows = [query.change("share", share, next(further).value) for query in ranked for share in SHARES]
    return ranking.variation("share", ranked, rows)


def _cut(ranking: _Ranking, measure: ResolvedMeasure, cutoff: int) -> ResolvedMeasure:
    """Return a measure with another cutoff, as the profile has it.

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
            [named, *further] = ranking.plan.profile.ask([name], rel=ranking.rel)
            if not further and named.quantity.name == quantity.name and named.quantity.cutoff == cutoff:
                return named
    return replace(measure, label=str(cut), quantity=cut)


def _family(measure: ResolvedMeasure) -> str:
    """Name a measure without its cutoff: `nDCG@k`."""
    if not isinstance(measure.quantity, Measure) or measure.quantity.cutoff is None:
        return f"{measure.label}@k"
    name = _CUTOFF.sub("k", measure.label)
    return name if name != measure.label else f"{replace(measure.quantity, cutoff=None)}@k"


def _deepest(plan: Plan) -> int:
    """Return the deepest cutoff of the measures, 0 where they have none."""
    return max((each.quantity.cutoff or 0 for each in plan.measures if isinstance(each.quantity, Measure)), default=0)


def _example(plan: Plan, rel: float | None, options: VariationOptions) -> Variation:
    """Vary a small example."""
    by, size = options.by, options.n or max(_MIN_DOCUMENTS, min(_MAX_DOCUMENTS, _deepest(plan)))
    if by in ("position", "grade"):
        return _document_example(plan, rel, options, size)
    if by == "ties":
        judged = {str(rank): grade for rank, grade in enumerate(EXAMPLE, 1)}
        tied, title = dict.fromkeys(judged, 1.0), f"the grades {_listed(EXAMPLE)}, all with one score"
        return _varied(_Ranking(plan, rel, {GRADES: judged}, {GRADES: tied}, GRADES, title), options)
    if by == "share":
        pieces = {GRADES: [*_PIECES]}
        title = "three pieces, which hold 5, 15 and 0 of the 20 characters of a gold span"
        return _varied(_Ranking(plan, rel, Qrels({GRADES: [_SPAN]}), Run(pieces), GRADES, title), options)
    grades = UNJUDGED_EXAMPLE if by == "unjudged" else EXAMPLE
    if by == "cutoff" and options.n is None:
        options = replace(options, n=len(grades))
    return _varied(_of_list(plan, rel, grades), options)


def _document_example(plan: Plan, rel: float | None, options: VariationOptions, size: int) -> Variation:
    """Give the first document every rank, or every grade: as the only one that is relevant, and above another."""
    options, lists = replace(options, document="1", n=size), []
    if options.by == "position":
        grade = _GRADE if options.grades is None else options.grades[0]
        sentence = f"one document of grade {grade:g} among {size:,}, the others of grade 0, at every rank"
        ranking = _of_list(plan, rel, [grade, *[0.0] * (size - 1)])
        lists = [[(query, changes.by_position(query, options)) for query in ranking.ranked()]]
    else:
        options = replace(options, grades=options.grades or tuple(map(float, range(int(_GRADE) + 1))))
        size, best = max(2, size), max(options.grades or ())
        for beside in (None, best):
            ranking = _of_list(plan, rel, [best, beside or 0.0, *[0.0] * (size - 2)])
            lists.append([(query, changes.by_grade(query, options, beside)) for query in ranking.ranked()])
        sentence = f"the first of {size:,} documents with every grade, the others of grade 0"
        sentence = f"{sentence}; and again above one of grade {best:g}"
    pairs = [pair for pairs in zip(*lists, strict=True) for pair in pairs]
    rows = [row | {"change": None} for _, changed_rows in pairs for row in changed_rows]
    varied = ranking.variation(options.by, [query for query, _ in pairs], rows, document="1")
    return replace(varied, sentence=sentence, baseline={})


def _listed(grades: Sequence[float | None]) -> str:
    return ", ".join("?" if grade is None else f"{grade:g}" for grade in grades)

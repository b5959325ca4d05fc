"""What is varied, of which ranking: judgements and a run, a list of grades, or a small example."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from numbers import Integral, Real
from typing import Any, Final

from rankworth.errors import InputError, MeasureError, UsageError
from rankworth.judging import inputs
from rankworth.judging.inputs import GRADES, of_grades
from rankworth.judging.subtopics import Row as Grade
from rankworth.measures import Measure
from rankworth.profiles import DEFAULT, Profile
from rankworth.sensitivity import changes, examples, ranges
from rankworth.sensitivity.doors import Door, family, meaning
from rankworth.sensitivity.result import BY, By, Row, Variation, columns_of
from rankworth.sensitivity.subjects import Subject

_GRADE: Final = 2.0
"""the grade of the one relevant document where nobody says: the best one of the notebook"""
_FEWEST, _DEEPEST = 5, 100
"""how many documents an example has, by the cutoff"""
_ENDLESS: Final = 10**9
"""the cutoff of measures without one"""
_CUTOFFS: Final = 10
"""how many cutoffs are shown where nothing says how many"""
_MOST: Final = 100
"""how many cutoffs of a list are shown unasked"""
_USED: Final[Mapping[By, tuple[str, ...]]] = {
    "position": ("document", "grade", "n"),
    "grade": ("document", "grade", "n"),
    "cutoff": ("cutoffs", "n"),
    "swap": ("n",),
    "ties": (),
    "unjudged": ("grade", "n"),
}
"""which options mean something"""


def vary(
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
      in the judgements, for `document`, as above.
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

    >>> told = vary(["RR", "nDCG@5"], by="position")
    >>> [round(row["value"], 4) for row in told.rows if row["measure"] == "nDCG@5"]
    [1.0, 0.6309, 0.5, 0.4307, 0.3869]
    >>> told = vary("AP", by="swap", qrels={"q": {"a": 1, "b": 1}}, run={"q": ["c", "a", "d", "b"]}, query="q")
    >>> told.best["AP"]["swap"], told.best["AP"]["value"]
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
    _check(options, alone=grades is None and qrels is None and run is None)
    several: Any = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    door = partial(Door, list(several), profile, rel, settings)
    if grades is not None:
        if qrels is not None or run is not None or query is not None:
            text = "grades stand instead of judgements, a run and a query, and there is one of them, too"
            raise UsageError("conflicting-options", text, remedy="give one of the two")
        listed = of_grades(grades, () if missing is None else missing)
        if by == "cutoff" and n is None:
            options = replace(options, n=min(_MOST, listed[1].to_frame().height))
        return _varied(door(*listed, GRADES), options, "", "the list of grades")
    if missing is not None:
        text = "missing are the grades of documents that are not in a list of grades, and there is no list"
        raise UsageError("conflicting-options", text, remedy="give grades=[...], too")
    if qrels is None and run is None and query is None:
        return _example(door, options)
    if query is None:
        text = "no query is named"
        remedy = f'name it: vary(measures, by="{by}", qrels=..., run=..., query="q1")'
        raise UsageError("conflicting-options", text, remedy=remedy)
    said = inputs.Said(settings)
    qrels, run = inputs.pair(qrels, run, None, None, None)
    [qrels], [run] = said.read([qrels], [run])
    return _varied(door(qrels, run, str(query)), options, str(query), str(query))


@dataclass(frozen=True)
class _Options:
    """What is varied, and how far."""

    by: By
    document: str | None
    grades: tuple[float, ...] | None
    n: int | None
    cutoffs: tuple[int, ...] | None

    @property
    def grade(self) -> float | None:
        """The one grade."""
        return None if self.grades is None else self.grades[0]


def _varied(door: Door, options: _Options, query: str, what: str) -> Variation:
    """One ranking, varied."""
    by, document = options.by, options.document
    if by == "cutoff":
        return _cut(door, options, query, what)
    found = door.subjects()
    if by in ("position", "grade"):
        document = document or found[0].best_document()
        which = f"{document} ({found[0].standing(document)})"
    else:
        document, which = "", ""
    ways: dict[By, tuple[Callable[[Subject], list[Row]], str]] = {
        "position": (lambda one: changes.by_position(one, document, options.n), f"{which} at every rank of {what}"),
        "grade": (
            lambda one: changes.by_grade(one, document, options.grades or changes.scale_of(one)),
            f"every grade for {which} of {what}",
        ),
        "swap": (lambda one: changes.by_swap(one, options.n), f"every two neighbours of {what} exchanged"),
        "ties": (ranges.by_ties, f"{what}, documents with one score in every order"),
        "unjudged": (
            lambda one: ranges.by_unjudged(one, options.grade, options.n),
            f"{what}, with grades for documents that nobody judged",
        ),
    }
    way, sentence = ways[by]
    rows = [row for one in found for row in way(one)]
    told = _variation(door, options, found, rows, sentence)
    told = replace(told, query=_back(found, "query", [query])[0], document=_back(found, "document", [document])[0])
    ids = {name: _back(found, "document", told.columns[name]) for name in ("document", "other") if name in told.columns}
    return replace(told, columns={**told.columns, **ids})


def _cut(door: Door, options: _Options, query: str, what: str) -> Variation:
    """One ranking, cut at several ranks."""
    depth = options.n or door.deepest() or _CUTOFFS
    cutoffs = options.cutoffs or range(1, depth + 1)
    asked = door.plan.asked
    cut = [[door.cut(place, cutoff) for cutoff in cutoffs] for place in range(len(asked))]
    every = {meaning(one): replace(one, label=f"{place}") for place, one in enumerate(chain(*cut))}
    base = {meaning(one) for one in asked}
    further = {meaning: one for meaning, one in every.items() if meaning not in base}
    scenes = dict(zip([*map(meaning, asked), *further], door.subjects(further.values()), strict=True))
    rows: list[Row] = []
    found: dict[str, Subject] = {}
    for one, several in zip(asked, cut, strict=True):
        label, now = family(one), scenes[meaning(one)]
        if label in found:
            continue
        found[label] = replace(now, label=label)
        if now.now is not None:
            now.notes.append(f"{label}: changes are those from {one.label}, which is {now.now:.4f}")
        values = [(cutoff, scenes[meaning(each)].now) for cutoff, each in zip(cutoffs, several, strict=True)]
        rows += [
            {"measure": label, "cutoff": cutoff, "value": value, "change": now.change(value)}
            for cutoff, value in values
        ]
    where = f"every rank to {depth:,}" if options.cutoffs is None else "some ranks"
    told = _variation(door, options, list(found.values()), rows, f"{what}, cut at {where}")
    return replace(told, query=_back(list(found.values()), "query", [query])[0])


def _back(found: Sequence[Subject], what: str, ids: Sequence[str | None]) -> list[Any]:
    """Ids as the judgements had them."""
    given = iter(found[0].scene.qrels.kinds.back(what, [one for one in ids if one is not None]) if found else ids)
    return [None if one is None else next(given) for one in ids]


def _example(door: Callable[..., Door], options: _Options) -> Variation:
    """A small ranking, varied."""
    by = options.by
    if options.document is not None:
        text = f"document={options.document!r}: there is no ranking that it could be in"
        raise UsageError("conflicting-options", text, remedy="give qrels, run and query, or grades")
    if by in ("position", "grade"):
        size = options.n or max(_FEWEST, min(_DEEPEST, door(None, None, "").deepest()))
        return _alone(door, options, size) if by == "position" else _scaled(door, options, max(2, size))
    if by == "ties":
        judged = {str(place): grade for place, grade in enumerate(examples.GRADES, 1)}
        pair: tuple[Any, Any] = ({GRADES: judged}, {GRADES: dict.fromkeys(judged, 1.0)})
        return _varied(door(*pair, GRADES), options, "", f"the grades {_listed(examples.GRADES)}, all with one score")
    grades = examples.UNJUDGED if by == "unjudged" else examples.GRADES
    if by == "cutoff" and options.n is None:
        options = replace(options, n=len(grades))
    return _varied(door(*of_grades(grades), GRADES), options, "", f"the grades {_listed(grades)}")


def _alone(door: Callable[..., Door], options: _Options, size: int) -> Variation:
    """One relevant document at every rank."""
    grade = _GRADE if options.grade is None else options.grade
    opened = door(*of_grades([grade, *[0.0] * (size - 1)]), GRADES)
    found = opened.subjects()
    rows = [row | {"change": None} for one in found for row in changes.by_position(one, "1", size)]
    sentence = f"one document of grade {grade:g} among {size:,}, the others of grade 0, at every rank"
    return replace(_variation(opened, options, found, rows, sentence), baseline={}, document="1")


def _scaled(door: Callable[..., Door], options: _Options, size: int) -> Variation:
    """The first document with every grade: the only one that is relevant, and above one of the best grade."""
    scale = options.grades or tuple(map(float, range(int(_GRADE) + 1)))
    best = max(scale)
    parts = []
    for beside, others in ((None, [0.0] * (size - 1)), (best, [best, *[0.0] * (size - 2)])):
        opened = door(*of_grades([best, *others]), GRADES)
        parts.append([(one, changes.by_grade(one, "1", scale, beside)) for one in opened.subjects()])
    pairs = [pair for both in zip(*parts, strict=True) for pair in both]
    rows = [row | {"change": None} for _, some in pairs for row in some]
    found = [one for one, _ in pairs]
    sentence = (
        f"every grade for the first of {size:,} documents, the others of grade 0; and again above one of grade {best:g}"
    )
    return replace(_variation(opened, options, found, rows, sentence), baseline={}, document="1")


def _variation(
    door: Door, options: _Options, found: Sequence[Subject], rows: Sequence[Row], sentence: str
) -> Variation:
    """What was found of some measures."""
    baseline = {one.label: one.now for one in found if one.now is not None}
    profile = door.plan.profile
    return Variation(
        by=options.by,
        measures=tuple(dict.fromkeys(one.label for one in found)),
        columns=columns_of(options.by, rows),
        baseline=baseline,
        run=getattr(door.run, "name", ""),
        profile="+".join((profile.name, *profile.derived)),
        sentence=sentence,
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
        deepest=max((one.scene.measure.cutoff or _ENDLESS for one in found), default=_ENDLESS),
    )


def _scale(grade: Any) -> tuple[float, ...] | None:  # noqa: ANN401 - what a caller gives
    """One grade or several.

    Raises:
        InputError: `bad-grade`.

    """
    if grade is None:
        return None
    several = [grade] if isinstance(grade, str) or not isinstance(grade, Iterable) else list(grade)
    for one in several:
        if isinstance(one, bool) or not isinstance(one, Real) or not math.isfinite(float(one)):
            raise InputError("bad-grade", f"grade={one!r}: a grade is a finite number")
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
    if not isinstance(cutoffs, Iterable) or not all(isinstance(one, Integral) for one in several):
        text = f"cutoffs={cutoffs!r}: cutoffs are a list of whole numbers from 1"
        raise MeasureError("bad-cutoff", text, remedy="as in cutoffs=[1, 5, 10]; n=10 means all from 1 to 10")
    if not several:
        raise UsageError("unknown-setting", "cutoffs=[]: there is no cutoff", remedy="leave them out, or name some")
    return tuple(dict.fromkeys(map(int, several)))


def _check(options: _Options, *, alone: bool) -> None:
    """Refuse options that mean nothing, and numbers that are none.

    Args:
        options: what a caller gives.
        alone: whether there is no ranking.

    Raises:
        InputError: `bad-grade`.
        UsageError: `unknown-setting`, `conflicting-options`.

    """
    n = options.n
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise UsageError("unknown-setting", f"n={n!r}: how many is a whole number from 1")
    given = {"document": options.document, "grade": options.grades, "n": n, "cutoffs": options.cutoffs}
    for name, value in given.items():
        if value is not None and name not in _USED[options.by]:
            uses = ", ".join(_USED[options.by]) or "none of them"
            text = f'{name} means nothing beside by="{options.by}"'
            raise UsageError("conflicting-options", text, remedy=f"what means something there: {uses}")
    if n is not None and options.cutoffs is not None:
        text = "n and cutoffs both say where the measures are cut"
        raise UsageError("conflicting-options", text, remedy="give one of them")
    if options.grades is None or options.by == "grade":
        return
    if len(options.grades) > 1:
        raise InputError("bad-grade", f'grade=[{_listed(options.grades)}]: by="{options.by}" takes one grade')
    if options.by == "position" and not alone:
        text = "the document that moves through a ranking has the grade that it has there"
        raise UsageError("conflicting-options", text, remedy='leave grade out; by="grade" varies it')


def _listed(grades: Sequence[float | None]) -> str:
    return ", ".join("?" if grade is None else f"{grade:g}" for grade in grades)

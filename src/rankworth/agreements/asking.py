"""What is asked of two sets of judgements: which queries, which groups, and how sure one wants to be."""

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Final, get_args

import numpy as np

from rankworth.agreements import warned
from rankworth.agreements.figures import DISTANCES, Distance, Scale
from rankworth.agreements.pairs import Met, met
from rankworth.agreements.resampling import intervals
from rankworth.agreements.result import Agreement
from rankworth.agreements.tables import Tables
from rankworth.agreements.told import PER_QUERY, Estimate, Figures, QueryAgreements, of_bias, of_grades
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import scalars
from rankworth.io.doors import is_path
from rankworth.io.duplicates import OneJudgement
from rankworth.io.reading import Blank
from rankworth.judging import inputs
from rankworth.model import Qrels, stem
from rankworth.slices import Slices

MANY: Final = 9_999
FEW: Final = 999
"""samples of queries: many, and as many as many queries allow"""
_QUERIES: Final = 1_000
"""queries up to which there are many"""
_GRADES: Final = 128
"""more grades than that are no grades"""


def agreement(
    qrels_a: object,
    qrels_b: object,
    *,
    names: Sequence[str] | None = None,
    queries: Iterable[object] | None = None,
    table: object = None,
    by: object = None,
    rel: float | None = None,
    distance: Distance = "steps",
    duplicate_judgements: OneJudgement = "error",
    columns: Mapping[str, str] | None = None,
    blank: Blank | None = None,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Agreement:
    """How far two sets of judgements agree: do they give the same grades to the same documents?

    Only pairs of a query and a document that both have judged are looked at; the result says how many one judge alone
    has. Told are the share of equal grades, Cohen's kappa without weights, with linear and with quadratic ones,
    Krippendorff's alpha for names, orders and numbers, the mean difference of grades, what becomes of each grade, and
    each query alone. Intervals are bias-corrected and accelerated, from samples of queries: documents of one query are
    judged alike, and so they are drawn together. Formulas and sources stand in `rankworth.agreements.kappas` and
    `alphas`.

    Grades may be any numbers, negative and fractional ones too, 128 different ones at most. Where all grades are one
    and the same nothing could disagree, and kappa and alpha are NaN.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people.
        qrels_b: the same of the second one, say a model.
        names: what to call them; the names of files where not said, otherwise `first` and `second`.
        queries: the ids of the queries to look at; all where not said.
        table: columns of the queries, as `rankworth.io.texts.queries` reads them.
        by: as for `evaluate`: the column by whose groups agreement is told, too.
        rel: the grade from which a document counts as relevant, to tell the agreement on that, too.
        distance: how far two grades are apart in a weighted kappa: `steps` counts the steps between them among the
            grades that the pairs have, as scikit-learn does, `grades` takes their difference; it is the same where the
            grades are 0, 1, 2 and so on and all of them occur. Alpha for numbers always takes the difference.
        duplicate_judgements: what becomes of several grades of one document: an `error`, the best (`max`), the `first`
            or the `last` counts.
        columns: as for `evaluate`, of judgements.
        blank: as for `evaluate`.
        level: of the intervals; 1 - level is the chance that a judge is said to grade higher where none does.
        resamples: how many samples; 9,999, and 999 where there are more than 1,000 queries.
        seed: of these.

    Returns:
        An `Agreement`.

    Raises:
        InputError: as `Qrels`; `no-common-pairs`; `many-grades`; `unjudged-queries` where neither judged a query;
            `input-type` where documents are judged for several subtopics of a query.
        UsageError: `unknown-setting`, `conflicting-options`, `run-names`.

    >>> human = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "d": 1}}
    >>> model = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 2}}
    >>> found = agreement(human, model, names=("human", "model"))
    >>> found.pairs, found.equal.value, round(found.kappa.value, 4)  # kappa: 1 - 1 * 5 / (2 * 4 + 2 * 2 + 1 * 4)
    (5, 0.8, 0.6875)
    >>> found.bias.mean, found.bias.word
    (0.2, 'unclear')
    """
    _settings(distance, rel, level, resamples, seed, duplicate_judgements)
    called = names_of(names, (qrels_a, qrels_b))
    slices = Slices.of(table, by=by)
    [first, second], _ = inputs.Said({"columns": columns, "blank": blank}).read((qrels_a, qrels_b), ())
    both = _asked((first, second), called, queries, duplicate_judgements)
    pair = met(*both, called)
    scale, tables = _counted(pair, called, distance, rel)
    count = resamples or (MANY if tables.queries <= _QUERIES else FEW)

    def told(group: str, part: Tables) -> Figures:
        found = scale.figures(part.total()[None])[0]
        ends = intervals(part, scale.figures, level=level, resamples=count, seed=seed)
        rows = zip(found.tolist(), *(end.tolist() for end in ends), strict=True)
        return Figures(group, int(part.pairs.sum()), part.queries, *(Estimate(*row) for row in rows))

    overall = told("", tables)
    groups = {}
    if slices.by is not None:
        slices.by.shown(pair.queries)
        parts = slices.by.parts(pair.queries)
        groups = {name: told(name, tables.only(parts.of(name))) for name in parts.names}
    total, of_each = tables.total(), tables.of_each(scale.figures)
    counts = total.astype(np.int64)
    counts.setflags(write=False)
    return Agreement(
        names=called,
        judged=pair.judged,
        grades=tuple((scale.grades + 0.0).tolist()),
        table=counts,
        overall=overall,
        per_grade=of_grades(total, scale.grades + 0.0),
        bias=of_bias(tables, overall.bias, of_each[:, scale.names.index("bias")], level),
        queries=QueryAgreements(
            both[0].kinds.back("query", pair.queries),
            tables.pairs,
            of_each[:, [scale.names.index(name) for name in PER_QUERY]],
        ),
        groups=groups,
        by="" if slices.by is None else slices.by.name,
        distance=distance,
        rel=rel,
        level=level,
        resamples=count,
        seed=seed,
        notes=tuple(warned.notes(overall, scale, total)),
        warnings=tuple(warned.of(overall, pair.judged, total, scale, called)),
    )


def _settings(
    distance: object, rel: object, level: float, resamples: float | None, seed: float, duplicates: object
) -> None:
    """Refuse what is no setting.

    Raises:
        UsageError: `unknown-setting`.

    """
    for name, word, words in (
        ("distance", distance, DISTANCES),
        ("duplicate_judgements", duplicates, get_args(OneJudgement)),
    ):
        if word not in words:
            raise UsageError("unknown-setting", f"{name}={word!r}: {name} is {' or '.join(map(repr, words))}")
    if rel is not None and (isinstance(rel, bool) or not isinstance(rel, Real) or not math.isfinite(float(rel))):
        raise UsageError("unknown-setting", f"rel={rel!r}: the grade from which documents are relevant is a number")
    if not 0 < level < 1:
        raise UsageError("unknown-setting", f"level={level}: a level lies between 0 and 1")
    for name, number, least in (("resamples", 1 if resamples is None else resamples, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not math.isfinite(number) or number != int(number) or number < least:
            raise UsageError("unknown-setting", f"{name}={number}: {name} is a whole number from {least}")


def names_of(given: Sequence[str] | None, sources: tuple[object, object]) -> tuple[str, str]:
    """What two judges are called.

    Args:
        given: their names, if somebody said them.
        sources: their judgements; those of files have names of their own.

    Raises:
        UsageError: `unknown-setting`, `run-names`.

    """
    if given is None:
        found = [stem(source).removesuffix(".qrels") if is_path(source) else "" for source in sources]
        called = [name or place for name, place in zip(found, ("first", "second"), strict=True)]
        return (called[0], called[1]) if called[0] != called[1] else ("first", "second")
    both = [] if isinstance(given, str) else list(given)
    if len(both) != 2 or not all(isinstance(name, str) and name for name in both):  # noqa: PLR2004 - two judges
        raise UsageError("unknown-setting", f'names={given!r}: two names, as in names=("human", "model")')
    if both[0] == both[1]:
        raise UsageError("run-names", f"both judges are called {both[0]!r}", remedy='names=("human", "model")')
    return both[0], both[1]


def _asked(
    sources: tuple[object, object],
    names: tuple[str, str],
    queries: Iterable[object] | None,
    duplicates: OneJudgement,
) -> tuple[Qrels, Qrels]:
    """The judgements of both for the queries that are asked for.

    Raises:
        InputError: as `agreement`.

    """
    both = [_read(source, duplicates) for source in sources]
    for one, name in zip(both, names, strict=True):
        if one.merged or one.copies.size:
            text = f"{name}: documents are judged for several subtopics of a query, or several times"
            remedy = "agreement is about one grade for each document: give one subtopic, or each as a query of its own"
            raise InputError("input-type", text, remedy=remedy)
    if queries is not None:
        wanted = scalars.ids(queries)
        known = [set(one.queries) for one in both]
        unjudged = [query for query in wanted if query not in known[0] | known[1]]
        if unjudged:
            are = "is" if len(unjudged) == 1 else "are"
            text = f"{len(unjudged):,} of the {counted(len(wanted))} asked for {are} judged by neither of the two"
            remedy = f"judged are {quoted(both[0].queries)}; leave out the queries without judgements"
            raise InputError("unjudged-queries", f"{text}: {quoted(unjudged)}", remedy=remedy)
        if not wanted:
            raise InputError("empty-input", "the list of queries to keep is empty")
        kept = [[query for query in wanted if query in one] for one in known]
        if not all(kept):
            name = names[0] if not kept[0] else names[1]
            raise InputError("no-common-pairs", f"{name} judged none of the queries asked for: {quoted(wanted)}")
        both = [Qrels(one, queries=part) for one, part in zip(both, kept, strict=True)]
    return both[0], both[1]


def _read(source: object, duplicates: OneJudgement) -> Qrels:
    """One set of judgements; what was read before stays as it is."""
    return source if isinstance(source, Qrels) else Qrels(source, duplicate_judgements=duplicates)


def _counted(pair: Met, names: tuple[str, str], distance: Distance, rel: float | None) -> tuple[Scale, Tables]:
    """The grades that the pairs have, and how often they meet in each query.

    Raises:
        InputError: `many-grades`.

    """
    several = [np.unique(one) for one in (pair.first, pair.second)]
    grades = np.unique(np.concatenate(several))
    if grades.size > _GRADES:
        most = max(zip(names, several, strict=True), key=lambda one: one[1].size)
        each = ", ".join(f"{name} {one.size:,}" for name, one in zip(names, several, strict=True))
        text = f"there are {grades.size:,} different grades ({each})"
        remedy = f"up to {_GRADES} are counted; round those of {most[0]}, or correlate them as scores"
        raise InputError("many-grades", text, remedy=remedy)
    first, second = (np.searchsorted(grades, one) for one in (pair.first, pair.second))
    return Scale(grades, distance, rel), Tables.of(pair.owner, first, second, len(pair.queries), grades.size)

"""What is asked of two judges: do their judgements put systems into the same order?"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rankworth.comparison import Comparison
from rankworth.comparison.differences import LEVEL
from rankworth.correlation.judges import agreement, names_of
from rankworth.correlation.judges_result import Agreement
from rankworth.correlation.standings.asking import METHOD, TEST, coefficients, compared, distinct, held
from rankworth.correlation.standings.result import SystemCorrelation
from rankworth.correlation.standings.views import views
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io.scalars import ids
from rankworth.judging import inputs
from rankworth.measures import Measure
from rankworth.model import Qrels
from rankworth.profiles import DEFAULT as STANDARD
from rankworth.profiles import Profile, profile_of
from rankworth.results import Result, is_results
from rankworth.values import RunValues, Values

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

_UNDEFINED: Final = ("no-common-pairs", "input-type", "many-grades")
"""why judges have no agreement, although systems can be measured"""


def correlate_judges(
    qrels_a: object,
    qrels_b: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] = ("nDCG@10",),
    *,
    names: Sequence[str] | None = None,
    method: str | Iterable[str] = METHOD,
    test: str = TEST,
    correction: str | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    table: object = None,
    by: object = None,
    weights: object = None,
    macro: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    profile: str | Profile = STANDARD,
    progress: "Progress | None" = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`
) -> SystemCorrelation:
    """Do two sets of judgements put systems into the same order?

    Each measure is taken of all systems under both, over the queries that both have judgements for; otherwise as
    `correlate_measures`. The first judge is x, the reference of coefficients that have one. Samples of queries are the
    same under both. The result holds how far the judges agree on documents, too, and each system's mean under both.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people.
        qrels_b: the same of the second one, say a model.
        runs: systems, as for `compare`, but stored values, which come from one set of judgements.
        measures: as for `evaluate`.
        names: what to call the judges; the names of files where not said, otherwise `first` and `second`.
        method: as for `correlate_measures`.
        test: likewise.
        correction: likewise.
        level: likewise.
        resamples: likewise.
        seed: likewise.
        table: columns of the queries, as `rankworth.io.metadata.queries` reads them.
        by: the column by whose groups the agreement on documents is told, too.
        weights: likewise.
        macro: likewise.
        queries: as for `evaluate`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        progress: as for `evaluate_runs`; it hears of everything twice.
        **settings: as for `evaluate`.

    Returns:
        A `SystemCorrelation`.

    Raises:
        InputError, MeasureError: as `compare`; `no-common-queries` where no query is judged by both.
        UsageError: as `correlate_measures`; `run-names`; `conflicting-options` for stored values.

    Source: Voorhees (2000), Variations in relevance judgments and the measurement of retrieval effectiveness,
    https://doi.org/10.1016/S0306-4573(00)00010-8

    >>> human = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    >>> model = {"q1": {"a": 0, "b": 1}, "q2": {"a": 0, "b": 1}}
    >>> runs = {"new": {"q1": ["a"], "q2": ["a"]}, "old": {"q1": ["b"], "q2": ["b"]}}
    >>> found = correlate_judges(human, model, runs, ["RR"], names=("human", "model"))
    >>> found.of("RR").value, found.means["RR (human)"], found.agreement.equal.value
    (-1.0, {'new': 1.0, 'old': 0.0}, 0.0)
    """
    asked = coefficients(method)
    _refuse_stored(runs)
    called = names_of(names, (qrels_a, qrels_b))
    policy: Any = settings.get("duplicate_judgements") or profile_of(profile).judging.duplicate_judgements
    said = inputs.Said(settings)
    if isinstance(runs, str | os.PathLike) or not isinstance(runs, Iterable):
        text = f"{type(runs).__name__} is no collection of systems"
        raise InputError("input-type", text, remedy="systems are a dict {name: run, ...} or a list of files")
    pair, several = said.read((qrels_a, qrels_b), list(runs.values()) if isinstance(runs, Mapping) else list(runs))
    runs = dict(zip(runs, several, strict=True)) if isinstance(runs, Mapping) else several
    both = [one if isinstance(one, Qrels) else Qrels(one, duplicate_judgements=policy) for one in pair]
    common, notes = _common(both, called, queries)
    named = distinct(measures)

    def measured(over: Sequence[str]) -> list[Comparison]:
        return [
            compared(
                one,
                runs,
                named,
                test=test,
                correction=correction,
                level=level,
                resamples=resamples,
                seed=seed,
                table=None if weights is None and macro is None else table,
                weights=weights,
                macro=macro,
                queries=over,
                rel=rel,
                profile=profile,
                progress=progress,
                settings=settings,
            )
            for one in both
        ]

    told = measured(common)
    if told[0].board.queries != told[1].board.queries:  # a profile may leave out queries for what is judged
        known = set(told[1].board.queries)
        over = [query for query in told[0].board.queries if query in known]
        if not over:
            raise InputError("no-common-queries", f"no query has a value under both {called[0]} and {called[1]}")
        told = measured(over)
    found = [view for one, name in zip(told, called, strict=True) for view in views(one.board, name)]
    half = len(found) // 2
    agreed, more = _agreement(
        both,
        called,
        queries=told[0].board.queries,
        table=None if by is None else table,
        by=by,
        rel=rel,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    return held(
        found,
        [(place, place + half) for place in range(half)],
        [one for one in told for _ in range(half)],
        asked,
        level=level,
        resamples=resamples,
        seed=seed,
        judges=called,
        agreement=agreed,
        notes=(*notes, *more),
    )


def _refuse_stored(runs: Mapping[str, object] | Sequence[object]) -> None:
    """Refuse values that one of the judges stands behind, or nobody knows who.

    Raises:
        UsageError: `conflicting-options`.

    """
    sources = list(runs.values()) if isinstance(runs, Mapping) else list(runs) if isinstance(runs, Iterable) else []
    parts = [part for source in sources for part in (source if isinstance(source, list | tuple) else [source])]
    stored = isinstance(runs, RunValues) or any(
        isinstance(one, Values | Result) or (isinstance(one, str | os.PathLike) and is_results(one)) for one in parts
    )
    if stored:
        raise UsageError(
            "conflicting-options",
            "stored values come from one set of judgements, and systems are to be measured under two",
            remedy="give the runs themselves",
        )


def _common(
    both: Sequence[Qrels], names: tuple[str, str], queries: Iterable[object] | None
) -> tuple[list[str], list[str]]:
    """The queries that both have judgements for, and what is said of the others.

    Raises:
        InputError: `no-common-queries`.

    """
    first, second = (list(one.queries) for one in both)
    wanted = None if queries is None else list(dict.fromkeys(ids(queries)))
    known = set(first) & set(second)
    common = [query for query in (first if wanted is None else wanted) if query in known]
    if not common:
        what = "" if wanted is None else f" of the {len(wanted):,} asked for"
        text = f"no query{what} is judged by both: {names[0]} has {quoted(first)}, {names[1]} {quoted(second)}"
        raise InputError("no-common-queries", text)
    if wanted is not None:
        left = len(wanted) - len(common)
        return common, [f"{left:,} of the {len(wanted):,} queries asked for are not judged by both"] if left else []
    if len(common) == len(first) == len(second):
        return common, []
    each = f"{names[0]} {len(first):,}, {names[1]} {len(second):,}"
    return common, [f"over the {counted(len(common))} that both have judgements for; there are {each}"]


def _agreement(
    both: Sequence[Qrels],
    names: tuple[str, str],
    **said: Any,  # noqa: ANN401 - of `agreement`
) -> tuple[Agreement | None, list[str]]:
    """How far the judges agree on documents, or why that is not defined."""
    try:
        found = agreement(both[0], both[1], names=names, **said)
    except InputError as error:
        if error.slug not in _UNDEFINED:
            raise
        return None, [f"agreement of the judges is not defined: {error.problems[0]}"]
    return found, []

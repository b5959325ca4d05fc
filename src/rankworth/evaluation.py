"""The whole road: judgements and a run in, values out, block by block.

A value is the same, bit for bit, whatever else was evaluated beside it and through whichever door it came.
"""

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth import averaging, names
from rankworth.averaging import Missing
from rankworth.errors import InputError, RankworthWarning, UsageError
from rankworth.hits import Floats, Hits
from rankworth.judging import judge
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.notices import notices_of
from rankworth.profiles import Profile, profile_of
from rankworth.values import Counts, PerQuery, RunValues, Values

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

DEFAULT_MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100", "Judged@10")
_SAID_ONLY: Final = ("shallow-run",)
"""notices that stand beside the values but warn of nothing, since nothing is wrong with the numbers"""


def evaluate(
    qrels: object,
    run: object,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    queries: Iterable[object] | None = None,
    missing: Missing | None = None,
    profile: str | Profile = "standard",
) -> Values:
    """What a run is worth.

    Args:
        qrels: judgements: a path, a dict `{query: {document: grade}}`, a frame with columns `query, document, grade`,
            or a `Qrels` made once for many runs.
        run: a path (`-` is standard input), a dict `{query: {document: score}}`, a frame with columns
            `query, document, score`, or a `Run`.
        measures: names such as `"nDCG@10"` or measures such as `AP(rel=2) @ 100`.
        queries: the queries to evaluate, before anything is counted; all judged ones where not said.
        missing: what a judged query is that the run does not answer: `"zero"`, or `"skip"` to leave it out.
        profile: the conventions; `standard-1` is trec_eval 10 with `-c`.

    Returns:
        One value per query and measure, with means, counts and signature.

    Raises:
        InputError: where judgements or run cannot be trusted; see `docs/errors/`.
        MeasureError: where a measure is not known or misused, with all mistakes of the list.
        UsageError: where a setting has no such value.

    >>> values = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["RR", "nDCG@10"])
    >>> values["RR"], round(values["ndcg_cut_10"], 4)
    (0.5, 0.6309)
    """
    values = measure_run(
        _qrels(qrels, queries),
        _run(run),
        names.parse_all(_list(measures)),
        profile_of(profile).derive(missing=missing),
    )
    _warn([values])
    return values


def evaluate_runs(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    queries: Iterable[object] | None = None,
    missing: Missing | None = None,
    profile: str | Profile = "standard",
    progress: "Progress | None" = None,
) -> RunValues:
    """What several runs are worth; the judgements are read once.

    Args:
        qrels: as for `evaluate`.
        runs: runs by name, or a list of paths or `Run`s, which are named by their file.
        measures: as for `evaluate`.
        queries: as for `evaluate`.
        missing: as for `evaluate`.
        profile: as for `evaluate`.
        progress: called with a name, the bytes read and the size of the file, while a file is read.

    Returns:
        `{name: Values}`, with `to_frame()`.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`; `run-names` where two runs have one name.

    """
    wanted = names.parse_all(_list(measures))
    settings = profile_of(profile).derive(missing=missing)
    named = _named(runs)
    judgements = _qrels(qrels, queries)
    table = {name: measure_run(judgements, run, wanted, settings, progress=progress) for name, run in named.items()}
    _warn(table.values())
    return RunValues(table)


def score(grades: Iterable[float | None], measure: str | Measure, *, missing: Iterable[float] = ()) -> float:
    """The value of one ranking, given as grades in rank order.

    Args:
        grades: one for each retrieved document, best rank first; None for a document that nobody judged.
        measure: a name or a measure.
        missing: grades of judged documents that are not in the ranking.

    Returns:
        The value; 0 where it is undefined.

    Raises:
        InputError: `bad-grade`.
        MeasureError: as `evaluate`.

    >>> score([2, 1, 0, 1, 2], "nDCG@3")  # (2 + 1/log2(3)) / (2 + 2/log2(3) + 1/log2(4))
    0.6993694869720469
    >>> score([0, 1, None, 1], "AP", missing=[2])  # (1/2 + 2/4) / 3
    0.3333333333333333
    """
    one = names.parse_all([measure])[0]
    ranked = list(grades)
    known = np.array([grade is not None for grade in ranked], dtype=bool)
    grade = _grades(0.0 if grade is None else grade for grade in ranked)
    pool = np.concatenate((grade[known], _grades(missing)))
    rank = np.arange(1, grade.size + 1)
    rows = slice(None) if one.definition.positions == "all" else known
    kept = rank[rows]
    hits = Hits(
        offsets=np.array([0, kept.size]),
        rank=kept,
        tie_first=kept,
        tie_last=kept,
        grade=grade[rows],
        known=known[rows],
        n_retrieved=np.array([grade.size]),
        pool_offsets=np.array([0, pool.size]),
        pool=np.sort(pool)[::-1],
    )
    value = float(one.values(hits.block(np.array([0])))[0])
    return averaging.STANDARD.undefined if math.isnan(value) else value


def measure_run(
    qrels: Qrels, run: Run, measures: Sequence[Measure], profile: Profile, *, progress: "Progress | None" = None
) -> Values:
    """The road itself: judge, measure, average; says what is odd in `notices` and warns of nothing."""
    full = any(measure.definition.positions == "all" for measure in measures)
    judgement = judge(qrels, run, layout="full" if full else "compact", progress=progress)
    hits = judgement.hits
    answered = hits.n_retrieved > 0
    table = np.zeros((len(qrels), len(measures)))
    for queries, block in hits.blocks(np.flatnonzero(answered)):
        for column, measure in enumerate(measures):
            table[queries, column] = measure.values(block)
    table[np.isnan(table)] = profile.averaging.undefined
    kept, scored = qrels.queries, table
    if profile.averaging.missing == "skip":
        kept = [query for query, there in zip(kept, answered.tolist(), strict=True) if there]
        scored = table[answered]
    scored.setflags(write=False)
    best = np.maximum.reduceat(hits.pool, hits.pool_offsets[:-1][np.diff(hits.pool_offsets) > 0])
    counts = Counts(
        judged=len(qrels),
        scored=len(kept),
        unanswered=int(np.count_nonzero(~answered)),
        no_relevant=len(qrels) - int(np.count_nonzero(best > 0)),
        ignored=judgement.ignored,
    )
    notices = tuple(notices_of(run.name or "the run", measures, hits, counts, table[answered]))
    return Values(run.name, tuple(measures), PerQuery(kept, list(map(str, measures)), scored), counts, profile, notices)


def _warn(table: Iterable[Values]) -> None:
    for values in table:
        for notice in values.notices:
            if notice.slug not in _SAID_ONLY:
                warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=3)


def _qrels(source: object, queries: Iterable[object] | None) -> Qrels:
    return source if isinstance(source, Qrels) and queries is None else Qrels(source, queries=queries)


def _run(source: object, name: str = "") -> Run:
    return source if isinstance(source, Run) and not name else Run(source, name)


def _named(runs: Mapping[str, object] | Sequence[object]) -> dict[str, Run]:
    """Runs by name, in order."""
    if isinstance(runs, Mapping):
        return {name: _run(source, name) for name, source in runs.items()}
    if isinstance(runs, str | os.PathLike) or not isinstance(runs, Iterable):
        raise InputError(
            "input-type",
            f"{type(runs).__name__} is no collection of runs",
            remedy="several runs are a dict {name: run, ...} or a list of paths; one run goes to evaluate",
        )
    named: dict[str, Run] = {}
    for source in runs:
        run = _run(source)
        if not run.name or run.name in named:
            raise UsageError(
                "run-names",
                f"two runs are called {run.name!r}" if run.name else "a run that is no file has no name",
                remedy="name them: {name: run, ...}, on the command line NAME=FILE",
            )
        named[run.name] = run
    return named


def _list(measures: Iterable[str | Measure]) -> Iterable[str | Measure]:
    return [measures] if isinstance(measures, str | Measure) else measures


def _grades(grades: Iterable[float]) -> Floats:
    try:
        array = np.array(list(grades), dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([np.nan])
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError("bad-grade", "grades are finite numbers, or None for a document that nobody judged")
    return array

"""The whole road: judgements and a run in, values out, block by block.

A value is the same, bit for bit, whatever else was evaluated beside it and through whichever door it came.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from rankworth import averaging, names
from rankworth.averaging import Missing
from rankworth.errors import InputError, MeasureError, RankworthWarning
from rankworth.hits import Floats, Hits, Subtopics
from rankworth.io.duplicates import DuplicateJudgements, Duplicates
from rankworth.judged import Judged
from rankworth.judging import inputs, judge
from rankworth.judging import subtopics as by_subtopic
from rankworth.judging.settings import Judging, Unjudged
from rankworth.judging.subtopics import Row
from rankworth.measures import Fact, Measure, TextFact
from rankworth.measures.core import Layout
from rankworth.measures.facts import RUNID
from rankworth.model import Qrels, Run
from rankworth.names import Quantity
from rankworth.notices import notices_of, notices_of_documents, notices_of_exclusion, notices_of_subtopics
from rankworth.profiles import Profile, profile_of
from rankworth.values import Counts, PerQuery, RunValues, Values

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

DEFAULT_MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100", "Judged@10")
Measures = Iterable[str | Measure | Fact]
"""Names, measures and facts."""
_SAID_ONLY: Final = ("shallow-run", "best-of-subtopics")
"""notices that stand beside the values but warn of nothing, since nothing is wrong with the numbers"""


def evaluate(
    qrels: object = None,
    run: object = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    depth: int | None = None,
    unjudged: Unjudged | None = None,
    duplicates: Duplicates | None = None,
    duplicate_judgements: DuplicateJudgements | None = None,
    exclude: object = None,
    missing: Missing | None = None,
    profile: str | Profile = "standard",
) -> Values:
    """What a run is worth.

    Args:
        qrels: judgements: whatever `Qrels` reads, such as a path, a dict `{query: {document: grade}}`, a frame with
            columns `query, document, grade` or rows `(query, document, grade)`; or a `Qrels` made once for many runs.
        run: whatever `Run` reads, such as a path (`-` is standard input), a dict `{query: {document: score}}` or
            `{query: [document, ...]}`, a frame with columns `query, document, score` or rows; or a `Run`.
        measures: names such as `"nDCG@10"`, measures such as `AP(rel=2) @ 100`, facts such as `"NumRel"`; a name of
            trec_eval may stand for several (`"official"`). Measure objects of ir_measures are taken, too.
        labels: instead of `qrels` and `run`: the grades of the items of each query, `[[1, 0, 2], [0, 1]]`, None for one
            that nobody judged; in rank order, unless `scores` or `orders` says another. Queries and items are named by
            their places. Or a frame or a dict of columns `query, grade, score`.
        scores: the scores of the same items, in the same shape.
        orders: instead of scores the places of the items, best first, counted from 0; what is left out was not
            retrieved.
        queries: the queries to evaluate, before anything is counted; all judged ones where not said.
        rel: the grade from which documents count as relevant, for measures that do not say their own (`-l` in
            trec_eval).
        depth: how many documents of each query are looked at (`-M`); all where not said.
        unjudged: `"removed"` takes documents that nobody judged out of the ranking before ranks are counted (`-J`).
        duplicates: what becomes of a document that a query ranks twice: an `"error"`, or the row counts that has the
            highest score (`"best"`, as for passages of documents) or comes `"first"` or `"last"`; ranks are closed up.
        duplicate_judgements: what becomes of several grades of a document for a query (and one subtopic): an
            `"error"`, or the highest counts (`"max"`), the `"first"` or the `"last"`.
        exclude: documents that are taken out of run and judgements before anything is ranked or counted, such as what
            users saw in training: `"self"` for those whose id is that of the query; a path, with or without grades or
            scores, a dict `{query: [document, ...]}`, a frame with columns `query, document`, pairs of query and
            document, or a `Qrels` or `Run`, made once for many calls.
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
    >>> evaluate(labels=[[1, 0, 1]], scores=[[0.9, 0.2, 0.7]], measures=["P@2"])["P@2"]
    1.0
    """
    wanted = names.parse_all(_list(measures), rel=rel)
    qrels, run = inputs.pair(qrels, run, labels, scores, orders)
    settings = profile_of(profile).derive(
        missing=missing,
        depth=depth,
        unjudged=unjudged,
        duplicates=duplicates,
        duplicate_judgements=duplicate_judgements,
        exclude=exclude,
    )
    values = measure_run(inputs.judgements(qrels, queries, settings.judging), inputs.run(run), wanted, settings)
    _warn([values])
    return values


def evaluate_runs(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: Measures = DEFAULT_MEASURES,
    *,
    queries: Iterable[object] | None = None,
    rel: float | None = None,
    depth: int | None = None,
    unjudged: Unjudged | None = None,
    duplicates: Duplicates | None = None,
    duplicate_judgements: DuplicateJudgements | None = None,
    exclude: object = None,
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
        rel: as for `evaluate`.
        depth: as for `evaluate`.
        unjudged: as for `evaluate`.
        duplicates: as for `evaluate`.
        duplicate_judgements: as for `evaluate`.
        exclude: as for `evaluate`.
        missing: as for `evaluate`.
        profile: as for `evaluate`.
        progress: called with a name, the bytes read and the size of the file, while a file is read.

    Returns:
        `{name: Values}`, with `to_frame()`.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`; `run-names` where two runs have one name.

    """
    wanted = names.parse_all(_list(measures), rel=rel)
    settings = profile_of(profile).derive(
        missing=missing,
        depth=depth,
        unjudged=unjudged,
        duplicates=duplicates,
        duplicate_judgements=duplicate_judgements,
        exclude=exclude,
    )
    named = inputs.runs(runs)
    judgements = inputs.judgements(qrels, queries, settings.judging)
    table = {name: measure_run(judgements, run, wanted, settings, progress=progress) for name, run in named.items()}
    _warn(table.values())
    return RunValues(table)


def score(grades: Iterable[Row], measure: str | Measure | Fact, *, missing: Iterable[Row] = ()) -> float:
    """The value of one ranking, given as grades in rank order.

    Args:
        grades: one for each retrieved document, best rank first; None for a document that nobody judged. A list of
            grades is one for each subtopic.
        measure: a name, a measure or a fact that is a number.
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
    one, *others = names.parse_all([measure])
    if others:
        raise MeasureError("measure-syntax", f"{measure!r} stands for {1 + len(others)} measures; name one of them")
    if isinstance(one, TextFact):
        raise MeasureError("measure-syntax", f"{one} is a text, not a number; evaluate gives it for each query")
    value = float(one.values(ranking(grades, missing=missing, layout=one.definition.positions))[0])
    return averaging.STANDARD.undefined if math.isnan(value) else value


def ranking(grades: Iterable[Row], *, missing: Iterable[Row] = (), layout: Layout = "all") -> Judged:
    """One ranking as measures see it.

    Args:
        grades: as for `score`.
        missing: as for `score`.
        layout: whether unjudged documents have rows, too.

    Raises:
        InputError: `bad-grade`.

    """
    ranked, absent, subtopics = _documents(grades, missing)
    known = np.array([grade is not None for grade in ranked], dtype=bool)
    grade = _grades(0.0 if grade is None else grade for grade in ranked)
    pool = np.concatenate((grade[known], _grades(absent)))
    rank = np.arange(1, grade.size + 1)
    rows = slice(None) if layout == "all" else known
    kept = rank[rows]
    judgement = np.where(known, np.cumsum(known) - 1, -1)
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
        judgement=None if subtopics is None else judgement[rows],
        subtopics=subtopics,
    )
    return hits.block(np.array([0]))


def measure_run(
    qrels: Qrels, run: Run, asked: Sequence[Quantity], profile: Profile, *, progress: "Progress | None" = None
) -> Values:
    """The road itself: judge, measure, average; says what is odd in `notices` and warns of nothing.

    The judgements are settled already, as the profile says.
    """
    full = any(one.definition.positions == "all" for one in asked)
    subtopics = any(one.definition.subtopics for one in asked)
    judgement = judge(
        qrels,
        run,
        layout="full" if full else "compact",
        settings=profile.judging,
        subtopics=subtopics,
        progress=progress,
    )
    hits = judgement.hits if profile.judging.depth is None else judgement.hits.shortened(profile.judging.depth)
    table, texts = _measured(hits, asked, profile.judging)
    table[np.isnan(table)] = profile.averaging.undefined
    answered = hits.n_retrieved > 0
    skipped = profile.averaging.missing == "skip" and not answered.all()
    kept, scored = qrels.queries, table
    if skipped:
        kept = [query for query, there in zip(kept, answered.tolist(), strict=True) if there]
        scored = table[answered]
        texts = {
            one: [text for text, there in zip(column, answered, strict=True) if there] for one, column in texts.items()
        }
    scored.setflags(write=False)
    best = np.maximum.reduceat(hits.pool, hits.pool_offsets[:-1][np.diff(hits.pool_offsets) > 0])
    counts = Counts(
        judged=len(qrels),
        scored=len(kept),
        unanswered=int(np.count_nonzero(~answered)),
        no_relevant=len(qrels) - int(np.count_nonzero(best > 0)),
        ignored=judgement.ignored,
        duplicates_removed=judgement.repeated,
        duplicate_judgements_removed=int(qrels.repeated.sum()),
        excluded=judgement.excluded,
        excluded_judgements=int(qrels.excluded.sum()),
    )
    measures = tuple(one for one in asked if not isinstance(one, TextFact))
    told = {str(one): column for one, column in texts.items() if one != RUNID}
    return Values(
        run.name,
        measures,
        PerQuery(kept, list(map(str, measures)), scored, told),
        counts,
        _told(profile, qrels),
        (
            *notices_of_documents(qrels, run, judgement.hits),
            *notices_of_exclusion(profile.judging.exclude, counts),
            *notices_of(run.name or "the run", measures, hits, counts, table, profile.judging.depth),
            *notices_of_subtopics(qrels, asked, hits),
        ),
        tuple(asked),
        run.tag,
        int(np.count_nonzero(hits.pool > 0)),
    )


def _measured(hits: Hits, asked: Sequence[Quantity], judging: Judging) -> tuple[Floats, dict[TextFact, list[str]]]:
    """`[Q, M]`: the values of all queries, NaN where undefined; a query without results is an empty ranking.

    Measures that need judged documents only see no others, whatever stands beside them.
    """
    numbers = [one for one in asked if not isinstance(one, TextFact)]
    queries = np.arange(hits.n_retrieved.size)
    table = np.zeros((queries.size, len(numbers)))
    texts = {one: [""] * queries.size for one in asked if isinstance(one, TextFact)}
    for layout in ("judged", "all"):
        some = [(place, one) for place, one in enumerate(numbers) if one.definition.positions == layout]
        told = [one for one in texts if one.definition.positions == layout]
        if not some and not told:
            continue
        view = hits.compact() if layout == "judged" else hits
        for places, block in view.blocks(queries):
            ranking = block.condensed if judging.unjudged == "removed" else block
            for column, one in some:
                table[places, column] = one.values(ranking)
            for fact in told:
                for place, text in zip(places.tolist(), fact.values(ranking), strict=True):
                    texts[fact][place] = text
    return table, texts


def _warn(table: Iterable[Values]) -> None:
    for values in table:
        for notice in values.notices:
            if notice.slug not in _SAID_ONLY:
                warnings.warn(RankworthWarning(notice.slug, notice.text), stacklevel=3)


def _told(profile: Profile, qrels: Qrels) -> Profile:
    """The settings as they were followed: what became of repeated judgements may have been said with them."""
    policy, exclude = qrels.duplicate_judgements, profile.judging.exclude
    if exclude is None:
        return (
            profile if policy == profile.judging.duplicate_judgements else profile.derive(duplicate_judgements=policy)
        )
    return profile.derive(duplicate_judgements=policy, exclude=exclude.bare)


def _list(measures: Measures) -> Measures:
    return [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else measures


def _documents(ranked: Iterable[Row], missing: Iterable[Row]) -> tuple[list[Row], list[Row], Subtopics | None]:
    """Best grades, and grades by subtopic where there are some."""
    try:
        return by_subtopic.of_rows(ranked, missing)
    except (TypeError, ValueError):
        raise InputError(
            "bad-grade",
            "some documents have grades for subtopics, but not all have as many, or not all are finite numbers",
            remedy="give each judged document a list with a number for each subtopic, as in [[1, 0], [0, 1]]",
        ) from None


def _grades(grades: Iterable[Row]) -> Floats:
    try:
        array = np.array(list(grades), dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([np.nan])
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError("bad-grade", "grades are finite numbers, or None for a document that nobody judged")
    return array

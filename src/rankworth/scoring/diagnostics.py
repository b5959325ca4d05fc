"""What makes right values easy to misread: found after measuring, shown beside the values, and warned of."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

import numpy as np

from rankworth.arrays import Floats, Integers
from rankworth.errors import counted, quoted
from rankworth.io.id_rules import IdRule
from rankworth.judging import grades
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.overlap import alike_queries, no_common_documents, unnamed
from rankworth.measures import Measure
from rankworth.measures.building_blocks import SIGNED
from rankworth.measures.parameters import LEAST_REL, MOST_REL
from rankworth.model import Qrels, Run
from rankworth.names import Quantity
from rankworth.profiles import ResolvedMeasure
from rankworth.scoring import candidates
from rankworth.scoring.columns import Column, Mask, summary
from rankworth.scoring.counts import Counts, Notice, TieEffect
from rankworth.scoring.evaluator import Evaluation
from rankworth.scoring.measured_run import MeasuredRun
from rankworth.scoring.plans import Plan
from rankworth.settings import STANDARD_AVERAGING

MANY: Final = 0.1
"""the share of queries from which something is no exception"""
TOP: Final = 10
"""the first ranks, of which most are judged, unless ids do not meet or few documents are judged"""
_GAP: Final = 0.05
"""how many more of the first ranks hold unjudged documents in one run than in another, from which the former suffers"""
_PAIRS: Final = 20
"""from how many excluded pairs on one of their documents should be judged for some query"""
_SHOWN: Final = 3
"""how many measures a notice lists"""
_EXACT: Final = 2**53
"""from here on a floating-point number is not every integer"""
_MOVED: Final = 0.005
"""the share of a mean that the order of tied documents has to move for a notice"""
_MIRRORED: Final = {
    "id-descending": "id-ascending",
    "id-ascending": "id-descending",
    "given": "given-reversed",
    "given-reversed": "given",
}
"""the rule that orders tied documents the other way round"""
_TOP: Final = 10
"""how many ranks are looked at for unjudged documents"""
COVERAGE: Final = ("Judged", "Unjudged")
"""measures of the judgements, of which no ranking is better or worse"""


_NOT_JUDGED: Final = -1
_NO_SUBTOPIC: Final = {"0", "Q0"}
"""what qrels files without subtopics hold in their second column"""
_OF_SAMPLES: Final = ("infAP", "Bpref", "Unjudged", "RBP_residual", "rbp_resid")
"""measures to which a negative grade is no judgement"""
_SIGNED: Final = ("raw_PFound",)
"""measures that a negative grade lowers, as those with signed gains"""


def diagnose(
    evaluation: Evaluation,
    plan: Plan,
    base: ResolvedMeasure,
    measured: Sequence[tuple[ResolvedMeasure, Column]],
    counts: Counts,
) -> Iterator[Notice]:
    """Find what deserves a second look.

    Args:
        evaluation: the run under all settings.
        plan: the measures.
        base: the measure that tells how many queries there are.
        measured: the measures that are numbers, with their values.
        counts: how many queries there are.

    """
    run, measures = evaluation.run, [measure for measure, _ in measured]
    whole, name = evaluation.measured_run(base), run.name or "the run"
    qrels = whole.qrels
    if run.has_no_rows:
        yield no_rows(name if len(qrels) else "", plan.profile.tool)
        return
    hits = whole.judgement.hits
    if run.of_rows or _are_same_rows(run, qrels, hits):
        yield from candidates.of_row_items(name, hits, is_labelled=run.of_rows)
    yield from _of_rules(measures, hits)
    runs = [evaluation.measured_run(measure) for measure in measures]
    for judged in {id(judged): judged for judged in runs}.values():
        of_run = [pair for pair, of_measure in zip(measured, runs, strict=True) if of_measure is judged]
        yield from _ties(name, of_run, judged)
    if not all(_ignores_grades(measure.quantity) for measure in measures):
        yield from _ids(evaluation, qrels, hits, counts)
    for join in evaluation.joins:
        yield from join.notices()
    exclude = base.data.exclude
    if exclude is not None and str(exclude) != SELF and not counts.excluded and not counts.excluded_judgements:
        yield _nothing_excluded(name, exclude, qrels)
    as_base = [measure for measure, of_measure in zip(measures, runs, strict=True) if of_measure is whole]
    yield from _unanswered(name, as_base, base, whole, counts)
    yield from _thresholds(as_base, whole.settled)
    if run.ids is not None and run.facts.renamed and counts.duplicates_removed:
        yield _collapsed(name, run.ids, measures, whole)
    elif not (run.of_rows or run.is_of_first_ranks):
        yield from _cutoffs(name, measures, whole)
    yield from _subtopics(qrels, plan.measures, hits)
    advice = (
        "; of rows that are none, padding=-1 leaves them out of the ranking, too"
        if run.of_rows and not run.files
        else ""
    )
    yield from sampled(qrels, measures, advice)
    yield from blanks(qrels.blanks, qrels.blank)


def _are_same_rows(run: Run, qrels: Qrels, hits: JudgedRows) -> bool:
    """Return whether judgements are labels of what was retrieved: of the same files or object, with the same documents.

    Queries that the run or the judgements do not have do not matter.
    """
    if run.files:
        is_same = [file.path for file in run.files] == [file.path for file in qrels.files]
    else:
        is_same = qrels.source is not None and run.origin == id(qrels.source)
    if not is_same:
        return False
    judged, retrieved = np.diff(hits.pool.offsets), np.asarray(hits.n_retrieved)
    found = np.diff(hits.offsets)
    is_answered = retrieved > 0
    return bool(is_answered.any() and (found == retrieved)[is_answered].all() and (found == judged)[is_answered].all())


def _nothing_excluded(name: str, exclude: Exclusion, qrels: Qrels) -> Notice:
    """Return the warning on a run that has none of the pairs: usual where its system leaves them out by itself."""
    pairs = exclude.required_pairs
    text = f"{name} has none of the pairs of exclude:{exclude}, and neither have the judgements"
    if set(pairs.queries).isdisjoint(qrels.queries):
        text += ": no query of the pairs is judged"
        return Notice("nothing-excluded", f"{text}; are their ids those of the others?")
    judged = {document for documents in qrels.document_lists for document in documents}
    if pairs.grades.size >= _PAIRS and all(map(judged.isdisjoint, pairs.document_lists)):
        text += ": no document of the pairs is judged for any query"
        return Notice("nothing-excluded", f"{text}; are their ids those of the others?")
    return Notice("already-excluded", f"{text}; right if its system leaves them out by itself")


def _of_rules(measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """Yield what a profile says of its tool's numbers: that they are wrong, or that the tool leaves an order open."""
    rules = [(measure.label, measure.rule) for measure in measures if measure.rule is not None]
    for label, rule in rules:
        if rule.defect:
            yield Notice("known-defect", f"{label}: {rule.defect}")
        if rule.level and _has_equal_gains(hits):
            yield Notice("known-defect", f"{label}: {rule.level}")
    if rules and hits.tied:
        for label, rule in rules:
            if rule.unspecified:
                yield Notice("unspecified-order", f"{label}: {rule.unspecified}")


def _has_equal_gains(hits: JudgedRows) -> bool:
    """Return whether relevant documents of one grade have equal scores, or some have scores of 0 and below."""
    relevant = hits.is_judged & (hits.grade > 0)
    if hits.positive is not None and (relevant & ~hits.positive).any():
        return True
    rows = np.stack([hits.query[relevant], hits.tie_first[relevant], hits.grade[relevant]], axis=1)
    return len(np.unique(rows, axis=0)) < len(rows)


def _ties(name: str, measured: Sequence[tuple[ResolvedMeasure, Column]], run: MeasuredRun) -> Iterator[Notice]:
    """Warn of means that depend on the order of documents with equal scores.

    Args:
        name: what to call the run.
        measured: measures with equal settings, and their values.
        run: the run under these settings.

    """
    judging, hits = measured[0][0].judging, run.judgement.hits
    shared_ranks = judging.duplicate_judgements in ("all", "spread")
    if judging.ties not in _MIRRORED or shared_ranks or not hits.tied:
        return
    hits = hits.compact()
    columns = {each.quantity: (each, column) for each, column in measured if _is_of_order(each.quantity, run)}
    deepest = max((measure.cutoff or hits.rank.size for measure in columns), default=0)
    rows = np.flatnonzero((hits.tie_last > hits.tie_first) & (hits.tie_first <= deepest))
    if not rows.size:
        return
    yield from _rounded_scores(name, hits, rows)
    places = _to_reorder(hits, rows)
    ids, tied = [run.standing.queries[index] for index in places.tolist()], hits.of(places)

    def reordered(rank: Integers) -> MeasuredRun:
        """Measure the queries with ties in another order."""
        return run.with_rankings(grades.settle(tied.ranked(rank), run.judging, ids), ids, columns)

    def mean(measure: Quantity, other: MeasuredRun) -> float:
        """Average a measure where the queries with ties have another order."""
        values = run.values[measure].copy()
        values[places] = other.values[measure]
        resolved = columns[measure][0]
        return run.column(measure, resolved.averaging, resolved.data, values).mean

    best = reordered(tied.within_ties(-tied.grade, tied.grade > 0))
    worst = reordered(tied.within_ties(tied.grade, tied.grade <= 0))
    changes = {
        measure: np.nan_to_num(
            _apart(best.values[measure], worst.values[measure])
            if measure.averaging == "median"
            else np.abs(best.values[measure] - worst.values[measure]),
            posinf=1.0,
        )
        * column.listed[places]
        for measure, (_, column) in columns.items()
        if measure not in best.failed and measure not in worst.failed
    }
    for measure, change in changes.items():
        if queries := int(np.count_nonzero(change)):
            each, column = columns[measure]
            run.ties.append(TieEffect(each.label, queries, column.mean, mean(measure, worst), mean(measure, best)))
    sums = {
        measure: abs(column.mean) * int(np.count_nonzero(column.listed)) for measure, (_, column) in columns.items()
    }
    moved = [measure for measure, change in changes.items() if change.sum() > _MOVED * sums[measure]]
    if not moved:
        return
    depends = np.any([changes[measure] > 0 for measure in moved], axis=0)
    mirrored = reordered(tied.tie_first + tied.tie_last - tied.rank)
    rules = (f" with ties={judging.ties}", f" with ties={_MIRRORED[judging.ties]}")
    parts = []
    for measure in moved[:_SHOWN]:
        label, column = columns[measure][0].label, columns[measure][1]
        now, then = f"{column.mean:.4f}", f"{mean(measure, mirrored):.4f}"
        if now == then:
            parts.append(f"{label} is between {mean(measure, worst):.4f} and {mean(measure, best):.4f}")
        else:
            parts.append(f"{label} is {now}{rules[0]} and {then}{rules[1]}")
            rules = ("", "")
    parts += [f"and {len(moved) - _SHOWN:,} more"] if moved[_SHOWN:] else []
    text = f"{name} has tied judged documents in {int(depends.sum()):,} of {counted(run.settled.n_retrieved.size)}, so "
    yield Notice("many-ties", f"{text}values depend on the tie-breaking rule: {'; '.join(parts)}")


def _apart(values: Floats, others: Floats) -> Floats:
    """Return how far values lie apart, `[Q]`; two that are infinite do not."""
    return np.abs(np.subtract(values, others, out=np.zeros_like(values), where=values != others))


def _to_reorder(hits: JudgedRows, rows: Integers) -> Integers:
    """Return the queries of some rows, or all if they are most: what was computed of all pools is used again then."""
    places = np.unique(hits.offsets.searchsorted(rows, side="right") - 1)
    return places if 2 * places.size < hits.n_retrieved.size else np.arange(hits.n_retrieved.size)


def _is_of_order(quantity: Quantity, run: MeasuredRun) -> bool:
    """Return whether the order of judged documents changes a mean."""
    is_mean = isinstance(quantity, Measure) and quantity.averaging != "sum"
    return is_mean and quantity.name not in COVERAGE and run.layouts[quantity] == "judged"


def _rounded_scores(name: str, hits: JudgedRows, rows: Integers) -> Iterator[Notice]:
    """Warn of scores of tied documents that are too large to tell integers apart."""
    scores = np.zeros(0) if hits.score is None else np.abs(hits.score[rows])
    if vast := int(np.count_nonzero((scores >= _EXACT) & np.isfinite(scores))):
        text = f"{name} has {counted(vast, 'tied judged document', 'tied judged documents')} with scores of 2^53 "
        text += f"({_EXACT:,}) and more, where different integers may be one floating-point number"
        yield Notice(
            "rounded-scores",
            f'{text}, so that they count as tied; write smaller scores, or ranks: --order rank (order="rank")',
        )


def _ignores_grades(quantity: Quantity) -> bool:
    """Return whether a measure of items uses no grades, so that judgements do not matter."""
    return bool(quantity.definition.needs) and "rel" not in quantity.parameters


def _ids(evaluation: Evaluation, qrels: Qrels, hits: JudgedRows, counts: Counts) -> Iterator[Notice]:
    """Warn of ids that judgements and run do not share: what is worth nothing may have been called otherwise."""
    if evaluation.run.facts.lists and (text := unnamed(evaluation.run)):
        yield Notice("response-queries", text)
    unanswered, ignored = (list(map(str, ids)) for ids in (counts.unanswered_queries, counts.ignored_queries))
    if unanswered and ignored and (text := alike_queries(unanswered, ignored)):
        yield Notice("similar-ids", text)
    if not hits.is_judged.any() and hits.pool.lengths[hits.n_retrieved > 0].any():
        first, field = evaluation.first_documents(qrels), evaluation.id_field(qrels)
        text = no_common_documents(qrels, evaluation.run.name, first, field)
        yield Notice("no-common-documents", text)
    elif has_few_judged(hits) and (text := evaluation.alike_documents(qrels)):
        yield Notice("similar-ids", text)


def has_few_judged(hits: JudgedRows) -> bool:
    """Return whether fewer than half of the first ranks hold judged documents, so that their ids are looked at."""
    judged = np.count_nonzero(hits.is_judged & (hits.rank <= TOP))
    return bool(judged < np.minimum(hits.n_retrieved, TOP).sum() / 2)


def unjudged_share(run: MeasuredRun, queries: Mask) -> float:
    """Return the share of the first ten ranks of some queries, `[Q]`, that holds unjudged documents.

    NaN without a query; 0 where unjudged documents are removed before ranks are counted.
    """
    hits = run.hits
    has_grade = hits.is_judged & (hits.grade >= 0) & (hits.rank <= _TOP)
    graded = np.bincount(hits.query[has_grade], minlength=queries.size)  # [Q]
    if run.condensed or not queries.any():
        return 0.0 if queries.any() else math.nan
    return float((np.minimum(hits.n_retrieved, _TOP) - graded)[queries].mean()) / _TOP


def uneven_judgements(shares: Mapping[str, float]) -> Iterator[Notice]:
    """Warn of runs of which one has many more unjudged documents than another.

    Args:
        shares: the share of the first ten ranks that holds unjudged documents, by run; NaN where it is not known.

    """
    known_shares = {name: share for name, share in shares.items() if not math.isnan(share)}
    if not known_shares:
        return
    most, least = max(known_shares, key=known_shares.__getitem__), min(known_shares, key=known_shares.__getitem__)
    if known_shares[most] - known_shares[least] >= _GAP:
        text = f"{100 * known_shares[most]:.1f} % of the first 10 ranks of {most} hold documents that nobody judged"
        text = f"{text}, and {100 * known_shares[least]:.1f} % of those of {least}: the comparison favours {least}; "
        text += 'whether the difference holds whatever their grades are: --bounds unjudged (bounds="unjudged")'
        yield Notice("one-sided-judgements", text)


def uneven_depths(lengths: Mapping[str, Integers], measures: Mapping[str, object]) -> Iterator[Notice]:
    """Warn of runs of different depth, if the shorter one ends within the ranks of a measure.

    A run is as deep as its longest ranking. Another one goes on if it has more documents, by a tenth, for at least half
    of its queries: that a few queries have fewer hits, or a document less, is no difference of depth.

    Args:
        lengths: by run the number of documents of each query that it answers.
        measures: the measures by label.

    """
    known_lengths = {name: each for name, each in lengths.items() if each.size}
    if not known_lengths:
        return
    longest = {name: int(each.max()) for name, each in known_lengths.items()}
    typical = {name: int(np.median(each)) for name, each in known_lengths.items()}
    shallow, deep = min(known_lengths, key=longest.__getitem__), max(known_lengths, key=typical.__getitem__)
    depth = longest[shallow]
    looks_deeper = [
        label
        for label, measure in measures.items()
        if isinstance(measure, Measure) and measure.name not in COVERAGE and (measure.cutoff or math.inf) > depth
    ]
    if looks_deeper and depth < (1 - MANY) * typical[deep]:
        text = f"{shallow} returns at most {counted(depth, 'document', 'documents')} for a query, and {deep} "
        text += f"{typical[deep]:,} or more for half of its queries: {quoted(looks_deeper)} "
        text += f"{'looks' if len(looks_deeper) == 1 else 'look'} beyond rank {depth:,}, where {shallow} has nothing; "
        yield Notice("uneven-depth", f"{text}to look at the same ranks of all runs: --depth {depth} (depth={depth})")


def separate_runs(answered: Mapping[str, Collection[object]], paths: Mapping[str, str]) -> Iterator[Notice]:
    """Warn of runs without a common judged query, as of parts of a run read separately.

    Args:
        answered: by run the judged queries that it answers.
        paths: by run the file that it was read from, where it is one.

    """
    counts = [len(queries) for queries in answered.values()]
    if len(counts) < 2 or not all(counts) or len(set().union(*answered.values())) < sum(counts):  # noqa: PLR2004
        return
    files = [paths.get(name, "") for name in answered]
    start = _common_start(files)
    end = _common_start([file[len(start) :][::-1] for file in files])[::-1]
    pattern = f"{start}*{end}" if all(files) else "PATTERN"
    text = f"no judged query has results in two of {len(counts):,} runs ({quoted(answered)}), so that each counts "
    text += "queries of another one as unanswered. If they are parts of one run, read them as one, with a pattern in "
    yield Notice("separate-runs", f"{text}quotes: '{pattern}' (in Python Run([path, ...], name))")


def _common_start(texts: Sequence[str]) -> str:
    """Return the characters that all texts begin with."""
    letters = takewhile(lambda letters: len({*letters}) == 1, zip(*texts, strict=False))
    return "".join(first for first, *_ in letters)


def means_apart(measure: Quantity, run: MeasuredRun, queries: Mask) -> tuple[float, float]:
    """Return the mean over all judged queries, and that over some; undefined values count as 0.

    Args:
        measure: was measured.
        run: the measured run.
        queries: `[Q]`, those of the second mean.

    """
    size = run.hits.n_retrieved.size
    if (link := run.together.get(measure)) is not None:
        judged = np.arange(size) < queries.size  # [Q]: those behind them nobody judged
        chosen = np.append(queries, np.zeros(size - queries.size, dtype=bool))
        every, selected = (link.mean(np.zeros(size), counted.astype(np.float64)) for counted in (judged, chosen))
        return every, selected
    values = np.nan_to_num(run.values[measure][: queries.size], posinf=math.inf)[:, None]
    every, selected = (float(summary(rows, [measure.averaging])[0]) for rows in (values, values[queries]))
    return every, selected


def no_rows(run: str, tool: str) -> Notice:
    """Warn of judgements or a run without a row, under the conventions of a tool that gives numbers even so.

    Args:
        run: what to call the run; empty where it is the judgements that have no row.
        tool: the tool.

    """
    subject = f"{run} has" if run else "the judgements have"
    return Notice("empty-input", f"{subject} no rows; the values are those that {tool} gives then")


def blanks(count: int, blank: str) -> Iterator[Notice]:
    """Warn of judgements without a grade.

    Args:
        count: how many there are.
        blank: what they mean: `unjudged` or `zero`.

    """
    if count:
        which = "judgement has no grade and counts" if count == 1 else "judgements have no grade and count"
        text = f"{count:,} {which} as {'unjudged' if blank == 'unjudged' else 'grade 0'}"
        yield Notice(
            "blank-grade", f'{text}; --blank zero (blank="zero") says that they mean 0, and error refuses them'
        )


def sampled(qrels: Qrels, measures: Sequence[ResolvedMeasure], advice: str = "") -> Iterator[Notice]:
    """Warn of grades -1, which TREC's samples give to documents chosen for judging and not judged.

    Args:
        qrels: the judgements.
        measures: those that are measured; none where judgements are looked at alone.
        advice: what else may help.

    """
    count = int(np.count_nonzero(qrels.grades == _NOT_JUDGED))
    taken = [measure for measure in measures if measure.judging.negative == "pooled"]
    unsuited = [measure for measure in taken if measure.quantity.name not in _OF_SAMPLES]
    if not count or (measures and not unsuited):
        return
    has = "has" if count == 1 else "have"
    text = f"{count:,} of {counted(qrels.grades.size, 'judgement', 'judgements')} {has} grade {_NOT_JUDGED}: in TREC's "
    text += "samples, documents of the pool that nobody judged. infAP and Bpref are made for them"
    judged = [measure.label for measure in unsuited if measure.quantity.name in COVERAGE]
    lowered = [measure.label for measure in unsuited if _is_signed(measure)]
    labels = [measure.label for measure in unsuited if measure.label not in (*judged, *lowered)]
    counting = [f"{quoted(labels)} count{'s' if len(labels) == 1 else ''} them as not relevant"] if labels else []
    counting += [f"they lower {quoted(lowered)}"] if lowered else []
    counting += [f"to {quoted(judged)} they are judged"] if judged else []
    text += f"; {', '.join(counting)}" if counting else ""
    yield Notice("sampled-judgements", f'{text}. --negative dropped (negative="dropped") leaves them unjudged{advice}')


def _is_signed(measure: ResolvedMeasure) -> bool:
    """Return whether a negative grade lowers a measure."""
    quantity = measure.quantity
    return quantity.name in _SIGNED or getattr(quantity, "parameters", {}).get("gain") in SIGNED


def _subtopics(qrels: Qrels, measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """Warn of what the judgements say of subtopics and the measures do not use, or the other way round."""
    over = [measure.label for measure in measures if measure.quantity.definition.subtopics]
    if over:  # each=document looks at none
        over = [
            each.label
            for each in measures
            if each.label in over and dict(each.quantity.settings).get("each") != "document"
        ]
    without_subtopics = [measure.label for measure in measures if measure.label not in over]
    if over and (hits.subtopics is None or hits.subtopics.counts.max() < 2):  # noqa: PLR2004 - more than one
        text = "no query has judgements for more than one subtopic, so there is nothing to diversify for"
        where = "subtopics stand in the second column of a qrels file or in a column subtopic or group of a frame"
        yield Notice("one-subtopic", f"{text} {quoted(over)}; {where}")
    elif over and (rows := qrels.by_subtopic()) is not None and {*rows["subtopic"].unique()} >= _NO_SUBTOPIC:
        text = "0 and Q0 in the second column of the judgements count as two subtopics for"
        remedy = "in files without subtopics both are fillers: write 0 on all lines if there are none"
        yield Notice("one-subtopic", f"{text} {quoted(over)}; {remedy}")
    if qrels.merged and without_subtopics:
        text = "some documents are judged for several subtopics of a query; the best grade of each document counts for"
        yield Notice("best-of-subtopics", f"{text} {quoted(without_subtopics)}; alpha_nDCG@10 counts every subtopic")


def _unanswered(
    name: str, measures: Sequence[ResolvedMeasure], base: ResolvedMeasure, run: MeasuredRun, counts: Counts
) -> Iterator[Notice]:
    """Warn where many judged queries without results move the mean; whether they should is for the user to say."""
    settings, is_plain = base.averaging, (base.data.weights, base.data.macro) == (None, None)
    if counts.unanswered > MANY * counts.judged and settings.missing in ("zero", "skip"):
        measure = next((measure for measure in measures if isinstance(measure.quantity, Measure)), None)
        if measure is not None and is_plain and replace(settings, missing="zero") == STANDARD_AVERAGING:
            yield unanswered(name, measure.quantity, run, counts, measure.label)


def unanswered(name: str, measure: Quantity, run: MeasuredRun, counts: Counts, label: str = "") -> Notice:
    """Describe judged queries without results, with a mean with and without them.

    Args:
        name: what to call the run.
        measure: was measured.
        run: the measured run.
        counts: how many queries there are.
        label: the measure as it was named; its own name where empty.

    """
    means = means_apart(measure, run, run.settled.n_retrieved > 0)
    queries = "name the queries that the run was made for with --only FILE (queries=[...])"
    remedy = f'Leave them out with --answered-only (missing="skip"), or {queries}'
    if counts.scored < counts.judged:
        remedy = f"They are left out; {queries}"
    text = f"{name} has no results for {counts.unanswered:,} of {counts.judged:,} judged queries; "
    text += (
        f"{label or measure} is {means[0]:.4f} if they count as empty rankings, {means[1]:.4f} without them. {remedy}"
    )
    return Notice("many-unanswered", text)


def _thresholds(measures: Sequence[ResolvedMeasure], hits: JudgedRows) -> Iterator[Notice]:
    """Warn of thresholds of relevance that no grade reaches, or every grade."""
    low, high = hits.pool.lowest, hits.pool.highest
    rels = [(measure, measure.quantity.parameters.get("rel", math.inf)) for measure in measures]
    rels = [(measure, rel) for measure, rel in rels if not rel or LEAST_REL <= abs(rel) < MOST_REL]
    if unreached := [(measure, rel) for measure, rel in rels if rel > high]:
        labels, (measure, rel) = quoted([measure.label for measure, _ in unreached]), unreached[0]
        text = f"no document is relevant to {labels}: the best grade is {high:g}, and grades count from {rel:g} on; "
        remedy = f"set rel, as in {measure.quantity.name}(rel={high:g}), unless judgements and run are exchanged"
        yield Notice("nothing-relevant", text + (remedy if high > 0 else "are these the judgements of this run?"))
    lenient = [measure for measure, rel in rels if rel <= low]
    if lenient and 0 < low < high:
        labels = quoted([measure.label for measure in lenient])
        text = f"the grades run from {low:g} to {high:g} and none is 0 or below, so every judged document is relevant"
        text += (
            f" to {labels}; if {low:g} means bad, set rel, as in {lenient[0].quantity.name}(rel={(low + high) / 2:g})"
        )
        yield Notice("all-relevant", text)


def _collapsed(name: str, ids: IdRule, measures: Sequence[ResolvedMeasure], whole: MeasuredRun) -> Notice:
    """Say how many documents the chunks of a run are, and how many queries have as many as measures look at."""
    lengths = whole.judgement.hits.n_retrieved
    documents = int(lengths.sum())
    text = f"{documents + whole.judgement.repeated:,} rows of {name} are {counted(documents, 'document', 'documents')} "
    text += f"by {ids.typed}"
    cutoffs = [(each.quantity.cutoff or 0, each.label) for each in measures if isinstance(each.quantity, Measure)]
    depth, label = max(cutoffs, default=(0, ""))
    if not depth:
        return Notice("collapsed-run", text)
    answered, deep = int((lengths > 0).sum()), int((lengths >= depth).sum())
    text += (
        f"; {label} looks at {depth:,}, and {deep:,} of {counted(answered)} {'has' if deep == 1 else 'have'} as many"
    )
    if deep == answered:
        return Notice("collapsed-run", text)
    return Notice("shallow-collapse", f"{text}: ranks below count as not relevant; retrieve more rows for each query")


def _cutoffs(name: str, measures: Sequence[ResolvedMeasure], whole: MeasuredRun) -> Iterator[Notice]:
    """Warn of cutoffs beyond all rankings of the run, and of candidates that look like a sample."""
    depth = int(whole.settled.n_retrieved.max())
    sample = None
    if depth in candidates.USUAL:
        sample = candidates.sampled(whole.judgement.hits.compact())
    if sample is not None:
        yield Notice("sampled-candidates", candidates.described(name, *sample))
    labels = [
        each.label for each in measures if isinstance(each.quantity, Measure) and (each.quantity.cutoff or 0) > depth
    ]
    if labels and (whole.judging.depth is None or depth < whole.judging.depth):
        most = f"{name} returns at most {counted(depth, 'document', 'documents')} for a query"
        yield Notice("shallow-run", f"{most}; for {quoted(labels)}, ranks from {depth + 1:,} on count as not relevant")

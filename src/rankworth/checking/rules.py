"""What is wrong or risky in judgements and a measured run, rule by rule, beside what every evaluation warns of."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rankworth.checking.findings import CheckedInput, Finding
from rankworth.checking.reading import RowFacts, path_of
from rankworth.errors import Severity, counted, quoted
from rankworth.io import query_texts
from rankworth.judging.judged_run import JudgedRows
from rankworth.judging.overlap import alike_documents
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.results.values import Values, details
from rankworth.scoring import candidates
from rankworth.scoring.columns import Mask
from rankworth.scoring.diagnostics import (
    MANY,
    TOP,
    blanks,
    means_apart,
    sampled,
    separate_runs,
    unanswered,
    uneven_depths,
    uneven_judgements,
)
from rankworth.scoring.measured_run import MeasuredRun
from rankworth.whatif.bounds import MeanBounds

if TYPE_CHECKING:
    from rankworth.arrays import Integers

SMALLER: Final = "--columns score=-score, in Python columns={'score': '-score'}"
"""what reads scores of which the smaller one is better"""
_REPLACED: Final = {"many-ties", "many-unanswered", "blank-grade"}
"""notices of evaluations that rules of this module complete"""
_OF_JUDGEMENTS: Final = (
    *("nothing-relevant", "all-relevant", "best-of-subtopics", "one-subtopic", "known-defect", "unspecified-order"),
    "sampled-judgements",
)
"""notices that are not about one run"""
_ONE_SIDED: Final = 0.2
"""how many more of the first ranks hold unjudged documents in one run than in another, for a warning"""
_MOVED: Final = 0.05
"""the share of a mean that the order of ties has to move for a warning"""
_FEW: Final = 5
"""fewer queries, or documents of a query, are too few to see how they were chosen"""
_MEANS: Final = 3
"""of how many runs a finding about judgements says the means"""
_CHANCE: Final = 10
"""how many documents may be judged for a neighbouring query by chance, beside twice as many as for their own"""
_POOL: Final = 2
"""so many judged documents of each query say who chose them where all of many queries have as many"""
_NAMED: Final = 3
"""how many queries, or measures, a finding names with what they have"""


@dataclass(frozen=True)
class CheckedRun:
    """A run that was read and measured.

    Attributes:
        name: what messages call it.
        run: the run.
        rows: what its rows say besides scores.
        measured: the run under the settings of the profile.
        values: the values.

    """

    name: str
    run: Run
    rows: RowFacts
    measured: MeasuredRun
    values: Values

    @cached_property
    def hits(self) -> JudgedRows:
        """The judged documents that were retrieved, before settings act on grades."""
        return self.measured.judgement.hits.compact()

    @cached_property
    def answered(self) -> Mask:
        """`[Q]`: the judged queries for which the run has documents."""
        return self.hits.n_retrieved > 0

    @cached_property
    def lead(self) -> Measure | None:
        """The measure whose mean findings name: the first one with a mean."""
        numbers = [each for each in self.values.measures if isinstance(each, Measure) and each.averaging == "mean"]
        return next((each for each in numbers if each in self.measured.values), None)

    @property
    def source(self) -> CheckedInput:
        """The run in the table of inputs."""
        documents = int(self.hits.n_retrieved.sum())
        counts = self.values.counts
        queries = counts.judged - counts.unanswered + counts.ignored
        return CheckedInput(self.name, path_of(self.run.files), queries, documents, self.values.mean())

    def apart(self, queries: Mask) -> str:
        """Say the mean over all queries and the mean over a part of them; nothing without a mean."""
        if self.lead is None or queries.size > self.answered.size or not queries.any():
            return ""
        every, answered = means_apart(self.lead, self.measured, queries)
        return f"{self.lead} is {every:.4f} if they count as 0, {answered:.4f} without them"

    def per_query(self, rows: Mask) -> "Integers":
        """Return `[Q]`, how many of the rows each query has."""
        return np.bincount(self.hits.query[rows], minlength=self.hits.n_retrieved.size)

    def ids(self, queries: Mask) -> list[str]:
        """Return the ids of some of the judged queries."""
        return [self.measured.standing.queries[index] for index in np.flatnonzero(queries).tolist()]

    def finding(self, slug: str, text: str, severity: Severity | None = None, queries: Iterable[str] = ()) -> Finding:
        """Make a finding on this run; its text begins with the name of the run."""
        file = path_of(self.run.files)
        text = text if text.startswith(self.name) else f"{self.name}: {text}"
        return Finding.of(slug, text, severity, file=file, run=self.run.name, queries=queries)


def of_judgements(qrels: Qrels, checked: Sequence[CheckedRun], file: str) -> Iterator[Finding]:
    """Yield the findings about judgements and their effect on the means of runs."""
    for slug, text in blanks(qrels.blanks, qrels.blank):
        yield Finding.of(slug, text, file=file)
    for slug, text in () if checked else sampled(qrels, ()):
        yield Finding.of(slug, text, file=file)
    fractions = qrels.grades % 1 != 0
    if fractions.any():
        lost = int(np.count_nonzero((qrels.grades > 0) & (np.trunc(qrels.grades) <= 0)))
        text = f"{counted(int(fractions.sum()), 'judgement has', 'judgements have')} a fractional grade, such as "
        text += f"{qrels.grades[fractions][0]:g}; trec_eval drops the fraction, so that "
        text += f"{counted(lost, 'document is', 'documents are')} relevant here and not there"
        yield Finding.of("fractional-grades", text, file=file, queries=_owners(qrels, fractions))
    relevant = np.bincount(qrels.pool.query[qrels.pool.grades > 0], minlength=len(qrels)) > 0
    if without := int(np.count_nonzero(~relevant)):
        queries = [query for query, has in zip(qrels.queries, relevant.tolist(), strict=True) if not has]
        text = f"{without:,} of {counted(len(qrels))} {'has' if without == 1 else 'have'} no relevant document: "
        text += quoted(queries)
        means = [f"; of {run.name}, {each}" for run in checked if (each := run.apart(relevant))]
        text += "".join(means[:_MEANS])
        severity: Severity | None = None if without > MANY * len(qrels) else "note"
        yield Finding.of("no-relevant-documents", text, severity, file=file, queries=queries)


def _owners(qrels: Qrels, judgements: NDArray[np.bool_]) -> list[str]:
    """Return the queries of some judgements."""
    places = np.unique(np.repeat(np.arange(len(qrels)), qrels.lengths)[judgements])
    return [qrels.queries[index] for index in places.tolist()]


def of_run(checked: CheckedRun, qrels: Qrels) -> Iterator[Finding]:
    """Yield what a measured run tells."""
    slugs = {notice.slug for notice in checked.values.notices} - _REPLACED
    for slug, text in (notice for notice in checked.values.notices if notice.slug in slugs):
        yield (Finding.of if slug in _OF_JUDGEMENTS else checked.finding)(slug, text)
    do_meet = not {"similar-ids", "no-common-documents"} & slugs
    if do_meet and (similar := alike_documents(qrels, checked.run.name, checked.rows.first)):
        yield checked.finding("similar-ids", similar)
    yield from _queries(checked)
    yield from _ties(checked)
    if "no-common-documents" not in slugs:
        yield from _shifted(checked, qrels)
        yield from _nothing_retrieved(checked)
    yield from _constant_scores(checked)
    yield from _ranks(checked)
    is_sampled = [*_sampled(checked)]
    yield from is_sampled or _candidates(checked)
    yield from _single_pool(checked)


def _queries(checked: CheckedRun) -> Iterator[Finding]:
    """Report queries that only one of judgements and run has, and the mean with and without them."""
    counts = checked.values.counts
    if counts.unanswered and checked.lead is not None:
        slug, text = unanswered(checked.name, checked.lead, checked.measured, counts)
        severity: Severity | None = None if counts.unanswered > MANY * counts.judged else "note"
        yield checked.finding(slug, text, severity, counts.unanswered_queries)
    if counts.ignored:
        text = f"{checked.name} has {counted(counts.ignored)} that nobody judged and that no value counts: "
        text += quoted(counts.ignored_queries)
        yield checked.finding("ignored-queries", text, queries=counts.ignored_queries)


def _ties(checked: CheckedRun) -> Iterator[Finding]:
    """Report means that depend on the order of documents with equal scores, with the range of each."""
    ties = details(checked.values).diagnosis().ties
    effects = [each for each in ties if f"{each.low:.4f}" != f"{each.high:.4f}"]
    if not effects:
        return
    moved = max((each.high - each.low) / abs(each.mean) if each.mean else math.inf for each in effects)
    warned = next((text for slug, text in checked.values.notices if slug == "many-ties"), None)
    if warned is not None and moved > _MOVED:
        ranges = "; ".join(f"{each.measure} is between {each.low:.4f} and {each.high:.4f}" for each in effects)
        yield checked.finding("many-ties", f"{warned}; over all orders, {ranges}")
        return
    ranges = "; ".join(f"{tie.measure} is {tie.mean:.4f}, between {tie.low:.4f} and {tie.high:.4f}" for tie in effects)
    queries = counted(max(each.queries for each in effects))
    text = f"{checked.name} has tied documents that decide on the values of {queries}: {ranges}"
    yield checked.finding("many-ties", text, "note")


def _shifted(checked: CheckedRun, qrels: Qrels) -> Iterator[Finding]:
    """Report queries with the documents of the next or the previous query, as after numbering from 0."""
    first = checked.rows.first
    judged = {query: {*qrels.documents_of(index)} for index, query in enumerate(qrels.queries) if query in first}
    queries = [query for query in first if query in judged]

    def common(step: int) -> int:
        moved = [*queries[step:], *queries[:step]]
        return sum(len(judged[other].intersection(first[query])) for query, other in zip(queries, moved, strict=True))

    base, (shifted, which) = common(0), max((common(1), "after"), (common(-1), "before"))
    if shifted > 2 * base + _CHANCE:
        text = f"{checked.name}: of the first {_FEW} documents of {counted(len(queries))}, {base:,} are judged for "
        text += f"their query and {shifted:,} for the query {which} it in the run"
        remedy = "were queries numbered otherwise when the run was made? Write the ids of the judgements"
        yield checked.finding("no-common-documents", text)._replace(remedy=remedy)


def _nothing_retrieved(checked: CheckedRun) -> Iterator[Finding]:
    """Report a run that has no relevant document for any query."""
    hits, relevant = checked.hits, int(np.count_nonzero(checked.hits.pool.grades > 0))
    if relevant and checked.answered.any() and not (hits.grade[hits.is_judged] > 0).any():
        text = f"{checked.name} retrieves no relevant document for any query, of {relevant:,} that there are; it "
        text += "scores 0 everywhere"
        remedy = "was it made for these queries and documents, and did the search work?"
        yield checked.finding("no-relevant-retrieved", text)._replace(remedy=remedy)


def of_unjudged(checked: CheckedRun, bounds: MeanBounds | None) -> Iterator[Finding]:
    """Report documents in the first ranks that nobody judged, and how far they could move the mean.

    Args:
        checked: the run.
        bounds: of its first mean, where they are wanted.

    """
    top = (checked.lead.cutoff if checked.lead else None) or TOP
    retrieved = np.minimum(checked.hits.n_retrieved, top)
    unjudged = retrieved - checked.per_query(checked.hits.rank <= top)
    if not unjudged.any():
        return
    count, share = int(unjudged.sum()), unjudged.sum() / retrieved.sum()
    text = f"{checked.name} has {counted(count, 'document', 'documents')} in its first {top:,} ranks that nobody "
    text += f"judged ({100 * share:.1f} %); {'it counts' if count == 1 else 'they count'} as not relevant"
    for measure, bound in (bounds or {}).items():
        if math.isnan(bound.low):
            text += "".join(f"; {note}" for note in (bounds.notes if bounds else ()))
            continue
        text += f"; {measure} is {checked.values[measure]:.4f}, and between {bound.low:.4f} and {bound.high:.4f} "
        text += f"whatever they are worth ({bounds.assumption.partition(': ')[2]})" if bounds else ""
    yield checked.finding("unjudged-documents", text, queries=checked.ids(unjudged > 0))


def _constant_scores(checked: CheckedRun) -> Iterator[Finding]:
    """Report queries all of whose documents have one score."""
    hits = checked.hits
    whole = (hits.tie_first == 1) & (hits.tie_last == hits.n_retrieved[hits.query])
    has_several = checked.per_query(np.ones(hits.rank.size, dtype=bool)) > 0
    has_several &= hits.n_retrieved >= _FEW
    constant = has_several & (checked.per_query(whole) > 0)
    count, size = int(np.count_nonzero(constant)), int(np.count_nonzero(has_several))
    if count and count >= MANY * size:
        text = f"{checked.name} gives all documents of a query one score, for {count:,} of {counted(size)}: the order "
        text += "of its documents is that of the tie-breaking rule"
        remedy = 'write the scores; if lines are in order, --order given (order="given"); '
        remedy += 'if there is a column of ranks, --order rank (order="rank")'
        yield checked.finding("constant-scores", text, queries=checked.ids(constant))._replace(remedy=remedy)


def _ranks(checked: CheckedRun) -> Iterator[Finding]:
    """Report constant ranks, ranks that contradict the scores, and queries that retrieve themselves."""
    rows = checked.rows
    if rows.ranks is not None and rows.ranks[0] == rows.ranks[1] and rows.longest > 1:
        text = f"{checked.name} has the rank {rows.ranks[0]:g} in every line; scores decide here, and tools that go by "
        yield checked.finding("constant-ranks", f"{text}ranks see one large tie; rankworth convert ranks by score")
    if rows.contradicting:
        text = f"{checked.name} has ranks that contradict the scores in {counted(len(rows.contradicting))}: "
        text += f"{quoted(rows.contradicting)}; the document with the higher score counts as the better one, whatever "
        remedy = f'if a smaller score is better: {SMALLER}; or order by rank: --order rank (order="rank")'
        finding = checked.finding("contradicting-ranks", f"{text}its rank", queries=rows.contradicting)
        yield finding._replace(remedy=remedy)


def _sampled(checked: CheckedRun) -> Iterator[Finding]:
    """Report a sampled evaluation: one relevant document, always retrieved, among a fixed number of candidates."""
    if (sample := candidates.sampled(checked.hits)) is not None:
        yield checked.finding("sampled-candidates", candidates.described(checked.name, *sample))


def _candidates(checked: CheckedRun) -> Iterator[Finding]:
    """Report cutoffs not below the length of lists that hold everything relevant: they measure the order alone."""
    hits = checked.hits
    relevant = np.bincount(hits.pool.query[hits.pool.grades > 0], minlength=hits.n_retrieved.size)
    retrieved = checked.per_query(hits.is_judged & (hits.grade > 0))
    asked = checked.answered & (relevant > 0)
    lengths = hits.n_retrieved[asked]
    if lengths.size < _FEW or (retrieved < relevant)[asked].any() or (lengths <= relevant[asked]).all():
        return
    longest = int(lengths.max())
    measures = [
        each
        for each in checked.values.measures
        if isinstance(each, Measure)
        and each.cutoff is not None
        and each.cutoff >= longest
        and each in checked.measured.values
    ]
    if not measures:
        return
    whole = [str(each) for each in measures if each.name == "R"]
    names = f"{' '.join(map(str, measures[:_NAMED]))}{' ...' if len(measures) > _NAMED else ''}"
    size = f"{'at most ' if lengths.min() < longest else ''}{counted(longest, 'document', 'documents')}"
    text = f"{checked.name} has {size} for a query, all relevant ones among them, for {counted(lengths.size)}: {names} "
    text += f"{'tells' if len(measures) == 1 else 'tell'} how candidates were ordered, and not whether they were found"
    text += f"; {whole[0]} is 1 by construction" if whole else ""
    remedy = "where candidates were chosen by what is relevant, rank all documents, or lower the cutoff"
    yield checked.finding("few-candidates", text)._replace(remedy=remedy)


def _single_pool(checked: CheckedRun) -> Iterator[Finding]:
    """Report judgements of exactly the first documents of one run, which no other run can be compared with."""
    hits, judged = checked.hits, checked.hits.pool.lengths
    counts = checked.answered & (judged >= _FEW)
    answered = judged[checked.answered]
    is_small = answered.size >= candidates.FEWEST and _POOL <= answered.min() == answered.max() < _FEW
    counts = checked.answered if is_small and (hits.n_retrieved > judged)[checked.answered].all() else counts
    within = checked.per_query(hits.rank <= judged[hits.query])
    of_run = counts & (within == judged)
    count, size = int(np.count_nonzero(of_run)), int(np.count_nonzero(counts))
    least = size if is_small else (1 - MANY) * size
    if count and count >= least and 2 * count >= np.count_nonzero(checked.answered):
        text = f"the judged documents are exactly the first ones of {checked.name}, for {count:,} of {counted(size)}: "
        text += "judgements of this run alone favour it over all others, of which they know less"
        yield checked.finding("one-run-pool", text)._replace(text=text)


def of_runs(checked: Sequence[CheckedRun], qrels: Qrels) -> Iterator[Finding]:
    """Yield what runs tell beside each other: who is judged less, and which relevant documents none of them has."""
    shares = {}
    for each in checked:
        retrieved = np.minimum(each.hits.n_retrieved, TOP)
        judged = each.per_query(each.hits.rank <= TOP)
        shares[each.name] = 1 - judged.sum() / retrieved.sum() if retrieved.any() else math.nan
    numbers = [share for share in shares.values() if not math.isnan(share)]
    for slug, text in uneven_judgements(shares):
        yield Finding.of(slug, text, None if max(numbers) - min(numbers) >= _ONE_SIDED else "note")
    answered = {each.name: np.flatnonzero(each.answered).tolist() for each in checked}
    for slug, text in separate_runs(answered, {each.name: each.source.file for each in checked}):
        yield Finding.of(slug, text)
    lengths = {each.name: each.measured.settled.n_retrieved for each in checked}
    labels = {label: each for run in checked[:1] for label, each in zip(run.values, run.values.measures, strict=True)}
    for slug, text in uneven_depths({name: each[each > 0] for name, each in lengths.items()}, labels):
        yield Finding.of(slug, text)
    is_retrieved = np.zeros(qrels.grades.size, dtype=bool)
    for each in checked:
        if each.hits.judgement is None or each.hits.pool.grades.size != is_retrieved.size:
            return
        is_retrieved[each.hits.judgement] = True
    relevant = qrels.grades > 0
    if checked and (absent := int(np.count_nonzero(relevant & ~is_retrieved))):
        text = f"{absent:,} of {int(relevant.sum()):,} relevant documents {'is' if absent == 1 else 'are'} in no run"
        queries = _owners(qrels, relevant & ~is_retrieved)
        yield Finding.of("unretrieved-documents", f"{text}: {quoted(queries)}", queries=queries)


def of_texts(qrels: Qrels, texts: Mapping[str, str], file: str) -> Iterator[Finding]:
    """Report relevant documents of a query that have the same text, whatever its blanks and its case.

    Args:
        qrels: the judgements.
        texts: of documents.
        file: the path of the judgements.

    """
    same: dict[str, list[list[str]]] = {}
    for number, query in enumerate(qrels.queries):
        by_text: dict[str, list[str]] = {}
        grades = qrels.grades[qrels.offsets[number] : qrels.offsets[number + 1]]
        for document in (each for each, grade in zip(qrels.documents_of(number), grades, strict=True) if grade > 0):
            if text := " ".join(texts.get(document, "").casefold().split()):
                by_text.setdefault(text, []).append(document)
        if groups := [documents for documents in by_text.values() if len(documents) > 1]:
            same[query] = groups
    if same:
        shown = "; ".join(f"{quoted([query])} {quoted(groups[0])}" for query, groups in [*same.items()][:_NAMED])
        text = f"relevant documents of {counted(len(same))} have the same text: {shown}"
        text += f"{'; ...' if len(same) > _NAMED else ''}; who finds one of them lacks the others, in every recall"
        remedy = "keep one of each, or make a group of them: any of a group answers then (Complete, GroupR)"
        yield Finding.of("same-texts", text, file=file, queries=same)._replace(remedy=remedy)


def of_corpus(qrels: Qrels, docs: object, file: str) -> Iterator[Finding]:
    """Report judged documents that the collection of documents does not have.

    Args:
        qrels: the judgements.
        docs: whatever `rankworth.io.query_texts.documents` reads.
        file: the path of the judgements.

    Raises:
        InputError: where the documents cannot be read.

    """
    judged = qrels.document_series.unique(maintain_order=True).to_list()
    texts = query_texts.documents(docs, judged)
    yield from of_texts(qrels, texts, file)
    missing = [document for document in judged if document not in texts]
    if missing:
        lost = qrels.document_series.is_in(missing).to_numpy()
        text = f"{len(missing):,} of {len(judged):,} judged documents are not among the documents: {quoted(missing)}; "
        text += f"no system can find them, and {int((lost & (qrels.grades > 0)).sum()):,} of them are relevant"
        yield Finding.of("missing-documents", text, file=file, queries=_owners(qrels, lost))

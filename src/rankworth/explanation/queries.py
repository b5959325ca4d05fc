"""Public API: explain, explain_queries."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, Unpack

from rankworth.errors import InputError, MeasureError, RankworthError, UsageError, counted, quoted, shortened
from rankworth.evaluation import runner
from rankworth.evaluation.counterfactuals import MeasureContext, refuse
from rankworth.evaluation.evaluator import Plan
from rankworth.evaluation.output import DEFECT
from rankworth.explanation.difference import Difference
from rankworth.explanation.explanation import Explanation
from rankworth.explanation.trace import traces
from rankworth.io import validate
from rankworth.io.source import STDIN
from rankworth.judging import inputs
from rankworth.judging.inputs import GRADES, of_grades
from rankworth.judging.subtopics import Row
from rankworth.measures import Fact, Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, Profile, ReadSettings
from rankworth.settings import Grades, Missing
from rankworth.settings_keywords import OptionKeywords
from rankworth.tables.columns import Column, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.notebook import Shown

if TYPE_CHECKING:
    from rankworth.io.source import Progress

SEVERAL: Final = "rankworth.explanations/1"
_OF_TEXTS: Final = ("query", "document", "title", "text")
"""columns of texts of queries and documents"""


T = TypeVar("T", bound=Explanation | Difference)


class Explanations(Shown, tuple[T, ...]):  # noqa: SLOT001 - it has notes
    """Explanations of several queries or by several measures, in the order asked for.

    Attributes:
        notes: why some queries were not chosen.

    """

    notes: tuple[str, ...]

    def __new__(cls, explained: Iterable[T], notes: Sequence[str] = ()) -> Self:
        """Explanations, and notes on the choice of queries."""
        self = super().__new__(cls, explained)
        self.notes = tuple(notes)
        return self

    def of(self, query: object, measure: str | None = None) -> T:
        """One by query and measure; by the first measure where none is said.

        Raises:
            UsageError: `not-measured`.

        """
        for one in self:
            if str(one.query) == str(query) and measure in (None, one.measure):
                return one
        queries, measures = (dict.fromkeys(str(getattr(one, name)) for one in self) for name in ("query", "measure"))
        raise UsageError(
            "not-measured",
            f"{query} by {measure or 'any measure'} is not explained here",
            remedy=f"explained are {quoted(queries)} by {quoted(measures)}",
        )

    def to_dict(self) -> dict[str, Any]:
        """All of them as JSON holds them."""
        return {"schema": SEVERAL, "explanations": [one.to_dict() for one in self]}

    def columns(self) -> dict[str, list[Any]]:
        """The rows of all of them."""
        parts = [one.columns() for one in self]
        return {name: [item for part in parts for item in part[name]] for name in (parts[0] if parts else {})}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """The rows of all of them in one frame."""
        return to_library(self.columns(), library)

    def flat(self) -> Sheet:
        """The rows of all of them as one sheet, for programs."""
        return Sheet(tuple(Column(name, "text", values) for name, values in self.columns().items()))

    def sheets(self) -> list[Sheet]:
        """The sheets of all of them."""
        sheets = [sheet for one in self for sheet in one.sheets()]
        if sheets and self.notes:
            sheets[-1] = replace(sheets[-1], notes=(*sheets[-1].notes, *self.notes))
        return sheets

    def __repr__(self) -> str:
        """All of them as plain text."""
        return "\n\n".join([*map(repr, self), *self.notes])


def explain(  # noqa: C901 - each way to name a ranking is refused beside the others
    qrels: object = None,
    run: object = None,
    measure: str | Measure = "nDCG@10",
    *,
    query: object = None,
    against: object = None,
    grades: Iterable[Row] | Grades | None = None,
    missing: Iterable[Row] | Missing | None = None,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    **settings: Any,  # noqa: ANN401 - the settings of `evaluate`, two of which have names that mean lists here
) -> Any:  # noqa: ANN401 - an `Explanation`, or a `Difference` where there are two runs
    """How a value comes about: what every rank adds, what it is divided by, what is missing and what that costs.

    The steps are those that `evaluate` computes with: the last running total, and the rest if there is one, over the
    norm is its value bit for bit.

    Args:
        qrels: judgements, as for `evaluate`.
        run: a run, as for `evaluate`.
        measure: one measure, by name or as an object; `explain_queries` takes several.
        query: the id of the query.
        against: a second run; the difference is then attributed to documents.
        grades: instead of judgements and a run the grades of one ranking in rank order, None for a document that nobody
            judged, as for `score`; the documents are called 1, 2, 3 by their ranks. A word is the setting of that name.
        missing: grades of judged documents that are not in that ranking. A word is the setting of that name.
        labels: instead the grades of the documents in any order, `[2, 0, 1]`; documents are called by their places,
            from 0.
        scores: with labels the scores of these documents, `[0.2, 0.9, 0.5]`.
        orders: or their places, best first, `[1, 2, 0]`.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        texts: texts of queries by their ids, or a file of them, as `rankworth.io.metadata.queries` reads it.
        docs: texts of documents by their ids, or a file of them, as `rankworth.io.metadata.documents` reads it.
        **settings: as for `evaluate`.

    Returns:
        An `Explanation`, which shows itself as a table; `to_dict()` and `to_frame()` have it in full precision. With a
        second run a `Difference`.

    Raises:
        InputError: `unknown-query` for a query that neither has, `unjudged-queries`, `unanswered-query`, `bad-grade`,
            and as `evaluate`.
        MeasureError: as `evaluate`; `measure-syntax` for what is counted and has no terms.
        UsageError: `conflicting-options`.

    >>> explained = explain(grades=[2, 1, 0, 1, 2], measure="nDCG(gain=exp2)@3")
    >>> explained.arithmetic
    '3.6309 / 5.3928 = 0.6733'
    >>> [round(term.contribution, 4) for term in explained.terms]
    [3.0, 0.6309, 0.0]
    >>> explained = explain(labels=[2, 0, 1], scores=[0.2, 0.9, 0.5], measure="RR")
    >>> [(term.rank, term.document, term.grade) for term in explained.terms]
    [(1, '1', 0.0), (2, '2', 1.0), (3, '0', 2.0)]
    """
    if isinstance(grades, str) and qrels is None and run is None:
        text = f"grades={shortened(repr(grades))} is a text"
        raise InputError("bad-grade", text, remedy="grades are a list, best rank first: grades=[2, 0, None, 1]")
    if isinstance(grades, str):
        settings["grades"], grades = grades, None
    if isinstance(missing, str):
        settings["missing"], missing = missing, None
    if isinstance(measure, list | tuple | set):
        message = f"explain takes one measure, and there is a {type(measure).__name__} of {len(measure)}"
        raise MeasureError("measure-syntax", message, remedy="explain_queries takes several")
    if labels is not None or scores is not None or orders is not None:
        if any(one is not None for one in (query, against, grades)):
            text = "labels are those of one ranking, and there is a query, another run or grades beside them"
            raise UsageError("conflicting-options", text, remedy="give one of the two")
        qrels, run, query = _of_labels(*inputs.pair(qrels, run, labels, scores, orders))
    elif grades is not None:
        if qrels is not None or run is not None or query is not None or against is not None:
            text = "grades stand instead of judgements, runs and a query, and there is one of them, too"
            raise UsageError("conflicting-options", text, remedy="give one of the two")
        qrels, run = of_grades(grades, missing or ())
        query = GRADES
    elif absent := [name for name, one in (("qrels", qrels), ("run", run), ("query", query)) if one is None]:
        text = f"there is no {' and no '.join(absent)}"
        remedy = 'explain(qrels, run, measure, query="q1"), or explain(grades=[2, 0, 1]); several: explain_queries'
        raise UsageError("conflicting-options", text, remedy=remedy)
    explained = explain_queries(
        qrels,
        run,
        [measure],
        queries=[query],
        against=against,
        rel=rel,
        profile=profile,
        texts=texts,
        docs=docs,
        **settings,
    )
    if len(explained) > 1:
        names = ", ".join(one.measure for one in explained[:3])
        more = ", ..." if explained[3:] else ""
        text = f"{measure!r} stands for {len(explained)} measures: {names}{more}; name one of them"
        raise MeasureError("measure-syntax", text, remedy="explain_queries takes several")
    only = explained[0]
    return replace(only, scored=True) if scores is not None and isinstance(only, Explanation) else only


def _of_labels(qrels: object, run: object) -> tuple[Qrels, object, str]:
    """Judgements and run of the one ranking that labels tell, and its query.

    Raises:
        UsageError: `conflicting-options`.

    """
    judged = Qrels(qrels)
    query, *others = judged.queries
    if others:
        text = f"labels hold {1 + len(others)} rankings, and one is explained"
        raise UsageError("conflicting-options", text, remedy="explain(labels=[2, 0, 1], scores=[0.2, 0.9, 0.5])")
    return judged, run, query


def explain_queries(
    qrels: object,
    run: object,
    measures: runner.Measures = ("nDCG@10",),
    *,
    queries: Iterable[object] | None = None,
    worst: int | None = None,
    best: int | None = None,
    against: object = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> Explanations[Explanation | Difference]:
    """How the values of several queries come about, by one or several measures.

    Args:
        qrels: as for `evaluate`.
        run: as for `evaluate`.
        measures: as for `evaluate`.
        queries: the ids of the queries; all of them where not said.
        worst: that many queries with the least value by the first measure; with a second run, with the greatest loss;
            none without a relevant document.
        best: that many with the greatest value, or gain.
        against: a second run.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        texts: texts of queries, as for `explain`.
        docs: texts of documents, as for `explain`.
        progress: as for `evaluate_runs`.
        **settings: as for `evaluate`; where `columns` names `text` or `title`, it is about the columns of texts:
            `{"text": "words", "document": "sku"}`.

    Returns:
        Explanations, or differences where there are two runs, query by query.

    Raises:
        InputError, MeasureError, UsageError: as `explain`; of several queries, those without results are explained,
            too: as empty rankings.

    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    >>> [(one.query, one.value) for one in explain_queries(qrels, run, ["RR"], worst=1)]
    [('q2', 0.5)]
    """
    if sum(one is not None for one in (queries, worst, best)) > 1:
        raise UsageError("conflicting-options", "queries, worst and best each choose queries; give one of them")
    for name, count in (("worst", worst), ("best", best)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise UsageError("unknown-setting", f"{name}={count!r}: how many queries is a whole number from 1")
    columns = settings.get("columns") or {}
    of_texts = {what: name for what, name in columns.items() if {"text", "title"} & {*columns} and what in _OF_TEXTS}
    settings["columns"] = {what: name for what, name in columns.items() if what not in of_texts}
    said = inputs.Said(settings)
    plan = _plan(profile, measures, rel, settings)
    [qrels], sources = said.read([qrels], [one for one in (run, against) if one is not None])
    runs = list(map(inputs.run, sources))
    if queries is None:
        runs = list(map(_readable_again, runs))
        judgements = inputs.Judgements(qrels, None, [one.judging for one in plan.asked])
        chosen, notes = _chosen(judgements, runs, plan, worst, best, progress)
        inspected = [runner.inspect(judgements, one, plan, chosen, progress=progress) for one in runs]
    else:
        chosen, notes = list(dict.fromkeys(validate.ids(queries))), []
        inspected = runner.inspect_runs(qrels, runs, plan, chosen, progress=progress)
    query_texts: Mapping[str, str] = {}
    if texts is not None:
        from rankworth.io.metadata import queries as read_queries  # noqa: PLC0415 - where there are texts

        named = {role: name for role, name in of_texts.items() if role in ("query", "text")}
        query_texts = read_queries(texts, columns=named).texts
    for query in chosen if queries is not None else ():
        refuse(query, [contexts[0] for _, contexts in inspected], runs, alone=len(chosen) == 1)
    document_texts: dict[str, str] = {}  # shared by all explanations, which name the documents that it is to hold
    parts = [
        _explained(one.name, contexts, chosen, query_texts, document_texts)
        for one, (_, contexts) in zip(runs, inspected, strict=True)
    ]
    if docs is not None:
        from rankworth.io.metadata import documents as read_documents  # noqa: PLC0415 - as above

        every = [one for part in parts for one in part]
        wanted = {term.document for one in every for term in one.trace.terms if term.document}
        wanted |= {str(missed.document) for one in every for missed in one.missing}
        named = {role: name for role, name in of_texts.items() if role in ("document", "title", "text")}
        document_texts.update(read_documents(docs, wanted, columns=named, progress=progress))
    pairs = zip(*parts, strict=True)
    return Explanations([Difference(*pair) if len(pair) > 1 else pair[0] for pair in pairs], notes)


def _plan(profile: str | Profile, measures: runner.Measures, rel: float | None, settings: OptionKeywords) -> Plan:
    """What is asked for.

    Raises:
        MeasureError: as `evaluate`; `measure-syntax` for what is counted.

    """
    plan = runner.planned(profile, measures, rel, settings)
    if facts := [one.label for one in plan.asked if isinstance(one.quantity, Fact)]:
        text = f"{quoted(facts)} {'is' if len(facts) == 1 else 'are'} counted: no rank adds to a value"
        remedy = "evaluate shows those of each query: per_query, on the command line --per-query"
        raise MeasureError("measure-syntax", text, remedy=remedy)
    return plan


def _chosen(
    judgements: inputs.Judgements,
    runs: Sequence[Run],
    plan: Plan,
    worst: int | None,
    best: int | None,
    progress: "Progress | None",
) -> tuple[list[str], list[str]]:
    """The queries with the least or the greatest values or differences, by the first measure, or all; and notes.

    Queries without a relevant document, which no run can win, are not among the worst.
    """
    label = plan.asked[0].label
    by_run: list[dict[str, float]] = []
    without_relevant: set[str] = set()
    for run in runs:
        [values] = runner.measure(judgements, run, [plan], progress=progress)
        if isinstance(values, RankworthError):
            raise values
        rows = zip(values.per_query.ids, values.per_query.to_dict().values(), strict=True)
        by_run.append({query: row[label] for query, row in rows if label in row})
        without_relevant.update(values.counts.queries["no_relevant_queries"])
    common = [query for query in by_run[0] if all(query in row for row in by_run)]
    if worst is None and best is None:
        return common, []
    gains = {query: by_run[-1][query] - (by_run[0][query] if len(by_run) > 1 else 0.0) for query in common}
    known = [query for query in common if not math.isnan(gains[query])]
    if best is not None:
        return sorted(known, key=lambda query: (-gains[query], query))[:best], []
    lost = {query for query in known if query in without_relevant and not any(row[query] for row in by_run)}
    able = [query for query in known if query not in lost]
    notes = [f"left out: {counted(len(lost))} without a relevant document ({quoted(sorted(lost))})"]
    return sorted(able or known, key=lambda query: (gains[query], query))[:worst], notes if lost and able else []


def _explained(
    run: str,
    contexts: Sequence[MeasureContext],
    queries: Sequence[str],
    query_texts: Mapping[str, str],
    texts: Mapping[str, str],
) -> list[Explanation]:
    """The explanations of one run, query by query."""
    traced = [traces(context, [name for query in queries for name in context.names(query)]) for context in contexts]
    explained = []
    for query in queries:
        for context, by_name in zip(contexts, traced, strict=True):
            label, rule = context.asked.label, context.asked.rule
            notes = (f"{label}: {rule.note}   [{DEFECT}]",) if rule is not None and rule.note else ()
            text = query_texts.get(query, "")
            explained += [
                Explanation(
                    run, name, label, context.shown[context.places[name]], by_name[name], context, text, texts, notes
                )
                for name in context.names(query)
            ]
    return explained


def _readable_again(run: Run) -> Run:
    """A run that can be read twice: what comes from a pipe is kept."""
    if all(file.path != STDIN for file in run.files):
        return run
    import polars as pl  # noqa: PLC0415 - for pipes only

    return run.holding(pl.concat(list(run.batches())))

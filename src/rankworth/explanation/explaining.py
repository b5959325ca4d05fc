"""Public API: explain, explain_queries."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Unpack, overload

from rankworth.errors import MeasureError, RankworthError, UsageError, counted, quoted
from rankworth.evaluation import runner
from rankworth.explanation.explanation import Difference, Explanation, Explanations
from rankworth.explanation.trace import Term, traces
from rankworth.io import validate
from rankworth.io.source import STDIN
from rankworth.io.usual_names import NONE
from rankworth.judging.judged_run import Row
from rankworth.measures import Fact, Measure
from rankworth.model import Qrels
from rankworth.profiles import DEFAULT, Profile, ReadSettings
from rankworth.results.tables import DEFECT
from rankworth.results.values import Values
from rankworth.scoring import inputs
from rankworth.scoring.inputs import GRADES, of_grades
from rankworth.scoring.labelled import Labelled, pair
from rankworth.settings import Grades, Missing
from rankworth.whatif.rankings import MeasureContext, refuse

if TYPE_CHECKING:
    from rankworth.explanation.fused_scores import FusedRuns
    from rankworth.io.source import Progress

_OF_TEXTS: Final = ("query", "document", "title", "text")
"""columns of texts of queries and documents"""


def named_ranking(
    settings: dict[str, Any], sides: Mapping[str, Any], listed: Mapping[str, Any], labelled: Mapping[str, Any] = NONE
) -> tuple[Any, Any, Any] | None:
    """Return judgements, run and query of the ranking that arguments name in one of three ways; None without one.

    Args:
        settings: those of `evaluate`, which take over `grades` and `missing` where these are words.
        sides: `qrels`, `run` and `query`, and whatever else stands beside them.
        listed: `grades` of documents in rank order, and those of judged documents that are `missing`.
        labelled: `labels`, the grades of documents in any order, and their `scores` or `orders`.

    Raises:
        InputError: `bad-grade`, `empty-input`, and as `rankworth.evaluate` of labels.
        UsageError: `conflicting-options`.

    """
    settings |= {name: value for name, value in listed.items() if isinstance(value, str | Mapping)}
    listed = {name: value for name, value in listed.items() if value is not None and name not in settings}
    ways = {"grades": listed, "labels": labelled, "judgements and a run": sides}
    used = [way for way, values in ways.items() if any(value is not None for value in values.values())]
    absent = [name for name in ("qrels", "run", "query") if sides[name] is None]
    if len(used) > 1:
        text = f"{' and '.join(used)} each name a ranking"
        raise UsageError("conflicting-options", text, remedy="give one of them")
    if used == ["labels"]:
        words = settings.pop("grades") if isinstance(settings.get("grades"), Mapping) else {}
        qrels, run = pair(None, None, Labelled(**labelled), words)
        judged = Qrels(qrels, grades=words)
        if len(judged.queries) > 1:
            text = f"labels hold {len(judged.queries)} rankings, and one is looked at"
            raise UsageError("conflicting-options", text, remedy="labels=[2, 0, 1], scores=[0.2, 0.9, 0.5]")
        return judged, run, judged.queries[0]
    if "grades" in listed:
        return *of_grades(**listed), GRADES
    if listed or (used and absent):
        text = "missing documents belong to a list of grades" if listed else f"there is no {' and no '.join(absent)}"
        remedy = 'judgements, a run and a query: qrels, run, query="q1"; or one list: grades=[2, 0, 1]'
        raise UsageError("conflicting-options", text, remedy=remedy)
    return (sides["qrels"], sides["run"], sides["query"]) if used else None


@overload
def explain(
    qrels: object = None,
    run: object = None,
    measure: str | Measure = "nDCG@10",
    *,
    query: object = None,
    against: None = None,
    grades: Iterable[Row] | Grades | None = None,
    missing: Iterable[Row] | Missing | None = None,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    fuse: str | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    **settings: Any,  # noqa: ANN401 - as below
) -> Explanation: ...


@overload
def explain(
    qrels: object = None,
    run: object = None,
    measure: str | Measure = "nDCG@10",
    *,
    query: object = None,
    against: object,
    grades: Iterable[Row] | Grades | None = None,
    missing: Iterable[Row] | Missing | None = None,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    fuse: str | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    **settings: Any,  # noqa: ANN401 - as below
) -> Difference: ...


def explain(
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
    fuse: str | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    **settings: Any,
) -> Explanation | Difference:
    """Explain how a value is computed: what each rank adds, what it is divided by, what is missing and what that costs.

    The steps are those that `evaluate` computes with: the last running total, and the rest if there is one, over the
    norm is its value bit for bit.

    Args:
        qrels: judgements, as for `evaluate`.
        run: a run, as for `evaluate`.
        measure: one measure, by name or as an object; `explain_queries` takes several.
        query: the id of the query.
        against: a second run; the difference is then attributed to documents.
        grades: instead of judgements and a run the grades of one ranking in rank order, None for a document that nobody
            judged, as for `score`; the documents are called 1, 2, 3 by their ranks. A word is the setting of that name,
            and a dict says which grades words mean, as for `evaluate`.
        missing: grades of judged documents that are not in that ranking. A word is the setting of that name.
        labels: instead the grades of the documents in any order, `[2, 0, 1]`; documents are called by their places,
            from 0.
        scores: with labels the scores of these documents, `[0.2, 0.9, 0.5]`.
        orders: or their places, best first, `[1, 2, 0]`.
        fuse: how runs become one, as `rankworth.fuse` reads its method: `run` is then several runs, by name or as a
            list, and it is also explained how the scores of the fused run came about.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        texts: texts of queries by their ids, or a file of them, as `rankworth.io.query_texts.queries` reads it.
        docs: texts of documents by their ids, or a file of them, as `rankworth.io.query_texts.documents` reads it.
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
    sides = {"qrels": qrels, "run": run, "query": query, "against": against}
    labelled = {"labels": labels, "scores": scores, "orders": orders}
    named = named_ranking(settings, sides, {"grades": grades, "missing": missing}, labelled)
    if named is None:
        remedy = 'explain(qrels, run, measure, query="q1"), or explain(grades=[2, 0, 1]); several: explain_queries'
        raise UsageError("conflicting-options", "there is no ranking to explain", remedy=remedy)
    how = {"against": against, "fuse": fuse, "rel": rel, "profile": profile, "texts": texts, "docs": docs, **settings}
    explained = explain_queries(*named[:2], [measure], queries=named[2:], **how)
    if len(explained) > 1:
        text = f"explain takes one measure, and {measure!r} stands for {quoted([each.measure for each in explained])}"
        raise MeasureError("measure-syntax", text, remedy="explain_queries takes several")
    [only] = explained
    return replace(only, scored=True) if scores is not None and isinstance(only, Explanation) else only


def explain_queries(
    qrels: object = None,
    run: object = None,
    measures: runner.Measures = ("nDCG@10",),
    *,
    queries: Iterable[object] | None = None,
    worst: int | None = None,
    best: int | None = None,
    against: object = None,
    labels: object = None,
    scores: object = None,
    orders: object = None,
    group: object = None,
    qid: object = None,
    padding: object = None,
    fuse: str | None = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    texts: object = None,
    docs: object = None,
    progress: "Progress | None" = None,
    **settings: Unpack[ReadSettings],
) -> Explanations[Explanation | Difference]:
    """Explain how the values of several queries come about, by one or several measures.

    Args:
        qrels: as for `evaluate`.
        run: as for `evaluate`.
        measures: as for `evaluate`.
        queries: the ids of the queries; all of them where not said.
        worst: that many queries with the least value by the first measure; with a second run, with the greatest loss;
            none without a relevant document.
        best: that many with the greatest value, or gain.
        against: a second run.
        labels: instead of judgements and a run the grades of the documents of each query, `[[1, 0], [0, 1]]`, as for
            `evaluate`.
        scores: with labels the scores of these documents.
        orders: or their places, best first.
        group: as for `evaluate`.
        qid: as for `evaluate`.
        padding: as for `evaluate`.
        fuse: as for `explain`.
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
    >>> explained = explain_queries(labels=[[0, 1], [1, 0]], scores=[[0.9, 0.2], [0.8, 0.1]], measures=["RR"])
    >>> [(each.query, each.arithmetic) for each in explained]
    [('0', '0.5000'), ('1', '1')]
    """
    _refuse_together(labels, against, fuse)
    qrels, run = pair(qrels, run, Labelled(labels, scores, orders, group, qid, padding))
    if sum(choice is not None for choice in (queries, worst, best)) > 1:
        raise UsageError("conflicting-options", "queries, worst and best each choose queries; give one of them")
    for name, count in (("worst", worst), ("best", best)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise UsageError("unknown-setting", f"{name}={count!r}: how many queries is a whole number from 1")
    columns = settings.get("columns") or {}
    of_texts = {field: name for field, name in columns.items() if {"text", "title"} & {*columns} and field in _OF_TEXTS}
    settings["columns"] = {field: name for field, name in columns.items() if field not in of_texts}
    reading = inputs.InputOptions(settings)
    plan = runner.planned(profile, measures, rel, settings)
    if facts := [measure.label for measure in plan.measures if isinstance(measure.quantity, Fact)]:
        text = f"{quoted(facts)} {'is' if len(facts) == 1 else 'are'} counted: no rank adds to a value"
        remedy = "evaluate shows those of each query: rankworth evaluate --per-query, in Python evaluate(...).per_query"
        raise MeasureError("measure-syntax", text, remedy=remedy)
    names, sources = None, [run, against]  # of runs that are fused
    if fuse is not None:
        from rankworth.explanation import fused_scores  # noqa: PLC0415 - needs Polars, which worked examples do not

        names, sources = fused_scores.named_sources(run)
    [qrels], sources = reading.read([qrels], [source for source in sources if source is not None])
    fused = None if fuse is None else fused_scores.fused_runs(names, sources, fuse)
    runs = list(map(inputs.run, sources)) if fused is None else [fused.run]
    notes: list[str] = []
    if queries is None:
        runs = [run.held() if any(file.path == STDIN for file in run.files) else run for run in runs]
        judgements = inputs.Judgements(qrels, None, [measure.judging for measure in plan.measures])
        measured = [runner.measure(judgements, each, [plan], progress=progress)[0] for each in runs]
        chosen, notes = _chosen(measured, worst, best)
        inspected = [runner.inspect(judgements, each, plan, chosen, progress=progress) for each in runs]
    else:
        chosen = list(dict.fromkeys(validate.ids(queries)))
        inspected = runner.inspect_runs(qrels, runs, plan, chosen, progress=progress)
        for query in chosen:
            refuse(query, [contexts[0] for _, contexts in inspected], runs, alone=len(chosen) == 1)
    query_texts = _query_texts(texts, of_texts)
    document_texts: dict[str, str] = {}  # shared by all explanations, which name the documents that it is to hold
    sides = zip((each.name for each in runs), inspected, strict=True)
    parts = [_explained(name, contexts, chosen, query_texts, document_texts) for name, (_, contexts) in sides]
    if docs is not None:
        every = [explanation for part in parts for explanation in part]
        document_texts.update(_document_texts(docs, every, of_texts, progress))
    parts = [[replace(each, scored=True) for each in part] for part in parts] if scores is not None else parts
    parts = parts if fused is None else [_with_fused_scores(part, fused) for part in parts]
    pairs = zip(*parts, strict=True)
    return Explanations([Difference(*pair) if len(pair) > 1 else pair[0] for pair in pairs], notes)


def _refuse_together(labels: object, against: object, fuse: str | None) -> None:
    """Refuse labels beside a second run, and either beside runs that are fused.

    Raises:
        UsageError: `conflicting-options`.

    """
    if fuse is not None and (labels is not None or against is not None):
        other = "labels are grades of one ranking" if labels is not None else "against names a second run"
        text = f"fuse={fuse!r} makes one run of several, and {other}"
        raise UsageError("conflicting-options", text, remedy='explain(qrels, {"bm25": run, "dense": run}, fuse="rrf")')
    if labels is not None and against is not None:
        text = "labels stand instead of judgements and one run, and against names a second run"
        raise UsageError("conflicting-options", text, remedy="give judgements and two runs")


def _query_texts(texts: object, of_texts: Mapping[str, str]) -> Mapping[str, str]:
    """Read the texts of queries; none where nobody named any.

    Raises:
        InputError: as `rankworth.io.query_texts.queries`.

    """
    if texts is None:
        return {}
    from rankworth.io.query_texts import queries as read_queries  # noqa: PLC0415 - where there are texts

    named = {role: name for role, name in of_texts.items() if role in ("query", "text")}
    return read_queries(texts, columns=named).texts


def _document_texts(
    docs: object, explained: Iterable[Explanation], of_texts: Mapping[str, str], progress: "Progress | None"
) -> Mapping[str, str]:
    """Read the texts of the documents that explanations name.

    Raises:
        InputError: as `rankworth.io.query_texts.documents`.

    """
    from rankworth.io.query_texts import documents as read_documents  # noqa: PLC0415 - where there are texts

    wanted: set[str] = set()
    for each in explained:
        wanted |= {str(term.document) for term in each.terms if term.document is not None}
        wanted |= {str(missing.document) for missing in each.missing}
    named = {role: name for role, name in of_texts.items() if role in ("document", "title", "text")}
    return read_documents(docs, wanted, columns=named, progress=progress)


def _chosen(
    measured: Sequence[Values | RankworthError], worst: int | None, best: int | None
) -> tuple[list[str], list[str]]:
    """Choose the queries with the least or the greatest values or differences by the first measure, or all; add notes.

    Queries without a relevant document, which no run can win, are not among the worst.
    """
    by_run: list[dict[str, float]] = []
    without_relevant: set[str] = set()
    for values in measured:
        if isinstance(values, RankworthError):
            raise values
        label, rows = values.per_query.measures[0], values.per_query.to_dict().values()
        pairs = zip(values.per_query.ids, rows, strict=True)
        by_run.append({query: row[label] for query, row in pairs if label in row})
        without_relevant.update(values.counts.queries["no_relevant_queries"])
    common = [query for query in by_run[0] if all(query in row for row in by_run)]
    if worst is None and best is None:
        return common, []
    gains = {query: by_run[-1][query] - (by_run[0][query] if len(by_run) > 1 else 0.0) for query in common}
    defined = [query for query in common if not math.isnan(gains[query])]
    if best is not None:
        return sorted(defined, key=lambda query: (-gains[query], query))[:best], []
    lost = {query for query in defined if query in without_relevant and not any(row[query] for row in by_run)}
    able = [query for query in defined if query not in lost]
    notes = [f"left out: {counted(len(lost))} without a relevant document ({quoted(sorted(lost))})"]
    return sorted(able or defined, key=lambda query: (gains[query], query))[:worst], notes if lost and able else []


def _explained(
    run: str,
    contexts: Sequence[MeasureContext],
    queries: Sequence[str],
    query_texts: Mapping[str, str],
    texts: Mapping[str, str],
) -> list[Explanation]:
    """Explain one run query by query."""
    traced = [traces(context, [name for query in queries for name in context.names(query)]) for context in contexts]
    explained = []
    for query, (context, by_name) in product(queries, zip(contexts, traced, strict=True)):
        label, rule = context.resolved.label, context.resolved.rule
        notes = (f"{label}: {rule.defect}   [{DEFECT}]",) if rule is not None and rule.defect else ()
        for name in context.names(query):
            steps: dict[str, Any] = vars(by_name[name]) | {"terms": _with_ids(by_name[name].terms, context.qrels.kinds)}
            steps |= {"text": query_texts.get(query, ""), "texts": texts, "notes": notes}
            value = context.shown[context.positions[name]]
            explained.append(Explanation(run=run, id=name, measure=label, value=value, context=context, **steps))
    return explained


def _with_fused_scores(explained: Sequence[Explanation], fused: "FusedRuns") -> list[Explanation]:
    """Add how fused scores came about to the first explanation of each query."""
    first = {each.id: each for each in reversed(explained)}
    grades, cutoffs = {}, {}
    for query, each in first.items():
        qrels = each.context.qrels
        at = qrels.queries.index(query)
        start, end = qrels.offsets[at : at + 2].tolist()
        grades[query] = dict(zip(qrels.documents_of(at), qrels.grades[start:end].tolist(), strict=True))
        cutoffs[query] = each.context.measure.cutoff
    scores = fused.scores(grades, cutoffs)
    return [replace(each, fused=scores.get(each.id)) if each is first[each.id] else each for each in explained]


def _with_ids(terms: tuple[Term, ...], kinds: validate.IdKinds) -> tuple[Term, ...]:
    """Return terms with their documents as the judgements had them."""
    ids = iter(kinds.back("document", [term.document for term in terms if term.document is not None]))
    return tuple(term if term.document is None else term._replace(document=next(ids)) for term in terms)

"""The inspector of the explorer: queries of runs, their rankings side by side, grades for unjudged documents."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth import demonstration
from rankworth.checking import check
from rankworth.comparison import compare, judge_next
from rankworth.errors import RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation import evaluate_runs
from rankworth.explanation import Explanation, explain
from rankworth.explanation.explanation import Missing
from rankworth.explanation.trace import finite
from rankworth.explorer.playground import (
    MAX_RANKS,
    Playground,
    best_moves,
    checked,
    checked_count,
    checked_number,
    checked_text,
    profile_with,
    require,
)
from rankworth.io import atomic, query_texts, write
from rankworth.judging.spans import MarkedTexts, run_of_spans
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.names import measure_of
from rankworth.profiles import DEFAULT, profile_of
from rankworth.results.values import RunValues
from rankworth.settings import with_quirks

SORTS: Final = ("worst", "best", "loss", "gain", "id")
_ROWS: Final = 200
"""how many queries a page gets at once"""
_DEPTH: Final = 20
"""how many ranks of a ranking are shown at first, and how many missing documents"""
_MOVES: Final = 3
"""how many moves are recommended for a query"""
_TEXT: Final = 200
"""how many letters of a document go to the playground"""
_GRADES: Final = 10
"""how many different grades have a key each"""
_GROUPS: Final = 20
"""how many values a column of the table of queries has at most to make groups"""
_LISTED: Final = 50
"""how many documents are listed to be judged next"""
_JUDGED: Final = "Judged@10"
_LISTING: Final = "DCG"
"""a measure that lists all ranks, for measures that are not explained"""
Request = Mapping[str, Any]
"""What the page sends."""


@dataclass
class Inspector:
    """Judgements and runs, evaluated once; a query is evaluated again when somebody judges a document of it.

    Attributes:
        qrels: the judgements.
        runs: the runs by name.
        measures: what is measured; the first is what queries are sorted by.
        conventions: `rel`, `profile` and settings, as `evaluate` takes them.
        queries: the table of queries, where there is one.
        docs: the texts of documents, or a file of them, where there is one.
        save: where new grades are written; empty where nothing is written.
        judged: new grades by query and document.
        is_saved: whether the file of new grades is ours.

    """

    qrels: Qrels
    runs: Mapping[str, Run]
    measures: Sequence[str]
    conventions: Mapping[str, Any]
    queries: query_texts.QueryTable | None = None
    docs: object = None
    save: str = ""
    judged: dict[str, dict[str, float]] = field(default_factory=dict)
    is_saved: bool = False

    def __post_init__(self) -> None:
        """Keep runs as rows, of which those of a query are found at once, and evaluate them."""
        runs = {name: run_of_spans(run) if self.has_spans else run for name, run in self.runs.items()}
        self._rows_of = runs
        self.runs = {name: self._in_memory(run, name) for name, run in runs.items()}
        self._refuse_unwritable()
        values = self._evaluated(self.qrels, self.runs)
        self.measures = next(iter(values.values())).per_query.measures[:-1]
        self.ids = sorted({query for each in values.values() for query in each.per_query.ids})
        self._rows = {query: row for row, query in enumerate(self.ids)}
        self._values = {name: np.full((len(self.ids), len(self.measures) + 1), np.nan) for name in self.runs}
        for name, each in values.items():
            self._values[name][[self._rows[query] for query in each.per_query.ids]] = each.per_query.array
        self._means: dict[str, Sequence[float | None]] | None = self._means_of(values)
        judged = set(self.qrels.queries)
        self._answered = {name: next(filter(judged.__contains__, run.queries())) for name, run in self.runs.items()}

    def _refuse_unwritable(self) -> None:
        """Refuse a file of new grades whose format cannot hold the id of some query or document of a run.

        Raises:
            UsageError: `unwritable-output`, `unknown-format`, `conflicting-options`.

        """
        if not self.save:
            return
        if self.has_spans:
            text = f"--save-grades {self.save}: pieces are judged by gold spans, and nobody grades them here"
            raise UsageError("conflicting-options", text, remedy="leave it out")
        form = write.target_format(self.save, "")
        for name, run in self.runs.items():
            ids = run.to_frame().select(pl.col("query", "document").cast(pl.String))
            try:
                write.refuse(ids, form, name, 1, lossy=True)
            except UsageError as error:
                text = f"--save-grades {self.save}: no grade could be saved. {error.problems[0]}"
                remedy = f"--save-grades {Path(self.save).with_suffix('.jsonl')}"
                raise UsageError("unwritable-output", text, remedy=remedy) from None

    @cached_property
    def documents(self) -> MarkedTexts:
        """What documents say: those that are judged, and those within the first ranks of a run."""
        wanted = set(self.qrels.document_series.cast(pl.String))
        for run in self.runs.values():
            first = run.to_frame().group_by("query", maintain_order=True).head(MAX_RANKS)
            wanted |= set(first["document"].cast(pl.String))
        return MarkedTexts.of(self.qrels, self._rows_of.values(), self.docs, wanted)

    @cached_property
    def groups(self) -> dict[str, set[str]]:
        """The queries by the values of the columns of their table that have few."""
        groups: dict[str, set[str]] = {}
        for name, cells in (self.queries.columns if self.queries else {}).items():
            if 1 < len(set(cells)) <= _GROUPS:
                for query, cell in zip(self.text_by_query, cells, strict=True):
                    groups.setdefault(f"{name}: {cell}", set()).add(query)
        return dict(sorted(groups.items()))

    @cached_property
    def has_subtopics(self) -> bool:
        """Whether documents are judged by subtopic."""
        rows = self.qrels.by_subtopic()
        return rows is not None and rows["subtopic"].n_unique() > 1

    @property
    def has_spans(self) -> bool:
        """Whether gold is spans, so that pieces are judged by it, and by nobody."""
        return self.qrels.facts.spans

    @cached_property
    def scale(self) -> list[float]:
        """The grades of the judgements and 0, from the lowest; those of whole numbers up to 9 where there are more."""
        rows = self.qrels.to_frame()["grade"].drop_nulls().unique().to_list()
        return sorted({0.0, *rows}) if len(rows) <= _GRADES else [float(grade) for grade in range(_GRADES)]

    @property
    def text_by_query(self) -> Mapping[str, str]:
        """What queries say."""
        return self.queries.texts if self.queries else {}

    def session(self) -> dict[str, Any]:
        """Return what the page needs to begin: names of runs and measures, means, groups."""
        return {
            "runs": list(self.runs),
            "measures": self.measures,
            "means": self.means({}),
            "groups": list(self.groups),
            "sorts": SORTS,
            "saves": self.save,
            "judges": not self.has_subtopics and not self.has_spans,
            "moves": not self.has_spans,
            "marks": self.has_spans and bool(self.documents.texts),
            "scale": self.scale,
        }

    def means(self, _: Request) -> dict[str, Any]:
        """Return the means over all queries with the new grades."""
        if self._means is None:
            qrels = self._with_new(self.qrels) if any(self.judged.values()) else self.qrels
            self._means = self._means_of(self._evaluated(qrels, self.runs))
        return self._means

    def findings(self, _: Request) -> dict[str, Any]:
        """Report what is wrong or risky in judgements and runs as they were read: how much, and each in a sentence."""
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            checked = check(self.qrels, self.runs, self.measures, **self.conventions)
        findings = [f"{each.severity}: {each.text} [{each.slug}]" for each in checked.findings]
        return {"verdict": checked.verdict, "findings": findings}

    def rows(self, request: Request) -> dict[str, Any]:
        """Return a page of the queries that fit a filter and a group, sorted by value or difference.

        Raises:
            UsageError: `bad-request`.

        """
        run, column = self._values[_among(self.runs, request, "run")], self._column(request)
        base = self._values[_among(self.runs, request, "base")] if request.get("base") else np.full_like(run, np.nan)
        values, differences = run[:, column], run[:, column] - base[:, column]
        keys = dict(zip(SORTS, (values, -values, differences, -differences, np.zeros_like(values)), strict=True))
        order = np.argsort(keys[_among(SORTS, request, "sort")], kind="stable")
        fits = self._fits(_word(request, "filter").casefold(), _word(request, "group"))
        fitting, start = order[fits[order]], checked_count(request, "offset", 0) or 0
        judged = self._judged(_among(self.runs, request, "run"))
        cells = {"value": values, "base": base[:, column], "difference": differences, "judged": judged}
        sizes, rows = np.abs(values if np.isnan(differences).all() else differences), []
        for row in fitting[start : start + _ROWS].tolist():
            query, numbers = self.ids[row], {name: finite(column[row].item()) for name, column in cells.items()}
            rows.append({"id": query, "text": self.text_by_query.get(query, ""), **numbers})
        return {"total": fitting.size, "rows": rows, "largest": np.nanmax(sizes, initial=0.0).item()}

    def query(self, request: Request) -> dict[str, Any]:
        """Return one query: the ranking of one run or two with grades, texts and contributions, and what is missing.

        Raises:
            UsageError: `bad-request`.

        """
        query, depth = self._query(request), min(checked_count(request, "depth", 1) or _DEPTH, MAX_RANKS)
        column, new = self._column(request), self.judged.get(query, {})
        rankings = [self._ranking(query, name, column) for name in self._runs(request)[:2]]
        ranks = [{row["document"]: row["rank"] for row in ranking["rows"]} for ranking in rankings]
        for ranking, elsewhere in zip(rankings, ranks[::-1], strict=True):
            ranking["rows"] = [
                self._with_text(row, query)
                | {"elsewhere": elsewhere.get(row["document"]), "is_new": row["document"] in new}
                for row in ranking["rows"][:depth]
            ]
        text = self.text_by_query.get(query, "")
        measure = self.measures[column]
        cutoff = parsed.cutoff if (parsed := measure_of(measure)) else None
        judged = finite(self._judged(rankings[-1]["run"])[self._rows[query]].item())
        named = {"id": query, "text": text, "measure": measure, "cutoff": cutoff}
        return named | {"judged": judged, "rankings": rankings}

    def moves(self, request: Request) -> dict[str, Any]:
        """Return the moves of relevant documents that would raise the value of a run for a query most.

        Raises:
            UsageError: `bad-request`.

        """
        run, column = _among(self.runs, request, "run"), self._column(request)
        self._require_documents()
        state = self.playground({"query": self._query(request), "runs": [run]}) | {"lead": column}
        page = Playground.of(state)
        before = finite(self._values[run][self._rows[page.query], column].item())
        moves = [self._with_text(move, page.query) for move in best_moves(page)[:_MOVES]]
        retrieved = len(page.rankings[0].documents)
        return {"run": run, "measure": page.lead, "value": before, "moves": moves, "retrieved": retrieved}

    def judge(self, request: Request) -> dict[str, Any]:
        """Take a grade for a document, evaluate the query again, and write all new grades where a file is named.

        Raises:
            UsageError: `bad-request`; `unwritable-output`.

        """
        query, document = self._query(request), checked_text(request, "document")
        grade = checked_number(request, "grade")
        self._require_documents()
        text = "the judgements have subtopics, and a new grade would have none"
        require(not self.has_subtopics, text, "add it to the file of judgements")
        other_grades = {name: each for name, each in self.judged.get(query, {}).items() if name != document}
        before, new_grade = self.judged, {} if grade is None else {document: grade}
        self.judged = before | {query: other_grades | new_grade}
        try:
            parts = {name: self._part(query, name) for name in self.runs}
            new = {name: self._evaluated(qrels, {name: run})[name].per_query for name, (qrels, run) in parts.items()}
            if self.save:
                self.write()
        except BaseException:
            self.judged = before  # a grade counts once it is evaluated and saved
            raise
        self._means, row = None, self._rows[query]
        for name, per_query in new.items():
            self._values[name][row] = per_query.array[per_query.ids.index(query)]
        values = {name: list(map(finite, table[row, :-1].tolist())) for name, table in self._values.items()}
        return {"values": values, "judged": sum(map(len, self.judged.values())), "saved": self.save}

    def to_judge(self, request: Request) -> dict[str, Any]:
        """Return the unjudged documents to judge first, by a run or by its difference to another, and what they decide.

        Raises:
            UsageError: `bad-request`; as `judge_next` for measures without bounds.

        """
        self._require_documents()
        names = [_among(self.runs, {"run": name}, "run") for name in (request.get("base"), request.get("run")) if name]
        runs, measure = {name: self.runs[name] for name in names}, self.measures[self._column(request)]
        qrels = self._with_new(self.qrels) if any(self.judged.values()) else self.qrels
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            candidates = judge_next(qrels, runs, measure, n=_LISTED, **self.conventions)
            verdict = compare(qrels, runs, [measure], **self.conventions).verdict.sentence if len(runs) > 1 else ""
        documents = [
            self._with_text({"document": str(row.document), "query": str(row.query)}, str(row.query))
            | {"query_text": self.text_by_query.get(str(row.query), ""), "ranks": row.ranks, "effect": row.effect}
            for row in candidates.documents
        ]
        can, *_ = candidates.notes
        return {
            "runs": names,
            "measure": measure,
            "documents": documents,
            "left": candidates.left,
            "can": can,
            "verdict": verdict,
        }

    def write(self) -> None:
        """Write the new grades as judgements, in the format of the file's suffix.

        Raises:
            UsageError: `unwritable-output`, `unknown-format`.

        """
        if not self.is_saved and os.path.lexists(self.save):
            raise UsageError("unwritable-output", f"{self.save} exists", remedy="name a new file with --save-grades")
        form, rows = write.target_format(self.save, ""), self.new_grades
        write.refuse(rows, form, self.save, 1, lossy=False)
        atomic.write({Path(self.save): _written(rows, form)})
        self.is_saved = True

    def grades(self, _: Request) -> dict[str, str]:
        """Write the new grades as lines of TREC's judgements, or of JSON where ids have blanks."""
        rows = self.new_grades
        has_blanks = rows.select(pl.concat_str("query", "document").str.contains(r"\s").any()).item()
        name, form = ("qrels.jsonl", "jsonl") if has_blanks else ("qrels.txt", "trec")
        return {"name": name, "text": _written(rows, form).decode()}

    @property
    def new_grades(self) -> pl.DataFrame:
        """The new grades as rows of judgements."""
        rows = [(query, "0", *judged) for query, grades in self.judged.items() for judged in grades.items()]
        names = ("query", "subtopic", "document")
        return pl.DataFrame(rows, dict.fromkeys(names, pl.String) | {"grade": pl.Float64}, orient="row")

    def playground(self, request: Request) -> dict[str, Any]:
        """Return a query as a state of the playground: judged documents, rankings of the runs, and conventions."""
        query, conventions = self._query(request), with_quirks(self.conventions)
        self._require_documents()
        rankings, notes = [], []
        for name in self._runs(request):
            frame = self.runs[name].only([query]).to_frame()
            if self._order != "given":
                frame = frame.sort("score", descending=True, maintain_order=True)
            first = frame.head(MAX_RANKS).with_columns(pl.col("document").cast(pl.String))
            documents, scores = first["document"].to_list(), first["score"].to_list()
            rankings.append({"name": name, "documents": documents, "scores": scores})
            if frame.height > MAX_RANKS:
                notes.append(f"{name} has {frame.height:,} documents, of which the first {MAX_RANKS:,} are here.")
        settings = {name: value for name, value in conventions.items() if isinstance(value, str | int | float)}
        if self.has_subtopics:
            notes.append("The subtopics of the judgements are not here: each document has its best grade.")
        if absent := conventions.keys() - settings.keys() - {"rel", "profile"}:
            notes.append(f"What {quoted(sorted(absent))} did to the runs is not here.")
        grades = self._with_new(Qrels(self.qrels, queries=[query])).with_text_ids()[query]
        ids = dict.fromkeys([*(document for ranking in rankings for document in ranking["documents"]), *grades])
        return {
            "query": query,
            "text": self.text_by_query.get(query, ""),
            "note": " ".join(notes),
            "documents": [
                {"id": document, "grade": grades.get(document), "text": self.documents.texts.get(document, "")[:_TEXT]}
                for document in ids
            ],
            "rankings": rankings,
            "measures": self.measures,
            "profile": profile_of(self.conventions["profile"]).name,
            "rel": self.conventions.get("rel"),
            "settings": {name: value for name, value in settings.items() if name not in ("rel", "profile")},
        }

    def _in_memory(self, run: Run, name: str) -> Run:
        """Load a run as rows; where ranks put its documents in order, they take the place of scores."""
        is_ranked = self._order == "rank"
        ranked = run if run.has_ranks or not is_ranked else run.by_rank() or run
        rows = pl.concat(list(ranked.batches(ranks=is_ranked)))
        return Run(rows.with_columns(score=-pl.col("rank")) if "rank" in rows.columns else rows, name)

    @property
    def _order(self) -> str:
        """What puts documents in order: their scores, their ranks, or the lines of the file."""
        return profile_with(self.conventions).ask(self.measures[:1])[0].judging.order

    def _ranking(self, query: str, name: str, column: int) -> dict[str, Any]:
        """Return the ranking of one run for one query: every rank as it is judged, with what it adds."""
        (qrels, run), measure = self._part(query, name), self.measures[column]
        ranking = {"run": name, "value": finite(self._values[name][self._rows[query], column].item())}
        if query not in run.queries():
            grades = qrels.with_text_ids()[query]
            relevant = sorted((document for document in grades if grades[document] > 0), key=lambda each: -grades[each])
            absent = [Missing(each, grades[each], None, None, None, None) for each in relevant]
            sentences = [f"{each} (grade {grades[each]:g}) was not retrieved" for each in relevant]
            rest = self._missing(query, absent, sentences)
            return ranking | rest | {"rows": [], "arithmetic": "no document was retrieved", "formula": ""}
        explained = self._explained(qrels, run, query, measure)
        uncut = replace(parsed, cutoff=None) if (parsed := measure_of(measure)) else measure
        listed = self._explained(qrels, run, query, uncut) or self._explained(qrels, run, query, _LISTING)
        gaps = explained.missing if explained else ()
        how = f"{explained.sentence}: {explained.arithmetic}" if explained else f"no rank adds to {measure}"
        adds = {str(term.document): finite(term.contribution) for term in explained.terms} if explained else {}
        rows = listed.to_dict()["terms"] if listed else []
        return ranking | {
            "rows": [row | {"adds": adds.get(row["document"])} for row in rows if row["document"]],
            "arithmetic": how,
            "formula": explained.formula if explained else "",
            **self._missing(query, gaps, [each.sentence(measure) for each in gaps]),
        }

    def _explained(self, qrels: Qrels, run: Run, query: str, measure: str | Measure) -> Explanation | None:
        """Explain a value, or return None for a count or a measure that a tool lacks."""
        try:
            explanation: Explanation = explain(qrels, run, measure, query=query, **self.conventions)
        except RankworthError:
            return None
        return explanation

    def _missing(self, query: str, missing: Sequence[Missing], sentences: Sequence[str]) -> dict[str, Any]:
        """Return the first documents that do not count, with sentences, and how many are too low and absent."""
        rows = [
            self._with_text({"document": str(each.document), "grade": each.grade, "sentence": sentence}, query)
            for each, sentence in zip(missing[:_DEPTH], sentences, strict=False)
        ]
        absent = sum(each.rank is None for each in missing)
        return {"missing": rows, "low": len(missing) - absent, "absent": absent}

    def _with_text(self, row: dict[str, Any], query: str) -> dict[str, Any]:
        """Add the text of the document, and start and end of what is gold in it."""
        document = row["document"]
        marks = self.documents.marks(query, document)
        return row | {"text": self.documents.texts.get(document, ""), "marks": marks}

    def _require_documents(self) -> None:
        """Refuse to grade and to move pieces of sources."""
        text = "pieces are judged by the gold spans that they hold, and are not moved or graded here"
        require(not self.has_spans, text, "change the gold, and open the page again")

    def _part(self, query: str, name: str) -> tuple[Qrels, Run]:
        """Return judgements and ranking of one query; of two queries, where the run does not answer this one."""
        run, queries = self.runs[name].only([query]), [query]
        if not run.queries():
            queries = [query, self._answered[name]]
            run = self.runs[name].only(queries)
        return self._with_new(Qrels(self.qrels, queries=queries)), run

    def _with_new(self, qrels: Qrels) -> Qrels:
        """Return judgements with the new grades of their queries."""
        if not any(self.judged.get(query) for query in qrels.queries):
            return qrels
        return Qrels({query: grades | self.judged.get(query, {}) for query, grades in qrels.with_text_ids().items()})

    def _evaluated(self, qrels: Qrels, runs: Mapping[str, Run]) -> RunValues:
        """Evaluate runs by the measures, and by how much of the first ranks is judged."""
        with warnings.catch_warnings(action="ignore", category=RankworthWarning):
            return evaluate_runs(qrels, runs, [*self.measures, _JUDGED], **self.conventions)

    def _means_of(self, values: RunValues) -> dict[str, Sequence[float | None]]:
        """Collect the means of each run, in the order of the measures."""
        return {name: [finite(each[measure]) for measure in self.measures] for name, each in values.items()}

    def _judged(self, name: str) -> NDArray[np.float64]:
        """Return for each query how much of the first ranks is judged; NaN where the run has no result."""
        is_answered = np.isin(self.ids, list(self.runs[name].queries()))
        return np.where(is_answered, self._values[name][:, -1], np.nan)

    def _fits(self, word: str, group: str) -> NDArray[np.bool_]:
        """Return which queries have a text in id or text, and belong to a group."""
        members = self.groups.get(group, ()) if group else self._rows
        lines = [f"{query}\n{self.text_by_query.get(query, '')}".casefold() for query in self.ids]
        fits = [query in members and word in line for query, line in zip(self.ids, lines, strict=True)]
        return np.array(fits, dtype=bool)

    def _column(self, request: Request) -> int:
        return self.measures.index(_among(self.measures, request, "measure"))

    def _runs(self, request: Request) -> Sequence[str]:
        """List the runs named by a request, once each; by default the first run."""
        named = checked(request.get("runs") or [next(iter(self.runs))], list, "runs")
        return list(dict.fromkeys(_among(self.runs, {"run": name}, "run") for name in named))

    def _query(self, request: Request) -> str:
        query = checked_text(checked(request, dict, "a request"), "query")
        require(query in self._rows, f"there is no query {query!r}")
        return query


def of_demo() -> Inspector:
    """Inspect the collection of the demonstration: its six runs, the texts of its queries and documents."""
    collection = demonstration.demo()
    queries = {query.id: {"text": query.text, "language": query.language} for query in collection.queries.values()}
    measures, conventions = ("nDCG@10", "RR@10", "AP"), {"rel": None, "profile": DEFAULT}
    runs = {name: collection.runs[name] for name in dict.fromkeys(("bm25", "dense", *collection.runs))}
    table = query_texts.queries(queries)
    return Inspector(collection.qrels, runs, measures, conventions, table, collection.documents)


def _among(choices: Mapping[str, Any] | Sequence[str], request: Request, name: str) -> str:
    """Read a name from the request, checked against the available names; the first of them by default."""
    word = _word(request, name) or next(iter(choices))
    require(word in choices, f"{name} must be one of {quoted(list(choices))}")
    return word


def _word(request: Request, name: str) -> str:
    """Read a text of a request; empty where it has none."""
    word: str = checked(checked(request, dict, "a request").get(name, ""), str, name)
    return word


def _written(rows: pl.DataFrame, form: str) -> bytes:
    """Write judgements as the content of a file."""
    file = BytesIO()
    write.write(iter([rows]), file, form, columns=("query", "document", "grade"))
    return file.getvalue()

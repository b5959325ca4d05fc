"""The inspector of the explorer: queries of runs, their rankings side by side, grades for unjudged documents."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth import demonstration, names
from rankworth.errors import MeasureError, RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation import evaluate_runs
from rankworth.evaluation.values import RunValues
from rankworth.explanation import Explanation, explain
from rankworth.explanation.trace import finite
from rankworth.explorer.playground import MAX_RANKS, bad_request, checked, checked_count, checked_number, checked_text
from rankworth.io import atomic, metadata, write
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, profile_of
from rankworth.settings import with_quirks

SORTS: Final = ("worst", "best", "loss", "gain", "id")
_ROWS: Final = 200
"""how many queries a page gets at once"""
_DEPTH: Final = 20
"""how many ranks of a ranking are shown at first, and how many missing documents"""
_TEXT: Final = 200
"""how many letters of a document go to the playground"""
_GROUPS: Final = 20
"""how many values a column of the table of queries has at most to make groups"""
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

    """

    qrels: Qrels
    runs: Mapping[str, Run]
    measures: Sequence[str]
    conventions: Mapping[str, Any]
    queries: metadata.QueryTable | None = None
    docs: object = None
    save: str = ""
    judged: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep runs as rows, of which those of a query are found at once, and evaluate them."""
        self.runs = {name: self._in_memory(run, name) for name, run in self.runs.items()}
        values = self._evaluated(self.qrels, self.runs)
        self.measures = next(iter(values.values())).per_query.measures[:-1]
        self.ids = sorted({query for each in values.values() for query in each.per_query.ids})
        self._rows = {query: row for row, query in enumerate(self.ids)}
        self._values = {name: np.full((len(self.ids), len(self.measures) + 1), np.nan) for name in self.runs}
        for name, each in values.items():
            self._values[name][[self._rows[query] for query in each.per_query.ids]] = each.per_query.array
        self._means = self._means_of(values)
        self._answered = {
            name: next(query for query in run.queries() if query in self._rows) for name, run in self.runs.items()
        }

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """What documents say: those that are judged, and those within the first ranks of a run."""
        if self.docs is None or isinstance(self.docs, Mapping):
            return self.docs or {}
        wanted = set(self.qrels.document_series.cast(pl.String))
        for run in self.runs.values():
            first = run.to_frame().group_by("query", maintain_order=True).head(MAX_RANKS)
            wanted |= set(first["document"].cast(pl.String))
        return metadata.documents(self.docs, wanted)

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
    def text_by_query(self) -> Mapping[str, str]:
        """What queries say."""
        return self.queries.texts if self.queries else {}

    def session(self) -> dict[str, Any]:
        """What the page needs to begin: names of runs and measures, means, groups."""
        return {
            "runs": list(self.runs),
            "measures": self.measures,
            "means": self._means,
            "groups": list(self.groups),
            "sorts": SORTS,
            "saves": self.save,
            "judges": not self.has_subtopics,
        }

    def means(self, _: Request) -> dict[str, Any]:
        """The means over all queries with the new grades."""
        qrels = self._with_new(self.qrels) if any(self.judged.values()) else self.qrels
        self._means = self._means_of(self._evaluated(qrels, self.runs))
        return self._means

    def rows(self, request: Request) -> dict[str, Any]:
        """Some queries: those that fit a filter and a group, sorted by value or difference, a page of them.

        Raises:
            UsageError: `bad-request`.

        """
        values, column = self._values, self._column(request)
        found = values[_among(self.runs, request, "run")][:, column]
        is_pair = bool(request.get("base"))
        others = values[_among(self.runs, request, "base")][:, column] if is_pair else np.full_like(found, np.nan)
        keys = (found, -found, found - others, others - found, np.zeros_like(found))
        order = np.argsort(keys[SORTS.index(_among(SORTS, request, "sort"))], kind="stable")
        fits = self._fits(_word(request, "filter").casefold(), _word(request, "group"))
        start = checked_count(request, "offset", 0) or 0
        chosen = order[fits[order]]
        rows = [
            {
                "id": self.ids[row],
                "text": self.text_by_query.get(self.ids[row], ""),
                "value": finite(found[row].item()),
                "difference": finite((found[row] - others[row]).item()),
                "judged": finite(values[_among(self.runs, request, "run")][row, -1].item()),
            }
            for row in chosen[start : start + _ROWS].tolist()
        ]
        return {"total": chosen.size, "rows": rows}

    def query(self, request: Request) -> dict[str, Any]:
        """One query: the ranking of one run or two with grades, texts and contributions, and what is missing.

        Raises:
            UsageError: `bad-request`.

        """
        query, depth = self._query(request), min(checked_count(request, "depth", 1) or _DEPTH, MAX_RANKS)
        rankings = [self._ranking(query, name, self._column(request)) for name in self._runs(request)[:2]]
        places = [{row["document"]: row["rank"] for row in ranking["rows"]} for ranking in rankings]
        for ranking, others in zip(rankings, places[::-1], strict=True):
            rows = map(self._with_text, ranking["rows"][:depth])
            new = self.judged.get(query, {})
            ranking["rows"] = [
                row | {"elsewhere": others.get(row["document"]), "is_new": row["document"] in new} for row in rows
            ]
        measure = self.measures[self._column(request)]
        return {"id": query, "text": self.text_by_query.get(query, ""), "measure": measure, "rankings": rankings}

    def judge(self, request: Request) -> dict[str, Any]:
        """Take a grade for a document, evaluate the query again, and write all new grades where a file is named.

        Raises:
            UsageError: `bad-request`; `unwritable-output`.

        """
        query = self._query(request)
        document, grade = checked_text(request, "document"), checked_number(request, "grade")
        form = write.target_format(self.save, "") if self.save else ""
        if form == "trec" and any(len(one.split()) != 1 for one in (query, document)):
            raise bad_request(f"{self.save} cannot hold ids with blanks", "save to a file .jsonl or .csv")
        if self.has_subtopics:
            raise bad_request(
                "the judgements are of subtopics, to which a new grade does not belong", "judge elsewhere"
            )
        before, self.judged = self.judged, self._with_grade(query, document, grade)
        try:
            parts = {name: self._part(query, name) for name in self.runs}
            found = {name: self._evaluated(qrels, {name: run})[name].per_query for name, (qrels, run) in parts.items()}
            if self.save:
                self.write()
        except BaseException:
            self.judged = before  # a grade counts once it is evaluated and saved
            raise
        for name, each in found.items():
            self._values[name][self._rows[query]] = each.array[list(each.ids).index(query)]
        values = {
            name: [finite(one.item()) for one in each[self._rows[query], :-1]] for name, each in self._values.items()
        }
        return {"values": values, "judged": sum(map(len, self.judged.values())), "saved": self.save}

    def _with_grade(self, query: str, document: str, grade: float | None) -> dict[str, dict[str, float]]:
        """The new grades with one more, or without that of a document."""
        known = {name: each for name, each in self.judged.get(query, {}).items() if name != document}
        return self.judged | {query: known if grade is None else known | {document: grade}}

    def write(self) -> None:
        """Write the new grades as judgements, in the format of the file's suffix.

        Raises:
            UsageError: `unwritable-output`, `unknown-format`.

        """
        form = write.target_format(self.save, "")
        try:
            with atomic.draft(Path(self.save)) as draft:
                write.write(iter([self.new_grades]), draft.file, form, columns=("query", "document", "grade"))
                draft.publish()
        except OSError as error:
            raise UsageError("unwritable-output", f"{self.save}: {error.strerror}") from None

    def grades(self, _: Request) -> dict[str, str]:
        """The new grades as lines of TREC's judgements, or of JSON where ids have blanks."""
        rows = self.new_grades
        has_blanks = any(len(one.split()) != 1 for name in ("query", "document") for one in rows[name])
        if not has_blanks:
            return {"name": "qrels.txt", "text": "".join("{} {} {} {:g}\n".format(*row) for row in rows.iter_rows())}
        return {"name": "qrels.jsonl", "text": rows.drop("subtopic").write_ndjson()}

    @property
    def new_grades(self) -> pl.DataFrame:
        """The new grades as rows of judgements."""
        rows = [(query, "0", *judged) for query, some in self.judged.items() for judged in some.items()]
        names = ("query", "subtopic", "document")
        return pl.DataFrame(rows, dict.fromkeys(names, pl.String) | {"grade": pl.Float64}, orient="row")

    def playground(self, request: Request) -> dict[str, Any]:
        """A query as a state of the playground: its judged documents, the rankings of the runs, and the conventions."""
        query, conventions = self._query(request), with_quirks(self.conventions)
        rankings, notes = [], []
        for name in self._runs(request):
            frame = self.runs[name].only([query]).to_frame()
            if self._order != "given":
                frame = frame.sort("score", descending=True, maintain_order=True)
            first = frame.head(MAX_RANKS).with_columns(pl.col("document").cast(pl.String))
            rankings.append(
                {"name": name, "documents": first["document"].to_list(), "scores": first["score"].to_list()}
            )
            if frame.height > MAX_RANKS:
                notes.append(f"{name} has {frame.height:,} documents, of which the first {MAX_RANKS:,} are here.")
        settings = {name: one for name, one in conventions.items() if isinstance(one, str | int | float)}
        if self.has_subtopics:
            notes.append("The subtopics of the judgements are not here: each document has its best grade.")
        if absent := conventions.keys() - settings.keys() - {"rel", "profile"}:
            notes.append(f"What {quoted(sorted(absent))} did to the runs is not here.")
        grades = self._with_new(Qrels(self.qrels, queries=[query])).with_text_ids()[query]
        ids = dict.fromkeys([*(one for each in rankings for one in each["documents"]), *grades])
        return {
            "query": query,
            "text": self.text_by_query.get(query, ""),
            "note": " ".join(notes),
            "documents": [
                {"id": one, "grade": grades.get(one), "text": self.documents.get(one, "")[:_TEXT]} for one in ids
            ],
            "rankings": rankings,
            "measures": self.measures,
            "profile": profile_of(self.conventions["profile"]).name,
            "rel": self.conventions.get("rel"),
            "settings": {name: one for name, one in settings.items() if name not in ("rel", "profile")},
        }

    def _in_memory(self, run: Run, name: str) -> Run:
        """A run as rows; ranks, where these put documents in order, take the place of scores."""
        is_ranked = self._order == "rank"
        ranked = run if run.has_ranks or not is_ranked else run.by_rank() or run
        rows = pl.concat(list(ranked.batches(ranks=is_ranked)))
        return Run(rows.with_columns(score=-pl.col("rank")) if "rank" in rows.columns else rows, name)

    @property
    def _order(self) -> str:
        """What puts documents in order: their scores, their ranks, or the lines of the file."""
        settings = {name: value for name, value in self.conventions.items() if name not in ("rel", "profile")}
        profile = profile_of(self.conventions["profile"]).derive(**with_quirks(settings))
        return profile.ask(self.measures[:1])[0].judging.order

    def _ranking(self, query: str, name: str, column: int) -> dict[str, Any]:
        """The ranking of one run for one query: every rank as it is judged, with what it adds."""
        (qrels, run), measure = self._part(query, name), self.measures[column]
        found = {"run": name, "value": finite(self._values[name][self._rows[query], column].item())}
        if query not in run.queries():
            grades = qrels.with_text_ids()[query]
            wanted = sorted((one for one in grades if grades[one] > 0), key=lambda one: -grades[one])
            missing = [{"document": one, "grade": grades[one], "rank": None, "change": None} for one in wanted]
            return found | {"rows": [], "missing": self._first(missing), "arithmetic": "no document was retrieved"}
        explained = self._explained(qrels, run, query, measure)
        whole = self._explained(qrels, run, query, _uncut(measure)) or self._explained(qrels, run, query, _LISTING)
        adds = {str(term.document): finite(term.contribution) for term in explained.terms} if explained else {}
        rows = [row | {"adds": adds.get(row["document"])} for row in whole.to_dict()["terms"]] if whole else []
        return found | {
            "rows": [row for row in rows if row["document"]],
            "missing": self._first(explained.to_dict()["missing"]) if explained else [],
            "arithmetic": explained.arithmetic if explained else f"no rank adds to {measure}",
        }

    def _explained(self, qrels: Qrels, run: Run, query: str, measure: str | Measure) -> Explanation | None:
        """How a value comes about; None where a measure is counted, and where a tool does not have it."""
        try:
            found: Explanation = explain(qrels, run, measure, query=query, **self.conventions)
        except RankworthError:
            return None
        return found

    def _first(self, rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        """The first documents of several, with what they say."""
        return [self._with_text(row) for row in rows[:_DEPTH]]

    def _with_text(self, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"text": self.documents.get(row["document"], "")}

    def _part(self, query: str, name: str) -> tuple[Qrels, Run]:
        """The judgements of one query and its ranking; of two, where the run does not answer this one."""
        run, queries = self.runs[name].only([query]), [query]
        if not run.queries():
            queries = [query, self._answered[name]]
            run = self.runs[name].only(queries)
        return self._with_new(Qrels(self.qrels, queries=queries)), run

    def _with_new(self, qrels: Qrels) -> Qrels:
        """Judgements with the new grades of their queries."""
        if not any(self.judged.get(query) for query in qrels.queries):
            return qrels
        return Qrels({query: known | self.judged.get(query, {}) for query, known in qrels.with_text_ids().items()})

    def _evaluated(self, qrels: Qrels, runs: Mapping[str, Run]) -> RunValues:
        """The values of some queries, and how much of the first ranks is judged."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)
            return evaluate_runs(qrels, runs, [*self.measures, _JUDGED], **self.conventions)

    def _means_of(self, values: RunValues) -> dict[str, Sequence[float | None]]:
        """The means of each run, in the order of the measures."""
        return {name: [finite(each[measure]) for measure in self.measures] for name, each in values.items()}

    def _fits(self, word: str, group: str) -> NDArray[np.bool_]:
        """Which queries have a text in id or text, and belong to a group."""
        members = self.groups.get(group, ()) if group else self._rows
        texts = [f"{query}\n{self.text_by_query.get(query, '')}".casefold() for query in self.ids]
        fits = [query in members and word in text for query, text in zip(self.ids, texts, strict=True)]
        return np.array(fits, dtype=bool)

    def _column(self, request: Request) -> int:
        return self.measures.index(_among(self.measures, request, "measure"))

    def _runs(self, request: Request) -> Sequence[str]:
        """The runs that are named, once each; the first where none is."""
        named = checked(request.get("runs") or [next(iter(self.runs))], list, "runs are a list of names")
        return list(dict.fromkeys(_among(self.runs, {"run": name}, "run") for name in named))

    def _query(self, request: Request) -> str:
        query = checked_text(checked(request, dict, "a request is an object"), "query")
        if query not in self._rows:
            raise bad_request(f"there is no query {query!r}")
        return query


def of_demo() -> Inspector:
    """The collection of the demonstration: its six runs, the texts of its queries and documents."""
    collection = demonstration.demo()
    queries = {query.id: {"text": query.text, "language": query.language} for query in collection.queries.values()}
    measures = ("nDCG@10", "RR@10", "AP")
    conventions = {"rel": None, "profile": DEFAULT}
    table = metadata.queries(queries)
    runs = {name: collection.runs[name] for name in dict.fromkeys(("bm25", "dense", *collection.runs))}
    return Inspector(collection.qrels, runs, measures, conventions, table, collection.documents)


def _among(known: Mapping[str, Any] | Sequence[str], request: Request, name: str) -> str:
    """A name that is one of some; the first of them where there is none."""
    word = _word(request, name) or next(iter(known))
    if word not in known:
        raise bad_request(f"{name} is one of {quoted(list(known))}")
    return word


def _word(request: Request, name: str) -> str:
    """A text of a request, or nothing."""
    word: str = checked(checked(request, dict, "a request is an object").get(name, ""), str, f"{name} is a text")
    return word


def _uncut(measure: str) -> str | Measure:
    """A measure without its cutoff, so that all ranks are listed."""
    try:
        parsed = names.parse(measure)
    except MeasureError:
        return measure
    return replace(parsed, cutoff=None) if isinstance(parsed, Measure) else measure

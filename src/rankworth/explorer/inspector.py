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
from rankworth.explanation import explain
from rankworth.explanation.trace import finite
from rankworth.explorer.playground import bad_request, checked_number, checked_text
from rankworth.io import atomic, metadata, write
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.profiles import DEFAULT, profile_of

SORTS: Final = ("worst", "best", "loss", "gain", "id")
_ROWS: Final = 200
"""how many queries a page gets at once"""
_DEPTH: Final = 20
_DEEPEST: Final = 1_000
"""how many ranks of a ranking are shown at first, and at most"""
_GROUPS: Final = 20
"""how many values a column of the table of queries has at most to make groups"""
_JUDGED: Final = "Judged@10"
Asked = Mapping[str, str]
"""The parameters of a request."""


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
        self.runs = {name: Run(pl.concat(list(run.batches())), name) for name, run in self.runs.items()}
        values = self._evaluated(self.qrels, self.runs)
        self.measures = next(iter(values.values())).per_query.measures[:-1]
        self.ids = sorted({query for each in values.values() for query in each.per_query.ids})
        self._rows = {query: row for row, query in enumerate(self.ids)}
        self._values = {name: np.full((len(self.ids), len(self.measures) + 1), np.nan) for name in self.runs}
        self._keep(values)

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """What documents say: those that are judged, and those within the first ranks of a run."""
        if self.docs is None or isinstance(self.docs, Mapping):
            return self.docs or {}
        wanted = set(self.qrels.document_series.cast(pl.String))
        for run in self.runs.values():
            first = run.to_frame().group_by("query", maintain_order=True).head(_DEEPEST)
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

    @property
    def text_by_query(self) -> Mapping[str, str]:
        """What queries say."""
        return self.queries.texts if self.queries else {}

    def session(self) -> dict[str, Any]:
        """What the page needs to begin: names of runs and measures, means, groups."""
        means = {name: np.nanmean(values[:, :-1], axis=0).tolist() for name, values in self._values.items()}
        return {
            "runs": list(self.runs),
            "measures": self.measures,
            "means": {name: list(map(finite, row)) for name, row in means.items()},
            "groups": list(self.groups),
            "sorts": SORTS,
            "saves": self.save,
        }

    def list(self, asked: Asked) -> dict[str, Any]:
        """Some queries: those that fit a filter and a group, sorted by value or difference, a page of them.

        Raises:
            UsageError: `bad-request`.

        """
        run, base = _among(self.runs, asked, "run"), asked.get("base")
        column = self._column(asked)
        values = self._values[run][:, column]
        others = self._values[_among(self.runs, asked, "base")][:, column] if base else np.full_like(values, np.nan)
        keys = (values, -values, values - others, others - values, np.zeros_like(values))
        order = np.argsort(keys[SORTS.index(_among(SORTS, asked, "sort"))], kind="stable")
        fits = self._fits(asked.get("filter", "").casefold(), asked.get("group", ""))
        start = _count(asked, "offset", 0)
        chosen = order[fits[order]]
        rows = [
            {
                "id": self.ids[row],
                "text": self.text_by_query.get(self.ids[row], ""),
                "value": finite(values[row].item()),
                "difference": finite((values[row] - others[row]).item()),
                "judged": finite(self._values[run][row, -1].item()),
            }
            for row in chosen[start : start + _ROWS].tolist()
        ]
        return {"total": chosen.size, "rows": rows}

    def query(self, asked: Asked) -> dict[str, Any]:
        """One query: the ranking of one run or two with grades, texts and contributions, and what is missing.

        Raises:
            UsageError: `bad-request`.

        """
        query, depth = self._query(asked), min(max(_count(asked, "depth", _DEPTH), 1), _DEEPEST)
        rankings = [self._ranking(query, name, self._column(asked)) for name in self._runs(asked)[:2]]
        places = [{row["document"]: row["rank"] for row in ranking["rows"]} for ranking in rankings]
        for ranking, others in zip(rankings, places[::-1], strict=True):
            rows = map(self._with_text, ranking["rows"][:depth])
            ranking["rows"] = [row | {"elsewhere": others.get(row["document"])} for row in rows]
        measure = self.measures[self._column(asked)]
        return {"id": query, "text": self.text_by_query.get(query, ""), "measure": measure, "rankings": rankings}

    def judge(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Take a grade for a document, evaluate the query again, and write all new grades where a file is named.

        Raises:
            UsageError: `bad-request`; `unwritable-output`.

        """
        query, document, grade = self._query(asked), checked_text(asked, "document"), checked_number(asked, "grade")
        before, self.judged = self.judged, self._with_grade(query, document, grade)
        try:
            values = self._evaluated(*self._part(query))
            if self.save:
                self.write()
        except BaseException:
            self.judged = before  # a grade counts once it is evaluated and saved
            raise
        self._keep(values)
        row = self._rows[query]
        shown = {name: list(map(finite, found[row, :-1].tolist())) for name, found in self._values.items()}
        return {"values": shown, "judged": sum(map(len, self.judged.values())), "saved": self.save}

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

    def trec(self) -> str:
        """The new grades as lines of TREC's judgements."""
        return "".join("{} {} {} {:g}\n".format(*row) for row in self.new_grades.iter_rows())

    @property
    def new_grades(self) -> pl.DataFrame:
        """The new grades as rows of judgements."""
        rows = [(query, "0", *judged) for query, some in self.judged.items() for judged in some.items()]
        names = ("query", "subtopic", "document")
        return pl.DataFrame(rows, dict.fromkeys(names, pl.String) | {"grade": pl.Float64}, orient="row")

    def playground(self, asked: Asked) -> dict[str, Any]:
        """A query as a state of the playground: its judged documents, and the first ranks of the runs."""
        query = self._query(asked)
        grades = self._part(query)[0].with_text_ids()[query]
        rankings = []
        for name in self._runs(asked):
            frame = self.runs[name].only([query]).to_frame().sort("score", descending=True, maintain_order=True)
            first = frame.head(_DEPTH).with_columns(pl.col("document").cast(pl.String))
            rankings.append(
                {"name": name, "documents": first["document"].to_list(), "scores": first["score"].to_list()}
            )
        ids = dict.fromkeys([*(one for each in rankings for one in each["documents"]), *grades])
        return {
            "query": query,
            "text": self.text_by_query.get(query, ""),
            "documents": [{"id": one, "grade": grades.get(one), "text": self.documents.get(one, "")} for one in ids],
            "rankings": rankings,
            "measures": self.measures,
            "profile": profile_of(self.conventions["profile"]).name,
            "rel": self.conventions.get("rel"),
            "settings": {name: one for name, one in self.conventions.items() if name in ("ties", "unjudged")},
        }

    def _ranking(self, query: str, name: str, column: int) -> dict[str, Any]:
        """The ranking of one run for one query: every rank as it is judged, with what it adds."""
        (qrels, runs), measure = self._part(query, name), self.measures[column]
        value = finite(self._values[name][self._rows[query], column].item())
        try:
            explained, whole = (
                explain(qrels, runs[name], each, query=query, **self.conventions) for each in (measure, _uncut(measure))
            )
        except RankworthError as error:
            return {"run": name, "value": value, "rows": [], "missing": [], "arithmetic": error.problems[0]}
        adds = {str(term.document): finite(term.contribution) for term in explained.terms}
        rows = [row | {"adds": adds.get(row["document"])} for row in whole.to_dict()["terms"] if row["document"]]
        missing = [self._with_text(one) for one in explained.to_dict()["missing"][:_DEPTH]]
        return {"run": name, "value": value, "rows": rows, "missing": missing, "arithmetic": explained.arithmetic}

    def _with_text(self, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"text": self.documents.get(row["document"], "")}

    def _part(self, query: str, *runs: str) -> tuple[Qrels, dict[str, Run]]:
        """The judgements of one query, with the new grades, and its rankings."""
        qrels, judged = Qrels(self.qrels, queries=[query]), self.judged.get(query)
        qrels = Qrels({query: qrels.with_text_ids()[query] | judged}) if judged else qrels
        return qrels, {name: self.runs[name].only([query]) for name in runs or self.runs}

    def _evaluated(self, qrels: Qrels, runs: Mapping[str, Run]) -> RunValues:
        """The values of some queries, and how much of the first ranks is judged."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankworthWarning)
            return evaluate_runs(qrels, runs, [*self.measures, _JUDGED], **self.conventions)

    def _keep(self, values: RunValues) -> None:
        """Put values into the rows of their queries."""
        for name, each in values.items():
            self._values[name][[self._rows[query] for query in each.per_query.ids]] = each.per_query.array

    def _fits(self, word: str, group: str) -> NDArray[np.bool_]:
        """Which queries have a text in id or text, and belong to a group."""
        members = self.groups.get(group, ()) if group else self._rows
        texts = [f"{query}\n{self.text_by_query.get(query, '')}".casefold() for query in self.ids]
        fits = [query in members and word in text for query, text in zip(self.ids, texts, strict=True)]
        return np.array(fits, dtype=bool)

    def _column(self, asked: Asked) -> int:
        return self.measures.index(_among(self.measures, asked, "measure"))

    def _runs(self, asked: Asked) -> Sequence[str]:
        return [_among(self.runs, {"run": name}, "run") for name in asked.get("runs", "").split("\n")]

    def _query(self, asked: Mapping[str, Any]) -> str:
        query = checked_text(asked, "query")
        if query not in self._rows:
            raise bad_request("there is no such query")
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


def _among(known: Mapping[str, Any] | Sequence[str], asked: Asked, name: str) -> str:
    """A parameter that is one of some words; the first of them where it is not there."""
    word = asked.get(name) or next(iter(known))
    if word not in known:
        raise bad_request(f"{name} is one of {quoted(list(known))}")
    return word


def _count(asked: Asked, name: str, default: int) -> int:
    text = asked.get(name, str(default))
    if not (text.isascii() and text.isdecimal()):
        raise bad_request(f"{name} is a whole number")
    return int(text)


def _uncut(measure: str) -> str | Measure:
    """A measure without its cutoff, so that all ranks are listed."""
    try:
        parsed = names.parse(measure)
    except MeasureError:
        return measure
    return replace(parsed, cutoff=None) if isinstance(parsed, Measure) else measure

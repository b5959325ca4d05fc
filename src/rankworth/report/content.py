"""What a report says of runs: one record, made of what evaluations, comparisons and explanations return."""

import contextlib
import hashlib
import inspect
import math
import random
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from rankworth.checking import check
from rankworth.comparison import Comparison, compare
from rankworth.comparison.verdict import Conclusion, pairs
from rankworth.errors import RankworthError, RankworthWarning, UsageError, counted, quoted
from rankworth.evaluation import evaluate_profiles, evaluate_runs
from rankworth.explanation import Explanation, explain_queries
from rankworth.explanation.trace import finite
from rankworth.io import atomic, query_texts
from rankworth.io.source import STDIN
from rankworth.judging.spans import MarkedTexts
from rankworth.model import Qrels, Run
from rankworth.names import measure_of, parse
from rankworth.pipelines import trace
from rankworth.plots import data
from rankworth.profiles import DEFAULT, Profile, profile_of
from rankworth.report import dates, page
from rankworth.report.means import tradeoff
from rankworth.results.file import Result
from rankworth.results.loading import is_results, load
from rankworth.results.values import RunValues, Values
from rankworth.tables.analysis import record as as_json
from rankworth.tables.wording import named, named_alone
from rankworth.version import __version__

SCHEMA: Final = "rankworth.report/1"
MEASURES: Final = ("nDCG@10", "RR@10", "AP", "R@100")
MAX_SIZE: Final = 1_500_000
_RECALLS: Final = tuple(f"IPrec@{recall:g}" for recall in data.RECALLS)
_JUDGED: Final = "Judged@10"
_DIGITS: Final = 7
_LEVEL: Final = 0.95
_OF_TERMS: Final = 5
_LETTERS: Final = 100
"""how many letters of a document the page has"""
_OF_PIECES: Final = 4_000
"""how many of a piece, in which gold is marked"""
_DEPTH: Final = 10
"""how many ranks of a ranking, for measures without a cutoff"""
_MISSING: Final = 6
"""how many documents that do not count are listed for a query"""
_LISTED: Final = 4
"""how many runs have their rankings on the page"""
_EXPLAINED: Final = 250
"""of how many queries documents are listed that do not count"""
_LEAST: Final = 800
"""how many bytes a query with its rankings has at least"""
_EXTREMES: Final = 5
"""how many losses and gains the page lists, whose rankings are always on it"""
_SENTENCES: Final = 1_500
"""how many bytes the sentences have that say what is not on the page"""
_CHUNK: Final = 20
"""after how many queries the size is looked at"""
_GROUPS: Final = 20
"""how many values a column of the table of queries has at most to make groups"""
_GAINS: Final = 20
"""how many documents are listed that would raise a mean"""
_PAIRED: Final = 8
"""up to how many runs each pair has its differences on the page, by all measures"""
_PROFILED: Final = 2_000
"""up to how many queries the runs are measured under all profiles"""


Measured = Comparison | Values | Result
"""What a report is about: several runs, or one."""


@dataclass(frozen=True)
class Report:
    """What a report says, and the page that shows it.

    Attributes:
        record: all of it, as JSON holds it: schema `rankworth.report/1`.
        tables: sections that are read without a script, as static HTML by their headings.

    """

    record: Mapping[str, Any]
    tables: Mapping[str, str]

    @property
    def html(self) -> str:
        """The page: one file that loads nothing from elsewhere."""
        return page.html(self.record, self.tables)

    def save(self, path: str | Path) -> None:
        """Write the page, whole or not at all.

        Raises:
            UsageError: `unwritable-output`.

        """
        atomic.write({Path(path): self.html.encode()})


@dataclass(frozen=True)
class _Inputs:
    """Judgements, runs that are measured here, and how."""

    qrels: Any
    runs: Mapping[str, Run]
    options: Mapping[str, Any]
    lead: str
    docs: object

    @property
    def depth(self) -> int:
        """How many ranks of a ranking are shown."""
        measure = measure_of(self.lead)
        return (measure.cutoff if measure else None) or _DEPTH

    def explained(self, run: str, queries: Sequence[str]) -> list[Explanation]:
        """Explain how the values of queries by the first measure come about; empty where it is not explained."""
        try:
            ranked = self.runs[run].only(queries)
            explanations = explain_queries(self.qrels, ranked, [self.lead], queries=queries, **self.options)
        except RankworthError:
            return []
        return [each for each in explanations if isinstance(each, Explanation)]


def make(
    qrels: object = None,
    runs: Mapping[str, object] | RunValues | None = None,
    measures: Iterable[str] | None = None,
    *,
    queries: object = None,
    docs: object = None,
    max_size: int = MAX_SIZE,
    seed: int = 0,
    profiles: bool = True,
    command: str = "",
    title: str = "",
    date: str = "",
    files: Iterable[str | Path] = (),
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    comparing: Mapping[str, Any] | None = None,
    stages: object = None,
    **settings: Any,  # noqa: ANN401 - those of `evaluate`
) -> Report:
    """Collect what a report on one run or several shows: scores, differences, the queries behind them, and why.

    Args:
        qrels: judgements, as for `evaluate`; needless where all values were stored.
        runs: by name, as for `compare`: runs, results files or `Values`. The first is the baseline. A results
            file alone may hold several.
        measures: as for `evaluate`, nDCG@10, RR@10, AP and R@100 where not said; rankings are explained by the first.
        queries: the texts of queries and further columns, as `rankworth.io.query_texts.queries` gives them.
        docs: the texts of documents: a dict, or a file as for `explain`.
        max_size: how many bytes the page may have. All values are on it, and the rankings of as many queries as fit:
            those that differ most, or are worst, and then a random sample.
        seed: of this choice, and of what `compare` draws.
        profiles: whether the runs are measured under all profiles, up to 2,000 queries; it takes most of the time.
        command: the command line that made it, for the page.
        title: the name of the data.
        date: of the page, as 2026-11-26; the day on which the newest of `files` was written where not said, so that the
            same files make the same page.
        files: what was read, for their digests on the page.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        comparing: further options of `compare`, such as `margin` and `by`.
        stages: a pipeline, as for `rankworth.trace`, for a section on the stage to work on, by the first measure.
        **settings: as for `evaluate`; with stages those that `trace` has.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate` and `compare`.

    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> old, new = {"q1": ["c", "a"], "q2": ["b"]}, {"q1": ["a", "c"], "q2": ["b"]}
    >>> found = make(qrels, {"old": old, "new": new}, ["RR"])
    >>> found.record["values"]["new"]["RR"], found.record["lists"]["q1"]["old"]["rows"][1][:3]
    ([1.0, 1.0], ['a', 1.0, 0.5])
    """
    if not runs:
        raise UsageError("conflicting-options", "there is no run to report on")
    if isinstance(docs, str) and docs != STDIN:
        query_texts.check_documents(docs)
    table = queries if isinstance(queries, query_texts.QueryTable | None) else query_texts.queries(queries)
    options = {"rel": rel, "profile": profile_of(profile), **settings}
    with warnings.catch_warnings(action="ignore", category=RankworthWarning):
        raw = {name: side for name, side in runs.items() if not _is_stored(side)}
        labels = list(measures or MEASURES)
        loaded = {name: (side if isinstance(side, Run) else Run(side, name)).held() for name, side in raw.items()}
        judged = qrels if qrels is None or isinstance(qrels, Qrels) else Qrels(qrels)
        evaluated = dict(evaluate_runs(judged, loaded, labels, **options)) if loaded else {}
        sides: Mapping[str, object] = {name: evaluated.get(name, side) for name, side in runs.items()}
        only = next(iter(sides.values()))
        if len(sides) == 1 and isinstance(only, str | Path):
            sides = load(only)
            only = next(iter(sides.values()))
        shown: Measured
        if len(sides) > 1:
            wanted = labels if measures or loaded else None
            how = {"seed": seed, **(comparing or {})}
            by_column = any(how.get(name) for name in ("by", "weights", "macro"))
            how |= options if any(isinstance(side, list) for side in sides.values()) else {}
            shown = compare(judged, sides, wanted, table=table if by_column else None, **how)
        elif isinstance(only, Values | Result):
            shown = only
        else:
            text = "several runs of one system are compared with another system, and there is none"
            raise UsageError("conflicting-options", text, remedy="give a second system")
        labels = list(shown.measures if isinstance(shown, Comparison) else shown.per_query.measures)
        inputs = _Inputs(judged, loaded, options, labels[0], docs)
        further = _further(inputs, labels)
        record = _summary(shown, labels, table, seed) | _curves(further, options)
        paths = [Path(path) for path in files]
        record |= {
            "title": title,
            "date": dates.of_page(date, paths),
            "about": _about(labels),
            "tradeoff": tradeoff(record),
            "command": command,
            "digests": {str(path): _digest(path) for path in paths},
        }
        record["judged"] = {name: _column(values, _JUDGED, record["queries"]) for name, values in further.items()}
        is_profiled = profiles and len(record["queries"]) <= _PROFILED
        record["profiles"] = _profiles(inputs, labels) if is_profiled else []
        findings = check(judged, loaded, labels, **options).findings if loaded else ()
        record["findings"] = [{"severity": each.severity, "slug": each.slug, "text": each.text} for each in findings]
        record["pipeline"] = _pipeline(inputs, stages, table, comparing or {})
        tables = _tables(shown)
        _add_lists(record, inputs, tables, max_size=max_size, seed=seed)
        record["lacks"] = list(_lacks(record, inputs, profiles=profiles))
    return Report(record, tables)


def _pipeline(
    inputs: _Inputs, stages: object, table: query_texts.QueryTable | None, comparing: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the result of `trace` for a pipeline and the rows of its chart, or None without a pipeline.

    Raises:
        UsageError: `conflicting-options` without judgements or with several columns of groups; as `trace`.

    """
    if stages is None:
        return None
    if inputs.qrels is None:
        text = "a pipeline is traced by judgements, and there are results files only"
        raise UsageError("conflicting-options", text, remedy="name judgements first: rankworth report QRELS RUN...")
    how = {name: comparing[name] for name in ("weights", "macro", "resamples") if comparing.get(name) is not None}
    columns = [comparing["by"]] if isinstance(comparing.get("by"), str) else list(comparing.get("by") or ())
    if len(columns) > 1:
        text = f"losses of a pipeline are shown by the groups of one column, and by names {quoted(columns)}"
        raise UsageError("conflicting-options", text, remedy="name one")
    how |= {"table": table} | ({"by": columns[0]} if columns else {})
    traced = trace(inputs.qrels, stages, inputs.lead, **{**inputs.options, **how})
    return traced.to_dict() | {"documents": len(traced.documents), "flow": data.flow(traced).to_dicts()}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_stored(side: object) -> bool:
    """Return whether no single ranking is known: values measured elsewhere, or several runs of one system."""
    is_path = isinstance(side, str | Path)
    return isinstance(side, Values | Result | list) or (is_path and is_results(str(side)))


def _further(inputs: _Inputs, labels: Sequence[str]) -> Mapping[str, Values]:
    """Return the values at several cutoffs and recalls, how much is judged, and how long rankings are, where known."""
    cut = [f"{name}@{cutoff}" for name in _uncut(labels) for cutoff in data.CUTOFFS]
    wanted = [_JUDGED, data.LENGTH, *_RECALLS, *cut]
    try:
        return evaluate_runs(inputs.qrels, inputs.runs, wanted, **inputs.options) if inputs.runs else {}
    except RankworthError:
        return {}


def _uncut(labels: Iterable[str]) -> list[str]:
    """Return the measures that take a cutoff, without theirs."""
    measures = [measure for measure in map(measure_of, labels) if measure and not measure.definition.at]
    return list(dict.fromkeys(str(measure).partition("@")[0] for measure in measures))


def _summary(shown: Measured, labels: Sequence[str], table: query_texts.QueryTable | None, seed: int) -> dict[str, Any]:
    """Return verdict, means, differences, and the values of all queries."""
    texts = table.texts if table else {}
    if isinstance(shown, Comparison):
        scores = shown.scores
        ids, means = list(scores.queries), shown.means
        values = dict(zip(shown.systems, scores.values_of_queries, strict=True))
        low, high = scores.intervals(_LEVEL, seed).tolist()  # [S, M] each
        ends = {
            name: [[finite(end) for end in pair] for pair in zip(*sides, strict=True)]
            for name, *sides in zip(shown.systems, low, high, strict=True)
        }
        better, conclusion = scores.better, replace(shown, texts=texts).verdict
    else:
        ids, means, conclusion = list(shown.per_query.ids), {shown.run: shown.mean()}, _of_single(shown, texts)
        values = {shown.run: shown.per_query.array.T}
        measures = {label: measure_of(label) for label in labels}
        better = {label: measure.definition.better if measure else "higher" for label, measure in measures.items()}
        by_label = shown.interval(level=_LEVEL, seed=seed)
        ends = {shown.run: [[finite(by_label[label].low), finite(by_label[label].high)] for label in labels]}
    table_of_runs = np.array([*values.values()])  # [S, M, Q]
    whole = [  # measures that have a mean, and no value of any query
        label
        for number, label in enumerate(labels)
        if np.isnan(table_of_runs[:, number]).all() and not all(math.isnan(row[label]) for row in means.values())
    ]
    rows = {query: row for row, query in enumerate(texts)}
    groups = {
        name: [cells[rows[query]] if query in rows else "" for query in ids]
        for name, cells in (table.columns if table else {}).items()
        if 1 < len(set(cells)) <= _GROUPS
    }
    return {
        "schema": SCHEMA,
        "rankworth": __version__,
        "runs": list(values),
        "measures": list(labels),
        "better": {label: better[label] for label in labels},
        "whole": whole,
        "verdict": conclusion.sentences,
        "conclusion": {
            "title": conclusion.title,
            **{name: getattr(conclusion, name) for name in ("state", "sentence", "line", "details", "leaders")},
        },
        "means": {name: {label: finite(row[label]) for label in labels} for name, row in means.items()},
        "intervals": {name: dict(zip(labels, pairs, strict=True)) for name, pairs in ends.items()},
        **_pairs_of(shown, labels),
        "comparison": shown.to_dict() if isinstance(shown, Comparison) else None,
        "signatures": shown.signatures if isinstance(shown, Comparison) else {"": shown.signature},
        "queries": ids,
        "texts": [texts.get(query, "") for query in ids],
        "groups": groups,
        "values": {
            name: {label: list(map(_rounded, row)) for label, row in zip(labels, result, strict=True)}
            for name, result in values.items()
        },
    }


def _pairs_of(shown: Measured, labels: Sequence[str]) -> dict[str, Any]:
    """Return the pairs of runs that the page compares: all differences, and the pairs that it begins with.

    These are the two runs, or the next one and the best one of several; and the pair whose groups are shown.
    """
    if not isinstance(shown, Comparison) or shown.verdict.pair is None:
        return {"pairs": [], "pair": [shown.run] if not isinstance(shown, Comparison) else list(shown.systems)}
    first, second = shown.verdict.pair.first, shown.verdict.pair.second
    rows = pairs(shown, labels if len(shown.systems) <= _PAIRED else labels[:1])
    listed = {(row.measure, row.first, row.second) for row in rows}
    rows += [row for row in shown.differences if row[:3] not in listed]
    of_groups = shown.verdict.of_groups or shown.verdict.pair
    return {
        "pairs": [as_json(row) for row in rows],
        "pair": [first, second],
        "group_pair": [of_groups.first, of_groups.second],
    }


def _rounded(value: float | None, digits: int = _DIGITS) -> float | None:
    value = finite(value)
    return None if value is None else round(float(value), digits)


def _column(values: Values, label: str, ids: Sequence[str]) -> list[float | None]:
    """Return one measure of the queries in their order."""
    table = values.per_query
    if label not in table.measures:
        return []
    value_of = dict(zip(table.ids, table.array[:, table.measures.index(label)], strict=True))
    return [_rounded(value_of.get(query)) for query in ids]


def _of_single(values: Values | Result, texts: Mapping[str, str]) -> Conclusion:
    """State the verdict on one run: its mean, and the queries without any value."""
    table, lead = values.per_query, values.per_query.measures[0]
    nothing = [query for query, value in zip(table.ids, table.array[:, 0], strict=True) if value == 0]
    sentence = (
        f"{named_alone(values.run)} has a mean {lead} of {values.mean()[lead]:.3f} over {counted(len(table.ids))}"
    )
    has_values = not np.isnan(table.array[:, 0]).all()
    line = f"{len(nothing):,} of them have the value 0{named(nothing, texts)}." if has_values else ""
    return Conclusion("single", sentence, line)


def _curves(results: Mapping[str, Values], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the means at the cutoffs that each run reaches, interpolated precision by recall, and the last ranks."""
    at_k, recalls = [], []
    ends = {name: data.last_rank(values) for name, values in results.items()}
    for name, values in results.items():
        for label in values.per_query.measures:
            measure, _, cutoff = label.rpartition("@")
            if label in _RECALLS:
                recalls.append({"run": name, "recall": float(cutoff), "value": finite(values[label])})
            elif label != _JUDGED and cutoff.isdecimal() and int(cutoff) <= max(data.CUTOFFS[0], ends[name]):
                at_k.append({"run": name, "measure": measure, "cutoff": int(cutoff), "value": finite(values[label])})
    return {"at_k": at_k, "recall": recalls, "ends": ends, "profile": options["profile"].name}


def _profiles(inputs: _Inputs, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Return the means under each profile; empty cells where one refuses."""
    rows = []
    for name, run in inputs.runs.items():
        for profile, values in evaluate_profiles(inputs.qrels, run, labels, rel=inputs.options["rel"]).items():
            cells = None if isinstance(values, RankworthError) else [finite(each) for each in values.values()]
            rows.append({"run": name, "profile": profile, "values": cells})
    return rows


def _order(record: Mapping[str, Any], seed: int) -> list[int]:
    """Order rows of queries by how much they matter.

    These are the largest losses and gains by the first measure (of one run the lowest and highest values), then those
    that differ most by each measure in turn, or are worst, then the rest at random.
    """
    first, *other_runs = ([np.array(each, dtype=float) for each in run.values()] for run in record["values"].values())
    size = len(record["queries"])
    ends = [np.argsort(np.nan_to_num(run[0] - first[0]), kind="stable") for run in other_runs]
    ends = ends or [np.argsort(first[0], kind="stable")]
    extremes = [row for order in ends for row in (*order[:_EXTREMES], *order[::-1][:_EXTREMES])]
    spreads = [abs(value - base) for run in other_runs for base, value in zip(first, run, strict=True)] or [-first[0]]
    ranked = [np.argsort(-np.nan_to_num(spread, nan=-np.inf), kind="stable") for spread in spreads]
    matter = [row for matched in zip(*ranked, strict=True) for row in matched][: size // 2 * len(ranked)]
    rest = list(range(size))
    random.Random(seed).shuffle(rest)  # noqa: S311 - a sample of queries
    return list(dict.fromkeys([*map(int, extremes), *map(int, matter), *rest]))


def _listed(record: Mapping[str, Any], inputs: _Inputs) -> list[str]:
    """Choose the runs of which rankings are shown: the baseline, and those with the best means."""
    sign = 1 if record["better"][inputs.lead] == "lower" else -1
    baseline, *other_runs = record["runs"]
    best = sorted(other_runs, key=lambda name: sign * (record["means"][name][inputs.lead] or 0.0))
    return [name for name in (baseline, *best) if name in inputs.runs][:_LISTED]


def _add_lists(record: dict[str, Any], inputs: _Inputs, tables: Mapping[str, str], *, max_size: int, seed: int) -> None:
    """Add rankings of queries and texts of documents as long as the page has room, and what would raise the means.

    What does not count is listed for some queries alone, as each such document is tried at every rank: for half of
    those that differ most, and half of those with the lowest values.
    """
    runs = _listed(record, inputs)
    record |= {
        "lists": {},
        "documents": {},
        "marks": {},
        "lead": inputs.lead,
        "listed": runs,
        "chances": [],
        "tried": 0,
    }
    record["lacks"] = []
    queries = [record["queries"][row] for row in _order(record, seed)[: max_size // _LEAST]] if runs else []
    values = zip(record["queries"], record["values"][runs[-1]][inputs.lead], strict=True) if runs else ()
    value_of = {query: -math.inf if value is None else value for query, value in values}
    tried = {*queries[: _EXPLAINED // 2], *sorted(queries, key=value_of.__getitem__)[: _EXPLAINED // 2]}
    explained = {name: {str(each.query): each for each in inputs.explained(name, queries)} for name in runs}
    lists = {query: _rankings(query, explained, inputs.depth, is_tried=query in tried) for query in queries}
    documents = {document for each in lists.values() for document in _documents(each)}
    texts = MarkedTexts.of(inputs.qrels, inputs.runs.values(), inputs.docs, documents)
    letters = _OF_PIECES if texts.gold else _LETTERS
    room = max_size - len(page.html(record, tables).encode()) - _SENTENCES
    for start in range(0, len(queries), _CHUNK):
        more = {query: lists[query] for query in queries[start : start + _CHUNK]}
        said = {query: [each for each in _documents(lists[query]) if each in texts.texts] for query in more}
        shortened = {document: texts.texts[document][:letters] for each in said.values() for document in each}
        marks = {query: texts.marks_of(query, each, letters) for query, each in said.items() if texts.gold and each}
        room -= page.size({"lists": more, "documents": shortened, "marks": marks})
        if room < 0:
            break
        record["lists"] |= more
        record["documents"] |= shortened
        record["marks"] |= marks
    record |= {"chances": _chances(record), "tried": len(tried & {*record["lists"]})}


def _documents(lists: Mapping[str, Any]) -> Iterator[str]:
    """Yield the documents of the rankings of a query, and those that do not count."""
    for each in lists.values():
        yield from (row[0] for row in (*each["rows"], *each["missing"]))


def _rankings(
    query: str, explained: Mapping[str, Mapping[str, Explanation]], depth: int, *, is_tried: bool
) -> dict[str, Any]:
    """Return the first ranks of a query in each run, and what does not count.

    A row is a document: id, grade, what it adds, first and last rank of its ties, and its rank in each of the runs.
    """
    ranks = {name: _ranks(each[query]) for name, each in explained.items() if query in each}
    rankings = {}
    for name in ranks:
        explanation = explained[name][query]
        terms = [term for term in explanation.terms if term.document is not None][:depth]
        missing = explanation.missing[:_MISSING] if is_tried else ()
        rankings[name] = {
            "value": finite(explanation.value),
            "arithmetic": explanation.arithmetic,
            "rows": [
                [
                    *(str(term.document), term.grade, _rounded(term.contribution, _OF_TERMS), term.first, term.last),
                    [each.get(str(term.document)) for each in ranks.values()],
                ]
                for term in terms
            ],
            "missing": [[str(gap.document), gap.grade, gap.rank, _rounded(gap.change, _OF_TERMS)] for gap in missing],
        }
    return rankings


def _ranks(explanation: Explanation) -> dict[str, int]:
    """Return the rank of each document of a ranking."""
    hits = explanation.context.run.hits
    row = explanation.context.positions[explanation.id]
    rows = slice(*hits.offsets[row : row + 2])
    documents = [] if hits.document is None else hits.document[rows].tolist()
    return {str(document): int(rank) for document, rank in zip(documents, hits.rank[rows], strict=False)}


def _chances(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List relevant documents that do not count, by how much they would raise the value of their query, and the mean.

    They are those of all runs but the baseline, or of a single run.
    """
    size = len(record["queries"])
    names = ("run", "query", "document", "grade", "rank", "change", "of_mean")
    candidates = record["runs"][1:] or record["runs"]
    gains = [
        dict(zip(names, (run, query, document, grade, rank, change, change / size), strict=True))
        for query, runs in record["lists"].items()
        for run in candidates
        for document, grade, rank, change in runs.get(run, {"missing": ()})["missing"]
        if change
    ]
    return sorted(gains, key=lambda gain: -gain["change"])[:_GAINS]


def _lacks(record: Mapping[str, Any], inputs: _Inputs, *, profiles: bool) -> Iterator[str]:
    """Yield what is not on the page, and why, as sentences."""
    stored = [name for name in record["runs"] if name not in inputs.runs]
    if stored:
        left = "rankings, curves, data health, profiles and what to do next"
        yield f"Of {', '.join(stored)} only values are known (results files, or several runs of one system): no {left}."
    if unlisted := [name for name in record["runs"] if name in inputs.runs and name not in record["listed"]]:
        yield f"Rankings are those of {', '.join(record['listed'])}; of {', '.join(unlisted)} there are values only."
    shown, every = len(record["lists"]), counted(len(record["queries"]))
    if record["listed"] and shown < len(record["queries"]):
        which = "none, as the values take all the room" if not shown else "those that differ most, and a random sample"
        yield f"Rankings are shown of {shown:,} of {every}: {which}; --max-size makes more room."
    if profiles and inputs.runs and not record["profiles"]:
        yield f"Values under all profiles are not shown beyond {_PROFILED:,} queries: rankworth evaluate --profile all."


def _formulas(labels: Iterable[str]) -> dict[str, list[str]]:
    """Describe each measure in a sentence and as a formula."""
    tables = {}
    for label in labels:
        with contextlib.suppress(RankworthError):
            measure = parse(label)
            text = inspect.cleandoc(getattr(measure.definition.function, "__doc__", None) or "")
            tables[label] = text.split("\n\n")[:2]
    return tables


def _about(labels: Iterable[str]) -> dict[str, str]:
    """Say in a sentence what each measure is."""
    sentences = {}
    for label, (sentence, *_) in _formulas(labels).items():
        measure = measure_of(label)
        cutoff = measure.cutoff if measure else None
        sentences[label] = sentence.replace("the first k", f"the first {cutoff}") if cutoff else sentence
    return sentences


def _tables(shown: Measured) -> dict[str, str]:
    """Return the sections that are tables, as static HTML, and their sources for papers."""
    shown = replace(shown, p_columns="both") if isinstance(shown, Comparison) else shown
    forms = {"html": shown.to_html(), "markdown": shown.to_markdown(), "latex": shown.to_latex()}
    method = shown.method() if isinstance(shown, Comparison) else None
    measures = shown.measures if isinstance(shown, Comparison) else shown.per_query.measures
    return forms | {
        "method": method.text if method else "",
        "formulas": "\n\n".join("\n".join((label, *text)) for label, text in _formulas(measures).items()),
        "bibtex": method.bibtex if method else "",
    }

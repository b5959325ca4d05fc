"""Results files: what is kept of an evaluation, and how it is written as JSON or Parquet.

The schema is described in `docs/results.md`.
"""

import itertools
import json
import math
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth import names
from rankworth.arrays import Floats
from rankworth.errors import (
    MeasureError,
    NotMeasuredError,
    RankworthError,
    UsageError,
    counted,
)
from rankworth.io import atomic
from rankworth.measures import Fact, Measure
from rankworth.measures.facts import RUNID
from rankworth.model import Digest, Qrels
from rankworth.profiles import Signature
from rankworth.results import long as long_form
from rankworth.results.amounts import described_amounts
from rankworth.results.long import measured, recorded, recorded_intervals, restored
from rankworth.results.tables import LEVEL, SEED, whole
from rankworth.results.values import Interval, PerQuery, details
from rankworth.scoring import columns as scoring
from rankworth.scoring.columns import Mask
from rankworth.scoring.intervals import intervals
from rankworth.stats import RESAMPLES
from rankworth.stats.samples import check_sampling
from rankworth.tables import analysis
from rankworth.tables import columns as tables
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.results.values import RunValues, Values
    from rankworth.whatif.bounds import Bound

NUMBER: Final = 4
"""the schema that is written"""
FAMILY: Final = "rankworth.results/"
SUFFIXES: Final = (".json", ".parquet")
LIMIT: Final = 1_000_000
"""how many judgements a file names by their documents"""
_A_LINE_EACH: Final = frozenset({"per_query", "counted", "interval", "warnings"})
"""parts of a file with a line for each member"""
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def quantity_of(measure: str) -> names.Quantity | None:
    """Return the measure of a canonical name; None for a measure of a plugin that is not loaded."""
    try:
        return names.parse(measure)
    except MeasureError:
        return None


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one measure.

    Attributes:
        label: the name that it was asked for by.
        measure: the measure in our own spelling.
        signature: how the values came about, in one line.
        values: `[Q]`, NaN where there is none and where it is undefined.
        there: `[Q]`, which queries have a value, be it undefined; None where all have.
        kind: what the values are.
        mean: of the values, as the settings of averaging have it; of counts the sum.
        counts: what the mean is made of: the values that count, and how much each does.

    """

    label: str
    measure: str
    signature: str
    values: Floats
    there: Mask | None
    kind: tables.Kind
    mean: float
    counts: scoring.Column

    @property
    def known(self) -> Mask:
        """`[Q]`, which queries have a value."""
        return np.ones(self.values.size, dtype=bool) if self.there is None else self.there

    @property
    def quantity(self) -> names.Quantity | None:
        """The measure; None for a measure of a plugin that is not loaded."""
        return quantity_of(self.measure)

    def interval(self, level: float, seed: int) -> tuple[float, float]:
        """Compute the ends of the confidence interval of the mean; NaN of a sum.

        Raises:
            NotMeasuredError: `not-measured`.

        """
        if not np.isclose(self.counts.mean, self.mean, rtol=1e-9, atol=0, equal_nan=True):
            fact = f"{self.label}: its mean is not that of its values, as of a measure that is not defined here"
            raise NotMeasuredError("not-measured", fact, remedy="evaluate the run again: values.interval()")
        [low], [high] = intervals([self.counts], level, seed)
        return float(low), float(high)


@dataclass(frozen=True)
class StoredBounds(Mapping[str, "Bound"]):
    """Bounds of the means, by the name of each measure, as `MeanBounds` had them.

    Attributes:
        by: what was varied.
        assumption: what is assumed of these, as a sentence.
        notes: which measures have no bounds, and why.
        means: by measure.
        queries: by query and measure.

    """

    by: str
    assumption: str
    notes: tuple[str, ...]
    means: Mapping[str, "Bound"]
    queries: Mapping[str, Mapping[str, "Bound"]]

    def __getitem__(self, measure: str) -> "Bound":
        """Return the bounds of the mean of a measure, by the name that it was asked for by."""
        return self.means[measure]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the measures."""
        return iter(self.means)

    def __len__(self) -> int:
        """Return how many measures there are."""
        return len(self.means)

    def per_query(self, measure: str) -> dict[str, "Bound"]:
        """Return the bounds of the value of each query."""
        _ = self.means[measure]
        return {query: bounds[measure] for query, bounds in self.queries.items() if measure in bounds}


@dataclass(frozen=True, eq=False)
class Result(Shown):
    """What is kept of the evaluation of one run.

    Attributes:
        run: the name of the run.
        queries: the ids of the queries that have values, in the order of their UTF-8 bytes.
        columns: the values of each measure and counted fact, in the order asked for.
        profile: the name of the conventions that were followed.
        signature: under which settings the values came about, in one line.
        counts: how many queries and documents stand behind the means, by the names of `Counts`.
        judgements: what the judgements were; None where the file does not tell.
        seed: of random numbers, where some were used; None where none were.
        notices: what deserves a second look, slug and text.
        texts: facts that are texts, one for each query, by label; `group` is the group of each query.
        by: what the queries were grouped by; empty where they were not.
        groups: what the file says of each group: the number of `queries`, a `signature`, the `mean` of each measure.
        tag: what the run's file calls it, where that was asked for.
        origin: the file that it was read from.
        named: the ids of the queries that were unanswered, have no relevant document or were ignored, by these names.
        bounds: how low and how high the means could be, where that was asked for.
        lengths: how many documents the run has for how many of the queries that it answers; None where it is not told.
        unjudged: the share of the first ten ranks that holds unjudged documents; NaN where it is not told.

    """

    run: str
    queries: tuple[str, ...]
    columns: tuple[Column, ...]
    profile: str
    signature: str
    counts: Mapping[str, int]
    judgements: Digest | None = None
    seed: int | None = None
    notices: tuple[tuple[str, str], ...] = ()
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by: str = ""
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tag: str | None = None
    origin: str = ""
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: StoredBounds | None = None
    lengths: Mapping[int, int] | None = None
    unjudged: float = math.nan

    @property
    def version(self) -> str:
        """The version of rankworth that measured it."""
        return Signature.parse(self.signature).recorded.get("rankworth", "")

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """Return the mean of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        return self.column(measure).mean

    def __contains__(self, measure: object) -> bool:
        """Return whether there are values of the measure."""
        try:
            self.column(measure)  # type: ignore[arg-type]
        except RankworthError:
            return False
        return True

    def column(self, measure: str | Measure | Fact) -> Column:
        """Return the values of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        labels = [column.label for column in self.columns]
        index = names.column_of(measure, labels, [column.measure for column in self.columns])
        if index is None:
            raise NotMeasuredError.of(measure, labels)
        return self.columns[index]

    def mean(self) -> dict[str, float]:
        """Return the mean of each measure by its label, in the order asked for."""
        return {column.label: column.mean for column in self.columns}

    @cached_property
    def per_query(self) -> PerQuery:
        """A value for each query and measure, as `Values.per_query`; the ids of queries are texts."""
        labels = [column.label for column in self.columns]
        shape = len(self.columns), len(self.queries)
        values = np.array([column.values for column in self.columns], dtype=np.float64).reshape(shape).T
        is_listed = np.array([column.known for column in self.columns], dtype=bool).reshape(shape).T
        values.setflags(write=False)
        texts = {label: list(cells) for label, cells in self.texts.items()}
        groups = texts.pop("group", []) if self.by else []
        kinds = {column.label: column.kind for column in self.columns}
        return PerQuery([*self.queries], labels, values, texts, None if is_listed.all() else is_listed, kinds, groups)

    def interval(self, *, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
        """Compute a confidence interval of each mean, as `Values.interval`; of plain and geometric means.

        It is NaN where a mean is not that of the values, as of a measure that is not defined here.

        Args:
            level: the confidence level.
            seed: of the resampling.

        Raises:
            UsageError: `unknown-setting`; `not-measured`, where that is so of all means.

        """
        check_sampling(level, seed)
        intervals, refused = {}, []
        for column in self.columns:
            try:
                ends = column.interval(level, seed)
            except NotMeasuredError as error:
                refused.append(error)
                ends = math.nan, math.nan
            intervals[column.label] = Interval(*ends, level)
        if refused and all(math.isnan(interval.low) for interval in intervals.values()):
            raise refused[0]
        return intervals

    def to_frame(self, library: FrameLibrary = "polars", *, long: bool = False, level: float | None = LEVEL) -> Any:  # noqa: ANN401 - the library's own frame
        """Return one row per query, as `per_query.to_frame`; or in long form one for each mean, as `Values.to_frame`.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            long: whether the means are wanted.
            level: confidence level of their intervals; None for none.

        Raises:
            UsageError: `missing-library`, `unknown-setting`; `not-measured` as `interval`.

        """
        if not long:
            return self.per_query.to_frame(library)
        labels = [column.label for column in self.columns]
        return to_library(long_form.sheet(long_form.rows(described_means(self, level), labels)), library)

    def sheets(self) -> list[tables.Sheet]:
        """Return the means, with what deserves a second look."""
        columns = [tables.Column("run", "text", [self.run])]
        columns += [tables.Column(each.label, each.kind, whole([each.mean], each.kind)) for each in self.columns]
        notes = [f"{text}   [{slug}]" for slug, text in self.notices]
        return [tables.Sheet(tuple(columns), tuple(notes), self.signature)]

    def __repr__(self) -> str:
        """Show the means and how many queries there are, as plain text."""
        width = max((len(column.label) for column in self.columns), default=0)
        lines = [f"{label:<{width}}  {mean:.4f}" for label, mean in self.mean().items()]
        return "\n".join([*lines, f"{counted(len(self.queries))}   {self.signature}"])


def described_means(result: Result, level: float | None) -> dict[str, Any]:
    """Return the means of a result as the record has them, with intervals if there is a level; groups have their own.

    Raises:
        UsageError: `not-measured` as `Result.interval`.

    """
    return {
        "name": result.run,
        "signatures": {column.label: column.signature for column in result.columns},
        "mean": {label: recorded(mean, None) for label, mean in result.mean().items()},
        "interval": {} if level is None else recorded_intervals(result.interval(level=level, seed=SEED)),
        "groups": result.groups,
    }


def save(table: "RunValues", path: str | os.PathLike[str]) -> None:
    """Write a results file.

    Args:
        table: the runs, which were evaluated together.
        path: the file; its suffix is `.json` or `.parquet`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `not-comparable`.

    """
    if not isinstance(path, str | bytes | os.PathLike):
        kind = type(path).__name__  # type: ignore[unreachable]
        raise UsageError("input-type", f"{kind} is no path", remedy='for example: values.save("base.json")')
    name = os.fsdecode(path)
    [target] = atomic.targets([name], None, proposed=SUFFIXES)
    if target.form not in ("json", "parquet"):
        fact = f"{name}: results are kept as {' and '.join(SUFFIXES)}"
        raise UsageError("unknown-format", fact, remedy="other forms are for people: rankworth evaluate -o FILE")
    try:
        document = record(table)
        content = text(document).encode() if target.form == "json" else parquet(document)
    except UnicodeEncodeError as error:
        half = f"half of a surrogate pair is in {error.object[max(0, error.start - 20) : error.start + 20]!r}"
        raise UsageError("unwritable-output", f"{name}: {half}, and files have whole ones") from None
    atomic.write({target.path: content})


def record(table: "RunValues", level: float | None = None, *, with_queries: bool = True) -> dict[str, Any]:
    """Return values of runs as nested data, in full precision, with None for what is undefined.

    Args:
        table: the values of the runs, which were evaluated together.
        level: the confidence level of intervals of the means; None for none.
        with_queries: whether the values of each query are in it, and what the judgements were.

    Raises:
        UsageError: `not-comparable`, where the runs were not evaluated together.

    """
    first = next(iter(table.values()))
    level = level if first.measures else None
    shared = {name: _shared(values, with_queries=with_queries) for name, values in table.items()}
    head = next(iter(shared.values()))
    if differing := next((name for name, other in shared.items() if other != head), ""):
        fact = f"{next(iter(shared))} and {differing} have other profiles, measures or judgements"
        remedy = "evaluate the runs together, or keep a file for each"
        raise UsageError("not-comparable", f"{fact}, which a file tells once for all runs", remedy=remedy)
    document = {"schema": f"{FAMILY}{NUMBER}", "rankworth": __version__, "signature": table.signature} | head
    digest = document.pop("judgements")
    document["kinds"] = dict(sorted(head["kinds"].items()))
    if level is not None:
        document["interval"] = {"method": first.method, "resamples": RESAMPLES, "seed": SEED}
    if first.by is not None:
        document["by"] = first.by.name
    if digest is not None:
        document["judgements"] = described(digest)
    document["runs"] = [
        _run(name, values, table.signature, level, with_queries=with_queries) for name, values in table.items()
    ]
    return document


def _run(name: str, values: "Values", signature: str, level: float | None, *, with_queries: bool) -> dict[str, Any]:
    """Return the part of a record on a single run; its signature only if it differs from the file's."""
    run: dict[str, Any] = {"name": name, "queries": values.counts.numbers | values.counts.queries}
    if RUNID in values.asked:
        run["runid"] = values.tag
    if values.signature != signature:
        run["signature"] = values.signature
    run |= measured(values, level)
    run |= _bounds(values, with_queries=with_queries)
    run["warnings"] = [notice._asdict() for notice in values.notices]
    if with_queries:
        lengths, times = np.unique(details(values).lengths, return_counts=True)
        run["unjudged"] = recorded(details(values).diagnosis().unjudged, None)
        run["lengths"] = {str(length): number for length, number in zip(lengths.tolist(), times.tolist(), strict=True)}
        run["per_query"] = dict(_rows(values))
        columns = dict(zip(values.per_query.measures, details(values).columns, strict=True))
        amounts = described_amounts(columns)
        uneven = {label: _uneven(column) for label, column in sorted(columns.items()) if label not in amounts}
        if any(uneven.values()):
            run["counted"] = {label: rows for label, rows in uneven.items() if rows}
        if amounts:
            run["amounts"] = amounts
    return run


def _shared(values: "Values", *, with_queries: bool) -> dict[str, Any]:
    """Return what a file says once for all runs."""
    kinds, judgements = values.per_query.kinds, values.judgements if with_queries else None
    return {
        "profile": values.profile.name,
        "measures": [*values],
        "kinds": {**kinds, **dict.fromkeys(_text_columns(values), "text")},
        "judgements": judgements.digest if isinstance(judgements, Qrels) else judgements,
    }


def _text_columns(values: "Values") -> dict[str, list[str]]:
    """Return the texts of queries, and their group."""
    return ({} if values.by is None else {"group": values.per_query.groups}) | values.per_query.texts


def _bounds(values: "Values", *, with_queries: bool) -> dict[str, Any]:
    """Return the bounds of means, and of queries if these are shown; None for unknown bounds."""
    bounds = values.bounds
    if bounds is None:
        return {}
    means = {label: analysis.record(bounds[label]) for label in sorted(bounds)}
    ends = {"by": bounds.by, "assumption": bounds.assumption, "notes": list(bounds.notes), "mean": means}
    if with_queries:
        each = {label: bounds.per_query(label) for label in means}
        ends["per_query"] = {
            str(query): {label: analysis.record(rows[query]) for label, rows in each.items() if query in rows}
            for query in values.per_query.queries
        }
    return {"bounds": ends}


def _rows(values: "Values") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each query with its values and texts; without those that are not there."""
    per_query, texts = values.per_query, _text_columns(values)
    for number, (query, row) in enumerate(zip(per_query.ids, per_query.to_dict().values(), strict=True)):
        cells: dict[str, Any] = {label: recorded(value, per_query.kinds[label]) for label, value in row.items()}
        cells |= {label: column[number] for label, column in texts.items()}
        yield query, dict(sorted(cells.items()))


def _uneven(column: scoring.Column) -> dict[str, list[float | str | None]]:
    """List the queries with a weight other than 1, or with a shown value unlike the value that counts.

    Each has the value that counts, its weight, and the number of its group where groups count alike.
    """
    visible, weights = np.where(column.listed, column.visible, np.nan), column.weights
    uneven = (column.listed & (weights != 1)) | (~column.listed & (weights > 0))
    uneven |= (weights > 0) & ~((visible == column.values) | (np.isnan(visible) & np.isnan(column.values)))
    if column.strata is not None:
        uneven |= weights > 0
    strata = itertools.repeat(()) if column.strata is None else ((number,) for number in column.strata.tolist())
    rows = zip(column.queries, column.values.tolist(), weights.tolist(), strata, uneven.tolist(), strict=False)
    return {
        query: [recorded(value, None), weight, *group] for query, value, weight, group, is_uneven in rows if is_uneven
    }


def parquet(document: Mapping[str, Any]) -> bytes:
    """Write results as a Parquet file: a row for each run and query; null is no value, NaN an undefined one.

    Args:
        document: a record with the values of queries; all of it but these stands in the metadata, under the key
            `rankworth`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    texts = {*text_labels(document)}
    rows = [
        {"run": run["name"], "query": query}
        | {label: cell if label in texts or isinstance(cell, int) else restored(cell) for label, cell in cells.items()}
        for run in document["runs"]
        for query, cells in run["per_query"].items()
    ]
    schema: dict[str, Any] = {"run": pl.String, "query": pl.String}
    for label in (*document["measures"], *text_labels(document)):
        kind = document["kinds"][label]
        is_whole = kind == "count" and all(isinstance(row.get(label, 0), int) for row in rows)
        schema[label] = pl.String if kind == "text" else pl.Int64 if is_whole else pl.Float64
    target = BytesIO()
    metadata = {"rankworth": compact(document)}
    pl.DataFrame(rows, schema, strict=False, orient="row").write_parquet(target, metadata=metadata)
    return target.getvalue()


def text_labels(document: Mapping[str, Any]) -> list[str]:
    """Return the labels of texts for each query; none of schema 1, which has no kinds."""
    return [label for label, kind in document.get("kinds", {}).items() if kind == "text"]


def text(document: Mapping[str, Any]) -> str:
    """Write a record with its digest as JSON, with one line for each query and each warning."""
    return _laid_out({**document, "digest": digest(document)}) + "\n"


def _laid_out(value: object, part: str = "", indent: str = "") -> str:
    """Lay out JSON in lines.

    Args:
        value: what is written.
        part: the key under which it stands.
        indent: ahead of its lines but the first.

    """
    if not value or not isinstance(value, dict | list):
        return _encoded(value)
    inside = f"{indent}  "
    write = (lambda member, *_: _encoded(member)) if part in _A_LINE_EACH else _laid_out
    if isinstance(value, dict):
        members = [f"{_encoded(key)}: {write(member, key, inside)}" for key, member in value.items()]
        opening, closing = "{}"
    else:
        members = [write(member, "", inside) for member in value]
        opening, closing = "[]"
    lines = f",\n{inside}".join(members)
    return f"{opening}\n{inside}{lines}\n{indent}{closing}"


def compact(document: Mapping[str, Any]) -> str:
    """Write a record as JSON in one line, without values of queries and with the digest of all of it."""
    runs = [{key: value for key, value in run.items() if key != "per_query"} for run in document["runs"]]
    return _encoded({**document, "runs": runs, "digest": digest(document)})


def digest(document: Mapping[str, Any]) -> str:
    """Compute the SHA-256 of a record without its digest, in the one form that does not depend on the file.

    Keys are sorted, nothing stands between the parts, and whole numbers have no point.

    >>> digest({"b": 1.0, "a": None}) == sha256(b'{"a":null,"b":1}').hexdigest()
    True
    """
    content = {key: value for key, value in document.items() if key != "digest"}
    return sha256(json.dumps(_with_integers(content), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _with_integers(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Turn whole numbers in JSON data into integers, which some writers of JSON make of them."""
    if isinstance(value, dict):
        return {key: _with_integers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_integers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def described(digest: Digest) -> dict[str, Any]:
    """Describe the digest of judgements for a file: documents by grade for each query, or numbers where many."""
    named = digest.pairs <= LIMIT
    return {
        "queries": len(digest.queries),
        "pairs": digest.pairs,
        "sha256": digest.sha256,
        "per_query": {
            query: {grade: b64encode(hashes).decode() for grade, hashes in judged.documents.items()}
            if named and judged.documents is not None
            else {"pairs": judged.pairs, "digest": judged.digest}
            for query, judged in digest.queries.items()
        },
    }

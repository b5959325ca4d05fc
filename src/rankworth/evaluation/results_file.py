"""The results file: what is kept of an evaluation, and how it is written as JSON or Parquet.

The schema is described in `docs/results.md`.
"""

import json
import math
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth import names
from rankworth.errors import MeasureError, NotMeasuredError, RankworthError, UsageError, counted
from rankworth.evaluation.values import behind
from rankworth.io import atomic as outputs
from rankworth.measures import Fact, Measure
from rankworth.measures.facts import RUNID
from rankworth.model import Digest, Qrels, QueryDigest
from rankworth.profiles import Signature
from rankworth.tables import columns as tables
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.notebook import Shown
from rankworth.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from rankworth.evaluation.values import Values


NUMBER: Final = 3
"""the schema that is written"""
FAMILY: Final = "rankworth.results/"
SCHEMA: Final = f"{FAMILY}{NUMBER}"
SUFFIXES: Final = (".json", ".parquet")
LIMIT: Final = 1_000_000
"""how many judgements a file names one by one"""
_LINES: Final = frozenset({"per_query", "interval", "warnings"})
"""what has a line for each of its members, whatever is in them"""
_ABSENT: Final = object()
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


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

    """

    label: str
    measure: str
    signature: str
    values: Floats
    there: Mask | None
    kind: tables.Kind
    mean: float

    @property
    def known(self) -> Mask:
        """`[Q]`, which queries have a value."""
        return np.ones(self.values.size, dtype=bool) if self.there is None else self.there

    @property
    def quantity(self) -> names.Quantity | None:
        """The measure; None where it was defined by a plugin that is not loaded."""
        try:
            return names.parse(self.measure)
        except MeasureError:
            return None


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
        named: the ids of the queries that were unanswered, have no relevant document or were ignored, by these names.
        judgements: what the judgements were; None where the file does not tell.
        seed: of random numbers, where some were used; None where none were.
        notices: what deserves a second look, slug and text.
        texts: facts that are texts, one for each query, by label; `group` is the group of each query.
        by: what the queries were grouped by; empty where they were not.
        groups: what the file says of each group: the number of `queries`, a `signature`, the `mean` of each measure.
        tag: what the run's file calls it, where that was asked for.
        origin: the file that it was read from; empty for an evaluation of this process.
        schema: the schema of that file; before 3 nothing in it tells whether it was edited.

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
    schema: int = NUMBER
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def doubt(self) -> str:
        """What there is to say of a file that an older version wrote; nothing of others."""
        if self.schema >= NUMBER:
            return ""
        return f"{self.origin}: it has schema {self.schema}, which does not tell whether the file was edited"

    @property
    def version(self) -> str:
        """The version of rankworth that measured it."""
        return Signature.parse(self.signature).recorded.get("rankworth", "")

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """The mean of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        return self.column(measure).mean

    def __contains__(self, measure: object) -> bool:
        """Whether there are values of the measure."""
        try:
            self.column(measure)  # type: ignore[arg-type]
        except RankworthError:
            return False
        return True

    def column(self, measure: str | Measure | Fact) -> Column:
        """The values of a measure, by any of its names.

        Raises:
            UsageError: `not-measured`.

        """
        labels = [one.label for one in self.columns]
        place = names.place(measure, labels, [one.measure for one in self.columns])
        if place is None:
            raise NotMeasuredError.of(measure, labels)
        return self.columns[place]

    def mean(self) -> dict[str, float]:
        """The mean of each measure by its label, in the order asked for."""
        return {one.label: one.mean for one in self.columns}

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per query: `query`, one column for each measure and one for each text.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        columns: dict[str, Any] = {"query": list(self.queries)}
        columns |= {one.label: one.values for one in self.columns}
        return to_library(columns | {name: list(texts) for name, texts in self.texts.items()}, library)

    def sheets(self) -> list[tables.Sheet]:
        """The means, with what deserves a second look."""
        columns = [tables.Column("run", "text", [self.run])]
        columns += [tables.Column(one.label, one.kind, [_whole(one)]) for one in self.columns]
        notes = [f"{text}   [{slug}]" for slug, text in self.notices]
        return [tables.Sheet(tuple(columns), tuple(notes), self.signature)]

    def __repr__(self) -> str:
        """The means and how many queries there are, as plain text."""
        width = max((len(one.label) for one in self.columns), default=0)
        lines = [f"{one.label:<{width}}  {one.mean:.4f}" for one in self.columns]
        return "\n".join([*lines, f"{counted(len(self.queries))}   {self.signature}"])


def _whole(column: Column) -> float:
    return int(column.mean) if column.kind == "count" and column.mean.is_integer() else column.mean


def save(results: Sequence[Result], path: str | os.PathLike[str]) -> None:
    """Write a results file.

    Args:
        results: the runs, which were evaluated together.
        path: the file; its suffix is `.json` or `.parquet`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `not-comparable`.

    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise UsageError(
            "input-type", f"{type(path).__name__} is no path", remedy='for example: values.save("base.json")'
        )
    name = os.fsdecode(path)
    [target] = outputs.targets([name], None, known=SUFFIXES)
    if target.form not in ("json", "parquet"):
        fact = f"{name}: results are kept as {' and '.join(SUFFIXES)}"
        raise UsageError("unknown-format", fact, remedy="other forms are for people: rankworth evaluate -o FILE")
    try:
        kept = record(results)
        content = text(kept).encode() if target.form == "json" else parquet(results, kept)
    except UnicodeEncodeError as error:
        half = f"half of a character stands in {error.object[max(0, error.start - 20) : error.start + 20]!r}"
        raise UsageError("unwritable-output", f"{name}: {half}, and files have whole ones") from None
    outputs.write({target.path: content})


def record(
    results: Sequence[Result],
    *,
    with_queries: bool = True,
    interval: Mapping[str, Any] | None = None,
    bounds: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Results of runs that were evaluated together, in full precision, with None for what is undefined.

    Args:
        results: the runs.
        with_queries: whether the values of each query are in it.
        interval: how intervals of the means were made.
        bounds: the intervals of each run by measure, where there are any.

    Raises:
        UsageError: `not-comparable`, where the runs were not evaluated together.

    """
    first = results[0]
    _refuse_different(results)
    signature = " ; ".join(sorted({one.signature for one in results}))
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "rankworth": __version__,
        "signature": signature,
        "profile": first.profile,
        "measures": [one.label for one in first.columns],
        "kinds": _by_name({one.label: one.kind for one in first.columns} | dict.fromkeys(first.texts, "text")),
    }
    if interval:
        document["interval"] = dict(interval)
    if first.by:
        document["by"] = first.by
    if first.judgements is not None:
        document["judgements"] = described(first.judgements)
    document["runs"] = []
    for one, ends in zip(results, bounds or repeat({}), strict=False):
        run: dict[str, Any] = {"name": one.run, "queries": dict(one.counts) | dict(one.named)}
        if one.tag is not None:
            run["runid"] = one.tag
        if one.signature != signature:
            run["signature"] = one.signature
        run["signatures"] = _by_name({column.label: column.signature for column in one.columns})
        run["mean"] = _by_name({column.label: _plain(column.mean, column) for column in one.columns})
        if ends:
            run["interval"] = _by_name(ends)
        if one.groups:
            run["groups"] = {name: dict(group) for name, group in one.groups.items()}
        run["warnings"] = [{"slug": slug, "text": text} for slug, text in one.notices]
        if with_queries:
            run["per_query"] = dict(_rows(one))
        document["runs"].append(run)
    return document


def text(document: Mapping[str, Any]) -> str:
    """A record with its digest as JSON, with one line for each query and each warning."""
    return "\n".join(_lines({**document, "digest": digest(document)}, "", "")) + "\n"


def compact(document: Mapping[str, Any], *, without: frozenset[str] = frozenset()) -> str:
    """A record with its digest as JSON in one line.

    Args:
        document: the record.
        without: what is left out of each run, since it stands elsewhere; the digest is that of the whole record.

    """
    runs = [{key: value for key, value in run.items() if key not in without} for run in document["runs"]]
    return _encoded({**document, "runs": runs, "digest": digest(document)})


def digest(document: Mapping[str, Any]) -> str:
    """The SHA-256 of a record without its digest, in the one form that does not depend on the file.

    Keys are sorted, nothing stands between the parts, and whole numbers have no point.

    >>> digest({"b": 1.0, "a": None}) == sha256(b'{"a":null,"b":1}').hexdigest()
    True
    """
    kept = {key: value for key, value in document.items() if key != "digest"}
    return sha256(json.dumps(_with_integers(kept), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _with_integers(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """JSON data with whole numbers as integers, which some writers of JSON make of them."""
    if isinstance(value, dict):
        return {key: _with_integers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_integers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_different(results: Sequence[Result]) -> None:
    """Refuse runs that differ in what a file says once for all of them.

    Raises:
        UsageError: `not-comparable`.

    """
    first, *others = results
    for one in others:
        pairs = {
            "profiles": (one.profile, first.profile),
            "measures": tuple(
                ([(column.label, column.kind) for column in each.columns], list(each.texts)) for each in (one, first)
            ),
            "judgements": tuple(each.judgements and each.judgements.sha256 for each in (one, first)),
        }
        if what := " and ".join(name for name, (ours, theirs) in pairs.items() if ours != theirs):
            fact = f"{first.run} and {one.run} have other {what}, and a file tells them once for all runs"
            raise UsageError("not-comparable", fact, remedy="evaluate the runs together, or keep a file for each")


def described(digest: Digest) -> dict[str, Any]:
    """The digest of judgements as it stands in a file: documents by grade for each query, or numbers where many."""
    named = digest.pairs <= LIMIT
    return {
        "queries": len(digest.queries),
        "pairs": digest.pairs,
        "sha256": digest.sha256,
        "per_query": {query: _described_query(one, named=named) for query, one in digest.queries.items()},
    }


def _described_query(one: QueryDigest, *, named: bool) -> dict[str, Any]:
    if not named or one.documents is None:
        return {"pairs": one.pairs, "digest": one.digest}
    return {grade: b64encode(hashes).decode() for grade, hashes in one.documents.items()}


def _rows(one: Result) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query with its values and texts; without those that are not there."""
    columns = [(column.label, _cells(column)) for column in one.columns]
    columns += [(label, list(texts)) for label, texts in one.texts.items()]
    columns.sort()
    labels, cells = ([label for label, _ in columns], [column for _, column in columns])
    for query, *row in zip(one.queries, *cells, strict=True):
        yield query, {label: cell for label, cell in zip(labels, row, strict=True) if cell is not _ABSENT}


def _cells(column: Column) -> list[Any]:
    """The values of a measure as they stand in a file."""
    pairs = zip(column.values.tolist(), column.known.tolist(), strict=True)
    return [_plain(value, column) if known else _ABSENT for value, known in pairs]


def _plain(value: float, column: Column) -> float | None:
    """A number as it stands in a file: counts as whole numbers, nothing for what is undefined or infinite."""
    if not math.isfinite(value):
        return None
    return int(value) if column.kind == "count" and value.is_integer() else value


def _by_name(members: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(members.items()))


def _lines(value: object, ahead: str, key: str, after: str = "") -> Iterator[str]:
    """The lines of a value that stands after some text."""
    if not value or not isinstance(value, dict | list):
        yield f"{ahead}{_encoded(value)}{after}"
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield f"{ahead}{opening}"
    inside = " " * (len(ahead) - len(ahead.lstrip(" "))) + "  "
    last = len(value) - 1
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for place, (name, member) in enumerate(members):
        begin = f"{inside}{_encoded(name)}: " if isinstance(value, dict) else inside
        end = "" if place == last else ","
        if key in _LINES:
            yield f"{begin}{_encoded(member)}{end}"
        else:
            yield from _lines(member, begin, str(name), end)
    yield f"{inside[2:]}{closing}{after}"


def parquet(results: Sequence[Result], document: Mapping[str, Any]) -> bytes:
    """Results as a Parquet file: a row for each run and query; null is no value, NaN one that is not finite.

    Args:
        results: the runs.
        document: their record with the values of queries; all of it but these stands in the metadata, under the key
            `rankworth`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    first = results[0]
    columns: dict[str, pl.Series] = {
        "run": pl.Series([one.run for one in results for _ in one.queries], dtype=pl.String),
        "query": pl.Series([query for one in results for query in one.queries], dtype=pl.String),
    }
    for place, column in enumerate(first.columns):
        columns[column.label] = _series([one.columns[place] for one in results])
    for label in first.texts:
        columns[label] = pl.Series([text for one in results for text in one.texts[label]], dtype=pl.String)
    target = BytesIO()
    metadata = {"rankworth": compact(document, without=frozenset({"per_query"}))}
    pl.DataFrame(columns).write_parquet(target, metadata=metadata)
    return target.getvalue()


def _series(columns: Sequence[Column]) -> "pl.Series":
    """The values of one measure, run by run; counts as whole numbers, unless one of them is undefined."""
    import polars as pl  # noqa: PLC0415 - as above

    values = np.concatenate([one.values for one in columns])
    known = np.concatenate([one.known for one in columns])
    kept = np.where(known, np.where(np.isfinite(values), values, np.nan), 0.0)
    whole = columns[0].kind == "count" and bool((kept % 1 == 0).all())
    series = pl.Series(kept.astype(np.int64) if whole else kept)
    return pl.select(pl.when(pl.Series(known)).then(series)).to_series()


def result_of(values: "Values", *, digest: bool = True) -> "Result":
    """What is kept of one run."""
    per_query, judgements = values.per_query, values.judgements
    signatures, means = values.signatures, values.mean()
    columns = [
        Column(
            label=label,
            measure=str(asked.quantity),
            signature=signatures[label],
            values=per_query.array[:, place],
            there=None if per_query.there is None else per_query.there[:, place],
            kind=per_query.kinds[label],
            mean=means[label],
        )
        for place, (label, asked) in enumerate(zip(per_query.measures, behind(values).plan, strict=True))
    ]
    texts = {} if values.by is None else {"group": per_query.groups}
    groups = {name: _group_record(part) for name, part in values.slices.items()}
    return Result(
        run=values.run,
        queries=tuple(per_query.ids),
        columns=tuple(columns),
        profile=values.profile.name,
        signature=values.signature,
        counts=values.counts.numbers,
        named=values.counts.queries,
        judgements=(judgements.digest if isinstance(judgements, Qrels) else judgements) if digest else None,
        notices=tuple((notice.slug, notice.text) for notice in values.notices),
        texts={label: tuple(column) for label, column in (texts | per_query.texts).items()},
        by="" if values.by is None else values.by.name,
        groups=groups,
        tag=values.tag if RUNID in values.asked else None,
    )


def _group_record(values: "Values") -> dict[str, Any]:
    """What is kept of a group."""
    mean = {label: value if math.isfinite(value) else None for label, value in sorted(values.mean().items())}
    return {"queries": values.counts.scored, "signature": values.signature, "mean": mean}

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
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankworth import names
from rankworth.errors import MeasureError, NotMeasuredError, RankworthError, UsageError, counted
from rankworth.evaluation.output import SEED
from rankworth.io import atomic
from rankworth.measures import Fact, Measure
from rankworth.measures.facts import RUNID
from rankworth.model import Digest, Qrels, QueryDigest
from rankworth.profiles import Signature
from rankworth.stats import RESAMPLES
from rankworth.tables import columns as tables
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.evaluation.values import RunValues, Values

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
        place = names.column_of(measure, labels, [one.measure for one in self.columns])
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


def save(table: "RunValues", path: str | os.PathLike[str]) -> None:
    """Write a results file.

    Args:
        table: the runs, which were evaluated together.
        path: the file; its suffix is `.json` or `.parquet`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, `not-comparable`.

    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise UsageError(
            "input-type", f"{type(path).__name__} is no path", remedy='for example: values.save("base.json")'
        )
    name = os.fsdecode(path)
    [target] = atomic.targets([name], None, known=SUFFIXES)
    if target.form not in ("json", "parquet"):
        fact = f"{name}: results are kept as {' and '.join(SUFFIXES)}"
        raise UsageError("unknown-format", fact, remedy="other forms are for people: rankworth evaluate -o FILE")
    try:
        document = record(table)
        content = text(document).encode() if target.form == "json" else parquet(document)
    except UnicodeEncodeError as error:
        half = f"half of a character stands in {error.object[max(0, error.start - 20) : error.start + 20]!r}"
        raise UsageError("unwritable-output", f"{name}: {half}, and files have whole ones") from None
    atomic.write({target.path: content})


def record(table: "RunValues", level: float | None = None, *, with_queries: bool = True) -> dict[str, Any]:
    """Values of runs as nested data, in full precision, with None for what is undefined.

    Args:
        table: the values of the runs, which were evaluated together.
        level: the confidence level of intervals of the means; None for none.
        with_queries: whether the values of each query are in it, and what the judgements were.

    Raises:
        UsageError: `not-comparable`, where the runs were not evaluated together.

    """
    first, digests = next(iter(table.values())), [_digest(one) if with_queries else None for one in table.values()]
    level = level if first.measures else None
    _refuse_different(table, digests)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "rankworth": __version__,
        "signature": table.signature,
        "profile": first.profile.name,
        "measures": list(first.per_query.measures),
        "kinds": _by_name({**first.per_query.kinds, **dict.fromkeys(_text_columns(first), "text")}),
    }
    if level is not None:
        document["interval"] = {"method": first.method, "resamples": RESAMPLES, "seed": SEED}
    if first.by is not None:
        document["by"] = first.by.name
    if digests[0] is not None:
        document["judgements"] = described(digests[0])
    document["runs"] = []
    for name, values in table.items():
        run: dict[str, Any] = {"name": name, "queries": values.counts.numbers | values.counts.queries}
        if RUNID in values.asked:
            run["runid"] = values.tag
        if values.signature != table.signature:
            run["signature"] = values.signature
        run["signatures"] = _by_name(values.signatures)
        run |= _means(values, values.per_query.kinds, level)
        if values.slices:
            run["groups"] = {
                group: {"queries": part.counts.scored, "signature": part.signature, **_means(part, {}, level)}
                for group, part in values.slices.items()
            }
        run["warnings"] = [notice._asdict() for notice in values.notices]
        if with_queries:
            run["per_query"] = dict(_rows(values))
        document["runs"].append(run)
    return document


def _digest(values: "Values") -> Digest | None:
    return values.judgements.digest if isinstance(values.judgements, Qrels) else values.judgements


def _refuse_different(table: "RunValues", digests: Sequence[Digest | None]) -> None:
    """Refuse runs that differ in what a file says once for all of them.

    Raises:
        UsageError: `not-comparable`.

    """
    common = [
        (one.profile.name, list(one.per_query.kinds.items()), list(_text_columns(one)), digest and digest.sha256)
        for one, digest in zip(table.values(), digests, strict=True)
    ]
    for name, other in zip(table, common, strict=True):
        if other != common[0]:
            fact = f"{next(iter(table))} and {name} have other profiles, measures or judgements"
            remedy = "evaluate the runs together, or keep a file for each"
            raise UsageError("not-comparable", f"{fact}, which a file tells once for all runs", remedy=remedy)


def _means(values: "Values", kinds: Mapping[str, tables.Kind], level: float | None) -> dict[str, Any]:
    """Means by measure, and their intervals where there is a level; None for what is undefined."""
    means = {"mean": {label: _plain(mean, kinds.get(label)) for label, mean in sorted(values.mean().items())}}
    if level is None:
        return means
    intervals = sorted(values.interval(level=level, seed=SEED).items())
    return means | {
        "interval": {label: dict(zip(one._fields, tables.defined(one), strict=True)) for label, one in intervals}
    }


def _rows(values: "Values") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query with its values and texts; without those that are not there."""
    one, texts = values.per_query, _text_columns(values)
    labels = sorted([*one.kinds, *texts])
    for number, (query, row) in enumerate(zip(one.ids, one.to_dict().values(), strict=True)):
        cells: dict[str, Any] = {label: _plain(value, one.kinds[label]) for label, value in row.items()}
        cells |= {label: column[number] for label, column in texts.items()}
        yield query, {label: cells[label] for label in labels if label in cells}


def _text_columns(values: "Values") -> dict[str, list[str]]:
    """Texts of queries, and their group."""
    return ({} if values.by is None else {"group": values.per_query.groups}) | values.per_query.texts


def _plain(value: float, kind: tables.Kind | None) -> float | None:
    """A number as it stands in a file: counts as whole numbers, nothing for what is undefined or infinite."""
    if not math.isfinite(value):
        return None
    return int(value) if kind == "count" and value.is_integer() else value


def parquet(document: Mapping[str, Any]) -> bytes:
    """Results as a Parquet file: a row for each run and query; null is no value, NaN one that is not finite.

    Args:
        document: a record with the values of queries; all of it but these stands in the metadata, under the key
            `rankworth`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    kinds = document["kinds"]
    rows = [(run["name"], query, row) for run in document["runs"] for query, row in run["per_query"].items()]
    columns = {
        "run": pl.Series([name for name, _, _ in rows], dtype=pl.String),
        "query": pl.Series([query for _, query, _ in rows], dtype=pl.String),
    }
    for label in [*document["measures"], *(label for label, kind in kinds.items() if kind == "text")]:
        cells = [row.get(label, _ABSENT) for _, _, row in rows]
        integers = all(cell is _ABSENT or isinstance(cell, int) for cell in cells)
        number = pl.Int64 if kinds[label] == "count" and integers else pl.Float64
        plain = [None if cell is _ABSENT else math.nan if cell is None else cell for cell in cells]
        columns[label] = pl.Series(plain, dtype=pl.String if kinds[label] == "text" else number, strict=False)
    target = BytesIO()
    metadata = {"rankworth": compact(document, without=frozenset({"per_query"}))}
    pl.DataFrame(columns).write_parquet(target, metadata=metadata)
    return target.getvalue()


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

"""Read results files of any version, and refuse those whose parts contradict each other."""

import math
import os
import re
import shlex
import warnings
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth import names
from rankworth.errors import KEEP, InputError, RankworthWarning
from rankworth.evaluation.aggregation import Way, additive, back, rounded
from rankworth.evaluation.results_file import FAMILY, NUMBER, Column, Floats, Mask, Result, digest
from rankworth.io.objects import syntax
from rankworth.io.source import Source
from rankworth.model import Digest, QueryDigest
from rankworth.profiles import PROFILES, STANDARD, Signature, signature
from rankworth.settings import Averaging
from rankworth.tables.columns import Kind
from rankworth.version import __version__

if TYPE_CHECKING:
    import polars as pl


_PARQUET: Final = b"PAR1"
_HEAD: Final = 1 << 12
_FIRST: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(\w+)"\s*:\s*(.)')
_CONFLICTED: Final = re.compile(rb'<<<<<<< .*\n\s*\{?\s*"')
"""how a results file begins that git could not merge from its first line on"""
_KEYS: Final = frozenset(
    {"by", "digest", "interval", "judgements", "kinds", "measures", "profile", "rankworth", "runs", "signature"}
)
"""with which a results file may begin once its keys were sorted"""
_WRITE: Final = "rankworth evaluate QRELS RUN -q -o FILE.json writes one"
_CONFLICT: Final = "git left both sides of a conflict in it; take one of them, or evaluate again"
_SLACK: Final = 1e-9
"""by what share of the largest value a number may be off through rounding"""
_ONCE: Final = frozenset({"error", "best", "first", "last", "max"})
"""settings of duplicates that leave one of them; by others documents count twice, and so may those of one rank"""
_APART: Final = ("duplicate_judgements", "weights", "macro")
"""settings that the signature of a run tells otherwise than those of its measures"""
_GAINS: Final = ("linear", "exp2", "binary")
"""gains with which measures keep to their range; others may be negative or exceed 1"""


def load(path: str | os.PathLike[str]) -> dict[str, Result]:
    """The results that a file holds, by the names of their runs, in order.

    A file of a version before schema 3 has no digest: it is read with a warning, and gates refuse it.

    Args:
        path: what `rankworth evaluate -q -o FILE` or `Values.save` has written, in any version up to this one, plain
            or packed.

    Raises:
        InputError: `bad-results`, `newer-results`, `means-only`; `bad-json`, `truncated-file`, `missing-file` and
            others, where the file cannot be read at all.

    """
    results = read(path)
    if doubt := next((one.doubt for one in results.values()), ""):
        warnings.warn(RankworthWarning("older-results", doubt), stacklevel=2)
    return results


def read(path: str | os.PathLike[str]) -> dict[str, Result]:
    """Read a results file; one of an older version without a warning.

    Raises:
        InputError: as `load`.

    """
    if not isinstance(path, str | os.PathLike):
        raise InputError("input-type", f"{path!r} is no path of a results file", remedy="load('baseline.json')")
    source = Source(path)
    content = source.whole()
    told, table = _of_parquet(content, source) if content.startswith(_PARQUET) else (_of_text(content, source), None)
    schema = _schema(told, source.name)
    try:
        return _results(told if table is None else _with_rows(told, table), schema, source)
    except KeyError as error:
        raise _damaged(source, f"{error.args[0]!r} is missing") from None
    except (AttributeError, IndexError, OverflowError, RecursionError, TypeError):
        raise _damaged(source, "it is not made as results are") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        by = told.get("rankworth", __version__)
        written = f" (rankworth {by} wrote it, this is {__version__})" if by != __version__ else ""
        raise _damaged(source, f"{error}{written}") from None


def _results(told: Mapping[str, Any], schema: int, source: Source) -> dict[str, Result]:
    """What a record says, once it is known that its parts belong together.

    Raises:
        InputError: `means-only`.
        ValueError: where they do not, and others where it is not made as records are.

    """
    runs = told["runs"]
    if any(run.get("per_query") is None for run in runs):
        fact = f"{source.name}: it holds means, and not the values of queries"
        raise InputError("means-only", fact, remedy=f"-q keeps them: {_again(source.path)}")
    rows = [_rows_of(told, run, schema) for run in runs]
    judgements = restored_digest(told["judgements"]) if schema > 1 else None
    found = [
        replace(_restored(told, run, some, schema), judgements=judgements, origin=source.path)
        for run, some in zip(runs, rows, strict=True)
    ]
    results = {one.run: one for one in found}
    if len(results) < len(found):
        raise ValueError("two runs have one name")
    for one in found:
        _refuse_contradictions(one)
    if told["signature"] != " ; ".join(sorted({one.signature for one in found})):
        raise ValueError("the signature of the file is not that of its runs")
    if schema < NUMBER and "digest" in told:
        raise ValueError(f"schema {schema} has no digest")
    if schema >= NUMBER and told["digest"] != digest(told):
        raise ValueError("its digest is not that of what it holds: it was edited, merged or damaged")
    return results


def is_results(source: object) -> bool:
    """Whether this is the path of a results file; of no pipe, which could be read once only."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return False
    file = Source(os.fsdecode(source))
    try:
        head = file.head(_HEAD)
        if head.startswith(_PARQUET):
            return "rankworth" in _metadata(file.whole(), file)
        first = _FIRST.match(head)
        if first is None:
            return _CONFLICTED.match(head) is not None and FAMILY.encode() in head
        key = first[1].decode()
        if key == "schema":
            return first[2] not in b"{["
        return key in _KEYS and {"schema", "runs"} <= syntax.parsed(file.whole(), file).keys()
    except (InputError, AttributeError):
        return False


def _of_text(content: bytes, source: Source) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        told = syntax.parsed(content, source)
    except InputError as error:
        if b"<<<<<<< " in content and error.slug == "bad-json":
            raise InputError("bad-json", *error.problems, remedy=_CONFLICT) from None
        raise
    unique = not isinstance(told, dict) or syntax.has_each_key_once(content, told, len(told))
    if not unique and (way := syntax.repeated(content, source.name)):
        raise _damaged(source, f"{' '.join(map(str, way))} stands there twice")
    return told


def _of_parquet(content: bytes, source: Source) -> tuple[Any, "pl.DataFrame | None"]:
    """What stands beside the table, and the table where it has the values of queries."""
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    metadata = _metadata(content, source)
    if "rankworth" not in metadata:
        raise _bad(source.name, "this is a table, and no results of rankworth", _WRITE)
    with _complete(source):
        table = pl.read_parquet(BytesIO(content))
    return _of_text(metadata["rankworth"].encode(), source), table if "query" in table.columns else None


def _metadata(content: bytes, source: Source) -> Mapping[str, str]:
    """What a Parquet file says beside its table."""
    import polars as pl  # noqa: PLC0415 - as above

    with _complete(source):
        return pl.read_parquet_metadata(BytesIO(content))


@contextmanager
def _complete(source: Source) -> Iterator[None]:
    """Within it a Parquet file is read.

    Raises:
        InputError: `truncated-file`.

    """
    import polars as pl  # noqa: PLC0415 - as above

    try:
        yield
    except (pl.exceptions.PolarsError, OSError):
        fact = f"{source.name}: the file in Parquet ends early or is damaged"
        raise InputError("truncated-file", fact, remedy="copy it again, or write it again") from None


def _schema(told: object, name: str) -> int:
    """The number of the schema.

    Raises:
        InputError: `bad-results`, `newer-results`.

    """
    schema = told.get("schema") if isinstance(told, dict) else None
    if isinstance(schema, int) and schema == 1:
        return 1
    number = re.fullmatch(rf"{re.escape(FAMILY)}(\d+)", schema) if isinstance(schema, str) else None
    if number is None:
        what = f"this is {schema}" if isinstance(schema, str) and schema.startswith("rankworth.") else "this is JSON"
        raise _bad(name, f"{what}, and no results of rankworth", _WRITE)
    if int(number[1]) > NUMBER:
        by = told.get("rankworth", "a later version") if isinstance(told, dict) else ""
        fact = f"{name}: it has schema {number[1]}, and rankworth {__version__} reads up to {NUMBER}"
        raise InputError("newer-results", fact, remedy=f"rankworth {by} wrote it: install that version, or a later one")
    return int(number[1])


def _again(path: str) -> str:
    """The command that writes results to a file."""
    return f"{KEEP} {shlex.quote(path)}"


def _damaged(source: Source, what: str) -> InputError:
    """The error about a results file that has to be written again."""
    return _bad(source.name, what, f"write it again: {_again(source.path)}")


def _bad(name: str, what: str, remedy: str) -> InputError:
    return InputError("bad-results", f"{name}: {what}", remedy=remedy)


@dataclass(frozen=True)
class _Rows:
    """The values of the queries of one run, column by column."""

    queries: Sequence[str]
    values: Mapping[str, Floats]
    there: Mapping[str, Mask]
    texts: Mapping[str, Sequence[str]]


def _with_rows(told: Mapping[str, Any], table: "pl.DataFrame") -> dict[str, Any]:
    """A record with the values of a table, as JSON has them: null is no value, NaN one that is undefined.

    Args:
        told: the record without them.
        table: a row for each run and query.

    Raises:
        ValueError: where the rows are not those of the runs.
        KeyError: where a column is missing.

    """
    labels = [name for name in table.columns if name not in ("run", "query")]
    if absent := [name for name in ("run", *told["measures"], *_texts(told)) if name not in table.columns]:
        raise KeyError(absent[0])
    found: dict[str, dict[str, dict[str, Any]]] = {run["name"]: {} for run in told["runs"]}
    for run, query, *cells in table.select("run", "query", *labels).iter_rows():
        row = {label: cell for label, cell in zip(labels, cells, strict=True) if cell is not None}
        row |= {label: None for label, cell in row.items() if isinstance(cell, float) and math.isnan(cell)}
        if run not in found or not isinstance(query, str):
            raise ValueError(f"query {query!r} of {run!r} has a row and is not among the runs")
        if query in found[run]:
            raise ValueError(f"query {query!r} of {run!r} has two rows")
        found[run][query] = row
    return {**told, "runs": [{**run, "per_query": found[run["name"]]} for run in told["runs"]]}


def _rows_of(told: Mapping[str, Any], run: Mapping[str, Any], schema: int) -> _Rows:
    """From an object for each query.

    Raises:
        ValueError: where a value is none.

    """
    rows: Mapping[str, Mapping[str, Any]] = run["per_query"]
    queries = sorted(rows)
    measures: list[str] = told["measures"]
    labels = dict.fromkeys(label for row in rows.values() for label in row if label not in measures)
    texts = list(labels) if schema == 1 else _texts(told)
    if stray := [label for label in labels if label not in texts]:
        raise ValueError(f"{stray[0]} has values and is not among the measures")
    values = {label: np.full(len(queries), np.nan) for label in measures}
    there = {label: np.zeros(len(queries), dtype=bool) for label in measures}
    for place, query in enumerate(queries):
        for label, cell in rows[query].items():
            if label in values:
                values[label][place] = _number(cell, f"{label} of query {query!r}")
                there[label][place] = True
    found = {label: [rows[query].get(label, "") for query in queries] for label in texts}
    if odd := next((text for column in found.values() for text in column if not isinstance(text, str)), None):
        raise ValueError(f"{odd!r} is no text")
    return _Rows(queries, values, there, found)


def _restored(told: Mapping[str, Any], run: Mapping[str, Any], rows: _Rows, schema: int) -> Result:
    """What was kept of one run, but for the judgements.

    Args:
        told: the whole record.
        run: what it says of the run.
        rows: the values of the queries.
        schema: the number of the schema.

    Raises:
        ValueError: where parts do not belong together.
        KeyError: where a part is missing.

    """
    line = run.get("signature", told["signature"])
    Signature.parse(line)
    named = {name: tuple(map(str, ids)) for name, ids in run["queries"].items() if isinstance(ids, list | tuple)}
    counts = {name: count for name, count in run["queries"].items() if name not in named}
    if not all(isinstance(count, int) for count in counts.values()):
        raise ValueError("a count is no whole number")
    return Result(
        run=str(run["name"]),
        queries=tuple(rows.queries),
        columns=tuple(_column(label, told, run, rows, schema) for label in told["measures"]),
        profile=str(told["profile"]),
        signature=line,
        counts=dict(counts),
        seed=told.get("interval", {}).get("seed"),
        notices=tuple((str(one["slug"]), str(one["text"])) for one in run["warnings"]),
        texts={label: tuple(column) for label, column in rows.texts.items()},
        by=told.get("by", ""),
        groups=run.get("groups", {}),
        tag=run.get("runid"),
        named=named,
        schema=schema,
    )


def _column(label: str, told: Mapping[str, Any], run: Mapping[str, Any], rows: _Rows, schema: int) -> Column:
    """The values of one measure.

    Raises:
        ValueError: where they are not those that were signed.

    """
    there = rows.there[label]
    if schema == 1:
        if "signatures" in run:
            own = Signature.parse(run["signatures"][label])
        else:
            whole = Signature.parse(run.get("signature", told["signature"]))
            own = replace(whole, measure=str(names.parse(label)), queries=_query_set(rows.queries, there))
        if own.queries != _query_set(rows.queries, there):
            there = np.ones_like(there)  # Parquet did not tell what is undefined from what is not there
        kind: Kind = names.kind_of(names.parse(own.measure))
    else:
        own, kind = Signature.parse(run["signatures"][label]), told["kinds"][label]
    if own.queries != _query_set(rows.queries, there):
        signed, found = own.queries.partition("-")[0], f"{np.count_nonzero(there)}"
        others = "as many others" if signed == found else found
        raise ValueError(f"{label} is signed for {signed} queries, and the file has {others}")
    if kind not in ("share", "value", "count"):
        raise ValueError(f"{label} is {kind!r}, which no measure is")
    mean = _number(run["mean"][label], f"the mean of {label}")
    return Column(label, own.measure, str(own), rows.values[label], None if there.all() else there, kind, mean)


def _texts(told: Mapping[str, Any]) -> list[str]:
    return [label for label, kind in told.get("kinds", {}).items() if kind == "text"]


def _number(cell: object, what: str) -> float:
    """A number of a file; NaN where it is undefined.

    Raises:
        ValueError: where it is none.

    """
    if cell is None:
        return math.nan
    if isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell):
        return float(cell)
    raise ValueError(f"{what} is {cell!r}, which is no number")


def _query_set(queries: Sequence[str], there: Mask) -> str:
    """What a signature says of the queries that have values."""
    return signature(STANDARD, list(compress(queries, there.tolist())), "").queries


def restored_digest(described: Mapping[str, Any]) -> Digest:
    """The digest of judgements that a file describes.

    Raises:
        ValueError: where it describes none, or not the one of which it has the sum.

    """
    try:
        digest = Digest({query: _restored_query(one) for query, one in sorted(described["per_query"].items())})
        sums = described["sha256"], described["pairs"], described["queries"]
    except (AttributeError, Error, KeyError, TypeError, ValueError) as error:
        raise ValueError("the digest of the judgements cannot be read") from error
    if sums != (digest.sha256, digest.pairs, len(digest.queries)):
        raise ValueError("the digest of the judgements is not that of its queries")
    return digest


def _restored_query(one: Mapping[str, Any]) -> QueryDigest:
    if "digest" in one:
        return QueryDigest(int(one["pairs"]), str(one["digest"]))
    ordered = sorted(one.items(), key=lambda pair: float(pair[0]))
    return QueryDigest.of({grade: b64decode(hashes, validate=True) for grade, hashes in ordered})


def _refuse_contradictions(result: Result) -> None:
    """Refuse values outside the range of their measure, means that are not those of the values, and other signatures.

    Raises:
        ValueError: which tells the first of them.

    """
    parts = {}
    if "group" in result.texts:
        groups = np.array(result.texts["group"], dtype=object)
        parts = {name: np.asarray(groups == name, dtype=bool) for name in result.groups}
    for column in result.columns:
        _refuse_values(column)
        _refuse_mean(column, column.mean, result.counts)
        for name, part in parts.items():
            mean = result.groups[name]["mean"][column.label]
            _refuse_mean(column, math.nan if mean is None else float(mean), result.counts, part)
    line = Signature.parse(result.signature)
    if line.recorded["profile"] != result.profile:
        told = f"{result.profile}, and the values of {result.run} are signed for {line.recorded['profile']}"
        raise ValueError(f"the profile is {told}")
    ruled = line.recorded["profile"] not in PROFILES or PROFILES[line.recorded["profile"]].rules
    for column in result.columns:
        own = Signature.parse(column.signature)
        if own.recorded != line.recorded or (not ruled and _of_values(own) != _of_values(line)):
            raise ValueError(f"the signature of {column.label} contradicts that of {result.run}")


def _of_values(signature: Signature) -> dict[str, str]:
    """The settings that all measures share, but for those that queries have a say in."""
    return {name: told for name, told in signature.settings.items() if name not in _APART}


def _refuse_values(column: Column) -> None:
    """Refuse values outside the range of their measure.

    Raises:
        ValueError: which tells one of them.

    """
    profile, quantity = Signature.parse(column.signature).profile(), column.quantity
    settings, judging = profile.averaging, profile.judging
    once = {judging.duplicates, judging.duplicate_judgements} <= _ONCE and judging.order != "rank"
    low, high = -math.inf, math.inf
    if quantity is not None and quantity.parameters.get("gain", "linear") in _GAINS:
        low, high = quantity.definition.range if once and not settings.logarithms else (low, high)
    given = [one for one in (settings.undefined, settings.no_relevant, settings.neither) if isinstance(one, float)]
    low, high = min(low, 0.0, *given), max(high, 0.0, *given)
    values = column.values[~np.isnan(column.values)]
    if (odd := values[(values < low - _SLACK) | (values > high + _SLACK)]).size:
        raise ValueError(f"{column.label} has the value {odd[0]:g}, and lies between {low:g} and {high:g}")


def _refuse_mean(column: Column, mean: float, counts: Mapping[str, int], part: Mask | None = None) -> None:
    """Refuse a mean that is not that of the values.

    A file does not tell the weights of queries, and not how many queries without a row count: within what these may
    be, any mean will do.

    Args:
        column: the values.
        mean: what is said of their mean.
        counts: how many queries there are.
        part: `[Q]`, the queries that the mean is about; all where not said.

    Raises:
        ValueError: which tells the mean.

    """
    values = column.values[column.known if part is None else column.known & part]
    void = np.isnan(values)
    settings = Signature.parse(column.signature).profile().averaging
    if math.isnan(mean) and (void.any() or not values.size or settings.weights is not None):
        return  # infinite values are not told from undefined ones, and all weights of a group may be 0
    if settings.nan != "propagate":
        values = values[~void] if settings.nan == "skip" else np.where(void, 0.0, values)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = _bounds(values, _way(column), settings, counts, whole=part is None)
    slack = _SLACK * max(1.0, float(np.abs(values[~np.isnan(values)]).max(initial=0.0)))
    if not (math.isnan(mean) and not math.isfinite(low)) and not low - slack <= mean <= high + slack:
        which = f"{low:.12g}" if low == high else f"between {low:.12g} and {high:.12g}"
        raise ValueError(f"the mean of {column.label} is {mean:.12g}, and that of its values is {which}")


def _bounds(
    values: Floats, way: Way, settings: Averaging, counts: Mapping[str, int], *, whole: bool
) -> tuple[float, float]:
    """The smallest and the largest mean that the values may have."""
    absent = counts["unanswered"] if settings.missing == "absent" else 0
    if way == "sum":
        total = float(np.cumsum(values)[-1]) if values.size else 0.0
        return total, math.inf if absent else total
    if not values.size and not absent:
        return 0.0, 0.0
    zero = np.zeros(1)
    if way == "gmean":
        values, zero = (values if settings.logarithms else _logarithms(values)), _logarithms(zero)
    total = float(np.append(0.0, values).cumsum()[-1])
    judged = counts["judged"]
    if settings.weights is not None or settings.macro is not None:
        known = [*values[~np.isnan(values)].tolist(), *(zero.tolist() if absent else [])]
        ends = [min(known, default=-math.inf), max(known, default=math.inf)]
        if settings.divisor != "rows":
            return -math.inf, math.inf
    elif way == "mean" and settings.divisor == "run":
        ends = [0.0, total]
    elif way == "mean" and settings.divisor == "judged":
        ends = [total / max(1, size) for size in (judged if whole else 1, judged)]
    else:
        fewest = 0 if values.size else absent
        ends = [(total + more * zero[0]) / (values.size + more) for more in (fewest, absent)]
    ends = [rounded(float(one), settings.round_means, settings) for one in back(np.array(ends), [way] * len(ends))]
    return min(ends), max(ends)


def _logarithms(values: Floats) -> Floats:
    return additive(values[:, None], ["gmean"])[:, 0]


def _way(column: Column) -> Way:
    """How the values become one; of a measure that is not known here, by its name and kind."""
    if column.kind == "count":
        return "sum"
    return "gmean" if column.measure.startswith("gmean(") else "mean"

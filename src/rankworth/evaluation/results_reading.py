"""Read results files of any version, and refuse those whose parts contradict each other."""

import math
import os
import re
import shlex
import warnings
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from itertools import compress
from pathlib import Path
from typing import Any, Final

import numpy as np

from rankworth import names
from rankworth.errors import KEEP, InputError, RankworthError, RankworthWarning
from rankworth.evaluation.aggregation import Way, rounded, summary
from rankworth.evaluation.results_file import FAMILY, NUMBER, Column, Mask, Result, digest
from rankworth.io import json_text
from rankworth.io.source import Source
from rankworth.model import Digest, QueryDigest
from rankworth.profiles import PROFILES, STANDARD, Profile, Signature, signature
from rankworth.settings import Averaging
from rankworth.tables.columns import Kind
from rankworth.version import __version__

_PARQUET: Final = b"PAR1"
_HEAD: Final = 1 << 12
_FIRST: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(\w+)"\s*:\s*[^\s{\[]')
"""how a results file begins: its first member is a text or a number, that of a run one of queries"""
_CONFLICTED: Final = re.compile(rb'<<<<<<< .*\n\s*\{?\s*"')
"""how a results file begins that git could not merge from its first line on"""
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
            or compressed.

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
    is_table = content.startswith(_PARQUET)
    record = _of_text(_metadata(content, source).encode() if is_table else content, source)
    schema = _schema(record, source.name)
    try:
        if is_table:
            _add_rows(record, content, source)
        return _results(record, schema, source)
    except InputError:
        raise
    except KeyError as error:
        what = f"{error.args[0]!r} is missing"
    except ValueError as error:
        by = record.get("rankworth", __version__)
        written = f" (rankworth {by} wrote it, this is {__version__})" if by != __version__ else ""
        what = f"{error.problems[0] if isinstance(error, RankworthError) else error}{written}"
    except (AttributeError, IndexError, OverflowError, RecursionError, TypeError):
        what = "it is not made as results are"
    raise _damaged(source, what)


def _results(record: Mapping[str, Any], schema: int, source: Source) -> dict[str, Result]:
    """The runs of a record, once it is known that its parts belong together.

    Raises:
        InputError: `means-only`.
        ValueError: where they do not; others where it is not made as records are.

    """
    if any(run.get("per_query") is None for run in record["runs"]):
        fact = f"{source.name}: it holds means, and not the values of queries"
        raise InputError("means-only", fact, remedy=f"-q keeps them: {KEEP} {shlex.quote(source.path)}")
    results: dict[str, Result] = {}
    for run in record["runs"]:
        one = _result(record, run, schema, source.path)
        _refuse_contradictions(one)
        if one.run in results:
            raise ValueError("two runs have one name")
        results[one.run] = one
    if record["signature"] != " ; ".join(sorted({one.signature for one in results.values()})):
        raise ValueError("the signature of the file is not that of its runs")
    if schema < NUMBER and "digest" in record:
        raise ValueError(f"schema {schema} has no digest")
    if schema >= NUMBER and record["digest"] != digest(record):
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
            return bool(_metadata(file.whole(), file))
        first = _FIRST.match(head)
        if first is None:
            return _CONFLICTED.match(head) is not None and FAMILY.encode() in head
        return first[1] == b"schema" or {"schema", "runs"} <= json_text.parsed(file.whole(), file).keys()
    except (InputError, AttributeError):
        return False


def _of_text(content: bytes, source: Source) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The record of a JSON text.

    Raises:
        InputError: `bad-json`, `bad-results`.

    """
    try:
        record = json_text.parsed(content, source)
    except InputError as error:
        if b"<<<<<<< " in content and error.slug == "bad-json":
            raise InputError("bad-json", *error.problems, remedy=_CONFLICT) from None
        raise
    unique = not isinstance(record, dict) or json_text.has_each_key_once(content, record, len(record))
    if not unique and (way := json_text.repeated(content, source.name)):
        raise _damaged(source, f"{' '.join(map(str, way))} stands there twice")
    return record


def _metadata(content: bytes, source: Source) -> str:
    """The record that stands beside a table of Parquet.

    Raises:
        InputError: `truncated-file`; `bad-results`, where there is none.

    """
    metadata = _from_parquet("read_parquet_metadata", content, source)
    if "rankworth" not in metadata:
        raise _bad(source.name, "this is a table, and no results of rankworth", _WRITE)
    return str(metadata["rankworth"])


def _from_parquet(reader: str, content: bytes, source: Source) -> Any:  # noqa: ANN401 - as the reader
    """What a reader of Polars makes of a Parquet file.

    Raises:
        InputError: `truncated-file`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    try:
        return getattr(pl, reader)(BytesIO(content))
    except (pl.exceptions.PolarsError, OSError):
        fact = f"{source.name}: the file in Parquet ends early or is damaged"
        raise InputError("truncated-file", fact, remedy="copy it again, or write it again") from None


def _add_rows(record: dict[str, Any], content: bytes, source: Source) -> None:
    """Complete a record with the values of a table, as JSON has them: null is no value, NaN one that is undefined.

    Raises:
        ValueError: where the rows are not those of the runs.
        KeyError: where a column is missing.

    """
    table = _from_parquet("read_parquet", content, source)
    if "query" not in table.columns:  # means alone
        return
    if absent := [name for name in ("run", *record["measures"], *_text_labels(record)) if name not in table.columns]:
        raise KeyError(absent[0])
    rows: dict[str, dict[str, dict[str, Any]]] = {
        run["name"]: run.setdefault("per_query", {}) for run in record["runs"]
    }
    for row in table.iter_rows(named=True):
        run, query = row.pop("run"), row.pop("query")
        if run not in rows or not isinstance(query, str):
            raise ValueError(f"query {query!r} of {run!r} has a row and is not among the runs")
        if query in rows[run]:
            raise ValueError(f"query {query!r} of {run!r} has two rows")
        rows[run][query] = {
            label: None if isinstance(cell, float) and math.isnan(cell) else cell
            for label, cell in row.items()
            if cell is not None
        }


def _schema(record: object, name: str) -> int:
    """The number of the schema.

    Raises:
        InputError: `bad-results`, `newer-results`.

    """
    record = record if isinstance(record, dict) else {}
    schema = record.get("schema")
    if schema == 1:
        return 1
    number = re.fullmatch(rf"{re.escape(FAMILY)}(\d+)", str(schema))
    if number is None:
        what = f"this is {schema}" if str(schema).startswith("rankworth.") else "this is JSON"
        raise _bad(name, f"{what}, and no results of rankworth", _WRITE)
    if int(number[1]) > NUMBER:
        by = record.get("rankworth", "a later version")
        fact = f"{name}: it has schema {number[1]}, and rankworth {__version__} reads up to {NUMBER}"
        raise InputError("newer-results", fact, remedy=f"rankworth {by} wrote it: install that version, or a later one")
    return int(number[1])


def _damaged(source: Source, what: str) -> InputError:
    """The error about a results file that has to be written again."""
    return _bad(source.name, what, f"write it again: {KEEP} {shlex.quote(source.path)}")


def _bad(name: str, what: str, remedy: str) -> InputError:
    return InputError("bad-results", f"{name}: {what}", remedy=remedy)


def _result(record: Mapping[str, Any], run: Mapping[str, Any], schema: int, path: str) -> Result:
    """One run of a record.

    Args:
        record: the whole.
        run: the run.
        schema: the number of the schema.
        path: the file.

    Raises:
        ValueError: where parts do not belong together, or a value is none.
        KeyError: where a part is missing.

    """
    rows: dict[str, Mapping[str, Any]] = dict(sorted(run["per_query"].items()))
    labels: list[str] = record["measures"]
    others = dict.fromkeys(label for row in rows.values() for label in row if label not in labels)
    texts = {
        label: tuple(row.get(label, "") for row in rows.values())
        for label in (others if schema == 1 else _text_labels(record))
    }
    if stray := [label for label in others if label not in texts]:
        raise ValueError(f"{stray[0]} has values and is not among the measures")
    if odd := next((text for column in texts.values() for text in column if not isinstance(text, str)), None):
        raise ValueError(f"{odd!r} is no text")
    named = {name: tuple(map(str, ids)) for name, ids in run["queries"].items() if isinstance(ids, list)}
    counts = {name: count for name, count in run["queries"].items() if name not in named}
    if not all(isinstance(count, int) for count in counts.values()):
        raise ValueError("a count is no whole number")
    return Result(
        run=str(run["name"]),
        queries=tuple(rows),
        columns=tuple(_column(label, rows, record, run, schema) for label in labels),
        profile=str(record["profile"]),
        signature=run.get("signature", record["signature"]),
        counts=counts,
        judgements=restored_digest(record["judgements"]) if schema > 1 else None,
        seed=record.get("interval", {}).get("seed"),
        notices=tuple((str(one["slug"]), str(one["text"])) for one in run["warnings"]),
        texts=texts,
        by=record.get("by", ""),
        groups=run.get("groups", {}),
        tag=run.get("runid"),
        origin=path,
        schema=schema,
        named=named,
    )


def _column(
    label: str, rows: Mapping[str, Mapping[str, Any]], record: Mapping[str, Any], run: Mapping[str, Any], schema: int
) -> Column:
    """The values of one measure.

    Raises:
        ValueError: where they are not those that were signed.

    """
    cells = [_number(row.get(label), f"{label} of query {query!r}") for query, row in rows.items()]
    there = np.array([label in row for row in rows.values()], dtype=bool)
    if "signatures" in run or schema > 1:
        own = Signature.parse(run["signatures"][label])
    else:
        whole = Signature.parse(run.get("signature", record["signature"]))
        own = replace(whole, measure=str(names.parse(label)), queries=_signed(rows, there))
    if schema == 1 and own.queries != _signed(rows, there):
        there = np.ones_like(there)  # Parquet did not tell what is undefined from what is not there
    if own.queries != _signed(rows, there):
        count, signed = f"{np.count_nonzero(there)}", own.queries.partition("-")[0]
        others = "as many others" if signed == count else count
        raise ValueError(f"{label} is signed for {signed} queries, and the file has {others}")
    kind: Kind = record["kinds"][label] if schema > 1 else names.kind_of(names.parse(own.measure))
    if kind not in ("share", "value", "count"):
        raise ValueError(f"{label} is {kind!r}, which no measure is")
    mean = _number(run["mean"][label], f"the mean of {label}")
    return Column(label, own.measure, str(own), np.array(cells), None if there.all() else there, kind, mean)


def _text_labels(record: Mapping[str, Any]) -> list[str]:
    return [label for label, kind in record.get("kinds", {}).items() if kind == "text"]


def _signed(queries: Iterable[str], there: Mask) -> str:
    """The queries that have values, as a signature names them."""
    return signature(STANDARD, list(compress(queries, there.tolist())), "").queries


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


def restored_digest(described: Mapping[str, Any]) -> Digest:
    """The digest of judgements that a file describes.

    Raises:
        ValueError: where it describes none, or not the one of which it has the sum.

    """
    try:
        restored = Digest({query: _restored_query(one) for query, one in sorted(described["per_query"].items())})
        sums = described["sha256"], described["pairs"], described["queries"]
    except (AttributeError, Error, KeyError, TypeError, ValueError) as error:
        raise ValueError("the digest of the judgements cannot be read") from error
    if sums != (restored.sha256, restored.pairs, len(restored.queries)):
        raise ValueError("the digest of the judgements is not that of its queries")
    return restored


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
    whole = Signature.parse(result.signature)
    profile = whole.recorded["profile"]
    ruled = profile not in PROFILES or PROFILES[profile].rules
    shared = {name: text for name, text in whole.settings.items() if name not in _APART}
    groups = np.array(result.texts.get("group", ()), dtype=object)
    for column in result.columns:
        own = Signature.parse(column.signature)
        settings = own.profile()
        _refuse_values(column, settings)
        _refuse_mean(column, column.mean, column.known, settings.averaging, result.counts)
        for name, group in result.groups.items() if groups.size else ():
            mean = _number(group["mean"][column.label], f"the mean of {column.label}")
            within = column.known & np.asarray(groups == name)
            _refuse_mean(column, mean, within, settings.averaging, result.counts)
        here = {name: text for name, text in own.settings.items() if name not in _APART}
        if own.recorded != whole.recorded or (not ruled and here != shared):
            raise ValueError(f"the signature of {column.label} contradicts that of {result.run}")
    if profile != result.profile:
        raise ValueError(f"the profile is {result.profile}, and the values of {result.run} are signed for {profile}")


def _refuse_values(column: Column, profile: Profile) -> None:
    """Refuse values outside the range of their measure.

    Raises:
        ValueError: which tells one of them.

    """
    settings, judging, quantity = profile.averaging, profile.judging, column.quantity
    once = {judging.duplicates, judging.duplicate_judgements} <= _ONCE and judging.order != "rank"
    low, high = -math.inf, math.inf
    if quantity is not None and quantity.parameters.get("gain", "linear") in _GAINS and once:
        low, high = (low, high) if settings.logarithms else quantity.definition.range
    instead = [one for one in (settings.undefined, settings.no_relevant, settings.neither) if isinstance(one, float)]
    low, high = min(low, 0.0, *instead), max(high, 0.0, *instead)
    values = column.values[~np.isnan(column.values)]
    if (odd := values[(values < low - _SLACK) | (values > high + _SLACK)]).size:
        raise ValueError(f"{column.label} has the value {odd[0]:g}, and lies between {low:g} and {high:g}")


def _refuse_mean(column: Column, mean: float, rows: Mask, settings: Averaging, counts: Mapping[str, int]) -> None:
    """Refuse a mean that is not that of the values, where a file has all that it is made of.

    Args:
        column: the values.
        mean: the mean that the file has of them.
        rows: `[Q]`, the queries that the mean is about.
        settings: how the mean was taken.
        counts: how many queries there are.

    Raises:
        ValueError: which tells the mean.

    """
    values, plain = column.values[rows], (None, None, "rows", "propagate", False)
    taken = (settings.weights, settings.macro, settings.divisor, settings.nan, settings.logarithms)
    if taken != plain or (settings.missing == "absent" and counts["unanswered"]) or np.isnan(values).any():
        return
    way: Way = "sum" if column.kind == "count" else "gmean" if column.measure.startswith("gmean(") else "mean"
    with np.errstate(over="ignore", invalid="ignore"):
        own = float(summary(values[:, None], [way])[0]) if values.size else 0.0
    own = own if way == "sum" else rounded(own, settings.round_means, settings)
    slack = _SLACK * max(1.0, float(np.abs(values).max(initial=0.0)))
    if math.isfinite(own) and not abs(mean - own) <= slack and not (math.isnan(mean) and not values.size):
        raise ValueError(f"the mean of {column.label} is {mean:.12g}, and that of its values is {own:.12g}")

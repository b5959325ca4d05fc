"""Read results files of any version; the digest tells whether one was edited, merged or damaged."""

import math
import os
import re
import shlex
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import KEEP, InputError, NotMeasuredError, RankworthError
from rankworth.io import json_text
from rankworth.io.source import Source
from rankworth.model import Digest, QueryDigest
from rankworth.profiles import STANDARD, Signature, signature
from rankworth.results import long
from rankworth.results.amounts import amounts_of, with_amounts
from rankworth.results.file import (
    FAMILY,
    NUMBER,
    Column,
    Result,
    StoredBounds,
    described_means,
    digest,
    quantity_of,
    text_labels,
)
from rankworth.results.long import MeanRow, recorded
from rankworth.scoring import columns as scoring
from rankworth.scoring.columns import Mask
from rankworth.settings import DATA
from rankworth.tables import columns as tables
from rankworth.version import __version__

T = TypeVar("T")

_SCHEMA: Final = re.compile(rf"1|{re.escape(FAMILY)}(\d+)")
_PARQUET: Final = b"PAR1"
_BEGINNING: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:<<<<<<< .*\n\s*)?\{?\s*"\w+"\s*:\s*[^\s{\[]')
"""how a results file begins, perhaps below git's mark of a conflict: its first member is a text or a number, while that
of a run is a query with its documents"""
_OBJECT: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:[{\[\"]|<<<<<<< )")
"""how JSON begins, perhaps below git's mark of a conflict"""
_NAMES_SCHEMA: Final = re.compile(rb'"schema"\s*:\s*[^\s{\[]')


def load(path: str | os.PathLike[str]) -> dict[str, Result]:
    """Load the results that a file holds, by the names of their runs, in order.

    Args:
        path: what `rankworth evaluate -q -o FILE` or `Values.save` has written, in any version up to this one, plain
            or compressed.

    Raises:
        InputError: `bad-results`, `older-results`, `newer-results`, `means-only`; `bad-json`, `truncated-file`,
            `missing-file` and others, where the file cannot be read at all.

    """
    if not isinstance(path, str | os.PathLike):
        raise InputError("input-type", f"{path!r} is no path of a results file", remedy="load('baseline.json')")
    return _read(Source(path), _results)


@dataclass(frozen=True)
class StoredMeans:
    """The means that a results file holds, with values of queries or without.

    Attributes:
        rows: a row for each run, group and measure.
        kinds: what the values of each measure are.
        judgements: what the judgements were; None where the file does not tell.

    """

    rows: tuple[MeanRow, ...]
    kinds: Mapping[str, tables.Kind]
    judgements: Digest | None


def load_means(path: str | os.PathLike[str], level: float | None = None) -> StoredMeans:
    """Load the means that a results file holds.

    Args:
        path: what `rankworth evaluate -o FILE` or `Values.save` has written.
        level: confidence level of the intervals, which are computed where the file holds values of queries and no
            intervals of this level; None for those that the file holds, whatever their level.

    Raises:
        InputError: as `load`, but for `means-only`.

    """
    return _read(Source(path), partial(_means, level=level))


def _read(source: Source, restore: Callable[[dict[str, Any], Source], T]) -> T:
    """Read the record of a results file, and what is restored from it.

    Raises:
        InputError: as `load`.

    """
    content = source.whole()
    is_table = content.startswith(_PARQUET)
    document = _parsed(_metadata(content, source).encode() if is_table else content, source)
    _check_schema(document, source.name)
    try:
        if is_table:
            _add_rows(document, _from_parquet("read_parquet", content, source))
        return restore(document, source)
    except InputError:
        raise
    except KeyError as error:
        fact = f"{error.args[0]!r} is missing"
    except ValueError as error:
        by = document.get("rankworth", __version__)
        written = f" (rankworth {by} wrote it, this is {__version__})" if by != __version__ else ""
        fact = f"{error.problems[0] if isinstance(error, RankworthError) else error}{written}"
    except (AttributeError, IndexError, OverflowError, RecursionError, TypeError):
        fact = "it is not made as results are"
    raise _damaged(source, fact)


def is_results(source: object) -> bool:
    """Return whether this is the path of a results file; of no pipe, which could be read once only."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return False
    file = Source(os.fsdecode(source))
    try:
        head = file.head(1 << 12)
        if head.startswith(_PARQUET):
            return bool(_metadata(file.whole(), file))
        return _BEGINNING.match(head) is not None and _NAMES_SCHEMA.search(file.whole()) is not None
    except InputError:
        return False


def _parsed(content: bytes, source: Source) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Parse the record of a JSON text.

    Raises:
        InputError: `bad-json`, `bad-results`.

    """
    if content and not _OBJECT.match(content):
        raise _no_results(source.name, "no JSON")
    try:
        document = json_text.parsed(content, source)
    except InputError as error:
        if b"<<<<<<< " in content and error.slug == "bad-json":
            conflict = "git left both sides of a conflict in it; take one of them, or evaluate again"
            raise error.with_remedy(conflict) from None
        raise
    json_text.check_keys(content, document, source.name, "bad-results")
    return document


def _metadata(content: bytes, source: Source) -> str:
    """Read the record that stands beside a table of Parquet.

    Raises:
        InputError: `truncated-file`; `bad-results`, where there is none.

    """
    metadata = _from_parquet("read_parquet_metadata", content, source)
    if "rankworth" not in metadata:
        raise _no_results(source.name, "a table")
    return str(metadata["rankworth"])


def _from_parquet(reader: str, content: bytes, source: Source) -> Any:  # noqa: ANN401 - as the reader
    """Read a Parquet file with a function of Polars.

    Raises:
        InputError: `truncated-file`, `inflated-file`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    from rankworth.io.parquet import without_panics  # noqa: PLC0415 - as above
    from rankworth.io.stated_lengths import of_parquet, refuse_inflated  # noqa: PLC0415 - as above

    try:
        refuse_inflated(of_parquet(BytesIO(content)), source.name, len(content))
        with without_panics():
            return getattr(pl, reader)(BytesIO(content))
    except InputError:
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        fact = f"{source.name}: the file in Parquet ends early or is damaged"
        raise InputError("truncated-file", fact, remedy="copy it again, or write it again") from None


def _check_schema(document: object, name: str) -> None:
    """Refuse a record whose schema is not read.

    Raises:
        InputError: `bad-results`, `newer-results`.

    """
    head = document if isinstance(document, dict) else {}
    schema = str(head.get("schema"))
    match = _SCHEMA.fullmatch(schema)
    if match is None:
        raise _no_results(name, schema if schema.startswith("rankworth.") else "JSON")
    number = int(match[1] or 1)
    fact = f"{name}: it has schema {number}, and rankworth {__version__} reads {NUMBER}"
    if number < NUMBER:
        raise InputError("older-results", fact, remedy=f"write it again:\n  {_renewal(head, name)}")
    if number > NUMBER:
        by = head.get("rankworth", "a later version")
        raise InputError("newer-results", fact, remedy=f"rankworth {by} wrote it: install that version, or a later one")


def _renewal(document: Mapping[str, Any], path: str) -> str:
    """Return the command that writes a file of an older schema again."""
    try:
        first = document["runs"][0]
        line = Signature.parse(first.get("signature", document["signature"]))
        runs = [f"{run['name']}=RUN" for run in document["runs"]]
        return renewal("QRELS", runs, document["measures"], line, path)
    except (KeyError, TypeError, IndexError, AttributeError, RankworthError):
        return f"{KEEP} {shlex.quote(path)}"


def renewal(
    qrels: str, runs: Sequence[str], measures: Sequence[str], line: Signature, path: str, reading: Sequence[str] = ()
) -> str:
    """Return the command that measures runs again and keeps the new file.

    Args:
        qrels: the judgements.
        runs: the runs.
        measures: their names.
        line: a signature, with the settings.
        path: the results file.
        reading: options that say how files are read.

    """
    settings = {name: text for name, text in line.settings.items() if name not in DATA}
    options = [*reading, *(replace(line, settings=settings).options() or []), "-q", "-o", path]
    return shlex.join(["rankworth", "evaluate", qrels, *runs, "-m", *measures, *options])


def _no_results(name: str, kind: str) -> InputError:
    fact = f"{name}: this is {kind}, and no results of rankworth"
    return InputError("bad-results", fact, remedy="rankworth evaluate QRELS RUN -q -o FILE.json writes one")


def _damaged(source: Source, problem: str) -> InputError:
    """Return the error about a results file that has to be written again."""
    remedy = f"write it again: {KEEP} {shlex.quote(source.path)}"
    return InputError("bad-results", f"{source.name}: {problem}", remedy=remedy)


def _add_rows(document: Mapping[str, Any], table: Any) -> None:  # noqa: ANN401 - a frame of Polars
    """Complete a record with the values of a table, as JSON has them: null is no value, NaN one that is undefined.

    Raises:
        ValueError: where a query has two rows.
        KeyError: where a column or a run is missing.

    """
    if "query" not in table.columns:  # means alone
        return
    for label in ("run", *document["measures"], *text_labels(document)):
        if label not in table.columns:
            raise KeyError(label)
    rows: dict[str, dict[str, Any]] = {run["name"]: run.setdefault("per_query", {}) for run in document["runs"]}
    for row in table.iter_rows(named=True):
        run, query = row.pop("run"), row.pop("query")
        if query in rows[run]:
            raise ValueError(f"query {query!r} of {run!r} has two rows")
        cells = {label: cell for label, cell in row.items() if cell is not None}
        rows[run][query] = {
            label: recorded(cell, None) if isinstance(cell, float) else cell for label, cell in cells.items()
        }


def _results(document: dict[str, Any], source: Source) -> dict[str, Result]:
    """Return the runs of a record, once it is known that its parts belong together.

    Raises:
        InputError: `means-only`.
        ValueError: where they do not; others where it is not made as records are.

    """
    if not _has_queries(document):
        fact = f"{source.name}: it holds means, and not the values of queries"
        raise InputError("means-only", fact, remedy=f"-q keeps them: {KEEP} {shlex.quote(source.path)}")
    results = {run["name"]: _result(document, run, source.path) for run in document["runs"]}
    _check_parts(document)
    return results


def _has_queries(document: Mapping[str, Any]) -> bool:
    """Return whether a record holds the values of queries."""
    return all(run.get("per_query") is not None for run in document["runs"])


def _check_parts(document: dict[str, Any]) -> None:
    """Refuse a record whose parts do not belong together.

    Raises:
        ValueError: where they do not.

    """
    signatures = {run["name"]: run.get("signature", document["signature"]) for run in document["runs"]}
    if len(signatures) < len(document["runs"]):
        raise ValueError("two runs have one name")
    if document["signature"] != " ; ".join(sorted({*signatures.values()})):
        raise ValueError("the signature of the file is not that of its runs")
    if document["digest"] != digest(document):
        raise ValueError("its digest is not that of what it holds: it was edited, merged or damaged")


def _means(document: dict[str, Any], source: Source, *, level: float | None) -> StoredMeans:
    """Return the means of a record, once it is known that its parts belong together."""
    results: dict[str, Result] = {}
    if _has_queries(document):
        results = _results(document, source)
    else:
        _check_parts(document)
    rows: list[MeanRow] = []
    for run in document["runs"]:
        intervals = _kept_intervals(run, level)
        if not intervals and level is not None and run["name"] in results:
            with suppress(NotMeasuredError):
                intervals = described_means(results[run["name"]], level)["interval"]
        groups = {
            name: {**part, "interval": _kept_intervals(part, level)} for name, part in run.get("groups", {}).items()
        }
        rows += long.rows({**run, "interval": intervals, "groups": groups}, document["measures"])
    judgements = next((result.judgements for result in results.values()), None)
    return StoredMeans(tuple(rows), document["kinds"], judgements)


def _kept_intervals(part: Mapping[str, Any], level: float | None) -> dict[str, Any]:
    """Return the intervals of a run or a group that are of a level; all of them where it is None."""
    intervals = part.get("interval", {}).items()
    return {label: interval for label, interval in intervals if level in (None, interval["level"])}


def _result(document: Mapping[str, Any], run: Mapping[str, Any], path: str) -> Result:
    """Read one run of a record.

    Args:
        document: the record.
        run: its part about the run.
        path: the file.

    Raises:
        ValueError: where parts do not belong together, or a value is none.
        KeyError: where a part is missing.

    """
    rows: dict[str, Mapping[str, Any]] = dict(sorted(run["per_query"].items()))
    counts: Mapping[str, Any] = run["queries"]
    judgements = restored_digest(document["judgements"])
    return Result(
        run=run["name"],
        queries=tuple(rows),
        columns=tuple(_column(label, rows, document["kinds"][label], run) for label in document["measures"]),
        profile=document["profile"],
        signature=run.get("signature", document["signature"]),
        counts={name: count for name, count in counts.items() if not isinstance(count, list)},
        judgements=judgements,
        seed=document.get("interval", {}).get("seed"),
        notices=tuple((notice["slug"], notice["text"]) for notice in run["warnings"]),
        texts={label: tuple(row.get(label, "") for row in rows.values()) for label in text_labels(document)},
        by=document.get("by", ""),
        groups=run.get("groups", {}),
        tag=run.get("runid"),
        origin=path,
        named={name: tuple(ids) for name, ids in counts.items() if isinstance(ids, list)},
        bounds=_restored_bounds(run["bounds"], document["measures"]) if "bounds" in run else None,
        lengths={int(length): int(number) for length, number in run["lengths"].items()} if "lengths" in run else None,
        unjudged=math.nan if run.get("unjudged") is None else float(run["unjudged"]),
    )


def _restored_bounds(described: Mapping[str, Any], measures: Sequence[str]) -> StoredBounds:
    """Return the bounds that a file describes.

    Args:
        described: the record of them.
        measures: the measures in the order asked for.

    """
    from rankworth.whatif.bounds import Bound  # noqa: PLC0415 - rarely needed

    def restored(by_measure: Mapping[str, Mapping[str, float | None]]) -> dict[str, Bound]:
        ends = {label: [each[name] for name in Bound._fields] for label, each in by_measure.items()}
        return {label: Bound(*(math.nan if end is None else end for end in each)) for label, each in ends.items()}

    queries = {query: restored(by_measure) for query, by_measure in described.get("per_query", {}).items()}
    means, notes = restored(described["mean"]), tuple(described["notes"])
    in_order = {label: means[label] for label in measures if label in means}
    return StoredBounds(described["by"], described["assumption"], notes, in_order, queries)


def _column(label: str, rows: Mapping[str, Mapping[str, Any]], kind: tables.Kind, run: Mapping[str, Any]) -> Column:
    """Read the values of one measure.

    Args:
        label: the measure.
        rows: the values by query.
        kind: what they are.
        run: the part of the record about the run.

    Raises:
        ValueError: where they are not those that were signed.

    """
    signed_as = Signature.parse(run["signatures"][label])
    is_listed = np.array([label in row for row in rows.values()], dtype=bool)
    if signed_as.queries != _signed(label, rows):
        count, signed = f"{np.count_nonzero(is_listed)}", signed_as.queries.partition("-")[0]
        as_counted = "as many others" if signed == count else count
        raise ValueError(f"{label} is signed for {signed} queries, and the file has {as_counted}")
    try:
        values = np.array([row.get(label) for row in rows.values()], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{label} has a value that is no number") from None
    mean = run["mean"][label]
    mean = math.nan if mean is None else float(mean)
    counts = _counts(label, values, rows, is_listed, run, signed_as)
    there = None if is_listed.all() else is_listed
    return Column(label, signed_as.measure, str(signed_as), values, there, kind, mean, counts)


def _counts(
    label: str,
    values: Floats,
    rows: Mapping[str, Any],
    listed: Mask,
    run: Mapping[str, Any],
    signed_as: Signature,
) -> scoring.Column:
    """Return what a mean is made of.

    Args:
        label: the measure.
        values: `[Q]`, the values that are shown.
        rows: the queries that have a value by some measure.
        listed: `[Q]`, those that have one by this measure.
        run: the part of the record about the run: which queries count otherwise than by the value that is shown.
        signed_as: the signature of the measure.

    Raises:
        ValueError: where a weight is none.

    """
    quantity = quantity_of(signed_as.measure)
    uneven: Mapping[str, Any] = run.get("counted", {}).get(label, {})
    amounts = amounts_of(quantity, label, run)
    further = uneven if amounts is None else amounts.rows
    queries = [*rows, *(query for query in further if query not in rows)]
    row_of = {query: row for row, query in enumerate(queries)}
    more = len(queries) - len(rows)
    visible = np.append(np.where(listed, values, math.nan), np.full(more, math.nan))
    listed, counts = np.append(listed, np.zeros(more, dtype=bool)), visible.copy()
    weights, strata = listed.astype(np.float64), np.zeros(len(queries), dtype=np.int64)
    for query, (value, weight, *group) in uneven.items():
        row = row_of[query]
        counts[row], weights[row] = math.nan if value is None else value, weight
        strata[row] = group[0] if group else 0
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("a weight is no finite number from 0")
    is_grouped = any(len(row) > 2 for row in uneven.values())  # noqa: PLR2004 - value and weight
    settings = signed_as.settings
    column = scoring.Column(
        queries,
        counts,
        weights,
        listed,
        getattr(quantity, "averaging", "mean"),
        visible if uneven else None,
        strata if is_grouped else None,
        int(settings["round_means"]) if "round_means" in settings else None,
        "up" if settings.get("halves") == "up" else "even",
        0.0 if settings.get("no_queries") == "zero" else math.nan,
    )
    return column if amounts is None else with_amounts(column, amounts)


def _signed(label: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the queries that have a value by a measure, as a signature names them."""
    return signature(STANDARD, sorted(query for query, row in rows.items() if label in row), "").queries


def restored_digest(described: Mapping[str, Any]) -> Digest:
    """Restore the digest of judgements that a file describes.

    Raises:
        ValueError: where it describes none, or not the one of which it has the sum.

    """
    try:
        restored = Digest({query: _restored_query(part) for query, part in sorted(described["per_query"].items())})
        sums = described["sha256"], described["pairs"], described["queries"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError("the digest of the judgements cannot be read") from error
    if sums != (restored.sha256, restored.pairs, len(restored.queries)):
        raise ValueError("the digest of the judgements is not that of its queries")
    return restored


def _restored_query(described: Mapping[str, Any]) -> QueryDigest:
    if "digest" in described:
        return QueryDigest(int(described["pairs"]), str(described["digest"]))
    by_grade = sorted(described.items(), key=lambda pair: float(pair[0]))
    return QueryDigest.of({grade: b64decode(hashes, validate=True) for grade, hashes in by_grade})

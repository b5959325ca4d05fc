"""Results as nested data, and as text: what is sorted stays sorted, and a query has a line of its own."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import repeat
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.results.judged import described
from rankworth.results.result import NUMBER, Column, Result
from rankworth.version import __version__

FAMILY: Final = "rankworth.results/"
SCHEMA: Final = f"{FAMILY}{NUMBER}"
LINES: Final = frozenset({"per_query", "interval", "warnings"})
"""what has a line for each of its members, whatever is in them"""
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_REMEDY: Final = "evaluate the runs together, or keep a file for each"


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
    _refuse_strangers(results)
    signature = " ; ".join(sorted({one.signature for one in results}))
    told: dict[str, Any] = {
        "schema": SCHEMA,
        "rankworth": __version__,
        "signature": signature,
        "profile": first.profile,
        "measures": [one.label for one in first.columns],
        "kinds": _by_name({one.label: one.kind for one in first.columns} | dict.fromkeys(first.texts, "text")),
    }
    if interval:
        told["interval"] = dict(interval)
    if first.by:
        told["by"] = first.by
    if first.judgements is not None:
        told["judgements"] = described(first.judgements)
    told["runs"] = []
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
        told["runs"].append(run)
    return told


def text(told: Mapping[str, Any]) -> str:
    """A record with its digest as JSON, with one line for each query and each warning."""
    return "\n".join(_lines({**told, "digest": digest(told)}, "", "")) + "\n"


def compact(told: Mapping[str, Any], *, without: frozenset[str] = frozenset()) -> str:
    """A record with its digest as JSON in one line.

    Args:
        told: the record.
        without: what is left out of each run, since it stands elsewhere; the digest is that of the whole record.

    """
    runs = [{key: value for key, value in run.items() if key not in without} for run in told["runs"]]
    return _encoded({**told, "runs": runs, "digest": digest(told)})


def digest(told: Mapping[str, Any]) -> str:
    """The SHA-256 of a record without its digest, in the one form that does not depend on the file.

    Keys are sorted, nothing stands between the parts, and whole numbers have no point.

    >>> digest({"b": 1.0, "a": None}) == sha256(b'{"a":null,"b":1}').hexdigest()
    True
    """
    kept = {key: value for key, value in told.items() if key != "digest"}
    return sha256(json.dumps(_whole(kept), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _whole(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The same with whole numbers as integers, which some writers of JSON make of them."""
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_strangers(results: Sequence[Result]) -> None:
    """Refuse runs of which not all that is said once for all of them is true."""
    first = results[0]
    for one in results[1:]:
        differ = {
            "profiles": one.profile != first.profile,
            "measures": [(each.label, each.kind) for each in one.columns]
            != [(each.label, each.kind) for each in first.columns]
            or list(one.texts) != list(first.texts),
            "judgements": _sum(one) != _sum(first),
        }
        what = [name for name, differs in differ.items() if differs]
        if what:
            fact = f"{first.run} and {one.run} have other {' and '.join(what)}, and a file tells them once for all runs"
            raise UsageError("not-comparable", fact, remedy=_REMEDY)


def _sum(one: Result) -> str:
    return "" if one.judgements is None else one.judgements.sha256


def _rows(one: Result) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query with its values and texts; without those that are not there."""
    columns = [(column.label, _cells(column)) for column in one.columns]
    columns += [(label, list(texts)) for label, texts in one.texts.items()]
    columns.sort()
    labels, cells = ([label for label, _ in columns], [column for _, column in columns])
    for query, *row in zip(one.queries, *cells, strict=True):
        yield query, {label: cell for label, cell in zip(labels, row, strict=True) if cell is not _ABSENT}


_ABSENT: Final = object()


def _cells(column: Column) -> list[Any]:
    """The values of a measure as they stand in a file."""
    cells: list[Any] = [_plain(value, column) for value in column.values.tolist()]
    if column.there is None:
        return cells
    return [cell if there else _ABSENT for cell, there in zip(cells, column.there.tolist(), strict=True)]


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
        if key in LINES:
            yield f"{begin}{_encoded(member)}{end}"
        else:
            yield from _lines(member, begin, str(name), end)
    yield f"{inside[2:]}{closing}{after}"

"""Results files on their way in: of this version, of older ones, and what is none of them."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankworth.errors import InputError
from rankworth.io.objects import syntax
from rankworth.io.sources import Source
from rankworth.results import judged
from rankworth.results.record import FAMILY, NUMBER
from rankworth.results.restoring import Rows, of_objects, of_table, restored
from rankworth.results.result import Result
from rankworth.version import __version__

if TYPE_CHECKING:
    import polars as pl

_PARQUET: Final = b"PAR1"
_HEAD: Final = 1 << 12
_FIRST: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(\w+)"\s*:\s*(.)')
_CONFLICTED: Final = re.compile(rb'<<<<<<< .*\n\s*\{?\s*"')
"""how a results file begins that git could not merge from its first line on"""
_KEYS: Final = frozenset({"interval", "judgements", "kinds", "measures", "profile", "rankworth", "runs", "signature"})
"""with which a results file may begin once its keys were sorted"""
_WRITE: Final = "rankworth evaluate QRELS RUN -q -o FILE.json writes one"
_AGAIN: Final = "write it again: rankworth evaluate QRELS RUN -q -o FILE"
_CONFLICT: Final = "git left both sides of a conflict in it; take one of them, or evaluate again"


class _Content(NamedTuple):
    """What stands in a file."""

    told: Any
    table: "pl.DataFrame | None"
    """a row for each run and query, where these are not told"""


def read(path: str | os.PathLike[str]) -> dict[str, Result]:
    """The results that a file holds, by the names of their runs, in order.

    Args:
        path: what `rankworth evaluate -q -o FILE` or `Values.save` has written, in any version up to this one, plain
            or packed.

    Raises:
        InputError: `bad-results`, `newer-results`, `means-only`; `bad-json`, `truncated-file`, `missing-file` and
            others, where the file cannot be read at all.

    """
    source = Source(path)
    content = source.whole()
    told, table = _of_parquet(content, source) if content.startswith(_PARQUET) else _of_text(content, source)
    schema = _schema(told, source.name)
    try:
        runs = told["runs"]
        rows = [_rows(told, run, table, schema, source.name) for run in runs]
        digest = judged.restored(told["judgements"]) if "judgements" in told else None
        found = [
            replace(restored(told, run, some, schema), judgements=digest, origin=source.path)
            for run, some in zip(runs, rows, strict=True)
        ]
    except KeyError as error:
        raise _bad(source.name, f"{error.args[0]!r} is missing", _AGAIN) from None
    except (AttributeError, IndexError, TypeError):
        raise _bad(source.name, "it is not made as results are", _AGAIN) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        by = told.get("rankworth", __version__)
        written = f" (rankworth {by} wrote it, this is {__version__})" if by != __version__ else ""
        raise _bad(source.name, f"{error}{written}", _AGAIN) from None
    results = {one.run: one for one in found}
    if len(results) < len(found):
        raise _bad(source.name, "two runs have one name", _AGAIN)
    return results


load = read


def is_results(source: object) -> bool:
    """Whether this is the path of a results file; of no pipe, which could be read once only."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return False
    file = Source(os.fsdecode(source))
    try:
        head = file.head(_HEAD)
        if head.startswith(_PARQUET):
            return "rankworth" in _told(file.whole(), file)
        first = _FIRST.match(head)
        if first is None:
            return _CONFLICTED.match(head) is not None and FAMILY.encode() in head
        key = first[1].decode()
        if key == "schema":
            return first[2] not in b"{["
        return key in _KEYS and {"schema", "runs"} <= syntax.parsed(file.whole(), file).keys()
    except (InputError, AttributeError):
        return False


def _of_text(content: bytes, source: Source) -> _Content:
    try:
        told = syntax.parsed(content, source)
    except InputError as error:
        if b"<<<<<<< " in content and error.slug == "bad-json":
            raise InputError("bad-json", *error.problems, remedy=_CONFLICT) from None
        raise
    if isinstance(told, dict) and not syntax.has_each_key_once(content, told, len(told)):
        way = syntax.repeated(content, source.name)
        if way:
            raise _bad(source.name, f"{' '.join(map(str, way))} stands there twice", _AGAIN)
    return _Content(told, None)


def _of_parquet(content: bytes, source: Source) -> _Content:
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    metadata = _told(content, source)
    if "rankworth" not in metadata:
        raise _bad(source.name, "this is a table, and no results of rankworth", _WRITE)
    with _whole(source):
        table = pl.read_parquet(BytesIO(content))
    return _Content(syntax.parsed(metadata["rankworth"].encode(), source), table)


def _told(content: bytes, source: Source) -> Mapping[str, str]:
    """What a Parquet file says beside its table."""
    import polars as pl  # noqa: PLC0415 - as above

    with _whole(source):
        return pl.read_parquet_metadata(BytesIO(content))


@contextmanager
def _whole(source: Source) -> Iterator[None]:
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
        raise InputError("newer-results", fact, remedy=f"rankworth {by} wrote it: pip install --upgrade rankworth")
    return int(number[1])


def _rows(told: Any, run: Any, table: "pl.DataFrame | None", schema: int, name: str) -> Rows:  # noqa: ANN401 - JSON
    """The values of the queries of one run.

    Raises:
        InputError: `means-only`.

    """
    if table is not None and "query" in table.columns:
        return of_table(told, run, table, schema)
    if run.get("per_query") is None:
        fact = f"{name}: it holds means, and not the values of queries"
        raise InputError("means-only", fact, remedy=f"-q keeps them: {_WRITE.removesuffix(' writes one')}")
    return of_objects(told, run, schema)


def _bad(name: str, what: str, remedy: str) -> InputError:
    return InputError("bad-results", f"{name}: {what}", remedy=remedy)

"""Results files on their way in: of this version, of older ones, and what is none of them."""

import os
import re
import shlex
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import KEEP, InputError, RankworthWarning
from rankworth.io.objects import syntax
from rankworth.io.sources import Source
from rankworth.results import judged
from rankworth.results.checking import refuse_contradictions
from rankworth.results.record import FAMILY, digest
from rankworth.results.restoring import of_objects, restored, with_rows
from rankworth.results.result import NUMBER, Result
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
    """The same without a warning.

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
        return _results(told if table is None else with_rows(told, table), schema, source)
    except KeyError as error:
        raise _bad(source.name, f"{error.args[0]!r} is missing", f"write it again: {_again(source.path)}") from None
    except (AttributeError, IndexError, OverflowError, RecursionError, TypeError):
        raise _bad(source.name, "it is not made as results are", f"write it again: {_again(source.path)}") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        by = told.get("rankworth", __version__)
        written = f" (rankworth {by} wrote it, this is {__version__})" if by != __version__ else ""
        raise _bad(source.name, f"{error}{written}", f"write it again: {_again(source.path)}") from None


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
    rows = [of_objects(told, run, schema) for run in runs]
    digest_of_judgements = judged.restored(told["judgements"]) if schema > 1 else None
    found = [
        replace(restored(told, run, some, schema), judgements=digest_of_judgements, origin=source.path)
        for run, some in zip(runs, rows, strict=True)
    ]
    results = {one.run: one for one in found}
    if len(results) < len(found):
        raise ValueError("two runs have one name")
    for one in found:
        refuse_contradictions(one)
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


def _of_text(content: bytes, source: Source) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        told = syntax.parsed(content, source)
    except InputError as error:
        if b"<<<<<<< " in content and error.slug == "bad-json":
            raise InputError("bad-json", *error.problems, remedy=_CONFLICT) from None
        raise
    if isinstance(told, dict) and not syntax.has_each_key_once(content, told, len(told)):
        way = syntax.repeated(content, source.name)
        if way:
            raise _bad(
                source.name, f"{' '.join(map(str, way))} stands there twice", f"write it again: {_again(source.path)}"
            )
    return told


def _of_parquet(content: bytes, source: Source) -> tuple[Any, "pl.DataFrame | None"]:
    """What stands beside the table, and the table where it has the values of queries."""
    import polars as pl  # noqa: PLC0415 - not needed for JSON

    metadata = _told(content, source)
    if "rankworth" not in metadata:
        raise _bad(source.name, "this is a table, and no results of rankworth", _WRITE)
    with _whole(source):
        table = pl.read_parquet(BytesIO(content))
    return _of_text(metadata["rankworth"].encode(), source), table if "query" in table.columns else None


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
        raise InputError("newer-results", fact, remedy=f"rankworth {by} wrote it: install that version, or a later one")
    return int(number[1])


def _again(path: str) -> str:
    """The command that writes results to a file."""
    return f"{KEEP} {shlex.quote(path)}"


def _bad(name: str, what: str, remedy: str) -> InputError:
    return InputError("bad-results", f"{name}: {what}", remedy=remedy)

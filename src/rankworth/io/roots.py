"""Where in a document of JSON judgements or a run begin, found for a message where the document itself is none."""

import shlex
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.io.json_text import parsed
from rankworth.io.key_paths import leaves
from rankworth.io.kinds import is_scalar
from rankworth.io.layout import Layout
from rankworth.io.lines import HEAD
from rankworth.io.python_objects import Reader, frame_of
from rankworth.io.responses import is_response
from rankworth.io.source import Source
from rankworth.io.usual_names import OF_FILE, RECORD, SPELLINGS, USUAL
from rankworth.io.validate import is_number

_MISREAD: Final = ("frame-columns", "id-type", "input-type", "nested-runs", "bad-score", "bad-grade", "missing-value")
"""the errors of what is read as something else"""
_OF_BEIR: Final = ("score",)
"""what BEIR calls grades besides"""
_OF_QUERY: Final = 1 << 20
"""how long a document of a single query may be, to be read for a message"""
_KEYS: Final = 20
"""how many keys are looked at"""


def with_root(error: InputError, value: object, reader: Reader) -> InputError:
    """Return the error for a document that holds judgements or a run under one of its keys, among other things.

    Args:
        error: why the document itself cannot be read, which is returned where no key leads to anything readable, or
            where the document is a row or several runs.
        value: the document.
        reader: what read it.

    """
    if not isinstance(value, Mapping) or "root" in reader.columns or error.slug not in _MISREAD:
        return error
    is_row = any(str(key).lower() in SPELLINGS["query"] for key in value)
    if is_row or is_response(value, reader.columns) or any(map(_is_of_query, value.values())):
        return error
    roots = list(_readable(value, reader))
    rows = [key for key, each in value.items() if isinstance(each, list) and each and isinstance(each[0], Mapping)]
    others = [each for key, each in value.items() if key not in rows]
    is_told = any(map(is_scalar, others)) and not any(isinstance(each, Mapping) for each in others)
    if not roots and len(rows) == 1 and is_told and reader.first and error.slug == "frame-columns":
        root = f"root={rows[0]}"
        option = f"--columns {shlex.quote(root)}, in Python columns={{'root': {rows[0]!r}}}"
        return error.with_remedy(f"{error.remedy}\nif its rows stand under {rows[0]}: {option}")
    if not roots or len(roots) == len(value) > 1:
        return error
    noun, option = ("the run", "run") if reader.layout.value == "score" else ("the judgements", "qrels")
    root, columns = roots[0]["root"], " ".join(f"{role}={name}" for role, name in roots[0].items())
    said = f"--{option}-columns {columns}, in Python {option}_columns={roots[0]!r}"
    if len(value) == 1 and error.slug != "id-type":
        return error.with_remedy(f"{error.remedy}\nif {noun} stand{'s' * (option == 'run')} under {root}: {said}")
    text = f"{reader.name}: this holds several things, and nothing says which is {noun}; its keys are"
    return InputError("input-type", f"{text} {quoted(value, 8)}", remedy=f"say where to begin: {said}")


def with_file(error: InputError, source: Source, layout: Layout, columns: Mapping[str, str]) -> InputError:
    """Return the error for a document of JSON, with a remedy where it reads as that of the query in its file's name.

    Args:
        error: why the document cannot be read.
        source: the document.
        layout: `RUN` or `QRELS`.
        columns: which key holds what, as the user says.

    """
    if error.slug not in _MISREAD or not source.query:
        return error
    beginning = source.head(HEAD).lstrip()[:1]
    is_json = beginning == b"[" or (beginning == b"{" and source.pattern)
    if not is_json or len(text := source.head(_OF_QUERY)) == _OF_QUERY:
        return error
    said = {**columns, "query": f"{OF_FILE}{source.query}"}
    try:
        value = parsed(text, source)
    except InputError:
        return error
    if not _reads(value, said, Reader(layout, source.name, first=1)):
        return error
    named, option = {**columns, "query": OF_FILE}, f"{layout.option}-columns"
    typed = shlex.join(f"{role}={name}" for role, name in named.items())
    remedy = f"if the name of the file is the query of what it holds: --{option} {typed}"
    remedy += f"\nin Python {option.replace('-', '_')}={named}"
    return error.with_remedy(f"{remedy}\n{error.remedy}".strip())


def _is_of_query(value: object) -> bool:
    """Return whether these are documents with numbers, which belong to one query."""
    return isinstance(value, Mapping) and is_number(next(iter(value.values()), None))


def _readable(value: Mapping[Any, Any], reader: Reader, above: str = "") -> Iterator[dict[str, str]]:
    """Yield the paths that can be read alone as `root`, and the key of the query at each.

    Args:
        value: what holds it.
        reader: what reads it.
        above: the path of the key that holds the value; empty for the document itself.

    """
    for key, each in islice(value.items(), _KEYS):
        if isinstance(key, str) and key.isprintable() and not {" ", "."} & {*key} and isinstance(each, Mapping | list):
            root = f"{above}.{key}" if above else key
            is_of_rows = isinstance(each, list) and bool(each) and isinstance(each[0], Mapping)
            ids = [name for name in RECORD if is_of_rows and name in each[0]]
            ways = ({}, *({"query": name} for name in ids), *(_usual_paths(each[0], reader) if is_of_rows else ()))
            said = next((said for said in ways if _reads(each, said, reader)), None)
            if said is not None:
                yield {"root": root, **said}
            elif not above and isinstance(each, Mapping):
                yield from _readable(each, reader, key)


def _usual_paths(row: Mapping[Any, Any], reader: Reader) -> Iterator[dict[str, str]]:
    """Yield the paths of a query, a document and a value within the objects that a row holds, by their usual names."""
    last = {path.rpartition(".")[2].lower(): path for path in reversed(leaves(row))}
    roles = ("query", "document", reader.layout.value)
    names = {role: [*chain(*USUAL[role]), *(_OF_BEIR if role == "grade" else ())] for role in roles}
    paths = {role: next((last[name] for name in names[role] if name in last), "") for role in roles}
    if all(paths.values()) and any("." in path for path in paths.values()):
        yield paths


def _reads(value: object, said: Mapping[str, str], reader: Reader) -> bool:
    """Return whether something can be read alone, with what is said of its keys."""
    columns = {**reader.columns, **said}
    inner = Reader(reader.layout, reader.name, columns, first=reader.first, grades=reader.grades)
    try:
        rows = inner.read(value)
        if isinstance(rows, Mapping):
            frame_of(validate.dicts(rows, reader.layout.value, ""), reader.layout, "", reader.grades)
    except InputError:
        return False
    return True

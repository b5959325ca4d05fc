"""Where in a document of JSON judgements or a run begin, found for a message where the document itself is none."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io import validate
from rankworth.io.python_objects import Reader, frame_of
from rankworth.io.responses import is_response
from rankworth.io.usual_names import SPELLINGS
from rankworth.io.validate import is_number

_MISREAD: Final = ("frame-columns", "id-type", "input-type", "nested-runs", "bad-score", "bad-grade", "missing-value")
"""the errors of what is read as something else"""
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
    if not roots or len(roots) == len(value) > 1:
        return error
    noun, option = ("the run", "run") if reader.layout.value == "score" else ("the judgements", "qrels")
    said = f"--{option}-columns root={roots[0]}, in Python {option}_columns={{'root': {roots[0]!r}}}"
    if len(value) == 1:
        return error.with_remedy(f"{error.remedy}\nif {noun} stand{'s' * (option == 'run')} under {roots[0]}: {said}")
    text = f"{reader.name}: this holds several things, and nothing says which is {noun}; its keys are"
    return InputError("input-type", f"{text} {quoted(value, 8)}", remedy=f"say where to begin: {said}")


def _is_of_query(value: object) -> bool:
    """Return whether these are documents with numbers, which belong to one query."""
    return isinstance(value, Mapping) and is_number(next(iter(value.values()), None))


def _readable(value: Mapping[Any, Any], reader: Reader) -> Iterator[str]:
    """Yield the keys under which something stands that can be read alone."""
    inner = Reader(reader.layout, reader.name, reader.columns, first=reader.first, grades=reader.grades)
    for key, each in islice(value.items(), _KEYS):
        if isinstance(key, str) and key.isprintable() and " " not in key and isinstance(each, Mapping | list):
            try:
                rows = inner.read(each)
                if isinstance(rows, Mapping):
                    frame_of(validate.dicts(rows, reader.layout.value, ""), reader.layout, "", reader.grades)
            except InputError:
                continue
            yield key

"""Find the field of retrieved objects with the judged ids, if the field read has none of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from rankworth.io.key_paths import at, paths_of
from rankworth.io.kinds import is_scalar
from rankworth.io.validate import is_id, text

_SAMPLE: Final = 1000
"""objects that are looked at"""
_PARENTS: Final = ("ref_doc_id",)
"""properties of nodes of LlamaIndex, which name the document of a chunk"""


def field_of(source: Any, ids: Collection[str]) -> str:  # noqa: ANN401 - whatever a run is read from
    """Return the path of the field with the most of these ids, or an empty text.

    Args:
        source: lists of objects by query, or rows.
        ids: the ids of judged documents.

    >>> field_of({"q": [{"id": "c7", "metadata": {"source": "a.md"}}]}, {"a.md"})
    'metadata.source'
    """
    found: Counter[str] = Counter()
    for item in islice(_objects(source), _SAMPLE):
        found.update(path for path in _paths(item) if is_id(value := at(item, path)) and text(value) in ids)
    return max(found, key=lambda path: found[path], default="")


def _paths(item: object) -> Iterator[str]:
    """Yield the paths of what an object holds, also of the object within it, as a node has a score beside it."""
    for path in paths_of(item):
        inner = at(item, path)
        is_object = not is_scalar(inner) and not isinstance(inner, Mapping | list | tuple)
        yield from [f"{path}.{name}" for name in (*_PARENTS, *paths_of(inner))] if is_object else [path]
    yield from _PARENTS


def _objects(source: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """Yield the objects in a source: a dict of lists, a list of lists or a list."""
    values: Iterable[Any] = source.values() if isinstance(source, Mapping) else source
    if not isinstance(values, list | tuple) and not isinstance(source, Mapping):
        return
    for value in values:
        items = value if isinstance(value, list | tuple) else [value]
        yield from (item for item in items if not is_scalar(item) and not isinstance(item, list | tuple))

"""Neighbours in arrays, a row of ids for each query, as ground truths of vector search have them.

NumPy's `.npy` and Texmex's `.ivecs` hold ids alone, best first; an `.fvecs` holds their distances, and its ids stand in
the `.ivecs` of the same name beside it. An `.ibin` of big-ann-benchmarks holds both, an `.npz` several arrays. HDF5 of
ann-benchmarks holds `neighbors` and `distances`. Queries are called `0`, `1`, `2` ...; the id -1 is no document.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io import inflation
from rankworth.io.array_files import damaged, fbin, ibin, npy, npz, vecs
from rankworth.io.facts import Lists
from rankworth.io.layout import RUN, Layout
from rankworth.io.remedies import is_negative
from rankworth.io.source import Source

if TYPE_CHECKING:
    from rankworth.io.facts import Observed
    from rankworth.io.options import Reading

BATCH: Final = 1 << 18
"""how many documents are handed out at a time"""
_IDS, _NUMBERS = "neighbors", "distances"
"""what ann-benchmarks calls its data sets"""
_USUAL_IDS: Final = ("ids", "neighbors", "neighbours", "indices", "labels", "i")
"""what the ids of neighbours are called, in small letters"""
_USUAL_DISTANCES: Final = ("distances", "distance", "dists", "dist", "d")
_WAYS: Final = 2
_NO_DOCUMENT: Final = -1
_PYTHON: Final = 'rw.evaluate_exact({"ids": ids, "distances": distances}, {"found": run}, ["R@10"])'


def batches(source: Source, layout: Layout, reading: "Reading", observed: "Observed") -> Iterator[pl.DataFrame]:
    """Yield the rows in batches, in file order.

    Args:
        source: where the bytes come from.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the file; its format is `npy`, `ivecs`, `fvecs` or `hdf5`.
        observed: gets to know the facts.

    Raises:
        InputError: `frame-columns`, `input-type`, `truncated-file`, `missing-file`, `bad-score`, `response-queries`.
        UsageError: `missing-library`.

    """
    named = {"hdf5": _of_hdf5, "npz": _of_npz}
    ids, numbers, label = named.get(reading.format, _of_file)(source, layout, reading)
    _check(source, ids, numbers)
    names = [str(query) for query in range(len(ids))]
    if (path := reading.columns.get("query", "")).startswith("@"):
        from rankworth.io.query_lists import listed_queries  # noqa: PLC0415 - where a file names the queries
        from rankworth.io.responses import fitting  # noqa: PLC0415 - where a file names the queries

        names = fitting(listed_queries(path[1:]), path[1:], len(ids), source.name)
    if layout is RUN:
        way = "order" if numbers is None else "distance" if is_negative(label) else "score"
        observed.agree(way, source.name, Lists(label))
        if numbers is None:
            observed.refuse_repeated(names, lambda row: f"{source.name}: row {row}")
    size = max(1, BATCH // max(1, ids.shape[1]))
    for start in range(0, len(ids), size):
        part = slice(start, start + size)
        yield _frame(names[part], ids[part], None if numbers is None else numbers[part], layout, label)


def names(source: Source, form: str) -> list[str]:
    """List the names of the arrays of a file; only those of HDF5 and of `.npz` have some."""
    if form == "npz":
        return list(npz(source))
    if form != "hdf5":
        return []
    with _opened(source) as file:
        return list(file)


def _frame(
    queries: Sequence[str], ids: NDArray[Any], numbers: NDArray[Any] | None, layout: Layout, label: str
) -> pl.DataFrame:
    """Make a row for each document: judgements of grade 1, or a run by its distances, its scores or its order."""
    depth = ids.shape[1]
    if layout is not RUN:
        value = np.ones(ids.size)
    elif numbers is None:
        value = np.tile(np.arange(-1.0, -depth - 1.0, -1.0), len(ids))
    else:
        value = numbers.reshape(-1).astype(np.float64)
        value = 0.0 - value if is_negative(label) else value
    is_document = ids.reshape(-1) != _NO_DOCUMENT
    documents = pl.Series("document", ids.reshape(-1)[is_document]).cast(pl.String)
    query = pl.Series("query", list(queries), dtype=pl.String).gather(
        np.repeat(np.arange(len(ids)), depth)[is_document]
    )
    return pl.DataFrame([query, documents, pl.Series(layout.value, value[is_document])])


def _check(source: Source, ids: NDArray[Any], numbers: NDArray[Any] | None) -> None:
    """Refuse arrays that hold no ids, and names that do not fit the ids.

    Raises:
        InputError: `frame-columns`, `bad-score`.

    """
    if ids.ndim != _WAYS or not np.issubdtype(ids.dtype, np.integer):
        shape = " x ".join(map(str, ids.shape))
        problem = f"{source.name}: it holds {ids.dtype} [{shape}], and not integers [queries x documents]"
        raise InputError("frame-columns", problem, remedy=f"ids and distances in arrays: {_PYTHON}")
    if not ids.size:
        raise InputError("empty-input", f"{source.name}: it holds no ids")
    if numbers is not None and numbers.shape != ids.shape:
        shapes = " and ".join(" x ".join(map(str, array.shape)) for array in (ids, numbers))
        raise InputError("frame-columns", f"{source.name}: ids and distances have the shapes {shapes}")
    if numbers is not None and np.isnan(numbers[ids != _NO_DOCUMENT]).any():
        remedy = "a document that is left out has the id -1"
        raise InputError("bad-score", f"{source.name}: a distance is NaN, not a number", remedy=remedy)


def _of_file(source: Source, layout: Layout, reading: "Reading") -> tuple[NDArray[Any], NDArray[Any] | None, str]:
    """Return the ids of a file, its distances or None, and the names of both.

    Raises:
        InputError: `frame-columns`, `truncated-file`, `missing-file`.

    """
    if named := {role: name for role, name in reading.columns.items() if name and not name.startswith("@")}:
        problem = f"{source.name}: its array has no name, and {quoted(named.values())} is named"
        raise InputError("frame-columns", problem, remedy="leave the columns out")
    if reading.format == "npy":
        return npy(source, source.whole()), None, ""
    if reading.format == "ibin":
        ids, distances = ibin(source)
        return (
            ids,
            distances if layout is RUN else None,
            "-distances" if layout is RUN and distances is not None else "",
        )
    if reading.format == "ivecs":
        return vecs(source, np.dtype("<i4")), None, ""
    form = "ivecs" if reading.format == "fvecs" else "ibin"
    beside = Source(Path(source.path).with_suffix(f".{form}"))
    if not Path(beside.path).exists():
        problem = f"{source.name}: distances or vectors have no ids; {beside.name}, which would hold them, is not there"
        raise InputError("missing-file", problem, remedy=f"name the .{form} with the ids of the nearest documents")
    if form == "ibin":
        return ibin(beside)[0], fbin(source), "-distances"
    return vecs(beside, np.dtype("<i4")), vecs(source, np.dtype("<f4")), "-distances"


def _of_npz(source: Source, layout: Layout, reading: "Reading") -> tuple[NDArray[Any], NDArray[Any] | None, str]:
    """Return the ids in a file of several arrays, the values beside them, and the name of these.

    Without names, the ids are the only whole numbers of two dimensions, or those of a usual name; distances and scores
    have a usual name.

    Raises:
        InputError: `frame-columns`, `truncated-file`, `inflated-file`, `input-type`.

    """
    arrays = npz(source)
    whole = [name for name, array in arrays.items() if array.ndim == _WAYS and np.issubdtype(array.dtype, np.integer)]
    usual = [name for name in arrays if name.lower() in _USUAL_IDS]
    document = reading.columns.get("document") or next(iter(usual or (whole if len(whole) == 1 else [])), "")
    numbers = {f"-{name}": name for name in arrays if name.lower() in _USUAL_DISTANCES}
    numbers |= {name: name for name in arrays if name.lower() in ("score", "scores")}
    label = reading.columns.get(layout.value, next(iter(numbers), "")) if layout is RUN else ""
    path = label[1:] if is_negative(label) and label not in arrays else label
    lacking = [name for name in (document, path) if name and name not in arrays]
    if lacking or not document:
        problem = (
            f"{source.name}: there is no array {quoted(lacking)}"
            if lacking
            else f"{source.name}: nothing tells the ids"
        )
        remedy = "name the ids and their distances: --columns document=NAME score=-NAME"
        raise InputError("frame-columns", f"{problem}; there is {quoted(list(arrays), 8)}", remedy=remedy)
    return arrays[document], arrays[path] if path else None, label


def _of_hdf5(source: Source, layout: Layout, reading: "Reading") -> tuple[NDArray[Any], NDArray[Any] | None, str]:
    """Return the ids of a file of HDF5, their distances or None, and the names of both.

    Raises:
        InputError: `frame-columns`, `truncated-file`, `input-type`, `empty-input`, `inflated-file`.
        UsageError: `missing-library`.

    """
    document, label = reading.columns.get("document", _IDS), reading.columns.get(layout.value, f"-{_NUMBERS}")
    with _opened(source) as file:
        path = label[1:] if is_negative(label) else label
        is_told = layout is RUN and (path in file or layout.value in reading.columns) and path
        lacking = [name for name in (document, *([path] if is_told else [])) if name not in file]
        if lacking:
            problem = f"{source.name}: there is no data set {quoted(lacking)}; there is {quoted(list(file), 8)}"
            remedy = "name the ids and their distances: --columns document=NAME score=-NAME"
            raise InputError("frame-columns", problem, remedy=remedy)
        ids = _numbers_of(file, document, source)
        return ids, _numbers_of(file, path, source) if is_told else None, label if is_told else ""


def _numbers_of(file: Any, path: str, source: Source) -> NDArray[Any]:  # noqa: ANN401 - of h5py, which has no types
    """Read a data set whose numbers stand in the file itself.

    Raises:
        InputError: `input-type`, `frame-columns`, `empty-input`, `inflated-file`.

    """
    called, data = f"{source.name}: {quoted([path])}", file.get(path)
    is_set = hasattr(data, "is_virtual")
    if data is None or data.file.filename != file.filename or (is_set and (data.external or data.is_virtual)):
        problem = f"{called} is a link to what is not in this file, or its numbers stand in another file"
        remedy = "give the file in which the numbers stand, or copy them into this one with h5py"
        raise InputError("input-type", problem, remedy=remedy)
    if not is_set:
        holds = f"it holds {quoted(data, 8)}" if len(data) else "it is empty"
        remedy = f"name a data set in it: --columns document={path}/NAME"
        raise InputError("frame-columns", f"{called} is a group, and no data set; {holds}", remedy=remedy)
    stored, shape = data.id.get_storage_size(), " x ".join(map(str, data.shape or ()))
    if data.size and not stored:
        problem = f"{called} holds nothing: not one of its {shape} numbers was written"
        raise InputError("empty-input", problem, remedy="write the numbers, and not only their shape")
    inflation.refuse(called, stored, data.nbytes)
    return np.asarray(data)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """Open a file of HDF5 at its path, or in memory if it is compressed or a pipe.

    Raises:
        InputError: `truncated-file`, and those of the block.
        UsageError: `missing-library`.

    """
    try:
        h5py: Any = import_module("h5py")
    except ImportError:
        problem = f"{source.name}: HDF5 is read by h5py, which is not installed"
        raise UsageError("missing-library", problem, remedy="pip install 'h5py>=3.11'") from None
    source.head(1)
    in_place = source.size is not None and not source.compressed
    content = source.path if in_place else io.BytesIO(source.whole())
    try:
        with h5py.File(content, "r") as file:
            yield file
    except (InputError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - each part of the library fails in its own way
        raise damaged(source, str(error).strip("'\"")) from None

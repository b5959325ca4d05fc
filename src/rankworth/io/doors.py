"""Files as users name them: a path, a list of paths, and the rows that stand in them."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from rankworth.errors import InputError
from rankworth.io import formats
from rankworth.io.formats import Layout, Reading
from rankworth.io.reading import Blank
from rankworth.io.source import Progress, Source

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.duplicates import Part


@dataclass(frozen=True)
class Described:
    """Judgements as a user has them, and what is said of how they are read."""

    source: object
    columns: Mapping[str, str]
    blank: Blank = "unjudged"


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this names a file."""
    return isinstance(source, str | os.PathLike)


def opened(source: object, layout: Layout, reading: Reading) -> tuple[Source, ...]:
    """The files that a path or a list of paths stands for; none where it is neither.

    Raises:
        InputError: `missing-file`, `is-directory`.

    """
    paths = [source] if is_path(source) else source if isinstance(source, list | tuple) else []
    if not all(map(is_path, paths)):
        return ()
    found = (
        (path,) if isinstance(path, Source) else formats.opened(os.fsdecode(path), layout, reading) for path in paths
    )
    return tuple(file for files in found for file in files)


def batches(
    files: Sequence[Source],
    layout: Layout,
    reading: Reading,
    *,
    columns: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> "Iterator[pl.DataFrame]":
    """The rows of all files, one after the other, as `formats.batches`."""
    for file in files:
        yield from formats.batches(file, layout, reading, columns=columns, progress=progress)


def parts(files: Iterable[Source], layout: Layout, reading: Reading, columns: tuple[str, ...] = ()) -> "list[Part]":
    """The files, as messages about repeated rows need them."""
    from rankworth.io.duplicates import Part  # noqa: PLC0415 - for a message only

    def part(file: Source) -> Part:
        def frames() -> "Iterator[pl.DataFrame]":
            for frame in batches((file,), layout, reading.afresh(), columns=columns):
                yield frame.rename({"iteration": "subtopic"}, strict=False)

        lines = file if formats.format_of(file, layout, reading) == "trec" else None
        return Part(file.name, frames, lines)

    return [part(file) for file in files]


def not_readable(source: object, what: str) -> InputError:
    """The error for an object that no door takes."""
    return InputError(
        "input-type",
        f"{type(source).__name__} cannot be read as {what}",
        remedy="give a path, a dict of dicts, lists by query, rows, or a frame (Polars, pandas, PyArrow, DuckDB, ...)",
    )

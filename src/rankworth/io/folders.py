"""The files that a path stands for: itself, those that fit a pattern, the parts in a folder, judgements of BEIR."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.sources import STDIN, Source, unreadable
from rankworth.io.text.lines import QRELS, RUN, Layout

if TYPE_CHECKING:
    from rankworth.io.reading import Reading

SIGNS: Final = "*?["
"""what makes a pattern of a path"""
_PARTS: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")
"""what tells the parts of one table apart: numbers, or names that a computer makes up"""
_SPLIT: Final = "test"


def opened(path: str, layout: Layout, reading: "Reading") -> tuple[Source, ...]:
    """The files that a path stands for, in the order of their names; not opened yet.

    A folder stands for its files where they are parts of one table, `part-0.parquet part-1.parquet`, and for the
    judgements of a split where it is one of BEIR's.

    Args:
        path: a path, a pattern such as `runs/*.parquet` or `runs/**/part-*`, a folder, or `-`.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the files.

    Raises:
        InputError: `missing-file`, `is-directory`, `unreadable-file`.
        UsageError: `unknown-setting` where a split is asked for that is none of BEIR's.

    """
    if not path:
        raise InputError("missing-file", "an empty text names no file", remedy="is some variable empty?")
    try:
        is_folder = path != STDIN and os.path.isdir(path)  # noqa: PTH112 - no error for what can be no path
        if layout is QRELS and is_folder and (Path(path) / "qrels").is_dir():
            return (Source(_of_split(Path(path), reading.split or _SPLIT)),)
        if reading.split:
            text = f"split={reading.split!r}: {quoted([path])} is no folder of BEIR's, which holds a folder qrels"
            raise UsageError("unknown-setting", text)
        if is_folder:
            return tuple(map(Source, _parts(Path(path), layout)))
        if any(sign in path for sign in SIGNS) and not any(sign in path for sign in "\n\0"):
            return tuple(map(Source, _fitting(path)))
    except OSError as error:
        raise unreadable(quoted([path]), error) from None
    return (Source(path),)


def _of_split(folder: Path, split: str) -> Path:
    """The judgements of a split in a folder of BEIR's."""
    found = [path for path in (folder / "qrels").iterdir() if not path.is_dir() and not _is_hidden(path)]
    places = sorted(path for path in found if path.name.partition(".")[0] == split)
    if not places:
        have = sorted({path.name.partition(".")[0] for path in found})
        raise InputError(
            "missing-file",
            f"{quoted([folder / 'qrels' / f'{split}.tsv'])}: there is no such file",
            remedy=f"the folder has the splits {quoted(have, 8)}; --split NAME (split=NAME) chooses one"
            if have
            else "",
        )
    if len(places) > 1:
        text = f"{quoted([folder / 'qrels'])}: several files are called {split}: {quoted(path.name for path in places)}"
        raise InputError("input-type", text, remedy="name the one that is meant instead of the folder")
    [place] = places
    return place


def _fitting(pattern: str) -> list[str]:
    """The files that fit a pattern; a file of that name goes first."""
    from glob import glob  # noqa: PLC0415 - rarely needed

    if os.path.lexists(pattern):
        return [pattern]
    for folder in glob(os.path.dirname(pattern), recursive=True):  # noqa: PTH120, PTH207 - patterns as they stand
        if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):  # noqa: PTH112 - as above
            raise PermissionError(13, f"Permission denied: {folder}")
    found = [Path(name) for name in sorted(glob(pattern, recursive=True))]  # noqa: PTH207 - as above
    named = _is_hidden(Path(pattern))
    files = [str(path) for path in found if not path.is_dir() and (named or not _is_hidden(path))]
    if not files:
        which = "only directories fit" if found else "none fits"
        text = f"{quoted([pattern])}: there is no such file, and {which} it as a pattern"
        raise InputError("missing-file", text, remedy=_nearby(pattern))
    return files


def _nearby(pattern: str) -> str:
    """What is wrong with the folder of a pattern, if there is anything."""
    folder = Path(pattern).parent
    known = folder.is_dir() or any(sign in str(folder) for sign in SIGNS)
    return "" if known else f"there is no directory {folder} either"


def _parts(folder: Path, layout: Layout) -> list[str]:
    """The files of a folder, where they are parts of one table: alike in all but numbers in their names."""
    inside = sorted(path for path in folder.iterdir() if not _is_hidden(path))
    kinds = {_PARTS.sub("#", path.name) for path in inside}
    if len(kinds) == 1 and not any(path.is_dir() for path in inside):
        return list(map(str, inside))
    suffixes = sorted({path.suffix for path in inside if not path.is_dir()})
    pattern = f"{folder}/{'' if suffixes else '**/'}*{suffixes[0] if suffixes else ''}"
    holds = f"it holds {quoted([path.name for path in inside])}\nif they are parts of one table: '{pattern}', in quotes"
    if layout is RUN and suffixes:
        holds += f"\nif they are several runs: {folder}/*{suffixes[0]}, without quotes; evaluate_runs in Python"
    text = f"{quoted([folder])}: this is a directory, a file is needed"
    raise InputError("is-directory", text, remedy=holds if inside else "")


def _is_hidden(path: Path) -> bool:
    """Whether a file is not meant to be read: `.part-0.crc`, `_SUCCESS`, `_metadata`."""
    return path.name.startswith(".") or (path.name.startswith("_") and not path.suffix)

"""What a path stands for: a file, the parts of a pattern, a folder, a split of BEIR."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeGuard

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.folders import remedy_for_missing
from rankworth.io.formats import SUFFIXES
from rankworth.io.source import COMPRESSIONS, SIGNS, STDIN, Source, unreadable

if TYPE_CHECKING:
    from rankworth.io.layout import Layout
    from rankworth.io.options import Reading

_PARTS: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")
"""what tells the parts of one table apart: numbers, or names that a computer makes up"""


def opened(path: str, layout: "Layout", reading: "Reading") -> tuple[Source, ...]:
    """Return the files that a path stands for, in the order of their names; not opened yet.

    A folder stands for its files where they are parts of one table, `part-0.parquet part-1.parquet`, and for the
    judgements of a split where it is one of BEIR's.

    Args:
        path: a path, a pattern such as `runs/*.parquet` or `runs/**/part-*`, a folder, or `-`.
        layout: `RUN` or `QRELS`.
        reading: what the user says of the files.

    Raises:
        InputError: `missing-file`, `is-directory`, `input-type`, `unreadable-file`.
        UsageError: `unknown-setting` where a split is asked for that is none of BEIR's.

    """
    if not path:
        raise InputError("missing-file", "an empty text names no file", remedy="is some variable empty?")
    try:
        is_folder = path != STDIN and os.path.isdir(path)  # noqa: PTH112 - no error for what can be no path
        if is_folder and layout.value == "grade" and (Path(path) / "qrels").is_dir():
            return (Source(_of_split(Path(path) / "qrels", reading.split or "test")),)
        if reading.split:
            text = f"split={reading.split!r}: {quoted([path])} is no folder of BEIR's, which holds a folder qrels"
            raise UsageError("unknown-setting", text)
        if is_folder:
            return tuple(map(Source, _parts(Path(path), layout)))
        if any(sign in path for sign in SIGNS) and not any(sign in path for sign in "\n\0"):
            return _of_pattern(path)
    except OSError as error:
        raise unreadable(quoted([path]), error) from None
    return (Source(path),)


def _of_split(folder: Path, split: str) -> Path:
    """Find the judgements of a split in a folder of BEIR's."""
    inside = sorted(path for path in folder.iterdir() if not path.is_dir() and not _is_hidden(path))
    files = [path for path in inside if path.name.partition(".")[0] == split]
    if len(files) == 1:
        return files[0]
    text = f"{quoted([folder])}: {'several files are' if files else 'no file is'} called {split}"
    have = quoted(dict.fromkeys(path.name.partition(".")[0] for path in inside), 8)
    remedy = f"the folder has the splits {have}; --split NAME (split=NAME) chooses one, or name the file itself"
    raise InputError("input-type" if files else "missing-file", text, remedy=remedy)


def _of_pattern(pattern: str) -> tuple[Source, ...]:
    """Return the files that fit a pattern; each of several files knows the pattern."""
    files = tuple(map(Source, _fitting(pattern)))
    for file in files if len(files) > 1 else ():
        file.pattern = pattern
    return files


def are_alike(names: Iterable[str]) -> bool:
    """Return whether names differ in nothing but numbers, as those of the parts of one table do."""
    return len({_PARTS.sub("#", name) for name in names}) == 1


def _fitting(pattern: str) -> list[str]:
    """List the files that fit a pattern; a file whose name is the pattern itself goes first."""
    from glob import glob  # noqa: PLC0415 - rarely needed

    if os.path.lexists(pattern):
        return [pattern]
    fitting = [Path(name) for name in sorted(glob(pattern, recursive=True))]  # noqa: PTH207 - patterns as they stand
    files = [str(path) for path in fitting if not path.is_dir() and (_is_hidden(Path(pattern)) or not _is_hidden(path))]
    if not files:
        text = f"{quoted([pattern])}: there is no such file, and no file fits it as a pattern"
        raise InputError("missing-file", text, remedy=remedy_for_missing(pattern) if "://" in pattern else "")
    return files


def _parts(folder: Path, layout: "Layout") -> list[str]:
    """List the files of a folder, where they are parts of one table: alike in all but numbers in their names."""
    inside = sorted(path for path in folder.iterdir() if not _is_hidden(path))
    if are_alike(path.name for path in inside) and not any(path.is_dir() for path in inside):
        return list(map(str, inside))
    suffixes = sorted({path.suffix for path in inside if not path.is_dir()})
    pattern = f"{folder}/{'' if suffixes else '**/'}*{suffixes[0] if suffixes else ''}"
    holds = f"it holds {quoted([path.name for path in inside])}\nif they are parts of one table: '{pattern}', in quotes"
    if suffixes and layout.value == "score":
        several = f"evaluate_runs(...), on the command line {folder}/*{suffixes[0]} without quotes"
        holds += f"\nif they are several runs: {several}"
    text = f"{quoted([folder])}: this is a directory, a file is needed"
    raise InputError("is-directory", text, remedy=holds if inside else "")


def _is_hidden(path: Path) -> bool:
    """Return whether a file is not meant to be read: `.part-0.crc`, `_SUCCESS`, `_metadata`."""
    return path.name.startswith(".") or (path.name.startswith("_") and not path.suffix)


def refuse_ids(texts: Sequence[object]) -> None:
    """Refuse several texts that are ids rather than paths: no file is called so, and none has the suffix of a file.

    Raises:
        InputError: `input-type`.

    """
    if len(texts) > 1 and are_ids(texts):
        raise list_of_ids(texts, more=f"; no file is called {texts[0]}")


def are_ids(texts: Sequence[object]) -> bool:
    """Return whether texts are ids rather than paths: no file is called so, and none has the suffix of a file."""
    return all(isinstance(text, str) and _is_no_path(text) for text in texts)


def list_of_ids(ids: Sequence[object], called: str = "", more: str = "") -> InputError:
    """Build the error for ids that belong to no query.

    Args:
        ids: the ids.
        called: what messages call them, with a colon.
        more: why they are no paths.

    """
    from rankworth.io.validate import shown  # noqa: PLC0415 - loads NumPy, where files that are not there need none

    text = f"{called}{shown(ids)} is a list of ids{more}: one list is the ranking of one query"
    return InputError("input-type", text, remedy="give a list of lists, [[...]], for judgements and run alike")


def _is_no_path(text: str) -> bool:
    suffix = Path(text).suffix.lower()
    has_sign = text in ("", STDIN) or any(sign in text for sign in (os.sep, "\0", *SIGNS))
    return not (has_sign or suffix in SUFFIXES or suffix in COMPRESSIONS or os.path.lexists(text))


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether this names a file."""
    return isinstance(source, str | os.PathLike)


def paths_of(source: object) -> Sequence[str | os.PathLike[str]]:
    """Return the paths of a source, or none if it holds no paths."""
    paths = [source] if is_path(source) else source if isinstance(source, list | tuple) else ()
    return paths if all(map(is_path, paths)) else ()

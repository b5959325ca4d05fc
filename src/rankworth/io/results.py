"""Results on their way out: which file gets which form, and files that are written whole or not at all."""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.render import Form
from rankworth.sheet import Sheet

SUFFIXES: Final[Mapping[str, Form]] = {
    ".txt": "table",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "md",
    ".tex": "latex",
    ".parquet": "parquet",
}
_PACKED: Final = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class Target:
    """A file to be written, and the form that its content takes."""

    path: Path
    form: Form


def targets(paths: Iterable[str], form: Form | None, inputs: Sequence[str] = ()) -> list[Target]:
    """Which form each file gets: by its suffix, otherwise the one that was asked for; nothing is written yet.

    Args:
        paths: the files to be written.
        form: for files whose suffix says nothing.
        inputs: files that are read and so must not be written.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`, with every file of the list that has a problem.

    """
    found = []
    problems: list[tuple[str, str]] = []
    for name in dict.fromkeys(paths):
        path = Path(name)
        suffix = path.suffix.lower()
        chosen = SUFFIXES.get(suffix, form)
        refusal = _refusal(path, inputs)
        if refusal:
            problems.append(("unwritable-output", f"{name}: {refusal}"))
        elif suffix in _PACKED:
            text = "packed files are not written; pack what comes out on standard output"
            problems.append(("unknown-format", f"{name}: {text}"))
        elif chosen is None:
            told = f"the suffix {suffix}" if suffix else "a name without suffix"
            text = f"{told} does not tell a format; known are {' '.join(SUFFIXES)}, or say -f"
            problems.append(("unknown-format", f"{name}: {text}"))
        else:
            found.append(Target(path, chosen))
    if problems:
        slugs, texts = zip(*problems, strict=True)
        raise UsageError(slugs[0], *texts, slugs=slugs)
    return found


def write(contents: Mapping[Path, bytes]) -> None:
    """Write all files, each of them whole; where one cannot be written, none is touched.

    Raises:
        UsageError: `unwritable-output`.

    """
    aside: dict[Path, Path] = {}
    path = Path()
    try:
        for path, content in contents.items():
            if _is_special(path):
                path.write_bytes(content)
            else:
                _write_aside(path, content, aside)
        for path, temporary in aside.items():
            temporary.replace(path.resolve())
    except OSError as error:
        raise UsageError("unwritable-output", f"{path}: {error.strerror}") from None
    finally:
        for temporary in aside.values():
            temporary.unlink(missing_ok=True)


def parquet(sheet: Sheet, metadata: str) -> bytes:
    """A sheet as a Parquet file.

    Args:
        sheet: what the file holds, a column for each of `Sheet.flat`.
        metadata: JSON, kept in the file under the key `rankworth`.

    """
    from io import BytesIO  # noqa: PLC0415 - with Polars, for this form only

    import polars as pl  # noqa: PLC0415 - not needed for the other forms

    types = {"text": pl.String(), "count": pl.Int64()}
    columns: dict[str, Any] = {
        name: pl.Series(name, values, dtype=types.get(kind, pl.Float64())) for name, kind, values in sheet.flat()
    }
    target = BytesIO()
    pl.DataFrame(columns).write_parquet(target, metadata={"rankworth": metadata})
    return target.getvalue()


def _refusal(path: Path, inputs: Sequence[str]) -> str:
    """Why a file cannot be written, or nothing."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if path.is_dir():
        return "this is a directory, a file is needed"
    if any(_is_same(path, source) for source in inputs):
        return "this file is read, so it is not written"
    if not os.access(path if path.exists() else folder, os.W_OK):
        return "writing is not permitted"
    return ""


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False


def _is_special(path: Path) -> bool:
    """Whether this is a pipe or a device, which is written to and never replaced."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


def _write_aside(path: Path, content: bytes, aside: dict[Path, Path]) -> None:
    """Write beside the file, under another name, with the permissions that the file has or would get."""
    target = path.resolve()
    temporary = target.with_name(f".rankworth-{os.urandom(4).hex()}.tmp")
    with temporary.open("xb") as file:
        aside[path] = temporary
        file.write(content)
    if target.exists():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))

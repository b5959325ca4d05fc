"""Makes the page "Your file looks like ..." of the shapes of files that the tests follow to the right number."""

import sys
import tempfile
from contextlib import chdir
from itertools import groupby
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_LINES: Final = 3
_WIDTH: Final = 110
_HEAD: Final = """# Your file looks like ...

What people bring, by its first lines, and the command that reads it. Each ends in the number that was worked out
by hand; a test types it (`tests/test_shapes.py`). `a.run` is a run and `q.txt` are judgements of TREC's lines; your own
may have any shape of this page. In Python, `--qrels-columns query=1 document=2` is
`qrels_columns={"query": 1, "document": 2}`, and `--qrels-format tsv` is `Qrels(path, format="tsv")`.

If yours is not here, type the command without options: the message names those that read it, or asks for a column.
[Which formats there are](../formats.md) says what each option means.
"""


def page() -> str:
    """Return the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_shapes import EVERY, ends, is_right, started  # noqa: PLC0415 - of the tests

    parts = [_HEAD]
    grouped = [(name, shape) for name, shape in EVERY.items() if shape.group]
    for group, shapes in groupby(sorted(grouped, key=lambda pair: pair[1].group), key=lambda pair: pair[1].group):
        parts.append(f"## {group}\n")
        for name, shape in shapes:
            with tempfile.TemporaryDirectory() as folder, chdir(folder):
                command = next(end.command for end in ends(started(shape, Path(folder)), shape) if is_right(end, shape))
            parts.append(f"### {name[0].upper()}{name[1:]}\n\n```text\n{beginning(shape.files[shape.file])}\n```\n")
            parts.append(f"```text\n{command}\n```\n")
    return "\n".join(parts)


def beginning(text: str) -> str:
    """Return the first lines of a file, shortened."""
    lines = text.removeprefix("\ufeff").splitlines()
    shown = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..." for line in lines[:_LINES]]
    return "\n".join(shown)

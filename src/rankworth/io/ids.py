"""Ids of queries in a file, one in each line."""

from rankworth.errors import InputError
from rankworth.io import lines
from rankworth.io.source import Source


def read_ids(path: str) -> list[str]:
    """Read the ids of queries from a file, one in each line, in its order; skip lines that start with `#`.

    Raises:
        InputError: `missing-file` and its like, `binary-file`, `line-ends`, `endless-line`, `wrong-encoding`,
            `empty-input`.

    """
    source = Source(path)
    ids = []
    for number, line in lines.numbered(source):
        text = line.strip()
        if b"\r" in text:
            problem = f"{source.name}:{number}: a CR stands within this line; is it the end of one?"
            raise InputError("line-ends", problem, remedy=lines.with_lf(source))
        if not text.startswith(b"#"):
            ids.append(lines.decoded(source, text, number))
    if not ids:
        problem = f"{source.name}: there is no query id in it"
        raise InputError("empty-input", problem, remedy="write one id in each line")
    return ids

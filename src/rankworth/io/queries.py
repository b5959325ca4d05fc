"""Lists of queries: ids in a text file, one in each line."""

from rankworth.errors import InputError
from rankworth.io.source import Source
from rankworth.io.text import chunks, foreign


def read(path: str) -> list[str]:
    """The ids of a file in its order; empty lines and lines that start with `#` are skipped.

    Raises:
        InputError: `missing-file` and its like, `binary-file`, `line-ends`, `endless-line`, `wrong-encoding`,
            `empty-input`.

    """
    source = Source(path)
    ids = [_id(line.strip(), source, number) for number, line in chunks.numbered(source)]
    ids = [text for text in ids if not text.startswith("#")]
    if not ids:
        problem = f"{source.name}: there is no query id in it"
        raise InputError("empty-input", problem, remedy="write one id in each line")
    return ids


def _id(line: bytes, source: Source, number: int) -> str:
    """A line as text."""
    if b"\r" in line:
        text = f"{source.name}:{number}: a CR stands within this line; is it the end of one?"
        raise InputError("line-ends", text, remedy=foreign.with_lf(source))
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        text = f"{source.name}:{number}: this is not UTF-8 ({error.reason})"
        raise InputError("wrong-encoding", text, remedy=foreign.latin1(source)) from None

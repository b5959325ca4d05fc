"""Lists of queries: ids in a text file, one in each line."""

from rankworth.errors import InputError
from rankworth.io.sources import Source


def read(path: str) -> list[str]:
    """The ids of a file in its order; empty lines and lines that start with `#` are skipped.

    Raises:
        InputError: `missing-file` and its like, `wrong-encoding`, `empty-input`.

    """
    source = Source(path)
    content = bytearray()
    buffer = bytearray(1 << 16)
    with source.open() as stream:
        while count := stream.readinto(memoryview(buffer)):
            content += buffer[:count]
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("wrong-encoding", f"{source.name}:{line}: this is not UTF-8 ({error.reason})") from None
    ids = [line.strip() for line in lines]
    ids = [line for line in ids if line and not line.startswith("#")]
    if not ids:
        problem = f"{source.name}: there is no query id in it"
        raise InputError("empty-input", problem, remedy="write one id in each line")
    return ids

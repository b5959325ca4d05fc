"""Lines without a header as columns: what stands between their cells, and what the columns look like."""

from rankworth.io.lines import HEAD, beginning, first_line
from rankworth.io.looks import Looks, of_cells
from rankworth.io.source import Source


def split(line: bytes, separator: str) -> list[str]:
    """Return the cells of a line without blanks around them; a separator of blanks is any number of them."""
    text = line.decode(errors="replace")
    return text.split() if separator == " " else [cell.strip() for cell in text.split(separator)]


def separator_of(line: bytes) -> str:
    """Return what separates the cells of a line without a header: tabs, `::`, blanks, or the signs of CSV.

    >>> separator_of(b"1::1193::5::978300760"), separator_of(b"1,3,4"), separator_of(b"q1 d1 1")
    ('::', ',', ' ')
    """
    bare = line.strip()
    return next((sign for sign in ("\t", "::", " ", ",", ";", "|") if sign.encode() in bare), " ")


def are_lists(source: Source) -> bool:
    """Return whether each line of a text seems to hold a query and its documents, as many as it has: whole numbers.

    Args:
        source: the text.

    Raises:
        InputError: as `Source.open`.

    """
    head = source.head(HEAD)
    rows = [line.split() for line in head[beginning(head)[0] :].split(b"\n")[: -1 if len(head) == HEAD else None]]
    rows = [row for row in rows if row]
    are_whole = all(cell.isdigit() for row in rows for cell in row)
    return are_whole and len({row[0] for row in rows}) == len(rows) > 1 and len(set(map(len, rows))) > 1


def looks_of(source: Source, separator: str = "") -> Looks:
    """Return what the first lines of a text look like, of those that are as long as the first one.

    Args:
        source: the text.
        separator: what stands between cells; what the first line tells where empty.

    Raises:
        InputError: as `Source.open`.

    """
    head = source.head(HEAD)
    lines = head[beginning(head)[0] :].split(b"\n")
    lines = lines[:-1] if len(head) == HEAD and len(lines) > 1 else lines
    separator = separator or separator_of(first_line(head))
    rows = [split(line, separator) for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
    columns = of_cells(rows, len(rows[0])) if rows else []
    names = tuple(str(column.number) for column in columns)
    seen = dict(zip(names, columns, strict=True))
    return Looks(source.name, names, first=1, is_named=False, columns=seen, separator=separator)

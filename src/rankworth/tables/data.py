"""A sheet for programs: full precision, ASCII numbers, nothing where a value is undefined, never NaN."""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any, Final, Literal

from rankworth.tables.columns import Sheet
from rankworth.tables.look import Look, unlinked

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""how a text begins that a spreadsheet takes for a formula"""


def delimited(sheet: Sheet, look: Look, *, separator: Literal[",", "\t"]) -> str:
    """Write lines with a heading; quote texts that contain the separator, a quote or a line end, as in CSV.

    Args:
        sheet: what the lines hold.
        look: whether `'` is put before texts that a spreadsheet would take for a formula.
        separator: what stands between cells.

    """
    columns = [_plain([name, *cells], safe=look.safe) for name, _, cells in sheet.flat()]
    target = io.StringIO()
    csv.writer(target, delimiter=separator, lineterminator="\n").writerows(zip(*columns, strict=True))
    return target.getvalue()


def _plain(cells: list[Any], *, safe: bool) -> list[Any]:
    """Flatten cells that hold several grades of a document; `safe` keeps spreadsheets from computing texts."""
    plain = [" ".join(map(str, cell)) if isinstance(cell, tuple) else cell for cell in cells]
    return [f"'{cell}" if safe and isinstance(cell, str) and cell.startswith(FORMULAS) else cell for cell in plain]


def lines(sheet: Sheet) -> str:
    """Write one JSON object for each row; the comment is a field of each, named `signature`, and so are `defects`."""
    names, _, columns = zip(*sheet.flat(), strict=True)
    common: dict[str, Any] = {"signature": sheet.comment} if sheet.comment else {}
    common |= {"defects": sheet.defects} if sheet.defects else {}
    return "".join(
        line(dict(zip(names, map(spelled, row), strict=True)) | common) for row in zip(*columns, strict=True)
    )


def spelled(value: Any) -> Any:  # noqa: ANN401 - a cell of any kind
    """Return an infinite number as the text `Infinity`, since JSON has no number for it.

    >>> spelled(0.5), spelled(float("-inf"))
    (0.5, '-Infinity')
    """
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def trec(sheet: Sheet) -> str:
    """Write lines as trec_eval prints them, for a sheet of three columns of text: measure, query, value."""
    rows = zip(*(column.values for column in sheet.columns), strict=True)
    return "".join(f"{measure:<22}\t{query}\t{value}\n" for measure, query, value in rows)


def annotation(kind: str, text: str, **properties: str) -> str:
    r"""Write a command that GitHub turns into an annotation of a run; names in it call nobody.

    Args:
        kind: error, warning or notice.
        text: what it says.
        **properties: title, file and line, where they are not empty.

    >>> annotation("error", "one\ntwo", title="R@100: 2 %")
    '::error title=R@100%3A 2 %25::one%0Atwo\n'
    """
    texts = {name: unlinked(value) if name == "title" else value for name, value in properties.items() if value}
    of_properties = {name: _escaped(value) for name, value in texts.items()}
    named = (f"{name}={value.replace(':', '%3A').replace(',', '%2C')}" for name, value in of_properties.items())
    return f"::{kind} {','.join(named)}::{_escaped(unlinked(text))}\n"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def line(record: Mapping[str, Any]) -> str:
    """Write a record as one line of JSON; numbers in it are finite, or None."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def document(record: Mapping[str, Any]) -> str:
    """Write a record as JSON that people can read, too; numbers in it are finite, or None."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2) + "\n"

"""Whether a file is a run or judgements."""

from typing import Final

from rankworth.errors import InputError
from rankworth.io.detect import format_of
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.lines import HEAD, first_line
from rankworth.io.options import Reading
from rankworth.io.source import Source

_SHAPE: Final = ("frame-columns", "run-columns", "qrels-columns", "input-type")
"""the errors of a file that is something else"""


def layout_of(source: Source, reading: Reading) -> Layout:
    """Tell whether a file is a run or judgements: by the columns of TREC's lines, or by what its first rows read as.

    Args:
        source: the file.
        reading: what the user says of it.

    Raises:
        InputError: `input-type` where it may be either; where it can be neither, as reading it.

    """
    form = format_of(source, RUN, reading)
    if form == "trec":
        words = first_line(source.head(HEAD)).split()
        return QRELS if 1 < len(words) <= len(QRELS.columns) else RUN  # whose reader says more of what is neither
    errors = {layout: _tried(source, layout, reading) for layout in (RUN, QRELS)}
    likely = [layout for layout, error in errors.items() if error is None or error.slug not in _SHAPE]
    readable = None in errors.values()
    if len(likely) == 1:
        return likely[0]
    if readable:
        text = f"{source.name}: this may be a run or judgements, nothing in it tells"
        raise InputError("input-type", text, remedy="say which it is: --run or --qrels")
    first, second = filter(None, errors.values())
    raise first if first.problems == second.problems else InputError.together([first, second])


def _tried(source: Source, layout: Layout, reading: Reading) -> InputError | None:
    """Read the first rows of a file as this layout; return the error, None where there is none."""
    rows = file_batches((source,), layout, reading, Observed())
    try:
        next(rows)
    except InputError as error:
        return error
    finally:
        rows.close()  # type: ignore[attr-defined]  # a generator, with threads that read ahead
    return None

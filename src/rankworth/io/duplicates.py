"""Documents that a query has twice: how many, where they are, and which of them counts."""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, get_args

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.source import STDIN, Source
from rankworth.settings import DuplicateJudgements, Duplicates

if TYPE_CHECKING:
    import polars as pl


COUNTED: Final = ("all", "once", "joined")
"""Policies for runs under which every row keeps its rank."""
TOP: Final[Mapping[str, float]] = {"sum": math.inf, "mean-top-3": 3}
"""Policies for runs that make one score of several, by how many of the highest count."""
COPIED: Final = ("all", "wanted", "spread")
"""Policies for judgements under which every row counts."""
OneRow = Literal["error", "best", "first", "last", "sum", "mean-top-3"]
OneJudgement = Literal["error", "max", "first", "last"]
"""Policies that leave one row for each document."""
Policy = Duplicates | DuplicateJudgements


def check(name: str, policy: object, policies: object) -> None:
    """Refuse what is none of the known policies.

    Raises:
        UsageError: `unknown-setting`.

    """
    if policy not in get_args(policies):
        choices = " or ".join(map(repr, get_args(policies)))
        raise UsageError("unknown-setting", f"{name}={policy!r}: what becomes of them is {choices}")


def settled(frame: "pl.DataFrame", by: tuple[str, ...], value: str, policy: Policy) -> "pl.DataFrame":
    """Keep one row for each key, with the value that counts.

    Args:
        frame: rows in the order in which they were given.
        by: the columns of the key.
        value: the column of the values.
        policy: any but `error`.

    """
    if policy == "first" or policy == "last":  # noqa: PLR1714 - for type checkers
        return frame.unique(subset=by, keep=policy, maintain_order=True)
    import polars as pl  # noqa: PLC0415 - dicts come here for the names of policies

    if policy in TOP:
        first = frame.unique(subset=by, keep="first", maintain_order=True)
        return (
            first.drop(value).join(joined(frame, by, value, policy), on=by, maintain_order="left").select(frame.columns)
        )
    return frame.group_by(by, maintain_order=True).agg(pl.col(value).max()).select(frame.columns)


def joined(frame: "pl.DataFrame", by: Sequence[str], value: str, policy: str) -> "pl.DataFrame":
    """Make one score of several: add the highest ones, from the highest on, and divide where it is a mean.

    Args:
        frame: rows with a score.
        by: the columns of the key.
        value: the column of the scores.
        policy: one of `TOP`.

    Returns:
        A row for each key, with its score.

    """
    import polars as pl  # noqa: PLC0415 - as above

    ordered = frame.select(*by, value).sort(value, descending=True, maintain_order=True)
    ordered = ordered.with_columns(place=pl.int_range(pl.len()).over(by)).filter(pl.col("place") < TOP[policy])
    total = ordered.group_by(by, maintain_order=True).agg(pl.col(value).cum_sum().last(), count=pl.len())
    if policy != "sum":
        total = total.with_columns(pl.col(value) / pl.col("count"))
    return total.drop("count")


MANY: Final = 1 << 20
"""rows behind which a repeated document is looked for in each batch as it comes, and not when all are there"""
SHOWN: Final = 3
PAIR: Final = ("query", "document")
TRIPLE: Final = ("query", "subtopic", "document")
_UNPACK: Final = {".gz": "zcat", ".bz2": "bzcat", ".xz": "xzcat", ".zst": "zstdcat"}
_SETTLED: Final = {
    "run": 'say which of them counts: --duplicates best (duplicates="best") is the highest score, '
    "and ranks close up\n"
    'or --duplicates once (duplicates="once") is the first, and the others keep their ranks, as in MAP@k on Kaggle',
    "qrels": 'say which of them counts: --duplicate-judgements max (duplicate_judgements="max")',
}
_JOINED: Final = (
    'or --duplicates sum (duplicates="sum") adds its scores\n'
    'or --duplicates mean-top-3 (duplicates="mean-top-3") averages the three highest'
)
"""further ways where a document has rows for its parts"""

Key = tuple[str, ...]
Frames = Callable[[], Iterable["pl.DataFrame"]]
"""Gives all rows, batch by batch, as often as it is called."""


@dataclass(frozen=True)
class Part:
    """Rows that stand together in one file or frame."""

    name: str
    """what messages call it"""
    frames: Frames
    lines: Source | None = None
    """the file, where its lines are TREC's and can be found again"""
    first: int = 1
    """the number of the first row: 1 in a file, 0 in a frame"""
    shown: int = SHOWN
    """how many of its repeated rows are named"""
    is_renamed: bool = False
    """whether a rule renamed its documents, after which some are the same"""


def any_in(frame: "pl.DataFrame", by: Key = PAIR) -> bool:
    """Return whether some key appears twice; hashes are quicker, and tell in nearly all cases."""
    import polars as pl  # noqa: PLC0415 - judgements and runs in dicts need none of this

    keys = frame.select(pl.struct(by).hash()).to_series()
    return keys.n_unique() < frame.height and frame.select(by).n_unique() < frame.height


def refused(
    frames: "Iterable[pl.DataFrame]", error: "Callable[[pl.DataFrame], InputError] | None"
) -> "Iterator[pl.DataFrame]":
    """Yield batches while they are gathered in memory; refuse a repeated document at once, before the memory is full.

    Batches are looked at behind the first million rows: fewer are looked at when all are there.

    Args:
        frames: the batches.
        error: builds the error from a batch; None where repeated documents are none.

    Raises:
        InputError: `duplicate-document`, `duplicate-judgement`.

    """
    rows = 0
    for frame in frames:
        rows += frame.height
        if error is not None and rows > MANY and any_in(frame, TRIPLE if "subtopic" in frame.columns else PAIR):
            raise error(frame)
        yield frame


def deduplicated(
    frame: "pl.DataFrame", rows: "pl.DataFrame | None", policy: DuplicateJudgements, parts: Sequence[Part]
) -> "pl.DataFrame":
    """Choose the judgements that count, one for each document, or one for each document and subtopic.

    Args:
        frame: the judgements: `query, document, grade`.
        rows: the same with a column `subtopic`, if anything tells subtopics; settled already.
        policy: what becomes of several grades of a document for one subtopic.
        parts: the rows as they were given, for a message.

    Raises:
        InputError: `duplicate-judgement`.

    """
    if rows is None and policy != "error":
        return settled(frame, PAIR, "grade", policy)
    if rows is None or rows.n_unique(TRIPLE) < rows.height:
        raise repeated_judgements(parts, frame if rows is None else rows)
    return rows


def repeated_judgements(parts: Sequence[Part], rows: "pl.DataFrame") -> InputError:
    """Build the error for documents that a query judges twice.

    Args:
        parts: the rows as they were given.
        rows: some that repeat earlier ones.

    """
    if "subtopic" not in rows.columns:
        remedy = "if these are judgements for several subtopics, add a column subtopic"
        if not any(part.lines or not part.first for part in parts):
            remedy += (
                "\nif these are grades of several judges, their mean or median: --qrels-columns 'grade=mean(NAME)'"
                ", in Python qrels_columns={'grade': 'mean(NAME)'}"
            )
        return error(QRELS, parts, remedy=remedy)
    return error(QRELS, parts, by=TRIPLE if rows.n_unique(TRIPLE) > rows.n_unique(PAIR) else PAIR)


def error(layout: Layout, parts: Sequence[Part], *, by: Key = PAIR, remedy: str = "") -> InputError:
    """Build the error for documents that a query has twice.

    Args:
        layout: `RUN` or `QRELS`.
        parts: the rows.
        by: the columns that tell two rows apart.
        remedy: what else may help.

    """
    count, rows, unread = _repeats(parts, by)
    columns = ", ".join(by[:-1]) + f" and {by[-1]}"
    lines = parts[0].lines if len(parts) == 1 else None
    if lines is None:
        places = {
            key: (f"{part.name}: row {again}", f"row {first}" if before is part else f"{before.name}: row {first}")
            for key, ((before, first), (part, again)) in rows.items()
        }
        keep = f"keep one row for each {columns}"
    else:
        from rankworth.io.trec import locate  # noqa: PLC0415 - which needs Polars

        numbers = tuple(layout.columns.index("iteration" if column == "subtopic" else column) for column in by)
        located = sorted(locate(lines, list(rows), numbers).items(), key=lambda item: item[1][1])
        places = {key: (f"{lines.name}:{again}", f"line {first}") for key, (first, again) in located}
        keep = f"keep one line for each {columns}, such as the first: {_command(lines, numbers)} > once.txt"
    texts = [
        f"{again}: query {quoted([query])} {layout.verb} document {quoted([document])} again "
        + "".join(f"for subtopic {quoted([subtopic])} " for subtopic in subtopics)
        + f"(first in {first})"
        for (query, *subtopics, document), (again, first) in places.items()
    ]
    if unread:
        texts[-1] += "; the rows that follow were not counted"
    settled = _SETTLED["run" if layout is RUN else "qrels"]
    ways = [keep, f"or {settled}", remedy]
    if any(part.is_renamed for part in parts):
        texts[0] += ", as rows of several ids are one document now"
        ways = [settled, _JOINED if layout is RUN else ""]
    return InputError(layout.repeated, *texts, more=count - len(texts), remedy="\n".join(filter(None, ways)))


Place = tuple[Part, int]


def _repeats(parts: Sequence[Part], by: Key) -> tuple[int, dict[Key, tuple[Place, Place]], bool]:
    """Count the rows with the key of an earlier row; find the first few such keys and their first two rows.

    Where a million rows of single batches repeat earlier ones, the rows that follow are not read, which comes last.
    """
    import polars as pl  # noqa: PLC0415 - judgements and runs in dicts need none of this

    key = pl.struct(pl.col(by).cast(pl.String)).hash()
    series: list[pl.Series] = []
    read, repeated = [0] * len(parts), 0
    for number, part in enumerate(parts):
        for frame in part.frames() if repeated <= MANY else ():
            keys = frame.select(key.alias("key")).to_series()
            repeated += keys.len() - keys.n_unique()
            series.append(keys)
            read[number] += 1
            if repeated > MANY:
                break
    hashes = pl.concat(series)
    again = hashes.filter(~hashes.is_first_distinct())
    wanted = again.unique(maintain_order=True).head(max(part.shown for part in parts))
    first: dict[Key, Place] = {}
    both: dict[Key, tuple[Place, Place]] = {}
    for part, count in zip(parts, read, strict=True):
        offset = part.first
        for frame in islice(part.frames(), count):
            numbered = frame.select(pl.col(by).cast(pl.String)).with_row_index("row", offset)
            offset += frame.height
            places = numbered.filter(key.is_in(wanted.implode())).group_by(by, maintain_order=True).head(2)
            for *ids, row in places.sort("row").select(*by, "row").iter_rows():
                position = part, row
                if first.setdefault(tuple(ids), position) is not position:
                    both.setdefault(tuple(ids), (first[tuple(ids)], position))
    return len(again), both, repeated > MANY


def _command(source: Source, columns: Iterable[int]) -> str:
    """Write a command that keeps the first line of each key."""
    awk = f"awk '!seen[{', '.join(f'${column + 1}' for column in columns)}]++'"
    if source.path == STDIN:
        return awk
    path = shlex.quote(source.path)
    unpack = next((f"{tool} {path} | " for suffix, tool in _UNPACK.items() if source.path.endswith(suffix)), "")
    return f"{unpack}{awk}" if unpack else f"{awk} {path}"

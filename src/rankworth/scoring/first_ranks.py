"""The rank of the first hit of each query, without documents: what stands for judgements and a run, and what it allows.

Code search and the retrieval of images report such tables: a query, and the rank of its one right answer.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io import query_texts
from rankworth.io.files import files_of
from rankworth.io.kinds import plain
from rankworth.io.layout import QRELS
from rankworth.io.options import Reading
from rankworth.io.paths import is_path
from rankworth.io.source import STDIN
from rankworth.io.usual_names import NONE, SPELLINGS
from rankworth.io.validate import shown
from rankworth.measures import FACTS, Measure
from rankworth.model import Qrels, Run, stem
from rankworth.names import Quantity
from rankworth.profiles import ResolvedMeasure

MEASURES: Final = ("RR", "RR@10", "Success@1", "Success@5", "Success@10", "MedianRank")
"""what is measured by default"""
ROLE: Final = "first-rank"
"""what options call the column of ranks"""
_USUAL: Final = (
    *SPELLINGS["rank"],
    "first_rank",
    "firstrank",
    "first-rank",
    "frank",
    "best_rank",
    "hit_rank",
    "gt_rank",
)
_NONE: Final = (
    "",
    "nf",
    "none",
    "null",
    "nan",
    "n/a",
    "na",
    "-",
    "?",
    "inf",
    "infinity",
    "not found",
    "notfound",
    "-1",
)
"""what stands where nothing was found, beside 0"""
_SEPARATORS: Final = ("\t", ",", ";", "|")
"""what stands between the cells of other tables"""
_HIT: Final = "the hit"
_OTHER: Final = "no hit"
_REMEDY: Final = "ranks are whole numbers from 1; NF, a blank, 0 or -1 says that there is no hit"


def read(source: object, columns: Mapping[str, str] = NONE) -> dict[str, int | None]:
    """Read the rank of the first hit of each query; None where there is none.

    Args:
        source: `{query: rank}`, a series of pandas, or a table as `query_texts.queries` reads it.
        columns: which column holds the query, and which the rank (`first-rank`), where their names do not tell.

    Raises:
        InputError: `bad-score` where a rank is none; `frame-columns`; and as `query_texts.queries`.
        UsageError: `unknown-setting`.

    >>> read({"q1": 3, "q2": "NF", "q3": -1})
    {'q1': 3, 'q2': None, 'q3': None}
    """
    if unknown := [role for role in columns if role not in ("query", ROLE)]:
        text = f"columns: a table of first ranks has a query and a {ROLE}, and {quoted(unknown)} is named"
        raise UsageError("unknown-setting", text, remedy="leave it out")
    is_series = hasattr(source, "index") and hasattr(source, "to_dict") and not hasattr(source, "columns")
    cells: Any = source.to_dict() if is_series else source  # type: ignore[attr-defined] # a series has it
    if columns and is_path(source) and (rows := _rows_between_blanks(source, columns)):
        cells, columns = rows, {"query": "query", ROLE: ROLE}
    if isinstance(cells, Mapping) and not any(isinstance(cell, Mapping | list | tuple) for cell in cells.values()):
        name = "first_ranks"
        values: Mapping[str, Any] = {str(query): plain(cell) for query, cell in cells.items()}
    else:
        wanted, query = columns.get(ROLE, ""), {role: name for role, name in columns.items() if role == "query"}
        is_second = wanted == "2" and not query  # of a table without a header, whose first column is the query
        try:
            table = query_texts.queries(cells, columns=query | ({"text": wanted} if wanted and not is_second else {}))
        except InputError as error:  # names the column of texts, in whose stead ranks are read
            raise InputError(error.slug, *error.problems, remedy=error.remedy.replace("text", ROLE)) from None
        name, values = table.name, table.texts if wanted else _column(table)
    if not values:
        raise InputError("empty-input", f"{name}: there is no query")
    ranks = {query: _rank(cell, f"{name}: query {quoted([query])}") for query, cell in values.items()}
    zeros = [query for query, cell in values.items() if str(cell).strip() in ("0", "0.0")]
    without = [query for query, cell in values.items() if ranks[query] is None and query not in zeros]
    if zeros and without:
        text = f"{name}: query {quoted(zeros[:1])} has rank 0 and query {quoted(without[:1])} has none, so that ranks"
        raise InputError(
            "bad-score", f"{text} may be counted from 0", remedy="if so, add 1 to them; else write NF for 0"
        )
    return ranks


def _rows_between_blanks(path: Any, columns: Mapping[str, str]) -> list[dict[str, str]]:  # noqa: ANN401 - of any type
    """Return the rows of lines without a header whose cells stand between blanks; none of any other file.

    Args:
        path: of the file.
        columns: the numbers of the columns of queries and ranks.

    Raises:
        InputError: `frame-columns` where a line has too few cells.

    """
    positions = [columns.get(role, default) for role, default in (("query", "1"), (ROLE, ""))]
    if not all(number.isdecimal() and int(number) for number in positions) or str(path) == STDIN:
        return []
    rows = []
    for source in files_of(path, QRELS, Reading()):
        for number, line in enumerate(source.whole().decode("utf-8", "replace").splitlines(), 1):
            cells = line.split()
            if any(sign in line for sign in _SEPARATORS) or line.startswith(("{", "[")):
                return []
            if cells and len(cells) < max(map(int, positions)):
                text = (
                    f"{source.name}:{number}: there is no column {max(map(int, positions))}; the line has {len(cells)}"
                )
                raise InputError("frame-columns", text, remedy=f"--columns query=1 {ROLE}=2 counts columns from 1")
            if cells:
                query, rank = (cells[int(position) - 1] for position in positions)
                rows.append({"query": query, ROLE: rank})
    return rows


def _column(table: query_texts.QueryTable) -> Mapping[str, Any]:
    """Return the cells of the only column that may hold ranks.

    Raises:
        InputError: `frame-columns`.

    """
    if not table.columns:
        return table.texts
    names = [name for name in table.columns if name.lower() in _USUAL] or list(table.columns)
    if len(names) > 1:
        text = f"{table.name}: {quoted(names)} may be the rank of the first hit"
        remedy = f"name it: --columns {ROLE}={names[0]}, in Python columns={{{ROLE!r}: {names[0]!r}}}"
        raise InputError("frame-columns", text, remedy=remedy)
    return table.column(names[0])


def rank_column(path: str) -> str:
    """Return the column with a usual name of ranks, if the file can be a table of first ranks.

    Raises:
        InputError: where it cannot be read so.

    """
    table = query_texts.queries(path)
    names = [name for name in table.columns if name.lower() in _USUAL]
    if len(names) != 1:
        return ""
    read(path, {ROLE: names[0]})
    return names[0]


def _rank(cell: Any, where: str) -> int | None:  # noqa: ANN401 - whatever stands there
    """Return a rank as a whole number; None where there is no hit.

    Raises:
        InputError: `bad-score`.

    """
    text = "" if cell is None else str(cell).strip()
    if text.lower() in _NONE:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number) or number in (0, -1, math.inf):
        if math.isnan(number) and text:
            raise InputError("bad-score", f"{where} has {shown(cell)} for a rank", remedy=_REMEDY)
        return None
    if isinstance(cell, bool) or number < 1 or number != int(number):
        raise InputError("bad-score", f"{where} has rank {shown(cell)}", remedy=_REMEDY)
    return int(number)


def pair(ranks: Mapping[str, int | None], name: str = "") -> tuple[Qrels, Run]:
    """Return judgements and a run with these ranks: a query has the row of its first hit, and no other.

    A query without a hit has the row of a document that is not relevant.

    Args:
        ranks: by query; None where there is no hit.
        name: what tables call the run.

    """
    import polars as pl  # noqa: PLC0415 - not needed for files of judgements and runs

    rows = pl.DataFrame(
        {
            "query": list(ranks),
            "document": [_OTHER if rank is None else _HIT for rank in ranks.values()],
            "score": [-1.0 if rank is None else -float(rank) for rank in ranks.values()],
        }
    )
    return Qrels({query: {_HIT: 1} for query in ranks}), Run.of_first_ranks(rows, name)


def stand_ins(first_ranks: object, beside: Mapping[str, object], settings: Any) -> tuple[Qrels, Run]:  # noqa: ANN401 - a dict of settings, in which the order is set
    """Return judgements and a run of the ranks that a call has in place of these.

    Args:
        first_ranks: whatever `read` reads.
        beside: other arguments that say what is evaluated, none of which may be there.
        settings: of the call; columns are taken out.

    Raises:
        InputError: as `read`.
        UsageError: `conflicting-options`; as `read`.

    """
    if others := [name for name, value in beside.items() if value is not None]:
        text = f"first_ranks stand instead of judgements and a run, and there is {others[0]}, too"
        raise UsageError("conflicting-options", text, remedy="give one of the two")
    ranks = read(first_ranks, settings.pop("columns", None) or NONE)
    if settings.get("order") in (None, "auto"):
        settings["order"] = "rank"
    return pair(ranks, stem(first_ranks) if is_path(first_ranks) else "")


def refuse_others(measures: Sequence[ResolvedMeasure]) -> None:
    """Refuse measures, and settings, of which the rank of the first hit does not tell enough.

    Raises:
        InputError: `input-type`.

    """
    for measure in measures:
        why = ""
        if not is_of_first_rank(measure.quantity):
            why = f"{measure.label} needs more of a ranking"
        elif measure.judging.unjudged == "removed" or getattr(measure.quantity, "judged_only", False):
            why = f"{measure.label} counts ranks anew without unjudged documents"
        elif not 0 < measure.quantity.parameters.get("rel", 1) <= 1:
            why = f"{measure.label} needs grades"
        elif measure.judging.order != "rank":
            why = f"order={measure.judging.order!r} is said"
        elif measure.judging.depth is not None:
            why = f"depth={measure.judging.depth} counts documents"
        if why:
            text = f"only the rank of the first hit of each query is known, and {why}"
            remedy = f"ask for what it tells: {' '.join(MEASURES)}, at any cutoff\n"
            remedy += "for all others give judgements and a run: rankworth evaluate QRELS RUN"
            raise InputError("input-type", text, remedy=remedy)


def is_of_first_rank(quantity: Quantity) -> bool:
    """Return whether a value follows from the rank of the first relevant document.

    >>> from rankworth.names import parse
    >>> is_of_first_rank(parse("RR@10")), is_of_first_rank(parse("P@10"))
    (True, False)
    """
    if not isinstance(quantity, Measure):
        return quantity == FACTS["NumQ"]
    return "first" in quantity.definition.unjudged and quantity.budget is None

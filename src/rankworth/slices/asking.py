"""What is asked for: columns of the table of queries by their names, or weights and groups as they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankworth.errors import InputError, UsageError, quoted
from rankworth.slices.columns import GIVEN, Groups, Weights

if TYPE_CHECKING:
    from rankworth.io.metadata import QueryTable


@dataclass(frozen=True)
class Slices:
    """How queries are grouped and weighted.

    Attributes:
        by: groups that are shown, each with its own means; they change no overall number.
        weights: how much each query counts.
        macro: groups of which each counts as much as any other: the mean is that of their means.

    """

    by: Groups | None = None
    weights: Weights | None = None
    macro: Groups | None = None

    @classmethod
    def of(cls, table: object = None, *, by: object = None, weights: object = None, macro: object = None) -> "Slices":
        """Groups and weights of queries.

        Args:
            table: the table of queries, whatever `rankworth.io.metadata.queries` reads: a path, rows, a frame.
            by: the name of a column, or several that are crossed; `{query: group}` needs no table, nor does a series
                of pandas whose index holds the queries.
            weights: the name of a column, or `{query: weight}`.
            macro: as `by`.

        Raises:
            InputError: where the table cannot be read; `frame-columns` where it has no such column; `bad-weight`.
            UsageError: `conflicting-options`, where there is a table and no column is asked for; `unknown-setting`.

        >>> rows = [{"qid": "q1", "text": "", "language": "ar", "traffic": 9}]
        >>> slices = Slices.of(rows, by="language", weights="traffic")
        >>> slices.by.labels(["q1"]), slices.weights.array(["q1"]).tolist()
        (['ar'], [9.0])
        """
        asked = {"by": _listed(by), "weights": weights, "macro": _listed(macro)}
        named = {setting: value for setting, value in asked.items() if isinstance(value, str | tuple)}
        if table is not None and not named:
            text = "a table of queries is given, and no column of it is asked for"
            raise UsageError("conflicting-options", text, remedy="by=, weights= or macro= name a column")
        for setting, value in named.items():
            if table is None:
                shown = repr(value[0] if isinstance(value, tuple) else value)
                text = f"{setting}={shown} names a column, and there is no table of queries to find it in"
                remedy = f"table=FILE, on a command line --queries FILE; or a dict, {setting}={{query: ...}}"
                raise UsageError("unknown-setting", text, remedy=remedy)
        if named:
            from rankworth.io.metadata import queries  # noqa: PLC0415 - rarely needed

            read = queries(table)
            asked |= {setting: _found(read, setting, value) for setting, value in named.items()}
        return cls(
            None if asked["by"] is None else Groups.of(asked["by"], _name(by)),
            None if asked["weights"] is None else Weights.of(asked["weights"]),
            None if asked["macro"] is None else Groups.of(asked["macro"], _name(macro)),
        )


def _name(given: object) -> str:
    """What groups are called: as a series of pandas is that holds them."""
    name = getattr(given, "name", None) if hasattr(given, "index") else None
    return name if isinstance(name, str) and name else GIVEN


def _listed(value: object) -> object:
    """Names of columns as a tuple; None where there is none."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence) and all(isinstance(name, str) for name in value):
        return tuple(dict.fromkeys(value)) or None
    return value


def _found(table: "QueryTable", setting: str, names: str | tuple[str, ...]) -> Weights | Groups:
    """The columns of a table as weights or groups."""
    names = (names,) if isinstance(names, str) else names
    columns = [table.column(name) for name in names]
    source = f"{table.name}, {'column' if len(names) == 1 else 'columns'} {quoted(names, 8)}"
    if setting != "weights":
        crossed = dict(zip(table, zip(*(column.values() for column in columns), strict=True), strict=True))
        return Groups.of(crossed, " / ".join(names), source)
    if any(isinstance(value, str) for value in columns[0].values()):
        raise _no_numbers(table, source, columns[0])
    return Weights.of(columns[0], names[0], source)


def _no_numbers(table: "QueryTable", source: str, column: Mapping[str, Any]) -> InputError:
    """The error for weights that are text."""
    shown = quoted(dict.fromkeys(value for value in column.values() if value is not None))
    numbers = [name for name, values in table.columns.items() if not any(isinstance(one, str) for one in values)]
    has = f"columns of numbers: {quoted(numbers, 8)}" if numbers else "there is no column of numbers"
    return InputError("bad-weight", f"{source}: this is text, and weights are numbers from 0: {shown}", remedy=has)

"""Grades of several judges, each with a column of its own or rows of its own, and the grade that counts of them.

`grade=mean(*@example.org)` names the columns of the judges, `grade=mean(label)` that of rows which repeat a document.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import polars as pl

_WAYS: Final = ("mean", "median", "majority", "first", "max", "min")
_CALL: Final = re.compile(rf"({'|'.join(_WAYS)})\((.+)\)")


class Judges(NamedTuple):
    """What a user says of grades of several judges.

    Attributes:
        way: how one grade is made of theirs.
        names: the columns: names with commas between them, or one with `*` for any text.

    """

    way: str
    names: str

    def columns(self, existing: Iterable[Any], excluded: Iterable[str] = ()) -> list[str]:
        """Return the columns of the judges, in their order.

        Args:
            existing: the names of all columns.
            excluded: those that hold something else.

        """
        if "*" not in self.names:
            return self.names.split(",")
        form = re.compile(".*".join(map(re.escape, self.names.split("*"))))
        others = {*excluded}
        return [name for name in map(str, existing) if form.fullmatch(name) and name not in others]

    def combined(self, frames: "Sequence[pl.DataFrame]") -> "pl.DataFrame":
        """Return a row for each document with its combined grade; null if no judge gave a grade.

        The majority is the grade that most judges gave; of grades that equally many gave, it is the lowest. The first
        is that of the first column or row that has one.

        Args:
            frames: `query, document, grade` and perhaps `subtopic`, of one judge after the other or in file order.

        """
        import polars as pl  # noqa: PLC0415 - dicts come here for names of columns

        rows = pl.concat(frames, how="diagonal").with_columns(pl.col("grade").fill_nan(None))
        grades = pl.col("grade").drop_nulls()
        made = {"majority": grades.mode().min()}.get(self.way)
        made = getattr(grades, self.way)() if made is None else made
        keys = [name for name in rows.columns if name != "grade"]
        return rows.group_by(keys, maintain_order=True).agg(made.cast(pl.Float64).alias("grade")).select(rows.columns)


def judges_of(column: object) -> Judges | None:
    """Return the judges meant by the name of a column of grades, or None for a single column.

    >>> judges_of("mean(ann,bob)")
    Judges(way='mean', names='ann,bob')
    """
    match = _CALL.fullmatch(str(column))
    return None if match is None else Judges(match[1], match[2])

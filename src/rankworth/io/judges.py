"""Grades of several judges, each with a column of its own or rows of its own, and the grade that counts of them.

`grade=mean(*@example.org)` names the columns of the judges, `grade=mean(label)` that of rows which repeat a document.
`grade=label[judge=ann]` chooses the rows of one judge, whose name stands in a column of its own.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankworth.errors import InputError, quoted

if TYPE_CHECKING:
    import polars as pl

_WAYS: Final = ("mean", "median", "majority", "first", "max", "min")
_CALL: Final = re.compile(rf"({'|'.join(_WAYS)})\((.+)\)")
_CHOICE: Final = re.compile(r"([^\[\]]+)\[([^\[\]=]+)=([^\[\]]+)\]")
ENDS: Final = (")", "]")
"""how a name ends that says something of several judges"""
_SIGNS: Final = re.compile(r"[%|;\s\x00-\x1f\x7f]")
"""what would end a part of a signature"""


class Judges(NamedTuple):
    """What a user says of grades of several judges.

    Attributes:
        way: how one grade is made of theirs; empty where the grades of one judge count.
        names: the columns: names with commas between them, or one with `*` for any text.
        by: the column that tells whose grade a row has; empty where the grades of all judges count.
        judge: the judge whose grades count, as that column has it.

    """

    way: str
    names: str
    by: str = ""
    judge: str = ""

    @property
    def label(self) -> str:
        """What signatures say: the name of the column of grades, as the user gave it."""
        text = f"{self.names}[{self.by}={self.judge}]" if self.by else f"{self.way}({self.names})"
        return _SIGNS.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)

    def of_column(self, name: str) -> dict[str, str]:
        """Return the columns to read for one column of grades.

        The name of the judge is read in place of a subtopic.
        """
        return {"grade": name, "subtopic": self.by} if self.by else {"grade": name}

    def columns(self, existing: Iterable[Any], excluded: Iterable[str] = ()) -> list[str]:
        """Return the columns of the judges, in their order.

        Args:
            existing: the names of all columns.
            excluded: those that hold something else.

        """
        if self.by:
            return [self.names]
        if "*" not in self.names:
            return self.names.split(",")
        form = re.compile(".*".join(map(re.escape, self.names.split("*"))))
        others = {*excluded}
        return [name for name in map(str, existing) if form.fullmatch(name) and name not in others]

    def combined(self, frames: "Sequence[pl.DataFrame]", called: str) -> "pl.DataFrame":
        """Return a row for each document with its combined grade; null if no judge gave a grade.

        The majority is the grade that most judges gave; of grades that equally many gave, it is the lowest. The first
        is that of the first column or row that has one.

        Args:
            frames: `query, document, grade` and perhaps `subtopic`, of one judge after the other or in file order;
                where one judge is chosen, `subtopic` is the name of the judge.
            called: what messages call the source of the rows.

        Raises:
            InputError: `frame-columns` where no row is of the judge that is chosen.

        """
        import polars as pl  # noqa: PLC0415 - dicts come here for names of columns

        rows = pl.concat(frames, how="diagonal").with_columns(pl.col("grade").fill_nan(None))
        if self.by:
            return self._chosen(rows, called)
        grades = pl.col("grade").drop_nulls()
        made = {"majority": grades.mode().min()}.get(self.way)
        made = getattr(grades, self.way)() if made is None else made
        keys = [name for name in rows.columns if name != "grade"]
        return rows.group_by(keys, maintain_order=True).agg(made.cast(pl.Float64).alias("grade")).select(rows.columns)

    def _chosen(self, rows: "pl.DataFrame", called: str) -> "pl.DataFrame":
        """Return the rows of the chosen judge.

        Raises:
            InputError: `frame-columns`.

        """
        judges = rows["subtopic"].cast(str)
        chosen = rows.filter(judges == self.judge).drop("subtopic")
        if not chosen.height:
            names = judges.drop_nulls().unique(maintain_order=True).to_list()
            text = f"{called}: no grade is of {self.by}={self.judge}; the judges are {quoted(names, 8)}"
            choice = f"{self.names}[{self.by}={names[0] if names else 'NAME'}]"
            remedy = f"name one of them: --qrels-columns {shlex.quote(f'grade={choice}')}, "
            remedy += f"in Python qrels_columns={{'grade': {choice!r}}}"
            raise InputError("frame-columns", text, remedy=remedy)
        return chosen


def judges_of(column: str) -> Judges | None:
    """Return the judges meant by the name of a column of grades, or None for a single column.

    >>> judges_of("mean(ann,bob)")
    Judges(way='mean', names='ann,bob', by='', judge='')
    >>> judges_of("label[judge=ann]")
    Judges(way='', names='label', by='judge', judge='ann')
    """
    if call := _CALL.fullmatch(column):
        return Judges(call[1], call[2])
    choice = _CHOICE.fullmatch(column)
    return None if choice is None else Judges("", *choice.groups())

"""What a user says of a file: its format, its columns, and what a row without a grade is."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io import grade_words
from rankworth.io.formats import READ
from rankworth.io.grade_words import Words
from rankworth.io.id_rules import IdRule
from rankworth.io.judges import ENDS, Judges, judges_of
from rankworth.io.layout import QRELS, RUN, SPAN, Layout

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.facts import Observed


Blank = Literal["unjudged", "zero", "error"]
"""what a judgement without a grade means: nobody judged the document, its grade is 0, or something is wrong"""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


LISTED: Final = (
    "--run-columns query=@queries.txt, in Python run_columns={'query': '@queries.txt'} names a file with the query of "
    "each response, in their order"
)
"""how a user names the queries of responses of a search engine"""
COSTS: Final = ("tokens", "bytes", "milliseconds")
"""what the documents of a run may cost"""
ROLES_OF: Final[Mapping[Layout, Sequence[str]]] = {
    RUN: ("root", "separator", "query", "documents", "document", *SPAN, "text", "score", "rank", "rows", *COSTS),
    QRELS: ("root", "separator", "query", "documents", "document", *SPAN, "text", "grade", "subtopic"),
}
"""what columns of a run and of judgements may hold"""
IN_SOURCES: Final = "sources"
"""what is said of columns where documents are texts or spans that are sought in sources"""
_ROLES: Final = tuple(dict.fromkeys(chain(*ROLES_OF.values())))
OPTIONAL: Final = ("grade", "score", "document", "source")
"""what no column needs to hold; without documents, items are called by their position within the query, and
without the name of a source, spans are told by the usual names"""
RANKED: Final = ("query", "document", "score", "rank")
"""the columns of TREC's lines that tell scores and ranks; both are numbers then"""
LOOSELY_RANKED: Final = ("query", "document", "rank", "score")
"""the same columns where a rank may be anything; NaN where it is no number"""


@dataclass(frozen=True)
class Blanks:
    """What becomes of judgements without a grade.

    Attributes:
        policy: `unjudged`, `zero` or `error`.
        only: the queries that count; all where None.

    """

    policy: Blank = "unjudged"
    only: Collection[str] | None = None

    def __post_init__(self) -> None:
        """Refuse what is no policy.

        Raises:
            UsageError: `unknown-setting`.

        """
        if self.policy not in get_args(Blank):
            raise UsageError("unknown-setting", f"blank={self.policy!r}: it is one of {' '.join(get_args(Blank))}")

    def settle(self, frame: "pl.DataFrame", where: str, observed: "Observed") -> "pl.DataFrame":
        """Apply the policy to judgements without a grade, and return those that count.

        Args:
            frame: with a column `grade`, null or NaN where there is none.
            where: what messages call it.
            observed: gets to know how many have none.

        Raises:
            InputError: `missing-value`, where that is an error.

        """
        blank = frame["grade"].is_null() | frame["grade"].is_nan()
        if self.only is not None and blank.any():
            blank = blank & frame["query"].cast(str).is_in(list(self.only))
        if not (count := int(blank.sum())):
            return frame
        if self.policy == "error":
            query, document = frame.select("query", "document").row(int(blank.arg_max() or 0))
            has = "judgement has" if count == 1 else "judgements have"
            text = f"{where}: {count:,} {has} no grade; the first is that of document {quoted([document])} for query"
            remedy = "fill them in, or say what they mean: --blank unjudged or zero, in Python blank='unjudged'"
            raise InputError("missing-value", f"{text} {quoted([query])}", remedy=remedy)
        observed.note(blanks=observed.facts.blanks + count)
        if self.policy == "zero":
            return frame.with_columns(frame["grade"].fill_nan(None).fill_null(0.0))
        return frame.filter(~blank)


def refuse_blanks_alone(where: str, blanks: int, *, empty: bool) -> None:
    """Refuse judgements of which not one has a grade.

    Args:
        where: what messages call them.
        blanks: how many have none.
        empty: whether none is left.

    Raises:
        InputError: `missing-value`.

    """
    if empty and blanks:
        text = f"{where}: no judgement has a grade ({blanks:,} {'is' if blanks == 1 else 'are'} blank)"
        remedy = "fill them in, or say that they mean 0: --blank zero, in Python blank='zero'"
        raise InputError("missing-value", text, remedy=remedy)


@dataclass(frozen=True)
class Reading:
    """What a user says of a file.

    Attributes:
        format: one of `rankworth.io.formats.READ`; detected from the content where empty.
        columns: which column holds what, `{"query": "term"}`; a number counts columns from 1 where there is no header;
            `{"grade": ""}` where no column tells grades, so that all are 1; `{"score": ""}` where ranks are to count,
            or the order of rows where there are none; `{"query": ""}` where rows are of no query, as those of chunks.
        split: which judgements of a BEIR folder; `test` where empty.
        blanks: what becomes of judgements without a grade.
        grades: the grades that words mean.
        option: what options about the file begin with; by default what its layout is called.
        is_specific: whether columns are named for this file, and not for all files of a command.
        ids: how documents are renamed; None where their ids count as they are.

    """

    format: str = ""
    columns: Mapping[str, str] = field(default_factory=lambda: _NONE)
    split: str = ""
    blanks: Blanks = Blanks()
    grades: Words = field(default_factory=lambda: grade_words.NONE)
    option: str = ""
    is_specific: bool = True
    ids: IdRule | None = None

    def __post_init__(self) -> None:
        """Refuse what is no format, no column and no grade; numbers of columns become text.

        Raises:
            UsageError: `unknown-format`, `unknown-setting`.

        """
        if self.format and self.format not in READ:
            raise UsageError("unknown-format", f"there is no format {self.format!r}; there are {' '.join(READ)}")
        in_sources = {IN_SOURCES: ""} if self.ids is not None and self.ids.is_of_sources else {}
        said = {role: name for role, name in self.columns.items() if role not in in_sources}
        object.__setattr__(self, "columns", checked_columns(said, _ROLES, (*OPTIONAL, "query")) | in_sources)
        object.__setattr__(self, "grades", grade_words.checked(self.grades))

    @property
    def judges(self) -> Judges | None:
        """The columns of several judges and how to combine them; None for a single column of grades."""
        column = self.columns.get("grade", "")
        return judges_of(column) if column.endswith(ENDS) else None


def refuse_roles(layout: Layout, columns: Mapping[str, str]) -> None:
    """Refuse columns that a run or judgements do not have.

    Args:
        layout: `RUN` or `QRELS`.
        columns: which column holds what, as the user says.

    Raises:
        UsageError: `unknown-setting`.

    """
    checked_columns(columns, ROLES_OF[layout], OPTIONAL)


def refuse_again(thing: str, **settings: object) -> None:
    """Refuse settings of reading for a run or judgements already read.

    Args:
        thing: `Run` or `Qrels`.
        **settings: by name; empty where nothing is said.

    Raises:
        UsageError: `conflicting-options`.

    """
    for name, value in settings.items():
        if value:
            text = f"{name}={value!r} says how a {thing} is read, and this one is read already"
            raise UsageError("conflicting-options", text, remedy=f"{thing}(source, {name}={value!r})")


def refuse_of_objects(called: str, **settings: str) -> None:
    """Refuse settings of reading files for an object of a program.

    Args:
        called: what messages call the object.
        **settings: by name; empty where nothing is said.

    Raises:
        UsageError: `conflicting-options`.

    """
    for name, value in settings.items():
        if value:
            text = f"{called}: {name}={value!r} says how a file is read, and this is no file"
            raise UsageError("conflicting-options", text, remedy=f"leave {name} out")


def checked_columns(columns: Mapping[str, str], roles: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str]:
    """Check which columns a user names; numbers of columns become text.

    Args:
        columns: which column holds what.
        roles: what columns may hold.
        optional: what no column needs to hold, which an empty name says.

    Raises:
        UsageError: `unknown-setting`.

    """
    for role, column in columns.items():
        if role not in roles:
            raise UsageError("unknown-setting", f"columns: {quoted([role])} is not one of {' '.join(roles)}")
        if not isinstance(column, str | int) or (column == "" and role not in optional):
            raise UsageError("unknown-setting", f"columns: {role}={column!r} is not the name of a column")
    return {role: str(column) for role, column in columns.items()}


@dataclass(frozen=True)
class Described:
    """Judgements as a user has them, and how they are to be read."""

    source: object
    columns: Mapping[str, str]
    blank: Blank = "unjudged"
    format: str = ""
    split: str = ""
    grades: Words = field(default_factory=lambda: grade_words.NONE)
    ids: IdRule | None = None


def cost_column(text: object) -> dict[str, str]:
    """Read the name of the column of costs in runs: `tokens`, or `tokens=n_tokens`; nothing for None.

    Raises:
        UsageError: `unknown-setting`.

    >>> cost_column("tokens"), cost_column("bytes=size"), cost_column(None)
    ({'tokens': 'tokens'}, {'bytes': 'size'}, {})
    """
    if text is None:
        return {}
    what, sign, column = text.partition("=") if isinstance(text, str) else ("", "", "")
    if what not in COSTS or (sign and not column):
        remedy = "as in --cost tokens or --cost tokens=n_tokens (cost='tokens=n_tokens')"
        if isinstance(text, Mapping):
            remedy = "costs by document belong to a run: Run(run).with_costs({document: 120})"
        raise UsageError(
            "unknown-setting", f"cost={text!r}: it is one of {' '.join(COSTS)}, or WHAT=COLUMN", remedy=remedy
        )
    return {what: column or what}

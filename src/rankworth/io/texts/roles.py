"""Which column of a table of texts holds the id, the title and the text: by its usual names, or as the user says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.frames.roles import RECORD, SPELLINGS

Tiers = tuple[tuple[str, ...], ...]
"""Names of columns: those of the first group that is there count, and there only one of them may be."""

_TEXTS: Final = ("query text", "query_text")
_USERS: Final = ("user_id", "userid", "user")
_MAY_BE_TEXT: Final = {"query", "topic", "document", "item", *_TEXTS, *_USERS}


class Names(NamedTuple):
    """Which column holds what; None where none does."""

    id: Any
    text: Any
    title: Any


@dataclass(frozen=True)
class Kind:
    """What a table of texts is about.

    Attributes:
        what: `query` or `document`, which is also what the column of ids is called in options.
        ids: how columns of ids are called.
        texts: how columns of texts are called.
        titles: how columns of titles are called that belong to the texts.
        unnamed: what the columns of files without a header are, by how many there are.
        file: what the file is called in a folder of BEIR's.
        called: what messages call such a table that has no name.

    """

    what: str
    ids: Tiers
    texts: Tiers
    titles: Tiers
    unnamed: Mapping[int, tuple[str, ...]]
    file: str
    called: str

    @cached_property
    def sure(self) -> frozenset[str]:
        """Names that are no words, so that they are those of columns wherever they stand."""
        return frozenset({name for tier in self.ids for name in tier if not name.isalpha()} | {"qid", "docno", "pid"})

    @property
    def roles(self) -> tuple[str, ...]:
        """What a user can say of columns."""
        return (self.what, "title", "text") if self.titles else (self.what, "text")

    def checked(self, columns: Mapping[str, str]) -> dict[str, str]:
        """What a user says of columns; numbers of columns become text.

        Raises:
            UsageError: `unknown-setting`.

        """
        unknown = [role for role in columns if role not in self.roles]
        if unknown:
            raise UsageError("unknown-setting", f"columns: {quoted(unknown)} is not one of {' '.join(self.roles)}")
        for role, column in columns.items():
            if not isinstance(column, str | int) or column == "":
                raise UsageError("unknown-setting", f"columns: {role}={column!r} is not the name of a column")
        return {role: str(column) for role, column in columns.items()}

    def is_header(self, cells: Sequence[str], columns: Mapping[str, str]) -> bool:
        """Whether these are names of columns: one that means nothing else, or several that could be a text as well."""
        said = [name for name in columns.values() if not name.isdecimal()]
        if said:
            return not set(said).isdisjoint(cells)
        names = [cell.lower() for cell in cells]
        plain = {name for tier in self.ids for name in tier}
        known = plain | {name for tier in (*self.texts, *self.titles) for name in tier}
        found = [name for name in names if name in known]
        sure = any(name in self.sure for name in names)
        return not plain.isdisjoint(names) and (sure or names[0] in known or len(found) > 1)

    def chosen(self, names: Sequence[Any], columns: Mapping[str, str], where: str, noun: str) -> Names:
        """Which column holds what.

        Args:
            names: of all columns; text, except in pandas.
            columns: which holds what, as the user says.
            where: the table, for messages.
            noun: what messages call its columns.

        Raises:
            InputError: `frame-columns`.

        """
        listed = f"the {noun}s are {quoted(names, 8)}" if names else f"there are no {noun}s"
        held: dict[str, Any] = {}
        for role, tiers in ((self.what, self.ids), ("text", self.texts), ("title", self.titles)):
            free = [name for name in names if name not in held.values() and str(name) not in columns.values()]
            if role in columns:
                found = [name for name in names if str(name) == columns[role]]
                if not found:
                    text = f"{where}: there is no {noun} {quoted([columns[role]])}; {listed}"
                    raise InputError("frame-columns", text, remedy="names are those in the file, to the letter")
            else:
                sets = ([name for name in free if str(name).lower() in tier] for tier in tiers)
                found = next(filter(None, sets), [])
            if len(found) > 1:
                text = f"{where}: {quoted(found)} could all be the {role} {noun}; {listed}"
                remedy = f"keep one of them, or say which it is: {self.said(role, str(found[0]))}"
                raise InputError("frame-columns", text, remedy=remedy)
            held[role] = found[0] if found else None
        for role, there in ((self.what, held[self.what]), ("text", (held["text"], held["title"]))):
            if there is None or (there == (None, None) and self.titles):
                text = f"{where}: there is no {role} {noun}; {listed}"
                remedy = f"rename it to {role}, or say which it is: {self.said(role, 'NAME')}"
                raise InputError("frame-columns", text, remedy=remedy)
        return Names(held[self.what], held["text"], held["title"])

    @staticmethod
    def said(role: str, name: str) -> str:
        """How a user says which column holds what."""
        return f"--columns {role}={quoted([name])}, in Python columns={{{role!r}: {name!r}}}"


def _ids(what: str, *more: str) -> tuple[str, ...]:
    """The usual names of ids that mean nothing else."""
    return (*(name for name in SPELLINGS[what] if name not in {*_MAY_BE_TEXT, "docno"}), *more)


QUERIES: Final = Kind(
    what="query",
    ids=(
        _ids("query", "queryid", "topic-id", "topicid", "query_number", "topic_number"),
        (*RECORD, "number", "num"),
        *(("topic",), ("query",), _USERS, _TEXTS),
    ),
    texts=(
        *(("text", "querytext", *_TEXTS), ("query",), ("question",), ("title",), ("topic",)),
        ("contents", "content", "body", "utterance", "description"),
    ),
    titles=(),
    unnamed={2: ("query", "text")},
    file="queries.jsonl",
    called="the queries",
)
DOCUMENTS: Final = Kind(
    what="document",
    ids=(("docno",), _ids("document", "doc-id", "passage_id", "passage-id"), RECORD, ("document",), ("item",)),
    texts=(
        ("text", "document_text", "doc_text", "passage_text"),
        ("contents", "content", "body", "passage", "segment"),
        *(("document",), ("item",), ("abstract",)),
    ),
    titles=(("title",), ("headline",)),
    unnamed={2: ("document", "text"), 4: ("document", "", "title", "text")},
    file="corpus.jsonl",
    called="the documents",
)

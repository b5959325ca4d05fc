"""Rules that rename documents, for instance ids of chunks to ids of their documents.

A rule cuts ids at a separator, takes the part that the group of a pattern matches, or looks them up in a table. An id
that a rule does not fit stays as it is. Documents of one query that become the same are duplicates as any others are.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Self

from rankworth.errors import InputError, UsageError, quoted

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.facts import Observed

_NO_TABLE: Final[Mapping[str, str]] = MappingProxyType({})
_SIGNS: Final = re.compile(r"[%|;\s\x00-\x1f\x7f]")
"""what would end a part of a signature"""
_SAMPLE: Final = 1000
_BEGINNING: Final = re.compile(r"^[\W_]+")
_END: Final = re.compile(r"[\W_]+$")
"""signs at the edge of a suffix, and of a prefix"""
OPTIONS: Final = ("ids", "qrels_ids", "run_ids", "collapse", "sources")
"""keywords that give rules"""


@dataclass(frozen=True)
class IdRule:
    """How ids of documents are renamed; equal where two rules rename alike.

    Attributes:
        label: what signatures say: the separator, the pattern, or the size and a digest of the table.
        separator: ids end before its first occurrence.
        pattern: a regular expression, of which one group matches the new id.
        table: the new id of each id.
        option: the keyword with which it was given.
        may_be_idle: whether it is no error that an input has no id that it fits, since it is for others, too.
        is_shared: whether it is for several runs, of which one has to have an id that it fits.

    """

    label: str
    separator: str = ""
    pattern: str = ""
    table: Mapping[str, str] = field(default_factory=lambda: _NO_TABLE, compare=False, repr=False)
    option: str = field(default="ids", compare=False)
    may_be_idle: bool = field(default=False, compare=False)
    is_shared: bool = field(default=False, compare=False)
    is_of_sources: ClassVar[bool] = False
    """whether documents are texts, or spans, of sources, and become ids of spans"""

    @classmethod
    def of_text(cls, text: str, option: str) -> Self:
        """Make a rule of a separator, or of a pattern, which has a group.

        Raises:
            UsageError: `unknown-setting`.

        >>> IdRule.of_text("#", "ids").separator, IdRule.of_text("(.*)_[0-9]+", "ids").pattern
        ('#', '(.*)_[0-9]+')
        """
        try:
            groups = re.compile(text).groups
        except re.error:
            groups = 0
        if not text or groups > 1:
            problem = f"has {groups} groups, and the new id is one of them" if text else "is an empty text"
            remedy = f"a separator, at which ids are cut, {_typed(option, '#')}\n"
            remedy += f"or a pattern with one group, which is the new id: {_typed(option, '(.*)_[0-9]+')}\n"
            remedy += "(?:...) is no group"
            raise UsageError("unknown-setting", f"{_typed(option, text)}: {text!r} {problem}", remedy=remedy)
        label = _SIGNS.sub(lambda match: f"%{ord(match[0]):02X}", text)
        if not groups:
            return cls(label, separator=text, option=option)
        rule = cls(label, pattern=text, option=option)
        rule._check_pattern()
        return rule

    @classmethod
    def of_table(cls, table: Mapping[str, str], option: str) -> Self:
        """Make a rule of a table."""
        lines = sorted(f"{old}\t{new}\n" for old, new in table.items())
        digest = hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
        return cls(f"{len(table)}-{digest[:8]}", table=table, option=option)

    def _check_pattern(self) -> None:
        """Refuse a pattern that the data frame library cannot follow.

        Raises:
            UsageError: `unknown-setting`.

        """
        import polars as pl  # noqa: PLC0415 - not needed for separators

        try:
            pl.Series([""]).str.extract(self.pattern, 1)
        except pl.exceptions.ComputeError:
            text = (
                f"{_typed(self.option, self.pattern)}: what looks ahead or behind, or back at a group, is not supported"
            )
            raise UsageError(
                "unknown-setting", text, remedy="write the pattern without (?=...), (?<=...) and \\1"
            ) from None

    def idle_where_unfit(self) -> Self:
        """Return this rule for an input in which no id has to fit it."""
        return replace(self, may_be_idle=True)

    def shared(self) -> Self:
        """Return this rule for each of several runs."""
        return replace(self, may_be_idle=True, is_shared=True)

    def renamed(self, documents: "pl.Series", name: str) -> "pl.Series":
        """Return the new ids of documents.

        Args:
            documents: their ids.
            name: of the input, for messages.

        Raises:
            InputError: `missing-value`, where an id becomes an empty text.

        """
        import polars as pl  # noqa: PLC0415 - not needed where nothing is renamed

        ids = documents.cast(pl.String)
        if self.separator:
            new = ids.str.splitn(self.separator, 2).struct.field("field_0")
        elif self.pattern:
            new = ids.str.extract(self.pattern, 1).fill_null(ids)
        else:
            new = ids.replace(list(self.table), list(self.table.values()))
        if (new == "").any():
            text = f"{name}: {self.typed} makes an empty id of {quoted([ids.filter(new == '')[0]])}"
            raise InputError("missing-value", text, remedy="name a rule that leaves a part of each id")
        return new.alias(documents.name)

    def batches(self, frames: "Iterator[pl.DataFrame]", name: str, observed: "Observed") -> "Iterator[pl.DataFrame]":
        """Rename the documents of frames, and note whether any was renamed.

        Args:
            frames: with a column `document`.
            name: of the input, for messages.
            observed: gets to know whether a document was renamed.

        Raises:
            InputError: `unused-ids` behind the last frame, where the rule fits none; `missing-value`.

        """
        ids: list[str] = []
        for frame in frames:
            document = frame["document"]
            new = self.renamed(document, name)
            if not observed.facts.renamed and (new != document.cast(new.dtype)).any():
                observed.note(renamed=True)
            ids = ids or new.head(_SAMPLE).to_list()
            yield frame.with_columns(new)
        if not observed.facts.renamed and not self.may_be_idle:
            raise self.unused(name, ids)

    def texts_of(self, documents: Sequence[str]) -> dict[str, str]:  # noqa: ARG002 - of sources alone
        """Return the texts of spans; none of other ids."""
        return {}

    @property
    def in_python(self) -> str:
        """How the rule is written in Python."""
        return f"{self.option}={self.label!r}"

    @property
    def typed(self) -> str:
        """How the rule is given, at either door."""
        value = self.separator or self.pattern
        return _typed(self.option, value) if value else f"--{self.option.replace('_', '-')}"

    def unused(self, name: str, ids: Sequence[str] = ()) -> InputError:
        """Return the error for an input without any id that fits the rule.

        Args:
            name: of the input.
            ids: some of its documents.

        """
        how = (
            f"no document has {self.separator!r} in its id"
            if self.separator
            else "no id of a document fits the pattern"
        )
        how = how if self.separator or self.pattern else "the table has none of its documents"
        has = f": {quoted(ids)}" if ids else ""
        remedy = "name what divides the ids, or leave the rule out where ids are those of documents"
        if self.separator and not self.separator.isalnum() and re.search(r"[\\\[.*+]", self.separator):
            remedy = (
                f"for a pattern, mark the new id with a group: {_typed(self.option, f'(.*){self.separator}')}\n{remedy}"
            )
        return InputError("unused-ids", f"{name}: {self.typed}; this changes nothing, as {how}{has}", remedy=remedy)


@dataclass(frozen=True)
class IdRules:
    """The rules for judgements and for runs; None where ids count as they are.

    Attributes:
        both: for all that names documents; None where a rule is for one side alone.
        qrels: for judgements.
        runs: for runs.

    """

    both: IdRule | None = None
    qrels: IdRule | None = None
    runs: IdRule | None = None

    def of_runs(self, number: int) -> IdRule | None:
        """Return the rule for each of a number of runs; where there are several, one of them has to have such ids."""
        return self.runs.shared() if self.runs is not None and number > 1 else self.runs

    @property
    def of_data(self) -> dict[str, IdRule]:
        """The rules for what stands beside judgements and runs, by argument."""
        runs = None if self.runs is None else self.runs.idle_where_unfit()
        of_pairs = runs if runs is not None and runs.is_of_sources else self.both
        rules = {"exclude": of_pairs, "forbidden": of_pairs, "expected_run": runs}
        rules |= dict.fromkeys(("history", "items"), self.both)
        return {name: rule for name, rule in rules.items() if rule is not None}


NO_RULES: Final = IdRules()


def _typed(option: str, value: str) -> str:
    """Write an option with its value, at either door."""
    return f"--{option.replace('_', '-')} {shlex.quote(value)}, in Python {option}={value!r}"


def rule_between(ids: Mapping[str, str], *, is_suffix: bool) -> str:
    """Return a rule that removes a suffix or a prefix to make ids equal, or None.

    Args:
        ids: the other id by each id.
        is_suffix: whether what is to go stands behind.

    >>> rule_between({"d1#0": "d1", "d2#14": "d2"}, is_suffix=True), rule_between({"w:1": "1"}, is_suffix=False)
    ('#', ':(.*)')
    >>> rule_between({"a_b_0": "a_b", "c_d_1": "c_d"}, is_suffix=True)
    '(.*)_'
    """
    if any(old.split() != [old] for old in ids):
        return ""  # several ids
    affixes = [old[len(new) :] if is_suffix else old[: len(old) - len(new)] for old, new in ids.items()]
    edges = [(_BEGINNING if is_suffix else _END).search(affix) for affix in affixes]
    signs = {"" if edge is None else edge[0] for edge in edges}
    for sign in (*signs, *affixes) if len(signs) == 1 and "" not in signs else affixes[:1]:
        escaped = re.escape(sign)
        rules = {sign: f"(.*?){escaped}", f"(.*){escaped}": f"(.*){escaped}"} if is_suffix else {}
        for rule, pattern in rules.items() if is_suffix else [(f"{escaped}(.*)",) * 2]:
            found = [re.search(pattern, old) for old in ids]
            if all(match is not None and match[1] == new for match, new in zip(found, ids.values(), strict=True)):
                return rule
    return ""

"""What a user says of ids of documents, at every door: a separator, a pattern, or a table of two columns."""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.io import frames, json_text, lines, signs, validate
from rankworth.io.id_rules import IdRule, IdRules
from rankworth.io.lines import HEAD, refuse_binary
from rankworth.io.paths import is_path
from rankworth.io.source import Source

_FLAGS: Final = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
_SUFFIXES: Final = (".tsv", ".csv", ".txt", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".gz")
_TWO: Final = 2
"""columns of a table: an id, and the id that it becomes"""


def rules_of(given: Mapping[str, Any]) -> IdRules:
    """Read rules by the keywords with which they were given.

    Args:
        given: `ids`, `qrels_ids`, `run_ids`, `collapse`, `sources`; None where nothing is said.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options` where a side has two rules.
        InputError: where a table cannot be read.

    """
    rules = {name: rule_of(value, name) for name, value in given.items() if value is not None}
    if "sources" in rules and len(rules) > 1:
        raise _both_named(list(rules))
    for pair in (("ids", "qrels_ids"), ("ids", "run_ids"), ("ids", "collapse"), ("run_ids", "collapse")):
        if rules.keys() >= {*pair}:
            raise _same_documents(quoted(pair), "give one of the two")
    if "sources" in rules:
        return IdRules(None, rules["sources"], rules["sources"])
    both = rules["ids"].idle_where_unfit() if "ids" in rules else None
    return IdRules(both, rules.get("qrels_ids", both), rules.get("run_ids", rules.get("collapse", both)))


def rule_for_documents(ids: object, sources: object) -> IdRule:
    """Read the rule for the documents of judgements or a run, which have one of the two.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options`.
        InputError: where a table or sources cannot be read.

    """
    if ids is not None and sources is not None:
        raise _both_named(["ids", "sources"])
    return rule_of(ids, "ids") if sources is None else rule_of(sources, "sources")


def single_rule(given: Mapping[str, object]) -> IdRule | None:
    """Read the only rule for the documents of a file; None where none is named.

    Args:
        given: `ids`, `collapse`, `sources`; None where nothing is said.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options`.
        InputError: where a table or sources cannot be read.

    """
    rules = {name: value for name, value in given.items() if value is not None}
    if len(rules) > 1:
        raise _same_documents(" and ".join(rules), "give one of them")
    return next((rule_of(value, name) for name, value in rules.items()), None)


def _same_documents(rules: str, remedy: str) -> UsageError:
    """Return the error for several rules of the same documents."""
    text = f"{rules} are rules for the ids of the same documents"
    return UsageError("conflicting-options", text, remedy=remedy)


def _both_named(names: Sequence[str]) -> UsageError:
    """Return the error for rules for ids beside sources."""
    text = f"{' and '.join(names)} both say what becomes of the same documents"
    return UsageError("conflicting-options", text, remedy="spans of sources have no ids of their own: leave out ids")


def rule_of(value: object, option: str) -> IdRule:
    """Read a rule: a separator, a pattern with one group, or a table of two columns.

    Args:
        value: a text; a compiled pattern; a path; a dict `{old: new}`, rows or a frame of two columns; for `sources`
            what `source_texts.read` reads.
        option: the keyword with which it is given.

    Raises:
        UsageError: `unknown-setting`.
        InputError: where a table cannot be read.

    >>> rule_of({"a-1": "a"}, "ids").table, rule_of("#", "ids").label
    ({'a-1': 'a'}, '#')
    """
    if isinstance(value, IdRule):
        return value
    if option == "sources":
        from rankworth.io.source_texts import SourceRule  # noqa: PLC0415 - rarely needed

        return SourceRule.of(value)
    if isinstance(value, re.Pattern):
        flags = "".join(letter for flag, letter in _FLAGS.items() if value.flags & flag)
        if isinstance(value.pattern, str):
            return IdRule.of_text(f"(?{flags}){value.pattern}" if flags else value.pattern, option)
    is_file = isinstance(value, os.PathLike) or (
        isinstance(value, str) and (Path(value).suffix in _SUFFIXES or _is_file(value))
    )
    if isinstance(value, str) and not is_file:
        return IdRule.of_text(value, option)
    if value is None or isinstance(value, bytes | int | float | re.Pattern):
        text = f"{option}={value!r}: a rule for ids is a separator, a pattern with one group, or a table of two columns"
        raise UsageError("unknown-setting", text, remedy=f"as in {option}='#'")
    return IdRule.of_table(_table(value), option)


def _is_file(text: str) -> bool:
    """Return whether a text names a file that is there."""
    return len(text) > 1 and "\0" not in text and Path(text).is_file()


def _table(source: object) -> dict[str, str]:
    """Read the new id of each id.

    Raises:
        InputError: `frame-columns`, `input-type`, `missing-value`, and where the file cannot be read.

    """
    table: dict[str, str] = {}
    for where, cells in _of_file(Source(os.fsdecode(source))) if is_path(source) else _of_object(source):
        if len(cells) != _TWO:
            text = (
                f"{where}: {counted(len(cells), 'column', 'columns')}, and a table of ids has 2: an id, and its new id"
            )
            raise InputError("frame-columns", text, remedy="leave the others out")
        old, new = (validate.text(cell, where) for cell in cells)
        if not (old and new):
            raise InputError("missing-value", f"{where}: an id is empty: {old!r} becomes {new!r}")
        if table.setdefault(old, new) != new:
            text = f"{where}: {quoted([old])} becomes {quoted([new])}, and {quoted([table[old]])} before"
            raise InputError("input-type", text, remedy="keep one row for each id")
    return table


Cells = Iterator[tuple[str, Sequence[Any]]]
"""Rows, each with what messages call it."""


def _of_file(source: Source) -> Cells:
    """Read the rows of a file: Parquet, Arrow, JSON, JSON lines, or lines of two cells."""
    head = source.head(HEAD)
    form = next((form for magic, form in signs.MAGIC.items() if head.startswith(magic)), "")
    if form in ("parquet", "arrow"):
        import polars as pl  # noqa: PLC0415 - not needed for text

        frame = pl.read_parquet(source.path) if form == "parquet" else pl.read_ipc(source.path)
        return ((f"{source.name}: row {row}", cells) for row, cells in enumerate(frame.iter_rows(), 1))
    if head.lstrip()[:1] in (b"{", b"["):
        try:
            value = orjson.loads(source.whole())
        except orjson.JSONDecodeError:
            parsed = ((number, json_text.parsed(line, source, number)) for number, line in lines.numbered(source))
            return ((f"{source.name}:{number}", _fields(value)) for number, value in parsed)
        return _of_object(value, source.name)
    refuse_binary(source, head)
    numbered = ((number, lines.decoded(source, line.strip(), number)) for number, line in lines.numbered(source))
    return ((f"{source.name}:{number}", _split(line)) for number, line in numbered if line)


def _split(line: str) -> list[str]:
    """Split a line at tabs, at commas or at blanks."""
    if "\t" in line:
        return line.split("\t")
    return next(csv.reader([line], skipinitialspace=True)) if "," in line else line.split()


def _of_object(source: Any, name: str = "the table of ids") -> Cells:  # noqa: ANN401 - a dict, rows or a frame
    """Read the rows of a dict by id, of rows, or of a frame."""
    if isinstance(source, Mapping):
        return ((f"{name}: {key!r}", (key, value)) for key, value in source.items())
    if frames.is_frame(source):
        import narwhals as nw  # noqa: PLC0415 - not needed for files

        source = nw.from_native(source).lazy().collect().iter_rows()
    if not isinstance(source, Iterable):
        text = f"{name}: {type(source).__name__} is no table"
        raise InputError("input-type", text, remedy="give a dict {id: new id}, a path, or a frame of two columns")
    return ((f"{name}: row {row}", _fields(item)) for row, item in enumerate(source))


def _fields(item: Any) -> Sequence[Any]:  # noqa: ANN401 - whatever stands there
    """Return the cells of a row."""
    if isinstance(item, Mapping):
        return list(item.values())
    return list(item) if isinstance(item, list | tuple) else [item]

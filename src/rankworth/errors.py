"""Everything rankworth refuses or doubts, in one tree; each entry has a slug, and each slug a page in `docs/errors/`.

RankworthError (ValueError)
├── InputError      judgements, runs and scores that cannot be trusted
│   └── RefusedError    what a setting, or the tool whose conventions are followed, refuses
├── MeasureError    names, parameters and definitions of measures
└── UsageError      a call or a command that asks for something that cannot be
    └── NotMeasuredError (KeyError)     a measure or a run that a result does not hold
RankworthWarning (UserWarning)

A message states the fact, the place and the remedy, and ends with the slug in brackets.
"""

import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Any, Final, Literal, Self

Severity = Literal["error", "warning", "note"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

KEEP: Final = "rankworth evaluate QRELS RUN -q -o"
"""the command that writes a results file, where judgements and run are not known; its path comes next"""


class RankworthError(ValueError):
    """What all errors of rankworth have in common.

    Attributes:
        slug: the stable short name of the first problem, a key of `slugs()`.
        slugs: one slug per problem.
        problems: one text per problem, without the slug; a file may have several at once.
        more: how many further problems were found but are not shown.
        remedy: what to do about it.
        typed: the message with the remedies of the command line; the message itself has those of Python.

    """

    def __init__(self, slug: str, *problems: str, slugs: Sequence[str] = (), more: int = 0, remedy: str = "") -> None:
        """Make an error from its problems; `slugs` where the problems are of different kinds."""
        self.slugs = tuple(slugs) or (slug,) * len(problems)
        self.slug = checked_slug(slug)
        self.more = more
        self.problems, self.remedy = problems, remedy = tuple(map(escaped, problems)), escaped(remedy)
        lines = [f"{problem}   [{checked_slug(kind)}]" for problem, kind in zip(problems, self.slugs, strict=True)]
        if more:
            lines.append(f"... and {more:,} more")
        lines.extend(f"  {line}" for line in remedy.splitlines())
        text = "\n".join(lines)
        self.typed = on_command_line(text)
        super().__init__(in_python(text))

    @classmethod
    def together(cls, errors: Sequence["RankworthError"]) -> Self:
        """Join several errors in one."""
        return cls(
            errors[0].slug,
            *(problem for error in errors for problem in error.problems),
            slugs=[slug for error in errors for slug in error.slugs],
            more=sum(error.more for error in errors),
            remedy="\n".join(dict.fromkeys(error.remedy for error in errors if error.remedy)),
        )

    def with_remedy(self, remedy: str) -> Self:
        """Return an error with these problems and another remedy."""
        return type(self)(self.slug, *self.problems, slugs=self.slugs, more=self.more, remedy=remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs to copy the whole error."""
        kind = partial(type(self), slugs=self.slugs, more=self.more, remedy=self.remedy)
        return kind, (self.slug, *self.problems)


class InputError(RankworthError):
    """Judgements, a run or scores that cannot be trusted; no number is given for them."""


def not_text(location: str) -> InputError:
    """Build the error for half of a surrogate pair, which neither files nor frames hold.

    Args:
        location: where it is.

    """
    remedy = "read the ids as UTF-8 where they come from"
    return InputError("id-type", f"{location} is no valid text: half of a surrogate pair is in it", remedy=remedy)


class RefusedError(InputError):
    """An input refused by a setting, or by the tool of the conventions.

    Attributes:
        setting: the name of the setting.
        refused: what it refuses, and where.
        says: what the tool does or says, if a tool refuses it.

    """

    def __init__(self, setting: str, refused: str, says: str = "", remedy: str = "") -> None:
        """Make an error from the refused setting, and the tools that refuse it."""
        self.setting = setting
        self.refused = refused
        self.says = says
        words = {"grades": "=whole", "query_ids": "=numbers", "highest": "", "fewest": ""}
        refuses = f"{setting}{words.get(setting, '=error')}"
        text = f"{says} (here: {refused})" if says else f"{refuses}: {refused}"
        super().__init__("refused-input", text, remedy=remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs to copy the whole error."""
        return type(self), (self.setting, self.refused, self.says, self.remedy)


class MeasureError(RankworthError):
    """A name, a parameter or a definition of a measure that means nothing."""


class UsageError(RankworthError):
    """A call or a command that cannot be carried out."""


class NotMeasuredError(UsageError, KeyError):
    """A measure or a run that a result does not hold; a `KeyError`, as mappings raise it."""

    __str__ = ValueError.__str__

    @classmethod
    def of(cls, measure: object, have: Sequence[str], error: RankworthError | None = None) -> "NotMeasuredError":
        """Build the error for a measure that is not among others.

        Args:
            measure: what was looked for.
            have: the names of the measures that are there.
            error: why this is no measure, where it is none.

        """
        import shlex  # noqa: PLC0415 - only for a message
        from difflib import get_close_matches  # noqa: PLC0415 - as above

        present = f"there are {' '.join(have)}" if have else "no measure was"
        like = get_close_matches(str(measure), have, n=1)
        meant = f"; did you mean {like[0]}?" if like else ""
        fact = error.problems[0] if error else f"{measure} was not measured"
        remedy = (
            "" if error or like else f"measure it, too: -m {shlex.quote(str(measure))}, in Python [{str(measure)!r}]"
        )
        return cls("not-measured", f"{fact}{meant}; {present}", remedy=remedy)


class RankworthWarning(UserWarning):
    """A number that is right but easily misread; `slug` as for errors."""

    def __init__(self, slug: str, text: str) -> None:
        """Make a warning from its slug and text."""
        self.slug = checked_slug(slug)
        self.text = escaped(text)
        super().__init__(in_python(f"{self.text}   [{slug}]"))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs to copy the whole warning."""
        return type(self), (self.slug, self.text)


def are_warnings_shown() -> bool:
    """Return whether some `RankworthWarning` would be shown, recorded or raised by the filters of `warnings`."""
    if getattr(sys.flags, "context_aware_warnings", False):  # filters of a context are not known then
        return True
    for action, message, category, module, line in warnings.filters:
        if issubclass(RankworthWarning, category):
            if action != "ignore":
                return True
            if message is None and module is None and not line:
                return False
    return True


def in_python(text: str) -> str:
    """Keep only the remedies of Python in a message, for readers who are there.

    A remedy for both is written `--option VALUE (keyword=value)`, `--option VALUE, in Python keyword=value`, or
    `keyword=value, on the command line --option`; the Python part may be a call, a list or a dict, or stand below.

    >>> in_python('leave them out with --answered-only (missing="skip")')
    'leave them out with missing="skip"'
    >>> in_python("say --run-format tsv, in Python format='tsv'; or not")
    "say format='tsv'; or not"
    """
    return _chosen(text, "python")


def on_command_line(text: str) -> str:
    """Keep only the remedies of the command line in a message.

    >>> on_command_line('leave them out with --answered-only (missing="skip")')
    'leave them out with --answered-only'
    >>> on_command_line("name them: {name: run, ...}, on the command line NAME=FILE")
    'name them: NAME=FILE'
    """
    return _chosen(text, "typed")


def _chosen(text: str, door: str) -> str:
    for pair in _PAIRS:
        text = pair.sub(lambda remedy: remedy[door], text)
    return text


_QUOTED: Final = r"'[^'\n]*'"
_DICT: Final = rf"\{{(?:{_QUOTED}|[^}}'\n])*\}}"
_VALUE: Final = rf"""(?:{_QUOTED}|"[^"\n]*"|\[[^\]\n]*\]|{_DICT}|[\w.-]+)"""
_CALL: Final = r"(?:rankworth\.)?[A-Za-z_]\w*\((?:[^()\n]|\([^()\n]*\))*\)"
_KEYWORD: Final = rf"\w+={_VALUE}(?: or {_VALUE})?"
_EXPRESSION: Final = rf"(?:(?:\w+=)?{_CALL}|{_KEYWORD}|rankworth\.[\w.]+|\[[^\]\n]*\]|{_DICT})"
"""a call, a keyword with a call or another value, a name, a list or a dict"""
_PAIRS: Final = tuple(
    map(
        re.compile,
        (
            r"(?P<typed>--[a-z][a-z-]*(?: (?!-)[^\s()]+)?) \((?P<python>\w+=[^()]*)\)",
            rf"(?P<typed>(?:--?[a-z]|\brankworth )(?:{_QUOTED}|[^\n;])*?)[,\n] *in Python (?P<python>{_EXPRESSION})",
            rf"(?P<python>{_EXPRESSION}), on the command line (?P<typed>[^\n;]+)",
        ),
    )
)
"""remedies of both doors"""


@cache
def catalogue() -> Mapping[str, tuple[Severity, str]]:
    """Return each slug, with its severity and what it means in one line."""
    from importlib.resources import files  # noqa: PLC0415 - only where something is wrong
    from tomllib import loads  # noqa: PLC0415 - as above

    severities: Any = loads((files("rankworth") / "errors.toml").read_text("utf-8"))
    return {slug: (severity, meaning) for severity, each in severities.items() for slug, meaning in each.items()}


def slugs() -> Mapping[str, str]:
    """Return each slug and what it means in one line."""
    return {slug: meaning for slug, (_, meaning) in catalogue().items()}


def checked_slug(slug: str) -> str:
    """Return the slug itself; raise `KeyError` if the catalogue lacks it: each slug has a page."""
    if slug not in catalogue():
        raise KeyError(slug)
    return slug


def escaped(text: str) -> str:
    r"""Spell out control characters in a text, but for line ends and tabs: none reaches a terminal.

    >>> escaped("d\x1b[2J")
    'd\\x1b[2J'
    """
    return text if text.isprintable() else _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def counted(number: int, singular: str = "query", plural: str = "queries") -> str:
    """Count queries, or something else, in words.

    >>> counted(1), counted(1200), counted(1, "row", "rows")
    ('1 query', '1,200 queries', '1 row')
    """
    return f"{number:,} {singular if number == 1 else plural}"


def quoted(items: Iterable[object], shown: int = 3) -> str:
    """List the first few items, in quotes where they would mislead without, and dots if there are more.

    >>> quoted(["q1", "q 2", "q3", "q4"])
    "q1 'q 2' q3 ..."
    """
    texts = list(map(str, islice(items, shown + 1)))
    first = [text if text.isprintable() and text and " " not in text else repr(text) for text in texts[:shown]]
    return " ".join(map(shortened, first)) + (" ..." if len(texts) > shown else "")


def shortened(text: str, length: int = 100) -> str:
    """Shorten a text to its beginning and three dots where it is longer than fits into a message.

    >>> shortened("a long story", 9)
    'a long...'
    """
    return text if len(text) <= length else text[: length - 3] + "..."

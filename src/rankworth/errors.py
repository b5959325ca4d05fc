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
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, Self

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

SLUGS: Final = {
    # files
    "missing-file": "there is no such file",
    "is-directory": "a file is needed, this is a directory",
    "unreadable-file": "the operating system refuses to read the file",
    "empty-input": "there is not a single line or row",
    "binary-file": "the file is not text",
    "wrong-encoding": "the text is not UTF-8",
    "line-ends": "lines end in CR alone, or not all alike",
    "endless-line": "a line or a record does not end where it should",
    "truncated-file": "a compressed or binary file ends early or is damaged",
    "changed-file": "a file is written to while it is read, or between two readings",
    "bad-json": "the text is no JSON, or is cut off",
    "bad-quotes": "a quoted cell is not closed, or goes on after its quote",
    "run-columns": "a line of a run has too few or too many columns",
    "qrels-columns": "a line of judgements has too few or too many columns",
    "one-stdin": "standard input can be read once only",
    "bad-results": "the file holds no results, or its parts do not belong together",
    "older-results": "an older version of rankworth wrote the results, and nothing tells whether they were edited",
    "newer-results": "a later version of rankworth wrote the results",
    "means-only": "the results hold means and not the values of queries",
    # what is in them
    "rank-or-score": "numbers may be ranks or scores",
    "ambiguous-order": "the scores of a list contradict its order",
    "bad-score": "a score is not a number",
    "bad-grade": "a grade is not a finite number",
    "bad-weight": "a weight is not a finite number from 0, or all weights are 0",
    "missing-value": "an id, a score or a grade is missing, or the weight or group of a query",
    "duplicate-document": "a query ranks the same document twice",
    "duplicate-judgement": "a query judges the same document twice",
    "id-type": "an id is neither text nor an integer",
    "padded-id": "blanks stand around an id",
    "frame-columns": "a table lacks a column, or has two for the same thing",
    "input-type": "the input is nothing that can be read, or could be read in two ways",
    "failed-queries": "the search engine answered with errors",
    "nested-runs": "a dict of runs was given where one run is expected",
    "no-common-pairs": "two judges have no document in common",
    "many-grades": "there are more different grades than can be counted",
    "tied-ranking": "a coefficient is not defined for rankings with ties",
    "not-conjoint": "two rankings do not hold the same documents",
    "no-common-queries": "no query of the run is judged",
    "unjudged-queries": "queries were asked for that nobody judged",
    "unknown-query": "a query is neither judged nor in the run",
    "unanswered-query": "the run has nothing for a query that is to be explained",
    "unknown-document": "a document is neither judged nor retrieved for the query",
    "refused-input": "a setting, or the tool whose conventions are followed, refuses the input",
    # measures
    "unknown-measure": "no measure has this name",
    "measure-syntax": "the text is not the name of a measure",
    "unknown-parameter": "the measure has no such parameter",
    "bad-parameter": "the value does not suit the parameter",
    "bad-cutoff": "a cutoff is a whole number from 1",
    "grade-above-maximum": "a grade exceeds the maximum that the measure assumes",
    "bad-definition": "a definition of a measure cannot be used",
    "duplicate-measure": "a measure of this name exists",
    "no-measures": "not one measure was asked for",
    # calls and commands
    "not-measured": "the result holds no such measure",
    "not-comparable": "two numbers were not made alike",
    "changed-judgements": "stored values were measured by other judgements",
    "changed-queries": "systems have values for different queries, and a gate is to decide",
    "bad-gate": "the text is no gate",
    "bad-signature": "the text is no signature",
    "unknown-setting": "a setting has no such value",
    "conflicting-options": "two options contradict each other",
    "unknown-format": "a format is unknown, cannot be told, or is not that of the file",
    "unwritable-output": "the output cannot be written",
    "run-names": "two runs would have the same name",
    "missing-library": "an optional library is not installed",
    "bad-plugin": "a plugin cannot be imported",
    "untrusted-plugin": "the plugins of a project were not run, as its file is not trusted",
    "bad-config": "the configuration cannot be used",
    # warnings
    "known-defect": "the tool whose conventions are followed has this number wrong",
    "unspecified-order": "the tool whose conventions are followed leaves the order of ties open",
    "no-common-documents": "not one retrieved document is judged for its query",
    "nothing-excluded": "none of the pairs to leave out is there",
    "similar-ids": "ids of the judgements and the run differ in their form only",
    "blank-grade": "judgements have no grade",
    "many-unanswered": "the run leaves many judged queries without results",
    "nothing-relevant": "no grade reaches the threshold of a measure",
    "all-relevant": "even the lowest grade counts as relevant",
    "shallow-run": "a run is shallower than a cutoff",
    "one-subtopic": "a measure over subtopics finds no query with more than one",
    "best-of-subtopics": "a measure that knows no subtopics takes the best grade of each document",
    "one-sided-judgements": "one system has many more unjudged documents than another",
    "many-ties": "means depend on the order of documents with equal scores",
    "rounded-scores": "scores are so large that different integers are one floating-point number",
    "columns-only": "score matrices hold the top k only, and relevant documents outside of them are not known",
    "dominant-grade": "high agreement and low kappa, as most documents have one grade",
    "judged-by-one": "many pairs are judged by one of two judges only",
    "few-items": "few items say little about a correlation",
    "few-queries": "there are too few queries for what is looked for",
    "missing-font": "no font has the letters of a label",
}
"""Each slug and what it means in one line."""
KEEP: Final = "rankworth evaluate QRELS RUN -q -o"
"""the command that writes a results file, where judgements and run are not known; its path comes next"""


class RankworthError(ValueError):
    """What all errors of rankworth have in common.

    Attributes:
        slug: the stable short name of the first problem, a key of `SLUGS`.
        slugs: one slug per problem.
        problems: one text per problem, without the slug; a file may have several at once.
        more: how many further problems were found but are not shown.
        remedy: what to do about it.
        typed: the message with cures as they are typed on the command line first.

    """

    def __init__(self, slug: str, *problems: str, slugs: Sequence[str] = (), more: int = 0, remedy: str = "") -> None:
        """Say what is wrong; `slugs` where the problems are of different kinds."""
        self.slugs = tuple(slugs) or (slug,) * len(problems)
        self.slug = known(slug)
        self.more = more
        self.problems, self.remedy = problems, remedy = tuple(map(escaped, problems)), escaped(remedy)
        lines = [f"{problem}   [{known(kind)}]" for problem, kind in zip(problems, self.slugs, strict=True)]
        if more:
            lines.append(f"... and {more:,} more")
        lines.extend(f"  {line}" for line in remedy.splitlines())
        self.typed = "\n".join(lines)
        super().__init__(in_python(self.typed))

    @classmethod
    def together(cls, errors: Sequence["RankworthError"]) -> Self:
        """Several errors as one."""
        return cls(
            errors[0].slug,
            *(problem for error in errors for problem in error.problems),
            slugs=[slug for error in errors for slug in error.slugs],
            more=sum(error.more for error in errors),
            remedy="\n".join(dict.fromkeys(error.remedy for error in errors if error.remedy)),
        )

    def with_remedy(self, remedy: str) -> Self:
        """The same problems with another remedy."""
        return type(self)(self.slug, *self.problems, slugs=self.slugs, more=self.more, remedy=remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes whole."""
        kind = partial(type(self), slugs=self.slugs, more=self.more, remedy=self.remedy)
        return kind, (self.slug, *self.problems)


class InputError(RankworthError):
    """Judgements, a run or scores that cannot be trusted, so that no number is given for them."""


class RefusedError(InputError):
    """An input that a setting, or the tool whose conventions are followed, refuses.

    Attributes:
        setting: the name of the setting.
        refused: what it refuses, and where.
        says: what the tool does or says, if a tool refuses it.

    """

    def __init__(self, setting: str, refused: str, says: str = "", remedy: str = "") -> None:
        """Say what is refused."""
        self.setting = setting
        self.refused = refused
        self.says = says
        refuses = {
            "grades": "grades=whole",
            "query_ids": "query_ids=numbers",
            "highest": "highest",
            "fewest": "fewest",
        }.get(setting, f"{setting}=error")
        text = f"{says} (here: {refused})" if says else f"{refuses}: {refused}"
        super().__init__("refused-input", text, remedy=remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes whole."""
        return type(self), (self.setting, self.refused, self.says, self.remedy)


class MeasureError(RankworthError):
    """A name, a parameter or a definition of a measure that means nothing."""


class UsageError(RankworthError):
    """A call or a command that asks for something that cannot be."""


class NotMeasuredError(UsageError, KeyError):
    """A measure or a run that a result does not hold; a `KeyError`, as mappings raise it."""

    __str__ = ValueError.__str__

    @classmethod
    def of(cls, measure: object, have: Sequence[str], error: RankworthError | None = None) -> "NotMeasuredError":
        """The error for a measure that is not among others.

        Args:
            measure: what was looked for.
            have: the names of the measures that are there.
            error: why this is no measure, where it is none.

        """
        from difflib import get_close_matches  # noqa: PLC0415 - only for a message

        there = f"there are {' '.join(have)}" if have else "no measure was"
        like = get_close_matches(str(measure), have, n=1)
        meant = f"; did you mean {like[0]}?" if like else ""
        return cls("not-measured", f"{error.problems[0] if error else f'{measure} was not measured'}{meant}; {there}")


class RankworthWarning(UserWarning):
    """A number that is right but easily misread; `slug` as for errors."""

    def __init__(self, slug: str, text: str) -> None:
        """Say what deserves a second look."""
        self.slug = known(slug)
        self.text = escaped(text)
        super().__init__(in_python(f"{self.text}   [{slug}]"))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes whole."""
        return type(self), (self.slug, self.text)


def in_python(text: str) -> str:
    """A message whose cures are those of Python first, for readers who are there.

    >>> in_python('leave them out with --answered-only (missing="skip")')
    'leave them out with missing="skip" (--answered-only on the command line)'
    >>> in_python("say --run-format tsv, in Python format='tsv'")
    "say format='tsv' (on the command line --run-format tsv)"
    """
    text = _CURE.sub(r"\2 (\1 on the command line)", text)
    return _APART.sub(r"\2 (on the command line \1)", text)


_CURE: Final = re.compile(r"(--[a-z][a-z-]*(?: [\w.=]+)?) \((\w+=[^()]*)\)")
"""a cure as it is typed, and in Python"""
_APART: Final = re.compile(
    r"(--[^,\n(]+), in Python ((?:Run|Qrels)\([^\n]*\)|\w+=\{[^}\n]*\}|\w+='[^']*'(?: or '[^']*')?)"
)
"""the same in the longer form"""


def known(slug: str) -> str:
    """The slug itself; a `KeyError` where `SLUGS` does not have it, so that none goes without a page."""
    if slug not in SLUGS:
        raise KeyError(slug)
    return slug


def escaped(text: str) -> str:
    r"""Text in which control characters are spelled out, but for line ends and tabs: none reaches a terminal.

    >>> escaped("d\x1b[2J")
    'd\\x1b[2J'
    """
    return text if text.isprintable() else _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def counted(number: int, one: str = "query", several: str = "queries") -> str:
    """A number of queries, or of something else, in words.

    >>> counted(1), counted(1200), counted(1, "row", "rows")
    ('1 query', '1,200 queries', '1 row')
    """
    return f"{number:,} {one if number == 1 else several}"


def quoted(items: Iterable[object], shown: int = 3) -> str:
    """The first few items, in quotes where they would mislead without, and dots if there are more.

    >>> quoted(["q1", "q 2", "q3", "q4"])
    "q1 'q 2' q3 ..."
    """
    texts = list(map(str, islice(items, shown + 1)))
    first = [text if text.isprintable() and text and " " not in text else repr(text) for text in texts[:shown]]
    return " ".join(map(shortened, first)) + (" ..." if len(texts) > shown else "")


def shortened(text: str, length: int = 100) -> str:
    """The text, or its beginning and three dots where it is longer than fits into a message.

    >>> shortened("a long story", 9)
    'a long...'
    """
    return text if len(text) <= length else text[: length - 3] + "..."

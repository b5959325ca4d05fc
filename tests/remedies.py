"""Whatever a message proposes is tried on the user's own files and options, until a number comes out."""

import ast
import functools
import io
import itertools
import re
import shlex
import warnings
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import rankworth as rw
from rankworth.cli.app import app, main

PLACEHOLDER: Final = re.compile(r"=[A-Z]{2,}\b|(?<= )(?:FILE|FORMAT|GRADE|VALUE|NAME|PATH|N)\b|'PATH'|\.\.\.")
"""what only the user can fill in"""
_TOKEN: Final = re.compile(r"""(?:[^\s'"]|'[^'\n]*'|"[^"\n]*")+""")
_MOST: Final = 6
"""how many messages may follow each other before a number"""
_IN_PLACE: Final = "in place of "
"""before an option, or a keyword, that another one replaces"""
_SEVERAL: Final = ("columns", "qrels_columns", "run_columns", "grades")
"""keywords that hold several settings, which add up"""
_KEYWORD: Final = re.compile(
    r"""\b(?P<name>[a-z_]+)=(?P<value>\{(?:'[^'\n]*'|[^}'\n])*\}|\[[^\[\]\n]*\]|'[^'\n]*'|"[^"\n]*"|\d+(?:\.\d+)?|True)"""
)
_CALL: Final = re.compile(r"\b(?:rankworth\.)?(?P<side>Run|Qrels)\((?:[^()\n]|\([^()\n]*\))*\)")
_OTHER_CALL: Final = re.compile(r"\b[a-z_.]+\([^\n]*\)")
"""an example of a call, which is about no file of the user"""
NUMBER: Final = "a number"


_COLUMNS: Final = re.compile(r"the (?:columns|keys|fields) are ([^\n\[]*)")
"""the user's own names, of which one is to be put in for `NAME`"""
Options = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Command:
    """A command line as the user typed it, and the options that messages proposed."""

    typed: tuple[str, ...]
    options: Options = ()

    @property
    def words(self) -> list[str]:
        """What is typed now."""
        return [*self.typed, *(word for name, values in self.options for word in (name, *values))]

    def outcome(self) -> tuple[float | None, str]:
        """Return the mean of the first run by the first measure, None where there is none, and what is said."""
        out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings(action="ignore"):
            status = main(self.words)
        out.seek(0)
        rows = out.read().splitlines()
        value = rows[1].split("\t")[1] or "nan" if len(rows) > 1 and "\t" in rows[1] else "nan"
        return (float(value) if status == 0 else None), err.getvalue()

    def answer(self) -> str:
        """Return `NUMBER`, or the message."""
        value, message = self.outcome()
        return message if value is None else NUMBER

    def proposals(self, message: str) -> Iterator[list[Self]]:
        """Each way that a message proposes, added to what is typed; several where a name is to be chosen."""
        for line in message.splitlines()[1:]:
            for filled in chosen(line, message):
                ways = [list(_typed(text, takes(self.typed[0]))) for text in filled]
                if _IN_PLACE in line:
                    yield [self._without(old)._with(new) for old, new in ways]
                    continue
                for alternatives in zip(*ways, strict=True):
                    yield [self._with(options) for options in alternatives]

    def _without(self, options: Options) -> Self:
        """The command without some options, typed or proposed."""
        words = [word for name, values in options for word in (name, *values)]
        places = (at for at in range(len(self.typed)) if [*self.typed[at : at + len(words)]] == words)
        at = next(places, len(self.typed))
        names = {name for name, _ in options}
        typed = (*self.typed[:at], *self.typed[at + len(words) :])
        return replace(self, typed=typed, options=tuple(each for each in self.options if each[0] not in names))

    def _with(self, options: Options) -> Self:
        known = dict(self.options)
        for name, values in options:
            if name in known and all("=" in value for value in values):
                pairs = dict(value.split("=", 1) for value in (*known[name], *values))
                known[name] = tuple(f"{key}={value}" for key, value in pairs.items())
            else:
                known[name] = values
        return replace(self, options=tuple(known.items()))

    def __str__(self) -> str:
        """What is typed."""
        return shlex.join(["rankworth", *self.words])


def chosen(line: str, message: str) -> Iterator[list[str]]:
    """A line of a message, once for each of the user's names in place of `NAME`; none where more is to be filled in."""
    found = _COLUMNS.search(message)
    try:
        names = shlex.split(found[1]) if found else []
    except ValueError:  # a name that is cut off
        names = []
    names = [name for name in names if name.isidentifier()]
    if PLACEHOLDER.search(line.replace("NAME", "")):
        return
    if "NAME" not in line:
        yield [line]
    elif names:
        fillings = itertools.product(names, repeat=line.count("NAME"))
        yield [functools.reduce(lambda text, name: text.replace("NAME", name, 1), names, line) for names in fillings]


@functools.cache
def takes(command: str) -> Mapping[str, int]:
    """How many words each option of a command takes: none, one, or several, which is 2."""
    counts: dict[str, int] = {}
    for each in app[command].assemble_argument_collection():
        several = each.parameter.consume_multiple not in (None, False)
        counts |= dict.fromkeys(each.names, 2 if several else each.token_count()[0])
    return counts


def _typed(line: str, known: Mapping[str, int]) -> Iterator[Options]:
    """The options of a line: those that follow each other are one way, others are ways of their own."""
    words, place = _TOKEN.findall(line), 0
    group: list[tuple[str, tuple[str, ...]]] = []
    while place < len(words):
        name = words[place].lstrip("(").rstrip(".,;:?)")
        is_last = words[place].endswith((".", ",", ";", ":", "?", ")"))
        place += 1
        if name in known and name.startswith("--"):
            values: list[str] = []
            most = {0: 0, 1: 1}.get(known[name], len(words))
            while place < len(words) and not is_last and len(values) < most:
                word = words[place]
                bare = word if word[-1] in "'\"" else word.rstrip(".,;:?)")
                if word.startswith("--") or (values and "=" not in bare):
                    break
                values += shlex.split(bare)
                is_last, place = bare != word, place + 1
            group.append((name, tuple(values)))
        else:
            is_last = True
        if is_last and group:
            yield tuple(group)
            group = []
    if group:
        yield tuple(group)


@dataclass(frozen=True)
class Call:
    """A call of `rankworth.evaluate`, with what messages proposed so far."""

    qrels: Any
    run: Any
    settings: Mapping[str, Any] = field(default_factory=dict)

    def answer(self) -> str:
        """Return `NUMBER`, or the message."""
        try:
            with warnings.catch_warnings(action="ignore"):
                rw.evaluate(self.qrels, self.run, ["RR"], **self.settings)
        except rw.RankworthError as error:
            return str(error)
        return NUMBER

    def proposals(self, message: str) -> Iterator[list[Self]]:
        """Each way that a message proposes, added to the call; several where a name is to be chosen."""
        for line in message.splitlines()[1:]:
            for filled in chosen(line, message):
                yield from map(list, zip(*(list(self._ways(text)) for text in filled), strict=True))

    def _ways(self, line: str) -> Iterator[Self]:
        for call in _CALL.finditer(line):
            made = eval(call[0].removeprefix("rankworth."), {"Run": rw.Run, "Qrels": rw.Qrels})  # noqa: S307 - of our own
            yield replace(self, **{"run" if call["side"] == "Run" else "qrels": made})
        found = list(_KEYWORD.finditer(_OTHER_CALL.sub("", _CALL.sub("", line))))
        before = dict(self.settings)
        if _IN_PLACE in line and found:
            before.pop(found.pop(0)["name"])
        for keyword in found:
            name, value = keyword["name"], ast.literal_eval(keyword["value"])
            if name in _SEVERAL:
                value = {**before.get(name, {}), **value}
            yield replace(self, settings={**before, name: value})

    def __str__(self) -> str:
        """The call."""
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"evaluate({self.qrels!r:.60}, {self.run!r:.60}, ['RR']{settings})"


Try = Command | Call


def dead_ends(first: Try, seen: tuple[str, ...] = ()) -> Iterator[str]:
    """The ways that lead nowhere: what was typed, and the message that had been there before.

    Of several names one has to lead on.
    """
    message = first.answer()
    if message == NUMBER:
        return
    if message in seen:
        yield f"{first}\n{message}"
    elif len(seen) == _MOST:
        yield f"{first}\nstill no number after {_MOST} messages\n{message}"
    else:
        for ways in first.proposals(message):
            found = []
            for way in ways:
                found = list(dead_ends(way, (*seen, message)))
                if not found:
                    break
            yield from found


def messages(first: Try, seen: tuple[str, ...] = ()) -> Iterator[str]:
    """Every message that comes on the way."""
    message = first.answer()
    if message not in (NUMBER, *seen):
        yield message
        for ways in first.proposals(message):
            yield from messages(ways[0], (*seen, message))

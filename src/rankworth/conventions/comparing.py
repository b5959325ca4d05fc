"""Who differs in which measure: one small input by all conventions, and the fewest settings behind each number."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rankworth import names
from rankworth.averaging import NUMBERS
from rankworth.conventions.wording import differing, marked, shown, spoken, table
from rankworth.errors import MeasureError, RankworthError, RefusedError
from rankworth.evaluation import evaluate_profiles
from rankworth.measures import CATALOGUE
from rankworth.model import Qrels, Run
from rankworth.names import Quantity
from rankworth.profiles import PROFILES, STANDARD, Asked, Profile
from rankworth.values import Values

MEASURES: Final = (
    "nDCG@10",
    "AP@10",
    "AP",
    "RR",
    "P@10",
    "R@10",
    "Success@10",
    "Rprec",
    "Bpref",
    "RBP",
    "F",
    "Judged@10",
    "ERR",
)
_DIGITS: Final = 4
_REFUSED: Final = "refused"
_NAN: Final = "no number"
_MARKS: Final = {"known-defect": "\\*", "unspecified-order": "†"}
_INTRODUCTION: Final = """# Measure by measure

One run of five queries, [qrels.txt](../example/qrels.txt) and [old.run](../example/old.run), by all conventions. The
queries are those of [five queries](five-queries.md): a short list, a tie, no results, grades and a relevant document
that was not retrieved, nothing relevant.

Each line holds one number, those who give it, each with its own name for the measure, and what makes the difference to
`standard-1`: the fewest parameters and settings that turn its number into this one, the value of each query included.
They can be typed without a profile:

```text
rankworth evaluate qrels.txt old.run -m 'nDCG(gain=binary)@10' --ties id-ascending --judgements relevant
```

Settings that make no difference for these queries are not listed; a profile may set them, and they may make one for
yours. A star marks numbers in which a defect of the tool is repeated, a dagger those of tools that leave the order of
ties open; both are explained below the table. Refusals are in the words of the tools. Tools that are not there do not
have the measure, or no name for it that their profile knows."""


@dataclass(frozen=True)
class Line:
    """A number, or a refusal, and what is behind it.

    Attributes:
        value: the mean over the queries as it is printed.
        difference: what makes it differ from the standard, or what the tool says.
        said: who gives it: profiles, and what they call the measure.

    """

    value: str
    difference: str
    said: dict[str, list[str]] = field(default_factory=dict)


class Comparison:
    """One input, measured in many ways; each way once."""

    def __init__(self, qrels: object, run: object) -> None:
        """Read the input."""
        self._qrels, self._run = Qrels(qrels), Run(run)
        self._known: dict[object, object] = {}
        self._idle: set[str] = set()  # what has made no difference so far is dropped first, all at once
        self._needed: set[str] = set()

    def lines(self, measure: Quantity) -> tuple[list[Line], dict[str, dict[str, None]]]:
        """Who gives which number for a measure.

        Returns:
            The lines, the standard's first and refusals last; and the remarks on single names, each with whom it is
            about.

        """
        lines: dict[tuple[str, str], Line] = {}
        remarks: dict[str, dict[str, None]] = {}
        for profile in PROFILES.values():
            for text, asked in spoken(profile, measure).items():
                value, difference, marks = self._line(profile, text, asked, measure, remarks)
                line = lines.setdefault((value, difference), Line(value, difference))
                line.said.setdefault(profile.name, []).append(f"`{text}`{marks}")
        own = next(iter(lines.values())).value
        return sorted(lines.values(), key=lambda line: (line.value != own, *_place(line))), remarks

    def _line(
        self, profile: Profile, text: str, asked: Asked, measure: Quantity, remarks: dict[str, dict[str, None]]
    ) -> tuple[str, str, str]:
        """A number, what makes the difference, and the marks of a name."""
        found = self._measured(text, profile)
        if isinstance(found, RefusedError):
            return _REFUSED, found.says.removeprefix(f"{asked.label}: ") or found.refused, ""
        if isinstance(found, RankworthError):
            return _REFUSED, found.problems[0], ""
        marks = ""
        for notice in found.notices:
            mark = _MARKS.get(notice.slug, "")
            if mark:
                said = f"{mark} {marked(notice.text.removeprefix(f'{asked.label}: '))}"
                remarks.setdefault(said, {})[profile.name] = None
            marks += mark
        return printed(found[asked.label]), self.difference(asked, measure, _outcome(found)), marks

    def difference(self, asked: Asked, measure: Quantity, goal: object) -> str:
        """The fewest parameters and settings with which the standard gives the same value, for each query, too."""
        kept: dict[str, Any] = {f"({name}": value for name, value in asked.quantity.settings}
        kept |= {name: value for name, (value, _) in differing(asked).items()}
        if asked.quantity.cutoff != measure.cutoff:
            kept["@"] = asked.quantity.cutoff
        tried = [self._idle, *({name} for name in kept), *({name} for name in kept)]
        for without in tried:
            rest = {name: value for name, value in kept.items() if name not in without}
            if len(rest) < len(kept) and self._standing(measure, rest) == goal:
                kept = rest
        self._idle = (self._idle | {name for [name] in tried[1:]}) - kept.keys() - self._needed
        self._needed |= kept.keys()
        return _told(measure, kept)

    def _standing(self, measure: Quantity, kept: Mapping[str, Any]) -> object:
        """What the standard gives with some parameters and settings."""
        try:
            quantity = _changed(measure, kept)
        except MeasureError:
            return None
        return self._value(quantity, {name: value for name, value in kept.items() if name[0] not in "(@"})

    def _value(self, quantity: Quantity, settings: Mapping[str, Any]) -> object:
        key = (quantity, tuple(sorted((name, str(value)) for name, value in settings.items())))
        if key not in self._known:
            numbers = {name: math.nan for name, value in settings.items() if value == "nan" and name in NUMBERS}
            profile = STANDARD.derive(**{**settings, **numbers})
            self._known[key] = _outcome(self._measured(quantity, profile))
        return self._known[key]

    def _measured(self, measure: str | Quantity, profile: Profile) -> Values | RankworthError:
        try:
            [found] = evaluate_profiles(self._qrels, self._run, [measure], profiles=[profile]).values()
        except RankworthError as error:
            return error
        return found


def page(folder: Path) -> str:
    """The page about all measures.

    Args:
        folder: where the input is.

    """
    comparison = Comparison(folder / "qrels.txt", folder / "old.run")
    return "\n".join([_INTRODUCTION, *(line for text in MEASURES for line in _section(comparison, text))]) + "\n"


def printed(value: float) -> str:
    """A number as it is shown."""
    return _NAN if math.isnan(value) else f"{value:.{_DIGITS}f}"


def _section(comparison: Comparison, text: str) -> Iterator[str]:
    measure = names.parse(text)
    lines, remarks = comparison.lines(measure)
    yield from ("", f"## {text}", "", f"{measure.definition.sentence} [More](../measures/{measure.name}.md).", "")
    values = [line.value for line in lines]
    rows = (
        (
            "" if values[:place][-1:] == [line.value] else line.value,
            "; ".join(_said(line.said)),
            marked(line.difference),
        )
        for place, line in enumerate(lines)
    )
    yield from table((text, "by", "the difference"), rows)
    if remarks:
        yield ""
        yield from (f"- {said} ({', '.join(who)})" for said, who in remarks.items())


def _said(said: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, called in said.items():
        yield f"[{name}]({name}.md) {', '.join(called)}"


def _changed(measure: Quantity, kept: Mapping[str, Any]) -> Quantity:
    """A measure with other parameters and another cutoff."""
    changed = CATALOGUE[measure.name](**{name[1:]: value for name, value in kept.items() if name.startswith("(")})
    cutoff = kept.get("@", measure.cutoff)
    return changed if cutoff is None else changed @ cutoff


def _told(measure: Quantity, kept: Mapping[str, Any]) -> str:
    """Parameters and settings as they are typed."""
    changed = _changed(measure, kept)
    said = [f"`{changed}`"] if changed != measure else []
    said += [f"`{name}={shown(value)}`" for name, value in kept.items() if name[0] not in "(@"]
    return ", ".join(said)


def _outcome(found: Values | RankworthError) -> object:
    """What makes two results the same: the mean and the values of the queries, as they are printed."""
    if isinstance(found, RankworthError):
        return str(found)
    [label] = found.per_query.measures
    rows = found.per_query.to_dict()
    return printed(found[label]), {query: printed(row[label]) for query, row in rows.items() if label in row}


def _place(line: Line) -> tuple[bool, bool, float, int, str]:
    """Great numbers first, few differences first, refusals last."""
    number = line.value not in (_REFUSED, _NAN)
    value = float(line.value) if number else 0.0
    return line.value == _REFUSED, not number, -value, line.difference.count("`"), line.difference

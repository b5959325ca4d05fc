"""The generated pages of docs/conventions: how to choose, what all settings do, each profile, measure by measure."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from rankworth import names
from rankworth.errors import MeasureError, RankworthError, RefusedError
from rankworth.evaluation import evaluate_profiles
from rankworth.groups import Groups, Weights
from rankworth.measures import CATALOGUE
from rankworth.model import Qrels, Run
from rankworth.names import Quantity
from rankworth.profiles import PROFILES, STANDARD, Profile, ResolvedMeasure
from rankworth.profiles.call_data import AVERAGING, JUDGING, CallData
from rankworth.reference import escaped, table
from rankworth.reference import profiles as reference
from rankworth.reference.profiles import HEADINGS, deviating, differing, explained, shown
from rankworth.results.values import Values
from rankworth.settings import QUIRKS, Averaging, Judging

_OPENING: Final = """# Conventions

Tools agree on what a measure is called, and not on what it is worth: they order ties in many ways, leave queries out or
count them 0, cut the ideal ranking or do not. A profile is all that one tool does, under one name:

```text
rankworth evaluate qrels.txt old.run --profile {name} -m {measure}
```

- [Five queries](five-queries.md): one input, and the numbers that the tools give for it.
- [Measure by measure](measures.md): who differs where, and which settings make the difference.
- [Reproduced](reproduced.md): what was compared with the tools, and what is not reproduced.

The pages are generated: `scripts/convention-pages` writes them from the profiles.

## Which one to choose

- **For numbers of your own**: none. `standard-1` holds, which is trec_eval 10 with `-c`: a judged query that the run
  does not answer counts 0, so that no system gains by not answering, and the order of ties depends on ids alone.
- **To compare with a published number**: the profile of the tool that made it, in the version that made it, and its
  name for the measure. Where nobody says which tool it was, `--profile all` shows what each of them gives.
- **To continue a series of your own**: the profile of the tool that you come from. Measure once with both, and change
  over.
- **Where no profile fits**: take the nearest one and change what differs: every setting below is an option, and a
  keyword in Python. The signature beside the numbers tells what was changed.

Numbers that were made under different conventions are not comparable; signatures say so, and
`rankworth.refuse_differences` checks it. A name without its version stands for the newest one: write the version down
where the number is to last."""
_PROFILES: Final = """## Profiles

`rankworth profiles` lists them, `rankworth profiles NAME` prints the page of one, and
`rankworth measures --profile NAME` the names of its tool."""
_SETTINGS: Final = """## Settings

All settings of judging and of averaging. The first value is that of `standard-1`; in brackets stand profiles that have
another value for some of their measures only. Options have hyphens for `_`: `--no-relevant skip`. A quirk is a setting
that few tools need: `--set no_hit=skip`, in Python `quirks={"no_hit": "skip"}`."""
_KINDS: Final[dict[Any, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "`none`",
    Weights: "a number for each query",
    Groups: "a group for each query",
}


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
_COMPARISON: Final = """# Measure by measure

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


def pages(folder: Path) -> dict[str, str]:
    """All generated pages of `docs/conventions`, by file name.

    Args:
        folder: that of the five queries.

    """
    index = {"README.md": "\n".join(_index()) + "\n", "measures.md": comparison_page(folder)}
    return index | {f"{name}.md": reference.profile_page(profile) for name, profile in PROFILES.items()}


def _index() -> Iterator[str]:
    first = reference.first_of_a_tool()
    yield _OPENING.format(name=first.name, measure=reference.name_to_try(first))
    yield from ("", _PROFILES)
    for basis, heading in HEADINGS.items():
        yield from ("", f"{heading}:", "")
        some = (profile for profile in PROFILES.values() if profile.basis == basis)
        yield table(
            ("profile", "tool", "what it is"),
            ((f"[{one.name}]({one.name}.md)", reference.version(one), escaped(one.sentence)) for one in some),
        )
    yield from ("", _SETTINGS, "")
    rows = (
        (_called(name), _values(name), escaped(explained()[name]), _otherwise(name)) for name in (*JUDGING, *AVERAGING)
    )
    yield table(("setting", "values", "what it does", "set otherwise by"), rows)


def _called(name: str) -> str:
    """The name of a setting, and whether it is a quirk."""
    return f"`{name}` (quirk)" if name in QUIRKS else f"`{name}`"


def _values(name: str) -> str:
    """The values that a setting takes, that of the standard first."""
    hint = (get_type_hints(Judging) | get_type_hints(Averaging) | get_type_hints(CallData))[name]
    words = [word for part in get_args(hint) or (hint,) for word in _words(part)]
    return ", ".join(dict.fromkeys((f"`{shown(STANDARD.setting(name))}`", *words)))


def _words(part: Any) -> list[str]:  # noqa: ANN401 - a type, or a word of a literal one
    """What a part of a type takes."""
    literal = [part] if isinstance(part, str) else get_args(part)
    return [f"`{word}`" for word in literal] or [_KINDS.get(part, "pairs of ids, `self`")]


def _otherwise(name: str) -> str:
    """Who has which other value."""
    standard = shown(STANDARD.setting(name))
    found: dict[str, list[str]] = {}
    for profile in PROFILES.values():
        general = shown(profile.setting(name))
        if general != standard:
            found.setdefault(general, []).append(f"[{profile.name}]({profile.name}.md)")
        others = dict.fromkeys(shown(one[name]) for rule in profile.rules if name in (one := deviating(profile, rule)))
        for value in others:
            if value != standard:
                found.setdefault(value, []).append(f"([{profile.name}]({profile.name}.md))")
    return "; ".join(f"`{value}`: {', '.join(who)}" for value, who in found.items())


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
        self,
        profile: Profile,
        text: str,
        asked: ResolvedMeasure,
        measure: Quantity,
        remarks: dict[str, dict[str, None]],
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
                said = f"{mark} {escaped(notice.text.removeprefix(f'{asked.label}: '))}"
                remarks.setdefault(said, {})[profile.name] = None
            marks += mark
        return printed(found[asked.label]), self.difference(asked, measure, _outcome(found)), marks

    def difference(self, asked: ResolvedMeasure, measure: Quantity, goal: object) -> str:
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
            self._known[key] = _outcome(self._measured(quantity, STANDARD.derive(**settings)))
        return self._known[key]

    def _measured(self, measure: str | Quantity, profile: Profile) -> Values | RankworthError:
        try:
            [found] = evaluate_profiles(self._qrels, self._run, [measure], profiles=[profile]).values()
        except RankworthError as error:
            return error
        return found


def comparison_page(folder: Path) -> str:
    """The page about all measures.

    Args:
        folder: where the input is.

    """
    comparison = Comparison(folder / "qrels.txt", folder / "old.run")
    return "\n".join([_COMPARISON, *(line for text in MEASURES for line in _section(comparison, text))]) + "\n"


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
            escaped(line.difference),
        )
        for place, line in enumerate(lines)
    )
    yield table((text, "by", "the difference"), rows)
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


def spoken(profile: Profile, measure: Quantity) -> dict[str, ResolvedMeasure]:
    """What a tool calls a measure, as typed, and what each of these names means; the first name of each meaning.

    Args:
        profile: the conventions of the tool.
        measure: the measure; names with a cutoff are meant where it has one, others where it has none. Where the tool
            has only the other kind, that.

    """
    plainest = sorted(
        profile.rules, key=lambda rule: (rule.several, len(rule.name))
    )  # what is added to a name makes it another
    found = _meant(profile, filter(None, map(reference.typed, plainest)), measure)
    found = found or _meant(profile, _spelled(profile, measure), measure)
    alike = {text: one for text, one in found.items() if _cut(one.quantity) == _cut(measure)}
    meanings: dict[tuple[object, ...], tuple[str, ResolvedMeasure]] = {}
    for text, one in (alike or found).items():
        meanings.setdefault((one.quantity, one.judging, one.averaging, one.data), (text, one))
    return dict(meanings.values())


def _meant(profile: Profile, texts: Iterable[str], measure: Quantity) -> dict[str, ResolvedMeasure]:
    """Those of some names that stand for a measure, with whatever parameters."""
    found = {}
    for text in texts:
        with suppress(MeasureError):
            [one] = profile.ask([text])[:1]
            if one.quantity.name == measure.name and _plain(one, measure):
                found[text] = one
    return found


def _plain(asked: ResolvedMeasure, measure: Quantity) -> bool:
    return getattr(asked.quantity, "averaging", "") == getattr(measure, "averaging", "")


def _cut(measure: Quantity) -> bool:
    return measure.cutoff is not None


def _spelled(profile: Profile, measure: Quantity) -> list[str]:
    """Names for a measure of a tool that has those of another one, and needs no rules for them."""
    if not profile.tool:
        return [str(measure)]
    found = []
    for name, means in reference.known(profile).items():
        text, meant = (one.replace("{k}", "10") for one in (name, means))
        with suppress(MeasureError):
            found += [text] if names.parse_all([meant]) == [measure] else []
    return found

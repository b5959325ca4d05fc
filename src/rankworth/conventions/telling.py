"""Profiles in words: all of them in a list, one of them in full, the names of its tool."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rankworth.conventions.wording import (
    ROOMS,
    Names,
    Places,
    command,
    deviating,
    differing,
    example,
    explained,
    known,
    said_of_rel,
    shown,
    value_of,
)
from rankworth.profiles import PROFILES, STANDARD, Profile, Rule, profile_of
from rankworth.prose import Entries, Formula, Heading, Paragraph, Part, Title, as_text, filled

BASIS: Final = {
    "run": "Reproduced: the numbers that it gives were compared with those of the tool itself.",
    "source": "By source only: read in the places that stand below, never compared with a run of the tool.",
}
SHELVES: Final = {
    "run": "Reproduced: numbers compared with those of the tool",
    "source": "By source only: read, never compared with a run of the tool",
}
_MEASURES: Final = "measures"
_SENTENCE_END: Final = re.compile(r"(?<=\.) (?=[A-Z])")
_DEFAULT: Final = "what holds where no profile is named"
_REFUSED: Final = {
    "missing": "a judged query that the run lacks",
    "extra": "a query of the run that nobody judged",
    "empty": "a query with an empty list",
    "no_relevant": "a query without a relevant document",
    "undefined": "a value without a divisor",
    "no_queries": "a mean over no query at all",
    "fewest": "a query with few documents",
    "negative": "a negative grade",
    "grades": "a grade that is no whole number",
    "highest": "a grade above the highest",
    "duplicates": "a document that a query ranks twice",
    "duplicate_judgements": "a document that is judged twice",
}
"""what a setting refuses"""
_STANDARD_IS: Final = (
    "Nothing: the others are told by what they set otherwise. These are all settings, as they are here."
)
_BLANK: Final = re.compile(r"\{\w+\}")
_WHOLE: Final = ("{k}", "{d}")
_EDGES: Final = ("5e-324", "-1e308")
"""grades from which documents are relevant that stand for "above 0" and for "whatever it is"."""
_INSIDE: Final = re.compile(r"[(@]")
_TOO: Final = "These need no rules of their own, and mean the same under every profile but for its settings:"
_ALL: Final = "They mean what they mean under every profile, but for the settings:"
_NOWHERE: Final = "No input is known on which the tool gives another number."
_UNCOMPARED: Final = "Its source was read and the tool was not run, so that no number was compared with one of its own."
_OUR_OWN: Final = (
    "Our own names work under a profile, too, and so do trec_eval's, ir_measures' and ranx's: they are then computed "
    "with these settings, and as the tool computes its own measure of that kind."
)


def listing(width: int = 80) -> str:
    """All profiles: name, tool, version, a sentence, and whether their numbers were reproduced.

    Args:
        width: how long a line may be.

    """
    margin = max(map(len, PROFILES))
    lines: list[str] = []
    for basis, heading in SHELVES.items():
        some = [profile for profile in PROFILES.values() if profile.basis == basis]
        entries = [(f"{one.name:<{margin}}", _short(one), _SENTENCE_END.split(one.sentence)[0]) for one in some]
        lines += [*filled(heading, width), "", *Entries(entries).lines(width), ""]
    tried = _tried()
    lines += filled("A name without its version stands for the newest one.", width)
    lines += filled(f"One in full: rankworth profiles {tried.name}", width)
    lines += filled(f"To use one: {command(tried)}", width, rest="  ")
    return "\n".join(lines) + "\n"


def page(name: str | Profile, width: int = 80) -> str:
    """One profile: what it sets and why, what it refuses, its names, defects, what it leaves open, sources.

    Args:
        name: a profile, or its name; without the version, the newest.
        width: how long a line may be.

    Raises:
        UsageError: `unknown-setting`.

    """
    return as_text(parts(profile_of(name)), width)


def names(profile: str | Profile, width: int = 80) -> str:
    """What a tool calls measures, and what that means here.

    Args:
        profile: a profile, or its name; without the version, the newest.
        width: how long a line may be.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen = profile_of(profile)
    marks = _Marks.of(chosen)
    rest = Paragraph(f"What it sets for all of them: rankworth profiles {chosen.name}")
    told = [*_names(chosen, marks), rest, *marks.parts(), *_promised(chosen, marks)]
    return as_text([Title(f"Names under {chosen.name}"), *told], width)


def parts(profile: Profile) -> Iterator[Part]:
    """What there is to say about a profile, part by part."""
    marks = _Marks.of(profile)
    yield Title(profile.name)
    yield Paragraph(profile.sentence)
    if profile.tool:
        yield Paragraph(f"{version(profile)}. {BASIS[profile.basis]}")
    yield Heading("To use it")
    yield Formula(command(profile))
    yield Formula(f'rankworth.evaluate(qrels, run, ["{example(profile)}"], profile="{profile.name}")')
    if profile.complete:
        yield Paragraph(f"With --complete (-c) it is {profile.complete}.")
    yield Heading("What it sets")
    yield from _settings(profile)
    refused = list(_refusals(profile))
    if refused:
        yield Heading("What it refuses")
        yield Entries(refused)
    yield Heading("Names")
    yield from _names(profile, marks)
    yield from marks.parts()
    yield from _promised(profile, marks)
    if profile.sources:
        yield Heading("Sources")
        yield Places([("", source, "") for source in profile.sources])


def version(profile: Profile) -> str:
    """The tool and its version."""
    named = profile.version in profile.tool
    return profile.tool if named else f"{profile.tool} {profile.version}"


def _short(profile: Profile) -> str:
    """The same without what is said of the version."""
    return version(profile).partition(",")[0] or _DEFAULT


def _tried() -> Profile:
    """The profile of examples: the first of a tool, by name."""
    return next(profile for profile in PROFILES.values() if profile.tool)


def _settings(profile: Profile) -> Iterator[Part]:
    """What is set, beside what the standard has; then what is as in the standard, where something is said of it."""
    if profile is STANDARD:
        yield Paragraph(_STANDARD_IS)
        yield Entries([(_said(profile, room, name), room, explained()[name]) for name, room in ROOMS.items()])
        return
    set_otherwise = differing(profile)
    entries = [
        (
            f"{name}={shown(value)}",
            f"{STANDARD.name}: {shown(standard)}",
            profile.why.get(f"{ROOMS[name]}.{name}", explained()[name]),
        )
        for name, (value, standard) in set_otherwise.items()
    ]
    if profile.rel is not None:
        entries.insert(0, (f"rel={shown(profile.rel)}", f"{STANDARD.name}: 1", f"{said_of_rel(profile.rel)}."))
    yield Entries(entries) if entries else Paragraph(f"Nothing for all measures: they are as in {STANDARD.name}.")
    told = [key.partition(".")[::2] for key in profile.why]
    alike = [(room, name) for room, name in told if ROOMS.get(name) == room and name not in set_otherwise]
    if alike:
        yield Heading(f"As in {STANDARD.name}")
        yield Entries([(_said(profile, room, name), "the same", profile.why[f"{room}.{name}"]) for room, name in alike])
    single = [name for room, name in told if room == _MEASURES]
    if single:
        yield Heading("Of single measures")
        yield Entries([("", f"{name}: {profile.why[f'{_MEASURES}.{name}']}", "") for name in single])


def _said(profile: Profile, room: str, name: str) -> str:
    return f"{name}={shown(value_of(profile, room, name))}"


def _refusals(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """What is refused, for which measures, and what the tool says then."""
    for name, text in profile.refuses.items():
        room = ROOMS[name]
        general = value_of(profile, room, name)
        of = [rule.name for rule in profile.rules if _refuses(name, getattr(rule, room).get(name))]
        if _refuses(name, general) or of:
            where = "" if _refuses(name, general) else f", in {of[0]}" + (f" and {len(of) - 1} more" if of[1:] else "")
            yield "", f"{_REFUSED.get(name, name)}{where}", text


def _refuses(name: str, value: object) -> bool:
    return str(value).startswith("error") or value == "whole" or (name in ("highest", "fewest") and bool(value))


def _names(profile: Profile, marks: "_Marks") -> Iterator[Part]:
    """The names of the tool; those that mean the same stand together."""
    groups: dict[tuple[str, ...], list[Rule]] = {}
    for rule in profile.rules:
        settings = str(sorted(deviating(profile, rule).items()))
        groups.setdefault((rule.means, settings, rule.note, rule.unspecified), []).append(rule)
    if groups:
        yield Names([_named(profile, rules, marks) for rules in groups.values()])
    measured = {rule.example.name for rule in profile.rules if rule.example is not None}
    others = [(name, means, "") for name, means in known(profile).items() if _is_other(name, means, measured)]
    if others:
        yield Paragraph(_TOO if groups else _ALL)
        yield Names(others)
    yield from map(Paragraph, _legend([*(rule.name for rule in profile.rules), *(name for name, _, _ in others)]))
    yield from _on_grades(profile.rules)
    yield Paragraph(_OUR_OWN)


def _legend(called: list[str]) -> Iterator[str]:
    """What stands in braces."""
    blanks = sorted({blank for name in called for blank in _BLANK.findall(name)} - {"{gains}"})
    for kind, whole in (("a whole number", True), ("a number", False)):
        some = [blank for blank in blanks if (blank in _WHOLE) == whole]
        if some:
            yield f"{' and '.join(some)} stand{'' if some[1:] else 's'} for {kind}."
    if any("{gains}" in name for name in called):
        yield "{gains} stands for gains by grade, as in 1=0.5,2=3."


def _on_grades(rules: Iterable[Rule]) -> Iterator[Part]:
    """What a threshold means that is no grade."""
    means = " ".join(rule.means for rule in rules)
    for rel in _EDGES:
        if re.search(rf"\brel={rel}\b", means):
            yield Paragraph(f"{said_of_rel(float(rel))}.", f"rel={rel}")


def _is_other(name: str, means: str, measured: Collection[str]) -> bool:
    """Whether no rule is about the measure; names that differ by a cutoff alone are said once."""
    return _INSIDE.split(means.removeprefix("gmean("))[0] not in measured and not name.endswith("@{k}")


def _named(profile: Profile, rules: list[Rule], marks: "_Marks") -> tuple[str, str, str]:
    """A name, its meaning, and what else there is to say: settings of its own, other names, marks."""
    first, *others = sorted(rules, key=lambda rule: len(rule.name))
    said = [f"{name}={shown(value)}" for name, value in deviating(profile, first).items()]
    also = [f"also {', '.join(rule.name for rule in others)}"] if others else []
    return first.name, first.means, "; ".join(filter(None, (", ".join(said), *also, marks.said_of(first))))


@dataclass(frozen=True)
class _Marks:
    """Remarks on single names, each with a number."""

    notes: dict[str, int]
    opens: dict[str, int]

    @classmethod
    def of(cls, profile: Profile) -> "_Marks":
        """Number what a profile remarks."""
        notes = list(dict.fromkeys(rule.note for rule in profile.rules if rule.note))
        opens = list(dict.fromkeys(rule.unspecified for rule in profile.rules if rule.unspecified))
        first = len(notes) + 1
        return cls(
            {note: number for number, note in enumerate(notes, 1)},
            {said: number for number, said in enumerate(opens, first)},
        )

    def said_of(self, rule: Rule) -> str:
        """The numbers of the remarks on a name."""
        numbers = (self.notes.get(rule.note), self.opens.get(rule.unspecified))
        return "".join(f"[{number}]" for number in numbers if number)

    def parts(self) -> Iterator[Part]:
        """The remarks."""
        if self.notes:
            yield Heading("Defects that are repeated here")
            yield Entries(_numbered(self.notes))


def _numbered(remarks: Mapping[str, int]) -> list[tuple[str, str, str]]:
    return [("", f"[{number}] {text}", "") for text, number in remarks.items()]


def _promised(profile: Profile, marks: _Marks) -> Iterator[Part]:
    """On which inputs the number of the tool cannot be promised."""
    if not profile.tool:
        return
    yield Heading("Where its number cannot be promised")
    entries = [*_numbered(marks.opens), *(("", text, "") for text in profile.differs)]
    if marks.opens:
        ties = "where a judged document has the score of another one, rankworth says so (unspecified-order)"
        yield Paragraph(f"Names with {_marked(marks.opens)}: {ties}.")
    if entries:
        yield Entries(entries)
    elif profile.basis == "run":
        yield Paragraph(_NOWHERE)
    if profile.basis != "run":
        yield Paragraph(_UNCOMPARED)


def _marked(remarks: Mapping[str, int]) -> str:
    return ", ".join(f"[{number}]" for number in remarks.values())

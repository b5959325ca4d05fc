"""What profiles have in common when they are told: settings and their values, names with numbers in them, tables."""

import inspect
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from rankworth import names
from rankworth.averaging import Averaging
from rankworth.errors import MeasureError
from rankworth.judging.settings import Judging
from rankworth.names import Quantity
from rankworth.profiles import PROFILES, STANDARD, Asked, Profile, Rule
from rankworth.profiles.profile import AVERAGING, JUDGING
from rankworth.prose import Entries, Paragraph, as_markdown, filled
from rankworth.spellings import TOOLS, TREC_EVAL

ROOMS: Final = dict.fromkeys(JUDGING, "judging") | dict.fromkeys(AVERAGING, "averaging")
"""each setting, and where it belongs"""
_ENTRY: Final = re.compile(r"(?m)^(\w+): (.+(?:\n .+)*)")
_BLANK: Final = re.compile(r"\{(\w+)\}")
_NUMBERS: Final = {"k": "10", "p": "0.8", "d": "8"}
"""what stands in an example where a name has a cutoff, a persistence, the decimals of one"""
_ANY: Final = 1e-300
"""what a grade from which documents are relevant is below if every grade above 0 is"""
_INDENT: Final = "  "


@dataclass(frozen=True)
class Places(Entries):
    """Places in the source of a tool: as code in Markdown."""

    def markdown(self) -> list[str]:
        """As Markdown."""
        return [f"- {marked(text if '://' in text else f'`{text}`')}" for _, text, _ in self.entries]


@dataclass(frozen=True)
class Names(Entries):
    """Names of a tool beside what they mean here: in two columns as text, in a table as Markdown."""

    titles: tuple[str, str, str] = ("name", "means here", "and")
    widest: int = 30

    def lines(self, width: int) -> list[str]:
        """As text; a long name has a line of its own."""
        narrow = [len(name) for name, _, _ in self.entries if len(name) <= self.widest]
        margin = max(narrow, default=0) + 2 * len(_INDENT)
        lines = []
        for name, means, text in self.entries:
            longest = max(map(len, f"{means} {text}".split()))
            fits = len(name) + 2 * len(_INDENT) <= margin and margin + longest <= width
            rest = " " * margin if margin + longest <= width else _INDENT * 3
            lines += [] if fits else filled(name, width, first=_INDENT, rest=_INDENT * 2)
            lines += filled(
                means, width, first=_INDENT + name.ljust(margin - len(_INDENT)) if fits else rest, rest=rest
            )
            lines += filled(text, width, first=rest, rest=rest) if text else []
        return lines

    def markdown(self) -> list[str]:
        """As Markdown."""
        rows = ((f"`{name}`", f"`{means}`", text) for name, means, text in self.entries)
        return table(self.titles, rows)


def table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """The lines of a table in Markdown."""
    said = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = (" ".join(f"| {cell}" if cell else "|" for cell in row) for row in [titles, ("---",) * len(titles), *said])
    return [f"{line} |" for line in lines]


def marked(text: str) -> str:
    """Text as Markdown, in which nothing but backticks is a mark."""
    return as_markdown([Paragraph(text)]).rstrip("\n")


def shown(value: object) -> str:
    """The value of a setting as it is typed."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else "none" if value is None else str(value)


def differing(ours: Profile | Asked) -> dict[str, tuple[Any, Any]]:
    """The settings that are not those of the standard, with both values."""
    pairs = {name: (value_of(ours, room, name), value_of(STANDARD, room, name)) for name, room in ROOMS.items()}
    return {name: (value, standard) for name, (value, standard) in pairs.items() if value != standard}


def value_of(told: Profile | Asked, room: str, name: str) -> Any:  # noqa: ANN401 - whatever the setting holds
    """What a profile, or a measure under it, has for a setting."""
    return getattr(getattr(told, room), name)


@cache
def explained() -> Mapping[str, str]:
    """Each setting, and what it does, in the words of the settings themselves."""
    told: dict[str, str] = {}
    for settings in (Judging, Averaging):
        block = inspect.cleandoc(settings.__doc__ or "").partition("Attributes:\n")[2]
        told |= {name: " ".join(text.split()) for name, text in _ENTRY.findall(inspect.cleandoc(block))}
    return told


def said_of_rel(rel: float) -> str:
    """What a grade from which documents are relevant comes to."""
    if rel < -1 / _ANY:
        return "Every judged document is relevant, whatever its grade"
    if 0 < rel < _ANY:
        return "Every grade above 0 is relevant; there is no smaller number above 0"
    return f"Documents are relevant from grade {rel:g} on"


def deviating(profile: Profile, rule: Rule) -> dict[str, Any]:
    """The settings that a single measure has otherwise than its profile."""
    own = {**rule.judging, **rule.averaging}
    return {name: value for name, value in own.items() if shown(value) != shown(value_of(profile, ROOMS[name], name))}


def typed(rule: Rule) -> str:
    """The name of a rule as one types it, with 10 for a cutoff; empty where it holds numbers that need a choice."""
    blanks = _BLANK.findall(rule.name)
    return "" if set(blanks) - set(_NUMBERS) else _BLANK.sub(lambda blank: _NUMBERS[blank[1]], rule.name)


def spoken(profile: Profile, measure: Quantity) -> dict[str, Asked]:
    """What a tool calls a measure, as typed, and what each of these names means; the first name of each meaning.

    Args:
        profile: the conventions of the tool.
        measure: the measure; names with a cutoff are meant where it has one, others where it has none. Where the tool
            has only the other kind, that.

    """
    plainest = sorted(profile.rules, key=lambda rule: len(rule.name))  # what is added to a name makes it another
    found = _meant(profile, filter(None, map(typed, plainest)), measure)
    found = found or _meant(profile, _spelled(profile, measure), measure)
    alike = {text: one for text, one in found.items() if _cut(one.quantity) == _cut(measure)}
    meanings: dict[tuple[object, ...], tuple[str, Asked]] = {}
    for text, one in (alike or found).items():
        meanings.setdefault((one.quantity, one.judging, one.averaging), (text, one))
    return dict(meanings.values())


def example(profile: Profile) -> str:
    """A name to try a profile with, as typed: nDCG if the tool has it."""
    ndcg = names.parse("nDCG@10")
    ready = [*spoken(profile, ndcg), *filter(None, map(typed, profile.rules)), str(ndcg)]
    return ready[0]


def command(profile: Profile) -> str:
    """A command that uses a profile."""
    return f"rankworth evaluate QRELS RUN --profile {profile.name} -m {shlex.quote(example(profile))}"


def _meant(profile: Profile, texts: Iterable[str], measure: Quantity) -> dict[str, Asked]:
    """Those of some names that stand for a measure, with whatever parameters."""
    found = {}
    for text in texts:
        with suppress(MeasureError):
            [one] = profile.ask([text])[:1]
            if one.quantity.name == measure.name and _plain(one, measure):
                found[text] = one
    return found


def _plain(asked: Asked, measure: Quantity) -> bool:
    return getattr(asked.quantity, "averaging", "") == getattr(measure, "averaging", "")


def _cut(measure: Quantity) -> bool:
    return measure.cutoff is not None


def known(profile: Profile) -> Mapping[str, str]:
    """The names of a profile's tool that need no rules, and what they mean; {k} is a cutoff."""
    own = [tool for tool in TOOLS if tool in profile.tool]
    below = (one.tool for one in PROFILES.values() if one.rules and profile.rules[-len(one.rules) :] == one.rules)
    tools = own or dict.fromkeys(tool for other in below for tool in TOOLS if tool in other)
    return {name: means for tool in tools for name, means in _names_of(tool)}


def _names_of(tool: str) -> Iterator[tuple[str, str]]:
    for name, means in TOOLS[tool].items():
        entry = TREC_EVAL.get(name) if TOOLS[tool].keys() == TREC_EVAL.keys() else None
        if entry is None:
            yield from ((name, means), (f"{name}@{{k}}", f"{means}@{{k}}"))
        elif entry.takes == "cutoffs":
            yield f"{name}_{{k}}", f"{means}@{{k}}"
        else:
            yield name, means


def _spelled(profile: Profile, measure: Quantity) -> list[str]:
    """Names for a measure of a tool that has those of another one, and needs no rules for them."""
    if not profile.tool:
        return [str(measure)]
    found = []
    for name, means in known(profile).items():
        text, meant = (_BLANK.sub(_NUMBERS["k"], one) for one in (name, means))
        with suppress(MeasureError):
            found += [text] if names.parse_all([meant]) == [measure] else []
    return found

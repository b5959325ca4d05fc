"""Pages of profiles: the list, what one of them sets and why, what its tool calls measures."""

import inspect
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

from rankworth.errors import MeasureError
from rankworth.names import TOOLS, TREC_EVAL
from rankworth.profiles import PROFILES, STANDARD, Profile, ResolvedMeasure, Rule, profile_of
from rankworth.profiles.profile import AVERAGING, JUDGING
from rankworth.reference.markdown import bullets, escaped, formula, items, page, table
from rankworth.settings import Averaging, Judging

STEPS: Final = dict.fromkeys(JUDGING, "judging") | dict.fromkeys(AVERAGING, "averaging")
"""every setting, and the step that it belongs to"""
HEADINGS: Final = {
    "run": "Reproduced: numbers compared with those of the tool",
    "source": "By source only: read, never compared with a run of the tool",
}
_BASIS: Final = {
    "run": "Reproduced: the numbers that it gives were compared with those of the tool itself.",
    "source": "By source only: read in the places that stand below, never compared with a run of the tool.",
}
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
_TOO: Final = "These need no rules of their own, and mean the same under every profile but for its settings:"
_ALL: Final = "They mean what they mean under every profile, but for the settings:"
_NOWHERE: Final = "No input is known on which the tool gives another number."
_UNCOMPARED: Final = "Its source was read and the tool was not run, so that no number was compared with one of its own."
_OUR_OWN: Final = (
    "Our own names work under a profile, too, and so do trec_eval's, ir_measures' and ranx's: they are then computed "
    "with these settings, and as the tool computes its own measure of that kind."
)
_ENTRY: Final = re.compile(r"(?m)^(\w+): (.+(?:\n .+)*)")
_BLANK: Final = re.compile(r"\{(\w+)\}")
_NUMBERS: Final = {"k": "10", "p": "0.8", "d": "8"}
"""what replaces a blank in an example: a cutoff, a persistence, a number of decimals"""
_LEAST: Final = 1e-300
"""a threshold of relevance below it means every grade above 0"""


def listing() -> str:
    """All profiles: name, tool, version, a sentence, and whether their numbers were reproduced."""
    blocks = []
    for basis, heading in HEADINGS.items():
        some = [one for one in PROFILES.values() if one.basis == basis]
        entries = ((one.name, version(one).partition(",")[0] or "the default", _first_sentence(one)) for one in some)
        blocks += [f"## {heading}", items(entries)]
    first = first_of_a_tool()
    blocks.append("A name without its version stands for the newest one.")
    return page([*blocks, f"One in full: `rankworth profiles {first.name}`", f"To use one: `{command(first)}`"])


def profile(name: str | Profile) -> str:
    """A page on one profile: what it sets and why, what it refuses, its names, defects, what it leaves open, sources.

    Args:
        name: a profile, or its name; without the version, the newest.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen = profile_of(name)
    blocks = [f"# {escaped(chosen.name)}", escaped(chosen.sentence)]
    if chosen.tool:
        blocks.append(escaped(f"{version(chosen)}. {_BASIS[chosen.basis]}"))
    blocks += ["## To use it", formula(command(chosen))]
    blocks.append(formula(f'rankworth.evaluate(qrels, run, ["{example(chosen)}"], profile="{chosen.name}")'))
    if chosen.complete:
        blocks.append(escaped(f"With --complete (-c) it is {chosen.complete}."))
    blocks += ["## What it sets", *_settings(chosen)]
    if refused := list(_refusals(chosen)):
        blocks += ["## What it refuses", bullets(refused)]
    blocks += ["## Names", *_names(chosen), *_defects(chosen), *_uncertain(chosen)]
    if chosen.sources:
        blocks += ["## Sources", bullets(text if "://" in text else f"`{text}`" for text in chosen.sources)]
    return page(blocks)


def names(name: str | Profile) -> str:
    """A page on what a tool calls measures, and what that means here.

    Args:
        name: a profile, or its name; without the version, the newest.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen = profile_of(name)
    rest = f"What it sets for all of them: `rankworth profiles {chosen.name}`"
    return page([f"# Names under {chosen.name}", *_names(chosen), rest, *_defects(chosen), *_uncertain(chosen)])


def version(profile: Profile) -> str:
    """The tool and its version."""
    return profile.tool if profile.version in profile.tool else f"{profile.tool} {profile.version}"


def first_of_a_tool() -> Profile:
    """The profile of examples: the first of a tool, by name."""
    return next(profile for profile in PROFILES.values() if profile.tool)


def command(profile: Profile) -> str:
    """A command that uses a profile."""
    return f"rankworth evaluate QRELS RUN --profile {profile.name} -m {shlex.quote(example(profile))}"


def example(profile: Profile) -> str:
    """A name to try a profile with: nDCG if the tool has it, with a cutoff if it can have one."""
    own = [text for text in map(typed, profile.rules) if text]
    tools = [name.replace("{k}", "10") for name in known(profile)]
    found: dict[bool, str] = {}
    for text in [*sorted(own, key=len), *tools]:
        with suppress(MeasureError):
            quantity = profile.ask([text])[0].quantity
            if quantity.name == "nDCG":
                found.setdefault(quantity.cutoff is not None, text)
    return found.get(True) or found.get(False) or [*own, "nDCG@10"][0]


def typed(rule: Rule) -> str:
    """A name as it is typed, with 10 for a cutoff; empty if it holds numbers that nobody can choose for the user."""
    blanks = _BLANK.findall(rule.name)
    return "" if set(blanks) - set(_NUMBERS) else _BLANK.sub(lambda blank: _NUMBERS[blank[1]], rule.name)


def known(profile: Profile) -> dict[str, str]:
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


def value_of(profile: Profile | ResolvedMeasure, name: str) -> Any:  # noqa: ANN401 - whatever the setting holds
    """The value of a setting under a profile, or for one measure under it."""
    return getattr(getattr(profile, STEPS[name]), name)


def shown(value: object) -> str:
    """The value of a setting as it is typed."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else "none" if value is None else str(value)


def differing(profile: Profile | ResolvedMeasure) -> dict[str, tuple[Any, Any]]:
    """The settings that are not those of the standard, with both values."""
    pairs = {name: (value_of(profile, name), value_of(STANDARD, name)) for name in STEPS}
    return {name: (value, standard) for name, (value, standard) in pairs.items() if value != standard}


def deviating(profile: Profile, rule: Rule) -> dict[str, Any]:
    """The settings that one measure has otherwise than its profile."""
    own = {**rule.judging, **rule.averaging}
    return {name: value for name, value in own.items() if shown(value) != shown(value_of(profile, name))}


@cache
def explained() -> Mapping[str, str]:
    """What each setting does, in the words of its docstring."""
    texts: dict[str, str] = {}
    for settings in (Judging, Averaging):
        block = inspect.cleandoc(settings.__doc__ or "").partition("Attributes:\n")[2]
        texts |= {name: " ".join(text.split()) for name, text in _ENTRY.findall(inspect.cleandoc(block))}
    return texts


def _first_sentence(profile: Profile) -> str:
    return re.split(r"(?<=\.) (?=[A-Z])", profile.sentence)[0]


def _settings(profile: Profile) -> Iterator[str]:
    """What differs from the standard; then what is as in the standard, where there is something to say of it."""
    if profile is STANDARD:
        yield _STANDARD_IS
        yield items((_setting(profile, name), step, explained()[name]) for name, step in STEPS.items())
        return
    differs = differing(profile)
    why = {name: text for (step, _, name), text in _reasons(profile) if STEPS.get(name) == step}
    entries = [
        (_setting(profile, name), f"{STANDARD.name}: {shown(standard)}", why.get(name, explained()[name]))
        for name, (_, standard) in differs.items()
    ]
    if profile.rel is not None:
        entries.insert(0, (f"rel={shown(profile.rel)}", f"{STANDARD.name}: 1", f"{_threshold(profile.rel)}."))
    yield items(entries) if entries else f"Nothing for all measures: they are as in {STANDARD.name}."
    if alike := [name for name in why if name not in differs]:
        yield f"## As in {STANDARD.name}"
        yield items((_setting(profile, name), "the same", why[name]) for name in alike)
    if single := [f"{name}: {text}" for (step, _, name), text in _reasons(profile) if step == "measures"]:
        yield "## Of single measures"
        yield bullets(single)


def _reasons(profile: Profile) -> list[tuple[tuple[str, str, str], str]]:
    """Why a profile has its settings, each with the step, a point and the name."""
    return [(key.partition("."), text) for key, text in profile.why.items()]


def _setting(profile: Profile, name: str) -> str:
    return f"{name}={shown(value_of(profile, name))}"


def _refusals(profile: Profile) -> Iterator[str]:
    """What is refused, for which measures, and the tool's own message."""
    for name, text in profile.refuses.items():
        everywhere = _refuses(name, value_of(profile, name))
        of = [rule.name for rule in profile.rules if _refuses(name, getattr(rule, STEPS[name]).get(name))]
        if everywhere or of:
            where = "" if everywhere else f", in {of[0]}" + (f" and {len(of) - 1} more" if of[1:] else "")
            yield f"{_REFUSED.get(name, name)}{where}: {text}"


def _refuses(name: str, value: object) -> bool:
    return str(value).startswith("error") or value == "whole" or (name in ("highest", "fewest") and bool(value))


def _names(profile: Profile) -> Iterator[str]:
    """The names of the tool, those of one meaning in one row."""
    titles = ("name", "means here", "and")
    groups: dict[tuple[str, ...], list[Rule]] = {}
    for rule in profile.rules:
        settings = str(sorted(deviating(profile, rule).items()))
        groups.setdefault((rule.means, settings, rule.note, rule.unspecified), []).append(rule)
    if groups:
        yield table(titles, (_row(profile, rules) for rules in groups.values()))
    measured = {rule.example.name for rule in profile.rules if rule.example is not None}
    others = {name: means for name, means in known(profile).items() if _is_other(name, means, measured)}
    if others:
        yield _TOO if groups else _ALL
        yield table(titles, ((f"`{name}`", f"`{means}`", "") for name, means in others.items()))
    yield from _legend([*(rule.name for rule in profile.rules), *others])
    meanings = " ".join(rule.means for rule in profile.rules)
    for rel in ("5e-324", "-1e308"):
        if re.search(rf"\brel={rel}\b", meanings):
            yield f"**rel={rel}:** {_threshold(float(rel))}."
    yield _OUR_OWN


def _row(profile: Profile, rules: Iterable[Rule]) -> tuple[str, str, str]:
    """A name, its meaning, and settings of its own, other names, numbers of remarks."""
    first, *others = sorted(rules, key=lambda rule: len(rule.name))
    settings = ", ".join(f"{name}={shown(value)}" for name, value in deviating(profile, first).items())
    also = f"also {', '.join(rule.name for rule in others)}" if others else ""
    marks = "".join(f"[{_numbers(profile)[text]}]" for text in (first.note, first.unspecified) if text)
    return f"`{first.name}`", f"`{first.means}`", "; ".join(filter(None, (settings, also, marks)))


def _is_other(name: str, means: str, measured: Iterable[str]) -> bool:
    """Whether no rule is about the measure; of names that differ by a cutoff alone, the one without."""
    return re.split(r"[(@]", means.removeprefix("gmean("))[0] not in measured and not name.endswith("@{k}")


def _legend(called: list[str]) -> Iterator[str]:
    """What the names in braces mean."""
    blanks = {blank for name in called for blank in _BLANK.findall(name)}
    for kind, some in (("a whole number", blanks & {"k", "d"}), ("a number", blanks - {"k", "d", "gains"})):
        if some:
            braced = " and ".join(f"{{{blank}}}" for blank in sorted(some))
            yield f"{braced} stand{'' if some - {min(some)} else 's'} for {kind}."
    if "gains" in blanks:
        yield "{gains} stands for gains by grade, as in 1=0.5,2=3."


def _threshold(rel: float) -> str:
    """What a grade from which documents are relevant comes to."""
    if rel < -1 / _LEAST:
        return "Every judged document is relevant, whatever its grade"
    if 0 < rel < _LEAST:
        return "Every grade above 0 is relevant; there is no smaller number above 0"
    return f"Documents are relevant from grade {rel:g} on"


def _numbers(profile: Profile) -> dict[str, int]:
    """The remarks on single names, numbered: defects, then what the tool leaves open."""
    texts = [*(rule.note for rule in profile.rules), *(rule.unspecified for rule in profile.rules)]
    return {text: number for number, text in enumerate(dict.fromkeys(filter(None, texts)), 1)}


def _defects(profile: Profile) -> Iterator[str]:
    notes = {rule.note for rule in profile.rules}
    if defects := [f"[{number}] {text}" for text, number in _numbers(profile).items() if text in notes]:
        yield "## Defects that are repeated here"
        yield bullets(defects)


def _uncertain(profile: Profile) -> Iterator[str]:
    """On which inputs the number of the tool cannot be promised."""
    if not profile.tool:
        return
    yield "## Where its number cannot be promised"
    texts = {rule.unspecified for rule in profile.rules}
    unspecified = {text: f"[{number}]" for text, number in _numbers(profile).items() if text in texts}
    if unspecified:
        ties = "where a judged document has the score of another one, rankworth says so (unspecified-order)"
        yield escaped(f"Names with {', '.join(unspecified.values())}: {ties}.")
    remarks = [*(f"{number} {text}" for text, number in unspecified.items()), *profile.differs]
    if remarks:
        yield bullets(remarks)
    elif profile.basis == "run":
        yield _NOWHERE
    if profile.basis != "run":
        yield _UNCOMPARED

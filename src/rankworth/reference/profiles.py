"""Pages of profiles: the list, what one of them sets and why, what its tool calls measures."""

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from rankworth.errors import MeasureError
from rankworth.measures.parameters import LEAST_REL, MOST_REL
from rankworth.profiles import PROFILES, STANDARD, Profile, ResolvedMeasure, Rule, profile_of
from rankworth.profiles.call_data import AVERAGING, JUDGING, explained
from rankworth.reference import bullets, escaped, formula, items, page, table
from rankworth.spellings import TOOLS, TREC_EVAL

HEADINGS: Final = {
    "run": "Reproduced: numbers compared with those of the tool",
    "source": "By source only: read, never compared with a run of the tool",
}
STEPS: Final = dict.fromkeys(JUDGING, "judging") | dict.fromkeys(AVERAGING, "averaging")
"""every setting and what else is told of a profile, and the step that it belongs to"""
_OUR_OWN: Final = """Our own names work under a profile, too, and so do trec_eval's, ir_measures' and ranx's: they \
are then computed with these settings, and as the tool computes its own measure of that kind."""
_BLANK: Final = re.compile(r"\{(\w+)\}")
_NUMBERS: Final = {"k": "10", "p": "0.8", "d": "8"}
"""what replaces a blank in an example: a cutoff, a persistence, a number of decimals"""


def profile_list() -> str:
    """List all profiles: name, tool, version, a sentence, and whether their numbers were reproduced."""
    blocks = []
    for basis, heading in HEADINGS.items():
        group = [profile for profile in PROFILES.values() if profile.basis == basis]
        versions = (version(profile).partition(",")[0] or "the default" for profile in group)
        sentences = (re.split(r"(?<=\.) (?=[A-Z])", profile.sentence)[0] for profile in group)
        entries = zip((profile.name for profile in group), versions, sentences, strict=True)
        blocks += [f"## {heading}", items(entries)]
    first = first_of_a_tool()
    blocks.append("A name without its version stands for the newest one.")
    return page([*blocks, f"One in full: `rankworth profiles {first.name}`", f"To use one: `{command(first)}`"])


def profile_page(name: str | Profile) -> str:
    """Write the page of one profile: its settings and why, refusals, names, defects, what it leaves open, sources.

    Args:
        name: a profile, or its name; without the version, the newest.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen = profile_of(name)
    blocks = [f"# {escaped(chosen.name)}", escaped(chosen.sentence)]
    if chosen.tool:
        blocks.append(escaped(f"{version(chosen)}. {HEADINGS[chosen.basis]}."))
    blocks += ["## To use it", formula(command(chosen))]
    blocks.append(formula(f'rankworth.evaluate(qrels, run, ["{name_to_try(chosen)}"], profile="{chosen.name}")'))
    if chosen.complete:
        blocks.append(escaped(f"With --complete (-c) it is {chosen.complete}."))
    blocks += ["## What it sets", *_settings(chosen)]
    if refused := list(_refusals(chosen)):
        blocks += ["## What it refuses", bullets(refused)]
    blocks += ["## Names", *_rules(chosen), *_remarks(chosen)]
    if chosen.sources:
        blocks += ["## Sources", bullets(text if "://" in text else f"`{text}`" for text in chosen.sources)]
    return page(blocks)


def names_page(name: str | Profile) -> str:
    """Write the page on a tool's names of measures and their meaning here.

    Args:
        name: a profile, or its name; without the version, the newest.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen = profile_of(name)
    rest = f"What it sets for all of them: `rankworth profiles {chosen.name}`"
    return page([f"# Names under {chosen.name}", *_rules(chosen), rest, *_remarks(chosen)])


def version(profile: Profile) -> str:
    """Return the tool and its version."""
    return profile.tool if profile.version in profile.tool else f"{profile.tool} {profile.version}"


def first_of_a_tool() -> Profile:
    """Return the profile of examples: the first of a tool, by name."""
    return next(profile for profile in PROFILES.values() if profile.tool)


def command(profile: Profile) -> str:
    """Write a command that uses a profile."""
    return f"rankworth evaluate QRELS RUN --profile {profile.name} -m {shlex.quote(name_to_try(profile))}"


def name_to_try(profile: Profile) -> str:
    """Choose a name to try a profile with: nDCG if the tool has it, with a cutoff if it can have one."""
    rule_names = [text for text in map(typed, profile.rules) if text]
    tools = [name.replace("{k}", "10") for name in known(profile)]
    shown: dict[bool, str] = {}
    for text in [*sorted(rule_names, key=len), *tools]:
        with suppress(MeasureError):
            quantity = profile.ask([text])[0].quantity
            if quantity.name == "nDCG":
                shown.setdefault(quantity.cutoff is not None, text)
    return shown.get(True) or shown.get(False) or [*rule_names, "nDCG@10"][0]


def typed(rule: Rule) -> str:
    """Write a name as it is typed, 10 for a cutoff; empty if it holds numbers that nobody can choose for the user."""
    blanks = _BLANK.findall(rule.name)
    return "" if set(blanks) - set(_NUMBERS) else _BLANK.sub(lambda blank: _NUMBERS[blank[1]], rule.name)


def known(profile: Profile) -> dict[str, str]:
    """Return the names of a profile's tool that need no rules, and their meanings; {k} is a cutoff."""
    named_tools = [tool for tool in TOOLS if tool in profile.tool]
    below = (each.tool for each in PROFILES.values() if each.rules and profile.rules[-len(each.rules) :] == each.rules)
    tools = named_tools or dict.fromkeys(tool for other in below for tool in TOOLS if tool in other)
    shown: dict[str, str] = {}
    for tool in tools:
        for name, means in TOOLS[tool].items():
            takes_cutoffs = tool == "trec_eval" and TREC_EVAL[name].takes == "cutoffs"
            if not takes_cutoffs:
                shown[name] = means
            if takes_cutoffs or tool != "trec_eval":
                shown[f"{name}{'_' if takes_cutoffs else '@'}{{k}}"] = f"{means}@{{k}}"
    return shown


def shown(value: object) -> str:
    """Write the value of a setting as it is typed."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else "none" if value is None else str(value)


def differing(profile: Profile | ResolvedMeasure) -> dict[str, tuple[Any, Any]]:
    """Return the settings that are not those of the standard, with both values."""
    standard = STANDARD.conventions
    return {name: (value, standard[name]) for name, value in profile.conventions.items() if value != standard[name]}


def deviating(profile: Profile, rule: Rule) -> dict[str, Any]:
    """Return the settings that one measure has otherwise than its profile."""
    rule_settings = {**rule.judging, **rule.data, **rule.averaging}
    return {name: value for name, value in rule_settings.items() if shown(value) != shown(profile.setting(name))}


def _settings(profile: Profile) -> Iterator[str]:
    """Yield the settings unlike the standard, then the equal ones with a note."""

    def setting(name: str) -> str:
        return f"{name}={shown(profile.setting(name))}"

    if profile is STANDARD:
        yield "Nothing: the others are told by what they set otherwise. These are all settings, as they are here."
        yield items((setting(name), step, explained()[name]) for name, step in STEPS.items())
        return
    differs = {name: f"{STANDARD.name}: {shown(standard)}" for name, (_, standard) in differing(profile).items()}
    why = {name.partition(".")[2]: text for name, text in profile.why.items() if not name.startswith("measures.")}
    entries = [(setting(name), kind, why.get(name, explained()[name])) for name, kind in differs.items()]
    if profile.rel is not None:
        entries.insert(0, (f"rel={shown(profile.rel)}", f"{STANDARD.name}: 1", f"{_threshold(profile.rel)}."))
    yield items(entries) if entries else f"Nothing for all measures: they are as in {STANDARD.name}."
    if same := [name for name in why if name not in differs]:
        yield f"## As in {STANDARD.name}"
        yield items((setting(name), "the same", why[name]) for name in same)
    prefix = "measures."
    if single := [(name, text) for name, text in profile.why.items() if name.startswith(prefix)]:
        yield "## Of single measures"
        yield bullets(f"{name.removeprefix(prefix)}: {text}" for name, text in single)


def _refusals(profile: Profile) -> Iterator[str]:
    """Yield the settings that refuse an input, the measures concerned, and the tool's own message."""

    def refuses(name: str, value: object) -> bool:
        return str(value).startswith("error") or value == "whole" or (name in ("highest", "fewest") and bool(value))

    for name, text in profile.refuses.items():
        everywhere = refuses(name, profile.setting(name))
        of = [rule.name for rule in profile.rules if refuses(name, getattr(rule, STEPS[name]).get(name))]
        if everywhere or of:
            where = "" if everywhere else f", in {of[0]}" + (f" and {len(of) - 1} more" if of[1:] else "")
            yield f"{name}{where}: {text}"
    for text in dict.fromkeys(rule.several for rule in profile.rules if rule.several):
        called = [rule.name for rule in profile.rules if rule.several == text]
        yield f"several queries, in {' and '.join(called)}: {text}."


def _rules(profile: Profile) -> Iterator[str]:
    """Yield a table of the tool's names, those of one meaning in one row."""
    titles, numbers = ("name", "means here", "and"), _numbers(profile)
    groups: dict[tuple[str, ...], list[Rule]] = {}
    for rule in profile.rules:
        settings = str(sorted(deviating(profile, rule).items()))
        groups.setdefault((rule.means, settings, rule.defect, rule.unspecified, rule.several), []).append(rule)
    rows = []
    for rules in groups.values():
        first, *also = sorted(rules, key=lambda rule: len(rule.name))
        more = [", ".join(f"{name}={shown(value)}" for name, value in deviating(profile, first).items())]
        more.append(f"also {', '.join(rule.name for rule in also)}" if also else "")
        more.append("".join(f"[{numbers[text]}]" for text in (first.defect, first.unspecified) if text))
        rows.append((f"`{first.name}`", f"`{first.means}`", "; ".join(filter(None, more))))
    if rows:
        yield table(titles, rows)
    measured = {rule.example.name for rule in profile.rules if rule.example is not None}
    # without the names with a cutoff, as those without one stand for both
    without = {name: means for name, means in known(profile).items() if not name.endswith("@{k}")}
    plain = {
        name: re.split(r"[(@]", means.removeprefix("gmean(").removeprefix("micro("))[0]
        for name, means in without.items()
    }
    unruled = {name: means for name, means in without.items() if plain[name] not in measured}
    if unruled:
        under = "under every profile, but for the settings:"
        yield f"These need no rules of their own, and mean the same {under}" if rows else f"They mean the same {under}"
        yield table(titles, ((f"`{name}`", f"`{means}`", "") for name, means in unruled.items()))
    blanks = {blank for name in (*(rule.name for rule in profile.rules), *unruled) for blank in _BLANK.findall(name)}
    if blanks:
        gains = ", {gains} for gains by grade, as in 1=0.5,2=3" if "gains" in blanks else ""
        yield f"Words in braces stand for numbers, {{k}} and {{d}} for whole ones{gains}."
    if profile.usual_options:
        usual = ", ".join(f"`{option}`" for option in profile.usual_options)
        yield f"Options may stand in any order; these change nothing: {usual}."
    meanings = " ".join(rule.means for rule in profile.rules)
    for rel in ("5e-324", "-1e308"):
        if re.search(rf"\brel={rel}\b", meanings):
            yield f"**rel={rel}:** {_threshold(float(rel))}."
    yield _OUR_OWN


def _threshold(rel: float) -> str:
    """Say in words the effect of the grade from which documents are relevant."""
    if rel < -MOST_REL:
        return "Every judged document is relevant, whatever its grade"
    if 0 < rel < LEAST_REL:
        return "Every grade above 0 is relevant; there is no smaller number above 0"
    return f"Documents are relevant from grade {rel:g} on"


def _numbers(profile: Profile) -> dict[str, int]:
    """Assign numbers to the remarks on single names: defects, repeated or not, then what the tool leaves open."""
    texts = [getattr(rule, remark) for remark in ("note", "departs", "unspecified") for rule in profile.rules]
    return {text: number for number, text in enumerate(dict.fromkeys(filter(None, texts)), 1)}


def _remarks(profile: Profile) -> Iterator[str]:
    """Yield defects, reproduced ones first, and inputs for which the tool's number is not promised."""
    numbered = [(f"[{number}]", text) for text, number in _numbers(profile).items()]
    repeated, corrected = {rule.note for rule in profile.rules}, {rule.departs for rule in profile.rules}
    texts = {rule.unspecified for rule in profile.rules}
    for heading, defects in (("repeated here", repeated), ("not repeated here", corrected)):
        if remarks := [f"{mark} {text}" for mark, text in numbered if text in defects]:
            yield f"## Defects that are {heading}"
            yield bullets(remarks)
    if not profile.tool:
        return
    yield "## Where its number cannot be promised"
    unspecified = [(mark, text) for mark, text in numbered if text in texts]
    if unspecified:
        ties = "where a judged document has the score of another one, rankworth says so (unspecified-order)"
        yield escaped(f"Names with {', '.join(mark for mark, _ in unspecified)}: {ties}.")
    unmeasured = (f"{', '.join(labels)}: not computed here, as {why}." for why, labels in profile.unmeasured.items())
    if remarks := [*map(" ".join, unspecified), *profile.differs, *unmeasured]:
        yield bullets(remarks)
    elif profile.basis == "run":
        yield "No input is known on which the tool gives another number."
    if profile.basis != "run":
        yield "Its source was read and the tool was not run, so that no number was compared with one of its own."

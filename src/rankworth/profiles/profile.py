"""What a profile is, what a measure means under it, and all profiles by name."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, Final, Literal

from rankworth import names
from rankworth.errors import InputError, MeasureError, RankworthError, RefusedError, UsageError, counted
from rankworth.io.options import Blank
from rankworth.judging.exclusion import Exclusion
from rankworth.names import Quantity
from rankworth.profiles.call_data import NO_DATA, READERS, CallData, conventions_by_name, refuse_unknown
from rankworth.profiles.rules import BLANK, Rule, base, pattern
from rankworth.settings import QUIRKS, Averaging, Judging, as_typed
from rankworth.settings_keywords import OptionKeywords
from rankworth.spellings import folded, translate

DEFAULT: Final = "standard"
ALL: Final = "all"
_STANDARD: Final = "standard-1"
_FOLDER: Final = files("rankworth.profiles")
_REFUSING: Final = {"duplicate-document": "duplicates", "duplicate-judgement": "duplicate_judgements"}
"""the settings that refuse, by the slugs of their errors"""
_INSTEAD: Final[Mapping[str, str | float]] = {
    "missing": "skip",
    "extra": "ignore",
    "empty": "zero",
    "no_relevant": "keep",
    "undefined": 0,
    "negative": "zero",
    "grades": "given",
    "highest": 1000,
    "fewest": 0,
    "query_ids": "any",
    "no_queries": "nan",
}
"""what may be set in place of what refuses"""
_TABLES: Final = ("why", "refuses", "cures", "unmeasured")
"""what a file adds to that of the profile that it extends, by name"""


class ReadSettings(OptionKeywords, total=False):
    """The settings of an evaluation, and how its judgements and runs are read."""

    columns: Mapping[str, str] | None
    qrels_columns: Mapping[str, str] | None
    run_columns: Mapping[str, str] | None
    blank: Blank | None
    ids: object
    qrels_ids: object
    run_ids: object
    cost: object
    collapse: object
    sources: object


@dataclass(frozen=True)
class ResolvedMeasure:
    """A name of a measure, resolved under a profile: the measure and its settings.

    Attributes:
        label: the name as it was typed, which results keep.
        quantity: the measure.
        judging: how the run is judged for it.
        averaging: how its values are averaged.
        data: what is excluded, and the weights and groups of queries.
        rule: what the profile says of it, if it does.

    """

    label: str
    quantity: Quantity
    judging: Judging
    averaging: Averaging
    data: CallData
    rule: Rule | None = field(default=None, compare=False)

    @property
    def conventions(self) -> dict[str, Any]:
        """Its settings and data by name, in the order of signatures."""
        return conventions_by_name(self.judging, self.averaging, self.data)

    def refuse_several(self, queries: int) -> None:
        """Refuse several queries where the tool does not average over queries by this name.

        Raises:
            MeasureError: `ambiguous-measure`.

        """
        if queries > 1 and self.rule is not None and self.rule.several:
            problem = f"{self.label}: {self.rule.several}; there are {counted(queries)}"
            raise MeasureError("ambiguous-measure", problem, remedy=self.rule.instead)


@dataclass(frozen=True, repr=False)
class Profile:
    """How to judge, how to average and what names mean, under one name.

    Attributes:
        name: the name with its version.
        judging: settings of the judging.
        averaging: settings of the averaging.
        data: what is excluded, and the weights and groups of queries.
        tool: whose conventions these are.
        version: of the tool, as it was looked at.
        basis: whether its numbers were reproduced (`run`), or its source was read (`source`).
        sentence: what it is.
        sources: where in the tool's source this stands.
        why: what each setting does to a number, and why that matters.
        refuses: what the tool says where a setting is an error, in its terms.
        rules: what the tool's names mean.
        derived: the settings that were changed since.
        rel: the grade from which documents are relevant to the tool, if that is not 1.
        complete: the profile that the tool's `-c` makes of this one.
        lacks: names that are known elsewhere and that this tool does not have.
        usual_options: options in the tool's names, `name:option;option` in any order, that change nothing.
        unmeasured: why measures of the tool are not computed here, and their names: with parameters for these, without
            for all. So a profile is closed: no measure of the tool is answered by another one of its name.
        cures: what the tool itself offers in place of refusing, as an option here.
        differs: on which inputs the tool gives another number, or one that is left to chance.
        may_be_empty: whether the tool gives a number where judgements or run have no row, which are refused otherwise.

    """

    name: str
    judging: Judging = field(default_factory=Judging)
    averaging: Averaging = field(default_factory=Averaging)
    data: CallData = NO_DATA
    tool: str = ""
    version: str = ""
    basis: Literal["run", "source"] = "run"
    sentence: str = ""
    sources: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict, hash=False)
    refuses: Mapping[str, str] = field(default_factory=dict, hash=False)
    rules: tuple[Rule, ...] = field(default=(), hash=False)
    derived: tuple[str, ...] = ()
    rel: float | None = None
    complete: str = ""
    lacks: tuple[str, ...] = ()
    usual_options: tuple[str, ...] = ()
    unmeasured: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    cures: Mapping[str, str] = field(default_factory=dict, hash=False)
    differs: tuple[str, ...] = ()
    may_be_empty: bool = False

    def derive(self, **settings: Any) -> "Profile":  # noqa: ANN401 - `OptionKeywords`; None leaves a setting as it is
        """Change settings of the profile for all of its measures; the signature says so.

        Args:
            settings: see `OptionKeywords`; None where nothing is said.

        Raises:
            UsageError: `unknown-setting`.
            InputError: where what is to be excluded cannot be read; `bad-weight`.

        """
        changed: dict[str, Any] = {
            name: READERS[name](value) if name in READERS else value
            for name, value in settings.items()
            if value is not None
        }
        refuse_unknown(changed)
        if not changed:
            return self

        def kept(settings: Mapping[str, Any]) -> Mapping[str, Any]:
            return {name: value for name, value in settings.items() if name not in changed}

        def of(part: Judging | Averaging | CallData) -> dict[str, Any]:
            return {name: changed[name] for name in vars(part) if name in changed}

        rules = (
            replace(
                rule,
                judging=kept(rule.judging),
                averaging=kept(rule.averaging),
                data=kept(rule.data),
                removed=kept(rule.removed),
            )
            for rule in self.rules
        )
        return replace(
            self,
            judging=replace(self.judging, **of(self.judging)),
            averaging=replace(self.averaging, **of(self.averaging)),
            data=replace(self.data, **of(self.data)),
            rules=tuple(rules),
            derived=(*self.derived, *(name for name in changed if name not in self.derived)),
        )

    def __repr__(self) -> str:
        """Show the name, and the settings that were changed since."""
        changed = (f"{name}={self.setting(name)!r}" for name in self.derived)
        return f"Profile({', '.join([repr(self.name), *changed])})"

    @property
    def conventions(self) -> dict[str, Any]:
        """Its settings and data by name, in the order of signatures."""
        return conventions_by_name(self.judging, self.averaging, self.data)

    def setting(self, name: str) -> Any:  # noqa: ANN401 - whatever it holds
        """Return the value of a setting, or data."""
        return self.conventions[name]

    def ask(self, texts: Iterable[object], *, rel: float | None = None) -> list[ResolvedMeasure]:
        """Resolve all measures of a list, each name once, or raise one error that names every mistake in it.

        Args:
            texts: the tool's names, our own, measures, facts, measure objects of ir_measures.
            rel: the grade from which documents count as relevant, for measures that do not say it themselves.

        Raises:
            MeasureError: as `rankworth.names.parse_all`.

        """
        rel = self.rel if rel is None else rel
        if not self.rules:
            pairs = names.parse_named(texts, rel=rel)
            settings = self.judging, self.averaging, self.data
            return _labelled([ResolvedMeasure(label, each, *settings) for label, each in pairs])
        resolved: dict[ResolvedMeasure, None] = {}
        errors: list[MeasureError] = []
        for text in names.several(texts):
            try:
                resolved |= dict.fromkeys(self._resolved(text, rel))
            except MeasureError as error:
                errors.append(error)
        if errors:
            together = MeasureError.together(errors)
            names_here = f"what {self.tool} calls its measures: rankworth measures --profile {self.name}"
            raise together.with_remedy("\n".join(filter(None, (together.remedy, names_here))))
        if not resolved:
            names.parse_all([])
        return _labelled(list(resolved))

    def refused(self, error: RefusedError, label: str = "") -> RefusedError:
        """Reword the error in the terms of the tool, if it is the tool that refuses.

        Args:
            error: what is refused.
            label: the measure, if it is about one.

        """
        setting = error.setting
        says = "" if setting in self.derived else self.refuses.get(setting, "")
        name, instead = ("above", "clipped") if setting == "highest" else (setting, _INSTEAD[setting])
        value = f'"{instead}"' if isinstance(instead, str) else instead
        in_python = f'quirks={{"{name}": {value}}}' if name in QUIRKS else f"{name}={value}"
        remedy = f"{' '.join(as_typed(name, instead))} ({in_python}) changes that, and the signature says so"
        if says and setting in self.cures:
            remedy = f"{self.cures[setting]}\n{remedy}"
        return RefusedError(setting, error.refused, f"{label}: {says}" if label and says else says, remedy)

    def reworded(self, error: RankworthError) -> RankworthError:
        """Reword an error about repeated documents in terms of the tool, if the tool refuses them."""
        setting = _REFUSING.get(error.slug, "")
        says = "" if setting in self.derived else self.refuses.get(setting, "")
        if not says:
            return error
        first, *further = error.problems
        return InputError(error.slug, f"{says} (here: {first})", *further, more=error.more, remedy=error.remedy)

    def _resolved(self, text: object, rel: float | None) -> list[ResolvedMeasure]:
        """Resolve a name under the profile; the tool's names are tried first, as they are written, then in any case."""
        if not isinstance(text, str):
            return [self._like(quantity, set(), label) for label, quantity in names.parse_named([text], rel=rel)]
        label = text.strip()
        if any(re.fullmatch(rf"{re.escape(name)}([._][\d=.,-].*)?", label) for name in self.lacks):
            raise MeasureError("unknown-measure", f"{self.tool} {self.version} has no {text}")
        for why, labels in self.unmeasured.items():
            if any(pattern(name, exactly=False).fullmatch(label) for name in labels):
                raise self._not_computed(label, why)
        text = self._with_sorted_options(label)
        for exactly in (True, False):
            for rule in self.rules:
                means = rule.reads(text, exactly=exactly)
                if means is not None:
                    quantities = names.parse_all(means, rel=rel)
                    return [self._by(rule, each, label if len(quantities) == 1 else str(each)) for each in quantities]
        if reason := self._why_unmeasured.get(folded(base(label))):
            raise self._not_computed(label, reason)
        typed = {name for each in (text, *(translate(text) or ())) for name in re.findall(r"(\w+)\s*=", each)}
        parsed = names.parse_named([text], rel=rel)
        self._refuse_other(label, [quantity.name for _, quantity in parsed])
        return [self._like(quantity, typed, label) for label, quantity in parsed]

    def _refuse_other(self, label: str, quantities: Sequence[str]) -> None:
        """Refuse a name of the tool that is not written as the tool writes it, and means another measure here.

        Raises:
            MeasureError: `unknown-measure`.

        """
        alike = self._rules_by_name.get(folded(base(label)), [])
        means = {rule.example.name for rule in alike if rule.example is not None}
        if means and means.isdisjoint(quantities):
            text = f"{label} is no name of {self.tool}, which has {alike[0].name.replace('{k}', '10')}"
            raise MeasureError("unknown-measure", text, remedy=_without_profile(label))

    @cached_property
    def _why_unmeasured(self) -> dict[str, str]:
        """Why names of the tool are not computed here, by their folded names, whatever parameters and cutoff follow."""
        return {folded(name): why for why, labels in self.unmeasured.items() for name in labels if name == base(name)}

    @cached_property
    def _rules_by_name(self) -> dict[str, list[Rule]]:
        """The rules by the folded names of the tool, whatever parameters and cutoff follow."""
        by_name: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_name.setdefault(folded(base(rule.name)), []).append(rule)
        return by_name

    @property
    def tool_names(self) -> set[str]:
        """The names of all measures of the tool, computed here or not, without parameters."""
        return {base(name) for name in (*(rule.name for rule in self.rules), *chain(*self.unmeasured.values()))}

    def _not_computed(self, label: str, why: str) -> MeasureError:
        """Return the error for a measure of the tool that is not computed here."""
        text = f"{label} of {self.tool} is not computed here, as {why}"
        return MeasureError("unknown-measure", text, remedy=_without_profile(label))

    def _with_sorted_options(self, label: str) -> str:
        """Return a name with its options by name, without usual ones: `NDCG:top=10;denominator=LogPosition`."""
        name, _, written = label.partition(":")
        if not self.usual_options or not written:
            return label
        usual = {option.casefold() for option in self.usual_options}
        options = [option.strip() for option in written.split(";") if option.strip().casefold() not in usual]
        options.sort(key=str.casefold)
        return f"{name}:{';'.join(options)}" if options else name

    def _by(self, rule: Rule, quantity: Quantity, label: str) -> ResolvedMeasure:
        """Apply what a rule sets beside the profile to a measure."""
        judging = replace(self.judging, **rule.judging_of(label))
        averaging = {**rule.averaging, **(rule.removed if judging.unjudged == "removed" else {})}
        data = replace(self.data, **rule.data)
        return ResolvedMeasure(label, quantity, judging, replace(self.averaging, **averaging), data, rule)

    def _like(self, quantity: Quantity, typed: Collection[str], label: str) -> ResolvedMeasure:
        """Resolve a measure in our own words, with what the tool's plainest name for this measure takes with it.

        Args:
            quantity: the measure.
            typed: the parameters that were given with it.
            label: the name as it was typed.

        """
        rule = self._plainest_like(quantity)
        if rule is None or rule.example is None:
            return ResolvedMeasure(label, quantity, self.judging, self.averaging, self.data)
        chosen = {*typed, *dict(quantity.settings), quantity.definition.at}
        for name, value in rule.example.settings:
            of_cutoff = isinstance(value, str) and "k" in value and quantity.cutoff is None
            if name not in chosen and not of_cutoff:
                with suppress(MeasureError):  # what means nothing beside the parameters that were given
                    quantity = quantity(**{name: value})
        return self._by(rule, quantity, label)

    def _plainest_like(self, quantity: Quantity) -> Rule | None:
        """Find the rule with the shortest name about the same measure, if possible with a cutoff where it has one."""
        similar = [
            rule
            for rule in self.rules
            if {*BLANK.findall(rule.means)} <= {"k"}
            and rule.example is not None
            and rule.example.name == quantity.name
            and rule.example.averaging == quantity.averaging
        ]

        def plainness(rule: Rule) -> tuple[bool, bool, int, int]:
            settings = dict(rule.example.settings) if rule.example is not None else {}
            is_uncut = getattr(rule.example, "cutoff", None) is None
            return (
                bool(rule.several),
                is_uncut != (quantity.cutoff is None),
                len(settings.keys() - {"rel"}),
                len(rule.name),
            )

        return min(similar, key=plainness, default=None)


def _without_profile(label: str) -> str:
    """Name our measure of the same name as a tool's, without its profile; empty if there is none."""
    with suppress(MeasureError):
        return f"what rankworth calls so is another measure: {names.parse(label)} without the profile"
    return ""


def _labelled(measures: Sequence[ResolvedMeasure]) -> list[ResolvedMeasure]:
    """Give each measure a label of its own: repeated ones get a number."""
    taken: dict[str, int] = {}
    labelled = []
    for measure in measures:
        number = taken[measure.label] = taken.get(measure.label, 0) + 1
        labelled.append(measure if number == 1 else replace(measure, label=f"{measure.label} ({number})"))
    return labelled


_RENAMED: Final = {f"seed-00{number}": f"notebook-00{number}" for number in range(4)}
"""names that profiles had before, which stay"""


class UnknownProfileError(UsageError, KeyError):
    """There is no such profile; a `KeyError`, as mappings raise it."""

    __str__ = ValueError.__str__


class Profiles(Mapping[str, Profile]):
    """All profiles by name, each read when it is asked for; a name without its version stands for the newest one."""

    def __init__(self) -> None:
        """Start with the standard profile; others are read when they are looked up."""
        self._read: dict[str, Profile] = {_STANDARD: Profile(_STANDARD, sentence=_SENTENCE)}

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, the standard first."""
        return iter(self._names)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._names)

    def __getitem__(self, name: str) -> Profile:
        """Look up the profile of a name, in whatever case.

        Raises:
            UsageError: `unknown-setting`.

        """
        versioned = _versioned(_RENAMED.get(name.casefold(), name), self._names) if isinstance(name, str) else None
        if versioned is None:
            remedy = "all of them: rankworth profiles, in Python rankworth.PROFILES"
            if like := self._like(name):
                remedy = f"was {' or '.join(like)} meant?\n{remedy}"
            raise UnknownProfileError("unknown-setting", f"there is no profile {name!r}", remedy=remedy)
        if versioned not in self._read:
            table = tomllib.loads((_FOLDER / "data" / f"{versioned}.toml").read_text("utf-8"))
            base = self[table["extends"]] if table.get("extends") else Profile("")
            self._read[versioned] = _profile(table, base)
        return self._read[versioned]

    def __repr__(self) -> str:
        """List the names."""
        return f"PROFILES({', '.join(self)})"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        files = (file.name for file in (_FOLDER / "data").iterdir() if file.name.endswith(".toml"))
        return (_STANDARD, *sorted(name.removesuffix(".toml") for name in files))

    def _like(self, name: object) -> list[str]:
        """Suggest the first profiles of a tool of this name, or else profiles with similar names."""
        wanted = str(name).casefold().replace("_", "-")
        aliases = tomllib.loads((_FOLDER / "aliases.toml").read_text("utf-8"))
        tool = next((tool for tool, nicknames in aliases.items() if wanted in nicknames), wanted)
        return [name for name in self if name.startswith(tool)][:3] or get_close_matches(wanted, self, 3, 0.45)


@lru_cache(maxsize=256)
def _versioned(name: str, available: tuple[str, ...]) -> str | None:
    """Find the name as the file has it: in whatever case, with `-` or `_`, without version or with a part of it."""
    wanted = re.escape(name.casefold().replace("_", "-"))
    match_of = {
        name: re.fullmatch(rf"{wanted}(?:[-.]([\d.]+))?", name.casefold().replace("_", "-")) for name in available
    }
    exact = next((name for name, match in match_of.items() if match and match[1] is None), None)
    matches = [name for name, match in match_of.items() if match]

    def version(name: str) -> list[int]:
        return [int(part) for part in name.rpartition("-")[2].split(".") if part]

    return exact or max(matches, key=version, default=None)


def _profile(table: Mapping[str, Any], base: Profile) -> Profile:
    """Build a profile out of its file and the one that it extends."""
    open_here = {"unspecified": table.get("unspecified", "")}
    rules = [Rule(**open_here | rule | _judging_and_data(rule)) for rule in table.get("measures", ())]
    settings = _judging_and_data(table)
    changed: dict[str, Any] = {name: table[name] for name in ("name", "tool", "version", "basis", "sentence")}
    changed |= {name: {**getattr(base, name), **table.get(name, {})} for name in _TABLES}
    changed |= {name: table[name] for name in ("rel", "may_be_empty") if name in table}
    return replace(
        base,
        judging=replace(base.judging, **settings["judging"]),
        averaging=replace(base.averaging, **table.get("averaging", {})),
        data=replace(base.data, **settings["data"]),
        complete=table.get("complete", ""),
        sources=tuple(table.get("sources") or base.sources),
        lacks=tuple(table.get("lacks", base.lacks)),
        usual_options=tuple(table.get("usual_options", base.usual_options)),
        differs=(*base.differs, *table.get("differs", ())),
        rules=(*rules, *base.rules),
        **changed,
    )


def _judging_and_data(table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Part the settings of judging in a file from the names of exclusions; `none` excludes nothing."""
    judging = dict(table.get("judging", {}))
    exclude = judging.pop("exclude", None)
    data = {} if exclude is None else {"exclude": None if exclude == "none" else Exclusion.of(exclude)}
    return {"judging": judging, "data": data}


_SENTENCE: Final = "trec_eval 10 with -c: a judged query that the run does not answer counts 0"
PROFILES: Final = Profiles()
"""Every profile there is."""
STANDARD: Final = PROFILES[_STANDARD]
"""The arithmetic of trec_eval 10 with `-c`: a judged query that the run does not answer counts 0."""


def profile_of(name: str | Profile) -> Profile:
    """Look up the profile of a name.

    Raises:
        UsageError: `unknown-setting`.

    """
    if isinstance(name, Profile):
        return name
    if not isinstance(name, str) or name == ALL:
        text = "a profile is a name or a Profile; evaluate_profiles takes several, or 'all'"
        raise UsageError("unknown-setting", f"profile={name!r}: {text}")
    return PROFILES[name]


def profiles_of(names: Sequence[str], *, complete: bool = False) -> list[Profile]:
    """Look up the profiles of some names, the standard where there are none.

    Args:
        names: those of profiles; `all` stands for every one.
        complete: whether the tools would be called with `-c`, for which some have a profile of its own.

    Raises:
        UsageError: `unknown-setting`.

    """
    chosen: dict[str, Profile] = {}
    for name in names or (DEFAULT,):
        chosen |= {profile.name: profile for profile in map(profile_of, PROFILES if name == ALL else (name,))}
    if not complete:
        return list(chosen.values())
    doubled = {profile.complete for profile in chosen.values()}
    return [_complete(profile) for profile in chosen.values() if profile.name not in doubled]


def _complete(profile: Profile) -> Profile:
    """Return the profile as the tool's `-c` makes it: judged queries without results count."""
    if profile.complete:
        return profile_of(profile.complete)
    counts = profile.averaging.missing in ("zero", "nought", "absent")
    return profile if counts else profile.derive(missing="zero")

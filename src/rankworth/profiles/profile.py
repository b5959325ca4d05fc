"""What a profile is, and what a measure means under it."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from rankworth import names, spellings
from rankworth.errors import InputError, MeasureError, RankworthError, RefusedError, UsageError
from rankworth.groups import Groups, Weights
from rankworth.io.reading import Blank
from rankworth.judging.exclusion import Exclusion
from rankworth.measures import Fact, Measure
from rankworth.names import Quantity
from rankworth.profiles.rules import Rule
from rankworth.settings import QUIRKS, Averaging, Judging, as_typed
from rankworth.settings_keywords import OptionKeywords

_SETTINGS: Final = {"duplicate-document": "duplicates", "duplicate-judgement": "duplicate_judgements"}
"""The settings that refuse, by the slugs of their errors."""
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
"""What may be set in place of what refuses."""
_TYPED: Final = re.compile(r"(\w+)\s*=")


class ReadSettings(OptionKeywords, total=False):
    """The settings of an evaluation, and how its judgements and runs are read."""

    columns: Mapping[str, str] | None
    qrels_columns: Mapping[str, str] | None
    run_columns: Mapping[str, str] | None
    blank: Blank | None


JUDGING: Final = tuple(one.name for one in fields(Judging))
AVERAGING: Final = tuple(one.name for one in fields(Averaging))
_BY_QUERY: Final[Mapping[str, Callable[[object], Weights | Groups]]] = MappingProxyType(
    {"weights": Weights.of, "macro": Groups.of}
)


@dataclass(frozen=True)
class ResolvedMeasure:
    """A name of a measure, resolved under a profile: the measure and its settings.

    Attributes:
        label: the name as it was typed, which results keep.
        quantity: the measure.
        judging: how the run is judged for it.
        averaging: how its values are averaged.
        rule: what the profile says of it, if it does.

    """

    label: str
    quantity: Quantity
    judging: Judging
    averaging: Averaging
    rule: Rule | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Profile:
    """How to judge, how to average and what names mean, under one name.

    Attributes:
        name: the name with its version.
        judging: settings of the judging.
        averaging: settings of the averaging.
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
        cures: what the tool itself offers in place of refusing, as an option here.
        differs: on which inputs the tool gives another number, or one that is left to chance.
        rowless: whether the tool gives a number where judgements or run have no row, which are refused otherwise.

    """

    name: str
    judging: Judging = field(default_factory=Judging)
    averaging: Averaging = field(default_factory=Averaging)
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
    cures: Mapping[str, str] = field(default_factory=dict, hash=False)
    differs: tuple[str, ...] = ()
    rowless: bool = False

    def derive(self, **settings: Any) -> "Profile":  # noqa: ANN401 - `OptionKeywords`; None leaves a setting as it is
        """The same profile with settings changed, for all of its measures; the signature says so.

        Args:
            settings: see `OptionKeywords`; None where nothing is said.

        Raises:
            UsageError: `unknown-setting`.
            InputError: where what is to be excluded cannot be read; `bad-weight`.

        """
        changed = {name: value for name, value in settings.items() if value is not None}
        unknown = [name for name in changed if name not in (*JUDGING, *AVERAGING)]
        if unknown:
            have = ", ".join((*JUDGING, *AVERAGING))
            raise UsageError("unknown-setting", f"there is no setting {unknown[0]!r}; there are {have}")
        if "exclude" in changed:
            changed["exclude"] = Exclusion.of(changed["exclude"])
        changed |= {name: made(changed[name]) for name, made in _BY_QUERY.items() if name in changed}
        judging = {name: value for name, value in changed.items() if name in JUDGING}
        averaging = {name: value for name, value in changed.items() if name in AVERAGING}
        if not changed:
            return self
        rules = tuple(
            replace(
                rule,
                judging=_without(rule.judging, judging),
                averaging=_without(rule.averaging, averaging),
                removed=_without(rule.removed, averaging),
            )
            for rule in self.rules
        )
        derived = [name for name in changed if name not in self.derived]
        return replace(
            self,
            judging=replace(self.judging, **judging),
            averaging=replace(self.averaging, **averaging),
            rules=rules,
            derived=(*self.derived, *derived),
        )

    def ask(self, texts: Iterable[object], *, rel: float | None = None) -> list[ResolvedMeasure]:
        """All measures of a list, each name once, or one error that names every mistake in it.

        Args:
            texts: the tool's names, our own, measures, facts, measure objects of ir_measures.
            rel: the grade from which documents count as relevant, for measures that do not say it themselves.

        Raises:
            MeasureError: as `rankworth.names.parse_all`.

        """
        rel = self.rel if rel is None else rel
        if not self.rules:
            pairs = names.parse_named(texts, rel=rel)
            return _labelled([ResolvedMeasure(label, one, self.judging, self.averaging) for label, one in pairs])
        found: dict[ResolvedMeasure, None] = {}
        errors: list[MeasureError] = []
        for text in names.several(texts):
            if isinstance(text, str) and _is_one_of(text, self.lacks):
                errors.append(MeasureError("unknown-measure", f"{self.tool} {self.version} has no {text}"))
                continue
            rule, means = self._rule_of(text) if isinstance(text, str) else (None, [])
            try:
                if rule is None:
                    pairs = names.parse_named([text], rel=rel)
                    some = [self._like(one, _typed(text), label) for label, one in pairs]
                else:
                    quantities = names.parse_all(means, rel=rel)
                    label = str(text).strip()
                    some = [self._by(rule, one, label, several=len(quantities) > 1) for one in quantities]
                found |= dict.fromkeys(some)
            except MeasureError as error:
                errors.append(error)
        if errors:
            all_of_them = MeasureError.together(errors)
            names_here = f"what {self.tool} calls its measures: rankworth measures --profile {self.name}"
            remedy = "\n".join(filter(None, (all_of_them.remedy, names_here)))
            raise MeasureError(all_of_them.slug, *all_of_them.problems, slugs=all_of_them.slugs, remedy=remedy)
        if not found:
            names.parse_all([])
        return _labelled(list(found))

    def refused(self, error: RefusedError, label: str = "") -> RefusedError:
        """The error in the terms of the tool, if it is the tool that refuses.

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
        """An error about documents that are there twice, in the terms of the tool, if it is the tool that refuses."""
        setting = _SETTINGS.get(error.slug, "")
        says = "" if setting in self.derived else self.refuses.get(setting, "")
        if not says:
            return error
        first, *others = error.problems
        return InputError(error.slug, f"{says} (here: {first})", *others, more=error.more, remedy=error.remedy)

    def _rule_of(self, text: str) -> tuple[Rule | None, list[str]]:
        """The rule that reads a text, and what it means; first as it is written, then in any case."""
        for exactly in (True, False):
            for rule in self.rules:
                means = rule.reads(text, exactly=exactly)
                if means is not None:
                    return rule, means
        return None, []

    def _by(self, rule: Rule, quantity: Quantity, label: str, *, several: bool = False) -> ResolvedMeasure:
        judging = replace(self.judging, **rule.judging_of(label))
        averaging = {**rule.averaging, **(rule.removed if judging.unjudged == "removed" else {})}
        label = str(quantity) if several else label
        return ResolvedMeasure(label, quantity, judging, replace(self.averaging, **averaging), rule)

    def _like(self, quantity: Quantity, typed: Collection[str], label: str) -> ResolvedMeasure:
        """A measure in our own words, with what the tool's plainest name for this measure takes with it.

        Args:
            quantity: the measure.
            typed: the parameters that were given with it.
            label: the name as it was typed.

        """
        rule = self._plainest_like(quantity)
        if rule is None or rule.example is None:
            return ResolvedMeasure(label, quantity, self.judging, self.averaging)
        chosen = {*typed, *dict(quantity.settings), quantity.definition.at}
        for name, value in rule.example.settings:
            of_cutoff = isinstance(value, str) and "k" in value and not _is_cut(quantity)
            if name not in chosen and not of_cutoff:
                with suppress(MeasureError):  # what means nothing beside the parameters that were given
                    quantity = quantity(**{name: value})
        return self._by(rule, quantity, label)

    def _plainest_like(self, quantity: Quantity) -> Rule | None:
        """The rule with the shortest name about the same measure, if possible with a cutoff where it has one."""
        alike = [
            rule
            for rule in self.rules
            if rule.numbers <= {"k"}
            and rule.example is not None
            and rule.example.name == quantity.name
            and rule.example.averaging == quantity.averaging
        ]

        def plainness(rule: Rule) -> tuple[bool, int, int]:
            settings = dict(rule.example.settings) if rule.example is not None else {}
            return _is_cut(rule.example) != _is_cut(quantity), len(settings.keys() - {"rel"}), len(rule.name)

        return min(alike, key=plainness, default=None)


def _typed(text: object) -> set[str]:
    """The parameters that a text gives, in our syntax or in that of another tool."""
    if not isinstance(text, str):
        return set()
    return {name for one in (text, *(spellings.translate(text) or ())) for name in _TYPED.findall(one)}


def _is_one_of(text: str, names: Iterable[str]) -> bool:
    """Whether this is one of some names of trec_eval, maybe with values behind it."""
    return any(re.fullmatch(rf"{re.escape(name)}([._][\d=.,-].*)?", text.strip()) for name in names)


def _is_cut(quantity: Measure | Fact | None) -> bool:
    return quantity is not None and quantity.cutoff is not None


def _without(settings: Mapping[str, Any], others: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in settings.items() if name not in others}


def _labelled(found: Sequence[ResolvedMeasure]) -> list[ResolvedMeasure]:
    """The same, each with a label of its own."""
    taken: dict[str, int] = {}
    labelled = []
    for one in found:
        number = taken[one.label] = taken.get(one.label, 0) + 1
        labelled.append(one if number == 1 else replace(one, label=f"{one.label} ({number})"))
    return labelled

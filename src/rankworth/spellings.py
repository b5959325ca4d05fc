"""What other tools call measures: their names, what these mean here, and the names that stand for several.

The names stand in `profiles/spellings.toml`; `names` reads texts by them. A name that means something else here is in
no table (`P` alone is the precision of all that was retrieved here, and at nine cutoffs in trec_eval).
"""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal

from rankworth.errors import MeasureError


@dataclass(frozen=True)
class TrecName:
    """A measure as trec_eval names it.

    Attributes:
        means: the measure without what follows the dot.
        takes: what follows the dot: nothing; one or several values of which each makes a measure of its own (`cutoffs`,
            `levels`); values that belong to one measure (`numbers`, `pairs`).
        sets: the parameters that they set, or `@` for the cutoff.
        defaults: the values where none are given.

    """

    means: str
    takes: Literal["", "cutoffs", "levels", "numbers", "pairs"] = ""
    sets: Sequence[str] = ()
    defaults: Sequence[str] = ()


def _read() -> dict[str, dict[str, Any]]:
    """The tables of `spellings.toml`."""
    return tomllib.loads((files("rankworth") / "profiles" / "spellings.toml").read_text("utf-8"))


def _by_spelling(table: Mapping[str, list[str]]) -> dict[str, str]:
    """What is written here, by each of the spellings that stand for it."""
    return {spelling: here for here, spellings in table.items() for spelling in spellings}


_TABLES: Final = _read()
TREC_EVAL: Final[Mapping[str, TrecName]] = {name: TrecName(**entry) for name, entry in _TABLES["trec_eval"].items()}
"""In the order in which trec_eval 10 prints them; without preference measures and those of several assessors."""
NICKNAMES: Final[Mapping[str, list[str]]] = _TABLES["nicknames"]
"""Names of trec_eval for several measures."""
IR_MEASURES: Final[Mapping[str, str]] = _TABLES["ir_measures"]
RANX: Final[Mapping[str, str]] = _TABLES["ranx"]
TOOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "trec_eval": {name: entry.means for name, entry in TREC_EVAL.items()},
    "ir_measures": IR_MEASURES,
    "ranx": RANX,
}
"""What the names of each tool mean here."""
OPTIONS: Final = _by_spelling(_TABLES["options"])
"""Options by their names elsewhere, without hyphens in front: what they are here."""
UNMEASURED: Final = _by_spelling(_TABLES["unmeasured"])
"""Measures of other fields in small letters, without signs: what comes next to them here, or what they are about."""
NOT_HERE: Final = ("prefs", "all_prefs", "qrels_jg")
"""Nicknames of trec_eval for preference measures and for several assessors, which rankworth does not have."""

PARAMETERS: Final = {"gains": "gain", "max_rel": "max_grade", "min_rel": "min_grade"}
"""Parameters of ir_measures that have another name here."""

_RANX: Final = re.compile(r"(?P<name>[a-z][\w-]*?)(?:\.(?P<decimals>\d+))?(?P<cutoff>@\d+)?(?:-l(?P<level>\d+))?")
_PAIRS: Final = re.compile(r"[\w.+-]+=[\w.+,=-]+")
_FORMS: Final = {"log2": "linear", "exp-log2": "exp2"}
"""what ir_measures calls the forms of DCG, and which gains they have here"""
_GAINED: Final = ("DCG", "nDCG", "SDCG")
_GAINS_FROM: Final = ("DCG", "nDCG")
"""Measures in which a level of relevance takes the gains below it away."""


def translate(text: str, besides: Collection[str] = ()) -> list[str] | None:
    """What a text in the syntax of another tool means, in ours; None where it is in none of them.

    Args:
        text: the name, as it was written.
        besides: names of trec_eval that are given with values of their own, so that a nickname stands for the others.

    >>> translate("ndcg_cut.10,20"), translate("set_F_0.5"), translate("ndcg.1=3.5,2=9")
    (['nDCG@10', 'nDCG@20'], ['set_F(x=0.5)'], ['nDCG(gain={1: 3.5, 2: 9})'])
    >>> translate("rbp.95"), translate("map@100-l2"), translate("nDCG@10")
    (['RBP(p=0.95)'], ['AP(rel=2)@100'], None)
    """
    if text in NICKNAMES:
        return [one for name in NICKNAMES[text] if name not in besides for one in _bare(name)]
    if text in _EXPANDED or (text in TREC_EVAL and not text.isidentifier()):
        return _bare(text)
    name, values = dotted(text)
    if name:
        return _with(TREC_EVAL[name], values)
    for name in sorted(TREC_EVAL, key=len, reverse=True):
        values = text.removeprefix(f"{name}_")
        entry = TREC_EVAL[name]
        if values == text or entry.takes in ("", "cutoffs"):
            continue
        if _PAIRS.fullmatch(values) if entry.takes == "pairs" else re.match(r"-?[\d.]", values):
            return _with(entry, values)
    return _of_ranx(text)


def dotted(text: str) -> tuple[str, str]:
    """A name of trec_eval and the values after the dot, `("P", "5,10")`; two empty texts if it is no such thing."""
    name, dot, values = text.partition(".")
    known = dot and name in TREC_EVAL and TREC_EVAL[name].takes and not (name == "rbp" and "=" not in values)
    return (name, values) if known else ("", "")


def _bare(name: str) -> list[str]:
    entry = TREC_EVAL[name]
    return _with(entry, ",".join(entry.defaults)) if entry.defaults else [entry.means]


def _with(entry: TrecName, text: str) -> list[str]:
    """The measures with the values that follow a dot."""
    values = text.split(",")
    if len(entry.sets) > 1 and len(values) != len(entry.sets):
        count = f"{len(entry.sets)} numbers, {' '.join(entry.sets)}"
        raise MeasureError("measure-syntax", f"{entry.means}.{text}: after the dot stand {count}")
    match entry.takes:
        case "cutoffs":
            return [f"{entry.means}@{value}" for value in values]
        case "levels":
            return [f"{entry.means}({entry.sets[0]}={value})" for value in values]
        case "pairs" if entry.sets == ["p"]:
            return [f"{entry.means}({text})"]
        case "pairs":
            gains = ", ".join(value.replace("=", ": ") for value in values)
            return [f"{entry.means}({entry.sets[0]}={{{gains}}})"]
        case _ if entry.sets == ["recalls"] or len(values) > len(entry.sets):
            return [f"{entry.means}({entry.sets[0]}=[{text}])"]
        case _:
            pairs = (f"{name}={value}" for name, value in zip(entry.sets, values, strict=True))
            return [f"{entry.means}({', '.join(pairs)})"]


def _of_ranx(text: str) -> list[str] | None:
    match = _RANX.fullmatch(text)
    if match is None or match["name"] not in RANX or (match["decimals"] is None) == (match["name"] == "rbp"):
        return None
    means = RANX[match["name"]]
    if match["level"] is None and match["decimals"] is None:
        return None if "(" not in means else [f"{means}{match['cutoff'] or ''}"]
    base, _, inside = means.partition("(")
    settings = [inside.rstrip(")")] if inside else []
    if match["decimals"]:
        settings.append(f"p=0.{match['decimals']}")
    if match["level"]:
        settings.append(f"{'floor' if base in _GAINS_FROM else 'rel'}={match['level']}")
    return [f"{base}({', '.join(settings)}){match['cutoff'] or ''}"]


def native(name: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any], Any]:
    """A name and parameters of ir_measures in ours: the name, the parameters, and what stands for the cutoff.

    Raises:
        MeasureError: `measure-syntax`.

    >>> native("nDCG", {"dcg": "exp-log2", "cutoff": 10})
    ('nDCG', {'gain': 'exp2'}, 10)
    """
    renamed = {PARAMETERS.get(parameter, parameter): value for parameter, value in settings.items()}
    cutoff = renamed.pop("cutoff", None)
    if name == "SetP" and renamed.get("relative") in (True, False):
        name = "SetRelP" if renamed.pop("relative") else name
    if name == "NumRet" and "rel" in renamed:
        name = "NumRelRet"
    gain = _FORMS.get(str(renamed.get("dcg"))) if name in _GAINED else None
    twice = [parameter for parameter, other in PARAMETERS.items() if {parameter, other} <= settings.keys()]
    if gain is not None and "gain" in renamed:
        twice.append("gain")
    if twice:
        raise MeasureError("measure-syntax", f"{name}: {PARAMETERS.get(twice[0], twice[0])} is given twice")
    if gain is not None:
        del renamed["dcg"]
        renamed |= {"gain": gain} if gain != "linear" else {}
    return name, renamed, cutoff


def trec_name(base: str, changed: Mapping[str, Any], all_of_them: Mapping[str, Any]) -> tuple[int, str] | None:
    """Where trec_eval prints a measure and how it calls it; None where it has no such measure.

    Args:
        base: the measure without parameters, as it is written here.
        changed: the parameters that trec_eval would have to be told; `@` is the cutoff.
        all_of_them: all parameters.

    >>> trec_name("nDCG", {"@": 10}, {}), trec_name("IPrec", {"recall": 0.1}, {}), trec_name("AP", {}, {})
    ((26, 'ndcg_cut_10'), (10, 'iprec_at_recall_0.10'), (5, 'map'))
    """
    for place, (name, entry) in enumerate(TREC_EVAL.items()):
        if entry.means != base or name == "rbp":  # trec_eval's own has no value that can be told
            continue
        if not changed and entry.takes not in ("cutoffs", "levels"):
            return place, name
        if changed and set(changed) <= set(entry.sets) and str not in map(type, changed.values()):
            return place, f"{name}_{_printed(entry, {**all_of_them, **changed})}"
    return None


def _printed(entry: TrecName, values: Mapping[str, Any]) -> str:
    """The values of the parameters behind a name."""
    value = values[entry.sets[0]]
    if entry.takes == "levels":
        return f"{float(value):3.2f}"
    if entry.sets == ["gain"]:
        return ",".join(f"{grade:g}={gain:g}" for grade, gain in value)
    if entry.sets == ["p"]:
        return f"p={value:g}"
    numbers = value if isinstance(value, tuple) else [values[name] for name in entry.sets]
    return ",".join(f"{number:g}" for number in numbers)


_EXPANDED: Final = frozenset(
    name for name, entry in TREC_EVAL.items() if entry.defaults and name not in ("P", "recall", "success")
)
"""Names that stand for several measures in trec_eval and for none here."""

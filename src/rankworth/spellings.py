"""Names of measures in other tools and their meanings here, as text; the tables stand in `profiles/spellings.toml`."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

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


_PROFILES: Final = files("rankworth") / "profiles" / "data"
_TABLES: Final = tomllib.loads((files("rankworth") / "profiles" / "spellings.toml").read_text("utf-8"))
TREC_EVAL: Final[Mapping[str, TrecName]] = {name: TrecName(**entry) for name, entry in _TABLES["trec_eval"].items()}
"""In the order in which trec_eval 10 prints them; without preference measures and those of several assessors."""
NICKNAMES: Final[Mapping[str, list[str]]] = _TABLES["nicknames"]
"""Names of trec_eval for several measures."""
TOOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "trec_eval": {name: entry.means for name, entry in TREC_EVAL.items()},
    "ir_measures": _TABLES["ir_measures"],
    "ranx": _TABLES["ranx"],
}
"""What the names of each tool mean here."""
AMBIGUOUS: Final[Mapping[str, Mapping[str, str]]] = _TABLES["ambiguous"]
"""Folded names that mean two measures in the field: the measures here, and what each of them is."""
MEANT: Final[Mapping[str, tuple[str, str]]] = {
    name: (entry["measure"], entry.get("text", "")) for entry in _TABLES["meant"] for name in entry["names"]
}
"""Folded names that no measure has here: the measure that is meant by each, and what it is where that needs a word."""
NOT_HERE: Final = ("prefs", "all_prefs", "qrels_jg")
"""Nicknames of trec_eval for preference measures and for several assessors, which rankworth does not have."""
PARAMETERS: Final = {"gains": "gain", "max_rel": "max_grade", "min_rel": "min_grade"}
"""Parameters of ir_measures that have another name here."""
UNMEASURED: Final[Mapping[str, list[str]]] = _TABLES["unmeasured"]
"""What other things are about that people ask for as if they were measures, and their folded names."""
_TREC: Final = re.compile(
    f"({'|'.join(sorted((name for name, trec in TREC_EVAL.items() if trec.takes), key=len, reverse=True))})([._])(.*)"
)
_RANX: Final = re.compile(r"(?P<name>[a-z][\w-]*?)(?:\.(?P<decimals>\d+))?(?P<cutoff>@\d+)?(?:-l(?P<level>\d+))?")
_PAIRS: Final = re.compile(r"[\w.+-]+=[\w.+,=-]+")
_EXPANDED: Final = frozenset(
    name for name, entry in TREC_EVAL.items() if entry.defaults and name not in ("P", "recall", "success")
)
"""names that stand for several measures in trec_eval and for none here"""


def folded(name: str) -> str:
    """Return a name in small letters, without hyphens and underscores."""
    return name.casefold().replace("_", "").replace("-", "")


@cache
def undefined_here() -> dict[str, tuple[str, str]]:
    """Read from all profiles which names of tools have no definition here: folded, with the tool and the reason."""
    tables = (
        tomllib.loads(file.read_text("utf-8")) for file in sorted(_PROFILES.iterdir(), key=lambda file: file.name)
    )
    return {
        folded(name): (table["tool"], why)
        for table in tables
        for why, names in table.get("unmeasured", {}).items()
        for name in names
        if not set(name) & set("(@{:")
    }


def translate(text: str, besides: Collection[str] = ()) -> list[str] | None:
    """Translate a text in the syntax of another tool into ours; None where it is in none of them.

    Args:
        text: the name, as it was written.
        besides: names of trec_eval that are there with values of their own, so that a nickname stands for the others.

    >>> translate("ndcg_cut.10,20"), translate("set_F_0.5"), translate("ndcg.1=3.5,2=9")
    (['nDCG@10', 'nDCG@20'], ['set_F(x=0.5)'], ['nDCG(gain={1: 3.5, 2: 9})'])
    >>> translate("rbp.95"), translate("map@100-l2"), translate("nDCG@10")
    (['RBP(p=0.95)'], ['AP(rel=2)@100'], None)
    """
    if text in NICKNAMES:
        return [quantity for name in NICKNAMES[text] if name not in besides for quantity in _of_trec(name)]
    if text in _EXPANDED or (text in TREC_EVAL and not text.isidentifier()):
        return _of_trec(text)
    name, values = trec_values(text)
    return _of_trec(name, values) if name else _of_ranx(text)


def trec_values(text: str) -> tuple[str, str]:
    """Split a name of trec_eval from the values after its dot or underscore, `("P", "5,10")`; else two empty texts."""
    match = _TREC.fullmatch(text)
    if match is None:
        return "", ""
    name, sign, values = match.groups()
    takes = TREC_EVAL[name].takes
    is_pair = _PAIRS.fullmatch(values) is not None
    if sign == ".":
        is_known = name != "rbp" or "=" in values  # rbp.95 is ranx's
    else:
        is_known = is_pair if takes == "pairs" else takes != "cutoffs" and bool(re.match(r"-?[\d.]", values))
    return (name, values) if is_known else ("", "")


def _of_trec(name: str, text: str = "") -> list[str]:
    """Translate a name of trec_eval, with the values that follow it, or its default ones."""
    entry = TREC_EVAL[name]
    if not text and not entry.defaults:
        return [entry.means]
    values = text.split(",") if text else entry.defaults
    if len(entry.sets) > 1 and len(values) != len(entry.sets):
        count = f"{len(entry.sets)} numbers, {' '.join(entry.sets)}"
        raise MeasureError("measure-syntax", f"{entry.means}.{text}: after the dot stand {count}")
    first = entry.sets[0]
    if entry.takes in ("cutoffs", "levels"):
        return [f"{entry.means}@{value}" if first == "@" else f"{entry.means}({first}={value})" for value in values]
    if entry.takes == "pairs":
        gains = ", ".join(value.replace("=", ": ") for value in values)
        inside = text if first == "p" else f"{first}={{{gains}}}"
    elif first == "recalls" or len(values) > len(entry.sets):
        inside = f"{first}=[{text}]"
    else:
        inside = ", ".join(f"{name}={value}" for name, value in zip(entry.sets, values, strict=True))
    return [f"{entry.means}({inside})"]


def _of_ranx(text: str) -> list[str] | None:
    """Translate a name of ranx; None where it is none, or ours."""
    match = _RANX.fullmatch(text)
    if match is None or match["name"] not in TOOLS["ranx"] or (match["decimals"] is None) == (match["name"] == "rbp"):
        return None
    means, cutoff = TOOLS["ranx"][match["name"]], match["cutoff"] or ""
    if match["level"] is None and match["decimals"] is None:
        return [f"{means}{cutoff}"] if "(" in means else None
    base, _, inside = means.partition("(")
    settings = [inside.rstrip(")")] if inside else []
    if match["decimals"]:
        settings.append(f"p=0.{match['decimals']}")
    if match["level"]:  # which takes the gains below it away in DCG
        settings.append(f"{'floor' if base in ('DCG', 'nDCG') else 'rel'}={match['level']}")
    return [f"{base}({', '.join(settings)}){cutoff}"]

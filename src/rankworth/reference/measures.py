"""Pages of measures: the catalogue, and what one measure means; all of it read from the definitions."""

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rankworth import names
from rankworth.measures import CATALOGUE, FACTS, Measure
from rankworth.measures.core import Definition
from rankworth.measures.parameters import plain
from rankworth.names import Quantity
from rankworth.reference.markdown import bullets, code, escaped, formula, items, page, table

_LABELLED: Final = re.compile(r"^(?=[A-Z]\w+: )|(?<=[.;]\s)(?=Ties: )", re.MULTILINE)
_ENTRY: Final = re.compile(r"(\w+):\s*(.*)", re.DOTALL)
_AS_FOR: Final = re.compile(r"as for (\w+)\b")
_LITERATURE: Final = "Source"
_HOME: Final = "rankworth"

FIRST: Final = "To start with"
REST: Final = "All others"
OWN: Final = "Your own"
PARITY: Final = "For trec_eval parity"
COUNTED: Final = "Counted, not measured"
HOW: Final = "Parameters go in brackets, a cutoff after @: nDCG(gain=exp2)@10, P(rel=2)@5."
_EXAMPLE: Final = "nDCG"


def catalogue(*, everything: bool = False) -> str:
    """The measures: name, meaning, other names, parameters with their defaults.

    Args:
        everything: whether to list all of them; else those to start with, and those that a plugin defines.

    """
    groups = shelves()
    if not everything:
        groups = {heading: some for heading, some in groups.items() if heading in (FIRST, OWN)}
    blocks = []
    for heading, some in groups.items():
        rows = ((f"`{one.name}`", escaped(_details(one.definition))) for one in some)
        blocks += [f"## {heading}", table(("name", "what it says"), rows)]
    if not everything:
        listed = sum(map(len, groups.values()))
        blocks.append(f"{listed} of {len(CATALOGUE)} measures; all: `rankworth measures --all`")
    return page([*blocks, f"One in full: `rankworth measures {_EXAMPLE}`", HOW])


def measure(text: str) -> str:
    """A page on one measure: formula, parameters, worked example, conventions, names, literature.

    Args:
        text: any spelling of the measure or fact, also with parameters and cutoff.

    Raises:
        MeasureError: as `names.parse`.

    """
    return page_of(_meant(text))


def page_of(quantity: Quantity) -> str:
    """The page of a measure or a fact."""
    from rankworth.reference.example import example  # noqa: PLC0415 - brings NumPy, which no list of measures needs

    definition = quantity.definition
    doc = _Doc.of(definition)
    blocks = [f"# {escaped(str(quantity))}", *map(escaped, doc.opening[:1]), *map(formula, doc.opening[1:])]
    if quantity.averaging == "gmean":
        blocks.append("The mean over queries is the geometric one, in which values below 0.00001 count as 0.00001.")
    if parameters := list(_parameters(quantity, doc)):
        blocks += ["## Parameters", items(parameters)]
    steps, session = example(quantity)
    blocks += ["## Worked example", *steps]
    if doc.example or session:
        blocks += ["## In Python", code([">>> import rankworth", *doc.example, *session, ""], "python")]
    conventions = [f"**{label}:** {escaped(text)}" for label, text in doc.labelled.items() if label != _LITERATURE]
    if conventions:
        blocks += ["## Conventions", *conventions]
    if isinstance(quantity, Measure):
        blocks += ["## Properties", bullets(_properties(definition))]
    if names_elsewhere := list(_names(quantity)):
        blocks += ["## Names", bullets(names_elsewhere)]
    if _LITERATURE in doc.labelled:
        blocks += ["## Literature", escaped(doc.labelled[_LITERATURE])]
    return page(blocks)


def shelves() -> dict[str, list[Quantity]]:
    """All measures and facts under the headings of the catalogue, by name but for those to start with."""
    some: dict[str, list[Quantity]] = {FIRST: [], OWN: [], REST: [], PARITY: [], COUNTED: [*FACTS.values()]}
    for one in CATALOGUE.values():
        definition = one.definition
        ours = definition.function.__module__.partition(".")[0] == _HOME
        some[{"first": FIRST, "parity": PARITY}.get(definition.shelf, REST) if ours else OWN].append(one)
    for heading in (OWN, REST, PARITY):
        some[heading].sort(key=lambda one: one.name.casefold())
    return {heading: listed for heading, listed in some.items() if listed}


def _details(definition: Definition) -> str:
    """What a measure says, its parameters and its other names."""
    text = definition.sentence
    if definition.parameters:
        defaults = (f"{one.name}={plain(one.default)}" for one in definition.parameters.values())
        text += f" Parameters: {', '.join(defaults)}."
    return f"{text} Also: {', '.join(definition.aliases)}." if definition.aliases else text


def _meant(text: str) -> Quantity:
    """What a text names; a name of trec_eval for several cutoffs means the measure itself."""
    several = names.parse_all([text])
    if len({one.name for one in several}) > 1:
        return names.parse(text)  # says that it stands for several
    return several[0] if len(several) == 1 else CATALOGUE[several[0].name]


@dataclass
class _Doc:
    """The parts of a definition's docstring."""

    opening: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    labelled: dict[str, str] = field(default_factory=dict)
    example: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, definition: Definition) -> "_Doc":
        """Take the docstring apart: sentence and formula, `Args:`, labelled remarks, doctest."""
        doc = cls()
        sentence, *blocks = inspect.cleandoc(definition.function.__doc__ or "").split("\n\n")
        doc.opening.append(_plain(sentence))
        for block in blocks:
            if block.startswith("Args:"):
                doc.arguments = dict(_entries(block.partition("\n")[2]))
            elif block.startswith(">>>"):
                doc.example += [line for line in block.split("\n") if not line.startswith(">>> import ")]
            elif _LABELLED.match(block):
                remarks = map(_plain, filter(None, _LABELLED.split(block)))
                doc.labelled |= {label: text for label, _, text in (remark.partition(": ") for remark in remarks)}
            else:
                doc.opening.append(_plain(block))
        return doc


def _entries(block: str) -> Iterator[tuple[str, str]]:
    """Names and texts of an `Args:` block."""
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(block)):
        match = _ENTRY.fullmatch(entry.strip())
        if match:
            yield match[1], _plain(match[2])


def _parameters(quantity: Quantity, doc: _Doc) -> Iterator[tuple[str, str, str]]:
    for name, parameter in quantity.definition.parameters.items():
        here = quantity.parameters.get(name, parameter.default)
        kind = parameter.domain()
        if here != parameter.default:
            kind += f"; default {plain(parameter.default)}"
        yield f"{name}={plain(here)}", kind, _explained(name, doc.arguments)
    if isinstance(quantity, Measure):
        at = quantity.definition.at
        if at:
            yield f"@{at}", f"the same as {at}=", "there is no cutoff."
        else:
            cutoff = "the cutoff; only the first k documents count, all that were retrieved where it is not said."
            yield f"@{quantity.cutoff or 'k'}", "a whole number from 1", cutoff
        removed = "whether documents that nobody judged are removed before ranks are counted."
        yield f"judged_only={quantity.judged_only}", "True or False", removed


def _explained(name: str, arguments: Mapping[str, str]) -> str:
    """What a parameter does; where it does what it does in another measure, what it does there."""
    text = arguments.get(name, "")
    match = _AS_FOR.match(text)
    other = CATALOGUE.get(match[1]) if match else None
    if match is None or other is None:
        return text
    there = _explained(name, _Doc.of(other.definition).arguments).removesuffix(".")
    return there + text[match.end() :]


def _properties(definition: Definition) -> Iterator[str]:
    low, high = definition.range
    if low == -float("inf"):
        yield "values: any number"
    else:
        yield f"values from {low:g}" + (f" to {high:.6g}" if high != float("inf") else " without an upper bound")
    yield (
        "normalised: the best order of all judged documents scores 1"
        if definition.normalised
        else "not normalised: the best order of all judged documents need not score 1"
    )
    yield (
        "monotone: a better grade for a retrieved document never lowers the value"
        if definition.monotone
        else "not monotone: a better grade for a retrieved document can lower the value"
    )
    yield (
        "linear: the expected value over all orders of ties is exact"
        if definition.linear
        else "not linear, but the expected value over all orders of ties is exact"
        if definition.tied
        else "not linear: no expected value over the orders of ties"
    )


def _names(quantity: Quantity) -> Iterator[str]:
    """What else the measure is called, here and in other tools."""
    if quantity.definition.aliases:
        yield f"here also: {', '.join(quantity.definition.aliases)}"
    for tool, spelled in names.TOOLS.items():
        takes = names.TREC_EVAL if tool == "trec_eval" else {}
        called = [
            _called(name, means, takes.get(name))
            for name, means in spelled.items()
            if _meant(means).name == quantity.name
        ]
        if called:
            yield f"{tool}: {', '.join(called)}"


def _called(name: str, means: str, entry: names.TrecName | None) -> str:
    """A name of another tool, and what it stands for if that is more than a name."""
    shown = f"{name}_k" if entry is not None and entry.takes == "cutoffs" else name
    return f"{shown} = {means}" if "(" in means else shown


def _plain(text: str) -> str:
    return " ".join(text.split())

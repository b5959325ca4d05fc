"""The measures in words: what there is, and what one of them means; all of it read from the definitions."""

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rankworth import names, spellings
from rankworth.measures import CATALOGUE, FACTS, Measure
from rankworth.measures.core import Definition
from rankworth.measures.parameters import Parameter, plain
from rankworth.names import Quantity
from rankworth.prose import (
    Entries,
    Formula,
    Heading,
    Paragraph,
    Part,
    Session,
    Title,
    as_markdown,
    as_text,
    filled,
)

_LABELLED: Final = re.compile(r"^(?=[A-Z]\w+: )|(?<=[.;]\s)(?=Ties: )", re.MULTILINE)
_ENTRY: Final = re.compile(r"(\w+):\s*(.*)", re.DOTALL)
_AS_FOR: Final = re.compile(r"as for (\w+)\b")
_LITERATURE: Final = "Source"
_HOME: Final = __package__

FIRST: Final = "To start with"
REST: Final = "All others"
OWN: Final = "Your own"
PARITY: Final = "For trec_eval parity"
COUNTED: Final = "Counted, not measured"
_HOW: Final = "Parameters go in brackets, a cutoff after @: nDCG(gain=exp2)@10, P(rel=2)@5."
_EXAMPLE: Final = "nDCG"
_ELSEWHERE: Final = """
## Where tools differ whatever the measure

- **Ties:** trec_eval puts the greater document id first, and so does rankworth. elinor 0.4.0 puts the smaller one
  first, ranx 0.3.21 keeps the order of the input up to 15 documents, cwl-eval 1.0.12 always; scikit-learn 1.9.1 and
  torchmetrics 1.9.0 average over the orders in nDCG.
- **Scores:** trec_eval up to 9.0.8 and pytrec_eval read them in single precision, so that scores are tied that agree in
  seven digits. trec_eval 10.0 and rankworth read them in double precision.
- **Queries:** trec_eval 9.0.8 without `-c`, pytrec_eval and BEIR leave judged queries without results out of the mean.
  ir_measures and rankworth count them 0; `--answered-only` leaves them out.
- **Negative grades:** in trec_eval and here they gain nothing, and are neither relevant nor non-relevant. elinor takes
  them for 0, ranx for non-relevant, and scikit-learn refuses them in nDCG."""


def catalogue(width: int = 80, *, everything: bool = False) -> str:
    """The measures: name, meaning, other names, parameters with their defaults.

    Args:
        width: how long a line may be.
        everything: whether to list all of them; else those to start with, and those that a plugin defines.

    """
    shelves = _shelves()
    shown = shelves if everything else {heading: some for heading, some in shelves.items() if heading in (FIRST, OWN)}
    margin = max(len(one.name) for some in shown.values() for one in some) + 2
    lines: list[str] = []
    for heading, some in shown.items():
        lines += [heading, ""]
        for one in some:
            lines += _listed(one.definition, margin, width)
        lines.append("")
    if not everything:
        listed = sum(map(len, shown.values()))
        lines += filled(f"{listed} of {len(CATALOGUE)} measures; all: rankworth measures --all", width)
    lines += filled(f"One in full: rankworth measures {_EXAMPLE}", width)
    lines += filled(_HOW, width)
    return "\n".join(lines) + "\n"


def page(text: str, width: int = 80) -> str:
    """One measure: formula, parameters, an example worked out, conventions, names, what differs elsewhere, literature.

    Args:
        text: any spelling of the measure or fact, also with parameters and cutoff.
        width: how long a line may be.

    Raises:
        MeasureError: as `names.parse`.

    """
    return as_text(parts(_meant(text)), width)


def pages() -> dict[str, str]:
    """All pages of `docs/measures`, by file name, with their index."""
    quantities: list[Quantity] = [*CATALOGUE.values(), *FACTS.values()]
    return {"README.md": _index()} | {f"{one.name}.md": as_markdown(parts(one)) for one in quantities}


def parts(quantity: Quantity) -> Iterator[Part]:
    """What there is to say about a measure or a fact, part by part."""
    from rankworth import worked  # noqa: PLC0415 - brings NumPy, which no list of measures needs

    definition = quantity.definition
    doc = _Doc.of(definition)
    yield Title(str(quantity))
    yield from map(Paragraph, doc.opening[:1])
    yield from map(Formula, doc.opening[1:])
    yield from map(Paragraph, _said_around(quantity))
    entries = list(_parameters(quantity, doc))
    if entries:
        yield Heading("Parameters")
        yield Entries(entries)
    steps, session = worked.example(quantity)
    yield Heading("Worked example")
    yield from steps
    if doc.example or session:
        yield Heading("In Python")
        yield Session([">>> import rankworth", *doc.example, *session])
    conventions = [Paragraph(text, label) for label, text in doc.labelled.items() if label != _LITERATURE]
    if conventions:
        yield Heading("Conventions")
        yield from conventions
    if isinstance(quantity, Measure):
        yield Heading("Properties")
        yield Entries([("", line, "") for line in _properties(definition)])
    called = list(_names(quantity))
    if called:
        yield Heading("Names")
        yield Entries([("", line, "") for line in called])
    if _LITERATURE in doc.labelled:
        yield Heading("Literature")
        yield Paragraph(doc.labelled[_LITERATURE])


def _shelves() -> dict[str, list[Quantity]]:
    """All measures and facts under the headings of the catalogue, by name but for those to start with."""
    some: dict[str, list[Quantity]] = {FIRST: [], OWN: [], REST: [], PARITY: [], COUNTED: [*FACTS.values()]}
    for one in CATALOGUE.values():
        definition = one.definition
        ours = definition.function.__module__.partition(".")[0] == _HOME
        some[{"first": FIRST, "parity": PARITY}.get(definition.shelf, REST) if ours else OWN].append(one)
    for heading in (OWN, REST, PARITY):
        some[heading].sort(key=lambda one: one.name.casefold())
    return {heading: listed for heading, listed in some.items() if listed}


def _listed(definition: Definition, margin: int, width: int) -> Iterator[str]:
    yield from filled(definition.sentence, width, first=definition.name.ljust(margin), rest=" " * margin)
    details = []
    if definition.parameters:
        details.append(f"parameters {', '.join(map(_default, definition.parameters.values()))}")
    if definition.aliases:
        details.append(f"also {', '.join(definition.aliases)}")
    if details:
        yield from filled("; ".join(details), width, first=" " * margin, rest=" " * margin)


def _index() -> str:
    lines = [
        "# Measures",
        "",
        "One page for each measure and each fact; `rankworth measures NAME` prints the same, for any parameters.",
        f"{_HOW} Every value has this form, with sums from the first rank to the last:",
        "",
        "```text",
        "value = link((sum of gain * weight / discount, + rest) / norm)",
        "```",
        "",
        "The pages are generated: `scripts/measure-pages` writes them from the definitions.",
    ]
    for heading, some in _shelves().items():
        lines += ["", f"## {heading}", "", "| name | what it says |", "|:--|:--|"]
        lines += [f"| [{one.name}]({one.name}.md) | {one.definition.sentence} |" for one in some]
    return "\n".join([*lines, _ELSEWHERE]) + "\n"


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


def _said_around(quantity: Quantity) -> Iterator[str]:
    """What a name says beyond parameters and cutoff."""
    if quantity.averaging == "gmean":
        yield "The mean over queries is the geometric one, in which values below 0.00001 count as 0.00001."


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
    for tool, table in spellings.TOOLS.items():
        takes = spellings.TREC_EVAL if tool == "trec_eval" else {}
        called = [
            _called(name, means, takes.get(name))
            for name, means in table.items()
            if _meant(means).name == quantity.name
        ]
        if called:
            yield f"{tool}: {', '.join(called)}"


def _called(name: str, means: str, entry: spellings.TrecName | None) -> str:
    """A name of another tool, and what it stands for if that is more than a name."""
    shown = f"{name}_k" if entry is not None and entry.takes == "cutoffs" else name
    return f"{shown} = {means}" if "(" in means else shown


def _default(parameter: Parameter) -> str:
    return f"{parameter.name}={plain(parameter.default)}"


def _plain(text: str) -> str:
    return " ".join(text.split())

"""The measures in words: what there is, and what one of them means; all of it read from the definitions."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from rankworth import names
from rankworth.measures import CATALOGUE, Measure
from rankworth.measures.core import Definition
from rankworth.measures.parameters import Parameter

_LABELLED: Final = re.compile(r"(?=^[A-Z][\w ]*: )", re.MULTILINE)
_ENTRY: Final = re.compile(r"(\w+):\s*(.*)", re.DOTALL)
_INDENT: Final = "  "


def catalogue(width: int = 80) -> str:
    """All measures: name, meaning, other names, parameters with their defaults."""
    margin = max(map(len, CATALOGUE)) + 2
    lines = []
    for name in sorted(CATALOGUE, key=str.casefold):
        definition = CATALOGUE[name].definition
        lines += _filled(definition.sentence, width, first=name.ljust(margin), rest=" " * margin)
        details = []
        if definition.parameters:
            details.append(f"parameters {', '.join(map(_default, definition.parameters.values()))}")
        if definition.aliases:
            details.append(f"also {', '.join(definition.aliases)}")
        if details:
            lines += _filled("; ".join(details), width, first=" " * margin, rest=" " * margin)
    lines += ["", *_filled("Parameters go in brackets, a cutoff after @: nDCG(gain=exp2)@10, P(rel=2)@5.", width)]
    lines += _filled("One of them in full: rankworth measures nDCG", width)
    return "\n".join(lines) + "\n"


def page(text: str, width: int = 80) -> str:
    """One measure: its formula, parameters, properties and source.

    Args:
        text: any spelling of the measure, also with parameters and cutoff.
        width: how long a line may be.

    Raises:
        MeasureError: as `names.parse`.

    """
    measure = names.parse_all([text])[0]
    definition = measure.definition
    doc = _Doc.of(definition)
    blocks = [[str(measure)]]
    blocks += [_filled(paragraph, width) for paragraph in doc.opening[:1]]
    blocks += [_filled(line, width, first=_INDENT, rest=_INDENT * 2) for line in doc.opening[1:]]
    if definition.parameters:
        blocks.append(["Parameters", *_parameters(measure, doc, width)])
    blocks += [[line for part in doc.closing for line in _filled(part, width, rest=_INDENT)]] if doc.closing else []
    if doc.example:
        blocks.append(["Example", *(part for line in doc.example for part in _example(line, width))])
    blocks.append(["Properties", *_properties(definition, width)])
    if definition.aliases:
        blocks.append(_filled(f"Also called: {', '.join(definition.aliases)}", width, rest=_INDENT))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


@dataclass
class _Doc:
    """The parts of a definition's docstring."""

    opening: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    closing: list[str] = field(default_factory=list)
    example: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, definition: Definition) -> "_Doc":
        """Take the docstring apart: sentence and formula, `Args:`, labelled remarks, doctest."""
        doc = cls()
        for block in inspect.cleandoc(definition.function.__doc__ or "").split("\n\n"):
            if block.startswith("Args:"):
                doc.arguments = dict(_entries(block.partition("\n")[2]))
            elif block.startswith(">>>"):
                doc.example += [line for line in block.split("\n") if not line.startswith(">>> import ")]
            elif _LABELLED.match(block):
                doc.closing += [_plain(part) for part in _LABELLED.split(block) if part.strip()]
            else:
                doc.opening.append(_plain(block))
        return doc


def _entries(block: str) -> Iterator[tuple[str, str]]:
    """Names and texts of an `Args:` block."""
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(block)):
        match = _ENTRY.fullmatch(entry.strip())
        if match:
            yield match[1], _plain(match[2])


def _parameters(measure: Measure, doc: _Doc, width: int) -> Iterator[str]:
    for name, parameter in measure.definition.parameters.items():
        here = measure.parameters[name]
        line = f"{_INDENT}{name}={dict(here) if isinstance(here, tuple) else here}   {parameter.domain()}"
        if here != parameter.default:
            line += f"; default {parameter.default}"
        yield from _filled(line, width, rest=_INDENT * 3)
        if name in doc.arguments:
            yield from _filled(doc.arguments[name], width, first=_INDENT * 3, rest=_INDENT * 3)


def _properties(definition: Definition, width: int) -> Iterator[str]:
    low, high = definition.range
    lines = [
        f"values from {low:g}" + (f" to {high:g}" if high != float("inf") else " without an upper bound"),
        "normalised: the best order of all judged documents scores 1"
        if definition.normalised
        else "not normalised: the best order of all judged documents need not score 1",
        "monotone: a better grade for a retrieved document never lowers the value"
        if definition.monotone
        else "not monotone: a better grade for a retrieved document can lower the value",
        "linear: the expected value over all orders of ties is exact"
        if definition.linear
        else "not linear: no expected value over the orders of ties",
    ]
    for line in lines:
        yield from _filled(line, width, first=_INDENT, rest=_INDENT * 3)


def _example(line: str, width: int) -> Iterator[str]:
    """A line of a doctest; its comment goes below where there is no room beside it."""
    code, mark, comment = line.partition("  # ")
    if not mark or len(_INDENT + line) <= width:
        yield _INDENT + line
    else:
        yield _INDENT + code
        yield from _filled(f"# {comment}", width, first=_INDENT * 3, rest=_INDENT * 3)


def _default(parameter: Parameter) -> str:
    return f"{parameter.name}={parameter.default}"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _filled(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )

"""Pages of measures in Markdown, read from their definitions, and how a terminal shows a page."""

import inspect
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rankworth import names
from rankworth.errors import MeasureError
from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES, Fact, Measure, TextFact
from rankworth.measures.core import Definition
from rankworth.measures.parameters import plain
from rankworth.names import Quantity
from rankworth.spellings import TOOLS, TREC_EVAL
from rankworth.tables.columns import Column
from rankworth.tables.look import Look

if TYPE_CHECKING:
    from rankworth.judging.judged_run import Row

Entry = tuple[str, str, str]
"""a parameter with its value, what it may be, and what it does"""
HOW: Final = "Parameters go in brackets, a cutoff after @: nDCG(gain=exp2)@10, P(rel=2)@5."
FIRST, OWN, REST = "To start with", "Your own", "All others"
PARITY, COUNTED = "For trec_eval parity", "Counted, not measured"
OF_ITEMS = "Of items: what a catalogue gets"
_LITERAL: Final = re.compile(r"(`[^`]*`|https?://\S*[^\s.,;:)])")
_LABELLED: Final = re.compile(r"^(?=[A-Z]\w+: )|(?<=[.;]\s)(?=Ties: )", re.MULTILINE)
_LEGEND: Final = (
    "A rank adds its gain, times its weight or over its discount where it has one; total is the sum so far."
)
_GRADES: Final[tuple[float | None, ...]] = (0, 3, 2, None, 1)
_MISSING: Final[tuple[float, ...]] = (1, 0)
_BY_SUBTOPIC: Final[tuple["Row", ...]] = ((1, 0, 0), (1, 1, 0), None, (0, 0, 0), (0, 1, 0))
_MISSING_BY_SUBTOPIC: Final[tuple["Row", ...]] = ((0, 0, 1),)


def page(blocks: Iterable[str]) -> str:
    """Join blocks to a page, with an empty line between them."""
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""Escape text so that only backticks are marks, and addresses are links.

    >>> escaped("2 * `2 * 3` <b>, https://doi.org/10.1007/1_2, and")
    '2 \\* `2 * 3` \\<b>, <https://doi.org/10.1007/1_2>, and'
    """
    parts = _LITERAL.split(text)
    for index, part in enumerate(parts):
        if not index % 2:
            parts[index] = re.sub(r"([*<\\])", r"\\\1", part)
        elif not part.startswith("`"):
            parts[index] = f"<{part}>"
    return "".join(parts)


def code(lines: Iterable[str], language: str = "text") -> str:
    """Write lines of code."""
    return "\n".join([f"```{language}", *lines, "```"])


def formula(text: str) -> str:
    """Set a formula or a command, in as many lines as it takes."""
    return code(textwrap.wrap(text, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def items(entries: Iterable[Entry]) -> str:
    """Write a list: for each entry a term as it is written, its kind, and an explanation if there is one."""
    heads = ((f"- `{term}` ({escaped(kind)})", text) for term, kind, text in entries)
    return "\n".join(f"{head}: {escaped(text)}" if text else head for head, text in heads)


def bullets(texts: Iterable[str]) -> str:
    """Write a list of sentences."""
    return "\n".join(f"- {escaped(text)}" for text in texts)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], rule: str = "") -> str:
    """Write a table; `rule` replaces the line below the titles."""
    body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    head, *lines = (" ".join(f"| {cell}" if cell else "|" for cell in row) + " |" for row in (titles, *body))
    return "\n".join([head, rule or "| --- " * len(titles) + "|", *lines])


def in_terminal(text: str, width: int) -> str:
    """Render a page as plain text, in lines of a width."""
    from rich.console import Console, ConsoleOptions, RenderResult  # noqa: PLC0415 - only pages need it
    from rich.markdown import CodeBlock, Heading, Markdown, TableElement  # noqa: PLC0415
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class Title(Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield self.text  # at the left, without a frame

    class Code(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            text = str(self.text).rstrip()
            if self.lexer_name == "python":  # whose lines stay whole
                yield Text(textwrap.indent(text, "  "), no_wrap=True, overflow="ignore")
            else:
                yield Padding(Text(text), (0, 0, 0, 2))

    class Grid(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for grid in super().__rich_console__(console, options):
                if isinstance(grid, Table):
                    grid.show_edge = False
                    for column in grid.columns:
                        column.overflow = "fold"  # no letter is left out
                    if console.measure(grid, options=options.update(width=1000)).minimum > options.max_width:
                        grid.padding = 0
                yield grid

    class Plain(Markdown):
        elements = Markdown.elements | {"heading_open": Title, "fence": Code, "table_open": Grid}

    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(Plain(text), crop=False)
    lines = "\n".join(line.rstrip() for line in captured.get().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"


def catalogue(*, everything: bool = False) -> str:
    """List the measures: name, meaning, other names, parameters with their defaults.

    Args:
        everything: whether to list all of them; else those to start with, and those that a plugin defines.

    """
    groups = shelves()
    if not everything:
        groups = {heading: measures for heading, measures in groups.items() if heading in (FIRST, OWN)}
    blocks = []
    for heading, of_group in groups.items():
        rows = ((f"`{measure.name}`", escaped(_details(measure.definition))) for measure in of_group)
        blocks += [f"## {heading}", table(("name", "what it says"), rows)]
    if not everything:
        listed = sum(map(len, groups.values()))
        blocks.append(f"{listed} of {len(CATALOGUE) + len(ITEM_MEASURES)} measures; all: `rankworth measures --all`")
    return page([*blocks, "One in full: `rankworth measures nDCG`", HOW])


def measure_page(
    measure: str | Quantity,
    *,
    formula: Callable[[str], str] = formula,
    parameters: Callable[[Iterable[Entry]], str] = items,
) -> str:
    """Write the page of one measure: formula, worked example, parameters, conventions, names, literature.

    Args:
        measure: any spelling of the measure or fact, also with parameters and cutoff.
        formula: how a formula is set.
        parameters: how parameters are listed.

    Raises:
        MeasureError: as `names.parse`.

    """
    quantity = _meant(measure) if isinstance(measure, str) else measure
    definition = quantity.definition
    doc = _doc(definition)
    blocks = [f"# {escaped(str(quantity))}", *map(escaped, doc.opening[:1]), *map(formula, doc.opening[1:])]
    if quantity.averaging == "gmean":
        blocks.append("The mean over queries is the geometric one, in which values below 0.00001 count as 0.00001.")
    if quantity.averaging == "micro":
        pooled = "The mean over queries is the pooled one: the sum of all numerators over that of all denominators."
        blocks.append(pooled)
    steps, session = (
        ([], []) if definition.needs or definition.costs else example(quantity)
    )  # of data that no ranking alone has
    blocks += ["## Worked example", *steps] if steps else []
    if doc.example or session:
        blocks += ["## In Python", code([">>> import rankworth", *doc.example, *session, ""], "python")]
    if entries := list(_parameters(quantity, doc)):
        blocks += ["## Parameters", parameters(entries)]
    labelled = [f"**{label}:** {escaped(text)}" for label, text in doc.labelled.items() if label != "Source"]
    blocks += ["## Conventions", *labelled] if labelled else []
    if isinstance(quantity, Measure):
        blocks += ["## Properties", bullets(_properties(definition))]
    if names_elsewhere := list(_names(quantity)):
        blocks += ["## Names", bullets(names_elsewhere)]
    if "Source" in doc.labelled:
        blocks += ["## Literature", escaped(doc.labelled["Source"])]
    return page(blocks)


def shelves() -> dict[str, list[Quantity]]:
    """Return all measures and facts under the headings of the catalogue, by name but for those to start with."""
    groups: dict[str, list[Quantity]] = {heading: [] for heading in (FIRST, OWN, REST, OF_ITEMS, PARITY)}
    for measure in (*CATALOGUE.values(), *ITEM_MEASURES.values()):
        definition = measure.definition
        is_own = definition.function.__module__.partition(".")[0] == "rankworth"
        heading = (
            OF_ITEMS if measure.name in ITEM_MEASURES else {"first": FIRST, "parity": PARITY}.get(definition.shelf)
        )
        groups[(heading or REST) if is_own else OWN].append(measure)
    groups[COUNTED] = [*FACTS.values()]
    for heading in (OWN, REST, OF_ITEMS, PARITY):
        groups[heading].sort(key=lambda quantity: quantity.name.casefold())
    return {heading: listed for heading, listed in groups.items() if listed}


def _details(definition: Definition) -> str:
    """Describe a measure: what it says, its parameters and its other names."""
    text = definition.sentence
    if definition.parameters:
        defaults = (f"{parameter.name}={plain(parameter.default)}" for parameter in definition.parameters.values())
        text += f" Parameters: {', '.join(defaults)}."
    return f"{text} Also: {', '.join(definition.aliases)}." if definition.aliases else text


def _meant(text: str) -> Quantity:
    """Parse the measure that a text names; a name of trec_eval for several cutoffs means the measure itself."""
    measures = names.parse_all([text])
    if len({measure.name for measure in measures}) > 1:
        return names.parse(text)  # says that it stands for several
    return measures[0] if len(measures) == 1 else CATALOGUE[measures[0].name]


@dataclass
class _Doc:
    """The parts of a definition's docstring."""

    opening: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    labelled: dict[str, str] = field(default_factory=dict)
    example: list[str] = field(default_factory=list)


def _doc(definition: Definition) -> _Doc:
    """Take a docstring apart: sentence and formula, `Args:`, labelled remarks, doctest."""
    doc = _Doc()
    for block in inspect.cleandoc(definition.function.__doc__ or "").split("\n\n"):
        if block.startswith("Args:") and doc.opening:
            entries = re.split(r"\n(?=\S)", textwrap.dedent(block.partition("\n")[2]))
            pairs = (entry.partition(":") for entry in entries)
            doc.arguments = {name: _plain(text) for name, _, text in pairs}
        elif block.startswith(">>>"):
            doc.example += [line for line in block.split("\n") if not line.startswith(">>> import ")]
        elif doc.opening and _LABELLED.match(block):
            remarks = (_plain(remark).partition(": ") for remark in _LABELLED.split(block) if remark)
            doc.labelled |= {label: text for label, _, text in remarks}
        else:
            doc.opening.append(_plain(block))
    return doc


def _parameters(quantity: Quantity, doc: _Doc) -> Iterator[Entry]:
    for name, parameter in quantity.definition.parameters.items():
        here = quantity.parameters.get(name, parameter.default)
        kind = parameter.domain()
        if here != parameter.default:
            kind += f"; default {plain(parameter.default)}"
        yield f"{name}={plain(here)}", kind, _explained(name, doc.arguments)
    if isinstance(quantity, Measure):
        at = quantity.definition.at
        cutoff = "the cutoff; only the first k documents count, all that were retrieved where it is not said."
        cutoff_entry = (f"@{at}", f"the same as {at}=", "there is no cutoff.")
        yield cutoff_entry if at else (f"@{quantity.cutoff or 'k'}", "a whole number from 1", cutoff)
        removed = "whether documents that nobody judged are removed before ranks are counted."
        yield f"judged_only={quantity.judged_only}", "True or False", removed


def _explained(name: str, arguments: Mapping[str, str]) -> str:
    """Explain a parameter; a text "as for" another measure stands for the words of that measure."""
    text = arguments.get(name, "")
    match = re.match(r"as for (\w+)\b", text)
    other = CATALOGUE.get(match[1]) if match else None
    if match is None or other is None:
        return text
    explanation = _explained(name, _doc(other.definition).arguments).removesuffix(".")
    return explanation + text[match.end() :]


def _properties(definition: Definition) -> Iterator[str]:
    low, high = definition.range
    above = f" to {high:.6g}" if high != math.inf else " without an upper bound"
    yield "values: any number" if low == -math.inf else f"values from {low:g}{above}"
    best = "the best order of all judged documents"
    yield f"normalised: {best} scores 1" if definition.normalised else f"not normalised: {best} need not score 1"
    better = "a better grade for a retrieved document"
    monotone = f"monotone: {better} never lowers the value", f"not monotone: {better} can lower the value"
    yield monotone[not definition.monotone]
    exact = "the expected value over all orders of ties is exact"
    other = f"not linear, but {exact}" if definition.tied else "not linear: no expected value over the orders of ties"
    yield f"linear: {exact}" if definition.linear else other


def _names(quantity: Quantity) -> Iterator[str]:
    """Yield what else the measure is called, here and in other tools."""
    if quantity.definition.aliases:
        yield f"here also: {', '.join(quantity.definition.aliases)}"
    for tool, meanings in TOOLS.items():
        called = []
        for name, means in meanings.items():
            if _meant(means).name == quantity.name:
                takes = TREC_EVAL[name].takes if tool == "trec_eval" else ""
                shown = f"{name}_k" if takes == "cutoffs" else name
                called.append(f"{shown} = {means}" if "(" in means else shown)
        if called:
            yield f"{tool}: {', '.join(called)}"


def _plain(text: str) -> str:
    return " ".join(text.split())


def example(quantity: Measure | Fact) -> tuple[list[str], list[str]]:
    """Return the blocks of a page that compute a measure on a ranking, and the lines of Python with its value.

    Raises:
        MeasureError: where the parameters contradict each other.

    """
    from rankworth.evaluation import runner  # noqa: PLC0415 - brings NumPy, which no list of measures needs

    for best in (3, 2, 1):  # a smaller one where a measure takes no better grade
        grades: Sequence[Row] = [None if grade is None else min(grade, best) for grade in _GRADES]
        missing: Sequence[Row] = [min(grade, best) for grade in _MISSING]
        if quantity.definition.subtopics:
            grades, missing = _BY_SUBTOPIC, _MISSING_BY_SUBTOPIC
        of = "grades for three subtopics" if quantity.definition.subtopics else "grades"
        ranking = f"Five documents, 1 to 5, were retrieved. Their {of}, best rank first, are "
        shown, unretrieved = (Look().cells(Column("grade", "grade", part)) for part in (grades, missing))
        ranking += f"{', '.join(shown)}, where ? is a document that nobody judged. Judged, but not "
        ranking += f"retrieved, from document 6 on: grades {' and '.join(unretrieved)}."
        try:
            blocks = [ranking, *_computation(quantity, grades, missing)]
            if isinstance(quantity, TextFact):
                return blocks, []
            lists = ([list(row) if isinstance(row, tuple) else row for row in rows] for rows in (grades, missing))
            ranked, rest = map(repr, lists)
            call = f'>>> rankworth.score(ranking, "{quantity}", missing={rest})'
            return blocks, [f">>> ranking = {ranked}", call, repr(runner.score(grades, quantity, missing=missing))]
        except MeasureError as error:
            if "grade-above-maximum" not in error.slugs:
                raise
    return ["There is none: whole grades do not suit these parameters."], []


def _computation(quantity: Measure | Fact, grades: Sequence["Row"], missing: Sequence["Row"]) -> Iterator[str]:
    """Return tables of the ranking and the ideal one, the value, and what an explanation says of it."""
    from rankworth.explanation import columns, explain, number  # noqa: PLC0415 - brings NumPy
    from rankworth.judging.judged_run import ranking  # noqa: PLC0415 - as above

    if isinstance(quantity, Fact):
        (value,) = quantity.values(ranking(grades, missing=missing))
        text = value if isinstance(value, str) else number(float(value))
        yield code([f"value   {text}"]) if text else "The value is an empty text."
        return
    explanation = explain(grades=grades, missing=missing, measure=quantity)
    terms, best = columns(explanation), columns(explanation, ideal=True)
    if terms[0].values:
        yield _table(terms)
        yield _LEGEND
    if best:
        yield "The ideal ranking, whose total is the norm:"
        yield _table(best)
    yield formula(f"value   {explanation.arithmetic}")
    gained = [missing.sentence(explanation.measure) for missing in explanation.missing if missing.place is not None]
    yield from map(escaped, (explanation.sentence, *gained[:1]))


def _table(columns: Sequence[Column]) -> str:
    rows = zip(*map(Look().cells, columns), strict=True)
    return table([column.name for column in columns], rows, f"|{'--:|' * len(columns)}")

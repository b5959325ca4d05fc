"""The generated pages of docs/measures: an index, a page for each measure and each fact, and a bibliography."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES
from rankworth.names import Quantity
from rankworth.reference import HOW, Entry, code, escaped, formula, measure_page, page, shelves, table

FORMULAS: Final[dict[str, str]] = tomllib.loads(Path(__file__).with_name("formulas.toml").read_text("utf-8"))
"""in LaTeX, by measure"""
_SOURCE: Final = re.compile(
    r"(?P<authors>[A-Z]\w+(?:, [A-Z]\w+)*) \((?P<year>\d{4})\), (?P<title>[A-Z][^;]*?)(?: \([^;]*?\))?, https://doi\.org/(?P<doi>\S+[^\s,;.])"
)
_ELSEWHERE: Final = """## Where tools differ whatever the measure

- **Ties:** trec_eval puts the greater document id first, and so does rankworth. elinor 0.4.0 puts the smaller one
  first, ranx 0.3.21 keeps the order of the input up to 15 documents, cwl-eval 1.0.12 always; scikit-learn 1.9.1 and
  torchmetrics 1.9.0 average over the orders in nDCG.
- **Scores:** trec_eval up to 9.0.8 and pytrec_eval read them in single precision, so that scores are tied that agree in
  seven digits. trec_eval 10.0 and rankworth read them in double precision.
- **Queries:** trec_eval 9.0.8 without `-c`, pytrec_eval and BEIR leave judged queries without results out of the mean.
  ir_measures and rankworth count them 0; `--answered-only` leaves them out.
- **Negative grades:** in trec_eval and here they gain nothing, and are neither relevant nor non-relevant. elinor takes
  them for 0, ranx for non-relevant, and scikit-learn refuses them in nDCG."""


class Work(NamedTuple):
    """A publication that a measure comes from."""

    authors: str
    year: str
    title: str
    doi: str

    @property
    def bibtex(self) -> list[str]:
        """Its entry for a bibliography of LaTeX."""
        first, *_ = self.authors.lower().split(",")
        fields = {
            "author": self.authors.replace(", ", " and "),
            "title": self.title,
            "year": self.year,
            "doi": self.doi,
        }
        return [f"@misc{{{first}{self.year},", *(f"  {name} = {{{text}}}," for name, text in fields.items()), "}"]


def _works(quantity: Quantity) -> list[Work]:
    """The publications that the docstring of a measure names in full."""
    text = " ".join((quantity.definition.function.__doc__ or "").split())
    return [Work(**found.groupdict()) for found in _SOURCE.finditer(text)]


def pages() -> dict[str, str]:
    """All pages of `docs/measures`, by file name, with their index."""
    quantities: list[Quantity] = [*CATALOGUE.values(), *ITEM_MEASURES.values(), *FACTS.values()]
    measures = {f"{one.name}.md": _page(one) for one in quantities}
    return {"README.md": _index(), "bibliography.md": _bibliography(quantities)} | measures


def typed_names() -> str:
    """Return the module that names every measure and every fact with its type."""
    kinds = dict.fromkeys([*CATALOGUE, *ITEM_MEASURES], "Measure") | dict.fromkeys(FACTS, "Fact")
    head = '''"""The measures as names with their types, for type checkers and editors; at run time nothing imports it.

Written by `scripts/measure-pages`.
"""

from rankworth.measures import Fact, Measure
'''
    return "\n".join([head, *(f"{name}: {kinds[name]}" for name in sorted(kinds, key=str.lower)), ""])


def _page(quantity: Quantity) -> str:
    """The page of a measure, with its formula typeset, its parameters in a table and its sources to cite."""

    def typeset(text: str) -> str:
        return f"$$\n{FORMULAS[quantity.name]}\n$$" if quantity.name in FORMULAS else formula(text)

    entries = [line for work in _works(quantity) for line in work.bibtex]
    text = measure_page(quantity, formula=typeset, parameters=_parameters)
    return page([text.rstrip("\n"), *([code(entries, "bibtex")] if entries else [])])


def _parameters(entries: Iterable[Entry]) -> str:
    """A table of parameters."""
    rows = ((f"`{name}`", escaped(kind), escaped(text)) for name, kind, text in entries)
    return table(("parameter", "values", "what it does"), rows, "|:--|:--|:--|")


def _bibliography(quantities: Iterable[Quantity]) -> str:
    """All publications, with the measures that come from them."""
    measures = defaultdict(list)
    for one in quantities:
        for work in _works(one):
            measures[work.doi, work.year].append((work, one.name))
    blocks = ["# Bibliography", "Where the definitions of measures come from; entries for BibTeX are on their pages."]
    entries = []
    for (doi, _), cited in measures.items():
        [(work, _), *_] = cited
        links = ", ".join(f"[{name}]({name}.md)" for name in dict.fromkeys(name for _, name in cited))
        entries.append(f"- {work.authors} ({work.year}), {escaped(work.title)}, <https://doi.org/{doi}>: {links}")
    return page([*blocks, "\n".join(sorted(entries))])


def _index() -> str:
    introduction = (
        "One page for each measure and each fact; `rankworth measures NAME` prints the same, for any parameters.\n"
        f"{HOW} Every value has this form, with sums from the first rank to the last:"
    )
    blocks = [
        "# Measures",
        introduction,
        "```text\nvalue = link((sum of gain * weight / discount, + rest) / norm)\n```",
        "The pages are generated: `scripts/measure-pages` writes them from the definitions.",
        "What measures come from: the [bibliography](bibliography.md).",
    ]
    for heading, some in shelves().items():
        rows = ((f"[{one.name}]({one.name}.md)", one.definition.sentence) for one in some)
        blocks += [f"## {heading}", table(("name", "what it says"), rows, "|:--|:--|")]
    return page([*blocks, _ELSEWHERE])

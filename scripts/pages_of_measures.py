"""The generated pages of docs/measures: an index, and a page for each measure and each fact."""

from typing import Final

from rankworth.measures import CATALOGUE, FACTS
from rankworth.names import Quantity
from rankworth.reference import HOW, measure_page, page, shelves, table

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


def pages() -> dict[str, str]:
    """All pages of `docs/measures`, by file name, with their index."""
    quantities: list[Quantity] = [*CATALOGUE.values(), *FACTS.values()]
    return {"README.md": _index()} | {f"{one.name}.md": measure_page(one) for one in quantities}


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
    ]
    for heading, some in shelves().items():
        rows = ((f"[{one.name}]({one.name}.md)", one.definition.sentence) for one in some)
        blocks += [f"## {heading}", table(("name", "what it says"), rows, "|:--|:--|")]
    return page([*blocks, _ELSEWHERE])

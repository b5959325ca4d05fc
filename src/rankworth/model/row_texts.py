"""The texts of pieces that stand in the rows of a run, read as its scores are."""

from rankworth.errors import InputError
from rankworth.io.grade_words import TextCounts
from rankworth.io.usual_names import SPAN_TEXTS
from rankworth.model.cost_rows import Costly, read


class _Numbers(TextCounts):
    """Gives each text a number, so that texts are read where numbers are."""

    def __init__(self) -> None:
        """Begin without a text."""
        self.by_text: dict[str, int] = {}
        super().__init__(lambda text: self.by_text.setdefault(text, len(self.by_text)))

    def of(self, item: object) -> float | None:
        """Return the number of a text; None of anything else."""
        return float(self.count(item)) if isinstance(item, str) else None


def of(run: Costly) -> dict[str, str]:
    """Return the text of each document of a run; nothing where its rows have none.

    Args:
        run: as it was read.

    """
    for name in SPAN_TEXTS:
        numbers = _Numbers()
        try:
            rows = read(run, name, numbers)
        except InputError:
            continue
        texts = [*numbers.by_text]
        return {str(document): texts[int(number)] for document, number in rows.select("document", "score").iter_rows()}
    return {}

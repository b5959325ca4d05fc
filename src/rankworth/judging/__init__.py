"""How a judged ranking comes about: where each judged document of a query stands in what the system returned.

Three forms of one relation, held together by one law, that they give the same `Hits`, bit for bit: `mapping` looks
documents up in dicts, `embedded` filters and counts in batches of columns, `relational` is a join with windows that any
engine behind Narwhals can run.
"""

from typing import TYPE_CHECKING

from rankworth.judging.assembly import Judgement, Layout
from rankworth.judging.settings import STANDARD, Judging
from rankworth.model import Qrels, Run

if TYPE_CHECKING:
    from rankworth.io.sources import Progress

__all__ = ["Judgement", "Layout", "judge"]


def judge(
    qrels: Qrels,
    run: Run,
    *,
    layout: Layout = "compact",
    settings: Judging = STANDARD,
    subtopics: bool = False,
    progress: "Progress | None" = None,
) -> Judgement:
    """Judge a run by the form that suits its door.

    Args:
        qrels: the judgements.
        run: what the system returned.
        layout: `compact` gives rows to judged documents only, `full` to all that were retrieved.
        settings: what becomes of repeated and excluded documents of the run; the judgements are settled already.
        subtopics: whether the grades by subtopic are wanted, too.
        progress: called while a file is read, see `rankworth.io.sources.Progress`.

    Raises:
        InputError: where the run cannot be trusted, or shares no query with the judgements.

    """
    if subtopics:
        from rankworth.judging import subtopics as by_subtopic  # noqa: PLC0415 - few measures need it

        return by_subtopic.judge(
            qrels, lambda numbered: judge(numbered, run, layout=layout, settings=settings, progress=progress)
        )
    dicts = run.dicts(progress)
    if dicts is not None:
        from rankworth.judging import mapping  # noqa: PLC0415 - one form is needed at a time

        return mapping.judge(qrels, dicts, layout, settings, run.name)
    from rankworth.judging import embedded  # noqa: PLC0415 - as above; imports a dataframe library

    return embedded.judge(qrels, run, layout, settings, progress)

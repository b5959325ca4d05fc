"""Judging a run by one convention."""

from typing import Literal

from rankworth.errors import InputError
from rankworth.io.source import Progress
from rankworth.judging import Include, JudgedRun, judge_all
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.ranking import Ordering
from rankworth.model import Qrels, Run
from rankworth.settings import STANDARD_JUDGING, Judging


def judge(
    qrels: Qrels,
    run: Run,
    *,
    layout: Literal["compact", "full"] = "compact",
    settings: Judging = STANDARD_JUDGING,
    exclude: Exclusion | None = None,
    subtopics: bool = False,
    progress: Progress | None = None,
) -> JudgedRun:
    """The judged run.

    Args:
        qrels: the judgements.
        run: what the system returned.
        layout: `compact` gives rows to judged documents only, `full` to all that were retrieved.
        settings: what orders the documents, and what becomes of repeated ones.
        exclude: the pairs that do not count.
        subtopics: whether the grades by subtopic are wanted, too.
        progress: called while a file is read.

    Raises:
        InputError: where the run cannot be trusted, or shares no query with the judgements.

    """
    conventions = [(qrels, Ordering.of(settings, exclude))]
    [judged] = judge_all(conventions, run, Include(layout == "full", subtopics=subtopics), progress)
    if isinstance(judged, InputError):
        raise judged
    return judged

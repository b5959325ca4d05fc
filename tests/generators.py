"""Random collections and variants of measures, for the laws."""

from binascii import crc32
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st

from judge import judge
from rankworth.judged import Judged
from rankworth.judging.judged_run import JudgedRows, Subtopics
from rankworth.measures import Measure
from rankworth.model import Qrels, Run
from rankworth.settings import QUIRKS, VALUES

CHOICES = {name: taken.words for name, taken in VALUES.items() if taken.words}
"""The words that settings take."""
NUMBERS = {name: words for name, words in CHOICES.items() if VALUES[name].number is float}
"""The words that settings take beside numbers."""

Grades = dict[str, dict[str, float]]
Scores = dict[str, dict[str, float]]

GRADES = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)
DOCUMENTS = ("d1", "d10", "d2", "D2", "é", "字", "𝒳", "~", "0", "007", "7", "a-rather-long-document-id")
QUERIES = ("q1", "q10", "q2", "ü", "0", "Q2")
CUTOFFS = (None, 1, 2, 5, 100)
BESIDE = {"min_grade": {"max_grade": 5}, "T": {"max_grade": 5}, "documents": {"rejection": 1}}
BESIDE |= {"rounding": {"recall": 0.3}, "floor": {"gain": {0: 1}}}
"""parameters of which some values, or all, mean something only beside another"""
SUBTOPICS = ("1", "2", "b", "10")
"""in the order in which they are numbered"""

QUERY = st.sampled_from(QUERIES)
GRADES_OF_ONE = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from(GRADES), min_size=1, max_size=8)
ALL_GRADES = st.dictionaries(QUERY, GRADES_OF_ONE, max_size=4)
SCORES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from((-2.5, 0.0, 0.1, 0.1 + 1e-16, 3.0)), min_size=1)
RUNS = st.dictionaries(QUERY, SCORES, max_size=4)
SCORES_WITHOUT_TIES = st.permutations(DOCUMENTS).flatmap(
    lambda order: st.integers(1, len(order)).map(
        lambda depth: {document: -float(rank) for rank, document in enumerate(order[:depth])}
    )
)
RUNS_WITHOUT_TIES = st.dictionaries(QUERY, SCORES_WITHOUT_TIES, max_size=4)


def as_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as `evaluate` takes them: those that few tools need as `quirks`."""
    quirks = {name: value for name, value in settings.items() if name in QUIRKS}
    return {name: value for name, value in settings.items() if name not in QUIRKS} | {"quirks": quirks}


@st.composite
def collections(draw: st.DrawFn, *, ties: bool = True) -> tuple[Grades, Scores]:
    """Judgements and a run that share a query; ties, holes, short lists and queries on one side only."""
    runs, scores = (RUNS, SCORES) if ties else (RUNS_WITHOUT_TIES, SCORES_WITHOUT_TIES)
    shared = draw(QUERY)
    return draw(ALL_GRADES) | {shared: draw(GRADES_OF_ONE)}, draw(runs) | {shared: draw(scores)}


def batches(*, ties: bool = True) -> st.SearchStrategy[tuple[Grades, Scores]]:
    """Some such collections as one, whose queries have names of their own: a law of queries sees more at once."""
    return st.lists(collections(ties=ties), min_size=1, max_size=8).map(_joined)


def _joined(parts: list[tuple[Grades, Scores]]) -> tuple[Grades, Scores]:
    qrels, run = (
        {query + "/" * number: found for number, part in enumerate(parts) for query, found in part[side].items()}
        for side in (0, 1)
    )
    return qrels, run


def variants(measure: Measure) -> list[Measure]:
    """A measure at several cutoffs, and with every parameter at other values, one at a time, whole and at a cutoff."""
    settings: list[dict[str, Any]] = [{}]
    for name in measure.definition.parameters:
        settings += [{name: value} | beside(measure, name) for value in other_values(measure, name)]
    if measure.definition.at:
        return [measure(**setting) for setting in settings]
    changed = [
        cut(measure(**setting), cutoff)
        for place, setting in enumerate(settings[1:], 1)
        for cutoff in (None, CUTOFFS[1 + place % (len(CUTOFFS) - 1)])
    ]
    return [*(cut(measure, cutoff) for cutoff in CUTOFFS), *changed]


def beside(measure: Measure, parameter: str) -> dict[str, Any]:
    """What else is set where a parameter is changed."""
    there = {name: value for name, value in BESIDE.get(parameter, {}).items() if name in measure.parameters}
    needed = measure.definition.beside.get(parameter)
    return there if needed is None else there | dict([needed])


def cut(measure: Measure, k: int | None) -> Measure:
    """The measure with a cutoff, if it takes one."""
    return measure if k is None or measure.definition.at else measure @ k


def other_values(measure: Measure, parameter: str) -> list[Any]:
    """Values that a parameter may take besides its default, read from its declaration."""
    declared = measure.definition.parameters[parameter]
    values: list[Any] = [word for word in declared.words if word != declared.default]
    if declared.numbers is not None:
        others = [number for number in (0.25, 0.5, 2, 4.5) if number != declared.default]
        fitting = [number for number in others if number in declared.numbers]
        values += [[number] for number in fitting] if declared.series else fitting
    if declared.flag:
        values.append(not declared.default)
    if declared.grades:
        values.append({1: 0.25, 2: 4, 3: 9})
    return [value for value in values if not (parameter == "max_grade" and value < max(GRADES))]


def about(query: str, document: str) -> tuple[int, ...]:
    """The numbers of the subtopics of a query that a document is judged for: any but none, by its name."""
    pattern = 1 + crc32(f"{query} {document}".encode()) % (2 ** len(SUBTOPICS) - 1)
    return tuple(number for number in range(len(SUBTOPICS)) if pattern >> number & 1)


def by_subtopic(qrels: Grades) -> list[tuple[str, str, str, float]]:
    """The judgements for each subtopic: `query, subtopic, document, grade`; the best is the grade itself."""
    return [
        (query, SUBTOPICS[number], document, grade if not place else min(grade, 1.0))
        for query, documents in qrels.items()
        for document, grade in documents.items()
        for place, number in enumerate(about(query, document))
    ]


def hits_of(
    qrels: Grades, run: Scores, *, layout: Any = "compact", numbers: Callable[[str, str], tuple[int, ...]] = about
) -> JudgedRows:
    """The judged rows of a collection of dicts, with subtopics."""
    judgements = Qrels(qrels)
    judgements.__dict__["_subtopics"] = subtopics_of(judgements, numbers)
    return judge(judgements, Run(run), layout=layout, subtopics=True).hits


def subtopics_of(qrels: Qrels, numbers: Callable[[str, str], tuple[int, ...]] = about) -> Subtopics:
    """What `by_subtopic` says, without frames, so that laws are quick; doors are tested elsewhere."""
    counts, lengths, number, grades, by_id = [], [], [], [], []
    for query, documents in qrels.to_dict().items():
        named = sorted({one for document in documents for one in numbers(query, document)})
        counts.append(len(named))
        by_id += [len(by_id) + list(documents).index(document) for document in sorted(documents, reverse=True)]
        for document, grade in documents.items():
            here = numbers(query, document)
            lengths.append(len(here))
            number += [named.index(one) for one in here]
            grades += [grade if not place else min(grade, 1.0) for place in range(len(here))]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return Subtopics(np.array(counts), offsets, np.array(number), np.array(grades), np.array(by_id))


def block_of(qrels: Grades, run: Scores, **said: Any) -> Judged:
    """All queries of a collection of dicts, with subtopics, in one block."""
    return whole(hits_of(qrels, run, **said))


def whole(hits: JudgedRows) -> Judged:
    """All queries in one block."""
    return hits.block(np.arange(hits.n_retrieved.size))


def values_of(measure: Measure, block: Judged) -> list[float]:
    """The value of each query of a block."""
    return [float(value) for value in measure.values(block)]

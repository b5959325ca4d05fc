"""How rankworth is asked for what a tool was asked, and what it answers."""

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal

import polars as pl

import rankworth as rw
from golden.records import CASES, Record

Grades = Literal["given", "hits", "relevant", "shares"]
"""What the tool was handed: the grades of the case; 1 for grades above 0 and else 0; rows with grades above 0 only;
grades divided by the best one of the case."""


@dataclass(frozen=True)
class Way:
    """How the records of a tool are asked for.

    Attributes:
        profile: the name of the profile.
        settings: settings beside it.
        grades: what the tool was handed as grades.
        dicts: the tool takes dicts, so that a query without documents can be said.
        alone: the tool is called for one query at a time, so that it refuses one without the others.
        spelt: patterns of the recorded measures and how a user of the profile writes them; as they are where none fits.

    """

    profile: str
    settings: Mapping[str, object] = field(default_factory=dict)
    grades: Grades = "given"
    dicts: bool = False
    alone: bool = False
    spelt: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        """By what cannot change."""
        return hash((self.profile, tuple(self.settings.items()), self.grades, self.dicts, self.alone))

    def written(self, measure: str) -> str:
        """The measure as a user of the profile writes it."""
        for pattern, spelling in self.spelt.items():
            if match := re.fullmatch(pattern, measure):
                return match.expand(spelling)
        return measure


Answer = Mapping[str, Sequence[float]] | rw.RankworthError
"""Values by query, with what stands for all queries under `all`; or a refusal."""

Pair = tuple[object, object]
"""judgements and run"""

_AGAIN: Final = re.compile(r"(.*) \((\d+)\)")
"""how the second and every further block of rows of a query is called"""


class Asker:
    """Asks for all measures of a case and a way at once, and one by one where some are refused."""

    def __init__(self, choose: Callable[[Record], Way], records: Sequence[Record]) -> None:
        """Collect what is to be asked.

        Args:
            choose: the way of a record.
            records: all that will be asked for.

        """
        self._choose = choose
        self._measures: dict[tuple[str, Way], dict[str, None]] = defaultdict(dict)
        self._answers: dict[tuple[str, Way, str | None], dict[str, Answer]] = {}
        for record in records:
            if record.case in CASES:
                way = choose(record)
                self._measures[record.case, way].setdefault(way.written(record.measure))

    def answer(self, record: Record) -> Answer:
        """What rankworth says for the measure of a record; for a whole run, for any of the tool's measures."""
        way = self._choose(record)
        query = record.query if way.alone and record.query not in ("all", "-") else None
        key = (record.case, way, query)
        if key not in self._answers:
            asked = [one for one in self._measures[record.case, way] if not one.startswith("(")]
            self._answers[key] = _answers(handed(record.case, way), asked or ["AP"], way, query)
        answers = self._answers[key]
        name = way.written(record.measure)
        if not name.startswith("("):
            return answers[name]
        return next((one for one in answers.values() if isinstance(one, rw.RankworthError)), {})


def _answers(pair: Pair, measures: list[str], way: Way, query: str | None) -> dict[str, Answer]:
    try:
        return _together(pair, measures, way, query)
    except rw.RankworthError as error:
        if len(measures) == 1:
            return {measures[0]: error}
    return {name: answer for one in measures for name, answer in _answers(pair, [one], way, query).items()}


def _together(pair: Pair, measures: list[str], way: Way, query: str | None) -> dict[str, Answer]:
    """The answers for several measures; columns stand in the order asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        settings: dict[str, Any] = dict(way.settings)
        queries = None if query is None else [query]
        values = rw.evaluate(*pair, measures, profile=way.profile, queries=queries, **settings)
    table = values.per_query
    if len(table.measures) != len(measures):
        return {name: answer for one in measures for name, answer in _answers(pair, [one], way, query).items()}
    means = list(values.mean().values())
    answers: dict[str, Answer] = {}
    for place, name in enumerate(measures):
        column: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row, name_of_row in enumerate(table.queries):
            if table.there is None or table.there[row, place]:
                query, number = _block(name_of_row)
                column[query].append((number, float(table.array[row, place])))
        rows = {query: [value for _, value in sorted(blocks)] for query, blocks in column.items()}
        answers[name] = rows | {"all": [means[place]]}
    return answers


def _block(row: str) -> tuple[str, int]:
    """The query and which of its blocks of rows it is."""
    match = _AGAIN.fullmatch(row)
    return (match[1], int(match[2])) if match else (row, 1)


@cache
def handed(case: str, way: Way) -> Pair:
    """Judgements and run as the tool had them."""
    rows = CASES[case]
    best = max(grade for _, _, grade in rows.qrels)
    qrels = [(one, document, _grade(grade, best, way.grades)) for one, document, grade in rows.qrels]
    if way.grades == "relevant":
        qrels = [row for row in qrels if row[2] > 0]
    return _dicts(qrels, rows.run, rows.empty) if way.dicts and rows.empty else _frames(qrels, rows.run)


def _grade(grade: float, best: float, grades: Grades) -> float:
    if grades == "hits":
        return float(grade > 0)
    return grade / max(best, 1) if grades == "shares" else grade


Qrels = list[tuple[str, str, float]]
Rows = list[tuple[str, str, int, float]]


def _dicts(qrels: Qrels, run: Rows, empty: list[str]) -> Pair:
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    ranked: dict[str, dict[str, float]] = defaultdict(dict)
    for query, document, grade in qrels:
        judged[query][document] = grade
    for query, document, _, score in run:
        ranked[query][document] = score
    return dict(judged), dict(ranked) | {query: {} for query in empty}


def _frames(qrels: Qrels, run: Rows) -> Pair:
    whole = all(float(grade).is_integer() for *_, grade in qrels)
    grades = {"query": pl.String, "document": pl.String, "grade": pl.Int64 if whole else pl.Float64}
    ranks = {"query": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
    judged = [(query, document, int(grade) if whole else grade) for query, document, grade in qrels]
    return pl.DataFrame(judged, schema=grades, orient="row"), pl.DataFrame(run, schema=ranks, orient="row")

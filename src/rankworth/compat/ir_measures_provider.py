"""The provider of `rankworth.compat.ir_measures`: judgements and runs as ir_measures takes them, and their values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress
from typing import Any, Final, NamedTuple

import ir_measures
import numpy as np
from ir_measures import CalcResults, providers
from ir_measures import Metric as Row
from ir_measures.measures import MeanAgg, Measure, SumAgg
from ir_measures.util import QrelsConverter, RunConverter

from rankworth.arrays import Floats
from rankworth.errors import InputError, MeasureError, RankworthError, RefusedError
from rankworth.evaluation.runner import planned
from rankworth.io import validate
from rankworth.model import Qrels, Run
from rankworth.profiles import Profile, ResolvedMeasure, profile_of
from rankworth.scoring import inputs
from rankworth.scoring.columns import Column
from rankworth.scoring.evaluator import evaluate_run
from rankworth.scoring.plans import Plan

_PROFILE: Final = "ir_measures-0.4"
_COLUMNS: Final = {"query_id": "query", "doc_id": "document", "relevance": "grade", "score": "score"}
"""what ir_measures calls the columns of judgements and runs, and what rankworth calls them"""
_LISTED_BY_DEFAULT: Final = ("zero", "nought", "absent")
"""where `missing` has these values, a query without results counts"""


class Provider(providers.Provider):
    """A provider of ir_measures whose values rankworth computes: every measure of ir_measures that it has.

    By default the value of a query is the one that ir_measures 0.4 gives, whichever of its providers computes it, for
    each measure as if it were asked for alone. With another profile values and means follow its conventions, also as to
    which queries count. Measures that rankworth lacks, those defined at runtime, and those that a profile does not have
    are left to other providers (`supports`).

    Judgements and runs are dicts, iterables of named tuples, or frames with the columns `query_id`, `doc_id`,
    `relevance` and `score`, of pandas, and of Polars where the provider is called directly; they are read as they are.

    Where it departs from ir_measures:

    - A measure has the same value whatever is asked for beside it. In ir_measures `nDCG` may get the gains of an
      `nDCG(gains=...)`, `NumRet` the `judged_only` of another measure, and of several measures of subtopics all but
      those with the settings of the first are 0.
    - Queries without a relevant document in the list have no `Accuracy`, also where other measures are asked for;
      where all documents of the list are relevant it is 1, not a division by zero.
    - `Compat` has documents of equal grades and equal scores in the order of the ranking, not of the judgements.
    - Measures of subtopics are 0 where nothing is relevant, not NaN; `judged_only` and no cutoff are possible.
    - Measures of C/W/L are a `Metric`, without the further numbers of a `CwlMetric`, and may differ in the last digits,
      `BPM` and others with T in whether a sum of fractions reaches it; nothing is logged about the range of grades, and
      nothing is said where there is a single subtopic.
    - Measures that no provider of ir_measures has, such as `ERR` without a cutoff, `NumRel(rel=2)` or `RBP` by grades,
      are answered; `nDCG(dcg="exp-log2")` without a cutoff, and `nDCG` with gains below 0 or of grades below 0, are
      left to other providers.
    - Scores have to be finite numbers, and grades whole ones; a `ValueError` says where not.
    - Values come measure by measure.

    >>> import ir_measures
    >>> provider = Provider()
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}
    >>> provider.calc_aggregate([ir_measures.RR, ir_measures.P @ 1], qrels, run)
    {RR: 0.5, P@1: 0.0}
    >>> provider.supports(ir_measures.nDCG @ 10)
    True
    """

    NAME = "rankworth"

    def __init__(self, profile: str | Profile | None = None) -> None:
        """Choose the conventions.

        Args:
            profile: by name (`rankworth.PROFILES`); those of ir_measures 0.4 where None.

        Raises:
            UsageError: `unknown-setting`.

        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.profile = profile_of(_PROFILE if profile is None else profile)
        self._resolved: dict[str, ResolvedMeasure | None] = {}

    def supports(self, measure: Measure) -> bool:
        """Return whether the profile has a value for a measure.

        Args:
            measure: a measure of ir_measures.

        Raises:
            AssertionError: where a parameter is not one of the measure, or has no such value.

        """
        measure.validate_params()  # type: ignore[no-untyped-call]
        return self._resolve(measure) is not None

    @property
    def is_default(self) -> bool:
        """Whether the conventions are those of ir_measures itself."""
        return self.profile.name == _PROFILE and not self.profile.derived

    def _resolve(self, measure: Measure) -> ResolvedMeasure | None:
        """Return a measure with the settings of the profile; None where it is left to other providers."""
        if type(measure) not in map(type, ir_measures.measures.registry.values()):
            return None
        name = str(measure)
        if name not in self._resolved:
            asked = _name_in_ir_measures(measure) if self.is_default else name
            self._resolved[name] = None if asked is None else self._of_profile(asked)
        return self._resolved[name]

    def _of_profile(self, name: str) -> ResolvedMeasure | None:
        """Return the measure of a name under the profile; None if the profile has none."""
        try:
            [measure] = planned(self.profile, [name], None, {}).numbers
        except (MeasureError, ValueError):
            return None
        if self.is_default and measure.quantity.definition.subtopics:  # by pyndeval, of which the profile does not know
            judging = replace(measure.judging, score_type="float64", ties="id-ascending")
            return replace(measure, judging=judging)
        return measure

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> "Evaluator":  # noqa: ANN401 - as ir_measures takes it
        """Read judgements, which are then there for many runs.

        Raises:
            ValueError: where judgements cannot be read, or a measure is not supported.

        """
        resolved = {measure: self._resolve(measure) for measure in measures}
        if lacking := [measure for measure, terms in resolved.items() if terms is None]:
            message = f"unsupported measures {lacking}"
            raise ValueError(message)
        return Evaluator(
            {measure: terms for measure, terms in resolved.items() if terms is not None},
            qrels,
            self.profile,
            is_default=self.is_default,
        )


class Evaluator(providers.Evaluator):
    """Computes measures of many runs against judgements that are read once; `Provider.evaluator` gives one."""

    def __init__(
        self,
        measures: Mapping[Measure, ResolvedMeasure],
        qrels: Any,  # noqa: ANN401 - as ir_measures takes it
        profile: Profile,
        *,
        is_default: bool,
    ) -> None:
        """Read the judgements.

        Args:
            measures: each with the settings of the profile.
            qrels: as ir_measures takes them.
            profile: the conventions.
            is_default: whether they are those of ir_measures itself, which takes means of what queries have.

        Raises:
            ValueError: where judgements cannot be read.

        """
        self._profile, self._is_default = profile, is_default
        groups = (
            {key: each for key, each in measures.items() if each.quantity.definition.subtopics == of_subtopics}
            for of_subtopics in (False, True)
        )
        sources = _judgements(qrels)
        self._parts = [
            _Part.of(group, Plan(profile, tuple(group.values())), _read(source, group.values()))
            for group, source in zip(groups, sources, strict=True)
            if group
        ]
        judged = dict(self._parts[0].queries) if self._parts else {}
        keys = {validate.text(query): query for query in qrels} if isinstance(qrels, dict) else {}
        self._by_text = judged | keys
        super().__init__(list(measures), set(self._by_text.values()))

    def iter_calc(self, run: Any) -> Iterator[Row]:  # noqa: ANN401 - as ir_measures takes it
        """Yield the value of each query by each measure.

        Args:
            run: as ir_measures takes it.

        Raises:
            ValueError: where the run cannot be read, or a convention refuses it.

        """
        for measure, answer in self._answers(run).items():
            yield from (Row(query, measure, value) for query, value in zip(*answer.rows, strict=True))

    def calc_aggregate(self, run: Any) -> dict[Measure, float | int]:  # noqa: ANN401 - as ir_measures takes it
        """Return the mean, or for counts the sum, of each measure.

        Args:
            run: as ir_measures takes it.

        Raises:
            ValueError: where the run cannot be read, or a convention refuses it.

        """
        return {measure: self._aggregated(measure, answer) for measure, answer in self._answers(run).items()}

    def calc(self, run: Any) -> CalcResults:  # noqa: ANN401 - as ir_measures takes it
        """Return the mean of each measure, and the value of each query.

        Args:
            run: as ir_measures takes it.

        Raises:
            ValueError: where the run cannot be read, or a convention refuses it.

        """
        answers = self._answers(run)
        means = {measure: self._aggregated(measure, answer) for measure, answer in answers.items()}
        rows = (
            Row(query, measure, value)
            for measure, answer in answers.items()
            for query, value in zip(*answer.rows, strict=True)
        )
        return CalcResults(means, list(rows))

    def _aggregated(self, measure: Measure, answer: "_Answer") -> float | int:
        """Return all values of a measure as one number."""
        return _aggregated(measure, answer.rows[1]) if self._is_default else answer.mean

    def _answers(self, run: Any) -> "dict[Measure, _Answer]":  # noqa: ANN401 - as ir_measures takes it
        """Measure a run.

        Raises:
            InputError: where the run cannot be read.
            RefusedError: where a convention refuses it.

        """
        ranked = _run(run)
        order = {query: index for index, query in enumerate(ranked.queries())}
        answers = dict(chain.from_iterable(self._measured(part, ranked, order) for part in self._parts))
        return {measure: answers[measure] for measure in self.measures}

    def _measured(self, part: "_Part", run: Run, order: Mapping[str, int]) -> "Iterator[tuple[Measure, _Answer]]":
        """Yield the answer of each measure of a part.

        Raises:
            InputError, RefusedError: as `_answers`.

        """
        profile, sorted_queries = self._profile, _Sorted(order, self._by_text)
        try:
            evaluation = evaluate_run(part.judgements, run, [part.plan])
            for measure, resolved in part.measures.items():
                column = evaluation.column(resolved)
                queries, values = sorted_queries.rows(column)
                if resolved.averaging.missing in _LISTED_BY_DEFAULT and len(self._by_text) > len(part.queries):
                    without = sorted(self._by_text.keys() - part.queries.keys())
                    queries = [*queries, *(self._by_text[query] for query in without)]
                    values = [*values, *([measure.DEFAULT] * len(without))]
                yield measure, _Answer((queries, values), column.mean)
        except RefusedError as error:
            raise profile.refused(error) from None
        except RankworthError as error:
            raise profile.reworded(error) from None


class _Answer(NamedTuple):
    """The values of a run by one measure."""

    rows: tuple[Sequence[Any], Sequence[float]]
    """queries and their values"""
    mean: float
    """as the profile takes it"""


class _Part(NamedTuple):
    """Measures that look at the same judgements."""

    measures: Mapping[Measure, ResolvedMeasure]
    plan: Plan
    judgements: inputs.Judgements

    queries: Mapping[str, Any]
    """the judged queries by their texts, as they were given"""

    @classmethod
    def of(cls, measures: Mapping[Measure, ResolvedMeasure], plan: Plan, judgements: inputs.Judgements) -> "_Part":
        """Make a part of measures, with the queries of the judgements."""
        qrels = judgements(plan.base.judging)
        back = qrels.kinds.back("query", qrels.queries)
        return cls(measures, plan, judgements, dict(zip(qrels.queries, back, strict=True)))


class _Sorted:
    """Brings the values of queries into the order of the run; queries that it lacks come last."""

    def __init__(self, order: Mapping[str, int], by_text: Mapping[str, Any]) -> None:
        """Take where each query stands in the run, and by its text how the judgements have it."""
        self._order, self._by_text = order, by_text
        self._orders: dict[int, tuple[Any, list[int], list[Any]]] = {}

    def rows(self, column: Column) -> tuple[list[Any], list[float]]:
        """Return the queries that have a value, or count with one, and the values."""
        key = id(column.queries)
        if key not in self._orders:
            names = [self._query(query) for query in column.queries]
            last = len(self._order)
            at = sorted(range(len(names)), key=[self._order.get(name, last) for name in names].__getitem__)
            self._orders[key] = column.queries, at, [self._by_text.get(names[index], names[index]) for index in at]
        _, at, queries = self._orders[key]
        values: Floats = np.where(column.listed, column.visible, column.values)[at]
        has_value = (column.listed | column.counted)[at]
        if has_value.all():
            return queries, values.tolist()
        return [*compress(queries, has_value.tolist())], values[has_value].tolist()

    def _query(self, name: str) -> str:
        """Return the query of a name, also of a name for one part of a query with scattered rows."""
        return name if name in self._order or name in self._by_text else name.rpartition(" (")[0]


def _name_in_ir_measures(measure: Measure) -> str | None:
    """Return the name under which ir_measures computes a measure, or None if the profile lacks it."""
    if measure.NAME == "SetF":  # beta is handed on as the square that trec_eval takes
        judged_only = ", judged_only=True" if measure["judged_only"] else ""
        return f"set_F(rel={measure['rel']}, x={measure['beta']}{judged_only})"
    if measure.NAME == "nDCG":
        gains = measure.params.get("gains", {})
        is_of_ranx = measure["dcg"] == "exp-log2" and "cutoff" not in measure.params
        if is_of_ranx or min((*gains, *gains.values()), default=0) < 0:
            return None
    return str(measure)


def _aggregated(measure: Measure, values: Sequence[float]) -> float | int:
    """Return the aggregate of a measure's values, added from the first to the last."""
    aggregator = measure.aggregator()
    if type(aggregator) not in (MeanAgg, SumAgg) or not values:
        for value in values:
            aggregator.add(value)
        return aggregator.result()
    total = float(np.cumsum(values)[-1])
    return total / len(values) if type(aggregator) is MeanAgg else total


def _judgements(source: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as ir_measures takes them
    """Return judgements as `Qrels` reads them: without subtopics, and with those that they have.

    Raises:
        ValueError: where ir_measures would not know their format.

    """
    if isinstance(source, Qrels):
        return source, source
    if isinstance(source, dict):
        judged = {query: grades for query, grades in source.items() if grades}
        return judged, judged
    if (frame := _columns(source, ("query_id", "doc_id", "relevance"), ("iteration",))) is not None:
        whole = _columns(source, ("query_id", "doc_id", "relevance"))
        return whole, frame
    rows = list(_rows(QrelsConverter(source), "qrels"))  # type: ignore[no-untyped-call]
    plain = [(row.query_id, row.doc_id, row.relevance) for row in rows]
    if not rows or "iteration" not in rows[0]._fields:
        return plain, plain
    named = [
        {"query": row.query_id, "document": row.doc_id, "grade": row.relevance, "subtopic": row.iteration}
        for row in rows
    ]
    return plain, named


def _read(source: Any, measures: Iterable[ResolvedMeasure]) -> inputs.Judgements:  # noqa: ANN401 - as `Qrels` reads it
    """Read judgements, which may be none at all."""
    settings = [each.judging for each in measures]
    try:
        return inputs.Judgements(source, None, settings)
    except InputError as error:
        if error.slug != "empty-input":
            raise
        return inputs.Judgements(Qrels.without_rows(), None, settings)


def _run(source: Any) -> Run:  # noqa: ANN401 - as ir_measures takes it
    """Read a run, which may be empty.

    Raises:
        ValueError: where ir_measures would not know its format.
        InputError: where it cannot be trusted.

    """
    if isinstance(source, Run):
        return source
    if isinstance(source, dict):
        return Run(source) if any(source.values()) else Run.without_rows(empty=map(validate.text, source))
    frame = _columns(source, ("query_id", "doc_id", "score"))
    if frame is None:
        rows = _rows(RunConverter(source), "run")  # type: ignore[no-untyped-call]
        frame = [(row.query_id, row.doc_id, row.score) for row in rows]
    return inputs.run(frame, may_be_empty=True)


def _columns(source: Any, wanted: Sequence[str], further: Sequence[str] = ()) -> Any:  # noqa: ANN401 - a frame
    """Return some columns of a frame; None where it is none, or lacks one of them."""
    names = list(getattr(source, "columns", ()))
    if not set(wanted) <= set(names) or not hasattr(source, "rename"):
        return None
    return source[[*wanted, *(name for name in further if name in names)]]


def _rows(converter: Any, called: str) -> Iterator[Any]:  # noqa: ANN401 - QrelsConverter or RunConverter
    """Yield named tuples.

    Raises:
        ValueError: where ir_measures does not know the format.

    """
    kind, problem = converter.predict_type()
    if kind == "UNKNOWN":
        message = f"unknown {called} format: {problem}"
        raise ValueError(message)
    yield from converter.as_namedtuple_iter()

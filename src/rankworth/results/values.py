"""The values of a run or several: per query, as means, with intervals, counts, groups and signature."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankworth import names
from rankworth.arrays import Floats, Integers
from rankworth.errors import MeasureError, NotMeasuredError, RefusedError, counted, quoted
from rankworth.groups import Groups
from rankworth.io.validate import IdKinds
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Digest, Qrels
from rankworth.profiles import Profile, ResolvedMeasure, signature
from rankworth.results import tables
from rankworth.results.tables import LEVEL
from rankworth.scoring.averaging import Standing
from rankworth.scoring.columns import Column, Mask, side_by_side
from rankworth.scoring.counts import Counts, Notice
from rankworth.scoring.diagnosis import Diagnosis
from rankworth.scoring.evaluator import Evaluation
from rankworth.scoring.inputs import facts_of_reading
from rankworth.scoring.intervals import intervals, intervals_in_words
from rankworth.scoring.plans import Plan
from rankworth.scoring.ranges import refuse_beyond_range
from rankworth.stats.samples import check_sampling
from rankworth.tables.columns import Kind, Sheet
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look
from rankworth.tables.show import Shown, on_screen
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.whatif.bounds import MeanBounds


class Interval(NamedTuple):
    """A confidence interval of a mean."""

    low: float
    high: float
    level: float


@dataclass(eq=False, repr=False)
class PerQuery(Shown):
    """One row per query, one column per measure.

    Attributes:
        ids: the queries that were scored, as text, in the order of their UTF-8 bytes.
        measures: the names that the measures were asked for by.
        array: `[Q, M]`, read-only.
        texts: facts that are texts, such as `relstring`: one for each query, by name.
        there: `[Q, M]`, where there is a value; None where every query has one by every measure.
        kinds: what each measure's values are, by name.
        groups: the group of each query, where groups were asked for.
        id_kinds: whether ids came as integers.

    """

    ids: list[str]
    measures: list[str]
    array: Floats
    texts: dict[str, list[str]] = field(default_factory=dict)
    there: Mask | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    id_kinds: IdKinds = field(default_factory=IdKinds)

    def __post_init__(self) -> None:
        """Take values for shares and the like where nothing else is said."""
        self.kinds = self.kinds or dict.fromkeys(self.measures, "value")

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.ids)

    @property
    def queries(self) -> list[Any]:
        """The ids of the queries as the judgements had them: as integers, or as text."""
        return self.id_kinds.back("query", self.ids)

    @property
    def _known(self) -> Mask:
        """`[Q, M]`, where there is a value."""
        return np.ones_like(self.array, dtype=bool) if self.there is None else self.there

    def __eq__(self, other: object) -> bool:
        """Return whether there are the same values for the same queries and measures."""
        if not isinstance(other, PerQuery):
            return NotImplemented
        compared = ("ids", "measures", "texts", "groups", "kinds")
        return (
            all(getattr(self, name) == getattr(other, name) for name in compared)
            and np.array_equal(self.array, other.array, equal_nan=True)
            and np.array_equal(self._known, other._known)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[Any, dict[str, float]]:
        """Return `{query: {measure: value}}`, without the values that are not there."""
        rows = zip(self.queries, self.array.tolist(), self._known.tolist(), strict=True)
        return {
            query: dict(compress(zip(self.measures, row, strict=True), is_listed)) for query, row, is_listed in rows
        }

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return columns `query`, `group` where groups were asked for, one for each measure and one for each text.

        The ids of queries are integers where the judgements had integers.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns() | {"query": self.queries}, library)

    def columns(self) -> dict[str, Any]:
        """Return the columns by name, ids as text."""
        columns: dict[str, Any] = {"query": self.ids}
        columns |= {"group": self.groups} if self.groups else {}
        return columns | dict(zip(self.measures, np.ascontiguousarray(self.array.T), strict=True)) | self.texts

    def part(self, kept: Mask) -> "PerQuery":
        """Return the values of the queries that `kept`, `[Q]`, marks."""
        rows = kept.tolist()
        return replace(
            self,
            ids=list(compress(self.ids, rows)),
            array=self.array[kept],
            texts={name: list(compress(texts, rows)) for name, texts in self.texts.items()},
            there=None if self.there is None else self.there[kept],
            groups=[],
        )

    def sheets(self) -> list[Sheet]:
        """Return one row per query, one column per measure."""
        return [Sheet(tables.in_columns(self.columns(), self.kinds), has_infinite=True)]

    def __repr__(self) -> str:
        """Say what is in it; `to_frame` shows it."""
        return f"PerQuery({counted(len(self.queries))}, {', '.join([*self.measures, *self.texts])})"


@dataclass(frozen=True, eq=False)
class Details:
    """How the values of a run were computed: `details(values)`.

    Attributes:
        columns: each measure's values as they are averaged.
        plan: the measures as the profile has them.
        base: what is known of each query by the profile itself, and which of them count.
        graded: judged documents with a grade above 0, over all judged queries.
        lists: whether the run came as lists, each the ranking of its query.
        diagnosis: what deserves a second look, found when it is read.
        recorded: what signatures say besides.
        by_share: where gold is spans, the mean of each measure with each of the shares that are tried.

    """

    columns: tuple[Column, ...]
    plan: tuple[ResolvedMeasure, ...]
    base: tuple[Standing, Mask]
    graded: int
    lists: bool
    diagnosis: Diagnosis = Diagnosis.NONE
    recorded: Mapping[str, Any] = field(default_factory=dict)
    by_share: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def lengths(self) -> Integers:
        """How many documents the run has for each judged query that it answers."""
        standing, _ = self.base
        return standing.length[standing.judged & standing.answered]


class _Evaluation(Shown):
    """What the values of one run and of several have in common."""

    @property
    @abstractmethod
    def _table(self) -> "RunValues":
        """The values of all runs."""

    def to_frame(self, library: FrameLibrary = "polars", *, long: bool = False, level: float | None = LEVEL) -> Any:  # noqa: ANN401 - the library's own frame
        """Return one row per run: `run` and the mean of each measure; also a row for each group where groups are shown.

        In long form a row is a run and a measure: `run, [group,] measure, mean, low, high, level, queries, signature`.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            long: whether it is wanted in long form, as data warehouses load it; what is undefined is null.
            level: confidence level of the intervals, which only the long form has; None for none, which is fast.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        if not long:
            return to_library(tables.columns_of_means(self._table), library)
        from rankworth.results.long import mean_rows, sheet  # noqa: PLC0415 - not needed for values

        return to_library(sheet(mean_rows(self._table, level)), library)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a results file, with the values of each query, which `rankworth.load` reads again.

        The file is the same, byte for byte, whenever the same is evaluated.

        Args:
            path: the file: `.json` has a line for each query, as git likes it; `.parquet` is small.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`; `not-comparable`, where runs were not evaluated together.

        """
        from rankworth.results import file  # noqa: PLC0415 - not needed for values

        file.save(self._table, path)

    def sheets(self) -> list[Sheet]:
        """Return one row per run with the means, and what deserves a second look."""
        if not self._table:
            return []
        whole = tables.means(self._table, texts_by="per_query")
        return [replace(whole, notes=(*whole.notes, *tables.warnings(self._table)))]


@dataclass(frozen=True, eq=False, repr=False)
class Values(_Evaluation, Mapping[str, float]):
    """What a run is worth, by every measure asked for.

    A mapping from the names that the measures were asked for by to the means; other names of theirs, and the measures
    themselves, find them, too. Evaluations that say the same of the same judgements are equal.

    >>> import rankworth
    >>> values = rankworth.evaluate({"q1": {"a": 1}}, {"q1": {"b": 2.0, "a": 1.0}}, ["MRR", "P@1"])
    >>> dict(values), values["RR"], "AP" in values, values.get("AP")
    ({'MRR': 0.5, 'P@1': 0.0}, 0.5, False, None)

    Attributes:
        run: the name of the run.
        measures: the measures and counted facts, in the order asked for.
        per_query: a value for each query and measure.
        counts: how many queries stand behind the means.
        profile: the conventions that were followed.
        asked: the measures and facts with the texts among them, in the order asked for.
        tag: what the run's file calls it, as trec_eval's `runid`; its name where there is no file.
        by: the groups that are shown, where some were asked for.
        judgements: the judgements; what tells whether they are the same, once the values came from another process.
        bounds: how low and how high the means could be, where that was asked for.

    """

    run: str
    measures: tuple[Measure | Fact, ...]
    per_query: PerQuery
    counts: Counts
    profile: Profile
    asked: tuple[Measure | Fact, ...] = ()
    tag: str = ""
    by: Groups | None = None
    judgements: Qrels | Digest | None = None
    bounds: "MeanBounds | None" = None
    _details: Details = field(kw_only=True)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What deserves a second look; found when it is first read."""
        return self._details.diagnosis().notices

    @property
    def _table(self) -> "RunValues":
        return RunValues({self.run: self})

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the digest of the judgements in place of the judgements."""
        return self.__dict__ | {"judgements": self._digest}

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """Return the mean of a measure, by any of its names; of a fact the sum, of `gmean(...)` the geometric mean.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        return float(self._means[self._index(measure)])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names that the measures were asked for by, in the order asked for."""
        return iter(self.per_query.measures)

    def __len__(self) -> int:
        """Return how many measures there are."""
        return len(self.per_query.measures)

    def __eq__(self, other: object) -> bool:
        """Return whether two evaluations have equal values, means, counts, settings, notices and judgements."""
        if not isinstance(other, Values):
            return NotImplemented
        if self is other:
            return True
        compared = ("run", "notices", "tag", "signature", "signatures", "per_query")
        return (
            all(getattr(self, name) == getattr(other, name) for name in compared)
            and self.counts.numbers == other.counts.numbers
            and self.counts.queries == other.counts.queries
            and np.array_equal(self._means, other._means, equal_nan=True)
            and self._digest == other._digest
        )

    __hash__ = None  # type: ignore[assignment]

    def mean(self) -> dict[str, float]:
        """Return the mean of each measure by the name that it was asked for by, in the order asked for."""
        return dict(zip(self.per_query.measures, self._means.tolist(), strict=True))

    def log_dict(self, prefix: str = "") -> dict[str, float]:
        """Return the means under names that every logger of experiments takes, and the number of queries behind them.

        `nDCG@10` is `nDCG_at_10`, `P(rel=2)@5` is `P_rel_2_at_5`; means that are not defined are left out.

        Args:
            prefix: what all names begin with, such as `eval/`.

        """
        return tables.log_dict(self.mean(), self.counts.scored, prefix)

    def interval(self, *, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
        """Compute confidence intervals of means: bootstrap over queries, bias-corrected and accelerated; NaN for sums.

        Queries are drawn with their weights, and within the groups of a macro mean; NaN where such a group has fewer
        than two.

        Args:
            level: the confidence level.
            seed: of the resampling; recorded nowhere, so that values stay comparable.

        Raises:
            UsageError: `unknown-setting`.

        """
        check_sampling(level, seed)
        by_measure = self._intervals.setdefault((level, seed), {})
        if not by_measure:
            low, high = intervals(self._details.columns, level, seed)
            bounds = zip(self.per_query.measures, low.tolist(), high.tolist(), strict=True)
            by_measure |= {name: Interval(lower, upper, level) for name, lower, upper in bounds}
        return dict(by_measure)

    @property
    def _digest(self) -> Digest | None:
        """What tells the judgements from others; None where it is not known."""
        return self.judgements.digest if isinstance(self.judgements, Qrels) else self.judgements

    @property
    def method(self) -> str:
        """How intervals come about, in words."""
        columns = dict(zip(self.per_query.measures, self._details.columns, strict=True))
        return intervals_in_words(columns, "" if self.profile.data.macro is None else " within groups")

    @cached_property
    def signature(self) -> str:
        """The settings of the values, in a line; of the profile, not of single measures."""
        details = self._details
        return str(signature(self.profile, self.per_query.ids, __version__, lists=details.lists, **details.recorded))

    @cached_property
    def signatures(self) -> dict[str, str]:
        """One line for each measure: what it is, what differs from `standard-1`, and over which queries it goes."""
        queries, is_listed, details = self.per_query.ids, self.per_query.there, self._details
        lines = {}
        for column, measure in enumerate(details.plan):
            scored = queries if is_listed is None else list(compress(queries, is_listed[:, column].tolist()))
            line = signature(
                self.profile, scored, __version__, measure=measure, lists=details.lists, **details.recorded
            )
            lines[measure.label] = str(line)
        return lines

    @cached_property
    def slices(self) -> dict[str, "Values"]:
        """The values of each group by its name, in the order of names; empty where no groups were asked for.

        They are those of an evaluation of its queries alone: means, intervals, counts and signature.
        """
        by, details = self.by, self._details
        if by is None:
            return {}
        every = [details.base[0].queries, *(column.queries for column in details.columns)]
        groups = {key: by.parts(queries) for key, queries in {id(queries): queries for queries in every}.items()}
        names = by.names(self.per_query.ids)
        for column in details.columns:
            names |= {*by.names(column.names(column.counted & ~column.listed))}
        scored = by.parts(self.per_query.ids)
        return {
            name: self._part({key: part.of(name) for key, part in groups.items()}, scored.of(name))
            for name in by.ordered(names)
        }

    def _part(self, rows: dict[int, Mask], scored_rows: Mask) -> "Values":
        """Return the values of one group.

        Args:
            rows: its queries, by the list of queries that they are in.
            scored_rows: its queries among those that were scored.

        """
        standing, scored = self._details.base
        part = rows[id(standing.queries)]
        within = replace(standing, judged=standing.judged & part)
        counts = Counts.of(within, scored & part, self.per_query.id_kinds)
        columns = tuple(column.part(rows[id(column.queries)]) for column in self._details.columns)
        details = replace(self._details, columns=columns, diagnosis=Diagnosis.NONE)
        bounds = None if self.bounds is None else self.bounds.part(rows)
        per_query = self.per_query.part(scored_rows)
        return replace(self, per_query=per_query, counts=counts, by=None, bounds=bounds, _details=details)

    def __repr__(self) -> str:
        """Show the means, with bounds, counts, groups and warnings, as plain text."""
        if self.by is not None or self.bounds is not None:
            return repr(self._table)
        [whole] = self._worded()
        width = max(map(len, self.per_query.measures), default=0)
        lines = [f"{name:<{width}}  {value:.4f}" for name, value in self.mean().items()]
        return "\n".join([*lines, "", *whole.defects, *whole.notes, whole.comment])

    @cached_property
    def _intervals(self) -> dict[tuple[float, int], dict[str, Interval]]:
        """What was asked for before."""
        return {}

    @cached_property
    def _means(self) -> NDArray[np.float64]:
        return np.array([column.mean for column in self._details.columns])

    def _index(self, measure: str | Measure | Fact) -> int:
        """Return the number of a measure among those that were evaluated.

        Raises:
            NotMeasuredError: `not-measured`.

        """
        labels, wanted = self.per_query.measures, measure
        try:
            if self.profile.rules and measure not in labels:
                resolved, *further = self.profile.ask([measure])
                settings = [(each.quantity, each.conventions) for each in self._details.plan]
                if not further and (resolved.quantity, resolved.conventions) in settings:
                    return settings.index((resolved.quantity, resolved.conventions))
                wanted = resolved.quantity
            index = names.column_of(wanted, labels, list(map(str, self.measures)))
        except MeasureError as error:
            raise NotMeasuredError.of(measure, labels, error) from None
        if index is not None:
            return index
        if any(str(fact) == str(wanted) for fact in self.asked if isinstance(fact, TextFact)):
            text = f"{wanted} is a text, not a number; per_query.texts has those of queries"
            raise NotMeasuredError("not-measured", text)
        raise NotMeasuredError.of(wanted, labels)


class RunValues(_Evaluation, Mapping[str, Values]):
    """The values of several runs by name, in the order they were given."""

    def __init__(self, values: Mapping[str, Values]) -> None:
        """Hold the values."""
        self._values = dict(values)

    @property
    def _table(self) -> "RunValues":
        return self

    def __getitem__(self, run: str) -> Values:
        """Return the values of one run.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        if run not in self._values:
            raise NotMeasuredError("not-measured", f"there is no run {run!r}; there are {quoted(self._values, 8)}")
        return self._values[run]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the runs."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self._values)

    @property
    def signature(self) -> str:
        """The signature, if all runs have one; they differ where `missing="skip"` leaves different queries."""
        signatures = {values.signature for values in self.values()}
        return " ; ".join(sorted(signatures))

    def per_query_columns(self) -> dict[str, Any]:
        """Return one row per run and query: `run`, `query` and one column per measure."""
        parts = [
            {"run": [name] * len(values.per_query)} | values.per_query.columns() | {"query": values.per_query.queries}
            for name, values in self.items()
        ]
        joined: dict[str, Any] = {}
        for name in parts[0]:
            columns = [part[name] for part in parts]
            text = isinstance(columns[0], list)
            joined[name] = [item for column in columns for item in column] if text else np.concatenate(columns)
        return joined

    def __repr__(self) -> str:
        """Show the means of all runs, with bounds, counts, groups and warnings, as plain text."""
        return on_screen(self._worded(), Look()) if self else ""


def details(values: "Values") -> "Details":
    """Describe how the values of a run were computed."""
    return values._details  # noqa: SLF001 - the only access


def with_notices(values: "Values", notices: Sequence[Notice]) -> "Values":
    """Return the same values with other notices."""
    diagnosed = details(values).diagnosis()._replace(notices=tuple(notices))
    return replace(values, _details=replace(details(values), diagnosis=Diagnosis(lambda: diagnosed)))


def values_of(evaluation: Evaluation, plan: Plan, *, with_notices: bool = True) -> Values:
    """Collect the values of one plan, with counts, notices, and what is needed to make means and signatures.

    Args:
        evaluation: the run, judged and measured.
        plan: the measures.
        with_notices: whether anything deserves a second look.

    Raises:
        RankworthError: where the profile refuses the judgements or the run.
        MeasureError: `beyond-range`.

    """
    profile, base, label = plan.profile, plan.base, ""
    measures, columns = plan.numbers, []
    try:
        for measure in measures:
            label = measure.label
            columns.append(evaluation.column(measure))
        label = ""
        whole = evaluation.measured_run(base)
        scored = whole.rows(base.averaging).listed
    except RefusedError as error:
        raise profile.refused(error, label) from None
    refuse_beyond_range(pairs := [*zip(measures, columns, strict=True)], profile)
    policy = evaluation.judgements(base.judging, base.data.exclude).duplicate_judgements
    if policy not in ("error", base.judging.duplicate_judgements):  # it was settled when they were read
        profile = profile.derive(duplicate_judgements=policy)
    if profile.data.exclude is not None:
        profile = replace(profile, data=profile.data.bare)
    qrels, judgement = whole.qrels, whole.judgement
    ids, table, is_listed = side_by_side(columns, whole.standing.queries, scored)
    groups = [] if plan.by is None else plan.by.shown(ids)
    counts = Counts.of(
        whole.standing,
        scored,
        qrels.kinds,
        judgement.unjudged,
        duplicates_removed=judgement.repeated,
        duplicate_judgements_removed=int(qrels.repeated.sum()),
        excluded=judgement.excluded,
        excluded_judgements=int(qrels.excluded.sum()),
    )
    texts = tables.text_facts(evaluation, plan, ids) if len(measures) < len(plan.measures) else {}
    diagnosis = Diagnosis.of(evaluation, plan, pairs, counts) if with_notices else Diagnosis.NONE
    return Values(
        evaluation.run.name,
        tuple(measure.quantity for measure in measures),
        PerQuery(ids, [*plan.kinds], table, texts, is_listed, plan.kinds, groups, qrels.kinds),
        counts,
        profile,
        tuple(measure.quantity for measure in plan.measures),
        evaluation.run.tag,
        plan.by,
        evaluation.judgements(base.judging),
        _details=Details(
            tuple(columns),
            tuple(replace(measure, data=measure.data.bare) for measure in measures),  # of a call the labels say enough
            (whole.standing, scored),
            int(np.count_nonzero(whole.hits.pool.grades > 0)),
            evaluation.run.lists is not None,
            diagnosis,
            facts_of_reading(evaluation.judgements, evaluation.run),
        ),
    )

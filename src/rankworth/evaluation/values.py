"""The values of a run or several: per query, as means, with intervals, counts, groups and signature."""

import math
import operator
import os
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rankworth import names
from rankworth.errors import MeasureError, NotMeasuredError, UsageError, in_python, quoted
from rankworth.evaluation import aggregation, intervals
from rankworth.evaluation.aggregation import Column, Standing
from rankworth.evaluation.intervals import Interval
from rankworth.evaluation.per_query import PerQuery
from rankworth.evaluation.summary import Counts, means, rows, warnings
from rankworth.groups import Groups
from rankworth.io.validate import is_number
from rankworth.measures import Fact, Measure, TextFact
from rankworth.model import Digest, Qrels
from rankworth.profiles import Profile, ResolvedMeasure, signature
from rankworth.tables import columns as tables
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import Look
from rankworth.tables.notebook import Shown
from rankworth.tables.show import show
from rankworth.version import __version__

if TYPE_CHECKING:
    from rankworth.evaluation.results_file import Result

_WORDS: Final[Mapping[str, str]] = {"@": "_at_", "(": "_", ")": "", "=": "_", ", ": "_"}
_PARTS: Final = re.compile(r", |[^A-Za-z0-9_.-]")


def log_name(measure: str) -> str:
    """A measure as loggers take it: letters, digits, `_`, `-` and `.`; other signs of a name as `_x` and their number.

    No two measures of the catalogue have one name.

    >>> log_name("nDCG@10"), log_name("P(rel=2)@5"), log_name("RBP(p=0.8)"), log_name("gmean(AP)")
    ('nDCG_at_10', 'P_rel_2_at_5', 'RBP_p_0.8', 'gmean_AP')
    """
    return _PARTS.sub(lambda part: _WORDS.get(part[0], f"_x{ord(part[0][0]):X}_"), measure)


def log_dict(means: Mapping[str, float], queries: int, prefix: str = "") -> dict[str, float]:
    """Means as a flat dict of plain floats; those that are not defined are left out, as loggers refuse or hide them.

    Args:
        means: by measure.
        queries: how many queries stand behind them.
        prefix: what all names begin with.

    >>> log_dict({"nDCG@10": 0.25, "AP": float("nan")}, 3, "eval/")
    {'eval/nDCG_at_10': 0.25, 'eval/queries': 3.0}
    """
    defined = {f"{prefix}{log_name(measure)}": float(mean) for measure, mean in means.items() if math.isfinite(mean)}
    return defined | {f"{prefix}queries": float(queries)}


class Notice(NamedTuple):
    """Something that deserves a second look; the same slug and text as the warning."""

    slug: str
    text: str


@dataclass(frozen=True, eq=False)
class Behind:
    """What stands behind the values of a run: `behind(values)`.

    Attributes:
        columns: each measure's values as they are averaged.
        plan: the measures as the profile has them.
        base: what is known of each query by the profile itself, and which of them count.
        graded: judged documents with a grade above 0, over all judged queries.
        lists: whether the run came as lists, each the ranking of its query.

    """

    columns: tuple[Column, ...] = ()
    plan: tuple[ResolvedMeasure, ...] = ()
    base: tuple[Standing, aggregation.Mask] | None = None
    graded: int = 0
    lists: bool = False


class _Evaluation(Shown):
    """What the values of one run and of several have in common."""

    @property
    @abstractmethod
    def _table(self) -> "RunValues":
        """The values of all runs."""

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """One row per run: `run` and the mean of each measure; a row for each group, too, where groups are shown.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        runs = rows(self._table)
        means = [values.mean() for _, _, values in runs]
        columns: dict[str, Any] = {"run": [run for run, _, _ in runs]}
        if any(values.by is not None for _, _, values in runs):
            columns["group"] = [group for _, group, _ in runs]
            columns["queries"] = [values.counts.scored for _, _, values in runs]
        columns |= {name: [mean[name] for mean in means] for name in (means[0] if means else {})}
        return to_library(columns, library)

    def kept(self, *, digest: bool = True) -> "list[Result]":
        """What a results file keeps of each run.

        Args:
            digest: whether the judgements are to be recognised later, which costs a look at each of them.

        """
        from rankworth.evaluation import results_file  # noqa: PLC0415 - not needed for values

        return [replace(results_file.result_of(one, digest=digest), run=run) for run, one in self._table.items()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a results file, with the values of each query, which `rankworth.load` reads again.

        The file is the same, byte for byte, whenever the same is evaluated.

        Args:
            path: the file: `.json` has a line for each query, as git likes it; `.parquet` is small.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`; `not-comparable`, where runs were not evaluated together.

        """
        from rankworth.evaluation import results_file  # noqa: PLC0415 - not needed for values

        results_file.save(self.kept(), path)

    def sheets(self) -> list[tables.Sheet]:
        """One row per run with the means, and what deserves a second look."""
        if not self._table:
            return []
        whole = means(self._table, texts_by="per_query")
        return [replace(whole, notes=(*whole.notes, *map(in_python, warnings(self._table))))]


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
        notices: what deserves a second look.
        asked: the measures and facts with the texts among them, in the order asked for.
        tag: what the run's file calls it, as trec_eval's `runid`; its name where there is no file.
        by: the groups that are shown, where some were asked for.
        judgements: the judgements; what tells whether they are the same, once the values came from another process.

    """

    run: str
    measures: tuple[Measure | Fact, ...]
    per_query: PerQuery
    counts: Counts
    profile: Profile
    notices: tuple[Notice, ...] = ()
    asked: tuple[Measure | Fact, ...] = ()
    tag: str = ""
    by: Groups | None = None
    judgements: Qrels | Digest | None = None
    _behind: Behind = Behind()

    @property
    def _table(self) -> "RunValues":
        return RunValues({self.run: self})

    def __getstate__(self) -> dict[str, Any]:
        """What travels between processes: no judgements, but what tells whether they are the same."""
        given = self.judgements
        return self.__dict__ | {"judgements": given.digest if isinstance(given, Qrels) else given}

    def __getitem__(self, measure: str | Measure | Fact) -> float:
        """The mean of a measure, by any of its names; of a fact the sum, of `gmean(...)` the geometric mean.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        return float(self._means[self._index(measure)])

    def __contains__(self, measure: object) -> bool:
        """Whether the measure was asked for."""
        try:
            self._index(measure)  # type: ignore[arg-type]
        except NotMeasuredError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The names that the measures were asked for by, in the order asked for."""
        return iter(self.per_query.measures)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.per_query.measures)

    def __eq__(self, other: object) -> bool:
        """Whether two evaluations say the same: values, means, counts, settings and notices, by the same judgements."""
        if not isinstance(other, Values):
            return NotImplemented
        if self is other:
            return True
        alike = ("run", "notices", "tag", "signature", "signatures", "per_query")
        return (
            all(getattr(self, name) == getattr(other, name) for name in alike)
            and self.counts.numbers == other.counts.numbers
            and self.counts.queries == other.counts.queries
            and np.array_equal(self._means, other._means, equal_nan=True)
            and _digest(self) == _digest(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def mean(self) -> dict[str, float]:
        """The mean of each measure by the name that it was asked for by, in the order asked for."""
        return dict(zip(self.per_query.measures, self._means.tolist(), strict=True))

    def log_dict(self, prefix: str = "") -> dict[str, float]:
        """The means under names that every logger of experiments takes, and the number of queries behind them.

        `nDCG@10` is `nDCG_at_10`, `P(rel=2)@5` is `P_rel_2_at_5`; means that are not defined are left out.

        Args:
            prefix: what all names begin with, such as `eval/`.

        """
        return log_dict(self.mean(), self.counts.scored, prefix)

    def interval(self, *, level: float = 0.95, seed: int = 0) -> dict[str, Interval]:
        """A confidence interval of each mean: bootstrap over queries, bias-corrected and accelerated; NaN for sums.

        Queries are drawn with their weights, and within the groups of a macro mean; NaN where such a group has fewer
        than two.

        Args:
            level: the confidence level.
            seed: of the resampling; recorded nowhere, so that values stay comparable.

        Raises:
            UsageError: `unknown-setting`.

        """
        if not is_number(level) or not 0 < level < 1:
            raise UsageError("unknown-setting", f"level={level!r}: a level lies between 0 and 1")
        if not isinstance(seed, SupportsIndex) or operator.index(seed) < 0:
            raise UsageError("unknown-setting", f"seed={seed!r}: seed is a whole number from 0")
        known = self._intervals.setdefault((level, seed), {})
        if not known:
            ends = intervals.ends(self.measures, self.per_query, self._behind.columns, level, seed)
            bounds = zip(self.per_query.measures, *(end.tolist() for end in ends), strict=True)
            known |= {name: Interval(lower, upper, level) for name, lower, upper in bounds}
        return dict(known)

    @property
    def method(self) -> str:
        """How intervals come about, in words."""
        within = "" if self.profile.averaging.macro is None else " within groups"
        return f"BCa bootstrap over queries{within}"

    @cached_property
    def signature(self) -> str:
        """One line that says under which settings the values came about; of the profile, not of single measures."""
        return str(signature(self.profile, self.per_query.ids, __version__, lists=self._behind.lists))

    @cached_property
    def signatures(self) -> dict[str, str]:
        """One line for each measure: what it is, what differs from `standard-1`, and over which queries it goes."""
        queries = self.per_query.ids
        lines = {}
        for place, one in enumerate(self._behind.plan):
            there = None if self.per_query.there is None else self.per_query.there[:, place].tolist()
            scored = queries if there is None else list(compress(queries, there))
            lines[one.label] = str(signature(self.profile, scored, __version__, asked=one, lists=self._behind.lists))
        return lines

    @cached_property
    def slices(self) -> dict[str, "Values"]:
        """The values of each group by its name, in the order of names; empty where no groups were asked for.

        They are those of an evaluation of its queries alone: means, intervals, counts and signature.
        """
        return parts(self)

    def __repr__(self) -> str:
        """The means, with counts, groups and warnings, as plain text."""
        if self.by is not None:
            return repr(self._table)
        [whole] = self.sheets()
        width = max(map(len, self.per_query.measures), default=0)
        lines = [f"{name:<{width}}  {value:.4f}" for name, value in self.mean().items()]
        return "\n".join([*lines, "", *whole.defects, *whole.notes, whole.comment])

    @cached_property
    def _intervals(self) -> dict[tuple[float, int], dict[str, Interval]]:
        """What was asked for before."""
        return {}

    @cached_property
    def _means(self) -> NDArray[np.float64]:
        return np.array([column.mean() for column in self._behind.columns])

    def _index(self, measure: str | Measure | Fact) -> int:
        """The number of a measure among those that were evaluated.

        Raises:
            NotMeasuredError: `not-measured`.

        """
        labels, wanted = self.per_query.measures, measure
        try:
            if self.profile.rules and measure not in labels:
                one, *others = self.profile.ask([measure])
                settings = [(each.quantity, each.judging, each.averaging) for each in self._behind.plan]
                if not others and (one.quantity, one.judging, one.averaging) in settings:
                    return settings.index((one.quantity, one.judging, one.averaging))
                wanted = one.quantity
            index = names.place(wanted, labels, list(map(str, self.measures)))
        except MeasureError as error:
            raise NotMeasuredError.of(measure, labels, error) from None
        if index is not None:
            return index
        if any(str(one) == str(wanted) for one in self.asked if isinstance(one, TextFact)):
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
        """The values of one run.

        Raises:
            NotMeasuredError: `not-measured`; a `KeyError`, too.

        """
        if run not in self._values:
            raise NotMeasuredError("not-measured", f"there is no run {run!r}; there are {quoted(self._values, 8)}")
        return self._values[run]

    def __iter__(self) -> Iterator[str]:
        """The names of the runs."""
        return iter(self._values)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._values)

    @property
    def signature(self) -> str:
        """The signature, if all runs have one; they differ where `missing="skip"` leaves different queries."""
        signatures = {values.signature for values in self.values()}
        return " ; ".join(sorted(signatures))

    def per_query_columns(self) -> dict[str, Any]:
        """One row per run and query: `run`, `query` and one column per measure."""
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
        """The means of all runs, with counts, groups and warnings, as plain text."""
        return show(self.sheets(), "table", Look()).rstrip("\n") if self else ""


def _digest(values: Values) -> Digest | None:
    """What tells the judgements of some values from others."""
    given = values.judgements
    return given.digest if isinstance(given, Qrels) else given


def behind(values: "Values") -> "Behind":
    """What stands behind the values of a run."""
    return values._behind  # noqa: SLF001 - the one door to it


def parts(values: "Values") -> "dict[str, Values]":
    """The values of each group that has a query, in the order of groups; none where no groups were asked for."""
    by, base, columns = values.by, behind(values).base, behind(values).columns
    if by is None or base is None:
        return {}
    standings = {id(one): one for one in (base[0], *(column.standing for column in columns))}
    groups = {key: by.parts(one.queries) for key, one in standings.items()}
    names = set(values.per_query.groups)
    names |= {name for one in columns for name in by.labels(one.standing.of(one.rows.missing))}
    return {
        name: _part(values, name, {key: part.of(name) for key, part in groups.items()}) for name in by.ordered(names)
    }


def _part(values: "Values", name: str, rows: dict[int, aggregation.Mask]) -> "Values":
    """The values of one group.

    Args:
        values: those of all.
        name: of the group.
        rows: its queries, by the standing that they are in.

    """
    whole, counts = behind(values), Counts(0, 0, 0, 0, 0)
    if whole.base is not None:
        standing, scored = whole.base
        part = rows[id(standing)]
        standing = replace(standing, judged=standing.judged & part)
        counts = Counts.of(standing, scored & part, values.per_query.id_kinds)
    others = {query for one in whole.columns for query in one.rows.others}
    if others and values.by is not None:
        others = {query for query in others if values.by.labels([query]) == [name]}
    columns = tuple(one.part(rows[id(one.standing)], others.intersection(one.rows.others)) for one in whole.columns)
    return replace(
        values,
        per_query=values.per_query.part(name),
        counts=counts,
        notices=(),
        by=None,
        _behind=replace(whole, graded=0, columns=columns, base=None),
    )

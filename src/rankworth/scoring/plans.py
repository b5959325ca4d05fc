"""The measures of an evaluation, and what each of them requires of the judged run."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from rankworth.errors import UsageError
from rankworth.groups import Groups
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.judging.item_data import History
from rankworth.judging.ranking import Ordering
from rankworth.measures import TextFact
from rankworth.names import kind_of
from rankworth.profiles import Profile, ResolvedMeasure
from rankworth.settings import Judging
from rankworth.tables.columns import Kind

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Requirements(NamedTuple):
    """What a measure requires of the judged run; measures that require the same are measured on one."""

    judging: Judging
    exclude: Exclusion | None
    has_unjudged: bool
    """whether queries of the run count that nobody judged"""
    looks_elsewhere: bool
    """whether they count by documents that are judged for other queries, or by data about items"""
    history: History | None
    """the history whose users are the queries that count, whatever is judged"""

    @classmethod
    def of(cls, measure: ResolvedMeasure) -> "Requirements":
        """Take the requirements out of the settings of a measure."""
        counts_extra = measure.averaging.extra != "ignore"
        has_unjudged = counts_extra or measure.averaging.divisor == "run"
        definition = measure.quantity.definition
        looks_elsewhere = counts_extra and bool(definition.elsewhere or definition.needs)
        is_of_history = "history" in definition.needs and measure.quantity.parameters.get("users") == "history"
        history = measure.data.history if is_of_history else None
        return cls(measure.judging, measure.data.exclude, has_unjudged, looks_elsewhere, history)

    @property
    def ordering(self) -> Ordering:
        """The settings that select and order the rows of the run."""
        return Ordering.of(self.judging, self.exclude)

    @property
    def cuts_before_comparing(self) -> bool:
        """Whether a ranking is cut to its depth before it is looked at for documents that appear twice."""
        plain = (self.judging.blocks, self.judging.pairing, self.exclude) == ("joined", "id", None)
        return plain and self.judging.order in ("auto", "score") and self.judging.depth is not None


@dataclass(frozen=True)
class Plan:
    """The measures of an evaluation under one profile."""

    profile: Profile
    measures: Sequence[ResolvedMeasure]
    by: Groups | None = None
    """groups that are shown"""

    @cached_property
    def exclude(self) -> Exclusion | None:
        """The pairs that some measure does not count, or their label."""
        return next((measure.data.exclude for measure in self.measures if measure.data.exclude is not None), None)

    @property
    def may_be_empty(self) -> bool:
        """Whether judgements or a run without a row give numbers."""
        return self.profile.may_be_empty and self.exclude is None

    @cached_property
    def numbers(self) -> list[ResolvedMeasure]:
        """The measures that are numbers."""
        return [measure for measure in self.measures if not isinstance(measure.quantity, TextFact)]

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What the values of each measure are that is a number, by its label."""
        return {measure.label: kind_of(measure.quantity) for measure in self.numbers}

    @cached_property
    def base(self) -> ResolvedMeasure:
        """The measure that tells how many queries there are: one with the settings of the profile, or the first."""
        settings = (self.profile.judging, self.profile.averaging, self.profile.data)
        plain = (each for each in self.measures if (each.judging, each.averaging, each.data) == settings)
        return next(plain, self.measures[0])

    @cached_property
    def by_requirements(self) -> dict[Requirements, list[ResolvedMeasure]]:
        """The measures that are measured on one judged run, together."""
        return grouped(self.measures, Requirements.of)

    def without_ids(self) -> dict[Requirements, list[ResolvedMeasure]]:
        """Group measures by their requirements on documents without ids, which cannot be the query itself.

        Raises:
            UsageError: `conflicting-options`, where the user and not the profile excludes the documents that are.

        """
        if self.exclude is not None and self.exclude.label == SELF and "exclude" in self.profile.derived:
            text = "exclude='self' leaves out documents that are their query, and labels give documents no ids"
            remedy = "leave exclude out; with ids: evaluate({query: {document: grade}}, {query: {document: score}})"
            raise UsageError("conflicting-options", text, remedy=remedy)

        def required(measure: ResolvedMeasure) -> Requirements:
            of_ids = Requirements.of(measure)
            is_self = of_ids.exclude is not None and of_ids.exclude.label == SELF
            return of_ids._replace(exclude=None) if is_self else of_ids

        return grouped(self.measures, required)


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Group items by key, keeping their order."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups

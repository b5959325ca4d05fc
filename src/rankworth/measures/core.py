"""What a measure is: a function from a judged ranking to terms, with its parameters read from its signature.

A term is what a rank contributes; the contributions become one number:

    value = link((last running total of gain * weight / discount, + rest) / norm)

Sums run from left to right, so that a query has the same value alone, among a million, and in the explanation.
"""

import math
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self

from rankworth.errors import MeasureError
from rankworth.item_options import Source
from rankworth.judged import Array, Judged, added_up, constant, namespace
from rankworth.measures.budget import ENDS, UNITS, Budget, End, within
from rankworth.measures.parameters import Parameter, plain, read

Layout = Literal["judged", "all", "together"]
"""which rows a measure needs: those of judged documents, all, or what all queries are shown together"""
Shelf = Literal["first", "", "parity"]
"""Where a catalogue shows a measure: among those to start with, among the others, or among those for parity."""
Better = Literal["higher", "lower"]
"""Which end of the scale of a measure is better."""
Averaging = Literal["mean", "gmean", "sum", "median", "micro"]
"""How values of queries become one: mean, geometric mean, the sum of what was counted, median, or the pooled mean, the
sum of numerators over that of denominators."""

DEEPEST: Final = 10**9
"""the greatest cutoff: deeper than any ranking, and exact in every number format"""
Unjudged = Literal["uniform", "counts", "unsorted", "first", "no-sum", "judged"]
"""What is known of a measure's ends over grades of unjudged documents: they are among those where all documents within
the cutoff, and all beyond it, have one grade (`uniform`); it matters how many documents beyond the cutoff have which
grade (`counts`); best documents need not stand first, or last, where others stand between (`unsorted`); it looks at the
first relevant document only (`first`); it is linear and no sum of gains over a norm (`no-sum`); an unjudged document
counts otherwise than one of grade 0 (`judged`)."""
_JUDGED_ONLY: Final = "judged_only"
_END: Final = "end"
_MICRO: Final = "micro"
TOGETHER: Final = "is measured on all queries together"
"""what messages say of a measure of a whole run"""
_SIGNED: Final = ("signed", "signed-exp2")
_ABOVE: Final = {
    "of": ("total", "depth"),
    "gain": ("grade", *_SIGNED),
    "ideal": ("full",),
    "beyond": ("counted",),
    "scale": ("bits", "nats", "nats/shown"),
    "gold": ("each",),
    "overlap": ("twice",),
}
"""values of parameters with which a measure may lie above the range of its definition"""
_BELOW: Final = {"gain": _SIGNED}
"""values of parameters with which it may lie below that range"""


class Ideal(NamedTuple):
    """The ranking by which a ranking is normalised, and the addition of each of its ranks to the norm."""

    ranking: Judged
    terms: "Terms"
    total: Array
    """`[Q]`"""

    @classmethod
    def of(cls, ranking: Judged, terms: "Terms") -> "Ideal":
        """A ranking, what each of its ranks adds, and the sum."""
        return cls(ranking, terms, terms.total())


class Terms(NamedTuple):
    """What every rank contributes, and what the sum is divided by."""

    gain: Array
    """`[Q, H]`: what the document at this rank is worth; 0 beyond the cutoff"""
    weight: Array | float = 1.0
    """`[Q, H]`: how much the rank counts, as a factor"""
    discount: Array | float = 1.0
    """`[Q, H]`: how much the rank counts, as a divisor: divided where the formula divides"""
    norm: Array | float = 1.0
    """`[Q]`: what the sum is divided by; the value is undefined where it is 0"""
    rest: Array | float = 0.0
    """`[Q]`: what documents without a row add to the sum"""
    link: Callable[[Array], Array] | None = None
    """the last step of a measure that is no plain ratio"""
    rank: Array | None = None
    """`[Q, T]`: the ranks that the terms belong to, where terms and rows are not one to one"""
    label: tuple[str, ...] = ()
    """`[T]`: what each term is called, where ranks do not tell them apart"""
    ranking: Judged | None = None
    """the ranking whose documents the terms are, where it is another one"""
    ideal: Ideal | None = None
    """the ranking whose total the norm is, where it is one"""

    def over(self, ranking: Judged, terms: "Terms") -> "Terms":
        """These terms as a share of what another ranking adds up to.

        Args:
            ranking: the other ranking.
            terms: what each of its ranks adds.

        """
        return self.share_of(Ideal.of(ranking, terms))

    def share_of(self, ideal: Ideal) -> "Terms":
        """These terms as a share of what an ideal ranking adds up to."""
        return self._replace(norm=ideal.total, ideal=ideal)

    def contributions(self) -> Array:
        """`[Q, H]`: what each rank adds."""
        contribution = self.gain
        if not isinstance(self.weight, float):
            contribution = contribution * self.weight
        if not isinstance(self.discount, float):
            contribution = contribution / self.discount
        return contribution

    def running(self) -> Array:
        """`[Q, H]`: the sum of the contributions down to each rank."""
        contribution = self.contributions()
        return added_up(contribution) if contribution.shape[1] else contribution

    def total(self) -> Array:
        """`[Q]`: the sum, before it is divided."""
        running = self.running()
        last = running[:, -1] if running.shape[1] else namespace(running).sum(running, axis=1)
        return last if isinstance(self.rest, float) and self.rest == 0 else last + self.rest

    def value(self) -> Array:
        """`[Q]`: the values; NaN where undefined."""
        total = self.total()
        if not isinstance(self.norm, float | int):
            xp = namespace(total)
            is_undefined = self.norm == 0
            total = total / xp.where(is_undefined, constant(math.nan, total), self.norm)
        elif self.norm != 1:
            total = total / self.norm if self.norm else total * math.nan
        return total if self.link is None else self.link(total)


def _undefined(*_: object) -> "Terms":
    """What a definition measures that decorates no function."""
    raise TypeError("a measure is defined by a function")


@dataclass(frozen=True, eq=False)
class Definition:
    """Define a measure, as a decorator: of a function that takes a `Judged` and keywords, and returns `Terms`.

    Attributes:
        name: as it is written in tables.
        aliases: other names for it, in any case.
        linear: the gain ignores the order, and the weight, which comes from `position` or `discount` or not at all,
            ignores the content, so that expectations over ties are exact.
        tied: it is not linear, but says itself what ties are worth, `expected` and `last`.
        ordered: it is not linear, but moving a document up that is worth more, one with a higher gain, where the
            measure has gains, or a relevant one, never lowers the value, or never raises it, whatever the others are;
            `no-negative` if only where no grade is negative, `no-cutoff` if only without a cutoff.
        normalised: the best order of all judged documents scores 1, where anything is relevant.
        monotone: a better grade for a retrieved document never lowers the value, whatever the parameters but gains by
            grade, which need not grow with the grade, and `of`: readers who found something may stop earlier.
        unjudged: what else is known of the lowest and highest value over grades of unjudged documents, see `Unjudged`.
        range: the smallest and the largest value; see `Named.range` for the parameters with which there is none.
        positions: `"all"` if the unjudged documents need rows of their own, whatever the parameters.
        everywhere: values of parameters with which they do.
        beside: parameters that mean something only while another one has a value: `{"rel": ("gain", "binary")}`.
        elsewhere: whether it asks which documents are judged for another query.
        subtopics: whether it looks at the grades for each subtopic.
        needs: the data about items that it looks at.
        costs: whether it adds up what documents cost.
        counts: of a measure of all queries together, what each of them adds: a function of `Recommended` and the
            keywords of the measure that returns `RunCounts`, which the measure takes in place of `Judged`.
        at: the parameter that `@` sets, for a measure that has no cutoff (`IPrec@0.1`).
        better: `"lower"` for a measure of what should not be.
        gains: who has which of the usual gains, for the line that compares them: `{"linear": "as in trec_eval"}`.
        averaging: how the values of queries become one.
        pools: whether it is a ratio of amounts that can be added up over queries, so that it has a pooled mean.
        shelf: `"first"` for a measure to start with, `"parity"` for one that exists for the sake of another tool.
        function: the function that is decorated.
        parameters: its keywords, by name.

    >>> from rankworth.measures import building_blocks
    >>> @measure("Depth1", aliases=("top",))
    ... def depth1(judged: Judged, *, rel: float = 1) -> Terms:
    ...     "Whether the first document is relevant."
    ...     return Terms(gain=building_blocks.relevant(judged.cut(1), rel))
    >>> depth1(rel=2)
    Depth1(rel=2)
    >>> del CATALOGUE["Depth1"]
    """

    name: str
    _: KW_ONLY
    aliases: Sequence[str] = ()
    linear: bool = False
    tied: bool = False
    ordered: bool | Literal["no-negative", "no-cutoff"] = False
    normalised: bool = False
    monotone: bool = False
    unjudged: tuple[Unjudged, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    positions: Layout = "judged"
    everywhere: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    beside: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    elsewhere: bool = False
    subtopics: bool = False
    needs: tuple[Source, ...] = ()
    costs: bool = False
    counts: Callable[..., Any] | None = None
    at: str = ""
    better: Better = "higher"
    gains: Mapping[str, str] = field(default_factory=dict)
    averaging: Averaging = "mean"
    pools: bool = False
    shelf: Shelf = ""
    function: Callable[..., Any] = _undefined
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def __call__(self, function: Callable[..., Any]) -> "Measure":
        """The measure that a function defines: one that returns terms, or the value of a whole run.

        Raises:
            MeasureError: `bad-definition`, `duplicate-measure`.

        """
        name: str = self.name
        measured: Any = function
        if not callable(measured):
            message = f"measure({name!r}) decorates {measured!r}: a measure is a function of a Judged"
            raise MeasureError("bad-definition", message)
        table = ITEM_MEASURES if self.needs or self.of_run or self.costs else CATALOGUE
        if name in table and (home := _defined_in(table[name].definition.function)) != _defined_in(function):
            raise MeasureError("duplicate-measure", f"{name} is defined by {home}; choose another name")
        parameters = read(name, function)
        if _JUDGED_ONLY in parameters or (self.at and self.at not in parameters):
            message = f"{name}: {_JUDGED_ONLY} is a parameter of every measure, and at={self.at!r} names one of its own"
            raise MeasureError("bad-definition", message)
        table[name] = Measure(replace(self, function=function, parameters=parameters), averaging=self.averaging)
        return table[name]

    @property
    def of_run(self) -> bool:
        """Whether it is measured on all queries together."""
        return self.counts is not None

    @property
    def sentence(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


measure = Definition
"""the decorator, by the name under which it is used"""


@dataclass(frozen=True)
class Named:
    """A definition with its parameters; those at their default are dropped, so that equal things are equal."""

    definition: Definition
    settings: tuple[tuple[str, Any], ...] = ()

    def __call__(self, **settings: Any) -> Self:  # noqa: ANN401 - what the parameters take
        """The measure with other parameters.

        Raises:
            MeasureError: `unknown-parameter`, `bad-parameter`.

        """
        merged, parameters = dict(self.settings), self.definition.parameters
        for name, value in settings.items():
            parameter = parameters.get(name)
            if parameter is None:
                text = f"{self.name} has no parameter {name!r}; it has: {', '.join(parameters) or 'none'}"
                raise MeasureError("unknown-parameter", text, remedy=f"write {self.name}@10" if name == "k" else "")
            merged[name] = parameter.accept(value, self.name)
        ordered = ((name, merged[name]) for name in parameters if name in merged)
        explicit = tuple((name, value) for name, value in ordered if value != parameters[name].default)
        changed = replace(self, settings=explicit)
        for name, value in explicit:
            if name not in changed.parameters:
                other, needed = self.definition.beside[name]
                text = f"{self.name}({name}={plain(value)}): {name} means something beside {other}={plain(needed)} only"
                raise MeasureError("bad-parameter", text)
        return changed

    @property
    def name(self) -> str:
        """The name without parameters and cutoff."""
        return self.definition.name

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters with the values in force, without those that mean nothing beside the others."""
        values = {name: parameter.default for name, parameter in self.definition.parameters.items()}
        values |= dict(self.settings)
        idle = {name for name, (other, needed) in self.definition.beside.items() if values[other] != needed}
        return MappingProxyType({name: value for name, value in values.items() if name not in idle})

    @cached_property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value with these parameters, of documents that are ranked and judged once."""

        def is_set(beyond: Mapping[str, tuple[str, ...]]) -> bool:
            return any(self.parameters.get(name) in words for name, words in beyond.items())

        low, high = self.definition.range
        return -math.inf if is_set(_BELOW) else low, math.inf if is_set(_ABOVE) else high

    @cached_property
    def positions(self) -> Layout:
        """Whether rows for the judged documents are enough, with these parameters."""
        set_here = self.parameters
        everywhere = (set_here[name] in values for name, values in self.definition.everywhere.items())
        if self.definition.of_run:
            return "together"
        if getattr(self, "budget", None) is not None:  # which adds up the others, too
            return "all"
        return "all" if any(everywhere) else self.definition.positions

    def __str__(self) -> str:
        """The one canonical spelling."""
        return self._spelled(dict(self.settings))

    __repr__ = __str__

    def _spelled(self, settings: Mapping[str, Any]) -> str:
        inside = ", ".join(f"{name}={plain(value)}" for name, value in settings.items())
        return f"{self.name}({inside})" if inside else self.name


@dataclass(frozen=True, repr=False)
class Measure(Named):
    """A definition with its parameters and its cutoff: `AP(rel=2) @ 100`.

    Two measures are equal when they mean the same: parameters at their default are dropped. Every measure takes
    `judged_only=True`: documents that nobody judged are then removed before ranks are counted.

    In place of a rank, a budget cuts: `R @ "2000tok"` is the recall of the documents that cost 2000 tokens together, as
    if nothing else had been retrieved. `end` says what counts of the document at which the budget ends: nothing
    (`without`), all of it (`whole`), or the share of it that fits (`share`): as much of the difference that it makes.
    """

    cutoff: int | None = None
    judged_only: bool = False
    averaging: Averaging = "mean"
    budget: Budget | None = None
    end: End = "without"

    def __call__(self, **settings: Any) -> Self:  # noqa: ANN401 - what the parameters take
        """The measure with other parameters.

        Raises:
            MeasureError: `unknown-parameter`, `bad-parameter`.

        """
        judged_only = settings.pop(_JUDGED_ONLY, self.judged_only)
        if not isinstance(judged_only, bool):
            raise MeasureError("bad-parameter", f"{self.name}: {_JUDGED_ONLY} is True or False, not {judged_only!r}")
        is_pooled = settings.pop(_MICRO, self.averaging == _MICRO)
        if not isinstance(is_pooled, bool):
            raise MeasureError("bad-parameter", f"{self.name}: {_MICRO} is True or False, not {is_pooled!r}")
        end = self.end if _END in self.definition.parameters else settings.pop(_END, self.end)
        if end not in ENDS:
            raise MeasureError("bad-parameter", f"{self.name}: {_END} is one of {' '.join(ENDS)}, not {end!r}")
        changed = replace(super().__call__(**settings), judged_only=judged_only, end=end)
        if is_pooled == (self.averaging == _MICRO):
            return changed
        return pooled(changed) if is_pooled else replace(changed, averaging="mean")

    @typing.overload
    def __matmul__(self, cutoff: list[int]) -> "list[Measure]": ...
    @typing.overload
    def __matmul__(self, cutoff: int | str) -> "Measure": ...
    def __matmul__(self, cutoff: int | str | list[int]) -> "Measure | list[Measure]":
        """The measure of the ranking cut at this rank; `IPrec @ 0.1` takes a recall, and `R @ "2000tok"` a budget.

        A list of cutoffs gives a list of measures: `nDCG @ [5, 10]` is `[nDCG @ 5, nDCG @ 10]`.

        Raises:
            MeasureError: `bad-cutoff`; `bad-parameter` where it is no cutoff.

        """
        if isinstance(cutoff, list):
            return [self @ k for k in cutoff]
        if self.definition.at:
            return self(**{self.definition.at: cutoff})
        if isinstance(cutoff, str) and (budget := Budget.of(cutoff)) is not None:
            require_queries(self, f"{self.name}@{budget}")
            return replace(self, cutoff=None, budget=budget)
        whole = isinstance(cutoff, typing.SupportsIndex) and not isinstance(cutoff, bool)
        if not whole or not 1 <= int(cutoff) <= DEEPEST:
            raise MeasureError("bad-cutoff", f"{self.name}@{cutoff}: a cutoff is a whole number from 1 to {DEEPEST:,}")
        return replace(self, cutoff=int(cutoff), budget=None)

    @property
    def unit(self) -> str:
        """What the budget counts, such as tokens; empty where there is none."""
        return UNITS[self.budget.unit] if self.budget is not None else ""

    @property
    def uses_costs(self) -> bool:
        """Whether it looks at what documents cost."""
        return self.budget is not None or self.definition.costs

    def __str__(self) -> str:
        """The one canonical spelling."""
        settings = dict(self.settings)
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        at = at if self.budget is None else f"@{self.budget}"
        if self.definition.at:
            settings.pop(self.definition.at, None)
            at = f"@{plain(self.parameters[self.definition.at])}"
        if self.judged_only:
            settings[_JUDGED_ONLY] = True
        if self.end != ENDS[0]:
            settings[_END] = self.end
        text = f"{self._spelled(settings)}{at}"
        return f"{self.averaging}({text})" if self.averaging in ("gmean", _MICRO) else text

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by name: the definition is found again in the catalogue."""
        return _restored, (
            *(self.name, self.settings, self.cutoff, self.judged_only, self.averaging, self.budget, self.end),
        )

    def terms(self, judged: Judged) -> Terms:
        """What every rank contributes.

        Raises:
            MeasureError: where the grades do not suit the parameters (`grade-above-maximum`).

        """
        if self.budget is None and self.end == "without" and not self.definition.costs:
            ranking = judged.condensed if self.judged_only else judged
            return self._terms(ranking if self.cutoff is None else ranking.cut(self.cutoff))
        ranking = self._ranking(judged)
        if self.budget is not None:
            if self.end == "share":
                text = f"{self} lies between the values with and without the last document, and is no sum of terms"
                raise MeasureError("bad-parameter", text, remedy="explain it with end=whole and with end=without")
            number, share = self.budget.fitting(ranking)
            if self.end == "whole":
                number = number + ranking.xp.astype(share > 0, number.dtype)
            ranking = within(ranking, number)
        return self._terms(ranking)

    def _ranking(self, judged: Judged) -> Judged:
        """Return what is measured, before a budget cuts it.

        Raises:
            MeasureError: where budget and ties do not go together, or nothing is left for `end` to say.

        """
        ranking = judged.condensed if self.judged_only else judged
        if self.cutoff is not None:
            ranking = ranking.cut(self.cutoff)
        if self.budget is None and self.end != ENDS[0]:
            text = f"{self}: end says what counts of the document at which a budget ends, and there is none"
            raise MeasureError("bad-parameter", text, remedy=f"as in {self.name}(end={self.end})@2000tok")
        if self.uses_costs and ranking.ties != "broken":
            raise no_ties(str(self), ranking.ties)
        return ranking

    def _terms(self, ranking: Judged) -> Terms:
        if self.definition.counts is not None:
            require_queries(self, self.name)
        if ranking.ties != "broken" and not (self.definition.linear or self.definition.tied):
            raise no_ties(self.name, ranking.ties)
        terms: Terms = self.definition.function(ranking, **dict(self.settings))
        return terms

    def values(self, judged: Judged) -> Array:
        """`[Q]`: the value of each query; NaN where undefined."""
        if self.budget is None or self.end != "share":
            return self.terms(judged).value()
        ranking = self._ranking(judged)
        number, share = self.budget.fitting(ranking)
        without = self._terms(within(ranking, number)).value()
        whole = self._terms(within(ranking, number + ranking.xp.astype(share > 0, number.dtype))).value()
        return between(without, whole, share)


def between(low: Array, high: Array, share: Array) -> Array:
    """`[Q]`: values so far from one to the other; what is undefined counts 0 where the other value is not."""
    xp = namespace(low)
    known = [xp.where(xp.isnan(each), xp.zeros_like(each), each) for each in (low, high)]
    is_undefined = xp.isnan(low) & (xp.isnan(high) | (share == 0))
    value = known[0] + share * (known[1] - known[0])
    return xp.where(is_undefined, constant(math.nan, value), value)


def require_queries(measure: Measure, name: str) -> None:
    """Refuse a measure that single queries have no value of.

    Raises:
        MeasureError: `measure-syntax`.

    """
    if measure.definition.of_run:
        text = f"{name} {TOGETHER}: no rank and no query contributes to it by itself"
        raise MeasureError("measure-syntax", text, remedy="rankworth evaluate and rankworth compare show it")


def no_ties(name: str, ties: str) -> MeasureError:
    """The error of a measure that needs ranks without ties."""
    lacking = (
        "an expected value over the orders of tied documents" if ties == "expected" else "a value for tied documents"
    )
    shown = [measure.definition for measure in CATALOGUE.values() if measure.definition.shelf == "first"]
    able = [measure.name for measure in shown if measure.linear or measure.tied]
    return MeasureError(
        "bad-definition",
        f"{name} is not linear: it does not have {lacking} (ties={ties})",
        remedy=f"break ties, as ties=id-descending does, or ask for another measure, such as {', '.join(able)}",
    )


def gmean(measure: Named) -> Measure:
    """The measure with the geometric mean over queries: `gmean(AP)` is what trec_eval calls gm_map.

    A query's own value stays what it is; values below 0.00001 count as 0.00001 in the mean.

    Raises:
        MeasureError: `measure-syntax` for what is counted, and for measures that may be negative.

    >>> import rankworth
    >>> rankworth.gmean(rankworth.AP)
    gmean(AP)
    """
    if not isinstance(measure, Measure):
        raise MeasureError("measure-syntax", f"gmean({measure}): {measure} is counted and has no mean")
    if measure.definition.of_run:
        raise MeasureError("measure-syntax", f"gmean({measure}): {measure.name} {TOGETHER}")
    if measure.averaging == "median":
        raise MeasureError("measure-syntax", f"gmean({measure}): {measure.name} is a median, and no mean")
    if measure.range[0] < 0:
        message = f"gmean({measure}): {measure.name} may be negative, and has no geometric mean"
        raise MeasureError("measure-syntax", message)
    return replace(measure, averaging="gmean")


_Pooled = typing.TypeVar("_Pooled", bound=Measure)


def pooled(measure: _Pooled) -> _Pooled:
    """Return a measure with its pooled mean, see `micro`.

    Raises:
        MeasureError: `measure-syntax`.

    """
    if measure.definition.pools and measure.averaging in ("mean", _MICRO):
        return replace(measure, averaging=_MICRO)
    known = [*CATALOGUE.values(), *ITEM_MEASURES.values()]
    able = " ".join(f"micro({each.name})" for each in known if each.definition.pools)
    why = "has no numerator and denominator that add up over queries"
    if measure.averaging not in ("mean", _MICRO):
        why = "has another mean already"
    raise MeasureError("measure-syntax", f"micro({measure}): {measure} {why}", remedy=f"there are {able}")


CATALOGUE: Final[dict[str, Measure]] = {}
"""Every measure of judgements and a run, under its name; `@measure` adds to it."""
ITEM_MEASURES: Final[dict[str, Measure]] = {}
"""Every measure that needs data about items, under its name; `@measure` adds to it."""


def _restored(name: str, settings: tuple[tuple[str, Any], ...], *rest: Any) -> Measure:  # noqa: ANN401 - its fields
    return Measure((CATALOGUE.get(name) or ITEM_MEASURES[name]).definition, settings, *rest)


def _defined_in(function: Callable[..., Any]) -> str:
    """Where a function is defined; a cell or module that runs again defines the same one."""
    return f"{function.__module__}.{function.__qualname__}"

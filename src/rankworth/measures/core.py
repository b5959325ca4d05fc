"""What a measure is: a function from a judged ranking to terms, with its parameters read from its signature."""

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from rankworth.errors import MeasureError
from rankworth.judged import Array, Judged
from rankworth.measures.terms import Terms

Layout = Literal["judged", "all"]


@dataclass(frozen=True)
class Within:
    """The numbers that a parameter may take: `Annotated[float, Within(0, 1)]`, bounds excluded unless said."""

    low: float
    high: float = math.inf
    closed: bool = False

    def __contains__(self, number: float) -> bool:
        """Whether the number lies within."""
        if self.closed:
            return self.low <= number <= self.high
        return self.low < number < self.high

    def __str__(self) -> str:
        """In words."""
        if self.high == math.inf:
            return f"{'at least' if self.closed else 'greater than'} {self.low:g}"
        return f"from {self.low:g} to {self.high:g}" if self.closed else f"between {self.low:g} and {self.high:g}"


Probability = Annotated[float, Within(0, 1)]
Positive = Annotated[float, Within(0, 1e9)]


@dataclass(frozen=True)
class Parameter:
    """One keyword of a measure: its name, its default and what it takes."""

    name: str
    default: Any
    words: tuple[str, ...] = ()
    numbers: Within | None = None
    grades: bool = False
    optional: bool = False

    def accept(self, value: Any, measure: str) -> Any:  # noqa: ANN401 - whatever the parameter holds
        """The value in its one form, or a `bad-parameter` error."""
        if isinstance(value, str) and value.replace(" ", "") in self.words:
            return value.replace(" ", "")
        if self.grades and isinstance(value, Mapping | tuple):
            return self._gains(value, measure)
        if self.optional and value is None:
            return value
        number = self.numbers is not None and isinstance(value, typing.SupportsFloat) and not isinstance(value, bool)
        if number and float(value) in typing.cast("Within", self.numbers):
            return _number(value)
        raise MeasureError("bad-parameter", f"{measure}({self.name}={_plain(value)}): {self.name} is {self.domain()}")

    def domain(self) -> str:
        """What the parameter takes, in words."""
        choices = [*self.words]
        if self.numbers is not None:
            choices.append(f"a number {self.numbers}" if self.numbers != _ANY else "a number")
        if self.grades:
            choices.append("gains by grade such as {1: 1, 2: 3}")
        if self.optional:
            choices.append("None")
        return " or ".join(choices)

    def _gains(self, value: Any, measure: str) -> tuple[tuple[float, float], ...]:  # noqa: ANN401
        pairs = value.items() if isinstance(value, Mapping) else value
        try:
            gains = {_number(grade): _number(gain) for grade, gain in pairs}
        except (TypeError, ValueError):
            gains = {}
        if not gains or not all(map(math.isfinite, [*gains, *gains.values()])):
            raise MeasureError("bad-parameter", f"{measure}({self.name}={value!r}): {self.name} is {self.domain()}")
        return tuple(sorted(gains.items()))


_ANY: Final = Within(-math.inf)
_EXACT: Final = 2.0**53
_TAKEN: Final = ("run", "query")
"""names of columns that stand beside those of measures"""


@dataclass(frozen=True, eq=False)
class Definition:
    """A function that gives terms, and what it promises about its values."""

    name: str
    function: Callable[..., Terms]
    parameters: Mapping[str, Parameter]
    aliases: tuple[str, ...] = ()
    linear: bool = False
    """the gain ignores the order and the weight ignores the content, so that expectations over ties are exact"""
    normalised: bool = False
    """the best order of all judged documents scores 1, where anything is relevant"""
    monotone: bool = False
    """a better grade for a retrieved document never lowers the value"""
    range: tuple[float, float] = (0.0, 1.0)
    """the smallest and the largest value there can be"""
    positions: Layout = "judged"
    """whether rows for the judged documents are enough"""

    @property
    def sentence(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Measure:
    """A definition with its parameters and its cutoff: `AP(rel=2) @ 100`.

    Two measures are equal when they mean the same: parameters at their default are dropped.
    """

    definition: Definition
    settings: tuple[tuple[str, Any], ...] = ()
    cutoff: int | None = None

    def __call__(self, **settings: Any) -> "Measure":  # noqa: ANN401 - what the parameters take
        """The measure with other parameters.

        Raises:
            MeasureError: `unknown-parameter`, `bad-parameter`.

        """
        merged = dict(self.settings)
        for name, value in settings.items():
            parameter = self.definition.parameters.get(name)
            if parameter is None:
                have = ", ".join(self.definition.parameters) or "none"
                raise MeasureError("unknown-parameter", f"{self.name} has no parameter {name!r}; it has: {have}")
            merged[name] = parameter.accept(value, self.name)
        ordered = ((name, merged[name]) for name in self.definition.parameters if name in merged)
        kept = tuple((name, value) for name, value in ordered if value != self.definition.parameters[name].default)
        return Measure(self.definition, kept, self.cutoff)

    def __matmul__(self, cutoff: int) -> "Measure":
        """The measure of the ranking cut at this rank.

        Raises:
            MeasureError: `bad-cutoff`.

        """
        whole = isinstance(cutoff, typing.SupportsIndex) and not isinstance(cutoff, bool)
        if not whole or int(cutoff) < 1:
            raise MeasureError("bad-cutoff", f"{self.name}@{cutoff}: a cutoff is a whole number from 1")
        return Measure(self.definition, self.settings, int(cutoff))

    @property
    def name(self) -> str:
        """The name without parameters and cutoff."""
        return self.definition.name

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters with the values in force."""
        defaults = {name: parameter.default for name, parameter in self.definition.parameters.items()}
        return MappingProxyType(defaults | dict(self.settings))

    def __str__(self) -> str:
        """The one canonical spelling."""
        settings = ", ".join(f"{name}={_plain(value)}" for name, value in self.settings)
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}({settings}){cutoff}" if settings else f"{self.name}{cutoff}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by name: the definition is found again in the catalogue."""
        return _restored, (self.name, self.settings, self.cutoff)

    def terms(self, judged: Judged) -> Terms:
        """What every rank contributes.

        Raises:
            MeasureError: where the grades do not suit the parameters (`grade-above-maximum`).

        """
        ranking = judged if self.cutoff is None else judged.cut(self.cutoff)
        if ranking.ties == "expected" and not self.definition.linear:
            raise MeasureError("bad-definition", f"{self.name} is not linear; it has no expectation over ties here")
        return self.definition.function(ranking, **dict(self.settings))

    def values(self, judged: Judged) -> Array:
        """`[Q]`: the value of each query; NaN where undefined."""
        return self.terms(judged).value()


CATALOGUE: Final[dict[str, Measure]] = {}
"""Every measure there is, under its name; `@measure` adds to it, and no other list of measures exists."""


def measure(
    name: str,
    *,
    aliases: Iterable[str] = (),
    linear: bool = False,
    normalised: bool = False,
    monotone: bool = False,
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002 - the field's word
    positions: Layout = "judged",
) -> Callable[[Callable[..., Terms]], Measure]:
    """Define a measure: the decorated function takes a `Judged` and keywords, and returns `Terms`.

    Args:
        name: as it is written in tables.
        aliases: other names for it, in any case.
        linear: the gain ignores the order, the weight comes from `position` or `discount` or not at all.
        normalised: the best order of all judged documents scores 1.
        monotone: a better grade for a retrieved document never lowers the value.
        range: the smallest and the largest value.
        positions: `"all"` if the unjudged documents need rows of their own.

    Raises:
        MeasureError: `bad-definition`, `duplicate-measure`.

    >>> from rankworth.measures import words
    >>> @measure("Depth1", aliases=("top",))
    ... def depth1(judged: Judged, *, rel: float = 1) -> Terms:
    ...     "Whether the first document is relevant."
    ...     return Terms(gain=words.relevant(judged.cut(1), rel))
    >>> depth1(rel=2)
    Depth1(rel=2)
    >>> del CATALOGUE["Depth1"]
    """

    def define(function: Callable[..., Terms]) -> Measure:
        if name in CATALOGUE and (home := _place(CATALOGUE[name].definition.function)) != _place(function):
            raise MeasureError("duplicate-measure", f"{name} is defined by {home}; choose another name")
        definition = Definition(
            name, function, _parameters(name, function), tuple(aliases), linear, normalised, monotone, range, positions
        )
        CATALOGUE[name] = Measure(definition)
        return CATALOGUE[name]

    return define


def _restored(name: str, settings: tuple[tuple[str, Any], ...], cutoff: int | None) -> Measure:
    return Measure(CATALOGUE[name].definition, settings, cutoff)


def _place(function: Callable[..., Terms]) -> str:
    """Where a function is defined; a cell or module that runs again defines the same one."""
    return f"{function.__module__}.{function.__qualname__}"


def _parameters(name: str, function: Callable[..., Terms]) -> Mapping[str, Parameter]:
    """Read the keywords of a definition."""
    if not name.isidentifier() or name in _TAKEN:
        taken = f", and is not {' or '.join(_TAKEN)}"
        raise MeasureError(
            "bad-definition", f"{name!r}: the name of a measure consists of letters, digits and _{taken}"
        )
    if not (function.__doc__ or "").strip():
        raise MeasureError("bad-definition", f"{name}: the function needs a docstring that starts with one sentence")
    _, *rest = inspect.signature(function).parameters.values()
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = {}
    for keyword in rest:
        if keyword.kind is not keyword.KEYWORD_ONLY or keyword.default is keyword.empty:
            raise MeasureError("bad-definition", f"{name}: parameter {keyword.name} is keyword-only and has a default")
        parameters[keyword.name] = _parameter(keyword.name, keyword.default, hints.get(keyword.name, float))
    return MappingProxyType(parameters)


def _parameter(name: str, default: Any, hint: Any) -> Parameter:  # noqa: ANN401 - any annotation
    words: list[str] = []
    numbers = None
    grades = optional = False
    stack = [hint]
    while stack:
        kind = stack.pop()
        origin, args = typing.get_origin(kind), typing.get_args(kind)
        if origin is Literal:
            words.extend(args)
        elif origin is typing.Annotated:
            numbers = next(extra for extra in args if isinstance(extra, Within))
        elif origin is Mapping or kind is Mapping:
            grades = True
        elif kind is type(None):
            optional = True
        elif args:
            stack.extend(reversed(args))
        elif kind in (float, int):
            numbers = _ANY
    return Parameter(name, default, tuple(words), numbers, grades, optional)


def _number(value: Any) -> float:  # noqa: ANN401 - text or number
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def _plain(value: Any) -> str:  # noqa: ANN401 - any value of a parameter
    """A value as it is written in a name."""
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{_plain(grade)}: {_plain(gain)}" for grade, gain in value) + "}"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return value if isinstance(value, str) else repr(value)

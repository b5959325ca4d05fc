"""The parameters of a measure: read from the signature of its function, checked, and written in one form."""

import inspect
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from rankworth.errors import MeasureError

_HUGE: Final = 1e9
LEAST_REL: Final = 1e-300
"""a threshold of relevance above 0 and below this is no grade: every grade above 0 is relevant"""
MOST_REL: Final = 1e300
"""a threshold below the negative of this is no grade: every grade is relevant"""


@dataclass(frozen=True)
class Within:
    """The numbers that a parameter may take: `Annotated[float, Within(0, 1)]`, bounds excluded unless said."""

    low: float
    high: float = math.inf
    closed: bool = False
    whole: bool = False

    def __contains__(self, number: float) -> bool:
        """Whether the number lies within."""
        if self.whole and not float(number).is_integer():
            return False
        if self.closed:
            return self.low <= number <= self.high
        return self.low < number < self.high

    def __str__(self) -> str:
        """In words; bounds that only keep numbers from overflowing are not worth a word."""
        if self.high >= _HUGE:
            return f"{'at least' if self.closed else 'greater than'} {self.low:g}"
        return f"from {self.low:g} to {self.high:g}" if self.closed else f"between {self.low:g} and {self.high:g}"


Probability = Annotated[float, Within(0, 1)]
Share = Annotated[float, Within(0, 1, closed=True)]
Positive = Annotated[float, Within(0, _HUGE)]
Natural = Annotated[float, Within(0, _HUGE, closed=True)]
Ranks = Annotated[int, Within(1, 100_000, closed=True, whole=True)]


@dataclass(frozen=True)
class Parameter:
    """One keyword of a measure or a fact: its name, its default and what it takes."""

    name: str
    default: Any
    words: tuple[str, ...] = ()
    numbers: Within | None = None
    grades: bool = False
    series: bool = False
    flag: bool = False
    optional: bool = False
    text: bool = False

    def accept(self, value: Any, measure: str) -> Any:  # noqa: ANN401 - whatever the parameter holds
        """The value in its one form, or a `bad-parameter` error."""
        is_word = isinstance(value, str | int) and not isinstance(value, bool)
        if is_word and (word := str(value).replace(" ", "")) in self.words:
            return word
        if self.text and isinstance(value, str | int | float) and not isinstance(value, bool):
            return self._text(str(value), measure)
        if self.grades and isinstance(value, Mapping | tuple):
            return self._gains(value, measure)
        if self.series and isinstance(value, list | tuple) and value and all(map(self._is_number, value)):
            return tuple(map(_number, value))
        if (self.optional and value is None) or (self.flag and isinstance(value, bool)):
            return value
        if not self.series and self._is_number(value):
            return _number(value)
        huge = self.numbers is not None and isinstance(value, typing.SupportsFloat) and _as_float(value) >= _HUGE
        domain = f"{self.domain()}, below {_HUGE:,.0f}" if huge else self.domain()
        raise MeasureError("bad-parameter", f"{measure}({self.name}={plain(value)}): {self.name} is {domain}")

    def _is_number(self, value: Any) -> bool:  # noqa: ANN401 - whatever the parameter holds
        number = self.numbers is not None and isinstance(value, typing.SupportsFloat) and not isinstance(value, bool)
        return number and _as_float(value) in typing.cast("Within", self.numbers)

    def domain(self) -> str:
        """What the parameter takes, in words."""
        choices = [*self.words]
        if self.numbers is not None:
            kind = "a whole number" if self.numbers.whole else "a number"
            kind += f" {self.numbers}" if self.numbers != _ANY else ""
            choices.append(f"a list such as [0.2, 0.5] of which each is {kind}" if self.series else kind)
        if self.text:
            choices.append("a name")
        if self.flag:
            choices.append("True or False")
        if self.grades:
            choices.append("gains by grade such as {1: 1, 2: 3}")
        if self.optional:
            choices.append("None")
        return " or ".join(choices)

    def _text(self, value: str, measure: str) -> str:
        """A name, without the signs that the name of a measure is written with."""
        if any(sign in "(),=@|" or not sign.isprintable() for sign in value):
            problem = f"{measure}({self.name}={value!r}): a name has no ( ) , = @ |"
            raise MeasureError("bad-parameter", problem, remedy="rename the column")
        return value.strip()

    def _gains(self, value: Any, measure: str) -> tuple[tuple[float, float], ...]:  # noqa: ANN401
        pairs = value.items() if isinstance(value, Mapping) else value
        try:
            gains = {_number(grade): _number(gain) for grade, gain in pairs}
        except (TypeError, ValueError):
            gains = {}
        if len(gains) < len(value) or not gains or not all(map(math.isfinite, [*gains, *gains.values()])):
            raise MeasureError("bad-parameter", f"{measure}({self.name}={value!r}): {self.name} is {self.domain()}")
        return tuple(sorted(gains.items()))


_ANY: Final = Within(-math.inf)
_EXACT: Final = 2.0**53
_TAKEN: Final = ("run", "query")
"""names of columns that stand beside those of measures"""


def read(name: str, function: Callable[..., Any]) -> Mapping[str, Parameter]:
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


def _parameter(name: str, default: Any, hint: Any) -> Parameter:  # noqa: ANN401, C901 - any annotation, a line for each
    words: list[str] = []
    numbers = None
    grades = series = flag = optional = text = False
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
        elif kind is bool:
            flag = True
        elif kind is str:
            text = True
        elif origin is tuple:
            series = True
            stack.append(args[0])
        elif args:
            stack.extend(reversed(args))
        elif kind in (float, int):
            numbers = _ANY
    return Parameter(name, default, tuple(words), numbers, grades, series, flag, optional, text)


def _as_float(value: typing.SupportsFloat) -> float:
    """A number as a float; infinity where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _number(value: Any) -> float:  # noqa: ANN401 - text or number
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def relevant_grades(rel: float) -> str:
    """The grades from a threshold on, in words: some tools say 5e-324 for every grade above 0.

    >>> relevant_grades(2.0), relevant_grades(5e-324), relevant_grades(-1.7e308)
    ('grade 2 or higher', 'a grade above 0', 'any grade')
    """
    return "any grade" if rel < -MOST_REL else "a grade above 0" if 0 < rel < LEAST_REL else f"grade {rel:g} or higher"


def plain(value: Any) -> str:  # noqa: ANN401 - any value of a parameter
    """A value as it is written in a name."""
    if isinstance(value, tuple) and value and not isinstance(value[0], tuple):
        return f"[{', '.join(map(plain, value))}]"
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{plain(grade)}: {plain(gain)}" for grade, gain in value) + "}"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return repr(int(value))
    return value if isinstance(value, str) else repr(value)

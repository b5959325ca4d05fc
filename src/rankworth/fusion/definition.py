"""A fusion as a definition: parts, who counts, what a missing document counts, how parts join: `rrf(k=60)`."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.fusion import norms
from rankworth.fusion.candidates import TieRule
from rankworth.fusion.joins import JOININGS, Array, Join
from rankworth.fusion.norms import NORMS, Deviation, Equal, Lists
from rankworth.fusion.steps import Fill, InputOrder, Precision, Repetition, Steps, Who
from rankworth.io.validate import is_number
from rankworth.settings import Values

Part = Literal["reciprocal", "inverse-square", "geometric", "points", "score"]
"""what makes a document's part of one list: functions of its rank, or its score by a norm"""
Missing = Literal["zero", "minimum", "nothing"]
_TEXT: Final = re.compile(r"([a-z][a-z0-9-]*)(?:\((.*)\))?", re.DOTALL)
_TOLERANCE: Final = 0.01
"""how far weights that have to add up to 1 may be off, as OpenSearch has it"""


@dataclass(frozen=True)
class Method:
    """A fusion by name.

    Attributes:
        part: what makes a document's part of one list.
        join: how parts become one score, by its name in `rankworth.fusion.joins.JOININGS`.
        formula: for help and documentation; `r` are the ranks from 1, `s` the scores by a norm, `w` the weights.
        source: where it comes from.
        norm: that of scores.

    """

    part: Part
    join: str
    formula: str
    source: str
    norm: str = "min-max"


def _of_scores(join: str, source: str) -> Method:
    return Method("score", join, JOININGS[join].formula.replace("part", "s"), source)


_FOX: Final = "Fox & Shaw, TREC-2 1993"
METHODS: Final[Mapping[str, Method]] = {
    "rrf": Method(
        *("reciprocal", "sum", "sum(w / (k + r + base - 1))"),
        "Cormack, Clarke & Büttcher, SIGIR 2009, doi:10.1145/1571941.1572114",
    ),
    "sum": _of_scores("sum", _FOX),
    "mean": _of_scores("mean", "the arithmetic mean of OpenSearch"),
    "max": _of_scores("max", _FOX),
    "min": _of_scores("min", _FOX),
    "median": _of_scores("median", _FOX),
    "anz": _of_scores("anz", _FOX),
    "mnz": _of_scores("mnz", _FOX),
    "gmnz": _of_scores("gmnz", "Lee, SIGIR 1997, doi:10.1145/258525.258587"),
    "mixed": _of_scores("mixed", "Wu & Crestani, CIKM 2002, doi:10.1145/584792.584908"),
    "wmnz": _of_scores("wmnz", "Wu & Crestani, CIKM 2002, doi:10.1145/584792.584908"),
    "geometric": _of_scores("geometric", "the geometric mean of OpenSearch"),
    "harmonic": _of_scores("harmonic", "the harmonic mean of OpenSearch"),
    "dbsf": replace(_of_scores("sum", "Mazzeschi 2023"), norm="dbsf"),
    "borda": Method(
        *("points", "sum", "sum(w (c - r + 1)) of c candidates; (c - n + 1) / 2 where a list of n lacks the document"),
        "Aslam & Montague, SIGIR 2001, doi:10.1145/383952.384007",
    ),
    "rbc": Method(
        *("geometric", "sum", "sum(w (1 - phi) phi^(r - 1))"),
        "Bailey, Moffat, Scholer & Thomas, SIGIR 2017, doi:10.1145/3077136.3080839",
    ),
    "isr": Method("inverse-square", "mnz", "n sum(w / r^2)", "Mourão, Martins & Magalhães 2015"),
    "log-isr": Method("inverse-square", "log", "ln(n) sum(w / r^2)", "Mourão, Martins & Magalhães 2015"),
    "logn-isr": Method("inverse-square", "log", "ln(n + sigma) sum(w / r^2)", "Mourão, Martins & Magalhães 2015"),
}
"""The methods by name."""


def axis(default: Any, *of: str, least: float = -math.inf, above: float = -math.inf, most: float = math.inf) -> Any:  # noqa: ANN401 - any axis
    """Declare an axis.

    Args:
        default: its value.
        of: the parts, joins or properties of methods that have it; all methods where none is named.
        least: the least number that it takes.
        above: what its numbers are above.
        most: the greatest.

    """
    return field(default=default, metadata={"of": of, "least": least, "above": above, "most": most})


_RANKS: Final = ("reciprocal", "inverse-square", "geometric", "points")


@dataclass(frozen=True, kw_only=True)
class Fusion:
    """How lists become one list.

    Attributes:
        method: its name, see `METHODS`.
        run_weights: what each run counts, in their order, numbers from 0, not all 0; 1 each where not said. A run of
            weight 0 is left out.
        norm: what makes scores of runs comparable, see `rankworth.fusion.norms.NORMS`.
        k: the constant of reciprocal rank fusion.
        base: the rank of the first document, for reciprocal rank fusion: 1, or 0 as LlamaIndex, Weaviate and Qdrant
            count.
        shared_ranks: documents with equal scores have ranks of their own, in the `order` of ties, or all the `minimum`
            of these.
        phi: the persistence of rank-biased centroids.
        gamma: the power of the number of lists.
        sigma: what is added to the number of lists in logn-isr.
        deviation: that of a `population`, or of a `sample`.
        clip: whether scores by the norm are cut to [0, 1].
        equal: the score by the norm where all scores of a list are equal: a number, the score as it is (`raw`), or 1
            where it is above 0 and 0 otherwise (`positive`); equal by their range, not by their deviation.
        floor: what scores by the norm of 0 and below become; they stay where None.
        candidates: documents of any run are fused (`union`), or those of all runs (`intersection`); with `all` a run
            takes those that it lacks for documents of score 0.
        missing: in a run that lacks a document, it counts 0 (`zero`), or the least that any document of that list
            counts (`minimum`), or the run is not looked at for it (`nothing`), so that means and minima are those of
            other runs. Sums are the same with 0 and with nothing; `nothing` where not said.
        weight_form: parts are multiplied by the weight (`times`), or ranks are divided by it (`divides`).
        weight_sum: weights count as `given`, or are divided by their sum (`normalised`), or have to add up to `one`,
            plus or minus 0.01.
        order: documents of a run are ranked by their `score`, or as they are `given`, or by the column of ranks
            (`rank`).
        duplicates: a document that a list has twice is an `error`; or its parts are added (`add`), the best one counts
            (`max`), or that of its last row (`last-part`); or the `first` of its rows does, or its first rank with the
            score of its `last` row.
        ties: what stands first among equal scores, of a run and of the fused one: descending ids, compared as UTF-8
            bytes (`id-descending`, as trec_eval has it), ascending ids (`id-ascending`), or what comes first in the
            runs (`first-seen`).
        precision: scores are computed as `float64` or `float32`.
        depth: how many documents of each list are looked at; all where None.
        top: how many documents of each query are kept; all where None.

    >>> Fusion.parse("sum(norm=z, run_weights=0.3/0.7)").run_weights
    (0.3, 0.7)
    >>> str(Fusion(method="rrf", k=60)), str(Fusion(method="sum", norm="z"))
    ('rrf(k=60)', 'sum(norm=z)')
    """

    method: str = "rrf"
    run_weights: tuple[float, ...] | None = None
    norm: str | None = None
    k: float = axis(60.0, "reciprocal", least=0)
    base: float = axis(1.0, "reciprocal", least=0, most=1)
    shared_ranks: Literal["order", "minimum"] = axis("order", *_RANKS)
    phi: float = axis(0.8, "geometric", above=0, most=1)
    gamma: float = axis(2.0, "gamma")
    sigma: float = axis(0.01, "logn-isr", least=0, most=1)
    deviation: Deviation = axis("population", "deviates")
    clip: bool = axis(False, "score")
    equal: Equal | None = axis(None, "score")
    floor: float | None = axis(None, "score")
    candidates: Who = axis("union")
    missing: Missing | None = axis(None, "score")
    weight_form: Literal["times", "divides"] = axis("times", "reciprocal")
    weight_sum: Literal["given", "normalised", "one"] = axis("given")
    order: InputOrder = axis("score")
    duplicates: Repetition = axis("error")
    ties: TieRule = axis("id-descending")
    precision: Precision = axis("float64")
    depth: int | None = axis(None, least=1)
    top: int | None = axis(None, least=1)

    AXES: ClassVar[tuple[str, ...]] = ()
    """the names of all axes that are no name and no weights"""

    def __post_init__(self) -> None:
        """Refuse what a method does not take.

        Raises:
            UsageError: `unknown-setting`, `conflicting-options`.
            InputError: `bad-weight`.

        """
        if self.method not in METHODS:
            raise unknown("method of fusion", self.method, METHODS)
        if self.norm is not None and self.norm not in NORMS:
            raise unknown("norm of fusion", self.norm, NORMS)
        if self.norm is not None and (self._method.part != "score" or self.method == "dbsf"):
            why = "its norm is dbsf" if self.method == "dbsf" else "it fuses ranks"
            raise UsageError("conflicting-options", f"norm={self.norm}: {self.method} takes no norm, as {why}")
        properties = {self._method.part, JOININGS[self._method.join].parameter, self.method}
        properties |= {"deviates"} if NORMS[self.norm_used].deviates and self._method.part == "score" else set()
        for axis in fields(self):
            if axis.name in self.AXES and getattr(self, axis.name) != axis.default:
                self._check(axis.name, properties)
        if self.run_weights is not None:
            object.__setattr__(self, "run_weights", checked_weights(self.run_weights))

    def _check(self, name: str, properties: set[str]) -> None:
        value, limits = getattr(self, name), _FIELDS[name].metadata
        taken = _VALUES[name]
        if isinstance(value, bool) != (taken.number is bool) or not taken.take(value):
            raise UsageError("unknown-setting", f"{name}={value!r}: {name} is {taken}")
        is_number_of = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number_of and not (limits["least"] <= value <= limits["most"] and value > limits["above"]):
            low = f"above {limits['above']:g}" if math.isfinite(limits["above"]) else f"from {limits['least']:g}"
            high = f" to {limits['most']:g}" if math.isfinite(limits["most"]) else ""
            raise UsageError("unknown-setting", f"{name}={value:g}: {name} is a number {low}{high}")
        if limits["of"] == ("deviates",) and not properties.intersection(limits["of"]):
            text = f"{name}={_plain(value)} says nothing of {self}, whose norm has no deviation"
            raise UsageError("conflicting-options", text, remedy="leave it out, or take norm=z or norm=dbsf")
        if limits["of"] and not properties.intersection(limits["of"]):
            having = [method for method in METHODS if _has(method, limits["of"])]
            text = f"{name}={_plain(value)} says nothing of {self.method}"
            remedy = f"leave it out; methods with {name}: {' '.join(having)}"
            raise UsageError("conflicting-options", text, remedy=remedy)

    @property
    def _method(self) -> Method:
        return METHODS[self.method]

    @property
    def norm_used(self) -> str:
        """The norm, where the method takes one."""
        return self.norm or self._method.norm

    @classmethod
    def parse(cls, text: str, **axes: Any) -> Self:  # noqa: ANN401 - values of axes
        """Read a definition as it is written.

        Args:
            text: a method, alone or with what is set in brackets, `sum(norm=z,run_weights=0.3/0.7)`.
            **axes: what is set beside it.

        Raises:
            UsageError, InputError: as for the class; `conflicting-options` where something is set twice.

        """
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            remedy = "a method, as in rrf, or with what is set, as in sum(norm=z,run_weights=0.3/0.7)"
            raise UsageError("unknown-setting", f"{text!r} is no fusion", remedy=remedy)
        values: dict[str, Any] = {"method": match[1]}
        for pair in filter(None, map(str.strip, (match[2] or "").split(","))):
            name, sign, value = pair.partition("=")
            if not sign or name in values:
                fault = f"{name} is set twice" if sign else "what is set is written NAME=VALUE"
                raise UsageError("unknown-setting", f"{text!r}: {fault}")
            values[name.strip()] = parsed(name.strip(), value.strip())
        for name in axes:
            if name in values:
                raise UsageError(
                    "conflicting-options", f"{text} sets {name}, and it is set beside it, too; set it once"
                )
        return cls.of(**values, **axes)

    @classmethod
    def of(cls, method: str = "rrf", **axes: Any) -> Self:  # noqa: ANN401 - values of axes
        """Make a fusion of its method and its settings; None is not set.

        Raises:
            UsageError, InputError: as for the class; `unknown-setting` for names that are no axes.

        """
        chosen = {name: value for name, value in axes.items() if value is not None}
        for name in chosen:
            if name not in (*cls.AXES, "norm", "run_weights"):
                raise unknown("axis of fusion", name, ("norm", "run_weights", *cls.AXES))
        return cls(method=method, **{name: _typed(name, value) for name, value in chosen.items()})

    def __str__(self) -> str:
        """Write the definition: the method, and what is set of it."""
        shown: dict[str, Any] = (
            {"norm": self.norm_used} if self._method.part == "score" and self.method != "dbsf" else {}
        )
        for name in self.AXES:
            value = getattr(self, name)
            if value != _FIELDS[name].default or (name == "k" and self._method.part == "reciprocal"):
                shown[name] = value
        if self.run_weights is not None:
            shown["run_weights"] = self.run_weights
        inner = ",".join(f"{name}={_plain(value)}" for name, value in shown.items())
        return f"{self.method}({inner})" if inner else self.method

    def weights(self, runs: int) -> tuple[float, ...]:
        """Return the weight of each run.

        Args:
            runs: how many there are.

        Raises:
            InputError: `bad-weight` where there are more or fewer weights.

        """
        weights = (1.0,) * runs if self.run_weights is None else self.run_weights
        if len(weights) != runs:
            text = f"there are {len(weights)} weights, and {runs} runs"
            raise InputError("bad-weight", text, remedy="give a weight for each run, in their order")
        total = math.fsum(weights)
        if self.weight_sum == "one" and abs(total - 1) > _TOLERANCE:
            text = f"weights {' '.join(map(_plain, weights))} add up to {total:g}, and weight_sum=one wants 1"
            raise InputError("bad-weight", text, remedy="weight_sum=normalised divides them by their sum")
        return tuple(weight / total for weight in weights) if self.weight_sum == "normalised" else weights

    @cached_property
    def steps(self) -> Steps:
        """What is done."""
        return Steps(
            part=_PARTS[self._method.part](self),
            join=_join(self),
            order=self.order,
            list_ties=self.ties,
            repetition=self.duplicates,
            who=self.candidates,
            missing=self._fill,
            precision=self.precision,
            ties=self.ties,
            depth=self.depth,
            top=self.top,
        )

    @property
    def _fill(self) -> Fill:
        """What stands in the place of missing parts; in sums nothing is as good as 0."""
        if self._method.part == "points":
            return "points"
        return self.missing or "nothing"

    @property
    def needs_positive(self) -> bool:
        """Whether the greatest score of a list has to be above 0."""
        return self._method.part == "score" and NORMS[self.norm_used].needs_positive


_FIELDS: Final = {axis.name: axis for axis in fields(Fusion)}
Fusion.AXES = tuple(name for name, axis in _FIELDS.items() if axis.metadata)
_VALUES: Final = {name: Values.of(_FIELDS[name].type) for name in Fusion.AXES}


def _has(method: str, of: Sequence[str]) -> bool:
    """Return whether a method has an axis, by the parts, joins or properties that have it."""
    kind = METHODS[method]
    return bool({kind.part, JOININGS[kind.join].parameter, method, "deviates" if kind.part == "score" else ""} & {*of})


def checked_weights(weights: object) -> tuple[float, ...]:
    """Return weights of runs as numbers.

    Raises:
        InputError: `bad-weight` where they are none, negative, or all 0.

    """
    if isinstance(weights, str | bytes | Mapping) or not hasattr(weights, "__iter__"):
        text = f"run_weights={weights!r} are no weights"
        raise InputError("bad-weight", text, remedy="--run-weights 0.3 0.7, in Python run_weights=[0.3, 0.7]")
    numbers = list(weights)
    for weight in numbers:
        if not (is_number(weight) and 0 <= weight < math.inf):
            text = f"the weight {weight!r} of a run is no finite number from 0"
            raise InputError("bad-weight", text, remedy="a weight is at least 0, and 0 drops its run: 0.3 0.7")
    if numbers and not any(numbers):
        text = "all weights of runs are 0, so that no run is left"
        raise InputError("bad-weight", text, remedy="give at least one run a weight above 0, or no weights")
    return tuple(map(float, numbers))


def unknown(subject: str, name: object, names: Iterable[str], spellings: Iterable[str] = ()) -> UsageError:
    """Build the error for a name that nothing has.

    Args:
        subject: what has such names, as in `method of fusion`.
        name: what the user wrote.
        names: all names, which the message lists.
        spellings: further names that are taken for one of these.

    """
    names = list(names)
    near = get_close_matches(str(name).lower(), [*names, *spellings], 1)
    proposal = f"; did you mean {near[0]}?" if near else ""
    return UsageError(
        "unknown-setting", f"no {subject} is called {name!r}{proposal}", remedy=f"there are {' '.join(names)}"
    )


def parsed(name: str, text: str) -> Any:  # noqa: ANN401 - what the axis takes
    """Read the value of an axis from text; the text itself where it is none."""
    if name == "run_weights":
        try:
            return tuple(map(float, text.split("/")))
        except ValueError:
            raise InputError("bad-weight", f"run_weights={text}: weights are numbers, as in 0.3/0.7") from None
    taken = _VALUES.get(name)
    if taken is None or taken.number is None or text in taken.words:
        return text
    if taken.number is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if taken.number is int and number.is_integer() else number


def _typed(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever a caller has
    """Return a number of any kind as a float or an integer; everything else as it is."""
    taken = _VALUES.get(name)
    if taken is None or taken.number not in (int, float) or isinstance(value, bool | str) or not is_number(value):
        return value
    return float(value) if taken.number is float else int(value) if float(value).is_integer() else value


def _plain(value: Any) -> str:  # noqa: ANN401 - any value of an axis
    """Write a value as `parsed` reads it."""
    if isinstance(value, tuple):
        return "/".join(map(_plain, value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1 << 53 else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


# Parts: of lists of one length


def shared(lists: Lists) -> Array:
    """Return `[S, n]`, ranks of which documents with equal scores share the best; lists stand by descending score."""
    begins = np.ones(lists.scores.shape, dtype=bool)
    begins[:, 1:] = lists.scores[:, 1:] != lists.scores[:, :-1]
    best: Array = np.maximum.accumulate(np.where(begins, lists.ranks, 0), axis=1)
    return best


def _ranks(fusion: Fusion, lists: Lists) -> Array:
    return shared(lists) if fusion.shared_ranks == "minimum" else lists.ranks


def _reciprocal(fusion: Fusion, lists: Lists) -> Array:
    ranks = _ranks(fusion, lists)
    weight = lists.weight if fusion.weight_form == "divides" else 1.0
    return np.asarray(1 / (fusion.k + fusion.base - 1 + ranks / weight))


def _inverse_square(fusion: Fusion, lists: Lists) -> Array:
    ranks = _ranks(fusion, lists)
    return np.asarray(1 / (ranks * ranks))


def _geometric(fusion: Fusion, lists: Lists) -> Array:
    return np.asarray((1 - fusion.phi) * fusion.phi ** (_ranks(fusion, lists) - 1))


def _points(fusion: Fusion, lists: Lists) -> Array:
    return np.asarray(lists.candidates[:, None] - _ranks(fusion, lists) + 1)


def _score(fusion: Fusion, lists: Lists) -> Array:
    norm = NORMS[fusion.norm_used]
    values = norm.values(lists, fusion.deviation)
    equal = norm.equal if fusion.equal is None else fusion.equal
    values = norms.with_equal(values, lists, equal)
    if fusion.floor is not None:
        values = np.where(values <= 0, values.dtype.type(fusion.floor), values)
    return np.clip(values, 0, 1) if fusion.clip else values


_Parts = Callable[[Lists], Array]
_PARTS: Final[Mapping[Part, Callable[[Fusion], _Parts]]] = {
    "reciprocal": lambda fusion: partial(_reciprocal, fusion),
    "inverse-square": lambda fusion: partial(_inverse_square, fusion),
    "geometric": lambda fusion: partial(_geometric, fusion),
    "points": lambda fusion: partial(_points, fusion),
    "score": lambda fusion: partial(_score, fusion),
}


def _join(fusion: Fusion) -> Join:
    """Return how parts join; weights that divide ranks have done their work."""
    method = METHODS[fusion.method]
    joining = JOININGS[method.join]
    sigma = fusion.sigma if fusion.method == "logn-isr" else 0.0
    join = joining.join(sigma if joining.parameter == "sigma" else fusion.gamma)
    if fusion.weight_form == "divides":
        return lambda parts, weights: join(parts, np.ones_like(weights))
    return join

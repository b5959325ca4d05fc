"""What is said of a tool that fuses: its methods, their parameters, how it weighs, and what it leaves open."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from rankworth.errors import InputError, UsageError
from rankworth.fusion.joins import Array, Join, in_turn
from rankworth.fusion.norms import Lists
from rankworth.fusion.steps import Fill, InputOrder, LastTies, Precision, Repetition, Steps, Who

Parameters = Mapping[str, Any]
Weights = tuple[float, ...]
_TOLERANCE: Final = 0.01
RANKED_OPEN: Final = "leaves the order of equal fused scores open"
LISTS_OPEN: Final = "leaves the order of equal scores of a list open, on which ranks depend, and of equal fused scores"


# Joins of tools: from the first list to the last, as a loop adds


def plain_sum(parts: Array, _: Array) -> Array:
    """Add the parts, in which weights are contained."""
    return in_turn(parts)


def weighted_sum(parts: Array, weights: Array) -> Array:
    """Add the weighted parts."""
    return in_turn(parts * weights)


def maximum(parts: Array, _: Array) -> Array:
    """Take the greatest part."""
    return np.asarray(np.nanmax(parts, axis=1)) if parts.size else np.zeros(parts.shape[0])


# Weights: what was given, None where nothing was, and how many runs there are


def unchanged(given: Weights | None, runs: int) -> Weights:
    """Weights as they are given, 1 each by default."""
    return (1.0,) * runs if given is None else given


def equal_shares(given: Weights | None, runs: int) -> Weights:
    """Weights as they are given, 1/n each by default."""
    return (1 / runs,) * runs if given is None else given


def normalised(given: Weights | None, runs: int) -> Weights:
    """Weights over their sum, 1/n each by default."""
    if given is None:
        return (1 / runs,) * runs
    total = sum(given)
    return tuple(weight / total for weight in given)


def without(_: Weights | None, runs: int) -> Weights:
    """No weights, whatever is given."""
    return (1.0,) * runs


def halves(given: Weights | None, runs: int) -> Weights:
    """Weights as they are given, one half each by default; of two runs."""
    return (0.5,) * runs if given is None else given


@dataclass(frozen=True, kw_only=True)
class ToolMethod:
    """One way in which a tool fuses.

    Attributes:
        names: what the tool calls it, its own name first.
        part: what a document of a list is worth, by the parameters.
        join: how parts become a score, by the parameters.
        weights: how it weighs.
        takes_weights: whether weights may be given.
        ignores_weights: whether it takes weights and does not use them.
        unit: whether each weight has to be from 0 to 1.
        sums_to_one: whether weights have to add up to 1, plus or minus 0.01.
        drops_zero: whether a run of weight 0 is left out.
        parameters: the names of its parameters, and their defaults.
        needed: parameters that have no default.
        norms: the norms that it knows, the default first; empty where it has none.
        runs: how many runs it takes at most.
        least_runs: how many at least.
        same_queries: whether it refuses runs of other queries.
        sorts_files: whether it sorts the rows of files by score, ties by ascending id.
        open: what it leaves open, behind its name; empty where nothing.
        refuses_empty: by norm the error that it raises where a run has no document for a query.
        refuses_no_rows: the error that it raises where a run has no document for any query; empty where it raises none.

    The other attributes are those of `Steps`.
    """

    names: tuple[str, ...]
    part: Callable[[Parameters], Callable[[Lists], Array]]
    join: Callable[[Parameters], Join]
    order: InputOrder = "given"
    list_ties: LastTies = "first-seen"
    repetition: Repetition = "add"
    who: Who = "union"
    missing: Callable[[Parameters], Fill] = lambda _: "nothing"
    precision: Precision = "float64"
    ties: LastTies = "first-seen"
    close: float = 0.0
    depth: int | None = None
    top: int | None = None
    weights: Callable[[Weights | None, int], Weights] = unchanged
    takes_weights: bool = True
    ignores_weights: bool = False
    unit: bool = False
    sums_to_one: bool = False
    drops_zero: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    norms: tuple[str, ...] = ()
    runs: int | None = None
    least_runs: int = 1
    same_queries: bool = False
    sorts_files: bool = False
    open: str = ""
    refuses_empty: Mapping[str, str] = field(default_factory=dict)
    refuses_no_rows: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.names[0]

    def steps(self, parameters: Parameters) -> Steps:
        """Return what is done, with values of all parameters."""
        ties: Any = self.list_ties
        return Steps(
            part=self.part(parameters),
            join=self.join(parameters),
            order=self.order,
            list_ties=ties,
            repetition=self.repetition,
            who=self.who,
            missing=self.missing(parameters),
            precision=self.precision,
            ties=self.ties,
            close=self.close,
            depth=self.depth,
            top=self.top,
        )


@dataclass(frozen=True)
class Tool:
    """A tool that fuses.

    Attributes:
        name: what `--like` calls it.
        title: its name in full, with its version.
        known_by: `run`, or the `source` where it is a server that was not run.
        methods: its methods, that of reciprocal ranks first.
        aliases: other names.
        remarks: what is to be known of it.

    """

    name: str
    title: str
    known_by: str
    methods: tuple[ToolMethod, ...]
    aliases: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def method(self, name: str) -> tuple[ToolMethod, str]:
        """Find a method by any of its names, and the norm that the name tells, if it tells one.

        Raises:
            UsageError: `unknown-setting`.

        """
        wanted = _plain(name)
        for method in self.methods:
            for spelling in method.names:
                if _plain(spelling) == wanted:
                    return method, ""
                for norm in method.norms:
                    if wanted in (_plain(f"{norm} {spelling}"), _plain(f"{spelling} {norm}")):
                        return method, norm
        known = " ".join(method.name for method in self.methods)
        raise UsageError("unknown-setting", f"{self.name} has no method {name!r}; it has {known}")


def _plain(name: str) -> str:
    """Return a name without what tells spellings apart."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def checked(tool: str, method: ToolMethod, given: Weights | None, runs: int) -> Weights:
    """Return the weight of each run, as a tool makes it of what is given.

    Raises:
        InputError: `bad-weight` where the tool refuses them.
        UsageError: `conflicting-options` where it takes none.

    """
    if given is not None:
        if not method.takes_weights:
            text = f"{method.name} of {tool} has no weights"
            raise UsageError("conflicting-options", text, remedy="leave --run-weights (run_weights=...) out")
        if len(given) != runs:
            raise InputError("bad-weight", f"there are {len(given)} weights, and {runs} runs")
        if method.unit and not all(0 <= weight <= 1 for weight in given):
            raise InputError("bad-weight", f"{tool} refuses weights that are not from 0 to 1: {_listed(given)}")
        if method.sums_to_one and abs(math.fsum(given) - 1) > _TOLERANCE:
            text = f"{tool} refuses weights that do not add up to 1: {_listed(given)} add up to {math.fsum(given):g}"
            raise InputError("bad-weight", text)
    return method.weights(given, runs)


def _listed(weights: Sequence[float]) -> str:
    return " ".join(f"{weight:g}" for weight in weights)

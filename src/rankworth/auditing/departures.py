"""Departures from conventions: which settings and parameters are changed in an audit, and how changes are written."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from rankworth.errors import RankworthError
from rankworth.judging.exclusion import SELF, Exclusion
from rankworth.measures import Measure
from rankworth.measures.parameters import LEAST_REL, plain
from rankworth.profiles import CallData, Profile
from rankworth.profiles.call_data import conventions_by_name
from rankworth.settings import VALUES, Averaging, Judging

_CUTOFFS: Final = (None, 1, 3, 5, 10, 20, 50, 100, 1000)
_NUMBERS: Final[Mapping[str, tuple[float, ...]]] = {
    "depth": (1, 5, 10, 20, 50, 100, 1000),
    "no_relevant": (0.0, 1.0),
    "neither": (0.0, 1.0),
    "undefined": (0.0, 1.0),
    "fewest": (),
    "round_values": (1, 2, 3, 4, 5),
    "round_means": (1, 2, 3, 4, 5),
    "base": (2, math.e, 10),
    "beta": (0.5, 1, 2),
    "p": (0.5, 0.8, 0.9, 0.95),
}
"""numbers that are tried for settings and parameters; of grades those that the judgements have"""
_OF_GRADES: Final = ("rel", "max_grade", "highest")
CONFUSED: Final = ("P", "R", "Success", "F", "AP", "RR", "nDCG", "DCG", "ERR", "Rprec")
"""measures of which tools call one by the name of another"""
ORDERING: Final = ("order", "score_type", "ties", "duplicates", "exclude")


class Convention(NamedTuple):
    """A measure and all settings by which it is taken."""

    quantity: Any
    judging: Judging
    averaging: Averaging
    data: CallData

    @property
    def profile(self) -> Profile:
        """The settings as a profile without names of its own."""
        return Profile("audited", self.judging, self.averaging, self.data)

    @property
    def conventions(self) -> dict[str, Any]:
        """The settings and the data by name, in the order of signatures."""
        return conventions_by_name(self.judging, self.averaging, self.data)

    def changed(self, changes: Iterable["Change"]) -> "Convention | None":
        """Return the convention after some changes; None where they do not go together."""
        quantity, judging, averaging, data = self
        with suppress(RankworthError):
            for change in changes:
                if change.kind == "measure":
                    quantity = change.value
                elif change.kind == "cutoff":
                    quantity = replace(quantity, cutoff=change.value)
                elif change.kind == "parameter":
                    # What has a meaning only beside another value goes back to its default: rel, beside gain=linear.
                    parameters, beside = quantity.definition.parameters, quantity.definition.beside
                    idle = {
                        name: parameters[name].default for name, (other, _) in beside.items() if other == change.name
                    }
                    quantity = quantity(**idle, **{change.name: change.value})
                elif change.name in vars(judging):
                    judging = replace(judging, **{change.name: change.value})
                elif change.name in vars(data):
                    data = replace(data, **{change.name: change.value})
                else:
                    averaging = replace(averaging, **{change.name: change.value})
            return Convention(quantity, judging, averaging, data)
        return None


class Change(NamedTuple):
    """One departure: a setting, a parameter of the measure, its cutoff, or another measure."""

    kind: Literal["setting", "parameter", "cutoff", "measure"]
    name: str
    value: Any

    def __str__(self) -> str:
        """Write the change as it is typed: `ties=given`; the smallest grade that is relevant with what it means."""
        is_tiny = self.name == "rel" and 0 < self.value < LEAST_REL
        return f"{self.name}={self.written}{' (every grade above 0 is relevant)' if is_tiny else ''}"

    @property
    def written(self) -> str:
        """The value as it is typed; of what is excluded, its label."""
        value = getattr(self.value, "label", self.value)
        return str(value) if self.kind == "measure" else plain(value)


class Departure(NamedTuple):
    """Changes that are to be tried, and the convention after them, if there is one.

    Attributes:
        changes: what is changed.
        convention: the convention after the changes; None where they do not go together.
        base: the known profiles from which they depart, if any.

    """

    changes: tuple[Change, ...]
    convention: Convention | None
    base: tuple[str, ...] = ()


def settings_of(start: Convention, grades: Sequence[float]) -> Iterator[Change]:
    """Yield every other value of every setting; those that only refuse are left out."""
    cutoff = getattr(start.quantity, "cutoff", None)
    numbers_of = {**_NUMBERS, "depth": sorted({*_NUMBERS["depth"], *([cutoff] if cutoff else [])})}
    conventions = start.conventions
    for name, taken in VALUES.items():
        current = conventions[name]
        numbers: Iterable[Any] = numbers_of.get(name, grades if name in _OF_GRADES else ())
        values: list[Any] = [word for word in taken.words if not word.startswith("error")]
        values += [True, False] if taken.number is bool else [*numbers]
        values += [None] if taken.optional else []
        yield from (Change("setting", name, value) for value in values if value != current)
    yield Change("setting", "exclude", Exclusion.of(SELF) if start.data.exclude is None else None)


def parameters_of(quantity: Any, grades: Sequence[float]) -> Iterator[Change]:  # noqa: ANN401 - a measure or a fact
    """Yield every other parameter and cutoff of a measure."""
    for name, parameter in quantity.definition.parameters.items():
        numbers: Iterable[Any] = _NUMBERS.get(name, grades if name in _OF_GRADES else ())
        values = [*parameter.words, *(numbers if parameter.numbers else ()), *([True, False] if parameter.flag else [])]
        current = quantity.parameters.get(name, parameter.default)
        yield from (Change("parameter", name, value) for value in values if value != current)
    if isinstance(quantity, Measure) and not quantity.definition.at:
        yield from (Change("cutoff", "cutoff", cutoff) for cutoff in _CUTOFFS if cutoff != quantity.cutoff)


def differences(start: Convention, end: Convention) -> list[Change]:
    """List what tells two conventions apart: settings, and parameters and cutoff of one measure, or the measure."""
    before = start.conventions
    changes = [Change("setting", name, value) for name, value in end.conventions.items() if value != before[name]]
    quantity, other = start.quantity, end.quantity
    if quantity == other:
        return changes
    if quantity.name != other.name or not isinstance(quantity, Measure) or quantity.averaging != other.averaging:
        return [*changes, Change("measure", "measure", other)]
    defaults = {name: parameter.default for name, parameter in quantity.definition.parameters.items()}
    current, wanted = (defaults | dict(each.settings) for each in (quantity, other))
    changes += [Change("parameter", name, value) for name, value in wanted.items() if value != current[name]]
    return changes + ([Change("cutoff", "cutoff", other.cutoff)] if quantity.cutoff != other.cutoff else [])

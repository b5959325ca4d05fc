"""The measures, the conventions and the ranking of a call."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from rankworth import evaluation
from rankworth.errors import MeasureError
from rankworth.measures import Measure
from rankworth.measuring import Plan
from rankworth.profiles import Asked, Profile
from rankworth.sensitivity.subjects import Subject, subjects

_CUTOFF: Final = re.compile(r"(?<=[@_])\d+$")
"""the cutoff at the end of a name: `nDCG@10`, `ndcg_cut_10`"""


class Door:
    """What is asked of which ranking, by which conventions."""

    def __init__(
        self,
        measures: Sequence[str | Measure],
        profile: str | Profile,
        rel: float | None,
        settings: Mapping[str, Any],
        qrels: object,
        run: object,
        query: str,
    ) -> None:
        """Read what is asked for, measure by measure.

        Raises:
            MeasureError, UsageError, InputError: as `evaluate`.

        """
        self.rel = rel
        self.qrels, self.run, self.query = qrels, run, query
        self.plan = evaluation.planned(profile, measures, rel, settings)  # type: ignore[arg-type]

    def subjects(self, more: Iterable[Asked] = ()) -> list[Subject]:
        """The measures of the ranking, and further ones."""
        return subjects(self.qrels, self.run, self.query, Plan(self.plan.profile, [*self.plan.asked, *more]))

    def deepest(self) -> int:
        """The deepest cutoff of the measures, 0 where they have none."""
        return max(
            (one.quantity.cutoff or 0 for one in self.plan.asked if isinstance(one.quantity, Measure)), default=0
        )

    def cut(self, place: int, cutoff: int) -> Asked:
        """A measure with another cutoff, as the profile has it.

        Raises:
            MeasureError: `bad-cutoff`.

        """
        asked = self.plan.asked[place]
        quantity = asked.quantity
        if not isinstance(quantity, Measure) or quantity.definition.at:
            at = "it is counted" if not isinstance(quantity, Measure) else f"@ sets its {quantity.definition.at}"
            raise MeasureError("bad-cutoff", f"{asked.label} has no cutoff: {at}")
        cut = quantity @ cutoff
        named = _CUTOFF.sub(str(cutoff), asked.label)
        for name in (named, f"{asked.label}@{cutoff}"):
            with suppress(MeasureError):
                [one, *others] = self.plan.profile.ask([name], rel=self.rel)
                if not others and one.quantity.name == quantity.name and one.quantity.cutoff == cutoff:
                    return one
        return replace(asked, label=str(cut), quantity=cut)


def meaning(one: Asked) -> object:
    """What makes two measures the same."""
    return one.quantity, one.judging, one.averaging


def family(one: Asked) -> str:
    """What a measure is called whatever its cutoff."""
    if not isinstance(one.quantity, Measure) or one.quantity.cutoff is None:
        return f"{one.label}@k"
    called = _CUTOFF.sub("k", one.label)
    return called if called != one.label else f"{replace(one.quantity, cutoff=None)}@k"

"""The measures, the conventions and the ranking of a call."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankworth import evaluation
from rankworth.errors import MeasureError
from rankworth.measures import Measure
from rankworth.measuring import Plan
from rankworth.profiles import Asked, Profile
from rankworth.sensitivity.subjects import Subject, subjects


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
        one_by_one = [(self.plan.profile.ask([one], rel=rel), one) for one in measures]
        self.given = {meaning(asked[0]): one for asked, one in one_by_one if len(asked) == 1}
        """as what each measure was asked for, if not as one of several"""

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
        text = self.given.get(meaning(asked))
        quantity = asked.quantity
        if not isinstance(quantity, Measure) or quantity.definition.at:
            at = "it is counted" if not isinstance(quantity, Measure) else f"@ sets its {quantity.definition.at}"
            raise MeasureError("bad-cutoff", f"{asked.label} has no cutoff: {at}")
        cut = quantity @ cutoff
        named = f"{text.rpartition('@')[0] or text}@{cutoff}" if isinstance(text, str) else None
        for one in (named, None if text is None or isinstance(text, str) else text @ cutoff):
            try:
                found = self.plan.profile.ask([one], rel=self.rel) if one is not None else []
            except MeasureError:
                continue
            if len(found) == 1 and found[0].quantity.name == quantity.name and found[0].quantity.cutoff == cutoff:
                return found[0]
        return replace(asked, label=str(cut), quantity=cut)


def meaning(one: Asked) -> object:
    """What makes two measures the same."""
    return one.quantity, one.judging, one.averaging


def family(one: Asked) -> str:
    """What a measure is called whatever its cutoff."""
    whole = re.sub(r"@\d+$", "", one.label)
    bare = isinstance(one.quantity, Measure) and (one.quantity.cutoff is None or whole != one.label)
    return f"{whole if bare else replace(one.quantity, cutoff=None)}@k"

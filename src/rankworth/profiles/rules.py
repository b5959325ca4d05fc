"""What a tool's name for a measure means: the measure here, and the settings that go with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

from rankworth import names
from rankworth.names import Quantity

BLANK: Final = re.compile(r"\{(\w+)\}")
_TAKES: Final = {"k": r"\d+", "d": r"\d+", "gains": r"-?\d+=[^,=]+(?:,-?\d+=[^,=]+)*"}
_EXAMPLES: Final = {"k": "10", "d": "10", "gains": "1=1"}
_NUMBER: Final = r"-?\d+(?:\.\d+)?"


@dataclass(frozen=True)
class Rule:
    """What a tool's name for a measure means.

    Attributes:
        name: the name, in which `{k}` and the like stand for numbers.
        means: the measure here, or several with blanks between.
        judging: where its judging differs from the tool's.
        averaging: where its averaging differs.
        data: where it excludes something else.
        removed: where it differs besides, of judged documents only (`unjudged="removed"`).
        note: what is wrong with the tool's number, which is repeated here.
        departs: what is wrong with the tool's number, and what is done here instead.
        unspecified: what the tool leaves open, and what is done here.
        level: what is wrong with its number where scores do not tell the order of relevant documents of one grade:
            where these are equal, or 0 and below, as of a document that was not retrieved.
        several: what the tool averages over where there are several queries, if not over these, which is refused.
        instead: the names for what it is then, which the refusal proposes.

    """

    name: str
    means: str
    judging: Mapping[str, Any] = field(default_factory=dict)
    averaging: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    removed: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    departs: str = ""
    unspecified: str = ""
    level: str = ""
    several: str = ""
    instead: str = ""

    @property
    def of_items(self) -> bool:
        """Whether the measure needs data about items."""
        return self.example is not None and bool(self.example.definition.needs)

    @property
    def defect(self) -> str:
        """What is wrong with the tool's number, whether it is repeated here or not."""
        return self.note or self.departs

    def reads(self, text: str, *, exactly: bool) -> list[str] | None:
        """Return the measures of a text, in our spelling, or None for another name.

        Args:
            text: what was typed.
            exactly: whether upper and lower case count.

        """
        match = pattern(self.name, exactly=exactly).fullmatch(text.strip())
        return None if match is None else names.separated(BLANK.sub(lambda blank: match[blank[1]], self.means))

    def judging_of(self, text: str) -> dict[str, Any]:
        """Return the differences of judging for a text read by the rule; `{rel}` and the like become its numbers."""
        match = pattern(self.name, exactly=False).fullmatch(text.strip())
        return {
            name: float(match[value[1:-1]]) if match and isinstance(value, str) and BLANK.fullmatch(value) else value
            for name, value in self.judging.items()
        }

    @cached_property
    def example(self) -> Quantity | None:
        """The measure with 10 for every number: what it is a measure of; None where it stands for several."""
        first, *further = names.separated(BLANK.sub(lambda blank: _EXAMPLES.get(blank[1], "0.5"), self.means))
        return None if further else names.parse(first)


@lru_cache(maxsize=4096)
def pattern(name: str, *, exactly: bool) -> re.Pattern[str]:
    """Build the expression that finds the numbers in a name."""
    parts = BLANK.split(name)
    texts = [
        f"(?P<{part}>{_TAKES.get(part, _NUMBER)})" if index % 2 else re.escape(part).replace(r"\ ", r"\s*")
        for index, part in enumerate(parts)
    ]
    return re.compile("".join(texts), 0 if exactly else re.IGNORECASE)


def base(name: str) -> str:
    """Return the name of a measure without parameters and cutoff, also within `gmean(...)` and `micro(...)`.

    >>> base("NDCG:top=10"), base("P_5"), base("gmean(AP(rel=2)@10)")
    ('NDCG', 'P', 'AP')
    """
    return re.split(r"[@(:.\[{]|_\d+$", re.sub(r"^(?:gmean|micro)\((.*)\)$", r"\1", name.strip()), maxsplit=1)[
        0
    ].strip()

"""What a tool's name for a measure means: a pattern with blanks for numbers, and settings of its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

from rankworth import names
from rankworth.names import Quantity

_BLANK: Final = re.compile(r"\{(\w+)\}")
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
        removed: where it differs besides, of judged documents only (`unjudged="removed"`).
        note: what is wrong with the tool's number.
        unspecified: what the tool leaves open, and what is done here.
        level: what is wrong with its number where scores do not tell the order of relevant documents of one grade:
            where these are equal, or 0 and below, as of a document that was not retrieved.

    """

    name: str
    means: str
    judging: Mapping[str, Any] = field(default_factory=dict)
    averaging: Mapping[str, Any] = field(default_factory=dict)
    removed: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    unspecified: str = ""
    level: str = ""

    def reads(self, text: str, *, exactly: bool) -> list[str] | None:
        """The measures that a text stands for, in our spelling; None where it is another name.

        Args:
            text: what was typed.
            exactly: whether upper and lower case count.

        """
        match = _pattern(self.name, exactly=exactly).fullmatch(text.strip())
        if match is None:
            return None
        means = _BLANK.sub(lambda blank: match[blank[1]], self.means)
        return names.separated(means)

    def judging_of(self, text: str) -> dict[str, Any]:
        """Where the judging differs for a text that is read; `{rel}` and the like stand for its numbers there, too."""
        match = _pattern(self.name, exactly=False).fullmatch(text.strip())
        return {
            name: float(match[value[1:-1]]) if match and isinstance(value, str) and _BLANK.fullmatch(value) else value
            for name, value in self.judging.items()
        }

    @property
    def numbers(self) -> set[str]:
        """What the blanks of the meaning stand for."""
        return set(_BLANK.findall(self.means))

    @cached_property
    def example(self) -> Quantity | None:
        """The measure with 10 for every number: what it is a measure of; None where it stands for several."""
        several = names.separated(_BLANK.sub(lambda blank: _EXAMPLES.get(blank[1], "0.5"), self.means))
        if len(several) > 1:
            return None
        return names.parse(several[0])


@lru_cache(maxsize=4096)
def _pattern(name: str, *, exactly: bool) -> re.Pattern[str]:
    """What finds the numbers in a name."""
    parts = _BLANK.split(name)
    texts = [
        f"(?P<{part}>{_TAKES.get(part, _NUMBER)})" if place % 2 else re.escape(part).replace(r"\ ", r"\s*")
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(texts), 0 if exactly else re.IGNORECASE)

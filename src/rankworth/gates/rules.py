"""What a gate asks for, as it is typed: `nDCG@10=0.01`, `R@100=2%`, `language:nDCG@10=0.02`, `language=ar:AP=0.3`."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from rankworth import names
from rankworth.errors import MeasureError, UsageError

Kind = Literal["max-drop", "noninferior", "fail-under"]
When = Literal["mean", "significant", "any"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
WHEN: Final[tuple[When, ...]] = get_args(When)
_EXAMPLES: Final[Mapping[Kind, str]] = {
    "max-drop": "nDCG@10=0.01, R@100=2%",
    "noninferior": "nDCG@10=0.01",
    "fail-under": "nDCG@10=0.45",
}


@dataclass(frozen=True)
class Gate:
    """One condition.

    Attributes:
        kind: the mean may not drop by more (`max-drop`), the interval has to exclude a worse drop (`noninferior`), the
            mean has to be as large (`fail-under`).
        measure: in any of its spellings.
        limit: the drop, the margin or the floor.
        percent: whether a drop is a share of the baseline's mean.
        column: the column of the queries by whose groups it is asked, each for itself; empty for all queries.
        group: one group of them; empty for every one.

    """

    kind: Kind
    measure: str
    limit: float
    percent: bool = False
    column: str = ""
    group: str = ""

    @classmethod
    def of(cls, kind: Kind, text: str, where: str = "") -> "Gate":
        """Read one.

        Args:
            kind: what it is.
            text: `MEASURE=LIMIT`, behind `COLUMN:` or `COLUMN=GROUP:` where it is about groups of queries.
            where: where it stands; the option where not said.

        Raises:
            UsageError: `bad-gate`.

        >>> Gate.of("max-drop", "R@100=2%")
        Gate(kind='max-drop', measure='R@100', limit=0.02, percent=True, column='', group='')
        >>> Gate.of("fail-under", "language=ar:P(rel=2)@5=0.3").measure
        'P(rel=2)@5'
        """

        def odd(why: str) -> UsageError:
            return UsageError("bad-gate", f"{where or f'--{kind}'} {text}: {why}", remedy=f"as in {_EXAMPLES[kind]}")

        ahead, colon, rest = _parted(text)
        column, equals, group = (part.strip() for part in ahead.partition("="))
        measure, _, limit = (part.strip() for part in rest.rpartition("="))
        if not measure or not limit:
            raise odd("it is no MEASURE=LIMIT")
        if colon and not column:
            raise odd("no column stands before the colon")
        if equals and not group:
            raise odd(f"no group of {column} stands before the colon")
        share = limit.endswith("%")
        try:
            number = float(limit.removesuffix("%"))
        except ValueError:
            raise odd(f"{limit!r} is no number") from None
        if share and kind != "max-drop":
            raise odd("only a drop may be a share, that of the baseline's mean")
        if not math.isfinite(number):
            raise odd("a limit is a finite number")
        if number < 0 and kind != "fail-under":
            raise odd("a drop is a number from 0 on")
        return cls(kind, measure, number / 100 if share else number, share, column, group)

    def __str__(self) -> str:
        """As it is typed."""
        ahead = f"{self.column}{f'={self.group}' if self.group else ''}:" if self.column else ""
        limit = f"{100 * self.limit:.12g}%" if self.percent else f"{self.limit:.12g}"
        return f"{ahead}{self.measure}={limit}"

    def among(self, measures: Mapping[str, str]) -> str:
        """The name under which its measure was measured, by any of its names; empty where it was not.

        Args:
            measures: the canonical names of the measures by the names that they were asked for by.

        >>> Gate("max-drop", "ndcg_cut_10", 0.01).among({"MAP": "AP", "NDCG@10": "nDCG@10"})
        'NDCG@10'
        """
        labels = list(measures)
        try:
            place = names.place(self.measure, labels, list(measures.values()))
        except MeasureError:
            place = None
        return "" if place is None else labels[place]


def read(kind: Kind, given: Iterable[str] | Mapping[str, Any], where: str = "") -> list[Gate]:
    """Several gates of one kind, as they are typed or as `pyproject.toml` has them.

    Args:
        kind: of all of them.
        given: texts, or `{"nDCG@10": 0.01, "R@100": "2%"}`.
        where: where they stand; the option where not said.

    Raises:
        UsageError: `bad-gate`.

    """
    if isinstance(given, Mapping):
        given = [f"{name}={limit}" for name, limit in given.items()]
    return [Gate.of(kind, text, where) for text in given]


def _parted(text: str) -> tuple[str, bool, str]:
    """What stands before the last colon, whether there is one, and what stands behind; none within parentheses."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if text[place] == ":" and not depth:
            return text[:place].strip(), True, text[place + 1 :]
    return "", False, text

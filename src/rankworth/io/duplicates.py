"""What becomes of a document that a query has twice, where the user says which of its rows counts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from rankworth.errors import UsageError
from rankworth.io import mapping, scalars

if TYPE_CHECKING:
    import polars as pl

Duplicates = Literal["error", "best", "first", "last", "all", "once", "joined"]
"""For runs: refused, the highest score, the row that comes first or last, or all of them, as `Judging` says."""
DuplicateJudgements = Literal["error", "max", "first", "last", "all", "wanted", "spread"]
"""For judgements: refused, the highest grade, the row that comes first or last, or all of them."""
COUNTED: Final = ("all", "once", "joined")
"""Policies for runs under which every row keeps its rank."""
COPIED: Final = ("all", "wanted", "spread")
"""Policies for judgements under which every row counts."""
OneRow = Literal["error", "best", "first", "last"]
OneJudgement = Literal["error", "max", "first", "last"]
"""Policies that leave one row for each document."""
Policy = Duplicates | DuplicateJudgements


def check(name: str, policy: object, known: object) -> None:
    """Refuse what is none of the known policies.

    Raises:
        UsageError: `unknown-setting`.

    """
    if policy not in get_args(known):
        choices = " or ".join(map(repr, get_args(known)))
        raise UsageError("unknown-setting", f"{name}={policy!r}: what becomes of them is {choices}")


def settled(frame: "pl.DataFrame", by: tuple[str, ...], value: str, policy: Policy) -> "pl.DataFrame":
    """One row for each key, with the value that counts.

    Args:
        frame: rows in the order in which they were given.
        by: the columns of the key.
        value: the column of the values.
        policy: any but `error`.

    """
    if policy == "first" or policy == "last":  # noqa: PLR1714 - for type checkers
        return frame.unique(subset=by, keep=policy, maintain_order=True)
    import polars as pl  # noqa: PLC0415 - dicts come here for the names of policies

    return frame.group_by(by, maintain_order=True).agg(pl.col(value).max()).select(frame.columns)


def texts(source: Mapping[Any, Any], policy: Policy, *, duplicate: str, name: str) -> Mapping[str, Any]:
    """A dict of numbers with its ids as text; where an integer and a text are the same id, one of the two numbers.

    Args:
        source: `{document: number}`.
        policy: which number counts.
        duplicate: the slug where none does.
        name: what messages call the dict.

    Raises:
        InputError: `id-type`; `duplicate`, where the policy is `error`.

    """
    if policy == "error" or set(map(type, source)) <= {str}:
        return mapping.texts(source, duplicate=duplicate, name=name)
    infinite = duplicate == "duplicate-document"
    numbers: dict[str, Any] = {}
    for key, number in source.items():
        text = scalars.text(key, name)
        numbers[text] = _chosen(numbers[text], number, policy, infinite=infinite) if text in numbers else number
    return numbers


def _chosen(earlier: Any, later: Any, policy: Policy, *, infinite: bool) -> Any:  # noqa: ANN401 - what users give
    """The number that counts; where one is no number that one, so that it is complained of and not passed over."""
    for number in (earlier, later):
        if not scalars.is_number(number, infinite=infinite):
            return number
    if policy in ("first", "last"):
        return earlier if policy == "first" else later
    return max(earlier, later, key=float)

"""Tests of projects that use rankworth: a value may not be worse than the one that was kept.

The pytest plugin (`pytest_rankworth`) has the same as a fixture, `rankworth_gate`, and rewrites kept values with
`--rankworth-update`.
"""

import os
import warnings
from typing import TYPE_CHECKING, Final, Literal

from rankworth.errors import RankworthWarning, UsageError

if TYPE_CHECKING:
    from rankworth.comparison.gates import Kind
    from rankworth.comparison.gates import When as Drop
    from rankworth.results.file import Result
    from rankworth.results.values import Values

When = Literal["mean", "significant", "any", "interval"]
_GATES: Final[dict[str, tuple["Kind", "Drop"]]] = {
    "mean": ("max-drop", "mean"),
    "significant": ("max-drop", "significant"),
    "any": ("max-drop", "any"),
    "interval": ("noninferior", "mean"),
}


def assert_not_worse(
    values: "Values | Result",
    baseline: "Values | Result | str | os.PathLike[str]",
    measure: str,
    margin: float | str = 0.0,
    *,
    when: When = "mean",
    level: float = 0.95,
) -> None:
    """Assert that a run is not worse than a kept one.

    Where a run is better than one in a file by more than the margin, a warning tells which loss can pass until the file
    is written again (`stale-baseline`).

    Args:
        values: what `evaluate` gives.
        baseline: the values to compare with, or the results file that has them.
        measure: by which measure.
        margin: how much may be lost: 0.01, or "2%" of the kept mean.
        when: what must not be lost: that much of the `mean`; only if it is also `significant`, so that the interval of
            the difference excludes 0; by `any` query; or whether the `interval` has to exclude a greater loss.
        level: of the interval.

    Raises:
        AssertionError: which shows the values, the interval and the queries that lose most.
        InputError: `bad-results`, `older-results`, `missing-file`, `changed-queries`, `changed-judgements`.
        UsageError: `not-comparable`, `not-measured`, `unknown-setting`, `bad-gate`.

    >>> import rankworth as rw
    >>> old, new = (rw.evaluate(labels=[[1, 0]], scores=[one], measures=["RR"]) for one in ([1, 2], [2, 1]))
    >>> assert_not_worse(new, old, "RR")
    >>> assert_not_worse(old, new, "RR", margin=0.1)
    Traceback (most recent call last):
        ...
    AssertionError: RR 1.0000 -> 0.5000: drop 0.5000 > 0.1000
      largest losses: 0 -0.5000
    """
    from rankworth.comparison import compare  # noqa: PLC0415 - SciPy, and not before it is needed
    from rankworth.comparison.gates import (  # noqa: PLC0415 - as above
        STALE,
        Gate,
        against,
    )

    if when not in _GATES:
        gates = ", ".join(map(repr, _GATES))
        raise UsageError("unknown-setting", f"when={when!r}: what must not be lost is one of {gates}")
    kind, drop = _GATES[when]
    gate = Gate.of(kind, f"{measure}={margin}", f"margin={margin!r}:")
    stored = _stored(baseline)
    comparison = compare(runs={"kept": stored, "now": values}, measures=[measure], level=level)
    path = getattr(stored, "origin", "")  # of values that were loaded
    [verdict] = against(comparison, [gate], drop, is_stored=bool(path))
    if verdict.behind:
        renewal = f"values.save({path!r}) renews it, or pytest --rankworth-update in a test with rankworth_gate"
        warnings.warn(RankworthWarning(STALE, f"{verdict.behind}; {renewal}"), stacklevel=2)
    if verdict.passed:
        return
    lines = [f"{measure} {verdict.values}: {verdict.reason}"]
    if verdict.interval is not None:
        low, high = verdict.interval
        lines.append(f"  {100 * level:g} % interval of the difference {low:+.4f}...{high:+.4f}")
    if verdict.worst:
        losses = (f"{query} {difference:+.4f}" for query, difference in verdict.worst)
        lines.append(f"  largest losses: {', '.join(losses)}")
    raise AssertionError("\n".join(lines))


def _stored(baseline: "Values | Result | str | os.PathLike[str]") -> "Values | Result":
    """Return the stored values; refuse a file with several runs.

    Raises:
        InputError: `bad-results`, `missing-file`.
        UsageError: `conflicting-options`.

    """
    if not isinstance(baseline, str | os.PathLike):
        return baseline
    from rankworth.results.loading import load  # noqa: PLC0415 - as above

    stored = load(baseline)
    if len(stored) > 1:
        names = ", ".join(stored)
        text = f"{os.fspath(baseline)} holds several runs: {names}"
        raise UsageError("conflicting-options", text, remedy=f"rankworth.load({os.fspath(baseline)!r})[NAME]")
    [values] = stored.values()
    return values

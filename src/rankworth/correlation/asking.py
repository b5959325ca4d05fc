"""What is asked of rankings: how alike are they, for each query and on average?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from rankworth.correlation import sources, warned
from rankworth.correlation.coefficients import COEFFICIENTS
from rankworth.correlation.items import Missing, checked
from rankworth.correlation.methods import Found, Method, methods
from rankworth.correlation.pairing import Pairing
from rankworth.correlation.result import Correlation, Correlations
from rankworth.correlation.sources import Ranked
from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.scalars import IdKinds, ids
from rankworth.judging import inputs
from rankworth.model import Run
from rankworth.statistics import intervals

if TYPE_CHECKING:
    from rankworth.correlation.matching import Rows

DEFAULT = ("rbo", "overlap", "jaccard")
"""what the command says where nobody asks for a method"""


def correlate(
    x: object,
    y: object,
    method: str | Iterable[str] = "rbo",
    *,
    p: float = 0.9,
    k: int | None = None,
    missing: Missing = "refuse",
    names: Sequence[str] | None = None,
    queries: Iterable[object] | None = None,
    columns: Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlation:
    """How alike two rankings are, or the rankings of two runs for each query. Nobody needs to have judged anything.

    Rankings need not hold the same documents for `rbo` (rank-biased overlap; `rbo-a`, `rbo-b` and `rbo-w` say what ties
    mean), `overlap`, `average-overlap`, `jaccard` and `rba` (rank-biased alignment): from 0, nothing in common, to 1.
    They do for coefficients of correlation, from -1 to 1: `tau-a`, `tau-b`, `tau-c` (Kendall), `gamma` (Goodman and
    Kruskal), `spearman`, `weighted-tau`, `weighted-tau-reference`, `tau-ap`, `tau-ap-a` and `tau-ap-b`, which weigh the
    first ranks more, and `pearson`, which is about scores. Documents are told apart by their ids alone, and equal
    scores are ties: to rename documents, or to rescale scores, changes nothing.

    Formulas and sources stand in `rankworth.correlation.overlaps` and `rankworth.correlation.coefficients`.

    Args:
        x: a run, as for `evaluate`; or one ranking: a list of ids, best first, in which a list or a set of ids is a
            group of ties, or scores, higher first: `{id: score}`, or an array, whose items are told apart by place. A
            list of numbers holds scores for coefficients, as an array does, and ids for overlaps.
            For `tau-ap`, `tau-ap-a` and `weighted-tau-reference` this is the reference.
        y: the same of the other one.
        method: one method or several.
        p: of `rbo` and `rba`, between 0 and 1: the chance that a reader goes on from one rank to the next.
        k: how many documents of each ranking to look at, and whatever is tied with the last of them.
        missing: for coefficients, what becomes of documents that one ranking does not have: `refuse`, `common` (they
            are left out), `last` (they stand behind all others, tied).
        names: what to call the two; the names of files where not said, otherwise `x` and `y`.
        queries: the queries to look at; those of any of the two runs where not said.
        columns: as for `evaluate`, of runs.
        level: of the intervals of means over queries (bootstrap).
        seed: of these.

    Returns:
        A `Correlation`, which is a number, too, where there is one method: `float(correlate(x, y))`.

    Raises:
        InputError: as `evaluate` for runs; `duplicate-document`, `bad-score`, `input-type`, `not-conjoint` where
            a coefficient meets different documents, `unknown-query`.
        UsageError: `unknown-setting`, `bad-parameter`, `bad-cutoff`, `run-names`, `tied-ranking`.

    >>> round(correlate(["a", "b", "c"], ["a", "c", "d"], "rbo", p=0.9).value, 4)
    0.685
    >>> found = correlate({"s1": 0.4, "s2": 0.3, "s3": 0.1}, {"s1": 7, "s2": 9, "s3": 1}, ["tau-b", "spearman"])
    >>> {name: round(value, 4) for name, value in found.mean().items()}
    {'tau-b': 0.3333, 'spearman': 0.5}
    >>> round(correlate([1, 2, 3, 4, 5], [2, 1, 2, 4, 5], "spearman").value, 4)
    0.8208
    """
    checked(missing)
    _checked(level, seed)
    asked = methods(method, p, k)
    if columns:
        _, [x, y] = inputs.Said({"columns": columns}).read((), (x, y))
    given = _given(names)
    scored = sources.numbers_are_scores(x, y, asked)
    first, second = (
        sources.source(one, name, scores=scored) for one, name in zip((x, y), given or ("", ""), strict=True)
    )
    called = given or _names((first, second))
    if isinstance(first, Run) and isinstance(second, Run):
        from rankworth.correlation.matching import Rows  # noqa: PLC0415 - brings Polars

        one, other = Rows.of_run(first), Rows.of_run(second)
        pairing, kinds = _of_runs(one, other, called, queries), one.kinds
    elif isinstance(first, Ranked) and isinstance(second, Ranked):
        pairing, kinds = _of_rankings(first, second, queries), IdKinds()
    else:
        is_run = [isinstance(one, Run) for one in (first, second)]
        what = [f"{name} is {'a run' if run else 'one ranking'}" for name, run in zip(called, is_run, strict=True)]
        raise InputError("input-type", " and ".join(what), remedy="give two runs, or two rankings")
    scores = (first.scores, second.scores) if isinstance(first, Ranked) and isinstance(second, Ranked) else None
    told = _told(asked, pairing, scores, called, missing, level, seed)
    return replace(told, queries=tuple(kinds.back("query", told.queries)))


def correlate_runs(
    runs: Mapping[str, object] | Sequence[object],
    method: str | Iterable[str] = DEFAULT,
    *,
    p: float = 0.9,
    k: int | None = None,
    missing: Missing = "refuse",
    queries: Iterable[object] | None = None,
    columns: Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Correlations:
    """How alike the rankings of several runs are, each with each: what `correlate` says of every two of them.

    Args:
        runs: runs by name, or files; two at least. Of two runs the earlier one is the reference, where a method has
            one.
        method: as for `correlate`.
        p: as for `correlate`.
        k: as for `correlate`.
        missing: as for `correlate`.
        queries: as for `correlate`.
        columns: as for `correlate`.
        level: as for `correlate`.
        seed: as for `correlate`.

    Raises:
        InputError: as `correlate`.
        UsageError: as `correlate`; `conflicting-options` where there are fewer than two runs.

    >>> runs = {"a": {"q": ["d1", "d2"]}, "b": {"q": ["d2", "d1"]}, "c": {"q": ["d2", "d3"]}}
    >>> {pair: one.mean()["overlap@1"] for pair, one in correlate_runs(runs, "overlap", k=1).items()}
    {('a', 'b'): 0.0, ('a', 'c'): 0.0, ('b', 'c'): 1.0}
    """
    if columns:
        several = list(runs.values()) if isinstance(runs, Mapping) else list(runs)
        _, read = inputs.Said({"columns": columns}).read((), several)
        runs = dict(zip(runs, read, strict=True)) if isinstance(runs, Mapping) else read
    named = inputs.runs(runs)
    if len(named) < 2:  # noqa: PLR2004 - a correlation takes two
        there = f"there is {next(iter(named))} only" if named else "there is none"
        raise UsageError("conflicting-options", f"a correlation takes two runs at least, and {there}")
    checked(missing)
    _checked(level, seed)
    asked = methods(method, p, k)
    wanted = None if queries is None else ids(queries)

    from rankworth.correlation.matching import Rows  # noqa: PLC0415 - brings Polars

    rows = {name: Rows.of_run(run) for name, run in named.items()}
    told = {}
    for pair in combinations(named, 2):
        pairing = _of_runs(rows[pair[0]], rows[pair[1]], pair, wanted)
        one = _told(asked, pairing, None, pair, missing, level, seed)
        told[pair] = replace(one, queries=tuple(rows[pair[0]].kinds.back("query", one.queries)))
    return Correlations(told)


def _checked(level: object, seed: object) -> None:
    """Refuse what no interval can be made of, whether or not there will be one.

    Raises:
        UsageError: `unknown-setting`.

    """
    if not isinstance(level, Real) or not 0 < float(level) < 1:
        raise UsageError("unknown-setting", f"level={level!r}: a level lies between 0 and 1")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError("unknown-setting", f"seed={seed!r}: seed is a whole number from 0")


def _given(names: Sequence[str] | None) -> tuple[str, str] | None:
    """The names that were said.

    Raises:
        UsageError: `run-names`.

    """
    if names is None:
        return None
    said = [] if isinstance(names, str) else list(names)
    if len(said) != 2 or said[0] == said[1] or not all(isinstance(one, str) and one for one in said):  # noqa: PLR2004 - two rankings
        raise UsageError("run-names", f"names={names!r}: two names, as in names=('bm25', 'dense')")
    return said[0], said[1]


def _names(found: Sequence[Run | Ranked]) -> tuple[str, str]:
    """What the two are called where nobody said it."""
    one, other = (each.name if isinstance(each, Run) else "" for each in found)
    return (one or "x", other or "y") if one != other else ("x", "y")


def _of_runs(first: "Rows", second: "Rows", names: Sequence[str], queries: Iterable[object] | None) -> Pairing:
    """The rankings of two runs.

    Raises:
        InputError: `unknown-query`, and as `evaluate`.

    """
    from rankworth.correlation.matching import of_rows  # noqa: PLC0415 - brings Polars

    wanted = None if queries is None else list(dict.fromkeys(ids(queries)))
    pairing = of_rows(first, second, wanted)
    nowhere = pairing.long == 0
    if wanted is not None and nowhere.any():
        absent = [query for query, none in zip(wanted, nowhere.tolist(), strict=True) if none]
        known = {*first.queries, *second.queries}
        if unknown := [query for query in absent if query not in known]:
            text = f"{quoted(unknown)}: neither {names[0]} nor {names[1]} has such a query"
            raise InputError("unknown-query", text, remedy="ids are compared to the letter")
    if not len(pairing):
        raise InputError("empty-input", f"neither {names[0]} nor {names[1]} has a query")
    return pairing


def _of_rankings(first: Ranked, second: Ranked, queries: object) -> Pairing:
    if queries is not None:
        raise UsageError("conflicting-options", "queries are those of runs, and these are single rankings")
    return sources.pairing(first, second)


def _found(
    one: Method, pairing: Pairing, missing: Missing, scores: tuple[Mapping[str, float] | None, ...] | None
) -> Found:
    """What a method says.

    Raises:
        InputError: `not-conjoint`, `input-type`.

    """
    if one.name != "pearson":
        return one.of(pairing, missing)
    x, y = scores or (None, None)
    if x is None or y is None:
        raise InputError(
            "input-type", "pearson is about scores, and these are rankings", remedy="spearman is about ranks"
        )
    if one.k is not None or missing == "last":
        raise UsageError("conflicting-options", "pearson is about all scores: k and missing='last' are about ranks")
    if missing == "refuse":
        one.of(pairing, missing)  # which refuses items that one of them does not have
    common = [item for item in x if item in y]
    pearson = COEFFICIENTS["pearson"]
    pair = np.array([x[item] for item in common]), np.array([y[item] for item in common])
    void = np.array([np.nan])
    value = np.array([pearson.function(*pair)])
    return Found(value, void, void, np.array([pearson.p(*pair) if pearson.p is not None else np.nan]))


def _told(
    asked: Sequence[Method],
    pairing: Pairing,
    scores: tuple[Mapping[str, float] | None, ...] | None,
    names: tuple[str, str],
    missing: Missing,
    level: float,
    seed: int,
) -> Correlation:
    """What all methods say of rankings side by side."""
    found = [_found(one, pairing, missing, scores) for one in asked]
    values = np.stack([one.values for one in found], axis=1)
    known = ~np.isnan(values)
    if len(pairing) > 1:
        sums, counts = np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0)
        means = np.divide(sums, counts, out=np.full(len(asked), np.nan), where=counts > 0)
        bounds = intervals(values, level=level, seed=seed)
        low, high = bounds.low, bounds.high
    else:
        means = values[0] if len(pairing) else np.full(len(asked), np.nan)
        low = high = np.full(len(asked), np.nan)
    cut = pairing.cut(asked[0].k)
    return Correlation(
        names=names,
        methods=tuple(asked),
        queries=pairing.queries,
        values=values,
        least=np.stack([one.low for one in found], axis=1),
        most=np.stack([one.high for one in found], axis=1),
        p_values=np.stack([one.p for one in found], axis=1),
        sizes=np.stack([cut.first.lengths, cut.second.lengths, cut.common], axis=1),
        means=means,
        low=low,
        high=high,
        level=level,
        seed=seed,
        missing=missing,
        tied=int(warned.tied_queries(cut).sum()),
        notes=tuple(warned.notes(asked, cut, values, names, missing)),
        warnings=tuple(warned.of(asked, cut, values, found, missing)),
    )

"""How alike two rankings are, or the rankings of runs for each query: RBO, overlaps and rank correlation."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from rankworth.arrays import Floats
from rankworth.correlation.methods import Method, Missing, methods, names_of
from rankworth.correlation.rankings_result import Correlation, Correlations
from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.validate import ids
from rankworth.io.validate import text as id_text
from rankworth.judging import inputs
from rankworth.model import Run
from rankworth.stats import intervals
from rankworth.stats.pairing import Pairing, repeated_document
from rankworth.stats.rank_correlation import COEFFICIENTS
from rankworth.stats.samples import check_sampling

if TYPE_CHECKING:
    from rankworth.correlation.matching import Rows

DEFAULT = ("rbo", "overlap", "jaccard")
"""the methods of `correlate_runs` by default"""
_RANKING: Final = "one ranking is a list of ids, best first, an array of scores, or {id: score}"


class Ranked(NamedTuple):
    """One ranking that belongs to no query."""

    groups: Sequence[Collection[str]]
    """documents that share a rank together, best first"""
    scores: Mapping[str, float] | None
    """what they are ranked by; None for a list"""


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

    Formulas and sources stand in `rankworth.stats.overlap` and `rankworth.stats.rank_correlation`.

    Args:
        x: a run, as for `evaluate`; or one ranking: a list of ids, best first, in which a list or a set of ids is a
            group of ties, or scores, higher first: `{id: score}`, or an array, whose items are told apart by place. A
            list of numbers holds scores for coefficients, as an array does, and ids for overlaps.
            For `tau-ap`, `tau-ap-a` and `weighted-tau-reference` this is the reference.
        y: the other run or ranking.
        method: one method or several.
        p: of `rbo` and `rba`, between 0 and 1: the chance that a reader goes on from one rank to the next.
        k: how many documents of each ranking to look at, and whatever is tied with the last of them.
        missing: for coefficients, what becomes of documents that one ranking does not have: `refuse`, `common` (they
            are left out), `last` (they stand behind all others, tied).
        names: what to call the two; the names of files by default, otherwise `x` and `y`.
        queries: the queries to look at; those of any of the two runs by default.
        columns: as for `evaluate`, of runs.
        level: of the intervals of means over queries (bootstrap).
        seed: of the samples behind them.

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
    _check(missing, level, seed)
    wanted = methods(method, p, k)
    if columns:
        _, [x, y] = inputs.InputOptions({"columns": columns}).read((), (x, y))
    scored = _numbers_are_scores(x, y, wanted)
    chosen = ("", "") if names is None else names_of(names, ("", ""), ("x", "y"))
    first, second = (_source(one, name, scores=scored) for one, name in zip((x, y), chosen, strict=True))
    named = names_of(names, [one.name if isinstance(one, Run) else "" for one in (first, second)], ("x", "y"))
    if isinstance(first, Run) and isinstance(second, Run):
        from rankworth.correlation.matching import Rows  # noqa: PLC0415 - brings Polars

        rows = Rows.of_run(first), Rows.of_run(second)
        return _of_runs(rows, queries, wanted, named, missing, level, seed)
    if isinstance(first, Ranked) and isinstance(second, Ranked):
        if queries is not None:
            raise UsageError("conflicting-options", "queries are those of runs, and these are single rankings")
        pairing = Pairing.of_lists(first.groups, second.groups)
        return _correlation(wanted, pairing, (first.scores, second.scores), named, missing, level, seed)
    kinds = ["a run" if isinstance(one, Run) else "one ranking" for one in (first, second)]
    what = " and ".join(f"{name} is {kind}" for name, kind in zip(named, kinds, strict=True))
    raise InputError("input-type", what, remedy="give two runs, or two rankings")


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
        _, read = inputs.InputOptions({"columns": columns}).read((), several)
        runs = dict(zip(runs, read, strict=True)) if isinstance(runs, Mapping) else read
    named, wanted = inputs.runs(runs), methods(method, p, k)
    if len(named) < 2:  # noqa: PLR2004 - a correlation takes two
        there = f"there is {next(iter(named))} only" if named else "there is none"
        text = f"a correlation takes two runs at least, and {there}"
        raise UsageError("conflicting-options", text, remedy="on the command line rankworth correlate RUN RUN...")
    _check(missing, level, seed)
    kept = None if queries is None else ids(queries)

    from rankworth.correlation.matching import Rows  # noqa: PLC0415 - brings Polars

    rows = {name: Rows.of_run(run) for name, run in named.items()}
    return Correlations(
        {
            (one, other): _of_runs((rows[one], rows[other]), kept, wanted, (one, other), missing, level, seed)
            for one, other in combinations(named, 2)
        }
    )


def _check(missing: str, level: object, seed: object) -> None:
    """Raise a UsageError (`unknown-setting`) for a value that a setting cannot have."""
    if missing not in get_args(Missing):
        words = " or ".join(map(repr, get_args(Missing)))
        raise UsageError("unknown-setting", f"missing={missing!r}: missing is {words}")
    check_sampling(level, seed)


def _of_runs(
    rows: "tuple[Rows, Rows]",
    queries: Iterable[object] | None,
    wanted: Sequence[Method],
    names: tuple[str, str],
    missing: Missing,
    level: float,
    seed: int,
) -> Correlation:
    """The values of all methods for the rankings of two runs.

    Raises:
        InputError: `unknown-query`, `empty-input`, and as `evaluate`.

    """
    from rankworth.correlation.matching import of_rows  # noqa: PLC0415 - brings Polars

    kept = None if queries is None else list(dict.fromkeys(ids(queries)))
    known = {*rows[0].queries, *rows[1].queries}
    if unknown := [query for query in kept or () if query not in known]:
        text = f"{quoted(unknown)}: neither {names[0]} nor {names[1]} has such a query"
        raise InputError("unknown-query", text, remedy="ids are compared to the letter")
    pairing = of_rows(*rows, kept)
    if not len(pairing):
        raise InputError("empty-input", f"neither {names[0]} nor {names[1]} has a query")
    result = _correlation(wanted, pairing, (None, None), names, missing, level, seed)
    return replace(result, queries=tuple(rows[0].kinds.back("query", result.queries)))


def _pearson(
    method: Method, pairing: Pairing, missing: Missing, x: Mapping[str, float] | None, y: Mapping[str, float] | None
) -> Floats:
    """`[4, 1]`: Pearson's r and its p value, which are of the scores themselves.

    Raises:
        InputError: `not-conjoint`, `input-type`.
        UsageError: `conflicting-options`.

    """
    if x is None or y is None:
        text = "pearson is about scores, and these are rankings"
        raise InputError("input-type", text, remedy="spearman is about ranks")
    if method.k is not None or missing == "last":
        raise UsageError("conflicting-options", "pearson is about all scores: k and missing='last' are about ranks")
    if missing == "refuse":
        method.of(pairing, missing)  # which refuses items that one of them does not have
    common = [item for item in x if item in y]
    pair = np.array([x[item] for item in common]), np.array([y[item] for item in common])
    pearson = COEFFICIENTS["pearson"]
    return np.array([[pearson.value(*pair)], [np.nan], [np.nan], [pearson.p(*pair)]])


def _correlation(
    wanted: Sequence[Method],
    pairing: Pairing,
    scores: tuple[Mapping[str, float] | None, Mapping[str, float] | None],
    names: tuple[str, str],
    missing: Missing,
    level: float,
    seed: int,
) -> Correlation:
    """The values of all methods for rankings side by side."""
    numbers = [
        _pearson(method, pairing, missing, *scores) if method.name == "pearson" else method.of(pairing, missing)
        for method in wanted
    ]
    values, least, most, p_values = np.stack(numbers, axis=2)
    known = ~np.isnan(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0)
    means = np.divide(sums, counts, out=np.full(len(wanted), np.nan), where=counts > 0)
    low = high = np.full(len(wanted), np.nan)
    if len(pairing) > 1:
        bounds = intervals(values, level=level, seed=seed)
        low, high = bounds.low, bounds.high
    cut = pairing.cut(wanted[0].k)
    return Correlation(
        names=names,
        methods=tuple(wanted),
        queries=pairing.queries,
        values=values,
        least=least,
        most=most,
        p_values=p_values,
        sizes=np.stack([cut.first.lengths, cut.second.lengths, cut.common], axis=1),
        means=means,
        low=low,
        high=high,
        level=level,
        seed=seed,
        missing=missing,
        tied=int(np.union1d(*(side.query[side.bottom != side.top] for side in (cut.first, cut.second))).size),
    )


def _numbers_are_scores(x: object, y: object, methods: Sequence[Method]) -> bool:
    """Whether lists of numbers hold scores, as for coefficients of correlation, or ids, as for overlaps.

    Raises:
        InputError: `input-type` where there are methods of both kinds.

    """
    lists = [one for one in (x, y) if isinstance(one, list | tuple)]
    if not lists or not all(one and all(map(_is_number, one)) for one in lists):
        return False
    scored, named = ([one.label for one in methods if one.correlates is kind] for kind in (True, False))
    if scored and named:
        what = f"a list of numbers holds scores for {', '.join(scored)} and ids for {', '.join(named)}"
        remedy = "one after the other; ids can also be texts, scores an array or {id: score}"
        raise InputError("input-type", what, remedy=remedy)
    return bool(scored)


def _source(given: Any, name: str, *, scores: bool) -> Run | Ranked:  # noqa: ANN401 - what users have
    """A run, or a ranking: a list of ids, in which a list or a set holds tied ones, or scores by id, higher first.

    Args:
        given: what users have.
        name: what tables call it.
        scores: whether a list of numbers holds scores, told apart by place.

    Raises:
        InputError: `input-type`, `bad-score`, `duplicate-document`, and as `evaluate`.

    """
    if isinstance(given, np.ndarray) and given.ndim == 1:
        scores, given = scores or given.dtype.kind in "fiu", given.tolist()
    if isinstance(given, list | tuple):
        if scores and all(map(_is_number, given)):
            return _scored((str(place), score) for place, score in enumerate(given))
        if all(_is_id(one) or _is_group(one) for one in given):
            groups = ([one] if _is_id(one) else one for one in given)
            texts = ([id_text(item, "documents") for item in group] for group in groups)
            return Ranked([sorted(group) for group in texts], None)  # the order within a set is not the same twice
    if isinstance(given, Mapping) and all(map(_is_number, given.values())):
        return _scored((id_text(item, "documents"), score) for item, score in given.items())
    try:
        return inputs.run(given, name)
    except InputError as error:
        if error.slug != "input-type":
            raise
        raise InputError(error.slug, *error.problems, remedy=f"{error.remedy}\n{_RANKING}".strip()) from None


def _scored(given: Iterable[tuple[str, Any]]) -> Ranked:
    groups: dict[float, list[str]] = {}
    scores: dict[str, float] = {}
    for item, score in given:
        if item in scores:
            raise repeated_document(item, "")
        try:
            scores[item] = float(score)
        except OverflowError:
            raise InputError("bad-score", f"the score of {item!r} is beyond what a float holds") from None
        if math.isnan(scores[item]):
            raise InputError("bad-score", f"the score of {item!r} is not a number", remedy="leave it out")
        groups.setdefault(scores[item], []).append(item)
    return Ranked([groups[score] for score in sorted(groups, reverse=True)], scores)


def _is_number(one: object) -> bool:
    return isinstance(one, Real | np.number) and not isinstance(one, bool | np.bool_)


def _is_id(one: object) -> bool:
    return isinstance(one, str | int | np.integer) and not isinstance(one, bool)


def _is_group(one: object) -> bool:
    return isinstance(one, list | tuple | set | frozenset) and bool(one) and all(map(_is_id, one))

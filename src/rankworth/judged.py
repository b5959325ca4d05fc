"""Judged rankings as measures see them: some queries as padded arrays of any library.

`Judged` knows neither where its rows came from nor the name of a measure.

Shapes: `Q` queries, `H` rows for the retrieved documents of the widest query, `P` for the judged documents of it, `S`
subtopics where judgements have some.
"""

import math
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from rankworth.catalogue import Catalogue

T = TypeVar("T")
Array = Any
"""An array of any library that follows the array API standard."""
IdealOf = Literal["judged", "retrieved", "listed"]
"""The documents that an ideal ranking holds."""


def namespace(array: Array) -> Any:  # noqa: ANN401 - an array namespace
    """Return the array library of an array, in the words of the array API standard."""
    get_namespace = getattr(array, "__array_namespace__", None)
    if get_namespace is not None:
        return get_namespace()
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        from array_api_compat import torch as words  # noqa: PLC0415 - a compiler can follow this, but no look-up

        return words
    from array_api_compat import array_namespace  # noqa: PLC0415 - for those that do not speak it themselves

    return array_namespace(array)


def constant(value: Any, like: Array) -> Array:  # noqa: ANN401 - a number, or numbers
    """Make an array of a number, or of a table of numbers, with the type and on the device of another array."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor) and like.is_cuda and not torch.compiler.is_compiling():
        return _sent(torch, value, like)
    return namespace(like).asarray(value, dtype=like.dtype, device=getattr(like, "device", None))


def _sent(torch: Any, value: Any, like: Array) -> Array:  # noqa: ANN401 - the library, and a number or numbers
    """Make a tensor on a GPU without waiting for it, as copies from memory that may be paged out do."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype=like.dtype, device=like.device)
    if isinstance(value, int | float):
        return torch.full((), value, dtype=like.dtype, device=like.device)
    return torch.tensor(value, dtype=like.dtype, pin_memory=True).to(like.device, non_blocking=True)


def added_up(array: Array) -> Array:
    """Return `[Q, H]`, the sums down to each place, added from the first to the last."""
    cumsum = getattr(array, "cumsum", None)  # the compiler of PyTorch follows it more quietly than the standard's word
    return namespace(array).cumulative_sum(array, axis=1) if cumsum is None else cumsum(1)


def counting(number: int, like: Array, dtype: Any = None) -> Array:  # noqa: ANN401 - of the array library
    """Return 0, 1, 2 ... as many as are asked for, where an array is; of its type unless another one is said."""
    device = getattr(like, "device", None)
    return namespace(like).arange(number, dtype=like.dtype if dtype is None else dtype, device=device)


def device_of(array: Array) -> Any:  # noqa: ANN401 - of the array library
    """Return the device of an array; None while JAX compiles and the device is open."""
    return getattr(array, "device", None)


def indexing(like: Array) -> Any:  # noqa: ANN401 - of the array library
    """Return the type of whole numbers for positions in an array; JAX has 64 bits only if told so."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor):
        return torch.int64
    return namespace(like).__array_namespace_info__().default_dtypes()["indexing"]


def widest(like: Array) -> Any:  # noqa: ANN401 - of the array library
    """Return the widest type of real numbers that the device of an array has."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor):
        return torch.float32 if like.device.type == "mps" else torch.float64
    kinds = namespace(like).__array_namespace_info__().dtypes(kind="real floating")
    return kinds.get("float64", kinds["float32"])


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """Some judged rankings as padded arrays; padding is never `is_judged`, has grade 0 and rank 1.

    All numbers are float64, so that any array library can divide them. Rows stand in rank order.
    """

    rank: Array
    """`[Q, H]`: from 1, ties broken by document id"""
    tie_first: Array
    """`[Q, H]`: the first rank of the row's group of equal scores; the rank itself where there is no tie"""
    tie_last: Array
    """`[Q, H]`: the last rank of that group"""
    grade: Array
    """`[Q, H]`: what the assessor gave; 0 where `is_judged` is false"""
    is_judged: Array
    """`[Q, H]`: the row is a judged document, within the cutoff"""
    retrieved: Array
    """`[Q, H]`: the row is a document, judged or not, within the cutoff"""
    n_retrieved: Array
    """`[Q]`: how many documents were retrieved, within the cutoff"""
    pool: Array
    """`[Q, P]`: the grades of all judged documents, retrieved or not, best first"""
    in_pool: Array
    """`[Q, P]`: false for padding"""
    cutoff: Array | float | None = None
    """what the ranking was cut at: a number, `[Q]` numbers, or None"""
    ties: Literal["broken", "expected", "last"] = "broken"
    """whether ranks count as they are (`broken`), position weights are averaged over a row's tie group (`expected`), or
    every document of a tie group stands at the last rank of the group, which is its `rank` then (`last`)"""
    uncut: "Judged | None" = None
    """the ranking before it was cut"""
    aspects: Array | None = None
    """`[Q, H, S]`: the grade for each subtopic, minus infinity where there is none; None without subtopics"""
    pool_aspects: Array | None = None
    """`[Q, P, S]`: the same of all judged documents, by descending id"""
    characters: Array | None = None
    """`[Q, H, 5]`: of each piece of a source the characters of the gold that no piece above has, all that none has,
    those in common with each gold span, all, and those of each gold span that none above has; None without gold"""
    gold_characters: Array | None = None
    """`[Q, 2]`: the characters of the gold spans, each once and for each span that has it"""
    row: Array | None = None
    """`[Q, H]`: which row of all there are this one is, -1 for padding; None where nobody is to see it"""
    elsewhere: Array | None = None
    """`[Q, H]`: somebody judged the document, for this query or another; None where nobody asked"""
    item: Array | None = None
    """`[Q, H]`: the number of the document in the catalogue, negative where it has none; None without catalogue"""
    user: Array | None = None
    """`[Q]`: the number of the query among the users of the catalogue, -1 where it is not there"""
    catalogue: "Catalogue | None" = None
    """what is known of items and users"""
    cost: Array | None = None
    """`[Q, H]`: what it costs to look at the document; None where nothing says so"""
    even: bool = False
    """whether row `i` of every query has the rank `i + 1`, padding too, which then never has to be looked up"""
    asks: bool = True
    """whether code may ask what is in the arrays, to save work: an accelerator would have to be waited for"""
    remembered: dict[Hashable, Any] | None = None
    """what was computed of the pool alone, which other rankings have, too; None where nothing is kept"""

    def __repr__(self) -> str:
        """Say how many rankings there are, of how many rows."""
        return f"Judged({self.rank.shape[0]:,} rankings, {self.rank.shape[1]:,} rows)"

    @property  # kept nowhere: the compiler of PyTorch follows no lock of a cached property
    def xp(self) -> Any:  # noqa: ANN401 - an array namespace
        """The array library that holds the arrays."""
        get_namespace = getattr(self.rank, "__array_namespace__", None)
        return namespace(self.rank) if get_namespace is None else get_namespace()

    @property
    def whole(self) -> "Judged":
        """The ranking before it was cut."""
        return self.uncut or self

    @property
    def depth(self) -> Array:
        """`[Q]` or a number: the cutoff, or how many documents were retrieved where there is none."""
        return self.n_retrieved if self.cutoff is None else self.cutoff

    def of_pool(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return arrays computed from the pool alone, once for all rankings judged by it.

        Args:
            key: tells it from all else that is computed.
            compute: computes it.

        """
        if self.remembered is None:
            return compute()
        if key not in self.remembered:
            self.remembered[key] = compute()
        value: T = self.remembered[key]
        return value

    def n_judged(self) -> Array:
        """Return `[Q]`, how many documents are judged, retrieved or not."""
        return self._number(lambda grades: grades > -math.inf)

    def n_relevant(self, rel: float) -> Array:
        """Return `[Q]`, how many documents are judged with grade `rel` or better, retrieved or not."""
        return self.of_pool(("n_relevant", rel), lambda: self._number(lambda grades: grades >= rel))

    def n_above(self, grade: float) -> Array:
        """Return `[Q]`, how many documents are judged with more than a grade, retrieved or not."""
        return self._number(lambda grades: grades > grade)

    def n_nonrelevant(self, rel: float) -> Array:
        """Return `[Q]`, how many documents are judged with a grade from 0 to below `rel`, retrieved or not."""
        return self._number(lambda grades: (grades >= 0) & (grades < rel))

    def _number(self, condition: Callable[[Any], Any]) -> Array:
        """Return `[Q]`, how many judged documents have a grade that meets a condition, retrieved or not."""
        return self._count(self.in_pool & condition(self.pool))

    @cached_property
    def by_subtopic(self) -> Array:
        """`[Q, H, S]`: the grade for each subtopic, minus infinity where there is none; grades without are of one."""
        grades = self.grade[:, :, None] if self.aspects is None else self.aspects
        return self.xp.where(self.is_judged[:, :, None], grades, constant(-math.inf, grades))

    @cached_property
    def pool_by_subtopic(self) -> Array:
        """`[Q, P, S]`: the same of all judged documents, retrieved or not."""
        grades = self.pool[:, :, None] if self.pool_aspects is None else self.pool_aspects
        return self.xp.where(self.in_pool[:, :, None], grades, constant(-math.inf, grades))

    def cut(self, k: Array) -> "Judged":
        """Cut the ranking at `k`: shorter, with the pool as before.

        Args:
            k: a whole number, or `[Q]` numbers, one for each query.

        """
        xp = self.xp
        bound: Array = k[:, None] if hasattr(k, "shape") else k
        first = self.tie_first if self.ties == "expected" else self.rank
        inside = first <= bound
        shortens = isinstance(k, int) and self.ties == "broken" and k < self.rank.shape[1]
        # where two rows share a rank, it may end elsewhere
        if shortens and (self.even or not bool(xp.any(self.retrieved[:, k] & inside[:, k]))):
            shortened = {name: getattr(self, name)[:, :k] for name in ("rank", "tie_first", "tie_last", "grade")}
            for name in ("aspects", "characters", "elsewhere", "row", "item", "cost"):
                whole = getattr(self, name)
                shortened[name] = None if whole is None else whole[:, :k, ...]
            is_judged, retrieved, inside = self.is_judged[:, :k], self.retrieved[:, :k], inside[:, :k]
        else:
            shortened, is_judged, retrieved = {}, self.is_judged, self.retrieved
        limit = constant(k, self.rank)
        return replace(
            self,
            **shortened,
            is_judged=is_judged & inside,
            retrieved=retrieved & inside,
            n_retrieved=xp.minimum(self.n_retrieved, limit),
            cutoff=k if self.cutoff is None else xp.minimum(constant(self.cutoff, self.rank), limit),
            uncut=self.uncut or self,
        )

    @cached_property
    def condensed(self) -> "Judged":
        """The ranking without the documents that nobody judged, negative grades among them; ranks are counted anew."""
        xp = self.xp
        is_counted = self.is_judged & (self.grade >= 0)
        queries, height = is_counted.shape
        if not queries or not height:
            return replace(self, n_retrieved=xp.zeros_like(self.n_retrieved))
        order = xp.argsort(xp.astype(~is_counted, indexing(is_counted)), axis=1, stable=True)
        grade, group = (xp.take_along_axis(array, order, axis=1) for array in (self.grade, self.tie_first))
        is_counted = xp.take_along_axis(is_counted, order, axis=1)
        ones = xp.ones_like(self.rank)
        first, last = spans(group, is_counted)
        rank = last if self.ties == "last" else xp.cumulative_sum(ones, axis=1)
        return replace(
            self,
            rank=rank if self.even else xp.where(is_counted, rank, ones),
            tie_first=xp.where(is_counted, first, ones),
            tie_last=xp.where(is_counted, last, ones),
            grade=xp.where(is_counted, grade, xp.zeros_like(grade)),
            aspects=None if self.aspects is None else xp.take_along_axis(self.aspects, order[:, :, None], axis=1),
            is_judged=is_counted,
            retrieved=is_counted,
            n_retrieved=self._count(is_counted),
            uncut=None,
            elsewhere=None,
            characters=None
            if self.characters is None
            else xp.take_along_axis(self.characters, order[:, :, None], axis=1),
            row=None if self.row is None else xp.take_along_axis(self.row, order, axis=1),
            item=None if self.item is None else xp.take_along_axis(self.item, order, axis=1),
            cost=None if self.cost is None else xp.take_along_axis(self.cost, order, axis=1),
        )

    def ideal(self, gain: Callable[["Judged"], Array], *, of: IdealOf = "judged", cut: bool = True) -> "Judged":
        """Order the documents ideally, by their gain, under the same cutoff.

        Args:
            gain: gives each row of a ranking its gain.
            of: all judged documents (`judged`); the judged ones among those that were retrieved before the cut
                (`retrieved`); or all of these, also those that nobody judged, which must have rows then (`listed`).
            cut: whether it ends at the cutoff.

        """
        xp = self.xp
        best = self._uncut_as_they_come(of)
        worth = xp.where(best.is_judged, gain(best), -xp.inf)
        if not best.asks or not _descending(xp, worth):
            best = best.arranged(xp.argsort(-worth, axis=1, stable=True))
        return best.cut(self.cutoff) if cut and self.cutoff is not None else best

    def ideal_by(self, choose: Callable[["Judged"], Array]) -> "Judged":
        """Arrange all judged documents in an order that is chosen, under the same cutoff.

        Args:
            choose: gives the places of the documents, best first: `[Q, T]`, of as many as matter.

        """
        whole = self._uncut_as_they_come("judged")
        best = whole.arranged(choose(whole))
        return best if self.cutoff is None else best.cut(self.cutoff)

    def arranged(self, order: Array) -> "Judged":
        """Arrange the documents by some places, `[Q, T]`, in that order; ranks and counts stay."""
        xp = self.xp
        grade, is_judged = (xp.take_along_axis(array, order, axis=1) for array in (self.grade, self.is_judged))
        columns = {name: getattr(self, name)[:, : order.shape[1]] for name in ("rank", "tie_first", "tie_last")}
        return replace(
            self,
            **columns,
            grade=grade,
            is_judged=is_judged,
            retrieved=is_judged,
            aspects=None if self.aspects is None else xp.take_along_axis(self.aspects, order[:, :, None], axis=1),
            characters=None,
            row=None,
            item=None,
        )

    def _uncut_as_they_come(self, of: IdealOf) -> "Judged":
        """Return all documents as a ranking of their own, before any cut."""
        xp = self.xp
        whole = self.whole if of != "judged" else self.uncut or self
        if of != "judged":
            is_judged = whole.is_judged if of == "retrieved" else whole.retrieved
            grade, aspects = whole.grade, whole.aspects
        else:
            grade, is_judged, aspects = self.pool, self.in_pool, self.pool_aspects
            if aspects is not None and grade.shape[1]:  # the pool stands in another order
                grade = xp.where(is_judged, xp.max(self.pool_by_subtopic, axis=2), xp.zeros_like(grade))
        rank = xp.broadcast_to(1 + counting(grade.shape[1], grade), grade.shape)
        return replace(
            whole,
            rank=rank,
            tie_first=rank,
            tie_last=rank,
            grade=grade,
            is_judged=is_judged,
            retrieved=is_judged,
            n_retrieved=self._count(is_judged),
            ties="broken",
            aspects=aspects,
            elsewhere=None,
            characters=None,
            row=None,
            item=None,
            even=True,
        )

    def _count(self, mask: Array) -> Array:
        return self.xp.sum(self.xp.astype(mask, self.rank.dtype), axis=1)


def _descending(xp: Any, rows: Array) -> bool:  # noqa: ANN401 - an array namespace
    return rows.shape[1] < 2 or not bool(xp.any(rows[:, 1:] > rows[:, :-1]))  # noqa: PLR2004


def spans(group: Array, is_counted: Array) -> tuple[Array, Array]:
    """Return the first and the last place, from 1, of each row's neighbours with the same group, `[Q, H]` each.

    Args:
        group: `[Q, H]`, at least one row.
        is_counted: `[Q, H]`, which rows count; all others come behind them.

    """
    xp = namespace(group)
    queries, height = group.shape
    begins = xp.concat([xp.ones_like(is_counted[:, :1]), group[:, 1:] != group[:, :-1]], axis=1)
    number = xp.cumulative_sum(xp.astype(begins, indexing(group)), axis=1)
    number = xp.where(is_counted, number, constant(height + 1, number))
    start = xp.reshape(counting(queries, number), (-1, 1))
    key = xp.reshape(number + start * (height + 2), (-1,))  # grows from the first row to the last
    first, last = (
        xp.astype(xp.reshape(xp.searchsorted(key, key, side=side), group.shape) - start * height, group.dtype)
        for side in ("left", "right")
    )
    return first + 1, last

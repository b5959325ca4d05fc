"""What users have as two rankings, or as two runs, becomes pairs of rankings whose documents are matched."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankworth.arrays import Floats, Integers, expand
from rankworth.correlation.methods import Method
from rankworth.errors import InputError
from rankworth.io.facts import Observed
from rankworth.io.validate import IdKinds, is_id
from rankworth.io.validate import text as id_text
from rankworth.judging.order import Contradictions
from rankworth.model import Run
from rankworth.scoring import inputs
from rankworth.stats.pairing import Pairing, Ranks, Side, groups_of, repeated_document

if TYPE_CHECKING:
    import polars as pl

_RANKING: Final = "one ranking is a list of ids, best first, an array of scores, or {id: score}"


class Ranked(NamedTuple):
    """One ranking that belongs to no query."""

    groups: Sequence[Collection[str]]
    """documents that share a rank together, best first"""
    scores: Mapping[str, float] | None
    """what they are ranked by; None for a list"""


def numbers_are_scores(x: object, y: object, methods: Sequence[Method]) -> bool:
    """Return whether lists of numbers hold scores, as for coefficients of correlation, or ids, as for overlaps.

    Raises:
        InputError: `input-type` where there are methods of both kinds.

    """
    lists = [ranking for ranking in (x, y) if isinstance(ranking, list | tuple)]
    if not lists or not all(ranking and all(map(_is_number, ranking)) for ranking in lists):
        return False
    scored, named = ([each.label for each in methods if each.correlates is kind] for kind in (True, False))
    if scored and named:
        text = f"a list of numbers holds scores for {', '.join(scored)} and ids for {', '.join(named)}"
        remedy = "one after the other; ids can also be texts, scores an array or {id: score}"
        raise InputError("input-type", text, remedy=remedy)
    return bool(scored)


def read(source: Any, name: str, *, scores: bool) -> Run | Ranked:  # noqa: ANN401 - what users have
    """Read a run, or a ranking: a list of ids, in which a list or a set holds tied ones, or scores by id, higher first.

    Args:
        source: what users have.
        name: what messages call it.
        scores: whether a list of numbers holds scores, told apart by place.

    Raises:
        InputError: `input-type`, `bad-score`, `duplicate-document`, and as `evaluate`.

    """
    if isinstance(source, np.ndarray) and source.ndim == 1:
        scores, source = scores or source.dtype.kind in "fiu", source.tolist()
    if isinstance(source, list | tuple):
        if scores and all(map(_is_number, source)):
            return _scored(enumerate(source))
        if all(is_id(item) or _is_group(item) for item in source):
            groups = ([item] if is_id(item) else item for item in source)
            # the order within a set is not the same twice
            return Ranked([sorted(id_text(item, "documents") for item in group) for group in groups], None)
    if isinstance(source, Mapping) and all(map(_is_number, source.values())):
        return _scored(source.items())
    try:
        return inputs.run(source, name)
    except InputError as error:
        if error.slug != "input-type":
            raise
        raise error.with_remedy(f"{error.remedy}\n{_RANKING}".strip()) from None


def _scored(items: Iterable[tuple[Any, Any]]) -> Ranked:
    """Rank items by their scores; equal ones are tied.

    Raises:
        InputError: `bad-score`, `duplicate-document`, `id-type`.

    """
    scores: dict[str, float] = {}
    for item, score in items:
        document = id_text(item, "documents")
        if document in scores:
            raise repeated_document(document, "")
        try:
            scores[document] = float(score)
        except OverflowError:
            scores[document] = math.nan
        if math.isnan(scores[document]):
            text = f"the score of {document!r} is not a number, or beyond what a float holds"
            raise InputError("bad-score", text, remedy="leave it out")
    groups: dict[float, list[str]] = {}
    for document, score in scores.items():
        groups.setdefault(score, []).append(document)
    return Ranked([groups[score] for score in sorted(groups, reverse=True)], scores)


def _is_number(item: object) -> bool:
    return isinstance(item, Real) and not isinstance(item, bool)


def _is_group(item: object) -> bool:
    return isinstance(item, list | tuple | set | frozenset) and bool(item) and all(map(is_id, item))


@dataclass(frozen=True)
class RankedRows:
    """The rows of a run, those of each query together, best first."""

    names: Sequence[str]
    """`[S]`: ids of the queries"""
    starts: Integers
    """`[S + 1]`: where the rows of each query begin"""
    documents: "pl.Series"
    """`[N]`: ids"""
    scores: Floats
    """`[N]`"""
    empty: Collection[str] = ()
    """queries without a document"""
    kinds: IdKinds = field(default_factory=IdKinds)
    """whether ids came as integers"""

    @classmethod
    def of_run(cls, run: Run) -> "RankedRows":
        """Read the rows of a run; a list is a ranking without ties.

        Raises:
            InputError: `ambiguous-order`, and what reading finds.

        """
        import polars as pl  # noqa: PLC0415 - not needed to correlate two lists

        run.facts.refuse_sets("a correlation")
        frame = run.frame
        if frame is None:
            frame = pl.concat([batch.select("query", "document", "score") for batch in run.batches()])
        observed = Observed()
        observed.note_frame(frame)
        kinds = observed.kinds
        query, documents = (frame[name].cast(pl.String) for name in ("query", "document"))
        scores = frame["score"].cast(pl.Float64).to_numpy()
        names = query.unique(maintain_order=True)
        number = query.cast(pl.Enum(names)).to_physical().to_numpy()  # [N]: the query of each row
        # [N - 1]: whether the next row does not stand higher
        falls = scores[1:] <= scores[:-1] if run.lists is None else np.ones(max(scores.size - 1, 0), dtype=np.bool_)
        if not ((number[1:] > number[:-1]) | ((number[1:] == number[:-1]) & falls)).all():
            order = np.lexsort((-scores, number) if run.lists is None else (number,))
            number, documents, scores = number[order], documents.gather(order), scores[order]
        if run.ids is not None:  # of rows of one document the best one counts
            pairs = pl.DataFrame({"query": number, "document": documents})
            best = np.flatnonzero(pairs.select(pl.struct("query", "document").is_first_distinct()).to_series())
            number, documents, scores = number[best], documents.gather(best), scores[best]
        starts = np.searchsorted(number, np.arange(len(names) + 1))  # [S + 1]
        if run.lists is not None:
            contradictions = Contradictions()
            contradictions.look(names.to_list(), starts[:-1], scores, lambda row: documents[row])
            if not run.lists.is_order and (error := contradictions.error(run.name, run.lists, ways=False)) is not None:
                raise error
            scores = np.arange(scores.size, 0, -1, dtype=np.float64)
        id_kinds = kinds if kinds.integers("query") else getattr(run, "kinds", kinds)  # which relations do not have
        return cls(names.to_list(), starts, documents, scores, run.empty, id_kinds)

    @property
    def queries(self) -> list[str]:
        """The ids of all queries, those without a document last."""
        return [*self.names, *self.empty]

    def only(self, queries: Sequence[str]) -> "RankedRows":
        """Select the rows of the given queries, in their order; none for a query that is not there."""
        numbers = {name: number for number, name in enumerate(self.names)}
        # [S]: which query of the run each is, -1 where it is not there
        positions = np.array([numbers.get(query, -1) for query in queries], dtype=np.int64)
        lengths = np.where(positions < 0, 0, np.diff(self.starts, append=0)[positions])  # [S]: how many rows each has
        starts = np.concatenate(([0], np.cumsum(lengths)))
        if np.array_equal(positions[positions >= 0], np.arange(len(self.names))):
            return RankedRows(queries, starts, self.documents, self.scores)
        rows = expand(self.starts[positions], lengths)  # [N']: the rows of these queries
        return RankedRows(queries, starts, self.documents.gather(rows), self.scores[rows])

    @property
    def query(self) -> Integers:
        """`[N]`: the number of the query of each row."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.starts))


def of_rows(first: RankedRows, second: RankedRows, queries: Sequence[str] | None = None) -> Pairing:
    """Match the rankings of two runs, whose rows were read before; documents with equal scores are tied.

    Args:
        first: what one system returned.
        second: what the other one returned.
        queries: which, in which order; where not said, those of the first run, and after them what else the second one
            has. A query that a run does not have, or for which it has no documents, has an empty ranking.

    Raises:
        InputError: `duplicate-document`.

    >>> runs = Run({"q1": {"a": 2, "b": 1}}), Run({"q1": {"b": 5}, "q2": {"c": 1}})
    >>> pair = of_rows(*map(RankedRows.of_run, runs))
    >>> pair.queries, pair.first.match
    (('q1', 'q2'), array([-1,  0], dtype=int32))
    """
    names = list(dict.fromkeys((*first.queries, *second.queries))) if queries is None else queries
    sides = first.only(names), second.only(names)
    rows = _same_documents(*sides)
    kind: type[np.integer[Any]] = np.int32 if max(side.scores.size for side in sides) < 1 << 31 else np.int64
    made = []
    for side, matched, partners in zip(sides, rows, rows[::-1], strict=True):
        match: Ranks = np.full(side.scores.size, -1, dtype=kind)
        match[matched] = partners
        made.append(Side(side.starts, *groups_of(side.scores, side.starts, kind), match))
    return Pairing(tuple(names), *made)


def _same_documents(first: RankedRows, second: RankedRows) -> tuple[Integers, Integers]:
    """Find the rows of documents that both sides have for a query; keys need less memory than joined texts.

    Raises:
        InputError: `duplicate-document`.

    """
    from rankworth.judging.polars import has_repeated, pair_keys  # noqa: PLC0415 - not needed to correlate two lists

    for seed in count():  # another one, where two documents have one key
        keys = tuple(pair_keys(side.documents, side.query, seed) for side in (first, second))
        if any(map(has_repeated, keys)):
            _refuse_repeated(first, second)
            continue
        # [C] each: the rows of equal keys on both sides
        _, row, other = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
        if (first.documents.gather(row) == second.documents.gather(other)).all():
            break
    return row, other


def _refuse_repeated(*sides: RankedRows) -> None:
    """Refuse documents that a query ranks twice.

    Raises:
        InputError: `duplicate-document`.

    """
    import polars as pl  # noqa: PLC0415 - not needed to correlate two lists

    for side in sides:
        pairs = pl.DataFrame({"query": side.query, "document": side.documents})
        twice = pairs.filter(pairs.is_duplicated())
        if twice.height:
            raise repeated_document(twice["document"][0], side.names[twice["query"][0]])

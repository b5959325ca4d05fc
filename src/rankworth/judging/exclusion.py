"""What is left out of run and judgements before anything is ranked or counted: pairs of a query and a document."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth.arrays import Integers, expand
from rankworth.errors import InputError, UsageError
from rankworth.io.id_rules import IdRule
from rankworth.io.usual_names import NONE
from rankworth.model import Qrels, Run
from rankworth.tables.frames import taken

if TYPE_CHECKING:
    import polars as pl

SELF: Final = "self"


@dataclass(frozen=True, repr=False)
class Exclusion:
    """Pairs that do not count; exclusions with the same label are equal.

    Attributes:
        label: `self`, or the number of pairs and the first digits of a SHA-256 over them, as the signature says.
        pairs: the pairs, as judgements whose grades mean nothing; None where the label says it all.

    """

    label: str
    pairs: Qrels | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """Return the label."""
        return self.label

    @classmethod
    def of(cls, source: object, columns: Mapping[str, str] = NONE, ids: IdRule | None = None) -> "Exclusion":
        """Read pairs.

        Args:
            source: `"self"` for documents whose id is that of their query; a path, a dict `{query: [documents]}`, a
                frame with columns `query, document`, pairs; a `Qrels` or a `Run`.
            columns: which column of a table holds the queries and the documents, where their names do not tell.
            ids: how documents are renamed.

        Raises:
            InputError: where they cannot be read.

        """
        if isinstance(source, Exclusion):
            return source
        if isinstance(source, str) and source == SELF:
            return cls(SELF)
        pairs = source if isinstance(source, Qrels) and ids is None else _pairs(source, columns, ids)
        exclusion: Exclusion = pairs.__dict__.get("_exclusion") or cls(_label(pairs), pairs)
        pairs.__dict__["_exclusion"] = exclusion  # found once for each `Qrels`
        return exclusion

    @property
    def bare(self) -> "Exclusion":
        """A copy without the pairs, for signatures."""
        return Exclusion(self.label)

    def documents_of(self, query: str) -> Collection[str]:
        """Return the documents that do not count for a query."""
        if self.label == SELF:
            return (query,)
        query_index = self._numbers.get(query)
        return () if query_index is None else self.required_pairs.documents_of(query_index)

    def of_queries(self, queries: Sequence[str]) -> "tuple[Integers, pl.Series]":
        """Collect the pairs of the given queries.

        Returns:
            The place of each pair's query in the list, and its document.

        """
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        if self.label == SELF:
            return np.arange(len(queries)), pl.Series("document", list(queries), dtype=pl.String)
        pairs = [
            (number, index) for number, query in enumerate(queries) if (index := self._numbers.get(query, -1)) >= 0
        ]
        # [E] each: a query with pairs, by its number in the list and among the pairs
        numbers, positions = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        lengths = self.required_pairs.lengths[positions]
        rows = expand(self.required_pairs.offsets[positions], lengths)  # [P]: all pairs of these queries
        return np.repeat(numbers, lengths), taken(self.required_pairs.document_series, rows)

    def out_of(self, qrels: Qrels, *, may_be_all: bool = False) -> Qrels:
        """Return the judgements without the excluded documents; a query keeps its row even without judgements.

        Args:
            qrels: the judgements.
            may_be_all: whether it is no error that none is left.

        Raises:
            InputError: `empty-input`.

        """
        out = np.zeros(qrels.grades.size, dtype=bool)  # [M]: whether the judgement is excluded
        for query_index, (query, start) in enumerate(zip(qrels.queries, qrels.offsets.tolist(), strict=False)):
            if excluded := frozenset(self.documents_of(query)):
                judged = qrels.documents_of(query_index)
                out[start : start + len(judged)] = [document in excluded for document in judged]
        if out.size and out.all() and not may_be_all:
            raise nothing_left(self, "judgement")
        return qrels.without(out) if out.any() else qrels

    @property
    def required_pairs(self) -> Qrels:
        """The pairs.

        Raises:
            UsageError: `unknown-setting`, where only their label is known.

        """
        if self.pairs is None:
            raise UsageError(
                "unknown-setting",
                f"exclude:{self.label} tells which pairs were left out, not what they are",
                remedy="give exclude= again",
            )
        return self.pairs

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: query_index for query_index, query in enumerate(self.required_pairs.queries)}


def nothing_left(exclude: object, noun: str) -> InputError:
    """Return the error for pairs that exclude everything.

    Args:
        exclude: the pairs, or their label.
        noun: what there is none of.

    """
    remedy = "are these the pairs that were meant? They are taken out of the run and the judgements"
    return InputError("empty-input", f"exclude:{exclude} leaves no {noun}", remedy=remedy)


def _pairs(source: object, columns: Mapping[str, str], ids: IdRule | None) -> Qrels:
    from rankworth.io import excluded_pairs  # noqa: PLC0415 - rarely needed

    pairs: Any = excluded_pairs.read(as_pairs(source), columns)
    if not isinstance(pairs, Mapping) and "times" in pairs.columns:
        pairs = pairs.drop("times")
    return Qrels(pairs, duplicate_judgements="first", ids=ids)


def as_pairs(source: object) -> object:
    """Return a run or judgements as a frame or dicts of pairs; anything else as it is."""
    if isinstance(source, Qrels):
        return source.to_frame()
    if isinstance(source, Run):
        if source.mapping is None:
            import polars as pl  # noqa: PLC0415 - not needed for dicts

            source = pl.concat([frame.select("query", "document") for frame in source.batches()])
        else:
            source = source.mapping
    return source


def _label(pairs: Qrels) -> str:
    """Return the number of pairs, and a digest of their lines `query TAB document` in the order of their bytes."""
    digest = hashlib.sha256()
    for query_index, query in enumerate(pairs.queries):
        lines = [f"{query}\t{document}\n" for document in sorted(pairs.documents_of(query_index))]
        digest.update("".join(lines).encode("utf-8", "surrogatepass"))
    return f"{pairs.grades.size}-{digest.hexdigest()[:8]}"

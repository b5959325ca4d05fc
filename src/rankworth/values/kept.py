"""What is kept of values in a results file."""

import math
import os
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankworth.measures.facts import RUNID
from rankworth.model import Qrels
from rankworth.values.groups import behind

if TYPE_CHECKING:
    from rankworth.results import Result
    from rankworth.values.runs import RunValues, Values


class Kept(ABC):
    """Values that a results file can keep."""

    @abstractmethod
    def kept(self, *, digest: bool = True) -> "list[Result]":
        """What a results file keeps of each run.

        Args:
            digest: whether the judgements are to be recognised later, which costs a look at each of them.

        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a results file, with the values of each query, which `rankworth.load` reads again.

        The file is the same, byte for byte, whenever the same is evaluated.

        Args:
            path: the file: `.json` has a line for each query, as git likes it; `.parquet` is small.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`; `not-comparable`, where runs were not evaluated together.

        """
        from rankworth import results  # noqa: PLC0415 - not needed for values

        results.save(self.kept(), path)


def of_runs(table: "RunValues", *, digest: bool = True) -> "list[Result]":
    """What is kept of several runs, under the names that they have beside each other."""
    return [replace(of_run(values, digest=digest), run=name) for name, values in table.items()]


def of_run(values: "Values", *, digest: bool = True) -> "Result":
    """What is kept of one run."""
    from rankworth.results import Column, Result  # noqa: PLC0415 - not needed for values

    per_query, judgements = values.per_query, values.judgements
    signatures, means = values.signatures, values.mean()
    columns = [
        Column(
            label=label,
            measure=str(asked.quantity),
            signature=signatures[label],
            values=per_query.array[:, place],
            there=None if per_query.there is None else per_query.there[:, place],
            kind=per_query.kinds[label],
            mean=means[label],
        )
        for place, (label, asked) in enumerate(zip(per_query.measures, behind(values).plan, strict=True))
    ]
    texts = {} if values.by is None else {"group": per_query.groups}
    groups = {name: _group(part) for name, part in values.slices.items()}
    return Result(
        run=values.run,
        queries=tuple(per_query.ids),
        columns=tuple(columns),
        profile=values.profile.name,
        signature=values.signature,
        counts=values.counts.numbers,
        named=values.counts.queries,
        judgements=(judgements.digest if isinstance(judgements, Qrels) else judgements) if digest else None,
        notices=tuple((notice.slug, notice.text) for notice in values.notices),
        texts={label: tuple(column) for label, column in (texts | per_query.texts).items()},
        by="" if values.by is None else values.by.name,
        groups=groups,
        tag=values.tag if RUNID in values.asked else None,
    )


def _group(values: "Values") -> dict[str, Any]:
    """What is kept of a group."""
    mean = {label: value if math.isfinite(value) else None for label, value in sorted(values.mean().items())}
    return {"queries": values.counts.scored, "signature": values.signature, "mean": mean}

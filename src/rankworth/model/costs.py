"""What it costs to look at the documents of a run: tokens, bytes or milliseconds, by query and document."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankworth.arrays import Floats
from rankworth.errors import InputError, shortened


@dataclass(frozen=True)
class Costs:
    """What documents cost.

    Attributes:
        unit: what is counted: tokens, bytes or milliseconds; empty where nobody says.
        by_pair: by query and document.
        by_document: by document, whatever the query.
        called: what messages call the run.

    """

    unit: str
    by_pair: Mapping[tuple[str, str], float]
    by_document: Mapping[str, float]
    called: str

    @classmethod
    def of_mapping(cls, costs: Mapping[Any, Any], unit: str, called: str) -> "Costs":
        """Read `{document: cost}`, or `{query: {document: cost}}`.

        Raises:
            InputError: `bad-cost`.

        """
        pairs: dict[tuple[str, str], float] = {}
        documents: dict[str, float] = {}
        for key, value in costs.items():
            if isinstance(value, Mapping):
                pairs |= {(str(key), str(document)): checked(cost, document) for document, cost in value.items()}
            else:
                documents[str(key)] = checked(value, key)
        return cls(unit, pairs, documents, called)

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[str, str, float, str]], unit: str, called: str) -> "Costs":
        """Take rows of query, document, cost and where they stand.

        Raises:
            InputError: `bad-cost`, also where a document of a query has two costs.

        """
        pairs: dict[tuple[str, str], float] = {}
        for query, document, cost, where in rows:
            checked(cost, document, where)
            if pairs.setdefault((query, document), cost) != cost:
                text = f"{where}{shortened(document)} of query {shortened(query)} has two costs, "
                text += f"{pairs[query, document]:g} and {cost:g}"
                raise InputError("bad-cost", text, remedy="keep one row of each document, or give costs by document")
        return cls(unit, pairs, {}, called)

    def of(self, queries: Sequence[str], documents: Sequence[Any]) -> Floats:
        """Return `[N]`, what each document of a query costs.

        Raises:
            InputError: `bad-cost`, where one has no cost.

        """
        found = np.empty(len(documents))
        for number, (query, document) in enumerate(zip(queries, map(str, documents), strict=True)):
            cost = self.by_pair.get((query, document))
            cost = self.by_document.get(document) if cost is None else cost
            if cost is None:
                text = (
                    f"{self.called}: nothing says what document {shortened(document)} of query {shortened(query)} costs"
                )
                raise InputError("bad-cost", text, remedy="give each retrieved document a cost, 0 where it has none")
            found[number] = cost
        return found


def checked(cost: Any, document: Any, where: str = "") -> float:  # noqa: ANN401 - whatever stands there
    """Return a cost.

    Raises:
        InputError: `bad-cost`, where it is no finite number from 0.

    """
    is_number = isinstance(cost, int | float | np.number) and not isinstance(cost, bool)
    if not is_number or not math.isfinite(cost) or cost < 0:
        shown = f"{cost:g}" if is_number else repr(cost)
        text = f"{where}the cost of {shortened(str(document))} is {shown}; a cost is a finite number from 0"
        raise InputError("bad-cost", text, remedy="correct it, or leave the row out of the run")
    return float(cost)

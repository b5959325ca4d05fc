"""What is counted, not measured: how many documents were retrieved or are relevant, and the first grades as text.

Facts have no terms. Numbers are added over the queries, texts belong to one query each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from rankworth.judged import Array, Judged
from rankworth.measures.building_blocks import nonrelevant, relevant, total
from rankworth.measures.core import CATALOGUE, ITEM_MEASURES, Averaging, Definition, Layout, Measure, Named
from rankworth.measures.parameters import Within, read


@dataclass(frozen=True, repr=False)
class Fact(Named):
    """A count for each query, with its parameters: `NumRel(rel=2)`."""

    cutoff: None = None
    averaging: Averaging = "sum"

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by name."""
        return _restored, (self.name, self.settings)

    def values(self, judged: Judged) -> Array:
        """`[Q]`: a count for each query; for texts, a list of them."""
        return self.definition.function(judged, **dict(self.settings))


@dataclass(frozen=True, repr=False)
class TextFact(Fact):
    """A text for each query, with its parameters: `relstring(length=20)`."""


FACTS: Final[dict[str, Fact]] = {}
"""Every fact there is, under its name."""


def registered() -> dict[str, Measure | Fact]:
    """All measures and all facts, under their names."""
    return CATALOGUE | FACTS | ITEM_MEASURES


Length = Annotated[int, Within(1, 100_000, closed=True, whole=True)]
_COUNT: Final = (0.0, float("inf"))


def fact(
    name: str, *, aliases: Sequence[str] = (), text: bool = False, positions: Layout = "judged"
) -> Callable[[Callable[..., Any]], Fact]:
    """Define a fact: the decorated function takes a `Judged` and keywords, and returns `[Q]` numbers or texts."""

    def define(function: Callable[..., Any]) -> Fact:
        definition = Definition(name, aliases=aliases, range=_COUNT, positions=positions, function=function)
        FACTS[name] = (TextFact if text else Fact)(replace(definition, parameters=read(name, function)))
        return FACTS[name]

    return define


@fact("NumQ", aliases=("num_q",))
def number_of_queries(judged: Judged) -> Array:
    """1 for each query: their number, summed up.

    Elsewhere: ir_measures 0.4.3 does not count judged queries that the run leaves out.
    """
    return judged.xp.ones_like(judged.n_retrieved)


@fact("NumRet", aliases=("num_ret",))
def retrieved(judged: Judged) -> Array:
    """How many documents were retrieved.

    Elsewhere: ir_measures 0.4.3 counts judged documents only if it is asked for beside a measure with judged_only.
    """
    return judged.n_retrieved


@fact("NumRel", aliases=("num_rel",))
def relevant_judged(judged: Judged, *, rel: float = 1) -> Array:
    """How many documents are relevant, retrieved or not.

    Elsewhere: trec_eval up to 10.0 counts grades above 0 with -c, whatever -l says. ir_measures 0.4.3 counts nothing
    for judged queries that the run leaves out.
    """
    return judged.n_relevant(rel)


@fact("NumRelRet", aliases=("num_rel_ret",))
def relevant_retrieved(judged: Judged, *, rel: float = 1) -> Array:
    """How many relevant documents were retrieved."""
    return total(relevant(judged, rel))


@fact("NumNonRelRet", aliases=("num_nonrel_judged_ret",))
def nonrelevant_retrieved(judged: Judged, *, rel: float = 1) -> Array:
    """How many documents were retrieved that somebody judged not relevant."""
    return total(nonrelevant(judged, rel))


@fact("relstring", text=True)
def grade_string(judged: Judged, *, length: Length = 10) -> list[str]:
    """The grades of the first documents, one character each: `-` unjudged, `.` negative, `>` above 9."""
    top = judged.cut(length)
    texts = [["-"] * int(number) for number in top.n_retrieved]
    for ranks, judged_rows, grades, text in zip(
        _rows(top.rank), _rows(top.is_judged), _rows(top.grade), texts, strict=True
    ):
        for rank, is_judged, grade in zip(ranks, judged_rows, grades, strict=True):
            if is_judged and rank <= len(text):  # of a group of ties across the end all are looked at
                text[int(rank) - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
    return ["".join(text) for text in texts]


@fact("runid", text=True)
def name_of_the_run(judged: Judged) -> list[str]:
    """The tag of the run, as its file has it: nothing for single queries."""
    return [""] * judged.n_retrieved.shape[0]


RUNID: Final = FACTS["runid"]
"""The one fact that belongs to a run, not to a query."""


def _rows(array: Array) -> list[list[float]]:
    return [[float(array[row, column]) for column in range(array.shape[1])] for row in range(array.shape[0])]


def _restored(name: str, settings: tuple[tuple[str, Any], ...]) -> Fact:
    return FACTS[name](**dict(settings))

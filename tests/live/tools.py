"""The tools that are run, what each of them is handed, and what of their numbers is not compared, by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from golden.asking import Way
from golden.records import Record
from golden.sorting import way_of
from live.environments import OWN
from live.random_collections import SCALES, Traits

Collection = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool and its ways of being called.

    Attributes:
        name: its name, as in the golden data.
        script: the runner in this folder.
        hows: the ways of calling it, in the words of the golden data.
        traits: what it can be handed.
        version: how the version that is run begins.
        environment: where it is installed.
        means_only: the tool gives no values of single queries.
        left_out: why a number of a collection is not compared, by measure, or None.
        unfit: why a collection is not even handed over in one way, or None.

    """

    name: str
    script: str
    hows: tuple[str, ...]
    traits: Traits = field(default_factory=Traits)
    version: str = ""
    environment: str = OWN
    means_only: bool = False
    left_out: Callable[[str, Collection], str | None] = lambda _measure, _collection: None
    unfit: Callable[[str, Collection], str | None] = lambda _how, _collection: None

    def way(self, how: str, measure: str) -> Way:
        """How rankworth is asked for a measure of the tool: as for the golden data."""
        return way_of(Record("", self.name, self.version, how, measure, "", None, "", 0, unreliable=False))


def unheard(_how: str, collection: Collection) -> str | None:
    """Counts that were never set are read for a query that is judged only negatively; loops then run that often."""
    best: dict[str, float] = {}
    for query, _, grade in collection["qrels"]:
        best[query] = max(grade, best.get(query, grade))
    if min(best.values()) < 0:
        return "a query that is judged only negatively: pytrec_eval-terrier reads memory at random, and may not return"
    return None


def of_ranx(measure: str, collection: Collection) -> str | None:
    """What `bpref` is, which divides by zero in a parallel kernel, which then leaves the rest of its queries at 0."""
    relevant = {query for query, _, grade in collection["qrels"] if int(grade) > 0}
    if measure == "bpref" and relevant != {query for query, *_ in collection["qrels"]}:
        return "bpref beside a query without relevant documents: 0 for all queries that the same thread has after it"
    return None


def of_ir_measures(measure: str, collection: Collection) -> str | None:
    """What a division by zero, a hidden order or numbers in place of ids make of some measures."""
    queries = {query for query, *_ in collection["qrels"]}
    numbers = [int(query) for query in queries if query.isascii() and query.isdigit()]
    if measure.startswith(("ERR", "nDCG(dcg='exp-log2')")) and len(set(numbers)) < len(numbers):
        return "gdeval.pl and two query ids that are one number"
    if measure.startswith("Compat") and min(score for *_, score in collection["run"]) <= 0:
        return "Compat beside scores of 0 and below: what was not retrieved has score 0 in the ideal ranking"
    if measure.startswith("Compat") and len({(query, score) for query, *_, score in collection["run"]}) < len(
        collection["run"]
    ):
        return "Compat beside equal scores: the ideal ranking has them in the order of the judgements"
    if measure == "Accuracy" and _all_relevant(collection):
        return "Accuracy of a list without a document that is not relevant: a division by zero"
    return None


def _all_relevant(collection: Collection) -> bool:
    """Whether some query has nothing but relevant documents in its list."""
    relevant = {(query, document) for query, document, grade in collection["qrels"] if grade >= 1}
    lists: dict[str, set[bool]] = {}
    for query, document, *_ in collection["run"]:
        lists.setdefault(query, set()).add((query, document) in relevant)
    return {True} in lists.values()


def of_rectools(measure: str, collection: Collection) -> str | None:
    """Where two rows of the judgements stand at one rank, MAP takes the precision there once."""
    pairs = [(query, document) for query, document, grade in collection["qrels"] if grade > 0]
    if measure.startswith("MAP") and len(set(pairs)) < len(pairs):
        return "MAP where a document is judged twice"
    return None


_GRADES: Final = tuple(name for name in SCALES if name != "fractional")
_RECOMMENDING: Final = "recommending"


TOOLS: Final = (
    Tool(
        "pytrec_eval-terrier",
        "run_pytrec_eval.py",
        ("", "relevance_level=2", "judged_docs_only_flag=True"),
        Traits(empty=True),
        version="0.5",
        unfit=unheard,
    ),
    Tool(
        "ir_measures",
        "run_ir_measures.py",
        ("default", "cwl_eval", "msmarco"),
        version="0.4",
        left_out=of_ir_measures,
        unfit=unheard,
    ),
    Tool(
        "ranx",
        "run_ranx.py",
        ("make_comparable=False", "make_comparable=True", "dict"),
        Traits(long_ties=False),
        version="0.3",
        left_out=of_ranx,
    ),
    Tool(
        "scikit-learn",
        "run_sklearn.py",
        ("retrieved docs only, run file order, unjudged=0", "retrieved + unretrieved judged docs (score min-1)"),
        Traits(duplicates=True),
        version="1",
    ),
    Tool(
        "RecTools",
        "run_rectools.py",
        ("interactions = rel>0; reco Rank = run-file rank column",),
        Traits(duplicates=True),
        version="0.19",
        left_out=of_rectools,
        environment=_RECOMMENDING,
    ),
    Tool(
        "RePlay",
        "run_replay.py",
        ("pandas input; ground truth = rel>0", "dict input; ground truth = rel>0"),
        Traits(duplicates=True),
        version="0.22",
        environment=_RECOMMENDING,
    ),
    Tool(
        "recommenders",
        "run_recommenders.py",
        ("rating_true = rel>0 only", "rating_true = all judgments (any grade)"),
        version="1.2",
        environment=_RECOMMENDING,
        means_only=True,
    ),
    Tool(
        "beir",
        "run_beir.py",
        ("ignore_identical_ids=True", "ignore_identical_ids=False", "custom"),
        Traits(empty=True),
        version="2.2",
        environment=_RECOMMENDING,
        means_only=True,
        unfit=unheard,
    ),
)

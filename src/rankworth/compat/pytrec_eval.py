"""The interface of pytrec_eval: `from rankworth.compat import pytrec_eval` in place of `import pytrec_eval`.

Values are those of pytrec_eval-terrier 0.5, bit for bit. Beyond it, grades and scores may be numbers of NumPy, and
grades floats that are whole.
"""

import operator
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

import numpy as np

from rankworth.errors import MeasureError, RankworthError, RefusedError
from rankworth.evaluation.runner import planned
from rankworth.model import Qrels, Run
from rankworth.profiles import PROFILES
from rankworth.scoring import inputs
from rankworth.scoring.evaluator import evaluate_run
from rankworth.settings_keywords import OptionKeywords
from rankworth.spellings import NICKNAMES, TREC_EVAL

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__ = "0.5.11"
"""The version of pytrec_eval-terrier whose interface and values these are."""

N = TypeVar("N", int, float)

_PROFILE: Final = "pytrec_eval-terrier-0.5"
supported_measures: Final = TREC_EVAL.keys() - PROFILES[_PROFILE].lacks
"""The names of measures, without values behind them."""
supported_nicknames: Final = {name: supported_measures.intersection(measures) for name, measures in NICKNAMES.items()}
"""The names of several measures: `official`, `set`, `all_trec`."""
_VALUES: Final = re.compile(
    rf"({'|'.join(map(re.escape, sorted(supported_measures, key=len, reverse=True)))})"
    r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)"
)


class RelevanceEvaluator:
    """Evaluates runs against judgements by measures of trec_eval 9."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """Read the judgements and the names of measures.

        Args:
            query_relevance: `{query: {document: grade}}`; a query without judgements is left out.
            measures: names such as `map`, `ndcg_cut_10`, `ndcg_cut.5,10` or `official`; `ndcg_cut` alone stands for its
                nine cutoffs.
            relevance_level: the grade from which documents are relevant.
            judged_docs_only_flag: whether unjudged documents are removed before ranks are counted.

        Raises:
            ValueError: where a measure is not known (`MeasureError`, `unknown-measure`).
            InputError: where judgements cannot be read.
            RefusedError: where a grade is not whole.
            TypeError: where the level is no whole number above 0.

        """
        if operator.index(relevance_level) < 1:
            message = f"relevance_level={relevance_level}: grades from 1 on can be relevant"
            raise TypeError(message)
        judged = {query: grades for query, grades in query_relevance.items() if grades}
        printed = dict(_printed(measures))
        self._judged = judged.keys()
        self._labels: list[str] = []
        if not judged or not printed:
            return
        settings: OptionKeywords = {"unjudged": "removed"} if judged_docs_only_flag else {}
        self._plan = planned(_PROFILE, list(printed), int(relevance_level), settings)
        self._labels = list(printed.values())
        self._places = [list(printed).index(label) for label in self._plan.kinds]  # texts have no value
        judging = [measure.judging for measure in self._plan.measures]
        self._qrels = inputs.Judgements(Qrels(judged), None, judging)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of a run.

        Args:
            scores: `{query: {document: score}}`; queries that are not judged are left out.

        Returns:
            `{query: {measure: value}}`, for the queries that are judged and in the run, in its order. The value of a
            `gm_` measure is a logarithm, that of a text such as `relstring` 0.

        Raises:
            InputError: where scores are not finite numbers.

        >>> evaluation = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"recip_rank", "P_5"})
        >>> evaluation.evaluate({"q1": {"d1": 0.5, "d2": 0.9}})
        {'q1': {'recip_rank': 0.5, 'P_5': 0.2}}
        """
        run = {query: documents for query, documents in scores.items() if query in self._judged}
        if not run or not self._labels:
            return {query: {} for query in run}
        try:
            ranked = Run(run) if any(run.values()) else Run.without_rows(empty=run)
            evaluation = evaluate_run(self._qrels, ranked, [self._plan])
            runs = [(measure, evaluation.measured_run(measure)) for measure in self._plan.numbers]
            columns = [measured.column(measure.quantity, measure.averaging).visible for measure, measured in runs]
        except RefusedError as error:
            raise self._plan.profile.refused(error) from None
        except RankworthError as error:
            raise self._plan.profile.reworded(error) from None
        queries = evaluation.measured_run(self._plan.base).standing.queries
        table = np.zeros((len(queries), len(self._labels)))  # texts are 0
        table[:, self._places] = np.transpose(columns)
        rows = dict(zip(queries, table.tolist(), strict=True))
        return {query: dict(zip(self._labels, rows[str(query)], strict=True)) for query in run}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse a run from the lines of a file of TREC, `query Q0 document rank score tag`.

    Args:
        f_run: the lines, or an open file.

    Raises:
        ValueError: where a line has not six columns, or its score is not a number.
        AssertionError: where a document appears twice for a query.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])["q1"]
    {'d1': 2.5}
    """
    return _parsed((query, document, float(score)) for query, _, document, _, score, _ in map(str.split, f_run))


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse judgements from the lines of a file of TREC, `query 0 document grade`.

    Args:
        f_qrel: the lines, or an open file.

    Raises:
        ValueError: where a line has not four columns, or its grade is not a whole number.
        AssertionError: where a document is judged twice for a query.

    >>> parse_qrel(["q1 0 d1 2"])["q1"]
    {'d1': 2}
    """
    return _parsed((query, document, int(grade)) for query, _, document, grade in map(str.split, f_qrel))


def _parsed(rows: Iterable[tuple[str, str, N]]) -> dict[str, dict[str, N]]:
    """Return `{query: {document: number}}`, in the order of the rows, as a `defaultdict`, which pytrec_eval gives."""
    nested: dict[str, dict[str, N]] = defaultdict(dict)
    for query, document, number in rows:
        if document in nested[query]:
            message = f"{document} appears twice for query {query}"
            raise AssertionError(message)
        nested[query][document] = number
    return nested


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Aggregate over all queries: a sum for counts (`num_`), else a mean; of logarithms (`gm_`) its exponential.

    Args:
        measure: the name, as the results have it.
        values: those of the queries.

    >>> compute_aggregated_measure("num_rel", [2, 3]), compute_aggregated_measure("map", [0.5, 1])
    (5.0, 0.75)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def _printed(measures: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each measure in rankworth, and the one in pytrec_eval's results.

    Raises:
        MeasureError: `unknown-measure`.

    """
    values: dict[str, set[str]] = {}
    for name in chain.from_iterable(supported_nicknames.get(measure, [measure]) for measure in measures):
        match = _VALUES.fullmatch(name)
        if name not in supported_measures and (match is None or not TREC_EVAL[match[1]].takes):
            remedy = "such as map, P, ndcg_cut_10 or ndcg_cut.5,10; all are in supported_measures"
            raise MeasureError("unknown-measure", f"unsupported measure {name}", remedy=remedy)
        base, behind = (name, "") if match is None or name in supported_measures else match.groups()
        values.setdefault(base, set()).update(filter(None, behind.split(",")))
    for base in sorted(values, key=list(TREC_EVAL).index):
        entry = TREC_EVAL[base]
        behind = sorted(values[base]) or entry.defaults
        if entry.takes == "cutoffs":
            cutoffs = sorted({k.lstrip("0") or "0" for k in behind}, key=float)
            yield from ((f"{base}.{k}", f"{base}_{k}") for k in cutoffs)
        elif entry.takes == "levels":
            yield from ((f"{base}.{level}", f"{base}_{float(level):.2f}") for level in behind)
        else:
            yield (f"{base}.{','.join(behind)}" if values[base] else base), base

"""What the test suites of other tools and papers expect comes out here, at the tolerance that each of them states."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw

# Their collections hold a handful of documents; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Case = Mapping[str, Any]
Lists = Sequence[Sequence[float]]
Rows = dict[str, dict[str, float]]
Collection = tuple[object, object]


@dataclass(frozen=True)
class Suite:
    """How a suite writes measures, and what of it is left out."""

    compared: int
    asked: Mapping[str, str]
    """regular expressions over `measure` or `provider: measure`, and how rankworth is asked for it"""
    left_out: Mapping[str, tuple[int, str]]
    """regular expressions over `measure` or `case: measure`, how many cases they match, and why"""


COUNTS: Final = "a count, no measure yet"
RELEVANT_ALIKE: Final = "{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}"

SUITES: Final = {
    "pytrec_eval": Suite(8, {r"ndcg|ndcg_cut_\d+": r"\g<0>"}, {}),
    "ranx": Suite(
        34,
        {
            r"dcg@10": "DCG@10",
            r"dcg_burges@10": "DCG(gain=exp2)@10",
            r"ndcg_burges@10": "nDCG(gain=exp2)@10",
            r"r-precision": "Rprec",
            r"rbp\.(\d+)": r"RBP(p=0.\1)",
            r"(hits|hit_rate|precision|map|mrr|recall|ndcg)@\d+|bpref|f1|precision|recall": r"\g<0>",
        },
        {
            ".*repeats doc 1.*": (1, "a document is ranked three times"),
        },
    ),
    "elinor": Suite(
        104,
        {
            r"(NDCG|DCG)Burges(@\d+)?": r"\1(gain=exp2)\2",
            r"(ndcg@3) \(linear gain\)": r"\1",
            r"RPrecision": "Rprec",
            r"(Success|Hits|Precision|Recall|F1|AP|RR|Bpref|DCG|NDCG|precision|ap|rr|ndcg)(@\d+)?": r"\g<0>",
        },
        {
            r"paired t-test.*|bootstrap.*|randomization.*|two-way ANOVA.*|Tukey.*": (47, "statistics: a later issue"),
        },
    ),
    "ir_measures": Suite(
        180,
        {
            r"GdevalProvider: (ERR@\d+)": r"\1",
            r"GdevalProvider: nDCG(@\d+)": r"nDCG(gain=exp2)\1",
            # C/W/L's AP divides by the relevant documents that were found.
            r"CwlEvalProvider: AP": "AP(norm=found)",
            r"(BPM|INSQ|INST|SDCG|NERR\d+)\((.*)max_rel=1\)(@\d+)?": r"\1(\2max_grade=1)\3",
            r"Compat(\(p=0\.\d\))?|Accuracy(\(rel=2\))?": r"\g<0>",
            r"nDCG\(dcg='exp-log2'\)(@\d+)?": r"nDCG(gain=exp2)\1",
            r"nDCG\(gains=(\{.*\})\)": r"nDCG(gain=\1)",
            # trec_eval's parameter is beta squared, and ir_measures hands beta on as it is.
            r"SetF\(beta=0.5\)": f"F(beta={math.sqrt(0.5)})",
            r"SetF\(beta=2.0\)": f"F(beta={math.sqrt(2)})",
            r"Set([PRF])(\(rel=\d\))?(@\d+)?": r"\1\2\3",
            r"RBP\(p=0.9,rel=1\)": "RBP(p=0.9)",
            r"(AP|Judged|P|R|RR|Rprec|Success|nDCG)(\(rel=\d\))?(@\d+)?": r"\g<0>",
        },
        {
            r"Num\w+(\(.*\))?": (19, COUNTS),
            r"IPrec.*|infAP.*|SetAP.*": (36, "other measures of trec_eval"),
            r"ERR_IA@20": (3, "other measures"),
            r"SetP\(relative=True.*": (6, "divides by what could have been retrieved"),
            r"P\(judged_only=True\)@4": (2, "unjudged documents are removed: no such setting yet"),
        },
    ),
    "cwl": Suite(
        43,
        {
            r"(P@\d+)(?: expected utility| \(EU, .*)?": r"\1",
            r"RBP@(0\.\d) \(EU, .*": r"RBP(p=\1)",
            r"NDCG-k(@\d+) \(EU, .*": r"SDCG\1",
            r"RR \(EU, .*": "RR",
            # C/W/L's AP divides by the relevant documents that were found.
            r"AP \(EU, .*": "AP(norm=found)",
        },
        {r".*total utility": (1, "a sum without a norm"), r"total .*": (8, "the gains of a ranking, no measure")},
    ),
    "papers": Suite(
        5,
        {r"RBP": "RBP(p={p})", r"ERR@4": "ERR(max_grade=3)@4", r"nDCG@6 linear gain, log2\(i\+1\)": "nDCG@6"},
        {
            r"CG at ranks.*|.*DCG at ranks.*|nDCG\[3\]": (4, "the discount of 2002: none at the first two ranks"),
            r"tau.*|average overlap.*|W\(1:d\).*": (4, "rank similarity"),
            r"t-test, ANOVA, Tukey HSD": (1, "statistics: a later issue"),
        },
    ),
    "seeds": Suite(
        18,
        {
            r"nDCG@5 exponential gain": "nDCG(gain=exp2)@5",
            r"MAP \(relevant = all relevant in the list\)": "AP",
            r"capped recall@(\d+) \(.*\)": r"R(norm=min(k,R))@\1",
            r"MAP@(\d+) dividing by the relevant FOUND.*": r"AP(norm=found)@\1",
            r"MRR(@\d+)?|P@\d+": r"\g<0>",
        },
        {r"Spearman.*": (3, "rank correlation"), r"nDCG@\d+ AS PRINTED \(WRONG\)": (3, "wrong, as they say")},
    ),
    "torchmetrics": Suite(
        18,
        {
            r"retrieval_average_precision|RetrievalMAP": "AP",
            r"(?:retrieval_hit_rate|RetrievalHitRate)\(top_k=2\)": "Success@2",
            r"retrieval_normalized_dcg|RetrievalNormalizedDCG": "nDCG",
            r"(?:retrieval_precision|RetrievalPrecision)\(top_k=2\)": "P@2",
            r"(?:retrieval_recall|RetrievalRecall)\(top_k=2\)": "R@2",
            r"(?:retrieval_precision_recall_curve|RetrievalPrecisionRecallCurve)\(max_k=\d\): precisions": "P",
            r"(?:retrieval_precision_recall_curve|RetrievalPrecisionRecallCurve)\(max_k=\d\): recalls": "R",
            r"retrieval_r_precision|RetrievalRPrecision": "Rprec",
            r"retrieval_reciprocal_rank|RetrievalMRR": "RR",
        },
        {
            r"retrieval_auroc|RetrievalAUROC|retrieval_fall_out.*|RetrievalFallOut.*": (4, "other measures"),
            r".*: top_k|RetrievalRecallAtFixedPrecision.*": (3, "cutoffs, no measures"),
        },
    ),
    "recommenders": Suite(
        7,
        {
            r"ndcg@10 \(binary gain.*": f"nDCG(gain={RELEVANT_ALIKE})@10",
            r"(ndcg@6|map@10) \(.*": r"\1",
            r"(precision|recall)@\d+": r"\g<0>",
        },
        {r"r_precision_at_k k=\d+": (3, "cut at k, and users without a hit are left out")},
    ),
    "rbp_eval": Suite(
        216,
        {r"RBP": "{rbp}"},
        {
            r"spec (5|6|11)(?: .*)?: RBP": (81, "a tie group straddles the cut, which has a rule of its own there"),
            r"RBP residual.*": (297, "residuals: a later issue"),
            r"num_rel_ret.*": (99, COUNTS),
        },
    ),
}

RBP_FLAGS: Final = {"-b 0.25": "rel=0.25", "-f 0.25 -s": "max_grade=4", "-B -s": "rel=1", "-s": "", "-r": "", "": ""}
FRACTIONS: Final = "max_grade=1"
"""Grades are gains where the file has fractions."""


@pytest.mark.parametrize("name", SUITES)
def test_values_equal_what_other_suites_expect(shared: Path, name: str) -> None:
    suite = SUITES[name]
    data = json.loads((shared / "suites" / f"{name}.json").read_text())
    compared = 0
    left_out = Counter[str]()
    for case in data["cases"]:
        reason = matching(suite.left_out, case["measure"], f"{case['case']}: {case['measure']}")
        if reason is not None:
            left_out[reason] += 1
            continue
        pattern = matching(suite.asked, f"{case.get('provider')}: {case['measure']}", case["measure"])
        assert pattern is not None, case
        values = values_of(case, asked_for(suite, pattern, case), collection_of(case, data, shared))
        expected = case["expected"] if isinstance(case["expected"], list) else [case["expected"]]
        assert len(values) == len(expected)
        for value, wanted in zip(values, expected, strict=True):
            assert agrees(value, wanted, case), (value, case)
        compared += 1
    assert left_out == {pattern: count for pattern, (count, _) in suite.left_out.items()}
    assert compared == suite.compared


def matching(patterns: Mapping[str, Any], *texts: str) -> str | None:
    """The first pattern that is one of the texts, or None."""
    return next((pattern for pattern in patterns for text in texts if re.fullmatch(pattern, text)), None)


def asked_for(suite: Suite, pattern: str, case: Case) -> str:
    """The name of the measure at rankworth."""
    texts = (f"{case.get('provider')}: {case['measure']}", case["measure"])
    name = next(re.sub(f"^(?:{pattern})$", suite.asked[pattern], t) for t in texts if re.fullmatch(pattern, t))
    if name == "{rbp}":
        inputs = case["inputs"]
        by_grade = RBP_FLAGS[" ".join(inputs["flags"])] or ("frac" in inputs["qrels_file"] and FRACTIONS) or "rel=1"
        return f"RBP(p={inputs['p']}, {by_grade})@{inputs['depth']}"
    return name.replace("{p}", str(case["inputs"].get("p")))


def values_of(case: Case, name: str, collection: Collection) -> list[float]:
    """The values of a case: one, or one for each cutoff where a list is expected."""
    measures = [name]
    if isinstance(case["expected"], list):
        measures = [f"{name}@{k}" for k in range(1, len(case["expected"]) + 1)]
    values = rw.evaluate(*collection, measures)
    query = case["inputs"].get("query_id", case["inputs"].get("topic", "all"))
    rows = values.per_query.to_dict() | {"all": values.mean()}
    return [rows[query][str(rw.parse(measure))] for measure in measures]


def agrees(value: float, wanted: float, case: Case) -> bool:
    """Whether a value is what the suite expects, at the tolerance that it states."""
    tolerance = case["tolerance"]
    if case.get("provider") == "GdevalProvider":
        # gdeval rounds to five digits; ir_measures takes the mean of what it printed.
        return abs(value - wanted) <= 0.5e-5 + 2.0**-52
    if case["measure"].startswith("SetF(beta="):
        tolerance += 2.0**-53  # the square of a rounded root
    if case.get("relative_tolerance"):
        return math.isclose(value, wanted, rel_tol=tolerance, abs_tol=0)
    return abs(value - wanted) <= tolerance


def collection_of(case: Case, data: Case, shared: Path) -> Collection:
    """Judgements and run of a case."""
    inputs = case["inputs"]
    if "files" in inputs:
        inputs = dict(zip(("qrels_file", "run_file"), inputs["files"].split(", "), strict=True))
    match data["inputs"][inputs["ref"]] if "ref" in inputs else inputs:
        case {"qrels_file": qrels, "run_file": run}:
            return shared / qrels, shared / run
        case {"qrels": qrels, "run": run}:
            return by_query(qrels), by_query(run)
        case {"relevance_in_rank_order": [[*_], *_] as lists}:
            return by_position(lists)
        case {"relevance_in_rank_order": grades} | {"gains": grades} | {"grades": grades}:
            qrels, run = by_position([grades])
            extra = list((Counter(inputs.get("judged", grades)) - Counter(grades)).elements())
            qrels["0"] |= {f"missing{place}": grade for place, grade in enumerate(extra)}
            return qrels, run
        case {"relevance": lists, "scores": scores}:
            return by_position(lists, scores)
        case {"preds": scores, "target": grades, **rest}:
            owners = rest.get("indexes", [0] * len(scores))
            queries = sorted(set(owners))
            grouped = [[row for row, owner in enumerate(owners) if owner == query] for query in queries]
            split = [[[column[row] for row in rows] for rows in grouped] for column in (list(map(int, grades)), scores)]
            return by_position(*split)
        case _:
            pytest.fail(f"inputs of a new kind: {sorted(inputs)}")


def by_query(rows: list[Any] | Mapping[str, Any]) -> Rows:
    """Rows, dicts or ranked lists as a dict of dicts."""
    table: Rows = {}
    if isinstance(rows, list):
        for query, document, number in rows:
            assert document not in table.setdefault(query, {})
            table[query][document] = number
        return table
    for query, documents in rows.items():
        assert len(set(documents)) == len(documents)
        ranked = {document: -rank for rank, document in enumerate(documents)}
        table[query] = ranked if isinstance(documents, list) else documents
    return table


def by_position(lists: Lists, scores: Lists | None = None) -> tuple[Rows, Rows]:
    """Grades and scores by position; ids grow with it, so that of two equal scores the later position comes first."""
    ids = [[f"d{place}" for place in range(len(grades))] for grades in lists]
    given = scores or [[-place for place in range(len(grades))] for grades in lists]
    qrels = {str(query): dict(zip(ids[query], grades, strict=True)) for query, grades in enumerate(lists)}
    return qrels, {str(query): dict(zip(ids[query], one, strict=True)) for query, one in enumerate(given)}

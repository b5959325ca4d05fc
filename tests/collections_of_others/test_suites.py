"""What the test suites of other tools and papers expect comes out here, at the tolerance that each of them states."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import rankworth as rw
from golden.reasons import RBP_EVAL
from judge import judge
from rankworth.compat import pytrec_eval

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


STRADDLING: Final = r"spec (5|6|11)(?: .*)?: .*"
_STATISTICS: Final = "statistics: test_statistics.py"
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
            r"hits@(\d+)": r"HitCount@\1",
            r"(hit_rate|precision|map|mrr|recall|ndcg)@\d+|bpref|f1|precision|recall": r"\g<0>",
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
            r"Hits(@\d+)?": r"HitCount\1",
            r"(Success|Precision|Recall|F1|AP|RR|Bpref|DCG|NDCG|precision|ap|rr|ndcg)(@\d+)?": r"\g<0>",
        },
        {
            r"paired t-test.*|bootstrap.*|randomization.*|two-way ANOVA.*|Tukey.*": (47, _STATISTICS),
        },
    ),
    "ir_measures": Suite(
        243,
        {
            r"GdevalProvider: (ERR@\d+)": r"\1",
            r"GdevalProvider: nDCG(@\d+)": r"nDCG(gain=exp2)\1",
            # C/W/L's AP divides by the relevant documents that were found.
            r"CwlEvalProvider: AP": "AP(norm=found)",
            r"(BPM|INSQ|INST|SDCG|NERR\d+)\((.*)max_rel=1\)(@\d+)?": r"\1(\2max_grade=1)\3",
            r"Compat(\(p=0\.\d\))?|Accuracy(\(rel=2\))?": r"\g<0>",
            # pytrec_eval holds trec_eval 9, which rounds recall levels otherwise.
            r"IPrec@(.*)": r"IPrec(rounding=plus0.9)@\1",
            r"IPrec\((.*)\)@(.*)": r"IPrec(\1, rounding=plus0.9)@\2",
            # trec_eval's parameter is beta squared, and ir_measures hands beta on as it is (quirk B27, tested below).
            r"SetF\(beta=(.*)\)": r"set_F(x=\1)",
            # All other names are read as they stand.
            r"(?!ERR_IA|\w+: ).*": r"\g<0>",
        },
        {r"ERR_IA@20": (3, "judgements with subtopics, in test_diversity.py")},
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
        9,
        {
            r"RBP": "RBP(p={p})",
            r"ERR@4": "ERR(max_grade=3)@4",
            r"nDCG@6 linear gain, log2\(i\+1\)": "nDCG@6",
            r"CG at ranks.*": "DCG(discount=none)",
            r"(ideal )?DCG at ranks.*": "DCG(discount=rank)",
            r"nDCG\[3\]": "nDCG(discount=rank)@3",
        },
        {
            r"tau.*|average overlap.*|W\(1:d\).*": (4, "rank similarity"),
            r"t-test, ANOVA, Tukey HSD": (1, _STATISTICS),
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
        10,
        {
            r"ndcg@10 \(binary gain.*": f"nDCG(gain={RELEVANT_ALIKE})@10",
            r"(ndcg@6|map@10) \(.*": r"\1",
            r"(precision|recall)@\d+": r"\g<0>",
            r"r_precision_at_k k=(\d+)": r"Rprec@\1",
        },
        {},
    ),
    "rbp_eval": Suite(
        504,
        {r"RBP": "{rbp}", r"RBP residual.*": "RBP_residual(p={p})@{depth}", r"num_rel_ret.*": "{hits}"},
        {STRADDLING: (189, "a tie group straddles the cut: its own rule there is wrong, see below")},
    ),
}

RBP_FLAGS: Final = {"-b 0.25": "rel=0.25", "-f 0.25 -s": "max_grade=4", "-B -s": "rel=1", "-s": "", "-r": "", "": ""}
RBP_COUNTS: Final = {
    "-b 0.25": "NumRelRet(rel=0.25)",
    "-f 0.25": "DCG(discount=none, gain={1: 0.25, 2: 0.5, 4: 1})",
    "spec 7": "DCG(discount=none)",
}
"""What rbp_eval counts: relevant documents, or gains where it is told them."""
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


def test_a_tie_group_across_the_cut_gives_its_expectation(shared: Path) -> None:
    """rbp_eval weighs such a group by its mean weight at all its ranks and by the part above the cut.

    That is no expectation over its orders, and RBP, residual and the rest of the weights then add up to something else
    than 1. Here every document has the mean of its weights at those ranks of its group that are above the cut.
    """
    data = json.loads((shared / "suites" / "rbp_eval.json").read_text())
    differing = compared = 0
    for case in data["cases"]:
        inputs = case["inputs"]
        if re.fullmatch(STRADDLING, f"{case['case']}: ") is None or "p" not in inputs or inputs["query_id"] == "all":
            continue
        name = f"RBP(p={inputs['p']})" if case["measure"] == "RBP" else f"RBP_residual(p={inputs['p']})"
        by_rank = "-r" in inputs["flags"]
        qrels, run = shared / inputs["qrels_file"], ranked(shared / inputs["run_file"], by_rank=by_rank)
        judgements = rw.Qrels(qrels)
        block = replace(judge(judgements, rw.Run(run)).hits.block(np.arange(len(judgements))), ties="expected")
        one = rw.parse(f"{name}@{inputs['depth']}")
        assert isinstance(one, rw.Measure)
        value = one.values(block)[judgements.queries.index(inputs["query_id"])]
        grades = judgements.to_dict()[inputs["query_id"]]
        expected = expectation(grades, run[inputs["query_id"]], Fraction(str(inputs["p"])), inputs["depth"])
        right = expected[case["measure"] != "RBP"]
        assert value == pytest.approx(float(right), rel=1e-14)
        compared += 1
        differing += not agrees(value, case["expected"], case)
    assert (compared, differing) == (108, 45)


def ranked(path: Path, *, by_rank: bool) -> dict[str, dict[str, float]]:
    """A run whose scores, or negated ranks, are what counts."""
    table: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        query, _, document, rank, score, _ = line.split()
        table.setdefault(query, {})[document] = -float(rank) if by_rank else float(score)
    return table


def expectation(
    grades: Mapping[str, float], scores: Mapping[str, float], p: Fraction, depth: int
) -> tuple[Fraction, Fraction]:
    """RBP and its residual, exactly: every document of a tie group stands at each of the group's ranks alike often."""
    found = judged = Fraction(0)
    for document in set(grades) & set(scores):
        first = 1 + sum(score > scores[document] for score in scores.values())
        last = sum(score >= scores[document] for score in scores.values())
        weight = sum(((1 - p) * p ** (rank - 1) for rank in range(first, min(last, depth) + 1)), Fraction(0))
        judged += weight / (last - first + 1)
        found += weight / (last - first + 1) * (grades[document] >= 1)
    return found, 1 - judged


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
    if name == "{hits}":
        return next((count for flag, count in RBP_COUNTS.items() if flag in case["case"]), "NumRelRet")
    return name.replace("{p}", str(case["inputs"].get("p"))).replace("{depth}", str(case["inputs"].get("depth")))


def values_of(case: Case, name: str, collection: Collection) -> list[float]:
    """The values of a case: one, or one for each cutoff where a list is expected."""
    measures = [name]
    if isinstance(case["expected"], list):
        measures = [f"{name}@{k}" for k in range(1, len(case["expected"]) + 1)]
    # What is counted knows no cutoff: the run is cut instead; and it is added up.
    counted = case["measure"].startswith("num_rel_ret")
    values = rw.evaluate(*collection, measures, depth=case["inputs"]["depth"] if counted else None)
    query = case["inputs"].get("query_id", case["inputs"].get("topic", "all"))
    rows = values.per_query.to_dict() | {"all": values.mean()}
    if counted:
        rows["all"] = {name: sum(row[name] for row in values.per_query.to_dict().values()) for name in rows["all"]}
    return [rows[query][measure] for measure in measures]


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


@cache
def read(qrels: Path, run: Path) -> Collection:
    """Judgements and run of files, read once for all their cases."""
    return rw.Qrels(qrels), rw.Run(run)


def collection_of(case: Case, data: Case, shared: Path) -> Collection:
    """Judgements and run of a case."""
    inputs = case["inputs"]
    if "files" in inputs:
        inputs = dict(zip(("qrels_file", "run_file"), inputs["files"].split(", "), strict=True))
    match data["inputs"][inputs["ref"]] if "ref" in inputs else inputs:
        case {"qrels_file": qrels, "run_file": run}:
            return read(shared / qrels, shared / run)
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


def test_cases_of_pytrec_eval_come_out_by_its_interface(shared: Path) -> None:
    for case in json.loads((shared / "suites" / "pytrec_eval.json").read_text())["cases"]:
        inputs, name = case["inputs"], case["measure"]
        results = pytrec_eval.RelevanceEvaluator(inputs["qrels"], {name}).evaluate(inputs["run"])
        assert results[inputs["query_id"]][name] == pytest.approx(case["expected"], abs=case["tolerance"])


def test_numbers_of_rbp_eval_come_out_by_its_profile(shared: Path) -> None:
    """It prints four decimals. Spec 6 is left out: it asks for ranks of the file that several documents share."""
    cases = json.loads((shared / "suites" / "rbp_eval.json").read_text())["cases"]
    asked = [case for case in cases if "p" in case["inputs"] and case["case"] != "spec 6"]
    specs: dict[str, set[str]] = defaultdict(set)
    for case in asked:
        specs[case["case"]].add(by_rbp_eval(case))
    values = {}
    for case in asked:
        if case["case"] not in values:
            inputs = case["inputs"]
            order: dict[str, Any] = {"order": "rank"} if "-r" in inputs["flags"] else {}
            pair = (shared / inputs["qrels_file"], shared / inputs["run_file"])
            values[case["case"]] = rw.evaluate(*pair, sorted(specs[case["case"]]), profile="rbp_eval-1.0", **order)
    excused = dict(RBP_EVAL)
    for case in asked:
        name, query = by_rbp_eval(case), case["inputs"]["query_id"]
        rows = values[case["case"]].per_query.to_dict() | {"all": values[case["case"]].mean()}
        excuse = excused.pop((case["case"], "rbp_eval", "1.0", "", name, query, 0), None)
        agrees = abs(rows[query][name] - case["expected"]) <= (case["tolerance"] if query == "all" else 0.0000500001)
        assert rows[query][name] == excuse.ours and not agrees if excuse else agrees, (case, excuse)
    assert not excused


def by_rbp_eval(case: dict[str, Any]) -> str:
    """What the value or the residual is asked for with, as on rbp_eval's command line."""
    inputs, flags = case["inputs"], case["inputs"]["flags"]
    if case["measure"] != "RBP":
        return f"err(-p {inputs['p']} -d {inputs['depth']})"
    if "-f" in flags:
        return f"rbp(-f 0.25 -p {inputs['p']} -d {inputs['depth']})"
    gains = "-b 0.25 " if "-b" in flags else "-F " if "frac" in inputs["qrels_file"] else ""
    return f"rbp({gains}-p {inputs['p']} -d {inputs['depth']})"

"""Values of small hard cases equal, at full precision, what a dozen tools gave for them when they were run."""

import gzip
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from rankworth import names

# Five documents and two queries are few; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

DATA: Final = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "golden.json.gz").read_bytes()))
INPUTS: Final[dict[str, Any]] = DATA["inputs"]
RECORDS: Final[list[dict[str, Any]]] = DATA["records"]

Door = Literal["dict", "frame", "file"]
DOORS: Final[tuple[Door, ...]] = ("dict", "frame", "file")

DUPLICATES: Final = {
    "C11_duplicate_in_run": "duplicate-document",
    "C12_duplicate_in_qrels": "duplicate-judgement",
    "X03_duplicate_qrels_line": "duplicate-judgement",
}
"""Cases that no door with rows lets in; as dicts they cannot even be written."""

TIED: Final = {"C03_ties_all_equal", "C04_ties_across_cutoff", "C24_tied_ids_byte_order", "C25_forty_ties"}
"""Cases that show how tools break ties: input order, ascending ids, or descending ids as trec_eval and rankworth do."""

NO_MEASURE: Final = {"(whole run)", "rbp"}
"""What says how a whole run ended, and the one measure of trec_eval 10 that reads memory it never set (quirk B01)."""

STALE: Final = {"X01_stale_levels", "C29_all_negative_grades"}
"""Cases in which `ideal_dcg` of trec_eval 10 is that of the query before (quirk B04)."""

ULPS: Final = 4 * 2.0**-52
"""F is four quotients elsewhere and one here, and ranx takes the factor 1 - p of RBP out of the sum: the bits differ by
what eight roundings can do."""


@dataclass(frozen=True)
class Reading:
    """What rankworth is told so that it reads a case as the tool did."""

    rel: float = 1
    missing: Literal["zero", "skip"] = "zero"
    single: bool = False
    """scores are rounded to float32 before they are compared, as trec_eval did before 10.0"""
    depth: int | None = None
    unjudged: Literal["removed"] | None = None
    named: bool = False
    """only queries that the run names are evaluated, as in pytrec_eval, even if it lists nothing for them"""


TREC: Final = {
    ("trec_eval", "10.0", "-c"): Reading(),
    ("trec_eval", "10.0", ""): Reading(missing="skip"),
    ("trec_eval", "10.0", "-J"): Reading(missing="skip", unjudged="removed"),
    ("trec_eval", "9.0.8", "-c"): Reading(single=True),
    ("trec_eval", "9.0.8", ""): Reading(single=True, missing="skip"),
    ("trec_eval", "9.0.8", "-l2"): Reading(single=True, missing="skip", rel=2),
    ("trec_eval", "9.0.8", "-J"): Reading(single=True, missing="skip", unjudged="removed"),
    ("trec_eval", "9.0.8", "-M3"): Reading(single=True, missing="skip", depth=3),
    ("pytrec_eval-terrier", "0.5.11", ""): Reading(single=True, named=True),
    ("pytrec_eval-terrier", "0.5.11", "relevance_level=2"): Reading(single=True, named=True, rel=2),
    ("pytrec_eval-terrier", "0.5.11", "judged_docs_only_flag=True"): Reading(
        single=True, named=True, unjudged="removed"
    ),
}
COMPARED: Final = {
    ("trec_eval", "10.0", "-c"): 2439,
    ("trec_eval", "10.0", ""): 2278,
    ("trec_eval", "10.0", "-J"): 316,
    ("trec_eval", "9.0.8", "-c"): 2112,
    ("trec_eval", "9.0.8", ""): 2150,
    ("trec_eval", "9.0.8", "-l2"): 282,
    ("trec_eval", "9.0.8", "-J"): 286,
    ("trec_eval", "9.0.8", "-M3"): 282,
    ("pytrec_eval-terrier", "0.5.11", ""): 1550,
    ("pytrec_eval-terrier", "0.5.11", "relevance_level=2"): 186,
    ("pytrec_eval-terrier", "0.5.11", "judged_docs_only_flag=True"): 186,
}
"""How many values there are."""

TREC_LEFT_OUT: Final = {
    ("pytrec_eval-terrier", "0.5.11", None): "five values found by hand, with parameters that their names do not tell",
}
UNANSWERED: Final = {"C07_empty_result", "C08_missing_query"}
TREC_REFUSED: Final = {
    "-J": set(),
    "-c": {"C11_duplicate_in_run", "C12_duplicate_in_qrels"},
    # Without -c trec_eval 10 stops at a query that the run does not answer.
    "": {*DUPLICATES, "C07_empty_result", "C08_missing_query"},
}


@pytest.mark.parametrize("key", TREC, ids=" ".join)
@pytest.mark.parametrize("door", DOORS)
def test_values_equal_trec_eval_and_pytrec_eval(door: Door, key: tuple[str, str, str], tmp_path: Path) -> None:
    """All values of all measures have the same bits; no case is left out, ties and float32 collisions included."""
    reading = TREC[key]
    # Rows hold no query without documents, and where they hold duplicates they are refused; pytrec_eval had dicts.
    dicts_only = {*DUPLICATES, "C07_empty_result"} if reading.named and door != "dict" else set()
    compared = 0
    for record in records_of(*key):
        case, name, query, expected = (record[what] for what in ("case", "metric", "query", "value"))
        if expected is None or name in NO_MEASURE:
            continue
        compared += 1
        if case in dicts_only:
            continue
        value = values_of(case, door, tmp_path, reading)[trec_measure(name, reading)][query]
        if (key[:2], name) == (("trec_eval", "10.0"), "ideal_dcg") and case in STALE:
            assert value <= expected, record
        elif (key[1:], name) == (("9.0.8", "-c"), "yaap") and case in UNANSWERED:
            assert value <= expected, record  # an empty ranking counts 0 there, as what it is since trec_eval 10 (B09)
        elif name == "rbp_resid":  # a sum over the unjudged there, 1 less the sum over the judged here
            assert value == pytest.approx(expected, rel=1e-14, abs=0), record
        elif name.startswith("gm_") and query != "all":
            assert math.log(max(value, 0.00001)) == expected, record  # pytrec_eval gives logarithms
        else:
            assert value == expected, record
    assert compared == COMPARED[key]


def test_every_setting_of_trec_eval_is_compared_or_left_out() -> None:
    tools = {tool for tool, _, _ in TREC}
    settings = {(r["tool"], r["version"], r.get("options")) for r in RECORDS if r["tool"] in tools}
    assert settings == {*TREC, *TREC_LEFT_OUT}
    errors = defaultdict(set)
    for key in TREC:
        if key[:2] == ("trec_eval", "10.0"):
            errors[key[2]] |= {record["case"] for record in records_of(*key) if record["value"] is None}
    assert errors == TREC_REFUSED


@pytest.mark.parametrize("door", ["frame", "file"])
@pytest.mark.parametrize("case", DUPLICATES)
def test_duplicates_are_refused_where_trec_eval_refuses_them(case: str, door: Door, tmp_path: Path) -> None:
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate(*doors(case, door, tmp_path), ["AP"])
    assert caught.value.slug == DUPLICATES[case]


def test_scores_that_collide_in_float32_are_apart_here() -> None:
    case = "C15_float32_collision"
    double, single = (values_of(case, "dict", Path(), Reading(single=single))["RR"]["1"] for single in (False, True))
    assert (double, single) == (1.0, 1 / 3)


@dataclass(frozen=True)
class Peer:
    """Some measures of another tool, and the cases in which its conventions are not rankworth's."""

    compared: int
    selects: Callable[[Mapping[str, Any]], str | None]
    """the measure of a record, or None where it is none of these"""
    without: Mapping[str, str]
    """cases with the convention that differs"""
    rel_tolerance: float = 0.0
    """0 asks for the same bits"""
    decimals: int | None = None
    """where the tool rounds"""
    reading: Reading = field(default_factory=Reading)


def ir_measures(*names: str) -> Callable[[Mapping[str, Any]], str | None]:
    """Select measures of ir_measures that its default provider computes; those that end in @ with any cutoff."""
    spelt = {"SetP": "P", "SetR": "R", "SetF": "F", "nDCG(dcg='exp-log2')": "nDCG(gain=exp2)"}
    spelt |= {"RBP(rel=1)": "RBP", "RBP(rel=1,p=0.9)": "RBP(p=0.9)"}

    def select(record: Mapping[str, Any]) -> str | None:
        base, at, cutoff = record["metric"].partition("@")
        wanted = base + at in names and record["tool"] == "ir_measures" and record.get("provider") == "default"
        return spelt.get(base, base) + at + cutoff if wanted else None

    return select


def of_tool(tool: str, spelt: Mapping[str, str]) -> Callable[[Mapping[str, Any]], str | None]:
    """Select measures of a tool by their names, whole or before the cutoff; cases X are about one quirk of one tool."""

    def select(record: Mapping[str, Any]) -> str | None:
        base, at, cutoff = record["metric"].partition("@")
        if record["tool"] != tool or record["case"].startswith("X"):
            return None
        if record["metric"] in spelt:
            return spelt[record["metric"]]
        return f"{spelt[base]}{at}{cutoff}" if base in spelt and cutoff.isdecimal() else None

    return select


COPIES: Final = dict.fromkeys(DUPLICATES, "duplicates are kept or overwritten")
OTHER_TIES: Final = COPIES | dict.fromkeys(TIED, "ties are not broken by descending id")
RAW: Final = OTHER_TIES | dict.fromkeys(("C01_graded_basic", "C10_negative_grades"), "gains are the grades themselves")
NO_HIT: Final = {"C29_all_negative_grades": "a query without a hit has no row and no part in the mean (quirk B25)"}
NO_NEGATIVE: Final = {"C10_negative_grades": "negative grades are judged non-relevant"}
NO_NONRELEVANT: Final = {"C17_all_judged_relevant": "NaN where no document is judged non-relevant"}
ELINOR_DIFFERS: Final = (
    OTHER_TIES
    | dict.fromkeys(("C06_no_relevant_query", "C29_all_negative_grades"), "without relevant documents nDCG is 1, F NaN")
    | {"C09_extra_query": "a query that nobody judged is an error"}
)

PEERS: Final = {
    "ir_measures by pytrec_eval": Peer(
        846,
        ir_measures(
            *("P@", "R@", "AP", "AP@", "AP(rel=2)", "nDCG", "nDCG@", "RR", "Rprec", "Bpref", "Success@", "SetP", "SetR")
        ),
        COPIES,
        reading=Reading(single=True),
    ),
    "ir_measures, more by pytrec_eval": Peer(
        282,
        ir_measures("SetAP", "infAP", "P(judged_only=True)@", "nDCG(judged_only=True)@", "NumRet", "NumRet(rel=1)"),
        COPIES,
        reading=Reading(single=True),
    ),
    "ir_measures by compat": Peer(78, ir_measures("Compat", "Compat(p=0.8)"), OTHER_TIES, rel_tolerance=ULPS),
    "ir_measures by accuracy": Peer(33, ir_measures("Accuracy"), OTHER_TIES | NO_HIT, rel_tolerance=ULPS),
    "ir_measures by cwl, graded": Peer(
        156,
        ir_measures(*(f"{name}(max_rel=3)" for name in ("INSQ", "INST", "NERR10", "NERR11"))),
        OTHER_TIES,
        rel_tolerance=1e-12,
    ),
    "ir_measures by cwl, cut": Peer(
        156,
        ir_measures(*(f"{name}(max_rel=3)@" for name in ("BPM", "SDCG", "NERR8", "NERR9"))),
        OTHER_TIES,
        rel_tolerance=1e-12,
    ),
    "ir_measures F": Peer(47, ir_measures("SetF"), COPIES, rel_tolerance=ULPS, reading=Reading(single=True)),
    "ir_measures by itself": Peer(
        180,
        ir_measures("RR@", "RR(rel=2)@", "Judged@"),
        OTHER_TIES | {"C07_empty_result": "Judged of an empty list is an error"},
    ),
    # The weights p^(i - 1) are divided by their sum over 1,000 ranks, not by 1 / (1 - p): 1,000 roundings.
    "ir_measures by cwl": Peer(
        78, ir_measures("RBP(rel=1)", "RBP(rel=1,p=0.9)"), OTHER_TIES, rel_tolerance=1000 * 2.0**-53
    ),
    "ir_measures by gdeval": Peer(188, ir_measures("ERR@", "nDCG(dcg='exp-log2')@"), COPIES, decimals=5),
    "gdeval": Peer(88, of_tool("gdeval.pl", {"err": "ERR", "ndcg": "nDCG(gain=exp2)"}), COPIES, decimals=5),
    "ranx": Peer(
        897,
        of_tool(
            "ranx",
            {
                "dcg": "DCG",
                "dcg_burges": "DCG(gain=exp2)",
                "hit_rate": "Success",
                "map": "AP",
                "map-l2": "AP(rel=2)",
                "mrr": "RR",
                "ndcg": "nDCG",
                "ndcg@3-l2": "nDCG(gain={1: 0})@3",
                "ndcg_burges": "nDCG(gain=exp2)",
                "precision": "P",
                "precision@3-l2": "P(rel=2)@3",
                "r-precision": "Rprec",
                "recall": "R",
            },
        ),
        OTHER_TIES,
    ),
    "ranx F": Peer(78, of_tool("ranx", {"f1": "F"}), OTHER_TIES, rel_tolerance=ULPS),
    "ranx bpref": Peer(35, of_tool("ranx", {"bpref": "Bpref"}), OTHER_TIES | NO_NEGATIVE | NO_NONRELEVANT),
    "ranx RBP": Peer(70, of_tool("ranx", {"rbp.80": "RBP", "rbp.90": "RBP(p=0.9)"}), RAW, rel_tolerance=ULPS),
    "elinor": Peer(
        609,
        of_tool(
            "elinor",
            {
                "ap": "AP",
                "dcg": "DCG",
                "dcg_burges": "DCG(gain=exp2)",
                "ndcg": "nDCG",
                "ndcg_burges": "nDCG(gain=exp2)",
                "precision": "P",
                "r_precision": "Rprec",
                "recall": "R",
                "rr": "RR",
                "success": "Success",
            },
        ),
        ELINOR_DIFFERS,
        reading=Reading(missing="skip"),
    ),
    "elinor F": Peer(
        58, of_tool("elinor", {"f1": "F"}), ELINOR_DIFFERS, rel_tolerance=ULPS, reading=Reading(missing="skip")
    ),
    "elinor bpref": Peer(
        25,
        of_tool("elinor", {"bpref": "Bpref"}),
        ELINOR_DIFFERS | NO_NEGATIVE | NO_NONRELEVANT,
        reading=Reading(missing="skip"),
    ),
}


@pytest.mark.parametrize("peer", PEERS)
def test_values_equal_other_tools_where_conventions_meet(peer: str) -> None:
    other = PEERS[peer]
    compared = 0
    for record in RECORDS:
        name = other.selects(record)
        if name is None or record["case"] in other.without:
            continue
        expected = record["value"]
        value = values_of(record["case"], "dict", Path(), other.reading, name)[name][record["query"]]
        if other.decimals is not None:
            assert f"{value:.{other.decimals}f}" == f"{expected:.{other.decimals}f}", record
        elif other.rel_tolerance:
            assert value == pytest.approx(expected, rel=other.rel_tolerance, abs=0), record
        else:
            assert value == expected, record
        compared += 1
    assert compared == other.compared


def records_of(tool: str, version: str, options: str | None) -> Iterator[dict[str, Any]]:
    """The records of a tool with these options."""
    return (r for r in RECORDS if (r["tool"], r["version"], r.get("options")) == (tool, version, options))


def trec_measure(name: str, reading: Reading) -> str:
    """The canonical name of the measure that trec_eval calls so."""
    found = names.parse_all([name], rel=reading.rel)[0]
    if reading.single and "rounding" in found.parameters:
        found = found(rounding="plus0.9")
    return str(found)


@cache
def values_of(case: str, door: Door, folder: Path, reading: Reading, *asked: str) -> dict[str, dict[str, float]]:
    """`{measure: {query: value}}`, with the means under `all`; all of trec_eval's measures if none is named."""
    if not asked:
        trec = {record["metric"] for record in RECORDS if record["tool"] == "trec_eval"} - NO_MEASURE
        asked = tuple(trec_measure(name, reading) for name in trec)
    qrels, run = doors(case, door, folder, single=reading.single)
    rows = INPUTS[case]
    answered = {query for query, *_ in rows["run"]} | set(rows["empty_queries"])
    queries = sorted({query for query, *_ in rows["qrels"]} & answered) if reading.named else None
    values = rw.evaluate(
        qrels,
        run,
        asked,
        queries=queries,
        missing=reading.missing,
        depth=reading.depth,
        unjudged=reading.unjudged,
    )
    table = values.per_query.to_dict() | {"all": values.mean()}
    return {name: {query: row[name] for query, row in table.items()} for name in asked}


def doors(case: str, door: Door, folder: Path, *, single: bool = False) -> tuple[object, object]:
    """Judgements and run of a case, as dicts, frames or files; rows in the order of the case."""
    rows = INPUTS[case]
    judged = [(query, document, grade) for query, document, grade in rows["qrels"]]
    ranked = [
        (query, document, rank, float(np.float32(score)) if single else score)
        for query, document, rank, score in rows["run"]
    ]
    if door == "dict":
        qrels: dict[str, dict[str, float]] = {}
        run: dict[str, dict[str, float]] = {query: {} for query in rows["empty_queries"]}
        for query, document, grade in judged:
            qrels.setdefault(query, {})[document] = grade
        for query, document, _, score in ranked:
            run.setdefault(query, {})[document] = score
        return qrels, run
    if door == "frame":
        columns = ["query", "document", "rank", "score"]
        scores = pl.DataFrame(ranked, schema=columns, orient="row").drop("rank")
        return pl.DataFrame(judged, schema=["query", "document", "grade"], orient="row", strict=False), scores
    qrels_path, run_path = folder / "qrels.txt", folder / "system.run"
    qrels_path.write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in judged))
    run_path.write_text(
        "".join(f"{query} Q0 {document} {rank} {score!r} tag\n" for query, document, rank, score in ranked)
    )
    return qrels_path, run_path

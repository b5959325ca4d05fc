"""Values of small hard cases equal, at full precision, what a dozen tools gave for them when they were run."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from golden.reasons import STANDARD, Ours, holds
from golden.records import CASES, RECORDS, Record
from rankworth import names

# Five documents and two queries are few; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Door = Literal["dict", "frame", "file"]
DOORS: Final[tuple[Door, ...]] = ("dict", "frame", "file")

DUPLICATES: Final = {
    "C11_duplicate_in_run": "duplicate-document",
    "C12_duplicate_in_qrels": "duplicate-judgement",
    "X03_duplicate_qrels_line": "duplicate-judgement",
}
"""Cases that no door with rows lets in; as dicts they cannot even be written."""

NO_MEASURE: Final = {"(whole run)", "rbp"}
"""What says how a whole run ended, and the one measure of trec_eval 10 that reads memory it never set (quirk B01)."""


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
    ("pytrec_eval-terrier", "0.5.11", ""): 1554,
    ("pytrec_eval-terrier", "0.5.11", "relevance_level=2"): 186,
    ("pytrec_eval-terrier", "0.5.11", "judged_docs_only_flag=True"): 186,
}
"""How many values there are."""

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
        if record.expected is None or record.measure in NO_MEASURE:
            continue
        compared += 1
        if record.case in dicts_only:
            continue
        value = values_of(record.case, door, tmp_path, reading)[trec_measure(record.measure, reading)][record.query]
        if record.measure.startswith("gm_") and record.query != "all":
            value = math.log(max(value, 0.00001))  # pytrec_eval gives logarithms
        assert holds(record, value, STANDARD), record
    assert compared == COMPARED[key]


def test_every_setting_of_trec_eval_is_compared_or_left_out() -> None:
    tools = {tool for tool, _, _ in TREC}
    assert {(one.tool, one.version, one.called) for one in RECORDS if one.tool in tools} == {*TREC}
    errors = defaultdict(set)
    for key in TREC:
        if key[:2] == ("trec_eval", "10.0"):
            errors[key[2]] |= {record.case for record in records_of(*key) if record.expected is None}
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
    """Some measures of another tool."""

    compared: int
    selects: Callable[[Record], str | None]
    """the measure of a record, or None where it is none of these"""
    decimals: int | None = None
    """where the tool rounds"""
    reading: Reading = field(default_factory=Reading)


def ir_measures(*names: str) -> Callable[[Record], str | None]:
    """Select measures of ir_measures that its default provider computes; those that end in @ with any cutoff."""
    spelt = {"SetP": "P", "SetR": "R", "SetF": "F", "nDCG(dcg='exp-log2')": "nDCG(gain=exp2)"}
    spelt |= {"RBP(rel=1)": "RBP", "RBP(rel=1,p=0.9)": "RBP(p=0.9)"}

    def select(record: Record) -> str | None:
        base, at, cutoff = record.measure.partition("@")
        wanted = base + at in names and (record.tool, record.called) == ("ir_measures", "default")
        return spelt.get(base, base) + at + cutoff if wanted else None

    return select


def of_tool(tool: str, spelt: Mapping[str, str]) -> Callable[[Record], str | None]:
    """Select measures of a tool by their names, whole or before the cutoff; cases X are about one quirk of one tool."""

    def select(record: Record) -> str | None:
        base, at, cutoff = record.measure.partition("@")
        if record.tool != tool or record.case.startswith("X"):
            return None
        if record.measure in spelt:
            return spelt[record.measure]
        return f"{spelt[base]}{at}{cutoff}" if base in spelt and cutoff.isdecimal() else None

    return select


PEERS: Final = {
    "ir_measures by pytrec_eval": Peer(
        1275,
        ir_measures(
            *("P@", "R@", "AP", "AP@", "AP(rel=2)", "nDCG", "nDCG@", "RR", "Rprec", "Bpref", "Success@", "SetP"),
            *("SetR", "SetF", "SetAP", "infAP", "P(judged_only=True)@", "nDCG(judged_only=True)@", "NumRet"),
            "NumRet(rel=1)",
        ),
        reading=Reading(single=True),
    ),
    "ir_measures by itself and cwl-eval": Peer(
        909,
        ir_measures(
            *("RR@", "RR(rel=2)@", "Judged@", "Compat", "Compat(p=0.8)", "Accuracy", "RBP(rel=1)", "RBP(rel=1,p=0.9)"),
            *(f"{name}(max_rel=3)" for name in ("INSQ", "INST", "NERR10", "NERR11")),
            *(f"{name}(max_rel=3)@" for name in ("BPM", "SDCG", "NERR8", "NERR9")),
        ),
    ),
    "ir_measures by gdeval": Peer(204, ir_measures("ERR@", "nDCG(dcg='exp-log2')@"), decimals=5),
    "gdeval": Peer(96, of_tool("gdeval.pl", {"err": "ERR", "ndcg": "nDCG(gain=exp2)"}), decimals=5),
    "ranx": Peer(
        1428,
        of_tool(
            "ranx",
            {
                "bpref": "Bpref",
                "dcg": "DCG",
                "dcg_burges": "DCG(gain=exp2)",
                "f1": "F",
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
                "rbp.80": "RBP",
                "rbp.90": "RBP(p=0.9)",
                "recall": "R",
            },
        ),
    ),
    "elinor": Peer(
        1056,
        of_tool(
            "elinor",
            {
                "ap": "AP",
                "bpref": "Bpref",
                "dcg": "DCG",
                "dcg_burges": "DCG(gain=exp2)",
                "f1": "F",
                "ndcg": "nDCG",
                "ndcg_burges": "nDCG(gain=exp2)",
                "precision": "P",
                "r_precision": "Rprec",
                "recall": "R",
                "rr": "RR",
                "success": "Success",
            },
        ),
        reading=Reading(missing="skip"),
    ),
}


@pytest.mark.parametrize("peer", PEERS)
def test_values_equal_other_tools_where_conventions_meet(peer: str) -> None:
    other = PEERS[peer]
    compared = 0
    for record in RECORDS:
        name = other.selects(record)
        if name is None:
            continue
        values = values_of(record.case, "dict", Path(), other.reading, name)[name]
        ours: Ours = values if record.query == "-" else values[record.query]
        if other.decimals is not None and isinstance(record.expected, float) and isinstance(ours, float):
            rounded = replace(record, expected=round(record.expected, other.decimals))
            assert holds(rounded, round(ours, other.decimals), STANDARD), record
        else:
            assert holds(record, ours, STANDARD), record
        compared += 1
    assert compared == other.compared


def test_every_excuse_is_for_a_number_that_is_compared() -> None:
    compared = {
        record.key
        for record in RECORDS
        if (record.tool, record.version, record.called) in TREC or any(peer.selects(record) for peer in PEERS.values())
    }
    assert STANDARD.keys() <= compared


def records_of(tool: str, version: str, called: str) -> Iterator[Record]:
    """The records of a tool that was called so."""
    return (record for record in RECORDS if (record.tool, record.version, record.called) == (tool, version, called))


@cache
def trec_measures(reading: Reading) -> tuple[str, ...]:
    """The canonical names of all measures of trec_eval."""
    named = {record.measure for record in RECORDS if record.tool == "trec_eval"} - NO_MEASURE
    return tuple(trec_measure(name, reading) for name in named)


@cache
def trec_measure(name: str, reading: Reading) -> str:
    """The canonical name of the measure that trec_eval calls so."""
    found = names.parse_all([name], rel=reading.rel)[0]
    if reading.single and "rounding" in found.parameters:
        found = found(rounding="plus0.9")
    return str(found)


@cache
def values_of(case: str, door: Door, folder: Path, reading: Reading, *asked: str) -> dict[str, dict[str, float]]:
    """`{measure: {query: value}}`, with the means under `all`; all of trec_eval's measures if none is named."""
    asked = asked or trec_measures(reading)
    qrels, run = doors(case, door, folder, single=reading.single)
    rows = CASES[case]
    answered = {query for query, *_ in rows.run} | set(rows.empty)
    queries = sorted({query for query, *_ in rows.qrels} & answered) if reading.named else None
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
    rows = CASES[case]
    judged = rows.qrels
    ranked = [
        (query, document, rank, float(np.float32(score)) if single else score)
        for query, document, rank, score in rows.run
    ]
    if door == "dict":
        qrels: dict[str, dict[str, float]] = {}
        run: dict[str, dict[str, float]] = {query: {} for query in rows.empty}
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

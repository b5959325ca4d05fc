"""Values of real collections, read from files, equal what trec_eval, gdeval, rbp_eval and their makers printed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import rankworth as rw
from rankworth.judging import judge

# The collections are shallow and lenient on purpose; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

DEEP_LEARNING: Final = ("BM25", "BM25_RM3", "D_BERT_KD_TASB", "OPEN_AI_ADA2", "REP_LLAMA", "SPLADE_P_P_ENSEMBLE_DISTIL")
DL_RUNS: Final = tuple(f"{year}.{system}" for year in ("dl19", "dl20") for system in DEEP_LEARNING)

STORED: Final = {
    "cacm_anserini": ("cacm-bm25",),
    "dl1920_rankllm": tuple(name for run in DL_RUNS for name in (run, f"{run}.l2")),
    "ir_measures_tests": ("compat", "cwl"),
    "rbp_eval": ("basic__noties", "basic__ties", "basic__manyties", "mult__noties"),
    "trec_eval_tests": (
        "qrels.test__results.test",
        "qrels.rel_level_l2__results.test",
        "qrels.test__results.trunc_c",
        "qrels-302__results-302",
    ),
}
"""Output of trec_eval 10 with `-q -m all_trec`; options, judgements and run of each are in `expected/index.json`."""

DISTRIBUTED: Final = {
    "out.test": ("qrels.test", "results.test", ()),
    "out.test.a": ("qrels.test", "results.test", ()),
    "out.test.aq": ("qrels.test", "results.test", ()),
    "out.test.aqc": ("qrels.test", "results.trunc", ("-c",)),
    "out.test.aql": ("qrels.rel_level", "results.test", ("-l2",)),
    "out.test.meas_params": ("qrels.test", "results.test", ()),
    "out.comment.test": ("qrels.comment.test", "results.comment.test.gz", ()),
}
"""Output that trec_eval's own test folder holds: judgements, run and options as in its Makefile."""

LEFT_OUT: Final = {
    "out.test.aqcM": "-M100 cuts the run before it is judged; there is no such setting yet",
    "out.test.aqZ": "z-scores against the means of other runs",
    "out.test.prefs": "preference judgements",
    "out.test.qrels_prefs": "measures of preference judgements",
    "out.test.qrels_jg": "several assessors per query",
}

OTHER_NAMES: Final = {
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
    "relative_P": "R(norm=min(k,R))",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gain={1: 3, 2: 9, 4: 4.5})",
}
"""What trec_eval calls by a name that rankworth does not take; all others are read as they are printed."""

NOT_MEASURED: Final = frozenset(
    {"11pt_avg", "G", "Rndcg", "Rprec_mult", "binG", "gm_bpref", "gm_map", "infAP", "iprec_at_recall", "ndcg_rel"}
    | {"num_nonrel_judged_ret", "num_q", "num_rel", "num_rel_ret", "num_ret", "relstring", "runid"}
    | {"set_map", "set_relative_P", "unj", "utility"}
    # trec_eval 10 reads uninitialised memory here: the value depends on the measures computed before it.
    | {"rbp", "rbp_resid"}
)
"""Measures of trec_eval that the first dozen do not cover; names without their parameters."""

MEASURED: Final = frozenset(
    {"map", "map_cut", "P", "recall", "ndcg", "ndcg_cut", "recip_rank", "Rprec", "bpref", "success", *OTHER_NAMES}
)

MIDPOINTS: Final = {
    "dl19.D_BERT_KD_TASB": {("set_F", "915593")},
    "dl19.OPEN_AI_ADA2": {("set_F", "1129237"), ("set_F", "915593")},
    "dl19.OPEN_AI_ADA2.l2": {("set_F", "1110199")},
}
"""Values that end in a 5 at the fifth digit: rankworth's, 2 hits / (R + k), is exact; trec_eval divides four times, is
off by an ulp and is so rounded to the other side."""

Printed = dict[tuple[str, str], str]


def test_every_stored_output_is_compared(shared: Path) -> None:
    indices = {path.parent.parent.name: json.loads(path.read_text()) for path in shared.glob("*/expected/index.json")}
    stored = {folder: tuple(entry["name"] for entry in index) for folder, index in indices.items()}
    assert {folder: sorted(names) for folder, names in stored.items()} == {
        folder: sorted(names) for folder, names in STORED.items()
    }
    distributed = {path.name for path in (shared / "trec_eval_tests").glob("out.*")}
    assert distributed == {*DISTRIBUTED, *LEFT_OUT}


def test_number_of_values_compared_with_trec_eval(shared: Path) -> None:
    names = [(folder, name) for folder, names in STORED.items() for name in names]
    stored = sum(family(measure) in MEASURED for place in names for measure, _ in stored_output(shared, *place))
    paths = [shared / "trec_eval_tests" / name for name in DISTRIBUTED]
    distributed = sum(family(measure) in MEASURED for path in paths for measure, _ in printed(path))
    assert (stored, distributed) == (71_344, 802)


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder, names in STORED.items() for name in names])
def test_values_equal_trec_eval(shared: Path, folder: str, name: str) -> None:
    index = json.loads((shared / folder / "expected" / "index.json").read_text())
    entry = next(entry for entry in index if entry["name"] == name)
    expected = stored_output(shared, folder, name)
    differing = differences(expected, shared / folder / entry["qrels"], shared / folder / entry["run"], entry["args"])
    assert set(differing) == MIDPOINTS.get(name, set()), differing
    for text, value in differing.values():
        assert Decimal(value).scaleb(4) % 1 == Decimal("0.5")
        assert abs(Decimal(text) - Decimal(value)) < Decimal("0.00006")


@pytest.mark.parametrize("name", DISTRIBUTED)
def test_values_equal_distributed_output_of_trec_eval(shared: Path, name: str) -> None:
    folder = shared / "trec_eval_tests"
    qrels, run, options = DISTRIBUTED[name]
    assert differences(printed(folder / name), folder / qrels, folder / run, options) == {}


def test_a_tag_with_blanks_is_read_where_tabs_tell_where_it_begins(shared: Path, tmp_path: Path) -> None:
    run = shared / "trec_eval_tests" / "results.trunc"
    assert "STANDARD more junk at" in rw.Run(run).to_frame()["tag"].to_list()
    without_tabs = tmp_path / "results.txt"
    without_tabs.write_text(run.read_text().replace("\t", " "))
    with pytest.raises(rw.InputError) as caught:
        rw.evaluate({"301": {"d": 1}}, without_tabs, ["AP"])
    assert caught.value.slugs == ("run-columns",) * 5


@pytest.mark.parametrize("k", [10, 20])
@pytest.mark.parametrize("year", ["dl19", "dl20"])
def test_exponential_ndcg_and_err_equal_gdeval(shared: Path, year: str, k: int) -> None:
    folder = shared / "dl1920_rankllm"
    runs = {name: folder / f"{name}.txt.gz" for name in DL_RUNS if name.startswith(year)}
    measures = [f"nDCG(gain=exp2)@{k}", f"ERR@{k}"]
    table = rw.evaluate_runs(folder / f"qrels.{year}-passage.txt", runs, measures)
    compared = 0
    for name, values in table.items():
        ours = values.per_query.to_dict() | {"amean": values.mean()}
        rows = [line.split(",") for line in (folder / f"expected/{name}.gdeval_k{k}.csv").read_text().splitlines()]
        assert rows[0] == ["runid", "topic", f"ndcg@{k}", f"err@{k}"]
        theirs = {query: texts for _, query, *texts in rows[1:]}
        assert theirs == {query: [f"{row[measure]:.5f}" for measure in measures] for query, row in ours.items()}
        compared += sum(map(len, theirs.values()))
    assert compared == 6 * 2 * ({"dl19": 43, "dl20": 54}[year] + 1)


# rbp_eval gives tied documents the mean weight of their ranks. Without ties that is what `evaluate` gives, at any
# depth. With ties it is the value under expected ties, but at full depth only: where a depth cuts through a tie group,
# rbp_eval takes the mean over the whole group and a fraction of the group. Of 15,870 rows of queries the 11,793 without
# ties are compared as they are; all 5,394 at full depth, 1,359 of them with ties, and 111 means are compared under
# expected ties; left are 2,718 rows with ties at depths 10 and 100.
GAINS: Final = {"b1": {"rel": 1}, "b2": {"rel": 2}, "f": {"max_grade": 3}}
RBP_LINE: Final = re.compile(r"p= ([\d.]+) q= *(\S+) d= *(\d+|full) rbp= *([\d.]+) \+[\d.]+")


def test_rbp_equals_rbp_eval(shared: Path) -> None:
    untied = tied = means = rest = 0
    for outputs, qrels_path, run_path in rbp_outputs(shared):
        qrels, run = rw.Qrels(qrels_path), rw.Run(run_path)
        rows = run.to_frame()
        with_ties = set(rows.filter(rows.select("query", "score").is_duplicated())["query"])
        for kind, path in outputs.items():
            lines = [match.groups() for match in map(RBP_LINE.fullmatch, path.read_text().splitlines()) if match]
            assert len(lines) == len(path.read_text().splitlines())
            measures = {(p, depth): rbp(p, depth, kind) for p, _, depth, _ in lines}
            broken = rw.evaluate(qrels, run, list(measures.values())).per_query.to_dict()
            expected = under_expected_ties(qrels, run, {key: one for key, one in measures.items() if key[1] == "full"})
            for p, query, depth, text in lines:
                case = (path.name, p, query, depth)
                if depth == "full":
                    values = expected[p, depth]
                    value = sum(values.values()) / len(values) if query == "all" else values[query]
                    assert (*case, f"{value:.4f}") == (*case, text)
                    means += query == "all"
                    tied += query in with_ties
                if query == "all":
                    continue
                rest += query in with_ties and depth != "full"
                if query not in with_ties:
                    assert (*case, f"{broken[query][str(measures[p, depth])]:.4f}") == (*case, text)
                    untied += 1
    assert (untied, tied, means, rest) == (11_793, 1_359, 111, 2_718)


def test_means_equal_published_ones(shared: Path) -> None:
    folder = shared / "dl1920_rankllm"
    measures = {"ndcg_cut_10 (trec_eval -c)": "nDCG@10", "recall_100 (trec_eval -c -l 2)": "R(rel=2)@100"}
    cases = json.loads((folder / "published.json").read_text())["cases"]
    ours = []
    for case in cases:
        qrels, name = folder / f"qrels.{case['run'][:4]}-passage.txt", measures[case["measure"]]
        ours.append(f"{rw.evaluate(qrels, folder / case['run'], [name])[name]:.4f}")
    assert ours == [f"{case['published']:.4f}" for case in cases]
    assert len(cases) == 14


def differences(
    expected: Printed, qrels: Path, run: Path, options: Sequence[str]
) -> dict[tuple[str, str], tuple[str, float]]:
    """What trec_eval printed and what rankworth has where the two are not the same text."""
    unknown = {family(name) for name, _ in expected} - MEASURED
    assert unknown <= NOT_MEASURED
    assert set(options) <= {"-q", "-m", "all_trec", "-c", "-l2"}
    measures = {name: measure(name, lenient="-l2" not in options) for name, _ in expected if family(name) in MEASURED}
    values = rw.evaluate(qrels, run, list(measures.values()))
    # Without -c trec_eval 10 leaves unanswered queries out, or rather it stops: there are none in these outputs.
    assert "-c" in options or not values.counts.unanswered
    if ("num_q", "all") in expected:
        assert values.counts.scored == int(expected["num_q", "all"])
    rows = values.per_query.to_dict()
    assert {query for _, query in expected} - {"all"} in ({*rows}, set())
    rows["all"] = values.mean()
    ours = {(name, query): rows[query][str(measures[name])] for name, query in expected if name in measures}
    return {key: (expected[key], value) for key, value in ours.items() if f"{value:.4f}" != expected[key]}


def measure(name: str, *, lenient: bool) -> rw.Measure:
    """The measure that trec_eval calls so; ndcg takes no account of `-l`."""
    base, _, suffix = name.rpartition("_")
    text = OTHER_NAMES.get(name) or (f"{OTHER_NAMES[base]}@{suffix}" if base in OTHER_NAMES else name)
    found = rw.parse(text)
    return found if lenient or "rel" not in found.parameters else found(rel=2)


def family(name: str) -> str:
    """A name without its parameters."""
    return name if name in OTHER_NAMES else re.sub(r"_[-\d.,=]+$", "", name)


@cache
def stored_output(shared: Path, folder: str, name: str) -> Printed:
    return printed(shared / folder / "expected" / f"{name}.txt")


def printed(path: Path) -> Printed:
    """What trec_eval printed: texts by measure and query."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    texts = {(name.strip(), query): value.strip() for name, query, value in lines}
    assert len(texts) == len(lines)
    return texts


def rbp_outputs(shared: Path) -> Iterator[tuple[dict[str, Path], Path, Path]]:
    """Outputs by kind of gain, judgements and run, wherever rbp_eval was run."""
    dl, cacm = shared / "dl1920_rankllm", shared / "cacm_anserini"
    for run in DL_RUNS:
        outputs = {kind: dl / f"expected/{run}.rbp_eval_{kind}.txt" for kind in GAINS}
        yield outputs, dl / f"qrels.{run[:4]}-passage.txt", dl / f"{run}.txt.gz"
    yield {"b1": cacm / "expected/cacm-bm25.rbp_eval_b1.txt"}, cacm / "qrels.cacm.txt", cacm / "cacm-bm25.txt"


def rbp(p: str, depth: str, kind: str) -> rw.Measure:
    whole = rw.RBP(p=float(p), **GAINS[kind])
    return whole if depth == "full" else whole @ int(depth)


def under_expected_ties(
    qrels: rw.Qrels, run: rw.Run, measures: Mapping[tuple[str, str], rw.Measure]
) -> dict[tuple[str, str], dict[str, float]]:
    """Values per query where every tie group shares its weights."""
    block = judge(qrels, run).hits.block(np.arange(len(qrels))).expecting()
    return {key: dict(zip(qrels.queries, one.values(block).tolist(), strict=True)) for key, one in measures.items()}

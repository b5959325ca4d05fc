"""Values of real collections, read from files, equal what trec_eval, gdeval, rbp_eval and their makers printed."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import rankworth as rw
from judge import judge
from rankworth.cli import main
from rankworth.results import tables
from rankworth.tables import data

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
    "out.test": "-m official qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.meas_params": "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000"
    " -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23"
    " -msuccess.2,5,20 qrels.test results.test",
    "out.comment.test": "-m official qrels.comment.test results.comment.test.gz",
}
"""Output that trec_eval's own test folder holds: options as in its Makefile (where `official` is the default, and where
it takes the cutoff 23.4 for 23)."""

LEFT_OUT: Final = {
    "out.test.aqZ": "z-scores against the means of other runs",
    "out.test.prefs": "preference judgements",
    "out.test.qrels_prefs": "measures of preference judgements",
    "out.test.qrels_jg": "several assessors per query",
}

NO_VALUE: Final = "rbp "
"""trec_eval 10 reads uninitialised memory for it (quirk B01): the value depends on what was measured before."""


def test_every_stored_output_is_compared(shared: Path) -> None:
    indices = {path.parent.parent.name: json.loads(path.read_text()) for path in shared.glob("*/expected/index.json")}
    stored = {folder: tuple(entry["name"] for entry in index) for folder, index in indices.items()}
    assert {folder: sorted(names) for folder, names in stored.items()} == {
        folder: sorted(names) for folder, names in STORED.items()
    }
    distributed = {path.name for path in (shared / "trec_eval_tests").glob("out.*")}
    assert distributed == {*DISTRIBUTED, *LEFT_OUT}


def test_number_of_lines_compared_with_trec_eval(shared: Path) -> None:
    paths = [shared / folder / "expected" / f"{name}.txt" for folder, names in STORED.items() for name in names]
    distributed = [shared / "trec_eval_tests" / name for name in DISTRIBUTED]
    assert sum(map(len, map(printed, paths))) == 121_135
    assert sum(map(len, map(printed, distributed))) == 1_778


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder, names in STORED.items() for name in names])
def test_every_line_equals_trec_eval(shared: Path, folder: str, name: str) -> None:
    index = json.loads((shared / folder / "expected" / "index.json").read_text())
    entry = next(entry for entry in index if entry["name"] == name)
    options = set(entry["args"])
    assert options <= {"-q", "-m", "all_trec", "-c", "-l2"}
    rel = 2 if "-l2" in options else None
    table = rw.evaluate_runs(shared / folder / entry["qrels"], [shared / folder / entry["run"]], ["all_trec"], rel=rel)
    lines = data.trec(tables.trec_lines(table, rel=rel, complete="-c" in options, with_queries=True)).splitlines()
    assert lines == printed(shared / folder / "expected" / f"{name}.txt")
    # Without -c trec_eval 10 stops at a query that the run does not answer: there are none in these outputs.
    assert "-c" in options or not next(iter(table.values())).counts.unanswered


@pytest.mark.parametrize("name", DISTRIBUTED)
def test_every_line_equals_distributed_output_of_trec_eval(
    shared: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shared / "trec_eval_tests")
    *options, qrels, run = DISTRIBUTED[name].split()
    assert main(["evaluate", qrels, run, *options, "-f", "trec", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == printed(Path(name))


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


@pytest.mark.parametrize("base", [2, 10])
@pytest.mark.parametrize("run", DL_RUNS)
def test_original_ndcg_equals_dcg_eval(shared: Path, run: str, base: int) -> None:
    """No discount before the rank that is the base; the run cut at 1,000, the ideal not."""
    folder = shared / "dl1920_rankllm"
    one = rw.nDCG(discount="rank", base=base)
    values = rw.evaluate(folder / f"qrels.{run[:4]}-passage.txt", folder / f"{run}.txt.gz", [one], depth=1000)
    ours = {query: row[str(one)] for query, row in values.per_query.to_dict().items()} | {"all": values[one]}
    lines = [line.split() for line in (folder / f"expected/{run}.dcg_eval_jk_b{base}.txt").read_text().splitlines()]
    assert {query: f"{value:.6g}" for query, value in ours.items()} == dict(lines)


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


def printed(path: Path) -> list[str]:
    """What trec_eval printed, without the one measure that has no value."""
    return [line for line in path.read_text().splitlines() if not line.startswith(NO_VALUE)]


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
    block = replace(judge(qrels, run).hits.block(np.arange(len(qrels))), ties="expected")
    return {key: dict(zip(qrels.queries, one.values(block).tolist(), strict=True)) for key, one in measures.items()}


def test_judgements_are_no_misfits(shared: Path) -> None:
    paths = sorted(shared.rglob("*qrel*"))
    assert paths
    for path in paths:
        try:
            rw.Qrels(path, duplicate_judgements="max")
        except rw.InputError as error:
            assert error.slug != "unfit-columns", path  # noqa: PT017 - any other error is the file's own

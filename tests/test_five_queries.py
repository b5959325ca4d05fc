"""One input of five queries, as tools measure it: every number and every refusal, by the name of a profile.

The page `docs/conventions/five-queries.md` shows the same table; what stands there is checked against what stands here.
"""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import rankworth as rw

ROOT: Final = Path(__file__).parents[1]
PROBE: Final = ROOT / "docs" / "example"
PAGE: Final = (ROOT / "docs" / "conventions" / "five-queries.md").read_text(encoding="utf-8")
COLUMNS: Final = ("nDCG@10", "AP@10", "RR", "P@10", "R@10")


@dataclass(frozen=True)
class Row:
    """One configuration of a tool.

    Attributes:
        tool: the tool and how it was called.
        profile: the name of its profile.
        cells: what the tool calls a measure, and the number that it gives, as printed; by the column of the table.

    """

    tool: str
    profile: str
    cells: dict[str, dict[str, str]]

    def __str__(self) -> str:
        return self.tool


def row(tool: str, profile: str, *cells: str) -> Row:
    """A row from cells such as `RR 0.5` in the order of the columns; two numbers of one column are parted by `/`."""
    measured = (dict(one.rsplit(maxsplit=1) for one in cell.split(" / ")) if cell else {} for cell in cells)
    return Row(tool, profile, {column: some for column, some in zip(COLUMNS, measured, strict=False) if some})


ROWS: Final = [
    row(
        "trec_eval 9.0.8",
        "trec_eval-9.0.8",
        *("ndcg_cut_10 0.3944", "map_cut_10 0.3417", "recip_rank 0.6250", "P_10 0.1000", "recall_10 0.4667"),
    ),
    row(
        "trec_eval 9.0.8 -c",
        "trec_eval-9.0.8-c",
        *("ndcg_cut_10 0.3155", "map_cut_10 0.2733", "recip_rank 0.5000", "P_10 0.0800", "recall_10 0.3733"),
    ),
    row(
        "trec_eval 10.0 -c",
        "trec_eval-10.0-c",
        *("ndcg_cut_10 0.3155", "map_cut_10 0.2733", "recip_rank 0.5000", "P_10 0.0800", "recall_10 0.3733"),
    ),
    row(
        "pytrec_eval-terrier 0.5.11",
        "pytrec_eval-terrier-0.5",
        *("ndcg_cut_10 0.3944", "map_cut_10 0.3417", "recip_rank 0.6250", "P_10 0.1000", "recall_10 0.4667"),
    ),
    row(
        "ir_measures 0.4.3",
        "ir_measures-0.4",
        *("nDCG@10 0.3155", "AP@10 0.2733", "RR 0.5000 / RR@10 0.6000", "P@10 0.0800", "R@10 0.3733"),
    ),
    row(
        "ranx 0.3.21, make_comparable",
        "ranx-0.3-comparable",
        *("ndcg@10 0.3893", "map@10 0.3733", "mrr 0.6000", "precision@10 0.0800", "recall@10 0.3733"),
    ),
    row("ranx 0.3.21, ndcg_burges@10", "ranx-0.3-comparable", "ndcg_burges@10 0.3832"),
    row(
        "BEIR 2.2.0",
        "beir-2.2",
        *("NDCG@10 0.3944", "MAP@10 0.3417", "MRR@10 0.6000", "P@10 0.1000", "Recall@10 0.4667"),
    ),
    row(
        "sentence-transformers 6.2.0",
        "sentence-transformers-6",
        *("ndcg@10 0.5261", "map@10 0.4667", "mrr@10 0.7500", "precision@10 0.1000", "recall@10 0.4667"),
    ),
    row(
        "Haystack 3.4.0",
        "haystack-3.4",
        "DocumentNDCGEvaluator 0.3893",
        "DocumentMAPEvaluator 0.3733",
        "DocumentMRREvaluator 0.6000",
        "",
        "DocumentRecallEvaluator 0.6000 / DocumentRecallEvaluator(mode=multi_hit) 0.3733",
    ),
    row(
        "LlamaIndex 0.14.25",
        "llama_index-0.14",
        *("ndcg 0.7015", "ap 0.6222", "mrr 1.0000", "precision 0.7222", "recall 0.6222"),
    ),
    row(
        "MLflow 3.17.2",
        "mlflow-3.17",
        *("ndcg_at_10 0.5531", "", "", "precision_at_10 0.4333", "recall_at_10 0.3733"),
    ),
    row(
        "torchmetrics 1.9.0",
        "torchmetrics-1.9",
        "RetrievalNormalizedDCG(top_k=10) 0.6530",
        "RetrievalMAP(top_k=10) 0.7500",
        "RetrievalMRR 0.7500",
        "RetrievalPrecision(top_k=10) 0.1000",
        "RetrievalRecall(top_k=10) 0.7500",
    ),
    row("scikit-learn 1.9.1, union of both lists", "scikit-learn-1.9-all", "ndcg_score(k=10) 0.6510"),
    row(
        "RecTools 0.19.0",
        "rectools-0.19",
        *("NDCG(k=10) 0.1998", "MAP(k=10) 0.4667", "MRR(k=10) 0.7500", "Precision(k=10) 0.1000", "Recall(k=10) 0.4667"),
    ),
    row(
        "RecTools 0.19.0, divide_by_achievable",
        "rectools-0.19",
        "NDCG(k=10, divide_by_achievable=True) 0.5261",
    ),
    row(
        "recommenders 1.2.1",
        "recommenders-1.2",
        "ndcg_at_k(k=10) 0.5261 / ndcg_at_k(k=10, score_type=raw) 0.4867",
        "map(k=10) 0.6222",
        "",
        "precision_at_k(k=10) 0.1333",
        "recall_at_k(k=10) 0.6222",
    ),
    row(
        "RePlay 0.22.0, dicts with a list for every user",
        "replay-0.22-users",
        *("NDCG@10 0.4209", "MAP@10 0.3733", "MRR@10 0.6000", "Precision@10 0.0800", "Recall@10 0.3733"),
    ),
]
CELLS: Final = [
    (row.tool, row.profile, measure, printed)
    for row in ROWS
    for some in row.cells.values()
    for measure, printed in some.items()
]
REFUSED: Final = [
    ("trec_eval 10.0", "trec_eval-10.0", "ndcg_cut_10", "exit status 4"),
    ("ranx 0.3.21", "ranx-0.3", "ndcg@10", "AssertionError"),
    ("BEIR 2.2.0, recall_cap", "beir-2.2", "R_cap@10", "ZeroDivisionError"),
]


def evaluated(profile: str, measures: list[str]) -> rw.Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(PROBE / "qrels.txt", PROBE / "old.run", measures, profile=profile)


@pytest.mark.parametrize(("tool", "profile", "measure", "printed"), CELLS, ids=lambda text: text)
def test_every_cell_comes_out_by_naming_a_profile(tool: str, profile: str, measure: str, printed: str) -> None:  # noqa: ARG001 - it names the case
    assert f"{evaluated(profile, [measure])[measure]:.4f}" == printed


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_cells_of_a_row_come_out_together(row: Row) -> None:
    cells = {measure: printed for some in row.cells.values() for measure, printed in some.items()}
    values = evaluated(row.profile, list(cells))
    assert {measure: f"{values[measure]:.4f}" for measure in cells} == cells


@pytest.mark.parametrize(("tool", "profile", "measure", "says"), REFUSED, ids=lambda text: text)
def test_what_a_tool_refuses_is_refused_in_its_terms(tool: str, profile: str, measure: str, says: str) -> None:  # noqa: ARG001 - it names the case
    with pytest.raises(rw.InputError, match=re.escape(says)) as caught:
        evaluated(profile, [measure])
    assert caught.value.slug == "refused-input"


def test_eighteen_configurations_give_twelve_different_numbers_for_one_ranking() -> None:
    ndcg = [printed for row in ROWS for measure, printed in row.cells["nDCG@10"].items()]
    assert len(ndcg) - 1 == 18  # trec_eval -c appears twice, with two versions and one number
    assert len(set(ndcg)) == 12
    assert (min(ndcg), max(ndcg)) == ("0.1998", "0.7015")


@pytest.mark.parametrize(
    ("profile", "measure", "queries"),
    [
        # pytrec_eval has no value for q3, which was not answered
        ("pytrec_eval-terrier-0.5", "ndcg_cut_10", {"q1", "q2", "q4", "q5"}),
        # sentence-transformers leaves out q5, for which nothing is relevant
        ("sentence-transformers-6", "ndcg@10", {"q1", "q2", "q3", "q4"}),
        # LlamaIndex raises for q3 and q5: no results, nothing expected
        ("llama_index-0.14", "ndcg", {"q1", "q2", "q4"}),
        # torchmetrics never hears of q3
        ("torchmetrics-1.9", "RetrievalNormalizedDCG(top_k=10)", {"q1", "q2", "q4", "q5"}),
        # scikit-learn refuses q3, a list of one document
        ("scikit-learn-1.9-all", "ndcg_score(k=10)", {"q1", "q2", "q4", "q5"}),
        # MLflow has a row for every query
        ("mlflow-3.17", "ndcg_at_10", {"q1", "q2", "q3", "q4", "q5"}),
    ],
)
def test_the_queries_behind_a_number_are_those_of_the_tool(profile: str, measure: str, queries: set[str]) -> None:
    table = evaluated(profile, [measure]).per_query
    [label] = table.measures
    assert {query for query, values in table.to_dict().items() if label in values} == queries


def table() -> Iterator[tuple[str, str, list[str], dict[str, list[str]]]]:
    """Tool, profile, measures and printed cells of each row of the page."""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) + 2 and "--profile" in cells[1]:
            profile, _, measures = cells[1].strip("`").removeprefix("--profile ").partition(" -m ")
            printed = {column: cell.split(" / ") for column, cell in zip(COLUMNS, cells[2:], strict=True) if cell}
            yield cells[0], profile, re.findall(r"'[^']+'|\S+", measures), printed


def test_the_page_shows_the_same_table() -> None:
    shown = {
        (tool, profile): ([measure.strip("'") for measure in measures], printed)
        for tool, profile, measures, printed in table()
        if "refused" not in str(printed)
    }
    assert shown == {
        (row.tool, row.profile): (
            [measure for some in row.cells.values() for measure in some],
            {column: list(some.values()) for column, some in row.cells.items()},
        )
        for row in ROWS
    }


def test_the_page_shows_the_same_refusals() -> None:
    shown = {(tool, profile) for tool, profile, _, printed in table() if "refused" in str(printed)}
    assert shown == {(tool, profile) for tool, profile, _, _ in REFUSED}

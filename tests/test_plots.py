"""Plots carry the numbers of their frames, in all scripts, and leave nothing behind but the Axes."""

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import AxLine, Line2D
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

import rankworth as rw
from rankworth import plots
from rankworth.errors import InputError, MeasureError, RankworthWarning, UsageError
from rankworth.explanation import BY
from rankworth.pages import SHARED
from rankworth.plots.canvas import families, label
from rankworth.plots.palette import DARK, LIGHT, palette_on

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "d": 0}, "q3": {"e": 3}}
RUNS = {
    "old": {"q1": ["c", "b", "a"], "q2": ["d", "a"], "q3": ["x", "y", "e"]},
    "new": {"q1": ["a", "b", "c"], "q2": ["a", "d"], "q3": ["x", "e"]},
}
EXP2 = "nDCG(gain=exp2)@3"
STEPS = [3.0, 1 / math.log2(3), 0.0]  # 2**2 - 1, then (2**1 - 1) / log2(3), then a grade of 0
IDEAL = [3.0, 3 / math.log2(3), 1 / math.log2(4)]  # grades 2, 2, 1
SCENARIOS = {
    "Perfect_Ranking": {"nDCG@3": 1.0, "RR": 1.0, "AP@3": 0.75},
    "Worst_Ranking": {"nDCG@3": 0.2097, "RR": 0.25, "AP@3": 0.2917},
}


@pytest.fixture(autouse=True)
def _no_figures() -> Iterator[None]:
    """Figures that pyplot holds are gone after each test."""
    with mpl.rc_context():
        mpl.use("agg")
        yield
    plt.close("all")


def own_axes(**settings: Any) -> Axes:
    """Axes that pyplot does not know."""
    ax = Figure(figsize=(7, 5), layout="constrained").subplots(**settings)
    assert isinstance(ax, Axes)
    return ax


def words(ax: Axes) -> list[str]:
    """All that is written, ids of ticks included."""
    return [text.get_text() for text in ax.findobj(Text) if isinstance(text, Text) and text.get_text()]


def points(line: Line2D) -> list[tuple[float, float]]:
    """The points of a line."""
    return [(float(x), float(y)) for x, y in np.column_stack(line.get_data()).tolist()]


def drawn(ax: Axes) -> dict[str, list[tuple[float, float]]]:
    """The points of each line that has a name."""
    return {str(line.get_label()): points(line) for line in ax.lines if not str(line.get_label()).startswith("_")}


VALUES = rw.evaluate_runs(QRELS, RUNS, ["nDCG@10", "RR", "P@2"])
COMPARED = rw.compare(QRELS, RUNS, ["nDCG@10", "RR", "P@2"], margin=0.1)
PLOTS: dict[str, Callable[[Axes | None], Axes]] = {
    "dots": lambda ax: plots.scores(VALUES, ax=ax),
    "bars": lambda ax: plots.scores(VALUES, "bars", ax=ax),
    "radar": lambda ax: plots.scores(VALUES, "radar", ax=ax),
    "histogram": lambda ax: plots.histogram(VALUES["old"], "RR", ax=ax),
    "differences": lambda ax: plots.differences(COMPARED, ax=ax),
    "at_k": lambda ax: plots.at_k(QRELS, RUNS, "nDCG", ax=ax),
    "precision_recall": lambda ax: plots.precision_recall(QRELS, RUNS, ax=ax),
    "contributions": lambda ax: plots.contributions(rw.explain(QRELS, RUNS["old"], "nDCG@3", query="q1"), ax=ax),
    "difference": lambda ax: plots.contributions(
        rw.explain(QRELS, RUNS["old"], "nDCG@3", query="q1", against=RUNS["new"]), ax=ax
    ),
} | {by: lambda ax, by=by: plots.vary(["nDCG@5", "RR"], by, ax=ax) for by in BY}
"""one of each kind"""
every_plot = pytest.mark.parametrize("name", PLOTS)


def axes_for(name: str) -> Axes:
    """Axes of the kind that a plot needs."""
    return own_axes(**({"subplot_kw": {"projection": "polar"}} if name == "radar" else {}))


def boxes(texts: Iterable[Text]) -> list[Bbox]:
    """Where words are on the picture, once it is laid out."""
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()]


def laid_out(ax: Axes) -> Figure:
    """The figure after its layout has settled; warnings of letters without a glyph are errors."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    for _ in range(3):
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


def assert_readable(ax: Axes) -> None:
    """All words are on the picture, and no level number of a tick lies on the next one."""
    figure = laid_out(ax)
    others = {text for text in ax.findobj(Text) if isinstance(text, Text)}
    shown: list[Text] = []
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for ticks in (axis.get_major_ticks(), axis.get_minor_ticks()):
            others -= {text for tick in ticks for text in (tick.label1, tick.label2)}
            seen = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
            for one, other in pairwise(boxes(text for text in seen if not text.get_rotation())):
                assert not one.overlaps(other), [text.get_text() for text in seen]
            shown += seen
    picture = figure.bbox.padded(1)
    for box in boxes((*shown, *others)):
        assert picture.x0 <= box.x0 <= box.x1 <= picture.x1
        assert picture.y0 <= box.y0 <= box.y1 <= picture.y1


# numbers


def test_contributions_are_those_of_the_notebook_against_the_ideal() -> None:
    told = rw.explain(grades=[2, 1, 0, 1, 2], measure=EXP2)
    frame = plots.data.contributions(told)
    by = {name: part["contribution"].to_list() for (name,), part in frame.partition_by("ranking", as_dict=True).items()}
    assert by["run"] == pytest.approx(STEPS, abs=1e-15)
    assert by["ideal"] == pytest.approx(IDEAL, abs=1e-15)

    ax = plots.contributions(told)
    [bars] = [one for one in ax.containers if isinstance(one, BarContainer)]
    assert [bar.get_height() for bar in bars] == by["run"]
    [outline] = [patch for patch in ax.patches if patch.get_label() == "ideal ranking"]
    assert outline.get_linestyle() != "solid"
    assert outline.get_data().values.tolist() == by["ideal"]  # type: ignore[attr-defined]
    assert ax.get_title(loc="left") == f"{EXP2} = 3.6309 / 5.3928 = 0.6733"
    assert "cutoff 3" in words(ax)


def test_what_nobody_judged_is_hatched_and_has_a_question_mark() -> None:
    ax = plots.contributions(rw.explain(grades=[1, None, 0], measure="nDCG@3"))
    hatched = [patch for patch in ax.patches if patch.get_hatch()]
    assert [patch.get_x() + patch.get_width() / 2 for patch in hatched] == [2.0]  # type: ignore[attr-defined]
    above = {text.xy: text.get_text() for text in ax.texts if isinstance(text, Annotation)}
    assert {place: above[place] for place in ((1, 1.0), (2, 0.0), (3, 0.0))} == {
        (1, 1.0): "1",
        (2, 0.0): "?",
        (3, 0.0): "0",
    }


def test_documents_stand_below_their_ranks() -> None:
    ax = plots.contributions(rw.explain(QRELS, RUNS["old"], "nDCG@3", query="q1"))
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "3"]
    assert [text.get_text() for text in ax.get_xticklabels(minor=True)] == ["c", "b", "a"]


def test_a_difference_is_drawn_document_by_document() -> None:
    told = rw.explain(QRELS, RUNS["old"], "AP", query="q1", against=RUNS["new"])
    stays, moves = (2 / 2 - 1 / 2) / 2, (1 / 1 - 2 / 3) / 2  # what b and a add, of two relevant documents
    frame = plots.data.contributions(told)
    assert frame["document"].to_list()[:3] == ["b", "a", "c"]
    assert frame["difference"].sum() == pytest.approx(told.difference, abs=1e-14)
    ax = plots.contributions(told)
    widths = [bar.get_width() for one in ax.containers for bar in one]
    assert widths == frame["difference"].to_list()[:2] == pytest.approx([stays, moves], abs=1e-15)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b", "a"]
    assert {"+0.2500   rank 2", "+0.1667   rank 3 \N{RIGHTWARDS ARROW} 1"} <= set(words(ax))
    assert ax.get_title(loc="left") == "AP: +0.4167\nsecond run \N{MINUS SIGN} first run, query q1"


def test_curves_over_cutoffs_have_the_values_of_single_evaluations() -> None:
    frame = plots.data.at_k(QRELS, RUNS, "nDCG", cutoffs=[3, 1, 2])
    for run in RUNS:
        for cutoff in (1, 2, 3):
            [value] = frame.filter(run=run, cutoff=cutoff)["value"]
            assert value == rw.evaluate(QRELS, RUNS[run], [f"nDCG@{cutoff}"])[f"nDCG@{cutoff}"]
    ax = plots.at_k(QRELS, RUNS, "nDCG@10", cutoffs=[1, 2, 3])
    assert drawn(ax) == {run: frame.filter(run=run).select("cutoff", "value").rows() for run in RUNS}
    assert ax.get_ylabel() == "nDCG@k"


def test_all_cutoffs_are_measured_in_one_go() -> None:
    with patch.object(plots.data, "evaluate_runs", side_effect=rw.evaluate_runs) as measured:
        plots.at_k(QRELS, RUNS, "P", cutoffs=range(1, 20))
    assert measured.call_count == 1


def test_precision_is_the_best_at_any_rank_that_reaches_a_recall() -> None:
    ranking = {"q": ["r1", "x1", "r2", "x2", "x3", "r3"]}  # precision 1/1, 2/3, 3/6 at recall 1/3, 2/3, 1
    frame = plots.data.precision_recall({"q": {"r1": 1, "r2": 1, "r3": 1}}, {"run": ranking})
    expected = [1.0] * 5 + [2 / 3] * 4 + [3 / 6] * 2  # 0.5 x 3 and 0.9 x 3 are rounded to 2 and 3 documents
    assert frame["recall"].to_list() == [place / 10 for place in range(11)]
    assert frame["precision"].to_list() == pytest.approx(expected, abs=1e-15)
    ax = plots.precision_recall({"q": {"r1": 1, "r2": 1, "r3": 1}}, {"run": ranking})
    assert drawn(ax)["run"] == frame.select("recall", "precision").rows()


def test_one_run_needs_no_list(tmp_path: Path) -> None:
    path = tmp_path / "only.run"
    path.write_text("q1 Q0 a 1 2.0 tag\nq2 Q0 d 1 2.0 tag\nq3 Q0 e 1 2.0 tag\n")
    for one in (path, str(path), rw.Run(path)):
        assert plots.data.at_k(QRELS, one, "P", cutoffs=[1])["value"].to_list() == [2 / 3]


def test_a_histogram_counts_queries_and_marks_their_mean() -> None:
    values = rw.evaluate(QRELS, RUNS["old"], ["RR"])  # 1/2, 1/2, 1/3
    assert plots.data.histogram(values, "RR").rows() == [("q1", 0.5), ("q2", 0.5), ("q3", 1 / 3)]
    ax = plots.histogram(values, "recip_rank")
    bars = {round(bar.get_x(), 1): bar.get_height() for bar in ax.patches if bar.get_height()}  # type: ignore[attr-defined]
    assert bars == {0.5: 2.0, 0.3: 1.0}
    mean = (1 / 2 + 1 / 2 + 1 / 3) / 3
    assert ax.lines[0].get_xdata() == [mean, mean]
    assert "mean 0.4444" in words(ax)
    assert ax.get_title(loc="left") == "RR of 3 queries"


def test_a_histogram_marks_the_mean_of_what_is_summed_and_the_geometric_mean() -> None:
    counted = plots.histogram(rw.evaluate(QRELS, RUNS["old"], ["NumRel"]), "NumRel")  # 2, 1, 1
    assert "mean 1.3333" in words(counted)
    geometric = plots.histogram(rw.evaluate(QRELS, RUNS["old"], [rw.gmean(rw.RR)]), rw.gmean(rw.RR))
    assert "geometric mean 0.4368" in words(geometric)  # (1/2 * 1/2 * 1/3) ** (1/3)


def test_counts_have_bars_of_their_own_and_no_decimals() -> None:
    many = {f"q{place}": {f"d{other}": 1 for other in range(place)} for place in (1, 3, 3, 17)}
    values = rw.evaluate(many, {query: ["d0"] for query in many}, ["NumRel", "RR"])
    ax = plots.histogram(values, "NumRel")
    bars = {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in ax.patches if bar.get_height()}  # type: ignore[attr-defined]
    assert bars == pytest.approx({1.0: 1.0, 3.0: 1.0, 17.0: 1.0})
    assert [text.get_text() for text in plots.scores(values, interval=False).texts] == ["21", "1.0000"]


def test_whole_numbers_and_tiny_ones_are_values_too() -> None:
    scenarios: dict[str, dict[str, float | None]] = {"x": {"RR": 0, "AP": 3e-7}, "y": {"RR": 0.5, "AP": None}}
    assert plots.data.scores(scenarios)["value"].to_list() == [0.0, 3e-7, 0.5, None]
    said = [text.get_text() for text in plots.scores(scenarios).texts]
    assert said == ["0.0000", "0.5000", "3.0e\N{MINUS SIGN}7", "n/a"]


def test_queries_without_a_value_are_counted_apart() -> None:
    values = rw.evaluate(labels=[[0, 0], [1, 0]], measures=["R"], undefined="nan")
    assert plots.histogram(values, "R").get_title(loc="left") == "R of 1 query (1 more without a value)"
    skipped = rw.evaluate(labels=[[0, 0], [1, 0]], measures=["R", "P@1"], undefined="skip")
    assert plots.data.histogram(skipped, "R").rows() == [("1", 1.0)]


def test_dots_carry_means_and_intervals() -> None:
    values = rw.evaluate_runs(QRELS, RUNS, ["nDCG@10", "RR"])
    rows = plots.data.scores(values).rows(named=True)
    assert [(row["run"], row["measure"]) for row in rows] == [
        ("old", "nDCG@10"), ("old", "RR"), ("new", "nDCG@10"), ("new", "RR"),
    ]  # fmt: skip
    for row in rows:
        one = values[row["run"]]
        assert (row["value"], row["low"], row["high"]) == (one[row["measure"]], *one.interval()[row["measure"]][:2])
    ax = plots.scores(values)
    lines = [points(line) for line in ax.lines]
    assert {line[0][0] for line in lines if len(line) == 1} == {row["value"] for row in rows}
    spans = {(line[0][0], line[1][0]) for line in lines if len(line) == 2}
    assert spans == {(row["low"], row["high"]) for row in rows}
    assert ax.get_xlabel() == "mean over 3 queries, with its 95% interval"
    said = "{value:.4f}   {low:.4f}\N{HORIZONTAL ELLIPSIS}{high:.4f}"
    assert [text.get_text() for text in ax.texts] == [said.format(**rows[place]) for place in (0, 2, 1, 3)]


@pytest.mark.parametrize("all_pairs", [False, True])
def test_differences_stand_beside_0_and_their_margins(all_pairs: bool) -> None:
    runs = RUNS | {"third": {"q1": ["b"], "q2": ["a"], "q3": ["e"]}}
    compared = rw.compare(QRELS, runs, ["nDCG@10", "RR"], margin=0.1, all_pairs=all_pairs)
    ax = plots.differences(compared)
    rows = plots.data.differences(compared).rows(named=True)
    assert [(row["run"], row["against"], row["measure"], row["value"], row["verdict"]) for row in rows] == [
        (one.second, one.first, one.measure, one.difference, one.word) for one in compared.differences
    ]
    lines = [points(line) for line in ax.lines]
    assert {line[0][0] for line in lines if len(line) == 1} == {one.difference for one in compared.differences}
    assert [(0.0, 0.0), (0.0, 1.0)] in lines
    low, high = ax.get_xlim()
    assert low < -0.1 < 0.1 < high
    names = [text.get_text() for text in ax.get_yticklabels()]
    expected = []
    for measure in ("nDCG@10", "RR"):
        of_measure = [one for one in compared.differences if one.measure == measure]
        of_measure.sort(key=lambda one: -one.difference)
        expected += [measure, *(f"{one.second} - {one.first}" if all_pairs else one.second for one in of_measure)]
    assert names == expected
    assert ax.get_xlabel().startswith("difference, with" if all_pairs else "difference from old, with 95% intervals")


def test_bars_carry_the_means_of_scenarios() -> None:
    frame = plots.data.scores(SCENARIOS)
    assert frame.rows()[:2] == [("Perfect_Ranking", "nDCG@3", 1.0), ("Perfect_Ranking", "RR", 1.0)]
    ax = plots.scores(SCENARIOS, kind="bars")
    widths = [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]
    assert widths == [1.0, 0.2097, 1.0, 0.25, 0.75, 0.2917]
    assert ax.get_xlabel() == ""


def test_a_radar_is_closed_and_begins_above() -> None:
    ax = plots.scores(SCENARIOS, kind="radar")
    assert [up for _, up in points(ax.lines[0])] == [1.0, 1.0, 0.75, 1.0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["nDCG@3", "RR", "AP@3"]
    assert "depends on the order" in str(plots.scores.__doc__)


def test_frames_come_from_the_library_that_is_asked_for() -> None:
    frame = plots.data.scores(SCENARIOS, library="pandas")
    assert list(frame.columns) == ["scenario", "measure", "value"]


# changes


def test_positions_become_lines_and_the_ranking_as_it_is_a_thin_one() -> None:
    ax = plots.vary(["RR"], "position", qrels={"q": {"a": 1}}, run={"q": ["x", "a", "y"]}, query="q", document="a")
    assert drawn(ax) == {"RR": [(1, 1.0), (2, 1 / 2), (3, 1 / 3)]}
    assert [points(line) for line in ax.lines if line.get_linewidth() < 1] == [[(0.0, 1 / 2), (1.0, 1 / 2)]]
    assert ax.get_xlabel() == "rank of the document; thin lines: the unchanged ranking"


def test_grades_become_groups_of_bars_for_each_measure() -> None:
    ax = plots.vary(["RR", "P@2"], "grade", grades=[1, 0], kind="bars")
    assert [[bar.get_height() for bar in group] for group in ax.containers] == [[0.0, 0.0], [1.0, 0.5]]  # type: ignore[attr-defined]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["RR", "P@2"]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["grade 0", "grade 1"]
    assert [{up for _, up in points(line)} for line in ax.lines] == [{1.0}, {0.5}]  # the unchanged ranking
    for way in ("swap", "ties"):
        with pytest.raises(rw.UsageError, match="unknown-setting"):
            plots.vary("RR", way, grades=[1, 0], kind="bars")


def test_names_stand_at_the_ends_of_curves_that_end_apart_and_in_a_legend_on_the_axes_otherwise() -> None:
    ax = plots.vary(["nDCG@5", "RR"], by="position")
    assert ax.get_legend() is None
    assert {"nDCG@5", "RR"} <= {text.get_text() for text in ax.texts}
    ax = plots.precision_recall({"q": {"a": 1}}, {name: {"q": ["a"]} for name in "abcde"})
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [*"abcde"]
    ax.figure.canvas.draw()
    box = legend.get_window_extent()
    assert ax.bbox.contains(box.x0, box.y0)
    assert ax.bbox.contains(box.x1, box.y1)


def test_a_chart_of_one_row_is_low_and_words_that_a_column_has_no_room_for_are_left_out() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(8)}  # three have no interval
    runs = {"old": {query: ["b", "a"] for query in qrels}, "new": {query: ["a"] for query in qrels} | {"q0": ["b"]}}
    compared = rw.compare(qrels, runs, ["nDCG@10"])
    figure = plots.differences(compared).get_figure(root=True)
    assert figure is not None
    assert figure.get_size_inches()[1] < 2.2
    wide, narrow = (plots.differences(compared, ax=Figure(figsize=(inches, 2)).subplots()) for inches in (7, 3.4))
    low_end = plots.canvas.number(compared.differences[0].low)
    assert "n/a" not in low_end
    assert any(low_end in text.get_text() for text in wide.texts)
    assert not any(low_end in text.get_text() for text in narrow.texts)


def test_queries_are_drawn_by_their_difference_by_both_values_and_as_cells() -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(4)}
    old = {"q0": ["b", "a"], "q1": ["a"], "q2": ["b", "c", "a"], "q3": ["a"]}
    new = {"q0": ["a"], "q1": ["b", "a"], "q2": ["b", "a"], "q3": ["a"]}
    compared = rw.compare(qrels, {"old": old, "new": new}, ["RR", "MeanRank", "Entropy@1"], history={"q0": ["a"]})
    ax = plots.query_differences(compared, "RR")
    assert [bar.get_height() for bar in ax.patches] == [0.5, pytest.approx(1 / 6, abs=1e-15), 0.0, -0.5]  # type: ignore[attr-defined]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["q0", "q2", "q3", "q1"]
    assert ax.get_title(loc="left") == "RR of 4 queries: new better on 2, old on 1"
    lower = plots.data.query_differences(compared, "MeanRank").rows(named=True)  # lower is better
    assert [(row["query"], row["difference"], row["gain"]) for row in lower] == [
        ("q0", -1.0, 1.0),
        ("q2", -1.0, 1.0),
        ("q3", 0.0, 0.0),
        ("q1", 1.0, -1.0),
    ]
    ax = plots.query_scatter(compared, "RR")
    marks = {line.get_label(): points(line) for line in ax.lines if len(line.get_xdata()) and line.get_label() != "_"}  # type: ignore[arg-type]
    assert marks == {
        "new better: 2": [(0.5, 1.0), (1 / 3, 0.5)],
        "old better: 1": [(1.0, 0.5)],
        "equal: 1": [(1.0, 1.0)],
    }
    assert ax.get_xlim() == ax.get_ylim()  # so that a value above the diagonal is higher
    assert ax.get_xlim()[0] < 1 / 3
    assert ax.get_xlim()[1] > 1
    diagonal = next(line for line in ax.lines if isinstance(line, AxLine))
    assert (diagonal.get_xy1(), diagonal.get_slope()) == ((0, 0), 1)
    assert plots.data.query_scatter(compared, "RR").rows() == plots.data.query_differences(compared, "RR").rows()
    ax = plots.heat_map(compared, "RR")
    assert ax.images[0].get_array().tolist() == [[1.0, 0.5, 1.0, 1 / 3], [1.0, 1.0, 0.5, 0.5]]  # type: ignore[union-attr]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["q3", "q0", "q1", "q2"]
    for draw in (plots.query_differences, plots.query_scatter, plots.heat_map):
        with pytest.raises(rw.UsageError, match="Entropy@1 is measured on all queries together"):
            draw(compared, "Entropy@1")


def test_what_has_no_value_leaves_a_gap() -> None:
    ask: dict[str, Any] = {"qrels": {"q": {"a": 1}}, "run": {"q": ["a"]}, "query": "q", "undefined": "nan"}
    ax = plots.vary("R@5", "grade", **ask)  # without a relevant document there is no recall
    [(grade, void), known] = drawn(ax)["R@5"]
    assert (grade, known) == (0, (1, 1.0))
    assert math.isnan(void)


def test_documents_that_stand_beside_have_lines_of_their_own() -> None:
    discount = 1 / math.log2(3)
    assert drawn(plots.vary("nDCG@5", "grade")) == {
        "nDCG@5": [(0, 0.0), (1, 1.0), (2, 1.0)],
        "nDCG@5, beside grade 2": [
            (0, pytest.approx(2 * discount / 2, abs=1e-15)),
            (1, pytest.approx((1 + 2 * discount) / (2 + discount), abs=1e-15)),
            (2, 1.0),
        ],
    }


@pytest.mark.parametrize("measures", [("RR",), ("RR", "AP")])
def test_swaps_point_up_or_down_with_their_sign(measures: tuple[str, ...]) -> None:
    ask: dict[str, Any] = {"qrels": {"q": {"a": 1}}, "run": {"q": ["x", "a", "y", "z"]}, "query": "q"}
    ax = plots.vary(measures, "swap", **ask)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1-2", "2-3", "3-4"]
    tips = {name: [change for _, change in line] for name, line in drawn(ax).items()}
    up, down = 1 - 1 / 2, 1 / 3 - 1 / 2
    if len(measures) == 1:
        assert tips == {"better": [up], "worse": [down], "no change": [0.0]}
        assert ax.get_ylabel() == "change of RR"
    else:
        assert tips == {"RR": [up, down, 0.0], "AP": [up, down, 0.0]}
    assert words(ax).count("+0.5000") == words(ax).count("\N{MINUS SIGN}0.1667") == len(measures)


def test_of_many_swaps_only_the_best_and_the_worst_are_written_out() -> None:
    judged = {f"d{rank}": rank % 2 for rank in range(1, 21)}  # at ranks 1, 3, 5, ...
    ax = plots.vary("P@5", "swap", qrels={"q": judged}, run={"q": list(judged)}, query="q")
    assert drawn(ax)["worse"] == [(5.0, 2 / 5 - 3 / 5)]
    ax = plots.vary("AP", "swap", qrels={"q": judged}, run={"q": list(judged)}, query="q")
    assert {name: len(line) for name, line in drawn(ax).items()} == {"better": 9, "worse": 10}
    up = (2 / 2 - 2 / 3) / 10  # of ten relevant documents the second goes from rank 3 to 2
    down = (1 / 2 - 1 / 1) / 10
    said = [text.get_text() for text in ax.texts]
    assert said == [f"+{up:.4f}", f"\N{MINUS SIGN}{-down:.4f}"]


def test_swaps_that_change_nothing_are_no_crowd_of_marks() -> None:
    run = {"q": [f"d{place}" for place in range(40)]}
    ax = plots.vary("AP", "swap", qrels={"q": {"d9": 1}}, run=run, query="q")
    assert {name: len(line) for name, line in drawn(ax).items()} == {"better": 1, "worse": 1}
    assert "no swap changes the value" in words(plots.vary("R", "swap", qrels={"q": {"d9": 1}}, run=run, query="q"))


def test_ties_become_a_range_with_the_mean_and_the_value_as_it_is() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    ax = plots.vary("RR", "ties", qrels={"q": {"a": 1}}, run=run, query="q", ties="id-descending")
    bar, ends, strokes, mean, ring = (points(line) for line in ax.lines)
    assert bar == ends == [(1 / 2, 0.0), (1.0, 0.0)]
    assert strokes == []
    assert mean == [((1 / 2 + 1) / 2, 0.0)]
    assert ring == [(1 / 2, 0.0)]
    assert "0.5000\N{HORIZONTAL ELLIPSIS}1.0000   mean 0.7500" in words(ax)


def test_unjudged_documents_become_a_range_with_a_stroke_for_each() -> None:
    ax = plots.vary("RR", "unjudged", qrels={"q": {"a": 1}}, run={"q": ["x", "y", "a"]}, query="q")
    bar, ends, strokes, ring = (points(line) for line in ax.lines)
    assert bar == ends == [(1 / 3, 0.0), (1.0, 0.0)]
    assert strokes == [(1.0, 0.0), (1 / 2, 0.0)]
    assert ring == [(1 / 3, 0.0)]
    assert "0.3333\N{HORIZONTAL ELLIPSIS}1.0000" in words(ax)


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        ((), {"banana": 3}, "banana=3: plots.vary draws this variation as it is"),
        ((), {"by": "grade"}, "by='grade': plots.vary"),
        (("grade",), {}, "'grade': plots.vary"),
        ((), {"kind": "bar"}, "kind='bar': positions, grades, cutoffs and shares are lines or bars"),
    ],
)
def test_what_stands_beside_a_finished_variation_is_refused(arguments: Any, settings: Any, said: str) -> None:
    with pytest.raises(rw.UsageError, match="unknown-setting") as refused:
        plots.vary(rw.vary(measures="nDCG@5", by="position"), *arguments, **settings)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("settings", [{"banana": 3}, {"kind": "bar"}], ids=str)
def test_unknown_settings_of_vary_are_refused(settings: Any) -> None:
    with pytest.raises(rw.UsageError, match="unknown-setting"):
        plots.vary("nDCG@5", "position", **settings)


def test_arguments_of_vary_are_handed_on_and_give_the_figures_of_the_notebook_put_right() -> None:
    ax = plots.vary(["nDCG@5", "RR", "AP@5"], by="position")
    ranks = range(1, 6)
    assert drawn(ax) == {
        "nDCG@5": [(rank, pytest.approx(1 / math.log2(rank + 1), abs=1e-15)) for rank in ranks],
        "RR, AP@5": [(rank, 1 / rank) for rank in ranks],  # of two lines on each other, one would be seen
    }
    assert "cutoff k" in plots.vary("nDCG@3", "cutoff").get_xlabel()


def test_four_charts_share_a_figure_and_nothing_is_cut_off() -> None:
    figure, grid = plt.subplots(2, 2)
    for ax, by in zip(grid.flat, ("grade", "swap", "position", "cutoff"), strict=True):
        plots.vary(["nDCG@5", "AP", "RR", "P@3"], by, ax=ax)
    figure.canvas.draw()
    edges, boxes = figure.bbox, [ax.get_tightbbox() for ax in grid.flat]
    assert all(edges.x0 <= box.x0 and box.x1 <= edges.x1 and edges.y0 <= box.y0 and box.y1 <= edges.y1 for box in boxes)
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :])


@pytest.mark.parametrize("by", BY)
def test_whatever_is_varied_can_be_drawn(by: Any) -> None:
    sides = ({"q1": [("a", 10, 30)]}, {"q1": [("a", 0, 15), ("a", 15, 30)]}) if by == "share" else (QRELS, RUNS["old"])
    told = rw.vary(*sides, ["nDCG@5", "RR"], by, query="q1", ties="id-descending")
    ax = plots.vary(told)
    assert plots.data.vary(told).equals(told.to_frame())
    assert ax.get_title(loc="left").replace("\n", " ") == told.sentence


def test_the_scenarios_of_the_notebook_have_their_true_values() -> None:
    frame = plots.data.scores(rw.scenarios()).filter(measure=EXP2)
    assert frame["scenario"].to_list() == ["Perfect ranking", "Worst ranking", "Mixed ranking", "Late success"]
    assert frame["value"].round(4).to_list() == [1.0, 0.2097, 0.5364, 0.2781]
    assert "0.2097" in words(plots.scores(rw.scenarios()))


# what does not work


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="not of list") as wrong:
        plots.scores([1, 2])  # type: ignore[arg-type]
    assert wrong.value.slug == "input-type"
    with pytest.raises(UsageError, match="dots, bars or radar"):
        plots.scores(SCENARIOS, "pie")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="3 measures to have an area, there are 1"):
        plots.scores({"one": {"RR": 1.0}}, "radar")
    with pytest.raises(UsageError, match="needs round Axes"):
        plots.scores(SCENARIOS, "radar", ax=own_axes())
    with pytest.raises(MeasureError, match="has no cutoff"):
        plots.at_k(QRELS, RUNS, "NumRel")
    with pytest.raises(UsageError, match="was not measured"):
        plots.histogram(rw.evaluate(QRELS, RUNS["old"], ["RR"]), "AP")
    assert plt.get_fignums() == []


def test_without_matplotlib_numbers_are_there_and_plots_say_how_to_get_it() -> None:
    with patch.dict(sys.modules, {"matplotlib": None}):
        assert len(plots.data.scores(SCENARIOS)) == 6
        with pytest.raises(UsageError, match=r"pip install 'matplotlib>=3.11'") as missing:
            plots.scores(SCENARIOS)
    assert missing.value.slug == "missing-library"


def test_a_matplotlib_that_cannot_shape_arabic_is_too_old() -> None:
    with (
        patch.object(mpl, "__version_info__", (3, 10, 9)),
        patch.object(mpl, "__version__", "3.10.9"),
        pytest.raises(UsageError, match=r"3\.10\.9 is too old.*3\.11 is needed"),
    ):
        plots.scores(SCENARIOS)


def test_nothing_to_draw_is_said() -> None:
    assert "no values" in words(plots.scores(rw.RunValues({})))
    with pytest.warns(RankworthWarning, match="nothing-relevant"):
        void = rw.evaluate(labels=[[0, 0]], measures=["R"], undefined="nan")
    assert "no query has a value" in words(plots.histogram(void, "R"))
    one: dict[str, Any] = {"qrels": {"q": {"a": 1}}, "run": {"q": ["a"]}, "query": "q"}
    assert "nothing to vary" in words(plots.vary("RR", "swap", **one))
    none: dict[str, Any] = {"qrels": {"q": {"a": 0}}, "run": {"q": ["a", "b"]}, "query": "q", "undefined": "nan"}
    assert "n/a" in words(plots.vary("R@5", "ties", **none))
    assert "R@5 (n/a)" in words(plots.vary("R@5", "position", **none))
    assert "no swap has a value" in words(plots.vary("R@5", "swap", **none))
    same = rw.explain(QRELS, RUNS["old"], "AP", query="q1", against=RUNS["old"])
    assert "no document makes a difference" in words(plots.contributions(same))
    alone = plots.contributions(rw.explain({"q": {"a": 1}}, {"q": ["x"]}, "P@1", query="q"))
    assert alone.get_ylim() == (0.0, 1.0)
    assert "n/a" in words(plots.scores({"a": {"RR": math.nan}}))


# manners


@every_plot
def test_new_figures_are_open_and_settings_as_they_were(name: str) -> None:
    before = dict(mpl.rcParams)
    with patch.object(plt, "show", side_effect=AssertionError("nobody asked for a window")):
        ax = PLOTS[name](None)
    assert dict(mpl.rcParams) == before
    assert [plt.figure(number) for number in plt.get_fignums()] == [ax.get_figure(root=True)]


@every_plot
def test_given_axes_come_back_and_open_no_figure(name: str) -> None:
    before, ax = dict(mpl.rcParams), axes_for(name)
    assert PLOTS[name](ax) is ax
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


@every_plot
def test_all_words_are_on_the_picture_and_ticks_apart(name: str) -> None:
    assert_readable(PLOTS[name](None))
    assert_readable(PLOTS[name](axes_for(name)))


@pytest.mark.filterwarnings("ignore:labels show boxes")
def test_words_stay_on_the_picture_where_there_are_many_or_long_ones() -> None:
    names = {f"{'a long name of a run, number ' * 3}{place}": RUNS["new"] for place in range(20)}
    many = {"q": {f"document {place}": place % 3 for place in range(1000)}}
    ask: dict[str, Any] = {"qrels": many, "run": {"q": list(many["q"])}, "query": "q"}
    some = {"q": list(many["q"])[:25]}
    for ax in (
        plots.at_k(QRELS, names, "nDCG", cutoffs=range(1, 101)),
        plots.at_k(many, {"one": {"q": list(many["q"])}}, "R", cutoffs=[1, 5, 10, 100, 900, 1000]),
        plots.scores(rw.evaluate_runs(QRELS, names, ["RR", "AP", "P@2"])),
        plots.scores(rw.evaluate_runs(QRELS, names, ["RR", "AP", "P@2"]), "radar"),
        plots.contributions(rw.explain(**ask, measure="nDCG@20")),
        plots.contributions(rw.explain(**ask, measure="nDCG")),
        plots.contributions(rw.explain(**ask, measure="AP", against={"q": list(many["q"])[::-1]})),
        plots.contributions(rw.explain({"q" * 3000: {"a": 1}}, {"q" * 3000: ["a"]}, "RR", query="q" * 3000)),
        plots.vary(["nDCG", "AP"], "position", **ask, document="document 8"),
        plots.vary(["nDCG", "AP"], "swap", qrels=many, run=some, query="q"),
    ):
        assert_readable(ax)


def test_a_backend_that_a_notebook_loads_stays_interactive(tmp_path: Path) -> None:
    (tmp_path / "inline.py").write_text(
        "from matplotlib import rcParams\n"
        "from matplotlib.backends.backend_agg import *\n"
        "rcParams['interactive'] = True  # as the backend of notebooks does when it is loaded\n"
    )
    code = (
        "import matplotlib, rankworth; rankworth.plots.scores({'a': {'RR': 1.0}}); assert matplotlib.is_interactive()"
    )
    env = os.environ | {"MPLBACKEND": "module://inline", "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=env)


def test_nothing_is_taken_for_tex_whatever_the_settings() -> None:
    with mpl.rc_context({"text.usetex": True, "text.parse_math": False, "axes.formatter.use_locale": True}):
        ax = plots.scores({"100%_$x$": {"RR": 1.0}, "b": {"RR": 0.5}})
        every = [text for text in ax.findobj(Text) if isinstance(text, Text)]
        assert not any(text.get_usetex() for text in every)


def test_importing_costs_nothing_and_given_axes_need_no_pyplot() -> None:
    code = "import sys; from rankworth import plots; assert 'matplotlib' not in sys.modules"
    code += "; from matplotlib.figure import Figure; plots.scores({'a': {'RR': 1.0}}, ax=Figure().subplots())"
    code += "; assert 'matplotlib.pyplot' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_no_two_series_look_alike() -> None:
    for palette in (LIGHT, DARK):
        looks = [palette.style(place) for place in range(280)]
        assert len({(look.color, look.marker, look.dashes) for look in looks}) == 280
        assert len({look.color for look in looks[:7]}) == 7
        assert looks[0].marker != looks[1].marker
        assert looks[0].dashes != looks[1].dashes


def test_charts_pages_and_tables_have_the_same_colours() -> None:
    pair = r"light-dark\((#[0-9a-f]+), ?(#[0-9a-f]+)\)"
    variables = {name: colors for name, *colors in re.findall(rf"--(\w+): {pair}", SHARED["design.css"].read_text())}
    for number, palette in enumerate((LIGHT, DARK)):
        drawn = {"text": palette.text, "muted": palette.muted, "line": palette.grid}
        drawn |= {"accent": palette.more, "warning": palette.less}
        assert {name: color.lower() for name, color in drawn.items()} == {
            name: variables[name][number] for name in drawn
        }
    table = rw.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["RR"])._repr_html_()
    used = {*re.findall(pair, table)}
    assert used
    assert used <= {(light, dark) for light, dark in variables.values()}


def test_colours_follow_the_background() -> None:
    assert palette_on(1, 1, 1).series[:2] == ("#0072B2", "#B34700")
    assert palette_on(0.08, 0.09, 0.11).series[:2] == ("#56B4E9", "#E69F00")
    with plt.style.context("dark_background"):
        ax = plots.scores(SCENARIOS)
    assert ax.get_yticklabels()[0].get_color() == DARK.text


def test_more_is_blue_and_less_is_orange() -> None:
    judged = {"q": {"a": 2, "b": 1}}
    told = rw.explain(judged, {"q": ["a", "b"]}, "nDCG", query="q", against={"q": ["b", "a"]})
    ax = plots.contributions(told)
    colors = {bar.get_width() > 0: to_hex(bar.get_facecolor()).upper() for one in ax.containers for bar in one}
    assert colors == {True: "#0072B2", False: "#B34700"}
    swaps = plots.vary("RR", "swap", qrels={"q": {"a": 1}}, run={"q": ["x", "a", "y"]}, query="q")
    assert {line.get_label(): line.get_color() for line in swaps.lines if line.get_label() != "_"} == {
        "better": "#0072B2",
        "worse": "#B34700",
    }


def test_names_of_lines_do_not_lie_on_each_other() -> None:
    runs = {f"run {place}": RUNS["new"] for place in range(20)}
    ax = plots.at_k(QRELS, runs, "P", cutoffs=[1, 2])
    laid_out(ax)
    legend = ax.get_legend()
    assert legend is not None
    found = sorted((box.y0, box.y1) for box in boxes(legend.get_texts()))
    assert len(found) == 20
    assert all(lower[1] < upper[0] for lower, upper in pairwise(found))


# scripts and marks


NAMES = (
    "$d_1$ costs $5",
    "تأثير الكحول على الكبد",
    "השפעת אלכוהול",
    "tab\tand\x1b[31m",
    "x" * 10_000,
    r"back\slash_$^{",
)


def test_ids_are_drawn_as_they_are() -> None:
    runs = dict.fromkeys(NAMES, RUNS["old"])
    ax = plots.at_k(QRELS, runs, "P", cutoffs=[1, 2])
    said = words(ax)
    assert r"\$d_1\$ costs \$5" in said
    assert "تأثير الكحول على الكبد" in said
    assert "השפעת אלכוהול" in said
    assert r"tab\tand\x1b[31m" in said
    assert "x" * 16 + "..." + "x" * 17 in said
    assert_readable(ax)
    assert_readable(plots.scores(rw.evaluate_runs(QRELS, runs, ["RR", "AP"])))


def test_titles_run_from_left_to_right_whatever_they_begin_with() -> None:
    ask: dict[str, Any] = {"qrels": {"أثر": {"a": 1, "b": 0}}, "run": {"أثر": ["b", "a"]}, "query": "أثر"}
    left_to_right = "\N{LEFT-TO-RIGHT MARK}"
    assert plots.vary("RR", "ties", **ask).get_title(loc="left").startswith(f"{left_to_right}أثر")
    within = plots.vary("RR", "swap", **ask).get_title(loc="left")
    assert "أثر" in within
    assert left_to_right not in within


def test_a_title_holds_an_id_as_it_is_but_not_a_page_of_it() -> None:
    titles = []
    for query in ("$q$", "q" * 10_000):
        told = rw.explain({query: {"a": 1}}, {query: ["a"]}, "RR", query=query)
        titles.append(plots.contributions(told, ax=own_axes()).get_title(loc="left"))
    assert titles[0] == "RR = 1\nquery \\$q\\$"
    assert titles[1].startswith("RR = 1\nquery qqq")
    assert titles[1].endswith("q...")
    assert 2 <= titles[1].count("\n") <= 6


def test_wide_letters_count_twice_in_the_length_of_a_label() -> None:
    assert label("東" * 18) == "東" * 18
    assert label("東" * 19) == "東" * 8 + "..." + "東" * 8


def test_labels_that_begin_alike_stay_apart() -> None:
    ids = [f"https://example.org/a/very/long/path/to/document-{place}.html" for place in range(3)]
    assert len({label(one) for one in ids}) == 3
    assert all(len(label(one)) == 36 for one in ids)


def test_dollars_are_no_formulas_on_the_picture() -> None:
    ax = plots.scores({"$x$": {"RR": 1.0}, "y": {"RR": 0.5}})
    [tick] = [text for text in ax.get_yticklabels() if "x" in text.get_text()]
    assert tick._preprocess_math(tick.get_text()) == ("$x$", False)  # type: ignore[attr-defined]


def test_letters_without_a_font_are_warned_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankworth.plots.canvas.FALLBACKS", ())
    with pytest.warns(RankworthWarning, match="boxes for 东 京") as warned:
        plots.scores({"东京": {"RR": 1.0}, "京东": {"RR": 0.5}})
    assert [one.filename for one in warned] == [__file__]


def test_a_font_that_has_the_letters_is_found() -> None:
    has = "DejaVu Sans"
    assert families(["עברית"], [has]) == [has]
    assert families(["plain"], ["cmr10"]) == ["cmr10"]
    assert families(["עברית"], ["cmr10"]) == ["cmr10", has]
    ax = own_axes()
    with mpl.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        plots.scores({"עברית": {"RR": 1.0}, "b": {"RR": 0.5}}, ax=ax)
    hebrew, plain = ax.get_yticklabels()
    assert list(hebrew.get_fontfamily()) == ["cmr10", has]
    assert has not in plain.get_fontfamily()


# files


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_are_written_and_equal_ones_are_equal_files(tmp_path: Path, suffix: str, start: bytes) -> None:
    contents = []
    for name in ("one", "two"):
        ax = plots.contributions(rw.explain(grades=[2, 1, 0, 1, 2], measure=EXP2), ax=own_axes())
        path = tmp_path / f"{name}.{suffix.upper()}"
        plots.save(ax, path)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert contents[0].startswith(start)
    assert b"<dc:date>" not in contents[0]
    assert b"CreationDate" not in contents[0]


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_one_figure_gives_the_same_bytes_again(form: str) -> None:
    ax = plots.at_k(QRELS, RUNS, "nDCG")
    before = ax.get_position().bounds
    assert plots.rendered(ax, form) == plots.rendered(ax, form)
    assert ax.get_position().bounds == before
    assert ax.get_in_layout()


def test_pictures_of_two_processes_are_equal() -> None:
    code = "import sys; from rankworth import plots; ax = plots.scores({'a': {'RR': 0.5}, 'b': {'RR': 1.0}})"
    code += "; sys.stdout.buffer.write(plots.rendered(ax, 'svg'))"
    run = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            timeout=60,
            env=os.environ | {"PYTHONHASHSEED": seed, "MPLBACKEND": "agg"},
        ).stdout
        for seed in ("1", "2")
    ]
    assert run[0] == run[1]
    assert run[0].startswith(b"<?xml")


def test_several_explanations_stand_below_each_other() -> None:
    told = rw.explain_queries(QRELS, RUNS["old"], ["nDCG@3", "RR"], queries=["q1", "q2"])
    ax = plots.stacked(told)
    figure = laid_out(ax)
    assert plt.get_fignums() == []
    assert [one.get_title(loc="left").split(" ")[0] for one in figure.axes] == [one.measure for one in told]
    for one, explained in zip(figure.axes, told, strict=True):
        [bars] = [each for each in one.containers if isinstance(each, BarContainer)]
        frame = plots.data.contributions(explained).filter(ranking="run")
        assert [bar.get_height() for bar in bars] == frame["contribution"].to_list()
        assert_readable(one)
    tops = [one.get_tightbbox() for one in figure.axes]
    assert all(upper and lower and lower.y1 <= upper.y0 + 1 for upper, lower in pairwise(tops))
    for wrong in ([], [told[0]] * 41):
        with pytest.raises(UsageError, match="room for 1 to 40 explanations"):
            plots.stacked(wrong)


def test_differences_can_be_stacked_too() -> None:
    told = rw.explain_queries(QRELS, RUNS["old"], ["nDCG@3", "RR"], queries=["q1"], against=RUNS["new"])
    assert [one.get_title(loc="left").split(":")[0] for one in plots.stacked(told).figure.axes] == ["nDCG@3", "RR"]


def test_a_picture_can_stay_in_memory(tmp_path: Path) -> None:
    plots.save(plots.scores(SCENARIOS, ax=own_axes()), tmp_path / "x.svg")
    assert plots.rendered(plots.scores(SCENARIOS, ax=own_axes()), "svg") == (tmp_path / "x.svg").read_bytes()


def test_a_picture_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    path.write_text("before")
    ax = plots.scores(SCENARIOS, ax=own_axes())
    with patch.object(Figure, "savefig", side_effect=RuntimeError("half way")), pytest.raises(RuntimeError):
        plots.save(ax, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    ax = plots.scores(SCENARIOS, ax=own_axes())
    with pytest.raises(UsageError, match="png svg pdf") as wrong:
        plots.save(ax, tmp_path / "x.bmp")
    assert wrong.value.slug == "unknown-format"
    with pytest.raises(UsageError, match="there is no folder") as nowhere:
        plots.save(ax, tmp_path / "none" / "x.png")
    assert nowhere.value.slug == "unwritable-output"


def test_curves_end_where_their_runs_end() -> None:
    documents = [f"d{place}" for place in range(30)]
    runs = {"long": {"q": documents}, "short": {"q": documents[:7]}}
    frame = plots.data.at_k({"q": {"d3": 1}}, runs, "nDCG")
    assert frame.filter(frame["run"] == "long")["cutoff"].to_list() == [1, 2, 3, 5, 10, 20]
    assert frame.filter(frame["run"] == "short")["cutoff"].to_list() == [1, 2, 3, 5]
    assert set(frame["measure"]) == {f"nDCG@{k}" for k in (1, 2, 3, 5, 10, 20)}
    asked = plots.data.at_k({"q": {"d3": 1}}, runs, "nDCG", cutoffs=[50])
    assert asked["cutoff"].to_list() == [50, 50]


SHOWN = {
    "differences": (),
    "query_differences": ("RR",),
    "query_scatter": ("RR",),
    "heat_map": ("RR",),
    "histogram": ("RR",),
    "contributions": (),
    "stacked": (),
    "flow": (),
    "silence": (),
    "systems": (),
    "scores": (),
    "tradeoff": ("RR", "AP"),
}
"""plots of a result, with what they take beside it"""


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("result", [None, "a text", 3, QRELS["q1"]], ids=str)
def test_what_is_no_result_is_refused(name: str, result: object) -> None:
    with pytest.raises(rw.RankworthError) as refused:
        getattr(plots, name)(result, *SHOWN[name])
    assert refused.value.remedy

"""Accuracy against measures of items, and the popularity of what is shown: numbers, Pareto sets, pictures, reports."""

import math
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.lines import Line2D
from playwright.sync_api import Browser, Error, expect

import rankworth as rw
from rankworth import plots
from rankworth.errors import InputError, MeasureError, UsageError
from rankworth.report import make

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

HISTORY: Final = {"h1": ["a", "b", "c"], "h2": ["a", "b"], "h3": ["a"], "h4": ["a", "d"]}  # a 4, b 2, c 1, d 1
QRELS: Final = {"u1": {"a": 1}, "u2": {"b": 1}, "u3": {"a": 1}}
RUNS: Final = {
    "popular": {"u1": ["a", "b"], "u2": ["a", "b"], "u3": ["a", "b"]},  # P@1 2/3, of 4 items 1 at rank 1
    "even": {"u1": ["c", "a"], "u2": ["b", "a"], "u3": ["d", "e"]},  # P@1 1/3, of 4 items 3
    "poor": {"u1": ["b", "a"], "u2": ["a", "b"], "u3": ["b", "a"]},  # P@1 0, of 4 items 2
}
MEASURES: Final = ("P@1", "Coverage@1", "Gini@1", "ARP@1", "NumRet")
with warnings.catch_warnings(action="ignore", category=rw.RankworthWarning):  # item e is not in the history
    VALUES: Final = rw.evaluate_runs(QRELS, RUNS, MEASURES, history=HISTORY)
LONG: Final = "a name of a run that is much longer than what a label has room for, with its parameters"


@pytest.fixture(autouse=True)
def _no_figures() -> Iterator[None]:
    """Figures that pyplot holds are gone after each test."""
    with mpl.rc_context():
        mpl.use("agg")
        yield
    plt.close("all")


def named_lines(ax: Axes) -> dict[str, Line2D]:
    """The lines that have names, by these."""
    return {str(line.get_label()): line for line in ax.lines if not str(line.get_label()).startswith("_")}


def points(line: Line2D) -> list[tuple[float, float]]:
    """The points of a line."""
    return [(float(x), float(y)) for x, y in np.column_stack(line.get_data()).tolist()]


# accuracy against measures of items


ACCURACY: Final = {"popular": 2 / 3, "even": 1 / 3, "poor": 0.0}
COVERED: Final = {"popular": 1 / 4, "even": 3 / 4, "poor": 2 / 4}
UNEVEN: Final = {  # (2 j - n - 1) x_j / (n X): shown 3 times a; once b, c, d; twice b and once a
    "popular": 3 * 3 / (4 * 3),
    "even": (-1 + 1 + 3) / (4 * 3),
    "poor": (1 + 3 * 2) / (4 * 3),
}
POPULAR: Final = {"popular": 4.0, "even": (1 + 2 + 1) / 3, "poor": (2 + 4 + 2) / 3}


@pytest.mark.parametrize(
    ("x", "y", "across", "up", "pareto"),
    [
        ("Coverage@1", "P@1", COVERED, ACCURACY, ["popular", "even"]),
        ("CatalogCoverage@1", "Precision@1", COVERED, ACCURACY, ["popular", "even"]),
        ("Gini@1", "P@1", UNEVEN, ACCURACY, ["popular", "even"]),
        ("P@1", "Gini@1", ACCURACY, UNEVEN, ["popular", "even"]),
        ("ARP@1", "Gini@1", POPULAR, UNEVEN, ["even"]),
        ("Coverage@1", "ARP@1", COVERED, POPULAR, ["even"]),
    ],
)
def test_means_and_the_pareto_set(
    x: str, y: str, across: Mapping[str, float], up: Mapping[str, float], pareto: list[str]
) -> None:
    rows = plots.data.tradeoff(VALUES, x, y).rows(named=True)
    assert {row["run"]: row["x"] for row in rows} == pytest.approx(across, abs=1e-12)
    assert {row["run"]: row["y"] for row in rows} == pytest.approx(up, abs=1e-12)
    assert [row["run"] for row in rows if row["pareto"]] == pareto


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_intervals_are_those_of_the_values(level: float) -> None:
    for row in plots.data.tradeoff(VALUES, "Coverage@1", "P@1", level=level).rows(named=True):
        bounds = VALUES[row["run"]].interval(level=level)
        assert (row["x_low"], row["x_high"]) == bounds["Coverage@1"][:2]
        assert (row["y_low"], row["y_high"]) == bounds["P@1"][:2]


def test_values_come_as_a_dict_and_alone_and_frames_from_each_library() -> None:
    frame = plots.data.tradeoff(VALUES, "Gini@1", "P@1")
    assert frame.columns == ["run", "x", "x_low", "x_high", "y", "y_low", "y_high", "pareto"]
    assert frame.equals(plots.data.tradeoff(dict(VALUES), "Gini@1", "P@1"))
    alone = plots.data.tradeoff(VALUES["poor"], "Gini@1", "P@1", library="pandas")
    assert isinstance(alone, pd.DataFrame)
    assert alone["pareto"].tolist() == [True]
    assert plots.data.tradeoff({}, "Gini@1", "P@1").height == 0


BETTER: Final = st.sampled_from(["higher", "lower"])
PAIRS: Final = st.lists(st.tuples(*[st.integers(-3, 3) | st.none() | st.just(math.nan)] * 2), max_size=9)


@given(pairs=PAIRS, better=st.tuples(BETTER, BETTER))
def test_the_pareto_set_is_what_no_point_is_preferable_to(pairs: list[Any], better: Any) -> None:
    signs = [1 if end == "higher" else -1 for end in better]
    ends = [
        tuple(sign * (math.nan if value is None else value) for sign, value in zip(signs, pair, strict=True))
        for pair in pairs
    ]

    def is_beaten(end: tuple[float, ...]) -> bool:
        return any(each[0] >= end[0] and each[1] >= end[1] and each != end for each in ends)

    expected = [not any(map(math.isnan, end)) and not is_beaten(end) for end in ends]
    assert plots.data.pareto_set(pairs, better) == expected
    turned = [tuple(reversed(pair)) for pair in pairs]
    assert plots.data.pareto_set(turned, (better[1], better[0])) == expected
    assert plots.data.pareto_set(pairs[::-1], better) == expected[::-1]


def test_the_last_bits_of_a_mean_keep_nothing_out_of_the_pareto_set() -> None:
    assert plots.data.pareto_set([(0.3, 0.5), (0.1 + 0.2, 0.5)]) == [True, True]


@pytest.mark.parametrize(("x", "is_inverted"), [("Coverage@1", False), ("Gini@1", True)])
def test_better_is_right_and_up_and_the_pareto_set_is_filled_and_joined(x: str, is_inverted: bool) -> None:
    ax = plots.tradeoff(VALUES, x, "P@1")
    rows = plots.data.tradeoff(VALUES, x, "P@1").rows(named=True)
    lines = named_lines(ax)
    assert {name: points(line) for name, line in lines.items()} == {row["run"]: [(row["x"], row["y"])] for row in rows}
    for row in rows:
        is_filled = same_color(lines[row["run"]].get_markerfacecolor(), lines[row["run"]].get_color())
        assert is_filled == row["pareto"]
    drawn = [points(line) for line in ax.lines]
    for row in rows:
        assert [(row["x_low"], row["y"]), (row["x_high"], row["y"])] in drawn
        assert [(row["x"], row["y_low"]), (row["x"], row["y_high"])] in drawn
    assert sorted((row["x"], row["y"]) for row in rows if row["pareto"]) in drawn
    assert bool(ax.xaxis_inverted()) == is_inverted
    assert not ax.yaxis_inverted()
    assert ax.get_xlabel() == f"mean {x}" + ", lower is better" * is_inverted
    assert ax.get_title(loc="left").startswith("3 runs over 3 queries, with 95% intervals\n")


def test_a_single_run_has_a_point_and_sums_have_no_intervals() -> None:
    ax = plots.tradeoff(VALUES["even"], "NumRet", "P@1")
    assert points(named_lines(ax)["even"]) == [(6.0, VALUES["even"]["P@1"])]
    assert ax.get_title(loc="left") == "1 run over 3 queries, with 95% intervals"
    low, high = VALUES["even"].interval()["P@1"][:2]
    assert [points(line) for line in ax.lines if len(points(line)) == 2] == [[(6.0, low), (6.0, high)]]


def test_of_many_runs_the_pareto_set_has_names() -> None:
    many = {f"poor {number}": RUNS["poor"] for number in range(18)} | {"popular": RUNS["popular"], "even": RUNS["even"]}
    values = rw.evaluate_runs(QRELS, many, MEASURES, history=HISTORY)
    lines = named_lines(plots.tradeoff(values, "Coverage@1", "P@1"))
    assert set(lines) == {"18 more", "popular", "even"}


def test_runs_without_a_mean_are_named_and_not_drawn() -> None:
    runs = {"nothing": {user: ["unknown"] for user in QRELS}, LONG: RUNS["even"]}
    values = rw.evaluate_runs(QRELS, runs, ["Gini@1", "P@1"], history=HISTORY)
    ax = plots.tradeoff(values, "Gini@1", "P@1")
    assert math.isnan(values["nothing"]["Gini@1"])
    assert plots.data.tradeoff(values, "Gini@1", "P@1")["pareto"].to_list() == [False, True]
    assert next(iter(named_lines(ax))) == "nothing (n/a)"
    assert all(len(name) <= 36 for name in named_lines(ax))
    alone = plots.tradeoff({"nothing": values["nothing"]}, "Gini@1", "P@1")
    assert "no run has a mean by both" in [text.get_text() for text in alone.texts]


@pytest.mark.parametrize(
    ("values", "settings", "slug"),
    [
        (VALUES, {"x": "AP"}, "not-measured"),
        (VALUES, {"y": "AP"}, "not-measured"),
        (VALUES, {"level": 95}, "unknown-setting"),
        ({"a": {"P@1": 0.5}}, {}, "input-type"),
        (3, {}, "input-type"),
    ],
)
def test_what_has_no_trade_off_is_refused(values: Any, settings: dict[str, Any], slug: str) -> None:
    for draw in (plots.tradeoff, plots.data.tradeoff):
        with pytest.raises((InputError, UsageError), match=slug):
            draw(values, **{"x": "Gini@1", "y": "P@1"} | settings)


# the popularity of what is shown


def rows_of(frame: pl.DataFrame) -> dict[str | None, list[tuple[Any, ...]]]:
    """The rows of each run without its name."""
    parts = frame.partition_by("run", maintain_order=True)
    return {part["run"][0]: part.select("popularity", "items", "shown").rows() for part in parts}


@pytest.mark.parametrize(
    ("k", "shown"),
    [
        (1, {"popular": (3 / 3, 3 / 3, 3 / 3, 3 / 3), "even": (0 / 3, 1 / 3, 3 / 3, 3 / 3)}),
        (2, {"popular": (3 / 6, 6 / 6, 6 / 6, 6 / 6), "even": (2 / 6, 3 / 6, 5 / 6, 6 / 6)}),
    ],
)
def test_shares_go_up_from_the_most_popular_items(k: int, shown: Mapping[str, tuple[float, ...]]) -> None:
    frame = plots.data.long_tail({name: RUNS[name] for name in shown}, HISTORY, k=k)
    # a; b; c and d; e, which is in no history and shown at rank 2
    items = [(4, 1), (2, 2), (1, 4)] if k == 1 else [(4, 1), (2, 2), (1, 4), (0, 5)]
    whole = items[-1][1]
    for name, rows in rows_of(frame).items():
        shares = (4 / 8, 6 / 8, 8 / 8, 8 / 8) if name is None else shown[name]
        expected = [(popularity, n / whole, share) for (popularity, n), share in zip(items, shares, strict=False)]
        assert rows == [(None, 0.0, 0.0), *expected]
    assert next(iter(rows_of(frame))) is None


def test_interactions_count_each_and_items_of_a_list_once() -> None:
    history = pl.DataFrame({"user": ["u", "u", "v"], "item": ["a", "a", "b"]})
    frame = plots.data.long_tail({"run": {"w": ["b", "a"]}}, history)
    assert rows_of(frame) == {
        None: [(None, 0.0, 0.0), (2, 1 / 2, 2 / 3), (1, 1.0, 1.0)],
        "run": [(None, 0.0, 0.0), (2, 1 / 2, 1 / 2), (1, 1.0, 1.0)],
    }


def test_files_frames_and_runs_are_read(tmp_path: Path) -> None:
    expected = plots.data.long_tail({"popular": RUNS["popular"]}, HISTORY, k=1)
    pl.DataFrame(
        [(user, item, -rank) for user, items in RUNS["popular"].items() for rank, item in enumerate(items)],
        schema=["user", "item", "score"],
        orient="row",
    ).write_csv(tmp_path / "popular.csv")
    pl.DataFrame(
        [(user, item) for user, items in HISTORY.items() for item in items], schema=["user", "item"], orient="row"
    ).write_parquet(tmp_path / "history.parquet")
    path = tmp_path / "popular.csv"
    for runs in (path, [path], rw.Run(path), {"popular": pl.read_csv(path)}):
        found = plots.data.long_tail(runs, tmp_path / "history.parquet", k=1)
        assert found.drop("run").equals(expected.drop("run"))


LISTS: Final = st.lists(st.sampled_from("abcdef"), min_size=1, unique=True)


@given(
    lists=st.dictionaries(st.sampled_from("uvw"), LISTS, min_size=1),
    history=st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from("abcd"), min_size=1), min_size=1),
    k=st.integers(1, 5),
)
def test_curves_are_those_of_counting(lists: dict[str, list[str]], history: dict[str, list[str]], k: int) -> None:
    popularity = {item: sum(items.count(item) for items in history.values()) for item in "abcdef"}
    shown = [item for items in lists.values() for item in items[:k]]
    every = {*shown, *(item for items in history.values() for item in items)}
    rows = rows_of(plots.data.long_tail({"run": lists}, history, k=k))["run"]
    assert rows[0] == (None, 0.0, 0.0)
    assert rows[-1][1:] == (1.0, 1.0)
    for level, share, part in rows[1:]:
        assert share == pytest.approx(sum(popularity[item] >= level for item in every) / len(every))
        assert part == pytest.approx(sum(popularity[item] >= level for item in shown) / len(shown))


def test_a_curve_for_each_run_and_dashes_for_the_history() -> None:
    runs = {"even": RUNS["even"], LONG: RUNS["popular"]}
    ax = plots.long_tail(runs, HISTORY, k=2)
    rows = rows_of(plots.data.long_tail(runs, HISTORY, k=2))
    lines = named_lines(ax)
    assert [points(line) for line in lines.values()] == [[row[1:] for row in part] for part in rows.values()]
    assert [*lines][:2] == ["the history", "even"]
    assert lines["the history"].get_linestyle() == "--"
    assert same_color(lines["the history"].get_color(), plots.palette.LIGHT.muted)
    [dotted] = [line for line in ax.lines if line.get_linestyle() == ":" and line.get_label() == "_"]
    assert [across for across, _ in points(dotted)] == [4 / 5, 4 / 5]
    assert "in no history" in ax.get_xlabel()
    assert "in no history" not in plots.long_tail(RUNS, HISTORY, k=1).get_xlabel()


@pytest.mark.parametrize(
    ("runs", "history", "k", "slug"),
    [
        (RUNS, HISTORY, 0, "bad-cutoff"),
        (RUNS, HISTORY, 2.5, "bad-cutoff"),
        (RUNS, 7, 1, "input-type"),
        ({"a": 7}, HISTORY, 1, "input-type"),
    ],
)
def test_what_has_no_long_tail_is_refused(runs: Any, history: Any, k: Any, slug: str) -> None:
    for draw in (plots.long_tail, plots.data.long_tail):
        with pytest.raises((InputError, MeasureError), match=slug):
            draw(runs, history, k=k)


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_axes_are_taken_and_settings_stay(form: str) -> None:
    before = dict(mpl.rcParams)
    _, both = plt.subplots(1, 2)
    assert plots.tradeoff(VALUES, "Gini@1", "P@1", ax=both[0]) is both[0]
    assert plots.long_tail(RUNS, HISTORY, ax=both[1]) is both[1]
    assert len(plots.rendered(both[0], form)) > 1000
    assert dict(mpl.rcParams) == before


# reports

ITEMS: Final = {item: {"genre": genre} for item, genre in zip("abcde", "ppqqq", strict=True)}
SET_RULE: Final = "no other run is at least as good by both and better by one."


@pytest.mark.parametrize(
    ("measures", "axes", "pareto"),
    [
        (["P@1", "ARP@1", "Coverage@1"], ("Coverage@1", "P@1"), "popular, even"),
        (["Gini@1", "P@1", "AP"], ("Gini@1", "P@1"), "popular, even"),
        (["ARP@1", "P@1"], ("ARP@1", "P@1"), "popular, even"),
        (["P@1", "AP"], None, ""),
        (["Coverage@1", "ARP@1"], None, ""),
    ],
)
def test_a_report_weighs_accuracy_and_catalogue(measures: list[str], axes: tuple[str, str] | None, pareto: str) -> None:
    report = make(QRELS, RUNS, measures, profiles=False, history=HISTORY, items=ITEMS)
    shown = report.record["tradeoff"]
    heading = "<h2>Accuracy and catalogue</h2>"
    assert (heading in report.html) == (axes is not None)
    if axes is None:
        assert shown is None
        return
    assert (shown["x"], shown["y"]) == axes
    assert shown["sentence"] == (
        f"The Pareto set by {axes[1]} and {axes[0]} is {pareto}: to judge by the means alone, {SET_RULE}"
    )
    assert shown["sentence"] in report.html
    values = rw.evaluate_runs(QRELS, RUNS, measures, history=HISTORY, items=ITEMS)
    expected = plots.data.tradeoff(values, *axes).rows(named=True)
    for row, of_values in zip(shown["rows"], expected, strict=True):
        assert row == pytest.approx(of_values, abs=1e-9)


def test_one_run_has_nothing_to_be_weighed_against() -> None:
    report = make(QRELS, {"even": RUNS["even"]}, ["P@1", "Coverage@1"], profiles=False, history=HISTORY)
    assert report.record["tradeoff"] is None
    assert "<h2>Accuracy and catalogue</h2>" not in report.html


def _add(errors: list[str], error: Error) -> None:
    """Note an error of a page."""
    errors.append(str(error))


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_draws_all_runs_with_their_names(browser: Browser, tmp_path: Path, width: int) -> None:
    crowd = {f"{LONG} {number}": RUNS["poor"] for number in range(9)}
    for runs, is_numbered in ((RUNS, False), (RUNS | crowd, True)):
        make(QRELS, runs, ["P@1", "Gini@1"], profiles=False, history=HISTORY).save(tmp_path / "report.html")
        page = browser.new_page(viewport={"width": width, "height": 900})
        errors: list[str] = []
        page.on("pageerror", partial(_add, errors))
        page.goto((tmp_path / "report.html").as_uri())
        page.locator("#details > summary").click()
        chart = page.locator("#plane svg")
        expect(chart.locator("circle")).to_have_count(len(runs))
        expect(chart.locator("circle.hollow")).to_have_count(len(runs) - 2)
        expect(page.locator("#plane ol li")).to_have_count(len(runs) if is_numbered else 0)
        if not is_numbered:
            for name in runs:
                expect(chart.get_by_text(name, exact=True)).to_have_count(1)
        expect(chart.get_by_text("Gini@1, lower is better")).to_be_visible()
        even, popular = (chart.locator("circle").nth(number).bounding_box() for number in (1, 0))
        assert even is not None
        assert popular is not None
        assert even["x"] > popular["x"]  # less unequal
        assert even["y"] > popular["y"]  # and less accurate
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert errors == []
        page.close()

"""Reports without a browser: the numbers are those of the library, nothing of the input is markup, and sizes hold."""

import base64
import hashlib
import html
import json
import os
import re
import zlib
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth import plots
from rankworth.cli.app import main
from rankworth.report import make

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

MEASURES = ["nDCG@3", "RR", "AP"]
HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgements of some queries, and two runs or three that answer some of them."""
    documents = [f"d{number}" for number in range(6)]
    queries = [f"q{number}" for number in range(draw(st.integers(2, 5)))]
    grades, scores = st.integers(0, 3), st.integers(0, 4)
    qrels = {query: {"d0": 1} | draw(st.dictionaries(st.sampled_from(documents), grades)) for query in queries}
    runs = {}
    for name in ("old", "new", "third")[: draw(st.integers(2, 3))]:
        answered = [queries[0], *draw(st.lists(st.sampled_from(queries), unique=True))]
        ranking = st.dictionaries(st.sampled_from(documents), scores, min_size=1)
        runs[name] = {query: {one: float(score) for one, score in draw(ranking).items()} for query in answered}
    return qrels, runs


def rank_of(document: str, scores: dict[str, float]) -> int | None:
    """The rank of a document: by score, and by id where scores are equal, the greatest first."""
    if document not in scores:
        return None
    return 1 + sum((score, other) > (scores[document], document) for other, score in scores.items())


@settings(max_examples=30)
@given(collections())
def test_the_numbers_are_those_of_the_library(found: tuple[Any, Any]) -> None:
    qrels, runs = found
    record = make(qrels, runs, MEASURES, profiles=False).record
    assert record["comparison"] == rw.compare(qrels, runs, MEASURES).to_dict() | {
        name: record["comparison"][name] for name in ("warnings", "notes") if name in record["comparison"]
    }
    for name, run in runs.items():
        values = rw.evaluate(qrels, run, MEASURES)
        assert record["means"][name] == dict(values.items())
        table = values.per_query.to_dict()
        assert record["values"][name] == {
            label: [round(table[query][label], 7) for query in record["queries"]] for label in MEASURES
        }
        for query in record["lists"]:
            shown = record["lists"][query][name]
            if query not in run:
                assert (shown["value"], shown["rows"]) == (0.0, [])
                assert all(rank is None for _, _, rank, _ in shown["missing"])
                continue
            explained = rw.explain(qrels, run, "nDCG@3", query=query)
            assert shown["value"] == explained.value
            for document, *_, ranks in shown["rows"]:
                assert ranks == [rank_of(document, runs[other].get(query, {})) for other in record["listed"]]
            assert [row[:3] for row in shown["rows"]] == [
                [term.document, term.grade, round(term.contribution, 5)] for term in explained.terms
            ][: len(shown["rows"])]


def test_the_page_says_what_check_finds_as_text() -> None:
    qrels, runs = {"q1": {"a": 1, "b": 0.5}}, {HOSTILE: {"q1": {"b": 2.0, "c": 1.0}}}
    report = make(qrels, runs, ["RR"], profiles=False)
    found = rw.check(qrels, runs, ["RR"]).findings
    assert report.record["findings"] == [
        {"severity": one.severity, "slug": one.slug, "text": one.text} for one in found
    ]
    assert report.html.partition("<h2>Data health</h2>")[2].partition("</section>")[0].count("<p ") == len(found) == 3
    assert "warning: 1 judgement has a fractional grade" in report.html
    assert "<img" not in report.html


def test_one_run_has_intervals_curves_and_profiles() -> None:
    collection = rw.demo()
    report = make(collection.qrels, {"dense": collection.runs["dense"]}, ["nDCG@10", "AP"])
    values = rw.evaluate(collection.qrels, collection.runs["dense"], ["nDCG@10", "AP"])
    record = report.record
    assert record["comparison"] is None
    assert record["means"]["dense"] == dict(values.items())
    assert record["intervals"]["dense"] == {name: list(found[:2]) for name, found in values.interval().items()}
    at_k = {(row["measure"], row["cutoff"]): row["value"] for row in record["at_k"]}
    assert at_k["nDCG", 10] == values["nDCG@10"]
    assert len(record["recall"]) == 11
    assert {row["profile"] for row in record["profiles"]} == set(rw.PROFILES)
    assert record["verdict"][0] == f"dense has a mean nDCG@10 of {values['nDCG@10']:.3f} over 108 queries."


class Tags(HTMLParser):
    """The elements of a page, and what they refer to."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        super().__init__()
        self.names: set[str] = set()
        self.links: set[str | None] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the name of an element, and its references."""
        self.names.add(tag)
        self.links |= {value for name, value in attrs if name in ("src", "href", "action", "data", "poster")}


def data_of(page: str) -> Any:
    """The record that a page holds."""
    [packed] = re.findall(r'id="data">([^<]*)<', page)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_nothing_that_people_wrote_is_markup_and_nothing_is_loaded() -> None:
    qrels = {HOSTILE: {HOSTILE: 1, "x": 2}, "q2": {"x": 1}}
    runs = {HOSTILE: {HOSTILE: [HOSTILE, "x"], "q2": ["y"]}, "b": {HOSTILE: ["x"], "q2": ["x"]}}
    report = make(qrels, runs, ["AP"], queries={HOSTILE: HOSTILE}, docs={HOSTILE: HOSTILE}, command=HOSTILE)
    page = report.html
    assert "<img" not in page
    assert page.count("</script>") == 2
    tags = Tags()
    tags.feed(page)
    assert tags.names <= {
        "a",
        "p",
        "bdi",
        "time",
        "div",
        "section",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
    } | {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "nav", "h1", "h2", "noscript", "script"),
        *("figcaption", "b", "sup", "span", "br", "pre", "details", "summary", "small", "code"),
        *("ul", "ol", "li", "svg", "line", "rect", "circle", "text"),
    }
    assert tags.links == {"#main"}
    held = data_of(page)
    assert held["queries"] == list(report.record["queries"])
    assert held["documents"][HOSTILE] == HOSTILE[:100]
    assert "default-src 'none'" in page


@pytest.fixture(scope="module")
def many() -> tuple[dict[str, Any], dict[str, Any]]:
    """Three thousand queries with ten documents each, in two runs."""
    documents = [f"document-{number}" for number in range(10)]
    qrels = {f"q{number}": {documents[number * 7 % 10]: 1} for number in range(3_000)}
    runs = {
        name: {query: documents[int(query[1:]) * step % 10 :] + documents[:2] * 0 for query in qrels}
        for name, step in (("one", 3), ("two", 5))
    }
    return qrels, runs


def test_a_page_keeps_its_size_with_all_values_and_some_rankings(many: tuple[dict[str, Any], dict[str, Any]]) -> None:
    qrels, runs = many
    small, large = (make(qrels, runs, ["nDCG@10"], max_size=size, profiles=False) for size in (150_000, 300_000))
    for report, size in ((small, 150_000), (large, 300_000)):
        assert len(report.html.encode()) <= size
        assert len(report.record["values"]["one"]["nDCG@10"]) == 3_000
    assert 0 < len(small.record["lists"]) < len(large.record["lists"]) < 3_000
    compared = rw.compare(qrels, runs, ["nDCG@10"]).queries("nDCG@10")
    differences = {row.query: row.difference for row in compared}
    listed = [*small.record["lists"]]  # first the largest losses and gains, of which many are equal here
    extremes = [row.difference for row in (*compared.worst(5), *compared.best(5))]
    assert sorted(differences[query] for query in listed[:10]) == pytest.approx(sorted(extremes))
    rest = sorted(abs(difference) for query, difference in differences.items() if query not in listed[:10])
    assert min(abs(differences[query]) for query in listed[10:20]) == pytest.approx(rest[-10])
    assert make(qrels, runs, ["nDCG@10"], max_size=150_000, profiles=False).html == small.html


def test_results_files_show_what_they_hold_and_name_what_they_lack(tmp_path: Path) -> None:
    collection = rw.demo()
    paths = {}
    for name in ("bm25", "dense"):
        paths[name] = tmp_path / f"{name}.json"
        rw.evaluate(collection.qrels, rw.Run(collection.runs[name], name), ["nDCG@10", "AP"]).save(paths[name])
    record = make(None, paths).record
    measured = make(collection.qrels, {name: collection.runs[name] for name in paths}, ["nDCG@10", "AP"]).record
    for part in ("means", "values", "queries", "intervals", "verdict"):
        assert record[part] == measured[part]
    assert (record["lists"], record["at_k"], record["profiles"]) == ({}, [], [])
    what = "rankings, curves, data health, profiles and what to do next"
    known = "only values are known (results files, or several runs of one system)"
    assert record["lacks"] == [f"Of bm25, dense {known}: no {what}."]


def test_several_runs_of_one_system_are_reported_as_compare_has_them() -> None:
    collection = rw.demo()
    seeds = {"old": ["bm25", "bm25-stem"], "new": ["dense", "fused"]}
    runs = {name: [collection.runs[run] for run in several] for name, several in seeds.items()}
    record = make(collection.qrels, runs, ["nDCG@10"], rel=2, profiles=False).record
    assert record["means"] == rw.compare(collection.qrels, runs, ["nDCG@10"], rel=2).means
    assert record["lacks"][0].startswith("Of old, new only values are known")


def test_verdicts_on_many_runs_are_those_against_the_baseline() -> None:
    collection = rw.demo()
    runs = {name: collection.runs[name] for name in ("bm25", "bm25-stem", "dense", "names", "fused")}
    record = make(
        collection.qrels, runs, ["nDCG@10"], comparing={"all_pairs": True}, queries={"en45": "wait"}, profiles=False
    ).record
    pairs = rw.compare(collection.qrels, runs, ["nDCG@10"], all_pairs=True)
    words = {pair.second: pair.word for pair in pairs.differences if pair.first == "bm25"}
    assert words == {"bm25-stem": "better", "dense": "better", "names": "worse", "fused": "better"}
    assert record["verdict"][0] == "dense and fused lead; 108 queries do not separate them."
    assert record["verdict"][1].startswith(
        "Both rank better than the other 3. By nDCG@10, dense is 0.010 ahead of fused"
    )
    assert record["conclusion"]["leaders"] == ("dense", "fused")
    assert record["listed"] == ["bm25", "dense", "fused", "bm25-stem"]
    assert record["lacks"] == ["Rankings are those of bm25, dense, fused, bm25-stem; of names there are values only."]


PAIR = {f"q{number}": {"a": 1, "b": 1} for number in range(4)}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("تحويل نص", "\u2068تحويل نص\u2069 (q0)"),
        ("plain words", "\u2068plain words\u2069 (q0)"),
        ("\u202e abc", "\u2068\\u202e abc\u2069 (q0)"),
        ("a\u2069b", "\u2068a\\u2069b\u2069 (q0)"),
        ("", "q0"),
    ],
)
def test_the_text_of_a_query_is_isolated_and_its_id_is_not(text: str, shown: str) -> None:
    old = {query: ["a", "b"] for query in PAIR}
    new = old | {"q0": ["x", "a"]}
    record = make(PAIR, {"old": old, "new": new}, ["AP"], queries={"q0": text}, profiles=False).record
    _, line, *_, last = record["verdict"]  # the state, how many queries could tell, and what loses
    assert line.startswith(
        "Better on 0 of 4 queries, worse on 1, equal on 3. Only 1 of 4 queries differs, which cannot"
    )
    assert last == f"new loses most on {shown}."


def test_names_of_runs_in_other_scripts_are_isolated() -> None:
    runs = {"نظام": {"q0": ["a"]}, "new": {"q0": ["a"]}}
    first, *_ = make(PAIR, runs, ["AP"], profiles=False).record["verdict"]
    assert first == "new ranks as well as \u2068نظام\u2069, on every query."


def test_curves_end_where_their_run_ends() -> None:
    qrels = {query: {f"d{rank}": 1 for rank in range(40)} for query in ("q", "r")}
    short = {query: [f"d{rank}" for rank in range(10)] for query in qrels}
    long = {query: [f"d{rank}" for rank in range(25)] for query in qrels}
    runs = {"short": short, "long": long}
    record = make(qrels, runs, ["nDCG@10"], profiles=False).record
    expected = plots.data.at_k(qrels, runs, "nDCG")
    rows = [(row["run"], f"{row['measure']}@{row['cutoff']}", row["cutoff"], row["value"]) for row in record["at_k"]]
    assert rows == expected.rows()
    assert {row["run"]: row["cutoff"] for row in record["at_k"]} == {"short": 10, "long": 20}
    assert record["ends"] == {"short": 10, "long": 25}


def differing(gains: int, losses: int, ties: int) -> tuple[Any, Any]:
    """Judgements, and two runs of which the second is better and worse on so many queries."""
    kinds = [(["x", "a"], ["a", "x"])] * gains + [(["a", "x"], ["x", "a"])] * losses + [(["a"], ["a"])] * ties
    names = [f"q{number}" for number in range(len(kinds))]
    old, new = ({query: kind[side] for query, kind in zip(names, kinds, strict=True)} for side in (0, 1))
    return {query: {"a": 1} for query in names}, {"old": old, "new": new}


@pytest.mark.parametrize(("gains", "losses"), [(9, 1), (8, 1), (4, 3), (1, 8), (9, 0), (0, 0)])
@pytest.mark.parametrize("measures", [["RR"], ["RR", "P@1", "AP", "nDCG@2"]])
def test_headline_and_card_are_decided_by_the_same_corrected_p(gains: int, losses: int, measures: list[str]) -> None:
    qrels, runs = differing(gains, losses, 10)
    made = make(qrels, runs, measures, profiles=False)
    row, state = made.record["comparison"]["differences"][0], made.record["conclusion"]["state"]
    assert state == row["word"]
    family = ", corrected for 4 comparisons" if len(measures) > 1 else ""
    if state != "equal":
        assert f"(p = {row['adjusted']:.3f}{family})" in made.record["verdict"][2]
    assert "<th" in made.html
    headings = re.findall(r">(p|p holm)</th>", made.tables["html"])
    assert headings == (["p", "p holm"] if len(measures) > 1 else ["p"])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the demonstration with its report."""
    folder = tmp_path_factory.mktemp("report") / "demo"
    assert main(["demo", str(folder), "--report"]) == 0
    return folder


def test_the_demonstration_has_a_report(demo: Path) -> None:
    record = data_of((demo / "report.html").read_text())
    assert record["runs"] == ["bm25", "dense"]
    assert len((demo / "report.html").read_bytes()) < 250_000
    assert (record["title"], record["date"]) == ("Python's standard library", "")
    assert record["about"]["R@100"] == "The share of the relevant documents that is among the first 100."
    assert record["groups"].keys() >= {"language"}


def test_the_command_writes_a_page_and_says_the_verdict(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = demo / "mine.html"
    files = [str(demo / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
    options = ["-m", "nDCG@10", "--by", "language", "--queries", str(demo / "queries.tsv"), "-o", str(target)]
    assert main(["report", *files, *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"wrote {target}"
    assert said[1] == "dense ranks better than bm25."
    assert said[3].startswith("Unlikely to be chance (p <0.001): the mean nDCG@10 of dense is 0.4147, of bm25 0.2592")
    record = data_of(target.read_text())
    assert {one["group"] for one in record["comparison"]["slices"]["language"]} == {"ar", "en"}
    assert record["digests"][files[1]] == hashlib.sha256((demo / "bm25.run").read_bytes()).hexdigest()
    assert main(["report", *files, *options, "--max-size", "30kB"]) == 0
    assert "more than --max-size, without any ranking" in capsys.readouterr().err.splitlines()[1]
    assert data_of(target.read_text())["lacks"][0].startswith("Rankings are shown of 0 of 108 queries: none, as ")


@pytest.mark.parametrize(
    ("options", "epoch", "title", "date"),
    [
        ([], "", "Demo", "2026-11-05"),
        ([], "1795000000", "Demo", "2026-11-18"),
        (["--title", "Library <b>", "--date", "2026-01-31"], "1795000000", "Library <b>", "2026-01-31"),
    ],
)
def test_a_page_has_a_name_and_a_day_and_is_the_same_for_the_same_files(
    options: list[str], epoch: str, title: str, date: str, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    monkeypatch.setattr("sys.argv", ["rankworth", "report"])
    for name, day in (("qrels.txt", 4), ("dense.run", 5)):
        os.utime(name, (0, datetime(2026, 11, day, 12, tzinfo=UTC).timestamp()))
    pages = []
    for name in ("first.html", "second.html"):
        command = ["report", "qrels.txt", "dense.run", "-m", "RR", "--no-profiles", "-o", name, *options]
        assert main(command) == 0
        pages.append(Path(name).read_bytes())
        Path(name).unlink()
    assert pages[0] == pages[1]
    record = data_of(pages[0].decode())
    assert (record["title"], record["date"]) == (title, date)
    day = f"{int(date[-2:])} {('Jan', 'Nov')[date[5] == '1']} 2026"
    assert f'<b dir="auto">{html.escape(title)}</b>' in pages[0].decode()
    assert f'<time datetime="{date}">{day}</time>' in pages[0].decode()


def test_what_concerns_the_data_is_a_strip_and_the_rest_is_folded() -> None:
    qrels, runs = differing(9, 1, 10)
    unanswered = {query: ranking for query, ranking in runs["old"].items() if query < "q2"}
    lacking = make(qrels, {"old": unanswered, "new": runs["new"]}, ["RR"], profiles=False)
    strip = lacking.html.partition('<section id="notes"')[2].partition("</section>")[0]
    findings = [each["text"] for each in lacking.record["findings"] if each["severity"] == "warning"]
    assert any(text.startswith("old has no results for 8 of 20 judged queries") for text in findings)
    for text in findings:
        first, _, rest = text.partition(". ")
        assert html.escape(first) in strip
        assert html.escape(rest) in strip.rpartition("</summary>")[2]


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["qrels.txt", "bm25.run", "--date", "yesterday"], "unknown-setting"),
        ([], "conflicting-options"),
        (["qrels.txt"], "conflicting-options"),
        (["qrels.txt", "bm25.run", "-o", "report.txt"], "unknown-format"),
        (["qrels.txt", "bm25.run", "-o", "nowhere/report.html"], "unwritable-output"),
        (["qrels.txt", "bm25.run", "--max-size", "small"], "unknown-setting"),
        (["qrels.txt", "nothing.run"], "missing-file"),
    ],
)
def test_mistakes_are_named_before_anything_is_written(
    demo: Path, arguments: list[str], slug: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    before = sorted(demo.iterdir())
    assert main(["report", *arguments]) == 2
    assert f"[{slug}]" in capsys.readouterr().err
    assert sorted(demo.iterdir()) == before


@pytest.mark.parametrize("names", [("dense",), ("bm25", "dense")])
def test_a_results_file_alone_makes_a_report(names: tuple[str, ...], tmp_path: Path) -> None:
    collection = rw.demo()
    runs = {name: collection.runs[name] for name in names}
    rw.evaluate_runs(collection.qrels, runs, MEASURES).save(tmp_path / "all.json")
    record = make(None, {"all": tmp_path / "all.json"}).record
    measured = make(collection.qrels, runs, MEASURES, profiles=False).record
    for part in ("means", "values", "queries", "intervals", "verdict"):
        assert record[part] == measured[part]
    assert record["lacks"][0].startswith(f"Of {', '.join(names)} only values are known")


def test_what_cannot_be_reported_is_refused() -> None:
    with pytest.raises(rw.UsageError, match="there is none"):
        make(None, {"a": []})
    with pytest.raises(rw.UsageError, match="no run"):
        make({"q": {"a": 1}}, {})


def test_wrong_texts_are_refused_before_runs_are_read(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1"\n')
    with pytest.raises(rw.InputError, match="corpus"):
        make({"q1": {"d1": 1}}, {"a": str(tmp_path / "missing.run")}, docs=str(tmp_path / "corpus.jsonl"))
